//! Recipes: how the instances of a rule become records of a block.

use super::BlockId;
use super::arena::Arena;
use crate::datalog::{Engine, Plan, Queue, Relations, Stop, values};
use crate::flat::{Flat, FlatAtom, FlatLiteral, FlatRule, RelationId};
use crate::ids::{BitSet, Id, narrow};
use grundy_syntax::{Terms, VariableId};
use std::ops::Range;

/// A row that is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// An atom of a rule that no condition matches: its head, or a negated one. If a condition has all its variables, the
/// matched row of the condition determines the row of the atom, which is then memoised.
struct Determined {
    /// The condition, and its relation.
    condition: Option<(usize, RelationId)>,
    rows: Vec<u32>,
}

/// The origin of the row of a stored condition.
enum Source {
    /// The matched row of the condition with this number.
    Matched(usize),
    /// A negated atom, which may be derived later or never.
    Mentioned(Mention),
}

/// A negated atom of a rule.
struct Mention {
    relation: RelationId,
    /// Its number among those that the plan ignores.
    nth: usize,
    determined: Determined,
    /// The atoms that wait for their lookup. Conditions that have to be sorted cannot wait.
    queue: Option<Queue>,
}

/// The recipe of a rule.
pub(super) struct Recipe {
    pub(super) block: BlockId,
    head: Determined,
    /// In the order of the block's conditions.
    sources: Box<[Source]>,
    /// The positions of conditions that share relation and sign, and are kept sorted.
    runs: Vec<Range<usize>>,
}

impl Recipe {
    /// The relations and signs of the stored conditions, in order, and the recipe. The caller sets the block.
    pub(super) fn new(
        flat: &Flat,
        rule: &FlatRule,
        dynamic: &BitSet<RelationId>,
    ) -> (Vec<(RelationId, bool)>, Recipe) {
        let mut conditions: Vec<((RelationId, bool), Source)> = Vec::new();
        let mut mentioned = 0;
        for (number, literal) in rule.body.iter().enumerate() {
            let Some(atom) = literal.atom().filter(|atom| dynamic.contains(atom.relation)) else {
                continue;
            };
            conditions.push(match literal {
                FlatLiteral::Not(_) => {
                    mentioned += 1;
                    let determined = Determined::new(&flat.terms, rule, atom);
                    let mention = Mention {
                        relation: atom.relation,
                        nth: mentioned - 1,
                        determined,
                        queue: Some(Queue::default()),
                    };
                    ((atom.relation, false), Source::Mentioned(mention))
                }
                _ => ((atom.relation, true), Source::Matched(number)),
            });
        }
        conditions.sort_by_key(|(kind, _)| *kind);
        let (literals, mut sources): (Vec<_>, Vec<_>) = conditions.into_iter().unzip();
        let runs = runs(&literals);
        for place in runs.iter().cloned().flatten() {
            if let Source::Mentioned(mention) = &mut sources[place - 1] {
                mention.queue = None;
            }
        }
        let head = Determined::new(&flat.terms, rule, &rule.head);
        (literals, Recipe { block: BlockId(0), head, sources: sources.into(), runs })
    }

    /// Prepares for a run of the rule.
    pub(super) fn begin(&mut self) {
        for source in &mut self.sources {
            if let Source::Mentioned(Mention { queue: Some(queue), .. }) = source {
                queue.clear();
            }
        }
    }

    /// Writes the current match. Returns whether two of its conditions are the same atom. Lookups of atoms are queued
    /// except in that case.
    #[inline]
    pub(super) fn write(
        &mut self,
        engine: &mut Engine,
        plan: &Plan,
        mentions: &mut Relations,
        rows: &mut Arena,
        instances: u64,
    ) -> Result<bool, Stop> {
        let number = narrow(rows.len());
        let mut is_enough = false;
        let head = match self.head.known(engine) {
            Some(row) => row,
            None if self.head.pays(engine, instances) => {
                let (row, _) = engine.derive(plan)?;
                self.head.learn(engine, row);
                row
            }
            None => {
                is_enough |= engine.derive_later(plan, number);
                UNKNOWN
            }
        };
        let mut repeated = false;
        rows.push_with(|record| {
            record[0] = head;
            for (place, source) in record[1..].iter_mut().zip(&mut self.sources) {
                *place = match source {
                    Source::Matched(literal) => engine.rows[*literal],
                    Source::Mentioned(Mention { relation, nth, determined, queue }) => {
                        let atom = values(&engine.registers, &plan.ignored[*nth]);
                        let pays = || determined.pays(engine, instances);
                        match (determined.known(engine), queue) {
                            (Some(row), _) => row,
                            (None, Some(queue)) if !pays() => {
                                is_enough |= queue.push(atom, number);
                                UNKNOWN
                            }
                            (None, _) => {
                                let (row, _) = mentions[*relation].insert(atom);
                                if pays() {
                                    determined.learn(engine, row);
                                }
                                row
                            }
                        }
                    }
                };
            }
            for run in &self.runs {
                let atoms = &mut record[run.clone()];
                atoms.sort_unstable();
                repeated |= atoms.windows(2).any(|pair| pair[0] == pair[1]);
            }
        });
        if is_enough || repeated {
            self.fill_in(engine, plan, mentions, rows)?;
        }
        Ok(repeated)
    }

    /// Looks up the queued atoms.
    #[inline(never)]
    pub(super) fn fill_in(
        &mut self,
        engine: &mut Engine,
        plan: &Plan,
        mentions: &mut Relations,
        rows: &mut Arena,
    ) -> Result<(), Stop> {
        for (place, source) in self.sources.iter_mut().enumerate() {
            if let Source::Mentioned(Mention { relation, queue: Some(queue), .. }) = source {
                let fill_in = |record: u32, row| rows.get_mut(record.index())[1 + place] = row;
                mentions[*relation].insert_all(queue, fill_in);
            }
        }
        engine.derive_queued(plan, |record, head| rows.get_mut(record.index())[0] = head)
    }

    pub(super) fn bytes(&self) -> usize {
        let mentioned = self.sources.iter().map(|source| match source {
            Source::Mentioned(mention) => mention.determined.rows.capacity() * 4,
            Source::Matched(_) => 0,
        });
        self.head.rows.capacity() * 4 + mentioned.sum::<usize>()
    }
}

impl Determined {
    /// An atom of a rule, with the condition that has all its variables and the fewest columns.
    fn new(terms: &Terms, rule: &FlatRule, atom: &FlatAtom) -> Determined {
        let needed = variables(terms, rule, [atom].into_iter());
        let has_all = |literal: &FlatLiteral| match literal {
            FlatLiteral::Holds(condition) => {
                let has = variables(terms, rule, [condition].into_iter());
                needed.is_subset(&has)
            }
            _ => false,
        };
        let conditions = (0..rule.body.len()).filter(|&number| has_all(&rule.body[number]));
        let columns = |&number: &usize| rule.body[number].atom().map_or(0, |atom| atom.args.len());
        let relation = |number: usize| Some((number, rule.body[number].atom()?.relation));
        Determined { condition: conditions.min_by_key(columns).and_then(relation), rows: Vec::new() }
    }

    /// The memoised row of the atom in this match.
    #[inline]
    fn known(&self, engine: &Engine) -> Option<u32> {
        let row = engine.rows[self.condition?.0].index();
        self.rows.get(row).copied().filter(|&row| row != UNKNOWN)
    }

    /// Whether rows of the condition match several times on average, so that memoising pays.
    #[inline]
    fn pays(&self, engine: &Engine, instances: u64) -> bool {
        self.condition
            .is_some_and(|(_, relation)| instances > 2 * u64::from(engine.relations[relation].len()))
    }

    fn learn(&mut self, engine: &Engine, row: u32) {
        if let Some((condition, _)) = self.condition {
            let from = engine.rows[condition].index();
            if from >= self.rows.len() {
                self.rows.resize((from + 1).next_power_of_two(), UNKNOWN);
            }
            self.rows[from] = row;
        }
    }
}

/// The variables of a rule that occur in some of these atoms.
pub(super) fn variables<'a>(
    terms: &Terms,
    rule: &FlatRule,
    atoms: impl Iterator<Item = &'a FlatAtom>,
) -> BitSet<VariableId> {
    let mut seen = BitSet::empty(rule.variables);
    for &arg in atoms.flat_map(|atom| &atom.args) {
        terms.for_each_variable(arg, &mut |variable| seen.set(variable, true));
    }
    seen
}

/// The positions of a record with rows of the same relation and sign, where there are several.
pub(super) fn runs(literals: &[(RelationId, bool)]) -> Vec<Range<usize>> {
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
