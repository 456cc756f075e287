//! `grundy ground` and `grundy export`: what they print, what they write, and how they stop.

#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod support;

use serde_json::Value;
use std::path::PathBuf;
use std::process::Output;
use support::{code, grundy, grundy_with_input, json, stderr};

const TIC_TAC_TOE: &str = "games/tic-tac-toe.kif";

/// A sheet with far too many ground rules: `clash` has 60⁵ instances.
const EXPLODING: &str = "
(role a) (init (n 0)) (<= (legal a go) (role a)) (<= (goal a 0) (role a))
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
(<= terminal (true (n 59)))
(<= (clash ?a ?b ?c ?d ?e)
    (true (n ?a)) (true (n ?b)) (true (n ?c)) (true (n ?d)) (true (n ?e)))
(<= (goal a 100) (clash ?a ?b ?c ?d ?e) (succ ?a ?b) (succ ?b ?c) (succ ?c ?d) (succ ?d ?e) (succ ?e ?a))
";

fn exploding() -> String {
    (0..59).fold(EXPLODING.to_owned(), |sheet, n| sheet + &format!("(succ {n} {})\n", n + 1))
}

/// Grounds the exploding sheet with further options.
fn explode(options: &[&str]) -> Output {
    grundy_with_input(&[&["ground", "-", "--faithful"], options].concat(), exploding().as_bytes())
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

/// A file of this test alone.
fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("grundy-ground-{}-{name}", std::process::id()))
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let result = json(&grundy(&["ground", TIC_TAC_TOE, "--faithful", "--json"]));
    let keys: Vec<&String> = result.as_object().unwrap().keys().collect();
    let contract = [
        "game",
        "method",
        "faithful",
        "base",
        "input",
        "rules",
        "literals",
        "steps",
        "arena_bytes",
        "peak_rss_bytes",
        "seconds",
    ];
    assert!(contract.iter().all(|&key| keys.iter().any(|&found| found == key)), "{keys:?}");
    assert_eq!((&result["base"], &result["input"], &result["rules"]), (&29.into(), &20.into(), &138.into()));
    for part in ["read", "static", "ground", "total"] {
        assert!(result["seconds"][part].is_f64());
    }
}

#[test]
fn the_order_of_joins_changes_the_steps_alone() {
    let with = |order: &str| {
        json(&grundy(&["ground", "games/checkers.kif", "--faithful", "--json", "--join-order", order]))
    };
    let (branching, written) = (with("branching"), with("written"));
    assert_eq!(branching["rules"], written["rules"]);
    assert!(branching["steps"].as_u64() < written["steps"].as_u64(), "{branching} {written}");
}

#[test]
fn a_summary_is_for_people() {
    let text = stdout(&grundy(&["ground", TIC_TAC_TOE, "--faithful"]));
    assert!(
        text.starts_with("games/tic-tac-toe.kif: 138 rules, 215 conditions, 29 facts, 20 moves ("),
        "{text}"
    );
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn emitted_json_is_one_object() {
    let output = grundy(&["ground", TIC_TAC_TOE, "--faithful", "--emit", "json"]);
    let program: Value = json(&output);
    let length = |key: &str| program[key].as_array().unwrap().len();
    assert_eq!(["roles", "base", "input", "init", "rules"].map(length), [2, 29, 20, 10, 138]);
    let terminal = program["rules"].as_array().unwrap().iter().filter(|rule| rule["head"] == "terminal");
    let bodies: Vec<&Value> = terminal.map(|rule| &rule["body"]).collect();
    assert!(bodies.contains(&&serde_json::json!(["not open"])), "{bodies:?}");
    assert!(stderr(&output).contains("138 rules"));
}

#[test]
fn pictures_are_of_a_size_that_can_be_looked_at() {
    let output = grundy(&["ground", "games/chess.kif", "--faithful", "--emit", "dot"]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("--around"), "{}", stderr(&output));
    let near = ["--emit", "dot", "--faithful", "--around", "(next (cell 1 1 x))"];
    let text = stdout(&grundy(&[&["ground", TIC_TAC_TOE], &near[..]].concat()));
    assert!(text.starts_with("digraph") && text.contains("[label=\"(marked 1 1)\"]"), "{text}");
    assert!(!text.contains("(marked 2 2)"), "{text}");
    let unknown = ["ground", TIC_TAC_TOE, "--emit", "dot", "--around", "(next nonsense)"];
    assert_eq!(code(&grundy(&unknown)), 2);
}

#[test]
fn aspif_and_the_export_have_the_same_names() {
    let sheet = b"(role White) (init (lamp on)) (<= (legal White not-now) (true (lamp on)))
        (<= (next (lamp ?x)) (true (lamp ?x))) (<= terminal (not (true (lamp on)))) (<= (goal White 50) (role White))";
    let export = stdout(&grundy_with_input(&["export", "asp", "-"], sheet));
    assert!(export.contains("legal(x_White,x_not_2dnow) :- true(lamp(x_on)).\n"), "{export}");
    assert!(export.contains("terminal :- not true(lamp(x_on)), on.\n"), "{export}");
    let aspif = stdout(&grundy_with_input(&["ground", "-", "--faithful", "--emit", "aspif"], sheet));
    assert!(aspif.starts_with("asp 1 0 0\n") && aspif.ends_with("\n0\n"), "{aspif}");
    assert!(aspif.contains("4 26 legal(x_White,x_not_2dnow) 1 "), "{aspif}");
}

#[test]
fn limits_name_the_rule_that_exploded() {
    for (limit, options) in [
        ("rules", ["--max-rules", "200000"]),
        ("memory", ["--max-memory", "20000000"]),
        ("timeout", ["--timeout", "0.3"]),
    ] {
        let output = explode(&options);
        let message = stderr(&output);
        assert_eq!(code(&output), 3, "{message}");
        assert_eq!(stdout(&output), "");
        assert!(message.contains(&format!("limit `{limit}`")) && message.contains(options[0]), "{message}");
        assert!(
            message.contains("<stdin>:5:1") && message.contains("(<= (clash ?a ?b ?c ?d ?e)"),
            "{message}"
        );
    }
    let deep = b"(role a) (init (n z)) (<= (legal a go) (role a)) (<= (next (n (s ?x))) (true (n ?x)))
        (<= terminal (true (n never))) (<= (goal a 0) (role a))";
    let output = grundy_with_input(&["ground", "-", "--max-term-depth", "20"], deep);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("limit `term-depth`"), "{}", stderr(&output));
}

#[test]
fn what_cannot_be_finished_leaves_no_file() {
    let path = file("limit.kif");
    let output = explode(&["--out", path.to_str().unwrap(), "--max-rules", "1000"]);
    assert_eq!(code(&output), 3);
    assert!(!path.exists() && !path.with_extension("kif.part").exists());
}

/// Ctrl-C while it grounds.
#[cfg(unix)]
#[test]
fn ctrl_c_stops_at_once() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let path = file("interrupted.kif");
    let mut command = Command::new(env!("CARGO_BIN_EXE_grundy"));
    command.args(["ground", "-", "--faithful", "--out"]).arg(&path);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(exploding().as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let start = Instant::now();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(start.elapsed() < Duration::from_secs(3));
    assert!(stderr(&output).contains("limit `interrupt`"), "{}", stderr(&output));
    assert!(!path.exists() && !path.with_extension("kif.part").exists());
}

#[test]
fn options_that_do_not_go_together() {
    assert_eq!(code(&grundy(&["ground", TIC_TAC_TOE, "--json", "--emit", "kif"])), 2);
    assert_eq!(code(&grundy(&["ground", TIC_TAC_TOE, "--around", "terminal"])), 2);
}
