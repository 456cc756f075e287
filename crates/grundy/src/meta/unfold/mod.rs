//! Unfolding: from a goal to rules that say, in the state before some moves, when it will be reached.
//!
//! A goal is replaced by the conditions of a rule that concludes it; a fact that has to hold after a move,
//! by the conditions under which the move makes it true. This is repeated until all conditions can be asked
//! before the moves. After *every* step the metarules are applied: most of what plain unfolding makes can
//! never fire, and to cut it at once is what makes unfolding feasible at all.
//!
//! The result is exact. A rule fires in a state, with moves that are legal, if and only if the goal holds
//! after them; conditions that cannot be regressed piece by piece get auxiliary predicates, whose rules are
//! part of the result.

mod count;
mod knowledge;
mod negation;
mod partial;
mod prove;
mod simplify;

pub use count::{Count, count_unfolded};

use super::clause::Clause;
use super::domain::{Domain, Kind};
use super::limits::{Budget, MetaError, deadline_after};
use super::ordering::{Ordering, variables_in};
use super::pattern::{contains, is_variant, reading_order, signature};
use super::single_valued::SingleValued;
use super::terms::Bindings;
use super::useless::Useless;
use super::{Metarules, Pattern};
use grundy_syntax::{Atom, Dialect, Keyword, Literal, PredicateId, TermId, VariableId};
use knowledge::Knowledge;
use negation::{Escape, Negation};
use partial::{Goal, Partial};
use rustc_hash::{FxHashMap, FxHashSet};
use simplify::{Cut, Simplifier};
use std::time::Duration;

/// The kinds of metarules, each in use or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// Rules with impossible conditions are cut.
    pub impossible: bool,
    /// What has to be equal is unified.
    pub single_valued: bool,
    /// Conditions that follow from others are left out.
    pub useless: bool,
    /// Conditions are put in order.
    pub ordering: bool,
}

impl Default for Kinds {
    fn default() -> Kinds {
        Kinds { impossible: true, single_valued: true, useless: true, ordering: true }
    }
}

/// How to unfold, and how far.
#[derive(Clone, Copy, Debug)]
pub struct UnfoldConfig {
    /// How many moves lie before the goal.
    pub moves: u8,
    /// Which metarules are applied.
    pub kinds: Kinds,
    /// Whether views of the state before the moves are unfolded, too, as far as they are not recursive;
    /// otherwise they stay conditions.
    pub unfold_views: bool,
    /// A rule with more conditions than this is given up, and the result is not complete.
    pub max_conditions: usize,
    /// Limit: how many rules may be made.
    pub max_rules: usize,
    /// Limit: how many steps unfolding may take.
    pub max_steps: u64,
    /// Limit: how long it may take.
    pub timeout: Option<Duration>,
}

impl Default for UnfoldConfig {
    fn default() -> UnfoldConfig {
        UnfoldConfig {
            moves: 1,
            kinds: Kinds::default(),
            unfold_views: true,
            max_conditions: 60,
            max_rules: 20_000,
            max_steps: 1_000_000,
            timeout: Some(Duration::from_secs(60)),
        }
    }
}

/// What the metarules did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Steps of unfolding.
    pub steps: u64,
    /// Rules that were cut because conditions are impossible.
    pub impossible: u64,
    /// Rules that were cut because two values cannot be one.
    pub single_valued: u64,
    /// Unifications of values that have to be equal.
    pub unified: u64,
    /// Conditions that were left out.
    pub useless: u64,
    /// Rules that repeated another one, or were a special case of another one.
    pub duplicates: u64,
    /// Rules that were given up because they had too many conditions.
    pub too_long: u64,
}

impl Counts {
    /// Adds the counts of another unfolding.
    pub fn add(&mut self, other: &Counts) {
        self.steps += other.steps;
        self.impossible += other.impossible;
        self.single_valued += other.single_valued;
        self.unified += other.unified;
        self.useless += other.useless;
        self.duplicates += other.duplicates;
        self.too_long += other.too_long;
    }
}

/// A goal: what has to hold after the moves, and what the rules conclude.
#[derive(Clone, Debug)]
pub struct Target {
    /// The predicate that the rules define.
    pub head: PredicateId,
    /// Its arguments.
    pub args: Vec<TermId>,
    /// Which moves are arguments of the head, too, by time and player.
    pub shown_moves: Vec<(u8, usize)>,
    /// What has to hold, and after how many moves.
    pub goals: Vec<(Literal, u8)>,
    /// Variables are numbered below this.
    pub variables: u32,
}

/// The rules that unfolding made.
#[derive(Clone, Debug, Default)]
pub struct Unfolding {
    /// The rules of the goal.
    pub rules: Vec<Clause>,
    /// The rules of auxiliary predicates.
    pub auxiliary: Vec<Clause>,
    /// What the metarules did.
    pub counts: Counts,
    /// Whether no rule had to be given up.
    pub complete: bool,
    /// Impossible patterns that were found on the way, minimal.
    pub impossible: Vec<Pattern>,
    /// Useless conditions that were found on the way.
    pub useless: Vec<Useless>,
}

/// The same goal by one of its rules at a time, if it is a single view.
pub fn split_by_rules(domain: &mut Domain, target: &Target) -> Vec<Target> {
    let [(Literal::Holds(atom), time)] = &target.goals[..] else { return vec![target.clone()] };
    let mut targets = Vec::new();
    for rule in domain.rules(atom.predicate).to_vec() {
        let terms = &mut domain.program.terms;
        let rule = rule.renamed(terms, target.variables);
        let mut bindings = Bindings::default();
        if !rule.head.args.iter().zip(&atom.args).all(|(&a, &b)| bindings.unify(terms, a, b)) {
            continue;
        }
        let args = target.args.iter().map(|&arg| bindings.apply(terms, arg)).collect();
        let apply = |literal: &Literal, terms: &mut grundy_syntax::Terms| {
            super::terms::map_literal(literal, |term| bindings.apply(terms, term))
        };
        let goals = rule.body.iter().map(|literal| (apply(literal, terms), *time)).collect();
        let variables = target.variables + rule.variables;
        targets.push(Target { args, goals, variables, ..target.clone() });
    }
    targets
}

/// Unfolds a goal. Dependencies of fluents that were proved elsewhere can be given.
pub fn unfold(
    domain: &mut Domain,
    target: &Target,
    metarules: Option<&Metarules>,
    proved: &[SingleValued],
    config: &UnfoldConfig,
) -> Result<Unfolding, MetaError> {
    let mut knowledge = Knowledge::new(domain, metarules);
    knowledge.single_valued.extend(proved.iter().copied());
    let (known_impossible, known_useless) = (knowledge.topology.len(), knowledge.useless.len());
    let budget = Budget::new(config.max_steps, deadline_after(config.timeout));
    let ordering =
        metarules.filter(|_| config.kinds.ordering).map(|metarules| Ordering::new(&metarules.branching));
    let mut unfolder = Unfolder {
        knowledge,
        config,
        budget,
        counts: Counts::default(),
        unfolded: target.goals.iter().filter_map(|(literal, _)| Some(literal.atom()?.predicate)).collect(),
        auxiliaries: Vec::new(),
        ordering,
        domain,
    };
    let main = unfolder.main_rule(target);
    let shown = |rule: &Partial, players: usize| -> Vec<TermId> {
        let moves =
            target.shown_moves.iter().map(|&(time, player)| rule.moves[usize::from(time) * players + player]);
        rule.head.iter().copied().chain(moves).collect()
    };
    let mut result =
        Unfolding { rules: unfolder.run(vec![main], target.head, &shown)?, ..Unfolding::default() };
    let mut done = 0;
    while let Some(auxiliary) = unfolder.auxiliaries.get(done).cloned() {
        done += 1;
        let starts = unfolder.auxiliary_rules(&auxiliary);
        let all = |rule: &Partial, _: usize| rule.outside();
        result.auxiliary.extend(unfolder.run(starts, auxiliary.predicate, &all)?);
    }
    result.complete = unfolder.counts.too_long == 0;
    result.counts = unfolder.counts;
    result.impossible = unfolder.knowledge.topology.split_off(known_impossible);
    result.useless = unfolder.knowledge.useless.split_off(known_useless);
    Ok(result)
}

/// A predicate that stands for an atom at a later time: what makes it true, asked before the moves.
#[derive(Clone, Debug)]
struct Auxiliary {
    predicate: PredicateId,
    atom: Atom,
    time: u8,
    /// The arguments (those of the atom, and the moves), with what is known of them where the
    /// predicate is asked for.
    context: Partial,
}

/// The arguments of a rule's head.
type Shown<'s> = &'s dyn Fn(&Partial, usize) -> Vec<TermId>;

struct Unfolder<'a> {
    domain: &'a mut Domain,
    knowledge: Knowledge,
    config: &'a UnfoldConfig,
    budget: Budget,
    counts: Counts,
    /// Recursive predicates that are unfolded all the same, until rules are too long: the goal's own.
    unfolded: FxHashSet<PredicateId>,
    auxiliaries: Vec<Auxiliary>,
    ordering: Option<Ordering>,
}

impl Unfolder<'_> {
    /// The rule to begin with: the goal, and that the moves are legal.
    fn main_rule(&mut self, target: &Target) -> Partial {
        let count = usize::from(self.config.moves) * self.domain.players();
        let mut rule = Partial {
            head: target.args.clone(),
            moves: self.fresh(target.variables, count),
            body: target.goals.iter().map(|(literal, time)| Goal::new(literal.clone(), *time)).collect(),
            variables: target.variables + count as u32,
        };
        rule.body.extend(self.legal_goals(&rule.moves));
        rule
    }

    fn fresh(&mut self, first: u32, count: usize) -> Vec<TermId> {
        (0..count as u32).map(|place| self.domain.program.terms.variable(VariableId(first + place))).collect()
    }

    /// That moves are legal in the states in which they are made, and that the game goes on before the last.
    fn legal_goals(&mut self, moves: &[TermId]) -> Vec<Goal> {
        let Some(legal) = self.domain.legal else { return Vec::new() };
        let players = self.domain.players();
        let mut goals = Vec::new();
        for (place, &made) in moves.iter().enumerate() {
            let args: Box<[TermId]> = match self.domain.program.dialect {
                Dialect::Theory => Box::new([made]),
                Dialect::Game => Box::new([self.domain.roles[place % players], made]),
            };
            let time = (place / players) as u8;
            goals.push(Goal::new(Literal::Holds(Atom { predicate: legal, args }), time));
        }
        let times = moves.len().checked_div(players).unwrap_or(0);
        if let Some(terminal) = self.domain.program.keyword(Keyword::Terminal) {
            let atom = Atom { predicate: terminal, args: Box::new([]) };
            goals.extend((1..times as u8).map(|time| Goal::new(Literal::Not(atom.clone()), time)));
        }
        goals
    }

    /// Unfolds rules until nothing is left to unfold.
    fn run(
        &mut self,
        starts: Vec<Partial>,
        head: PredicateId,
        shown: Shown<'_>,
    ) -> Result<Vec<Clause>, MetaError> {
        let mut results = Results::default();
        let mut finished = Seen::default();
        let mut work: Vec<Partial> =
            starts.into_iter().rev().filter_map(|rule| self.simplified(rule)).collect();
        while let Some(rule) = work.pop() {
            self.budget.step().map_err(|_| self.out_of_budget())?;
            self.counts.steps += 1;
            if rule.body.len() > self.config.max_conditions {
                self.counts.too_long += 1;
                continue;
            }
            match self.expand(&rule)? {
                Some(next) => {
                    let next: Vec<Partial> =
                        next.into_iter().filter_map(|rule| self.simplified(rule)).collect();
                    work.extend(next.into_iter().rev());
                }
                None if finished.contains(self, &rule) => self.counts.duplicates += 1,
                None => {
                    if let Some(clause) = self.finish(rule, head, shown) {
                        results.insert(self, clause);
                    }
                    if results.clauses.len() > self.config.max_rules {
                        let what = format!("more than {} rules", self.config.max_rules);
                        return Err(MetaError::limit("rules", what));
                    }
                }
            }
        }
        Ok(results.without_special_cases(self))
    }

    fn out_of_budget(&self) -> MetaError {
        match self.budget.is_late() {
            true => MetaError::limit("timeout", "unfolding takes too long"),
            false => MetaError::limit("steps", format!("more than {} steps", self.config.max_steps)),
        }
    }

    /// Applies the metarules; nothing is left of a rule that is cut.
    fn simplified(&mut self, mut rule: Partial) -> Option<Partial> {
        let result = self.simplifier().simplify(&mut rule);
        self.count_cut(result).then_some(rule)
    }

    fn count_cut(&mut self, result: Result<(), Cut>) -> bool {
        match result {
            Ok(()) => return true,
            Err(Cut::Impossible) => self.counts.impossible += 1,
            Err(Cut::SingleValued) => self.counts.single_valued += 1,
        }
        false
    }

    fn simplifier(&mut self) -> Simplifier<'_> {
        Simplifier {
            never_now: self.domain.program.keyword(Keyword::Terminal).filter(|_| self.config.moves > 0),
            domain: self.domain,
            knowledge: &mut self.knowledge,
            kinds: self.config.kinds,
            counts: &mut self.counts,
        }
    }

    /// The rule of a finished unfolding.
    fn finish(&mut self, mut rule: Partial, head: PredicateId, shown: Shown<'_>) -> Option<Clause> {
        let result = self.simplifier().finish(&mut rule);
        if !self.count_cut(result) {
            return None;
        }
        let args = shown(&rule, self.domain.players());
        let body: Vec<Literal> = rule.body.into_iter().map(|goal| goal.literal).collect();
        let body = self.put_in_order(&args, body);
        let head = Atom { predicate: head, args: args.into() };
        Some(Clause::new(&mut self.domain.program.terms, &head, &body))
    }

    /// Orders conditions by branching figures; without any, so that they read well.
    fn put_in_order(&mut self, args: &[TermId], body: Vec<Literal>) -> Vec<Literal> {
        if !self.config.kinds.ordering {
            return body;
        }
        let terms = &mut self.domain.program.terms;
        let Some(ordering) = &self.ordering else { return reading_order(terms, args, &body) };
        let bound = match self.config.moves {
            0 => variables_in(terms, args),
            _ => Vec::new(),
        };
        let order = ordering.order(terms, &body, &bound);
        order.into_iter().map(|place| body[place].clone()).collect()
    }

    /// How many times of moves a condition depends on.
    fn levels(&self, goal: &Goal) -> u8 {
        let Some(atom) = goal.literal.atom() else { return 0 };
        match self.domain.kind(atom.predicate) {
            Kind::Topology => 0,
            Kind::Does => goal.time + 1,
            _ if self.domain.depends_on_moves(atom.predicate) => goal.time + 1,
            _ => goal.time,
        }
    }

    /// Replaces one condition by all that it can come from; `None` if all conditions stay as they are.
    fn expand(&mut self, rule: &Partial) -> Result<Option<Vec<Partial>>, MetaError> {
        let Some(place) = self.select(rule) else { return Ok(None) };
        let mut rest = rule.clone();
        let goal = rest.body.remove(place);
        Ok(Some(match &goal.literal {
            Literal::Holds(atom) if self.domain.kind(atom.predicate) == Kind::Does => {
                self.made(&rest, atom, goal.time)
            }
            Literal::Holds(atom) if self.is_unfoldable(atom, goal.time) => {
                let definitions = self.definitions(atom, goal.time);
                definitions
                    .into_iter()
                    .filter_map(|(body, time)| self.resolve(&rest, atom, &body, time))
                    .collect()
            }
            Literal::Holds(atom) => vec![self.with_auxiliary(rest, atom, goal.time, true)],
            Literal::Not(atom) => match self.negation(&rest, atom, goal.time) {
                Negation::Escapes(lists) => self.escape(&rest, &lists),
                Negation::Auxiliary => vec![self.with_auxiliary(rest, atom, goal.time, false)],
            },
            Literal::Distinct(..) => vec![rest],
        }))
    }

    /// The condition to unfold next: moves first, then the one that has the fewest definitions, what must
    /// not hold last.
    fn select(&mut self, rule: &Partial) -> Option<usize> {
        let mut best: Option<(usize, usize)> = None;
        for (place, goal) in rule.body.iter().enumerate() {
            let cost = match &goal.literal {
                Literal::Distinct(..) => continue,
                Literal::Holds(atom) if self.domain.kind(atom.predicate) == Kind::Does => 0,
                Literal::Not(_) if self.levels(goal) == 0 => continue,
                Literal::Not(_) => usize::MAX - 1,
                Literal::Holds(atom) => match self.levels(goal) {
                    0 if !self.unfolds_now(atom) => continue,
                    _ if !self.is_unfoldable(atom, goal.time) => usize::MAX - 2,
                    _ => 1 + self.alternatives(rule, atom, goal.time),
                },
            };
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// Whether a condition on the state before the moves is unfolded further.
    fn unfolds_now(&self, atom: &Atom) -> bool {
        if self.domain.kind(atom.predicate) != Kind::View || self.is_auxiliary(atom.predicate) {
            return false;
        }
        if self.unfolded.contains(&atom.predicate) {
            return true;
        }
        let is_legal = Some(atom.predicate) == self.domain.legal;
        let single = self.domain.rules(atom.predicate).len() <= 1;
        !self.domain.is_recursive(atom.predicate) && (self.config.unfold_views || is_legal || single)
    }

    fn is_auxiliary(&self, predicate: PredicateId) -> bool {
        self.auxiliaries.iter().any(|auxiliary| auxiliary.predicate == predicate)
    }

    /// Whether a condition can be replaced by its definitions.
    fn is_unfoldable(&self, atom: &Atom, time: u8) -> bool {
        match self.domain.kind(atom.predicate) {
            Kind::Fluent => time > 0,
            Kind::View => {
                !self.domain.is_recursive(atom.predicate) || self.unfolded.contains(&atom.predicate)
            }
            Kind::Topology | Kind::Does => false,
        }
    }

    /// The rules that a condition can come from, each with the time of its conditions.
    fn definitions(&self, atom: &Atom, time: u8) -> Vec<(Clause, u8)> {
        if self.domain.kind(atom.predicate) != Kind::Fluent {
            return self.domain.rules(atom.predicate).iter().map(|rule| (rule.clone(), time)).collect();
        }
        match self.domain.effects(atom.predicate) {
            Some(effects) => effects.iter().map(|effect| (effect.clone(), time - 1)).collect(),
            // What no effect speaks of stays as it is.
            None => {
                let stays =
                    Clause { head: atom.clone(), body: vec![Literal::Holds(atom.clone())], variables: 0 };
                vec![(stays, time - 1)]
            }
        }
    }

    fn alternatives(&mut self, rule: &Partial, atom: &Atom, time: u8) -> usize {
        let definitions = self.definitions(atom, time);
        let mut unifies = |definition: &Clause| self.head_unifier(rule, atom, definition).is_some();
        definitions.iter().filter(|(definition, _)| unifies(definition)).count()
    }

    fn head_unifier(
        &mut self,
        rule: &Partial,
        atom: &Atom,
        definition: &Clause,
    ) -> Option<(Clause, Bindings)> {
        let definition = match definition.variables {
            0 => definition.clone(),
            _ => definition.renamed(&mut self.domain.program.terms, rule.variables),
        };
        let mut bindings = Bindings::default();
        let terms = &self.domain.program.terms;
        let mut pairs = definition.head.args.iter().zip(&atom.args);
        let unifies = pairs.all(|(&a, &b)| bindings.unify(terms, a, b));
        unifies.then_some((definition, bindings))
    }

    /// A rule with one condition replaced by the conditions of a definition.
    fn resolve(&mut self, rest: &Partial, atom: &Atom, definition: &Clause, time: u8) -> Option<Partial> {
        let (definition, bindings) = self.head_unifier(rest, atom, definition)?;
        let mut rule = rest.clone();
        rule.body.extend(definition.body.into_iter().map(|literal| Goal::new(literal, time)));
        rule.substitute(&mut self.domain.program.terms, &bindings);
        Some(rule)
    }

    /// The rules in which a move was made, one for each player who could have made it.
    fn made(&mut self, rest: &Partial, does: &Atom, time: u8) -> Vec<Partial> {
        let players = self.domain.players();
        let mut rules = Vec::new();
        for player in 0..players {
            let made = rest.moves[usize::from(time) * players + player];
            let pairs: Vec<(TermId, TermId)> = match self.domain.program.dialect {
                Dialect::Theory => vec![(does.args[0], made)],
                Dialect::Game => vec![(does.args[0], self.domain.roles[player]), (does.args[1], made)],
            };
            let mut bindings = Bindings::default();
            if pairs.into_iter().all(|(a, b)| bindings.unify(&self.domain.program.terms, a, b)) {
                let mut rule = rest.clone();
                rule.substitute(&mut self.domain.program.terms, &bindings);
                rules.push(rule);
            }
        }
        rules
    }

    /// All combinations of escapes, one from each list.
    fn escape(&mut self, rest: &Partial, lists: &[Vec<Escape>]) -> Vec<Partial> {
        let mut combinations: Vec<Vec<&Escape>> = vec![Vec::new()];
        for list in lists {
            let mut longer = Vec::with_capacity(combinations.len() * list.len());
            for chosen in &combinations {
                longer.extend(list.iter().map(|escape| chosen.iter().copied().chain([escape]).collect()));
            }
            combinations = longer;
        }
        let mut rules = Vec::new();
        for combination in combinations {
            let mut rule = rest.clone();
            let mut bindings = Bindings::default();
            let is_possible = combination.into_iter().all(|escape| match escape {
                Escape::Goal(goal) => {
                    rule.body.push(goal.clone());
                    true
                }
                Escape::Equal(a, b) => bindings.unify(&self.domain.program.terms, *a, *b),
            });
            if is_possible {
                rule.substitute(&mut self.domain.program.terms, &bindings);
                rules.push(rule);
            }
        }
        rules
    }

    /// A rule with a condition at a later time replaced by its auxiliary predicate.
    fn with_auxiliary(&mut self, mut rest: Partial, atom: &Atom, time: u8, positive: bool) -> Partial {
        let levels = self.levels(&Goal::new(Literal::Holds(atom.clone()), time));
        let count = usize::from(levels) * self.domain.players();
        let mut context = match self.domain.is_recursive(atom.predicate) {
            // A context would grow from call to call.
            true => {
                let head = self.fresh(0, atom.args.len());
                let moves = self.fresh(atom.args.len() as u32, count);
                Partial { head, moves, body: Vec::new(), variables: (atom.args.len() + count) as u32 }
            }
            false => self.context(&rest, atom, count),
        };
        let args: Box<[TermId]> = atom.args.iter().chain(&rest.moves[..count]).copied().collect();
        context.substitute(&mut self.domain.program.terms, &Bindings::default());
        let predicate = self.auxiliary(atom, time, levels, context);
        let atom = Atom { predicate, args };
        rest.body.push(Goal::new(if positive { Literal::Holds(atom) } else { Literal::Not(atom) }, 0));
        rest
    }

    /// What a rule says about the arguments of an atom and the moves before it: conditions on the state
    /// before the moves that have no other variables than theirs, and those that they determine.
    fn context(&self, rule: &Partial, atom: &Atom, moves: usize) -> Partial {
        let mut context = Partial {
            head: atom.args.to_vec(),
            moves: rule.moves[..moves].to_vec(),
            body: Vec::new(),
            variables: rule.variables,
        };
        let terms = &self.domain.program.terms;
        let mut known = variables_in(terms, &context.outside());
        let mut conditions: Vec<&Atom> = Vec::new();
        for goal in rule.body.iter().filter(|goal| goal.time == 0) {
            if let Literal::Holds(atom) = &goal.literal
                && matches!(self.domain.kind(atom.predicate), Kind::Fluent | Kind::Topology)
            {
                conditions.push(atom);
            }
        }
        loop {
            let before = known.len();
            for metarule in &self.knowledge.single_valued {
                for atom in conditions.iter().filter(|atom| atom.predicate == metarule.predicate) {
                    let key: Vec<TermId> =
                        metarule.key_arguments().iter().map(|&column| atom.args[column]).collect();
                    if variables_in(terms, &key).iter().all(|variable| known.contains(variable)) {
                        let value = variables_in(terms, &[atom.args[metarule.value]]);
                        known.extend(
                            value
                                .into_iter()
                                .filter(|variable| !known.contains(variable))
                                .collect::<Vec<_>>(),
                        );
                    }
                }
            }
            if known.len() == before {
                break;
            }
        }
        let is_known =
            |atom: &&&Atom| variables_in(terms, &atom.args).iter().all(|variable| known.contains(variable));
        let kept = conditions.iter().filter(is_known).map(|&atom| Goal::new(Literal::Holds(atom.clone()), 0));
        context.body = kept.collect();
        context
    }

    /// The auxiliary predicate for an atom in a context, new or known.
    fn auxiliary(&mut self, atom: &Atom, time: u8, levels: u8, context: Partial) -> PredicateId {
        let atom = Atom { predicate: atom.predicate, args: context.head.clone().into() };
        let terms = &self.domain.program.terms;
        let literals =
            |context: &Partial| context.body.iter().map(|goal| goal.literal.clone()).collect::<Vec<_>>();
        let own = (context.outside(), literals(&context));
        let same = self.auxiliaries.iter().find(|other| {
            let theirs = (other.context.outside(), literals(&other.context));
            (other.atom.predicate, other.time) == (atom.predicate, time)
                && is_variant(terms, (&own.0, &own.1), (&theirs.0, &theirs.1))
        });
        if let Some(known) = same {
            return known.predicate;
        }
        let name = self.domain.program.name(atom.predicate);
        let name = name.strip_prefix("true ").unwrap_or(name).trim_end();
        let separator = if self.domain.program.dialect == Dialect::Game { '-' } else { '_' };
        let wish = match levels {
            1 => format!("{name}{separator}after"),
            _ => format!("{name}{separator}after{separator}{levels}{separator}moves"),
        };
        let predicate = self.domain.new_view(&wish, own.0.len());
        self.auxiliaries.push(Auxiliary { predicate, atom, time, context });
        predicate
    }

    /// The rules of an auxiliary predicate, to be unfolded: one for each definition.
    fn auxiliary_rules(&mut self, auxiliary: &Auxiliary) -> Vec<Partial> {
        let mut rule = auxiliary.context.clone();
        let terms = &self.domain.program.terms;
        let bound: Vec<VariableId> =
            rule.body.iter().flat_map(|goal| super::terms::variables_of(terms, &goal.literal)).collect();
        let moves = rule.moves.clone();
        if !variables_in(terms, &moves).iter().all(|variable| bound.contains(variable)) {
            rule.body.extend(self.legal_goals(&moves));
        }
        let Auxiliary { atom, time, .. } = auxiliary;
        if self.domain.kind(atom.predicate) == Kind::Does {
            return self.made(&rule, atom, *time);
        }
        let definitions = self.definitions(atom, *time);
        definitions.into_iter().filter_map(|(body, time)| self.resolve(&rule, atom, &body, time)).collect()
    }
}

/// Rules that were seen before, up to renaming.
#[derive(Default)]
struct Seen(FxHashMap<u64, Vec<HeadAndBody>>);

/// What is seen of a rule from outside, and its conditions.
type HeadAndBody = (Vec<TermId>, Vec<Literal>);

impl Seen {
    /// Whether a rule was seen; from now on it was.
    fn contains(&mut self, unfolder: &Unfolder<'_>, rule: &Partial) -> bool {
        let terms = &unfolder.domain.program.terms;
        let outside = rule.outside();
        let body: Vec<Literal> = rule.body.iter().map(|goal| goal.literal.clone()).collect();
        let same = self.0.entry(signature(terms, &outside, &body)).or_default();
        let found = same.iter().any(|(head, other)| is_variant(terms, (&outside, &body), (head, other)));
        if !found {
            same.push((outside, body));
        }
        found
    }
}

/// Finished rules, each once up to renaming.
#[derive(Default)]
struct Results {
    clauses: Vec<Clause>,
    by_signature: FxHashMap<u64, Vec<usize>>,
}

/// More rules than this are not compared with each other.
const MOST_COMPARED: usize = 3_000;

impl Results {
    fn insert(&mut self, unfolder: &mut Unfolder<'_>, clause: Clause) {
        let terms = &unfolder.domain.program.terms;
        let same = self.by_signature.entry(signature(terms, &clause.head.args, &clause.body)).or_default();
        let clauses = &self.clauses;
        let is_known = |&other: &usize| {
            let other = &clauses[other];
            is_variant(terms, (&clause.head.args, &clause.body), (&other.head.args, &other.body))
        };
        if same.iter().any(is_known) {
            unfolder.counts.duplicates += 1;
            return;
        }
        same.push(self.clauses.len());
        self.clauses.push(clause);
    }

    /// The rules without those that another one covers.
    fn without_special_cases(self, unfolder: &mut Unfolder<'_>) -> Vec<Clause> {
        if self.clauses.len() > MOST_COMPARED || !unfolder.config.kinds.useless {
            return self.clauses;
        }
        let terms = &unfolder.domain.program.terms;
        // The head takes part as a condition of a predicate that occurs nowhere in bodies.
        let whole = |clause: &Clause| {
            std::iter::once(Literal::Holds(clause.head.clone()))
                .chain(clause.body.iter().cloned())
                .collect::<Vec<_>>()
        };
        let all: Vec<Vec<Literal>> = self.clauses.iter().map(whole).collect();
        let mut is_kept = vec![true; all.len()];
        for at in 0..all.len() {
            let body: Vec<&Literal> = all[at].iter().collect();
            let covered = (0..all.len()).any(|other| {
                other != at
                    && is_kept[other]
                    && all[other].len() <= all[at].len()
                    && contains(terms, &all[other], &body)
            });
            if covered {
                is_kept[at] = false;
                unfolder.counts.duplicates += 1;
            }
        }
        self.clauses.into_iter().zip(is_kept).filter(|(_, kept)| *kept).map(|(clause, _)| clause).collect()
    }
}
