//! The limits that `SECURITY.md` promises are those that the commands have.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

mod support;

use support::{grundy, root};

/// The text between backquotes, if a cell is nothing else.
fn quoted(cell: &str) -> Option<&str> {
    cell.trim().strip_prefix('`')?.strip_suffix('`')
}

/// The default of an option as the help of a command shows it.
fn default_of(option: &str, help: &str) -> Option<String> {
    let start = help.lines().position(|line| line.trim_start().starts_with(&format!("{option} <")))?;
    let mut rest = help.lines().skip(start + 1).take_while(|line| !line.trim_start().starts_with("--"));
    rest.find_map(|line| Some(line.trim().strip_prefix("[default: ")?.strip_suffix(']')?.to_owned()))
}

#[test]
fn defaults_are_those_of_the_commands() {
    let page = std::fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let mut found = 0;
    for line in page.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let [option, default, _, command] = cells[..] else { continue };
        let (Some(option), Some(command)) = (quoted(option), quoted(command)) else { continue };
        let args: Vec<&str> = command.split(' ').skip(1).collect();
        let help = String::from_utf8(grundy(&args).stdout).unwrap();
        assert_eq!(default_of(option, &help).as_deref(), Some(default.trim()), "{option} of `{command}`");
        found += 1;
    }
    assert!(found >= 10, "the page has a table of limits");
}
