//! [`Pattern`]: conditions that are looked at together, equal up to the names of variables.
//!
//! The conditions of a pattern have no order and its variables no names. Two patterns (or the bodies of
//! two rules) that are the same in that sense have the same [signature](signature); whether equal
//! signatures mean equal patterns is decided by [`is_variant`].

use super::limits::Steps;
use super::terms::{Bindings, Renumbering, match_term, undo, unifiable};
use crate::ids::wide;
use grundy_syntax::{Literal, Term, TermId, Terms, VariableId};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A conjunction of conditions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// The conditions.
    pub literals: Vec<Literal>,
    /// Variables are numbered below this.
    pub variables: u32,
}

impl Pattern {
    /// A pattern of these conditions, brought into a canonical order with canonical variables.
    pub(crate) fn new(terms: &mut Terms, literals: &[Literal]) -> Pattern {
        let (literals, variables) = normalize(terms, literals);
        Pattern { literals, variables }
    }
}

/// The approximate steps per condition of computing a [signature](signature).
pub(crate) const STEPS_OF_SIGNATURE: u64 = 32;

/// A number that does not depend on the order of the conditions and the names of the variables.
/// The head counts as one more condition, at a place of its own.
pub(crate) fn signature(terms: &Terms, head: &[TermId], literals: &[Literal]) -> u64 {
    let colours = Colours::new(terms, head, literals);
    let mut hashes: Vec<u64> = literals.iter().map(|literal| colours.literal(literal)).collect();
    hashes.sort_unstable();
    hash(&(colours.terms_hash(head), hashes))
}

/// The conditions in canonical order, renumbered, with the number of variables.
fn normalize(terms: &mut Terms, literals: &[Literal]) -> (Vec<Literal>, u32) {
    let sorted = reading_order(terms, &[], literals);
    let mut renumbering = Renumbering::default();
    let sorted = sorted.iter().map(|literal| renumbering.literal(terms, literal)).collect();
    (sorted, renumbering.count)
}

/// The conditions from neighbour to neighbour, beginning at the head, so that they read like a path. The
/// order does not depend on the names of variables, as far as their surroundings tell them apart.
pub(crate) fn reading_order(terms: &mut Terms, head: &[TermId], literals: &[Literal]) -> Vec<Literal> {
    let colours = Colours::new(terms, head, literals);
    let mut order: Vec<(u64, usize)> =
        literals.iter().enumerate().map(|(place, literal)| (colours.literal(literal), place)).collect();
    order.sort_unstable();
    let mut seen = Renumbering::default();
    head.iter().for_each(|&term| _ = seen.term(terms, term));
    let mut sorted = Vec::with_capacity(literals.len());
    while !order.is_empty() {
        let next = next_in_reading_order(terms, literals, &order, &seen);
        let (_, place) = order.remove(next);
        _ = seen.literal(terms, &literals[place]);
        sorted.push(literals[place].clone());
    }
    sorted
}

/// The first condition that begins with a variable that was seen, else one that has such a variable;
/// tests come as soon as all their variables were seen.
fn next_in_reading_order(
    terms: &Terms,
    literals: &[Literal],
    order: &[(u64, usize)],
    seen: &Renumbering,
) -> usize {
    let rank = |&(_, place): &(u64, usize)| {
        let literal = &literals[place];
        let variables = super::terms::variables_of(terms, literal);
        let known = |variable: &VariableId| seen.knows(*variable);
        let is_test = !matches!(literal, Literal::Holds(_));
        match (is_test, variables.iter().all(known)) {
            (true, true) => 0,
            (true, false) => 4,
            _ if variables.first().is_some_and(known) => 1,
            _ if variables.iter().any(known) => 2,
            _ => 3,
        }
    };
    let ranks = order.iter().map(rank);
    ranks.enumerate().min_by_key(|&(place, rank)| (rank, place)).map_or(0, |(place, _)| place)
}

/// Whether two conjunctions, each with a head, are the same but for names and order; not, if the steps end before that
/// is known.
pub(crate) fn is_variant(
    terms: &Terms,
    a: (&[TermId], &[Literal]),
    b: (&[TermId], &[Literal]),
    steps: &Steps,
) -> bool {
    if a.0.len() != b.0.len() || a.1.len() != b.1.len() {
        return false;
    }
    if steps.step().is_err() {
        return false;
    }
    let (mut bindings, mut trail) = (Bindings::default(), Vec::new());
    let heads = a.0.iter().zip(b.0).all(|(&x, &y)| match_term(terms, x, y, &mut bindings, &mut trail));
    let mut used = vec![false; b.1.len()];
    let mut search = Search { terms, steps, trail };
    heads && search.pair_off(a.1, b.1, &mut used, &mut bindings)
}

/// A backtracking search for conditions among others. It fails when the steps end.
struct Search<'a> {
    terms: &'a Terms,
    steps: &'a Steps,
    /// What was bound, in order.
    trail: Vec<VariableId>,
}

impl Search<'_> {
    fn pair_off(
        &mut self,
        rest: &[Literal],
        others: &[Literal],
        used: &mut [bool],
        bindings: &mut Bindings,
    ) -> bool {
        let Some((first, rest)) = rest.split_first() else {
            return is_renaming(self.terms, bindings, &self.trail);
        };
        for place in 0..others.len() {
            if used[place] || !same_kind(first, &others[place]) {
                continue;
            }
            for swapped in [false, true] {
                if self.steps.step().is_err() {
                    return false;
                }
                let mark = self.trail.len();
                if match_literal(self.terms, first, &others[place], swapped, bindings, &mut self.trail) {
                    used[place] = true;
                    if self.pair_off(rest, others, used, bindings) {
                        return true;
                    }
                    used[place] = false;
                }
                undo(bindings, &mut self.trail, mark);
            }
        }
        false
    }

    fn embed(
        &mut self,
        rest: &[&Literal],
        body: &[&Literal],
        bindings: &mut Bindings,
        visit: &mut dyn FnMut(&Bindings) -> bool,
    ) -> bool {
        let Some((first, rest)) = rest.split_first() else { return visit(bindings) };
        if let Literal::Distinct(a, b) = first {
            let known_to_differ = match (image(self.terms, *a, bindings), image(self.terms, *b, bindings)) {
                (Some(a), Some(b)) => !unifiable(self.terms, a, b),
                _ => false,
            };
            if known_to_differ {
                return self.embed(rest, body, bindings, visit);
            }
        }
        for literal in body {
            if !same_kind(first, literal) {
                continue;
            }
            for swapped in [false, true] {
                if self.steps.step().is_err() {
                    return false;
                }
                let mark = self.trail.len();
                let found = match_literal(self.terms, first, literal, swapped, bindings, &mut self.trail)
                    && self.embed(rest, body, bindings, visit);
                undo(bindings, &mut self.trail, mark);
                if found {
                    return true;
                }
                if !matches!(first, Literal::Distinct(..)) {
                    break;
                }
            }
        }
        false
    }
}

/// Whether different variables were bound to different variables.
fn is_renaming(terms: &Terms, bindings: &Bindings, trail: &[VariableId]) -> bool {
    let mut images: Vec<TermId> = trail.iter().filter_map(|&variable| bindings.get(variable)).collect();
    images.sort_unstable();
    let count = images.len();
    images.dedup();
    images.len() == count && images.iter().all(|&image| matches!(terms.get(image), Term::Variable(_)))
}

/// Matches one condition with another whose variables count as constants; `swapped` turns a test for
/// difference round.
pub(crate) fn match_literal(
    terms: &Terms,
    pattern: &Literal,
    literal: &Literal,
    swapped: bool,
    bindings: &mut Bindings,
    trail: &mut Vec<VariableId>,
) -> bool {
    match (pattern, literal) {
        (Literal::Holds(a), Literal::Holds(b)) | (Literal::Not(a), Literal::Not(b)) if !swapped => {
            a.predicate == b.predicate
                && a.args.iter().zip(&b.args).all(|(&x, &y)| match_term(terms, x, y, bindings, trail))
        }
        (Literal::Distinct(a, b), Literal::Distinct(c, d)) => {
            let (c, d) = if swapped { (d, c) } else { (c, d) };
            match_term(terms, *a, *c, bindings, trail) && match_term(terms, *b, *d, bindings, trail)
        }
        _ => false,
    }
}

/// Looks for the conditions of a pattern among those of a body: calls `visit` for each way to find
/// them until it returns `true`, and returns whether it did.
///
/// A test for difference is also met where the two terms cannot be equal. The search ends with the steps.
pub(crate) fn embed(
    terms: &Terms,
    pattern: &[Literal],
    body: &[&Literal],
    (bindings, steps): (&mut Bindings, &Steps),
    visit: &mut dyn FnMut(&Bindings) -> bool,
) -> bool {
    if steps.work(1 + wide(pattern.len())).is_err() {
        return false;
    }
    let Some(ordered) = embedding_order(terms, pattern, body) else { return false };
    Search { terms, steps, trail: Vec::new() }.embed(&ordered, body, bindings, visit)
}

/// An order in which conditions fail early: rare predicates first, then what shares variables with
/// those before, tests last. `None` if a predicate of the pattern does not occur in the body at all.
fn embedding_order<'p>(terms: &Terms, pattern: &'p [Literal], body: &[&Literal]) -> Option<Vec<&'p Literal>> {
    let kind = |literal: &Literal| match literal {
        Literal::Holds(atom) => Some((true, atom.predicate)),
        Literal::Not(atom) => Some((false, atom.predicate)),
        Literal::Distinct(..) => None,
    };
    let mut left: Vec<(usize, &Literal)> = Vec::with_capacity(pattern.len());
    for literal in pattern {
        let own = kind(literal);
        let candidates = body.iter().filter(|other| kind(other) == own).count();
        if candidates == 0 && own.is_some() {
            return None;
        }
        left.push((if own.is_some() { candidates } else { usize::MAX }, literal));
    }
    if left.len() <= 2 {
        left.sort_by_key(|&(candidates, _)| candidates);
        return Some(left.into_iter().map(|(_, literal)| literal).collect());
    }
    let mut known: Vec<VariableId> = Vec::new();
    let mut ordered = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let cost = |&(candidates, literal): &(usize, &Literal)| {
            let variables = super::terms::variables_of(terms, literal);
            let free = variables.iter().filter(|variable| !known.contains(variable)).count();
            match free {
                _ if candidates == usize::MAX => usize::MAX,
                0 => 0,
                _ if free < variables.len() => 1 + free,
                _ => 100 + candidates,
            }
        };
        let best = (0..left.len()).min_by_key(|&place| cost(&left[place])).unwrap_or(0);
        let (_, literal) = left.remove(best);
        known.extend(super::terms::variables_of(terms, literal));
        ordered.push(literal);
    }
    Some(ordered)
}

fn same_kind(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Holds(a), Literal::Holds(b)) | (Literal::Not(a), Literal::Not(b)) => {
            a.predicate == b.predicate
        }
        (Literal::Distinct(..), Literal::Distinct(..)) => true,
        _ => false,
    }
}

/// What a variable of the pattern, or a ground term, is in the body.
fn image(terms: &Terms, term: TermId, bindings: &Bindings) -> Option<TermId> {
    match terms.get(term) {
        Term::Variable(variable) => bindings.get(variable),
        _ => terms.is_ground(term).then_some(term),
    }
}

/// Whether the conditions of a pattern are among those of a body; not, if the steps end before that is known.
pub(crate) fn contains(terms: &Terms, pattern: &[Literal], body: &[&Literal], steps: &Steps) -> bool {
    embed(terms, pattern, body, (&mut Bindings::default(), steps), &mut |_| true)
}

/// Groups conditions that share variables; the places of each group, in order.
pub(crate) fn connected_parts(terms: &Terms, literals: &[&Literal]) -> Vec<Vec<usize>> {
    let variables: Vec<Vec<VariableId>> =
        literals.iter().map(|literal| super::terms::variables_of(terms, literal)).collect();
    let mut part_of: Vec<usize> = (0..literals.len()).collect();
    for place in 0..literals.len() {
        for other in 0..place {
            if part_of[other] != part_of[place]
                && variables[other].iter().any(|v| variables[place].contains(v))
            {
                let (from, to) = (part_of[other], part_of[place]);
                part_of.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
            }
        }
    }
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut number: Vec<Option<usize>> = vec![None; literals.len()];
    for (place, &part) in part_of.iter().enumerate() {
        let index = *number[part].get_or_insert_with(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        parts[index].push(place);
    }
    parts
}

/// Colours of variables that do not depend on their names: what is around them, refined in rounds.
struct Colours<'a> {
    terms: &'a Terms,
    colours: Vec<u64>,
}

/// The rounds of colour refinement. Patterns are small; what more rounds would tell apart, [`is_variant`] does.
const ROUNDS: usize = 4;

impl<'a> Colours<'a> {
    fn new(terms: &'a Terms, head: &[TermId], literals: &[Literal]) -> Colours<'a> {
        let mut colours = Colours { terms, colours: Vec::new() };
        let mut occurrences: Vec<Vec<(usize, u64)>> = Vec::new();
        let mut note = |term: TermId, literal: usize, path: u64| {
            walk_paths(terms, term, path, &mut |variable, path| {
                let place = variable.index();
                if occurrences.len() <= place {
                    occurrences.resize(place + 1, Vec::new());
                }
                occurrences[place].push((literal, path));
            });
        };
        head.iter().enumerate().for_each(|(place, &term)| note(term, usize::MAX, wide(place)));
        for (number, literal) in literals.iter().enumerate() {
            let symmetric = matches!(literal, Literal::Distinct(..));
            for (place, term) in literal.terms().enumerate() {
                note(term, number, if symmetric { 0 } else { wide(place) });
            }
        }
        colours.colours = vec![0; occurrences.len()];
        for _ in 0..ROUNDS {
            let hashes: Vec<u64> = literals.iter().map(|literal| colours.literal(literal)).collect();
            let refined = occurrences.iter().enumerate().map(|(variable, places)| {
                let around = places.iter().map(|&(literal, path)| (hashes.get(literal).copied(), path));
                let mut around: Vec<(Option<u64>, u64)> = around.collect();
                around.sort_unstable();
                hash(&(colours.colours[variable], around))
            });
            colours.colours = refined.collect();
        }
        colours
    }

    fn literal(&self, literal: &Literal) -> u64 {
        match literal {
            Literal::Holds(atom) => hash(&(0, atom.predicate, self.terms_hash(&atom.args))),
            Literal::Not(atom) => hash(&(1, atom.predicate, self.terms_hash(&atom.args))),
            Literal::Distinct(a, b) => {
                let (a, b) = (self.term(*a), self.term(*b));
                hash(&(2, a.min(b), a.max(b)))
            }
        }
    }

    fn terms_hash(&self, terms: &[TermId]) -> u64 {
        let hashes: Vec<u64> = terms.iter().map(|&term| self.term(term)).collect();
        hash(&hashes)
    }

    fn term(&self, term: TermId) -> u64 {
        match self.terms.get(term) {
            Term::Variable(variable) => hash(&(3, self.colours.get(variable.index()))),
            Term::Constant(_) => hash(&(4, term)),
            Term::Compound(..) if self.terms.is_ground(term) => hash(&(4, term)),
            Term::Compound(name, args) => hash(&(5, name, self.terms_hash(args))),
        }
    }
}

fn walk_paths(terms: &Terms, term: TermId, path: u64, visit: &mut impl FnMut(VariableId, u64)) {
    match terms.get(term) {
        Term::Variable(variable) => visit(variable, path),
        Term::Constant(_) => {}
        Term::Compound(_, args) => {
            for (place, &arg) in args.iter().enumerate() {
                walk_paths(terms, arg, hash(&(path, place)), visit);
            }
        }
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use grundy_syntax::{Program, Source, read_theory};

    fn bodies(text: &str) -> (Program, Vec<Vec<Literal>>) {
        let program = read_theory(&Source::new("t.pl", text), &Default::default()).program;
        let bodies = program.rules.iter().map(|rule| rule.literals().cloned().collect()).collect();
        (program, bodies)
    }

    #[test]
    fn order_and_names_do_not_matter() {
        let (mut program, bodies) = bodies(
            "a :- e(X, Y), e(Y, Z), e(Z, X), X \\== Y.
             b :- e(B, C), e(A, B), B \\== A, e(C, A).
             c :- e(X, Y), e(Y, Z), e(Z, W), X \\== Y.",
        );
        let terms = &mut program.terms;
        let [a, b, c] = [0, 1, 2].map(|at| &bodies[at][..]);
        assert_eq!(signature(terms, &[], a), signature(terms, &[], b));
        let steps = &Steps::new(u64::MAX, &Default::default());
        assert!(is_variant(terms, (&[], a), (&[], b), steps));
        assert!(!is_variant(terms, (&[], a), (&[], c), steps));
        let none = &Steps::new(0, &Default::default());
        assert!(!is_variant(terms, (&[], a), (&[], b), none), "a search without steps finds nothing");
        let refs: Vec<&Literal> = a.iter().collect();
        assert!(contains(terms, c, &refs, steps), "a walk of three steps is in the triangle");
        let refs: Vec<&Literal> = c.iter().collect();
        assert!(!contains(terms, a, &refs, steps));
    }
}
