//! What remarks are made of: the programs and the report, and the function that is looked at.

use super::remark::{Kind, Remark};
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

/// The function that remarks are made on.
pub(super) struct Site<'a> {
    pub(super) input: &'a Input<'a>,
    index: &'a LineIndex,
    pub(super) before: &'a PrimFunc,
    pub(super) after: &'a PrimFunc,
    /// Line and column of its head.
    head: (u32, u32),
}

impl<'a> Site<'a> {
    pub(super) fn new(
        input: &'a Input<'a>,
        index: &'a LineIndex,
        before: &'a PrimFunc,
        after: &'a PrimFunc,
    ) -> Site<'a> {
        Site { input, index, before, after, head: head_of(input.text, index, before) }
    }

    /// A remark at a statement, or at the head of the function if it has no place.
    pub(super) fn remark(&self, kind: Kind, name: &'static str, span: Span) -> Remark {
        let mut remark = Remark::new(kind, self.input.pass, name, &self.before.name);
        self.input.file.clone_into(&mut remark.file);
        (remark.line, remark.column) = self.position(span).unwrap_or(self.head);
        remark
    }

    /// Line and column of a place, if there is one.
    pub(super) fn position(&self, span: Span) -> Option<(u32, u32)> {
        (span != Span::NONE).then(|| self.index.position(self.input.text, span.start))
    }

    /// Says on which line something is.
    pub(super) fn line(&self, remark: Remark, span: Span) -> Remark {
        let place = self.position(span);
        remark.arg("Line", format!("line {}", place.map_or(0, |(line, _)| line)), place)
    }

    pub(super) fn context<'c>(&self, ranges: &'c [Interval], conds: &'c [Expr]) -> Context<'c>
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
