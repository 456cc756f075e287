//! Facts that are asked for and never made, and moves that are asked for and never legal.

use super::{Context, Findings};
use grundy_syntax::{Code, Diagnostic, Keyword, Span, SymbolId, Term, TermId};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    if let Some(facts) = Terms::of(context, &[Keyword::Init, Keyword::Next], 0) {
        facts.check(context, Keyword::True, findings, |name, place| {
            let message = format!("no `init` and no `next` makes `{name}` true");
            Diagnostic::new(Code::UndefinedFact, place, message).label("never true")
        });
    }
    if let Some(moves) = Terms::of(context, &[Keyword::Legal], 1) {
        moves.check(context, Keyword::Does, findings, |name, place| {
            let message = format!("no `legal` allows the move `{name}`");
            Diagnostic::new(Code::UndefinedMove, place, message).label("never done")
        });
    }
}

/// The names of the terms that rules for some keywords make.
struct Terms {
    made: FxHashSet<SymbolId>,
    /// Which argument of the keywords is the term.
    argument: usize,
}

impl Terms {
    /// Nothing can be said if a rule makes anything, by a variable, or if there is none.
    fn of(context: &Context<'_>, keywords: &[Keyword], argument: usize) -> Option<Terms> {
        let program = context.program;
        let is_maker = |keyword: Keyword| keywords.contains(&keyword);
        let rules = program.rules.iter();
        let makers = rules.filter(|rule| program.info(rule.head.predicate).keyword.is_some_and(is_maker));
        let made: Option<FxHashSet<SymbolId>> =
            makers.map(|rule| name_of(context, rule.head.args[argument])).collect();
        made.filter(|made| !made.is_empty()).map(|made| Terms { made, argument })
    }

    /// Reports terms that a keyword asks for in vain, each name once.
    fn check(
        &self,
        context: &Context<'_>,
        reader: Keyword,
        findings: &mut Findings<'_>,
        warning: impl Fn(&str, Span) -> Diagnostic,
    ) {
        for (symbol, span) in self.never_made(context, reader) {
            if findings.explained.contains(&symbol) {
                continue;
            }
            let name = context.program.symbols.name(symbol);
            let hint = self.hint(context, reader, symbol, findings);
            findings.report(warning(name, context.source.find_word(span, name)).maybe_hint(hint));
        }
    }

    fn never_made(&self, context: &Context<'_>, reader: Keyword) -> BTreeMap<SymbolId, Span> {
        let program = context.program;
        let mut missing = BTreeMap::new();
        for (atom, span) in context.atoms() {
            if program.info(atom.predicate).keyword == Some(reader)
                && let Some(name) = name_of(context, atom.args[self.argument])
                && !self.made.contains(&name)
                && !program.left_out.contains(&name)
            {
                missing.entry(name).or_insert(span);
            }
        }
        missing
    }

    fn hint(
        &self,
        context: &Context<'_>,
        reader: Keyword,
        symbol: SymbolId,
        findings: &mut Findings<'_>,
    ) -> Option<String> {
        let program = context.program;
        let name = program.symbols.name(symbol);
        let mut made: Vec<&str> = self.made.iter().map(|&made| program.symbols.name(made)).collect();
        made.sort_unstable();
        if let Some(similar) = findings.suggest(name, made.into_iter()) {
            return Some(format!("did you mean `{similar}`?"));
        }
        let is_view = program.predicates().any(|(id, info)| info.name == symbol && context.is_defined(id));
        is_view.then(|| {
            findings.explained.insert(symbol);
            format!("`{name}` is defined by rules: ask for it without `{reader}`")
        })
    }
}

fn name_of(context: &Context<'_>, term: TermId) -> Option<SymbolId> {
    match context.program.terms.get(term) {
        Term::Variable(_) => None,
        Term::Constant(name) | Term::Compound(name, _) => Some(name),
    }
}
