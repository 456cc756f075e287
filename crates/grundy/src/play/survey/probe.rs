//! Which rules fire: each rule that has not fired yet gets a copy whose head is something that a role sees.

use super::{SurveyConfig, lifted};
use crate::analysis::{Analysis, Class, classify};
use crate::lifted::{Lifted, LiftedState};
use crate::reasoner::{ReasonError, Reasoner};
use grundy_syntax::{Atom, Keyword, Program, Rule, TermId};
use rustc_hash::FxHashMap;

/// The name of what is seen where a rule fires. No name in a sheet has a blank.
const FIRED: &str = "rule fired";

/// An engine that reports the rules that fire in a state.
pub(super) struct Probe {
    program: Program,
    config: SurveyConfig,
    engine: Option<Lifted>,
    /// How many rules the engine looks for.
    watched: usize,
    /// The rules that have not fired, by number.
    silent: Vec<usize>,
    /// For each rule whether it depends on moves.
    depends_on_moves: Vec<bool>,
    /// The terms of the other engine in this one.
    terms: FxHashMap<TermId, TermId>,
    /// The steps of earlier engines.
    steps: u64,
}

impl Probe {
    pub(super) fn new(program: &Program, config: &SurveyConfig) -> Result<Probe, ReasonError> {
        let is_wanted = |rule: &Rule| {
            let keyword = program.info(rule.head.predicate).keyword;
            !rule.body.is_empty() && !matches!(keyword, Some(Keyword::Base | Keyword::Input))
        };
        let rules = program.rules.iter().enumerate();
        let silent: Vec<usize> = rules.filter(|(_, rule)| is_wanted(rule)).map(|(at, _)| at).collect();
        let analysis = classify(program);
        let mut probe = Probe {
            program: program.clone(),
            config: config.clone(),
            engine: None,
            watched: 0,
            silent,
            depends_on_moves: program.rules.iter().map(|rule| depends_on_moves(&analysis, rule)).collect(),
            terms: FxHashMap::default(),
            steps: 0,
        };
        probe.renew()?;
        Ok(probe)
    }

    pub(super) fn silent(&self) -> &[usize] {
        &self.silent
    }

    /// Whether it matters which moves are made: some rule that has not fired depends on them.
    pub(super) fn asks_for_moves(&self) -> bool {
        self.silent.iter().any(|&rule| self.depends_on_moves[rule])
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps + self.engine.as_ref().map_or(0, Lifted::steps)
    }

    /// Makes an engine that looks for the rules that are left.
    fn renew(&mut self) -> Result<(), ReasonError> {
        self.steps = self.steps();
        self.watched = self.silent.len();
        self.engine = None;
        self.terms.clear();
        if self.silent.is_empty() {
            return Ok(());
        }
        let program = with_copies(&self.program, &self.silent);
        self.engine = Some(lifted(&program, &self.config)?);
        Ok(())
    }

    /// Notes the rules that fire in a state of another engine, with a joint move or without any.
    pub(super) fn look(
        &mut self,
        other: &Lifted,
        state: &LiftedState,
        joint: Option<&[TermId]>,
    ) -> Result<(), ReasonError> {
        let Some(engine) = &mut self.engine else { return Ok(()) };
        let terms = &mut self.terms;
        let mut translate = |term: TermId| match terms.get(&term) {
            Some(&known) => Ok(known),
            None => {
                let own = engine.move_of(&other.move_text(term))?;
                terms.insert(term, own);
                Ok::<TermId, ReasonError>(own)
            }
        };
        let facts = state.terms().iter().map(|&fact| translate(fact)).collect::<Result<Vec<_>, _>>()?;
        let joint = joint.map(|joint| joint.iter().map(|&action| translate(action)).collect());
        let joint: Option<Vec<TermId>> = joint.transpose()?;
        let state = LiftedState::of(facts);
        let seen = match joint {
            Some(joint) => engine.sees(&state, &joint)?,
            None => engine.sees_without_moves(&state)?,
        };
        let numbers = seen.iter().flatten().filter_map(|percept| {
            percept.strip_prefix('(')?.strip_prefix(FIRED)?.strip_suffix(')')?.trim().parse::<usize>().ok()
        });
        for number in numbers {
            if let Ok(at) = self.silent.binary_search(&number) {
                self.silent.remove(at);
            }
        }
        if self.silent.len() <= self.watched / 2 {
            self.renew()?;
        }
        Ok(())
    }
}

fn depends_on_moves(analysis: &Analysis, rule: &Rule) -> bool {
    let atoms = rule.literals().filter_map(|literal| literal.atom());
    atoms.map(|atom| analysis.class(atom.predicate)).any(|class| class == Class::Move)
}

/// The program with a copy of each of these rules: the first role sees its number where the body holds.
fn with_copies(program: &Program, rules: &[usize]) -> Program {
    let mut program = program.clone();
    let Some(&role) = program.roles().first() else { return program };
    let sees = program.predicate(Keyword::Sees.name(), Keyword::Sees.arity());
    let fired = program.symbols.intern(FIRED);
    for &number in rules {
        let name = program.symbols.intern(&number.to_string());
        let constant = program.terms.compound(name, &[]);
        let percept = program.terms.compound(fired, &[constant]);
        let rule = Rule {
            head: Atom { predicate: sees, args: [role, percept].into() },
            ..program.rules[number].clone()
        };
        program.rules.push(rule);
    }
    program
}
