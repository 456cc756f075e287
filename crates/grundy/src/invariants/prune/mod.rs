//! Pruning a ground program by what is known about its states and moves.
//!
//! The grounder keeps every rule whose conditions could hold one by one. Here they are looked at together: rules that can
//! never fire, and conditions that follow from others, are taken out. The result gives the same answers in all states
//! that play can lead to, for legal moves. After Cazenave's *impossible* and *useless* conditions, on ground rules.
//!
//! | use | what it knows |
//! |---|---|
//! | `constants` | facts that never hold or always do (invariants); what follows from that |
//! | `exclusive` | groups of which at most one holds (invariants, and the moves of a role) |
//! | `covers` | groups of which exactly one holds: rules for all of them, or for most |
//! | `useless` | a condition that another one implies; what is done is legal |
//! | `equal` | atoms with the same rules are one, and so are an atom and its only condition |
//! | `needed` | rules that another one makes superfluous, and atoms that nobody asks for |

mod conditions;
mod constants;
mod covers;
mod equal;
mod knowledge;
mod needed;
mod rules;

use super::Invariants;
use crate::ground::GroundProgram;
use crate::ids::{length, wide};
use grundy_syntax::{Budget, Exhausted};
use knowledge::Knowledge;
use rules::Rules;

/// The uses, by name.
pub const USES: [&str; 6] = ["constants", "exclusive", "covers", "useless", "equal", "needed"];

/// How many literals and rules each use has saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Before all.
    pub rules: u64,
    /// Before all.
    pub literals: u64,
    /// For each of [`USES`], rules and literals that it saved.
    pub saved: [(u64, u64); 6],
}

/// The work for a rule or a condition, as [`Ticks`](grundy_syntax::Ticks) count it.
const WORK: usize = 8;

/// Rounds of all uses; the first ones find nearly everything.
const MOST_ROUNDS: usize = 4;

/// Prunes a ground program by what is known, with the uses that are wanted. A program of which a part is lifted stays as it
/// is, and so does one for which there was not enough budget.
pub fn prune(
    ground: &mut GroundProgram,
    invariants: &Invariants,
    wanted: impl Fn(&str) -> bool,
    budget: &Budget,
) -> Result<Pruned, Exhausted> {
    let mut pruned =
        Pruned { rules: ground.rule_count(), literals: ground.literal_count(), ..Pruned::default() };
    if !ground.lifted().is_empty() {
        return Ok(pruned);
    }
    budget.check_room(Rules::bytes_for(length(ground.rule_count()), length(ground.literal_count())))?;
    let mut rules = Rules::of(ground, budget)?;
    let mut knowledge = Knowledge::new(ground, invariants, &wanted, budget)?;
    for _ in 0..MOST_ROUNDS {
        let before = (rules.len(), rules.literal_count());
        for (number, name) in USES.iter().enumerate().filter(|(_, name)| wanted(name)) {
            let size = |rules: &Rules| (wide(rules.len()), wide(rules.literal_count()));
            let old = size(&rules);
            rules = match *name {
                "constants" => constants::run(rules, &mut knowledge, budget)?,
                "exclusive" => conditions::run(rules, &knowledge, conditions::Use::Exclusive, budget)?,
                "useless" => conditions::run(rules, &knowledge, conditions::Use::Useless, budget)?,
                "covers" => covers::run(rules, &knowledge, budget)?,
                "equal" => equal::run(rules, &knowledge, budget)?,
                _ => needed::run(rules, &knowledge, budget)?,
            };
            let new = size(&rules);
            pruned.saved[number].0 += old.0.saturating_sub(new.0);
            pruned.saved[number].1 += old.1.saturating_sub(new.1);
        }
        if (rules.len(), rules.literal_count()) == before {
            break;
        }
    }
    ground.set_rules(rules.ground_rules(), budget)?;
    Ok(pruned)
}
