//! Winning as a goal to unfold: the game is over after some moves, with a goal value for a role.

use super::Target;
use crate::metarules::{Domain, MetaError};
use grundy_syntax::{Atom, Keyword, Literal, TermId};

/// What to unfold for the moves of a role that reach a goal value at once, or after several moves of all
/// roles. The head is `(wins role move)`, with the first move of the role.
pub fn winning_target(
    domain: &mut Domain,
    role: TermId,
    value: TermId,
    moves: u8,
) -> Result<Target, MetaError> {
    let player = player_of(domain, role)?;
    let head = domain.shared_view("wins", 2);
    let goals = won(domain, role, value, moves)?;
    Ok(Target { head, args: vec![role], shown_moves: vec![(0, player)], goals, variables: 0 })
}

/// What to unfold for the moves of a role after which another role can reach a goal value at once. The head
/// is `(loses role move)`.
pub fn losing_target(
    domain: &mut Domain,
    role: TermId,
    other: TermId,
    value: TermId,
) -> Result<Target, MetaError> {
    let player = player_of(domain, role)?;
    let head = domain.shared_view("loses", 2);
    let goals = won(domain, other, value, 2)?;
    Ok(Target { head, args: vec![role], shown_moves: vec![(0, player)], goals, variables: 0 })
}

fn player_of(domain: &Domain, role: TermId) -> Result<usize, MetaError> {
    let player = domain.roles.iter().position(|&other| other == role);
    player.ok_or_else(|| MetaError::BadGoal("the goal has to name a role of the game".to_owned()))
}

/// That the game is over after some moves, with this value for a role.
fn won(domain: &Domain, role: TermId, value: TermId, moves: u8) -> Result<Vec<(Literal, u8)>, MetaError> {
    let missing = || MetaError::Wrong("the game has no `goal` or no `terminal`".to_owned());
    let goal = domain.program.keyword(Keyword::Goal).ok_or_else(missing)?;
    let terminal = domain.program.keyword(Keyword::Terminal).ok_or_else(missing)?;
    let goal = Literal::Holds(Atom { predicate: goal, args: Box::new([role, value]) });
    let terminal = Literal::Holds(Atom { predicate: terminal, args: Box::new([]) });
    Ok(vec![(goal, moves), (terminal, moves)])
}
