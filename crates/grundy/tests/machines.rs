//! All machines answer as the reference does, whatever passes their networks went through.

mod support;

use grundy::ground::{GroundConfig, ground};
use grundy::machine::batch::BatchMachine;
use grundy::machine::incremental::IncrementalMachine;
use grundy::machine::scratch::ScratchMachine;
use grundy::machine::{MachineReasoner, Player, Rules};
use grundy::network::{Groups, PASSES, connect, optimize};
use grundy::syntax::Program;
use proptest::prelude::*;
use std::sync::Arc;
use support::{assert_agree, bundled_games, program, random_game, reference};

/// The rules of a game, without some passes. States are compared, so that no fluent may be left out.
fn rules(program: &Program, without: &[&str]) -> Arc<Rules> {
    let ground = ground(program, &GroundConfig::default()).expect("the game is ground");
    let network = connect(&ground).expect("the game has a network");
    let wanted = |name: &str| name != "unread" && !without.contains(&name);
    Arc::new(Rules::new(optimize(network, &Groups::default(), wanted).network))
}

fn scratch(rules: &Arc<Rules>) -> MachineReasoner<impl Player> {
    MachineReasoner::new(Arc::new(ScratchMachine::new(rules.clone())).player())
}

fn incremental(rules: &Arc<Rules>) -> MachineReasoner<impl Player> {
    MachineReasoner::new(Arc::new(IncrementalMachine::new(rules.clone())).player())
}

fn batch(rules: &Arc<Rules>) -> MachineReasoner<impl Player> {
    MachineReasoner::new(Arc::new(BatchMachine::new(rules.clone())).player())
}

fn check_all(program: &Program, without: &[&str], playouts: u64, steps: usize) {
    let rules = rules(program, without);
    let mut reference = reference(program);
    assert_agree(&mut reference, &mut scratch(&rules), playouts, steps);
    assert_agree(&mut reference, &mut incremental(&rules), playouts, steps);
    assert_agree(&mut reference, &mut batch(&rules), playouts, steps);
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
