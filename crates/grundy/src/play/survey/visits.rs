//! What was seen in states and games.

use super::probe::Probe;
use super::{SurveyConfig, lifted};
use crate::ids::{IdVec, ids};
use crate::lifted::{Lifted, LiftedState};
use crate::machine::Ending;
use crate::network::RoleId;
use crate::play::Line;
use crate::reasoner::{GoalValue, ReasonError, Reasoner};
use grundy_syntax::{Program, TermId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// What can go wrong at the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    Stuck,
    Missing,
    Several,
    NotANumber,
}

/// How often, and the line to the first one.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) times: u64,
    pub(super) line: Line,
}

/// Collects what happens in play.
pub(super) struct Visits {
    engine: Option<Lifted>,
    probe: Probe,
    pub(super) roles: IdVec<RoleId, String>,
    /// The states that were visited.
    pub(super) states: u64,
    facts: FxHashSet<TermId>,
    /// Role and move.
    moves: FxHashSet<(RoleId, TermId)>,
    /// Final states.
    pub(super) ends: u64,
    /// By kind and role.
    pub(super) troubles: BTreeMap<(Trouble, RoleId), Seen>,
    /// Games that were given up, or states from which no end can be reached.
    pub(super) endless: Seen,
    /// What had been done when the current phase began.
    work_before: u64,
    /// How many states and joint moves were looked at.
    looks: u64,
}

/// The approximate steps of a state or a joint move besides matching.
const STEPS_OF_A_LOOK: u64 = 50;

impl Visits {
    pub(super) fn new(program: &Program, config: &SurveyConfig) -> Result<Visits, ReasonError> {
        let engine = lifted(program, config)?;
        Ok(Visits {
            roles: engine.roles().into(),
            engine: Some(engine),
            probe: Probe::new(program, config)?,
            states: 0,
            facts: FxHashSet::default(),
            moves: FxHashSet::default(),
            ends: 0,
            troubles: BTreeMap::new(),
            endless: Seen::default(),
            work_before: 0,
            looks: 0,
        })
    }

    /// The engine, to be used together with the rest; it has to be returned.
    pub(super) fn take_engine(&mut self) -> Lifted {
        self.engine.take().expect("the engine was returned")
    }

    pub(super) fn return_engine(&mut self, engine: Lifted) {
        self.engine = Some(engine);
    }

    /// The search is over without having seen everything: random games have a budget of their own, and what is counted begins
    /// anew.
    pub(super) fn begin_games(&mut self) {
        self.work_before = self.engine.as_ref().map_or(0, |engine| self.work(engine));
        (self.states, self.ends) = (0, 0);
        self.troubles.clear();
        self.endless = Seen::default();
    }

    /// Whether there is work left to do. It is called before each step.
    pub(super) fn check(&mut self, engine: &Lifted, config: &SurveyConfig) -> Result<(), ReasonError> {
        self.looks += 1;
        config.budget.check()?;
        if self.work(engine) - self.work_before > config.max_work {
            let message = "not all games were played (limit `work`)".to_owned();
            return Err(ReasonError::Limit { limit: "work", message, rule: String::new() });
        }
        Ok(())
    }

    /// What was done so far, in steps.
    fn work(&self, engine: &Lifted) -> u64 {
        engine.steps() + self.probe.steps() + self.looks * STEPS_OF_A_LOOK
    }

    pub(super) fn see_state(&mut self, state: &LiftedState) {
        self.states += 1;
        self.facts.extend(state.terms().iter().copied());
    }

    pub(super) fn see_legal(&mut self, legal: &[Vec<TermId>]) {
        for (role, moves) in ids(legal.len()).zip(legal) {
            self.moves.extend(moves.iter().map(|&action| (role, action)));
        }
    }

    /// Notes which rules fire in a state, with a joint move or at the end.
    pub(super) fn probe(
        &mut self,
        engine: &Lifted,
        state: &LiftedState,
        joint: Option<&[TermId]>,
    ) -> Result<(), ReasonError> {
        self.probe.look(engine, state, joint)
    }

    /// Whether it matters to the probe which moves are made.
    pub(super) fn asks_for_moves(&self) -> bool {
        self.probe.asks_for_moves()
    }

    /// A game, or a state that ends one.
    pub(super) fn see_end(&mut self, ending: &Ending, line: impl FnOnce() -> Line) {
        let mut troubles = Vec::new();
        match ending {
            Ending::Terminal(goals) => {
                self.ends += 1;
                for (role, goal) in ids(goals.len()).zip(goals) {
                    match goal {
                        // The role `random` needs no goal.
                        GoalValue::Missing if self.roles[role] != "random" => {
                            troubles.push((Trouble::Missing, role));
                        }
                        GoalValue::Missing | GoalValue::Number(_) => {}
                        GoalValue::Several => troubles.push((Trouble::Several, role)),
                        GoalValue::NotANumber => troubles.push((Trouble::NotANumber, role)),
                    }
                }
            }
            Ending::Stuck(roles) => {
                troubles.extend(roles.iter().map(|&role| (Trouble::Stuck, role)));
            }
            Ending::Unfinished => {
                self.endless.times += 1;
                if self.endless.times == 1 {
                    self.endless.line = line();
                }
                return;
            }
        }
        if troubles.is_empty() {
            return;
        }
        let line = line();
        for trouble in troubles {
            let seen = self.troubles.entry(trouble).or_default();
            seen.times += 1;
            if seen.times == 1 {
                seen.line.clone_from(&line);
            }
        }
    }

    /// The facts that held, as text.
    pub(super) fn facts(&self) -> FxHashSet<String> {
        let engine = self.engine.as_ref().expect("the engine was returned");
        self.facts.iter().map(|&fact| engine.move_text(fact)).collect()
    }

    /// The moves that were legal: the role and the text.
    pub(super) fn moves(&self) -> FxHashSet<(RoleId, String)> {
        let engine = self.engine.as_ref().expect("the engine was returned");
        self.moves.iter().map(|&(role, action)| (role, engine.move_text(action))).collect()
    }

    /// The rules that never fired, by number.
    pub(super) fn silent_rules(&self) -> &[usize] {
        self.probe.silent()
    }
}
