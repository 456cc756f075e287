//! One program from a theory and its features.
//!
//! The stages after this one work on games. So a theory becomes a game here, by two encodings:
//!
//! - A dynamic fact `owns(x, a1)` of the theory becomes the condition `true(owns(x, a1))`. A feature file for a game is
//!   written with `true` already.
//! - A feature `f(X, Y)` becomes a percept of an observer: `sees(observer, f(X, Y)) ← f(X, Y)` (`observe`). Percepts are
//!   outputs of every engine, so that grounding, networks and the lifted engine evaluate features without knowing them.
//!
//! The merger copies both programs into one, predicate by predicate: `target` decides whether a predicate stays one or
//! becomes a function in `true`, and renames what would otherwise be a keyword. Spans of the features are shifted behind
//! those of the theory, so that one span identifies the text that it belongs to. Clauses that depend on moves are left
//! out, since a feature is valued in a single state. `check` reports conditions that no fact and no clause can satisfy.

mod check;
mod observe;

pub(super) use observe::{GROUP, observation_name, ungrouped};

use super::aggregate::Aggregate;
use super::error::{FeatureError, File, Finding, Location};
use crate::metarules::{copy_term, predicates_above};
use check::known_names;
use grundy_syntax::{
    Atom, Budget, Condition, Dialect, Exhausted, Keyword, Literal, PredicateId, Program, Rule, Span,
    SymbolId, Term, TermId, Ticks,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A feature: a predicate whose solutions are counted.
#[derive(Clone, Debug)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Its number of arguments.
    pub arity: usize,
    /// What is made of its solutions.
    pub aggregate: Aggregate,
    /// Its first clause.
    pub place: Location,
    /// How many clauses it has.
    pub clauses: usize,
    pub(crate) predicate: PredicateId,
}

impl Feature {
    /// `name/arity`, as columns are named.
    pub fn column(&self) -> String {
        format!("{}/{}", self.name, self.arity)
    }
}

/// A constraint: conditions that never hold together.
#[derive(Clone, Debug)]
pub(super) struct MergedConstraint {
    pub(super) body: Vec<Literal>,
    pub(super) variables: Vec<SymbolId>,
}

/// A theory and its features as one game.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    pub(super) program: Program,
    pub(super) features: Vec<Feature>,
    pub(super) constraints: Vec<MergedConstraint>,
    /// The dynamic predicates of a theory, by name and number of arguments.
    pub(super) dynamic: FxHashSet<(SymbolId, usize)>,
    pub(super) dialect: Dialect,
    /// Clauses of the theory and of the features, as they are written.
    pub(super) clauses: usize,
    /// Places behind this one are places of the features.
    offset: u32,
}

impl Merged {
    /// The place of a rule.
    pub(super) fn place(&self, span: Span) -> Location {
        if span.start >= self.offset {
            let span = Span::new(span.start - self.offset, span.end - self.offset);
            return Location { file: File::Features, span };
        }
        Location { file: File::Theory, span }
    }

    /// The first rule of a predicate, or the features as a whole.
    pub(super) fn place_of(&self, predicate: PredicateId) -> Location {
        let rule = self.program.rules.iter().find(|rule| rule.head.predicate == predicate);
        rule.map_or(Location { file: File::Features, span: Span::default() }, |rule| self.place(rule.span))
    }
}

/// Which predicates are features.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Predicates of the theory that are valued as well, by name and number of arguments.
    pub also: Vec<(String, usize)>,
    /// Of the features, these alone, as `name/arity`; the others are there to be used by them.
    pub only: Option<Vec<String>>,
}

/// Merges a theory and its features.
pub(super) fn merge(
    theory: &Program,
    features: &Program,
    selection: &Selection,
    budget: &Budget,
) -> Result<Merged, FeatureError> {
    let mut merger = Merger::new(theory, features, budget);
    merger.add_theory()?;
    merger.add_features()?;
    if let Some(only) = &selection.only {
        merger.features.retain(|feature| only.contains(&feature.column()));
    }
    merger.also(selection);
    merger.check_conditions()?;
    if merger.findings.is_empty() && merger.features.is_empty() {
        merger.find(File::Features, Span::default(), "there is no feature here", "", HOW_TO);
    }
    if !merger.findings.is_empty() {
        merger.findings.sort_by_key(|finding| finding.place);
        merger.findings.dedup();
        return Err(FeatureError::Wrong(merger.findings));
    }
    budget.check()?;
    Ok(merger.finish()?)
}

const HOW_TO: &str =
    "a feature is a clause: `pieces(S) :- owns(black, S).`, in KIF `(<= (pieces ?s) (true (owns black ?s)))`";

/// The functor of features in KIF sheets, as in `(feature mobility ?m)`. It is optional.
const FEATURE: &str = "feature";

struct Merger<'a> {
    theory: &'a Program,
    source: &'a Program,
    program: Program,
    features: Vec<Feature>,
    constraints: Vec<MergedConstraint>,
    dynamic: FxHashSet<(SymbolId, usize)>,
    offset: u32,
    findings: Vec<Finding>,
    /// Predicates of either program in the merged one.
    map: FxHashMap<(File, PredicateId), Target>,
    /// Whether features are written as `(feature name …)`.
    wrapped: bool,
    /// The names and numbers of arguments of all that has a rule, and of all that is declared, in both programs.
    known: FxHashSet<(String, usize)>,
    defined: FxHashSet<PredicateId>,
    budget: Budget,
    ticks: Ticks,
}

/// The work of copying a condition, in units of [`Ticks::work`]: a guess.
const WORK_OF_CONDITION: usize = 16;

/// What a predicate becomes.
#[derive(Clone, Copy, Debug)]
enum Target {
    Predicate(PredicateId),
    /// A function in `true`.
    Fact(SymbolId),
}

impl<'a> Merger<'a> {
    fn new(theory: &'a Program, source: &'a Program, budget: &Budget) -> Merger<'a> {
        let ends = theory.rules.iter().map(|rule| rule.span.end);
        let ends = ends.chain(theory.constraints.iter().map(|constraint| constraint.span.end));
        let offset = ends.max().unwrap_or(0) + 1;
        let program = match theory.dialect {
            Dialect::Game => theory.clone(),
            Dialect::Theory => Program::new(Dialect::Game),
        };
        let wrapped = source.rules.iter().any(|rule| wrapped_name(source, &rule.head).is_some());
        Merger {
            theory,
            source,
            program,
            features: Vec::new(),
            constraints: Vec::new(),
            dynamic: FxHashSet::default(),
            offset,
            findings: Vec::new(),
            map: FxHashMap::default(),
            wrapped,
            known: [theory, source].into_iter().flat_map(known_names).collect(),
            defined: theory.rules.iter().map(|rule| rule.head.predicate).collect(),
            budget: budget.clone(),
            ticks: Ticks::default(),
        }
    }

    fn find(&mut self, file: File, span: Span, message: &str, label: &str, hint: &str) {
        let place = Location { file, span };
        self.findings.push(Finding {
            place,
            message: message.into(),
            label: label.into(),
            hint: hint.into(),
        });
    }

    fn add_theory(&mut self) -> Result<(), Exhausted> {
        let theory = self.theory;
        if theory.dialect == Dialect::Game {
            // Percepts of the game are dropped: those of the features take their place.
            if let Some(sees) = theory.keyword(Keyword::Sees) {
                self.program.rules.retain(|rule| rule.head.predicate != sees);
            }
            return Ok(());
        }
        for program in [theory, self.source] {
            for declaration in &program.dynamic {
                let info = program.info(declaration.predicate);
                let name = self.program.symbols.intern(program.symbols.name(info.name));
                self.dynamic.insert((name, info.arity));
            }
        }
        let observer = self.program.symbols.intern("observer");
        let observer = self.program.terms.constant(observer);
        let role = self.program.predicate(Keyword::Role.name(), 1);
        self.program.rules.push(fact(Atom { predicate: role, args: Box::new([observer]) }));
        let by_moves = by_moves(theory);
        for rule in theory.rules.iter().filter(|rule| !by_moves.contains(&rule.head.predicate)) {
            self.ticks.work(&self.budget, WORK_OF_CONDITION * (1 + rule.body.len()))?;
            let rule = self.import_rule(File::Theory, rule);
            self.program.rules.push(rule);
        }
        for constraint in &theory.constraints {
            self.ticks.work(&self.budget, WORK_OF_CONDITION * (1 + constraint.body.len()))?;
            self.add_constraint(File::Theory, constraint);
        }
        Ok(())
    }

    fn add_constraint(&mut self, file: File, constraint: &grundy_syntax::Constraint) {
        let body = constraint.body.iter().map(|condition| self.import_literal(file, &condition.literal));
        let body = body.collect();
        let variables = self.import_names(file, &constraint.variables);
        self.constraints.push(MergedConstraint { body, variables });
    }

    fn add_features(&mut self) -> Result<(), Exhausted> {
        let source = self.source;
        for rule in &source.rules {
            self.ticks.work(&self.budget, WORK_OF_CONDITION * (1 + rule.body.len()))?;
            let (name, arity) = own_name(source, &rule.head);
            if self.is_taken(rule, &name, arity) {
                continue;
            }
            let mut imported = self.import_rule(File::Features, rule);
            if !self.wrapped || wrapped_name(source, &rule.head).is_some() {
                self.add_feature(rule, &mut imported, name, arity);
            }
            self.program.rules.push(imported);
        }
        for constraint in &source.constraints {
            self.add_constraint(File::Features, constraint);
        }
        Ok(())
    }

    /// Whether the head of a clause of the features is something else already.
    fn is_taken(&mut self, rule: &Rule, name: &str, arity: usize) -> bool {
        let theory = self.theory;
        let Some(known) = theory.find_predicate(name, arity) else { return false };
        let is_defined = self.defined.contains(&known);
        let is_given = theory.dynamic.iter().any(|other| other.predicate == known);
        if is_defined || is_given || theory.info(known).keyword.is_some() {
            let what = if is_given { "is a dynamic fact of" } else { "is defined by" };
            let message = format!("`{name}/{arity}` {what} the theory already");
            self.find(File::Features, rule.head_span, &message, "", "give the feature a name of its own");
            return true;
        }
        false
    }

    fn add_feature(&mut self, rule: &Rule, imported: &mut Rule, name: String, arity: usize) {
        let found = Aggregate::of_head(&self.program, &mut imported.head.args);
        let known = self.features.iter_mut().find(|one| one.predicate == imported.head.predicate);
        let place = Location { file: File::Features, span: rule.span };
        match (found, known) {
            (Err(message), _) => self.find(File::Features, rule.head_span, message, "", ""),
            (Ok(aggregate), Some(feature)) => {
                feature.clauses += 1;
                if feature.aggregate != aggregate {
                    let message = format!("the clauses of `{name}/{arity}` have different aggregates");
                    let hint = "all clauses of a feature say the same: `f(max(N))` in each head";
                    self.find(File::Features, rule.head_span, &message, "", hint);
                }
            }
            (Ok(aggregate), None) => {
                let predicate = imported.head.predicate;
                self.features.push(Feature { name, arity, aggregate, place, clauses: 1, predicate });
            }
        }
    }

    /// Makes features of predicates of the theory.
    fn also(&mut self, selection: &Selection) {
        let theory = self.theory;
        for (name, arity) in &selection.also {
            let known = theory.find_predicate(name, *arity);
            let rule = known.and_then(|known| theory.rules.iter().find(|rule| rule.head.predicate == known));
            let (Some(known), Some(rule)) = (known, rule) else {
                let message = format!("the theory has no rule for `{name}/{arity}`");
                self.find(File::Theory, Span::default(), &message, "", "");
                continue;
            };
            let predicate = match theory.dialect {
                Dialect::Game => known,
                Dialect::Theory => match self.target(File::Theory, known) {
                    Target::Predicate(predicate) => predicate,
                    Target::Fact(_) => continue,
                },
            };
            let place = Location { file: File::Theory, span: rule.span };
            let clauses = theory.rules.iter().filter(|rule| rule.head.predicate == known).count();
            let (name, aggregate) = (name.clone(), Aggregate::Count);
            self.features.push(Feature { name, arity: *arity, aggregate, place, clauses, predicate });
        }
    }

    fn import_names(&mut self, file: File, names: &[SymbolId]) -> Vec<SymbolId> {
        let from = self.from(file);
        names.iter().map(|&name| self.program.symbols.intern(from.symbols.name(name))).collect()
    }

    fn from(&self, file: File) -> &'a Program {
        match file {
            File::Theory => self.theory,
            File::Features => self.source,
        }
    }

    fn import_rule(&mut self, file: File, rule: &Rule) -> Rule {
        let offset = if file == File::Features { self.offset } else { 0 };
        let moved = |span: Span| Span::new(span.start + offset, span.end + offset);
        let head = self.import_atom(file, &rule.head);
        let conditions = rule.body.iter().map(|condition| Condition {
            literal: self.import_literal(file, &condition.literal),
            span: moved(condition.span),
        });
        let body = conditions.collect();
        let variables = self.import_names(file, &rule.variables);
        Rule { head, body, variables, span: moved(rule.span), head_span: moved(rule.head_span) }
    }

    fn import_literal(&mut self, file: File, literal: &Literal) -> Literal {
        match literal {
            Literal::Holds(atom) => Literal::Holds(self.import_atom(file, atom)),
            Literal::Not(atom) => Literal::Not(self.import_atom(file, atom)),
            Literal::Distinct(a, b) => {
                Literal::Distinct(self.import_term(file, *a), self.import_term(file, *b))
            }
        }
    }

    fn import_term(&mut self, file: File, term: TermId) -> TermId {
        let from = self.from(file);
        copy_term((&from.symbols, &from.terms), term, (&mut self.program.symbols, &mut self.program.terms))
    }

    fn import_atom(&mut self, file: File, atom: &Atom) -> Atom {
        let from = self.from(file);
        let args: Vec<TermId> = atom.args.iter().map(|&arg| self.import_term(file, arg)).collect();
        if let Some(name) = wrapped_name(from, atom).filter(|_| file == File::Features) {
            let predicate = self.plain_predicate(&name, args.len() - 1);
            return Atom { predicate, args: args[1..].into() };
        }
        match self.target(file, atom.predicate) {
            Target::Predicate(predicate) => Atom { predicate, args: args.into() },
            Target::Fact(function) => {
                let fact = self.program.terms.compound(function, &args);
                Atom { predicate: self.program.predicate(Keyword::True.name(), 1), args: Box::new([fact]) }
            }
        }
    }

    fn target(&mut self, file: File, predicate: PredicateId) -> Target {
        if let Some(&known) = self.map.get(&(file, predicate)) {
            return known;
        }
        let from = self.from(file);
        let info = from.info(predicate);
        let text = from.symbols.name(info.name);
        let name = self.program.symbols.intern(text);
        let target = if self.dynamic.contains(&(name, info.arity)) {
            Target::Fact(name)
        } else if info.keyword.is_some() {
            Target::Predicate(self.program.predicate(text, info.arity))
        } else {
            Target::Predicate(self.plain_predicate(text, info.arity))
        };
        self.map.insert((file, predicate), target);
        target
    }

    /// The predicate of a name that is no keyword, whatever it looks like.
    fn plain_predicate(&mut self, name: &str, arity: usize) -> PredicateId {
        let mut name = name.to_owned();
        while Keyword::find(&name).is_some() {
            name.push('\'');
        }
        self.program.predicate(&name, arity)
    }

    fn finish(mut self) -> Result<Merged, Exhausted> {
        let used: FxHashSet<PredicateId> = {
            let literals = self.program.rules.iter().flat_map(Rule::literals);
            let of_rules = literals.filter_map(Literal::atom).map(|atom| atom.predicate);
            let of_constraints = self.constraints.iter().flat_map(|constraint| &constraint.body);
            of_rules.chain(of_constraints.filter_map(Literal::atom).map(|atom| atom.predicate)).collect()
        };
        for (number, feature) in self.features.clone().iter().enumerate() {
            self.budget.check()?;
            let is_keyword = self.program.info(feature.predicate).keyword.is_some();
            if is_keyword || used.contains(&feature.predicate) {
                let rule = self.observation(number, feature);
                self.program.rules.push(rule);
            } else {
                self.observe_directly(number, feature);
            }
        }
        Ok(Merged {
            program: self.program,
            features: self.features,
            constraints: self.constraints,
            dynamic: self.dynamic,
            dialect: self.theory.dialect,
            clauses: self.theory.rules.len() + self.source.rules.len(),
            offset: self.offset,
        })
    }
}

/// A fact without a place.
fn fact(head: Atom) -> Rule {
    let span = Span::default();
    Rule { head, body: Vec::new(), variables: Vec::new(), span, head_span: span }
}

/// The name of a feature that is written as `(feature name …)`.
fn wrapped_name(program: &Program, atom: &Atom) -> Option<String> {
    if program.name(atom.predicate) != FEATURE || atom.args.is_empty() {
        return None;
    }
    match program.terms.get(atom.args[0]) {
        Term::Constant(name) => Some(program.symbols.name(name).to_owned()),
        _ => None,
    }
}

/// The name and number of arguments of what an atom is about, `feature` taken off.
fn own_name(program: &Program, atom: &Atom) -> (String, usize) {
    match wrapped_name(program, atom) {
        Some(name) => (name, atom.args.len() - 1),
        None => (program.name(atom.predicate).to_owned(), atom.args.len()),
    }
}

/// The predicates of a theory that depend on moves: `next`, and those that depend on `does`.
fn by_moves(theory: &Program) -> FxHashSet<PredicateId> {
    let moves = [("does", 1), ("next", 1)];
    predicates_above(theory, moves.into_iter().filter_map(|(name, arity)| theory.find_predicate(name, arity)))
}

/// These predicates, and all that they depend on.
pub(super) fn predicates_below(
    program: &Program,
    above: impl IntoIterator<Item = PredicateId>,
) -> FxHashSet<PredicateId> {
    let mut rules: FxHashMap<PredicateId, Vec<&Rule>> = FxHashMap::default();
    program.rules.iter().for_each(|rule| rules.entry(rule.head.predicate).or_default().push(rule));
    let mut open: Vec<PredicateId> = above.into_iter().collect();
    let mut found: FxHashSet<PredicateId> = FxHashSet::default();
    while let Some(predicate) = open.pop() {
        if found.insert(predicate) {
            let own = rules.get(&predicate).into_iter().flatten();
            open.extend(
                own.flat_map(|rule| rule.literals().filter_map(Literal::atom)).map(|atom| atom.predicate),
            );
        }
    }
    found
}
