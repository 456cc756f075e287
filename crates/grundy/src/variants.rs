//! Networks of the same game, of which the best is taken.
//!
//! What is known about states need not pay: passes are greedy, and a rule that became shorter may read what changes more
//! often. So the network that knows nothing is there to compare with, and one that knows more only takes its place if
//! it has no more work with a step and is no larger.

use crate::game::{GameError, Hints, MachineConfig};
use crate::ground::GroundProgram;
use crate::ids::float;
use crate::invariants::{InvariantConfig, Invariants, invariants_of, prune, sweep};
use crate::machine::{CompiledGame, Work, work};
use crate::network::{Groups, Network, Optimized, PassSize, connect, optimize, with_safe_moves};
use grundy_syntax::{Budget, Exhausted};
use std::sync::Arc;
use std::time::Duration;

/// Above this many edges only the most likely way to use invariants is tried.
const MANY_EDGES: usize = 300_000;

/// Sweeping may take this part of the work for proofs.
const SWEEPING: u64 = 2;

/// A way to use invariants.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// The ground rules are pruned.
    pruned: bool,
    /// Passes know the groups.
    grouped: bool,
    /// One of each group is left out of the states.
    left_out: bool,
}

/// All ways, the most likely ones first.
const WAYS: [Way; 5] = [
    Way { pruned: true, grouped: true, left_out: false },
    Way { pruned: true, grouped: true, left_out: true },
    Way { pruned: false, grouped: true, left_out: false },
    Way { pruned: true, grouped: false, left_out: false },
    Way { pruned: false, grouped: true, left_out: true },
];

/// The best network of a ground game.
pub(crate) fn best_network(
    ground: GroundProgram,
    hints: &Hints,
    config: &MachineConfig,
) -> Result<Optimized, GameError> {
    let Some(effort) = &config.invariants else {
        let budget = &config.ground.budget;
        return optimized(connect(&ground, budget)?, &config.groups, hints, config, budget);
    };
    let maker = Maker::new(ground, hints, config, effort)?;
    let plain = maker.costed(maker.plain()?)?;
    let mut exhausted = maker.invariants.exhausted;
    let mut best: Option<(f64, Variant)> = None;
    for way in maker.ways() {
        let variant = maker.make(way).and_then(|optimized| maker.costed(optimized));
        if let Some(variant) = unless_exhausted(variant, config, &mut exhausted)?
            && let Some(cost) = variant.cost(&plain)
            && best.as_ref().is_none_or(|(least, _)| cost < *least)
        {
            best = Some((cost, variant));
        }
    }
    let best = best.map_or(plain, |(_, variant)| variant);
    let swept = maker.sweep(&best.optimized).and_then(|optimized| maker.costed(optimized));
    let swept = unless_exhausted(swept, config, &mut exhausted)?;
    let swept = swept.filter(|swept| swept.cost(&best).is_some());
    Ok(Optimized { exhausted, ..swept.unwrap_or(best).optimized })
}

/// A network beside the plain one; nothing, with a note of the reason, if there was no memory for it. When the time is over,
/// there will be no machine, either.
fn unless_exhausted(
    variant: Result<Variant, GameError>,
    config: &MachineConfig,
    exhausted: &mut Option<Exhausted>,
) -> Result<Option<Variant>, GameError> {
    match variant {
        Err(GameError::Exhausted(reason)) => {
            config.ground.budget.check()?;
            *exhausted = Some(reason);
            Ok(None)
        }
        variant => variant.map(Some),
    }
}

/// All different networks that there could be, for tests.
pub(crate) fn all_networks(
    ground: GroundProgram,
    hints: &Hints,
    config: &MachineConfig,
) -> Result<Vec<Optimized>, GameError> {
    let effort = config.invariants.clone().unwrap_or_default();
    let maker = Maker::new(ground, hints, config, &effort)?;
    let mut networks = vec![maker.plain()?];
    let add = |networks: &mut Vec<Optimized>, one: Optimized| {
        if networks.iter().all(|other| other.network != one.network) {
            networks.push(one);
        }
    };
    for way in maker.ways() {
        add(&mut networks, maker.make(way)?);
    }
    for number in 0..networks.len() {
        let swept = maker.sweep(&networks[number])?;
        add(&mut networks, swept);
    }
    Ok(networks)
}

/// A network with what it costs.
struct Variant {
    optimized: Optimized,
    work: Work,
    size: f64,
}

impl Variant {
    fn new(optimized: Optimized, config: &MachineConfig, budget: &Budget) -> Result<Variant, Exhausted> {
        let network = &optimized.network;
        let size = float(network.node_count() + network.edge_count());
        let work = work(&Arc::new(CompiledGame::new(network.clone(), budget)?), config.kind, budget)?;
        Ok(Variant { optimized, work, size })
    }

    /// Work and size, compared with another one; nothing if either may be larger, or if both are the same.
    fn cost(&self, plain: &Variant) -> Option<f64> {
        let is_same = self.work == plain.work && self.size == plain.size;
        let is_better = !is_same && self.work.is_within(&plain.work) && self.size <= plain.size;
        is_better.then(|| self.work.total() / plain.work.total().max(1.0) + self.size / plain.size.max(1.0))
    }
}

/// What all networks are made from.
struct Maker<'a> {
    config: &'a MachineConfig,
    effort: &'a InvariantConfig,
    hints: &'a Hints,
    invariants: Invariants,
    network: Network,
    pruned: Network,
}

impl<'a> Maker<'a> {
    fn new(
        mut ground: GroundProgram,
        hints: &'a Hints,
        config: &'a MachineConfig,
        effort: &'a InvariantConfig,
    ) -> Result<Maker<'a>, GameError> {
        let budget = &config.ground.budget;
        let network = connect(&ground, budget)?;
        let invariants =
            invariants_of(&ground, &InvariantConfig { budget: budget.clone(), ..effort.clone() });
        budget.check()?;
        prune(&mut ground, &invariants, |pass| is_wanted(config, pass.name()), budget)?;
        let pruned = connect(&ground, budget)?;
        Ok(Maker { config, effort, hints, invariants, network, pruned })
    }

    /// The network that knows nothing.
    fn plain(&self) -> Result<Optimized, GameError> {
        let budget = &self.config.ground.budget;
        optimized(self.network.clone(), &self.config.groups, self.hints, self.config, budget)
    }

    fn costed(&self, optimized: Optimized) -> Result<Variant, GameError> {
        Ok(Variant::new(optimized, self.config, &self.budget())?)
    }

    /// A budget that can be used up, but for time, without the whole being so.
    fn budget(&self) -> Budget {
        self.config.ground.budget.part(Duration::MAX)
    }

    /// The ways that are worth trying.
    fn ways(&self) -> impl Iterator<Item = Way> + use<> {
        let whole = wants_whole_states(&self.network, self.config);
        let few = self.network.edge_count() > MANY_EDGES;
        WAYS.into_iter().filter(move |way| !(way.left_out && whole)).take(if few { 1 } else { WAYS.len() })
    }

    fn make(&self, way: Way) -> Result<Optimized, GameError> {
        let network = if way.pruned { &self.pruned } else { &self.network };
        let mut groups = self.config.groups.clone();
        if way.grouped {
            groups.extend(self.invariants.groups(network));
        }
        if way.left_out {
            groups.leave_one_out();
        }
        optimized(network.clone(), &groups, self.hints, self.config, &self.budget())
    }

    fn sweep(&self, optimized: &Optimized) -> Result<Optimized, GameError> {
        let budget = self.budget();
        let mut sizes = optimized.sizes.clone();
        let mut network = optimized.network.clone();
        if is_wanted(self.config, "sweep") {
            network = sweep(&network, &self.invariants, self.effort.effort / SWEEPING, &budget)?;
            sizes.push(PassSize { name: "sweep", nodes: network.node_count(), edges: network.edge_count() });
        }
        Ok(Optimized { network, sizes, exhausted: None })
    }
}

fn is_wanted(config: &MachineConfig, name: &str) -> bool {
    !config.without.iter().any(|other| other == name)
}

/// Whether states have to be complete. Whoever gives open answers looks at all of a state.
fn wants_whole_states(network: &Network, config: &MachineConfig) -> bool {
    config.whole_states || network.interface().lifted.any()
}

/// The network after all passes that are wanted.
fn optimized(
    network: Network,
    groups: &Groups,
    hints: &Hints,
    config: &MachineConfig,
    budget: &Budget,
) -> Result<Optimized, GameError> {
    let whole = wants_whole_states(&network, config);
    let is_pass = |name: &str| is_wanted(config, name) && (name != "unread" || !whole);
    let optimize =
        |network: Network, is_pass: &dyn Fn(&str) -> bool| optimize(network, groups, is_pass, budget);
    let Some(wins) = &hints.wins else {
        let mut optimized = optimize(network, &is_pass)?;
        optimized.network = optimized.network.with_hints(&hints.rules);
        return Ok(optimized);
    };
    // Guards are found in the end: until then, what makes a move legal is one node.
    let first = optimize(network, &|name| name != "guards" && is_pass(name))?;
    let with_wins = first.network.with_hints(&hints.rules);
    let with_safe = with_safe_moves(&with_wins, wins, budget)?.ok_or(GameError::NoSafeMoves)?;
    let mut last = optimize(with_safe, &is_pass)?;
    last.sizes.splice(0..0, first.sizes);
    Ok(last)
}
