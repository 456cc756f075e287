//! Putting the conditions of a rule in order by branching figures.
//!
//! The order is greedy, as in the paper: next comes the condition with the fewest expected answers,
//! given what is bound by then. A greedy choice can be a bad one, so that a few orders are made (one for
//! each condition that could come first, the best one of all for rules that are not too long, and the one that is
//! written down), and the one with the fewest expected tries is taken. Where working memories are at hand, the tries are counted instead.

use super::branching::Branching;
use super::limits::{Steps, Stopped};
use super::matching::count_tries;
use super::memory::Memory;
use super::terms::variables_of;
use crate::ids::float;
use grundy_syntax::{Budget, Literal, PredicateId, Term, TermId, Terms, VariableId};
use rustc_hash::FxHashMap;

/// How often a test for difference, or a negation, is expected to hold.
const TEST: f64 = 0.9;

/// A condition about which nothing is known is expected to have this many answers for each free variable.
const UNKNOWN: f64 = 1000.0;

/// More free variables than this do not make an unknown condition look worse: the estimates would overflow.
const MOST_UNKNOWN: i32 = 10;

/// A predicate, its bound arguments, and an argument that is a certain constant.
type Case = (PredicateId, u64, Option<(usize, TermId)>);

/// Branching figures, to be looked up.
#[derive(Clone, Debug, Default)]
pub struct Ordering {
    figures: FxHashMap<Case, f64>,
    budget: Budget,
}

impl Ordering {
    /// The table of some figures.
    pub fn new(figures: &[Branching]) -> Ordering {
        let entry = |figure: &Branching| {
            let bound = figure.bound.iter().enumerate().filter(|(_, bound)| **bound);
            let mask = bound.fold(0u64, |mask, (column, _)| mask | 1 << column);
            ((figure.predicate, mask, figure.constant), figure.mean)
        };
        Ordering { figures: figures.iter().map(entry).collect(), budget: Budget::default() }
    }

    /// The same table, used within a budget: when that is over, conditions stay in some order, and the caller has to
    /// check the budget before it uses it.
    pub fn within(self, budget: &Budget) -> Ordering {
        Ordering { budget: budget.clone(), ..self }
    }

    /// The places of the conditions in a good order, given which variables are bound from the start.
    pub fn order(&self, terms: &Terms, literals: &[Literal], bound: &[VariableId]) -> Vec<usize> {
        let mut best: Vec<usize> = (0..literals.len()).collect();
        let mut least = self.expected_tries(terms, literals, &best, bound);
        for order in self.candidates(terms, literals, bound) {
            let tries = self.expected_tries(terms, literals, &order, bound);
            if tries < least {
                (best, least) = (order, tries);
            }
        }
        best
    }

    /// The order with the fewest tries, counted on working memories; never more than in the written one.
    ///
    /// `None` if counting takes too long.
    pub fn order_on(
        &self,
        terms: &Terms,
        memories: &[Memory],
        literals: &[Literal],
        bound: &[VariableId],
        steps: u64,
    ) -> Option<Vec<usize>> {
        let written: Vec<usize> = (0..literals.len()).collect();
        let mut candidates = self.candidates(terms, literals, bound);
        candidates.sort_by(|a, b| {
            let [a, b] = [a, b].map(|order| self.expected_tries(terms, literals, order, bound));
            a.total_cmp(&b)
        });
        candidates.truncate(MOST_COUNTED);
        candidates.insert(0, written);
        let mut best: Option<(u64, Vec<usize>)> = None;
        let mut written_counts: Vec<u64> = Vec::new();
        for order in candidates {
            let ordered: Vec<&Literal> = order.iter().map(|&place| &literals[place]).collect();
            // A worse order is given up as soon as it is worse.
            let limit = best.as_ref().map_or(steps, |(least, _)| least.saturating_mul(4).min(steps));
            let limit = Steps::new(limit, &self.budget);
            let mut by_memory: Vec<u64> = Vec::with_capacity(memories.len());
            let counted = memories.iter().try_for_each(|memory| -> Result<(), Stopped> {
                let mut counts = vec![0; ordered.len()];
                let counted = count_tries(terms, memory, &ordered, &[], &limit, &mut counts);
                by_memory.push(counts.iter().sum());
                counted
            });
            let tries: u64 = by_memory.iter().sum();
            if written_counts.is_empty() && counted.is_ok() && best.is_none() {
                written_counts.clone_from(&by_memory);
            }
            // What is worse than the written order anywhere may be worse elsewhere, too.
            if by_memory.iter().zip(&written_counts).any(|(own, written)| own > written) {
                continue;
            }
            // A small gain on these memories may be a loss on others.
            let is_better = |least: u64| float(tries) <= WORTH_IT * float(least);
            if counted.is_ok() && best.as_ref().is_none_or(|(least, _)| is_better(*least)) {
                best = Some((tries, order));
            }
        }
        best.map(|(_, order)| order)
    }

    /// The order of the paper: always the condition with the fewest expected answers.
    pub fn greedy_order(&self, terms: &Terms, literals: &[Literal], bound: &[VariableId]) -> Vec<usize> {
        self.greedy(terms, literals, bound, None)
    }

    /// The order with the fewest expected tries of all, for rules that are not too long: the best order of each set of
    /// conditions is the best one of a smaller set and one more.
    fn exact(&self, terms: &Terms, literals: &[Literal], bound: &[VariableId]) -> Option<Vec<usize>> {
        let count = literals.len();
        if count > MOST_EXACT {
            return None;
        }
        // For each set: expected tries so far, branches, and the condition that came last.
        let mut best: Vec<Option<(f64, f64, usize)>> = vec![None; 1 << count];
        best[0] = Some((0.0, 1.0, 0));
        let variables: Vec<Vec<VariableId>> =
            literals.iter().map(|literal| variables_of(terms, literal)).collect();
        for set in 0..1usize << count {
            let Some((tries, branches, _)) = best[set] else { continue };
            let mut known = bound.to_vec();
            (0..count).filter(|at| set >> at & 1 == 1).for_each(|at| known.extend(&variables[at]));
            for next in (0..count).filter(|at| set >> at & 1 == 0) {
                let answers = self.answers(terms, &literals[next], &known);
                if answers.is_infinite() {
                    continue;
                }
                let branches = (branches * answers).min(1e30);
                let entry = &mut best[set | 1 << next];
                if entry.is_none_or(|(known, ..)| tries + branches < known) {
                    *entry = Some((tries + branches, branches, next));
                }
            }
        }
        let mut order = Vec::with_capacity(count);
        let mut set = (1usize << count) - 1;
        while set != 0 {
            let (_, _, last) = best[set]?;
            order.push(last);
            set &= !(1 << last);
        }
        order.reverse();
        Some(order)
    }

    fn candidates(&self, terms: &Terms, literals: &[Literal], bound: &[VariableId]) -> Vec<Vec<usize>> {
        let is_first = |place: &usize| matches!(literals[*place], Literal::Holds(_));
        let mut firsts: Vec<usize> = (0..literals.len()).filter(is_first).collect();
        let alone = |place: usize| self.answers(terms, &literals[place], bound);
        firsts.sort_by(|&a, &b| alone(a).total_cmp(&alone(b)));
        firsts.truncate(MOST_FIRSTS);
        let firsts = std::iter::once(None).chain(firsts.into_iter().map(Some));
        let greedy = firsts.map(|first| self.greedy(terms, literals, bound, first));
        self.exact(terms, literals, bound).into_iter().chain(greedy).collect()
    }

    fn greedy(
        &self,
        terms: &Terms,
        literals: &[Literal],
        bound: &[VariableId],
        first: Option<usize>,
    ) -> Vec<usize> {
        let mut known = bound.to_vec();
        let mut left: Vec<usize> = (0..literals.len()).collect();
        let mut order = Vec::with_capacity(literals.len());
        while !left.is_empty() {
            if order.len() >= FEW_CONDITIONS && self.budget.is_over() {
                order.append(&mut left);
                break;
            }
            let expected = |&at: &usize| self.answers(terms, &literals[left[at]], &known);
            let place = match first.filter(|_| order.is_empty()) {
                Some(first) => first,
                None => {
                    let best = (0..left.len()).min_by(|a, b| expected(a).total_cmp(&expected(b)));
                    left[best.unwrap_or(0)]
                }
            };
            left.retain(|&other| other != place);
            known.extend(variables_of(terms, &literals[place]));
            order.push(place);
        }
        order
    }

    /// How many tries matching in this order is expected to take.
    fn expected_tries(
        &self,
        terms: &Terms,
        literals: &[Literal],
        order: &[usize],
        bound: &[VariableId],
    ) -> f64 {
        let mut known = bound.to_vec();
        let (mut branches, mut tries) = (1.0, 0.0);
        for &place in order {
            branches *= self.answers(terms, &literals[place], &known).min(1e30);
            tries += branches;
            known.extend(variables_of(terms, &literals[place]));
        }
        tries
    }

    /// How many answers a condition is expected to have.
    pub(crate) fn answers(&self, terms: &Terms, literal: &Literal, known: &[VariableId]) -> f64 {
        let is_bound = |variable: &VariableId| known.contains(variable);
        match literal {
            Literal::Distinct(..) | Literal::Not(_) => {
                let ready = variables_of(terms, literal).iter().all(is_bound);
                if ready { TEST } else { f64::INFINITY }
            }
            Literal::Holds(atom) => {
                let mut mask = super::matching::bound_columns(terms, &atom.args, known);
                let constant = atom.args.iter().enumerate().find(|(_, arg)| terms.is_ground(**arg));
                let constant = constant.map(|(column, &value)| (column, value));
                let mut free: Vec<VariableId> = variables_of(terms, literal);
                free.retain(|variable| !is_bound(variable));
                let special =
                    constant.and_then(|constant| self.figures.get(&(atom.predicate, mask, Some(constant))));
                if let Some(&mean) = special.or_else(|| self.figures.get(&(atom.predicate, mask, None))) {
                    return mean;
                }
                // A figure for fewer bound arguments says at least something.
                while mask != 0 {
                    mask &= mask - 1;
                    if let Some(&mean) = self.figures.get(&(atom.predicate, mask, None)) {
                        return mean;
                    }
                }
                let free = i32::try_from(free.len()).map_or(MOST_UNKNOWN, |free| free.min(MOST_UNKNOWN));
                UNKNOWN.powi(free)
            }
        }
    }
}

/// Up to this number, conditions are ordered without a check of the budget.
const FEW_CONDITIONS: usize = 64;

/// Another order replaces the best one if it needs no more than this share of its tries.
const WORTH_IT: f64 = 0.95;

/// Up to this number of conditions the best order is found by dynamic programming over their subsets.
const MOST_EXACT: usize = 13;

/// Limit: the conditions that are tried as the first one.
const MOST_FIRSTS: usize = 8;

/// Limit: the orders whose tries are counted on working memories.
const MOST_COUNTED: usize = 12;

/// The variables of terms, such as the arguments of a head.
pub fn variables_in(terms: &Terms, of: &[TermId]) -> Vec<VariableId> {
    let mut found = Vec::new();
    for &term in of {
        if let Term::Variable(variable) = terms.get(term) {
            found.push(variable);
        } else {
            terms.for_each_variable(term, &mut |variable| found.push(variable));
        }
    }
    found
}
