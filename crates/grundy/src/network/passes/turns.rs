//! Recognizes turns: groups of inputs of which exactly one is true, read off the structure of the network.
//!
//! - Each role does exactly one of its moves.
//! - Of fluents whose next values are each other in a circle, `(control white)` and `(control black)`, exactly one is
//!   true if that is so at the start.
//! - If every move of a role needs exactly one fluent of such a group, the role does one of those that need `c` if and
//!   only if `c` holds. A single such move (`noop`) is equal to `c`. A single move that excludes `c`, where
//!   all others need it, is the negation of `c`. Of the moves of the roles whose turn it is, each with its own `c`,
//!   exactly one is done.

use super::Groups;
use super::legality::{IMPLICATION_DEPTH, implied_by};
use crate::ids::BitSet;
use crate::network::{FluentId, Interface, Kind, MoveId, Network, NodeId, RoleId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::FxHashMap;

/// The work for a member of a group, as [`Ticks`] count it: a guess.
const WORK: usize = 8;

impl Groups {
    /// These groups of fluents, and those that are recognized in the network.
    pub(super) fn completed(&self, network: &Network, budget: &Budget) -> Result<Groups, Exhausted> {
        let interface = network.interface();
        let mut circles = circles(network);
        let mut groups =
            Groups { restless: circles.concat(), leave_out: self.leave_out, ..Groups::default() };
        groups.exclusive.clone_from(&self.exclusive);
        let mut ticks = Ticks::default();
        for known in self.layers.iter().flatten() {
            ticks.work(budget, WORK * known.len() * (1 + circles.len()))?;
            // A fluent that `unread` removed is false regardless of the others.
            if known.iter().any(|&node| interface.is_dropped(node)) {
                groups.add_exclusive(known.clone());
                continue;
            }
            if !circles.iter().any(|circle| circle.iter().all(|node| known.contains(node))) {
                circles.push(known.clone());
            }
        }
        groups.constant.clone_from(&self.constant);
        for circle in circles {
            ticks.work(budget, WORK * circle.len())?;
            // Of two fluents, each is the negation of the other, so that only one is read.
            if let [one, other] = circle[..]
                && self.layers.iter().flatten().any(|known| known.len() == 2 && known.contains(&one))
            {
                groups.equal.push((other, !Signal::of(one)));
            }
            groups.add_turns(network, &circle, budget)?;
            groups.add(circle);
        }
        for role in interface.role_ids() {
            groups.add(moves(interface, role));
        }
        Ok(groups)
    }

    /// Adds what follows from exactly one of these fluents being true.
    fn add_turns(&mut self, network: &Network, circle: &[NodeId], budget: &Budget) -> Result<(), Exhausted> {
        let interface = network.interface();
        // For each fluent of the circle, the moves of the role that has most to choose from, and whether it has no other.
        let mut active: Vec<(Vec<NodeId>, bool)> = vec![(Vec::new(), false); circle.len()];
        for role in interface.role_ids() {
            let Turns { moves_at, idle, is_strict } = turns(network, circle, role, budget)?;
            if let Some((idle, at)) = idle {
                self.equal.push((idle, !Signal::of(circle[at])));
            }
            for (at, moves) in moves_at.into_iter().enumerate() {
                if let [only] = moves[..]
                    && is_strict
                {
                    self.equal.push((only, Signal::of(circle[at])));
                }
                if moves.len() > active[at].0.len() {
                    active[at] = (moves, is_strict);
                }
            }
        }
        let is_exact = active.iter().all(|(moves, is_strict)| *is_strict && !moves.is_empty());
        let group: Vec<NodeId> = active.into_iter().flat_map(|(moves, _)| moves).collect();
        if is_exact {
            self.add(group);
        } else {
            self.at_most_one.push(group);
        }
        Ok(())
    }
}

fn moves(interface: &Interface, role: RoleId) -> Vec<NodeId> {
    interface.moves_of(role).map(|played| interface.move_node(played)).collect()
}

/// The moves of a role by the fluent of a circle that they need.
struct Turns {
    /// The moves by the fluent of a circle that they need.
    moves_at: Vec<Vec<NodeId>>,
    /// A move that it does if and only if a fluent of the circle does not hold.
    idle: Option<(NodeId, usize)>,
    /// Whether it has no moves but those.
    is_strict: bool,
}

/// Sorts the moves of a role by the fluent of a circle that they need.
fn turns(network: &Network, circle: &[NodeId], role: RoleId, budget: &Budget) -> Result<Turns, Exhausted> {
    let interface = network.interface();
    let mut moves_at = vec![Vec::new(); circle.len()];
    let mut others: Vec<MoveId> = Vec::new();
    let mut ticks = Ticks::default();
    for number in interface.moves_of(role) {
        ticks.work(budget, WORK * (1 + circle.len()))?;
        let implied = implied_by(network, interface.moves[number].legal, IMPLICATION_DEPTH);
        let needed = |fluent: &NodeId| implied.binary_search(&Signal::of(*fluent)).is_ok();
        match circle.iter().position(needed) {
            Some(at) => moves_at[at].push(interface.move_node(number)),
            None => others.push(number),
        }
    }
    let mut used = (0..circle.len()).filter(|&at| !moves_at[at].is_empty());
    let idle = match (&others[..], used.next(), used.next()) {
        (&[idle], Some(at), None) => {
            let legal = interface.moves[idle].legal;
            is_opposite(network, circle, at, legal).then(|| (interface.move_node(idle), at))
        }
        _ => None,
    };
    Ok(Turns { is_strict: others.is_empty() || idle.is_some(), moves_at, idle })
}

/// Whether a signal excludes a fluent of a circle: it implies the negation, or is an OR of other fluents of the circle.
fn is_opposite(network: &Network, circle: &[NodeId], at: usize, signal: Signal) -> bool {
    let is_other =
        |input: &Signal| !input.is_inverted() && circle.contains(&input.node()) && input.node() != circle[at];
    let inputs = network.inputs(signal.node());
    let one_of_others =
        !signal.is_inverted() && network.kind(signal.node()) == Kind::Or && inputs.iter().all(is_other);
    one_of_others
        || implied_by(network, signal, IMPLICATION_DEPTH).binary_search(&!Signal::of(circle[at])).is_ok()
}

/// Fluents whose next values are each other, in a circle, with one of them true at the start.
fn circles(network: &Network) -> Vec<Vec<NodeId>> {
    let interface = network.interface();
    let mut following: FxHashMap<FluentId, Vec<FluentId>> = FxHashMap::default();
    for (fluent, info) in interface.fluents.entries() {
        if let Some(before) = interface.fluent_of(info.next.node()).filter(|_| !info.next.is_inverted()) {
            following.entry(before).or_default().push(fluent);
        }
    }
    let mut seen: BitSet<FluentId> = BitSet::empty(interface.fluents.len());
    let mut circles = Vec::new();
    for start in interface.fluents.ids() {
        let mut walk = Vec::new();
        let mut fluent = start;
        while seen.insert(fluent) {
            walk.push(fluent);
            let Some([next]) = following.get(&fluent).map(|next| &next[..]) else { break };
            fluent = *next;
        }
        // A walk that returns to one of its own fluents closes a circle, which is rotated to its smallest fluent.
        let Some(entry) = walk.iter().position(|&one| one == fluent) else { continue };
        let mut circle = walk.split_off(entry);
        let first = (0..circle.len()).min_by_key(|&at| circle[at]).unwrap_or(0);
        circle.rotate_left(first);
        if circle.len() > 1 && circle.iter().filter(|&&f| interface.fluents[f].initial).count() == 1 {
            circles.push(circle);
        }
    }
    circles.sort_unstable();
    let nodes =
        |circle: Vec<FluentId>| circle.into_iter().map(|fluent| interface.fluent_node(fluent)).collect();
    circles.into_iter().map(nodes).collect()
}

#[cfg(test)]
mod tests {
    use crate::network::testing::check;

    /// Two roles in turns; `r` is the one of the frame, with its moves in every state.
    const TURNS: &str = "(role s) (init (c r)) (<= (next (c r)) (true (c s))) (<= (next (c s)) (true (c r))) \
                         (<= (legal s (b ?x)) (num ?x) (true (c s))) (<= (legal s wait) (true (c r)))";

    #[test]
    fn waiting_is_the_turn_of_the_other() {
        let rules = format!("{TURNS} (<= (next (f 1)) (does s wait) (true (f 2)))");
        check(&rules, &["single-input", "groups", "single-input"], "(next (f 1)) = (and (c r) (f 2))");
        let rules = format!("{TURNS} (<= p (does s (b ?x))) (<= (next (f 1)) p)");
        check(&rules, &["single-input", "groups", "single-input"], "(next (f 1)) = !(c r)");
    }
}
