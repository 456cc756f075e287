//! Removing records that stand in an arena twice.
//!
//! A hash table that grows with the rules would be read and written all over the place, once for each instance.
//! Instead, the hashes of many records are sorted, now and then; only records with the same hash are compared.

use super::arena::Arena;

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
    records.min(AT_ONCE) * (BYTES_PER_HASH + BYTES_PER_HASH / 8)
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
