//! Atoms that say the same: those with the same rules, and those with one rule of one condition.

use super::WORK;
use super::knowledge::{Knowledge, Role};
use super::rules::{Lit, Rules};
use crate::ground::AtomId;
use crate::ids::IdVec;
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// For each atom the literal that takes its place.
type StandsFor = IdVec<AtomId, Lit>;

pub(super) fn run(rules: Rules, knowledge: &Knowledge, budget: &Budget) -> Result<Rules, Exhausted> {
    let mut ticks = Ticks::default();
    let atoms = knowledge.roles.len();
    let by_head = rules.by_head(atoms);
    let mut stands_for: StandsFor = knowledge.roles.ids().map(|atom| Lit::new(atom, true)).collect();
    let replaced = |stands_for: &StandsFor, literal: Lit| {
        let other = stands_for[literal.atom()];
        if literal.is_positive() { other } else { other.opposite() }
    };
    // By the hash of their rules, the atoms that have them.
    let mut known: FxHashMap<u64, Vec<AtomId>> = FxHashMap::default();
    let definition = |stands_for: &StandsFor, atom: AtomId| -> Vec<Vec<Lit>> {
        let mut bodies: Vec<Vec<Lit>> = Vec::new();
        for &rule in &by_head[atom] {
            let mut body: Vec<Lit> =
                rules.body(rule).iter().map(|&literal| replaced(stands_for, literal)).collect();
            body.sort_unstable();
            body.dedup();
            bodies.push(body);
        }
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    };
    for members in rules.components(&by_head, budget)? {
        let [atom] = members[..] else { continue };
        if knowledge.roles[atom] != Role::View || by_head[atom].is_empty() {
            continue;
        }
        let own = definition(&stands_for, atom);
        ticks.work(budget, WORK * own.iter().map(|body| 1 + body.len()).sum::<usize>())?;
        if own.iter().flatten().any(|literal| literal.atom() == atom) {
            continue;
        }
        if let [body] = &own[..]
            && let [only] = body[..]
        {
            stands_for[atom] = only;
            continue;
        }
        let mut hasher = FxHasher::default();
        own.hash(&mut hasher);
        let same = known.entry(hasher.finish()).or_default();
        match same.iter().find(|&&other| definition(&stands_for, other) == own) {
            Some(&other) => stands_for[atom] = Lit::new(other, true),
            None => same.push(atom),
        }
    }
    let mut kept = Rules::default();
    let mut body = Vec::new();
    for (head, literals) in rules.iter() {
        ticks.work(budget, WORK * (1 + literals.len()))?;
        if stands_for[head] != Lit::new(head, true) {
            continue;
        }
        body.clear();
        body.extend(literals.iter().map(|&literal| replaced(&stands_for, literal)));
        body.sort_unstable();
        body.dedup();
        if !body.windows(2).any(|pair| pair[0] == pair[1].opposite()) {
            kept.push(head, &body);
        }
    }
    Ok(kept)
}
