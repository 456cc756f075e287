//! Limits of the whole command: time, memory, and Ctrl-C, on sheets that are made to explode.
//!
//! How exactly limits are kept is measured from outside, by `tools/limits.py`; here, on a machine that may be busy, a run may
//! be a few seconds late. What these runs would take without limits is minutes at least.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use std::fmt::Write;
use std::time::{Duration, Instant};
use support::{code, grundy_with_input, json, stderr};

const END: &str = "(legal a go) (<= terminal (true (n end))) (goal a 50)\n";

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "{}", line(number));
        text
    })
}

/// Sheets by name.
fn explosions() -> Vec<(&'static str, String)> {
    let chain: String = (0..1_000).map(|n| format!("(e ?x{n} ?x{}) ", n + 1)).collect();
    let edges = lines(36, |n| format!("(e {} {})", n / 6, n % 6));
    let wide: String = (0..100_000).map(|n| format!("?x{n} ")).collect();
    let numbers = |count| lines(count, |n| format!("(d {n})"));
    vec![
        ("grow", format!("(role a) (init (n 0)) {END} (<= (next (n (s ?x ?y))) (true (n ?x)) (true (n ?y)))")),
        ("chain", format!("(role a) (init (n 0)) {END} {edges} (<= (next (n ?x1000)) (true (n ?x0)) {chain})")),
        (
            "views",
            format!(
                "(role a) (init (n 0)) {END} (<= (v0 ?x) (true (n ?x))) {} (<= (next (n ?x)) (v100000 ?x))",
                lines(100_000, |n| format!("(<= (v{} ?x) (v{n} ?x))", n + 1))
            ),
        ),
        ("rules", format!("(role a) {END} {}", lines(300_000, |n| format!("(<= (p ?x) (q{} {n} ?x))", n % 1_000)))),
        ("arguments", format!("(role a) {END} (<= (next (p {wide})) (true (p {wide})))")),
        (
            "join",
            format!(
                "(role a) {END} {} (<= (next (n ?x)) (d ?x)) (<= (next (m ?a ?b ?c ?d ?e)) (true (n ?a)) (true (n ?b))
                 (true (n ?c)) (true (n ?d)) (true (n ?e)))",
                numbers(100)
            ),
        ),
        (
            "state",
            format!(
                "(role a) {END} {} (<= (init (c ?x ?y)) (d ?x) (d ?y)) (<= (next (c ?x ?y)) (true (c ?x ?y)))",
                numbers(1_500)
            ),
        ),
    ]
}

#[test]
fn every_command_keeps_its_limits_on_every_explosion() {
    let commands: [&[&str]; 9] = [
        &["check", "-"],
        &["ground", "-"],
        &["ground", "-", "--faithful"],
        &["ground", "-", "--invariants"],
        &["dump", "network", "-"],
        &["simulate", "-", "--max-steps", "50"],
        &["simulate", "-", "--engine", "reference", "--max-steps", "50"],
        &["metarules", "-"],
        &["unfold", "-", "--goal", "terminal"],
    ];
    let mut limited = 0;
    for (name, sheet) in explosions() {
        for command in commands {
            let limits = ["--timeout", "0.5", "--max-memory", "150M", "--json"];
            let start = Instant::now();
            let output = grundy_with_input(&[command, &limits].concat(), sheet.as_bytes());
            let took = start.elapsed();
            assert!(
                took < Duration::from_secs(8),
                "{command:?} on {name} took {took:?}: {}",
                stderr(&output)
            );
            assert!([0, 1, 3].contains(&code(&output)), "{command:?} on {name}: {}", stderr(&output));
            if code(&output) == 3 {
                limited += 1;
                let error = &json(&output)["error"];
                assert!(error["limit"].is_string(), "{command:?} on {name}: {error}");
                assert!(error["stage"].is_string(), "{command:?} on {name}: {error}");
            }
        }
    }
    assert!(limited > 20, "only {limited} runs hit a limit: the sheets are too tame");
}

#[test]
fn the_rule_is_named() {
    let sheets = explosions();
    for (name, rule) in [("join", "(next (m"), ("grow", "(next (n (s")] {
        let (_, sheet) = sheets.iter().find(|(other, _)| *other == name).expect("the sheet is there");
        let limits = ["ground", "-", "--timeout", "1", "--max-memory", "200M", "--json"];
        let error = &json(&grundy_with_input(&limits, sheet.as_bytes()))["error"];
        let named = error["rule"].as_str().unwrap_or_default();
        assert!(named.contains(rule), "{name}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_every_command_soon() {
    use std::process::{Command, Stdio};
    use support::root;
    let (_, sheet) = explosions().swap_remove(1);
    let folder = std::env::temp_dir().join(format!("grundy-limits-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("chain.kif");
    std::fs::write(&file, sheet).expect("a file");
    let endless = folder.join("endless.kif");
    std::fs::write(&endless, format!("(role a) (init (n 0)) (legal a stay) {END} (<= (next ?f) (true ?f))"))
        .expect("a file");
    let record = folder.join("record.jsonl");
    let [file, endless, record] =
        [&file, &endless, &record].map(|path| path.to_str().expect("a name").to_owned());
    let commands: [&[&str]; 6] = [
        &["ground", &file, "--faithful"],
        &["metarules", &file],
        &["simulate", &endless, "--max-steps", "1000000000", "--record", &record],
        &["simulate", &endless, "--max-steps", "1000000000", "--engine", "batch", "--playouts", "100000"],
        &["perft", &endless, "60"],
        &["simulate", &file, "--engine", "reference"],
    ];
    for command in commands {
        let mut process = Command::new(env!("CARGO_BIN_EXE_grundy"));
        process.args(command).arg("--json").current_dir(root()).stdin(Stdio::null());
        let child = process.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("grundy starts");
        std::thread::sleep(Duration::from_millis(600));
        let start = Instant::now();
        let pid = child.id().to_string();
        Command::new("kill").args(["-INT", &pid]).status().expect("there is a kill");
        let output = child.wait_with_output().expect("grundy ends");
        assert!(start.elapsed() < Duration::from_secs(5), "{command:?}: {:?}", start.elapsed());
        assert_eq!(code(&output), 3, "{command:?}: {}", stderr(&output));
        assert_eq!(json(&output)["error"]["kind"], "interrupted", "{command:?}: {}", stderr(&output));
    }
    let left: Vec<_> = std::fs::read_dir(&folder).expect("the folder").flatten().collect();
    assert_eq!(left.len(), 2, "half-written files: {left:?}");
    std::fs::remove_dir_all(&folder).expect("the folder can go");
}

/// A main thread has 8 MB of stack on most systems, but 1 MB on Windows, which is imitated here.
#[cfg(unix)]
#[test]
fn the_deepest_nesting_fits_into_any_stack() {
    use std::process::Command;
    const DEPTH: usize = 1_990;
    let folder = std::env::temp_dir().join(format!("grundy-stack-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("deep.kif");
    let sheet = format!("(role a) (init {}0{}) (legal a go) {END}", "(f ".repeat(DEPTH), ")".repeat(DEPTH));
    std::fs::write(&file, sheet).expect("a file");
    for call in ["check", "dump program", "ground --max-term-depth 3000"] {
        let program = env!("CARGO_BIN_EXE_grundy");
        let script = format!("ulimit -s 1024; exec {program} {call} {} --max-nesting 2000", file.display());
        let output = Command::new("sh").args(["-c", &script]).output().expect("there is a shell");
        assert_eq!(output.status.code(), Some(0), "{call}: {}", stderr(&output));
    }
    std::fs::remove_dir_all(&folder).expect("the folder is there");
}
