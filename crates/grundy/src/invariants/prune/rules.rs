//! Ground rules in flat arrays.

use super::WORK;
use crate::graph::components;
use crate::ground::{AtomId, GroundLiteral, GroundProgram};
use crate::ids::{Csr, Id, narrow};
use grundy_syntax::{Budget, Exhausted, Ticks};

/// An atom, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Lit(pub(super) u32);

impl Lit {
    pub(super) fn new(atom: u32, positive: bool) -> Lit {
        Lit(atom << 1 | u32::from(!positive))
    }

    pub(super) fn atom(self) -> u32 {
        self.0 >> 1
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
    heads: Vec<u32>,
    /// Where the conditions of each rule end.
    ends: Vec<u32>,
    literals: Vec<Lit>,
}

impl Rules {
    /// About how many bytes so many rules take.
    pub(super) fn bytes_for(rules: usize, literals: usize) -> usize {
        rules * 2 * size_of::<u32>() + literals * size_of::<Lit>()
    }

    pub(super) fn of(ground: &GroundProgram, budget: &Budget) -> Result<Rules, Exhausted> {
        let mut ticks = Ticks::default();
        let mut rules = Rules::default();
        let mut body = Vec::new();
        ground.for_each_rule(|head, literals| {
            // The rest is over soon, and of no use then.
            if ticks.work(budget, WORK * (1 + literals.len())).is_err() {
                return;
            }
            body.clear();
            body.extend(literals.iter().map(|literal| Lit::new(literal.atom.0, literal.positive)));
            body.sort_unstable();
            rules.push(head.0, &body);
        });
        budget.check()?;
        Ok(rules)
    }

    pub(super) fn push(&mut self, head: u32, body: &[Lit]) {
        self.heads.push(head);
        self.literals.extend_from_slice(body);
        self.ends.push(narrow(self.literals.len()));
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(super) fn literal_count(&self) -> usize {
        self.literals.len()
    }

    pub(super) fn head(&self, rule: u32) -> u32 {
        self.heads[rule.index()]
    }

    pub(super) fn body(&self, rule: u32) -> &[Lit] {
        let start = if rule == 0 { 0 } else { self.ends[rule.index() - 1] };
        &self.literals[start.index()..self.ends[rule.index()].index()]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[Lit])> {
        (0..self.len() as u32).map(|rule| (self.head(rule), self.body(rule)))
    }

    /// The same, as a ground program has them.
    pub(super) fn ground_rules(&self) -> impl Iterator<Item = (AtomId, Vec<GroundLiteral>)> {
        let literal =
            |literal: &Lit| GroundLiteral { atom: AtomId(literal.atom()), positive: literal.is_positive() };
        self.iter().map(move |(head, body)| (AtomId(head), body.iter().map(literal).collect()))
    }

    /// The rules of each atom.
    pub(super) fn by_head(&self, atoms: usize) -> ByHead {
        Csr::grouped(atoms, self.heads.iter().enumerate().map(|(rule, &head)| (head, narrow(rule))))
    }

    /// Atoms that depend on each other, each behind all that it needs.
    pub(super) fn components(&self, by_head: &ByHead, budget: &Budget) -> Result<Vec<Vec<u32>>, Exhausted> {
        let needs = |rules: &[u32]| {
            rules.iter().flat_map(|&rule| self.body(rule)).map(|literal| literal.atom()).collect::<Vec<_>>()
        };
        let edges: Csr<u32, u32> = by_head.iter().map(needs).collect();
        components(&edges, budget)
    }
}

/// Which rules an atom has.
pub(super) type ByHead = Csr<u32, u32>;
