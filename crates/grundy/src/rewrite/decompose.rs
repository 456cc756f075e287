//! Planning how a rule is split: which variables to take out, in which order.
//!
//! Variables that the head does not have are taken out one after the other, always the one with the smallest bag,
//! and after each of them an estimate says what the rule and its parts would cost if one stopped there. The best
//! point to stop wins, if it is better than not to begin by enough.

use super::estimate::{Estimates, VariableSizes};
use crate::flat::{Flat, FlatLiteral, FlatRule, RelationKind};
use crate::ids::float;
use grundy_syntax::VariableId;
use std::collections::BTreeMap;
use std::rc::Rc;

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

/// Rules with more conditions are not split.
const MOST_CONDITIONS: usize = 2_000;

/// In rules with more conditions, the cost of the whole rule is no measure: it takes time for each variable and each
/// condition.
const MOST_FOR_COSTS: usize = 100;

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
    /// What its rules cost, if it is a part.
    cost: f64,
    /// Different for all items of a rule in the making.
    number: usize,
}

/// Where a condition comes from.
#[derive(Clone)]
pub(super) enum Source {
    /// The condition of this number.
    Condition(usize),
    /// A part with these conditions.
    Part(Rc<[Item]>),
}

impl Item {
    /// The conditions of the rule that it is, or has in it, by number.
    pub(super) fn conditions(&self) -> Vec<usize> {
        let (mut numbers, mut open) = (Vec::new(), vec![self]);
        while let Some(item) = open.pop() {
            match &item.source {
                Source::Condition(number) => numbers.push(*number),
                Source::Part(items) => open.extend(items.iter().rev()),
            }
        }
        numbers
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
    sizes: &VariableSizes,
    worth: Worth,
    actual: Option<f64>,
) -> Option<Vec<Item>> {
    let Worth { min_cost, min_gain, in_company } = worth;
    let planner =
        Planner { flat, estimates, rule, sizes, in_company, head: variables(flat, &rule.head.args) };
    if rule.body.len() > MOST_CONDITIONS {
        return None;
    }
    let items = planner.items();
    let unsplit = actual.unwrap_or_else(|| planner.cost(&items));
    if unsplit < min_cost {
        return None;
    }
    let measures: &[Measure] = match items.len() {
        0..=MOST_FOR_COSTS => &[Measure::Instances, Measure::Rows, Measure::Cost],
        _ => &[Measure::Instances, Measure::Rows],
    };
    let plans = measures.iter().filter_map(|&measure| planner.eliminate(items.clone(), measure));
    let best = plans.min_by(|a, b| a.0.total_cmp(&b.0))?;
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
    sizes: &'a VariableSizes,
    in_company: f64,
    head: Vec<VariableId>,
}

/// What the smallest bag is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// The one with the fewest instances.
    Instances,
    /// The one whose part has the fewest rows.
    Rows,
    /// The one after which all costs least.
    Cost,
}

/// Taking out a variable.
struct Bag {
    /// The numbers of the items that move into the part, sorted.
    moved: Vec<usize>,
    /// The variables of these items, sorted.
    inside: Vec<VariableId>,
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
                cost: 0.0,
                number,
            }
        };
        self.rule.body.iter().enumerate().map(item).collect()
    }

    /// The number of assignments to the variables of some conditions that meet all of them.
    fn matches<'i>(&self, items: impl Iterator<Item = &'i Item> + Clone) -> f64 {
        let all = items.clone().flat_map(|item| item.variables.iter().copied());
        self.assignments(all) * items.map(|item| item.share).product::<f64>()
    }

    fn assignments(&self, variables: impl Iterator<Item = VariableId>) -> f64 {
        let mut variables: Vec<VariableId> = variables.collect();
        variables.sort_unstable();
        variables.dedup();
        variables.iter().map(|v| self.sizes[*v]).product()
    }

    /// What a rule with these variables in the head and these conditions costs, without their parts.
    fn cost_alone(&self, head: &[VariableId], items: &[Item], is_stored: bool) -> f64 {
        let matches = self.matches(items.iter());
        let stored = 1 + items.iter().filter(|item| item.kind == RelationKind::Dynamic).count();
        let rules = if is_stored { self.complement(head, items, matches).min(matches) } else { 0.0 };
        matches * MATCH_COST + rules * float(stored)
    }

    /// The rules that are left of so many matches when groups that have nearly all moves become the negation of the
    /// rest: one for each group, and one for each move that a group does not have.
    fn complement(&self, head: &[VariableId], items: &[Item], matches: f64) -> f64 {
        let mut moves = items.iter().filter(|item| item.is_move);
        let (Some(one), None) = (moves.next(), moves.next()) else { return matches };
        let is_other =
            |item: &&Item| !item.is_move && item.kind == RelationKind::Dynamic && item.remains > RARE;
        let others = items.iter().filter(is_other);
        let kept = others.clone().flat_map(|item| &item.variables).chain(head);
        let kept: Vec<VariableId> = kept.copied().filter(|v| !one.variables.contains(v)).collect();
        let groups = self.matches(others).max(self.assignments(kept.into_iter()));
        let missing = groups * self.estimates.moves() - matches * self.in_company;
        (groups + missing.max(0.0)) / self.in_company
    }

    /// What a rule with these conditions costs, with all parts.
    fn cost(&self, items: &[Item]) -> f64 {
        self.cost_alone(&self.head, items, self.is_stored()) + cost_of_parts(items)
    }

    fn is_stored(&self) -> bool {
        self.flat.info(self.rule.head.relation).kind == RelationKind::Dynamic
    }

    /// Takes out variables, smallest bag first; the best of all stages with its cost.
    fn eliminate(&self, mut items: Vec<Item>, measure: Measure) -> Option<(f64, Vec<Item>)> {
        let mut best: Option<(f64, Vec<Item>)> = None;
        // Bags stay what they are until one of their variables is touched.
        let mut bags: BTreeMap<VariableId, Option<(f64, Bag)>> = BTreeMap::new();
        let open = items.iter().flat_map(|item| item.variables.iter().copied());
        let mut touched: Vec<VariableId> = open.filter(|variable| !self.head.contains(variable)).collect();
        touched.sort_unstable();
        touched.dedup();
        loop {
            for variable in touched {
                if self.flat.budget.is_over() {
                    return best;
                }
                let bag = self.bag(&items, variable);
                let sized = bag.map(|bag| (self.measure(measure, &items, &bag), bag));
                bags.insert(variable, sized);
            }
            let smallest = bags.iter().filter_map(|(&variable, bag)| Some((variable, bag.as_ref()?.0)));
            let Some((variable, _)) = smallest.min_by(|a, b| a.1.total_cmp(&b.1)) else { return best };
            let Some((_, bag)) = bags.remove(&variable).flatten() else { return best };
            if self.instances(&items, &bag) > MAX_PART {
                return best;
            }
            items = self.take_out(items, &bag);
            let cost = self.cost(&items);
            if best.as_ref().is_none_or(|(known, _)| cost < *known) {
                best = Some((cost, items.clone()));
            }
            bags.retain(|variable, _| !bag.has_inside(*variable) || bag.shared.contains(variable));
            let is_touched = |other: &Option<(f64, Bag)>| {
                let meets = |other: &Bag| other.inside.iter().any(|&variable| bag.has_inside(variable));
                measure == Measure::Cost || other.as_ref().is_none_or(|(_, other)| meets(other))
            };
            touched =
                bags.iter().filter(|(_, other)| is_touched(other)).map(|(&variable, _)| variable).collect();
        }
    }

    fn measure(&self, measure: Measure, items: &[Item], bag: &Bag) -> f64 {
        match measure {
            Measure::Instances => self.instances(items, bag),
            Measure::Rows => self.rows(items, bag),
            Measure::Cost => self.cost(&self.take_out(items.to_vec(), bag)),
        }
    }

    /// The bag of a variable: all conditions that speak of it, and those that say nothing about other variables than
    /// these and cost nothing. `None` if that is the whole rule.
    fn bag(&self, items: &[Item], variable: VariableId) -> Option<Bag> {
        let has_variable = |item: &&Item| item.variables.contains(&variable);
        let own = items.iter().filter(has_variable).flat_map(|item| item.variables.iter().copied());
        let mut inside: Vec<VariableId> = own.collect();
        inside.sort_unstable();
        inside.dedup();
        let is_inside = |v: &VariableId| inside.binary_search(v).is_ok();
        let is_moved = |item: &Item| {
            let is_free = !item.is_positive || item.kind == RelationKind::Static;
            let fits = || !item.variables.is_empty() && item.variables.iter().all(is_inside);
            item.variables.contains(&variable) || (is_free && fits())
        };
        let (mut moved, mut outside) = (Vec::new(), self.head.clone());
        for item in items {
            if is_moved(item) {
                moved.push(item.number);
            } else {
                outside.extend(item.variables.iter().filter(|v| is_inside(v)));
            }
        }
        outside.sort_unstable();
        let shared = inside.iter().copied().filter(|v| outside.binary_search(v).is_ok()).collect();
        moved.sort_unstable();
        // A single condition without a variable to lose is no part.
        (moved.len() < items.len()).then_some(Bag { moved, inside, shared })
    }

    /// The instances of the part.
    fn instances(&self, items: &[Item], bag: &Bag) -> f64 {
        self.matches(items.iter().filter(|item| bag.has(item)))
    }

    /// The rows of the part.
    fn rows(&self, items: &[Item], bag: &Bag) -> f64 {
        let by_condition = items.iter().filter(|item| bag.has(item)).filter_map(|item| match item.source {
            Source::Condition(number) if item.is_positive => {
                let atom = self.rule.body[number].atom()?;
                self.estimates.projection(&self.flat.terms, atom, &bag.shared)
            }
            _ => None,
        });
        let most = self.instances(items, bag).min(self.assignments(bag.shared.iter().copied()));
        by_condition.fold(most, f64::min)
    }

    /// The conditions with a part in the place of some of them.
    fn take_out(&self, items: Vec<Item>, bag: &Bag) -> Vec<Item> {
        let rows = self.rows(&items, bag);
        let number = items.iter().map(|item| item.number).max().map_or(0, |most| most + 1);
        let (moved, mut rest): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| bag.has(item));
        let kind = moved.iter().map(|item| item.kind).max().unwrap_or(RelationKind::Static);
        let combinations = self.assignments(bag.shared.iter().copied());
        let is_kept = self.is_stored() && kind == RelationKind::Dynamic;
        rest.push(Item {
            variables: bag.shared.clone(),
            kind,
            is_positive: true,
            is_move: false,
            share: (rows / combinations.max(1.0)).min(1.0),
            remains: 1.0,
            cost: self.cost_alone(&bag.shared, &moved, is_kept) + cost_of_parts(&moved),
            number,
            source: Source::Part(moved.into()),
        });
        rest
    }
}

impl Bag {
    fn has(&self, item: &Item) -> bool {
        self.moved.binary_search(&item.number).is_ok()
    }

    fn has_inside(&self, variable: VariableId) -> bool {
        self.inside.binary_search(&variable).is_ok()
    }
}

fn cost_of_parts(items: &[Item]) -> f64 {
    items.iter().filter(|item| matches!(item.source, Source::Part(_))).map(|item| item.cost).sum()
}
