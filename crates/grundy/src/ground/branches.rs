//! Branches of an `or` that differ only in tests are matched as one rule. The number of branches that each instance belongs
//! to is counted, since all but one are repeats.

use super::recipe::variables;
use crate::flat::{Flat, FlatLiteral, FlatRule, FlatRuleId, RelationKind};
use crate::ids::{IdVec, wide};
use crate::rewrite::{Alternatives, merge_distinct};
use grundy_syntax::{Term, TermId, Terms, VariableId};

/// One side of a comparison.
enum Side {
    /// The value of a variable.
    Variable(VariableId),
    /// A term without variables.
    Constant(u32),
}

/// The branches that a rule stands for, each with its tests; a test holds if one of its pairs differs. A rule that was not
/// merged has none.
#[derive(Default)]
pub(super) struct Branches(Vec<Vec<Vec<(Side, Side)>>>);

impl Branches {
    /// The number of matching branches besides the first.
    #[inline]
    pub(super) fn repeats(&self, registers: &[u32]) -> u64 {
        if self.0.is_empty() { 0 } else { self.count(registers) - 1 }
    }

    fn count(&self, registers: &[u32]) -> u64 {
        let value = |side: &Side| match side {
            Side::Variable(variable) => registers[variable.index()],
            Side::Constant(term) => *term,
        };
        let holds = |test: &Vec<(Side, Side)>| test.iter().any(|(a, b)| value(a) != value(b));
        wide(self.0.iter().filter(|branch| branch.iter().all(holds)).count())
    }
}

/// Merges the rules that differ only in tests. Returns the branches of each remaining rule.
pub(super) fn merge_branches(flat: &mut Flat) -> IdVec<FlatRuleId, Branches> {
    let merged = merge_distinct(flat, shows_its_tests);
    merged.into_iter().map(|alternatives| branches(&flat.terms, alternatives)).collect()
}

/// Whether the stored part of an instance has all variables that the tests of its rule compare, so that instances of
/// different branches can be told apart.
fn shows_its_tests(flat: &Flat, rule: &FlatRule) -> bool {
    let is_stored = |literal: &&FlatLiteral| {
        literal.atom().is_some_and(|atom| flat.info(atom.relation).kind == RelationKind::Dynamic)
    };
    let stored = rule.body.iter().filter(is_stored).filter_map(FlatLiteral::atom);
    let seen = variables(&flat.terms, rule, stored.chain([&rule.head]));
    let is_seen = |term: TermId| match flat.terms.get(term) {
        Term::Variable(variable) => seen.contains(variable),
        _ => flat.terms.is_ground(term),
    };
    let tests = rule.body.iter().filter(|literal| matches!(literal, FlatLiteral::Distinct(_)));
    tests.flat_map(|test| test.terms()).all(is_seen)
}

fn branches(terms: &Terms, alternatives: Alternatives) -> Branches {
    let side = |term: TermId| match terms.get(term) {
        Term::Variable(variable) => Side::Variable(variable),
        _ => Side::Constant(term.0),
    };
    let pairs = |test: &[(TermId, TermId)]| test.iter().map(|&(a, b)| (side(a), side(b))).collect();
    let branch = |tests: Vec<Box<[(TermId, TermId)]>>| tests.iter().map(|test| pairs(test)).collect();
    Branches(alternatives.into_iter().map(branch).collect())
}
