//! A picture of a part of a network, for Graphviz.
//!
//! Inputs and outputs are boxes with their names, ANDs are marked `&`, ORs `≥1`; inverted edges are dashed.

use super::{Kind, Network, NodeId, Signal};
use crate::ground::{DotError, MOST_NODES};
use crate::ids::ids_in;
use std::collections::BTreeSet;
use std::io::Write;

/// Which part to draw.
#[derive(Clone, Copy, Debug)]
pub struct NetworkSlice {
    /// The node in the middle.
    pub node: NodeId,
    /// How many edges to follow from it, in both directions.
    pub depth: u32,
}

impl Network {
    /// The node of an atom in KIF notation: an input, or what tells an output.
    pub fn find_node(&self, text: &str) -> Option<NodeId> {
        let inputs = ids_in(&(NodeId(0)..self.interface.first_gate()));
        let input = inputs.clone().find(|&node| self.node_text(node) == text);
        input.or_else(|| {
            let (_, signal) = self.named_outputs().into_iter().find(|(name, _)| name == text)?;
            Some(signal.node())
        })
    }
}

/// Draws a network, or a part of it.
pub fn write_network_dot(
    network: &Network,
    slice: Option<NetworkSlice>,
    out: &mut impl Write,
) -> Result<(), DotError> {
    let nodes = match slice {
        Some(slice) => nodes_around(network, slice)?,
        None if network.node_count() > MOST_NODES => return Err(DotError::TooLarge),
        None => network.nodes().skip(1).collect(),
    };
    out.write_all(b"digraph network {\n  rankdir=LR;\n  node [fontname=\"monospace\"];\n")?;
    for &node in &nodes {
        let style = if slice.is_some_and(|slice| slice.node == node) { " style=bold" } else { "" };
        match network.kind(node) {
            Kind::Input => {
                writeln!(out, "  n{} [label={:?} shape=box{style}];", node.0, network.node_text(node))?;
            }
            Kind::And => writeln!(out, "  n{} [label=\"&\"{style}];", node.0)?,
            Kind::Or => writeln!(out, "  n{} [label=\"≥1\"{style}];", node.0)?,
        }
        for &input in network.inputs(node).iter().filter(|input| nodes.contains(&input.node())) {
            writeln!(out, "  n{} -> n{}{};", input.node().0, node.0, dashes(input))?;
        }
    }
    let outputs = network.named_outputs().into_iter().filter(|(_, signal)| nodes.contains(&signal.node()));
    for (number, (name, signal)) in outputs.enumerate() {
        writeln!(out, "  o{number} [label={name:?} shape=box];")?;
        writeln!(out, "  n{} -> o{number}{};", signal.node().0, dashes(signal))?;
    }
    out.write_all(b"}\n")?;
    Ok(())
}

fn dashes(signal: Signal) -> &'static str {
    if signal.is_inverted() { " [style=dashed]" } else { "" }
}

/// The nodes that lead to a node, and those that it leads to, up to a depth.
fn nodes_around(network: &Network, slice: NetworkSlice) -> Result<BTreeSet<NodeId>, DotError> {
    let mut causes = BTreeSet::from([slice.node]);
    let mut effects = BTreeSet::from([slice.node]);
    for _ in 0..slice.depth {
        let inputs: Vec<NodeId> =
            causes.iter().flat_map(|&node| network.inputs(node)).map(|input| input.node()).collect();
        causes.extend(inputs.into_iter().filter(|node| node.0 != 0));
        let reads = |node: &NodeId| network.inputs(*node).iter().any(|input| effects.contains(&input.node()));
        let readers: Vec<NodeId> = network.gates().filter(reads).collect();
        effects.extend(readers);
        if causes.len() + effects.len() > MOST_NODES {
            return Err(DotError::TooLarge);
        }
    }
    causes.append(&mut effects);
    Ok(causes)
}
