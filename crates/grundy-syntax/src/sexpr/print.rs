//! Printing S-expressions, one top-level form to a line.

use super::{Kind, SexprId, Sexprs};
use crate::ids::Id;
use crate::source::Source;

/// The forms as text: single spaces, no comments, one form to a line.
pub fn print_sexprs(source: &Source, sexprs: &Sexprs) -> String {
    let mut out = String::new();
    for form in sexprs.forms() {
        print_form(source, sexprs, form, &mut out);
        out.push('\n');
    }
    out
}

/// Lists close when the walk passes their end, so that no recursion is needed.
fn print_form(source: &Source, sexprs: &Sexprs, form: SexprId, out: &mut String) {
    let mut open_ends: Vec<u32> = Vec::new();
    for id in sexprs.subtree(form) {
        while open_ends.last().is_some_and(|&end| end <= id.0) {
            out.push(')');
            open_ends.pop();
        }
        if !out.is_empty() && !out.ends_with(['(', '\n']) {
            out.push(' ');
        }
        match sexprs.kind(id) {
            Kind::Atom => out.push_str(source.slice(sexprs.span(id))),
            Kind::List => {
                out.push('(');
                open_ends.push(sexprs.nodes[id.0.index()].end);
            }
        }
    }
    out.extend(open_ends.iter().map(|_| ')'));
}
