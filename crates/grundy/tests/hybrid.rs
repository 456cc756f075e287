//! A machine with the help of the lifted engine answers as the reference does.

mod support;

use grundy::game::{Game, GameError, MachineConfig};
use grundy::ground::{GroundConfig, Thresholds};
use grundy::lifted::{Lifted, LiftedConfig};
use grundy::machine::{Hybrid, Machine, MachineKind};
use grundy::network::ConnectError;
use grundy::syntax::{Budget, Program};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use support::{assert_agree, assert_same_answers, program, random_game, reference};

/// Views may have next to no instances before they stay lifted.
fn config(open_answers: bool) -> MachineConfig {
    let thresholds = Thresholds { split: 0.0, demand: 2, demand_static: 2, lift: 4, ..Thresholds::default() };
    let ground = GroundConfig { thresholds, ..GroundConfig::default() };
    MachineConfig { ground, open_answers, whole_states: false, ..MachineConfig::default() }
}

/// Compares all machines, each with the lifted engine, with the reference; tells which answers were open.
fn check(sheet: &Program, playouts: u64, steps: usize) -> Result<Vec<&'static str>, GameError> {
    let rules = Game::from_program(sheet.clone()).rules(&config(true))?;
    for kind in [MachineKind::Scratch, MachineKind::Incremental, MachineKind::Batch] {
        let machine =
            Machine::new(rules.clone(), kind, &Budget::default()).expect("the budget has no bounds");
        let lifted = Lifted::new(sheet, &LiftedConfig::default()).expect("the game can be lifted");
        let mut hybrid = Hybrid::new(&machine, lifted).expect("facts are terms");
        // States are whole where the lifted engine looks at them.
        match rules.interface().lifted.any() {
            true => assert_agree(&mut reference(sheet), &mut hybrid, playouts, steps),
            false => assert_same_answers(&mut reference(sheet), &mut hybrid, playouts, steps),
        }
    }
    Ok(rules.interface().lifted.names())
}

/// Roads between places that a robot builds; whether one can go round in a circle is a question with many instances.
const ROADS: &str = "
(role robot) (place a) (place b) (place c) (place d) (place e) (place f) (place g) (place h)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (init (step 0))
(<= (legal robot (build ?x ?y)) (place ?x) (place ?y) (distinct ?x ?y) (not (true (road ?x ?y))))
(<= (next (road ?x ?y)) (does robot (build ?x ?y)))
(<= (next (road ?x ?y)) (true (road ?x ?y)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (way ?x ?y) (true (road ?x ?y)))
(<= (way ?x ?z) (true (road ?x ?y)) (way ?y ?z))
(<= circle (place ?x) (place ?y) (distinct ?x ?y) (way ?x ?y) (way ?y ?x))
ENDS
(<= (goal robot 100) circle) (<= (goal robot 0) (not circle))
";

#[test]
fn open_answers_come_from_the_lifted_engine() {
    let of_clock = "(<= terminal (true (step 7)))";
    let of_roads = "(<= terminal (true (step 7))) (<= terminal circle)
        (<= (sees robot (circle ?x)) (does robot (build ?x a)) circle)";
    for (ends, open) in [(of_clock, &["goal"][..]), (of_roads, &["terminal", "goal", "sees"][..])] {
        let sheet = program("roads.kif", &ROADS.replace("ENDS", ends));
        assert_eq!(check(&sheet, 40, 9), Ok(open.to_vec()));
        let alone = Game::from_program(sheet).machine(&config(false)).map(|_| ());
        assert!(matches!(alone, Err(GameError::Connect(ConnectError::Lifted(_)))), "{alone:?}");
    }
}

#[test]
fn moves_that_depend_on_a_lifted_view_are_refused() {
    let ends = "(<= terminal (true (step 7))) (<= (legal robot rest) circle)";
    let sheet = program("roads.kif", &ROADS.replace("ENDS", ends));
    let refused = check(&sheet, 1, 1);
    assert!(matches!(refused, Err(GameError::Connect(ConnectError::Lifted(_)))), "{refused:?}");
}

/// A view over all facts, for any game: goals depend on it.
const MANY_INSTANCES: &str = "
(<= (linked ?x ?y) (true ?x) (true ?y) (distinct ?x ?y))
(<= (linked ?x ?z) (linked ?x ?y) (linked ?y ?z))
(<= loop (true ?x) (linked ?x ?x))
(<= (goal ?r 33) (role ?r) loop)
";

#[test]
fn random_games_agree() {
    const CASES: u32 = 512;
    let (compared, open) = (Cell::new(0), Cell::new(0));
    let games = prop::collection::vec(any::<u8>(), 0..160);
    let agree = |choices: Vec<u8>| {
        let sheet = program("random.kif", &(random_game(&choices) + MANY_INSTANCES));
        match check(&sheet, 2, 5) {
            Ok(answers) => {
                compared.set(compared.get() + 1);
                open.set(open.get() + u32::from(!answers.is_empty()));
            }
            Err(GameError::Connect(ConnectError::Lifted(_))) => {}
            Err(error) => prop_assert!(false, "{error}"),
        }
        Ok(())
    };
    TestRunner::new(ProptestConfig::with_cases(CASES)).run(&games, agree).unwrap();
    assert!(compared.get() > CASES / 4, "only {} games are compared", compared.get());
    assert!(open.get() > CASES / 64, "only {} games have open answers", open.get());
}
