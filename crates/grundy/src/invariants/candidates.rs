//! Candidate invariants: groups of facts by the patterns of their arguments, filtered by sampled states.
//!
//! `(cell 1 2 x)` is a functor with arguments. For each choice of arguments as a *key* the facts fall into groups, those
//! with the same key: all contents of a cell, all cells of a content, all cells of a row. The largest groups of
//! which never two members hold are candidates, and the smaller ones inside them only if these fail.

use super::effort::{Effort, Units, units};
use super::samples::{Look, Samples};
use crate::ids::{BitSet, Id, IdVec};
use crate::machine::State;
use crate::network::FluentId;
use rustc_hash::FxHashMap;
use std::time::Duration;

grundy_syntax::define_id! {
    /// A [`Family`].
    pub(super) struct FamilyId(u32);
}

grundy_syntax::define_id! {
    /// A [`Functor`].
    pub(super) struct FunctorId(u32);
}

grundy_syntax::define_id! {
    /// A text that is an argument of some fact, in the order of first occurrence.
    struct ArgumentId(u32);
}

/// What is claimed about a group of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Claim {
    AtMostOne,
    AtLeastOne,
    Exactly(u32),
    Never,
    Always,
}

/// A claim about a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) claim: Claim,
    pub(super) family: FamilyId,
    pub(super) members: Vec<FluentId>,
}

/// The identity of a candidate: the groups of a family are disjoint, so that the first member identifies the group.
pub(super) type Name = (Claim, FamilyId, FluentId);

impl Candidate {
    pub(super) fn name(&self) -> Name {
        (self.claim, self.family, self.members[0])
    }

    /// Whether it holds in a state.
    pub(super) fn holds_in(&self, state: &State) -> bool {
        let holding = || self.members.iter().filter(|&&member| state.get(member));
        match self.claim {
            Claim::AtMostOne => holding().nth(1).is_none(),
            Claim::AtLeastOne => holding().next().is_some(),
            Claim::Exactly(number) => holding().count() == number.index(),
            Claim::Never => holding().next().is_none(),
            Claim::Always => holding().count() == self.members.len(),
        }
    }
}

/// Which arguments of a functor are the key: a bit for each.
pub(super) type Mask = u32;

/// A functor with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) functor: FunctorId,
    pub(super) name: String,
    pub(super) arity: usize,
    pub(super) key: Mask,
}

/// Groups that came from the same pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Family {
    pub(super) parts: Vec<Part>,
    /// How many groups the pattern has, candidates or not.
    pub(super) groups: usize,
}

/// The facts of a functor.
struct Functor {
    name: String,
    arity: usize,
    fluents: Vec<FluentId>,
}

/// All facts by functor, with their arguments as numbers.
pub(super) struct Shapes {
    functors: IdVec<FunctorId, Functor>,
    args: IdVec<FluentId, Vec<ArgumentId>>,
}

/// The values of the key arguments of a group.
type KeyValues = Vec<ArgumentId>;

/// Up to this arity all keys are tried, beyond it only the smallest and the largest ones. A guess: keys are subsets.
const MOST_ARGUMENTS: usize = 6;

/// Limit: the size of the counter of one claim about a count, members times count. A guess.
const MOST_COUNTED: usize = 4_096;

/// Limits for unions of patterns: the pairs that are tried, and the work. Guesses.
const MOST_UNIONS: usize = 4_000;
const MOST_UNION_UNITS: Units = units(Duration::from_secs(2));

/// The work of reading a word of samples, and of assigning a fluent to a group: guesses.
const WORD_UNITS: usize = 1;
const FLUENT_UNITS: usize = 20;

/// The functor and the arguments of a fact in KIF notation.
pub(super) fn parts_of(text: &str) -> (&str, Vec<&str>) {
    let Some(inside) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return (text, Vec::new());
    };
    let (mut words, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, character) in inside.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 => {
                words.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    words.push(&inside[start..]);
    (words[0], words.split_off(1))
}

impl Shapes {
    pub(super) fn new<'t>(fluents: impl Iterator<Item = &'t str>) -> Shapes {
        let mut shapes = Shapes { functors: IdVec::default(), args: IdVec::default() };
        let mut functors: FxHashMap<(&str, usize), FunctorId> = FxHashMap::default();
        let mut known: FxHashMap<&str, ArgumentId> = FxHashMap::default();
        for text in fluents {
            let (name, args) = parts_of(text);
            let functor = *functors.entry((name, args.len())).or_insert_with(|| {
                let functor = Functor { name: name.to_owned(), arity: args.len(), fluents: Vec::new() };
                shapes.functors.push(functor)
            });
            let args = args.into_iter().map(|arg| {
                let next = ArgumentId::new(known.len());
                *known.entry(arg).or_insert(next)
            });
            let fluent = shapes.args.push(args.collect());
            shapes.functors[functor].fluents.push(fluent);
        }
        shapes
    }

    fn part(&self, functor: FunctorId, key: Mask) -> Part {
        let Functor { name, arity, .. } = &self.functors[functor];
        Part { functor, name: name.clone(), arity: *arity, key }
    }

    /// The groups of some facts by a key, each with the values of the key, in order.
    fn groups(&self, fluents: &[FluentId], key: Mask) -> Vec<(KeyValues, Vec<FluentId>)> {
        let values = |fluent: FluentId| -> KeyValues {
            let args = self.args[fluent].iter().enumerate();
            args.filter(|(at, _)| key >> at & 1 == 1).map(|(_, &arg)| arg).collect()
        };
        let mut keyed: Vec<(KeyValues, FluentId)> =
            fluents.iter().map(|&fluent| (values(fluent), fluent)).collect();
        keyed.sort_unstable();
        let of_chunk = |chunk: &[(KeyValues, FluentId)]| {
            (chunk[0].0.clone(), chunk.iter().map(|(_, fluent)| *fluent).collect())
        };
        keyed.chunk_by(|a, b| a.0 == b.0).map(of_chunk).collect()
    }

    /// The keys to try, those with few arguments first.
    fn keys(arity: usize) -> Vec<Mask> {
        let arity = arity.min(16);
        let is_tried = |key: &Mask| {
            let size = key.count_ones().index();
            arity <= MOST_ARGUMENTS || size <= 1 || size + 2 >= arity
        };
        let mut keys: Vec<Mask> = (0..1 << arity).filter(is_tried).collect();
        keys.sort_by_key(|key| (key.count_ones(), *key));
        keys
    }
}

/// The guesses.
pub(super) struct Guesses<'a> {
    shapes: &'a Shapes,
    samples: &'a Samples,
    effort: &'a Effort,
    pub(super) families: IdVec<FamilyId, Family>,
}

/// A pattern with the groups that it accepted: for each the values of the key, the members, and whether one holds everywhere.
struct Accepted {
    part: Part,
    groups: Vec<(KeyValues, Vec<FluentId>, bool)>,
    /// Whether all groups of the pattern were accepted.
    whole: bool,
}

impl<'a> Guesses<'a> {
    pub(super) fn new(shapes: &'a Shapes, samples: &'a Samples, effort: &'a Effort) -> Guesses<'a> {
        Guesses { shapes, samples, effort, families: IdVec::default() }
    }

    fn family(&mut self, parts: Vec<Part>, groups: usize) -> FamilyId {
        let known = self.families.entries().find(|(_, family)| family.parts == parts).map(|(id, _)| id);
        known.unwrap_or_else(|| self.families.push(Family { parts, groups }))
    }

    /// What samples say about a group.
    fn look(&self, members: &[FluentId]) -> Look {
        self.effort.spend(WORD_UNITS * members.len() * self.samples.words());
        self.samples.look(members)
    }

    /// What samples allow to claim about a group of which never two hold.
    fn claim(&self, family: FamilyId, members: &[FluentId], everywhere: bool, out: &mut Vec<Candidate>) {
        let claims = [Some(Claim::AtMostOne), everywhere.then_some(Claim::AtLeastOne)];
        out.extend(claims.into_iter().flatten().map(|claim| Candidate {
            claim,
            family,
            members: members.to_vec(),
        }));
    }

    /// Groups of which at most one holds, or exactly one: of patterns that fit everywhere, and of the others.
    pub(super) fn groups(&mut self) -> (Vec<Candidate>, Vec<Candidate>) {
        let (mut found, mut whole, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for functor in self.shapes.functors.ids() {
            let accepted = self.exclusive(functor, &mut found);
            whole.extend(accepted.iter().filter(|one| one.whole).map(|one| vec![one.part.clone()]));
            open.extend(accepted);
        }
        self.unions(&open, &mut found);
        found.into_iter().partition(|one| {
            let parts = &self.families[one.family].parts;
            parts.len() > 1 || whole.contains(parts)
        })
    }

    /// Groups of which always the same number holds.
    pub(super) fn all_counts(&mut self) -> Vec<Candidate> {
        let mut found = Vec::new();
        for functor in self.shapes.functors.ids() {
            let accepted = self.exclusive(functor, &mut Vec::new());
            self.counts(functor, &accepted, &mut found);
        }
        found
    }

    /// The largest groups of a functor of which never two hold.
    fn exclusive(&mut self, functor: FunctorId, found: &mut Vec<Candidate>) -> Vec<Accepted> {
        let Functor { arity, fluents, .. } = &self.shapes.functors[functor];
        // For each key that was accepted, which facts are in an accepted group.
        let mut covered: Vec<(Mask, BitSet<FluentId>)> = Vec::new();
        let mut accepted = Vec::new();
        for key in Shapes::keys(*arity) {
            self.effort.spend(FLUENT_UNITS * fluents.len());
            let groups = self.shapes.groups(fluents, key);
            let all = groups.len();
            let mut accepted_here = BitSet::empty(self.shapes.args.len());
            let mut kept = Vec::new();
            let mut clean = true;
            for (values, members) in groups {
                let is_inside = |(other, covered): &(Mask, BitSet<FluentId>)| {
                    other & key == *other && covered.contains(members[0])
                };
                if self.effort.is_stopped() {
                    return accepted;
                }
                let look = self.look(&members);
                clean &= !look.twice;
                if look.twice || (members.len() > 1 && covered.iter().any(is_inside)) {
                    continue;
                }
                if members.len() > 1 {
                    members.iter().for_each(|&member| accepted_here.set(member, true));
                }
                kept.push((values, members, look.everywhere));
            }
            let whole = clean && kept.len() == all;
            let part = self.shapes.part(functor, key);
            if kept.iter().any(|(_, members, _)| members.len() > 1) {
                let family = self.family(vec![part.clone()], all);
                for (_, members, everywhere) in kept.iter().filter(|(_, members, _)| members.len() > 1) {
                    self.claim(family, members, *everywhere, found);
                }
                covered.push((key, accepted_here));
            }
            accepted.push(Accepted { part, groups: kept, whole });
        }
        accepted
    }

    /// Groups of which always the same number holds, where that does not follow from smaller groups.
    fn counts(&mut self, functor: FunctorId, accepted: &[Accepted], found: &mut Vec<Candidate>) {
        let Functor { arity, fluents, .. } = &self.shapes.functors[functor];
        let mut exact: Vec<(Mask, BitSet<FluentId>)> = Vec::new();
        for one in accepted {
            let mut accepted_here = BitSet::empty(self.shapes.args.len());
            let groups = one.groups.iter().filter(|(_, _, everywhere)| *everywhere);
            groups.for_each(|(_, members, _)| members.iter().for_each(|&one| accepted_here.set(one, true)));
            exact.push((one.part.key, accepted_here));
        }
        for key in Shapes::keys(*arity).into_iter().rev().filter(|key| key.count_ones().index() < *arity) {
            let groups = self.shapes.groups(fluents, key);
            let all = groups.len();
            let mut accepted_here = BitSet::empty(self.shapes.args.len());
            for (_, members) in groups {
                let follows = exact.iter().any(|(other, covered)| {
                    other & key == key && members.iter().all(|&member| covered.contains(member))
                });
                self.effort.spend(WORD_UNITS * members.len() * (exact.len() + self.samples.words()));
                if self.effort.is_stopped() {
                    return;
                }
                if follows || members.len() > MOST_COUNTED {
                    continue;
                }
                let Some(number @ 2..) = self.samples.constant_count(&members) else { continue };
                if number.index() >= members.len() || number.index() * members.len() > MOST_COUNTED {
                    continue;
                }
                members.iter().for_each(|&member| accepted_here.set(member, true));
                let family = self.family(vec![self.shapes.part(functor, key)], all);
                found.push(Candidate { claim: Claim::Exactly(number), family, members });
            }
            exact.push((key, accepted_here));
        }
    }

    /// Patterns of different functors with the same keys, of which together exactly one holds: a cell is blank, or it
    /// has a mark.
    fn unions(&mut self, accepted: &[Accepted], found: &mut Vec<Candidate>) {
        let keys = |one: &Accepted| one.groups.iter().map(|(key, ..)| key.clone()).collect::<Vec<_>>();
        let mut by_keys: FxHashMap<Vec<KeyValues>, Vec<&Accepted>> = FxHashMap::default();
        let is_open = |one: &&Accepted| one.whole && one.groups.iter().any(|(_, _, everywhere)| !everywhere);
        for one in accepted.iter().filter(is_open) {
            by_keys.entry(keys(one)).or_default().push(one);
        }
        let mut classes: Vec<Vec<&Accepted>> =
            by_keys.into_values().filter(|class| class.len() > 1).collect();
        classes.sort_by_key(|class| (class[0].part.functor, class[0].part.key));
        let mut tried = 0;
        let until = self.effort.spent() + MOST_UNION_UNITS;
        for class in classes {
            for first in 0..class.len() {
                let mut union = vec![class[first]];
                for &other in &class[first + 1..] {
                    tried += 1;
                    if self.effort.spent() >= until || self.effort.is_stopped() {
                        return;
                    }
                    let is_new = union.iter().all(|one| one.part.functor != other.part.functor);
                    if tried < MOST_UNIONS && is_new && self.together(&union, Some(other), false) {
                        union.push(other);
                    }
                }
                if union.len() > 1 && self.together(&union, None, true) {
                    self.add_union(&union, found);
                }
            }
        }
    }

    /// Whether at most one of the facts with one key holds in all samples, over all these patterns; with `everywhere`, exactly
    /// one.
    fn together(&self, union: &[&Accepted], other: Option<&Accepted>, everywhere: bool) -> bool {
        (0..union[0].groups.len()).all(|group| {
            let members: Vec<FluentId> = union
                .iter()
                .copied()
                .chain(other)
                .flat_map(|one| one.groups[group].1.iter().copied())
                .collect();
            let look = self.look(&members);
            !look.twice && (look.everywhere || !everywhere)
        })
    }

    fn add_union(&mut self, union: &[&Accepted], found: &mut Vec<Candidate>) {
        let groups = union[0].groups.len();
        let parts: Vec<Part> = union.iter().map(|one| one.part.clone()).collect();
        let family = self.family(parts, groups);
        for group in 0..groups {
            let mut members: Vec<FluentId> =
                union.iter().flat_map(|one| one.groups[group].1.iter().copied()).collect();
            members.sort_unstable();
            self.claim(family, &members, true, found);
        }
    }

    /// The groups inside one that could not be proved: those with one more argument in the key.
    pub(super) fn inside(&mut self, failed: &Candidate) -> Vec<Candidate> {
        let family = self.families[failed.family].clone();
        let ([part], Claim::AtMostOne) = (&family.parts[..], failed.claim) else { return Vec::new() };
        let mut found = Vec::new();
        for at in (0..part.arity.min(16)).filter(|at| part.key >> at & 1 == 0) {
            let key = part.key | 1 << at;
            let fluents = self.shapes.functors[part.functor].fluents.len();
            self.effort.spend(FLUENT_UNITS * fluents);
            if self.effort.is_stopped() {
                return Vec::new();
            }
            let all = self.shapes.groups(&self.shapes.functors[part.functor].fluents, key).len();
            let family = self.family(vec![Part { key, ..part.clone() }], all);
            for (_, members) in self.shapes.groups(&failed.members, key) {
                if members.len() > 1 && members.len() < failed.members.len() {
                    let everywhere = self.look(&members).everywhere;
                    self.claim(family, &members, everywhere, &mut found);
                }
            }
        }
        found
    }

    /// Facts that hold in no sampled state, or in all.
    pub(super) fn constants(&mut self) -> Vec<Candidate> {
        let mut found = Vec::new();
        for functor in self.shapes.functors.ids() {
            let Functor { arity, fluents, .. } = &self.shapes.functors[functor];
            let family =
                self.family(vec![self.shapes.part(functor, (1 << (*arity).min(31)) - 1)], fluents.len());
            for &fluent in fluents {
                let rows = self.samples.of(fluent);
                let claim = if rows.iter().all(|&word| word == 0) {
                    Claim::Never
                } else if rows.iter().enumerate().all(|(word, &bits)| bits == self.samples.all(word)) {
                    Claim::Always
                } else {
                    continue;
                };
                found.push(Candidate { claim, family, members: vec![fluent] });
            }
        }
        found
    }
}
