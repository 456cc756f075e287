//! The SAT solver, with a clock.

use batsat::{Callbacks, Lit, Solver as Batsat, SolverInterface, SolverOpts, lbool};
use std::time::Instant;

/// Longer clauses are taken apart.
const MOST_LITERALS: usize = 24;

/// Ends the search when it is late.
struct Clock {
    deadline: Instant,
}

impl Callbacks for Clock {
    fn stop(&self) -> bool {
        Instant::now() >= self.deadline
    }
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There is a model; [`Solver::value`] tells it.
    Model,
    /// There is none.
    None,
    /// There was no time.
    Late,
}

/// Clauses, and the search for a model of them.
pub(super) struct Solver {
    inner: Batsat<Clock>,
    buffer: Vec<Lit>,
    truth: Lit,
    /// The literals of all clauses so far.
    pub(super) size: usize,
}

impl Solver {
    pub(super) fn new(deadline: Instant) -> Solver {
        let mut inner = Batsat::new(SolverOpts::default(), Clock { deadline });
        let truth = Lit::new(inner.new_var_default(), true);
        let mut solver = Solver { inner, buffer: Vec::new(), truth, size: 0 };
        solver.add([truth]);
        solver
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
    /// A long clause is taken apart: the solver looks through a clause from its beginning each time one of two
    /// literals becomes false, which takes quadratic time where it is a choice among thousands of moves.
    pub(super) fn add(&mut self, clause: impl IntoIterator<Item = Lit>) {
        let mut literals: Vec<Lit> = clause.into_iter().collect();
        self.size += literals.len();
        while literals.len() > MOST_LITERALS {
            let rest = self.fresh();
            let first = literals.drain(..MOST_LITERALS - 2).chain([rest]);
            self.buffer.clear();
            self.buffer.extend(first);
            self.inner.add_clause_reuse(&mut self.buffer);
            literals.push(!rest);
        }
        self.inner.add_clause_reuse(&mut literals);
    }

    /// The search ends at this time.
    pub(super) fn set_deadline(&mut self, deadline: Instant) {
        self.inner.cb_mut().deadline = deadline;
    }

    /// Looks for a model in which all of these hold.
    pub(super) fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        match self.inner.solve_limited(assumptions) {
            answer if answer == lbool::TRUE => Answer::Model,
            answer if answer == lbool::FALSE => Answer::None,
            _ => Answer::Late,
        }
    }

    /// After a search without a model: assumptions that have none together.
    pub(super) fn core(&self) -> impl Iterator<Item = Lit> + '_ {
        // The solver tells their opposites, of which one has to hold.
        self.inner.unsat_core().iter().map(|&literal| !literal)
    }

    /// The value of a literal in the last model.
    pub(super) fn value(&self, literal: Lit) -> bool {
        self.inner.value_lit(literal) == lbool::TRUE
    }
}
