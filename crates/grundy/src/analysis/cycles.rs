//! Negation and growing terms in recursion.

use super::graph::Graph;
use super::{Analysis, Context};
use grundy_syntax::{
    Atom, Code, Condition, Diagnostic, Literal, PredicateId, Program, Rule, Term, TermId, Terms, VariableId,
};

/// Reports negation in a cycle of rules.
///
/// A cycle through predicates alone is not enough: sheets define one value of `goal` by the absence
/// of another. So rules are the nodes here, and a rule depends on those whose heads can match its
/// conditions.
pub(super) fn check_negation(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let Context { program, analysis, .. } = *context;
    for component in analysis.components() {
        let rules: Vec<&Rule> =
            program.rules.iter().filter(|rule| component.contains(&rule.head.predicate)).collect();
        let negates = |rule: &&Rule| rule.literals().any(|literal| is_negation_within(literal, component));
        if rules.iter().any(negates) {
            check_negation_among(program, &rules, component, diagnostics);
        }
    }
}

fn is_negation_within(literal: &Literal, component: &[PredicateId]) -> bool {
    matches!(literal, Literal::Not(atom) if component.contains(&atom.predicate))
}

fn check_negation_among(
    program: &Program,
    rules: &[&Rule],
    component: &[PredicateId],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let matching = |atom: &Atom| -> Vec<usize> {
        let may_match = |rule: &&Rule| atoms_may_match(&program.terms, atom, &rule.head);
        (0..rules.len()).filter(|&number| may_match(&rules[number])).collect()
    };
    let mut graph = Graph::new(rules.len());
    for (number, rule) in rules.iter().enumerate() {
        for atom in rule.literals().filter_map(Literal::atom) {
            matching(atom).into_iter().for_each(|other| graph.add_edge(number, other));
        }
    }
    let mut cycle_of = vec![0; rules.len()];
    for (cycle, members) in graph.components().iter().enumerate() {
        members.iter().for_each(|&member| cycle_of[member] = cycle);
    }
    for (number, rule) in rules.iter().enumerate() {
        for condition in rule.body.iter().filter(|c| is_negation_within(&c.literal, component)) {
            let Some(atom) = condition.literal.atom() else { continue };
            let back = matching(atom).into_iter().find(|&other| cycle_of[other] == cycle_of[number]);
            if let Some(other) = back {
                diagnostics.push(negation_cycle(program, rule, condition, rules[other]));
            }
        }
    }
}

fn negation_cycle(program: &Program, rule: &Rule, condition: &Condition, other: &Rule) -> Diagnostic {
    let head = program.name(rule.head.predicate);
    let message = format!("`{head}` depends on its own negation");
    let cycle = Diagnostic::new(Code::NegationCycle, condition.span, message).label("negated here");
    cycle.second(other.head_span, format!("which depends on `{head}` again"))
}

/// Whether two atoms of different rules have common instances, as far as constants and functions
/// tell; variables match anything.
fn atoms_may_match(terms: &Terms, a: &Atom, b: &Atom) -> bool {
    a.predicate == b.predicate && a.args.iter().zip(&b.args).all(|(&a, &b)| may_match(terms, a, b))
}

fn may_match(terms: &Terms, a: TermId, b: TermId) -> bool {
    match (terms.get(a), terms.get(b)) {
        (Term::Variable(_), _) | (_, Term::Variable(_)) => true,
        (Term::Compound(f, xs), Term::Compound(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(&x, &y)| may_match(terms, x, y))
        }
        _ => a == b,
    }
}

/// The recursion restriction. Where terms are built inside the cycle, a violation means that there
/// may be no end to them; elsewhere it is a matter of style.
pub(super) fn check_recursion(context: &Context<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let Context { program, analysis, source } = *context;
    for rule in &program.rules {
        for condition in &rule.body {
            let Literal::Holds(atom) = &condition.literal else { continue };
            if !analysis.same_component(atom.predicate, rule.head.predicate) {
                continue;
            }
            let Some(argument) = atom.args.iter().find(|&&arg| !is_restricted(program, analysis, rule, arg))
            else {
                continue;
            };
            let mut name = None;
            program
                .terms
                .for_each_variable(*argument, &mut |v| name = name.or(Some(rule.variables[v.0 as usize])));
            let name = name.map_or("", |name| program.symbols.name(name));
            let grows = builds_terms(program, analysis, rule.head.predicate);
            let code = if grows { Code::RecursionRestriction } else { Code::LooseRecursion };
            let what = program.name(atom.predicate);
            let message = format!("nothing outside the recursion over `{what}` binds `{name}`");
            let place = source.find_word(condition.span, name);
            let hint = format!("add a condition outside the recursion that says what `{name}` can be");
            diagnostics.push(Diagnostic::new(code, place, message).hint(hint));
        }
    }
}

/// Whether an argument of a recursive condition is ground, an argument of the head, or made of
/// variables that conditions outside the recursion bind.
fn is_restricted(program: &Program, analysis: &Analysis, rule: &Rule, argument: TermId) -> bool {
    if rule.head.args.contains(&argument) {
        return true;
    }
    let outside = |variable: VariableId| {
        rule.literals().any(|literal| match literal {
            Literal::Holds(atom) => {
                !analysis.same_component(atom.predicate, rule.head.predicate)
                    && atom.args.iter().any(|&arg| program.terms.contains(arg, variable))
            }
            _ => false,
        })
    };
    let mut restricted = true;
    program.terms.for_each_variable(argument, &mut |variable| restricted &= outside(variable));
    restricted
}

/// Whether a recursive rule of the component has a function with a variable in its head.
fn builds_terms(program: &Program, analysis: &Analysis, predicate: PredicateId) -> bool {
    let recursive = |rule: &&Rule| {
        let mut atoms = rule.literals().filter_map(Literal::atom);
        analysis.same_component(rule.head.predicate, predicate)
            && atoms.any(|atom| analysis.same_component(atom.predicate, predicate))
    };
    program.rules.iter().filter(recursive).any(|rule| {
        rule.head.args.iter().any(|&arg| program.terms.depth(arg) > 1 && !program.terms.is_ground(arg))
    })
}
