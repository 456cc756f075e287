//! Visiting all states, breadth first.

use super::visits::Visits;
use super::{SurveyConfig, stuck};
use crate::ids::{BitSet, Csr, IdVec, wide};
use crate::lifted::{Lifted, LiftedState};
use crate::machine::Ending;
use crate::play::Line;
use crate::reasoner::{ReasonError, Reasoner};
use grundy_syntax::TermId;
use rustc_hash::FxHashMap;

/// The search is given up where a state has more joint moves than this, or the game more transitions.
const MOST_JOINT_MOVES: usize = 10_000;
const MOST_TRANSITIONS: usize = 200_000;

/// The result of a complete search.
pub(super) struct Reachable {
    pub(super) states: u64,
}

grundy_syntax::define_id! {
    /// A state, in the order of discovery; the initial state is the first one.
    struct StateId(u32);
}

/// A state, and how the search came to it.
struct Node {
    state: LiftedState,
    parent: StateId,
    joint: Box<[TermId]>,
}

/// The initial state.
const INITIAL: StateId = StateId(0);

/// The graph of states.
#[derive(Default)]
struct Graph {
    nodes: IdVec<StateId, Node>,
    known: FxHashMap<LiftedState, StateId>,
    /// From and to.
    transitions: Vec<(StateId, StateId)>,
    /// The states that end a game.
    ends: Vec<StateId>,
}

impl Graph {
    /// The id of a state, new or known.
    fn intern(&mut self, state: LiftedState, parent: StateId, joint: &[TermId]) -> StateId {
        if let Some(&known) = self.known.get(&state) {
            return known;
        }
        let id = self.nodes.push(Node { state: state.clone(), parent, joint: joint.into() });
        self.known.insert(state, id);
        id
    }

    /// The moves that lead to a state.
    fn line(&self, engine: &Lifted, mut id: StateId) -> Line {
        let mut joints = Vec::new();
        while id != INITIAL {
            let node = &self.nodes[id];
            joints.push(node.joint.iter().map(|&action| engine.move_text(action)).collect());
            id = node.parent;
        }
        joints.reverse();
        Line { joints }
    }

    /// The states from which no end can be reached, in order.
    fn endless(&self) -> Vec<StateId> {
        let backwards = self.transitions.iter().map(|&(from, to)| (to, from));
        let before: Csr<StateId, StateId> = Csr::grouped(self.nodes.len(), backwards);
        let mut can_end = BitSet::empty(self.nodes.len());
        let mut open = self.ends.clone();
        while let Some(state) = open.pop() {
            if can_end.insert(state) {
                open.extend_from_slice(&before[state]);
            }
        }
        self.nodes.ids().filter(|&state| !can_end.contains(state)).collect()
    }
}

/// Visits all states; nothing if there are too many.
pub(super) fn search(visits: &mut Visits, config: &SurveyConfig) -> Result<Option<Reachable>, ReasonError> {
    let mut engine = visits.take_engine();
    let mut graph = Graph::default();
    let complete = visit_all(visits, &mut engine, &mut graph, config);
    if let Ok(true) = complete {
        let endless = graph.endless();
        visits.endless.times = wide(endless.len());
        if let Some(&first) = endless.first() {
            visits.endless.line = graph.line(&engine, first);
        }
    }
    visits.return_engine(engine);
    Ok(complete?.then_some(Reachable { states: wide(graph.nodes.len()) }))
}

fn visit_all(
    visits: &mut Visits,
    engine: &mut Lifted,
    graph: &mut Graph,
    config: &SurveyConfig,
) -> Result<bool, ReasonError> {
    graph.intern(engine.initial()?, INITIAL, &[]);
    let mut current = INITIAL;
    while current.index() < graph.nodes.len() {
        visits.check(engine, config)?;
        let state = graph.nodes[current].state.clone();
        visits.see_state(&state);
        if let Some(ending) = ending(visits, engine, &state)? {
            visits.probe(engine, &state, None)?;
            graph.ends.push(current);
            visits.see_end(&ending, || graph.line(engine, current));
        } else {
            let legal = engine.legal(&state)?;
            let joint_moves = legal.iter().map(Vec::len).fold(1, usize::saturating_mul);
            if joint_moves > MOST_JOINT_MOVES || graph.transitions.len() + joint_moves > MOST_TRANSITIONS {
                return Ok(false);
            }
            visits.probe(engine, &state, None)?;
            for number in 0..joint_moves {
                let joint = joint_move(&legal, number);
                visits.check(engine, config)?;
                if visits.asks_for_moves() {
                    visits.probe(engine, &state, Some(&joint))?;
                }
                let next = engine.next(&state, &joint)?;
                let next = graph.intern(next, current, &joint);
                graph.transitions.push((current, next));
            }
            if graph.nodes.len() > config.max_states {
                return Ok(false);
            }
        }
        current = StateId(current.0 + 1);
    }
    Ok(true)
}

/// How a game ends in this state, if it does.
fn ending(
    visits: &mut Visits,
    engine: &mut Lifted,
    state: &LiftedState,
) -> Result<Option<Ending>, ReasonError> {
    if engine.is_terminal(state)? {
        return Ok(Some(Ending::Terminal(engine.goals(state)?)));
    }
    let legal = engine.legal(state)?;
    visits.see_legal(&legal);
    Ok(stuck(&legal))
}

/// The joint move of this number, in a mixed-radix system.
fn joint_move(legal: &[Vec<TermId>], mut number: usize) -> Vec<TermId> {
    let mut pick = |moves: &Vec<TermId>| {
        let action = moves[number % moves.len()];
        number /= moves.len();
        action
    };
    legal.iter().map(&mut pick).collect()
}
