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

use super::clauses::Clauses;
use super::conjunctions::{ConjunctionId, Conjunctions};
use super::endless;
use super::error::FeatureError;
use super::literal::InputLiteral;
use super::needed::needed;
use super::{FeatureConfig, FeatureId, HeadId};
use crate::ground::AtomId;
use crate::ids::{BitSet, Csr, Id, IdVec, narrow, wide};
use grundy_syntax::{Exhausted, Ticks};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;

grundy_syntax::define_id! {
    /// A row of the or-table: a set of conjunctions.
    pub(super) struct OrRowId(u32);
}

/// And-table and or-table. See the module's documentation.
pub(super) struct FlatTables {
    pub(super) facts: u32,
    pub(super) and_rows: Conjunctions,
    pub(super) or_rows: Csr<OrRowId, ConjunctionId>,
    /// The or-rows that are read as inputs, in order of dependence.
    pub(super) auxiliary: Vec<OrRowId>,
    /// For each head its row in the or-table.
    pub(super) heads: IdVec<HeadId, OrRowId>,
    /// For each feature how many ground clauses it has.
    pub(super) clauses: IdVec<FeatureId, u64>,
}

impl FlatTables {
    /// The memory of both tables.
    pub(super) fn bytes(&self) -> usize {
        self.and_rows.bytes() + (self.or_rows.len() + self.or_rows.items().len() + self.heads.len()) * 4
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
    sets: Vec<ConjunctionId>,
    set_of: IdVec<AtomId, Set>,
    /// The atoms that are read as inputs, and their numbers.
    auxiliary: Vec<AtomId>,
    auxiliary_of: FxHashMap<AtomId, u32>,
    /// The clause in the making: which literals it has.
    has: IdVec<InputLiteral, bool>,
    current: Vec<InputLiteral>,
    sorted: Vec<InputLiteral>,
    found: Vec<ConjunctionId>,
    steps: u64,
}

/// The steps between two checks of the budget.
const STEPS_PER_CHECK: u64 = 1024;

/// Limit: the steps of unfolding for each clause that the configuration allows.
const STEPS_PER_CLAUSE: u64 = 64;

impl<'a> Unfolder<'a> {
    fn new(clauses: &'a Clauses, config: &'a FeatureConfig) -> Unfolder<'a> {
        Unfolder {
            clauses,
            config,
            conjunctions: Conjunctions::default(),
            sets: Vec::new(),
            set_of: IdVec::filled(0..0, clauses.atom_count()),
            auxiliary: Vec::new(),
            auxiliary_of: FxHashMap::default(),
            has: IdVec::filled(false, InputLiteral::count(clauses.facts.len())),
            current: Vec::new(),
            sorted: Vec::new(),
            found: Vec::new(),
            steps: 0,
        }
    }

    /// Finds all clauses of an atom, those of the views in their bodies being known.
    fn unfold_atom(&mut self, atom: AtomId) -> Result<(), FeatureError> {
        let rules = &self.clauses.rules;
        if let Some(same) = self.alias(atom) {
            self.set_of[atom] = self.set_of[same].clone();
            return Ok(());
        }
        self.found.clear();
        let mut factors: Vec<Set> = Vec::new();
        for &rule in rules.of(atom) {
            factors.clear();
            let mut fixed = Vec::new();
            for literal in rules.body(rule) {
                if let Some(fact) = self.clauses.fact_of(literal.atom) {
                    fixed.push(InputLiteral::of_fact(fact, literal.positive));
                } else if literal.positive {
                    factors.push(self.set_of[literal.atom].clone());
                } else if !self.set_of[literal.atom].is_empty() {
                    fixed.push(self.negated_view(literal.atom));
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
        self.set_of[atom] = start..narrow(self.sets.len());
        Ok(())
    }

    /// The view that an atom is just another name of, if it is one.
    fn alias(&self, atom: AtomId) -> Option<AtomId> {
        let rules = &self.clauses.rules;
        let [rule] = *rules.of(atom) else { return None };
        let [literal] = *rules.body(rule) else { return None };
        let is_view = self.clauses.fact_of(literal.atom).is_none();
        (literal.positive && is_view).then_some(literal.atom)
    }

    /// The negation of a view, which becomes an auxiliary input.
    fn negated_view(&mut self, atom: AtomId) -> InputLiteral {
        let facts = narrow(self.clauses.facts.len());
        let auxiliary = &mut self.auxiliary;
        let number = *self.auxiliary_of.entry(atom).or_insert_with(|| {
            auxiliary.push(atom);
            narrow(auxiliary.len()) - 1
        });
        let literals = InputLiteral::count((facts + number + 1).index());
        self.has.resize(literals.max(self.has.len()), false);
        InputLiteral::of_input(facts + number, false)
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
            if self.add_conjunction(self.sets[at.index()]) {
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
        self.found.push(id);
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
    fn add(&mut self, literals: impl Iterator<Item = InputLiteral>) -> bool {
        for literal in literals {
            if self.has[literal] {
                continue;
            }
            if !self.clauses.conflicts.admits(literal, |other| self.has[other]) {
                return false;
            }
            self.has[literal] = true;
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
        self.current.drain(keep..).for_each(|literal| self.has[literal] = false);
    }

    fn limit(&self, atom: AtomId, limit: &'static str) -> FeatureError {
        let message = format!(
            "unfolding gives too much (limit `{limit}`): {} clauses so far, and this one is being unfolded",
            self.sets.len() + self.found.len()
        );
        let hint =
            "`--tables shared` does not unfold; `--max-clauses N` and `--max-memory BYTES` raise the limits";
        FeatureError::limit(limit, self.clauses.place_of(atom), message, hint)
    }

    fn finish(mut self) -> Result<FlatTables, Exhausted> {
        let heads: Vec<Set> = self.clauses.heads.iter().map(|head| self.set_of[head.atom].clone()).collect();
        let mut counts = IdVec::filled(0, self.clauses.features().len());
        for (head, set) in self.clauses.heads.iter().zip(&heads) {
            counts[head.feature] += wide(set.len());
        }
        let mut table = OrTable::default();
        let mut rows: Vec<OrRowId> = Vec::with_capacity(heads.len());
        let mut ticks = Ticks::default();
        for set in heads {
            ticks.work(&self.config.budget, 1 + set.len())?;
            rows.push(table.row(&self.sets, set));
        }
        let auxiliary: Vec<OrRowId> =
            self.auxiliary.iter().map(|&atom| table.row(&self.sets, self.set_of[atom].clone())).collect();
        drop(std::mem::take(&mut self.sets));
        let mut wanted = BitSet::empty(self.conjunctions.len());
        table.rows.items().iter().for_each(|&id| wanted.set(id, true));
        let renumbered = self.conjunctions.retain(&wanted);
        table.rows.items_mut().iter_mut().for_each(|id| *id = renumbered[*id]);
        table.rows.shrink_to_fit();
        Ok(FlatTables {
            facts: narrow(self.clauses.facts.len()),
            and_rows: self.conjunctions,
            or_rows: table.rows,
            auxiliary,
            heads: rows.into(),
            clauses: counts,
        })
    }
}

/// The or-table in the making: equal sets are one row.
#[derive(Default)]
struct OrTable {
    rows: Csr<OrRowId, ConjunctionId>,
    known: HashTable<OrRowId>,
}

impl OrTable {
    fn row(&mut self, sets: &[ConjunctionId], set: Set) -> OrRowId {
        let set = &sets[set.start.index()..set.end.index()];
        let OrTable { rows, known } = self;
        if let Some(&row) = known.find(hash(set), |&row| rows[row] == *set) {
            return row;
        }
        let row = rows.push(set.iter().copied());
        known.insert_unique(hash(set), row, |&row| hash(&rows[row]));
        row
    }
}

fn hash(set: &[ConjunctionId]) -> u64 {
    let mut hasher = FxHasher::default();
    set.hash(&mut hasher);
    hasher.finish()
}
