//! Atoms that always or never hold, and what follows from that.

use super::WORK;
use super::knowledge::{Knowledge, Role};
use super::rules::Rules;
use crate::ids::BitSet;
use grundy_syntax::{Budget, Exhausted, Ticks};

/// Takes known conditions out, and rules that they stop; what has no rule left never holds, what has one without
/// conditions always does. Repeated until nothing new is known.
pub(super) fn run(mut rules: Rules, knowledge: &mut Knowledge, budget: &Budget) -> Result<Rules, Exhausted> {
    loop {
        budget.check()?;
        let is_news = learn(&rules, knowledge);
        let kept = fold(&rules, knowledge, budget)?;
        let is_smaller = kept.len() < rules.len() || kept.literal_count() < rules.literal_count();
        rules = kept;
        if !is_news && !is_smaller {
            return Ok(rules);
        }
    }
}

/// Finds atoms that have no rule, or one without conditions.
fn learn(rules: &Rules, knowledge: &mut Knowledge) -> bool {
    let mut has_rule = BitSet::empty(knowledge.roles.len());
    let mut is_news = false;
    for (head, body) in rules.iter() {
        has_rule.set(head, true);
        if body.is_empty() && knowledge.constant[head].is_none() {
            knowledge.constant[head] = Some(true);
            is_news = true;
        }
    }
    for atom in knowledge.roles.ids() {
        let is_open = knowledge.roles[atom] != Role::Input && knowledge.constant[atom].is_none();
        if !has_rule.contains(atom) && is_open {
            knowledge.constant[atom] = Some(false);
            is_news = true;
        }
    }
    is_news
}

fn fold(rules: &Rules, knowledge: &Knowledge, budget: &Budget) -> Result<Rules, Exhausted> {
    let mut ticks = Ticks::default();
    let mut kept = Rules::default();
    let mut is_fact = BitSet::empty(knowledge.roles.len());
    let mut body_left = Vec::new();
    for (head, body) in rules.iter() {
        ticks.work(budget, WORK * (1 + body.len()))?;
        match knowledge.constant[head] {
            Some(false) => continue,
            // One fact is enough.
            Some(true) => {
                if is_fact.insert(head) {
                    kept.push(head, &[]);
                }
                continue;
            }
            None => {}
        }
        if body.iter().any(|&literal| knowledge.value(literal) == Some(false)) {
            continue;
        }
        body_left.clear();
        body_left.extend(body.iter().copied().filter(|&literal| knowledge.value(literal).is_none()));
        kept.push(head, &body_left);
    }
    Ok(kept)
}
