//! Reports random games move by move.
//!
//! [`Machine::tell_playouts`] plays the same games as [`Machine::playouts_until`] in one thread and reports the moves of each
//! game, in the order of the games. A game is reported while it is played, so that an endless one takes no memory. A batch
//! plays hundreds of games at once: it reports the first game that is not complete yet, buffers the moves of later ones up
//! to a bound, and plays the chunk again for those whose moves were dropped.

use super::batch::{BLOCK_LANES, BatchMachine, Block, Watch};
use super::playouts::{Chunk, PlayoutConfig, Totals, batch_start, play_game};
use super::{Cursor, Machine, State};
use crate::network::{MoveId, RoleId};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An event of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A joint move is made, one move for each role.
    Moves(&'a [MoveId]),
    /// The game is over, or abandoned.
    End,
}

/// Receives the number of a game and an event of it; `Break` stops the report.
pub type Tell<'a> = dyn FnMut(u64, Event) -> ControlFlow<()> + 'a;

/// The most moves of later games that a batch buffers, at four bytes each: 16 MB, a guess.
const MAX_BUFFERED_MOVES: usize = 1 << 22;

/// The games that are reported.
#[derive(Clone, Debug)]
pub struct Told {
    /// The numbers of the games that are reported.
    pub games: Range<u64>,
    /// The number of games in all, on which the games of a batch depend.
    pub count: u64,
}

impl Machine {
    /// Plays random games as [`playouts_from_until`](Self::playouts_from_until) does, and reports some of them. The totals
    /// are those of the games that were played, which are all of them if all are reported.
    pub fn tell_playouts(
        &self,
        start: &State,
        told: &Told,
        config: &PlayoutConfig,
        stop: &AtomicBool,
        tell: &mut Tell,
    ) -> Totals {
        match self {
            Machine::Scratch(machine) => tell_one_by_one(machine.cursor(), start, told, config, stop, tell),
            Machine::Incremental(machine) => {
                tell_one_by_one(machine.cursor(), start, told, config, stop, tell)
            }
            Machine::Batch(machine) => {
                tell_batch(machine, start, told, config, stop, tell, MAX_BUFFERED_MOVES)
            }
        }
    }

    /// The moves of one of the games that are played; `None` if it was interrupted.
    pub fn moves_of_playout(
        &self,
        start: &State,
        game: u64,
        count: u64,
        config: &PlayoutConfig,
    ) -> Option<Vec<Vec<MoveId>>> {
        let mut moves = Vec::new();
        let mut is_over = false;
        let told = Told { games: game..game + 1, count };
        self.tell_playouts(start, &told, config, &AtomicBool::new(false), &mut |_, event| {
            match event {
                Event::Moves(joint) => moves.push(joint.to_vec()),
                Event::End => is_over = true,
            }
            ControlFlow::Continue(())
        });
        is_over.then_some(moves)
    }
}

fn tell_one_by_one<P: Cursor>(
    mut cursor: P,
    start: &State,
    told: &Told,
    config: &PlayoutConfig,
    stop: &AtomicBool,
    tell: &mut Tell,
) -> Totals {
    let mut totals = Totals::new(cursor.game().interface().roles.len());
    let mut joint = vec![MoveId(0); totals.goals.len()];
    for game in told.games.start..told.games.end.min(told.count) {
        if stop.load(Ordering::Relaxed) || config.budget.is_over() {
            break;
        }
        let each_move = |joint: &[MoveId]| tell(game, Event::Moves(joint)).is_continue();
        let is_over = play_game(&mut cursor, (game, start), config, &mut joint, &mut totals, each_move);
        if !is_over || tell(game, Event::End).is_break() {
            break;
        }
    }
    totals
}

#[allow(clippy::too_many_arguments, reason = "the arguments of `tell_playouts`, and a bound for tests")]
fn tell_batch(
    machine: &Arc<BatchMachine>,
    start: &State,
    told: &Told,
    config: &PlayoutConfig,
    stop: &AtomicBool,
    tell: &mut Tell,
    most_kept: usize,
) -> Totals {
    let roles = machine.game().interface().roles.len();
    let mut totals = Totals::new(roles);
    let mut lanes = machine.lanes();
    let (mut next, end) = (told.games.start, told.games.end.min(told.count));
    for number in 0.. {
        let games = batch_start(number)..batch_start(number + 1).min(told.count);
        if games.end <= next && !games.is_empty() {
            continue;
        }
        if games.start >= end || stop.load(Ordering::Relaxed) {
            break;
        }
        let end = end.min(games.end);
        let states = std::slice::from_ref(start);
        let chunk = Chunk { number, games, each: told.count, states, config };
        // Games that are played again are counted already.
        let mut again = Totals::new(roles);
        let mut is_first = true;
        while next < end {
            let mut teller = Teller::new(roles, next..end, is_first, most_kept, tell);
            let counted = if is_first { &mut totals } else { &mut again };
            lanes.play_watched(&chunk, std::slice::from_mut(counted), &mut teller);
            (next, is_first) = (teller.next, false);
            if teller.is_broken || config.budget.is_over() {
                return totals;
            }
        }
    }
    totals
}

/// Reports the games of a chunk in order.
struct Teller<'a, 't> {
    roles: usize,
    /// The game that is reported now, move by move.
    next: u64,
    /// Games from this one on are left for another pass: the moves of some of them were dropped.
    end: u64,
    /// Whether the games are counted, so that all of them must be played.
    counts: bool,
    /// The end of all that is wanted.
    wanted: u64,
    /// The moves of games behind `next`, and whether they are over.
    kept: BTreeMap<u64, Kept>,
    kept_moves: usize,
    most_kept: usize,
    /// For each lane its game, and the joint move that it makes.
    games: Vec<u64>,
    joints: Vec<MoveId>,
    tell: &'a mut Tell<'t>,
    is_broken: bool,
}

/// The moves of a game that is reported later. Without roles, a joint move is empty, but still a step.
#[derive(Default)]
struct Kept {
    moves: Vec<MoveId>,
    steps: usize,
    is_over: bool,
}

impl Kept {
    fn size(&self) -> usize {
        self.steps + self.moves.len()
    }
}

impl<'a, 't> Teller<'a, 't> {
    fn new(
        roles: usize,
        games: Range<u64>,
        counts: bool,
        most_kept: usize,
        tell: &'a mut Tell<'t>,
    ) -> Teller<'a, 't> {
        Teller {
            roles,
            next: games.start,
            end: games.end,
            counts,
            wanted: games.end,
            kept: BTreeMap::new(),
            kept_moves: 0,
            most_kept,
            games: vec![0; BLOCK_LANES],
            joints: vec![MoveId(0); BLOCK_LANES * roles],
            tell,
            is_broken: false,
        }
    }

    fn tell(&mut self, event: Event) {
        self.is_broken = self.is_broken || (self.tell)(self.next, event).is_break();
    }

    /// Drops the moves of the last games until there is room.
    fn make_room(&mut self) {
        while self.kept_moves > self.most_kept / 2 {
            let Some((game, kept)) = self.kept.pop_last() else { break };
            self.kept_moves -= kept.size();
            self.end = game;
        }
    }

    /// Advances to the next game and reports the buffered moves of it and of complete games after it.
    fn advance(&mut self) {
        loop {
            self.tell(Event::End);
            self.next += 1;
            let Some(kept) = self.kept.remove(&self.next) else { return };
            self.kept_moves -= kept.size();
            for step in 0..kept.steps {
                self.tell(Event::Moves(&kept.moves[step * self.roles..][..self.roles]));
            }
            if !kept.is_over {
                return;
            }
        }
    }
}

impl Watch for Teller<'_, '_> {
    fn begins(&mut self, lane: usize, game: u64) {
        self.games[lane] = game;
        if game > self.next && game < self.end {
            self.kept.insert(game, Kept::default());
        }
    }

    fn chooses(&mut self, role: RoleId, chosen: MoveId, lanes: Block) {
        lanes.for_each(|lane| self.joints[lane * self.roles + role.index()] = chosen);
    }

    fn moves(&mut self, lanes: Block) {
        let joints = std::mem::take(&mut self.joints);
        lanes.for_each(|lane| {
            let joint = &joints[lane * self.roles..][..self.roles];
            let game = self.games[lane];
            if game == self.next && game < self.end {
                self.tell(Event::Moves(joint));
            } else if let Some(kept) = self.kept.get_mut(&game) {
                kept.moves.extend_from_slice(joint);
                kept.steps += 1;
                self.kept_moves += 1 + self.roles;
            }
        });
        self.joints = joints;
        if self.kept_moves > self.most_kept {
            self.make_room();
        }
    }

    fn ends(&mut self, lane: usize) {
        let game = self.games[lane];
        if game == self.next && game < self.end {
            self.advance();
        } else if let Some(kept) = self.kept.get_mut(&game) {
            kept.is_over = true;
        }
    }

    fn is_done(&self) -> bool {
        self.is_broken || self.next >= if self.counts { self.wanted } else { self.end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, MachineConfig};
    use crate::machine::MachineKind;

    /// Games of very different lengths: each step ends the game with one chance in six.
    const DICE: &str = "(role a) (role b) (init (n 0)) (face 1) (face 2) (face 3) (face 4) (face 5) (face 6)
        (<= (legal ?r (roll ?f)) (role ?r) (face ?f)) (<= (next (last ?r ?f)) (does ?r (roll ?f)))
        (<= terminal (true (last a 6))) (<= (goal ?r ?f) (true (last ?r ?f)))";

    fn batch() -> Machine {
        let config = MachineConfig { kind: MachineKind::Batch, ..MachineConfig::default() };
        Game::from_kif(DICE).unwrap().machine(&config).unwrap()
    }

    /// The games as texts, and the totals.
    fn told(machine: &Machine, count: u64, games: Range<u64>, most_kept: usize) -> (Vec<String>, Totals) {
        let Machine::Batch(batch) = machine else { panic!("a batch") };
        let mut texts: Vec<String> = Vec::new();
        let mut current = (games.start, String::new());
        let first = games.start;
        let mut tell = |game, event: Event| {
            assert_eq!(game, current.0, "games are told in order, one after the other");
            match event {
                Event::Moves(joint) => current.1 += &format!("{joint:?}"),
                Event::End => {
                    texts.push(std::mem::take(&mut current.1));
                    current.0 += 1;
                }
            }
            ControlFlow::Continue(())
        };
        let (told, config) = (Told { games, count }, PlayoutConfig { seed: 5, ..PlayoutConfig::default() });
        let initial = machine.game().initial();
        let never = AtomicBool::new(false);
        let totals = tell_batch(batch, initial, &told, &config, &never, &mut tell, most_kept);
        assert_eq!(texts.len() as u64, told.games.end.min(count) - first);
        (texts, totals)
    }

    #[test]
    fn batches_tell_the_games_that_they_count_however_few_moves_are_kept() {
        let machine = batch();
        let count = 2000;
        let (all, totals) = told(&machine, count, 0..count, MAX_BUFFERED_MOVES);
        assert_eq!(totals, machine.playouts(count, 5));
        let moves: usize = all.iter().map(|game| game.matches('[').count()).sum();
        assert_eq!(moves as u64, totals.states);
        for most_kept in [0, 100, 5000] {
            assert!(
                told(&machine, count, 0..count, most_kept) == (all.clone(), totals.clone()),
                "{most_kept}"
            );
        }
        for game in [0, 511, 512, 1999] {
            assert_eq!(told(&machine, count, game..game + 1, 100).0, [all[game as usize].clone()]);
        }
    }
}
