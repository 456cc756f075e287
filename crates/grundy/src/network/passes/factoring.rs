//! Common factors: `(a ∧ b) ∨ (a ∧ c)` is `a ∧ (b ∨ c)`, and the mirror image.
//!
//! This folds frame axioms: hundreds of moves elsewhere leave a cell as it is, with one rule for each move, and all
//! these rules have the cell as a common factor.

use super::{Groups, view};
use crate::ids::IdVec;
use crate::network::rewrite::{Gate, rewrite};
use crate::network::{Builder, Kind, Network, NodeId, Signal};
use grundy_syntax::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The inputs of a node of the other kind, or one signal alone.
type Product = SmallVec<[Signal; 4]>;

pub(super) fn run(network: &Network, _: &Groups, budget: &Budget) -> Result<Network, Exhausted> {
    let readers = network.reader_counts();
    rewrite(network, budget, |builder, gate| make(builder, gate, network, &readers))
}

fn make(builder: &mut Builder, gate: Gate, network: &Network, readers: &IdVec<NodeId, u32>) -> Signal {
    let mut products = Vec::with_capacity(gate.inputs.len());
    for (&old, &input) in network.inputs(gate.node).iter().zip(gate.inputs.iter()) {
        products.push(match view(builder, input) {
            Some((kind, inner)) if kind != gate.kind && readers[old.node()] == 1 => inner.collect(),
            _ => Product::from_slice(&[input]),
        });
    }
    if products.iter().filter(|product| product.len() > 1).count() < 2 {
        return builder.node(gate.kind, gate.inputs);
    }
    sum(builder, gate.kind, products)
}

/// The node of a kind whose inputs are these products, with common factors taken out.
fn sum(builder: &mut Builder, kind: Kind, products: Vec<Product>) -> Signal {
    let mut counts: FxHashMap<Signal, u32> = FxHashMap::default();
    products.iter().flatten().for_each(|&signal| *counts.entry(signal).or_default() += 1);
    // Each product is grouped by its most common factor, or by the first one of several.
    let factor_of = |product: &Product| {
        let best = product.iter().max_by_key(|&&signal| (counts[&signal], std::cmp::Reverse(signal)));
        best.copied().filter(|best| counts[best] > 1)
    };
    let mut alone: Vec<Signal> = Vec::new();
    let mut groups: Vec<(Signal, Vec<Product>)> = Vec::new();
    let mut group_of: FxHashMap<Signal, usize> = FxHashMap::default();
    for product in products {
        match factor_of(&product) {
            Some(factor) => {
                let group = *group_of.entry(factor).or_insert_with(|| {
                    groups.push((factor, Vec::new()));
                    groups.len() - 1
                });
                groups[group].1.push(product);
            }
            None => alone.push(builder.gate(kind.dual(), &mut product.to_vec())),
        }
    }
    for (factor, group) in groups {
        alone.push(factored(builder, kind, factor, group));
    }
    builder.gate(kind, &mut alone)
}

fn factored(builder: &mut Builder, kind: Kind, factor: Signal, mut group: Vec<Product>) -> Signal {
    if let [only] = &group[..] {
        return builder.gate(kind.dual(), &mut only.to_vec());
    }
    group.iter_mut().for_each(|product| product.retain(|signal| *signal != factor));
    if group.iter().any(|product| product.is_empty()) {
        return factor;
    }
    let rest = sum(builder, kind, group);
    builder.gate(kind.dual(), &mut vec![factor, rest])
}

#[cfg(test)]
mod tests {
    use crate::network::testing::check;

    const PASSES: [&str; 3] = ["single-input", "factoring", "unneeded"];

    #[test]
    fn frames_are_folded() {
        let frame =
            "(<= (p ?x) (true (f 1)) (does r (a ?x))) (<= terminal2 (p ?x)) (<= (next (f 3)) terminal2)";
        check(frame, &PASSES, "(next (f 3)) = (and (f 1) (or (does r (a 1)) (does r (a 2)) (does r (a 3))))");
    }

    #[test]
    fn a_factor_alone_is_all() {
        let rules = "(<= terminal (true (f 1))) (<= terminal (true (f 1)) (true (f 2))) \
                     (<= terminal (true (f 1)) (true (f 3)))";
        check(rules, &PASSES, "terminal = (f 1)");
    }
}
