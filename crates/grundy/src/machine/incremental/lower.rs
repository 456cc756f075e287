//! From a network to an incremental machine.

use super::player::Memory;
use super::{Extra, IncrementalMachine, MoveSet, NO_EXTRA, Probe, Reader, Span};
use crate::machine::Rules;
use crate::machine::cones::{Cone, Step};
use crate::network::{Kind, Network, NodeId, Signal};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How a signal is read: the mark of an OR is its opposite.
pub(super) fn probe(network: &Network, signal: Signal) -> Probe {
    let node = signal.node();
    let inverted = signal.is_inverted() != (network.kind(node) == Kind::Or);
    Probe { node: node.0, inverted }
}

impl IncrementalMachine {
    /// Makes the machine.
    pub fn new(rules: Arc<Rules>) -> IncrementalMachine {
        let network = rules.network();
        let interface = network.interface();
        let (counted, loops) = counted_nodes(&rules);
        let mut edges = Edges::default();
        for node in network.gates().filter(|node| counted[node.index()]) {
            network.inputs(node).iter().for_each(|&input| edges.add(network, input, node));
        }
        for (number, members) in loops.iter().enumerate() {
            for &input in members.iter().flat_map(|&member| network.inputs(member)) {
                if members.binary_search(&input.node()).is_err() {
                    edges.loops.push((input.node().0, number as u32));
                }
            }
        }
        let (sets, sets_of, set_of) = move_sets(network);
        let extras = extras(network, &edges.loops);
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
        machine.initial = Memory::initial(&machine);
        machine
    }
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
    counters: Vec<(u32, Reader)>,
    /// From a node to a loop.
    loops: Vec<(u32, u32)>,
}

impl Edges {
    fn add(&mut self, network: &Network, input: Signal, to: NodeId) {
        let Probe { node, inverted } = probe(network, input);
        // An OR counts what is true, an AND what is false.
        let counts_true = network.kind(to) == Kind::Or;
        self.counters.push((node, Reader(to.0 << 1 | u32::from(counts_true == inverted))));
    }

    fn finish(
        &mut self,
        network: &Network,
        extras: BTreeMap<u32, Extra>,
    ) -> (Vec<Span>, Vec<Reader>, Vec<Extra>) {
        self.counters.sort_unstable_by_key(|&(from, Reader(to))| (from, to));
        let mut readers = Vec::with_capacity(self.counters.len());
        let mut edges = self.counters.iter().peekable();
        let mut extra_list = Vec::new();
        let mut extras = extras.into_iter().peekable();
        let mut spans = Vec::with_capacity(network.node_count());
        for node in 0..network.node_count() as u32 {
            let start = readers.len() as u32;
            readers.extend(std::iter::from_fn(|| edges.next_if(|edge| edge.0 == node)).map(|edge| edge.1));
            let extra = match extras.next_if(|(of, _)| *of == node) {
                Some((_, extra)) => {
                    extra_list.push(extra);
                    extra_list.len() as u32 - 1
                }
                None => NO_EXTRA,
            };
            spans.push(Span { start, end: readers.len() as u32, extra });
        }
        (spans, readers, extra_list)
    }
}

/// What besides counters depends on nodes.
fn extras(network: &Network, loops: &[(u32, u32)]) -> BTreeMap<u32, Extra> {
    let mut fluents: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut moves: BTreeMap<u32, Vec<(u32, bool)>> = BTreeMap::new();
    let mut readers: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (fluent, info) in network.interface().fluents.iter().enumerate() {
        fluents.entry(info.next.node().0).or_default().push(fluent as u32);
    }
    for (number, one_move) in network.interface().moves.iter().enumerate() {
        let Probe { node, inverted } = probe(network, one_move.legal);
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

/// The sets of moves: for each role one for each guard.
fn move_sets(network: &Network) -> (Vec<MoveSet>, Vec<std::ops::Range<usize>>, Vec<u32>) {
    let interface = network.interface();
    let mut sets = Vec::new();
    let mut sets_of = Vec::new();
    let mut set_of = vec![0; interface.moves.len()];
    for role in interface.role_ids() {
        let mut by_guard: BTreeMap<Signal, Vec<u32>> = BTreeMap::new();
        for number in interface.moves_of(role) {
            by_guard.entry(interface.moves[number as usize].guard).or_default().push(number);
        }
        let first = sets.len();
        let mut base = interface.moves_of(role).start;
        for (guard, members) in by_guard {
            members.iter().for_each(|&member| set_of[member as usize] = sets.len() as u32);
            sets.push(MoveSet { guard: probe(network, guard), base });
            base += members.len() as u32;
        }
        sets_of.push(first..sets.len());
    }
    (sets, sets_of, set_of)
}
