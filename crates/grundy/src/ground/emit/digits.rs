//! Decimal numbers, fast.

use crate::ids::Id;

/// All numbers of four digits, as text. Two lookups write what took eight divisions, and a program of
/// ten million rules has a hundred million numbers.
pub(super) struct Digits {
    groups: Box<[[u8; 4]]>,
}

impl Digits {
    pub(super) fn new() -> Digits {
        let digit = |number: u32, power: u32| b'0' + u8::try_from(number / power % 10).expect("a digit");
        let group = |number| [digit(number, 1000), digit(number, 100), digit(number, 10), digit(number, 1)];
        Digits { groups: (0..10_000).map(group).collect() }
    }

    /// Appends a number.
    #[inline]
    pub(super) fn push(&self, number: u32, out: &mut Vec<u8>) {
        if number < 10_000 {
            self.push_first(number, out);
        } else if number < 100_000_000 {
            self.push_first(number / 10_000, out);
            out.extend_from_slice(&self.groups[number.index() % 10_000]);
        } else {
            self.push_first(number / 100_000_000, out);
            out.extend_from_slice(&self.groups[number.index() / 10_000 % 10_000]);
            out.extend_from_slice(&self.groups[number.index() % 10_000]);
        }
    }

    /// Appends a group without leading zeros.
    #[inline]
    fn push_first(&self, number: u32, out: &mut Vec<u8>) {
        let group = &self.groups[number.index()];
        match number {
            0..10 => out.push(group[3]),
            10..100 => out.extend_from_slice(&group[2..]),
            100..1000 => out.extend_from_slice(&group[1..]),
            _ => out.extend_from_slice(group),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_equal_those_of_the_standard_library() {
        let digits = Digits::new();
        let edges = (0..10).flat_map(|power| {
            let power = 10u32.pow(power);
            [power - 1, power, power + 1]
        });
        for number in edges.chain([0, 1_002_003, 12_000_400, u32::MAX]) {
            let mut text = Vec::new();
            digits.push(number, &mut text);
            assert_eq!(text, number.to_string().as_bytes());
        }
    }
}
