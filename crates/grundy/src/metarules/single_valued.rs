//! Single-valued arguments: some arguments of a predicate determine another one.
//!
//! These are the functional dependencies of the complete facts, with minimal keys. Two conditions of a
//! rule that have the same key have the same value, so that the two terms are unified.

use super::limits::Steps;
use super::memory::{Key, Mask, Memory, key_of};
use crate::ids::Id;
use grundy_syntax::{Literal, PredicateId, Term, TermId, Terms, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a dependency is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From the complete facts.
    Facts,
    /// From an integrity constraint of the theory.
    Constraint,
    /// Proved by induction over the moves of a game.
    Proof,
}

/// In each state, the arguments of the key determine the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleValued {
    /// The predicate.
    pub predicate: PredicateId,
    /// The arguments of the key, one bit for each.
    pub(crate) key: Mask,
    /// The argument that they determine.
    pub value: usize,
    /// Where this is known from.
    pub origin: Origin,
}

/// Predicates with more columns than this are left alone.
const MOST_KEY_COLUMNS: usize = 10;

/// The steps of looking a key up.
const STEPS_PER_ROW: u64 = 4;

/// The dependencies of a predicate that hold in each of these memories, with minimal keys; those that were found before
/// the steps ended.
pub(crate) fn dependencies(
    memories: &[&Memory],
    (predicate, arity): (PredicateId, usize),
    origin: Origin,
    steps: &Steps,
) -> Vec<SingleValued> {
    let mut found: Vec<SingleValued> = Vec::new();
    let no_facts = memories.iter().all(|memory| memory.relation(predicate).rows().is_empty());
    if arity > MOST_KEY_COLUMNS || no_facts {
        return found;
    }
    for value in 0..arity {
        let mut keys: Vec<Mask> = (0..1 << arity).filter(|key: &Mask| key >> value & 1 == 0).collect();
        keys.sort_by_key(|key| key.count_ones());
        let first = found.len();
        for key in keys {
            let has_smaller = found[first..].iter().any(|known| known.key & key == known.key);
            if steps.step().is_err() {
                return found;
            }
            let holds = |memory: &&Memory| determines(memory, (predicate, key, value), steps);
            if !has_smaller && memories.iter().all(holds) {
                found.push(SingleValued { predicate, key, value, origin });
            }
        }
    }
    found
}

fn determines(memory: &Memory, (predicate, key, value): (PredicateId, Mask, usize), steps: &Steps) -> bool {
    let mut values: FxHashMap<Key, TermId> = FxHashMap::default();
    let rows = memory.relation(predicate).rows();
    let mut agrees = |row: &[TermId]| *values.entry(key_of(row, key)).or_insert(row[value]) == row[value];
    rows.iter().all(|row| steps.work(STEPS_PER_ROW).is_ok() && agrees(row))
}

/// The dependency that a constraint states: two conditions of one predicate, equal in some arguments,
/// and a test that one pair of the others differs.
pub(crate) fn of_constraint(terms: &Terms, body: &[Literal]) -> Option<SingleValued> {
    let [Literal::Holds(a), Literal::Holds(b), Literal::Distinct(x, y)] = body else { return None };
    if a.predicate != b.predicate {
        return None;
    }
    let value = (0..a.args.len()).find(|&column| {
        let pair = (a.args[column], b.args[column]);
        pair == (*x, *y) || pair == (*y, *x)
    })?;
    let is_variable = |term: TermId| matches!(terms.get(term), Term::Variable(_));
    let all = || a.args.iter().chain(b.args.iter());
    if !all().all(|&arg| is_variable(arg)) {
        return None;
    }
    let key = (0..a.args.len()).filter(|&column| a.args[column] == b.args[column]);
    // A variable in two columns would make the constraint weaker than a dependency.
    let mut variables: Vec<TermId> = a.args.to_vec();
    variables.extend(
        b.args.iter().enumerate().filter(|(column, arg)| a.args[*column] != **arg).map(|(_, &arg)| arg),
    );
    let count = variables.len();
    variables.sort_unstable();
    variables.dedup();
    let key = key.fold(0, |key, column| key | 1 << column);
    (variables.len() == count).then_some(SingleValued {
        predicate: a.predicate,
        key,
        value,
        origin: Origin::Constraint,
    })
}

impl SingleValued {
    /// The two conditions of the metarule and the test that they differ in the value, which never holds.
    pub(crate) fn conditions(&self, terms: &mut Terms, arity: usize) -> Vec<Literal> {
        let mut count = 0;
        let mut fresh = |terms: &mut Terms| {
            count += 1;
            terms.variable(VariableId(count - 1))
        };
        let first: Vec<TermId> = (0..arity).map(|_| fresh(terms)).collect();
        let second: Vec<TermId> = (0..arity)
            .map(|column| if self.key >> column & 1 == 1 { first[column] } else { fresh(terms) })
            .collect();
        let test = Literal::Distinct(first[self.value], second[self.value]);
        let atom = |args: Vec<TermId>| {
            Literal::Holds(grundy_syntax::Atom { predicate: self.predicate, args: args.into() })
        };
        vec![atom(first), atom(second), test]
    }

    /// How many different keys occur in these memories.
    pub fn groups_in(&self, memories: &[Memory]) -> usize {
        let rows = memories.iter().flat_map(|memory| memory.relation(self.predicate).rows());
        rows.map(|row| key_of(row, self.key)).collect::<FxHashSet<Key>>().len()
    }

    /// The arguments of the key.
    pub fn key_arguments(&self) -> Vec<usize> {
        (0..Mask::BITS.index()).filter(|&column| self.key >> column & 1 == 1).collect()
    }
}
