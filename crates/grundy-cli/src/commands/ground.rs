//! `grundy ground`: the game without variables.

use crate::engine::JoinOrderArg;
use crate::files::{Loaded, ReadArgs, load_game, peak_memory, write_streamed};
use crate::limits::{self, LimitArgs, budget};
use crate::output::{Details, Failure, Outcome, note, print, print_json, print_streamed};
use crate::progress::Watch;
use crate::render;
use anyhow::Result;
use clap::ValueEnum;
use grundy::ground::{
    DotError, GroundConfig, GroundError, GroundProgram, LiftedRelation, LimitKind, MOST_NODES, Method,
    Progress, Slice, Thresholds, ground, write_aspif, write_dot, write_json, write_kif,
};
use grundy::invariants::{InvariantConfig, Invariants, Pruned, PruningPass, invariants_of};
use grundy_syntax::{Exhausted, Keyword, Span};
use indicatif::{HumanBytes, HumanCount};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Ground a game: find all instances of its rules
///
/// With `--out`, or with `--emit`, the ground program is written; otherwise its size is told.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The rule sheet, or `-`
    file: String,

    /// How to find what can be true and what can be done; the result is the same
    #[arg(long, value_enum, default_value = "fused")]
    method: MethodArg,

    /// Exactly the instances of the sheet's own rules
    #[arg(long)]
    faithful: bool,

    /// In which order the conditions of a rule are matched; the rules mean the same
    #[arg(long, value_enum, default_value = "branching")]
    join_order: JoinOrderArg,

    /// Prove invariants of states, and prune the ground rules by them: the same answers in all states of play, for
    /// legal moves
    #[arg(long, conflicts_with = "faithful")]
    invariants: bool,

    /// With `--invariants`: what to leave out (invariants, constants, exclusive, covers, useless, equal, needed)
    #[arg(long, value_name = "PASS,…", value_delimiter = ',', value_parser = left_out, requires = "invariants")]
    without: Vec<LeftOut>,

    /// Limit, with `--invariants`: how many seconds to look for invariants; a last resort, since counted work bounds the
    /// search
    #[arg(long, value_name = "S", value_parser = crate::limits::seconds, default_value = "600", help_heading = "Limits")]
    invariants_timeout: Duration,

    /// Write the ground program to a file
    #[arg(long, value_name = "F")]
    out: Option<PathBuf>,

    /// The format of the ground program [default: kif]
    #[arg(long, value_enum)]
    emit: Option<Emit>,

    /// With `--emit dot`: draw only what is near this atom, such as '(next (cell 1 1 x))'
    #[arg(long, value_name = "ATOM")]
    around: Option<String>,

    /// With `--around`: how many rules to follow in either direction
    #[arg(long, value_name = "N", default_value_t = 1, requires = "around")]
    depth: u32,

    /// Limit: how many rules the ground program may have
    #[arg(long, value_name = "N", default_value_t = GroundConfig::default().max_rules, help_heading = "Limits")]
    max_rules: u64,

    /// Limit: how many instances a rule of a view may have; with more, the view is not grounded
    #[arg(long, value_name = "N", default_value_t = Thresholds::default().lift, help_heading = "Limits")]
    budget: u64,

    /// Limit: how deep terms may nest
    #[arg(long, value_name = "N", default_value_t = GroundConfig::default().max_term_depth, help_heading = "Limits")]
    max_term_depth: usize,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

/// A part of pruning that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeftOut {
    /// The search for invariants: only what holds in every game is used.
    Invariants,
    Pass(PruningPass),
}

fn left_out(text: &str) -> Result<LeftOut, String> {
    match PruningPass::find(text) {
        Some(pass) => Ok(LeftOut::Pass(pass)),
        None if text == "invariants" => Ok(LeftOut::Invariants),
        None => Err(format!("expected invariants, {}", PruningPass::names())),
    }
}

/// What pruning has done.
struct Pruning {
    pruned: Pruned,
    /// How many groups of facts something was proved about.
    groups: usize,
    complete: bool,
    /// The limit that cut the search for invariants short, if one did.
    exhausted: Option<Exhausted>,
    seconds: f64,
}

/// Proves invariants and prunes by them, if that is wanted.
fn prune(args: &Args, ground: &mut GroundProgram) -> Result<Option<Pruning>, Failure> {
    if !args.invariants {
        return Ok(None);
    }
    let start = Instant::now();
    let is_wanted = |part: LeftOut| !args.without.contains(&part);
    let config =
        InvariantConfig { timeout: args.invariants_timeout, budget: budget(), ..InvariantConfig::default() };
    let invariants =
        if is_wanted(LeftOut::Invariants) { invariants_of(ground, &config) } else { Invariants::default() };
    budget().check()?;
    let pruned =
        grundy::invariants::prune(ground, &invariants, |pass| is_wanted(LeftOut::Pass(pass)), &budget())?;
    Ok(Some(Pruning {
        pruned,
        groups: invariants.proved.len(),
        complete: invariants.complete,
        exhausted: invariants.exhausted,
        seconds: start.elapsed().as_secs_f64(),
    }))
}

impl Pruning {
    fn to_json(&self) -> serde_json::Value {
        let saved = self.pruned.saved.iter();
        let saved: serde_json::Map<String, serde_json::Value> = saved
            .map(|of| (of.pass.name().to_owned(), json!({"rules": of.rules, "literals": of.literals})))
            .collect();
        json!({
            "rules": self.pruned.rules,
            "literals": self.pruned.literals,
            "invariants": self.groups,
            "complete": self.complete,
            "cut_short_by": self.exhausted.map(Exhausted::name),
            "saved": saved,
            "seconds": self.seconds,
        })
    }

    fn summary(&self) -> String {
        let saved = self.pruned.saved.iter().filter(|of| of.literals > 0);
        let saved: Vec<String> =
            saved.map(|of| format!("{} {}", of.pass.name(), HumanCount(of.literals))).collect();
        let saved = if saved.is_empty() { "nothing".to_owned() } else { saved.join(", ") };
        format!(
            "  of {} pruned: {saved}; {} with invariants ({:.3} s)\n",
            render::count(HumanCount(self.pruned.literals), "condition"),
            render::count(HumanCount(self.groups as u64), "group"),
            self.seconds,
        )
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum MethodArg {
    /// One fixpoint that stores rules as they match
    Fused,
    /// First what can be true and be done, then the rules
    OneStep,
    /// Round by round, as a match would go on
    Iterative,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// Ground GDL
    Kif,
    /// One JSON object
    Json,
    /// A picture for Graphviz
    Dot,
    /// The ground format of answer-set solvers
    Aspif,
}

impl MethodArg {
    fn name(self) -> &'static str {
        match self {
            MethodArg::Fused => "fused",
            MethodArg::OneStep => "one-step",
            MethodArg::Iterative => "iterative",
        }
    }

    fn method(self) -> Method {
        match self {
            MethodArg::Fused => Method::Fused,
            MethodArg::OneStep => Method::OneStep,
            MethodArg::Iterative => Method::Iterative,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    check_call(args)?;
    let start = Instant::now();
    let game = load_game(&args.file, &args.read)?;
    let read = start.elapsed();
    let progress = Arc::new(Progress::default());
    let config = GroundConfig {
        method: args.method.method(),
        faithful: args.faithful,
        thresholds: Thresholds { lift: args.budget, ..Thresholds::default() },
        join_order: args.join_order.into(),
        max_rules: args.max_rules,
        max_term_depth: args.max_term_depth,
        budget: limits::budget(),
        progress: Some(progress.clone()),
    };
    let watch = Watch::start(progress);
    let grounded = ground(&game.program, &config);
    drop(watch);
    if grounded.is_err() && args.json {
        print_json(json!({"game": args.file, "method": args.method.name(), "faithful": args.faithful}));
    }
    let mut grounded = grounded.map_err(|error| failure(&game, &error))?;
    let pruning = prune(args, &mut grounded)?;
    emit(args, &grounded)?;
    tell_lifted(&game, &grounded);
    report(args, &game, (&grounded, pruning.as_ref()), read, start.elapsed())?;
    // The process ends here: giving its memory back piece by piece would only take time.
    std::mem::forget((game, grounded));
    Ok(Outcome::Fine)
}

/// Options that do not go together.
fn check_call(args: &Args) -> Result<(), Failure> {
    if args.json && args.emit.is_some() && args.out.is_none() {
        let message = "`--json` and `--emit` both want standard output; give `--out`";
        return Err(Failure::new(Outcome::Usage, message));
    }
    if args.around.is_some() && args.emit != Some(Emit::Dot) {
        return Err(Failure::new(Outcome::Usage, "`--around` needs `--emit dot`"));
    }
    Ok(())
}

/// Tells why there is no ground program.
fn failure(game: &Loaded, error: &GroundError) -> Failure {
    let (outcome, message, span, label, hint) = match error {
        GroundError::Limit { limit: LimitKind::Interrupt, .. } => {
            return limits::failure(Exhausted::Interrupt);
        }
        GroundError::Limit { limit, instances, span, .. } => {
            let message = format!("limit `{}` hit while grounding", limit.name());
            let label = match instances {
                0 => String::new(),
                _ => format!("no rule has more instances: {} so far", HumanCount(*instances)),
            };
            (Outcome::Limit, message, *span, label, advice(*limit))
        }
        GroundError::NegationCycle { span, .. } => {
            let message = "a static predicate depends on its own negation".to_owned();
            (Outcome::Wrong, message, *span, String::new(), "")
        }
    };
    let span = if label.is_empty() && outcome == Outcome::Limit { Span::default() } else { span };
    note(&format!("{}\n", render::error_at(&game.source, span, &message, &label, hint)));
    Failure::new(outcome, format!("no ground program: {message}")).with(details(game, error))
}

/// The limit, and the responsible rule with its place.
fn details(game: &Loaded, error: &GroundError) -> Details {
    let (limit, rule, instances, span) = match error {
        GroundError::Limit { limit, rule, instances, span } => {
            (Some(limit.name().to_owned()), rule, Some(*instances), span)
        }
        GroundError::NegationCycle { rule, span } => (None, rule, None, span),
    };
    let place = game.source.place(span.start);
    Details {
        limit,
        stage: Some("ground"),
        rule: Some(rule.clone()),
        instances,
        line: Some(place.line as u32),
        column: Some(place.column as u32),
        ..Details::default()
    }
}

fn advice(limit: LimitKind) -> &'static str {
    match limit {
        LimitKind::Rules => "`--max-rules N` allows more",
        LimitKind::Memory => "`--max-memory BYTES` allows more",
        LimitKind::Timeout => "`--timeout S` allows more time",
        LimitKind::TermDepth => "`--max-term-depth N` allows deeper terms; perhaps they grow without end",
        LimitKind::Conditions => "take it apart with views",
        LimitKind::Interrupt => "",
    }
}

/// Writes the ground program to where it is wanted, if it is.
fn emit(args: &Args, ground: &GroundProgram) -> Result<()> {
    let format = args.emit.unwrap_or(Emit::Kif);
    match &args.out {
        Some(path) => write_streamed(path, |out| write_as(args, format, ground, out)),
        None if args.emit.is_some() => print_streamed(|out| write_as(args, format, ground, out)),
        None => Ok(()),
    }
}

fn write_as(args: &Args, format: Emit, ground: &GroundProgram, mut out: impl Write) -> Result<()> {
    match format {
        Emit::Kif => Ok(write_kif(ground, &mut out)?),
        Emit::Json => Ok(write_json(ground, &mut out)?),
        Emit::Aspif => Ok(write_aspif(ground, &mut out)?),
        Emit::Dot => draw(args, ground, &mut out),
    }
}

fn draw(args: &Args, ground: &GroundProgram, out: &mut impl Write) -> Result<()> {
    let slice = match &args.around {
        None => None,
        Some(text) => {
            let unknown = || Failure::new(Outcome::Usage, format!("no rule speaks of `{text}`"));
            Some(Slice { atom: ground.find_atom(text).ok_or_else(unknown)?, depth: args.depth })
        }
    };
    match write_dot(ground, slice, out) {
        Ok(()) => Ok(()),
        Err(DotError::Io(error)) => Err(error.into()),
        Err(DotError::TooLarge) => {
            let advice =
                if slice.is_some() { "take a smaller `--depth`" } else { "draw a part with `--around ATOM`" };
            let message = format!("too large to draw, with more than {MOST_NODES} nodes: {advice}");
            Err(Failure::limit("nodes", message).at("draw").into())
        }
    }
}

fn report(
    args: &Args,
    game: &Loaded,
    (ground, pruning): (&GroundProgram, Option<&Pruning>),
    read: Duration,
    total: Duration,
) -> Result<()> {
    if args.json {
        let mut object = to_json(args, game, ground, read, total);
        if let Some(pruning) = pruning {
            object["pruned"] = pruning.to_json();
        }
        print_json(object);
        return Ok(());
    }
    let text = summary(args, ground, total) + &pruning.map_or_else(String::new, Pruning::summary);
    if args.emit.is_some() && args.out.is_none() {
        note(text.trim_end());
        Ok(())
    } else {
        print(&text)
    }
}

/// What was left lifted: name and number of arguments, and why.
fn lifted(game: &Loaded, ground: &GroundProgram) -> Vec<(String, String)> {
    let describe = |lifted: &LiftedRelation| {
        let predicate = ground.program().info(ground.lifted_predicate(lifted));
        let name = ground.program().symbols.name(predicate.name);
        let line = game.source.place(game.program.rule(lifted.rule).span.start).line;
        let instances = render::count(HumanCount(lifted.instances), "instance");
        let why = format!("the rule in line {line} had {instances}, with far more to come");
        (format!("{name}/{}", predicate.arity), why)
    };
    ground.lifted().iter().map(describe).collect()
}

fn lifted_json(game: &Loaded, ground: &GroundProgram) -> serde_json::Value {
    let entry = |(predicate, why): (String, String)| json!({"predicate": predicate, "why": why});
    lifted(game, ground).into_iter().map(entry).collect()
}

fn tell_lifted(game: &Loaded, ground: &GroundProgram) {
    for (predicate, why) in lifted(game, ground) {
        note(&format!("note: `{predicate}` is not ground: {why}"));
    }
}

fn to_json(
    args: &Args,
    game: &Loaded,
    ground: &GroundProgram,
    read: Duration,
    total: Duration,
) -> serde_json::Value {
    let times = ground.times();
    json!({
        "game": args.file,
        "method": args.method.name(),
        "faithful": args.faithful,
        "base": ground.atoms_of(Keyword::True).count(),
        "input": ground.atoms_of(Keyword::Does).count(),
        "rules": ground.rule_count(),
        "literals": ground.literal_count(),
        "lifted": lifted_json(game, ground),
        "repeats": ground.repeats(),
        "steps": ground.steps(),
        "arena_bytes": ground.arena_bytes(),
        "peak_rss_bytes": peak_memory(),
        "seconds": {
            "read": read.as_secs_f64(),
            "static": times.statics.as_secs_f64(),
            "reach": times.reach.as_secs_f64(),
            "ground": (times.reach + times.ground).as_secs_f64(),
            "total": total.as_secs_f64(),
        },
    })
}

fn summary(args: &Args, ground: &GroundProgram, total: Duration) -> String {
    let count = |number: u64, noun| render::count(HumanCount(number), noun);
    let sizes = [
        count(ground.rule_count(), "rule"),
        count(ground.literal_count(), "condition"),
        count(ground.atoms_of(Keyword::True).count() as u64, "fact"),
        count(ground.atoms_of(Keyword::Does).count() as u64, "move"),
    ];
    let memory = peak_memory().map_or(String::new(), |bytes| format!(", {} of memory", HumanBytes(bytes)));
    format!("{}: {} ({:.3} s{memory})\n", args.file, sizes.join(", "), total.as_secs_f64())
}
