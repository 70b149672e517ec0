//! The rules as the engine uses them: each direction by itself, by what stands at its root, read when first needed.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::observe::{Observer, RuleUse};
use crate::rules::{Direction, Head, Heads, Need, Pat, Rule, RuleSet, Unread, unread};

/// Rules prepared for the engine.
///
/// ```
/// use std::sync::Arc;
/// use satir::cse::{self, Options};
/// use satir::eqsat::rewrite::Rewrites;
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x)\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let options = Options { rewrites: Arc::new(Rewrites::new(&rules, false)), ..Options::default() };
/// assert_eq!(options.rewrites.count(), 1);
/// let (optimized, _) = cse::run(&module, &options)?;
/// assert!(optimized.to_string().contains("A[0] = x\n"));
/// assert!(Rewrites::embedded().count() > 500, "those of `Options::default()`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Rewrites {
    /// Left empty for the embedded rules until they are needed: syntactic mode, for one, needs none.
    table: OnceLock<Table>,
    /// Counts what the rules do, for those who want to know.
    observer: Option<Observer>,
}

/// The rules by what stands at the root of what they match.
#[derive(Debug, Default)]
struct Table {
    by_root: [Vec<Entry>; Head::COUNT],
    /// Rules, those that are read in both directions counted twice.
    count: usize,
    /// Rules, those that the engine does not use included.
    rules: usize,
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
    /// `None` if the engine does not use it.
    prepared: OnceLock<Option<Box<Prepared>>>,
}

/// A direction of a rule that the engine uses.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) rule: Rule,
    /// Position among all that are prepared.
    pub(super) index: usize,
    /// Position of the rule, the same in both directions.
    pub(super) number: usize,
    reversed: bool,
    /// Whether a constant occurs, which in a vector would have to be a broadcast.
    pub(super) constants: bool,
}

impl Prepared {
    /// `None` if the engine does not use it.
    fn new(rule: Rule, reversed: bool, fast_math: bool, index: usize, number: usize) -> Option<Prepared> {
        let used = !rule.expensive && !rule.may_trap && !rule.vector && (!rule.fast_math || fast_math);
        let mut prepared = Prepared { rule, index, number, reversed, constants: false };
        let (from, to) = (prepared.from(), prepared.to());
        // Read from right to left, a hole that only the left side has would come from nowhere.
        let known = from.holes();
        if !used || to.holes().iter().any(|h| !known.contains(h)) || contains_fold(from) {
            return None;
        }
        prepared.constants = has_constants(from) || has_constants(to);
        Some(prepared)
    }

    pub(super) fn from(&self) -> &Pat {
        if self.reversed { &self.rule.rhs } else { &self.rule.lhs }
    }

    pub(super) fn to(&self) -> &Pat {
        if self.reversed { &self.rule.lhs } else { &self.rule.rhs }
    }
}

impl Table {
    fn new<'r>(rules: impl IntoIterator<Item = &'r Rule>, fast_math: bool) -> Table {
        let mut table = Table::default();
        for (number, rule) in rules.into_iter().enumerate() {
            for Direction { from, reversed, .. } in rule.directions() {
                let Some(root) = Head::of_pattern(from) else { continue };
                let prepared = Prepared::new(rule.clone(), reversed, fast_math, table.count, number);
                if prepared.is_some() {
                    let need = Need { root, all: Heads::of_pattern(from) };
                    table.push(need, (number, reversed), OnceLock::from(prepared.map(Box::new)));
                }
            }
            table.rules += 1;
        }
        table
    }

    fn embedded() -> Table {
        let unread = unread();
        let mut table = Table { rules: unread.len(), ..Table::default() };
        for (number, rule) in unread.iter().enumerate() {
            for (need, reversed) in rule.needs().zip([false, true]) {
                table.push(need, (number, reversed), OnceLock::new());
            }
        }
        table.unread = unread;
        table
    }

    fn push(&mut self, need: Need, source: (usize, bool), prepared: OnceLock<Option<Box<Prepared>>>) {
        let entry = Entry { needs: need.all, source, index: self.count, prepared };
        self.by_root[need.root.index()].push(entry);
        self.count += 1;
    }

    fn prepared<'a>(&'a self, entry: &'a Entry) -> Option<&'a Prepared> {
        let (number, reversed) = entry.source;
        let read = || {
            let rule = self.unread[number].read();
            if rule.is_none() {
                // A test reads them all, so this is not met; the theory needs no rules.
                log::error!("embedded rule {number} cannot be read");
            }
            Prepared::new(rule?, reversed, false, entry.index, number).map(Box::new)
        };
        entry.prepared.get_or_init(read).as_deref()
    }
}

impl Rewrites {
    /// Prepares the enabled rules of a set that the engine uses.
    ///
    /// ```
    /// use satir::eqsat::rewrite::Rewrites;
    /// use satir::rules::RuleSet;
    ///
    /// let rules = RuleSet::embedded()?;
    /// assert!(Rewrites::new(&rules, false).count() > rules.rules().count() / 2, "the engine uses most of them");
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn new(set: &RuleSet, fast_math: bool) -> Rewrites {
        Rewrites::of_rules(set.rules(), fast_math)
    }

    /// Prepares those of some rules that the engine uses.
    pub(crate) fn of_rules<'r>(rules: impl IntoIterator<Item = &'r Rule>, fast_math: bool) -> Rewrites {
        Rewrites { table: OnceLock::from(Table::new(rules, fast_math)), observer: None }
    }

    /// As [`Rewrites::of_rules`], and counts from now on what each rule does.
    pub(crate) fn observed<'r>(rules: impl IntoIterator<Item = &'r Rule>, fast_math: bool) -> Rewrites {
        let mut rewrites = Rewrites::of_rules(rules, fast_math);
        rewrites.observer = Some(Observer::new(rewrites.count()));
        rewrites
    }

    /// The embedded rules, which are read one by one when a program has all operators that a rule matches.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use satir::eqsat::rewrite::Rewrites;
    ///
    /// assert!(Arc::ptr_eq(&Rewrites::embedded(), &Rewrites::embedded()), "they are prepared once");
    /// ```
    pub fn embedded() -> Arc<Rewrites> {
        static EMBEDDED: OnceLock<Arc<Rewrites>> = OnceLock::new();
        let unread = || Arc::new(Rewrites { table: OnceLock::new(), observer: None });
        Arc::clone(EMBEDDED.get_or_init(unread))
    }

    /// What each rule did since [`Rewrites::observed`], in the order of their names; `<=>` counts once.
    pub(crate) fn uses(&self) -> Vec<RuleUse> {
        let Some(observer) = &self.observer else { return Vec::new() };
        let mut uses: BTreeMap<&str, RuleUse> = BTreeMap::new();
        let table = self.table();
        for prepared in table.by_root.iter().flatten().filter_map(|entry| table.prepared(entry)) {
            let rule = &prepared.rule;
            let entry = uses.entry(&rule.name).or_insert_with(|| RuleUse::none(&rule.name, &rule.set));
            observer.add_to(prepared.index, entry);
        }
        uses.into_values().collect()
    }

    /// More than any [`Prepared::number`].
    pub(super) fn rules(&self) -> usize {
        self.table().rules
    }

    pub(super) fn observer(&self) -> Option<&Observer> {
        self.observer.as_ref()
    }

    /// The rules that can match where nothing else than `heads` occurs, and that have one of `one_of`, by [`Head::index`] of
    /// their root.
    pub(super) fn applicable(&self, heads: Heads, one_of: Heads) -> [Vec<&Prepared>; Head::COUNT] {
        let table = self.table();
        let mut applicable = std::array::from_fn(|_| Vec::new());
        for root in heads.iter().map(Head::index) {
            let fitting = table.by_root[root]
                .iter()
                .filter(|entry| entry.needs.all_in(heads) && entry.needs.meets(one_of));
            applicable[root] = fitting.filter_map(|entry| table.prepared(entry)).collect();
        }
        applicable
    }

    fn table(&self) -> &Table {
        self.table.get_or_init(Table::embedded)
    }

    /// How many rules (and directions) there are; of the embedded ones, those that the engine does not use included.
    ///
    /// ```
    /// use satir::eqsat::rewrite::Rewrites;
    /// use satir::rules::RuleSet;
    ///
    /// assert_eq!(Rewrites::new(&RuleSet::empty(), false).count(), 0);
    /// ```
    pub fn count(&self) -> usize {
        self.table().count
    }
}

fn contains_fold(pat: &Pat) -> bool {
    let mut found = false;
    pat.walk(&mut |p| found |= matches!(p, Pat::Fold(..)));
    found
}

fn has_constants(pat: &Pat) -> bool {
    let mut found = false;
    pat.walk(&mut |p| found |= matches!(p, Pat::Int(..) | Pat::Float(..) | Pat::Bool(_) | Pat::Fold(..)));
    found
}
