//! Cardinality constraints as clauses: pairwise, by a sequential counter (Sinz 2005), or by a unary counter.

use super::solver::Solver;
use crate::ids::Id;
use batsat::Lit;

/// Below this size, at-most-one is encoded pairwise, above it by a sequential counter: about where the clauses are equal.
const PAIRWISE_BELOW: usize = 6;

/// At most one of these holds; with a literal, only if that holds.
pub(super) fn at_most_one(solver: &mut Solver, members: &[Lit], only_if: Option<Lit>) {
    let otherwise = only_if.map(|literal| !literal);
    if members.len() < PAIRWISE_BELOW {
        for (number, &one) in members.iter().enumerate() {
            for &another in &members[..number] {
                solver.add([!one, !another].into_iter().chain(otherwise));
            }
        }
        return;
    }
    // `seen` is implied by each member before the current one.
    let mut seen = members[0];
    for &member in &members[1..] {
        solver.add([!member, !seen].into_iter().chain(otherwise));
        let next = solver.fresh();
        solver.add([!seen, next]);
        solver.add([!member, next]);
        seen = next;
    }
}

/// A literal that can only hold if two of these do.
pub(super) fn two_of(solver: &mut Solver, members: &[Lit]) -> Lit {
    let mut seen = !solver.truth();
    let mut twice = !solver.truth();
    for &member in members {
        let (next_seen, next_twice) = (solver.fresh(), solver.fresh());
        solver.add([!next_seen, seen, member]);
        solver.add([!next_twice, twice, seen]);
        solver.add([!next_twice, twice, member]);
        (seen, twice) = (next_seen, next_twice);
    }
    twice
}

/// Two literals: at least `number` members hold, and more than `number` members hold.
pub(super) fn compare(solver: &mut Solver, members: &[Lit], number: u32) -> (Lit, Lit) {
    let truth = solver.truth();
    // After each member: for each count up to `number + 1`, whether at least that many members hold.
    let mut at_least: Vec<Lit> = vec![!truth; number.index() + 2];
    at_least[0] = truth;
    for &member in members {
        for count in (1..at_least.len()).rev() {
            let (same, fewer, next) = (at_least[count], at_least[count - 1], solver.fresh());
            solver.add([!next, same, fewer]);
            solver.add([!next, same, member]);
            solver.add([!same, next]);
            solver.add([!fewer, !member, next]);
            at_least[count] = next;
        }
    }
    (at_least[number.index()], at_least[number.index() + 1])
}
