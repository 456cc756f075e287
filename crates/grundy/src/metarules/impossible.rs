//! Impossible conjunctions: patterns that no facts of a complete domain match.
//!
//! They are found in two ways. [`search`] goes through all patterns up to a size: connected ones only
//! (of an unconnected pattern one part is impossible alone), each once up to renaming, the smaller and
//! more general first, and none that contains an impossible one. [`minimize`] starts from a conjunction
//! that has no match, such as the topology of a generated rule, and drops conditions one by one as
//! long as there is still no match; what is left is minimal.

use super::domain::Domain;
use super::limits::{Steps, Stopped};
use super::matching::has_match;
use super::memory::{Column, Memory};
use super::pattern::{Pattern, STEPS_OF_SIGNATURE, contains, is_variant, signature};
use super::terms::variables_of;
use crate::ids::{Id, IdVec, ids, wide};
use grundy_syntax::{Atom, Literal, PredicateId, Term, TermId, Terms, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Predicates with more columns than this take no part in the systematic search.
const MOST_SEARCHED_COLUMNS: usize = 8;

/// Limit: the steps of one match.
pub(super) const STEPS_PER_MATCH: u64 = 2_000_000;

/// What the systematic search found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) impossible: Vec<Pattern>,
    /// The patterns that have matches, in the order of their sizes.
    pub(crate) possible: Vec<Pattern>,
    /// Whether all patterns up to the size were tested.
    pub(crate) complete: bool,
}

/// Searches the impossible patterns of up to `size` conditions; tests no more than `most` patterns.
pub(crate) fn search(domain: &mut Domain, size: usize, most: usize, steps: &Steps) -> Found {
    let (program, topology, places) = domain.for_search();
    let mut found = Found { complete: true, ..Found::default() };
    let predicates: Vec<(PredicateId, usize)> = program
        .predicates()
        .map(|(id, info)| (id, info.arity))
        .filter(|&(id, arity)| arity <= MOST_SEARCHED_COLUMNS && !topology.relation(id).rows().is_empty())
        .collect();
    let columns = Columns::new(topology, &predicates, steps);
    let mut level = vec![Pattern { literals: Vec::new(), variables: 0 }];
    let mut looked_at = 0;
    for _ in 0..size {
        let mut candidates = Candidates::default();
        for pattern in &level {
            let mut extend = Extension {
                terms: &mut program.terms,
                columns: &columns,
                pattern,
                out: &mut candidates,
                steps,
            };
            predicates.iter().for_each(|&(predicate, arity)| extend.with(predicate, arity, most));
        }
        found.complete &= candidates.patterns.len() < most;
        // The more variables, the more general.
        let mut patterns: Vec<Pattern> = candidates.patterns.into_iter().collect();
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.variables));
        level.clear();
        for pattern in patterns {
            looked_at += 1;
            if looked_at > most || steps.are_over() {
                found.complete = false;
                break;
            }
            if let Some(atom) = pattern.literals.last().and_then(Literal::atom)
                && let Some(&place) = places.get(&atom.predicate)
            {
                steps.budget().at_rule(place);
            }
            let literals: Vec<&Literal> = pattern.literals.iter().collect();
            if found
                .impossible
                .iter()
                .any(|known| contains(&program.terms, &known.literals, &literals, steps))
            {
                continue;
            }
            let matches = |steps: &Steps| has_match(&program.terms, topology, &literals, steps);
            match steps.within(STEPS_PER_MATCH, matches) {
                Ok(true) => level.push(pattern),
                Ok(false) => found.impossible.push(pattern),
                Err(Stopped) => found.complete = false,
            }
        }
        found.possible.extend(level.iter().cloned());
    }
    found.complete &= !steps.are_over();
    found
}

/// Drops conditions from a conjunction without a match as long as there is still none. Each of these proofs may take
/// so many steps.
pub(crate) fn minimize(
    terms: &Terms,
    memory: &Memory,
    literals: &[Literal],
    (each, steps): (u64, &Steps),
) -> Vec<Literal> {
    let mut kept = literals.to_vec();
    let mut place = 0;
    while place < kept.len() {
        let mut fewer = kept.clone();
        fewer.remove(place);
        let fewer = bound_only(terms, fewer);
        let refs: Vec<&Literal> = fewer.iter().collect();
        let matches = steps.within(each, |steps| has_match(terms, memory, &refs, steps));
        if !fewer.is_empty() && matches == Ok(false) {
            kept = fewer;
            place = 0;
        } else {
            place += 1;
        }
    }
    kept
}

/// Leaves out the tests whose variables nothing binds any more.
pub(crate) fn bound_only(terms: &Terms, mut literals: Vec<Literal>) -> Vec<Literal> {
    let binding = literals.iter().filter(|literal| matches!(literal, Literal::Holds(_)));
    let bound: FxHashSet<VariableId> = binding.flat_map(|literal| variables_of(terms, literal)).collect();
    literals.retain(|literal| {
        matches!(literal, Literal::Holds(_))
            || variables_of(terms, literal).iter().all(|variable| bound.contains(variable))
    });
    literals
}

/// Which columns of a domain have values in common: only there can variables be shared.
pub(crate) struct Columns {
    related: FxHashSet<(Column, Column)>,
}

impl Columns {
    /// If the steps end first, nothing is known of some columns, and no variables are shared there.
    pub(crate) fn new(memory: &Memory, predicates: &[(PredicateId, usize)], steps: &Steps) -> Columns {
        let mut owners: FxHashMap<TermId, FxHashSet<Column>> = FxHashMap::default();
        let mut related = FxHashSet::default();
        for &(predicate, arity) in predicates {
            for row in memory.relation(predicate).rows() {
                if steps.work(wide(arity)).is_err() {
                    return Columns { related };
                }
                for argument in 0..arity {
                    owners.entry(row[argument]).or_default().insert(Column { predicate, argument });
                }
            }
        }
        for columns in owners.values() {
            for &one in columns {
                if steps.work(wide(columns.len())).is_err() {
                    return Columns { related };
                }
                related.extend(columns.iter().map(|&other| (one, other)));
            }
        }
        Columns { related }
    }

    pub(crate) fn related(&self, one: Column, other: Column) -> bool {
        self.related.contains(&(one, other))
    }
}

grundy_syntax::define_id! {
    /// A pattern that is a candidate.
    struct PatternId(u32);
}

/// For each variable of a pattern the columns in which it occurs.
pub(super) type Occurrences = IdVec<VariableId, Vec<Column>>;

/// The occurrences of the variables of a pattern.
pub(super) fn occurrences(terms: &Terms, pattern: &Pattern) -> Occurrences {
    let mut occurrences = IdVec::filled(Vec::new(), pattern.variables.index());
    for atom in pattern.literals.iter().filter_map(Literal::atom) {
        for (argument, &arg) in atom.args.iter().enumerate() {
            if let Term::Variable(variable) = terms.get(arg) {
                occurrences[variable].push(Column { predicate: atom.predicate, argument });
            }
        }
    }
    occurrences
}

/// Patterns that remain to be tested, each once up to renaming.
#[derive(Default)]
struct Candidates {
    patterns: IdVec<PatternId, Pattern>,
    by_signature: FxHashMap<u64, Vec<PatternId>>,
}

impl Candidates {
    fn insert(&mut self, terms: &mut Terms, literals: &[Literal], steps: &Steps) {
        if steps.work(STEPS_OF_SIGNATURE * wide(literals.len())).is_err() {
            return;
        }
        let same = self.by_signature.entry(signature(terms, &[], literals)).or_default();
        let patterns = &self.patterns;
        let is_known =
            |&other: &PatternId| is_variant(terms, (&[], literals), (&[], &patterns[other].literals), steps);
        if !same.iter().any(is_known) {
            same.push(self.patterns.push(Pattern::new(terms, literals)));
        }
    }
}

/// A condition that is to be added, and when to stop.
struct Wanted {
    predicate: PredicateId,
    arity: usize,
    /// Variables of the pattern are numbered below this.
    known: VariableId,
    /// How many patterns there may be.
    most: usize,
}

/// All ways to add one condition to a pattern.
struct Extension<'a> {
    terms: &'a mut Terms,
    columns: &'a Columns,
    pattern: &'a Pattern,
    out: &'a mut Candidates,
    steps: &'a Steps,
}

impl Extension<'_> {
    fn with(&mut self, predicate: PredicateId, arity: usize, most: usize) {
        let mut occurrences = occurrences(self.terms, self.pattern);
        let wanted = Wanted { predicate, arity, known: VariableId::new(occurrences.len()), most };
        self.choose(&wanted, &mut occurrences, &mut Vec::new());
    }

    /// Chooses a variable for the next column: a known one, or a new one.
    fn choose(&mut self, wanted: &Wanted, occurrences: &mut Occurrences, chosen: &mut Vec<VariableId>) {
        let Wanted { predicate, arity, known, most } = *wanted;
        if self.out.patterns.len() >= most || self.steps.step().is_err() {
            return;
        }
        let column = Column { predicate, argument: chosen.len() };
        if chosen.len() == arity {
            let is_connected = known.0 == 0 || chosen.iter().any(|&variable| variable < known);
            if is_connected || self.pattern.literals.is_empty() {
                self.add(predicate, chosen);
            }
            return;
        }
        for variable in ids::<VariableId>(occurrences.len() + 1) {
            let is_new = variable.index() == occurrences.len();
            let fits =
                is_new || occurrences[variable].iter().all(|&other| self.columns.related(other, column));
            if !fits {
                continue;
            }
            if is_new {
                occurrences.push(Vec::new());
            }
            occurrences[variable].push(column);
            chosen.push(variable);
            self.choose(wanted, occurrences, chosen);
            chosen.pop();
            occurrences[variable].pop();
            if is_new {
                occurrences.resize(variable.index(), Vec::new());
            }
        }
    }

    fn add(&mut self, predicate: PredicateId, chosen: &[VariableId]) {
        let args = chosen.iter().map(|&variable| self.terms.variable(variable));
        let atom = Literal::Holds(Atom { predicate, args: args.collect() });
        if !self.pattern.literals.contains(&atom) {
            let mut literals = self.pattern.literals.clone();
            literals.push(atom);
            self.out.insert(self.terms, &literals, self.steps);
        }
    }
}
