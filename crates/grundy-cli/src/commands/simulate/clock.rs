//! When playing ends before all games are played.

use crate::interrupt;
use crate::output::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Looks at the time, and at whether the user asks to stop, while games are played.
pub(super) struct Clock {
    seconds: Option<Duration>,
    deadline: Option<Instant>,
    /// No game is begun any more.
    pub(super) finish: AtomicBool,
    /// Games in play are given up at once: a limit was hit.
    pub(super) halt: Arc<AtomicBool>,
    interrupt: Arc<AtomicBool>,
}

/// So often the user's wish to stop is looked at.
const TICK: Duration = Duration::from_millis(20);

impl Clock {
    pub(super) fn new(seconds: Option<Duration>, deadline: Option<Instant>) -> Clock {
        let interrupt = interrupt::on_ctrl_c();
        Clock { seconds, deadline, finish: AtomicBool::new(false), halt: Arc::default(), interrupt }
    }

    /// Does something, with the clock running from now on.
    pub(super) fn watch<T>(&self, work: impl FnOnce() -> T) -> T {
        let end = self.seconds.and_then(|seconds| Instant::now().checked_add(seconds));
        let (done, is_done) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let wait = || {
                    let now = Instant::now();
                    let left = [end, self.deadline].into_iter().flatten();
                    let left = left.map(|time| time.saturating_duration_since(now));
                    left.filter(|left| !left.is_zero()).min().map_or(TICK, |left| left.min(TICK))
                };
                while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(wait()) {
                    let is_over = |time: Option<Instant>| time.is_some_and(|time| Instant::now() >= time);
                    if is_over(end) {
                        self.finish.store(true, Ordering::Relaxed);
                    }
                    if is_over(self.deadline) || self.interrupt.load(Ordering::Relaxed) {
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
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(interrupt::failure().at("play"));
        }
        self.is_halted().then(|| Failure::limit("timeout", "out of time (limit `timeout`)").at("play"))
    }
}
