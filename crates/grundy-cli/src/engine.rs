//! Which engine answers.

use crate::files::Loaded;
use crate::limits::{budget, seconds};
use crate::output::{Details, Failure, Outcome, note};
use clap::ValueEnum;
use grundy::game::{Game, GameError, MachineConfig};
use grundy::ground::{GroundConfig, GroundError, JoinOrder, LimitKind};
use grundy::invariants::InvariantConfig;
use grundy::lifted::{Lifted, LiftedConfig};
use grundy::machine::{AnyCursor, CompiledGame, Hybrid, Machine, MachineKind, MachineReasoner};
use grundy::reasoner::{Reasoner, Reference};
use grundy::self_check::{Disagreement, SelfCheck, Verdict, first_sound, self_check};
use grundy_syntax::{Budget, Exhausted};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The engines that can be asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Slow and obvious: it judges the others
    Reference,
    /// No grounding: the tabling engine evaluates the rules for each state
    Lifted,
    /// A network, every node of which is evaluated for each state
    Scratch,
    /// A network that only propagates what changes
    Incremental,
    /// A network that plays 512 games at once
    Batch,
    /// The fastest one that can be had for the game
    Auto,
}

impl Engine {
    /// All engines that answer by themselves.
    pub(crate) const SINGLE: [Engine; 5] =
        [Engine::Reference, Engine::Lifted, Engine::Scratch, Engine::Incremental, Engine::Batch];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Engine::Reference => "reference",
            Engine::Lifted => "lifted",
            Engine::Scratch => "scratch",
            Engine::Incremental => "incremental",
            Engine::Batch => "batch",
            Engine::Auto => "auto",
        }
    }

    /// The machine, if it is one.
    pub(crate) fn machine(self) -> Option<MachineKind> {
        match self {
            Engine::Scratch => Some(MachineKind::Scratch),
            Engine::Incremental => Some(MachineKind::Incremental),
            Engine::Batch => Some(MachineKind::Batch),
            Engine::Reference | Engine::Lifted | Engine::Auto => None,
        }
    }
}

/// An engine that is ready for a game, and can be had as often as there are threads.
pub(crate) enum Prepared<'a> {
    Reference(&'a ReasonArgs, &'a Loaded),
    Lifted(&'a ReasonArgs, &'a Loaded),
    Machine(Machine),
    Hybrid(&'a ReasonArgs, &'a Loaded, Machine),
}

/// Something to do with any engine.
pub(crate) trait Task {
    type Output;

    /// Does it; `make` gives as many reasoners as are wanted.
    fn run<R: Reasoner + Send>(self, make: impl Fn() -> Result<R, Failure>) -> Result<Self::Output, Failure>;
}

impl Prepared<'_> {
    /// Does something with the engine.
    pub(crate) fn run<T: Task>(&self, task: T) -> Result<T::Output, Failure> {
        match self {
            Prepared::Reference(args, game) => task.run(|| args.reference(game)),
            Prepared::Lifted(args, game) => task.run(|| args.lifted(game)),
            Prepared::Machine(machine) => {
                task.run(|| Ok(MachineReasoner::<AnyCursor>::new(machine.cursor()).within(budget())))
            }
            Prepared::Hybrid(args, game, machine) => {
                task.run(|| Ok(Hybrid::new(machine, args.lifted(game)?)?.within(budget())))
            }
        }
    }

    /// The name of the engine that answers in the end.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Prepared::Reference(..) => "reference",
            Prepared::Lifted(..) => "lifted",
            Prepared::Machine(Machine::Scratch(_)) => "scratch",
            Prepared::Machine(Machine::Incremental(_)) => "incremental",
            Prepared::Machine(Machine::Batch(_)) => "batch",
            Prepared::Hybrid(..) => "hybrid",
        }
    }
}

/// The orders of joins.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum JoinOrderArg {
    /// By branching figures, counted on the facts that there are
    Branching,
    /// As the sheet has them: to see what the figures are worth
    Written,
}

impl From<JoinOrderArg> for JoinOrder {
    fn from(order: JoinOrderArg) -> JoinOrder {
        match order {
            JoinOrderArg::Branching => JoinOrder::Branching,
            JoinOrderArg::Written => JoinOrder::Written,
        }
    }
}

/// Bounds on reasoning, for all commands that play.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ReasonArgs {
    /// For machines: prove invariants of states first, and make the network smaller by them. Proofs are bounded by counted
    /// work, about eight seconds of it; the number of seconds is a last resort for slow machines
    #[arg(long, value_name = "SECONDS", value_parser = seconds, num_args = 0..=1, require_equals = true,
          default_missing_value = "600")]
    invariants: Option<Duration>,

    /// In which order grounding and the lifted engine match the conditions of a rule; the answers are the same
    #[arg(long, value_enum, default_value = "branching")]
    join_order: JoinOrderArg,

    /// Play a few random games side by side with the reference first, within 5 % of the time that setting up takes; an
    /// engine that disagrees is not used, but another one
    #[arg(long)]
    self_check: bool,

    /// Limit: how many facts may be derived in one state
    #[arg(long, value_name = "N", default_value_t = 20_000_000, help_heading = "Limits")]
    max_facts: usize,

    /// Limit: how many rules the ground program may have, for engines that need one
    #[arg(long, value_name = "N", default_value_t = 40_000_000, help_heading = "Limits")]
    max_rules: u64,

    /// Limit: how deep terms may nest
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Limits")]
    max_term_depth: usize,
}

/// How long `auto` tries to ground a game before it does without, and the share of the time that is left.
const AUTO_GROUNDING: Duration = Duration::from_secs(30);
const AUTO_SHARE: f64 = 0.5;

impl ReasonArgs {
    /// The limits of the reference engine.
    fn limits(&self) -> grundy_reference::Limits {
        grundy_reference::Limits {
            facts: self.max_facts,
            term_depth: self.max_term_depth,
            budget: budget(),
            ..grundy_reference::Limits::default()
        }
    }

    /// The lifted engine for a game.
    fn lifted(&self, game: &Loaded) -> Result<Lifted, Failure> {
        let config = LiftedConfig {
            max_term_depth: self.max_term_depth,
            budget: budget(),
            join_order: self.join_order.into(),
            ..LiftedConfig::default()
        };
        Ok(Lifted::new(&game.program, &config)?)
    }

    /// The reference engine for a game.
    fn reference(&self, game: &Loaded) -> Result<Reference, Failure> {
        Ok(Reference::new(game.program.clone(), self.limits())?)
    }

    /// How to make a machine within the limits.
    pub(crate) fn machine_config(&self, whole_states: bool) -> MachineConfig {
        let ground = GroundConfig {
            join_order: self.join_order.into(),
            max_rules: self.max_rules,
            max_term_depth: self.max_term_depth,
            budget: budget(),
            ..GroundConfig::default()
        };
        let invariants =
            self.invariants.map(|timeout| InvariantConfig { timeout, ..InvariantConfig::default() });
        MachineConfig { ground, whole_states, invariants, ..MachineConfig::default() }
    }

    /// What machines are made from. `whole_states` has to be set where states are looked at.
    fn rules(
        &self,
        game: &Loaded,
        whole_states: bool,
        kind: MachineKind,
    ) -> Result<Arc<CompiledGame>, Failure> {
        let config = MachineConfig { kind, open_answers: true, ..self.machine_config(whole_states) };
        rules(game, &config).map_err(|error| failure(&error))
    }

    /// Rules whose states are whole, to follow games that a machine without whole states plays. No time is spent on
    /// invariants.
    pub(crate) fn whole_rules(&self, game: &Loaded) -> Result<Arc<CompiledGame>, Failure> {
        let kind = MachineKind::Incremental;
        let config =
            MachineConfig { kind, open_answers: true, invariants: None, ..self.machine_config(true) };
        Game::from_program(game.program.clone()).rules(&config).map_err(|error| failure(&error))
    }

    /// Prepares an engine, checked if the user wants that. One that disagrees with the reference is replaced: by another
    /// machine, by the lifted engine, at last by the reference itself.
    pub(crate) fn prepare<'a>(
        &'a self,
        engine: Engine,
        game: &'a Loaded,
        whole_states: bool,
        best: MachineKind,
    ) -> Result<Prepared<'a>, Failure> {
        let start = Instant::now();
        let prepared = self.prepare_unchecked(engine, game, whole_states, best)?;
        if !self.self_check {
            return Ok(prepared);
        }
        let config = SelfCheck::after(start.elapsed(), whole_states);
        let rules = match &prepared {
            Prepared::Machine(machine) => Some(machine.game().clone()),
            _ => None,
        };
        // Machines of the same rules are cheap to make; `scratch` is the simplest one.
        let other = rules.filter(|_| prepared.name() != "scratch");
        let scratch = |rules| Machine::new(rules, MachineKind::Scratch, &budget()).ok();
        let other = other.and_then(scratch).map(Prepared::Machine);
        let candidates = [Some(prepared), other, Some(Prepared::Lifted(self, game))];
        let check = |candidate: &Prepared| match candidate.run(Check { args: self, game, config }) {
            Ok(verdict) => {
                tell(candidate, &verdict);
                verdict
            }
            Err(failure) => {
                let verdict = Verdict::Agrees { states: 0, cut_short: Some(failure.message) };
                tell(candidate, &verdict);
                verdict
            }
        };
        let disagrees = |candidate: &Prepared, why: &Disagreement| {
            let (name, file) = (candidate.name(), game.source.name());
            note(&format!(
                "warning: `{name}` is not used: it disagrees with the reference on {file}\n{why}\n\
                 This is a bug in this program; please report it with the sheet."
            ));
        };
        let sound = first_sound(candidates.into_iter().flatten(), check, disagrees);
        Ok(sound.unwrap_or(Prepared::Reference(self, game)))
    }

    /// Prepares an engine. `Auto` becomes the machine that `best` names, or `lifted` where the game cannot be ground. Where
    /// some of it cannot, `lifted` helps out.
    fn prepare_unchecked<'a>(
        &'a self,
        engine: Engine,
        game: &'a Loaded,
        whole_states: bool,
        best: MachineKind,
    ) -> Result<Prepared<'a>, Failure> {
        let machine = |rules: Arc<CompiledGame>, kind, budget: &Budget| -> Result<Prepared, Exhausted> {
            let answers = rules.interface().lifted.clone();
            let machine = Machine::new(rules, kind, budget)?;
            if !answers.any() {
                return Ok(Prepared::Machine(machine));
            }
            let (answers, predicate) = (answers.names().join(" and "), &answers.predicate);
            note(&format!(
                "`lifted` answers for {answers}: `{predicate}` has too many instances to be ground"
            ));
            Ok(Prepared::Hybrid(self, game, machine))
        };
        match (engine, engine.machine()) {
            (_, Some(kind)) => Ok(machine(self.rules(game, whole_states, kind)?, kind, &budget())?),
            (Engine::Reference, _) => Ok(Prepared::Reference(self, game)),
            (Engine::Auto, _) => {
                let mut config =
                    MachineConfig { kind: best, open_answers: true, ..self.machine_config(whole_states) };
                config.ground.budget = budget().share(AUTO_SHARE).part(AUTO_GROUNDING);
                let made = rules(game, &config).and_then(|rules| {
                    // One state at a time is enough where the lifted engine has to be asked.
                    let kind = if rules.interface().lifted.any() { MachineKind::Incremental } else { best };
                    Ok(machine(rules, kind, &config.ground.budget)?)
                });
                match made {
                    Ok(prepared) => {
                        note(&format!("auto: `{}` plays", prepared.name()));
                        Ok(prepared)
                    }
                    Err(error) => {
                        budget().check()?;
                        note(&format!("auto: `lifted` plays, since there is no network: {}", reason(&error)));
                        Ok(Prepared::Lifted(self, game))
                    }
                }
            }
            _ => Ok(Prepared::Lifted(self, game)),
        }
    }
}

/// A check of an engine against the reference.
struct Check<'a> {
    args: &'a ReasonArgs,
    game: &'a Loaded,
    config: SelfCheck,
}

impl Task for Check<'_> {
    type Output = Verdict;

    fn run<R: Reasoner + Send>(self, make: impl Fn() -> Result<R, Failure>) -> Result<Verdict, Failure> {
        let mut engine = make()?;
        // The judge is made within the time of the check.
        let start = Instant::now();
        let mut limits = self.args.limits();
        limits.budget = limits.budget.part(self.config.time);
        let mut judge = Reference::new(self.game.program.clone(), limits)?;
        let time = self.config.time.saturating_sub(start.elapsed());
        Ok(self_check(&mut engine, &mut judge, &SelfCheck { time, ..self.config }))
    }
}

/// Tells how far a check came.
fn tell(engine: &Prepared, verdict: &Verdict) {
    let Verdict::Agrees { states, cut_short } = verdict else { return };
    let states = crate::render::count(states, "state");
    let why = cut_short.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
    note(&format!("self-check: `{}` agrees with the reference in {states}{why}", engine.name()));
}

/// What machines are made from, with a note if invariants could have made it smaller but for a limit.
fn rules(game: &Loaded, config: &MachineConfig) -> Result<Arc<CompiledGame>, GameError> {
    let network = Game::from_program(game.program.clone()).network(config)?;
    tell_exhausted(network.exhausted);
    Ok(Arc::new(CompiledGame::new(network.network, &config.ground.budget)?))
}

/// Tells that invariants did not do what they could have done, because of this limit.
pub(crate) fn tell_exhausted(limit: Option<Exhausted>) {
    if let Some(limit) = limit {
        note(&format!(
            "note: invariants were cut short (limit `{}`): another run may have another network",
            limit.name()
        ));
    }
}

/// Why there is no machine, in one line.
fn reason(error: &GameError) -> String {
    match error {
        GameError::Ground(GroundError::Limit { limit, .. }) => {
            format!("limit `{}` hit while grounding", limit.name())
        }
        _ => error.to_string().replace('\n', " "),
    }
}

/// A machine that cannot be had as the end of a command.
pub(crate) fn failure(error: &GameError) -> Failure {
    let outcome = match error {
        GameError::Ground(GroundError::Limit { .. }) | GameError::Exhausted(_) => Outcome::Limit,
        GameError::Connect(
            grundy::network::ConnectError::TooLarge | grundy::network::ConnectError::Lifted(_),
        ) => Outcome::Limit,
        _ => Outcome::Wrong,
    };
    match error {
        GameError::Ground(GroundError::Limit { limit: LimitKind::Interrupt, .. }) => {
            crate::limits::failure(Exhausted::Interrupt)
        }
        GameError::Exhausted(reason) => crate::limits::failure(*reason),
        _ => Failure::new(outcome, format!("no network: {}", reason(error))).with(details(error)),
    }
}

/// The stage that failed, with the limit and the rule if there are any.
fn details(error: &GameError) -> Details {
    let (stage, limit, rule, instances) = match error {
        GameError::Ground(GroundError::Limit { limit, rule, instances, .. }) => {
            ("ground", Some(limit.name()), Some(rule.clone()), Some(*instances))
        }
        GameError::Ground(GroundError::NegationCycle { rule, .. }) => {
            ("ground", None, Some(rule.clone()), None)
        }
        GameError::Exhausted(reason) => ("network", Some(reason.name()), None, None),
        GameError::Connect(grundy::network::ConnectError::TooLarge) => ("network", Some("edges"), None, None),
        GameError::Connect(grundy::network::ConnectError::Lifted(_)) => {
            ("ground", Some("instances"), None, None)
        }
        GameError::Sheet(_) => ("read", None, None, None),
        GameError::Connect(_) | GameError::NoSafeMoves => ("network", None, None, None),
    };
    let limit = limit.map(str::to_owned);
    Details { stage: Some(stage), limit, rule, instances, ..Details::default() }
}
