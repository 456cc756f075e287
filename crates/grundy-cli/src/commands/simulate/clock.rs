//! When playing ends before all games are played.

use crate::limits;
use crate::output::Failure;
use grundy_syntax::{Budget, Stage};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Watches the time of `--seconds` and the budget of the call while games are played.
pub(super) struct Clock {
    seconds: Option<Duration>,
    pub(super) budget: Budget,
    /// No game is begun any more.
    pub(super) finish: AtomicBool,
    /// Games in play are given up at once: a limit was hit.
    halt: AtomicBool,
}

/// How often the budget is checked.
const TICK: Duration = Duration::from_millis(20);

impl Clock {
    pub(super) fn new(seconds: Option<Duration>, budget: Budget) -> Clock {
        Clock { seconds, budget, finish: AtomicBool::new(false), halt: AtomicBool::new(false) }
    }

    /// Does something, with the clock running from now on.
    pub(super) fn watch<T>(&self, work: impl FnOnce() -> T) -> T {
        self.budget.enter(Stage::Play);
        let end = self.seconds.and_then(|seconds| Instant::now().checked_add(seconds));
        let (done, is_done) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let wait = || {
                    let now = Instant::now();
                    let left = [end, self.budget.deadline()].into_iter().flatten();
                    let left = left.map(|time| time.saturating_duration_since(now));
                    left.filter(|left| !left.is_zero()).min().map_or(TICK, |left| left.min(TICK))
                };
                while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(wait()) {
                    if end.is_some_and(|time| Instant::now() >= time) {
                        self.finish.store(true, Ordering::Relaxed);
                    }
                    if self.budget.is_over() {
                        self.halt.store(true, Ordering::Relaxed);
                    }
                }
            });
            let result = work();
            drop(done);
            result
        })
    }

    /// Whether no game may be begun any more.
    pub(super) fn is_over(&self) -> bool {
        self.finish.load(Ordering::Relaxed) || self.is_halted()
    }

    /// Whether games in play have to be given up.
    pub(super) fn is_halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed)
    }

    /// The limit that gave games up, if one did.
    pub(super) fn limit(&self) -> Option<Failure> {
        let reason = self.budget.check().err();
        reason.map(|reason| limits::failure(reason).at("play"))
    }
}
