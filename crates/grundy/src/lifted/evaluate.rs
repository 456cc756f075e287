//! Evaluation of the answers of states without grounding.
//!
//! The rules are the flat rules without links. Their relations form components in order of dependence ([`Schedule`]), each
//! static, dependent on the state, or dependent on the moves as well. Static components are evaluated once. A state is
//! *looked at* by writing its facts into the relations of `true` and clearing everything that depends on it; moves are
//! *played* in the same way. An answer evaluates the components that it depends on and that are not evaluated yet, so a
//! question about `terminal` does not pay for `next`. Relations keep their memory from state to state.
//!
//! Components are evaluated semi-naively with lasting join plans. Plans are made in the first state, and made again after
//! [`REPLAN_AFTER`] and [`LEARN_FOR`] states, with the mean sizes of relations in the states so far. Components with negation
//! inside are evaluated by the alternating fixpoint ([`alternate`]), which also detects atoms that depend on their own
//! negation.
//!
//! Some views are evaluated on demand, by magic sets (`flat/demand.rs`). [`Treatment`] chooses them by constants in calls and
//! by steps: a component that exceeds its steps is treated differently, and the evaluation is rebuilt in the current state.
//! [`Trials`] replay recent questions with another treatment, and keep it if that takes fewer steps.

use super::LiftedConfig;
use super::prepare::{Answer, Component, ComponentId, Schedule};
use super::state::{ByRole, LiftedState, Moves, RoleId, Texts};
use super::treatment::Treatment;
use super::trials::Trials;
use crate::analysis::Class;
use crate::datalog::{Bounds, Codec, Engine, Relation, Stop};
use crate::flat::{Flat, Origin, RelationId, flatten, read_ground_term};
use crate::ids::{BitSet, IdVec};
use crate::reasoner::{GoalValue, ReasonError};
use crate::rewrite::simplify;
use grundy_syntax::{
    Budget, Exhausted, Keyword, Notation, Printer, Program, Stage, Symbols, TermId, Terms, Ticks,
};

/// The number of states after which plans are made again for the first time. A guess.
pub(super) const REPLAN_AFTER: u32 = 8;

/// The work of translating a fact in the unit of [`Ticks`]. A guess.
const WORK: usize = 16;

/// The number of states in which statistics are noted; after them, plans are made for the last time. A guess.
const LEARN_FOR: u32 = 64;

/// A game in evaluation. The relations have the answers known for the current state.
pub(super) struct Evaluation {
    pub(super) program: Program,
    pub(super) flat: Flat,
    pub(super) engine: Engine,
    pub(super) schedule: Schedule,
    /// The components that are evaluated for the current state and moves.
    done: BitSet<ComponentId>,
    facts: Codec,
    next_facts: Codec,
    moves: Moves,
    legal_moves: ByRole,
    goals: ByRole,
    percepts: ByRole,
    texts: Texts,
    roles: IdVec<RoleId, TermId>,
    initial: LiftedState,
    current: Option<LiftedState>,
    played: Option<Vec<TermId>>,
    /// The number of states looked at.
    pub(super) states: u32,
    /// The steps taken by states, and by static components.
    pub(super) steps: u64,
    pub(super) static_steps: u64,
    pub(super) steps_by_component: IdVec<ComponentId, u64>,
    /// The relations of each keyword.
    relations: IdVec<Keyword, Vec<RelationId>>,
    pub(super) treatment: Treatment,
    pub(super) trials: Trials,
    config: LiftedConfig,
    ticks: Ticks,
}

/// Why the evaluation of a component stopped.
enum Halt {
    /// A term nests too deeply, possibly because of evaluation on demand.
    Endless,
    /// The component exceeded its steps.
    Overflow(ComponentId),
    Error(ReasonError),
}

impl Evaluation {
    pub(super) fn new(program: &Program, config: &LiftedConfig) -> Result<Evaluation, ReasonError> {
        let mut program = program.clone();
        for keyword in Keyword::ALL {
            program.predicate(keyword.name(), keyword.arity());
        }
        config.budget.enter(Stage::Flatten);
        let mut flat = flatten(&program, &config.budget);
        simplify(&mut program, &mut flat, false);
        config.budget.check()?;
        let terms = std::mem::take(&mut flat.terms);
        let treatment = Treatment::new(&program, Flat { terms: terms.clone(), ..flat }, config.on_demand);
        Evaluation::with_treatment(program, terms, treatment, config)
    }

    /// Sets up the relations, and evaluates the static components.
    fn with_treatment(
        mut program: Program,
        terms: Terms,
        treatment: Treatment,
        config: &LiftedConfig,
    ) -> Result<Evaluation, ReasonError> {
        let flat = treatment.rules(&mut program, terms);
        config.budget.check()?;
        let bounds = Bounds { budget: config.budget.clone(), term_depth: config.max_term_depth };
        let schedule = Schedule::new(&program, &flat);
        let relations_of = |keyword: Keyword| -> Vec<RelationId> {
            let predicate = program.keyword(keyword);
            let of_keyword = |&relation: &RelationId| Some(flat.info(relation).predicate) == predicate;
            flat.relations.ids().filter(of_keyword).collect()
        };
        let relations: IdVec<Keyword, Vec<RelationId>> = Keyword::ALL.into_iter().map(relations_of).collect();
        let codec = |keyword: Keyword| Codec::new(&flat, &relations[keyword], 0);
        let roles = program.roles();
        let by_role = |keyword: Keyword| ByRole::new(&flat, &relations[keyword], &roles);
        let mut evaluation = Evaluation {
            engine: Engine::new(&flat, bounds, config.join_order),
            done: BitSet::empty(schedule.components.len()),
            steps_by_component: IdVec::filled(0, schedule.components.len()),
            facts: codec(Keyword::True),
            next_facts: codec(Keyword::Next),
            moves: Moves::new(&flat, &relations[Keyword::Does], &roles),
            legal_moves: by_role(Keyword::Legal),
            goals: by_role(Keyword::Goal),
            percepts: by_role(Keyword::Sees),
            texts: Texts::default(),
            roles: roles.into(),
            initial: LiftedState::default(),
            current: None,
            played: None,
            states: 0,
            steps: 0,
            static_steps: 0,
            relations,
            program,
            flat,
            schedule,
            treatment,
            trials: Trials::default(),
            ticks: Ticks::default(),
            config: config.clone(),
        };
        for number in evaluation.schedule.components.ids() {
            if evaluation.schedule.components[number].class == Class::Static {
                match evaluation.evaluate(number) {
                    Ok(()) => {}
                    Err(Halt::Error(error)) => return Err(error),
                    Err(Halt::Overflow(number)) => {
                        evaluation.reconsider(number)?;
                        return Ok(evaluation);
                    }
                    Err(Halt::Endless) => {
                        evaluation.evaluate_all_whole()?;
                        return Ok(evaluation);
                    }
                }
            }
        }
        config.budget.enter(Stage::Play);
        evaluation.static_steps = std::mem::take(&mut evaluation.steps);
        evaluation.initial = evaluation.initial_state()?;
        Ok(evaluation)
    }

    /// The same game with another treatment.
    pub(super) fn with_other_treatment(
        &self,
        treatment: Treatment,
        terms: Terms,
    ) -> Result<Evaluation, ReasonError> {
        Evaluation::with_treatment(self.program.clone(), terms, treatment, &self.config)
    }

    /// Changes the treatment of the relations of a component, and rebuilds the evaluation.
    fn reconsider(&mut self, number: ComponentId) -> Result<(), ReasonError> {
        let rules = self.schedule.components[number].rules.iter().map(|&rule| &self.flat.rules[rule]);
        self.treatment.respond(&self.program, rules);
        self.begin_anew()
    }

    /// Evaluates everything whole from now on: calls may be infinite where answers are finite.
    fn evaluate_all_whole(&mut self) -> Result<(), ReasonError> {
        self.treatment.evaluate_all_whole();
        self.trials = Trials::default();
        self.begin_anew()
    }

    /// Rebuilds the evaluation with the current treatment, in the current state.
    fn begin_anew(&mut self) -> Result<(), ReasonError> {
        let terms = std::mem::take(&mut self.engine.terms);
        let mut again = self.with_other_treatment(self.treatment.clone(), terms)?;
        again.trials = std::mem::take(&mut self.trials);
        again.steps = self.steps;
        let before = std::mem::replace(self, again);
        if let Some(state) = before.current {
            self.look_at(&state)?;
        }
        if let Some(moves) = before.played {
            self.play(&moves)?;
        }
        Ok(())
    }

    fn initial_state(&mut self) -> Result<LiftedState, Exhausted> {
        let init = &self.relations[Keyword::Init];
        let mut codec = Codec::new(&self.flat, init, 0);
        state_from(&mut self.engine, init, &mut codec, &self.config.budget)
    }

    /// The predicates that are evaluated on demand.
    pub(super) fn on_demand(&self) -> Vec<&str> {
        self.treatment.on_demand().map(|predicate| self.program.name(predicate)).collect()
    }

    pub(super) fn role_names(&self) -> Vec<String> {
        self.roles.iter().map(|&role| self.text(role)).collect()
    }

    pub(super) fn initial(&self) -> LiftedState {
        self.initial.clone()
    }

    /// Makes a state the current one.
    pub(super) fn look_at(&mut self, state: &LiftedState) -> Result<(), ReasonError> {
        if self.current.as_ref() == Some(state) {
            return Ok(());
        }
        self.consider_trial()?;
        self.states += 1;
        self.trials.note_state(state, self.states);
        if self.states == REPLAN_AFTER || self.states == LEARN_FOR {
            self.plan_again();
        }
        self.forget(Class::State);
        self.clear(Keyword::True);
        self.current = None;
        for &fact in &state.0 {
            self.ticks.work(&self.config.budget, WORK)?;
            // A fact that no rule reads has no relation.
            if let Some((relation, values)) = self.facts.decode(&self.engine.terms, fact) {
                self.engine.relations[relation].insert(values.iter().copied());
            }
        }
        self.current = Some(state.clone());
        Ok(())
    }

    /// Discards the plans, so that they are made again with the statistics so far.
    pub(super) fn plan_again(&mut self) {
        self.schedule.components.iter_mut().for_each(|component| component.plans.clear());
    }

    /// Makes these the current moves.
    pub(super) fn play(&mut self, moves: &[TermId]) -> Result<(), ReasonError> {
        if self.played.as_deref() == Some(moves) {
            return Ok(());
        }
        if moves.len() != self.roles.len() {
            return Err(ReasonError::Game(format!("{} moves for {} roles", moves.len(), self.roles.len())));
        }
        self.forget(Class::Move);
        self.clear(Keyword::Does);
        for (role, &played) in self.roles.ids().zip(moves) {
            if let Some((relation, row)) = self.moves.decode(&self.engine.terms, role, played) {
                self.engine.relations[relation].insert(row.iter().copied());
            }
        }
        self.played = Some(moves.to_vec());
        self.trials.note_moves(moves);
        Ok(())
    }

    /// Makes no moves the current moves.
    pub(super) fn play_nothing(&mut self) {
        self.forget(Class::Move);
        self.clear(Keyword::Does);
    }

    /// Clears the components of a class and above.
    fn forget(&mut self, class: Class) {
        for (id, component) in self.schedule.components.entries() {
            if component.class >= class && self.done.contains(id) {
                for &member in &component.members {
                    if self.states <= LEARN_FOR {
                        self.engine.relations[member].take_note();
                    }
                    self.engine.relations[member].clear();
                }
                self.done.set(id, false);
            }
        }
        self.played = None;
    }

    fn clear(&mut self, keyword: Keyword) {
        for &relation in &self.relations[keyword] {
            self.engine.relations[relation].clear();
        }
    }

    /// Evaluates what an answer needs.
    pub(super) fn answer(&mut self, answer: Answer) -> Result<(), ReasonError> {
        self.trials.note_answer(answer);
        loop {
            match self.try_answer(answer) {
                Ok(()) => return Ok(()),
                Err(Halt::Error(error)) => return Err(error),
                Err(Halt::Overflow(number)) => self.reconsider(number)?,
                Err(Halt::Endless) => self.evaluate_all_whole()?,
            }
        }
    }

    fn try_answer(&mut self, answer: Answer) -> Result<(), Halt> {
        for at in 0..self.schedule.needed(answer).len() {
            let number = self.schedule.needed(answer)[at];
            if !self.done.contains(number) {
                self.evaluate(number)?;
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, number: ComponentId) -> Result<(), Halt> {
        let Evaluation { engine, schedule, flat, treatment, .. } = self;
        let component = &mut schedule.components[number];
        // `true` and `does` have no rules: their rows are given.
        if !component.rules.is_empty() {
            let rules = component.rules.iter().map(|&rule| &flat.rules[rule]);
            let allowed = treatment.steps(&engine.terms, rules, component.class == Class::Static);
            let before = engine.steps();
            let left = self.config.max_steps.saturating_sub(self.steps.saturating_add(self.static_steps));
            engine.allow(allowed.min(left));
            let outcome = evaluate_component(engine, flat, component);
            let taken = engine.steps() - before;
            self.steps += taken;
            self.steps_by_component[number] += taken;
            match outcome {
                Ok(()) => {}
                Err(Stop::Overflow) if left <= allowed => {
                    return Err(Halt::Error(self.too_many_steps(number)));
                }
                Err(Stop::Overflow) => return Err(Halt::Overflow(number)),
                Err(Stop::TooDeep) if self.treatment.has_demanded() => return Err(Halt::Endless),
                Err(stop) => return Err(Halt::Error(self.error(stop, number))),
            }
        }
        self.done.set(number, true);
        Ok(())
    }

    fn too_many_steps(&self, component: ComponentId) -> ReasonError {
        let mut error = self.error(Stop::Overflow, component);
        if let ReasonError::Limit { limit, message, rule } = &mut error {
            *limit = "steps";
            *message = format!("more than {} steps (limit `steps`) near {rule}", self.config.max_steps);
        }
        error
    }

    fn error(&self, stop: Stop, component: ComponentId) -> ReasonError {
        let rule =
            self.schedule.components[component].rules.first().map(|&rule| self.flat.rules[rule].origin);
        let text = match rule {
            Some(Origin::Rule(rule)) => {
                self.config.budget.at_rule(self.program.rule(rule).span);
                Printer::new(&self.program, Notation::Kif).rule(self.program.rule(rule))
            }
            _ => String::new(),
        };
        let limit = |limit: &'static str, what: &str| ReasonError::Limit {
            limit,
            message: format!("{what} near {text}"),
            rule: text.clone(),
        };
        match stop {
            Stop::Exhausted(reason) => limit(reason.name(), &reason.to_string()),
            Stop::TooLong => limit("conditions", "too many conditions (limit `conditions`)"),
            Stop::TooDeep => limit("term-depth", "terms nest too deeply (limit `term-depth`)"),
            Stop::TooMany | Stop::Overflow | Stop::GaveUp | Stop::Found => {
                limit("instances", "too many instances (limit `instances`)")
            }
            Stop::NegationCycle => {
                ReasonError::Game(format!("an atom depends on its own negation near {text}"))
            }
        }
    }

    pub(super) fn any(&self, keyword: Keyword) -> bool {
        self.relations[keyword].iter().any(|&relation| self.engine.relations[relation].len() > 0)
    }

    /// The legal moves of each role, sorted by text as in the other engines.
    pub(super) fn legal_moves(&mut self) -> Vec<Vec<TermId>> {
        let mut moves = self.legal_moves.read(&mut self.engine);
        for moves in &mut moves {
            self.texts.sort(&self.program.symbols, &self.engine.terms, moves);
        }
        moves.into_iter().collect()
    }

    /// Calls `visit` with the shape and the rows of each relation of percepts.
    pub(super) fn for_each_percept(&self, mut visit: impl FnMut(&Symbols, &Terms, TermId, &Relation)) {
        for &relation in &self.relations[Keyword::Sees] {
            let shape = self.flat.relations[relation].template[1];
            visit(&self.program.symbols, &self.engine.terms, shape, &self.engine.relations[relation]);
        }
    }

    pub(super) fn percepts(&mut self) -> Vec<Vec<String>> {
        let seen = self.percepts.read(&mut self.engine);
        let texts = |terms: Vec<TermId>| {
            let mut texts: Vec<String> = terms.into_iter().map(|term| self.text(term)).collect();
            texts.sort_unstable();
            texts
        };
        seen.into_iter().map(texts).collect()
    }

    pub(super) fn goals(&mut self) -> Vec<GoalValue> {
        let values = self.goals.read(&mut self.engine);
        let number = |&value: &TermId| self.text(value).parse().ok();
        values.iter().map(|values| GoalValue::of(values.iter().map(number))).collect()
    }

    pub(super) fn next_state(&mut self) -> Result<LiftedState, ReasonError> {
        let next = &self.relations[Keyword::Next];
        Ok(state_from(&mut self.engine, next, &mut self.next_facts, &self.config.budget)?)
    }

    pub(super) fn text(&self, term: TermId) -> String {
        let mut out = String::new();
        crate::flat::write_term(&self.program.symbols, &self.engine.terms, term, &[], &mut out);
        out
    }

    pub(super) fn term(&mut self, text: &str) -> Result<TermId, ReasonError> {
        let symbols: &mut Symbols = &mut self.program.symbols;
        read_ground_term(text, symbols, &mut self.engine.terms)
            .ok_or_else(|| ReasonError::NotATerm(text.to_owned()))
    }
}

fn state_from(
    engine: &mut Engine,
    relations: &[RelationId],
    codec: &mut Codec,
    budget: &Budget,
) -> Result<LiftedState, Exhausted> {
    let Engine { relations: rows, terms, .. } = engine;
    let mut facts = Vec::new();
    let mut ticks = Ticks::default();
    for &relation in relations {
        let rows = &rows[relation];
        for row in 0..rows.len() {
            ticks.work(budget, WORK)?;
            facts.push(codec.encode(terms, relation, rows.row(row)));
        }
    }
    facts.sort_unstable();
    Ok(LiftedState(facts))
}

fn evaluate_component(engine: &mut Engine, flat: &Flat, component: &mut Component) -> Result<(), Stop> {
    if component.plans.is_empty() {
        component.plans =
            component.rules.iter().map(|&rule| engine.plans(&flat.rules[rule], &component.members)).collect();
    }
    if !component.has_negation {
        return engine.saturate_planned(&component.plans, &component.members);
    }
    alternate(engine, component)
}

/// The alternating fixpoint (Van Gelder 1993): negations inside the component are tested against a lower and an upper
/// estimate in turn, until the lower one is stable. If the two agree then, no atom depends on its own negation.
fn alternate(engine: &mut Engine, component: &Component) -> Result<(), Stop> {
    let take = |engine: &mut Engine| -> Vec<Relation> {
        component.members.iter().map(|&member| engine.take_rows(member)).collect()
    };
    let sizes = |relations: &[Relation]| relations.iter().map(Relation::len).collect::<Vec<_>>();
    let mut certain = take(engine);
    loop {
        engine.saturate_against(&component.plans, &component.members, certain)?;
        let possible = take(engine);
        let possible_sizes = sizes(&possible);
        certain = engine.end_estimate(&component.members);
        let certain_sizes = sizes(&certain);
        engine.saturate_against(&component.plans, &component.members, possible)?;
        let more_certain = take(engine);
        engine.end_estimate(&component.members);
        if sizes(&more_certain) == certain_sizes {
            let decided = certain_sizes == possible_sizes;
            for (&member, relation) in component.members.iter().zip(&more_certain) {
                (0..relation.len())
                    .for_each(|row| _ = engine.relations[member].insert(relation.row(row).iter()));
            }
            return if decided { Ok(()) } else { Err(Stop::NegationCycle) };
        }
        certain = more_certain;
    }
}
