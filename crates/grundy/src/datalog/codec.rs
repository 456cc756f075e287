//! Translation between terms and rows.

use super::{Relation, Row};
use crate::flat::{Flat, RelationId, RelationInfo, Substitution, substitute};
use crate::ids::{Id, narrow};
use grundy_syntax::{TermId, Terms};

/// Translates between terms (facts, moves) and rows of the relations of one predicate. A row may
/// begin with columns that are not part of the term: the role, in `does` and `legal`.
pub(crate) struct Codec {
    shapes: Vec<Shape>,
    /// For each translated term the position and the length of its row in `rows`.
    known: Vec<Option<(u32, u32)>>,
    /// Relation and values of the translated terms, in one array.
    rows: Vec<u32>,
}

/// The shape of the terms of one relation.
struct Shape {
    relation: RelationId,
    /// The relation, and the part of its template that stands for the term.
    info: RelationInfo,
    template: TermId,
    /// The translated rows, and the term of each.
    rows: Relation,
    terms: Vec<TermId>,
}

const UNKNOWN_RELATION: u32 = u32::MAX;

impl Codec {
    /// A codec for these relations, whose terms are the arguments with this number.
    pub(crate) fn new(flat: &Flat, relations: &[RelationId], argument: usize) -> Codec {
        let shape = |&relation: &RelationId| Shape {
            relation,
            info: flat.relations[relation].clone(),
            template: flat.relations[relation].template[argument],
            rows: Relation::new(flat.relations[relation].arity),
            terms: Vec::new(),
        };
        Codec { shapes: relations.iter().map(shape).collect(), known: Vec::new(), rows: Vec::new() }
    }

    /// The relation of a term and the values of its columns; `None` if no relation has this shape.
    pub(crate) fn decode(&mut self, terms: &Terms, term: TermId) -> Option<(RelationId, &[u32])> {
        let index = term.index();
        if index >= self.known.len() {
            self.known.resize((index + 1).next_power_of_two(), None);
        }
        if self.known[index].is_none() {
            let start = self.rows.len();
            self.rows.push(UNKNOWN_RELATION);
            for shape in &self.shapes {
                self.rows.truncate(start + 1);
                if shape.info.collect(terms, shape.template, term, &mut self.rows) {
                    self.rows[start] = shape.relation.0;
                    break;
                }
            }
            self.known[index] = Some((narrow(start), narrow(self.rows.len() - start)));
        }
        let (start, len) = self.known[index]?;
        let (relation, values) = self.rows[start.index()..][..len.index()].split_first()?;
        (*relation != UNKNOWN_RELATION).then_some((RelationId(*relation), values))
    }

    /// The term that a row of a relation stands for.
    pub(crate) fn encode(&mut self, terms: &mut Terms, relation: RelationId, row: Row<'_>) -> TermId {
        let shape = self.shapes.iter_mut().find(|shape| shape.relation == relation);
        let shape = shape.expect("the relation belongs to the predicate");
        let (number, is_new) = shape.rows.insert(row.iter());
        if is_new {
            let values: Substitution = row.iter().map(|value| Some(TermId(value))).collect();
            shape.terms.push(substitute(terms, shape.template, &values));
        }
        shape.terms[number.index()]
    }
}
