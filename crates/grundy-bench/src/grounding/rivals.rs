//! Other grounders: how they are found and called.
//!
//! Only installed programs take part. The Python package `clingo` is not used: its command line makes a system call for
//! every number that it writes, which makes it ten times slower, so that a comparison with it would be unfair.

use super::record::{Size, Task};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Another grounder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rival {
    /// The grounder of answer-set programs, writing aspif
    Gringo,
    /// SWI-Prolog with tabling, the paper's method
    Swipl,
}

impl Rival {
    /// What its runs are called.
    pub fn task(self) -> Task {
        match self {
            Rival::Gringo => Task::Gringo,
            Rival::Swipl => Task::Swipl,
        }
    }

    /// The format of `grundy export` that it reads.
    pub(super) fn export(self) -> &'static str {
        match self {
            Rival::Gringo => "asp",
            Rival::Swipl => "prolog",
        }
    }

    /// The Debian package that has it.
    fn package(self) -> &'static str {
        match self {
            Rival::Gringo => "gringo",
            Rival::Swipl => "swi-prolog-nox",
        }
    }

    /// Program names, with arguments that make them this grounder.
    fn programs(self) -> &'static [&'static [&'static str]] {
        match self {
            Rival::Gringo => &[&["gringo"], &["clingo", "--mode=gringo"]],
            Rival::Swipl => &[&["swipl"]],
        }
    }

    /// Finds the program; the error says which package has it.
    pub fn find(self) -> Result<Found, String> {
        let on_path = self.programs().iter().map(|words| Found::on_path(self, words));
        let found = on_path.into_iter().find_map(Found::checked);
        found.ok_or_else(|| format!("it is not installed (Debian has the package `{}`)", self.package()))
    }
}

/// A program that can be started.
#[derive(Clone, Debug)]
pub struct Found {
    /// Which grounder it is.
    pub rival: Rival,
    program: PathBuf,
    args: Vec<String>,
    /// The version that it prints.
    pub version: String,
}

impl Found {
    fn on_path(rival: Rival, words: &[&str]) -> Found {
        let args = words[1..].iter().map(|&word| word.to_owned()).collect();
        Found { rival, program: words[0].into(), args, version: String::new() }
    }

    /// The same with its version, if it starts.
    fn checked(self) -> Option<Found> {
        let output = self.command().arg("--version").stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.lines().next()?.trim().to_owned();
        output.status.success().then_some(Found { version, ..self })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        command
    }

    /// The command that grounds an exported game.
    pub(crate) fn ground(&self, game: &Path, max_memory: u64) -> Command {
        let mut command = self.command();
        match self.rival {
            Rival::Gringo => command.args(["--warn=none", "--output=intermediate"]),
            Rival::Swipl => command.args(["-q", "-O", "-g", "main", "-t", "halt"]).args([
                format!("--stack-limit={}k", max_memory >> 10),
                format!("--table-space={}k", max_memory >> 10),
            ]),
        };
        command.arg(game);
        command
    }

    /// The size of the ground program, from its output.
    pub(super) fn size(&self, output: impl BufRead) -> io::Result<Size> {
        match self.rival {
            Rival::Gringo => count_rules(output),
            Rival::Swipl => serde_json::from_reader(output).map_err(io::Error::other),
        }
    }
}

/// Counts the rules of an aspif text that have conditions; those without are facts, and choices are not counted.
fn count_rules(mut lines: impl BufRead) -> io::Result<Size> {
    let mut size = Size::default();
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let is_fact = line.ends_with(b" 0 0\n");
        size.rules += u64::from(line.starts_with(b"1 0 1 ") && !is_fact);
        line.clear();
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_aspif_are_those_with_conditions() {
        let text = "asp 1 0 0\n1 0 1 1 0 0\n1 1 1 2 0 0\n1 0 1 3 0 1 2\n1 0 1 10 0 2 2 -3\n4 3 foo 1 3\n0\n";
        assert_eq!(count_rules(text.as_bytes()).unwrap().rules, 2);
    }
}
