//! The ground KIF of every sheet of `games/` reads back as the same game.
//!
//! `grundy check` finds no error in it, and random games with the same seed are the same, state by state:
//! facts, legal moves, end and goals.

#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::{Path, PathBuf};
use support::{code, grundy, root, stderr};

/// How many moves of a game are compared: ground sheets are long, and a debug build is slow.
const MOST_STEPS: &str = "25";

fn main() {
    let args = Arguments::from_args();
    let entries = fs::read_dir(root().join("games")).expect("there are games");
    let mut sheets: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    sheets.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    sheets.sort();
    let mut trials = Vec::new();
    for sheet in sheets {
        for (form, options) in [("compact", &[][..]), ("faithful", &["--faithful"][..])] {
            let name = sheet.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let sheet = sheet.clone();
            let folder = std::env::temp_dir().join(format!("grundy-{}-{form}-{name}", std::process::id()));
            trials.push(Trial::test(format!("{form}::{name}"), move || {
                fs::create_dir_all(&folder)?;
                let result = reads_back(&sheet, options, &folder);
                fs::remove_dir_all(&folder)?;
                result
            }));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths of games are UTF-8")
}

fn reads_back(sheet: &Path, options: &[&str], folder: &Path) -> Result<(), Failed> {
    let ground = folder.join("ground.kif");
    let args = [&["ground", text(sheet), "--emit", "kif", "--out", text(&ground)], options].concat();
    succeeds(&args)?;
    succeeds(&["check", "--quiet", text(&ground)])?;
    let original = played(sheet, &folder.join("original.jsonl"))?;
    let read_back = played(&ground, &folder.join("ground.jsonl"))?;
    match original.lines().zip(read_back.lines()).find(|(a, b)| a != b) {
        Some((a, b)) => Err(format!("{a}\nbecame\n{b}").into()),
        None if original != read_back => Err("one game is longer than the other".into()),
        None if original.is_empty() => Err("no game was recorded".into()),
        None => Ok(()),
    }
}

fn succeeds(args: &[&str]) -> Result<(), Failed> {
    let output = grundy(args);
    if code(&output) == 0 { Ok(()) } else { Err(stderr(&output).into()) }
}

/// The record of two random games.
fn played(sheet: &Path, record: &Path) -> Result<String, Failed> {
    let games = ["--playouts", "2", "--seed", "5", "--max-steps", MOST_STEPS, "--record", text(record)];
    let output = grundy(&[&["simulate", text(sheet), "--engine", "lifted"], &games[..]].concat());
    // A game that is longer than the limit is recorded up to it.
    if matches!(code(&output), 0 | 3) && record.exists() {
        Ok(fs::read_to_string(record)?)
    } else {
        Err(stderr(&output).into())
    }
}
