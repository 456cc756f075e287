//! Trying whether evaluation on demand would take fewer steps.
//!
//! A view may be small and still be worth asking for: the moves of one player of four. Whether it is shows in play. A few
//! states are remembered with all that they were asked for; the same is asked of an evaluation with another treatment,
//! and the one that takes fewer steps goes on. Steps are counted, not timed, so the outcome is the same each time.

use super::evaluate::{Evaluation, REPLAN_AFTER};
use super::prepare::{Answer, ComponentId};
use super::state::LiftedState;
use super::treatment::Treatment;
use crate::ids::{float, rounded_down, wide};
use crate::reasoner::ReasonError;
use grundy_syntax::{RuleId, TermId};

/// So many states are remembered.
const STATES: usize = 8;

/// One of so many states is remembered: those that follow each other are too much alike.
const EVERY: u32 = 3;

/// Views that take a smaller share of all steps are not worth a trial.
const SHARE: f64 = 0.1;

/// Nor are those that take fewer steps in a state: tables of calls cost something.
const FEW_STEPS: u64 = 128;

/// Another treatment has to take no more than this share of the steps.
const WORTH_CHANGING: f64 = 0.9;

/// A state that was looked at, and what it was asked for.
struct Look {
    state: LiftedState,
    moves: Option<Vec<TermId>>,
    answers: Vec<Answer>,
}

/// The states that were looked at of late, and what has been tried.
#[derive(Default)]
pub(super) struct Trials {
    looks: Vec<Look>,
    /// Whether the last of them is the current one.
    is_noting: bool,
    /// The rules of the sheet whose relations are evaluated on demand because of a trial.
    changed: Vec<RuleId>,
    /// Those whose relations have had a trial since then, for nothing.
    failed: Vec<RuleId>,
    /// How many steps had been taken after the last trial.
    last: u64,
    is_over: bool,
}

impl Trials {
    /// Takes note of a state, the number of which is given, if it is one of those to remember.
    pub(super) fn note_state(&mut self, state: &LiftedState, number: u32) {
        self.is_noting = !self.is_over && self.looks.len() < STATES && number.is_multiple_of(EVERY);
        if self.is_noting {
            self.looks.push(Look { state: state.clone(), moves: None, answers: Vec::new() });
        }
    }

    pub(super) fn note_moves(&mut self, moves: &[TermId]) {
        if let Some(look) = self.current() {
            look.moves = Some(moves.to_vec());
        }
    }

    pub(super) fn note_answer(&mut self, answer: Answer) {
        if let Some(look) = self.current()
            && !look.answers.contains(&answer)
        {
            look.answers.push(answer);
        }
    }

    fn current(&mut self) -> Option<&mut Look> {
        self.looks.last_mut().filter(|_| self.is_noting)
    }
}

impl Evaluation {
    /// Makes a trial if it is time for one: when the states have taken as many steps as a trial takes.
    pub(super) fn consider_trial(&mut self) -> Result<(), ReasonError> {
        if self.trials.looks.len() < STATES || self.states <= REPLAN_AFTER {
            return Ok(());
        }
        let of_states = u64::from(EVERY) * wide(STATES) * (self.steps / u64::from(self.states));
        if self.steps < self.trials.last + of_states + self.static_steps {
            return Ok(());
        }
        // What is asked again is not to be noted.
        let mut trials = std::mem::take(&mut self.trials);
        self.trials.is_over = true;
        trials.is_over = !self.make_trial(&mut trials)?;
        trials.looks.clear();
        trials.last = self.steps;
        self.trials = trials;
        Ok(())
    }

    /// Tries to evaluate on demand the views that take most steps; false if there are none.
    fn make_trial(&mut self, trials: &mut Trials) -> Result<bool, ReasonError> {
        let looks = &trials.looks;
        self.steps_by_component.fill(0);
        let before = self.ask_again(looks)?;
        let least = rounded_down(float(before) * SHARE);
        let Some((rules, steps)) = self.most_expensive(trials) else { return Ok(false) };
        if steps < least.max(FEW_STEPS * wide(looks.len())) {
            return Ok(false);
        }
        if let Some(treatment) = self.treatment.with_callers(&self.program, &rules)
            // One that runs into a limit is none.
            && let Ok((rival, after)) = self.rival(treatment, looks)
            && float(after) <= float(before) * WORTH_CHANGING
        {
            *self = rival;
            trials.changed.extend(rules);
            // What was not worth it may be together with this.
            trials.failed.clear();
        } else {
            trials.failed.extend(rules);
        }
        Ok(true)
    }

    /// The same game with another treatment, and how many steps it takes.
    fn rival(&self, treatment: Treatment, looks: &[Look]) -> Result<(Evaluation, u64), ReasonError> {
        let mut rival = self.with_other_treatment(treatment, self.engine.terms.clone())?;
        rival.trials.is_over = true;
        rival.ask_again(looks)?;
        rival.plan_again();
        let steps = rival.ask_again(looks)?;
        rival.steps = self.steps;
        rival.states = self.states;
        Ok((rival, steps))
    }

    /// The rules of the component that took most steps, with these, of those that have not been tried.
    fn most_expensive(&self, trials: &Trials) -> Option<(Vec<RuleId>, u64)> {
        let rules = |component: ComponentId| -> Vec<RuleId> {
            let rules = self.schedule.components[component].rules.iter();
            rules.filter_map(|&rule| self.flat.rules[rule].origin.rule()).collect()
        };
        let components = self.steps_by_component.entries();
        let candidates = components.map(|(component, &steps)| (rules(component), steps));
        let is_new = |rule: &RuleId| !trials.changed.contains(rule) && !trials.failed.contains(rule);
        candidates.filter(|(rules, _)| rules.iter().any(is_new)).max_by_key(|&(_, steps)| steps)
    }

    /// Asks for the same again, and counts the steps.
    fn ask_again(&mut self, looks: &[Look]) -> Result<u64, ReasonError> {
        let before = self.steps;
        for look in looks {
            self.look_at(&look.state)?;
            if let Some(moves) = &look.moves {
                self.play(moves)?;
            }
            for &answer in &look.answers {
                self.answer(answer)?;
            }
        }
        Ok(self.steps - before)
    }
}
