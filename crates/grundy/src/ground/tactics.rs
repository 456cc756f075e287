//! Treatment of rules with far too many instances.
//!
//! The number of instances of a rule is only known when it runs. In compact form, every rule of a view starts with a
//! modest cap. When it needs more, the attempt ends, and the next attempt evaluates its relation on demand, with a larger
//! cap; if it exceeds that as well, the relation stays lifted. In faithful form this holds for static views only, and
//! nothing stays lifted.
//!
//! Static views are evaluated on demand early. Splitting then lacks their sizes and may choose worse: if a dynamic rule
//! that calls such a view overflows afterwards, the view is evaluated whole again.

use super::LiftedRelation;
use super::config::GroundConfig;
use super::lift::lift;
use crate::datalog::Relations;
use crate::flat::{
    Flat, FlatRule, FlatRuleId, RelationId, RelationKind, add_demanded, callers, demand, demandable,
    demandable_statics, with_growing_calls,
};
use crate::ids::{BitSet, IdVec, float, rounded_down};
use crate::rewrite::{Thresholds, called_with_constants, infer};
use grundy_syntax::{Program, RuleId, Term, TermId};

/// When one rule overflows, the relations of rules with this share of the cap are treated like its own, which saves attempts.
/// A guess.
const SHARE_OF_CAP_TO_ACT: f64 = 0.3;

/// The cap of a rule that builds terms is smaller by this factor, since terms may grow without end. A guess.
const CAP_DIVISOR_FOR_TERMS: u64 = 30;

/// The overflows that ended an attempt.
pub(super) struct Overflow {
    /// The rules of the sheet.
    pub(super) rules: Vec<RuleId>,
    /// The number of instances of each rule of the sheet.
    pub(super) instances: IdVec<RuleId, u64>,
}

/// The limit on the instances of a rule.
#[derive(Clone, Copy)]
pub(super) struct Cap {
    /// The largest number of instances.
    pub(super) most: u64,
    /// The relation of the simplified program whose treatment changes on an overflow.
    pub(super) relation: Option<RelationId>,
}

impl Default for Cap {
    fn default() -> Cap {
        Cap { most: u64::MAX, relation: None }
    }
}

/// How a relation is treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It is evaluated whole.
    Whole,
    /// It is static, and evaluated on demand as a trial.
    OnTrial,
    /// It is static and large, but evaluated whole, since the trial made splitting worse.
    Large,
    /// It is evaluated on demand if possible.
    Asked,
    /// Its treatment does not change any more.
    Settled,
}

/// How relations are treated.
pub(super) struct Tactics {
    /// The views of the simplified program of which a part could be enough.
    partial: BitSet<RelationId>,
    /// Those of them that could be evaluated on demand.
    demandable: BitSet<RelationId>,
    thresholds: Thresholds,
    stages: IdVec<RelationId, Stage>,
    /// The relations that are evaluated on demand from the start.
    demanded_first: BitSet<RelationId>,
    /// The relations that turned out large.
    asked: BitSet<RelationId>,
    /// All relations that are evaluated on demand: these, and their callers where necessary.
    demanded: BitSet<RelationId>,
    /// Whether relations may stay lifted.
    may_lift: bool,
    lifted: Vec<LiftedRelation>,
}

impl Tactics {
    pub(super) fn new(program: &Program, flat: &Flat, config: &GroundConfig) -> Tactics {
        let partial =
            if config.faithful { demandable_statics(program, flat) } else { demandable(program, flat) };
        let growing = with_growing_calls(flat);
        let is_demandable =
            |&relation: &RelationId| partial.contains(relation) && !growing.contains(relation);
        let demandable = BitSet::of(flat.relations.len(), is_demandable);
        let stage = |relation| if partial.contains(relation) { Stage::Whole } else { Stage::Settled };
        let stages = flat.relations.ids().map(stage).collect();
        let thresholds = config.thresholds.clone();
        let demanded_first = called_with_constants(flat, &demandable);
        let demanded = demanded_first.clone();
        let asked = flat.no_relations();
        Tactics {
            partial,
            demandable,
            thresholds,
            stages,
            demanded_first,
            asked,
            demanded,
            may_lift: !config.faithful,
            lifted: Vec::new(),
        }
    }

    /// The relations that are not grounded.
    pub(super) fn lifted(&self) -> Vec<LiftedRelation> {
        self.lifted.clone()
    }

    /// Rewrites a program. Returns the rules of the lifted relations, which are removed from it.
    pub(super) fn apply(&self, program: &mut Program, flat: &mut Flat) -> Vec<FlatRule> {
        let mut residue = Vec::new();
        if !self.lifted.is_empty() {
            let domains = infer(flat, &Relations::default());
            residue = lift(program, flat, &self.lifted_relations(), &domains).unwrap_or_default();
        }
        demand(program, flat, &self.demanded);
        residue
    }

    fn lifted_relations(&self) -> BitSet<RelationId> {
        let mut relations = BitSet::empty(self.stages.len());
        self.lifted.iter().for_each(|lifted| relations.set(lifted.relation, true));
        relations
    }

    /// The caps of the rules of a program. A rule has the cap of the source rule that it was made from.
    pub(super) fn caps(&self, simplified: &Flat, flat: &Flat) -> IdVec<FlatRuleId, Cap> {
        let last = simplified.rules.iter().filter_map(|rule| rule.origin.rule()).max();
        let mut by_rule: IdVec<RuleId, Cap> =
            IdVec::filled(Cap::default(), last.map_or(0, |last| last.index() + 1));
        let is_static = |rule: &FlatRule| simplified.info(rule.head.relation).kind == RelationKind::Static;
        for rule in &simplified.rules {
            let Some(number) = rule.origin.rule() else { continue };
            let cap = match self.stages[rule.head.relation] {
                Stage::Whole if is_static(rule) => self.thresholds.demand_static,
                Stage::Whole | Stage::Large => self.thresholds.demand,
                Stage::Asked if makes_terms(simplified, rule) => self.thresholds.lift / CAP_DIVISOR_FOR_TERMS,
                Stage::Asked | Stage::OnTrial => self.thresholds.lift,
                Stage::Settled => u64::MAX,
            };
            let most = by_rule[number].most.min(cap);
            by_rule[number] = Cap { most, relation: Some(rule.head.relation) };
        }
        let cap = |rule: &FlatRule| rule.origin.rule().map_or(Cap::default(), |number| by_rule[number]);
        flat.rules.iter().map(cap).collect()
    }

    /// Changes the treatment of relations after an overflow.
    pub(super) fn respond(&mut self, program: &Program, flat: &Flat, overflow: &Overflow) {
        let large = rounded_down(float(self.thresholds.demand) * SHARE_OF_CAP_TO_ACT);
        let stages = self.stages.clone();
        for rule in &flat.rules {
            let Some(number) = rule.origin.rule() else { continue };
            let relation = rule.head.relation;
            let is_culprit = overflow.rules.contains(&number);
            if stages[relation] == Stage::Settled || self.stages[relation] == Stage::Settled {
                continue;
            }
            let is_static = flat.info(rule.head.relation).kind == RelationKind::Static;
            if is_culprit && !is_static && self.end_trials(rule, &stages) {
                continue;
            }
            // Terms may grow without end, and evaluation on demand rarely prevents that.
            let is_hopeless = matches!(stages[relation], Stage::Asked | Stage::OnTrial)
                || makes_terms(flat, rule)
                || !self.demandable.contains(relation);
            let is_whole =
                matches!(stages[relation], Stage::Whole | Stage::Large) && self.demandable.contains(relation);
            if is_culprit && is_hopeless {
                self.stages[relation] = Stage::Settled;
                if self.may_lift {
                    self.lift(program, flat, rule.head.relation, (number, overflow.instances[number]));
                }
            } else if is_culprit || (is_whole && overflow.instances[number] > large) {
                let is_trial = is_static && stages[relation] == Stage::Whole;
                self.stages[relation] = if is_trial { Stage::OnTrial } else { Stage::Asked };
                self.asked.set(relation, true);
            }
        }
        self.demanded = self.demanded_first.clone();
        for relation in self.asked.iter() {
            add_demanded(flat, &self.demandable, &mut self.demanded, relation);
        }
    }

    /// Ends the trials of the static views that a rule calls, which are evaluated whole again. Returns whether there are
    /// any.
    fn end_trials(&mut self, rule: &FlatRule, stages: &IdVec<RelationId, Stage>) -> bool {
        let called = rule.relations_read();
        let tried: Vec<RelationId> = called.filter(|&relation| stages[relation] == Stage::OnTrial).collect();
        for &relation in &tried {
            self.stages[relation] = Stage::Large;
            self.asked.set(relation, false);
        }
        !tried.is_empty()
    }

    /// Leaves a relation lifted, or its callers if the atoms that they use cannot be determined.
    fn lift(&mut self, program: &Program, flat: &Flat, relation: RelationId, culprit: (RuleId, u64)) {
        let domains = infer(flat, &Relations::default());
        let mut given_up = flat.no_relations();
        let mut candidates = vec![relation];
        while !candidates.is_empty() && candidates.iter().all(|&candidate| self.partial.contains(candidate)) {
            let mut lifted = self.lifted_relations();
            candidates.iter().for_each(|&candidate| lifted.set(candidate, true));
            if lift(&mut program.clone(), &mut flat.clone(), &lifted, &domains).is_some() {
                self.lifted.extend(candidates.iter().map(|&candidate| LiftedRelation {
                    relation: candidate,
                    rule: culprit.0,
                    instances: culprit.1,
                }));
                candidates.iter().for_each(|&candidate| self.stages[candidate] = Stage::Settled);
                return;
            }
            candidates.iter().for_each(|&candidate| given_up.set(candidate, true));
            let above = callers(flat, &given_up);
            candidates = above.into_iter().filter(|&caller| !given_up.contains(caller)).collect();
            candidates.sort_unstable();
            candidates.dedup();
        }
    }
}

/// Whether a rule builds new terms.
fn makes_terms(flat: &Flat, rule: &FlatRule) -> bool {
    let is_new =
        |&arg: &TermId| matches!(flat.terms.get(arg), Term::Compound(..)) && !flat.terms.is_ground(arg);
    rule.head.args.iter().any(is_new)
}
