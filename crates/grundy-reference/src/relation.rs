//! The known facts of one predicate.

use crate::tuples::Tuples;
use grundy_syntax::{Term, TermId, Terms};

/// Terms with blanks, which are variables that occur once. A row has this form if filling the
/// blanks makes it; what fills them, from left to right, are its leaves.
pub(crate) type Form = Box<[TermId]>;

/// Which leaves of a condition are known before it is matched: bit `i` for leaf `i`.
pub(crate) type Mask = u64;

/// The leaves from the 64th on are not indexed.
pub(crate) const MAX_INDEXED: usize = 64;

/// Rows in the order in which they were derived, with an index for whatever was asked for.
#[derive(Default)]
pub(crate) struct Relation {
    rows: Tuples,
    indexes: Vec<Index>,
}

/// The numbers of the rows that have a form, by those of their leaves that a mask selects.
struct Index {
    form: Form,
    mask: Mask,
    keys: Tuples,
    /// For each key its rows.
    rows: Vec<Vec<usize>>,
    /// How many rows of the relation are here, or do not have the form. The index catches up with
    /// the relation when it is asked.
    covered: usize,
}

impl Relation {
    pub(crate) fn rows(&self) -> &Tuples {
        &self.rows
    }

    pub(crate) fn contains(&self, row: &[TermId]) -> bool {
        self.rows.find(row).is_some()
    }

    /// Adds a row; tells whether it is new.
    pub(crate) fn insert(&mut self, row: &[TermId]) -> bool {
        let count = self.rows.len();
        self.rows.insert(row) == count
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.indexes.clear();
    }

    /// The numbers of the rows that have a form, and these values in the leaves of a mask.
    pub(crate) fn find(&mut self, terms: &Terms, form: &Form, mask: Mask, values: &[TermId]) -> &[usize] {
        let position = self.indexes.iter().position(|index| index.mask == mask && index.form == *form);
        let position = position.unwrap_or_else(|| {
            self.indexes.push(Index::new(form.clone(), mask));
            self.indexes.len() - 1
        });
        let index = &mut self.indexes[position];
        index.catch_up(terms, &self.rows);
        index.keys.find(values).map_or(&[], |key| &index.rows[key])
    }
}

impl Index {
    fn new(form: Form, mask: Mask) -> Index {
        Index { form, mask, keys: Tuples::default(), rows: Vec::new(), covered: 0 }
    }

    fn catch_up(&mut self, terms: &Terms, rows: &Tuples) {
        let mut leaves = Vec::new();
        for number in self.covered..rows.len() {
            leaves.clear();
            if read_leaves(terms, &self.form, rows.get(number), &mut leaves) {
                let mut places = 0..;
                leaves.retain(|_| places.next().is_some_and(|place| selects(self.mask, place)));
                let key = self.keys.insert(&leaves);
                self.rows.resize(self.keys.len(), Vec::new());
                self.rows[key].push(number);
            }
        }
        self.covered = rows.len();
    }
}

fn selects(mask: Mask, place: usize) -> bool {
    place < MAX_INDEXED && mask & (1 << place) != 0
}

/// Adds what fills the blanks of a form, from left to right; `false` if the row has not this form.
pub(crate) fn read_leaves(terms: &Terms, form: &[TermId], row: &[TermId], leaves: &mut Vec<TermId>) -> bool {
    form.iter().zip(row).all(|(&form, &value)| match terms.get(form) {
        Term::Compound(name, form) => match terms.get(value) {
            Term::Compound(other, args) => {
                name == other && form.len() == args.len() && read_leaves(terms, form, args, leaves)
            }
            _ => false,
        },
        _ => {
            leaves.push(value);
            true
        }
    })
}
