//! The rules of lifted relations as KIF.

use crate::flat::{FlatAtom, FlatLiteral, FlatRule, RelationId};
use crate::ground::GroundProgram;
use grundy_syntax::{Keyword, Term, TermId};
use std::fmt::Write as _;

/// A rule with its variables, on one line.
pub(super) fn rule_text(ground: &GroundProgram, rule: &FlatRule) -> String {
    let name = |relation: RelationId| ground.program.name(ground.flat.info(relation).predicate);
    let head = atom_text(ground, &rule.head, name(rule.head.relation));
    if rule.body.is_empty() && head.starts_with('(') {
        return head;
    }
    let conditions: Vec<String> = rule.body.iter().map(|literal| literal_text(ground, literal)).collect();
    format!("(<= {head} {})", conditions.join(" "))
}

fn literal_text(ground: &GroundProgram, literal: &FlatLiteral) -> String {
    match literal {
        FlatLiteral::Holds(atom) => condition_text(ground, atom),
        FlatLiteral::Not(atom) => format!("(not {})", condition_text(ground, atom)),
        FlatLiteral::Distinct(pairs) => {
            let pair = |&(a, b): &(TermId, TermId)| {
                let mut out = "(distinct ".to_owned();
                push_term(ground, a, &[], &mut out);
                out.push(' ');
                push_term(ground, b, &[], &mut out);
                out + ")"
            };
            let pairs: Vec<String> = pairs.iter().map(pair).collect();
            if pairs.len() == 1 { pairs[0].clone() } else { format!("(or {})", pairs.join(" ")) }
        }
    }
}

/// Permanent facts were moved to the initial state (`rewrite/permanent.rs`). They hold in every state, so they are printed as
/// conditions on the current state, as in the sheet.
fn condition_text(ground: &GroundProgram, atom: &FlatAtom) -> String {
    let info = ground.program.info(ground.flat.info(atom.relation).predicate);
    let is_initial = info.keyword == Some(Keyword::Init);
    atom_text(ground, atom, if is_initial { "true" } else { ground.program.symbols.name(info.name) })
}

fn atom_text(ground: &GroundProgram, atom: &FlatAtom, name: &str) -> String {
    let info = ground.flat.info(atom.relation);
    if info.template.is_empty() {
        return name.to_owned();
    }
    let mut out = format!("({name}");
    for &arg in &info.template {
        out.push(' ');
        push_term(ground, arg, &atom.args, &mut out);
    }
    out + ")"
}

/// Appends a term, with columns in the place of variables; without columns, variables are those of a rule.
fn push_term(ground: &GroundProgram, term: TermId, columns: &[TermId], out: &mut String) {
    match ground.flat.terms.get(term) {
        Term::Variable(variable) => match columns.get(variable.index()) {
            Some(&column) => push_term(ground, column, &[], out),
            None => _ = write!(out, "?x{}", variable.0),
        },
        Term::Constant(name) => out.push_str(ground.program.symbols.name(name)),
        Term::Compound(name, args) => {
            out.push('(');
            out.push_str(ground.program.symbols.name(name));
            for &arg in args {
                out.push(' ');
                push_term(ground, arg, columns, out);
            }
            out.push(')');
        }
    }
}
