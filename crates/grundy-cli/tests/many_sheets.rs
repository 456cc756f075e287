//! Commands that work on many sheets: a sheet that hits its limit is listed, and the others go on.

#![allow(clippy::disallowed_methods, reason = "tests write files")]

mod support;

use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::{code, grundy, json as output_json, root, stderr};

/// A state takes a hundred million derivations.
const SLOW: &str = "
(role a) (init (n 0)) (legal a go) (goal a 50) (<= terminal (true (n end)))
(<= (d ?x) (digit ?x)) (<= (next (n ?x)) (true (n ?x)))
(<= (p ?a ?b ?c ?d) (pair ?a ?b) (pair ?c ?d)) (<= (goal a 51) (p ?x ?x ?x ?x))
(<= (pair ?a ?b) (d ?a) (d ?b) (true (n 0)))
";

/// A corpus with a slow sheet before and a fast one behind it; each test has its own.
fn corpus(name: &str) -> PathBuf {
    let corpus = std::env::temp_dir().join(format!("grundy-many-sheets-{}-{name}", std::process::id()));
    for folder in ["games", "traces"] {
        std::fs::create_dir_all(corpus.join(folder)).expect("the folder can be made");
    }
    let digits: String = (0..100).map(|number| format!("(digit {number})")).collect();
    std::fs::write(corpus.join("games/a-slow.kif"), format!("{SLOW}{digits}")).expect("the sheet is written");
    let trace =
        r#"{"playout":0,"step":0,"state":["(n 0)"],"legal":{"a":["go"]},"terminal":false,"goals":{"a":50}}"#;
    std::fs::write(corpus.join("traces/a-slow.jsonl"), trace).expect("the trace is written");
    let copy =
        |from: &str, to: &str| std::fs::copy(root().join(from), corpus.join(to)).expect("it is copied");
    copy("games/tic-tac-toe.kif", "games/b-fast.kif");
    copy("docs/examples/tic-tac-toe.jsonl", "traces/b-fast.jsonl");
    corpus
}

#[test]
fn verify_goes_on_after_a_slow_sheet() {
    let corpus = corpus("verify");
    let folder = corpus.to_str().expect("the path is text");
    let output = grundy(&["verify", "--corpus", folder, "--sheet-timeout", "0.5", "--json"]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    let result = output_json(&output);
    let sheets = result["sheets"].as_array().expect("there are sheets");
    assert_eq!(sheets.len(), 2, "{result}");
    assert!(sheets[0]["failure"].as_str().is_some_and(|text| text.contains("`timeout`")), "{result}");
    assert_eq!((&sheets[1]["failure"], &sheets[1]["differences"]), (&json!(null), &json!(0)), "{result}");
    assert!(sheets[1]["states"].as_u64() > Some(0), "{result}");
}

#[test]
fn verify_ends_with_the_time_of_the_command() {
    let corpus = corpus("verify-all");
    let folder = corpus.to_str().expect("the path is text");
    let start = Instant::now();
    let output = grundy(&["verify", "--corpus", folder, "--timeout", "0.5", "--json"]);
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    let result = output_json(&output);
    assert_eq!(result["error"]["limit"], "timeout", "{result}");
    assert!(result["sheets"].as_array().is_none_or(|sheets| sheets.is_empty()), "{result}");
}

#[test]
fn bench_playouts_goes_on_after_a_slow_sheet() {
    let corpus = corpus("bench");
    let folder = corpus.join("games");
    let folder = folder.to_str().expect("the path is text");
    let limits =
        ["--sheet-timeout", "1", "--seconds", "0.05", "--runs", "1", "--engines", "lifted,incremental"];
    let output = grundy(&[&["bench", "playouts", folder, "--json"], &limits[..]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let result = output_json(&output);
    let lines = result["lines"].as_array().expect("there are lines");
    let of = |game: &str| lines.iter().filter(|line| line["game"] == game).collect::<Vec<_>>();
    assert!(of("b-fast").iter().all(|line| line["failure"].is_null()), "{result}");
    assert_eq!(of("b-fast").len(), 2, "{result}");
    assert!(of("a-slow").iter().any(|line| line["failure"].is_string()), "{result}");
}

#[test]
fn endless_games_on_a_machine_end_with_the_time() {
    let sheet = "(role r) (init (n 0)) (succ 0 1) (succ 1 0) (legal r go) (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
                 (<= terminal (true (n 2))) (goal r 50)";
    for engine in ["scratch", "incremental", "batch"] {
        let start = Instant::now();
        let limits = ["--timeout", "0.5", "--max-steps", "1000000000000", "--json"];
        let output = support::grundy_with_input(
            &[&["simulate", "-", "--engine", engine], &limits[..]].concat(),
            sheet.as_bytes(),
        );
        assert!(start.elapsed() < Duration::from_secs(10), "{engine}");
        assert_eq!(code(&output), 3, "{engine}: {}", stderr(&output));
        let error = &output_json(&output)["error"];
        assert_eq!(
            (&error["limit"], &error["stage"]),
            (&json!("timeout"), &json!("play")),
            "{engine}: {error}"
        );
    }
}

#[test]
fn a_network_without_all_invariants_says_so() {
    // The proofs have no time at all.
    let output =
        grundy(&["dump", "network", "games/breakthrough.kif", "--sizes", "--invariants=0.000001", "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(output_json(&output)["sizes"]["invariants cut short by"], "timeout");
    assert!(stderr(&output).contains("cut short"), "{}", stderr(&output));
}
