//! Names of KIF as names of answer-set programs.
//!
//! A name that is an identifier in lower case stays as it is, and so does a whole number in the place
//! of a constant. Anything else is escaped: `x_`, letters and digits as they are, every other byte as
//! `_` and two hexadecimal digits. Names that look escaped, and those with a meaning (`not`, and the
//! `on` of [`write_asp`](super::write_asp)), are escaped as well, so that different names stay different.

use crate::ids::IdVec;
use grundy_syntax::{SymbolId, Symbols, Term, TermId, Terms, VariableId};

/// The names of all symbols of a program.
pub(super) struct Names {
    constants: IdVec<SymbolId, Box<[u8]>>,
    /// Where predicates and functions stand. A number can be neither.
    functions: IdVec<SymbolId, Box<[u8]>>,
}

impl Names {
    pub(super) fn new(symbols: &Symbols) -> Names {
        let functions = symbols.iter().map(|(_, name)| function_name(name)).collect();
        let constants = symbols.iter().map(|(_, name)| constant_name(name)).collect();
        Names { constants, functions }
    }

    /// Appends an atom, with `variable` writing what stands for a variable.
    pub(super) fn push_atom(
        &self,
        terms: &Terms,
        predicate: SymbolId,
        args: &[TermId],
        variable: &impl Fn(VariableId, &mut Vec<u8>),
        out: &mut Vec<u8>,
    ) {
        out.extend_from_slice(&self.functions[predicate]);
        if !args.is_empty() {
            self.push_args(terms, args, variable, out);
        }
    }

    /// Appends a term.
    pub(super) fn push_term(
        &self,
        terms: &Terms,
        term: TermId,
        variable: &impl Fn(VariableId, &mut Vec<u8>),
        out: &mut Vec<u8>,
    ) {
        match terms.get(term) {
            Term::Variable(number) => variable(number, out),
            Term::Constant(name) => out.extend_from_slice(&self.constants[name]),
            Term::Compound(name, args) => {
                out.extend_from_slice(&self.functions[name]);
                self.push_args(terms, args, variable, out);
            }
        }
    }

    fn push_args(
        &self,
        terms: &Terms,
        args: &[TermId],
        variable: &impl Fn(VariableId, &mut Vec<u8>),
        out: &mut Vec<u8>,
    ) {
        let mut before = b'(';
        for &arg in args {
            out.push(before);
            self.push_term(terms, arg, variable, out);
            before = b',';
        }
        out.push(b')');
    }
}

fn constant_name(name: &str) -> Box<[u8]> {
    if is_integer(name) { name.as_bytes().into() } else { function_name(name) }
}

fn function_name(name: &str) -> Box<[u8]> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_identifier =
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_word);
    if is_identifier && !name.starts_with("x_") && !matches!(name, "not" | "on") {
        return name.as_bytes().into();
    }
    let mut escaped = b"x_".to_vec();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() {
            escaped.push(byte);
        } else {
            escaped.extend_from_slice(format!("_{byte:02x}").as_bytes());
        }
    }
    escaped.into()
}

/// Whether a name is a whole number, written as gringo writes it, and within its range.
fn is_integer(name: &str) -> bool {
    name.parse::<i32>().is_ok_and(|number| number != i32::MIN && number.to_string() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn different_names_stay_different() {
        let names = [
            "cell",
            "Cell",
            "CELL",
            "x_Cell",
            "x_x_5fCell",
            "_",
            "x__5f",
            "on",
            "x_on",
            "not",
            "x_not",
            "++",
            "é",
            "e",
            "1",
            "01",
            "-1",
            "+1",
            "x_1",
            "a-b",
            "a_2db",
            "x_a_2db",
            "2147483648",
            "-0",
            "x",
            "x_",
        ];
        let functions: BTreeSet<_> = names.iter().map(|name| function_name(name)).collect();
        assert_eq!(functions.len(), names.len());
        let mut symbols = Symbols::default();
        names.iter().for_each(|name| _ = symbols.intern(name));
        let constants: BTreeSet<_> = Names::new(&symbols).constants.into_iter().collect();
        assert_eq!(constants.len(), names.len());
    }

    #[test]
    fn only_what_must_be_is_escaped() {
        let check = |name, expected: &str| assert_eq!(&*function_name(name), expected.as_bytes());
        check("noop", "noop");
        check("cell_2X", "cell_2X");
        check("on", "x_on");
        check("Cell", "x_Cell");
        check("a-b", "x_a_2db");
        check("3", "x_3");
        assert!(is_integer("0") && is_integer("-7") && !is_integer("07") && !is_integer("2147483648"));
    }
}
