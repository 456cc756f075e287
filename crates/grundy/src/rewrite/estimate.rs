//! Estimates of the number of instances of a conjunction.
//!
//! The textbook estimate of query planners: the number of assignments of values to variables, times, for
//! each condition, the share of all rows that its relation has.

use super::domains::{Domains, variable_domains};
use crate::datalog::{Relation, Relations};
use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, RelationId, RelationKind};
use crate::ids::{BitSet, IdVec, float};
use grundy_syntax::{Keyword, Program, Term, TermId, Terms, Ticks, VariableId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The largest number of rows for which projections are counted exactly. A guess.
const MOST_ROWS_TO_PROJECT: u32 = 1 << 17;

/// The number of rounds in which sizes are refined by the sizes of conditions. Each round reaches one more view; three cover
/// `legal`, `does` and their readers. A guess.
const REFINEMENT_ROUNDS: usize = 3;

/// The numbers of different rows in some columns of relations.
type Projections = RefCell<FxHashMap<(RelationId, Box<[usize]>), f64>>;

/// The number of possible values of each variable of a rule.
pub(super) type VariableSizes = IdVec<VariableId, f64>;

/// Sizes of relations and columns.
pub(super) struct Estimates<'a> {
    /// The relations, if they are complete.
    complete: Option<&'a Relations>,
    projections: Projections,
    /// The domain of each column, if relations are not complete yet.
    domains: Option<Domains>,
    /// The number of rows of each relation.
    sizes: IdVec<RelationId, f64>,
    /// For each relation the numbers of different values in its columns.
    columns: IdVec<RelationId, Vec<f64>>,
    /// The relations whose rows are moves.
    moves: BitSet<RelationId>,
}

impl<'a> Estimates<'a> {
    pub(super) fn new(
        program: &Program,
        flat: &Flat,
        relations: &Relations,
        domains: &Domains,
    ) -> Estimates<'a> {
        let columns: IdVec<RelationId, Vec<f64>> = domains
            .iter()
            .map(|columns| columns.iter().map(|domain| domain.size().max(1.0)).collect())
            .collect();
        let mut sizes: IdVec<RelationId, f64> =
            columns.iter().map(|columns| columns.iter().product()).collect();
        for (relation, rows) in relations.entries() {
            if flat.info(relation).kind == RelationKind::Static {
                sizes[relation] = f64::from(rows.len());
            }
        }
        let mut estimates = Estimates {
            complete: None,
            projections: Projections::default(),
            domains: Some(domains.clone()),
            sizes,
            columns,
            moves: moves(program, flat),
        };
        // Rules often derive far fewer rows than the product of the columns.
        for _ in 0..REFINEMENT_ROUNDS {
            estimates.refine(flat);
        }
        estimates
    }

    fn refine(&mut self, flat: &Flat) {
        let mut derived = IdVec::filled(0.0, self.sizes.len());
        let mut ticks = Ticks::default();
        for rule in &flat.rules {
            if ticks.work(&flat.budget, 8 * (1 + rule.variables + rule.body.len())).is_err() {
                return;
            }
            let variables = self.variables(flat, rule);
            let literals: Vec<&FlatLiteral> = rule.body.iter().collect();
            let matches = self.matches(&flat.terms, &literals, &variables);
            derived[rule.head.relation] +=
                matches.min(self.assignments(&flat.terms, &rule.head.args, &variables));
        }
        for (relation, info) in flat.relations.entries() {
            if info.kind != RelationKind::Static {
                self.sizes[relation] = f64::min(self.sizes[relation], derived[relation]).max(1.0);
            }
        }
    }

    /// The sizes of complete relations.
    pub(super) fn exact(program: &Program, flat: &Flat, relations: &'a Relations) -> Estimates<'a> {
        let sizes = relations.iter().map(|relation| f64::from(relation.len())).collect();
        let distinct = |relation: &Relation, column| float(relation.count_distinct(column));
        let of = |relation: &'a Relation| {
            (0..relation.arity()).map(move |column| distinct(relation, column)).collect()
        };
        let columns = relations.iter().map(of).collect();
        Estimates {
            complete: Some(relations),
            projections: Projections::default(),
            domains: None,
            sizes,
            columns,
            moves: moves(program, flat),
        }
    }

    /// The number of possible values of each variable of a rule.
    pub(super) fn variables(&self, flat: &Flat, rule: &FlatRule) -> VariableSizes {
        let Some(domains) = &self.domains else { return self.variables_by_columns(flat, rule) };
        match variable_domains(flat, rule, domains, |_| true) {
            Some(domains) => domains.iter().map(|domain| domain.size().max(1.0)).collect(),
            None => IdVec::filled(0.0, rule.variables),
        }
    }

    /// The same from columns: a variable has no more values than any of its columns.
    fn variables_by_columns(&self, flat: &Flat, rule: &FlatRule) -> VariableSizes {
        let mut sizes = VariableSizes::filled(f64::INFINITY, rule.variables);
        for literal in &rule.body {
            let FlatLiteral::Holds(atom) = literal else { continue };
            for (&arg, &values) in atom.args.iter().zip(&self.columns[atom.relation]) {
                flat.terms.for_each_variable(arg, &mut |variable| {
                    let size = &mut sizes[variable];
                    *size = size.min(values);
                });
            }
        }
        sizes
    }

    /// The number of assignments to the variables of some terms.
    pub(super) fn assignments(&self, terms: &Terms, args: &[TermId], variables: &VariableSizes) -> f64 {
        let mut seen: Vec<VariableId> = Vec::new();
        let mut is_seen = BitSet::empty(variables.len());
        for &arg in args {
            terms.for_each_variable(arg, &mut |variable| {
                if is_seen.insert(variable) {
                    seen.push(variable);
                }
            });
        }
        seen.iter().map(|v| variables[*v]).product()
    }

    /// The number of assignments that satisfy all conditions.
    pub(super) fn matches(&self, terms: &Terms, literals: &[&FlatLiteral], variables: &VariableSizes) -> f64 {
        let args: Vec<TermId> = literals.iter().flat_map(|literal| literal.terms()).collect();
        let mut count = self.assignments(terms, &args, variables);
        for literal in literals {
            if let FlatLiteral::Holds(atom) = literal {
                count *= self.share(atom);
            }
        }
        count
    }

    /// The share of all combinations of column values that are rows of the relation.
    pub(super) fn share(&self, atom: &FlatAtom) -> f64 {
        let relation = atom.relation;
        let all: f64 = self.columns[relation].iter().product();
        (self.sizes[relation] / all.max(1.0)).min(1.0)
    }

    /// The number of assignments to some variables that an atom allows, if it has all of them, and its relation is complete
    /// and not too large.
    pub(super) fn projection(&self, terms: &Terms, atom: &FlatAtom, variables: &[VariableId]) -> Option<f64> {
        let relation = self.complete?.get(atom.relation)?;
        let is = |variable: VariableId, arg: TermId| terms.get(arg) == Term::Variable(variable);
        let column = |&variable: &VariableId| atom.args.iter().position(|&arg| is(variable, arg));
        let mut columns = variables.iter().map(column).collect::<Option<Box<[usize]>>>()?;
        columns.sort_unstable();
        if relation.len() > MOST_ROWS_TO_PROJECT {
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

    /// Whether an atom is a move.
    pub(super) fn is_move(&self, atom: &FlatAtom) -> bool {
        self.moves.contains_if_known(atom.relation)
    }

    /// The number of moves of all roles.
    pub(super) fn moves(&self) -> f64 {
        self.moves.iter().map(|relation| self.sizes[relation]).sum()
    }
}

fn moves(program: &Program, flat: &Flat) -> BitSet<RelationId> {
    let does = program.keyword(Keyword::Does);
    flat.relations_where(|&relation| Some(flat.info(relation).predicate) == does)
}
