//! From a network to an incremental machine.

use super::player::Memory;
use super::{IncrementalMachine, Late, LateGate, MoveSet, Output, Probe, Reader, Span};
use crate::machine::Rules;
use crate::machine::cones::{Cone, Step};
use crate::network::{Kind, Network, NodeId, Signal};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The set of a move, and where that begins.
type Home = (u32, u32);

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
        let (sets, sets_of, homes) = move_sets(network);
        let outputs = outputs(network, &edges.loops);
        let (spans, readers, outputs) = edges.finish(network, outputs);
        let mut machine = IncrementalMachine {
            nexts: interface.fluents.iter().map(|fluent| probe(network, fluent.next)).collect(),
            terminal: probe(network, interface.terminal),
            goals: late(network, &without(&rules.cones.goals, &counted, &loops)),
            sees: late(network, &without(&rules.cones.sees, &counted, &loops)),
            spans,
            readers,
            outputs,
            loops: loops.iter().map(|members| late_loop(network, members)).collect(),
            sets,
            sets_of,
            homes,
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

/// The gates of a cone, with the ways to read their inputs.
fn late(network: &Network, cone: &Cone) -> Late {
    let mut late = Late { loops: cone.loops.clone(), ..Late::default() };
    for &node in &cone.order {
        let start = late.inputs.len() as u32;
        late.inputs.extend(network.inputs(node).iter().map(|&input| probe(network, input)));
        let is_or = network.kind(node) == Kind::Or;
        late.gates.push(LateGate { node: node.0, is_or, start, end: late.inputs.len() as u32 });
    }
    late
}

fn late_loop(network: &Network, members: &[NodeId]) -> Late {
    let whole = 0..members.len();
    late(network, &Cone { order: members.to_vec(), loops: [whole].into() })
}

/// A cone without what the counters know.
fn without(cone: &Cone, counted: &[bool], loops: &[Vec<NodeId>]) -> Cone {
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
        outputs: BTreeMap<u32, Vec<Output>>,
    ) -> (Vec<Span>, Vec<Reader>, Vec<Output>) {
        self.counters.sort_unstable_by_key(|&(from, Reader(to))| (from, to));
        let mut readers = Vec::with_capacity(self.counters.len());
        let mut edges = self.counters.iter().peekable();
        let mut list = Vec::new();
        let mut outputs = outputs.into_iter().peekable();
        let mut spans = Vec::with_capacity(network.node_count());
        for node in 0..network.node_count() as u32 {
            let start = readers.len() as u32;
            readers.extend(std::iter::from_fn(|| edges.next_if(|edge| edge.0 == node)).map(|edge| edge.1));
            let output = match outputs.next_if(|(of, _)| *of == node).map(|(_, outputs)| outputs) {
                None => Output::NOTHING,
                Some(outputs) if outputs.len() == 1 => outputs[0],
                Some(mut outputs) => {
                    let start = list.len() as u32;
                    list.append(&mut outputs);
                    list.push(Output::NOTHING);
                    Output::new(Output::LIST, start)
                }
            };
            spans.push(Span { start, end: readers.len() as u32, output });
        }
        (spans, readers, list)
    }
}

/// What besides counters depends on nodes.
fn outputs(network: &Network, loops: &[(u32, u32)]) -> BTreeMap<u32, Vec<Output>> {
    let mut outputs: BTreeMap<u32, Vec<Output>> = BTreeMap::new();
    for (fluent, info) in network.interface().fluents.iter().enumerate() {
        outputs.entry(info.next.node().0).or_default().push(Output::new(Output::FLUENT, fluent as u32));
    }
    for (number, one_move) in network.interface().moves.iter().enumerate() {
        let Probe { node, inverted } = probe(network, one_move.legal);
        outputs
            .entry(node)
            .or_default()
            .push(Output::new(Output::MOVE + u32::from(!inverted), number as u32));
    }
    let mut loops = loops.to_vec();
    loops.sort_unstable();
    loops.dedup();
    for (node, number) in loops {
        outputs.entry(node).or_default().push(Output::new(Output::LOOP, number));
    }
    outputs
}

/// The sets of moves: for each role one for each guard.
fn move_sets(network: &Network) -> (Vec<MoveSet>, Vec<Range<usize>>, Vec<Home>) {
    let interface = network.interface();
    let mut sets = Vec::new();
    let mut sets_of = Vec::new();
    let mut homes = vec![(0, 0); interface.moves.len()];
    for role in interface.role_ids() {
        let mut by_guard: BTreeMap<Signal, Vec<u32>> = BTreeMap::new();
        for number in interface.moves_of(role) {
            by_guard.entry(interface.moves[number as usize].guard).or_default().push(number);
        }
        let first = sets.len();
        let mut base = interface.moves_of(role).start;
        for (guard, members) in by_guard {
            members.iter().for_each(|&member| homes[member as usize] = (sets.len() as u32, base));
            sets.push(MoveSet { guard: probe(network, guard), base });
            base += members.len() as u32;
        }
        sets_of.push(first..sets.len());
    }
    (sets, sets_of, homes)
}
