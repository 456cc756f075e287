//! Whatever the bytes are, reading them ends soon, without a panic, and with valid places.

mod common;

use common::{check_all, check_sexprs};
use grundy_syntax::{Dialect, Limits, Notation, Printer, Reading, Source, read_game, read_theory};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Low limits, so that small texts reach them.
fn limits() -> Limits {
    Limits { nesting: 12, branches: 20, rules: 30, diagnostics: 15, ..Limits::default() }
}

/// Reads bytes in every way there is.
fn check(bytes: &[u8]) {
    let source = Source::from_bytes("any", bytes.to_vec());
    for limits in [limits(), Limits::default()] {
        check_sexprs(&source, &limits);
        for dialect in [Dialect::Game, Dialect::Theory] {
            check_all(&source, Notation::Kif, dialect, &limits);
            check_all(&source, Notation::Prolog, dialect, &limits);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
    }

    #[test]
    fn nasty_strings(text in nasty(120)) {
        check(text.as_bytes());
    }

    #[test]
    fn truncated_sheets(sheet in sheet(), length in 0_usize..1000) {
        check(&sheet.as_bytes()[..length.min(sheet.len())]);
    }

    #[test]
    fn mutated_sheets(bytes in mutated_sheet()) {
        check(&bytes);
    }
}

const KIF_SHEET: &str = "
; A sheet with a bit of everything.
(role white) (role black)
(init (cell 1 1 b)) (init (control white))
(succ 1 2) (succ 2 3)
(<= (legal ?w (mark ?x ?y)) (true (cell ?x ?y b)) (true (control ?w)))
(<= (legal white noop) (true (control black)))
(<= (next (cell ?m ?n x)) (does white (mark ?m ?n)) (true (cell ?m ?n b)))
(<= (next (cell ?m ?n ?w)) (true (cell ?m ?n ?w)) (distinct ?w b))
(<= (next (step ?n++)) (true (step ?n)) (succ ?n ?n++))
(<= (row ?m ?x) (or (true (cell ?m 1 ?x)) (and (true (cell ?m 2 ?x)) (not (distinct ?x x)))))
(<= (goal white 100) (not (or (line o) (and open (not (line x))))))
(<= (GOAL white 0) (LINE o))
(<= terminal (not open)) (<= (open) (true (cell ?m ?n b)))
";

const PROLOG_SHEET: &str = "
% A theory with a bit of everything.
:- dynamic owns/2, blank/1.
:- owns(X, S), blank(S).
square(a1). square('B 2'). square(-1).
line(X, Y) :- square(X), square(Y), X \\== Y.
free(S) :- square(S), \\+ owns(_, S), not(wall(S)).
near(X, Y) :- ( line(X, Y) ; line(Y, X) ), X \\= f(Y, _Z). /* both ways */
same(X, Y) :- X = Y, Y == X, X =\\= 'it''s'.
big(X) :- X > 3, Y is X + 1, p([Y|_]), !.
";

fn sheet() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![KIF_SHEET, PROLOG_SHEET])
}

fn nasty(most: usize) -> impl Strategy<Value = String> {
    let pieces = [
        "(",
        ")",
        "(<=",
        "?",
        "?x",
        ";",
        "<",
        "=",
        "%",
        " ",
        "'",
        "\\",
        ".",
        "_",
        ",",
        ":",
        "-",
        ":-",
        "/",
        "*",
        "/*",
        "*/",
        "\n",
        "\r",
        "\t",
        "\0",
        "a",
        "X",
        "or",
        "not",
        "and ",
        "distinct ",
        "true",
        "init",
        "dynamic",
        "is",
        "[",
        "|",
        "!",
        "\\+",
        "\\=",
        "1",
        "-7",
        "\"",
        "é",
        "字",
        "🂡",
        "\u{FEFF}",
        "\u{2028}",
        "\u{a0}",
        "\u{301}",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..most).prop_map(|pieces| pieces.concat())
}

/// A sheet of which some parts were overwritten, without regard for characters.
fn mutated_sheet() -> impl Strategy<Value = Vec<u8>> {
    let edit = (any::<prop::sample::Index>(), 0_usize..12, nasty(4));
    (sheet(), prop::collection::vec(edit, 1..6)).prop_map(|(sheet, edits)| {
        let mut bytes = sheet.as_bytes().to_vec();
        for (at, removed, inserted) in edits {
            let start = at.index(bytes.len());
            let end = (start + removed).min(bytes.len() - 1);
            bytes.splice(start..end.max(start), inserted.into_bytes());
        }
        bytes
    })
}

/// Whether a text of some megabytes is read in a time that is far above what it should take, and
/// far below what it takes if each part looks at all the parts before it.
fn assert_quick<T>(what: &str, read: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = read();
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_secs(5), "{what} took {elapsed:?}");
    result
}

fn quick_game(what: &str, text: String) -> Reading {
    let source = Source::new(what, text);
    let reading = assert_quick(what, || read_game(&source, &Limits::default()));
    assert_quick(what, || Printer::new(&reading.program, Notation::Kif).program());
    reading
}

fn quick_theory(what: &str, text: String) -> Reading {
    let source = Source::new(what, text);
    let reading = assert_quick(what, || read_theory(&source, &Limits::default()));
    assert_quick(what, || Printer::new(&reading.program, Notation::Prolog).program());
    reading
}

/// The codes of the diagnostics, each once.
fn codes(reading: &Reading) -> Vec<&'static str> {
    let mut codes: Vec<_> = reading.diagnostics.iter().map(|diagnostic| diagnostic.code.id()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

const MANY: usize = 1_000_000;

#[test]
fn deep_nesting() {
    let reading = quick_game("open parentheses", "(".repeat(MANY));
    assert_eq!(codes(&reading), ["E101", "L101"]);
    let balanced = format!("{}{} (role x)", "(".repeat(MANY), ")".repeat(MANY));
    let reading = quick_game("balanced parentheses", balanced);
    assert_eq!((codes(&reading), reading.program.rules.len()), (vec!["L101"], 1));
    let reading = quick_game("nested terms", format!("(p {}", "(f ".repeat(MANY)));
    assert_eq!(codes(&reading), ["E101", "L101"]);
    for part in ["\\+ ", "not ", "not(", "(", "f(", "\\+("] {
        let reading = quick_theory(part, format!("p :- {}q.\nr.", part.repeat(MANY)));
        assert_eq!((codes(&reading), reading.program.rules.len()), (vec!["L101"], 1), "{part}");
    }
}

#[test]
fn extra_parentheses() {
    for text in [")", ") ", ")\n", "(p))"] {
        let reading = quick_game(text, format!("{} (role x)", text.repeat(MANY / text.len())));
        assert_eq!(codes(&reading), ["E102"]);
    }
}

#[test]
fn endless_garbage() {
    for line in ["$\n", "p q\n", "'a\n", "/*", "p :- \n", ":- dynamic p/", "..", "é 字 "] {
        quick_theory(line, line.repeat(MANY / line.len()));
    }
    for line in ["x\n", "()\n", "(<=\n", "((a) b)\n", "(init\n", "; x\n", "(?x)", "(<= (<= a))", "(<= a "] {
        quick_game(line, line.repeat(MANY / line.len()));
    }
    for line in ["(a) ", "(<= a ", "(a", "a ("] {
        let indented = format!("{}{}", " ".repeat(MANY / 2), line.repeat(MANY / 2 / line.len()));
        quick_game(line, format!("{indented}\n{indented}"));
    }
}

#[test]
fn long_rules() {
    let list = |count: usize, part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
    let rule = format!("(<= (p) {})", list(100_000, &|i| format!("(q {i}) (not (r {i})) ")));
    assert_eq!(quick_game("many conditions", rule).program.rules[0].body.len(), 200_000);
    let rule = format!("(<= (p) (q {}))", list(200_000, &|i| format!("?x{i} ")));
    assert_eq!(quick_game("many variables", rule).program.rules[0].variables.len(), 200_000);
    let clause = format!("p({} a).", "_, ".repeat(200_000));
    assert_eq!(quick_theory("many anonymous variables", clause).program.rules[0].variables.len(), 200_000);
    let directive = format!(":- dynamic {} p/0.", list(100_000, &|i| format!("p{i}/1, ")));
    assert_eq!(quick_theory("many declarations", directive).program.dynamic.len(), 100_001);
}

#[test]
fn growing_rules() {
    let list = |count: usize, part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
    let equal = |a: String, b: String| format!("(not (distinct {a} {b})) ");

    let doubling = list(60, &|i| equal(format!("?x{}", i + 1), format!("(f ?x{i} ?x{i})")));
    assert!(codes(&quick_game("doubling terms", format!("(<= (p ?x60) {doubling})"))).contains(&"L101"));
    let deepening = list(50_000, &|i| equal(format!("?x{}", i + 1), format!("(f ?x{i})")));
    assert!(codes(&quick_game("deepening terms", format!("(<= (p ?x50000) {deepening})"))).contains(&"L101"));
    let chain = list(10_000, &|i| equal(format!("?x{i}"), format!("?x{}", i + 1)));
    let reading = quick_game("a chain of variables", format!("(<= (p ?x0 ?x9999) (q ?x5000) {chain})"));
    let printed = Printer::new(&reading.program, Notation::Kif).program();
    assert_eq!(printed, "(<= (p ?x10000 ?x10000)\n    (q ?x10000))\n");

    let branching = format!("(<= p {})", list(60, &|i| format!("(or a{i} b{i}) ")));
    assert!(codes(&quick_game("many branches", branching.repeat(1000))).contains(&"L102"));
    let long = list(100_000, &|i| format!("c{i} "));
    let branching = format!("(<= p {} {long})", list(10, &|i| format!("(or a{i} b{i}) ")));
    assert!(codes(&quick_game("long branches", branching)).contains(&"L102"));
}

#[test]
fn errors_are_not_pushed_out_by_warnings() {
    let limits = Limits { diagnostics: 5, ..Limits::default() };
    let text = format!("{} (<= p (init q))", "(<= (p))".repeat(20));
    let reading = read_game(&Source::new("t", text), &limits);
    assert_eq!(codes(&reading), ["E205", "W501", "W502", "W503"]);
    assert_eq!(reading.diagnostics.len(), 6);
}
