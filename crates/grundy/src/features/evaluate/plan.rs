//! [`Plan`]: a network, and what its nodes mean to the values of features.
//!
//! A value is read off *accumulators*. Each feature has one, to which the solutions of a count or a sum add their weight
//! while they are true. A minimum or a maximum has, besides, one for each value that its argument can have, which counts the solutions with that
//! value; the first or last that is not zero is the answer.

use super::Value;
use crate::ids::{Id, narrow};
use crate::network::{Network, NodeId, Signal};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What one node adds to an accumulator while it is true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) accumulator: u32,
    pub(super) weight: i64,
}

/// A feature that is read off several accumulators: the first that is not zero tells its value.
#[derive(Clone, Debug)]
pub(super) struct First {
    feature: u32,
    accumulators: Range<u32>,
    /// The value that each of them stands for.
    meanings: Box<[i64]>,
}

/// A solution of a feature: a signal of the network and, for aggregates, the value of the argument.
#[derive(Clone, Copy, Debug)]
pub(in crate::features) struct Solution {
    pub(in crate::features) feature: u32,
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
    /// For each node where its shares begin; at the end, how many there are.
    pub(super) starts: Vec<u32>,
    pub(super) shares: Vec<Share>,
    /// What the accumulators hold while every node is false.
    pub(super) bases: Vec<i64>,
    features: usize,
    /// Minima and maxima; all other features are read off the accumulators of their own number.
    firsts: Vec<First>,
    pub(in crate::features) solutions: Vec<Solution>,
}

impl Plan {
    /// Makes a plan; `summaries` has one entry for each feature.
    pub(in crate::features) fn new(
        network: Network,
        solutions: Vec<Solution>,
        summaries: &[Summary],
    ) -> Plan {
        let mut firsts: Vec<First> = Vec::new();
        let mut count = narrow(summaries.len());
        for (feature, summary) in summaries.iter().enumerate() {
            if matches!(summary, Summary::Count | Summary::Sum) {
                continue;
            }
            let own = solutions.iter().filter(|solution| solution.feature.index() == feature);
            let mut meanings: Vec<i64> = own.map(|solution| solution.argument).collect();
            meanings.sort_unstable();
            meanings.dedup();
            if *summary == Summary::Greatest {
                meanings.reverse();
            }
            let accumulators = count..count + narrow(meanings.len());
            count = accumulators.end;
            firsts.push(First { feature: narrow(feature), accumulators, meanings: meanings.into() });
        }
        let mut place_of: FxHashMap<(u32, i64), u32> = FxHashMap::default();
        for First { feature, accumulators, meanings } in &firsts {
            let own = accumulators.clone().zip(meanings);
            place_of.extend(own.map(|(accumulator, &meaning)| ((*feature, meaning), accumulator)));
        }
        let mut bases = vec![0; count.index()];
        let mut shares: Vec<(NodeId, Share)> = Vec::new();
        for solution in &solutions {
            let (accumulator, weight) = match summaries[solution.feature.index()] {
                Summary::Count => (solution.feature, 1),
                Summary::Sum => (solution.feature, solution.argument),
                Summary::Least | Summary::Greatest => (place_of[&(solution.feature, solution.argument)], 1),
            };
            // Node 0 is false: a constant signal needs no share.
            let weight_when_true = if solution.holds.is_inverted() { -weight } else { weight };
            bases[accumulator.index()] += if solution.holds.is_inverted() { weight } else { 0 };
            if solution.holds.node() != NodeId(0) {
                shares.push((solution.holds.node(), Share { accumulator, weight: weight_when_true }));
            }
        }
        let (starts, shares) = sort_shares(network.node_count(), shares);
        let facts = network.interface().fluents.len();
        let features = summaries.len();
        Plan { network, facts, starts, shares, bases, features, firsts, solutions }
    }

    /// What a node adds while it is true.
    pub(super) fn shares_of(&self, node: NodeId) -> &[Share] {
        &self.shares[self.starts[node.index()].index()..self.starts[node.index() + 1].index()]
    }

    /// Reads the values off the accumulators.
    #[inline]
    pub(super) fn read(&self, accumulator: impl Fn(usize) -> i64, values: &mut Vec<Value>) {
        values.clear();
        values.extend((0..self.features).map(|feature| Some(accumulator(feature))));
        for First { feature, accumulators, meanings } in &self.firsts {
            let own = (accumulators.start.index()..).zip(meanings);
            let first = own.into_iter().find(|(number, _)| accumulator(*number) != 0);
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
fn sort_shares(nodes: usize, mut shares: Vec<(NodeId, Share)>) -> (Vec<u32>, Vec<Share>) {
    shares.sort_by_key(|(node, share)| (*node, share.accumulator));
    let mut starts = vec![0; nodes + 1];
    let mut sorted: Vec<Share> = Vec::with_capacity(shares.len());
    let mut last = None;
    for (node, share) in shares {
        if last == Some((node, share.accumulator)) {
            sorted.last_mut().expect("there is a share before").weight += share.weight;
        } else {
            sorted.push(share);
        }
        last = Some((node, share.accumulator));
        starts[node.index() + 1] = narrow(sorted.len());
    }
    for node in 1..starts.len() {
        starts[node] = starts[node].max(starts[node - 1]);
    }
    (starts, sorted)
}
