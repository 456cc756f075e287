//! The faithful ground program of every sheet of `games/` is what gringo makes of `grundy export asp`.
//!
//! `tools/compare_asp.py` does the work. Where there is no Python, or where the package `clingo` cannot
//! be installed, the tests are ignored and say why. The sweep over a corpus is that script's
//! `--corpus DIR`.

#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod support;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use support::root;

/// How many seconds gringo and grundy may take for a game.
const SECONDS: &str = "60";

/// What the script says when it could not compare.
const SKIPPED: i32 = 77;

fn main() {
    let args = Arguments::from_args();
    let entries = std::fs::read_dir(root().join("games")).expect("there are games");
    let mut sheets: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    sheets.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    sheets.sort();
    let trial = |sheet: PathBuf| {
        let name = sheet.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::ignorable_test(format!("gringo::{name}"), move || same_as_gringo(&sheet))
    };
    libtest_mimic::run(&args, sheets.into_iter().map(trial).collect()).exit();
}

fn same_as_gringo(sheet: &Path) -> Result<Completion, Failed> {
    static SETUP: OnceLock<Result<(), String>> = OnceLock::new();
    let setup = SETUP.get_or_init(|| match compare(&["--setup".as_ref()]) {
        Ok((0, _)) => Ok(()),
        Ok((_, text)) => Err(text),
        Err(error) => Err(format!("python3 does not start: {error}")),
    });
    if let Err(reason) = setup {
        return Ok(Completion::ignored_with(reason.replace('\n', " ")));
    }
    match compare(&[sheet, "--timeout".as_ref(), SECONDS.as_ref()])? {
        (0, _) => Ok(Completion::Completed),
        (SKIPPED, text) => Ok(Completion::ignored_with(text.replace('\n', " "))),
        (_, text) => Err(text.into()),
    }
}

/// Runs the script; its exit code, and what it printed.
fn compare(args: &[&Path]) -> std::io::Result<(i32, String)> {
    let grundy = Path::new(env!("CARGO_BIN_EXE_grundy"));
    let target = grundy.ancestors().nth(2).expect("the program is in a folder of the target folder");
    let output = Command::new("python3")
        .arg(root().join("tools/compare_asp.py"))
        .arg("--grundy")
        .arg(grundy)
        .arg("--venv")
        .arg(target.join("venv-clingo"))
        .args(args)
        .output()?;
    let text = [output.stdout, output.stderr].concat();
    Ok((output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned()))
}
