//! Readable ground GDL.

use super::residue::rule_text;
use crate::ground::{AtomId, GroundLiteral, GroundProgram};
use std::io::{self, Write};

/// Writes roles, the initial state, and every rule, one to a line. Lifted relations keep their rules, so that the sheet is
/// equivalent.
pub fn write_kif(ground: &GroundProgram, out: &mut impl Write) -> io::Result<()> {
    for role in ground.role_names() {
        writeln!(out, "(role {role})")?;
    }
    ground.each_initial(|fact| writeln!(out, "(init {fact})"))?;
    let mut line = String::new();
    ground.try_each_rule(|head, body| {
        line.clear();
        push_rule(ground, head, body, &mut line);
        out.write_all(line.as_bytes())
    })?;
    ground.residue.iter().try_for_each(|rule| writeln!(out, "{}", rule_text(ground, rule)))
}

fn push_rule(ground: &GroundProgram, head: AtomId, body: &[GroundLiteral], line: &mut String) {
    ground.push_atom(head, line);
    if body.is_empty() && line.starts_with('(') {
        line.push('\n');
        return;
    }
    line.insert_str(0, "(<= ");
    for literal in body {
        line.push_str(if literal.positive { " " } else { " (not " });
        ground.push_atom(literal.atom, line);
        if !literal.positive {
            line.push(')');
        }
    }
    line.push_str(")\n");
}
