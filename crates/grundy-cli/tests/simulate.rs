//! `grundy simulate` counts, shows and records the same games, and tells what went wrong in them.

#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Output;
use support::{code, grundy, json, stderr};

const ENGINES: [&str; 6] = ["reference", "lifted", "scratch", "incremental", "batch", "auto"];

/// A game in which everything happens at random: `a` may have no goal or two, `b` one that is not a number or none, either
/// gets stuck, and some games go on for long. Some facts matter for nothing, so that machines leave them out of states.
const MESS: &str = "(role a) (role b) (init (at 0)) (init (other 1)) (face 1) (face 2) (face 3) (face 4)
    (<= (legal ?r (roll ?f)) (role ?r) (face ?f) (not (true stuck)))
    (<= (legal b wait) (true stuck) (true (last a 1)))
    (<= (next (last ?r ?f)) (does ?r (roll ?f)))
    (<= (next (unread ?f)) (does a (roll ?f)))
    (<= (next (other ?f)) (does b (roll ?f)))
    (<= (next stuck) (does a (roll ?f)) (does b (roll ?f)))
    (<= terminal (true (last a ?f)) (true (last b ?g)) (face ?f) (face ?g) (sum ?f ?g))
    (sum 1 4) (sum 2 3) (sum 3 1) (sum 4 2)
    (<= (goal a 10) (true (last a 1))) (<= (goal a 20) (true (last a 2))) (<= (goal a 30) (true (last a 2)))
    (<= (goal a 40) (true (last a 4)))
    (<= (goal b win) (true (last b 4))) (<= (goal b 50) (true (last b 3))) (<= (goal b 60) (true (last b 2)))";

/// A game without an end, with large states.
#[cfg(unix)]
fn endless() -> String {
    let facts: String = (0..250).map(|number| format!("(init (some long fact {number}))")).collect();
    format!(
        "(role a) {facts} (legal a go) (legal a stay) (<= (next ?f) (true ?f)) (<= terminal (true never)) (goal a 0)"
    )
}

/// A folder of its own for a test, with a sheet in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, sheet: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("grundy-simulate-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("game.kif"), sheet).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn simulate(&self, args: &[&str]) -> Output {
        grundy(&[&["simulate", &self.path("game.kif")], args].concat())
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A report without what depends on the time.
fn timeless(output: &Output) -> Value {
    let mut report = json(output);
    let members = report.as_object_mut().unwrap();
    members.retain(|name, _| !name.contains("second"));
    report
}

/// What a record tells, in the words of the report.
fn recount(record: &str) -> Value {
    let (mut playouts, mut states, mut stuck, mut unfinished) = (0, 0, 0, 0);
    let mut sums: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    let mut nulls: BTreeMap<String, (u64, u64, String)> = BTreeMap::new();
    let mut line: Vec<String> = Vec::new();
    for text in record.lines() {
        let step: Value = serde_json::from_str(text).unwrap();
        if let Some(moves) = step["moves"].as_object() {
            states += 1;
            let texts: Vec<&str> = moves.values().map(|text| text.as_str().unwrap()).collect();
            line.push(texts.join(" "));
            continue;
        }
        playouts += 1;
        let moves = std::mem::take(&mut line).join("; ");
        if step["terminal"] == false {
            let legal = step["legal"].as_object().unwrap();
            let is_stuck = legal.values().any(|moves| moves.as_array().unwrap().is_empty());
            *(if is_stuck { &mut stuck } else { &mut unfinished }) += 1;
            continue;
        }
        for (role, goal) in step["goals"].as_object().unwrap() {
            let sum = sums.entry(role.clone()).or_default();
            match goal.as_i64() {
                Some(goal) => *sum = (sum.0 + 1, sum.1 + goal),
                None => {
                    let playout = step["playout"].as_u64().unwrap();
                    nulls.entry(role.clone()).or_insert((0, playout, moves.clone())).0 += 1;
                }
            }
        }
    }
    let means: BTreeMap<&String, f64> =
        sums.iter().map(|(role, (count, sum))| (role, *sum as f64 / *count as f64)).collect();
    serde_json::json!({
        "playouts": playouts, "states": states, "stuck": stuck, "unfinished": unfinished, "goals": means, "nulls": nulls,
    })
}

/// The games with goals that are not single numbers, by role, as [`recount`] tells them.
fn nulls(report: &Value) -> Value {
    let mut nulls: BTreeMap<&str, (u64, u64, &str)> = BTreeMap::new();
    for one in report["irregular_goals"].as_array().unwrap() {
        let (playout, moves) = (&one["first"]["playout"], &one["first"]["moves"]);
        let found = (one["games"].as_u64().unwrap(), playout.as_u64().unwrap(), moves.as_str().unwrap());
        let all = nulls.entry(one["role"].as_str().unwrap()).or_insert((0, u64::MAX, ""));
        *all = if found.1 < all.1 {
            (all.0 + found.0, found.1, found.2)
        } else {
            (all.0 + found.0, all.1, all.2)
        };
    }
    serde_json::json!(nulls)
}

#[test]
fn what_is_recorded_is_what_is_counted() {
    let folder = Folder::new("recorded", MESS);
    let record = folder.path("games.jsonl");
    for engine in ENGINES {
        for count in ["7", "150", "1300"] {
            let call = ["--engine", engine, "--playouts", count, "--seed", "2", "--max-steps", "3", "--json"];
            let plain = folder.simulate(&call);
            let is_cut = json(&plain)["unfinished"] != 0;
            assert_eq!(code(&plain), if is_cut { 3 } else { 0 }, "{}", stderr(&plain));
            let recorded = folder.simulate(&[&call[..], &["--record", &record]].concat());
            assert_eq!(timeless(&plain), timeless(&recorded), "{engine}");
            let (report, recount) = (json(&plain), recount(&folder.read("games.jsonl")));
            for key in ["playouts", "states", "stuck", "unfinished"] {
                assert_eq!(report[key], recount[key], "{engine}, {count} playouts, {key}");
            }
            for role in ["a", "b"] {
                let means = [&report, &recount].map(|one| one["goals"][role].as_f64().unwrap());
                assert!((means[0] - means[1]).abs() < 1e-9, "{engine}, {count} playouts, {means:?}");
            }
            assert_eq!(nulls(&report), recount["nulls"], "{engine}, {count} playouts");
            assert!(count == "7" || report["stuck"] != 0 && report["unfinished"] != 0, "{report}");
            let verified = grundy(&["verify", &folder.path("game.kif"), &record]);
            assert_eq!(code(&verified), 0, "{engine}: {}", stderr(&verified));
        }
    }
}

#[test]
fn each_kind_of_goal_is_counted_and_shown() {
    let folder = Folder::new("kinds", MESS);
    for engine in ENGINES {
        let call = ["--engine", engine, "--playouts", "200", "--seed", "1"];
        let report = json(&folder.simulate(&[&call[..], &["--json"]].concat()));
        let shown = stderr(&folder.simulate(&[&call[..], &["--show"]].concat()));
        let text = folder.simulate(&call).stdout;
        let text = String::from_utf8(text).unwrap();
        // The last line of each game has the goals of a and of b.
        let ends: Vec<&str> = shown.lines().filter_map(|line| Some(line.split_once("goals: ")?.1)).collect();
        for (role, place, kind, words) in [
            ("a", 0, "none", "a has no goal at the end of"),
            ("a", 0, "several", "a has several goals at the end of"),
            ("b", 1, "none", "b has no goal at the end of"),
            ("b", 1, "not-a-number", "b has a goal that is not a number at the end of"),
        ] {
            let games = ends.iter().filter(|end| end.split(' ').nth(place) == Some(kind)).count();
            let irregular = report["irregular_goals"].as_array().unwrap();
            let found = irregular.iter().find(|one| one["role"] == role && one["goal"] == kind).unwrap();
            assert_eq!(found["games"], games, "{engine}: {kind} for {role}");
            let moves = found["first"]["moves"].as_str().unwrap();
            assert!(text.contains(&format!("{words} {games} games; the first is playout ")), "{text}");
            let goals = ends_after(&folder, engine, moves);
            assert_eq!(goals.split(' ').nth(place), Some(kind), "{engine}: --moves \"{moves}\"");
        }
    }
}

/// The goals that are shown in the position after these moves.
fn ends_after(folder: &Folder, engine: &str, moves: &str) -> String {
    let shown = folder.simulate(&["--engine", engine, "--playouts", "1", "--moves", moves, "--show"]);
    let shown = stderr(&shown);
    let end = shown.lines().find_map(|line| line.strip_prefix("end after 0 moves, goals: "));
    end.unwrap_or_else(|| panic!("no end: {shown}")).to_owned()
}

#[test]
fn a_role_that_gets_stuck_is_named_with_a_line_that_can_be_replayed() {
    let folder = Folder::new("stuck", MESS);
    for engine in ENGINES {
        let report =
            json(&folder.simulate(&["--engine", engine, "--playouts", "300", "--seed", "3", "--json"]));
        let stuck = report["stuck_roles"].as_array().unwrap();
        assert_eq!(stuck.iter().map(|one| one["role"].as_str().unwrap()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(stuck[0]["games"], report["stuck"], "a is stuck whenever anybody is");
        assert!(stuck[1]["games"].as_u64() < stuck[0]["games"].as_u64(), "b can wait after (roll 1)");
        for (one, shown) in [(&stuck[0], "no legal move for a"), (&stuck[1], "no legal move for a, b")] {
            let moves = one["first"]["moves"].as_str().unwrap();
            let output =
                folder.simulate(&["--engine", engine, "--playouts", "1", "--moves", moves, "--show"]);
            assert!(
                stderr(&output).contains(&format!("stuck after 0 moves: {shown}")),
                "{}",
                stderr(&output)
            );
        }
    }
}

#[test]
fn engines_that_choose_by_text_play_the_same_games() {
    let folder = Folder::new("engines", MESS);
    let report = |args: &[&str]| {
        let call = ["--playouts", "400", "--seed", "5", "--max-steps", "30", "--json", "--engine"];
        let mut report = timeless(&folder.simulate(&[&call, args].concat()));
        report.as_object_mut().unwrap().remove("engine");
        report
    };
    let expected = report(&["reference"]);
    assert_eq!(report(&["lifted"]), expected);
    assert_eq!(report(&["scratch"]), expected);
    assert_eq!(report(&["scratch", "--invariants=1"]), expected);
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let folder = Folder::new("threads", MESS);
    let record = folder.path("games.jsonl");
    for engine in ENGINES {
        let run = |threads: &str| {
            let call = ["--engine", engine, "--playouts", "600", "--max-steps", "8", "--threads", threads];
            let with = |more: &[&str]| folder.simulate(&[&call, more].concat());
            let text = String::from_utf8(with(&[]).stdout).unwrap();
            let (_, text) = text.split_once('\n').expect("times are in the first line");
            let shown = with(&["--show", "--record", &record]);
            (text.to_owned(), timeless(&with(&["--json"])), stderr(&shown), folder.read("games.jsonl"))
        };
        assert!(run("1") == run("3"), "{engine}");
    }
}

#[test]
fn playouts_begin_after_the_given_moves() {
    let folder = Folder::new("moves", MESS);
    let record = folder.path("games.jsonl");
    for engine in ENGINES {
        let call =
            ["--engine", engine, "--moves", "(ROLL 1) (roll 3); (roll 4) (roll 1)", "--playouts", "20"];
        let report = json(&folder.simulate(&[&call[..], &["--json", "--record", &record]].concat()));
        let games = folder.read("games.jsonl");
        let begin: Vec<Value> =
            games.lines().take(2).map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(
            (&begin[0]["moves"]["a"], &begin[1]["moves"]["a"]),
            (&"(roll 1)".into(), &"(roll 4)".into())
        );
        assert_eq!(recount(&games)["states"], report["states"].as_u64().unwrap() + 2 * 20);
        assert_eq!(code(&grundy(&["verify", &folder.path("game.kif"), &record])), 0);
        let output = folder.simulate(&["--engine", engine, "--moves", "(roll 1) (roll 5)"]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains("joint move 1: `(roll 5)` is not legal for b; legal: (roll 1)"));
    }
    let sequences = |moves: &str| {
        let report = json(&grundy(&["perft", "games/tic-tac-toe.kif", "2", "--moves", moves, "--json"]));
        report["sequences"].as_u64().unwrap()
    };
    assert_eq!((sequences(""), sequences("(mark 1 1) noop; noop (mark 2 2)")), (72, 42));
}

#[cfg(unix)]
#[test]
fn records_of_endless_games_are_not_kept_in_memory() {
    let folder = Folder::new("endless", &endless());
    for engine in ["incremental", "batch", "lifted"] {
        let script = format!(
            "ulimit -v 300000; exec {} simulate {} --engine {engine} --playouts 2 --max-steps 30000 --record /dev/stdout | wc -c",
            env!("CARGO_BIN_EXE_grundy"),
            folder.path("game.kif")
        );
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        let bytes: u64 = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
        assert!(bytes > 300_000_000, "{engine}: {bytes} bytes, {}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn a_limit_in_the_middle_leaves_no_file_and_tells_what_is_known() {
    let folder = Folder::new("limit", &endless());
    let record = folder.path("games.jsonl");
    for engine in ENGINES {
        for watched in [true, false] {
            let call = ["--engine", engine, "--timeout", "1", "--max-steps", "100000000", "--json"];
            let more: &[&str] = if watched { &["--record", &record] } else { &[] };
            let start = std::time::Instant::now();
            let output = folder.simulate(&[&call, more].concat());
            assert!(start.elapsed().as_secs_f64() < 4.0, "{engine}: {:?}", start.elapsed());
            let report = json(&output);
            assert_eq!((code(&output), &report["error"]["limit"]), (3, &"timeout".into()), "{engine}");
            assert_eq!((&report["playouts"], &report["states"]), (&0.into(), &0.into()), "{engine}");
            assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "{engine}: only the sheet is left");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_in_the_middle_tells_what_is_known() {
    use std::process::{Command, Stdio};
    let folder = Folder::new("interrupt", &endless());
    let record = folder.path("games.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_grundy"));
    let call = ["--max-steps", "100000000", "--json", "--record", &record];
    command.args(["simulate", &folder.path("game.kif")]).args(call);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !folder.0.join("games.jsonl.part").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let report = json(&output);
    assert_eq!((code(&output), &report["error"]["kind"]), (3, &"interrupted".into()));
    assert_eq!(report["playouts"], 0);
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "only the sheet is left");
}

#[test]
fn errors_that_do_not_stop_are_shown_before_playing() {
    let folder =
        Folder::new("errors", "(role a) (init (n 1)) (legal a go) (<= terminal (true (n 1))) (goal a 101)");
    let sheet = folder.path("game.kif");
    for call in [&["simulate"][..], &["perft", "1"], &["ground"], &["metarules"]] {
        let args = [&call[..1], &[sheet.as_str()], &call[1..]].concat();
        let output = grundy(&args);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stderr(&output).contains("warning[E308]"), "{call:?}: {}", stderr(&output));
    }
}
