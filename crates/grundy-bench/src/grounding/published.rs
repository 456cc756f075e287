//! The numbers of Vittaut & Méhat, *Efficient Grounding of Game Descriptions with Tabling* (2014).

/// The budgets of the table, in seconds, with their names.
pub(super) const BUDGETS: [(f64, &str); 5] =
    [(0.01, "< 10 ms"), (0.1, "< 0.1 s"), (1.0, "< 1 s"), (10.0, "< 10 s"), (60.0, "< 1 min")];

/// A published line of the table: the share of sheets, in percent, within each of the budgets.
pub(super) struct Published {
    pub(super) what: &'static str,
    pub(super) sheets: usize,
    pub(super) below: [Option<f64>; BUDGETS.len()],
    pub(super) failed: Option<usize>,
}

impl Published {
    /// The points of a plot of shares against budgets.
    pub(super) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        BUDGETS.iter().zip(self.below).filter_map(|(&(seconds, _), share)| Some((seconds, share?)))
    }
}

/// Figure 3: the method of the paper.
pub(super) const ONE_STEP: Published = Published {
    what: "base and input, one-step",
    sheets: 240,
    below: [None, Some(45.0), Some(84.0), None, Some(98.0)],
    failed: Some(2),
};

/// Figure 3: the older method.
pub(super) const ITERATIVE: Published = Published {
    what: "base and input, iterative",
    sheets: 240,
    below: [None, Some(0.0), Some(75.0), None, Some(90.0)],
    failed: Some(13),
};

/// Figure 4. Three sheets were abandoned after 30 minutes.
pub(super) const RULES: Published = Published {
    what: "rules, base and input known",
    sheets: 246,
    below: [None, Some(24.0), Some(72.0), None, Some(94.0)],
    failed: Some(3),
};

/// Section 6.2: 96 of 171.
pub(super) const KISSMANN_PROLOG: Published = Published {
    what: "Kissmann & Edelkamp, Prolog",
    sheets: 171,
    below: [None, None, None, None, Some(100.0 * 96.0 / 171.0)],
    failed: None,
};

/// Section 6.2: 90 of 171.
pub(super) const KISSMANN_GRAPHS: Published = Published {
    what: "Kissmann & Edelkamp, graphs",
    sheets: 171,
    below: [None, None, None, None, Some(100.0 * 90.0 / 171.0)],
    failed: None,
};

pub(super) const TABLE: [&Published; 5] = [&ONE_STEP, &ITERATIVE, &RULES, &KISSMANN_PROLOG, &KISSMANN_GRAPHS];

/// Memory for each ground rule: 500 MB for a million.
pub(super) const BYTES_PER_RULE: f64 = 500.0;

/// What took more than this many seconds had more than that many rules and facts.
pub(super) const SLOW: (f64, f64) = (60.0, 1e7);

/// A line of table 6, in seconds on a machine of 1.86 GHz.
pub(super) struct Flattener {
    pub(super) game: &'static str,
    /// The flattener of GGP-Base; it ran out of memory where there is no number.
    pub(super) ggp_base: Option<f64>,
    pub(super) paper: f64,
}

pub(super) const TABLE_6: [Flattener; 4] = [
    Flattener { game: "connectfour", ggp_base: Some(0.844), paper: 0.560 },
    Flattener { game: "CephalopodMicro", ggp_base: Some(19.8), paper: 1.14 },
    Flattener { game: "breakthrough", ggp_base: Some(115.0), paper: 5.46 },
    Flattener { game: "chinesecheckers4", ggp_base: None, paper: 14.9 },
];

impl Flattener {
    /// Whether a sheet has the name of this game, however it is spelt.
    pub(super) fn is_of(&self, sheet: &str) -> bool {
        let name = sheet.rsplit('/').next().unwrap_or(sheet);
        let letters = |text: &str| text.to_lowercase().replace(['-', '_'], "");
        letters(name) == letters(self.game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_letters() {
        let game = &TABLE_6[0];
        assert!(game.is_of("games/connect-four") && game.is_of("connectFour") && !game.is_of("connectfour2"));
    }

    #[test]
    fn points_leave_out_what_was_not_published() {
        assert_eq!(RULES.points().collect::<Vec<_>>(), [(0.1, 24.0), (1.0, 72.0), (60.0, 94.0)]);
    }
}
