//! Counters of what each rewrite rule does. One set of rules may work on many functions at a time.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

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

/// A counter for each prepared rule.
#[derive(Debug, Default)]
pub(super) struct Observer(Vec<Counts>);

#[derive(Debug, Default)]
struct Counts {
    matches: AtomicU64,
    unions: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Observer {
    pub(super) fn new(count: usize) -> Observer {
        Observer((0..count).map(|_| Counts::default()).collect())
    }

    pub(super) fn matched(&self, index: usize, matches: usize, time: Duration) {
        let Some(counts) = self.0.get(index) else { return };
        counts.matches.fetch_add(matches as u64, Relaxed);
        counts.nanoseconds.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    pub(super) fn united(&self, index: usize) {
        if let Some(counts) = self.0.get(index) {
            counts.unions.fetch_add(1, Relaxed);
        }
    }

    pub(super) fn add_to(&self, index: usize, sum: &mut RuleUse) {
        let Some(counts) = self.0.get(index) else { return };
        sum.matches += counts.matches.load(Relaxed);
        sum.unions += counts.unions.load(Relaxed);
        sum.time += Duration::from_nanos(counts.nanoseconds.load(Relaxed));
    }
}
