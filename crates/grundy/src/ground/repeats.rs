//! Records that stand in an arena twice: whether there can be any, and removing them.
//!
//! A hash table that grows with the rules would be read and written all over the place, once for each instance.
//! Instead, the hashes of many records are sorted, now and then; only records with the same hash are compared.

use super::arena::Arena;
use super::recipe::variables;
use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, RelationId, RelationKind};
use grundy_syntax::{TermId, Terms};

/// Rules of one kind are compared in pairs if they are not more than this.
const FEW_RULES: usize = 64;

/// So many hashes are sorted at a time, about.
const AT_ONCE: usize = 1 << 22;

/// Memory for one hash with the number of its record.
const BYTES_PER_HASH: usize = 8;

/// Removes the records that have stood in an arena before; the first of them stays in its place. Tells how many.
pub(super) fn remove_repeats(records: &mut Arena) -> u64 {
    let parts = records.len().div_ceil(AT_ONCE) as u64;
    let mut repeats: Vec<u32> = Vec::new();
    for part in 0..parts {
        let mut hashes: Vec<u64> = Vec::with_capacity(records.len() / parts as usize + records.len() / 64);
        for (number, record) in (0u64..).zip(records.iter()) {
            let hash = hash(record);
            if parts == 1 || hash % parts == part {
                hashes.push(hash << 32 | number);
            }
        }
        hashes.sort_unstable();
        hashes.chunk_by(|a, b| a >> 32 == b >> 32).for_each(|group| compare(records, group, &mut repeats));
    }
    if !repeats.is_empty() {
        repeats.sort_unstable();
        let (mut number, mut next) = (0, repeats.iter().peekable());
        records.retain(|_| {
            number += 1;
            next.next_if(|&&repeat| repeat == number - 1).is_none()
        });
    }
    repeats.len() as u64
}

/// The most memory that removing repeats among so many records takes, about.
pub(super) fn bytes_to_remove(records: usize) -> usize {
    let hashes = records.min(AT_ONCE) * (BYTES_PER_HASH + BYTES_PER_HASH / 8);
    // All but one may be repeats, and are remembered by number.
    hashes + records * 4
}

/// Adds the numbers of the records of a group that are equal to one before them.
fn compare(records: &Arena, group: &[u64], repeats: &mut Vec<u32>) {
    if group.len() == 1 {
        return;
    }
    let mut different: Vec<u32> = Vec::new();
    for number in group.iter().map(|&hash| hash as u32) {
        if different.iter().any(|&other| records.get(other as usize) == records.get(number as usize)) {
            repeats.push(number);
        } else {
            different.push(number);
        }
    }
}

/// 32 bits of hash.
#[inline]
fn hash(record: &[u32]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let folded =
        record.iter().fold(0u64, |hash, &value| (hash.rotate_left(23) ^ u64::from(value)).wrapping_mul(K));
    folded >> 32
}

/// Whether two matches of these rules, which are stored in one block, may leave the same stored rule.
pub(super) fn may_repeat(flat: &Flat, rules: &[&FlatRule], dynamic: &[bool]) -> bool {
    let kept = |rule: &FlatRule| -> Vec<(RelationId, bool, FlatAtom)> {
        let conditions = rule.body.iter().filter_map(|literal| Some((literal, literal.atom()?)));
        let conditions = conditions.filter(|(_, atom)| dynamic[atom.relation.0 as usize]);
        let sign = |literal: &FlatLiteral| matches!(literal, FlatLiteral::Holds(_));
        let mut kept: Vec<_> =
            conditions.map(|(literal, atom)| (atom.relation, sign(literal), atom.clone())).collect();
        kept.sort_by_key(|(relation, sign, _)| (*relation, *sign));
        kept
    };
    // Conditions of the same relation may change places, unless they have different constants.
    let may_change_places = |rule: &FlatRule| {
        let kept = kept(rule);
        (0..kept.len()).any(|at| {
            let (relation, sign, atom) = &kept[at];
            let others = kept[at + 1..].iter().take_while(|(r, s, _)| (r, s) == (relation, sign));
            others.into_iter().any(|(_, _, other)| !clash(&flat.terms, atom, other))
        })
    };
    // A guard may have more rows later, and let the same match through again.
    let guards = |rule: &FlatRule| {
        let atoms = rule.body.iter().filter_map(FlatLiteral::atom);
        atoms.map(|atom| flat.info(atom.relation).kind).any(|kind| kind == RelationKind::Guard)
    };
    let determined = |rule: &FlatRule| {
        let atoms = kept(rule);
        let atoms = atoms.iter().map(|(_, _, atom)| atom).chain([&rule.head]);
        variables(&flat.terms, rule, atoms).iter().all(|&seen| seen)
    };
    let alone = |rule: &&FlatRule| !may_change_places(rule) && (!guards(rule) || determined(rule));
    // Two rules differ if their heads do, or conditions that nothing else can be mistaken for.
    let differ = |a: &FlatRule, b: &FlatRule| {
        let (kept_a, kept_b) = (kept(a), kept(b));
        let kind = |kept: &[(RelationId, bool, FlatAtom)], at: usize| (kept[at].0, kept[at].1);
        let is_single = |at: usize| {
            (0..kept_a.len()).filter(|&other| kind(&kept_a, other) == kind(&kept_a, at)).count() == 1
        };
        clash(&flat.terms, &a.head, &b.head)
            || (0..kept_a.len()).any(|at| is_single(at) && clash(&flat.terms, &kept_a[at].2, &kept_b[at].2))
    };
    rules.len() > FEW_RULES
        || !rules.iter().all(alone)
        || (0..rules.len()).any(|b| (0..b).any(|a| !differ(rules[a], rules[b])))
}

/// Whether two atoms of a relation have different constants in some place.
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
        assert_eq!(remove_repeats(&mut arena), 40_000 - expected.len() as u64);
        assert!(arena.iter().map(|record| record[0]).eq(expected));
        assert_eq!(remove_repeats(&mut arena), 0);
    }
}
