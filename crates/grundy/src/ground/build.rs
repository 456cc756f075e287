//! From a program to its ground program.

use super::compact::compact;
use super::components::components;
use super::config::{GroundConfig, GroundError, LimitKind, Method};
use super::store::Store;
use super::{GroundProgram, GroundTimes};
use crate::flat::{Flat, FlatLiteral, FlatRule, Origin, RelationKind, flatten};
use crate::tabling::{Budget, Engine, Stop};
use grundy_syntax::{Keyword, Notation, Printer, Program};
use std::time::Instant;

/// Grounds a game.
///
/// 1. Functions are taken apart ([`flatten`]), relations are classed static or dynamic.
/// 2. Static relations are evaluated.
/// 3. g(R): the rules are run with `true` and `does` standing for all that can be true and be done,
///    and without their dynamic negations, which may not prune; each match stores s(R), the rule
///    without its static conditions.
pub fn ground(program: &Program, config: &GroundConfig) -> Result<GroundProgram, GroundError> {
    let start = Instant::now();
    let mut program = program.clone();
    for keyword in [Keyword::True, Keyword::Does, Keyword::Init, Keyword::Next, Keyword::Legal] {
        program.predicate(keyword.name(), keyword.arity());
    }
    let mut flat = flatten(&program);
    let budget = Budget {
        deadline: config.timeout.and_then(|timeout| start.checked_add(timeout)),
        bytes: config.max_bytes,
        term_depth: config.max_term_depth,
        interrupt: config.interrupt.clone(),
    };
    let mut engine = Engine::new(&flat, budget);
    engine.progress = config.progress.clone();
    if !config.faithful {
        // Splitting looks at the sizes of static relations.
        Grounder::new(&program, &flat, &mut engine, config).evaluate_statics(0)?;
        let known = engine.relations.len();
        flat.terms = std::mem::take(&mut engine.terms);
        compact(&mut program, &mut flat, &mut engine.relations);
        engine.extend(&flat);
        Grounder::new(&program, &flat, &mut engine, config).evaluate_statics(known)?;
    }
    let mut grounder = Grounder::new(&program, &flat, &mut engine, config);
    if config.faithful {
        grounder.evaluate_statics(0)?;
    }
    let statics_done = Instant::now();
    match config.method {
        Method::Fused => {}
        Method::OneStep => grounder.evaluate_dynamics(false)?,
        Method::Iterative => grounder.iterate()?,
    }
    let reach_done = Instant::now();
    match config.method {
        Method::Fused => grounder.evaluate_dynamics(true)?,
        Method::OneStep | Method::Iterative => grounder.store_all()?,
    }
    let (blocks, repeats) = grounder.store.finish(&grounder.engine.relations);
    let offsets = offsets(&flat, &engine);
    let times = GroundTimes {
        statics: statics_done - start,
        reach: reach_done - statics_done,
        ground: reach_done.elapsed(),
    };
    let flat = Flat { terms: engine.terms, ..flat };
    Ok(GroundProgram { program, flat, relations: engine.relations, offsets, blocks, repeats, times })
}

/// The first atom of each relation: dynamic relations have one for each row, others none.
fn offsets(flat: &Flat, engine: &Engine) -> Vec<u32> {
    let mut offsets = vec![0];
    for (relation, info) in engine.relations.iter().zip(&flat.relations) {
        let atoms = if info.kind == RelationKind::Dynamic { relation.len() } else { 0 };
        offsets.push(offsets[offsets.len() - 1] + atoms);
    }
    offsets
}

struct Grounder<'a> {
    program: &'a Program,
    flat: &'a Flat,
    engine: &'a mut Engine,
    store: Store,
}

/// Whether a condition takes no part in matching: dynamic negation.
fn is_ignored(flat: &Flat, literal: &FlatLiteral) -> bool {
    matches!(literal, FlatLiteral::Not(atom) if flat.info(atom.relation).kind == RelationKind::Dynamic)
}

impl<'a> Grounder<'a> {
    fn new(
        program: &'a Program,
        flat: &'a Flat,
        engine: &'a mut Engine,
        config: &GroundConfig,
    ) -> Grounder<'a> {
        Grounder { program, flat, engine, store: Store::new(flat, config.max_rules) }
    }

    fn is_static(&self, relation: usize) -> bool {
        self.flat.relations[relation].kind == RelationKind::Static
    }

    /// Evaluates the static relations from this one on.
    fn evaluate_statics(&mut self, first: usize) -> Result<(), GroundError> {
        self.store.active = false;
        let components = self.components();
        self.check_static_negation(&components)?;
        let statics: Vec<&Vec<usize>> = components
            .iter()
            .filter(|members| self.is_static(members[0]) && members.iter().any(|&member| member >= first))
            .collect();
        self.evaluate(statics.into_iter(), |_| true)
    }

    fn evaluate_dynamics(&mut self, store: bool) -> Result<(), GroundError> {
        self.store.active = store;
        let components = self.components();
        let rest: Vec<&Vec<usize>> =
            components.iter().filter(|members| !self.is_static(members[0])).collect();
        self.evaluate(rest.into_iter(), |_| true)
    }

    fn components(&self) -> Vec<Vec<usize>> {
        components(self.flat, |literal| !is_ignored(self.flat, literal))
    }

    /// Evaluates components one after the other, with the rules that are wanted.
    fn evaluate<'c>(
        &mut self,
        components: impl Iterator<Item = &'c Vec<usize>>,
        wanted: impl Fn(&FlatRule) -> bool,
    ) -> Result<(), GroundError> {
        let mut rules_of: Vec<Vec<usize>> = vec![Vec::new(); self.flat.relations.len()];
        for (number, rule) in self.flat.rules.iter().enumerate().filter(|(_, rule)| wanted(rule)) {
            rules_of[rule.head.relation.0 as usize].push(number);
        }
        let flat = self.flat;
        for members in components {
            let numbers = members.iter().flat_map(|&member| &rules_of[member]);
            let rules: Vec<(usize, &FlatRule)> =
                numbers.map(|&number| (number, &flat.rules[number])).collect();
            let ignored = |literal: &FlatLiteral| is_ignored(flat, literal);
            let done = self.engine.saturate(&rules, members, ignored, &mut self.store);
            done.map_err(|(stop, number)| self.error(stop, number))?;
        }
        Ok(())
    }

    /// Runs every rule once, all relations being complete.
    fn store_all(&mut self) -> Result<(), GroundError> {
        self.store.active = true;
        let flat = self.flat;
        for (number, rule) in flat.rules.iter().enumerate() {
            if rule.origin == Origin::Link || flat.info(rule.head.relation).kind != RelationKind::Dynamic {
                continue;
            }
            crate::tabling::Fire::select(&mut self.store, number);
            let ignored = |literal: &FlatLiteral| is_ignored(flat, literal);
            let done = self.engine.run_once(rule, ignored, &mut self.store);
            done.map_err(|stop| self.error(stop, number))?;
        }
        Ok(())
    }

    /// Round by round: what can be done in what can be true, what can be true after it.
    fn iterate(&mut self) -> Result<(), GroundError> {
        self.store.active = false;
        let components = self.components();
        let is_link = |rule: &FlatRule| rule.origin == Origin::Link;
        let given: Vec<bool> = (0..self.flat.relations.len())
            .map(|relation| {
                let keyword = self.program.info(self.flat.relations[relation].predicate).keyword;
                matches!(keyword, Some(Keyword::True | Keyword::Does))
            })
            .collect();
        loop {
            let before: u64 = self.count(&given);
            self.run_links()?;
            if self.count(&given) == before {
                return Ok(());
            }
            for (relation, given) in given.iter().enumerate() {
                if !given && !self.is_static(relation) {
                    self.engine.relations[relation].clear();
                }
            }
            let singles: Vec<Vec<usize>> =
                components.iter().filter(|members| !self.is_static(members[0])).cloned().collect();
            let order = without_links(self.flat, &singles);
            self.evaluate(order.iter(), |rule| !is_link(rule))?;
        }
    }

    fn count(&self, wanted: &[bool]) -> u64 {
        let rows = self.engine.relations.iter().zip(wanted).filter(|(_, wanted)| **wanted);
        rows.map(|(relation, _)| u64::from(relation.len())).sum()
    }

    fn run_links(&mut self) -> Result<(), GroundError> {
        let flat = self.flat;
        for (number, rule) in flat.rules.iter().enumerate().filter(|(_, rule)| rule.origin == Origin::Link) {
            crate::tabling::Fire::select(&mut self.store, number);
            self.engine
                .run_once(rule, |_| false, &mut self.store)
                .map_err(|stop| self.error(stop, number))?;
        }
        Ok(())
    }

    fn check_static_negation(&self, components: &[Vec<usize>]) -> Result<(), GroundError> {
        let mut component_of = vec![0; self.flat.relations.len()];
        for (number, members) in components.iter().enumerate() {
            members.iter().for_each(|&member| component_of[member] = number);
        }
        for rule in &self.flat.rules {
            for literal in rule.body.iter().filter(|literal| !is_ignored(self.flat, literal)) {
                if let FlatLiteral::Not(atom) = literal
                    && component_of[atom.relation.0 as usize] == component_of[rule.head.relation.0 as usize]
                    && let Origin::Rule(number) = rule.origin
                {
                    let rule = &self.program.rules[number as usize];
                    let text = Printer::new(self.program, Notation::Kif).rule(rule);
                    return Err(GroundError::NegationCycle { rule: text, span: rule.span });
                }
            }
        }
        Ok(())
    }

    /// The limit that was hit, with the rule of the sheet that is to blame: the one that was running for terms that
    /// grow, otherwise the one with the most instances. Only stored instances count towards the limit on rules.
    fn error(&self, stop: Stop, running: usize) -> GroundError {
        let limit = match stop {
            Stop::OutOfTime => LimitKind::Timeout,
            Stop::OutOfMemory => LimitKind::Memory,
            Stop::TooDeep => LimitKind::TermDepth,
            Stop::Interrupted => LimitKind::Interrupt,
            Stop::TooMany | Stop::NegationCycle => LimitKind::Rules,
        };
        let mut instances = vec![0; self.program.rules.len()];
        for (rule, &count) in self.flat.rules.iter().zip(&self.store.instances) {
            let counts = limit != LimitKind::Rules || !self.is_static(rule.head.relation.0 as usize);
            if let (Origin::Rule(number), true) = (rule.origin, counts) {
                instances[number as usize] += count;
            }
        }
        let most = (0..instances.len()).max_by_key(|&rule| (instances[rule], std::cmp::Reverse(rule)));
        let culprit = match (limit, self.flat.rules[running].origin) {
            (LimitKind::TermDepth, Origin::Rule(number)) => Some(number as usize),
            _ => most,
        };
        let (rule, instances, span) = match culprit {
            Some(culprit) => {
                let rule = &self.program.rules[culprit];
                (Printer::new(self.program, Notation::Kif).rule(rule), instances[culprit], rule.span)
            }
            None => Default::default(),
        };
        GroundError::Limit { limit, rule, instances, span }
    }
}

/// The order of evaluation when `true` and `does` are given.
fn without_links(flat: &Flat, components_with_links: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let wanted: Vec<usize> = components_with_links.iter().flatten().copied().collect();
    let rules = flat.rules.iter().filter(|rule| rule.origin != Origin::Link).cloned().collect();
    let unlinked = Flat { relations: flat.relations.clone(), rules, terms: Default::default() };
    let order = components(&unlinked, |literal| !is_ignored(flat, literal));
    order.into_iter().filter(|members| wanted.contains(&members[0])).collect()
}
