//! The store step: keeping the instances of the rules.
//!
//! s(R), the stored rule, is what remains of a rule without its static conditions. Two instances may
//! leave the same: instances of one rule that differ in variables of static conditions alone, or
//! instances of two rules. Where neither can happen, nothing is compared.

use super::Block;
use super::arena::Arena;
use super::compact::Revision;
use crate::flat::{Flat, FlatLiteral, FlatRule, Origin, RelationId, RelationKind};
use crate::tabling::{Build, Engine, Fire, Plan, Relation, Stop, build, share_done, values};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// After so many instances of a rule, its loops tell how many there will be.
const FIRST_LOOK: u64 = 50_000;

/// A rule that may have so many instances may take this many times as many steps to find them.
const STEPS_PER_INSTANCE: u64 = 20;

/// The row of an atom that is never true.
const NEVER: u32 = u32::MAX;

/// Head relation, and relation and sign of each condition, sorted.
type Signature = (RelationId, Box<[(RelationId, bool)]>);

/// Where the row number of a stored condition comes from.
enum Source {
    /// The row that the condition of this number has matched.
    Matched(usize),
    /// A negated atom, put together from registers. It may not be known yet, or never be true.
    Mentioned(RelationId, Box<[Build]>),
}

/// How a rule is stored.
struct Recipe {
    block: usize,
    /// In the order of the block's conditions.
    sources: Box<[Source]>,
    /// Whether conditions share a relation, so that they have to be put in order.
    sorted: bool,
}

/// Stored rules in the making.
pub(super) struct Store {
    blocks: Vec<Block>,
    by_signature: FxHashMap<Signature, usize>,
    /// For each block in which repeats can happen, its rules by content.
    known: Vec<Option<HashTable<u32>>>,
    /// For each rule of the flat program, if it is stored.
    recipes: Vec<Option<Recipe>>,
    /// Negated atoms by relation, in the order in which they were met.
    mentions: Vec<Relation>,
    /// For each rule of the flat program its instances.
    pub(super) instances: Vec<u64>,
    pub(super) repeats: u64,
    stored: u64,
    max_rules: u64,
    /// For each rule of the flat program the instances that it may have.
    caps: Vec<u64>,
    /// For each rule, when to look next whether it will have more.
    next_look: Vec<u64>,
    /// How many instances the rule that runs had when it began.
    begun_with: u64,
    current: usize,
    /// For each rule, whether it was taken back.
    dropped: Vec<bool>,
    /// Whether instances are kept; otherwise heads are derived, and that is all.
    pub(super) active: bool,
}

impl Store {
    pub(super) fn new(flat: &Flat, max_rules: u64, caps: Vec<u64>) -> Store {
        let mut store = Store {
            blocks: Vec::new(),
            by_signature: FxHashMap::default(),
            known: Vec::new(),
            recipes: Vec::new(),
            mentions: flat.relations.iter().map(|info| Relation::new(info.arity)).collect(),
            instances: vec![0; flat.rules.len()],
            repeats: 0,
            stored: 0,
            max_rules,
            next_look: caps.iter().map(|&cap| first_look(cap)).collect(),
            caps,
            begun_with: 0,
            current: 0,
            dropped: Vec::new(),
            active: true,
        };
        store.add_recipes(flat);
        store
    }

    /// Prepares to store the rules that have no recipe yet.
    fn add_recipes(&mut self, flat: &Flat) {
        let dynamic: Vec<bool> =
            flat.relations.iter().map(|info| info.kind == RelationKind::Dynamic).collect();
        for rule in &flat.rules[self.recipes.len()..] {
            let is_stored = matches!(rule.origin, Origin::Rule(_)) && dynamic[rule.head.relation.0 as usize];
            let recipe = is_stored.then(|| self.recipe(flat, rule, &dynamic));
            if let Some(recipe) = &recipe {
                // Conditions of the same relation may change places.
                if recipe.sorted || !determines_variables(flat, rule, &dynamic) {
                    self.compare_from_now_on(recipe.block);
                }
            }
            self.recipes.push(recipe);
        }
        let mut rules_of_block = vec![0; self.blocks.len()];
        self.recipes.iter().flatten().for_each(|recipe| rules_of_block[recipe.block] += 1);
        for (block, &rules) in rules_of_block.iter().enumerate() {
            if rules > 1 {
                self.compare_from_now_on(block);
            }
        }
    }

    /// Forgets the instances of some rules, and of those that are kept together with them; prepares for the rules that
    /// have been added. The rules that have to be run again.
    pub(super) fn revise(&mut self, flat: &Flat, revision: &Revision) -> Vec<usize> {
        let dropped = |rule: usize| revision.dropped.get(rule).is_some_and(|dropped| *dropped);
        let mut affected = vec![false; self.blocks.len()];
        for (rule, recipe) in self.recipes.iter().enumerate() {
            if let Some(recipe) = recipe.as_ref().filter(|_| dropped(rule)) {
                affected[recipe.block] = true;
            }
        }
        let again = |recipe: &Option<Recipe>| recipe.as_ref().is_some_and(|recipe| affected[recipe.block]);
        let again: Vec<usize> =
            (0..self.recipes.len()).filter(|&rule| again(&self.recipes[rule]) && !dropped(rule)).collect();
        for (block, affected) in affected.iter().enumerate() {
            if *affected {
                let stride = 1 + self.blocks[block].literals.len();
                let old = std::mem::replace(&mut self.blocks[block].rows, Arena::new(stride));
                self.stored -= old.len() as u64;
                self.known[block] = self.known[block].take().map(|_| HashTable::new());
            }
        }
        self.dropped.resize(self.recipes.len(), false);
        for (rule, recipe) in self.recipes.iter_mut().enumerate() {
            if revision.dropped.get(rule).is_some_and(|dropped| *dropped) {
                *recipe = None;
                self.dropped[rule] = true;
            }
        }
        let new_relations = &flat.relations[self.mentions.len()..];
        self.mentions.extend(new_relations.iter().map(|info| Relation::new(info.arity)));
        let new_rules = revision.first_new..flat.rules.len();
        self.instances.resize(flat.rules.len(), 0);
        self.caps.resize(flat.rules.len(), u64::MAX);
        self.next_look.resize(flat.rules.len(), u64::MAX);
        self.add_recipes(flat);
        again.into_iter().chain(new_rules).collect()
    }

    fn recipe(&mut self, flat: &Flat, rule: &FlatRule, dynamic: &[bool]) -> Recipe {
        let mut conditions: Vec<((RelationId, bool), Source)> = Vec::new();
        for (number, literal) in rule.body.iter().enumerate() {
            let Some(atom) = literal.atom().filter(|atom| dynamic[atom.relation.0 as usize]) else {
                continue;
            };
            conditions.push(match literal {
                FlatLiteral::Not(_) => {
                    let key = atom.args.iter().map(|&arg| build(&flat.terms, arg)).collect();
                    ((atom.relation, false), Source::Mentioned(atom.relation, key))
                }
                _ => ((atom.relation, true), Source::Matched(number)),
            });
        }
        conditions.sort_by_key(|(kind, _)| *kind);
        let (literals, sources): (Vec<_>, Vec<_>) = conditions.into_iter().unzip();
        let sorted = literals.is_sorted_by(|a, b| a < b);
        let block = self.block((rule.head.relation, literals.into()));
        Recipe { block, sources: sources.into(), sorted: !sorted }
    }

    fn block(&mut self, signature: Signature) -> usize {
        *self.by_signature.entry(signature).or_insert_with_key(|(head, literals)| {
            let rows = Arena::new(1 + literals.len());
            self.blocks.push(Block { head: *head, literals: literals.clone(), rows });
            self.known.push(None);
            self.blocks.len() - 1
        })
    }

    /// Counts instances from zero again, because rules are run again.
    pub(super) fn forget_counts(&mut self) {
        self.instances.fill(0);
        for (look, &cap) in self.next_look.iter_mut().zip(&self.caps) {
            *look = first_look(cap);
        }
    }

    /// Whether a rule was taken back.
    pub(super) fn is_dropped(&self, rule: usize) -> bool {
        self.dropped.get(rule).is_some_and(|dropped| *dropped)
    }

    /// Whether the instances of a rule are kept.
    pub(super) fn keeps(&self, rule: usize) -> bool {
        self.recipes[rule].is_some()
    }

    /// Keeps an instance unless it is known.
    fn keep(&mut self, block: usize, record: &[u32]) {
        let rows = &mut self.blocks[block].rows;
        if let Some(known) = &mut self.known[block] {
            let hash = hash_record(record);
            if known.find(hash, |&other| rows.get(other as usize) == record).is_some() {
                self.repeats += 1;
                return;
            }
            let number = rows.len() as u32;
            known.insert_unique(hash, number, |&other| {
                if other == number { hash } else { hash_record(rows.get(other as usize)) }
            });
        }
        rows.push(record);
        self.stored += 1;
    }

    /// Puts conditions of the same relation in order. Where two of them are the same atom, the
    /// instance has fewer conditions than its rule, and belongs into another block.
    fn keep_sorted(&mut self, block: usize, record: &mut SmallVec<[u32; 16]>) {
        let mut duplicate = false;
        for run in runs(&self.blocks[block].literals) {
            let rows = &mut record[run];
            rows.sort_unstable();
            duplicate |= rows.windows(2).any(|pair| pair[0] == pair[1]);
        }
        if duplicate {
            self.keep_reduced(block, record, |_| true);
        } else {
            self.keep(block, record);
        }
    }

    /// Keeps an instance without some of its conditions, and without those that stand there twice.
    fn keep_reduced(&mut self, block: usize, record: &[u32], wanted: impl Fn(u32) -> bool) {
        let mut reduced: SmallVec<[u32; 16]> = SmallVec::from_slice(&record[..1]);
        let mut kinds: Vec<(RelationId, bool)> = Vec::new();
        for (&kind, &row) in self.blocks[block].literals.iter().zip(&record[1..]) {
            let repeated = kinds.last() == Some(&kind) && reduced.last() == Some(&row);
            if wanted(row) && !repeated {
                kinds.push(kind);
                reduced.push(row);
            }
        }
        let block = self.block((self.blocks[block].head, kinds.into()));
        self.compare_from_now_on(block);
        self.keep(block, &reduced);
    }

    /// Looks out for repeats in a block that had none so far.
    fn compare_from_now_on(&mut self, block: usize) {
        if self.known[block].is_none() {
            let rows = &self.blocks[block].rows;
            let mut known = HashTable::with_capacity(rows.len());
            for number in 0..rows.len() {
                let hash = |&other: &u32| hash_record(rows.get(other as usize));
                known.insert_unique(hash(&(number as u32)), number as u32, hash);
            }
            self.known[block] = Some(known);
        }
    }

    /// Whether the rule that runs will have more instances than it may have, as far as its loops tell.
    #[cold]
    fn look_ahead(&mut self, engine: &mut Engine, plan: &Plan) -> Result<(), Stop> {
        let instances = self.instances[self.current];
        let now = (instances - self.begun_with) as f64;
        let expected = self.begun_with as f64 + now / share_done(engine, plan).max(f64::MIN_POSITIVE);
        self.next_look[self.current] = instances * 2;
        if expected > self.caps[self.current] as f64 { Err(Stop::Overflow) } else { Ok(()) }
    }

    /// The memory of all that is stored.
    fn bytes(&self) -> usize {
        let rows: usize = self.blocks.iter().map(|block| block.rows.bytes()).sum();
        let known: usize = self.known.iter().flatten().map(HashTable::allocation_size).sum();
        rows + known + self.mentions.iter().map(Relation::bytes).sum::<usize>()
    }

    /// The stored rules, with mentioned atoms replaced by the atoms of the relations. The negation of an atom
    /// that is never true is no condition; without it, a rule may be the same as another one.
    pub(super) fn finish(mut self, relations: &[Relation]) -> (Vec<Block>, u64) {
        self.known.iter_mut().for_each(|known| *known = None);
        let resolve = |(mentions, relation): (&Relation, &Relation)| -> Vec<u32> {
            (0..mentions.len()).map(|row| relation.find(mentions.row(row)).unwrap_or(NEVER)).collect()
        };
        let resolved: Vec<Vec<u32>> = self.mentions.iter().zip(relations).map(resolve).collect();
        let mut reduced: Vec<(usize, SmallVec<[u32; 16]>)> = Vec::new();
        for (number, block) in self.blocks.iter_mut().enumerate() {
            block.resolve(&resolved);
            if block.rows.iter().any(|record| record.contains(&NEVER)) {
                let stride = 1 + block.literals.len();
                let all = std::mem::replace(&mut block.rows, Arena::new(stride));
                for record in all.iter() {
                    if record.contains(&NEVER) {
                        reduced.push((number, SmallVec::from_slice(record)));
                    } else {
                        block.rows.push(record);
                    }
                }
            }
        }
        for (block, record) in reduced {
            self.keep_reduced(block, &record, |row| row != NEVER);
        }
        (self.blocks, self.repeats)
    }
}

impl Block {
    /// Replaces the numbers of mentioned atoms by rows, and puts rows of the same relation in order again.
    fn resolve(&mut self, resolved: &[Vec<u32>]) {
        let negative: Vec<(usize, usize)> = (0..self.literals.len())
            .filter(|&at| !self.literals[at].1)
            .map(|at| (at + 1, self.literals[at].0.0 as usize))
            .collect();
        if negative.is_empty() {
            return;
        }
        let runs = runs(&self.literals);
        for record in self.rows.iter_mut() {
            negative.iter().for_each(|&(at, relation)| record[at] = resolved[relation][record[at] as usize]);
            runs.iter().for_each(|run| record[run.clone()].sort_unstable());
        }
    }
}

/// The places of a record that hold rows of the same relation and sign, where there are several.
fn runs(literals: &[(RelationId, bool)]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = 0;
    while start < literals.len() {
        let length = literals[start..].iter().take_while(|kind| **kind == literals[start]).count();
        if length > 1 {
            runs.push(1 + start..1 + start + length);
        }
        start += length;
    }
    runs
}

impl Fire for Store {
    fn select(&mut self, rule: usize) {
        self.current = rule;
    }

    fn begin(&mut self) -> u64 {
        self.begun_with = self.instances[self.current];
        self.caps[self.current].saturating_mul(STEPS_PER_INSTANCE)
    }

    #[inline]
    fn fire(&mut self, engine: &mut Engine, plan: &Plan) -> Result<(), Stop> {
        let (head, _) = engine.derive(plan)?;
        self.instances[self.current] += 1;
        if self.instances[self.current] > self.next_look[self.current] {
            self.look_ahead(engine, plan)?;
        }
        if self.instances[self.current].is_multiple_of(65_536) {
            engine.other_bytes = self.bytes();
        }
        let Some(recipe) = self.recipes[self.current].as_ref().filter(|_| self.active) else { return Ok(()) };
        let mut record: SmallVec<[u32; 16]> = SmallVec::new();
        record.push(head);
        for source in &recipe.sources {
            record.push(match source {
                Source::Matched(literal) => engine.rows[*literal],
                Source::Mentioned(relation, key) => {
                    let key = values(engine, key);
                    self.mentions[relation.0 as usize].insert(&key).0
                }
            });
        }
        let (block, sorted) = (recipe.block, recipe.sorted);
        if sorted {
            self.keep_sorted(block, &mut record);
        } else {
            self.keep(block, &record);
        }
        engine.stored = self.stored;
        if self.stored > self.max_rules { Err(Stop::TooMany) } else { Ok(()) }
    }
}

/// When to look first whether a rule will have more instances than it may have.
fn first_look(cap: u64) -> u64 {
    if cap == u64::MAX { cap } else { cap.min(FIRST_LOOK) }
}

fn hash_record(record: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    record.hash(&mut hasher);
    hasher.finish()
}

/// Whether different matches of a rule always leave different stored rules: all its variables occur
/// in the head or in a condition that is kept.
fn determines_variables(flat: &Flat, rule: &FlatRule, dynamic: &[bool]) -> bool {
    let mut seen = vec![false; rule.variables];
    let kept =
        rule.body.iter().filter_map(FlatLiteral::atom).filter(|atom| dynamic[atom.relation.0 as usize]);
    for atom in kept.chain([&rule.head]) {
        for &arg in &atom.args {
            flat.terms.for_each_variable(arg, &mut |variable| seen[variable.0 as usize] = true);
        }
    }
    seen.iter().all(|&seen| seen)
}
