//! The meaning of a program, given the facts of some of its predicates.

use crate::components::components;
use crate::error::{Error, Limits};
use crate::facts::Facts;
use crate::fixpoint::{Component, Failure, evaluate};
use crate::plan::plan;
use grundy_syntax::{Literal, Notation, PredicateId, Printer, Program, Symbols, TermId, Terms};
use rustc_hash::FxHashSet;

/// A program with some predicates given from outside, in tiers: facts of the first tier change
/// more seldom than those of the second. What depends on no given predicate is derived once.
///
/// A game has the tiers `true` and `does`; a theory has one tier, its dynamic predicates.
pub struct Evaluator {
    program: Program,
    facts: Facts,
    /// Components in the order of evaluation, with their tiers.
    components: Vec<(usize, Component)>,
    /// For each tier, its given predicates.
    given: Vec<Vec<PredicateId>>,
    /// For each predicate, how many of the tiers have to be given before it is known.
    tiers: Vec<usize>,
    /// How many of the tiers are given, with all derived that depends on them alone.
    ready: usize,
}

impl Evaluator {
    /// Prepares a program and derives what depends on no given predicate.
    ///
    /// Only what the `wanted` predicates depend on is ever derived. No rule may define a given
    /// predicate.
    pub fn new(
        program: Program,
        given: Vec<Vec<PredicateId>>,
        wanted: &[PredicateId],
        limits: Limits,
    ) -> Result<Evaluator, Error> {
        let facts = Facts::new(program.terms.clone(), program.predicate_count(), limits);
        let tiers = vec![0; program.predicate_count()];
        let mut evaluator = Evaluator { program, facts, components: Vec::new(), given, tiers, ready: 0 };
        evaluator.prepare(wanted)?;
        evaluator.derive(0)?;
        Ok(evaluator)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Changes the bounds.
    pub fn set_limits(&mut self, limits: Limits) {
        self.facts.set_limits(limits);
    }

    /// How many of the tiers have to be given before a predicate is known. This is meant for
    /// predicates that are wanted, or that a wanted one depends on.
    pub fn tier(&self, predicate: PredicateId) -> usize {
        self.tiers[predicate.index()]
    }

    /// Gives the facts of a tier and derives what follows; what depends on later tiers is forgotten.
    ///
    /// # Panics
    ///
    /// If an earlier tier is missing because it was not given, or because that ended in an error; or
    /// if a row belongs to a predicate of another tier.
    pub fn set(
        &mut self,
        tier: usize,
        rows: impl IntoIterator<Item = (PredicateId, Box<[TermId]>)>,
    ) -> Result<(), Error> {
        assert!(tier <= self.ready, "earlier tiers come first");
        self.ready = tier;
        for &predicate in self.given[tier..].iter().flatten() {
            self.facts.clear(predicate);
        }
        for (_, component) in self.components.iter().filter(|(needs, _)| *needs > tier) {
            component.members.iter().for_each(|&member| self.facts.clear(member));
        }
        for (predicate, row) in rows {
            assert!(self.given[tier].contains(&predicate), "a tier has its own predicates");
            self.facts.insert(predicate, &row);
        }
        self.derive(tier + 1)?;
        self.ready = tier + 1;
        Ok(())
    }

    /// What is known of a predicate, in no particular order.
    pub fn rows(&self, predicate: PredicateId) -> impl Iterator<Item = &[TermId]> {
        self.facts.relation(predicate).rows().iter()
    }

    /// Whether a fact is known.
    pub fn holds(&self, predicate: PredicateId, row: &[TermId]) -> bool {
        self.facts.relation(predicate).contains(row)
    }

    /// The terms of all facts.
    pub fn terms(&self) -> &Terms {
        &self.facts.terms
    }

    /// The same, to add terms.
    pub fn terms_mut(&mut self) -> &mut Terms {
        &mut self.facts.terms
    }

    /// The same, with the names that new terms may need.
    pub fn names_and_terms_mut(&mut self) -> (&mut Symbols, &mut Terms) {
        (&mut self.program.symbols, &mut self.facts.terms)
    }

    /// Makes the components that the wanted predicates depend on.
    fn prepare(&mut self, wanted: &[PredicateId]) -> Result<(), Error> {
        let rules = rules_by_head(&self.program);
        for (tier, predicates) in self.given.iter().enumerate() {
            for predicate in predicates {
                self.tiers[predicate.index()] = tier + 1;
                if let Some(&rule) = rules[predicate.index()].first() {
                    return Err(Error::DefinesGiven { rule: print_rule(&self.program, rule) });
                }
            }
        }
        let needed = needed(&self.program, &rules, wanted);
        for members in components(&self.program) {
            if members.iter().all(|member| needed[member.index()]) {
                let component = self.component(members, &rules)?;
                self.components.push(component);
            }
        }
        Ok(())
    }

    /// Makes a component and tells its tier. Those that it depends on have been made before, so that
    /// their tiers are known.
    fn component(
        &mut self,
        members: Vec<PredicateId>,
        rules: &[Vec<usize>],
    ) -> Result<(usize, Component), Error> {
        let is_member: FxHashSet<PredicateId> = members.iter().copied().collect();
        let mut plans = Vec::new();
        let mut tier = members.iter().map(|&member| self.tier(member)).max().unwrap_or(0);
        let mut has_negation = false;
        for &number in members.iter().flat_map(|member| &rules[member.index()]) {
            let rule = &self.program.rules[number];
            for literal in rule.literals() {
                tier = literal.atom().map_or(tier, |atom| tier.max(self.tier(atom.predicate)));
                has_negation |= matches!(literal, Literal::Not(atom) if is_member.contains(&atom.predicate));
            }
            let plan = plan(&mut self.facts.terms, number, rule);
            plans.push(plan.ok_or_else(|| Error::Unsafe { rule: print_rule(&self.program, number) })?);
        }
        members.iter().for_each(|member| self.tiers[member.index()] = tier);
        Ok((tier, Component { members, plans, has_negation }))
    }

    /// Evaluates the components of a tier.
    fn derive(&mut self, tier: usize) -> Result<(), Error> {
        let Evaluator { program, facts, components, .. } = self;
        for (_, component) in components.iter().filter(|(needs, _)| *needs == tier) {
            evaluate(facts, component).map_err(|failure| match failure {
                Failure::Stopped(stop, rule) => {
                    facts.at_rule(program.rules[rule].span);
                    facts.error(stop, print_rule(program, rule))
                }
                Failure::Cycle(predicate, row) => {
                    Error::NegationCycle { atom: print_fact(program, facts, predicate, &row) }
                }
            })?;
        }
        Ok(())
    }
}

/// For each predicate the numbers of the rules that define it.
fn rules_by_head(program: &Program) -> Vec<Vec<usize>> {
    let mut rules = vec![Vec::new(); program.predicate_count()];
    for (number, rule) in program.rules.iter().enumerate() {
        rules[rule.head.predicate.index()].push(number);
    }
    rules
}

/// Which predicates the wanted ones depend on, themselves included.
fn needed(program: &Program, rules: &[Vec<usize>], wanted: &[PredicateId]) -> Vec<bool> {
    let mut needed = vec![false; program.predicate_count()];
    let mut work: Vec<PredicateId> = wanted.to_vec();
    while let Some(predicate) = work.pop() {
        if std::mem::replace(&mut needed[predicate.index()], true) {
            continue;
        }
        let literals = rules[predicate.index()].iter().flat_map(|&rule| program.rules[rule].literals());
        work.extend(literals.filter_map(|literal| literal.atom()).map(|atom| atom.predicate));
    }
    needed
}

fn print_rule(program: &Program, rule: usize) -> String {
    Printer::new(program, Notation::Kif).rule(&program.rules[rule])
}

fn print_fact(program: &Program, facts: &Facts, predicate: PredicateId, row: &[TermId]) -> String {
    let args: Vec<String> =
        row.iter().map(|&term| crate::game::text_of(&program.symbols, &facts.terms, term)).collect();
    if args.is_empty() {
        program.name(predicate).to_owned()
    } else {
        format!("({} {})", program.name(predicate), args.join(" "))
    }
}
