//! Names the rule responsible when a limit is hit.

use super::config::{GroundError, LimitKind};
use crate::datalog::Stop;
use crate::flat::{Flat, FlatRuleId, Origin, RelationId};
use crate::ids::IdVec;
use grundy_syntax::{Budget, Exhausted, Notation, Printer, Program, RuleId};

/// The number of instances of each rule of the program, restricted to the relations that `counts` accepts. `counted` has
/// the numbers for the rules of the flat program.
pub(super) fn instances_by_rule(
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

/// The limit that a stop stands for.
pub(super) fn limit_kind(stop: Stop) -> LimitKind {
    match stop {
        Stop::Exhausted(reason) => reason.into(),
        Stop::TooDeep => LimitKind::TermDepth,
        Stop::TooLong => LimitKind::Conditions,
        Stop::TooMany | Stop::Overflow | Stop::GaveUp | Stop::NegationCycle | Stop::Found => LimitKind::Rules,
    }
}

/// The rule with the most instances.
pub(super) fn with_most_instances(instances: &IdVec<RuleId, u64>) -> Option<RuleId> {
    instances.ids().max_by_key(|&rule| (instances[rule], std::cmp::Reverse(rule)))
}

/// The error for a budget that was used up before rules had instances. Names the rule in work.
pub(super) fn budget_error(program: &Program, budget: &Budget, reason: Exhausted) -> GroundError {
    let span = budget.rule().unwrap_or_default();
    let rule = program.rules.iter().find(|rule| rule.span == span);
    let rule = rule.map(|rule| Printer::new(program, Notation::Kif).rule(rule)).unwrap_or_default();
    GroundError::Limit { limit: reason.into(), rule, instances: 0, span }
}

/// The error for a limit, with the responsible rule: the running rule where its terms or its conditions hit the limit,
/// otherwise the rule with the most instances.
pub(super) fn limit_error(
    program: &Program,
    limit: LimitKind,
    instances: &IdVec<RuleId, u64>,
    running: Option<RuleId>,
) -> GroundError {
    let rule_id = running
        .filter(|_| matches!(limit, LimitKind::TermDepth | LimitKind::Conditions))
        .or(with_most_instances(instances));
    let (rule, instances, span) = match rule_id {
        Some(rule_id) => {
            let rule = program.rule(rule_id);
            (Printer::new(program, Notation::Kif).rule(rule), instances[rule_id], rule.span)
        }
        None => Default::default(),
    };
    GroundError::Limit { limit, rule, instances, span }
}
