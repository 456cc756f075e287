//! KIF notation: from S-expressions to clauses.
//!
//! Everything that can be said about one form alone is said here; what needs the whole sheet is
//! said by the analysis.

use crate::clause::{Clause, Expr, ExprKind, Formula, Variable};
use crate::diagnostic::{Code, Diagnostic};
use crate::lower::Lowering;
use crate::program::Keyword;
use crate::sexpr::{Kind, SexprId, Sexprs};
use crate::source::{Source, Span};

/// Lowers the forms of a sheet into a program.
pub(crate) fn lower_sexprs(lowering: &mut Lowering, source: &Source, sexprs: &Sexprs) {
    for form in sexprs.forms() {
        if lowering.is_full(sexprs.span(form)) {
            return;
        }
        let clause =
            if sexprs.is_broken(form) { None } else { FormReader { lowering, source, sexprs }.clause(form) };
        match clause {
            Some(clause) => lowering.add_clause(&clause),
            None => leave_out(lowering, source, sexprs, form),
        }
    }
}

/// Remembers the names of a form that cannot be used.
fn leave_out(lowering: &mut Lowering, source: &Source, sexprs: &Sexprs, form: SexprId) {
    for name in sexprs.subtree(form).filter_map(|id| sexprs.atom(source, id)) {
        let name = lowering.program.keyword_named(name).map_or(name, |keyword| keyword.name());
        let symbol = lowering.program.symbols.intern(name);
        lowering.program.left_out.insert(symbol);
    }
}

/// The words that combine conditions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Connective {
    Not,
    Or,
    And,
    Distinct,
    Rule,
}

fn connective(word: &str) -> Option<Connective> {
    let is = |name| word.eq_ignore_ascii_case(name);
    match word.len() {
        2 if word == "<=" => Some(Connective::Rule),
        2 if is("or") => Some(Connective::Or),
        3 if is("not") => Some(Connective::Not),
        3 if is("and") => Some(Connective::And),
        8 if is("distinct") => Some(Connective::Distinct),
        _ => None,
    }
}

/// Reads one form. Every function returns `None` after it has reported why.
struct FormReader<'a, 's> {
    lowering: &'a mut Lowering,
    source: &'s Source,
    sexprs: &'s Sexprs,
}

impl<'s> FormReader<'_, 's> {
    fn clause(&mut self, form: SexprId) -> Option<Clause> {
        let span = self.sexprs.span(form);
        if let Some(word) = self.sexprs.atom(self.source, form) {
            let message = format!("`{word}` stands outside any form");
            return self.fail(Diagnostic::new(Code::LoneSymbol, span, message));
        }
        let word = self.first_word(form)?;
        if connective(word) != Some(Connective::Rule) {
            let head = self.head(form)?;
            return Some(Clause { head: Some(head), body: Vec::new(), span });
        }
        let mut parts = self.sexprs.children(form).skip(1);
        let Some(head) = parts.next() else {
            return self.fail(Diagnostic::new(Code::MalformedRule, span, "this rule has no head"));
        };
        let head = self.head(head);
        // Read the body even if the head is wrong, for the sake of its diagnostics.
        let body: Vec<Option<Formula>> = parts.map(|part| self.formula(part)).collect();
        if body.is_empty() {
            self.report(
                Diagnostic::new(Code::EmptyBody, span, "this rule has no conditions")
                    .hint("write the head alone, as a fact"),
            );
        }
        Some(Clause { head: Some(head?), body: body.into_iter().collect::<Option<_>>()?, span })
    }

    fn head(&mut self, id: SexprId) -> Option<Expr> {
        let word = self.head_word(id)?;
        let span = self.sexprs.span(id);
        let cannot_define = match connective(word) {
            Some(Connective::Rule) => return self.fail(nested_rule(span)),
            Some(_) => true,
            None => self.keyword(word).is_some_and(|keyword| !keyword.in_heads()),
        };
        if cannot_define {
            let word = word.to_ascii_lowercase();
            let error =
                Diagnostic::new(Code::KeywordInHead, span, format!("`{word}` cannot be defined by a rule"));
            let hint = (word == "true")
                .then(|| "`next` says what will be true, `init` what is true at first".into());
            return self.fail(error.maybe_hint(hint));
        }
        self.atom(id, word)
    }

    fn formula(&mut self, id: SexprId) -> Option<Formula> {
        let span = self.sexprs.span(id);
        let word = self.head_word(id)?;
        let Some(connective) = connective(word) else {
            return self.condition(id, word).map(Formula::Atom);
        };
        if self.sexprs.kind(id) == Kind::Atom {
            let message = format!("`{word}` needs arguments");
            return self.fail(Diagnostic::new(Code::KeywordArity, span, message));
        }
        let sexprs = self.sexprs;
        let mut parts = sexprs.children(id).skip(1);
        match connective {
            Connective::Rule => self.fail(nested_rule(span)),
            Connective::Distinct => {
                let [a, b] = self.exactly(id, "distinct")?;
                Some(Formula::Distinct(self.term(a)?, self.term(b)?, span))
            }
            Connective::Not => {
                let [part] = self.exactly(id, "not")?;
                let part = self.formula(part)?;
                if !matches!(part, Formula::Atom(_)) {
                    let message = "`not` of something other than a single atom";
                    self.report(Diagnostic::new(Code::NonStandard, span, message));
                }
                Some(Formula::Not(Box::new(part)))
            }
            Connective::And => {
                let message = "`and` is not part of GDL: conditions of a rule are joined anyway";
                self.report(Diagnostic::new(Code::NonStandard, span, message));
                self.formulas(&mut parts).map(Formula::And)
            }
            Connective::Or => {
                self.report(
                    Diagnostic::new(Code::DeprecatedOr, span, "`or` is deprecated")
                        .hint("write one rule for each of its branches, or define a view"),
                );
                self.formulas(&mut parts).map(Formula::Or)
            }
        }
    }

    fn formulas(&mut self, parts: &mut dyn Iterator<Item = SexprId>) -> Option<Vec<Formula>> {
        let read: Vec<Option<Formula>> = parts.map(|part| self.formula(part)).collect();
        read.into_iter().collect()
    }

    /// An atom in a body.
    fn condition(&mut self, id: SexprId, word: &str) -> Option<Expr> {
        if let Some(keyword) = self.keyword(word).filter(|keyword| !keyword.in_bodies()) {
            let span = self.sexprs.span(id);
            let error =
                Diagnostic::new(Code::KeywordInBody, span, format!("`{keyword}` cannot be a condition"));
            let hint = match keyword {
                Keyword::Init | Keyword::Next | Keyword::Base => Some("the state is read with `true`".into()),
                Keyword::Input => Some("moves are read with `does`, or `legal`".into()),
                _ => None,
            };
            return self.fail(error.maybe_hint(hint));
        }
        self.atom(id, word)
    }

    /// An atom in a head or in a body. Keywords have their number of arguments checked.
    fn atom(&mut self, id: SexprId, word: &str) -> Option<Expr> {
        let span = self.sexprs.span(id);
        self.check_parentheses(id);
        let arity = self.sexprs.children(id).count().saturating_sub(1);
        let keyword = self.keyword(word);
        if let Some(keyword) = keyword.filter(|keyword| keyword.arity() != arity) {
            let wants = plural(keyword.arity(), "argument");
            let message = format!("`{keyword}` takes {wants}, here are {arity}");
            let code = match keyword {
                Keyword::Base | Keyword::Input => Code::NonStandard,
                _ => Code::KeywordArity,
            };
            return self.fail(Diagnostic::new(code, span, message));
        }
        let name = self.lowering.program.symbols.intern(keyword.map_or(word, |keyword| keyword.name()));
        let args = self.args(id)?;
        Some(Expr { kind: ExprKind::Apply(name, args), span })
    }

    fn term(&mut self, id: SexprId) -> Option<Expr> {
        let span = self.sexprs.span(id);
        if let Some(word) = self.sexprs.atom(self.source, id)
            && word.starts_with('?')
        {
            let name = self.lowering.program.symbols.intern(word);
            return Some(Expr { kind: ExprKind::Variable(Variable { name, anonymous: 0 }), span });
        }
        let word = self.first_word(id)?;
        self.check_parentheses(id);
        self.check_name_of_term(word, span)?;
        let name = self.lowering.program.symbols.intern(word);
        let args = self.args(id)?;
        Some(Expr { kind: ExprKind::Apply(name, args), span })
    }

    /// The arguments of a list; none of an atom.
    fn args(&mut self, id: SexprId) -> Option<Vec<Expr>> {
        let sexprs = self.sexprs;
        let read: Vec<Option<Expr>> = sexprs.children(id).skip(1).map(|arg| self.term(arg)).collect();
        read.into_iter().collect()
    }

    fn check_name_of_term(&mut self, word: &str, span: Span) -> Option<()> {
        let lenient = match (connective(word), self.keyword(word)) {
            (None, None) => return Some(()),
            (Some(Connective::Not | Connective::And | Connective::Or), _) => true,
            (_, Some(Keyword::Base | Keyword::Input | Keyword::Sees)) => true,
            _ => false,
        };
        let message = format!("the keyword `{}` stands inside a term", word.to_ascii_lowercase());
        if lenient {
            self.report(Diagnostic::new(Code::KeywordAsName, span, message));
            return Some(());
        }
        self.fail(Diagnostic::new(Code::KeywordAsTerm, span, message))
    }

    /// The word of a condition or a head: a bare symbol itself, or the first in a list.
    fn head_word(&mut self, id: SexprId) -> Option<&'s str> {
        if let Some(word) = self.sexprs.atom(self.source, id).filter(|word| word.starts_with('?')) {
            let message = format!("the variable `{word}` cannot be a condition");
            let error = Diagnostic::new(Code::VariableCondition, self.sexprs.span(id), message);
            return self.fail(error.hint(format!("write `(true {word})` if a fact of the state is meant")));
        }
        self.first_word(id)
    }

    /// The name that a form is about: a bare symbol itself, or the first in a list.
    fn first_word(&mut self, id: SexprId) -> Option<&'s str> {
        let span = self.sexprs.span(id);
        if let Some(word) = self.sexprs.atom(self.source, id) {
            return Some(word);
        }
        let Some(first) = self.sexprs.children(id).next() else {
            return self.fail(Diagnostic::new(Code::EmptyForm, span, "this form is empty"));
        };
        match self.sexprs.atom(self.source, first) {
            Some(word) if !word.starts_with('?') => Some(word),
            found => {
                let what = if found.is_some() { "a variable" } else { "a list" };
                let message = format!("a form begins with a name, not with {what}");
                self.fail(Diagnostic::new(Code::MalformedForm, self.sexprs.span(first), message))
            }
        }
    }

    /// The keyword of this name, in a game.
    fn keyword(&self, word: &str) -> Option<Keyword> {
        self.lowering.program.keyword_named(word)
    }

    fn check_parentheses(&mut self, id: SexprId) {
        if self.sexprs.kind(id) == Kind::List && self.sexprs.children(id).nth(1).is_none() {
            let span = self.sexprs.span(id);
            let word =
                self.source.slice(span).trim_matches(|c: char| c == '(' || c == ')' || c.is_whitespace());
            let message = format!("parentheses around the lone name `{word}`");
            self.report(Diagnostic::new(Code::ZeroArity, span, message).hint(format!("write `{word}`")));
        }
    }

    fn exactly<const N: usize>(&mut self, id: SexprId, word: &str) -> Option<[SexprId; N]> {
        let parts: Vec<SexprId> = self.sexprs.children(id).skip(1).collect();
        let found = parts.len();
        if let Ok(parts) = <[SexprId; N]>::try_from(parts) {
            return Some(parts);
        }
        let message = format!("`{word}` takes {}, here are {found}", plural(N, "argument"));
        self.fail(Diagnostic::new(Code::KeywordArity, self.sexprs.span(id), message))
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.lowering.report(diagnostic);
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report(diagnostic);
        None
    }
}

fn nested_rule(span: Span) -> Diagnostic {
    Diagnostic::new(Code::NestedRule, span, "a rule stands inside another form")
        .hint("perhaps a `)` is missing before it")
}

pub(crate) fn plural(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}"),
        1 => format!("one {what}"),
        2 => format!("two {what}s"),
        _ => format!("{count} {what}s"),
    }
}
