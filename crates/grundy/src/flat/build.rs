//! From a [`Program`] to a [`Flat`] one.

use super::split::{renumber, simplify_distinct, split_once};
use super::{
    Flat, FlatAtom, FlatLiteral, FlatRule, Origin, RelationId, RelationInfo, RelationKind, rules_in_order,
};
use crate::analysis::{Analysis, Class, classify};
use crate::ids::BitSet;
use grundy_syntax::{Atom, Budget, Keyword, Literal, PredicateId, Program, Rule, TermId, Ticks, VariableId};

/// The largest depth of nested functions that are flattened. A guess.
const MOST_ROUNDS: usize = 6;

/// Flattens the functions of a program, adds the links of a game, and drops rules that can never match. The result is only complete if the budget is not used up.
pub fn flatten(program: &Program, budget: &Budget) -> Flat {
    let mut flat = from_program(program, budget);
    add_links(program, &mut flat);
    for _ in 0..MOST_ROUNDS {
        match split_once(&flat) {
            Some(split) => flat = split,
            None => break,
        }
    }
    drop_impossible(&mut flat);
    flat
}

/// The same rules, with one relation for each predicate. Rules for `base` and `input` are left out, since these are computed.
fn from_program(program: &Program, budget: &Budget) -> Flat {
    let analysis = classify(program);
    let mut flat = Flat { terms: program.terms.clone(), budget: budget.clone(), ..Flat::default() };
    for (predicate, info) in program.predicates() {
        let kind = kind_of(program, &analysis, predicate);
        let plain = RelationInfo::plain(&mut flat.terms, predicate, info.arity, kind);
        flat.add_relation(plain);
    }
    let mut ticks = Ticks::default();
    for (id, rule) in program.rules_by_id() {
        budget.at_rule(rule.span);
        if ticks.work(budget, 1 + rule.body.len()).is_err() {
            break;
        }
        let keyword = program.info(rule.head.predicate).keyword;
        if matches!(keyword, Some(Keyword::Base | Keyword::Input)) {
            continue;
        }
        let Some(body) = flat_body(program, rule) else { continue };
        let origin = Origin::Rule(id);
        flat.rules.push(FlatRule {
            head: flat_atom(&rule.head),
            body,
            variables: rule.variables.len(),
            origin,
        });
    }
    flat
}

/// The kind of a predicate. Answers are dynamic even if they do not depend on a state.
pub(crate) fn kind_of(program: &Program, analysis: &Analysis, predicate: PredicateId) -> RelationKind {
    let is_answer = matches!(
        program.info(predicate).keyword,
        Some(Keyword::Legal | Keyword::Next | Keyword::Goal | Keyword::Terminal | Keyword::Sees)
    );
    if is_answer || analysis.class(predicate) != Class::Static {
        RelationKind::Dynamic
    } else {
        RelationKind::Static
    }
}

/// The conditions of a rule; `None` if one of them never holds.
fn flat_body(program: &Program, rule: &Rule) -> Option<Vec<FlatLiteral>> {
    let mut body = Vec::with_capacity(rule.body.len());
    for literal in rule.literals() {
        match literal {
            Literal::Holds(atom) => body.push(FlatLiteral::Holds(flat_atom(atom))),
            Literal::Not(atom) => body.push(FlatLiteral::Not(flat_atom(atom))),
            Literal::Distinct(a, b) => match simplify_distinct(&program.terms, &[(*a, *b)]) {
                // The terms always differ.
                None => {}
                Some(pairs) if pairs.is_empty() => return None,
                Some(pairs) => body.push(FlatLiteral::Distinct(pairs.into())),
            },
        }
    }
    Some(body)
}

fn flat_atom(atom: &Atom) -> FlatAtom {
    FlatAtom { relation: RelationId(atom.predicate.0), args: atom.args.clone() }
}

/// Adds the links from `init` and `next` to `true`, and from `legal` to `does`.
fn add_links(program: &Program, flat: &mut Flat) {
    let links =
        [(Keyword::True, Keyword::Init), (Keyword::True, Keyword::Next), (Keyword::Does, Keyword::Legal)];
    for (to, from) in links {
        if let (Some(to), Some(from)) = (program.keyword(to), program.keyword(from)) {
            let args: Box<[TermId]> =
                (0..program.info(to).arity).map(|v| flat.terms.variable(VariableId::new(v))).collect();
            let atom =
                |predicate: PredicateId| FlatAtom { relation: RelationId(predicate.0), args: args.clone() };
            let body = vec![FlatLiteral::Holds(atom(from))];
            flat.rules.push(FlatRule { head: atom(to), body, variables: args.len(), origin: Origin::Link });
        }
    }
}

/// Drops rules with a positive condition that cannot be derived, and negated conditions that cannot be derived, where
/// derivability is decided per relation.
fn drop_impossible(flat: &mut Flat) {
    let mut possible = flat.no_relations();
    let holds = |literal: &FlatLiteral, possible: &BitSet<RelationId>| match literal {
        FlatLiteral::Holds(atom) => possible.contains(atom.relation),
        _ => true,
    };
    let order = rules_in_order(flat);
    let mut ticks = Ticks::default();
    let mut changed = true;
    while changed && !flat.budget.is_over() {
        changed = false;
        for &id in &order {
            let rule = &flat.rules[id];
            if ticks.work(&flat.budget, rule.body.len()).is_err() {
                break;
            }
            let head = rule.head.relation;
            if !possible.contains(head) && rule.body.iter().all(|literal| holds(literal, &possible)) {
                changed |= possible.insert(head);
            }
        }
    }
    flat.rules.retain(|rule| rule.body.iter().all(|literal| holds(literal, &possible)));
    for rule in &mut flat.rules {
        rule.body.retain(|literal| match literal {
            FlatLiteral::Not(atom) => possible.contains(atom.relation),
            _ => true,
        });
        renumber(&mut flat.terms, rule);
    }
}
