//! `--sizes`: how large the tables are, as table 4 of the paper tells it.

use super::Args;
use super::load::Compiled;
use super::show::tables_name;
use crate::output::{Outcome, print, print_json};
use anyhow::Result;
use indicatif::HumanCount;
use serde_json::json;

pub(super) fn run(args: &Args, compiled: &Compiled) -> Result<Outcome> {
    let sizes = compiled.tables.sizes();
    let features = compiled.features.features();
    let counts = compiled.tables.clauses_by_feature();
    let seconds = (compiled.ground + compiled.unfold).as_secs_f64();
    if args.json {
        let by_feature: Vec<_> = features
            .iter()
            .enumerate()
            .map(|(number, feature)| {
                let ground = counts.map(|counts| counts[number]);
                json!({"feature": feature.column(), "clauses": feature.clauses, "ground_clauses": ground})
            })
            .collect();
        print_json(json!({
            "clauses": compiled.features.clause_count(),
            "ground_clauses": sizes.ground_clauses,
            "and_rows": sizes.and_rows,
            "or_rows": sizes.or_rows,
            "table_bytes": sizes.bytes,
            "tables": tables_name(compiled),
            "seconds": seconds,
            "ground_seconds": compiled.ground.as_secs_f64(),
            "unfold_seconds": compiled.unfold.as_secs_f64(),
            "features": by_feature,
        }));
        return Ok(Outcome::Fine);
    }
    let count = |number: u64| HumanCount(number).to_string();
    let mut text = String::new();
    let mut row = |name: &str, value: String| text.push_str(&format!("{name:<32} {value:>14}\n"));
    row("clauses", count(compiled.features.clause_count() as u64));
    row("features", count(features.len() as u64));
    row("unfolded clauses", count(sizes.ground_clauses));
    row("counters in the and-table", count(sizes.and_rows as u64));
    row("counters in the or-table", count(sizes.or_rows as u64));
    row("bytes", count(sizes.bytes as u64));
    row("bytes a clause", format!("{:.1}", sizes.bytes as f64 / sizes.ground_clauses.max(1) as f64));
    row("seconds for grounding", format!("{:.3}", compiled.ground.as_secs_f64()));
    row("seconds for unfolding", format!("{seconds:.3}"));
    if let Some(counts) = counts {
        text.push_str("\nunfolded clauses by feature\n");
        for (feature, &clauses) in features.iter().zip(counts) {
            text.push_str(&format!("{:<32} {:>14}\n", feature.column(), count(clauses)));
        }
    }
    print(&text)?;
    Ok(Outcome::Fine)
}
