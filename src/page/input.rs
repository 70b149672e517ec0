//! What a page is made of.

use crate::cost::Profile;
use crate::ir::Module;
use crate::report::Document;
use crate::rules::RuleSet;

/// What the page is about.
///
/// ```
/// use satir::cost::Profile;
/// use satir::cse::{self, Options};
/// use satir::page::{Input, render};
/// use satir::report::Document;
/// use satir::rules::RuleSet;
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n";
/// let before = satir::parse(text)?;
/// let options = Options::default();
/// let (after, report) = cse::run(&before, &options)?;
/// let report = Document::of_cse("my.py", text, report, &options);
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let html = render(&Input {
///     name: "my.py",
///     text,
///     before: &before,
///     after: &after,
///     report: &report,
///     profile: &profile,
///     rules: &rules,
///     fast_math: false,
///     positive_dims: false,
/// });
/// assert!(html.contains("my.py") && html.trim_end().ends_with("</html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The program's name, for the title.
    pub name: &'a str,
    /// The text that was read.
    pub text: &'a str,
    /// The program that was read.
    pub before: &'a Module,
    /// The result.
    pub after: &'a Module,
    /// The report.
    pub report: &'a Document,
    /// The weights that were used.
    pub profile: &'a Profile,
    /// The rules that were used.
    pub rules: &'a RuleSet,
    /// Whether rules for real numbers were used on floats.
    pub fast_math: bool,
    /// Whether no dimension of a parameter's buffer is zero.
    pub positive_dims: bool,
}
