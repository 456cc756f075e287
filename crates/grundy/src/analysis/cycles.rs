//! Negation in cycles of rules.

use super::{Context, Findings};
use crate::graph::{component_of, components};
use crate::ids::{Csr, IdVec};
use grundy_syntax::{
    Atom, Budget, Code, Condition, Diagnostic, Literal, PredicateId, Program, Rule, Term, TermId, Terms,
};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};

/// The largest number of pairs of atoms that are compared, to bound the time. Cycles beyond that are only detected when the
/// game is evaluated. A guess.
const MOST_COMPARISONS: usize = 20_000_000;

/// The largest number of steps shown of a cycle.
const MOST_STEPS: usize = 6;

/// Reports negation in a cycle of rules.
///
/// A cycle through predicates is not an error by itself: sheets define one value of `goal` by the absence of another.
/// Therefore the nodes are rules, and a rule depends on those whose heads unify with its conditions.
pub(super) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let rules_of = context.rules_of_components();
    let comparisons_left = Cell::new(MOST_COMPARISONS);
    for rules in rules_of.iter() {
        let rules: IdVec<MemberId, &Rule> = rules.iter().map(|&rule| context.program.rule(rule)).collect();
        let negates = |rule: &&Rule| rule.body.iter().any(|c| is_recursive_negation(context, rule, c));
        if rules.iter().any(negates) {
            let cycles = Cycles::of(context.program, rules, &comparisons_left);
            cycles.check(context, findings);
        }
    }
}

fn is_recursive_negation(context: &Context<'_>, rule: &Rule, condition: &Condition) -> bool {
    let within = |atom: &Atom| context.analysis.same_component(atom.predicate, rule.head.predicate);
    matches!(&condition.literal, Literal::Not(atom) if within(atom))
}

grundy_syntax::define_id! {
    /// A rule of a component: its position among the rules of that component.
    struct MemberId(u32);
}

/// The rules of one component, with those that each depends on.
struct Cycles<'a> {
    program: &'a Program,
    rules: IdVec<MemberId, &'a Rule>,
    rules_of: FxHashMap<PredicateId, Vec<MemberId>>,
    comparisons_left: &'a Cell<usize>,
    depends_on: Csr<MemberId, MemberId>,
    /// The number of the cycle that a rule is part of.
    cycle_of: IdVec<MemberId, u32>,
}

impl<'a> Cycles<'a> {
    fn of(
        program: &'a Program,
        rules: IdVec<MemberId, &'a Rule>,
        comparisons_left: &'a Cell<usize>,
    ) -> Cycles<'a> {
        let mut rules_of: FxHashMap<PredicateId, Vec<MemberId>> = FxHashMap::default();
        for (id, rule) in rules.entries() {
            rules_of.entry(rule.head.predicate).or_default().push(id);
        }
        let (depends_on, cycle_of) = (Csr::default(), IdVec::default());
        let mut cycles = Cycles { program, rules, rules_of, comparisons_left, depends_on, cycle_of };
        let needs = |rule: &&Rule| -> Vec<MemberId> {
            rule.literals().filter_map(Literal::atom).flat_map(|atom| cycles.matching(atom)).collect()
        };
        let depends_on: Csr<MemberId, MemberId> = cycles.rules.iter().map(needs).collect();
        let found = components(&depends_on, &Budget::default()).expect("a default budget has no limits");
        cycles.cycle_of = component_of(&found, cycles.rules.len());
        cycles.depends_on = depends_on;
        cycles
    }

    /// The rules whose heads may have common instances with an atom.
    fn matching(&self, atom: &Atom) -> Vec<MemberId> {
        let candidates = self.rules_of.get(&atom.predicate).map_or(&[][..], Vec::as_slice);
        let left = self.comparisons_left.get();
        self.comparisons_left.set(left.saturating_sub(candidates.len()));
        let may_match = |other: &MemberId| atoms_may_match(self.program, atom, &self.rules[*other].head);
        candidates.iter().copied().take(left).filter(may_match).collect()
    }

    /// One message for each cycle, at its first negation.
    fn check(&self, context: &Context<'_>, findings: &mut Findings<'_>) {
        let mut errors: BTreeMap<u32, Diagnostic> = BTreeMap::new();
        for (id, rule) in self.rules.entries() {
            for condition in rule.body.iter().filter(|c| is_recursive_negation(context, rule, c)) {
                let Some(back) = self.way_back(id, condition) else { continue };
                let error = match errors.remove(&self.cycle_of[id]) {
                    None => self.diagnostic(id, condition, back),
                    Some(error) if error.secondary.len() >= MOST_STEPS => error,
                    Some(error) => error.second(condition.span, "and negated here"),
                };
                errors.insert(self.cycle_of[id], error);
            }
        }
        errors.into_values().for_each(|error| findings.report(error));
    }

    /// The rule that a condition of another can be met by, if both are part of one cycle.
    fn way_back(&self, rule: MemberId, condition: &Condition) -> Option<MemberId> {
        let matching = self.matching(condition.literal.atom()?);
        matching.into_iter().find(|&other| self.cycle_of[other] == self.cycle_of[rule])
    }

    fn diagnostic(&self, rule: MemberId, condition: &Condition, back: MemberId) -> Diagnostic {
        let name = |rule: MemberId| self.program.name(self.rules[rule].head.predicate);
        let message = format!("`{}` depends on its own negation", name(rule));
        let error = Diagnostic::new(Code::NegationCycle, condition.span, message).label("negated here");
        if back == rule {
            let label = format!("in a rule for `{}` itself", name(rule));
            return error.second(self.rules[rule].head_span, label);
        }
        let path = self.path(back, rule);
        path.windows(2).take(MOST_STEPS).fold(error, |error, step| {
            let again = if step[1] == rule { " again" } else { "" };
            let label = format!("which depends on `{}`{again}", name(step[1]));
            error.second(self.rules[step[0]].head_span, label)
        })
    }

    /// A shortest path of dependences from one rule to another, both included.
    fn path(&self, from: MemberId, to: MemberId) -> Vec<MemberId> {
        let mut came_from: FxHashMap<MemberId, MemberId> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front().filter(|&at| at != to) {
            for &next in self.depends_on[at].iter().filter(|&&next| next != from) {
                came_from.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    at
                });
            }
        }
        let mut path = vec![to];
        while let Some(&before) = path.last().and_then(|at| came_from.get(at)) {
            path.push(before);
        }
        path.reverse();
        path
    }
}

/// Whether two atoms of different rules have common instances, as far as constants and functions
/// tell; variables match anything.
fn atoms_may_match(program: &Program, a: &Atom, b: &Atom) -> bool {
    a.predicate == b.predicate && a.args.iter().zip(&b.args).all(|(&a, &b)| may_match(&program.terms, a, b))
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
