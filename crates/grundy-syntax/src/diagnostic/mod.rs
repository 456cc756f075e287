//! What is wrong or doubtful in a text, as data.
//!
//! A diagnostic always has a [`Code`] and a primary [`Span`] that is valid in its source. Turning
//! diagnostics into text is the business of the command line alone.

mod code;

pub use code::{Code, Severity};

use crate::source::Span;

/// A place that helps to understand a diagnostic, with what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What about it.
    pub text: String,
}

/// One finding in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of finding; `grundy check --explain` knows each.
    pub code: Code,
    /// One line, lower case, no full stop.
    pub message: String,
    /// The place that is to blame.
    pub primary: Span,
    /// A few words under the primary span; may be empty.
    pub label: String,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A finding with nothing but a code, a message and a place.
    pub fn new(code: Code, primary: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            message: one_line(message),
            primary,
            label: String::new(),
            secondary: Vec::new(),
            hint: None,
        }
    }

    /// Adds a few words under the primary span.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.label = one_line(text);
        self
    }

    /// Adds a second place.
    pub fn second(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: one_line(text) });
        self
    }

    /// Adds advice.
    pub fn hint(mut self, text: impl Into<String>) -> Diagnostic {
        self.hint = Some(one_line(text));
        self
    }

    /// Adds advice if there is any.
    pub fn maybe_hint(mut self, text: Option<String>) -> Diagnostic {
        self.hint = text.map(one_line).or(self.hint);
        self
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Whether it is an error or a limit, and not just a warning.
    pub fn is_error(&self) -> bool {
        self.severity() != Severity::Warning
    }
}

/// How many characters a text of a diagnostic may have. A name may be as long as a file, and stands in
/// many messages.
const LONGEST_TEXT: usize = 300;

/// The text without control characters, and cut where it is too long to be read.
fn one_line(text: impl Into<String>) -> String {
    let text = text.into();
    let is_fine = text.len() <= LONGEST_TEXT && !text.contains(char::is_control);
    if is_fine {
        return text;
    }
    let shown =
        text.chars().take(LONGEST_TEXT).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
    let rest = if text.chars().nth(LONGEST_TEXT).is_some() { "…" } else { "" };
    shown.collect::<String>() + rest
}

/// Sorts by place and drops findings that say the same of the same place: a rule with `or`
/// becomes several rules, and each of them is checked.
pub fn tidy(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        let key = |d: &Diagnostic| (d.primary.start, d.primary.end, d.code);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    diagnostics.dedup_by(|a, b| a.code == b.code && a.primary == b.primary && a.message == b.message);
}
