//! Suggestions for misspelt names.

use std::cmp::Reverse;

/// The largest number of candidates, to bound the time for invalid input. A guess.
pub(super) const MOST_CANDIDATES: usize = 1_000;

/// The longest name, to bound the time for invalid input. A guess.
const LONGEST_NAME: usize = 64;

/// The candidate that a name is most likely a misspelling of, if one is close enough. Among equally close ones, the one with
/// the longest common prefix.
pub(super) fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = match name.chars().count() {
        0..=2 => 0,
        length if length > LONGEST_NAME => return None,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let candidates = candidates.take(MOST_CANDIDATES).filter(|candidate| *candidate != name);
    let near = candidates.filter_map(|candidate| {
        let distance = distance(&name.to_lowercase(), &candidate.to_lowercase(), allowed)?;
        let common =
            name.chars().zip(candidate.chars()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
        Some((distance, Reverse(common), candidate))
    });
    near.min().map(|(.., candidate)| candidate)
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words,
/// if it is at most `limit`.
fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    if a.chars().count().abs_diff(b.chars().count()) > limit {
        return None;
    }
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = match (i, j) {
                (0, _) => j,
                (_, 0) => i,
                _ => {
                    let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                    let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    if swapped { best.min(rows[i - 2][j - 2] + 1) } else { best }
                }
            };
        }
    }
    Some(rows[a.len()][b.len()]).filter(|&distance| distance <= limit)
}

/// Whether two words differ by a swap of neighbours or by a missing letter, and are long enough for that to be a
/// misspelling. A replaced letter is often intended (`?fromx`, `?fromy`), and so are numbers.
pub(super) fn is_typo(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let is_word = |word: &str| {
        word.len() > 4 && word.len() < LONGEST_NAME && !word.contains(|c: char| c.is_ascii_digit())
    };
    if !is_word(short) || !is_word(long) || short == long {
        return false;
    }
    let common = short.bytes().zip(long.bytes()).take_while(|(a, b)| a == b).count();
    let (rest, other) = (&short.as_bytes()[common..], &long.as_bytes()[common..]);
    let left_out = other.len() == rest.len() + 1 && other[1..] == *rest;
    let swapped = match (rest, other) {
        ([a, b, rest @ ..], [c, d, other @ ..]) => a == d && b == c && rest == other,
        _ => false,
    };
    left_out || swapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_found() {
        let names = ["terminal", "legal", "cell", "succ"];
        let closest = |name| closest(name, names.into_iter());
        assert_eq!(closest("terminl"), Some("terminal"));
        assert_eq!(closest("lgeal"), Some("legal"));
        assert_eq!(closest("Cell"), Some("cell"));
        assert_eq!(closest("row"), None);
        assert_eq!(super::closest("rowe", ["role", "row"].into_iter()), Some("row"));
        assert_eq!(closest("cell"), None);
    }

    #[test]
    fn typos_are_swapped_and_missing_letters() {
        assert!(is_typo("?other", "?ohter"));
        assert!(is_typo("?player", "?plyer"));
        assert!(is_typo("?plyer", "?player"));
        assert!(!is_typo("?fromx", "?fromy"));
        assert!(!is_typo("?row1", "?row12"));
        assert!(!is_typo("?xs", "?sx"));
        assert!(!is_typo("?other", "?other"));
    }
}
