//! Trials of evaluation on demand.
//!
//! Evaluation on demand can pay for small views as well, such as the moves of one player of four. This is measured during
//! play: some states are recorded with the answers that were requested. The same answers are requested from an evaluation
//! with another treatment, and the evaluation with fewer steps is kept. Steps are deterministic, so the outcome is, too.

use super::evaluate::{Evaluation, REPLAN_AFTER};
use super::prepare::{Answer, ComponentId};
use super::state::LiftedState;
use super::treatment::Treatment;
use crate::ids::{float, rounded_down, wide};
use crate::reasoner::ReasonError;
use grundy_syntax::{RuleId, TermId};

/// The number of states in a trial. A guess.
const STATES: usize = 8;

/// The distance between recorded states, since consecutive states are similar. A guess.
const STATE_DISTANCE: u32 = 3;

/// The least share of all steps for which a component is worth a trial. A guess.
const LEAST_SHARE: f64 = 0.1;

/// The least number of steps in a state for which a component is worth a trial, since call tables have a cost. A guess.
const LEAST_STEPS: u64 = 128;

/// The largest share of the current steps for which another treatment is adopted. A guess.
const LARGEST_SHARE_TO_CHANGE: f64 = 0.9;

/// A state that was looked at, and the answers requested for it.
struct Look {
    state: LiftedState,
    moves: Option<Vec<TermId>>,
    answers: Vec<Answer>,
}

/// The recorded states, and the outcomes of trials.
#[derive(Default)]
pub(super) struct Trials {
    looks: Vec<Look>,
    /// Whether the last recorded state is the current one.
    is_noting: bool,
    /// The rules of the sheet whose relations are evaluated on demand because of a trial.
    changed: Vec<RuleId>,
    /// The rules whose relations had an unsuccessful trial since the last change.
    failed: Vec<RuleId>,
    /// The number of steps at the end of the last trial.
    last: u64,
    is_over: bool,
}

impl Trials {
    /// Records a state if its number is due.
    pub(super) fn note_state(&mut self, state: &LiftedState, number: u32) {
        self.is_noting = !self.is_over && self.looks.len() < STATES && number.is_multiple_of(STATE_DISTANCE);
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
    /// Makes a trial if one is due: when states have taken as many steps as a trial is expected to take.
    pub(super) fn consider_trial(&mut self) -> Result<(), ReasonError> {
        if self.trials.looks.len() < STATES || self.states <= REPLAN_AFTER {
            return Ok(());
        }
        let of_states = u64::from(STATE_DISTANCE) * wide(STATES) * (self.steps / u64::from(self.states));
        if self.steps < self.trials.last + of_states + self.static_steps {
            return Ok(());
        }
        // Replayed states are not recorded.
        let mut trials = std::mem::take(&mut self.trials);
        self.trials.is_over = true;
        trials.is_over = !self.make_trial(&mut trials)?;
        trials.looks.clear();
        trials.last = self.steps;
        self.trials = trials;
        Ok(())
    }

    /// Tries evaluation on demand for the most expensive views. Returns whether there was a candidate.
    fn make_trial(&mut self, trials: &mut Trials) -> Result<bool, ReasonError> {
        let looks = &trials.looks;
        self.steps_by_component.fill(0);
        let before = self.replay(looks)?;
        let least = rounded_down(float(before) * LEAST_SHARE);
        let Some((rules, steps)) = self.most_expensive(trials) else { return Ok(false) };
        if steps < least.max(LEAST_STEPS * wide(looks.len())) {
            return Ok(false);
        }
        if let Some(treatment) = self.treatment.with_callers(&self.program, &rules)
            // A treatment that hits a limit is rejected.
            && let Ok((rival, after)) = self.rival(treatment, looks)
            && float(after) <= float(before) * LARGEST_SHARE_TO_CHANGE
        {
            *self = rival;
            trials.changed.extend(rules);
            // Rejected candidates may pay in combination with this change.
            trials.failed.clear();
        } else {
            trials.failed.extend(rules);
        }
        Ok(true)
    }

    /// An evaluation with another treatment, and its steps.
    fn rival(&self, treatment: Treatment, looks: &[Look]) -> Result<(Evaluation, u64), ReasonError> {
        let mut rival = self.with_other_treatment(treatment, self.engine.terms.clone())?;
        rival.trials.is_over = true;
        rival.replay(looks)?;
        rival.plan_again();
        let steps = rival.replay(looks)?;
        rival.steps = self.steps;
        rival.states = self.states;
        Ok((rival, steps))
    }

    /// The rules and the steps of the most expensive component without a trial.
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

    /// Replays recorded states. Returns the steps.
    fn replay(&mut self, looks: &[Look]) -> Result<u64, ReasonError> {
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
