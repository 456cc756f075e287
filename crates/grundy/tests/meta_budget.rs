//! Metarules, unfolding and features within a budget: a budget that is used up ends each stage with a typed error, one
//! that is not changes nothing, and limits on counted work give the same result each time.

use grundy::features::{
    FeatureConfig, FeatureError, Features, GenerateConfig, Generation, Selection, TableKind, generate,
};
use grundy::lifted::{Lifted, LiftedConfig};
use grundy::metarules::{
    Domain, DomainLimits, Memory, MetaError, Metarules, SearchConfig, WorkingMemories, branching_of,
    find_metarules, metarules_so_far,
};
use grundy::reasoner::{ReasonError, Reasoner};
use grundy::unfold::{InductionConfig, ParsedGoal, prove_single_valued};
use grundy::unfold::{UnfoldConfig, count_unfolded, unfold};
use grundy::winning::{MoveRulesConfig, move_rules};
use grundy_reference::Limits;
use grundy_syntax::{Budget, Dialect, Exhausted, Notation, Program, Source, Stage, read_game, read_theory};
use std::time::Duration;

/// Two players take one or two stones in turn from a row; stones have colours, and the last one wins.
const STONES: &str = "
    (role left) (role right)
    (init (control left)) (init (stone a red)) (init (stone b blue)) (init (stone c red))
    (next-to a b) (next-to b c) (colour red) (colour blue)
    (other left right) (other right left)
    (<= (legal ?r (take ?s)) (true (control ?r)) (true (stone ?s ?c)))
    (<= (legal ?r (pair ?s ?t)) (true (control ?r)) (next-to ?s ?t) (true (stone ?s ?c)) (true (stone ?t ?d)))
    (<= (legal ?r wait) (role ?r) (other ?r ?o) (true (control ?o)))
    (<= (taken ?s) (does ?r (take ?s)))
    (<= (taken ?s) (does ?r (pair ?s ?t)))
    (<= (taken ?t) (does ?r (pair ?s ?t)))
    (<= (next (stone ?s ?c)) (true (stone ?s ?c)) (not (taken ?s)))
    (<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
    (<= some (true (stone ?s ?c)))
    (<= terminal (not some))
    (<= (goal ?r 100) (role ?r) (other ?r ?o) (true (control ?o)) (not some))
    (<= (goal ?r 0) (true (control ?r)))
    (<= (goal ?r 0) (role ?r) some)";

/// A ring of 40 points.
fn ring() -> String {
    let edges: String = (0..40).map(|n| format!("edge(p{n}, p{}). point(p{n}). ", (n + 1) % 40)).collect();
    format!(
        ":- dynamic owns/2.\n{edges}
         free(X) :- point(X), \\+ owns(x, X), \\+ owns(o, X).
         two(X, Y) :- edge(X, Y), owns(x, X), owns(x, Y).
         way(X, Z) :- edge(X, Y), edge(Y, Z), free(Y), free(Z), X \\== Z."
    )
}

fn game(text: &str) -> Program {
    read_game(&Source::new("test.kif", text), &Default::default()).program
}

fn theory(text: &str) -> Program {
    read_theory(&Source::new("test.pl", text), &Default::default()).program
}

fn expired() -> Budget {
    Budget::new(Some(Duration::ZERO))
}

fn interrupted() -> Budget {
    let budget = Budget::new(Some(Duration::from_secs(3600)));
    budget.interrupt();
    budget
}

fn generous() -> Budget {
    Budget::new(Some(Duration::from_secs(3600))).within(1 << 40, || 1)
}

/// The initial state and some that follow.
fn states(program: &Program) -> Vec<Vec<String>> {
    let mut lifted = Lifted::new(program, &LiftedConfig::default()).unwrap();
    let mut state = lifted.initial().unwrap();
    let mut states = Vec::new();
    while !lifted.is_terminal(&state).unwrap() {
        states.push(lifted.facts(&state));
        let joint: Vec<_> = lifted.legal(&state).unwrap().into_iter().map(|moves| moves[0]).collect();
        state = lifted.next(&state, &joint).unwrap();
    }
    states
}

/// A domain with working memories and metarules.
struct Prepared {
    program: Program,
    states: Vec<Vec<String>>,
    domain: Domain,
    memories: Vec<Memory>,
    metarules: Metarules,
}

impl Prepared {
    fn new(program: Program) -> Prepared {
        let mut domain = Domain::new(&program, &[], &DomainLimits::default()).unwrap();
        let states = if program.dialect == Dialect::Game { states(&program) } else { Vec::new() };
        let mut working = WorkingMemories::new(&program, &domain, Limits::default()).unwrap();
        let memories: Vec<Memory> =
            states.iter().map(|facts| working.memory(&mut domain, facts).unwrap()).collect();
        let metarules = find_metarules(&mut domain, &memories, &SearchConfig::default()).unwrap();
        Prepared { program, states, domain, memories, metarules }
    }
}

/// Runs each stage within a budget; the names of the stages and how they ended.
fn all_stages(budget: &Budget) -> Vec<(&'static str, Result<String, MetaError>)> {
    let mut at = Prepared::new(game(STONES));
    let budget = || budget.clone();
    let mut results: Vec<(&'static str, Result<String, MetaError>)> = Vec::new();
    let limits = DomainLimits { budget: budget(), ..DomainLimits::default() };
    let domain = Domain::new(&at.program, &[], &limits);
    results.push(("domain", domain.map(|domain| domain.topology().len().to_string())));

    let limits = Limits { budget: budget(), ..Limits::default() };
    let memory = WorkingMemories::new(&at.program, &at.domain, limits)
        .and_then(|mut working| working.memory(&mut at.domain, &at.states[0]));
    results.push(("memory", memory.map(|memory| memory.len().to_string())));

    let search = SearchConfig { budget: budget(), ..SearchConfig::default() };
    let found = find_metarules(&mut at.domain, &at.memories, &search);
    results.push(("search", found.map(|found| format!("{found:?}")).map_err(MetaError::from)));

    let figures = branching_of(&at.domain, &at.memories, &budget());
    results.push(("branching", figures.map(|found| format!("{found:?}")).map_err(MetaError::from)));

    let induction = InductionConfig { budget: budget(), ..InductionConfig::default() };
    let proved = prove_single_valued(&mut at.domain, &at.memories, &at.metarules, &induction);
    results.push(("induction", proved.map(|found| format!("{found:?}")).map_err(MetaError::from)));

    let goal = ParsedGoal::read("terminal", Notation::Kif, Dialect::Game).unwrap();
    let target = goal.target(&mut at.domain, 1).unwrap();
    let config = UnfoldConfig { unfold_views: false, budget: budget(), ..UnfoldConfig::default() };
    let count = count_unfolded(&mut at.domain, &target, &config);
    results.push(("count", count.map(|count| count.to_string())));
    let unfolded = unfold(&mut at.domain, &target, Some(&at.metarules), &[], &config);
    results.push(("unfold", unfolded.map(|found| format!("{:?}", (found.rules, found.counts)))));

    let config = MoveRulesConfig { budget: budget(), ..MoveRulesConfig::default() };
    let rules = move_rules(&at.program, &at.states, &config);
    results.push(("move rules", rules.map(|rules| rules.rules.to_string())));
    results
}

#[test]
fn a_budget_that_is_used_up_ends_each_stage() {
    for (budget, reason) in [(expired(), Exhausted::Timeout), (interrupted(), Exhausted::Interrupt)] {
        for (stage, result) in all_stages(&budget) {
            assert_eq!(result.err(), Some(MetaError::Exhausted(reason)), "{stage}");
        }
    }
}

#[test]
fn a_generous_budget_changes_nothing() {
    let (with, without) = (all_stages(&generous()), all_stages(&Budget::default()));
    assert!(without.iter().all(|(_, result)| result.is_ok()));
    assert_eq!(with, without);
}

#[test]
fn what_was_found_before_an_interrupt_is_a_part_of_all() {
    let mut at = Prepared::new(theory(&ring()));
    let cut = SearchConfig { budget: interrupted(), ..SearchConfig::default() };
    let found = metarules_so_far(&mut at.domain, &[], &cut);
    assert!(!found.complete);
    assert!(at.metarules.complete);
    assert!(found.impossible.iter().all(|pattern| at.metarules.impossible.contains(pattern)));
    assert!(found.impossible.len() < at.metarules.impossible.len());
}

#[test]
fn the_stage_and_the_rule_are_recorded() {
    let budget = generous();
    let mut at = Prepared::new(game(STONES));
    let goal = ParsedGoal::read("terminal", Notation::Kif, Dialect::Game).unwrap();
    let target = goal.target(&mut at.domain, 1).unwrap();
    let config = UnfoldConfig { budget: budget.clone(), ..UnfoldConfig::default() };
    unfold(&mut at.domain, &target, Some(&at.metarules), &[], &config).unwrap();
    assert_eq!(budget.stage(), Stage::Unfold);
    let rule = budget.rule().expect("a rule was worked on");
    assert!(STONES[rule.start as usize..rule.end as usize].starts_with('('));
}

#[test]
fn a_search_with_few_steps_is_incomplete_and_the_same_each_time() {
    let mut at = Prepared::new(theory(&ring()));
    let mut last = usize::MAX;
    for steps in [u64::MAX, 2_000, 500, 0] {
        let config = SearchConfig { steps, ..SearchConfig::default() };
        let found = [0, 1].map(|_| find_metarules(&mut at.domain, &[], &config).unwrap());
        let [first, second] = found.map(|found| (format!("{:?}", found.useless), found));
        assert_eq!((first.0, &first.1.impossible), (second.0, &second.1.impossible));
        assert_eq!(first.1.complete, steps == u64::MAX, "{steps} steps");
        assert!(first.1.impossible.len() <= last, "{steps} steps");
        last = first.1.impossible.len();
    }
    assert_eq!(last, 0);
}

#[test]
fn proofs_with_little_work_prove_nothing_and_say_so() {
    let mut at = Prepared::new(game(STONES));
    let mut prove = |max_work| {
        let config = InductionConfig { max_work, ..InductionConfig::default() };
        prove_single_valued(&mut at.domain, &at.memories, &at.metarules, &config).unwrap()
    };
    let all = prove(u64::MAX);
    assert!(all.complete && !all.dependencies.is_empty());
    for work in [0, 100] {
        let cut = prove(work);
        assert!(!cut.complete && cut.dependencies.is_empty(), "{work}: {cut:?}");
        assert_eq!(cut, prove(work));
    }
}

#[test]
fn unfolding_with_little_work_is_an_error() {
    let mut at = Prepared::new(game(STONES));
    let goal = ParsedGoal::read("terminal", Notation::Kif, Dialect::Game).unwrap();
    let target = goal.target(&mut at.domain, 1).unwrap();
    for max_work in [0, 50, 200] {
        let config = UnfoldConfig { max_work, ..UnfoldConfig::default() };
        let error = unfold(&mut at.domain, &target, Some(&at.metarules), &[], &config).err();
        let Some(MetaError::Limit { limit: "work", .. }) = error else { panic!("{max_work}: {error:?}") };
    }
}

#[test]
fn facts_of_all_states_together_are_limited() {
    let mut at = Prepared::new(game(STONES));
    let limits = Limits { facts: 60, ..Limits::default() };
    let mut working = WorkingMemories::new(&at.program, &at.domain, limits).unwrap();
    let results: Vec<_> =
        at.states.iter().cycle().take(40).map(|facts| working.memory(&mut at.domain, facts).err()).collect();
    assert_eq!(results[0], None);
    assert!(matches!(results.last(), Some(Some(MetaError::Limit { limit: "facts", .. }))), "{results:?}");
}

/// A library has no accounting allocator: stages count what they hold.
#[test]
fn memory_is_counted_without_an_allocator() {
    let facts: String = (0..5_000).map(|n| format!("p(a{n}, a{}). ", n / 2)).collect();
    let program = theory(&(facts + "q(X) :- p(X, Y), p(Y, Z), r(Z). :- dynamic r/1."));
    let limits =
        |bytes| DomainLimits { budget: Budget::default().within(bytes, || 0), ..DomainLimits::default() };
    assert!(Domain::new(&program, &[], &limits(100 << 20)).is_ok());
    let error = Domain::new(&program, &[], &limits(100 << 10)).err();
    assert_eq!(error, Some(MetaError::Exhausted(Exhausted::Memory)));
}

/// Views that are chained, and written from the last to the first.
#[test]
fn long_chains_of_views_take_no_time() {
    let mut text = String::from(":- dynamic r/1.\np(a). ");
    for n in (0..20_000).rev() {
        text += &format!("v{}(X) :- v{n}(X).\n", n + 1);
    }
    text += "v0(X) :- p(X), r(X).";
    let domain = Domain::new(&theory(&text), &[], &DomainLimits::default()).unwrap();
    assert_eq!(domain.topology().len(), 1);
}

const FEATURES: &str =
    "pairs(X, Y) :- two(X, Y). places(X) :- free(X). mixed(X, Z) :- way(X, Z), owns(x, X).";

fn compiled(kind: TableKind, budget: &Budget) -> Result<(usize, usize), FeatureError> {
    let config = FeatureConfig { budget: budget.clone(), ..FeatureConfig::default() };
    let features = Features::new(&theory(&ring()), &theory(FEATURES), &Selection::default(), &[], &config)?;
    let tables = features.compile(kind, &config)?;
    let plan = tables.plan(&features)?;
    Ok((tables.sizes().and_rows, plan.network().node_count()))
}

#[test]
fn features_are_compiled_within_a_budget() {
    for kind in [TableKind::Flat, TableKind::Shared] {
        let sizes = compiled(kind, &Budget::default());
        assert!(sizes.is_ok());
        assert_eq!(compiled(kind, &generous()), sizes);
        for (budget, reason) in [(expired(), Exhausted::Timeout), (interrupted(), Exhausted::Interrupt)] {
            assert_eq!(compiled(kind, &budget), Err(FeatureError::Exhausted(reason)), "{kind:?}");
        }
    }
}

#[test]
fn each_stage_of_compiling_checks_the_budget() {
    for kind in [TableKind::Flat, TableKind::Shared] {
        let config = FeatureConfig { budget: generous(), ..FeatureConfig::default() };
        let features =
            Features::new(&theory(&ring()), &theory(FEATURES), &Selection::default(), &[], &config).unwrap();
        let tables = features.compile(kind, &config).unwrap();
        config.budget.interrupt();
        let interrupt = FeatureError::Exhausted(Exhausted::Interrupt);
        assert_eq!(tables.plan(&features).err(), Some(interrupt.clone()));
        let error = features.compile(kind, &config).err();
        let is_interrupt = match &error {
            Some(FeatureError::Limit { limit, .. }) => *limit == Exhausted::Interrupt.name(),
            other => *other == Some(interrupt),
        };
        assert!(is_interrupt, "{error:?}");
    }
}

fn generated(max_steps: u64, budget: Budget) -> Result<Generation, FeatureError> {
    let program = game(STONES);
    let config = GenerateConfig { count: 400, max_steps, budget, ..GenerateConfig::default() };
    generate(&program, Notation::Kif, &states(&program), &config)
}

#[test]
fn features_are_generated_within_counted_steps() {
    let texts = |found: &Generation| found.features.iter().map(|one| one.clause.clone()).collect::<Vec<_>>();
    let all = generated(u64::MAX, Budget::default()).unwrap();
    assert!(all.complete && !all.features.is_empty());
    assert_eq!(texts(&generated(u64::MAX, generous()).unwrap()), texts(&all));
    for (max_steps, is_enough) in [(10, false), (20, false), (10_000_000, true)] {
        let few = [0, 1].map(|_| generated(max_steps, Budget::default()).unwrap());
        assert_eq!(few[0].complete, is_enough, "{max_steps}: {} features", few[0].features.len());
        assert_eq!(few[0].features.len() == all.features.len(), is_enough, "{max_steps}");
        assert_eq!(texts(&few[0]), texts(&few[1]));
    }
    for (budget, reason) in [(expired(), Exhausted::Timeout), (interrupted(), Exhausted::Interrupt)] {
        let error = generated(u64::MAX, budget).err();
        assert_eq!(error, Some(FeatureError::Exhausted(reason)));
    }
}

#[test]
fn the_lifted_engine_counts_its_steps() {
    let program = game(STONES);
    let play = |max_steps| -> Result<u64, ReasonError> {
        let mut lifted = Lifted::new(&program, &LiftedConfig { max_steps, ..LiftedConfig::default() })?;
        let mut state = lifted.initial()?;
        while !lifted.is_terminal(&state)? {
            let joint: Vec<_> = lifted.legal(&state)?.into_iter().map(|moves| moves[0]).collect();
            state = lifted.next(&state, &joint)?;
        }
        Ok(lifted.steps())
    };
    let steps = play(u64::MAX).unwrap();
    for most in [1, steps / 2] {
        let error = play(most).unwrap_err();
        assert!(matches!(error, ReasonError::Limit { limit: "steps", .. }), "{error:?}");
    }
}

#[test]
fn the_reference_counts_its_steps() {
    let limits = DomainLimits { steps: 10, ..DomainLimits::default() };
    let program = theory(&(ring() + "far(X, Z) :- edge(X, Y), edge(Y, Z). q(X) :- far(X, Y), owns(x, Y)."));
    let error = Domain::new(&program, &[], &limits).err();
    assert!(matches!(error, Some(MetaError::Limit { limit: "steps", .. })), "{error:?}");
}
