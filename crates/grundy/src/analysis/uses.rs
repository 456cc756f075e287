//! Predicates without a definition, and predicates without a use.

use super::arity::arguments;
use super::suggest::MOST_CANDIDATES;
use super::{Context, Findings};
use crate::ids::{BitSet, IdVec, ids};
use grundy_syntax::{Code, Diagnostic, Dialect, Keyword, PredicateId, Program, Span, SymbolId, Term};
use rustc_hash::FxHashSet;

/// The connectives, which can be misspelt like predicates.
const CONNECTIVES: [&str; 2] = ["distinct", "not"];

pub(super) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let uses = Uses::of(context);
    let facts = Facts::of(context);
    for (predicate, place) in uses.undefined(context) {
        check_undefined(context, &uses, &facts, predicate, place, findings);
    }
    if context.program.dialect == Dialect::Game {
        for component in context.analysis.components() {
            check_unused(context, &uses, &facts, component, findings);
        }
    }
}

/// The first use and the first definition of each predicate.
struct Uses {
    /// Uses in other components, and uses of undefined predicates.
    used: IdVec<PredicateId, Option<Span>>,
    defined: IdVec<PredicateId, Option<Span>>,
    /// The predicates that the game depends on.
    matters: BitSet<PredicateId>,
}

impl Uses {
    fn of(context: &Context<'_>) -> Uses {
        let program = context.program;
        let mut used = IdVec::filled(None, program.predicate_count());
        let mut defined = IdVec::filled(None, program.predicate_count());
        for rule in &program.rules {
            defined[rule.head.predicate].get_or_insert(rule.head_span);
        }
        for rule in &program.rules {
            for condition in &rule.body {
                let Some(atom) = condition.literal.atom() else { continue };
                let recursive = context.analysis.same_component(atom.predicate, rule.head.predicate);
                if !recursive || defined[atom.predicate].is_none() {
                    used[atom.predicate].get_or_insert(condition.span);
                }
            }
        }
        for condition in program.constraints.iter().flat_map(|constraint| &constraint.body) {
            if let Some(atom) = condition.literal.atom() {
                used[atom.predicate].get_or_insert(condition.span);
            }
        }
        Uses { used, defined, matters: what_matters(context) }
    }

    /// Predicates that are used and lack a definition.
    fn undefined(&self, context: &Context<'_>) -> Vec<(PredicateId, Span)> {
        let predicates = context.program.predicates().filter(|(id, info)| {
            let is_given = info.keyword.is_some() || context.is_defined(*id);
            !is_given && !context.program.left_out.contains(&info.name)
        });
        predicates.filter_map(|(id, _)| Some((id, self.used[id]?))).collect()
    }

    /// Whether a predicate is defined but used only by its own component.
    fn is_unused(&self, predicate: PredicateId) -> bool {
        self.defined[predicate].is_some()
            && self.used[predicate].is_none()
            && !self.matters.contains(predicate)
    }
}

/// The predicates that a keyword, or a form that was left out, depends on.
fn what_matters(context: &Context<'_>) -> BitSet<PredicateId> {
    let program = context.program;
    let mut matters = BitSet::of(program.predicate_count(), |&predicate| {
        let info = program.info(predicate);
        info.keyword.is_some() || program.left_out.contains(&info.name)
    });
    // Components come after those that they depend on, so the reverse order visits users first.
    let rules_of = context.rules_of_components();
    for (component, members) in ids(rules_of.len()).zip(context.analysis.components()).rev() {
        if members.iter().any(|&member| matters.contains(member)) {
            members.iter().for_each(|&member| matters.set(member, true));
            let conditions = rules_of[component].iter().flat_map(|&rule| &program.rule(rule).body);
            for atom in conditions.filter_map(|condition| condition.literal.atom()) {
                matters.set(atom.predicate, true);
            }
        }
    }
    matters
}

/// Names and arities of the facts of the state.
struct Facts {
    /// Those under `init` and `next`.
    made: FxHashSet<(SymbolId, usize)>,
    /// Those under `true`.
    read: FxHashSet<(SymbolId, usize)>,
}

impl Facts {
    fn of(context: &Context<'_>) -> Facts {
        let program = context.program;
        let mut facts = Facts { made: FxHashSet::default(), read: FxHashSet::default() };
        for (atom, _) in context.atoms() {
            let names = match program.info(atom.predicate).keyword {
                Some(Keyword::Init | Keyword::Next) => &mut facts.made,
                Some(Keyword::True) => &mut facts.read,
                _ => continue,
            };
            match program.terms.get(atom.args[0]) {
                Term::Variable(_) => {}
                Term::Constant(name) => _ = names.insert((name, 0)),
                Term::Compound(name, args) => _ = names.insert((name, args.len())),
            }
        }
        facts
    }
}

/// Marks the names in the arguments of a predicate as explained: they have another meaning if the predicate is a misspelt
/// keyword.
fn explain_arguments(context: &Context<'_>, predicate: PredicateId, findings: &mut Findings<'_>) {
    for (atom, _) in context.atoms().filter(|(atom, _)| atom.predicate == predicate) {
        for &arg in &atom.args {
            if let Term::Constant(name) | Term::Compound(name, _) = context.program.terms.get(arg) {
                findings.explained.insert(name);
            }
        }
    }
}

fn is_keyword(name: &str) -> bool {
    Keyword::find(name).is_some() || CONNECTIVES.contains(&name)
}

fn check_undefined(
    context: &Context<'_>,
    uses: &Uses,
    facts: &Facts,
    predicate: PredicateId,
    place: Span,
    findings: &mut Findings<'_>,
) {
    let program = context.program;
    let info = program.info(predicate);
    if findings.explained.contains(&info.name) {
        return;
    }
    let name = program.name(predicate);
    let message = match info.arity {
        0 => format!("nothing defines `{name}`"),
        arity => format!("nothing defines `{name}` with {}", arguments(arity)),
    };
    let place = context.source.find_word(place, name);
    let warning = Diagnostic::new(Code::UndefinedPredicate, place, message).label("never true");
    let fact = (info.name, info.arity);
    if facts.made.contains(&fact) || facts.read.contains(&fact) {
        let form = example(name, info.arity);
        let hint = format!("`{name}` is a fact of the state: write `(true {form})`");
        return findings.report(warning.hint(hint));
    }
    let Some(similar) = similar(context, name, findings) else { return findings.report(warning) };
    let mut warning = warning.hint(format!("did you mean `{similar}`?"));
    if is_keyword(similar) {
        explain_arguments(context, predicate, findings);
    }
    let unused = program.predicates().find(|(id, _)| program.name(*id) == similar && uses.is_unused(*id));
    if let Some((id, info)) = unused {
        findings.explained.insert(info.name);
        let definition = uses.defined[id].unwrap_or_default();
        let label = format!("`{similar}` is defined here, and nothing uses it");
        warning = warning.second(context.source.find_word(definition, similar), label);
    }
    findings.report(warning);
}

/// How a fact is written, without its arguments.
fn example(name: &str, arity: usize) -> String {
    if arity == 0 { name.to_owned() } else { format!("({name} …)") }
}

/// A defined predicate, a keyword or a connective whose name is close to this one.
fn similar<'a>(context: &Context<'a>, name: &str, findings: &mut Findings<'_>) -> Option<&'a str> {
    if !findings.may_suggest() {
        return None;
    }
    let program: &'a Program = context.program;
    let defined = program.predicates().filter(|(predicate, _)| context.is_defined(*predicate));
    let mut candidates: Vec<&'a str> =
        defined.map(|(predicate, _)| program.name(predicate)).take(MOST_CANDIDATES).collect();
    if program.dialect == Dialect::Game {
        let keywords = Keyword::ALL.into_iter().filter(|keyword| keyword.in_bodies());
        let words = keywords.map(Keyword::name).chain(CONNECTIVES);
        candidates.splice(0..0, words.map(|word| -> &'a str { word }));
    }
    findings.suggest(name, candidates.into_iter())
}

/// Reports an unused component once. Predicates that only an unused component uses are not reported.
fn check_unused(
    context: &Context<'_>,
    uses: &Uses,
    facts: &Facts,
    component: &[PredicateId],
    findings: &mut Findings<'_>,
) {
    let program = context.program;
    let excused = |id: PredicateId| {
        let info = program.info(id);
        // A view that is read as a fact is reported at the fact.
        let fact = (info.name, info.arity);
        let is_read_as_fact = facts.read.contains(&fact) && !facts.made.contains(&fact);
        is_read_as_fact || findings.explained.contains(&info.name) || program.left_out.contains(&info.name)
    };
    if component.iter().any(|&member| !uses.is_unused(member) || excused(member)) {
        return;
    }
    let names: Vec<String> = component.iter().map(|&id| format!("`{}`", program.name(id))).collect();
    let message = match &names[..] {
        [name] => format!("nothing uses {name}"),
        _ => format!("nothing else uses {}", names.join(" and ")),
    };
    let first = component[0];
    let definition = uses.defined[first].unwrap_or_default();
    let place = context.source.find_word(definition, program.name(first));
    let hint = hint_for_unused(context, facts, first, findings);
    findings.report(Diagnostic::new(Code::UnusedPredicate, place, message).maybe_hint(hint));
}

/// The likely intention of an unused predicate.
fn hint_for_unused(
    context: &Context<'_>,
    facts: &Facts,
    predicate: PredicateId,
    findings: &mut Findings<'_>,
) -> Option<String> {
    let info = context.program.info(predicate);
    let name = context.program.name(predicate);
    if facts.made.contains(&(info.name, info.arity)) {
        let fact = example(name, info.arity);
        return Some(format!("`{name}` is a fact of the state: write `(next {fact})`"));
    }
    let keywords = Keyword::ALL.into_iter().filter(|keyword| keyword.in_heads());
    let fitting = keywords.filter(|keyword| keyword.arity() == info.arity);
    let keyword = findings.suggest(name, fitting.map(Keyword::name))?;
    explain_arguments(context, predicate, findings);
    Some(format!("did you mean `{keyword}`?"))
}
