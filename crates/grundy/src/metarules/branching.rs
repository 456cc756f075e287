//! Branching figures: how many answers a condition has on average, given which arguments are bound.
//!
//! They are counted on working memories. Where all arguments are bound the condition is a test, and the
//! figure is the share of cases in which it holds, between 0 and 1. The values that a bound argument
//! may have are those of its *sort*: the columns that rules join with each other. A constant that rules
//! ask for has figures of its own.

use super::domain::Domain;
use super::memory::{Column, Mask, Memory, Relation};
use crate::ids::{IdVec, float};
use grundy_syntax::{Budget, Exhausted, Literal, PredicateId, Term, TermId, Ticks};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Up to this arity there is a figure for each binding pattern; above it for those with at most one
/// argument free, and for the one with all of them free.
const MOST_FREE_PATTERNS: usize = 3;

/// A branching figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Branching {
    /// The predicate.
    pub predicate: PredicateId,
    /// Which arguments are bound when the condition is tried.
    pub bound: Vec<bool>,
    /// An argument that is this constant.
    pub constant: Option<(usize, TermId)>,
    /// The mean number of answers.
    pub mean: f64,
}

/// Counts the figures of all predicates on working memories.
pub(crate) fn count(
    domain: &Domain,
    memories: &[&Memory],
    budget: &Budget,
) -> Result<Vec<Branching>, Exhausted> {
    let sorts = Sorts::new(domain, memories, budget)?;
    let constants = constants_in_rules(domain);
    let mut figures = Vec::new();
    if memories.is_empty() {
        return Ok(figures);
    }
    let mut ticks = Ticks::default();
    for (predicate, info) in domain.program.predicates() {
        ticks.tick(budget)?;
        let relations = relations_of(memories, predicate);
        let total: usize = relations.iter().map(|(relation, times)| relation.rows().len() * times).sum();
        if total == 0 || info.arity > super::memory::MOST_COLUMNS {
            continue;
        }
        let first = constants.partition_point(|&(owner, ..)| owner < predicate);
        let own: Vec<(usize, TermId)> = constants[first..]
            .iter()
            .take_while(|&&(owner, ..)| owner == predicate)
            .map(|&(_, column, value)| (column, value))
            .collect();
        let with_constant = count_constants(&relations, &own, budget)?;
        let count = float(memories.len());
        let mut add = |mask: Mask, constant: Option<(usize, TermId)>| {
            let matching = constant.map_or(total, |constant| with_constant[&constant]);
            let free_of_constant = |column: &usize| constant.is_none_or(|(own, _)| own != *column);
            let bound = (0..info.arity).filter(|column| mask >> column & 1 == 1).filter(free_of_constant);
            let keys: f64 = bound.map(|argument| sorts.size(Column { predicate, argument })).product();
            let mean = float(matching) / count / keys.max(1.0);
            let bound = (0..info.arity).map(|column| mask >> column & 1 == 1).collect();
            figures.push(Branching { predicate, bound, constant, mean });
        };
        for mask in masks(info.arity) {
            add(mask, None);
            for &(column, value) in &own {
                ticks.work(budget, info.arity)?;
                if mask >> column & 1 == 1 {
                    add(mask, Some((column, value)));
                }
            }
        }
    }
    budget.check()?;
    Ok(figures)
}

/// The different relations that a predicate has in memories, each with the number of memories that share it.
fn relations_of<'m>(memories: &[&'m Memory], predicate: PredicateId) -> Vec<(&'m Relation, usize)> {
    let mut found: Vec<(&Arc<Relation>, usize)> = Vec::new();
    for relation in memories.iter().map(|memory| memory.relation(predicate)) {
        match found.last_mut() {
            Some((last, times)) if Arc::ptr_eq(last, relation) => *times += 1,
            _ => found.push((relation, 1)),
        }
    }
    found.into_iter().map(|(relation, times)| (&**relation, times)).collect()
}

/// How many rows have a constant in its column, for each of these constants.
fn count_constants(
    relations: &[(&Relation, usize)],
    constants: &[(usize, TermId)],
    budget: &Budget,
) -> Result<FxHashMap<(usize, TermId), usize>, Exhausted> {
    let mut counts: FxHashMap<(usize, TermId), usize> =
        constants.iter().map(|&constant| (constant, 0)).collect();
    let mut columns: Vec<usize> = constants.iter().map(|&(column, _)| column).collect();
    columns.dedup();
    let mut ticks = Ticks::default();
    for (relation, times) in relations {
        for row in relation.rows() {
            ticks.work(budget, columns.len())?;
            for &column in &columns {
                if let Some(count) = counts.get_mut(&(column, row[column])) {
                    *count += times;
                }
            }
        }
    }
    Ok(counts)
}

/// The binding patterns that have figures.
fn masks(arity: usize) -> Vec<Mask> {
    if arity <= MOST_FREE_PATTERNS {
        return (0..1 << arity).collect();
    }
    let all: Mask = if arity == 64 { Mask::MAX } else { (1 << arity) - 1 };
    [0].into_iter().chain((0..arity).map(|column| all & !(1 << column))).chain([all]).collect()
}

/// The constants that are arguments of conditions of rules.
fn constants_in_rules(domain: &Domain) -> Vec<(PredicateId, usize, TermId)> {
    let mut found: Vec<(PredicateId, usize, TermId)> = Vec::new();
    for atom in domain.conditions().filter_map(Literal::atom) {
        for (column, &arg) in atom.args.iter().enumerate() {
            if domain.program.terms.is_ground(arg) {
                found.push((atom.predicate, column, arg));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The rows that are read between two checks of the budget.
const ROWS_AT_ONCE: usize = 4096;

grundy_syntax::define_id! {
    /// A sort, by the column that stands for it in the union-find structure.
    struct SortId(u32);
}

/// Columns that rules join with each other have values of one sort.
pub(crate) struct Sorts {
    sort_of: FxHashMap<Column, SortId>,
    sizes: IdVec<SortId, usize>,
}

impl Sorts {
    fn new(domain: &Domain, memories: &[&Memory], budget: &Budget) -> Result<Sorts, Exhausted> {
        let mut ticks = Ticks::default();
        let mut columns: IdVec<SortId, Column> = IdVec::default();
        for (predicate, info) in domain.program.predicates() {
            ticks.work(budget, info.arity)?;
            (0..info.arity).for_each(|argument| _ = columns.push(Column { predicate, argument }));
        }
        let own_sort: FxHashMap<Column, SortId> =
            columns.entries().map(|(id, &column)| (column, id)).collect();
        let mut parent: IdVec<SortId, SortId> = columns.ids().collect();
        for clause in domain.clauses() {
            ticks.work(budget, 1 + clause.body.len())?;
            let mut home: FxHashMap<TermId, SortId> = FxHashMap::default();
            let atoms = clause.body.iter().filter_map(Literal::atom).chain([&clause.head]);
            for atom in atoms {
                for (argument, &arg) in atom.args.iter().enumerate() {
                    if matches!(domain.program.terms.get(arg), Term::Variable(_)) {
                        let own = own_sort[&Column { predicate: atom.predicate, argument }];
                        let other = *home.entry(arg).or_insert(own);
                        let (a, b) = (root(&mut parent, own), root(&mut parent, other));
                        parent[a] = b;
                    }
                }
            }
        }
        let sort_of: FxHashMap<Column, SortId> =
            columns.entries().map(|(id, &column)| (column, root(&mut parent, id))).collect();
        let mut values: IdVec<SortId, FxHashSet<TermId>> = IdVec::filled(FxHashSet::default(), columns.len());
        for &column in &columns {
            let sort = &mut values[sort_of[&column]];
            ticks.work(budget, memories.len())?;
            for (relation, _) in relations_of(memories, column.predicate) {
                for rows in relation.rows().chunks(ROWS_AT_ONCE) {
                    ticks.work(budget, rows.len())?;
                    sort.extend(rows.iter().map(|row| row[column.argument]));
                }
            }
        }
        Ok(Sorts { sort_of, sizes: values.iter().map(FxHashSet::len).collect() })
    }

    /// How many values an argument may have.
    fn size(&self, column: Column) -> f64 {
        self.sort_of.get(&column).map_or(1.0, |&sort| float(self.sizes[sort].max(1)))
    }
}

fn root(parent: &mut IdVec<SortId, SortId>, mut at: SortId) -> SortId {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}
