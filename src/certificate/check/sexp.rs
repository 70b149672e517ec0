//! S-expressions: the notation of certificates and of rule files.

/// The deepest nesting that is read: recursion over what was read is bounded by it.
const MAX_NESTING: usize = 400;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sexp {
    /// A name or a number, or a text that stood in quotes, where a `\` stands before each quote and `\` of the text.
    Word(String),
    /// What stands in parentheses.
    List(Vec<Sexp>),
}

impl Sexp {
    /// The word, if it is one.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Sexp::Word(word) => Some(word),
            Sexp::List(_) => None,
        }
    }

    /// The number of a thing, if it is one.
    pub(crate) fn number(&self) -> Option<usize> {
        self.word()?.parse().ok()
    }

    /// The parts, if it is a list.
    pub(crate) fn list(&self) -> Option<&[Sexp]> {
        match self {
            Sexp::Word(_) => None,
            Sexp::List(parts) => Some(parts),
        }
    }

    /// The head of a list that begins with a word, and the rest.
    pub(crate) fn call(&self) -> Option<(&str, &[Sexp])> {
        let (head, rest) = self.list()?.split_first()?;
        Some((head.word()?, rest))
    }
}

/// Reads all expressions of a text. A comment goes from `;` to the end of its line.
///
/// # Errors
///
/// Says what is wrong, and in which line.
pub(crate) fn read(text: &str) -> Result<Vec<Sexp>, String> {
    let mut open: Vec<Vec<Sexp>> = vec![Vec::new()];
    let mut line = 1;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => line += 1,
            c if c.is_whitespace() => {}
            ';' => while chars.next_if(|&c| c != '\n').is_some() {},
            '(' if open.len() > MAX_NESTING => return Err(format!("line {line}: nested too deep")),
            '(' => open.push(Vec::new()),
            ')' => {
                let parts = open.pop().unwrap_or_default();
                let Some(outer) = open.last_mut() else {
                    return Err(format!("line {line}: `)` without `(`"));
                };
                outer.push(Sexp::List(parts));
            }
            '"' => {
                let mut word = String::new();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => word.extend(chars.next()),
                        Some(c) if c != '\n' => word.push(c),
                        _ => return Err(format!("line {line}: a text that does not end")),
                    }
                }
                open.last_mut().into_iter().for_each(|parts| parts.push(Sexp::Word(word.clone())));
            }
            c => {
                let mut word = String::from(c);
                let part = |c: &char| !c.is_whitespace() && !matches!(c, '(' | ')' | ';' | '"');
                while let Some(c) = chars.next_if(part) {
                    word.push(c);
                }
                open.last_mut().into_iter().for_each(|parts| parts.push(Sexp::Word(word.clone())));
            }
        }
    }
    match (open.pop(), open.is_empty()) {
        (Some(parts), true) => Ok(parts),
        _ => Err(format!("line {line}: `(` without `)`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
        let parts = read("(a \"b c\" -1) ; rest\nd \"\\\\ \\\"\"").expect("well-formed");
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[2].word(), Some("\\ \""));
        assert_eq!(parts[0].call().map(|(head, rest)| (head, rest.len())), Some(("a", 2)));
        for bad in ["(", ")", "(a))", "\"a", "\"a\\\"", &"(".repeat(100_000)] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
