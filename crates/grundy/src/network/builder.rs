//! Making networks node by node: equal nodes are one.

use super::{Interface, Kind, Network, NodeId, Signal};
use crate::datalog::{Table, hash_values};
use crate::ids::{Id, narrow};
use std::ops::Range;

/// A network in the making.
pub(crate) struct Builder {
    kinds: Vec<Kind>,
    /// For each node, where its inputs are.
    places: Vec<(u32, u32)>,
    pool: Vec<Signal>,
    /// Nodes by what they are.
    known: Table,
    loops: Vec<Range<u32>>,
    loop_start: Option<u32>,
    /// Nodes whose inputs come, or came, later.
    reserved: Vec<NodeId>,
}

impl Builder {
    /// A network with the inputs of an interface, and no gate, but room for some.
    pub(crate) fn with_capacity(interface: &Interface, nodes: usize, edges: usize) -> Builder {
        let inputs = interface.first_gate().index() - 1;
        let mut builder = Builder {
            kinds: vec![Kind::Input; 1 + inputs],
            places: vec![(0, 0); 1 + inputs],
            pool: Vec::with_capacity(edges),
            known: Table::with_capacity(nodes),
            loops: Vec::new(),
            loop_start: None,
            reserved: Vec::new(),
        };
        builder.kinds[0] = Kind::Or;
        builder.known.insert(hash_node(Kind::Or, &[]), 0);
        builder
    }

    /// About how many bytes a builder of this size takes.
    pub(crate) fn bytes_for(nodes: usize, edges: usize) -> usize {
        const NODE: usize = size_of::<Kind>() + size_of::<(u32, u32)>() + 2 * size_of::<u64>();
        nodes * NODE + edges * size_of::<Signal>()
    }

    /// About how many bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        Builder::bytes_for(self.kinds.capacity(), self.pool.capacity())
    }

    /// A network, to be continued: its nodes keep their numbers.
    pub(crate) fn resume(network: &Network) -> Builder {
        let places = network.starts.windows(2).map(|pair| (pair[0], pair[1] - pair[0])).collect();
        let mut known = Table::with_capacity(network.node_count());
        for node in network.nodes().filter(|&node| network.kind(node) != Kind::Input) {
            known.insert(hash_node(network.kind(node), network.inputs(node)), node.0);
        }
        Builder {
            kinds: network.kinds.clone(),
            places,
            pool: network.edges.clone(),
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
        self.kinds[node.index()]
    }

    pub(crate) fn inputs(&self, node: NodeId) -> &[Signal] {
        let (start, len) = self.places[node.index()];
        &self.pool[start.index()..][..len.index()]
    }

    /// The node of this kind with these inputs, new or known. Inputs are a set.
    pub(crate) fn node(&mut self, kind: Kind, inputs: &mut Vec<Signal>) -> Signal {
        inputs.sort_unstable();
        inputs.dedup();
        let hash = hash_node(kind, inputs);
        let Builder { kinds, places, pool, known, .. } = self;
        let inputs_of = |node: u32| {
            let (start, len) = places[node.index()];
            &pool[start.index()..][..len.index()]
        };
        let same = |node: u32| kinds[node.index()] == kind && inputs_of(node) == &inputs[..];
        if let Some(node) = known.find(hash, same) {
            return Signal::of(NodeId(node));
        }
        let node = narrow(kinds.len());
        known.insert(hash, node);
        kinds.push(kind);
        places.push((narrow(pool.len()), narrow(inputs.len())));
        pool.extend_from_slice(inputs);
        Signal::of(NodeId(node))
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

    /// Nodes from now on may be part of a cycle.
    pub(crate) fn open_loop(&mut self) {
        self.loop_start = Some(narrow(self.kinds.len()));
    }

    /// The end of what [`open_loop`](Self::open_loop) began.
    pub(crate) fn close_loop(&mut self) {
        let start = self.loop_start.take().expect("a loop is open");
        self.loops.push(start..self.kinds.len() as u32);
    }

    /// A node whose inputs come later.
    pub(crate) fn reserve(&mut self) -> NodeId {
        self.kinds.push(Kind::Or);
        self.places.push((0, 0));
        self.reserved.push(NodeId(narrow(self.kinds.len()) - 1));
        NodeId(narrow(self.kinds.len()) - 1)
    }

    /// Gives a reserved node its inputs.
    pub(crate) fn define(&mut self, node: NodeId, kind: Kind, inputs: &[Signal]) {
        self.kinds[node.index()] = kind;
        self.places[node.index()] = (narrow(self.pool.len()), narrow(inputs.len()));
        self.pool.extend_from_slice(inputs);
    }

    /// Makes a reserved node equal to a signal. A node that was made for it just now lends its inputs.
    pub(crate) fn define_as(&mut self, node: NodeId, signal: Signal) {
        let start = self.loop_start.expect("a loop is open");
        let is_reserved = self.reserved.binary_search(&signal.node()).is_ok();
        if signal == Signal::FALSE {
            self.define(node, Kind::Or, &[]);
        } else if signal.is_inverted() || signal.node().0 < start || is_reserved {
            self.define(node, Kind::Or, &[signal]);
        } else {
            self.kinds[node.index()] = self.kinds[signal.node().index()];
            self.places[node.index()] = self.places[signal.node().index()];
        }
    }

    /// The network, with these outputs.
    pub(crate) fn finish(self, interface: Interface) -> Network {
        let mut starts = Vec::with_capacity(self.places.len() + 1);
        let mut edges = Vec::with_capacity(self.pool.len());
        starts.push(0);
        for &(start, len) in &self.places {
            edges.extend_from_slice(&self.pool[start.index()..][..len.index()]);
            starts.push(narrow(edges.len()));
        }
        let loops = self.loops.into_iter().filter(|range| !range.is_empty()).collect();
        Network { kinds: self.kinds, starts, edges, loops, interface }
    }
}

fn hash_node(kind: Kind, inputs: &[Signal]) -> u32 {
    hash_values([kind as u32].into_iter().chain(inputs.iter().map(|input| input.0)))
}
