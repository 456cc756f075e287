//! What is unfolded how far, and what the metarules did.

use grundy_syntax::Budget;

/// The kinds of metarules, each in use or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// Rules with impossible conditions are cut.
    pub impossible: bool,
    /// What has to be equal is unified.
    pub single_valued: bool,
    /// Conditions that follow from others are left out.
    pub useless: bool,
    /// Conditions are put in order.
    pub ordering: bool,
}

impl Default for Kinds {
    fn default() -> Kinds {
        Kinds { impossible: true, single_valued: true, useless: true, ordering: true }
    }
}

/// How to unfold, and how far.
#[derive(Clone, Debug)]
pub struct UnfoldConfig {
    /// How many moves lie before the goal.
    pub moves: u8,
    /// Which metarules are applied.
    pub kinds: Kinds,
    /// Whether views of the state before the moves are unfolded, too, as far as they are not recursive;
    /// otherwise they stay conditions.
    pub unfold_views: bool,
    /// A rule with more conditions than this is given up, and the result is not complete.
    pub max_conditions: usize,
    /// Limit: how many rules may be made.
    pub max_rules: usize,
    /// Limit: how many steps unfolding may take.
    pub max_steps: u64,
    /// Limit: how much work all these steps together may take, counted in rows that are matched, conditions that are
    /// compared, and the like.
    pub max_work: u64,
    /// The time and memory of the call.
    pub budget: Budget,
}

impl Default for UnfoldConfig {
    fn default() -> UnfoldConfig {
        UnfoldConfig {
            moves: 1,
            kinds: Kinds::default(),
            unfold_views: true,
            max_conditions: 60,
            max_rules: 20_000,
            max_steps: 1_000_000,
            max_work: 600_000_000,
            budget: Budget::default(),
        }
    }
}

/// What the metarules did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Steps of unfolding.
    pub steps: u64,
    /// Rules that were cut because conditions are impossible.
    pub impossible: u64,
    /// Rules that were cut because two values cannot be one.
    pub single_valued: u64,
    /// Unifications of values that have to be equal.
    pub unified: u64,
    /// Conditions that were left out.
    pub useless: u64,
    /// Rules that repeated another one, or were a special case of another one.
    pub duplicates: u64,
    /// Rules that were given up because they had too many conditions.
    pub too_long: u64,
}

impl Counts {
    /// Adds the counts of another unfolding.
    pub fn add(&mut self, other: &Counts) {
        self.steps += other.steps;
        self.impossible += other.impossible;
        self.single_valued += other.single_valued;
        self.unified += other.unified;
        self.useless += other.useless;
        self.duplicates += other.duplicates;
        self.too_long += other.too_long;
    }
}
