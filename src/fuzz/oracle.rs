//! What must hold of any program and what the passes make of it.

use std::panic::{self, AssertUnwindSafe};

use super::text::panic_text;
use crate::cost::{Cost, cost_of_func};
use crate::cse::{self, Mode, Options};
use crate::eqsat::Failure;
use crate::error::Error;
use crate::interp::{Bindings, Constraint, Constraints, EquivOptions, equiv};
use crate::ir::{Module, Param};
use crate::loops;
use crate::passes;
use crate::script::parse;
use crate::target::IndexBits;
use crate::verify::verify;

/// A window that holds a statement or two.
const SHORT_WINDOW: usize = 12;

/// The most ways to write the loops of one program that are compared.
const MAX_NESTS: usize = 6;

/// Programs nest deep.
const STACK: usize = 512 << 20;

/// What goes wrong with a program.
///
/// ```
/// use satir::fuzz::{Kind, Thoroughness, check, compare_options};
/// use satir::ir::{Expr, StmtKind};
///
/// let mut module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x] = x\n")?;
/// // A value of another type than the buffer's: no program.
/// if let StmtKind::Store { value, .. } = &mut module.funcs[0].body[0].kind {
///     *value = Expr::int(1, satir::ir::DType::I64);
/// }
/// let finding = check(&module, &compare_options(&module, 0), Thoroughness::of(0)).unwrap_err();
/// assert_eq!((finding.part, finding.kind), ("program", Kind::Refused));
/// println!("{}", finding.what);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The part of satir that is at fault.
    pub part: &'static str,
    /// What is wrong.
    pub kind: Kind,
    /// In words.
    pub what: String,
}

/// The kinds of things that go wrong.
///
/// ```
/// use satir::fuzz::Kind;
///
/// let mut found = [Kind::Cost, Kind::Panic, Kind::Behaviour];
/// found.sort();
/// assert_eq!(found, [Kind::Panic, Kind::Behaviour, Kind::Cost], "the worst first");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// A panic.
    Panic,
    /// The result is refused, or not well-formed.
    Refused,
    /// What is printed does not parse to the same.
    Text,
    /// The result does something else than the input.
    Behaviour,
    /// The result costs more than it may.
    Cost,
    /// Two runs give different bytes.
    Bytes,
}

/// What checking a program did.
///
/// ```
/// use satir::fuzz::{Shape, Thoroughness, check, compare_options, program};
///
/// let module = program(3, Shape { size: 12, portable: true });
/// let tally = check(&module, &compare_options(&module, 3), Thoroughness::of(3)).expect("nothing found");
/// println!("{} runs compared; cheaper: {}", tally.runs, tally.improved);
/// assert_eq!(tally.idle, tally.runs == 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Runs of the interpreter that were compared.
    pub runs: usize,
    /// Whether no run of the program came to its end, so that nothing was compared.
    pub idle: bool,
    /// Whether semantic sharing made it cheaper.
    pub improved: bool,
}

/// How thoroughly a program is checked.
///
/// ```
/// use satir::fuzz::Thoroughness;
///
/// assert!(Thoroughness::of(16).full && !Thoroughness::of(17).full);
/// let quick = Thoroughness { runs: 1, only: Some("syntactic"), ..Thoroughness::of(17) };
/// assert_eq!(quick.max_steps, Thoroughness::of(17).max_steps);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thoroughness {
    /// Runs of the interpreter for each comparison.
    pub runs: usize,
    /// Longest run, in steps of the interpreter.
    pub max_steps: u64,
    /// Whether the variants of the options are tried too, and everything is done twice.
    pub full: bool,
    /// Whether the passes on loops are tried, which take most of the time.
    pub loops: bool,
    /// Only the checks of this part.
    pub only: Option<&'static str>,
    /// Whether the passes on padding and on statements that change nothing are checked, instead of those that share.
    pub padding: bool,
}

impl Thoroughness {
    /// What a program with this seed gets: one in eight all checks.
    ///
    /// ```
    /// use satir::fuzz::Thoroughness;
    ///
    /// assert_eq!((0..80).filter(|&seed| Thoroughness::of(seed).full).count(), 10);
    /// ```
    pub fn of(seed: u64) -> Thoroughness {
        Thoroughness {
            runs: 6,
            max_steps: 100_000,
            full: seed.is_multiple_of(8),
            loops: true,
            only: None,
            padding: false,
        }
    }
}

/// How two versions of a program are compared.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\")):\n    A[0] = A[1]\n")?;
/// let options = satir::fuzz::compare_options(&module, 1);
/// assert!(options.constraints.contains_key("A"), "what may be an index stays small");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn compare_options(module: &Module, seed: u64) -> EquivOptions {
    let mut constraints = Constraints::new();
    for func in &module.funcs {
        for param in &func.params {
            if let Param::Buffer(buffer) = *param
                && func.buffer(buffer).dtype.is_index()
            {
                let small = Constraint::RandInt { lo: -9, hi: 10 };
                constraints.insert(func.buffer(buffer).name.to_string(), small);
            }
        }
    }
    EquivOptions {
        bindings: Bindings::new(),
        fixed: false,
        constraints,
        runs: 8,
        seed,
        tolerance: None,
        max_steps: 300_000,
        lenient_loads: false,
        no_new_loads: true,
        accessed_only: true,
        layouts: Vec::new(),
        limits_everywhere: true,
    }
}

/// Checks one program. `compare` says how runs are compared.
///
/// # Errors
///
/// The first thing that is wrong.
///
/// ```
/// use satir::fuzz::{Thoroughness, check, compare_options};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x % 9] = A[x * x % 9]\n")?;
/// let tally = check(&module, &compare_options(&module, 0), Thoroughness::of(0)).expect("nothing found");
/// assert!(tally.runs > 0 && !tally.idle);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn check(module: &Module, compare: &EquivOptions, how: Thoroughness) -> Result<Tally, Finding> {
    let compare = EquivOptions { runs: how.runs, max_steps: how.max_steps, ..compare.clone() };
    let mut checker = Checker { compare, tally: Tally::default() };
    let result = panic::catch_unwind(AssertUnwindSafe(|| checker.program(module, how)));
    match result {
        Ok(Ok(())) => Ok(checker.tally),
        Ok(Err(finding)) => Err(finding),
        Err(payload) => Err(Finding { part: "satir", kind: Kind::Panic, what: panic_text(&*payload) }),
    }
}

/// Checks one program.
pub(super) struct Checker {
    pub(super) compare: EquivOptions,
    pub(super) tally: Tally,
}

impl Checker {
    fn program(&mut self, module: &Module, how: Thoroughness) -> Result<(), Finding> {
        if let Err(violations) = verify(module) {
            return Err(finding("program", Kind::Refused, violations[0].to_string()));
        }
        let wanted = |part: &str| how.only.is_none_or(|only| only == part);
        let wants_loops = |part: &str| how.loops && wanted(part);
        // A program that TVMScript cannot spell, such as one that divides by a constant that folds to 0.
        let Ok(module) = &settled("printer", module) else {
            self.tally.idle = true;
            return Ok(());
        };
        let options = Options::default();
        if how.padding {
            // The search takes most of the time.
            let plans = how.full || how.only.is_some();
            return self.padding(module, &|part: &str| wanted(part) && (plans || part != "plan"));
        }
        let before = cost(module, &options);
        let mut least = before;
        if wanted("syntactic") || wanted("semantic") {
            let (syntactic, added) =
                self.shared(module, "syntactic", &Options { mode: Mode::Syntactic, ..options.clone() })?;
            least = cost(&syntactic, &options);
            at_most("syntactic", least, before, added)?;
            self.same("syntactic", module, &syntactic)?;
        }
        if wanted("semantic") || wanted("again") || wanted("simplify after") {
            let (semantic, added) = self.shared(module, "semantic", &options)?;
            let best = cost(&semantic, &options);
            at_most("semantic", best, least, added)?;
            self.same("semantic", module, &semantic)?;
            self.tally.improved = best < least;
            if how.full || how.only.is_some() {
                self.repeated(module, &semantic, &options)?;
            }
        }
        if wanted("simplify") {
            let simplified = self.pass(module, "simplify", "simplify", &options)?;
            self.same("simplify", module, &simplified)?;
        }
        if wanted("reciprocals") {
            let multiplied = self.pass(module, "reciprocals", "multiply-reciprocals", &options)?;
            self.same("reciprocals", module, &multiplied)?;
        }
        if wanted("vectorize") {
            let vectors = self.pass(module, "vectorize", "vectorize", &options)?;
            self.same("vectorize", module, &vectors)?;
        }
        if wants_loops("loops") {
            let chosen = self.pass(module, "loops", "loops", &options)?;
            self.same("loops", module, &chosen)?;
        }
        if wants_loops("every nest") {
            // Also what is not chosen.
            for nest in guarded("every nest", || Ok(loops::every_way(module, &options, MAX_NESTS)))? {
                let nest = settled("every nest", &nest)?;
                self.same("every nest", module, &nest)?;
            }
        }
        if how.full || how.only.is_some() {
            let mut starved = options.clone();
            starved.budgets.nodes = 1;
            let mut windowed = options.clone();
            windowed.budgets.window = SHORT_WINDOW;
            if wanted("wide") {
                // The conversions count as work: that it costs no more is not said of it.
                let wide = Options { index_bits: IndexBits::Wide, ..options.clone() };
                let (result, _) = self.shared(module, "wide", &wide)?;
                self.same("wide", module, &result)?;
            }
            let unsimplified = Options { simplify: false, ..options };
            for (part, options) in
                [("unsimplified", &unsimplified), ("node limit", &starved), ("windows", &windowed)]
            {
                if wanted(part) {
                    let (result, added) = self.shared(module, part, options)?;
                    at_most(part, cost(&result, options), before, added)?;
                    self.same(part, module, &result)?;
                }
            }
        }
        Ok(())
    }

    /// The same again, on one thread, and the result once more.
    fn repeated(&mut self, module: &Module, semantic: &Module, options: &Options) -> Result<(), Finding> {
        // Functions are what is optimized at the same time.
        let alone = match module.funcs.len() {
            2.. => rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK).build().ok(),
            _ => None,
        };
        let mut again = || self.shared(module, "semantic", options);
        let twice = match alone {
            Some(pool) => pool.install(again)?,
            None => again()?,
        };
        if twice.0.to_string() != semantic.to_string() {
            return Err(finding("semantic", Kind::Bytes, "a second run gives other bytes".to_owned()));
        }
        if self.shared(semantic, "again", options)?.0.to_string() != semantic.to_string() {
            return Err(finding("again", Kind::Bytes, "the result, optimized again, is another".to_owned()));
        }
        let simplified = self.pass(semantic, "simplify after", "simplify", options)?;
        self.same("simplify after", module, &simplified)
    }

    /// The result, and what it may be said to cost more as conditions went.
    fn shared(
        &mut self,
        module: &Module,
        part: &'static str,
        options: &Options,
    ) -> Result<(Module, f64), Finding> {
        let (out, report) = guarded(part, || cse::run(module, options))?;
        // To find nothing that is sure not to trap is no fault; to contradict itself, or the language, is one.
        let harmless = [Failure::MayTrap, Failure::NoTerm].map(|f| f.to_string());
        for why in report.functions.iter().filter_map(|f| f.gave_up.as_ref()) {
            if !harmless.contains(why) {
                return Err(finding(part, Kind::Refused, why.clone()));
            }
        }
        let added = report.functions.iter().map(|f| f.decided.added).sum();
        Ok((settled(part, &out)?, added))
    }

    pub(super) fn pass(
        &mut self,
        module: &Module,
        part: &'static str,
        passes: &str,
        options: &Options,
    ) -> Result<Module, Finding> {
        let out = guarded(part, || {
            let chosen = passes::select(passes)?;
            match passes::run(module, &chosen, options) {
                // A program that assumes what is false is no program.
                Err(Error::Refused(_)) => Ok(module.clone()),
                made => made,
            }
        })?;
        settled(part, &out)
    }

    /// Compares runs.
    pub(super) fn same(&mut self, part: &'static str, a: &Module, b: &Module) -> Result<(), Finding> {
        if a == b {
            return Ok(());
        }
        let Ok(result) = equiv(a, b, &self.compare) else {
            // Something that the interpreter does not know, or memory of unknown size.
            self.tally.idle = true;
            return Ok(());
        };
        self.tally.runs += result.compared;
        self.tally.idle |= result.compared == 0;
        match result.difference {
            None => Ok(()),
            Some(d) => {
                let bindings: Vec<String> = d.bindings.iter().map(|(k, v)| format!("{k}={v}")).collect();
                let place = format!("--seed {} --bind \"{}\"", d.seed, bindings.join(","));
                Err(finding(part, Kind::Behaviour, format!("{}: {} ({place})", d.function, d.what)))
            }
        }
    }
}

fn finding(part: &'static str, kind: Kind, what: String) -> Finding {
    Finding { part, kind, what }
}

/// Runs a part of the optimizer; a panic or refusal is a finding.
pub(super) fn guarded<T>(
    part: &'static str,
    f: impl FnOnce() -> Result<T, crate::Error>,
) -> Result<T, Finding> {
    match panic::catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(e)) => Err(finding(part, Kind::Refused, e.to_string())),
        Err(payload) => Err(finding(part, Kind::Panic, panic_text(&*payload))),
    }
}

/// The module as it is when read from text. TVMScript folds some calls of constants when it is read, so that not every
/// program can be written: what is read is read again until it stays the same.
pub(super) fn settled(part: &'static str, module: &Module) -> Result<Module, Finding> {
    const READINGS: usize = 6;
    let mut text = module.to_string();
    for _ in 0..READINGS {
        let read = parse("printed", &text).map_err(|e| {
            finding(part, Kind::Text, format!("what is printed does not parse: {}", e.message))
        })?;
        let again = read.to_string();
        if again == text {
            return Ok(read);
        }
        text = again;
    }
    Err(finding(part, Kind::Text, "every reading gives another text".to_owned()))
}

fn cost(module: &Module, options: &Options) -> Cost {
    let of = |func| cost_of_func(func, &options.profile, &options.bindings).total;
    module.funcs.iter().map(of).fold(Cost::ZERO, |sum, c| sum + c)
}

/// `added` is a sum of differences of costs, so that it may be off by a little.
fn at_most(part: &'static str, cost: Cost, most: Cost, added: f64) -> Result<(), Finding> {
    let (cost, most) = (cost.to_f64(), most.to_f64() + added);
    if cost <= most + most.abs() * 1e-9 {
        return Ok(());
    }
    Err(finding(part, Kind::Cost, format!("the result costs {cost}, more than {most}")))
}
