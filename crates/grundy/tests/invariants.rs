//! Invariants: what is proved holds in every state that play can reach, and what is made smaller by it answers as before.

mod support;

use grundy::game::{Game, MachineConfig};
use grundy::ground::{GroundConfig, ground};
use grundy::invariants::{InvariantConfig, Invariants, PruningPass, invariants_of, prune};
use grundy::machine::incremental::IncrementalMachine;
use grundy::machine::scratch::ScratchMachine;
use grundy::machine::{CompiledGame, MachineReasoner};
use grundy::network::{Network, connect, optimize};
use grundy::reasoner::Reasoner;
use grundy::syntax::{Budget, Program};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use support::{assert_agree, assert_same_answers, bundled_games, program, random_game, reference};

fn quick() -> InvariantConfig {
    InvariantConfig { effort: 200_000_000, samples: 256, ..InvariantConfig::default() }
}

fn invariants(program: &Program, config: &InvariantConfig) -> Invariants {
    invariants_of(&ground(program, &GroundConfig::default()).expect("the game is ground"), config)
}

/// Looks at all states that can be reached, up to a number, by the reference.
fn check_everywhere(program: &Program, invariants: &Invariants, most: usize) {
    let mut reasoner = reference(program);
    let mut open = vec![reasoner.initial().expect("a state")];
    let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
    while let Some(state) = open.pop().filter(|_| seen.len() < most) {
        let facts = reasoner.facts(&state);
        if !seen.insert(facts.clone()) {
            continue;
        }
        let violated = invariants.violated_by(facts.iter().map(String::as_str));
        assert_eq!(violated, None, "in {facts:?}");
        if reasoner.is_terminal(&state) == Ok(true) {
            continue;
        }
        let legal = reasoner.legal(&state).expect("moves");
        let mut joints = vec![Vec::new()];
        for moves in &legal {
            let longer = |joint: &Vec<_>| {
                let joint = joint.clone();
                moves.iter().map(move |&one| joint.iter().copied().chain([one]).collect::<Vec<_>>())
            };
            joints = joints.iter().flat_map(longer).take(64).collect();
        }
        open.extend(joints.iter().map(|joint| reasoner.next(&state, joint).expect("a state")));
    }
}

/// The game, ground and pruned, as a machine.
fn pruned(program: &Program, invariants: &Invariants, without: Option<PruningPass>) -> Arc<CompiledGame> {
    let mut ground = ground(program, &GroundConfig::default()).expect("the game is ground");
    let before = (ground.rule_count(), ground.literal_count());
    let told =
        prune(&mut ground, invariants, |pass| Some(pass) != without, &Budget::default()).expect(UNBOUNDED);
    assert_eq!((told.rules, told.literals), before);
    assert!(ground.literal_count() <= before.1, "pruning made it larger");
    let network = connect(&ground, &Budget::default()).expect("the game has a network");
    let groups = invariants.groups(&network);
    let optimized = optimize(network, &groups, |name| name != "unread", &Budget::default());
    made(optimized.expect(UNBOUNDED).network)
}

const UNBOUNDED: &str = "the budget has no bounds";

fn made(network: Network) -> Arc<CompiledGame> {
    Arc::new(CompiledGame::new(network, &Budget::default()).expect(UNBOUNDED))
}

fn check_pruned(program: &Program, rules: &Arc<CompiledGame>, playouts: u64, steps: usize) {
    let machine = IncrementalMachine::new(rules.clone(), &Budget::default()).expect(UNBOUNDED);
    let mut machine = MachineReasoner::new(Arc::new(machine).cursor());
    assert_agree(&mut reference(program), &mut machine, playouts, steps);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn random_games_keep_their_invariants(choices in prop::collection::vec(any::<u8>(), 0..160)) {
        let program = program("random.kif", &random_game(&choices));
        // Few samples leave many wrong guesses to the solver.
        let found = invariants(&program, &InvariantConfig { samples: 2, ..quick() });
        check_everywhere(&program, &found, 200);
        let coarse = invariants(&program, &InvariantConfig { clause_literals: 400, ..quick() });
        check_everywhere(&program, &coarse, 200);
    }

    #[test]
    fn random_games_stay_what_they_are(choices in prop::collection::vec(any::<u8>(), 0..160), left_out in 0..=PruningPass::ALL.len()) {
        let program = program("random.kif", &random_game(&choices));
        let found = invariants(&program, &quick());
        check_pruned(&program, &pruned(&program, &found, PruningPass::ALL.get(left_out).copied()), 2, 6);
    }
}

/// Every network that invariants lead to answers like the reference.
fn check_networks(program: &Program, whole_states: bool, playouts: u64, steps: usize) {
    let config = MachineConfig { whole_states, invariants: Some(quick()), ..MachineConfig::default() };
    let networks = Game::from_program(program.clone()).networks(&config).expect("the game has networks");
    for optimized in networks {
        let rules = made(optimized.network);
        let mut scratch = MachineReasoner::new(Arc::new(ScratchMachine::new(rules)).cursor());
        match whole_states {
            true => assert_agree(&mut reference(program), &mut scratch, playouts, steps),
            false => assert_same_answers(&mut reference(program), &mut scratch, playouts, steps),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn all_networks_answer_alike(choices in prop::collection::vec(any::<u8>(), 0..160), whole in any::<bool>()) {
        check_networks(&program("random.kif", &random_game(&choices)), whole, 2, 6);
    }
}

#[test]
fn all_networks_of_bundled_games_answer_alike() {
    let slow = ["chess", "amazons", "hex", "reversi", "quarto", "chinese-checkers", "checkers", "skirmish"];
    for (name, sheet) in bundled_games().iter().filter(|(name, _)| !slow.contains(&name.as_str())) {
        let program = program(name, sheet);
        check_networks(&program, true, 1, 12);
        check_networks(&program, false, 1, 30);
    }
}

#[test]
fn a_cell_of_three_is_kept_in_two() {
    let (_, sheet) =
        bundled_games().into_iter().find(|(name, _)| name == "tic-tac-toe").expect("it is there");
    let game = Game::from_program(program("tic-tac-toe", &sheet));
    let config = MachineConfig { whole_states: false, invariants: Some(quick()), ..MachineConfig::default() };
    let networks = game.networks(&config).expect("the game has networks");
    let read: Vec<usize> = networks.iter().map(|one| one.network.read_fluents()).collect();
    // Nine cells that are empty, x or o, and two turns; then two facts a cell.
    assert_eq!((read.iter().max(), read.iter().min()), (Some(&29), Some(&20)));
}

#[test]
fn bundled_games_keep_their_invariants() {
    for (name, sheet) in bundled_games().iter().filter(|(name, _)| name != "chess") {
        let program = program(name, sheet);
        let found = invariants(&program, &quick());
        assert!(!found.proved.is_empty(), "{name}: nothing was proved");
        let mut machine = Game::from_program(program.clone())
            .machine(&MachineConfig::default())
            .expect("the game has a machine")
            .initial();
        let start = machine.clone();
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..20 {
            machine.clone_from(&start);
            for _ in 0..300 {
                let facts = machine.facts();
                assert_eq!(found.violated_by(facts.iter().map(String::as_str)), None, "{name} in {facts:?}");
                let roles: Vec<_> = machine.roles().collect();
                let joint: Option<Vec<_>> =
                    roles.iter().map(|&role| machine.random_move(role, &mut rng)).collect();
                let Some(joint) = joint.filter(|_| !machine.is_terminal()) else { break };
                machine.play_unchecked(&joint);
            }
        }
        check_pruned(&program, &pruned(&program, &found, None), 2, 12);
    }
}

#[test]
fn contents_of_cells_and_turns_are_exact() {
    let texts = |game: &str| -> Vec<String> {
        let (_, sheet) = bundled_games().into_iter().find(|(name, _)| name == game).expect("it is there");
        let found = invariants(&program(game, &sheet), &quick());
        found.lifted().into_iter().map(|one| one.text).collect()
    };
    let tic_tac_toe = texts("tic-tac-toe");
    assert!(tic_tac_toe.contains(&"for each x, y: exactly one c with (cell x y c)".to_owned()));
    assert!(tic_tac_toe.contains(&"exactly one c with (control c)".to_owned()));
    assert!(texts("connect-four").contains(&"for each x, y: at most one c with (disc x y c)".to_owned()));
}

#[test]
fn counts_unions_and_constants_are_found() {
    let sheet = "(role r) (num 1) (num 2) (num 3) (init (at 1)) (init (free 2)) (init (free 3)) (init day) (init law) \
         (<= (legal r (go ?x)) (num ?x) (true (free ?x))) \
         (<= (next (at ?x)) (does r (go ?x))) \
         (<= (next (free ?x)) (num ?x) (not (does r (go ?x)))) \
         (<= (next day) (true night)) (<= (next night) (true day)) (<= (next law) (true law)) \
         (<= (next crime) (true day) (true night)) (<= terminal (true crime))";
    let found = invariants(&program("walk", sheet), &quick());
    let texts: Vec<String> = found.lifted().into_iter().map(|one| one.text).collect();
    for wanted in [
        "exactly one c with (at c)",
        "exactly 2 c with (free c)",
        "for each x: exactly one of (at x), (free x)",
        "always law",
        "never crime",
    ] {
        assert!(texts.iter().any(|text| text == wanted), "{wanted} is not among {texts:#?}");
    }
    assert!(texts.iter().any(|text| text.contains("day") && text.contains("night")), "{texts:#?}");
}
