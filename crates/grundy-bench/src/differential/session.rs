//! The comparison of one sheet: what is compared, how much time is left, and which engines hit a limit.

use super::transcript::States;
use super::{Agreement, Config, Difference, Transcript};
use grundy::game::GameError;
use grundy::ground::{GroundError, LimitKind};
use grundy::network::ConnectError;
use grundy::reasoner::{ReasonError, Reasoner};
use grundy::syntax::{Budget, Program};
use std::sync::{Mutex, PoisonError};

/// Which engine is at work, for threads that look on.
#[derive(Debug, Default)]
pub struct Watch(Mutex<String>);

impl Watch {
    pub(super) fn enter(&self, engine: &str) {
        let mut name = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        name.clear();
        name.push_str(engine);
    }

    /// The engine, with its configuration.
    pub fn engine(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The comparison of one sheet.
pub(super) struct Session<'a> {
    /// Whether negation occurs in cycles of rules. Then ground rules can have a cycle that no state closes: the reference
    /// plays on, and there is no ground program or network.
    may_have_cycles: bool,
    pub(super) program: &'a Program,
    pub(super) transcript: &'a Transcript,
    pub(super) config: &'a Config,
    watch: &'a Watch,
    budget: Budget,
    engines: usize,
    skipped: Vec<String>,
}

/// An error that may only say that a limit was hit.
pub(super) trait MayBeLimit: std::fmt::Display {
    /// Whether it is a limit.
    fn is_limit(&self) -> bool;

    /// Whether it is a limit that the comparison itself has set, for all sheets: on the rules of a ground program.
    fn is_own_limit(&self) -> bool {
        false
    }

    /// Whether it says that an atom depends on its own negation.
    fn is_negation_cycle(&self) -> bool {
        false
    }
}

impl MayBeLimit for ReasonError {
    fn is_limit(&self) -> bool {
        matches!(self, ReasonError::Limit { .. })
    }
}

impl MayBeLimit for GroundError {
    fn is_limit(&self) -> bool {
        matches!(self, GroundError::Limit { .. })
    }

    fn is_own_limit(&self) -> bool {
        matches!(self, GroundError::Limit { limit: LimitKind::Rules, .. })
    }

    fn is_negation_cycle(&self) -> bool {
        matches!(self, GroundError::NegationCycle { .. })
    }
}

impl MayBeLimit for GameError {
    fn is_limit(&self) -> bool {
        match self {
            GameError::Ground(error) => error.is_limit(),
            GameError::Exhausted(_) => true,
            GameError::Connect(error) => {
                matches!(error, ConnectError::TooLarge | ConnectError::Lifted(_))
            }
            _ => false,
        }
    }

    fn is_negation_cycle(&self) -> bool {
        match self {
            GameError::Ground(error) => error.is_negation_cycle(),
            GameError::Connect(error) => matches!(error, ConnectError::NegationCycle(_)),
            _ => false,
        }
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(
        program: &'a Program,
        transcript: &'a Transcript,
        config: &'a Config,
        watch: &'a Watch,
        budget: Budget,
        may_have_cycles: bool,
    ) -> Session<'a> {
        let (engines, skipped) = (0, Vec::new());
        Session { may_have_cycles, program, transcript, config, watch, budget, engines, skipped }
    }

    pub(super) fn agreement(self) -> Agreement {
        Agreement { states: self.transcript.len(), engines: self.engines, skipped: self.skipped }
    }

    /// Begins with an engine; false if there is no time left for it.
    pub(super) fn enter(&mut self, engine: &str) -> bool {
        self.watch.enter(engine);
        let has_time = self.budget.check().is_ok();
        if !has_time {
            self.skip(engine, "timeout");
        }
        has_time
    }

    /// What the engine that is at work may take.
    pub(super) fn budget(&self) -> Budget {
        self.budget.share(0.25)
    }

    /// Whether sheets may be too large for some engines.
    pub(super) fn may_skip(&self) -> bool {
        self.budget.deadline().is_some()
    }

    /// What an engine made, unless a limit was hit.
    pub(super) fn made<T, E: MayBeLimit>(
        &mut self,
        engine: &str,
        result: Result<T, E>,
    ) -> Result<Option<T>, Difference> {
        match result {
            Ok(made) => Ok(Some(made)),
            Err(error) if error.is_own_limit() || (self.may_skip() && error.is_limit()) => {
                self.skip(engine, &error.to_string());
                Ok(None)
            }
            Err(error) if self.may_have_cycles && error.is_negation_cycle() => Ok(None),
            Err(error) => Err(differs(engine, error.to_string())),
        }
    }

    pub(super) fn skip(&mut self, engine: &str, limit: &str) {
        self.skipped.push(format!("{engine}: {}", limit.lines().next().unwrap_or_default()));
    }

    /// Compares an engine with the reference.
    pub(super) fn compare<R: Reasoner>(
        &mut self,
        engine: &str,
        reasoner: &mut R,
        states: States,
    ) -> Result<(), Difference> {
        if !self.enter(engine) {
            return Ok(());
        }
        self.engines += 1;
        let found = self.transcript.compare(reasoner, states);
        match self.made(engine, found)? {
            Some(Some(difference)) => Err(differs(engine, difference)),
            _ => Ok(()),
        }
    }
}

/// A disagreement.
pub(super) fn differs(engine: &str, what: impl Into<String>) -> Difference {
    Difference { engine: engine.to_owned(), what: what.into() }
}
