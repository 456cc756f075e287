//! Conditions on facts that are never true, and on moves that are never legal: first by names, then by arguments.

use super::possible::{Item, Kind, Known, Possible, Values, kind_of, values_of};
use super::{Context, Findings};
use grundy_syntax::{Atom, Code, Diagnostic, Keyword, Notation, Printer, Rule, Span, SymbolId, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
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
    // Findings that only follow from errors, or from a missing initial state, are suppressed.
    let has_start = context.program.keyword(Keyword::Init).is_some_and(|init| context.is_defined(init));
    if has_start
        && !findings.has_telling_error()
        && let Some(possible) = Possible::of(context)
    {
        let made = context.program.rules.iter().filter_map(|rule| kind_of(context.program, &rule.head));
        let made = made.map(|(kind, _)| kind).collect();
        Arguments { context, possible: &possible, made, reported: FxHashSet::default() }.check(findings);
    }
}

/// The names of the terms that rules for some keywords derive.
struct Terms {
    made: FxHashSet<SymbolId>,
    /// Which argument of the keywords is the term.
    argument: usize,
}

impl Terms {
    /// `None` if a rule derives all terms, by a variable, or if there is no rule.
    fn of(context: &Context<'_>, keywords: &[Keyword], argument: usize) -> Option<Terms> {
        let program = context.program;
        let is_maker = |keyword: Keyword| keywords.contains(&keyword);
        let rules = program.rules.iter();
        let makers = rules.filter(|rule| program.info(rule.head.predicate).keyword.is_some_and(is_maker));
        let made: Option<FxHashSet<SymbolId>> =
            makers.map(|rule| name_of(context, rule.head.args[argument])).collect();
        made.filter(|made| !made.is_empty()).map(|made| Terms { made, argument })
    }

    /// Reports the terms in conditions of a keyword that are never derived, each name once.
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

/// The argument of an atom that is impossible, and its name, if a single argument is responsible.
type Misfit = Option<(usize, Item)>;

/// Facts and moves with known names but impossible arguments.
struct Arguments<'a, 'c> {
    context: &'a Context<'c>,
    possible: &'a Possible,
    /// The kinds that rules derive, used or not.
    made: FxHashSet<Kind>,
    /// The findings so far, so that each is reported once.
    reported: FxHashSet<(Kind, Misfit)>,
}

impl Arguments<'_, '_> {
    fn check(mut self, findings: &mut Findings<'_>) {
        let program = self.context.program;
        for rule in &program.rules {
            for condition in &rule.body {
                let Some(atom) = condition.literal.atom() else { continue };
                if let Some(Keyword::True | Keyword::Does) = program.info(atom.predicate).keyword {
                    self.check_read(rule, atom, condition.span, findings);
                }
            }
        }
        self.check_made(findings);
    }

    /// The atom in print, without its keyword.
    fn text(&self, rule: &Rule, atom: &Atom) -> String {
        let printer = Printer::new(self.context.program, Notation::Kif);
        let names = printer.variable_names(&rule.variables);
        printer.term(atom.args[atom.args.len() - 1], &names)
    }

    /// The place of an argument in the text.
    fn place(&self, span: Span, misfit: Misfit) -> Span {
        misfit.map_or(span, |(_, (name, _))| {
            self.context.source.find_word(span, self.context.program.symbols.name(name))
        })
    }

    /// Checks a condition on a fact or move.
    fn check_read(&mut self, rule: &Rule, atom: &Atom, span: Span, findings: &mut Findings<'_>) {
        let program = self.context.program;
        let Some((kind, args)) = kind_of(program, atom) else { return };
        let misfit = match self.possible.arguments(self.context, kind) {
            Known::Nothing => return,
            // That there is none of this name is reported for the name.
            Known::Never if !self.made.contains(&kind) => return,
            Known::Never => None,
            Known::Arguments(known) => {
                let item = |&arg: &TermId| match program.terms.get(arg) {
                    Term::Variable(_) => None,
                    Term::Constant(name) => Some((name, 0)),
                    Term::Compound(name, args) => Some((name, args.len())),
                };
                let items = args.iter().map(item).enumerate();
                let mut named = items.filter_map(|(at, item)| Some((at, item?)));
                let Some(misfit) = named.find(|&(at, item)| !known[at].contains(item)) else { return };
                Some(misfit)
            }
        };
        if !self.reported.insert((kind, misfit)) {
            return;
        }
        let text = self.text(rule, atom);
        // There are rules for it, but their conditions can never hold.
        let has_rules = misfit.is_none();
        let (code, message, label) = match kind {
            Kind::Move(_) if has_rules => {
                (Code::UndefinedMove, format!("no `legal` for the move `{text}` can ever hold"), "never done")
            }
            Kind::Move(_) => {
                let message = match misfit {
                    Some((0, (role, _))) => {
                        format!("no `legal` allows {} the move `{text}`", program.symbols.name(role))
                    }
                    _ => format!("no `legal` allows the move `{text}`"),
                };
                (Code::UndefinedMove, message, "never done")
            }
            _ if has_rules => {
                (Code::UndefinedFact, format!("no rule that makes `{text}` true can ever fire"), "never true")
            }
            _ => (Code::UndefinedFact, format!("no `init` and no `next` makes `{text}` true"), "never true"),
        };
        let known = match self.possible.arguments(self.context, kind) {
            Known::Arguments(known) => misfit.map(|(at, _)| known[at].items().to_vec()),
            _ => None,
        };
        let hint = self.similar(misfit, &known.unwrap_or_default(), findings);
        let hint = hint.map(|similar| format!("did you mean `{similar}`?"));
        let place = self.place(span, misfit);
        findings.report(Diagnostic::new(code, place, message).label(label).maybe_hint(hint));
    }

    fn similar(&self, misfit: Misfit, known: &[Item], findings: &mut Findings<'_>) -> Option<String> {
        let (_, (name, arity)) = misfit?;
        let symbols = &self.context.program.symbols;
        let candidates = known.iter().filter(|item| item.1 == arity).map(|item| symbols.name(item.0));
        findings.suggest(symbols.name(name), candidates).map(str::to_owned)
    }

    /// Reports facts that are derived with a constant that occurs in no condition, although others do: misspellings such as
    /// `(next (control whit))`.
    fn check_made(&mut self, findings: &mut Findings<'_>) {
        let program = self.context.program;
        let Some(read) = self.read() else { return };
        for rule in &program.rules {
            let is_maker =
                matches!(program.info(rule.head.predicate).keyword, Some(Keyword::Init | Keyword::Next));
            let Some((kind, args)) = kind_of(program, &rule.head).filter(|_| is_maker) else { continue };
            let Some(read) = read.get(&kind) else { continue };
            for (at, (values, &arg)) in read.iter().zip(&args).enumerate() {
                let Term::Constant(name) = program.terms.get(arg) else { continue };
                let misfit = Some((at, (name, 0)));
                if values.contains((name, 0)) || self.reported.contains(&(kind, misfit)) {
                    continue;
                }
                // A fact that is only for display is not an error; one that is similar to another is.
                let Some(similar) = self.similar(misfit, values.items(), findings) else { continue };
                self.reported.insert((kind, misfit));
                let text = self.text(rule, &rule.head);
                let message = format!("no condition asks for `{text}`");
                let place = self.place(rule.head_span, misfit);
                let hint = format!("did you mean `{similar}`?");
                let warning = Diagnostic::new(Code::UndefinedFact, place, message).label("never asked for");
                findings.report(warning.hint(hint));
            }
        }
    }

    /// The possible arguments of each kind of fact in conditions; `None` if a condition reads facts of any kind.
    fn read(&self) -> Option<FxHashMap<Kind, Vec<Values>>> {
        let program = self.context.program;
        let mut read: FxHashMap<Kind, Vec<Values>> = FxHashMap::default();
        for rule in &program.rules {
            let asks = |atom: &&Atom| program.info(atom.predicate).keyword == Some(Keyword::True);
            let mut atoms = rule.literals().filter_map(|literal| literal.atom()).filter(asks).peekable();
            if atoms.peek().is_none() {
                continue;
            }
            let variables = self.possible.variables(self.context, rule);
            let variables = variables.unwrap_or_else(|| vec![Values::Any; rule.variables.len()]);
            for atom in atoms {
                let (kind, args) = kind_of(program, atom)?;
                let asked = args.iter().map(|&arg| values_of(program, arg, &variables));
                match read.entry(kind) {
                    std::collections::hash_map::Entry::Vacant(entry) => _ = entry.insert(asked.collect()),
                    std::collections::hash_map::Entry::Occupied(mut entry) => {
                        entry.get_mut().iter_mut().zip(asked).for_each(|(mine, more)| _ = mine.join(&more));
                    }
                }
            }
        }
        Some(read)
    }
}
