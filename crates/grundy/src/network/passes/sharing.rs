//! Common subexpressions: sub-conjunctions and sub-disjunctions that several nodes share become nodes.
//!
//! Pairs of inputs are counted over all nodes of a kind; each node then extracts its most common pairs, as long as
//! enough other nodes do the same. A few rounds build larger parts from pairs. Fluents that change at every step, such as
//! the turn, are in no pair: the pair would change at every step, too, and such fluents become guards.

use super::Groups;
use crate::ids::BitSet;
use crate::network::rewrite::rewrite;
use crate::network::{Kind, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted, Ticks};
use rustc_hash::FxHashMap;

/// The fewest readers of a pair. Derived: a pair costs two edges and a node, and saves one edge for each reader.
const FEWEST_READERS: u32 = 4;

/// Gates with more inputs are left alone: the number of pairs is quadratic. A guess.
const MAX_PAIRED_INPUTS: usize = 64;

/// Parts of up to `2^ROUNDS` inputs are found. A guess.
const ROUNDS: usize = 3;

/// Networks with more pairs are left alone: a bound on time and memory, a guess.
const MAX_COUNTED_PAIRS: usize = 20_000_000;

/// The work for a pair, as [`Ticks`] count it: a guess.
const WORK: usize = 4;

type Pair = (Kind, Signal, Signal);

pub(super) fn run(network: &Network, groups: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    let mut shared = network.clone();
    for _ in 0..ROUNDS {
        let Some(next) = share_pairs(&shared, groups, budget)? else { break };
        shared = next;
    }
    Ok(shared)
}

/// Extracts pairs; `None` if no pair has enough readers.
fn share_pairs(network: &Network, groups: &Groups, budget: &Budget) -> Result<Option<Network>, Exhausted> {
    let Some(counts) = count_pairs(network, groups, budget)? else { return Ok(None) };
    let mut uses: FxHashMap<Pair, u32> = FxHashMap::default();
    let mut ticks = Ticks::default();
    let choose = |node| {
        ticks.work(budget, WORK * network.inputs(node).len())?;
        Ok(choose(network, node, &counts))
    };
    let first = network.interface().first_gate();
    let choices: Vec<Vec<Pair>> = network.gates().map(choose).collect::<Result<_, Exhausted>>()?;
    choices.iter().flatten().for_each(|&pair| *uses.entry(pair).or_default() += 1);
    if uses.values().all(|&uses| uses < FEWEST_READERS) {
        return Ok(None);
    }
    let shared = rewrite(network, budget, |builder, gate| {
        let old = network.inputs(gate.node);
        let mut kept: Vec<Signal> = Vec::with_capacity(old.len());
        let mut taken = vec![false; old.len()];
        for pair in &choices[gate.node.index() - first.index()] {
            if uses[pair] >= FEWEST_READERS {
                let place = |signal| old.binary_search(&signal).expect("a pair is made of inputs");
                let (a, b) = (place(pair.1), place(pair.2));
                kept.push(builder.gate(gate.kind, &mut vec![gate.inputs[a], gate.inputs[b]]));
                (taken[a], taken[b]) = (true, true);
            }
        }
        kept.extend(gate.inputs.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(&input, _)| input));
        builder.node(gate.kind, &mut kept)
    });
    shared.map(Some)
}

fn has_pairs(network: &Network, node: NodeId) -> bool {
    (3..=MAX_PAIRED_INPUTS).contains(&network.inputs(node).len())
}

fn pairs(network: &Network, node: NodeId) -> impl Iterator<Item = Pair> + '_ {
    let kind = network.kind(node);
    let inputs = network.inputs(node);
    inputs.iter().enumerate().flat_map(move |(i, &a)| inputs[i + 1..].iter().map(move |&b| (kind, a, b)))
}

fn count_pairs(
    network: &Network,
    groups: &Groups,
    budget: &Budget,
) -> Result<Option<FxHashMap<Pair, u32>>, Exhausted> {
    let nodes = || network.gates().filter(|&node| has_pairs(network, node));
    let total: usize = nodes().map(|node| network.inputs(node).len().pow(2) / 2).sum();
    if total > MAX_COUNTED_PAIRS {
        return Ok(None);
    }
    let mut ticks = Ticks::default();
    let mut counts: FxHashMap<Pair, u32> = FxHashMap::default();
    let mut restless: BitSet<NodeId> = BitSet::empty(network.node_count());
    groups.restless.iter().for_each(|&node| restless.set(node, true));
    for pair in nodes().flat_map(|node| pairs(network, node)) {
        ticks.work(budget, WORK)?;
        if !restless.contains(pair.1.node()) && !restless.contains(pair.2.node()) {
            *counts.entry(pair).or_default() += 1;
        }
    }
    Ok(Some(counts))
}

/// The most common pairs of a node, no input in two of them.
fn choose(network: &Network, node: NodeId, counts: &FxHashMap<Pair, u32>) -> Vec<Pair> {
    if !has_pairs(network, node) {
        return Vec::new();
    }
    let mut common: Vec<(u32, Pair)> = pairs(network, node)
        .map(|pair| (counts.get(&pair).copied().unwrap_or(0), pair))
        .filter(|(count, _)| *count >= FEWEST_READERS)
        .collect();
    common.sort_unstable_by_key(|&(count, pair)| (std::cmp::Reverse(count), pair));
    let mut taken: Vec<Signal> = Vec::new();
    let mut chosen = Vec::new();
    for (_, pair) in common {
        if !taken.contains(&pair.1) && !taken.contains(&pair.2) {
            taken.extend([pair.1, pair.2]);
            chosen.push(pair);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use crate::network::testing::{network, optimized};

    #[test]
    fn what_many_have_in_common_is_made_once() {
        let rules: String = (1..=3)
            .flat_map(|x| {
                ["b", "c"]
                    .map(|m| format!("(<= (legal r ({m} {x})) (true (f 1)) (true (f 2)) (true (g {x} {m})))"))
            })
            .collect();
        let init =
            "(init (g 1 b)) (init (g 2 b)) (init (g 3 b)) (init (g 1 c)) (init (g 2 c)) (init (g 3 c))";
        let plain = optimized(network(&format!("{init} {rules}")), &["single-input"]);
        let shared = optimized(plain.clone(), &["sharing"]);
        assert_eq!((plain.edge_count(), shared.edge_count()), (6 * 3, 2 + 6 * 2));
    }
}
