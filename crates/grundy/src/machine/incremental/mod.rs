//! The incremental machine: counters at the nodes, and only changes are propagated.
//!
//! An AND counts its inputs that are false, an OR those that are true. What matters to readers is whether a counter
//! is zero: that is the *mark* of a node, and an input's mark is its value. An edge then does the same for both
//! kinds: when a mark changes, counters behind it go up or down by one, and nodes whose counter leaves or reaches
//! zero are next. (The algorithm is that of the and-/or-tables of Kaneko, Yamaguchi & Kawai 2000.)
//!
//! - The effects of a move are a list where that is short (`effects.rs`): next values then need no counters, and no edges
//!   from the state or from moves.
//! - The joint move stays asserted until the next one, so that both are changed at once.
//! - Legal moves are sparse sets (`memory.rs`), one for each guard, which is read when moves are listed.
//! - Goals and percepts are evaluated on demand; only nodes of goals that hardly change have counters (`goals.rs`).
//! - Gates that one input nearly always blocks ignore the changes of another input meanwhile (`arms.rs`), similar to
//!   watched literals.
//! - The nodes of loops record when they were derived (`loops.rs`): counters alone would keep a dead cycle alive.

mod arms;
mod cursor;
mod effects;
mod flow;
mod goals;
mod loops;
mod lower;
mod memory;
mod sample;

use crate::ids::{Id, IdVec};
pub use cursor::IncrementalCursor;

use super::CompiledGame;
use crate::network::{FluentId, MoveId, NodeId, RoleId, Signal};
use std::ops::Range;
use std::sync::Arc;

grundy_syntax::define_id! {
    /// Where the counter and the mark of a node are kept.
    #[derive(Default)]
    struct CellId(u32);
}

grundy_syntax::define_id! {
    /// A set of moves.
    struct SetId(u32);
}

impl CellId {
    /// The cell of a fluent: inputs have cells of the same number as their nodes.
    #[inline(always)]
    fn of_fluent(fluent: FluentId) -> CellId {
        CellId(1 + fluent.0)
    }
}

/// What depends on a node besides counters, nearly always one thing at most: a tag in the lowest bits, and a number.
/// (An `enum` is the readable version; it took twice as many instructions to pass around.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Output(u32);

impl Output {
    const NOTHING: Output = Output(0);
    /// The next value of a fluent.
    const FLUENT: u32 = 1;
    /// A move that is legal when the node is not marked, or when it is: this plus one.
    const MOVE: u32 = 2;
    /// A port of a loop that reads the node.
    const PORT: u32 = 4;
    /// Where several outputs begin in a list; [`NOTHING`](Self::NOTHING) ends them.
    const LIST: u32 = 5;
    /// A gate that is armed or disarmed (`arms.rs`); always in a list.
    const ARM: u32 = 6;
    /// A trigger, with its armed gates; always in a list.
    const TRIGGER: u32 = 7;
    /// Like [`LIST`](Self::LIST), without outputs that change other cells at once: no arm, no trigger.
    const PLAIN_LIST: u32 = 8;

    fn new(tag: u32, number: u32) -> Output {
        Output(number << 4 | tag)
    }

    #[inline(always)]
    fn tag(self) -> u32 {
        self.0 & 15
    }

    #[inline(always)]
    fn number(self) -> u32 {
        self.0 >> 4
    }
}

/// A counter that a node changes, and in the lowest bit whether it goes down when the node is marked.
#[derive(Clone, Copy, Debug)]
struct Reader(u32);

impl Reader {
    fn new(cell: CellId, goes_down: bool) -> Reader {
        Reader(cell.0 << 1 | u32::from(goes_down))
    }

    #[inline(always)]
    fn cell(self) -> CellId {
        CellId(self.0 >> 1)
    }

    /// One if it goes down when the node is marked, and zero if it goes up.
    #[inline(always)]
    fn goes_down(self) -> u16 {
        // One bit: nothing is truncated, and a checked conversion would cost instructions in the hot loop.
        (self.0 & 1) as u16
    }
}

/// How to read a signal: the cell of a mark, and in the lowest bit whether to invert it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probe(u32);

impl Probe {
    fn new(cell: CellId, inverted: bool) -> Probe {
        Probe(cell.0 << 1 | u32::from(inverted))
    }

    #[inline(always)]
    fn cell(self) -> CellId {
        CellId(self.0 >> 1)
    }

    #[inline(always)]
    fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Moves of one role that are legal when they are in the set and the guard holds.
#[derive(Clone, Debug)]
struct MoveSet {
    guard: Probe,
    /// Where its members begin.
    base: u32,
}

/// A gate without a counter, for evaluation in order.
#[derive(Clone, Copy, Debug)]
struct LazyGate {
    cell: CellId,
    is_or: bool,
    /// Where its inputs are.
    start: u32,
    end: u32,
}

/// Gates that are evaluated on demand.
#[derive(Clone, Debug, Default)]
struct LazyGates {
    gates: Vec<LazyGate>,
    inputs: Vec<Probe>,
    /// Parts that are iterated from all false until nothing changes.
    loops: Vec<Range<usize>>,
}

/// A game for incremental evaluation.
#[derive(Debug)]
pub struct IncrementalMachine {
    game: Arc<CompiledGame>,
    /// The cell of each node. Inputs have the cells of their numbers; nodes with counters and loops follow, then lazy gates.
    cells: IdVec<NodeId, CellId>,
    /// The number of cells that are kept up to date; lazy gates have the others.
    kept: usize,
    /// The number of cells.
    cell_count: usize,
    effects: effects::Effects,
    wires: flow::Wires,
    outputs: Vec<Output>,
    loops: loops::Loops,
    arms: arms::Arms,
    /// The next value of each fluent, if no move with an effect on it is played.
    nexts: IdVec<FluentId, Probe>,
    terminal: Probe,
    sets: IdVec<SetId, MoveSet>,
    sets_of: IdVec<RoleId, Range<SetId>>,
    /// For each move its set, and where the members of that begin.
    homes: IdVec<MoveId, (SetId, u32)>,
    /// Nodes that only goals, or only percepts, need.
    goals: LazyGates,
    sees: LazyGates,
    /// The memory of a cursor in the initial state.
    initial: memory::Memory,
}

impl IncrementalMachine {
    /// The outputs of a list.
    #[inline(always)]
    fn list(&self, start: u32) -> impl Iterator<Item = Output> {
        let from_start = self.outputs[start.index()..].iter().copied();
        from_start.take_while(|&output| output != Output::NOTHING)
    }

    /// The game.
    pub fn game(&self) -> &Arc<CompiledGame> {
        &self.game
    }

    /// About how many bytes a player takes.
    pub(super) fn cursor_bytes(&self) -> usize {
        const BYTES_OF_CELL: usize = 8;
        self.cell_count * BYTES_OF_CELL
    }

    /// A player in the initial state.
    pub fn cursor(self: &Arc<Self>) -> IncrementalCursor {
        IncrementalCursor::new(self.clone())
    }

    /// The number of edges that counters follow.
    pub fn counted_edges(&self) -> usize {
        self.wires.edge_count()
    }

    /// How to read a signal.
    fn probe(&self, signal: Signal) -> Probe {
        lower::probe(self.game.network(), &self.cells, signal)
    }
}
