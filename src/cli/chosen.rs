//! Which rules are used, and the check of those that are not satir's own: a wrong rule makes wrong programs.

use std::path::PathBuf;

use clap::Args;
use satir::rules::{Rule, RuleSet, RulesError, check};

use super::io::Failure;
use super::terminal::Progress;

/// Which rules: the built-in ones, changed.
#[derive(Args, Debug, Clone)]
pub(crate) struct Chosen {
    /// Rule file, or a folder of `*.rules`, that is added to the built-in rules; a file with the name of a
    /// built-in one replaces it. May be given several times. The rules are checked before they are used.
    #[arg(long, value_name = "PATH")]
    rules: Vec<PathBuf>,

    /// Switch rules or sets on.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    on: Vec<String>,

    /// Switch rules or sets off.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    off: Vec<String>,

    #[command(flatten)]
    pub(crate) allowed: Allowed,
}

/// What rules may do.
#[derive(Args, Debug, Clone, Copy)]
pub(crate) struct Allowed {
    /// Use the rules that reassociate and distribute floating point, those that are marked `(fast-math)`. Results differ in
    /// their last bits then.
    #[arg(long)]
    pub(crate) fast_math: bool,

    /// Use rules from files without the check that they are sound.
    #[arg(long)]
    pub(crate) unchecked: bool,
}

impl Chosen {
    /// Whether these are the built-in rules as they are.
    pub(crate) fn is_default(&self) -> bool {
        self.rules.is_empty() && self.on.is_empty() && self.off.is_empty()
    }

    /// The files and folders that rules are read from, as they were given.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.rules
    }

    /// The rules, those from files checked. Warns of those that are not used.
    pub(crate) fn rules(&self) -> Result<RuleSet, Failure> {
        let rules = self.read()?;
        for name in &self.on {
            self.allowed.acts(&rules, name)?;
        }
        self.allowed.check(&rules)?;
        Ok(rules)
    }

    /// The rules, for what explains a result: they were checked for making it.
    pub(crate) fn read(&self) -> Result<RuleSet, Failure> {
        let mut rules = rules(&self.rules)?;
        if let Some(name) = self.on.iter().find(|name| self.off.contains(name)) {
            return Err(Failure::usage(format_args!("`{name}` is switched both on and off")));
        }
        self.on.iter().try_for_each(|name| rules.enable(name)).map_err(Failure::bad)?;
        self.off.iter().try_for_each(|name| rules.disable(name)).map_err(Failure::bad)?;
        Ok(rules)
    }
}

impl Allowed {
    /// Refuses to switch on what would have no effect.
    pub(crate) fn acts(&self, rules: &RuleSet, name: &str) -> Result<(), Failure> {
        let mut named = rules.rules().filter(|rule| *rule.name == *name || *rule.set == *name).peekable();
        if !self.fast_math && named.peek().is_some() && named.all(|rule| rule.fast_math) {
            return Err(Failure::usage(format_args!(
                "`{name}` is about real numbers and changes nothing without `--fast-math`"
            )));
        }
        Ok(())
    }

    /// Checks the rules that are not satir's own and are used, and warns of those that are not used.
    ///
    /// # Errors
    ///
    /// One is wrong, or the check finds no values to which it applies.
    pub(crate) fn check(&self, rules: &RuleSet) -> Result<(), Failure> {
        for set in rules.foreign_sets().filter(|set| !set.on) {
            let (name, file) = (&set.name, &set.file);
            log::warn!(
                "the rules of `{name}` ({file}) are not used: the file says that they are off; `--on {name}` uses them"
            );
        }
        let foreign = rules.foreign();
        for rule in foreign.iter().filter(|rule| rule.fast_math && !self.fast_math) {
            let (name, file, line) = (&rule.name, &rule.file, rule.line);
            log::warn!(
                "rule `{name}` ({file}:{line}) is not used: it is marked `(fast-math)`; `--fast-math` allows it"
            );
        }
        if self.unchecked {
            return Ok(());
        }
        let used: Vec<&Rule> = foreign.into_iter().filter(|rule| self.fast_math || !rule.fast_math).collect();
        if used.is_empty() {
            return Ok(());
        }
        let progress = Progress::new(used.len(), "rules checked");
        let mut mistakes = check::refused(&used, &|done, all| progress.set(done, all));
        progress.finish();
        if mistakes.is_empty() {
            return Ok(());
        }
        mistakes.push(
            "note: rules from files are checked before they are used; `satir rules check FILE` tells more, `--unchecked` \
             uses them as they are"
                .to_owned(),
        );
        Err(Failure::Bad(mistakes.join("\n")))
    }
}

/// The built-in rules, extended by these files and folders.
pub(crate) fn rules(paths: &[PathBuf]) -> Result<RuleSet, Failure> {
    let mut rules = RuleSet::embedded().map_err(|e| bad_rules(&e))?;
    rules.extend_from(paths).map_err(|e| bad_rules(&e))?;
    Ok(rules)
}

/// What is wrong with rules.
pub(crate) fn bad_rules(error: &RulesError) -> Failure {
    match error {
        // These have their places.
        RulesError::Bad(_) => Failure::Bad(error.to_string()),
        _ => Failure::bad(error),
    }
}
