//! Grounding of a whole folder of sheets, one process each, beside the numbers of Vittaut & Méhat (2014).
//!
//! [`Bench::run`] is the outline: it starts the processes. `record.rs` is what they measured, `summary.rs` what follows from
//! it, `text.rs`, `figures.rs` and `page.rs` its presentation; `rivals.rs` knows other grounders, `published.rs` the paper's
//! numbers.

mod figures;
mod page;
mod published;
mod record;
pub(crate) mod rivals;
mod run;
mod summary;
mod text;

use crate::report::{File, Origin};
use record::{Record, to_tsv};
use serde_json::Value;
use summary::Summary;

pub use record::Task;
pub use rivals::{Found, Rival};
pub use run::{Bench, Event, Sheet};

/// What was measured, and what follows from it.
#[derive(Clone, Debug)]
pub struct Results {
    records: Vec<Record>,
    summary: Summary,
    origin: Origin,
}

impl Results {
    /// The summary for a terminal.
    pub fn text(&self) -> String {
        text::text(&self.summary, &self.origin)
    }

    /// The summary for programs.
    pub fn json(&self) -> Value {
        let mut object = serde_json::to_value(&self.summary).unwrap_or_default();
        object["origin"] = self.origin.json();
        object
    }

    /// The report: a page, its figures, a table with a line for each process, and the origin of the numbers.
    pub fn files(&self) -> Vec<File> {
        let figures = figures::figures(&self.records, &self.summary);
        let page = page::page(self, &figures);
        let figures =
            figures.into_iter().map(|figure| File::new(format!("{}.svg", figure.file), figure.plot.to_svg()));
        let tables = [
            File::new("grounding.tsv", to_tsv(&self.records)),
            File::new("run.tsv", self.origin.tsv()),
            File::new("index.html", page),
        ];
        figures.chain(tables).collect()
    }
}
