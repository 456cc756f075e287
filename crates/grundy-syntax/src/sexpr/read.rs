//! Reading S-expressions: one pass over the bytes, an explicit stack, no recursion.
//!
//! Recovery. An extra `)` is reported and skipped. A missing one is noticed at the end of the text
//! only, far from the slip (or never, if there is one too many elsewhere); the text is then read again
//! with an eye on its layout: `(<=` never stands inside a form, nor does a form that is not indented
//! against a fact stand inside it. There the open form is closed and reported, and the rest is read as
//! if nothing had happened.

use super::{Kind, Node, SexprId, Sexprs, blame};
use crate::budget::Ticks;
use crate::diagnostic::{Code, Diagnostic};
use crate::ids::{Id, narrow};
use crate::limits::Limits;
use crate::source::{Source, Span};

/// Reads a text as S-expressions. The result holds whatever could be read.
pub fn read_sexprs(source: &Source, limits: &Limits) -> (Sexprs, Vec<Diagnostic>) {
    let mut reader = Reader::new(source, limits, false);
    reader.read();
    if !reader.open.is_empty() || reader.nested_rules {
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
    /// Where the current line begins.
    line_start: usize,
    /// Where the line begins in which the form begins that is open now, or was closed last.
    form_line: usize,
    /// How far that form is indented, if it begins its line.
    form_indent: Option<usize>,
    /// Whether there is an empty line, or a comment, before that form.
    form_apart: bool,
    /// Behind the last word or parenthesis.
    token_end: usize,
    /// Whether a rule stands inside another form, but looks as if it did not.
    nested_rules: bool,
    /// The last top-level form that was not indented against the one before it, and those behind it.
    /// What follows a rule closely may be indented or not.
    recent: Vec<SexprId>,
    /// How far the first of the recent forms is indented.
    recent_indent: usize,
    /// Whether the first of the recent forms is a rule, or the `<=` of one.
    recent_is_rule: bool,
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
            line_start: source.start(),
            form_line: source.start(),
            form_indent: None,
            form_apart: false,
            token_end: 0,
            nested_rules: false,
            recent: Vec::new(),
            recent_indent: 0,
            recent_is_rule: false,
            skipped_depth: 0,
            diagnostics: Vec::new(),
        }
    }

    fn read(&mut self) {
        let text = self.text;
        let mut at = self.start;
        let (mut ticks, mut last) = (Ticks::default(), at);
        while at < text.len() {
            if let Err(exhausted) = ticks.work(&self.limits.budget, at - last) {
                let place = Span::new(narrow(at), narrow(at));
                return self.report(Diagnostic::new(Code::ReadBudget, place, exhausted.to_string()));
            }
            last = at;
            match CLASSES[usize::from(text[at])] {
                Class::Space => {
                    at += 1;
                    if text[at - 1] == b'\n' {
                        self.line_start = at;
                    }
                }
                Class::Word => {
                    let start = at;
                    while at < text.len() && CLASSES[usize::from(text[at])] == Class::Word {
                        at += 1;
                    }
                    if self.skipped_depth == 0 {
                        let id = self.push(Kind::Atom, start, at);
                        if self.open.is_empty() {
                            self.begin_form(start);
                            self.note_form(id);
                        }
                    }
                    self.token_end = at;
                }
                Class::Open => {
                    self.open(at);
                    at += 1;
                    self.token_end = at;
                }
                Class::Close => {
                    self.close(at);
                    at += 1;
                    self.token_end = at;
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
        let id = narrow(self.sexprs.nodes.len());
        self.sexprs.nodes.push(Node { span: Span::new(narrow(start), narrow(end)), end: id + 1, kind });
        id
    }

    fn open(&mut self, at: usize) {
        if !self.open.is_empty() {
            if !self.by_layout {
                self.nested_rules |= self.begins_with(at, b"<=") && self.is_outdented(at);
            } else if self.begins_form(at) {
                self.close_unclosed();
            }
        }
        if self.open.len() + self.skipped_depth >= self.limits.nesting {
            self.skip_deep_list(at);
        } else {
            if self.open.is_empty() {
                self.begin_form(at);
            }
            let id = self.push(Kind::List, at, at + 1);
            self.open.push(id);
        }
    }

    fn begin_form(&mut self, at: usize) {
        self.form_line = self.line_start;
        self.form_indent = self.indent(at);
        self.form_apart = self.text[self.token_end..at].iter().filter(|&&byte| byte == b'\n').count() > 1;
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
            self.extra_parenthesis(narrow(at));
        }
    }

    /// The recent forms may be what the `)` belongs to.
    fn extra_parenthesis(&mut self, at: u32) {
        // `)))` is one slip.
        if let Some(last) = self.diagnostics.last_mut()
            && last.code == Code::ExtraParenthesis
            && last.primary.end == at
        {
            last.primary.end += 1;
            return;
        }
        let place = Span::new(at, at + 1);
        let extra = Diagnostic::new(Code::ExtraParenthesis, place, "this parenthesis closes nothing");
        match blame::extra(self.text, &self.sexprs, &self.recent) {
            Some((place, label)) => {
                self.report(extra.second(place, label));
                self.sexprs.broken.append(&mut self.recent);
            }
            None => {
                self.report(extra.hint("remove it"));
                self.sexprs.broken.extend(self.recent.last());
                self.recent.clear();
            }
        }
    }

    fn finish_list(&mut self, id: u32, end: usize) {
        let behind = narrow(self.sexprs.nodes.len());
        let node = &mut self.sexprs.nodes[id.index()];
        node.span.end = narrow(end);
        node.end = behind;
    }

    /// The list that passes the nesting limit and everything in it is left out.
    fn skip_deep_list(&mut self, at: usize) {
        if self.skipped_depth == 0 {
            let span = Span::new(narrow(at), narrow(at) + 1);
            let message = format!("parentheses nest deeper than {} (limit `nesting`)", self.limits.nesting);
            let hint = "`--max-nesting N` raises the limit";
            self.report(Diagnostic::new(Code::NestingLimit, span, message).hint(hint));
            self.sexprs.broken.extend(self.open.first().map(|&id| SexprId(id)));
        }
        self.skipped_depth += 1;
    }

    /// Whether the `(` at this place, inside a form, begins a new one by the looks of it.
    fn begins_form(&self, at: usize) -> bool {
        let head_only = || HEADS_ONLY.iter().any(|head| self.begins_with(at, head));
        self.begins_with(at, b"<=") || (self.is_outdented(at) && (head_only() || !self.in_rule()))
    }

    /// Whether this word follows the `(` at this place.
    fn begins_with(&self, at: usize, word: &[u8]) -> bool {
        let (start, end) = (at + 1, at + 1 + word.len());
        let found = self.text.get(start..end).is_some_and(|found| found.eq_ignore_ascii_case(word));
        found && self.text.get(end).is_none_or(|&byte| CLASSES[usize::from(byte)] != Class::Word)
    }

    /// Whether the outermost open form is a rule.
    fn in_rule(&self) -> bool {
        let start = self.sexprs.nodes[self.open[0].index()].span.start.index();
        self.begins_with(start, b"<=")
    }

    /// Whether this place begins a line and is indented no further than the outermost open form.
    fn is_outdented(&self, at: usize) -> bool {
        self.indent(at).is_some_and(|indent| indent <= self.form_indent.unwrap_or(0))
    }

    /// Closes all open lists behind the last word, and blames one of them.
    fn close_unclosed(&mut self) {
        let outermost = self.open[0];
        while let Some(id) = self.open.pop() {
            self.finish_list(id, self.token_end);
        }
        self.skipped_depth = 0;
        self.sexprs.broken.push(SexprId(outermost));
        let (unclosed, missing) =
            blame::unclosed(self.text, &self.sexprs, SexprId(outermost), self.form_line);
        let opened = self.sexprs.span(unclosed).start;
        self.report(
            Diagnostic::new(Code::UnclosedForm, Span::new(opened, opened + 1), "this form is never closed")
                .label("opened here")
                .second(Span::new(missing, missing), "perhaps a `)` is missing here"),
        );
    }

    fn close_at_end(&mut self) {
        if !self.open.is_empty() {
            self.close_unclosed();
        }
    }

    /// Notes a finished top-level form, for the sake of an extra `)` that may follow.
    fn note_form(&mut self, id: u32) {
        let start = self.sexprs.nodes[id.index()].span.start.index();
        let is_rule = self.text[start..].starts_with(b"<=") || self.begins_with(start, b"<=");
        let may_be_condition = self.recent_is_rule
            && !self.form_apart
            && !is_rule
            && !HEADS_ONLY.iter().any(|head| self.begins_with(start, head));
        if let Some(indent) = self.form_indent
            && (self.recent.is_empty() || (indent <= self.recent_indent && !may_be_condition))
        {
            self.recent.clear();
            self.recent_indent = indent;
            self.recent_is_rule = is_rule;
        }
        self.recent.push(SexprId(id));
    }

    /// How far the word or parenthesis that is read now is indented, if it begins its line.
    fn indent(&self, at: usize) -> Option<usize> {
        (self.token_end <= self.line_start).then_some(at - self.line_start)
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
