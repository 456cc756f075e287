//! The report as one HTML page.

use super::Results;
use super::figures::Figure;
use super::published::{BUDGETS, Flattener, TABLE_6};
use super::record::{Record, Run, Task};
use super::summary::Summary;
use super::text;
use crate::numbers::{bytes, count, grouped};
use crate::report::{Page, Row, Table};

/// The whole page.
pub(super) fn page(results: &Results, figures: &[Figure]) -> String {
    let Results { records, summary, origin } = results;
    let mut page = Page::new("Grounding", origin);
    page.paragraph(&text::head(summary));
    page.paragraph(&text::busy(summary));
    page.table(&shares(summary));
    page.list(text::findings(summary));
    page.figures(figures.iter().map(|figure| (&figure.plot, figure.caption.as_str())));
    page.table(&table_6(records));
    failures(summary, &mut page);
    let games = games(records);
    page.raw(&format!("<details open><summary>{}</summary>\n", count(grouped(games.rows.len()), "sheet")));
    page.table(&games);
    page.raw("</details>\n");
    page.finish()
}

/// Ours, with what was published for the same step in the next row.
fn shares(summary: &Summary) -> Table {
    let mut columns = vec![
        ("measured", "what the time includes; grey: published in 2014, measured at 2.4 GHz"),
        ("sheets", "how many sheets the shares refer to: those that can be read"),
    ];
    let within = "share of the sheets that are done within this time; ≥ where the limit on time is lower";
    columns
        .extend(BUDGETS.iter().enumerate().map(|(n, (_, name))| (*name, if n == 0 { within } else { "" })));
    columns.push(("failed", "sheets that hit a limit or failed otherwise"));
    let row = |line: text::ShareLine| {
        let what = if line.is_published { format!("published: {}", line.what) } else { line.what.to_owned() };
        let cells = [what, line.sheets].into_iter().chain(line.below).chain([line.failed]);
        Row { cells: cells.collect(), is_published: line.is_published }
    };
    Table::new("Share of sheets done within a time budget", &columns)
        .with(text::share_lines(summary).into_iter().map(row))
}

const DASH: &str = "–";

/// Table 6, with our time for the sheets that have the names of its games.
fn table_6(records: &[Record]) -> Table {
    let columns = [
        ("game", "the game in table 6 of the paper"),
        ("our sheet", "a sheet of the same name, which may have other rules"),
        ("GGP-Base flattener", "published, at 1.86 GHz"),
        ("paper", "published, at 1.86 GHz"),
        ("ours, faithful", "whole process, exactly the instances of the sheet's rules"),
        ("ours, compact", "whole process, as few and as small rules as possible"),
    ];
    let rows = TABLE_6.iter().flat_map(|line| {
        let ours: Vec<&Record> = records.iter().filter(|record| line.is_of(&record.game)).collect();
        match ours.as_slice() {
            [] => vec![table_6_row(line, None)],
            ours => ours.iter().map(|record| table_6_row(line, Some(record))).collect(),
        }
    });
    Table::new("Table 6: time of single games", &columns).with(rows)
}

fn table_6_row(line: &Flattener, record: Option<&Record>) -> Row {
    let ours = |task| {
        let run = record.and_then(|record| record.fine(task));
        run.map_or(DASH.to_owned(), |run| format!("{:.3} s", run.seconds))
    };
    Row::ours(vec![
        line.game.to_owned(),
        record.map_or(DASH.to_owned(), |record| record.game.clone()),
        line.ggp_base.map_or("out of memory".to_owned(), |time| format!("{time} s")),
        format!("{} s", line.paper),
        ours(Task::Faithful),
        ours(Task::Compact),
    ])
}

fn failures(summary: &Summary, page: &mut Page) {
    let columns = [
        ("game", ""),
        ("run", "what was run"),
        ("why", "the limit or the error, and the rule with the most instances"),
    ];
    let row = |failure: &super::summary::Failure| {
        Row::ours(vec![failure.game.clone(), failure.run.name().to_owned(), failure.why.clone()])
    };
    if !summary.unreadable.is_empty() {
        page.paragraph(&format!("Not readable: {}.", summary.unreadable.join(", ")));
    }
    page.table(&Table::new("Failures", &columns).with(summary.failures.iter().map(row)));
    if summary.failures.is_empty() {
        page.paragraph("None.");
    }
}

/// Every sheet: time, rules and memory of each run.
fn games(records: &[Record]) -> Table {
    let mut tasks: Vec<Task> = records.iter().flat_map(|record| &record.runs).map(|run| run.task).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let mut columns = vec![
        ("game", "path of the sheet below the folder"),
        ("base", "ground atoms of the states"),
        ("input", "moves"),
        ("rules, faithful", "rules of the faithful form"),
        ("rules, compact", "rules of the compact form"),
        ("peak memory", "of the whole process, faithful form if it was made"),
    ];
    columns.extend(tasks.iter().map(|task| (task.name(), task.meaning())));
    let rows = records.iter().map(|record| Row::ours(game(record, &tasks)));
    Table::new("All games", &columns).with(rows)
}

fn game(record: &Record, tasks: &[Task]) -> Vec<String> {
    let number = |value: Option<u64>| value.map_or(DASH.to_owned(), grouped);
    let sizes = || record.runs.iter().filter_map(|run| run.size.as_ref());
    let rules = |task| record.fine(task).and_then(Run::rules);
    let ours = [Task::Faithful, Task::Compact].into_iter().find_map(|task| record.run(task)?.peak_bytes);
    let mut cells = vec![
        record.game.clone(),
        number(sizes().find_map(|size| size.base)),
        number(sizes().find_map(|size| size.input)),
        number(rules(Task::Faithful)),
        number(rules(Task::Compact)),
        ours.map_or(DASH.to_owned(), bytes),
    ];
    cells.extend(tasks.iter().map(|&task| match record.run(task) {
        Some(run) if run.is_fine() => format!("{:.4} s", run.seconds),
        Some(run) => run.trouble.reason.clone().unwrap_or_default().chars().take(30).collect(),
        None => DASH.to_owned(),
    }));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_times_stand_in_the_row_of_our_sheet() {
        let record = Record { game: "games/connect-four".to_owned(), runs: Vec::new() };
        let table = table_6(&[record]);
        assert_eq!(table.rows.len(), TABLE_6.len());
        assert_eq!(table.rows[0].cells[..4], ["connectfour", "games/connect-four", "0.844 s", "0.56 s"]);
        assert_eq!(table.rows[3].cells[1..3], ["–", "out of memory"]);
    }
}
