//! Winning and forced moves: what the unfolded rules find is what trying every move finds.
//!
//! `GRUNDY_STATES=2000` looks at that many states of each game instead of a few.

mod support;

use grundy::lifted::{Lifted, LiftedConfig};
use grundy::metarules::MetaError;
use grundy::reasoner::Reasoner;
use grundy::syntax::{Keyword, PredicateId, Program, TermId};
use grundy::unfold::UnfoldConfig;
use grundy::winning::{MoveRules, MoveRulesConfig, move_rules};
use grundy_reference::{Evaluator, Limits};
use proptest::prelude::*;
use std::collections::BTreeSet;
use support::{bundled_games, program, random_game};

/// A role and a move, in print.
type Found = BTreeSet<(String, String)>;

fn states_wanted(default: usize) -> usize {
    std::env::var("GRUNDY_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// States of games that are played at random, but close together, so that something happens.
fn sample(reasoner: &mut Lifted, count: usize, seed: u64) -> Vec<<Lifted as Reasoner>::State> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut states = Vec::new();
    while states.len() < count {
        let mut state = reasoner.initial().unwrap();
        let window = rng.usize(2..20);
        let start = rng.f64();
        while states.len() < count && !reasoner.is_terminal(&state).unwrap() {
            states.push(state.clone());
            let legal = reasoner.legal(&state).unwrap();
            if legal.iter().any(Vec::is_empty) {
                break;
            }
            let joint: Vec<_> = legal
                .iter()
                .map(|moves| {
                    let first = (moves.len() as f64 * start) as usize;
                    moves[(first + rng.usize(..window.min(moves.len()))) % moves.len()]
                })
                .collect();
            state = reasoner.next(&state, &joint).unwrap();
        }
    }
    states
}

/// All joint moves.
fn joint_moves<M: Copy>(legal: &[Vec<M>]) -> Vec<Vec<M>> {
    legal.iter().fold(vec![Vec::new()], |joint, moves| {
        let longer = |prefix: &Vec<M>| {
            let prefix = prefix.clone();
            moves.iter().map(move |&one| prefix.iter().copied().chain([one]).collect::<Vec<M>>())
        };
        joint.iter().flat_map(longer).collect()
    })
}

/// The moves that win at once, by trying them.
fn winning_by_trying(reasoner: &mut Lifted, state: &<Lifted as Reasoner>::State) -> Found {
    let roles = reasoner.roles();
    let legal = reasoner.legal(state).unwrap();
    let mut found = Found::new();
    for joint in joint_moves(&legal) {
        let next = reasoner.next(state, &joint).unwrap();
        if !reasoner.is_terminal(&next).unwrap() {
            continue;
        }
        for (role, goal) in reasoner.goals(&next).unwrap().into_iter().enumerate() {
            if goal.number() == Some(100) {
                found.insert((roles[role].clone(), reasoner.move_text(joint[role])));
            }
        }
    }
    found
}

/// The moves after which no other role can win at once, by trying them.
fn safe_by_trying(reasoner: &mut Lifted, state: &<Lifted as Reasoner>::State) -> Found {
    let roles = reasoner.roles();
    let legal = reasoner.legal(state).unwrap();
    let mut losing = Found::new();
    let mut all = Found::new();
    for joint in joint_moves(&legal) {
        let next = reasoner.next(state, &joint).unwrap();
        let wins = match reasoner.is_terminal(&next).unwrap() {
            true => Found::new(),
            false => winning_by_trying(reasoner, &next),
        };
        for (role, name) in roles.iter().enumerate() {
            let its_move = (name.clone(), reasoner.move_text(joint[role]));
            if wins.iter().any(|(winner, _)| winner != name) {
                losing.insert(its_move.clone());
            }
            all.insert(its_move);
        }
    }
    all.difference(&losing).cloned().collect()
}

/// The reference, with the facts of a predicate in print.
struct Judge {
    evaluator: Evaluator,
    holds: PredicateId,
}

impl Judge {
    fn new(program: &Program, wanted: &[PredicateId]) -> Judge {
        let mut program = program.clone();
        let [holds, does] =
            [Keyword::True, Keyword::Does].map(|keyword| program.predicate(keyword.name(), keyword.arity()));
        let given = vec![vec![holds], vec![does]];
        let evaluator = Evaluator::new(program, given, wanted, Limits::default()).unwrap();
        Judge { evaluator, holds }
    }

    fn look_at(&mut self, facts: &[String]) {
        let (symbols, terms) = self.evaluator.names_and_terms_mut();
        let read = |fact: &String| grundy::flat::read_ground_term(fact, &mut *symbols, &mut *terms).unwrap();
        let rows: Vec<TermId> = facts.iter().map(read).collect();
        let holds = self.holds;
        self.evaluator.set(0, rows.into_iter().map(|fact| (holds, Box::from([fact])))).unwrap();
    }

    fn found(&self, predicate: PredicateId) -> Found {
        let rows = self.evaluator.rows(predicate);
        rows.map(|row| (self.text(row[0]), self.text(row[1]))).collect()
    }

    fn text(&self, term: TermId) -> String {
        use grundy::syntax::Term;
        let symbols = &self.evaluator.program().symbols;
        match self.evaluator.terms().get(term) {
            Term::Variable(_) => unreachable!("facts have no variables"),
            Term::Constant(name) => symbols.name(name).to_owned(),
            Term::Compound(name, args) => {
                let args: Vec<String> = args.iter().map(|&arg| self.text(arg)).collect();
                format!("({} {})", symbols.name(name), args.join(" "))
            }
        }
    }
}

fn sheet(game: &str) -> Program {
    let (_, text) = bundled_games().into_iter().find(|(name, _)| name == game).expect("the game is there");
    program(game, &text)
}

fn rules_of(game: &Program, reasoner: &mut Lifted, forced: bool) -> MoveRules {
    let states = sample(reasoner, 60, 7);
    let facts: Vec<Vec<String>> = states.iter().map(|state| reasoner.facts(state)).collect();
    move_rules(game, &facts, &MoveRulesConfig { forced, ..MoveRulesConfig::default() })
        .expect("there are rules")
}

/// Compares the rules of a game with trying all moves; returns how many winning moves there were.
fn check_winning(game: &str, states: usize) -> usize {
    let sheet = sheet(game);
    let mut reasoner = Lifted::new(&sheet, &LiftedConfig::default()).unwrap();
    let rules = rules_of(&sheet, &mut reasoner, false);
    compare_winning(game, &mut reasoner, &rules, states_wanted(states))
}

fn compare_winning(game: &str, reasoner: &mut Lifted, rules: &MoveRules, states: usize) -> usize {
    let mut judge = Judge::new(&rules.program, &[rules.wins]);
    let mut wins = 0;
    for state in sample(reasoner, states, 1) {
        let facts = reasoner.facts(&state);
        judge.look_at(&facts);
        let expected = winning_by_trying(reasoner, &state);
        assert_eq!(judge.found(rules.wins), expected, "{game} in {facts:?}");
        wins += expected.len();
    }
    wins
}

/// Compares the rules for forced moves with trying all moves and replies.
fn check_forced(game: &str, states: usize) -> usize {
    let sheet = sheet(game);
    let mut reasoner = Lifted::new(&sheet, &LiftedConfig::default()).unwrap();
    let rules = rules_of(&sheet, &mut reasoner, true);
    let (safe, forced) = rules.forced.expect("forced moves were asked for");
    let mut judge = Judge::new(&rules.program, &[safe, forced]);
    let mut threats = 0;
    for state in sample(&mut reasoner, states_wanted(states), 2) {
        let facts = reasoner.facts(&state);
        judge.look_at(&facts);
        let expected = safe_by_trying(&mut reasoner, &state);
        assert_eq!(judge.found(safe), expected, "{game} in {facts:?}");
        let legal = reasoner.legal(&state).unwrap();
        let roles = reasoner.roles();
        for (role, moves) in roles.iter().zip(&legal) {
            let of_role = |found: &Found| -> Found {
                found.iter().filter(|(other, _)| other == role).cloned().collect()
            };
            let is_threatened = of_role(&expected).len() < moves.len();
            threats += usize::from(is_threatened);
            let forced_now = if is_threatened { of_role(&expected) } else { Found::new() };
            assert_eq!(of_role(&judge.found(forced)), forced_now, "{game}, {role} in {facts:?}");
        }
    }
    threats
}

#[test]
fn tic_tac_toe_wins() {
    assert!(check_winning("tic-tac-toe", 300) > 20);
}

#[test]
fn connect_four_wins() {
    assert!(check_winning("connect-four", 150) > 5);
}

#[test]
fn gomoku_wins() {
    assert!(check_winning("gomoku", 40) > 0);
}

#[test]
fn breakthrough_wins() {
    assert!(check_winning("breakthrough", 150) > 5);
}

#[test]
fn knightthrough_wins() {
    assert!(check_winning("knightthrough", 150) > 5);
}

#[test]
fn games_with_recursion_and_counting_wins() {
    // Few of these states are near the end of a game of hex.
    check_winning("hex", 10);
    assert!(check_winning("nim", 30) > 0);
    check_winning("dots-and-boxes", 10);
}

#[test]
fn tic_tac_toe_forced() {
    assert!(check_forced("tic-tac-toe", 150) > 10);
}

#[test]
fn connect_four_forced() {
    assert!(check_forced("connect-four", 40) > 2);
}

#[test]
fn breakthrough_forced() {
    assert!(check_forced("breakthrough", 150) > 0);
}

/// At most one lamp is on in all states but those that end the game: that is no invariant, and no reason to think that
/// nobody can win.
const LAMPS: &str = "
(role robot) (lamp p) (lamp q)
(init (off p)) (init (off q)) (init (step 1))
(<= (next (on p)) (does robot a) (true (off p)))
(<= (next (off p)) (does robot a) (true (on p)))
(<= (next (on q)) (does robot a) (true (on q)))
(<= (next (off q)) (does robot a) (true (off q)))
(<= (next (on p)) (does robot b) (true (on q)))
(<= (next (off p)) (does robot b) (true (off q)))
(<= (next (on q)) (does robot b) (true (on p)))
(<= (next (off q)) (does robot b) (true (off p)))
(<= (next (step ?y)) (true (step ?x)) (after ?x ?y))
(after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)
(legal robot a) (legal robot b)
(<= (goal robot 100) (true (on p)) (true (on q)))
(<= (goal robot 0) (lamp ?x) (not (true (on ?x))))
(<= terminal (true (step 6)))
(<= terminal (true (on p)) (true (on q)))";

#[test]
fn what_the_winning_move_breaks_is_not_proved() {
    let sheet = program("lamps.kif", LAMPS);
    let mut reasoner = Lifted::new(&sheet, &LiftedConfig::default()).unwrap();
    let rules = rules_of(&sheet, &mut reasoner, false);
    assert!(compare_winning("lamps", &mut reasoner, &rules, 60) > 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn random_games_wins(choices in prop::collection::vec(any::<u8>(), 0..160)) {
        // One goal value for each role, so that it is clear who wins, and a game that does not end before it begins.
        let text = random_game(&choices)
            .replace("(<= (goal ?p 50) (role ?p) (not (true (f a))))", "(goal r 50)")
            .replace("(<= terminal ", "(<= terminal (not (true (f a))) ");
        let sheet = program("random.kif", &text);
        let mut reasoner = Lifted::new(&sheet, &LiftedConfig::default()).unwrap();
        let states = sample(&mut reasoner, 30, 7);
        let facts: Vec<Vec<String>> = states.iter().map(|state| reasoner.facts(state)).collect();
        let unfold = UnfoldConfig { max_rules: 300, max_steps: 5_000, ..MoveRulesConfig::default().unfold };
        match move_rules(&sheet, &facts, &MoveRulesConfig { unfold, ..MoveRulesConfig::default() }) {
            Ok(rules) => _ = compare_winning(&text, &mut reasoner, &rules, 20),
            Err(error) => prop_assert!(matches!(error, MetaError::Limit { .. }), "{error}\n{text}"),
        }
    }
}
