//! Splitting rules along their variables.
//!
//! Let `v` be a variable of a rule that its head does not have. The conditions with `v` become the body of a new relation
//! over the variables that they share with the rest of the rule, which replaces them in the rule:
//!
//! ```text
//! h(X) ← a(X, Y), b(Y, V), c(V, Z), d(X, Z)      part(Y, Z) ← b(Y, V), c(V, Z)
//!                                                h(X) ← a(X, Y), part(Y, Z), d(X, Z)
//! ```
//!
//! Repeating this for further variables is bucket elimination; the parts are the bags of a tree decomposition.
//! [`super::decompose`] plans it, and this file carries it out.
//!
//! A test in a part may have a variable that only the rest of the rule binds, as in the frame axiom
//! `next(cell(X)) ← true(cell(X)), does(mark(V)), X ≠ V`. Then a *guard* binds the variable: a relation that takes part in
//! matching, but not in ground rules.

use super::Thresholds;
use super::decompose::{Item, MIN_GAIN, MIN_SURE_GAIN, Source, Worth, decompose};
use super::estimate::Estimates;
use crate::flat::{
    Flat, FlatAtom, FlatLiteral, FlatRule, FlatRuleId, Origin, RelationId, RelationInfo, RelationKind,
    renumber,
};
use crate::ids::{IdVec, narrow};
use grundy_syntax::{Program, TermId, VariableId};
use rustc_hash::FxHashMap;

/// A part is restricted by a condition of its rule if that leaves at most this share of its rows. A guess.
const LARGEST_SHARE_TO_RESTRICT: f64 = 0.5;

/// Where sizes are known, the least cost of a rule to be split is this share of the threshold. A guess.
const THRESHOLD_SHARE_WITH_SIZES: f64 = 0.25;

/// A rule that was split.
pub(crate) struct Split {
    /// As it was before.
    pub(super) original: FlatRule,
    /// The rules that replace it: its parts, and at the end the rule that uses them.
    pub(super) rules: Vec<FlatRuleId>,
}

/// Splits all rules for which it pays.
pub(super) fn split_rules(
    program: &mut Program,
    flat: &mut Flat,
    estimates: &Estimates<'_>,
    thresholds: &Thresholds,
) -> Vec<Split> {
    let rules = std::mem::take(&mut flat.rules);
    let worth = Worth { min_cost: thresholds.split, min_gain: MIN_GAIN, in_company: 1.0 };
    split_where(program, flat, estimates, rules.into_iter().map(|rule| (rule, worth)).collect())
}

/// Adds frame rules, split where it pays, with exact sizes. The rules for a relation are considered together, since they
/// share the set of moves after which a fact persists.
pub(super) fn add_rules(
    program: &mut Program,
    flat: &mut Flat,
    estimates: &Estimates<'_>,
    rules: Vec<FlatRule>,
    thresholds: &Thresholds,
) -> Vec<Split> {
    let matches = |rule: &FlatRule| {
        let literals: Vec<&FlatLiteral> = rule.body.iter().collect();
        let has_move =
            literals.iter().filter_map(|literal| literal.atom()).any(|atom| estimates.is_move(atom));
        let matches = estimates.matches(&flat.terms, &literals, &estimates.variables(flat, rule));
        if has_move { matches } else { 0.0 }
    };
    let matches: Vec<f64> = rules.iter().map(matches).collect();
    let mut together: IdVec<RelationId, f64> = IdVec::filled(0.0, flat.relations.len());
    for (rule, matches) in rules.iter().zip(&matches) {
        together[rule.head.relation] += matches;
    }
    let worth = |(rule, matches): (FlatRule, f64)| {
        let in_company = (together[rule.head.relation] / matches.max(1.0)).max(1.0);
        let worth = Worth {
            min_cost: thresholds.split * THRESHOLD_SHARE_WITH_SIZES,
            min_gain: MIN_SURE_GAIN,
            in_company,
        };
        (rule, worth)
    };
    let rules = rules.into_iter().zip(matches).map(worth).collect();
    split_where(program, flat, estimates, rules)
}

fn split_where(
    program: &mut Program,
    flat: &mut Flat,
    estimates: &Estimates<'_>,
    rules: Vec<(FlatRule, Worth)>,
) -> Vec<Split> {
    let mut splits = Vec::new();
    let mut splitter = Splitter::new(program, flat, estimates);
    for (rule, worth) in rules {
        if splitter.flat.budget.is_over() {
            break;
        }
        let kind = splitter.flat.info(rule.head.relation).kind;
        let may_split = matches!(rule.origin, Origin::Rule(_)) && kind != RelationKind::Static;
        let sizes = estimates.variables(splitter.flat, &rule);
        let items = may_split.then(|| decompose(splitter.flat, estimates, &rule, &sizes, worth, None));
        match items.flatten() {
            Some(items) => {
                let rules = splitter.split(rule.clone(), &items);
                splits.push(Split { original: rule, rules });
            }
            None => _ = splitter.done.push(rule),
        }
    }
    flat.rules = splitter.done;
    splits
}

/// Splits rules as planned. Parts and rules are added at the end.
pub(super) fn split_more(
    program: &mut Program,
    flat: &mut Flat,
    estimates: &Estimates<'_>,
    planned: Vec<(FlatRule, Vec<Item>)>,
) -> Vec<Split> {
    let mut splitter = Splitter::new(program, flat, estimates);
    let split = |(rule, items): (FlatRule, Vec<Item>)| {
        let rules = splitter.split(rule.clone(), &items);
        Split { original: rule, rules }
    };
    let splits = planned.into_iter().map(split).collect();
    flat.rules = splitter.done;
    splits
}

/// The kind of a part, and its rule with variables numbered by first occurrence.
type PartKey = (RelationKind, Box<[TermId]>, Vec<FlatLiteral>);

/// A rule with one part left open: its head, its other conditions, and the arguments of the part.
type RestOfRule = (FlatAtom, Vec<FlatLiteral>, Box<[TermId]>);

struct Splitter<'a> {
    program: &'a mut Program,
    flat: &'a mut Flat,
    estimates: &'a Estimates<'a>,
    /// Relations that were introduced, by the body of their rule.
    parts: FxHashMap<PartKey, (RelationId, FlatRuleId)>,
    /// The number of conditions that use each of them; one for relations from before.
    uses: FxHashMap<RelationId, u32>,
    /// The relation of a part by the rule that uses it.
    places: FxHashMap<RestOfRule, RelationId>,
    done: IdVec<FlatRuleId, FlatRule>,
    /// The rules of the parts that the current rule uses.
    used: Vec<FlatRuleId>,
    /// For each condition of the current rule the numbers of values that it leaves to its variables.
    left_by: Vec<Vec<(VariableId, f64)>>,
}

/// The existing parts with a single rule.
fn known_parts(
    flat: &Flat,
    rules: &IdVec<FlatRuleId, FlatRule>,
) -> FxHashMap<PartKey, (RelationId, FlatRuleId)> {
    let mut counts: IdVec<RelationId, u32> = IdVec::filled(0, flat.relations.len());
    rules.iter().for_each(|rule| counts[rule.head.relation] += 1);
    let is_part = |rule: &FlatRule| flat.info(rule.head.relation).is_part && counts[rule.head.relation] == 1;
    let entry = |(id, rule): (FlatRuleId, &FlatRule)| {
        let kind = flat.info(rule.head.relation).kind;
        ((kind, rule.head.args.clone(), rule.body.clone()), (rule.head.relation, id))
    };
    rules.entries().filter(|(_, rule)| is_part(rule)).map(entry).collect()
}

impl<'a> Splitter<'a> {
    fn new(program: &'a mut Program, flat: &'a mut Flat, estimates: &'a Estimates<'a>) -> Splitter<'a> {
        let done = std::mem::take(&mut flat.rules);
        let parts = known_parts(flat, &done);
        let uses = parts.values().map(|&(relation, _)| (relation, 1)).collect();
        let places = FxHashMap::default();
        Splitter {
            program,
            flat,
            estimates,
            parts,
            uses,
            places,
            done,
            used: Vec::new(),
            left_by: Vec::new(),
        }
    }

    /// Adds a rule in its planned form, and the rules of its parts. Returns all of these.
    fn split(&mut self, mut rule: FlatRule, items: &[Item]) -> Vec<FlatRuleId> {
        self.left_by = self.values_left(&rule);
        let body = items.iter().map(|item| self.literal(&rule, item)).collect();
        rule.body = body;
        renumber(&mut self.flat.terms, &mut rule);
        self.unite(&mut rule);
        self.used.push(self.done.push(rule));
        std::mem::take(&mut self.used)
    }

    /// Unites the parts of two rules that differ only in a part: the united part has the rules of both. The two rules become
    /// equal, and both remain.
    fn unite(&mut self, rule: &mut FlatRule) {
        let relation = |literal: &FlatLiteral| literal.atom().map(|atom| atom.relation);
        let is_part = |literal: &FlatLiteral| relation(literal).is_some_and(|id| self.uses.contains_key(&id));
        let mut parts = (0..rule.body.len()).filter(|&at| is_part(&rule.body[at]));
        let (Some(at), None) = (parts.next(), parts.next()) else { return };
        let FlatLiteral::Holds(part) = rule.body.remove(at) else { return };
        let place = (rule.head.clone(), rule.body.clone(), part.args.clone());
        let known = *self.places.entry(place).or_insert(part.relation);
        let is_same_kind = self.flat.info(known).kind == self.flat.info(part.relation).kind;
        let is_alone = |id: RelationId| self.uses.get(&id) == Some(&1);
        let mut united = part;
        if known != united.relation && is_same_kind && is_alone(known) && is_alone(united.relation) {
            // Other rules must not use either part from now on.
            self.parts.retain(|_, (relation, _)| *relation != known && *relation != united.relation);
            let of_part = self.done.iter_mut().filter(|rule| rule.head.relation == united.relation);
            of_part.for_each(|rule| rule.head.relation = known);
            united.relation = known;
        }
        rule.body.insert(at, FlatLiteral::Holds(united));
    }

    /// The condition for an item: one of the rule's own, or a part.
    fn literal(&mut self, rule: &FlatRule, item: &Item) -> FlatLiteral {
        match &item.source {
            Source::Condition(number) => rule.body[*number].clone(),
            Source::Part(items) => {
                let mut body: Vec<FlatLiteral> = items.iter().map(|item| self.literal(rule, item)).collect();
                let guards = self.guards(rule, &body);
                body.extend(guards);
                let limits = self.limits(rule, item);
                body.extend(limits);
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

    /// Conditions of the rule that bind the unbound variables of a part.
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

    /// Conditions of the rule that restrict the variables of a part to far fewer values.
    fn limits(&mut self, rule: &FlatRule, part: &Item) -> Vec<FlatLiteral> {
        if part.kind != RelationKind::Dynamic {
            return Vec::new();
        }
        let numbers = part.conditions();
        let mut own = rule.clone();
        let mut limits = Vec::new();
        own.body = numbers.iter().map(|&number| rule.body[number].clone()).collect();
        let mut values = self.estimates.variables(self.flat, &own);
        loop {
            let others = (0..rule.body.len()).filter(|number| !numbers.contains(number));
            let limit = |number: usize| {
                let mut left = self.left_by[number].clone();
                let share = |v: &VariableId, left: f64| left / values[*v];
                left.retain(|(v, left)| {
                    part.variables.contains(v) && (f64::MIN_POSITIVE..1.0).contains(&share(v, *left))
                });
                let FlatLiteral::Holds(_) = &rule.body[number] else { return None };
                let share: f64 = left.iter().map(|(v, left)| share(v, *left)).product();
                Some((share, number, left))
            };
            let best = others.filter_map(limit).min_by(|a, b| a.0.total_cmp(&b.0));
            let is_over = self.flat.budget.is_over();
            let Some((_, number, left)) =
                best.filter(|(share, ..)| *share <= LARGEST_SHARE_TO_RESTRICT && !is_over)
            else {
                return limits;
            };
            left.iter().for_each(|&(v, left)| values[v] = left);
            let variables: Vec<VariableId> = left.iter().map(|&(v, _)| v).collect();
            limits.push(self.guard(rule, rule.body[number].clone(), &variables));
        }
    }

    /// For each positive condition of a rule, how many values it leaves to its variables by itself.
    fn values_left(&self, rule: &FlatRule) -> Vec<Vec<(VariableId, f64)>> {
        let of_condition = |literal: &FlatLiteral| {
            if !matches!(literal, FlatLiteral::Holds(_)) || self.flat.budget.is_over() {
                return Vec::new();
            }
            let (head, body) = (rule.head.clone(), vec![literal.clone()]);
            let alone = FlatRule { head, body, variables: rule.variables, origin: rule.origin };
            let left = self.estimates.variables(self.flat, &alone);
            self.variables_of([literal]).into_iter().map(|v| (v, left[v])).collect()
        };
        rule.body.iter().map(of_condition).collect()
    }

    /// A condition that binds some variables: the given one if it is static and has no other variables, otherwise a guard over
    /// its columns.
    fn guard(&mut self, rule: &FlatRule, literal: FlatLiteral, wanted: &[VariableId]) -> FlatLiteral {
        let kind = self.kind(&literal).min(RelationKind::Guard);
        if kind == RelationKind::Static && self.variables_of([&literal]).len() == wanted.len() {
            return literal;
        }
        let args: Box<[TermId]> = wanted.iter().map(|&v| self.flat.terms.variable(v)).collect();
        FlatLiteral::Holds(self.add_part(rule, kind, args, vec![literal]))
    }

    /// The atom of a part over these variables.
    fn part(&mut self, rule: &FlatRule, variables: &[VariableId], body: Vec<FlatLiteral>) -> FlatAtom {
        let most = body.iter().map(|literal| self.kind(literal)).max().unwrap_or(RelationKind::Static);
        // Parts of rules that are not stored are not stored.
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
            FlatLiteral::Distinct(pairs) => (2, narrow(pairs.len())),
        });
        let arity = args.len();
        let head = FlatAtom { relation: parent.head.relation, args: args.clone() };
        let mut rule = FlatRule { head, body, variables: parent.variables, origin: parent.origin };
        renumber(&mut self.flat.terms, &mut rule);
        let key = (kind, rule.head.args.clone(), rule.body.clone());
        let (relation, id) = match self.parts.get(&key) {
            Some(&known) => known,
            None => {
                let relation = self.new_relation(parent.head.relation, kind, arity);
                rule.head.relation = relation;
                let id = self.done.push(rule);
                self.parts.insert(key, (relation, id));
                (relation, id)
            }
        };
        self.used.push(id);
        *self.uses.entry(relation).or_default() += 1;
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
        let predicate = self.program.fresh_predicate(&name, arity);
        let plain = RelationInfo::plain(&mut self.flat.terms, predicate, arity, kind);
        self.flat.add_relation(RelationInfo { is_part: true, ..plain })
    }
}
