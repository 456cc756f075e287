//! What a [campaign](crate::campaign) has found: counts, and the sheets on which engines disagree, reduced.

use crate::campaign::Outcome;
use crate::differential::{Config, Difference, Verdict, check};
use crate::numbers::{count, grouped};
use crate::{Coverage, Minimised, minimise};
use grundy::syntax::Budget;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The limit on tries of the reduction of a sheet.
const MOST_TRIES: usize = 3000;

/// A sheet on which an engine disagrees.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The name of the sheet.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The engine that disagrees, and how.
    pub difference: Difference,
    /// Whether no rule or condition can be left out.
    pub is_minimal: bool,
}

/// What has been found so far.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// How many sheets were taken.
    pub sheets: u64,
    /// On how many of them the engines were compared.
    pub compared: u64,
    /// How many states were compared.
    pub states: u64,
    /// How many engines played the games of a sheet, over all sheets.
    pub replays: u64,
    /// Sheets that the reference cannot play, and why.
    pub rejected: Vec<String>,
    /// Engines that hit a limit and were skipped.
    pub skipped: Vec<String>,
    /// Engines that did not return in time.
    pub stuck: Vec<String>,
    /// Sheets on which engines disagree.
    pub failed: Vec<Failed>,
}

impl Findings {
    /// Adds the outcome of a sheet.
    pub fn add(&mut self, name: String, text: String, outcome: Outcome) {
        self.sheets += 1;
        match outcome {
            Outcome::Checked(Verdict::Agree(agreement)) => {
                self.compared += 1;
                self.states += u64::try_from(agreement.states).unwrap_or(u64::MAX);
                self.replays += u64::try_from(agreement.engines).unwrap_or(u64::MAX);
                self.skipped.extend(agreement.skipped.iter().map(|engine| format!("{name}: {engine}")));
            }
            Outcome::Checked(Verdict::Rejected(why)) => self.rejected.push(format!("{name}: {why}")),
            Outcome::Checked(Verdict::Differs(difference)) => {
                self.failed.push(Failed { name, text, difference, is_minimal: false });
            }
            Outcome::Stuck(engine) => self.stuck.push(format!("{name}: {engine} does not return")),
        }
    }

    /// The sum of all findings in a line; `noun` is what the sheets are called.
    pub fn text(&self, noun: &str) -> String {
        format!(
            "{}: {} compared ({} in {}), {} rejected, {} stuck, {} skipped by limits, {} disagree\n",
            count(grouped(self.sheets), noun),
            grouped(self.compared),
            count(grouped(self.states), "state"),
            count(grouped(self.replays), "replay"),
            grouped(self.rejected.len()),
            grouped(self.stuck.len()),
            count(grouped(self.skipped.len()), "engine"),
            grouped(self.failed.len()),
        )
    }

    /// All findings for programs; `files` are the paths of the failed sheets, where they were written.
    pub fn json(&self, files: &[Option<PathBuf>], coverage: Option<&Coverage>) -> Value {
        let failures = self.failed.iter().zip(files).map(|(failed, file)| {
            json!({
                "name": failed.name,
                "engine": failed.difference.engine,
                "difference": failed.difference.what,
                "minimised": failed.is_minimal,
                "sheet": failed.text,
                "file": file,
            })
        });
        let mut object = json!({
            "sheets": self.sheets,
            "compared": self.compared,
            "states": self.states,
            "replays": self.replays,
            "rejected": self.rejected,
            "stuck": self.stuck,
            "skipped": self.skipped,
            "failures": failures.collect::<Vec<_>>(),
        });
        if let Some(coverage) = coverage {
            let shares = coverage.shares().map(|(name, share, _)| (name.to_owned(), json!(share)));
            object["coverage"] = Value::Object(shares.collect());
        }
        object
    }
}

impl Failed {
    /// The sheet with the difference as a comment.
    pub fn commented(&self) -> String {
        let minimised = if self.is_minimal { ", minimised" } else { "" };
        let mut text = format!("; {}{minimised}\n", self.name);
        self.difference.to_string().lines().for_each(|line| text.push_str(&format!("; {line}\n")));
        text + &self.text
    }

    /// Reduces the sheet as long as the engine disagrees in the same way. The work is done in a thread, which is abandoned
    /// when an engine does not return within the patience, or when `is_stopped`; only the latter returns false.
    pub fn reduce(
        &mut self,
        config: Config,
        patience: Duration,
        budget: &Budget,
        is_stopped: impl Fn() -> bool,
    ) -> bool {
        const TICK: Duration = Duration::from_millis(50);
        let (send, receive) = channel();
        let (text, difference, budget) = (self.text.clone(), self.difference.clone(), budget.clone());
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(move || {
            let small = reduced(&text, &difference, config, &budget);
            // The receiver is gone if the reduction was abandoned.
            let _ = send.send((check(&small.sheet, &config), small));
        });
        drop(thread);
        let given_up = Instant::now() + patience * 5;
        loop {
            match receive.recv_timeout(TICK) {
                Ok((Verdict::Differs(difference), Minimised { sheet, is_minimal })) => {
                    *self = Failed { name: self.name.clone(), text: sheet, difference, is_minimal };
                    return true;
                }
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) if Instant::now() > given_up => return true,
                Err(RecvTimeoutError::Timeout) if is_stopped() => return false,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn reduced(text: &str, difference: &Difference, config: Config, budget: &Budget) -> Minimised {
    // Time is a bound only where sheets have a limit of time.
    let end = config.time.map(|time| Instant::now() + time * 10);
    let mut tries = 0;
    let has_time = || {
        tries += 1;
        tries <= MOST_TRIES && !budget.is_interrupted() && end.is_none_or(|end| Instant::now() < end)
    };
    let fails = |sheet: &str| match check(sheet, &config) {
        Verdict::Differs(found) => found.is_like(difference),
        _ => false,
    };
    minimise(text, has_time, fails)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_counted_and_failures_kept() {
        let mut found = Findings::default();
        let mut add = |name: &str, outcome| found.add(name.to_owned(), "(role x)".to_owned(), outcome);
        add("seed-1", Outcome::Checked(Verdict::Agree(Default::default())));
        add("seed-2", Outcome::Checked(Verdict::Rejected("no roles".to_owned())));
        add("seed-3", Outcome::Stuck("lifted".to_owned()));
        let difference = Difference { engine: "batch".to_owned(), what: "goals 1, expected 2".to_owned() };
        add("seed-4", Outcome::Checked(Verdict::Differs(difference)));
        assert_eq!((found.sheets, found.compared, found.failed.len()), (4, 1, 1));
        assert!(
            found
                .text("game")
                .starts_with("4 games: 1 compared (0 states in 0 replays), 1 rejected, 1 stuck")
        );
        assert_eq!(found.failed[0].commented(), "; seed-4\n; batch: goals 1, expected 2\n(role x)");
        let object = found.json(&[None], None);
        assert_eq!(object["failures"][0]["engine"], "batch");
        assert_eq!(object["stuck"][0], "seed-3: lifted does not return");
    }
}
