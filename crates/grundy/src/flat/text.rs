//! Ground terms as text: writing and reading.

use grundy_syntax::{Kind, Limits, SexprId, Sexprs, Source, Symbols, Term, TermId, Terms, read_sexprs};

/// A term in KIF notation, with columns in the place of variables.
pub(crate) fn write_term(symbols: &Symbols, terms: &Terms, term: TermId, columns: &[u32], out: &mut String) {
    match terms.get(term) {
        Term::Variable(column) => write_term(symbols, terms, TermId(columns[column.index()]), &[], out),
        Term::Constant(name) => out.push_str(symbols.name(name)),
        Term::Compound(name, args) => {
            out.push('(');
            out.push_str(symbols.name(name));
            for &arg in args {
                out.push(' ');
                write_term(symbols, terms, arg, columns, out);
            }
            out.push(')');
        }
    }
}

/// Reads one ground term in KIF notation. `(x)` is the same as `x`.
pub fn read_ground_term(text: &str, symbols: &mut Symbols, terms: &mut Terms) -> Option<TermId> {
    let source = Source::new("term", text);
    let (sexprs, diagnostics) = read_sexprs(&source, &Limits::default());
    let mut forms = sexprs.forms();
    let (Some(form), None, true) = (forms.next(), forms.next(), diagnostics.is_empty()) else { return None };
    build_term(&source, &sexprs, form, symbols, terms)
}

fn build_term(
    source: &Source,
    sexprs: &Sexprs,
    id: SexprId,
    symbols: &mut Symbols,
    terms: &mut Terms,
) -> Option<TermId> {
    let mut parts = sexprs.children(id);
    let name = match sexprs.kind(id) {
        Kind::Atom => id,
        Kind::List => parts.next()?,
    };
    let name = sexprs.atom(source, name).filter(|name| !name.starts_with('?'))?;
    let args: Option<Vec<TermId>> =
        parts.map(|part| build_term(source, sexprs, part, symbols, terms)).collect();
    Some(terms.compound(symbols.intern(name), &args?))
}
