//! What grounding may cost, and what happens when it costs more.

use crate::datalog::{JoinOrder, Progress};
use crate::rewrite::Thresholds;
use grundy_syntax::{Budget, Exhausted, Span};
use std::sync::Arc;

/// How `base` and `input`, all that can be true and all that can be done, are found. The result is
/// the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// One fixpoint; rules are stored the first time their body matches.
    #[default]
    Fused,
    /// First one fixpoint for `base` and `input`, then one pass for the rules.
    OneStep,
    /// Round by round, as a match would go on, starting from the initial state and the facts of a match without moves.
    Iterative,
}

/// How to ground.
#[derive(Clone, Debug)]
pub struct GroundConfig {
    /// How `base` and `input` are found.
    pub method: Method,
    /// Exactly the instances of the sheet's own rules.
    pub faithful: bool,
    /// When compact grounding goes to which lengths.
    pub thresholds: Thresholds,
    /// In which order the conditions of a rule are matched.
    pub join_order: JoinOrder,
    /// Limit: rules.
    pub max_rules: u64,
    /// Limit: depth of terms.
    pub max_term_depth: usize,
    /// The time and memory of the call.
    pub budget: Budget,
    /// Told now and then how far it is.
    pub progress: Option<Arc<Progress>>,
}

impl Default for GroundConfig {
    fn default() -> GroundConfig {
        GroundConfig {
            method: Method::default(),
            faithful: false,
            thresholds: Thresholds::default(),
            join_order: JoinOrder::default(),
            max_rules: 200_000_000,
            max_term_depth: 64,
            budget: Budget::default(),
            progress: None,
        }
    }
}

/// The limits, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// `--max-rules`
    Rules,
    /// `--max-memory`
    Memory,
    /// `--timeout`
    Timeout,
    /// `--max-term-depth`
    TermDepth,
    /// A rule has more conditions than can be matched inside each other.
    Conditions,
    /// The call was interrupted.
    Interrupt,
}

impl From<Exhausted> for LimitKind {
    fn from(reason: Exhausted) -> LimitKind {
        match reason {
            Exhausted::Timeout => LimitKind::Timeout,
            Exhausted::Memory => LimitKind::Memory,
            Exhausted::Interrupt => LimitKind::Interrupt,
        }
    }
}

impl LimitKind {
    /// The name of the limit.
    pub fn name(self) -> &'static str {
        match self {
            LimitKind::Rules => "rules",
            LimitKind::Memory => "memory",
            LimitKind::Timeout => "timeout",
            LimitKind::TermDepth => "term-depth",
            LimitKind::Conditions => "conditions",
            LimitKind::Interrupt => "interrupt",
        }
    }
}

/// Why there is no ground program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroundError {
    /// A limit was hit.
    #[error("limit `{}` hit; the rule with the most instances ({instances}) is\n{rule}", limit.name())]
    Limit {
        /// Which.
        limit: LimitKind,
        /// The rule of the sheet that has the most instances so far.
        rule: String,
        /// How many.
        instances: u64,
        /// Where it stands.
        span: Span,
    },
    /// A static predicate depends on its own negation.
    #[error("a static predicate depends on its own negation in\n{rule}")]
    NegationCycle {
        /// The rule in question.
        rule: String,
        /// Where it stands.
        span: Span,
    },
}
