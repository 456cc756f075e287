//! [`Program`]: what both readers lower to, and what every later stage starts from.
//!
//! A program is a list of rules in the order of the text. Keywords are resolved, names and terms
//! are interned, `or` and `and` are gone (a rule with `or` became several), negation stands before
//! single atoms only, equalities have been solved by substitution, and no rule stands there twice.
//! Variables are numbered by first occurrence in each rule, so that two rules that differ only in
//! the names of variables are equal.

mod keyword;
mod print;
mod symbol;
mod term;

use crate::ids::narrow;
use crate::source::Span;
use hashbrown::HashMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

pub use keyword::Keyword;
pub(crate) use print::is_number;
pub use print::{Notation, Printer};
pub use symbol::{SymbolId, Symbols};
pub use term::{Term, TermId, Terms, VariableId};

crate::define_id! {
    /// A predicate of a program: a name with a number of arguments.
    pub struct PredicateId(u32);
}

crate::define_id! {
    /// A rule of a [`Program`]: its position in the order of the text.
    pub struct RuleId(u32);
}

/// What is known about a predicate before any analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Its name; keywords have theirs in lower case.
    pub name: SymbolId,
    /// Its number of arguments.
    pub arity: usize,
    /// The keyword, if the program is a game and this is one.
    pub keyword: Option<Keyword>,
}

/// A predicate applied to terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The predicate.
    pub predicate: PredicateId,
    /// As many terms as the predicate has arguments.
    pub args: Box<[TermId]>,
}

/// A condition of a rule, without its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// The atom can be derived.
    Holds(Atom),
    /// The atom cannot be derived.
    Not(Atom),
    /// The two terms are different.
    Distinct(TermId, TermId),
}

impl Literal {
    /// The atom of a positive or negative condition.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Literal::Holds(atom) | Literal::Not(atom) => Some(atom),
            Literal::Distinct(..) => None,
        }
    }

    /// The terms that the condition speaks of.
    pub fn terms(&self) -> impl Iterator<Item = TermId> + '_ {
        let (atom_args, pair) = match self {
            Literal::Holds(atom) | Literal::Not(atom) => (&*atom.args, None),
            Literal::Distinct(a, b) => (&[][..], Some([*a, *b])),
        };
        atom_args.iter().copied().chain(pair.into_iter().flatten())
    }
}

/// A condition of a rule and where it stands.
#[derive(Clone, Debug)]
pub struct Condition {
    /// What is asked.
    pub literal: Literal,
    /// Where.
    pub span: Span,
}

/// A rule, or, with an empty body, a fact.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What follows.
    pub head: Atom,
    /// From what; all of it.
    pub body: Vec<Condition>,
    /// The names of the variables, by [`VariableId`].
    pub variables: Vec<SymbolId>,
    /// The whole rule in the text.
    pub span: Span,
    /// The head in the text.
    pub head_span: Span,
}

impl Rule {
    /// Whether two rules say the same, but for places and names of variables.
    pub fn same_as(&self, other: &Rule) -> bool {
        self.head == other.head && self.literals().eq(other.literals())
    }

    /// The conditions without their places.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.body.iter().map(|condition| &condition.literal)
    }
}

/// An integrity constraint of a theory: these conditions never hold together.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// What never holds, all of it together.
    pub body: Vec<Condition>,
    /// The names of the variables.
    pub variables: Vec<SymbolId>,
    /// The whole constraint in the text.
    pub span: Span,
}

/// `:- dynamic name/arity.`: the facts of this predicate come with each state.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The predicate.
    pub predicate: PredicateId,
    /// Where it says so.
    pub span: Span,
}

/// Whether the names of [`Keyword`] have their meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// A game: `role`, `true`, `next` and the others are keywords.
    #[default]
    Game,
    /// A domain theory: no name has a meaning of its own.
    Theory,
}

/// A game or a theory, ready to be reasoned about.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Game or theory.
    pub dialect: Dialect,
    /// All names.
    pub symbols: Symbols,
    /// All terms of the rules.
    pub terms: Terms,
    /// Facts and rules in the order of the text.
    pub rules: Vec<Rule>,
    /// Declared dynamic predicates.
    pub dynamic: Vec<Declaration>,
    /// Integrity constraints.
    pub constraints: Vec<Constraint>,
    /// Names in forms that had to be left out; that they look unused or undefined means nothing.
    pub left_out: FxHashSet<SymbolId>,
    predicates: Vec<Predicate>,
    predicate_ids: HashMap<(SymbolId, u32), PredicateId, FxBuildHasher>,
}

impl Program {
    /// An empty program.
    pub fn new(dialect: Dialect) -> Program {
        Program { dialect, ..Program::default() }
    }

    /// The predicate of a name and a number of arguments, new or known.
    ///
    /// In a game, a keyword is recognised in any case if the number of arguments is right.
    pub fn predicate(&mut self, name: &str, arity: usize) -> PredicateId {
        let name = self.symbols.intern(name);
        self.predicate_of(name, arity)
    }

    /// A predicate that the program does not have yet, named like this or, if that is taken, with `~` behind it.
    pub fn fresh_predicate(&mut self, name: &str, arity: usize) -> PredicateId {
        let mut name = name.to_owned();
        while self.find_predicate(&name, arity).is_some() {
            name.push('~');
        }
        self.predicate(&name, arity)
    }

    /// The keyword of this name, in any case, if this program has keywords.
    pub(crate) fn keyword_named(&self, name: &str) -> Option<Keyword> {
        match self.dialect {
            Dialect::Game => Keyword::find(name),
            Dialect::Theory => None,
        }
    }

    /// The predicate of an interned name and a number of arguments, new or known.
    pub(crate) fn predicate_of(&mut self, name: SymbolId, arity: usize) -> PredicateId {
        if let Some(&known) = self.predicate_ids.get(&(name, narrow(arity))) {
            return known;
        }
        let keyword = self.keyword_named(self.symbols.name(name)).filter(|keyword| keyword.arity() == arity);
        let own_name = keyword.map_or(name, |keyword| self.symbols.intern(keyword.name()));
        let id = match self.predicate_ids.get(&(own_name, narrow(arity))) {
            Some(&known) => known,
            None => {
                self.predicates.push(Predicate { name: own_name, arity, keyword });
                PredicateId(narrow(self.predicates.len()) - 1)
            }
        };
        // A keyword is found under its own name and as it was written.
        self.predicate_ids.insert((own_name, narrow(arity)), id);
        self.predicate_ids.insert((name, narrow(arity)), id);
        id
    }

    /// The predicate of a name and a number of arguments, if it occurs.
    pub fn find_predicate(&self, name: &str, arity: usize) -> Option<PredicateId> {
        let name = self.symbols.find(name)?;
        self.predicate_ids.get(&(name, narrow(arity))).copied()
    }

    /// The predicate of a keyword, if it occurs.
    pub fn keyword(&self, keyword: Keyword) -> Option<PredicateId> {
        let found = self.find_predicate(keyword.name(), keyword.arity())?;
        self.info(found).keyword.map(|_| found)
    }

    /// What is known about a predicate.
    pub fn info(&self, predicate: PredicateId) -> Predicate {
        self.predicates[predicate.index()]
    }

    /// The name of a predicate.
    pub fn name(&self, predicate: PredicateId) -> &str {
        self.symbols.name(self.info(predicate).name)
    }

    /// A rule by its id.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    /// All rules with their ids, in the order of the text.
    pub fn rules_by_id(&self) -> impl ExactSizeIterator<Item = (RuleId, &Rule)> + Clone {
        self.rules.iter().enumerate().map(|(index, rule)| (RuleId::new(index), rule))
    }

    /// The number of predicates.
    pub fn predicate_count(&self) -> usize {
        self.predicates.len()
    }

    /// All predicates, in order of first occurrence.
    pub fn predicates(&self) -> impl Iterator<Item = (PredicateId, Predicate)> + '_ {
        self.predicates.iter().enumerate().map(|(id, &info)| (PredicateId::new(id), info))
    }

    /// The roles, in the order of their facts.
    pub fn roles(&self) -> Vec<TermId> {
        let Some(role) = self.keyword(Keyword::Role) else { return Vec::new() };
        let facts = self.rules.iter().filter(|rule| rule.head.predicate == role && rule.body.is_empty());
        facts.map(|rule| rule.head.args[0]).collect()
    }
}
