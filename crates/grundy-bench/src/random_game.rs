//! Rule sheets out of a seed, as mean as a legal sheet can be.
//!
//! A few ground terms of different shapes, the *universe*, stand in all positions: in facts, moves and static predicates. So
//! positions are mixed, and conditions have matches. All sheets are safe, stratified and finite. Three rules see to the last:
//!
//! - A variable may stand for any term in an argument of a head, but inside a function of a head it is bound by a static
//!   predicate (`con` or `dom`).
//! - Variables for whole facts are not passed on to arguments.
//! - Variables for whole moves are passed on to arguments only in games in which the arguments of moves are constants.

use std::collections::BTreeSet;

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

/// Which conditions a body may have.
#[derive(Clone, Copy, Default)]
struct Scope {
    /// Static predicates below this number, positive and negated.
    statics: usize,
    /// Static predicates from there on and below this number, positive only: recursion.
    recursive_statics: usize,
    /// Views below this number, positive and negated.
    views: usize,
    /// Views from there on and below this number, positive only: recursion.
    recursive: usize,
    /// Facts of the state.
    state: bool,
    /// Moves, and views of moves below this number.
    moves: Option<usize>,
    legal: bool,
    terminal: bool,
    goal: bool,
}

/// Conditions, and the variables that they bind.
#[derive(Default)]
struct Body {
    conditions: Vec<String>,
    bound: BTreeSet<&'static str>,
}

struct Generator<'a> {
    choose: &'a mut dyn FnMut(usize) -> usize,
    statements: Vec<String>,
    constants: Vec<String>,
    functions: Vec<(&'static str, usize)>,
    /// Ground terms that stand everywhere.
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
    /// Whether roles always have a choice, and moves leave traces that stay: games that go on for a while.
    lively: bool,
    /// Whether `legal` may ask for `terminal`, rather than the other way round.
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

    /// True in one of so many cases.
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

    fn vocabulary(&mut self) {
        let roles = [1, 2, 2, 2, 3, 4][self.pick(6)];
        self.roles = ROLES[..roles].to_vec();
        if roles > 1 && self.one_in(3) {
            self.roles[roles - 1] = "random";
        }
        if self.one_in(12) {
            self.roles[0] = "(p 1)";
        }
        self.alternating = roles > 1 && self.one_in(3);
        let is_large = self.one_in(10);
        let names = ["a", "b", "1", "2", "c", "0", "g", "f0"];
        let size = if is_large { 20 + self.pick(25) } else { 2 + self.pick(4) };
        self.constants = (0..size)
            .map(|i| names.get(i).map_or_else(|| format!("x{i}"), |name| (*name).to_owned()))
            .collect();
        if self.one_in(3) {
            self.constants.extend(self.roles.iter().map(|role| (*role).to_owned()));
        }
        self.variables = if is_large { 2 } else { 3 + self.pick(3) };
        let count = 1 + self.pick(3);
        self.functions = (0..count).map(|_| FUNCTIONS[self.pick(FUNCTIONS.len())]).collect();
        let count = self.pick(3);
        self.universe = self.constants.iter().take(2 + count).cloned().collect();
        for _ in 0..1 + self.pick(4) {
            let depth = [1, 1, 1, 2, 2, 3][self.pick(6)];
            let term = self.function(depth, Self::a_constant);
            self.universe.push(term);
        }
        let most = if is_large { 2 } else { 3 };
        let count = 1 + self.pick(4);
        self.fluents = self.shapes("f", count, 0, most);
        let count = 1 + self.pick(2);
        self.statics = self.shapes("s", count, 1, most);
        let count = self.pick(4);
        self.views = self.shapes("v", count, 0, most);
        let count = self.pick(3);
        self.move_views = self.shapes("w", count, 0, most);
        let count = 1 + self.pick(3);
        self.moves = self.shapes("m", count, 0, 2);
        self.moves_are_terms = self.one_in(5);
        self.lively = self.one_in(2);
        self.terminal_first = self.one_in(3);
        self.counted = self.one_in(2);
    }

    /// So many predicates; some have the name of the one before, with another number of arguments.
    fn shapes(&mut self, prefix: &str, count: usize, least: usize, most: usize) -> Vec<Shape> {
        let mut shapes: Vec<Shape> = Vec::new();
        for number in 0..count {
            let arity = least + self.pick(most + 1 - least).min(self.pick(most + 2 - least));
            let name = match shapes.last() {
                Some(last) if last.arity != arity && self.one_in(4) => last.name.clone(),
                _ => format!("{prefix}{number}"),
            };
            if !shapes.iter().any(|shape| shape.name == name && shape.arity == arity) {
                shapes.push(Shape { name, arity });
            }
        }
        shapes
    }

    fn a_constant(&mut self) -> String {
        let constants = self.constants.len();
        let number = self.pick(constants).min(self.pick(constants));
        self.constants[number].clone()
    }

    fn variable(&mut self) -> String {
        let is_role = self.constants.iter().any(|name| name == self.roles[0]) && self.one_in(8);
        if is_role { ROLE.to_owned() } else { VARIABLES[self.pick(self.variables)].to_owned() }
    }

    /// A function with functions inside, and with this at the bottom.
    fn function(&mut self, depth: usize, bottom: fn(&mut Self) -> String) -> String {
        let (name, arity) = FUNCTIONS[0];
        let (name, arity) =
            if self.functions.is_empty() { (name, arity) } else { self.any(&self.functions.clone()) };
        let args: Vec<String> = (0..arity)
            .map(
                |_| if depth > 1 && self.one_in(2) { self.function(depth - 1, bottom) } else { bottom(self) },
            )
            .collect();
        format!("({name} {})", args.join(" "))
    }

    /// A term without variables.
    fn ground_term(&mut self) -> String {
        match self.pick(8) {
            0..=5 => self.any(&self.universe.clone()),
            6 => self.a_constant(),
            _ => self.function(2, Self::a_constant),
        }
    }

    /// An argument: mostly a variable.
    fn argument(&mut self) -> String {
        match self.pick(12) {
            0..=7 => self.variable(),
            8 => self.any(&self.universe.clone()),
            9 => self.a_constant(),
            _ => {
                let depth = 1 + usize::from(self.one_in(4));
                self.function(depth, |this| if this.one_in(4) { this.a_constant() } else { this.variable() })
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

    fn fact(&mut self, fact: &str) {
        let statement = if self.one_in(10) { format!("(<= {fact})") } else { fact.to_owned() };
        self.statements.push(statement);
    }

    fn static_facts(&mut self) {
        for constant in self.constants.clone() {
            self.fact(&format!("(con {constant})"));
        }
        // What binds variables that nothing else binds.
        for term in self.universe.clone() {
            self.fact(&format!("(dom {term})"));
        }
        for number in 0..self.statics.len() {
            let shape = self.statics[number].clone();
            for _ in 0..1 + self.pick(5) {
                let fact = self.applied(&shape, Self::ground_term);
                self.fact(&fact);
            }
            for _ in 0..self.pick(3) {
                let scope = Scope { statics: number, recursive_statics: number + 1, ..Scope::default() };
                self.rule("", &shape, scope);
            }
        }
        if self.counted {
            let steps = 3 + self.pick(7);
            (0..steps).for_each(|step| self.statements.push(format!("(after {step} {})", step + 1)));
            self.statements.push("(init (step 0))".to_owned());
            self.statements.push("(<= (next (step ?b)) (true (step ?a)) (after ?a ?b))".to_owned());
            self.statements.push(format!("(<= terminal (true (step {steps})))"));
        }
    }

    fn initial_state(&mut self) {
        if self.alternating {
            self.statements.push(format!("(init (turn {}))", self.roles[0]));
        }
        if self.one_in(16) {
            return;
        }
        let scope =
            Scope { statics: self.statics.len(), recursive_statics: self.statics.len(), ..Scope::default() };
        for shape in self.fluents.clone() {
            for _ in 0..self.pick(5) {
                let fact = self.applied(&shape, Self::ground_term);
                self.fact(&format!("(init {fact})"));
            }
            if self.one_in(6) {
                self.rule("init", &shape, scope);
            }
        }
        if self.one_in(12) {
            let term = self.ground_term();
            self.fact(&format!("(init {term})"));
        }
    }

    /// All conditions about a state.
    fn of_state(&self) -> Scope {
        Scope {
            statics: self.statics.len(),
            recursive_statics: self.statics.len(),
            views: self.views.len(),
            recursive: self.views.len(),
            state: true,
            ..Scope::default()
        }
    }

    /// All conditions about a move.
    fn of_moves(&self) -> Scope {
        let moves = Some(self.move_views.len());
        Scope { moves, legal: true, terminal: true, goal: true, ..self.of_state() }
    }

    fn view_rules(&mut self, view: usize) {
        let shape = self.views[view].clone();
        let is_static = self.one_in(6);
        // Two views that follow each other may define each other, so that they negate neither.
        let is_first = view.is_multiple_of(2);
        let views = if is_first { view } else { view - 1 };
        let recursive = if is_first { (view + 2).min(self.views.len()) } else { view + 1 };
        for _ in 0..1 + self.pick(3) {
            let scope = Scope { views, recursive, state: !is_static, ..self.of_state() };
            self.rule("", &shape, scope);
        }
    }

    fn move_view_rules(&mut self) {
        for number in 0..self.move_views.len() {
            let shape = self.move_views[number].clone();
            for _ in 0..1 + self.pick(2) {
                let scope = Scope { moves: Some(number), ..self.of_state() };
                self.rule("", &shape, scope);
            }
        }
    }

    fn legal_rules(&mut self) {
        let scope = Scope { terminal: self.terminal_first, ..self.of_state() };
        for role in self.roles.clone() {
            if self.lively || self.one_in(2) {
                self.free_choice(role);
            }
            for _ in 0..1 + self.pick(2) {
                let shape = self.any(&self.moves.clone());
                let mut one_move = self.applied(&shape, Self::argument);
                if self.one_in(10) {
                    one_move = VARIABLES[0].to_owned();
                }
                let mut body = Body::default();
                let is_for_all = !self.alternating && self.one_in(6);
                if self.alternating {
                    body.add(format!("(true (turn {role}))"));
                } else if is_for_all {
                    let binder = self.role_binder();
                    body.add(binder);
                }
                let who = if is_for_all { ROLE } else { role };
                let head = format!("(legal {who} {one_move})");
                let inside = if self.moves_are_terms { one_move } else { nested(&one_move) };
                self.finish_rule(&head, &inside, body, scope);
            }
            let cases = if self.lively { 6 } else { 3 };
            match (self.alternating, self.pick(cases)) {
                (true, _) => {
                    self.statements.push(format!("(<= (legal {role} noop) (not (true (turn {role}))))"));
                }
                // Without this, a role may have no legal move.
                (false, 0) => {}
                (false, _) => self.fact(&format!("(legal {role} noop)")),
            }
            if self.alternating && !self.one_in(5) {
                self.statements.push(format!("(<= (legal {role} pass) (true (turn {role})))"));
            }
        }
    }

    /// Moves with any arguments, whatever the state.
    fn free_choice(&mut self, role: &str) {
        let shape = self.any(&self.moves.clone());
        let binder = if self.moves_are_terms { "con" } else { "dom" };
        let mut variables = VARIABLES.iter();
        let one_move =
            self.applied(&shape, |_| (*variables.next().expect("there are enough of them")).to_owned());
        let arguments = VARIABLES[..shape.arity].iter().map(|variable| format!("({binder} {variable})"));
        let mut conditions: Vec<String> = arguments.collect();
        if self.alternating {
            conditions.push(format!("(true (turn {role}))"));
        }
        if self.lively && self.one_in(2) {
            // What a move did cannot be done again.
            let fluent = self.any(&self.fluents.clone());
            let mut bound = VARIABLES[..shape.arity].iter();
            let fact = self.applied(&fluent, |this| match bound.next() {
                Some(variable) => (*variable).to_owned(),
                None => this.ground_term(),
            });
            conditions.push(format!("(not (true {fact}))"));
        }
        match conditions.is_empty() {
            true => self.fact(&format!("(legal {role} {one_move})")),
            false => {
                self.statements.push(format!("(<= (legal {role} {one_move}) {})", conditions.join(" ")));
            }
        }
    }

    /// What binds a variable for roles: it may stand for something that is no role.
    fn role_binder(&mut self) -> String {
        if self.one_in(4) { format!("(dom {ROLE})") } else { format!("(role {ROLE})") }
    }

    fn next_rules(&mut self) {
        let scope = self.of_moves();
        for _ in 0..2 + self.pick(4) {
            let shape = self.any(&self.fluents.clone());
            match self.pick(6) {
                0 if self.moves_are_terms && shape.arity > 0 => self.next_from_whole_move(&shape),
                0 | 1 => self.effect(&shape),
                _ => self.rule("next", &shape, scope),
            }
        }
        for _ in 0..1 + self.pick(4) {
            self.frame(scope);
        }
        if self.lively {
            self.trace();
        }
        if self.one_in(8) {
            let tests = [
                format!("(does {} {WHOLE})", self.roles[0]),
                format!("(not (true {}))", self.any(&self.universe.clone())),
                "(distinct ?f step)".to_owned(),
            ];
            let test = self.any(&tests);
            self.statements.push(format!("(<= (next ?f) (true ?f) {test})"));
        }
        if self.one_in(12) {
            // Terms of the universe become facts.
            let mut body = Body::default();
            body.add("(dom ?a)".to_owned());
            self.finish_rule("(next ?a)", "", body, scope);
        }
        if self.alternating {
            for (number, role) in self.roles.clone().iter().enumerate() {
                let next = self.roles[(number + 1) % self.roles.len()];
                self.statements.push(format!("(<= (next (turn {next})) (true (turn {role})))"));
            }
        }
    }

    /// A whole move becomes an argument.
    fn next_from_whole_move(&mut self, shape: &Shape) {
        let role = self.a_role();
        let mut is_first = true;
        let fact = self.applied(shape, |this| {
            if std::mem::take(&mut is_first) { WHOLE.to_owned() } else { this.a_constant() }
        });
        self.statements.push(format!("(<= (next {fact}) (does {role} {WHOLE}))"));
    }

    /// The arguments of a move become those of a fact.
    fn effect(&mut self, shape: &Shape) {
        let one_move = self.any(&self.moves.clone());
        let role = self.a_role();
        let mut body = Body::default();
        let pattern = self.applied(&one_move, |this| this.variable());
        body.add(format!("(does {role} {pattern})"));
        let fact =
            self.applied(shape, |this| if this.one_in(5) { this.ground_term() } else { this.variable() });
        let scope = self.of_moves();
        if self.one_in(2) {
            self.finish_rule(&format!("(next {fact})"), "", body, scope);
        } else {
            self.close(&format!("(next {fact})"), "", body);
        }
    }

    /// The arguments of a move become those of a fact, which stays until another move takes it away.
    fn trace(&mut self) {
        let shape = self.any(&self.fluents.clone());
        self.effect(&shape);
        let mut variables = VARIABLES.iter();
        let fact =
            self.applied(&shape, |_| (*variables.next().expect("there are enough of them")).to_owned());
        let mut conditions = vec![format!("(true {fact})")];
        if self.one_in(2) {
            let one_move = self.any(&self.moves.clone());
            let mut variables = VARIABLES[..shape.arity].iter().cycle();
            let one_move = self.applied(&one_move, |this| match variables.next() {
                Some(variable) => (*variable).to_owned(),
                None => this.ground_term(),
            });
            let role = self.a_role();
            conditions.push(format!("(not (does {role} {one_move}))"));
        }
        self.statements.push(format!("(<= (next {fact}) {})", conditions.join(" ")));
    }

    /// A fact that stays as it is, under some condition.
    fn frame(&mut self, scope: Scope) {
        let shape = self.any(&self.fluents.clone());
        let mut variables = VARIABLES.iter();
        let fact = self.applied(&shape, |this| match this.pick(8) {
            0 => this.argument(),
            _ => (*variables.next().expect("there are as many variables as arguments")).to_owned(),
        });
        let mut body = Body::default();
        body.add(format!("(true {fact})"));
        let head = format!("(next {fact})");
        // What is taken apart and put together again does not grow.
        if self.one_in(2) {
            self.finish_rule(&head, "", body, scope);
        } else {
            self.close(&head, "", body);
        }
    }

    fn terminal_rules(&mut self) {
        let scope = Scope { legal: !self.terminal_first, ..self.of_state() };
        // Games that end at once are tame.
        let count = if self.counted { self.pick(2) } else { 1 + self.pick(2) };
        for _ in 0..count {
            let mut body = Body::default();
            let condition = self.ground_fact();
            body.add(format!("(true {condition})"));
            if !self.one_in(3) {
                let shape = self.any(&self.fluents.clone());
                let fact = self.applied(&shape, Self::argument);
                body.add(format!("(true {fact})"));
            }
            self.finish_rule("terminal", "", body, scope);
        }
    }

    fn ground_fact(&mut self) -> String {
        let shape = self.any(&self.fluents.clone());
        self.applied(&shape, Self::ground_term)
    }

    fn goal_rules(&mut self) {
        let scope = Scope { legal: true, terminal: true, ..self.of_state() };
        for role in self.roles.clone() {
            let value = self.any(&GOALS);
            match self.pick(7) {
                0 => self.fact(&format!("(goal {role} {value})")),
                1 => {
                    self.finish_rule(&format!("(goal {role} 100)"), "", Body::default(), scope);
                    self.statements.push(format!("(<= (goal {role} 0) (not (goal {role} 100)))"));
                }
                // Some states have several goals or none.
                2 | 3 => {
                    self.finish_rule(&format!("(goal {role} {value})"), "", Body::default(), scope);
                    self.finish_rule(&format!("(goal {role} 0)"), "", Body::default(), scope);
                }
                4 => {
                    let mut body = Body::default();
                    let binder = self.role_binder();
                    body.add(binder);
                    self.finish_rule(&format!("(goal {ROLE} {value})"), "", body, scope);
                    self.statements.push(format!("(<= (goal {role} 30) terminal)"));
                }
                5 => {
                    let mut body = Body::default();
                    let shape = self.any(&self.fluents.clone());
                    let fact = self.applied(&shape, |this| this.variable());
                    body.add(format!("(true {fact})"));
                    self.finish_rule(&format!("(goal {role} ?a)"), "", body, scope);
                }
                _ => {}
            }
        }
        self.statements.push(format!("(<= (goal {} 10) terminal)", self.roles[0]));
    }

    fn sees_rules(&mut self) {
        let scope = self.of_moves();
        for _ in 0..1 + self.pick(3) {
            let role = self.a_role();
            if self.one_in(5) {
                let mut body = Body::default();
                let binder = self.role_binder();
                body.add(binder);
                let percept = self.variable();
                self.finish_rule(&format!("(sees {ROLE} {percept})"), "", body, scope);
            } else if self.one_in(3) {
                let other = self.a_role();
                self.statements
                    .push(format!("(<= (sees {role} (did {other} {WHOLE})) (does {other} {WHOLE}))"));
            } else {
                let percept = self.argument();
                self.finish_rule(
                    &format!("(sees {role} {percept})"),
                    &nested(&percept),
                    Body::default(),
                    scope,
                );
            }
        }
    }

    /// Authors give `base` and `input`, and often get them wrong.
    fn given_base_and_input(&mut self) {
        for _ in 0..1 + self.pick(3) {
            let fact = self.ground_fact();
            self.fact(&format!("(base {fact})"));
            let (role, shape) = (self.a_role(), self.any(&self.moves.clone()));
            let one_move = self.applied(&shape, Self::ground_term);
            self.fact(&format!("(input {role} {one_move})"));
        }
        let shape = self.any(&self.fluents.clone());
        let mut variables = VARIABLES.iter().cycle();
        let fact = self.applied(&shape, |_| (*variables.next().expect("they are repeated")).to_owned());
        self.close(&format!("(base {fact})"), "", Body::default());
    }

    /// Rules that are there twice, perhaps with other variables.
    fn repeat_rules(&mut self) {
        for _ in 0..self.pick(2) {
            let rule = self.any(&self.statements.clone());
            let renamed = if self.one_in(2) { rule.replace('?', "?x") } else { rule };
            self.statements.push(renamed);
        }
    }

    fn a_role(&mut self) -> &'static str {
        self.any(&self.roles.clone())
    }

    /// A rule for an atom of this shape, or, if there is a keyword, for the keyword applied to it.
    fn rule(&mut self, keyword: &str, shape: &Shape, scope: Scope) {
        let atom = self.applied(shape, Self::argument);
        let inside = nested(&atom);
        let head = if keyword.is_empty() { atom } else { format!("({keyword} {atom})") };
        self.finish_rule(&head, &inside, Body::default(), scope);
    }

    /// A rule with this head and some conditions; the variables in `inside` are bound by a static predicate.
    fn finish_rule(&mut self, head: &str, inside: &str, mut body: Body, scope: Scope) {
        // Simple rules have matches, so that something happens; long ones are rare in real sheets, too.
        let (positive, tests) = match self.pick(10) {
            0..=4 => (1, 0),
            5..=8 => (self.pick(3), 1 + self.pick(2)),
            _ => (3 + self.pick(4), self.pick(5)),
        };
        for _ in 0..positive + usize::from(body.conditions.is_empty()) {
            if self.one_in(10) {
                self.binding_or(&mut body, scope);
            } else {
                let condition = self.atom(scope, true);
                body.add(condition);
            }
        }
        for _ in 0..tests {
            let test = self.test(scope, 2);
            body.conditions.push(test);
        }
        self.close(head, inside, body);
    }

    /// Binds what is not bound yet, and writes the rule down.
    fn close(&mut self, head: &str, inside: &str, mut body: Body) {
        let whole = format!("{head} {}", body.conditions.join(" "));
        for variable in VARIABLES {
            if has_variable(inside, variable) {
                let binder = if self.one_in(2) && !self.moves_are_terms { "dom" } else { "con" };
                body.conditions.push(format!("({binder} {variable})"));
            } else if !body.bound.contains(variable) && has_variable(&whole, variable) {
                body.conditions.push(format!("(dom {variable})"));
            }
        }
        if has_variable(&whole, ROLE) && (has_variable(inside, ROLE) || !body.bound.contains(ROLE)) {
            body.conditions.push(format!("(role {ROLE})"));
        }
        // The order of conditions means nothing.
        for number in (1..body.conditions.len()).rev() {
            let other = self.pick(number + 1);
            body.conditions.swap(number, other);
        }
        match body.conditions.is_empty() {
            true => self.fact(head),
            false => self.statements.push(format!("(<= {head} {})", body.conditions.join(" "))),
        }
    }

    /// A disjunction each part of which binds the same variable.
    fn binding_or(&mut self, body: &mut Body, scope: Scope) {
        let variable = VARIABLES[self.pick(self.variables)];
        let mut parts = Vec::new();
        for _ in 0..2 + self.pick(2) {
            let mut part = self.atom(scope, true);
            if !has_variable(&part, variable) {
                let other = VARIABLES.into_iter().find(|other| has_variable(&part, other));
                part = match other {
                    Some(other) => with_variable(&part, other, variable),
                    None => format!("(and {part} (dom {variable}))"),
                };
            }
            parts.push(part);
        }
        body.conditions.push(format!("(or {})", parts.join(" ")));
        body.bound.insert(variable);
    }

    /// A condition that binds nothing.
    fn test(&mut self, scope: Scope, depth: usize) -> String {
        match self.pick(if depth == 0 { 6 } else { 10 }) {
            0 | 1 => format!("(distinct {} {})", self.argument(), self.argument()),
            2 | 3 => format!("(not {})", self.atom(scope, false)),
            4 => format!("(not (distinct {} {}))", self.argument(), self.argument()),
            5 => self.atom(scope, false),
            6 => {
                let parts: Vec<String> = (0..1 + self.pick(3)).map(|_| self.test(scope, depth - 1)).collect();
                format!("(or {})", parts.join(" "))
            }
            7 => format!(
                "(or (and {} {}) {})",
                self.test(scope, depth - 1),
                self.test(scope, 0),
                self.test(scope, 0)
            ),
            8 => format!("(not (or {} {}))", self.negatable(scope), self.negatable(scope)),
            _ => format!("(not (and {} {}))", self.negatable(scope), self.negatable(scope)),
        }
    }

    /// What may stand inside of `not`.
    fn negatable(&mut self, scope: Scope) -> String {
        match self.pick(4) {
            0 => format!("(distinct {} {})", self.argument(), self.argument()),
            1 => format!("(not {})", self.atom(scope, false)),
            _ => self.atom(scope, false),
        }
    }

    /// The role of a condition: a name, or a variable.
    fn role_or_variable(&mut self) -> &'static str {
        if self.one_in(4) { ROLE } else { self.a_role() }
    }

    /// An atom that the scope allows; recursive ones only where it is positive.
    fn atom(&mut self, scope: Scope, positive: bool) -> String {
        let views = if positive { scope.recursive } else { scope.views };
        let statics = if positive { scope.recursive_statics } else { scope.statics };
        loop {
            match self.pick(20) {
                0..=5 if scope.state => {
                    if self.one_in(30) {
                        return format!("(true {})", self.ground_term());
                    }
                    let shape = self.any(&self.fluents.clone());
                    return format!("(true {})", self.applied(&shape, Self::argument));
                }
                6..=8 if statics > 0 => {
                    let known = self.statics[..statics].to_vec();
                    let shape = self.any(&known);
                    return self.applied(&shape, Self::argument);
                }
                9 => return format!("(dom {})", self.argument()),
                10..=12 if views > 0 && (scope.state || !positive) => {
                    let known = self.views[..views].to_vec();
                    let shape = self.any(&known);
                    return self.applied(&shape, Self::argument);
                }
                13 if scope.moves.is_some_and(|views| views > 0) => {
                    let known = self.move_views[..scope.moves.unwrap_or(1)].to_vec();
                    let shape = self.any(&known);
                    return self.applied(&shape, Self::argument);
                }
                13..=16 if scope.moves.is_some() => {
                    let shape = self.any(&self.moves.clone());
                    let one_move = match self.pick(6) {
                        0 => "noop".to_owned(),
                        _ => self.applied(&shape, Self::argument),
                    };
                    return format!("(does {} {one_move})", self.role_or_variable());
                }
                17 if scope.legal && self.one_in(2) => {
                    let shape = self.any(&self.moves.clone());
                    let one_move = self.applied(&shape, Self::argument);
                    return format!("(legal {} {one_move})", self.role_or_variable());
                }
                18 if scope.goal && self.one_in(3) => {
                    let value = self.any(&["100", "0", "?a"]);
                    return format!("(goal {} {value})", self.a_role());
                }
                18 if scope.terminal && !positive && self.one_in(2) => return "terminal".to_owned(),
                // Nothing defines this one.
                19 if !positive && self.one_in(6) => return format!("(nothing {})", self.argument()),
                _ => {}
            }
        }
    }

    /// The sheet. Rules stand in any order; keywords may be in upper case, and lone names in parentheses.
    fn print(mut self) -> String {
        let mut statements = std::mem::take(&mut self.statements);
        if self.one_in(2) {
            for number in (self.roles.len() + 1..statements.len()).rev() {
                let other = self.roles.len() + self.pick(number + 1 - self.roles.len());
                statements.swap(number, other);
            }
        }
        let mut text = statements.join("\n") + "\n";
        if self.one_in(8) {
            text = self.in_upper_case(&text);
        }
        if self.one_in(8) {
            text = text.replace(" terminal)", " (terminal))").replace("(<= terminal ", "(<= (terminal) ");
            text = text.replace(" noop)", " (noop))").replace(" b)", " (b))");
        }
        text
    }

    fn in_upper_case(&mut self, text: &str) -> String {
        const KEYWORDS: [&str; 11] =
            ["role", "init", "true", "next", "legal", "does", "not", "or", "distinct", "goal", "terminal"];
        let keyword = self.any(&KEYWORDS);
        let is_all = self.one_in(2);
        let words = text.split_inclusive(|c: char| c.is_whitespace() || c == '(' || c == ')');
        words
            .map(|word| {
                let name = word.trim_end_matches(|c: char| c.is_whitespace() || c == '(' || c == ')');
                let is_keyword = name == keyword || (is_all && KEYWORDS.contains(&name));
                if is_keyword { word.to_uppercase() } else { word.to_owned() }
            })
            .collect()
    }
}

impl Body {
    /// Adds a condition that binds its variables.
    fn add(&mut self, condition: String) {
        let variables = VARIABLES.into_iter().chain([ROLE, WHOLE]);
        self.bound.extend(variables.filter(|variable| has_variable(&condition, variable)));
        self.conditions.push(condition);
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

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|c: char| c.is_whitespace() || c == '(' || c == ')')
}

fn has_variable(text: &str, variable: &str) -> bool {
    words(text).any(|word| word.trim_end_matches([' ', '(', ')', '\n']) == variable)
}

/// The text with one variable in the place of another one.
fn with_variable(text: &str, old: &str, new: &str) -> String {
    let renamed = words(text).map(|word| match word.strip_prefix(old) {
        Some(rest) if rest.trim_start_matches([' ', '(', ')']).is_empty() => format!("{new}{rest}"),
        _ => word.to_owned(),
    });
    renamed.collect()
}

#[cfg(test)]
mod tests {
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
