//! The time and memory of a call: its options and the watchdog.
//!
//! A call has one [`Budget`], and every stage checks it. The watchdog is the last resort: a thread that ends the process,
//! with the same typed error, if a stage has not stopped shortly after a limit was hit.

use crate::files;
use crate::memory::used_bytes;
use crate::output::{self, Details, Failure, Outcome};
use grundy_syntax::{Budget, Exhausted, Source};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Limits on the whole command.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct LimitArgs {
    /// Limit: how many seconds the whole command may take
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "3600", help_heading = "Limits")]
    timeout: Duration,

    /// Limit: how many bytes of memory the process may hold; `2G` is two times 2^30, `K` and `M` are the like
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "4G", help_heading = "Limits")]
    max_memory: usize,
}

impl LimitArgs {
    /// The same with at least this much time.
    pub(crate) fn with_time_for(mut self, time: Option<Duration>) -> LimitArgs {
        if let Some(time) = time
            && self.timeout == DEFAULT_TIMEOUT
        {
            self.timeout += time;
        }
        self
    }
}

/// The default of `--timeout`.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(3600);

static BUDGET: OnceLock<Budget> = OnceLock::new();

/// The sheet that is being read or was read last, for the rule that an error names.
static SHEET: Mutex<Option<Arc<Source>>> = Mutex::new(None);

/// The part of the budget for the current sheet, in a command that works on many.
static PART: Mutex<Option<Budget>> = Mutex::new(None);

/// The budget of this call, or of the current sheet.
pub(crate) fn budget() -> Budget {
    let part = PART.lock().unwrap_or_else(PoisonError::into_inner).clone();
    part.unwrap_or_else(whole_budget)
}

/// The budget of this call.
fn whole_budget() -> Budget {
    BUDGET.get_or_init(Budget::default).clone()
}

/// Works on one of many sheets, with at most this much time. A limit that it hits is its own; the others go on, unless the
/// whole call has come to an end, which is the outer error.
pub(crate) fn for_sheet<T>(time: Duration, work: impl FnOnce() -> T) -> Result<T, Exhausted> {
    let set = |part| *PART.lock().unwrap_or_else(PoisonError::into_inner) = part;
    set(Some(whole_budget().part(time)));
    let done = work();
    set(None);
    // Memory is free again.
    match whole_budget().check() {
        Err(reason @ (Exhausted::Timeout | Exhausted::Interrupt)) => Err(reason),
        Ok(()) | Err(Exhausted::Memory) => Ok(done),
    }
}

/// How long one of many sheets may take.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct SheetLimitArgs {
    /// Limit, with many sheets: how many seconds each of them may take; a sheet that takes longer is listed, and the others
    /// go on
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60", help_heading = "Limits")]
    pub(crate) sheet_timeout: Duration,
}

/// Starts the budget, its watchdog, and the handling of Ctrl-C. Called once, before anything else.
pub(crate) fn start(limits: Option<LimitArgs>) {
    let budget = match limits {
        Some(limits) => Budget::new(Some(limits.timeout)).within(limits.max_memory, used_bytes),
        None => Budget::default(),
    };
    let budget = BUDGET.get_or_init(|| budget);
    // Without signals, Ctrl-C just ends the program; so does a second one.
    let _ = ctrlc::set_handler(|| match budget.is_interrupted() {
        false => budget.interrupt(),
        true => std::process::exit(Outcome::Limit as i32),
    });
    let watchdog = std::thread::Builder::new().name("watchdog".to_owned());
    let _ = watchdog.spawn(|| watch(budget));
}

/// Remembers the sheet that stages work on.
pub(crate) fn set_sheet(source: &Arc<Source>) {
    *SHEET.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(source));
}

/// How a command ends whose budget is used up: with the limit, the stage and the responsible rule.
pub(crate) fn failure(reason: Exhausted) -> Failure {
    let budget = budget();
    let sheet = SHEET.lock().unwrap_or_else(PoisonError::into_inner);
    // No rule is responsible for an interrupt.
    let rule = budget.rule().filter(|_| reason != Exhausted::Interrupt).zip(sheet.as_ref());
    let place = rule.map(|(span, source)| (source.slice(span), source.place(span.start)));
    let mut message = format!("{reason} in stage `{}`", budget.stage().name());
    if let Some((text, place)) = &place {
        let file = sheet.as_ref().map_or("", |source| source.name());
        message += &format!(", at {file}:{}:{}: {}", place.line, place.column, shortened(text));
    }
    message += match reason {
        Exhausted::Timeout => "; `--timeout SECONDS` allows more time",
        Exhausted::Memory => "; `--max-memory BYTES` allows more",
        Exhausted::Interrupt => "",
    };
    let details = Details {
        limit: Some(reason.name().to_owned()),
        stage: Some(budget.stage().name()),
        rule: place.as_ref().map(|(text, _)| shortened(text)),
        line: place.as_ref().map(|(_, place)| place.line as u32),
        column: place.as_ref().map(|(_, place)| place.column as u32),
        interrupted: reason == Exhausted::Interrupt,
        ..Details::default()
    };
    Failure::new(Outcome::Limit, message).with(details)
}

impl From<Exhausted> for Failure {
    fn from(reason: Exhausted) -> Failure {
        failure(reason)
    }
}

/// A rule in one line.
pub(crate) fn shortened(rule: &str) -> String {
    const LONGEST: usize = 200;
    let line: String = rule.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// How long stages may take to stop by themselves after the deadline, and after an interrupt.
const GRACE: Duration = Duration::from_millis(200);
const INTERRUPT_GRACE: Duration = Duration::from_millis(420);

/// By how much stages may exceed the memory: this share of it, and these bytes.
const SPARE_SHARE: usize = 32;
const SPARE_BYTES: usize = 8 << 20;

/// How long the memory may be exceeded: a stage may be about to notice.
const MEMORY_GRACE: Duration = Duration::from_millis(4);

/// Ends the process if a limit was exceeded and no stage has stopped.
fn watch(budget: &Budget) {
    let most = budget.bytes().saturating_add(budget.bytes() / SPARE_SHARE).saturating_add(SPARE_BYTES);
    let end = budget.deadline().and_then(|deadline| deadline.checked_add(GRACE));
    let (mut interrupt_end, mut memory_end) = (None, None);
    let start = files::resident_memory().unwrap_or(0);
    loop {
        let now = Instant::now();
        if budget.is_interrupted() && now >= *interrupt_end.get_or_insert(now + INTERRUPT_GRACE) {
            abort(Exhausted::Interrupt);
        }
        if end.is_some_and(|end| now >= end) {
            abort(Exhausted::Timeout);
        }
        // Stages keep to what they have asked for; the system counts what it had to give.
        let resident = files::resident_memory().unwrap_or(0).saturating_sub(start);
        let left = most.saturating_sub(used_bytes().max(resident));
        if left > 0 {
            memory_end = None;
        } else if now >= *memory_end.get_or_insert(now + MEMORY_GRACE) {
            abort(Exhausted::Memory);
        }
        std::thread::sleep(pause(left, end.map(|end| end.duration_since(now))));
    }
}

/// The time until the next look: memory is hardly ever filled faster than at sixteen gigabytes a second.
fn pause(bytes_left: usize, time_left: Option<Duration>) -> Duration {
    const BYTES_PER_SECOND: f64 = 16e9;
    const LONGEST: Duration = Duration::from_millis(50);
    const SHORTEST: Duration = Duration::from_millis(1);
    let until_full = Duration::from_secs_f64((bytes_left as f64 / BYTES_PER_SECOND).min(1.0));
    until_full.min(time_left.unwrap_or(LONGEST)).clamp(SHORTEST, LONGEST)
}

fn abort(reason: Exhausted) -> ! {
    let outcome = output::finish(Err(failure(reason).into()), output::wants_json());
    files::remove_unfinished();
    std::process::exit(outcome as i32)
}

/// Reads a positive number of seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    if !(seconds > 0.0 && seconds < 1e9) {
        return Err("the number of seconds has to be positive".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Reads a number of bytes: `2G`, `1.5GB` and `1536M` stand for powers of 1024.
pub(crate) fn bytes(text: &str) -> Result<usize, String> {
    let upper = text.trim().to_ascii_uppercase();
    let number = upper.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit: f64 = match &upper[number.len()..] {
        "" | "B" => 1.0,
        "K" | "KB" | "KIB" => 1024.0,
        "M" | "MB" | "MIB" => 1024.0 * 1024.0,
        "G" | "GB" | "GIB" => 1024.0 * 1024.0 * 1024.0,
        other => return Err(format!("`{other}` is no unit: use K, M or G, or none for bytes")),
    };
    let count: f64 = number.trim().parse().map_err(|_| format!("`{text}` is not a number of bytes"))?;
    let bytes = count * unit;
    if (1.0..=1e15).contains(&bytes) {
        Ok(bytes as usize)
    } else {
        Err("between 1 and 10^15 bytes".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, pause};
    use std::time::Duration;

    #[test]
    fn bytes_have_units() {
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("2G"), Ok(2 << 30));
        assert_eq!(bytes("1.5 gb"), Ok(3 << 29));
        assert_eq!(bytes("300MiB"), Ok(300 << 20));
        for wrong in ["", "G", "-1", "0", "2T", "1e30", "two"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_watchdog_looks_more_often_near_a_limit() {
        let far = pause(usize::MAX, None);
        assert!(pause(40 << 20, None) < far && pause(0, None) > Duration::ZERO);
        assert!(pause(usize::MAX, Some(Duration::from_millis(7))) <= Duration::from_millis(7));
    }
}
