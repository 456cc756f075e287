//! Merging of rules that differ in a single test.
//!
//! `(or (distinct ?x ?a) (distinct ?y ?b))` makes two rules that differ in a single test. Together they
//! say that the pairs (x, y) and (a, b) differ, and most of their instances are the same.

use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, FlatRuleId};
use crate::ids::IdVec;
use grundy_syntax::TermId;
use rustc_hash::FxHashMap;

/// A head and the conditions of a rule but one.
type Rest = (FlatAtom, Vec<FlatLiteral>);

/// A test: at least one of the pairs differs.
pub(crate) type Test = Box<[(TermId, TermId)]>;

/// The tests of each of the rules that a rule was merged from; empty if it was not merged.
pub(crate) type Alternatives = Vec<Vec<Test>>;

/// Merges rules that differ in one `distinct` each, until there are none. Returns for each remaining rule what was merged
/// into it.
pub(crate) fn merge_distinct(
    flat: &mut Flat,
    may_merge: impl Fn(&Flat, &FlatRule) -> bool,
) -> IdVec<FlatRuleId, Alternatives> {
    let mut alternatives = IdVec::filled(Alternatives::new(), flat.rules.len());
    loop {
        let before = flat.rules.len();
        merge_once(flat, &mut alternatives, &may_merge);
        if flat.rules.len() == before {
            return alternatives;
        }
    }
}

fn merge_once(
    flat: &mut Flat,
    alternatives: &mut IdVec<FlatRuleId, Alternatives>,
    may_merge: &impl Fn(&Flat, &FlatRule) -> bool,
) {
    let mut kept: IdVec<FlatRuleId, (FlatRule, Alternatives)> = IdVec::default();
    // Rules by their head and their conditions without one test.
    let mut by_rest: FxHashMap<Rest, Vec<(FlatRuleId, usize)>> = FxHashMap::default();
    for (rule, merged) in std::mem::take(&mut flat.rules).into_iter().zip(std::mem::take(alternatives)) {
        let is_test = |at: &usize| matches!(rule.body[*at], FlatLiteral::Distinct(_));
        let tests: Vec<usize> = (0..rule.body.len()).filter(is_test).collect();
        let tests = if tests.is_empty() || may_merge(flat, &rule) { tests } else { Vec::new() };
        let rests: Vec<_> =
            tests.iter().map(|&at| (at, (rule.head.clone(), without(&rule.body, at)))).collect();
        let partner = rests.iter().find_map(|(at, rest)| Some((*at, *by_rest.get(rest)?.first()?)));
        match partner {
            Some((at, (id, other_at))) => {
                let (other, others_merged) = &mut kept[id];
                let mut all = tests_of(other, std::mem::take(others_merged));
                all.extend(tests_of(&rule, merged));
                *others_merged = all;
                other.body[other_at] = merge_tests(&other.body[other_at], &rule.body[at]);
                // The other rule has changed, so its other keys are invalid.
                by_rest
                    .values_mut()
                    .for_each(|places| places.retain(|&(known, place)| known != id || place == other_at));
            }
            None => {
                let id = kept.push((rule, merged));
                for (at, rest) in rests {
                    by_rest.entry(rest).or_default().push((id, at));
                }
            }
        }
    }
    let (rules, merged): (Vec<_>, Vec<_>) = kept.into_iter().unzip();
    (flat.rules, *alternatives) = (rules.into(), merged.into());
}

/// The tests of the rules that a rule was merged from, or of itself.
fn tests_of(rule: &FlatRule, merged: Alternatives) -> Alternatives {
    if !merged.is_empty() {
        return merged;
    }
    let test = |literal: &FlatLiteral| match literal {
        FlatLiteral::Distinct(pairs) => Some(pairs.clone()),
        _ => None,
    };
    vec![rule.body.iter().filter_map(test).collect()]
}

fn without(body: &[FlatLiteral], at: usize) -> Vec<FlatLiteral> {
    body.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, literal)| literal.clone()).collect()
}

fn merge_tests(a: &FlatLiteral, b: &FlatLiteral) -> FlatLiteral {
    match (a, b) {
        (FlatLiteral::Distinct(a), FlatLiteral::Distinct(b)) => {
            let mut pairs = [&a[..], &b[..]].concat();
            pairs.sort_unstable();
            pairs.dedup();
            FlatLiteral::Distinct(pairs.into())
        }
        _ => a.clone(),
    }
}
