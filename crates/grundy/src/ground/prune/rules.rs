//! Ground rules in flat arrays.

use super::WORK;
use crate::ground::GroundProgram;
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
        self.ends.push(self.literals.len() as u32);
    }

    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(super) fn literal_count(&self) -> usize {
        self.literals.len()
    }

    pub(super) fn head(&self, rule: u32) -> u32 {
        self.heads[rule as usize]
    }

    pub(super) fn body(&self, rule: u32) -> &[Lit] {
        let start = if rule == 0 { 0 } else { self.ends[rule as usize - 1] };
        &self.literals[start as usize..self.ends[rule as usize] as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[Lit])> {
        (0..self.len() as u32).map(|rule| (self.head(rule), self.body(rule)))
    }

    /// The rules of each atom.
    pub(super) fn by_head(&self, atoms: usize) -> ByHead {
        let mut starts = vec![0u32; atoms + 1];
        self.heads.iter().for_each(|&head| starts[head as usize + 1] += 1);
        for atom in 0..atoms {
            starts[atom + 1] += starts[atom];
        }
        let mut free = starts.clone();
        let mut order = vec![0; self.len()];
        for (rule, &head) in self.heads.iter().enumerate() {
            order[free[head as usize] as usize] = rule as u32;
            free[head as usize] += 1;
        }
        ByHead { starts, order }
    }

    /// Atoms that depend on each other, each behind all that it needs.
    pub(super) fn components(&self, by_head: &ByHead, budget: &Budget) -> Result<Vec<Vec<u32>>, Exhausted> {
        let atoms = by_head.starts.len() - 1;
        let mut starts = vec![0u32];
        let mut targets = Vec::with_capacity(self.literals.len());
        for atom in 0..atoms as u32 {
            for &rule in by_head.of(atom) {
                targets.extend(self.body(rule).iter().map(|literal| literal.atom()));
            }
            starts.push(targets.len() as u32);
        }
        crate::network::components(&starts, &targets, budget)
    }
}

/// Which rules an atom has.
pub(super) struct ByHead {
    starts: Vec<u32>,
    order: Vec<u32>,
}

impl ByHead {
    pub(super) fn of(&self, atom: u32) -> &[u32] {
        &self.order[self.starts[atom as usize] as usize..self.starts[atom as usize + 1] as usize]
    }
}
