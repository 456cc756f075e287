//! Safety: every variable is bound by a positive condition.

use super::{Context, Findings};
use crate::ids::{BitSet, IdVec, ids};
use grundy_syntax::{
    Atom, Code, Condition, Constraint, Diagnostic, Keyword, Literal, Rule, Span, SymbolId, TermId, VariableId,
};

/// The largest number of unbound variables reported for a rule.
const MOST_OF_A_RULE: usize = 10;

/// The largest number of variables of a rule that are compared with an unbound one, to bound the time for invalid input.
/// A guess.
const MOST_COMPARED: usize = 50;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    // The branches of an `or` are consecutive.
    for branches in context.program.rules.chunk_by(|a, b| a.span == b.span) {
        if branches.iter().any(|rule| !rule.variables.is_empty()) {
            let clauses: Vec<Clause<'_>> =
                branches.iter().map(|rule| Clause::of_rule(context, rule)).collect();
            clauses.iter().for_each(|clause| clause.check(context, &clauses, findings));
        }
    }
    for constraint in &context.program.constraints {
        Clause::of_constraint(context, constraint).check(context, &[], findings);
    }
}

/// A rule or a constraint, with the variables that its positive conditions bind.
struct Clause<'a> {
    head: Option<(&'a Atom, Span)>,
    body: &'a [Condition],
    variables: &'a [SymbolId],
    span: Span,
    bound: BitSet<VariableId>,
}

/// An unbound variable, and the places where it has to be bound.
struct Unbound {
    variable: VariableId,
    places: Vec<(Code, Span)>,
}

impl<'a> Clause<'a> {
    fn of_rule(context: &Context<'_>, rule: &'a Rule) -> Clause<'a> {
        let bound = bound_by(context, &rule.body, rule.variables.len());
        // A role that is not a fact is a separate error.
        let is_role = context.program.info(rule.head.predicate).keyword == Some(Keyword::Role);
        let head = (!is_role).then_some((&rule.head, rule.head_span));
        Clause { head, body: &rule.body, variables: &rule.variables, span: rule.span, bound }
    }

    fn of_constraint(context: &Context<'_>, constraint: &'a Constraint) -> Clause<'a> {
        let Constraint { body, variables, span } = constraint;
        let bound = bound_by(context, body, variables.len());
        Clause { head: None, body, variables, span: *span, bound }
    }

    fn check(&self, context: &Context<'_>, branches: &[Clause<'_>], findings: &mut Findings<'_>) {
        for unbound in self.unbound(context).iter().take(MOST_OF_A_RULE) {
            let error = self.diagnostic(context, branches, unbound, findings);
            findings.report(error);
        }
    }

    fn unbound(&self, context: &Context<'_>) -> Vec<Unbound> {
        let mut unbound: Vec<Unbound> = Vec::new();
        let mut number_of: IdVec<VariableId, Option<usize>> = IdVec::filled(None, self.variables.len());
        for (code, span, terms) in self.places_that_need_bindings() {
            let mut note = |variable: VariableId| {
                if self.bound.contains(variable) {
                    return;
                }
                let number = *number_of[variable].get_or_insert(unbound.len());
                match unbound.get_mut(number) {
                    Some(known) if known.places.last() == Some(&(code, span)) => {}
                    Some(known) => known.places.push((code, span)),
                    None => unbound.push(Unbound { variable, places: vec![(code, span)] }),
                }
            };
            terms.iter().for_each(|&term| context.program.terms.for_each_variable(term, &mut note));
        }
        unbound
    }

    fn places_that_need_bindings(&self) -> impl Iterator<Item = (Code, Span, Vec<TermId>)> {
        let head = self.head.map(|(atom, span)| (Code::UnsafeHead, span, atom.args.to_vec()));
        let body = self.body.iter().filter_map(|condition| {
            let code = match condition.literal {
                Literal::Holds(_) => return None,
                Literal::Not(_) => Code::UnsafeNegation,
                Literal::Distinct(..) => Code::UnsafeDistinct,
            };
            Some((code, condition.span, condition.literal.terms().collect()))
        });
        head.into_iter().chain(body)
    }

    fn diagnostic(
        &self,
        context: &Context<'_>,
        branches: &[Clause<'_>],
        unbound: &Unbound,
        findings: &mut Findings<'_>,
    ) -> Diagnostic {
        let symbol = self.variables[unbound.variable.index()];
        let name = context.program.symbols.name(symbol);
        let place = |span: Span| context.source.find_word(span, name);
        let (code, first) = unbound.places[0];
        let new = |message: String| {
            let others = unbound.places[1..].iter().take(3);
            let error = Diagnostic::new(code, place(first), message);
            others.fold(error, |error, &(_, span)| error.second(place(span), "also needed here"))
        };
        if let Some(binder) = branches.iter().find_map(|branch| branch.binder(context, symbol)) {
            return new(format!("not every branch of the `or` binds `{name}`"))
                .second(place(binder), "bound in this branch")
                .hint("bind it in all branches, or outside of the `or`");
        }
        if self.body.is_empty() {
            return new(format!("a fact cannot contain variables, found `{name}`"));
        }
        let error = new(format!("no positive condition of this rule binds `{name}`"));
        if let Some(meant) = self.meant_by(context, name, findings) {
            let label = "perhaps this variable is meant: it is used only once";
            return error.second(context.source.find_word(self.span, meant), label);
        }
        error.hint(match code {
            Code::UnsafeHead => "add a condition that says what it can be",
            _ => "bind it with a positive condition, or define a view without it and use that here",
        })
    }

    /// The positive condition that binds a variable.
    fn binder(&self, context: &Context<'_>, name: SymbolId) -> Option<Span> {
        let number = self.variables.iter().position(|&other| other == name)?;
        let variable = VariableId::new(number);
        let binds = |condition: &&Condition| {
            let mut terms = condition.literal.terms();
            matches!(condition.literal, Literal::Holds(_))
                && terms.any(|term| context.program.terms.contains(term, variable))
        };
        self.body.iter().find(binds).map(|condition| condition.span)
    }

    /// A bound variable that an unbound one may be a misspelling of: one that is used only once.
    fn meant_by<'c>(
        &self,
        context: &Context<'c>,
        name: &str,
        findings: &mut Findings<'_>,
    ) -> Option<&'c str> {
        let names = ids(self.variables.len()).zip(self.variables).take(MOST_COMPARED);
        let names = names.filter(|(variable, _)| self.bound.contains(*variable));
        let names = names.map(|(_, &symbol)| context.program.symbols.name(symbol));
        let unmarked = names.filter(|name| !name.trim_start_matches('?').starts_with('_'));
        let is_lonely = |name: &&str| context.source.words(self.span, name).take(2).count() == 1;
        let lonely: Vec<&str> = unmarked.filter(is_lonely).collect();
        match lonely[..] {
            [only] => Some(only),
            _ => findings.suggest(name, lonely.into_iter()),
        }
    }
}

fn bound_by(context: &Context<'_>, body: &[Condition], variables: usize) -> BitSet<VariableId> {
    let mut bound = BitSet::empty(variables);
    let positive = body.iter().filter(|condition| matches!(condition.literal, Literal::Holds(_)));
    for term in positive.flat_map(|condition| condition.literal.terms()) {
        context.program.terms.for_each_variable(term, &mut |variable| bound.set(variable, true));
    }
    bound
}
