//! Tables whose columns are explained: as text, as HTML, and for programs.

use crate::plot::Escaped;
use serde_json::{Number, Value, json};
use std::fmt::Write;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its heading.
    pub name: &'static str,
    /// What its cells mean.
    pub meaning: &'static str,
}

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// A cell for each column.
    pub cells: Vec<String>,
    /// Whether others published these numbers: they are set apart from ours.
    pub is_published: bool,
}

impl Row {
    /// A row of our own numbers.
    pub fn ours(cells: Vec<String>) -> Row {
        Row { cells, is_published: false }
    }

    /// A row of published numbers.
    pub fn published(cells: Vec<String>) -> Row {
        Row { cells, is_published: true }
    }
}

/// A table: a title, columns, and rows with a cell for each column. The first column is aligned to the left.
#[derive(Clone, Debug)]
pub struct Table {
    /// What the table shows.
    pub title: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, columns: &[(&'static str, &'static str)]) -> Table {
        let columns = columns.iter().map(|&(name, meaning)| Column { name, meaning }).collect();
        Table { title: title.into(), columns, rows: Vec::new() }
    }

    /// The same table with these rows at its end.
    pub fn with(mut self, rows: impl IntoIterator<Item = Row>) -> Table {
        self.rows.extend(rows);
        self
    }

    /// Columns aligned with spaces, below the title.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len()).map(|column| self.width(column)).collect();
        let header: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let mut text = format!("{}\n\n{}", self.title, aligned(&header, &widths));
        for row in &self.rows {
            let cells: Vec<&str> = row.cells.iter().map(String::as_str).collect();
            text += &aligned(&cells, &widths);
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row.cells[column].chars().count());
        cells.chain([self.columns[column].name.chars().count()]).max().unwrap_or(0)
    }

    /// The cells separated by tabs, numbers without groups of digits.
    pub fn tsv(&self) -> String {
        let header: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let mut text = header.join("\t") + "\n";
        for row in &self.rows {
            let cells: Vec<String> = row.cells.iter().map(|cell| ungrouped(cell)).collect();
            text += &(cells.join("\t") + "\n");
        }
        text
    }

    /// The table for scripts: names of columns can occur twice, so rows are lists. Cells that are numbers are numbers.
    pub fn json(&self) -> Value {
        let cell = |cell: &String| {
            let text = ungrouped(cell);
            text.parse().ok().and_then(Number::from_f64).map_or(json!(text), Value::Number)
        };
        let row = |row: &Row| {
            let cells: Vec<Value> = row.cells.iter().map(cell).collect();
            json!({"cells": cells, "published": row.is_published})
        };
        json!({
            "title": self.title,
            "columns": self.columns.iter().map(|column| column.name).collect::<Vec<_>>(),
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }

    /// The table below its title, and under it what each column means.
    pub fn html(&self) -> String {
        format!("<h2>{}</h2>\n{}{}", Escaped(&self.title), self.cells_html(), self.legend())
    }

    fn cells_html(&self) -> String {
        let mut html = String::from("<div class=\"wide\"><table>\n<tr>");
        for Column { name, meaning } in &self.columns {
            _ = write!(html, "<th title=\"{}\">{}</th>", Escaped(meaning), Escaped(name));
        }
        html += "</tr>\n";
        for row in &self.rows {
            html += if row.is_published { "<tr class=\"published\">" } else { "<tr>" };
            row.cells.iter().for_each(|cell| _ = write!(html, "<td>{}</td>", Escaped(cell)));
            html += "</tr>\n";
        }
        html + "</table></div>\n"
    }

    /// What each column means, where that is not clear from its name.
    fn legend(&self) -> String {
        let mut html = String::from("<dl class=\"columns\">\n");
        for Column { name, meaning } in self.columns.iter().filter(|column| !column.meaning.is_empty()) {
            _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", Escaped(name), Escaped(meaning));
        }
        html + "</dl>\n"
    }
}

fn aligned(cells: &[&str], widths: &[usize]) -> String {
    let padded = cells.iter().zip(widths).enumerate().map(|(column, (cell, &width))| match column {
        0 => format!("{cell:<width$}"),
        _ => format!("  {cell:>width$}"),
    });
    padded.collect::<String>().trim_end().to_owned() + "\n"
}

/// A number without its groups of digits; other texts in one line and without tabs.
fn ungrouped(cell: &str) -> String {
    if cell.starts_with(|c: char| c.is_ascii_digit()) && cell.chars().all(|c| c.is_ascii_digit() || c == ',')
    {
        return cell.replace(',', "");
    }
    cell.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = [("what", ""), ("states/s", "states in a second < of time")];
        let row = |what: &str, number: &str| vec![what.to_owned(), number.to_owned()];
        let rows = [Row::ours(row("ours, now", "1,234,567")), Row::published(row("paper\t2000", "2.5"))];
        Table::new("Speed", &columns).with(rows)
    }

    #[test]
    fn text_is_aligned() {
        let expected = "Speed\n\nwhat         states/s\nours, now   1,234,567\npaper\t2000        2.5\n";
        assert_eq!(table().text(), expected);
    }

    #[test]
    fn programs_get_plain_numbers() {
        assert_eq!(table().tsv(), "what\tstates/s\nours, now\t1234567\npaper 2000\t2.5\n");
    }

    #[test]
    fn pages_explain_columns_and_set_published_rows_apart() {
        let html = table().html();
        assert!(html.contains("<dt>states/s</dt><dd>states in a second &lt; of time</dd>"), "{html}");
        assert!(html.contains("<tr class=\"published\"><td>paper") && !html.contains("<dt>what</dt>"));
    }
}
