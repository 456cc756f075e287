//! States of lifted evaluation: terms outside, rows inside.

use crate::datalog::{Codec, Engine};
use crate::flat::{Flat, RelationId, write_term};
use crate::ids::{IdVec, narrow};
use grundy_syntax::{Symbols, TermId, Terms};

/// A state: the terms of its true facts, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LiftedState(pub(super) Vec<TermId>);

impl LiftedState {
    /// The terms of the true facts, in order.
    pub(crate) fn terms(&self) -> &[TermId] {
        &self.0
    }

    /// The state in which these facts are true.
    pub(crate) fn of(mut facts: Vec<TermId>) -> LiftedState {
        facts.sort_unstable();
        facts.dedup();
        LiftedState(facts)
    }
}

/// The first values of the rows of a relation that belong to a role; `None` if it has no such rows. A role has a column of
/// its own unless a function is possible in its place: `(legal (g red) noop)` is not a move of `red`.
fn prefix(flat: &Flat, terms: &Terms, relation: RelationId, role: TermId) -> Option<Vec<u32>> {
    let info = &flat.relations[relation];
    let mut values = Vec::new();
    info.collect(terms, info.template[0], role, &mut values).then_some(values)
}

grundy_syntax::define_id! {
    /// A role: its position in the order of the `role` facts.
    pub(super) struct RoleId(u32);
}

/// Roles, each with the first values of its rows.
type Prefixes = Vec<(RoleId, Vec<u32>)>;

/// What holds for roles: the terms in the second argument of a predicate, by role.
pub(super) struct ByRole {
    codec: Codec,
    /// The roles of each relation, each with the first values of its rows.
    relations: Vec<(RelationId, Prefixes)>,
    roles: usize,
}

impl ByRole {
    pub(super) fn new(flat: &Flat, relations: &[RelationId], roles: &[TermId]) -> ByRole {
        let of_relation = |&relation: &RelationId| {
            let roles = roles.iter().enumerate();
            let prefixes = roles.filter_map(|(number, &role)| {
                Some((RoleId::new(number), prefix(flat, &flat.terms, relation, role)?))
            });
            (relation, prefixes.collect())
        };
        let prefixes = relations.iter().map(of_relation).collect();
        ByRole { codec: Codec::new(flat, relations, 1), relations: prefixes, roles: roles.len() }
    }

    /// For each role its terms.
    pub(super) fn read(&mut self, engine: &mut Engine) -> IdVec<RoleId, Vec<TermId>> {
        let Engine { relations: rows, terms, .. } = engine;
        let mut found = IdVec::filled(Vec::new(), self.roles);
        for (relation, prefixes) in &self.relations {
            let rows = &rows[*relation];
            for row in (0..rows.len()).map(|row| rows.row(row)) {
                let begins =
                    |prefix: &[u32]| prefix.iter().enumerate().all(|(at, &value)| row.at(at) == value);
                if let Some((role, _)) = prefixes.iter().find(|(_, prefix)| begins(prefix)) {
                    found[*role].push(self.codec.encode(terms, *relation, row));
                }
            }
        }
        found
    }
}

/// The rows of `does`.
pub(super) struct Moves {
    /// Translators of moves, for roles whose moves are in different relations.
    codecs: Vec<(Vec<RelationId>, Codec)>,
    /// For each role its translator, and the first values of its rows in each relation of the translator.
    roles: IdVec<RoleId, (usize, Vec<Vec<u32>>)>,
    row: Vec<u32>,
}

impl Moves {
    pub(super) fn new(flat: &Flat, relations: &[RelationId], roles: &[TermId]) -> Moves {
        let mut moves = Moves { codecs: Vec::new(), roles: IdVec::default(), row: Vec::new() };
        for &role in roles {
            let own = relations
                .iter()
                .filter_map(|&relation| Some((relation, prefix(flat, &flat.terms, relation, role)?)));
            let (own, prefixes): (Vec<RelationId>, Vec<Vec<u32>>) = own.unzip();
            let known = moves.codecs.iter().position(|(relations, _)| *relations == own);
            let codec = known.unwrap_or_else(|| {
                let codec = Codec::new(flat, &own, 1);
                moves.codecs.push((own, codec));
                moves.codecs.len() - 1
            });
            moves.roles.push((codec, prefixes));
        }
        moves
    }

    /// The relation and the row of a move of a role; `None` if no rule reads such a move.
    pub(super) fn decode(
        &mut self,
        terms: &Terms,
        role: RoleId,
        played: TermId,
    ) -> Option<(RelationId, &[u32])> {
        let (codec, prefixes) = &self.roles[role];
        let (relations, codec) = &mut self.codecs[*codec];
        let (relation, values) = codec.decode(terms, played)?;
        let place = relations.iter().position(|&other| other == relation)?;
        self.row.clear();
        self.row.extend(&prefixes[place]);
        self.row.extend(values);
        Some((relation, &self.row))
    }
}

/// The texts of terms, made once each, and their ranks in the order of all texts.
#[derive(Default)]
pub(super) struct Texts {
    texts: IdVec<TermId, Option<Box<str>>>,
    /// The rank of each term, or [`UNRANKED`].
    ranks: IdVec<TermId, u32>,
    /// The terms that have a text.
    known: Vec<TermId>,
    /// The number of terms sorted by text since the last ranking.
    compared: usize,
}

const UNRANKED: u32 = u32::MAX;

impl Texts {
    /// Sorts terms by their texts.
    pub(super) fn sort(&mut self, symbols: &Symbols, terms: &Terms, sorted: &mut [TermId]) {
        let place = |term: &TermId| self.ranks.get(*term).copied().unwrap_or(UNRANKED);
        if sorted.iter().all(|term| place(term) != UNRANKED) {
            sorted.sort_unstable_by_key(place);
            return;
        }
        self.texts.resize(self.texts.len().max(terms.len()), None);
        for &term in sorted.iter() {
            self.texts[term].get_or_insert_with(|| {
                self.known.push(term);
                let mut text = String::new();
                write_term(symbols, terms, term, &[], &mut text);
                text.into()
            });
        }
        sorted.sort_by(|one, other| self.texts[*one].cmp(&self.texts[*other]));
        self.compared += sorted.len();
        if self.compared >= self.known.len() {
            self.rank_terms();
        }
    }

    /// Ranks all known terms. This pays when as many terms were sorted by text.
    fn rank_terms(&mut self) {
        self.known.sort_by(|one, other| self.texts[*one].cmp(&self.texts[*other]));
        self.ranks.resize(self.texts.len(), UNRANKED);
        for (place, term) in self.known.iter().enumerate() {
            self.ranks[*term] = narrow(place);
        }
        self.compared = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_sorted_by_text() {
        let (mut symbols, mut terms, mut texts) = (Symbols::default(), Terms::default(), Texts::default());
        // Ids grow while texts do not.
        let ids: Vec<TermId> = (0..40u32)
            .map(|number| terms.constant(symbols.intern(&format!("c{}", number * 17 % 40))))
            .collect();
        for end in [3, 5, 5, 5, 9, 40, 40] {
            let mut sorted = ids[..end].to_vec();
            texts.sort(&symbols, &terms, &mut sorted);
            let text = |term: &TermId| {
                let mut text = String::new();
                write_term(&symbols, &terms, *term, &[], &mut text);
                text
            };
            assert!(sorted.is_sorted_by_key(text), "{end}");
        }
    }
}
