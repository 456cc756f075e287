//! Which dynamic facts there can be at all.
//!
//! A theory declares its dynamic predicates, and says nothing about their arguments. What a fact can be follows from
//! how it is used: in `owns(P, S), player(P), square(S)` the static conditions bind `P` and `S`, and the facts that
//! this clause can ask for are those whose arguments fit. A superset does no harm.
//!
//! Where a dynamic fact binds a variable itself, as in `pieces(S) :- owns(black, S)`, its arguments range over whatever
//! the clauses of the theory bind them to elsewhere, column by column. A theory can declare them with `base`, as a
//! game does: `base(owns(P, S)) :- player(P), square(S).` Then this is all there is.
//!
//! All of it becomes rules for `init`, so that grounding finds the facts together with everything else.

use super::error::{FeatureError, Finding};
use super::merge::Merged;
use crate::analysis::{Analysis, Class, classify};
use crate::ids::ids;
use grundy_syntax::{
    Atom, Budget, Condition, Dialect, Exhausted, Keyword, Literal, PredicateId, Program, Rule, Span,
    SymbolId, Term, TermId, Terms, Ticks, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The function of a dynamic fact and its number of arguments.
pub(super) type Shape = (SymbolId, usize);

/// The dynamic facts whose candidates are all that states may have, and the clause in which they bind a variable.
pub(super) type Closed = FxHashMap<Shape, Span>;

/// The approximate work of reading a condition, in units of [`Ticks::work`].
const WORK_OF_CONDITION: usize = 8;

/// Adds rules for `init` to a merged theory. Facts of the shapes in the result are known in full.
pub(super) fn add_candidates(merged: &mut Merged, budget: &Budget) -> Result<Closed, FeatureError> {
    let mut ticks = Ticks::default();
    if merged.dialect == Dialect::Game {
        return Ok(Closed::default());
    }
    let holds = merged.program.predicate(Keyword::True.name(), 1);
    let declared = declared_bases(merged);
    let uses = Uses { analysis: classify(&merged.program), holds, declared: &declared };
    let generators = uses.generators(&merged.program, budget)?;
    let mut rules = Vec::new();
    let mut columns: FxHashSet<(Shape, usize)> = FxHashSet::default();
    for rule in merged.program.rules.clone() {
        for literal in rule.literals() {
            // Looking for what binds an argument goes through the whole rule.
            ticks.work(budget, WORK_OF_CONDITION * (1 + rule.body.len()))?;
            let Some((shape, fact)) = fact_of(&merged.program.terms, holds, literal) else { continue };
            if declared.contains_key(&shape) {
                continue;
            }
            if generators.contains_key(&shape) {
                uses.column_rules(&mut merged.program, &rule, (shape, fact), &mut columns, &mut rules);
            } else if let Some(body) = uses.binders(&merged.program, &rule, fact, true) {
                rules.push(init_rule(&mut merged.program, &rule, fact, body));
            }
        }
    }
    let findings: Vec<Finding> = generators
        .iter()
        .filter(|(shape, _)| {
            !declared.contains_key(*shape) && !(0..shape.1).all(|c| columns.contains(&(**shape, c)))
        })
        .map(|(shape, span)| unbound(merged, *shape, *span))
        .collect();
    if !findings.is_empty() {
        let mut findings = findings;
        findings.sort_by_key(|finding| finding.place);
        return Err(FeatureError::Wrong(findings));
    }
    let mut shapes: Vec<Shape> =
        generators.keys().copied().filter(|shape| !declared.contains_key(shape)).collect();
    shapes.sort_unstable();
    for shape in shapes {
        rules.push(product_rule(&mut merged.program, shape));
    }
    merged.program.rules.extend(rules);
    Ok(declared.into_iter().chain(generators).collect())
}

/// The finding for a dynamic fact whose arguments are not bound.
pub(super) fn unbound(merged: &Merged, shape: Shape, span: Span) -> Finding {
    let name = merged.program.symbols.name(shape.0);
    let holes: Vec<String> = (1..=shape.1).map(|number| format!("X{number}")).collect();
    let fact = format!("{name}({})", holes.join(", "));
    Finding {
        place: merged.place(span),
        message: format!(
            "this cannot be made ground: no clause bounds the arguments of `{name}/{}`",
            shape.1
        ),
        label: "a variable here is bound by dynamic facts alone".to_owned(),
        hint: format!("bind it by a static condition, or declare the possible facts: `base({fact}) :- …`"),
    }
}

/// Turns the rules of `base` into rules of `init`; the shapes that have some.
fn declared_bases(merged: &mut Merged) -> Closed {
    let mut declared = Closed::default();
    let name = "base'";
    let Some(base) = merged.program.find_predicate(name, 1) else { return declared };
    let init = merged.program.predicate(Keyword::Init.name(), 1);
    let Program { rules, terms, .. } = &mut merged.program;
    for rule in rules.iter_mut().filter(|rule| rule.head.predicate == base) {
        if let Some((shape, _)) =
            shape_of(terms, rule.head.args[0]).filter(|(shape, _)| merged.dynamic.contains(shape))
        {
            declared.insert(shape, rule.span);
            rule.head.predicate = init;
        }
    }
    declared
}

/// The shape of a fact, and the fact.
fn shape_of(terms: &Terms, fact: TermId) -> Option<(Shape, TermId)> {
    match terms.get(fact) {
        Term::Constant(name) => Some(((name, 0), fact)),
        Term::Compound(name, args) => Some(((name, args.len()), fact)),
        Term::Variable(_) => None,
    }
}

fn fact_of(terms: &Terms, holds: PredicateId, literal: &Literal) -> Option<(Shape, TermId)> {
    let atom = literal.atom().filter(|atom| atom.predicate == holds)?;
    shape_of(terms, atom.args[0])
}

/// The variables of some terms.
fn variables(terms: &Terms, of: impl IntoIterator<Item = TermId>) -> FxHashSet<VariableId> {
    let mut found = FxHashSet::default();
    of.into_iter().for_each(|term| terms.for_each_variable(term, &mut |v| _ = found.insert(v)));
    found
}

struct Uses<'a> {
    analysis: Analysis,
    holds: PredicateId,
    declared: &'a Closed,
}

impl Uses<'_> {
    /// The shapes that bind a variable somewhere, with the clause where they do.
    fn generators(&self, program: &Program, budget: &Budget) -> Result<Closed, Exhausted> {
        let mut found = Closed::default();
        let mut ticks = Ticks::default();
        for rule in &program.rules {
            for literal in rule.literals().filter(|literal| matches!(literal, Literal::Holds(_))) {
                ticks.work(budget, WORK_OF_CONDITION * (1 + rule.body.len()))?;
                let Some((shape, fact)) = fact_of(&program.terms, self.holds, literal) else { continue };
                if !found.contains_key(&shape) && self.binders(program, rule, fact, false).is_none() {
                    found.insert(shape, rule.span);
                }
            }
        }
        Ok(found)
    }

    /// Conditions that bind the variables of a term: static ones that share a variable with it, then views, then, if
    /// these may be used, other dynamic facts. `None` if they do not bind all.
    fn binders(&self, program: &Program, rule: &Rule, term: TermId, dynamic: bool) -> Option<Vec<Literal>> {
        let wanted = variables(&program.terms, [term]);
        let mut bound: FxHashSet<VariableId> = FxHashSet::default();
        let mut chosen = Vec::new();
        for round in 0..3 {
            for literal in rule.literals() {
                let Literal::Holds(atom) = literal else { continue };
                let is_fact = atom.predicate == self.holds;
                let class = if is_fact {
                    2
                } else {
                    usize::from(self.analysis.class(atom.predicate) != Class::Static)
                };
                let own = variables(&program.terms, atom.args.iter().copied());
                let helps = match round {
                    0 => own.iter().any(|v| wanted.contains(v)),
                    _ => own.iter().any(|v| wanted.contains(v) && !bound.contains(v)),
                };
                let itself = is_fact && atom.args[0] == term;
                if class == round && helps && !itself && (!is_fact || dynamic) {
                    bound.extend(own);
                    chosen.push(literal.clone());
                }
            }
        }
        wanted.is_subset(&bound).then_some(chosen)
    }

    /// `column(argument) ← conditions that bind it`, for each argument that something binds.
    fn column_rules(
        &self,
        program: &mut Program,
        rule: &Rule,
        (shape, fact): (Shape, TermId),
        columns: &mut FxHashSet<(Shape, usize)>,
        rules: &mut Vec<Rule>,
    ) {
        let args: Vec<TermId> = match program.terms.get(fact) {
            Term::Compound(_, args) => args.to_vec(),
            _ => Vec::new(),
        };
        debug_assert!(!self.declared.contains_key(&shape));
        for (column, arg) in args.into_iter().enumerate() {
            let Some(body) = self.binders(program, rule, arg, false) else { continue };
            let predicate = column_predicate(program, shape, column);
            columns.insert((shape, column));
            rules.push(derived(rule, Atom { predicate, args: Box::new([arg]) }, body));
        }
    }
}

fn column_predicate(program: &mut Program, (name, arity): Shape, column: usize) -> PredicateId {
    let name = format!("column {column} of {}/{arity}", program.symbols.name(name));
    program.predicate(&name, 1)
}

/// A rule with another head and body, and the same place.
fn derived(rule: &Rule, head: Atom, body: Vec<Literal>) -> Rule {
    let body = body.into_iter().map(|literal| Condition { literal, span: rule.span }).collect();
    Rule { head, body, variables: rule.variables.clone(), span: rule.span, head_span: rule.head_span }
}

fn init_rule(program: &mut Program, rule: &Rule, fact: TermId, body: Vec<Literal>) -> Rule {
    let init = program.predicate(Keyword::Init.name(), 1);
    derived(rule, Atom { predicate: init, args: Box::new([fact]) }, body)
}

/// `init(f(X, Y)) ← column 0 of f(X), column 1 of f(Y)`
fn product_rule(program: &mut Program, shape: Shape) -> Rule {
    let (name, arity) = shape;
    let args: Vec<TermId> = ids(arity).map(|variable| program.terms.variable(variable)).collect();
    let variables = (0..arity).map(|v| program.symbols.intern(&format!("?v{v}"))).collect();
    let span = Span::default();
    let mut body = Vec::new();
    for (column, &arg) in args.iter().enumerate() {
        let predicate = column_predicate(program, shape, column);
        let literal = Literal::Holds(Atom { predicate, args: Box::new([arg]) });
        body.push(Condition { literal, span });
    }
    let fact = program.terms.compound(name, &args);
    let init = program.predicate(Keyword::Init.name(), 1);
    Rule { head: Atom { predicate: init, args: Box::new([fact]) }, body, variables, span, head_span: span }
}
