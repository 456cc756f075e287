//! What never holds together: ground integrity constraints.
//!
//! A literal is the number of a fact, shifted, with a bit for negation. Most constraints are about two literals; these
//! are looked up by either. The rest is looked up by any of its literals.

use crate::ground::{AtomId, GroundProgram};
use crate::ids::{Id, narrow};
use grundy_syntax::{Budget, Exhausted, Term, TermId, Ticks};
use rustc_hash::FxHashMap;

/// Something proved of the states of a game: facts of this name and number of arguments that agree in the key agree in
/// the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Determined {
    /// The name of the facts.
    pub name: String,
    /// Their number of arguments.
    pub arity: usize,
    /// The arguments that determine another one.
    pub key: Vec<usize>,
    /// The argument that is determined.
    pub value: usize,
}

/// Groups of more facts than this are left alone.
const LARGEST_GROUP: usize = 256;

/// Sets of literals that never hold together.
pub(super) struct Conflicts {
    /// For each literal where its partners begin.
    starts: Vec<u32>,
    partners: Vec<u32>,
    /// Constraints of more than two literals.
    wide: Vec<Box<[u32]>>,
    wide_of: FxHashMap<u32, Vec<u32>>,
    /// Literals that never hold.
    never: Vec<bool>,
}

impl Conflicts {
    /// From conjunctions and pairs of literals.
    pub(super) fn new(facts: usize, bodies: Vec<Vec<u32>>, exclusive: Vec<(u32, u32)>) -> Conflicts {
        let mut pairs = exclusive;
        pairs.extend_from_within(..);
        let half = pairs.len() / 2;
        pairs[half..].iter_mut().for_each(|(a, b)| std::mem::swap(a, b));
        let mut wide: Vec<Box<[u32]>> = Vec::new();
        let mut never = vec![false; facts * 2];
        for mut body in bodies {
            body.sort_unstable();
            body.dedup();
            match body[..] {
                [] => {}
                [one] => never[one.index()] = true,
                [a, b] => pairs.extend([(a, b), (b, a)]),
                _ => wide.push(body.into()),
            }
        }
        wide.sort_unstable();
        wide.dedup();
        let mut wide_of: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (number, body) in wide.iter().enumerate() {
            body.iter().for_each(|&literal| wide_of.entry(literal).or_default().push(narrow(number)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; facts * 2 + 1];
        pairs.iter().for_each(|&(a, _)| starts[a.index() + 1] += 1);
        for literal in 1..starts.len() {
            starts[literal] += starts[literal - 1];
        }
        let partners = pairs.into_iter().map(|(_, b)| b).collect();
        Conflicts { starts, partners, wide, wide_of, never }
    }

    /// Whether a literal can be added to a set of literals that hold; `has` tells which do.
    #[inline]
    pub(super) fn admits(&self, literal: u32, has: impl Fn(u32) -> bool) -> bool {
        let Some(&end) = self.starts.get(literal.index() + 1) else { return true };
        let partners = &self.partners[self.starts[literal.index()].index()..end.index()];
        if has(literal ^ 1) || self.never[literal.index()] || partners.iter().any(|&partner| has(partner)) {
            return false;
        }
        if self.wide.is_empty() {
            return true;
        }
        let holds =
            |&number: &u32| self.wide[number.index()].iter().all(|&other| other == literal || has(other));
        !self.wide_of.get(&literal).is_some_and(|numbers| numbers.iter().any(holds))
    }
}

/// The pairs of facts that something proved excludes, as literals.
pub(super) fn exclusive(
    ground: &GroundProgram,
    facts: &[AtomId],
    known: &[Determined],
    budget: &Budget,
) -> Result<Vec<(u32, u32)>, Exhausted> {
    let (terms, symbols) = (&ground.flat().terms, &ground.program().symbols);
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut ticks = Ticks::default();
    for one in known {
        let mut groups: FxHashMap<Vec<TermId>, Vec<(u32, TermId)>> = FxHashMap::default();
        for (number, &fact) in facts.iter().enumerate() {
            ticks.work(budget, WORK_OF_FACT)?;
            let (template, row) = ground.atom_parts(fact);
            let Term::Compound(name, args) = terms.get(template[0]) else { continue };
            if symbols.name(name) != one.name || args.len() != one.arity {
                continue;
            }
            let value = |arg: TermId| match terms.get(arg) {
                Term::Variable(column) => Some(TermId(row[column.index()])),
                _ => terms.is_ground(arg).then_some(arg),
            };
            let key: Option<Vec<TermId>> = one.key.iter().map(|&argument| value(args[argument])).collect();
            if let (Some(key), Some(value)) = (key, value(args[one.value])) {
                groups.entry(key).or_default().push((narrow(number), value));
            }
        }
        for group in groups.values().filter(|group| group.len() <= LARGEST_GROUP) {
            for (place, &(a, value)) in group.iter().enumerate() {
                let others = group[place + 1..].iter().filter(|(_, other)| *other != value);
                pairs.extend(others.map(|&(b, _)| (a << 1, b << 1)));
                ticks.work(budget, group.len())?;
            }
            // They are doubled later, and copied once more.
            budget.check_with(3 * pairs.len() * size_of::<(u32, u32)>())?;
        }
    }
    Ok(pairs)
}

/// Looking at a fact is about so much work, in units of [`Ticks::work`].
const WORK_OF_FACT: usize = 8;
