//! Matching a conjunction with a memory, condition by condition, from left to right.
//!
//! This is the matcher of the paper: conditions are tried in the order in which they are written, and
//! each success is counted. Finding metarules, counting tries and measuring orders all use it.

use super::limits::{Steps, Stopped};
use super::memory::{Index, Key, MOST_COLUMNS, Mask, Memory};
use super::terms::{Bindings, match_term, undo, variables_of};
use crate::ids::float;
use grundy_syntax::{Budget, Literal, Term, TermId, Terms, VariableId};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Conditions in the order in which they are tried, with the columns that are bound each time.
pub(crate) struct Join<'a> {
    pub(super) terms: &'a Terms,
    memory: &'a Memory,
    pub(super) steps: Vec<JoinStep<'a>>,
}

/// A condition, the columns that are bound when it is tried, and the index of these.
#[derive(Clone)]
pub(super) struct JoinStep<'a> {
    pub(super) literal: &'a Literal,
    mask: Mask,
    index: Arc<Index>,
}

/// What is done with each match.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(&Bindings) -> ControlFlow<()>;

impl<'a> Join<'a> {
    /// Prepares a join in the given order. These variables are bound from the start.
    pub(crate) fn new(
        terms: &'a Terms,
        memory: &'a Memory,
        literals: &[&'a Literal],
        bound: &[VariableId],
        budget: &Budget,
    ) -> Result<Join<'a>, Stopped> {
        let mut known: Vec<VariableId> = bound.to_vec();
        let mut steps = Vec::with_capacity(literals.len());
        for &literal in literals {
            let (mut mask, mut index) = (0, Arc::default());
            if let Literal::Holds(atom) = literal {
                mask = bound_columns(terms, &atom.args, &known);
                index = memory.relation(atom.predicate).index(mask, budget).map_err(|_| Stopped)?;
            }
            known.extend(variables_of(terms, literal));
            steps.push(JoinStep { literal, mask, index });
        }
        Ok(Join { terms, memory, steps })
    }

    /// Runs the join and counts the successes of each condition.
    pub(crate) fn run(
        &self,
        bindings: &mut Bindings,
        steps: &Steps,
        counts: &mut [u64],
        visit: Visit<'_>,
    ) -> Result<ControlFlow<()>, Stopped> {
        self.step(0, bindings, &mut Vec::new(), steps, counts, visit)
    }

    #[allow(clippy::too_many_arguments, reason = "the state of one recursion")]
    fn step(
        &self,
        number: usize,
        bindings: &mut Bindings,
        trail: &mut Vec<VariableId>,
        steps: &Steps,
        counts: &mut [u64],
        visit: Visit<'_>,
    ) -> Result<ControlFlow<()>, Stopped> {
        let Some(JoinStep { literal, mask, index }) = self.steps.get(number) else {
            return Ok(visit(bindings));
        };
        let mask = *mask;
        steps.step()?;
        let atom = match literal {
            Literal::Holds(atom) => atom,
            _ => {
                if !self.passes(literal, bindings, steps)? {
                    return Ok(ControlFlow::Continue(()));
                }
                counts[number] += 1;
                return self.step(number + 1, bindings, trail, steps, counts, visit);
            }
        };
        let relation = self.memory.relation(atom.predicate);
        let key: Key = columns(mask).map(|column| self.value(atom.args[column], bindings)).collect();
        for &row in index.find(&key) {
            steps.step()?;
            let mark = trail.len();
            let row = relation.row(row);
            let matched = atom.args.iter().zip(row).enumerate().all(|(column, (&arg, &value))| {
                mask >> column & 1 == 1 || match_term(self.terms, arg, value, bindings, trail)
            });
            if matched {
                counts[number] += 1;
                if self.step(number + 1, bindings, trail, steps, counts, visit)?.is_break() {
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
        steps: &Steps,
        mut visit: impl FnMut(&Bindings),
    ) -> Result<(), Stopped> {
        let one = Join { terms: self.terms, memory: self.memory, steps: vec![self.steps[number].clone()] };
        let shown = &mut |bindings: &Bindings| {
            visit(bindings);
            ControlFlow::Continue(())
        };
        one.step(0, bindings, &mut Vec::new(), steps, &mut [0], shown).map(|_| ())
    }

    /// Whether a test is passed; its variables are bound, or, in a negation, stand for anything.
    fn passes(&self, literal: &Literal, bindings: &mut Bindings, steps: &Steps) -> Result<bool, Stopped> {
        Ok(match literal {
            Literal::Distinct(a, b) => !equal(self.terms, *a, *b, bindings),
            Literal::Not(atom) => {
                let rows = self.memory.relation(atom.predicate).rows();
                let all_bound = atom.args.iter().all(|&arg| self.is_simple(arg, bindings));
                if all_bound {
                    let row: Vec<TermId> = atom.args.iter().map(|&arg| self.value(arg, bindings)).collect();
                    return Ok(!self.memory.relation(atom.predicate).contains(&row));
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
                for rows in rows.chunks(ROWS_AT_ONCE) {
                    if rows.iter().any(|row| any(row)) {
                        return Ok(false);
                    }
                    if steps.budget().is_over() {
                        return Err(Stopped);
                    }
                }
                true
            }
            Literal::Holds(_) => unreachable!("conditions that hold are looked up"),
        })
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

/// The rows that are read between two checks of the budget.
const ROWS_AT_ONCE: usize = 4096;

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
fn cheap_order(
    terms: &Terms,
    memory: &Memory,
    literals: &[&Literal],
    budget: &Budget,
) -> Result<Vec<usize>, Stopped> {
    let mut known: Vec<VariableId> = Vec::new();
    let mut left: Vec<usize> = (0..literals.len()).collect();
    let mut order = Vec::with_capacity(literals.len());
    while !left.is_empty() {
        if order.len() >= FEW_CONDITIONS && budget.is_over() {
            return Err(Stopped);
        }
        let cost = |&place: &usize| match literals[place] {
            Literal::Holds(atom) => {
                let relation = memory.relation(atom.predicate);
                let mask = bound_columns(terms, &atom.args, &known);
                let keys: f64 = columns(mask).map(|column| float(relation.distinct(column).max(1))).product();
                float(relation.rows().len()) / keys
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
    Ok(order)
}

/// Up to this number, conditions are ordered without a check of the budget.
const FEW_CONDITIONS: usize = 64;

/// Whether a conjunction has a match.
pub(crate) fn has_match(
    terms: &Terms,
    memory: &Memory,
    literals: &[&Literal],
    steps: &Steps,
) -> Result<bool, Stopped> {
    let order = cheap_order(terms, memory, literals, steps.budget())?;
    let ordered: Vec<&Literal> = order.iter().map(|&place| literals[place]).collect();
    let join = Join::new(terms, memory, &ordered, &[], steps.budget())?;
    let mut counts = vec![0; ordered.len()];
    let flow = join.run(&mut Bindings::default(), steps, &mut counts, &mut |_| ControlFlow::Break(()))?;
    Ok(flow.is_break())
}

/// Adds to each condition's count how often it succeeds when the conjunction is matched in this order, but
/// for tests, which wait until their variables are bound.
pub(crate) fn count_tries(
    terms: &Terms,
    memory: &Memory,
    literals: &[&Literal],
    bound: &[(VariableId, TermId)],
    steps: &Steps,
    by_place: &mut [u64],
) -> Result<(), Stopped> {
    in_executable_order(
        terms,
        memory,
        literals,
        (bound, steps.budget()),
        by_place,
        |join, bindings, counts| join.tally(bindings, steps, counts),
    )
}

/// Like [`count_tries`], but all matches are gone through.
pub(crate) fn count_matching(
    terms: &Terms,
    memory: &Memory,
    literals: &[&Literal],
    bound: &[(VariableId, TermId)],
    steps: &Steps,
    by_place: &mut [u64],
) -> Result<(), Stopped> {
    in_executable_order(
        terms,
        memory,
        literals,
        (bound, steps.budget()),
        by_place,
        |join, bindings, counts| {
            join.run(bindings, steps, counts, &mut |_| ControlFlow::Continue(())).map(|_| ())
        },
    )
}

fn in_executable_order(
    terms: &Terms,
    memory: &Memory,
    literals: &[&Literal],
    (bound, budget): (&[(VariableId, TermId)], &Budget),
    by_place: &mut [u64],
    count: impl FnOnce(&Join<'_>, &mut Bindings, &mut [u64]) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let variables: Vec<VariableId> = bound.iter().map(|&(variable, _)| variable).collect();
    let order = executable_order(terms, literals, &variables);
    let ordered: Vec<&Literal> = order.iter().map(|&place| literals[place]).collect();
    let join = Join::new(terms, memory, &ordered, &variables, budget)?;
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
