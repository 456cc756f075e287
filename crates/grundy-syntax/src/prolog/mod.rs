//! Prolog notation: from text to clauses.
//!
//! ```text
//! clause    = head "." | head ":-" body "." | ":-" "dynamic" name "/" number {"," …} "." | ":-" body "."
//! body      = choice {"," choice} {";" …}
//! choice    = "\+" choice | "not" choice | "(" body ")" | term | term "=" term | term "\==" term | …
//! term      = variable | name | name "(" term {"," term} ")"
//! ```
//!
//! After an error, reading goes on behind the next full stop, or at the next clause that begins at
//! the left margin, whichever comes first.

mod lex;

use crate::clause::{Clause, Expr, ExprKind, Formula, Variable, wrong_arity};
use crate::diagnostic::{Code, Diagnostic};
use crate::ids::{Id, narrow};
use crate::lower::Lowering;
use crate::program::{Keyword, SymbolId, is_number};
use crate::source::{Source, Span};
use lex::{Token, next_token};

/// Lowers the clauses of a theory into a program.
pub(crate) fn lower_clauses(lowering: &mut Lowering, source: &Source) {
    let mut parser = Parser::new(lowering, source);
    while parser.token != Token::Eof {
        let start = parser.span;
        if parser.lowering.is_full(start) {
            return parser.leave_out(start.start, narrow(source.text().len()));
        }
        match parser.statement() {
            Ok(Some(clause)) => parser.lowering.add_clause(&clause),
            Ok(None) => {}
            Err(error) => {
                parser.lowering.report(*error);
                parser.recover(start);
            }
        }
    }
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Parser<'a> {
    lowering: &'a mut Lowering,
    source: &'a Source,
    /// The word to look at.
    token: Token,
    span: Span,
    /// Where the word before it ended.
    last_end: u32,
    /// Where the clause begins.
    start: u32,
    /// Where the line before the last word at the left margin ended, if the clause goes on there: it
    /// is perhaps not the same clause.
    line_end: Option<u32>,
    depth: usize,
    anonymous: u32,
}

impl<'a> Parser<'a> {
    fn new(lowering: &'a mut Lowering, source: &'a Source) -> Parser<'a> {
        let (token, span) = next_token(source, narrow(source.start()));
        Parser {
            lowering,
            source,
            token,
            span,
            last_end: 0,
            start: 0,
            line_end: None,
            depth: 0,
            anonymous: 0,
        }
    }

    fn advance(&mut self) {
        self.last_end = self.span.end;
        (self.token, self.span) = next_token(self.source, self.span.end);
        if self.at_margin() {
            self.line_end = Some(self.last_end);
        }
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = matches!(self.token, Token::Symbol(s) if s == symbol);
        if found {
            self.advance();
        }
        found
    }

    /// The `)` that belongs to a `(`.
    fn close(&mut self, opened: Span) -> Parsed<()> {
        if self.accept(")") {
            return Ok(());
        }
        let error = self.unexpected("`,` or `)`");
        Err(Box::new(error.second(opened, "opened here")))
    }

    fn at_margin(&self) -> bool {
        let start = self.span.start.index();
        start == 0 || self.source.text().as_bytes()[start - 1] == b'\n'
    }

    /// Skips the rest of a clause that cannot be read, remembering its names.
    fn recover(&mut self, start: Span) {
        self.depth = 0;
        while self.token != Token::Eof {
            let moved = self.span.start > start.start;
            if moved && self.at_margin() {
                break;
            }
            let ended = self.token == Token::End;
            self.advance();
            if ended {
                break;
            }
        }
        self.leave_out(start.start, self.last_end);
    }

    /// Remembers the names in a part of the text that cannot be used.
    fn leave_out(&mut self, mut at: u32, end: u32) {
        while at < end {
            let (token, span) = next_token(self.source, at);
            let program = &mut self.lowering.program;
            match &token {
                Token::Name => program.left_out.insert(program.symbols.intern(self.source.slice(span))),
                Token::Quoted(name) => program.left_out.insert(program.symbols.intern(name)),
                _ => false,
            };
            at = span.end.max(at + 1);
        }
    }

    fn statement(&mut self) -> Parsed<Option<Clause>> {
        self.anonymous = 0;
        let start = self.span;
        self.start = start.start;
        self.line_end = None;
        if self.accept(":-") {
            if self.at_word("dynamic") {
                self.advance();
                self.dynamic()?;
                return Ok(None);
            }
            let body = vec![self.body()?];
            self.end("`.`, `,` or `;`")?;
            return Ok(Some(Clause { head: None, body, span: self.since(start) }));
        }
        let head = self.term()?;
        self.check_head(&head)?;
        let body = if self.accept(":-") { vec![self.body()?] } else { Vec::new() };
        self.end(if body.is_empty() { "`.` or `:-`" } else { "`.`, `,` or `;`" })?;
        Ok(Some(Clause { head: Some(head), body, span: self.since(start) }))
    }

    /// `name/arity, name/arity.`
    fn dynamic(&mut self) -> Parsed<()> {
        loop {
            let start = self.span;
            let name = self.name("the name of a predicate")?;
            if !self.accept("/") {
                return Err(self.unexpected("`/` and a number of arguments"));
            }
            let Ok(arity) = self.source.slice(self.span).parse::<u32>() else {
                return Err(self.unexpected("a number of arguments"));
            };
            self.advance();
            let span = self.since(start);
            self.lowering.add_declaration(name, arity.index(), span);
            if !self.accept(",") {
                return self.end("`,` or `.`");
            }
        }
    }

    fn end(&mut self, wanted: &str) -> Parsed<()> {
        if self.token != Token::End {
            return Err(self.unexpected(wanted));
        }
        self.advance();
        Ok(())
    }

    fn body(&mut self) -> Parsed<Formula> {
        let mut branches = Vec::new();
        loop {
            let mut parts = vec![self.choice()?];
            while self.accept(",") {
                parts.push(self.choice()?);
            }
            branches.push(Formula::And(parts));
            if !self.accept(";") {
                return Ok(if branches.len() == 1 { branches.remove(0) } else { Formula::Or(branches) });
            }
        }
    }

    fn choice(&mut self) -> Parsed<Formula> {
        if self.accept("\\+") {
            return self.nested(|parser| Ok(Formula::Not(Box::new(parser.choice()?))));
        }
        if self.at_word("not") {
            self.advance();
            return self.nested(|parser| Ok(Formula::Not(Box::new(parser.choice()?))));
        }
        let opened = self.span;
        if self.accept("(") {
            return self.nested(|parser| {
                let body = parser.body()?;
                parser.close(opened)?;
                Ok(body)
            });
        }
        let left = self.term()?;
        if let Token::Symbol(operator @ ("=" | "==" | "=:=" | "\\=" | "\\==" | "=\\=")) = self.token {
            self.advance();
            let right = self.term()?;
            let span = left.span.to(right.span);
            return Ok(match operator {
                "=" | "==" | "=:=" => Formula::Equal(left, right, span),
                _ => Formula::Distinct(left, right, span),
            });
        }
        self.condition(left)
    }

    fn condition(&mut self, atom: Expr) -> Parsed<Formula> {
        if !self.at_end_of_condition() {
            return Err(self.unexpected("`.`, `,` or `;`"));
        }
        self.check_predicate(&atom)?;
        match self.source.slice(atom.span) {
            "true" => return Ok(Formula::And(Vec::new())),
            "fail" | "false" => return Ok(Formula::Or(Vec::new())),
            _ => {}
        }
        self.check_keyword(&atom, Keyword::in_bodies, Code::KeywordInBody, "cannot be a condition")?;
        Ok(Formula::Atom(atom))
    }

    fn at_end_of_condition(&self) -> bool {
        matches!(self.token, Token::End | Token::Symbol("," | ";" | ")"))
    }

    fn term(&mut self) -> Parsed<Expr> {
        let span = self.span;
        if self.token == Token::Variable {
            let text = self.source.slice(span);
            let name = self.lowering.program.symbols.intern(text);
            self.anonymous += u32::from(text == "_");
            let anonymous = if text == "_" { self.anonymous } else { 0 };
            self.advance();
            return Ok(Expr { kind: ExprKind::Variable(Variable { name, anonymous }), span });
        }
        let name = self.name("a term")?;
        let mut args = Vec::new();
        // In Prolog an argument list follows its name without a space.
        let opened = self.span;
        if opened.start == self.last_end && self.accept("(") {
            args = self.nested(|parser| {
                let mut args = vec![parser.term()?];
                while parser.accept(",") {
                    args.push(parser.term()?);
                }
                parser.close(opened)?;
                Ok(args)
            })?;
        }
        Ok(Expr { kind: ExprKind::Apply(name, args), span: self.since(span) })
    }

    fn name(&mut self, wanted: &str) -> Parsed<SymbolId> {
        let symbols = &mut self.lowering.program.symbols;
        let name = match &self.token {
            Token::Name => symbols.intern(self.source.slice(self.span)),
            Token::Quoted(name) => symbols.intern(name),
            _ => return Err(self.unexpected(wanted)),
        };
        self.advance();
        Ok(name)
    }

    /// Runs a part of the grammar one level deeper, within the nesting limit.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let limit = self.lowering.limits.nesting;
        if self.depth >= limit {
            let message = format!("parentheses nest deeper than {limit} (limit `nesting`)");
            let error = Diagnostic::new(Code::NestingLimit, self.span, message);
            return Err(Box::new(error.hint("`--max-nesting N` raises the limit")));
        }
        self.depth += 1;
        let result = part(self);
        self.depth = self.depth.saturating_sub(1);
        result
    }

    fn at_word(&self, word: &str) -> bool {
        self.token == Token::Name && self.source.slice(self.span) == word
    }

    fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.last_end.max(start.end))
    }

    /// A predicate is a name that is no number.
    fn check_predicate(&self, atom: &Expr) -> Parsed<()> {
        let error = match &atom.kind {
            ExprKind::Variable(_) => {
                let message = "a variable cannot be a condition or a head";
                Diagnostic::new(Code::VariableCondition, atom.span, message)
                    .hint("names begin with a small letter, or stand in quotes")
            }
            ExprKind::Apply(name, _) => {
                let name = self.lowering.program.symbols.name(*name);
                if !is_number(name) || self.source.slice(atom.span).starts_with('\'') {
                    return Ok(());
                }
                let message = "a number cannot be a condition or a head";
                Diagnostic::new(Code::PrologSyntax, atom.span, message)
            }
        };
        Err(Box::new(error))
    }

    /// What has a meaning of its own cannot be defined.
    fn check_head(&self, head: &Expr) -> Parsed<()> {
        self.check_predicate(head)?;
        let text = self.source.slice(head.span);
        if matches!(text, "true" | "fail" | "false" | "not") || text.starts_with("not(") {
            let message = format!("`{}` cannot be defined by a rule", text.split('(').next().unwrap_or(text));
            return Err(Box::new(Diagnostic::new(Code::KeywordInHead, head.span, message)));
        }
        self.check_keyword(head, Keyword::in_heads, Code::KeywordInHead, "cannot be defined by a rule")
    }

    /// A keyword of a game stands where it may, and has the right number of arguments.
    fn check_keyword(
        &self,
        atom: &Expr,
        is_allowed: impl Fn(Keyword) -> bool,
        code: Code,
        complaint: &str,
    ) -> Parsed<()> {
        let ExprKind::Apply(name, args) = &atom.kind else { return Ok(()) };
        let program = &self.lowering.program;
        let Some(keyword) = program.keyword_named(program.symbols.name(*name)) else { return Ok(()) };
        let error = if !is_allowed(keyword) {
            Diagnostic::new(code, atom.span, format!("`{keyword}` {complaint}"))
        } else if keyword.arity() != args.len() {
            let message = wrong_arity(keyword.name(), keyword.arity(), args.len());
            Diagnostic::new(Code::KeywordArity, atom.span, message)
        } else {
            return Ok(());
        };
        Err(Box::new(error))
    }

    fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let (code, message) = self.describe_token(wanted);
        let error = Diagnostic::new(code, self.span, message);
        if code != Code::PrologSyntax {
            return Box::new(error);
        }
        let in_clause = self.span.start > self.start;
        Box::new(match (&self.token, self.line_end) {
            (Token::Symbol("("), _) if !in_clause => {
                error.hint("a clause begins with a name; is this KIF (`--notation kif`)?")
            }
            (Token::Symbol("("), _) if self.last_end < self.span.start => {
                error.hint("arguments follow their name without a space")
            }
            (Token::Symbol("<-"), _) => error.hint("a rule is written `head :- condition, condition.`"),
            (token, Some(end)) if in_clause && (self.at_margin() || *token == Token::Symbol(":-")) => {
                self.missing_full_stop(error, end)
            }
            _ => error,
        })
    }

    /// Blames the end of the line where the clause should perhaps have ended.
    fn missing_full_stop(&self, error: Diagnostic, line_end: u32) -> Diagnostic {
        let (place, label) = match self.source.text()[..line_end.index()].ends_with(',') {
            true => (Span::new(line_end - 1, line_end), "perhaps a full stop is meant here"),
            false => (Span::new(line_end, line_end), "perhaps a full stop is missing here"),
        };
        Diagnostic { primary: place, ..error }.label(label).second(self.span, "unexpected")
    }

    /// What is wrong with the word, if one of these is wanted.
    fn describe_token(&self, wanted: &str) -> (Code, String) {
        // A name in quotes may go over several lines, but a message is one line.
        let found = self.source.slice(self.span).lines().next().unwrap_or("");
        match &self.token {
            Token::Unterminated => {
                let what = if found.starts_with('\'') { "quoted name" } else { "comment" };
                (Code::Unterminated, format!("this {what} never ends"))
            }
            Token::Eof => (Code::PrologSyntax, format!("expected {wanted}, found the end of the file")),
            Token::End => (Code::PrologSyntax, format!("expected {wanted}, found the full stop")),
            Token::Symbol("[" | "]" | "{" | "}" | "|") => {
                (Code::UnsupportedProlog, format!("`{found}`: theories have no lists"))
            }
            Token::Symbol("!" | "->" | "-->") => {
                (Code::UnsupportedProlog, format!("`{found}`: theories have no control constructs"))
            }
            Token::Symbol(
                "<" | ">" | "=<" | ">=" | "@<" | "@>" | "+" | "-" | "*" | "/" | "//" | "**" | "=..",
            ) => (Code::UnsupportedProlog, format!("`{found}`: theories have no arithmetic")),
            Token::Name if found == "is" => {
                (Code::UnsupportedProlog, "`is`: theories have no arithmetic".to_owned())
            }
            _ => (Code::PrologSyntax, format!("expected {wanted}, found `{found}`")),
        }
    }
}
