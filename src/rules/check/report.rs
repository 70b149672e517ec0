//! What a check found, as data and as text.

use std::fmt;

use serde::Serialize;

/// What was found out about all rules.
///
/// ```
/// use satir::rules::check::{self, QUICK};
/// use satir::rules::{Rule, RuleSet};
///
/// let mut set = RuleSet::empty();
/// set.extend_with_text("my.rules", "(rule same \"equal bits\" (types int32 uint8) (=> (bitwise_and ?x ?x) ?x))")?;
/// let rules: Vec<&Rule> = set.all_rules().collect();
/// let report = check::run(&rules, QUICK);
/// assert!(report.is_ok());
/// assert_eq!(report.rules[0].rule, "same");
/// println!("{report}");
/// assert_eq!(report.summary().refuted, 0);
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// In the order of the rules.
    pub rules: Vec<RuleReport>,
}

/// What was found out about a rule.
///
/// ```
/// use satir::rules::check::{self, QUICK};
/// use satir::rules::{Rule, RuleSet};
///
/// let mut set = RuleSet::empty();
/// set.extend_with_text("my.rules", "(rule never \"no x is\" (types index) (=> (add ?x 1) ?x) (if (lt ?x 0) (gt ?x 0)))")?;
/// let rules: Vec<&Rule> = set.all_rules().collect();
/// let report = check::run(&rules, QUICK);
/// assert!(report.rules[0].is_idle() && !report.is_ok(), "a rule that never applies is a mistake");
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RuleReport {
    /// The rule's name.
    pub rule: String,
    /// Its set.
    pub set: String,
    /// For each direction and each choice of types.
    pub instances: Vec<InstanceReport>,
}

/// What was found out about one direction of a rule at chosen types.
///
/// ```
/// use satir::rules::check::{self, QUICK};
/// use satir::rules::{Rule, RuleSet};
///
/// let mut set = RuleSet::empty();
/// set.extend_with_text("my.rules", "(rule same \"equal bits\" (types int32 uint8) (=> (bitwise_and ?x ?x) ?x))")?;
/// let rules: Vec<&Rule> = set.all_rules().collect();
/// let report = check::run(&rules, QUICK);
/// let [int, byte] = &report.rules[0].instances[..] else { panic!("one for each type") };
/// assert_eq!((&*int.types, &*byte.types), ("int32", "uint8"));
/// assert!(byte.is_proven() && !int.is_proven(), "all bytes were tried, not all integers");
/// assert!(!int.is_refuted());
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InstanceReport {
    /// The type of each type variable; `index` for both index types at once.
    pub types: String,
    /// Whether this is the right-to-left reading of a `<=>`.
    pub reversed: bool,
    /// To how many assignments of values the rule applied.
    pub tested: u64,
    /// What the tests say.
    pub verdict: Verdict,
    /// What the SMT solver says, if it was asked.
    pub proof: Option<Proof>,
}

/// What tests say.
///
/// ```
/// use satir::rules::check::{self, QUICK, Verdict};
/// use satir::rules::{Rule, RuleSet};
///
/// let mut set = RuleSet::empty();
/// set.extend_with_text("my.rules", "(rule same \"equal bits\" (types int32 uint8) (=> (bitwise_and ?x ?x) ?x))")?;
/// let rules: Vec<&Rule> = set.all_rules().collect();
/// let report = check::run(&rules, QUICK);
/// let verdicts: Vec<_> = report.rules[0].instances.iter().map(|i| &i.verdict).collect();
/// assert_eq!(verdicts, [&Verdict::Passed, &Verdict::Exhausted], "`int32` and `uint8`");
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No counterexample was found.
    Passed,
    /// No counterexample was found, and there are no other values: a proof.
    Exhausted,
    /// The rule is wrong.
    Refuted(Box<Counterexample>),
    /// The rule never applied: its conditions cannot hold at these types, or a constant is no value of them.
    NotApplicable,
}

/// What an SMT solver says.
///
/// ```
/// use satir::rules::check::{self, Proof, QUICK, Solver};
/// use satir::rules::{Rule, RuleSet};
///
/// let mut set = RuleSet::empty();
/// set.extend_with_text("my.rules", "(rule same \"equal bits\" (types int32 uint8) (=> (bitwise_and ?x ?x) ?x))")?;
/// let rules: Vec<&Rule> = set.all_rules().collect();
/// let mut report = check::run(&rules, QUICK);
/// if let Ok(solver) = Solver::find(&std::env::var_os("PATH").unwrap_or_default()) {
///     check::prove(&rules, &mut report, &solver).expect("it runs");
///     assert_eq!(report.rules[0].instances[0].proof, Some(Proof::Proven));
/// }
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Proof {
    /// Sound for all values.
    Proven,
    /// The solver gave up; the reason it gave.
    Undecided(String),
    /// The solver's counterexample, in its words.
    Refuted(String),
}

/// Values for which a rule is wrong.
///
/// ```
/// use satir::rules::check::{self, QUICK, Verdict};
/// use satir::rules::{Rule, RuleSet};
///
/// let mut set = RuleSet::empty();
/// set.extend_with_text("my.rules", "(rule round \"loses the rest\" (types index) (=> (mul (floordiv ?x 4) 4) ?x))")?;
/// let rules: Vec<&Rule> = set.all_rules().collect();
/// let report = check::run(&rules, QUICK);
/// let Verdict::Refuted(counterexample) = &report.rules[0].instances[0].verdict else { panic!("it is wrong") };
/// assert_eq!(counterexample.rule, "round");
/// assert_ne!(counterexample.from_value, counterexample.to_value);
/// println!("{counterexample}");
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counterexample {
    /// The rule's name.
    pub rule: String,
    /// Its file and line.
    pub place: String,
    /// The types.
    pub types: String,
    /// Whether the rule was read from right to left.
    pub reversed: bool,
    /// Each hole with its value.
    pub holes: Vec<(String, String)>,
    /// The lane that differs, for a rule about vectors.
    pub lane: Option<String>,
    /// The side that is replaced.
    pub from: String,
    /// Its value.
    pub from_value: String,
    /// The side that replaces it.
    pub to: String,
    /// Its value.
    pub to_value: String,
}

/// Counts.
///
/// ```
/// use satir::rules::check::{self, QUICK};
/// use satir::rules::{Rule, RuleSet};
///
/// let mut set = RuleSet::empty();
/// set.extend_with_text("my.rules", "(rule round \"loses the rest\" (types index) (=> (mul (floordiv ?x 4) 4) ?x))")?;
/// let rules: Vec<&Rule> = set.all_rules().collect();
/// let summary = check::run(&rules, QUICK).summary();
/// assert_eq!((summary.rules, summary.idle, summary.smt), (1, 0, false));
/// assert!(summary.refuted > 0 && summary.tested > 0);
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Rules checked.
    pub rules: usize,
    /// Directions times choices of types, less those to which the rule does not apply.
    pub instances: usize,
    /// Assignments of values that were tried.
    pub tested: u64,
    /// Rules that apply at none of their types.
    pub idle: usize,
    /// Instances that are proven: by the solver, or because all values were tried.
    pub proven: usize,
    /// Those of them for which all values were tried.
    pub exhausted: usize,
    /// Instances that the solver could not decide.
    pub undecided: usize,
    /// Instances with a counterexample, from tests or from the solver.
    pub refuted: usize,
    /// Whether a solver was asked.
    pub smt: bool,
}

impl Report {
    /// The counts.
    ///
    /// ```
    /// use satir::rules::{Rule, RuleSet, check};
    ///
    /// let mut set = RuleSet::empty();
    /// set.extend_with_text("my.rules", "(rule same \"equal bits\" (types uint8) (=> (bitwise_and ?x ?x) ?x))")?;
    /// let rules: Vec<&Rule> = set.all_rules().collect();
    /// let report = check::run(&rules, check::QUICK);
    /// let summary = report.summary();
    /// assert_eq!((summary.instances, summary.proven, summary.exhausted), (1, 1, 1));
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn summary(&self) -> Summary {
        let mut out = Summary { rules: self.rules.len(), ..Summary::default() };
        for rule in &self.rules {
            out.idle += usize::from(rule.is_idle());
            for instance in &rule.instances {
                out.tested += instance.tested;
                let applies = instance.verdict != Verdict::NotApplicable || instance.proof.is_some();
                out.instances += usize::from(applies);
                out.refuted += usize::from(instance.is_refuted());
                out.smt |= instance.proof.is_some();
                out.exhausted += usize::from(instance.verdict == Verdict::Exhausted);
                out.proven += usize::from(instance.is_proven());
                out.undecided += usize::from(matches!(instance.proof, Some(Proof::Undecided(_))));
            }
        }
        out
    }

    /// Whether nothing was refuted and every rule applied somewhere.
    ///
    /// ```
    /// use satir::rules::{Rule, RuleSet, check};
    ///
    /// let mut set = RuleSet::empty();
    /// set.extend_with_text("my.rules", "(rule round \"loses the rest\" (types index) (=> (mul (floordiv ?x 4) 4) ?x))")?;
    /// let rules: Vec<&Rule> = set.all_rules().collect();
    /// let report = check::run(&rules, check::QUICK);
    /// assert!(!report.is_ok());
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn is_ok(&self) -> bool {
        let summary = self.summary();
        summary.refuted == 0 && summary.idle == 0
    }
}

impl RuleReport {
    /// Whether the tests never met values to which the rule applies: then they say nothing about it.
    ///
    /// ```
    /// use satir::rules::{Rule, RuleSet, check};
    ///
    /// let mut set = RuleSet::empty();
    /// set.extend_with_text("my.rules", "(rule same \"equal bits\" (types uint8) (=> (bitwise_and ?x ?x) ?x))")?;
    /// let rules: Vec<&Rule> = set.all_rules().collect();
    /// let report = check::run(&rules, check::QUICK);
    /// assert!(!report.rules[0].is_idle(), "it was tried on all bytes");
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn is_idle(&self) -> bool {
        self.instances.iter().all(|i| i.verdict == Verdict::NotApplicable && i.proof.is_none())
    }
}

impl RuleReport {
    /// The first values that tests found for which the rule is wrong.
    ///
    /// ```
    /// use satir::rules::{Rule, RuleSet, check};
    ///
    /// let mut set = RuleSet::empty();
    /// set.extend_with_text("my.rules", "(rule round \"loses the rest\" (types index) (=> (mul (floordiv ?x 4) 4) ?x))")?;
    /// let rules: Vec<&Rule> = set.all_rules().collect();
    /// let report = check::run(&rules, check::QUICK);
    /// assert!(report.rules[0].counterexample().is_some());
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn counterexample(&self) -> Option<&Counterexample> {
        self.instances.iter().find_map(|instance| match &instance.verdict {
            Verdict::Refuted(counterexample) => Some(&**counterexample),
            Verdict::Passed | Verdict::Exhausted | Verdict::NotApplicable => None,
        })
    }
}

impl InstanceReport {
    /// Whether nothing can be wrong with it.
    ///
    /// ```
    /// use satir::rules::{Rule, RuleSet, check};
    ///
    /// let mut set = RuleSet::empty();
    /// set.extend_with_text("my.rules", "(rule same \"equal bits\" (types uint8) (=> (bitwise_and ?x ?x) ?x))")?;
    /// let rules: Vec<&Rule> = set.all_rules().collect();
    /// let report = check::run(&rules, check::QUICK);
    /// assert!(report.rules[0].instances[0].is_proven(), "there are no other bytes");
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn is_proven(&self) -> bool {
        self.verdict == Verdict::Exhausted || self.proof == Some(Proof::Proven)
    }

    /// Whether there is a counterexample.
    ///
    /// ```
    /// use satir::rules::{Rule, RuleSet, check};
    ///
    /// let mut set = RuleSet::empty();
    /// set.extend_with_text("my.rules", "(rule round \"loses the rest\" (types index) (=> (mul (floordiv ?x 4) 4) ?x))")?;
    /// let rules: Vec<&Rule> = set.all_rules().collect();
    /// let report = check::run(&rules, check::QUICK);
    /// assert!(report.rules[0].instances.iter().all(|instance| instance.is_refuted()));
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn is_refuted(&self) -> bool {
        matches!(self.verdict, Verdict::Refuted(_)) || matches!(self.proof, Some(Proof::Refuted(_)))
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = if self.reversed { ", from right to left" } else { "" };
        write!(f, "rule `{}` ({}) is wrong for {}{way}:", self.rule, self.place, self.types)?;
        let holes: Vec<String> = self.holes.iter().map(|(hole, value)| format!("{hole} = {value}")).collect();
        write!(f, "\n  {}", holes.join(", "))?;
        if let Some(lane) = &self.lane {
            write!(f, " ({lane})")?;
        }
        write!(f, "\n  {} = {}\n  {} = {}", self.from, self.from_value, self.to, self.to_value)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rules, {} instances: ", self.rules, self.instances)?;
        write!(f, "{} proven", self.proven)?;
        if self.exhausted > 0 {
            write!(f, " ({} by trying all values)", self.exhausted)?;
        }
        if self.smt {
            write!(f, ", {} undecided", self.undecided)?;
        }
        write!(f, ", {} refuted; {} cases tested", self.refuted, self.tested)?;
        if self.idle > 0 {
            write!(f, "; {} rules never applied", self.idle)?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    /// What needs attention, then the summary.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rule in &self.rules {
            if rule.is_idle() {
                writeln!(f, "rule `{}` never applied: its conditions cannot hold, or rarely do", rule.rule)?;
            }
            for instance in &rule.instances {
                let way = if instance.reversed { ", from right to left" } else { "" };
                if let Verdict::Refuted(counterexample) = &instance.verdict {
                    writeln!(f, "{counterexample}")?;
                }
                match &instance.proof {
                    Some(Proof::Refuted(model)) => {
                        writeln!(f, "rule `{}` is wrong for {}{way}: {model}", rule.rule, instance.types)?;
                    }
                    Some(Proof::Undecided(why)) => {
                        writeln!(f, "rule `{}` is undecided for {}{way}: {why}", rule.rule, instance.types)?;
                    }
                    Some(Proof::Proven) | None => {}
                }
            }
        }
        self.summary().fmt(f)
    }
}
