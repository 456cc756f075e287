//! The metarules as unfolding uses them, and those that it finds on its way.

use crate::ids::wide;
use crate::metarules::domain::{Domain, Kind};
use crate::metarules::impossible;
use crate::metarules::limits::Steps;
use crate::metarules::matching::has_match;
use crate::metarules::pattern::{Pattern, STEPS_OF_SIGNATURE, is_variant, signature};
use crate::metarules::single_valued::{SingleValued, of_constraint};
use crate::metarules::useless::{self, Useless};
use crate::metarules::{Metarules, single_valued_of};
use grundy_syntax::{Atom, Literal, Terms};
use rustc_hash::FxHashMap;

/// Limit: the steps of matching the topology of one rule. Beyond it the rule counts as possible.
const STEPS_PER_RULE: u64 = 400_000;

/// Conditions, and whether they have a match.
type Matched = (Vec<Literal>, bool);

/// All that is known about the conditions of rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    pub(crate) single_valued: Vec<SingleValued>,
    /// Dependencies that are assumed of the state before all moves only. A proof by induction must not use them for the
    /// state after the move.
    pub(crate) assumed: Vec<SingleValued>,
    /// Never true together, as far as the topology goes.
    pub(crate) topology: Vec<Pattern>,
    /// Never true together in any state.
    pub(crate) states: Vec<Pattern>,
    /// What follows in every state: constraints with one negated condition.
    pub(crate) implications: Vec<(Vec<Literal>, Atom)>,
    pub(crate) useless: Vec<Useless>,
    /// The useless conditions that follow from a single one, as implications.
    pub(crate) facts_that_follow: Vec<(Vec<Literal>, Atom)>,
    /// Parts of rules that were matched before, by signature, and whether they have a match.
    matched: FxHashMap<u64, Vec<Matched>>,
}

impl Knowledge {
    /// The dependencies that hold at a time.
    pub(crate) fn single_valued_at(&self, time: u8) -> impl Iterator<Item = &SingleValued> {
        self.single_valued.iter().chain(self.assumed.iter().filter(move |_| time == 0))
    }

    /// What the facts and constraints of a domain say, and what was found before.
    pub(crate) fn new(domain: &mut Domain, metarules: Option<&Metarules>, work: &Steps) -> Knowledge {
        let single_valued = match metarules {
            Some(metarules) => metarules.single_valued.clone(),
            None => single_valued_of(domain, work),
        };
        let mut knowledge = Knowledge { single_valued, ..Knowledge::default() };
        if let Some(metarules) = metarules {
            let is_topology = |pattern: &&Pattern| is_topology(domain, &pattern.literals);
            knowledge.topology = metarules.impossible.iter().filter(is_topology).cloned().collect();
            knowledge.useless = metarules.useless.clone();
            knowledge.facts_that_follow = metarules.useless.iter().filter_map(single_implication).collect();
        }
        for body in domain.constraints.clone() {
            if of_constraint(&domain.program.terms, &body).is_some() {
                continue;
            }
            let negated: Vec<&Atom> = body
                .iter()
                .filter_map(|literal| match literal {
                    Literal::Not(atom) => Some(atom),
                    _ => None,
                })
                .collect();
            if let [atom] = negated[..] {
                let others = body.iter().filter(|literal| !matches!(literal, Literal::Not(_)));
                knowledge.implications.push((others.cloned().collect(), atom.clone()));
            }
            knowledge.states.push(Pattern::new(&mut domain.program.terms, &body));
        }
        knowledge
    }

    /// Whether these conditions of the topology, which hang together, have a match. If they have none,
    /// the smallest part of them that has none becomes a metarule.
    pub(crate) fn can_match(&mut self, domain: &mut Domain, part: &[Literal], work: &Steps) -> bool {
        let Domain { program, topology, .. } = domain;
        if work.work(STEPS_OF_SIGNATURE * wide(part.len())).is_err() {
            return true;
        }
        let known = self.matched.entry(signature(&program.terms, &[], part)).or_default();
        let is_same = |other: &[Literal]| is_variant(&program.terms, (&[], part), (&[], other), work);
        let same = known.iter().find(|(other, _)| is_same(other));
        if let Some(&(_, matches)) = same {
            return matches;
        }
        let refs: Vec<&Literal> = part.iter().collect();
        let found = work.within(STEPS_PER_RULE, |steps| has_match(&program.terms, topology, &refs, steps));
        let matches = found != Ok(false);
        known.push((part.to_vec(), matches));
        if !matches {
            let smallest = impossible::minimize(&program.terms, topology, part, (STEPS_PER_RULE, work));
            self.topology.push(Pattern::new(&mut program.terms, &smallest));
        }
        matches
    }

    /// Whether a condition follows from others; if that is new, it becomes a metarule. Variables from
    /// `open_from` on may stand for anything.
    pub(crate) fn follows(
        &mut self,
        domain: &mut Domain,
        given: &[Literal],
        condition: &Literal,
        (open_from, work): (u32, &Steps),
    ) -> bool {
        let Domain { program, topology, .. } = domain;
        if useless::is_useless(&program.terms, &self.useless, given, condition, open_from, work) {
            return true;
        }
        let terms = &mut program.terms;
        let follows = |steps: &Steps| useless::follows(terms, topology, given, condition, steps);
        if !work.within(STEPS_PER_RULE, follows) {
            return false;
        }
        let each = (STEPS_PER_RULE, work);
        let metarule = useless::minimize(&mut program.terms, topology, given, condition, each);
        self.useless.push(metarule);
        true
    }
}

/// A useless condition that follows from a single one.
fn single_implication(metarule: &Useless) -> Option<(Vec<Literal>, Atom)> {
    match (&metarule.given[..], &metarule.condition) {
        ([Literal::Holds(_)], Literal::Holds(atom)) => Some((metarule.given.clone(), atom.clone())),
        _ => None,
    }
}

/// Whether all conditions are about complete facts.
pub(crate) fn is_topology(domain: &Domain, literals: &[Literal]) -> bool {
    literals
        .iter()
        .all(|literal| literal.atom().is_none_or(|atom| domain.kind(atom.predicate) == Kind::Topology))
}

/// The conditions of a body that the complete facts decide: those about them, and tests of their variables.
pub(crate) fn topology_part(domain: &Domain, body: &[&Literal]) -> Vec<Literal> {
    let is_topology = |literal: &Literal| match literal {
        Literal::Distinct(..) => true,
        Literal::Holds(atom) | Literal::Not(atom) => domain.kind(atom.predicate) == Kind::Topology,
    };
    let part = body.iter().filter(|literal| is_topology(literal)).map(|&literal| literal.clone());
    impossible::bound_only(&domain.program.terms, part.collect())
}

/// Whether two conditions are the same; a test for difference has no order.
pub(crate) fn same_literal(a: &Literal, b: &Literal) -> bool {
    match (a, b) {
        (Literal::Distinct(a, b), Literal::Distinct(c, d)) => (a, b) == (c, d) || (a, b) == (d, c),
        _ => a == b,
    }
}

/// A test for difference in its simplest form.
pub(crate) enum Difference {
    Always,
    Never,
    Test(Literal),
}

/// Simplifies a test that two terms differ.
pub(crate) fn simplify_difference(
    terms: &mut Terms,
    a: grundy_syntax::TermId,
    b: grundy_syntax::TermId,
) -> Difference {
    use crate::metarules::terms::unifiable;
    use grundy_syntax::Term;
    if a == b {
        return Difference::Never;
    }
    if !unifiable(terms, a, b) {
        return Difference::Always;
    }
    if let (Term::Compound(name, xs), Term::Compound(_, ys)) = (terms.get(a), terms.get(b)) {
        let pairs: Vec<_> = xs.iter().copied().zip(ys.iter().copied()).filter(|(x, y)| x != y).collect();
        if let [(x, y)] = pairs[..] {
            return simplify_difference(terms, x, y);
        }
        if pairs.len() < xs.len() {
            let (xs, ys): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            return Difference::Test(Literal::Distinct(terms.compound(name, &xs), terms.compound(name, &ys)));
        }
    }
    Difference::Test(Literal::Distinct(a, b))
}
