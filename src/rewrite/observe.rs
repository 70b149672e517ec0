//! Counters of what rules and theory do. One set of rules may work on many functions at a time.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use serde::Serialize;

use crate::egraph::{Reason, UnionTally};

/// What a rule did.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, try_rules};
/// use satir::rules::RuleSet;
///
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x] = T.max(x, T.min(x, 3))\n")?;
/// let trial = try_rules(&Program::new("p", module), &RuleSet::embedded()?, &Options::default())?;
/// assert!(trial.uses.iter().all(|rule| rule.unions <= rule.matches));
/// assert!(trial.uses.iter().any(|rule| rule.unions == 0), "not every rule is of use here");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleUse {
    /// The rule's name.
    pub rule: String,
    /// Its set.
    pub set: String,
    /// How often it matched with its conditions proven.
    pub matches: u64,
    /// How often that united two classes that were not one yet.
    pub unions: u64,
    /// Time that went into matching it.
    pub time: Duration,
}

impl RuleUse {
    /// A rule that did nothing yet.
    ///
    /// ```
    /// use satir::eqsat::RuleUse;
    ///
    /// let unused = RuleUse::none("add-zero", "arith");
    /// assert_eq!((unused.matches, unused.unions), (0, 0));
    /// ```
    pub fn none(rule: &str, set: &str) -> RuleUse {
        RuleUse { rule: rule.to_owned(), set: set.to_owned(), matches: 0, unions: 0, time: Duration::ZERO }
    }
}

/// How many unions of classes were made for one reason.
///
/// ```
/// use std::sync::Arc;
/// use satir::cse::{self, Options};
/// use satir::eqsat::{Rewrites, UnionKind};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x * 4 // 4] = T.bitwise_and(x, x)\n")?;
/// let options = Options { rewrites: Arc::new(Rewrites::counted(&RuleSet::embedded()?)), ..Options::default() };
/// cse::run(&module, &options)?;
/// let unions = options.rewrites.unions();
/// assert!(unions.iter().any(|by| by.kind == UnionKind::Rule));
/// assert!(unions.iter().any(|by| by.kind == UnionKind::Theory && by.reason == "quotient of a multiple"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct UnionCount {
    /// What kind of reason it is.
    pub kind: UnionKind,
    /// The name of the rule or of the law, or what it is in words.
    pub reason: String,
    /// How many unions were made for it that made two classes one.
    pub unions: u64,
}

/// A kind of reasons for which classes are united.
///
/// ```
/// use satir::eqsat::{Rewrites, UnionKind};
/// use satir::rules::RuleSet;
///
/// let counted = Rewrites::counted(&RuleSet::embedded()?);
/// assert!(!counted.unions().iter().any(|by| by.kind == UnionKind::Theory), "nothing was done yet");
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum UnionKind {
    /// The program, or what is known at a place of it, says that they are equal.
    Input,
    /// A rewrite rule.
    Rule,
    /// A law of the theory.
    Theory,
    /// The same operation on equal operands.
    Congruence,
    /// Operations on constants.
    Constants,
}

impl UnionCount {
    /// So many unions for a reason; `rule` names a rule.
    pub(super) fn new(reason: Reason, unions: u64, rule: impl Fn(u32) -> String) -> UnionCount {
        let (kind, reason) = match reason {
            Reason::Input => (UnionKind::Input, "what is known at a place".to_owned()),
            Reason::Rule(number) => (UnionKind::Rule, rule(number)),
            Reason::Axiom(axiom) => (UnionKind::Theory, axiom.name().to_owned()),
            Reason::Congruence => (UnionKind::Congruence, "equal operands".to_owned()),
            Reason::Fold => (UnionKind::Constants, "an operation on constants".to_owned()),
        };
        UnionCount { kind, reason, unions }
    }
}

/// A counter for each prepared rule, and the unions for every reason.
#[derive(Debug, Default)]
pub(super) struct Observer {
    rules: Vec<Counts>,
    unions: Arc<UnionTally>,
}

#[derive(Debug, Default)]
struct Counts {
    matches: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Observer {
    pub(super) fn new(count: usize) -> Observer {
        Observer { rules: (0..count).map(|_| Counts::default()).collect(), unions: Arc::default() }
    }

    /// Where graphs count their unions when they go.
    pub(super) fn tally(&self) -> Arc<UnionTally> {
        Arc::clone(&self.unions)
    }

    pub(super) fn matched(&self, index: usize, matches: usize, time: Duration) {
        let Some(counts) = self.rules.get(index) else { return };
        counts.matches.fetch_add(matches as u64, Relaxed);
        counts.nanoseconds.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    /// Adds what a direction of a rule did, but for its unions.
    pub(super) fn add_to(&self, index: usize, sum: &mut RuleUse) {
        let Some(counts) = self.rules.get(index) else { return };
        sum.matches += counts.matches.load(Relaxed);
        sum.time += Duration::from_nanos(counts.nanoseconds.load(Relaxed));
    }
}
