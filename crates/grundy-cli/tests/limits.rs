//! Limits of the whole command: time, memory, and Ctrl-C, on sheets that are made to explode.
//!
//! `tools/limits.py` measures the same for any sheets. Here, on a machine that may be busy, a run may be a few seconds late;
//! without limits, most would take minutes.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use std::fmt::Write;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{code, grundy_with_input, json, root, stderr};
use wait4::Wait4;

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

/// Every command that reads a sheet, with FILE and RECORD in the place of paths.
const COMMANDS: [&str; 17] = [
    "check FILE",
    "check FILE --play 1000",
    "ground FILE",
    "ground FILE --faithful",
    "ground FILE --invariants",
    "dump program FILE",
    "dump stored FILE",
    "dump network FILE",
    "export asp FILE",
    "simulate FILE --max-steps 50",
    "simulate FILE --max-steps 50 --engine reference",
    "simulate FILE --max-steps 50 --engine batch --invariants",
    "simulate FILE --max-steps 1000000000 --playouts 1000000 --record RECORD",
    "perft FILE 60",
    "metarules FILE",
    "unfold FILE --goal terminal",
    "features generate FILE",
];

const TIMEOUT: &str = "0.5";
const MEMORY: u64 = 150;

/// What may be resident at the limit: a tenth and 30 MB more, and 30 MB for a program with debug information.
const MOST_MEGABYTES: u64 = MEMORY * 11 / 10 + 30 + 30;

/// How long a call may take on a busy machine.
const MOST_SECONDS: Duration = Duration::from_secs(5);

/// A call that hit a limit, and what is wrong with how it ended.
fn explode(name: &str, command: &str, file: &Path) -> (bool, Vec<String>) {
    let record = file.with_extension(format!("{}.jsonl", command.split(' ').next().unwrap_or_default()));
    let memory = format!("{MEMORY}M");
    let mut process = Command::new(env!("CARGO_BIN_EXE_grundy"));
    for word in command.split(' ') {
        match word {
            "FILE" => process.arg(file),
            "RECORD" => process.arg(&record),
            word => process.arg(word),
        };
    }
    let limits = ["--timeout", TIMEOUT, "--max-memory", &memory, "--json"];
    let start = Instant::now();
    let (output, megabytes) = measured(process.args(limits));
    let took = start.elapsed();
    let mut wrong = Vec::new();
    let mut check = |is_right: bool, what: String| {
        if !is_right {
            wrong.push(format!("{command} on {name}: {what}: {}", stderr(&output)));
        }
    };
    check(took < MOST_SECONDS, format!("took {took:?}"));
    check(megabytes.is_none_or(|peak| peak <= MOST_MEGABYTES), format!("took {megabytes:?} MB"));
    check([0, 1, 3].contains(&code(&output)), format!("exit code {}", code(&output)));
    let answer = json(&output);
    let error = &answer["error"];
    check((code(&output) == 0) == error.is_null(), format!("exit code {}, error {error}", code(&output)));
    if code(&output) == 3 {
        check(error["limit"].is_string() && error["stage"].is_string(), format!("error {error}"));
    }
    (code(&output) == 3, wrong)
}

/// Runs a process, and finds out how much memory it had at most, where the system says so.
fn measured(command: &mut Command) -> (Output, Option<u64>) {
    let (mut stdout, mut stderr) = (tempfile(), tempfile());
    let copy = |file: &File| file.try_clone().expect("a copy of the file");
    command.current_dir(root()).stdin(Stdio::null()).env("NO_COLOR", "1");
    command.stdout(copy(&stdout)).stderr(copy(&stderr));
    let ended = command.spawn().expect("grundy starts").wait4().expect("grundy ends");
    let (stdout, stderr) = (content(&mut stdout), content(&mut stderr));
    let megabytes = cfg!(target_os = "linux").then_some(ended.rusage.maxrss >> 20);
    (Output { status: ended.status, stdout, stderr }, megabytes)
}

/// A file without a name.
fn tempfile() -> File {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("grundy-limits-{}-{number}", std::process::id()));
    let file = File::options().read(true).write(true).create_new(true).open(&path).expect("a file");
    std::fs::remove_file(path).expect("the file is there");
    file
}

fn content(file: &mut File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).expect("the file can be read");
    bytes
}

#[test]
fn every_command_keeps_its_limits_on_every_explosion() {
    let folder = std::env::temp_dir().join(format!("grundy-explosions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let sheets: Vec<(&str, PathBuf)> = explosions()
        .into_iter()
        .map(|(name, sheet)| {
            let file = folder.join(format!("{name}.kif"));
            std::fs::write(&file, sheet).expect("a file");
            (name, file)
        })
        .collect();
    let calls: Vec<(usize, &str)> =
        (0..sheets.len()).flat_map(|sheet| COMMANDS.map(|command| (sheet, command))).collect();
    let next = AtomicUsize::new(0);
    let found = Mutex::new((0, Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(&(sheet, command)) = calls.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (name, file) = &sheets[sheet];
                    let (is_limited, mut wrong) = explode(name, command, file);
                    let mut found = found.lock().expect("no other thread has panicked");
                    found.0 += usize::from(is_limited);
                    found.1.append(&mut wrong);
                }
            });
        }
    });
    let (limited, wrong) = found.into_inner().expect("all threads are done");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(limited > 40, "only {limited} runs hit a limit: the sheets are too tame");
    let parts = std::fs::read_dir(&folder).expect("the folder").flatten();
    let parts: Vec<_> =
        parts.filter(|entry| entry.path().extension().is_some_and(|end| end == "part")).collect();
    assert!(parts.is_empty(), "half-written files: {parts:?}");
    std::fs::remove_dir_all(&folder).expect("the folder can go");
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
    let commands: [&[&str]; 7] = [
        &["ground", &file, "--faithful"],
        &["check", "games/nine-mens-morris.kif", "--play", "100000000"],
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
        assert!(start.elapsed() < Duration::from_secs(2), "{command:?}: {:?}", start.elapsed());
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
