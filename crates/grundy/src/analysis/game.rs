//! What a program needs to be a game.

use super::suggest::closest;
use super::{Class, Context};
use grundy_syntax::{Atom, Code, Diagnostic, Keyword, PredicateId, Rule, Span, Term, TermId};

pub(super) fn check(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    check_parts(context, diagnostics);
    check_roles(context, diagnostics);
    check_dependencies(context, diagnostics);
    check_goal_values(context, diagnostics);
    check_role_arguments(context, diagnostics);
    check_given(context, diagnostics);
}

/// The rules that define a keyword.
fn rules_of<'a>(context: &Context<'a>, keyword: Keyword) -> impl Iterator<Item = &'a Rule> + use<'a> {
    let program = context.program;
    let predicate = program.keyword(keyword);
    program.rules.iter().filter(move |rule| Some(rule.head.predicate) == predicate)
}

/// All atoms of a keyword, in heads and bodies, each with its place.
fn atoms_of<'a>(context: &Context<'a>, keyword: Keyword) -> impl Iterator<Item = (&'a Atom, Span)> + use<'a> {
    let predicate = context.program.keyword(keyword);
    let of_rule = |rule: &'a Rule| {
        let conditions = rule.body.iter();
        let in_body = conditions.filter_map(|c| c.literal.atom().map(|atom| (atom, c.span)));
        std::iter::once((&rule.head, rule.head_span)).chain(in_body)
    };
    context.program.rules.iter().flat_map(of_rule).filter(move |(atom, _)| Some(atom.predicate) == predicate)
}

fn check_parts(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let parts = [
        (Keyword::Role, Code::MissingRole, "says who plays: `(role …)`"),
        (Keyword::Init, Code::MissingInit, "says how the game begins: `(init …)`"),
        (Keyword::Legal, Code::MissingLegal, "says what the roles may do: `(legal role move)`"),
        (Keyword::Terminal, Code::MissingTerminal, "says when the game is over: `terminal`"),
        (Keyword::Goal, Code::MissingGoal, "says what the roles get: `(goal role value)`"),
    ];
    for (keyword, code, purpose) in parts {
        let name = context.program.symbols.find(keyword.name());
        let left_out = name.is_some_and(|name| context.program.left_out.contains(&name));
        if left_out || rules_of(context, keyword).next().is_some() {
            continue;
        }
        let start = Span::new(0, 0);
        let missing = Diagnostic::new(code, start, format!("nothing in this file {purpose}"));
        diagnostics.push(match misspelt(context, keyword) {
            Some((name, span)) => missing.second(span, format!("is `{name}` meant to be `{keyword}`?")),
            None => missing,
        });
    }
}

/// A defined predicate whose name looks like a slip of a keyword.
fn misspelt<'a>(context: &Context<'a>, keyword: Keyword) -> Option<(&'a str, Span)> {
    let name_of = |rule: &'a Rule| context.program.name(rule.head.predicate);
    let names = context.program.rules.iter().map(name_of).filter(|name| Keyword::find(name).is_none());
    let name = closest(keyword.name(), names)?;
    let rule = context.program.rules.iter().find(|rule| name_of(rule) == name)?;
    Some((name, rule.head_span))
}

fn check_roles(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for rule in rules_of(context, Keyword::Role) {
        if !rule.body.is_empty() || !context.program.terms.is_ground(rule.head.args[0]) {
            let message = "a role has to be a fact without variables";
            diagnostics.push(Diagnostic::new(Code::RoleNotFact, rule.head_span, message));
        }
    }
}

fn check_dependencies(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let rules = [
        (Keyword::Init, Class::Static, Code::DependsOnState),
        (Keyword::Base, Class::Static, Code::DependsOnState),
        (Keyword::Input, Class::Static, Code::DependsOnState),
        (Keyword::Legal, Class::State, Code::DependsOnMove),
        (Keyword::Goal, Class::State, Code::DependsOnMove),
        (Keyword::Terminal, Class::State, Code::DependsOnMove),
    ];
    for (keyword, allowed, code) in rules {
        for rule in rules_of(context, keyword) {
            let culprit = rule.body.iter().find(|condition| {
                let atom = condition.literal.atom();
                atom.is_some_and(|atom| context.analysis.class(atom.predicate) > allowed)
            });
            if let Some(condition) = culprit {
                let on = if allowed == Class::Static { "the state" } else { "the moves" };
                let message = format!("`{keyword}` cannot depend on {on}");
                let mut error = Diagnostic::new(code, condition.span, message);
                if let Some(atom) = condition.literal.atom()
                    && let Some(source) = source_of(context, atom.predicate, allowed)
                {
                    error = error.second(source, format!("this depends on {on}"));
                }
                diagnostics.push(error);
            }
        }
    }
}

/// The place where a view begins to depend on what it may not.
fn source_of(context: &Context<'_>, predicate: PredicateId, allowed: Class) -> Option<Span> {
    let mut seen = vec![predicate];
    let mut at = 0;
    while let Some(&view) = seen.get(at) {
        at += 1;
        let rules = context.program.rules.iter().filter(|rule| rule.head.predicate == view);
        for condition in rules.flat_map(|rule| &rule.body) {
            let Some(atom) = condition.literal.atom() else { continue };
            if context.analysis.class(atom.predicate) <= allowed || seen.contains(&atom.predicate) {
                continue;
            }
            if matches!(context.program.info(atom.predicate).keyword, Some(Keyword::True | Keyword::Does)) {
                return Some(condition.span);
            }
            seen.push(atom.predicate);
        }
    }
    None
}

fn check_goal_values(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for (atom, span) in atoms_of(context, Keyword::Goal) {
        let name = match context.program.terms.get(atom.args[1]) {
            Term::Variable(_) => continue,
            Term::Constant(name) | Term::Compound(name, _) => context.program.symbols.name(name),
        };
        let is_constant = matches!(context.program.terms.get(atom.args[1]), Term::Constant(_));
        let in_range = is_constant && name.parse::<u32>().is_ok_and(|value| value <= 100);
        if !in_range {
            let message = format!("`{name}` is no number from 0 to 100");
            let place = context.source.words(span, name).last().unwrap_or(span);
            diagnostics.push(Diagnostic::new(Code::GoalValue, place, message));
        }
    }
}

fn check_role_arguments(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let program = context.program;
    let roles: Vec<TermId> = program.roles();
    let role_symbol = program.symbols.find(Keyword::Role.name());
    if roles.is_empty() || role_symbol.is_some_and(|role| program.left_out.contains(&role)) {
        return;
    }
    let role_names = || roles.iter().filter_map(|&role| name_of(context, role));
    for keyword in Keyword::ALL.into_iter().filter(|keyword| keyword.takes_role()) {
        for (atom, span) in atoms_of(context, keyword) {
            let argument = atom.args[0];
            if matches!(program.terms.get(argument), Term::Variable(_)) || roles.contains(&argument) {
                continue;
            }
            let name = name_of(context, argument).unwrap_or_default();
            let message = format!("`{name}` is not a role");
            let hint = closest(name, role_names()).map(|role| format!("did you mean `{role}`?"));
            let all = format!("the roles are {}", role_names().collect::<Vec<_>>().join(", "));
            let place = context.source.find_word(span, name);
            diagnostics.push(Diagnostic::new(Code::NotARole, place, message).hint(hint.unwrap_or(all)));
        }
    }
}

fn name_of<'a>(context: &Context<'a>, term: TermId) -> Option<&'a str> {
    match context.program.terms.get(term) {
        Term::Variable(_) => None,
        Term::Constant(name) | Term::Compound(name, _) => Some(context.program.symbols.name(name)),
    }
}

fn check_given(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for keyword in [Keyword::Base, Keyword::Input] {
        if let Some(rule) = rules_of(context, keyword).next() {
            let message = format!("`{keyword}` is given, but never needed");
            let hint = "Grundy computes it from the rules";
            diagnostics.push(Diagnostic::new(Code::GivenBase, rule.head_span, message).hint(hint));
        }
    }
}
