//! Compiles a network to an incremental machine: cells for nodes, readers for edges, sets for moves.
//!
//! Compilation may run three times. The first machine has counters for everything that is needed in every state; a sample
//! of its play decides which nodes of goals get counters, too (`goals.rs`), and which gates get triggers (`arms.rs`).

use super::arms::{ArmId, Arms, Triggers, arming, blocks};
use super::effects::Effects;
use super::flow::Wires;
use super::goals::worth_counting;
use super::loops::Loops;
use super::memory::Memory;
use super::{CellId, IncrementalMachine, LazyGate, LazyGates, MoveSet, Output, Probe, Reader, SetId};
use crate::ids::{BitSet, Csr, IdVec, ids_in, narrow};
use crate::machine::CompiledGame;
use crate::machine::cones::{Component, Cone};
use crate::network::{self, Effect, Kind, MoveEffects, MoveId, Network, NodeId, RoleId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The set of a move, and where that begins.
type Home = (SetId, u32);

/// All sets, those of each role, and the set of each move.
type MoveSets = (IdVec<SetId, MoveSet>, IdVec<RoleId, Range<SetId>>, IdVec<MoveId, Home>);

/// The work for an edge, as [`Ticks`] count it: a guess.
const WORK: usize = 4;

/// A node that has no cell.
const NOWHERE: CellId = CellId(u32::MAX);

/// How a signal is read: the mark of an OR is its opposite.
pub(super) fn probe(network: &Network, cells: &IdVec<NodeId, CellId>, signal: Signal) -> Probe {
    let node = signal.node();
    debug_assert!(cells[node] != NOWHERE, "what is read has a cell");
    Probe::new(cells[node], signal.is_inverted() != (network.kind(node) == Kind::Or))
}

impl IncrementalMachine {
    /// Makes the machine.
    pub fn new(game: Arc<CompiledGame>, budget: &Budget) -> Result<IncrementalMachine, Exhausted> {
        IncrementalMachine::with(game, budget, |machine, network, gates| {
            Triggers::find(machine, network, gates, budget)
        })
    }

    /// The same with a trigger for every gate that can have one, worth it or not.
    pub fn with_triggers(game: Arc<CompiledGame>) -> IncrementalMachine {
        let everywhere =
            |_: &_, network: &_, gates: &[NodeId]| Ok(Some(Triggers::everywhere(network, gates)));
        IncrementalMachine::with(game, &Budget::default(), everywhere).expect("the budget has no bounds")
    }

    fn with(
        game: Arc<CompiledGame>,
        budget: &Budget,
        find: impl Fn(&IncrementalMachine, &Network, &[NodeId]) -> Result<Option<Triggers>, Exhausted>,
    ) -> Result<IncrementalMachine, Exhausted> {
        let network::Effects { network, of_move, kept } = network::effects(game.network(), budget)?;
        let nexts = network.interface().fluents.iter().map(|fluent| fluent.next);
        let next = Cone::new(&network, nexts.chain(kept), &[&game.cones.state], budget)?;
        let mut kept = Kept::new(&network, &[&game.cones.state, &next]);
        let parts = Parts { game: &game, network: &network, of_move: &of_move, next: &next, budget };
        let mut machine = parts.machine(&kept, &[], &Triggers::default())?;
        let goals = worth_counting(&machine, &network, &without(&game.cones.goals, &kept), budget)?;
        if !goals.is_empty() {
            goals.iter().for_each(|&node| kept.is_counted.set(node, true));
            // Only one machine has to be in memory.
            drop(machine);
            machine = parts.machine(&kept, &goals, &Triggers::default())?;
        }
        let gates: Vec<NodeId> = network.gates().filter(|&node| kept.is_counted.contains(node)).collect();
        if let Some(triggers) = find(&machine, &network, &gates)? {
            drop(machine);
            machine = parts.machine(&kept, &goals, &triggers)?;
        }
        machine.cells.truncate(game.network().node_count());
        Ok(machine)
    }
}

/// What a machine is made from.
struct Parts<'a> {
    game: &'a Arc<CompiledGame>,
    /// The network with the effects of moves.
    network: &'a Network,
    of_move: &'a IdVec<MoveId, MoveEffects>,
    next: &'a Cone,
    budget: &'a Budget,
}

impl Parts<'_> {
    /// A machine that keeps some nodes up to date, of which some are those of goals.
    fn machine(
        &self,
        kept: &Kept,
        of_goals: &[NodeId],
        triggers: &Triggers,
    ) -> Result<IncrementalMachine, Exhausted> {
        let Parts { game, network, of_move, next, budget } = *self;
        // Wires take most of the memory.
        budget.check_room(network.edge_count() * size_of::<Reader>())?;
        let goals = without(&game.cones.goals, kept);
        let sees = without(&game.cones.sees, kept);
        let mut lower = Lower::new(network, kept, triggers);
        let lists = of_move.iter().flat_map(|effects| [&effects.alone, &effects.together]);
        let of_effects = slice(network, kept, lists.flatten());
        budget.check()?;
        for &node in goals.order.iter().chain(&sees.order).chain(&of_effects) {
            lower.give_cell(node);
        }
        let goals = lower.lazy(&goals);
        let sees = lower.lazy(&sees);
        let effects = Effects::new(&lower, of_move, |effects| slice(network, kept, effects.iter()), budget)?;
        let loops = Loops::new(&lower, &kept.loops);
        budget.check()?;
        let arms = lower.arms();
        let (wires, outputs) = lower.edges(kept, &loops, &arms, budget)?;
        let (sets, sets_of, homes) = lower.move_sets();
        let nexts = network.interface().fluents.iter().map(|fluent| lower.probe(fluent.next)).collect();
        let mut machine = IncrementalMachine {
            nexts,
            terminal: lower.probe(network.interface().terminal),
            goals,
            sees,
            effects,
            wires,
            outputs,
            loops,
            arms,
            sets,
            sets_of,
            homes,
            kept: lower.kept_count.index(),
            cell_count: lower.cell_count.index(),
            cells: lower.cells,
            initial: Memory::default(),
            game: game.clone(),
        };
        let cones = [&game.cones.state, next];
        machine.initial = Memory::initial(&machine, network, cones, of_goals, &lower.armed, budget)?;
        Ok(machine)
    }
}

/// What is kept up to date.
struct Kept {
    /// For each node whether it has a counter.
    is_counted: BitSet<NodeId>,
    /// For each node whether it is in a loop.
    in_loop: BitSet<NodeId>,
    loops: Vec<Vec<NodeId>>,
}

impl Kept {
    fn new(network: &Network, cones: &[&Cone]) -> Kept {
        let none = BitSet::empty(network.node_count());
        let mut kept = Kept { is_counted: none.clone(), in_loop: none, loops: Vec::new() };
        for step in cones.iter().flat_map(|cone| cone.components()) {
            match step {
                Component::Gate(node) => kept.is_counted.set(node, true),
                Component::Loop(members) => {
                    members.iter().for_each(|&member| kept.in_loop.set(member, true));
                    kept.loops.push(members.to_vec());
                }
            }
        }
        kept.loops.sort();
        kept
    }

    fn contains(&self, node: NodeId) -> bool {
        self.is_counted.contains(node) || self.in_loop.contains(node)
    }
}

/// A cone without what is kept up to date.
fn without(cone: &Cone, kept: &Kept) -> Cone {
    let is_lazy = |node: &NodeId| !kept.contains(*node);
    let mut rest = Cone::default();
    for step in cone.components() {
        match step {
            Component::Gate(node) => rest.order.extend(Some(node).filter(is_lazy)),
            Component::Loop(members) => {
                let start = rest.order.len();
                rest.order.extend(members.iter().copied().filter(is_lazy));
                if rest.order.len() > start {
                    rest.loops.push(start..rest.order.len());
                }
            }
        }
    }
    rest
}

/// The gates that effects need and that are not kept up to date, in order.
fn slice<'e>(network: &Network, kept: &Kept, effects: impl Iterator<Item = &'e Effect>) -> Vec<NodeId> {
    let first_gate = network.interface().first_gate();
    let mut seen = FxHashSet::default();
    let mut open: Vec<NodeId> = effects.map(|&(_, next)| next.node()).collect();
    while let Some(node) = open.pop() {
        if node >= first_gate && !kept.contains(node) && seen.insert(node) {
            open.extend(network.inputs(node).iter().map(|input| input.node()));
        }
    }
    let mut slice: Vec<NodeId> = seen.into_iter().collect();
    slice.sort_unstable();
    slice
}

/// A machine in the making: which node is kept where.
pub(super) struct Lower<'a> {
    pub(super) network: &'a Network,
    pub(super) cells: IdVec<NodeId, CellId>,
    /// One past the last cell.
    cell_count: CellId,
    /// One past the last cell that is kept up to date.
    kept_count: CellId,
    armed: IdVec<ArmId, ArmedGate>,
}

/// A gate with a trigger.
pub(super) struct ArmedGate {
    node: NodeId,
    /// Which of its inputs is the trigger.
    trigger: usize,
    /// The cell of a counter for all others, if there are several.
    rest: Option<CellId>,
}

impl ArmedGate {
    /// The inputs that are not the trigger.
    pub(super) fn others<'n>(&self, network: &'n Network) -> impl Iterator<Item = Signal> + 'n {
        let trigger = self.trigger;
        let inputs = network.inputs(self.node).iter().enumerate();
        inputs.filter(move |(at, _)| *at != trigger).map(|(_, &input)| input)
    }

    pub(super) fn counts_true(&self, network: &Network) -> bool {
        network.kind(self.node) == Kind::Or
    }

    pub(super) fn rest(&self) -> Option<CellId> {
        self.rest
    }
}

impl Lower<'_> {
    /// Places for all that is kept up to date.
    fn new<'a>(network: &'a Network, kept: &Kept, triggers: &Triggers) -> Lower<'a> {
        let first_gate = network.interface().first_gate();
        let mut cells = IdVec::filled(NOWHERE, network.node_count());
        ids_in(&(NodeId(0)..first_gate)).for_each(|node| cells[node] = CellId(node.0));
        let cell_count = CellId(first_gate.0);
        let mut lower = Lower { network, cells, cell_count, kept_count: CellId(0), armed: IdVec::default() };
        network.gates().filter(|&node| kept.is_counted.contains(node)).for_each(|node| lower.give_cell(node));
        kept.loops.iter().flatten().for_each(|&node| lower.give_cell(node));
        for node in network.gates().filter(|&node| kept.is_counted.contains(node)) {
            if let Some(trigger) = triggers.of(node) {
                let rest = (network.inputs(node).len() > 2).then(|| lower.new_cell());
                lower.armed.push(ArmedGate { node, trigger, rest });
            }
        }
        lower.kept_count = lower.cell_count;
        lower
    }

    fn new_cell(&mut self) -> CellId {
        let cell = self.cell_count;
        self.cell_count.0 += 1;
        cell
    }

    fn give_cell(&mut self, node: NodeId) {
        if self.cells[node] == NOWHERE {
            self.cells[node] = self.new_cell();
        }
    }

    /// Whether a signal is kept up to date.
    pub(super) fn is_kept(&self, signal: Signal) -> bool {
        self.cells[signal.node()] < self.kept_count
    }

    pub(super) fn probe(&self, signal: Signal) -> Probe {
        probe(self.network, &self.cells, signal)
    }

    /// The gates of a cone, with the ways to read their inputs.
    fn lazy(&self, cone: &Cone) -> LazyGates {
        let mut lazy = LazyGates { loops: cone.loops.clone(), ..LazyGates::default() };
        cone.order.iter().for_each(|&node| self.add_lazy(&mut lazy, node));
        lazy
    }

    pub(super) fn add_lazy(&self, lazy: &mut LazyGates, node: NodeId) {
        let start = narrow(lazy.inputs.len());
        lazy.inputs.extend(self.network.inputs(node).iter().map(|&input| self.probe(input)));
        let is_or = self.network.kind(node) == Kind::Or;
        let cell = self.cells[node];
        lazy.gates.push(LazyGate { cell, is_or, start, end: narrow(lazy.inputs.len()) });
    }

    /// The gates with triggers.
    fn arms(&self) -> Arms {
        let arm = |gate: &ArmedGate| {
            let trigger = self.probe(self.network.inputs(gate.node)[gate.trigger]);
            (self.cells[gate.node], trigger, gate.counts_true(self.network))
        };
        Arms::new(&self.armed.iter().map(arm).collect::<Vec<_>>())
    }

    /// For each place the counters that it changes, and what else depends on it.
    fn edges(
        &self,
        kept: &Kept,
        loops: &Loops,
        arms: &Arms,
        budget: &Budget,
    ) -> Result<(Wires, Vec<Output>), Exhausted> {
        let mut edges = Vec::with_capacity(self.network.edge_count());
        self.for_each_counter(kept, budget, |from, reader| edges.push((from, reader)))?;
        let mut readers = Csr::grouped(self.cell_count.index(), edges.iter().copied());
        let mut ticks = Ticks::default();
        for cell in ids_in(&(CellId(0)..self.cell_count)) {
            let readers = readers.list_mut(cell);
            ticks.work(budget, WORK * (1 + readers.len()))?;
            readers.sort_unstable_by_key(|reader| (reader.goes_down(), reader.cell()));
        }
        let mut list = Vec::new();
        let mut single = IdVec::filled(Output::NOTHING, self.cell_count.index());
        for (cell, mut outputs) in self.outputs(loops, arms) {
            let is_plain = outputs.iter().all(|output| output.tag() < Output::LIST);
            single[cell] = if outputs.len() == 1 && is_plain {
                outputs[0]
            } else {
                let tag = if is_plain { Output::PLAIN_LIST } else { Output::LIST };
                let start = narrow(list.len());
                list.append(&mut outputs);
                list.push(Output::NOTHING);
                Output::new(tag, start)
            };
        }
        budget.check()?;
        Ok((Wires::new(readers, single), list))
    }

    /// All pairs of a cell and a counter that it changes.
    fn for_each_counter(
        &self,
        kept: &Kept,
        budget: &Budget,
        mut visit: impl FnMut(CellId, Reader),
    ) -> Result<(), Exhausted> {
        let network = self.network;
        let mut count = |input: Signal, counter: CellId, counts_true: bool| {
            let probe = self.probe(input);
            visit(probe.cell(), Reader::new(counter, !blocks(probe, counts_true)));
        };
        let mut ticks = Ticks::default();
        let mut armed = self.armed.iter().peekable();
        for node in network.gates().filter(|&node| kept.is_counted.contains(node)) {
            ticks.work(budget, WORK * (1 + network.inputs(node).len()))?;
            // An OR counts what is true, an AND what is false.
            let counts_true = network.kind(node) == Kind::Or;
            match armed.next_if(|gate| gate.node == node) {
                None => {
                    let inputs = network.inputs(node).iter();
                    inputs.for_each(|&input| count(input, self.cells[node], counts_true));
                }
                Some(gate) => {
                    if let Some(rest) = gate.rest {
                        gate.others(network).for_each(|input| count(input, rest, counts_true));
                    }
                }
            }
        }
        Ok(())
    }

    /// What besides counters depends on cells.
    fn outputs(&self, loops: &Loops, arms: &Arms) -> BTreeMap<CellId, Vec<Output>> {
        let interface = self.network.interface();
        let mut outputs: BTreeMap<CellId, Vec<Output>> = BTreeMap::new();
        for (fluent, info) in interface.fluents.entries() {
            // A fluent that keeps its value is not touched when it changes.
            if info.next != Signal::of(interface.fluent_node(fluent)) {
                let cell = self.probe(info.next).cell();
                outputs.entry(cell).or_default().push(Output::new(Output::FLUENT, fluent.0));
            }
        }
        for (number, m) in interface.moves.entries() {
            let probe = self.probe(m.legal);
            let tag = Output::MOVE + u32::from(!probe.is_inverted());
            outputs.entry(probe.cell()).or_default().push(Output::new(tag, number.0));
        }
        for (cell, port) in loops.ports() {
            outputs.entry(cell).or_default().push(Output::new(Output::PORT, port.0));
        }
        for (arm, gate) in self.armed.entries() {
            let (cell, when_marked) = match (gate.rest, gate.others(self.network).next()) {
                (None, Some(other)) => {
                    let other = self.probe(other);
                    (other.cell(), !blocks(other, gate.counts_true(self.network)))
                }
                (rest, _) => (rest.unwrap_or(CellId(0)), true),
            };
            outputs.entry(cell).or_default().push(arming(arm, when_marked));
        }
        for (cell, trigger) in arms.triggers() {
            outputs.entry(cell).or_default().push(Output::new(Output::TRIGGER, trigger.0));
        }
        outputs
    }

    /// The sets of moves: for each role one for each guard.
    fn move_sets(&self) -> MoveSets {
        let interface = self.network.interface();
        let mut sets: IdVec<SetId, MoveSet> = IdVec::default();
        let mut sets_of = IdVec::default();
        let mut homes = IdVec::filled((SetId(0), 0), interface.moves.len());
        let mut base = 0;
        for role in interface.role_ids() {
            let mut by_guard: BTreeMap<Signal, Vec<MoveId>> = BTreeMap::new();
            for number in interface.moves_of(role) {
                by_guard.entry(interface.moves[number].guard).or_default().push(number);
            }
            let first = SetId::new(sets.len());
            for (guard, members) in by_guard {
                let set = sets.push(MoveSet { guard: self.probe(guard), base });
                members.iter().for_each(|&member| homes[member] = (set, base));
                base += narrow(members.len());
            }
            sets_of.push(first..SetId::new(sets.len()));
        }
        (sets, sets_of, homes)
    }
}
