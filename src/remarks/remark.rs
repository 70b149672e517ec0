//! A remark, its kind and the parts of its message.

use std::fmt;

/// The kinds of remarks, as LLVM has them.
///
/// ```
/// use satir::remarks::Kind;
///
/// assert_eq!(Kind::Missed.to_string(), "missed");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something was done.
    Passed,
    /// Something was not done.
    Missed,
    /// Neither: what was found out.
    Analysis,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Passed => "passed",
            Kind::Missed => "missed",
            Kind::Analysis => "analysis",
        })
    }
}

/// A remark on a line.
///
/// ```
/// use satir::remarks::{Kind, Remark, yaml};
///
/// let mut remark = Remark::new(Kind::Passed, "simplify", "Simplified", "main");
/// (remark.file, remark.line, remark.column) = ("my.py".to_owned(), 3, 5);
/// let remark = remark.part("Before", "x * 1").text(" is now ").part("After", "x");
/// assert_eq!(remark.message(), "`x * 1` is now `x`");
/// assert!(yaml(&[remark]).starts_with("--- !Passed\n"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// Its kind.
    pub kind: Kind,
    /// The pass that it is about.
    pub pass: String,
    /// What it says, as one word.
    pub name: &'static str,
    /// The function.
    pub function: String,
    /// Name of the source.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The parts of the message.
    pub args: Vec<Arg>,
}

/// A part of a message: a piece of text, or something that has a name.
///
/// ```
/// use satir::remarks::{Kind, Remark};
///
/// let remark = Remark::new(Kind::Missed, "simplify", "Undecided", "main").text("for ").part("Values", "x = 3");
/// assert_eq!((remark.args[1].key, &*remark.args[1].value), ("Values", "x = 3"));
/// assert!(remark.args[1].place.is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arg {
    /// `String` for a piece of text.
    pub key: &'static str,
    /// The text.
    pub value: String,
    /// Line and column of what it is about, if that is elsewhere.
    pub place: Option<(u32, u32)>,
}

impl Remark {
    /// A remark that says nothing yet and has no place.
    ///
    /// ```
    /// use satir::remarks::{Kind, Remark};
    ///
    /// assert_eq!(Remark::new(Kind::Analysis, "simplify", "Cost", "main").message(), "");
    /// ```
    pub fn new(kind: Kind, pass: &str, name: &'static str, function: &str) -> Remark {
        let (pass, function) = (pass.to_owned(), function.to_owned());
        Remark { kind, pass, name, function, file: String::new(), line: 0, column: 0, args: Vec::new() }
    }

    /// Says more.
    ///
    /// ```
    /// use satir::remarks::{Kind, Remark};
    ///
    /// let remark = Remark::new(Kind::Analysis, "simplify", "Cost", "main").text("it costs ").text("7");
    /// assert_eq!(remark.message(), "it costs 7");
    /// ```
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Remark {
        self.arg("String", text.into(), None)
    }

    /// Says something that has a name: an expression, a number.
    ///
    /// ```
    /// use satir::remarks::{Kind, Remark};
    ///
    /// let remark = Remark::new(Kind::Missed, "simplify", "Undecided", "main").part("Condition", "x < 3");
    /// assert_eq!(remark.message(), "`x < 3`");
    /// ```
    #[must_use]
    pub fn part(self, key: &'static str, value: impl Into<String>) -> Remark {
        self.arg(key, value.into(), None)
    }

    /// Says more, with a name and a place.
    #[must_use]
    pub(super) fn arg(mut self, key: &'static str, value: String, place: Option<(u32, u32)>) -> Remark {
        self.args.push(Arg { key, value, place });
        self
    }

    /// What it says.
    ///
    /// ```
    /// use satir::remarks::{Kind, Remark};
    ///
    /// let remark = Remark::new(Kind::Missed, "simplify", "Undecided", "main");
    /// assert_eq!(remark.part("Condition", "x < 3").text(" may be false").message(), "`x < 3` may be false");
    /// ```
    pub fn message(&self) -> String {
        self.args.iter().map(Arg::shown).collect()
    }
}

impl Arg {
    /// The text as it stands in the message: code between quotes.
    pub(super) fn shown(&self) -> String {
        match self.key {
            "String" | "Line" | "Number" | "Reason" => self.value.clone(),
            _ => format!("`{}`", self.value),
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}: {}", self.file, self.line, self.column, self.kind, self.message())
    }
}
