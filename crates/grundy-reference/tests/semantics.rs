//! What game descriptions mean, one small sheet for each point that is easy to get wrong.

use grundy_reference::{Error, Evaluator, Game, Limits, State};
use grundy_syntax::{
    Budget, Dialect, Exhausted, Keyword, Notation, PredicateId, Program, Source, TermId, read, read_game,
};
use std::time::{Duration, Instant};

/// Asks about a game and compares the answers, in the order of the sheet for `roles`, sorted for
/// everything else.
///
/// | question | answer |
/// |---|---|
/// | `roles` | the roles |
/// | `state` | the facts of the current state, which is the initial one at first |
/// | `legal R`, `goal R` | the moves or goal values of a role |
/// | `terminal` | `true` or `false` |
/// | `sees R after M, N` | what a role is told when these legal moves are played |
/// | `do M, N` | plays these legal moves; the facts of the state that is now the current one |
fn check(sheet: &str, questions: &[(&str, &str)]) {
    let mut player = Player::new(sheet, Limits::default()).unwrap_or_else(|error| panic!("{sheet}\n{error}"));
    for (question, expected) in questions {
        let answer = player.ask(question).unwrap_or_else(|error| panic!("{sheet}\n{question}: {error}"));
        assert_eq!(answer, *expected, "{question}, in\n{sheet}");
    }
}

/// Checks the facts of the initial state alone. They can be defined by rules, as anything else.
fn check_init(sheet: &str, expected: &str) {
    check(sheet, &[("state", expected)]);
}

/// The error that this sheet, or the first of these questions that has no answer, ends with.
fn error_of(sheet: &str, limits: Limits, questions: &[&str]) -> Error {
    match Player::new(sheet, limits) {
        Err(error) => error,
        Ok(mut player) => {
            let mut answers = questions.iter().map(|question| player.ask(question));
            answers.find_map(Result::err).unwrap_or_else(|| panic!("no error in\n{sheet}"))
        }
    }
}

struct Player {
    game: Game,
    state: State,
}

impl Player {
    fn new(sheet: &str, limits: Limits) -> Result<Player, Error> {
        let mut game = Game::new(program(sheet), limits)?;
        let state = game.initial()?;
        Ok(Player { game, state })
    }

    fn ask(&mut self, question: &str) -> Result<String, Error> {
        let (word, rest) = question.split_once(' ').unwrap_or((question, ""));
        match word {
            "roles" => {
                let roles: Vec<String> = self.game.roles().iter().map(|&role| self.game.text(role)).collect();
                return Ok(roles.join(" "));
            }
            "state" => {}
            "terminal" => return Ok(self.game.is_terminal(&self.state)?.to_string()),
            "legal" => return self.game.legal(&self.state).map(|legal| self.of_role(&legal, rest)),
            "goal" => return self.game.goals(&self.state).map(|goals| self.of_role(&goals, rest)),
            "sees" => {
                let (role, moves) = rest.split_once(" after ").expect("moves");
                let moves = self.moves(moves)?;
                return self.game.sees(&self.state, &moves).map(|sees| self.of_role(&sees, role));
            }
            "do" => {
                let moves = self.moves(rest)?;
                self.state = self.game.next(&self.state, &moves)?;
            }
            _ => panic!("what is `{question}`?"),
        }
        Ok(self.text(&self.state))
    }

    fn moves(&mut self, texts: &str) -> Result<Vec<TermId>, Error> {
        let legal = self.game.legal(&self.state)?;
        let find = |(text, moves): (&str, &Vec<TermId>)| {
            let found = moves.iter().find(|&&one_move| self.game.text(one_move) == text);
            *found.unwrap_or_else(|| panic!("`{text}` is not legal"))
        };
        Ok(texts.split(", ").zip(&legal).map(find).collect())
    }

    fn of_role(&self, values: &[Vec<TermId>], name: &str) -> String {
        let role = self.game.roles().iter().position(|&role| self.game.text(role) == name);
        self.text(&values[role.expect("a role")])
    }

    fn text(&self, terms: &[TermId]) -> String {
        let mut texts: Vec<String> = terms.iter().map(|&term| self.game.text(term)).collect();
        texts.sort();
        texts.join(" ")
    }
}

/// The program of a sheet that has to be free of errors.
fn program(sheet: &str) -> Program {
    let reading = read_game(&Source::new("sheet", sheet), &Default::default());
    let errors: Vec<_> = reading.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).collect();
    assert!(errors.is_empty(), "{sheet}\n{errors:#?}");
    reading.program
}

// Notation

#[test]
fn keywords_are_known_in_any_case_and_other_names_are_not() {
    check(
        "(ROLE x) (Init (at 0)) (INIT (At 0)) (init (at zero)) (INIT (at ZERO))
         (<= (LEGAL ?r go) (Role ?r) (TRUE (at 0)) (NOT (True (at 1))) (DISTINCT ?r y))
         (<= (Next (at 1)) (DOES x go))
         (<= TERMINAL (OR (true (at 1)) (AND (true (at 2)) (true (at 3)))))
         (<= (GOAL x 100) Terminal)",
        &[
            ("roles", "x"),
            ("state", "(At 0) (at 0) (at ZERO) (at zero)"),
            ("legal x", "go"),
            ("terminal", "false"),
            ("goal x", ""),
            ("do go", "(at 1)"),
            ("terminal", "true"),
            ("goal x", "100"),
        ],
    );
}

#[test]
fn lone_names_may_stand_in_parentheses() {
    check(
        "(role (x)) (fine) (init (a)) (<= (init (b (c))) fine)
         (<= (legal x (go)) (fine)) (<= (next (b c)) (does (x) go))
         (<= (terminal) (true a)) (<= (goal x 1) (terminal) (true (b c)))",
        &[("roles", "x"), ("state", "(b c) a"), ("legal x", "go"), ("terminal", "true"), ("goal x", "1")],
    );
}

#[test]
fn a_rule_without_conditions_is_a_fact() {
    check_init("(<= (init a)) (<= p) (<= (q b)) (<= (init (f ?x)) p (q ?x))", "(f b) a");
}

#[test]
fn predicates_are_told_apart_by_their_number_of_arguments() {
    check_init(
        "(p a) (p a b) (<= p (q a)) (<= (init (f ?x)) (p ?x) (not p)) (<= (init ?y) (p ?x ?y))",
        "(f a) b",
    );
}

#[test]
fn the_order_of_conditions_means_nothing() {
    let conditions = ["(not (p ?y))", "(e ?x ?y)", "(distinct ?x ?z)", "(e ?y ?z)", "(not (e ?x c))"];
    let facts = "(e a b) (e b c) (e b b) (e c a) (e d b) (e d d) (p c) (p d)";
    for order in orders(conditions.len()) {
        let body: Vec<&str> = order.iter().map(|&at| conditions[at]).collect();
        check_init(
            &format!("{facts} (<= (init (f ?x ?y ?z)) {})", body.join(" ")),
            "(f a b b) (f a b c) (f c a b) (f d b b) (f d b c)",
        );
    }
}

/// All orders of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![vec![]] };
    let insert = |order: Vec<usize>| (0..count).map(move |at| [&order[..at], &[last], &order[at..]].concat());
    orders(last).into_iter().flat_map(insert).collect()
}

// Connectives

#[test]
fn or_holds_anything_and_nests() {
    let facts = "(p a) (p b) (p c) (q a) (r b) (r c)";
    let cases = [
        ("(or (q ?x))", "a"),
        ("(or (q ?x) (r ?x))", "a b c"),
        ("(or (q ?x) (r ?x) (distinct ?x a))", "a b c"),
        ("(or (and (q ?x) (r ?x)) (not (q ?x)))", "b c"),
        ("(or (and (r ?x) (distinct ?x c)) (and (or (q ?x) (s ?x)) (not (r ?x))))", "a b"),
        ("(or (or (or (q ?x))))", "a"),
        ("(or (and (or (q ?x) (r ?x)) (or (distinct ?x a) (s ?x))))", "b c"),
    ];
    for (body, expected) in cases {
        check_init(&format!("{facts} (<= (init ?x) (p ?x) {body})"), expected);
        check_init(&format!("{facts} (<= (init ?x) {body} (p ?x))"), expected);
    }
}

#[test]
fn not_moves_inwards() {
    let facts = "(p a) (p b) (p c) (q a) (q b) (r b) (r c)";
    let cases = [
        ("(not (not (q ?x)))", "a b"),
        ("(not (and (q ?x) (r ?x)))", "a c"),
        ("(not (or (q ?x) (r ?x)))", ""),
        ("(not (or (q ?x) (not (r ?x))))", "c"),
        ("(not (and (q ?x) (not (and (r ?x) (distinct ?x c)))))", "b c"),
        ("(not (distinct ?x b))", "b"),
        ("(not (or (distinct ?x b) (s ?x)))", "b"),
    ];
    for (body, expected) in cases {
        check_init(&format!("{facts} (<= (init ?x) (p ?x) {body})"), expected);
    }
}

#[test]
fn not_distinct_is_equality() {
    check_init(
        "(p a) (p (f b)) (q b)
         (<= (init (one ?x ?y)) (p ?x) (not (distinct ?y ?x)))
         (<= (init (two ?x)) (p ?y) (not (distinct ?y (f ?x))))
         (<= (init (three ?x)) (not (distinct ?x c)))
         (<= (init four) (q ?x) (not (distinct ?x a)))
         (<= (init five) (not (distinct a b)))
         (<= (init six) (not (distinct (f a) (f a))))",
        "(one (f b) (f b)) (one a a) (three c) (two b) six",
    );
}

#[test]
fn distinct_compares_whole_terms() {
    check_init(
        "(p (f a)) (p (f b)) (p (g a)) (p a)
         (<= (init ?x) (p ?x) (distinct ?x (f a)) (distinct (f ?x) (f a)) (distinct a b))
         (<= (init never) (distinct (f a) (f a)))",
        "(f b) (g a)",
    );
}

// States

#[test]
fn init_may_have_a_body() {
    check_init(
        "(row 1) (row 2) (<= (init (cell ?x ?y)) (row ?x) (row ?y) (distinct ?x ?y))",
        "(cell 1 2) (cell 2 1)",
    );
}

#[test]
fn a_game_without_init_starts_in_the_empty_state() {
    check(
        "(role x) (<= (legal x go) (not (true done))) (<= (next done) (does x go)) (<= terminal (true done))",
        &[("state", ""), ("legal x", "go"), ("terminal", "false"), ("do go", "done"), ("terminal", "true")],
    );
}

#[test]
fn a_sheet_may_be_empty() {
    check("", &[("roles", ""), ("state", ""), ("terminal", "false")]);
    check("(role x)", &[("roles", "x"), ("legal x", ""), ("goal x", ""), ("terminal", "false")]);
}

#[test]
fn roles_keep_their_order() {
    check(
        "(role zoe) (role adam) (role mia)
         (<= (legal ?r (say ?r)) (role ?r)) (<= (goal ?r 50) (role ?r) (distinct ?r adam))
         (<= (next (said ?r ?m)) (does ?r ?m))",
        &[
            ("roles", "zoe adam mia"),
            ("legal adam", "(say adam)"),
            ("goal zoe", "50"),
            ("goal adam", ""),
            (
                "do (say zoe), (say adam), (say mia)",
                "(said adam (say adam)) (said mia (say mia)) (said zoe (say zoe))",
            ),
        ],
    );
}

#[test]
fn moves_are_simultaneous() {
    check(
        "(role a) (role b) (beats rock scissors) (beats scissors paper) (beats paper rock)
         (<= (legal ?r ?m) (role ?r) (beats ?m ?_other)) (init (round 1))
         (<= (next (won ?r)) (does ?r ?m) (does ?s ?n) (distinct ?r ?s) (beats ?m ?n))
         (<= (next draw) (does a ?m) (does b ?m))
         (<= (next (lone ?r)) (does ?r rock) (role ?s) (distinct ?r ?s) (not (does ?s rock)))
         (<= (next (round 1)) (true (round 1)))",
        &[
            ("legal a", "paper rock scissors"),
            ("do rock, scissors", "(lone a) (round 1) (won a)"),
            ("do paper, scissors", "(round 1) (won b)"),
            ("do rock, rock", "(round 1) draw"),
        ],
    );
}

#[test]
fn bare_variables_stand_for_facts_and_moves() {
    check(
        "(role x) (init a) (init (f b c))
         (<= (legal ?r ?m) (role ?r) (true ?m))
         (<= (next ?x) (true ?x))
         (<= (next (did ?m)) (does ?_r ?m))
         (<= (goal ?r 1) (role ?r) (true (did (did ?_m))))",
        &[
            ("legal x", "(f b c) a"),
            ("do (f b c)", "(did (f b c)) (f b c) a"),
            ("goal x", ""),
            ("do (did (f b c))", "(did (did (f b c))) (did (f b c)) (f b c) a"),
            ("goal x", "1"),
        ],
    );
}

#[test]
fn terms_nest_and_their_parts_have_to_agree() {
    check_init(
        "(p (move (cell 1 1) (cell 2 2))) (p (move (cell 1 2) (cell 1 2))) (p (move (cell 1) (cell 2)))
         (p (jump (cell 1 1) (cell 2 2))) (p (move (cell 3 3))) (p move) (p (move (f (g a) b) (f (g a) b)))
         (<= (init (any ?x)) (p (move ?_a ?x)))
         (<= (init (from ?x ?y)) (p (move (cell ?x ?y) ?_to)))
         (<= (init (same ?x)) (p (move ?x ?x)))
         (<= (init (square ?x)) (p (move (cell ?x ?x) ?_to)))
         (<= (init (known ?x)) (p (move (f (g a) ?x) ?_to)))
         (<= (init (deep ?x)) (p (move (f (g ?x) b) (f (g ?x) ?_b))))",
        "(any (cell 1 2)) (any (cell 2 2)) (any (cell 2)) (any (f (g a) b)) (deep a) (from 1 1) (from 1 2) \
         (known b) (same (cell 1 2)) (same (f (g a) b)) (square 1)",
    );
}

#[test]
fn base_and_input_are_not_needed() {
    check(
        "(role x) (base (wrong 1)) (input x nothing) (init (right 1)) (num 0)
         (<= (num (s ?n)) (num ?n)) (<= (base (at ?n)) (num ?n)) (<= (input x ?n) (num ?n))
         (<= (legal x go) (true (right 1)))",
        &[("state", "(right 1)"), ("legal x", "go")],
    );
}

// Views

#[test]
fn legal_goal_and_terminal_may_be_conditions() {
    check(
        "(role x) (role y) (init (n 1)) (<= (next (n 2)) (true (n 1))) (<= (next (could ?m)) (legal x ?m))
         (<= (legal x go) (true (n 1))) (<= (legal x wait) terminal)
         (<= (legal y noop) (legal x go)) (<= (legal y other) (not (legal x go)))
         (<= (goal x 100) terminal (legal x wait)) (<= (goal y 30) (goal x 100))
         (<= terminal (not (true (n 1))))",
        &[
            ("legal y", "noop"),
            ("goal y", ""),
            ("do go, noop", "(could go) (n 2)"),
            ("legal x", "wait"),
            ("legal y", "other"),
            ("goal x", "100"),
            ("goal y", "30"),
        ],
    );
}

/// Negation is not stratified by predicate here, but it is by atom.
#[test]
fn a_goal_may_be_the_absence_of_another() {
    let sheet = |state: &str| {
        format!(
            "(role x) (role y) {state} (other x y) (other y x)
             (<= (goal ?r 100) (true (won ?r)))
             (<= (goal ?r 50) (role ?r) (true draw) (not (goal ?r 100)))
             (<= (goal ?r 0) (role ?r) (not (goal ?r 100)) (not (goal ?r 50)))
             (<= (goal ?r 75) (other ?r ?s) (goal ?s 0) (not (goal ?r 0)))"
        )
    };
    check(&sheet("(init (won x))"), &[("goal x", "100 75"), ("goal y", "0")]);
    check(&sheet("(init (won x)) (init draw)"), &[("goal x", "100"), ("goal y", "50")]);
    check(&sheet(""), &[("goal x", "0"), ("goal y", "0")]);
}

/// `win` depends on its own negation, but each atom only on those further down.
#[test]
fn negation_may_go_down_a_chain() {
    let moves: String = (0..50).map(|n| format!("(move p{} p{n}) ", n + 1)).collect();
    let won: Vec<String> = (0..=50).filter(|n| n % 2 == 1).map(|n| format!("(won p{n})")).collect();
    let mut won: Vec<&str> = won.iter().map(|text| text.as_str()).collect();
    won.sort();
    check_init(
        &format!("{moves} (<= (win ?x) (move ?x ?y) (not (win ?y))) (<= (init (won ?x)) (win ?x))"),
        &won.join(" "),
    );
}

/// The rules say nothing about one another if a condition outside the cycle fails.
#[test]
fn a_cycle_through_negation_may_be_broken_by_facts() {
    check_init(
        "(on a) (<= p (not q) (on b)) (<= q (not p) (on b)) (<= (init (r ?x)) (on ?x) (not p) (not q))
         (<= even (not odd)) (<= odd (not even)) (<= odd (on a)) (<= (init odd) odd) (<= (init even) even)",
        "(r a) odd",
    );
}

#[test]
fn what_is_never_defined_is_false() {
    check_init(
        "(p a) (<= (init b) (nothing ?x) (p ?x)) (<= (init ?x) (p ?x) (not (nothing ?x))) (<= (init c) no)",
        "a",
    );
}

#[test]
fn recursion_means_the_least_fixpoint() {
    let graph = "(e a b) (e b c) (e c a) (e c d) (e f f) (n a) (n b) (n c) (n d) (n f) (n g)";
    let reach = [
        "(<= (reach ?x ?y) (e ?x ?y)) (<= (reach ?x ?z) (reach ?x ?y) (e ?y ?z))",
        "(<= (reach ?x ?y) (e ?x ?y)) (<= (reach ?x ?z) (e ?x ?y) (reach ?y ?z))",
        "(<= (reach ?x ?z) (reach ?x ?y) (reach ?y ?z)) (<= (reach ?x ?y) (e ?x ?y))",
        "(<= (reach ?x ?y) (step ?x ?y)) (<= (step ?x ?y) (e ?x ?y)) (<= (step ?x ?z) (reach ?x ?y) (step ?y ?z))",
    ];
    for rules in reach {
        check_init(&format!("{graph} {rules} (<= (init ?x) (reach a ?x))"), "a b c d");
        check_init(&format!("{graph} {rules} (<= (init ?x) (reach ?x ?x))"), "a b c f");
        check_init(&format!("{graph} {rules} (<= (init ?x) (n ?x) (not (reach a ?x)))"), "f g");
        check_init(&format!("{graph} {rules} (<= (init ?x) (n ?x) (not (reach ?x d)))"), "d f g");
    }
}

#[test]
fn a_cycle_does_not_hold_itself_up() {
    check(
        "(role x) (init on) (legal x go)
         (<= p q) (<= q r) (<= r p) (<= r (true on)) (<= (alone ?x) (alone ?x))
         (<= (next p) p) (<= (next off) (not p)) (<= (next q) (not (alone a)))",
        &[("do go", "p q"), ("do go", "off q")],
    );
}

#[test]
fn mutual_recursion() {
    check_init(
        "(s 0 1) (s 1 2) (s 2 3) (s 3 4) (even 0)
         (<= (even ?y) (s ?x ?y) (odd ?x)) (<= (odd ?y) (s ?x ?y) (even ?x))
         (<= (init (even ?x)) (even ?x)) (<= (init (odd ?x)) (odd ?x))",
        "(even 0) (even 2) (even 4) (odd 1) (odd 3)",
    );
}

/// Once the head is known, one proof is enough; but not before.
#[test]
fn variables_outside_the_head_only_have_to_exist() {
    check_init(
        "(p a 1) (p a 2) (p b 2) (p c 3) (q 1 x) (q 2 y) (q 2 z) (q 3 w) (r y) (r z) (t 1) (t 2)
         (<= (init (f ?a)) (p ?a ?n) (q ?n ?c) (r ?c) (t ?k))
         (<= (init (g ?a ?k)) (t ?k) (p ?a ?n) (q ?n ?c) (not (r ?c)))
         (<= (init h) (p ?a ?n) (q ?n ?c) (r ?c) (distinct ?c y))",
        "(f a) (f b) (g a 1) (g a 2) (g c 1) (g c 2) h",
    );
}

// What a sheet may leave open

#[test]
fn a_role_may_have_several_goals_or_none() {
    check(
        "(role x) (role y) (goal x 10) (goal x 90) (<= (goal y 5) (true over))",
        &[("goal x", "10 90"), ("goal y", "")],
    );
}

#[test]
fn there_may_be_no_legal_move() {
    check("(role x) (role y) (legal x go)", &[("legal x", "go"), ("legal y", ""), ("terminal", "false")]);
}

#[test]
fn legal_moves_and_goals_of_strangers_are_nobodys() {
    check("(role x) (legal x a) (legal z b) (goal z 1)", &[("roles", "x"), ("legal x", "a"), ("goal x", "")]);
}

#[test]
fn roles_see_what_the_moves_and_the_state_tell_them() {
    check(
        "(role random) (role x) (init (card a)) (init (card b))
         (<= (legal random (deal ?c)) (true (card ?c))) (legal x wait)
         (<= (sees x (got ?c)) (does random (deal ?c))) (<= (sees ?r started) (role ?r) (true (card a)))
         (<= (next (hand ?c)) (does random (deal ?c)))",
        &[
            ("sees x after (deal b), wait", "(got b) started"),
            ("sees random after (deal a), wait", "started"),
            ("do (deal a), wait", "(hand a)"),
        ],
    );
}

#[test]
fn arguments_beyond_those_that_are_indexed_count() {
    let names = |prefix: &str| (0..70).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>().join(" ");
    let facts = format!("(p {}) (p {} b)", names("a"), names("a").replace(" a69", ""));
    let rules = "(<= (init (last ?x69)) (p ?x))".replace("?x)", &format!("{})", names("?x")));
    check_init(&format!("{facts} {rules} (<= (init found) (p {}))", names("a")), "(last a69) (last b) found");
    check_init(&format!("{facts} (<= (init found) (p {} c))", names("a").replace(" a69", "")), "");
}

// Questions in any order

/// Answers depend on the state and the moves, not on what was asked before.
#[test]
fn states_can_be_asked_about_again() {
    let sheet = "(role x) (init (n 0)) (s 0 1) (s 1 2) (s 2 3)
         (<= (legal x (add ?n)) (true (n ?n))) (<= (legal x stay) (true (n 1)))
         (<= (next (n ?m)) (does x (add ?n)) (s ?n ?m)) (<= (next (n ?n)) (does x stay) (true (n ?n)))
         (<= terminal (true (n 3))) (<= (goal x ?n) (true (n ?n)))";
    let mut player = Player::new(sheet, Limits::default()).unwrap();
    let zero = player.state.clone();
    player.ask("do (add 0)").unwrap();
    let one = player.state.clone();
    for (state, questions) in [
        (&one, [("legal x", "(add 1) stay"), ("goal x", "1")]),
        (&zero, [("legal x", "(add 0)"), ("goal x", "0")]),
        (&one, [("do stay", "(n 1)"), ("do (add 1)", "(n 2)")]),
        (&one, [("goal x", "1"), ("do (add 1)", "(n 2)")]),
        (&zero, [("do (add 0)", "(n 1)"), ("legal x", "(add 1) stay")]),
    ] {
        player.state = state.clone();
        for (question, expected) in questions {
            assert_eq!(player.ask(question).unwrap(), expected, "{question}");
        }
    }
}

/// A state without meaning, or a limit, must not leave anything behind.
#[test]
fn questions_after_an_error_are_answered_afresh() {
    let sheet = "(role x) (init a) (legal x stay) (<= (legal x ?f) (true ?f))
         (<= (next b) (does x a)) (<= (next a) (does x b)) (<= (next c) even)
         (<= odd (true b) (not odd)) (<= (goal x 1) (not odd))
         (<= even (does x stay) (not even))";
    let mut player = Player::new(sheet, Limits::default()).unwrap();
    let start = player.state.clone();
    for _ in 0..2 {
        player.state = start.clone();
        assert_eq!(player.ask("goal x").unwrap(), "1");
        let error = player.ask("do stay").unwrap_err();
        assert_eq!(error, Error::NegationCycle { atom: "even".into() });
        assert_eq!(player.ask("legal x").unwrap(), "a stay");
        assert_eq!(player.ask("do a").unwrap(), "b");
        for question in ["legal x", "goal x", "terminal", "do stay", "legal x"] {
            assert_eq!(player.ask(question).unwrap_err(), Error::NegationCycle { atom: "odd".into() });
        }
    }
}

// Errors

#[test]
fn terms_that_grow_without_end_are_an_error_that_names_the_rule() {
    let limit = |term_depth| Limits { term_depth, ..Limits::default() };
    let culprit = "(<= (num (s ?n))\n    (num ?n))";
    let sheet = format!("(role x) (num 0) {culprit} (<= (init (at ?n)) (num ?n))");
    let error = error_of(&sheet, limit(10), &[]);
    assert_eq!(error, Error::TooDeep { limit: 10, rule: culprit.into() });
    assert!(error.is_limit());
    assert_eq!(error.to_string(), format!("terms nest deeper than 10 (limit `term-depth`) in {culprit}"));

    // One level a move, starting from 1.
    let culprit = "(<= (next (s ?x))\n    (true ?x))";
    let sheet = format!("(role x) (init 0) (legal x go) {culprit}");
    assert_eq!(
        error_of(&sheet, limit(3), &["do go", "do go", "do go"]),
        Error::TooDeep { limit: 3, rule: culprit.into() }
    );
    let mut player = Player::new(&sheet, limit(3)).unwrap();
    player.ask("do go").unwrap();
    assert_eq!(player.ask("do go").unwrap(), "(s (s 0))");
}

#[test]
fn an_atom_that_depends_on_its_own_negation_is_an_error_that_names_it() {
    let cases = [
        ("(<= p (not p)) (<= (init a) p)", "p"),
        ("(<= p q) (<= q (not p)) (<= (init a) (not p))", "p q"),
        ("(<= p (not q)) (<= q (not p)) (<= (init a) p) (<= (init a) q)", "p q"),
        ("(n 1) (n 2) (<= (p ?x) (n ?x) (not (p ?x)) (distinct ?x 2)) (<= (init ?x) (p ?x))", "(p 1)"),
        // What is asked does not depend on it, but a part of the program has no meaning.
        ("(<= p (not p)) (<= (init a) p) (init a)", "p"),
    ];
    for (sheet, atoms) in cases {
        let Error::NegationCycle { atom } = error_of(sheet, Limits::default(), &[]) else {
            panic!("{sheet}")
        };
        assert!(atoms.contains(&atom), "{atom}: {sheet}");
    }
    let error = Error::NegationCycle { atom: "(p 1)".into() };
    assert!(!error.is_limit());
    assert_eq!(error.to_string(), "`(p 1)` depends on its own negation");
}

#[test]
fn what_nobody_needs_is_not_looked_at() {
    let unneeded = "(<= p (not p)) (<= (unsafe ?x) (not (q ?x))) (num 0) (<= (num (s ?n)) (num ?n))";
    check_init(&format!("(init a) {unneeded}"), "a");
}

#[test]
fn unsafe_rules_are_errors() {
    let cases = [
        "(<= (init ?x) p)",
        "(init ?x)",
        "(role ?x)",
        "(<= (init a) (not (p ?x)))",
        "(<= (init a) (distinct ?x b))",
        "(<= (init a) (p ?x) (distinct ?x (f ?y)))",
        "(<= (init (f ?x ?y)) (p ?x))",
    ];
    for sheet in cases {
        let reading = read_game(&Source::new("sheet", sheet), &Default::default());
        let error = Game::new(reading.program, Limits::default()).err();
        let Some(Error::Unsafe { rule }) = error else { panic!("{sheet}: {error:?}") };
        assert_eq!(rule.split_whitespace().collect::<Vec<_>>().join(" "), sheet);
    }
}

#[test]
fn too_many_facts_are_an_error_that_names_the_rule() {
    let culprit = "(<= (init (pair ?x ?y))\n    (n ?x)\n    (n ?y))";
    let facts: String = (0..10).map(|n| format!("(n {n}) ")).collect();
    let sheet = format!("(role x) {facts} {culprit}");
    let limit = |facts| Limits { facts, ..Limits::default() };
    let error = error_of(&sheet, limit(110), &[]);
    assert_eq!(error, Error::TooManyFacts { limit: 110, rule: culprit.into() });
    assert!(error.is_limit());
    assert!(Player::new(&sheet, limit(111)).is_ok());
}

/// Only different facts count, and those of earlier states do not.
#[test]
fn facts_are_counted_once() {
    let facts: String = (0..30).map(|n| format!("(n {n}) ")).collect();
    let sheet = format!(
        "(role x) {facts} (init a) (legal x go) (<= (next c) (true a)) (<= (next a) (true c))
         (<= (view ?z) (n ?x) (n ?y) (n ?z) (true ?_f)) (<= (goal x 1) (view ?x) (n ?y) (n ?z))
         (<= (win ?x) (n ?x) (not (lose ?x))) (<= (lose ?x) (n ?x) (not (win ?x)) (true b))
         (<= (goal x 2) (win ?x))"
    );
    let mut player = Player::new(&sheet, Limits { facts: 100, ..Limits::default() }).unwrap();
    for _ in 0..5 {
        assert_eq!(player.ask("goal x").unwrap(), "1 2");
        assert_eq!(player.ask("do go").unwrap(), "c");
        assert_eq!(player.ask("goal x").unwrap(), "1 2");
        assert_eq!(player.ask("do go").unwrap(), "a");
    }
}

#[test]
fn the_deadline_is_an_error_that_names_the_rule() {
    let sheet = "(role x) (init a) (legal x go) (<= (next b) (true a))";
    let over = Limits { budget: Budget::new(Some(Duration::ZERO)), ..Limits::default() };
    let error = error_of(sheet, over.clone(), &[]);
    assert!(matches!(error, Error::Exhausted { reason: Exhausted::Timeout, .. }), "{error}");

    let mut player = Player::new(sheet, Limits::default()).unwrap();
    player.game.set_limits(over);
    let error = player.ask("do go").unwrap_err();
    assert_eq!(
        error,
        Error::Exhausted { reason: Exhausted::Timeout, rule: "(<= (next b)\n    (true a))".into() }
    );
    assert!(error.is_limit());
    player.game.set_limits(Limits::default());
    assert_eq!(player.ask("do go").unwrap(), "b");
}

/// Each of these would take hours, in another loop.
#[test]
fn the_deadline_is_kept_everywhere() {
    let numbers = |count: usize| (0..count).map(|n| format!("(n {n}) ")).collect::<String>();
    let pigeons: Vec<String> = (0..14).map(|pigeon| format!("?p{pigeon}")).collect();
    let all_differ: String = pigeons
        .iter()
        .enumerate()
        .flat_map(|(at, a)| pigeons[..at].iter().map(move |b| format!("(distinct {a} {b}) ")))
        .collect();
    let in_holes: String = pigeons.iter().map(|pigeon| format!("(n {pigeon}) ")).collect();
    let chain: String = (0..100_000).map(|n| format!("(move {} {n}) ", n + 1)).collect();
    let sheets = [
        ("no solution", format!("{} (<= (init a) {in_holes} {all_differ})", numbers(13))),
        ("nothing new", format!("{} (<= (init (f ?a ?d)) (n ?a) (n ?b) (n ?c) (n ?d))", numbers(10_000))),
        ("many rounds", "(n 0) (<= (n (s ?x)) (n ?x)) (<= (init ?x) (n ?x))".to_owned()),
        (
            "many estimates",
            format!("{chain} (<= (win ?x) (move ?x ?y) (not (win ?y))) (<= (init ?x) (win ?x))"),
        ),
    ];
    for (why, sheet) in sheets {
        let program = program(&sheet);
        let start = Instant::now();
        let budget = Budget::new(Some(Duration::from_millis(50)));
        let limits = Limits { facts: usize::MAX, term_depth: usize::MAX, budget, ..Limits::default() };
        let error = Game::new(program, limits).err();
        assert!(
            matches!(error, Some(Error::Exhausted { reason: Exhausted::Timeout, .. })),
            "{why}: {error:?}"
        );
        assert!(start.elapsed() < Duration::from_secs(10), "{why}: {:?}", start.elapsed());
    }
}

#[test]
fn the_number_of_moves_has_to_be_that_of_roles() {
    let mut player = Player::new("(role x) (role y) (legal x go) (legal y go)", Limits::default()).unwrap();
    let go = player.game.legal(&player.state).unwrap()[0][0];
    for moves in [&[][..], &[go], &[go, go, go]] {
        let error = Error::WrongNumberOfMoves { found: moves.len(), roles: 2 };
        assert_eq!(player.game.next(&player.state, moves).unwrap_err(), error);
        assert_eq!(player.game.sees(&player.state, moves).unwrap_err(), error);
        assert!(!error.is_limit());
    }
    assert!(player.game.next(&player.state, &[go, go]).unwrap().is_empty());
}

#[test]
fn questions_about_a_state_cannot_depend_on_moves() {
    let cases = [
        ("(<= (init a) (true b))", Keyword::Init, Keyword::True),
        ("(<= (init a) (does x b))", Keyword::Init, Keyword::Does),
        ("(<= (role x) (true b))", Keyword::Role, Keyword::True),
        ("(<= (legal x a) (does x b))", Keyword::Legal, Keyword::Does),
        ("(<= p (not (does x b))) (<= (goal x 1) p)", Keyword::Goal, Keyword::Does),
        ("(<= terminal (does x ?_m))", Keyword::Terminal, Keyword::Does),
    ];
    for (rules, keyword, on) in cases {
        let sheet = format!("(role x) {rules}");
        assert_eq!(error_of(&sheet, Limits::default(), &[]), Error::DependsOn { keyword, on });
    }
}

// Size

#[test]
fn bodies_may_be_long() {
    let facts: String = (0..10_000).map(|n| format!("(p{n} a) ")).collect();
    let bodies = [
        facts.clone(),
        facts.replace(" a)", " ?x)"),
        (0..10_000).map(|n| format!("(p{n} ?x{n}) ")).collect(),
    ];
    for body in bodies {
        let sheet = format!("{facts} (<= (init ok) {body})");
        check_init(&sheet, "ok");
        check_init(&sheet.replacen("(p7777 a)", "(q b)", 1), "");
    }
}

#[test]
fn chains_may_be_long() {
    let views: String = (0..20_000).map(|n| format!("(<= p{} p{n}) ", n + 1)).collect();
    check_init(&format!("(<= p0) {views} (<= (init a) p20000) (<= (init b) (not p20001))"), "a b");
    let steps: String = (0..20_000).map(|n| format!("(s {n} {}) ", n + 1)).collect();
    check_init(&format!("{steps} (at 0) (<= (at ?y) (at ?x) (s ?x ?y)) (<= (init a) (at 20000))"), "a");
}

// Theories

const THEORY: &str = ":- dynamic owns/2. line(a, b). line(b, c). other(x, o). other(o, x).
     wins(P) :- line(A, B), owns(P, A), owns(P, B). lost(P) :- other(P, Q), wins(Q).";

/// A theory with its dynamic predicates given, and the predicate `lost` wanted.
fn theory(text: &str) -> (Result<Evaluator, Error>, [PredicateId; 2]) {
    let source = Source::new("theory", text);
    let mut program = read(&source, Notation::Prolog, Dialect::Theory, &Default::default()).program;
    let given = vec![program.dynamic.iter().map(|declaration| declaration.predicate).collect()];
    let predicates = [program.predicate("owns", 2), program.predicate("lost", 1)];
    (Evaluator::new(program, given, &predicates[1..], Limits::default()), predicates)
}

fn row(evaluator: &mut Evaluator, names: &[&str]) -> Box<[TermId]> {
    let (symbols, terms) = evaluator.names_and_terms_mut();
    names.iter().map(|name| terms.constant(symbols.intern(name))).collect()
}

#[test]
fn a_theory_is_evaluated_with_its_dynamic_facts() {
    let (evaluator, [owns, lost]) = theory(THEORY);
    let mut evaluator = evaluator.unwrap();
    assert_eq!((evaluator.tier(owns), evaluator.tier(lost)), (1, 1));
    for (facts, expected) in [
        (&[["x", "a"], ["x", "b"], ["o", "c"]][..], &["o"][..]),
        (&[["x", "a"], ["o", "b"]], &[]),
        (&[["o", "b"], ["o", "c"]], &["x"]),
    ] {
        let rows: Vec<_> = facts.iter().map(|fact| (owns, row(&mut evaluator, fact))).collect();
        evaluator.set(0, rows).unwrap();
        let expected: Vec<_> = expected.iter().map(|&role| row(&mut evaluator, &[role])).collect();
        assert!(evaluator.rows(lost).eq(expected.iter().map(|row| &**row)));
    }
}

#[test]
fn what_is_given_cannot_be_defined() {
    let (evaluator, _) = theory(&format!("{THEORY} owns(x, a)."));
    assert_eq!(evaluator.err(), Some(Error::DefinesGiven { rule: "(owns x a)".into() }));
}

#[test]
#[should_panic(expected = "earlier tiers come first")]
fn tiers_are_given_in_their_order() {
    let mut program = program("(role x)");
    let given = ["true", "does"].map(|name| vec![program.predicate(name, 1)]).to_vec();
    let mut evaluator = Evaluator::new(program, given, &[], Limits::default()).unwrap();
    _ = evaluator.set(1, []);
}
