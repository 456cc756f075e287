//! `grundy dump`: a look at any stage.

use crate::files::{ReadArgs, load, read_source};
use crate::output::{Outcome, note, print, print_json};
use anyhow::Result;
use clap::ValueEnum;
use grundy::analysis;
use grundy::flat::{flatten, print_flat};
use grundy_syntax::{Notation, Printer, print_sexprs, read_sexprs};
use serde_json::json;
use std::time::Instant;

/// Print a stage of a file as text
///
/// Sizes and times go to standard error. What is wrong with the file is the business of `grundy check`;
/// here, whatever could be understood is printed.
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

    /// Print one JSON object
    #[arg(long)]
    json: bool,

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
            let (sexprs, _) = read_sexprs(&source, &args.read.limits());
            let sizes =
                json!({"bytes": source.text().len(), "nodes": sexprs.len(), "forms": sexprs.forms().count()});
            ("sexprs", print_sexprs(&source, &sexprs), sizes)
        }
        Stage::Program => {
            let program = load(&args.file, &args.read)?.program;
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
            let loaded = load(&args.file, &args.read)?;
            let sizes = json!({
                "predicates": loaded.program.predicate_count(),
                "components": loaded.analysis.components().len(),
            });
            ("analysis", analysis::print_analysis(&loaded.program, &loaded.analysis), sizes)
        }
        Stage::Flat => {
            let program = load(&args.file, &args.read)?.program;
            let flat = flatten(&program);
            let sizes = json!({"relations": flat.relations.len(), "rules": flat.rules.len()});
            ("flat", print_flat(&program, &flat), sizes)
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        print_json(&json!({"stage": name, "text": text, "sizes": sizes, "seconds": seconds}))?;
    } else {
        print(&text)?;
        let sizes = sizes.as_object().into_iter().flatten().map(|(what, size)| format!("{size} {what}"));
        note(&format!("{name}: {} in {seconds:.3} s", sizes.collect::<Vec<_>>().join(", ")));
    }
    Ok(Outcome::Fine)
}
