//! Rules about moves: they change no answer, and machines tell winning, safe and forced moves as trying all moves finds them.

use super::Difference;
use super::engines::{MOST_RULES, machine, machines_of, required, turn};
use super::session::{Session, differs};
use super::transcript::States;
use grundy::flat::read_ground_term;
use grundy::game::{Game, GameError, MachineConfig};
use grundy::machine::{CompiledGame, MachineKind};
use grundy::unfold::UnfoldConfig;
use grundy::winning::MoveRulesConfig;
use grundy_reference::{Limits, State};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A role and a move, in print.
type Found = BTreeSet<(String, String)>;

/// How many states of a game have their moves tried, and how many joint moves a state may have.
const MOST_STATES: usize = 4;
const MOST_JOINT_MOVES: usize = 24;

/// Of so many sheets, one gets rules about winning moves, and another one about forced moves, too.
const MOVE_RULES: usize = 8;

pub(super) fn check(session: &mut Session, game: &Game) -> Result<(), Difference> {
    // Unfolding takes longer than all else together.
    match turn(session) % MOVE_RULES {
        0 => check_rules(session, game, false),
        1 => check_rules(session, game, true),
        _ => Ok(()),
    }
}

fn check_rules(session: &mut Session, game: &Game, forced: bool) -> Result<(), Difference> {
    let name = if forced { "move rules, forced" } else { "move rules" };
    // Searching for metarules has no deadline of its own.
    let is_large = session.may_skip() && session.program.rules.len() > 400;
    if is_large || !session.enter(name) {
        return Ok(());
    }
    let initial = session.transcript.states().next().map(<[String]>::to_vec).unwrap_or_default();
    let default = MoveRulesConfig::default();
    let unfold = UnfoldConfig { max_rules: 200, max_steps: 300, ..default.unfold };
    let config = MoveRulesConfig { unfold, forced, ..default };
    // Unfolding may give up; then there is nothing to compare.
    let Ok(game) = game.with_move_rules(&[initial], &config) else { return Ok(()) };
    let mut config = MachineConfig::default();
    config.ground.budget = session.budget();
    config.ground.max_rules = MOST_RULES;
    let rules = match game.rules(&config) {
        Err(GameError::NoSafeMoves | GameError::Ground(_)) => return Ok(()),
        rules => rules,
    };
    let Some(rules) = session.made(name, rules)? else { return Ok(()) };
    machines_of(session, &format!(", {name}"), &rules, States::Whole)?;
    if session.enter(name) { compare(session, name, &rules, forced) } else { Ok(()) }
}

/// Compares what machines tell with what trying finds.
fn compare(
    session: &mut Session,
    name: &str,
    rules: &Arc<CompiledGame>,
    forced: bool,
) -> Result<(), Difference> {
    let limits = Limits { facts: 200_000, budget: session.budget(), ..Limits::default() };
    let game = required(name, grundy_reference::Game::new(session.program.clone(), limits))?;
    let mut judge = Judge { game };
    let kinds = [MachineKind::Scratch, MachineKind::Incremental];
    for facts in session.transcript.states().take(MOST_STATES) {
        let Ok(Some(expected)) = judge.hints(facts, forced) else { continue };
        for kind in kinds {
            let Some(machine) = machine(session, name, rules, kind)? else { continue };
            let state = required(name, rules.state_of(facts.iter().map(String::as_str)))?;
            let mut position = machine.position(&state);
            for (hint, expected) in &expected {
                let moves = position.hinted(hint).into_iter();
                let found: Found = moves
                    .map(|hinted| {
                        let role = rules.interface().moves[hinted].role;
                        (position.role_name(role).to_owned(), position.move_text(hinted).to_owned())
                    })
                    .collect();
                if found != *expected {
                    let what = format!("in {facts:?}: {hint} {found:?}, expected {expected:?}");
                    return Err(differs(&format!("{kind:?}, {name}"), what));
                }
            }
        }
    }
    Ok(())
}

/// The reference, trying moves.
struct Judge {
    game: grundy_reference::Game,
}

type Result2<T> = Result<T, grundy_reference::Error>;

/// Hints by name, each with the moves that it should name.
type Hints = Vec<(&'static str, Found)>;

/// A joint move, by role, and the state after it.
type Successor = (Vec<(String, String)>, State);

impl Judge {
    /// What hints should say of a state that is not terminal; `None` if there are too many moves to try.
    fn hints(&mut self, facts: &[String], forced: bool) -> Result2<Option<Hints>> {
        let state = self.state_of(facts);
        if self.game.is_terminal(&state)? {
            return Ok(None);
        }
        let legal = self.game.legal(&state)?;
        if legal.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        let Some(wins) = self.wins(&state)? else { return Ok(None) };
        let mut hints = vec![("wins", wins)];
        if forced {
            let Some(safe) = self.safe(&state)? else { return Ok(None) };
            let roles: Vec<String> = self.game.roles().iter().map(|&role| self.game.text(role)).collect();
            let mut stops = safe.clone();
            for (role, moves) in roles.iter().zip(&legal) {
                if safe.iter().filter(|(who, _)| who == role).count() == moves.len() {
                    stops.retain(|(who, _)| who != role);
                }
            }
            hints.extend([("safe", safe), ("forced", stops)]);
        }
        Ok(Some(hints))
    }

    fn state_of(&mut self, facts: &[String]) -> State {
        let (symbols, terms) = self.game.names_and_terms_mut();
        let mut state: State =
            facts.iter().filter_map(|fact| read_ground_term(fact, &mut *symbols, &mut *terms)).collect();
        state.sort_unstable();
        state
    }

    /// All joint moves with the states after them, unless there are too many.
    fn successors(&mut self, state: &State) -> Result2<Option<Vec<Successor>>> {
        let legal = self.game.legal(state)?;
        let joints = legal.iter().fold(1usize, |joints, moves| joints.saturating_mul(moves.len()));
        if joints > MOST_JOINT_MOVES {
            return Ok(None);
        }
        let roles: Vec<String> = self.game.roles().iter().map(|&role| self.game.text(role)).collect();
        let mut successors = Vec::new();
        for mut number in 0..joints {
            let joint: Vec<_> = legal
                .iter()
                .map(|moves| {
                    let one_move = moves[number % moves.len()];
                    number /= moves.len();
                    one_move
                })
                .collect();
            let texts = joint.iter().map(|&one_move| self.game.text(one_move));
            let texts = roles.iter().cloned().zip(texts).collect();
            successors.push((texts, self.game.next(state, &joint)?));
        }
        Ok(Some(successors))
    }

    /// The moves that win at once with some moves of the others.
    fn wins(&mut self, state: &State) -> Result2<Option<Found>> {
        let Some(successors) = self.successors(state)? else { return Ok(None) };
        let mut found = Found::new();
        for (joint, next) in successors {
            if !self.game.is_terminal(&next)? {
                continue;
            }
            let goals = self.game.goals(&next)?;
            let has_won = |values: &Vec<_>| values.iter().any(|&value| self.game.text(value) == "100");
            found.extend(
                joint.into_iter().zip(&goals).filter(|(_, goals)| has_won(goals)).map(|(one, _)| one),
            );
        }
        Ok(Some(found))
    }

    /// The moves after which no other role can win at once.
    fn safe(&mut self, state: &State) -> Result2<Option<Found>> {
        let Some(successors) = self.successors(state)? else { return Ok(None) };
        let (mut all, mut losing) = (Found::new(), Found::new());
        for (joint, next) in successors {
            let has_ended = self.game.is_terminal(&next)?;
            let wins = if has_ended { Some(Found::new()) } else { self.wins(&next)? };
            let Some(wins) = wins else { return Ok(None) };
            for (role, one_move) in joint {
                if wins.iter().any(|(winner, _)| *winner != role) {
                    losing.insert((role.clone(), one_move.clone()));
                }
                all.insert((role, one_move));
            }
        }
        Ok(Some(all.difference(&losing).cloned().collect()))
    }
}
