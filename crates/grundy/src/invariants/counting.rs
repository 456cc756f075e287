//! How many of a group hold, as clauses.

use super::solver::Solver;
use crate::ids::Id;
use batsat::Lit;

/// Below this, no two at once is said pair by pair.
const FEW: usize = 6;

/// At most one of these holds; with a literal, only if that holds.
pub(super) fn at_most_one(solver: &mut Solver, members: &[Lit], only_if: Option<Lit>) {
    let otherwise = only_if.map(|literal| !literal);
    if members.len() < FEW {
        for (number, &one) in members.iter().enumerate() {
            for &another in &members[..number] {
                solver.add([!one, !another].into_iter().chain(otherwise));
            }
        }
        return;
    }
    // `seen` says that one of the members so far holds.
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

/// Two literals: at least so many of these hold, and more than so many hold.
pub(super) fn compare(solver: &mut Solver, members: &[Lit], number: u32) -> (Lit, Lit) {
    let truth = solver.truth();
    // After each member: for each count up to one more than the number, whether at least so many hold.
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
