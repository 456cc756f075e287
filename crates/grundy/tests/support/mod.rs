//! What the tests of the engines share: playing two of them side by side, and games out of thin air.

#![allow(dead_code, reason = "not every test program needs every helper")]

use grundy::reasoner::{Reasoner, Reference};
use grundy::syntax::{Program, Source, read_game};
use std::fmt::Write;

/// Reads a sheet that has to be without errors.
pub(crate) fn program(name: &str, sheet: &str) -> Program {
    let reading = read_game(&Source::new(name, sheet), &Default::default());
    let errors: Vec<_> = reading.diagnostics.iter().filter(|d| d.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{sheet}");
    reading.program
}

/// The reference for a program.
pub(crate) fn reference(program: &Program) -> Reference {
    Reference::new(program.clone(), Default::default()).expect("the reference takes the game")
}

/// The sheets of `games/`, by name.
#[allow(clippy::disallowed_methods, reason = "tests read files")]
pub(crate) fn bundled_games() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games");
    let mut games = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the games are there") {
        let path = entry.expect("the folder can be listed").path();
        if path.extension().is_some_and(|extension| extension == "kif") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            games.push((name, std::fs::read_to_string(&path).expect("the sheet is text")));
        }
    }
    games.sort();
    games
}

/// Plays random games in two engines at once and compares every answer.
pub(crate) fn assert_agree<A: Reasoner, B: Reasoner>(a: &mut A, b: &mut B, playouts: u64, steps: usize) {
    compare(a, b, playouts, steps, true);
}

/// Like [`assert_agree`], but states may differ in what no answer depends on.
pub(crate) fn assert_same_answers<A: Reasoner, B: Reasoner>(
    a: &mut A,
    b: &mut B,
    playouts: u64,
    steps: usize,
) {
    compare(a, b, playouts, steps, false);
}

fn compare<A: Reasoner, B: Reasoner>(a: &mut A, b: &mut B, playouts: u64, steps: usize, whole_states: bool) {
    assert_eq!(a.roles(), b.roles());
    for seed in 0..playouts {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (mut x, mut y) = (a.initial().expect("a state"), b.initial().expect("a state"));
        for step in 0..steps {
            let place = format!("game {seed}, step {step}");
            if whole_states {
                assert_eq!(a.facts(&x), b.facts(&y), "state, {place}");
            }
            // Two engines that fail alike do not agree.
            let is_terminal = a.is_terminal(&x).expect("an answer");
            assert_eq!(Ok(is_terminal), b.is_terminal(&y), "terminal, {place}");
            assert_eq!(Ok(a.goals(&x).expect("an answer")), b.goals(&y), "goals, {place}");
            let (moves_a, moves_b) = (a.legal(&x).expect("moves"), b.legal(&y).expect("moves"));
            let texts = |moves: &Vec<Vec<A::Move>>, a: &A| -> Vec<Vec<String>> {
                moves.iter().map(|moves| moves.iter().map(|&m| a.move_text(m)).collect()).collect()
            };
            let texts_b: Vec<Vec<String>> =
                moves_b.iter().map(|moves| moves.iter().map(|&m| b.move_text(m)).collect()).collect();
            assert_eq!(texts(&moves_a, a), texts_b, "legal, {place}");
            if is_terminal || moves_a.iter().any(Vec::is_empty) {
                break;
            }
            let picks: Vec<usize> = moves_a.iter().map(|moves| rng.usize(..moves.len())).collect();
            let joint_a: Vec<A::Move> = picks.iter().zip(&moves_a).map(|(&i, moves)| moves[i]).collect();
            let joint_b: Vec<B::Move> = picks.iter().zip(&moves_b).map(|(&i, moves)| moves[i]).collect();
            assert_eq!(Ok(a.sees(&x, &joint_a).expect("percepts")), b.sees(&y, &joint_b), "sees, {place}");
            x = a.next(&x, &joint_a).expect("a state");
            y = b.next(&y, &joint_b).expect("a state");
        }
    }
}

/// Turns a list of choices into a small game: safe, stratified, with recursion, negation and functions. Shorter
/// lists and smaller numbers make simpler games, so that failures shrink.
pub(crate) fn random_game(choices: &[u8]) -> String {
    Generator { choices: choices.iter(), out: String::new() }.game()
}

struct Generator<'a> {
    choices: std::slice::Iter<'a, u8>,
    out: String,
}

/// A condition pattern: its text over variables, and the variables.
const STATIC: [&str; 3] = ["(dom {})", "(succ {} {})", "(edge {} {})"];
const STATE: [&str; 4] = ["(true (f {}))", "(true (g {} {}))", "(true (h (k {})))", "(true p)"];
const VIEWS: [&str; 4] = ["(v0 {})", "(v1 {} {})", "(v2 {} {})", "(v3 {})"];
const VARIABLES: [&str; 3] = ["?x", "?y", "?z"];

impl Generator<'_> {
    fn pick(&mut self, below: usize) -> usize {
        self.choices.next().map_or(0, |&choice| choice as usize % below)
    }

    fn term(&mut self) -> &'static str {
        ["?x", "?y", "?z", "a", "b"][self.pick(5)]
    }

    fn fill(&mut self, pattern: &str) -> String {
        let mut filled = pattern.to_owned();
        while filled.contains("{}") {
            let term = self.term();
            filled = filled.replacen("{}", term, 1);
        }
        filled
    }

    /// A body whose views are below `views`; with moves or without. All variables of the head are bound.
    fn body(&mut self, head: &str, views: usize, recursive: Option<usize>, moves: bool) -> String {
        let mut patterns: Vec<&str> = STATIC.iter().chain(&STATE).copied().collect();
        patterns.extend(&VIEWS[..views]);
        let mut positive = patterns.clone();
        positive.extend(recursive.map(|view| VIEWS[view]));
        if moves {
            positive.extend(["(does r (m {}))", "(does s ?z)", "(does r noop)"]);
        }
        let mut body = Vec::new();
        for _ in 0..1 + self.pick(3) {
            let pattern = positive[self.pick(positive.len())];
            body.push(self.fill(pattern));
        }
        let mut tests = Vec::new();
        for _ in 0..self.pick(3) {
            match self.pick(4) {
                0 => tests.push(format!("(distinct {} {})", self.term(), self.term())),
                1 => {
                    let (a, b, c, d) = (self.term(), self.term(), self.term(), self.term());
                    tests.push(format!("(or (distinct {a} {b}) (distinct {c} {d}))"));
                }
                _ => {
                    let pattern = patterns[self.pick(patterns.len())];
                    let filled = self.fill(pattern);
                    tests.push(format!("(not {filled})"));
                }
            }
        }
        let whole = format!("{head} {} {}", body.join(" "), tests.join(" "));
        // `?z` may be a whole move, which `dom` does not bind.
        for variable in VARIABLES {
            if whole.contains(variable) && !body.iter().any(|condition| condition.contains(variable)) {
                body.push(format!("(dom {variable})"));
            }
        }
        format!("{} {}", tests.join(" "), body.join(" "))
    }

    fn rule(&mut self, head: &str, views: usize, recursive: Option<usize>, moves: bool) {
        let head = self.fill(head);
        let body = self.body(&head, views, recursive, moves);
        let _ = writeln!(self.out, "(<= {head} {body})");
    }

    /// A rule by which something stays as it is.
    fn frame(&mut self) {
        let pattern = STATE[self.pick(STATE.len())];
        let fact = self.fill(pattern);
        let head = fact.replace("(true ", "(next ");
        let body = self.body(&head, 4, None, true);
        let _ = writeln!(self.out, "(<= {head} {fact} {body})");
    }

    fn game(mut self) -> String {
        self.out.push_str(
            "(role r) (role s) (dom a) (dom b) (dom c) (succ a b) (succ b c)\n\
             (<= (edge ?x ?y) (succ ?x ?y)) (<= (edge ?x ?z) (edge ?x ?y) (succ ?y ?z))\n\
             (init (f a)) (init (g a b)) (init p) (init (h (k b)))\n\
             (<= (legal ?p noop) (role ?p)) (<= (goal ?p 50) (role ?p) (not (true (f a))))\n",
        );
        for (view, pattern) in VIEWS.iter().enumerate() {
            for _ in 0..1 + self.pick(2) {
                self.rule(pattern, view, Some(view), false);
            }
        }
        for _ in 0..1 + self.pick(2) {
            self.rule("(legal r (m {}))", 4, None, false);
        }
        for _ in 0..2 + self.pick(4) {
            let fact = STATE[self.pick(STATE.len())].replace("(true ", "(next ");
            self.rule(&fact, 4, None, true);
        }
        for _ in 0..self.pick(4) {
            self.frame();
        }
        self.rule("(goal s 100)", 4, None, false);
        self.rule("terminal", 4, None, false);
        self.rule("(sees s {})", 4, None, true);
        self.out
    }
}
