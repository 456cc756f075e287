//! Repeated records of a block: a static test whether there can be any, and their removal.
//!
//! A hash table over all records would cost a cache miss for each instance. Instead, repeats are removed from time to time:
//! hashes are distributed to buckets (a radix partition), each small enough for the cache, and a small hash table finds
//! equal hashes within a bucket. Only records with equal hashes are compared.

use super::arena::Arena;
use super::recipe::variables;
use crate::datalog::{lower, upper};
use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, RelationId, RelationKind};
use crate::ids::{BitSet, Id, length, wide};
use grundy_syntax::{TermId, Terms};

/// Blocks with more rules than this are assumed to have repeats, since the test compares all pairs of rules. A guess.
const MOST_RULES_IN_PAIRS: usize = 64;

/// The number of hashes that are distributed at a time: 32 MB. A guess between memory and passes over the records.
const HASHES_PER_PASS: usize = 1 << 22;

/// The binary logarithm of the mean number of hashes in a bucket: 8 kB of hashes, and a table of 16 kB, fit into the first
/// cache.
const BUCKET_BITS: u32 = 10;

/// An empty slot. No record has the number of its lower half.
const EMPTY: u64 = u64::MAX;

/// Removes all records that are equal to an earlier one. Returns their number.
pub(super) fn remove_repeats(records: &mut Arena) -> u64 {
    let mut repeats: Vec<u32> = Vec::new();
    let bits = (records.len().max(1).ilog2() + 1).saturating_sub(BUCKET_BITS).min(31);
    let bucket_of = |hash: u32| length(u64::from(hash) << bits >> 32);
    let mut sizes: Vec<usize> = vec![0; 1 << bits];
    records.iter().for_each(|record| sizes[bucket_of(hash(record))] += 1);
    let (mut hashes, mut slots): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    let mut first = 0;
    while first < sizes.len() {
        // As many buckets as fit into a pass, and at least one.
        let (mut last, mut size) = (first, 0);
        while last < sizes.len() && (last == first || size + sizes[last] <= HASHES_PER_PASS) {
            size += sizes[last];
            last += 1;
        }
        let ends =
            distribute(records, &sizes[first..last], &mut hashes, |hash| bucket_of(hash).checked_sub(first));
        let mut start = 0;
        for end in ends {
            find_repeats(records, &hashes[start..end], &mut slots, &mut repeats);
            start = end;
        }
        first = last;
    }
    if !repeats.is_empty() {
        repeats.sort_unstable();
        let (mut number, mut next) = (0, repeats.iter().peekable());
        records.retain(|_| {
            number += 1;
            next.next_if(|&&repeat| repeat == number - 1).is_none()
        });
    }
    wide(repeats.len())
}

/// An upper estimate of the memory that removing repeats takes.
pub(super) fn bytes_to_remove(records: usize) -> usize {
    // The numbers of repeats are kept, and all records but one may be repeats.
    records.min(HASHES_PER_PASS) * size_of::<u64>() + records * 4
}

/// Distributes hashes, each with the number of its record, to buckets of these sizes. Returns the end of each bucket.
fn distribute(
    records: &Arena,
    sizes: &[usize],
    hashes: &mut Vec<u64>,
    bucket_of: impl Fn(u32) -> Option<usize>,
) -> Vec<usize> {
    let mut next: Vec<usize> = Vec::with_capacity(sizes.len());
    let total = sizes.iter().fold(0, |start, size| {
        next.push(start);
        start + size
    });
    hashes.clear();
    hashes.resize(total, 0);
    for (number, record) in (0u64..).zip(records.iter()) {
        let hash = hash(record);
        if let Some(place) = bucket_of(hash).and_then(|bucket| next.get_mut(bucket)) {
            hashes[*place] = u64::from(hash) << 32 | number;
            *place += 1;
        }
    }
    next
}

/// Finds the records of a bucket that are equal to an earlier one.
fn find_repeats(records: &Arena, bucket: &[u64], slots: &mut Vec<u64>, repeats: &mut Vec<u32>) {
    slots.clear();
    slots.resize((2 * bucket.len()).next_power_of_two(), EMPTY);
    for &entry in bucket {
        let mut at = length(entry >> 32) & (slots.len() - 1);
        loop {
            let other = slots[at];
            if other == EMPTY {
                slots[at] = entry;
                break;
            }
            if other >> 32 == entry >> 32 && same(records, lower(other), lower(entry)) {
                repeats.push(lower(entry));
                break;
            }
            at = (at + 1) & (slots.len() - 1);
        }
    }
}

/// Whether two records are equal. Records are short, so a loop is faster than a call to `memcmp`.
fn same(records: &Arena, a: u32, b: u32) -> bool {
    records.get(a.index()).iter().zip(records.get(b.index())).all(|(a, b)| a == b)
}

/// 32 bits of hash.
#[inline]
fn hash(record: &[u32]) -> u32 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let folded =
        record.iter().fold(0u64, |hash, &value| (hash.rotate_left(23) ^ u64::from(value)).wrapping_mul(K));
    upper(folded)
}

/// Whether two matches of these rules, which share a block, may leave the same record.
pub(super) fn may_repeat(flat: &Flat, rules: &[&FlatRule], dynamic: &BitSet<RelationId>) -> bool {
    let kept = |rule: &FlatRule| -> Vec<(RelationId, bool, FlatAtom)> {
        let conditions = rule.body.iter().filter_map(|literal| Some((literal, literal.atom()?)));
        let conditions = conditions.filter(|(_, atom)| dynamic.contains(atom.relation));
        let sign = |literal: &FlatLiteral| matches!(literal, FlatLiteral::Holds(_));
        let mut kept: Vec<_> =
            conditions.map(|(literal, atom)| (atom.relation, sign(literal), atom.clone())).collect();
        kept.sort_by_key(|(relation, sign, _)| (*relation, *sign));
        kept
    };
    // Conditions of the same relation may be exchanged, unless they have different constants.
    let may_change_places = |rule: &FlatRule| {
        let kept = kept(rule);
        (0..kept.len()).any(|at| {
            let (relation, sign, atom) = &kept[at];
            let others = kept[at + 1..].iter().take_while(|(r, s, _)| (r, s) == (relation, sign));
            others.into_iter().any(|(_, _, other)| !clash(&flat.terms, atom, other))
        })
    };
    // A guard may gain rows, and admit the same match again.
    let guards = |rule: &FlatRule| {
        let atoms = rule.body.iter().filter_map(FlatLiteral::atom);
        atoms.map(|atom| flat.info(atom.relation).kind).any(|kind| kind == RelationKind::Guard)
    };
    let determined = |rule: &FlatRule| {
        let atoms = kept(rule);
        let atoms = atoms.iter().map(|(_, _, atom)| atom).chain([&rule.head]);
        variables(&flat.terms, rule, atoms).iter().count() == rule.variables
    };
    let alone = |rule: &&FlatRule| !may_change_places(rule) && (!guards(rule) || determined(rule));
    // Two rules differ if their heads do, or conditions that are the only ones of their relation and sign.
    let differ = |a: &FlatRule, b: &FlatRule| {
        let (kept_a, kept_b) = (kept(a), kept(b));
        let kind = |kept: &[(RelationId, bool, FlatAtom)], at: usize| (kept[at].0, kept[at].1);
        let is_single = |at: usize| {
            (0..kept_a.len()).filter(|&other| kind(&kept_a, other) == kind(&kept_a, at)).count() == 1
        };
        clash(&flat.terms, &a.head, &b.head)
            || (0..kept_a.len()).any(|at| is_single(at) && clash(&flat.terms, &kept_a[at].2, &kept_b[at].2))
    };
    rules.len() > MOST_RULES_IN_PAIRS
        || !rules.iter().all(alone)
        || (0..rules.len()).any(|b| (0..b).any(|a| !differ(rules[a], rules[b])))
}

/// Whether two atoms of a relation have different constants in some column.
fn clash(terms: &Terms, a: &FlatAtom, b: &FlatAtom) -> bool {
    let differ = |(&a, &b): (&TermId, &TermId)| a != b && terms.is_ground(a) && terms.is_ground(b);
    a.args.iter().zip(&b.args).any(differ)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_records_stays() {
        let mut arena = Arena::new(2);
        let numbers = (0u32..40_000).map(|i| i.wrapping_mul(2_654_435_761) % 10_007);
        let mut expected: Vec<u32> = Vec::new();
        for number in numbers {
            arena.push(&[number, number / 7]);
            if !expected.contains(&number) {
                expected.push(number);
            }
        }
        assert_eq!(remove_repeats(&mut arena), wide(40_000 - expected.len()));
        assert!(arena.iter().map(|record| record[0]).eq(expected));
        assert_eq!(remove_repeats(&mut arena), 0);
    }
}
