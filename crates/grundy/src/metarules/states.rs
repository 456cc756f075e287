//! Working memories: the facts of a state with all that follows from them.
//!
//! States come from outside, as facts in the notation of the source; the command line reads them from
//! files or plays games at random.

use super::domain::{Domain, Kind};
use super::limits::MetaError;
use super::memory::Memory;
use super::terms::copy_term;
use crate::analysis::{Class, classify};
use crate::flat::read_ground_term;
use grundy_reference::{Evaluator, Limits};
use grundy_syntax::{Budget, Dialect, Keyword, Notation, PredicateId, Program, Source, TermId, Ticks, read};

/// The predicates whose facts are given, in tiers: the state, then the moves.
pub(crate) fn given_predicates(program: &Program) -> Vec<Vec<PredicateId>> {
    let does = match program.dialect {
        Dialect::Game => program.keyword(Keyword::Does),
        Dialect::Theory => program.find_predicate("does", 1),
    };
    let state: Vec<PredicateId> = match program.dialect {
        Dialect::Game => program.keyword(Keyword::True).into_iter().collect(),
        Dialect::Theory => {
            let declared = program.dynamic.iter().map(|declaration| declaration.predicate);
            declared.filter(|&predicate| Some(predicate) != does).collect()
        }
    };
    let is_declared = |does: &PredicateId| {
        program.dialect == Dialect::Game || program.dynamic.iter().any(|other| other.predicate == *does)
    };
    vec![state, does.into_iter().filter(is_declared).collect()]
}

/// What a fact of a working memory takes, roughly.
const BYTES_PER_FACT: usize = 64;

/// Derives working memories from states, one after the other.
pub struct WorkingMemories {
    evaluator: Evaluator,
    /// The predicates that depend on the state.
    wanted: Vec<PredicateId>,
    /// Those that do not: their facts are those of the domain.
    complete: Vec<PredicateId>,
    /// How many rows the memories have so far, complete facts aside, and how many they may have.
    rows: usize,
    most_rows: usize,
    budget: Budget,
}

impl WorkingMemories {
    /// Prepares a program; `domain` was made from the same one.
    pub fn new(program: &Program, domain: &Domain, limits: Limits) -> Result<WorkingMemories, MetaError> {
        let analysis = classify(program);
        let is_wanted = |predicate: PredicateId| {
            analysis.class(predicate) == Class::State
                && program.info(predicate).keyword != Some(Keyword::True)
        };
        let all = || program.predicates().map(|(id, _)| id);
        let wanted: Vec<PredicateId> = all().filter(|&id| is_wanted(id)).collect();
        let is_complete = |predicate: &PredicateId| domain.kind(*predicate) == Kind::Topology;
        let complete = all().filter(is_complete).collect();
        let (most_rows, budget) = (limits.facts, limits.budget.clone());
        let evaluator = Evaluator::new(program.clone(), given_predicates(program), &wanted, limits)?;
        Ok(WorkingMemories { evaluator, wanted, complete, rows: 0, most_rows, budget })
    }

    /// The working memory of a state. The limit on facts holds for all memories together, without the complete facts,
    /// which they share.
    pub fn memory(&mut self, domain: &mut Domain, facts: &[String]) -> Result<Memory, MetaError> {
        let facts = facts.iter().map(|fact| self.fact(fact)).collect::<Result<Vec<_>, _>>()?;
        self.evaluator.set(0, facts.iter().cloned())?;
        let mut rows: Vec<(PredicateId, Box<[TermId]>)> = Vec::new();
        let mut ticks = Ticks::default();
        let mut importer = Importer { evaluator: &self.evaluator, domain };
        for (predicate, row) in &facts {
            rows.extend(importer.fact(*predicate, row));
        }
        for &predicate in &self.wanted {
            let mut derived: Vec<Box<[TermId]>> = Vec::new();
            for row in self.evaluator.rows(predicate) {
                ticks.work(&self.budget, 1 + 4 * row.len())?;
                derived.push(importer.row(row));
            }
            derived.sort_unstable();
            rows.extend(derived.into_iter().map(|row| (predicate, row)));
        }
        let count = domain.program.predicate_count();
        self.rows += rows.len();
        if self.rows > self.most_rows {
            let what = format!("more than {} facts in all states together", self.most_rows);
            return Err(MetaError::limit("facts", what));
        }
        let mut memory = Memory::new(count, rows, self.rows * BYTES_PER_FACT, &self.budget)?;
        self.complete.iter().for_each(|&predicate| memory.share(predicate, &domain.topology));
        Ok(memory)
    }

    /// Reads a fact of the state.
    fn fact(&mut self, text: &str) -> Result<(PredicateId, Box<[TermId]>), MetaError> {
        let bad = || MetaError::BadGoal(format!("`{text}` is not a fact of a state"));
        match self.evaluator.program().dialect {
            Dialect::Game => {
                let holds = self.evaluator.program().keyword(Keyword::True).ok_or_else(bad)?;
                let (symbols, terms) = self.evaluator.names_and_terms_mut();
                let fact = read_ground_term(text, symbols, terms).ok_or_else(bad)?;
                Ok((holds, Box::new([fact])))
            }
            Dialect::Theory => {
                let reading = read_fact(text).ok_or_else(bad)?;
                let head = &reading.rules[0].head;
                let info = reading.info(head.predicate);
                let name = reading.symbols.name(info.name);
                let own = self.evaluator.program().find_predicate(name, info.arity).ok_or_else(bad)?;
                let is_given = given_predicates(self.evaluator.program())[0].contains(&own);
                let (symbols, terms) = self.evaluator.names_and_terms_mut();
                let args = head
                    .args
                    .iter()
                    .map(|&arg| {
                        copy_term((&reading.symbols, &reading.terms), arg, (&mut *symbols, &mut *terms))
                    })
                    .collect();
                if is_given { Ok((own, args)) } else { Err(bad()) }
            }
        }
    }
}

/// One fact in Prolog notation, with or without a full stop.
fn read_fact(text: &str) -> Option<Program> {
    let text = format!("{}.", text.trim().trim_end_matches('.'));
    let reading = read(&Source::new("fact", text), Notation::Prolog, Dialect::Theory, &Default::default());
    let program = reading.program;
    let is_fact = match &program.rules[..] {
        [rule] => rule.body.is_empty() && rule.head.args.iter().all(|&arg| program.terms.is_ground(arg)),
        _ => false,
    };
    is_fact.then_some(program)
}

/// Brings rows of the evaluator into the domain.
struct Importer<'a> {
    evaluator: &'a Evaluator,
    domain: &'a mut Domain,
}

impl Importer<'_> {
    fn row(&mut self, row: &[TermId]) -> Box<[TermId]> {
        row.iter().map(|&term| self.term(term)).collect()
    }

    fn term(&mut self, term: TermId) -> TermId {
        let to = &mut self.domain.program;
        let from = (&self.evaluator.program().symbols, self.evaluator.terms());
        copy_term(from, term, (&mut to.symbols, &mut to.terms))
    }

    /// A fact of the state under its fluent; a fact that is no fluent says nothing.
    fn fact(&mut self, predicate: PredicateId, row: &[TermId]) -> Option<(PredicateId, Box<[TermId]>)> {
        let row = self.row(row);
        match self.domain.program.dialect {
            Dialect::Theory => Some((predicate, row)),
            Dialect::Game => {
                let atom = self.domain.fluent_atom(row[0])?;
                Some((atom.predicate, atom.args))
            }
        }
    }
}
