//! Invariants of the states of a game, proved by induction with a SAT solver.
//!
//! Of certain groups of facts at most one holds in every state, or exactly one, or always the same number; some facts
//! never hold, some always. Candidates are guessed from the arguments of facts (`candidates.rs`) and thinned
//! out by random play (`samples.rs`). What is left is proved together (`induction.rs`; what is plain to see when moves are
//! looked at one by one, without the solver, by `by_moves.rs`): from a state in which all
//! candidates hold, no legal joint move may lead to one in which a candidate does not. A counterexample drops the
//! candidates that it violates, and from where it ends random play goes on to drop more; when there is no
//! counterexample any more, what is left holds in all states that play can reach.
//!
//! The solver (`solver.rs`) sees one step of the game as clauses (`step.rs`). Positive cycles of rules are seen by
//! their completion, and nodes beyond a limit are left open. Both allow more than the game does, so that a
//! proof stays a proof.

mod by_moves;
mod candidates;
mod counting;
mod induction;
mod lifting;
mod samples;
mod solver;
mod step;
mod sweep;

pub use lifting::LiftedInvariant;
pub(crate) use sweep::sweep;

use crate::ground::GroundProgram;
use crate::network::{Groups, Network, connect, find_fluent, optimize};
use candidates::Family;
use grundy_syntax::Budget;
use std::time::{Duration, Instant};

/// What looking for invariants may cost.
#[derive(Clone, Copy, Debug)]
pub struct InvariantConfig {
    /// Limit: how long it may take.
    pub timeout: Duration,
    /// How many states of random play candidates have to hold in.
    pub samples: usize,
    /// Limit: how many literals of clauses describe a step; what does not fit is left open.
    pub clause_literals: usize,
    /// Limit: a larger network is not looked at.
    pub edges: usize,
    /// The seed of random play.
    pub seed: u64,
}

impl Default for InvariantConfig {
    fn default() -> InvariantConfig {
        InvariantConfig {
            timeout: Duration::from_secs(8),
            samples: 2048,
            clause_literals: 4_000_000,
            edges: 4_000_000,
            seed: 1,
        }
    }
}

/// What an invariant says about a group of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InvariantKind {
    /// No two hold at once.
    AtMostOne,
    /// One holds, and no other.
    ExactlyOne,
    /// So many hold.
    Exactly(u32),
    /// None ever holds.
    Never,
    /// All always hold.
    Always,
}

impl InvariantKind {
    /// How it is called.
    pub fn name(self) -> &'static str {
        match self {
            InvariantKind::AtMostOne => "at-most-one",
            InvariantKind::ExactlyOne => "exactly-one",
            InvariantKind::Exactly(_) => "exactly",
            InvariantKind::Never => "never",
            InvariantKind::Always => "always",
        }
    }
}

/// Something that holds in all states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// What is said.
    pub kind: InvariantKind,
    /// About which facts: numbers into [`Invariants::fluents`], sorted.
    pub members: Vec<u32>,
    /// The family that it came from.
    family: u32,
}

/// What was proved about the states of a game.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// All facts, in KIF notation, sorted.
    pub fluents: Vec<String>,
    /// What was proved.
    pub proved: Vec<Invariant>,
    /// Whether all candidates were decided; otherwise a limit was hit, and there may be more.
    pub complete: bool,
    families: Vec<Family>,
}

/// The passes that keep a network the same function of its inputs, whatever these are.
const PLAIN_PASSES: [&str; 6] = ["constants", "single-input", "absorb", "factoring", "nested", "unneeded"];

/// The passes that must not run where states have to be whole and what makes a move legal one node.
const CAREFUL_PASSES: [&str; 3] = ["unread", "left-out", "guards"];

/// Finds and proves invariants of a game, of which this is the network as it was connected, before any pass that takes
/// something about states for granted.
pub fn prove_invariants(network: &Network, config: &InvariantConfig) -> Invariants {
    let deadline = Instant::now() + config.timeout;
    let fluents: Vec<String> = network.interface().fluents.iter().map(|fluent| fluent.text.clone()).collect();
    if network.edge_count() > config.edges || fluents.is_empty() {
        return Invariants { complete: fluents.is_empty(), fluents, ..Invariants::default() };
    }
    let budget = Budget::new(Some(config.timeout));
    let optimized = |is_wanted: &dyn Fn(&str) -> bool, budget: &Budget| {
        optimize(network.clone(), &Groups::default(), is_wanted, budget).ok().map(|done| done.network)
    };
    let Some(plain) = optimized(&|name| PLAIN_PASSES.contains(&name), &budget) else {
        return Invariants { fluents, ..Invariants::default() };
    };
    let played = optimized(&|name| !CAREFUL_PASSES.contains(&name), &budget.share(0.3));
    let mut families = Vec::new();
    let (proved, complete) = induction::prove(&plain, played.as_ref(), config, deadline, &mut families);
    Invariants { fluents, proved, complete, families }
}

/// Finds and proves invariants of a ground game. Without a network (a part of the game is lifted, or it is too large)
/// there are none.
pub fn invariants_of(ground: &GroundProgram, config: &InvariantConfig) -> Invariants {
    if ground.literal_count() > config.edges as u64 {
        return Invariants::default();
    }
    connect(ground).map_or_else(|_| Invariants::default(), |network| prove_invariants(&network, config))
}

impl Invariants {
    /// The first invariant that does not hold in a state, given as facts; facts that are unknown are none of ours.
    pub fn violated_by<'f>(&self, facts: impl IntoIterator<Item = &'f str>) -> Option<&Invariant> {
        let number = |fact: &str| self.fluents.binary_search_by(|text| text.as_str().cmp(fact)).ok();
        let mut holding = vec![false; self.fluents.len()];
        facts.into_iter().filter_map(number).for_each(|number| holding[number] = true);
        self.violated_in(&holding)
    }

    /// The first invariant that does not hold in a state, given as a flag for each fluent.
    pub fn violated_in(&self, holding: &[bool]) -> Option<&Invariant> {
        self.proved.iter().find(|invariant| {
            let count = invariant.members.iter().filter(|&&member| holding[member as usize]).count();
            match invariant.kind {
                InvariantKind::AtMostOne => count > 1,
                InvariantKind::ExactlyOne => count != 1,
                InvariantKind::Exactly(number) => count != number as usize,
                InvariantKind::Never => count != 0,
                InvariantKind::Always => count != invariant.members.len(),
            }
        })
    }

    /// The groups of which exactly one holds, as groups of inputs of a network of the same game.
    pub fn groups(&self, network: &Network) -> Groups {
        let interface = network.interface();
        let mut groups = Groups::default();
        for invariant in &self.proved {
            let nodes = || {
                let node = |&member: &u32| find_fluent(interface, &self.fluents[member as usize]);
                invariant.members.iter().filter_map(node).map(|fluent| interface.fluent_node(fluent))
            };
            match invariant.kind {
                InvariantKind::ExactlyOne if nodes().count() == invariant.members.len() => {
                    groups.add(nodes().collect());
                }
                InvariantKind::AtMostOne => groups.add_exclusive(nodes().collect()),
                InvariantKind::Never => nodes().for_each(|node| groups.add_constant(node, false)),
                InvariantKind::Always => nodes().for_each(|node| groups.add_constant(node, true)),
                _ => {}
            }
        }
        groups
    }
}
