//! Second thoughts about splitting, when all relations are complete.
//!
//! Rules are split by estimate before anything dynamic is known. Afterwards the relations are there, the instances are
//! counted, and it shows where the estimate was wrong: what would have been smaller unsplit is put back, and what
//! turned out large is split by what is known now.

use super::decompose::{MIN_GAIN, Worth, decompose};
use super::estimate::Estimates;
use super::split::{Split, split_more};
use crate::datalog::Relation;
use crate::flat::{Flat, FlatLiteral, FlatRule, Origin, RelationKind};
use crate::ids::float;
use grundy_syntax::Program;

/// Which rules to take out, and where the new ones begin.
pub(crate) struct Revision {
    /// For each rule, whether it is to go.
    pub(crate) dropped: Vec<bool>,
    /// New rules stand from this one on, each behind the parts that it needs.
    pub(crate) first_new: usize,
    /// The rules that were split now.
    pub(crate) splits: Vec<Split>,
    /// For each of them, which rule it was, and what that has cost.
    replaced: Vec<(usize, f64)>,
}

impl Revision {
    /// The instances that rules may have which were made by splitting, if that is to pay.
    pub(crate) fn caps(&self, flat: &Flat) -> Vec<(usize, u64)> {
        let mut caps: Vec<(usize, u64)> = Vec::new();
        for (split, &(_, known)) in self.splits.iter().zip(&self.replaced) {
            for &rule in &split.rules {
                let most = (known / cost(flat, &flat.rules[rule], 1.0)) as u64;
                match caps.iter_mut().find(|(other, _)| *other == rule) {
                    Some((_, cap)) => *cap = (*cap).max(most),
                    None => caps.push((rule, most)),
                }
            }
        }
        caps
    }

    /// Leaves rules unsplit for which some of these rules, which had too many instances, were made.
    pub(crate) fn take_back(&mut self, failed: &[usize]) {
        let mut used = vec![false; self.dropped.len()];
        let mut made = vec![false; self.dropped.len()];
        let (splits, replaced) = (std::mem::take(&mut self.splits), std::mem::take(&mut self.replaced));
        for (split, (rule, known)) in splits.into_iter().zip(replaced) {
            split.rules.iter().for_each(|&rule| made[rule] = true);
            if split.rules.iter().any(|rule| failed.contains(rule)) {
                self.dropped[rule] = false;
            } else {
                split.rules.iter().for_each(|&rule| used[rule] = true);
                self.splits.push(split);
                self.replaced.push((rule, known));
            }
        }
        for rule in self.first_new..self.dropped.len() {
            self.dropped[rule] |= made[rule] && !used[rule];
        }
    }
}

/// A rule's cost: an instance costs its head and its stored conditions.
fn cost(flat: &Flat, rule: &FlatRule, instances: f64) -> f64 {
    let is_dynamic = |literal: &&FlatLiteral| {
        literal.atom().is_some_and(|atom| flat.info(atom.relation).kind == RelationKind::Dynamic)
    };
    instances * float(1 + rule.body.iter().filter(is_dynamic).count())
}

fn is_stored(flat: &Flat, rule: &FlatRule) -> bool {
    matches!(rule.origin, Origin::Rule(_)) && flat.info(rule.head.relation).kind == RelationKind::Dynamic
}

/// Which of the rules that were split would have been no larger unsplit. `count` tells whether a rule has at most so
/// many instances.
pub(crate) fn wrongly_split(
    flat: &Flat,
    splits: &[Split],
    instances: &[u64],
    mut is_at_most: impl FnMut(&FlatRule, u64) -> bool,
) -> Vec<bool> {
    let mut is_wrong = |split: &Split| {
        let stored = split.rules.iter().filter(|&&rule| is_stored(flat, &flat.rules[rule]));
        let now: f64 = stored.map(|&rule| cost(flat, &flat.rules[rule], float(instances[rule]))).sum();
        let most = (now / cost(flat, &split.original, 1.0)) as u64;
        is_stored(flat, &split.original) && is_at_most(&split.original, most)
    };
    splits.iter().map(&mut is_wrong).collect()
}

/// Looks at all rules again: the splits that were wrong, and the rules that have turned out to cost at least so much.
pub(crate) fn revise(
    program: &mut Program,
    flat: &mut Flat,
    splits: &[(Split, bool)],
    known: (&[Relation], &[u64]),
    min_cost: f64,
) -> Revision {
    let (relations, instances) = known;
    let first_new = flat.rules.len();
    let mut dropped = vec![false; first_new];
    let mut is_split = vec![false; first_new];
    for (split, is_wrong) in splits {
        split.rules.iter().for_each(|&rule| is_split[rule] = true);
        if let (Some(&top), true) = (split.rules.last(), is_wrong) {
            dropped[top] = true;
            flat.rules.push(split.original.clone());
        }
    }
    let estimates = Estimates::exact(program, flat, relations);
    let (mut larger, mut replaced) = (Vec::new(), Vec::new());
    let worth = Worth { min_cost, min_gain: MIN_GAIN, in_company: 1.0 };
    for number in (0..first_new).filter(|&number| !is_split[number]) {
        let rule = &flat.rules[number];
        let now = cost(flat, rule, float(instances[number]));
        if !is_stored(flat, rule) || now < min_cost {
            continue;
        }
        let sizes = estimates.variables(flat, rule);
        if let Some(items) = decompose(flat, &estimates, rule, &sizes, worth, Some(now)) {
            dropped[number] = true;
            larger.push((rule.clone(), items));
            replaced.push((number, now));
        }
    }
    let splits = split_more(program, flat, &estimates, larger);
    drop_unused(flat, &mut dropped);
    dropped.resize(flat.rules.len(), false);
    Revision { dropped, first_new, splits, replaced }
}

/// Drops parts that no rule uses any more.
fn drop_unused(flat: &Flat, dropped: &mut [bool]) {
    let introduced = |rule: &FlatRule| flat.info(rule.head.relation).is_part;
    loop {
        let mut used = vec![false; flat.relations.len()];
        for (number, rule) in flat.rules.iter().enumerate() {
            if !dropped.get(number).is_some_and(|dropped| *dropped) {
                let atoms = rule.body.iter().filter_map(FlatLiteral::atom);
                atoms.for_each(|atom| used[atom.relation.index()] = true);
            }
        }
        let unused = (0..dropped.len()).filter(|&number| {
            let rule = &flat.rules[number];
            !dropped[number] && introduced(rule) && !used[rule.head.relation.index()]
        });
        let unused: Vec<usize> = unused.collect();
        if unused.is_empty() {
            return;
        }
        unused.into_iter().for_each(|number| dropped[number] = true);
    }
}
