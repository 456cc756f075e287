//! Branching figures: how many answers a condition has on average, given which arguments are bound.
//!
//! They are counted on working memories. Where all arguments are bound the condition is a test, and the
//! figure is the share of cases in which it holds, between 0 and 1. The values that a bound argument
//! may have are those of its *sort*: the columns that rules join with each other. A constant that rules
//! ask for has figures of its own.

use super::domain::Domain;
use super::memory::{Mask, Memory};
use grundy_syntax::{Literal, PredicateId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Up to this arity there is a figure for each binding pattern; above it for those with at most one
/// argument free, and for the one with all of them free.
const MOST_FREE_PATTERNS: usize = 3;

/// A branching figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Branching {
    /// The predicate.
    pub predicate: PredicateId,
    /// Which arguments are bound when the condition is tried.
    pub bound: Vec<bool>,
    /// An argument that is this constant.
    pub constant: Option<(usize, TermId)>,
    /// The mean number of answers.
    pub mean: f64,
}

/// Counts the figures of all predicates on working memories.
pub(crate) fn count(domain: &Domain, memories: &[&Memory]) -> Vec<Branching> {
    let sorts = Sorts::new(domain, memories);
    let constants = constants_in_rules(domain);
    let mut figures = Vec::new();
    if memories.is_empty() {
        return figures;
    }
    for (predicate, info) in domain.program.predicates() {
        let rows = || memories.iter().flat_map(|memory| memory.relation(predicate).rows());
        let total = rows().count();
        if total == 0 || info.arity > super::memory::MOST_COLUMNS {
            continue;
        }
        let count = memories.len() as f64;
        let mut add = |mask: Mask, constant: Option<(usize, TermId)>| {
            let matching = match constant {
                None => total,
                Some((column, value)) => rows().filter(|row| row[column] == value).count(),
            };
            let free_of_constant = |column: &usize| constant.is_none_or(|(own, _)| own != *column);
            let bound = (0..info.arity).filter(|column| mask >> column & 1 == 1).filter(free_of_constant);
            let keys: f64 = bound.map(|column| sorts.size(predicate, column)).product();
            let mean = matching as f64 / count / keys.max(1.0);
            let bound = (0..info.arity).map(|column| mask >> column & 1 == 1).collect();
            figures.push(Branching { predicate, bound, constant, mean });
        };
        for mask in masks(info.arity) {
            add(mask, None);
            for &(_, column, value) in constants.iter().filter(|(owner, ..)| *owner == predicate) {
                if mask >> column & 1 == 1 {
                    add(mask, Some((column, value)));
                }
            }
        }
    }
    figures
}

/// The binding patterns that have figures.
fn masks(arity: usize) -> Vec<Mask> {
    if arity <= MOST_FREE_PATTERNS {
        return (0..1 << arity).collect();
    }
    let all: Mask = if arity == 64 { Mask::MAX } else { (1 << arity) - 1 };
    [0].into_iter().chain((0..arity).map(|column| all & !(1 << column))).chain([all]).collect()
}

/// The constants that stand as arguments in conditions of rules.
fn constants_in_rules(domain: &Domain) -> Vec<(PredicateId, usize, TermId)> {
    let mut found: Vec<(PredicateId, usize, TermId)> = Vec::new();
    for atom in domain.conditions().filter_map(Literal::atom) {
        for (column, &arg) in atom.args.iter().enumerate() {
            if domain.program.terms.is_ground(arg) {
                found.push((atom.predicate, column, arg));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Columns that rules join with each other have values of one sort.
pub(crate) struct Sorts {
    numbers: FxHashMap<(PredicateId, usize), usize>,
    sizes: Vec<usize>,
}

impl Sorts {
    fn new(domain: &Domain, memories: &[&Memory]) -> Sorts {
        let mut columns: Vec<(PredicateId, usize)> = Vec::new();
        for (predicate, info) in domain.program.predicates() {
            columns.extend((0..info.arity).map(|column| (predicate, column)));
        }
        let place: FxHashMap<(PredicateId, usize), usize> =
            columns.iter().enumerate().map(|(number, &column)| (column, number)).collect();
        let mut parent: Vec<usize> = (0..columns.len()).collect();
        for clause in domain.clauses() {
            let mut home: FxHashMap<TermId, usize> = FxHashMap::default();
            let atoms = clause.body.iter().filter_map(Literal::atom).chain([&clause.head]);
            for atom in atoms {
                for (column, &arg) in atom.args.iter().enumerate() {
                    if matches!(domain.program.terms.get(arg), Term::Variable(_)) {
                        let own = place[&(atom.predicate, column)];
                        let other = *home.entry(arg).or_insert(own);
                        let (a, b) = (root(&mut parent, own), root(&mut parent, other));
                        parent[a] = b;
                    }
                }
            }
        }
        let numbers: FxHashMap<(PredicateId, usize), usize> =
            columns.iter().map(|&column| (column, root(&mut parent, place[&column]))).collect();
        let mut values: Vec<FxHashSet<TermId>> = vec![FxHashSet::default(); columns.len()];
        for memory in memories {
            for &(predicate, column) in &columns {
                let sort = &mut values[numbers[&(predicate, column)]];
                sort.extend(memory.relation(predicate).rows().iter().map(|row| row[column]));
            }
        }
        Sorts { numbers, sizes: values.iter().map(FxHashSet::len).collect() }
    }

    /// How many values an argument may have.
    fn size(&self, predicate: PredicateId, column: usize) -> f64 {
        self.numbers.get(&(predicate, column)).map_or(1.0, |&sort| self.sizes[sort].max(1) as f64)
    }
}

fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}
