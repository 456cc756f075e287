//! [`Budget`]: the time and memory of one call, shared by all of its stages.
//!
//! A budget is created once per call and passed down. Every loop that can take long, and every structure that can grow,
//! checks it regularly. There are two ways to check:
//!
//! - [`Budget::check`] returns an error, which ends the stage.
//! - [`Budget::is_over`] returns a boolean, for inner functions that just stop early. The stage around them has to
//!   call `check` before it uses their result. This is safe because a budget *latches*: once a check has failed, all later
//!   checks of the same budget fail with the same reason, even if memory was freed since.
//!
//! [`Budget::part`] gives a stage less time than the whole call has. A part latches on its own, so the call can go on
//! without the stage; an interrupt and the deadline of the whole call end all parts.
//!
//! The library does not own the allocator. A program with an accounting allocator passes a function that returns the
//! bytes held by the process ([`Budget::within`]); without one, stages count what they hold themselves
//! ([`Budget::check_with`]).

use crate::Span;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The part of a budget that is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// The deadline has passed.
    #[error("out of time (limit `timeout`)")]
    Timeout,
    /// More memory is held than allowed.
    #[error("out of memory (limit `memory`)")]
    Memory,
    /// The caller asked to stop.
    #[error("interrupted (limit `interrupt`)")]
    Interrupt,
}

impl Exhausted {
    const ALL: [Exhausted; 3] = [Exhausted::Timeout, Exhausted::Memory, Exhausted::Interrupt];

    /// The name of the limit.
    pub fn name(self) -> &'static str {
        match self {
            Exhausted::Timeout => "timeout",
            Exhausted::Memory => "memory",
            Exhausted::Interrupt => "interrupt",
        }
    }
}

/// The stages of a call, for error messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Text becomes a program.
    #[default]
    Read,
    /// The program is checked.
    Check,
    /// Functions are taken apart; rules are simplified and split.
    Flatten,
    /// Rules are ground.
    Ground,
    /// Ground rules become a network, and passes make it smaller.
    Network,
    /// Invariants of states are proved.
    Invariants,
    /// A network becomes a machine.
    Machine,
    /// The engine is compared with the reference.
    SelfCheck,
    /// Games are played or counted.
    Play,
    /// Metarules are searched.
    Metarules,
    /// Goals are unfolded.
    Unfold,
    /// Features become clauses and values.
    Features,
    /// Results are written.
    Write,
}

impl Stage {
    const ALL: [Stage; 13] = [
        Stage::Read,
        Stage::Check,
        Stage::Flatten,
        Stage::Ground,
        Stage::Network,
        Stage::Invariants,
        Stage::Machine,
        Stage::SelfCheck,
        Stage::Play,
        Stage::Metarules,
        Stage::Unfold,
        Stage::Features,
        Stage::Write,
    ];

    /// The name of the stage.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Read => "read",
            Stage::Check => "check",
            Stage::Flatten => "flatten",
            Stage::Ground => "ground",
            Stage::Network => "network",
            Stage::Invariants => "invariants",
            Stage::Machine => "machine",
            Stage::SelfCheck => "self-check",
            Stage::Play => "play",
            Stage::Metarules => "metarules",
            Stage::Unfold => "unfold",
            Stage::Features => "features",
            Stage::Write => "write",
        }
    }
}

/// The time and memory of one call. Clones are the same budget.
#[derive(Clone, Debug)]
pub struct Budget {
    deadline: Option<Instant>,
    bytes: usize,
    /// 0, or one more than the position in `Exhausted::ALL` of the reason why a check has failed.
    latch: Arc<AtomicU8>,
    call: Arc<Call>,
}

/// What all parts of a budget share.
#[derive(Debug)]
struct Call {
    interrupted: AtomicBool,
    /// Returns the bytes held by the process.
    used: fn() -> usize,
    stage: AtomicU8,
    /// The current rule: the start of its span in the upper half, the end in the lower half; 0 for none.
    rule: AtomicU64,
}

impl Default for Budget {
    /// A budget without bounds.
    fn default() -> Budget {
        Budget::new(None)
    }
}

impl Budget {
    /// A budget with this much time from now and unlimited memory.
    pub fn new(time: Option<Duration>) -> Budget {
        Budget { deadline: after(time), bytes: usize::MAX, latch: Arc::default(), call: Call::new(|| 0) }
    }

    /// A new budget with the same deadline and this many bytes of memory; `used` returns the bytes held by the
    /// process.
    pub fn within(self, bytes: usize, used: fn() -> usize) -> Budget {
        Budget { deadline: self.deadline, bytes, latch: Arc::default(), call: Call::new(used) }
    }

    /// A part of this budget: at most this much of the time that is left, from now.
    pub fn part(&self, time: Duration) -> Budget {
        let deadline = match (self.deadline, after(Some(time))) {
            (Some(whole), Some(part)) => Some(whole.min(part)),
            (whole, part) => whole.or(part),
        };
        Budget { deadline, latch: Arc::default(), ..self.clone() }
    }

    /// A part of this budget: this share of the time that is left, if time is bounded.
    pub fn share(&self, share: f64) -> Budget {
        let part = |left: Duration| self.part(left.mul_f64(share));
        self.time_left().map_or_else(|| self.part(Duration::MAX), part)
    }

    /// A part of this budget: at most this many bytes for the whole process.
    pub fn with_bytes(&self, bytes: usize) -> Budget {
        Budget { bytes: self.bytes.min(bytes), latch: Arc::default(), ..self.clone() }
    }

    /// The end of the time, if it is bounded.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The time that is left, if it is bounded.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The bytes that the process may hold.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes that the process holds, or 0 without an accounting allocator.
    pub fn used_bytes(&self) -> usize {
        (self.call.used)()
    }

    /// Asks all stages that use this budget, or a part of it, to stop.
    pub fn interrupt(&self) {
        self.call.interrupted.store(true, Ordering::Relaxed);
    }

    /// Whether the call was interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.call.interrupted.load(Ordering::Relaxed)
    }

    /// Whether the stage may go on. Costs about as much as reading the clock.
    pub fn check(&self) -> Result<(), Exhausted> {
        self.check_with(0)
    }

    /// The same as a boolean; see the module's documentation for when to use which.
    pub fn is_over(&self) -> bool {
        self.check().is_err()
    }

    /// Whether a stage that holds this many bytes by its own count may go on.
    pub fn check_with(&self, bytes: usize) -> Result<(), Exhausted> {
        if let Some(reason) = self.latched() {
            return Err(reason);
        }
        if self.is_interrupted() {
            return Err(self.fail(Exhausted::Interrupt));
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(self.fail(Exhausted::Timeout));
        }
        if self.bytes != usize::MAX && bytes.max(self.used_bytes()) > self.bytes {
            return Err(self.fail(Exhausted::Memory));
        }
        Ok(())
    }

    /// Whether there is room for this many bytes more.
    pub fn check_room(&self, more: usize) -> Result<(), Exhausted> {
        let has_room = self.bytes == usize::MAX || self.used_bytes().saturating_add(more) <= self.bytes;
        if has_room { self.check() } else { Err(self.fail(Exhausted::Memory)) }
    }

    fn fail(&self, reason: Exhausted) -> Exhausted {
        let number = Exhausted::ALL.iter().position(|&other| other == reason).unwrap_or_default();
        // Of several threads, the first one decides.
        let _ = self.latch.compare_exchange(0, number as u8 + 1, Ordering::Relaxed, Ordering::Relaxed);
        self.latched().unwrap_or(reason)
    }

    fn latched(&self) -> Option<Exhausted> {
        let number = usize::from(self.latch.load(Ordering::Relaxed));
        number.checked_sub(1).map(|position| Exhausted::ALL[position])
    }

    /// Records that a stage begins, for error messages. The rule that was recorded last is forgotten, except by the stages
    /// after grounding whose size it explains.
    pub fn enter(&self, stage: Stage) {
        let number = Stage::ALL.iter().position(|&other| other == stage).unwrap_or_default();
        self.call.stage.store(number as u8, Ordering::Relaxed);
        if !matches!(stage, Stage::Network | Stage::Invariants | Stage::Machine) {
            self.call.rule.store(0, Ordering::Relaxed);
        }
    }

    /// The current stage.
    pub fn stage(&self) -> Stage {
        Stage::ALL[usize::from(self.call.stage.load(Ordering::Relaxed))]
    }

    /// Records the rule that is worked on, for error messages. It stays until the next one is recorded: after grounding, it
    /// is the rule with the most instances.
    pub fn at_rule(&self, span: Span) {
        self.call.rule.store(u64::from(span.start) << 32 | u64::from(span.end), Ordering::Relaxed);
    }

    /// The rule that was recorded last, if there is any.
    pub fn rule(&self) -> Option<Span> {
        let packed = self.call.rule.load(Ordering::Relaxed);
        (packed != 0).then_some(Span { start: (packed >> 32) as u32, end: packed as u32 })
    }
}

impl Call {
    fn new(used: fn() -> usize) -> Arc<Call> {
        Arc::new(Call {
            interrupted: AtomicBool::new(false),
            used,
            stage: AtomicU8::new(0),
            rule: AtomicU64::new(0),
        })
    }
}

fn after(time: Option<Duration>) -> Option<Instant> {
    time.and_then(|time| Instant::now().checked_add(time))
}

/// How many ticks pass between checks of a budget.
const TICKS: u32 = 512;

/// A counter for loops with short turns: only one turn in some hundreds checks the budget.
#[derive(Clone, Debug, Default)]
pub struct Ticks(u32);

impl Ticks {
    /// To be called once per turn.
    #[inline]
    pub fn tick(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        self.0 = self.0.wrapping_add(1);
        if self.0.is_multiple_of(TICKS) { budget.check() } else { Ok(()) }
    }

    /// To be called for a turn with this much work, counted in units of about ten nanoseconds.
    #[inline]
    pub fn work(&mut self, budget: &Budget, units: usize) -> Result<(), Exhausted> {
        let before = self.0;
        // More work than is counted between two checks is as good as that.
        self.0 = before.wrapping_add(u32::try_from(units).unwrap_or(TICKS));
        if before / TICKS != self.0 / TICKS { budget.check() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_with_the_whole() {
        let whole = Budget::new(Some(Duration::from_secs(100)));
        let part = whole.part(Duration::from_secs(1000));
        assert!(part.deadline() == whole.deadline() && part.check().is_ok());
        assert_eq!(whole.part(Duration::ZERO).check(), Err(Exhausted::Timeout));
        assert_eq!(whole.check(), Ok(()), "a part latches on its own");
        whole.interrupt();
        assert_eq!(part.check(), Err(Exhausted::Interrupt));
    }

    #[test]
    fn memory_is_what_the_process_holds_or_what_a_stage_counts() {
        let budget = Budget::default().within(100, || 60);
        assert_eq!(budget.check_with(100), Ok(()));
        assert_eq!(budget.check_with(101), Err(Exhausted::Memory));
        assert_eq!(budget.with_bytes(100).check_room(40), Ok(()));
        assert_eq!(budget.with_bytes(100).check_room(41), Err(Exhausted::Memory));
        assert_eq!(budget.with_bytes(59).check(), Err(Exhausted::Memory));
        assert_eq!(Budget::default().check_with(usize::MAX), Ok(()));
    }

    #[test]
    fn a_failed_check_stays_failed() {
        let budget = Budget::default().within(100, || 60);
        assert_eq!(budget.check_with(101), Err(Exhausted::Memory));
        budget.interrupt();
        assert_eq!(budget.clone().check_with(0), Err(Exhausted::Memory), "the first reason counts");
    }

    #[test]
    fn stages_and_rules_are_recorded() {
        let budget = Budget::default();
        assert_eq!((budget.stage(), budget.rule()), (Stage::Read, None));
        budget.at_rule(Span { start: 3, end: 7 });
        budget.part(Duration::MAX).enter(Stage::Network);
        assert_eq!((budget.stage().name(), budget.rule()), ("network", Some(Span { start: 3, end: 7 })));
        budget.enter(Stage::Play);
        assert_eq!((budget.stage().name(), budget.rule()), ("play", None));
    }

    #[test]
    fn ticks_check_now_and_then() {
        let budget = Budget::new(Some(Duration::ZERO));
        let mut ticks = Ticks::default();
        let passed = (0..10_000).take_while(|_| ticks.tick(&budget).is_ok()).count();
        assert!(passed < 10_000 && passed > 0, "{passed}");
        assert!(Ticks::default().work(&budget, 10_000).is_err());
    }
}
