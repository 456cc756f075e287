//! One slip of an author gives one message, wherever in a sheet it is.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

use grundy::analysis::analyze;
use grundy_syntax::{Code, Diagnostic, Limits, Reading, Source, read_game};
use std::path::{Path, PathBuf};

/// Our own sheets, which are clean.
fn games() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let files = std::fs::read_dir(folder).expect("games are there");
    let mut sheets: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
    sheets.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    sheets.sort();
    sheets
}

fn check(text: String) -> (Source, Vec<Diagnostic>) {
    let source = Source::new("slip", text);
    let Reading { program, mut diagnostics } = read_game(&source, &Limits::default());
    analyze(&source, &program, &mut diagnostics, &Default::default()).expect("no limits");
    (source, diagnostics)
}

/// The places of a character outside comments; some of them, as there are many.
fn some_places(text: &str, wanted: char, step: usize) -> Vec<usize> {
    let mut in_comment = false;
    let outside = text.char_indices().filter(|&(_, c)| {
        in_comment = (in_comment || c == ';') && c != '\n';
        !in_comment && c == wanted
    });
    outside.map(|(at, _)| at).step_by(step).collect()
}

/// Makes the same slip in many places of all games. Each has to give one message with the code, and
/// almost all of them have a mark in the line of the slip.
fn check_slips(wanted: char, code: Code, slip: impl Fn(&str, usize) -> String) {
    let (mut slips, mut found_in_line) = (0, 0);
    for path in games() {
        let text = std::fs::read_to_string(&path).expect("a sheet is text");
        for at in some_places(&text, wanted, 3) {
            let (source, diagnostics) = check(slip(&text, at));
            let line = source.place(at as u32).line;
            let place = format!("{}:{line}", path.display());
            let [diagnostic] = &diagnostics[..] else { panic!("{place}: {diagnostics:#?}") };
            assert_eq!(diagnostic.code, code, "{place}");
            let others = diagnostic.secondary.iter().map(|label| label.span);
            let mut marks = others.chain([diagnostic.primary]);
            slips += 1;
            found_in_line += usize::from(marks.any(|mark| source.place(mark.start).line == line));
        }
    }
    assert!(slips > 500, "only {slips} slips");
    assert!(found_in_line * 100 >= slips * 95, "{found_in_line} of {slips} in their line");
}

#[test]
fn a_closing_parenthesis_is_missing() {
    check_slips(')', Code::UnclosedForm, |text, at| [&text[..at], &text[at + 1..]].concat());
}

#[test]
fn a_closing_parenthesis_is_doubled() {
    check_slips(')', Code::ExtraParenthesis, |text, at| [&text[..at], ")", &text[at..]].concat());
}

#[test]
fn an_opening_parenthesis_is_missing() {
    check_slips('(', Code::ExtraParenthesis, |text, at| [&text[..at], &text[at + 1..]].concat());
}

#[test]
fn an_opening_parenthesis_is_doubled() {
    check_slips('(', Code::UnclosedForm, |text, at| [&text[..at], "(", &text[at..]].concat());
}
