//! A network as text: a line for each gate, then a line for each output.

use super::{Kind, Network, NodeId, Signal};
use std::io::{self, Write};

impl Network {
    /// A node as text: an input by its name, a gate by its number.
    pub fn node_text(&self, node: NodeId) -> String {
        let interface = &self.interface;
        if let Some(fluent) = interface.fluent_of(node) {
            format!("(true {})", interface.fluents[fluent].text)
        } else if let Some(one_move) = interface.move_of(node) {
            let one_move = &interface.moves[one_move.index()];
            format!("(does {} {})", interface.roles[one_move.role.index()], one_move.text)
        } else if node.0 == 0 {
            "false".to_owned()
        } else {
            format!("n{}", node.0)
        }
    }

    fn signal_text(&self, signal: Signal) -> String {
        match signal {
            Signal::TRUE => "true".to_owned(),
            _ if signal.is_inverted() => format!("!{}", self.node_text(signal.node())),
            _ => self.node_text(signal.node()),
        }
    }

    /// Every output with its name, in the order of the interface.
    pub fn named_outputs(&self) -> Vec<(String, Signal)> {
        let interface = &self.interface;
        let role = |number: usize| &interface.roles[number];
        let mut outputs = Vec::new();
        for one_move in &interface.moves {
            let name = format!("(legal {} {})", role(one_move.role.index()), one_move.text);
            if one_move.guard != Signal::TRUE {
                outputs.push((format!("{name} guard"), one_move.guard));
            }
            outputs.push((name, one_move.legal));
        }
        outputs.extend(interface.fluents.iter().map(|f| (format!("(next {})", f.text), f.next)));
        outputs.push(("terminal".to_owned(), interface.terminal));
        for (number, goals) in interface.goals.iter().enumerate() {
            for goal in goals {
                let value = goal.value.map_or("?".to_owned(), |value| value.to_string());
                outputs.push((format!("(goal {} {value})", role(number)), goal.holds));
            }
        }
        for (number, percepts) in interface.sees.iter().enumerate() {
            outputs.extend(percepts.iter().map(|p| (format!("(sees {} {})", role(number), p.text), p.holds)));
        }
        outputs
    }
}

/// Writes a network as text.
pub fn write_network(network: &Network, out: &mut impl Write) -> io::Result<()> {
    for node in network.gates() {
        let kind = if network.kind(node) == Kind::And { "and" } else { "or" };
        write!(out, "n{} = {kind}", node.0)?;
        for &input in network.inputs(node) {
            write!(out, " {}", network.signal_text(input))?;
        }
        writeln!(out)?;
    }
    for (name, signal) in network.named_outputs() {
        writeln!(out, "{name} = {}", network.signal_text(signal))?;
    }
    Ok(())
}
