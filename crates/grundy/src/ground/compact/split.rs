//! Splitting rules along their variables.
//!
//! Take a rule and a variable `v` that its head does not have. The conditions that speak of `v` become
//! the body of a new relation over the other variables that they share with the rest of the rule, and the rule
//! uses that instead:
//!
//! ```text
//! h(X) ← a(X, Y), b(Y, V), c(V, Z), d(X, Z)      part(Y, Z) ← b(Y, V), c(V, Z)
//!                                                h(X) ← a(X, Y), part(Y, Z), d(X, Z)
//! ```
//!
//! Doing so for one variable after the other is bucket elimination; the parts are the bags of a tree
//! decomposition. [`super::decompose`] plans it, this file carries it out.
//!
//! A test in a part may have a variable that only the rest of the rule binds, as in the frame axiom
//! `next(cell(X)) ← true(cell(X)), does(mark(V)), X ≠ V`. A *guard* then says which values there are: a
//! relation that takes part in matching, but is no condition of the ground rules.

use super::decompose::{Item, Source, decompose};
use super::estimate::Estimates;
use crate::flat::{
    Flat, FlatAtom, FlatLiteral, FlatRule, Origin, RelationId, RelationInfo, RelationKind, renumber,
};
use crate::ground::config::Thresholds;
use grundy_syntax::{Program, TermId, VariableId};
use rustc_hash::FxHashMap;

/// A rule that was split.
pub(in crate::ground) struct Split {
    /// As it was before.
    pub(super) original: FlatRule,
    /// What it has become, by number: its parts, and at the end what is left of it.
    pub(super) rules: Vec<usize>,
}

/// Splits all rules for which it pays.
pub(super) fn split_rules(
    program: &mut Program,
    flat: &mut Flat,
    estimates: &Estimates,
    thresholds: &Thresholds,
) -> Vec<Split> {
    let rules = std::mem::take(&mut flat.rules);
    let mut splits = Vec::new();
    let mut splitter = Splitter::new(program, flat);
    for rule in rules {
        let kind = splitter.flat.info(rule.head.relation).kind;
        let may_split = matches!(rule.origin, Origin::Rule(_)) && kind != RelationKind::Static;
        let sizes = estimates.variables(splitter.flat, &rule);
        let items =
            may_split.then(|| decompose(splitter.flat, estimates, &rule, &sizes, thresholds.split, None));
        match items.flatten() {
            Some(items) => {
                let rules = splitter.split(rule.clone(), &items);
                splits.push(Split { original: rule, rules });
            }
            None => splitter.done.push(rule),
        }
    }
    let done = splitter.done;
    flat.rules = done;
    splits
}

/// Splits more rules as planned; parts and rules are added behind those that there are.
pub(super) fn split_more(
    program: &mut Program,
    flat: &mut Flat,
    planned: Vec<(FlatRule, Vec<Item>)>,
) -> Vec<Split> {
    let done = std::mem::take(&mut flat.rules);
    let mut splitter = Splitter::new(program, flat);
    splitter.done = done;
    let split = |(rule, items): (FlatRule, Vec<Item>)| {
        let rules = splitter.split(rule.clone(), &items);
        Split { original: rule, rules }
    };
    let splits = planned.into_iter().map(split).collect();
    let done = splitter.done;
    flat.rules = done;
    splits
}

/// The kind of a part, and its rule with variables numbered by first occurrence.
type PartKey = (RelationKind, Box<[TermId]>, Vec<FlatLiteral>);

struct Splitter<'a> {
    program: &'a mut Program,
    flat: &'a mut Flat,
    /// Relations that were introduced, by the body of their rule.
    parts: FxHashMap<PartKey, (RelationId, usize)>,
    done: Vec<FlatRule>,
    /// The rules of the parts that the current rule uses.
    used: Vec<usize>,
}

impl<'a> Splitter<'a> {
    fn new(program: &'a mut Program, flat: &'a mut Flat) -> Splitter<'a> {
        Splitter { program, flat, parts: FxHashMap::default(), done: Vec::new(), used: Vec::new() }
    }

    /// Adds a rule in the form that was planned, and the rules of its parts; the numbers of all these.
    fn split(&mut self, mut rule: FlatRule, items: &[Item]) -> Vec<usize> {
        let body = items.iter().map(|item| self.literal(&rule, item)).collect();
        rule.body = body;
        renumber(&mut self.flat.terms, &mut rule);
        self.used.push(self.done.len());
        self.done.push(rule);
        std::mem::take(&mut self.used)
    }

    /// The condition for an item: one of the rule's own, or a part.
    fn literal(&mut self, rule: &FlatRule, item: &Item) -> FlatLiteral {
        match &item.source {
            Source::Condition(number) => rule.body[*number].clone(),
            Source::Part(items) => {
                let mut body: Vec<FlatLiteral> = items.iter().map(|item| self.literal(rule, item)).collect();
                let guards = self.guards(rule, &body);
                body.extend(guards);
                FlatLiteral::Holds(self.part(rule, &item.variables, body))
            }
        }
    }

    fn kind(&self, literal: &FlatLiteral) -> RelationKind {
        literal.atom().map_or(RelationKind::Static, |atom| self.flat.info(atom.relation).kind)
    }

    fn variables_of<'l>(&self, literals: impl IntoIterator<Item = &'l FlatLiteral>) -> Vec<VariableId> {
        let mut variables = Vec::new();
        for term in literals.into_iter().flat_map(|literal| literal.terms()) {
            self.flat.terms.for_each_variable(term, &mut |variable| {
                if !variables.contains(&variable) {
                    variables.push(variable);
                }
            });
        }
        variables
    }

    /// Conditions of the rule that bind what a part does not bind itself.
    fn guards(&mut self, rule: &FlatRule, body: &[FlatLiteral]) -> Vec<FlatLiteral> {
        let is_positive = |literal: &&FlatLiteral| matches!(literal, FlatLiteral::Holds(_));
        let bound = self.variables_of(body.iter().filter(is_positive));
        let wanted = self.variables_of(body);
        let mut unbound: Vec<VariableId> = wanted.into_iter().filter(|v| !bound.contains(v)).collect();
        let mut guards = Vec::new();
        while !unbound.is_empty() {
            let covers = |literal: &FlatLiteral| {
                let variables = self.variables_of([literal]);
                unbound.iter().filter(|v| variables.contains(v)).count()
            };
            // Static conditions first: they need no relation of their own.
            let candidates = rule.body.iter().enumerate().filter(|(_, literal)| is_positive(literal));
            let best = candidates
                .max_by_key(|(at, literal)| {
                    (covers(literal), self.kind(literal) == RelationKind::Static, usize::MAX - at)
                })
                .map(|(_, literal)| literal.clone())
                .filter(|literal| covers(literal) > 0);
            // Safe rules bind every variable somewhere.
            let Some(best) = best else { break };
            let variables = self.variables_of([&best]);
            let wanted: Vec<VariableId> = unbound.iter().copied().filter(|v| variables.contains(v)).collect();
            unbound.retain(|v| !variables.contains(v));
            guards.push(self.guard(rule, best, &wanted));
        }
        guards
    }

    /// A condition that says what some variables can be: the condition itself if it is static, otherwise a guard
    /// over its columns.
    fn guard(&mut self, rule: &FlatRule, literal: FlatLiteral, wanted: &[VariableId]) -> FlatLiteral {
        if self.kind(&literal) == RelationKind::Static {
            return literal;
        }
        let args: Box<[TermId]> = wanted.iter().map(|&v| self.flat.terms.variable(v)).collect();
        FlatLiteral::Holds(self.add_part(rule, RelationKind::Guard, args, vec![literal]))
    }

    /// The atom of a part over these variables.
    fn part(&mut self, rule: &FlatRule, variables: &[VariableId], body: Vec<FlatLiteral>) -> FlatAtom {
        let most = body.iter().map(|literal| self.kind(literal)).max().unwrap_or(RelationKind::Static);
        // What is made for a rule that is not stored is not stored.
        let kind = most.min(self.flat.info(rule.head.relation).kind);
        let args: Box<[TermId]> = variables.iter().map(|&v| self.flat.terms.variable(v)).collect();
        self.add_part(rule, kind, args, body)
    }

    /// The atom of a relation with this rule, new or known.
    fn add_part(
        &mut self,
        parent: &FlatRule,
        kind: RelationKind,
        args: Box<[TermId]>,
        mut body: Vec<FlatLiteral>,
    ) -> FlatAtom {
        body.sort_by_key(|literal| match literal {
            FlatLiteral::Holds(atom) => (0, atom.relation.0),
            FlatLiteral::Not(atom) => (1, atom.relation.0),
            FlatLiteral::Distinct(pairs) => (2, pairs.len() as u32),
        });
        let arity = args.len();
        let head = FlatAtom { relation: parent.head.relation, args: args.clone() };
        let mut rule = FlatRule { head, body, variables: parent.variables, origin: parent.origin };
        renumber(&mut self.flat.terms, &mut rule);
        let key = (kind, rule.head.args.clone(), rule.body.clone());
        let (relation, number) = match self.parts.get(&key) {
            Some(&known) => known,
            None => {
                let relation = self.new_relation(parent.head.relation, kind, arity);
                let number = self.done.len();
                self.parts.insert(key, (relation, number));
                rule.head.relation = relation;
                self.done.push(rule);
                (relation, number)
            }
        };
        self.used.push(number);
        FlatAtom { relation, args }
    }

    fn new_relation(&mut self, parent: RelationId, kind: RelationKind, arity: usize) -> RelationId {
        let number = self.flat.relations.len();
        let parent = self.program.name(self.flat.info(parent).predicate);
        let stem = parent.split('~').next().unwrap_or(parent);
        let name = match kind {
            RelationKind::Guard => format!("{stem}~guard{number}"),
            RelationKind::Static | RelationKind::Dynamic => format!("{stem}~{number}"),
        };
        let predicate = self.program.predicate(&name, arity);
        let template = (0..arity).map(|column| self.flat.terms.variable(VariableId(column as u32))).collect();
        self.flat.add_relation(RelationInfo { predicate, template, arity, kind, is_part: true })
    }
}
