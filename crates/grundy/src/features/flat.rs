//! The two-level tables of the paper, by exhaustive unfolding.
//!
//! Every solution of a feature is unfolded until its clauses consist of dynamic facts alone. The *and-table* has a row for
//! each distinct conjunction, the *or-table* one for each distinct set of conjunctions, with all the solutions that have
//! exactly this set. A clause is pruned when it has a condition that no clause concludes, contradicts itself, or holds
//! what a constraint forbids.
//!
//! The clauses of a view are unfolded once, and multiplied into the clauses that use it; the result is the same as that
//! of unfolding one condition at a time, clause by clause. Of several views in a clause, the one with the fewest clauses
//! is taken first, so that contradictions show early; or the first, if the written order is asked for.
//!
//! The paper has no negation. A negated fact is a literal like any other. A negated view would multiply without end, so
//! it stays a literal, too, an *auxiliary* one: the row of the or-table that the view has is read as an input, inverted.

use super::FeatureConfig;
use super::clauses::{Clauses, NO_FACT};
use super::conjunctions::{ConjunctionId, Conjunctions};
use super::endless;
use super::error::FeatureError;
use super::needed::needed;
use crate::ground::AtomId;
use crate::ids::{Id, narrow, wide};
use grundy_syntax::{Exhausted, Ticks};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// And-table and or-table. See the module's documentation.
pub(super) struct FlatTables {
    pub(super) facts: u32,
    pub(super) and_rows: Conjunctions,
    /// Where each row of the or-table ends.
    or_ends: Vec<u32>,
    or_rows: Vec<u32>,
    /// The or-rows that are read as inputs, in order of dependence.
    pub(super) auxiliary: Vec<u32>,
    /// For each head its row in the or-table.
    pub(super) heads: Vec<u32>,
    /// For each feature how many ground clauses it has.
    pub(super) clauses: Vec<u64>,
}

impl FlatTables {
    /// The conjunctions of a row of the or-table.
    pub(super) fn or_row(&self, row: u32) -> impl Iterator<Item = ConjunctionId> + '_ {
        let start = if row == 0 { 0 } else { self.or_ends[row.index() - 1] };
        self.or_rows[start.index()..self.or_ends[row.index()].index()].iter().map(|&id| ConjunctionId(id))
    }

    /// How many rows the or-table has.
    pub(super) fn or_len(&self) -> usize {
        self.or_ends.len()
    }

    /// The memory of both tables.
    pub(super) fn bytes(&self) -> usize {
        self.and_rows.bytes() + (self.or_ends.len() + self.or_rows.len() + self.heads.len()) * 4
    }
}

/// Unfolds everything.
pub(super) fn unfold(clauses: &Clauses, config: &FeatureConfig) -> Result<FlatTables, FeatureError> {
    endless::check(clauses)?;
    let mut unfolder = Unfolder::new(clauses, config);
    let mut ticks = Ticks::default();
    for component in needed(clauses)? {
        ticks.tick(&config.budget)?;
        if component.is_loop {
            return Err(endless::cycle(clauses, component.atoms[0]));
        }
        unfolder.unfold_atom(component.atoms[0])?;
    }
    let tables = unfolder.finish()?;
    config.budget.check()?;
    Ok(tables)
}

/// A set of conjunctions: where it is in `sets`.
type Set = Range<u32>;

struct Unfolder<'a> {
    clauses: &'a Clauses,
    config: &'a FeatureConfig,
    conjunctions: Conjunctions,
    sets: Vec<u32>,
    set_of: Vec<Set>,
    /// The atoms that are read as inputs, and their numbers.
    auxiliary: Vec<u32>,
    auxiliary_of: FxHashMap<u32, u32>,
    /// The clause in the making: which literals it has.
    has: Vec<bool>,
    current: Vec<u32>,
    sorted: Vec<u32>,
    found: Vec<u32>,
    steps: u64,
}

/// So many steps are taken between checks of the budget.
const STEPS_PER_CHECK: u64 = 1024;

/// A clause in the making may be given up this many times for each one that is kept.
const STEPS_PER_CLAUSE: u64 = 64;

impl<'a> Unfolder<'a> {
    fn new(clauses: &'a Clauses, config: &'a FeatureConfig) -> Unfolder<'a> {
        Unfolder {
            clauses,
            config,
            conjunctions: Conjunctions::default(),
            sets: Vec::new(),
            set_of: vec![0..0; clauses.fact_of.len()],
            auxiliary: Vec::new(),
            auxiliary_of: FxHashMap::default(),
            has: vec![false; clauses.facts.len() * 2],
            current: Vec::new(),
            sorted: Vec::new(),
            found: Vec::new(),
            steps: 0,
        }
    }

    /// Finds all clauses of an atom, those of the views in their bodies being known.
    fn unfold_atom(&mut self, atom: u32) -> Result<(), FeatureError> {
        let rules = &self.clauses.rules;
        if let Some(same) = self.alias(atom) {
            self.set_of[atom.index()] = self.set_of[same.index()].clone();
            return Ok(());
        }
        self.found.clear();
        let mut factors: Vec<Set> = Vec::new();
        for &rule in rules.of(AtomId(atom)) {
            factors.clear();
            let mut fixed = Vec::new();
            for literal in rules.body(rule) {
                let number = literal.atom.0;
                let fact = self.clauses.fact_of[number.index()];
                if fact != NO_FACT {
                    fixed.push(fact << 1 | u32::from(!literal.positive));
                } else if literal.positive {
                    factors.push(self.set_of[number.index()].clone());
                } else if !self.set_of[number.index()].is_empty() {
                    fixed.push(self.auxiliary(number) << 1 | 1);
                }
            }
            if !self.config.written_order {
                factors.sort_by_key(ExactSizeIterator::len);
            }
            let before = self.current.len();
            if self.add(fixed.into_iter()) {
                self.multiply(&factors).map_err(|limit| self.limit(atom, limit))?;
            }
            self.remove(before);
        }
        self.found.sort_unstable();
        self.found.dedup();
        let start = narrow(self.sets.len());
        self.sets.extend_from_slice(&self.found);
        if wide(self.sets.len()) > self.config.max_clauses || self.sets.len() > u32::MAX.index() {
            return Err(self.limit(atom, "clauses"));
        }
        self.set_of[atom.index()] = start..self.sets.len() as u32;
        Ok(())
    }

    /// The view that an atom is just another name of, if it is one.
    fn alias(&self, atom: u32) -> Option<u32> {
        let rules = &self.clauses.rules;
        let [rule] = *rules.of(AtomId(atom)) else { return None };
        let [literal] = *rules.body(rule) else { return None };
        let is_view = self.clauses.fact_of[literal.atom.index()] == NO_FACT;
        (literal.positive && is_view).then_some(literal.atom.0)
    }

    /// The number of a view as an input.
    fn auxiliary(&mut self, atom: u32) -> u32 {
        let facts = narrow(self.clauses.facts.len());
        let auxiliary = &mut self.auxiliary;
        let number = *self.auxiliary_of.entry(atom).or_insert_with(|| {
            auxiliary.push(atom);
            narrow(auxiliary.len()) - 1
        });
        self.has.resize(2 * (facts + number + 1).max(narrow(self.has.len()) / 2).index(), false);
        facts + number
    }

    /// Adds the conjunctions of all combinations to what was found.
    fn multiply(&mut self, factors: &[Set]) -> Result<(), &'static str> {
        let Some((first, rest)) = factors.split_first() else { return self.keep() };
        for at in first.clone() {
            self.steps += 1;
            if self.steps.is_multiple_of(STEPS_PER_CHECK) {
                self.check_budget()?;
            }
            let before = self.current.len();
            if self.add_conjunction(ConjunctionId(self.sets[at.index()])) {
                self.multiply(rest)?;
            }
            self.remove(before);
        }
        if self.steps > self.config.max_clauses.saturating_mul(STEPS_PER_CLAUSE) {
            return Err("clauses");
        }
        Ok(())
    }

    fn keep(&mut self) -> Result<(), &'static str> {
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.current);
        self.sorted.sort_unstable();
        let id = self.conjunctions.intern(&self.sorted).ok_or("memory")?;
        self.found.push(id.0);
        if wide(self.sets.len() + self.found.len()) > self.config.max_clauses {
            // Repeats do not count, but are only found at the end.
            self.found.sort_unstable();
            self.found.dedup();
            if wide(self.sets.len() + self.found.len()) > self.config.max_clauses {
                return Err("clauses");
            }
        }
        if self.found.len().is_multiple_of(512) {
            self.check_budget()?;
        }
        Ok(())
    }

    fn check_budget(&self) -> Result<(), &'static str> {
        let bytes = self.conjunctions.bytes() + self.sets.len() * 4 + self.found.len() * 4;
        self.config.budget.check_with(bytes).map_err(Exhausted::name)
    }

    /// Adds literals to the clause in the making; `false` if it can never hold with them.
    fn add(&mut self, literals: impl Iterator<Item = u32>) -> bool {
        for literal in literals {
            if self.has[literal.index()] {
                continue;
            }
            if !self.clauses.conflicts.admits(literal, |other| self.has[other.index()]) {
                return false;
            }
            self.has[literal.index()] = true;
            self.current.push(literal);
        }
        true
    }

    fn add_conjunction(&mut self, id: ConjunctionId) -> bool {
        let conjunctions = std::mem::take(&mut self.conjunctions);
        let added = self.add(conjunctions.literals(id));
        self.conjunctions = conjunctions;
        added
    }

    /// Takes back all literals but the first ones.
    fn remove(&mut self, keep: usize) {
        self.current.drain(keep..).for_each(|literal| self.has[literal.index()] = false);
    }

    fn limit(&self, atom: u32, limit: &'static str) -> FeatureError {
        let message = format!(
            "unfolding gives too much (limit `{limit}`): {} clauses so far, and this one is being unfolded",
            self.sets.len() + self.found.len()
        );
        let hint =
            "`--tables shared` does not unfold; `--max-clauses N` and `--max-memory BYTES` raise the limits";
        FeatureError::limit(limit, self.clauses.place_of(atom), message, hint)
    }

    fn finish(mut self) -> Result<FlatTables, Exhausted> {
        let heads: Vec<Set> =
            self.clauses.heads.iter().map(|head| self.set_of[head.atom.index()].clone()).collect();
        let mut counts = vec![0; self.clauses.features().len()];
        for (head, set) in self.clauses.heads.iter().zip(&heads) {
            counts[head.feature.index()] += wide(set.len());
        }
        let mut table = OrTable::default();
        let mut rows = Vec::with_capacity(heads.len());
        let mut ticks = Ticks::default();
        for set in heads {
            ticks.work(&self.config.budget, 1 + set.len())?;
            rows.push(table.row(&self.sets, set));
        }
        let auxiliary: Vec<u32> = self
            .auxiliary
            .iter()
            .map(|&atom| table.row(&self.sets, self.set_of[atom.index()].clone()))
            .collect();
        drop(std::mem::take(&mut self.sets));
        let mut wanted = vec![false; self.conjunctions.len()];
        table.rows.iter().for_each(|&id| wanted[id.index()] = true);
        let numbers = self.conjunctions.retain(&wanted);
        table.rows.iter_mut().for_each(|id| *id = numbers[id.index()]);
        table.rows.shrink_to_fit();
        Ok(FlatTables {
            facts: narrow(self.clauses.facts.len()),
            and_rows: self.conjunctions,
            or_ends: table.ends,
            or_rows: table.rows,
            auxiliary,
            heads: rows,
            clauses: counts,
        })
    }
}

/// The or-table in the making: equal sets are one row.
#[derive(Default)]
struct OrTable {
    ends: Vec<u32>,
    rows: Vec<u32>,
    known: HashTable<u32>,
}

impl OrTable {
    fn row(&mut self, sets: &[u32], set: Set) -> u32 {
        let set = &sets[set.start.index()..set.end.index()];
        let OrTable { ends, rows, known } = self;
        let of = |row: u32| {
            let start = if row == 0 { 0 } else { ends[row.index() - 1] };
            &rows[start.index()..ends[row.index()].index()]
        };
        if let Some(&row) = known.find(hash(set), |&row| of(row) == set) {
            return row;
        }
        let row = narrow(ends.len());
        known.insert_unique(hash(set), row, |&row| hash(of(row)));
        rows.extend_from_slice(set);
        ends.push(narrow(rows.len()));
        row
    }
}

fn hash(set: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    set.hash(&mut hasher);
    hasher.finish()
}
