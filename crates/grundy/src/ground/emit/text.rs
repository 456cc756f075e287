//! Atoms and their arguments as KIF text.

use crate::flat::RelationId;
use crate::ground::{AtomId, GroundLiteral, GroundProgram, write_term};
use grundy_syntax::Keyword;
use std::io;

impl GroundProgram {
    /// The atom that a KIF text stands for, if there is one.
    pub fn find_atom(&self, text: &str) -> Option<AtomId> {
        let wanted = tidy(text);
        let mut found = String::new();
        (0..self.atom_count()).map(AtomId).find(|&atom| {
            found.clear();
            self.push_atom(atom, &mut found);
            found == wanted
        })
    }

    /// Appends an atom.
    pub(super) fn push_atom(&self, atom: AtomId, out: &mut String) {
        let (relation, row) = self.atoms.locate(atom);
        self.write_row(relation, row, out);
    }

    /// An argument of an atom in KIF notation.
    pub(crate) fn arg_text(&self, atom: AtomId, number: usize) -> String {
        let mut out = String::new();
        self.push_arg(atom, number, &mut out);
        out
    }

    /// Appends an argument of an atom.
    pub(super) fn push_arg(&self, atom: AtomId, number: usize, out: &mut String) {
        let (relation, row) = self.atoms.locate(atom);
        self.push_row_arg(relation, row, number, out);
    }

    /// The roles, in their order.
    pub(crate) fn role_names(&self) -> Vec<String> {
        let name = |role| {
            let mut text = String::new();
            write_term(&self.program.symbols, &self.program.terms, role, &[], &mut text);
            text
        };
        self.program.roles().into_iter().map(name).collect()
    }

    /// Calls `visit` with each fact of the initial state.
    pub(crate) fn each_initial(&self, mut visit: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        let init = self.program.keyword(Keyword::Init);
        let mut fact = String::new();
        let is_init = |&relation: &RelationId| Some(self.flat.info(relation).predicate) == init;
        for relation in self.relations.ids().filter(is_init) {
            for row in 0..self.relations[relation].len() {
                fact.clear();
                self.push_row_arg(relation, row, 0, &mut fact);
                visit(&fact)?;
            }
        }
        Ok(())
    }

    /// Calls `visit` with every rule, until it fails.
    pub(super) fn try_each_rule(
        &self,
        mut visit: impl FnMut(AtomId, &[GroundLiteral]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut result = Ok(());
        self.for_each_rule(|head, body| {
            if result.is_ok() {
                result = visit(head, body);
            }
        });
        result
    }

    fn push_row_arg(&self, relation: RelationId, row: u32, number: usize, out: &mut String) {
        let arg = self.flat.relations[relation].template[number];
        let values = self.relations[relation].row(row).to_vec();
        write_term(&self.program.symbols, &self.flat.terms, arg, &values, out);
    }
}

/// A form with single spaces, as atoms are printed.
fn tidy(text: &str) -> String {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut tidy = String::new();
    for token in spaced.split_whitespace() {
        if token != ")" && !tidy.is_empty() && !tidy.ends_with('(') {
            tidy.push(' ');
        }
        tidy.push_str(token);
    }
    tidy
}

#[cfg(test)]
mod tests {
    #[test]
    fn forms_are_normalised() {
        assert_eq!(super::tidy(" ( next(cell  1 2\n x) )"), "(next (cell 1 2 x))");
        assert_eq!(super::tidy("terminal"), "terminal");
    }
}
