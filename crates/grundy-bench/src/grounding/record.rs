//! What was measured: a record for each sheet, a run for each process.

use crate::numbers::{count, grouped};
use serde::Deserialize;
use std::fmt::Write;

/// What one process had to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Task {
    /// `grundy ground`
    Compact,
    /// `grundy ground --faithful`
    Faithful,
    /// The paper's method for base and input: a separate step, by tabling.
    OneStep,
    /// The older method: round by round.
    Iterative,
    /// `grundy ground --faithful --emit aspif`, the output format of gringo.
    Aspif,
    /// gringo on the exported game.
    Gringo,
    /// SWI-Prolog on the exported game.
    Swipl,
}

impl Task {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Task::Compact => "compact",
            Task::Faithful => "faithful",
            Task::OneStep => "one-step",
            Task::Iterative => "iterative",
            Task::Aspif => "aspif",
            Task::Gringo => "gringo",
            Task::Swipl => "swipl",
        }
    }

    /// What its time is the time of.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Task::Compact => "time of the whole process, compact form, or why it failed",
            Task::Faithful => "the same for the faithful form",
            Task::OneStep => "faithful form, base and input by the paper's method",
            Task::Iterative => "faithful form, base and input by the older method",
            Task::Aspif => "faithful form, written as aspif",
            Task::Gringo => "gringo with the same program, written as aspif",
            Task::Swipl => "SWI-Prolog with the same program, tabled",
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Fine,
    /// The sheet itself is wrong; it counts in no share.
    Unreadable,
    /// A limit was hit.
    Limit,
    /// Anything else, such as a crash.
    Failed,
}

impl Status {
    pub(super) fn name(self) -> &'static str {
        match self {
            Status::Fine => "fine",
            Status::Unreadable => "unreadable",
            Status::Limit => "limit",
            Status::Failed => "failed",
        }
    }
}

/// The size of a ground program, and the times inside the process, as reported by `grundy ground --json`. Other programs
/// report only some of it.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Size {
    pub(super) rules: u64,
    #[serde(default)]
    pub(super) literals: Option<u64>,
    #[serde(default)]
    pub(super) repeats: Option<u64>,
    #[serde(default)]
    pub(super) base: Option<u64>,
    #[serde(default)]
    pub(super) input: Option<u64>,
    #[serde(default)]
    pub(super) seconds: Option<Phases>,
}

/// The times inside the process.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Phases {
    pub(super) read: f64,
    #[serde(rename = "static")]
    pub(super) statics: f64,
    /// The part of `ground` that finds base and input.
    pub(super) reach: f64,
    pub(super) ground: f64,
}

/// Why there is no ground program.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Trouble {
    /// The limit, or what the program said.
    #[serde(default, rename = "limit")]
    pub(super) reason: Option<String>,
    /// The rule with the most instances.
    #[serde(default)]
    pub(super) rule: Option<String>,
    #[serde(default)]
    pub(super) instances: Option<u64>,
    #[serde(default)]
    pub(super) line: Option<u64>,
}

/// One process.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) task: Task,
    pub(super) status: Status,
    /// The whole process, by the clock.
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
    pub(super) peak_bytes: Option<u64>,
    /// If it is fine.
    pub(super) size: Option<Size>,
    /// If it is not.
    pub(super) trouble: Trouble,
}

impl Run {
    pub(super) fn is_fine(&self) -> bool {
        self.status == Status::Fine
    }

    /// The rules, if there are some.
    pub(super) fn rules(&self) -> Option<u64> {
        self.size.as_ref().map(|size| size.rules)
    }

    fn phases(&self) -> Option<Phases> {
        self.size.as_ref()?.seconds
    }

    /// From the text to base and input, if that was a step of its own.
    pub(super) fn reach_seconds(&self) -> Option<f64> {
        self.phases().map(|times| times.read + times.statics + times.reach)
    }

    /// The rules alone, base and input being known.
    pub(super) fn rules_seconds(&self) -> Option<f64> {
        self.phases().map(|times| times.ground - times.reach)
    }

    /// Why it failed, in a few words.
    pub(super) fn why(&self) -> String {
        let mut text = self.trouble.reason.clone().unwrap_or_else(|| self.status.name().to_owned());
        if let (Some(line), Some(instances)) = (self.trouble.line, self.trouble.instances)
            && instances > 0
        {
            _ = write!(text, "; line {line} has {}", count(grouped(instances), "instance"));
        }
        text
    }
}

/// All runs of one sheet.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// The path below the folder that was searched, without its ending.
    pub(super) game: String,
    pub(super) runs: Vec<Run>,
}

impl Record {
    pub(super) fn run(&self, task: Task) -> Option<&Run> {
        self.runs.iter().find(|run| run.task == task)
    }

    /// The run of a task, if it came to a ground program.
    pub(super) fn fine(&self, task: Task) -> Option<&Run> {
        self.run(task).filter(|run| run.is_fine())
    }

    pub(super) fn is_unreadable(&self) -> bool {
        self.runs.iter().any(|run| run.status == Status::Unreadable)
    }
}

/// The columns of the table for programs.
const COLUMNS: [&str; 19] = [
    "game",
    "run",
    "status",
    "wall_s",
    "cpu_s",
    "peak_bytes",
    "rules",
    "literals",
    "repeats",
    "base",
    "input",
    "read_s",
    "static_s",
    "reach_s",
    "ground_s",
    "reason",
    "line",
    "instances",
    "rule",
];

/// One line for each run, the columns separated by tabs; what is not known is empty.
pub(super) fn to_tsv(records: &[Record]) -> String {
    let mut text = COLUMNS.join("\t") + "\n";
    for record in records {
        for run in &record.runs {
            text.push_str(&cells(&record.game, run).map(|cell| plain(&cell)).join("\t"));
            text.push('\n');
        }
    }
    text
}

fn cells(game: &str, run: &Run) -> [String; COLUMNS.len()] {
    let size = run.size.as_ref();
    let count = |of: fn(&Size) -> Option<u64>| number(size.and_then(of));
    let seconds =
        |of: fn(Phases) -> f64| run.phases().map_or(String::new(), |times| format!("{:.6}", of(times)));
    let trouble = &run.trouble;
    [
        game.to_owned(),
        run.task.name().to_owned(),
        run.status.name().to_owned(),
        format!("{:.6}", run.seconds),
        format!("{:.6}", run.cpu_seconds),
        number(run.peak_bytes),
        count(|size| Some(size.rules)),
        count(|size| size.literals),
        count(|size| size.repeats),
        count(|size| size.base),
        count(|size| size.input),
        seconds(|times| times.read),
        seconds(|times| times.statics),
        seconds(|times| times.reach),
        seconds(|times| times.ground),
        trouble.reason.clone().unwrap_or_default(),
        number(trouble.line),
        number(trouble.instances),
        trouble.rule.clone().unwrap_or_default(),
    ]
}

fn number(value: Option<u64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// A cell in one line and without tabs.
fn plain(cell: &str) -> String {
    cell.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_all_columns() {
        let trouble = Trouble { rule: Some("(<= a\n\tb)".to_owned()), line: Some(7), ..Trouble::default() };
        let run = Run {
            task: Task::Compact,
            status: Status::Limit,
            seconds: 1.0,
            cpu_seconds: 0.5,
            peak_bytes: None,
            size: None,
            trouble,
        };
        let tsv = to_tsv(&[Record { game: "x y".to_owned(), runs: vec![run.clone(), run] }]);
        let lines: Vec<Vec<&str>> = tsv.lines().map(|line| line.split('\t').collect()).collect();
        assert!(lines.len() == 3 && lines.iter().all(|line| line.len() == COLUMNS.len()), "{tsv}");
        assert_eq!((lines[1][1], lines[1][2], lines[1][18]), ("compact", "limit", "(<= a b)"));
    }
}
