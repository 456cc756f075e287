//! Networks, machines, invariants and playouts keep the budget of the call: when it is used up, they end with the reason and
//! without a result; when it is not, it changes nothing.

mod support;

use grundy::game::{Game, GameError, MachineConfig};
use grundy::ground::{GroundConfig, GroundProgram, ground};
use grundy::invariants::{InvariantConfig, Invariants, invariants_of};
use grundy::machine::{CompiledGame, Machine, MachineKind, PlayoutConfig};
use grundy::network::{ConnectError, Groups, RoleId, connect, optimize};
use grundy::syntax::{Budget, Exhausted, Program};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use support::{bundled_games, program};

const KINDS: [MachineKind; 3] = [MachineKind::Scratch, MachineKind::Incremental, MachineKind::Batch];

/// Budgets that are used up, each with the reason.
fn used_up() -> [(Budget, Exhausted); 3] {
    let interrupted = Budget::default();
    interrupted.interrupt();
    [
        (Budget::new(Some(Duration::ZERO)), Exhausted::Timeout),
        (interrupted, Exhausted::Interrupt),
        (Budget::default().within(100, || 101), Exhausted::Memory),
    ]
}

/// A budget that is never used up, though it has all limits.
fn generous() -> Budget {
    Budget::new(Some(Duration::from_secs(36_000))).within(usize::MAX / 2, || 1)
}

fn game(name: &str) -> Program {
    let (_, sheet) =
        bundled_games().into_iter().find(|(game, _)| game == name).expect("there is such a game");
    program(name, &sheet)
}

fn ground_game(name: &str) -> GroundProgram {
    ground(&game(name), &GroundConfig::default()).expect("the game is ground")
}

fn config(budget: &Budget, invariants: Option<InvariantConfig>) -> MachineConfig {
    let ground = GroundConfig { budget: budget.clone(), ..GroundConfig::default() };
    MachineConfig { ground, invariants, ..MachineConfig::default() }
}

fn quick() -> InvariantConfig {
    InvariantConfig { effort: 100_000_000, samples: 256, ..InvariantConfig::default() }
}

#[test]
fn every_stage_ends_with_the_reason() {
    let ground = ground_game("breakthrough");
    let unbounded = Budget::default();
    let network = connect(&ground, &unbounded).expect("the game has a network");
    let rules = Arc::new(CompiledGame::new(network.clone(), &unbounded).expect("the budget has no bounds"));
    for (budget, reason) in used_up() {
        assert_eq!(connect(&ground, &budget).err(), Some(ConnectError::Exhausted(reason)));
        let optimized = optimize(network.clone(), &Groups::default(), |_| true, &budget);
        assert_eq!(optimized.err(), Some(reason));
        assert_eq!(CompiledGame::new(network.clone(), &budget).err(), Some(reason));
        for kind in KINDS {
            assert_eq!(Machine::new(rules.clone(), kind, &budget).err(), Some(reason), "{kind:?}");
        }
        let mut pruned = ground_game("breakthrough");
        let error = grundy::invariants::prune(&mut pruned, &Invariants::default(), |_| true, &budget).err();
        assert_eq!(error, Some(reason));
        assert_eq!(pruned.literal_count(), ground.literal_count(), "what is pruned in part is not used");
    }
}

#[test]
fn a_deadline_in_the_middle_ends_in_the_reason() {
    // Where it strikes depends on the machine; that there is a result or the reason does not.
    let game = Game::from_program(game("checkers"));
    let start = Instant::now();
    let whole = game.machine(&config(&Budget::default(), None)).expect("the game has a machine");
    let whole_time = start.elapsed();
    for part in 1..8 {
        let time = whole_time * part / 8;
        let start = Instant::now();
        match game.machine(&config(&Budget::new(Some(time)), None)) {
            Ok(machine) => assert_eq!(machine.game().network(), whole.game().network()),
            Err(GameError::Exhausted(reason)) => assert_eq!(reason, Exhausted::Timeout),
            Err(error) => assert!(matches!(error, GameError::Ground(_)), "{error}"),
        }
        assert!(start.elapsed() < whole_time * 4 + Duration::from_secs(2));
    }
}

#[test]
fn a_generous_budget_changes_nothing() {
    for (name, sheet) in bundled_games().into_iter().step_by(3) {
        let game = Game::from_program(program(&name, &sheet));
        let networks = [Budget::default(), generous()].map(|budget| {
            let network = game.network(&config(&budget, None)).expect("the game has a network");
            assert_eq!(network.exhausted, None);
            network.network
        });
        assert_eq!(networks[0], networks[1], "{name}");
        let machines = [Budget::default(), generous()].map(|budget| {
            let machine = game.machine(&config(&budget, None)).expect("the game has a machine");
            let config = PlayoutConfig { budget, max_steps: 500, ..PlayoutConfig::default() };
            machine.playouts_until(10, &config, &AtomicBool::new(false))
        });
        assert_eq!(machines[0], machines[1], "{name}");
    }
}

#[test]
fn the_same_work_proves_the_same() {
    for name in ["connect-four", "eight-puzzle", "chinese-checkers"] {
        let ground = ground_game(name);
        // So little that not everything is decided.
        for effort in [1_000_000, 20_000_000, 100_000_000] {
            let config = InvariantConfig { effort, ..quick() };
            let first = invariants_of(&ground, &config);
            let again = invariants_of(&ground, &InvariantConfig { budget: generous(), ..config });
            assert_eq!((&first.proved, first.complete), (&again.proved, again.complete), "{name}, {effort}");
            assert_eq!((first.exhausted, again.exhausted), (None, None));
        }
        let config = InvariantConfig { effort: 1, ..quick() };
        assert!(!invariants_of(&ground, &config).complete, "{name}");
    }
}

#[test]
fn invariants_say_that_they_were_cut_short() {
    let ground = ground_game("breakthrough");
    for (budget, reason) in used_up() {
        let invariants = invariants_of(&ground, &InvariantConfig { budget, ..quick() });
        assert_eq!((invariants.exhausted, invariants.complete), (Some(reason), false));
    }
    let late = InvariantConfig { timeout: Duration::ZERO, ..quick() };
    let invariants = invariants_of(&ground, &late);
    assert_eq!((invariants.exhausted, invariants.complete), (Some(Exhausted::Timeout), false));
}

#[test]
fn a_network_says_that_invariants_were_cut_short() {
    let game = Game::from_program(game("breakthrough"));
    let plain = game.network(&config(&Budget::default(), None)).expect("the game has a network");
    // The proofs have no time, but the call has.
    let late = InvariantConfig { timeout: Duration::ZERO, ..quick() };
    let network = game.network(&config(&generous(), Some(late))).expect("the game has a network");
    assert_eq!(network.exhausted, Some(Exhausted::Timeout));
    assert!(network.network.edge_count() <= plain.network.edge_count());
    for (budget, reason) in used_up() {
        // Grounding has time.
        let ground_config = GroundConfig::default();
        let mut config = config(&ground_config.budget, Some(quick()));
        config.ground.budget = budget;
        match game.network(&config).err() {
            Some(GameError::Ground(_)) => {}
            error => assert_eq!(error, Some(GameError::Exhausted(reason))),
        }
    }
}

/// A game that never ends.
const ENDLESS: &str = "(role r) (init (n 0)) (succ 0 1) (succ 1 0) (legal r go) \
                       (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= terminal (true (n 2))) (goal r 50)";

#[test]
fn endless_games_end_with_the_budget() {
    let game = Game::from_program(program("endless.kif", ENDLESS));
    for kind in KINDS {
        let machine = game.machine(&MachineConfig { kind, ..MachineConfig::default() }).expect("a machine");
        for threads in [1, 2] {
            let budget = Budget::new(Some(Duration::from_millis(50)));
            let config = PlayoutConfig { threads, max_steps: u64::MAX, budget, ..PlayoutConfig::default() };
            let start = Instant::now();
            let totals = machine.playouts_until(1000, &config, &AtomicBool::new(false));
            assert!(start.elapsed() < Duration::from_secs(5), "{kind:?}");
            assert_eq!(config.budget.check(), Err(Exhausted::Timeout));
            assert_eq!((totals.playouts, totals.states), (0, 0), "games in play are not counted");
        }
    }
}

/// Half of the games end at once, with a goal; the others never do.
const HALF_ENDLESS: &str = "(role r) (init start) (legal r stay) (legal r leave) \
                            (<= (next left) (does r leave) (true start)) (<= (next there) (does r stay)) \
                            (<= (next there) (true there)) (<= terminal (true left)) (goal r 100)";

#[test]
fn games_that_are_over_are_counted_when_others_are_interrupted() {
    let game = Game::from_program(program("half-endless.kif", HALF_ENDLESS));
    let machine = game.machine(&MachineConfig { kind: MachineKind::Batch, ..MachineConfig::default() });
    let budget = Budget::default();
    let config = PlayoutConfig { max_steps: u64::MAX, budget: budget.clone(), ..PlayoutConfig::default() };
    let totals = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            budget.interrupt();
        });
        machine.expect("a machine").playouts_until(400, &config, &AtomicBool::new(false))
    });
    assert_eq!(config.budget.check(), Err(Exhausted::Interrupt));
    assert!((50..350).contains(&totals.playouts), "{}", totals.playouts);
    assert_eq!((totals.states, totals.goals[RoleId(0)].count), (totals.playouts, totals.playouts));
    assert_eq!(totals.goals[RoleId(0)].mean(), Some(100.0));
}

#[test]
fn players_have_to_fit_into_memory() {
    let game = Game::from_program(game("breakthrough"));
    for kind in KINDS {
        let machine = game.machine(&MachineConfig { kind, ..MachineConfig::default() }).expect("a machine");
        let config =
            PlayoutConfig { budget: Budget::default().within(1_000, || 900), ..PlayoutConfig::default() };
        let totals = machine.playouts_until(10, &config, &AtomicBool::new(false));
        assert_eq!((totals.playouts, config.budget.check()), (0, Err(Exhausted::Memory)), "{kind:?}");
    }
}
