//! Dynamic checks: random games, or an exhaustive search of states where the game is small.
//!
//! [`survey`] first visits all states, breadth first. If there are more than a bound allows, it plays random games
//! instead. Both collect the same [`Visits`]: which facts held, which moves were legal, which rules fired, which roles got stuck or had
//! no proper goal. What is missing at the end becomes findings, which say whether they are about all reachable states or
//! about so many games. All bounds are counted work (states, moves, steps of the lifted engine), so that the same call finds the
//! same; the budget of the call is the last resort, and a survey that it cut short says so.

mod base;
mod findings;
mod probe;
mod search;
mod visits;

use super::{Line, RandomGame, play_random};
use crate::lifted::{Lifted, LiftedConfig, LiftedState};
use crate::machine::Ending;
use crate::network::RoleId;
use crate::reasoner::{ReasonError, Reasoner};
use grundy_syntax::{Budget, Code, Program, Span, TermId};
use visits::Visits;

/// How much to look at.
#[derive(Clone, Debug)]
pub struct SurveyConfig {
    /// Random games, where not all states can be visited.
    pub games: u64,
    /// The seed of random games.
    pub seed: u64,
    /// A random game with more moves is given up.
    pub max_steps: u64,
    /// Not all states are visited if there are more than this.
    pub max_states: usize,
    /// Bound on the steps of the lifted engine in random games; the search for all states may take a quarter of that.
    pub max_work: u64,
    /// The budget of the call, the last resort against a single state that takes too long.
    pub budget: Budget,
}

impl Default for SurveyConfig {
    fn default() -> SurveyConfig {
        SurveyConfig {
            games: 10,
            seed: 0,
            max_steps: 2_000,
            max_states: 10_000,
            max_work: 20_000_000,
            budget: Budget::default(),
        }
    }
}

/// What findings are based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All reachable states: their number.
    AllStates(u64),
    /// Random games: their number.
    Games(u64),
}

/// Something that was found by playing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayFinding {
    /// The kind.
    pub code: Code,
    /// One line.
    pub message: String,
    /// The place in the sheet that it is about.
    pub place: Span,
    /// The moves that lead to the first state in question, from the initial state.
    pub line: Option<Line>,
}

/// What was looked at, and what was found.
#[derive(Clone, Debug)]
pub struct Survey {
    /// What the findings are based on.
    pub scope: Scope,
    /// The states that were visited, repeated ones included where games were played.
    pub states: u64,
    /// The findings, by code.
    pub findings: Vec<PlayFinding>,
    /// Why not all games that were asked for were played, if so.
    pub cut_short: Option<String>,
}

/// The search for all states may take the work divided by this. It fails for most games. A guess.
const SEARCH_SHARE: u64 = 4;

/// Looks for what goes wrong in play. The program must not have errors that stop an engine.
pub fn survey(program: &Program, config: &SurveyConfig) -> Result<Survey, ReasonError> {
    let mut visits = Visits::new(program, config)?;
    let of_search = SurveyConfig { max_work: config.max_work / SEARCH_SHARE, ..config.clone() };
    let searched = match search::search(&mut visits, &of_search) {
        Err(ReasonError::Limit { .. }) => None,
        other => other?,
    };
    if let Some(reachable) = searched {
        let scope = Scope::AllStates(reachable.states);
        return Ok(findings::collect(program, visits, config, scope, None));
    }
    // What was seen on the way stays seen; what went wrong is found again or not, by its shortest line.
    visits.begin_games();
    let mut played = 0;
    let mut cut_short = None;
    for number in 0..config.games {
        match play_game(&mut visits, number, config) {
            Ok(()) => played += 1,
            Err(ReasonError::Limit { message, .. }) => {
                cut_short = Some(message);
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(findings::collect(program, visits, config, Scope::Games(played), cut_short))
}

fn play_game(visits: &mut Visits, number: u64, config: &SurveyConfig) -> Result<(), ReasonError> {
    let game = RandomGame { seed: config.seed, number, max_steps: config.max_steps };
    let mut engine = visits.take_engine();
    let initial = engine.initial()?;
    let mut line = Line::default();
    let look = |engine: &mut Lifted, _, state: &LiftedState, joint: Option<&[TermId]>| {
        visits.check(engine, config)?;
        visits.see_state(state);
        match joint {
            Some(joint) => {
                let legal = engine.legal(state)?;
                visits.see_legal(&legal);
                visits.probe(engine, state, Some(joint))?;
                line.joints.push(joint.iter().map(|&action| engine.move_text(action)).collect());
            }
            None => visits.probe(engine, state, None)?,
        }
        Ok::<(), ReasonError>(())
    };
    let ended = play_random(&mut engine, &initial, &game, look);
    visits.return_engine(engine);
    let (_, ending) = ended?;
    visits.see_end(&ending, || line);
    Ok(())
}

fn lifted(program: &Program, config: &SurveyConfig) -> Result<Lifted, ReasonError> {
    let config = LiftedConfig { budget: config.budget.clone(), ..LiftedConfig::default() };
    Lifted::new(program, &config)
}

/// The roles that end a game because they have no legal move.
fn stuck(legal: &[Vec<TermId>]) -> Option<Ending> {
    let roles = (0..).map(RoleId).zip(legal).filter(|(_, moves)| moves.is_empty());
    let roles: Vec<RoleId> = roles.map(|(role, _)| role).collect();
    (!roles.is_empty()).then_some(Ending::Stuck(roles))
}

#[cfg(test)]
mod tests;
