//! What a reader may spend on a text that nobody vouches for.

/// Bounds on reading; exceeding one is a diagnostic of severity [`Limit`](crate::Severity::Limit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { nesting: 200, branches: 10_000, rules: 10_000_000, diagnostics: 10_000 }
    }
}
