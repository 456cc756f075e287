//! The loop of unfolding: rules on their way, simplified after every step, until nothing is left to replace.

use super::auxiliary::Auxiliary;
use super::knowledge::Knowledge;
use super::partial::{Goal, Partial};
use super::results::{Results, Seen};
use super::simplify::{Cut, Simplifier};
use super::{Counts, Target, UnfoldConfig};
use crate::ids::narrow;
use crate::metarules::clause::Clause;
use crate::metarules::domain::{Domain, Kind};
use crate::metarules::limits::{MetaError, Steps};
use crate::metarules::ordering::{Ordering, variables_in};
use crate::metarules::pattern::reading_order;
use grundy_syntax::{Atom, Dialect, Keyword, Literal, PredicateId, TermId, VariableId};
use rustc_hash::FxHashSet;

/// The arguments of a rule's head.
pub(super) type Shown<'s> = &'s dyn Fn(&Partial, usize) -> Vec<TermId>;

pub(super) struct Unfolder<'a> {
    pub(super) domain: &'a mut Domain,
    pub(super) knowledge: Knowledge,
    pub(super) config: &'a UnfoldConfig,
    pub(super) work: &'a Steps,
    /// About what the rules on their way and the finished ones take.
    pub(super) held_bytes: usize,
    pub(super) counts: Counts,
    /// Recursive predicates that are unfolded all the same, until rules are too long: the goal's own.
    pub(super) unfolded: FxHashSet<PredicateId>,
    pub(super) auxiliaries: Vec<Auxiliary>,
    pub(super) ordering: Option<Ordering>,
}

impl Unfolder<'_> {
    /// The rule to begin with: the goal, and that the moves are legal.
    pub(super) fn main_rule(&mut self, target: &Target) -> Partial {
        let count = usize::from(self.config.moves) * self.domain.players();
        let mut rule = Partial {
            head: target.args.clone(),
            moves: self.fresh(target.variables, count),
            body: target.goals.iter().map(|(literal, time)| Goal::new(literal.clone(), *time)).collect(),
            variables: target.variables + narrow(count),
        };
        rule.body.extend(self.legal_goals(&rule.moves));
        rule
    }

    pub(super) fn fresh(&mut self, first: u32, count: usize) -> Vec<TermId> {
        let variables = (first..).take(count).map(VariableId);
        variables.map(|variable| self.domain.program.terms.variable(variable)).collect()
    }

    /// That moves are legal in the states in which they are made, and that the game goes on before the last.
    pub(super) fn legal_goals(&mut self, moves: &[TermId]) -> Vec<Goal> {
        let Some(legal) = self.domain.legal else { return Vec::new() };
        let players = self.domain.players();
        let mut goals = Vec::new();
        let joint_moves = moves.chunks(players.max(1));
        for (time, joint) in (0..).zip(joint_moves.clone()) {
            for (player, &made) in joint.iter().enumerate() {
                let args: Box<[TermId]> = match self.domain.program.dialect {
                    Dialect::Theory => Box::new([made]),
                    Dialect::Game => Box::new([self.domain.roles[player], made]),
                };
                goals.push(Goal::new(Literal::Holds(Atom { predicate: legal, args }), time));
            }
        }
        if let Some(terminal) = self.domain.program.keyword(Keyword::Terminal) {
            let atom = Atom { predicate: terminal, args: Box::new([]) };
            let later = (0..).zip(joint_moves).skip(1);
            goals.extend(later.map(|(time, _)| Goal::new(Literal::Not(atom.clone()), time)));
        }
        goals
    }

    /// Unfolds rules until nothing is left to unfold.
    pub(super) fn run(
        &mut self,
        starts: Vec<Partial>,
        head: PredicateId,
        shown: Shown<'_>,
    ) -> Result<Vec<Clause>, MetaError> {
        let mut results = Results::default();
        let mut finished = Seen::default();
        let mut work: Vec<Partial> =
            starts.into_iter().rev().filter_map(|rule| self.simplified(rule)).collect();
        while let Some(rule) = work.pop() {
            self.check()?;
            if self.counts.steps >= self.config.max_steps {
                let what = format!("more than {} steps", self.config.max_steps);
                return Err(MetaError::limit("steps", what));
            }
            self.counts.steps += 1;
            self.held_bytes = self.held_bytes.saturating_sub(rule.bytes());
            if rule.body.len() > self.config.max_conditions {
                self.counts.too_long += 1;
                continue;
            }
            match self.expand(&rule)? {
                Some(next) => {
                    let next: Vec<Partial> =
                        next.into_iter().filter_map(|rule| self.simplified(rule)).collect();
                    self.held_bytes += next.iter().map(Partial::bytes).sum::<usize>();
                    work.extend(next.into_iter().rev());
                }
                None if finished.contains(self, &rule) => self.counts.duplicates += 1,
                None => {
                    // Finished rules are kept twice: as they were found, and as clauses.
                    self.held_bytes += 2 * rule.bytes();
                    if let Some(clause) = self.finish(rule, head, shown) {
                        results.insert(self, clause);
                    }
                    if results.clauses.len() > self.config.max_rules {
                        let what = format!("more than {} rules", self.config.max_rules);
                        return Err(MetaError::limit("rules", what));
                    }
                }
            }
        }
        let clauses = results.without_special_cases(self);
        self.check()?;
        Ok(clauses)
    }

    /// Whether to go on. To be called before anything is used that was made with [`work`](Self::work).
    pub(super) fn check(&self) -> Result<(), MetaError> {
        let held_bytes = self.held_bytes + self.domain.program.terms.bytes();
        self.config.budget.check_with(held_bytes)?;
        if self.work.are_over() {
            return Err(MetaError::limit("work", "unfolding takes too much work"));
        }
        Ok(())
    }

    /// Applies the metarules; nothing is left of a rule that is cut.
    pub(super) fn simplified(&mut self, mut rule: Partial) -> Option<Partial> {
        let result = self.simplifier().simplify(&mut rule);
        self.count_cut(result).then_some(rule)
    }

    pub(super) fn count_cut(&mut self, result: Result<(), Cut>) -> bool {
        match result {
            Ok(()) => return true,
            Err(Cut::Impossible) => self.counts.impossible += 1,
            Err(Cut::SingleValued) => self.counts.single_valued += 1,
        }
        false
    }

    pub(super) fn simplifier(&mut self) -> Simplifier<'_> {
        Simplifier {
            never_now: self.domain.program.keyword(Keyword::Terminal).filter(|_| self.config.moves > 0),
            domain: self.domain,
            knowledge: &mut self.knowledge,
            kinds: self.config.kinds,
            counts: &mut self.counts,
            work: self.work,
        }
    }

    /// The rule of a finished unfolding.
    pub(super) fn finish(
        &mut self,
        mut rule: Partial,
        head: PredicateId,
        shown: Shown<'_>,
    ) -> Option<Clause> {
        let result = self.simplifier().finish(&mut rule);
        if !self.count_cut(result) {
            return None;
        }
        let args = shown(&rule, self.domain.players());
        let body: Vec<Literal> = rule.body.into_iter().map(|goal| goal.literal).collect();
        let body = self.put_in_order(&args, body);
        let head = Atom { predicate: head, args: args.into() };
        Some(Clause::new(&mut self.domain.program.terms, &head, &body))
    }

    /// Orders conditions by branching figures; without any, so that they read well.
    pub(super) fn put_in_order(&mut self, args: &[TermId], body: Vec<Literal>) -> Vec<Literal> {
        if !self.config.kinds.ordering {
            return body;
        }
        let terms = &mut self.domain.program.terms;
        let Some(ordering) = &self.ordering else { return reading_order(terms, args, &body) };
        let bound = match self.config.moves {
            0 => variables_in(terms, args),
            _ => Vec::new(),
        };
        let order = ordering.order(terms, &body, &bound);
        order.into_iter().map(|place| body[place].clone()).collect()
    }

    /// How many times of moves a condition depends on.
    pub(super) fn levels(&self, goal: &Goal) -> u8 {
        let Some(atom) = goal.literal.atom() else { return 0 };
        match self.domain.kind(atom.predicate) {
            Kind::Topology => 0,
            Kind::Does => goal.time + 1,
            _ if self.domain.depends_on_moves(atom.predicate) => goal.time + 1,
            _ => goal.time,
        }
    }
}
