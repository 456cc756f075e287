//! The lifted engine answers as the reference does.

mod support;

use grundy::ground::JoinOrder;
use grundy::lifted::{Lifted, LiftedConfig, OnDemand};
use grundy::syntax::Budget;
use proptest::prelude::*;
use support::{assert_agree, bundled_games, program, random_game, reference};

#[test]
fn bundled_games_agree() {
    for (name, sheet) in bundled_games() {
        let program = program(&name, &sheet);
        let mut lifted = Lifted::new(&program, &LiftedConfig::default()).expect("the game is lifted");
        assert_agree(&mut reference(&program), &mut lifted, 2, 12);
        for config in others() {
            let mut lifted = Lifted::new(&program, &config).expect("the game is lifted");
            assert_agree(&mut reference(&program), &mut lifted, 2, 12);
        }
    }
}

/// Evaluation on demand wherever it is possible, and joins in the written order.
fn others() -> [LiftedConfig; 2] {
    [
        LiftedConfig { on_demand: OnDemand::WherePossible, ..LiftedConfig::default() },
        LiftedConfig { join_order: JoinOrder::Written, ..LiftedConfig::default() },
    ]
}

/// A rule that is written in the worst order: all pairs of points, then a step that leaves one of a hundred.
const BADLY_WRITTEN: &str = "
(role robot)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
(number 0) (<= (number ?y) (succ ?x ?y))
(<= (init (cell ?x ?y free)) (number ?x) (number ?y)) (init (pawn 0 0))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)))
(<= (legal robot (move ?x ?y ?v ?w))
    (true (cell ?v ?w free)) (true (cell ?x ?y free)) (succ ?x ?v) (succ ?y ?w) (true (pawn ?x ?y)))
(<= (next (pawn ?v ?w)) (does robot (move ?x ?y ?v ?w)))
(<= terminal (true (pawn 9 9)))
(<= (goal robot 100) (true (pawn 9 9)))
";

#[test]
fn branching_figures_save_steps() {
    let program = program("badly.kif", BADLY_WRITTEN);
    let [ordered, written] = [JoinOrder::Branching, JoinOrder::Written].map(|join_order| {
        let config = LiftedConfig { join_order, ..LiftedConfig::default() };
        let mut lifted = Lifted::new(&program, &config).expect("the game is lifted");
        assert_agree(&mut reference(&program), &mut lifted, 2, 12);
        lifted.steps()
    });
    assert!(written > 3 * ordered, "{written} steps as written, {ordered} in the other order");
}

/// A view over four numbers of which only a few rows are ever looked at, while its last conditions find all of them.
const WIDE: &str = "
(role robot)
(init (at 1))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
(succ 9 10) (succ 10 11) (succ 11 12) (succ 12 13) (succ 13 14) (succ 14 15) (succ 15 16)
(<= (number ?x) (succ ?x ?y))
(<= (near ?x ?y) (succ ?x ?y) (true (at ?z)))
(<= (near ?x ?y) (succ ?y ?x) (true (at ?z)))
(<= (open ?a ?b ?c ?d) (near ?a ?b) (number ?c) (number ?d))
(<= (open ?a ?b ?c ?d) (near ?c ?d) (number ?a) (number ?b))
(<= (free ?a ?b ?c ?d ?e) (open ?a ?b ?c ?d) (number ?e))
(<= (legal robot (go ?y)) (true (at ?x)) (succ ?x ?y) (free ?x ?y ?y ?x ?x))
(<= (legal robot stay) (true (at ?x)))
(<= (next (at ?y)) (does robot (go ?y)))
(<= (next (at ?x)) (does robot stay) (true (at ?x)))
(<= terminal (true (at 16)))
(<= (goal robot 100) terminal)
";

#[test]
fn what_few_look_at_is_evaluated_on_demand() {
    let program = program("wide.kif", WIDE);
    // All rows of `free` would need more than a megabyte.
    let config = LiftedConfig { budget: Budget::default().with_bytes(1 << 20), ..LiftedConfig::default() };
    let mut lifted = Lifted::new(&program, &config).expect("the game is lifted");
    assert_agree(&mut reference(&program), &mut lifted, 2, 12);
}

/// Eight players move in turn, and a view says for all of them where they could go.
const IN_TURN: &str = "
(role a) (role b) (role c) (role d) (role e) (role f) (role g) (role h)
(after a b) (after b c) (after c d) (after d e) (after e f) (after f g) (after g h) (after h a)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
(number 0)
(<= (number ?y) (succ ?x ?y))
(<= (init (at ?p 0)) (role ?p))
(init (control a))
(<= (next (control ?q)) (true (control ?p)) (after ?p ?q))
(<= (next (at ?p ?x)) (does ?p (go ?x)))
(<= (next (at ?p ?x)) (true (at ?p ?x)) (does ?p wait))
(<= (open ?p ?y) (true (at ?p ?x)) (number ?y) (distinct ?x ?y) (number ?z) (distinct ?z ?y) (not (true (at ?p ?z))))
(<= (stuck ?p) (role ?p) (not (may_go ?p)))
(<= (may_go ?p) (open ?p ?x))
(<= (legal ?p (go ?x)) (true (control ?p)) (open ?p ?x))
(<= (legal ?p wait) (true (control ?p)) (stuck ?p))
(<= (legal ?p wait) (role ?p) (true (control ?q)) (distinct ?p ?q))
(<= terminal (true (at a 9)) (true (at b 9)))
(<= (goal ?p 50) (role ?p))
";

#[test]
fn what_is_asked_for_one_of_many_is_evaluated_for_one() {
    let program = program("in_turn.kif", IN_TURN);
    let mut lifted = Lifted::new(&program, &LiftedConfig::default()).expect("the game is lifted");
    assert!(lifted.on_demand().is_empty(), "nothing is known before the first state");
    assert_agree(&mut reference(&program), &mut lifted, 4, 20);
    assert_eq!(lifted.on_demand(), ["open", "may_go", "stuck"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn random_games_agree(choices in prop::collection::vec(any::<u8>(), 0..160)) {
        let sheet = random_game(&choices);
        let program = program("random.kif", &sheet);
        let mut lifted = Lifted::new(&program, &LiftedConfig::default()).expect("the game is lifted");
        assert_agree(&mut reference(&program), &mut lifted, 2, 5);
    }

    #[test]
    fn random_games_agree_in_other_ways(choices in prop::collection::vec(any::<u8>(), 0..160)) {
        let sheet = random_game(&choices);
        let program = program("random.kif", &sheet);
        for config in others() {
            let mut lifted = Lifted::new(&program, &config).expect("the game is lifted");
            assert_agree(&mut reference(&program), &mut lifted, 2, 5);
        }
    }
}
