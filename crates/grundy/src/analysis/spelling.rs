//! Names that differ only in case, and pairs of variables that are probably misspellings of each other.

use super::suggest::is_typo;
use super::{Context, Findings};
use grundy_syntax::{Code, Diagnostic, Dialect, Rule, Span, SymbolId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The largest number of variables reported for a rule.
const MOST_OF_A_RULE: usize = 10;

pub(super) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let mut spellings: BTreeMap<String, Vec<SymbolId>> = BTreeMap::new();
    for (symbol, name) in context.program.symbols.iter() {
        spellings.entry(name.to_lowercase()).or_default().push(symbol);
    }
    spellings.retain(|_, symbols| symbols.len() > 1);
    if spellings.is_empty() {
        return;
    }
    check_variables(context, &spellings, findings);
    if context.program.dialect == Dialect::Game {
        let occurrences = Occurrences::of(context, spellings.values().flatten().copied());
        spellings.values().for_each(|symbols| check_names(context, symbols, &occurrences, findings));
    }
}

/// The number of occurrences of some names, and the first one of each. Variables do not count.
struct Occurrences {
    found: FxHashMap<SymbolId, (usize, Span)>,
    /// Names of undefined predicates.
    undefined: FxHashSet<SymbolId>,
}

impl Occurrences {
    fn of(context: &Context<'_>, symbols: impl Iterator<Item = SymbolId>) -> Occurrences {
        let found = symbols.map(|symbol| (symbol, (0, Span::default()))).collect();
        let mut occurrences = Occurrences { found, undefined: undefined_names(context) };
        for (atom, span) in context.atoms() {
            let predicate = context.program.info(atom.predicate);
            if predicate.keyword.is_none() {
                occurrences.note(predicate.name, span);
            }
            atom.args.iter().for_each(|&arg| occurrences.note_term(context, arg, span));
        }
        for condition in context.conditions().filter(|condition| condition.literal.atom().is_none()) {
            condition.literal.terms().for_each(|term| occurrences.note_term(context, term, condition.span));
        }
        occurrences
    }

    fn count(&self, symbol: SymbolId) -> usize {
        self.found.get(&symbol).map_or(0, |(count, _)| *count)
    }

    fn first_place(&self, context: &Context<'_>, symbol: SymbolId) -> Span {
        let (_, span) = self.found.get(&symbol).copied().unwrap_or_default();
        context.source.find_word(span, context.program.symbols.name(symbol))
    }

    fn note(&mut self, symbol: SymbolId, span: Span) {
        if let Some((count, first)) = self.found.get_mut(&symbol) {
            *count += 1;
            *first = if *count == 1 { span } else { *first };
        }
    }

    fn note_term(&mut self, context: &Context<'_>, term: TermId, span: Span) {
        match context.program.terms.get(term) {
            Term::Variable(_) => {}
            Term::Constant(name) => self.note(name, span),
            Term::Compound(name, args) => {
                self.note(name, span);
                args.iter().for_each(|&arg| self.note_term(context, arg, span));
            }
        }
    }
}

fn check_names(
    context: &Context<'_>,
    symbols: &[SymbolId],
    occurrences: &Occurrences,
    findings: &mut Findings<'_>,
) {
    let occurring = || symbols.iter().copied().filter(|&symbol| occurrences.count(symbol) > 0);
    let is_undefined = |symbol: SymbolId| occurrences.undefined.contains(&symbol);
    let rank = |symbol: &SymbolId| (is_undefined(*symbol), Reverse(occurrences.count(*symbol)));
    let Some(usual) = occurring().min_by_key(rank) else { return };
    let usual_name = context.program.symbols.name(usual);
    for odd in occurring().filter(|&odd| odd != usual) {
        if findings.explained.contains(&odd) {
            continue;
        }
        let odd_name = context.program.symbols.name(odd);
        let message = format!("`{usual_name}` and `{odd_name}` differ only in case");
        let mut warning =
            Diagnostic::new(Code::Capitalisation, occurrences.first_place(context, odd), message)
                .second(occurrences.first_place(context, usual), "the other one")
                .hint(format!("did you mean `{usual_name}`?"));
        if is_undefined(odd) {
            warning = warning.label(format!("never true: nothing defines `{odd_name}`"));
        }
        findings.report(warning);
        findings.explained.extend([odd, usual]);
    }
}

/// Names of predicates that are undefined for all arities.
fn undefined_names(context: &Context<'_>) -> FxHashSet<SymbolId> {
    let names = |is_wanted: bool| {
        let predicates = context.program.predicates();
        predicates.filter(move |(id, _)| context.is_defined(*id) == is_wanted).map(|(_, info)| info.name)
    };
    let defined: FxHashSet<SymbolId> = names(true).collect();
    names(false).filter(|name| !defined.contains(name)).collect()
}

/// Variables of a rule that differ only in case.
fn check_variables(
    context: &Context<'_>,
    spellings: &BTreeMap<String, Vec<SymbolId>>,
    findings: &mut Findings<'_>,
) {
    let mut class_of: FxHashMap<SymbolId, usize> = FxHashMap::default();
    for (class, symbols) in spellings.values().enumerate() {
        class_of.extend(symbols.iter().map(|&symbol| (symbol, class)));
    }
    for rule in &context.program.rules {
        let mut known: BTreeMap<usize, SymbolId> = BTreeMap::new();
        let pairs = rule.variables.iter().filter_map(|&variable| {
            let first = *known.entry(*class_of.get(&variable)?).or_insert(variable);
            (first != variable).then_some([first, variable])
        });
        pairs.take(MOST_OF_A_RULE).for_each(|pair| report_variables(context, rule, pair, findings));
    }
}

fn report_variables(context: &Context<'_>, rule: &Rule, pair: [SymbolId; 2], findings: &mut Findings<'_>) {
    let names = pair.map(|symbol| context.program.symbols.name(symbol));
    let counts = names.map(|name| context.source.words(rule.span, name).count());
    let [usual, odd] = if counts[0] < counts[1] { [names[1], names[0]] } else { names };
    let message = format!("the variables `{usual}` and `{odd}` differ only in case");
    findings.report(
        Diagnostic::new(Code::Capitalisation, context.source.find_word(rule.span, odd), message)
            .second(context.source.find_word(rule.span, usual), "the other one")
            .hint(format!("did you mean `{usual}`?")),
    );
}

/// Merges the findings for two singleton variables of a rule if one is a misspelling of the other.
pub(super) fn pair_singletons(context: &Context<'_>, findings: &mut Findings<'_>) {
    let rules = &context.program.rules;
    let rule_of = |found: &Diagnostic| {
        let before = rules.partition_point(|rule| rule.span.start <= found.primary.start);
        rules[..before].last().map(|rule| rule.span).filter(|span| found.primary.end <= span.end)
    };
    let name_of = |found: &Diagnostic| context.source.slice(found.primary);
    let singletons = findings.take(Code::SingletonVariable);
    for group in singletons.chunk_by(|a, b| rule_of(a).is_some() && rule_of(a) == rule_of(b)) {
        let mut left = group.to_vec();
        while let Some(warning) = left.pop() {
            let name = name_of(&warning);
            let nearby = left.len().saturating_sub(MOST_OF_A_RULE)..left.len();
            let slip = nearby.rev().find(|&at| is_typo(name, name_of(&left[at])));
            findings.report(match slip.map(|at| left.remove(at)) {
                Some(other) => warning
                    .second(other.primary, "and so is this one: perhaps they are meant to be the same")
                    .hint(format!("did you mean `{}`?", name_of(&other))),
                None => warning,
            });
        }
    }
}
