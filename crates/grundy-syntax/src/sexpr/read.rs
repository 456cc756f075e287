//! Reading S-expressions: one pass over the bytes, an explicit stack, no recursion.
//!
//! Recovery. An extra `)` is reported and skipped. A missing one is noticed at the end of the text
//! only, far from the slip; the text is then read again with an eye on its layout: `(<=` never
//! stands inside a form, nor does a form at the left margin stand inside a fact. There the open
//! form is closed and reported, and the rest is read as if nothing had happened.

use super::{Kind, Node, SexprId, Sexprs};
use crate::diagnostic::{Code, Diagnostic};
use crate::limits::Limits;
use crate::source::{Source, Span};

/// Reads a text as S-expressions. The result holds whatever could be read.
pub fn read_sexprs(source: &Source, limits: &Limits) -> (Sexprs, Vec<Diagnostic>) {
    let mut reader = Reader::new(source, limits, false);
    reader.read();
    if !reader.open.is_empty() {
        reader = Reader::new(source, limits, true);
        reader.read();
        reader.close_at_end();
    }
    reader.sexprs.broken.sort_unstable();
    reader.sexprs.broken.dedup();
    (reader.sexprs, reader.diagnostics)
}

struct Reader<'a> {
    text: &'a [u8],
    /// Where the text proper begins.
    start: usize,
    limits: &'a Limits,
    /// Whether to close forms where the layout says that another begins.
    by_layout: bool,
    sexprs: Sexprs,
    /// The lists that are open now, outermost first.
    open: Vec<u32>,
    /// The top-level forms since the last one that began at the left margin, that one included.
    recent: Vec<SexprId>,
    /// Depth below the nesting limit while a too deep form is skipped.
    skipped_depth: usize,
    diagnostics: Vec<Diagnostic>,
}

/// What a byte means to the reader.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Open,
    Close,
    Comment,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Word; 256];
    let mut byte = 0;
    while byte <= b' ' as usize {
        classes[byte] = Class::Space;
        byte += 1;
    }
    classes[b'(' as usize] = Class::Open;
    classes[b')' as usize] = Class::Close;
    classes[b';' as usize] = Class::Comment;
    classes
};

/// Keywords that begin a top-level form and never a condition.
const HEADS_ONLY: [&[u8]; 5] = [b"init", b"next", b"base", b"input", b"sees"];

impl<'a> Reader<'a> {
    fn new(source: &'a Source, limits: &'a Limits, by_layout: bool) -> Reader<'a> {
        let text = source.text().as_bytes();
        let nodes = Vec::with_capacity(text.len() / 6);
        Reader {
            text,
            start: source.start(),
            limits,
            by_layout,
            sexprs: Sexprs { nodes, broken: Vec::new() },
            open: Vec::new(),
            recent: Vec::new(),
            skipped_depth: 0,
            diagnostics: Vec::new(),
        }
    }

    fn read(&mut self) {
        let text = self.text;
        let mut at = self.start;
        while at < text.len() {
            match CLASSES[text[at] as usize] {
                Class::Space => at += 1,
                Class::Word => {
                    let start = at;
                    while at < text.len() && CLASSES[text[at] as usize] == Class::Word {
                        at += 1;
                    }
                    if self.skipped_depth == 0 {
                        let id = self.push(Kind::Atom, start, at);
                        if self.open.is_empty() {
                            self.note_form(id);
                        }
                    }
                }
                Class::Open => {
                    self.open(at);
                    at += 1;
                }
                Class::Close => {
                    self.close(at);
                    at += 1;
                }
                Class::Comment => {
                    while at < text.len() && text[at] != b'\n' {
                        at += 1;
                    }
                }
            }
        }
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) -> u32 {
        let id = self.sexprs.nodes.len() as u32;
        self.sexprs.nodes.push(Node { span: Span::new(start as u32, end as u32), end: id + 1, kind });
        id
    }

    fn open(&mut self, at: usize) {
        if self.by_layout && !self.open.is_empty() && self.begins_form(at) {
            self.close_unclosed(at, "the next form begins here");
        }
        if self.open.len() + self.skipped_depth >= self.limits.nesting {
            self.skip_deep_list(at);
        } else {
            let id = self.push(Kind::List, at, at + 1);
            self.open.push(id);
        }
    }

    fn close(&mut self, at: usize) {
        if self.skipped_depth > 0 {
            self.skipped_depth -= 1;
        } else if let Some(id) = self.open.pop() {
            self.finish_list(id, at + 1);
            if self.open.is_empty() {
                self.note_form(id);
            }
        } else {
            self.extra_parenthesis(at as u32);
        }
    }

    /// The forms back to the last one at the left margin may be what the `)` belongs to.
    fn extra_parenthesis(&mut self, at: u32) {
        self.sexprs.broken.append(&mut self.recent);
        match self.diagnostics.last_mut() {
            // `)))` is one slip.
            Some(last) if last.code == Code::ExtraParenthesis && last.primary.end == at => {
                last.primary.end += 1;
            }
            _ => self.report(
                Diagnostic::new(
                    Code::ExtraParenthesis,
                    Span::new(at, at + 1),
                    "this parenthesis closes nothing",
                )
                .hint("remove it, or look for a form before it that is closed too early"),
            ),
        }
    }

    fn finish_list(&mut self, id: u32, end: usize) {
        let behind = self.sexprs.nodes.len() as u32;
        let node = &mut self.sexprs.nodes[id as usize];
        node.span.end = end as u32;
        node.end = behind;
    }

    /// The list that passes the nesting limit and everything in it is left out.
    fn skip_deep_list(&mut self, at: usize) {
        if self.skipped_depth == 0 {
            let span = Span::new(at as u32, at as u32 + 1);
            let message = format!("parentheses nest deeper than {} (limit `nesting`)", self.limits.nesting);
            self.report(Diagnostic::new(Code::NestingLimit, span, message));
            self.sexprs.broken.extend(self.open.first().map(|&id| SexprId(id)));
        }
        self.skipped_depth += 1;
    }

    /// Whether the `(` at this place begins a new top-level form, by the looks of it.
    fn begins_form(&self, at: usize) -> bool {
        let inside = &self.text[at + 1..];
        let word = inside.split(|&byte| CLASSES[byte as usize] != Class::Word).next().unwrap_or(b"");
        if word == b"<=" {
            return true;
        }
        let head_only = HEADS_ONLY.iter().any(|head| word.eq_ignore_ascii_case(head));
        self.at_margin(at) && (head_only || !self.in_rule())
    }

    /// Whether the outermost open form is a rule.
    fn in_rule(&self) -> bool {
        let first_inside = self.open[0] as usize + 1;
        self.sexprs.nodes.get(first_inside).is_some_and(|node| &self.text[node.span.range()] == b"<=")
    }

    /// Closes all open lists in front of `at` and blames the outermost of them.
    fn close_unclosed(&mut self, at: usize, why: &str) {
        let end =
            self.text[..at].iter().rposition(|&byte| !byte.is_ascii_whitespace()).map_or(at, |last| last + 1);
        let outermost = self.open[0];
        while let Some(id) = self.open.pop() {
            self.finish_list(id, end.max(self.sexprs.nodes[id as usize].span.end as usize));
        }
        self.skipped_depth = 0;
        self.sexprs.broken.push(SexprId(outermost));
        let opened = self.sexprs.nodes[outermost as usize].span.start;
        let mut unclosed =
            Diagnostic::new(Code::UnclosedForm, Span::new(opened, opened + 1), "this form is never closed")
                .label("opened here")
                .hint("a `)` is missing in this form or at its end");
        if at < self.text.len() {
            unclosed = unclosed.second(Span::new(at as u32, at as u32 + 1), why);
        }
        self.report(unclosed);
    }

    fn close_at_end(&mut self) {
        if !self.open.is_empty() {
            self.close_unclosed(self.text.len(), "");
        }
    }

    /// Notes a finished top-level form, for the sake of an extra `)` that may follow.
    fn note_form(&mut self, id: u32) {
        let start = self.sexprs.nodes[id as usize].span.start as usize;
        if self.at_margin(start) {
            self.recent.clear();
        }
        self.recent.push(SexprId(id));
    }

    fn at_margin(&self, at: usize) -> bool {
        at == self.start || self.text[at - 1] == b'\n'
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < self.limits.diagnostics {
            self.diagnostics.push(diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::print_sexprs;
    use super::*;

    fn check(text: &str, printed: &str, codes: &[Code]) -> (Sexprs, Vec<Diagnostic>) {
        let source = Source::new("test", text);
        let (sexprs, diagnostics) = read_sexprs(&source, &Limits { nesting: 8, ..Limits::default() });
        assert_eq!(print_sexprs(&source, &sexprs), printed, "{text}");
        assert_eq!(diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), codes, "{text}");
        (sexprs, diagnostics)
    }

    #[test]
    fn words_lists_and_comments() {
        check("(a b(c)) ; d\n(<= ?n++ map+)", "(a b (c))\n(<= ?n++ map+)\n", &[]);
        check("; nothing", "", &[]);
        check("()", "()\n", &[]);
        check("a;b)\nc", "a\nc\n", &[]);
    }

    #[test]
    fn a_missing_parenthesis_gives_one_message_and_the_rest_is_read() {
        let text = "(role x)\n(<= (p ?x)\n    (q ?x)\n(<= (q a))\n(r b)\n";
        let (sexprs, diagnostics) =
            check(text, "(role x)\n(<= (p ?x) (q ?x))\n(<= (q a))\n(r b)\n", &[Code::UnclosedForm]);
        assert_eq!(diagnostics[0].primary.start, 9);
        let broken: Vec<bool> = sexprs.forms().map(|form| sexprs.is_broken(form)).collect();
        assert_eq!(broken, [false, true, false, false]);
        check("(succ 1 2\n(succ 2 3)\n", "(succ 1 2)\n(succ 2 3)\n", &[Code::UnclosedForm]);
        check("(<= (a", "(<= (a))\n", &[Code::UnclosedForm]);
    }

    #[test]
    fn an_extra_parenthesis_is_skipped() {
        let (sexprs, _) = check(
            "(a)\n(<= (p ?x))\n (q ?x))\n(r)",
            "(a)\n(<= (p ?x))\n(q ?x)\n(r)\n",
            &[Code::ExtraParenthesis],
        );
        let broken: Vec<bool> = sexprs.forms().map(|form| sexprs.is_broken(form)).collect();
        assert_eq!(broken, [false, true, true, false]);
    }

    #[test]
    fn deep_nesting_is_left_out() {
        let deep = format!("(p {} x {}) (q)", "(".repeat(50), ")".repeat(50));
        let (sexprs, _) =
            check(&deep, "(p (((((((x))))))))\n(q)\n".replace("x", "").as_str(), &[Code::NestingLimit]);
        assert!(sexprs.is_broken(sexprs.forms().next().unwrap()));
    }
}
