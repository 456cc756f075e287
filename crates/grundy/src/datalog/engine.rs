//! The evaluation engine: relations, registers, and the accounting of steps, time and memory.
//!
//! Evaluation is bottom-up. A rule is compiled to a [`Plan`], a nested-loop join over indexes with a fixed order of
//! conditions, and [`run`] executes it. Each match is passed to a [`Fire`], which derives the head, stores a ground rule,
//! or only counts. `saturate.rs` repeats this for the rules of a component until a fixpoint is reached. Evaluation on
//! demand needs nothing more: it is the same evaluation of rules rewritten by magic sets (`flat/demand.rs`).
//!
//! # Steps
//!
//! Work is counted in *steps*: attempts to run a plan step, and heads derived by [`Derive`]. Steps are deterministic, so
//! limits on them give the same result on every machine. A single counter, [`Engine::countdown`], is decremented for each
//! step. It starts at the smaller of the steps left of the current allowance and the steps left until the next check of
//! the budget; when it reaches zero, [`Engine::end_countdown`] finds out which of the two it was. So the hot loop tests
//! one number.

use super::join::{Fire, run, values};
use super::order::JoinOrder;
use super::plan::{Plan, PlanStep, Purpose, Visible, plan};
use super::progress::Progress;
use super::relation::{Queue, Relation, Relations};
use crate::flat::{Flat, FlatLiteral, FlatRule, FlatRuleId, RelationId};
use crate::ids::{IdVec, saturated};
use grundy_syntax::{Budget, Exhausted, TermId, Terms};
use std::sync::Arc;

/// Why evaluation stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The budget of the call is used up.
    Exhausted(Exhausted),
    /// A term nests too deeply.
    TooDeep,
    /// A rule has more conditions with several matches than plans may nest.
    TooLong,
    /// There are more matches than the consumer accepts.
    TooMany,
    /// A rule has more instances, or takes more steps, than allowed.
    Overflow,
    /// The steps allowed after an overflow were used up before this rule ended.
    GaveUp,
    /// An atom depends on its own negation.
    NegationCycle,
    /// The search needed only one match, and found it.
    Found,
}

impl From<Exhausted> for Stop {
    fn from(reason: Exhausted) -> Stop {
        Stop::Exhausted(reason)
    }
}

/// Limits of evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub(crate) budget: Budget,
    pub(crate) term_depth: usize,
}

/// Relations with their rows, and the registers of the plan that runs.
pub(crate) struct Engine {
    pub(crate) terms: Terms,
    pub(crate) relations: Relations,
    pub(crate) registers: Vec<u32>,
    /// For each condition of the running rule, the matched row.
    pub(crate) rows: Vec<u32>,
    /// Derived heads that wait for insertion.
    queue: Queue,
    /// The delta of each relation of the component in evaluation: where its new rows begin and end. Other relations are
    /// complete, and all their rows are visible.
    pub(super) fresh: IdVec<RelationId, Option<(u32, u32)>>,
    /// Rows that negations are tested against instead of those of the relation, during an alternating fixpoint.
    pub(crate) estimates: IdVec<RelationId, Option<Relation>>,
    pub(crate) bounds: Bounds,
    pub(super) order: JoinOrder,
    /// Memory held outside of the relations.
    pub(crate) other_bytes: usize,
    /// The number of stored rules, for progress reports.
    pub(crate) stored: u64,
    pub(crate) progress: Option<Arc<Progress>>,
    /// The steps taken before the current countdown.
    steps: u64,
    /// The steps left of the allowance, beyond the current countdown.
    steps_left: u64,
    /// After an overflow, the steps that the remaining rules may take together.
    pub(crate) spare: Option<u64>,
    /// The steps left until [`end_countdown`](Self::end_countdown).
    pub(crate) countdown: u32,
    /// The value at which the countdown started.
    countdown_start: u32,
    /// The steps from the start of the countdown until the next check of the budget.
    until_clock: u32,
}

/// The steps between checks of the budget. A guess.
const STEPS_PER_CLOCK_CHECK: u32 = 16_384;

/// Memory is checked before an index is extended by more rows than this, since that allocates without steps in between.
/// A guess: below 2 MB at [`BYTES_PER_ROW`].
const MANY_ROWS: usize = 1 << 16;

/// The memory that an index takes for a row while it grows, at most: 4 bytes of its chain, and up to three slots of 8 bytes
/// in the old and the new hash table.
const BYTES_PER_ROW: usize = 4 + 24;

impl Engine {
    pub(crate) fn new(flat: &Flat, bounds: Bounds, order: JoinOrder) -> Engine {
        Engine {
            terms: flat.terms.clone(),
            relations: flat.relations.iter().map(|info| Relation::new(info.arity)).collect(),
            registers: Vec::new(),
            rows: Vec::new(),
            queue: Queue::default(),
            fresh: IdVec::filled(None, flat.relations.len()),
            estimates: flat.relations.iter().map(|_| None).collect(),
            bounds,
            order,
            other_bytes: 0,
            stored: 0,
            progress: None,
            steps: 0,
            steps_left: u64::MAX,
            spare: None,
            countdown: 0,
            countdown_start: 0,
            until_clock: STEPS_PER_CLOCK_CHECK,
        }
    }

    /// Adds the relations and terms that a program has gained.
    pub(crate) fn extend(&mut self, flat: &Flat) {
        self.terms = flat.terms.clone();
        for info in &flat.relations.as_slice()[self.relations.len()..] {
            self.relations.push(Relation::new(info.arity));
            self.fresh.push(None);
            self.estimates.push(None);
        }
    }

    /// The range of the rows that a condition sees.
    #[inline]
    pub(crate) fn range(&self, relation: RelationId, visible: Visible) -> (u32, u32) {
        match (self.fresh[relation], visible) {
            (None, _) => (0, self.relations[relation].len()),
            (Some((_, end)), Visible::All) => (0, end),
            (Some((start, _)), Visible::Old) => (0, start),
            (Some((start, end)), Visible::New) => (start, end),
        }
    }

    /// Inserts the head of a plan for the current registers. Returns its row, and whether it is new.
    #[inline]
    pub(crate) fn derive(&mut self, plan: &Plan) -> Result<(u32, bool), Stop> {
        let row = values(&self.registers, &plan.head);
        let (number, new) = self.relations[plan.head_relation].insert(row);
        let is_deep = |value: u32| self.terms.depth(TermId(value)) > self.bounds.term_depth;
        if new && values(&self.registers, &plan.head).any(is_deep) {
            return Err(Stop::TooDeep);
        }
        Ok((number, new))
    }

    /// Queues the head for insertion in a batch. Returns whether the queue is full, so that
    /// [`derive_queued`](Self::derive_queued) is due.
    #[inline]
    pub(crate) fn derive_later(&mut self, plan: &Plan, ticket: u32) -> bool {
        self.queue.push(values(&self.registers, &plan.head), ticket)
    }

    /// Inserts the queued heads. `receive` gets each ticket with its row.
    #[inline(never)]
    pub(crate) fn derive_queued(
        &mut self,
        plan: &Plan,
        mut receive: impl FnMut(u32, u32),
    ) -> Result<(), Stop> {
        let relation = &mut self.relations[plan.head_relation];
        let first_new = relation.len();
        relation.insert_all(&mut self.queue, &mut receive);
        let is_deep = |value: u32| self.terms.depth(TermId(value)) > self.bounds.term_depth;
        let mut new = (first_new..relation.len()).flat_map(|row| relation.row(row).iter());
        if new.any(is_deep) { Err(Stop::TooDeep) } else { Ok(()) }
    }

    /// Counts a step.
    #[inline]
    fn count_step(&mut self) -> Result<(), Stop> {
        if self.countdown == 0 {
            self.end_countdown()?;
        }
        self.countdown -= 1;
        Ok(())
    }

    /// Sets the number of steps that evaluation may take from now on.
    pub(crate) fn allow(&mut self, steps: u64) {
        let taken = self.countdown_start - self.countdown;
        self.steps += u64::from(taken);
        self.until_clock -= taken;
        self.steps_left = steps;
        self.start_countdown();
    }

    /// The number of steps taken so far.
    pub(crate) fn steps(&self) -> u64 {
        self.steps + u64::from(self.countdown_start - self.countdown)
    }

    /// The number of steps left of the allowance.
    pub(crate) fn steps_left(&self) -> u64 {
        self.steps_left.saturating_add(u64::from(self.countdown))
    }

    fn start_countdown(&mut self) {
        self.countdown_start = self.until_clock.min(saturated(self.steps_left));
        self.countdown = self.countdown_start;
        self.steps_left -= u64::from(self.countdown_start);
    }

    /// Called when the countdown is at zero: stops if the allowance is used up, and checks time, memory and interrupt if
    /// [`STEPS_PER_CLOCK_CHECK`] steps have passed.
    #[cold]
    pub(crate) fn end_countdown(&mut self) -> Result<(), Stop> {
        self.steps += u64::from(self.countdown_start);
        self.until_clock -= self.countdown_start;
        let is_time = self.until_clock == 0;
        if is_time {
            self.until_clock = STEPS_PER_CLOCK_CHECK;
        }
        self.start_countdown();
        if self.countdown_start == 0 {
            return Err(Stop::Overflow);
        }
        if !is_time {
            return Ok(());
        }
        if let Some(spare) = &mut self.spare {
            *spare = spare.checked_sub(u64::from(STEPS_PER_CLOCK_CHECK)).ok_or(Stop::GaveUp)?;
        }
        self.check_budget()
    }

    fn check_budget(&self) -> Result<(), Stop> {
        let bytes = self.bytes();
        if let Some(progress) = &self.progress {
            progress.set(self.stored, bytes);
        }
        Ok(self.bounds.budget.check_with(bytes)?)
    }

    /// The memory held by relations, terms and consumers of matches, and needed to widen the largest relation.
    pub(crate) fn bytes(&self) -> usize {
        let may_widen = self.terms.len() > usize::from(u16::MAX);
        let widening = self.relations.iter().filter(|_| may_widen).map(Relation::bytes_to_widen).max();
        let relations: usize = self.relations.iter().map(Relation::bytes).sum();
        relations + widening.unwrap_or(0) + self.terms.bytes() + self.other_bytes
    }

    /// Runs a rule once over all rows.
    pub(crate) fn run_once<F: Fire>(
        &mut self,
        rule: &FlatRule,
        ignored: impl Fn(&FlatLiteral) -> bool,
        fire: &mut F,
    ) -> Result<(), Stop> {
        let visible = vec![Visible::All; rule.body.len()].into();
        let plan = plan(
            &self.terms,
            &mut self.relations,
            rule,
            None,
            visible,
            &purpose(self.order, ignored, &*fire),
        );
        self.start(&plan, rule, fire)
    }

    /// Runs a plan from its beginning.
    pub(super) fn start<F: Fire>(&mut self, plan: &Plan, rule: &FlatRule, fire: &mut F) -> Result<(), Stop> {
        let steps = fire.begin(plan);
        self.allow(steps);
        self.registers.clear();
        self.registers.extend_from_slice(&plan.registers);
        self.rows.clear();
        self.rows.resize(rule.body.len(), 0);
        self.queue.clear();
        self.update_indexes(plan)?;
        run(self, plan, 0, fire)?;
        fire.end(self, plan)
    }

    /// Runs a plan that only derives heads.
    pub(super) fn start_planned(&mut self, plan: &Plan, conditions: usize) -> Result<(), Stop> {
        self.registers.clear();
        self.registers.extend_from_slice(&plan.registers);
        self.rows.clear();
        self.rows.resize(conditions, 0);
        self.update_indexes(plan)?;
        run(self, plan, 0, &mut Derive)
    }

    /// Extends the indexes that a plan uses to all rows, if memory allows, and rejects plans that nest too deeply.
    fn update_indexes(&mut self, plan: &Plan) -> Result<(), Stop> {
        if plan.is_too_deep {
            return Err(Stop::TooLong);
        }
        for step in &plan.steps {
            if let PlanStep::Probe { relation, index, .. } = step {
                let missing = self.relations[*relation].missing(*index);
                if missing > MANY_ROWS {
                    let growth = missing * BYTES_PER_ROW;
                    self.bounds.budget.check_room(growth)?;
                    self.bounds.budget.check_with(self.bytes() + growth)?;
                }
                self.relations[*relation].update(*index);
            }
        }
        Ok(())
    }
}

/// The purpose of a plan whose matches go to `fire`.
pub(super) fn purpose<I: Fn(&FlatLiteral) -> bool, F: Fire>(
    order: JoinOrder,
    ignored: I,
    fire: &F,
) -> Purpose<I, impl Fn(&FlatLiteral) -> bool> {
    let exchanged = fire.wants_exchanged();
    let kept = |literal: &FlatLiteral| fire.keeps(literal);
    Purpose { ignored, kept, exchanged, order, lasting: false }
}

/// Derives heads, and keeps nothing else.
pub(crate) struct Derive;

impl Fire for Derive {
    fn select(&mut self, _rule: FlatRuleId) {}

    #[inline]
    fn fire(&mut self, engine: &mut Engine, plan: &Plan) -> Result<(), Stop> {
        // The last step of a plan may find many rows; counting plan steps alone would miss that cost.
        engine.count_step()?;
        engine.derive(plan).map(|_| ())
    }
}
