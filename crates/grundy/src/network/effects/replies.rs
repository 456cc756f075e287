//! Safe moves: moves after which no other role can win at once.
//!
//! The hints of a network say which moves win in the current state. Substituting for each fluent its next value after a
//! move (a cofactor, `effects/mod.rs`) gives the winning moves one step later. Most fluents keep their values, and so
//! most nodes are shared by all moves. The result is the same as unfolding the goal over two moves (`winning/`), in a
//! network that is a fraction as large.

use super::quiet::{WORK, simplify};
use super::slots::rest_moves;
use super::{Outcomes, outcomes};
use crate::ids::IdVec;
use crate::network::passes::{known_of_moves, reached};
use crate::network::{Builder, Choice, Hint, Kind, MoveId, Network, NodeId, RoleId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};

/// A move after which no other role can win at once.
pub(crate) const SAFE: &str = "safe";
/// The same, in a state in which another move is not safe.
pub(crate) const FORCED: &str = "forced";

/// More inputs of gates than this are not visited, over all moves: a bound on time, a guess.
const MAX_VISITED_INPUTS: usize = 100_000_000;

/// How many levels of a next value are simplified by what the legality of the move implies. A guess.
const ASSUMPTION_DEPTH: u32 = 3;

/// The network with hints about safe and forced moves, by the hints of this name about winning ones. `None` if roles do
/// not take turns, if recursive rules are in the way, or if it would be too much work.
pub(crate) fn with_safe_moves(
    network: &Network,
    wins: &str,
    budget: &Budget,
) -> Result<Option<Network>, Exhausted> {
    let hinted = add_safe_moves(network, wins, budget)?;
    budget.check()?;
    Ok(hinted)
}

fn add_safe_moves(network: &Network, wins: &str, budget: &Budget) -> Result<Option<Network>, Exhausted> {
    let interface = network.interface();
    let Some(turns) = Turns::new(network) else { return Ok(None) };
    let mut builder = Builder::resume(network);
    let outcomes = outcomes(&mut builder, network, budget)?;
    let Some(outcomes) = outcomes.filter(|outcomes| outcomes.is_complete.iter().all(|complete| *complete))
    else {
        return Ok(None);
    };
    let wins: Vec<(RoleId, Signal)> = interface
        .hints_named(wins)
        .iter()
        .map(|hint| (interface.moves[hint.about].role, hint.holds))
        .collect();
    let known = known_of_moves(network, budget)?;
    let Some(mut after) = After::new(network, &outcomes, &wins, budget) else { return Ok(None) };
    // For each move: when it is legal together with the move of the role whose turn it is, and another role can win then.
    let mut losing: IdVec<MoveId, Vec<Signal>> = IdVec::filled(Vec::new(), interface.moves.len());
    for &played in &turns.moves {
        let is_traced = after.play(&mut builder, played, &known[played]).is_some();
        budget.check_with(builder.bytes())?;
        if !is_traced {
            return Ok(None);
        }
        let winners: IdVec<RoleId, Signal> =
            interface.role_ids().map(|role| after.can_win(&mut builder, role)).collect();
        for role in interface.role_ids() {
            let own = turns.move_of(interface.moves[played].role, played, role);
            let others = winners.entries().filter(|&(other, _)| other != role);
            let others = simplify(&mut builder, Kind::Or, &mut others.map(|(_, &wins)| wins).collect());
            let legal = interface.moves[played].legal;
            losing[own].push(simplify(&mut builder, Kind::And, &mut vec![legal, others]));
        }
    }
    let mut hinted = interface.clone();
    for role in interface.role_ids() {
        let moves = interface.moves_of(role);
        let losing: Vec<Signal> =
            moves.clone().map(|one| simplify(&mut builder, Kind::Or, &mut losing[one])).collect();
        let is_threatened = simplify(&mut builder, Kind::Or, &mut losing.clone());
        for (about, loses) in moves.zip(losing) {
            let legal = interface.moves[about].legal;
            let safe = simplify(&mut builder, Kind::And, &mut vec![legal, !loses]);
            let forced = simplify(&mut builder, Kind::And, &mut vec![safe, is_threatened]);
            for (name, holds) in [(SAFE, safe), (FORCED, forced)] {
                hinted.hints.push(Hint { name: name.to_owned(), about, holds });
            }
        }
    }
    hinted.sort_hints();
    Ok(Some(builder.finish(hinted)))
}

/// Taking turns: in every state one of certain moves is played, and all other roles rest.
struct Turns {
    moves: Vec<MoveId>,
    /// For each role the move that it plays when it is not its turn.
    rest: IdVec<RoleId, Option<MoveId>>,
}

impl Turns {
    fn new(network: &Network) -> Option<Turns> {
        let interface = network.interface();
        let widest = interface.choices.iter().filter(|choice| choice.exactly_one);
        let Choice { moves, .. } = widest.max_by_key(|choice| choice.moves.len())?;
        let mut moves = moves.clone();
        moves.sort_unstable();
        let rest = rest_moves(interface, &moves);
        let is_known = |role: RoleId| {
            let all_here = interface.moves_of(role).all(|number| moves.binary_search(&number).is_ok());
            rest[role].is_some() && !all_here
        };
        (interface.roles.len() > 1 && interface.role_ids().all(is_known)).then_some(Turns { moves, rest })
    }

    /// The move of a role when the role whose turn it is plays a move.
    fn move_of(&self, at_turn: RoleId, played: MoveId, role: RoleId) -> MoveId {
        if role == at_turn { played } else { self.rest[role].unwrap_or(played) }
    }
}

/// The nodes that say which role can win, one step later.
struct After<'a> {
    network: &'a Network,
    outcomes: &'a Outcomes,
    wins: &'a [(RoleId, Signal)],
    /// The gates that they and the end of the game depend on, in order.
    gates: Vec<NodeId>,
    /// For each node its value after the move.
    values: IdVec<NodeId, Signal>,
    inputs_seen: usize,
    budget: &'a Budget,
    ticks: Ticks,
}

impl<'a> After<'a> {
    /// `None` if a loop is among the gates.
    fn new(
        network: &'a Network,
        outcomes: &'a Outcomes,
        wins: &'a [(RoleId, Signal)],
        budget: &'a Budget,
    ) -> Option<After<'a>> {
        let outputs = wins.iter().map(|&(_, wins)| wins).chain([network.interface().terminal]);
        let is_needed = reached(network, outputs.collect());
        let gates: Vec<NodeId> = network.gates().filter(|&node| is_needed.contains(node)).collect();
        let in_loop = |node: &NodeId| network.loops().iter().any(|range| range.contains(node));
        let values = network.nodes().map(Signal::of).collect();
        let ticks = Ticks::default();
        let after = After { network, outcomes, wins, gates, values, inputs_seen: 0, budget, ticks };
        (!after.gates.iter().any(in_loop)).then_some(after)
    }

    /// Computes the values of all nodes after a legal move. `known` is what its legality implies. `None` if there are too
    /// many inputs to visit.
    fn play(&mut self, builder: &mut Builder, played: MoveId, known: &[Signal]) -> Option<()> {
        let interface = self.network.interface();
        for (fluent, &next) in self.outcomes.quiet.entries() {
            self.values[interface.fluent_node(fluent)] = assume(builder, next, known, ASSUMPTION_DEPTH);
        }
        for &(fluent, next) in &self.outcomes.of_move[played].alone {
            self.values[interface.fluent_node(fluent)] = assume(builder, next, known, ASSUMPTION_DEPTH);
        }
        let mut inputs = Vec::new();
        for &gate in &self.gates {
            inputs.clear();
            inputs.extend(self.network.inputs(gate).iter().map(|&input| self.value(input)));
            self.inputs_seen += inputs.len();
            self.ticks.work(self.budget, WORK * (1 + inputs.len())).ok()?;
            self.values[gate] = if inputs == self.network.inputs(gate) {
                Signal::of(gate)
            } else {
                simplify(builder, self.network.kind(gate), &mut inputs)
            };
        }
        (self.inputs_seen <= MAX_VISITED_INPUTS).then_some(())
    }

    fn value(&self, signal: Signal) -> Signal {
        self.values[signal.node()].inverted_if(signal.is_inverted())
    }

    /// Whether the game goes on and a role has a winning move then.
    fn can_win(&self, builder: &mut Builder, role: RoleId) -> Signal {
        let wins = self.wins.iter().filter(|(winner, _)| *winner == role);
        let any = simplify(builder, Kind::Or, &mut wins.map(|&(_, wins)| self.value(wins)).collect());
        simplify(builder, Kind::And, &mut vec![any, !self.value(self.network.interface().terminal)])
    }
}

/// A signal where some others, sorted, are known to be true.
fn assume(builder: &mut Builder, signal: Signal, known: &[Signal], depth: u32) -> Signal {
    if known.binary_search(&signal).is_ok() {
        return Signal::TRUE;
    }
    if known.binary_search(&!signal).is_ok() {
        return Signal::FALSE;
    }
    let kind = builder.kind(signal.node());
    if depth == 0 || kind == Kind::Input || signal == Signal::TRUE || signal == Signal::FALSE {
        return signal;
    }
    let inputs = builder.inputs(signal.node()).to_vec();
    let mut assumed: Vec<Signal> =
        inputs.iter().map(|&input| assume(builder, input, known, depth - 1)).collect();
    if assumed == inputs {
        return signal;
    }
    simplify(builder, kind, &mut assumed).inverted_if(signal.is_inverted())
}
