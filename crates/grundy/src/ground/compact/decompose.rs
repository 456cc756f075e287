//! Planning how a rule is split: which variables to take out, in which order.
//!
//! Variables that the head does not have are taken out one after the other, always the one with the smallest bag,
//! and after each of them an estimate says what the rule and its parts would cost if one stopped there. The best
//! point to stop wins, if it is better than not to begin by enough.

use super::estimate::Estimates;
use crate::flat::{Flat, FlatLiteral, FlatRule, RelationKind};
use grundy_syntax::VariableId;

/// How much less has to come of it where sizes are estimated.
pub(super) const MIN_GAIN: f64 = 1.5;

/// The same where they are known.
pub(super) const MIN_SURE_GAIN: f64 = 1.1;

/// A part may not have more instances than this.
const MAX_PART: f64 = 2e7;

/// A negated condition that remains in no larger share of the instances does not keep them from being a group.
const RARE: f64 = 0.25;

/// What an instance costs that is matched, but not stored.
const MATCH_COST: f64 = 0.1;

/// A condition of a rule in the making.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) source: Source,
    pub(super) variables: Vec<VariableId>,
    pub(super) kind: RelationKind,
    is_positive: bool,
    /// Whether it asks for a move.
    is_move: bool,
    /// Of all assignments to its variables, the share that meets the condition.
    share: f64,
    /// The share for which it remains a condition: what is never true is no condition if it is negated.
    remains: f64,
}

/// Where a condition comes from.
#[derive(Clone)]
pub(super) enum Source {
    /// The condition of this number.
    Condition(usize),
    /// A part with these conditions.
    Part(Vec<Item>),
}

impl Item {
    /// The conditions of the rule that it is, or has in it, by number.
    pub(super) fn conditions(&self) -> Vec<usize> {
        match &self.source {
            Source::Condition(number) => vec![*number],
            Source::Part(items) => items.iter().flat_map(Item::conditions).collect(),
        }
    }
}

/// When it is worth while to split a rule.
#[derive(Clone, Copy)]
pub(super) struct Worth {
    /// What it has to cost.
    pub(super) min_cost: f64,
    /// How many times as much as afterwards.
    pub(super) min_gain: f64,
    /// How many times as many matches as the rule has all those that may form groups of moves together with it.
    pub(super) in_company: f64,
}

/// The conditions that a rule should have; `None` if it is best left as it is. If it is known what the rule costs, that
/// is `actual`.
pub(super) fn decompose(
    flat: &Flat,
    estimates: &Estimates<'_>,
    rule: &FlatRule,
    sizes: &[f64],
    worth: Worth,
    actual: Option<f64>,
) -> Option<Vec<Item>> {
    let Worth { min_cost, min_gain, in_company } = worth;
    let planner =
        Planner { flat, estimates, rule, sizes, in_company, head: variables(flat, &rule.head.args) };
    let items = planner.items();
    let unsplit = actual.unwrap_or_else(|| planner.cost(&items));
    if unsplit < min_cost {
        return None;
    }
    let plans = [Planner::instances, Planner::rows, Planner::cost_after]
        .map(|measure| planner.eliminate(items.clone(), measure));
    let best = plans.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 * min_gain <= unsplit).then_some(best.1)
}

fn variables(flat: &Flat, terms: &[grundy_syntax::TermId]) -> Vec<VariableId> {
    let mut variables = Vec::new();
    terms.iter().for_each(|&term| flat.terms.for_each_variable(term, &mut |v| variables.push(v)));
    variables.sort_unstable();
    variables.dedup();
    variables
}

struct Planner<'a> {
    flat: &'a Flat,
    estimates: &'a Estimates<'a>,
    rule: &'a FlatRule,
    /// How many values each variable can have.
    sizes: &'a [f64],
    in_company: f64,
    head: Vec<VariableId>,
}

/// Taking out a variable.
struct Bag {
    /// The conditions that move into the part, by number.
    moved: Vec<usize>,
    /// The variables of the part.
    shared: Vec<VariableId>,
}

impl Planner<'_> {
    fn items(&self) -> Vec<Item> {
        let item = |(number, literal): (usize, &FlatLiteral)| {
            let terms: Vec<_> = literal.terms().collect();
            let share = literal.atom().map_or(1.0, |atom| self.estimates.share(atom));
            let is_positive = matches!(literal, FlatLiteral::Holds(_));
            Item {
                source: Source::Condition(number),
                variables: variables(self.flat, &terms),
                kind: literal.atom().map_or(RelationKind::Static, |atom| self.flat.info(atom.relation).kind),
                is_positive,
                is_move: literal.atom().is_some_and(|atom| self.estimates.is_move(atom)),
                share: if is_positive { share } else { 1.0 },
                remains: if is_positive { 1.0 } else { share },
            }
        };
        self.rule.body.iter().enumerate().map(item).collect()
    }

    /// The number of assignments to the variables of some conditions that meet all of them.
    fn matches(&self, items: &[Item]) -> f64 {
        let all = items.iter().flat_map(|item| item.variables.iter().copied());
        self.assignments(all) * items.iter().map(|item| item.share).product::<f64>()
    }

    fn assignments(&self, variables: impl Iterator<Item = VariableId>) -> f64 {
        let mut variables: Vec<VariableId> = variables.collect();
        variables.sort_unstable();
        variables.dedup();
        variables.iter().map(|v| self.sizes[v.0 as usize]).product()
    }

    /// What a rule with these variables in the head and these conditions costs, without their parts.
    fn cost_alone(&self, head: &[VariableId], items: &[Item], is_stored: bool) -> f64 {
        let matches = self.matches(items);
        let stored = 1 + items.iter().filter(|item| item.kind == RelationKind::Dynamic).count();
        let rules = if is_stored { self.complement(head, items, matches).min(matches) } else { 0.0 };
        matches * MATCH_COST + rules * stored as f64
    }

    /// The rules that are left of so many matches when groups that have nearly all moves become the negation of the
    /// rest: one for each group, and one for each move that a group does not have.
    fn complement(&self, head: &[VariableId], items: &[Item], matches: f64) -> f64 {
        let mut moves = items.iter().filter(|item| item.is_move);
        let (Some(one), None) = (moves.next(), moves.next()) else { return matches };
        let is_other =
            |item: &&Item| !item.is_move && item.kind == RelationKind::Dynamic && item.remains > RARE;
        let others: Vec<Item> = items.iter().filter(is_other).cloned().collect();
        let kept = others.iter().flat_map(|item| &item.variables).chain(head);
        let kept: Vec<VariableId> = kept.copied().filter(|v| !one.variables.contains(v)).collect();
        let groups = self.matches(&others).max(self.assignments(kept.into_iter()));
        let missing = groups * self.estimates.moves() - matches * self.in_company;
        (groups + missing.max(0.0)) / self.in_company
    }

    /// What a rule with these conditions costs, with all parts.
    fn cost(&self, items: &[Item]) -> f64 {
        let is_stored = self.flat.info(self.rule.head.relation).kind == RelationKind::Dynamic;
        self.cost_alone(&self.head, items, is_stored) + self.cost_of_parts(items, is_stored)
    }

    fn cost_of_parts(&self, items: &[Item], is_stored: bool) -> f64 {
        let parts = items.iter().filter_map(|item| match &item.source {
            Source::Part(inner) => Some((item, inner)),
            Source::Condition(_) => None,
        });
        let cost = |(item, inner): (&Item, &Vec<Item>)| {
            let is_kept = is_stored && item.kind == RelationKind::Dynamic;
            self.cost_alone(&item.variables, inner, is_kept) + self.cost_of_parts(inner, is_stored)
        };
        parts.map(cost).sum()
    }

    /// Takes out variables, smallest bag first; the best of all stages with its cost.
    fn eliminate(
        &self,
        mut items: Vec<Item>,
        measure: fn(&Self, &[Item], &Bag) -> f64,
    ) -> Option<(f64, Vec<Item>)> {
        let mut best: Option<(f64, Vec<Item>)> = None;
        loop {
            let mut open: Vec<VariableId> = items.iter().flat_map(|item| item.variables.clone()).collect();
            open.sort_unstable();
            open.dedup();
            open.retain(|variable| !self.head.contains(variable));
            let bags = open.into_iter().filter_map(|variable| self.bag(&items, variable));
            let sized = bags.map(|bag| (measure(self, &items, &bag), bag));
            let Some((_, bag)) = sized.min_by(|a, b| a.0.total_cmp(&b.0)) else { return best };
            if self.instances(&items, &bag) > MAX_PART {
                return best;
            }
            items = self.take_out(items, &bag);
            let cost = self.cost(&items);
            if best.as_ref().is_none_or(|(known, _)| cost < *known) {
                best = Some((cost, items.clone()));
            }
        }
    }

    /// The bag of a variable: all conditions that speak of it, and those that say nothing about other variables than
    /// these and cost nothing. `None` if that is the whole rule.
    fn bag(&self, items: &[Item], variable: VariableId) -> Option<Bag> {
        let mut moved: Vec<usize> =
            (0..items.len()).filter(|&at| items[at].variables.contains(&variable)).collect();
        let inside: Vec<VariableId> = moved.iter().flat_map(|&at| items[at].variables.clone()).collect();
        for (at, item) in items.iter().enumerate() {
            let is_free = !item.is_positive || item.kind == RelationKind::Static;
            let fits = !item.variables.is_empty() && item.variables.iter().all(|v| inside.contains(v));
            if is_free && fits && !moved.contains(&at) {
                moved.push(at);
            }
        }
        let rest = (0..items.len()).filter(|at| !moved.contains(at));
        let mut outside: Vec<VariableId> = rest.flat_map(|at| items[at].variables.clone()).collect();
        outside.extend(&self.head);
        let mut shared: Vec<VariableId> = inside.into_iter().filter(|v| outside.contains(v)).collect();
        shared.sort_unstable();
        shared.dedup();
        // A single condition without a variable to lose is no part.
        (moved.len() < items.len()).then_some(Bag { moved, shared })
    }

    /// The instances of the part.
    fn instances(&self, items: &[Item], bag: &Bag) -> f64 {
        let moved: Vec<Item> = bag.moved.iter().map(|&at| items[at].clone()).collect();
        self.matches(&moved)
    }

    /// The rows of the part.
    fn rows(&self, items: &[Item], bag: &Bag) -> f64 {
        let by_condition = bag.moved.iter().filter_map(|&at| match items[at].source {
            Source::Condition(number) if items[at].is_positive => {
                let atom = self.rule.body[number].atom()?;
                self.estimates.projection(&self.flat.terms, atom, &bag.shared)
            }
            _ => None,
        });
        let most = self.instances(items, bag).min(self.assignments(bag.shared.iter().copied()));
        by_condition.fold(most, f64::min)
    }

    /// What all costs with the part.
    fn cost_after(&self, items: &[Item], bag: &Bag) -> f64 {
        self.cost(&self.take_out(items.to_vec(), bag))
    }

    /// The conditions with a part in the place of some of them.
    fn take_out(&self, items: Vec<Item>, bag: &Bag) -> Vec<Item> {
        let rows = self.rows(&items, bag);
        let (mut moved, mut rest) = (Vec::new(), Vec::new());
        for (at, item) in items.into_iter().enumerate() {
            if bag.moved.contains(&at) { moved.push(item) } else { rest.push(item) }
        }
        let kind = moved.iter().map(|item| item.kind).max().unwrap_or(RelationKind::Static);
        let combinations = self.assignments(bag.shared.iter().copied());
        rest.push(Item {
            source: Source::Part(moved),
            variables: bag.shared.clone(),
            kind,
            is_positive: true,
            is_move: false,
            share: (rows / combinations.max(1.0)).min(1.0),
            remains: 1.0,
        });
        rest
    }
}
