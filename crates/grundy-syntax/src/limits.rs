//! What a reader may spend on an untrusted text.

use crate::budget::Budget;

/// Bounds on reading; exceeding one is a diagnostic of severity [`Limit`](crate::Severity::Limit).
#[derive(Clone, Debug)]
pub struct Limits {
    /// How deep parentheses may nest.
    pub nesting: usize,
    /// How many rules one rule with `or` may become.
    pub branches: usize,
    /// How many rules and constraints a program may have.
    pub rules: usize,
    /// How many errors are kept, and how many warnings; a text of garbage would otherwise fill the
    /// memory with them.
    pub diagnostics: usize,
    /// The time and memory of the whole call.
    pub budget: Budget,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            nesting: 200,
            branches: 10_000,
            rules: 10_000_000,
            diagnostics: 10_000,
            budget: Budget::default(),
        }
    }
}
