//! From two files to compiled features.

use super::{Args, OrderArg};
use crate::files::{Loaded, ReadArgs, load_sound, read_source};
use crate::limits;
use crate::output::{Details, Failure, Outcome, note};
use crate::render;
use crate::sample::{failure, random_states, working_memories};
use anyhow::Result;
use grundy::analysis;
use grundy::features::{
    Determined, FeatureConfig, FeatureError, Features, File, Finding, Selection, TableKind, Tables,
};
use grundy::metarules::{Domain, DomainLimits, MetaError, SearchConfig, find_metarules, replace_fact};
use grundy::unfold::{InductionConfig, prove_single_valued};
use grundy_syntax::{Dialect, Exhausted, Notation, Program, Source, read};
use std::time::{Duration, Instant};

/// Features, ready to be valued.
pub(crate) struct Compiled {
    pub(crate) features: Features,
    pub(crate) tables: Tables,
    pub(crate) program: Program,
    pub(crate) notation: Notation,
    /// From the files to the ground clauses.
    pub(crate) ground: Duration,
    /// From the ground clauses to the tables.
    pub(crate) unfold: Duration,
}

/// By default tables are flat as long as they have no more clauses than this.
const MOST_FLAT: u64 = 20_000;

/// How many steps proofs about a game may take: to derive its facts, to search for metarules, and to unfold.
const FACT_STEPS: u64 = 60_000_000;
const SEARCH_STEPS: u64 = 10_000_000;
const PROOF_WORK: u64 = 30_000_000;

/// Reads a theory and features, and compiles them.
pub(super) fn compile(args: &Args) -> Result<Compiled> {
    let (Some(theory), Some(features)) = (&args.theory, &args.features) else {
        return Err(Failure::new(Outcome::Usage, "a theory and features are needed").into());
    };
    let loaded = load_theory(theory, &args.with, &args.read)?;
    let (source, program) = load_features(features, &loaded.program, &args.read)?;
    let config = FeatureConfig {
        constraints: !args.no_constraints,
        written_order: args.order == OrderArg::Written,
        max_clauses: args.max_clauses,
        budget: limits::budget(),
    };
    let also = args.also.iter().map(|text| name_and_arity(text)).collect::<Result<_, _>>()?;
    let selection = Selection { also, only: None };
    let known = if args.no_constraints { Vec::new() } else { proved(&loaded)? };
    let report = |error| tell(error, (&loaded.source, &source));
    let start = Instant::now();
    let features = Features::new(&loaded.program, &program, &selection, &known, &config).map_err(report)?;
    let ground = start.elapsed();
    let start = Instant::now();
    let tables = make_tables(&features, args.tables.map(|tables| tables.kind()), &config).map_err(report)?;
    let unfold = start.elapsed();
    let notation = args.read.notation(theory);
    Ok(Compiled { features, tables, notation, program: loaded.program, ground, unfold })
}

/// Flat tables while they are small, if nobody asked for anything.
fn make_tables(
    features: &Features,
    kind: Option<TableKind>,
    config: &FeatureConfig,
) -> Result<Tables, FeatureError> {
    if let Some(kind) = kind {
        return features.compile(kind, config);
    }
    let small = FeatureConfig { max_clauses: config.max_clauses.min(MOST_FLAT), ..config.clone() };
    features.compile(TableKind::Flat, &small).or_else(|_| {
        config.budget.check()?;
        features.compile(TableKind::Shared, config)
    })
}

/// Reads a theory or game, with some facts replaced.
pub(crate) fn load_theory(path: &str, with: &[String], read: &ReadArgs) -> Result<Loaded> {
    let mut loaded = load_sound(path, read)?;
    for text in with {
        replace_fact(&mut loaded.program, read.notation(path), text).map_err(failure)?;
    }
    Ok(loaded)
}

/// Reads features for a theory: errors are printed and end the command.
pub(crate) fn load_features(path: &str, theory: &Program, args: &ReadArgs) -> Result<(Source, Program)> {
    let source = read_source(path, args)?;
    let reading = read(&source, args.notation(path), theory.dialect, &args.limits());
    let mut diagnostics = reading.diagnostics;
    // Features are no game by themselves: what a game has to have is not missed in them.
    let mut alone = reading.program.clone();
    alone.dialect = Dialect::Theory;
    analysis::analyze(&source, &alone, &mut diagnostics, &limits::budget()).map_err(limits::failure)?;
    let fatal: Vec<_> = diagnostics.iter().filter(|diagnostic| diagnostic.code.stops()).collect();
    if !fatal.is_empty() {
        let message = format!("`{path}` cannot be used: {}", render::count(fatal.len(), "error"));
        let details = render::details(&source, &fatal);
        let (shown, _) = render::most_telling(fatal, render::MOST_MESSAGES);
        shown.iter().for_each(|diagnostic| note(&format!("{}\n", render::diagnostic(&source, diagnostic))));
        return Err(Failure::new(Outcome::Wrong, message).with(details).at("read").into());
    }
    Ok((source, reading.program))
}

/// Prints what is wrong, and the failure that it is.
pub(crate) fn tell(error: FeatureError, (theory, features): (&Source, &Source)) -> Failure {
    let show = |finding: &Finding| {
        let source = if finding.place.file == File::Theory { theory } else { features };
        let text =
            render::error_at(source, finding.place.span, &finding.message, &finding.label, &finding.hint);
        note(&format!("{text}\n"));
    };
    match error {
        FeatureError::Wrong(findings) => {
            findings.iter().take(render::MOST_MESSAGES).for_each(show);
            let message = format!("the features cannot be used: {}", render::count(findings.len(), "error"));
            Failure::new(Outcome::Wrong, message).at("features")
        }
        FeatureError::Limit { limit, finding } => {
            show(&finding);
            let source = if finding.place.file == File::Theory { theory } else { features };
            let place = source.place(finding.place.span.start);
            let details = Details {
                limit: Some(limit.to_owned()),
                stage: Some(limits::budget().stage().name()),
                rule: Some(limits::shortened(source.slice(finding.place.span))),
                line: Some(place.line as u32),
                column: Some(place.column as u32),
                interrupted: limit == Exhausted::Interrupt.name(),
                ..Details::default()
            };
            let message = format!("the features cannot be compiled (limit `{limit}`)");
            Failure::new(Outcome::Limit, message).with(details)
        }
        FeatureError::Exhausted(reason) => limits::failure(reason),
    }
}

/// What can be proved of the states of a game with a little work. Proofs make tables smaller, and change no value.
pub(crate) fn proved(loaded: &Loaded) -> Result<Vec<Determined>, Failure> {
    if loaded.program.dialect != Dialect::Game {
        return Ok(Vec::new());
    }
    match try_to_prove(loaded) {
        Err(MetaError::Exhausted(reason)) => Err(limits::failure(reason)),
        // The game may have too many facts for this, and still be ground.
        Err(error) => {
            limits::budget().check()?;
            note(&format!("note: nothing was proved of the states: {error}"));
            Ok(Vec::new())
        }
        Ok(proved) => Ok(proved),
    }
}

fn try_to_prove(loaded: &Loaded) -> Result<Vec<Determined>, MetaError> {
    let budget = limits::budget();
    let limits = DomainLimits { steps: FACT_STEPS, budget: budget.clone(), ..DomainLimits::default() };
    let mut domain = Domain::new(&loaded.program, &[], &limits)?;
    // Games that cannot be played have no states to guess from.
    let states = random_states(&loaded.program, 2, 1).unwrap_or_default();
    budget.check()?;
    if states.is_empty() {
        return Ok(Vec::new());
    }
    let memories = working_memories(&loaded.program, &mut domain, &states, FACT_STEPS)?;
    let config = SearchConfig { steps: SEARCH_STEPS, budget: budget.clone(), ..SearchConfig::default() };
    let metarules = find_metarules(&mut domain, &memories, &config)?;
    let induction = InductionConfig { max_work: PROOF_WORK, budget, ..InductionConfig::default() };
    let proved = prove_single_valued(&mut domain, &memories, &metarules, &induction)?;
    if !proved.complete {
        note("note: not all proofs about states came to their end (limits `steps` and `work`)");
    }
    let proved = proved.dependencies;
    let determined = proved.iter().filter_map(|one| {
        let name = domain.fact_name(one.predicate)?.to_owned();
        let arity = domain.program().info(one.predicate).arity;
        Some(Determined { name, arity, key: one.key_arguments(), value: one.value })
    });
    Ok(determined.collect())
}

fn name_and_arity(text: &str) -> Result<(String, usize), Failure> {
    let parts = text.rsplit_once('/').and_then(|(name, arity)| Some((name.to_owned(), arity.parse().ok()?)));
    parts.ok_or_else(|| Failure::new(Outcome::Usage, format!("`{text}` is not of the form name/arity")))
}
