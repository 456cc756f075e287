//! What Kaneko, Yamaguchi & Kawai measured (2000): Othello, 127 features, 300 matches, 17,931 states, a processor of 200
//! MHz.

/// Table 3: a method and its states a second.
pub(super) const TABLE_3: [(&str, f64); 3] = [("incremental", 2186.7), ("scratch", 459.7), ("naive", 0.536)];

/// A column of table 4.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) size: u32,
    pub(super) clauses: u64,
    pub(super) unfolded: u64,
    pub(super) and_rows: u64,
    pub(super) or_rows: u64,
    pub(super) seconds: f64,
}

/// Table 4. The number of clauses of the largest board is printed as 2345; counting squares and neighbours gives 2145. Its
/// time is printed as “about a week”.
pub(super) const TABLE_4: [Column; 3] = [
    Column { size: 4, clauses: 129, unfolded: 6_653, and_rows: 2_100, or_rows: 773, seconds: 24.4 },
    Column { size: 8, clauses: 513, unfolded: 211_101, and_rows: 116_940, or_rows: 8_459, seconds: 2_556.4 },
    Column {
        size: 16,
        clauses: 2_345,
        unfolded: 6_217_082,
        and_rows: 4_559_737,
        or_rows: 82_570,
        seconds: 604_800.0,
    },
];
