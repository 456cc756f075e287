//! «Did you mean …?»

use std::cmp::Reverse;

/// The candidate that a name is most likely a slip of, if one is close enough. Of equally close ones it is
/// the one that begins alike for longer.
pub(super) fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = match name.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let near = candidates.filter(|candidate| *candidate != name).filter_map(|candidate| {
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
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found() {
        let names = ["terminal", "legal", "cell", "succ"];
        let closest = |name| closest(name, names.into_iter());
        assert_eq!(closest("terminl"), Some("terminal"));
        assert_eq!(closest("lgeal"), Some("legal"));
        assert_eq!(closest("Cell"), Some("cell"));
        assert_eq!(closest("row"), None);
        assert_eq!(super::closest("rowe", ["role", "row"].into_iter()), Some("row"));
        assert_eq!(closest("cell"), None);
    }
}
