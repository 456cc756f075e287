//! Group complement: exactly one of a group of inputs is true.
//!
//! Each role does exactly one of its moves, so "it did one of these 200" is "it did none of those 3". Callers can pass
//! in more such groups, such as the proved contents of a cell.

use crate::ids::{Id, IdVec, narrow};
use crate::network::rewrite::{Gate, rewrite};
use crate::network::{Builder, Choice, Kind, MoveId, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted};
use smallvec::SmallVec;

/// Groups of inputs of which exactly one is true, in every state of a game and with every joint move that is played
/// in it.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// No input is in two groups of the same layer; the layers are tried one after the other.
    pub(super) layers: Vec<Vec<Vec<NodeId>>>,
    /// Moves that are done if and only if a signal holds.
    pub(super) equal: Vec<(NodeId, Signal)>,
    /// Moves of which at most one is played at a time.
    pub(super) at_most_one: Vec<Vec<NodeId>>,
    /// Fluents that change at every step.
    pub(super) restless: Vec<NodeId>,
    /// Groups of fluents of which no two are true at once, in layers.
    pub(super) exclusive: Vec<Vec<Vec<NodeId>>>,
    /// Fluents that are always true, or never.
    pub(super) constant: Vec<(NodeId, bool)>,
    /// Whether one fluent of each group is read as the negation of the others (pass `left-out`).
    pub(super) leave_out: bool,
}

impl Groups {
    /// One more group.
    pub fn add(&mut self, members: Vec<NodeId>) {
        add_to_layers(&mut self.layers, members);
    }

    /// A group of fluents of which no two are true at once.
    pub fn add_exclusive(&mut self, members: Vec<NodeId>) {
        add_to_layers(&mut self.exclusive, members);
    }

    /// A fluent that is always true, or never.
    pub fn add_constant(&mut self, node: NodeId, value: bool) {
        self.constant.push((node, value));
    }

    /// The groups of moves, those of several roles among them.
    pub(super) fn choices(&self, network: &Network) -> Vec<Choice> {
        let choice = |group: &Vec<NodeId>, exactly_one| {
            let moves: Option<Vec<MoveId>> =
                group.iter().map(|&node| network.interface().move_of(node)).collect();
            Some(Choice { moves: moves?, exactly_one })
        };
        let exactly = self.layers.iter().flatten().filter_map(|group| choice(group, true));
        exactly.chain(self.at_most_one.iter().filter_map(|group| choice(group, false))).collect()
    }

    /// Enables the pass `left-out`.
    pub fn leave_one_out(&mut self) {
        self.leave_out = true;
    }

    /// Adds the groups of another set.
    pub fn extend(&mut self, other: Groups) {
        other.layers.into_iter().flatten().for_each(|group| self.add(group));
        other.exclusive.into_iter().flatten().for_each(|group| self.add_exclusive(group));
        self.constant.extend(other.constant);
        self.equal.extend(other.equal);
        self.restless.extend(other.restless);
        self.leave_out |= other.leave_out;
    }
}

fn add_to_layers(layers: &mut Vec<Vec<Vec<NodeId>>>, members: Vec<NodeId>) {
    let mut sorted = members.clone();
    sorted.sort_unstable();
    let is_member = |known: &NodeId| sorted.binary_search(known).is_ok();
    let has_member = |layer: &Vec<Vec<NodeId>>| layer.iter().flatten().any(is_member);
    match layers.iter().position(|layer| !has_member(layer)) {
        Some(layer) => layers[layer].push(members),
        None => layers.push(vec![members]),
    }
}

/// For each input the group that it is in.
struct Index<'a> {
    groups: &'a [Vec<NodeId>],
    group_of: IdVec<NodeId, Option<u32>>,
    /// Whether one of each group is true, or perhaps none.
    exactly: bool,
}

impl Index<'_> {
    fn new<'a>(network: &Network, groups: &'a [Vec<NodeId>], exactly: bool) -> Index<'a> {
        let mut group_of = IdVec::filled(None, network.interface().first_gate().index());
        for (number, members) in groups.iter().enumerate() {
            members.iter().for_each(|&member| group_of[member] = Some(narrow(number)));
        }
        Index { groups, group_of, exactly }
    }

    fn group(&self, signal: Signal) -> Option<u32> {
        self.group_of.get(signal.node()).copied().flatten()
    }
}

pub(super) fn run(network: &Network, groups: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    let mut network = replace_equal(network, groups, budget)?;
    for (layers, exactly) in [(&groups.layers, true), (&groups.exclusive, false)] {
        for layer in layers {
            let index = Index::new(&network, layer, exactly);
            network = rewrite(&network, budget, |builder, gate| make(builder, gate, &index))?;
        }
    }
    // Complements may contain such moves, too.
    replace_equal(&network, groups, budget)
}

/// Replaces inputs by the signals that they are equal to.
fn replace_equal(network: &Network, groups: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    let mut instead: IdVec<NodeId, Option<Signal>> = IdVec::filled(None, network.node_count());
    for &(node, value) in &groups.constant {
        instead[node] = Some(Signal::FALSE.inverted_if(value));
    }
    groups.equal.iter().for_each(|&(node, signal)| instead[node] = Some(signal));
    // A rewrite gives gates new numbers, but inputs keep theirs.
    let first_gate = network.interface().first_gate();
    rewrite(network, budget, |builder, gate| {
        for input in gate.inputs.iter_mut().filter(|input| input.node() < first_gate) {
            if let Some(signal) = instead[input.node()] {
                *input = signal.inverted_if(input.is_inverted());
            }
        }
        builder.node(gate.kind, gate.inputs)
    })
}

fn make(builder: &mut Builder, gate: Gate, index: &Index) -> Signal {
    let Gate { kind, inputs, .. } = gate;
    // The inputs of each group, in order of the groups, each with whether it is inverted.
    let mut found: SmallVec<[(u32, Signal); 16]> =
        inputs.iter().filter_map(|&input| Some((index.group(input)?, input))).collect();
    if found.len() < 2 {
        return builder.node(kind, inputs);
    }
    found.sort_unstable();
    let mut rest: Vec<Signal> =
        inputs.iter().copied().filter(|&input| index.group(input).is_none()).collect();
    for run in found.chunk_by(|a, b| a.0 == b.0) {
        let members = &index.groups[run[0].0.index()];
        let signals: SmallVec<[Signal; 16]> = run.iter().map(|&(_, signal)| signal).collect();
        match within_group(builder, kind, members, &signals, index.exactly) {
            Some(mut signals) => rest.append(&mut signals),
            None => return !kind.neutral(),
        }
    }
    builder.node(kind, &mut rest)
}

/// The replacement of these inputs of one group, which are sorted; `None` if they decide the node.
///
/// In an AND, a member that must hold (`strong`) excludes all others, and many members that must not hold leave a few of
/// which one does. In an OR the roles are exchanged: the strong inputs are the inverted ones.
fn within_group(
    builder: &mut Builder,
    kind: Kind,
    members: &[NodeId],
    signals: &[Signal],
    exactly: bool,
) -> Option<Vec<Signal>> {
    let is_strong = |signal: &&Signal| signal.is_inverted() == (kind == Kind::Or);
    let strong: Vec<Signal> = signals.iter().filter(is_strong).copied().collect();
    match strong[..] {
        [only] if signals.contains(&!only) => return None,
        [only] => return Some(vec![only]),
        [] => {}
        _ => return None,
    }
    if exactly && signals.len() == members.len() {
        return None;
    }
    if !exactly || signals.len() * 2 <= members.len() {
        return Some(signals.to_vec());
    }
    let is_named = |member: &NodeId| signals.binary_search_by_key(member, |signal| signal.node()).is_ok();
    let mut others: Vec<Signal> =
        members.iter().filter(|member| !is_named(member)).map(|&member| Signal::of(member)).collect();
    let one_of_others = builder.gate(Kind::Or, &mut others);
    Some(vec![one_of_others.inverted_if(kind == Kind::Or)])
}

#[cfg(test)]
mod tests {
    use crate::network::testing::check;

    const PASSES: [&str; 4] = ["single-input", "groups", "single-input", "unneeded"];

    #[test]
    fn nearly_all_moves_are_none_of_the_others() {
        let rules = "(<= p (does r (a ?x))) (<= (next (f 1)) p)";
        check(rules, &PASSES, "(next (f 1)) = !(does r noop)");
        let rules =
            "(<= (next (f 1)) (true (f 2)) (not (does r (a 1))) (not (does r (a 2))) (not (does r noop)))";
        check(rules, &PASSES, "(next (f 1)) = (and (f 2) (does r (a 3)))");
    }

    #[test]
    fn a_move_excludes_the_others() {
        let rules = "(<= (next (f 1)) (does r (a 1)) (not (does r (a 2))))";
        check(rules, &PASSES, "(next (f 1)) = (does r (a 1))");
        check("(<= (next (f 1)) (does r (a 1)) (does r (a 2)))", &PASSES, "(next (f 1)) = false");
    }
}
