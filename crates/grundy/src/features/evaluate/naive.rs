//! The baseline: bottom-up evaluation of the clauses from scratch for each state.
//!
//! This is what a deductive database does (the third line of table 3 of the paper), done as well as the engine can:
//! static predicates are evaluated once, joins are planned with the sizes that relations have in the first states, and
//! relations and indexes keep their memory.

use super::{FactSet, Value};
use crate::datalog::Relation;
use crate::features::aggregate::Aggregate;
use crate::features::merge::observation_name;
use crate::features::merge::{GROUP, ungrouped};
use crate::features::{FactId, Feature, FeatureId, Features};
use crate::flat::write_term;
use crate::ids::{IdVec, ids};
use crate::lifted::{Lifted, LiftedConfig, LiftedState};
use crate::reasoner::ReasonError;
use grundy_syntax::{Program, SymbolId, Symbols, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// Values features by evaluating their clauses.
pub struct Naive {
    observer: Observer,
    facts: IdVec<FactId, TermId>,
}

impl Naive {
    /// Prepares; everything static is evaluated.
    pub fn new(features: &Features) -> Result<Naive, ReasonError> {
        let merged = &features.clauses.merged;
        let config = LiftedConfig { budget: features.clauses.budget.clone(), ..LiftedConfig::default() };
        let mut observer = Observer::new(&merged.program, &merged.features, &config)?;
        let texts = features.facts().map(|fact| features.fact_kif(fact));
        let facts = texts.map(|text| observer.lifted.fact(&text)).collect::<Result<_, _>>()?;
        Ok(Naive { observer, facts })
    }

    /// Values all features in a state.
    pub fn value(&mut self, state: &FactSet, out: &mut Vec<Value>) -> Result<(), ReasonError> {
        let facts = state.iter().map(|fact| self.facts[fact]).collect();
        self.observer.value(&LiftedState::of(facts), out)
    }
}

/// Counts what an observer sees in states.
pub(in crate::features) struct Observer {
    pub(in crate::features) lifted: Lifted,
    aggregates: IdVec<FeatureId, Aggregate>,
    names: Vec<String>,
    /// The features by the name of what is seen.
    features: FxHashMap<SymbolId, FeatureId>,
}

impl Observer {
    pub(in crate::features) fn new(
        program: &Program,
        features: &[Feature],
        config: &LiftedConfig,
    ) -> Result<Observer, ReasonError> {
        Ok(Observer {
            lifted: Lifted::new(program, config)?,
            aggregates: features.iter().map(|feature| feature.aggregate).collect(),
            names: features.iter().map(observation_name).collect(),
            features: FxHashMap::default(),
        })
    }

    pub(in crate::features) fn value(
        &mut self,
        state: &LiftedState,
        out: &mut Vec<Value>,
    ) -> Result<(), ReasonError> {
        let Observer { lifted, aggregates, names, features } = self;
        out.clear();
        out.extend(aggregates.iter().map(|aggregate| match aggregate {
            Aggregate::Count | Aggregate::Sum(_) => Some(0),
            Aggregate::Min(_) | Aggregate::Max(_) => None,
        }));
        lifted.observe(state, |symbols, terms, shape, relation| {
            if features.is_empty() {
                let named = ids(names.len()).zip(&*names);
                features.extend(named.filter_map(|(id, name)| Some((symbols.find(name)?, id))));
            }
            let one_feature = shape_is_feature(symbols, terms, shape);
            for row in 0..relation.len() {
                let percept = ungrouped(symbols, terms, shape, &relation.row(row).to_vec());
                let (Term::Constant(name) | Term::Compound(name, _)) = terms.get(percept) else { continue };
                let Some(&feature) = features.get(&name) else { continue };
                if one_feature {
                    return add(
                        symbols,
                        terms,
                        (aggregates[feature], percept),
                        relation,
                        &mut out[feature.index()],
                    );
                }
                let value = &mut out[feature.index()];
                add_one(symbols, terms, (aggregates[feature], percept), &[], value);
            }
        })
    }
}

/// Whether all rows of a relation belong to one feature.
fn shape_is_feature(symbols: &Symbols, terms: &Terms, mut shape: TermId) -> bool {
    while let Term::Compound(name, [inner]) = terms.get(shape) {
        if !symbols.name(name).starts_with(GROUP) {
            break;
        }
        shape = *inner;
    }
    !matches!(terms.get(shape), Term::Variable(_))
}

/// Adds the rows of a relation to the value of its feature.
fn add(
    symbols: &Symbols,
    terms: &Terms,
    (aggregate, shape): (Aggregate, TermId),
    relation: &Relation,
    value: &mut Value,
) {
    if aggregate == Aggregate::Count {
        *value = value.map(|value| value + i64::from(relation.len()));
        return;
    }
    for row in 0..relation.len() {
        add_one(symbols, terms, (aggregate, shape), &relation.row(row).to_vec(), value);
    }
}

/// Adds one solution, whose columns are given.
fn add_one(
    symbols: &Symbols,
    terms: &Terms,
    (aggregate, shape): (Aggregate, TermId),
    row: &[u32],
    value: &mut Value,
) {
    let (Some(argument), Term::Compound(_, args)) = (aggregate.argument(), terms.get(shape)) else {
        *value = value.map(|value| value + 1);
        return;
    };
    let mut text = String::new();
    write_term(symbols, terms, args[argument], row, &mut text);
    let Ok(number) = text.parse::<i64>() else { return };
    *value = Some(match (aggregate, *value) {
        (Aggregate::Sum(_), before) => before.unwrap_or(0) + number,
        (_, None) => number,
        (Aggregate::Min(_), Some(before)) => before.min(number),
        (_, Some(before)) => before.max(number),
    });
}
