//! Simplification of partially unfolded rules by metarules.
//!
//! Unfolding is partial evaluation; without simplification the number of rules is a product over all conditions. So each
//! new rule passes through here before it is unfolded further. Two groups of rewrites are applied.
//!
//! [`Simplifier::simplify`] runs after every step and has to be cheap:
//!
//! 1. *Unification.* Tautologies, duplicates and contradictory pairs are removed. Then single-valued metarules (functional
//!    dependencies) are used as equality-generating dependencies: two conditions with equal keys force equal values, which
//!    are unified, and a ground key is looked up among the complete facts. This is repeated to a fixpoint, as in the
//!    *chase* of database theory; values that cannot be unified cut the rule.
//! 2. *Cutting.* A rule is cut if its topology contains a known impossible pattern, or a connected part of it has no match
//!    (which becomes a new impossible pattern), or if a negated condition, or `terminal` before a move, can be proved from
//!    its other conditions (`prove`, SLD resolution with a bound on steps).
//! 3. *Dropping.* A condition that known useless metarules or a proof derive from the others is removed.
//!
//! [`Simplifier::finish`] runs once for a finished rule and may be expensive: views are unfolded a few levels to see
//! whether they contradict the rule, and topology conditions are tested for redundancy by matching.
//!
//! All rewrites keep the set of instances of the rule in states that play can reach. When the work is used up, rules stay
//! as they are; the caller checks that before it uses the result.

use super::knowledge::{
    Difference, Knowledge, is_topology, same_literal, simplify_difference, topology_part,
};
use super::partial::{Goal, Partial};
use super::prove::{Assumptions, provable};
use super::{Counts, Kinds};
use crate::ids::wide;
use crate::metarules::domain::{Domain, Kind};
use crate::metarules::limits::Steps;
use crate::metarules::pattern::{connected_parts, contains, embed};
use crate::metarules::single_valued::SingleValued;
use crate::metarules::terms::{Bindings, map_atom, shift, variables_of};
use crate::metarules::useless::{is_impossible, is_useless};
use grundy_syntax::{Atom, Literal, PredicateId, TermId, VariableId};

/// Why a rule was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Impossible,
    SingleValued,
}

/// Applies the metarules to rules.
pub(crate) struct Simplifier<'a> {
    pub(crate) domain: &'a mut Domain,
    pub(crate) knowledge: &'a mut Knowledge,
    pub(crate) kinds: Kinds,
    pub(crate) counts: &'a mut Counts,
    /// `terminal`, which is false in a state in which a move is made. For states before later moves, the rule has a
    /// condition of its own.
    pub(crate) never_now: Option<PredicateId>,
    /// The work that is left. When it is used up, rules stay as they are, and the caller must not use them.
    pub(crate) work: &'a Steps,
}

impl Simplifier<'_> {
    /// Applies all metarules but the expensive ones.
    pub(crate) fn simplify(&mut self, rule: &mut Partial) -> Result<(), Cut> {
        loop {
            if self.work.work(self.work_of(rule)).is_err() {
                return Ok(());
            }
            self.general(rule)?;
            if self.kinds.single_valued && self.single_valued(rule)? {
                continue;
            }
            break;
        }
        if self.kinds.impossible {
            self.impossible(rule)?;
        }
        if self.kinds.useless {
            self.useless(rule);
        }
        Ok(())
    }

    /// The work of comparing all pairs of conditions.
    fn work_of(&self, rule: &Partial) -> u64 {
        const OF_CONDITION: u64 = 16;
        let conditions = wide(rule.body.len());
        conditions * (OF_CONDITION + conditions)
    }

    /// Applies what is worth it only for a finished rule.
    pub(crate) fn finish(&mut self, rule: &mut Partial) -> Result<(), Cut> {
        if self.kinds.impossible {
            self.views(rule)?;
        }
        if self.kinds.useless {
            self.useless_topology(rule);
            self.useless_differences(rule);
            self.useless_negations(rule);
        }
        Ok(())
    }

    /// Rewrites that are valid in any domain: removes tautologies and duplicates, and cuts contradictory pairs.
    fn general(&mut self, rule: &mut Partial) -> Result<(), Cut> {
        let mut kept: Vec<Goal> = Vec::with_capacity(rule.body.len());
        for goal in std::mem::take(&mut rule.body) {
            let goal = match goal.literal {
                Literal::Distinct(a, b) => match simplify_difference(&mut self.domain.program.terms, a, b) {
                    Difference::Never => return Err(Cut::Impossible),
                    Difference::Always => continue,
                    Difference::Test(literal) => Goal::new(literal, 0),
                },
                Literal::Holds(ref atom) | Literal::Not(ref atom)
                    if self.domain.kind(atom.predicate) == Kind::Topology =>
                {
                    match self.decided(&goal.literal) {
                        Some(true) => continue,
                        Some(false) => return Err(Cut::Impossible),
                        None => Goal::new(goal.literal, 0),
                    }
                }
                _ => goal,
            };
            let same_time = |other: &&Goal| other.time == goal.time;
            if kept.iter().filter(same_time).any(|other| same_literal(&other.literal, &goal.literal)) {
                continue;
            }
            let is_opposite = |other: &Goal| match (&other.literal, &goal.literal) {
                (Literal::Holds(a), Literal::Not(b)) | (Literal::Not(a), Literal::Holds(b)) => a == b,
                _ => false,
            };
            if kept.iter().filter(same_time).any(is_opposite) {
                return Err(Cut::Impossible);
            }
            kept.push(goal);
        }
        rule.body = kept;
        Ok(())
    }

    /// Whether a condition without variables is among the complete facts.
    fn decided(&self, literal: &Literal) -> Option<bool> {
        let atom = literal.atom()?;
        let is_ground = atom.args.iter().all(|&arg| self.domain.program.terms.is_ground(arg));
        let holds = || self.domain.topology.relation(atom.predicate).contains(&atom.args);
        is_ground.then(|| holds() == matches!(literal, Literal::Holds(_)))
    }

    /// Unifies values that a metarule makes equal; returns whether anything changed.
    fn single_valued(&mut self, rule: &mut Partial) -> Result<bool, Cut> {
        for time in rule.times() {
            let conditions = self.with_consequences(rule, time);
            for metarule in self.knowledge.single_valued_at(time) {
                if let Some((a, b)) = self.forced_pair(metarule, &conditions)? {
                    let mut bindings = Bindings::default();
                    if !bindings.unify(&self.domain.program.terms, a, b) {
                        return Err(Cut::SingleValued);
                    }
                    rule.substitute(&mut self.domain.program.terms, &bindings);
                    self.counts.unified += 1;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Two terms that a metarule makes equal: values of two conditions with one key, or of a condition
    /// and the only fact that has its key.
    fn forced_pair(
        &self,
        metarule: &SingleValued,
        conditions: &[Literal],
    ) -> Result<Option<(TermId, TermId)>, Cut> {
        let is_own = |literal: &&Literal| matches!(literal, Literal::Holds(atom) if atom.predicate == metarule.predicate);
        let atoms: Vec<&Atom> = conditions.iter().filter(is_own).filter_map(Literal::atom).collect();
        let in_key = |column: usize| metarule.key >> column & 1 == 1;
        for (number, a) in atoms.iter().enumerate() {
            for b in &atoms[..number] {
                let same_key =
                    (0..a.args.len()).all(|column| !in_key(column) || a.args[column] == b.args[column]);
                if same_key && a.args[metarule.value] != b.args[metarule.value] {
                    return Ok(Some((a.args[metarule.value], b.args[metarule.value])));
                }
            }
            if self.domain.kind(metarule.predicate) == Kind::Topology
                && let Some(value) = self.value_by_fact(metarule, a)?
                && value != a.args[metarule.value]
            {
                return Ok(Some((value, a.args[metarule.value])));
            }
        }
        Ok(None)
    }

    /// The value that the complete facts give for the key of a condition, if the key is ground.
    fn value_by_fact(&self, metarule: &SingleValued, atom: &Atom) -> Result<Option<TermId>, Cut> {
        let in_key = |column: usize| metarule.key >> column & 1 == 1;
        let terms = &self.domain.program.terms;
        if (0..atom.args.len()).any(|column| in_key(column) && !terms.is_ground(atom.args[column])) {
            return Ok(None);
        }
        let mut rows = self.domain.topology.relation(metarule.predicate).rows().iter();
        let fitting =
            rows.find(|row| (0..row.len()).all(|column| !in_key(column) || row[column] == atom.args[column]));
        match fitting {
            Some(row) => Ok(Some(row[metarule.value])),
            None => Err(Cut::Impossible),
        }
    }

    /// The conditions at a time, and what follows from them by the constraints of the theory.
    fn with_consequences(&mut self, rule: &Partial, time: u8) -> Vec<Literal> {
        let domain = &mut *self.domain;
        let mut all: Vec<Literal> = rule
            .at(time, |literal| is_topology(domain, std::slice::from_ref(literal)))
            .into_iter()
            .cloned()
            .collect();
        for (given, atom) in self.knowledge.facts_that_follow.iter().chain(&self.knowledge.implications) {
            let mut found: Vec<Bindings> = Vec::new();
            {
                let refs: Vec<&Literal> = all.iter().collect();
                let bindings = (&mut Bindings::default(), self.work);
                embed(&domain.program.terms, given, &refs, bindings, &mut |bindings| {
                    found.push(bindings.clone());
                    found.len() > MOST_CONSEQUENCES
                });
            }
            for bindings in found {
                let consequence = instantiate(domain, atom, &bindings).map(Literal::Holds);
                if let Some(consequence) = consequence.filter(|consequence| !all.contains(consequence)) {
                    all.push(consequence);
                }
            }
        }
        all
    }

    fn impossible(&mut self, rule: &mut Partial) -> Result<(), Cut> {
        let topology = {
            let body: Vec<&Literal> = rule.body.iter().map(|goal| &goal.literal).collect();
            topology_part(self.domain, &body)
        };
        let refs: Vec<&Literal> = topology.iter().collect();
        if is_impossible(&self.domain.program.terms, &self.knowledge.topology, &refs, self.work) {
            return Err(Cut::Impossible);
        }
        for part in connected_parts(&self.domain.program.terms, &refs) {
            let part: Vec<Literal> = part.into_iter().map(|place| topology[place].clone()).collect();
            if !self.knowledge.can_match(self.domain, &part, self.work) {
                return Err(Cut::Impossible);
            }
        }
        for time in rule.times() {
            let conditions = self.with_consequences(rule, time);
            let refs: Vec<&Literal> = conditions.iter().collect();
            let is_cut = |pattern: &crate::metarules::Pattern| {
                contains(&self.domain.program.terms, &pattern.literals, &refs, self.work)
            };
            if self.knowledge.states.iter().any(is_cut) {
                return Err(Cut::Impossible);
            }
            let (useless, work) = (&self.knowledge.useless, self.work);
            let assumptions = Assumptions { literals: &refs, useless, variables: rule.variables, work };
            let is_over = self.never_now.filter(|_| time == 0).is_some_and(|terminal| {
                let goal = Literal::Holds(Atom { predicate: terminal, args: Box::new([]) });
                provable(self.domain, &assumptions, &goal)
            });
            if is_over {
                return Err(Cut::Impossible);
            }
            for literal in &refs {
                let Literal::Not(atom) = literal else { continue };
                if provable(self.domain, &assumptions, &Literal::Holds(atom.clone())) {
                    return Err(Cut::Impossible);
                }
            }
        }
        Ok(())
    }

    /// Removes conditions that follow from the others by a cheap proof.
    fn useless(&mut self, rule: &mut Partial) {
        let mut place = 0;
        while place < rule.body.len() {
            if self.work.work(self.work_of(rule) / 4).is_err() {
                return;
            }
            let goal = rule.body.remove(place);
            if self.follows_quickly(rule, &goal) {
                self.counts.useless += 1;
            } else {
                rule.body.insert(place, goal);
                place += 1;
            }
        }
    }

    /// Whether a condition follows from the others by a known metarule, by a constraint, or by the rules.
    fn follows_quickly(&mut self, rule: &Partial, goal: &Goal) -> bool {
        let is_static = is_topology(self.domain, std::slice::from_ref(&goal.literal));
        if is_static {
            let body: Vec<&Literal> = rule.body.iter().map(|goal| &goal.literal).collect();
            let topology = topology_part(self.domain, &body);
            let open = self.with_private_variables_open(rule, &goal.literal);
            let known = &self.knowledge.useless;
            return is_useless(
                &self.domain.program.terms,
                known,
                &topology,
                &open,
                rule.variables,
                self.work,
            );
        }
        let Literal::Holds(atom) = &goal.literal else { return false };
        let kind = self.domain.kind(atom.predicate);
        if kind == Kind::Does {
            return false;
        }
        let conditions = self.with_consequences(rule, goal.time);
        let refs: Vec<&Literal> = conditions.iter().collect();
        let open = self.with_private_variables_open(rule, &goal.literal);
        let (useless, work) = (&self.knowledge.useless, self.work);
        let assumptions = Assumptions { literals: &refs, useless, variables: rule.variables, work };
        provable(self.domain, &assumptions, &open)
    }

    /// A condition whose private variables, which occur nowhere else in the rule, are replaced by unfrozen ones.
    fn with_private_variables_open(&mut self, rule: &Partial, literal: &Literal) -> Literal {
        let terms = &mut self.domain.program.terms;
        let mut shared: Vec<VariableId> = Vec::new();
        rule.outside()
            .iter()
            .for_each(|&term| terms.for_each_variable(term, &mut |variable| shared.push(variable)));
        rule.body.iter().for_each(|goal| shared.extend(variables_of(terms, &goal.literal)));
        let mut open = Bindings::default();
        for variable in variables_of(terms, literal) {
            if !shared.contains(&variable) {
                let old = terms.variable(variable);
                let new = shift(terms, old, rule.variables);
                open.bind(variable, new);
            }
        }
        crate::metarules::terms::map_literal(literal, |term| open.apply(terms, term))
    }

    /// Removes conditions on complete facts that follow from the others, by matching.
    fn useless_topology(&mut self, rule: &mut Partial) {
        let mut place = rule.body.len();
        while place > 0 && !self.work.are_over() {
            place -= 1;
            let goal = rule.body.remove(place);
            let follows = is_topology(self.domain, std::slice::from_ref(&goal.literal)) && {
                let body: Vec<&Literal> = rule.body.iter().map(|goal| &goal.literal).collect();
                let given = topology_part(self.domain, &body);
                let open = self.with_private_variables_open(rule, &goal.literal);
                self.binds(rule, &given, &open)
                    && self.knowledge.follows(self.domain, &given, &open, (rule.variables, self.work))
            };
            if follows {
                self.counts.useless += 1;
            } else {
                rule.body.insert(place, goal);
            }
        }
    }

    /// Removes tests for difference whose terms cannot be equal: unified, they make the rule impossible.
    fn useless_differences(&mut self, rule: &mut Partial) {
        let mut place = rule.body.len();
        while place > 0 && !self.work.are_over() {
            place -= 1;
            let Literal::Distinct(a, b) = rule.body[place].literal else { continue };
            let mut equal = rule.clone();
            equal.body.remove(place);
            let mut bindings = Bindings::default();
            if !bindings.unify(&self.domain.program.terms, a, b) {
                continue;
            }
            equal.substitute(&mut self.domain.program.terms, &bindings);
            if self.cautious().simplify(&mut equal).is_err() {
                rule.body.remove(place);
                self.counts.useless += 1;
            }
        }
    }

    /// The same metarules without those that drop conditions, for lookahead.
    fn cautious(&mut self) -> Simplifier<'_> {
        Simplifier {
            domain: self.domain,
            knowledge: self.knowledge,
            kinds: Kinds { useless: false, ..self.kinds },
            counts: self.counts,
            never_now: self.never_now,
            work: self.work,
        }
    }

    /// Whether what is given binds all variables of a condition but its private ones.
    fn binds(&self, rule: &Partial, given: &[Literal], condition: &Literal) -> bool {
        let terms = &self.domain.program.terms;
        let bound: Vec<VariableId> = given.iter().flat_map(|literal| variables_of(terms, literal)).collect();
        let is_private = |variable: &VariableId| variable.0 >= rule.variables;
        variables_of(terms, condition).iter().all(|variable| is_private(variable) || bound.contains(variable))
    }

    /// Removes negated views that cannot hold together with the other conditions.
    fn useless_negations(&mut self, rule: &mut Partial) {
        let mut place = 0;
        while place < rule.body.len() && !self.work.are_over() {
            let goal = rule.body.remove(place);
            let needed = match &goal.literal {
                Literal::Not(atom) => self.can_hold_with(rule, atom, goal.time, NESTED_VIEWS),
                _ => true,
            };
            if needed {
                rule.body.insert(place, goal);
                place += 1;
            } else {
                self.counts.useless += 1;
            }
        }
    }

    /// Whether an atom may hold together with the conditions of a rule; unfolds views to find out.
    fn can_hold_with(&mut self, rule: &Partial, atom: &Atom, time: u8, depth: u32) -> bool {
        let mut with_atom = rule.clone();
        with_atom.body.push(Goal::new(Literal::Holds(atom.clone()), time));
        let mut inner = self.cautious();
        if inner.simplify(&mut with_atom).is_err() {
            return false;
        }
        let Some(Goal { literal: Literal::Holds(atom), .. }) = with_atom.body.pop() else { return true };
        if depth == 0 || !inner.domain.can_be_unfolded(atom.predicate) {
            return true;
        }
        let rules = inner.domain.rules(atom.predicate).to_vec();
        let work = inner.work;
        rules.iter().any(|definition| {
            if work.step().is_err() {
                return true;
            }
            let definition = definition.renamed(&mut inner.domain.program.terms, with_atom.variables);
            let mut bindings = Bindings::default();
            let terms = &inner.domain.program.terms;
            let mut pairs = definition.head.args.iter().zip(&atom.args);
            if !pairs.all(|(&a, &b)| bindings.unify(terms, a, b)) {
                return false;
            }
            let mut unfolded = with_atom.clone();
            unfolded.body.extend(definition.body.iter().map(|literal| Goal::new(literal.clone(), time)));
            unfolded.substitute(&mut inner.domain.program.terms, &bindings);
            if inner.simplify(&mut unfolded).is_err() {
                return false;
            }
            let last = unfolded.body.iter().rev().find_map(|goal| match &goal.literal {
                Literal::Holds(atom) if inner.domain.can_be_unfolded(atom.predicate) => {
                    Some((atom.clone(), goal.time))
                }
                _ => None,
            });
            last.is_none_or(|(atom, time)| inner.can_hold_with(&unfolded, &atom, time, depth - 1))
        })
    }

    /// Cuts the rule if one of its views cannot hold together with the other conditions.
    fn views(&mut self, rule: &Partial) -> Result<(), Cut> {
        for (place, goal) in rule.body.iter().enumerate() {
            let Literal::Holds(atom) = &goal.literal else { continue };
            if self.domain.can_be_unfolded(atom.predicate) {
                let mut rest = rule.clone();
                rest.body.remove(place);
                if !self.can_hold_with(&rest, atom, goal.time, NESTED_VIEWS) {
                    return Err(Cut::Impossible);
                }
            }
        }
        Ok(())
    }
}

/// Limit: the consequences of one constraint in one rule. A guess.
const MOST_CONSEQUENCES: usize = 64;

/// How deeply views are unfolded to see whether conditions can hold together. A guess: each level multiplies the work.
const NESTED_VIEWS: u32 = 3;

/// An atom of a metarule in the variables of the rule that it was found in.
fn instantiate(domain: &mut Domain, atom: &Atom, bindings: &Bindings) -> Option<Atom> {
    use grundy_syntax::Term;
    let mut complete = true;
    let atom = map_atom(atom, |term| match domain.program.terms.get(term) {
        Term::Variable(variable) => bindings.get(variable).unwrap_or_else(|| {
            complete = false;
            term
        }),
        // Functions with variables do not occur in the metarules that are used here.
        _ => {
            complete &= domain.program.terms.is_ground(term);
            term
        }
    });
    complete.then_some(atom)
}
