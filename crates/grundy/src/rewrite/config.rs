//! The thresholds of compact grounding.

/// The thresholds of compact grounding. The defaults are guesses.
#[derive(Clone, Debug)]
pub struct Thresholds {
    /// A rule whose instances have fewer literals than this in total is not split.
    pub split: f64,
    /// A view is evaluated on demand when one of its rules has, or will have, more instances than this.
    pub demand: u64,
    /// The same for a static view, whose callers bind arguments more often.
    pub demand_static: u64,
    /// It stays lifted when it still has more than this.
    pub lift: u64,
    /// Whether a disjunction of nearly all moves of a role becomes the negation of the others. Networks find larger groups of
    /// this kind by themselves.
    pub complement: bool,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            split: 400.0,
            demand: 1_000_000,
            demand_static: 200_000,
            lift: 30_000_000,
            complement: true,
        }
    }
}
