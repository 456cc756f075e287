//! What is wrong with a theory, its features or its states.

use grundy_syntax::{Exhausted, Span};

/// Which of the two texts a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum File {
    /// The theory or the game.
    Theory,
    /// The features.
    Features,
}

/// A place in the theory or in the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The text.
    pub file: File,
    /// Where in it.
    pub span: Span,
}

/// One finding: as a diagnostic, but in one of two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where.
    pub place: Location,
    /// What is wrong, in one line.
    pub message: String,
    /// A few words under the place.
    pub label: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// Why there are no tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeatureError {
    /// The theory or the features are wrong.
    #[error("{}", .0.iter().map(|finding| finding.message.as_str()).collect::<Vec<_>>().join("; "))]
    Wrong(Vec<Finding>),
    /// A limit was hit, with the clause responsible.
    #[error("{}", .finding.message)]
    Limit {
        /// The limit that was hit, by name.
        limit: &'static str,
        /// What happened, and where.
        finding: Box<Finding>,
    },
    /// The budget of the call is used up.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

impl FeatureError {
    /// A single finding.
    pub(super) fn wrong(place: Location, message: String, label: &str, hint: &str) -> FeatureError {
        FeatureError::Wrong(vec![Finding { place, message, label: label.into(), hint: hint.into() }])
    }

    /// A limit, with the clause that hit it.
    pub(super) fn limit(limit: &'static str, place: Location, message: String, hint: &str) -> FeatureError {
        let label = "unfolding this clause".to_owned();
        let finding = Box::new(Finding { place, message, label, hint: hint.into() });
        FeatureError::Limit { limit, finding }
    }
}
