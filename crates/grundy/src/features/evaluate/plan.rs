//! [`Plan`]: a network, and what its nodes mean to the values of features.
//!
//! A value is read off *accumulators*. Each feature has one, to which the solutions of a count or a sum add their weight
//! while they are true. A minimum or a maximum has, besides, one for each value that its argument can have, which counts the solutions with that
//! value; the first or last that is not zero is the answer.

use super::Value;
use crate::features::{FeatureId, HeadId};
use crate::ids::{Csr, Id, IdVec, ids, narrow};
use crate::network::{Network, NodeId, Signal};
use rustc_hash::FxHashMap;
use std::ops::Range;

grundy_syntax::define_id! {
    /// A sum of weights from which a value is read. The first ones belong to the features of the same number.
    pub(super) struct AccumulatorId(u32);
}

impl AccumulatorId {
    fn of_feature(feature: FeatureId) -> AccumulatorId {
        AccumulatorId(feature.0)
    }
}

/// What one node adds to an accumulator while it is true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) accumulator: AccumulatorId,
    pub(super) weight: i64,
}

/// A feature that is read from several accumulators: the first that is not zero determines its value.
#[derive(Clone, Debug)]
pub(super) struct First {
    feature: FeatureId,
    accumulators: Range<u32>,
    /// The value that each of them stands for.
    meanings: Box<[i64]>,
}

/// A solution of a feature: a signal of the network and, for aggregates, the value of the argument.
#[derive(Clone, Copy, Debug)]
pub(in crate::features) struct Solution {
    pub(in crate::features) feature: FeatureId,
    pub(in crate::features) holds: Signal,
    pub(in crate::features) argument: i64,
}

/// What is made of the solutions of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::features) enum Summary {
    Count,
    Sum,
    Least,
    Greatest,
}

/// A network ready to be evaluated. See the module's documentation.
#[derive(Debug)]
pub struct Plan {
    pub(super) network: Network,
    pub(super) facts: usize,
    /// For each node what it adds while it is true.
    pub(super) shares: Csr<NodeId, Share>,
    /// What the accumulators hold while every node is false.
    pub(super) bases: IdVec<AccumulatorId, i64>,
    features: usize,
    /// Minima and maxima; all other features are read off the accumulators of their own number.
    firsts: Vec<First>,
    pub(in crate::features) solutions: IdVec<HeadId, Solution>,
}

impl Plan {
    /// Makes a plan; `summaries` has one entry for each feature.
    pub(in crate::features) fn new(
        network: Network,
        solutions: IdVec<HeadId, Solution>,
        summaries: &IdVec<FeatureId, Summary>,
    ) -> Plan {
        let mut firsts: Vec<First> = Vec::new();
        let mut count = narrow(summaries.len());
        for (feature, summary) in summaries.entries() {
            if matches!(summary, Summary::Count | Summary::Sum) {
                continue;
            }
            let own = solutions.iter().filter(|solution| solution.feature == feature);
            let mut meanings: Vec<i64> = own.map(|solution| solution.argument).collect();
            meanings.sort_unstable();
            meanings.dedup();
            if *summary == Summary::Greatest {
                meanings.reverse();
            }
            let accumulators = count..count + narrow(meanings.len());
            count = accumulators.end;
            firsts.push(First { feature, accumulators, meanings: meanings.into() });
        }
        let mut accumulator_of: FxHashMap<(FeatureId, i64), AccumulatorId> = FxHashMap::default();
        for First { feature, accumulators, meanings } in &firsts {
            let own = accumulators.clone().map(AccumulatorId).zip(meanings);
            accumulator_of.extend(own.map(|(accumulator, &meaning)| ((*feature, meaning), accumulator)));
        }
        let mut bases = IdVec::filled(0, count.index());
        let mut shares: Vec<(NodeId, Share)> = Vec::new();
        for solution in solutions.iter() {
            let &Solution { feature, argument, .. } = solution;
            let (accumulator, weight) = match summaries[feature] {
                Summary::Count => (AccumulatorId::of_feature(feature), 1),
                Summary::Sum => (AccumulatorId::of_feature(feature), argument),
                Summary::Least | Summary::Greatest => (accumulator_of[&(feature, argument)], 1),
            };
            // Node 0 is false: a constant signal needs no share.
            let weight_when_true = if solution.holds.is_inverted() { -weight } else { weight };
            bases[accumulator] += if solution.holds.is_inverted() { weight } else { 0 };
            if solution.holds.node() != NodeId(0) {
                shares.push((solution.holds.node(), Share { accumulator, weight: weight_when_true }));
            }
        }
        let shares = merged_shares(network.node_count(), shares);
        let facts = network.interface().fluents.len();
        let features = summaries.len();
        Plan { network, facts, shares, bases, features, firsts, solutions }
    }

    /// Reads the values off the accumulators.
    #[inline]
    pub(super) fn read(&self, accumulator: impl Fn(AccumulatorId) -> i64, values: &mut Vec<Value>) {
        values.clear();
        values.extend(ids(self.features).map(|own| Some(accumulator(own))));
        for First { feature, accumulators, meanings } in &self.firsts {
            let own = accumulators.clone().map(AccumulatorId).zip(meanings);
            let first = own.into_iter().find(|(own, _)| accumulator(*own) != 0);
            values[feature.index()] = first.map(|(_, meaning)| *meaning);
        }
    }

    /// The number of features.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }
}

/// Shares by node, those of one node for the same accumulator added up.
fn merged_shares(nodes: usize, mut shares: Vec<(NodeId, Share)>) -> Csr<NodeId, Share> {
    shares.sort_by_key(|(node, share)| (*node, share.accumulator));
    shares.dedup_by(|(node, share), (before, sum)| {
        let is_same = (*node, share.accumulator) == (*before, sum.accumulator);
        sum.weight += if is_same { share.weight } else { 0 };
        is_same
    });
    Csr::grouped(nodes, shares.iter().copied())
}
