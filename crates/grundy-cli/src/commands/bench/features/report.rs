//! The results as text, as tables for programs, and as a page with figures.

use super::published::{TABLE_3, TABLE_4};
use super::sizes::Board;
use super::speed::{Growth, Speed};
use crate::plot::{Axis, Escaped, Ink, Mark, Plot, Series, Unit};
use crate::render;
use indicatif::HumanCount;
use std::fmt::Write;

/// Everything that was measured.
pub(super) struct Results {
    pub(super) features: usize,
    pub(super) matches: usize,
    pub(super) speeds: Vec<Speed>,
    pub(super) growth: Vec<Growth>,
    pub(super) boards: Vec<Board>,
}

/// A table: a title, a header, and rows of cells.
struct Table {
    title: String,
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

fn count(number: impl TryInto<u64>) -> String {
    HumanCount(number.try_into().unwrap_or(u64::MAX)).to_string()
}

/// A number with three digits that mean something.
fn short(number: f64) -> String {
    match number.abs() {
        n if n >= 1000.0 => count(number.round() as u64),
        n if n >= 10.0 => format!("{number:.1}"),
        n if n >= 0.01 || n == 0.0 => format!("{number:.3}"),
        _ => format!("{number:.2e}"),
    }
}

impl Results {
    fn of(&self, method: &str) -> Option<&Speed> {
        self.speeds.iter().find(|speed| speed.method.starts_with(method))
    }

    fn table_3(&self) -> Table {
        let states = self.speeds.first().map_or(0, |speed| speed.states);
        let naive = self.of("naive").map(Speed::per_second);
        let published_naive = TABLE_3[2].1;
        let rows = self.speeds.iter().map(|speed| {
            let published = TABLE_3.iter().find(|(method, _)| *method == speed.method);
            let (mean, deviation) =
                speed.of_match.map_or(Default::default(), |(m, d)| (short(m * 1e3), short(d * 1e3)));
            vec![
                speed.method.clone(),
                count(speed.states as u64),
                mean,
                deviation,
                short(speed.per_second()),
                naive.map_or(String::new(), |naive| short(speed.per_second() / naive)),
                published.map_or(String::new(), |(_, speed)| speed.to_string()),
                published.map_or(String::new(), |(_, speed)| short(speed / published_naive)),
            ]
        });
        Table {
            title: format!(
                "Table 3: {} of Othello along {}, {} (paper: 127 features, 300 matches, 17,931 states)",
                render::count(self.features, "feature"),
                render::count(self.matches, "match"),
                render::count(count(states as u64), "state")
            ),
            header: vec![
                "method",
                "states",
                "ms a match",
                "deviation",
                "states/s",
                "× naive",
                "paper: states/s",
                "× naive",
            ],
            rows: rows.collect(),
        }
    }

    fn figure_1(&self) -> Table {
        let rows = self.growth.iter().map(|point| {
            let state = point.time.as_secs_f64() / point.states.max(1) as f64;
            let (mean, deviation) = (short(point.mean * 1e3), short(point.deviation * 1e3));
            vec![count(point.features as u64), mean, deviation, short(state * 1e6)]
        });
        Table {
            title: "Figure 1: time of a match by the number of features (incremental, drawn at random)"
                .to_owned(),
            header: vec!["features", "ms a match", "deviation", "µs a state"],
            rows: rows.collect(),
        }
    }

    fn table_4(&self) -> Table {
        let mut rows = Vec::new();
        for board in &self.boards {
            let bytes = board.flat.bytes as f64 / board.flat.ground_clauses.max(1) as f64;
            rows.push(vec![
                format!("{0}x{0} flat", board.side),
                count(board.clauses as u64),
                count(board.flat.ground_clauses),
                count(board.flat.and_rows as u64),
                count(board.flat.or_rows as u64),
                short(board.flat_time.as_secs_f64()),
                count(board.flat.bytes as u64),
                format!("{bytes:.1}"),
            ]);
            rows.push(vec![
                format!("{0}x{0} shared", board.side),
                count(board.clauses as u64),
                count(board.shared.ground_clauses),
                count(board.shared.and_rows as u64),
                count(board.shared.or_rows as u64),
                short(board.shared_time.as_secs_f64()),
                count(board.shared.bytes as u64),
                format!("{:.1} times smaller", board.flat.bytes as f64 / board.shared.bytes.max(1) as f64),
            ]);
            if let Some(paper) = TABLE_4.iter().find(|paper| paper.size == board.side) {
                rows.push(vec![
                    format!("{0}x{0} paper", board.side),
                    count(paper.clauses),
                    count(paper.unfolded),
                    count(paper.and_rows),
                    count(paper.or_rows),
                    short(paper.seconds),
                    String::new(),
                    String::new(),
                ]);
            }
        }
        Table {
            title: "Table 4: unfolded theories for boards of several sizes (shared: ground clauses of features and views)".to_owned(),
            header: vec!["board", "clauses", "unfolded", "and-rows", "or-rows", "seconds", "bytes", "bytes a clause"],
            rows,
        }
    }

    fn tables(&self) -> [(&'static str, Table); 3] {
        [("table3.tsv", self.table_3()), ("figure1.tsv", self.figure_1()), ("table4.tsv", self.table_4())]
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let tables = self.tables();
        tables
            .iter()
            .filter(|(_, table)| !table.rows.is_empty())
            .map(|(_, table)| table.text() + "\n")
            .collect()
    }

    /// For programs, each with the name of its file.
    pub(super) fn tsv(&self) -> Vec<(&'static str, String)> {
        self.tables().into_iter().map(|(name, table)| (name, table.tsv())).collect()
    }

    /// The figures of the paper, each with the name of its file.
    pub(super) fn figures(&self) -> Vec<(&'static str, Plot)> {
        vec![("figure1.svg", self.growth_plot()), ("figure2.svg", self.size_plot())]
    }

    fn growth_plot(&self) -> Plot {
        let points = self.growth.iter().map(|point| (point.features as f64, point.mean * 1e3));
        let bars = |sign: f64| {
            let ends = self
                .growth
                .iter()
                .map(move |point| (point.features as f64, (point.mean + sign * point.deviation) * 1e3));
            ends.collect::<Vec<_>>()
        };
        let series = vec![
            Series::new("mean of a match", Mark::Line, points.clone()),
            Series::new("", Mark::Dots, points).ink(Ink::Of(0)),
            Series::new("a standard deviation more", Mark::Dashes, bars(1.0)).ink(Ink::Grey),
            Series::new("a standard deviation less", Mark::Dashes, bars(-1.0)).ink(Ink::Grey),
        ];
        Plot {
            title: "Figure 1: evaluation time by the number of features".to_owned(),
            x: Axis::linear("features", Unit::Count).showing([0.0]),
            y: Axis::linear("milliseconds a match", Unit::Count).showing([0.0]),
            series,
        }
    }

    fn size_plot(&self) -> Plot {
        let ours = |value: fn(&Board) -> usize| {
            self.boards
                .iter()
                .map(move |board| (f64::from(board.side), value(board) as f64))
                .collect::<Vec<_>>()
        };
        let paper = |value: fn(&super::published::Column) -> u64| {
            TABLE_4
                .iter()
                .map(move |column| (f64::from(column.size), value(column) as f64))
                .collect::<Vec<_>>()
        };
        let series = vec![
            Series::new("unfolded clauses", Mark::Line, ours(|board| board.flat.ground_clauses as usize)),
            Series::new("and-rows", Mark::Line, ours(|board| board.flat.and_rows)),
            Series::new("or-rows", Mark::Line, ours(|board| board.flat.or_rows)),
            Series::new(
                "shared: nodes",
                Mark::Line,
                ours(|board| board.shared.and_rows + board.shared.or_rows),
            ),
            Series::new("paper: unfolded clauses", Mark::Crosses, paper(|column| column.unfolded))
                .ink(Ink::Of(0)),
            Series::new("paper: and-rows", Mark::Crosses, paper(|column| column.and_rows)).ink(Ink::Of(1)),
            Series::new("paper: or-rows", Mark::Crosses, paper(|column| column.or_rows)).ink(Ink::Of(2)),
        ];
        Plot {
            title: "Figure 2: unfolded theories for various sizes of Othello".to_owned(),
            x: Axis::log("side of the board", Unit::Count).showing([4.0, 16.0]),
            y: Axis::log("number", Unit::Count),
            series,
        }
    }

    /// The page.
    pub(super) fn html(&self) -> String {
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Features</title>\n<style>\n{STYLE}</style>\n\
             </head>\n<body>\n<h1>Logical features, compiled</h1>\n\
             <p>Beside the numbers of Kaneko, Yamaguchi &amp; Kawai (2000), measured on a processor of 200 MHz.</p>\n"
        );
        for (_, table) in self.tables() {
            html += &table.html();
        }
        for (_, plot) in self.figures() {
            _ = writeln!(html, "<figure>\n{}</figure>", plot.to_svg());
        }
        html + "</body>\n</html>\n"
    }
}

const STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1000px; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin-bottom: 2rem; }
th, td { padding: 0.15rem 0.7rem; text-align: right; border-bottom: 1px solid #80808050; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
figure { margin: 2rem 0; }
figure svg { width: 100%; height: auto; }
";

impl Table {
    fn text(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.chain([self.header[column].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let line = |cells: Vec<&str>| {
            let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("  {cell:>width$}"),
            });
            padded.collect::<String>().trim_end().to_owned() + "\n"
        };
        let mut text = format!("{}\n\n", self.title);
        text += &line(self.header.clone());
        self.rows.iter().for_each(|row| text += &line(row.iter().map(String::as_str).collect()));
        text
    }

    fn tsv(&self) -> String {
        let mut text = self.header.join("\t") + "\n";
        self.rows.iter().for_each(|row| text += &(row.join("\t").replace(',', "") + "\n"));
        text
    }

    fn html(&self) -> String {
        let mut html = format!("<h2>{}</h2>\n<table>\n<tr>", Escaped(&self.title));
        self.header.iter().for_each(|cell| _ = write!(html, "<th>{}</th>", Escaped(cell)));
        html += "</tr>\n";
        for row in &self.rows {
            html += "<tr>";
            row.iter().for_each(|cell| _ = write!(html, "<td>{}</td>", Escaped(cell)));
            html += "</tr>\n";
        }
        html + "</table>\n"
    }
}
