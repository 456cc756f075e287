//! The recursion restriction.
//!
//! Where terms are built in a cycle, a violation means that evaluation may not terminate; elsewhere it is a matter of style.

use super::{Context, Findings};
use crate::ids::BitSet;
use grundy_syntax::{Atom, Code, Condition, Diagnostic, Literal, Rule, Span, TermId, VariableId};

pub(super) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    for rules in context.rules_of_components().iter() {
        let rules = rules.iter().map(|&rule| context.program.rule(rule));
        let recursive: Vec<&Rule> = rules.filter(|rule| is_recursive(context, rule)).collect();
        // Where a larger term is built: in the head of a recursive rule.
        let growth = recursive.iter().find_map(|rule| growing_argument(context, rule));
        for rule in recursive {
            if let Some((condition, argument)) = unrestricted(context, rule) {
                findings.report(diagnostic(context, rule, condition, argument, growth));
            }
        }
    }
}

fn within(context: &Context<'_>, rule: &Rule, atom: &Atom) -> bool {
    context.analysis.same_component(atom.predicate, rule.head.predicate)
}

fn is_recursive(context: &Context<'_>, rule: &Rule) -> bool {
    rule.literals().filter_map(Literal::atom).any(|atom| within(context, rule, atom))
}

/// The head of a rule, if there is a function with a variable in it.
fn growing_argument(context: &Context<'_>, rule: &Rule) -> Option<Span> {
    let terms = &context.program.terms;
    let grows = rule.head.args.iter().any(|&arg| terms.depth(arg) > 1 && !terms.is_ground(arg));
    grows.then_some(rule.head_span)
}

/// An argument of a recursive condition that is not ground, no argument of the head, and not made of
/// variables that conditions outside the recursion bind.
fn unrestricted<'a>(context: &Context<'_>, rule: &'a Rule) -> Option<(&'a Condition, TermId)> {
    let mut bound_outside: Option<BitSet<VariableId>> = None;
    rule.body.iter().find_map(|condition| {
        let Literal::Holds(atom) = &condition.literal else { return None };
        if !within(context, rule, atom) {
            return None;
        }
        let bound = bound_outside.get_or_insert_with(|| bound_outside_recursion(context, rule));
        let is_restricted = |argument: TermId| {
            let mut all_bound = true;
            let mut look = |variable: VariableId| all_bound &= bound.contains(variable);
            context.program.terms.for_each_variable(argument, &mut look);
            all_bound || rule.head.args.contains(&argument)
        };
        let argument = atom.args.iter().copied().find(|&argument| !is_restricted(argument))?;
        Some((condition, argument))
    })
}

fn bound_outside_recursion(context: &Context<'_>, rule: &Rule) -> BitSet<VariableId> {
    let mut bound = BitSet::empty(rule.variables.len());
    for literal in rule.literals() {
        if let Literal::Holds(atom) = literal
            && !within(context, rule, atom)
        {
            let mut bind = |variable: VariableId| bound.set(variable, true);
            atom.args.iter().for_each(|&arg| context.program.terms.for_each_variable(arg, &mut bind));
        }
    }
    bound
}

fn diagnostic(
    context: &Context<'_>,
    rule: &Rule,
    condition: &Condition,
    argument: TermId,
    growth: Option<Span>,
) -> Diagnostic {
    let mut first = None;
    context.program.terms.for_each_variable(argument, &mut |variable| first = first.or(Some(variable)));
    let variable = first.map_or("", |v| context.program.symbols.name(rule.variables[v.index()]));
    let head = context.program.name(rule.head.predicate);
    let place = context.source.find_word(condition.span, variable);
    let hint = format!("add a condition outside the recursion that says what `{variable}` can be");
    match growth {
        Some(growth) => {
            let message = format!("the recursion of `{head}` can build terms without end");
            Diagnostic::new(Code::RecursionRestriction, place, message)
                .label(format!("nothing outside the recursion binds `{variable}`"))
                .second(growth, "a larger term is built here")
                .hint(hint)
        }
        None => {
            let message = format!("nothing outside the recursion of `{head}` binds `{variable}`");
            Diagnostic::new(Code::LooseRecursion, place, message).hint(hint)
        }
    }
}
