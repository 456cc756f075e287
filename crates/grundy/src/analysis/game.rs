//! What a program needs to be a game.

use super::{Class, Context, Findings};
use crate::ids::IdVec;
use grundy_syntax::{Atom, Code, Diagnostic, Keyword, PredicateId, Rule, Span, Term, TermId};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};

/// The largest number of further occurrences shown for a name that is not a role.
const MOST_PLACES: usize = 3;

/// The largest number of roles named in a hint.
const MOST_ROLES: usize = 8;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    check_parts(context, findings);
    check_roles(context, findings);
    check_dependencies(context, findings);
    check_role_arguments(context, findings);
    check_goal_values(context, findings);
    check_given(context, findings);
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
    context.atoms().filter(move |(atom, _)| Some(atom.predicate) == predicate)
}

fn check_parts(context: &Context<'_>, findings: &mut Findings<'_>) {
    let parts = [
        (Keyword::Role, Code::MissingRole, "who plays"),
        (Keyword::Init, Code::MissingInit, "how the game begins"),
        (Keyword::Legal, Code::MissingLegal, "what the roles may do"),
        (Keyword::Terminal, Code::MissingTerminal, "when the game is over"),
        (Keyword::Goal, Code::MissingGoal, "what the roles get"),
    ];
    for (keyword, code, purpose) in parts {
        let name = context.program.symbols.find(keyword.name());
        let left_out = name.is_some_and(|name| context.program.left_out.contains(&name));
        if left_out || rules_of(context, keyword).next().is_some() {
            continue;
        }
        let message = format!("no `{keyword}`: nothing in this file says {purpose}");
        let missing = match misspelt(context, keyword, findings) {
            Some(rule) => {
                let name = context.program.info(rule.head.predicate).name;
                findings.explained.insert(name);
                let place = context.source.find_word(rule.head_span, context.program.symbols.name(name));
                Diagnostic::new(code, place, message).hint(format!("did you mean `{keyword}`?"))
            }
            None => {
                let hint = match keyword {
                    Keyword::Init => "it begins in the empty state".to_owned(),
                    _ => format!("write it as `{}`", keyword.usage()),
                };
                Diagnostic::new(code, Span::default(), message).hint(hint)
            }
        };
        findings.report(missing);
    }
}

/// The first rule of an unused predicate whose name is similar to a keyword.
fn misspelt<'a>(context: &Context<'a>, keyword: Keyword, findings: &mut Findings<'_>) -> Option<&'a Rule> {
    let program = context.program;
    let used: FxHashSet<PredicateId> =
        context.conditions().filter_map(|condition| Some(condition.literal.atom()?.predicate)).collect();
    let candidates = program.predicates().filter(|(id, info)| {
        let is_like = info.keyword.is_none() && info.arity == keyword.arity();
        is_like && context.is_defined(*id) && !used.contains(id)
    });
    let name = findings.suggest(keyword.name(), candidates.map(|(id, _)| program.name(id)))?;
    let predicate = program.find_predicate(name, keyword.arity())?;
    program.rules.iter().find(|rule| rule.head.predicate == predicate)
}

fn check_roles(context: &Context<'_>, findings: &mut Findings<'_>) {
    for rule in rules_of(context, Keyword::Role).filter(|rule| !is_ground_fact(context, rule)) {
        let message = "a role has to be a fact without variables";
        let hint = "write `(role name)` for each player";
        findings.report(Diagnostic::new(Code::RoleNotFact, rule.head_span, message).hint(hint));
    }
}

fn is_ground_fact(context: &Context<'_>, rule: &Rule) -> bool {
    rule.body.is_empty() && rule.head.args.iter().all(|&arg| context.program.terms.is_ground(arg))
}

fn check_dependencies(context: &Context<'_>, findings: &mut Findings<'_>) {
    let on_state = [Keyword::Init, Keyword::Base, Keyword::Input];
    check_dependency(context, &on_state, Class::Static, Code::DependsOnState, findings);
    let on_moves = [Keyword::Legal, Keyword::Goal, Keyword::Terminal];
    check_dependency(context, &on_moves, Class::State, Code::DependsOnMove, findings);
}

/// Checks that rules of some keywords depend on predicates of a class at most.
fn check_dependency(
    context: &Context<'_>,
    keywords: &[Keyword],
    allowed: Class,
    code: Code,
    findings: &mut Findings<'_>,
) {
    let on = if allowed == Class::Static { "the state" } else { "the moves" };
    let mut origins: Option<Origins> = None;
    for &keyword in keywords {
        for rule in rules_of(context, keyword) {
            let mut conditions = rule.body.iter().filter_map(|c| Some((c.literal.atom()?.predicate, c.span)));
            let culprit = conditions.find(|(predicate, _)| context.analysis.class(*predicate) > allowed);
            let Some((predicate, place)) = culprit else { continue };
            let origins = origins.get_or_insert_with(|| origins_beyond(context, allowed));
            let error = Diagnostic::new(code, place, format!("`{keyword}` cannot depend on {on}"));
            findings.report(match origins[predicate] {
                Some(origin) => error.second(origin, format!("this depends on {on}")),
                None => error,
            });
        }
    }
}

/// For each predicate, the condition by which it depends on more than a class, if there is one.
type Origins = IdVec<PredicateId, Option<Span>>;

/// The conditions by which views depend on more than a class.
fn origins_beyond(context: &Context<'_>, allowed: Class) -> Origins {
    let program = context.program;
    let mut users: IdVec<PredicateId, Vec<(PredicateId, Span)>> =
        IdVec::filled(Vec::new(), program.predicate_count());
    for rule in &program.rules {
        for condition in &rule.body {
            if let Some(atom) = condition.literal.atom() {
                users[atom.predicate].push((rule.head.predicate, condition.span));
            }
        }
    }
    let mut origins = Origins::filled(None, program.predicate_count());
    let given = [Keyword::True, Keyword::Does].into_iter().filter_map(|keyword| program.keyword(keyword));
    let mut queue: VecDeque<(PredicateId, Option<Span>)> =
        given.filter(|&given| context.analysis.class(given) > allowed).map(|given| (given, None)).collect();
    while let Some((predicate, origin)) = queue.pop_front() {
        for &(user, span) in &users[predicate] {
            let place = &mut origins[user];
            if place.is_none() {
                *place = origin.or(Some(span));
                queue.push_back((user, *place));
            }
        }
    }
    origins
}

/// The roles, if all of them are ground facts.
fn roles(context: &Context<'_>) -> Option<FxHashSet<TermId>> {
    let program = context.program;
    let left_out =
        program.symbols.find(Keyword::Role.name()).is_some_and(|role| program.left_out.contains(&role));
    let sound = rules_of(context, Keyword::Role).all(|rule| is_ground_fact(context, rule));
    let roles: FxHashSet<TermId> = program.roles().into_iter().collect();
    (!left_out && sound && !roles.is_empty()).then_some(roles)
}

fn check_role_arguments(context: &Context<'_>, findings: &mut Findings<'_>) {
    let Some(roles) = roles(context) else { return };
    let names: Vec<&str> =
        context.program.roles().iter().filter_map(|&role| name_of(context, role)).collect();
    // One message for each name.
    let mut errors: BTreeMap<TermId, Diagnostic> = BTreeMap::new();
    for keyword in Keyword::ALL.into_iter().filter(|keyword| keyword.takes_role()) {
        for (atom, span) in atoms_of(context, keyword) {
            let Some(name) = name_of(context, atom.args[0]).filter(|_| !roles.contains(&atom.args[0])) else {
                continue;
            };
            let place = context.source.find_word(span, name);
            let error = match errors.remove(&atom.args[0]) {
                Some(error) if error.secondary.len() >= MOST_PLACES => error,
                Some(error) => error.second(place, "and here"),
                None => {
                    findings.explained.extend(context.program.symbols.find(name));
                    let hint = match roles.contains(&atom.args[1]) {
                        true => format!("the role comes first: `{}`", keyword.usage()),
                        false => role_hint(name, &names, findings),
                    };
                    Diagnostic::new(Code::NotARole, place, format!("`{name}` is not a role")).hint(hint)
                }
            };
            errors.insert(atom.args[0], error);
        }
    }
    errors.into_values().for_each(|error| findings.report(error));
}

fn role_hint(name: &str, roles: &[&str], findings: &mut Findings<'_>) -> String {
    if let Some(role) = findings.suggest(name, roles.iter().copied()) {
        return format!("did you mean `{role}`?");
    }
    let mut named: Vec<String> = roles.iter().take(MOST_ROLES).map(|role| format!("`{role}`")).collect();
    if roles.len() > MOST_ROLES {
        named.push("…".to_owned());
    }
    match &named[..] {
        [only] => format!("the only role is {only}"),
        _ => format!("the roles are {}", named.join(", ")),
    }
}

fn check_goal_values(context: &Context<'_>, findings: &mut Findings<'_>) {
    let roles: FxHashSet<TermId> = context.program.roles().into_iter().collect();
    for (atom, span) in atoms_of(context, Keyword::Goal) {
        let value = atom.args[1];
        let Some(name) = name_of(context, value) else { continue };
        let is_number = matches!(context.program.terms.get(value), Term::Constant(_));
        let in_range = is_number && name.parse::<u32>().is_ok_and(|value| value <= 100);
        // A role in the position of the value is reported as such.
        if !in_range && !roles.contains(&value) {
            let message = format!("goal value must be between 0 and 100, found `{name}`");
            let place = context.source.words(span, name).last().unwrap_or(span);
            findings.report(Diagnostic::new(Code::GoalValue, place, message));
        }
    }
}

fn name_of<'a>(context: &Context<'a>, term: TermId) -> Option<&'a str> {
    match context.program.terms.get(term) {
        Term::Variable(_) => None,
        Term::Constant(name) | Term::Compound(name, _) => Some(context.program.symbols.name(name)),
    }
}

fn check_given(context: &Context<'_>, findings: &mut Findings<'_>) {
    for keyword in [Keyword::Base, Keyword::Input] {
        if let Some(rule) = rules_of(context, keyword).next() {
            let message = format!("rules for `{keyword}` are ignored");
            let hint = "Grundy computes it from the rules";
            findings.report(Diagnostic::new(Code::GivenBase, rule.head_span, message).hint(hint));
        }
    }
}
