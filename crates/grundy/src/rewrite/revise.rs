//! Revision of splits when all relations are complete.
//!
//! Rules are split by estimates before dynamic relations are known. With complete relations and counted instances, splits
//! that do not pay are undone, and rules that turned out large are split by exact sizes.

use super::decompose::{MIN_GAIN, Worth, decompose};
use super::estimate::Estimates;
use super::split::{Split, split_more};
use crate::datalog::Relations;
use crate::flat::{Flat, FlatLiteral, FlatRule, FlatRuleId, Origin, RelationKind};
use crate::ids::{BitSet, IdVec, float, rounded_down};
use grundy_syntax::Program;

/// The rules to drop, and the new rules.
pub(crate) struct Revision {
    /// The rules to drop.
    pub(crate) dropped: BitSet<FlatRuleId>,
    /// The first new rule. Each new rule is behind the parts that it uses.
    pub(crate) first_new: FlatRuleId,
    /// The number of rules, with the new ones.
    rule_count: usize,
    /// The rules that were split now.
    pub(crate) splits: Vec<Split>,
    /// For each of them the replaced rule and its cost.
    replaced: Vec<(FlatRuleId, f64)>,
}

impl Revision {
    /// The largest numbers of instances of the rules made by splitting for which splitting pays.
    pub(crate) fn caps(&self, flat: &Flat) -> Vec<(FlatRuleId, u64)> {
        let mut caps: Vec<(FlatRuleId, u64)> = Vec::new();
        for (split, &(_, known)) in self.splits.iter().zip(&self.replaced) {
            for &rule in &split.rules {
                let most = rounded_down(known / cost(flat, &flat.rules[rule], 1.0));
                match caps.iter_mut().find(|(other, _)| *other == rule) {
                    Some((_, cap)) => *cap = (*cap).max(most),
                    None => caps.push((rule, most)),
                }
            }
        }
        caps
    }

    /// Undoes the splits that made one of these rules, which had too many instances.
    pub(crate) fn take_back(&mut self, failed: &[FlatRuleId]) {
        let mut used = BitSet::empty(self.rule_count);
        let mut made = BitSet::empty(self.rule_count);
        let (splits, replaced) = (std::mem::take(&mut self.splits), std::mem::take(&mut self.replaced));
        for (split, (rule, known)) in splits.into_iter().zip(replaced) {
            split.rules.iter().for_each(|&rule| made.set(rule, true));
            if split.rules.iter().any(|rule| failed.contains(rule)) {
                self.dropped.set(rule, false);
            } else {
                split.rules.iter().for_each(|&rule| used.set(rule, true));
                self.splits.push(split);
                self.replaced.push((rule, known));
            }
        }
        for rule in made.iter().filter(|&rule| rule >= self.first_new && !used.contains(rule)) {
            self.dropped.set(rule, true);
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

/// For each split, whether the unsplit rule would be no larger. `is_at_most` returns whether a rule has at most a number of
/// instances.
pub(crate) fn wrongly_split(
    flat: &Flat,
    splits: &[Split],
    instances: &IdVec<FlatRuleId, u64>,
    mut is_at_most: impl FnMut(&FlatRule, u64) -> bool,
) -> Vec<bool> {
    let mut is_wrong = |split: &Split| {
        let stored = split.rules.iter().filter(|&&rule| is_stored(flat, &flat.rules[rule]));
        let now: f64 = stored.map(|&rule| cost(flat, &flat.rules[rule], float(instances[rule]))).sum();
        let most = rounded_down(now / cost(flat, &split.original, 1.0));
        is_stored(flat, &split.original) && is_at_most(&split.original, most)
    };
    splits.iter().map(&mut is_wrong).collect()
}

/// Undoes the splits marked as wrong, and splits the rules that cost at least `min_cost` where that pays.
pub(crate) fn revise(
    program: &mut Program,
    flat: &mut Flat,
    splits: &[(Split, bool)],
    known: (&Relations, &IdVec<FlatRuleId, u64>),
    min_cost: f64,
) -> Revision {
    let (relations, instances) = known;
    let old_rules = flat.rules.ids();
    let mut dropped = BitSet::empty(old_rules.len());
    let mut is_split = BitSet::empty(old_rules.len());
    for (split, is_wrong) in splits {
        split.rules.iter().for_each(|&rule| is_split.set(rule, true));
        if let (Some(&top), true) = (split.rules.last(), is_wrong) {
            dropped.set(top, true);
            flat.rules.push(split.original.clone());
        }
    }
    let estimates = Estimates::exact(program, flat, relations);
    let (mut larger, mut replaced) = (Vec::new(), Vec::new());
    let worth = Worth { min_cost, min_gain: MIN_GAIN, in_company: 1.0 };
    for id in old_rules.clone().filter(|&id| !is_split.contains(id)) {
        let rule = &flat.rules[id];
        let now = cost(flat, rule, float(instances[id]));
        if !is_stored(flat, rule) || now < min_cost {
            continue;
        }
        let sizes = estimates.variables(flat, rule);
        if let Some(items) = decompose(flat, &estimates, rule, &sizes, worth, Some(now)) {
            dropped.set(id, true);
            larger.push((rule.clone(), items));
            replaced.push((id, now));
        }
    }
    let splits = split_more(program, flat, &estimates, larger);
    drop_unused(flat, old_rules.clone(), &mut dropped);
    let rule_count = flat.rules.len();
    let (dropped, first_new) = (dropped.widened(rule_count), FlatRuleId::new(old_rules.len()));
    Revision { dropped, first_new, rule_count, splits, replaced }
}

/// Drops those of the old rules for parts that no rule uses any more.
fn drop_unused(
    flat: &Flat,
    old_rules: impl Iterator<Item = FlatRuleId> + Clone,
    dropped: &mut BitSet<FlatRuleId>,
) {
    let introduced = |rule: &FlatRule| flat.info(rule.head.relation).is_part;
    loop {
        let mut used = flat.no_relations();
        for (_, rule) in flat.rules.entries().filter(|(id, _)| !dropped.contains_if_known(*id)) {
            rule.relations_read().for_each(|read| used.set(read, true));
        }
        let is_unused = |&id: &FlatRuleId| {
            let rule = &flat.rules[id];
            !dropped.contains(id) && introduced(rule) && !used.contains(rule.head.relation)
        };
        let unused: Vec<FlatRuleId> = old_rules.clone().filter(is_unused).collect();
        if unused.is_empty() {
            return;
        }
        unused.into_iter().for_each(|id| dropped.set(id, true));
    }
}
