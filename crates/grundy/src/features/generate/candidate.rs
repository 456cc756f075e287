//! A feature in the making.

use crate::ids::{Id, narrow, wide};
use crate::metarules::{Steps, connected_parts, is_variant, signature, variables_of};
use grundy_syntax::{Budget, Literal, Term, TermId, Terms, VariableId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Conditions, and the variables whose values are counted. Variables are numbered without gaps, by first occurrence.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) body: Vec<Literal>,
    pub(super) variables: u32,
    pub(super) counted: Vec<u32>,
    pub(super) origin: String,
    pub(super) depth: u32,
    occurrences: Vec<u32>,
}

impl Candidate {
    /// Numbers the variables anew and counts all of them, or those that are asked for.
    pub(super) fn new(
        terms: &mut Terms,
        body: &[Literal],
        counted: Option<&[u32]>,
        (origin, depth): (String, u32),
    ) -> Candidate {
        let mut body: Vec<Literal> = body.to_vec();
        let mut seen = Vec::new();
        body.retain(|literal| {
            let is_new = !seen.contains(literal);
            seen.push(literal.clone());
            is_new
        });
        let mut numbers: Vec<VariableId> = Vec::new();
        for variable in body.iter().flat_map(|literal| variables_of(terms, literal)) {
            if !numbers.contains(&variable) {
                numbers.push(variable);
            }
        }
        let new_number =
            |variable: VariableId| narrow(numbers.iter().position(|&other| other == variable).unwrap_or(0));
        let mut rename = |term: TermId| rename(terms, term, &new_number);
        let body: Vec<Literal> =
            body.iter().map(|literal| crate::metarules::map_literal(literal, &mut rename)).collect();
        let mut occurrences = vec![0; numbers.len()];
        for variable in body.iter().flat_map(|literal| variables_of(terms, literal)) {
            occurrences[variable.index()] += 1;
        }
        let counted = match counted {
            Some(counted) => counted.iter().map(|&v| new_number(VariableId(v))).collect(),
            None => (0..numbers.len() as u32).collect(),
        };
        Candidate { body, variables: narrow(numbers.len()), counted, origin, depth, occurrences }
    }

    /// Whether a variable occurs once in the conditions, and is not counted.
    pub(super) fn is_single(&self, variable: u32) -> bool {
        self.occurrences[variable.index()] == 1 && !self.counted.contains(&variable)
    }

    /// Whether positive conditions bind every variable, and all conditions hang together.
    pub(super) fn is_sound(&self, terms: &Terms) -> bool {
        let positive = self.body.iter().filter(|literal| matches!(literal, Literal::Holds(_)));
        let bound: BTreeSet<u32> =
            positive.flat_map(|literal| variables_of(terms, literal)).map(|variable| variable.0).collect();
        let literals: Vec<&Literal> = self.body.iter().collect();
        bound.len() == self.variables.index() && connected_parts(terms, &literals).len() == 1
    }
}

fn rename(terms: &mut Terms, term: TermId, number: &impl Fn(VariableId) -> u32) -> TermId {
    match terms.get(term) {
        Term::Variable(variable) => {
            let variable = VariableId(number(variable));
            terms.variable(variable)
        }
        Term::Constant(_) => term,
        Term::Compound(name, args) => {
            let args: Vec<TermId> = args.to_vec();
            let args: Vec<TermId> = args.into_iter().map(|arg| rename(terms, arg, number)).collect();
            terms.compound(name, &args)
        }
    }
}

/// What is counted, and the conditions.
type Seen = (Vec<TermId>, Vec<Literal>);

/// Candidates that were seen, up to renaming.
pub(super) struct Known {
    by_signature: FxHashMap<u64, Vec<Seen>>,
    steps: Steps,
}

impl Known {
    /// Nothing was seen. When the budget is over, everything seems new.
    pub(super) fn new(budget: &Budget) -> Known {
        Known { by_signature: FxHashMap::default(), steps: Steps::new(u64::MAX, budget) }
    }

    /// Adds a candidate; `false` if it is there already.
    pub(super) fn insert(&mut self, terms: &mut Terms, candidate: &Candidate) -> bool {
        // The order in which variables are counted does not matter.
        let mut head: Vec<TermId> =
            candidate.counted.iter().map(|&v| terms.variable(VariableId(v))).collect();
        head.sort_unstable();
        // `signature` does not look at heads beyond their number, so one order is as good as another for it.
        let key =
            signature(terms, &[], &candidate.body) ^ (wide(head.len())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let terms = &*terms;
        let steps = &self.steps;
        let others = self.by_signature.entry(key).or_default();
        let same = |(other_head, other): &Seen| {
            other_head.len() == head.len()
                && permutations_match(terms, (&head, &candidate.body), (other_head, other), steps)
        };
        if others.iter().any(same) {
            return false;
        }
        others.push((head, candidate.body.clone()));
        true
    }
}

/// Whether two clauses are the same but for names and the order of what is counted.
fn permutations_match(
    terms: &Terms,
    a: (&[TermId], &[Literal]),
    b: (&[TermId], &[Literal]),
    steps: &Steps,
) -> bool {
    let variables = |body: &[Literal]| {
        let all: BTreeSet<u32> =
            body.iter().flat_map(|literal| variables_of(terms, literal)).map(|v| v.0).collect();
        all.len()
    };
    if a.0.len() == variables(a.1) && b.0.len() == variables(b.1) {
        // All variables are counted: the heads say nothing.
        return is_variant(terms, (&[], a.1), (&[], b.1), steps);
    }
    is_variant(terms, a, b, steps)
}
