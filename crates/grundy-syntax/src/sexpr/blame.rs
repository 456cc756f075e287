//! Where the slip is that leaves a parenthesis without a partner, judged by the layout.

use super::{Kind, SexprId, Sexprs};
use crate::ids::{Id, narrow};
use crate::source::Span;

/// The list of a form that is most likely the one that was not closed, and where its `)` is missing.
///
/// A list that begins a line belongs to lists that are less indented; one that is not should have
/// been closed before. Where the layout tells nothing, the form itself is to blame, at its end. The
/// caller knows where the line of the form begins; to look for it here could take long.
pub(super) fn unclosed(text: &[u8], sexprs: &Sexprs, form: SexprId, form_line: usize) -> (SexprId, u32) {
    let mut open: Vec<(SexprId, usize)> = Vec::new();
    let mut form_column = 0;
    let mut line_start = form_line;
    let mut last_end = sexprs.span(form).start.index();
    for id in sexprs.subtree(form) {
        while let Some((list, _)) = open.pop_if(|(list, _)| sexprs.behind(*list) <= id) {
            last_end = sexprs.span(list).end.index();
        }
        let start = sexprs.span(id).start.index();
        let line_break = text[last_end..start].iter().rposition(|&byte| byte == b'\n');
        line_start = line_break.map_or(line_start, |at| last_end + at + 1);
        let column = start - line_start;
        if open.is_empty() {
            form_column = column;
        } else if line_break.is_some() && sexprs.kind(id) == Kind::List {
            let too_late = open.iter().find(|(_, open_column)| *open_column >= column);
            match too_late {
                Some((list, _)) if column > form_column => return (*list, narrow(last_end)),
                Some(_) => break,
                None => {}
            }
        }
        match sexprs.kind(id) {
            Kind::List => {
                open.push((id, column));
                last_end = start + 1;
            }
            Kind::Atom => last_end = sexprs.span(id).end.index(),
        }
    }
    (form, sexprs.span(form).end)
}

/// What a `)` too many perhaps belongs to: words that lost their `(`, or a form that is closed too
/// early, so that its other parts stand behind it. `recent` are the forms before the `)`.
pub(super) fn extra(text: &[u8], sexprs: &Sexprs, recent: &[SexprId]) -> Option<(Span, &'static str)> {
    let (&first, others) = recent.split_first()?;
    let span = sexprs.span(first);
    if sexprs.kind(first) == Kind::Atom {
        return Some((Span::new(span.start, span.start), "perhaps a `(` is missing here"));
    }
    let column = indent(text, span.start.index()).unwrap_or(0);
    let is_part = |form: &SexprId| {
        let Span { start, end } = sexprs.span(*form);
        let is_indented = indent(text, start.index()).is_none_or(|indent| indent > column);
        is_indented || looks_like_condition(&text[start.index()..end.index()])
    };
    let label = "perhaps this one closes its form too early";
    others.iter().any(is_part).then_some((Span::new(span.end - 1, span.end), label))
}

/// Whether a form can hardly be a fact: it has variables, or begins like a condition.
fn looks_like_condition(form: &[u8]) -> bool {
    const WORDS: [&[u8]; 5] = [b"(true ", b"(does ", b"(not ", b"(distinct ", b"(or "];
    let begins_with =
        |word: &&[u8]| form.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    form.contains(&b'?') || WORDS.iter().any(begins_with)
}

/// How many blanks stand before a place, if there is nothing else before it in its line.
fn indent(text: &[u8], at: usize) -> Option<usize> {
    let blanks = text[..at].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let before = at - blanks;
    (before == 0 || text[before - 1] == b'\n').then_some(blanks)
}
