//! Invariants of the states of a game, proved by induction with a SAT solver.
//!
//! Of certain groups of facts at most one holds in every state, or exactly one, or always the same number; some facts
//! never hold, some always. Candidates are guessed from the arguments of facts (`candidates`) and filtered
//! by random play (`samples`). The others are proved together (`induction`; those that a case split over single moves
//! proves, without the solver, in `by_moves`): from a state in which all
//! candidates hold, no legal joint move may lead to one in which a candidate does not. A counterexample drops the
//! candidates that it violates, and from where it ends random play goes on to drop more; when there is no
//! counterexample any more, what is left holds in all states that play can reach.
//!
//! The solver (`solver.rs`) sees one step of the game as clauses (`transition.rs`). Positive cycles of rules are seen by
//! their completion, and nodes beyond a limit are left open. Both allow more than the game does, so that a
//! proof stays a proof.

mod by_moves;
mod candidates;
mod counting;
mod effort;
mod induction;
mod lifting;
mod prune;
mod samples;
mod solver;
mod sweep;
mod transition;

use crate::ids::{BitSet, Id, IdVec, wide};
pub use lifting::LiftedInvariant;
pub use prune::{Pruned, PruningPass, Saved, prune};
pub(crate) use sweep::sweep;

use crate::ground::GroundProgram;
use crate::network::{ConnectError, FluentId, Groups, Network, connect, optimize};
use candidates::{Family, FamilyId};
use effort::{Effort, units};
use grundy_syntax::{Budget, Exhausted, Stage};
use std::time::Duration;

/// Limits of the search for invariants.
///
/// Proofs are bounded by counted work, so that the same game has the same invariants on an idle machine and on a busy one.
/// Time and memory are the last resort; where they end the search, [`Invariants::exhausted`] is set.
#[derive(Clone, Debug)]
pub struct InvariantConfig {
    /// Limit: how much work it may take, in units of about ten nanoseconds.
    pub effort: u64,
    /// Limit: this part of the time of the budget. The default is more than the work ever needs.
    pub timeout: Duration,
    /// The budget of the call. A [`MachineConfig`](crate::game::MachineConfig) replaces it by its own.
    pub budget: Budget,
    /// How many states of random play candidates have to hold in.
    pub samples: usize,
    /// Limit: how many literals of clauses describe a step; what does not fit is left open.
    pub clause_literals: usize,
    /// Limit: the edges of the network.
    pub edges: usize,
    /// The seed of random play.
    pub seed: u64,
}

impl Default for InvariantConfig {
    fn default() -> InvariantConfig {
        InvariantConfig {
            effort: units(Duration::from_secs(8)),
            timeout: Duration::from_secs(600),
            budget: Budget::default(),
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
    /// The facts of the group, sorted. [`Invariants::fluents`] has their texts.
    pub members: Vec<FluentId>,
    /// The family that it came from.
    family: FamilyId,
}

/// What was proved about the states of a game.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// All facts, in KIF notation, sorted.
    pub(crate) fluents: IdVec<FluentId, String>,
    /// What was proved.
    pub proved: Vec<Invariant>,
    /// Whether all candidates were decided; otherwise a limit was hit, and there may be more.
    pub complete: bool,
    /// The limit of the budget that ended the search, if one did. Without it, the same invariants are found each time.
    pub exhausted: Option<Exhausted>,
    families: IdVec<FamilyId, Family>,
}

/// The passes that keep a network the same function of its inputs, whatever these are.
const PLAIN_PASSES: [&str; 6] = ["constants", "single-input", "absorb", "factoring", "nested", "unneeded"];

/// The passes that must not run where states have to be whole and what makes a move legal one node.
const CAREFUL_PASSES: [&str; 3] = ["unread", "left-out", "guards"];

/// Finds and proves invariants of a game, of which this is the network as it was connected, before any pass that takes
/// something about states for granted. What was proved before a limit was hit holds.
pub fn prove_invariants(network: &Network, config: &InvariantConfig) -> Invariants {
    let budget = config.budget.part(config.timeout);
    let effort = Effort::new(budget.clone());
    let fluents: IdVec<FluentId, String> =
        network.interface().fluents.iter().map(|fluent| fluent.text.clone()).collect();
    if network.edge_count() > config.edges || fluents.is_empty() {
        return Invariants { complete: fluents.is_empty(), fluents, ..Invariants::default() };
    }
    let mut families = IdVec::default();
    let (proved, complete) = prove(network, config, &effort, &mut families);
    let exhausted = budget.check().err();
    Invariants { fluents, proved, complete: complete && exhausted.is_none(), exhausted, families }
}

/// The work per edge of the plain passes, and of all passes: guesses.
const PLAIN_UNITS: usize = 40;
const ALL_UNITS: usize = 100;

/// The share of the work that all passes may take. A guess.
const PASSES_SHARE: f64 = 0.3;

/// Returns what was proved, and whether all candidates were decided.
fn prove(
    network: &Network,
    config: &InvariantConfig,
    effort: &Effort,
    families: &mut IdVec<FamilyId, Family>,
) -> (Vec<Invariant>, bool) {
    let optimized = |is_wanted: &dyn Fn(&str) -> bool| {
        let done = optimize(network.clone(), &Groups::default(), is_wanted, effort.budget());
        done.ok().map(|done| done.network)
    };
    effort.spend(PLAIN_UNITS * network.edge_count());
    if effort.is_over(config.effort) {
        return (Vec::new(), false);
    }
    let Some(plain) = optimized(&|name| PLAIN_PASSES.contains(&name)) else { return (Vec::new(), false) };
    let units = ALL_UNITS * network.edge_count();
    let is_affordable = effort.spent() + wide(units) <= effort.share(config.effort, PASSES_SHARE);
    let played = is_affordable.then(|| {
        effort.spend(units);
        optimized(&|name| !CAREFUL_PASSES.contains(&name))
    });
    effort.budget().enter(Stage::Invariants);
    induction::prove(&plain, played.flatten().as_ref(), config, effort, families)
}

/// Finds and proves invariants of a ground game. Without a network (a part of the game is lifted, or it is too large)
/// there are none.
pub fn invariants_of(ground: &GroundProgram, config: &InvariantConfig) -> Invariants {
    if ground.literal_count() > wide(config.edges) {
        return Invariants::default();
    }
    match connect(ground, &config.budget) {
        Ok(network) => prove_invariants(&network, config),
        Err(error) => {
            let exhausted = if let ConnectError::Exhausted(reason) = error { Some(reason) } else { None };
            Invariants { exhausted, ..Invariants::default() }
        }
    }
}

impl Invariants {
    /// All facts with their texts, in the order of these.
    pub fn fluents(&self) -> impl Iterator<Item = (FluentId, &str)> {
        self.fluents.entries().map(|(fluent, text)| (fluent, text.as_str()))
    }

    /// The first invariant that does not hold in a state, given as facts; facts that are unknown are none of ours.
    pub fn violated_by<'f>(&self, facts: impl IntoIterator<Item = &'f str>) -> Option<&Invariant> {
        let texts = self.fluents.as_slice();
        let fluent = |fact: &str| texts.binary_search_by(|text| text.as_str().cmp(fact)).ok();
        let mut holding = BitSet::empty(texts.len());
        facts.into_iter().filter_map(fluent).for_each(|fluent| holding.set(FluentId::new(fluent), true));
        self.violated_in(|fluent| holding.contains(fluent))
    }

    /// The first invariant that does not hold in a state, given by which of the facts hold.
    pub fn violated_in(&self, holds: impl Fn(FluentId) -> bool) -> Option<&Invariant> {
        self.proved.iter().find(|invariant| {
            let count = invariant.members.iter().filter(|&&member| holds(member)).count();
            match invariant.kind {
                InvariantKind::AtMostOne => count > 1,
                InvariantKind::ExactlyOne => count != 1,
                InvariantKind::Exactly(number) => count != number.index(),
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
                let node = |&member: &FluentId| interface.find_fluent(&self.fluents[member]);
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
