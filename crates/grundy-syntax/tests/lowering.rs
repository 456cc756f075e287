//! What each construct becomes, and what is said about it, one small text at a time.

use grundy_syntax::{Budget, Code, Dialect, Limits, Notation, Printer, Reading, Source, Span, read};

fn limits() -> Limits {
    Limits { nesting: 8, branches: 16, rules: 100, diagnostics: 100, ..Limits::default() }
}

/// Reads a game in KIF, and compares what is printed and which codes are reported, in order.
#[track_caller]
fn check(text: &str, printed: &str, codes: &[&str]) -> Reading {
    check_with(text, Notation::Kif, Dialect::Game, printed, codes)
}

/// The same for a theory in Prolog notation.
#[track_caller]
fn check_prolog(text: &str, printed: &str, codes: &[&str]) -> Reading {
    check_with(text, Notation::Prolog, Dialect::Theory, printed, codes)
}

#[track_caller]
fn check_with(text: &str, notation: Notation, dialect: Dialect, printed: &str, codes: &[&str]) -> Reading {
    let reading = read(&Source::new("test", text), notation, dialect, &limits());
    let program = Printer::new(&reading.program, notation).program();
    // Where a rule is broken into lines is nothing to look at here.
    let program: Vec<String> = program.replace("\n    ", " ").lines().map(str::to_owned).collect();
    let expected: Vec<&str> = printed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(program, expected, "{text}");
    assert_eq!(codes_of(&reading), codes, "{text}\n{:#?}", reading.diagnostics);
    reading
}

fn codes_of(reading: &Reading) -> Vec<&'static str> {
    reading.diagnostics.iter().map(|diagnostic| diagnostic.code.id()).collect()
}

/// The text of the first diagnostic's primary span.
#[track_caller]
fn check_place(text: &str, notation: Notation, place: &str) {
    let source = Source::new("test", text);
    let reading = read(&source, notation, Dialect::Game, &limits());
    let primary = reading.diagnostics.first().expect("a diagnostic").primary;
    assert_eq!(source.slice(primary), place, "{text}");
}

mod kif {
    use super::*;

    #[test]
    fn facts_and_rules() {
        check("", "", &[]);
        check("; only a comment", "", &[]);
        check("(role x) (succ 1 2)", "(role x)\n(succ 1 2)", &[]);
        check("(<= (p ?x) (q ?x))", "(<= (p ?x) (q ?x))", &[]);
        check("(<= (p ?x)\n;; why\n  (q ?x) ; this\n  r)", "(<= (p ?x) (q ?x) r)", &[]);
        check("(<= (p a))", "(p a)", &["W502"]);
        check("(init (move (cell 1 1) (cell 2 2)))", "(init (move (cell 1 1) (cell 2 2)))", &[]);
        check("\u{FEFF}(role x)", "(role x)", &[]);
    }

    #[test]
    fn odd_symbols() {
        check(
            "(<= (next ?n++) (true ?n) (++ ?n ?n++) (< ?n map+))",
            "(<= (next ?n++) (true ?n) (++ ?n ?n++) (< ?n map+))",
            &[],
        );
        check("(p é 'a' \"b\" a,b #1 -7)", "(p é 'a' \"b\" a,b #1 -7)", &[]);
    }

    #[test]
    fn keywords_in_any_case() {
        check(
            "(ROLE X) (<= (Next ?f) (TRUE ?f) (Not TERMINAL) (DISTINCT ?f Cell))",
            "(role X)\n(<= (next ?f) (true ?f) (not terminal) (distinct ?f Cell))",
            &[],
        );
        check("(<= p (OR q (AND r s)))", "(<= p q)\n(<= p r s)", &["W504", "W505"]);
        // Other names stay as they are.
        check("(Succ A a)", "(Succ A a)", &[]);
    }

    #[test]
    fn names_without_arguments() {
        check("(p)", "(p)", &[]);
        check("(terminal)", "(terminal)", &[]);
        check("(<= terminal q)", "(<= terminal q)", &[]);
        check("(<= (terminal) (q) (not (r)))", "(<= terminal q (not r))", &["W503"; 3]);
        check("(init (on))", "(init on)", &["W503"]);
        check("(p (a) a)", "(p a a)", &["W503"]);
        let reading = check("(<= p (q ; why\n ))", "(<= p q)", &["W503"]);
        assert_eq!(reading.diagnostics[0].hint.as_deref(), Some("write `q`"));
    }

    #[test]
    fn or_becomes_several_rules() {
        check("(<= p (or q))", "(<= p q)", &["W504"]);
        check("(<= p (or q r s) t)", "(<= p q t)\n(<= p r t)\n(<= p s t)", &["W504"]);
        check("(<= p (or q (or r s)))", "(<= p q)\n(<= p r)\n(<= p s)", &["W504"; 2]);
        check(
            "(<= p (or a b) (or c d))",
            "(<= p a c)\n(<= p a d)\n(<= p b c)\n(<= p b d)",
            &["W504", "W504"],
        );
        check("(<= p (or (and a b) (not c)))", "(<= p a b)\n(<= p (not c))", &["W504", "W505"]);
        check("(<= p (or (distinct a b) q))", "(<= p (distinct a b))\n(<= p q)", &["W504"]);
        check("(<= p (or))", "", &["W504", "W506"]);
        check("(<= p (and) q)", "(<= p q)", &["W505"]);
    }

    #[test]
    fn variables_of_branches_are_numbered_by_each_rule() {
        let reading = check(
            "(<= (p ?x) (or (q ?x ?y) (r ?y ?x)) (s ?y))",
            "(<= (p ?x) (q ?x ?y) (s ?y))\n(<= (p ?x) (r ?y ?x) (s ?y))",
            &["W504"],
        );
        assert_eq!(reading.program.rules[0].variables.len(), 2);
    }

    #[test]
    fn not_moves_inwards() {
        check("(<= p (not q))", "(<= p (not q))", &[]);
        check("(<= p (not (not q)))", "(<= p q)", &["W505"]);
        check("(<= p (not (or q r)))", "(<= p (not q) (not r))", &["W505", "W504"]);
        check("(<= p (not (and q r)))", "(<= p (not q))\n(<= p (not r))", &["W505", "W505"]);
        check(
            "(<= p (not (or q (and (not r) (distinct a b)))))",
            "(<= p (not q) r)",
            &["W505", "W504", "W505", "W506"],
        );
        check("(<= p (not (and)))", "", &["W505"; 2]);
        check("(<= p q (not (or)))", "(<= p q)", &["W505", "W504", "W506"]);
    }

    #[test]
    fn not_distinct_is_equality() {
        check("(<= (p ?x) (q ?x ?y) (not (distinct ?x ?y)))", "(<= (p ?y) (q ?y ?y))", &["W505"]);
        check("(<= (p ?x) (not (distinct ?x a)))", "(p a)", &["W505"]);
        check("(<= (p ?x) (not (distinct a ?x)))", "(p a)", &["W505"]);
        check("(<= p (not (distinct a a)))", "(p)", &["W505"]);
        check("(<= p (not (distinct a b)))", "", &["W505", "W506"]);
        check("(<= p (q ?x) (not (distinct ?x ?x)))", "(<= p (q ?x))", &["W505"]);
    }

    #[test]
    fn equality_of_compound_terms_is_unification() {
        let equal = |a: &str, b: &str| format!("(<= (p ?x ?y) (not (distinct {a} {b})))");
        check(&equal("(f ?x (g b))", "(f a ?y)"), "(p a (g b))", &["W505"]);
        check(&equal("(f ?x ?x)", "(f ?y (g a))"), "(p (g a) (g a))", &["W505"]);
        check(&equal("(f ?x ?y)", "(f ?y a)"), "(p a a)", &["W505"]);
        check(&equal("(f ?x ?y)", "(g ?x ?y)"), "", &["W505", "W506"]);
        check(&equal("(f ?x ?y)", "(f ?x ?y a)"), "", &["W505", "W506"]);
        check(&equal("?x", "(f ?y ?x)"), "", &["W505", "W506"]);
        check(&equal("(f ?x ?y)", "(f (g ?y) (g ?x))"), "", &["W505", "W506"]);
        // One branch of a rule can be impossible without the others.
        check(
            "(<= (p ?x) (q ?x) (or (not (distinct ?x a)) (not (distinct b c))))",
            "(<= (p a) (q a))",
            &["W504", "W505", "W505", "W506"],
        );
    }

    #[test]
    fn equalities_cannot_build_terms_that_are_too_deep() {
        let equal = |a: &str, b: &str| format!("(not (distinct {a} {b}))");
        let rule = |deep: &str| format!("(<= (p ?x) {} {})", equal("?x", "(f (f ?y))"), equal("?y", deep));
        check(&rule("(f (f (f a)))"), "(p (f (f (f (f (f a))))))", &["W505", "W505"]);
        check(&rule("(f (f (f (f a))))"), "", &["L101", "W505", "W505"]);
    }

    #[test]
    fn duplicates() {
        check("(p a) (p a)", "(p a)", &["W501"]);
        check("(<= (p ?x) (q ?x)) (<= (p ?y) (q ?y))", "(<= (p ?x) (q ?x))", &["W501"]);
        check("(<= p q q (not r) (not r))", "(<= p q (not r))", &[]);
        check("(<= p q r) (<= p r q)", "(<= p q r)\n(<= p r q)", &[]);
        // Branches of one rule may repeat each other.
        check("(<= p (or q q))", "(<= p q)", &["W504"]);
        let source = "(p a)\n(p b)\n(p a)";
        let reading = check(source, "(p a)\n(p b)", &["W501"]);
        assert_eq!(reading.diagnostics[0].primary, Span::new(12, 17));
        assert_eq!(reading.diagnostics[0].secondary[0].span, Span::new(0, 5));
    }

    #[test]
    fn doubtful_rules() {
        check("(<= p (distinct ?x ?x) (q ?x))", "(<= p (distinct ?x ?x) (q ?x))", &["W506"]);
        check("(<= p q (not q))", "(<= p q (not q))", &["W506"]);
        check("(<= (p ?x) (q ?x ?y))", "(<= (p ?x) (q ?x ?y))", &["W401"]);
        check("(<= (p ?x) (q ?x ?_y))", "(<= (p ?x) (q ?x ?_y))", &[]);
        check("(<= (p ?_x) (q ?_x))", "(<= (p ?_x) (q ?_x))", &["W402"]);
        check("(init (piece base or))", "(init (piece base or))", &["W205", "W205"]);
        check("(base a b)", "", &["W505"]);
    }

    #[test]
    fn parentheses() {
        check("(role x)\n(<= (p ?x)\n  (q ?x)\n(<= r s)\n(t)", "(role x)\n(<= r s)\n(t)", &["E101"]);
        check("(role x", "", &["E101"]);
        check("(role x))\n(role y)", "(role y)", &["E102"]);
        check(")))(role x)", "(role x)", &["E102"]);
        check(") )\n(role x)", "(role x)", &["E102", "E102"]);
        check_place("(role x)\n(init (a)\n(role y)", Notation::Kif, "(");
        check_place("(role x)\n(role y)))\n", Notation::Kif, "))");
    }

    #[test]
    fn forms_that_are_none() {
        check("() (p a)", "(p a)", &["E103"]);
        check("(p ())", "", &["E103"]);
        check("(<= p ())", "", &["E103"]);
        check("((cell 1) 2)", "", &["E104"]);
        check("(?p 1)", "", &["E104"]);
        check("(p (?f a))", "", &["E104"]);
        check("(<=)", "", &["E105"]);
        check("role white", "", &["E106"]);
        check("a (p a) ?x", "(p a)", &["E106", "E106"]);
    }

    #[test]
    fn numbers_of_arguments() {
        check("(goal white)", "", &["E201"]);
        check("(role) (role a b)", "", &["E201", "E201"]);
        check("(terminal now)", "", &["E201"]);
        check("(<= p (true a b) (not) (not q r) (distinct a) (distinct a b c))", "", &["E201"; 5]);
        check("(<= p not or)", "", &["E201", "E201"]);
    }

    #[test]
    fn keywords_in_wrong_places() {
        check("(true a)", "", &["E204"]);
        check("(<= (TRUE a) (does b c))", "", &["E204"]);
        check("(not p) (or p q) (and p q) (distinct a b) (does a b)", "", &["E204"; 5]);
        check("(<= p (init a) (next b) (base c) (input d e) (sees f g))", "", &["E205"; 5]);
        check("(init (next 1 2)) (init role) (p distinct) (p (<= a b))", "", &["E206"; 4]);
        check("(<= p ?x) (<= ?x p) (<= p (not ?x))", "", &["E207"; 3]);
        check("(<= p (<= q r))", "", &["E208"]);
        check("(<= (<= q r) p)", "", &["E208"]);
        check_place("(<= p q (or r (init a)))", Notation::Kif, "(or r (init a))");
        check_place("(<= p q (not (init a)))", Notation::Kif, "(init a)");
    }

    #[test]
    fn every_error_of_a_rule_is_reported() {
        check("(<= (true a) (init b) (q ()) (r (?f)))", "", &["E204", "E205", "E103", "E104"]);
    }

    #[test]
    fn limits() {
        check("(p (((((((((a))))))))) )\n(q a)", "(q a)", &["L101"]);
        // Sixteen branches, but a condition that is repeated counts once.
        check(
            "(<= p (or a b) (or a b) (or a b) (or a b))",
            "(<= p a)\n(<= p a b)\n(<= p b a)\n(<= p b)",
            &["W504"; 4],
        );
        check(
            "(<= p (or a b) (or a b) (or a b) (or a b) (or c d)) (q a)",
            "(q a)",
            &["L102", "W504", "W504", "W504", "W504", "W504"],
        );
        let facts = |count| (0..count).map(|i| format!("(p {i})\n")).collect::<String>();
        check(&facts(100), &facts(100), &[]);
        check(&facts(101), &facts(100), &["L103"]);
    }

    #[test]
    fn names_of_broken_forms_are_remembered() {
        let reading = check("(<= (p ?x) (q (?f a)))", "", &["E104"]);
        let names: Vec<&str> =
            reading.program.left_out.iter().map(|&name| reading.program.symbols.name(name)).collect();
        for name in ["p", "q", "a"] {
            assert!(names.contains(&name), "{names:?}");
        }
    }

    #[test]
    fn theories_have_no_keywords() {
        let text = "(<= (true a b) (init c) (role))";
        check_with(text, Notation::Kif, Dialect::Theory, "(<= (true a b) (init c) role)", &["W503"]);
    }
}

mod prolog {
    use super::*;

    #[test]
    fn clauses() {
        check_prolog("", "", &[]);
        check_prolog("p. q(a, -1, f(b)).", "p.\nq(a, -1, f(b)).", &[]);
        check_prolog("p(X) :- q(X), r.", "p(X) :- q(X), r.", &[]);
        check_prolog("p(X):-q(X),r.", "p(X) :- q(X), r.", &[]);
        check_prolog("\u{FEFF}p.", "p.", &[]);
        check_prolog("role(a, b). true1.", "role(a, b).\ntrue1.", &[]);
    }

    #[test]
    fn comments() {
        check_prolog("% one\np. % two\n%", "p.", &[]);
        check_prolog("/* p :- ' */ p /**/ . q.% no space", "p.\nq.", &[]);
        check_prolog("p./* r */", "", &["E107"]);
    }

    #[test]
    fn quoted_names() {
        check_prolog("'Big'('a b', 'small').", "'Big'('a b', small).", &[]);
        check_prolog("p('it''s', 'it\\'s').", "p('it\\'s', 'it\\'s').", &[]);
        check_prolog("p('a\\\\b', '\\n', '').", "p('a\\\\b', '\\n', '').", &[]);
        check_prolog("p('two\\\nlines', '\\\r').", "p('two\\nlines', '\\r').", &[]);
        check_prolog("p :- 'true', 'not'(a), 'fail'.", "p :- 'true', 'not'(a), 'fail'.", &[]);
        check_prolog("'12' :- '3'(a), p(12, '12').", "'12' :- '3'(a), p(12, 12).", &[]);
        check_prolog("p(not, true, dynamic).", "p('not', true, 'dynamic').", &[]);
    }

    #[test]
    fn equality() {
        for operator in ["=", "==", "=:="] {
            check_prolog(&format!("p(X) :- q(X, Y), X {operator} Y."), "p(Y) :- q(Y, Y).", &[]);
            check_prolog(&format!("p(X) :- X {operator} f(a)."), "p(f(a)).", &[]);
            check_prolog(&format!("p :- a {operator} b."), "", &["W506"]);
        }
        for operator in ["\\=", "\\==", "=\\="] {
            let printed = "p(X) :- q(X, Y), X \\== Y.";
            check_prolog(&format!("p(X) :- q(X, Y), X {operator} Y."), printed, &[]);
            check_prolog(&format!("p(X) :- q(X, Y), \\+ X {operator} Y."), "p(Y) :- q(Y, Y).", &[]);
        }
        check_prolog("p(X, Y) :- f(X, b) = f(a, Y).", "p(a, b).", &[]);
    }

    #[test]
    fn negation() {
        check_prolog("p :- \\+ q.", "p :- \\+ q.", &[]);
        check_prolog("p :- \\+q, \\+(r), not s, not(t).", "p :- \\+ q, \\+ r, \\+ s, \\+ t.", &[]);
        check_prolog("p :- \\+ \\+ q.", "p :- q.", &[]);
        check_prolog("p :- \\+ (q, r).", "p :- \\+ q.\np :- \\+ r.", &[]);
        check_prolog("p :- \\+ (q ; r).", "p :- \\+ q, \\+ r.", &[]);
        check_prolog("p :- not(q, r).", "p :- \\+ q.\np :- \\+ r.", &[]);
    }

    #[test]
    fn alternatives() {
        check_prolog("p :- q ; r, s.", "p :- q.\np :- r, s.", &[]);
        check_prolog("p :- (q ; r), s.", "p :- q, s.\np :- r, s.", &[]);
        check_prolog("p :- true. p :- q, true.", "p.\np :- q.", &[]);
        check_prolog("p :- fail. p :- q, false.", "", &[]);
        check_prolog("p :- q ; fail.", "p :- q.", &[]);
    }

    #[test]
    fn anonymous_variables() {
        check_prolog("p :- q(_, _).", "p :- q(__1, __2).", &[]);
        check_prolog("p(X) :- q(X, _).", "p(X) :- q(X, __2).", &[]);
        check_prolog("p :- q(_x, _x).", "p :- q(_x, _x).", &["W402"]);
        check_prolog("p :- q(Y).", "p :- q(Y).", &["W401"]);
    }

    #[test]
    fn declarations_and_constraints() {
        check_prolog(":- dynamic p/1, q/0.\n:- dynamic p/1.", ":- dynamic p/1.\n:- dynamic q/0.", &[]);
        check_prolog(":- p(X), \\+ q(X).", ":- p(X), \\+ q(X).", &[]);
        check_prolog(":- p ; q.", ":- p.\n:- q.", &[]);
        check_prolog(":- true.", ":- true.", &[]);
        check_prolog(":- 'dynamic'(a).", ":- 'dynamic'(a).", &[]);
        check_prolog(":- dynamic p/4294967296.", "", &["E107"]);
        check_prolog(":- dynamic p/q.", "", &["E107"]);
        check_prolog(":- dynamic p.", "", &["E107"]);
    }

    #[test]
    fn duplicates() {
        check_prolog("p(a). p(a).", "p(a).", &["W501"]);
        check_prolog("p(X) :- q(X), q(X).", "p(X) :- q(X).", &[]);
    }

    #[test]
    fn recovery() {
        check_prolog("owns(x, a1)\nblank(b1).\np.", "blank(b1).\np.", &["E107"]);
        check_prolog("p :- q r. s.", "s.", &["E107"]);
        check_prolog("p :- .\nq.", "q.", &["E107"]);
        check_prolog("p(. q).\nr.", "r.", &["E107", "E107"]);
        check_prolog("p :- q", "", &["E107"]);
        check_prolog("p $ q.\nr.", "r.", &["E107"]);
        check_prolog("p () . q.", "q.", &["E107"]);
        check_prolog("1(a). 2 :- p. q.", "q.", &["E107", "E107"]);
        let reading = check_prolog("owns(x, a1)\nblank(b1).", "blank(b1).", &["E107"]);
        assert_eq!(reading.diagnostics[0].primary, Span::new(11, 11));
        assert_eq!(reading.diagnostics[0].secondary[0].span, Span::new(12, 17));
    }

    #[test]
    fn unterminated() {
        check_prolog("p. 'q(a).\nr.", "p.\nr.", &["E108"]);
        check_prolog("p. /* q.\nr.", "p.", &["E108"]);
        check_prolog("p\n'q", "", &["E108"]);
    }

    #[test]
    fn unsupported() {
        for body in
            ["X < 3", "X is 3", "3 >= X", "q(X), X =< 2", "!", "q(X) -> r", "X = 1 + 2", "q([X])", "q([])"]
        {
            check_prolog(&format!("p(X) :- {body}.\nr."), "r.", &["E109"]);
        }
        check_prolog("p --> q.", "", &["E109"]);
        check_place("p(X) :- q(X), X < 3.", Notation::Prolog, "<");
    }

    #[test]
    fn what_cannot_be_a_condition_or_a_head() {
        check_prolog("p :- X.", "", &["E207"]);
        check_prolog("X :- p.", "", &["E207"]);
        check_prolog("not(p). true. fail :- p. false.", "", &["E204"; 4]);
        check_prolog("p :- 3.", "", &["E107"]);
    }

    #[test]
    fn limits() {
        check_prolog("p :- \\+ \\+ \\+ \\+ \\+ \\+ \\+ \\+ \\+ q.\nr.", "r.", &["L101"]);
        check_prolog("p(f(f(f(f(f(f(f(f(a)))))))))).\nr.", "r.", &["L101"]);
        check_prolog("p :- (a;b),(c;d),(e;f),(g;h),(i;j).", "", &["L102"]);
        let facts = |count| (0..count).map(|i| format!("p({i}).\n")).collect::<String>();
        check_prolog(&facts(101), &facts(100), &["L103"]);
    }

    #[test]
    fn games() {
        let check = |text, printed, codes: &[&str]| {
            check_with(text, Notation::Prolog, Dialect::Game, printed, codes);
        };
        check(
            "role(x). init(cell(1)). terminal :- true(over).",
            "role(x).\ninit(cell(1)).\nterminal :- true(over).",
            &[],
        );
        check("'ROLE'(x). p :- 'Role'(x).", "role(x).\np :- role(x).", &[]);
        check("p :- true.", "p.", &[]);
        check("goal(x). role.", "", &["E201", "E201"]);
        check("true(x). does(x, y).", "", &["E204", "E204"]);
        check("p :- init(x). p :- next(x).", "", &["E205", "E205"]);
    }
}

#[test]
fn reading_stops_when_the_budget_is_used_up() {
    let text = "(p a) ".repeat(1_000);
    let budget = Budget::new(Some(std::time::Duration::ZERO));
    let read_within = |budget: Budget| {
        read(
            &Source::new("test", &*text),
            Notation::Kif,
            Dialect::Game,
            &Limits { budget, ..Limits::default() },
        )
    };
    let reading = read_within(budget);
    assert!(codes_of(&reading).contains(&"L104"));
    assert!(!codes_of(&read_within(Budget::default())).contains(&"L104"));
}

#[test]
fn text_that_is_not_utf8() {
    let source = Source::from_bytes("test", b"; caf\xe9\n(role x)".to_vec());
    let reading = read(&source, Notation::Kif, Dialect::Game, &limits());
    assert_eq!(codes_of(&reading), ["W101"]);
    assert_eq!(reading.program.rules.len(), 1);
}

/// Every code that the readers can report is in one of the tables above.
#[test]
fn every_code_of_the_readers_is_tested() {
    let tests = include_str!("lowering.rs");
    let of_analysis = [
        "E202", "E203", "E3", "E4", "E5", "W201", "W202", "W203", "W204", "W206", "W207", "W3", "W507", "E6",
        "W6",
    ];
    let untested: Vec<&str> = Code::ALL
        .iter()
        .map(|code| code.id())
        .filter(|id| !of_analysis.iter().any(|prefix| id.starts_with(prefix)))
        .filter(|id| !tests.contains(&format!("\"{id}\"")))
        .collect();
    assert!(untested.is_empty(), "{untested:?}");
}
