//! Names the rule responsible when a limit is hit.

use super::config::{GroundError, LimitKind};
use crate::datalog::Stop;
use crate::flat::{Flat, FlatRuleId, Origin, RelationId};
use crate::ids::IdVec;
use grundy_syntax::{Budget, Exhausted, Notation, Printer, Program, RuleId};

/// For each rule of the program its instances, as far as they are of these relations; `counted` has them for each rule of
/// the flat program.
pub(super) fn instances(
    program: &Program,
    flat: &Flat,
    counted: &IdVec<FlatRuleId, u64>,
    counts: impl Fn(RelationId) -> bool,
) -> IdVec<RuleId, u64> {
    let mut instances = IdVec::filled(0, program.rules.len());
    for (rule, &count) in flat.rules.iter().zip(counted) {
        if let Origin::Rule(number) | Origin::External(number) = rule.origin
            && counts(rule.head.relation)
        {
            instances[number] += count;
        }
    }
    instances
}

/// The limit behind a stop.
pub(super) fn limit(stop: Stop) -> LimitKind {
    match stop {
        Stop::Exhausted(reason) => reason.into(),
        Stop::TooDeep => LimitKind::TermDepth,
        Stop::TooLong => LimitKind::Conditions,
        Stop::TooMany | Stop::Overflow | Stop::GaveUp | Stop::NegationCycle | Stop::Found => LimitKind::Rules,
    }
}

/// The rule with the most instances.
pub(super) fn largest(instances: &IdVec<RuleId, u64>) -> Option<RuleId> {
    instances.ids().max_by_key(|&rule| (instances[rule], std::cmp::Reverse(rule)))
}

/// The budget was used up before rules had instances; names the rule that was worked on.
pub(super) fn exhausted(program: &Program, budget: &Budget, reason: Exhausted) -> GroundError {
    let span = budget.rule().unwrap_or_default();
    let rule = program.rules.iter().find(|rule| rule.span == span);
    let rule = rule.map(|rule| Printer::new(program, Notation::Kif).rule(rule)).unwrap_or_default();
    GroundError::Limit { limit: reason.into(), rule, instances: 0, span }
}

/// The limit that was hit, with the rule that is to blame: the one that was running for terms that grow, otherwise the
/// one with the most instances.
pub(super) fn limit_error(
    program: &Program,
    limit: LimitKind,
    instances: &IdVec<RuleId, u64>,
    running: Option<RuleId>,
) -> GroundError {
    let culprit = running
        .filter(|_| matches!(limit, LimitKind::TermDepth | LimitKind::Conditions))
        .or(largest(instances));
    let (rule, instances, span) = match culprit {
        Some(culprit) => {
            let rule = program.rule(culprit);
            (Printer::new(program, Notation::Kif).rule(rule), instances[culprit], rule.span)
        }
        None => Default::default(),
    };
    GroundError::Limit { limit, rule, instances, span }
}
