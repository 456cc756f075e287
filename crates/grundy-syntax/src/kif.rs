//! KIF notation: from S-expressions to clauses.
//!
//! Everything that can be said about one form alone is said here; what needs the whole sheet is
//! said by the analysis.

use crate::clause::{Clause, Expr, ExprKind, Formula, Variable, wrong_arity};
use crate::diagnostic::{Code, Diagnostic};
use crate::lower::Lowering;
use crate::program::Keyword;
use crate::sexpr::{Kind, SexprId, Sexprs};
use crate::source::{Source, Span};

/// Lowers the forms of a sheet into a program.
pub(crate) fn lower_sexprs(lowering: &mut Lowering, source: &Source, sexprs: &Sexprs) {
    report_lone_words(lowering, source, sexprs);
    let mut full = false;
    for form in sexprs.forms() {
        full = full || lowering.is_full(sexprs.span(form));
        if full && lowering.limits.budget.is_over() {
            return;
        }
        let clause = if full || sexprs.is_broken(form) || sexprs.kind(form) == Kind::Atom {
            None
        } else {
            FormReader { lowering, source, sexprs }.clause(form)
        };
        match clause {
            Some(clause) => lowering.add_clause(&clause),
            None => leave_out(lowering, source, sexprs, form),
        }
    }
}

/// Complains about words that stand outside any form, once for each run of them: a line of prose is
/// one slip.
fn report_lone_words(lowering: &mut Lowering, source: &Source, sexprs: &Sexprs) {
    let is_lone = |form: &SexprId| sexprs.kind(*form) == Kind::Atom && !sexprs.is_broken(*form);
    let mut forms = sexprs.forms().peekable();
    while let Some(form) = forms.next() {
        if !is_lone(&form) {
            continue;
        }
        let first = sexprs.span(form);
        let mut run = first;
        while let Some(next) = forms.next_if(is_lone) {
            run = run.to(sexprs.span(next));
        }
        let message = if run == first {
            format!("`{}` stands outside any form", source.slice(first))
        } else {
            "these words stand outside any form".to_owned()
        };
        let hint = "put facts and rules in parentheses, and comments behind a `;`";
        lowering.report(Diagnostic::new(Code::LoneSymbol, run, message).hint(hint));
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
        let word = self.first_word(form)?;
        if connective(word) != Some(Connective::Rule) {
            let head = self.head(form, word)?;
            return Some(Clause { head: Some(head), body: Vec::new(), span });
        }
        let mut parts = self.sexprs.children(form).skip(1);
        let Some(head) = parts.next() else {
            return self.fail(Diagnostic::new(Code::MalformedRule, span, "this rule has no head"));
        };
        self.check_parentheses(head);
        let head = self.head_word(head).and_then(|word| self.head(head, word));
        // Read the body even if the head is wrong, for the sake of its diagnostics.
        let body = all(parts.map(|part| self.formula(part)));
        if body.as_ref().is_some_and(Vec::is_empty) {
            self.report(
                Diagnostic::new(Code::EmptyBody, span, "this rule has no conditions")
                    .hint("write the head alone, as a fact"),
            );
        }
        Some(Clause { head: Some(head?), body: body?, span })
    }

    fn head(&mut self, id: SexprId, word: &str) -> Option<Expr> {
        let span = self.sexprs.span(id);
        let cannot_define = match connective(word) {
            Some(Connective::Rule) => return self.fail(nested_rule(span)),
            Some(_) => true,
            None => self.keyword(word).is_some_and(|keyword| !keyword.in_heads()),
        };
        if cannot_define {
            let word = word.to_ascii_lowercase();
            let hint = match word.as_str() {
                "true" => Some("`next` says what will be true, `init` what is true at first".into()),
                "does" => {
                    Some("the roles choose their moves; `legal` says which ones they may choose".into())
                }
                _ => None,
            };
            let error = Diagnostic::new(Code::KeywordInHead, span, format!("`{word}` cannot be defined"));
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
            let message = format!("`{}` needs arguments", word.to_ascii_lowercase());
            return self.fail(Diagnostic::new(Code::KeywordArity, span, message));
        }
        match connective {
            Connective::Rule => self.fail(nested_rule(span)),
            Connective::Distinct => {
                let [a, b] = self.exactly(id, "distinct")?;
                Some(Formula::Distinct(self.term(a)?, self.term(b)?, span))
            }
            Connective::Not => {
                let [part] = self.exactly(id, "not")?;
                let part = self.formula(part)?;
                self.check_negated(&part, span);
                Some(Formula::Not(Box::new(part)))
            }
            Connective::And => {
                let message = "`and` is not part of GDL";
                let hint = "the conditions of a rule are joined anyway";
                self.report(Diagnostic::new(Code::NonStandard, span, message).hint(hint));
                self.formulas(id).map(Formula::And)
            }
            Connective::Or => {
                self.report(
                    Diagnostic::new(Code::DeprecatedOr, span, "`or` is deprecated")
                        .hint("write one rule for each of its branches, or define a view"),
                );
                if self.sexprs.children(id).count() == 1 {
                    let never =
                        Diagnostic::new(Code::NeverTrue, span, "an `or` without branches never holds");
                    self.report(never);
                }
                self.formulas(id).map(Formula::Or)
            }
        }
    }

    /// Standard GDL negates single atoms only.
    fn check_negated(&mut self, part: &Formula, span: Span) {
        let (what, hint) = match part {
            Formula::Atom(_) => return,
            Formula::Distinct(..) => {
                ("`distinct`", "what is not distinct is equal: write the same term in both places")
            }
            _ => ("something other than a single condition", "define a view, and negate that"),
        };
        let message = format!("`not` of {what} is not part of GDL");
        self.report(Diagnostic::new(Code::NonStandard, span, message).hint(hint));
    }

    /// The parts of a connective.
    fn formulas(&mut self, id: SexprId) -> Option<Vec<Formula>> {
        all(self.sexprs.children(id).skip(1).map(|part| self.formula(part)))
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
        self.check_parentheses(id);
        self.atom(id, word)
    }

    /// An atom in a head or in a body. Keywords have their number of arguments checked.
    fn atom(&mut self, id: SexprId, word: &str) -> Option<Expr> {
        let span = self.sexprs.span(id);
        let arity = self.sexprs.children(id).count().saturating_sub(1);
        let keyword = self.keyword(word);
        if let Some(keyword) = keyword.filter(|keyword| keyword.arity() != arity) {
            let message = wrong_arity(keyword.name(), keyword.arity(), arity);
            let code = match keyword {
                Keyword::Base | Keyword::Input => Code::NonStandard,
                _ => Code::KeywordArity,
            };
            let error = Diagnostic::new(code, span, message).hint(format!("write `{}`", keyword.usage()));
            let error = self.mark_surplus(error, id, keyword.arity());
            return self.fail(error);
        }
        let name = self.lowering.program.symbols.intern(keyword.map_or(word, |keyword| keyword.name()));
        let args = self.args(id)?;
        Some(Expr { kind: ExprKind::Apply(name, args), span })
    }

    fn term(&mut self, id: SexprId) -> Option<Expr> {
        let span = self.sexprs.span(id);
        let word = self.first_word(id)?;
        let name = self.lowering.program.symbols.intern(word);
        if word.starts_with('?') {
            return Some(Expr { kind: ExprKind::Variable(Variable { name, anonymous: 0 }), span });
        }
        self.check_parentheses(id);
        self.check_name_of_term(word, span)?;
        let args = self.args(id)?;
        Some(Expr { kind: ExprKind::Apply(name, args), span })
    }

    /// The arguments of a list; none of an atom.
    fn args(&mut self, id: SexprId) -> Option<Vec<Expr>> {
        all(self.sexprs.children(id).skip(1).map(|arg| self.term(arg)))
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
            self.lowering.report_keyword_as_name(word, Diagnostic::new(Code::KeywordAsName, span, message));
            return Some(());
        }
        let hint = "conditions are not nested in each other, and keywords are no names of things";
        self.fail(Diagnostic::new(Code::KeywordAsTerm, span, message).hint(hint))
    }

    /// The word of a condition or a head: a bare symbol itself, or the first in a list.
    fn head_word(&mut self, id: SexprId) -> Option<&'s str> {
        let word = self.first_word(id)?;
        if word.starts_with('?') {
            let message = format!("the variable `{word}` cannot be a condition");
            let error = Diagnostic::new(Code::VariableCondition, self.sexprs.span(id), message);
            return self.fail(error.hint(format!("write `(true {word})` if a fact of the state is meant")));
        }
        Some(word)
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

    /// Warns about `(p)` where `p` would do. A fact at the top level cannot do without.
    fn check_parentheses(&mut self, id: SexprId) {
        if let Some(inside) = self.sexprs.only_atom(id) {
            let span = self.sexprs.span(id);
            let word = self.source.slice(self.sexprs.span(inside));
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
        let error = Diagnostic::new(Code::KeywordArity, self.sexprs.span(id), wrong_arity(word, N, found));
        let error = self.mark_surplus(error, id, N);
        self.fail(error)
    }

    /// Points at the first argument too many, if there is one.
    fn mark_surplus(&self, error: Diagnostic, id: SexprId, arity: usize) -> Diagnostic {
        match self.sexprs.children(id).nth(arity + 1) {
            Some(surplus) => error.second(self.sexprs.span(surplus), "unexpected"),
            None => error,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.lowering.report(diagnostic);
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report(diagnostic);
        None
    }
}

/// All values, or nothing if one is missing. Unlike `collect` it goes through all of them in any case,
/// so that each can report what is wrong with it.
fn all<T>(values: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let mut found = Vec::new();
    let mut complete = true;
    for value in values {
        match value {
            Some(value) => found.push(value),
            None => complete = false,
        }
    }
    complete.then_some(found)
}

fn nested_rule(span: Span) -> Diagnostic {
    Diagnostic::new(Code::NestedRule, span, "a rule stands inside another form")
        .hint("perhaps a `)` is missing before it")
}
