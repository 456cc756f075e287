//! Other grounders: where they are, and what they are called with.
//!
//! A program that is not there is fetched by its Debian package name into a folder of its own in the
//! user's cache. The Python package `clingo` would be easier to get, but its command line makes a system
//! call for every number that it writes, which is ten times as slow: a comparison with it would be unfair.

use super::record::{Size, Task};
use crate::output::note;
use clap::ValueEnum;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The grounders that can be asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rival {
    /// The grounder of answer-set programs, writing aspif
    Gringo,
    /// SWI-Prolog with tabling, the paper's method
    Swipl,
}

const INSTALL: &str = include_str!("install.sh");

impl Rival {
    pub(super) fn task(self) -> Task {
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

    /// The Debian package, and the program in it.
    fn package(self) -> (&'static str, &'static str) {
        match self {
            Rival::Gringo => ("gringo", "usr/bin/gringo"),
            Rival::Swipl => ("swi-prolog-nox", "usr/bin/swipl"),
        }
    }

    /// Program names, with arguments that make them this grounder.
    fn programs(self) -> &'static [&'static [&'static str]] {
        match self {
            Rival::Gringo => &[&["gringo"], &["clingo", "--mode=gringo"]],
            Rival::Swipl => &[&["swipl"]],
        }
    }

    /// Finds the program, or gets it; an error tells why there is none.
    pub(crate) fn find(self) -> Result<Found, String> {
        let on_path = self.programs().iter().map(|words| Found::on_path(self, words));
        if let Some(found) = on_path.into_iter().find_map(Found::checked) {
            return Ok(found);
        }
        let (package, program) = self.package();
        let folder =
            cache().ok_or("it is not installed, and there is no cache folder to put it")?.join(package);
        if let Some(found) = Found::unpacked(self, &folder, program).checked() {
            return Ok(found);
        }
        note(&format!("{package} is not installed; unpacking it into {}", folder.display()));
        install(package, &folder)?;
        let works = Found::unpacked(self, &folder, program).checked();
        works.ok_or_else(|| format!("the package `{package}` was unpacked, but it does not start"))
    }
}

/// The user's own folder for what can be had again.
fn cache() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
    Some(cache.join("grundy"))
}

fn install(package: &str, folder: &Path) -> Result<(), String> {
    let hint = format!("it is not installed, and the package `{package}` cannot be had");
    let mut shell = Command::new("sh");
    shell.args(["-c", INSTALL, "sh", package]).arg(folder).stdin(Stdio::null());
    let output = shell.output().map_err(|error| format!("{hint}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(format!("{hint}: {}", message.lines().last().unwrap_or("apt-get does not know it")))
}

/// A program that can be started.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(super) rival: Rival,
    program: PathBuf,
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
    /// What it says about itself.
    pub(crate) version: String,
}

impl Found {
    fn on_path(rival: Rival, words: &[&str]) -> Found {
        let args = words[1..].iter().map(|&word| word.to_owned()).collect();
        Found { rival, program: words[0].into(), args, env: Vec::new(), version: String::new() }
    }

    /// A program in a folder of unpacked packages, with their libraries.
    fn unpacked(rival: Rival, folder: &Path, program: &str) -> Found {
        let libraries = folder.join("usr/lib");
        let own = libraries.join(format!("{}-linux-gnu", std::env::consts::ARCH));
        let env = vec![
            ("LD_LIBRARY_PATH", format!("{}:{}", libraries.display(), own.display())),
            ("SWI_HOME_DIR", libraries.join("swi-prolog").display().to_string()),
        ];
        Found { env, ..Found::on_path(rival, &[&folder.join(program).to_string_lossy()]) }
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
        command.args(&self.args).envs(self.env.iter().map(|(name, value)| (name, value)));
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

    /// What it made of the game, from what it printed.
    pub(super) fn size(&self, output: impl BufRead) -> io::Result<Size> {
        match self.rival {
            Rival::Gringo => count_rules(output),
            Rival::Swipl => serde_json::from_reader(output).map_err(io::Error::other),
        }
    }
}

/// The rules of an aspif text that have conditions; those without are facts, and choices are no rules.
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
