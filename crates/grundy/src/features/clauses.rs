//! [`Clauses`]: the ground clauses of features, views in their bodies not yet unfolded.
//!
//! Static conditions are evaluated and gone; what is left are dynamic facts and views that depend on them. Facts are
//! numbered densely, in the order of grounding. Both kinds of tables are made from this.

use super::candidates::{Closed, add_candidates, unbound};
use super::conflicts::{Conflicts, Determined};
use super::error::{FeatureError, Location};
use super::literal::InputLiteral;
use super::merge::{Feature, Merged, observation_name, ungrouped};
use super::{FactId, FeatureConfig, FeatureId, HeadId};
use crate::flat::write_term;
use crate::ground::{AtomId, GroundConfig, GroundError, GroundLiteral, GroundProgram, LimitKind, ground};
use crate::ids::{Id, IdVec, ids};
use crate::network::RulesByHead;
use grundy_syntax::{Atom, Budget, Condition, Exhausted, Keyword, Rule, Span, Stage, Term, TermId, Ticks};
use rustc_hash::FxHashMap;

/// Stands for no fact: four bytes for each atom instead of the eight of an `Option`.
const NO_FACT: FactId = FactId(u32::MAX);

/// A solution that a feature can have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) feature: FeatureId,
    pub(super) atom: AtomId,
}

/// Ground clauses. See the module's documentation.
pub(super) struct Clauses {
    pub(super) merged: Merged,
    pub(super) ground: GroundProgram,
    pub(super) rules: RulesByHead,
    /// The atoms that are facts of the state.
    pub(super) facts: IdVec<FactId, AtomId>,
    /// For each atom the fact that it is, or [`NO_FACT`].
    fact_of: IdVec<AtomId, FactId>,
    /// By feature.
    pub(super) heads: IdVec<HeadId, Head>,
    pub(super) conflicts: Conflicts,
    /// The shapes of facts of which all candidates are known.
    pub(super) closed: Closed,
    /// The time and memory of the call that made them.
    pub(super) budget: Budget,
}

/// The function under which the instances of a constraint are seen.
const CONSTRAINT: &str = "constraint ";

/// Grounds a merged theory.
pub(super) fn ground_clauses(
    mut merged: Merged,
    known: &[Determined],
    config: &FeatureConfig,
) -> Result<Clauses, FeatureError> {
    let budget = &config.budget;
    let closed = add_candidates(&mut merged, budget)?;
    if config.constraints {
        add_constraints(&mut merged);
    }
    let ground_config = GroundConfig {
        faithful: true,
        max_rules: config.max_clauses,
        budget: config.budget.clone(),
        ..GroundConfig::default()
    };
    let ground = ground(&merged.program, &ground_config).map_err(|error| failure(&merged, error))?;
    budget.enter(Stage::Features);
    budget.check()?;
    let facts: IdVec<FactId, AtomId> = ground.atoms_of(Keyword::True).collect();
    let mut fact_of = IdVec::filled(NO_FACT, ground.atom_count().index());
    facts.entries().for_each(|(fact, &atom)| fact_of[atom] = fact);
    check_closed(&merged, &ground, facts.as_slice(), &closed)?;
    let rules = RulesByHead::new(&ground, budget)?;
    let (heads, constraints) = heads(&merged, &ground, budget)?;
    let literals = |&atom: &AtomId| -> Option<Vec<InputLiteral>> {
        let [rule] = *rules.of(atom) else { return None };
        rules.body(rule).iter().map(|literal| fact_literal(&fact_of, literal)).collect()
    };
    let bodies: Vec<Vec<InputLiteral>> = constraints.iter().filter_map(literals).collect();
    budget.check()?;
    let known = if config.constraints { known } else { &[] };
    let pairs = super::conflicts::exclusive(&ground, &facts, known, budget)?;
    let conflicts = Conflicts::new(facts.len(), bodies, pairs);
    budget.check()?;
    Ok(Clauses { budget: budget.clone(), merged, rules, facts, fact_of, heads, conflicts, closed, ground })
}

/// The literal of a condition about a fact.
fn fact_literal(fact_of: &IdVec<AtomId, FactId>, literal: &GroundLiteral) -> Option<InputLiteral> {
    let fact = fact_of[literal.atom];
    (fact != NO_FACT).then(|| InputLiteral::of_fact(fact, literal.positive))
}

/// Makes the instances of constraints visible: each is seen under its number, with all its variables.
fn add_constraints(merged: &mut Merged) {
    for (number, constraint) in merged.constraints.clone().into_iter().enumerate() {
        let program = &mut merged.program;
        let observer = program.roles()[0];
        let name = program.symbols.intern(&format!("{CONSTRAINT}{number}"));
        let args: Vec<TermId> =
            ids(constraint.variables.len()).map(|variable| program.terms.variable(variable)).collect();
        let percept = program.terms.compound(name, &args);
        let sees = program.predicate(Keyword::Sees.name(), 2);
        let span = Span::default();
        let body = constraint.body.into_iter().map(|literal| Condition { literal, span }).collect();
        let head = Atom { predicate: sees, args: Box::new([observer, percept]) };
        program.rules.push(Rule { head, body, variables: constraint.variables, span, head_span: span });
    }
}

/// A fact that binds variables, and has no candidate at all, is a clause that cannot be made ground.
fn check_closed(
    merged: &Merged,
    ground: &GroundProgram,
    facts: &[AtomId],
    closed: &Closed,
) -> Result<(), FeatureError> {
    let mut missing = closed.clone();
    for &fact in facts {
        let (template, _) = ground.atom_parts(fact);
        match ground.flat().terms.get(template[0]) {
            Term::Compound(name, args) => _ = missing.remove(&(name, args.len())),
            Term::Constant(name) => _ = missing.remove(&(name, 0)),
            // A column of its own: any name.
            Term::Variable(_) => return Ok(()),
        }
    }
    let mut findings: Vec<_> = missing.iter().map(|(shape, span)| unbound(merged, *shape, *span)).collect();
    findings.sort_by_key(|finding| finding.place);
    if findings.is_empty() { Ok(()) } else { Err(FeatureError::Wrong(findings)) }
}

/// The approximate work of reading a percept, in units of [`Ticks::work`].
const WORK_OF_HEAD: usize = 8;

/// The heads of features, and the atoms of constraints.
type Heads = (IdVec<HeadId, Head>, Vec<AtomId>);

/// The solutions that features can have, sorted by feature, and the instances of constraints.
fn heads(merged: &Merged, ground: &GroundProgram, budget: &Budget) -> Result<Heads, Exhausted> {
    let symbols = &ground.program().symbols;
    let by_name: FxHashMap<_, FeatureId> = ids(merged.features.len())
        .zip(&merged.features)
        .filter_map(|(id, feature)| Some((symbols.find(&observation_name(feature))?, id)))
        .collect();
    let mut heads: Vec<Head> = Vec::new();
    let mut constraints = Vec::new();
    let mut ticks = Ticks::default();
    for atom in ground.atoms_of(Keyword::Sees) {
        ticks.work(budget, WORK_OF_HEAD)?;
        let (template, row) = ground.atom_parts(atom);
        let terms = &ground.flat().terms;
        let percept = ungrouped(symbols, terms, template[1], &row);
        let (Term::Constant(name) | Term::Compound(name, _)) = terms.get(percept) else { continue };
        match by_name.get(&name) {
            Some(&feature) => heads.push(Head { feature, atom }),
            None if symbols.name(name).starts_with(CONSTRAINT) => constraints.push(atom),
            None => {}
        }
    }
    heads.sort_by_key(|head| (head.feature, head.atom));
    Ok((heads.into(), constraints))
}

impl Clauses {
    /// The features.
    pub(super) fn features(&self) -> &[Feature] {
        &self.merged.features
    }

    /// How many atoms there are.
    pub(super) fn atom_count(&self) -> usize {
        self.fact_of.len()
    }

    /// The fact that an atom is; views are none.
    #[inline]
    pub(super) fn fact_of(&self, atom: AtomId) -> Option<FactId> {
        Some(self.fact_of[atom]).filter(|&fact| fact != NO_FACT)
    }

    /// A clause of an atom.
    pub(super) fn place_of(&self, atom: AtomId) -> Location {
        let head = self.heads.iter().find(|head| head.atom == atom);
        match head {
            Some(head) => self.features()[head.feature.index()].place,
            None => self.merged.place_of(self.ground.predicate_of(atom)),
        }
    }

    /// The arguments of a head.
    pub(super) fn head_args(&self, head: HeadId) -> Vec<TermId> {
        let (template, row) = self.ground.atom_parts(self.heads[head].atom);
        let terms = &self.ground.flat().terms;
        match terms.get(ungrouped(&self.ground.program().symbols, terms, template[1], &row)) {
            Term::Compound(_, args) => args
                .iter()
                .map(|&arg| match terms.get(arg) {
                    Term::Variable(column) => TermId(row[column.index()]),
                    _ => arg,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// An argument of a head in KIF notation.
    pub(super) fn head_arg_text(&self, head: HeadId, argument: usize) -> String {
        let (_, row) = self.ground.atom_parts(self.heads[head].atom);
        let mut text = String::new();
        let arg = self.head_args(head)[argument];
        write_term(&self.ground.program().symbols, &self.ground.flat().terms, arg, &row, &mut text);
        text
    }

    /// A fact in KIF notation.
    pub(super) fn fact_text(&self, fact: FactId) -> String {
        self.ground.arg_text(self.facts[fact], 0)
    }
}

/// What a failure of grounding means for features.
fn failure(merged: &Merged, error: GroundError) -> FeatureError {
    match error {
        GroundError::Limit { limit, span, .. } => {
            let place = merged.place(span);
            let (message, hint) = match limit {
                LimitKind::TermDepth => (
                    "unfolding never ends: the terms of this clause grow without end",
                    "bound the recursion by a static condition",
                ),
                LimitKind::Timeout => {
                    ("unfolding takes too long (limit `timeout`)", "`--timeout S` raises the limit")
                }
                LimitKind::Conditions => ("this clause has too many conditions (limit `conditions`)", ""),
                LimitKind::Interrupt => ("interrupted", ""),
                LimitKind::Memory => (
                    "unfolding takes too much memory (limit `memory`)",
                    "`--max-memory BYTES` raises the limit",
                ),
                LimitKind::Rules => (
                    "there are too many ground clauses (limit `clauses`)",
                    "`--max-clauses N` raises the limit",
                ),
            };
            FeatureError::limit(limit.name(), place, message.to_owned(), hint)
        }
        GroundError::NegationCycle { span, .. } => {
            let message = "a predicate depends on its own negation".to_owned();
            FeatureError::wrong(merged.place(span), message, "in this clause", "")
        }
    }
}
