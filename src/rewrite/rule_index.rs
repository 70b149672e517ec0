//! The rules as the engine uses them: each direction by itself, by what stands at its root, read when first needed.
//!
//! Every rule that is on is used, but for those about real numbers (`(fast-math)`), which wait for
//! [`Rewrites::with_fast_math`], and those that the theory proves (`(by-theory)`), which wait for a lower
//! [`TheoryLevel`].

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::observe::{Observer, RuleUse, UnionCount};
use crate::egraph::{Reason, Settings, TheoryLevel};
use crate::rules::{Direction, Head, Heads, Need, Pat, Rule, RuleSet, Unread, unread};

/// Rules prepared for the engine.
///
/// ```
/// use std::sync::Arc;
/// use satir::cse::{self, Options};
/// use satir::eqsat::Rewrites;
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x)\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let options = Options { rewrites: Arc::new(Rewrites::new(&rules)), ..Options::default() };
/// assert_eq!(options.rewrites.count(), 1);
/// let (optimized, _) = cse::run(&module, &options)?;
/// assert!(optimized.to_string().contains("A[0] = x\n"));
/// assert!(Rewrites::embedded().count() > 500, "those of `Options::default()`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Rewrites {
    shared: Arc<Shared>,
    /// Whether rules about real numbers are used on floats.
    fast_math: bool,
    /// How much the engine decides without rules.
    theory: TheoryLevel,
    /// The same rules with those, once they are asked for.
    fast: OnceLock<Box<Rewrites>>,
}

#[derive(Debug)]
struct Shared {
    /// Left empty for the embedded rules until they are needed: syntactic mode, for one, needs none.
    table: OnceLock<Table>,
    /// Counts what the rules do, for those who want to know.
    observer: Option<Observer>,
}

/// The rules by what stands at the root of what they match.
#[derive(Debug, Default)]
struct Table {
    by_root: [Vec<Entry>; Head::COUNT],
    /// How many entries there are.
    entries: usize,
    /// For each rule whether it is one of real numbers.
    fast_math: Vec<bool>,
    /// For each rule whether the full theory proves it.
    by_theory: Vec<bool>,
    /// What the entries that are not prepared are read from.
    unread: Vec<Unread>,
}

/// A direction of a rule.
#[derive(Debug)]
struct Entry {
    /// All operators of what it matches.
    needs: Heads,
    /// Position of the rule (in [`Table::unread`], if it is there), and whether it is read from right to left.
    source: (usize, bool),
    /// Position among all.
    index: usize,
    /// `None` if it cannot be read.
    prepared: OnceLock<Option<Box<IndexedRule>>>,
}

/// A direction of a rule as the engine uses it.
#[derive(Debug)]
pub(super) struct IndexedRule {
    pub(super) rule: Rule,
    /// Position among all directions.
    pub(super) index: usize,
    /// Position of the rule, the same in both directions.
    pub(super) number: usize,
    reversed: bool,
    /// Whether a constant occurs, which in a vector would have to be a broadcast.
    pub(super) constants: bool,
}

impl IndexedRule {
    fn new(rule: Rule, reversed: bool, index: usize, number: usize) -> IndexedRule {
        let constants = has_constants(&rule.lhs) || has_constants(&rule.rhs);
        IndexedRule { rule, index, number, reversed, constants }
    }

    pub(super) fn from(&self) -> &Pat {
        if self.reversed { &self.rule.rhs } else { &self.rule.lhs }
    }

    pub(super) fn to(&self) -> &Pat {
        if self.reversed { &self.rule.lhs } else { &self.rule.rhs }
    }
}

impl Table {
    fn new<'r>(rules: impl IntoIterator<Item = &'r Rule>) -> Table {
        let mut table = Table::default();
        for (number, rule) in rules.into_iter().enumerate() {
            for Direction { from, reversed, .. } in rule.directions() {
                // A rule file has no rule that matches a lone hole.
                let Some(root) = Head::of_pattern(from) else { continue };
                let prepared = IndexedRule::new(rule.clone(), reversed, table.entries, number);
                let need = Need { root, all: Heads::of_pattern(from) };
                table.push(need, (number, reversed), OnceLock::from(Some(Box::new(prepared))));
            }
            table.fast_math.push(rule.fast_math);
            table.by_theory.push(rule.by_theory);
        }
        table
    }

    fn embedded() -> Table {
        let unread = unread();
        let mut table = Table::default();
        for (number, rule) in unread.iter().enumerate() {
            for (need, reversed) in rule.needs().zip([false, true]) {
                table.push(need, (number, reversed), OnceLock::new());
            }
            table.fast_math.push(rule.fast_math);
            table.by_theory.push(rule.by_theory);
        }
        table.unread = unread;
        table
    }

    fn push(&mut self, need: Need, source: (usize, bool), prepared: OnceLock<Option<Box<IndexedRule>>>) {
        let entry = Entry { needs: need.all, source, index: self.entries, prepared };
        self.by_root[need.root.index()].push(entry);
        self.entries += 1;
    }

    fn prepared<'a>(&'a self, entry: &'a Entry) -> Option<&'a IndexedRule> {
        let (number, reversed) = entry.source;
        let read = || {
            let rule = self.unread[number].read();
            if rule.is_none() {
                // A test reads them all, so this is not met; the theory needs no rules.
                log::error!("embedded rule {number} cannot be read");
            }
            Some(Box::new(IndexedRule::new(rule?, reversed, entry.index, number)))
        };
        entry.prepared.get_or_init(read).as_deref()
    }
}

impl Rewrites {
    /// Prepares the rules of a set that are on.
    ///
    /// ```
    /// use satir::eqsat::Rewrites;
    /// use satir::rules::RuleSet;
    ///
    /// let rules = RuleSet::embedded()?;
    /// assert_eq!(Rewrites::new(&rules).count(), rules.used(false).count());
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn new(set: &RuleSet) -> Rewrites {
        Rewrites::of_rules(set.rules())
    }

    /// Prepares some rules.
    pub(crate) fn of_rules<'r>(rules: impl IntoIterator<Item = &'r Rule>) -> Rewrites {
        Rewrites::of(OnceLock::from(Table::new(rules)), None)
    }

    /// As [`Rewrites::new`], and counts from now on what each rule does ([`Rewrites::uses`]).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use satir::cse::{self, Options};
    /// use satir::eqsat::Rewrites;
    /// use satir::rules::RuleSet;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x)\n")?;
    /// let options = Options { rewrites: Arc::new(Rewrites::counted(&RuleSet::embedded()?)), ..Options::default() };
    /// cse::run(&module, &options)?;
    /// assert!(options.rewrites.uses().iter().any(|rule| rule.unions > 0));
    /// assert!(Rewrites::embedded().uses().is_empty(), "nobody counts");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn counted(set: &RuleSet) -> Rewrites {
        Rewrites::observed(set.rules())
    }

    /// As [`Rewrites::of_rules`], and counts from now on what each rule does.
    pub(crate) fn observed<'r>(rules: impl IntoIterator<Item = &'r Rule>) -> Rewrites {
        let table = Table::new(rules);
        let observer = Observer::new(table.entries);
        Rewrites::of(OnceLock::from(table), Some(observer))
    }

    fn of(table: OnceLock<Table>, observer: Option<Observer>) -> Rewrites {
        let shared = Arc::new(Shared { table, observer });
        Rewrites { shared, fast_math: false, theory: TheoryLevel::Full, fast: OnceLock::new() }
    }

    /// The embedded rules, which are read one by one when a program has all operators that a rule matches.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use satir::eqsat::Rewrites;
    ///
    /// assert!(Arc::ptr_eq(&Rewrites::embedded(), &Rewrites::embedded()), "they are prepared once");
    /// ```
    pub fn embedded() -> Arc<Rewrites> {
        static EMBEDDED: OnceLock<Arc<Rewrites>> = OnceLock::new();
        Arc::clone(EMBEDDED.get_or_init(|| Arc::new(Rewrites::of(OnceLock::new(), None))))
    }

    /// The same rules, with those about real numbers (`(fast-math)`) if that is asked for.
    /// [`Options::fast_math`](crate::cse::Options::fast_math) asks for it.
    ///
    /// ```
    /// use satir::eqsat::Rewrites;
    ///
    /// let rules = Rewrites::embedded();
    /// assert!(rules.with_fast_math(true).count() > rules.with_fast_math(false).count());
    /// ```
    pub fn with_fast_math(&self, fast_math: bool) -> &Rewrites {
        if self.fast_math || !fast_math {
            return self;
        }
        let fast = || Rewrites {
            shared: Arc::clone(&self.shared),
            fast_math: true,
            theory: self.theory,
            fast: OnceLock::new(),
        };
        self.fast.get_or_init(|| Box::new(fast()))
    }

    /// The same rules in an engine that decides so much of arithmetic without them.
    ///
    /// ```
    /// use satir::eqsat::{Rewrites, TheoryLevel};
    /// use satir::rules::RuleSet;
    ///
    /// let plain = Rewrites::new(&RuleSet::embedded()?).with_theory(TheoryLevel::None);
    /// assert_eq!(plain.theory(), TheoryLevel::None);
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn with_theory(&self, theory: TheoryLevel) -> Rewrites {
        let (shared, fast_math) = (Arc::clone(&self.shared), self.fast_math);
        Rewrites { shared, fast_math, theory, fast: OnceLock::new() }
    }

    /// How much of arithmetic the engine decides without rules.
    ///
    /// ```
    /// use satir::eqsat::{Rewrites, TheoryLevel};
    ///
    /// assert_eq!(Rewrites::embedded().theory(), TheoryLevel::Full);
    /// ```
    pub fn theory(&self) -> TheoryLevel {
        self.theory
    }

    /// What each rule did since [`Rewrites::counted`], in the order of their names; `<=>` counts once. Nothing if nobody counts.
    ///
    /// ```
    /// use satir::eqsat::Rewrites;
    /// use satir::rules::RuleSet;
    ///
    /// let rewrites = Rewrites::counted(&RuleSet::embedded()?);
    /// assert!(rewrites.uses().iter().all(|rule| rule.matches == 0), "nothing was done yet");
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn uses(&self) -> Vec<RuleUse> {
        let Some(observer) = self.observer() else { return Vec::new() };
        let mut uses: BTreeMap<&str, RuleUse> = BTreeMap::new();
        for prepared in self.entries().filter_map(|entry| self.table().prepared(entry)) {
            let rule = &prepared.rule;
            let entry = uses.entry(&rule.name).or_insert_with(|| RuleUse::none(&rule.name, &rule.set));
            observer.add_to(prepared.index, entry);
        }
        for (reason, unions) in observer.tally().counts() {
            if let Reason::Rule(number) = reason
                && let Some(entry) = uses.get_mut(&*self.rule_name(number))
            {
                entry.unions += unions;
            }
        }
        uses.into_values().collect()
    }

    /// How many unions were made for each reason since [`Rewrites::counted`]: by rules, and by laws of the theory. Nothing if
    /// nobody counts.
    ///
    /// ```
    /// use satir::eqsat::Rewrites;
    ///
    /// assert!(Rewrites::embedded().unions().is_empty(), "nobody counts");
    /// ```
    pub fn unions(&self) -> Vec<UnionCount> {
        let counts = self.observer().map_or_else(Vec::new, |observer| observer.tally().counts());
        let name = |number| self.rule_name(number);
        counts.into_iter().map(|(reason, unions)| UnionCount::new(reason, unions, name)).collect()
    }

    /// The name of a rule by its number.
    pub(crate) fn rule_name(&self, number: u32) -> String {
        let mut entries = self.table().by_root.iter().flatten();
        let entry = entries.find(|entry| entry.source.0 == number as usize);
        let rule = entry.and_then(|entry| self.table().prepared(entry)).map(|prepared| &prepared.rule);
        rule.map_or_else(|| format!("rule {number}"), |rule| rule.name.to_string())
    }

    /// What the graphs are made with that these rules work on.
    pub(crate) fn settings(&self) -> Settings {
        Settings { level: self.theory, logged: false, tally: self.observer().map(Observer::tally) }
    }

    /// More than any [`IndexedRule::number`].
    pub(super) fn rules(&self) -> usize {
        self.table().fast_math.len()
    }

    pub(super) fn observer(&self) -> Option<&Observer> {
        self.shared.observer.as_ref()
    }

    /// The rules that can match where nothing else than `heads` occurs, and that have one of `one_of`, by [`Head::index`] of
    /// their root.
    pub(super) fn applicable(&self, heads: Heads, one_of: Heads) -> [Vec<&IndexedRule>; Head::COUNT] {
        let table = self.table();
        let mut applicable = std::array::from_fn(|_| Vec::new());
        for root in heads.iter().map(Head::index) {
            let fitting = table.by_root[root].iter().filter(|entry| {
                entry.needs.all_in(heads) && entry.needs.meets(one_of) && self.uses_rule(entry.source.0)
            });
            applicable[root] = fitting.filter_map(|entry| table.prepared(entry)).collect();
        }
        applicable
    }

    /// The directions of the rules that are used.
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.table().by_root.iter().flatten().filter(|entry| self.uses_rule(entry.source.0))
    }

    fn uses_rule(&self, number: usize) -> bool {
        let table = self.table();
        (self.fast_math || !table.fast_math[number])
            && (self.theory < TheoryLevel::Full || !table.by_theory[number])
    }

    fn table(&self) -> &Table {
        self.shared.table.get_or_init(Table::embedded)
    }

    /// How many rules are used; one that is read in both directions counts once.
    ///
    /// ```
    /// use satir::eqsat::Rewrites;
    /// use satir::rules::RuleSet;
    ///
    /// assert_eq!(Rewrites::new(&RuleSet::empty()).count(), 0);
    /// assert_eq!(Rewrites::embedded().count(), Rewrites::new(&RuleSet::embedded()?).count());
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn count(&self) -> usize {
        (0..self.rules()).filter(|&number| self.uses_rule(number)).count()
    }
}

fn has_constants(pat: &Pat) -> bool {
    let mut found = false;
    pat.walk(&mut |p| found |= matches!(p, Pat::Int(..) | Pat::Float(..) | Pat::Bool(_) | Pat::Fold(..)));
    found
}
