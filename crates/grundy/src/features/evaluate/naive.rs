//! The baseline: the clauses evaluated bottom-up, anew for each state.
//!
//! This is what a deductive database does (the third line of table 3 of the paper), done as well as the engine can:
//! static predicates are evaluated once, joins are planned with the sizes that relations have in the first states, and
//! relations and indexes keep their memory.

use super::{FactSet, Value};
use crate::features::Features;
use crate::features::aggregate::Aggregate;
use crate::ground::write_term;
use crate::lifted::{Lifted, LiftedConfig, LiftedState};
use crate::reasoner::ReasonError;
use crate::tabling::Relation;
use grundy_syntax::{SymbolId, Symbols, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// Values features by evaluating their clauses.
pub struct Naive {
    lifted: Lifted,
    facts: Vec<TermId>,
    aggregates: Vec<Aggregate>,
    names: Vec<String>,
    /// The features by the name of what is seen.
    features: FxHashMap<SymbolId, usize>,
}

impl Naive {
    /// Prepares; everything static is evaluated.
    pub fn new(features: &Features) -> Result<Naive, ReasonError> {
        let mut lifted = Lifted::new(features.program(), &LiftedConfig::default())?;
        let texts = (0..features.fact_count() as u32).map(|fact| features.fact_kif(fact));
        let facts = texts.map(|text| lifted.fact(&text)).collect::<Result<Vec<_>, _>>()?;
        let aggregates = features.features().iter().map(|feature| feature.aggregate).collect();
        let names = features.features().iter().map(crate::features::merge::observation_name).collect();
        Ok(Naive { lifted, facts, aggregates, names, features: FxHashMap::default() })
    }

    /// Values all features in a state.
    pub fn value(&mut self, state: &FactSet, out: &mut Vec<Value>) -> Result<(), ReasonError> {
        let facts = state.iter().map(|fact| self.facts[fact as usize]).collect();
        let Naive { lifted, aggregates, names, features, .. } = self;
        out.clear();
        out.extend(aggregates.iter().map(|aggregate| match aggregate {
            Aggregate::Count | Aggregate::Sum(_) => Some(0),
            Aggregate::Min(_) | Aggregate::Max(_) => None,
        }));
        lifted.observe(&LiftedState::of(facts), |symbols, terms, shape, relation| {
            if features.is_empty() {
                let ids = names.iter().enumerate().filter_map(|(number, name)| Some((symbols.find(name)?, number)));
                features.extend(ids);
            }
            let (Term::Constant(name) | Term::Compound(name, _)) = terms.get(shape) else {
                return add_bare(terms, features, relation, out);
            };
            if let Some(&feature) = features.get(&name) {
                add(symbols, terms, (aggregates[feature], shape), relation, &mut out[feature]);
            }
        })
    }
}

/// Features without arguments may share a relation with one column, their names.
fn add_bare(terms: &Terms, features: &FxHashMap<SymbolId, usize>, relation: &Relation, out: &mut [Value]) {
    for row in 0..relation.len() {
        let last = relation.row(row).last().map(|&value| terms.get(TermId(value)));
        if let Some(Term::Constant(name)) = last
            && let Some(&feature) = features.get(&name)
            && let Some(value) = &mut out[feature]
        {
            *value += 1;
        }
    }
}

/// Adds the rows of a relation to the value of its feature.
fn add(
    symbols: &Symbols,
    terms: &Terms,
    (aggregate, shape): (Aggregate, TermId),
    relation: &Relation,
    value: &mut Value,
) {
    let Some(argument) = aggregate.argument() else {
        *value = value.map(|value| value + i64::from(relation.len()));
        return;
    };
    let Term::Compound(_, args) = terms.get(shape) else { return };
    for row in 0..relation.len() {
        let mut text = String::new();
        write_term(symbols, terms, args[argument], relation.row(row), &mut text);
        let Ok(number) = text.parse::<i64>() else { continue };
        *value = Some(match (aggregate, *value) {
            (Aggregate::Sum(_), before) => before.unwrap_or(0) + number,
            (_, None) => number,
            (Aggregate::Min(_), Some(before)) => before.min(number),
            (_, Some(before)) => before.max(number),
        });
    }
}
