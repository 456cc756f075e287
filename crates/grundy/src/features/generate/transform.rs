//! From one candidate to others.

use super::GenerateConfig;
use super::candidate::Candidate;
use crate::analysis::{Analysis, Class, classify};
use crate::metarules::{Bindings, map_literal, shift, variables_of};
use grundy_syntax::{Atom, Dialect, Keyword, Literal, PredicateId, Program, Rule, Term, TermId, VariableId};
use rustc_hash::FxHashSet;

/// How many transformations lie between a rule and a feature, at most.
const MOST_STEPS: u32 = 5;

/// A feature has no more variables than this.
const MOST_VARIABLES: u32 = 8;

/// A variable is specialised if it has no more values than this.
const MOST_VALUES: usize = 8;

pub(super) struct Transformer<'a> {
    pub(super) program: Program,
    analysis: Analysis,
    config: &'a GenerateConfig,
    /// Static predicates with one argument and few facts: what a variable can be specialised to.
    kinds: Vec<(PredicateId, Vec<TermId>)>,
}

impl<'a> Transformer<'a> {
    pub(super) fn new(program: &Program, config: &'a GenerateConfig) -> Transformer<'a> {
        let analysis = classify(program);
        let mut kinds = Vec::new();
        for (predicate, info) in program.predicates().filter(|(_, info)| info.arity == 1) {
            let rules: Vec<&Rule> =
                program.rules.iter().filter(|rule| rule.head.predicate == predicate).collect();
            let is_kind =
                rules.iter().all(|rule| rule.body.is_empty()) && (1..=MOST_VALUES).contains(&rules.len());
            let is_plain = info.keyword.is_none() || info.keyword == Some(Keyword::Role);
            if is_kind && is_plain {
                kinds.push((predicate, rules.iter().map(|rule| rule.head.args[0]).collect()));
            }
        }
        Transformer { program: program.clone(), analysis, config, kinds }
    }

    fn keyword(&self, predicate: PredicateId) -> Option<Keyword> {
        self.program.info(predicate).keyword
    }

    /// Whether the state decides about a condition, and the moves do not.
    fn depends_on_state(&self, literal: &Literal) -> bool {
        literal.atom().is_some_and(|atom| self.class(atom.predicate) == Class::State)
    }

    fn class(&self, predicate: PredicateId) -> Class {
        match self.keyword(predicate) {
            Some(Keyword::True) => Class::State,
            Some(Keyword::Does) => Class::Move,
            _ => self.analysis.class(predicate),
        }
    }

    /// The bodies of the rules that features begin with: goals, ends and legal moves of a game, all views of a theory.
    pub(super) fn seeds(&mut self) -> Vec<Candidate> {
        let is_seed = |rule: &&Rule| match self.program.dialect {
            Dialect::Game => {
                matches!(
                    self.keyword(rule.head.predicate),
                    Some(Keyword::Goal | Keyword::Legal | Keyword::Terminal)
                )
            }
            Dialect::Theory => self.analysis.class(rule.head.predicate) == Class::State,
        };
        let rules: Vec<Rule> = self.program.rules.iter().filter(is_seed).cloned().collect();
        let mut seeds = Vec::new();
        for rule in rules {
            let name = self.program.name(rule.head.predicate).to_owned();
            let body: Vec<Literal> = rule.literals().cloned().collect();
            seeds.push(Candidate::new(&mut self.program.terms, &body, None, (name.clone(), 0)));
            // The head itself: how many moves there are.
            if self.keyword(rule.head.predicate) != Some(Keyword::Goal) {
                let head = Literal::Holds(rule.head);
                seeds.push(Candidate::new(&mut self.program.terms, &[head], None, (name, 0)));
            }
        }
        seeds.retain(|seed| self.is_wanted(seed));
        seeds
    }

    /// Whether a candidate can be valued, and is worth it.
    pub(super) fn is_feature(&self, candidate: &Candidate) -> bool {
        let terms = &self.program.terms;
        candidate.is_sound(terms)
            && candidate.variables <= MOST_VARIABLES
            && candidate.body.iter().any(|literal| self.depends_on_state(literal))
    }

    /// Whether to go on with a candidate at all.
    fn is_wanted(&self, candidate: &Candidate) -> bool {
        let by_moves =
            |literal: &Literal| literal.atom().is_some_and(|atom| self.class(atom.predicate) == Class::Move);
        candidate.body.len() <= self.config.max_conditions
            && candidate.body.iter().any(|literal| self.depends_on_state(literal))
            && !candidate.body.iter().any(by_moves)
    }

    /// Everything that one step makes of a candidate.
    pub(super) fn transformed(&mut self, candidate: &Candidate) -> Vec<Candidate> {
        if candidate.depth >= MOST_STEPS {
            return Vec::new();
        }
        let mut found = self.taken_apart(candidate);
        found.append(&mut self.dropped(candidate));
        found.append(&mut self.specialised(candidate));
        found.append(&mut self.expanded(candidate));
        found.append(&mut self.regressed(candidate));
        found.append(&mut self.counted(candidate));
        found.retain(|one| self.is_wanted(one));
        found
    }

    fn step(&mut self, from: &Candidate, body: &[Literal], what: &str) -> Candidate {
        let origin = (format!("{}, {what}", from.origin), from.depth + 1);
        Candidate::new(&mut self.program.terms, body, None, origin)
    }

    /// Each condition about the state alone, with the static conditions that share its variables.
    fn taken_apart(&mut self, candidate: &Candidate) -> Vec<Candidate> {
        let mut found = Vec::new();
        for literal in candidate.body.iter().filter(|literal| self.depends_on_state(literal)) {
            let own: FxHashSet<VariableId> = variables_of(&self.program.terms, literal).into_iter().collect();
            let shares = |other: &&Literal| {
                let is_static = !self.depends_on_state(other) && matches!(other, Literal::Holds(_));
                is_static
                    && variables_of(&self.program.terms, other).iter().any(|variable| own.contains(variable))
            };
            let with: Vec<Literal> = candidate.body.iter().filter(shares).cloned().collect();
            found.push(vec![literal.clone()]);
            found.push([std::slice::from_ref(literal), &with[..]].concat());
        }
        found.iter().map(|body| self.step(candidate, body, "taken apart")).collect()
    }

    /// One condition less.
    fn dropped(&mut self, candidate: &Candidate) -> Vec<Candidate> {
        let all = 0..candidate.body.len();
        let without = |place: usize| {
            let rest = candidate.body.iter().enumerate().filter(|(number, _)| *number != place);
            rest.map(|(_, literal)| literal.clone()).collect::<Vec<_>>()
        };
        all.map(|place| self.step(candidate, &without(place), "generalised")).collect()
    }

    /// A variable of a known kind becomes each of its values.
    fn specialised(&mut self, candidate: &Candidate) -> Vec<Candidate> {
        let mut found = Vec::new();
        for literal in &candidate.body {
            let Literal::Holds(atom) = literal else { continue };
            let Some(values) = self.values_of(atom) else { continue };
            for (variable, value) in values {
                let mut bindings = Bindings::default();
                bindings.bind(variable, value);
                let terms = &mut self.program.terms;
                let bound = candidate.body.iter();
                let bound = bound.map(|literal| map_literal(literal, |term| bindings.apply(terms, term)));
                let mut body: Vec<Literal> = bound.collect();
                // That a value is of its kind need not be said.
                let has_variable = |literal: &Literal| !variables_of(&self.program.terms, literal).is_empty();
                body.retain(|literal| has_variable(literal) || self.depends_on_state(literal));
                found.push(body);
            }
        }
        found.iter().map(|body| self.step(candidate, body, "specialised")).collect()
    }

    /// The values that a variable of this condition can be specialised to.
    fn values_of(&self, atom: &Atom) -> Option<Vec<(VariableId, TermId)>> {
        let takes_role = self.keyword(atom.predicate).is_some_and(Keyword::takes_role);
        let of_kind =
            self.kinds.iter().find(|(kind, _)| *kind == atom.predicate).map(|(_, values)| values.clone());
        let values = of_kind.or_else(|| takes_role.then(|| self.program.roles()))?;
        let Term::Variable(variable) = self.program.terms.get(*atom.args.first()?) else { return None };
        Some(values.into_iter().map(|value| (variable, value)).collect())
    }

    /// A view becomes the conditions of one of its rules.
    fn expanded(&mut self, candidate: &Candidate) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (place, literal) in candidate.body.iter().enumerate() {
            let Literal::Holds(atom) = literal else { continue };
            if self.keyword(atom.predicate) == Some(Keyword::True) || !self.depends_on_state(literal) {
                continue;
            }
            let rules: Vec<Rule> = self
                .program
                .rules
                .iter()
                .filter(|rule| rule.head.predicate == atom.predicate)
                .cloned()
                .collect();
            for rule in rules {
                let pairs = atom.args.iter().copied().zip(rule.head.args.iter().copied()).collect();
                let body: Vec<Literal> = rule.literals().cloned().collect();
                found.extend(self.replaced(candidate, place, pairs, &body));
            }
        }
        found.iter().map(|body| self.step(candidate, body, "expanded")).collect()
    }

    /// The conditions with one replaced by those of a rule, whose variables are made different, after the pairs of terms
    /// are made equal.
    fn replaced(
        &mut self,
        candidate: &Candidate,
        place: usize,
        pairs: Vec<(TermId, TermId)>,
        body: &[Literal],
    ) -> Option<Vec<Literal>> {
        let terms = &mut self.program.terms;
        let offset = candidate.variables;
        let mut bindings = Bindings::default();
        for (own, other) in pairs {
            let other = shift(terms, other, offset);
            if !bindings.unify(terms, own, other) {
                return None;
            }
        }
        let kept =
            candidate.body.iter().enumerate().filter(|(number, _)| *number != place).map(|(_, l)| l.clone());
        let new: Vec<Literal> =
            body.iter().map(|literal| map_literal(literal, |term| shift(terms, term, offset))).collect();
        let all: Vec<Literal> = kept.chain(new).collect();
        Some(all.iter().map(|literal| map_literal(literal, |term| bindings.apply(terms, term))).collect())
    }

    /// A fact becomes the conditions under which a legal move makes it true.
    fn regressed(&mut self, candidate: &Candidate) -> Vec<Candidate> {
        let (Some(next), Some(does)) =
            (self.program.keyword(Keyword::Next), self.program.keyword(Keyword::Does))
        else {
            return Vec::new();
        };
        let legal = self.program.predicate(Keyword::Legal.name(), 2);
        let mut found = Vec::new();
        for (place, literal) in candidate.body.iter().enumerate() {
            let Literal::Holds(atom) = literal else { continue };
            if self.keyword(atom.predicate) != Some(Keyword::True) {
                continue;
            }
            let rules: Vec<Rule> =
                self.program.rules.iter().filter(|rule| rule.head.predicate == next).cloned().collect();
            for rule in rules {
                let may_be = |literal: &Literal| match literal {
                    Literal::Holds(atom) if atom.predicate == does => {
                        Literal::Holds(Atom { predicate: legal, args: atom.args.clone() })
                    }
                    other => other.clone(),
                };
                let body: Vec<Literal> = rule.literals().map(may_be).collect();
                let is_move = rule.literals().filter_map(Literal::atom).any(|atom| atom.predicate == does);
                if is_move {
                    let pairs = vec![(atom.args[0], rule.head.args[0])];
                    found.extend(self.replaced(candidate, place, pairs, &body));
                }
            }
        }
        found.iter().map(|body| self.step(candidate, body, "regressed over a move")).collect()
    }

    /// One variable is counted instead of all.
    fn counted(&mut self, candidate: &Candidate) -> Vec<Candidate> {
        if candidate.counted.len() < 2 || !candidate.is_sound(&self.program.terms) {
            return Vec::new();
        }
        let one = |variable: &u32| {
            let origin = (format!("{}, counted by one variable", candidate.origin), MOST_STEPS);
            Candidate::new(&mut self.program.terms, &candidate.body, Some(&[*variable]), origin)
        };
        candidate.counted.iter().map(one).collect()
    }
}
