//! The vocabulary of a game, and terms and atoms over it.

use super::{FUNCTIONS, Generator, ROLE, ROLES, Shape, VARIABLES};

impl Generator<'_> {
    pub(super) fn vocabulary(&mut self) {
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
    pub(super) fn shapes(&mut self, prefix: &str, count: usize, least: usize, most: usize) -> Vec<Shape> {
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

    pub(super) fn a_constant(&mut self) -> String {
        let constants = self.constants.len();
        let number = self.pick(constants).min(self.pick(constants));
        self.constants[number].clone()
    }

    pub(super) fn variable(&mut self) -> String {
        let is_role = self.constants.iter().any(|name| name == self.roles[0]) && self.one_in(8);
        if is_role { ROLE.to_owned() } else { VARIABLES[self.pick(self.variables)].to_owned() }
    }

    /// A function with functions inside, and with this at the bottom.
    pub(super) fn function(&mut self, depth: usize, bottom: fn(&mut Self) -> String) -> String {
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
    pub(super) fn ground_term(&mut self) -> String {
        match self.pick(8) {
            0..=5 => self.any(&self.universe.clone()),
            6 => self.a_constant(),
            _ => self.function(2, Self::a_constant),
        }
    }

    /// An argument: mostly a variable.
    pub(super) fn argument(&mut self) -> String {
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

    pub(super) fn applied(&mut self, shape: &Shape, mut argument: impl FnMut(&mut Self) -> String) -> String {
        if shape.arity == 0 {
            return shape.name.clone();
        }
        let args: Vec<String> = (0..shape.arity).map(|_| argument(self)).collect();
        format!("({} {})", shape.name, args.join(" "))
    }

    pub(super) fn fact(&mut self, fact: &str) {
        let statement = if self.one_in(10) { format!("(<= {fact})") } else { fact.to_owned() };
        self.statements.push(statement);
    }
}
