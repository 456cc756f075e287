//! A ground program as one JSON object.
//!
//! `{"roles":[…],"base":[…],"input":[{"role","move"}…],"init":[…],"rules":[{"head","body":["a","not b"…]}…]}`:
//! facts, moves and atoms are KIF text. It is written as it goes, a line for each entry.

use crate::ground::GroundProgram;
use grundy_syntax::Keyword;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes a ground program as one JSON object.
pub fn write_json(ground: &GroundProgram, out: &mut impl Write) -> io::Result<()> {
    let mut writer = Json { ground, out, text: String::new(), entry: String::new() };
    writer.out.write_all(b"{\"roles\":[")?;
    let mut list = List::default();
    for role in ground.role_names() {
        list.begin(&mut writer.entry);
        writer.push_string(&role);
        writer.hand_on()?;
    }
    writer.write_facts()?;
    writer.write_moves()?;
    writer.write_initial()?;
    writer.write_rules()?;
    writer.out.write_all(b"\n]}\n")
}

/// Whether a comma is due.
#[derive(Default)]
struct List {
    begun: bool,
}

impl List {
    fn begin(&mut self, entry: &mut String) {
        entry.push_str(if self.begun { ",\n" } else { "\n" });
        self.begun = true;
    }
}

struct Json<'a, W> {
    ground: &'a GroundProgram,
    out: &'a mut W,
    /// KIF text before it is quoted.
    text: String,
    /// An entry before it is written.
    entry: String,
}

impl<W: Write> Json<'_, W> {
    fn write_facts(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n],\"base\":[")?;
        let mut list = List::default();
        for atom in self.ground.atoms_of(Keyword::True) {
            list.begin(&mut self.entry);
            self.push_kif(|ground, text| ground.push_arg(atom, 0, text));
            self.hand_on()?;
        }
        Ok(())
    }

    fn write_moves(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n],\"input\":[")?;
        let mut list = List::default();
        for atom in self.ground.atoms_of(Keyword::Does) {
            list.begin(&mut self.entry);
            self.entry.push_str("{\"role\":");
            self.push_kif(|ground, text| ground.push_arg(atom, 0, text));
            self.entry.push_str(",\"move\":");
            self.push_kif(|ground, text| ground.push_arg(atom, 1, text));
            self.entry.push('}');
            self.hand_on()?;
        }
        Ok(())
    }

    fn write_initial(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n],\"init\":[")?;
        let mut list = List::default();
        let ground = self.ground;
        ground.each_initial(|fact| {
            list.begin(&mut self.entry);
            self.push_string(fact);
            self.hand_on()
        })
    }

    fn write_rules(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n],\"rules\":[")?;
        let mut list = List::default();
        let ground = self.ground;
        ground.try_each_rule(|head, body| {
            list.begin(&mut self.entry);
            self.entry.push_str("{\"head\":");
            self.push_kif(|ground, text| ground.push_atom(head, text));
            self.entry.push_str(",\"body\":[");
            for (number, literal) in body.iter().enumerate() {
                if number > 0 {
                    self.entry.push(',');
                }
                self.push_kif(|ground, text| {
                    text.push_str(if literal.positive { "" } else { "not " });
                    ground.push_atom(literal.atom, text);
                });
            }
            self.entry.push_str("]}");
            self.hand_on()
        })
    }

    /// Appends what `push` writes as a string.
    fn push_kif(&mut self, push: impl FnOnce(&GroundProgram, &mut String)) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        push(self.ground, &mut text);
        self.push_string(&text);
        self.text = text;
    }

    fn push_string(&mut self, text: &str) {
        push_quoted(text, &mut self.entry);
    }

    fn hand_on(&mut self) -> io::Result<()> {
        self.out.write_all(self.entry.as_bytes())?;
        self.entry.clear();
        Ok(())
    }
}

/// Appends a text as JSON has strings; names of KIF may contain quotes and backslashes.
pub(super) fn push_quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => _ = write!(out, "\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    #[test]
    fn strings_are_quoted() {
        let mut out = String::new();
        super::push_quoted("a\"b\\c\u{1}é", &mut out);
        assert_eq!(out, "\"a\\\"b\\\\c\\u0001é\"");
    }
}
