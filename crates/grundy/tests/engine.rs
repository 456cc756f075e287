//! One entry point for engines: what is chosen, and that all of them play.

use grundy::engine::{AnyEngine, Engine, EngineConfig, Note, Task};
use grundy::game::{Game, GameError};
use grundy::ground::Thresholds;
use grundy::reasoner::{ReasonError, Reasoner};

const COUNTER: &str = "(role a) (role b) (init (n 0)) (s 0 1) (s 1 2) (s 2 3)
    (<= (legal ?r (go ?y)) (role ?r) (true (n ?x)) (s ?x ?y)) (<= (legal ?r stay) (role ?r))
    (<= (next (n ?x)) (does a (go ?x))) (<= (next (n ?x)) (does a stay) (true (n ?x)))
    (<= (far ?x ?y) (s ?x ?y)) (<= (far ?x ?z) (far ?x ?y) (s ?y ?z))
    (<= terminal (true (n ?x)) (not (far ?x 3))) (<= (goal ?r ?x) (role ?r) (true (n ?x)))";

/// Terms grow without end, so that there is no ground program; play ends after a few moves.
const GROWING: &str = "(role a) (init (n 0)) (legal a go) (<= (next (n (s ?x))) (true (n ?x)))
    (<= terminal (true (n (s (s (s ?x)))))) (goal a 50)";

/// Plays the first moves that are legal; the facts of the last state, and what the goals are there.
struct FirstMoves;

impl Task for FirstMoves {
    type Output = (Vec<String>, String);
    type Error = ReasonError;

    fn run<R: Reasoner + Send>(
        self,
        make: impl Fn() -> Result<R, ReasonError>,
    ) -> Result<Self::Output, ReasonError> {
        let mut reasoner = make()?;
        let mut state = reasoner.initial()?;
        while !reasoner.is_terminal(&state)? {
            let joint: Vec<R::Move> = reasoner.legal(&state)?.iter().map(|moves| moves[0]).collect();
            state = reasoner.next(&state, &joint)?;
        }
        let goals = reasoner.goals(&state)?;
        Ok((reasoner.facts(&state), format!("{goals:?}")))
    }
}

fn engine(
    sheet: &str,
    engine: Engine,
    change: impl FnOnce(&mut EngineConfig),
) -> Result<AnyEngine, GameError> {
    let mut config = EngineConfig::default();
    change(&mut config);
    Game::from_kif(sheet).expect("the sheet is a game").engine(engine, &config)
}

#[test]
fn all_engines_play_the_same() {
    let expected = (vec!["(n 3)".to_owned()], "[Number(3), Number(3)]".to_owned());
    for wanted in Engine::SINGLE {
        let engine = engine(COUNTER, wanted, |config| config.self_check = true).expect("there is an engine");
        assert_eq!(engine.name(), wanted.name());
        assert_eq!(engine.run(FirstMoves), Ok(expected.clone()), "{}", wanted.name());
        let agrees = |note: &Note| matches!(note, Note::Agrees { states, .. } if *states > 0);
        assert!(engine.notes().iter().any(agrees), "{:?}", engine.notes());
    }
}

#[test]
fn a_machine_is_chosen_where_there_is_one() {
    let engine = engine(COUNTER, Engine::Auto, |_| {}).expect("there is an engine");
    assert_eq!(engine.notes(), [Note::Chosen { engine: "incremental" }]);
    assert!(engine.machine().is_some());
}

#[test]
fn the_lifted_engine_plays_what_cannot_be_ground() {
    let engine = engine(GROWING, Engine::Auto, |_| {}).expect("there is an engine");
    assert_eq!((engine.name(), engine.machine().is_none()), ("lifted", true));
    assert!(matches!(&engine.notes()[0], Note::NoNetwork { reason } if reason.contains("term-depth")));
    assert_eq!(engine.run(FirstMoves).map(|(facts, _)| facts), Ok(vec!["(n (s (s (s 0))))".to_owned()]));
    let error = self::engine(GROWING, Engine::Batch, |_| {}).err().expect("there is no machine");
    assert!(matches!(error, GameError::Ground(_)), "{error}");
}

/// A robot builds roads; whether one can go round in a circle has many instances.
const ROADS: &str = "(role robot) (place a) (place b) (place c) (place d) (place e) (place f) (init (step 0)) (succ 0 1)
    (succ 1 2) (<= (legal robot (build ?x ?y)) (place ?x) (place ?y) (distinct ?x ?y) (not (true (road ?x ?y))))
    (<= (next (road ?x ?y)) (does robot (build ?x ?y))) (<= (next (road ?x ?y)) (true (road ?x ?y)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= (way ?x ?y) (true (road ?x ?y)))
    (<= (way ?x ?z) (true (road ?x ?y)) (way ?y ?z)) (<= terminal (true (step 2)))
    (<= circle (place ?x) (place ?y) (distinct ?x ?y) (way ?x ?y) (way ?y ?x))
    (<= (goal robot 100) circle) (<= (goal robot 0) (not circle))";

#[test]
fn a_hybrid_plays_where_views_stay_lifted() {
    let lifting = |config: &mut EngineConfig| {
        config.machine.ground.thresholds =
            Thresholds { split: 0.0, demand: 2, demand_static: 2, lift: 4, ..Thresholds::default() };
    };
    let engine = engine(ROADS, Engine::Auto, lifting).expect("there is an engine");
    assert_eq!((engine.name(), engine.machine().is_none()), ("hybrid", true), "{:?}", engine.notes());
    assert!(matches!(&engine.notes()[0], Note::Hybrid { answers, .. } if answers == &["goal"]));
    let expected = "[Number(0)]".to_owned();
    assert_eq!(engine.run(FirstMoves).map(|(_, goals)| goals), Ok(expected));
}

#[test]
fn engines_can_be_shared() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<AnyEngine>();
    is_shared::<Game>();
}
