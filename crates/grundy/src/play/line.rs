//! A line of moves as text, such as `(mark 1 1) noop; noop (mark 2 2)`.
//!
//! Joint moves are separated by `;`. Each has one move for each role, in the order of the roles, in KIF notation. Everything
//! that reports a line prints this form, and everything that replays one reads it.

use crate::ids::wide;
use crate::reasoner::{ReasonError, Reasoner};
use grundy_syntax::{Kind, Limits, SexprId, Sexprs, Source, read_sexprs};
use std::fmt;
use std::str::FromStr;

/// Joint moves, one after the other, from some state on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// For each joint move the moves of the roles, in KIF notation.
    pub joints: Vec<Vec<String>>,
}

/// Why a text is not a line of moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// There is nothing between two semicolons.
    #[error("joint move {0} is empty")]
    Empty(usize),
    /// Parentheses do not match, or nest too deeply.
    #[error("joint move {0}: parentheses do not match: `{1}`")]
    Parentheses(usize, String),
    /// Something that is not a ground term.
    #[error("joint move {0}: `{1}` is not a move")]
    NotAMove(usize, String),
}

/// Why a line could not be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FollowError {
    /// The line does not fit the game.
    #[error("joint move {at}: {problem}")]
    Unplayable {
        /// The number of the joint move, from one.
        at: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// The engine could not answer.
    #[error(transparent)]
    Reason(#[from] ReasonError),
}

impl FromStr for Line {
    type Err = LineError;

    fn from_str(text: &str) -> Result<Line, LineError> {
        let text = text.trim();
        let text = text.strip_suffix(';').unwrap_or(text);
        if text.trim().is_empty() {
            return Ok(Line::default());
        }
        let joints = text.split(';').enumerate().map(|(number, joint)| read_joint(number + 1, joint));
        Ok(Line { joints: joints.collect::<Result<_, _>>()? })
    }
}

fn read_joint(number: usize, text: &str) -> Result<Vec<String>, LineError> {
    let source = Source::new("moves", text);
    let (sexprs, diagnostics) = read_sexprs(&source, &Limits::default());
    if !diagnostics.is_empty() {
        return Err(LineError::Parentheses(number, text.trim().to_owned()));
    }
    let moves = sexprs.forms().map(|form| {
        let mut out = String::new();
        let is_term = write_term(&source, &sexprs, form, &mut out);
        let span = sexprs.span(form).range();
        is_term.then_some(out).ok_or_else(|| LineError::NotAMove(number, source.text()[span].to_owned()))
    });
    let moves = moves.collect::<Result<Vec<_>, _>>()?;
    if moves.is_empty() { Err(LineError::Empty(number)) } else { Ok(moves) }
}

/// Writes a ground term with single spaces and without parentheses around lone names; returns whether it is one.
fn write_term(source: &Source, sexprs: &Sexprs, id: SexprId, out: &mut String) -> bool {
    if sexprs.kind(id) == Kind::Atom {
        let name = sexprs.atom(source, id).filter(|name| !name.starts_with('?'));
        out.push_str(name.unwrap_or_default());
        return name.is_some();
    }
    let mut parts = sexprs.children(id);
    let Some(name) = parts.next().filter(|&name| sexprs.kind(name) == Kind::Atom) else { return false };
    let has_arguments = parts.clone().next().is_some();
    out.push_str(if has_arguments { "(" } else { "" });
    let mut is_term = write_term(source, sexprs, name, out);
    for part in parts {
        out.push(' ');
        is_term &= write_term(source, sexprs, part, out);
    }
    out.push_str(if has_arguments { ")" } else { "" });
    is_term
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, joint) in self.joints.iter().enumerate() {
            write!(f, "{}{}", if number > 0 { "; " } else { "" }, joint.join(" "))?;
        }
        Ok(())
    }
}

/// Plays a line from a state, and returns the state that it leads to. `look` sees each state with its number and the joint
/// move that is about to be made. The moves have to be legal; where no legal move is written the same, letters may differ
/// in case.
pub fn follow<R: Reasoner, E: From<FollowError>>(
    reasoner: &mut R,
    start: R::State,
    line: &Line,
    mut look: impl FnMut(&mut R, u64, &R::State, &[R::Move]) -> Result<(), E>,
) -> Result<R::State, E> {
    let mut state = start;
    for (at, texts) in (1..).zip(&line.joints) {
        let joint = joint_move(reasoner, &state, texts)
            .map_err(FollowError::from)?
            .map_err(|problem| FollowError::Unplayable { at, problem })?;
        look(reasoner, wide(at) - 1, &state, &joint)?;
        state = reasoner.next(&state, &joint).map_err(FollowError::from)?;
    }
    Ok(state)
}

/// The joint move that these texts stand for, or what is wrong with it.
fn joint_move<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    texts: &[String],
) -> Result<Result<Vec<R::Move>, String>, ReasonError> {
    let roles = reasoner.roles();
    if texts.len() != roles.len() {
        return Ok(Err(format!("{} moves, and the game has {} roles", texts.len(), roles.len())));
    }
    if reasoner.is_terminal(state)? {
        return Ok(Err("the game is already over".to_owned()));
    }
    let legal = reasoner.legal(state)?;
    let mut joint = Vec::new();
    for ((role, moves), text) in roles.iter().zip(&legal).zip(texts) {
        let written: Vec<String> = moves.iter().map(|&action| reasoner.move_text(action)).collect();
        let exactly = written.iter().position(|other| other == text);
        let found = exactly.or_else(|| written.iter().position(|other| other.eq_ignore_ascii_case(text)));
        match found {
            Some(at) => joint.push(moves[at]),
            None => return Ok(Err(not_legal(role, text, &written))),
        }
    }
    Ok(Ok(joint))
}

/// The number of legal moves that an error lists.
const MOST_NAMED: usize = 10;

fn not_legal(role: &str, text: &str, legal: &[String]) -> String {
    let named = legal.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = legal.len().saturating_sub(MOST_NAMED);
    match (legal.len(), more) {
        (0, _) => format!("`{text}` is not legal for {role}, which has no legal move"),
        (_, 0) => format!("`{text}` is not legal for {role}; legal: {named}"),
        _ => format!("`{text}` is not legal for {role}; legal: {named}, and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasoner::Reference;
    use proptest::prelude::*;

    fn term() -> impl Strategy<Value = String> {
        let name = "[a-zA-Z0-9_+*<>=-]{1,6}";
        name.prop_map(String::from).prop_recursive(3, 12, 3, move |inside| {
            (name, prop::collection::vec(inside, 1..4))
                .prop_map(|(name, args)| format!("({name} {})", args.join(" ")))
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(
            joints in prop::collection::vec(prop::collection::vec(term(), 1..4), 0..6)
        ) {
            let line = Line { joints };
            prop_assert_eq!(line.to_string().parse::<Line>(), Ok(line));
        }

        #[test]
        fn reading_never_panics(text in "[a()?; ]{0,30}") {
            if let Ok(line) = text.parse::<Line>() {
                prop_assert_eq!(line.to_string().parse::<Line>(), Ok(line));
            }
        }
    }

    #[test]
    fn space_and_lone_parentheses_do_not_matter() {
        let line: Line = " (mark  1 (1))\n(noop) ; noop (mark 2 2); ".parse().unwrap();
        assert_eq!(line.to_string(), "(mark 1 1) noop; noop (mark 2 2)");
        assert_eq!("".parse(), Ok(Line::default()));
    }

    #[test]
    fn what_is_wrong_is_told_with_the_number_of_the_joint_move() {
        let error = |text: &str| text.parse::<Line>().unwrap_err();
        assert_eq!(error("a; ; b"), LineError::Empty(2));
        assert_eq!(error("a; (b"), LineError::Parentheses(2, "(b".to_owned()));
        assert_eq!(error("(f ?x)"), LineError::NotAMove(1, "(f ?x)".to_owned()));
        assert_eq!(error("((f) x)"), LineError::NotAMove(1, "((f) x)".to_owned()));
    }

    #[test]
    fn lines_are_followed_move_by_move() {
        let sheet = "(role a) (role b) (init (n 0)) (s 0 1) (s 1 2)
            (legal a (Up 1)) (legal b wait) (<= (next (n ?y)) (true (n ?x)) (s ?x ?y))
            (<= terminal (true (n 2))) (goal a 0) (goal b 0)";
        let program = grundy_syntax::read_game(&Source::new("up.kif", sheet), &Limits::default()).program;
        let mut reference = Reference::new(program, grundy_reference::Limits::default()).unwrap();
        let mut play = |text: &str| {
            let start = reference.initial().unwrap();
            let end =
                follow(&mut reference, start, &text.parse().unwrap(), |_, _, _, _| Ok::<_, FollowError>(()));
            end.map(|state| reference.facts(&state).join(" ")).map_err(|error| error.to_string())
        };
        assert_eq!(play(""), Ok("(n 0)".to_owned()));
        assert_eq!(play("(up 1) wait; (Up 1) wait"), Ok("(n 2)".to_owned()));
        assert_eq!(play("(Up 1)"), Err("joint move 1: 1 moves, and the game has 2 roles".to_owned()));
        assert_eq!(
            play("(Up 1) wait; wait wait"),
            Err("joint move 2: `wait` is not legal for a; legal: (Up 1)".to_owned())
        );
        assert_eq!(
            play("(Up 1) wait; (Up 1) wait; (Up 1) wait"),
            Err("joint move 3: the game is already over".to_owned())
        );
    }
}
