//! When compact grounding goes to which lengths.

/// When compact grounding goes to which lengths.
#[derive(Clone, Debug)]
pub struct Thresholds {
    /// A rule with fewer literals than this is not split.
    pub split: f64,
    /// A view is evaluated on demand when one of its rules has, or will have, more instances than this.
    pub demand: u64,
    /// The same for a view that depends on nothing dynamic: whoever calls it binds its arguments more often.
    pub demand_static: u64,
    /// It stays lifted when it still has more than this.
    pub lift: u64,
    /// Whether one of nearly all moves of a role becomes none of the rest. Networks find such groups themselves, and
    /// larger ones, because they know more.
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
