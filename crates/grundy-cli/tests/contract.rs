//! The command line as scripts rely on it: exit codes, JSON, streams.

#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod support;

use serde_json::Value;
use support::{code, grundy, grundy_with_input, json, stderr};

const TIC_TAC_TOE: &str = "games/tic-tac-toe.kif";

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn assert_has_keys(value: &Value, wanted: &[&str]) {
    let found = keys(value);
    wanted.iter().for_each(|key| assert!(found.contains(key), "no `{key}` in {value}"));
}

#[test]
fn simulate_reports_what_the_contract_names() {
    let output = grundy(&["simulate", TIC_TAC_TOE, "--playouts", "20", "--json"]);
    assert_eq!(code(&output), 0);
    let result = json(&output);
    assert_has_keys(
        &result,
        &[
            "engine",
            "playouts",
            "states",
            "seconds",
            "playouts_per_second",
            "states_per_second",
            "mean_length",
            "setup_seconds",
            "goals",
        ],
    );
    assert_eq!(result["playouts"], 20);
    let length = result["mean_length"].as_f64().unwrap();
    assert!((5.0..=9.0).contains(&length));
    assert_eq!(keys(&result["goals"]).len(), 2);
}

#[test]
fn the_same_seed_gives_the_same_games_at_any_number_of_threads() {
    let run = |seed: &str, threads: &str| {
        let args =
            ["simulate", TIC_TAC_TOE, "--playouts", "40", "--seed", seed, "--threads", threads, "--json"];
        let result = json(&grundy(&args));
        (result["states"].clone(), result["goals"].clone())
    };
    assert_eq!(run("1", "1"), run("1", "3"));
    assert_eq!(run("1", "1"), run("1", "1"));
    assert_ne!(run("1", "1"), run("2", "1"));
}

#[test]
fn perft_counts_sequences_of_exactly_that_length() {
    let result = json(&grundy(&["perft", TIC_TAC_TOE, "6", "--json"]));
    assert_has_keys(&result, &["depth", "sequences", "seconds"]);
    // 9·8·7·6·5·4 sequences, less those that go on after x has three in a row at its third move.
    assert_eq!(result["sequences"], 60480 - 1440 * 4);
    assert_eq!(result["ended_earlier"], 1440);
    assert_eq!(json(&grundy(&["perft", TIC_TAC_TOE, "0", "--json"]))["sequences"], 1);
}

#[test]
fn a_recorded_game_replays_and_a_changed_one_does_not() {
    let sheet = "(role a) (init (n 0)) (s 0 1) (s 1 2)
        (<= (legal a up) (role a)) (<= (next (n ?y)) (does a up) (true (n ?x)) (s ?x ?y))
        (<= terminal (true (n 2))) (<= (goal a 100) (true (n 2)))";
    let folder = std::env::temp_dir().join(format!("grundy-contract-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("count.kif");
    std::fs::write(&path, sheet).unwrap();
    let line = |step: usize, state: &str, terminal: bool, goal: &str, moves: &str| {
        format!(
            r#"{{"playout":0,"step":{step},"state":["{state}"],"legal":{{"a":["up"]}},"terminal":{terminal},"goals":{{"a":{goal}}}{moves}}}"#
        )
    };
    let up = r#","moves":{"a":"up"}"#;
    let good = [
        line(0, "(n 0)", false, "null", up),
        line(1, "(N 1)", false, "null", up),
        line(2, "(n 2)", true, "100", ""),
    ]
    .join("\n");
    let verify =
        |trace: &str| grundy_with_input(&["verify", path.to_str().unwrap(), "-", "--json"], trace.as_bytes());
    let output = verify(&good);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let result = json(&output);
    assert_has_keys(&result, &["states", "differences", "engine"]);
    assert_eq!((&result["states"], &result["differences"]), (&3.into(), &0.into()));

    let output = verify(&good.replace("(n 2)", "(n 7)"));
    assert_eq!(code(&output), 1);
    assert_eq!(json(&output)["differences"], 1);
    assert!(stderr(&output).contains("playout 0, step 2: state: missing (n 7), too many (n 2)"));

    let output = verify("not json");
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains(":1: not a line of a trace"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn dump_prints_every_stage() {
    for stage in ["sexprs", "program", "analysis", "flat", "network"] {
        let output = grundy(&["dump", stage, TIC_TAC_TOE]);
        assert_eq!(code(&output), 0);
        assert!(!output.stdout.is_empty());
        assert!(stderr(&output).starts_with(stage), "sizes go to standard error");
        let result = json(&grundy(&["dump", stage, TIC_TAC_TOE, "--json"]));
        assert_eq!(result["text"].as_str().unwrap().as_bytes(), output.stdout);
    }
}

#[test]
fn networks_are_measured_pass_by_pass_and_drawn_in_part() {
    let output = grundy(&["dump", "network", TIC_TAC_TOE, "--sizes", "--without", "factoring,guards"]);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        table.contains("connect") && table.contains("unneeded") && !table.contains("factoring"),
        "{table}"
    );
    assert_eq!(code(&grundy(&["dump", "network", TIC_TAC_TOE, "--without", "magic"])), 2);
    let args =
        ["dump", "network", TIC_TAC_TOE, "--emit", "dot", "--around", "(next (control x))", "--depth", "1"];
    let output = grundy(&args);
    let picture = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(picture.starts_with("digraph") && picture.contains("(true (control o))"), "{picture}");
    let unknown =
        grundy(&["dump", "network", TIC_TAC_TOE, "--emit", "dot", "--around", "(next (control z))"]);
    assert_eq!(code(&unknown), 2);
}

#[test]
fn every_machine_can_be_asked_for_by_name() {
    for engine in ["scratch", "incremental", "batch", "auto"] {
        let run = |threads: &str| {
            let args = [
                "simulate",
                TIC_TAC_TOE,
                "--engine",
                engine,
                "--playouts",
                "2000",
                "--threads",
                threads,
                "--json",
            ];
            json(&grundy(&args))
        };
        let result = run("1");
        assert_eq!(result["engine"], if engine == "auto" { "batch" } else { engine });
        assert_eq!(result["playouts"], 2000);
        let length = result["mean_length"].as_f64().unwrap();
        assert!((7.0..=8.5).contains(&length), "{result}");
        let other = run("2");
        assert_eq!((&result["states"], &result["goals"]), (&other["states"], &other["goals"]), "{engine}");
    }
    let trace = "docs/examples/tic-tac-toe.jsonl";
    let result = json(&grundy(&["verify", TIC_TAC_TOE, trace, "--engine", "all", "--json"]));
    assert_eq!(
        (&result["engine"], &result["differences"], &result["states"]),
        (&"all".into(), &0.into(), &10.into())
    );
}

#[test]
fn auto_does_without_grounding_where_it_must_and_says_so() {
    let args =
        ["simulate", TIC_TAC_TOE, "--engine", "auto", "--max-rules", "10", "--playouts", "3", "--json"];
    let output = grundy(&args);
    assert_eq!(code(&output), 0);
    assert_eq!(json(&output)["engine"], "lifted");
    assert!(stderr(&output).contains("limit `rules`"), "{}", stderr(&output));
    let output = grundy(&["simulate", TIC_TAC_TOE, "--engine", "batch", "--max-rules", "10"]);
    assert_eq!(code(&output), 3);
}

#[test]
fn engines_are_measured_side_by_side() {
    let folder = std::env::temp_dir().join(format!("grundy-bench-{}", std::process::id()));
    let folder_text = folder.to_str().unwrap();
    let args = [
        "bench",
        "playouts",
        TIC_TAC_TOE,
        "--seconds",
        "0.02",
        "--runs",
        "1",
        "--report",
        folder_text,
        "--json",
    ];
    let result = json(&grundy(&args));
    let lines = result["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 4);
    for line in lines {
        assert_has_keys(
            line,
            &["game", "engine", "playouts_per_second", "states_per_second", "setup_seconds", "nodes"],
        );
        assert!(line["states_per_second"].as_f64().unwrap() > 0.0);
    }
    let page = std::fs::read_to_string(folder.join("playouts.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("batch"));
    assert_eq!(std::fs::read_to_string(folder.join("playouts.tsv")).unwrap().lines().count(), 5);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_dumped_program_reads_back_in_either_notation() {
    for notation in ["kif", "prolog"] {
        let printed = grundy(&["dump", "program", TIC_TAC_TOE, "--as", notation]).stdout;
        let args = ["dump", "program", "-", "--notation", notation, "--dialect", "game", "--as", notation];
        assert_eq!(grundy_with_input(&args, &printed).stdout, printed);
    }
}

#[test]
fn exit_codes() {
    let broken = b"(role a) (init (n 0)) (<= (legal a go) (role a)) (<= terminal (true (n ?_x)) (not (q ?y))) (<= (goal a 0) terminal)";
    assert_eq!(code(&grundy_with_input(&["simulate", "-"], broken)), 1);
    assert_eq!(code(&grundy(&["simulate", "no-such-file.kif"])), 1);
    assert_eq!(code(&grundy(&["simulate", TIC_TAC_TOE, "--playouts", "many"])), 2);
    assert_eq!(code(&grundy(&["frobnicate"])), 2);
    assert_eq!(code(&grundy(&["simulate", TIC_TAC_TOE, "--max-steps", "3"])), 3);
    assert_eq!(code(&grundy(&["perft", TIC_TAC_TOE, "9", "--engine", "reference", "--timeout", "0.2"])), 3);
    assert_eq!(code(&grundy(&["check", TIC_TAC_TOE, "--max-file-bytes", "10"])), 3);
    assert_eq!(code(&grundy(&["check", TIC_TAC_TOE, "--max-nesting", "2"])), 3);
}

#[test]
fn terms_that_grow_without_end_hit_a_limit_that_names_the_rule() {
    let sheet = b"(role a) (init (n z)) (<= (legal a go) (role a)) (<= (next (n (s ?x))) (true (n ?x)))
        (<= terminal (true (n never))) (<= (goal a 0) (role a))";
    let output = grundy_with_input(&["simulate", "-", "--playouts", "1"], sheet);
    assert_eq!(code(&output), 3);
    let message = stderr(&output);
    assert!(message.contains("limit `term-depth`") && message.contains("(next (n (s ?x)))"), "{message}");
}

#[test]
fn a_state_without_legal_moves_is_reported_as_what_it_is() {
    let sheet = b"(role a) (init (n 0)) (<= (legal a go) (true (n 0))) (<= (next (n 1)) (does a go))
        (<= terminal (true (n 2))) (<= (goal a 0) (role a))";
    let output = grundy_with_input(&["simulate", "-", "--playouts", "2", "--json"], sheet);
    assert_eq!(code(&output), 0);
    assert_eq!(json(&output)["stuck"], 2);
}

/// In the learned order, rules have the same matches with fewer tries.
#[test]
fn rules_are_put_in_order() {
    let states = "theories/tic-tac-toe_states.jsonl";
    let output = grundy(&["metarules", "theories/tic-tac-toe.pl", "--order", "--states", states, "--json"]);
    let result = json(&output);
    let rules = result["ordering"].as_array().unwrap();
    let tries = |rule: &serde_json::Value, order: &str| -> Vec<u64> {
        rule[order]["tries"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect()
    };
    for rule in rules {
        assert_has_keys(rule, &["text", "conditions", "order", "written", "learned"]);
        let (written, learned) = (tries(rule, "written"), tries(rule, "learned"));
        assert!(learned.iter().sum::<u64>() <= written.iter().sum(), "{rule}");
        assert_eq!(learned.last(), written.last(), "all conditions hold as often in any order: {rule}");
    }
    let total = |order: &str| rules.iter().flat_map(|rule| tries(rule, order)).sum::<u64>();
    assert!(total("written") > 3 * total("learned"), "{} {}", total("written"), total("learned"));
    assert!(rules.iter().all(|rule| !rule["text"].as_str().unwrap().starts_with("cell(")), "{result}");
}

#[test]
fn metarules_report_what_the_contract_names() {
    let output = grundy(&["metarules", "theories/grid.pl", "--json"]);
    assert_eq!(code(&output), 0);
    let result = json(&output);
    assert_has_keys(&result, &["impossible", "single_valued", "useless", "branching", "invariants"]);
    for kind in ["impossible", "single_valued", "useless"] {
        assert_has_keys(&result[kind][0], &["text", "conditions"]);
    }
    assert_has_keys(&result["branching"][0], &["predicate", "bound", "mean"]);
    let triangle = ":- connected(X, Y), connected(Y, Z), connected(Z, X).";
    assert!(result["impossible"].as_array().unwrap().iter().any(|one| one["text"] == triangle), "{result}");

    let result = json(&grundy(&["metarules", TIC_TAC_TOE, "--json"]));
    let invariants = result["invariants"].as_array().unwrap();
    assert_has_keys(&invariants[0], &["text", "kind", "groups"]);
    let cells = "for each x, y: exactly one c with (cell x y c)";
    assert!(invariants.iter().any(|one| one["text"] == cells && one["groups"] == 9), "{result}");
}

#[test]
fn a_parameter_of_a_theory_is_replaced() {
    let rows = |size: &str| {
        let result = json(&grundy(&["metarules", "theories/grid.pl", "--with", size, "--json"]));
        let branching = result["branching"].as_array().unwrap().clone();
        let free = branching.iter().find(|one| one["text"] == "connected(-, -)").unwrap().clone();
        free["mean"].as_f64().unwrap()
    };
    assert_eq!((rows("size(3)"), rows("size(19)")), (24.0, 1368.0));
    assert_eq!(code(&grundy(&["metarules", "theories/grid.pl", "--with", "colour(red)"])), 2);
}

#[test]
fn unfold_reports_what_the_contract_names() {
    let goal = ["unfold", TIC_TAC_TOE, "--goal", "(goal x 100)", "--moves", "1", "--json"];
    let result = json(&grundy(&goal));
    assert_has_keys(&result, &["generated", "kept", "seconds"]);
    assert_eq!((&result["kept"], &result["auxiliary"]), (&12.into(), &0.into()));
    let without = [&goal[..], &["--without", "impossible,single-valued"]].concat();
    assert_eq!(json(&grundy(&without))["generated"], result["generated"]);
    assert_eq!(code(&grundy(&["unfold", TIC_TAC_TOE, "--goal", "(gaol x 100)"])), 2);
    assert_eq!(code(&grundy(&["unfold", "theories/go.pl", "--goal", "taking(C, S)", "--max-steps", "5"])), 3);
}

/// Runs a command with `--json` that fails; its error object.
fn error_of(args: &[&str], input: &[u8], exit: i32) -> Value {
    let output = grundy_with_input(args, input);
    assert_eq!(code(&output), exit, "{args:?}: {}", stderr(&output));
    let error = json(&output)["error"].clone();
    assert!(!error["message"].as_str().expect("a message").is_empty(), "{args:?}");
    assert_has_keys(&error, &["kind", "limit", "stage", "rule"]);
    error
}

const BROKEN: &[u8] =
    b"(role a) (init (n 0)) (<= (legal a go) (role a)) (<= terminal (not (q ?y))) (<= (goal a 0) terminal)";

#[test]
fn every_command_fails_with_one_object() {
    let calls: [&[&str]; 13] = [
        &["check"],
        &["dump", "ground"],
        &["ground"],
        &["simulate"],
        &["perft", "2"],
        &["verify", "docs/examples/tic-tac-toe.jsonl"],
        &["metarules"],
        &["unfold", "--goal", "(goal a 0)"],
        &["features", "theories/tic-tac-toe_features.kif"],
        &["features", "generate"],
        &["dump", "sexprs"],
        &["dump", "program"],
        &["dump", "network"],
    ];
    for call in calls {
        // The file comes before other arguments, and after the names of commands and stages.
        let names = if call[0] == "dump" || call.get(1) == Some(&"generate") { 2 } else { 1 };
        let with = |file| [&call[..names], &[file], &call[names..], &["--json"]].concat();
        assert_eq!(error_of(&with("no-such-file.kif"), b"", 1)["kind"], "input", "{call:?}");
        let limited = [&with(TIC_TAC_TOE)[..], &["--max-file-bytes", "10"]].concat();
        let error = error_of(&limited, b"", 3);
        assert_eq!((&error["kind"], &error["limit"]), (&"limit".into(), &"file-bytes".into()), "{call:?}");
        let error = error_of(&[&with(TIC_TAC_TOE)[..], &["--no-such-option"]].concat(), b"", 2);
        assert_eq!(error["kind"], "call", "{call:?}");
        // Stages up to the program are printed as far as they can be understood.
        if !matches!(call, ["dump", "sexprs" | "program"]) {
            assert_eq!(error_of(&with("-"), BROKEN, 1)["kind"], "input", "{call:?}");
        }
    }
    for bench in ["playouts", "grounding"] {
        assert_eq!(error_of(&["bench", bench, "--json", "--no-such-option"], b"", 2)["kind"], "call");
    }
    assert_eq!(
        error_of(&["bench", "grounding", "--corpus", "no-such-folder", "--json"], b"", 1)["kind"],
        "input"
    );
    assert_eq!(error_of(&["frobnicate", "--json"], b"", 2)["kind"], "call");
}

#[test]
fn the_error_object_names_limit_stage_and_rule() {
    let error = error_of(&["simulate", "-", "--json"], BROKEN, 1);
    assert_eq!(error["stage"], "read");
    assert_has_keys(&error["diagnostics"][0], &["code", "message", "line", "column"]);

    let error = error_of(&["check", TIC_TAC_TOE, "--max-nesting", "2", "--json"], b"", 3);
    assert_eq!((&error["kind"], &error["limit"]), (&"limit".into(), &"nesting".into()));
    let error = error_of(&["perft", TIC_TAC_TOE, "2", "--max-nesting", "2", "--json"], b"", 3);
    assert_eq!((&error["limit"], &error["stage"]), (&"nesting".into(), &"read".into()));

    let batch = ["simulate", TIC_TAC_TOE, "--engine", "batch", "--max-rules", "10", "--json"];
    let error = error_of(&batch, b"", 3);
    assert_eq!((&error["limit"], &error["stage"]), (&"rules".into(), &"ground".into()));
    assert!(error["rule"].as_str().unwrap().starts_with('('), "{error}");

    let growing = b"(role a) (init (n z)) (<= (legal a go) (role a)) (<= (next (n (s ?x))) (true (n ?x)))
        (<= terminal (true (n never))) (<= (goal a 0) (role a))";
    for engine in ["reference", "lifted"] {
        let error = error_of(&["simulate", "-", "--engine", engine, "--json"], growing, 3);
        assert_eq!((&error["limit"], &error["stage"]), (&"term-depth".into(), &"play".into()), "{error}");
        assert_eq!(error["rule"].as_str().unwrap().split_whitespace().next(), Some("(<="), "{error}");
    }
    let unfold = ["unfold", "theories/go.pl", "--goal", "taking(C, S)", "--max-steps", "5", "--json"];
    assert_eq!(error_of(&unfold, b"", 3)["limit"], "steps");
}

#[test]
fn a_result_in_part_comes_with_the_error_in_the_same_object() {
    let args = ["simulate", TIC_TAC_TOE, "--max-steps", "3", "--playouts", "4", "--json"];
    let result = json(&grundy(&args));
    assert_eq!((&result["unfinished"], &result["error"]["limit"]), (&4.into(), &"steps".into()));
    let output = grundy_with_input(&["check", "-", "--json"], BROKEN);
    let result = json(&output);
    assert_eq!((code(&output), &result["error"]["kind"]), (1, &"input".into()));
    assert_eq!(result["files"][0]["errors"].as_array().unwrap().len(), 1);
    let fine = json(&grundy(&["check", TIC_TAC_TOE, "--json"]));
    assert_eq!(fine.get("error"), None, "success has no error");
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_an_error_of_its_own_kind() {
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_grundy"));
    command.args(["ground", "-", "--faithful", "--json"]).current_dir(support::root());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("grundy starts");
    // 200^4 instances take far longer than the test.
    let numbers: String = (0..200).map(|number| format!("(num {number})")).collect();
    let sheet = format!(
        "(role a) (init (f 0)) (<= (legal a go) (role a)) (<= (next (f ?x)) (true (f ?x)) (num ?x))
         (<= (q ?a ?b ?c ?d) (true (f 0)) (num ?a) (num ?b) (num ?c) (num ?d))
         (<= terminal (q ?a ?b ?c ?d)) (<= (goal a 0) (role a)) {numbers}"
    );
    use std::io::Write;
    child.stdin.take().expect("a pipe").write_all(sheet.as_bytes()).expect("grundy reads");
    std::thread::sleep(std::time::Duration::from_millis(1000));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let output = child.wait_with_output().expect("grundy ends");
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert_eq!(json(&output)["error"]["kind"], "interrupted");
}

#[test]
fn a_folder_without_sheets_is_no_success() {
    let folder = std::env::temp_dir().join(format!("grundy-empty-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("notes.txt"), "no sheet").unwrap();
    let path = folder.to_str().unwrap();
    let output = grundy(&["check", path]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("nothing to check"), "{}", stderr(&output));
    let error = error_of(&["check", path, "--json"], b"", 1);
    assert!(error["message"].as_str().unwrap().contains(path), "{error}");
    assert_eq!(code(&grundy(&["check", path, TIC_TAC_TOE])), 0, "one file is something to check");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_version_is_that_of_the_command() {
    let output = grundy(&["--version"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), concat!("grundy ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn limits_on_reading_are_in_the_long_help_alone() {
    let help =
        |command: &str, flag: &str| String::from_utf8_lossy(&grundy(&[command, flag]).stdout).into_owned();
    for command in ["check", "simulate", "ground", "features"] {
        let (short, long) = (help(command, "-h"), help(command, "--help"));
        for limit in ["--max-nesting", "--max-branches", "--max-source-rules", "--max-file-bytes"] {
            assert!(long.contains(limit) && !short.contains(limit), "{command} {limit}");
        }
        assert!(short.contains("--notation"), "{short}");
    }
}

#[test]
fn a_measured_row_is_printed_once() {
    let measure =
        ["bench", "playouts", TIC_TAC_TOE, "--seconds", "0.01", "--runs", "1", "--engines", "batch,lifted"];
    let rows = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        text.lines().filter(|line| line.starts_with("tic-tac-toe ")).count()
    };
    let output = grundy(&measure);
    assert_eq!((rows(&output.stdout), rows(&output.stderr)), (2, 0), "{}", stderr(&output));
    let output = grundy(&[&measure[..], &["--json"]].concat());
    assert_eq!((rows(&output.stdout), rows(&output.stderr)), (0, 2), "{}", stderr(&output));
}
