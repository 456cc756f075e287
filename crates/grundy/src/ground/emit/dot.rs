//! A picture of the rules for Graphviz.
//!
//! Atoms are ellipses, the facts of the state and the moves among them boxes. Each rule is a dot (AND)
//! between its conditions and its head; an atom is the OR of the dots that lead to it. A rule with a
//! single condition is just an arrow. Negated conditions are dashed.

use super::json::push_quoted;
use crate::ground::{AtomId, GroundLiteral, GroundProgram};
use grundy_syntax::Keyword;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The largest number of nodes of a picture: larger ones are not readable. A guess.
pub const MOST_NODES: usize = 2_000;

/// Which rules to draw.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// The atom in the middle.
    pub atom: AtomId,
    /// How many rules to follow from it, in both directions.
    pub depth: u32,
}

/// An error of drawing.
#[derive(Debug, thiserror::Error)]
pub enum DotError {
    /// The graph has too many nodes.
    #[error("the graph has more than {MOST_NODES} nodes")]
    TooLarge,
    /// It could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A rule of the picture.
struct Drawn {
    head: AtomId,
    body: Box<[GroundLiteral]>,
}

/// Draws a ground program, or a part of it.
pub fn write_dot(ground: &GroundProgram, slice: Option<Slice>, out: &mut impl Write) -> Result<(), DotError> {
    let rules = match slice {
        Some(slice) => rules_around(ground, slice)?,
        None => collect(ground, |_, _| true)?,
    };
    let mut atoms: BTreeSet<AtomId> = slice.iter().map(|slice| slice.atom).collect();
    for rule in &rules {
        atoms.insert(rule.head);
        atoms.extend(rule.body.iter().map(|literal| literal.atom));
    }
    if atoms.len() + rules.len() > MOST_NODES {
        return Err(DotError::TooLarge);
    }
    out.write_all(b"digraph rules {\n  rankdir=LR;\n  node [fontname=\"monospace\"];\n")?;
    write_atoms(ground, &atoms, slice.map(|slice| slice.atom), out)?;
    for (number, rule) in rules.iter().enumerate() {
        write_rule(number, rule, out)?;
    }
    out.write_all(b"}\n")?;
    Ok(())
}

/// The wanted rules; an error as soon as there are too many.
fn collect(
    ground: &GroundProgram,
    wanted: impl Fn(AtomId, &[GroundLiteral]) -> bool,
) -> Result<Vec<Drawn>, DotError> {
    let mut rules = Vec::new();
    ground.for_each_rule(|head, body| {
        if rules.len() <= MOST_NODES && wanted(head, body) {
            rules.push(Drawn { head, body: body.into() });
        }
    });
    if rules.len() > MOST_NODES { Err(DotError::TooLarge) } else { Ok(rules) }
}

/// The rules that lead to an atom, and those that it leads to, up to a depth.
fn rules_around(ground: &GroundProgram, slice: Slice) -> Result<Vec<Drawn>, DotError> {
    let mut causes = BTreeSet::from([slice.atom]);
    let mut effects = BTreeSet::from([slice.atom]);
    let mut rules = Vec::new();
    for _ in 0..slice.depth {
        rules = collect(ground, |head, body| {
            causes.contains(&head) || body.iter().any(|literal| effects.contains(&literal.atom))
        })?;
        let (old_causes, old_effects) = (causes.clone(), effects.clone());
        for rule in &rules {
            if old_causes.contains(&rule.head) {
                causes.extend(rule.body.iter().map(|literal| literal.atom));
            }
            if rule.body.iter().any(|literal| old_effects.contains(&literal.atom)) {
                effects.insert(rule.head);
            }
        }
    }
    Ok(rules)
}

fn write_atoms(
    ground: &GroundProgram,
    atoms: &BTreeSet<AtomId>,
    middle: Option<AtomId>,
    out: &mut impl Write,
) -> io::Result<()> {
    let inputs: Vec<_> = [Keyword::True, Keyword::Does]
        .iter()
        .filter_map(|&keyword| ground.program.keyword(keyword))
        .collect();
    let (mut text, mut quoted) = (String::new(), String::new());
    for &atom in atoms {
        text.clear();
        quoted.clear();
        ground.push_atom(atom, &mut text);
        push_quoted(&text, &mut quoted);
        let shape = if inputs.contains(&ground.predicate_of(atom)) { " shape=box" } else { "" };
        let style = if middle == Some(atom) { " style=bold" } else { "" };
        writeln!(out, "  a{} [label={quoted}{shape}{style}];", atom.0)?;
    }
    Ok(())
}

fn write_rule(number: usize, rule: &Drawn, out: &mut impl Write) -> io::Result<()> {
    let style = |literal: &GroundLiteral| if literal.positive { "" } else { " [style=dashed]" };
    if let [only] = &*rule.body {
        return writeln!(out, "  a{} -> a{}{};", only.atom.0, rule.head.0, style(only));
    }
    writeln!(out, "  r{number} [shape=point];")?;
    for literal in &rule.body {
        writeln!(out, "  a{} -> r{number}{};", literal.atom.0, style(literal))?;
    }
    writeln!(out, "  r{number} -> a{};", rule.head.0)
}
