//! Traces: recorded games, and replaying them.
//!
//! A trace has one JSON object a line, one for each state. [`record`] writes such a line, [`read_trace`] reads them, and
//! [`replay`] plays the recorded moves with any engine and compares every state.

use crate::reasoner::{GoalValue, ReasonError, Reasoner};
use grundy_syntax::Source;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One recorded state.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RecordedState {
    playout: u64,
    step: u64,
    state: Vec<String>,
    legal: BTreeMap<String, Vec<String>>,
    terminal: bool,
    goals: BTreeMap<String, Option<i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<BTreeMap<String, String>>,
}

impl RecordedState {
    /// Which playout it belongs to.
    pub fn playout(&self) -> u64 {
        self.playout
    }

    /// The true facts.
    pub fn state(&self) -> &[String] {
        &self.state
    }
}

/// What replaying a trace found.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// How many states were compared.
    pub states: u64,
    /// How many of the states differ.
    pub differences: u64,
    /// A description of each.
    pub described: Vec<String>,
}

/// A line that does not belong in a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: not a line of a trace: {message}")]
pub struct TraceError {
    /// The name of the source.
    pub file: String,
    /// The number of the line.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// Reads a trace: one JSON object a line.
pub fn read_trace(source: &Source) -> Result<Vec<RecordedState>, TraceError> {
    let lines = source.text().lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(number, line)| {
        serde_json::from_str(line).map_err(|error| TraceError {
            file: source.name().to_owned(),
            line: number + 1,
            message: error.to_string(),
        })
    });
    read.collect()
}

/// One line of a trace: a state, and the moves that are played in it.
pub fn record<R: Reasoner>(
    reasoner: &mut R,
    (playout, step): (u64, u64),
    state: &R::State,
    joint: Option<&[R::Move]>,
) -> Result<String, ReasonError> {
    let roles: Vec<String> = reasoner.roles().iter().map(|role| role.to_lowercase()).collect();
    let legal = reasoner.legal(state)?;
    let goals = reasoner.goals(state)?;
    let text = |action: &R::Move| reasoner.move_text(*action).to_lowercase();
    let legal = legal.iter().map(|moves| moves.iter().map(text).collect::<Vec<_>>());
    let line = RecordedState {
        playout,
        step,
        state: reasoner.facts(state).iter().map(|fact| fact.to_lowercase()).collect(),
        legal: roles.iter().cloned().zip(legal).collect(),
        moves: joint.map(|joint| roles.iter().cloned().zip(joint.iter().map(text)).collect()),
        terminal: reasoner.is_terminal(state)?,
        goals: roles.iter().cloned().zip(goals.into_iter().map(GoalValue::number)).collect(),
    };
    Ok(serde_json::to_string(&line).expect("a step is plain data") + "\n")
}

/// Plays the recorded moves and compares every state on the way.
///
/// A playout starts in the initial state and follows the recorded moves, so that no fact has to be
/// translated back: traces are in lower case, sheets may not be.
pub fn replay<R: Reasoner>(reasoner: &mut R, trace: &[RecordedState]) -> Result<Replay, ReasonError> {
    let roles: Vec<String> = reasoner.roles().iter().map(|role| fold(role)).collect();
    let mut result = Replay::default();
    let mut state = None;
    for step in trace {
        if step.step == 0 {
            state = Some(reasoner.initial()?);
        }
        let Some(current) = &state else { continue };
        result.states += 1;
        let mut differences = compare(reasoner, &roles, current, step)?;
        let following = follow(reasoner, &roles, current, step, &mut differences)?;
        if !differences.is_empty() {
            result.differences += 1;
            let place = format!("playout {}, step {}", step.playout, step.step);
            result.described.push(format!("{place}: {}", differences.join("; ")));
        }
        state = following;
    }
    Ok(result)
}

/// The ways in which a state is not as recorded.
fn compare<R: Reasoner>(
    reasoner: &mut R,
    roles: &[String],
    state: &R::State,
    step: &RecordedState,
) -> Result<Vec<String>, ReasonError> {
    let mut found = Vec::new();
    found.extend(difference("state", &reasoner.facts(state), &step.state));
    let legal = reasoner.legal(state)?;
    let goals = reasoner.goals(state)?;
    for (number, role) in roles.iter().enumerate() {
        let moves: Vec<String> = legal[number].iter().map(|&action| reasoner.move_text(action)).collect();
        let recorded = of_role(&step.legal, role).map_or(&[][..], |moves| moves);
        found.extend(difference(&format!("legal moves of {role}"), &moves, recorded));
        let recorded = of_role(&step.goals, role).copied().flatten();
        if goals[number].number() != recorded {
            let recorded = recorded.map_or(GoalValue::Missing, GoalValue::Number);
            found.push(format!("goal of {role}: {} instead of {recorded}", goals[number]));
        }
    }
    let terminal = reasoner.is_terminal(state)?;
    if terminal != step.terminal {
        found.push(format!("terminal: {terminal} instead of {}", step.terminal));
    }
    Ok(found)
}

/// Plays the recorded moves; `None` at the end of a playout, or if the moves cannot be played.
fn follow<R: Reasoner>(
    reasoner: &mut R,
    roles: &[String],
    state: &R::State,
    step: &RecordedState,
    differences: &mut Vec<String>,
) -> Result<Option<R::State>, ReasonError> {
    let Some(recorded) = &step.moves else { return Ok(None) };
    let legal = reasoner.legal(state)?;
    let mut joint = Vec::new();
    for (role, moves) in roles.iter().zip(&legal) {
        let wanted = of_role(recorded, role).map_or(String::new(), |text| fold(text));
        match moves.iter().find(|&&action| fold(&reasoner.move_text(action)) == wanted) {
            Some(&action) => joint.push(action),
            None => {
                differences.push(format!("{role} cannot play `{wanted}`"));
                return Ok(None);
            }
        }
    }
    reasoner.next(state, &joint).map(Some)
}

fn of_role<'a, T>(map: &'a BTreeMap<String, T>, role: &str) -> Option<&'a T> {
    map.iter().find(|(name, _)| fold(name) == role).map(|(_, value)| value)
}

/// Says what is missing and what is too much, if anything.
fn difference(what: &str, found: &[String], recorded: &[String]) -> Option<String> {
    let found: BTreeSet<String> = found.iter().map(|text| fold(text)).collect();
    let recorded: BTreeSet<String> = recorded.iter().map(|text| fold(text)).collect();
    let list = |atoms: Vec<&String>| -> String {
        let shown: Vec<&str> = atoms.iter().take(10).map(|atom| atom.as_str()).collect();
        let more = if atoms.len() > 10 { format!(" and {} more", atoms.len() - 10) } else { String::new() };
        format!("{}{more}", shown.join(" "))
    };
    let missing: Vec<&String> = recorded.difference(&found).collect();
    let extra: Vec<&String> = found.difference(&recorded).collect();
    let mut parts = Vec::new();
    if !missing.is_empty() {
        parts.push(format!("missing {}", list(missing)));
    }
    if !extra.is_empty() {
        parts.push(format!("too many {}", list(extra)));
    }
    (!parts.is_empty()).then(|| format!("{what}: {}", parts.join(", ")))
}

/// Lower case, single spaces, and no parentheses around lone names.
pub fn fold(text: &str) -> String {
    let spaced = text.to_lowercase().replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<&str> = Vec::new();
    for word in spaced.split_whitespace() {
        match (word, &words[..]) {
            (")", [.., "(", name]) if *name != ")" => {
                let name = *name;
                words.truncate(words.len() - 2);
                words.push(name);
            }
            _ => words.push(word),
        }
    }
    words.join(" ").replace("( ", "(").replace(" )", ")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_ignores_case_space_and_lone_parentheses() {
        assert_eq!(fold("(Cell  1 (A))"), "(cell 1 a)");
        assert_eq!(fold("(x)"), "x");
        assert_eq!(fold("noop"), "noop");
        assert_eq!(fold("(f (g (h)) (k 1))"), "(f (g h) (k 1))");
    }

    #[test]
    fn differences_are_named() {
        let texts = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
        assert_eq!(difference("state", &texts(&["a", "b"]), &texts(&["B", "A"])), None);
        let found = difference("state", &texts(&["a", "c"]), &texts(&["a", "b"])).unwrap();
        assert_eq!(found, "state: missing b, too many c");
    }
}
