//! Names: arities, case, definitions and uses.

use super::Context;
use super::suggest::closest;
use grundy_syntax::{
    Atom, Code, Diagnostic, Dialect, Keyword, PredicateId, Program, Rule, Span, SymbolId, Term, TermId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// All atoms of a rule with their places, the head first.
fn atoms(rule: &Rule) -> impl Iterator<Item = (&Atom, Span)> {
    let in_body = rule.body.iter().filter_map(|condition| Some((condition.literal.atom()?, condition.span)));
    std::iter::once((&rule.head, rule.head_span)).chain(in_body)
}

/// Where a predicate first occurs.
fn first_places(program: &Program) -> Vec<Option<Span>> {
    let mut places = vec![None; program.predicate_count()];
    for declaration in &program.dynamic {
        places[declaration.predicate.0 as usize].get_or_insert(declaration.span);
    }
    for (atom, span) in program.rules.iter().flat_map(atoms) {
        places[atom.predicate.0 as usize].get_or_insert(span);
    }
    places
}

/// Predicates, facts and functions that are used with two numbers of arguments.
pub(super) fn check_arities(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    check_predicate_arities(context, diagnostics);
    let mut uses: BTreeMap<SymbolId, Vec<Use>> = BTreeMap::new();
    for rule in &context.program.rules {
        for (atom, span) in atoms(rule) {
            collect_functions(context.program, atom, span, &mut uses);
        }
        for condition in rule.body.iter().filter(|condition| condition.literal.atom().is_none()) {
            for term in condition.literal.terms() {
                collect_function(context.program, term, Position::Inside, condition.span, &mut uses);
            }
        }
    }
    for (name, uses) in &uses {
        check_function_arities(context, context.program.symbols.name(*name), uses, diagnostics);
    }
}

fn check_predicate_arities(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let program = context.program;
    let places = first_places(program);
    let mut first: FxHashMap<SymbolId, PredicateId> = FxHashMap::default();
    for (predicate, info) in program.predicates() {
        let known = *first.entry(info.name).or_insert(predicate);
        let (Some(place), Some(first_place)) = (places[predicate.0 as usize], places[known.0 as usize])
        else {
            continue;
        };
        if known != predicate {
            let name = program.name(predicate);
            let (arity, first_arity) = (info.arity, program.info(known).arity);
            let message =
                format!("`{name}` has {} here, and {} elsewhere", arguments(arity), arguments(first_arity));
            let other = format!("here with {}", arguments(first_arity));
            let place = context.source.find_word(place, name);
            let first_place = context.source.find_word(first_place, name);
            diagnostics
                .push(Diagnostic::new(Code::PredicateArity, place, message).second(first_place, other));
        }
    }
}

fn arguments(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

/// Where a function stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// A fact of the state: directly under `true`, `init`, `next`.
    Fact,
    /// A move: directly under `legal`, `does`.
    Move,
    /// Inside another term, or in an argument of a view.
    Inside,
}

struct Use {
    arity: usize,
    position: Position,
    span: Span,
}

fn collect_functions(program: &Program, atom: &Atom, span: Span, uses: &mut BTreeMap<SymbolId, Vec<Use>>) {
    let keyword = program.info(atom.predicate).keyword;
    for (number, &arg) in atom.args.iter().enumerate() {
        let position = match (keyword, number) {
            (Some(Keyword::True | Keyword::Init | Keyword::Next), 0) => Position::Fact,
            (Some(Keyword::Legal | Keyword::Does), 1) => Position::Move,
            _ => Position::Inside,
        };
        collect_function(program, arg, position, span, uses);
    }
}

fn collect_function(
    program: &Program,
    term: TermId,
    position: Position,
    span: Span,
    uses: &mut BTreeMap<SymbolId, Vec<Use>>,
) {
    let Term::Compound(name, args) = program.terms.get(term) else { return };
    let known = uses.entry(name).or_default();
    if !known.iter().any(|known| known.arity == args.len() && known.position == position) {
        known.push(Use { arity: args.len(), position, span });
    }
    args.iter().for_each(|&arg| collect_function(program, arg, Position::Inside, span, uses));
}

fn check_function_arities(
    context: &Context<'_>,
    name: &str,
    uses: &[Use],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let first = &uses[0];
    let Some(other) = uses.iter().find(|other| other.arity != first.arity) else { return };
    let clash = |a: &&Use| {
        a.position != Position::Inside && uses.iter().any(|b| b.position == a.position && b.arity != a.arity)
    };
    let code = if uses.iter().any(|a| clash(&a)) { Code::FactArity } else { Code::FunctionArity };
    let message =
        format!("`{name}` has {} here, and {} elsewhere", arguments(other.arity), arguments(first.arity));
    let place = context.source.find_word(other.span, name);
    let first_place = context.source.find_word(first.span, name);
    let label = format!("here with {}", arguments(first.arity));
    diagnostics.push(Diagnostic::new(code, place, message).second(first_place, label));
}

/// Names that differ only in case, and variables of a rule that do.
pub(super) fn check_capitalisation(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let program = context.program;
    let mut spellings: BTreeMap<String, Vec<SymbolId>> = BTreeMap::new();
    for (symbol, name) in program.symbols.iter().filter(|(_, name)| !name.starts_with('?')) {
        spellings.entry(name.to_lowercase()).or_default().push(symbol);
    }
    if program.dialect == Dialect::Game {
        for symbols in spellings.values().filter(|symbols| symbols.len() > 1) {
            check_spellings(context, symbols, diagnostics);
        }
    }
    for rule in &program.rules {
        let name = |symbol: SymbolId| program.symbols.name(symbol);
        for (number, &variable) in rule.variables.iter().enumerate() {
            let same =
                |other: &&SymbolId| **other != variable && name(**other).eq_ignore_ascii_case(name(variable));
            if let Some(&other) = rule.variables[..number].iter().find(same) {
                let (this, other) = (name(variable), name(other));
                let message = format!("the variables `{other}` and `{this}` differ only in case");
                let place = context.source.find_word(rule.span, this);
                let other_place = context.source.find_word(rule.span, other);
                let hint = format!("did you mean `{other}`?");
                let warning = Diagnostic::new(Code::Capitalisation, place, message).hint(hint);
                diagnostics.push(warning.second(other_place, "the other one"));
            }
        }
    }
}

fn check_spellings(context: &Context<'_>, symbols: &[SymbolId], diagnostics: &mut Vec<Diagnostic>) {
    // Names that only a left-out form or a keyword in capitals has given have no place in a rule.
    let place_of = |symbol: SymbolId| {
        let name = context.program.symbols.name(symbol);
        let place =
            context.program.rules.iter().find_map(|rule| context.source.words(rule.span, name).next());
        place.map(|place| (name, place))
    };
    let places: Vec<(&str, Span)> = symbols.iter().filter_map(|&symbol| place_of(symbol)).collect();
    let Some(((first, first_place), others)) = places.split_first() else { return };
    for (other, place) in others {
        let message = format!("`{first}` and `{other}` differ only in case");
        let warning = Diagnostic::new(Code::Capitalisation, *place, message);
        diagnostics
            .push(warning.second(*first_place, "the other one").hint(format!("did you mean `{first}`?")));
    }
}

/// Predicates without a definition, and predicates without a use.
pub(super) fn check_definitions_and_uses(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let program = context.program;
    let defined: FxHashSet<PredicateId> = program.rules.iter().map(|rule| rule.head.predicate).collect();
    let given: FxHashSet<PredicateId> = program.dynamic.iter().map(|d| d.predicate).collect();
    let uses = first_uses(program);
    let places = first_places(program);
    for (predicate, info) in program.predicates() {
        if info.keyword.is_some() || program.left_out.contains(&info.name) {
            continue;
        }
        let name = program.name(predicate);
        let is_defined = defined.contains(&predicate) || given.contains(&predicate);
        match (is_defined, uses[predicate.0 as usize]) {
            (false, Some(place)) => {
                let place = context.source.find_word(place, name);
                let message = format!("nothing defines `{name}` with {}", arguments(info.arity));
                let warning = Diagnostic::new(Code::UndefinedPredicate, place, message);
                let hint = similar(context, name, &defined).map(|other| format!("did you mean `{other}`?"));
                diagnostics.push(warning.label("never true").maybe_hint(hint));
            }
            (true, None) if program.dialect == Dialect::Game => {
                let place = places[predicate.0 as usize].unwrap_or_default();
                let message = format!("nothing uses `{name}`");
                let place = context.source.find_word(place, name);
                diagnostics.push(Diagnostic::new(Code::UnusedPredicate, place, message));
            }
            _ => {}
        }
    }
}

/// Where a predicate is first used by another one.
fn first_uses(program: &Program) -> Vec<Option<Span>> {
    let mut uses = vec![None; program.predicate_count()];
    for rule in &program.rules {
        for (atom, span) in atoms(rule).skip(1).filter(|(atom, _)| atom.predicate != rule.head.predicate) {
            uses[atom.predicate.0 as usize].get_or_insert(span);
        }
    }
    for constraint in &program.constraints {
        for condition in &constraint.body {
            if let Some(atom) = condition.literal.atom() {
                uses[atom.predicate.0 as usize].get_or_insert(condition.span);
            }
        }
    }
    uses
}

/// A defined predicate or a keyword whose name is close to this one.
fn similar<'a>(context: &Context<'a>, name: &str, defined: &FxHashSet<PredicateId>) -> Option<&'a str> {
    let program = context.program;
    let views = program.predicates().map(|(predicate, _)| predicate).filter(|p| defined.contains(p));
    let keywords =
        Keyword::ALL.into_iter().filter(|keyword| keyword.in_bodies()).map(|keyword| keyword.name());
    let keywords = keywords.filter(|_| program.dialect == Dialect::Game);
    closest(name, views.map(|predicate| program.name(predicate)).chain(keywords))
}
