//! Pruning a ground program with what is known about its states and moves.
//!
//! The grounder keeps every rule whose conditions can hold one by one. Pruning looks at the conditions of a rule together:
//! it removes rules that can never fire and conditions that follow from others. The result gives the same answers for
//! legal moves in all states that play can reach. The ideas are Cazenave's *impossible* and *useless* conditions, applied
//! to ground rules.
//!
//! | pass | what it uses |
//! |---|---|
//! | `constants` | facts that never hold or always hold (invariants), and what follows from them |
//! | `exclusive` | groups of which at most one member holds (invariants, and the moves of a role) |
//! | `covers` | groups of which exactly one member holds: rules for all members, or for most of them |
//! | `useless` | conditions that another condition implies; `does` implies `legal` |
//! | `equal` | atoms with the same rules are merged, as are an atom and its only condition |
//! | `needed` | subsumed rules, and atoms that no output depends on |

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

/// A pass over the ground rules. The documentation of `prune` has a table of what each one uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PruningPass {
    /// Folds atoms that never hold or always hold.
    Constants,
    /// Removes rules with conditions that exclude each other, and negations that a group implies.
    Exclusive,
    /// Merges rules that differ in one member of a group.
    Covers,
    /// Removes conditions that another one implies.
    Useless,
    /// Merges equivalent atoms.
    Equal,
    /// Removes subsumed rules and atoms that no output depends on.
    Needed,
}

impl PruningPass {
    /// All passes, in the order in which they run.
    pub const ALL: [PruningPass; 6] = [
        PruningPass::Constants,
        PruningPass::Exclusive,
        PruningPass::Covers,
        PruningPass::Useless,
        PruningPass::Equal,
        PruningPass::Needed,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PruningPass::Constants => "constants",
            PruningPass::Exclusive => "exclusive",
            PruningPass::Covers => "covers",
            PruningPass::Useless => "useless",
            PruningPass::Equal => "equal",
            PruningPass::Needed => "needed",
        }
    }

    /// The pass with a name.
    pub fn find(name: &str) -> Option<PruningPass> {
        PruningPass::ALL.into_iter().find(|pass| pass.name() == name)
    }

    /// The names of all passes, separated by commas.
    pub fn names() -> String {
        PruningPass::ALL.map(PruningPass::name).join(", ")
    }

    fn run(self, rules: Rules, knowledge: &mut Knowledge, budget: &Budget) -> Result<Rules, Exhausted> {
        match self {
            PruningPass::Constants => constants::run(rules, knowledge, budget),
            PruningPass::Exclusive => conditions::drop_excluded(&rules, knowledge, budget),
            PruningPass::Covers => covers::run(rules, knowledge, budget),
            PruningPass::Useless => conditions::drop_implied(&rules, knowledge, budget),
            PruningPass::Equal => equal::run(rules, knowledge, budget),
            PruningPass::Needed => needed::run(rules, knowledge, budget),
        }
    }
}

/// What a pass has removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The pass.
    pub pass: PruningPass,
    /// The number of rules.
    pub rules: u64,
    /// The number of conditions.
    pub literals: u64,
}

/// The size of a program before pruning, and what each pass has removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// The number of rules before.
    pub rules: u64,
    /// The number of conditions before.
    pub literals: u64,
    /// One entry for each pass, in the order of [`PruningPass::ALL`].
    pub saved: [Saved; PruningPass::ALL.len()],
}

/// The work for a rule or a condition, as [`Ticks`](grundy_syntax::Ticks) count it: a guess.
const WORK: usize = 8;

/// How often the passes are repeated, at most. The number is a guess; later rounds find little.
const MOST_ROUNDS: usize = 4;

/// Prunes a ground program by the passes for which `is_wanted` is true. A program that is partly lifted stays as it is.
pub fn prune(
    ground: &mut GroundProgram,
    invariants: &Invariants,
    is_wanted: impl Fn(PruningPass) -> bool,
    budget: &Budget,
) -> Result<Pruned, Exhausted> {
    let mut pruned = Pruned {
        rules: ground.rule_count(),
        literals: ground.literal_count(),
        saved: PruningPass::ALL.map(|pass| Saved { pass, rules: 0, literals: 0 }),
    };
    if !ground.lifted().is_empty() {
        return Ok(pruned);
    }
    budget.check_room(Rules::bytes_for(length(ground.rule_count()), length(ground.literal_count())))?;
    let mut rules = Rules::of(ground, budget)?;
    let uses_constants = is_wanted(PruningPass::Constants);
    let mut knowledge = Knowledge::new(ground, invariants, uses_constants, budget)?;
    for _ in 0..MOST_ROUNDS {
        let before = (rules.len(), rules.literal_count());
        for saved in pruned.saved.iter_mut().filter(|saved| is_wanted(saved.pass)) {
            let size = |rules: &Rules| (wide(rules.len()), wide(rules.literal_count()));
            let old = size(&rules);
            rules = saved.pass.run(rules, &mut knowledge, budget)?;
            let new = size(&rules);
            saved.rules += old.0.saturating_sub(new.0);
            saved.literals += old.1.saturating_sub(new.1);
        }
        if (rules.len(), rules.literal_count()) == before {
            break;
        }
    }
    ground.set_rules(rules.ground_rules(), budget)?;
    Ok(pruned)
}
