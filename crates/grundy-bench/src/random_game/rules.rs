//! The sections of a game: static facts, the initial state, and the rules for each keyword.

use super::bodies::{Body, Scope, nested};
use super::{GOALS, Generator, ROLE, Shape, VARIABLES, WHOLE};

impl Generator<'_> {
    pub(super) fn static_facts(&mut self) {
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

    pub(super) fn initial_state(&mut self) {
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
    pub(super) fn of_state(&self) -> Scope {
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
    pub(super) fn of_moves(&self) -> Scope {
        let moves = Some(self.move_views.len());
        Scope { moves, legal: true, terminal: true, goal: true, ..self.of_state() }
    }

    pub(super) fn view_rules(&mut self, view: usize) {
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

    pub(super) fn move_view_rules(&mut self) {
        for number in 0..self.move_views.len() {
            let shape = self.move_views[number].clone();
            for _ in 0..1 + self.pick(2) {
                let scope = Scope { moves: Some(number), ..self.of_state() };
                self.rule("", &shape, scope);
            }
        }
    }

    pub(super) fn legal_rules(&mut self) {
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
    pub(super) fn free_choice(&mut self, role: &str) {
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
    pub(super) fn role_binder(&mut self) -> String {
        if self.one_in(4) { format!("(dom {ROLE})") } else { format!("(role {ROLE})") }
    }

    pub(super) fn next_rules(&mut self) {
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
    pub(super) fn next_from_whole_move(&mut self, shape: &Shape) {
        let role = self.a_role();
        let mut is_first = true;
        let fact = self.applied(shape, |this| {
            if std::mem::take(&mut is_first) { WHOLE.to_owned() } else { this.a_constant() }
        });
        self.statements.push(format!("(<= (next {fact}) (does {role} {WHOLE}))"));
    }

    /// The arguments of a move become those of a fact.
    pub(super) fn effect(&mut self, shape: &Shape) {
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
    pub(super) fn trace(&mut self) {
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
    pub(super) fn frame(&mut self, scope: Scope) {
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

    pub(super) fn terminal_rules(&mut self) {
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

    pub(super) fn ground_fact(&mut self) -> String {
        let shape = self.any(&self.fluents.clone());
        self.applied(&shape, Self::ground_term)
    }

    pub(super) fn goal_rules(&mut self) {
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

    pub(super) fn sees_rules(&mut self) {
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
    pub(super) fn given_base_and_input(&mut self) {
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

    /// Repeated rules, some with renamed variables.
    pub(super) fn repeat_rules(&mut self) {
        for _ in 0..self.pick(2) {
            let rule = self.any(&self.statements.clone());
            let renamed = if self.one_in(2) { rule.replace('?', "?x") } else { rule };
            self.statements.push(renamed);
        }
    }

    pub(super) fn a_role(&mut self) -> &'static str {
        self.any(&self.roles.clone())
    }
}
