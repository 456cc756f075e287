//! `grundy features`: the contract of the command line.

#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod support;

use std::path::PathBuf;
use support::{code, grundy, json, stderr};

const THEORY: &str = "theories/tic-tac-toe.pl";
const FEATURES: &str = "theories/tic-tac-toe_features.pl";
const STATES: &str = "theories/tic-tac-toe_states.jsonl";

/// A file for one test, in a folder for all of them.
fn file(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the folder can be written");
    path.to_string_lossy().into_owned()
}

fn stdout(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let output = grundy(&["features", THEORY, FEATURES, "--states", STATES, "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let object = json(&output);
    for key in ["clauses", "ground_clauses", "and_rows", "or_rows", "states", "seconds", "states_per_second"]
    {
        assert!(object[key].is_number(), "{key}: {object}");
    }
    assert_eq!(object["states"], 6);
}

#[test]
fn values_are_the_same_with_all_tables_and_engines() {
    let mut seen = Vec::new();
    for tables in ["flat", "shared"] {
        for engine in ["naive", "scratch", "incremental", "batch"] {
            let path = file(&format!("values-{tables}-{engine}.csv"), "");
            let args = [
                "features", THEORY, FEATURES, "--states", STATES, "--tables", tables, "--engine", engine,
                "--values", &path,
            ];
            assert_eq!(code(&grundy(&args)), 0);
            seen.push(std::fs::read_to_string(&path).expect("values were written"));
        }
    }
    assert!(seen.iter().all(|text| *text == seen[0]));
    let lines: Vec<&str> = seen[0].lines().collect();
    assert!(lines[0].starts_with("marks_x/1,marks_o/1,free_cells/1,"), "{}", lines[0]);
    assert_eq!(lines.len(), 7);
    assert!(lines[4].starts_with("2,1,6,"), "{}", lines[4]);
}

#[test]
fn a_bad_state_is_told_with_its_place_and_the_others_are_valued() {
    let states = file(
        "states.jsonl",
        "{\"facts\":[\"turn(x)\"]}\n{\"facts\":[\"mark(x, c(9, 9))\"]}\n{\"facts\":[\"cross(x)\"]}\n{\"facts\":\n\
         {\"facts\":[\"mark(o, c(1, 1))\"]}\n",
    );
    let output = grundy(&[
        "features",
        THEORY,
        FEATURES,
        "--states",
        &states,
        "--format",
        "csv",
        "--only",
        "marks_o,free_cells",
    ]);
    assert_eq!(code(&output), 1);
    let text = stderr(&output);
    assert!(
        text.contains("the theory has no fact `mark(x, c(9, 9))`") && text.contains("states.jsonl:2:11"),
        "{text}"
    );
    assert!(
        text.contains("`cross/1` is not a dynamic predicate") && text.contains("states.jsonl:3:11"),
        "{text}"
    );
    assert!(text.contains("this is not a line of states") && text.contains("states.jsonl:4:"), "{text}");
    assert_eq!(stdout(&output), "marks_o/1,free_cells/1\n0,9\n,\n,\n,\n1,8\n");
}

#[test]
fn bad_features_are_told_with_their_place() {
    let theory = file(
        "bad.pl",
        "square(a). square(b).\n:- dynamic owns/1.\n:- dynamic score/1.\nlone(S) :- owns(S), free(S).\n",
    );
    let check = |name: &str, features: &str, wanted: &[&str]| {
        let features = file(name, features);
        let output = grundy(&["features", &theory, &features]);
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        wanted
            .iter()
            .for_each(|wanted| assert!(stderr(&output).contains(wanted), "{wanted}: {}", stderr(&output)));
    };
    check(
        "undeclared.pl",
        "f(S) :- square(S), lone(S).\n",
        &["`free/1` is neither declared dynamic", "bad.pl:4:21"],
    );
    check("typo.pl", "f(S) :- sqare(S), owns(S).\n", &["`sqare/1` is neither declared", "typo.pl:1:9"]);
    check(
        "open.pl",
        "f(S) :- square(S), owns(S).\ng(N) :- score(N).\n",
        &["cannot be made ground", "open.pl:2:1", "base(score(X1))"],
    );
    check("unsafe.pl", "f(S, T) :- square(S), owns(S).\n", &["E401", "unsafe.pl:1:"]);
    check(
        "taken.pl",
        "square(S) :- owns(S).\n",
        &["`square/1` is defined by the theory already", "taken.pl:1:1"],
    );
    check(
        "words.pl",
        "f(max(S)) :- square(S), owns(S).\n",
        &["can be `a`, which is not a number", "words.pl:1:1"],
    );
    let loops = file("loop.pl", "n(X) :- square(X), owns(X).\nn(s(X)) :- n(X).\n");
    let output = grundy(&["features", &theory, &loops]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("never ends") && stderr(&output).contains("loop.pl:2:1"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn solutions_sizes_and_plots() {
    let output =
        grundy(&["features", THEORY, FEATURES, "--states", STATES, "--explain", "threats_x", "--state", "4"]);
    assert_eq!(stdout(&output), "threats_x/2 has 1 solution in state 4\n  threats_x(falling, c(1, 3))\n");
    let sizes = json(&grundy(&["features", THEORY, FEATURES, "--sizes", "--tables", "flat", "--json"]));
    assert_eq!(sizes["features"][0]["ground_clauses"], 9);
    let also = ["features", "theories/othello.pl", THEORY, "--also", "span/4"];
    assert_eq!(code(&grundy(&also)), 1, "a theory is no file of features for another one");
    let plot = file("plot.svg", "");
    let output =
        grundy(&["features", THEORY, FEATURES, "--states", STATES, "--plot", &plot, "--only", "threats_x/2"]);
    assert_eq!(code(&output), 0);
    let svg = std::fs::read_to_string(&plot).expect("a plot was written");
    assert!(svg.starts_with("<svg") && svg.contains("threats_x/2"), "{svg}");
    assert_eq!(code(&grundy(&["features", THEORY, FEATURES, "--states", STATES, "--only", "nothing"])), 2);
}

#[test]
fn games_have_features_along_matches() {
    let (game, features) = ("games/tic-tac-toe.kif", "theories/tic-tac-toe_features.kif");
    let output = grundy(&["features", game, features, "--playouts", "3", "--seed", "5", "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let states = json(&output)["states"].as_u64().expect("a number");
    let trace = file("trace.jsonl", "");
    let record = grundy(&["simulate", game, "--playouts", "2", "--record", &trace]);
    if code(&record) == 0 {
        let output = grundy(&["features", game, features, "--trace", &trace, "--format", "csv"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(
            stdout(&output).starts_with("marks/3,mobility/1,centre/1,lines/1,threats_in_rows/1\n0,9,0,0,0\n")
        );
    }
    assert!(states >= 3 * 6);
}

#[test]
fn generated_features_are_many_different_and_deterministic() {
    let generate =
        || grundy(&["features", "generate", "games/reversi.kif", "--count", "127", "--seed", "3", "--json"]);
    let (first, second) = (json(&generate()), json(&generate()));
    assert_eq!(first["features"], second["features"]);
    let clauses: Vec<&str> = first["features"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["clause"].as_str())
        .collect();
    assert_eq!(clauses.len(), 127);
    let bodies: std::collections::BTreeSet<&str> =
        clauses.iter().map(|clause| clause.split_once(')').map_or(*clause, |(_, body)| body)).collect();
    assert!(bodies.len() > 60, "{}", bodies.len());
    let path = file("reversi.kif", &clauses.join("\n"));
    let output = grundy(&["features", "games/reversi.kif", &path, "--playouts", "1", "--json"]);
    assert_eq!(json(&output)["features"], 127, "{}", stderr(&output));
}

#[test]
fn features_are_generated_from_theories_as_well() {
    let (theory, states) = ("theories/tic-tac-toe.pl", "theories/tic-tac-toe_states.jsonl");
    let path = file("generated.pl", "");
    let output =
        grundy(&["features", "generate", theory, "--states", states, "--count", "40", "--out", &path]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let output = grundy(&["features", theory, &path, "--states", states, "--format", "csv"]);
    let text = stdout(&output);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].len(), 40, "{}", stderr(&output));
    for (column, name) in rows[0].iter().enumerate() {
        let values: std::collections::BTreeSet<&str> = rows[1..].iter().map(|row| row[column]).collect();
        assert!(values.len() > 1, "{name} is the same in all states");
    }
}
