//! `grundy unfold`: rules that say now when a goal will be reached.

use crate::files::{Loaded, ReadArgs, load_sound};
use crate::limits::{LimitArgs, budget};
use crate::output::{Failure, Outcome, note, print, print_json};
use crate::render::count;
use crate::sample::{SampleArgs, failure};
use anyhow::Result;
use clap::ValueEnum;
use grundy::metarules::{
    Domain, DomainLimits, Memory, MetaPrinter, Metarules, SearchConfig, SingleValued, find_metarules,
};
use grundy::unfold::{Count, Kinds, UnfoldConfig, Unfolding, count_unfolded, unfold};
use grundy::unfold::{InductionConfig, ParsedGoal, losing_target, prove_single_valued};
use grundy::winning::forced_moves;
use grundy_bench::huge;
use grundy_syntax::{Dialect, Printer};
use serde_json::{Value, json};
use std::time::Instant;

/// Unfold a goal: rules that say, before a move, when the goal will be reached by it
///
/// The goal is replaced by the conditions of the rules that conclude it, and facts after a move by the
/// conditions under which the move makes them true, until all conditions can be asked before the move.
/// Metarules are applied after every step: without them, most rules could never fire.
///
/// For a game, a goal value means winning with it: the rules find every move that wins at once. A theory says
/// what moves do by `legal(Move)`, `does(Move)` and `next(Fact)`.
///
/// With `--without`, metarules of some kinds are left out. Without impossible or single-valued ones
/// there would be too many rules to build; they are counted instead.
#[derive(clap::Args)]
#[command(after_help = "Try:  grundy unfold games/tic-tac-toe.kif --goal '(goal x 100)' --moves 1\n      \
                        grundy unfold theories/grid.pl --goal 'path(X, D, 4)' --moves 0\n      \
                        grundy unfold theories/go.pl --goal 'taking(C, S)' --without impossible,single-valued")]
pub(crate) struct Args {
    /// The rule sheet or theory, or `-`
    file: String,

    /// What to reach, in the notation of the file: '(goal x 100)', 'taking(C, S)'
    #[arg(long, value_name = "G")]
    goal: String,

    /// How many moves lie before it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=4))]
    moves: u8,

    /// Leave out metarules of these kinds
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND")]
    without: Vec<KindArg>,

    /// For a game and a goal value: the moves that stop the other roles from reaching it with their next move
    #[arg(long)]
    forced: bool,

    /// Do not unfold views of the state before the moves
    #[arg(long)]
    keep_views: bool,

    /// A rule with more conditions than this is given up
    #[arg(long, value_name = "N", default_value_t = UnfoldConfig::default().max_conditions, help_heading = "Limits")]
    max_conditions: usize,

    /// Limit: how many rules may be made
    #[arg(long, value_name = "N", default_value_t = UnfoldConfig::default().max_rules, help_heading = "Limits")]
    max_rules: usize,

    /// Limit: how many steps unfolding may take
    #[arg(long, value_name = "N", default_value_t = UnfoldConfig::default().max_steps, help_heading = "Limits")]
    max_steps: u64,

    /// Limit: how much work these steps may take together, counted in rows that are matched and conditions that are compared
    #[arg(long, value_name = "N", default_value_t = UnfoldConfig::default().max_work, help_heading = "Limits")]
    max_work: u64,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    sample: SampleArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

/// The kinds of metarules that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KindArg {
    /// Rules with impossible conditions are not cut
    Impossible,
    /// What has to be equal is not unified
    SingleValued,
    /// Conditions that follow from others stay
    Useless,
    /// Conditions are not put in order
    Ordering,
}

impl Args {
    fn kinds(&self) -> Kinds {
        let has = |kind| !self.without.contains(&kind);
        Kinds {
            impossible: has(KindArg::Impossible),
            single_valued: has(KindArg::SingleValued),
            useless: has(KindArg::Useless),
            ordering: has(KindArg::Ordering),
        }
    }

    fn config(&self, loaded: &Loaded) -> UnfoldConfig {
        UnfoldConfig {
            moves: self.moves,
            kinds: self.kinds(),
            unfold_views: loaded.program.dialect == Dialect::Theory && !self.keep_views,
            max_conditions: self.max_conditions,
            max_rules: self.max_rules,
            max_steps: self.max_steps,
            max_work: self.max_work,
            budget: budget(),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let start = Instant::now();
    let mut loaded = load_sound(&args.file, &args.read)?;
    args.sample.replace_facts(&mut loaded, &args.read)?;
    let goal = ParsedGoal::read(&args.goal, args.read.notation(&args.file), loaded.program.dialect)
        .map_err(failure)?;
    let limits = DomainLimits { steps: u64::MAX, budget: budget(), ..DomainLimits::default() };
    let mut domain = goal.domain(&loaded.program, &limits).map_err(failure)?;
    let config = args.config(&loaded);
    let target = goal.target(&mut domain, args.moves).map_err(failure)?;
    let generated = count_unfolded(&mut domain, &target, &config).map_err(failure)?;
    if !config.kinds.impossible || !config.kinds.single_valued {
        return report_count(args, generated, start);
    }
    let (metarules, proved) = knowledge(args, &loaded, &mut domain)?;
    if args.forced {
        return run_forced(args, &mut domain, &goal, (&metarules, &proved), &config, start);
    }
    let unfolding = unfold(&mut domain, &target, Some(&metarules), &proved, &config).map_err(failure)?;
    report(args, &mut domain, &unfolding, Vec::new(), generated, start)
}

/// Unfolds the moves that stop other roles.
fn run_forced(
    args: &Args,
    domain: &mut Domain,
    goal: &ParsedGoal,
    (metarules, proved): (&Metarules, &[SingleValued]),
    config: &UnfoldConfig,
    start: Instant,
) -> Result<Outcome> {
    let (role, value) = goal.role_and_value(domain).map_err(failure)?;
    let found = forced_moves(domain, role, value, Some(metarules), proved, config).map_err(failure)?;
    let mut all = Unfolding { complete: true, ..Unfolding::default() };
    for loses in found.loses {
        all.rules.extend(loses.rules);
        all.auxiliary.extend(loses.auxiliary);
        all.complete &= loses.complete;
        all.counts.add(&loses.counts);
    }
    let target = losing_target(domain, role, role, value).map_err(failure)?;
    let generated =
        count_unfolded(domain, &target, &UnfoldConfig { moves: 2, ..config.clone() }).map_err(failure)?;
    let notation = args.read.notation(&args.file);
    let more = found.rules.iter().map(|rule| Printer::new(domain.program(), notation).rule(rule)).collect();
    report(args, domain, &all, more, generated, start)
}

/// The metarules that unfolding starts with.
fn knowledge(args: &Args, loaded: &Loaded, domain: &mut Domain) -> Result<(Metarules, Vec<SingleValued>)> {
    let states = args.sample.states(loaded, &args.read)?;
    let memories: Vec<Memory> = args.sample.memories(loaded, domain, &states)?;
    let config = SearchConfig { budget: budget(), ..SearchConfig::default() };
    let metarules = find_metarules(domain, &memories, &config)?;
    let induction = InductionConfig { budget: budget(), ..InductionConfig::default() };
    let proved = prove_single_valued(domain, &memories, &metarules, &induction)?;
    if !proved.complete {
        note(
            "note: not all proofs that facts are single-valued came to their end (limits `steps` and `work`)",
        );
    }
    Ok((metarules, proved.dependencies))
}

fn report_count(args: &Args, generated: Count, start: Instant) -> Result<Outcome> {
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        print_json(
            json!({"generated": count_json(generated), "kept": count_json(generated), "seconds": seconds}),
        );
    } else {
        print(&format!("{} would be generated\n", count(huge(generated), "rule")))?;
    }
    Ok(Outcome::Fine)
}

/// A count as a number; beyond what JSON readers take for whole numbers, as an approximate one.
pub(crate) fn count_json(count: Count) -> Value {
    u64::try_from(count).map_or_else(|_| json!(count as f64), |count| json!(count))
}

fn report(
    args: &Args,
    domain: &mut Domain,
    unfolding: &Unfolding,
    more: Vec<String>,
    generated: Count,
    start: Instant,
) -> Result<Outcome> {
    let mut printer = MetaPrinter::new(domain, args.read.notation(&args.file));
    let rules = unfolding.rules.iter().map(|clause| printer.clause(clause));
    let rules: Vec<String> = rules.chain(more).collect();
    let auxiliary: Vec<String> = unfolding.auxiliary.iter().map(|clause| printer.clause(clause)).collect();
    let counts = unfolding.counts;
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        let impossible: Vec<String> =
            unfolding.impossible.iter().map(|one| printer.impossible(one).text).collect();
        let useless: Vec<String> = unfolding.useless.iter().map(|one| printer.useless(one).text).collect();
        print_json(json!({
            "generated": count_json(generated),
            "kept": unfolding.rules.len(),
            "auxiliary": unfolding.auxiliary.len(),
            "complete": unfolding.complete,
            "rules": rules,
            "auxiliary_rules": auxiliary,
            "cut": {
                "impossible": counts.impossible,
                "single_valued": counts.single_valued,
                "useless_conditions": counts.useless,
                "duplicates": counts.duplicates,
                "too_long": counts.too_long,
            },
            "unified": counts.unified,
            "steps": counts.steps,
            "found": {"impossible": impossible, "useless": useless},
            "seconds": seconds,
        }));
    } else {
        let text: Vec<String> = rules.into_iter().chain(auxiliary).map(|rule| rule + "\n").collect();
        print(&text.concat())?;
    }
    note(&format!(
        "{} would be generated without metarules; {} left, and {} of auxiliary predicates ({seconds:.3} s)\n\
         {}; {} cut as impossible, {} because of single values, {} as duplicates; {} unified, {} left out",
        count(huge(generated), "rule"),
        unfolding.rules.len(),
        unfolding.auxiliary.len(),
        count(counts.steps, "step"),
        count(counts.impossible, "rule"),
        counts.single_valued,
        counts.duplicates,
        count(counts.unified, "value"),
        count(counts.useless, "useless condition"),
    ));
    if !unfolding.complete {
        let message = format!(
            "{} given up because of too many conditions (limit `conditions`, --max-conditions)",
            count(counts.too_long, "rule")
        );
        return Err(Failure::limit("conditions", message).at("unfold").into());
    }
    Ok(Outcome::Fine)
}
