//! Incremental evaluation by counters and difference propagation.
//!
//! This is the incremental calculation of Kaneko, Yamaguchi & Kawai (2000). An AND node counts its false inputs, an OR
//! node its true ones. A node is *marked* while its counter is zero; a marked AND is true, a marked OR is false, and the
//! mark of a fact is its value. When a mark changes, the counters of its readers go up or down by one, and the readers
//! whose counters leave or reach zero are queued. The cost of a state is proportional to the number of changes, not to the
//! number of features. Values are sums, *accumulators*, to which nodes add their shares when they change.
//!
//! Three refinements make this fast:
//!
//! - *Gates and latches.* A fact is read by very many conjunctions, most of which have another false input. A
//!   conjunction of two inputs, one of them a fact, has no counter. The fact is its *gate* and holds one bit for each
//!   such conjunction, the value of the other input, which the other input toggles (it is a *latch*). When the fact
//!   changes, only the conjunctions whose bit is set are visited. The idea is related to the watched literals of SAT
//!   solvers: most readers of a changed fact are not touched.
//! - *Branchless queueing.* Whether a counter crosses zero is unpredictable. Each reader is written to the end of the
//!   queue, and the end advances by the result of the comparison (`drain`).
//! - *Return to the first state.* States of the next match are usually close to the first state of the previous one, so
//!   the evaluator restores a copy of it where that is nearer.
//!
//! Loops, which are left by recursive clauses, have no counters: with counters, the nodes of a cycle could support each
//! other without any outside support. A loop is evaluated from scratch, as a least fixpoint, when one of its inputs has
//! changed.

use super::plan::{AccumulatorId, Share};
use super::{FactSet, Plan, Value, bits};
use crate::features::HeadId;
use crate::ids::{BitSet, Csr, Id, IdVec, ids_in, narrow};
use crate::network::{Kind, Network, NodeId, Signal};
use std::sync::Arc;

/// A solution that became true or false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The solution.
    pub solution: HeadId,
    /// Whether it is true now.
    pub is_true: bool,
}

/// The start of the readers, shares and latches of a node; they end where those of the next node start.
#[derive(Clone, Copy, Debug)]
struct Node {
    reader: u32,
    share: u32,
    latch: u32,
    gate: Gate,
}

/// The fact of a conjunction of two inputs.
#[derive(Clone, Copy, Debug)]
struct Gate {
    /// The fact as it has to be; [`Signal::FALSE`] if there is no gate.
    fact: Signal,
    /// The bit that tells whether the other input is true.
    bit: u32,
}

/// A conjunction whose other input a node is.
#[derive(Clone, Copy, Debug)]
struct Latch {
    node: NodeId,
    gate: Gate,
}

/// Whether the other input of a conjunction is true.
#[inline]
fn is_ready(ready: &[u64], gate: Gate) -> bool {
    ready[gate.bit.index() / 64] >> (gate.bit % 64) & 1 == 1
}

/// Whether the fact of a conjunction is as it has to be.
#[inline]
fn is_open(cells: &[Cell], gate: Gate) -> bool {
    cells[gate.fact.node().index()] & 1 != Cell::from(gate.fact.is_inverted())
}

impl Gate {
    const NONE: Gate = Gate { fact: Signal::FALSE, bit: 0 };
}

/// A counter, and in the lowest bit whether it goes down when the node that it reads is marked.
#[derive(Clone, Copy, Debug)]
struct Reader(u32);

impl Reader {
    fn new(node: NodeId, goes_down: bool) -> Reader {
        Reader(node.0 << 1 | u32::from(goes_down))
    }
}

/// What a node adds to an accumulator when it is marked. Small, as there are many.
#[derive(Clone, Copy, Debug)]
struct Effect {
    accumulator: AccumulatorId,
    weight: i32,
}

/// The counter of a node and, in the lowest bit, its mark as far as it has been propagated. Both are needed together, and
/// what is small stays in the cache.
type Cell = u16;

type Cells = IdVec<NodeId, Cell>;

grundy_syntax::define_id! {
    /// A loop of the network.
    struct LoopId(u32);
}

/// For each node the loop that it belongs to.
type InLoop = IdVec<NodeId, Option<LoopId>>;

/// The tables as counters see them; immutable, and shared between threads.
#[derive(Debug)]
struct Wiring {
    /// One more than there are nodes. Three [`Csr`] would be three cache misses for a node; this is one.
    nodes: Vec<Node>,
    readers: Vec<Reader>,
    effects: Vec<Effect>,
    latches: Vec<Latch>,
    /// For each fact's node where its words of bits begin; at the end, how many there are.
    words: Vec<u32>,
    /// For each bit the conjunction that it belongs to.
    gated: Vec<NodeId>,
    /// The bits when no fact is true.
    ready: Vec<u64>,
    /// For each node the loops that read it, mostly none.
    triggers: Csr<NodeId, LoopId>,
    /// Whether the mark of a node is the opposite of its value.
    is_or: BitSet<NodeId>,
    /// The cells when no fact is true.
    cells: Cells,
    accumulators: IdVec<AccumulatorId, i64>,
}

/// Values features along states that differ little.
#[derive(Clone)]
pub struct Incremental {
    plan: Arc<Plan>,
    wiring: Arc<Wiring>,
    current: FactSet,
    cells: Cells,
    ready: Vec<u64>,
    accumulators: IdVec<AccumulatorId, i64>,
    queue: Vec<NodeId>,
    len: usize,
    dirty: Vec<LoopId>,
    /// The first state, to which it may be shorter to return.
    home: Option<Arc<Home>>,
    /// The nodes with shares whose marks have changed, while [`changes`](Incremental::changes) records them.
    changed: Option<Vec<NodeId>>,
}

/// A state that can be returned to at once: another match begins.
struct Home {
    state: FactSet,
    cells: Cells,
    ready: Vec<u64>,
    accumulators: IdVec<AccumulatorId, i64>,
}

/// The distance in facts beyond which a return to the first state is considered.
const FAR: u32 = 40;

impl Incremental {
    /// Prepares, with no fact being true.
    pub fn new(plan: Arc<Plan>) -> Incremental {
        let wiring = Arc::new(Wiring::new(&plan));
        Incremental {
            current: FactSet::new(plan.facts),
            cells: wiring.cells.clone(),
            ready: wiring.ready.clone(),
            home: None,
            accumulators: wiring.accumulators.clone(),
            queue: vec![NodeId(0); 1024],
            len: 0,
            dirty: Vec::new(),
            changed: None,
            wiring,
            plan,
        }
    }

    /// Goes to a state.
    pub fn go_to(&mut self, state: &FactSet) {
        if self.changed.is_none() && distance(&self.current, state) > FAR {
            self.return_home(state);
        }
        self.walk_to(state);
        if self.home.is_none() {
            let (cells, ready) = (self.cells.clone(), self.ready.clone());
            let (state, accumulators) = (state.clone(), self.accumulators.clone());
            self.home = Some(Arc::new(Home { state, cells, ready, accumulators }));
        }
    }

    /// Takes the first state for the current one, if it is nearer.
    fn return_home(&mut self, state: &FactSet) {
        let Some(home) = &self.home else { return };
        if distance(&home.state, state) < distance(&self.current, state) / 2 {
            self.cells.as_mut_slice().copy_from_slice(home.cells.as_slice());
            self.ready.copy_from_slice(&home.ready);
            self.accumulators.as_mut_slice().copy_from_slice(home.accumulators.as_slice());
            self.current.facts.words_mut().copy_from_slice(home.state.facts.words());
        }
    }

    /// Propagates all differences.
    fn walk_to(&mut self, state: &FactSet) {
        for (word, &new) in state.facts.words().iter().enumerate() {
            let difference = self.current.facts.words()[word] ^ new;
            for bit in bits(difference) {
                let node = NodeId(1 + narrow(word) * 64 + bit);
                self.set(node, new >> bit & 1 == 1);
            }
            self.current.facts.words_mut()[word] = new;
        }
        self.settle();
    }

    /// The values of all features in the current state.
    pub fn values(&self, out: &mut Vec<Value>) {
        self.plan.read(|own| self.accumulators[own], out);
    }

    /// Goes to a state and returns the solutions whose truth has changed.
    pub fn changes(&mut self, state: &FactSet) -> Vec<Change> {
        self.changed = Some(Vec::new());
        self.go_to(state);
        let mut nodes = self.changed.take().unwrap_or_default();
        nodes.sort_unstable();
        let mut changes = Vec::new();
        // A node that changed twice has its old value.
        for group in nodes.chunk_by(|a, b| a == b).filter(|group| group.len() % 2 == 1) {
            let node = group[0];
            let value = self.value(node);
            let solutions = self.plan.solutions.entries();
            let own = solutions.filter(|(_, solution)| solution.holds.node() == node);
            changes.extend(own.map(|(head, solution)| Change {
                solution: head,
                is_true: value != solution.holds.is_inverted(),
            }));
        }
        changes.sort_unstable();
        changes
    }

    /// Queues a new mark of an input or of a node of a loop.
    fn set(&mut self, node: NodeId, marked: bool) {
        self.cells[node] = Cell::from(!marked) << 1 | (self.cells[node] & 1);
        if self.queue.len() <= self.len {
            self.queue.resize(self.len * 2 + 64, NodeId(0));
        }
        self.queue[self.len] = node;
        self.len += 1;
    }

    /// Propagates until nothing changes any more.
    fn settle(&mut self) {
        loop {
            self.drain();
            // A loop depends only on loops before it.
            let Some(&first) = self.dirty.iter().min() else { return };
            self.dirty.retain(|&other| other != first);
            self.settle_loop(first);
        }
    }

    /// Propagates until the queue is empty.
    ///
    /// The hot loop. Whether a counter crosses zero is as good as random, so that a branch on it would be
    /// mispredicted again and again: every reader is written to the end of the queue, which moves on only where it
    /// should.
    fn drain(&mut self) {
        let wiring = &*self.wiring;
        // As slices, so that their addresses stay in registers in spite of the writes.
        let (cells, ready) = (self.cells.as_mut_slice(), &mut self.ready[..]);
        let has_loops = !wiring.triggers.items().is_empty();
        let mut head = 0;
        while head < self.len {
            let id = self.queue[head];
            head += 1;
            let cell = cells[id.index()];
            let [node, next] = wiring.nodes[id.index()..id.index() + 2] else {
                unreachable!("there is one more")
            };
            let marked = match node.gate.fact {
                Signal::FALSE => cell >> 1 == 0,
                _ => is_ready(ready, node.gate) && is_open(cells, node.gate),
            };
            if marked == (cell & 1 == 1) {
                continue;
            }
            cells[id.index()] = cell ^ 1;
            let readers = &wiring.readers[node.reader.index()..next.reader.index()];
            if self.queue.len() < self.len + readers.len() {
                self.queue.resize((self.len + readers.len()) * 2, NodeId(0));
            }
            // Up by one in the counter is up by two in the cell.
            let (up, turned): (Cell, u32) = (2, u32::from(!marked));
            let queue = &mut self.queue[self.len..self.len + readers.len()];
            let mut len = 0;
            for &Reader(reader) in readers {
                let cell = &mut cells[(reader >> 1).index()];
                let before = *cell;
                // One bit: a checked conversion would be a branch in the innermost loop.
                let goes_down = ((reader & 1) ^ turned) as Cell;
                let after = before.wrapping_add(up).wrapping_sub(goes_down << 2);
                *cell = after;
                queue[len] = NodeId(reader >> 1);
                len += usize::from(before.min(after) < 2);
            }
            self.len += len;
            let latches = &wiring.latches[node.latch.index()..next.latch.index()];
            if !latches.is_empty() {
                if self.queue.len() < self.len + latches.len() {
                    self.queue.resize((self.len + latches.len()) * 2, NodeId(0));
                }
                for latch in latches {
                    ready[latch.gate.bit.index() / 64] ^= 1 << (latch.gate.bit % 64);
                    self.queue[self.len] = latch.node;
                    self.len += usize::from(is_open(cells, latch.gate));
                }
            }
            if id.index() <= self.plan.facts {
                for word in wiring.words[id.index()]..wiring.words[id.index() + 1] {
                    let ones = ready[word.index()];
                    let room = self.len + ones.count_ones().index();
                    if self.queue.len() < room {
                        self.queue.resize(room * 2, NodeId(0));
                    }
                    for bit in bits(ones) {
                        self.queue[self.len] = wiring.gated[word.index() * 64 + bit.index()];
                        self.len += 1;
                    }
                }
            }
            if node.share != next.share {
                let sign = i64::from(marked) * 2 - 1;
                for effect in &wiring.effects[node.share.index()..next.share.index()] {
                    self.accumulators[effect.accumulator] += sign * i64::from(effect.weight);
                }
                if let Some(changed) = &mut self.changed {
                    changed.push(id);
                }
            }
            if has_loops {
                self.dirty.extend_from_slice(&wiring.triggers[id]);
            }
        }
        self.len = 0;
    }

    fn is_marked(&self, node: NodeId) -> bool {
        self.cells[node] & 1 == 1
    }

    fn value(&self, node: NodeId) -> bool {
        self.is_marked(node) != self.wiring.is_or.contains(node)
    }

    fn mark(&mut self, node: NodeId, marked: bool) {
        let cell = &mut self.cells[node];
        *cell = *cell & !1 | Cell::from(marked);
    }

    /// Evaluates a loop from scratch and queues the nodes that have changed.
    fn settle_loop(&mut self, id: LoopId) {
        let plan = self.plan.clone();
        let network = &plan.network;
        let range = ids_in(&network.loops()[id.index()]);
        let before: Vec<bool> = range.clone().map(|node| self.is_marked(node)).collect();
        range.clone().for_each(|node| self.mark(node, false));
        let mut changed = true;
        while changed {
            changed = false;
            for node in range.clone() {
                if !self.is_marked(node) && gate(network, node, |signal| self.reads(signal)) {
                    self.mark(node, true);
                    changed = true;
                }
            }
        }
        for (node, before) in range.zip(before) {
            let now = self.is_marked(node);
            self.mark(node, before);
            if now != before {
                self.set(node, now);
            }
        }
    }

    fn reads(&self, signal: Signal) -> bool {
        self.value(signal.node()) != signal.is_inverted()
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
        let mut in_loop: InLoop = IdVec::filled(None, network.node_count());
        for (number, range) in network.loops().iter().enumerate() {
            ids_in(range).for_each(|node| in_loop[node] = Some(LoopId::new(number)));
        }
        let mut is_or = BitSet::empty(network.node_count());
        for node in network.nodes() {
            is_or.set(node, network.kind(node) == Kind::Or && in_loop[node].is_none() && node.0 > 0);
        }
        let gates = gates(network, &in_loop);
        let mut latches: Vec<(NodeId, Latch)> = Vec::new();
        let mut edges: Vec<(NodeId, Reader)> = Vec::with_capacity(network.edge_count());
        let mut triggers: Vec<(NodeId, LoopId)> = Vec::new();
        for node in network.gates() {
            for input in network.inputs(node) {
                let from = input.node();
                let gate = gates.of[node];
                if gate.fact != Signal::FALSE {
                    if gate.fact != *input {
                        latches.push((from, Latch { node, gate }));
                    }
                    continue;
                }
                match in_loop[node] {
                    Some(own) if in_loop[from] != Some(own) => triggers.push((from, own)),
                    Some(_) => {}
                    None => {
                        // An OR counts what is true, an AND what is false.
                        let marked_is_true = input.is_inverted() == is_or.contains(from);
                        let counts_true = network.kind(node) == Kind::Or;
                        edges.push((from, Reader::new(node, counts_true != marked_is_true)));
                    }
                }
            }
        }
        edges.sort_unstable_by_key(|&(from, Reader(to))| (from, to));
        triggers.sort_unstable();
        triggers.dedup();
        let mut nodes = Vec::with_capacity(network.node_count() + 1);
        let mut effects = Vec::with_capacity(plan.shares.items().len());
        latches.sort_by_key(|(from, latch)| (*from, latch.node));
        let (mut at, mut latch) = (0, 0);
        for node in network.nodes() {
            let gate = gates.of[node];
            nodes.push(Node { reader: narrow(at), share: narrow(effects.len()), latch: narrow(latch), gate });
            while latches.get(latch).is_some_and(|(from, _)| *from == node) {
                latch += 1;
            }
            while edges.get(at).is_some_and(|&(from, _)| from == node) {
                at += 1;
            }
            let sign = if is_or.contains(node) { -1 } else { 1 };
            plan.shares[node].iter().for_each(|share| push_effect(share, sign, &mut effects));
        }
        nodes.push(Node {
            reader: narrow(at),
            share: narrow(effects.len()),
            latch: narrow(latch),
            gate: Gate::NONE,
        });
        let latches = latches.into_iter().map(|(_, latch)| latch).collect();
        let readers = edges.into_iter().map(|(_, reader)| reader).collect();
        let (cells, accumulators) = (IdVec::default(), IdVec::default());
        let triggers = Csr::grouped(network.node_count(), triggers.iter().copied());
        let Gates { words, gated, .. } = gates;
        let ready = vec![0; words.last().copied().unwrap_or(0).index()];
        let mut wiring = Wiring {
            nodes,
            readers,
            effects,
            latches,
            words,
            gated,
            ready,
            triggers,
            is_or,
            cells,
            accumulators,
        };
        wiring.start(plan, &in_loop);
        wiring
    }

    /// Evaluates everything for the state without facts.
    fn start(&mut self, plan: &Plan, in_loop: &InLoop) {
        let network = &plan.network;
        let mut values = IdVec::filled(false, network.node_count());
        super::scratch::evaluate(network, &FactSet::new(plan.facts), &mut values);
        let value = |signal: Signal| values[signal.node()] != signal.is_inverted();
        self.cells = IdVec::filled(0, network.node_count());
        self.accumulators = plan.bases.clone();
        for node in network.nodes() {
            let holds = value(Signal::of(node));
            let marked = holds != self.is_or.contains(node);
            let gate = self.nodes[node.index()].gate;
            let inputs = network.inputs(node).iter().filter(|&&input| gate.fact != input);
            let counted = match network.kind(node) {
                _ if node < network.interface().first_gate() || in_loop[node].is_some() => {
                    usize::from(!marked)
                }
                Kind::Or => inputs.filter(|&&input| value(input)).count(),
                _ => inputs.filter(|&&input| !value(input)).count(),
            };
            let counted = Cell::try_from(counted).expect("nodes are split until their inputs fit");
            self.cells[node] = counted << 1 | Cell::from(marked);
            if gate.fact != Signal::FALSE && counted == 0 {
                self.ready[gate.bit.index() / 64] |= 1 << (gate.bit % 64);
            }
            if holds {
                for share in &plan.shares[node] {
                    self.accumulators[share.accumulator] += share.weight;
                }
            }
        }
    }
}

/// The gates of conjunctions, and the bits that facts keep for them.
struct Gates {
    of: IdVec<NodeId, Gate>,
    words: Vec<u32>,
    gated: Vec<NodeId>,
}

/// Chooses a gate for each conjunction of two inputs outside of loops that reads a fact: the fact that is read most.
fn gates(network: &Network, in_loop: &InLoop) -> Gates {
    let first_gate = network.interface().first_gate();
    let is_fact = |signal: &Signal| (NodeId(1)..first_gate).contains(&signal.node());
    let counts = network.reader_counts();
    let mut of = IdVec::filled(Gate::NONE, network.node_count());
    let mut lists: IdVec<NodeId, Vec<NodeId>> = IdVec::filled(Vec::new(), first_gate.index());
    let is_pair = |node: &NodeId| {
        network.kind(*node) == Kind::And && network.inputs(*node).len() == 2 && in_loop[*node].is_none()
    };
    for node in network.gates().filter(is_pair) {
        let facts = network.inputs(node).iter().filter(|input| is_fact(input));
        let Some(gate) = facts.max_by_key(|input| (counts[input.node()], input.node())) else {
            continue;
        };
        of[node].fact = *gate;
        lists[gate.node()].push(node);
    }
    let mut words = vec![0];
    let mut gated = Vec::new();
    for list in lists.iter() {
        for &node in list {
            of[node].bit = narrow(gated.len());
            gated.push(node);
        }
        gated.resize(gated.len().next_multiple_of(64), NodeId(0));
        words.push(narrow(gated.len()) / 64);
    }
    Gates { of, words, gated }
}

/// In how many facts two states differ.
fn distance(a: &FactSet, b: &FactSet) -> u32 {
    let words = a.facts.words().iter().zip(b.facts.words());
    words.map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// Adds the effects of a share. A weight beyond 32 bits is spread over several effects. A share of weight zero has an
/// effect, too, so that the change of its node is recorded.
fn push_effect(share: &Share, sign: i64, effects: &mut Vec<Effect>) {
    let mut left = share.weight * sign;
    loop {
        let weight = left.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
        let fitting = i32::try_from(weight).expect("the weight was clamped");
        effects.push(Effect { accumulator: share.accumulator, weight: fitting });
        left -= weight;
        if left == 0 {
            return;
        }
    }
}
