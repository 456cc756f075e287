//! What is made of the solutions of a feature.

use grundy_syntax::{Program, Term, TermId};

/// How solutions become a number. An argument is counted from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aggregate {
    /// How many there are.
    #[default]
    Count,
    /// The smallest value of an argument; without solutions there is none.
    Min(usize),
    /// The largest value of an argument; without solutions there is none.
    Max(usize),
    /// The sum of an argument over all solutions.
    Sum(usize),
}

impl Aggregate {
    /// The argument that is looked at.
    pub fn argument(self) -> Option<usize> {
        match self {
            Aggregate::Count => None,
            Aggregate::Min(argument) | Aggregate::Max(argument) | Aggregate::Sum(argument) => Some(argument),
        }
    }

    /// Takes the aggregate out of a head: `f(S, max(N))` is `f(S, N)` and the maximum of its second argument.
    pub(super) fn of_head(program: &Program, args: &mut [TermId]) -> Result<Aggregate, &'static str> {
        let mut found = Aggregate::Count;
        for (place, arg) in args.iter_mut().enumerate() {
            let Term::Compound(function, inner) = program.terms.get(*arg) else { continue };
            let [inner] = *inner else { continue };
            let aggregate = match program.symbols.name(function) {
                "min" => Aggregate::Min(place),
                "max" => Aggregate::Max(place),
                "sum" => Aggregate::Sum(place),
                "count" => Aggregate::Count,
                _ => continue,
            };
            if found != Aggregate::Count {
                return Err("a feature has one aggregate at most");
            }
            found = aggregate;
            *arg = inner;
        }
        Ok(found)
    }
}
