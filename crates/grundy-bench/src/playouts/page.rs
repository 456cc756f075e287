//! The results as a table for programs and as a page.

use super::{Line, Results, Speed};
use crate::numbers::{float, grouped, rounded};
use crate::plot::{Axis, Mark, Plot, Series, Unit};
use crate::report::{Page, Row, Table};
use std::fmt::Write;

/// Nodes and edges as text.
pub(super) fn sizes(size: Option<(usize, usize)>, none: &str) -> [String; 2] {
    size.map_or([none.to_owned(), none.to_owned()], |(nodes, edges)| [grouped(nodes), grouped(edges)])
}

/// One line for each game and engine, separated by tabs.
pub(super) fn tsv(lines: &[Line]) -> String {
    let mut text =
        "game\tengine\tplayouts_per_second\tstates_per_second\tmean_length\tsetup_seconds\tnodes\tedges\tfailure\n"
            .to_owned();
    for line in lines {
        let (speed, failure) = match &line.result {
            Ok(Speed { playouts_per_second, states_per_second, mean_length }) => {
                (format!("{playouts_per_second:.1}\t{states_per_second:.1}\t{mean_length:.2}"), String::new())
            }
            Err(error) => ("\t\t".to_owned(), error.replace(['\t', '\n'], " ")),
        };
        let [nodes, edges] = match line.size {
            Some((nodes, edges)) => [nodes.to_string(), edges.to_string()],
            None => Default::default(),
        };
        let (game, engine, setup) = (&line.game, line.engine, line.setup);
        _ = writeln!(text, "{game}\t{engine}\t{speed}\t{setup:.6}\t{nodes}\t{edges}\t{failure}");
    }
    text
}

/// The page.
pub(super) fn html(results: &Results) -> String {
    let lines = &results.lines;
    let speed = |line: &Line| line.result.as_ref().ok().map(|speed| speed.states_per_second);
    let setup = |line: &Line| line.result.as_ref().ok().map(|_| line.setup);
    let plots = [
        plot(lines, Axis::log("states per second", Unit::Count), speed),
        plot(lines, Axis::log("from the rule sheet to the first playout", Unit::Seconds), setup),
    ];
    let captions = ["Speed of each engine in each game.", "Setup of each engine for each game."];
    let mut page = Page::new("Random playouts", &results.origin);
    page.figures(plots.iter().zip(captions));
    page.table(&table(lines));
    page.finish()
}

/// Different values, in the order in which they occur first.
fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// A mark for each game and engine, a row for each game, the first one at the top.
fn plot(lines: &[Line], x: Axis, value: impl Fn(&Line) -> Option<f64>) -> Plot {
    let mut games = distinct(lines.iter().map(|line| line.game.as_str()));
    games.reverse();
    let engines = distinct(lines.iter().map(|line| line.engine));
    let series = engines.into_iter().map(|engine| {
        let points = lines.iter().filter(|line| line.engine == engine).filter_map(|line| {
            let row = games.iter().position(|game| *game == line.game)?;
            let value = value(line)?;
            Some((value, float(row), format!("{}, {engine}: {}", line.game, crate::numbers::short(value))))
        });
        Series::titled(engine, Mark::Dots, points)
    });
    let series = series.collect();
    let y = Axis::named("", games.iter().map(|game| (*game).to_owned()));
    Plot { title: String::new(), x, y, series }
}

fn table(lines: &[Line]) -> Table {
    let columns = [
        ("game", "name of the sheet"),
        ("engine", "the engine that plays"),
        ("playouts/s", "games played at random to their end in a second; the best run counts"),
        ("states/s", "joint moves made in a second"),
        ("length", "mean number of joint moves of a game"),
        ("setup s", "seconds from the text of the sheet to an engine that can play"),
        ("nodes", "nodes of the network, if the engine has one"),
        ("edges", "edges of the network"),
    ];
    Table::new("All figures", &columns).with(lines.iter().map(row))
}

fn row(line: &Line) -> Row {
    let [nodes, edges] = sizes(line.size, "");
    let mut cells = vec![line.game.clone(), line.engine.to_owned()];
    cells.extend(match &line.result {
        Ok(speed) => [
            grouped(rounded(speed.playouts_per_second)),
            grouped(rounded(speed.states_per_second)),
            format!("{:.1}", speed.mean_length),
            format!("{:.3}", line.setup),
            nodes,
            edges,
        ],
        Err(error) => {
            let failure = error.lines().next().unwrap_or_default().to_owned();
            [failure, String::new(), String::new(), String::new(), nodes, edges]
        }
    });
    Row::ours(cells)
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_game_has_a_row_and_every_engine_a_mark() {
        let settings = Settings { seconds: Duration::from_millis(500), runs: 3, seed: 7, threads: 1 };
        let mut results = Results::new(&settings);
        let line = |game: &str, engine, result| {
            let game = game.to_owned();
            Line { game, engine, setup: 0.5, size: Some((1200, 3)), result }
        };
        let speed = Speed { playouts_per_second: 1e3, states_per_second: 1.5e6, mean_length: 1500.0 };
        results.lines = vec![
            line("nim", "batch", Ok(speed)),
            line("nim", "scratch", Ok(speed)),
            line("chess", "batch", Err("no <network>\nat all".to_owned())),
        ];
        let html = html(&results);
        for part in
            [">1,500,000<", ">1,200<", "no &lt;network&gt;", "<dt>seed</dt><dd>7</dd>", "nim, scratch: "]
        {
            assert!(html.contains(part), "no `{part}` in {html}");
        }
        assert!(results.header().contains("run length: about 0.5 s, the best of 3 runs"));
        assert!(
            tsv(&results.lines).ends_with("\nchess\tbatch\t\t\t\t0.500000\t1200\t3\tno <network> at all\n")
        );
        assert_eq!(results.json()["lines"][0]["nodes"], 1200);
    }
}
