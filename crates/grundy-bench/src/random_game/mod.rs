//! Random rule sheets, with as many unusual constructs as a legal sheet can have.
//!
//! A few ground terms of different shapes, the *universe*, occur in all positions: in facts, moves and static predicates. So
//! argument positions have mixed types, and conditions have matches. All sheets are safe, stratified and finite. Three rules
//! ensure that they are finite:
//!
//! - A variable may stand for any term in an argument of a head, but inside a function of a head it is bound by a static
//!   predicate (`con` or `dom`).
//! - Variables for whole facts are not used in arguments.
//! - Variables for whole moves are used in arguments only in games in which the arguments of moves are constants.

mod bodies;
mod print;
mod rules;
mod terms;

/// A game from a seed. The same seed gives the same text.
pub fn random_game(seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    random_game_from(&mut |below| rng.usize(..below))
}

/// A game from a source of choices: `choose(n)` is below `n`. Smaller choices make simpler games.
pub fn random_game_from(choose: &mut dyn FnMut(usize) -> usize) -> String {
    Generator::new(choose).game()
}

const VARIABLES: [&str; 5] = ["?a", "?b", "?c", "?d", "?_e"];
/// A variable for a role, and one for a whole fact or move.
const ROLE: &str = "?r";
const WHOLE: &str = "?m";
const ROLES: [&str; 4] = ["red", "blue", "green", "black"];
/// Some functions have the name of a constant, of a predicate, or of another function.
const FUNCTIONS: [(&str, usize); 9] =
    [("g", 1), ("h", 2), ("k", 1), ("g", 2), ("a", 1), ("f0", 1), ("s0", 2), ("m0", 1), ("h", 3)];
const GOALS: [&str; 12] = ["100", "0", "50", "30", "75", "1", "100", "0", "007", "-3", "high", "99999999999"];

/// A predicate, function or move with arguments.
#[derive(Clone)]
struct Shape {
    name: String,
    arity: usize,
}

struct Generator<'a> {
    choose: &'a mut dyn FnMut(usize) -> usize,
    statements: Vec<String>,
    constants: Vec<String>,
    functions: Vec<(&'static str, usize)>,
    /// Ground terms that occur in all positions.
    universe: Vec<String>,
    /// How many variables rules have.
    variables: usize,
    fluents: Vec<Shape>,
    statics: Vec<Shape>,
    views: Vec<Shape>,
    move_views: Vec<Shape>,
    roles: Vec<&'static str>,
    moves: Vec<Shape>,
    /// Whether moves can become arguments of facts.
    moves_are_terms: bool,
    alternating: bool,
    /// Whether roles always have a choice and moves leave permanent traces, which makes games longer.
    lively: bool,
    /// Whether `legal` may depend on `terminal` (otherwise `terminal` may depend on `legal`).
    terminal_first: bool,
    /// Whether a counter of steps ends the game.
    counted: bool,
}

impl<'a> Generator<'a> {
    fn new(choose: &'a mut dyn FnMut(usize) -> usize) -> Generator<'a> {
        Generator {
            choose,
            statements: Vec::new(),
            constants: Vec::new(),
            functions: Vec::new(),
            universe: Vec::new(),
            variables: 4,
            fluents: Vec::new(),
            statics: Vec::new(),
            views: Vec::new(),
            move_views: Vec::new(),
            roles: Vec::new(),
            moves: Vec::new(),
            moves_are_terms: false,
            alternating: false,
            lively: false,
            terminal_first: false,
            counted: false,
        }
    }

    fn pick(&mut self, below: usize) -> usize {
        (self.choose)(below.max(1))
    }

    /// True in one of this many cases.
    fn one_in(&mut self, cases: usize) -> bool {
        self.pick(cases) + 1 == cases
    }

    fn any<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.pick(list.len())].clone()
    }

    fn game(mut self) -> String {
        self.vocabulary();
        for role in self.roles.clone() {
            self.statements.push(format!("(role {role})"));
        }
        self.static_facts();
        self.initial_state();
        for view in 0..self.views.len() {
            self.view_rules(view);
        }
        self.move_view_rules();
        self.legal_rules();
        self.next_rules();
        self.terminal_rules();
        self.goal_rules();
        if self.one_in(3) {
            self.sees_rules();
        }
        if self.one_in(6) {
            self.given_base_and_input();
        }
        self.repeat_rules();
        self.print()
    }
}

#[cfg(test)]
mod tests {
    use super::bodies::{has_variable, nested, with_variable};
    use super::*;

    #[test]
    fn variables_are_words() {
        assert!(has_variable("(f ?a (g ?b))", "?a") && has_variable("?b", "?b"));
        assert!(!has_variable("(f ?ab)", "?a"));
        assert_eq!(with_variable("(f ?a (g ?ab ?a))", "?a", "?c"), "(f ?c (g ?ab ?c))");
        assert_eq!(nested("(m ?a (g ?b (h ?c)) 1)"), "(g ?b (h ?c))");
    }

    #[test]
    fn the_same_seed_gives_the_same_game() {
        assert_eq!(random_game(7), random_game(7));
        assert_ne!(random_game(7), random_game(8));
    }
}
