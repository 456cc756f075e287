//! The non-ground program for an ASP grounder.
//!
//! What gringo makes of it are the faithful ground rules, one to one. Facts of the state and moves are
//! choices, so that nothing is known about them. gringo simplifies rules by the atoms that it finds to
//! be facts; as answers (`legal`, `goal` …) are never to be simplified away, a rule for a dynamic atom
//! that has no positive dynamic condition gets the condition `on`, an atom of which gringo knows
//! nothing. The sheet's own `base` and `input` are left out, as everywhere.

use super::names::Names;
use crate::analysis::classify;
use crate::flat::{RelationKind, kind_of};
use crate::ids::BitSet;
use grundy_syntax::{Atom, Keyword, Literal, PredicateId, Program, Rule, VariableId};
use std::io::{self, Write};

/// The choices that link a state to the next one.
const LINKS: &str = "\
#external on.
{true(F)} :- init(F).
{true(F)} :- next(F).
{does(R,M)} :- legal(R,M).
";

/// Writes the program g(R) for an ASP grounder.
pub fn write_asp(program: &Program, out: &mut impl Write) -> io::Result<()> {
    let analysis = classify(program);
    let is_dynamic =
        |&predicate: &PredicateId| kind_of(program, &analysis, predicate) == RelationKind::Dynamic;
    let dynamic = BitSet::of(program.predicate_count(), is_dynamic);
    let exporter = Exporter { program, names: Names::new(&program.symbols), dynamic };
    out.write_all(LINKS.as_bytes())?;
    let mut line = Vec::new();
    for rule in &program.rules {
        let keyword = program.info(rule.head.predicate).keyword;
        if !matches!(keyword, Some(Keyword::Base | Keyword::Input)) {
            line.clear();
            exporter.push_rule(rule, &mut line);
            out.write_all(&line)?;
        }
    }
    Ok(())
}

struct Exporter<'a> {
    program: &'a Program,
    names: Names,
    dynamic: BitSet<PredicateId>,
}

impl Exporter<'_> {
    fn push_rule(&self, rule: &Rule, out: &mut Vec<u8>) {
        self.push_atom(&rule.head, out);
        let mut before = " :- ";
        for literal in rule.literals() {
            out.extend_from_slice(before.as_bytes());
            self.push_literal(literal, out);
            before = ", ";
        }
        if self.is_dynamic(&rule.head) && !rule.literals().any(|literal| self.is_open(literal)) {
            out.extend_from_slice(before.as_bytes());
            out.extend_from_slice(b"on");
        }
        out.extend_from_slice(b".\n");
    }

    /// Whether a condition keeps a head from being a fact.
    fn is_open(&self, literal: &Literal) -> bool {
        matches!(literal, Literal::Holds(atom) if self.is_dynamic(atom))
    }

    fn is_dynamic(&self, atom: &Atom) -> bool {
        self.dynamic.contains(atom.predicate)
    }

    fn push_literal(&self, literal: &Literal, out: &mut Vec<u8>) {
        match literal {
            Literal::Holds(atom) => self.push_atom(atom, out),
            Literal::Not(atom) => {
                out.extend_from_slice(b"not ");
                self.push_atom(atom, out);
            }
            Literal::Distinct(a, b) => {
                self.names.push_term(&self.program.terms, *a, &push_variable, out);
                out.extend_from_slice(b" != ");
                self.names.push_term(&self.program.terms, *b, &push_variable, out);
            }
        }
    }

    fn push_atom(&self, atom: &Atom, out: &mut Vec<u8>) {
        let name = self.program.info(atom.predicate).name;
        self.names.push_atom(&self.program.terms, name, &atom.args, &push_variable, out);
    }
}

fn push_variable(variable: VariableId, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("V{}", variable.0).as_bytes());
}
