//! The experiments of Cazenave (1999) with rules about rules, beside his numbers.
//!
//! [`impossible`] and [`path`] have the examples on boards (`grid.rs`), [`unfolding`] and [`ordering`] the rules of Go
//! (`go.rs`, with positions from `positions.rs`). [`hints`] and [`joins`] use metarules in games, [`invariants`] proves
//! invariants over a folder, [`networks`] measures what they do for networks.

mod corpus;
mod go;
mod grid;
mod hints;
mod joins;
mod networks;
mod positions;

pub use corpus::invariants;
pub use go::{Sample, ordering, unfolding};
pub use grid::{impossible, path};
pub use hints::hints;
pub use joins::joins;
pub use networks::networks;

use crate::numbers::grouped;
use crate::plot::Plot;
use crate::report::{File, Origin, Page, Table};
use grundy::metarules::{DomainLimits, SearchConfig};
use grundy::syntax::Budget;
use grundy::unfold::UnfoldConfig;
use serde_json::{Value, json};

/// How far to look for metarules, within the budget of the call.
fn search(budget: &Budget) -> SearchConfig {
    SearchConfig { budget: budget.clone(), ..SearchConfig::default() }
}

fn domain_limits(budget: &Budget) -> DomainLimits {
    DomainLimits { budget: budget.clone(), ..DomainLimits::default() }
}

fn unfold_config(budget: &Budget) -> UnfoldConfig {
    UnfoldConfig { budget: budget.clone(), ..UnfoldConfig::default() }
}

/// The result of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// For a terminal.
    pub text: String,
    /// Figures, each with the name of its file.
    figures: Vec<(&'static str, Plot)>,
    /// Tables, each with the name of its file.
    tables: Vec<(&'static str, Table)>,
}

impl Section {
    fn of_text(text: String) -> Section {
        Section { text, ..Section::default() }
    }

    /// The text and the tables, for scripts.
    pub fn json(&self) -> Value {
        let tables: Vec<Value> = self.tables.iter().map(|(_, table)| table.json()).collect();
        json!({"text": self.text, "tables": tables})
    }

    /// The figures, and the tables for programs.
    pub fn files(&self) -> Vec<File> {
        let figures = self.figures.iter().map(|(name, plot)| File::new(*name, plot.to_svg()));
        figures.chain(self.tables.iter().map(|(name, table)| File::new(*name, table.tsv()))).collect()
    }
}

/// The page of all experiments, and the origin of the numbers.
pub fn page(origin: &Origin, sections: &[Section]) -> [File; 2] {
    let mut page = Page::new("Metarules", origin);
    page.paragraph(
        "The experiments of Cazenave, Metaprogramming domain specific metaprograms (1999); published numbers are marked.",
    );
    for section in sections {
        page.preformatted(section.text.trim_end());
        section.tables.iter().for_each(|(_, table)| page.table(table));
    }
    let figures = sections.iter().flat_map(|section| &section.figures);
    page.figures(figures.map(|(_, plot)| (plot, "")));
    [File::new("run.tsv", origin.tsv()), File::new("index.html", page.finish())]
}

/// Numbers in a line.
fn numbers(counts: &[u64]) -> String {
    counts.iter().map(|&count| grouped(count)).collect::<Vec<_>>().join(" ")
}
