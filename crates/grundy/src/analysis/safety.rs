//! Safety: every variable is bound by a positive condition.

use super::Context;
use grundy_syntax::{Code, Diagnostic, Literal, Rule, Span, TermId, VariableId};

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for rule in &context.program.rules {
        let rule = Bound::of(context, rule);
        rule.report_unbound(
            Code::UnsafeHead,
            rule.rule.head.args.iter().copied(),
            rule.rule.head_span,
            diagnostics,
        );
        for condition in &rule.rule.body {
            let code = match condition.literal {
                Literal::Holds(_) => continue,
                Literal::Not(_) => Code::UnsafeNegation,
                Literal::Distinct(..) => Code::UnsafeDistinct,
            };
            rule.report_unbound(code, condition.literal.terms(), condition.span, diagnostics);
        }
    }
}

/// A rule with what its positive conditions bind.
struct Bound<'a> {
    context: &'a Context<'a>,
    rule: &'a Rule,
    bound: Vec<bool>,
}

impl<'a> Bound<'a> {
    fn of(context: &'a Context<'a>, rule: &'a Rule) -> Bound<'a> {
        let mut bound = vec![false; rule.variables.len()];
        let positive = rule.literals().filter(|literal| matches!(literal, Literal::Holds(_)));
        for term in positive.flat_map(|literal| literal.terms()) {
            context.program.terms.for_each_variable(term, &mut |variable| bound[variable.0 as usize] = true);
        }
        Bound { context, rule, bound }
    }

    fn report_unbound(
        &self,
        code: Code,
        terms: impl Iterator<Item = TermId>,
        span: Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let mut unbound: Vec<VariableId> = Vec::new();
        for term in terms {
            self.context.program.terms.for_each_variable(term, &mut |variable| {
                if !self.bound[variable.0 as usize] && !unbound.contains(&variable) {
                    unbound.push(variable);
                }
            });
        }
        for variable in unbound {
            let name = self.context.program.symbols.name(self.rule.variables[variable.0 as usize]);
            let place = self.context.source.find_word(span, name);
            let message = format!("no positive condition of this rule binds `{name}`");
            let hint = match code {
                Code::UnsafeHead if self.rule.body.is_empty() => "a fact can have no variables",
                Code::UnsafeHead => "add a condition that says what it can be",
                _ => "bind it with a positive condition, or define a view without it and use that here",
            };
            diagnostics.push(Diagnostic::new(code, place, message).hint(hint));
        }
    }
}
