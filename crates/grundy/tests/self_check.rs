//! The self-check finds every kind of lie, and leaves honest engines alone.

mod support;

use grundy::engine::self_check::{SelfCheck, Verdict, first_sound, self_check};
use grundy::game::{Game, MachineConfig};
use grundy::lifted::{Lifted, LiftedConfig};
use grundy::machine::{MachineKind, MachineReasoner};
use grundy::reasoner::{GoalValue, ReasonError, Reasoner};
use grundy::syntax::Exhausted;
use std::time::Duration;
use support::{bundled_games, program, reference};

/// Moves, goals, percepts, and an end after a few steps.
const SHEET: &str = "
(role a) (role b) (init (n 0)) (init on) (s 0 1) (s 1 2) (s 2 3) (s 3 4)
(<= (legal a (go ?x)) (true (n ?y)) (s ?y ?x)) (legal a stay) (legal b noop) (legal b off)
(<= (next (n ?x)) (does a (go ?x))) (<= (next (n ?x)) (does a stay) (true (n ?x)))
(<= (next on) (true on) (does b noop)) (<= (sees b ?m) (does a ?m))
(<= terminal (true (n 4))) (<= (goal a ?x) (true (n ?x))) (<= (goal b 100) (true on)) (<= (goal b 0) (not (true on)))";

/// What an engine lies about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    Nothing,
    Roles,
    Initial,
    Facts,
    Legal,
    Terminal,
    Goals,
    Next,
    Sees,
    Error,
    Panic,
    Limit,
}

/// The lifted engine, but for one lie, which it tells from the third question of this kind on.
struct Liar {
    lifted: Lifted,
    lie: Lie,
    questions: u32,
}

impl Liar {
    fn new(lie: Lie) -> Liar {
        let lifted = Lifted::new(&program("liar", SHEET), &LiftedConfig::default()).expect("it is a game");
        Liar { lifted, lie, questions: 0 }
    }

    fn lies(&mut self, about: Lie) -> bool {
        self.questions += u32::from(self.lie == about);
        self.lie == about && self.questions > 2
    }
}

impl Reasoner for Liar {
    type State = <Lifted as Reasoner>::State;
    type Move = <Lifted as Reasoner>::Move;

    fn roles(&self) -> Vec<String> {
        if self.lie == Lie::Roles { vec!["a".to_owned()] } else { self.lifted.roles() }
    }

    fn initial(&mut self) -> Result<Self::State, ReasonError> {
        if self.lies(Lie::Initial) { self.lifted.state_of(&["on".to_owned()]) } else { self.lifted.initial() }
    }

    fn legal(&mut self, state: &Self::State) -> Result<Vec<Vec<Self::Move>>, ReasonError> {
        let mut legal = self.lifted.legal(state)?;
        if self.lies(Lie::Legal) {
            legal[1].pop();
        }
        Ok(legal)
    }

    fn is_terminal(&mut self, state: &Self::State) -> Result<bool, ReasonError> {
        Ok(self.lifted.is_terminal(state)? != self.lies(Lie::Terminal))
    }

    fn goals(&mut self, state: &Self::State) -> Result<Vec<GoalValue>, ReasonError> {
        let mut goals = self.lifted.goals(state)?;
        if self.lies(Lie::Goals) {
            goals.reverse();
        }
        Ok(goals)
    }

    fn next(&mut self, state: &Self::State, moves: &[Self::Move]) -> Result<Self::State, ReasonError> {
        if self.lies(Lie::Error) {
            return Err(ReasonError::Game("no next state".to_owned()));
        }
        if self.lies(Lie::Limit) {
            return Err(ReasonError::from(Exhausted::Memory));
        }
        assert!(!self.lies(Lie::Panic), "a bug");
        if self.lies(Lie::Next) { Ok(state.clone()) } else { self.lifted.next(state, moves) }
    }

    fn sees(&mut self, state: &Self::State, moves: &[Self::Move]) -> Result<Vec<Vec<String>>, ReasonError> {
        let sees = self.lifted.sees(state, moves)?;
        Ok(if self.lies(Lie::Sees) { vec![Vec::new(); sees.len()] } else { sees })
    }

    fn facts(&self, state: &Self::State) -> Vec<String> {
        let mut facts = self.lifted.facts(state);
        if self.lie == Lie::Facts {
            facts.pop();
        }
        facts
    }

    fn state_of(&mut self, facts: &[String]) -> Result<Self::State, ReasonError> {
        self.lifted.state_of(facts)
    }

    fn move_text(&self, one_move: Self::Move) -> String {
        self.lifted.move_text(one_move)
    }

    fn move_of(&mut self, text: &str) -> Result<Self::Move, ReasonError> {
        self.lifted.move_of(text)
    }
}

fn patient() -> SelfCheck {
    SelfCheck { time: Duration::from_secs(60), ..SelfCheck::default() }
}

fn verdict(lie: Lie, config: &SelfCheck) -> Verdict {
    self_check(&mut Liar::new(lie), &mut reference(&program("liar", SHEET)), config)
}

#[test]
fn every_lie_is_found() {
    let Verdict::Agrees { states, cut_short: None } = verdict(Lie::Nothing, &patient()) else {
        panic!("an honest engine is sound");
    };
    assert!(states > 10, "{states}");
    let lies = [
        (Lie::Roles, "roles"),
        (Lie::Initial, "state"),
        (Lie::Facts, "state"),
        (Lie::Legal, "legal moves"),
        (Lie::Terminal, "terminal"),
        (Lie::Goals, "goals"),
        (Lie::Next, "state"),
        (Lie::Sees, "sees"),
        (Lie::Error, "no next state"),
        (Lie::Panic, "panic: a bug"),
    ];
    for (lie, word) in lies {
        let Verdict::Differs(disagreement) = verdict(lie, &patient()) else { panic!("{lie:?} is not found") };
        assert!(disagreement.what.contains(word), "{lie:?}: {disagreement}");
        if lie == Lie::Goals {
            // The third state of a game is the one after two joint moves.
            assert_eq!(disagreement.line.len(), 2, "{disagreement}");
            assert!(disagreement.to_string().contains("after the moves"), "{disagreement}");
            assert!(disagreement.state.iter().any(|fact| fact.starts_with("(n ")), "{disagreement}");
        }
    }
}

#[test]
fn limits_are_no_lies() {
    let Verdict::Agrees { states, cut_short } = verdict(Lie::Limit, &patient()) else { panic!("no lie") };
    assert!(
        states >= 2 && cut_short.as_deref() == Some("out of memory (limit `memory`)"),
        "{states} {cut_short:?}"
    );
    let Verdict::Agrees { states: 0, cut_short: Some(_) } =
        verdict(Lie::Facts, &SelfCheck { time: Duration::ZERO, ..SelfCheck::default() })
    else {
        panic!("no time, no comparison")
    };
}

#[test]
fn facts_that_no_answer_depends_on_are_not_missed() {
    let config = SelfCheck { whole_states: false, ..patient() };
    assert!(matches!(verdict(Lie::Facts, &config), Verdict::Agrees { .. }));
    assert!(matches!(verdict(Lie::Goals, &config), Verdict::Differs(_)));
}

#[test]
fn the_time_is_a_part_of_the_time_of_setup() {
    assert_eq!(SelfCheck::after(Duration::from_secs(10), true).time, Duration::from_millis(500));
    assert_eq!(SelfCheck::after(Duration::from_millis(1), true).time, Duration::from_millis(20));
}

#[test]
fn the_first_sound_engine_is_taken() {
    let mut told = Vec::new();
    let candidates = [Lie::Goals, Lie::Panic, Lie::Nothing, Lie::Next];
    let check = |lie: &Lie| verdict(*lie, &patient());
    let sound = first_sound(candidates, check, |lie, why| told.push((*lie, why.what.clone())));
    assert_eq!(sound, Some(Lie::Nothing));
    assert_eq!(told.iter().map(|(lie, _)| *lie).collect::<Vec<_>>(), [Lie::Goals, Lie::Panic]);
    assert_eq!(first_sound([Lie::Sees], check, |_, _| {}), None);
}

#[test]
fn machines_are_sound() {
    for (name, sheet) in
        bundled_games().into_iter().filter(|(name, _)| ["nim", "tic-tac-toe"].contains(&name.as_str()))
    {
        let program = program(&name, &sheet);
        let game = Game::from_program(program.clone());
        for kind in [MachineKind::Scratch, MachineKind::Incremental, MachineKind::Batch] {
            for whole_states in [true, false] {
                let machine =
                    game.machine(&MachineConfig { kind, whole_states, ..MachineConfig::default() }).unwrap();
                let mut engine = MachineReasoner::new(machine.cursor());
                let config = SelfCheck { whole_states, ..patient() };
                match self_check(&mut engine, &mut reference(&program), &config) {
                    Verdict::Agrees { states, cut_short: None } => assert!(states > 15, "{name}: {states}"),
                    other => panic!("{name}, {kind:?}: {other:?}"),
                }
            }
        }
    }
}
