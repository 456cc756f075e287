//! The README's tour is run, command by command, and so is the README of the package.
//!
//! In a `console` block a line `$ command` is run by a shell, the tour in the root of the repository, and what
//! follows is compared with its output. `[..]` stands for any text in a line, a line `...` for any
//! number of lines.

#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod support;

use std::path::Path;
use std::process::Command;
use support::root;

/// The commands of a page with what they should print.
fn console_examples(page: &str) -> Vec<(String, Vec<String>)> {
    let mut examples: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            examples.push((command.to_owned(), Vec::new()));
        } else if let (true, Some((_, expected))) = (inside, examples.last_mut()) {
            expected.push(line.to_owned());
        }
    }
    examples
}

/// The first block of a page in this language.
fn block<'a>(page: &'a str, language: &str) -> &'a str {
    let start = page.split_once(&format!("```{language}\n")).expect("the page has such a block").1;
    start.split_once("```").expect("the block ends").0
}

/// Runs a command in a folder.
fn run(command: &str, folder: &Path) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_grundy")).parent().expect("the program is in a folder");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{command} 2>&1")).env("PATH", path).env("NO_COLOR", "1");
    let output = shell.current_dir(folder).output().expect("there is a shell");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn line_matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split("[..]");
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn lines_match(pattern: &[String], lines: &[&str]) -> bool {
    match (pattern.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "..." => {
            (0..=lines.len()).any(|skip| lines_match(rest, &lines[skip..]))
        }
        (Some((first, rest)), Some((line, lines))) => line_matches(first, line) && lines_match(rest, lines),
        _ => false,
    }
}

/// Runs the commands of a page in a folder and compares what they print.
fn check(page: &str, folder: &Path) {
    let examples = console_examples(page);
    assert!(examples.len() >= 3, "the page has examples");
    for (command, expected) in examples {
        let found = run(&command, folder);
        let lines: Vec<&str> = found.lines().map(str::trim_end).collect();
        assert!(lines_match(&expected, &lines), "$ {command}\n{found}\ninstead of\n{}", expected.join("\n"));
    }
}

#[test]
fn the_tour_runs_as_printed() {
    check(&std::fs::read_to_string(root().join("README.md")).unwrap(), &root());
}

#[test]
fn the_readme_of_the_package_runs_as_printed() {
    let page = include_str!("../README.md");
    let folder = std::env::temp_dir().join(format!("grundy-readme-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("coin.kif"), block(page, "lisp")).unwrap();
    check(page, &folder);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn patterns_match_what_they_should() {
    assert!(line_matches("a [..] c", "a b c"));
    assert!(!line_matches("a [..] c", "a b d"));
    let pattern: Vec<String> = ["x", "...", "y"].map(String::from).to_vec();
    assert!(lines_match(&pattern, &["x", "1", "2", "y"]));
    assert!(!lines_match(&pattern, &["x", "1", "2"]));
}
