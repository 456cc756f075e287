//! The page of a report: one file, no scripts, nothing from elsewhere.

use super::{Origin, Table};
use crate::plot::{Escaped, Plot};
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
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; font-size: 0.9em; }
dt { color: #808080; }
dd { margin: 0; }
.wide { overflow-x: auto; }
";

/// A page that grows from top to bottom.
#[derive(Clone, Debug)]
pub struct Page {
    html: String,
}

impl Page {
    /// A page with a title and the origin of its numbers.
    pub fn new(title: &str, origin: &Origin) -> Page {
        let title = Escaped(title);
        let html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{}",
            origin.html()
        );
        Page { html }
    }

    /// Adds a paragraph; an empty one is left out.
    pub fn paragraph(&mut self, text: &str) {
        if !text.trim().is_empty() {
            _ = writeln!(self.html, "<p>{}</p>", Escaped(text.trim()));
        }
    }

    /// Adds a list of sentences.
    pub fn list(&mut self, sentences: impl IntoIterator<Item = String>) {
        self.html += "<ul>\n";
        for sentence in sentences {
            _ = writeln!(self.html, "<li>{}</li>", Escaped(sentence.trim()));
        }
        self.html += "</ul>\n";
    }

    /// Adds text whose lines and spaces stay as they are.
    pub fn preformatted(&mut self, text: &str) {
        _ = writeln!(self.html, "<pre class=\"wide\">{}</pre>", Escaped(text));
    }

    /// Adds a table and the meaning of its columns.
    pub fn table(&mut self, table: &Table) {
        self.html += &table.html();
    }

    /// Adds figures with their captions, side by side where there is room.
    pub fn figures<'a>(&mut self, figures: impl IntoIterator<Item = (&'a Plot, &'a str)>) {
        self.html += "<h2>Figures</h2>\n<div class=\"figures\">\n";
        for (plot, caption) in figures {
            let (svg, caption) = (plot.to_svg(), Escaped(caption));
            _ = writeln!(self.html, "<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>");
        }
        self.html += "</div>\n";
    }

    /// Adds HTML as it is.
    pub fn raw(&mut self, html: &str) {
        self.html += html;
    }

    /// The whole text.
    pub fn finish(self) -> String {
        self.html + "</body>\n</html>\n"
    }
}
