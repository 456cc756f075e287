//! Values as a table, as CSV and as JSON, and what they cost.

use super::load::Compiled;
use super::states::States;
use super::value::Run;
use super::{Args, EngineArg, Format, chosen};
use crate::files::write_streamed;
use crate::output::{Failure, Outcome, note, print_json, print_streamed};
use crate::render::count;
use anyhow::Result;
use clap::ValueEnum;
use grundy::features::{TableKind, Value};
use serde_json::{Map, json};
use std::io::Write;
use std::time::Duration;

pub(super) fn show(args: &Args, compiled: &Compiled, states: &States, run: &Run) -> Result<Outcome> {
    let chosen = chosen(args, compiled)?;
    if args.json && args.values.as_ref().is_some_and(|path| path.as_os_str() == "-") {
        let message = "`--json` and `--values -` both want standard output; give `--values` a file";
        return Err(Failure::new(Outcome::Usage, message).into());
    }
    if let Some(path) = &args.values {
        if path.as_os_str() == "-" {
            print_streamed(|out| write_csv(out, compiled, run, &chosen))?;
        } else {
            write_streamed(path, |out| write_csv(out, compiled, run, &chosen))?;
        }
    }
    if args.json {
        print_json(summary(args, compiled, run));
    } else if args.values.is_none() && !states.states.is_empty() {
        print_streamed(|out| match args.format {
            Format::Csv => write_csv(out, compiled, run, &chosen),
            Format::Json => write_json(out, compiled, run, &chosen),
            Format::Table => write_table(out, compiled, run, &chosen),
        })?;
    }
    note(&line(args, compiled, states, run));
    Ok(Outcome::Fine)
}

/// The object of the contract, and some more.
fn summary(args: &Args, compiled: &Compiled, run: &Run) -> serde_json::Value {
    let sizes = compiled.tables.sizes();
    let states = run.rows.iter().flatten().count();
    let seconds = run.time.as_secs_f64();
    json!({
        "clauses": compiled.features.clause_count(),
        "ground_clauses": sizes.ground_clauses,
        "and_rows": sizes.and_rows,
        "or_rows": sizes.or_rows,
        "states": states,
        "seconds": seconds,
        "states_per_second": per_second(states, run.time),
        "features": compiled.features.features().len(),
        "facts": compiled.features.fact_count(),
        "table_bytes": sizes.bytes,
        "tables": tables_name(compiled),
        "engine": engine_name(args.engine),
        "ground_seconds": compiled.ground.as_secs_f64(),
        "unfold_seconds": compiled.unfold.as_secs_f64(),
    })
}

pub(super) fn tables_name(compiled: &Compiled) -> &'static str {
    match compiled.tables.kind() {
        TableKind::Flat => "flat",
        TableKind::Shared => "shared",
    }
}

fn engine_name(engine: EngineArg) -> String {
    engine.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// States in a second; nothing takes no time at all.
fn per_second(states: usize, time: Duration) -> f64 {
    states as f64 / time.as_secs_f64().max(1e-9)
}

fn line(args: &Args, compiled: &Compiled, states: &States, run: &Run) -> String {
    let sizes = compiled.tables.sizes();
    let compiled_in = (compiled.ground + compiled.unfold).as_secs_f64();
    let mut text = format!(
        "{}, {}, {}, {} ({} tables, {compiled_in:.3} s)",
        count(compiled.features.features().len(), "feature"),
        count(sizes.ground_clauses, "ground clause"),
        count(sizes.and_rows, "and-row"),
        count(sizes.or_rows, "or-row"),
        tables_name(compiled),
    );
    if !states.states.is_empty() {
        let valued = run.rows.iter().flatten().count();
        let (engine, speed) = (engine_name(args.engine), per_second(valued, run.time));
        text.push_str(&format!(
            "\n{} in {:.6} s, {speed:.0} a second ({engine})",
            count(valued, "state"),
            run.time.as_secs_f64()
        ));
    }
    text
}

fn columns(compiled: &Compiled, chosen: &[usize]) -> Vec<String> {
    chosen.iter().map(|&number| compiled.features.features()[number].column()).collect()
}

fn text(value: Value) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

fn write_csv(out: &mut impl Write, compiled: &Compiled, run: &Run, chosen: &[usize]) -> Result<()> {
    let quoted = |name: String| match name.contains([',', '"', '\n']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name,
    };
    let names: Vec<String> = columns(compiled, chosen).into_iter().map(quoted).collect();
    writeln!(out, "{}", names.join(","))?;
    for row in &run.rows {
        let cells: Vec<String> = chosen
            .iter()
            .map(|&number| row.as_ref().map_or(String::new(), |row| text(row[number])))
            .collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

fn write_json(out: &mut impl Write, compiled: &Compiled, run: &Run, chosen: &[usize]) -> Result<()> {
    let names = columns(compiled, chosen);
    for (number, row) in run.rows.iter().enumerate() {
        let values = row.as_ref().map(|row| {
            let pairs = names.iter().zip(chosen).map(|(name, &feature)| (name.clone(), json!(row[feature])));
            pairs.collect::<Map<_, _>>()
        });
        writeln!(out, "{}", json!({"state": number + 1, "values": values}))?;
    }
    Ok(())
}

/// Columns as wide as they need be; many features stand in several blocks of columns.
fn write_table(out: &mut impl Write, compiled: &Compiled, run: &Run, chosen: &[usize]) -> Result<()> {
    const WIDEST: usize = 110;
    let names = columns(compiled, chosen);
    let width = |at: usize| {
        let values = run.rows.iter().flatten().map(|row| text(row[chosen[at]]).len());
        values.max().unwrap_or(0).max(names[at].chars().count())
    };
    let mut at = 0;
    while at < chosen.len() {
        let start = at;
        let mut total = 5;
        while at < chosen.len() && (at == start || total + 2 + width(at) <= WIDEST) {
            total += 2 + width(at);
            at += 1;
        }
        if start > 0 {
            writeln!(out)?;
        }
        let widths: Vec<usize> = (start..at).map(width).collect();
        write!(out, "state")?;
        for (name, width) in names[start..at].iter().zip(&widths) {
            write!(out, "  {name:>width$}")?;
        }
        writeln!(out)?;
        for (number, row) in run.rows.iter().enumerate() {
            write!(out, "{:>5}", number + 1)?;
            for (&feature, width) in chosen[start..at].iter().zip(&widths) {
                let cell = row.as_ref().map_or("?".to_owned(), |row| text(row[feature]));
                write!(out, "  {cell:>width$}")?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}
