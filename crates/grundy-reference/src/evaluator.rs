//! The meaning of a program, given the facts of some of its predicates.

use crate::components::components;
use crate::error::{Error, Limits};
use crate::fixpoint::{Facts, Negation, Stop};
use crate::plan::{Plan, plan};
use crate::relation::Relation;
use grundy_syntax::{Literal, Notation, PredicateId, Printer, Program, TermId};

/// A program with some predicates given from outside, in tiers: facts of the first tier change
/// more seldom than those of the second. What depends on no given predicate is derived once.
///
/// A game has the tiers `true` and `does`; a theory has one tier, its dynamic predicates.
pub struct Evaluator {
    program: Program,
    facts: Facts,
    /// Components in the order of evaluation.
    components: Vec<Component>,
    /// For each tier, its given predicates.
    given: Vec<Vec<PredicateId>>,
}

struct Component {
    members: Vec<PredicateId>,
    plans: Vec<Plan>,
    /// How many of the tiers have to be given before this can be derived.
    tier: usize,
    /// Whether a member depends on the negation of a member.
    has_negation: bool,
}

impl Evaluator {
    /// Prepares a program. Only what the `wanted` predicates depend on is ever derived.
    pub fn new(
        program: Program,
        given: Vec<Vec<PredicateId>>,
        wanted: &[PredicateId],
        limits: Limits,
    ) -> Result<Evaluator, Error> {
        let facts = Facts::new(program.terms.clone(), program.predicate_count(), limits);
        let needed = needed(&program, wanted);
        let mut tiers = vec![0; program.predicate_count()];
        for (tier, predicates) in given.iter().enumerate() {
            predicates.iter().for_each(|predicate| tiers[predicate.0 as usize] = tier + 1);
        }
        let mut prepared = Vec::new();
        for members in components(&program) {
            if members.iter().all(|member| needed[member.0 as usize]) {
                prepared.push(prepare(&program, members, &mut tiers)?);
            }
        }
        let mut evaluator = Evaluator { program, facts, components: prepared, given };
        evaluator.derive(0)?;
        Ok(evaluator)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Changes when to give up.
    pub fn set_limits(&mut self, limits: Limits) {
        self.facts.limits = limits;
    }

    /// Gives the facts of a tier and derives what follows; what depends on later tiers is forgotten.
    pub fn set(
        &mut self,
        tier: usize,
        rows: impl IntoIterator<Item = (PredicateId, Box<[TermId]>)>,
    ) -> Result<(), Error> {
        for predicate in self.given[tier..].iter().flatten() {
            self.facts.clear(*predicate);
        }
        for component in self.components.iter().filter(|component| component.tier > tier) {
            component.members.iter().for_each(|&member| self.facts.clear(member));
        }
        for (predicate, row) in rows {
            self.facts.insert(predicate, row);
        }
        self.derive(tier + 1)
    }

    /// What is known of a predicate, in no particular order.
    pub fn rows(&self, predicate: PredicateId) -> impl Iterator<Item = &[TermId]> {
        self.facts.relation(predicate).rows().iter().map(|row| &**row)
    }

    /// Whether a fact is known.
    pub fn holds(&self, predicate: PredicateId, row: &[TermId]) -> bool {
        self.facts.relation(predicate).contains(row)
    }

    /// The terms of all facts.
    pub fn terms(&self) -> &grundy_syntax::Terms {
        &self.facts.terms
    }

    /// The same, to add terms.
    pub fn terms_mut(&mut self) -> &mut grundy_syntax::Terms {
        &mut self.facts.terms
    }

    /// The same, with the names that new terms may need.
    pub fn names_and_terms_mut(&mut self) -> (&mut grundy_syntax::Symbols, &mut grundy_syntax::Terms) {
        (&mut self.program.symbols, &mut self.facts.terms)
    }

    fn derive(&mut self, tier: usize) -> Result<(), Error> {
        let Evaluator { program, facts, components, .. } = self;
        for component in components.iter().filter(|component| component.tier == tier) {
            let done = if component.has_negation {
                alternate(program, facts, component)
            } else {
                let plans: Vec<&Plan> = component.plans.iter().collect();
                facts.saturate(&plans, &component.members, Negation::Known).map_err(Failure::Stopped)
            };
            done.map_err(|failure| match failure {
                Failure::Stopped((stop, rule)) => stop.into_error(&facts.limits, print_rule(program, rule)),
                Failure::Cycle(atom) => Error::NegationCycle { atom },
            })?;
        }
        Ok(())
    }
}

/// Why a component could not be evaluated.
enum Failure {
    Stopped((Stop, usize)),
    /// This atom depends on its own negation.
    Cycle(String),
}

/// The alternating fixpoint (Van Gelder): too few true atoms make too few negations fail, which
/// gives too many true atoms, and the other way round. The two estimates close in on each other.
/// Where they meet, the program has one meaning; an atom between them depends on its negation.
fn alternate(program: &Program, facts: &mut Facts, component: &Component) -> Result<(), Failure> {
    let plans: Vec<&Plan> = component.plans.iter().collect();
    let mut certain = take(facts, &component.members);
    loop {
        saturate_against(facts, &plans, component, &certain)?;
        let possible = take(facts, &component.members);
        saturate_against(facts, &plans, component, &possible)?;
        let more_certain = take(facts, &component.members);
        let sizes = |relations: &[(PredicateId, Relation)]| -> Vec<usize> {
            relations.iter().map(|(_, relation)| relation.rows().len()).collect()
        };
        let stable = sizes(&more_certain) == sizes(&certain);
        certain = more_certain;
        if !stable {
            continue;
        }
        let undecided = possible.iter().zip(&certain).find_map(|((predicate, possible), (_, certain))| {
            possible.rows().iter().find(|row| !certain.contains(row)).map(|row| (*predicate, row))
        });
        if let Some((predicate, row)) = undecided {
            return Err(Failure::Cycle(print_fact(program, facts, predicate, row)));
        }
        for (predicate, relation) in &certain {
            relation.rows().iter().for_each(|row| _ = facts.insert(*predicate, row.clone()));
        }
        return Ok(());
    }
}

fn saturate_against(
    facts: &mut Facts,
    plans: &[&Plan],
    component: &Component,
    estimate: &[(PredicateId, Relation)],
) -> Result<(), Failure> {
    facts.saturate(plans, &component.members, Negation::Estimate(estimate)).map_err(Failure::Stopped)
}

/// Takes the rows of these predicates out of the known facts.
fn take(facts: &mut Facts, members: &[PredicateId]) -> Vec<(PredicateId, Relation)> {
    let mut taken = Vec::new();
    for &member in members {
        let mut relation = Relation::default();
        for row in facts.relation(member).rows() {
            relation.insert(row.clone());
        }
        facts.clear(member);
        taken.push((member, relation));
    }
    taken
}

fn prepare(program: &Program, members: Vec<PredicateId>, tiers: &mut [usize]) -> Result<Component, Error> {
    let rules =
        || program.rules.iter().enumerate().filter(|(_, rule)| members.contains(&rule.head.predicate));
    let conditions = || rules().flat_map(|(_, rule)| rule.literals());
    let atoms = || conditions().filter_map(|literal| literal.atom());
    let tier = atoms().map(|atom| tiers[atom.predicate.0 as usize]).max().unwrap_or(0);
    let tier = members.iter().map(|member| tiers[member.0 as usize]).fold(tier, usize::max);
    members.iter().for_each(|member| tiers[member.0 as usize] = tier);
    let has_negation = conditions()
        .any(|literal| matches!(literal, Literal::Not(atom) if members.contains(&atom.predicate)));
    let mut plans = Vec::new();
    for (number, rule) in rules() {
        let plan = plan(&program.terms, number, rule)
            .ok_or_else(|| Error::Unsafe { rule: print_rule(program, number) })?;
        plans.push(plan);
    }
    Ok(Component { members, plans, tier, has_negation })
}

/// Which predicates the wanted ones depend on.
fn needed(program: &Program, wanted: &[PredicateId]) -> Vec<bool> {
    let mut needed = vec![false; program.predicate_count()];
    let mut work: Vec<PredicateId> = wanted.to_vec();
    while let Some(predicate) = work.pop() {
        if std::mem::replace(&mut needed[predicate.0 as usize], true) {
            continue;
        }
        let rules = program.rules.iter().filter(|rule| rule.head.predicate == predicate);
        work.extend(
            rules.flat_map(|rule| rule.literals()).filter_map(|l| l.atom()).map(|atom| atom.predicate),
        );
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
