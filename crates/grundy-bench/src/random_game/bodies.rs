//! Rule bodies: conditions within a scope, and the variables that they bind.

use super::{Generator, ROLE, Shape, VARIABLES, WHOLE};
use std::collections::BTreeSet;

/// Which conditions a body may have.
#[derive(Clone, Copy, Default)]
pub(super) struct Scope {
    /// Static predicates below this number, positive and negated.
    pub(super) statics: usize,
    /// Static predicates from there on and below this number, positive only: recursion.
    pub(super) recursive_statics: usize,
    /// Views below this number, positive and negated.
    pub(super) views: usize,
    /// Views from there on and below this number, positive only: recursion.
    pub(super) recursive: usize,
    /// Facts of the state.
    pub(super) state: bool,
    /// Moves, and views of moves below this number.
    pub(super) moves: Option<usize>,
    pub(super) legal: bool,
    pub(super) terminal: bool,
    pub(super) goal: bool,
}

/// Conditions, and the variables that they bind.
#[derive(Default)]
pub(super) struct Body {
    pub(super) conditions: Vec<String>,
    pub(super) bound: BTreeSet<&'static str>,
}

impl Generator<'_> {
    /// A rule for an atom of this shape, or, if there is a keyword, for the keyword applied to it.
    pub(super) fn rule(&mut self, keyword: &str, shape: &Shape, scope: Scope) {
        let atom = self.applied(shape, Self::argument);
        let inside = nested(&atom);
        let head = if keyword.is_empty() { atom } else { format!("({keyword} {atom})") };
        self.finish_rule(&head, &inside, Body::default(), scope);
    }

    /// A rule with this head and some conditions; the variables in `inside` are bound by a static predicate.
    pub(super) fn finish_rule(&mut self, head: &str, inside: &str, mut body: Body, scope: Scope) {
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

    /// Binds unbound variables and adds the rule.
    pub(super) fn close(&mut self, head: &str, inside: &str, mut body: Body) {
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
    pub(super) fn binding_or(&mut self, body: &mut Body, scope: Scope) {
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
    pub(super) fn test(&mut self, scope: Scope, depth: usize) -> String {
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
    pub(super) fn negatable(&mut self, scope: Scope) -> String {
        match self.pick(4) {
            0 => format!("(distinct {} {})", self.argument(), self.argument()),
            1 => format!("(not {})", self.atom(scope, false)),
            _ => self.atom(scope, false),
        }
    }

    /// The role of a condition: a name, or a variable.
    pub(super) fn role_or_variable(&mut self) -> &'static str {
        if self.one_in(4) { ROLE } else { self.a_role() }
    }

    /// An atom that the scope allows; recursive ones only where it is positive.
    pub(super) fn atom(&mut self, scope: Scope, positive: bool) -> String {
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
}

impl Body {
    /// Adds a condition that binds its variables.
    pub(super) fn add(&mut self, condition: String) {
        let variables = VARIABLES.into_iter().chain([ROLE, WHOLE]);
        self.bound.extend(variables.filter(|variable| has_variable(&condition, variable)));
        self.conditions.push(condition);
    }
}

/// The arguments of a term that are functions, which is where its variables would make terms grow.
pub(super) fn nested(term: &str) -> String {
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

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|c: char| c.is_whitespace() || c == '(' || c == ')')
}

pub(super) fn has_variable(text: &str, variable: &str) -> bool {
    words(text).any(|word| word.trim_end_matches([' ', '(', ')', '\n']) == variable)
}

/// The text with one variable in the place of another one.
pub(super) fn with_variable(text: &str, old: &str, new: &str) -> String {
    let renamed = words(text).map(|word| match word.strip_prefix(old) {
        Some(rest) if rest.trim_start_matches([' ', '(', ')']).is_empty() => format!("{new}{rest}"),
        _ => word.to_owned(),
    });
    renamed.collect()
}
