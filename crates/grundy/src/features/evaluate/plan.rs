//! [`Plan`]: a network, and what its nodes mean to the values of features.
//!
//! A value is read off *accumulators*. A count or a sum has one, to which each solution adds its weight while it is true.
//! A minimum or a maximum has one for each value that its argument can have, which counts the solutions with that
//! value; the first or last that is not zero is the answer.

use super::Value;
use crate::network::{Network, NodeId, Signal};
use std::ops::Range;

/// What one node adds to an accumulator while it is true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) accumulator: u32,
    pub(super) weight: i64,
}

/// How the value of a feature is read.
#[derive(Clone, Debug)]
pub(super) enum Reading {
    Single(u32),
    /// Accumulators in the order in which they are looked at, and the value that each stands for.
    First(Range<u32>, Box<[i64]>),
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
    pub(super) readings: Vec<Reading>,
    /// Whether each feature has one accumulator.
    is_plain: bool,
    pub(in crate::features) solutions: Vec<Solution>,
}

impl Plan {
    /// Makes a plan; `summaries` has one entry for each feature.
    pub(in crate::features) fn new(
        network: Network,
        solutions: Vec<Solution>,
        summaries: &[Summary],
    ) -> Plan {
        let mut readings = Vec::new();
        let mut accumulators = 0;
        for (feature, summary) in summaries.iter().enumerate() {
            let first = accumulators;
            readings.push(match summary {
                Summary::Count | Summary::Sum => {
                    accumulators += 1;
                    Reading::Single(first)
                }
                Summary::Least | Summary::Greatest => {
                    let own = solutions.iter().filter(|solution| solution.feature as usize == feature);
                    let mut values: Vec<i64> = own.map(|solution| solution.argument).collect();
                    values.sort_unstable();
                    values.dedup();
                    if *summary == Summary::Greatest {
                        values.reverse();
                    }
                    accumulators += values.len() as u32;
                    Reading::First(first..accumulators, values.into())
                }
            });
        }
        let mut bases = vec![0; accumulators as usize];
        let mut shares: Vec<(NodeId, Share)> = Vec::new();
        for solution in &solutions {
            let (accumulator, weight) = match &readings[solution.feature as usize] {
                Reading::Single(one) if summaries[solution.feature as usize] == Summary::Sum => {
                    (*one, solution.argument)
                }
                Reading::Single(one) => (*one, 1),
                Reading::First(range, values) => {
                    let place = values.iter().position(|value| *value == solution.argument).unwrap_or(0);
                    (range.start + place as u32, 1)
                }
            };
            // Node 0 is false: a constant signal needs no share.
            let weight_when_true = if solution.holds.is_inverted() { -weight } else { weight };
            bases[accumulator as usize] += if solution.holds.is_inverted() { weight } else { 0 };
            if solution.holds.node() != NodeId(0) {
                shares.push((solution.holds.node(), Share { accumulator, weight: weight_when_true }));
            }
        }
        let (starts, shares) = sort_shares(network.node_count(), shares);
        let facts = network.interface().fluents.len();
        let is_plain = readings.iter().all(|reading| matches!(reading, Reading::Single(_)));
        Plan { network, facts, starts, shares, bases, readings, is_plain, solutions }
    }

    /// What a node adds while it is true.
    pub(super) fn shares_of(&self, node: NodeId) -> &[Share] {
        &self.shares[self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize]
    }

    /// Reads the values off the accumulators.
    #[inline]
    pub(super) fn read(&self, accumulators: &[i64], values: &mut Vec<Value>) {
        values.clear();
        if self.is_plain {
            // Nearly always: a value is an accumulator, and the compiler can copy them all at once.
            values.extend(accumulators.iter().map(|&value| Some(value)));
            return;
        }
        values.extend(self.readings.iter().map(|reading| match reading {
            Reading::Single(one) => Some(accumulators[*one as usize]),
            Reading::First(range, meanings) => {
                let own = &accumulators[range.start as usize..range.end as usize];
                own.iter().position(|&count| count != 0).map(|place| meanings[place])
            }
        }));
    }

    /// The number of features.
    pub fn features(&self) -> usize {
        self.readings.len()
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
        starts[node.index() + 1] = sorted.len() as u32;
    }
    for node in 1..starts.len() {
        starts[node] = starts[node].max(starts[node - 1]);
    }
    (starts, sorted)
}
