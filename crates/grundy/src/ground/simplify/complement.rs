//! Complements of sets of moves.
//!
//! A frame axiom says that a cell keeps its value under every move made elsewhere: one rule for each of nearly all moves.
//! Each role does exactly one of its moves, so this is equivalent to a single rule: none of the few other moves is made.
//!
//! ```text
//! next(c) ← true(c), does(white, m1)               does~set(1) ← does(white, m4)
//! next(c) ← true(c), does(white, m2)      ⇒        next(c) ← true(c), not does~set(1)
//! next(c) ← true(c), does(white, m3)
//! ```
//!
//! Equal sets of moves are shared.

use super::Draft;
use crate::datalog::{Relation, Stop, hash_values};
use crate::flat::{RelationId, RelationInfo, RelationKind, Substitution, substitute};
use crate::ground::arena::Arena;
use crate::ground::{Block, BlockId};
use crate::ids::{Id, narrow};
use grundy_syntax::{Budget, Keyword, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A group of rules is replaced if that saves at least this number of rules. A guess.
const MIN_RULES_SAVED: usize = 3;

/// A rule without its move: head and other conditions, and the role that moves.
type Key = (SmallVec<[u32; 8]>, u32);

/// The moves of all roles.
struct Moves {
    /// The relations of `does`.
    relations: Vec<RelationId>,
    /// For each row of these relations the term of the role, and the number of the move among the moves of that role.
    places: FxHashMap<RelationId, Vec<(u32, u32)>>,
    /// The moves of each role. Terms that are not roles never move, so the equivalence does not hold for them, and they are
    /// left out.
    by_role: FxHashMap<u32, Vec<(RelationId, u32)>>,
}

/// The smallest group of rules, each for one of these moves, whose complement is smaller.
fn fewest_of(moves: usize) -> usize {
    (moves + MIN_RULES_SAVED).div_ceil(2)
}

impl Moves {
    /// The smallest group of rules that can be replaced for any role.
    fn fewest_to_replace(&self) -> usize {
        let moves = self.by_role.values().map(Vec::len);
        moves.filter(|&moves| fewest_of(moves) <= moves).map(fewest_of).min().unwrap_or(usize::MAX)
    }
}

/// Replaces groups of rules by their complements where these are smaller.
pub(super) fn use_complements(draft: &mut Draft<'_>, budget: &Budget) -> Result<(), Stop> {
    let moves = moves(draft);
    if moves.fewest_to_replace() == usize::MAX {
        return Ok(());
    }
    let mut sets = Sets::default();
    let mut added: FxHashMap<Signature, Vec<SmallVec<[u32; 8]>>> = FxHashMap::default();
    for family in families(draft, &moves) {
        budget.check()?;
        replace_groups(draft, &moves, &family, &mut sets, &mut added);
    }
    if sets.members.is_empty() {
        return Ok(());
    }
    let relation = add_sets(draft, &moves, sets);
    let mut added: Vec<_> = added.into_iter().collect();
    added.sort_by(|a, b| a.0.cmp(&b.0));
    for ((head, mut literals), records) in added {
        literals.push((relation, false));
        add_block(draft, head, literals, records);
    }
    Ok(())
}

/// Head relation, and relation and sign of each condition.
type Signature = (RelationId, Vec<(RelationId, bool)>);

fn moves(draft: &mut Draft<'_>) -> Moves {
    let does = draft.program.keyword(Keyword::Does);
    let ids = draft.flat.relations.ids();
    let relations: Vec<RelationId> = ids.filter(|&id| Some(draft.flat.info(id).predicate) == does).collect();
    let mut moves = Moves { relations, places: FxHashMap::default(), by_role: FxHashMap::default() };
    for &relation in &moves.relations {
        let rows = &draft.relations[relation];
        let template = draft.flat.info(relation).template[0];
        let mut places = Vec::with_capacity(rows.len().index());
        for row in 0..rows.len() {
            let values: Substitution = rows.row(row).iter().map(|value| Some(TermId(value))).collect();
            let mover = substitute(&mut draft.flat.terms, template, &values).0;
            let known = moves.by_role.entry(mover).or_default();
            places.push((mover, narrow(known.len())));
            known.push((relation, row));
        }
        moves.places.insert(relation, places);
    }
    let roles = draft.program.roles();
    moves.by_role.retain(|&mover, _| roles.contains(&TermId(mover)));
    moves
}

/// Blocks, each with the position of the move among its conditions.
type Family = Vec<(BlockId, usize)>;

/// Blocks with exactly one move among their conditions that differ in its relation alone: their numbers, each with the
/// place of the move.
fn families(draft: &Draft<'_>, moves: &Moves) -> Vec<Family> {
    let mut families: FxHashMap<Signature, Family> = FxHashMap::default();
    for (id, block) in draft.blocks.entries() {
        let is_move = |at: &usize| moves.relations.contains(&block.literals[*at].0);
        let places: SmallVec<[usize; 4]> = (0..block.literals.len()).filter(is_move).collect();
        let [place] = places[..] else { continue };
        if block.literals[place].1 {
            let rest =
                block.literals.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, kind)| *kind);
            families.entry((block.head, rest.collect())).or_default().push((id, place));
        }
    }
    let fewest = moves.fewest_to_replace();
    let mut families: Vec<_> = families.into_values().collect();
    families.retain(|family| {
        family.iter().map(|&(block, _)| draft.blocks[block].rows.len()).sum::<usize>() >= fewest
    });
    families.sort();
    families
}

/// A hash of a record without its move, and of the role.
#[inline]
fn hash(record: &[u32], place: usize, role: u32) -> usize {
    let rest = record.iter().enumerate().filter(|(at, _)| *at != place + 1).map(|(_, &row)| row);
    hash_values(rest.chain([role])).index()
}

/// A record without its move.
fn key(record: &[u32], place: usize, role: u32) -> Key {
    let rest = record.iter().enumerate().filter(|(at, _)| *at != place + 1).map(|(_, &row)| row);
    (rest.collect(), role)
}

/// Removes the large groups of a family from their blocks, and adds their replacements.
fn replace_groups(
    draft: &mut Draft<'_>,
    moves: &Moves,
    family: &Family,
    sets: &mut Sets,
    added: &mut FxHashMap<Signature, Vec<SmallVec<[u32; 8]>>>,
) {
    let move_of = |block: &Block, place: usize, record: &[u32]| {
        moves.places[&block.literals[place].0][record[place + 1].index()]
    };
    // Counting hashes is cheap, and often shows that no group is large enough.
    let records: usize = family.iter().map(|&(number, _)| draft.blocks[number].rows.len()).sum();
    let mut hashed: Vec<u32> = vec![0; (records / 4).next_power_of_two()];
    let mask = hashed.len() - 1;
    for &(number, place) in family {
        let block = &draft.blocks[number];
        for record in block.rows.iter() {
            hashed[hash(record, place, move_of(block, place, record).0) & mask] += 1;
        }
    }
    let fewest = moves.fewest_to_replace();
    let is_frequent = |hash: usize| hashed[hash & mask].index() >= fewest;
    if !(0..hashed.len()).any(is_frequent) {
        return;
    }
    // The group of each record, if it may be large.
    let mut group_of: Vec<Option<u32>> = Vec::with_capacity(records);
    let mut numbers: FxHashMap<Key, u32> = FxHashMap::default();
    let mut counts: Vec<usize> = Vec::new();
    for &(number, place) in family {
        let block = &draft.blocks[number];
        for record in block.rows.iter() {
            let (role, _) = move_of(block, place, record);
            let may_be_large = moves.by_role.contains_key(&role) && is_frequent(hash(record, place, role));
            group_of.push(may_be_large.then(|| {
                let next = narrow(counts.len());
                let group = *numbers.entry(key(record, place, role)).or_insert(next);
                if group == next {
                    counts.push(0);
                }
                counts[group.index()] += 1;
                group
            }));
        }
    }
    numbers.retain(|(_, role), group| counts[group.index()] >= fewest_of(moves.by_role[role].len()));
    if numbers.is_empty() {
        return;
    }
    let mut members: Vec<Option<Vec<u32>>> = vec![None; counts.len()];
    numbers.values().for_each(|&group| members[group.index()] = Some(Vec::new()));
    let mut group_of = group_of.into_iter();
    for &(number, place) in family {
        let stride = 1 + draft.blocks[number].literals.len();
        let all = std::mem::replace(&mut draft.blocks[number].rows, Arena::new(stride));
        for (record, group) in all.iter().zip(group_of.by_ref()) {
            match group.and_then(|group| members[group.index()].as_mut()) {
                Some(members) => members.push(move_of(&draft.blocks[number], place, record).1),
                None => draft.blocks[number].rows.push(record),
            }
        }
    }
    let (number, place) = family[0];
    let block = &draft.blocks[number];
    let rest = block.literals.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, kind)| *kind);
    let records = added.entry((block.head, rest.collect())).or_default();
    let mut groups: Vec<(Key, u32)> = numbers.into_iter().collect();
    groups.sort_unstable();
    for ((mut record, role), group) in groups {
        let present = members[group.index()].take().unwrap_or_default();
        let set = sets.number(role, &missing(&present, moves.by_role[&role].len()));
        record.push(set);
        records.push(record);
    }
}

/// The numbers below `all` that are not present.
fn missing(present: &[u32], all: usize) -> Vec<u32> {
    let mut is_present = vec![false; all];
    present.iter().for_each(|&number| is_present[number.index()] = true);
    (0..narrow(all)).filter(|&number| !is_present[number.index()]).collect()
}

/// Sets of moves, numbered.
#[derive(Default)]
struct Sets {
    numbers: FxHashMap<(u32, Vec<u32>), u32>,
    members: Vec<(u32, Vec<u32>)>,
}

impl Sets {
    fn number(&mut self, role: u32, members: &[u32]) -> u32 {
        let key = (role, members.to_vec());
        let next = narrow(self.members.len());
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.members.push(key);
        }
        number
    }
}

/// The relation of the sets, with a rule for each member of each.
fn add_sets(draft: &mut Draft<'_>, moves: &Moves, sets: Sets) -> RelationId {
    let predicate = draft.program.fresh_predicate("does~set", 1);
    let plain = RelationInfo::plain(&mut draft.flat.terms, predicate, 1, RelationKind::Dynamic);
    let relation = draft.flat.add_relation(RelationInfo { is_part: true, ..plain });
    let mut rows = Relation::new(1);
    let mut rules: FxHashMap<RelationId, Vec<SmallVec<[u32; 8]>>> = FxHashMap::default();
    for (number, (role, members)) in sets.members.iter().enumerate() {
        let name = draft.program.symbols.intern(&(number + 1).to_string());
        rows.insert([draft.flat.terms.constant(name).0].into_iter());
        for &member in members {
            let (does, row) = moves.by_role[role][member.index()];
            rules.entry(does).or_default().push(SmallVec::from_slice(&[narrow(number), row]));
        }
    }
    draft.relations.push(rows);
    for &does in &moves.relations {
        if let Some(records) = rules.remove(&does) {
            add_block(draft, relation, vec![(does, true)], records);
        }
    }
    relation
}

fn add_block(
    draft: &mut Draft<'_>,
    head: RelationId,
    literals: Vec<(RelationId, bool)>,
    records: Vec<SmallVec<[u32; 8]>>,
) {
    let mut rows = Arena::new(1 + literals.len());
    records.iter().for_each(|record| rows.push(record));
    draft.blocks.push(Block { head, literals: literals.into(), rows });
}
