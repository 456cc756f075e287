//! The text of one file, and places in it.

use crate::ids::{Id, narrow};
use std::ops::Range;
use std::sync::OnceLock;

/// A half-open range of bytes in a [`Source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, and without, `end`.
    pub fn new(start: u32, end: u32) -> Span {
        debug_assert!(start <= end);
        Span { start, end }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The same as a range of indices.
    pub fn range(self) -> Range<usize> {
        self.start.index()..self.end.index()
    }
}

/// A line and a column, both counted from one; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// A named text. Always valid UTF-8 and short enough for `u32` offsets.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    first_invalid_byte: Option<u32>,
    line_starts: OnceLock<Vec<u32>>,
    /// How many characters stand before each block, for the columns of very long lines.
    block_starts: OnceLock<Vec<u32>>,
}

/// The bytes of a block.
const BLOCK: usize = 1 << 12;

/// How far words are looked for: a message about a huge rule need not know where in it a word stands.
const LONGEST_SEARCH: usize = 1 << 16;

/// The longest text that can be read: offsets are 32 bits wide.
pub const MAX_SOURCE_BYTES: usize = u32::MAX as usize - 1;

impl Source {
    /// A source from text.
    ///
    /// A text beyond [`MAX_SOURCE_BYTES`] is cut there; callers that read files check the length first.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let mut text = text.into();
        if text.len() > MAX_SOURCE_BYTES {
            text.truncate(floor_char_boundary(&text, MAX_SOURCE_BYTES));
        }
        Source {
            name: name.into(),
            text,
            first_invalid_byte: None,
            line_starts: OnceLock::new(),
            block_starts: OnceLock::new(),
        }
    }

    /// A source from any bytes. What is not UTF-8 becomes U+FFFD, and the readers warn about it.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Source {
        match String::from_utf8(bytes) {
            Ok(text) => Source::new(name, text),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let source = Source::new(name, text);
                // What was cut off cannot be pointed at.
                let first_invalid_byte = (valid < source.text.len()).then_some(narrow(valid));
                Source { first_invalid_byte, ..source }
            }
        }
    }

    /// What the user calls this text: a path, or `-`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the text proper begins: behind the byte order mark, if there is one.
    pub(crate) fn start(&self) -> usize {
        if self.text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 }
    }

    /// Where the first byte stood that was not UTF-8, if there was one.
    pub fn first_invalid_byte(&self) -> Option<Span> {
        self.first_invalid_byte.map(|at| Span::new(at, at + '\u{FFFD}'.len_utf8() as u32))
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    /// Line and column of an offset.
    pub fn place(&self, offset: u32) -> Place {
        let offset = floor_char_boundary(&self.text, offset.index());
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start as usize <= offset).max(1);
        let line_start = (starts[line - 1].index()).min(offset);
        let characters = if offset - line_start <= BLOCK {
            count_characters(&self.text.as_bytes()[line_start..offset])
        } else {
            self.characters_before(offset) - self.characters_before(line_start)
        };
        Place { line, column: characters + 1 }
    }

    /// The line that holds an offset, without its line break.
    pub fn line(&self, offset: u32) -> Span {
        let starts = self.line_starts();
        let behind = starts.partition_point(|&start| start <= offset).max(1);
        let start = starts[behind - 1];
        let end = starts.get(behind).map_or(self.text.len(), |&next| next.index() - 1);
        let line = self.text[start.index()..end].trim_end_matches('\r');
        Span::new(start, start + narrow(line.len()))
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| line_starts(&self.text, self.start()))
    }

    fn characters_before(&self, offset: usize) -> usize {
        let bytes = self.text.as_bytes();
        let starts = self.block_starts.get_or_init(|| block_starts(bytes));
        let block = offset / BLOCK;
        starts[block].index() + count_characters(&bytes[block * BLOCK..offset])
    }

    /// The place of a whole word inside a span: where the variable or name `word` stands.
    ///
    /// Terms carry no spans (they are interned), so diagnostics about a variable look for it in
    /// the text of its condition. The whole span is the answer if the word cannot be found.
    pub fn find_word(&self, span: Span, word: &str) -> Span {
        self.words(span, word).next().unwrap_or(span)
    }

    /// Every place of a whole word inside a span, as far as it is searched.
    pub fn words<'a>(&'a self, span: Span, word: &'a str) -> impl Iterator<Item = Span> + 'a {
        let text = self.slice(span);
        let text = &text[..floor_char_boundary(text, LONGEST_SEARCH)];
        text.match_indices(if word.is_empty() { "\u{0}" } else { word }).filter_map(move |(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            let apart = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || "()[],.:'\";".contains(c));
            let start = span.start + narrow(at);
            (apart(before) && apart(after)).then(|| Span::new(start, start + narrow(word.len())))
        })
    }
}

/// The last place at or before `at` that is not inside a character.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// Characters of UTF-8, counted by their first bytes.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0b1100_0000 != 0b1000_0000).count()
}

fn block_starts(bytes: &[u8]) -> Vec<u32> {
    let mut starts = vec![0];
    for block in bytes.chunks(BLOCK) {
        starts.push(starts[starts.len() - 1] + narrow(count_characters(block)));
    }
    starts
}

/// Where lines begin; the first one begins behind the byte order mark.
fn line_starts(text: &str, first: usize) -> Vec<u32> {
    let behind_breaks =
        text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| narrow(at) + 1);
    std::iter::once(narrow(first)).chain(behind_breaks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let source = Source::new("t", "ab\nçd\n");
        assert_eq!(source.place(0), Place { line: 1, column: 1 });
        assert_eq!(source.place(5), Place { line: 2, column: 2 });
        assert_eq!(source.place(99), Place { line: 3, column: 1 });
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        let source = Source::new("t", "\u{FEFF}ab\nc");
        assert_eq!(source.place(0), Place { line: 1, column: 1 });
        assert_eq!(source.place(4), Place { line: 1, column: 2 });
        assert_eq!(source.slice(source.line(0)), "ab");
    }

    #[test]
    fn places_in_long_lines() {
        let source = Source::new("t", format!("a\n{}b\r\nc", "ç".repeat(10_000)));
        assert_eq!(source.place(20_002), Place { line: 2, column: 10_001 });
        assert_eq!(source.line(20_002), Span::new(2, 20_003));
        assert_eq!(source.slice(source.line(0)), "a");
        assert_eq!(source.slice(source.line(20_005)), "c");
        assert_eq!(source.slice(source.line(20_006)), "c");
    }

    #[test]
    fn words_are_whole() {
        let source = Source::new("t", "(p ?xy ?x)");
        let found = source.find_word(Span::new(0, 10), "?x");
        assert_eq!(source.slice(found), "?x");
        assert_eq!(found.start, 7);
        assert_eq!(source.find_word(Span::new(0, 10), "?z"), Span::new(0, 10));
    }

    #[test]
    fn invalid_bytes_are_replaced_and_remembered() {
        let source = Source::from_bytes("t", b"ab\xffcd".to_vec());
        assert_eq!(source.text(), "ab\u{FFFD}cd");
        assert_eq!(source.slice(source.first_invalid_byte().unwrap()), "\u{FFFD}");
    }
}
