//! All mistakes of a text, not only the first.
//!
//! The text is read again and again; each time the statement with the mistake that was found is replaced by one that does
//! nothing, with the place of everything else kept. What follows from a mistake that was reported is not reported: a
//! statement with a mistake that uses a name which a dropped statement would have defined.

use std::collections::BTreeSet;

use super::lower::UNDEFINED;
use super::read::{Failed, attempt};
use super::syntax::KEYWORDS;
use crate::diag::{Diagnostic, LineIndex};
use crate::ir::Module;

/// The most mistakes of a text that are reported.
///
/// ```
/// let text = format!("@T.prim_func\ndef main():\n{}", "    T.evaluate(x +)\n".repeat(99));
/// let mistakes = satir::script::parse_all("kernel.py", &text).unwrap_err();
/// assert_eq!(mistakes.len(), satir::script::MAX_MISTAKES);
/// ```
pub const MAX_MISTAKES: usize = 20;

/// The most times that a text is read, and how many bytes are read in all.
const MAX_ATTEMPTS: usize = 200;
const MAX_BYTES: usize = 64 << 20;

/// The module, or what is wrong with the text, by place.
pub(super) fn find(source_name: &str, text: &str) -> Result<Module, Vec<Diagnostic>> {
    let first = match attempt(text) {
        Ok(module) => return Ok(module),
        Err(failed) => failed,
    };
    let mut search = Search {
        rest: text.to_owned(),
        lines: LineIndex::new(text),
        reported: BTreeSet::new(),
        dropped: BTreeSet::new(),
        missing: BTreeSet::new(),
        found: Vec::new(),
    };
    let mut next = Some(first);
    let attempts = (MAX_BYTES / text.len().max(1)).clamp(1, MAX_ATTEMPTS);
    for _ in 0..attempts {
        let Some(failed) = next.take() else { break };
        if !search.take(failed) || search.found.len() >= MAX_MISTAKES {
            break;
        }
        next = attempt(&search.rest).err();
    }
    let mut found: Vec<Diagnostic> = search
        .found
        .into_iter()
        .map(|failed| Diagnostic::new(source_name, text, failed.error.0, failed.error.1))
        .collect();
    found.sort_by_key(|diagnostic| (diagnostic.line, diagnostic.column));
    Err(found)
}

/// The text so far, and what is known of its mistakes.
struct Search {
    /// The text without the statements that have mistakes, everything else at its place.
    rest: String,
    lines: LineIndex,
    /// Lines with a mistake.
    reported: BTreeSet<u32>,
    /// Lines on which dropped statements begin.
    dropped: BTreeSet<u32>,
    /// Names that dropped statements would have defined, with the line of the function's head; 0 is everywhere.
    missing: BTreeSet<(u32, String)>,
    found: Vec<Failed>,
}

impl Search {
    /// Takes note of a mistake and drops its statement. Whether there is more to look for.
    fn take(&mut self, failed: Failed) -> bool {
        let (start, line) = (self.lines.line(failed.start), self.lines.line(failed.error.0.start));
        let function = self.function_of(start);
        let follows = start <= line && (start..=line).any(|line| self.uses_missing(line, function))
            || self.uses_missing(start, function);
        if let Some(name) = failed.error.1.strip_prefix(UNDEFINED) {
            let name = name.trim_matches([' ', '`']).to_owned();
            self.missing.insert((function, name));
        }
        // Where nothing is left of the text a mistake is one of what was left out.
        let is_empty = failed.error.0.end == 0 && !self.found.is_empty();
        if self.reported.insert(line) && !follows && !is_empty {
            self.found.push(failed);
        }
        self.drop_statement(start, function)
    }

    /// A line of what is left, from 1, without its end.
    fn line(&self, number: u32) -> &str {
        self.rest.split('\n').nth(number as usize - 1).unwrap_or("")
    }

    /// The head of the function in which a line stands.
    fn function_of(&self, line: u32) -> u32 {
        let heads =
            self.rest.split('\n').zip(1..=line).filter(|(text, _)| text.trim_start().starts_with("def "));
        heads.last().map_or(0, |(_, number)| number)
    }

    fn uses_missing(&self, line: u32, function: u32) -> bool {
        words(self.line(line)).any(|word| {
            [0, function].into_iter().any(|scope| self.missing.contains(&(scope, word.to_owned())))
        })
    }

    /// Replaces the statement that begins on a line, and what belongs to it. Whether that changed anything.
    fn drop_statement(&mut self, first: u32, function: u32) -> bool {
        let lines: Vec<&str> = self.rest.split('\n').collect();
        let at = first as usize - 1;
        let Some(head) = lines.get(at).filter(|head| !head.trim().is_empty()) else { return false };
        let indent = width(head);
        // It has been replaced before: its place is the mistake, so it goes as a whole, with what stands beside it.
        let again = self.dropped.contains(&first);
        let mut end = at + 1;
        let mut decorated = head.trim_start().starts_with('@');
        while let Some(line) = lines.get(end) {
            let (content, deeper) = (line.trim(), width(line) > indent);
            let beside = width(line) == indent;
            let belongs = content.is_empty()
                || deeper
                || beside && (again || decorated)
                || beside && (content.starts_with([')', ']', '}']) || continues(content));
            if !belongs {
                break;
            }
            decorated &= content.is_empty() || content.starts_with('@');
            end += 1;
        }
        let named = lines[at..end].iter().find(|line| !line.trim_start().starts_with('@'));
        let defined = named.map_or_else(Vec::new, |line| defines(line));
        let is_function = named.is_some_and(|line| line.trim_start().starts_with("def "));
        let nothing = match is_function {
            true if indent == 0 => "",
            true => "pass",
            false => "0",
        };
        let nothing = if again || head.trim().len() < nothing.len() { "" } else { nothing };
        let mut out = String::with_capacity(self.rest.len());
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                out.push('\n');
            }
            if number < at || number >= end {
                out.push_str(line);
                continue;
            }
            let blank = line.len();
            if number == at && !nothing.is_empty() {
                out.push_str(&line[..indent]);
                out.push_str(nothing);
                out.extend(std::iter::repeat_n(' ', blank - indent - nothing.len()));
            } else {
                out.extend(std::iter::repeat_n(' ', blank));
            }
        }
        self.rest = out;
        self.dropped.insert(first);
        let scope = if is_function { 0 } else { function };
        self.missing.extend(defined.into_iter().map(|name| (scope, name)));
        true
    }
}

/// The columns before the text of a line.
fn width(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a line goes on with the statement before it.
fn continues(content: &str) -> bool {
    let word = words(content).next();
    matches!(word, Some("else" | "elif")) && content.starts_with("el")
}

/// The words of a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The names that a statement defines, going by its first line.
fn defines(line: &str) -> Vec<String> {
    let line = line.trim();
    let all = |text: &str| words(text).map(str::to_owned).collect::<Vec<_>>();
    for keyword in ["def ", "class "] {
        if let Some(rest) = line.strip_prefix(keyword) {
            return words(rest).next().into_iter().map(str::to_owned).collect();
        }
    }
    if let Some(rest) = line.strip_prefix("for ") {
        return all(rest.split(" in ").next().unwrap_or(""));
    }
    if let Some(rest) = line.strip_prefix("with ") {
        return rest
            .split(" as ")
            .skip(1)
            .flat_map(|part| all(part.split(',').next().unwrap_or("")))
            .collect();
    }
    let target = line.split(['=', ':']).next().unwrap_or("");
    // Elements of buffers are no names, and calls define none.
    if target.contains(['[', '(', '.']) {
        return Vec::new();
    }
    let named: Vec<String> = all(target).into_iter().filter(|name| !is_number(name)).collect();
    match named.first().map(String::as_str) {
        Some(first) if KEYWORDS.contains(&first) => Vec::new(),
        _ => named,
    }
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}
