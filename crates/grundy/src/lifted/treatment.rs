//! The treatment of relations: evaluation as a whole, or on demand.
//!
//! Views that are only called with constants are evaluated on demand, all others as a whole at first. When a component
//! exceeds its steps, its relations are evaluated on demand from then on. If that is impossible or not enough, its steps
//! are not limited any more. [Trials](super::trials) find further views for which evaluation on demand pays.
//!
//! Calls can build terms, so that there are far more calls than answers, or infinitely many. Whether calls or answers
//! explode is only known by evaluation: after [`CALL_STEPS`] everything is evaluated whole, and if that takes
//! [`WHOLE_STEPS`], on demand for good.

use super::OnDemand;
use super::phases::{demand_by_phase, negation_cycles};
use crate::flat::{Flat, FlatRule, RelationId, add_demanded, callers, demandable};
use crate::ids::{BitSet, IdVec};
use crate::rewrite::called_with_constants;
use grundy_syntax::{PredicateId, Program, RuleId, Term, TermId, Terms};

/// The steps that a component may take in a state before its relations are evaluated on demand. A guess: few views of ordinary
/// games take more, and those that do are mostly called with few arguments.
const STEPS: u64 = 32_000;

/// The steps that a static component, which is evaluated once, may take before its relations are evaluated on demand. A guess.
const STATIC_STEPS: u64 = 3_000_000;

/// The steps that a component may take in a state if its calls build terms. For comparison: a search for paths with the list
/// of their cells, in a connection game on a large board, takes 8,000.
const CALL_STEPS: u64 = 2_000_000;

/// The steps that a component may take in a state after calls took too many. Beyond them, the answers are assumed to explode.
/// A guess.
const WHOLE_STEPS: u64 = 50_000_000;

/// The treatment of all relations of a game.
#[derive(Clone)]
pub(super) struct Treatment {
    simplified: Flat,
    demandable: BitSet<RelationId>,
    demanded: BitSet<RelationId>,
    /// For each rule of the sheet, whether evaluation on demand was considered for its relations.
    settled: IdVec<RuleId, bool>,
    calls: Calls,
    /// The relations that depend on their own negation under any treatment.
    negation_cycles: BitSet<RelationId>,
}

/// The state of the decision about calls that build terms.
#[derive(Clone)]
enum Calls {
    /// Calls are made.
    Made,
    /// Calls took too many steps, so nothing is evaluated on demand. These relations were before.
    GivenUp(BitSet<RelationId>),
    /// Evaluation without calls took too many steps as well.
    Needed,
}

impl Treatment {
    pub(super) fn new(program: &Program, simplified: Flat, on_demand: OnDemand) -> Treatment {
        let demandable = demandable(program, &simplified);
        let asked_first = match on_demand {
            OnDemand::WhereCheaper => called_with_constants(&simplified, &demandable),
            OnDemand::WherePossible => demandable.clone(),
        };
        let mut treatment = Treatment {
            demandable,
            demanded: simplified.no_relations(),
            settled: IdVec::filled(false, program.rules.len()),
            calls: Calls::Made,
            negation_cycles: negation_cycles(&simplified),
            simplified,
        };
        for relation in asked_first.iter() {
            if treatment.simplified.budget.is_over() {
                break;
            }
            treatment.demand(program, relation);
        }
        treatment
    }

    /// The rules to evaluate. `terms` are those of the simplified rules, and others.
    pub(super) fn rules(&self, program: &mut Program, terms: Terms) -> Flat {
        let mut flat = Flat { terms, ..self.simplified.clone() };
        demand_by_phase(program, &mut flat, &self.demanded);
        flat
    }

    /// The predicates of which something is evaluated on demand.
    pub(super) fn on_demand(&self) -> impl Iterator<Item = PredicateId> {
        self.demanded.iter().map(|relation| self.simplified.info(relation).predicate)
    }

    /// Whether anything is evaluated on demand.
    pub(super) fn has_demanded(&self) -> bool {
        !self.demanded.is_empty()
    }

    /// Evaluates everything whole, for good.
    pub(super) fn evaluate_all_whole(&mut self) {
        self.demanded.clear();
        self.demandable.clear();
        self.settled.fill(true);
    }

    /// How many steps a component with these rules may take. `terms` are those of the rules.
    pub(super) fn steps<'r>(
        &self,
        terms: &Terms,
        mut rules: impl Iterator<Item = &'r FlatRule> + Clone,
        is_static: bool,
    ) -> u64 {
        let mut numbers = rules.clone().filter_map(|rule| rule.origin.rule());
        match numbers.all(|rule| self.settled[rule]) {
            true => match &self.calls {
                Calls::Made if rules.any(|rule| self.is_growing_call(terms, rule)) => CALL_STEPS,
                Calls::GivenUp(_) => WHOLE_STEPS,
                Calls::Made | Calls::Needed => u64::MAX,
            },
            false if is_static => STATIC_STEPS,
            false => STEPS,
        }
    }

    /// Whether a rule fills a call table with terms that it builds.
    fn is_growing_call(&self, terms: &Terms, rule: &FlatRule) -> bool {
        let is_new = |&arg: &TermId| matches!(terms.get(arg), Term::Compound(..)) && !terms.is_ground(arg);
        self.simplified.relations.get(rule.head.relation).is_none() && rule.head.args.iter().any(is_new)
    }

    /// Changes the treatment after a component with these rules exceeded its steps.
    pub(super) fn respond<'r>(&mut self, program: &Program, rules: impl Iterator<Item = &'r FlatRule>) {
        let mut is_settled = true;
        for number in rules.filter_map(|rule| rule.origin.rule()) {
            if std::mem::replace(&mut self.settled[number], true) {
                continue;
            }
            is_settled = false;
            for head in self.heads(number) {
                if self.demandable.contains(head) && !self.demanded.contains(head) {
                    self.demand(program, head);
                }
            }
        }
        if is_settled {
            self.switch();
        }
    }

    /// Switches to evaluation as a whole if calls took too many steps, and back if that took too many as well.
    fn switch(&mut self) {
        match std::mem::replace(&mut self.calls, Calls::Needed) {
            Calls::Made => {
                self.calls = Calls::GivenUp(self.demanded.clone());
                self.evaluate_all_whole();
            }
            Calls::GivenUp(demanded) => self.demanded = demanded,
            Calls::Needed => {}
        }
    }

    /// The relations that a rule of the sheet derives.
    fn heads(&self, id: RuleId) -> Vec<RelationId> {
        let of_rule = |rule: &&FlatRule| rule.origin.rule() == Some(id);
        let rules = self.simplified.rules.iter().filter(of_rule);
        rules.map(|rule| rule.head.relation).collect()
    }

    /// The treatment by which the relations of these rules are evaluated on demand, and all views that call them; `None`
    /// if there is no such treatment, or it is this one.
    pub(super) fn with_callers(&self, program: &Program, rules: &[RuleId]) -> Option<Treatment> {
        let mut demanded = self.demanded.clone();
        let mut more: Vec<RelationId> = rules.iter().flat_map(|&rule| self.heads(rule)).collect();
        while !more.is_empty() {
            more.into_iter().for_each(|relation| demanded.set(relation, true));
            let callers = callers(&self.simplified, &demanded);
            let is_demandable =
                |view: &RelationId| self.demandable.contains(*view) && !demanded.contains(*view);
            more = callers.into_iter().filter(is_demandable).collect();
        }
        demanded.intersect(&self.demandable);
        (demanded != self.demanded && !self.adds_negation_cycles(program, &demanded))
            .then(|| Treatment { demanded, ..self.clone() })
    }

    /// Evaluates a relation on demand, unless that creates a cycle through negation.
    fn demand(&mut self, program: &Program, relation: RelationId) {
        let mut demanded = self.demanded.clone();
        add_demanded(&self.simplified, &self.demandable, &mut demanded, relation);
        if !self.adds_negation_cycles(program, &demanded) {
            self.demanded = demanded;
        }
    }

    /// Whether evaluating these relations on demand creates a cycle through negation.
    fn adds_negation_cycles(&self, program: &Program, demanded: &BitSet<RelationId>) -> bool {
        let mut flat = self.simplified.clone();
        demand_by_phase(&mut program.clone(), &mut flat, demanded);
        let before = &self.negation_cycles;
        negation_cycles(&flat).iter().any(|relation| !before.contains_if_known(relation))
    }
}
