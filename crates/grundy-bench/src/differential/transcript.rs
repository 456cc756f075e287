//! What the reference says about the states of some games, and whether another engine says the same.

use super::{Config, Difference};
use grundy::reasoner::{GoalValue, ReasonError, Reasoner};

/// All answers about one state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answers {
    facts: Vec<String>,
    legal: Vec<Vec<String>>,
    terminal: bool,
    goals: Vec<GoalValue>,
}

/// A state of a game, and what was played in it.
struct Step {
    answers: Answers,
    played: Option<Played>,
}

/// A joint move, and what each role saw of it.
struct Played {
    moves: Vec<String>,
    seen: Vec<Vec<String>>,
}

/// Games that the reference played.
pub struct Transcript {
    roles: Vec<String>,
    games: Vec<Vec<Step>>,
    /// Sequences of two joint moves, and those that ended earlier.
    perft: (u64, u64),
}

/// Which states are compared with those of the transcript.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum States {
    /// All facts.
    Whole,
    /// Facts that no answer depends on may be missing.
    Needed,
}

impl Transcript {
    /// Plays random games.
    pub fn play<R: Reasoner>(reasoner: &mut R, config: &Config) -> Result<Transcript, ReasonError> {
        let mut rng = fastrand::Rng::with_seed(config.seed);
        let mut games = Vec::new();
        for _ in 0..config.playouts {
            let mut steps = Vec::new();
            let mut state = reasoner.initial()?;
            loop {
                let answers = answers(reasoner, &state)?;
                let legal = reasoner.legal(&state)?;
                let ended =
                    answers.terminal || legal.iter().any(Vec::is_empty) || steps.len() == config.steps;
                if ended {
                    steps.push(Step { answers, played: None });
                    break;
                }
                let joint: Vec<R::Move> = legal.iter().map(|moves| moves[rng.usize(..moves.len())]).collect();
                let moves = joint.iter().map(|&one_move| reasoner.move_text(one_move)).collect();
                let seen = reasoner.sees(&state, &joint)?;
                steps.push(Step { answers, played: Some(Played { moves, seen }) });
                state = reasoner.next(&state, &joint)?;
            }
            games.push(steps);
        }
        let initial = reasoner.initial()?;
        let mut perft = (0, 0);
        count(reasoner, &initial, 2, &mut perft)?;
        Ok(Transcript { roles: reasoner.roles(), games, perft })
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.games.iter().map(Vec::len).sum()
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Plays the same moves with another engine.
    pub(super) fn compare<R: Reasoner>(
        &self,
        name: &str,
        other: &mut R,
        states: States,
    ) -> Result<(), Difference> {
        let differs = |what: String| Difference { engine: name.to_owned(), what };
        self.compare_all(other, states).map_err(|error| differs(error.to_string()))?.map_err(differs)
    }

    fn compare_all<R: Reasoner>(
        &self,
        other: &mut R,
        states: States,
    ) -> Result<Result<(), String>, ReasonError> {
        if other.roles() != self.roles {
            return Ok(Err(format!("roles {:?}, expected {:?}", other.roles(), self.roles)));
        }
        for (number, game) in self.games.iter().enumerate() {
            let mut state = other.initial()?;
            for (at, step) in game.iter().enumerate() {
                let place = format!("game {number}, step {at}");
                let found = answers(other, &state)?;
                if let Some(difference) = difference(&found, &step.answers, states) {
                    return Ok(Err(format!("{place}: {difference}")));
                }
                if states == States::Whole {
                    let given = other.state_of(&step.answers.facts)?;
                    if let Some(difference) = difference(&answers(other, &given)?, &step.answers, states) {
                        return Ok(Err(format!("{place}, given as facts: {difference}")));
                    }
                }
                let Some(Played { moves, seen }) = &step.played else { break };
                let joint = moves.iter().zip(other.legal(&state)?).map(|(text, legal)| {
                    let same = |&one_move: &R::Move| other.move_text(one_move) == *text;
                    legal
                        .into_iter()
                        .find(same)
                        .ok_or_else(|| ReasonError::Game(format!("{text} is not legal")))
                });
                let joint = joint.collect::<Result<Vec<R::Move>, _>>()?;
                let sees = other.sees(&state, &joint)?;
                if sees != *seen {
                    return Ok(Err(format!("{place}: sees {sees:?}, expected {seen:?}")));
                }
                state = other.next(&state, &joint)?;
            }
        }
        let mut perft = (0, 0);
        let initial = other.initial()?;
        count(other, &initial, 2, &mut perft)?;
        Ok(if perft == self.perft {
            Ok(())
        } else {
            Err(format!("perft {perft:?}, expected {:?}", self.perft))
        })
    }
}

fn answers<R: Reasoner>(reasoner: &mut R, state: &R::State) -> Result<Answers, ReasonError> {
    let legal = reasoner.legal(state)?;
    Ok(Answers {
        facts: reasoner.facts(state),
        legal: legal.iter().map(|moves| moves.iter().map(|&one| reasoner.move_text(one)).collect()).collect(),
        terminal: reasoner.is_terminal(state)?,
        goals: reasoner.goals(state)?,
    })
}

fn difference(found: &Answers, expected: &Answers, states: States) -> Option<String> {
    if states == States::Whole && found.facts != expected.facts {
        return Some(format!("state {:?}, expected {:?}", found.facts, expected.facts));
    }
    if found.legal != expected.legal {
        return Some(format!("legal {:?}, expected {:?}", found.legal, expected.legal));
    }
    if (found.terminal, &found.goals) != (expected.terminal, &expected.goals) {
        let texts = [found, expected]
            .map(|answers| format!("terminal {}, goals {:?}", answers.terminal, answers.goals));
        return Some(format!("{}, expected {}", texts[0], texts[1]));
    }
    None
}

/// Counts sequences of joint moves; states with very many joint moves are counted without being played.
fn count<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    depth: u32,
    counts: &mut (u64, u64),
) -> Result<(), ReasonError> {
    if depth == 0 {
        counts.0 += 1;
        return Ok(());
    }
    let legal = reasoner.legal(state)?;
    if reasoner.is_terminal(state)? || legal.iter().any(Vec::is_empty) {
        counts.1 += 1;
        return Ok(());
    }
    let joints: usize = legal.iter().map(Vec::len).product();
    let mut picked = vec![0; legal.len()];
    for _ in 0..joints.min(24) {
        let joint: Vec<R::Move> = legal.iter().zip(&picked).map(|(moves, &at)| moves[at]).collect();
        let next = reasoner.next(state, &joint)?;
        count(reasoner, &next, depth - 1, counts)?;
        for (at, moves) in picked.iter_mut().zip(&legal) {
            *at = (*at + 1) % moves.len();
            if *at > 0 {
                break;
            }
        }
    }
    counts.0 += joints.saturating_sub(24) as u64;
    Ok(())
}
