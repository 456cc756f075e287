//! `grundy check`: what a slip of an author looks like on the screen.
//!
//! `testdata/errors` has a small file for each situation, named after the code that it shows. A first line
//! `; flags: …` (in a theory, `% flags: …`) adds options to the command.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;
use support::{code, grundy, grundy_with_input, json, root, stderr};

/// The files of `testdata/errors`, in alphabetical order.
fn slips() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("testdata/errors")).expect("testdata is there");
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("a name")
}

/// Runs `grundy check` on a file of `testdata/errors`, with the options that its first line names.
fn check(path: &Path, more: &[&str]) -> Output {
    let text = String::from_utf8_lossy(&std::fs::read(path).expect("the file is readable")).into_owned();
    let first_line = text.lines().next().unwrap_or("").trim_start_matches([';', '%', ' ']);
    let flags = first_line.strip_prefix("flags:").unwrap_or("");
    let name = format!("testdata/errors/{}", file_name(path));
    let mut args = vec!["check", &name];
    args.extend(flags.split_whitespace());
    args.extend(more);
    grundy(&args)
}

/// The codes of all findings of one file.
fn codes(report: &Value) -> Vec<String> {
    let lists = [&report["errors"], &report["warnings"]];
    let findings = lists.into_iter().flat_map(|list| list.as_array().expect("a list"));
    findings.map(|found| found["code"].as_str().expect("a code").to_owned()).collect()
}

#[test]
fn messages() {
    insta::glob!("../../../testdata/errors", "*.{kif,pl}", |path| {
        let output = check(path, &[]);
        let shown = format!("{}exit code {}", stderr(&output), code(&output));
        assert_eq!(output.stdout, b"", "standard output belongs to --json");
        insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!("check", shown);
        });
    });
}

#[test]
fn a_file_shows_the_code_that_it_is_named_after() {
    for path in slips() {
        let found = codes(&json(&check(&path, &["--json"]))["files"][0]);
        match file_name(&path).split('-').next() {
            Some("clean") => assert_eq!(found, [""; 0], "{}", path.display()),
            Some(wanted) => assert!(found.iter().any(|code| code == wanted), "{}: {found:?}", path.display()),
            None => unreachable!("a name has a first part"),
        }
    }
}

#[test]
fn every_code_has_a_file_and_an_explanation() {
    let shown: BTreeSet<String> = slips()
        .iter()
        .filter_map(|path| file_name(path).split('-').next().map(str::to_owned))
        .filter(|code| code != "clean")
        .collect();
    let listed = json(&grundy(&["check", "--codes", "--json"]));
    let all = listed["codes"].as_array().expect("a list");
    let all: BTreeSet<String> =
        all.iter().map(|code| code["code"].as_str().expect("a code").to_owned()).collect();
    assert_eq!(shown, all);
    for id in all {
        let output = grundy(&["check", "--explain", &id.to_lowercase()]);
        assert_eq!(code(&output), 0);
        let explanation = String::from_utf8(output.stdout).expect("text");
        assert!(explanation.starts_with(&format!("{id}: ")), "{explanation}");
        assert!(explanation.lines().count() >= 3, "{explanation}");
    }
}

#[test]
fn an_unknown_code_is_a_wrong_call() {
    let output = grundy(&["check", "--explain", "E999"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("E999"), "{}", stderr(&output));
    assert_eq!(code(&grundy(&["check"])), 2);
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let output = grundy(&["check", "--json", "testdata/errors/E401-or-in-one-branch.kif"]);
    assert_eq!(code(&output), 1);
    assert_eq!(stderr(&output), "error: 1 error in 1 file\n");
    let report = json(&output);
    let file = &report["files"][0];
    assert_eq!(file["file"], "testdata/errors/E401-or-in-one-branch.kif");
    let error = &file["errors"][0];
    assert_eq!(error["code"], "E401");
    assert_eq!(error["message"], "not every branch of the `or` binds `?x`");
    assert_eq!((&error["line"], &error["column"]), (&15.into(), &17.into()));
    assert_eq!(error["related"][0]["line"], 16);
    assert_eq!(file["warnings"][0]["code"], "W504");
    for finding in [error, &file["warnings"][0]] {
        assert!(finding["line"].is_u64() && finding["column"].is_u64() && finding["message"].is_string());
    }
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let files = ["testdata/errors/E103-empty-head.kif", "testdata/no-such-file.kif", "games/tic-tac-toe.kif"];
    let output = grundy(&[&["check", "--json"], &files[..]].concat());
    assert_eq!(code(&output), 1);
    let report = json(&output);
    let reports = report["files"].as_array().expect("a list");
    assert_eq!(reports.iter().map(|report| &report["file"]).collect::<Vec<_>>(), files);
    assert_eq!(reports[0]["errors"][0]["code"], "E103");
    assert!(reports[1]["errors"][0]["message"].as_str().expect("text").contains("no-such-file.kif"));
    assert_eq!(codes(&reports[2]), [""; 0]);
    let output = grundy(&[&["check"], &files[..]].concat());
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("[E103]") && stderr(&output).contains("cannot read"));
    assert!(stderr(&output).ends_with("3 files: 2 errors, 0 warnings\n"), "{}", stderr(&output));
}

#[test]
fn a_folder_stands_for_the_files_in_it() {
    let report = json(&grundy(&["check", "--json", "games"]));
    let sheets = std::fs::read_dir(root().join("games")).expect("games are there").filter(|entry| {
        let path = entry.as_ref().expect("an entry").path();
        path.extension().is_some_and(|extension| extension == "kif")
    });
    assert_eq!(report["files"].as_array().expect("a list").len(), sheets.count());
}

#[test]
fn standard_input() {
    let output = grundy_with_input(&["check", "-"], b"(role a))\n");
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("--> <stdin>:1:9"), "{}", stderr(&output));
    let theory = grundy_with_input(&["check", "--notation", "prolog", "--json", "-"], b"p :- q(.");
    assert_eq!(codes(&json(&theory)["files"][0]), ["E107"]);
}

#[test]
fn limits_have_an_exit_code_of_their_own() {
    for path in slips().iter().filter(|path| file_name(path).starts_with('L')) {
        let output = check(path, &[]);
        assert_eq!(code(&output), 3, "{}", path.display());
        assert!(stderr(&output).contains("(limit `"), "{}", stderr(&output));
    }
}

#[test]
fn garbage_is_not_answered_with_garbage() {
    let garbage = ") (x \u{1b}[31m (é)) $\n".repeat(10_000);
    let output = grundy_with_input(&["check", "-"], garbage.as_bytes());
    assert_eq!(code(&output), 1);
    let text = stderr(&output);
    assert!(text.lines().count() < 2_000, "{} lines", text.lines().count());
    assert!(text.contains("more messages (`--max-messages 0` shows all)"));
    assert!(!text.contains('\u{1b}'));
    let few = grundy_with_input(&["check", "--max-messages", "2", "-"], garbage.as_bytes());
    assert_eq!(stderr(&few).matches("error[").count(), 2);
}

#[test]
fn errors_come_before_warnings_where_not_all_are_shown() {
    let path = "testdata/errors/E401-or-in-one-branch.kif";
    let output = grundy(&["check", "--max-messages", "1", path]);
    assert!(stderr(&output).contains("error[E401]") && !stderr(&output).contains("warning[W504]"));
    let path = "testdata/errors/E402-or-in-one-branch.kif";
    let output = grundy(&["check", "--max-messages", "1", path]);
    assert!(stderr(&output).contains("error[E402]") && !stderr(&output).contains("warning[W504]"));
    let output = grundy(&["check", "--quiet", path]);
    assert!(!stderr(&output).contains("more message") && !stderr(&output).contains("warning[W504]"));
}

#[test]
fn colours_can_be_forced() {
    use std::process::Command;
    let run = |variable: &str, value: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grundy"));
        command.args(["check", "testdata/errors/E103-empty-head.kif"]).current_dir(root());
        ["NO_COLOR", "CLICOLOR_FORCE"].iter().for_each(|name| _ = command.env_remove(name));
        stderr(&command.env(variable, value).output().expect("grundy starts"))
    };
    assert!(run("CLICOLOR_FORCE", "1").contains("\u{1b}["));
    assert!(!run("NO_COLOR", "1").contains("\u{1b}["));
    // A pipe is no terminal.
    assert!(!run("TERM", "xterm").contains("\u{1b}["));
}
