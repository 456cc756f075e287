//! Planning of splits: which variables to eliminate, in which order.
//!
//! This is bucket elimination with a greedy order: the variable with the smallest bag is eliminated first, and after each
//! step the cost of the rule with its parts is estimated. The cheapest prefix of the elimination is chosen if it is cheaper
//! than the unsplit rule by a margin. Elimination is tried with several measures of a bag.

use super::estimate::{Estimates, VariableSizes};
use crate::flat::{Flat, FlatLiteral, FlatRule, RelationKind};
use crate::ids::float;
use grundy_syntax::VariableId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The least gain of a split, as a factor, where sizes are estimated. A guess.
pub(super) const MIN_GAIN: f64 = 1.5;

/// The least gain of a split, as a factor, where sizes are known. A guess.
pub(super) const MIN_SURE_GAIN: f64 = 1.1;

/// The largest estimated number of instances of a part. A guess.
const MAX_PART_INSTANCES: f64 = 2e7;

/// The largest share of instances in which a negated condition remains without preventing groups of moves. A guess.
const RARE_SHARE: f64 = 0.25;

/// The cost of matching an instance, relative to storing a literal. A guess.
const MATCH_COST: f64 = 0.1;

/// The largest number of conditions of a rule that is split, to bound the time. A guess.
const MOST_CONDITIONS: usize = 2_000;

/// The largest number of conditions for which the cost of the whole rule is used as a measure: computing it takes time for
/// each variable and each condition. A guess.
const MOST_FOR_COSTS: usize = 100;

/// A condition during elimination.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) source: Source,
    pub(super) variables: Vec<VariableId>,
    pub(super) kind: RelationKind,
    is_positive: bool,
    /// Whether it is a move.
    is_move: bool,
    /// The share of the assignments to its variables that satisfy it.
    share: f64,
    /// The share for which it remains a condition: the negation of an atom that is never true is dropped.
    remains: f64,
    /// The cost of its rules, if it is a part.
    cost: f64,
    /// A number that is unique among the items of a rule.
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
    /// The conditions of the rule that it consists of, by number.
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

/// When splitting a rule pays.
#[derive(Clone, Copy)]
pub(super) struct Worth {
    /// The least cost of the unsplit rule.
    pub(super) min_cost: f64,
    /// The least ratio of the costs before and after.
    pub(super) min_gain: f64,
    /// The ratio of the matches of all rules that may share groups of moves with this one to its own matches.
    pub(super) in_company: f64,
}

/// The conditions of a rule after splitting; `None` if splitting does not pay. `actual` is the cost of the rule if it is
/// known.
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
    /// The number of possible values of each variable.
    sizes: &'a VariableSizes,
    in_company: f64,
    head: Vec<VariableId>,
}

/// The measure of a bag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// The instances of the part.
    Instances,
    /// The rows of the part.
    Rows,
    /// The cost of the rule after the elimination.
    Cost,
}

/// The bag of a variable.
struct Bag {
    /// The numbers of the items of the part, sorted.
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

    /// The number of assignments that satisfy some conditions.
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

    /// The cost of a rule with these head variables and conditions, without that of its parts.
    fn cost_alone(&self, head: &[VariableId], items: &[Item], is_stored: bool) -> f64 {
        let matches = self.matches(items.iter());
        let stored = 1 + items.iter().filter(|item| item.kind == RelationKind::Dynamic).count();
        let rules = if is_stored { self.complement(head, items, matches).min(matches) } else { 0.0 };
        matches * MATCH_COST + rules * float(stored)
    }

    /// The number of rules after groups with nearly all moves were replaced by complements: one for each group, and one for
    /// each move that a group lacks.
    fn complement(&self, head: &[VariableId], items: &[Item], matches: f64) -> f64 {
        let mut moves = items.iter().filter(|item| item.is_move);
        let (Some(one), None) = (moves.next(), moves.next()) else { return matches };
        let is_other =
            |item: &&Item| !item.is_move && item.kind == RelationKind::Dynamic && item.remains > RARE_SHARE;
        let others = items.iter().filter(is_other);
        let kept = others.clone().flat_map(|item| &item.variables).chain(head);
        let kept: Vec<VariableId> = kept.copied().filter(|v| !one.variables.contains(v)).collect();
        let groups = self.matches(others).max(self.assignments(kept.into_iter()));
        let missing = groups * self.estimates.moves() - matches * self.in_company;
        (groups + missing.max(0.0)) / self.in_company
    }

    /// The cost of a rule with these conditions, with all parts.
    fn cost(&self, items: &[Item]) -> f64 {
        self.cost_alone(&self.head, items, self.is_stored()) + cost_of_parts(items)
    }

    fn is_stored(&self) -> bool {
        self.flat.info(self.rule.head.relation).kind == RelationKind::Dynamic
    }

    /// Eliminates variables, smallest bag first. Returns the cheapest stage with its cost.
    fn eliminate(&self, mut items: Vec<Item>, measure: Measure) -> Option<(f64, Vec<Item>)> {
        let mut best: Option<(f64, Vec<Item>)> = None;
        // A bag changes only when an elimination touches one of its variables.
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
            if self.instances(&items, &bag) > MAX_PART_INSTANCES {
                return best;
            }
            items = self.eliminate_bag(items, &bag);
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
            Measure::Cost => self.cost(&self.eliminate_bag(items.to_vec(), bag)),
        }
    }

    /// The bag of a variable: all conditions with it, and all static or negated conditions over the variables of these.
    /// `None` if that is the whole rule.
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

    /// Replaces the conditions of a bag by a part.
    fn eliminate_bag(&self, items: Vec<Item>, bag: &Bag) -> Vec<Item> {
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
