//! The engine: relations, and the evaluation of a component of rules until nothing new follows.

use super::join::{Fire, run, values};
use super::order::JoinOrder;
use super::plan::{Plan, PlanStep, Purpose, Visible, plan};
use super::progress::Progress;
use super::relation::{Queue, Relation, Relations};
use crate::flat::{Flat, FlatLiteral, FlatRule, FlatRuleId, RelationId};
use crate::ids::{IdVec, saturated};
use grundy_syntax::{Budget, Exhausted, TermId, Terms};
use std::sync::Arc;

/// Why evaluation stopped before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The budget of the call is used up.
    Exhausted(Exhausted),
    /// A term nests too deeply.
    TooDeep,
    /// A rule has more conditions than can be matched inside each other.
    TooLong,
    /// The consumer of matches has had enough.
    TooMany,
    /// One rule has more instances than it should have.
    Overflow,
    /// After an overflow there was not enough time to see how another rule ends.
    GaveUp,
    /// An atom depends on its own negation.
    NegationCycle,
    /// One match was enough.
    Found,
}

impl From<Exhausted> for Stop {
    fn from(reason: Exhausted) -> Stop {
        Stop::Exhausted(reason)
    }
}

/// What evaluation may cost.
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
    /// For each condition of the rule that runs, the row that it has matched.
    pub(crate) rows: Vec<u32>,
    /// Heads that have not been added yet.
    queue: Queue,
    /// For each relation of the component that is evaluated: where the new rows begin and end.
    /// Other relations are complete, all their rows are visible.
    fresh: IdVec<RelationId, Option<(u32, u32)>>,
    /// What negations are tested against instead of the rows of a relation, while the meaning of a
    /// component with negation inside is approached.
    pub(crate) estimates: IdVec<RelationId, Option<Relation>>,
    pub(crate) bounds: Bounds,
    order: JoinOrder,
    /// Memory that is held outside of the relations.
    pub(crate) other_bytes: usize,
    /// How many rules are stored.
    pub(crate) stored: u64,
    pub(crate) progress: Option<Arc<Progress>>,
    /// How many steps have been taken, without those of the countdown that is granted now.
    steps: u64,
    /// How many steps what runs may take, beyond those of its countdown.
    steps_left: u64,
    /// After an overflow, how many steps all that is still tried may take.
    pub(crate) spare: Option<u64>,
    /// How many steps there are until somebody asks whether to go on.
    pub(crate) countdown: u32,
    /// How many there were when somebody asked.
    countdown_start: u32,
    /// How many there are from then until the next look at the clock.
    until_clock: u32,
}

/// So many steps are taken between looks at the clock.
const STEPS_PER_CLOCK_CHECK: u32 = 16_384;

/// Before so many rows are added to an index, one has a look at the memory.
const MANY_ROWS: usize = 1 << 16;

/// What an index takes for a row, at most, while it grows: its chain, and slots of a hash table.
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

    /// Adds the relations, and takes over the terms, that a program has got since.
    pub(crate) fn extend(&mut self, flat: &Flat) {
        self.terms = flat.terms.clone();
        for info in &flat.relations.as_slice()[self.relations.len()..] {
            self.relations.push(Relation::new(info.arity));
            self.fresh.push(None);
            self.estimates.push(None);
        }
    }

    /// The rows of a relation that a condition sees.
    #[inline]
    pub(crate) fn range(&self, relation: RelationId, visible: Visible) -> (u32, u32) {
        match (self.fresh[relation], visible) {
            (None, _) => (0, self.relations[relation].len()),
            (Some((_, end)), Visible::All) => (0, end),
            (Some((start, _)), Visible::Old) => (0, start),
            (Some((start, end)), Visible::New) => (start, end),
        }
    }

    /// Adds what the head of a plan is for the registers as they are; the row, and whether it is new.
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

    /// The same, later and together with others; tells whether [`derive_queued`](Self::derive_queued) has to come now.
    #[inline]
    pub(crate) fn derive_later(&mut self, plan: &Plan, ticket: u32) -> bool {
        self.queue.push(values(&self.registers, &plan.head), ticket)
    }

    /// Adds what has been put off; `receive` gets each ticket with its row.
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

    /// Counts a step; now and then that leads to a look at the clock.
    #[inline]
    fn count_step(&mut self) -> Result<(), Stop> {
        if self.countdown == 0 {
            self.end_countdown()?;
        }
        self.countdown -= 1;
        Ok(())
    }

    /// Allows what runs from now on so many steps.
    pub(crate) fn allow(&mut self, steps: u64) {
        let taken = self.countdown_start - self.countdown;
        self.steps += u64::from(taken);
        self.until_clock -= taken;
        self.steps_left = steps;
        self.start_countdown();
    }

    /// How many steps have been taken: attempts to match a condition, and what was derived.
    pub(crate) fn steps(&self) -> u64 {
        self.steps + u64::from(self.countdown_start - self.countdown)
    }

    /// How many steps are left of those that were allowed.
    pub(crate) fn steps_left(&self) -> u64 {
        self.steps_left.saturating_add(u64::from(self.countdown))
    }

    fn start_countdown(&mut self) {
        self.countdown_start = self.until_clock.min(saturated(self.steps_left));
        self.countdown = self.countdown_start;
        self.steps_left -= u64::from(self.countdown_start);
    }

    /// When countdown has come to an end: ends what runs if it has taken too many steps, and now and then looks at the
    /// clock, the memory and the interrupt.
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

    /// The memory held by relations, by terms and by what they feed.
    pub(crate) fn bytes(&self) -> usize {
        let may_widen = self.terms.len() > usize::from(u16::MAX);
        let widening = self.relations.iter().filter(|_| may_widen).map(Relation::bytes_to_widen).max();
        let relations: usize = self.relations.iter().map(Relation::bytes).sum();
        relations + widening.unwrap_or(0) + self.terms.bytes() + self.other_bytes
    }

    /// Runs a rule once over all rows that there are.
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

    fn start<F: Fire>(&mut self, plan: &Plan, rule: &FlatRule, fire: &mut F) -> Result<(), Stop> {
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

    /// Runs the rules of a component until nothing new follows (semi-naive evaluation).
    ///
    /// Every combination of rows matches exactly once: in the round after its youngest row was added.
    /// Of the conditions that can see new rows, each in turn sees only these; those before it in the
    /// rule see the old ones, those behind it all.
    ///
    /// When it stops, the rules are named that are to blame: if one overflows, the others still run for this round.
    pub(crate) fn saturate<F: Fire>(
        &mut self,
        rules: &[(FlatRuleId, &FlatRule)],
        members: &[RelationId],
        ignored: impl Fn(&FlatLiteral) -> bool + Copy,
        fire: &mut F,
    ) -> Result<(), (Stop, Vec<FlatRuleId>)> {
        members.iter().for_each(|&member| self.fresh[member] = Some((0, 0)));
        let grows = |engine: &Engine, literal: &FlatLiteral| match literal {
            FlatLiteral::Holds(atom) => engine.fresh[atom.relation].is_some(),
            _ => false,
        };
        let (recursive, plain): (Vec<_>, Vec<_>) =
            rules.iter().partition(|(_, rule)| rule.body.iter().any(|literal| grows(self, literal)));
        let mut overflows = Overflows::default();
        for (id, rule) in plain {
            let group = fire.group(id);
            if overflows.may_run(group) {
                fire.select(id);
                let done = self.run_once(rule, ignored, fire);
                overflows.collect(self, (id, group), done)?;
            }
        }
        overflows.end()?;
        let mut plans: Vec<Vec<Option<Planned>>> =
            recursive.iter().map(|(_, rule)| rule.body.iter().map(|_| None).collect()).collect();
        while self.next_round(members) {
            for ((id, rule), plans) in recursive.iter().zip(&mut plans) {
                let group = fire.group(*id);
                if overflows.may_run(group) {
                    fire.select(*id);
                    let done = self.run_new(rule, plans, ignored, fire);
                    overflows.collect(self, (*id, group), done)?;
                }
            }
            overflows.end()?;
        }
        members.iter().for_each(|&member| self.fresh[member] = None);
        Ok(())
    }

    /// Makes the rows that were added since the last round the new ones; tells whether there are any.
    fn next_round(&mut self, members: &[RelationId]) -> bool {
        let mut any = false;
        for &member in members {
            let (_, start) = self.fresh[member].unwrap_or_default();
            let end = self.relations[member].len();
            self.fresh[member] = Some((start, end));
            any |= start < end;
        }
        any
    }

    /// Runs a rule for all combinations that have a new row. `plans` keeps the plan for each condition that can see
    /// new rows from round to round, until sizes are different from those it was made for.
    fn run_new<F: Fire>(
        &mut self,
        rule: &FlatRule,
        plans: &mut [Option<Planned>],
        ignored: impl Fn(&FlatLiteral) -> bool + Copy,
        fire: &mut F,
    ) -> Result<(), Stop> {
        let fresh_of = |engine: &Engine, literal: &FlatLiteral| match literal {
            FlatLiteral::Holds(atom) => engine.fresh[atom.relation],
            _ => None,
        };
        for (number, literal) in rule.body.iter().enumerate() {
            let Some((start, end)) = fresh_of(self, literal) else { continue };
            if start < end {
                let known = plans[number].take().filter(|known| known.fits(rule, &self.relations));
                let planned = known.unwrap_or_else(|| {
                    let visible = (0..rule.body.len()).map(|other| match fresh_of(self, &rule.body[other]) {
                        Some(_) if other < number => Visible::Old,
                        Some(_) if other == number => Visible::New,
                        _ => Visible::All,
                    });
                    let visible = visible.collect();
                    let purpose = purpose(self.order, ignored, fire);
                    Planned {
                        plan: plan(&self.terms, &mut self.relations, rule, Some(number), visible, &purpose),
                        sizes: sizes(rule, &self.relations).collect(),
                    }
                });
                self.start(&planned.plan, rule, fire)?;
                plans[number] = Some(planned);
            }
            // The conditions that follow would see no old row here.
            if start == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Plans a rule once and for all, with the sizes that relations have now.
    pub(crate) fn plans(&mut self, rule: &FlatRule, members: &[RelationId]) -> RulePlans {
        let grows = |literal: &FlatLiteral| match literal {
            FlatLiteral::Holds(atom) => members.contains(&atom.relation),
            _ => false,
        };
        let growing: Vec<usize> = (0..rule.body.len()).filter(|&number| grows(&rule.body[number])).collect();
        let mut plan_for = |first: Option<usize>| {
            let visible = (0..rule.body.len()).map(|other| match first {
                Some(first) if other == first => Visible::New,
                Some(first) if other < first && growing.contains(&other) => Visible::Old,
                _ => Visible::All,
            });
            let purpose = Purpose { lasting: true, ..purpose(self.order, |_| false, &Derive) };
            plan(&self.terms, &mut self.relations, rule, first, visible.collect(), &purpose)
        };
        let delta = |&first: &usize| Some((rule.body[first].atom()?.relation, plan_for(Some(first))));
        let deltas = growing.iter().filter_map(delta).collect();
        RulePlans { once: growing.is_empty().then(|| plan_for(None)), deltas, conditions: rule.body.len() }
    }

    /// Runs planned rules until nothing new follows.
    pub(crate) fn saturate_planned(
        &mut self,
        rules: &[RulePlans],
        members: &[RelationId],
    ) -> Result<(), Stop> {
        let recursive = rules.iter().any(|rule| !rule.deltas.is_empty());
        if !recursive {
            return rules
                .iter()
                .filter_map(|rule| Some((rule.once.as_ref()?, rule)))
                .try_for_each(|(plan, rule)| self.start_planned(plan, rule.conditions));
        }
        members.iter().for_each(|&member| self.fresh[member] = Some((0, 0)));
        for rule in rules {
            if let Some(plan) = &rule.once {
                self.start_planned(plan, rule.conditions)?;
            }
        }
        while self.next_round(members) {
            for rule in rules {
                for (relation, plan) in &rule.deltas {
                    if self.fresh[*relation].is_some_and(|(start, end)| start < end) {
                        self.start_planned(plan, rule.conditions)?;
                    }
                }
            }
        }
        members.iter().for_each(|&member| self.fresh[member] = None);
        Ok(())
    }

    fn start_planned(&mut self, plan: &Plan, conditions: usize) -> Result<(), Stop> {
        self.registers.clear();
        self.registers.extend_from_slice(&plan.registers);
        self.rows.clear();
        self.rows.resize(conditions, 0);
        self.update_indexes(plan)?;
        run(self, plan, 0, &mut Derive)
    }

    /// Lets the indexes that a plan uses know of all rows, if there is enough memory for that, and the plan can run.
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

    /// The same, with negations of members tested against an estimate. The estimate stays until
    /// [`end_estimate`](Self::end_estimate).
    pub(crate) fn saturate_against(
        &mut self,
        rules: &[RulePlans],
        members: &[RelationId],
        estimate: Vec<Relation>,
    ) -> Result<(), Stop> {
        for (&member, relation) in members.iter().zip(estimate) {
            self.estimates[member] = Some(relation);
        }
        self.saturate_planned(rules, members)
    }

    /// Takes the estimate back.
    pub(crate) fn end_estimate(&mut self, members: &[RelationId]) -> Vec<Relation> {
        members.iter().map(|&member| self.estimates[member].take().unwrap_or_default()).collect()
    }

    /// Takes the rows of a relation out of it.
    pub(crate) fn take_rows(&mut self, relation: RelationId) -> Relation {
        let taken = self.relations[relation].copy_rows();
        self.relations[relation].clear();
        taken
    }
}

/// What a plan is wanted for by one that its matches are handed to.
fn purpose<I: Fn(&FlatLiteral) -> bool, F: Fire>(
    order: JoinOrder,
    ignored: I,
    fire: &F,
) -> Purpose<I, impl Fn(&FlatLiteral) -> bool> {
    let exchanged = fire.wants_exchanged();
    let kept = |literal: &FlatLiteral| fire.keeps(literal);
    Purpose { ignored, kept, exchanged, order, lasting: false }
}

/// The rules that have overflown in a round.
#[derive(Default)]
struct Overflows {
    rules: Vec<FlatRuleId>,
    groups: Vec<RelationId>,
    /// Whether some rule has not run to its end.
    incomplete: bool,
}

/// After an overflow, other rules may take so many steps in all, so that theirs show as well.
const SPARE_STEPS: u64 = 1 << 24;

impl Overflows {
    /// Whether there is something to be learnt from a rule of this group.
    fn may_run(&self, group: Option<RelationId>) -> bool {
        group.is_none_or(|group| !self.groups.contains(&group))
    }

    /// Takes note of how a rule has ended; any other stop than an overflow ends the round.
    fn collect(
        &mut self,
        engine: &mut Engine,
        (rule, group): (FlatRuleId, Option<RelationId>),
        done: Result<(), Stop>,
    ) -> Result<(), (Stop, Vec<FlatRuleId>)> {
        match done {
            Ok(()) => {}
            Err(Stop::Overflow) => {
                self.rules.push(rule);
                self.groups.extend(group);
                self.incomplete = true;
                engine.spare.get_or_insert(SPARE_STEPS);
            }
            Err(Stop::GaveUp) => self.incomplete = true,
            Err(stop) => return Err((stop, vec![rule])),
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), (Stop, Vec<FlatRuleId>)> {
        if self.incomplete { Err((Stop::Overflow, std::mem::take(&mut self.rules))) } else { Ok(()) }
    }
}

/// A plan with the sizes of the relations for which it was made.
struct Planned {
    plan: Plan,
    sizes: Vec<u32>,
}

impl Planned {
    /// Whether no relation has grown much since.
    fn fits(&self, rule: &FlatRule, relations: &Relations) -> bool {
        sizes(rule, relations).zip(&self.sizes).all(|(now, &then)| now <= then.saturating_mul(3))
    }
}

/// The sizes of the relations of a rule's conditions.
fn sizes<'a>(rule: &'a FlatRule, relations: &'a Relations) -> impl Iterator<Item = u32> + 'a {
    rule.body.iter().filter_map(FlatLiteral::atom).map(|atom| relations[atom.relation].len())
}

/// The plans of a rule: one for when its conditions are complete, or one for each condition that can
/// see new rows.
pub(crate) struct RulePlans {
    once: Option<Plan>,
    deltas: Vec<(RelationId, Plan)>,
    conditions: usize,
}

/// Derives heads and keeps nothing else.
pub(crate) struct Derive;

impl Fire for Derive {
    fn select(&mut self, _rule: FlatRuleId) {}

    #[inline]
    fn fire(&mut self, engine: &mut Engine, plan: &Plan) -> Result<(), Stop> {
        // Where the last step of a plan finds many rows, the steps alone would not show what it costs.
        engine.count_step()?;
        engine.derive(plan).map(|_| ())
    }
}
