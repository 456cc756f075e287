//! The report as one HTML page: no scripts, nothing from elsewhere.

use super::figures::Figure;
use super::published::{self, BUDGETS, TABLE_6};
use super::record::{Record, Run, Task};
use super::summary::Summary;
use super::text;
use crate::plot::Escaped;
use indicatif::{HumanBytes, HumanCount};
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1340px; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { font-weight: 600; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15rem 0.7rem; text-align: right; border-bottom: 1px solid #80808050; white-space: nowrap; }
th:first-child, td:first-child, td.why { text-align: left; }
td.why { white-space: normal; }
tr.published td { color: #808080; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 560px), 1fr)); gap: 1.5rem; }
figure { margin: 0; }
figure svg { width: 100%; height: auto; }
figcaption { font-size: 0.9em; color: #808080; padding: 0 1rem; }
.wide { overflow-x: auto; }
";

/// The whole page.
pub(super) fn page(records: &[Record], summary: &Summary, figures: &[Figure]) -> String {
    let mut html = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html += "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Grounding</title>\n";
    _ = writeln!(html, "<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>Grounding</h1>");
    _ = writeln!(html, "<p>{}</p>", Escaped(text::head(summary).trim_end()));
    _ = writeln!(html, "<p><strong>{}</strong></p>", Escaped(text::busy(summary).trim_end()));
    html += &shares(summary);
    html += &findings(summary);
    html += "<h2>Figures</h2>\n<div class=\"figures\">\n";
    for figure in figures {
        let caption = Escaped(&figure.caption);
        _ = writeln!(html, "<figure>\n{}<figcaption>{caption}</figcaption>\n</figure>", figure.plot.to_svg());
    }
    html += "</div>\n";
    html += &table_6(records);
    html += &failures(summary);
    html += &games(records);
    html += "</body>\n</html>\n";
    html
}

/// A table with a row for each list of cells.
fn table(header: &[&str], rows: &[(&str, Vec<String>)]) -> String {
    let mut html = String::from("<div class=\"wide\"><table>\n<tr>");
    header.iter().for_each(|cell| _ = write!(html, "<th>{}</th>", Escaped(cell)));
    html += "</tr>\n";
    for (class, cells) in rows {
        _ = write!(html, "<tr class=\"{class}\">");
        cells.iter().for_each(|cell| _ = write!(html, "<td>{}</td>", Escaped(cell)));
        html += "</tr>\n";
    }
    html + "</table></div>\n"
}

fn shares(summary: &Summary) -> String {
    let budgets = BUDGETS.map(|(_, name)| name);
    let header = [&["share of sheets done within", "sheets"][..], &budgets, &["failed"]].concat();
    let ours = summary.shares.iter().map(|shares| {
        let below = text::our_cells(summary, shares);
        let cells = [shares.what.to_owned(), shares.sheets.to_string()].into_iter().chain(below);
        ("", cells.chain([shares.failed.to_string()]).collect())
    });
    let theirs = published::TABLE.iter().map(|line| {
        let below = line.below.map(|share| share.map_or("–".to_owned(), text::percent));
        let cells = [format!("published: {}", line.what), line.sheets.to_string()].into_iter().chain(below);
        let failed = line.failed.map_or("–".to_owned(), |failed| failed.to_string());
        ("published", cells.chain([failed]).collect())
    });
    table(&header, &ours.chain(theirs).collect::<Vec<_>>())
}

/// The sentences of the text, as a list.
fn findings(summary: &Summary) -> String {
    let large = summary.large.iter().map(text::large);
    let growth = summary.growth.iter().map(text::growth);
    let literals = summary.literals.iter().map(text::literals);
    let all = large.chain(growth).chain(literals).chain(summary.against.iter().map(text::against));
    let mut html = String::from("<ul>\n");
    all.for_each(|sentence| _ = writeln!(html, "<li>{}</li>", Escaped(sentence.trim_end())));
    html + "</ul>\n"
}

/// Table 6, with our time for the sheets that have the names of its games.
fn table_6(records: &[Record]) -> String {
    let seconds = |run: Option<&Run>| run.map_or("–".to_owned(), |run| format!("{:.3} s", run.seconds));
    let rows = TABLE_6.iter().flat_map(|line| {
        let published = line.ggp_base.map_or("out of memory".to_owned(), |time| format!("{time} s"));
        let published = [line.game.to_owned(), published, format!("{} s", line.paper)];
        let ours = records.iter().filter(|record| line.is_of(&record.game)).map(|record| {
            let cells = [seconds(record.fine(Task::Faithful)), seconds(record.fine(Task::Compact))];
            [vec![format!("{}", record.game), "–".to_owned(), "–".to_owned()], cells.to_vec()].concat()
        });
        let dashes = vec!["–".to_owned(); 2];
        let first = ("published", [published.to_vec(), dashes].concat());
        std::iter::once(first).chain(ours.map(|cells| ("", cells))).collect::<Vec<_>>()
    });
    let header = ["game", "GGP-Base flattener", "paper", "ours, faithful", "ours, compact"];
    let table = table(&header, &rows.collect::<Vec<_>>());
    format!(
        "<h2>Table 6</h2>\n<p>The published times are of a machine of 1.86 GHz; sheets of the same name may differ \
         in their rules.</p>\n{table}"
    )
}

fn failures(summary: &Summary) -> String {
    let rows = summary
        .failures
        .iter()
        .map(|failure| ("", vec![failure.game.clone(), failure.run.name().to_owned(), failure.why.clone()]));
    let rows: Vec<_> = rows.collect();
    let unreadable = match summary.unreadable.as_slice() {
        [] => String::new(),
        games => format!("<p>Not readable: {}.</p>\n", Escaped(games.join(", "))),
    };
    match rows.as_slice() {
        [] => format!("<h2>Failures</h2>\n{unreadable}<p>None.</p>\n"),
        rows => format!("<h2>Failures</h2>\n{unreadable}{}", table(&["game", "run", "why"], rows)),
    }
}

/// Every sheet: time, rules and memory of each run.
fn games(records: &[Record]) -> String {
    let mut tasks: Vec<Task> = records.iter().flat_map(|record| &record.runs).map(|run| run.task).collect();
    tasks.sort_unstable();
    tasks.dedup();
    let mut header = vec!["game", "base", "input", "rules, faithful", "rules, compact", "peak memory"];
    header.extend(tasks.iter().map(|task| task.name()));
    let rows: Vec<_> = records.iter().map(|record| ("", game(record, &tasks))).collect();
    format!(
        "<h2>All games</h2>\n<details><summary>{}</summary>\n{}</details>\n",
        crate::render::count(rows.len(), "sheet"),
        table(&header, &rows)
    )
}

fn game(record: &Record, tasks: &[Task]) -> Vec<String> {
    let number = |value: Option<u64>| value.map_or("–".to_owned(), |value| HumanCount(value).to_string());
    let sizes = || record.runs.iter().filter_map(|run| run.size.as_ref());
    let rules = |task| record.fine(task).and_then(Run::rules);
    let ours = [Task::Faithful, Task::Compact].into_iter().find_map(|task| record.run(task)?.peak_bytes);
    let mut cells = vec![
        record.game.clone(),
        number(sizes().find_map(|size| size.base)),
        number(sizes().find_map(|size| size.input)),
        number(rules(Task::Faithful)),
        number(rules(Task::Compact)),
        ours.map_or("–".to_owned(), |bytes| HumanBytes(bytes).to_string()),
    ];
    cells.extend(tasks.iter().map(|&task| match record.run(task) {
        Some(run) if run.is_fine() => format!("{:.4} s", run.seconds),
        Some(run) => run.trouble.reason.clone().unwrap_or_default().chars().take(30).collect(),
        None => "–".to_owned(),
    }));
    cells
}
