//! Numbers as text.

use std::fmt::Display;

/// A count as a float, for means and axes. Counts above 2^53 are rounded, those above 2^64 become 2^64.
pub(crate) fn float(count: impl TryInto<u64>) -> f64 {
    count.try_into().unwrap_or(u64::MAX) as f64
}

/// A rounded float as a count; negative numbers and NaN become 0.
pub(crate) fn rounded(number: f64) -> u64 {
    number.round() as u64
}

/// The whole part of a float that is known to be small, such as a logarithm.
pub(crate) fn whole(number: f64) -> i32 {
    number as i32
}

/// A count with a comma between groups of three digits: `1,234,567`.
pub fn grouped(count: impl TryInto<u64>) -> String {
    let digits = count.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (number, digit) in digits.chars().enumerate() {
        if number > 0 && (digits.len() - number).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count that may be too large for 64 bits; `u128::MAX` stands for all larger ones.
pub fn huge(count: u128) -> String {
    match u64::try_from(count) {
        Ok(count) => grouped(count),
        Err(_) if count == u128::MAX => "more than 10^38".to_owned(),
        Err(_) => format!("{:.2e}", count as f64),
    }
}

/// A number with about three significant digits, in groups where it is large.
pub(crate) fn short(number: f64) -> String {
    match number.abs() {
        n if n >= 999.5 && number > 0.0 => grouped(rounded(number)),
        n if n >= 10.0 => format!("{number:.1}"),
        n if n >= 0.01 || n == 0.0 => format!("{number:.3}"),
        _ => format!("{number:.2e}"),
    }
}

/// A number with all of its digits, in groups: `2,186.7`.
pub(crate) fn exact(number: f64) -> String {
    let digits = number.to_string();
    let (whole, fraction) = digits.split_once('.').map_or((digits.as_str(), None), |(w, f)| (w, Some(f)));
    let whole = whole.parse::<u64>().map_or_else(|_| whole.to_owned(), grouped);
    fraction.map_or(whole.clone(), |fraction| format!("{whole}.{fraction}"))
}

/// A number of bytes in units of 1024: `4.00 GiB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let (mut size, mut unit) = (float(count), None);
    for name in UNITS {
        if size >= 1024.0 {
            (size, unit) = (size / 1024.0, Some(name));
        }
    }
    unit.map_or_else(|| format!("{count} B"), |unit| format!("{size:.2} {unit}"))
}

/// `1 error`, `2 errors`, `1,000 tries`. The number is anything that prints as one, such as a grouped count.
pub fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    if number == "1" {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{number} {stem}ies"),
        _ if noun.ends_with("ch") => format!("{number} {noun}es"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_agree_with_their_number() {
        assert_eq!(count(0, "rule"), "0 rules");
        assert_eq!(count(1, "rule"), "1 rule");
        assert_eq!(count(grouped(1_u64), "joint move"), "1 joint move");
        assert_eq!(count(grouped(1001_u64), "try"), "1,001 tries");
        assert_eq!(count(2, "play"), "2 plays");
        assert_eq!(count(2, "match"), "2 matches");
    }

    #[test]
    fn digits_stand_in_groups_of_three() {
        let numbers = [0_u64, 12, 999, 1000, 123_456, 1_234_567];
        assert_eq!(numbers.map(grouped), ["0", "12", "999", "1,000", "123,456", "1,234,567"]);
        assert_eq!(grouped(1234_usize), "1,234");
    }

    #[test]
    fn numbers_keep_three_significant_digits() {
        let numbers = [0.0, 0.001234, 0.5, 12.34, 999.6, 1234567.8];
        assert_eq!(numbers.map(short), ["0.000", "1.23e-3", "0.500", "12.3", "1,000", "1,234,568"]);
        assert_eq!(short(-2000.0), "-2000.0");
        assert_eq!([0.536, 2186.7, 604_800.0].map(exact), ["0.536", "2,186.7", "604,800"]);
    }

    #[test]
    fn bytes_have_binary_units() {
        assert_eq!([0, 1023, 1536, 4 << 30].map(bytes), ["0 B", "1023 B", "1.50 KiB", "4.00 GiB"]);
    }
}
