//! Passes: each makes a smaller or simpler network that gives the same answers.
//!
//! [`optimize`] runs them in the order of [`PIPELINE`]; each has a file, a name and tests of its own, and can be
//! left out by name.

mod absorb;
mod constants;
mod factoring;
mod groups;
mod guards;
mod left_out;
mod legality;
mod nested;
mod sharing;
mod simplify;
mod single_input;
mod successors;
mod turns;
mod unneeded;
mod unread;

use super::{Builder, Kind, MoveId, Network, Signal};
use crate::ids::IdVec;
pub use groups::Groups;
use grundy_syntax::{Budget, Exhausted, Stage, Ticks};
use smallvec::SmallVec;
pub(super) use unneeded::reached;

/// A transformation of networks that keeps their answers.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    run: fn(&Network, &Groups, &Budget) -> Result<Network, Exhausted>,
}

/// All passes.
pub const PASSES: [Pass; 13] = [
    Pass { name: "constants", about: "inputs that are always true or always false", run: constants::run },
    Pass { name: "single-input", about: "nodes with one input", run: single_input::run },
    Pass { name: "absorb", about: "duplicate, complementary and absorbed inputs", run: absorb::run },
    Pass { name: "legality", about: "conditions that the legality of a move implies", run: legality::run },
    Pass {
        name: "factoring",
        about: "a factor that the inputs of a node have in common",
        run: factoring::run,
    },
    Pass { name: "groups", about: "exactly one of a group is true: complements", run: groups::run },
    Pass { name: "guards", about: "conditions that many moves share, read once", run: guards::run },
    Pass {
        name: "left-out",
        about: "one fluent of a group read as the negation of the others, on demand",
        run: left_out::run,
    },
    Pass { name: "nested", about: "an AND inside an AND, an OR inside an OR", run: nested::run },
    Pass {
        name: "sharing",
        about: "sub-conjunctions and sub-disjunctions that nodes share",
        run: sharing::run,
    },
    Pass {
        name: "successors",
        about: "the next value of one of a group, by those of the others",
        run: successors::run,
    },
    Pass { name: "unneeded", about: "nodes that no output needs", run: unneeded::run },
    Pass { name: "unread", about: "fluents that no answer ever depends on", run: unread::run },
];

/// The order in which passes run. Some run again where others have left work for them; some run together. The
/// origin of the order is not recorded.
const PIPELINE: [&[&str]; 22] = [
    &["unread"],
    &["constants", "single-input", "absorb"],
    &["legality"],
    &["constants", "single-input", "absorb"],
    &["factoring"],
    &["unneeded"],
    &["groups"],
    &["left-out"],
    &["constants", "single-input"],
    &["unread"],
    &["nested"],
    &["constants", "single-input", "absorb"],
    &["successors"],
    &["unneeded"],
    &["sharing"],
    &["factoring"],
    &["single-input", "absorb"],
    &["guards"],
    &["unneeded"],
    &["factoring"],
    &["single-input"],
    &["unneeded"],
];

/// The size of a network after a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassSize {
    /// The pass.
    pub name: &'static str,
    /// Nodes, inputs among them.
    pub nodes: usize,
    /// Edges.
    pub edges: usize,
}

/// An optimized network, with its size after each pass.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The network.
    pub network: Network,
    /// The size before all passes (called `connect`), and after each.
    pub sizes: Vec<PassSize>,
    /// The limit of the budget that ended the search for invariants early, if one did. Another run may then give another
    /// network with the same answers.
    pub exhausted: Option<Exhausted>,
}

/// Runs the passes that are wanted. `known` has proved groups of fluents; groups that can be read off the rules are
/// added to them.
pub fn optimize(
    network: Network,
    known: &Groups,
    wanted: impl Fn(&str) -> bool,
    budget: &Budget,
) -> Result<Optimized, Exhausted> {
    budget.enter(Stage::Network);
    let size =
        |name, network: &Network| PassSize { name, nodes: network.node_count(), edges: network.edge_count() };
    let mut sizes = vec![size("connect", &network)];
    let mut network = network;
    let mut groups = None;
    // The passes that do not change the current network.
    let mut idle: Vec<&str> = Vec::new();
    for step in PIPELINE {
        let passes: SmallVec<[&str; 3]> = step.iter().copied().filter(|name| wanted(name)).collect();
        let Some(&first) = passes.first() else { continue };
        let name = simplify::name(&passes).unwrap_or(first);
        // Turns are recognized after constants and single inputs are removed, and before nodes are shared.
        if matches!(name, "legality" | "factoring" | "groups" | "left-out") && groups.is_none() {
            groups = Some(known.completed(&network, budget)?);
            idle.clear();
        }
        budget.check()?;
        if !idle.contains(&name) {
            let pass = PASSES.iter().find(|pass| pass.name == name);
            let next = match pass {
                Some(pass) => (pass.run)(&network, groups.as_ref().unwrap_or(known), budget)?,
                None => simplify::run(&network, &passes, budget)?,
            };
            if next.is_same(&network) {
                idle.push(name);
            } else {
                idle.clear();
            }
            network = next;
        }
        sizes.push(size(name, &network));
    }
    if let Some(groups) = groups {
        network.interface.choices = groups.choices(&network);
    }
    Ok(Optimized { network, sizes, exhausted: None })
}

/// Cleans up after nodes were replaced: removes constants, nodes with one input, and nodes that no output needs.
pub(crate) fn clean(network: Network, budget: &Budget) -> Result<Network, Exhausted> {
    let simplified = simplify::run(&network, &["constants", "single-input", "absorb"], budget)?;
    unneeded::run(&simplified, &Groups::default(), budget)
}

/// For each move the signals that hold if it is legal, sorted.
pub(crate) fn known_of_moves(
    network: &Network,
    budget: &Budget,
) -> Result<IdVec<MoveId, Vec<Signal>>, Exhausted> {
    let groups = Groups::default().completed(network, budget)?;
    let mut ticks = Ticks::default();
    let implied = legality::implied_by_moves(network, &groups);
    implied
        .map(|implied| ticks.work(budget, legality::WORK * (1 + implied.len())).map(|()| implied))
        .collect()
}

/// A signal as a node of a kind: `not (or a b)` is the AND of `not a` and `not b`. `None` for inputs and
/// constants, and for nodes of a loop that have no inputs yet.
pub(crate) fn view(
    builder: &Builder,
    signal: Signal,
) -> Option<(Kind, impl ExactSizeIterator<Item = Signal> + Clone + '_)> {
    let node = signal.node();
    let (kind, inputs) = (builder.kind(node), builder.inputs(node));
    if kind == Kind::Input || inputs.is_empty() {
        return None;
    }
    let inverted = signal.is_inverted();
    let kind = if inverted { kind.dual() } else { kind };
    Some((kind, inputs.iter().map(move |input| input.inverted_if(inverted))))
}

/// Runs one pass, for the tests of the others.
#[cfg(test)]
pub(super) fn run_pass(name: &str, network: &Network, groups: &Groups) -> Network {
    let pass = PASSES.iter().find(|pass| pass.name == name).expect("there is such a pass");
    let budget = Budget::default();
    let groups = groups.completed(network, &budget).expect("the budget has no bounds");
    (pass.run)(network, &groups, &budget).expect("the budget has no bounds")
}
