//! The order in which the positive conditions of a rule are matched.
//!
//! An order costs the partial matches that it goes through. How many there are is the product of branching figures, the
//! mean number of rows that match when some columns are bound, as in `meta/branching.rs`. There they are counted once, on
//! memories that stand for all that will come; here on the relations as they are when a plan is made, or, for a plan that
//! lasts, as they were each time that notes were taken. A constant has a figure of its own. A beam search keeps the few best
//! beginnings of each length: a single best one would walk into cross products, all of them would be too many.

use super::relation::{Constants, Relations};
use crate::flat::{FlatAtom, FlatLiteral, FlatRule};
use grundy_syntax::{TermId, Terms};
use smallvec::{SmallVec, smallvec};

/// In which order the conditions of a rule are matched; the answers are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JoinOrder {
    /// By branching figures, counted on the relations.
    #[default]
    Branching,
    /// As they are written. New rows still come first, and tests as soon as they can.
    Written,
}

/// How many beginnings are followed; in rules with many conditions, one.
const WIDTH: usize = 6;
const MANY_CONDITIONS: usize = 64;

/// The variables of a rule as bits. Those above share the last one, which only makes estimates worse.
type Variables = u128;

/// A condition that is waiting for its place.
struct Waiting<'a> {
    literal: usize,
    atom: &'a FlatAtom,
    columns: SmallVec<[Variables; 8]>,
    variables: Variables,
    /// The number of constants, and of rows that have them, if that is to count.
    constants: Option<(usize, f64)>,
    /// Means of rows that match, by bound columns.
    known: Vec<(u64, f64)>,
}

/// A condition that binds nothing: it comes as soon as its variables are bound.
struct Test {
    variables: Variables,
    /// The share of matches that it lets pass.
    share: f64,
}

/// The share of matches in which two terms differ, if nothing else is known.
const DIFFERENT: f64 = 0.9;

/// A negation lets no smaller share of matches pass, whatever figures say: they are means.
const LEAST_SHARE: f64 = 0.05;

/// The conditions that have a place, as bits.
type Placed = SmallVec<[u64; 2]>;

/// The beginning of an order.
#[derive(Clone)]
struct Beginning {
    order: SmallVec<[usize; 12]>,
    placed: Placed,
    bound: Variables,
    matches: f64,
    cost: f64,
}

/// The positive conditions among `literals` as they are written, `first` in front.
pub(super) fn written_order(rule: &FlatRule, first: Option<usize>, literals: &[usize]) -> Vec<usize> {
    let is_positive = |literal: &usize| matches!(rule.body[*literal], FlatLiteral::Holds(_));
    let mut order: Vec<usize> = literals.iter().copied().filter(is_positive).collect();
    order.sort_by_key(|&literal| Some(literal) != first);
    order
}

/// The positive conditions among `literals` in the order in which to match them, `first` in front. With `lasting`, the
/// rows will be others when they are matched.
pub(super) fn order(
    terms: &Terms,
    relations: &mut Relations,
    rule: &FlatRule,
    first: Option<usize>,
    literals: &[usize],
    lasting: bool,
) -> Vec<usize> {
    let mut waiting: Vec<Waiting> = Vec::with_capacity(literals.len());
    let mut tests: Vec<Test> = Vec::new();
    for &literal in literals {
        match &rule.body[literal] {
            FlatLiteral::Holds(atom) => {
                waiting.push(Waiting::new(terms, relations, (literal, atom), lasting));
            }
            FlatLiteral::Not(atom) => {
                let mut item = Waiting::new(terms, relations, (literal, atom), lasting);
                let share = (1.0 - item.mean(relations, item.variables)).max(LEAST_SHARE);
                tests.push(Test { variables: item.variables, share });
            }
            test @ FlatLiteral::Distinct(_) => {
                let variables = test.terms().fold(0, |all, term| all | variables(terms, term));
                tests.push(Test { variables, share: DIFFERENT });
            }
        }
    }
    let placed = smallvec![0; waiting.len().div_ceil(64)];
    let width = if waiting.len() > MANY_CONDITIONS { 1 } else { WIDTH };
    let mut beginnings =
        vec![Beginning { order: SmallVec::new(), placed, bound: 0, matches: 1.0, cost: 0.0 }];
    if let Some(first) = first.and_then(|first| waiting.iter().position(|item| item.literal == first)) {
        let start = &mut beginnings[0];
        start.order.push(first);
        place(&mut start.placed, first);
        start.bound = waiting[first].variables;
    }
    while beginnings[0].order.len() < waiting.len() {
        beginnings = extend(&beginnings, &mut waiting, &tests, relations, width);
    }
    beginnings[0].order.iter().map(|&at| waiting[at].literal).collect()
}

fn place(placed: &mut Placed, at: usize) {
    placed[at / 64] |= 1 << (at % 64);
}

/// Whether these are the others and one more.
fn is_with(placed: &Placed, others: &Placed, at: usize) -> bool {
    let bit = |word: usize| if word == at / 64 { 1 << (at % 64) } else { 0 };
    placed.iter().zip(others).enumerate().all(|(word, (placed, other))| *placed == *other | bit(word))
}

fn is_placed(placed: &Placed, at: usize) -> bool {
    placed[at / 64] & (1 << (at % 64)) != 0
}

fn bit(number: usize) -> Variables {
    1 << number.min(127)
}

fn variables(terms: &Terms, term: TermId) -> Variables {
    let mut found = 0;
    terms.for_each_variable(term, &mut |variable| found |= bit(variable.index()));
    found
}

/// The share of matches that tests let pass when more variables are bound.
fn share(tests: &[Test], before: Variables, after: Variables) -> f64 {
    let is_ready = |test: &&Test| test.variables & !after == 0 && test.variables & !before != 0;
    tests.iter().filter(is_ready).map(|test| test.share).product()
}

/// The best ways to go on by one condition, `width` of them at most, the best one in front.
fn extend(
    beginnings: &[Beginning],
    waiting: &mut [Waiting],
    tests: &[Test],
    relations: &Relations,
    width: usize,
) -> Vec<Beginning> {
    let mut longer: Vec<Beginning> = Vec::new();
    for beginning in beginnings {
        for (at, item) in waiting.iter_mut().enumerate() {
            if is_placed(&beginning.placed, at) {
                continue;
            }
            let matches = beginning.matches * item.mean(relations, beginning.bound);
            let cost = beginning.cost + beginning.matches + matches;
            if width == 1 && longer.first().is_some_and(|best| best.cost <= cost) {
                continue;
            }
            let is_rival =
                |other: &&mut Beginning| width == 1 || is_with(&other.placed, &beginning.placed, at);
            let rival = longer.iter_mut().find(is_rival);
            if rival.as_ref().is_some_and(|other| other.cost <= cost) {
                continue;
            }
            let matches = matches * share(tests, beginning.bound, beginning.bound | item.variables);
            let next = beginning.followed_by(at, item.variables, matches, cost);
            match rival {
                Some(other) => *other = next,
                None => longer.push(next),
            }
        }
    }
    longer.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    longer.truncate(width);
    longer
}

impl Beginning {
    fn followed_by(&self, at: usize, variables: Variables, matches: f64, cost: f64) -> Beginning {
        let mut order = self.order.clone();
        order.push(at);
        let mut placed = self.placed.clone();
        place(&mut placed, at);
        Beginning { order, placed, bound: self.bound | variables, matches, cost }
    }
}

impl<'a> Waiting<'a> {
    fn new(
        terms: &Terms,
        relations: &mut Relations,
        (literal, atom): (usize, &'a FlatAtom),
        lasting: bool,
    ) -> Waiting<'a> {
        let columns: SmallVec<[Variables; 8]> = atom.args.iter().map(|&arg| variables(terms, arg)).collect();
        let all = columns.iter().fold(0, |all, column| all | column);
        let mut item = Waiting { literal, atom, columns, variables: all, constants: None, known: Vec::new() };
        item.count_constants(relations, lasting);
        item
    }

    fn count_constants(&mut self, relations: &mut Relations, lasting: bool) {
        let args = self.columns.iter().zip(&self.atom.args).enumerate();
        let constants = args.filter(|(_, (variables, _))| **variables == 0);
        let constants: Constants = constants.map(|(column, (_, term))| (column, term.0)).collect();
        if !constants.is_empty() {
            let relation = &mut relations[self.atom.relation];
            let rows =
                if lasting { relation.mean_rows(&constants) } else { Some(relation.count_rows(&constants)) };
            self.constants = rows.map(|rows| (constants.len(), rows));
        }
    }

    /// The mean number of rows that match, these variables being bound.
    fn mean(&mut self, relations: &Relations, bound: Variables) -> f64 {
        let is_bound = |column: &Variables| column & !bound == 0;
        let key = self.columns.iter().enumerate().filter(|(_, column)| is_bound(column));
        let key = key.fold(0u64, |key, (number, _)| key | 1 << number.min(63));
        if let Some((_, mean)) = self.known.iter().find(|(known, _)| *known == key) {
            return *mean;
        }
        // Constants that are counted are not counted again.
        let counts = |column: &Variables| is_bound(column) && (*column != 0 || self.constants.is_none());
        let columns: SmallVec<[usize; 8]> =
            (0..self.columns.len()).filter(|&column| counts(&self.columns[column])).collect();
        let relation = &relations[self.atom.relation];
        let mean = relation.estimate_matches(&columns, self.constants);
        self.known.push((key, mean));
        mean
    }
}
