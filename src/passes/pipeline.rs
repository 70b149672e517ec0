//! Sequences of passes, with groups, as text and as data.

use std::fmt;

use super::registry::{ALL, Pass};
use crate::error::Error;

/// Passes and groups of passes, in order. `Display` gives the text that [`select`] reads.
///
/// ```
/// let text = "simplify,fixpoint(semantic-cse),cheapest(verify|syntactic-cse,verify)";
/// assert_eq!(satir::passes::select(text)?.to_string(), text);
/// # Ok::<(), satir::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    pub(super) items: Vec<Item>,
}

/// A pass or a group.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Pass(&'static Pass),
    /// Runs until nothing changes.
    Fixpoint(Pipeline),
    /// Each starts with the same program; the cheapest result goes on, the first of equally cheap ones.
    Cheapest(Vec<Pipeline>),
}

/// The pipelines behind `-O0`, `-O1` and `-O2`.
const LEVELS: [&str; 3] = [
    "verify",
    "simplify,syntactic-cse",
    "loops,keep-scalar,cheapest(semantic-cse|simplify,semantic-cse),widen-indices,assume-sizes,multiply-reciprocals",
];

impl Pipeline {
    /// The pipeline of an optimization level: 0 changes nothing, 1 simplifies and shares what is written alike, 2 is all
    /// that satir can do; `None` for another number.
    ///
    /// ```
    /// use satir::passes::Pipeline;
    ///
    /// assert_eq!(Pipeline::level(1).map(|p| p.to_string()).as_deref(), Some("simplify,syntactic-cse"));
    /// assert!(Pipeline::level(3).is_none());
    /// ```
    pub fn level(level: usize) -> Option<Pipeline> {
        LEVELS.get(level).and_then(|text| select(text).ok())
    }

    /// The same with a pass behind it, also one of the caller's own.
    ///
    /// ```
    /// use satir::passes::{ALL, Pipeline, select};
    ///
    /// assert_eq!(select("simplify")?.then(&ALL[0]).to_string(), "simplify,verify");
    /// # Ok::<(), satir::Error>(())
    /// ```
    #[must_use]
    pub fn then(mut self, pass: &'static Pass) -> Pipeline {
        self.items.push(Item::Pass(pass));
        self
    }

    /// Whether it has no pass.
    ///
    /// ```
    /// assert!(satir::passes::select("")?.is_empty());
    /// # Ok::<(), satir::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The names of the passes, in the order of the text.
    ///
    /// ```
    /// let pipeline = satir::passes::select("verify,fixpoint(simplify)")?;
    /// assert_eq!(pipeline.names(), ["verify", "simplify"]);
    /// # Ok::<(), satir::Error>(())
    /// ```
    pub fn names(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for item in &self.items {
            match item {
                Item::Pass(pass) => names.push(pass.name),
                Item::Fixpoint(body) => names.extend(body.names()),
                Item::Cheapest(ways) => names.extend(ways.iter().flat_map(Pipeline::names)),
            }
        }
        names
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, item) in self.items.iter().enumerate() {
            f.write_str(if i > 0 { "," } else { "" })?;
            match item {
                Item::Pass(pass) => f.write_str(pass.name)?,
                Item::Fixpoint(body) => write!(f, "fixpoint({body})")?,
                Item::Cheapest(ways) => {
                    let ways: Vec<String> = ways.iter().map(ToString::to_string).collect();
                    write!(f, "cheapest({})", ways.join("|"))?;
                }
            }
        }
        Ok(())
    }
}

/// The pipeline of a text: names of passes between commas, and the groups `fixpoint(…)` and `cheapest(…|…)`, which may be
/// nested. An empty text has no pass.
///
/// # Errors
///
/// If no pass has one of the names, or parentheses do not match.
///
/// ```
/// use satir::passes::select;
///
/// assert_eq!(select("verify, semantic-cse")?.names(), ["verify", "semantic-cse"]);
/// assert!(select("")?.is_empty());
/// assert!(select("semantic-cze").is_err() && select("fixpoint(verify").is_err());
/// # Ok::<(), satir::Error>(())
/// ```
pub fn select(text: &str) -> Result<Pipeline, Error> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let pipeline = parser.pipeline()?;
    match parser.peek() {
        None => Ok(pipeline),
        Some(c) => Err(parser.unexpected(c)),
    }
}

/// How deep groups may be nested.
const MAX_DEPTH: usize = 16;

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        self.at += if found { expected.len_utf8() } else { 0 };
        found
    }

    fn unexpected(&self, c: char) -> Error {
        self.error(format!("unexpected `{c}`"))
    }

    fn error(&self, what: String) -> Error {
        Error::Pipeline { text: self.text.to_owned(), what }
    }

    fn pipeline(&mut self) -> Result<Pipeline, Error> {
        let mut items = Vec::new();
        loop {
            items.extend(self.item()?);
            if !self.eat(',') {
                return Ok(Pipeline { items });
            }
        }
    }

    /// A pass or a group; `None` if there is nothing between two commas.
    fn item(&mut self) -> Result<Option<Item>, Error> {
        let rest = &self.text[self.at..];
        let end = rest.find([',', '(', ')', '|']).unwrap_or(rest.len());
        let name = rest[..end].trim();
        self.at += end;
        if !self.eat('(') {
            return if name.is_empty() { Ok(None) } else { find(name).map(|pass| Some(Item::Pass(pass))) };
        }
        if self.depth == MAX_DEPTH {
            return Err(self.error(format!("groups are nested deeper than {MAX_DEPTH} levels")));
        }
        self.depth += 1;
        let mut ways = vec![self.pipeline()?];
        while name == "cheapest" && self.eat('|') {
            ways.push(self.pipeline()?);
        }
        self.depth -= 1;
        if !self.eat(')') {
            return Err(match self.peek() {
                Some(c) => self.unexpected(c),
                None => self.error("`)` is missing".to_owned()),
            });
        }
        let blank = &self.text[self.at..];
        self.at += blank.len() - blank.trim_start().len();
        match name {
            "fixpoint" => Ok(ways.pop().map(Item::Fixpoint)),
            "cheapest" => Ok(Some(Item::Cheapest(ways))),
            _ => Err(self.error(format!("there is no group `{name}`; the groups are fixpoint, cheapest"))),
        }
    }
}

fn find(name: &str) -> Result<&'static Pass, Error> {
    ALL.iter().find(|pass| pass.name == name).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|pass| pass.name).collect();
        Error::UnknownPass { name: name.to_owned(), known: known.join(", ") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_name_passes_in_order() {
        let names = |text| select(text).map(|pipeline| pipeline.names());
        assert_eq!(names("").unwrap(), [""; 0]);
        assert_eq!(names("verify, syntactic-cse,verify").unwrap(), ["verify", "syntactic-cse", "verify"]);
        let error = names("verify,cse").unwrap_err().to_string();
        assert!(error.starts_with("there is no pass `cse`; the passes are verify,"), "{error}");
    }

    #[test]
    fn groups_nest() {
        let text = "fixpoint(verify,cheapest(simplify|fixpoint(verify)|)),verify";
        assert_eq!(select(text).unwrap().to_string(), text);
        assert_eq!(select(" fixpoint( verify ) , verify ").unwrap().to_string(), "fixpoint(verify),verify");
        for (text, what) in [
            ("fixpoint(verify", "`)` is missing"),
            ("verify)", "unexpected `)`"),
            ("verify|verify", "unexpected `|`"),
            ("fixpoint(verify|verify)", "unexpected `|`"),
            ("twice(verify)", "there is no group `twice`"),
            ("fixpoint(verify)verify", "unexpected `v`"),
            ("(verify)", "there is no group ``"),
        ] {
            let error = select(text).unwrap_err().to_string();
            assert!(error.contains(what), "{text}: {error}");
        }
        let deep = |n: usize| select(&format!("{}{}", "fixpoint(".repeat(n), ")".repeat(n)));
        assert!(deep(MAX_DEPTH).is_ok() && deep(MAX_DEPTH + 1).is_err());
    }

    #[test]
    fn every_level_has_a_pipeline() {
        for (level, text) in LEVELS.iter().enumerate() {
            assert_eq!(Pipeline::level(level).unwrap().to_string(), *text);
        }
    }
}
