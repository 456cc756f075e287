//! The outline of grounding.
//!
//! Grounding follows Vittaut & Méhat 2014. All static relations are evaluated first. Then g(R), the rules of the sheet
//! without the negation of dynamic atoms, are evaluated over an over-approximation of everything reachable: *links* make
//! `true` hold what `init` and `next` derive, and `does` what `legal` derives. Each match of a rule stores s(R), its
//! instance without static conditions. The three methods ([`Method`]) differ only in how the reachable facts and moves are
//! found; the ground program is the same.
//!
//! Faithful form stores exactly the instances of the rules of the sheet. Compact form rewrites the rules so that they have
//! fewer and smaller instances, and is a sequence of attempts:
//!
//! 1. Rules are simplified ([`rewrite::simplify`]), and some relations are evaluated on demand ([`Tactics::apply`]).
//! 2. When static relations are complete, rules are split by estimated sizes ([`rewrite::split`]). Frame rules wait.
//! 3. Everything but the frame rules is grounded in one fixpoint. A rule that overflows its cap ends the attempt, and
//!    [`Tactics::respond`] decides how its relation is treated in the next one.
//! 4. Frame rules are split by the sizes that are known now, and grounded ([`Attempt::ground_frame_rules`]).
//! 5. Splits that turned out wrong are undone, and rules that turned out large are split ([`revise`]).
//! 6. The ground program is simplified ([`super::simplify`]).

use super::atoms::Atoms;
use super::branches::{Branches, merge_branches};
use super::config::{GroundConfig, GroundError, LimitKind, Method};
use super::responsible;
use super::seed::facts_without_moves;
use super::simplify::{Draft, refine};
use super::store::Store;
use super::tactics::{Cap, Overflow, Tactics};
use super::{Block, BlockId, GroundProgram, GroundTimes};
use crate::datalog::{Bounds, Codec, Engine, Fire, Plan, Relation, Stop, share_done};
use crate::flat::{
    Flat, FlatLiteral, FlatRule, FlatRuleId, Origin, RelationId, RelationKind, components, flatten,
    read_ground_term,
};
use crate::graph::component_of;
use crate::ids::{BitSet, Csr, IdVec, float, ids_from};
use crate::rewrite::{self, Split};
use grundy_syntax::{Keyword, Notation, Printer, Program, RuleId, Stage};
use std::collections::BTreeSet;
use std::time::Instant;

/// Grounds a game.
///
/// 1. Functions are flattened ([`flatten`]), and relations are classified as static or dynamic. In compact form, rules are
///    simplified.
/// 2. Attempts are made until one succeeds. In compact form, a rule with far more instances than expected ends an attempt,
///    and the next one uses other tactics.
pub fn ground(sheet: &Program, config: &GroundConfig) -> Result<GroundProgram, GroundError> {
    let mut program = sheet.clone();
    for keyword in [Keyword::True, Keyword::Does, Keyword::Init, Keyword::Next, Keyword::Legal] {
        program.predicate(keyword.name(), keyword.arity());
    }
    let check =
        || config.budget.check().map_err(|reason| responsible::budget_error(sheet, &config.budget, reason));
    config.budget.enter(Stage::Flatten);
    let mut flat = flatten(&program, &config.budget);
    super::negation::raise_negated(&program, &mut flat);
    if !config.faithful {
        rewrite::simplify(&mut program, &mut flat, true);
    }
    let mut tactics = Tactics::new(&program, &flat, config);
    check()?;
    config.budget.enter(Stage::Ground);
    loop {
        match attempt((sheet, &program), &flat, &tactics, config) {
            Ok(ground) => return Ok(ground),
            Err(AttemptError::Overflow(overflow)) => {
                tactics.respond(&program, &flat, &overflow);
                check()?;
            }
            Err(AttemptError::Error(error)) => return Err(error),
        }
    }
}

/// Why an attempt failed.
enum AttemptError {
    /// Rules overflowed; another attempt may succeed.
    Overflow(Overflow),
    /// Another attempt would fail as well.
    Error(GroundError),
}

/// One attempt to ground a flat program: steps 1 to 6 of the module docs.
fn attempt(
    (sheet, program): (&Program, &Program),
    flat: &Flat,
    tactics: &Tactics,
    config: &GroundConfig,
) -> Result<GroundProgram, AttemptError> {
    let start = Instant::now();
    let (simplified, mut program, mut flat) = (flat, program.clone(), flat.clone());
    let residue = tactics.apply(&mut program, &mut flat);
    let branches = if config.faithful { merge_branches(&mut flat) } else { IdVec::default() };
    check_budget(sheet, config)?;
    let bounds = Bounds { budget: config.budget.clone(), term_depth: config.max_term_depth };
    let mut engine = Engine::new(&flat, bounds, config.join_order);
    engine.progress = config.progress.clone();
    let mut attempt = Attempt { sheet, config, tactics, simplified, program, flat, engine };
    attempt.grounder().evaluate_statics(RelationId(0))?;
    let (mut splits, frame_rules) = if config.faithful { Default::default() } else { attempt.split()? };
    let (mut store, [statics_done, reach_done]) = attempt.find_instances(branches)?;
    if !config.faithful {
        store = attempt.ground_frame_rules((&mut splits, store), frame_rules)?;
    }
    let instances =
        responsible::instances_by_rule(&attempt.program, &attempt.flat, &store.instances, |_| true);
    if let Some(largest) = responsible::with_most_instances(&instances) {
        config.budget.at_rule(attempt.program.rule(largest).span);
    }
    check_budget(sheet, config)?;
    if !config.faithful {
        store = attempt.revise_splits(splits, store)?;
    }
    let (blocks, repeats) = attempt.finish(store).map_err(|stop| {
        AttemptError::Error(responsible::limit_error(sheet, responsible::limit_kind(stop), &instances, None))
    })?;
    let Attempt { program, flat, engine, .. } = attempt;
    let times = GroundTimes {
        statics: statics_done - start,
        reach: reach_done - statics_done,
        ground: reach_done.elapsed(),
    };
    Ok(GroundProgram {
        atoms: atoms(&flat, &engine),
        steps: engine.steps(),
        program,
        flat: Flat { terms: engine.terms, ..flat },
        relations: engine.relations,
        blocks,
        repeats,
        times,
        residue,
        lifted: tactics.lifted(),
    })
}

fn check_budget(sheet: &Program, config: &GroundConfig) -> Result<(), AttemptError> {
    let error = |reason| AttemptError::Error(responsible::budget_error(sheet, &config.budget, reason));
    config.budget.check().map_err(error)
}

/// The state of an attempt. The terms of the program in work are either in `engine` or in `flat`.
struct Attempt<'a> {
    sheet: &'a Program,
    config: &'a GroundConfig,
    tactics: &'a Tactics,
    /// The flat program before tactics were applied.
    simplified: &'a Flat,
    program: Program,
    flat: Flat,
    engine: Engine,
}

impl Attempt<'_> {
    fn grounder(&mut self) -> Grounder<'_> {
        let caps = self.tactics.caps(self.simplified, &self.flat);
        Grounder::new(&self.program, &self.flat, &mut self.engine, self.config, caps)
    }

    /// Splits rules, with static relations complete, and evaluates new static relations. Returns the splits and the frame
    /// rules, which were removed.
    fn split(&mut self) -> Result<(Vec<Split>, Vec<FlatRule>), AttemptError> {
        let Attempt { program, flat, engine, config, .. } = self;
        let frame_rules = rewrite::take_frame_rules(flat);
        let first_new = RelationId::new(engine.relations.len());
        flat.terms = std::mem::take(&mut engine.terms);
        let splits = rewrite::split(program, flat, &engine.relations, &config.thresholds);
        check_budget(self.sheet, config)?;
        engine.extend(flat);
        self.grounder().evaluate_statics(first_new)?;
        Ok((splits, frame_rules))
    }

    /// Finds and stores the instances of the rules. Also returns when static relations, and the reachable facts and moves,
    /// were complete.
    fn find_instances(
        &mut self,
        branches: IdVec<FlatRuleId, Branches>,
    ) -> Result<(Store, [Instant; 2]), AttemptError> {
        let (sheet, config) = (self.sheet, self.config);
        let mut grounder = self.grounder();
        grounder.store.prepare(grounder.flat, branches);
        let statics_done = Instant::now();
        match config.method {
            Method::Fused => {}
            Method::OneStep => grounder.evaluate_dynamics(false)?,
            Method::Iterative => {
                grounder.seed(&facts_without_moves(sheet, config));
                grounder.iterate()?;
            }
        }
        let reach_done = Instant::now();
        match config.method {
            Method::Fused => grounder.evaluate_dynamics(true)?,
            Method::OneStep | Method::Iterative => grounder.store_all()?,
        }
        grounder.store.check().map_err(|stop| grounder.error(stop, FlatRuleId(0)))?;
        Ok((grounder.store, [statics_done, reach_done]))
    }

    /// Splits and grounds the frame rules, with all other relations complete.
    fn ground_frame_rules(
        &mut self,
        (splits, store): (&mut Vec<Split>, Store),
        frame_rules: Vec<FlatRule>,
    ) -> Result<Store, AttemptError> {
        let Attempt { program, flat, engine, config, .. } = self;
        flat.terms = std::mem::take(&mut engine.terms);
        let first = FlatRuleId::new(flat.rules.len());
        let added =
            rewrite::add_frame_rules(program, flat, &engine.relations, frame_rules, &config.thresholds);
        splits.extend(added);
        engine.extend(flat);
        let mut grounder = Grounder { program, flat, engine, store };
        grounder.store.active = true;
        grounder.store.extend(flat, &[]);
        grounder.run_all(ids_from(first, flat.rules.len()))?;
        grounder.store.check().map_err(|stop| grounder.error(stop, FlatRuleId(0)))?;
        Ok(grounder.store)
    }

    /// Revises splits in two rounds, and drops the rules that were replaced. The second round revises the splits of the
    /// first one, and splits nothing more.
    fn revise_splits(&mut self, mut splits: Vec<Split>, mut store: Store) -> Result<Store, AttemptError> {
        for min_cost in [self.config.thresholds.split, f64::INFINITY] {
            let Attempt { program, flat, engine, .. } = self;
            (splits, store) = revise(program, flat, engine, (splits, store), min_cost)?;
            check_budget(self.sheet, self.config)?;
        }
        let mut ids = self.flat.rules.ids();
        self.flat.rules.retain(|_| ids.next().is_some_and(|id| !store.is_dropped(id)));
        Ok(store)
    }

    /// The ground rules, in compact form simplified, and the number of repeats.
    fn finish(&mut self, store: Store) -> Result<(IdVec<BlockId, Block>, u64), Stop> {
        let Attempt { program, flat, engine, config, .. } = self;
        let (mut blocks, repeats) = store.finish(&engine.relations, &config.budget)?;
        if !config.faithful {
            flat.terms = std::mem::take(&mut engine.terms);
            let (relations, blocks) = (&mut engine.relations, &mut blocks);
            let draft = Draft { program, flat, relations, blocks };
            refine(draft, config.thresholds.complement, &config.budget)?;
            engine.terms = std::mem::take(&mut flat.terms);
        }
        Ok((blocks, repeats))
    }
}

/// Revises splits: counts the instances that split rules would have unsplit, undoes splits that do not pay, splits rules
/// that turned out large, and stores the changed rules again.
fn revise(
    program: &mut Program,
    flat: &mut Flat,
    engine: &mut Engine,
    (splits, store): (Vec<Split>, Store),
    min_cost: f64,
) -> Result<(Vec<Split>, Store), AttemptError> {
    let is_at_most = |rule: &FlatRule, most: u64| {
        let mut counter = Counter { most, left: most, flat };
        engine.run_once(rule, |literal| is_ignored(flat, literal), &mut counter).is_ok()
    };
    let wrong = rewrite::wrongly_split(flat, &splits, &store.instances, is_at_most);
    let splits: Vec<(Split, bool)> = splits.into_iter().zip(wrong).collect();
    flat.terms = std::mem::take(&mut engine.terms);
    let known = (&engine.relations, &store.instances);
    let mut revision = rewrite::revise(program, flat, &splits, known, min_cost);
    engine.extend(flat);
    let mut grounder = Grounder { program, flat, engine, store };
    grounder.store.active = true;
    grounder.store.extend(flat, &revision.caps(flat));
    let failed = grounder.try_all(ids_from(revision.first_new, flat.rules.len()))?;
    revision.take_back(&failed);
    let again = grounder.store.forget(&revision.dropped);
    grounder.run_all(again.into_iter())?;
    Ok((revision.splits, grounder.store))
}

/// Counts the instances that would be stored, up to a maximum.
struct Counter<'a> {
    most: u64,
    left: u64,
    flat: &'a Flat,
}

impl Fire for Counter<'_> {
    fn select(&mut self, _rule: FlatRuleId) {}

    fn keeps(&self, literal: &FlatLiteral) -> bool {
        literal.atom().is_some_and(|atom| self.flat.info(atom.relation).kind == RelationKind::Dynamic)
    }

    fn begin(&mut self, _plan: &Plan) -> u64 {
        self.left.saturating_mul(STEPS_PER_MATCH)
    }

    fn fire(&mut self, _engine: &mut Engine, _plan: &Plan) -> Result<(), Stop> {
        self.left = self.left.checked_sub(1).ok_or(Stop::TooMany)?;
        Ok(())
    }

    /// Stops when the positions of the loops predict clearly more matches than the maximum.
    fn look(&mut self, engine: &Engine, plan: &Plan, at: usize) -> Result<(), Stop> {
        let expected = float(self.most - self.left) / share_done(engine, plan, at).max(f64::MIN_POSITIVE);
        if expected > MATCH_FORECAST_MARGIN * float(self.most) { Err(Stop::TooMany) } else { Ok(()) }
    }
}

/// Counting stops when the expected matches exceed the maximum by this factor: the estimate is rough. A guess.
const MATCH_FORECAST_MARGIN: f64 = 2.0;

/// The number of steps that counting may take for each match of the maximum. A guess.
const STEPS_PER_MATCH: u64 = 8;

/// The atoms: one for each row of a dynamic relation.
fn atoms(flat: &Flat, engine: &Engine) -> Atoms {
    let relations = engine.relations.iter().zip(&flat.relations);
    Atoms::new(relations.map(|(rows, info)| if info.kind == RelationKind::Dynamic { rows.len() } else { 0 }))
}

struct Grounder<'a> {
    program: &'a Program,
    flat: &'a Flat,
    engine: &'a mut Engine,
    store: Store,
}

/// Whether a condition is ignored in matching: dynamic negation, which may not prune.
fn is_ignored(flat: &Flat, literal: &FlatLiteral) -> bool {
    matches!(literal, FlatLiteral::Not(atom) if flat.info(atom.relation).kind == RelationKind::Dynamic)
}

impl<'a> Grounder<'a> {
    fn new(
        program: &'a Program,
        flat: &'a Flat,
        engine: &'a mut Engine,
        config: &GroundConfig,
        caps: IdVec<FlatRuleId, Cap>,
    ) -> Grounder<'a> {
        Grounder { program, flat, engine, store: Store::new(flat, config, caps) }
    }

    fn is_static(&self, relation: RelationId) -> bool {
        self.flat.relations[relation].kind == RelationKind::Static
    }

    /// Evaluates the static relations from this one on.
    fn evaluate_statics(&mut self, first: RelationId) -> Result<(), AttemptError> {
        self.store.active = false;
        let components = self.components();
        self.check_static_negation(&components)?;
        let statics: Vec<&Vec<RelationId>> = components
            .iter()
            .filter(|members| self.is_static(members[0]) && members.iter().any(|&member| member >= first))
            .collect();
        self.evaluate(statics.into_iter(), |_| true)
    }

    fn evaluate_dynamics(&mut self, store: bool) -> Result<(), AttemptError> {
        self.store.active = store;
        let components = self.components();
        let rest: Vec<&Vec<RelationId>> =
            components.iter().filter(|members| !self.is_static(members[0])).collect();
        self.evaluate(rest.into_iter(), |_| true)
    }

    fn components(&self) -> Vec<Vec<RelationId>> {
        components(self.flat, |literal| !is_ignored(self.flat, literal))
    }

    /// Evaluates components in order, with the rules that `wanted` accepts. After an overflow, components that do not depend
    /// on the incomplete relation are still evaluated, to find further overflows in the same attempt.
    fn evaluate<'c>(
        &mut self,
        components: impl Iterator<Item = &'c Vec<RelationId>>,
        wanted: impl Fn(&FlatRule) -> bool,
    ) -> Result<(), AttemptError> {
        let flat = self.flat;
        let wanted_rules = flat.rules.entries().filter(|(_, rule)| wanted(rule));
        let by_head = wanted_rules.map(|(id, rule)| (rule.head.relation, id));
        let rules_of: Csr<RelationId, FlatRuleId> = Csr::grouped(flat.relations.len(), by_head);
        let mut unknown = flat.no_relations();
        let mut readers = IdVec::filled(0, flat.relations.len());
        flat.rules.iter().flat_map(FlatRule::relations_read).for_each(|read| readers[read] += 1);
        let mut overflows: Vec<RuleId> = Vec::new();
        for members in components {
            let ids = members.iter().flat_map(|&member| &rules_of[member]);
            let rules: Vec<(FlatRuleId, &FlatRule)> = ids.map(|&id| (id, &flat.rules[id])).collect();
            let ignored = |literal: &FlatLiteral| is_ignored(flat, literal);
            let matched = rules.iter().flat_map(|(_, rule)| &rule.body).filter(|literal| !ignored(literal));
            if matched.filter_map(FlatLiteral::atom).any(|atom| unknown.contains(atom.relation)) {
                members.iter().for_each(|&member| unknown.set(member, true));
                continue;
            }
            if let Some(&(id, _)) = rules.first() {
                self.begin(id);
            }
            match self.engine.saturate(&rules, members, ignored, &mut self.store) {
                Ok(()) if self.store.runs_once() => self.forget_guards(&rules, &mut readers),
                Ok(()) => {}
                Err((Stop::Overflow, rules)) => {
                    overflows.extend(rules.iter().filter_map(|&id| flat.rules[id].origin.rule()));
                    members.iter().for_each(|&member| unknown.set(member, true));
                }
                Err((stop, rules)) => return Err(self.error(stop, rules[0])),
            }
        }
        if overflows.is_empty() {
            return Ok(());
        }
        Err(AttemptError::Overflow(Overflow { rules: overflows, instances: self.instances(|_| true) }))
    }

    /// Frees the guard relations that no rule reads any more, after the last run of some rules.
    fn forget_guards(&mut self, done: &[(FlatRuleId, &FlatRule)], readers: &mut IdVec<RelationId, u32>) {
        for read in done.iter().flat_map(|(_, rule)| rule.relations_read()) {
            readers[read] -= 1;
            if readers[read] == 0 && self.flat.relations[read].kind == RelationKind::Guard {
                let relation = &mut self.engine.relations[read];
                *relation = Relation::new(relation.arity());
            }
        }
    }

    /// Runs every rule once, all relations being complete.
    fn store_all(&mut self) -> Result<(), AttemptError> {
        self.store.active = true;
        self.store.forget_counts();
        let kept: Vec<FlatRuleId> =
            self.flat.rules.ids().filter(|&rule| self.store.keeps_instances(rule)).collect();
        self.run_all(kept.into_iter())
    }

    /// Runs these rules once, one after the other.
    fn run_all(&mut self, mut rules: impl Iterator<Item = FlatRuleId>) -> Result<(), AttemptError> {
        rules.try_for_each(|id| self.run_one(id).map_err(|stop| self.error(stop, id)))
    }

    /// Runs these rules once. Returns those that overflow.
    fn try_all(&mut self, rules: impl Iterator<Item = FlatRuleId>) -> Result<Vec<FlatRuleId>, AttemptError> {
        let mut failed = Vec::new();
        for id in rules {
            match self.run_one(id) {
                Ok(()) => {}
                Err(Stop::Overflow) => failed.push(id),
                Err(stop) => return Err(self.error(stop, id)),
            }
        }
        Ok(failed)
    }

    /// Reports the rule of the sheet in work to the budget.
    fn begin(&self, id: FlatRuleId) {
        if let Some(rule) = self.flat.rules[id].origin.rule() {
            self.engine.bounds.budget.at_rule(self.program.rule(rule).span);
        }
    }

    fn run_one(&mut self, id: FlatRuleId) -> Result<(), Stop> {
        let flat = self.flat;
        self.begin(id);
        self.store.select(id);
        let ignored = |literal: &FlatLiteral| is_ignored(flat, literal);
        self.engine.run_once(&flat.rules[id], ignored, &mut self.store)
    }

    /// Finds all possible facts and moves in rounds, as a match proceeds: the moves that are legal for the facts so far, then
    /// the facts that follow from them.
    fn iterate(&mut self) -> Result<(), AttemptError> {
        self.store.active = false;
        let components = self.components();
        let is_link = |rule: &FlatRule| rule.origin == Origin::Link;
        let is_given = |&relation: &RelationId| {
            matches!(self.flat.keyword(self.program, relation), Some(Keyword::True | Keyword::Does))
        };
        let given = self.flat.relations_where(is_given);
        let mut before = None;
        loop {
            self.store.forget_counts();
            self.run_links()?;
            let now = Some(self.count(&given));
            if now == before {
                return Ok(());
            }
            before = now;
            for relation in self.flat.relations.ids() {
                if !given.contains(relation) && !self.is_static(relation) {
                    self.engine.relations[relation].clear();
                }
            }
            let singles: Vec<Vec<RelationId>> =
                components.iter().filter(|members| !self.is_static(members[0])).cloned().collect();
            let order = without_links(self.flat, &singles);
            self.evaluate(order.iter(), |rule| !is_link(rule))?;
        }
    }

    /// Adds facts that are possible from the start.
    fn seed(&mut self, facts: &BTreeSet<String>) {
        let is_fact =
            |&relation: &RelationId| self.flat.keyword(self.program, relation) == Some(Keyword::True);
        let relations: Vec<RelationId> = self.flat.relations.ids().filter(is_fact).collect();
        let mut codec = Codec::new(self.flat, &relations, 0);
        let mut symbols = self.program.symbols.clone();
        for fact in facts {
            let Some(term) = read_ground_term(fact, &mut symbols, &mut self.engine.terms) else { continue };
            if let Some((relation, row)) = codec.decode(&self.engine.terms, term) {
                self.engine.relations[relation].insert(row.iter().copied());
            }
        }
    }

    /// The number of rows of these relations.
    fn count(&self, relations: &BitSet<RelationId>) -> u64 {
        relations.iter().map(|relation| u64::from(self.engine.relations[relation].len())).sum()
    }

    fn run_links(&mut self) -> Result<(), AttemptError> {
        let links = self.flat.rules.entries().filter(|(_, rule)| rule.origin == Origin::Link);
        self.run_all(links.map(|(id, _)| id))
    }

    fn check_static_negation(&self, components: &[Vec<RelationId>]) -> Result<(), AttemptError> {
        let component_of = component_of(components, self.flat.relations.len());
        for rule in &self.flat.rules {
            for literal in rule.body.iter().filter(|literal| !is_ignored(self.flat, literal)) {
                if let FlatLiteral::Not(atom) = literal
                    && component_of[atom.relation] == component_of[rule.head.relation]
                    && let Origin::Rule(number) = rule.origin
                {
                    let rule = self.program.rule(number);
                    let text = Printer::new(self.program, Notation::Kif).rule(rule);
                    return Err(AttemptError::Error(GroundError::NegationCycle {
                        rule: text,
                        span: rule.span,
                    }));
                }
            }
        }
        Ok(())
    }

    /// The number of instances of each rule of the sheet, restricted to the relations that `counts` accepts.
    fn instances(&self, counts: impl Fn(RelationId) -> bool) -> IdVec<RuleId, u64> {
        responsible::instances_by_rule(self.program, self.flat, &self.store.instances, counts)
    }

    /// The error for a stop in a rule. Only stored instances count towards the limit on rules.
    fn error(&self, stop: Stop, running: FlatRuleId) -> AttemptError {
        let origin = self.flat.rules[running].origin;
        if let (Stop::Overflow, Origin::Rule(rule) | Origin::External(rule)) = (stop, origin) {
            return AttemptError::Overflow(Overflow {
                rules: vec![rule],
                instances: self.instances(|_| true),
            });
        }
        let limit = responsible::limit_kind(stop);
        let instances = self.instances(|relation| {
            limit != LimitKind::Rules || self.flat.info(relation).kind != RelationKind::Static
        });
        AttemptError::Error(responsible::limit_error(self.program, limit, &instances, origin.rule()))
    }
}

/// The components without links, for evaluation with given `true` and `does`.
fn without_links(flat: &Flat, components_with_links: &[Vec<RelationId>]) -> Vec<Vec<RelationId>> {
    let wanted: Vec<RelationId> = components_with_links.iter().flatten().copied().collect();
    let rules = flat.rules.iter().filter(|rule| rule.origin != Origin::Link).cloned().collect();
    let unlinked = Flat { relations: flat.relations.clone(), rules, ..Flat::default() };
    let order = components(&unlinked, |literal| !is_ignored(flat, literal));
    order.into_iter().filter(|members| wanted.contains(&members[0])).collect()
}
