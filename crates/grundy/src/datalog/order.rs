//! The order in which the positive conditions of a rule are matched.
//!
//! The cost of an order is the number of its partial matches, the product of branching figures: the mean number of rows that
//! match when some columns are bound, as in `metarules/branching.rs`. There they are counted once, on memories that
//! represent all states; here on the relations at the time of planning, or, for a plan that runs in many states, as means
//! over the times of the notes. A constant has a figure of its own. Orders are found by beam search over prefixes: a greedy
//! search runs into cross products, and an exhaustive one is exponential.

use super::relation::{Constants, Relations};
use crate::flat::{FlatAtom, FlatLiteral, FlatRule};
use grundy_syntax::{TermId, Terms};
use smallvec::{SmallVec, smallvec};

/// How the order of the conditions of a rule is chosen. The answers are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JoinOrder {
    /// By branching figures counted on the relations.
    #[default]
    Branching,
    /// The order of the text. New rows still come first, and tests as early as possible.
    Written,
}

/// The width of the beam. A guess.
const BEAM_WIDTH: usize = 6;

/// In rules with more conditions the search is greedy, since it takes quadratic time for each prefix kept. A guess.
const MOST_CONDITIONS_OF_BEAM: usize = 64;

/// A set of variables as bits. Variables from number 127 on share the last bit, which only makes estimates worse.
type Variables = u128;

/// A positive condition without a position.
struct Waiting<'a> {
    literal: usize,
    atom: &'a FlatAtom,
    columns: SmallVec<[Variables; 8]>,
    variables: Variables,
    /// The number of constants, and of rows that have them, if these were counted.
    constants: Option<(usize, f64)>,
    /// The mean numbers of matching rows, by the set of bound columns.
    known: Vec<(u64, f64)>,
}

/// A condition that binds no variable: it is tested as soon as its variables are bound.
struct Test {
    variables: Variables,
    /// The share of matches that pass.
    share: f64,
}

/// The estimated share of matches in which two terms differ. A guess.
const SHARE_OF_DISTINCT: f64 = 0.9;

/// The least estimated share of matches that pass a negation: branching figures are means, and a share near zero would
/// hide the cost of everything behind it. A guess.
const LEAST_SHARE_OF_NEGATION: f64 = 0.05;

/// The conditions of a prefix, as bits.
type Placed = SmallVec<[u64; 2]>;

/// A prefix of an order.
#[derive(Clone)]
struct Prefix {
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

/// The positive conditions among `literals` in matching order, `first` in front. With `lasting`, the order is for many
/// states, not for the current rows.
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
                let share = (1.0 - item.mean(relations, item.variables)).max(LEAST_SHARE_OF_NEGATION);
                tests.push(Test { variables: item.variables, share });
            }
            test @ FlatLiteral::Distinct(_) => {
                let variables = test.terms().fold(0, |all, term| all | variables(terms, term));
                tests.push(Test { variables, share: SHARE_OF_DISTINCT });
            }
        }
    }
    let placed = smallvec![0; waiting.len().div_ceil(64)];
    let width = if waiting.len() > MOST_CONDITIONS_OF_BEAM { 1 } else { BEAM_WIDTH };
    let mut prefixes = vec![Prefix { order: SmallVec::new(), placed, bound: 0, matches: 1.0, cost: 0.0 }];
    if let Some(first) = first.and_then(|first| waiting.iter().position(|item| item.literal == first)) {
        let start = &mut prefixes[0];
        start.order.push(first);
        place(&mut start.placed, first);
        start.bound = waiting[first].variables;
    }
    while prefixes[0].order.len() < waiting.len() {
        prefixes = extend(&prefixes, &mut waiting, &tests, relations, width);
    }
    prefixes[0].order.iter().map(|&at| waiting[at].literal).collect()
}

fn place(placed: &mut Placed, at: usize) {
    placed[at / 64] |= 1 << (at % 64);
}

/// Whether a set is another set with one more condition.
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

/// The share of matches that pass the tests that become ready when more variables are bound.
fn share(tests: &[Test], before: Variables, after: Variables) -> f64 {
    let is_ready = |test: &&Test| test.variables & !after == 0 && test.variables & !before != 0;
    tests.iter().filter(is_ready).map(|test| test.share).product()
}

/// The best extensions of prefixes by one condition, `width` at most, the best one in front.
fn extend(
    prefixes: &[Prefix],
    waiting: &mut [Waiting],
    tests: &[Test],
    relations: &Relations,
    width: usize,
) -> Vec<Prefix> {
    let mut longer: Vec<Prefix> = Vec::new();
    for prefix in prefixes {
        for (at, item) in waiting.iter_mut().enumerate() {
            if is_placed(&prefix.placed, at) {
                continue;
            }
            let matches = prefix.matches * item.mean(relations, prefix.bound);
            let cost = prefix.cost + prefix.matches + matches;
            if width == 1 && longer.first().is_some_and(|best| best.cost <= cost) {
                continue;
            }
            let is_rival = |other: &&mut Prefix| width == 1 || is_with(&other.placed, &prefix.placed, at);
            let rival = longer.iter_mut().find(is_rival);
            if rival.as_ref().is_some_and(|other| other.cost <= cost) {
                continue;
            }
            let matches = matches * share(tests, prefix.bound, prefix.bound | item.variables);
            let next = prefix.followed_by(at, item.variables, matches, cost);
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

impl Prefix {
    fn followed_by(&self, at: usize, variables: Variables, matches: f64, cost: f64) -> Prefix {
        let mut order = self.order.clone();
        order.push(at);
        let mut placed = self.placed.clone();
        place(&mut placed, at);
        Prefix { order, placed, bound: self.bound | variables, matches, cost }
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

    /// The mean number of rows that match with these variables bound.
    fn mean(&mut self, relations: &Relations, bound: Variables) -> f64 {
        let is_bound = |column: &Variables| column & !bound == 0;
        let key = self.columns.iter().enumerate().filter(|(_, column)| is_bound(column));
        let key = key.fold(0u64, |key, (number, _)| key | 1 << number.min(63));
        if let Some((_, mean)) = self.known.iter().find(|(known, _)| *known == key) {
            return *mean;
        }
        // Constants are counted once.
        let counts = |column: &Variables| is_bound(column) && (*column != 0 || self.constants.is_none());
        let columns: SmallVec<[usize; 8]> =
            (0..self.columns.len()).filter(|&column| counts(&self.columns[column])).collect();
        let relation = &relations[self.atom.relation];
        let mean = relation.estimate_matches(&columns, self.constants);
        self.known.push((key, mean));
        mean
    }
}
