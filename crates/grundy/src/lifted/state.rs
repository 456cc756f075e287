//! States of lifted reasoning: terms outside, rows inside.

use crate::flat::{Flat, substitute};
use grundy_syntax::{Term, TermId, Terms};

/// A state: the terms of its true facts, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LiftedState(pub(super) Vec<TermId>);

impl LiftedState {
    /// The state in which these facts are true.
    pub(crate) fn of(mut facts: Vec<TermId>) -> LiftedState {
        facts.sort_unstable();
        facts.dedup();
        LiftedState(facts)
    }
}

/// Translates between terms (facts, moves) and rows of the relations of one predicate. A row may
/// begin with columns that are not part of the term: the role, in `does` and `legal`.
pub(crate) struct Codec {
    /// The relations, each with the part of its template that makes the term.
    templates: Vec<(usize, TermId)>,
    /// For each term that was translated, where its row is: index and length, in `rows`.
    known: Vec<Option<(u32, u32)>>,
    /// Relation and values, one after the other.
    rows: Vec<u32>,
}

const UNKNOWN_RELATION: u32 = u32::MAX;

impl Codec {
    /// For these relations, with the term in the argument of this number.
    pub(crate) fn new(flat: &Flat, relations: &[usize], argument: usize) -> Codec {
        let template = |&relation: &usize| (relation, flat.relations[relation].template[argument]);
        let mut templates: Vec<(usize, TermId)> = relations.iter().map(template).collect();
        // A column of its own is what is left for constants; it would match functions as well.
        templates.sort_by_key(|&(_, template)| matches!(flat.terms.get(template), Term::Variable(_)));
        Codec { templates, known: Vec::new(), rows: Vec::new() }
    }

    /// The relation of a term and the values of its columns; `None` if no relation has this shape.
    pub(crate) fn decode(&mut self, terms: &Terms, term: TermId) -> Option<(usize, &[u32])> {
        let index = term.0 as usize;
        if index >= self.known.len() {
            self.known.resize((index + 1).next_power_of_two(), None);
        }
        if self.known[index].is_none() {
            let start = self.rows.len();
            self.rows.push(UNKNOWN_RELATION);
            for &(relation, template) in &self.templates {
                self.rows.truncate(start + 1);
                if collect(terms, template, term, &mut self.rows) {
                    self.rows[start] = relation as u32;
                    break;
                }
            }
            self.known[index] = Some((start as u32, (self.rows.len() - start) as u32));
        }
        let (start, len) = self.known[index]?;
        let (relation, values) = self.rows[start as usize..][..len as usize].split_first()?;
        (*relation != UNKNOWN_RELATION).then_some((*relation as usize, values))
    }

    /// The term that a row of a relation stands for.
    pub(super) fn encode(&self, terms: &mut Terms, relation: usize, row: &[u32]) -> TermId {
        let template = self.templates.iter().find(|(known, _)| *known == relation);
        let (_, template) = template.expect("the relation belongs to the predicate");
        let values: Vec<Option<TermId>> = row.iter().map(|&value| Some(TermId(value))).collect();
        substitute(terms, *template, &values)
    }
}

/// Matches a template with a term and collects the values of its columns, which stand in it in order.
fn collect(terms: &Terms, template: TermId, term: TermId, values: &mut Vec<u32>) -> bool {
    match (terms.get(template), terms.get(term)) {
        (Term::Variable(_), _) => {
            values.push(term.0);
            true
        }
        (Term::Compound(f, xs), Term::Compound(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(&x, &y)| collect(terms, x, y, values))
        }
        (Term::Constant(_), Term::Constant(_)) => template == term,
        _ => false,
    }
}
