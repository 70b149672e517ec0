//! Remarks on the lines of a program, in LLVM's manner: what was done there, what was not, and for what reason.
//!
//! [`collect`] makes them of a program and its result, [`yaml`] and [`sarif`] write them for other tools.

mod missed;
mod passed;
mod write;

use std::fmt;

pub use write::{sarif, yaml};

use crate::arith::Interval;
use crate::cost::Profile;
use crate::cse::FunctionReport;
use crate::diag::{LineIndex, Span};
use crate::explain::Context;
use crate::ir::{Expr, Module, PrimFunc};
use crate::rules::RuleSet;

/// What remarks are made of.
///
/// ```
/// use satir::cse::{self, Options};
/// use satir::remarks::{Input, collect};
/// use satir::rules::RuleSet;
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n";
/// let (before, options, rules) = (satir::parse(text)?, Options::default(), RuleSet::embedded()?);
/// let (after, report) = cse::run(&before, &options)?;
/// let input = Input {
///     pass: "semantic-cse",
///     file: "my.py",
///     text,
///     before: &before,
///     after: &after,
///     functions: &report.functions,
///     profile: &options.profile,
///     rules: &rules,
///     fast_math: false,
///     positive_dims: false,
/// };
/// assert!(collect(&input).iter().any(|remark| remark.line == 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The pass, or the passes between commas.
    pub pass: &'a str,
    /// Name of the source.
    pub file: &'a str,
    /// The text that was read.
    pub text: &'a str,
    /// The program that was read.
    pub before: &'a Module,
    /// The result.
    pub after: &'a Module,
    /// The report on each function.
    pub functions: &'a [FunctionReport],
    /// The weights that were used.
    pub profile: &'a Profile,
    /// The rules that were used.
    pub rules: &'a RuleSet,
    /// Whether rules for real numbers were used on floats.
    pub fast_math: bool,
    /// Whether no dimension of a parameter's buffer is zero.
    pub positive_dims: bool,
}

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

    fn arg(mut self, key: &'static str, value: String, place: Option<(u32, u32)>) -> Remark {
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
    fn shown(&self) -> String {
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

/// The remarks on all functions of a program, by line.
///
/// ```
/// use satir::cse::{self, Options};
/// use satir::remarks::{Input, Kind, collect};
/// use satir::rules::RuleSet;
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), B: T.Buffer((9,))):\n    B[0] = A[0] + T.float32(1)\n    B[1] = A[0]\n";
/// let (before, options, rules) = (satir::parse(text)?, Options::default(), RuleSet::embedded()?);
/// let (after, report) = cse::run(&before, &options)?;
/// let input = Input {
///     pass: "semantic-cse",
///     file: "my.py",
///     text,
///     before: &before,
///     after: &after,
///     functions: &report.functions,
///     profile: &options.profile,
///     rules: &rules,
///     fast_math: false,
///     positive_dims: false,
/// };
/// let missed: Vec<String> =
///     collect(&input).into_iter().filter(|remark| remark.kind == Kind::Missed).map(|r| r.to_string()).collect();
/// assert!(missed[0].starts_with("my.py:4:5: missed: `A[0]` is loaded again"), "{missed:?}");
/// assert!(missed[0].contains("line 3 may write it"), "{missed:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn collect(input: &Input<'_>) -> Vec<Remark> {
    let index = LineIndex::new(input.text);
    let mut remarks = Vec::new();
    for (at, (before, after)) in input.before.funcs.iter().zip(&input.after.funcs).enumerate() {
        let head = head_of(input.text, &index, before);
        let site = Site { input, index: &index, before, after, head };
        let report = input.functions.get(at);
        passed::collect(&site, report, &mut remarks);
        missed::collect(&site, report, &mut remarks);
    }
    remarks.sort_by_key(|remark| (remark.line, remark.column));
    remarks
}

/// The function that remarks are made on.
struct Site<'a> {
    input: &'a Input<'a>,
    index: &'a LineIndex,
    before: &'a PrimFunc,
    after: &'a PrimFunc,
    /// Line and column of its head.
    head: (u32, u32),
}

impl<'a> Site<'a> {
    /// A remark at a statement, or at the head of the function if it has no place.
    fn remark(&self, kind: Kind, name: &'static str, span: Span) -> Remark {
        let mut remark = Remark::new(kind, self.input.pass, name, &self.before.name);
        self.input.file.clone_into(&mut remark.file);
        (remark.line, remark.column) = self.position(span).unwrap_or(self.head);
        remark
    }

    fn position(&self, span: Span) -> Option<(u32, u32)> {
        (span != Span::NONE).then(|| self.index.position(self.input.text, span.start))
    }

    /// Says on which line something is.
    fn line(&self, remark: Remark, span: Span) -> Remark {
        let place = self.position(span);
        remark.arg("Line", format!("line {}", place.map_or(0, |(line, _)| line)), place)
    }

    fn context<'c>(&self, ranges: &'c [Interval], conds: &'c [Expr]) -> Context<'c>
    where
        'a: 'c,
    {
        Context {
            func: self.after,
            profile: self.input.profile,
            rules: self.input.rules,
            fast_math: self.input.fast_math,
            ranges,
            conds,
        }
    }
}

/// Line and column of `def name(`.
fn head_of(text: &str, index: &LineIndex, func: &PrimFunc) -> (u32, u32) {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let inner = line.trim_start();
        let named = inner.strip_prefix("def ").and_then(|rest| rest.trim_start().strip_prefix(&*func.name));
        if named.is_some_and(|rest| rest.trim_start().starts_with('(')) {
            return index.position(text, (offset + line.len() - inner.len()) as u32);
        }
        offset += line.len();
    }
    (1, 1)
}

#[cfg(test)]
mod tests;
