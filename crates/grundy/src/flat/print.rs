//! Printing flat programs.

use super::{Flat, FlatAtom, FlatLiteral, Origin, RelationId, RelationInfo};
use grundy_syntax::{Program, Term, TermId};
use std::fmt::Write;

/// The rules, with relations named by their predicate and the functions that were taken apart.
pub fn print_flat(program: &Program, flat: &Flat) -> String {
    let mut out = String::new();
    for rule in &flat.rules {
        let _ = write!(out, "{}", atom(program, flat, &rule.head));
        if !matches!(rule.origin, Origin::Rule(_)) {
            out.push_str(" <~");
        } else if !rule.body.is_empty() {
            out.push_str(" <-");
        }
        let body: Vec<String> =
            rule.body.iter().map(|literal| print_literal(program, flat, literal)).collect();
        if !body.is_empty() {
            let _ = write!(out, " {}", body.join(", "));
        }
        out.push_str(".\n");
    }
    out
}

fn print_literal(program: &Program, flat: &Flat, literal: &FlatLiteral) -> String {
    match literal {
        FlatLiteral::Holds(a) => atom(program, flat, a),
        FlatLiteral::Not(a) => format!("not {}", atom(program, flat, a)),
        FlatLiteral::Distinct(pairs) => {
            let side = |pick: fn(&(TermId, TermId)) -> TermId| -> String {
                let terms: Vec<String> = pairs.iter().map(|pair| term(program, flat, pick(pair))).collect();
                if terms.len() == 1 { terms[0].clone() } else { format!("({})", terms.join(", ")) }
            };
            format!("{} != {}", side(|pair| pair.0), side(|pair| pair.1))
        }
    }
}

fn atom(program: &Program, flat: &Flat, atom: &FlatAtom) -> String {
    let args: Vec<String> = atom.args.iter().map(|&arg| term(program, flat, arg)).collect();
    format!("{}({})", relation_name(program, flat, atom.relation), args.join(", "))
}

/// `true/cell`, `does/_/move`, `true/at[-,g]`: the predicate, and for each argument its function, if it is known, with the
/// shapes of the arguments of that function. `-` is a constant.
fn relation_name(program: &Program, flat: &Flat, relation: RelationId) -> String {
    let info = flat.info(relation);
    let mut name = program.name(info.predicate).to_owned();
    let parts: Vec<String> = info.template.iter().map(|&arg| part_name(program, flat, info, arg)).collect();
    if parts.iter().any(|part| part != "_") {
        for part in parts {
            let _ = write!(name, "/{part}");
        }
    }
    name
}

fn part_name(program: &Program, flat: &Flat, info: &RelationInfo, part: TermId) -> String {
    match flat.terms.get(part) {
        Term::Variable(column) if info.is_constant(column.index()) => "-".to_owned(),
        Term::Variable(_) => "_".to_owned(),
        Term::Constant(name) => program.symbols.name(name).to_owned(),
        Term::Compound(function, args) => {
            let mut name = program.symbols.name(function).to_owned();
            let args: Vec<String> = args.iter().map(|&arg| part_name(program, flat, info, arg)).collect();
            if args.iter().any(|arg| arg != "_") {
                let _ = write!(name, "[{}]", args.join(","));
            }
            name
        }
    }
}

fn term(program: &Program, flat: &Flat, id: TermId) -> String {
    match flat.terms.get(id) {
        Term::Variable(variable) => format!("V{}", variable.0),
        Term::Constant(name) => program.symbols.name(name).to_owned(),
        Term::Compound(name, args) => {
            let args: Vec<String> = args.iter().map(|&arg| term(program, flat, arg)).collect();
            format!("{}({})", program.symbols.name(name), args.join(", "))
        }
    }
}
