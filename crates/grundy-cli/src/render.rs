//! Diagnostics as text, in the manner of rustc.

use crate::output::Details;
use annotate_snippets::{Annotation, AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use anstream::{AutoStream, ColorChoice};
pub(crate) use grundy_bench::count;
use grundy_syntax::{Code, Diagnostic, Severity, Source, Span};
use serde_json::{Value, json};
use std::ops::Range;

/// A text with longer lines is not made for reading; of such a line only the place is told.
const LONGEST_LINE: usize = 2_000;

/// Marks that are further apart get a picture each, as the renderer looks at all text between them.
const LONGEST_PICTURE: usize = 20_000;

/// A diagnostic with the lines of the text that it speaks of; colours on a terminal.
pub(crate) fn diagnostic(source: &Source, diagnostic: &Diagnostic) -> String {
    at_level(source, diagnostic, diagnostic.severity())
}

/// The same as a warning: an error that does not keep a command from going on.
pub(crate) fn as_warning(source: &Source, diagnostic: &Diagnostic) -> String {
    at_level(source, diagnostic, Severity::Warning)
}

fn at_level(source: &Source, diagnostic: &Diagnostic, severity: Severity) -> String {
    let level = match severity {
        Severity::Error | Severity::Limit => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let marks = marks(diagnostic);
    let mut group = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code.id())
        .elements(pictures(source, &marks));
    if let Some(hint) = &diagnostic.hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    renderer().render(&[group])
}

/// An error that is no finding about the text, but has a place in it.
pub(crate) fn error_at(source: &Source, span: Span, message: &str, label: &str, hint: &str) -> String {
    let mark = Mark { kind: AnnotationKind::Primary, span, label };
    let group = Level::ERROR.primary_title(message).elements(pictures(source, &[mark]));
    let group = if hint.is_empty() { group } else { group.element(Level::HELP.message(hint)) };
    renderer().render(&[group])
}

/// Plain where the terminal, or the user (`NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`), wants no colours.
fn renderer() -> Renderer {
    match AutoStream::choice(&std::io::stderr()) {
        ColorChoice::Never => Renderer::plain(),
        _ => Renderer::styled(),
    }
}

/// A place of the text and what there is to say about it.
#[derive(Clone, Copy)]
struct Mark<'a> {
    kind: AnnotationKind,
    span: Span,
    label: &'a str,
}

fn marks(diagnostic: &Diagnostic) -> Vec<Mark<'_>> {
    let primary = Mark { kind: AnnotationKind::Primary, span: diagnostic.primary, label: &diagnostic.label };
    let others = diagnostic.secondary.iter();
    let others =
        others.map(|other| Mark { kind: AnnotationKind::Context, span: other.span, label: &other.text });
    std::iter::once(primary).chain(others).collect()
}

/// The lines with the marks, the primary one first: in one picture if they stand close together.
fn pictures<'a>(source: &'a Source, marks: &[Mark<'a>]) -> Vec<Element<'a>> {
    let lines: Vec<Range<usize>> = marks.iter().map(|mark| source.line(mark.span.start).range()).collect();
    let primary = marks.first().map_or(Span::default(), |mark| mark.span);
    let speaks_of_all = primary == Span::default() && marks.len() == 1;
    if speaks_of_all {
        return vec![origin(source, primary).into()];
    }
    if lines.iter().any(|line| line.len() > LONGEST_LINE) {
        let near = format!("near `{}`", excerpt(source, primary));
        return vec![origin(source, primary).into(), Level::NOTE.message(near).into()];
    }
    let start = lines.iter().map(|line| line.start).min().unwrap_or(0);
    let end = lines.iter().map(|line| line.end).max().unwrap_or(0);
    if end - start <= LONGEST_PICTURE {
        return vec![picture(source, start..end, marks).into()];
    }
    lines.into_iter().zip(marks).map(|(line, &mark)| picture(source, line, &[mark]).into()).collect()
}

fn origin(source: &Source, span: Span) -> Origin<'_> {
    let place = source.place(span.start);
    Origin::path(source.name()).line(place.line).char_column(place.column)
}

/// A few words from a place on.
fn excerpt(source: &Source, span: Span) -> String {
    let rest = source.text()[span.start as usize..].lines().next().unwrap_or("");
    rest.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn picture<'a>(source: &'a Source, range: Range<usize>, marks: &[Mark<'a>]) -> Snippet<'a, Annotation<'a>> {
    let annotations = marks.iter().map(|&mark| annotation(source, mark, range.start));
    let first_line = source.place(range.start as u32).line;
    Snippet::source(&source.text()[range.clone()])
        .path(source.name())
        .line_start(first_line)
        .annotations(annotations)
}

/// A mark in a part of the text that begins at `start`. A span of several lines is shown by its first
/// one: the place matters, and the whole rule would hide it.
fn annotation<'a>(source: &Source, mark: Mark<'a>, start: usize) -> Annotation<'a> {
    let line_end = source.line(mark.span.start).end;
    let shown = Span::new(mark.span.start.min(line_end), mark.span.end.min(line_end)).range();
    let annotation = mark.kind.span(shown.start - start..shown.end - start);
    if mark.label.is_empty() { annotation } else { annotation.label(mark.label) }
}

/// A diagnostic for programs.
pub(crate) fn to_json(source: &Source, diagnostic: &Diagnostic) -> Value {
    let place = source.place(diagnostic.primary.start);
    let end = source.place(diagnostic.primary.end);
    let others = diagnostic.secondary.iter().map(|label| {
        let place = source.place(label.span.start);
        json!({"line": place.line, "column": place.column, "message": label.text})
    });
    json!({
        "code": diagnostic.code.id(),
        "message": diagnostic.message,
        "line": place.line,
        "column": place.column,
        "end_line": end.line,
        "end_column": end.column,
        "hint": diagnostic.hint,
        "related": others.collect::<Vec<_>>(),
    })
}

/// What stops a file from being used, for programs: the findings, and the first limit with its place.
pub(crate) fn details(source: &Source, fatal: &[&Diagnostic]) -> Details {
    let limit = |diagnostic: &&Diagnostic| match diagnostic.code {
        Code::NestingLimit => Some("nesting"),
        Code::BranchLimit => Some("branches"),
        Code::RuleLimit => Some("rules"),
        Code::ReadBudget => crate::limits::budget().check().err().map(|reason| reason.name()),
        _ => None,
    };
    let limit = fatal.iter().find_map(limit).map(str::to_owned);
    let place = fatal.first().map(|first| source.place(first.primary.start));
    Details {
        limit,
        line: place.map(|place| place.line as u32),
        column: place.map(|place| place.column as u32),
        diagnostics: fatal.iter().map(|diagnostic| to_json(source, diagnostic)).collect(),
        ..Details::default()
    }
}

/// How many messages about one file are shown.
pub(crate) const MOST_MESSAGES: usize = 100;

/// The first messages, errors before warnings, still in their order, and how many others there are.
pub(crate) fn most_telling(mut diagnostics: Vec<&Diagnostic>, most: usize) -> (Vec<&Diagnostic>, usize) {
    let all = diagnostics.len();
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count().min(most);
    let mut left = [most - errors, errors];
    diagnostics.retain(|diagnostic| {
        let left = &mut left[usize::from(diagnostic.is_error())];
        let keeps = *left > 0;
        *left -= usize::from(keeps);
        keeps
    });
    let hidden = all - diagnostics.len();
    (diagnostics, hidden)
}
