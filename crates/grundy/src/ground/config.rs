//! Configuration, limits and errors of grounding.

use crate::datalog::{JoinOrder, Progress};
use crate::rewrite::Thresholds;
use grundy_syntax::{Budget, Exhausted, Span};
use std::sync::Arc;

/// How `base` and `input`, the possible facts and moves, are found. The result is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// One fixpoint, which stores rules as they match.
    #[default]
    Fused,
    /// First one fixpoint for `base` and `input`, then one pass for the rules.
    OneStep,
    /// Rounds, as a match proceeds, from the initial state and the facts of play without moves.
    Iterative,
}

/// How to ground.
#[derive(Clone, Debug)]
pub struct GroundConfig {
    /// How `base` and `input` are found.
    pub method: Method,
    /// Whether to store exactly the instances of the rules of the sheet.
    pub faithful: bool,
    /// The thresholds of compact grounding.
    pub thresholds: Thresholds,
    /// How the order of the conditions of a rule is chosen.
    pub join_order: JoinOrder,
    /// Limit: rules.
    pub max_rules: u64,
    /// Limit: depth of terms.
    pub max_term_depth: usize,
    /// The time and memory of the call.
    pub budget: Budget,
    /// Receives progress.
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

/// An error of grounding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroundError {
    /// A limit was hit.
    #[error("limit `{}` hit; the rule with the most instances ({instances}) is\n{rule}", limit.name())]
    Limit {
        /// The limit.
        limit: LimitKind,
        /// The rule of the sheet that has the most instances so far.
        rule: String,
        /// The number of its instances.
        instances: u64,
        /// Its span in the text.
        span: Span,
    },
    /// A static predicate depends on its own negation.
    #[error("a static predicate depends on its own negation in\n{rule}")]
    NegationCycle {
        /// The rule in question.
        rule: String,
        /// Its span in the text.
        span: Span,
    },
}
