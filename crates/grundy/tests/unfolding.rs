//! Unfolded rules say now what holds after a move: compared with making the move, in the reference.

#[path = "../../grundy-bench/src/metarules/positions.rs"]
#[allow(dead_code, unreachable_pub, reason = "only a part of it is needed here")]
mod positions;
#[path = "support/theory.rs"]
#[allow(dead_code, reason = "only a part of it is needed here")]
mod theory;

use grundy::metarules::{Domain, DomainLimits, SearchConfig, find_metarules, replace_fact, tries};
use grundy::syntax::{Dialect, Literal, Notation, PredicateId, Program, Term};
use grundy::unfold::ParsedGoal;
use grundy::unfold::{Kinds, UnfoldConfig, Unfolding, count_unfolded, unfold};
use grundy::winning::extend;
use positions::Board;
use proptest::prelude::*;
use std::collections::BTreeSet;
use theory::{TheoryJudge, bundled, theory};

/// Unfolds a goal; also gives the predicate of the rules and the theory with the rules added.
fn unfolded(program: &Program, goal: &str, config: &UnfoldConfig) -> (Unfolding, PredicateId, Program) {
    let goal = ParsedGoal::read(goal, Notation::Prolog, Dialect::Theory).unwrap();
    let mut domain = goal.domain(program, &DomainLimits::default()).unwrap();
    let target = goal.target(&mut domain, config.moves).unwrap();
    let search = SearchConfig { size: 2, ..SearchConfig::default() };
    let metarules = find_metarules(&mut domain, &[], &search).unwrap();
    let unfolding = unfold(&mut domain, &target, Some(&metarules), &[], config).unwrap();
    let extended = extend(&mut domain, &[&unfolding]);
    (unfolding, target.head, extended)
}

/// Compares the rules for a goal after one move with making all legal moves.
struct Comparison {
    now: TheoryJudge,
    then: TheoryJudge,
    head: PredicateId,
    goal: PredicateId,
    legal: PredicateId,
}

impl Comparison {
    fn new(program: &Program, goal: &str, config: &UnfoldConfig) -> Comparison {
        let (_, head, extended) = unfolded(program, goal, config);
        let find =
            |name: &str, arity: usize| program.find_predicate(name, arity).expect("the predicate is there");
        let (name, args) = goal.split_once('(').unwrap_or((goal, ""));
        let arity = if args.is_empty() { 0 } else { args.matches(',').count() + 1 };
        let (goal, legal) = (find(name, arity), find("legal", 1));
        let now = TheoryJudge::new(&extended, &[head, legal, find("next", 1)]);
        let then = TheoryJudge::new(program, &[goal]);
        Comparison { now, then, head, goal, legal }
    }

    /// Compares in a state; returns how often the goal is reached.
    fn check(&mut self, facts: &[String]) -> usize {
        self.now.look_at(facts);
        let found = self.now.rows(self.head);
        let mut expected: BTreeSet<Vec<String>> = BTreeSet::new();
        for its_move in self.now.rows(self.legal).into_iter().flatten() {
            self.now.make(&its_move);
            let next = self.now.next();
            self.then.look_at(&next);
            for mut row in self.then.rows(self.goal) {
                row.push(its_move.clone());
                expected.insert(row);
            }
        }
        assert_eq!(found, expected, "in {facts:?}");
        expected.len()
    }
}

/// Theories with a static relation, two kinds of facts, moves, and a goal of random conditions.
fn theories() -> impl Strategy<Value = (String, Vec<Vec<String>>)> {
    let edges = proptest::collection::vec((0..4u8, 0..4u8), 3..8);
    let conditions = proptest::sample::subsequence(
        vec!["e(X, Y)", "g(X, Y)", "\\+ d(Y)", "X \\== Y", "\\+ g(Y, X)", "v(Y)", "\\+ w(Y)", "e(Y, X)"],
        1..5,
    );
    let views = proptest::sample::subsequence(
        vec![
            "v(X) :- d(X), e(X, _Y).",
            "v(X) :- g(X, Y), \\+ d(Y).",
            "v(X) :- g(X, X).",
            "w(X) :- d(X), e(X, Y), d(Y).",
            "w(Y) :- g(_X, Y).",
        ],
        1..5,
    );
    let effects = proptest::sample::subsequence(
        vec![
            "next(d(Y)) :- does(go(X)), e(X, Y).",
            "next(d(X)) :- d(X), \\+ does(drop(X)).",
            "next(d(X)) :- d(X), \\+ hit(X).",
            "next(g(X, Y)) :- g(X, Y), \\+ hit(X).",
            "next(g(X, Y)) :- does(join(X, Y)).",
            "next(g(X, Y)) :- does(go(X)), g(Y, X), \\+ d(Y).",
        ],
        2..6,
    );
    let state = || {
        let d = proptest::collection::vec(0..4u8, 0..4);
        let g = proptest::collection::vec((0..4u8, 0..4u8), 0..5);
        (d, g).prop_map(|(d, g)| {
            let d = d.iter().map(|x| format!("d(c{x})"));
            let mut facts: Vec<String> = d.chain(g.iter().map(|(x, y)| format!("g(c{x}, c{y})"))).collect();
            facts.sort_unstable();
            facts.dedup();
            facts
        })
    };
    let states = proptest::collection::vec(state(), 6);
    (edges, conditions, views, effects, states).prop_map(|(edges, conditions, views, effects, states)| {
        let mut text = String::from(":- dynamic d/1.\n:- dynamic g/2.\n:- dynamic does/1.\n");
        let mut facts: Vec<String> = edges.iter().map(|(x, y)| format!("e(c{x}, c{y}).\n")).collect();
        facts.sort_unstable();
        facts.dedup();
        text += &facts.concat();
        text += &(views.join("\n") + "\n");
        for name in ["v", "w"] {
            if !views.iter().any(|view| view.starts_with(name)) {
                text += &format!("{name}(X) :- g(X, c0).\n");
            }
        }
        text += "legal(go(X)) :- d(X), e(X, _Y).\nlegal(drop(X)) :- d(X).\nlegal(join(X, Y)) :- e(X, Y), \\+ g(X, Y).\n";
        text += "hit(Y) :- does(go(X)), e(X, Y).\nhit(X) :- does(join(X, _Y)).\n";
        text += &(effects.join("\n") + "\n");
        for (fluent, rule) in [("next(d", "next(d(X)) :- d(X).\n"), ("next(g", "next(g(X, Y)) :- g(X, Y).\n")] {
            if !effects.iter().any(|effect| effect.starts_with(fluent)) {
                text += rule;
            }
        }
        text += &format!("goal(X, Y) :- d(X), g(X, Y), {}.\n", conditions.join(", "));
        text += &format!("goal(X, Y) :- e(X, Y), d(Y), {}.\n", conditions.join(", "));
        (text, states)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn random_theories_after_a_move((text, states) in theories()) {
        let program = theory(&text);
        let mut comparison = Comparison::new(&program, "goal(X, Y)", &UnfoldConfig::default());
        states.iter().for_each(|facts| _ = comparison.check(facts));
        let kept_views = UnfoldConfig { unfold_views: false, ..UnfoldConfig::default() };
        let mut comparison = Comparison::new(&program, "goal(X, Y)", &kept_views);
        states.iter().for_each(|facts| _ = comparison.check(facts));
    }

    #[test]
    fn rules_with_and_without_useless_conditions_agree((text, states) in theories()) {
        let program = theory(&text);
        let kinds = Kinds { useless: false, ordering: false, ..Kinds::default() };
        let plain = unfolded(&program, "goal(X, Y)", &UnfoldConfig { kinds, ..UnfoldConfig::default() });
        let simplified = unfolded(&program, "goal(X, Y)", &UnfoldConfig::default());
        let mut judges = [plain, simplified].map(|(_, head, extended)| (TheoryJudge::new(&extended, &[head]), head));
        for facts in &states {
            let [a, b] = &mut judges;
            a.0.look_at(facts);
            b.0.look_at(facts);
            prop_assert_eq!(a.0.rows(a.1), b.0.rows(b.1));
        }
    }
}

fn random_boards(size: usize, count: u64) -> Vec<Board> {
    let board = |seed: u64| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let moves = rng.usize(..size * size * 2);
        Board::random(size, moves, &mut |most| rng.usize(..most))
    };
    (0..count).map(board).collect()
}

fn small_go(size: usize) -> Program {
    let mut program = bundled("go.pl");
    replace_fact(&mut program, Notation::Prolog, &format!("size({size})")).unwrap();
    program
}

#[test]
fn the_theory_of_go_plays_go() {
    let program = small_go(4);
    let [legal, next] =
        [("legal", 1), ("next", 1)].map(|(name, arity)| program.find_predicate(name, arity).unwrap());
    let mut judge = TheoryJudge::new(&program, &[legal, next]);
    for board in random_boards(4, 12) {
        judge.look_at(&board.facts());
        let moves = judge.rows(legal);
        for point in board.points() {
            for colour in [positions::Colour::Black, positions::Colour::White] {
                let text = format!("play({}, p({}, {}))", colour.name(), point.0, point.1);
                let after = board.play(colour, point);
                assert_eq!(moves.contains(&vec![text.clone()]), after.is_some(), "{text} in {board:?}");
                if let Some(after) = after {
                    judge.make(&text);
                    let mut next = judge.next();
                    next.sort_unstable();
                    assert_eq!(next, after.facts(), "{text} in {board:?}");
                }
            }
        }
    }
}

#[test]
fn rules_about_taking_stones_are_exact() {
    let mut comparison = Comparison::new(&small_go(5), "taking(C, S)", &UnfoldConfig::default());
    let reached: usize = random_boards(5, 25).iter().map(|board| comparison.check(&board.facts())).sum();
    assert!(reached > 0, "some moves take stones");
}

#[test]
fn abalone_and_gomoku_are_exact() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut comparison = Comparison::new(&bundled("abalone.pl"), "falls(Y, C)", &UnfoldConfig::default());
    let cells: Vec<String> = ('a'..='i')
        .zip([(1, 5), (1, 6), (1, 7), (1, 8), (1, 9), (2, 9), (3, 9), (4, 9), (5, 9)])
        .flat_map(|(row, (first, last))| (first..=last).map(move |n| format!("at({row}, {n})")))
        .collect();
    for _ in 0..6 {
        let marble = |cell: &String, rng: &mut fastrand::Rng| match rng.u8(..3) {
            0 => Some(format!("marble({cell}, black)")),
            1 => Some(format!("marble({cell}, white)")),
            _ => None,
        };
        let facts: Vec<String> = cells.iter().filter_map(|cell| marble(cell, &mut rng)).collect();
        comparison.check(&facts);
    }
    let mut gomoku = bundled("gomoku.pl");
    replace_fact(&mut gomoku, Notation::Prolog, "size(6)").unwrap();
    let mut comparison = Comparison::new(&gomoku, "five(C)", &UnfoldConfig::default());
    let mut reached = 0;
    for _ in 0..10 {
        let stone = |place: usize, rng: &mut fastrand::Rng| {
            let colour = ["black", "black", "white", "none"][rng.usize(..4)];
            (colour != "none").then(|| format!("stone(p({}, {}), {colour})", place / 6 + 1, place % 6 + 1))
        };
        let facts: Vec<String> = (0..36).filter_map(|place| stone(place, &mut rng)).collect();
        reached += comparison.check(&facts);
    }
    assert!(reached > 0);
}

#[test]
fn the_path_of_length_four_is_matched_as_published() {
    let goal = ParsedGoal::read("path(X, D, 4)", Notation::Prolog, Dialect::Theory).unwrap();
    let mut domain = goal.domain(&bundled("grid.pl"), &DomainLimits::default()).unwrap();
    let target = goal.target(&mut domain, 0).unwrap();
    let mut counts = |useless: bool| -> Vec<u64> {
        let kinds = Kinds { useless, ordering: false, ..Kinds::default() };
        let config = UnfoldConfig { moves: 0, kinds, ..UnfoldConfig::default() };
        // Without metarules from before: what is useless is found on the way.
        let rule = unfold(&mut domain, &target, None, &[], &config).unwrap().rules.remove(0);
        let Term::Variable(start) = domain.program().terms.get(rule.head.args[0]) else {
            panic!("a variable")
        };
        let centre = domain.ground_term("(p 5 5)");
        let memory = domain.topology().clone();
        let literals: Vec<&Literal> = rule.body.iter().collect();
        tries(&domain, &memory, &literals, &[(start, centre)], u64::MAX).counts
    };
    assert_eq!(counts(false), [4, 4, 16, 12, 12, 48, 48, 36, 36, 144]);
    assert_eq!(counts(true), [4, 16, 12, 48, 36, 144]);
}

#[test]
fn going_round_in_three_steps_is_never_unfolded() {
    let program = bundled("grid.pl");
    let config = UnfoldConfig { moves: 0, ..UnfoldConfig::default() };
    assert_eq!(unfolded(&program, "walk(X, X, 3)", &config).0.rules.len(), 0);
    assert_eq!(unfolded(&program, "walk(X, X, 4)", &config).0.rules.len(), 1);
    assert_eq!(unfolded(&program, "walk(X, Y, 3)", &config).0.rules.len(), 1);
}

#[test]
fn the_count_without_metarules_is_that_of_plain_products() {
    let text = ":- dynamic d/1.\n:- dynamic does/1.\ne(a, b).\nlegal(go(X)) :- e(X, _Y).\n
        next(d(X)) :- does(go(X)).\nnext(d(X)) :- d(X).\nnext(d(Y)) :- d(X), e(X, Y).\n
        goal :- d(X), d(Y), e(X, Y), v(X).\nv(X) :- d(X).\nv(X) :- d(X), d(Y), e(X, Y).\n";
    let program = theory(text);
    let goal = ParsedGoal::read("goal", Notation::Prolog, Dialect::Theory).unwrap();
    let mut domain = goal.domain(&program, &DomainLimits::default()).unwrap();
    let target = goal.target(&mut domain, 1).unwrap();
    // Three ways for each of d(X) and d(Y), and 3 + 3·3 for v(X).
    assert_eq!(count_unfolded(&mut domain, &target, &UnfoldConfig::default()), Ok(3 * 3 * (3 + 9)));
}

#[test]
fn limits_are_errors() {
    let goal = ParsedGoal::read("taking(C, S)", Notation::Prolog, Dialect::Theory).unwrap();
    let mut domain: Domain = goal.domain(&bundled("go.pl"), &DomainLimits::default()).unwrap();
    let target = goal.target(&mut domain, 1).unwrap();
    for config in [
        UnfoldConfig { max_steps: 10, ..UnfoldConfig::default() },
        UnfoldConfig { max_rules: 1, ..UnfoldConfig::default() },
    ] {
        let error = unfold(&mut domain, &target, None, &[], &config).expect_err("an error");
        assert!(error.is_limit(), "{error}");
    }
    let short = UnfoldConfig { max_conditions: 8, ..UnfoldConfig::default() };
    assert!(!unfold(&mut domain, &target, None, &[], &short).unwrap().complete);
}

/// The rules about taking stones, each with a head of its own.
fn rules_apart(size: usize) -> (Program, Vec<PredicateId>) {
    let program = small_go(size);
    let (unfolding, head, mut extended) = unfolded(&program, "taking(C, S)", &UnfoldConfig::default());
    let mut heads = Vec::new();
    for number in 0..extended.rules.len() {
        if extended.rules[number].head.predicate == head {
            let own = extended.predicate(&format!("fired_{}", heads.len()), extended.info(head).arity);
            extended.rules[number].head.predicate = own;
            heads.push(own);
        }
    }
    assert_eq!(heads.len(), unfolding.rules.len());
    (extended, heads)
}

const FIRING_SIZE: usize = 6;

fn from_text(lines: &[&str]) -> Board {
    Board::painted(FIRING_SIZE, |(x, y)| match lines[y - 1].as_bytes()[x - 1] {
        b'x' => Some(positions::Colour::Black),
        b'o' => Some(positions::Colour::White),
        _ => None,
    })
}

fn to_text(board: &Board) -> String {
    let stone = |point| match board.at(point) {
        Some(positions::Colour::Black) => 'x',
        Some(positions::Colour::White) => 'o',
        None => '.',
    };
    let row = |y: usize| (1..=FIRING_SIZE).map(|x| stone((x, y))).collect::<String>() + "\n";
    (1..=FIRING_SIZE).map(row).collect::<String>() + "\n"
}

/// Every rule that is kept can fire: there is a position for each.
///
/// With `GRUNDY_SEARCH=N`, N random boards are looked at for rules that fire in none of the known ones, and
/// boards that are found are printed.
#[test]
fn every_rule_about_taking_stones_fires_somewhere() {
    let (program, heads) = rules_apart(FIRING_SIZE);
    let mut judge = TheoryJudge::new(&program, &heads);
    let mut silent: Vec<PredicateId> = heads.clone();
    let mut fires = |board: &Board, silent: &mut Vec<PredicateId>| {
        judge.look_at(&board.facts());
        let before = silent.len();
        silent.retain(|&head| judge.rows(head).is_empty());
        silent.len() < before
    };
    let lines: Vec<&str> = FIRING.lines().filter(|line| !line.is_empty()).collect();
    lines.chunks(FIRING_SIZE).for_each(|lines| _ = fires(&from_text(lines), &mut silent));
    let search: u64 = std::env::var("GRUNDY_SEARCH").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut found = String::new();
    for seed in 0..search {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (stones, black) = (rng.u8(40..95), rng.u8(25..75));
        let mut stone = |_| match (rng.u8(..100) < stones, rng.u8(..100) < black) {
            (false, _) => None,
            (true, true) => Some(positions::Colour::Black),
            (true, false) => Some(positions::Colour::White),
        };
        let board = Board::painted(FIRING_SIZE, &mut stone);
        if fires(&board, &mut silent) {
            found += &to_text(&board);
        }
    }
    let printer = grundy::syntax::Printer::new(&program, Notation::Prolog);
    let rules: Vec<String> = program
        .rules
        .iter()
        .filter(|rule| silent.contains(&rule.head.predicate))
        .map(|rule| printer.rule(rule))
        .collect();
    assert!(silent.is_empty(), "{found}\n{} rules fire nowhere:\n{}", silent.len(), rules.join("\n"));
}

/// Boards, row by row: black is `x`, white is `o`.
const FIRING: &str = include_str!("data/taking.txt");
