//! The predicates that GDL gives a meaning to.

use crate::ids::Id;
use std::fmt;

/// A predicate of GDL. The connectives (`not`, `or`, `and`, `distinct`) are no predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keyword {
    /// `(role r)`: r is a player.
    Role,
    /// `(init f)`: f holds at the start.
    Init,
    /// `(true f)`: f holds now.
    True,
    /// `(does r m)`: r plays m now.
    Does,
    /// `(legal r m)`: r may play m.
    Legal,
    /// `(next f)`: f will hold.
    Next,
    /// `(goal r n)`: r has n points.
    Goal,
    /// `terminal`: the game is over.
    Terminal,
    /// `(base f)`: f can hold at all.
    Base,
    /// `(input r m)`: m can be played at all.
    Input,
    /// `(sees r p)`: r will be told p.
    Sees,
}

/// Keywords index tables by their position in [`Keyword::ALL`].
impl Id for Keyword {
    fn new(index: usize) -> Keyword {
        Keyword::ALL[index]
    }

    #[inline]
    fn index(self) -> usize {
        // `ALL` lists the keywords in the order of their declaration.
        self as usize
    }
}

impl Keyword {
    /// Every keyword.
    pub const ALL: [Keyword; 11] = [
        Keyword::Role,
        Keyword::Init,
        Keyword::True,
        Keyword::Does,
        Keyword::Legal,
        Keyword::Next,
        Keyword::Goal,
        Keyword::Terminal,
        Keyword::Base,
        Keyword::Input,
        Keyword::Sees,
    ];

    /// The keyword of this name, in any case.
    pub fn find(name: &str) -> Option<Keyword> {
        // Almost every name fails here, so look at the length before comparing text.
        if !(4..=8).contains(&name.len()) {
            return None;
        }
        Keyword::ALL.into_iter().find(|keyword| keyword.name().eq_ignore_ascii_case(name))
    }

    /// The name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Keyword::Role => "role",
            Keyword::Init => "init",
            Keyword::True => "true",
            Keyword::Does => "does",
            Keyword::Legal => "legal",
            Keyword::Next => "next",
            Keyword::Goal => "goal",
            Keyword::Terminal => "terminal",
            Keyword::Base => "base",
            Keyword::Input => "input",
            Keyword::Sees => "sees",
        }
    }

    /// The number of arguments.
    pub fn arity(self) -> usize {
        match self {
            Keyword::Terminal => 0,
            Keyword::Role | Keyword::Init | Keyword::True | Keyword::Next | Keyword::Base => 1,
            Keyword::Does | Keyword::Legal | Keyword::Goal | Keyword::Input | Keyword::Sees => 2,
        }
    }

    /// How it is written.
    pub fn usage(self) -> &'static str {
        match self {
            Keyword::Role => "(role name)",
            Keyword::Init => "(init fact)",
            Keyword::True => "(true fact)",
            Keyword::Does => "(does role move)",
            Keyword::Legal => "(legal role move)",
            Keyword::Next => "(next fact)",
            Keyword::Goal => "(goal role value)",
            Keyword::Terminal => "terminal",
            Keyword::Base => "(base fact)",
            Keyword::Input => "(input role move)",
            Keyword::Sees => "(sees role percept)",
        }
    }

    /// Whether a rule can define it.
    pub fn in_heads(self) -> bool {
        !matches!(self, Keyword::True | Keyword::Does)
    }

    /// Whether it can be a condition.
    pub fn in_bodies(self) -> bool {
        matches!(
            self,
            Keyword::Role
                | Keyword::True
                | Keyword::Does
                | Keyword::Legal
                | Keyword::Goal
                | Keyword::Terminal
        )
    }

    /// Whether its first argument is a player.
    pub fn takes_role(self) -> bool {
        matches!(self, Keyword::Does | Keyword::Legal | Keyword::Goal | Keyword::Input | Keyword::Sees)
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case() {
        for keyword in Keyword::ALL {
            assert_eq!(Keyword::find(keyword.name()), Some(keyword));
            assert_eq!(Keyword::find(&keyword.name().to_uppercase()), Some(keyword));
        }
        assert_eq!(Keyword::find("cell"), None);
        assert_eq!(Keyword::find(""), None);
    }
}
