//! Every sheet of `games/`, and of the corpus where there is one, gets a test for each thing that
//! should hold of it.
//!
//! The corpus is found through `GRUNDY_CORPUS`, a folder with `games/SET/NAME.kif` and
//! `traces/SET/NAME.jsonl`.

#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod support;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use support::{code, grundy, json, root, stderr};

/// How many states the lifted engine may expand for one perft count.
const PERFT_BUDGET: u64 = 600;

/// How many seconds the reference gets for a trace of the corpus. The long replay is
/// `grundy verify --corpus DIR`.
const TRACE_SECONDS: &str = "2";

/// Games with more ground rules than this are left to the long replay.
const MOST_RULES: &str = "100000";

fn main() {
    let args = Arguments::from_args();
    let mut trials = Vec::new();
    for sheet in sheets(&root().join("games")) {
        let name = sheet.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let trial = |what: &str, test: fn(&Path) -> Result<(), Failed>| {
            let sheet = sheet.clone();
            Trial::test(format!("{what}::{name}"), move || test(&sheet))
        };
        trials.push(trial("clean", is_clean));
        trials.push(trial("plays", plays_to_the_end));
        trials.push(trial("perft", has_known_counts));
        trials.push(trial("machines-perft", machines_have_known_counts));
        trials.push(trial("machines-play", machines_play_to_the_end));
    }
    match std::env::var_os("GRUNDY_CORPUS") {
        Some(corpus) => trials.extend(corpus_trials(Path::new(&corpus))),
        None => {
            let skipped = "corpus (skipped: GRUNDY_CORPUS is not set)";
            trials.push(Trial::test(skipped, || Ok(())).with_ignored_flag(true));
        }
    }
    libtest_mimic::run(&args, trials).exit();
}

/// All `.kif` files below a folder, sorted.
fn sheets(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.expect("the folder can be listed").path()) {
        if path.is_dir() {
            found.extend(sheets(&path));
        } else if path.extension().is_some_and(|extension| extension == "kif") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths of games are UTF-8")
}

/// Our own sheets have neither errors nor warnings.
fn is_clean(sheet: &Path) -> Result<(), Failed> {
    let output = grundy(&["check", text(sheet)]);
    let report = stderr(&output);
    if code(&output) != 0 || !report.ends_with("1 file: 0 errors, 0 warnings\n") {
        return Err(report.into());
    }
    Ok(())
}

/// Random games end, nobody is ever without a move, and everybody gets a goal value.
fn plays_to_the_end(sheet: &Path) -> Result<(), Failed> {
    let output = grundy(&["simulate", text(sheet), "--playouts", "3", "--seed", "7", "--json"]);
    if code(&output) != 0 {
        return Err(stderr(&output).into());
    }
    let result = json(&output);
    let goals = result["goals"].as_object().ok_or("no goals")?;
    let all_have_goals = !goals.is_empty() && goals.values().all(Value::is_number);
    if result["stuck"] != 0 || result["unfinished"] != 0 || result["playouts"] != 3 || !all_have_goals {
        return Err(result.to_string().into());
    }
    Ok(())
}

/// The counts of the `.perft` file beside the sheet, as far as the budget goes.
fn has_known_counts(sheet: &Path) -> Result<(), Failed> {
    let known = fs::read_to_string(sheet.with_extension("perft"))?;
    let mut states = 1;
    let mut compared = 0;
    for line in known.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (depth, count) = line.split_once(' ').ok_or("a line is «depth count»")?;
        let count: u64 = count.trim().parse()?;
        if states > PERFT_BUDGET {
            break;
        }
        // The machines have a test of their own.
        let output = grundy(&["perft", text(sheet), depth, "--engine", "lifted", "--json"]);
        if code(&output) != 0 {
            return Err(stderr(&output).into());
        }
        let found = &json(&output)["sequences"];
        if *found != count {
            return Err(format!("depth {depth}: {found} sequences instead of {count}").into());
        }
        states = count;
        compared += 1;
    }
    if compared == 0 { Err("no count to compare with".into()) } else { Ok(()) }
}

/// How many states a machine may expand for one perft count.
const MACHINE_PERFT_BUDGET: u64 = 4_000;

/// The same counts, a little deeper.
fn machines_have_known_counts(sheet: &Path) -> Result<(), Failed> {
    let known = fs::read_to_string(sheet.with_extension("perft"))?;
    let (mut states, mut compared) = (1, 0);
    for line in known.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (depth, count) = line.split_once(' ').ok_or("a line is «depth count»")?;
        let count: u64 = count.trim().parse()?;
        if states > MACHINE_PERFT_BUDGET {
            break;
        }
        let output = grundy(&["perft", text(sheet), depth, "--engine", "incremental", "--json"]);
        if code(&output) != 0 {
            return Err(stderr(&output).into());
        }
        let found = &json(&output)["sequences"];
        if *found != count {
            return Err(format!("depth {depth}: {found} sequences instead of {count}").into());
        }
        states = count;
        compared += 1;
    }
    if compared == 0 { Err("no count to compare with".into()) } else { Ok(()) }
}

/// Random games end on every machine, and everybody gets a goal value.
fn machines_play_to_the_end(sheet: &Path) -> Result<(), Failed> {
    for engine in ["scratch", "incremental", "batch", "auto"] {
        let output = grundy(&["simulate", text(sheet), "--engine", engine, "--playouts", "20", "--json"]);
        if code(&output) != 0 {
            return Err(stderr(&output).into());
        }
        let result = json(&output);
        let goals = result["goals"].as_object().ok_or("no goals")?;
        let all_have_goals = !goals.is_empty() && goals.values().all(Value::is_number);
        if result["stuck"] != 0 || result["unfinished"] != 0 || result["playouts"] != 20 || !all_have_goals {
            return Err(format!("{engine}: {result}").into());
        }
    }
    Ok(())
}

/// Of one corpus game in so many the invariants are compared with its trace. All of them are compared by
/// `grundy bench metarules --corpus DIR`.
const INVARIANTS_EVERY: usize = 12;

fn corpus_trials(corpus: &Path) -> Vec<Trial> {
    let games = corpus.join("games");
    let mut trials = Vec::new();
    for (number, sheet) in sheets(&games).into_iter().enumerate() {
        let name = sheet.strip_prefix(&games).expect("sheets are below games").with_extension("");
        let trace = corpus.join("traces").join(&name).with_added_extension("jsonl");
        if trace.exists() && number % INVARIANTS_EVERY == 0 {
            let (corpus, name) = (corpus.to_owned(), name.clone());
            trials.push(Trial::test(format!("invariants::{}", name.display()), move || {
                keeps_its_invariants(&corpus, &name)
            }));
        }
        if trace.exists() {
            let (machine_sheet, machine_trace) = (sheet.clone(), trace.clone());
            trials.push(Trial::test(format!("replays::{}", name.display()), move || replays(&sheet, &trace)));
            trials.push(Trial::test(format!("machines-replay::{}", name.display()), move || {
                machines_replay(&machine_sheet, &machine_trace)
            }));
        } else {
            trials.push(Trial::test(format!("reads::{}", name.display()), move || reads(&sheet)));
        }
    }
    assert!(!trials.is_empty(), "GRUNDY_CORPUS has no games");
    trials
}

/// A sheet with a trace can be used, and every state is as recorded. Running out of time is no
/// difference: the reference is slow.
fn replays(sheet: &Path, trace: &Path) -> Result<(), Failed> {
    let output = grundy(&["verify", text(sheet), text(trace), "--timeout", TRACE_SECONDS, "--json"]);
    match code(&output) {
        0 if json(&output)["differences"] == 0 && json(&output)["states"] != 0 => Ok(()),
        3 if stderr(&output).contains("limit `timeout`") => Ok(()),
        _ => Err(stderr(&output).into()),
    }
}

/// The machines find every state as recorded, if the game can be ground within the limits.
fn machines_replay(sheet: &Path, trace: &Path) -> Result<(), Failed> {
    for engine in ["incremental", "batch"] {
        let args =
            ["verify", text(sheet), text(trace), "--engine", engine, "--timeout", TRACE_SECONDS, "--json"];
        let output = grundy(&[&args[..], &["--max-rules", MOST_RULES]].concat());
        match code(&output) {
            0 if json(&output)["differences"] == 0 && json(&output)["states"] != 0 => {}
            3 if stderr(&output).contains("limit `") || stderr(&output).contains("is not ground") => {}
            _ => return Err(format!("{engine}: {}", stderr(&output)).into()),
        }
    }
    Ok(())
}

/// No recorded state violates what was proved, if there was time to prove anything.
fn keeps_its_invariants(corpus: &Path, name: &Path) -> Result<(), Failed> {
    let which = ["--corpus", text(corpus), "--only", text(name), "--timeout", TRACE_SECONDS];
    let output = grundy(&[&["bench", "metarules"], &which[..]].concat());
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    if code(&output) == 0 && report.contains("over 1 game\n") && report.contains("  0 violations in ") {
        Ok(())
    } else {
        Err(format!("{report}{}", stderr(&output)).into())
    }
}

/// A sheet without a trace is read to its end, one way or the other.
fn reads(sheet: &Path) -> Result<(), Failed> {
    let output = grundy(&["check", text(sheet), "--json"]);
    let files = &json(&output)["files"];
    if code(&output) <= 1 && files.as_array().is_some_and(|files| files.len() == 1) {
        Ok(())
    } else {
        Err(stderr(&output).into())
    }
}
