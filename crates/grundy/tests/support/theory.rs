//! Theories in tests: reading them, and asking the reference what follows from a state and a move.

use grundy::syntax::{Notation, PredicateId, Printer, Program, Source, TermId, read_theory};
use grundy_reference::{Evaluator, Limits};
use std::collections::BTreeSet;

/// Reads a theory that has to be without errors.
pub(crate) fn theory(text: &str) -> Program {
    let reading = read_theory(&Source::new("theory.pl", text), &Default::default());
    let errors: Vec<_> = reading.diagnostics.iter().filter(|d| d.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    reading.program
}

/// A theory of `theories/`.
#[allow(clippy::disallowed_methods, reason = "tests read files")]
pub(crate) fn bundled(name: &str) -> Program {
    let path = format!("{}/../../theories/{name}", env!("CARGO_MANIFEST_DIR"));
    theory(&std::fs::read_to_string(path).expect("the theory is there"))
}

/// The reference, asked about states and moves of a theory.
pub(crate) struct TheoryJudge {
    evaluator: Evaluator,
    state: Vec<PredicateId>,
    does: Option<PredicateId>,
}

impl TheoryJudge {
    /// Prepares a theory for questions about these predicates.
    pub(crate) fn new(program: &Program, wanted: &[PredicateId]) -> TheoryJudge {
        let does = program.find_predicate("does", 1);
        let declared = program.dynamic.iter().map(|declaration| declaration.predicate);
        let state: Vec<PredicateId> = declared.filter(|&predicate| Some(predicate) != does).collect();
        let given = vec![state.clone(), does.into_iter().collect()];
        let evaluator =
            Evaluator::new(program.clone(), given, wanted, Limits::default()).expect("a sound theory");
        TheoryJudge { evaluator, state, does }
    }

    /// Looks at a state.
    pub(crate) fn look_at(&mut self, facts: &[String]) {
        let rows: Vec<(PredicateId, Box<[TermId]>)> = facts.iter().map(|fact| self.row(fact)).collect();
        assert!(rows.iter().all(|(predicate, _)| self.state.contains(predicate)), "facts of a state");
        self.evaluator.set(0, rows).expect("within the limits");
    }

    /// Makes a move in the state.
    pub(crate) fn make(&mut self, its_move: &str) {
        let row = self.row(&format!("does({its_move})"));
        assert_eq!(Some(row.0), self.does);
        self.evaluator.set(1, [row]).expect("within the limits");
    }

    /// What is known of a predicate, each row in print.
    pub(crate) fn rows(&self, predicate: PredicateId) -> BTreeSet<Vec<String>> {
        let rows = self.evaluator.rows(predicate);
        rows.map(|row| row.iter().map(|&term| self.text(term)).collect()).collect()
    }

    /// The facts of the next state.
    pub(crate) fn next(&self) -> Vec<String> {
        let next = self.evaluator.program().find_predicate("next", 1).expect("there are effects");
        self.rows(next).into_iter().flatten().collect()
    }

    fn text(&self, term: TermId) -> String {
        let mut program = Program::default();
        program.symbols = self.evaluator.program().symbols.clone();
        program.terms = self.evaluator.terms().clone();
        Printer::new(&program, Notation::Prolog).term(term, &[])
    }

    fn row(&mut self, fact: &str) -> (PredicateId, Box<[TermId]>) {
        let reading = theory(&format!("{fact}."));
        let head = reading.rules[0].head.clone();
        let name = reading.name(head.predicate).to_owned();
        let predicate =
            self.evaluator.program().find_predicate(&name, head.args.len()).expect("a known predicate");
        let kif: Vec<String> =
            head.args.iter().map(|&arg| Printer::new(&reading, Notation::Kif).term(arg, &[])).collect();
        let (symbols, terms) = self.evaluator.names_and_terms_mut();
        let read =
            |text: &String| grundy::flat::read_ground_term(text, &mut *symbols, &mut *terms).expect("a term");
        (predicate, kif.iter().map(read).collect())
    }
}
