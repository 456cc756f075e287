//! Compact grounding: the same answers from fewer and smaller rules.
//!
//! The rules of a flat program are rewritten before they are ground:
//!
//! 1. [`relevant`]: what no answer depends on is dropped.
//! 2. [`merge`]: rules that differ in one `distinct` each, the branches of an `or`, become one rule with one
//!    test.
//! 3. [`project`]: columns that nobody looks at are dropped.
//! 4. [`split`]: a rule with many variables is split along a tree decomposition of its variables. The
//!    parts that are introduced are shared between rules where they coincide.
//!
//! Splitting has a price, so it is done where an estimate says that it pays: [`estimate`] knows the sizes of
//! the static relations and, from [`domains`], which values can stand in which column.

mod domains;
mod estimate;
mod merge;
mod project;
mod relevant;
mod split;

use crate::flat::Flat;
use crate::tabling::Relation;
use grundy_syntax::Program;

/// Rewrites a flat program. `relations` hold the rows of the static relations. New relations get names in
/// the program.
pub(super) fn compact(program: &mut Program, flat: &mut Flat, relations: &mut [Relation]) {
    relevant::drop_irrelevant(program, flat);
    merge::merge_distinct(flat);
    project::drop_unused_columns(program, flat);
    let known = relations.len();
    let domains = domains::infer(flat, &mut relations[..known]);
    let estimates = estimate::Estimates::new(flat, relations, &domains);
    split::split_rules(program, flat, estimates);
}
