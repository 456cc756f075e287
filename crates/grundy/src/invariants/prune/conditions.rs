//! Conditions that follow from others, and those that exclude each other.
//!
//! For each atom there is a list of what holds whenever it does: the conditions that all its rules have in common, and
//! what these imply. A move implies that it is legal. In a cycle of rules an atom implies only itself.

use super::WORK;
use super::knowledge::{GroupId, Knowledge, Role};
use super::rules::{ByHead, Lit, Rules};
use crate::ground::AtomId;
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::FxHashMap;

/// Limit: the implied conditions that are kept for an atom. A guess.
const MOST_IMPLIED: usize = 48;

/// The conditions that each atom implies, sorted; only where there are any but itself.
struct Implied {
    lists: FxHashMap<AtomId, Vec<Lit>>,
}

impl Implied {
    fn new(rules: &Rules, knowledge: &Knowledge, budget: &Budget) -> Result<Implied, Exhausted> {
        let mut ticks = Ticks::default();
        let by_head = rules.by_head(knowledge.roles.len());
        let mut implied = Implied { lists: FxHashMap::default() };
        for members in rules.components(&by_head, budget)? {
            if let [atom] = members[..]
                && knowledge.roles[atom] != Role::Input
            {
                ticks.work(budget, WORK * (1 + implied.size(rules, &by_head, atom)))?;
                let list = implied.of_rules(rules, &by_head, atom);
                if !list.is_empty() {
                    implied.lists.insert(atom, list);
                }
            }
        }
        // Moves are inputs, so that no list computed above depends on these.
        for (&done, legal) in &knowledge.legal {
            let mut list = implied.lists.get(legal).cloned().unwrap_or_default();
            list.push(Lit::new(*legal, true));
            list.sort_unstable();
            implied.lists.insert(done, list);
        }
        Ok(implied)
    }

    /// What a condition implies, itself left out.
    fn of(&self, literal: Lit) -> &[Lit] {
        match self.lists.get(&literal.atom()) {
            Some(list) if literal.is_positive() => list,
            _ => &[],
        }
    }

    /// How much [`of_rules`](Self::of_rules) looks at.
    fn size(&self, rules: &Rules, by_head: &ByHead, atom: AtomId) -> usize {
        let conditions = by_head[atom].iter().flat_map(|&rule| rules.body(rule));
        conditions.map(|&literal| 1 + self.of(literal).len()).sum()
    }

    /// What all rules of an atom have in common; nothing if it depends on itself.
    fn of_rules(&self, rules: &Rules, by_head: &ByHead, atom: AtomId) -> Vec<Lit> {
        let mut common: Option<Vec<Lit>> = None;
        for &rule in &by_head[atom] {
            let body = rules.body(rule);
            if body.iter().any(|literal| literal.atom() == atom) {
                return Vec::new();
            }
            let mut all: Vec<Lit> = body.to_vec();
            body.iter().for_each(|&literal| all.extend_from_slice(self.of(literal)));
            all.sort_unstable();
            all.dedup();
            common = Some(match common {
                None => all,
                Some(mut common) => {
                    common.retain(|literal| all.binary_search(literal).is_ok());
                    common
                }
            });
            if common.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        let mut common = common.unwrap_or_default();
        common.truncate(MOST_IMPLIED);
        common
    }
}

/// Removes conditions that another condition of their rule implies.
pub(super) fn drop_implied(
    rules: &Rules,
    knowledge: &Knowledge,
    budget: &Budget,
) -> Result<Rules, Exhausted> {
    rewrite(rules, knowledge, budget, |body, implied| {
        let mut at = 0;
        while at < body.len() {
            let literal = body[at];
            let implies =
                |&other: &Lit| other != literal && implied.of(other).binary_search(&literal).is_ok();
            if body.iter().any(implies) {
                body.remove(at);
            } else {
                at += 1;
            }
        }
        true
    })
}

/// Removes rules whose conditions exclude each other, and negated conditions that another member of their group implies.
pub(super) fn drop_excluded(
    rules: &Rules,
    knowledge: &Knowledge,
    budget: &Budget,
) -> Result<Rules, Exhausted> {
    rewrite(rules, knowledge, budget, |body, implied| is_possible(body, implied, knowledge))
}

/// Changes the body of each rule; a rule for which `change` is false is removed.
fn rewrite(
    rules: &Rules,
    knowledge: &Knowledge,
    budget: &Budget,
    change: impl Fn(&mut Vec<Lit>, &Implied) -> bool,
) -> Result<Rules, Exhausted> {
    let implied = Implied::new(rules, knowledge, budget)?;
    let mut ticks = Ticks::default();
    let mut kept = Rules::default();
    let mut left = Vec::new();
    for (head, body) in rules.iter() {
        let looks: usize = body.iter().map(|&literal| 1 + implied.of(literal).len()).sum();
        ticks.work(budget, WORK * (1 + looks))?;
        left.clear();
        left.extend_from_slice(body);
        if change(&mut left, &implied) {
            kept.push(head, &left);
        }
    }
    Ok(kept)
}

/// Whether the conditions can hold together. Removes negated conditions that another member of their group implies.
fn is_possible(body: &mut Vec<Lit>, implied: &Implied, knowledge: &Knowledge) -> bool {
    if body.len() < 2 && body.iter().all(|&literal| implied.of(literal).is_empty()) {
        return true;
    }
    let mut all: Vec<Lit> = body.clone();
    body.iter().for_each(|&literal| all.extend_from_slice(implied.of(literal)));
    all.sort_unstable();
    all.dedup();
    if all.windows(2).any(|pair| pair[0] == pair[1].opposite()) {
        return false;
    }
    let positive = || all.iter().filter(|literal| literal.is_positive()).map(|literal| literal.atom());
    let mut holders: Vec<(GroupId, AtomId)> = positive()
        .flat_map(|atom| knowledge.groups_of(atom).iter().map(move |&group| (group, atom)))
        .collect();
    holders.sort_unstable();
    if holders.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return false;
    }
    body.retain(|literal| {
        let groups = knowledge.groups_of(literal.atom());
        let other_holds = |group: &GroupId| holders.binary_search_by_key(group, |(group, _)| *group).is_ok();
        literal.is_positive() || !groups.iter().any(other_holds)
    });
    !denies_a_group(body, knowledge)
}

/// Whether no member of a group is left that could hold. If only one is left, it takes the place of the others.
fn denies_a_group(body: &mut Vec<Lit>, knowledge: &Knowledge) -> bool {
    let mut denied: Vec<(GroupId, AtomId)> = body
        .iter()
        .filter(|literal| !literal.is_positive())
        .flat_map(|literal| knowledge.groups_of(literal.atom()).iter().map(|&group| (group, literal.atom())))
        .collect();
    denied.sort_unstable();
    for run in denied.chunk_by(|a, b| a.0 == b.0) {
        let group = &knowledge.groups[run[0].0];
        if !group.exactly || run.len() + 1 < group.members.len() {
            continue;
        }
        if run.len() == group.members.len() {
            return true;
        }
        if run.len() > 1 {
            let is_denied = |atom: AtomId| run.iter().any(|(_, denied)| *denied == atom);
            body.retain(|literal| literal.is_positive() || !is_denied(literal.atom()));
            let last = group.members.iter().find(|&&member| !is_denied(member));
            body.extend(last.map(|&last| Lit::new(last, true)));
            body.sort_unstable();
            body.dedup();
            return false;
        }
    }
    false
}
