//! A rule, taken apart for matching.

use grundy_syntax::{Atom, Literal, Rule, TermId, Terms, VariableId};

/// A rule that is safe: its positive conditions bind all its variables.
pub(crate) struct Plan {
    /// Its number in the program.
    pub(crate) rule: usize,
    pub(crate) head: Atom,
    /// What has to match known facts.
    pub(crate) positive: Vec<Pattern>,
    /// Negated conditions and `distinct`: tested as soon as their variables are known.
    pub(crate) tests: Vec<Test>,
    pub(crate) variables: usize,
}

pub(crate) struct Pattern {
    pub(crate) atom: Atom,
    /// For each argument its variables.
    pub(crate) variables: Vec<Vec<VariableId>>,
}

pub(crate) struct Test {
    pub(crate) literal: Literal,
    pub(crate) variables: Vec<VariableId>,
}

/// Takes a rule apart. `None` if some variable is never bound.
pub(crate) fn plan(terms: &Terms, number: usize, rule: &Rule) -> Option<Plan> {
    let mut bound = vec![false; rule.variables.len()];
    let mut positive = Vec::new();
    let mut tests = Vec::new();
    for literal in rule.literals() {
        let variables: Vec<Vec<VariableId>> = literal.terms().map(|term| variables_of(terms, term)).collect();
        match literal {
            Literal::Holds(atom) => {
                variables.iter().flatten().for_each(|variable| bound[variable.0 as usize] = true);
                positive.push(Pattern { atom: atom.clone(), variables });
            }
            _ => tests.push(Test { literal: literal.clone(), variables: variables.concat() }),
        }
    }
    let in_head = rule.head.args.iter().flat_map(|&term| variables_of(terms, term));
    let in_tests = tests.iter().flat_map(|test| test.variables.iter().copied());
    let safe = in_head.chain(in_tests).all(|variable| bound[variable.0 as usize]);
    let variables = rule.variables.len();
    safe.then(|| Plan { rule: number, head: rule.head.clone(), positive, tests, variables })
}

fn variables_of(terms: &Terms, term: TermId) -> Vec<VariableId> {
    let mut variables = Vec::new();
    terms.for_each_variable(term, &mut |variable| variables.push(variable));
    variables
}
