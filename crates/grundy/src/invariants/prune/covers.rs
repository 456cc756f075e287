//! Rules that differ in one condition alone, over all members of a group or most of them.
//!
//! If exactly one member of a group holds, a rule for each of them is one rule without that condition; a rule for
//! all but a few is one rule that says that none of these few holds.

use super::WORK;
use super::knowledge::{GroupId, Knowledge};
use super::rules::{Lit, RuleId, Rules};
use crate::ground::AtomId;
use crate::ids::BitSet;
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::FxHashMap;

/// A rule without one condition, and the group of that condition.
type Key = (AtomId, Vec<Lit>, GroupId);

/// Members of the group, each with the rule that has it.
type Covered = Vec<(AtomId, RuleId)>;

pub(super) fn run(rules: Rules, knowledge: &Knowledge, budget: &Budget) -> Result<Rules, Exhausted> {
    let mut ticks = Ticks::default();
    let mut found: FxHashMap<Key, Covered> = FxHashMap::default();
    for rule in rules.ids() {
        let body = rules.body(rule);
        for (at, literal) in body.iter().enumerate().filter(|(_, literal)| literal.is_positive()) {
            for &group in knowledge.groups_of(literal.atom()) {
                if knowledge.groups[group].exactly {
                    ticks.work(budget, WORK * body.len())?;
                    let rest = body.iter().enumerate().filter(|(other, _)| *other != at);
                    let rest: Vec<Lit> = rest.map(|(_, &literal)| literal).collect();
                    found.entry((rules.head(rule), rest, group)).or_default().push((literal.atom(), rule));
                }
            }
        }
    }
    let pays = |key: &Key, covered: &[(AtomId, RuleId)]| {
        let count = covered.chunk_by(|a, b| a.0 == b.0).count();
        let missing = knowledge.groups[key.2].members.len() - count;
        count > 1 && key.1.len() + missing < count * (key.1.len() + 1)
    };
    found.values_mut().for_each(|covered| covered.sort_unstable());
    let mut covers: Vec<(Key, Covered)> =
        found.into_iter().filter(|(key, covered)| pays(key, covered)).collect();
    // Those that save most come first; a rule can only be covered once.
    covers.sort_by(|a, b| (b.1.len(), &a.0).cmp(&(a.1.len(), &b.0)));
    budget.check()?;
    let mut is_gone = BitSet::empty(rules.len());
    let mut kept = Rules::default();
    for ((head, rest, group), covered) in covers {
        if covered.iter().any(|&(_, rule)| is_gone.contains(rule)) {
            continue;
        }
        ticks.work(budget, WORK * (covered.len() + knowledge.groups[group].members.len()))?;
        covered.iter().for_each(|&(_, rule)| is_gone.set(rule, true));
        let holds = |member: AtomId| covered.binary_search_by_key(&member, |(member, _)| *member).is_ok();
        let missing = knowledge.groups[group].members.iter().filter(|&&member| !holds(member));
        let mut body: Vec<Lit> =
            rest.into_iter().chain(missing.map(|&member| Lit::new(member, false))).collect();
        body.sort_unstable();
        body.dedup();
        kept.push(head, &body);
    }
    for rule in rules.ids().filter(|&rule| !is_gone.contains(rule)) {
        kept.push(rules.head(rule), rules.body(rule));
    }
    Ok(kept)
}
