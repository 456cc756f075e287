//! A rule, taken apart for matching.

use crate::relation::Form;
use grundy_syntax::{Atom, Literal, PredicateId, Rule, Term, TermId, Terms, VariableId, narrow};

/// A rule that is safe: its positive conditions bind all its variables.
pub(crate) struct Plan {
    /// Its number in the program.
    pub(crate) rule: usize,
    pub(crate) head: Atom,
    pub(crate) head_variables: Vec<VariableId>,
    /// What has to match known facts.
    pub(crate) positive: Vec<Pattern>,
    /// What is tested as soon as its variables are known.
    pub(crate) tests: Vec<Test>,
    pub(crate) variables: usize,
}

/// A positive condition: rows of this form whose leaves agree with these.
pub(crate) struct Pattern {
    pub(crate) predicate: PredicateId,
    pub(crate) form: Form,
    pub(crate) leaves: Vec<Leaf>,
}

/// What stands in a blank of a form.
#[derive(Clone, Copy)]
pub(crate) enum Leaf {
    Variable(VariableId),
    Ground(TermId),
}

pub(crate) struct Test {
    pub(crate) kind: TestKind,
    pub(crate) variables: Vec<VariableId>,
}

pub(crate) enum TestKind {
    /// This does not hold.
    Not(Atom),
    /// These differ.
    Distinct(TermId, TermId),
}

/// Takes a rule apart. `None` if some variable is never bound.
pub(crate) fn plan(terms: &mut Terms, number: usize, rule: &Rule) -> Option<Plan> {
    let mut positive = Vec::new();
    let mut tests = Vec::new();
    for literal in rule.literals() {
        let kind = match literal {
            Literal::Holds(atom) => {
                positive.push(pattern(terms, atom));
                continue;
            }
            Literal::Not(atom) => TestKind::Not(atom.clone()),
            Literal::Distinct(a, b) => TestKind::Distinct(*a, *b),
        };
        tests.push(Test { kind, variables: variables_of(terms, literal.terms()) });
    }
    let head_variables = variables_of(terms, rule.head.args.iter().copied());
    let mut bound = vec![false; rule.variables.len()];
    for leaf in positive.iter().flat_map(|pattern| &pattern.leaves) {
        if let Leaf::Variable(variable) = leaf {
            bound[variable.index()] = true;
        }
    }
    let in_tests = tests.iter().flat_map(|test| &test.variables);
    let safe = head_variables.iter().chain(in_tests).all(|variable| bound[variable.index()]);
    let (head, variables) = (rule.head.clone(), rule.variables.len());
    safe.then_some(Plan { rule: number, head, head_variables, positive, tests, variables })
}

fn pattern(terms: &mut Terms, atom: &Atom) -> Pattern {
    let mut leaves = Vec::new();
    let form = atom.args.iter().map(|&arg| form(terms, arg, &mut leaves)).collect();
    Pattern { predicate: atom.predicate, form, leaves }
}

/// A term with a blank for each variable and for each ground term in it.
fn form(terms: &mut Terms, term: TermId, leaves: &mut Vec<Leaf>) -> TermId {
    leaves.push(match terms.get(term) {
        Term::Variable(variable) => Leaf::Variable(variable),
        _ if terms.is_ground(term) => Leaf::Ground(term),
        Term::Constant(_) => unreachable!("constants are ground"),
        Term::Compound(name, args) => {
            let args: Vec<TermId> = args.to_vec();
            let args: Vec<TermId> = args.into_iter().map(|arg| form(terms, arg, leaves)).collect();
            return terms.compound(name, &args);
        }
    });
    terms.variable(VariableId(narrow(leaves.len()) - 1))
}

fn variables_of(terms: &Terms, of: impl Iterator<Item = TermId>) -> Vec<VariableId> {
    let mut variables = Vec::new();
    of.for_each(|term| terms.for_each_variable(term, &mut |variable| variables.push(variable)));
    variables
}
