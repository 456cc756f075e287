//! All machines answer as the reference does, whatever passes their networks went through.

mod support;

use grundy::ground::{GroundConfig, ground};
use grundy::machine::batch::BatchMachine;
use grundy::machine::incremental::IncrementalMachine;
use grundy::machine::scratch::ScratchMachine;
use grundy::machine::{CompiledGame, Cursor, Machine, MachineKind, MachineReasoner, PlayoutConfig, Totals};
use grundy::network::{Groups, MoveId, PASSES, RoleId, connect, optimize};
use grundy::syntax::{Budget, Program};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use support::{assert_agree, bundled_games, program, random_game, reference};

/// The rules of a game, without some passes. States are compared, so that no fluent may be left out.
fn rules(program: &Program, without: &[&str]) -> Arc<CompiledGame> {
    let ground = ground(program, &GroundConfig::default()).expect("the game is ground");
    let network = connect(&ground, &Budget::default()).expect("the game has a network");
    let wanted = |name: &str| name != "unread" && !without.contains(&name);
    let optimized = optimize(network, &Groups::default(), wanted, &Budget::default()).expect(UNBOUNDED);
    Arc::new(CompiledGame::new(optimized.network, &Budget::default()).expect(UNBOUNDED))
}

const UNBOUNDED: &str = "the budget has no bounds";

fn incremental_machine(rules: &Arc<CompiledGame>) -> IncrementalMachine {
    IncrementalMachine::new(rules.clone(), &Budget::default()).expect(UNBOUNDED)
}

fn batch_machine(rules: &Arc<CompiledGame>) -> BatchMachine {
    BatchMachine::new(rules.clone(), &Budget::default()).expect(UNBOUNDED)
}

fn machine(rules: &Arc<CompiledGame>, kind: MachineKind) -> Machine {
    Machine::new(rules.clone(), kind, &Budget::default()).expect(UNBOUNDED)
}

fn scratch(rules: &Arc<CompiledGame>) -> MachineReasoner<impl Cursor> {
    MachineReasoner::new(Arc::new(ScratchMachine::new(rules.clone())).cursor())
}

fn incremental(rules: &Arc<CompiledGame>) -> MachineReasoner<impl Cursor> {
    MachineReasoner::new(Arc::new(incremental_machine(rules)).cursor())
}

fn batch(rules: &Arc<CompiledGame>) -> MachineReasoner<impl Cursor> {
    MachineReasoner::new(Arc::new(batch_machine(rules)).cursor())
}

fn armed(rules: &Arc<CompiledGame>) -> MachineReasoner<impl Cursor> {
    MachineReasoner::new(Arc::new(IncrementalMachine::with_triggers(rules.clone())).cursor())
}

fn in_place(rules: &Arc<CompiledGame>) -> MachineReasoner<impl Cursor> {
    MachineReasoner::new(Arc::new(BatchMachine::in_place(rules.clone())).cursor())
}

fn check_all(program: &Program, without: &[&str], playouts: u64, steps: usize) {
    let rules = rules(program, without);
    let mut reference = reference(program);
    assert_agree(&mut reference, &mut scratch(&rules), playouts, steps);
    assert_agree(&mut reference, &mut incremental(&rules), playouts, steps);
    assert_agree(&mut reference, &mut armed(&rules), playouts, steps);
    assert_agree(&mut reference, &mut batch(&rules), playouts, steps);
    assert_agree(&mut reference, &mut in_place(&rules), playouts, steps);
}

#[test]
fn bundled_games_agree() {
    for (name, sheet) in bundled_games() {
        let steps = if name == "chess" { 4 } else { 12 };
        check_all(&program(&name, &sheet), &[], 2, steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn random_games_agree(choices in prop::collection::vec(any::<u8>(), 0..160), left_out in 0..=PASSES.len()) {
        let program = program("random.kif", &random_game(&choices));
        let without: Vec<&str> = PASSES.get(left_out).map(|pass| pass.name).into_iter().collect();
        check_all(&program, &without, 2, 5);
    }
}

const KINDS: [MachineKind; 3] = [MachineKind::Scratch, MachineKind::Incremental, MachineKind::Batch];

/// One choice among some moves, and a witness for each move, who gets 100 points if it was chosen. Two more moves
/// are never legal, and half of the games have a quiet move before.
fn choice_of(moves: usize) -> String {
    let mut sheet = "(role chooser) (init start) (<= terminal (true (chose ?m)))\n".to_owned();
    for number in 0..moves + 2 {
        let condition = if number < moves { "(true start)" } else { "(true start) (true (chose 0))" };
        sheet += &format!(
            "(role w{number}) (<= (legal chooser (m {number})) {condition}) (legal w{number} noop)
             (<= (next (chose {number})) (does chooser (m {number})))
             (<= (goal w{number} 100) (true (chose {number})))
             (<= (goal w{number} 0) (not (true (chose {number}))))\n"
        );
    }
    sheet + "(goal chooser 0)\n"
}

#[test]
fn choices_are_uniform() {
    for moves in [1, 3, 8, 13] {
        let rules = rules(&program("choice.kif", &choice_of(moves)), &[]);
        for kind in KINDS {
            let playouts = 20_000;
            let totals = machine(&rules, kind).playouts(playouts, 7);
            assert_eq!((totals.playouts, totals.states), (playouts, playouts));
            let counts: Vec<f64> =
                totals.goals.as_slice()[1..].iter().map(|goal| goal.sum as f64 / 100.0).collect();
            assert_eq!(counts[moves..], [0.0, 0.0]);
            let expected = playouts as f64 / moves as f64;
            let chi_squared: f64 =
                counts[..moves].iter().map(|count| (count - expected).powi(2) / expected).sum();
            // Mean `moves - 1`, standard deviation √(2 (moves - 1)): five of them are beyond chance.
            let freedom = moves as f64 - 1.0;
            assert!(
                chi_squared <= freedom + 5.0 * (2.0 * freedom).sqrt(),
                "{kind:?}, {moves}: {chi_squared}"
            );
        }
    }
}

/// The games of a machine, however they are played, have the same lengths and goals on average.
#[test]
fn machines_play_the_same_games_on_average() {
    let games = ["tic-tac-toe", "connect-four", "breakthrough", "hex", "nim", "dice-race"];
    for (name, sheet) in bundled_games().into_iter().filter(|(name, _)| games.contains(&name.as_str())) {
        let rules = rules(&program(&name, &sheet), &[]);
        let [few, all] = [MachineKind::Incremental, MachineKind::Batch]
            .map(|kind| machine(&rules, kind).playouts(3000, 11));
        let mean_length = |totals: &Totals| totals.states as f64 / totals.playouts as f64;
        let (a, b) = (mean_length(&few), mean_length(&all));
        assert!((a - b).abs() < 0.05 * a + 0.2, "{name}: {a} and {b} moves a game");
        for (a, b) in few.goals.iter().zip(&all.goals) {
            let difference = a.mean().unwrap_or_default() - b.mean().unwrap_or_default();
            assert!(difference.abs() < 7.0, "{name}: goals {a:?} and {b:?}");
        }
    }
}

#[test]
fn next_values_in_place_are_the_same() {
    let games = ["tic-tac-toe", "connect-four", "breakthrough", "hex", "eight-puzzle", "dice-race"];
    for (name, sheet) in bundled_games().into_iter().filter(|(name, _)| games.contains(&name.as_str())) {
        let rules = rules(&program(&name, &sheet), &[]);
        let [copied, in_place] = [batch_machine(&rules), BatchMachine::in_place(rules.clone())]
            .map(|machine| Machine::Batch(Arc::new(machine)).playouts(1500, 3));
        assert_eq!(copied, in_place, "{name}");
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let (name, sheet) = bundled_games().into_iter().find(|(name, _)| name == "connect-four").unwrap();
    let rules = rules(&program(&name, &sheet), &[]);
    for kind in KINDS {
        let machine = machine(&rules, kind);
        let play = |threads, seed| {
            let config = PlayoutConfig { threads, seed, ..PlayoutConfig::default() };
            machine.playouts_until(1700, &config, &AtomicBool::new(false))
        };
        assert_eq!(play(1, 5), play(3, 5), "{kind:?}");
        assert_ne!(play(1, 5), play(1, 6), "{kind:?}");
        assert_eq!(play(1, 5).playouts, 1700);
    }
}

#[test]
fn playouts_begin_where_they_are_told() {
    let (name, sheet) = bundled_games().into_iter().find(|(name, _)| name == "tic-tac-toe").unwrap();
    let rules = rules(&program(&name, &sheet), &[]);
    for kind in KINDS {
        let machine = machine(&rules, kind);
        // A position in the middle of a game, the initial one, and one that is the end.
        let mut position = machine.initial();
        let mut states = vec![position.state()];
        while !position.is_terminal() {
            let joint: Vec<_> = position.roles().map(|role| position.legal(role)[0]).collect();
            position.play(&joint).expect("the moves are legal");
            states.push(position.state());
        }
        let steps = states.len() as u64 - 1;
        let totals = machine.playouts_from(&states, 700, &PlayoutConfig::default());
        assert!(totals.iter().all(|totals| totals.playouts == 700 && totals.goals[RoleId(0)].count == 700));
        assert!(totals.windows(2).all(|pair| pair[0].states > pair[1].states), "{kind:?}: games get shorter");
        assert_eq!(totals[steps as usize].states, 0, "{kind:?}");
        let end: Vec<Option<f64>> = position.goals().iter().map(|goal| goal.map(f64::from)).collect();
        let played: Vec<Option<f64>> = totals[steps as usize].goals.iter().map(|goal| goal.mean()).collect();
        assert_eq!(played, end);
    }
}

#[test]
fn games_without_an_end_are_given_up_and_stuck_ones_told() {
    let endless =
        "(role a) (init (on)) (<= (next on) (does a go)) (<= (legal a go) (true on)) (<= terminal (true off))
        (<= (next off) (true off)) (goal a 0)";
    let stuck = "(role a) (init (n 0)) (<= (legal a go) (true (n 0))) (<= (next (n 1)) (does a go))
        (<= terminal (true (n 2))) (<= (next (n 2)) (true (n 2))) (goal a 0)";
    for kind in KINDS {
        let config = PlayoutConfig { max_steps: 20, ..PlayoutConfig::default() };
        let play = |sheet: &str| {
            let machine = machine(&rules(&program("test.kif", sheet), &[]), kind);
            let totals = machine.playouts_until(600, &config, &AtomicBool::new(false));
            (totals.playouts, totals.states, totals.stuck, totals.unfinished, totals.goals[RoleId(0)].count)
        };
        assert_eq!(play(endless), (600, 600 * 20, 0, 600, 0), "{kind:?}");
        assert_eq!(play(stuck), (600, 600, 600, 0, 0), "{kind:?}");
    }
}

/// Plays forward and back at random, and compares with a player that was never taken back.
#[test]
fn steps_can_be_taken_back() {
    for (name, sheet) in bundled_games().into_iter().filter(|(name, _)| name != "chess") {
        let rules = rules(&program(&name, &sheet), &[]);
        check_steps_back(&name, incremental_machine(&rules));
        check_steps_back(&name, IncrementalMachine::with_triggers(rules));
    }
}

fn check_steps_back(name: &str, machine: IncrementalMachine) {
    let machine = Arc::new(machine);
    let rules = machine.game().clone();
    let scratch = Arc::new(ScratchMachine::new(rules.clone()));
    let (mut player, mut judge) = (machine.cursor(), scratch.cursor());
    player.keep_trail(true);
    let mut rng = fastrand::Rng::with_seed(3);
    let mut path = vec![rules.initial().clone()];
    for _ in 0..60 {
        judge.look_at(&path[path.len() - 1]);
        assert_same(&mut player, &mut judge, name);
        let joint: Option<Vec<MoveId>> =
            rules.interface().role_ids().map(|role| judge.pick(role, &mut rng)).collect();
        match joint.filter(|_| !judge.is_terminal() && rng.u32(..3) > 0) {
            Some(joint) => {
                player.play(&joint);
                judge.play(&joint);
                let mut state = path[0].clone();
                judge.state_into(&mut state);
                path.push(state);
            }
            None => {
                assert_eq!(player.undo(), path.len() > 1, "{name}");
                path.truncate((path.len() - 1).max(1));
            }
        }
    }
}

fn assert_same(a: &mut impl Cursor, b: &mut impl Cursor, name: &str) {
    let mut states = [a.game().initial().clone(), b.game().initial().clone()];
    a.state_into(&mut states[0]);
    b.state_into(&mut states[1]);
    assert_eq!(states[0], states[1], "{name}");
    assert_eq!(a.is_terminal(), b.is_terminal(), "{name}");
    for number in 0..a.game().interface().moves.len() as u32 {
        assert_eq!(a.is_legal(MoveId(number)), b.is_legal(MoveId(number)), "{name}, move {number}");
    }
    for role in a.game().interface().role_ids() {
        assert_eq!(a.goal(role), b.goal(role), "{name}");
    }
}

/// An atom that depends on its own negation is an error, not a hang.
#[test]
fn negation_cycles_are_told() {
    let sheet = "(role a) (init (n 1)) (legal a go) (<= (p ?x) (true (n ?x)) (not (q ?x))) (<= (q ?x) (true (n ?x)) (not (p ?x)))
        (<= terminal (p 1)) (goal a 0) (<= (next (n 1)) (true (n 1)))";
    let reading =
        grundy::syntax::read_game(&grundy::syntax::Source::new("cycle.kif", sheet), &Default::default());
    let error = grundy::game::Game::from_program(reading.program).rules(&Default::default()).unwrap_err();
    assert!(matches!(error, grundy::game::GameError::Connect(_)), "{error}");
    // One goal value by the absence of another is no cycle.
    let sheet = "(role a) (init (n 1)) (legal a go) (<= (goal a 100) (true (n 2))) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))
        (<= terminal (true (n 1))) (<= (next (n 2)) (true (n 1)))";
    let reading =
        grundy::syntax::read_game(&grundy::syntax::Source::new("goals.kif", sheet), &Default::default());
    let machine = grundy::game::Game::from_program(reading.program).machine(&Default::default()).unwrap();
    assert_eq!(machine.initial().goals(), [Some(0)]);
}
