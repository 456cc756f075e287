//! How many instances a conjunction has, roughly.
//!
//! The textbook estimate of query planners: the number of assignments of values to variables, times, for
//! each condition, the share of all rows that its relation has.

use super::domains::{Domains, variable_domains};
use crate::datalog::Relation;
use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, RelationId, RelationKind};
use crate::ids::float;
use grundy_syntax::{Keyword, Program, Term, TermId, Terms, Ticks, VariableId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Relations with more rows are not looked at row by row.
const MANY_ROWS: u32 = 1 << 17;

/// How many different rows there are in some columns of a relation.
type Projections = RefCell<FxHashMap<(RelationId, Box<[usize]>), f64>>;

/// Sizes of relations and columns.
pub(super) struct Estimates<'a> {
    /// The relations, if they are complete.
    complete: &'a [Relation],
    projections: Projections,
    /// What can stand in each column, if relations are not complete yet.
    domains: Option<Domains>,
    /// The number of rows of each relation.
    sizes: Vec<f64>,
    /// For each relation the numbers of different values in its columns.
    columns: Vec<Vec<f64>>,
    /// For each relation, whether its rows are moves.
    is_move: Vec<bool>,
}

impl<'a> Estimates<'a> {
    pub(super) fn new(
        program: &Program,
        flat: &Flat,
        relations: &[Relation],
        domains: &Domains,
    ) -> Estimates<'a> {
        let columns: Vec<Vec<f64>> = domains
            .iter()
            .map(|columns| columns.iter().map(|domain| domain.size().max(1.0)).collect())
            .collect();
        let mut sizes: Vec<f64> = columns.iter().map(|columns| columns.iter().product()).collect();
        for (relation, info) in flat.relations.iter().enumerate().take(relations.len()) {
            if info.kind == RelationKind::Static {
                sizes[relation] = f64::from(relations[relation].len());
            }
        }
        let mut estimates = Estimates {
            complete: &[],
            projections: Projections::default(),
            domains: Some(domains.clone()),
            sizes,
            columns,
            is_move: moves(program, flat),
        };
        // What rules can derive is often far less than the product of the columns. Each round carries that
        // one view further; three are enough for `legal`, `does` and what follows.
        for _ in 0..3 {
            estimates.refine(flat);
        }
        estimates
    }

    fn refine(&mut self, flat: &Flat) {
        let mut derived = vec![0.0; self.sizes.len()];
        let mut ticks = Ticks::default();
        for rule in &flat.rules {
            if ticks.work(&flat.budget, 8 * (1 + rule.variables + rule.body.len())).is_err() {
                return;
            }
            let variables = self.variables(flat, rule);
            let literals: Vec<&FlatLiteral> = rule.body.iter().collect();
            let matches = self.matches(&flat.terms, &literals, &variables);
            derived[rule.head.relation.index()] +=
                matches.min(self.assignments(&flat.terms, &rule.head.args, &variables));
        }
        for (relation, info) in flat.relations.iter().enumerate() {
            if info.kind != RelationKind::Static {
                self.sizes[relation] = self.sizes[relation].min(derived[relation]).max(1.0);
            }
        }
    }

    /// The sizes of complete relations.
    pub(super) fn exact(program: &Program, flat: &Flat, relations: &'a [Relation]) -> Estimates<'a> {
        let sizes = relations.iter().map(|relation| f64::from(relation.len())).collect();
        let distinct = |relation: &Relation, column| float(relation.count_distinct(column));
        let of = |relation: &'a Relation| {
            (0..relation.arity()).map(move |column| distinct(relation, column)).collect()
        };
        let columns = relations.iter().map(of).collect();
        Estimates {
            complete: relations,
            projections: Projections::default(),
            domains: None,
            sizes,
            columns,
            is_move: moves(program, flat),
        }
    }

    /// How many values each variable of a rule can have.
    pub(super) fn variables(&self, flat: &Flat, rule: &FlatRule) -> Vec<f64> {
        let Some(domains) = &self.domains else { return self.variables_by_columns(flat, rule) };
        match variable_domains(flat, rule, domains, |_| true) {
            Some(domains) => domains.iter().map(|domain| domain.size().max(1.0)).collect(),
            None => vec![0.0; rule.variables],
        }
    }

    /// A variable has no more values than any of its columns.
    fn variables_by_columns(&self, flat: &Flat, rule: &FlatRule) -> Vec<f64> {
        let mut sizes = vec![f64::INFINITY; rule.variables];
        for literal in &rule.body {
            let FlatLiteral::Holds(atom) = literal else { continue };
            for (&arg, &values) in atom.args.iter().zip(&self.columns[atom.relation.index()]) {
                flat.terms.for_each_variable(arg, &mut |variable| {
                    let size = &mut sizes[variable.index()];
                    *size = size.min(values);
                });
            }
        }
        sizes
    }

    /// The number of assignments to the variables of some terms.
    pub(super) fn assignments(&self, terms: &Terms, args: &[TermId], variables: &[f64]) -> f64 {
        let mut seen: Vec<VariableId> = Vec::new();
        let mut is_seen = vec![false; variables.len()];
        for &arg in args {
            terms.for_each_variable(arg, &mut |variable| {
                if !std::mem::replace(&mut is_seen[variable.index()], true) {
                    seen.push(variable);
                }
            });
        }
        seen.iter().map(|v| variables[v.index()]).product()
    }

    /// The number of assignments that meet all conditions.
    pub(super) fn matches(&self, terms: &Terms, literals: &[&FlatLiteral], variables: &[f64]) -> f64 {
        let args: Vec<TermId> = literals.iter().flat_map(|literal| literal.terms()).collect();
        let mut count = self.assignments(terms, &args, variables);
        for literal in literals {
            if let FlatLiteral::Holds(atom) = literal {
                count *= self.share(atom);
            }
        }
        count
    }

    /// Of all combinations of values of its columns, the share that a relation has.
    pub(super) fn share(&self, atom: &FlatAtom) -> f64 {
        let relation = atom.relation.index();
        let all: f64 = self.columns[relation].iter().product();
        (self.sizes[relation] / all.max(1.0)).min(1.0)
    }

    /// How many assignments to some variables an atom allows, if it has them all and its relation is complete and not
    /// too large.
    pub(super) fn projection(&self, terms: &Terms, atom: &FlatAtom, variables: &[VariableId]) -> Option<f64> {
        let relation = self.complete.get(atom.relation.index())?;
        let is = |variable: VariableId, arg: TermId| terms.get(arg) == Term::Variable(variable);
        let column = |&variable: &VariableId| atom.args.iter().position(|&arg| is(variable, arg));
        let mut columns = variables.iter().map(column).collect::<Option<Box<[usize]>>>()?;
        columns.sort_unstable();
        if relation.len() > MANY_ROWS {
            return None;
        }
        let count = || {
            let mut projected = Relation::new(columns.len());
            for row in (0..relation.len()).map(|row| relation.row(row)) {
                projected.insert(columns.iter().map(|&column| row.at(column)));
            }
            f64::from(projected.len())
        };
        Some(*self.projections.borrow_mut().entry((atom.relation, columns.clone())).or_insert_with(count))
    }

    /// Whether an atom is a move that somebody makes.
    pub(super) fn is_move(&self, atom: &FlatAtom) -> bool {
        self.is_move.get(atom.relation.index()).is_some_and(|is_move| *is_move)
    }

    /// The number of moves of all roles.
    pub(super) fn moves(&self) -> f64 {
        self.sizes.iter().zip(&self.is_move).filter(|(_, is_move)| **is_move).map(|(size, _)| size).sum()
    }
}

fn moves(program: &Program, flat: &Flat) -> Vec<bool> {
    let does = program.keyword(Keyword::Does);
    flat.relations.iter().map(|info| Some(info.predicate) == does).collect()
}
