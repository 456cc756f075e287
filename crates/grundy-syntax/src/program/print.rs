//! Printing programs, in either notation.
//!
//! What was read in KIF and is printed in either notation reads back as the same program, and so does
//! what was read and is printed in Prolog notation. KIF has no quotes, declarations and constraints:
//! a theory that is printed in KIF is good to look at, but not the same any more.

use super::{Atom, Condition, Literal, PredicateId, Program, Rule, SymbolId, Term, TermId};
use crate::ordered_set::OrderedSet;
use std::borrow::Cow;
use std::fmt::Write;

/// A way to write rules down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `(<= (head ?x) (condition ?x))`
    Kif,
    /// `head(X) :- condition(X).`
    Prolog,
}

/// Prints the parts of one program.
#[derive(Clone, Copy)]
pub struct Printer<'a> {
    program: &'a Program,
    notation: Notation,
}

impl<'a> Printer<'a> {
    /// A printer for a program.
    pub fn new(program: &'a Program, notation: Notation) -> Printer<'a> {
        Printer { program, notation }
    }

    /// The whole program, a rule after the other.
    pub fn program(&self) -> String {
        let mut out = String::new();
        for declaration in &self.program.dynamic {
            let info = self.program.info(declaration.predicate);
            let name = self.name(self.program.symbols.name(info.name));
            let _ = match self.notation {
                Notation::Kif => writeln!(out, "; dynamic {name}/{}", info.arity),
                Notation::Prolog => writeln!(out, ":- dynamic {name}/{}.", info.arity),
            };
        }
        for rule in &self.program.rules {
            out.push_str(&self.rule(rule));
            out.push('\n');
        }
        for constraint in &self.program.constraints {
            let names = self.variable_names(&constraint.variables);
            let body = self.conditions(&constraint.body, &names);
            let _ = match self.notation {
                Notation::Kif => writeln!(out, "; never {}", body.join(" ")),
                Notation::Prolog if body.is_empty() => writeln!(out, ":- true."),
                Notation::Prolog => writeln!(out, ":- {}.", body.join(", ")),
            };
        }
        out
    }

    /// A rule, without a line break at its end.
    pub fn rule(&self, rule: &Rule) -> String {
        let names = self.variable_names(&rule.variables);
        let head = self.atom(&rule.head, &names);
        let body = self.conditions(&rule.body, &names);
        match (self.notation, body.is_empty()) {
            // At the top level of a sheet even a proposition wears parentheses.
            (Notation::Kif, true) if rule.head.args.is_empty() => format!("({head})"),
            (Notation::Kif, true) => head,
            (Notation::Kif, false) => format!("(<= {head}\n    {})", body.join("\n    ")),
            (Notation::Prolog, true) => format!("{head}."),
            (Notation::Prolog, false) => format!("{head} :-\n    {}.", body.join(",\n    ")),
        }
    }

    /// A condition of a rule with these names of variables.
    pub fn literal(&self, literal: &Literal, names: &[String]) -> String {
        match (literal, self.notation) {
            (Literal::Holds(atom), _) => self.atom(atom, names),
            (Literal::Not(atom), Notation::Kif) => format!("(not {})", self.atom(atom, names)),
            (Literal::Not(atom), Notation::Prolog) => format!("\\+ {}", self.atom(atom, names)),
            (Literal::Distinct(a, b), Notation::Kif) => {
                format!("(distinct {} {})", self.term(*a, names), self.term(*b, names))
            }
            (Literal::Distinct(a, b), Notation::Prolog) => {
                format!("{} \\== {}", self.term(*a, names), self.term(*b, names))
            }
        }
    }

    /// An atom of a rule with these names of variables.
    pub fn atom(&self, atom: &Atom, names: &[String]) -> String {
        let mut out = String::new();
        let name = self.program.name(atom.predicate);
        let name = match self.notation {
            Notation::Kif => self.name(name),
            Notation::Prolog => prolog_predicate(name, atom.args.len()),
        };
        self.write_application(&name, &atom.args, names, &mut out);
        out
    }

    /// A term of a rule with these names of variables.
    pub fn term(&self, term: TermId, names: &[String]) -> String {
        let mut out = String::new();
        self.write_term(term, names, &mut out);
        out
    }

    /// A predicate as `name/arity`.
    pub fn predicate(&self, predicate: PredicateId) -> String {
        let info = self.program.info(predicate);
        format!("{}/{}", self.program.symbols.name(info.name), info.arity)
    }

    /// Names for the variables of a rule: those of the text as far as the notation allows it,
    /// and different for different variables.
    pub fn variable_names(&self, variables: &[SymbolId]) -> Vec<String> {
        let mut names = OrderedSet::new();
        for (position, &variable) in variables.iter().enumerate() {
            let wanted = self.variable_name(self.program.symbols.name(variable));
            let mut name = wanted.clone();
            let mut number = position + 1;
            while name == "_" || !names.insert(name.clone()).1 {
                name = format!("{wanted}_{number}");
                number += 1;
            }
        }
        names.into_items()
    }

    fn variable_name(&self, source_name: &str) -> String {
        let bare = source_name.strip_prefix('?').unwrap_or(source_name);
        match self.notation {
            Notation::Kif => format!("?{}", kif_word(bare)),
            Notation::Prolog => {
                let word: String =
                    bare.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
                match word.chars().next() {
                    Some(first) if first.is_ascii_alphabetic() => {
                        first.to_ascii_uppercase().to_string() + &word[1..]
                    }
                    Some('_') => word,
                    _ => format!("V{word}"),
                }
            }
        }
    }

    fn conditions(&self, body: &[Condition], names: &[String]) -> Vec<String> {
        body.iter().map(|condition| self.literal(&condition.literal, names)).collect()
    }

    fn write_term(&self, term: TermId, names: &[String], out: &mut String) {
        match self.program.terms.get(term) {
            Term::Variable(variable) => match names.get(variable.index()) {
                Some(name) => out.push_str(name),
                None => {
                    let _ = match self.notation {
                        Notation::Kif => write!(out, "?v{}", variable.0),
                        Notation::Prolog => write!(out, "V{}", variable.0),
                    };
                }
            },
            Term::Constant(name) => out.push_str(&self.name(self.program.symbols.name(name))),
            Term::Compound(name, args) => {
                let name = self.name(self.program.symbols.name(name));
                self.write_application(&name, args, names, out);
            }
        }
    }

    fn write_application(&self, name: &str, args: &[TermId], names: &[String], out: &mut String) {
        if args.is_empty() {
            out.push_str(name);
            return;
        }
        let separator = match self.notation {
            Notation::Kif => {
                let _ = write!(out, "({name} ");
                " "
            }
            Notation::Prolog => {
                let _ = write!(out, "{name}(");
                ", "
            }
        };
        for (position, &arg) in args.iter().enumerate() {
            if position > 0 {
                out.push_str(separator);
            }
            self.write_term(arg, names, out);
        }
        out.push(')');
    }

    fn name(&self, name: &'a str) -> Cow<'a, str> {
        match self.notation {
            Notation::Kif if name.starts_with('?') => format!("_{}", kif_word(name)).into(),
            Notation::Kif => kif_word(name),
            Notation::Prolog => prolog_name(name),
        }
    }
}

/// KIF has no quotes: what cannot stand in a word becomes `_`.
fn kif_word(name: &str) -> Cow<'_, str> {
    let bad = |c: char| c <= ' ' || "();".contains(c);
    match name {
        "" => "_".into(),
        _ if name.contains(bad) => name.replace(bad, "_").into(),
        _ => name.into(),
    }
}

fn prolog_name(name: &str) -> Cow<'_, str> {
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let has_meaning = ["not", "dynamic"].contains(&name);
    if (is_word && !has_meaning) || is_number(name) { name.into() } else { quoted(name).into() }
}

/// The name of a predicate, in quotes where it would mean something else without them.
fn prolog_predicate(name: &str, arity: usize) -> Cow<'_, str> {
    let has_meaning = arity == 0 && ["true", "fail", "false"].contains(&name);
    if has_meaning || is_number(name) { quoted(name).into() } else { prolog_name(name) }
}

fn quoted(name: &str) -> String {
    let mut out = String::from("'");
    for c in name.chars() {
        match c {
            '\\' | '\'' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// Whether a name is a whole number, which in Prolog notation needs no quotes.
pub(crate) fn is_number(name: &str) -> bool {
    let digits = name.strip_prefix('-').unwrap_or(name);
    !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
}
