//! The SAT solver, with counted work.

use super::effort::{Effort, Units};
use crate::ids::{length, wide};
use batsat::{Callbacks, Lit, Solver as Batsat, SolverInterface, SolverOpts, clause, lbool};
use std::cell::Cell;

/// Longer clauses are split, since scanning for a new watched literal is linear in the length. A guess.
const LONGEST_CLAUSE: usize = 24;

/// The work of a propagated literal, a decision, a conflict, and a literal of a new clause: guesses.
const PROPAGATION_UNITS: u64 = 8;
const DECISION_UNITS: u64 = 30;
const CONFLICT_UNITS: u64 = 1_000;
const LITERAL_UNITS: usize = 8;

/// The decisions and conflicts of the first slice of a search, after which its work is counted; slices double. A guess.
const FIRST_SLICE: u64 = 4_096;

/// The decisions between two checks of the budget. A guess.
const DECISIONS_PER_CHECK: u64 = 64;

/// Ends a search after a number of decisions and conflicts. The solver does not report propagations during a search.
struct Meter {
    left: Cell<u64>,
    effort: Effort,
}

impl Meter {
    fn count(&self) {
        self.left.set(self.left.get().saturating_sub(1));
    }
}

impl Callbacks for Meter {
    /// Called before each decision.
    fn stop(&self) -> bool {
        self.count();
        if self.left.get().is_multiple_of(DECISIONS_PER_CHECK) {
            self.effort.check();
        }
        self.left.get() == 0 || self.effort.is_stopped()
    }

    fn on_new_clause(&mut self, _: &[Lit], source: clause::Kind) {
        if matches!(source, clause::Kind::Learnt) {
            self.count();
        }
    }
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There is a model; [`Solver::value`] reads it.
    Satisfiable,
    /// There is no model.
    Unsatisfiable,
    /// The search reached its limit of work.
    GivenUp,
}

/// Clauses, and the search for a model of them.
pub(super) struct Solver {
    inner: Batsat<Meter>,
    buffer: Vec<Lit>,
    truth: Lit,
    /// The number of literals of all clauses.
    pub(super) size: usize,
    effort: Effort,
}

impl Solver {
    pub(super) fn new(effort: &Effort) -> Solver {
        let meter = Meter { left: Cell::new(0), effort: effort.clone() };
        let mut inner = Batsat::new(SolverOpts::default(), meter);
        let truth = Lit::new(inner.new_var_default(), true);
        let mut solver = Solver { inner, buffer: Vec::new(), truth, size: 0, effort: effort.clone() };
        solver.add([truth]);
        solver
    }

    /// The counter of work, which the solver shares.
    pub(super) fn effort(&self) -> &Effort {
        &self.effort
    }

    /// The literal that is true.
    pub(super) fn truth(&self) -> Lit {
        self.truth
    }

    /// A new variable.
    pub(super) fn fresh(&mut self) -> Lit {
        Lit::new(self.inner.new_var_default(), true)
    }

    /// One of these has to hold.
    ///
    /// A long clause is split: the solver scans a clause from its beginning each time a watched literal becomes false, which
    /// takes quadratic time for a choice among thousands of moves.
    pub(super) fn add(&mut self, clause: impl IntoIterator<Item = Lit>) {
        let mut literals: Vec<Lit> = clause.into_iter().collect();
        self.size += literals.len();
        self.effort.spend(LITERAL_UNITS * literals.len());
        while literals.len() > LONGEST_CLAUSE {
            let rest = self.fresh();
            let first = literals.drain(..LONGEST_CLAUSE - 2).chain([rest]);
            self.buffer.clear();
            self.buffer.extend(first);
            self.inner.add_clause_reuse(&mut self.buffer);
            literals.push(!rest);
        }
        self.inner.add_clause_reuse(&mut literals);
    }

    /// Looks for a model in which all of these hold, until the work has reached a number of units.
    pub(super) fn solve(&mut self, assumptions: &[Lit], until: Units) -> Answer {
        // Assumptions are decisions, too.
        let mut slice = FIRST_SLICE + wide(assumptions.len());
        while !self.effort.is_over(until) {
            self.inner.cb_mut().left.set(slice);
            let before = self.effort.spent();
            let answer = self.search(assumptions);
            if answer == lbool::TRUE {
                return Answer::Satisfiable;
            } else if answer == lbool::FALSE {
                return Answer::Unsatisfiable;
            }
            // The next slice takes about as much work for each decision as this one.
            let each = ((self.effort.spent() - before) / slice).max(1);
            let most = until.saturating_sub(self.effort.spent()) / each;
            slice = (2 * slice).min(most.max(DECISIONS_PER_CHECK + wide(assumptions.len())));
        }
        Answer::GivenUp
    }

    /// A search with what is left of the meter.
    fn search(&mut self, assumptions: &[Lit]) -> lbool {
        let counts = |solver: &Batsat<Meter>| {
            let work = DECISION_UNITS * solver.num_decisions() + CONFLICT_UNITS * solver.num_conflicts();
            work + PROPAGATION_UNITS * solver.num_propagations()
        };
        let before = counts(&self.inner);
        let answer = self.inner.solve_limited(assumptions);
        self.effort.spend(length(counts(&self.inner) - before));
        answer
    }

    /// After a search without a model: assumptions that have none together.
    pub(super) fn core(&self) -> impl Iterator<Item = Lit> + '_ {
        // The solver reports the core as a clause of negated assumptions.
        self.inner.unsat_core().iter().map(|&literal| !literal)
    }

    /// The value of a literal in the last model.
    pub(super) fn value(&self, literal: Lit) -> bool {
        self.inner.value_lit(literal) == lbool::TRUE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grundy_syntax::Budget;

    /// So many pigeons do not fit into one hole less: there is no short proof of that by resolution.
    fn pigeons(effort: &Effort, number: usize) -> Solver {
        let mut solver = Solver::new(effort);
        let rows: Vec<Vec<Lit>> =
            (0..number).map(|_| (1..number).map(|_| solver.fresh()).collect()).collect();
        rows.iter().for_each(|row| solver.add(row.iter().copied()));
        for (at, one) in rows.iter().enumerate() {
            for other in &rows[..at] {
                one.iter().zip(other).for_each(|(&one, &other)| solver.add([!one, !other]));
            }
        }
        solver
    }

    #[test]
    fn hard_questions_are_given_up_after_the_same_work() {
        let give_up = || {
            let effort = Effort::new(Budget::default());
            let mut solver = pigeons(&effort, 12);
            let until = effort.spent() + 20_000_000;
            let answer = solver.solve(&[], until);
            (answer, effort.spent() - until)
        };
        let (answer, over) = give_up();
        assert_eq!(answer, Answer::GivenUp);
        assert!(over < 20_000_000, "{over} units too many");
        assert_eq!((answer, over), give_up());
    }

    #[test]
    fn easy_questions_are_answered() {
        let effort = Effort::new(Budget::default());
        assert_eq!(pigeons(&effort, 5).solve(&[], Units::MAX), Answer::Unsatisfiable);
        let mut solver = Solver::new(&effort);
        let (one, other) = (solver.fresh(), solver.fresh());
        solver.add([one, other]);
        assert_eq!(solver.solve(&[!one], Units::MAX), Answer::Satisfiable);
        assert!(solver.value(other));
    }

    #[test]
    fn an_interrupt_ends_the_search() {
        let budget = Budget::default();
        let effort = Effort::new(budget.clone());
        let mut solver = pigeons(&effort, 12);
        budget.interrupt();
        assert_eq!(solver.solve(&[], Units::MAX), Answer::GivenUp);
        assert!(effort.is_stopped());
    }
}
