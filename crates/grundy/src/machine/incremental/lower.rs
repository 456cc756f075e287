//! From a network to an incremental machine.

use super::arms::{Arms, Triggers, arming, blocks};
use super::effects::Effects;
use super::flow::Wires;
use super::goals::worth_counting;
use super::loops::Loops;
use super::player::Memory;
use super::{IncrementalMachine, Late, LateGate, MoveSet, Output, Probe, Reader};
use crate::ids::{Id, narrow};
use crate::machine::Rules;
use crate::machine::cones::{Cone, Step};
use crate::network::{self, Kind, MoveEffects, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The set of a move, and where that begins.
type Home = (u32, u32);

/// The work for an edge, as [`Ticks`] count it.
const WORK: usize = 4;

/// A node that has no place.
const NOWHERE: u32 = u32::MAX;

/// How a signal is read: the mark of an OR is its opposite.
pub(super) fn probe(network: &Network, places: &[u32], signal: Signal) -> Probe {
    let node = signal.node();
    debug_assert!(places[node.index()] != NOWHERE, "what is read has a place");
    Probe::new(places[node.index()], signal.is_inverted() != (network.kind(node) == Kind::Or))
}

impl IncrementalMachine {
    /// Makes the machine.
    pub fn new(rules: Arc<Rules>, budget: &Budget) -> Result<IncrementalMachine, Exhausted> {
        IncrementalMachine::with(rules, budget, |machine, network, gates| {
            Triggers::find(machine, network, gates, budget)
        })
    }

    /// The same with a trigger for every gate that can have one, worth it or not.
    pub fn with_triggers(rules: Arc<Rules>) -> IncrementalMachine {
        let everywhere =
            |_: &_, network: &_, gates: &[NodeId]| Ok(Some(Triggers::everywhere(network, gates)));
        IncrementalMachine::with(rules, &Budget::default(), everywhere).expect("the budget has no bounds")
    }

    fn with(
        rules: Arc<Rules>,
        budget: &Budget,
        find: impl Fn(&IncrementalMachine, &Network, &[NodeId]) -> Result<Option<Triggers>, Exhausted>,
    ) -> Result<IncrementalMachine, Exhausted> {
        let network::Effects { network, of_move, kept } = network::effects(rules.network(), budget)?;
        let nexts = network.interface().fluents.iter().map(|fluent| fluent.next);
        let next = Cone::new(&network, nexts.chain(kept), &[&rules.cones.state], budget)?;
        let mut kept = Kept::new(&network, &[&rules.cones.state, &next]);
        let parts = Parts { rules: &rules, network: &network, of_move: &of_move, next: &next, budget };
        let mut machine = parts.machine(&kept, &[], &Triggers::default())?;
        let goals = worth_counting(&machine, &network, &without(&rules.cones.goals, &kept), budget)?;
        if !goals.is_empty() {
            goals.iter().for_each(|node| kept.is_counted[node.index()] = true);
            // There is no need for both in memory.
            drop(machine);
            machine = parts.machine(&kept, &goals, &Triggers::default())?;
        }
        let gates: Vec<NodeId> = network.gates().filter(|node| kept.is_counted[node.index()]).collect();
        if let Some(triggers) = find(&machine, &network, &gates)? {
            drop(machine);
            machine = parts.machine(&kept, &goals, &triggers)?;
        }
        machine.places.truncate(rules.network().node_count());
        Ok(machine)
    }
}

/// What a machine is made from.
struct Parts<'a> {
    rules: &'a Arc<Rules>,
    /// The network with the effects of moves.
    network: &'a Network,
    of_move: &'a [MoveEffects],
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
        let Parts { rules, network, of_move, next, budget } = *self;
        // Wires take most of it.
        budget.check_room(network.edge_count() * size_of::<Reader>())?;
        let goals = without(&rules.cones.goals, kept);
        let sees = without(&rules.cones.sees, kept);
        let mut lower = Lower::new(network, kept, triggers);
        let lists = of_move.iter().flat_map(|effects| [&effects.alone, &effects.together]);
        let of_effects = slice(network, kept, lists.flatten());
        budget.check()?;
        for &node in goals.order.iter().chain(&sees.order).chain(&of_effects) {
            lower.give_place(node);
        }
        let goals = lower.late(&goals);
        let sees = lower.late(&sees);
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
            place_count: lower.place_count.index(),
            places: lower.places,
            initial: Memory::default(),
            rules: rules.clone(),
        };
        let cones = [&rules.cones.state, next];
        machine.initial = Memory::initial(&machine, network, cones, of_goals, &lower.armed, budget)?;
        Ok(machine)
    }
}

/// What is kept up to date.
struct Kept {
    /// For each node whether it has a counter.
    is_counted: Vec<bool>,
    /// For each node whether it is in a loop.
    in_loop: Vec<bool>,
    loops: Vec<Vec<NodeId>>,
}

impl Kept {
    fn new(network: &Network, cones: &[&Cone]) -> Kept {
        let none = vec![false; network.node_count()];
        let mut kept = Kept { is_counted: none.clone(), in_loop: none, loops: Vec::new() };
        for step in cones.iter().flat_map(|cone| cone.steps()) {
            match step {
                Step::Gate(node) => kept.is_counted[node.index()] = true,
                Step::Loop(members) => {
                    members.iter().for_each(|member| kept.in_loop[member.index()] = true);
                    kept.loops.push(members.to_vec());
                }
            }
        }
        kept.loops.sort();
        kept
    }

    fn contains(&self, node: NodeId) -> bool {
        self.is_counted[node.index()] || self.in_loop[node.index()]
    }
}

/// A cone without what is kept up to date.
fn without(cone: &Cone, kept: &Kept) -> Cone {
    let is_late = |node: &NodeId| !kept.contains(*node);
    let mut rest = Cone::default();
    for step in cone.steps() {
        match step {
            Step::Gate(node) => rest.order.extend(Some(node).filter(is_late)),
            Step::Loop(members) => {
                let start = rest.order.len();
                rest.order.extend(members.iter().copied().filter(is_late));
                if rest.order.len() > start {
                    rest.loops.push(start..rest.order.len());
                }
            }
        }
    }
    rest
}

/// The gates that effects need and that nobody keeps up to date, in order.
fn slice<'e>(
    network: &Network,
    kept: &Kept,
    effects: impl Iterator<Item = &'e (u32, Signal)>,
) -> Vec<NodeId> {
    let first_gate = network.interface().first_gate();
    let mut seen = FxHashSet::default();
    let mut open: Vec<NodeId> = effects.map(|&(_, next)| next.node()).collect();
    while let Some(node) = open.pop() {
        if node.0 >= first_gate && !kept.contains(node) && seen.insert(node) {
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
    pub(super) places: Vec<u32>,
    place_count: u32,
    /// How many places are kept up to date.
    kept_count: u32,
    armed: Vec<ArmedGate>,
}

/// A gate with a trigger.
pub(super) struct ArmedGate {
    node: NodeId,
    /// Which of its inputs is the trigger.
    trigger: usize,
    /// The place of a counter for all others, if there are several.
    rest: Option<u32>,
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

    pub(super) fn rest(&self) -> Option<u32> {
        self.rest
    }
}

impl Lower<'_> {
    /// Places for all that is kept up to date.
    fn new<'a>(network: &'a Network, kept: &Kept, triggers: &Triggers) -> Lower<'a> {
        let first_gate = network.interface().first_gate();
        let mut places = vec![NOWHERE; network.node_count()];
        (0..first_gate).for_each(|node| places[node.index()] = node);
        let mut lower = Lower { network, places, place_count: first_gate, kept_count: 0, armed: Vec::new() };
        network.gates().filter(|node| kept.is_counted[node.index()]).for_each(|node| lower.give_place(node));
        kept.loops.iter().flatten().for_each(|&node| lower.give_place(node));
        for node in network.gates().filter(|node| kept.is_counted[node.index()]) {
            if let Some(trigger) = triggers.of(node) {
                let rest = (network.inputs(node).len() > 2).then_some(lower.place_count);
                lower.place_count += u32::from(rest.is_some());
                lower.armed.push(ArmedGate { node, trigger, rest });
            }
        }
        lower.kept_count = lower.place_count;
        lower
    }

    fn give_place(&mut self, node: NodeId) {
        let place = &mut self.places[node.index()];
        if *place == NOWHERE {
            *place = self.place_count;
            self.place_count += 1;
        }
    }

    /// Whether a signal is kept up to date.
    pub(super) fn is_kept(&self, signal: Signal) -> bool {
        self.places[signal.node().index()] < self.kept_count
    }

    pub(super) fn probe(&self, signal: Signal) -> Probe {
        probe(self.network, &self.places, signal)
    }

    /// The gates of a cone, with the ways to read their inputs.
    fn late(&self, cone: &Cone) -> Late {
        let mut late = Late { loops: cone.loops.clone(), ..Late::default() };
        cone.order.iter().for_each(|&node| self.add_late(&mut late, node));
        late
    }

    pub(super) fn add_late(&self, late: &mut Late, node: NodeId) {
        let start = narrow(late.inputs.len());
        late.inputs.extend(self.network.inputs(node).iter().map(|&input| self.probe(input)));
        let is_or = self.network.kind(node) == Kind::Or;
        let place = self.places[node.index()];
        late.gates.push(LateGate { place, is_or, start, end: narrow(late.inputs.len()) });
    }

    /// The gates with triggers.
    fn arms(&self) -> Arms {
        let arm = |gate: &ArmedGate| {
            let trigger = self.probe(self.network.inputs(gate.node)[gate.trigger]);
            (self.places[gate.node.index()], trigger, gate.counts_true(self.network))
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
        // Readers are sorted by counting: first how many each place has, then where they are.
        let mut starts = vec![0u32; self.place_count.index() + 1];
        self.for_each_counter(kept, budget, |from, _| starts[from + 1] += 1)?;
        for place in 0..self.place_count.index() {
            starts[place + 1] += starts[place];
        }
        let count = starts.pop().unwrap_or_default().index();
        let mut free = starts.clone();
        let mut readers = vec![Reader::new(0, false); count];
        self.for_each_counter(kept, budget, |from, reader| {
            readers[free[from].index()] = reader;
            free[from] += 1;
        })?;
        let mut ticks = Ticks::default();
        for (&start, &end) in starts.iter().zip(&free) {
            ticks.work(budget, WORK * (1 + (end - start).index()))?;
            let readers = &mut readers[start.index()..end.index()];
            readers.sort_unstable_by_key(|reader| (reader.goes_down(), reader.place()));
        }
        let mut list = Vec::new();
        let mut single = vec![Output::NOTHING; self.place_count.index()];
        for (place, mut outputs) in self.outputs(loops, arms) {
            let is_plain = outputs.iter().all(|output| output.tag() < Output::LIST);
            single[place.index()] = if outputs.len() == 1 && is_plain {
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
        Ok((Wires::new(&starts, readers, single), list))
    }

    /// All pairs of a place and a counter that it changes.
    fn for_each_counter(
        &self,
        kept: &Kept,
        budget: &Budget,
        mut visit: impl FnMut(usize, Reader),
    ) -> Result<(), Exhausted> {
        let network = self.network;
        let mut count = |input: Signal, place: u32, counts_true: bool| {
            let probe = self.probe(input);
            visit(probe.place(), Reader::new(place, !blocks(probe, counts_true)));
        };
        let mut ticks = Ticks::default();
        let mut armed = self.armed.iter().peekable();
        for node in network.gates().filter(|node| kept.is_counted[node.index()]) {
            ticks.work(budget, WORK * (1 + network.inputs(node).len()))?;
            // An OR counts what is true, an AND what is false.
            let counts_true = network.kind(node) == Kind::Or;
            match armed.next_if(|gate| gate.node == node) {
                None => {
                    let inputs = network.inputs(node).iter();
                    inputs.for_each(|&input| count(input, self.places[node.index()], counts_true));
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

    /// What besides counters depends on places.
    fn outputs(&self, loops: &Loops, arms: &Arms) -> BTreeMap<u32, Vec<Output>> {
        let interface = self.network.interface();
        let mut outputs: BTreeMap<u32, Vec<Output>> = BTreeMap::new();
        for (fluent, info) in interface.fluents.iter().enumerate() {
            // What stays as it is need not be looked at when it changes.
            if info.next != Signal::of(interface.fluent_node(fluent)) {
                let place = narrow(self.probe(info.next).place());
                outputs.entry(place).or_default().push(Output::new(Output::FLUENT, narrow(fluent)));
            }
        }
        for (number, one_move) in interface.moves.iter().enumerate() {
            let probe = self.probe(one_move.legal);
            let tag = Output::MOVE + u32::from(!probe.is_inverted());
            outputs.entry(narrow(probe.place())).or_default().push(Output::new(tag, narrow(number)));
        }
        for (place, port) in loops.ports() {
            outputs.entry(place).or_default().push(Output::new(Output::PORT, port));
        }
        for (number, gate) in self.armed.iter().enumerate() {
            let (place, when_marked) = match (gate.rest, gate.others(self.network).next()) {
                (None, Some(other)) => {
                    let other = self.probe(other);
                    (narrow(other.place()), !blocks(other, gate.counts_true(self.network)))
                }
                (rest, _) => (rest.unwrap_or_default(), true),
            };
            outputs.entry(place).or_default().push(arming(number, when_marked));
        }
        for (place, list) in arms.triggers() {
            outputs.entry(place).or_default().push(Output::new(Output::TRIGGER, list));
        }
        outputs
    }

    /// The sets of moves: for each role one for each guard.
    fn move_sets(&self) -> (Vec<MoveSet>, Vec<Range<usize>>, Vec<Home>) {
        let interface = self.network.interface();
        let mut sets = Vec::new();
        let mut sets_of = Vec::new();
        let mut homes = vec![(0, 0); interface.moves.len()];
        for role in interface.role_ids() {
            let mut by_guard: BTreeMap<Signal, Vec<u32>> = BTreeMap::new();
            for number in interface.moves_of(role) {
                by_guard.entry(interface.moves[number.index()].guard).or_default().push(number);
            }
            let first = sets.len();
            let mut base = interface.moves_of(role).start;
            for (guard, members) in by_guard {
                members.iter().for_each(|&member| homes[member.index()] = (narrow(sets.len()), base));
                sets.push(MoveSet { guard: self.probe(guard), base });
                base += narrow(members.len());
            }
            sets_of.push(first..sets.len());
        }
        (sets, sets_of, homes)
    }
}
