//! Rules loaded together: the embedded sets, files that replace or extend them, and what is switched on.

use std::fs;
use std::path::{Path, PathBuf};

use hashbrown::HashMap;
use serde::Serialize;

use super::ast::Rule;
use super::load::{RuleFile, diagnostic, parse};
use crate::diag::Diagnostic;

/// The rule files that the library carries, by file name, in the order in which their rules apply.
pub(super) const EMBEDDED: [(&str, &str); 19] = [
    ("identity.rules", include_str!("../../rules/identity.rules")),
    ("floordiv.rules", include_str!("../../rules/floordiv.rules")),
    ("floormod.rules", include_str!("../../rules/floormod.rules")),
    ("truncdiv.rules", include_str!("../../rules/truncdiv.rules")),
    ("minmax.rules", include_str!("../../rules/minmax.rules")),
    ("compare.rules", include_str!("../../rules/compare.rules")),
    ("logic.rules", include_str!("../../rules/logic.rules")),
    ("range.rules", include_str!("../../rules/range.rules")),
    ("select.rules", include_str!("../../rules/select.rules")),
    ("cast.rules", include_str!("../../rules/cast.rules")),
    ("shift.rules", include_str!("../../rules/shift.rules")),
    ("vector.rules", include_str!("../../rules/vector.rules")),
    ("float.rules", include_str!("../../rules/float.rules")),
    ("tensor.rules", include_str!("../../rules/tensor.rules")),
    ("commutativity.rules", include_str!("../../rules/commutativity.rules")),
    ("associativity.rules", include_str!("../../rules/associativity.rules")),
    ("distributivity.rules", include_str!("../../rules/distributivity.rules")),
    ("guards.rules", include_str!("../../rules/guards.rules")),
    ("fastmath.rules", include_str!("../../rules/fastmath.rules")),
];

/// What messages call an embedded file.
pub(super) fn embedded_path(name: &str) -> String {
    format!("rules/{name}")
}

/// Why rules could not be loaded.
///
/// ```
/// use satir::rules::{RuleSet, RulesError};
///
/// let mut rules = RuleSet::empty();
/// let error = rules.extend_with_text("my.rules", "(rule one)\n(rule two)").unwrap_err();
/// let RulesError::Bad(mistakes) = error else { panic!("mistakes in the text") };
/// assert_eq!(mistakes.iter().map(|m| m.line).collect::<Vec<_>>(), [1, 2], "all of them, with their lines");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// A file or folder could not be read.
    #[error("cannot read rules from `{path}`: {source}", path = path.display())]
    Io {
        /// What was to be read.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A folder holds no rule files.
    #[error("no file in `{path}` ends in `.rules`", path = .0.display())]
    NoFiles(PathBuf),
    /// Mistakes in rule files, all of them.
    #[error("{}", .0.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n"))]
    Bad(Vec<Diagnostic>),
    /// A name that is neither a set's nor a rule's.
    #[error("there is no rule or rule set named `{name}`{}", suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean `{s}`?")))]
    Unknown {
        /// The name.
        name: String,
        /// A name much like it.
        suggestion: Option<String>,
    },
}

/// A set of rules, as listed by [`RuleSet::sets`].
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    file: RuleFile,
    /// The text that the rules were read from, for messages.
    text: String,
    on: bool,
    /// One flag for each rule.
    rule_on: Vec<bool>,
}

impl Entry {
    /// Whether the library carries this file.
    fn is_embedded(&self) -> bool {
        EMBEDDED.iter().any(|(_, text)| *text == self.text)
    }

    /// The rules that are on.
    fn rules(&self) -> impl Iterator<Item = &Rule> {
        let rules = self.file.rules.iter().zip(&self.rule_on);
        rules.filter(|(_, on)| self.on && **on).map(|(rule, _)| rule)
    }
}

/// The rules that are loaded, and which of them are on.
///
/// Sets come in a fixed order: the embedded ones first, then others in the order in which they were named; files of
/// a folder by name. No two rules have the same name.
///
/// ```
/// use satir::rules::RuleSet;
///
/// let mut rules = RuleSet::embedded()?;
/// let before = rules.rules().count();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// rules.disable("minmax")?;
/// assert!(rules.rules().any(|rule| &*rule.set == "my"));
/// assert!(rules.rules().count() < before);
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSet {
    entries: Vec<Entry>,
    /// Whether these are the library's own rules, as they were read.
    embedded: bool,
}

/// One line about a set.
///
/// ```
/// let rules = satir::rules::RuleSet::embedded()?;
/// let sets = rules.sets();
/// let division = sets.iter().find(|set| set.name == "floordiv").expect("there");
/// assert!(division.on && division.rules > 0);
/// assert_eq!(division.file, "rules/floordiv.rules");
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SetInfo {
    /// Its name.
    pub name: String,
    /// What its file says that it is about.
    pub about: String,
    /// Where it was read from; for the library's own the path in its repository.
    pub file: String,
    /// Whether it is on.
    pub on: bool,
    /// How many rules it has.
    pub rules: usize,
    /// How many of them are on only where floats may be computed as real numbers:
    /// [`Options::fast_math`](crate::cse::Options::fast_math).
    pub rules_fast_math: usize,
    /// How many of them are on only below the full theory, which proves them.
    pub rules_by_theory: usize,
    /// How many of them are on.
    pub rules_on: usize,
    /// How many ways to rewrite they give: `<=>` counts twice.
    pub rewrites: usize,
    /// How many are marked as expensive.
    pub expensive: usize,
}

/// One line about a rule.
///
/// ```
/// let mut rules = satir::rules::RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let info = &rules.infos()[0];
/// assert_eq!((&*info.name, &*info.set, &*info.why, info.line), ("same", "my", "equal bits", 1));
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RuleInfo {
    /// Its name.
    pub name: String,
    /// Its set.
    pub set: String,
    /// Whether it is on.
    pub on: bool,
    /// The types for which it holds.
    pub types: Vec<String>,
    /// The equation with its conditions.
    pub equation: String,
    /// Why it holds.
    pub why: String,
    /// Whether it is marked as expensive.
    pub expensive: bool,
    /// Whether its result may trap where what it replaces does not.
    pub may_trap: bool,
    /// Whether it holds for real numbers only.
    pub fast_math: bool,
    /// Whether the theory proves it, so that it is used only below the full theory.
    pub by_theory: bool,
    /// Line in its file.
    pub line: u32,
}

impl RuleSet {
    /// No rules.
    ///
    /// ```
    /// assert_eq!(satir::rules::RuleSet::empty().all_rules().count(), 0);
    /// ```
    pub const fn empty() -> RuleSet {
        RuleSet { entries: Vec::new(), embedded: false }
    }

    /// The library's own rules, with the switches that their files set.
    ///
    /// # Errors
    ///
    /// None in a build whose tests pass: the embedded files are checked there.
    ///
    /// ```
    /// let rules = satir::rules::RuleSet::embedded()?;
    /// assert!(rules.rules().count() > 100);
    /// assert!(rules.rules().count() <= rules.all_rules().count(), "some are off");
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn embedded() -> Result<RuleSet, RulesError> {
        let mut rules = RuleSet::empty();
        rules.add(EMBEDDED.iter().map(|&(name, text)| (embedded_path(name), text.to_owned())).collect())?;
        rules.embedded = true;
        Ok(rules)
    }

    /// Only the rules in these files and folders.
    ///
    /// # Errors
    ///
    /// If one cannot be read or has a mistake.
    ///
    /// ```
    /// use satir::rules::RuleSet;
    ///
    /// let error = RuleSet::load(&["no/such/folder"]).unwrap_err();
    /// assert!(error.to_string().contains("no/such/folder"));
    /// ```
    pub fn load<P: AsRef<Path>>(paths: &[P]) -> Result<RuleSet, RulesError> {
        let mut rules = RuleSet::empty();
        rules.extend_from(paths)?;
        Ok(rules)
    }

    /// Adds the rules in these files and folders. A file replaces the set that has its name, if there is one.
    ///
    /// # Errors
    ///
    /// If one cannot be read or has a mistake; then nothing has changed.
    ///
    /// ```
    /// use satir::rules::RuleSet;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let file = folder.path().join("minmax.rules");
    /// std::fs::write(&file, "(rule min-self \"one value\" (types index) (=> (min ?x ?x) ?x))")?;
    /// let mut rules = RuleSet::embedded()?;
    /// rules.extend_from(&[&file])?;
    /// assert_eq!(rules.all_rules().filter(|rule| &*rule.set == "minmax").count(), 1, "the file takes its set's place");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn extend_from<P: AsRef<Path>>(&mut self, paths: &[P]) -> Result<(), RulesError> {
        let mut files = Vec::new();
        for path in paths {
            for file in rule_files(path.as_ref())? {
                let text = fs::read_to_string(&file)
                    .map_err(|source| RulesError::Io { path: file.clone(), source })?;
                files.push((file.display().to_string(), text));
            }
        }
        self.add(files)
    }

    /// Adds rules from a text as if it were a file of that name.
    ///
    /// ```
    /// use satir::rules::RuleSet;
    ///
    /// let mut rules = RuleSet::embedded()?;
    /// rules.extend_with_text("mine.rules", "(rule mine \"why\" (types anyint) (=> (bitwise_xor ?x (bitwise_xor ?x ?y)) ?y))")?;
    /// rules.disable("minmax")?;
    /// assert!(rules.rules().any(|rule| &*rule.name == "mine"));
    /// assert!(rules.extend_with_text("bad.rules", "(rule bad)").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If it has a mistake; then nothing has changed.
    pub fn extend_with_text(&mut self, file: &str, text: &str) -> Result<(), RulesError> {
        self.add(vec![(file.to_owned(), text.to_owned())])
    }

    /// Whether these are the library's own rules with no change: those that the engine has ready.
    pub(crate) fn is_embedded(&self) -> bool {
        self.embedded
    }

    /// Every rule that is on, in order. Those about real numbers (`(fast-math)`) are used only where that is asked for:
    /// see [`RuleSet::used`].
    ///
    /// ```
    /// let mut rules = satir::rules::RuleSet::embedded()?;
    /// rules.disable("minmax")?;
    /// assert!(rules.rules().all(|rule| &*rule.set != "minmax"));
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.entries.iter().flat_map(Entry::rules)
    }

    /// Every rule that is on and that an optimization uses with this setting of
    /// [`Options::fast_math`](crate::cse::Options::fast_math), in order.
    ///
    /// ```
    /// let rules = satir::rules::RuleSet::embedded()?;
    /// assert!(rules.used(true).count() > rules.used(false).count());
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn used(&self, fast_math: bool) -> impl Iterator<Item = &Rule> {
        self.used_without_theory(fast_math).filter(|rule| !rule.by_theory)
    }

    /// As [`RuleSet::used`], where the theory of integers is not used in full: with the rules that it would prove
    /// (`(by-theory)`).
    ///
    /// ```
    /// let rules = satir::rules::RuleSet::embedded()?;
    /// assert!(rules.used_without_theory(false).count() > rules.used(false).count());
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn used_without_theory(&self, fast_math: bool) -> impl Iterator<Item = &Rule> {
        self.rules().filter(move |rule| fast_math || !rule.fast_math)
    }

    /// Every rule, on or off, in order.
    ///
    /// ```
    /// let mut rules = satir::rules::RuleSet::embedded()?;
    /// rules.disable("minmax")?;
    /// assert!(rules.all_rules().any(|rule| &*rule.set == "minmax"));
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn all_rules(&self) -> impl Iterator<Item = &Rule> {
        self.entries.iter().flat_map(|e| &e.file.rules)
    }

    /// Switches a set, or one rule, on. A rule that is switched on brings no other rule of a set that is off.
    ///
    /// # Errors
    ///
    /// If nothing has that name.
    ///
    /// ```
    /// let mut rules = satir::rules::RuleSet::embedded()?;
    /// rules.disable("minmax")?;
    /// rules.enable("minmax")?;
    /// assert!(rules.rules().any(|rule| &*rule.set == "minmax"));
    /// assert!(rules.enable("minmix").is_err());
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn enable(&mut self, name: &str) -> Result<(), RulesError> {
        self.switch(name, true)
    }

    /// Switches a set, or one rule, off.
    ///
    /// # Errors
    ///
    /// If nothing has that name.
    ///
    /// ```
    /// let mut rules = satir::rules::RuleSet::embedded()?;
    /// rules.disable("sub-self")?;
    /// assert!(rules.rules().all(|rule| &*rule.name != "sub-self"));
    /// assert!(rules.disable("sub-selves").is_err());
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn disable(&mut self, name: &str) -> Result<(), RulesError> {
        self.switch(name, false)
    }

    /// Of the rules that are on, leaves only these on.
    ///
    /// ```
    /// let mut rules = satir::rules::RuleSet::embedded()?;
    /// rules.keep_only(|rule| !rule.expensive);
    /// assert!(rules.rules().count() > 0 && rules.rules().all(|rule| !rule.expensive));
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn keep_only(&mut self, keep: impl Fn(&Rule) -> bool) {
        self.embedded = false;
        for entry in &mut self.entries {
            for (rule, on) in entry.file.rules.iter().zip(&mut entry.rule_on) {
                *on &= keep(rule);
            }
        }
    }

    /// Asks whether a set or a rule has that name.
    ///
    /// # Errors
    ///
    /// If nothing has.
    ///
    /// ```
    /// let rules = satir::rules::RuleSet::embedded()?;
    /// assert!(rules.find("minmax").is_ok() && rules.find("sub-self").is_ok());
    /// assert!(rules.find("minmox").unwrap_err().to_string().contains("did you mean `minmax`?"));
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn find(&self, name: &str) -> Result<(), RulesError> {
        let sets = self.entries.iter().map(|e| &*e.file.set);
        let names = sets.chain(self.all_rules().map(|rule| &*rule.name));
        let closest = names.map(|known| (distance(name, known), known)).min();
        if closest.is_some_and(|(d, _)| d == 0) {
            return Ok(());
        }
        let suggestion = closest.filter(|(d, _)| *d <= 2 + name.len() / 4).map(|(_, known)| known.to_owned());
        Err(RulesError::Unknown { name: name.to_owned(), suggestion })
    }

    /// A line about each set.
    ///
    /// ```
    /// let rules = satir::rules::RuleSet::embedded()?;
    /// let on: usize = rules.sets().iter().map(|set| set.rules_on).sum();
    /// assert_eq!(on, rules.used(false).count());
    /// let fast_math: usize = rules.sets().iter().map(|set| set.rules_fast_math).sum();
    /// assert_eq!(on + fast_math, rules.used(true).count());
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn sets(&self) -> Vec<SetInfo> {
        self.entries
            .iter()
            .map(|e| SetInfo {
                name: e.file.set.to_string(),
                about: e.file.about.to_string(),
                file: e.file.rules.first().map_or(String::new(), |rule| rule.file.to_string()),
                on: e.on,
                rules: e.file.rules.len(),
                rules_on: e.rules().filter(|rule| !rule.fast_math && !rule.by_theory).count(),
                rules_by_theory: e.rules().filter(|rule| rule.by_theory).count(),
                rules_fast_math: e.rules().filter(|rule| rule.fast_math).count(),
                rewrites: e.file.rules.iter().map(|rule| rule.directions().len()).sum(),
                expensive: e.file.rules.iter().filter(|rule| rule.expensive).count(),
            })
            .collect()
    }

    /// The rules that are on and that the library does not carry itself: nobody has checked them.
    ///
    /// ```
    /// use satir::rules::RuleSet;
    ///
    /// let mut rules = RuleSet::embedded()?;
    /// assert!(rules.foreign().is_empty());
    /// rules.extend_with_text("mine.rules", "(rule mine \"why\" (types bool) (=> (not (not ?x)) ?x))")?;
    /// assert_eq!(rules.foreign().len(), 1);
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn foreign(&self) -> Vec<&Rule> {
        if self.entries.iter().all(Entry::is_embedded) {
            return Vec::new();
        }
        let own = RuleSet::embedded().unwrap_or_else(|_| RuleSet::empty());
        let own: HashMap<&str, &Rule> = own.all_rules().map(|rule| (&*rule.name, rule)).collect();
        let is_own = |rule: &Rule| own.get(&*rule.name).is_some_and(|other| rule.says_the_same(other));
        let entries = self.entries.iter().filter(|e| !e.is_embedded());
        entries.flat_map(Entry::rules).filter(|rule| !is_own(rule)).collect()
    }

    /// A line about each set that the library does not carry itself.
    ///
    /// ```
    /// use satir::rules::RuleSet;
    ///
    /// let mut rules = RuleSet::embedded()?;
    /// rules.extend_with_text("mine.rules", "(rule mine \"why\" (types bool) (=> (not (not ?x)) ?x))")?;
    /// assert_eq!(rules.foreign_sets().map(|set| set.name).collect::<Vec<_>>(), ["mine"]);
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn foreign_sets(&self) -> impl Iterator<Item = SetInfo> {
        self.sets().into_iter().zip(&self.entries).filter(|(_, e)| !e.is_embedded()).map(|(set, _)| set)
    }

    /// A line about each rule.
    ///
    /// ```
    /// let rules = satir::rules::RuleSet::embedded()?;
    /// assert_eq!(rules.infos().len(), rules.all_rules().count());
    /// # Ok::<(), satir::rules::RulesError>(())
    /// ```
    pub fn infos(&self) -> Vec<RuleInfo> {
        let info = |e: &Entry, rule: &Rule, on: bool| RuleInfo {
            name: rule.name.to_string(),
            set: rule.set.to_string(),
            on: e.on && on,
            types: rule.types[0].classes.iter().map(ToString::to_string).collect(),
            equation: rule.to_string(),
            why: rule.why.to_string(),
            expensive: rule.expensive,
            may_trap: rule.may_trap,
            fast_math: rule.fast_math,
            by_theory: rule.by_theory,
            line: rule.line,
        };
        let of_entry = |e: &Entry| {
            e.file.rules.iter().zip(&e.rule_on).map(|(r, on)| info(e, r, *on)).collect::<Vec<_>>()
        };
        self.entries.iter().flat_map(of_entry).collect()
    }

    fn add(&mut self, files: Vec<(String, String)>) -> Result<(), RulesError> {
        let mut errors = Vec::new();
        let mut entries = self.entries.clone();
        for (path, text) in files {
            match parse(&path, &text) {
                Ok(file) => {
                    let entry = Entry { on: file.on, rule_on: vec![true; file.rules.len()], file, text };
                    match entries.iter_mut().find(|e| e.file.set == entry.file.set) {
                        Some(same) => *same = entry,
                        None => entries.push(entry),
                    }
                }
                Err(found) => errors.extend(found),
            }
        }
        errors.extend(duplicates(&entries));
        if !errors.is_empty() {
            return Err(RulesError::Bad(errors));
        }
        self.entries = entries;
        self.embedded = false;
        Ok(())
    }

    fn switch(&mut self, name: &str, on: bool) -> Result<(), RulesError> {
        self.embedded = false;
        if let Some(set) = self.entries.iter_mut().find(|e| &*e.file.set == name) {
            set.on = on;
            set.rule_on.fill(on);
            return Ok(());
        }
        for entry in &mut self.entries {
            if let Some(at) = entry.file.rules.iter().position(|rule| &*rule.name == name) {
                if on && !entry.on {
                    entry.on = true;
                    entry.rule_on.fill(false);
                }
                entry.rule_on[at] = on;
                return Ok(());
            }
        }
        self.find(name)
    }
}

/// A rule name that two files use. (Within one file the loader has seen to it.)
fn duplicates(entries: &[Entry]) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut seen = std::collections::BTreeMap::new();
    for entry in entries {
        for rule in &entry.file.rules {
            if let Some(other) = seen.insert(rule.name.clone(), rule) {
                let message = format!(
                    "there is a rule named `{}` already, in {}:{}",
                    rule.name, other.file, other.line
                );
                errors.push(diagnostic(&rule.file, &entry.text, rule.span, message));
            }
        }
    }
    errors
}

/// The file itself, or the rule files in a folder, by name.
fn rule_files(path: &Path) -> Result<Vec<PathBuf>, RulesError> {
    let io = |source| RulesError::Io { path: path.to_owned(), source };
    if !fs::metadata(path).map_err(io)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(io)? {
        let file = entry.map_err(io)?.path();
        if file.extension().is_some_and(|e| e == "rules") {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() { Err(RulesError::NoFiles(path.to_owned())) } else { Ok(files) }
}

/// How many letters must be inserted, removed or replaced to get from one name to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "(rule a \"why\" (types index) (=> (add ?x 0) ?x))\n\
                       (rule b \"why\" (types index) (=> (mul ?x 1) ?x))";

    fn names(rules: &RuleSet) -> Vec<&str> {
        rules.rules().map(|rule| &*rule.name).collect()
    }

    #[test]
    fn sets_and_rules_are_switched() {
        let mut rules = RuleSet::empty();
        rules.extend_with_text("x/one.rules", ONE).unwrap();
        rules
            .extend_with_text(
                "two.rules",
                "(set \"t\" off) (rule c \"w\" (types bool) (=> (not (not ?x)) ?x))",
            )
            .unwrap();
        assert_eq!(names(&rules), ["a", "b"]);
        rules.disable("b").unwrap();
        rules.enable("two").unwrap();
        assert_eq!(names(&rules), ["a", "c"]);
        rules.disable("one").unwrap();
        rules.enable("b").unwrap();
        assert_eq!(names(&rules), ["b", "c"]);
        let info = &rules.sets()[0];
        assert_eq!((info.name.as_str(), info.rules, info.rules_on, info.on), ("one", 2, 1, true));
        let error = rules.disable("tow").unwrap_err().to_string();
        assert_eq!(error, "there is no rule or rule set named `tow`; did you mean `two`?");
    }

    #[test]
    fn a_file_replaces_the_set_of_its_name() {
        let mut rules = RuleSet::empty();
        rules.extend_with_text("one.rules", ONE).unwrap();
        rules.extend_with_text("b/one.rules", "(rule z \"w\" (types bool) (=> (not (not ?x)) ?x))").unwrap();
        assert_eq!(names(&rules), ["z"]);
        let error =
            rules.extend_with_text("c/other.rules", "\n(rule z \"w\" (types bool) (=> (not (not ?x)) ?x))");
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("c/other.rules:2:1: error: there is a rule named `z` already"), "{error}");
        assert_eq!(names(&rules), ["z"]);
    }

    #[test]
    fn embedded_rules_load() {
        let rules = RuleSet::embedded().unwrap();
        assert!(rules.rules().count() > 100);
        let off: Vec<String> = rules.sets().into_iter().filter(|s| !s.on).map(|s| s.name).collect();
        assert_eq!(off, ["vector", "commutativity", "associativity", "distributivity", "guards"]);
        for info in rules.infos() {
            assert!(!info.why.contains('\n'), "{}: the reason is one line", info.name);
        }
    }

    #[test]
    fn files_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let error = RuleSet::load(&[folder.path()]).unwrap_err();
        assert!(matches!(error, RulesError::NoFiles(_)), "{error}");
        fs::write(folder.path().join("b.rules"), ONE).unwrap();
        fs::write(folder.path().join("a.rules"), "(rule c \"w\" (types bool) (=> (not (not ?x)) ?x))")
            .unwrap();
        fs::write(folder.path().join("notes.txt"), "no rules").unwrap();
        assert_eq!(names(&RuleSet::load(&[folder.path()]).unwrap()), ["c", "a", "b"]);
        let missing = RuleSet::load(&[folder.path().join("none.rules")]).unwrap_err();
        assert!(missing.to_string().contains("none.rules"), "{missing}");
    }
}
