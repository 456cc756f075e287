//! What is printed reads back as the same program; and lowering keeps the meaning of a body.

mod common;

use common::{Tree, check_all, tree};
use grundy_syntax::{Dialect, Limits, Literal, Notation, Printer, Program, Reading, Source, read, read_game};
use proptest::prelude::*;

/// Four times as many cases as usual: they are small. `PROPTEST_CASES` makes it more, or fewer.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: 4 * usual.cases, failure_persistence: None, ..usual }
}

/// Reads a text that has to be free of errors, and checks that it can be printed and read again.
fn check(text: &str, notation: Notation, dialect: Dialect) -> Result<Reading, TestCaseError> {
    let reading = check_all(&Source::new("random", text), notation, dialect, &Limits::default());
    let errors: Vec<_> = reading.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).collect();
    prop_assert!(errors.is_empty(), "{text}\n{errors:#?}");
    Ok(reading)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn games_in_kif(text in kif::sheet()) {
        check(&text, Notation::Kif, Dialect::Game)?;
    }

    #[test]
    fn theories_in_prolog(text in prolog::theory()) {
        check(&text, Notation::Prolog, Dialect::Theory)?;
    }

    /// A game in KIF and the same game in Prolog notation are the same program.
    #[test]
    fn games_in_both_notations(text in kif::sheet()) {
        let game = check(&text, Notation::Kif, Dialect::Game)?.program;
        let printed = Printer::new(&game, Notation::Prolog).program();
        let again = check(&printed, Notation::Prolog, Dialect::Game)?.program;
        prop_assert_eq!(tree(&again), tree(&game));
        let back = Printer::new(&again, Notation::Kif).program();
        let back = check(&back, Notation::Kif, Dialect::Game)?.program;
        prop_assert_eq!(tree(&back), tree(&game));
    }

    /// A body of propositions holds in a world if, and only if, the body of one of its rules does.
    #[test]
    fn lowering_keeps_the_meaning(body in proposition()) {
        let limits = Limits::default();
        for (notation, text) in [
            (Notation::Kif, format!("(<= h {})", in_kif(&body))),
            (Notation::Prolog, format!("h :- {}.", in_prolog(&body))),
        ] {
            let program = read(&Source::new("body", text), notation, Dialect::Game, &limits).program;
            for world in 0..1 << ATOMS.len() {
                prop_assert_eq!(fires(&program, world), holds(&body, world), "world {:b}", world);
            }
        }
    }
}

#[test]
fn trees_tell_programs_apart() {
    let read = |text| tree(&read_game(&Source::new("t", text), &Limits::default()).program);
    assert_eq!(read("(<= (p ?x ?y) (q ?x))"), read("(<= (p ?u ?v) (q ?u))"));
    let different = [
        "(p ?x ?y)",
        "(p ?x ?x)",
        "(p a)",
        "(p (f a))",
        "(<= p q)",
        "(<= p (not q))",
        "(<= p (distinct a b))",
    ];
    for (i, a) in different.iter().enumerate() {
        for b in &different[..i] {
            assert_ne!(read(a), read(b));
        }
    }
    assert!(matches!(read(""), Tree::Node(_, parts) if parts.is_empty()));
}

/// Random sheets in KIF. None of them has an error, though most deserve every warning there is.
mod kif {
    use super::*;

    pub(super) fn sheet() -> impl Strategy<Value = String> {
        let form = prop_oneof![
            head().prop_map(|head| if head.starts_with('(') { head } else { format!("({head})") }),
            (head(), prop::collection::vec(formula(), 0..4))
                .prop_map(|(head, body)| format!("(<= {head} {})", body.join(" "))),
        ];
        (prop::collection::vec(form, 0..8), separator())
            .prop_map(|(forms, separator)| forms.join("\n").replace(' ', separator))
    }

    fn separator() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![" ", "\n", "\t\r\n  ", " ; not (a comment\n", "\u{b};\n"])
    }

    const WORDS: [&str; 26] = [
        "a", "b", "cell", "Cell", "++", "<", "map+", "=>", "1", "-5", "007", "é", "it's", "\\", "'", "_",
        "_x", ".", ":-", "%", "/*", "fail", "dynamic", "is", "X", "a.b",
    ];

    fn word() -> impl Strategy<Value = String> {
        let strange = "[!-'*-:<->@-~\u{80}-\u{2fff}]{1,6}";
        let strange = strange.prop_filter("neither a keyword nor the like", |word| !is_taken(word));
        prop_oneof![4 => prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned), 1 => strange]
    }

    fn is_taken(word: &str) -> bool {
        let connectives = ["<=", "not", "or", "and", "distinct"];
        grundy_syntax::Keyword::find(word).is_some()
            || connectives.iter().any(|connective| word.eq_ignore_ascii_case(connective))
    }

    fn variable() -> impl Strategy<Value = String> {
        let names = ["?x", "?X", "?y", "?n++", "?", "??", "?_", "?_x", "?x_2", "?é", "?1", "?."];
        prop::sample::select(names.to_vec()).prop_map(str::to_owned)
    }

    fn term() -> impl Strategy<Value = String> {
        prop_oneof![3 => word(), 3 => variable()].prop_recursive(3, 12, 3, |term| {
            (word(), prop::collection::vec(term, 0..4)).prop_map(|(name, args)| list(&name, &args))
        })
    }

    /// A form with any number of arguments. One without any keeps its parentheses or loses them,
    /// whatever its name suggests.
    fn list(name: &str, args: &[String]) -> String {
        match args {
            [] if name.len().is_multiple_of(2) => name.to_owned(),
            [] => format!("({name})"),
            _ => format!("({name} {})", args.join(" ")),
        }
    }

    fn keyword(names: &'static [(&'static str, usize)]) -> impl Strategy<Value = String> {
        (prop::sample::select(names), any::<u8>(), prop::collection::vec(term(), 2))
            .prop_map(|((name, arity), cases, args)| list(&mixed_case(name, cases), &args[..arity]))
    }

    fn mixed_case(name: &str, cases: u8) -> String {
        let letter =
            |(i, c): (usize, char)| if cases >> (i % 8) & 1 == 1 { c.to_ascii_uppercase() } else { c };
        name.chars().enumerate().map(letter).collect()
    }

    fn plain() -> impl Strategy<Value = String> {
        (word(), prop::collection::vec(term(), 0..4)).prop_map(|(name, args)| list(&name, &args))
    }

    fn head() -> impl Strategy<Value = String> {
        let keywords = keyword(&[
            ("role", 1),
            ("init", 1),
            ("next", 1),
            ("base", 1),
            ("legal", 2),
            ("goal", 2),
            ("input", 2),
            ("sees", 2),
            ("terminal", 0),
        ]);
        prop_oneof![keywords, plain()]
    }

    fn condition() -> impl Strategy<Value = String> {
        let keywords =
            keyword(&[("role", 1), ("true", 1), ("does", 2), ("legal", 2), ("goal", 2), ("terminal", 0)]);
        let distinct = (any::<u8>(), term(), term())
            .prop_map(|(cases, a, b)| format!("({} {a} {b})", mixed_case("distinct", cases)));
        prop_oneof![keywords, plain(), distinct]
    }

    fn formula() -> impl Strategy<Value = String> {
        condition().prop_recursive(3, 8, 3, |part| {
            let joined = (
                prop::sample::select(vec!["or", "and"]),
                any::<u8>(),
                prop::collection::vec(part.clone(), 0..4),
            )
                .prop_map(|(name, cases, parts)| {
                    format!("({} {})", mixed_case(name, cases), parts.join(" "))
                });
            let negated = (any::<u8>(), part)
                .prop_map(|(cases, part)| format!("({} {part})", mixed_case("not", cases)));
            prop_oneof![joined, negated]
        })
    }
}

/// Random theories in Prolog notation, without errors.
mod prolog {
    use super::*;

    pub(super) fn theory() -> impl Strategy<Value = String> {
        let clause = prop_oneof![
            2 => atom().prop_map(|head| format!("{head}.")),
            4 => (atom(), body()).prop_map(|(head, body)| format!("{head} :- {body}.")),
            1 => body().prop_map(|body| format!(":- {body}.")),
            1 => prop::collection::vec((name(), 0..4), 1..4).prop_map(|declared| directive(&declared)),
        ];
        let between = prop::sample::select(vec!["\n", " ", "\n\n% a comment. \n", " /* p :- 'q */ ", "%\n"]);
        (prop::collection::vec(clause, 0..8), between).prop_map(|(clauses, between)| clauses.join(between))
    }

    fn directive(declared: &[(String, i32)]) -> String {
        let declared: Vec<String> = declared.iter().map(|(name, arity)| format!("{name}/{arity}")).collect();
        format!(":- dynamic {}.", declared.join(", "))
    }

    fn name() -> impl Strategy<Value = String> {
        let names = [
            "a",
            "b",
            "owns",
            "aB_1",
            "is",
            "true1",
            "'true'",
            "'not'",
            "'dynamic'",
            "'12'",
            "'It''s'",
            "'a\\\\b'",
            "'\\n'",
            "'two\\\nlines'",
            "'\\r'",
            "''",
            "'?x'",
            "'(;'",
            "role",
            "next",
            "é",
        ];
        prop::sample::select(names.to_vec()).prop_map(str::to_owned)
    }

    fn variable() -> impl Strategy<Value = String> {
        let names = ["X", "Y", "Xs_1", "_", "_x", "__2", "X_2", "Xé"];
        prop::sample::select(names.to_vec()).prop_map(str::to_owned)
    }

    fn term() -> impl Strategy<Value = String> {
        let constant = prop_oneof![name(), "-?[0-9]{1,3}", Just("true".to_owned())];
        prop_oneof![constant, variable()].prop_recursive(3, 12, 3, |term| {
            (name(), prop::collection::vec(term, 1..4))
                .prop_map(|(name, args)| format!("{name}({})", args.join(", ")))
        })
    }

    fn atom() -> impl Strategy<Value = String> {
        let applied = (name(), prop::collection::vec(term(), 1..4));
        prop_oneof![name(), applied.prop_map(|(name, args)| format!("{name}({})", args.join(",")))]
    }

    fn condition() -> impl Strategy<Value = String> {
        let operators = prop::sample::select(vec!["=", "==", "=:=", "\\=", "\\==", "=\\="]);
        let truths = prop::sample::select(vec!["true", "fail", "false"]).prop_map(str::to_owned);
        prop_oneof![
            4 => atom(),
            3 => (term(), operators, term()).prop_map(|(a, operator, b)| format!("{a} {operator} {b}")),
            1 => truths,
        ]
    }

    fn body() -> impl Strategy<Value = String> {
        condition().prop_recursive(3, 8, 3, |part| {
            let join = |separator| move |parts: Vec<String>| format!("({})", parts.join(separator));
            prop_oneof![
                prop::collection::vec(part.clone(), 1..4).prop_map(join(", ")),
                prop::collection::vec(part.clone(), 1..4).prop_map(join(" ; ")),
                part.clone().prop_map(|part| format!("\\+ {part}")),
                part.clone().prop_map(|part| format!("not({part})")),
                part.prop_map(|part| format!("not {part}")),
            ]
        })
    }
}

/// A body of propositions.
#[derive(Clone, Debug)]
enum Body {
    /// One of [`ATOMS`].
    Atom(usize),
    /// `(distinct a b)`, or `(distinct a a)` if the two are to be the same.
    Distinct {
        same: bool,
    },
    Not(Box<Body>),
    And(Vec<Body>),
    Or(Vec<Body>),
}

const ATOMS: [&str; 4] = ["p", "q", "r", "s"];

fn proposition() -> impl Strategy<Value = Body> {
    let leaf = prop_oneof![
        6 => (0..ATOMS.len()).prop_map(Body::Atom),
        1 => any::<bool>().prop_map(|same| Body::Distinct { same }),
    ];
    leaf.prop_recursive(5, 24, 3, |part| {
        let parts = prop::collection::vec(part.clone(), 0..4);
        prop_oneof![
            part.prop_map(|part| Body::Not(Box::new(part))),
            parts.clone().prop_map(Body::And),
            parts.prop_map(Body::Or),
        ]
    })
}

/// Whether a body holds in a world, which is the set of the atoms that are true in it.
fn holds(body: &Body, world: usize) -> bool {
    match body {
        Body::Atom(atom) => world >> atom & 1 == 1,
        Body::Distinct { same } => !same,
        Body::Not(part) => !holds(part, world),
        Body::And(parts) => parts.iter().all(|part| holds(part, world)),
        Body::Or(parts) => parts.iter().any(|part| holds(part, world)),
    }
}

/// Whether a rule of the program fires in a world.
fn fires(program: &Program, world: usize) -> bool {
    let is_true = |atom: &grundy_syntax::Atom| {
        let name = program.name(atom.predicate);
        ATOMS.iter().position(|known| *known == name).is_some_and(|atom| world >> atom & 1 == 1)
    };
    program.rules.iter().any(|rule| {
        rule.literals().all(|literal| match literal {
            Literal::Holds(atom) => is_true(atom),
            Literal::Not(atom) => !is_true(atom),
            Literal::Distinct(a, b) => a != b,
        })
    })
}

fn in_kif(body: &Body) -> String {
    let all = |name: &str, parts: &[Body]| {
        let parts: Vec<String> = parts.iter().map(in_kif).collect();
        format!("({name} {})", parts.join(" "))
    };
    match body {
        Body::Atom(atom) => ATOMS[*atom].to_owned(),
        Body::Distinct { same } => format!("(distinct a {})", if *same { "a" } else { "b" }),
        Body::Not(part) => format!("(not {})", in_kif(part)),
        Body::And(parts) => all("and", parts),
        Body::Or(parts) => all("or", parts),
    }
}

fn in_prolog(body: &Body) -> String {
    let all = |separator: &str, parts: &[Body]| {
        let parts: Vec<String> = parts.iter().map(in_prolog).collect();
        format!("({})", parts.join(separator))
    };
    match body {
        Body::Atom(atom) => ATOMS[*atom].to_owned(),
        Body::Distinct { same } => format!("a \\== {}", if *same { "a" } else { "b" }),
        Body::Not(part) => format!("\\+ {}", in_prolog(part)),
        Body::And(parts) if parts.is_empty() => "true".to_owned(),
        Body::Or(parts) if parts.is_empty() => "fail".to_owned(),
        Body::And(parts) => all(", ", parts),
        Body::Or(parts) => all(" ; ", parts),
    }
}
