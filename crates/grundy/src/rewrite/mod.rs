//! Compact grounding: the same answers from fewer and smaller rules.
//!
//! The rules of a flat program are rewritten before they are ground:
//!
//! 1. [`relevant`]: rules that no answer depends on are dropped.
//! 2. [`permanent`]: conditions on facts that never change become static.
//! 3. [`merge`]: rules that differ in one `distinct` each, the branches of an `or`, become one rule with one
//!    test.
//! 4. [`neutral`], [`project`]: columns without influence on the truth of an atom, and unused columns, are dropped.
//! 5. [`decompose`], [`split`]: a rule with many variables is split along a tree decomposition of its variables. The
//!    parts that are introduced are shared between rules where they coincide.
//! 6. [`frame`]: frame rules are split and grounded last.
//! 7. [`revise`]: splits are revised when relations are complete.
//!
//! Splitting has a cost, so it is done where an estimate predicts a gain: [`estimate`] uses the sizes of the static relations
//! and the possible values of columns ([`domains`]).

mod called;
mod config;
mod decompose;
mod domains;
mod estimate;
mod frame;
mod merge;
mod neutral;
mod permanent;
mod project;
mod relevant;
mod revise;
mod split;

pub(crate) use called::called_with_constants;
pub use config::Thresholds;
pub(crate) use domains::{Domains, infer};
pub(crate) use frame::take_frame_rules;
pub(crate) use merge::{Alternatives, merge_distinct};
pub(crate) use relevant::drop_irrelevant;
pub(crate) use revise::{revise, wrongly_split};
pub(crate) use split::Split;

use crate::datalog::Relations;
use crate::flat::{Flat, FlatRule};
use grundy_syntax::Program;

/// Rewrites a flat program before anything is evaluated: steps 1 to 4. Step 2 is only valid for
/// reachable states, and is skipped unless `reachable_only` is set.
pub(crate) fn simplify(program: &mut Program, flat: &mut Flat, reachable_only: bool) {
    relevant::drop_irrelevant(program, flat);
    if reachable_only {
        permanent::use_permanent_facts(program, flat);
    }
    merge::merge_distinct(flat, |_, _| true);
    neutral::drop_neutral_columns(program, flat);
    project::drop_unused_columns(program, flat);
}

/// Splits rules: step 5. `relations` hold the rows of the static relations. New relations get names in the program.
pub(crate) fn split(
    program: &mut Program,
    flat: &mut Flat,
    relations: &Relations,
    thresholds: &Thresholds,
) -> Vec<Split> {
    let domains = domains::infer(flat, relations);
    let estimates = estimate::Estimates::new(program, flat, relations, &domains);
    split::split_rules(program, flat, &estimates, thresholds)
}

/// Adds the frame rules, split where it pays: step 6. All other relations are complete.
pub(crate) fn add_frame_rules(
    program: &mut Program,
    flat: &mut Flat,
    relations: &Relations,
    frame_rules: Vec<FlatRule>,
    thresholds: &Thresholds,
) -> Vec<Split> {
    let estimates = estimate::Estimates::exact(program, flat, relations);
    split::add_rules(program, flat, &estimates, frame_rules, thresholds)
}
