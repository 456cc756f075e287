//! Playing on a machine, which looks after threads and the numbers of games by itself.
//!
//! Where games are shown or recorded, the machine still makes the choices, so that the games are those that it counts, and
//! another player follows. Records need whole states, which the machine may do without: then the follower
//! has a network of its own.

use super::observer::{Observer, Place};
use super::{Played, Session, firsts, unplayable};
use crate::limits::budget;
use crate::output::Failure;
use anyhow::{Result, anyhow};
use grundy::machine::{
    AnyCursor, CompiledGame, Event, Machine, MachineKind, MachineReasoner, MoveName, State, Told, Totals,
};
use grundy::network::MoveId;
use grundy::play::{FollowError, Line, follow};
use grundy::reasoner::Reasoner;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

pub(super) fn play(session: &Session, machine: &Machine, observer: &mut Observer) -> Result<Played> {
    let args = session.args;
    let start = end_of_line(&mut reasoner(machine.game().clone(), MachineKind::Scratch)?, &session.line)?;
    let needs_whole_states = args.record.is_some() || (args.show && !session.line.joints.is_empty());
    let follower = match (args.watches(), needs_whole_states) {
        (false, _) => None,
        (true, false) => Some(Follower::new(session, machine, machine.game().clone(), observer)?),
        (true, true) => {
            let rules = args.reason.whole_rules(session.game)?;
            Some(Follower::new(session, machine, rules, observer)?)
        }
    };
    let setup = session.start.elapsed();
    let played = Instant::now();
    let config = session.config();
    let (totals, lines) = session.clock.watch(|| -> Result<_> {
        let finish = &session.clock.finish;
        let totals = match follower {
            None => machine.playouts_from_until(&start, args.count(), &config, finish),
            Some(follower) => follower.play(session, machine, &start)?,
        };
        let mut lines = Vec::new();
        for game in firsts(&totals) {
            let moves = machine.moves_of_playout(&start, game, args.count(), &config);
            lines.extend(moves.map(|moves| (game, line_of(session, machine, &moves))));
        }
        Ok((totals, lines))
    })?;
    Ok(Played {
        roles: machine.game().interface().roles.as_slice().to_vec(),
        totals,
        lines,
        setup,
        elapsed: played.elapsed(),
        limit: session.clock.limit(),
    })
}

fn reasoner(rules: Arc<CompiledGame>, kind: MachineKind) -> Result<MachineReasoner<AnyCursor>, Failure> {
    let machine = Machine::new(rules, kind, &budget())?;
    Ok(MachineReasoner::new(machine.cursor()))
}

/// The state that the line of the call leads to.
fn end_of_line(reasoner: &mut MachineReasoner<AnyCursor>, line: &Line) -> Result<State, Failure> {
    let initial = reasoner.initial()?;
    follow(reasoner, initial, line, |_, _, _, _| Ok::<(), FollowError>(())).map_err(unplayable)
}

/// The line of the call and these moves.
fn line_of(session: &Session, machine: &Machine, moves: &[Vec<MoveId>]) -> Line {
    let all = &machine.game().interface().moves;
    let text = |played: &MoveId| all[*played].text.clone();
    let mut line = session.line.clone();
    line.joints.extend(moves.iter().map(|joint| joint.iter().map(text).collect()));
    line
}

/// A player that makes the same moves as the machine, and lets an observer look.
struct Follower<'s, 'o, 'w> {
    reasoner: MachineReasoner<AnyCursor>,
    observer: &'o mut Observer<'w>,
    line: &'s Line,
    start: State,
    state: State,
    step: u64,
    /// For each move of the machine that of the follower.
    names: Vec<Option<MoveName>>,
    joint: Vec<MoveName>,
}

impl<'s, 'o, 'w> Follower<'s, 'o, 'w> {
    fn new(
        session: &'s Session,
        machine: &Machine,
        rules: Arc<CompiledGame>,
        observer: &'o mut Observer<'w>,
    ) -> Result<Follower<'s, 'o, 'w>> {
        let mut reasoner = reasoner(rules, MachineKind::Incremental)?;
        let start = end_of_line(&mut reasoner, &session.line)?;
        let moves = &machine.game().interface().moves;
        let names = moves.iter().map(|one_move| reasoner.move_of(&one_move.text).ok()).collect();
        observer.look_at_start(&mut reasoner, &session.line, &start)?;
        let (line, state) = (&session.line, start.clone());
        Ok(Follower { reasoner, observer, line, start, state, step: 0, names, joint: Vec::new() })
    }

    /// Plays all games one after the other.
    fn play(mut self, session: &Session, machine: &Machine, start: &State) -> Result<Totals> {
        let count = session.args.count();
        let told = Told { games: 0..count, count };
        let mut failure = None;
        let mut tell = |game, event: Event| match self.hear(game, event) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        };
        let finish = &session.clock.finish;
        let totals = machine.tell_playouts(start, &told, &session.config(), finish, &mut tell);
        failure.map_or(Ok(totals), Err)
    }

    fn hear(&mut self, game: u64, event: Event) -> Result<()> {
        let place = Place { game, step: self.step };
        let Event::Moves(moves) = event else {
            self.observer.look(&mut self.reasoner, place, self.line, &self.state, None)?;
            self.state.clone_from(&self.start);
            self.step = 0;
            return Ok(());
        };
        self.joint.clear();
        for one_move in moves {
            let name = self.names[one_move.0 as usize];
            self.joint.push(name.ok_or_else(|| anyhow!("bug: a network lacks a move that was made"))?);
        }
        self.observer.look(&mut self.reasoner, place, self.line, &self.state, Some(&self.joint))?;
        self.state = self.reasoner.next(&self.state, &self.joint).map_err(Failure::from)?;
        self.step += 1;
        Ok(())
    }
}
