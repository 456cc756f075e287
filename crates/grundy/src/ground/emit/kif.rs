//! Readable ground GDL.

use super::residue::rule_text;
use crate::ground::{AtomId, GroundLiteral, GroundProgram};
use grundy_syntax::{Keyword, PredicateId};
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
    ground.residue.iter().try_for_each(|rule| writeln!(out, "{}", rule_text(ground, rule)))?;
    write_missing(ground, out)
}

/// Rules that never apply, for answers of which no rule is left: a sheet has to say something about each of them.
fn write_missing(ground: &GroundProgram, out: &mut impl Write) -> io::Result<()> {
    let lifted = ground.residue.iter().map(|rule| ground.flat.info(rule.head.relation).predicate);
    let mut predicates: Vec<PredicateId> = lifted.collect();
    predicates.extend(
        ground
            .blocks
            .iter()
            .filter(|block| block.rows.len() > 0)
            .map(|block| ground.flat.info(block.head).predicate),
    );
    let mut never = "never~".to_owned();
    while ground.program.symbols.find(&never).is_some() {
        never.push('~');
    }
    let Some(role) = ground.role_names().into_iter().next() else { return Ok(()) };
    for (keyword, head) in [
        (Keyword::Legal, format!("(legal {role} {never})")),
        (Keyword::Goal, format!("(goal {role} 0)")),
        (Keyword::Terminal, "terminal".to_owned()),
    ] {
        if !ground.program.keyword(keyword).is_some_and(|predicate| predicates.contains(&predicate)) {
            writeln!(out, "(<= {head} (true {never}))")?;
        }
    }
    Ok(())
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
