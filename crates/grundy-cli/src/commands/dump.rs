//! `grundy dump`: a look at any stage.

use crate::engine::{ReasonArgs, failure, tell_exhausted};
use crate::files::{Loaded, ReadArgs, load, load_game, read_source, warn_of_errors};
use crate::limits::{LimitArgs, budget};
use crate::output::{Failure, Outcome, note, print, print_json};
use crate::render;
use anyhow::Result;
use clap::ValueEnum;
use grundy::analysis;
use grundy::flat::{Flat, flatten, matched, print_flat, stored};
use grundy::game::Game;
use grundy::ground::{DotError, GroundProgram, MOST_NODES, ground, write_kif};
use grundy::invariants::PruningPass;
use grundy::network::{NetworkSlice, Optimized, PASSES, PassSize, write_network, write_network_dot};
use grundy_syntax::{Diagnostic, Notation, Printer, Severity, Source, print_sexprs, read_sexprs};
use serde_json::{Value, json};
use std::time::Instant;

/// Print a stage of a file as text
///
/// Sizes and times go to standard error, and so do the errors of the file, as warnings: whatever could be understood is
/// printed. A stage that a limit has cut short is not.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The stage
    #[arg(value_enum)]
    stage: Stage,

    /// The rule sheet or theory, or `-`
    file: String,

    /// The notation to print a program in; by default that of the file
    #[arg(long, value_name = "NOTATION")]
    r#as: Option<As>,

    /// With `network`: print its size after each pass instead
    #[arg(long)]
    sizes: bool,

    /// With `network`: passes to leave out
    #[arg(long, value_name = "PASS,…", value_delimiter = ',', value_parser = pass_name)]
    without: Vec<String>,

    /// With `network`: the format
    #[arg(long, value_enum)]
    emit: Option<Emit>,

    /// With `--emit dot`: draw only what is near this atom, such as '(next (cell 1 1 x))'
    #[arg(long, value_name = "ATOM", requires = "emit")]
    around: Option<String>,

    /// With `--around`: how many edges to follow in either direction
    #[arg(long, value_name = "N", default_value_t = 2, requires = "around")]
    depth: u32,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reason: ReasonArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,
}

/// The stages, in the order of the pipeline.
#[derive(Clone, Copy, ValueEnum)]
enum Stage {
    /// The forms of the text, without comments
    Sexprs,
    /// Rules without `or`, in disjunctive form
    Program,
    /// Classes and strata of the predicates
    Analysis,
    /// Rules over relations: functions taken apart, `base` and `input` linked
    Flat,
    /// g(R), what is matched: the rules without dynamic negation, which may not prune
    Matched,
    /// s(R), what is stored: dynamic rules without their static conditions
    Stored,
    /// The rules that compact grounding makes of these: split, on demand, guarded
    Compact,
    /// The ground rules, in compact form
    Ground,
    /// AND and OR nodes between the facts and moves of a state and its answers
    Network,
}

#[derive(Clone, Copy, ValueEnum)]
enum Emit {
    /// A line for each node and each answer
    Text,
    /// A picture for Graphviz
    Dot,
}

/// The pass that needs invariants: inputs that follow from others, nodes that are the same, proved by a solver.
const SWEEP: &str = "sweep";

fn pass_name(text: &str) -> Result<String, String> {
    if PASSES.iter().any(|pass| pass.name == text) || PruningPass::find(text).is_some() || text == SWEEP {
        return Ok(text.to_owned());
    }
    let passes: Vec<String> = PASSES.iter().map(|pass| format!("{} ({})", pass.name, pass.about)).collect();
    Err(format!(
        "expected one of {}; with --invariants, also {}, {SWEEP}",
        passes.join(", "),
        PruningPass::names()
    ))
}

#[derive(Clone, Copy, ValueEnum)]
enum As {
    Kif,
    Prolog,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let start = Instant::now();
    let (name, text, sizes) = match args.stage {
        Stage::Sexprs => {
            let source = read_source(&args.file, &args.read)?;
            let (sexprs, diagnostics) = read_sexprs(&source, &args.read.limits());
            check_whole(&source, &diagnostics)?;
            let sizes =
                json!({"bytes": source.text().len(), "nodes": sexprs.len(), "forms": sexprs.forms().count()});
            ("sexprs", print_sexprs(&source, &sexprs), sizes)
        }
        Stage::Program => {
            let program = load_whole(args)?.program;
            let notation = match args.r#as {
                Some(As::Kif) => Notation::Kif,
                Some(As::Prolog) => Notation::Prolog,
                None => args.read.notation(&args.file),
            };
            let sizes = json!({
                "rules": program.rules.len(),
                "conditions": program.rules.iter().map(|rule| rule.body.len()).sum::<usize>(),
                "predicates": program.predicate_count(),
                "terms": program.terms.len(),
                "symbols": program.symbols.len(),
            });
            ("program", Printer::new(&program, notation).program(), sizes)
        }
        Stage::Analysis => {
            let loaded = load_whole(args)?;
            let sizes = json!({
                "predicates": loaded.program.predicate_count(),
                "components": loaded.analysis.components().len(),
            });
            ("analysis", analysis::print_analysis(&loaded.program, &loaded.analysis), sizes)
        }
        Stage::Flat => dump_flat(args, "flat", |flat| flat)?,
        Stage::Matched => dump_flat(args, "matched", |flat| matched(&flat))?,
        Stage::Stored => dump_flat(args, "stored", |flat| stored(&flat))?,
        Stage::Compact => {
            let ground = ground_game(args)?;
            ("compact", print_flat(ground.program(), ground.flat()), ground_sizes(&ground))
        }
        Stage::Ground => {
            let ground = ground_game(args)?;
            ("ground", written(|out| write_kif(&ground, out))?, ground_sizes(&ground))
        }
        Stage::Network => dump_network(args)?,
    };
    // A stage that was cut short is not printed as if it were whole.
    budget().check()?;
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        print_json(json!({"stage": name, "text": text, "sizes": sizes, "seconds": seconds}));
    } else {
        print(&text)?;
        let sizes = sizes.as_object().into_iter().flatten().map(|(what, size)| format!("{what} {size}"));
        note(&format!("{name}: {} in {seconds:.3} s", sizes.collect::<Vec<_>>().join(", ")));
    }
    Ok(Outcome::Fine)
}

/// Reads a file in spite of its errors, which are shown as warnings: they are what the stages of reading are looked at for.
fn load_whole(args: &Args) -> Result<Loaded> {
    let loaded = load(&args.file, &args.read)?;
    check_whole(&loaded.source, &loaded.diagnostics)?;
    warn_of_errors(&loaded);
    Ok(loaded)
}

/// Whether the text was read to its end.
fn check_whole(source: &Source, diagnostics: &[Diagnostic]) -> Result<(), Failure> {
    budget().check()?;
    let limits: Vec<&Diagnostic> =
        diagnostics.iter().filter(|found| found.severity() == Severity::Limit).collect();
    let Some(first) = limits.first() else { return Ok(()) };
    note(&format!("{}\n", render::diagnostic(source, first)));
    let message = format!("`{}` was not read to its end", source.name());
    Err(Failure::new(Outcome::Limit, message).with(render::details(source, &limits)).at("read"))
}

/// A flat program, or what becomes of it.
fn dump_flat(
    args: &Args,
    name: &'static str,
    change: impl FnOnce(Flat) -> Flat,
) -> Result<(&'static str, String, Value)> {
    let program = load_whole(args)?.program;
    let flat = change(flatten(&program, &budget()));
    let sizes = json!({"relations": flat.relation_count(), "rules": flat.rule_count()});
    Ok((name, print_flat(&program, &flat), sizes))
}

fn ground_game(args: &Args) -> Result<GroundProgram> {
    let game = load_game(&args.file, &args.read)?;
    let config = args.reason.machine_config(true).ground;
    ground(&game.program, &config).map_err(|error| failure(&error.into()).into())
}

fn ground_sizes(ground: &GroundProgram) -> Value {
    json!({
        "relations": ground.flat().relation_count(),
        "rules": ground.flat().rule_count(),
        "ground rules": ground.rule_count(),
        "ground conditions": ground.literal_count(),
    })
}

fn dump_network(args: &Args) -> Result<(&'static str, String, Value)> {
    let game = load_game(&args.file, &args.read)?;
    let mut config = args.reason.machine_config(true);
    config.without.clone_from(&args.without);
    let optimized = Game::from_program(game.program).network(&config).map_err(|error| failure(&error))?;
    tell_exhausted(optimized.exhausted);
    let network = &optimized.network;
    let looped: usize = network.loops().iter().map(|range| range.end.index() - range.start.index()).sum();
    let mut sizes = json!({
        "fluents": network.interface().fluents.len(),
        "fluents that are read": network.read_fluents(),
        "moves": network.interface().moves.len(),
        "nodes": network.node_count(),
        "edges": network.edge_count(),
        "nodes in loops": looped,
    });
    if let Some(limit) = optimized.exhausted {
        sizes["invariants cut short by"] = json!(limit.name());
    }
    let text = match (args.sizes, args.emit) {
        (true, _) => sizes_table(&optimized.sizes),
        (false, Some(Emit::Dot)) => draw(args, &optimized)?,
        (false, _) => written(|out| write_network(network, out))?,
    };
    Ok(("network", text, sizes))
}

fn written<E: Into<anyhow::Error>>(write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<String> {
    let mut bytes = Vec::new();
    write(&mut bytes).map_err(Into::into)?;
    Ok(String::from_utf8(bytes)?)
}

/// Nodes and edges before and after each pass.
fn sizes_table(sizes: &[PassSize]) -> String {
    let width = sizes.iter().map(|size| size.name.len()).max().unwrap_or(0).max(14);
    let mut text = format!("{:<width$} {:>10} {:>8} {:>10} {:>8}\n", "pass", "nodes", "", "edges", "");
    for (number, size) in sizes.iter().enumerate() {
        let before = &sizes[number.saturating_sub(1)];
        let change = |before: usize, after: usize| match after as i64 - before as i64 {
            0 => String::new(),
            change => format!("{change:+}"),
        };
        text.push_str(
            format!(
                "{:<width$} {:>10} {:>8} {:>10} {:>8}",
                size.name,
                size.nodes,
                change(before.nodes, size.nodes),
                size.edges,
                change(before.edges, size.edges)
            )
            .trim_end(),
        );
        text.push('\n');
    }
    text
}

fn draw(args: &Args, optimized: &Optimized) -> Result<String> {
    let slice = match &args.around {
        None => None,
        Some(text) => {
            let unknown = || Failure::new(Outcome::Usage, format!("the network has no `{text}`"));
            Some(NetworkSlice {
                node: optimized.network.find_node(text).ok_or_else(unknown)?,
                depth: args.depth,
            })
        }
    };
    written(|out| write_network_dot(&optimized.network, slice, out)).map_err(|error| {
        match error.downcast_ref() {
            Some(DotError::TooLarge) => {
                let advice = if slice.is_some() {
                    "take a smaller `--depth`"
                } else {
                    "draw a part with `--around ATOM`"
                };
                let message = format!("too large to draw, with more than {MOST_NODES} nodes: {advice}");
                Failure::limit("nodes", message).at("draw").into()
            }
            _ => error,
        }
    })
}
