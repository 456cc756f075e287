//! [`Tables`]: compiled features, of one kind or the other, and what they become for the evaluators.

use super::aggregate::Aggregate;
use super::clauses::Clauses;
use super::conjunctions::ConjunctionId;
use super::error::FeatureError;
use super::evaluate::{Plan, Solution, Summary};
use super::flat::{FlatTables, OrRowId, unfold};
use super::needed::needed;
use super::shared::{inputs, share};
use super::{FeatureConfig, FeatureId, Features, HeadId};
use crate::ids::{Id, IdVec, wide};
use crate::network::{Builder, Kind, Network, NodeId, Percept, RoleId, Signal, split_wide};
use grundy_syntax::{Budget, Exhausted, Ticks};
use std::sync::Arc;

/// A layout of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// The two levels of the paper.
    Flat,
    /// As many levels as there are views.
    Shared,
}

/// How large tables are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Ground clauses: of the features, for flat tables; of features and views, for shared ones.
    pub ground_clauses: u64,
    /// Rows of the and-table, or conjunctions of the network.
    pub and_rows: usize,
    /// Rows of the or-table, or disjunctions of the network.
    pub or_rows: usize,
    /// The memory of the tables.
    pub bytes: usize,
}

/// Compiled features.
pub struct Tables {
    layout: Layout,
    ground_clauses: u64,
    /// The time and memory of the call that made them.
    budget: Budget,
}

enum Layout {
    Flat(FlatTables),
    Shared(Network),
}

/// Limit: the inputs of a node. The incremental evaluator counts them in 15 bits, the rest of a cell.
const MOST_COUNTED_INPUTS: usize = 30_000;

impl Tables {
    pub(super) fn new(
        clauses: &Clauses,
        kind: TableKind,
        config: &FeatureConfig,
    ) -> Result<Tables, FeatureError> {
        let budget = config.budget.clone();
        Ok(match kind {
            TableKind::Flat => {
                let flat = unfold(clauses, config)?;
                let ground_clauses = flat.clauses.iter().sum();
                Tables { layout: Layout::Flat(flat), ground_clauses, budget }
            }
            TableKind::Shared => {
                let atoms = needed(clauses)?.into_iter().flat_map(|component| component.atoms);
                let ground_clauses = atoms.map(|atom| wide(clauses.rules.of(atom).len())).sum();
                Tables { layout: Layout::Shared(share(clauses, &budget)?), ground_clauses, budget }
            }
        })
    }

    /// The layout.
    pub fn kind(&self) -> TableKind {
        match self.layout {
            Layout::Flat(_) => TableKind::Flat,
            Layout::Shared(_) => TableKind::Shared,
        }
    }

    /// How large they are.
    pub fn sizes(&self) -> Sizes {
        let ground_clauses = self.ground_clauses;
        match &self.layout {
            Layout::Flat(flat) => {
                let (and_rows, or_rows) = (flat.and_rows.len(), flat.or_rows.len());
                Sizes { ground_clauses, and_rows, or_rows, bytes: flat.bytes() }
            }
            Layout::Shared(network) => {
                let of_kind = |kind| network.gates().filter(|&node| network.kind(node) == kind).count();
                // A kind and a place for each node, and a number for each edge and each head.
                let bytes = network.node_count() * 5
                    + network.edge_count() * 4
                    + network.interface().sees[RoleId(0)].len() * 4;
                Sizes { ground_clauses, and_rows: of_kind(Kind::And), or_rows: of_kind(Kind::Or), bytes }
            }
        }
    }

    /// For flat tables: the number of ground clauses of each feature.
    pub fn clauses_by_feature(&self) -> Option<&[u64]> {
        match &self.layout {
            Layout::Flat(flat) => Some(flat.clauses.as_slice()),
            Layout::Shared(_) => None,
        }
    }

    /// What the evaluators work on.
    pub fn plan(&self, features: &Features) -> Result<Arc<Plan>, FeatureError> {
        let clauses = &features.clauses;
        let budget = &self.budget;
        budget.check()?;
        let network = match &self.layout {
            Layout::Flat(flat) => flat_network(clauses, flat, budget)?,
            Layout::Shared(network) => {
                budget.check_room(network.node_count() * 5 + network.edge_count() * 4)?;
                network.clone()
            }
        };
        let network = split_wide(network, MOST_COUNTED_INPUTS, budget)?;
        budget.check()?;
        let signals = &network.interface().sees[RoleId(0)];
        let solutions = clauses.heads.entries().zip(signals).map(|((id, head), percept)| Solution {
            feature: head.feature,
            holds: percept.holds,
            argument: argument(clauses, id).unwrap_or(0),
        });
        let solutions = solutions.collect();
        let summaries: IdVec<FeatureId, Summary> =
            clauses.features().iter().map(|feature| summary(feature.aggregate)).collect();
        let plan = Plan::new(network, solutions, &summaries);
        budget.check()?;
        Ok(Arc::new(plan))
    }
}

fn summary(aggregate: Aggregate) -> Summary {
    match aggregate {
        Aggregate::Count => Summary::Count,
        Aggregate::Sum(_) => Summary::Sum,
        Aggregate::Min(_) => Summary::Least,
        Aggregate::Max(_) => Summary::Greatest,
    }
}

/// The number that an aggregate looks at in a solution; `None` if it looks at none, or at something else.
fn argument(clauses: &Clauses, head: HeadId) -> Option<i64> {
    let feature = &clauses.features()[clauses.heads[head].feature.index()];
    let argument = feature.aggregate.argument()?;
    clauses.head_arg_text(head, argument).parse().ok()
}

/// The approximate work of reading the argument of a solution, in units of [`Ticks::work`].
const WORK_OF_ARGUMENT: usize = 16;

/// Aggregates are about numbers.
pub(super) fn check_arguments(clauses: &Clauses, budget: &Budget) -> Result<(), FeatureError> {
    let mut ticks = Ticks::default();
    for (id, head) in clauses.heads.entries() {
        ticks.work(budget, WORK_OF_ARGUMENT)?;
        let feature = &clauses.features()[head.feature.index()];
        if let Some(place) = feature.aggregate.argument()
            && argument(clauses, id).is_none()
        {
            let text = clauses.head_arg_text(id, place);
            let message = format!(
                "argument {} of `{}` can be `{text}`, which is not a number",
                place + 1,
                feature.column()
            );
            let hint = "minimum, maximum and sum are for whole numbers; every feature can be counted";
            return Err(FeatureError::wrong(feature.place, message, "in this feature", hint));
        }
    }
    Ok(())
}

/// The approximate work of making a node, in units of [`Ticks::work`].
const WORK_OF_NODE: usize = 16;

/// Flat tables as a network.
fn flat_network(clauses: &Clauses, flat: &FlatTables, budget: &Budget) -> Result<Network, Exhausted> {
    let mut interface = inputs(clauses);
    let rows = flat.and_rows.len();
    let mut writer = Writer {
        builder: Builder::with_capacity(&interface, rows, rows * 4),
        flat,
        ands: IdVec::filled(None, rows),
        ors: IdVec::filled(None, flat.or_rows.len()),
        auxiliary: Vec::new(),
        budget,
        ticks: Ticks::default(),
    };
    for &row in &flat.auxiliary {
        let signal = writer.or(row)?;
        writer.auxiliary.push(signal);
    }
    let mut percept =
        |&row: &OrRowId| Ok(Percept { text: String::new(), holds: writer.or(row)?, about: None });
    interface.sees = vec![flat.heads.iter().map(&mut percept).collect::<Result<_, Exhausted>>()?].into();
    Ok(writer.builder.finish(interface))
}

struct Writer<'a> {
    builder: Builder,
    flat: &'a FlatTables,
    ands: IdVec<ConjunctionId, Option<Signal>>,
    ors: IdVec<OrRowId, Option<Signal>>,
    /// The auxiliary inputs, as far as they are made.
    auxiliary: Vec<Signal>,
    budget: &'a Budget,
    ticks: Ticks,
}

impl Writer<'_> {
    fn or(&mut self, row: OrRowId) -> Result<Signal, Exhausted> {
        if let Some(known) = self.ors[row] {
            return Ok(known);
        }
        self.ticks.work(self.budget, WORK_OF_NODE * (1 + self.flat.or_rows[row].len()))?;
        let mut inputs: Vec<Signal> = self.flat.or_rows[row].iter().map(|&id| self.and(id)).collect();
        let signal = match inputs.contains(&Signal::TRUE) {
            true => Signal::TRUE,
            false => self.builder.gate(Kind::Or, &mut inputs),
        };
        self.ors[row] = Some(signal);
        Ok(signal)
    }

    fn and(&mut self, id: ConjunctionId) -> Signal {
        if let Some(known) = self.ands[id] {
            return known;
        }
        let mut inputs = Vec::new();
        for literal in self.flat.and_rows.literals(id) {
            let input = match literal.input().checked_sub(self.flat.facts) {
                Some(auxiliary) => self.auxiliary[auxiliary.index()],
                None => Signal::of(NodeId(1 + literal.input())),
            };
            inputs.push(input.inverted_if(literal.is_negated()));
        }
        inputs.retain(|&input| input != Signal::TRUE);
        let signal = match inputs.contains(&Signal::FALSE) {
            true => Signal::FALSE,
            false => self.builder.gate(Kind::And, &mut inputs),
        };
        self.ands[id] = Some(signal);
        signal
    }
}
