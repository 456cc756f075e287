//! The results as text, as tables for programs, and as a page with figures.

use super::published::{Column, TABLE_3, TABLE_4};
use super::sizes::Board;
use super::speed::{Growth, Speed};
use crate::numbers::{count, exact, float, grouped, short};
use crate::plot::{Axis, Ink, Mark, Plot, Series, Unit};
use crate::report::{File, Origin, Page, Row, Table};
use grundy::features::Sizes;
use serde_json::{Value, json};
use std::time::Duration;

/// Everything that was measured.
#[derive(Clone, Debug)]
pub struct Results {
    pub(super) origin: Origin,
    pub(super) features: usize,
    pub(super) matches: usize,
    pub(super) speeds: Vec<Speed>,
    pub(super) growth: Vec<Growth>,
    pub(super) boards: Vec<Board>,
}

const TABLE_3_COLUMNS: [(&str, &str); 8] = [
    ("method", "how states are valued; flat tables are the paper's, the others share conjunctions"),
    ("states", "how many states were valued"),
    ("ms a match", "mean processor time of a match"),
    ("deviation", "its standard deviation"),
    ("states/s", "states in a second of processor time"),
    ("× naive", "the same as a multiple of naive evaluation"),
    ("paper: states/s", "published in 2000, at 200 MHz"),
    ("× naive", "the paper's speed as a multiple of its naive evaluation"),
];

const FIGURE_1_COLUMNS: [(&str, &str); 4] = [
    ("features", "how many features are valued, drawn at random"),
    ("ms a match", "mean processor time of a match, incremental evaluation"),
    ("deviation", "its standard deviation"),
    ("µs a state", "mean processor time of a state"),
];

const TABLE_4_COLUMNS: [(&str, &str); 8] = [
    ("board", "side of the board, and flat tables, shared tables, or the numbers of the paper"),
    ("clauses", "clauses of theory and features, facts of the board included"),
    ("unfolded", "ground clauses in the tables; shared: ground clauses of features and views"),
    ("and-rows", "rows of the and-table: conjunctions"),
    ("or-rows", "rows of the or-table: solutions of features"),
    ("seconds", "from the clauses to the tables, grounding included"),
    ("bytes", "memory of the tables"),
    ("bytes a clause", "bytes for each unfolded clause"),
];

impl Results {
    /// The methods whose values differ from those of another method on the same states.
    pub(super) fn disagreeing(&self) -> impl Iterator<Item = &str> {
        let differs = |speed: &&Speed| {
            let same = self.speeds.iter().find(|other| other.states == speed.states);
            let expected = speed.expected.or(same.map(|other| other.checksum));
            expected.is_some_and(|expected| expected != speed.checksum)
        };
        self.speeds.iter().filter(differs).map(|speed| speed.method.as_str())
    }

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
            Row::ours(vec![
                speed.method.clone(),
                grouped(speed.states),
                mean,
                deviation,
                short(speed.per_second()),
                naive.map_or(String::new(), |naive| short(speed.per_second() / naive)),
                published.map_or(String::new(), |(_, speed)| exact(*speed)),
                published.map_or(String::new(), |(_, speed)| short(speed / published_naive)),
            ])
        });
        let title = format!(
            "Table 3: {} of Othello along {}, {} (paper: 127 features, 300 matches, 17,931 states)",
            count(grouped(self.features), "feature"),
            count(grouped(self.matches), "match"),
            count(grouped(states), "state")
        );
        Table::new(title, &TABLE_3_COLUMNS).with(rows)
    }

    fn figure_1(&self) -> Table {
        let rows = self.growth.iter().map(|point| {
            let state = point.time.as_secs_f64() / float(point.states.max(1));
            let (mean, deviation) = (short(point.mean * 1e3), short(point.deviation * 1e3));
            Row::ours(vec![grouped(point.features), mean, deviation, short(state * 1e6)])
        });
        let title = "Figure 1: time of a match by the number of features (incremental, drawn at random)";
        Table::new(title, &FIGURE_1_COLUMNS).with(rows)
    }

    fn table_4(&self) -> Table {
        let rows = self.boards.iter().flat_map(|board| {
            let paper = TABLE_4.iter().find(|paper| paper.size == board.side);
            let ours = [board_row(board, Form::Flat), board_row(board, Form::Shared)];
            ours.into_iter().chain(paper.map(paper_row))
        });
        let title = "Table 4: unfolded theories for boards of several sizes (shared: ground clauses of features and views)";
        Table::new(title, &TABLE_4_COLUMNS).with(rows)
    }

    fn tables(&self) -> [(&'static str, Table); 3] {
        [("table3.tsv", self.table_3()), ("figure1.tsv", self.figure_1()), ("table4.tsv", self.table_4())]
    }

    /// The origin of the numbers and all tables, for a terminal.
    pub fn text(&self) -> String {
        let tables = self.tables();
        let tables = tables.iter().filter(|(_, table)| !table.rows.is_empty());
        self.origin.text() + "\n" + &tables.map(|(_, table)| table.text() + "\n").collect::<String>()
    }

    /// The origin of the numbers and all tables, for scripts.
    pub fn json(&self) -> Value {
        let tables = self.tables();
        let tables = tables.iter().filter(|(_, table)| !table.rows.is_empty());
        json!({
            "origin": self.origin.json(),
            "tables": tables.map(|(_, table)| table.json()).collect::<Vec<_>>(),
        })
    }

    /// The report: a page, its figures, its tables for programs, and the origin of the numbers.
    pub fn files(&self) -> Vec<File> {
        let tables = self.tables().into_iter().map(|(name, table)| File::new(name, table.tsv()));
        let figures = self.figures().into_iter().map(|(name, plot, _)| File::new(name, plot.to_svg()));
        let others = [File::new("run.tsv", self.origin.tsv()), File::new("index.html", self.html())];
        tables.chain(figures).chain(others).collect()
    }

    /// The figures of the paper, each with the name of its file and a caption.
    fn figures(&self) -> [(&'static str, Plot, &'static str); 2] {
        let growth = "Incremental evaluation, processor time. The paper has this figure without numbers.";
        let sizes = "Crosses are the published numbers, in the colour of ours.";
        [("figure1.svg", self.growth_plot(), growth), ("figure2.svg", self.size_plot(), sizes)]
    }

    fn growth_plot(&self) -> Plot {
        let points = self.growth.iter().map(|point| (float(point.features), point.mean * 1e3));
        let bars = |sign: f64| {
            let ends = self
                .growth
                .iter()
                .map(move |point| (float(point.features), (point.mean + sign * point.deviation) * 1e3));
            ends.collect::<Vec<_>>()
        };
        let series = vec![
            Series::new("mean of a match", Mark::Line, points.clone()),
            Series::new("", Mark::Dots, points).ink(Ink::Of(0)),
            Series::new("plus a standard deviation", Mark::Dashes, bars(1.0)).ink(Ink::Grey),
            Series::new("minus a standard deviation", Mark::Dashes, bars(-1.0)).ink(Ink::Grey),
        ];
        Plot {
            title: "Figure 1: evaluation time by the number of features".to_owned(),
            x: Axis::linear("features", Unit::Count).showing([0.0]),
            y: Axis::linear("milliseconds a match", Unit::Count).showing([0.0]),
            series,
        }
    }

    fn size_plot(&self) -> Plot {
        let ours = |value: fn(&Board) -> f64| {
            self.boards.iter().map(move |board| (f64::from(board.side), value(board))).collect::<Vec<_>>()
        };
        let paper = |value: fn(&Column) -> u64| {
            TABLE_4
                .iter()
                .map(move |column| (f64::from(column.size), float(value(column))))
                .collect::<Vec<_>>()
        };
        let series = vec![
            Series::new("unfolded clauses", Mark::Line, ours(|board| float(board.flat.ground_clauses))),
            Series::new("and-rows", Mark::Line, ours(|board| float(board.flat.and_rows))),
            Series::new("or-rows", Mark::Line, ours(|board| float(board.flat.or_rows))),
            Series::new(
                "shared: nodes",
                Mark::Line,
                ours(|board| float(board.shared.and_rows + board.shared.or_rows)),
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

    fn html(&self) -> String {
        let mut page = Page::new("Logical features, compiled", &self.origin);
        page.paragraph(
            "Beside the numbers of Kaneko, Yamaguchi & Kawai (2000), measured on a processor of 200 MHz.",
        );
        self.tables().iter().for_each(|(_, table)| page.table(table));
        page.figures(self.figures().iter().map(|(_, plot, caption)| (plot, *caption)));
        page.finish()
    }
}

/// The tables of a board.
#[derive(Clone, Copy)]
enum Form {
    Flat,
    Shared,
}

fn board_row(board: &Board, form: Form) -> Row {
    let (name, sizes, time): (_, &Sizes, Duration) = match form {
        Form::Flat => ("flat", &board.flat, board.flat_time),
        Form::Shared => ("shared", &board.shared, board.shared_time),
    };
    let bytes = |sizes: &Sizes| float(sizes.bytes);
    let per_clause = match form {
        Form::Flat => format!("{:.1}", bytes(sizes) / float(sizes.ground_clauses.max(1))),
        Form::Shared => format!("{:.1} times smaller", bytes(&board.flat) / bytes(sizes).max(1.0)),
    };
    Row::ours(vec![
        format!("{0}x{0} {name}", board.side),
        grouped(board.clauses),
        grouped(sizes.ground_clauses),
        grouped(sizes.and_rows),
        grouped(sizes.or_rows),
        short(time.as_secs_f64()),
        grouped(sizes.bytes),
        per_clause,
    ])
}

fn paper_row(paper: &Column) -> Row {
    Row::published(vec![
        format!("{0}x{0} paper", paper.size),
        grouped(paper.clauses),
        grouped(paper.unfolded),
        grouped(paper.and_rows),
        grouped(paper.or_rows),
        exact(paper.seconds),
        String::new(),
        String::new(),
    ])
}
