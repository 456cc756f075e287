//! Initial facts for the iterative method.
//!
//! A step counter costs the iterative method one round for each step. Therefore the game is first evaluated without moves
//! until a state repeats, and all facts on the way are taken as possible from the start.

use super::config::GroundConfig;
use crate::lifted::{Lifted, LiftedConfig};
use crate::reasoner::Reasoner;
use grundy_syntax::Program;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The largest number of states without moves. A guess: longer counters cost rounds, not answers.
const MOST_STATES: usize = 1_000;

/// The facts of the states that follow each other without moves. An error only ends the sequence.
pub(super) fn facts_without_moves(program: &Program, config: &GroundConfig) -> BTreeSet<String> {
    let lifted_config = LiftedConfig {
        max_term_depth: config.max_term_depth,
        budget: config.budget.share(0.25),
        join_order: config.join_order,
        ..LiftedConfig::default()
    };
    let mut facts = BTreeSet::new();
    let Ok(mut game) = Lifted::new(program, &lifted_config) else { return facts };
    let Ok(mut state) = game.initial() else { return facts };
    let mut seen = FxHashSet::default();
    while seen.len() < MOST_STATES && seen.insert(state.clone()) {
        facts.extend(game.facts(&state));
        match game.next_without_moves(&state) {
            Ok(next) => state = next,
            Err(_) => break,
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use grundy_syntax::{Source, read_game};

    #[test]
    fn counters_run_to_their_end() {
        let sheet = "(role r) (init (step 1)) (init (cell a)) (legal r (mark b))
            (succ 1 2) (succ 2 3)
            (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
            (<= (next (cell ?x)) (does r (mark ?x)))
            (<= terminal (true (step 3))) (goal r 0)";
        let reading = read_game(&Source::new("steps.kif", sheet), &Default::default());
        let facts = facts_without_moves(&reading.program, &GroundConfig::default());
        let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
        assert_eq!(facts, ["(cell a)", "(step 1)", "(step 2)", "(step 3)"]);
    }
}
