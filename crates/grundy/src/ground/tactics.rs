//! What to do about rules that have far too many instances.
//!
//! How many instances a rule has shows when it runs. In compact form every rule of a view begins with a modest
//! allowance. When it needs more, the attempt ends, and the next one treats its relation in another way: at first it
//! is evaluated on demand, with a larger allowance; if that is not enough, it stays lifted. In faithful form this is so
//! for static views alone, and nothing stays lifted.
//!
//! Static views are evaluated on demand early. But nobody knows them then when rules are split, which may be worse: if a
//! dynamic rule that calls such a view has too many instances afterwards, the view is evaluated whole again.

use super::LiftedRelation;
use super::config::GroundConfig;
use super::lift::lift;
use crate::datalog::Relations;
use crate::flat::{
    Flat, FlatRule, FlatRuleId, RelationId, RelationKind, add_demanded, callers, demand, demandable,
    demandable_statics,
};
use crate::ids::{BitSet, IdVec, float, rounded_down};
use crate::rewrite::{Thresholds, called_with_constants, infer};
use grundy_syntax::{Program, RuleId, Term, TermId};

/// When one rule will have too many, others that have this share of what it may have are not waited for.
const LARGE: f64 = 0.3;

/// A rule that puts terms together may have fewer instances than others by this factor: terms may grow without end.
const WITH_TERMS: u64 = 30;

/// An attempt has failed because rules had more instances than they may have.
pub(super) struct Overflow {
    /// The rules of the sheet.
    pub(super) rules: Vec<RuleId>,
    /// For each rule of the sheet, the instances that it had.
    pub(super) instances: IdVec<RuleId, u64>,
}

/// What a rule may have.
#[derive(Clone, Copy)]
pub(super) struct Cap {
    /// Instances.
    pub(super) most: u64,
    /// The relation of the simplified program that is treated in another way when it has more.
    pub(super) relation: Option<RelationId>,
}

impl Default for Cap {
    fn default() -> Cap {
        Cap { most: u64::MAX, relation: None }
    }
}

/// How far one has gone with a relation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It is evaluated whole.
    Whole,
    /// It is static, and evaluated on demand for a try.
    Tried,
    /// It is static, and evaluated whole although it is large, since the try has made matters worse.
    Large,
    /// It is evaluated on demand, if that is possible.
    Asked,
    /// It is what it is.
    Settled,
}

/// How relations are treated.
pub(super) struct Tactics {
    /// The relations of the simplified program that could be evaluated on demand.
    demandable: BitSet<RelationId>,
    thresholds: Thresholds,
    stages: IdVec<RelationId, Stage>,
    /// The relations that are evaluated on demand from the start.
    demanded_first: BitSet<RelationId>,
    /// Those that turned out large.
    asked: BitSet<RelationId>,
    /// All that are evaluated on demand: these, and what calls them where that has to be.
    demanded: BitSet<RelationId>,
    /// Whether relations may stay lifted.
    may_lift: bool,
    lifted: Vec<LiftedRelation>,
}

impl Tactics {
    pub(super) fn new(program: &Program, flat: &Flat, config: &GroundConfig) -> Tactics {
        let demandable =
            if config.faithful { demandable_statics(program, flat) } else { demandable(program, flat) };
        let stage = |relation| if demandable.contains(relation) { Stage::Whole } else { Stage::Settled };
        let stages = flat.relations.ids().map(stage).collect();
        let thresholds = config.thresholds.clone();
        let demanded_first = called_with_constants(flat, &demandable);
        let demanded = demanded_first.clone();
        let asked = flat.no_relations();
        Tactics {
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

    /// Rewrites a program; the rules that are set aside.
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

    /// For each rule of a program the instances that it may have. What was made from a rule of a relation counts like
    /// the rule.
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
                Stage::Asked if makes_terms(simplified, rule) => self.thresholds.lift / WITH_TERMS,
                Stage::Asked | Stage::Tried => self.thresholds.lift,
                Stage::Settled => u64::MAX,
            };
            let most = by_rule[number].most.min(cap);
            by_rule[number] = Cap { most, relation: Some(rule.head.relation) };
        }
        let cap = |rule: &FlatRule| rule.origin.rule().map_or(Cap::default(), |number| by_rule[number]);
        flat.rules.iter().map(cap).collect()
    }

    /// Draws the conclusion from an overflow.
    pub(super) fn respond(&mut self, program: &Program, flat: &Flat, overflow: &Overflow) {
        let large = rounded_down(float(self.thresholds.demand) * LARGE);
        let stages = self.stages.clone();
        for rule in &flat.rules {
            let Some(number) = rule.origin.rule() else { continue };
            let relation = rule.head.relation;
            let is_culprit = overflow.rules.contains(&number);
            if stages[relation] == Stage::Settled || self.stages[relation] == Stage::Settled {
                continue;
            }
            let is_static = flat.info(rule.head.relation).kind == RelationKind::Static;
            if is_culprit && !is_static && self.end_tries(rule, &stages) {
                continue;
            }
            // Terms may grow without end, and asking for fewer of them rarely helps.
            let is_hopeless =
                matches!(stages[relation], Stage::Asked | Stage::Tried) || makes_terms(flat, rule);
            let is_whole = matches!(stages[relation], Stage::Whole | Stage::Large);
            if is_culprit && is_hopeless {
                self.stages[relation] = Stage::Settled;
                if self.may_lift {
                    self.lift(program, flat, rule.head.relation, (number, overflow.instances[number]));
                }
            } else if is_culprit || (is_whole && overflow.instances[number] > large) {
                let is_try = is_static && stages[relation] == Stage::Whole;
                self.stages[relation] = if is_try { Stage::Tried } else { Stage::Asked };
                self.asked.set(relation, true);
            }
        }
        self.demanded = self.demanded_first.clone();
        for relation in self.asked.iter() {
            add_demanded(flat, &self.demandable, &mut self.demanded, relation);
        }
    }

    /// Evaluates the static views whole again that a rule calls and that were evaluated on demand for a try; tells
    /// whether there are any.
    fn end_tries(&mut self, rule: &FlatRule, stages: &IdVec<RelationId, Stage>) -> bool {
        let called = rule.relations_read();
        let tried: Vec<RelationId> = called.filter(|&relation| stages[relation] == Stage::Tried).collect();
        for &relation in &tried {
            self.stages[relation] = Stage::Large;
            self.asked.set(relation, false);
        }
        !tried.is_empty()
    }

    /// Leaves a relation lifted, or, if nobody can tell which of its atoms others ask for, its callers.
    fn lift(&mut self, program: &Program, flat: &Flat, relation: RelationId, culprit: (RuleId, u64)) {
        let domains = infer(flat, &Relations::default());
        let mut given_up = flat.no_relations();
        let mut candidates = vec![relation];
        while !candidates.is_empty()
            && candidates.iter().all(|&candidate| self.demandable.contains(candidate))
        {
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

/// Whether a rule puts new terms together.
fn makes_terms(flat: &Flat, rule: &FlatRule) -> bool {
    let is_new =
        |&arg: &TermId| matches!(flat.terms.get(arg), Term::Compound(..)) && !flat.terms.is_ground(arg);
    rule.head.args.iter().any(is_new)
}
