//! `grundy bench`: output, reports and exit codes; a bad sheet does not end the run.

#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use support::{code, grundy, grundy_with_input, json, root, stderr};

const TIC_TAC_TOE: &str = "games/tic-tac-toe.kif";
const HEX: &str = "games/hex.kif";
const BREAKTHROUGH: &str = "games/breakthrough.kif";

/// `pair` has 100 × 100 instances.
const EXPLODING: &str = "
(role a) (init (n 0)) (<= (legal a go) (role a)) (<= (goal a 0) (role a))
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
(<= terminal (true (n 99)))
(<= (pair ?x ?y) (true (n ?x)) (true (n ?y)))
(<= (goal a 100) (pair ?x ?y))
";

/// A folder of one test alone.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("grundy-bench-test-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn bench(args: &[&str]) -> Output {
    grundy(&[&["bench", "grounding"], args].concat())
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

/// The lines of the table for programs, by column.
fn table(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("grounding.tsv")).unwrap();
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let row = |cells: Vec<&str>| {
        assert_eq!(cells.len(), header.len());
        header.iter().zip(cells).map(|(&name, cell)| (name.to_owned(), Value::from(cell))).collect()
    };
    lines.map(row).collect()
}

#[test]
fn a_report_has_a_table_a_page_and_the_figures() {
    let folder = folder("report");
    let output = bench(&[TIC_TAC_TOE, HEX, BREAKTHROUGH, "--report", folder.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.starts_with("3 sheets, one process each; limits 60 s, 4.00 GiB, 200,000,000 rules\n"),
        "{text}"
    );
    assert!(text.contains("  compact, whole process            3"), "{text}");
    assert!(text.lines().nth(1).unwrap().starts_with("grundy "), "machine, date and version: {text}");
    // Published shares stand below ours of the same step.
    let lines: Vec<&str> = text.lines().collect();
    let ours =
        lines.iter().position(|line| line.starts_with("  rules, base and input known       3")).unwrap();
    let published = "    published in 2014             246        –   24.0 %   72.0 %";
    assert!(lines[ours + 1].starts_with(published), "{text}");
    assert!(text.contains("\npublished in 2014 (2.4 GHz)\n  Kissmann & Edelkamp, Prolog "), "{text}");

    let table = table(&folder);
    let runs: Vec<(&str, &str)> =
        table.iter().map(|row| (row["game"].as_str().unwrap(), row["run"].as_str().unwrap())).collect();
    let of_each = ["compact", "faithful", "one-step", "iterative"];
    let games = ["games/tic-tac-toe", "games/hex", "games/breakthrough"];
    assert_eq!(runs, games.iter().flat_map(|&game| of_each.map(|run| (game, run))).collect::<Vec<_>>());
    let faithful = &table[1];
    assert_eq!((&faithful["status"], &faithful["rules"]), (&"fine".into(), &"138".into()));
    assert_eq!((&faithful["base"], &faithful["input"]), (&"29".into(), &"20".into()));
    let positive = |name: &str| faithful[name].as_str().unwrap().parse::<f64>().unwrap() > 0.0;
    assert!(positive("wall_s") && positive("cpu_s") && positive("ground_s"));
    assert!(!cfg!(target_os = "linux") || positive("peak_bytes"));
    assert_eq!(table[2]["rules"], "138", "the methods agree");

    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 7);
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("href="));
    for figure in 2..=6 {
        let svg = std::fs::read_to_string(folder.join(format!("figure-{figure}.svg"))).unwrap();
        assert!(page.contains(&svg) && svg.contains(&format!("Figure {figure}: ")));
    }
    for part in
        ["<dt>processor</dt>", "<dt>date</dt>", "<dt>peak memory</dt>", "<dt>limits of a process</dt>"]
    {
        assert!(page.contains(part), "no `{part}`");
    }
    let run = std::fs::read_to_string(folder.join("run.tsv")).unwrap();
    assert!(run.starts_with(&format!("program\tgrundy {}\ndate\t2", env!("CARGO_PKG_VERSION"))), "{run}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_bad_sheet_is_listed_and_the_run_continues() {
    let folder = folder("bad");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let succ = |n: u32| format!("(succ {n} {})\n", n + 1);
    write("a-exploding.kif", &(0..99).map(succ).fold(EXPLODING.to_owned(), |sheet, fact| sheet + &fact));
    write("b-broken.kif", "(role a) (<= (next ?x) (true (f ?x ?y)) (not (q ?z)))");
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    std::fs::copy(root().join(TIC_TAC_TOE), folder.join("sub/c.kif")).unwrap();
    write("theory.pl", "a.");
    let place = folder.to_str().unwrap();
    let report = folder.join("report");
    let limits = ["--max-rules", "5000", "--form", "faithful", "--report", report.to_str().unwrap()];
    let output = bench(&[&["--corpus", place], &limits[..]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("2 sheets (1 more cannot be read), one process each"), "{text}");
    assert!(text.contains("\nfailed: faithful (1)\n  a-exploding: rules; line 5 has "), "{text}");

    let status = |row: &Value| format!("{} {} {}", row["game"], row["run"], row["status"]).replace('"', "");
    let statuses: Vec<String> = table(&report).iter().map(status).collect();
    assert_eq!(
        statuses[..3],
        ["a-exploding faithful limit", "a-exploding one-step limit", "a-exploding iterative limit"]
    );
    assert_eq!(statuses[3], "b-broken faithful unreadable", "and it is not tried again");
    assert_eq!(statuses[4], "sub/c faithful fine");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Ctrl-C while the second sheet is grounded.
#[cfg(unix)]
#[test]
fn finished_sheets_are_reported_after_an_interrupt() {
    let folder = folder("stop");
    std::fs::copy(root().join(TIC_TAC_TOE), folder.join("a.kif")).unwrap();
    // The clash of five numbers has 100⁵ instances.
    let clash = "(<= (clash ?a ?b ?c ?d ?e) (pair ?a ?b) (pair ?c ?d) (true (n ?e)))";
    let sheet =
        (0..99).fold(format!("{EXPLODING}{clash}"), |sheet, n| sheet + &format!("(succ {n} {})", n + 1));
    std::fs::write(folder.join("b.kif"), sheet).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_grundy"));
    command.args(["bench", "grounding", "--form", "faithful", "--corpus"]).arg(&folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stdout(&output).starts_with("1 sheet, one process each"), "{}", stdout(&output));
    assert!(stderr(&output).contains("limit `interrupt`"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn json_has_the_whole_summary_in_any_number_of_jobs() {
    let run = |jobs: &str| json(&bench(&[TIC_TAC_TOE, HEX, "--json", "--jobs", jobs]));
    let (one, two) = (run("1"), run("2"));
    let parts = [
        "sheets",
        "unreadable",
        "limits",
        "core_share",
        "budgets",
        "shares",
        "large",
        "growth",
        "literals",
        "against",
        "failures",
        "origin",
    ];
    assert_eq!(one.as_object().unwrap().keys().collect::<Vec<_>>(), parts);
    assert_eq!(one["sheets"], 2);
    assert_eq!((&one["literals"], &one["failures"]), (&two["literals"], &two["failures"]));
}

#[test]
fn exit_codes() {
    let empty = folder("empty");
    assert_eq!(code(&bench(&["--corpus", empty.to_str().unwrap()])), 1);
    assert_eq!(code(&bench(&["--corpus", "no-such-folder"])), 1);
    assert_eq!(code(&bench(&[TIC_TAC_TOE, "--form", "neither"])), 2);
    assert_eq!(code(&bench(&[TIC_TAC_TOE, "--against", "nobody"])), 2);
    assert_eq!(code(&bench(&[TIC_TAC_TOE, "--jobs", "0"])), 2);
    std::fs::remove_dir_all(&empty).unwrap();
}

#[test]
fn programs_that_are_not_installed_are_skipped_with_a_message() {
    let nothing = folder("nothing");
    let mut command = Command::new(env!("CARGO_BIN_EXE_grundy"));
    command.args(["bench", "grounding", TIC_TAC_TOE, "--against", "gringo,swipl"]).current_dir(root());
    command.env("PATH", &nothing).env("XDG_CACHE_HOME", &nothing).stdin(Stdio::null());
    let output = command.output().expect("grundy starts");
    assert_eq!(code(&output), 0);
    let messages = stderr(&output);
    assert!(messages.contains("gringo is skipped: it is not installed"), "{messages}");
    assert!(messages.contains("swipl is skipped: it is not installed"), "{messages}");
    assert!(stdout(&output).contains("faithful, with aspif"), "ours is measured all the same");
    std::fs::remove_dir_all(&nothing).unwrap();
}

#[test]
fn a_limit_is_reported_as_json() {
    let output = grundy(&["ground", HEX, "--faithful", "--max-rules", "100", "--json"]);
    assert_eq!(code(&output), 3);
    let error = &json(&output)["error"];
    assert_eq!(error["limit"], "rules");
    assert!(error["rule"].as_str().unwrap().starts_with("(<= ") && error["line"].as_u64().unwrap() > 1);
    assert!(error["instances"].as_u64().unwrap() > 0, "{error}");
}

#[test]
fn prolog_finds_as_many_rules() {
    if Command::new("swipl").arg("--version").stdout(Stdio::null()).status().is_err() {
        return;
    }
    let summary = json(&bench(&[TIC_TAC_TOE, HEX, BREAKTHROUGH, "--against", "swipl", "--json"]));
    let against = &summary["against"][0];
    assert_eq!((&against["games"], &against["only_ours"]), (&3.into(), &0.into()), "{summary}");
    assert_eq!(against["other_counts"], Value::Array(Vec::new()));
}

#[test]
fn the_prolog_program_has_tables_and_tests_behind_their_binders() {
    let sheet = b"(role a) (init (f 1)) (num 1) (num 2) (bad 2) (<= (goal a 0) (role a)) (<= terminal (true (f 2)))
        (<= (next (f ?x)) (does a ?x)) (<= (legal a ?x) (not (bad ?x)) (distinct ?x 3) (not (true (f ?x))) (num ?x))";
    let text = stdout(&grundy_with_input(&["export", "prolog", "-"], sheet));
    for part in [
        ":- table p_true/1.\n",
        "p_true(F) :- p_next(F).\n",
        "p_legal(a,V0) :- p_num(V0), \\+ p_bad(V0), V0 \\== 3.\n",
        "rule(p_legal(a,V0),[not(p_true(f(V0)))]) :- p_num(V0), ",
        "rule(p_next(f(V0)),[p_does(a,V0)]) :- input(a,V0).\n",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

/// The result is the same at any number of threads; what is written can be compared again.
#[test]
fn random_games_are_compared_in_any_number_of_threads() {
    let folder = folder("differential");
    let place = folder.to_str().unwrap();
    let run = |more: &[&str]| {
        let output = grundy(&[&["bench", "differential", "--games", "6", "--seed", "3"], more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output)
    };
    let one = run(&["--coverage", "--out", place, "--keep"]);
    assert!(one.contains("6 games: 6 compared (") && one.contains(" %  a choice of moves"), "{one}");
    assert_eq!(run(&["--coverage", "--threads", "2"]), one);
    let result: Value = serde_json::from_str(&run(&["--json"])).unwrap();
    assert_eq!((&result["sheets"], &result["compared"]), (&6.into(), &6.into()));
    assert!(result["states"].as_u64() > Some(6) && result["replays"].as_u64() > Some(100), "{result}");
    assert_eq!(result["failures"], Value::Array(Vec::new()));

    let written: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert_eq!(written.len(), 6);
    let output = grundy(&["bench", "differential", place, "--json"]);
    assert_eq!((code(&output), &json(&output)["compared"]), (0, &6.into()), "{}", stderr(&output));
    let output = grundy(&["bench", "differential", "games/nim.kif", "--mutants", "2", "--json"]);
    assert_eq!((code(&output), &json(&output)["sheets"]), (0, &2.into()), "{}", stderr(&output));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(code(&grundy(&["bench", "differential", "no-such-folder"])), 1);
    assert_eq!(code(&grundy(&["bench", "differential", "games/nim.kif", "--games", "3"])), 2);
}

#[cfg(unix)]
#[test]
fn a_comparison_can_be_stopped() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grundy"));
    command.args(["bench", "differential", "--games", "1000000", "--json"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    let start = std::time::Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < std::time::Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    let result = json(&output);
    assert_eq!(result["error"]["kind"], "interrupted");
    assert!(result["sheets"].as_u64().is_some(), "what is known is told: {result}");
}

#[test]
fn engines_check_themselves() {
    for engine in ["lifted", "scratch", "incremental", "batch", "auto"] {
        let args = ["simulate", TIC_TAC_TOE, "--engine", engine, "--playouts", "3", "--self-check", "--json"];
        let output = grundy(&args);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let messages = stderr(&output);
        assert!(messages.contains("agrees with the reference in "), "{engine}: {messages}");
        assert!(!messages.contains("is not used"), "{engine}: {messages}");
    }
}
