//! Ground rules in flat arrays.

use super::WORK;
use crate::graph::components;
use crate::ground::{AtomId, GroundLiteral, GroundProgram};
use crate::ids::{Csr, IdVec};
use grundy_syntax::{Budget, Exhausted, Ticks};

grundy_syntax::define_id! {
    /// A ground rule on its way through pruning.
    pub(super) struct RuleId(u32);
}

/// An atom, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Lit(u32);

impl Lit {
    pub(super) fn new(atom: AtomId, positive: bool) -> Lit {
        Lit(atom.0 << 1 | u32::from(!positive))
    }

    pub(super) fn atom(self) -> AtomId {
        AtomId(self.0 >> 1)
    }

    pub(super) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    pub(super) fn opposite(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Rules: for each its head and its conditions, which are sorted.
#[derive(Default)]
pub(super) struct Rules {
    heads: IdVec<RuleId, AtomId>,
    bodies: Csr<RuleId, Lit>,
}

impl Rules {
    /// The approximate size of a number of rules.
    pub(super) fn bytes_for(rules: usize, literals: usize) -> usize {
        rules * 2 * size_of::<u32>() + literals * size_of::<Lit>()
    }

    pub(super) fn of(ground: &GroundProgram, budget: &Budget) -> Result<Rules, Exhausted> {
        let mut ticks = Ticks::default();
        let mut rules = Rules::default();
        let mut body = Vec::new();
        ground.for_each_rule(|head, literals| {
            // The remaining rules are skipped; the budget is checked below.
            if ticks.work(budget, WORK * (1 + literals.len())).is_err() {
                return;
            }
            body.clear();
            body.extend(literals.iter().map(|literal| Lit::new(literal.atom, literal.positive)));
            body.sort_unstable();
            rules.push(head, &body);
        });
        budget.check()?;
        Ok(rules)
    }

    pub(super) fn push(&mut self, head: AtomId, body: &[Lit]) {
        self.heads.push(head);
        self.bodies.push(body.iter().copied());
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = RuleId> + use<> {
        self.heads.ids()
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(super) fn literal_count(&self) -> usize {
        self.bodies.items().len()
    }

    pub(super) fn head(&self, rule: RuleId) -> AtomId {
        self.heads[rule]
    }

    pub(super) fn body(&self, rule: RuleId) -> &[Lit] {
        &self.bodies[rule]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (AtomId, &[Lit])> {
        self.heads.iter().copied().zip(self.bodies.iter())
    }

    /// The same, as a ground program has them.
    pub(super) fn ground_rules(&self) -> impl Iterator<Item = (AtomId, Vec<GroundLiteral>)> {
        let literal = |literal: &Lit| GroundLiteral { atom: literal.atom(), positive: literal.is_positive() };
        self.iter().map(move |(head, body)| (head, body.iter().map(literal).collect()))
    }

    /// The rules of each atom.
    pub(super) fn by_head(&self, atoms: usize) -> ByHead {
        Csr::grouped(atoms, self.heads.entries().map(|(rule, &head)| (head, rule)))
    }

    /// Atoms that depend on each other, each behind all that it needs.
    pub(super) fn components(
        &self,
        by_head: &ByHead,
        budget: &Budget,
    ) -> Result<Vec<Vec<AtomId>>, Exhausted> {
        let needs = |rules: &[RuleId]| {
            rules.iter().flat_map(|&rule| self.body(rule)).map(|literal| literal.atom()).collect::<Vec<_>>()
        };
        let edges: Csr<AtomId, AtomId> = by_head.iter().map(needs).collect();
        components(&edges, budget)
    }
}

/// Which rules an atom has.
pub(super) type ByHead = Csr<AtomId, RuleId>;
