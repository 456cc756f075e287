//! Theories with parameters: a fact such as `size(9)` that is replaced from outside.

use super::limits::MetaError;
use super::terms::copy_term;
use grundy_syntax::{Atom, Dialect, Notation, Program, Rule, Source, Span, read};

/// Replaces the facts of a predicate by one that is given as text: with `size(19)`, `size(9)` is gone.
pub fn replace_fact(program: &mut Program, notation: Notation, text: &str) -> Result<(), MetaError> {
    let bad = |why: &str| MetaError::BadGoal(format!("`{text}`: {why}"));
    let source = match notation {
        Notation::Kif => text.to_owned(),
        Notation::Prolog => format!("{}.", text.trim().trim_end_matches('.')),
    };
    let reading = read(&Source::new("fact", source), notation, Dialect::Theory, &Default::default()).program;
    let [fact] = &reading.rules[..] else { return Err(bad("a fact is needed")) };
    if !fact.body.is_empty() || !fact.head.args.iter().all(|&arg| reading.terms.is_ground(arg)) {
        return Err(bad("a fact without variables is needed"));
    }
    let name = reading.name(fact.head.predicate);
    let predicate = program
        .find_predicate(name, fact.head.args.len())
        .filter(|&predicate| program.rules.iter().any(|rule| rule.head.predicate == predicate))
        .ok_or_else(|| bad("the file has no such fact to replace"))?;
    let from = (&reading.symbols, &reading.terms);
    let to = &mut (&mut program.symbols, &mut program.terms);
    let args = fact.head.args.iter().map(|&arg| copy_term(from, arg, (&mut *to.0, &mut *to.1))).collect();
    let is_replaced = |rule: &Rule| rule.head.predicate == predicate && rule.body.is_empty();
    let place = program.rules.iter().position(is_replaced).unwrap_or(0);
    program.rules.retain(|rule| !is_replaced(rule));
    let head = Atom { predicate, args };
    let span = Span::default();
    program
        .rules
        .insert(place, Rule { head, body: Vec::new(), variables: Vec::new(), span, head_span: span });
    Ok(())
}
