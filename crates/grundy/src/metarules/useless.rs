//! Useless conditions: what follows from other conditions need not be asked.
//!
//! A condition follows from others if they never hold together with its opposite, so that this is the
//! search for impossible patterns, seen from the other side.

use super::domain::Domain;
use super::impossible::{Columns, Found, STEPS_PER_MATCH, bound_only, occurrences};
use super::limits::Steps;
use super::matching::has_match;
use super::memory::{Column, Memory};
use super::pattern::{Pattern, contains, embed, match_literal};
use super::terms::{Bindings, map_literal, variables_of};
use crate::ids::ids;
use grundy_syntax::{Atom, Literal, PredicateId, Term, Terms, VariableId};

/// A condition that holds whenever some others do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Useless {
    /// The conditions that it follows from.
    pub given: Vec<Literal>,
    /// The condition that follows.
    pub condition: Literal,
    /// Variables are numbered below this.
    pub variables: u32,
}

/// Comparing a metarule with conditions takes about so many steps besides what the search for its conditions takes.
const STEPS_OF_COVER: u64 = 4;

/// How many conditions may be given when whole atoms are looked for.
const MOST_GIVEN: usize = 2;

/// The useless tests and conditions over the patterns that the search for impossible ones went through.
pub(crate) fn search(domain: &mut Domain, found: &Found, most: usize, steps: &Steps) -> (Vec<Useless>, bool) {
    let predicates: Vec<(PredicateId, usize)> = domain
        .program
        .predicates()
        .map(|(id, info)| (id, info.arity))
        .filter(|&(id, _)| !domain.topology.relation(id).rows().is_empty())
        .collect();
    let columns = Columns::new(&domain.topology, &predicates, steps);
    let mut search =
        Search { domain, columns, predicates, useless: Vec::new(), left: most, complete: true, steps };
    for pattern in &found.possible {
        search.tests(pattern);
        if pattern.literals.len() <= MOST_GIVEN {
            search.atoms(pattern);
        }
    }
    (search.useless, search.complete && !steps.are_over())
}

struct Search<'a> {
    domain: &'a mut Domain,
    columns: Columns,
    predicates: Vec<(PredicateId, usize)>,
    useless: Vec<Useless>,
    /// How many more conditions may be tested.
    left: usize,
    complete: bool,
    steps: &'a Steps,
}

impl Search<'_> {
    /// Tests that two variables of a pattern differ.
    fn tests(&mut self, pattern: &Pattern) {
        let occurrences = occurrences(&self.domain.program.terms, pattern);
        for b in occurrences.ids() {
            for a in ids::<VariableId>(b.index()) {
                let compatible = occurrences[a]
                    .iter()
                    .any(|&x| occurrences[b].iter().any(|&y| self.columns.related(x, y)));
                if compatible {
                    let terms = &mut self.domain.program.terms;
                    let [a, b] = [a, b].map(|variable| terms.variable(variable));
                    self.look_at(pattern, Literal::Distinct(a, b));
                }
            }
        }
    }

    /// Conditions over the variables of a pattern.
    fn atoms(&mut self, pattern: &Pattern) {
        let occurrences = occurrences(&self.domain.program.terms, pattern);
        for (predicate, arity) in self.predicates.clone() {
            let fits = |argument: usize| -> Vec<VariableId> {
                let column = Column { predicate, argument };
                let related = |variable: &VariableId| {
                    occurrences[*variable].iter().all(|&other| self.columns.related(other, column))
                };
                occurrences.ids().filter(related).collect()
            };
            let choices: Vec<Vec<VariableId>> = (0..arity).map(fits).collect();
            let mut all = Choices::new(&choices);
            while let Some(chosen) = all.next(&choices) {
                if self.left == 0 || self.steps.step().is_err() {
                    self.complete = false;
                    return;
                }
                let terms = &mut self.domain.program.terms;
                let args = chosen.iter().map(|&variable| terms.variable(variable));
                let atom = Literal::Holds(Atom { predicate, args: args.collect() });
                if !pattern.literals.contains(&atom) {
                    self.look_at(pattern, atom);
                }
            }
        }
    }

    fn look_at(&mut self, pattern: &Pattern, condition: Literal) {
        if self.left == 0 || self.steps.are_over() {
            self.complete = false;
            return;
        }
        self.left -= 1;
        let terms = &self.domain.program.terms;
        let steps = self.steps;
        let covers = |known: &Useless| known.covers(terms, &pattern.literals, &condition, u32::MAX, steps);
        if self.useless.iter().any(covers) {
            return;
        }
        let Domain { program, topology, .. } = &mut *self.domain;
        let follows =
            |steps: &Steps| follows(&mut program.terms, topology, &pattern.literals, &condition, steps);
        if steps.within(STEPS_PER_MATCH, follows) {
            let given = pattern.literals.clone();
            self.useless.push(Useless { given, condition, variables: pattern.variables });
        }
    }
}

/// All ways to choose one from each list, one after the other: there can be very many.
struct Choices {
    /// For each list the place of the choice; nothing when all ways have been shown.
    places: Option<Vec<usize>>,
}

impl Choices {
    fn new<T>(lists: &[Vec<T>]) -> Choices {
        let has_all = lists.iter().all(|list| !list.is_empty());
        Choices { places: has_all.then(|| vec![0; lists.len()]) }
    }

    fn next<T: Copy>(&mut self, lists: &[Vec<T>]) -> Option<Vec<T>> {
        let places = self.places.as_mut()?;
        let chosen = places.iter().zip(lists).map(|(&place, list)| list[place]).collect();
        let last = (0..lists.len()).rev().find(|&at| places[at] + 1 < lists[at].len());
        match last {
            Some(at) => {
                places[at] += 1;
                places[at + 1..].fill(0);
            }
            None => self.places = None,
        }
        Some(chosen)
    }
}

impl Useless {
    /// Whether this metarule says that a condition follows from these. Variables of the condition from
    /// `open_from` on may stand for anything; what the metarule does not bind is matched with such only.
    pub(crate) fn covers(
        &self,
        terms: &Terms,
        given: &[Literal],
        condition: &Literal,
        open_from: u32,
        steps: &Steps,
    ) -> bool {
        if steps.work(STEPS_OF_COVER).is_err() {
            return false;
        }
        let refs: Vec<&Literal> = given.iter().collect();
        let is_bound = |variable: VariableId| {
            self.given.iter().any(|literal| variables_of(terms, literal).contains(&variable))
        };
        let mut unbound = variables_of(terms, &self.condition);
        unbound.retain(|&variable| !is_bound(variable));
        unbound.sort_unstable();
        unbound.dedup();
        [false, true].into_iter().any(|swapped| {
            let (mut bindings, mut trail) = (Bindings::default(), Vec::new());
            match_literal(terms, &self.condition, condition, swapped, &mut bindings, &mut trail)
                && are_open(terms, &bindings, &unbound, open_from)
                && embed(terms, &self.given, &refs, (&mut bindings, steps), &mut |_| true)
        })
    }
}

/// Whether variables are bound to different variables that may stand for anything.
fn are_open(terms: &Terms, bindings: &Bindings, variables: &[VariableId], open_from: u32) -> bool {
    let mut images = Vec::new();
    for &variable in variables {
        let Some(Term::Variable(image)) = bindings.get(variable).map(|term| terms.get(term)) else {
            return false;
        };
        if image.0 < open_from || images.contains(&image) {
            return false;
        }
        images.push(image);
    }
    true
}

/// Whether a condition holds in every match of others; not, if the steps end before that is known. Variables of its own
/// may stand for anything.
pub(crate) fn follows(
    terms: &mut Terms,
    memory: &Memory,
    given: &[Literal],
    condition: &Literal,
    steps: &Steps,
) -> bool {
    let opposite: Vec<Literal> = match condition {
        Literal::Holds(atom) => given.iter().cloned().chain([Literal::Not(atom.clone())]).collect(),
        Literal::Not(atom) => given.iter().cloned().chain([Literal::Holds(atom.clone())]).collect(),
        Literal::Distinct(a, b) => {
            let mut bindings = Bindings::default();
            if !bindings.unify(terms, *a, *b) {
                return true;
            }
            given.iter().map(|literal| map_literal(literal, |term| bindings.apply(terms, term))).collect()
        }
    };
    let refs: Vec<&Literal> = opposite.iter().collect();
    has_match(terms, memory, &refs, steps) == Ok(false)
}

/// Drops given conditions one by one as long as the condition still follows from the others. Each of these proofs may
/// take so many steps.
pub(crate) fn minimize(
    terms: &mut Terms,
    memory: &Memory,
    given: &[Literal],
    condition: &Literal,
    (each, steps): (u64, &Steps),
) -> Useless {
    let mut kept = given.to_vec();
    let mut place = 0;
    while place < kept.len() {
        let mut fewer = kept.clone();
        fewer.remove(place);
        let fewer = bound_only(terms, fewer);
        let is_bound = is_bound_by(terms, &fewer, condition, given);
        if is_bound && steps.within(each, |steps| follows(terms, memory, &fewer, condition, steps)) {
            kept = fewer;
            place = 0;
        } else {
            place += 1;
        }
    }
    let mut all = kept;
    all.push(condition.clone());
    let mut renumbering = super::terms::Renumbering::default();
    let mut all: Vec<Literal> = all.iter().map(|literal| renumbering.literal(terms, literal)).collect();
    let condition = all.pop().expect("the condition is the last one");
    Useless { given: all, condition, variables: renumbering.count }
}

/// Whether all variables that the condition shares with what was given are still there.
fn is_bound_by(terms: &Terms, fewer: &[Literal], condition: &Literal, given: &[Literal]) -> bool {
    let has = |literals: &[Literal], variable: VariableId| {
        literals.iter().any(|literal| variables_of(terms, literal).contains(&variable))
    };
    variables_of(terms, condition).into_iter().all(|variable| !has(given, variable) || has(fewer, variable))
}

/// Whether a body makes a condition useless by a known metarule.
pub(crate) fn is_useless(
    terms: &Terms,
    known: &[Useless],
    others: &[Literal],
    condition: &Literal,
    open_from: u32,
    steps: &Steps,
) -> bool {
    known.iter().any(|metarule| metarule.covers(terms, others, condition, open_from, steps))
}

/// Whether a conjunction contains an impossible pattern.
pub(crate) fn is_impossible(terms: &Terms, known: &[Pattern], body: &[&Literal], steps: &Steps) -> bool {
    known.iter().any(|metarule| contains(terms, &metarule.literals, body, steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_come_in_order_and_end() {
        let lists = [vec![1, 2], vec![3], vec![4, 5]];
        let mut choices = Choices::new(&lists);
        let all: Vec<Vec<usize>> = std::iter::from_fn(|| choices.next(&lists)).collect();
        assert_eq!(all, [[1, 3, 4], [1, 3, 5], [2, 3, 4], [2, 3, 5]]);
        assert_eq!(
            Choices::new::<u32>(&[]).next::<u32>(&[]),
            Some(Vec::new()),
            "there is one way to choose nothing"
        );
        assert_eq!(Choices::new(&[vec![1], Vec::new()]).next(&[vec![1], Vec::new()]), None);
    }
}
