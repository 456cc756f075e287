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
//! decomposition. The next variable is always the one for which the estimate promises the most, and only where it
//! promises enough.
//!
//! A test in a part may have a variable that only the rest of the rule binds, as in the frame axiom
//! `next(cell(X)) ← true(cell(X)), does(mark(V)), X ≠ V`. A *guard* then says which values there are: a
//! relation that takes part in matching, but is no condition of the ground rules.

use super::estimate::Estimates;
use crate::flat::{
    Flat, FlatAtom, FlatLiteral, FlatRule, Origin, RelationId, RelationInfo, RelationKind, renumber,
};
use grundy_syntax::{Program, TermId, VariableId};
use rustc_hash::FxHashMap;

/// A rule with fewer instances than this is not worth splitting.
const MIN_INSTANCES: f64 = 400.0;

/// How much less has to come of it.
const MIN_GAIN: f64 = 2.0;

/// A part may not be larger than this.
const MAX_PART: f64 = 5e6;

/// Splits all rules for which it pays.
pub(super) fn split_rules(program: &mut Program, flat: &mut Flat, estimates: Estimates) {
    let rules = std::mem::take(&mut flat.rules);
    let mut splitter =
        Splitter { program, flat, estimates, parts: FxHashMap::default(), done: Vec::new(), names: 0 };
    for rule in rules {
        let is_stored = rule.origin != Origin::Link
            && splitter.flat.info(rule.head.relation).kind == RelationKind::Dynamic;
        if is_stored {
            let sizes = splitter.estimates.variables(splitter.flat, &rule);
            splitter.split(rule, sizes);
        } else {
            splitter.done.push(rule);
        }
    }
    let done = splitter.done;
    flat.rules = done;
}

/// The kind of a part, and its rule with variables numbered by first occurrence.
type PartKey = (RelationKind, Box<[TermId]>, Vec<FlatLiteral>);

struct Splitter<'a> {
    program: &'a mut Program,
    flat: &'a mut Flat,
    estimates: Estimates,
    /// Relations that were introduced, by the body of their rule.
    parts: FxHashMap<PartKey, RelationId>,
    done: Vec<FlatRule>,
    names: usize,
}

/// A relation to introduce, in the variables of the rule that it is a part of.
struct Part {
    kind: RelationKind,
    args: Box<[TermId]>,
    body: Vec<FlatLiteral>,
    /// The estimated number of rows, and of different values in each column.
    rows: f64,
    columns: Vec<f64>,
}

/// A way to split a rule.
struct Cut {
    /// The conditions that move into the part, by number.
    moved: Vec<usize>,
    /// Conditions that say what the unbound variables of the part can be, by number.
    guards: Vec<usize>,
    /// The variables that the part shares with the rest.
    shared: Vec<VariableId>,
    /// How much smaller it makes things.
    gain: f64,
    /// The estimated number of rows of the part.
    rows: f64,
}

impl Splitter<'_> {
    /// Splits a rule until nothing is gained any more; its parts are split, too.
    fn split(&mut self, mut rule: FlatRule, mut sizes: Vec<f64>) {
        while let Some(cut) = self.best_cut(&rule, &sizes) {
            self.apply(&mut rule, &mut sizes, &cut);
        }
        self.done.push(rule);
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

    fn best_cut(&self, rule: &FlatRule, sizes: &[f64]) -> Option<Cut> {
        let all: Vec<&FlatLiteral> = rule.body.iter().collect();
        let now = self.estimates.matches(&self.flat.terms, &all, sizes);
        if now < MIN_INSTANCES {
            return None;
        }
        let mut head: Vec<VariableId> = Vec::new();
        rule.head.args.iter().for_each(|&arg| self.flat.terms.for_each_variable(arg, &mut |v| head.push(v)));
        let open = self.variables_of(&rule.body).into_iter().filter(|variable| !head.contains(variable));
        let cuts = open.filter_map(|variable| self.cut_at(rule, sizes, &head, variable, now));
        let best = cuts.max_by(|a, b| a.gain.total_cmp(&b.gain))?;
        (best.gain >= MIN_GAIN).then_some(best)
    }

    /// The cut that takes out a variable, if there is one.
    fn cut_at(
        &self,
        rule: &FlatRule,
        sizes: &[f64],
        head: &[VariableId],
        variable: VariableId,
        now: f64,
    ) -> Option<Cut> {
        let terms = &self.flat.terms;
        let speaks_of = |literal: &FlatLiteral| literal.terms().any(|term| terms.contains(term, variable));
        let mut moved: Vec<usize> = (0..rule.body.len()).filter(|&at| speaks_of(&rule.body[at])).collect();
        let inside = self.variables_of(moved.iter().map(|&at| &rule.body[at]));
        // Tests that speak of nothing else come along.
        for at in 0..rule.body.len() {
            let is_test = !matches!(rule.body[at], FlatLiteral::Holds(_));
            let variables = self.variables_of([&rule.body[at]]);
            let fits = is_test && !variables.is_empty() && variables.iter().all(|v| inside.contains(v));
            if fits && !moved.contains(&at) {
                moved.push(at);
            }
        }
        if moved.len() == rule.body.len() {
            return None;
        }
        let rest: Vec<usize> = (0..rule.body.len()).filter(|at| !moved.contains(at)).collect();
        let outside = self.variables_of(rest.iter().map(|&at| &rule.body[at]));
        let mut shared: Vec<VariableId> =
            inside.iter().copied().filter(|v| head.contains(v) || outside.contains(v)).collect();
        shared.sort_unstable();
        let guards = self.guards(rule, &moved, &rest)?;
        let part: Vec<&FlatLiteral> = moved.iter().chain(&guards).map(|&at| &rule.body[at]).collect();
        let instances = self.estimates.matches(terms, &part, sizes);
        let combinations: f64 = shared.iter().map(|v| sizes[v.0 as usize]).product();
        let rows = instances.min(combinations).max(1.0);
        let others: Vec<&FlatLiteral> = rest.iter().map(|&at| &rule.body[at]).collect();
        let alone = self.estimates.matches(terms, &others, sizes);
        let missing: f64 =
            shared.iter().filter(|v| !outside.contains(v)).map(|v| sizes[v.0 as usize]).product();
        let left = alone * missing * (rows / combinations.max(1.0)).min(1.0);
        let dynamic = moved.iter().any(|&at| self.is_dynamic(&rule.body[at]));
        let cost = if dynamic { instances + left } else { left };
        (instances <= MAX_PART).then(|| Cut { moved, guards, shared, gain: now / cost.max(1.0), rows })
    }

    fn is_dynamic(&self, literal: &FlatLiteral) -> bool {
        literal.atom().is_some_and(|atom| self.flat.info(atom.relation).kind == RelationKind::Dynamic)
    }

    /// Conditions of the rest that bind what the part does not bind itself; `None` if there are none.
    fn guards(&self, rule: &FlatRule, moved: &[usize], rest: &[usize]) -> Option<Vec<usize>> {
        let positive = |at: &&usize| matches!(rule.body[**at], FlatLiteral::Holds(_));
        let bound = self.variables_of(moved.iter().filter(positive).map(|&at| &rule.body[at]));
        let wanted = self.variables_of(moved.iter().map(|&at| &rule.body[at]));
        let mut unbound: Vec<VariableId> = wanted.into_iter().filter(|v| !bound.contains(v)).collect();
        let mut guards = Vec::new();
        while !unbound.is_empty() {
            let covers = |at: usize| {
                let variables = self.variables_of([&rule.body[at]]);
                unbound.iter().filter(|v| variables.contains(v)).count()
            };
            // Static conditions first: they need no relation of their own.
            let candidates = rest.iter().filter(positive).copied().filter(|&at| covers(at) > 0);
            let best = candidates
                .max_by_key(|&at| (covers(at), !self.is_dynamic(&rule.body[at]), usize::MAX - at))?;
            let variables = self.variables_of([&rule.body[best]]);
            unbound.retain(|v| !variables.contains(v));
            guards.push(best);
        }
        Some(guards)
    }

    fn apply(&mut self, rule: &mut FlatRule, sizes: &mut Vec<f64>, cut: &Cut) {
        let mut body: Vec<FlatLiteral> = cut.moved.iter().map(|&at| rule.body[at].clone()).collect();
        let wanted = self.variables_of(&body);
        for &guard in &cut.guards {
            let literal = self.guard(rule, guard, &wanted, sizes);
            body.push(literal);
        }
        let kind = if body.iter().any(|literal| self.is_dynamic(literal)) {
            RelationKind::Dynamic
        } else if cut.guards.iter().any(|&at| self.is_dynamic(&rule.body[at])) {
            RelationKind::Guard
        } else {
            RelationKind::Static
        };
        let args: Box<[TermId]> = cut.shared.iter().map(|&v| self.flat.terms.variable(v)).collect();
        let columns: Vec<f64> = cut.shared.iter().map(|v| sizes[v.0 as usize]).collect();
        let part = Part { kind, args: args.clone(), body, rows: cut.rows, columns };
        let part = self.part(rule, part, sizes);
        let mut at = 0;
        rule.body.retain(|_| {
            at += 1;
            !cut.moved.contains(&(at - 1))
        });
        rule.body.push(FlatLiteral::Holds(FlatAtom { relation: part, args }));
        let order = self.numbering(rule);
        *sizes = order.iter().map(|v| sizes[v.0 as usize]).collect();
        renumber(&mut self.flat.terms, rule);
    }

    /// The variables of a rule in the order in which `renumber` will number them.
    fn numbering(&self, rule: &FlatRule) -> Vec<VariableId> {
        let head = FlatLiteral::Holds(rule.head.clone());
        self.variables_of([&head].into_iter().chain(&rule.body))
    }

    /// A condition that says what some variables can be: the condition itself if it is static, otherwise a guard
    /// over its columns.
    fn guard(&mut self, rule: &FlatRule, at: usize, wanted: &[VariableId], sizes: &[f64]) -> FlatLiteral {
        if !self.is_dynamic(&rule.body[at]) {
            return rule.body[at].clone();
        }
        let literal = rule.body[at].clone();
        let variables: Vec<VariableId> =
            self.variables_of([&literal]).into_iter().filter(|v| wanted.contains(v)).collect();
        let args: Box<[TermId]> = variables.iter().map(|&v| self.flat.terms.variable(v)).collect();
        let columns: Vec<f64> = variables.iter().map(|v| sizes[v.0 as usize]).collect();
        let rows = columns.iter().product();
        let part = Part { kind: RelationKind::Guard, args: args.clone(), body: vec![literal], rows, columns };
        let relation = self.part(rule, part, sizes);
        FlatLiteral::Holds(FlatAtom { relation, args })
    }

    /// The relation with this rule, new or known.
    fn part(&mut self, parent: &FlatRule, part: Part, sizes: &[f64]) -> RelationId {
        let Part { kind, args, mut body, rows, columns } = part;
        body.sort_by_key(|literal| match literal {
            FlatLiteral::Holds(atom) => (0, atom.relation.0),
            FlatLiteral::Not(atom) => (1, atom.relation.0),
            FlatLiteral::Distinct(pairs) => (2, pairs.len() as u32),
        });
        let arity = args.len();
        let head = FlatAtom { relation: parent.head.relation, args };
        let origin = if kind == RelationKind::Guard { Origin::Link } else { parent.origin };
        let mut rule = FlatRule { head, body, variables: parent.variables, origin };
        let order = self.numbering(&rule);
        let part_sizes: Vec<f64> = order.iter().map(|v| sizes[v.0 as usize]).collect();
        renumber(&mut self.flat.terms, &mut rule);
        let key = (kind, rule.head.args.clone(), rule.body.clone());
        if let Some(&known) = self.parts.get(&key) {
            return known;
        }
        let relation = self.new_relation(parent.head.relation, kind, arity);
        self.estimates.add(rows, columns);
        self.parts.insert(key, relation);
        rule.head.relation = relation;
        if kind == RelationKind::Dynamic {
            self.split(rule, part_sizes);
        } else {
            self.done.push(rule);
        }
        relation
    }

    fn new_relation(&mut self, parent: RelationId, kind: RelationKind, arity: usize) -> RelationId {
        self.names += 1;
        let parent = self.program.name(self.flat.info(parent).predicate);
        let stem = parent.split('~').next().unwrap_or(parent);
        let name = match kind {
            RelationKind::Guard => format!("{stem}~guard{}", self.names),
            RelationKind::Static | RelationKind::Dynamic => format!("{stem}~{}", self.names),
        };
        let predicate = self.program.predicate(&name, arity);
        let template = (0..arity).map(|column| self.flat.terms.variable(VariableId(column as u32))).collect();
        self.flat.add_relation(RelationInfo { predicate, template, arity, kind })
    }
}
