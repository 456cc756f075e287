//! Whether an engine can be trusted with a game: random games side by side with another one, usually the reference.
//!
//! [`self_check`] plays the same moves in both and compares every answer. What it does is counted: so many games of so many
//! moves, from a fixed seed. The [time](SelfCheck::time) is the last resort; a check that it cut short says so. An engine
//! that panics disagrees.
//!
//! [`first_sound`] takes the first of several engines that does not disagree.

use crate::reasoner::{ReasonError, Reasoner};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How much to play.
#[derive(Clone, Copy, Debug)]
pub struct SelfCheck {
    /// How many random games.
    pub playouts: u64,
    /// How many moves each of them has at most.
    pub steps: u64,
    /// The seed of their moves.
    pub seed: u64,
    /// Whether the engine has whole states; if not, facts are not compared.
    pub whole_states: bool,
    /// No state is begun after this time.
    pub time: Duration,
}

impl Default for SelfCheck {
    fn default() -> SelfCheck {
        SelfCheck { playouts: 4, steps: 40, seed: 0, whole_states: true, time: SHORTEST }
    }
}

/// A check may take this long in any case.
const SHORTEST: Duration = Duration::from_millis(20);

/// Beyond that, it may take this part of the time in which the engine was made.
const PART: u32 = 20;

impl SelfCheck {
    /// A check of an engine that took this long to make.
    pub fn after(setup: Duration, whole_states: bool) -> SelfCheck {
        SelfCheck { whole_states, time: (setup / PART).max(SHORTEST), ..SelfCheck::default() }
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The engine answered like the judge in so many states.
    Agrees {
        /// How many states were compared.
        states: u64,
        /// Why there were no more, if time or another limit was in the way.
        cut_short: Option<String>,
    },
    /// The engine is wrong.
    Differs(Box<Disagreement>),
}

/// Where an engine and the judge disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The joint moves that lead to the state, from the initial one.
    pub line: Vec<Vec<String>>,
    /// The facts of the state.
    pub state: Vec<String>,
    /// What the engine says, and what the judge says.
    pub what: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.what)?;
        write!(f, "in the state {}", self.state.join(" "))?;
        if self.line.is_empty() {
            return f.write_str("\nat the start");
        }
        let moves: Vec<String> = self.line.iter().map(|joint| joint.join(" ")).collect();
        write!(f, "\nafter the moves {}", moves.join("; "))
    }
}

/// Why a check ends.
enum End {
    Differs(String),
    /// Limits say nothing about an engine.
    Limit(String),
}

/// Plays random games in an engine and in one that judges it.
pub fn self_check<E: Reasoner, J: Reasoner>(engine: &mut E, judge: &mut J, config: &SelfCheck) -> Verdict {
    let mut walk = Walk { states: 0, line: Vec::new(), facts: Vec::new() };
    let played = catch_unwind(AssertUnwindSafe(|| walk.play(engine, judge, config)));
    let end = played.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(End::Differs(format!("panic: {text}")))
    });
    match end {
        Ok(()) => Verdict::Agrees { states: walk.states, cut_short: None },
        Err(End::Limit(limit)) => Verdict::Agrees { states: walk.states, cut_short: Some(limit) },
        Err(End::Differs(what)) => {
            Verdict::Differs(Box::new(Disagreement { line: walk.line, state: walk.facts, what }))
        }
    }
}

/// The first engine that does not disagree. `disagrees` is told about those before it.
pub fn first_sound<T>(
    candidates: impl IntoIterator<Item = T>,
    mut check: impl FnMut(&T) -> Verdict,
    mut disagrees: impl FnMut(&T, &Disagreement),
) -> Option<T> {
    candidates.into_iter().find(|candidate| match check(candidate) {
        Verdict::Agrees { .. } => true,
        Verdict::Differs(disagreement) => {
            disagrees(candidate, &disagreement);
            false
        }
    })
}

/// The next state of the engine, and that of the judge.
type Successors<E, J> = (<E as Reasoner>::State, <J as Reasoner>::State);

/// Where in a game the check is.
struct Walk {
    states: u64,
    line: Vec<Vec<String>>,
    facts: Vec<String>,
}

/// The answer of an engine; an error that is no limit is a wrong answer, since the judge has one.
fn asked<T>(answer: Result<T, ReasonError>) -> Result<T, End> {
    answer.map_err(|error| match error {
        ReasonError::Limit { message, .. } => End::Limit(message),
        error => End::Differs(error.to_string()),
    })
}

/// The answer of the judge; without one, there is nothing to compare.
fn judged<T>(answer: Result<T, ReasonError>) -> Result<T, End> {
    answer.map_err(|error| End::Limit(error.to_string()))
}

fn same<T: PartialEq + fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), End> {
    if found == expected {
        return Ok(());
    }
    Err(End::Differs(format!("{what}: {found:?}, expected {expected:?}")))
}

fn texts<R: Reasoner>(reasoner: &R, legal: &[Vec<R::Move>]) -> Vec<Vec<String>> {
    let mut texts: Vec<Vec<String>> = Vec::new();
    for moves in legal {
        let mut sorted: Vec<String> = moves.iter().map(|&one_move| reasoner.move_text(one_move)).collect();
        sorted.sort_unstable();
        texts.push(sorted);
    }
    texts
}

/// The moves with these texts.
fn joint<R: Reasoner>(reasoner: &R, legal: &[Vec<R::Move>], texts: &[String]) -> Option<Vec<R::Move>> {
    let of_text = |(moves, text): (&Vec<R::Move>, &String)| {
        moves.iter().copied().find(|&one_move| reasoner.move_text(one_move) == *text)
    };
    legal.iter().zip(texts).map(of_text).collect()
}

impl Walk {
    fn play<E: Reasoner, J: Reasoner>(
        &mut self,
        engine: &mut E,
        judge: &mut J,
        config: &SelfCheck,
    ) -> Result<(), End> {
        let start = Instant::now();
        let mut rng = fastrand::Rng::with_seed(config.seed);
        same("roles", &engine.roles(), &judge.roles())?;
        for _ in 0..config.playouts {
            self.line.clear();
            let mut expected = judged(judge.initial())?;
            self.facts = judge.facts(&expected);
            let mut found = asked(engine.initial())?;
            for _ in 0..=config.steps {
                if start.elapsed() >= config.time {
                    return Err(End::Limit("the time for it was over".to_owned()));
                }
                self.facts = judge.facts(&expected);
                let Some(next) = self.step((engine, &found), (judge, &expected), config, &mut rng)? else {
                    break;
                };
                (found, expected) = next;
            }
        }
        Ok(())
    }

    /// Compares a state, and plays one joint move, if there is one.
    fn step<E: Reasoner, J: Reasoner>(
        &mut self,
        (engine, found): (&mut E, &E::State),
        (judge, expected): (&mut J, &J::State),
        config: &SelfCheck,
        rng: &mut fastrand::Rng,
    ) -> Result<Option<Successors<E, J>>, End> {
        let judge_legal = judged(judge.legal(expected))?;
        let legal = texts(judge, &judge_legal);
        let is_terminal = judged(judge.is_terminal(expected))?;
        let goals = judged(judge.goals(expected))?;
        if config.whole_states {
            same("state", &engine.facts(found), &self.facts)?;
        }
        let engine_legal = asked(engine.legal(found))?;
        same("legal moves", &texts(engine, &engine_legal), &legal)?;
        same("terminal", &asked(engine.is_terminal(found))?, &is_terminal)?;
        same("goals", &asked(engine.goals(found))?, &goals)?;
        self.states += 1;
        if is_terminal || legal.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        let chosen: Vec<String> = legal.iter().map(|moves| moves[rng.usize(..moves.len())].clone()).collect();
        let (Some(theirs), Some(ours)) =
            (joint(engine, &engine_legal, &chosen), joint(judge, &judge_legal, &chosen))
        else {
            return Err(End::Differs(format!("no move for {}", chosen.join(" "))));
        };
        let sees = judged(judge.sees(expected, &ours))?;
        let next = judged(judge.next(expected, &ours))?;
        let played = format!("when {} is played: sees", chosen.join(" "));
        same(&played, &asked(engine.sees(found, &theirs))?, &sees)?;
        let found = asked(engine.next(found, &theirs))?;
        self.line.push(chosen);
        Ok(Some((found, next)))
    }
}
