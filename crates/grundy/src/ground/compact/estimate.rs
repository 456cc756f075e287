//! How many instances a conjunction has, roughly.
//!
//! The textbook estimate of query planners: the number of assignments of values to variables, times, for
//! each condition, the share of all rows that its relation has.

use super::domains::{Domains, variable_domains};
use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, RelationKind};
use crate::tabling::Relation;
use grundy_syntax::{TermId, Terms, VariableId};

/// Sizes of relations and columns.
pub(super) struct Estimates {
    domains: Domains,
    /// The number of rows of each relation.
    sizes: Vec<f64>,
    /// For each relation the numbers of different values in its columns.
    columns: Vec<Vec<f64>>,
}

impl Estimates {
    pub(super) fn new(flat: &Flat, relations: &[Relation], domains: &Domains) -> Estimates {
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
        let mut estimates = Estimates { domains: domains.clone(), sizes, columns };
        // What rules can derive is often far less than the product of the columns. Each round carries that
        // one view further; three are enough for `legal`, `does` and what follows.
        for _ in 0..3 {
            estimates.refine(flat);
        }
        estimates
    }

    fn refine(&mut self, flat: &Flat) {
        let mut derived = vec![0.0; self.sizes.len()];
        for rule in &flat.rules {
            let variables = self.variables(flat, rule);
            let literals: Vec<&FlatLiteral> = rule.body.iter().collect();
            let matches = self.matches(&flat.terms, &literals, &variables);
            derived[rule.head.relation.0 as usize] +=
                matches.min(self.assignments(&flat.terms, &rule.head.args, &variables));
        }
        for (relation, info) in flat.relations.iter().enumerate() {
            if info.kind != RelationKind::Static {
                self.sizes[relation] = self.sizes[relation].min(derived[relation]).max(1.0);
            }
        }
    }

    /// How many values each variable of a rule can have.
    pub(super) fn variables(&self, flat: &Flat, rule: &FlatRule) -> Vec<f64> {
        let reached = vec![true; flat.relations.len()];
        match variable_domains(flat, rule, &self.domains, &reached) {
            Some(domains) => domains.iter().map(|domain| domain.size().max(1.0)).collect(),
            None => vec![0.0; rule.variables],
        }
    }

    /// The number of assignments to the variables of some terms.
    pub(super) fn assignments(&self, terms: &Terms, args: &[TermId], variables: &[f64]) -> f64 {
        let mut seen: Vec<VariableId> = Vec::new();
        for &arg in args {
            terms.for_each_variable(arg, &mut |variable| {
                if !seen.contains(&variable) {
                    seen.push(variable);
                }
            });
        }
        seen.iter().map(|v| variables[v.0 as usize]).product()
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
        let relation = atom.relation.0 as usize;
        let all: f64 = self.columns[relation].iter().product();
        (self.sizes[relation] / all.max(1.0)).min(1.0)
    }
}
