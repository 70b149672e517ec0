//! The embedded rules before they are read: where they stand, and which of them can match a program.
//!
//! To read all rules takes longer than to optimize most programs, and most programs have few of the operators that
//! rules are about. So an engine asks for what each rule needs, and reads a rule when a program has that.

use std::ops::Range;
use std::sync::Arc;

use super::ast::Rule;
use super::head::{Head, Heads};
use super::load;
use super::set::{EMBEDDED, embedded_path};
use super::sexp::{self, ends_atom};

/// A rule of the embedded sets that are on when nothing else is said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unread {
    /// Of its file in [`EMBEDDED`].
    file: usize,
    /// Place in the file.
    start: usize,
    end: usize,
    line: u32,
    /// Marked `(fast-math)`.
    pub(crate) fast_math: bool,
    /// Marked `(by-theory)`.
    pub(crate) by_theory: bool,
    /// The left side; the right side if the rule is used in both directions.
    needs: [Option<Need>; 2],
}

/// What one side of a rule needs of what it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// What stands at its root.
    pub root: Head,
    /// All that occurs in it.
    pub all: Heads,
}

impl Unread {
    /// What is matched: the left side, then the right side if the rule is used in both directions.
    pub(crate) fn needs(&self) -> impl Iterator<Item = Need> {
        self.needs.into_iter().flatten()
    }

    /// Reads the rule; `None` if it has a mistake, which the embedded ones have not in a build whose tests pass.
    pub(crate) fn read(&self) -> Option<Rule> {
        let (name, text) = EMBEDDED[self.file];
        let range: Range<usize> = self.start..self.end;
        let forms = sexp::read_range(text, range).ok()?;
        let (rule, _) = load::rule(forms.first()?).ok()?;
        let set = Arc::from(name.strip_suffix(".rules").unwrap_or(name));
        Some(Rule { set, file: embedded_path(name).into(), line: self.line, ..rule })
    }
}

/// All of them, in order.
pub(crate) fn unread() -> Vec<Unread> {
    let mut found = Vec::new();
    for (file, (_, text)) in EMBEDDED.iter().enumerate() {
        let (mut at, mut line) = (0, 1);
        while at < text.len() {
            if text.as_bytes()[at] == b'(' {
                let form = Form::scan(text, at);
                if form.is_off {
                    break;
                }
                if form.is_rule {
                    let Form { end, fast_math, by_theory, needs, .. } = form;
                    found.push(Unread { file, start: at, end, line, fast_math, by_theory, needs });
                }
                line += form.lines;
                at = form.end;
            } else {
                line += u32::from(matches!(text.as_bytes()[at], b'\n' | b';'));
                at = skip(text, at);
            }
        }
    }
    found
}

/// A form at the top level of a rule file.
struct Form {
    end: usize,
    lines: u32,
    is_rule: bool,
    /// It says that the set is off.
    is_off: bool,
    fast_math: bool,
    by_theory: bool,
    needs: [Option<Need>; 2],
}

impl Form {
    /// The form that begins at `start`.
    fn scan(text: &str, start: usize) -> Form {
        let mut form = Form {
            end: start,
            lines: 0,
            is_rule: false,
            is_off: false,
            fast_math: false,
            by_theory: false,
            needs: [None; 2],
        };
        let (mut at, mut depth) = (start, 0);
        // Of the equation: how many sides are matched, and how many of them have begun.
        let (mut sides, mut side) = (0, 0);
        while at < text.len() && (depth > 0 || at == start) {
            let next = skip(text, at);
            match text.as_bytes()[at] {
                b'(' => {
                    depth += 1;
                    let head = text.get(next..skip(text, next)).unwrap_or_default();
                    match depth {
                        1 => form.is_rule = head == "rule",
                        2 => {
                            sides = if head == "=>" { 1 } else { 2 * usize::from(head == "<=>") };
                            side = 0;
                            form.fast_math |= head == "fast-math";
                            form.by_theory |= head == "by-theory";
                        }
                        _ => {
                            side += usize::from(depth == 3);
                            if 0 < side
                                && side <= sides
                                && let Some(head) = Head::by_name(head)
                            {
                                form.add(side - 1, head);
                            }
                        }
                    }
                }
                b')' => depth -= 1,
                b'\n' | b';' => form.lines += 1,
                _ => {
                    form.is_off |= depth == 1 && !form.is_rule && text.get(at..next) == Some("off");
                }
            }
            at = next;
        }
        form.end = at;
        form
    }

    fn add(&mut self, side: usize, head: Head) {
        let need = self.needs[side].get_or_insert(Need { root: head, all: Heads::EMPTY });
        need.all.insert(head);
    }
}

/// Where the parenthesis, space, comment, string or atom that begins at `at` ends.
fn skip(text: &str, at: usize) -> usize {
    let rest = &text[at + 1..];
    let length = match text.as_bytes()[at] {
        b';' => rest.find('\n').map(|length| length + 1),
        b'"' => rest.find('"').map(|length| length + 1),
        byte if ends_atom(byte) => Some(0),
        _ => rest.bytes().position(ends_atom),
    };
    at + 1 + length.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Direction, RuleSet};

    #[test]
    fn what_is_read_one_by_one_is_what_is_read_at_once() {
        let rules = RuleSet::embedded().unwrap();
        let unread = unread();
        assert_eq!(unread.len(), rules.rules().count());
        for (unread, rule) in unread.iter().zip(rules.rules()) {
            assert_eq!(unread.read().as_ref(), Some(rule));
            assert_eq!((unread.fast_math, unread.by_theory), (rule.fast_math, rule.by_theory));
            let need = |d: &Direction<'_>| {
                Some(Need { root: Head::of_pattern(d.from)?, all: Heads::of_pattern(d.from) })
            };
            let expected: Vec<Need> = rule.directions().iter().filter_map(need).collect();
            assert_eq!(unread.needs().collect::<Vec<_>>(), expected, "{}", rule.name);
        }
    }
}
