//! Places in a source text and messages about them.

use std::fmt;

/// A range of bytes of a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// No place.
    pub const NONE: Span = Span { start: u32::MAX, end: u32::MAX };
}

/// An error in a source text: the place and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Name of the source (a path or `<stdin>`).
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The text of that line.
    pub source_line: String,
    /// What is wrong: lower case, expected and found.
    pub message: String,
}

/// Where the lines of a text begin: turns byte offsets into lines and columns.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of `text`.
    pub fn new(text: &str) -> LineIndex {
        let mut starts = vec![0];
        starts.extend(text.bytes().zip(1u32..).filter(|&(b, _)| b == b'\n').map(|(_, next)| next));
        LineIndex { starts }
    }

    /// The line of a byte offset, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&s| s <= offset) as u32
    }

    /// Line and column (in characters) of a byte offset, both from 1. `text` is the text that was indexed.
    pub fn position(&self, text: &str, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        let start = self.starts[line as usize - 1] as usize;
        let end = (offset as usize).min(text.len()).max(start);
        let column = String::from_utf8_lossy(&text.as_bytes()[start..end]).chars().count();
        (line, column as u32 + 1)
    }
}

impl Diagnostic {
    /// Most characters of a source line that are displayed.
    const MAX_SHOWN: usize = 160;

    /// A message about the place `span` of `text`.
    pub fn new(file: &str, text: &str, span: Span, message: impl Into<String>) -> Diagnostic {
        let offset = span.start.min(text.len() as u32);
        let (line, column) = LineIndex::new(text).position(text, offset);
        let source_line = text.lines().nth(line as usize - 1).unwrap_or("").to_owned();
        Diagnostic { file: file.to_owned(), line, column, source_line, message: message.into() }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}:{}: error: {}", self.file, self.line, self.column, self.message)?;
        let number = self.line.to_string();
        // Of a long line the part around the place is shown.
        let caret = self.column as usize - 1;
        let skip = if caret < Self::MAX_SHOWN { 0 } else { caret - Self::MAX_SHOWN / 2 };
        let shown: String = self.source_line.chars().skip(skip).take(Self::MAX_SHOWN).collect();
        let before = if skip > 0 { "..." } else { "" };
        let after = if self.source_line.chars().count() > skip + Self::MAX_SHOWN { "..." } else { "" };
        writeln!(f, "{number} | {before}{shown}{after}")?;
        write!(f, "{:w$} | {:c$}^", "", "", w = number.len(), c = caret - skip + before.len())
    }
}

impl std::error::Error for Diagnostic {}
