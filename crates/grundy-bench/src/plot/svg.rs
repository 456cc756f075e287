//! Writing SVG: elements, attributes, and escaped characters.

use std::fmt::{Display, Write};

/// An SVG document under construction.
#[derive(Default)]
pub(super) struct Svg {
    text: String,
}

impl Svg {
    /// An element, with a title inside it if there is one.
    pub(super) fn element(&mut self, name: &str, attributes: &[(&str, &dyn Display)], title: &str) {
        self.open(name, attributes);
        if title.is_empty() {
            self.text.truncate(self.text.len() - 1);
            self.text.push_str("/>\n");
        } else {
            _ = writeln!(self.text, "<title>{}</title></{name}>", Escaped(title));
        }
    }

    /// The start of an element with others inside.
    pub(super) fn open(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        _ = write!(self.text, "<{name}");
        for (name, value) in attributes {
            _ = write!(self.text, " {name}=\"{}\"", Escaped(value));
        }
        self.text.push('>');
    }

    pub(super) fn close(&mut self, name: &str) {
        _ = writeln!(self.text, "</{name}>");
    }

    /// A text at a position; `anchor` names the part of it that is there.
    pub(super) fn words(&mut self, (x, y): (f64, f64), anchor: &str, text: &str) {
        self.open("text", &[("x", &Rounded(x)), ("y", &Rounded(y)), ("text-anchor", &anchor)]);
        _ = write!(self.text, "{}", Escaped(text));
        self.close("text");
    }

    pub(super) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let ends: [(&str, &dyn Display); 4] =
            [("x1", &Rounded(x1)), ("y1", &Rounded(y1)), ("x2", &Rounded(x2)), ("y2", &Rounded(y2))];
        self.element("line", &ends, "");
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// A coordinate, to a tenth of a pixel: more digits only make files larger.
pub(super) struct Rounded(pub(super) f64);

impl Display for Rounded {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}", (self.0 * 10.0).round() / 10.0)
    }
}

/// A text whose characters with a meaning in SVG and HTML are escaped.
pub struct Escaped<T>(
    /// The text.
    pub T,
);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        for c in self.0.to_string().chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
