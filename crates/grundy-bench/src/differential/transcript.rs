//! What the reference says about the states of some games, and whether another engine says the same.

use super::Config;
use grundy::reasoner::{ReasonError, Reasoner};
use grundy::syntax::Budget;

/// All answers about one state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answers {
    facts: Vec<String>,
    legal: Vec<Vec<String>>,
    terminal: bool,
    /// As they are printed for debugging, whatever an engine can tell about a goal.
    goals: Vec<String>,
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
    /// Sequences of two joint moves, and those that ended earlier; unknown if the reference had no time to count.
    perft: Option<(u64, u64)>,
    width: usize,
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
    /// Plays random games. When the budget is used up, what has been played so far is all there is.
    pub fn play<R: Reasoner>(
        reasoner: &mut R,
        config: &Config,
        budget: &Budget,
    ) -> Result<Transcript, ReasonError> {
        let mut transcript =
            Transcript { roles: reasoner.roles(), games: Vec::new(), perft: None, width: config.width };
        match transcript.play_all(reasoner, config) {
            Err(ReasonError::Limit { .. }) if budget.deadline().is_some() && !transcript.is_empty() => {
                Ok(transcript)
            }
            result => result.map(|()| transcript),
        }
    }

    fn play_all<R: Reasoner>(&mut self, reasoner: &mut R, config: &Config) -> Result<(), ReasonError> {
        let mut rng = fastrand::Rng::with_seed(config.seed);
        for _ in 0..config.playouts {
            self.games.push(Vec::new());
            let mut state = reasoner.initial()?;
            while let Some(next) = self.play_step(reasoner, &state, &mut rng, config.steps)? {
                state = next;
            }
        }
        let initial = reasoner.initial()?;
        let mut perft = (0, 0);
        count(reasoner, &initial, 2, self.width, &mut perft)?;
        self.perft = Some(perft);
        Ok(())
    }

    /// Writes down a state of the last game, and plays on from there.
    fn play_step<R: Reasoner>(
        &mut self,
        reasoner: &mut R,
        state: &R::State,
        rng: &mut fastrand::Rng,
        most: usize,
    ) -> Result<Option<R::State>, ReasonError> {
        let answers = answers(reasoner, state)?;
        let legal = reasoner.legal(state)?;
        let game = self.games.last_mut().expect("a game has begun");
        if answers.terminal || legal.iter().any(Vec::is_empty) || game.len() == most {
            game.push(Step { answers, played: None });
            return Ok(None);
        }
        let joint: Vec<R::Move> = legal.iter().map(|moves| moves[rng.usize(..moves.len())]).collect();
        let moves = joint.iter().map(|&one_move| reasoner.move_text(one_move)).collect();
        let seen = reasoner.sees(state, &joint)?;
        let next = reasoner.next(state, &joint)?;
        game.push(Step { answers, played: Some(Played { moves, seen }) });
        Ok(Some(next))
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.games.iter().map(Vec::len).sum()
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The states, each with its facts; the first one is initial.
    pub(super) fn states(&self) -> impl Iterator<Item = &[String]> {
        self.games.iter().flatten().map(|step| &step.answers.facts[..])
    }

    /// Plays the same moves with another engine, then gives it all states in reverse order; tells the first difference.
    pub(super) fn compare<R: Reasoner>(
        &self,
        other: &mut R,
        states: States,
    ) -> Result<Option<String>, ReasonError> {
        if other.roles() != self.roles {
            return Ok(Some(format!("roles {:?}, expected {:?}", other.roles(), self.roles)));
        }
        for (number, game) in self.games.iter().enumerate() {
            let mut state = other.initial()?;
            for (at, step) in game.iter().enumerate() {
                let place = |what: String| Ok(Some(format!("game {number}, step {at}: {what}")));
                if let Some(difference) = difference(&answers(other, &state)?, &step.answers, states) {
                    return place(difference);
                }
                match follow(other, &state, step)? {
                    Followed::To(next) => state = next,
                    Followed::End => break,
                    Followed::Differs(what) => return place(what),
                }
            }
        }
        if states == States::Whole
            && let Some(difference) = self.compare_given(other)?
        {
            return Ok(Some(difference));
        }
        let Some(expected) = self.perft else { return Ok(None) };
        let mut perft = (0, 0);
        let initial = other.initial()?;
        count(other, &initial, 2, self.width, &mut perft)?;
        Ok((perft != expected).then(|| format!("perft {perft:?}, expected {expected:?}")))
    }

    /// Gives an engine all states as facts, the last one first, so that none follows from the one before, and plays on
    /// from each.
    fn compare_given<R: Reasoner>(&self, other: &mut R) -> Result<Option<String>, ReasonError> {
        for (number, game) in self.games.iter().enumerate().rev() {
            for (at, step) in game.iter().enumerate().rev() {
                let place =
                    |what: String| Ok(Some(format!("game {number}, step {at}, given as facts: {what}")));
                let state = other.state_of(&step.answers.facts)?;
                if let Some(difference) = difference(&answers(other, &state)?, &step.answers, States::Whole) {
                    return place(difference);
                }
                match (follow(other, &state, step)?, game.get(at + 1)) {
                    (Followed::Differs(what), _) => return place(what),
                    (Followed::To(next), Some(after)) if other.facts(&next) != after.answers.facts => {
                        let found = other.facts(&next);
                        return place(format!("next state {found:?}, expected {:?}", after.answers.facts));
                    }
                    _ => {}
                }
            }
        }
        Ok(None)
    }
}

/// What becomes of a move.
enum Followed<S> {
    To(S),
    /// Nothing was played.
    End,
    Differs(String),
}

/// Plays the moves of a step.
fn follow<R: Reasoner>(
    other: &mut R,
    state: &R::State,
    step: &Step,
) -> Result<Followed<R::State>, ReasonError> {
    let Some(Played { moves, seen }) = &step.played else { return Ok(Followed::End) };
    let legal = other.legal(state)?;
    let joint = moves.iter().zip(legal).map(|(text, legal)| {
        let same = |&one_move: &R::Move| other.move_text(one_move) == *text;
        legal.into_iter().find(same).ok_or(text)
    });
    let joint = match joint.collect::<Result<Vec<R::Move>, _>>() {
        Ok(joint) => joint,
        Err(text) => return Ok(Followed::Differs(format!("{text} is not legal"))),
    };
    let sees = other.sees(state, &joint)?;
    if sees != *seen {
        return Ok(Followed::Differs(format!("sees {sees:?}, expected {seen:?}")));
    }
    Ok(Followed::To(other.next(state, &joint)?))
}

fn answers<R: Reasoner>(reasoner: &mut R, state: &R::State) -> Result<Answers, ReasonError> {
    let legal = reasoner.legal(state)?;
    Ok(Answers {
        facts: reasoner.facts(state),
        legal: legal.iter().map(|moves| moves.iter().map(|&one| reasoner.move_text(one)).collect()).collect(),
        terminal: reasoner.is_terminal(state)?,
        goals: reasoner.goals(state)?.iter().map(|goal| format!("{goal:?}")).collect(),
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
            .map(|answers| format!("terminal {}, goals {}", answers.terminal, answers.goals.join(" ")));
        return Some(format!("{}, expected {}", texts[0], texts[1]));
    }
    None
}

/// Counts sequences of joint moves. Of each state, only so many joint moves are played; the others are only counted.
fn count<R: Reasoner>(
    reasoner: &mut R,
    state: &R::State,
    depth: u32,
    width: usize,
    counts: &mut (u64, u64),
) -> Result<(), ReasonError> {
    let legal = reasoner.legal(state)?;
    if reasoner.is_terminal(state)? || legal.iter().any(Vec::is_empty) {
        counts.1 += 1;
        return Ok(());
    }
    let joints = legal.iter().fold(1usize, |joints, moves| joints.saturating_mul(moves.len()));
    if depth == 1 {
        counts.0 += joints as u64;
        return Ok(());
    }
    let mut picked = vec![0; legal.len()];
    for _ in 0..joints.min(width) {
        let joint: Vec<R::Move> = legal.iter().zip(&picked).map(|(moves, &at)| moves[at]).collect();
        let next = reasoner.next(state, &joint)?;
        count(reasoner, &next, depth - 1, width, counts)?;
        for (at, moves) in picked.iter_mut().zip(&legal) {
            *at = (*at + 1) % moves.len();
            if *at > 0 {
                break;
            }
        }
    }
    counts.0 += joints.saturating_sub(width) as u64;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use grundy::reasoner::{GoalValue, Reference};
    use grundy::syntax::{Source, read_game};

    const SHEET: &str = "(role a) (role b) (init (n 0)) (s 0 1) (s 1 2) (s 2 3)
        (<= (legal ?r (go ?x)) (role ?r) (true (n ?y)) (s ?y ?x)) (<= (legal ?r stay) (role ?r))
        (<= (next (n ?x)) (does a (go ?x))) (<= (next (n ?x)) (does a stay) (true (n ?x)))
        (<= (sees b ?m) (does a ?m)) (<= terminal (true (n 3))) (<= (goal ?r ?x) (role ?r) (true (n ?x)))";

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Lie {
        Nothing,
        State,
        Given,
        Legal,
        Terminal,
        Goals,
        Sees,
    }

    struct Liar(Reference, Lie);

    impl Reasoner for Liar {
        type State = grundy_reference::State;
        type Move = grundy::syntax::TermId;

        fn roles(&self) -> Vec<String> {
            self.0.roles()
        }

        fn initial(&mut self) -> Result<Self::State, ReasonError> {
            self.0.initial()
        }

        fn legal(&mut self, state: &Self::State) -> Result<Vec<Vec<Self::Move>>, ReasonError> {
            let mut legal = self.0.legal(state)?;
            if self.1 == Lie::Legal && legal[1].len() > 1 {
                legal[1].pop();
            }
            Ok(legal)
        }

        fn is_terminal(&mut self, state: &Self::State) -> Result<bool, ReasonError> {
            Ok(self.0.is_terminal(state)? || self.1 == Lie::Terminal)
        }

        fn goals(&mut self, state: &Self::State) -> Result<Vec<GoalValue>, ReasonError> {
            let goals = self.0.goals(state)?;
            Ok(if self.1 == Lie::Goals { vec![GoalValue::Missing; goals.len()] } else { goals })
        }

        fn next(&mut self, state: &Self::State, moves: &[Self::Move]) -> Result<Self::State, ReasonError> {
            let next = self.0.next(state, moves)?;
            Ok(if self.1 == Lie::State { Self::State::new() } else { next })
        }

        fn sees(
            &mut self,
            state: &Self::State,
            moves: &[Self::Move],
        ) -> Result<Vec<Vec<String>>, ReasonError> {
            let mut sees = self.0.sees(state, moves)?;
            if self.1 == Lie::Sees {
                sees.reverse();
            }
            Ok(sees)
        }

        fn facts(&self, state: &Self::State) -> Vec<String> {
            self.0.facts(state)
        }

        fn state_of(&mut self, facts: &[String]) -> Result<Self::State, ReasonError> {
            let state = self.0.state_of(facts)?;
            Ok(if self.1 == Lie::Given { self.0.initial()? } else { state })
        }

        fn move_text(&self, one_move: Self::Move) -> String {
            self.0.move_text(one_move)
        }

        fn move_of(&mut self, text: &str) -> Result<Self::Move, ReasonError> {
            self.0.move_of(text)
        }
    }

    #[test]
    fn every_lie_is_a_difference() {
        let program = read_game(&Source::new("lie.kif", SHEET), &Default::default()).program;
        let mut reference = Reference::new(program.clone(), Default::default()).unwrap();
        let transcript = Transcript::play(&mut reference, &Config::default(), &Default::default()).unwrap();
        assert!(transcript.len() > 4);
        let lies = [Lie::State, Lie::Given, Lie::Legal, Lie::Terminal, Lie::Goals, Lie::Sees];
        for lie in [Lie::Nothing].into_iter().chain(lies) {
            let mut liar = Liar(Reference::new(program.clone(), Default::default()).unwrap(), lie);
            let found = transcript.compare(&mut liar, States::Whole).unwrap();
            assert_eq!(found.is_some(), lie != Lie::Nothing, "{lie:?}: {found:?}");
        }
    }
}
