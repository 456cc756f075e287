//! Execution of join plans: nested loops, written as a recursion over the steps with several matches.

use super::engine::{Engine, Stop};
use super::index::NONE;
use super::plan::{Action, Columns, Plan, PlanStep, Register};
use crate::flat::{FlatLiteral, FlatRuleId, RelationId};
use crate::ids::Id;
use grundy_syntax::{SymbolId, Term, TermId, Terms};
use smallvec::SmallVec;

/// The consumer of the matches of a rule.
pub(crate) trait Fire {
    /// Whether the first match ends the search.
    const ONE_IS_ENOUGH: bool = false;

    /// Announces the rule that runs next.
    fn select(&mut self, rule: FlatRuleId);

    /// The group of a rule: after an overflow of one rule, the others of its group do not run in that round.
    fn group(&self, _rule: FlatRuleId) -> Option<RelationId> {
        None
    }

    /// Whether matches that differ only in the variables of this condition, not in those of the head, are distinct.
    fn keeps(&self, _literal: &FlatLiteral) -> bool {
        false
    }

    /// Whether matches that differ only by a symmetry of the rule are distinct.
    fn wants_exchanged(&self) -> bool {
        false
    }

    /// Announces the run of a plan. Returns the number of steps that it may take.
    fn begin(&mut self, _plan: &Plan) -> u64 {
        u64::MAX
    }

    /// Consumes a match: the registers hold its variables, `rows` the matched row of each condition.
    fn fire(&mut self, engine: &mut Engine, plan: &Plan) -> Result<(), Stop>;

    /// Called from time to time while a plan runs, with the current step.
    fn look(&mut self, _engine: &Engine, _plan: &Plan, _at: usize) -> Result<(), Stop> {
        Ok(())
    }

    /// Called when a plan has run to its end.
    fn end(&mut self, _engine: &mut Engine, _plan: &Plan) -> Result<(), Stop> {
        Ok(())
    }
}

/// Ends a search with the first match.
struct First;

impl Fire for First {
    const ONE_IS_ENOUGH: bool = true;

    fn select(&mut self, _rule: FlatRuleId) {}

    fn fire(&mut self, _engine: &mut Engine, _plan: &Plan) -> Result<(), Stop> {
        Err(Stop::Found)
    }
}

/// Runs the steps of a plan from `at` on.
pub(crate) fn run<F: Fire>(
    engine: &mut Engine,
    plan: &Plan,
    mut at: usize,
    fire: &mut F,
) -> Result<(), Stop> {
    // A step with several matches runs the rest of the plan for each of them. The others only pass or fail.
    loop {
        if at == plan.settled && !F::ONE_IS_ENOUGH {
            return match run(engine, plan, at, &mut First) {
                Err(Stop::Found) => fire.fire(engine, plan),
                other => other,
            };
        }
        let Some(step) = plan.steps.get(at) else { return fire.fire(engine, plan) };
        if engine.countdown == 0 {
            engine.end_countdown()?;
            fire.look(engine, plan, at)?;
        }
        engine.countdown -= 1;
        let goes_on = match step {
            PlanStep::Scan { relation, literal, open } => {
                let (low, high) = engine.range(*relation, plan.visible[*literal]);
                for row in low..high {
                    if accept(engine, *relation, row, open) {
                        engine.rows[*literal] = row;
                        go_on(engine, plan, at, fire)?;
                    }
                }
                false
            }
            PlanStep::Probe { relation, literal, index, key, open } => {
                let (low, high) = engine.range(*relation, plan.visible[*literal]);
                let mut row = engine.relations[*relation].first(*index, values(&engine.registers, key));
                // Chains are ordered from new rows to old ones.
                while row != NONE && row >= low {
                    if row < high && accept(engine, *relation, row, open) {
                        engine.rows[*literal] = row;
                        go_on(engine, plan, at, fire)?;
                    }
                    row = engine.relations[*relation].next(*index, row);
                }
                false
            }
            PlanStep::Find { relation, literal, key } => {
                let (low, high) = engine.range(*relation, plan.visible[*literal]);
                let found = engine.relations[*relation].find(values(&engine.registers, key));
                let found = found.filter(|row| (low..high).contains(row));
                found.is_some_and(|row| {
                    engine.rows[*literal] = row;
                    true
                })
            }
            PlanStep::Absent { relation, key } => {
                let tested = engine.estimates[*relation].as_ref().unwrap_or(&engine.relations[*relation]);
                tested.find(values(&engine.registers, key)).is_none()
            }
            PlanStep::Distinct(pairs) => {
                let value = |register: Register| engine.registers[register.index()];
                pairs.iter().any(|&(a, b)| value(a) != value(b))
            }
            PlanStep::Ordered(a, b) => engine.registers[a.index()] <= engine.registers[b.index()],
            PlanStep::Function { name, args, into } => {
                engine.registers[into.index()] = function(engine, *name, args);
                true
            }
        };
        if !goes_on {
            return Ok(());
        }
        at += 1;
    }
}

/// Runs the rest of the plan behind a step that has matched. A match of the last step is frequent, and avoids the call.
#[inline]
fn go_on<F: Fire>(engine: &mut Engine, plan: &Plan, at: usize, fire: &mut F) -> Result<(), Stop> {
    if at + 1 == plan.steps.len() { fire.fire(engine, plan) } else { run(engine, plan, at + 1, fire) }
}

/// An estimate of the share of a plan that is done when it is at a step, between 0 and 1, from the position of each loop.
pub(crate) fn share_done(engine: &Engine, plan: &Plan, at: usize) -> f64 {
    let mut share = 0.0;
    for step in plan.steps.iter().take(at.min(plan.settled)).rev() {
        let (before, all) = match step {
            PlanStep::Scan { relation, literal, .. } => {
                let (low, high) = engine.range(*relation, plan.visible[*literal]);
                (engine.rows[*literal] - low, high - low)
            }
            PlanStep::Probe { relation, literal, index, key, .. } => {
                let key = values(&engine.registers, key);
                engine.relations[*relation].place_in_chain(*index, key, engine.rows[*literal])
            }
            _ => continue,
        };
        share = (f64::from(before) + share) / f64::from(all.max(1));
    }
    share
}

/// Matches the open columns of a row, binding registers.
#[inline]
fn accept(engine: &mut Engine, relation: RelationId, row: u32, open: &Columns) -> bool {
    let Engine { relations, registers, terms, .. } = engine;
    let values = relations[relation].row(row);
    for &(column, register) in &open.binds {
        registers[register.index()] = values.at(column.index());
    }
    open.tests.iter().all(|(column, action)| meets(terms, registers, values.at(column.index()), action))
}

#[inline]
fn meets(terms: &Terms, registers: &mut [u32], value: u32, action: &Action) -> bool {
    match action {
        Action::Bind(register) => {
            registers[register.index()] = value;
            true
        }
        Action::Check(register) => registers[register.index()] == value,
        Action::Constant(constant) => *constant == value,
        Action::Function(name, inner) => meets_function(terms, registers, value, (*name, inner)),
    }
}

/// Functions are rare, since flattening removes most of them. Keeping them out of line speeds up the frequent cases.
#[cold]
fn meets_function(
    terms: &Terms,
    registers: &mut [u32],
    value: u32,
    (name, inner): (SymbolId, &[Action]),
) -> bool {
    match terms.get(TermId(value)) {
        Term::Compound(function, args) if function == name && args.len() == inner.len() => {
            args.iter().zip(inner).all(|(arg, action)| meets(terms, registers, arg.0, action))
        }
        _ => false,
    }
}

/// The values of a key or a row.
#[inline]
pub(crate) fn values<'a>(
    registers: &'a [u32],
    key: &'a [Register],
) -> impl Iterator<Item = u32> + Clone + 'a {
    key.iter().map(|&register| registers[register.index()])
}

/// Builds a term.
#[cold]
fn function(engine: &mut Engine, name: SymbolId, args: &[Register]) -> u32 {
    let args: SmallVec<[TermId; 8]> = values(&engine.registers, args).map(TermId).collect();
    engine.terms.compound(name, &args).0
}
