//! Places in a source text and messages about them.

use std::fmt;

/// A range of bytes of a source text.
///
/// ```
/// let text = "@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x + 1)\n";
/// let module = satir::parse(text)?;
/// let span = module.funcs[0].body[0].span;
/// assert_eq!(&text[span.start as usize..span.end as usize], "T.evaluate(x + 1)");
/// assert_eq!(satir::ir::Stmt::new(satir::ir::StmtKind::Break).span, satir::diag::Span::NONE, "made, not read");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
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
///
/// ```
/// let error = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(y)\n").unwrap_err();
/// assert_eq!((error.line, error.column), (3, 16));
/// assert_eq!(error.source_line, "    T.evaluate(y)");
/// assert!(error.to_string().contains("3 |     T.evaluate(y)\n  |                ^"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
///
/// ```
/// use satir::diag::LineIndex;
///
/// let text = "one\ntwo\n";
/// assert_eq!(LineIndex::new(text).position(text, 5), (2, 2));
/// ```
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of `text`.
    ///
    /// ```
    /// use satir::diag::LineIndex;
    ///
    /// assert_eq!(LineIndex::new("").line(0), 1, "an empty text has one line");
    /// ```
    pub fn new(text: &str) -> LineIndex {
        let mut starts = vec![0];
        starts.extend(text.bytes().zip(1u32..).filter(|&(b, _)| b == b'\n').map(|(_, next)| next));
        LineIndex { starts }
    }

    /// The line of a byte offset, from 1.
    ///
    /// ```
    /// use satir::diag::LineIndex;
    ///
    /// let index = LineIndex::new("one\ntwo\n");
    /// assert_eq!((index.line(0), index.line(3), index.line(4)), (1, 1, 2));
    /// ```
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&s| s <= offset) as u32
    }

    /// Line and column (in characters) of a byte offset, both from 1. `text` is the text that was indexed.
    ///
    /// ```
    /// use satir::diag::LineIndex;
    ///
    /// let text = "größe = x";
    /// // The offset counts bytes, the column characters.
    /// let offset = text.find('=').expect("there") as u32;
    /// assert_eq!((offset, LineIndex::new(text).position(text, offset)), (8, (1, 7)));
    /// ```
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
    ///
    /// ```
    /// use satir::diag::{Diagnostic, Span};
    ///
    /// let error = Diagnostic::new("my.rules", "(rule x)", Span { start: 6, end: 7 }, "unknown name `x`");
    /// assert_eq!(error.to_string(), "my.rules:1:7: error: unknown name `x`\n1 | (rule x)\n  |       ^");
    /// ```
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
