//! A network as text: a line for each gate, then a line for each output.

use super::{Kind, Network, NodeId, Signal};
use std::io::{self, Write};

impl Network {
    /// A node as text: an input by its name, a gate by its number.
    pub fn node_text(&self, node: NodeId) -> String {
        let interface = &self.interface;
        if let Some(fluent) = interface.fluent_of(node) {
            format!("(true {})", interface.fluents[fluent].text)
        } else if let Some(m) = interface.move_of(node).map(|done| &interface.moves[done]) {
            format!("(does {} {})", interface.roles[m.role], m.text)
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
        let role = |role| &interface.roles[role];
        let mut outputs = Vec::new();
        for m in &interface.moves {
            let name = format!("(legal {} {})", role(m.role), m.text);
            if m.guard != Signal::TRUE {
                outputs.push((format!("{name} guard"), m.guard));
            }
            outputs.push((name, m.legal));
        }
        outputs.extend(interface.fluents.iter().map(|f| (format!("(next {})", f.text), f.next)));
        outputs.push(("terminal".to_owned(), interface.terminal));
        for (of, goals) in interface.goals.entries() {
            for goal in goals {
                let value = goal.value.map_or("?".to_owned(), |value| value.to_string());
                outputs.push((format!("(goal {} {value})", role(of)), goal.holds));
            }
        }
        for (of, percepts) in interface.sees.entries() {
            outputs.extend(percepts.iter().map(|p| (format!("(sees {} {})", role(of), p.text), p.holds)));
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
