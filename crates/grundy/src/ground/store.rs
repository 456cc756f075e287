//! The store of ground rules.
//!
//! A match of g(R) stores s(R): the instance of a rule without its static conditions. Instances with the same head relation
//! and the same relations and signs of conditions form a [`Block`], in which an instance is a record of row numbers. How
//! a record is written is compiled once for each rule ([`Recipe`]). Rows of positive conditions are known from the match;
//! heads and negated atoms are looked up in batches. Negated atoms may not have been derived yet when they are met: they
//! get preliminary rows in the relations of `mentions`, and [`Store::finish`] replaces these by the final rows, or drops
//! the condition if the atom is never true.
//!
//! # Repeats
//!
//! Two instances may leave the same record: instances of one rule that differ only in variables of static conditions, or
//! instances of two rules. A static test ([`may_repeat`]) finds the blocks in which that is impossible. In the others,
//! repeats are removed whenever the number of records has grown by the factor [`COMPARISON_GROWTH`], so that removing takes
//! amortised linear time, and no hash table over all rules is needed. A record in which two conditions are the same atom
//! moves to the block with one condition fewer.
//!
//! # Caps
//!
//! In compact form, a rule with far more instances than expected ends the attempt. The store extrapolates the number of
//! instances, and of steps, from the positions of the loops of the running plan ([`share_done`]), so that this is known
//! long before the cap is reached.

use super::arena::Arena;
use super::branches::Branches;
use super::config::GroundConfig;
use super::recipe::{Recipe, runs};
use super::repeats::{bytes_to_remove, may_repeat, remove_repeats};
use super::tactics::Cap;
use super::{Block, BlockId};
use crate::datalog::{Engine, Fire, Plan, Relation, Relations, Stop, share_done};
use crate::flat::{Flat, FlatLiteral, FlatRule, FlatRuleId, Origin, RelationId, RelationKind};
use crate::ids::{BitSet, Id, IdVec, float, narrow, wide};
use grundy_syntax::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The number of instances of a rule from which on the positions of its loops are a usable estimate. A guess.
const INSTANCES_BEFORE_FORECAST: u64 = 50_000;

/// The number of steps that a rule may take for each instance of its cap. A guess.
const STEPS_PER_INSTANCE: u64 = 20;

/// The number of steps of a plan from which on the positions of its loops are a usable estimate. A guess.
const STEPS_BEFORE_FORECAST: u64 = 200_000;

/// A rule overflows when its expected steps exceed its allowance by this factor: the estimate is rough. A guess.
const STEP_FORECAST_MARGIN: f64 = 2.0;

/// The number of records of a block at the first search for repeats. A guess.
const FIRST_COMPARISON: usize = 1 << 14;

/// Repeats are searched again when a block has this many times the records. A guess between time and memory.
const COMPARISON_GROWTH: usize = 4;

/// The number of instances of a rule between reports of memory and progress. A power of two, so that the test is
/// cheap. A guess.
const INSTANCES_PER_REPORT: u64 = 1 << 16;

/// The row of an atom that is never true.
const NEVER: u32 = u32::MAX;

/// Head relation, and relation and sign of each condition, sorted.
type Signature = (RelationId, Box<[(RelationId, bool)]>);

/// Stored rules in the making.
pub(super) struct Store {
    blocks: IdVec<BlockId, Block>,
    by_signature: FxHashMap<Signature, BlockId>,
    /// The block for records of a block with only some of its conditions, which are given as bits.
    reduced: FxHashMap<(BlockId, u128), BlockId>,
    /// Pairs of a block and a block that has some instances of its rules.
    reductions: FxHashSet<(BlockId, BlockId)>,
    /// For each block the number of records at which to remove repeats; the largest number if it has none.
    comparison_at: IdVec<BlockId, usize>,
    /// The recipe of each rule that is stored.
    recipes: IdVec<FlatRuleId, Option<Recipe>>,
    /// The relations whose conditions are stored.
    dynamic: BitSet<RelationId>,
    /// The negated atoms, in the order in which they were met.
    mentions: Relations,
    /// The number of instances of each rule.
    pub(super) instances: IdVec<FlatRuleId, u64>,
    pub(super) repeats: u64,
    /// For each rule the branches of an `or` that it stands for, if repeats are counted.
    branches: IdVec<FlatRuleId, Branches>,
    /// Whether the exact number of repeats is wanted.
    counts_repeats: bool,
    /// The number of records, including repeats that were not removed yet.
    stored: u64,
    max_rules: u64,
    /// The number of records at which repeats are removed to check the limit on rules: a quarter above that limit, so that
    /// this is not done for every record.
    most_stored: u64,
    /// The cap of each rule.
    caps: IdVec<FlatRuleId, Cap>,
    /// For each rule the number of instances at the next forecast.
    next_forecast: IdVec<FlatRuleId, u64>,
    /// The number of instances of the running rule at its start.
    begun_with: u64,
    current: FlatRuleId,
    /// The rules that were taken back.
    dropped: BitSet<FlatRuleId>,
    /// Whether instances are stored; otherwise only heads are derived.
    pub(super) active: bool,
}

impl Store {
    pub(super) fn new(flat: &Flat, config: &GroundConfig, caps: IdVec<FlatRuleId, Cap>) -> Store {
        let max_rules = config.max_rules;
        Store {
            counts_repeats: config.faithful,
            branches: IdVec::default(),
            blocks: IdVec::default(),
            by_signature: FxHashMap::default(),
            reduced: FxHashMap::default(),
            reductions: FxHashSet::default(),
            comparison_at: IdVec::default(),
            recipes: IdVec::default(),
            dynamic: BitSet::empty(0),
            mentions: flat.relations.iter().map(|info| Relation::new(info.arity)).collect(),
            instances: IdVec::filled(0, flat.rules.len()),
            repeats: 0,
            stored: 0,
            max_rules,
            most_stored: max_rules.saturating_add(max_rules / 4),
            next_forecast: caps.iter().map(|cap| first_forecast(cap.most)).collect(),
            caps,
            begun_with: 0,
            current: FlatRuleId(0),
            dropped: BitSet::empty(0),
            active: false,
        }
    }

    /// Prepares to store instances. An instance of several branches of a rule counts as repeats for all but one.
    pub(super) fn prepare(&mut self, flat: &Flat, branches: IdVec<FlatRuleId, Branches>) {
        self.branches = branches;
        self.add_recipes(flat);
    }

    /// Adds recipes for the rules without one.
    fn add_recipes(&mut self, flat: &Flat) {
        self.dynamic = flat.relations_where(|&relation| flat.info(relation).kind == RelationKind::Dynamic);
        for rule in &flat.rules.as_slice()[self.recipes.len()..] {
            let is_dynamic = self.dynamic.contains(rule.head.relation);
            let is_stored = matches!(rule.origin, Origin::Rule(_)) && is_dynamic;
            let recipe = is_stored.then(|| self.recipe(flat, rule));
            self.recipes.push(recipe);
        }
        let mut rules_of_block: IdVec<BlockId, Vec<&FlatRule>> = IdVec::filled(Vec::new(), self.blocks.len());
        for (rule, recipe) in flat.rules.iter().zip(&self.recipes) {
            if let Some(recipe) = recipe {
                rules_of_block[recipe.block].push(rule);
            }
        }
        for (block, rules) in rules_of_block.entries() {
            if may_repeat(flat, rules, &self.dynamic) {
                self.compare_from_now_on(block);
            }
        }
    }

    /// Prepares for new rules, some of which have a cap.
    pub(super) fn extend(&mut self, flat: &Flat, caps: &[(FlatRuleId, u64)]) {
        let new_relations = &flat.relations.as_slice()[self.mentions.len()..];
        self.mentions.extend(new_relations.iter().map(|info| Relation::new(info.arity)));
        self.instances.resize(flat.rules.len(), 0);
        self.caps.resize(flat.rules.len(), Cap::default());
        self.next_forecast.resize(flat.rules.len(), u64::MAX);
        for &(rule, most) in caps {
            self.caps[rule].most = most;
            self.next_forecast[rule] = first_forecast(most);
        }
        self.add_recipes(flat);
    }

    /// Removes the instances of some rules, and of the rules that share blocks with them. Returns the latter, which have to
    /// run again.
    pub(super) fn forget(&mut self, dropped: &BitSet<FlatRuleId>) -> Vec<FlatRuleId> {
        let mut affected = BitSet::empty(self.blocks.len());
        for (rule, recipe) in self.recipes.entries() {
            if let Some(recipe) = recipe.as_ref().filter(|_| dropped.contains(rule)) {
                affected.set(recipe.block, true);
            }
        }
        self.add_reductions(&mut affected);
        let is_affected =
            |recipe: &Option<Recipe>| recipe.as_ref().is_some_and(|recipe| affected.contains(recipe.block));
        let again = |rule: &FlatRuleId| is_affected(&self.recipes[*rule]) && !dropped.contains(*rule);
        let again: Vec<FlatRuleId> = self.recipes.ids().filter(again).collect();
        for block in affected.iter() {
            let stride = 1 + self.blocks[block].literals.len();
            let old = std::mem::replace(&mut self.blocks[block].rows, Arena::new(stride));
            self.stored -= wide(old.len());
        }
        self.dropped = self.dropped.widened(self.recipes.len());
        for rule in dropped.iter() {
            self.recipes[rule] = None;
            self.dropped.set(rule, true);
        }
        for &rule in &again {
            self.instances[rule] = 0;
            self.caps[rule].most = u64::MAX;
            self.next_forecast[rule] = u64::MAX;
        }
        again
    }

    /// Adds the blocks that have instances of the same rules.
    fn add_reductions(&self, blocks: &mut BitSet<BlockId>) {
        let mut changed = true;
        while changed {
            changed = false;
            for &(block, target) in &self.reductions {
                if blocks.contains(block) != blocks.contains(target) {
                    blocks.set(block, true);
                    blocks.set(target, true);
                    changed = true;
                }
            }
        }
    }

    fn recipe(&mut self, flat: &Flat, rule: &FlatRule) -> Recipe {
        let (literals, mut recipe) = Recipe::new(flat, rule, &self.dynamic);
        recipe.block = self.block((rule.head.relation, literals.into()));
        recipe
    }

    fn block(&mut self, signature: Signature) -> BlockId {
        *self.by_signature.entry(signature).or_insert_with_key(|(head, literals)| {
            let rows = Arena::new(1 + literals.len());
            self.comparison_at.push(usize::MAX);
            self.blocks.push(Block { head: *head, literals: literals.clone(), rows })
        })
    }

    /// Resets the counts of instances, since rules run again.
    pub(super) fn forget_counts(&mut self) {
        self.instances.fill(0);
        for (look, cap) in self.next_forecast.iter_mut().zip(&self.caps) {
            *look = first_forecast(cap.most);
        }
    }

    /// Whether no rule runs again once it is stored.
    pub(super) fn runs_once(&self) -> bool {
        self.active && self.counts_repeats
    }

    /// Whether a rule was taken back.
    pub(super) fn is_dropped(&self, rule: FlatRuleId) -> bool {
        self.dropped.contains_if_known(rule)
    }

    /// Whether the instances of a rule are stored.
    pub(super) fn keeps_instances(&self, rule: FlatRuleId) -> bool {
        self.recipes.get(rule).is_some_and(Option::is_some)
    }

    /// Moves the last record of a block, in which two conditions are the same atom, to the block with fewer conditions.
    #[cold]
    fn move_reduced(&mut self, block: BlockId) {
        let record = self.blocks[block].rows.pop();
        self.stored -= 1;
        self.keep_reduced(block, &record, |_| true);
    }

    /// Stores a record without some of its conditions and without repeated ones.
    fn keep_reduced(&mut self, block: BlockId, record: &[u32], wanted: impl Fn(u32) -> bool) {
        let literals = &self.blocks[block].literals;
        let is_repeated =
            |at: usize| at > 0 && record[at] == record[at + 1] && literals[at - 1] == literals[at];
        let kept = (0..literals.len()).filter(|&at| wanted(record[at + 1]) && !is_repeated(at));
        let reduced: SmallVec<[u32; 16]> =
            record[..1].iter().copied().chain(kept.clone().map(|at| record[at + 1])).collect();
        let bits = |kept: u128, at: usize| Some(kept | 1u128.checked_shl(narrow(at))?);
        let known = kept.clone().try_fold(0, bits).map(|kept| (block, kept));
        let target = match known.and_then(|known| self.reduced.get(&known)) {
            Some(&target) => target,
            None => {
                let kinds: Vec<(RelationId, bool)> = kept.map(|at| literals[at]).collect();
                let target = self.block((self.blocks[block].head, kinds.into()));
                self.compare_from_now_on(target);
                self.reduced.extend(known.map(|known| (known, target)));
                self.reductions.insert((block, target));
                target
            }
        };
        self.blocks[target].rows.push(&reduced);
        self.stored += 1;
    }

    /// Starts the removal of repeats in a block.
    fn compare_from_now_on(&mut self, block: BlockId) {
        if self.comparison_at[block] == usize::MAX {
            self.comparison_at[block] = FIRST_COMPARISON;
        }
    }

    /// Removes the repeats of a block.
    #[cold]
    fn compare(&mut self, block: BlockId) {
        let repeats = remove_repeats(&mut self.blocks[block].rows);
        self.repeats += repeats;
        self.stored -= repeats;
        self.comparison_at[block] = FIRST_COMPARISON.max(COMPARISON_GROWTH * self.blocks[block].rows.len());
    }

    fn compare_all(&mut self) {
        for block in self.blocks.ids() {
            if self.comparison_at[block] < usize::MAX {
                self.compare(block);
            }
        }
    }

    /// Checks the limit on rules.
    pub(super) fn check(&mut self) -> Result<(), Stop> {
        if self.stored > self.max_rules {
            self.compare_all();
        }
        if self.stored > self.max_rules { Err(Stop::TooMany) } else { Ok(()) }
    }

    /// Stops the running rule if its loops predict more instances than its cap.
    #[cold]
    fn forecast(&mut self, engine: &Engine, plan: &Plan) -> Result<(), Stop> {
        let instances = self.instances[self.current];
        let now = float(instances - self.begun_with);
        let expected =
            float(self.begun_with) + now / share_done(engine, plan, plan.steps.len()).max(f64::MIN_POSITIVE);
        self.next_forecast[self.current] = instances * 2;
        // A new attempt repeats all work so far, so a rule may have as many instances as all others together.
        let cap = self.caps[self.current];
        let others = self.instances.iter().sum::<u64>() - instances;
        let most = if cap.relation.is_some() { cap.most.max(others) } else { cap.most };
        if expected > float(most) { Err(Stop::Overflow) } else { Ok(()) }
    }

    /// The number of steps that the running rule may take.
    fn allowance(&self) -> u64 {
        self.caps[self.current].most.saturating_mul(STEPS_PER_INSTANCE)
    }

    /// The memory of the store, including that needed to remove repeats.
    fn bytes(&self) -> usize {
        let rows: usize = self.blocks.iter().map(|block| block.rows.bytes()).sum();
        let compared = self.blocks.iter().zip(&self.comparison_at).filter(|(_, at)| **at < usize::MAX);
        let removal = compared.map(|(block, _)| bytes_to_remove(block.rows.len())).max().unwrap_or(0);
        let follows: usize = self.recipes.iter().flatten().map(Recipe::bytes).sum();
        rows + removal + follows + self.mentions.iter().map(Relation::bytes).sum::<usize>()
    }

    /// The blocks, with preliminary rows of negated atoms replaced by rows of the relations. The negation of an atom that is
    /// never true is dropped, after which a record may repeat another one.
    pub(super) fn finish(
        mut self,
        relations: &Relations,
        budget: &Budget,
    ) -> Result<(IdVec<BlockId, Block>, u64), Stop> {
        self.recipes = IdVec::default();
        let resolve = |(mentions, relation): (&Relation, &Relation)| relation.find_all(mentions, NEVER);
        let resolved: IdVec<RelationId, Vec<u32>> =
            self.mentions.iter().zip(relations).map(resolve).collect();
        let mut reduced: Vec<(BlockId, SmallVec<[u32; 16]>)> = Vec::new();
        for id in self.blocks.ids() {
            let block = &mut self.blocks[id];
            budget.check()?;
            block.resolve(&resolved);
            if block.rows.iter().any(|record| record.contains(&NEVER)) {
                block.rows.retain(|record| {
                    let never = record.contains(&NEVER);
                    if never {
                        reduced.push((id, SmallVec::from_slice(record)));
                    }
                    !never
                });
            }
        }
        for (block, record) in reduced {
            self.keep_reduced(block, &record, |row| row != NEVER);
        }
        budget.check()?;
        self.compare_all();
        Ok((self.blocks, self.repeats))
    }
}

impl Block {
    /// Replaces preliminary rows of negated atoms, and sorts rows of the same relation again.
    fn resolve(&mut self, resolved: &IdVec<RelationId, Vec<u32>>) {
        let negative: Vec<(usize, RelationId)> = (0..self.literals.len())
            .filter(|&at| !self.literals[at].1)
            .map(|at| (at + 1, self.literals[at].0))
            .collect();
        if negative.is_empty() {
            return;
        }
        let runs = runs(&self.literals);
        for record in self.rows.iter_mut() {
            negative.iter().for_each(|&(at, relation)| record[at] = resolved[relation][record[at].index()]);
            runs.iter().for_each(|run| record[run.clone()].sort_unstable());
        }
    }
}

impl Fire for Store {
    fn select(&mut self, rule: FlatRuleId) {
        self.current = rule;
    }

    fn group(&self, rule: FlatRuleId) -> Option<RelationId> {
        self.caps[rule].relation
    }

    fn keeps(&self, literal: &FlatLiteral) -> bool {
        self.active
            && self.keeps_instances(self.current)
            && literal.atom().is_some_and(|atom| self.dynamic.contains(atom.relation))
    }

    fn wants_exchanged(&self) -> bool {
        self.counts_repeats && self.active
    }

    fn begin(&mut self, plan: &Plan) -> u64 {
        if self.active
            && let Some(recipe) = &mut self.recipes[self.current]
        {
            recipe.begin();
            let block = recipe.block;
            if plan.repeats {
                self.compare_from_now_on(block);
            }
        }
        self.begun_with = self.instances[self.current];
        self.allowance()
    }

    fn look(&mut self, engine: &Engine, plan: &Plan, at: usize) -> Result<(), Stop> {
        let taken = self.allowance() - engine.steps_left();
        if self.caps[self.current].most == u64::MAX || taken < STEPS_BEFORE_FORECAST {
            return Ok(());
        }
        let expected = float(taken) / share_done(engine, plan, at).max(f64::MIN_POSITIVE);
        if expected > STEP_FORECAST_MARGIN * float(self.allowance()) { Err(Stop::Overflow) } else { Ok(()) }
    }

    #[inline]
    fn fire(&mut self, engine: &mut Engine, plan: &Plan) -> Result<(), Stop> {
        let instances = self.instances[self.current] + 1;
        self.instances[self.current] = instances;
        if instances > self.next_forecast[self.current] {
            self.forecast(engine, plan)?;
        }
        if instances.is_multiple_of(INSTANCES_PER_REPORT) {
            engine.other_bytes = self.bytes();
            engine.stored = self.stored;
        }
        let recipe = self.recipes.get_mut(self.current).and_then(Option::as_mut);
        let Some(recipe) = recipe.filter(|_| self.active) else {
            return if engine.derive_later(plan, 0) { engine.derive_queued(plan, |_, _| {}) } else { Ok(()) };
        };
        if let Some(branches) = self.branches.get(self.current) {
            self.repeats += branches.repeats(&engine.registers);
        }
        let rows = &mut self.blocks[recipe.block].rows;
        let repeated = recipe.write(engine, plan, &mut self.mentions, rows, instances)?;
        self.stored += 1;
        let (block, stored) = (recipe.block, rows.len());
        if repeated {
            self.move_reduced(block);
        } else if stored >= self.comparison_at[block] {
            self.end(engine, plan)?;
            self.compare(block);
        }
        if self.stored > self.most_stored {
            self.end(engine, plan)?;
            self.check()?;
        }
        Ok(())
    }

    fn end(&mut self, engine: &mut Engine, plan: &Plan) -> Result<(), Stop> {
        let recipe = self.recipes.get_mut(self.current).and_then(Option::as_mut);
        match recipe.filter(|_| self.active) {
            Some(recipe) => {
                let rows = &mut self.blocks[recipe.block].rows;
                recipe.fill_in(engine, plan, &mut self.mentions, rows)
            }
            None => engine.derive_queued(plan, |_, _| {}),
        }
    }
}

/// The number of instances at the first forecast for a rule with this cap.
fn first_forecast(cap: u64) -> u64 {
    if cap == u64::MAX { cap } else { cap.min(INSTANCES_BEFORE_FORECAST) }
}
