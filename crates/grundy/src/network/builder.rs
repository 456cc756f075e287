//! Builds networks node by node, hash-consed: equal nodes are made once.

use super::{Interface, Kind, Network, NodeId, Signal};
use crate::datalog::{Table, hash_values};
use crate::ids::{Csr, Id, IdVec, narrow};
use std::ops::Range;

/// A network under construction.
pub(crate) struct Builder {
    kinds: IdVec<NodeId, Kind>,
    /// For each node where its inputs begin in the pool, and how many there are.
    places: IdVec<NodeId, (u32, u32)>,
    pool: Vec<Signal>,
    /// Nodes by their kind and inputs.
    known: Table,
    loops: Vec<Range<NodeId>>,
    loop_start: Option<NodeId>,
    /// Nodes that were made before their inputs.
    reserved: Vec<NodeId>,
}

impl Builder {
    /// A network with the inputs of an interface and room for gates.
    pub(crate) fn with_capacity(interface: &Interface, nodes: usize, edges: usize) -> Builder {
        let inputs = interface.first_gate().index() - 1;
        let mut builder = Builder {
            kinds: IdVec::filled(Kind::Input, 1 + inputs),
            places: IdVec::filled((0, 0), 1 + inputs),
            pool: Vec::with_capacity(edges),
            known: Table::with_capacity(nodes),
            loops: Vec::new(),
            loop_start: None,
            reserved: Vec::new(),
        };
        builder.kinds[NodeId(0)] = Kind::Or;
        builder.known.insert(hash_node(Kind::Or, &[]), 0);
        builder
    }

    /// The memory of a builder of this size, estimated.
    pub(crate) fn bytes_for(nodes: usize, edges: usize) -> usize {
        const NODE: usize = size_of::<Kind>() + size_of::<(u32, u32)>() + 2 * size_of::<u64>();
        nodes * NODE + edges * size_of::<Signal>()
    }

    /// The memory that it holds, estimated.
    pub(crate) fn bytes(&self) -> usize {
        Builder::bytes_for(self.kinds.capacity(), self.pool.capacity())
    }

    /// Continues a network: its nodes keep their numbers.
    pub(crate) fn resume(network: &Network) -> Builder {
        let place = |node| (narrow(network.inputs.start(node)), narrow(network.inputs[node].len()));
        let places = network.nodes().map(place).collect();
        let mut known = Table::with_capacity(network.node_count());
        for node in network.nodes().filter(|&node| network.kind(node) != Kind::Input) {
            known.insert(hash_node(network.kind(node), network.inputs(node)), node.0);
        }
        Builder {
            kinds: network.kinds.clone(),
            places,
            pool: network.inputs.items().to_vec(),
            known,
            loops: network.loops.clone(),
            loop_start: None,
            reserved: Vec::new(),
        }
    }

    pub(crate) fn node_count(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn kind(&self, node: NodeId) -> Kind {
        self.kinds[node]
    }

    pub(crate) fn inputs(&self, node: NodeId) -> &[Signal] {
        let (start, len) = self.places[node];
        &self.pool[start.index()..][..len.index()]
    }

    /// The node of this kind with these inputs, new or known. Inputs are a set.
    pub(crate) fn node(&mut self, kind: Kind, inputs: &mut Vec<Signal>) -> Signal {
        inputs.sort_unstable();
        inputs.dedup();
        let hash = hash_node(kind, inputs);
        let Builder { kinds, places, pool, known, .. } = self;
        let inputs_of = |node: NodeId| {
            let (start, len) = places[node];
            &pool[start.index()..][..len.index()]
        };
        let same = |node: NodeId| kinds[node] == kind && inputs_of(node) == &inputs[..];
        if let Some(node) = known.find(hash, |node| same(NodeId(node))) {
            return Signal::of(NodeId(node));
        }
        let node = kinds.push(kind);
        known.insert(hash, node.0);
        places.push((narrow(pool.len()), narrow(inputs.len())));
        pool.extend_from_slice(inputs);
        Signal::of(node)
    }

    /// Like [`node`](Self::node), but none or one input make no node.
    pub(crate) fn gate(&mut self, kind: Kind, inputs: &mut Vec<Signal>) -> Signal {
        inputs.sort_unstable();
        inputs.dedup();
        match inputs[..] {
            [] => kind.neutral(),
            [only] => only,
            _ => self.node(kind, inputs),
        }
    }

    /// Begins a loop: nodes from now on may be part of a cycle.
    pub(crate) fn open_loop(&mut self) {
        self.loop_start = Some(NodeId::new(self.kinds.len()));
    }

    /// Ends the loop that [`open_loop`](Self::open_loop) began.
    pub(crate) fn close_loop(&mut self) {
        let start = self.loop_start.take().expect("a loop is open");
        self.loops.push(start..NodeId::new(self.kinds.len()));
    }

    /// A node whose inputs are defined later.
    pub(crate) fn reserve(&mut self) -> NodeId {
        let node = self.kinds.push(Kind::Or);
        self.places.push((0, 0));
        self.reserved.push(node);
        node
    }

    /// Gives a reserved node its inputs.
    pub(crate) fn define(&mut self, node: NodeId, kind: Kind, inputs: &[Signal]) {
        self.kinds[node] = kind;
        self.places[node] = (narrow(self.pool.len()), narrow(inputs.len()));
        self.pool.extend_from_slice(inputs);
    }

    /// Makes a reserved node equal to a signal. It takes over the inputs of a node that was made in this loop.
    pub(crate) fn define_as(&mut self, node: NodeId, signal: Signal) {
        let start = self.loop_start.expect("a loop is open");
        let is_reserved = self.reserved.binary_search(&signal.node()).is_ok();
        if signal == Signal::FALSE {
            self.define(node, Kind::Or, &[]);
        } else if signal.is_inverted() || signal.node() < start || is_reserved {
            self.define(node, Kind::Or, &[signal]);
        } else {
            self.kinds[node] = self.kinds[signal.node()];
            self.places[node] = self.places[signal.node()];
        }
    }

    /// The network, with these outputs.
    pub(crate) fn finish(self, interface: Interface) -> Network {
        let mut inputs = Csr::with_capacity(self.places.len(), self.pool.len());
        for &(start, len) in &self.places {
            inputs.push(self.pool[start.index()..][..len.index()].iter().copied());
        }
        let loops = self.loops.into_iter().filter(|range| !range.is_empty()).collect();
        Network { kinds: self.kinds, inputs, loops, interface }
    }
}

fn hash_node(kind: Kind, inputs: &[Signal]) -> u32 {
    hash_values([kind.code()].into_iter().chain(inputs.iter().map(|input| input.0)))
}
