//! The lifted engine answers as the reference does.

mod support;

use grundy::lifted::{Lifted, LiftedConfig};
use proptest::prelude::*;
use support::{assert_agree, bundled_games, program, random_game, reference};

#[test]
fn bundled_games_agree() {
    for (name, sheet) in bundled_games() {
        let program = program(&name, &sheet);
        let mut lifted = Lifted::new(&program, &LiftedConfig::default()).expect("the game is lifted");
        assert_agree(&mut reference(&program), &mut lifted, 2, 12);
    }
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
    let config = LiftedConfig { max_bytes: 1 << 20, ..LiftedConfig::default() };
    let mut lifted = Lifted::new(&program, &config).expect("the game is lifted");
    assert_agree(&mut reference(&program), &mut lifted, 2, 12);
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
}
