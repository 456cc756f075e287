//! Looking at games while they are played: `--show` and `--record`.

use super::unplayable;
use crate::output::{Failure, note};
use crate::render::count;
use anyhow::Result;
use grundy::play::trace::record;
use grundy::play::{FollowError, Line, follow};
use grundy::reasoner::{ReasonError, Reasoner};
use std::io::Write;

/// Shows and records games, state by state.
pub(super) struct Observer<'a> {
    show: bool,
    out: Option<&'a mut dyn Write>,
}

/// A state of a game: the number of the game, and how many joint moves were made before.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) game: u64,
    pub(super) step: u64,
}

impl<'a> Observer<'a> {
    pub(super) fn new(show: bool, out: Option<&'a mut dyn Write>) -> Observer<'a> {
        Observer { show, out }
    }

    /// Looks at a state, and at the joint move that is about to be made; `None` if the game is over or given up.
    pub(super) fn look<R: Reasoner>(
        &mut self,
        reasoner: &mut R,
        place: Place,
        line: &Line,
        state: &R::State,
        joint: Option<&[R::Move]>,
    ) -> Result<()> {
        if let Some(out) = &mut self.out {
            if place.step == 0 {
                record_line(out, reasoner, place.game, line)?;
            }
            let step = line.joints.len() as u64 + place.step;
            let text = record(reasoner, (place.game, step), state, joint).map_err(Failure::from)?;
            out.write_all(text.as_bytes())?;
        }
        if self.show {
            match joint {
                Some(joint) => show_step(reasoner, state, joint).map_err(Failure::from)?,
                None => show_end(reasoner, place.step, state).map_err(Failure::from)?,
            }
        }
        Ok(())
    }

    /// Shows the position that games start from, where it is not the initial one.
    pub(super) fn look_at_start<R: Reasoner>(
        &self,
        reasoner: &mut R,
        line: &Line,
        state: &R::State,
    ) -> Result<(), Failure> {
        if self.show && !line.joints.is_empty() {
            show_position(reasoner, line, state)?;
        }
        Ok(())
    }
}

/// Records the moves that come before all playouts, so that the game can be replayed from the initial state.
fn record_line<R: Reasoner>(out: &mut dyn Write, reasoner: &mut R, game: u64, line: &Line) -> Result<()> {
    if line.joints.is_empty() {
        return Ok(());
    }
    let initial = reasoner.initial().map_err(Failure::from)?;
    let mut text = String::new();
    let record_one = |reasoner: &mut R, step: u64, state: &R::State, joint: &[R::Move]| {
        text += &record(reasoner, (game, step), state, Some(joint))?;
        Ok::<(), FollowError>(())
    };
    follow(reasoner, initial, line, record_one).map_err(unplayable)?;
    Ok(out.write_all(text.as_bytes())?)
}

fn show_step<R: Reasoner>(reasoner: &mut R, state: &R::State, joint: &[R::Move]) -> Result<(), ReasonError> {
    let moves: Vec<String> = joint.iter().map(|&one_move| reasoner.move_text(one_move)).collect();
    let percepts = reasoner.sees(state, joint)?;
    let mut line = moves.join("  ");
    for (role, seen) in reasoner.roles().iter().zip(percepts).filter(|(_, seen)| !seen.is_empty()) {
        line.push_str(&format!("   [{role} sees {}]", seen.join(" ")));
    }
    note(&line);
    Ok(())
}

fn show_end<R: Reasoner>(reasoner: &mut R, steps: u64, state: &R::State) -> Result<(), ReasonError> {
    let after = count(steps, "move");
    if reasoner.is_terminal(state)? {
        let goals: Vec<String> = reasoner.goals(state)?.iter().map(ToString::to_string).collect();
        note(&format!("end after {after}, goals: {}\n", goals.join(" ")));
        return Ok(());
    }
    let stuck = stuck_roles(reasoner, state)?;
    if stuck.is_empty() {
        note(&format!("given up after {after}\n"));
    } else {
        note(&format!("stuck after {after}: no legal move for {}\n", stuck.join(", ")));
    }
    Ok(())
}

/// The roles without a legal move.
fn stuck_roles<R: Reasoner>(reasoner: &mut R, state: &R::State) -> Result<Vec<String>, ReasonError> {
    let legal = reasoner.legal(state)?;
    let roles = reasoner.roles().into_iter().zip(&legal);
    Ok(roles.filter(|(_, moves)| moves.is_empty()).map(|(role, _)| role).collect())
}

fn show_position<R: Reasoner>(reasoner: &mut R, line: &Line, state: &R::State) -> Result<(), ReasonError> {
    note(&format!("position after {}:", count(line.joints.len(), "move")));
    reasoner.facts(state).iter().for_each(|fact| note(&format!("  {fact}")));
    if reasoner.is_terminal(state)? {
        note("  terminal");
    }
    let goals = reasoner.goals(state)?;
    let legal = reasoner.legal(state)?;
    for ((role, goal), moves) in reasoner.roles().iter().zip(goals).zip(legal) {
        let moves: Vec<String> = moves.iter().map(|&one_move| reasoner.move_text(one_move)).collect();
        let moves = if moves.is_empty() { "none".to_owned() } else { moves.join(" ") };
        note(&format!("  {role}: goal {goal}, legal moves: {moves}"));
    }
    note("");
    Ok(())
}
