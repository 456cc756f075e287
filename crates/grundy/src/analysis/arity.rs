//! Predicates, facts and functions that are used with different arities.

use super::{Context, Findings};
use grundy_syntax::{Atom, Code, Diagnostic, Keyword, PredicateId, Program, Span, SymbolId, Term, TermId};
use std::cmp::Reverse;
use std::collections::BTreeMap;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    check_predicates(context, findings);
    let mut uses: BTreeMap<SymbolId, Vec<Use>> = BTreeMap::new();
    for (atom, span) in context.atoms() {
        collect_from_atom(context.program, atom, span, &mut uses);
    }
    for condition in context.conditions().filter(|condition| condition.literal.atom().is_none()) {
        for term in condition.literal.terms() {
            collect(context.program, term, Position::Inside, condition.span, &mut uses);
        }
    }
    for (name, uses) in &uses {
        check_function(context, context.program.symbols.name(*name), uses, findings);
    }
}

/// An arity of a name, with the number of its uses and the first one.
#[derive(Clone, Copy)]
struct Use {
    arity: usize,
    position: Position,
    span: Span,
    count: usize,
}

/// The position of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// A predicate.
    Atom,
    /// A fact of the state: directly under `true`, `init`, `next`.
    Fact,
    /// A move: directly under `legal`, `does`.
    Move,
    /// Inside another term, or in an argument of a view.
    Inside,
}

fn check_predicates(context: &Context<'_>, findings: &mut Findings<'_>) {
    let program = context.program;
    let mut uses: BTreeMap<SymbolId, Vec<Use>> = BTreeMap::new();
    let mut note = |predicate: PredicateId, span: Span| {
        let info = program.info(predicate);
        note_use(uses.entry(info.name).or_default(), info.arity, Position::Atom, span);
    };
    program.dynamic.iter().for_each(|declaration| note(declaration.predicate, declaration.span));
    context.atoms().for_each(|(atom, span)| note(atom.predicate, span));
    for (name, uses) in uses {
        if let Some(clash) = clash(&uses) {
            findings.explained.insert(name);
            report(context, Code::PredicateArity, program.symbols.name(name), clash, findings);
        }
    }
}

fn note_use(uses: &mut Vec<Use>, arity: usize, position: Position, span: Span) {
    match uses.iter_mut().find(|known| known.arity == arity && known.position == position) {
        Some(known) => known.count += 1,
        None => uses.push(Use { arity, position, span, count: 1 }),
    }
}

fn collect_from_atom(program: &Program, atom: &Atom, span: Span, uses: &mut BTreeMap<SymbolId, Vec<Use>>) {
    let keyword = program.info(atom.predicate).keyword;
    for (number, &arg) in atom.args.iter().enumerate() {
        let position = match (keyword, number) {
            (Some(Keyword::True | Keyword::Init | Keyword::Next), 0) => Position::Fact,
            (Some(Keyword::Legal | Keyword::Does), 1) => Position::Move,
            _ => Position::Inside,
        };
        collect(program, arg, position, span, uses);
    }
}

fn collect(
    program: &Program,
    term: TermId,
    position: Position,
    span: Span,
    uses: &mut BTreeMap<SymbolId, Vec<Use>>,
) {
    let Term::Compound(name, args) = program.terms.get(term) else { return };
    note_use(uses.entry(name).or_default(), args.len(), position, span);
    args.iter().for_each(|&arg| collect(program, arg, Position::Inside, span, uses));
}

/// Different arities of a fact or of a move are reported as such, those of other functions with less certainty.
fn check_function(context: &Context<'_>, name: &str, uses: &[Use], findings: &mut Findings<'_>) {
    for position in [Position::Fact, Position::Move] {
        let alike: Vec<Use> = uses.iter().copied().filter(|of| of.position == position).collect();
        if let Some(clash) = clash(&alike) {
            return report(context, Code::FactArity, name, clash, findings);
        }
    }
    if let Some(clash) = clash(uses) {
        report(context, Code::FunctionArity, name, clash, findings);
    }
}

/// The rarest and the most frequent arity, if there are several.
fn clash(uses: &[Use]) -> Option<(Use, Use)> {
    let usual = *uses.iter().min_by_key(|of| Reverse(of.count))?;
    let odd = uses.iter().filter(|of| of.arity != usual.arity).min_by_key(|of| of.count)?;
    Some((*odd, usual))
}

fn report(
    context: &Context<'_>,
    code: Code,
    name: &str,
    (odd, usual): (Use, Use),
    findings: &mut Findings<'_>,
) {
    let message = format!("`{name}` has {} here, but {} elsewhere", arguments(odd.arity), usual.arity);
    let place = context.source.find_word(odd.span, name);
    let usual_place = context.source.find_word(usual.span, name);
    let label = format!("here with {}", arguments(usual.arity));
    findings.report(Diagnostic::new(code, place, message).second(usual_place, label));
}

/// `1 argument`, `2 arguments`.
pub(super) fn arguments(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}
