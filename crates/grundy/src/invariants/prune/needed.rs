//! Subsumed rules, and atoms that no output depends on.

use super::WORK;
use super::knowledge::{Knowledge, Role};
use super::rules::{Lit, Rules};
use crate::ground::AtomId;
use crate::ids::BitSet;
use grundy_syntax::{Budget, Exhausted, Ticks};

/// Limit: the rules of an atom that are compared pairwise; of more rules only duplicates are removed. A guess.
const MOST_COMPARED: usize = 200;

pub(super) fn run(rules: Rules, knowledge: &Knowledge, budget: &Budget) -> Result<Rules, Exhausted> {
    let mut ticks = Ticks::default();
    let atoms = knowledge.roles.len();
    let by_head = rules.by_head(atoms);
    let mut is_needed: BitSet<AtomId> = BitSet::empty(atoms);
    let outputs = knowledge.roles.entries().filter(|(_, role)| **role == Role::Output);
    let mut open: Vec<AtomId> = outputs.map(|(atom, _)| atom).collect();
    open.iter().for_each(|&atom| is_needed.set(atom, true));
    while let Some(atom) = open.pop() {
        ticks.work(budget, WORK * (1 + by_head[atom].len()))?;
        for literal in by_head[atom].iter().flat_map(|&rule| rules.body(rule)) {
            if is_needed.insert(literal.atom()) {
                open.push(literal.atom());
            }
        }
    }
    let mut kept = Rules::default();
    for atom in is_needed.iter() {
        let mut bodies: Vec<&[Lit]> = by_head[atom].iter().map(|&rule| rules.body(rule)).collect();
        let compared = if bodies.len() <= MOST_COMPARED { bodies.len() } else { 1 };
        ticks.work(budget, WORK * bodies.len() * (1 + compared))?;
        bodies.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        bodies.dedup();
        let compared = bodies.len() <= MOST_COMPARED;
        for (number, body) in bodies.iter().enumerate() {
            let is_superfluous = |shorter: &&[Lit]| is_subset(shorter, body);
            if !compared || !bodies[..number].iter().any(is_superfluous) {
                kept.push(atom, body);
            }
        }
    }
    Ok(kept)
}

fn is_subset(smaller: &[Lit], larger: &[Lit]) -> bool {
    smaller.len() < larger.len() && smaller.iter().all(|literal| larger.binary_search(literal).is_ok())
}
