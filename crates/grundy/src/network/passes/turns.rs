//! Whose turn it is: which groups of inputs hold exactly one truth, as far as a look at the rules tells.
//!
//! - Each role does exactly one of its moves.
//! - Fluents that hand over to each other in a circle, `(control white)` and `(control black)`, hold one truth if they
//!   do at the start.
//! - If every move of a role needs exactly one fluent of such a group, the role does one of those that need `c` if and
//!   only if `c` holds. Where that is a single move (`noop`), it *is* `c`. And of the moves of those roles that are
//!   at turn, each with its own `c`, exactly one is done.

use super::Groups;
use super::legality::{DEPTH, implied_by};
use crate::network::{Interface, MoveId, Network, NodeId, RoleId, Signal};
use rustc_hash::FxHashMap;

impl Groups {
    /// These groups, of fluents, and all that the rules of a network tell by themselves.
    pub(super) fn completed(&self, network: &Network) -> Groups {
        let interface = network.interface();
        let mut circles = circles(network);
        let mut groups =
            Groups { restless: circles.concat(), leave_out: self.leave_out, ..Groups::default() };
        groups.exclusive.clone_from(&self.exclusive);
        for known in self.layers.iter().flatten() {
            // What `unread` took out of the states is false, whatever the others are.
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
            // Of two, one is what the other is not; so only one of them has to be read.
            if let [one, other] = circle[..]
                && self.layers.iter().flatten().any(|known| known.len() == 2 && known.contains(&one))
            {
                groups.equal.push((other, !Signal::of(one)));
            }
            groups.add_turns(network, &circle);
            groups.add(circle);
        }
        for role in interface.role_ids() {
            groups.add(moves(interface, role));
        }
        groups
    }

    /// What follows from the fact that one of these fluents is true.
    fn add_turns(&mut self, network: &Network, circle: &[NodeId]) {
        let interface = network.interface();
        // For each fluent of the circle, the moves of the role that has most to choose from.
        let mut active: Vec<Vec<NodeId>> = vec![Vec::new(); circle.len()];
        for role in interface.role_ids() {
            let Some(turns) = turns(network, circle, role) else { continue };
            for (at, moves) in turns.into_iter().enumerate() {
                if let [only] = moves[..] {
                    self.equal.push((only, Signal::of(circle[at])));
                }
                if moves.len() > active[at].len() {
                    active[at] = moves;
                }
            }
        }
        if active.iter().all(|moves| !moves.is_empty()) {
            self.add(active.concat());
        }
    }
}

fn moves(interface: &Interface, role: RoleId) -> Vec<NodeId> {
    interface.moves_of(role).map(|one_move| interface.move_node(MoveId(one_move))).collect()
}

/// The moves of a role by the fluent of a circle that they need; `None` if one of them does not need exactly one.
fn turns(network: &Network, circle: &[NodeId], role: RoleId) -> Option<Vec<Vec<NodeId>>> {
    let interface = network.interface();
    let mut turns = vec![Vec::new(); circle.len()];
    for number in interface.moves_of(role) {
        let implied = implied_by(network, interface.moves[number as usize].legal, DEPTH);
        let needed = |fluent: &NodeId| implied.binary_search(&Signal::of(*fluent)).is_ok();
        let at = circle.iter().position(needed)?;
        turns[at].push(interface.move_node(MoveId(number)));
    }
    Some(turns)
}

/// Fluents whose next values are each other, in a circle, with one of them true at the start.
fn circles(network: &Network) -> Vec<Vec<NodeId>> {
    let interface = network.interface();
    let mut following: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (fluent, info) in interface.fluents.iter().enumerate() {
        if let Some(before) = interface.fluent_of(info.next.node()).filter(|_| !info.next.is_inverted()) {
            following.entry(before).or_default().push(fluent);
        }
    }
    let mut seen = vec![false; interface.fluents.len()];
    let mut circles = Vec::new();
    for start in 0..interface.fluents.len() {
        let mut circle = vec![start];
        while !seen[start]
            && let Some([next]) = following.get(&circle[circle.len() - 1]).map(|next| &next[..])
        {
            if *next == start {
                circle.iter().for_each(|&fluent| seen[fluent] = true);
                if circle.len() > 1 && circle.iter().filter(|&&f| interface.fluents[f].initial).count() == 1 {
                    circles.push(circle.iter().map(|&fluent| interface.fluent_node(fluent)).collect());
                }
                break;
            }
            if circle.contains(next) {
                break;
            }
            circle.push(*next);
        }
    }
    circles
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
