//! Rules as they are written and in the learned order, with the tries that both take.

use super::clause::Clause;
use super::domain::{Domain, Kind};
use super::limits::Steps;
use super::memory::Memory;
use super::ordering::Ordering;
use super::{Tries, tries_within};
use crate::ids::{float, wide};
use grundy_syntax::{Budget, Literal};

/// Limit: the steps of trying an order on one memory.
const LEARNING_STEPS: u64 = 50_000;

/// Limit: the steps of counting the tries of a rule on one memory.
pub const COUNTING_STEPS: u64 = 200_000;

/// A rule in both orders, matched with the same memories.
#[derive(Clone, Debug)]
pub struct Reordered {
    /// The learned order: for each place the number of the condition in the written rule.
    pub order: Vec<usize>,
    /// The tries of the conditions as they are written.
    pub written: Tries,
    /// The tries of the conditions in the learned order.
    pub learned: Tries,
}

impl Reordered {
    /// Counts the tries of a rule over all memories, in the written order and in another one. When the budget is over,
    /// the counts are what they were until then.
    pub fn count(
        domain: &Domain,
        memories: &[Memory],
        clause: &Clause,
        order: Vec<usize>,
        budget: &Budget,
    ) -> Reordered {
        let count = |literals: &[&Literal]| {
            Tries::sum(memories, literals, |memory| {
                tries_within(domain, memory, literals, &[], &Steps::new(COUNTING_STEPS, budget))
            })
        };
        let written = count(&clause.body.iter().collect::<Vec<_>>());
        let learned = count(&clause.in_order(&order));
        Reordered { order, written, learned }
    }
}

/// What the rules of a set add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReorderedSet {
    /// How many rules there are.
    pub rules: usize,
    /// Their tries as they are written.
    pub written: u64,
    /// Their tries in the learned order.
    pub learned: u64,
    /// Rules that need more tries than before.
    pub worse: usize,
    /// Rules whose tries as written are a lower bound, because counting took too long.
    pub ended: usize,
}

impl ReorderedSet {
    /// Adds a rule.
    pub fn add(&mut self, rule: &Reordered) {
        let (written, learned) = (rule.written.total(), rule.learned.total());
        self.rules += 1;
        self.written += written;
        self.learned += learned;
        self.worse += usize::from(rule.learned.complete && learned > written);
        self.ended += usize::from(!rule.written.complete);
    }

    /// How many times fewer tries there are in order.
    pub fn ratio(&self) -> f64 {
        float(self.written) / float(self.learned.max(1))
    }
}

impl std::ops::Add for ReorderedSet {
    type Output = ReorderedSet;

    fn add(self, other: ReorderedSet) -> ReorderedSet {
        ReorderedSet {
            rules: self.rules + other.rules,
            written: self.written + other.written,
            learned: self.learned + other.learned,
            worse: self.worse + other.worse,
            ended: self.ended + other.ended,
        }
    }
}

impl Ordering {
    /// The order that is learned from these memories: by figures, and never worse than the written one on them.
    pub fn learn(&self, domain: &Domain, memories: &[Memory], clause: &Clause) -> Vec<usize> {
        let terms = &domain.program().terms;
        let steps = LEARNING_STEPS * wide(memories.len());
        self.order_on(terms, memories, &clause.body, &[], steps)
            .unwrap_or_else(|| self.order(terms, &clause.body, &[]))
    }
}

impl Clause {
    /// The conditions in an order.
    pub fn in_order(&self, order: &[usize]) -> Vec<&Literal> {
        order.iter().map(|&place| &self.body[place]).collect()
    }
}

impl Domain {
    /// The rules that have an order and can be matched with a state: those of views that need no moves, and those of
    /// complete facts.
    pub fn ordered_rules(&self) -> Vec<Clause> {
        let views = self.state_views().into_iter().flat_map(|view| self.clauses_of(view).to_vec());
        let is_static = |head| self.kind(head) == Kind::Topology;
        let complete = self.program().rules.iter().filter(|rule| is_static(rule.head.predicate));
        let all = complete.map(Clause::of_rule).chain(views);
        all.filter(|clause| clause.body.len() > 1 && self.can_be_matched(clause)).collect()
    }
}
