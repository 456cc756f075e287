//! The cones of influence of the answers: the gates that each of them needs.

use crate::ids::BitSet;
use crate::network::{Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};
use std::ops::Range;

/// Gates in order of evaluation.
#[derive(Clone, Debug, Default)]
pub(super) struct Cone {
    pub(super) order: Vec<NodeId>,
    /// Parts of the order that are iterated from all false until nothing changes.
    pub(super) loops: Vec<Range<usize>>,
}

/// A component of a cone; components are evaluated in order.
pub(super) enum Component<'a> {
    /// A gate that only depends on earlier components.
    Gate(NodeId),
    /// Nodes that depend on each other.
    Loop(&'a [NodeId]),
}

impl Cone {
    /// The gates that some signals need, without those of known cones.
    pub(super) fn new(
        network: &Network,
        signals: impl Iterator<Item = Signal>,
        known: &[&Cone],
        budget: &Budget,
    ) -> Result<Cone, Exhausted> {
        budget.check_room(network.node_count() * size_of::<NodeId>())?;
        let mut ticks = Ticks::default();
        let mut seen: BitSet<NodeId> = BitSet::empty(network.node_count());
        known.iter().flat_map(|cone| &cone.order).for_each(|&node| seen.set(node, true));
        let mut order = Vec::new();
        let mut open: Vec<NodeId> = signals.map(Signal::node).collect();
        let first_gate = network.interface().first_gate();
        while let Some(node) = open.pop() {
            if node >= first_gate && seen.insert(node) {
                ticks.work(budget, 1 + network.inputs(node).len())?;
                order.push(node);
                open.extend(network.inputs(node).iter().map(|signal| signal.node()));
            }
        }
        order.sort_unstable();
        let place = |node: NodeId| order.partition_point(|&other| other < node);
        let loops = network.loops().iter().map(|range| place(range.start)..place(range.end));
        let loops = loops.filter(|range| !range.is_empty()).collect();
        Ok(Cone { order, loops })
    }

    /// The components, in the order of evaluation.
    pub(super) fn components(&self) -> impl Iterator<Item = Component<'_>> {
        let mut at = 0;
        let mut loops = self.loops.iter();
        let mut next_loop = loops.next();
        std::iter::from_fn(move || match next_loop {
            Some(range) if range.start == at => {
                at = range.end;
                next_loop = loops.next();
                Some(Component::Loop(&self.order[range.clone()]))
            }
            _ => {
                at += 1;
                self.order.get(at - 1).map(|&node| Component::Gate(node))
            }
        })
    }
}

/// The cones of all answers.
#[derive(Clone, Debug)]
pub(super) struct Cones {
    /// `legal` and `terminal`, and hints about moves: needed in every state.
    pub(super) state: Cone,
    /// `next`, without the above.
    pub(super) next: Cone,
    /// `goal`, without what every state needs.
    pub(super) goals: Cone,
    /// `sees`, without what every state needs.
    pub(super) sees: Cone,
}

impl Cones {
    pub(super) fn new(network: &Network, budget: &Budget) -> Result<Cones, Exhausted> {
        let interface = network.interface();
        let legal = interface.moves.iter().flat_map(|m| [m.legal, m.guard]);
        let hints = interface.hints.iter().map(|hint| hint.holds);
        let state = Cone::new(network, legal.chain([interface.terminal]).chain(hints), &[], budget)?;
        let next = interface.fluents.iter().map(|fluent| fluent.next);
        let next = Cone::new(network, next, &[&state], budget)?;
        let goals = interface.goals.iter().flatten().map(|goal| goal.holds);
        let goals = Cone::new(network, goals, &[&state], budget)?;
        let sees = interface.sees.iter().flatten().map(|percept| percept.holds);
        let sees = Cone::new(network, sees, &[&state], budget)?;
        Ok(Cones { state, next, goals, sees })
    }
}
