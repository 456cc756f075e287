//! Arming: gates that ignore one of their inputs while another one blocks them.
//!
//! A signal that changes at every step and that hundreds of gates read changes hundreds of counters, mostly without effect,
//! because another input determines (*blocks*) the gate: a false input of an AND, a true input of an OR. The remedy is a
//! relative of watched literals (Moskewicz et al., *Chaff*, 2001): a gate gets a *trigger*, its most active input, and is
//! *armed* while no other input blocks it.
//!
//! Invariant: a gate is on the list of its trigger exactly while it is armed. The value of an armed gate is decided by its
//! trigger, and that of another gate is the blocked one. When the trigger changes, only the gates on its list change; all
//! others are not visited. Unlike a watched literal the trigger is fixed, chosen by the counts of a few random games.

use super::memory::Memory;
use super::{CellId, IncrementalMachine, Output, Probe};
use crate::ids::{Id, IdVec, float, narrow};
use crate::network::{Kind, Network, NodeId};
use grundy_syntax::{Budget, Exhausted};

grundy_syntax::define_id! {
    /// A gate with a trigger.
    pub(super) struct ArmId(u32);
}

grundy_syntax::define_id! {
    /// A trigger, with the list of its armed gates.
    pub(super) struct TriggerId(u32);
}

/// A gate with a trigger.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    /// The cell of the gate. Its counter is zero if it is armed and the trigger does not block it, and one otherwise.
    pub(super) gate: CellId,
    /// The cell of the trigger, which blocks the gate while its mark is `blocks`.
    pub(super) trigger: CellId,
    pub(super) blocks: bool,
    list: TriggerId,
}

/// All gates with triggers.
#[derive(Clone, Debug, Default)]
pub(super) struct Arms {
    pub(super) arms: IdVec<ArmId, Arm>,
    /// Where the list of each trigger begins.
    starts: IdVec<TriggerId, u32>,
}

/// Which gates are armed.
#[derive(Clone, Debug, Default)]
pub(super) struct Armed {
    /// The lists, each with room for all gates of its trigger.
    members: Vec<ArmId>,
    /// The lengths of the lists.
    sizes: IdVec<TriggerId, u32>,
    /// For each gate its place in its list.
    places: IdVec<ArmId, u32>,
}

impl Arms {
    /// For these gates, each with how it reads its trigger and whether a true input blocks it.
    pub(super) fn new(gates: &[(CellId, Probe, bool)]) -> Arms {
        let mut triggers: Vec<CellId> = gates.iter().map(|(_, trigger, _)| trigger.cell()).collect();
        triggers.sort_unstable();
        let of_gates = triggers.clone();
        triggers.dedup();
        let arm = |&(gate, trigger, counts_true): &(CellId, Probe, bool)| {
            let list = TriggerId::new(triggers.partition_point(|&other| other < trigger.cell()));
            Arm { gate, trigger: trigger.cell(), blocks: blocks(trigger, counts_true), list }
        };
        let start = |&trigger: &CellId| narrow(of_gates.partition_point(|&other| other < trigger));
        Arms { arms: gates.iter().map(arm).collect(), starts: triggers.iter().map(start).collect() }
    }

    /// The cells of the triggers, each with its list.
    pub(super) fn triggers(&self) -> impl Iterator<Item = (CellId, TriggerId)> {
        let mut triggers: Vec<(CellId, TriggerId)> =
            self.arms.iter().map(|arm| (arm.trigger, arm.list)).collect();
        triggers.sort_unstable();
        triggers.dedup();
        triggers.into_iter()
    }
}

/// The mark with which an input blocks a gate.
pub(super) fn blocks(input: Probe, counts_true: bool) -> bool {
    input.is_inverted() != counts_true
}

impl Armed {
    pub(super) fn new(arms: &Arms) -> Armed {
        let gates = arms.arms.len();
        let sizes = IdVec::filled(0, arms.starts.len());
        Armed { members: vec![ArmId(0); gates], sizes, places: IdVec::filled(0, gates) }
    }

    pub(super) fn copy_from(&mut self, other: &Armed) {
        self.members.copy_from_slice(&other.members);
        self.sizes.copy_from(&other.sizes);
        self.places.copy_from(&other.places);
    }

    /// Puts a gate on the list of its trigger, or takes it off.
    #[inline]
    pub(super) fn change(&mut self, arms: &Arms, arm: ArmId, is_armed: bool) {
        if is_armed {
            self.insert(arms, arm);
        } else {
            self.remove(arms, arm);
        }
    }

    #[inline]
    pub(super) fn insert(&mut self, arms: &Arms, arm: ArmId) {
        let list = arms.arms[arm].list;
        let place = arms.starts[list] + self.sizes[list];
        self.sizes[list] += 1;
        self.members[place.index()] = arm;
        self.places[arm] = place;
    }

    #[inline]
    fn remove(&mut self, arms: &Arms, arm: ArmId) {
        let list = arms.arms[arm].list;
        self.sizes[list] -= 1;
        let last = self.members[(arms.starts[list] + self.sizes[list]).index()];
        let place = self.places[arm];
        self.members[place.index()] = last;
        self.places[last] = place;
    }

    /// The armed gates of a trigger.
    #[inline]
    pub(super) fn of(&self, arms: &Arms, trigger: TriggerId) -> &[ArmId] {
        &self.members[arms.starts[trigger].index()..][..self.sizes[trigger].index()]
    }
}

/// For each node the input that is its trigger, if it has one.
#[derive(Clone, Debug, Default)]
pub(super) struct Triggers(IdVec<NodeId, Option<u32>>);

/// Signals with fewer readers are no triggers. A guess.
const MIN_READERS_OF_TRIGGER: u32 = 24;

/// The number of sampled steps; less for large networks, and no sample at all below the minimum, because it would not be
/// representative. Guesses.
const MAX_SAMPLED_STEPS: usize = 96;
const MIN_SAMPLED_STEPS: usize = 8;

/// The most values that a sample reads in all: a bound on the time of setup, a guess.
const MAX_SAMPLED_VALUES: usize = 20_000_000;

/// Inputs that change less often in the sample are no triggers. A guess.
const MIN_CHANGES_OF_TRIGGER: u32 = 3;

/// The cost of arming or disarming a gate, in changes of counters. A guess, checked on hex, which gained half of its speed.
const COST_OF_ARMING: u32 = 8;

/// The largest cost of a gate with a trigger, as a share of the cost of its counter. A guess, checked on hex.
const MAX_COST_SHARE: f64 = 0.4;

/// The cost of changing an armed gate through its trigger, in changes of counters. A guess.
const COST_OF_TRIGGERING: f64 = 1.5;

/// The seed of sampled play: arbitrary.
pub(super) const SEED: u64 = 11;

/// How many steps to sample if each has this many values; `None` if there would be too few.
pub(super) fn steps_to_sample(values: usize) -> Option<usize> {
    Some((MAX_SAMPLED_VALUES / values.max(1)).min(MAX_SAMPLED_STEPS))
        .filter(|&steps| steps >= MIN_SAMPLED_STEPS)
}

impl Triggers {
    pub(super) fn of(&self, node: NodeId) -> Option<usize> {
        self.0.get(node).copied().flatten().map(|input| input.index())
    }

    /// A trigger for each of these gates that has several inputs.
    pub(super) fn everywhere(network: &Network, gates: &[NodeId]) -> Triggers {
        let mut triggers = Triggers(IdVec::filled(None, network.node_count()));
        for &node in gates {
            let last = narrow(network.inputs(node).len().saturating_sub(1));
            triggers.0[node] = Some(last).filter(|&last| last > 0);
        }
        triggers
    }

    /// Finds the gates that are cheaper with a trigger in a sample of random play; `None` if there are none.
    pub(super) fn find(
        machine: &IncrementalMachine,
        network: &Network,
        gates: &[NodeId],
        budget: &Budget,
    ) -> Result<Option<Triggers>, Exhausted> {
        let read_by = |probe: Probe| machine.wires.reader_count(probe.cell());
        let probe = |signal| super::lower::probe(network, &machine.cells, signal);
        let gates: Vec<Candidate> = gates
            .iter()
            .filter(|&&node| network.inputs(node).len() > 1)
            .filter(|&&node| {
                network.inputs(node).iter().any(|&input| read_by(probe(input)) >= MIN_READERS_OF_TRIGGER)
            })
            .map(|&node| Candidate {
                node,
                counts_true: network.kind(node) == Kind::Or,
                inputs: network.inputs(node).iter().map(|&input| probe(input)).collect(),
                trigger: 0,
                is_armed: false,
                changes: 0,
                armed: 0,
            })
            .collect();
        let looks = machine.kept + gates.iter().map(|gate| gate.inputs.len()).sum::<usize>();
        let steps = steps_to_sample(looks).filter(|_| !gates.is_empty());
        match steps {
            Some(steps) => choose(machine, network, gates, steps, budget, read_by),
            None => Ok(None),
        }
    }
}

/// A gate that may get a trigger.
struct Candidate {
    node: NodeId,
    counts_true: bool,
    inputs: Vec<Probe>,
    trigger: usize,
    is_armed: bool,
    /// How often it got armed or not, and in how many states it was.
    changes: u32,
    armed: u32,
}

fn choose(
    machine: &IncrementalMachine,
    network: &Network,
    mut gates: Vec<Candidate>,
    steps: usize,
    budget: &Budget,
    read_by: impl Fn(Probe) -> u32,
) -> Result<Option<Triggers>, Exhausted> {
    let mut flips: IdVec<CellId, u32> = IdVec::filled(0, machine.kept);
    let mut old = vec![false; machine.kept];
    machine.sample(steps, SEED, budget, |Memory { cells, .. }, _| {
        for (cell, (flips, old)) in flips.ids().zip(flips.iter_mut().zip(&mut old)) {
            *flips += u32::from(*old != cells.mark(cell));
            *old = cells.mark(cell);
        }
    })?;
    for gate in &mut gates {
        let can_be = |input: &usize| read_by(gate.inputs[*input]) >= MIN_READERS_OF_TRIGGER;
        let often = |input: &usize| flips[gate.inputs[*input].cell()];
        gate.trigger = (0..gate.inputs.len()).filter(can_be).max_by_key(often).unwrap_or(0);
    }
    // A gate whose most active input hardly changes keeps its counter.
    gates.retain(|gate| flips[gate.inputs[gate.trigger].cell()] >= MIN_CHANGES_OF_TRIGGER);
    machine.sample(steps, SEED, budget, |Memory { cells, .. }, _| {
        for gate in &mut gates {
            let others = gate.inputs.iter().enumerate().filter(|(at, _)| *at != gate.trigger);
            let is_armed = others
                .map(|(_, &input)| input)
                .all(|input| cells.mark(input.cell()) != blocks(input, gate.counts_true));
            gate.changes += u32::from(is_armed != gate.is_armed);
            gate.armed += u32::from(is_armed);
            gate.is_armed = is_armed;
        }
    })?;
    gates.retain(|gate| {
        let often = |input: Probe| flips[input.cell()];
        let of_trigger = often(gate.inputs[gate.trigger]);
        let all: u32 = gate.inputs.iter().map(|&input| often(input)).sum();
        let others = if gate.inputs.len() > 2 { all - of_trigger } else { 0 };
        let triggered = f64::from(of_trigger) * f64::from(gate.armed) / float(steps);
        let cost = f64::from(others + COST_OF_ARMING * gate.changes) + COST_OF_TRIGGERING * triggered;
        cost <= f64::from(all) * MAX_COST_SHARE
    });
    let mut triggers = Triggers(IdVec::filled(None, network.node_count()));
    gates.iter().for_each(|gate| triggers.0[gate.node] = Some(narrow(gate.trigger)));
    Ok((!gates.is_empty()).then_some(triggers))
}

/// The output of a node that arms a gate: the gate, and whether it is armed when the node is marked.
pub(super) fn arming(arm: ArmId, when_marked: bool) -> Output {
    Output::new(Output::ARM, arm.0 << 1 | u32::from(when_marked))
}
