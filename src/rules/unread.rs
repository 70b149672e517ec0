//! The embedded rules before they are read: enough to know which of them can match a program.
//!
//! To read all rules takes longer than to optimize most programs, and most programs have few of the operators that
//! rules are about. So an engine asks for what each rule needs, and reads it when a program has that.

use std::sync::Arc;

use super::ast::Rule;
use super::head::{Head, Heads};
use super::load::{self, RuleFile, line_of};
use super::set::{EMBEDDED, embedded_path};
use super::sexp::{self, Fault, Sexp};

/// A rule of the embedded sets.
#[derive(Debug)]
pub struct Unread {
    set: Arc<str>,
    /// Of its file, in [`EMBEDDED`].
    file: &'static str,
    text: &'static str,
    form: Sexp<'static>,
}

/// What one side of a rule needs of what it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// What stands at its root.
    pub root: Head,
    /// All that occurs in it.
    pub all: Heads,
}

impl Unread {
    /// What is matched: the left side, then the right side if the rule is used in both directions.
    pub fn needs(&self) -> impl Iterator<Item = Need> {
        equation(&self.form).iter().filter_map(|side| {
            let mut all = Heads::default();
            add_heads(side, &mut all);
            Some(Need { root: head(side)?, all })
        })
    }

    /// Reads the rule; `None` if it has a mistake, which the embedded ones have not in a build whose tests pass.
    pub fn read(&self) -> Option<Rule> {
        let (rule, name) = load::rule(&self.form).ok()?;
        let line = line_of(self.text, name.span.start as usize);
        Some(Rule { set: self.set.clone(), file: embedded_path(self.file).into(), line, ..rule })
    }
}

/// The embedded rules of the sets that are on when nothing else is said, in order.
pub fn unread() -> Vec<Unread> {
    let of_file = |&(file, text): &(&'static str, &'static str)| -> Result<Vec<Unread>, Fault> {
        let mut header = RuleFile::named(file);
        let forms = sexp::read(text)?;
        forms.first().map_or(Ok(()), |form| load::set_header(form, &mut header))?;
        let unread = |form| Unread { set: header.set.clone(), file, text, form };
        let rules = forms.into_iter().filter(|form| header.on && starts_with(form, "rule"));
        Ok(rules.map(unread).collect())
    };
    let read = EMBEDDED.iter().map(of_file);
    read.flat_map(Result::unwrap_or_default).collect()
}

/// The sides of a rule that are matched.
fn equation<'s, 't>(rule: &'s Sexp<'t>) -> &'s [Sexp<'t>] {
    let clauses = rule.list().unwrap_or_default().iter().filter_map(Sexp::list);
    let mut sides = clauses.filter_map(|clause| match clause.first()?.atom()? {
        "=>" => clause.get(1..2),
        "<=>" => clause.get(1..),
        _ => None,
    });
    sides.next().unwrap_or_default()
}

fn starts_with(form: &Sexp<'_>, name: &str) -> bool {
    form.list().and_then(<[_]>::first).and_then(Sexp::atom) == Some(name)
}

fn head(pattern: &Sexp<'_>) -> Option<Head> {
    Head::by_name(pattern.list()?.first()?.atom()?)
}

fn add_heads(pattern: &Sexp<'_>, heads: &mut Heads) {
    if let Some(head) = head(pattern) {
        heads.insert(head);
    }
    for part in pattern.list().unwrap_or_default() {
        add_heads(part, heads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    #[test]
    fn what_is_read_one_by_one_is_what_is_read_at_once() {
        let rules = RuleSet::embedded().unwrap();
        let unread = unread();
        assert_eq!(unread.len(), rules.rules().count());
        for (unread, rule) in unread.iter().zip(rules.rules()) {
            assert_eq!(unread.read().as_ref(), Some(rule));
            let needs = |d: &crate::rules::Direction<'_>| {
                Some(Need { root: Head::of_pattern(d.from)?, all: Heads::of_pattern(d.from) })
            };
            let expected: Vec<Need> = rule.directions().iter().filter_map(needs).collect();
            assert_eq!(unread.needs().collect::<Vec<_>>(), expected, "{}", rule.name);
        }
    }
}
