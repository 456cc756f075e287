//! What the reports of all benches share: where and when numbers were measured ([`Origin`]), tables whose columns are
//! explained ([`Table`]), and the HTML page around them ([`Page`]).
//!
//! A bench returns its report as [`File`]s and leaves writing them to the caller.

mod origin;
mod page;
mod table;

pub use origin::{Machine, Origin};
pub use page::Page;
pub use table::{Column, Row, Table};

/// A file of a report.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name in the folder of the report.
    pub name: String,
    /// Its content.
    pub text: String,
}

impl File {
    /// A file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> File {
        File { name: name.into(), text: text.into() }
    }
}
