//! The words of Prolog notation.

use crate::ids::{Id, narrow};
use crate::source::{Source, Span};

/// A word of a theory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `owns`, `12`, `-3`
    Name,
    /// `'Any text'`, with its quotes and escapes undone.
    Quoted(String),
    /// `Square`, `_x`, `_`
    Variable,
    /// Brackets, commas, bars and operators.
    Symbol(&'static str),
    /// The full stop that ends a clause.
    End,
    /// A `'` or `/*` without its partner.
    Unterminated,
    /// A character that has no place in a theory.
    Unknown,
    /// Behind the last word.
    Eof,
}

/// Operators, longest first.
const SYMBOLS: [&str; 35] = [
    ":-", "<-", "\\==", "=\\=", "=:=", "=..", "-->", "\\=@=", "\\+", "\\=", "==", "->", "=<", ">=", "@<",
    "@>", "**", "//", "=", "<", ">", "(", ")", "[", "]", "{", "}", "|", ",", ";", "!", "+", "*", "/", "-",
];

/// The word that begins at or behind `at`, white space and comments skipped.
pub(super) fn next_token(source: &Source, at: u32) -> (Token, Span) {
    let text = source.text();
    let start = match skip_blank(text, at.index()) {
        Ok(start) => start,
        Err(comment) => return (Token::Unterminated, span(comment, text.len())),
    };
    let rest = &text[start..];
    let Some(first) = rest.chars().next() else { return (Token::Eof, span(start, start)) };
    let word_end = || rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (token, length) = match first {
        'A'..='Z' | '_' => (Token::Variable, word_end()),
        '-' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
            let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - 1);
            (Token::Name, 1 + digits)
        }
        '\'' => match quoted(rest) {
            Some((name, length)) => (Token::Quoted(name), length),
            // The next line is probably a clause again.
            None => (Token::Unterminated, rest.find('\n').unwrap_or(rest.len())),
        },
        '.' if rest[1..].chars().next().is_none_or(|c| c.is_whitespace() || c == '%') => (Token::End, 1),
        _ if first.is_alphanumeric() => (Token::Name, word_end()),
        _ => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            Some(symbol) => (Token::Symbol(symbol), symbol.len()),
            None => (Token::Unknown, first.len_utf8()),
        },
    };
    (token, span(start, start + length))
}

fn span(start: usize, end: usize) -> Span {
    Span::new(narrow(start), narrow(end))
}

/// Where the next word begins, or where a comment began that does not end.
fn skip_blank(text: &str, mut at: usize) -> Result<usize, usize> {
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        let rest = &text[at..];
        if rest.starts_with('%') {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            at += comment.find("*/").ok_or(at)? + 4;
        } else {
            return Ok(at);
        }
    }
}

/// The name inside quotes at the start of `rest`, and how long it is with them. It ends in its line,
/// unless the line break is escaped.
fn quoted(rest: &str) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' if chars.peek().is_some_and(|&(_, next)| next == '\'') => {
                chars.next();
                name.push('\'');
            }
            '\'' => return Some((name, at + 1)),
            '\\' => match chars.next()?.1 {
                'n' => name.push('\n'),
                'r' => name.push('\r'),
                't' => name.push('\t'),
                other => name.push(other),
            },
            '\n' => return None,
            _ => name.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(Token, String)> {
        let source = Source::new("t", text);
        let mut found = Vec::new();
        let mut at = 0;
        loop {
            let (token, span) = next_token(&source, at);
            if token == Token::Eof {
                return found;
            }
            at = span.end;
            found.push((token, source.slice(span).to_owned()));
        }
    }

    #[test]
    fn words_of_a_clause() {
        let words: Vec<String> =
            tokens("p(X,-1) :- /* c */ X \\== 'it''s', \\+ q. % end").into_iter().map(|t| t.1).collect();
        assert_eq!(
            words,
            ["p", "(", "X", ",", "-1", ")", ":-", "X", "\\==", "'it''s'", ",", "\\+", "q", "."]
        );
        assert_eq!(tokens("'it''s \\'so\\''")[0].0, Token::Quoted("it's 'so'".into()));
        assert_eq!(tokens("'abc")[0].0, Token::Unterminated);
        assert_eq!(tokens("a /* b")[1].0, Token::Unterminated);
        assert_eq!(tokens("$")[0].0, Token::Unknown);
    }
}
