//! The ground format of answer-set solvers.
//!
//! Facts of the state and moves are choices, so that a solver may pick any state; every rule is a
//! normal rule; atoms of what was not grounded are external; every atom has a name, the same as in [`write_asp`](super::write_asp).

use super::digits::Digits;
use super::names::Names;
use crate::flat::RelationId;
use crate::ground::{Block, GroundProgram};
use crate::ids::narrow;
use grundy_syntax::{Keyword, TermId, VariableId};
use std::io::{self, Write};

/// The approximate size of a write in bytes. A guess.
const WRITE_SIZE: usize = 1 << 16;

/// Writes a ground program in aspif.
pub fn write_aspif(ground: &GroundProgram, out: &mut impl Write) -> io::Result<()> {
    let mut writer =
        Aspif { ground, digits: Digits::new(), text: Vec::with_capacity(WRITE_SIZE + 4096), out };
    writer.text.extend_from_slice(b"asp 1 0 0\n");
    writer.write_choices()?;
    for block in &ground.blocks {
        writer.write_block(block)?;
    }
    writer.write_externals()?;
    writer.write_names()?;
    writer.text.extend_from_slice(b"0\n");
    writer.write_text()
}

struct Aspif<'a, W> {
    ground: &'a GroundProgram,
    digits: Digits,
    /// Text that was not written yet.
    text: Vec<u8>,
    out: &'a mut W,
}

impl<W: Write> Aspif<'_, W> {
    fn write_choices(&mut self) -> io::Result<()> {
        let ground = self.ground;
        for atom in ground.atoms_of(Keyword::True).chain(ground.atoms_of(Keyword::Does)) {
            self.text.extend_from_slice(b"1 1 1 ");
            self.digits.push(atom.0 + 1, &mut self.text);
            self.text.extend_from_slice(b" 0 0\n");
            self.write_if_full()?;
        }
        Ok(())
    }

    /// The rules of a block. This is most of the output, so that rows are turned into text directly,
    /// without [`GroundProgram::for_each_rule`].
    fn write_block(&mut self, block: &Block) -> io::Result<()> {
        // aspif counts atoms from one.
        let first = |relation: RelationId| self.ground.atoms.first(relation) + 1;
        let head_first = first(block.head);
        let literals: Vec<(u32, bool)> =
            block.literals.iter().map(|&(relation, positive)| (first(relation), positive)).collect();
        for row in block.rows.iter() {
            self.text.extend_from_slice(b"1 0 1 ");
            self.digits.push(head_first + row[0], &mut self.text);
            self.text.extend_from_slice(b" 0 ");
            self.digits.push(narrow(literals.len()), &mut self.text);
            for (&(first, positive), &row) in literals.iter().zip(&row[1..]) {
                self.text.extend_from_slice(if positive { b" " } else { b" -" });
                self.digits.push(first + row, &mut self.text);
            }
            self.text.push(b'\n');
            self.write_if_full()?;
        }
        Ok(())
    }

    /// Atoms that are free to be true or false, as far as a solver knows.
    fn write_externals(&mut self) -> io::Result<()> {
        let ground = self.ground;
        for atom in ground.external_atoms() {
            self.text.extend_from_slice(b"5 ");
            self.digits.push(atom.0 + 1, &mut self.text);
            self.text.extend_from_slice(b" 0\n");
            self.write_if_full()?;
        }
        Ok(())
    }

    fn write_names(&mut self) -> io::Result<()> {
        let ground = self.ground;
        let names = Names::new(&ground.program.symbols);
        let terms = &ground.flat.terms;
        let mut name = Vec::new();
        for (relation, info) in ground.flat.relations.entries() {
            let predicate = ground.program.info(info.predicate).name;
            let atoms = ground.atoms.range(relation);
            let first = atoms.start;
            for atom in atoms {
                let values = ground.relations[relation].row(atom - first);
                let column = |column: VariableId, out: &mut Vec<u8>| {
                    let value = TermId(values.at(column.index()));
                    names.push_term(terms, value, &|_, _| {}, out);
                };
                name.clear();
                names.push_atom(terms, predicate, &info.template, &column, &mut name);
                self.text.extend_from_slice(b"4 ");
                self.digits.push(narrow(name.len()), &mut self.text);
                self.text.push(b' ');
                self.text.extend_from_slice(&name);
                self.text.extend_from_slice(b" 1 ");
                self.digits.push(atom + 1, &mut self.text);
                self.text.push(b'\n');
                self.write_if_full()?;
            }
        }
        Ok(())
    }

    #[inline]
    fn write_if_full(&mut self) -> io::Result<()> {
        if self.text.len() < WRITE_SIZE { Ok(()) } else { self.write_text() }
    }

    #[cold]
    fn write_text(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}
