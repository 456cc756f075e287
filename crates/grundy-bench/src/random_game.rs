//! Rule sheets out of a seed, as mean as a legal sheet can be.
//!
//! All sheets are safe, stratified and finite. Three rules see to the last: a variable may stand for any
//! term in an argument of a head, but inside a function of a head it is bound to a constant (`con`);
//! variables for whole facts and moves are not passed on to arguments; and where moves do become arguments
//! of facts, the arguments of moves are constants.

use std::fmt::Write;

/// A game from a seed. The same seed gives the same text.
pub fn random_game(seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    random_game_from(&mut |below| rng.usize(..below))
}

/// A game from a source of choices: `choose(n)` is below `n`. Smaller choices make simpler games.
pub fn random_game_from(choose: &mut dyn FnMut(usize) -> usize) -> String {
    Generator::new(choose).game()
}

const VARIABLES: [&str; 4] = ["?a", "?b", "?c", "?d"];
const ROLES: [&str; 4] = ["red", "blue", "green", "black"];
const FUNCTIONS: [(&str, usize); 3] = [("g", 1), ("k", 1), ("h", 2)];

/// A predicate or function with arguments.
#[derive(Clone)]
struct Shape {
    name: String,
    arity: usize,
}

/// Which conditions a body may have.
#[derive(Clone, Copy)]
struct Scope {
    /// Views below this number, positive and negated.
    views: usize,
    /// Views from there on and below this number, positive only: recursion.
    recursive: usize,
    /// Facts of the state.
    state: bool,
    /// Moves, and views of moves below this number.
    moves: Option<usize>,
    /// `legal`.
    legal: bool,
}

const STATIC: Scope = Scope { views: 0, recursive: 0, state: false, moves: None, legal: false };

struct Generator<'a> {
    choose: &'a mut dyn FnMut(usize) -> usize,
    out: String,
    constants: Vec<String>,
    fluents: Vec<Shape>,
    statics: Vec<Shape>,
    views: Vec<Shape>,
    move_views: Vec<Shape>,
    roles: Vec<&'static str>,
    moves: Vec<Shape>,
    /// Whether moves can become arguments of facts.
    moves_are_terms: bool,
    alternating: bool,
}

impl<'a> Generator<'a> {
    fn new(choose: &'a mut dyn FnMut(usize) -> usize) -> Generator<'a> {
        Generator {
            choose,
            out: String::new(),
            constants: Vec::new(),
            fluents: Vec::new(),
            statics: Vec::new(),
            views: Vec::new(),
            move_views: Vec::new(),
            roles: Vec::new(),
            moves: Vec::new(),
            moves_are_terms: false,
            alternating: false,
        }
    }

    fn pick(&mut self, below: usize) -> usize {
        (self.choose)(below)
    }

    /// True in one of so many cases.
    fn one_in(&mut self, cases: usize) -> bool {
        self.pick(cases) + 1 == cases
    }

    /// One of the first so many shapes of a list.
    fn one_of(&mut self, list: fn(&Self) -> &Vec<Shape>, count: usize) -> Shape {
        let number = self.pick(count);
        list(self)[number].clone()
    }

    fn any_of(&mut self, list: fn(&Self) -> &Vec<Shape>) -> Shape {
        let count = list(self).len();
        self.one_of(list, count)
    }

    fn role(&mut self) -> &'static str {
        let number = self.pick(self.roles.len());
        self.roles[number]
    }

    fn game(mut self) -> String {
        self.vocabulary();
        self.facts();
        let levels = self.views.len();
        for view in 0..levels {
            self.view_rules(view);
        }
        for number in 0..self.move_views.len() {
            let shape = self.move_views[number].clone();
            for _ in 0..1 + self.pick(2) {
                self.rule(
                    "",
                    &shape,
                    Scope {
                        views: levels,
                        recursive: levels,
                        state: true,
                        moves: Some(number),
                        legal: false,
                    },
                );
            }
        }
        self.legal_rules();
        self.next_rules();
        self.ends();
        if self.one_in(3) {
            self.sees_rules();
        }
        self.out
    }

    fn vocabulary(&mut self) {
        let size = if self.one_in(6) { 8 + self.pick(10) } else { 2 + self.pick(3) };
        let names = ["a", "b", "c", "1", "2", "0"];
        self.constants = (0..size)
            .map(|i| names.get(i).map_or_else(|| format!("x{i}"), |name| (*name).to_owned()))
            .collect();
        let most = if size > 6 { 2 } else { 3 };
        let shapes = |this: &mut Self, prefix: &str, count: usize, least: usize| -> Vec<Shape> {
            (0..count)
                .map(|i| Shape {
                    name: format!("{prefix}{i}"),
                    arity: least + this.pick(most + 1 - least).min(this.pick(most + 1)),
                })
                .collect()
        };
        let count = 2 + self.pick(3);
        self.fluents = shapes(self, "f", count, 0);
        let count = 1 + self.pick(2);
        self.statics = shapes(self, "s", count, 1);
        let count = 1 + self.pick(4);
        self.views = shapes(self, "v", count, 0);
        let count = self.pick(3);
        self.move_views = shapes(self, "w", count, 0);
        let count = 1 + self.pick(3);
        self.moves = shapes(self, "m", count, 0);
        let count = 1 + self.pick(4);
        self.roles = ROLES[..count].to_vec();
        if count > 1 && self.one_in(4) {
            self.roles[count - 1] = "random";
        }
        self.moves_are_terms = self.one_in(4);
        self.alternating = count > 1 && self.one_in(2);
    }

    fn constant(&mut self) -> String {
        let number = self.pick(self.constants.len());
        self.constants[number].clone()
    }

    /// A term without variables: a constant, a function, or functions in functions.
    fn ground_term(&mut self, depth: usize) -> String {
        if depth == 0 || !self.one_in(3) {
            return self.constant();
        }
        let (name, arity) = FUNCTIONS[self.pick(FUNCTIONS.len())];
        let args: Vec<String> = (0..arity).map(|_| self.ground_term(depth - 1)).collect();
        format!("({name} {})", args.join(" "))
    }

    /// An argument: mostly a variable.
    fn argument(&mut self) -> String {
        match self.pick(12) {
            0..=7 => VARIABLES[self.pick(VARIABLES.len())].to_owned(),
            8 | 9 => self.constant(),
            10 => self.ground_term(2),
            _ => {
                let (name, arity) = FUNCTIONS[self.pick(FUNCTIONS.len())];
                let args: Vec<String> = (0..arity)
                    .map(|_| {
                        if self.one_in(4) {
                            self.constant()
                        } else {
                            VARIABLES[self.pick(VARIABLES.len())].to_owned()
                        }
                    })
                    .collect();
                format!("({name} {})", args.join(" "))
            }
        }
    }

    fn applied(&mut self, shape: &Shape, mut argument: impl FnMut(&mut Self) -> String) -> String {
        if shape.arity == 0 {
            return shape.name.clone();
        }
        let args: Vec<String> = (0..shape.arity).map(|_| argument(self)).collect();
        format!("({} {})", shape.name, args.join(" "))
    }

    fn facts(&mut self) {
        for role in self.roles.clone() {
            let _ = writeln!(self.out, "(role {role})");
        }
        for constant in self.constants.clone() {
            let _ = writeln!(self.out, "(con {constant})");
        }
        // What binds variables that nothing else binds: constants and functions.
        for constant in self.constants.clone().iter().take(4) {
            let _ = writeln!(self.out, "(dom {constant})");
        }
        for _ in 0..self.pick(3) {
            let term = self.ground_term(2);
            let _ = writeln!(self.out, "(dom {term})");
        }
        for shape in self.statics.clone() {
            for _ in 0..1 + self.pick(5) {
                let fact = self.applied(&shape, |this| this.ground_term(2));
                let _ = writeln!(self.out, "{fact}");
            }
            if self.one_in(3) {
                self.rule("", &shape, STATIC);
            }
        }
        for shape in self.fluents.clone() {
            for _ in 0..self.pick(4) {
                let fact = self.applied(&shape, |this| this.ground_term(2));
                let _ = writeln!(self.out, "(init {fact})");
            }
            if self.one_in(8) {
                self.rule("init", &shape, STATIC);
            }
        }
        if self.alternating {
            let _ = writeln!(self.out, "(init (turn {}))", self.roles[0]);
        }
    }

    fn view_rules(&mut self, view: usize) {
        let shape = self.views[view].clone();
        let is_static = self.one_in(6);
        // Two views that follow each other may define each other, so that they negate neither.
        let is_first = view.is_multiple_of(2);
        let views = if is_first { view } else { view - 1 };
        let recursive = if is_first { (view + 2).min(self.views.len()) } else { view + 1 };
        for _ in 0..1 + self.pick(2) {
            let scope = Scope { views, recursive, state: !is_static, moves: None, legal: false };
            self.rule("", &shape, scope);
        }
    }

    fn legal_rules(&mut self) {
        let scope = Scope {
            views: self.views.len(),
            recursive: self.views.len(),
            state: true,
            moves: None,
            legal: false,
        };
        for role in self.roles.clone() {
            let turn = if self.alternating { format!("(true (turn {role}))") } else { String::new() };
            for _ in 0..1 + self.pick(2) {
                let shape = self.any_of(|this| &this.moves);
                let mut one_move = self.applied(&shape, Self::argument);
                if self.one_in(10) {
                    one_move = "?a".to_owned();
                }
                let who = if self.one_in(6) && !self.alternating { "?r".to_owned() } else { role.to_owned() };
                let head = format!("(legal {who} {one_move})");
                let bound = if who == "?r" { "(role ?r)" } else { "" };
                let inside = if self.moves_are_terms { head.clone() } else { nested(&one_move) };
                let tests = format!("{turn} {bound}");
                self.rule_with(&head, &inside, &tests, scope);
            }
            match (self.alternating, self.pick(5)) {
                // Without this rule a role may have no move at all.
                (_, 0) => {}
                (true, _) => _ = writeln!(self.out, "(<= (legal {role} noop) (not (true (turn {role}))))"),
                (false, _) => _ = writeln!(self.out, "(legal {role} noop)"),
            }
            if self.alternating && !self.one_in(4) {
                let _ = writeln!(self.out, "(<= (legal {role} pass) (true (turn {role})))");
            }
        }
    }

    fn next_rules(&mut self) {
        let views = self.views.len();
        let scope =
            Scope { views, recursive: views, state: true, moves: Some(self.move_views.len()), legal: false };
        for _ in 0..2 + self.pick(5) {
            let shape = self.any_of(|this| &this.fluents);
            if self.moves_are_terms && shape.arity > 0 && self.one_in(2) {
                let role = self.role();
                let mut first = true;
                let fact = self.applied(&shape, |this| {
                    if std::mem::take(&mut first) { "?m".to_owned() } else { this.constant() }
                });
                let _ = writeln!(self.out, "(<= (next {fact}) (does {role} ?m))");
                continue;
            }
            self.rule("next", &shape, scope);
        }
        for _ in 0..self.pick(4) {
            // A fact that stays as it is, under some condition.
            let shape = self.any_of(|this| &this.fluents);
            let mut variables = VARIABLES.iter();
            let fact =
                self.applied(&shape, |_| variables.next().map_or_else(String::new, |v| (*v).to_owned()));
            let tests = format!("(true {fact})");
            self.rule_with(&format!("(next {fact})"), "", &tests, scope);
        }
        if self.one_in(8) {
            let (role, fact) = (self.roles[0], self.constant());
            let _ = writeln!(self.out, "(<= (next ?f) (true ?f) (does {role} ?m) (not (true {fact})))");
        }
        if self.alternating {
            for (number, role) in self.roles.clone().iter().enumerate() {
                let next = self.roles[(number + 1) % self.roles.len()];
                let _ = writeln!(self.out, "(<= (next (turn {next})) (true (turn {role})))");
            }
        }
    }

    fn ends(&mut self) {
        let views = self.views.len();
        let scope = Scope { views, recursive: views, state: true, moves: None, legal: true };
        let terminal = Shape { name: "terminal".to_owned(), arity: 0 };
        for _ in 0..1 + self.pick(2) {
            self.rule("", &terminal, scope);
        }
        for role in self.roles.clone() {
            match self.pick(5) {
                0 => _ = writeln!(self.out, "(goal {role} 50)"),
                1 => {
                    self.rule_with(&format!("(goal {role} 100)"), "", "", scope);
                    let _ = writeln!(self.out, "(<= (goal {role} 0) (not (goal {role} 100)))");
                }
                // Some states have several goals or none.
                2 => {
                    self.rule_with(&format!("(goal {role} 100)"), "", "", scope);
                    self.rule_with(&format!("(goal {role} 0)"), "", "", scope);
                }
                3 => {
                    self.rule_with("(goal ?r 70)", "", "(role ?r)", scope);
                    let _ = writeln!(self.out, "(goal {role} 30)");
                }
                _ => {}
            }
        }
        let _ = writeln!(self.out, "(<= (goal {} 10) terminal)", self.roles[0]);
    }

    fn sees_rules(&mut self) {
        let views = self.views.len();
        let scope =
            Scope { views, recursive: views, state: true, moves: Some(self.move_views.len()), legal: false };
        for _ in 0..1 + self.pick(3) {
            let role = self.role();
            if self.one_in(3) {
                let other = self.role();
                let _ = writeln!(self.out, "(<= (sees {role} (did {other} ?m)) (does {other} ?m))");
            } else {
                let percept = self.argument();
                self.rule_with(&format!("(sees {role} {percept})"), &nested(&percept), "", scope);
            }
        }
    }

    /// A rule for an atom of this shape, or, if there is a keyword, for the keyword applied to it.
    fn rule(&mut self, keyword: &str, shape: &Shape, scope: Scope) {
        let atom = self.applied(shape, Self::argument);
        let inside = nested(&atom);
        let head = if keyword.is_empty() { atom } else { format!("({keyword} {atom})") };
        self.rule_with(&head, &inside, "", scope);
    }

    /// A rule with this head and some conditions; the variables in `inside` are bound to constants.
    fn rule_with(&mut self, head: &str, inside: &str, given: &str, scope: Scope) {
        let mut positive = given.trim().to_owned();
        let mut others = String::new();
        for _ in 0..self.pick(3) + usize::from(given.trim().is_empty()) {
            let condition = self.atom(scope, true);
            let _ = write!(positive, " {condition}");
        }
        for _ in 0..self.pick(3) {
            let test = self.test(scope);
            let _ = write!(others, " {test}");
        }
        for variable in VARIABLES {
            if has_variable(inside, variable) {
                let _ = write!(positive, " (con {variable})");
            } else if !has_variable(&positive, variable)
                && (has_variable(head, variable) || has_variable(&others, variable))
            {
                let _ = write!(positive, " (dom {variable})");
            }
        }
        let body =
            if self.one_in(2) { format!("{positive}{others}") } else { format!("{others} {positive}") };
        let _ = match body.trim() {
            "" => writeln!(self.out, "{head}"),
            body => writeln!(self.out, "(<= {head} {body})"),
        };
    }

    /// A condition that binds nothing.
    fn test(&mut self, scope: Scope) -> String {
        match self.pick(8) {
            0 | 1 => format!("(distinct {} {})", self.argument(), self.argument()),
            2..=4 => format!("(not {})", self.atom(scope, false)),
            5 => {
                let (one, other) = (self.atom(scope, false), self.atom(scope, false));
                format!("(or {one} (not {other}))")
            }
            6 => {
                let (a, b, c) = (self.atom(scope, false), self.argument(), self.argument());
                format!("(or (and {a} (distinct {b} {c})) (distinct {c} {b}) {})", self.atom(scope, true))
            }
            _ => format!(
                "(not (or {} (distinct {} {})))",
                self.atom(scope, false),
                self.argument(),
                self.argument()
            ),
        }
    }

    /// An atom that the scope allows; recursive ones only where it is positive.
    fn atom(&mut self, scope: Scope, positive: bool) -> String {
        let views = if positive { scope.recursive } else { scope.views };
        loop {
            match self.pick(12) {
                0..=2 if scope.state => {
                    let shape = self.any_of(|this| &this.fluents);
                    let fact = self.applied(&shape, Self::argument);
                    return format!("(true {fact})");
                }
                3 | 4 => {
                    let shape = self.any_of(|this| &this.statics);
                    return self.applied(&shape, Self::argument);
                }
                5 => return format!("(dom {})", self.argument()),
                6 | 7 if views > 0 && (scope.state || !positive) => {
                    let shape = self.one_of(|this| &this.views, views);
                    return self.applied(&shape, Self::argument);
                }
                8 if scope.moves.is_some_and(|views| views > 0) => {
                    let shape = self.one_of(|this| &this.move_views, scope.moves.unwrap_or(1));
                    return self.applied(&shape, Self::argument);
                }
                8 | 9 if scope.moves.is_some() => {
                    let role = self.role();
                    let shape = self.any_of(|this| &this.moves);
                    let one_move =
                        if self.one_in(5) { "noop".to_owned() } else { self.applied(&shape, Self::argument) };
                    return format!("(does {role} {one_move})");
                }
                10 if scope.legal && self.one_in(3) => {
                    let role = self.role();
                    let shape = self.any_of(|this| &this.moves);
                    let one_move = self.applied(&shape, Self::argument);
                    return format!("(legal {role} {one_move})");
                }
                _ if !scope.state && !positive => return format!("(dom {})", self.argument()),
                _ => {}
            }
        }
    }
}

/// The arguments of a term that are functions, which is where its variables would make terms grow.
fn nested(term: &str) -> String {
    let mut depth = 0;
    let mut inside = String::new();
    for character in term.chars() {
        depth += i32::from(character == '(');
        if depth > 1 {
            inside.push(character);
        }
        depth -= i32::from(character == ')');
    }
    inside
}

fn has_variable(text: &str, variable: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || c == '(' || c == ')').any(|word| word == variable)
}
