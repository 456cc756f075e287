//! One process, measured from outside: wall-clock time, processor time and peak memory.

use grundy::syntax::Budget;
use std::io;
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// How often the budget is checked for an interrupt.
const TICK: Duration = Duration::from_millis(50);

/// How a process ended, and what it used.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) how: How,
    /// From before its start to its end, by the clock.
    pub(crate) wall: Duration,
    /// Processor time, in the program and in the system.
    pub(crate) cpu: Duration,
    /// Peak resident memory, where the system reports it.
    pub(crate) peak_bytes: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// By itself, with this exit code.
    Exited(i32),
    /// By a signal that was not sent from here.
    Crashed,
    /// It was killed at its time limit.
    OutOfTime,
    /// It was killed because the user interrupted the bench.
    Interrupted,
}

impl std::fmt::Display for How {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            How::Exited(code) => write!(f, "exit code {code}"),
            How::Crashed => f.write_str("ended by a signal"),
            How::OutOfTime => f.write_str("out of time"),
            How::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// Bounds that are enforced from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) time: Duration,
    /// Address space; for programs that have no limit of their own. Linux only.
    pub(crate) memory: Option<u64>,
}

/// Runs a command until it ends, it hits the time limit, or the budget is interrupted.
///
/// A separate thread waits for the process, so that its end is timed exactly.
pub(crate) fn measure(command: &mut Command, bounds: Bounds, budget: &Budget) -> io::Result<Ended> {
    let start = Instant::now();
    let child = command.spawn()?;
    let id = child.id();
    limit_memory(id, bounds.memory);
    let (sender, receiver) = channel();
    let waiter = std::thread::spawn(move || {
        let used = child.wait4();
        // The receiver is gone if the caller has failed.
        let _ = sender.send((used, start.elapsed()));
    });
    let mut killed = None;
    let (used, wall) = loop {
        let left = bounds.time.saturating_sub(start.elapsed());
        match receiver.recv_timeout(if killed.is_some() { TICK } else { left.min(TICK) }) {
            Ok(ended) => break ended,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the thread that waits for the process has ended"));
            }
            Err(RecvTimeoutError::Timeout) if killed.is_some() => {}
            Err(RecvTimeoutError::Timeout) => {
                killed = if budget.is_interrupted() {
                    Some(How::Interrupted)
                } else {
                    (start.elapsed() >= bounds.time).then_some(How::OutOfTime)
                };
                if killed.is_some() {
                    kill(id);
                }
            }
        }
    };
    let _ = waiter.join();
    let used = used?;
    let how = killed.unwrap_or(used.status.code().map_or(How::Crashed, How::Exited));
    let peak_bytes = (used.rusage.maxrss > 0).then_some(used.rusage.maxrss);
    Ok(Ended { how, wall, cpu: used.rusage.utime + used.rusage.stime, peak_bytes })
}

/// The processor time of this thread, which does not count other work on the machine; the time by the clock where the
/// system does not report it.
#[cfg(unix)]
pub(crate) fn thread_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // Processor time is never negative.
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The time by the clock.
#[cfg(not(unix))]
pub(crate) fn thread_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Ends a process by its id. The waiting thread may have seen its end a moment ago, and then the id is free; but ids are
/// allocated in turn, so that no other process has it yet.
#[cfg(unix)]
fn kill(id: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Unix only: elsewhere a program has to enforce its limits itself.
#[cfg(not(unix))]
fn kill(_id: u32) {}

#[cfg(target_os = "linux")]
fn limit_memory(id: u32, bytes: Option<u64>) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    if let (Some(pid), Some(_)) = (i32::try_from(id).ok().and_then(Pid::from_raw), bytes) {
        let _ = prlimit(Some(pid), Resource::As, Rlimit { current: bytes, maximum: bytes });
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_memory(_id: u32, _bytes: Option<u64>) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(script: &str, time: f64, stop: bool) -> Ended {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        let bounds = Bounds { time: Duration::from_secs_f64(time), memory: None };
        let budget = Budget::default();
        if stop {
            budget.interrupt();
        }
        measure(&mut command, bounds, &budget).expect("there is a shell")
    }

    #[test]
    fn the_end_of_a_process_is_reported() {
        assert_eq!(run("exit 3", 60.0, false).how, How::Exited(3));
        assert_eq!(run("kill -9 $$", 60.0, false).how, How::Crashed);
        let ended = run("exec sleep 60", 0.1, false);
        assert_eq!(ended.how, How::OutOfTime);
        assert!(ended.wall < Duration::from_secs(30) && ended.wall >= Duration::from_millis(100));
        assert_eq!(run("exec sleep 60", 60.0, true).how, How::Interrupted);
    }

    #[test]
    fn time_and_memory_are_those_of_the_process() {
        let ended = run("exec sleep 0.2", 60.0, false);
        assert!(ended.wall >= Duration::from_millis(200) && ended.cpu < Duration::from_millis(200));
        assert!(ended.peak_bytes.is_none_or(|bytes| bytes > 100_000));
    }
}
