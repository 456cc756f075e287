//! States from text: facts in the notation of the theory.

use super::evaluate::FactSet;
use super::{FactId, Features};
use crate::flat::read_ground_term;
use grundy_syntax::{Dialect, Notation, Printer, Program, Source, Symbols, Term, TermId, Terms, read_theory};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a fact in a text is to a theory.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    /// This fact.
    Fact(FactId),
    /// A fact that no feature reads.
    Ignored,
    /// A fact that the theory does not have, with the reason.
    Unknown(String),
}

/// Reads the facts of states. Each different text is understood once.
pub struct StateReader<'a> {
    features: &'a Features,
    by_text: FxHashMap<String, FactId>,
    /// The same in lower case: traces are.
    by_folded: FxHashMap<String, FactId>,
    meanings: FxHashMap<String, Meaning>,
    /// The names that the theory mentions.
    names: FxHashSet<String>,
    shapes: FxHashSet<(String, usize)>,
}

/// A fact of a state that the theory does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFact {
    /// Its place in the list.
    pub number: usize,
    /// Why it is unknown.
    pub why: String,
}

impl<'a> StateReader<'a> {
    /// Prepares.
    pub fn new(features: &'a Features) -> StateReader<'a> {
        let texts = features.facts().map(|fact| (features.fact_kif(fact), fact));
        let by_text: FxHashMap<String, FactId> = texts.collect();
        let by_folded = by_text.iter().map(|(text, &fact)| (text.to_lowercase(), fact)).collect();
        let program = features.program();
        let mut names = FxHashSet::default();
        for rule in &program.rules {
            let in_body = rule.literals().flat_map(|literal| literal.terms().collect::<Vec<_>>());
            for term in rule.head.args.iter().copied().chain(in_body) {
                collect_names(&program.symbols, &program.terms, term, &mut names);
            }
        }
        let shapes = features.used_shapes();
        StateReader { features, by_text, by_folded, meanings: FxHashMap::default(), names, shapes }
    }

    /// The state in which exactly these facts are true.
    pub fn read(&mut self, facts: &[impl AsRef<str>]) -> Result<FactSet, UnknownFact> {
        let mut state = FactSet::new(self.features.fact_count());
        for (number, text) in facts.iter().enumerate() {
            let text = text.as_ref();
            if !self.meanings.contains_key(text) {
                let meaning = self.understand(text);
                self.meanings.insert(text.to_owned(), meaning);
            }
            match &self.meanings[text] {
                Meaning::Fact(fact) => state.set(*fact, true),
                Meaning::Ignored => {}
                Meaning::Unknown(why) => return Err(UnknownFact { number, why: why.clone() }),
            }
        }
        Ok(state)
    }

    fn understand(&self, text: &str) -> Meaning {
        match self.features.dialect() {
            Dialect::Game => self.understand_game(text),
            Dialect::Theory => self.understand_theory(text),
        }
    }

    fn understand_game(&self, text: &str) -> Meaning {
        let (mut symbols, mut terms) = (Symbols::default(), Terms::default());
        let Some(term) = read_ground_term(text, &mut symbols, &mut terms) else {
            return Meaning::Unknown(format!("`{text}` is not a fact"));
        };
        let mut plain = String::new();
        crate::flat::write_term(&symbols, &terms, term, &[], &mut plain);
        let folded = || self.by_folded.get(&plain.to_lowercase());
        match self.by_text.get(&plain).or_else(folded) {
            Some(&fact) => Meaning::Fact(fact),
            None => Meaning::Unknown(format!("the game never has a fact `{plain}`")),
        }
    }

    fn understand_theory(&self, text: &str) -> Meaning {
        let source = Source::new("fact", format!("{}.", text.trim().trim_end_matches('.')));
        let reading = read_theory(&source, &Default::default());
        let program = &reading.program;
        let is_sound = !reading.diagnostics.iter().any(|diagnostic| diagnostic.is_error());
        let [fact] = &program.rules[..] else {
            return Meaning::Unknown(format!("`{text}` is not a fact"));
        };
        let is_ground =
            fact.body.is_empty() && fact.head.args.iter().all(|&arg| program.terms.is_ground(arg));
        if !is_sound || !is_ground {
            return Meaning::Unknown(format!("`{text}` is not a fact"));
        }
        let (name, arity) = (program.name(fact.head.predicate), fact.head.args.len());
        if !self.features.is_dynamic(name, arity) {
            return Meaning::Unknown(format!("`{name}/{arity}` is not a dynamic predicate of the theory"));
        }
        match self.by_text.get(&plain(program, name, &fact.head.args)) {
            Some(&fact) => Meaning::Fact(fact),
            None => self.missing(program, text, (name, arity), &fact.head.args),
        }
    }

    /// The meaning of a fact of a dynamic predicate that no clause reads.
    fn missing(
        &self,
        program: &Program,
        text: &str,
        (name, arity): (&str, usize),
        args: &[TermId],
    ) -> Meaning {
        if self.features.is_closed(name, arity) {
            return Meaning::Unknown(format!("the theory has no fact `{text}`"));
        }
        if !self.shapes.contains(&(name.to_owned(), arity)) {
            return Meaning::Ignored;
        }
        let mut names = FxHashSet::default();
        args.iter().for_each(|&arg| collect_names(&program.symbols, &program.terms, arg, &mut names));
        let mut strange: Vec<&String> = names.difference(&self.names).collect();
        strange.sort_unstable();
        match strange.first() {
            Some(name) => Meaning::Unknown(format!("the name `{name}` does not occur in the theory")),
            None => Meaning::Ignored,
        }
    }
}

/// A fact as grounding prints it.
fn plain(program: &Program, name: &str, args: &[TermId]) -> String {
    let mut text = String::new();
    if !args.is_empty() {
        text.push('(');
    }
    text.push_str(name);
    for &arg in args {
        text.push(' ');
        crate::flat::write_term(&program.symbols, &program.terms, arg, &[], &mut text);
    }
    if !args.is_empty() {
        text.push(')');
    }
    text
}

fn collect_names(symbols: &Symbols, terms: &Terms, term: TermId, names: &mut FxHashSet<String>) {
    match terms.get(term) {
        Term::Variable(_) => {}
        Term::Constant(name) => _ = names.insert(symbols.name(name).to_owned()),
        Term::Compound(name, args) => {
            names.insert(symbols.name(name).to_owned());
            args.iter().for_each(|&arg| collect_names(symbols, terms, arg, names));
        }
    }
}

/// A fact of a theory as grounding prints it; `None` if it is none.
pub(super) fn plain_fact(text: &str) -> Option<String> {
    let source = Source::new("fact", format!("{}.", text.trim().trim_end_matches('.')));
    let program = read_theory(&source, &Default::default()).program;
    let [fact] = &program.rules[..] else { return None };
    Some(plain(&program, program.name(fact.head.predicate), &fact.head.args))
}

/// A ground term in a notation.
pub(super) fn in_notation(notation: Notation, kif: &str) -> String {
    if notation == Notation::Kif {
        return kif.to_owned();
    }
    let mut own = Program::default();
    match read_ground_term(kif, &mut own.symbols, &mut own.terms) {
        Some(term) => Printer::new(&own, Notation::Prolog).term(term, &[]),
        None => kif.to_owned(),
    }
}
