//! Whether playouts are what they should be: games with uniformly random moves.
//!
//! Machines play without stepping from outside, the batch machine many games in one register, so that comparing states does
//! not reach them. Where a game is small, the reference finds all positions within a few moves with their probabilities.
//! The totals of many playouts must agree with these: what is impossible never happens, what is certain always does, and
//! the rest lies within [`SIGMAS`] standard deviations.
//!
//! Once machines tell which moves a playout made, the reference can replay exactly these games: [`check`] is the place.

use super::Difference;
use super::engines::machine;
use super::session::{Session, differs};
use grundy::machine::{MachineKind, PlayoutConfig, Rules, Totals};
use grundy_reference::{Game, Limits, State};
use std::collections::BTreeMap;
use std::sync::Arc;

/// No more joint moves are made by the reference.
const MOST_STEPS: usize = 150;
/// Games are given up after so many moves.
const MAX_MOVES: u64 = 3;
const GAMES: u64 = 700;
/// By chance, fewer than one number in 10¹¹ is that far off.
const SIGMAS: f64 = 7.0;

pub(super) fn check(session: &mut Session, rules: &Arc<Rules>) -> Result<(), Difference> {
    if !session.enter("playouts") {
        return Ok(());
    }
    let limits = Limits { facts: 200_000, budget: session.budget(), ..Limits::default() };
    let Ok(mut game) = Game::new(session.program.clone(), limits) else { return Ok(()) };
    let Ok(Some(expected)) = Expected::of(&mut game) else { return Ok(()) };
    let config =
        PlayoutConfig { seed: session.config.seed, max_steps: MAX_MOVES, ..PlayoutConfig::default() };
    for kind in [MachineKind::Scratch, MachineKind::Incremental, MachineKind::Batch] {
        let name = format!("playouts of {kind:?}");
        if !session.enter(&name) {
            continue;
        }
        let Some(machine) = machine(session, &name, rules, kind)? else { continue };
        let totals = machine.playouts_from(std::slice::from_ref(rules.initial()), GAMES, &config);
        let totals = totals.into_iter().next().unwrap_or_default();
        if let Some(difference) = expected.difference(&totals) {
            return Err(differs(&name, difference));
        }
    }
    Ok(())
}

/// The distribution of something that a game has at its end.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    mean: f64,
    square: f64,
    largest: f64,
}

impl Moments {
    fn add(&mut self, probability: f64, value: f64) {
        self.mean += probability * value;
        self.square += probability * value * value;
        self.largest = self.largest.max(value.abs());
    }

    /// Whether a sum over all games can be so large.
    fn allows(self, sum: f64) -> bool {
        let games = GAMES as f64;
        let variance = (self.square - self.mean * self.mean).max(0.0);
        let tolerance = match variance < 1e-9 {
            true => 1e-3,
            false => SIGMAS * (variance * games).sqrt() + SIGMAS * self.largest,
        };
        (sum - self.mean * games).abs() <= tolerance
    }
}

/// What the playouts of a game come to.
#[derive(Default)]
struct Expected {
    length: Moments,
    stuck: Moments,
    unfinished: Moments,
    /// For each role: whether it has a value, and the value.
    goals: Vec<(Moments, Moments)>,
}

impl Expected {
    /// `None` if the game is too large.
    fn of(game: &mut Game) -> Result<Option<Expected>, grundy_reference::Error> {
        let mut expected =
            Expected { goals: vec![Default::default(); game.roles().len()], ..Expected::default() };
        let mut layer: BTreeMap<State, f64> = BTreeMap::from([(game.initial()?, 1.0)]);
        let mut steps = 0;
        for length in 0..=MAX_MOVES {
            let mut next = BTreeMap::new();
            for (state, probability) in std::mem::take(&mut layer) {
                if game.is_terminal(&state)? {
                    expected.finish(game, &state, probability)?;
                    expected.length.add(probability, length as f64);
                    continue;
                }
                let legal = game.legal(&state)?;
                if legal.iter().any(Vec::is_empty) || length == MAX_MOVES {
                    let is_stuck = legal.iter().any(Vec::is_empty);
                    let why = if is_stuck { &mut expected.stuck } else { &mut expected.unfinished };
                    why.add(probability, 1.0);
                    expected.length.add(probability, length as f64);
                    continue;
                }
                let joints = legal.iter().fold(1usize, |joints, moves| joints.saturating_mul(moves.len()));
                steps += joints;
                if steps > MOST_STEPS {
                    return Ok(None);
                }
                for mut number in 0..joints {
                    let mut joint = Vec::new();
                    for moves in &legal {
                        joint.push(moves[number % moves.len()]);
                        number /= moves.len();
                    }
                    *next.entry(game.next(&state, &joint)?).or_default() += probability / joints as f64;
                }
            }
            layer = next;
        }
        Ok(Some(expected))
    }

    fn finish(
        &mut self,
        game: &mut Game,
        state: &State,
        probability: f64,
    ) -> Result<(), grundy_reference::Error> {
        for (sums, values) in self.goals.iter_mut().zip(game.goals(state)?) {
            if let [value] = values[..]
                && let Ok(value) = game.text(value).parse::<i32>()
            {
                sums.0.add(probability, 1.0);
                sums.1.add(probability, f64::from(value));
            }
        }
        Ok(())
    }

    fn difference(&self, totals: &Totals) -> Option<String> {
        let mut numbers = vec![
            ("moves".to_owned(), self.length, totals.states as f64),
            ("stuck games".to_owned(), self.stuck, totals.stuck as f64),
            ("unfinished games".to_owned(), self.unfinished, totals.unfinished as f64),
        ];
        for (role, (expected, found)) in self.goals.iter().zip(&totals.goals).enumerate() {
            numbers.push((format!("games with a goal of role {role}"), expected.0, found.count as f64));
            numbers.push((format!("sum of the goals of role {role}"), expected.1, found.sum as f64));
        }
        if totals.playouts != GAMES || totals.goals.len() != self.goals.len() {
            return Some(format!("{totals:?}: not {GAMES} games of {} roles", self.goals.len()));
        }
        let wrong = numbers.into_iter().find(|(_, expected, found)| !expected.allows(*found));
        wrong.map(|(what, expected, found)| {
            format!("{GAMES} games: {what}: {found}, expected {:.1}", expected.mean * GAMES as f64)
        })
    }
}
