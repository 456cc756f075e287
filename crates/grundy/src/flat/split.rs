//! One round of flattening: the outermost functions of columns.

use super::shapes::{Inferred, Shape, Shapes, VariableShapes, infer, shape_of};
use super::{Flat, FlatAtom, FlatLiteral, FlatRule, RelationId, RelationInfo};
use crate::ids::{BitSet, Id, IdVec, narrow};
use grundy_syntax::{SymbolId, Term, TermId, Terms, Ticks, VariableId};
use rustc_hash::FxHashMap;

/// The largest number of shapes of a column that is split. A guess.
const MOST_SHAPES: usize = 48;

/// The largest number of rules that replace a rule. A guess.
const MOST_VARIANTS: usize = 512;

/// For each column of each relation, whether it is split.
type Splits = IdVec<RelationId, Vec<bool>>;

/// Flattens one layer of functions; `None` if there is none.
pub(super) fn split_once(flat: &Flat) -> Option<Flat> {
    let inferred = infer(flat);
    let splits = choose_columns(flat, &inferred);
    let nothing = splits.iter().flatten().all(|&split| !split);
    (!nothing).then(|| Splitter::new(flat, &inferred, splits).run())
}

/// The columns to split: those with functions that do not nest in themselves, whose variables have known shapes wherever the
/// relation is negated.
fn choose_columns(flat: &Flat, inferred: &Inferred) -> Splits {
    let mut splits = Splits::default();
    for (relation, info) in flat.relations.entries() {
        let worth = |column: usize| match &inferred.columns[relation][column] {
            Shapes::Any => false,
            Shapes::Only(shapes) => {
                shapes.len() <= MOST_SHAPES
                    && shapes.iter().any(|shape| matches!(shape, Shape::Function(..)))
                    && !shapes.iter().any(|&shape| is_nested(&flat.terms, info, column, shape))
            }
        };
        splits.push((0..info.arity).map(worth).collect());
    }
    let rules: Vec<(&FlatRule, VariableShapes)> =
        flat.rules.iter().filter_map(|rule| Some((rule, inferred.variables(&flat.terms, rule)?))).collect();
    for (rule, variables) in &rules {
        for literal in &rule.body {
            let FlatLiteral::Not(atom) = literal else { continue };
            for (column, &arg) in atom.args.iter().enumerate() {
                if let Err(variable) = shape_of(&flat.terms, arg)
                    && variables[variable] == Shapes::Any
                {
                    splits[atom.relation][column] = false;
                }
            }
        }
        keep_variants_few(&flat.terms, rule, variables, &mut splits);
    }
    // A column that is not split after all no longer binds shapes in other rules.
    let mut ticks = Ticks::default();
    let mut changed = true;
    while changed && !flat.budget.is_over() {
        changed = false;
        for (rule, shapes) in &rules {
            if ticks.work(&flat.budget, rule.variables).is_err() {
                break;
            }
            changed |= keep_unbound(&flat.terms, rule, shapes, &mut splits);
        }
    }
    splits
}

/// Excludes columns whose variables can be constants or functions where no positive condition on a split column decides it.
/// Returns whether there were any.
fn keep_unbound(terms: &Terms, rule: &FlatRule, shapes: &VariableShapes, splits: &mut Splits) -> bool {
    let mut changed = false;
    for (variable, _) in shapes.entries().filter(|(_, shapes)| shapes.is_mixed()) {
        let is_split = |atom: &FlatAtom, column: usize, splits: &Splits| {
            shape_of(terms, atom.args[column]) == Err(variable) && splits[atom.relation][column]
        };
        let is_bound = rule.body.iter().any(|literal| match literal {
            FlatLiteral::Holds(atom) => (0..atom.args.len()).any(|column| is_split(atom, column, splits)),
            _ => false,
        });
        if is_bound {
            continue;
        }
        for atom in rule.body.iter().filter_map(FlatLiteral::atom).chain([&rule.head]) {
            for column in 0..atom.args.len() {
                if is_split(atom, column, splits) {
                    splits[atom.relation][column] = false;
                    changed = true;
                }
            }
        }
    }
    changed
}

/// Excludes columns whose variables would lead to too many variants of a rule.
fn keep_variants_few(terms: &Terms, rule: &FlatRule, shapes: &VariableShapes, splits: &mut Splits) {
    let count = |variable: VariableId| match &shapes[variable] {
        Shapes::Any => 1,
        Shapes::Only(shapes) => shapes.len(),
    };
    let atoms = || rule.body.iter().filter_map(FlatLiteral::atom).chain([&rule.head]);
    let mut variables: Vec<(VariableId, RelationId, usize)> = Vec::new();
    for atom in atoms() {
        for (column, &arg) in atom.args.iter().enumerate() {
            if let Err(variable) = shape_of(terms, arg)
                && splits[atom.relation][column]
                && count(variable) > 1
            {
                variables.push((variable, atom.relation, column));
            }
        }
    }
    let mut distinct: Vec<VariableId> = variables.iter().map(|&(variable, ..)| variable).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let product = distinct.iter().try_fold(1usize, |product, &variable| product.checked_mul(count(variable)));
    if product.is_none_or(|product| product > MOST_VARIANTS) {
        for (_, relation, column) in variables {
            splits[relation][column] = false;
        }
    }
}

/// Whether a column is inside this function already, so that splitting might not terminate.
fn is_nested(terms: &Terms, info: &RelationInfo, column: usize, shape: Shape) -> bool {
    let Shape::Function(name, _) = shape else { return false };
    info.template.iter().any(|&arg| stands_inside(terms, arg, VariableId::new(column), name))
}

fn stands_inside(terms: &Terms, term: TermId, hole: VariableId, name: SymbolId) -> bool {
    match terms.get(term) {
        Term::Compound(function, args) => {
            (function == name && terms.contains(term, hole))
                || args.iter().any(|&arg| stands_inside(terms, arg, hole, name))
        }
        _ => false,
    }
}

/// The part of a relation that an atom belongs to: the shapes of its split columns.
type Part = (RelationId, Vec<Option<Shape>>);

struct Splitter<'a> {
    old: &'a Flat,
    inferred: &'a Inferred,
    splits: Splits,
    new: Flat,
    parts: FxHashMap<Part, RelationId>,
}

impl<'a> Splitter<'a> {
    fn new(old: &'a Flat, inferred: &'a Inferred, splits: Splits) -> Splitter<'a> {
        let new = Flat { terms: old.terms.clone(), budget: old.budget.clone(), ..Flat::default() };
        Splitter { old, inferred, splits, new, parts: FxHashMap::default() }
    }

    fn run(mut self) -> Flat {
        let mut ticks = Ticks::default();
        for rule in &self.old.rules {
            if ticks.work(&self.old.budget, rule.variables + rule.body.len()).is_err() {
                break;
            }
            let Some(shapes) = self.inferred.variables(&self.old.terms, rule) else { continue };
            let choices = self.choices(rule, &shapes);
            self.add_variants(rule, &choices);
        }
        self.new
    }

    /// The shapes of each variable in a split column.
    fn choices(&self, rule: &FlatRule, shapes: &VariableShapes) -> Vec<(VariableId, Vec<Shape>)> {
        let mut choices: Vec<(VariableId, Vec<Shape>)> = Vec::new();
        let mut known = BitSet::empty(rule.variables);
        let atoms = rule.body.iter().filter_map(FlatLiteral::atom).chain([&rule.head]);
        for atom in atoms {
            for (column, &arg) in atom.args.iter().enumerate() {
                let Err(variable) = shape_of(&self.old.terms, arg) else { continue };
                if known.contains(variable) || !self.splits[atom.relation][column] {
                    continue;
                }
                if let Shapes::Only(shapes) = &shapes[variable] {
                    known.set(variable, true);
                    choices.push((variable, shapes.iter().copied().collect()));
                }
            }
        }
        choices
    }

    /// Adds the rule once for each combination of shapes.
    fn add_variants(&mut self, rule: &FlatRule, choices: &[(VariableId, Vec<Shape>)]) {
        let mut picked = vec![0; choices.len()];
        loop {
            if self.old.budget.is_over() {
                return;
            }
            let shapes = choices.iter().zip(&picked).map(|((variable, shapes), &i)| (*variable, shapes[i]));
            self.add_variant(rule, &shapes.collect::<Vec<_>>());
            let Some(at) = (0..picked.len()).rev().find(|&at| picked[at] + 1 < choices[at].1.len()) else {
                return;
            };
            picked[at] += 1;
            picked[at + 1..].fill(0);
        }
    }

    fn add_variant(&mut self, rule: &FlatRule, shapes: &[(VariableId, Shape)]) {
        let mut substitution = Substitution::filled(None, rule.variables);
        let mut variables = rule.variables;
        for &(variable, shape) in shapes {
            if let Shape::Function(name, arity) = shape {
                let args: Vec<TermId> = (variables..variables + arity)
                    .map(|v| self.new.terms.variable(VariableId::new(v)))
                    .collect();
                variables += arity;
                substitution[variable] = Some(self.new.terms.compound(name, &args));
            }
        }
        let Some(body) = self.body(rule, &substitution) else { return };
        let head = self.atom(&rule.head, &substitution);
        let mut variant = FlatRule { head, body, variables, origin: rule.origin };
        renumber(&mut self.new.terms, &mut variant);
        self.new.rules.push(variant);
    }

    /// The conditions of a variant; `None` if one of them can never hold.
    fn body(&mut self, rule: &FlatRule, substitution: &Substitution) -> Option<Vec<FlatLiteral>> {
        let mut body = Vec::with_capacity(rule.body.len());
        for literal in &rule.body {
            match literal {
                FlatLiteral::Holds(atom) => body.push(FlatLiteral::Holds(self.atom(atom, substitution))),
                FlatLiteral::Not(atom) => body.push(FlatLiteral::Not(self.atom(atom, substitution))),
                FlatLiteral::Distinct(pairs) => {
                    let terms = &mut self.new.terms;
                    let pairs: Vec<(TermId, TermId)> = pairs
                        .iter()
                        .map(|&(a, b)| {
                            (substitute(terms, a, substitution), substitute(terms, b, substitution))
                        })
                        .collect();
                    match simplify_distinct(terms, &pairs) {
                        Some(pairs) if pairs.is_empty() => return None,
                        Some(pairs) => body.push(FlatLiteral::Distinct(pairs.into())),
                        None => {}
                    }
                }
            }
        }
        Some(body)
    }

    fn atom(&mut self, atom: &FlatAtom, substitution: &Substitution) -> FlatAtom {
        let mut shapes = Vec::with_capacity(atom.args.len());
        let mut args = Vec::with_capacity(atom.args.len());
        for (column, &arg) in atom.args.iter().enumerate() {
            let arg = substitute(&mut self.new.terms, arg, substitution);
            if !self.splits[atom.relation][column] {
                shapes.push(None);
                args.push(arg);
                continue;
            }
            match self.new.terms.get(arg) {
                Term::Compound(name, inner) => {
                    shapes.push(Some(Shape::Function(name, inner.len())));
                    args.extend_from_slice(inner);
                }
                // A variable here is a constant: a positive condition on a split column binds it.
                Term::Constant(_) | Term::Variable(_) => {
                    shapes.push(Some(Shape::Atomic));
                    args.push(arg);
                }
            }
        }
        FlatAtom { relation: self.part(atom.relation, shapes), args: args.into() }
    }

    /// The new relation for a part of an old one.
    fn part(&mut self, relation: RelationId, shapes: Vec<Option<Shape>>) -> RelationId {
        if let Some(&known) = self.parts.get(&(relation, shapes.clone())) {
            return known;
        }
        let info = self.old.info(relation);
        let mut holes = Substitution::default();
        let mut constant = Vec::new();
        for (column, shape) in shapes.iter().enumerate() {
            let terms = &mut self.new.terms;
            let mut hole = |is_constant: bool| {
                constant.push(is_constant);
                terms.variable(VariableId(narrow(constant.len()) - 1))
            };
            holes.push(Some(match *shape {
                Some(Shape::Function(name, count)) => {
                    let args: Vec<TermId> = (0..count).map(|_| hole(false)).collect();
                    terms.compound(name, &args)
                }
                Some(Shape::Atomic) => hole(true),
                None => hole(info.constant[column]),
            }));
        }
        let template =
            info.template.iter().map(|&arg| substitute(&mut self.new.terms, arg, &holes)).collect();
        let part = self.new.add_relation(RelationInfo {
            predicate: info.predicate,
            template,
            arity: constant.len(),
            constant: constant.into(),
            kind: info.kind,
            is_part: false,
        });
        self.parts.insert((relation, shapes), part);
        part
    }
}

/// The terms that replace variables; a variable without a term stays.
pub(crate) type Substitution = IdVec<VariableId, Option<TermId>>;

/// A term with some of its variables replaced.
pub(crate) fn substitute(terms: &mut Terms, term: TermId, values: &Substitution) -> TermId {
    match terms.get(term) {
        Term::Variable(variable) => values[variable].unwrap_or(term),
        _ if terms.is_ground(term) => term,
        Term::Constant(_) => term,
        Term::Compound(name, args) => {
            let args: Vec<TermId> = args.to_vec();
            let args: Vec<TermId> = args.into_iter().map(|arg| substitute(terms, arg, values)).collect();
            terms.compound(name, &args)
        }
    }
}

/// The remaining comparisons of pairs of which one has to differ: `None` if one always differs, an empty list if none ever
/// does.
pub(super) fn simplify_distinct(terms: &Terms, pairs: &[(TermId, TermId)]) -> Option<Vec<(TermId, TermId)>> {
    let mut open = pairs.to_vec();
    let mut left = Vec::new();
    while let Some((a, b)) = open.pop() {
        if a == b {
            continue;
        }
        match (terms.get(a), terms.get(b)) {
            (Term::Variable(_), _) | (_, Term::Variable(_)) => left.push((a, b)),
            (Term::Compound(f, xs), Term::Compound(g, ys)) if f == g && xs.len() == ys.len() => {
                open.extend(xs.iter().copied().zip(ys.iter().copied()));
            }
            _ => return None,
        }
    }
    left.sort_unstable();
    left.dedup();
    Some(left)
}

/// Renumbers the variables of a rule by first occurrence.
pub(crate) fn renumber(terms: &mut Terms, rule: &mut FlatRule) {
    let mut numbers = Substitution::filled(None, rule.variables);
    let mut count = 0;
    let mut order: Vec<VariableId> = Vec::new();
    let in_body = rule.body.iter().flat_map(|literal| literal.terms());
    for term in rule.head.args.iter().copied().chain(in_body) {
        terms.for_each_variable(term, &mut |variable| order.push(variable));
    }
    for variable in order {
        let number = &mut numbers[variable];
        if number.is_none() {
            *number = Some(terms.variable(VariableId(count)));
            count += 1;
        }
    }
    let mut rename = |term: &mut TermId| *term = substitute(terms, *term, &numbers);
    rule.head.args.iter_mut().for_each(&mut rename);
    for literal in &mut rule.body {
        match literal {
            FlatLiteral::Holds(atom) | FlatLiteral::Not(atom) => atom.args.iter_mut().for_each(&mut rename),
            FlatLiteral::Distinct(pairs) => {
                for (a, b) in pairs.iter_mut() {
                    rename(a);
                    rename(b);
                }
            }
        }
    }
    rule.variables = count.index();
}
