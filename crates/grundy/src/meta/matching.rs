//! Matching a conjunction with a memory, condition by condition, from left to right.
//!
//! This is the matcher of the paper: conditions are tried in the order in which they are written, and
//! each success is counted. Finding metarules, counting tries and measuring orders all use it.

use super::limits::{Budget, Exhausted};
use super::memory::{Key, MOST_COLUMNS, Mask, Memory};
use super::terms::{Bindings, match_term, undo, variables_of};
use grundy_syntax::{Literal, Term, TermId, Terms, VariableId};
use std::ops::ControlFlow;

/// Conditions in the order in which they are tried, with the columns that are bound each time.
pub(crate) struct Join<'a> {
    pub(super) terms: &'a Terms,
    memory: &'a Memory,
    pub(super) steps: Vec<(&'a Literal, Mask)>,
}

/// What is done with each match.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(&Bindings) -> ControlFlow<()>;

impl<'a> Join<'a> {
    /// Prepares a join in the given order. These variables are bound from the start.
    pub(crate) fn new(
        terms: &'a Terms,
        memory: &'a mut Memory,
        literals: &[&'a Literal],
        bound: &[VariableId],
    ) -> Join<'a> {
        let mut known: Vec<VariableId> = bound.to_vec();
        let mut steps = Vec::with_capacity(literals.len());
        for &literal in literals {
            let mut mask = 0;
            if let Literal::Holds(atom) = literal {
                mask = bound_columns(terms, &atom.args, &known);
                memory.relation_mut(atom.predicate).prepare(mask);
            }
            known.extend(variables_of(terms, literal));
            steps.push((literal, mask));
        }
        Join { terms, memory, steps }
    }

    /// Runs the join and counts the successes of each condition.
    pub(crate) fn run(
        &self,
        bindings: &mut Bindings,
        budget: &mut Budget,
        counts: &mut [u64],
        visit: Visit<'_>,
    ) -> Result<ControlFlow<()>, Exhausted> {
        self.step(0, bindings, &mut Vec::new(), budget, counts, visit)
    }

    #[allow(clippy::too_many_arguments, reason = "the state of one recursion")]
    fn step(
        &self,
        number: usize,
        bindings: &mut Bindings,
        trail: &mut Vec<VariableId>,
        budget: &mut Budget,
        counts: &mut [u64],
        visit: Visit<'_>,
    ) -> Result<ControlFlow<()>, Exhausted> {
        let Some(&(literal, mask)) = self.steps.get(number) else { return Ok(visit(bindings)) };
        budget.step()?;
        let atom = match literal {
            Literal::Holds(atom) => atom,
            _ => {
                if !self.passes(literal, bindings) {
                    return Ok(ControlFlow::Continue(()));
                }
                counts[number] += 1;
                return self.step(number + 1, bindings, trail, budget, counts, visit);
            }
        };
        let relation = self.memory.relation(atom.predicate);
        let key: Key = columns(mask).map(|column| self.value(atom.args[column], bindings)).collect();
        for &row in relation.find(mask, &key) {
            budget.step()?;
            let mark = trail.len();
            let row = &relation.rows()[row as usize];
            let matched = atom.args.iter().zip(row).enumerate().all(|(column, (&arg, &value))| {
                mask >> column & 1 == 1 || match_term(self.terms, arg, value, bindings, trail)
            });
            if matched {
                counts[number] += 1;
                if self.step(number + 1, bindings, trail, budget, counts, visit)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            undo(bindings, trail, mark);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Shows each way in which one condition succeeds.
    pub(super) fn successes(
        &self,
        number: usize,
        bindings: &mut Bindings,
        budget: &mut Budget,
        mut visit: impl FnMut(&Bindings),
    ) -> Result<(), Exhausted> {
        let one = Join { terms: self.terms, memory: self.memory, steps: vec![self.steps[number]] };
        let shown = &mut |bindings: &Bindings| {
            visit(bindings);
            ControlFlow::Continue(())
        };
        one.step(0, bindings, &mut Vec::new(), budget, &mut [0], shown).map(|_| ())
    }

    /// Whether a test is passed; its variables are bound, or, in a negation, stand for anything.
    fn passes(&self, literal: &Literal, bindings: &mut Bindings) -> bool {
        match literal {
            Literal::Distinct(a, b) => !equal(self.terms, *a, *b, bindings),
            Literal::Not(atom) => {
                let rows = self.memory.relation(atom.predicate).rows();
                let all_bound = atom.args.iter().all(|&arg| self.is_simple(arg, bindings));
                if all_bound {
                    let row: Vec<TermId> = atom.args.iter().map(|&arg| self.value(arg, bindings)).collect();
                    return !self.memory.relation(atom.predicate).contains(&row);
                }
                let mut trail = Vec::new();
                let mut any = |row: &[TermId]| {
                    let args = atom.args.iter().zip(row);
                    let found = args
                        .into_iter()
                        .all(|(&arg, &value)| match_term(self.terms, arg, value, bindings, &mut trail));
                    undo(bindings, &mut trail, 0);
                    found
                };
                !rows.iter().any(|row| any(row))
            }
            Literal::Holds(_) => unreachable!("conditions that hold are looked up"),
        }
    }

    fn is_simple(&self, term: TermId, bindings: &Bindings) -> bool {
        match self.terms.get(term) {
            Term::Variable(variable) => bindings.get(variable).is_some(),
            _ => self.terms.is_ground(term),
        }
    }

    /// The value of a bound variable or of a ground term.
    fn value(&self, term: TermId, bindings: &Bindings) -> TermId {
        match self.terms.get(term) {
            Term::Variable(variable) => bindings.get(variable).unwrap_or(term),
            _ => term,
        }
    }
}

fn columns(mask: Mask) -> impl Iterator<Item = usize> {
    (0..MOST_COLUMNS).filter(move |column| mask >> column & 1 == 1)
}

/// The columns whose values are known before a condition is tried.
pub(crate) fn bound_columns(terms: &Terms, args: &[TermId], known: &[VariableId]) -> Mask {
    let is_bound = |&arg: &TermId| match terms.get(arg) {
        Term::Variable(variable) => known.contains(&variable),
        _ => terms.is_ground(arg),
    };
    let columns = args.iter().take(MOST_COLUMNS).enumerate().filter(|(_, arg)| is_bound(arg));
    columns.fold(0, |mask, (column, _)| mask | 1 << column)
}

/// Whether two terms with bound variables are equal.
fn equal(terms: &Terms, a: TermId, b: TermId, bindings: &Bindings) -> bool {
    let value = |term: TermId| match terms.get(term) {
        Term::Variable(variable) => bindings.get(variable).unwrap_or(term),
        _ => term,
    };
    let (a, b) = (value(a), value(b));
    if a == b {
        return true;
    }
    match (terms.get(a), terms.get(b)) {
        (Term::Compound(f, xs), Term::Compound(g, ys)) if !(terms.is_ground(a) && terms.is_ground(b)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(&x, &y)| equal(terms, x, y, bindings))
        }
        _ => false,
    }
}

/// An order in which each condition is as bound as possible when it is tried, tests as early as can be.
pub(crate) fn cheap_order(
    terms: &Terms,
    memory: &Memory,
    literals: &[&Literal],
    bound: &[VariableId],
) -> Vec<usize> {
    let mut known: Vec<VariableId> = bound.to_vec();
    let mut left: Vec<usize> = (0..literals.len()).collect();
    let mut order = Vec::with_capacity(literals.len());
    while !left.is_empty() {
        let cost = |&place: &usize| match literals[place] {
            Literal::Holds(atom) => {
                let relation = memory.relation(atom.predicate);
                let mask = bound_columns(terms, &atom.args, &known);
                let keys: f64 = columns(mask).map(|column| relation.distinct(column).max(1) as f64).product();
                relation.rows().len() as f64 / keys
            }
            test => {
                let ready = variables_of(terms, test).iter().all(|variable| known.contains(variable));
                if ready { -1.0 } else { f64::INFINITY }
            }
        };
        let best = (0..left.len()).min_by(|&a, &b| cost(&left[a]).total_cmp(&cost(&left[b])));
        let place = left.remove(best.unwrap_or(0));
        known.extend(variables_of(terms, literals[place]));
        order.push(place);
    }
    order
}

/// Whether a conjunction has a match.
pub(crate) fn has_match(
    terms: &Terms,
    memory: &mut Memory,
    literals: &[&Literal],
    budget: &mut Budget,
) -> Result<bool, Exhausted> {
    let order = cheap_order(terms, memory, literals, &[]);
    let ordered: Vec<&Literal> = order.iter().map(|&place| literals[place]).collect();
    let join = Join::new(terms, memory, &ordered, &[]);
    let mut counts = vec![0; ordered.len()];
    let flow = join.run(&mut Bindings::default(), budget, &mut counts, &mut |_| ControlFlow::Break(()))?;
    Ok(flow.is_break())
}

/// Adds to each condition's count how often it succeeds when the conjunction is matched in this order, but
/// for tests, which wait until their variables are bound.
pub(crate) fn count_tries(
    terms: &Terms,
    memory: &mut Memory,
    literals: &[&Literal],
    bound: &[(VariableId, TermId)],
    budget: &mut Budget,
    by_place: &mut [u64],
) -> Result<(), Exhausted> {
    in_executable_order(terms, memory, literals, bound, by_place, |join, bindings, counts| {
        join.tally(bindings, budget, counts)
    })
}

/// Like [`count_tries`], but all matches are gone through.
pub(crate) fn count_matching(
    terms: &Terms,
    memory: &mut Memory,
    literals: &[&Literal],
    bound: &[(VariableId, TermId)],
    budget: &mut Budget,
    by_place: &mut [u64],
) -> Result<(), Exhausted> {
    in_executable_order(terms, memory, literals, bound, by_place, |join, bindings, counts| {
        join.run(bindings, budget, counts, &mut |_| ControlFlow::Continue(())).map(|_| ())
    })
}

fn in_executable_order(
    terms: &Terms,
    memory: &mut Memory,
    literals: &[&Literal],
    bound: &[(VariableId, TermId)],
    by_place: &mut [u64],
    count: impl FnOnce(&Join<'_>, &mut Bindings, &mut [u64]) -> Result<(), Exhausted>,
) -> Result<(), Exhausted> {
    let variables: Vec<VariableId> = bound.iter().map(|&(variable, _)| variable).collect();
    let order = executable_order(terms, literals, &variables);
    let ordered: Vec<&Literal> = order.iter().map(|&place| literals[place]).collect();
    let join = Join::new(terms, memory, &ordered, &variables);
    let mut bindings = Bindings::default();
    bound.iter().for_each(|&(variable, value)| bindings.bind(variable, value));
    let mut counts = vec![0; literals.len()];
    let ended = count(&join, &mut bindings, &mut counts);
    order.iter().zip(counts).for_each(|(&place, count)| by_place[place] += count);
    ended
}

/// The order in which conditions can be tried: as they stand, but tests behind what binds their variables.
fn executable_order(terms: &Terms, literals: &[&Literal], bound: &[VariableId]) -> Vec<usize> {
    let mut known = bound.to_vec();
    let mut order = Vec::with_capacity(literals.len());
    let mut waiting: Vec<usize> = Vec::new();
    for (place, literal) in literals.iter().enumerate() {
        match literal {
            Literal::Holds(_) => {
                order.push(place);
                known.extend(variables_of(terms, literal));
            }
            _ => waiting.push(place),
        }
        waiting.retain(|&test| {
            let ready = variables_of(terms, literals[test]).iter().all(|variable| known.contains(variable));
            if ready {
                order.push(test);
            }
            !ready
        });
    }
    order.extend(waiting);
    order
}
