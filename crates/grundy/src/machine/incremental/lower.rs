//! From a network to an incremental machine.

use super::player::Memory;
use super::{Extra, IncrementalMachine, MoveSet, NO_EXTRA, Probe, Span};
use crate::machine::Rules;
use crate::machine::cones::{Cone, Step};
use crate::network::{Kind, MoveId, Network, NodeId, RoleId, Signal};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A condition is a guard if at least this many moves of a role share it.
const FEWEST_GUARDED: usize = 4;

/// How a signal is read: the mark of an OR is its opposite.
pub(super) fn probe(network: &Network, signal: Signal) -> Probe {
    let node = signal.node();
    let inverted = signal.is_inverted() != (network.kind(node) == Kind::Or);
    Probe { node: node.0, inverted }
}

/// How the legality of a move is told: a signal that puts it into a set, and the guard of that set.
struct Legality {
    guard: Option<Signal>,
    signal: Signal,
    /// Inputs of the signal's node that are the guard's business.
    without: Option<Signal>,
}

impl IncrementalMachine {
    /// Makes the machine.
    pub fn new(rules: Arc<Rules>) -> IncrementalMachine {
        let network = rules.network();
        let interface = network.interface();
        let legality = choose_guards(network);
        let mut without: FxHashMap<NodeId, Signal> = FxHashMap::default();
        for legality in &legality {
            if let Some(guard) = legality.without {
                without.insert(legality.signal.node(), guard);
            }
        }
        let (counted, loops) = counted_nodes(&rules);
        let mut edges = Edges::default();
        for node in network.gates().filter(|node| counted[node.index()]) {
            for &input in network.inputs(node).iter().filter(|&input| without.get(&node) != Some(input)) {
                edges.add(network, input, node);
            }
        }
        for (number, members) in loops.iter().enumerate() {
            for &input in members.iter().flat_map(|&member| network.inputs(member)) {
                if members.binary_search(&input.node()).is_err() {
                    edges.loops.push((input.node().0, number as u32));
                }
            }
        }
        let (sets, sets_of, set_of) = move_sets(network, &legality);
        let extras = extras(network, &legality, &edges.loops);
        let (spans, readers, extras) = edges.finish(network, extras);
        let mut machine = IncrementalMachine {
            nexts: interface.fluents.iter().map(|fluent| probe(network, fluent.next)).collect(),
            terminal: probe(network, interface.terminal),
            goals: late(&rules.cones.goals, &counted, &loops),
            sees: late(&rules.cones.sees, &counted, &loops),
            spans,
            readers,
            extras,
            loops,
            sets,
            sets_of,
            set_of,
            initial: Memory::default(),
            rules: rules.clone(),
        };
        machine.initial = Memory::initial(&machine, &legality_signals(&legality), &without);
        machine
    }
}

fn legality_signals(legality: &[Legality]) -> Vec<Signal> {
    legality.iter().map(|legality| legality.signal).collect()
}

/// Which gates have counters, and the loops, which have none.
fn counted_nodes(rules: &Rules) -> (Vec<bool>, Vec<Vec<NodeId>>) {
    let mut counted = vec![false; rules.network().node_count()];
    let mut loops = Vec::new();
    for cone in [&rules.cones.state, &rules.cones.next] {
        for step in cone.steps() {
            match step {
                Step::Gate(node) => counted[node.index()] = true,
                Step::Loop(members) => loops.push(members.to_vec()),
            }
        }
    }
    loops.sort();
    (counted, loops)
}

/// A cone without what the counters know.
fn late(cone: &Cone, counted: &[bool], loops: &[Vec<NodeId>]) -> Cone {
    let known = |node: &NodeId| {
        counted[node.index()] || loops.iter().any(|members| members.binary_search(node).is_ok())
    };
    let mut rest = Cone::default();
    for step in cone.steps() {
        match step {
            Step::Gate(node) => rest.order.extend(Some(node).filter(|node| !known(node))),
            Step::Loop(members) => {
                let start = rest.order.len();
                rest.order.extend(members.iter().filter(|node| !known(node)));
                if rest.order.len() > start {
                    rest.loops.push(start..rest.order.len());
                }
            }
        }
    }
    rest
}

/// Edges from nodes to the counters that they change.
#[derive(Default)]
struct Edges {
    /// From, to: the counter goes up when the mark is set.
    up: Vec<(u32, u32)>,
    down: Vec<(u32, u32)>,
    /// From a node to a loop.
    loops: Vec<(u32, u32)>,
}

impl Edges {
    fn add(&mut self, network: &Network, input: Signal, to: NodeId) {
        let Probe { node, inverted } = probe(network, input);
        // An OR counts what is true, an AND what is false.
        let counts_true = network.kind(to) == Kind::Or;
        let edges = if counts_true != inverted { &mut self.up } else { &mut self.down };
        edges.push((node, to.0));
    }

    fn finish(
        &mut self,
        network: &Network,
        extras: BTreeMap<u32, Extra>,
    ) -> (Vec<Span>, Vec<u32>, Vec<Extra>) {
        self.up.sort_unstable();
        self.down.sort_unstable();
        let mut readers = Vec::with_capacity(self.up.len() + self.down.len());
        let (mut up, mut down) = (self.up.iter().peekable(), self.down.iter().peekable());
        let mut extra_list = Vec::new();
        let mut extras = extras.into_iter().peekable();
        let mut spans = Vec::with_capacity(network.node_count());
        for node in 0..network.node_count() as u32 {
            let start = readers.len() as u32;
            readers.extend(std::iter::from_fn(|| up.next_if(|edge| edge.0 == node)).map(|edge| edge.1));
            let middle = readers.len() as u32;
            readers.extend(std::iter::from_fn(|| down.next_if(|edge| edge.0 == node)).map(|edge| edge.1));
            let extra = match extras.next_if(|(of, _)| *of == node) {
                Some((_, extra)) => {
                    extra_list.push(extra);
                    extra_list.len() as u32 - 1
                }
                None => NO_EXTRA,
            };
            spans.push(Span { start, middle, end: readers.len() as u32, extra });
        }
        (spans, readers, extra_list)
    }
}

/// What besides counters depends on nodes.
fn extras(network: &Network, legality: &[Legality], loops: &[(u32, u32)]) -> BTreeMap<u32, Extra> {
    let mut fluents: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut moves: BTreeMap<u32, Vec<(u32, bool)>> = BTreeMap::new();
    let mut readers: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (fluent, info) in network.interface().fluents.iter().enumerate() {
        fluents.entry(info.next.node().0).or_default().push(fluent as u32);
    }
    for (number, legality) in legality.iter().enumerate() {
        let Probe { node, inverted } = probe(network, legality.signal);
        moves.entry(node).or_default().push((number as u32, !inverted));
    }
    for &(node, number) in loops {
        readers.entry(node).or_default().push(number);
    }
    let mut extras: BTreeMap<u32, Extra> = BTreeMap::new();
    for (node, fluents) in fluents {
        extras.entry(node).or_default().fluents = fluents.into();
    }
    for (node, moves) in moves {
        extras.entry(node).or_default().moves = moves.into();
    }
    for (node, mut loops) in readers {
        loops.dedup();
        extras.entry(node).or_default().loops = loops.into();
    }
    extras
}

/// The sets of moves: for each role one without a guard, and one for each guard.
fn move_sets(
    network: &Network,
    legality: &[Legality],
) -> (Vec<MoveSet>, Vec<std::ops::Range<usize>>, Vec<u32>) {
    let interface = network.interface();
    let mut sets = Vec::new();
    let mut sets_of = Vec::new();
    let mut set_of = vec![0; interface.moves.len()];
    for role in interface.role_ids() {
        let mut by_guard: BTreeMap<Option<Signal>, Vec<u32>> = BTreeMap::new();
        for number in interface.moves_of(role) {
            by_guard.entry(legality[number as usize].guard).or_default().push(number);
        }
        let first = sets.len();
        let mut base = interface.moves_of(role).start;
        for (guard, members) in by_guard {
            members.iter().for_each(|&member| set_of[member as usize] = sets.len() as u32);
            sets.push(MoveSet { guard: guard.map(|guard| probe(network, guard)), base });
            base += members.len() as u32;
        }
        sets_of.push(first..sets.len());
    }
    (sets, sets_of, set_of)
}

/// For each move, which guard it has, if any, and what is left of its conditions.
fn choose_guards(network: &Network) -> Vec<Legality> {
    let interface = network.interface();
    let readers = network.reader_counts();
    let looped = |node: NodeId| network.loops().iter().any(|range| range.contains(&node.0));
    let mut legality: Vec<Legality> = interface
        .moves
        .iter()
        .map(|one_move| Legality { guard: None, signal: one_move.legal, without: None })
        .collect();
    // A node that somebody else reads has to keep all its inputs.
    let is_free = |signal: Signal| {
        let node = signal.node();
        !signal.is_inverted()
            && network.kind(node) == Kind::And
            && readers[node.index()] == 1
            && !looped(node)
    };
    for role in interface.role_ids() {
        guard_role(network, role, &mut legality, &is_free);
    }
    legality
}

fn guard_role(network: &Network, role: RoleId, legality: &mut [Legality], is_free: &impl Fn(Signal) -> bool) {
    let mut open: Vec<MoveId> = network.interface().moves_of(role).map(MoveId).collect();
    loop {
        let mut counts: BTreeMap<Signal, usize> = BTreeMap::new();
        for &MoveId(number) in &open {
            let signal = legality[number as usize].signal;
            if is_free(signal) {
                network
                    .inputs(signal.node())
                    .iter()
                    .for_each(|&input| *counts.entry(input).or_default() += 1);
            }
        }
        let best = counts.into_iter().max_by_key(|&(signal, count)| (count, std::cmp::Reverse(signal)));
        let Some((guard, _)) = best.filter(|&(_, count)| count >= FEWEST_GUARDED) else { break };
        open.retain(|&MoveId(number)| {
            let entry = &mut legality[number as usize];
            let guarded = is_free(entry.signal) && network.inputs(entry.signal.node()).contains(&guard);
            if guarded {
                entry.guard = Some(guard);
                let rest: Vec<Signal> = network
                    .inputs(entry.signal.node())
                    .iter()
                    .copied()
                    .filter(|&input| input != guard)
                    .collect();
                match rest[..] {
                    [only] => entry.signal = only,
                    _ => entry.without = Some(guard),
                }
            }
            !guarded
        });
    }
    // What is left may be just a signal, such as the turn of the other one: that is a guard for all who share it.
    for MoveId(number) in open {
        let entry = &mut legality[number as usize];
        if entry.signal != Signal::FALSE && entry.signal != Signal::TRUE && !is_free(entry.signal) {
            entry.guard = Some(entry.signal);
            entry.signal = Signal::TRUE;
        }
    }
}
