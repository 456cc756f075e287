//! Counters, and the propagation of differences.
//!
//! An AND counts its inputs that are false, an OR those that are true. What readers care for is whether a counter is
//! zero: the *mark* of a node; an input's mark is its value. When a mark changes, the counters of its readers go up or
//! down by one, and those that leave or reach zero are next. A step costs what changes, however many features there are.
//!
//! What recursion leaves (loops) has no counters: they would keep a dead cycle alive. A loop is evaluated anew when
//! something that it reads has changed.

use super::plan::Share;
use super::{FactSet, Plan, Value, bits};
use crate::network::{Kind, Network, NodeId, Signal};
use std::sync::Arc;

/// A solution that became true or false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The solution, by its number in the tables.
    pub solution: u32,
    /// Whether it is true now.
    pub is_true: bool,
}

/// The readers of a node and its shares.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    reader: u32,
    reader_end: u32,
    share: u32,
    share_end: u32,
}

/// A counter, and in the lowest bit whether it goes down when the node that it reads is marked.
#[derive(Clone, Copy, Debug)]
struct Reader(u32);

/// The tables as counters see them; immutable, and shared between threads.
#[derive(Debug)]
struct Wiring {
    nodes: Vec<Node>,
    readers: Vec<Reader>,
    /// By node, a share's weight with the sign that it has when the node is marked.
    shares: Vec<Share>,
    /// For each node the loops that read it, mostly none: `(node, loop)`, sorted.
    triggers: Vec<(u32, u32)>,
    has_trigger: Vec<bool>,
    /// Whether the mark of a node is the opposite of its value.
    is_or: Vec<bool>,
    /// Counters and marks when no fact is true.
    counters: Vec<u16>,
    marks: Vec<bool>,
    accumulators: Vec<i64>,
}

/// Values features along states that differ little.
#[derive(Clone)]
pub struct Incremental {
    plan: Arc<Plan>,
    wiring: Arc<Wiring>,
    current: FactSet,
    counters: Vec<u16>,
    marks: Vec<bool>,
    accumulators: Vec<i64>,
    queue: Vec<u32>,
    len: usize,
    dirty: Vec<u32>,
    /// The nodes with shares whose marks have changed, if somebody wants to know.
    changed: Option<Vec<u32>>,
}

impl Incremental {
    /// Prepares, with no fact being true.
    pub fn new(plan: Arc<Plan>) -> Incremental {
        let wiring = Arc::new(Wiring::new(&plan));
        Incremental {
            current: FactSet::new(plan.facts),
            counters: wiring.counters.clone(),
            marks: wiring.marks.clone(),
            accumulators: wiring.accumulators.clone(),
            queue: vec![0; 1024],
            len: 0,
            dirty: Vec::new(),
            changed: None,
            wiring,
            plan,
        }
    }

    /// Goes to a state.
    pub fn go_to(&mut self, state: &FactSet) {
        for word in 0..state.words.len() {
            let difference = self.current.words[word] ^ state.words[word];
            for bit in bits(difference) {
                let node = 1 + word as u32 * 64 + bit;
                self.set(node, state.words[word] >> bit & 1 == 1);
            }
            self.current.words[word] = state.words[word];
        }
        self.settle();
    }

    /// The values of all features in the current state.
    pub fn values(&self, out: &mut Vec<Value>) {
        self.plan.read(&self.accumulators, out);
    }

    /// Goes to a state and tells which solutions became true and which false.
    pub fn changes(&mut self, state: &FactSet) -> Vec<Change> {
        self.changed = Some(Vec::new());
        self.go_to(state);
        let mut nodes = self.changed.take().unwrap_or_default();
        nodes.sort_unstable();
        let mut changes = Vec::new();
        // A node that changed twice is what it was.
        for group in nodes.chunk_by(|a, b| a == b).filter(|group| group.len() % 2 == 1) {
            let node = NodeId(group[0]);
            let value = self.marks[node.index()] != self.wiring.is_or[node.index()];
            let solutions = self.plan.solutions.iter().enumerate();
            let own = solutions.filter(|(_, solution)| solution.holds.node() == node);
            changes.extend(own.map(|(number, solution)| Change {
                solution: number as u32,
                is_true: value != solution.holds.is_inverted(),
            }));
        }
        changes.sort_unstable();
        changes
    }

    /// Lets an input be marked, or not, from the next time that changes are propagated.
    fn set(&mut self, node: u32, marked: bool) {
        self.counters[node as usize] = u16::from(!marked);
        if self.queue.len() <= self.len {
            self.queue.resize(self.len * 2 + 64, 0);
        }
        self.queue[self.len] = node;
        self.len += 1;
    }

    /// Propagates until nothing changes any more.
    fn settle(&mut self) {
        loop {
            self.drain();
            // A loop depends on loops before it at most.
            let Some(&first) = self.dirty.iter().min() else { return };
            self.dirty.retain(|&number| number != first);
            self.settle_loop(first as usize);
        }
    }

    /// Propagates until the queue is empty.
    ///
    /// This is where the time goes. Whether a counter crosses zero is as good as random, so that a branch on it would be
    /// mispredicted again and again: every reader is written to the end of the queue, which moves on only where it
    /// should.
    fn drain(&mut self) {
        let wiring = &*self.wiring;
        let (counters, marks) = (&mut self.counters[..], &mut self.marks[..]);
        let mut head = 0;
        while head < self.len {
            let number = self.queue[head] as usize;
            head += 1;
            let marked = counters[number] == 0;
            if marked == marks[number] {
                continue;
            }
            marks[number] = marked;
            let node = wiring.nodes[number];
            let readers = &wiring.readers[node.reader as usize..node.reader_end as usize];
            if self.queue.len() < self.len + readers.len() {
                self.queue.resize((self.len + readers.len()) * 2, 0);
            }
            let turned = u32::from(!marked);
            let mut len = self.len;
            let queue = &mut self.queue[..];
            for &Reader(reader) in readers {
                let counter = &mut counters[(reader >> 1) as usize];
                let before = *counter;
                let goes_down = (reader & 1) ^ turned;
                let after = before.wrapping_add(1).wrapping_sub(2 * goes_down as u16);
                *counter = after;
                queue[len] = reader >> 1;
                len += usize::from(before.min(after) == 0);
            }
            self.len = len;
            if node.share != node.share_end {
                let sign = i64::from(marked) * 2 - 1;
                for share in &wiring.shares[node.share as usize..node.share_end as usize] {
                    self.accumulators[share.accumulator as usize] += sign * share.weight;
                }
                if let Some(changed) = &mut self.changed {
                    changed.push(number as u32);
                }
            }
            if wiring.has_trigger[number] {
                let from = wiring.triggers.partition_point(|&(node, _)| (node as usize) < number);
                let own = wiring.triggers[from..].iter().take_while(|&&(node, _)| node as usize == number);
                self.dirty.extend(own.map(|&(_, number)| number));
            }
        }
        self.len = 0;
    }

    /// Evaluates a loop anew, and lets the nodes that have changed be propagated.
    fn settle_loop(&mut self, number: usize) {
        let plan = self.plan.clone();
        let network = &plan.network;
        let range = network.loops()[number].clone();
        let before: Vec<bool> = range.clone().map(|node| self.marks[node as usize]).collect();
        range.clone().for_each(|node| self.marks[node as usize] = false);
        let mut changed = true;
        while changed {
            changed = false;
            for node in range.clone() {
                if !self.marks[node as usize] && gate(network, NodeId(node), |signal| self.reads(signal)) {
                    self.marks[node as usize] = true;
                    changed = true;
                }
            }
        }
        for (node, before) in range.zip(before) {
            let now = std::mem::replace(&mut self.marks[node as usize], before);
            if now != before {
                self.set(node, now);
            }
        }
    }

    fn reads(&self, signal: Signal) -> bool {
        let node = signal.node().index();
        (self.marks[node] != self.wiring.is_or[node]) != signal.is_inverted()
    }
}

fn gate(network: &Network, node: NodeId, value: impl Fn(Signal) -> bool) -> bool {
    match network.kind(node) {
        Kind::And => network.inputs(node).iter().all(|&input| value(input)),
        _ => network.inputs(node).iter().any(|&input| value(input)),
    }
}

impl Wiring {
    fn new(plan: &Plan) -> Wiring {
        let network = &plan.network;
        let mut in_loop = vec![None; network.node_count()];
        for (number, range) in network.loops().iter().enumerate() {
            range.clone().for_each(|node| in_loop[node as usize] = Some(number as u32));
        }
        let is_or: Vec<bool> = network
            .nodes()
            .map(|node| network.kind(node) == Kind::Or && in_loop[node.index()].is_none() && node.0 > 0)
            .collect();
        let mut edges: Vec<(u32, Reader)> = Vec::with_capacity(network.edge_count());
        let mut triggers: Vec<(u32, u32)> = Vec::new();
        for node in network.gates() {
            for input in network.inputs(node) {
                let from = input.node();
                match in_loop[node.index()] {
                    Some(number) if in_loop[from.index()] != Some(number) => triggers.push((from.0, number)),
                    Some(_) => {}
                    None => {
                        // An OR counts what is true, an AND what is false.
                        let marked_is_true = input.is_inverted() == is_or[from.index()];
                        let counts_true = network.kind(node) == Kind::Or;
                        edges.push((from.0, Reader(node.0 << 1 | u32::from(counts_true != marked_is_true))));
                    }
                }
            }
        }
        edges.sort_unstable_by_key(|&(from, Reader(to))| (from, to));
        triggers.sort_unstable();
        triggers.dedup();
        let mut has_trigger = vec![false; network.node_count()];
        triggers.iter().for_each(|&(node, _)| has_trigger[node as usize] = true);
        let mut nodes = vec![Node::default(); network.node_count()];
        let mut at = 0;
        for (number, node) in nodes.iter_mut().enumerate() {
            node.reader = at as u32;
            while edges.get(at).is_some_and(|&(from, _)| from as usize == number) {
                at += 1;
            }
            node.reader_end = at as u32;
            (node.share, node.share_end) = (plan.starts[number], plan.starts[number + 1]);
        }
        let mut shares = plan.shares.clone();
        for (number, node) in nodes.iter().enumerate().filter(|(number, _)| is_or[*number]) {
            debug_assert!(is_or[number]);
            let own = &mut shares[node.share as usize..node.share_end as usize];
            own.iter_mut().for_each(|share| share.weight = -share.weight);
        }
        let readers = edges.into_iter().map(|(_, reader)| reader).collect();
        let (counters, marks, accumulators) = (Vec::new(), Vec::new(), Vec::new());
        let mut wiring =
            Wiring { nodes, readers, shares, triggers, has_trigger, is_or, counters, marks, accumulators };
        wiring.start(plan, &in_loop);
        wiring
    }

    /// Evaluates everything for the state without facts.
    fn start(&mut self, plan: &Plan, in_loop: &[Option<u32>]) {
        let network = &plan.network;
        let mut values = vec![false; network.node_count()];
        super::scratch::evaluate(network, &FactSet::new(plan.facts), &mut values);
        let value = |signal: Signal| values[signal.node().index()] != signal.is_inverted();
        self.counters = vec![0; network.node_count()];
        self.marks = vec![false; network.node_count()];
        self.accumulators = plan.bases.clone();
        for node in network.nodes() {
            let number = node.index();
            let holds = value(Signal::of(node));
            self.marks[number] = holds != self.is_or[number];
            let inputs = network.inputs(node).iter();
            let counted = match network.kind(node) {
                _ if node.0 < network.interface().first_gate() || in_loop[number].is_some() => usize::from(!self.marks[number]),
                Kind::Or => inputs.filter(|&&input| value(input)).count(),
                _ => inputs.filter(|&&input| !value(input)).count(),
            };
            self.counters[number] = counted as u16;
            if holds {
                for share in plan.shares_of(node) {
                    self.accumulators[share.accumulator as usize] += share.weight;
                }
            }
        }
    }
}
