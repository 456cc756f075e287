//! Whether playouts are what they should be: games with uniformly random moves.
//!
//! Machines play without stepping from outside, the batch machine many games in one register, so that comparing states does
//! not reach them. Where a game is small, the reference finds all positions within a few moves with their probabilities.
//! The totals of many playouts must agree with these: what is impossible never happens, what is certain always does, and
//! the rest lies within [`SIGMAS`] standard deviations.
//!
//! Then the machine tells the moves of the same games, and the reference replays each of them: moves must be legal, games
//! end where they should, and the totals are those of the machine.

use super::Difference;
use super::engines::machine;
use super::session::{Session, differs};
use crate::numbers::float;
use grundy::flat::read_ground_term;
use grundy::machine::{CompiledGame, Event, Machine, MachineKind, PlayoutConfig, Told, Totals};
use grundy::reasoner::{GoalValue, ReasonError};
use grundy::syntax::TermId;
use grundy_reference::{Game, Limits, State};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// No more joint moves are made by the reference.
const MOST_STEPS: usize = 150;
/// Games are given up after so many moves.
const MAX_MOVES: u64 = 3;
const GAMES: u64 = 700;
/// By chance, fewer than one number in 10¹¹ is that far off.
const SIGMAS: f64 = 7.0;

pub(super) fn check(session: &mut Session, rules: &Arc<CompiledGame>) -> Result<(), Difference> {
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
        let name = format!("{name}, replayed");
        match Replayed::of(&mut game, &machine, &config).compare(&totals) {
            Ok(()) => {}
            Err(Fault::Limit(limit)) => session.skip(&name, &limit),
            Err(Fault::Wrong(difference)) => return Err(differs(&name, difference)),
        }
    }
    Ok(())
}

/// A state that the reference has seen.
struct Known {
    state: State,
    is_terminal: bool,
    legal: Vec<Vec<TermId>>,
    goals: Vec<GoalValue>,
    next: BTreeMap<Vec<TermId>, usize>,
}

/// The games that a machine tells, as the reference sees them.
struct Replayed {
    totals: Totals,
    told: Totals,
    error: Option<Fault>,
}

/// Why games cannot be replayed.
enum Fault {
    /// The reference has hit a limit of its own, which says nothing about the machine.
    Limit(String),
    /// The machine is wrong.
    Wrong(String),
}

impl From<&str> for Fault {
    fn from(what: &str) -> Fault {
        Fault::Wrong(what.to_owned())
    }
}

impl From<grundy_reference::Error> for Fault {
    fn from(error: grundy_reference::Error) -> Fault {
        match ReasonError::from(error) {
            ReasonError::Limit { message, .. } => Fault::Limit(message),
            error => Fault::Wrong(error.to_string()),
        }
    }
}

impl Replayed {
    fn of(game: &mut Game, machine: &Machine, config: &PlayoutConfig) -> Replayed {
        let interface = machine.game().interface();
        let terms: Vec<Option<TermId>> = interface
            .moves
            .iter()
            .map(|one_move| {
                let (symbols, terms) = game.names_and_terms_mut();
                read_ground_term(&one_move.text, symbols, terms)
            })
            .collect();
        let roles = interface.roles.len();
        let mut totals = Totals::new(roles);
        let mut error = None;
        let mut atlas = Atlas { known: Vec::new(), numbers: BTreeMap::new() };
        let (mut at, mut moves) = (None, 0);
        let told = Told { games: 0..GAMES, count: GAMES };
        let mut tell = |number: u64, event: Event| {
            let step = atlas.step(game, &mut at, &mut moves, &event, &terms, &mut totals);
            match step {
                Ok(()) => ControlFlow::Continue(()),
                Err(fault) => {
                    error = Some(match fault {
                        Fault::Wrong(what) => Fault::Wrong(format!("game {number}, move {moves}: {what}")),
                        limit => limit,
                    });
                    ControlFlow::Break(())
                }
            }
        };
        let never = AtomicBool::new(false);
        let told = machine.tell_playouts(machine.game().initial(), &told, config, &never, &mut tell);
        Replayed { totals, told, error }
    }

    fn compare(self, counted: &Totals) -> Result<(), Fault> {
        if let Some(fault) = self.error {
            return Err(fault);
        }
        if self.told != *counted {
            return Err(Fault::Wrong(format!("told {:?}, counted {counted:?}", self.told)));
        }
        let numbers = |totals: &Totals| {
            let goals = totals.goals.iter().map(|goal| (goal.count, goal.sum)).collect::<Vec<_>>();
            (totals.playouts, totals.states, totals.stuck, totals.unfinished, goals)
        };
        let (found, expected) = (numbers(counted), numbers(&self.totals));
        if found != expected {
            return Err(Fault::Wrong(format!("{found:?}, expected {expected:?}")));
        }
        Ok(())
    }
}

/// All states that replayed games have visited.
struct Atlas {
    known: Vec<Known>,
    numbers: BTreeMap<State, usize>,
}

impl Atlas {
    /// Follows an event of a game.
    #[allow(clippy::too_many_arguments, reason = "where the walk is, and what it has found")]
    fn step(
        &mut self,
        game: &mut Game,
        at: &mut Option<usize>,
        moves: &mut u64,
        event: &Event,
        terms: &[Option<TermId>],
        totals: &mut Totals,
    ) -> Result<(), Fault> {
        let here = match *at {
            Some(here) => here,
            None => {
                let initial = game.initial()?;
                self.number(game, initial)?
            }
        };
        let known = &self.known[here];
        let is_stuck = known.legal.iter().any(Vec::is_empty);
        match event {
            Event::Moves(_) if known.is_terminal || is_stuck || *moves == MAX_MOVES => {
                Err("goes on behind its end".into())
            }
            Event::Moves(joint) => {
                let joint: Option<Vec<TermId>> = joint.iter().map(|one| terms[one.0 as usize]).collect();
                let joint = joint.ok_or("moves are no terms")?;
                let mut pairs = joint.iter().zip(&known.legal);
                if !pairs.all(|(one_move, legal)| legal.contains(one_move)) {
                    let texts: Vec<String> = joint.iter().map(|&one_move| game.text(one_move)).collect();
                    return Err(Fault::Wrong(format!("{} is not legal", texts.join(" "))));
                }
                let next = match known.next.get(&joint) {
                    Some(&next) => next,
                    None => {
                        let state = game.next(&known.state, &joint)?;
                        let next = self.number(game, state)?;
                        self.known[here].next.insert(joint, next);
                        next
                    }
                };
                (*at, *moves) = (Some(next), *moves + 1);
                totals.states += 1;
                Ok(())
            }
            Event::End => {
                if !known.is_terminal && !is_stuck && *moves < MAX_MOVES {
                    return Err("ends too early".into());
                }
                totals.playouts += 1;
                if known.is_terminal {
                    for (sum, goal) in totals.goals.iter_mut().zip(&known.goals) {
                        if let GoalValue::Number(value) = goal {
                            sum.count += 1;
                            sum.sum += i64::from(*value);
                        }
                    }
                } else {
                    *(if is_stuck { &mut totals.stuck } else { &mut totals.unfinished }) += 1;
                }
                (*at, *moves) = (None, 0);
                Ok(())
            }
        }
    }

    fn number(&mut self, game: &mut Game, state: State) -> Result<usize, Fault> {
        if let Some(&number) = self.numbers.get(&state) {
            return Ok(number);
        }
        let goals = game.goals(&state)?;
        let goal = |values: &Vec<TermId>| {
            GoalValue::of(values.iter().map(|&value| game.text(value).parse::<i32>().ok()))
        };
        let goals = goals.iter().map(goal).collect();
        let is_terminal = game.is_terminal(&state)?;
        let legal = game.legal(&state)?;
        let number = self.known.len();
        self.numbers.insert(state.clone(), number);
        self.known.push(Known { state, is_terminal, legal, goals, next: BTreeMap::new() });
        Ok(number)
    }
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
        let games = float(GAMES);
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
                    expected.length.add(probability, float(length));
                    continue;
                }
                let legal = game.legal(&state)?;
                if legal.iter().any(Vec::is_empty) || length == MAX_MOVES {
                    let is_stuck = legal.iter().any(Vec::is_empty);
                    let why = if is_stuck { &mut expected.stuck } else { &mut expected.unfinished };
                    why.add(probability, 1.0);
                    expected.length.add(probability, float(length));
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
                    *next.entry(game.next(&state, &joint)?).or_default() += probability / float(joints);
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
            ("moves".to_owned(), self.length, float(totals.states)),
            ("stuck games".to_owned(), self.stuck, float(totals.stuck)),
            ("unfinished games".to_owned(), self.unfinished, float(totals.unfinished)),
        ];
        for (role, (expected, found)) in self.goals.iter().zip(&totals.goals).enumerate() {
            numbers.push((format!("games with a goal of role {role}"), expected.0, float(found.count)));
            numbers.push((format!("sum of the goals of role {role}"), expected.1, found.sum as f64));
        }
        if totals.playouts != GAMES || totals.goals.len() != self.goals.len() {
            return Some(format!("{totals:?}: not {GAMES} games of {} roles", self.goals.len()));
        }
        let wrong = numbers.into_iter().find(|(_, expected, found)| !expected.allows(*found));
        wrong.map(|(what, expected, found)| {
            format!("{GAMES} games: {what}: {found}, expected {:.1}", expected.mean * float(GAMES))
        })
    }
}
