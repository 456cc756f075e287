//! One test instead of several rules.
//!
//! `(or (distinct ?x ?a) (distinct ?y ?b))` makes two rules that differ in a single test. Together they
//! say that the pairs (x, y) and (a, b) differ, and most of their instances are the same.

use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule};
use rustc_hash::FxHashMap;

/// A head and the conditions of a rule but one.
type Rest = (FlatAtom, Vec<FlatLiteral>);

/// Merges rules of the same origin that differ in one `distinct` each.
pub(super) fn merge_distinct(flat: &mut Flat) {
    let mut kept: Vec<FlatRule> = Vec::with_capacity(flat.rules.len());
    // Rules by what they say besides one of their tests.
    let mut by_rest: FxHashMap<Rest, Vec<(usize, usize)>> = FxHashMap::default();
    for rule in flat.rules.drain(..) {
        let tests: Vec<usize> =
            (0..rule.body.len()).filter(|&at| matches!(rule.body[at], FlatLiteral::Distinct(_))).collect();
        let rests: Vec<_> =
            tests.iter().map(|&at| (at, (rule.head.clone(), without(&rule.body, at)))).collect();
        let partner = rests.iter().find_map(|(at, rest)| Some((*at, *by_rest.get(rest)?.first()?)));
        match partner {
            Some((at, (other, other_at))) => {
                let merged = merge_tests(&kept[other].body[other_at], &rule.body[at]);
                kept[other].body[other_at] = merged;
                // What was known of the other rule is no longer what it says.
                by_rest
                    .values_mut()
                    .for_each(|places| places.retain(|&(known, place)| known != other || place == other_at));
            }
            None => {
                for (at, rest) in rests {
                    by_rest.entry(rest).or_default().push((kept.len(), at));
                }
                kept.push(rule);
            }
        }
    }
    flat.rules = kept;
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
