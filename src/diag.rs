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

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}:{}: error: {}", self.file, self.line, self.column, self.message)?;
        let number = self.line.to_string();
        writeln!(f, "{number} | {}", self.source_line)?;
        write!(f, "{:w$} | {:c$}^", "", "", w = number.len(), c = self.column as usize - 1)
    }
}

impl std::error::Error for Diagnostic {}
