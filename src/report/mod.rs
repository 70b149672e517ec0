//! The report on a program as data, in one shape for everything that turns programs into programs: what `--report FILE.json`
//! writes. [`SCHEMA`] describes it.
//!
//! Everything but times is the same on every run and machine.

use serde::Serialize;

use crate::cse::{self, FunctionReport, Mode, Options, Report};
use crate::ir::Module;
use crate::padding::{self, Padded};
use crate::passes::{Change, Nest, Step};
use crate::plan::Plan;

/// The version of the shape. It grows when a key goes or gets another meaning; new keys may come without that.
///
/// ```
/// let schema: serde_json::Value = serde_json::from_str(satir::report::SCHEMA)?;
/// assert_eq!(schema["$defs"]["version"]["const"], satir::report::VERSION);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub const VERSION: u32 = 1;

/// The JSON schema of a report, and of the report on several programs.
///
/// ```
/// let schema: serde_json::Value = serde_json::from_str(satir::report::SCHEMA)?;
/// assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub const SCHEMA: &str = include_str!("schema.json");

/// The report on a program.
///
/// ```
/// use satir::cse::{self, Options};
/// use satir::report::Document;
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n";
/// let options = Options::default();
/// let (_, report) = cse::run(&satir::parse(text)?, &options)?;
/// let document = Document::of_cse("my.py", text, report, &options);
/// let json = serde_json::to_value(&document)?;
/// assert_eq!((&json["version"], &json["file"]), (&1.into(), &"my.py".into()));
/// assert_eq!(json["functions"][0]["bindings"][0]["replaced"][0]["line"], 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Document {
    /// [`VERSION`].
    pub version: u32,
    /// The program's name.
    pub file: String,
    /// How equality was decided; absent if passes were named.
    pub mode: Option<Mode>,
    /// Whether floats were computed as if they were real numbers.
    pub fast_math: bool,
    /// Total cost of the input.
    pub cost_before: f64,
    /// Total cost of the result.
    pub cost_after: f64,
    /// Time for the whole program, in microseconds.
    pub time_us: u64,
    /// The passes that ran, in their order.
    pub passes: Vec<PassReport>,
    /// Buffers of the result with padding: those that passes gave a layout, and those of which assumptions tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<Padded>,
    /// One report for each function, in the module's order.
    pub functions: Vec<FunctionReport>,
    /// The rewrite rules that fired, by name, if they were [counted](crate::rewrite::Rewrites::counted).
    pub rules: Vec<FiredRule>,
}

/// A pass that ran.
///
/// ```
/// use satir::cse::Options;
/// use satir::report::Document;
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x - x] = x\n";
/// let (before, options) = (satir::parse(text)?, Options::default());
/// let mut steps = Vec::new();
/// let passes = satir::passes::select("simplify,verify")?;
/// let after = satir::passes::run_observed(&before, &passes, &options, |step, _| {
///     steps.push(step.clone());
///     std::ops::ControlFlow::Continue(())
/// })?;
/// let document = Document::of_passes("my.py", text, (&before, &after), &steps, &options);
/// let changed: Vec<bool> = document.passes.iter().map(|pass| pass.changed).collect();
/// assert_eq!(changed, [true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PassReport {
    /// Its name.
    pub pass: String,
    /// Whether it changed anything.
    pub changed: bool,
    /// How long it took, in microseconds.
    pub time_us: u64,
    /// How long the verification of what it made took, if that is not part of the other time.
    pub verification_us: Option<u64>,
    /// What it did to loop nests, if it is one that says so.
    pub changes: Vec<Change>,
    /// Those nests, before and after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nests: Vec<Nest>,
    /// What the pass `plan` did, function by function: each move with its cost and its proof.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<Plan>,
    /// Budgets that ended before it was done, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
}

/// A rewrite rule that fired.
///
/// ```
/// use std::sync::Arc;
/// use satir::cse::{self, Options};
/// use satir::eqsat::Rewrites;
/// use satir::report::Document;
/// use satir::rules::RuleSet;
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x)\n";
/// let options = Options { rewrites: Arc::new(Rewrites::counted(&RuleSet::embedded()?)), ..Options::default() };
/// let (_, report) = cse::run(&satir::parse(text)?, &options)?;
/// let document = Document::of_cse("my.py", text, report, &options);
/// assert!(document.rules[0].unions > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FiredRule {
    /// Its name.
    pub rule: String,
    /// Its set.
    pub set: String,
    /// How often it matched with its conditions proven.
    pub matches: u64,
    /// How often that found two expressions equal that were not known to be.
    pub unions: u64,
}

impl Document {
    /// Of [`cse::run`]. `text` is what the module was parsed from.
    ///
    /// ```
    /// use satir::cse::{self, Options};
    /// use satir::report::Document;
    ///
    /// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n";
    /// let options = Options::default();
    /// let (_, report) = cse::run(&satir::parse(text)?, &options)?;
    /// assert_eq!(Document::of_cse("my.py", text, report, &options).passes[0].pass, "semantic-cse");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_cse(file: &str, text: &str, report: Report, options: &Options) -> Document {
        let changed = report.functions.iter().any(|f| f.chosen != cse::Chosen::Input);
        let pass = PassReport {
            pass: report.mode.pass().to_owned(),
            changed,
            time_us: report.time_us,
            verification_us: None,
            changes: Vec::new(),
            nests: Vec::new(),
            plans: Vec::new(),
            limits: Vec::new(),
        };
        Document::new(file, text, Some(report.mode), vec![pass], report.functions, options)
    }

    /// Of [`passes::run_observed`](crate::passes::run_observed): the program before and after, and what the driver saw of each pass.
    ///
    /// ```
    /// use satir::cse::Options;
    /// use satir::report::Document;
    ///
    /// let text = "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = x * x - x * x\n";
    /// let (before, options) = (satir::parse(text)?, Options::default());
    /// let passes = satir::passes::select("simplify")?;
    /// let after = satir::passes::run(&before, &passes, &options)?;
    /// let document = Document::of_passes("my.py", text, (&before, &after), &[], &options);
    /// assert_eq!((document.cost_before, document.cost_after), (7.0, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_passes(
        file: &str,
        text: &str,
        (before, after): (&Module, &Module),
        steps: &[Step],
        options: &Options,
    ) -> Document {
        let pass = |step: &Step| PassReport {
            pass: step.pass.to_owned(),
            changed: step.changed,
            time_us: cse::micros(step.time),
            verification_us: Some(cse::micros(step.verification)),
            changes: step.changes.clone(),
            nests: step.nests.clone(),
            plans: step.plans.clone(),
            limits: step.limits.clone(),
        };
        let pairs = before.funcs.iter().zip(&after.funcs);
        let functions = pairs.map(|(before, after)| cse::compare(before, after, options)).collect();
        let made: Vec<padding::Layout> = steps.iter().flat_map(|step| step.layouts.clone()).collect();
        let layouts = padding::padded(after, &made);
        Document {
            layouts,
            ..Document::new(file, text, None, steps.iter().map(pass).collect(), functions, options)
        }
    }

    fn new(
        file: &str,
        text: &str,
        mode: Option<Mode>,
        passes: Vec<PassReport>,
        mut functions: Vec<FunctionReport>,
        options: &Options,
    ) -> Document {
        let rewrites = options.rewrites.with_fast_math(options.fast_math);
        cse::locate(&mut functions, text);
        let fired = rewrites.uses().into_iter().filter(|used| used.matches > 0);
        let rules = fired.map(|used| FiredRule {
            rule: used.rule,
            set: used.set,
            matches: used.matches,
            unions: used.unions,
        });
        Document {
            version: VERSION,
            file: file.to_owned(),
            mode,
            fast_math: options.fast_math,
            cost_before: functions.iter().map(|f| f.before.cost).sum(),
            cost_after: functions.iter().map(|f| f.after.cost).sum(),
            time_us: passes.iter().map(|pass| pass.time_us).sum(),
            passes,
            layouts: Vec::new(),
            rules: rules.collect(),
            functions,
        }
    }
}
