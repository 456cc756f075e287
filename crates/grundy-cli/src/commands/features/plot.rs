//! `--plot F`: features over the states, as SVG.

use super::load::Compiled;
use super::states::States;
use super::value::Run;
use super::{Args, chosen};
use crate::files::write_whole;
use anyhow::Result;
use grundy_bench::plot::{Axis, Mark, Plot, Series, Unit};
use std::path::Path;

/// More lines than this cannot be told apart.
const MOST_LINES: usize = 8;

pub(super) fn write(args: &Args, compiled: &Compiled, states: &States, run: &Run, path: &Path) -> Result<()> {
    let mut chosen = chosen(args, compiled)?;
    if args.only.is_empty() {
        chosen.truncate(MOST_LINES);
    }
    let first = states.matches.first().copied().unwrap_or(0);
    let points = |feature: usize| {
        let rows = run.rows.iter().zip(&states.matches).take_while(|(_, one)| **one == first);
        let values = rows
            .enumerate()
            .filter_map(|(number, (row, _))| Some(((number + 1) as f64, row.as_ref()?[feature]? as f64)));
        values.collect::<Vec<(f64, f64)>>()
    };
    let series = chosen.iter().map(|&feature| {
        let name = compiled.features.features()[feature].column();
        Series::new(&name, Mark::Line, points(feature))
    });
    let plot = Plot {
        title: "Features over a match".to_owned(),
        x: Axis::linear("state", Unit::Count),
        y: Axis::linear("value", Unit::Count).showing([0.0]),
        series: series.collect(),
    };
    write_whole(path, &plot.to_svg())
}
