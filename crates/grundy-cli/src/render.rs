//! Diagnostics as text, in the manner of rustc.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use grundy_syntax::{Diagnostic, Severity, Source, Span};
use std::io::IsTerminal;

/// A diagnostic with the lines of the text that it speaks of; colours on a terminal.
pub(crate) fn diagnostic(source: &Source, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity() {
        Severity::Error | Severity::Limit => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let marks = std::iter::once((AnnotationKind::Primary, diagnostic.primary, diagnostic.label.as_str()))
        .chain(
            diagnostic
                .secondary
                .iter()
                .map(|label| (AnnotationKind::Context, label.span, label.text.as_str())),
        );
    let snippets = marks.map(|(kind, span, label)| snippet(source, kind, span, label));
    let mut group =
        level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.id()).elements(snippets);
    if let Some(hint) = &diagnostic.hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    renderer().render(&[group])
}

fn renderer() -> Renderer {
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    if colours { Renderer::styled() } else { Renderer::plain() }
}

/// The line around a span. A span of several lines is shown by its first one: the place matters,
/// and the whole rule would hide it. Only that line is handed on, as the renderer looks at all it gets.
fn snippet<'a>(
    source: &'a Source,
    kind: AnnotationKind,
    span: Span,
    label: &'a str,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let text = source.text();
    let (start, end) = (span.start as usize, span.end as usize);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let line = text[line_start..line_end].trim_end_matches('\r');
    let local = (start - line_start).min(line.len())..(end.min(line_end) - line_start).min(line.len());
    let annotation = kind.span(local);
    let annotation = if label.is_empty() { annotation } else { annotation.label(label) };
    Snippet::source(line).path(source.name()).line_start(source.place(span.start).line).annotation(annotation)
}

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
