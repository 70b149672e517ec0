//! Reads s-expressions with the place of every node: the surface syntax of rule files.
//!
//! Lists in parentheses, atoms, strings in double quotes (no escapes), comments from `;` to the end of the line.
//! The whole text is read; anything that is left over is an error. Nesting is bounded, so that recursion over the
//! result is.

use std::ops::Range;

use crate::diag::Span;

/// Deepest nesting of lists in a rule file.
pub(crate) const MAX_NESTING: usize = 64;

/// A node and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sexp<'a> {
    pub(super) node: Node<'a>,
    pub(super) span: Span,
}

/// The three kinds of node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node<'a> {
    List(Vec<Sexp<'a>>),
    Atom(&'a str),
    Text(&'a str),
}

impl<'a> Sexp<'a> {
    /// The elements, if this is a list.
    pub(super) fn list(&self) -> Option<&[Sexp<'a>]> {
        match &self.node {
            Node::List(items) => Some(items),
            Node::Atom(_) | Node::Text(_) => None,
        }
    }

    /// The text of an atom.
    pub(super) fn atom(&self) -> Option<&'a str> {
        match self.node {
            Node::Atom(text) => Some(text),
            Node::List(_) | Node::Text(_) => None,
        }
    }
}

/// What is wrong, and where.
pub(super) type Fault = (Span, String);

/// Reads every s-expression of `text`.
pub(super) fn read(text: &str) -> Result<Vec<Sexp<'_>>, Fault> {
    read_range(text, 0..text.len())
}

/// Reads the s-expressions in a part of `text` that ends where one of them does; places are those in `text`.
pub(super) fn read_range(text: &str, range: Range<usize>) -> Result<Vec<Sexp<'_>>, Fault> {
    if u32::try_from(text.len()).is_err() {
        return Err((Span { start: 0, end: 0 }, "the file is larger than 4 GiB".to_owned()));
    }
    let bytes = &text.as_bytes()[..range.end];
    // The nodes that no closed list holds yet, and for each open list its place and how many of them come before it.
    let mut nodes: Vec<Sexp<'_>> = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut at = range.start;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b if b.is_ascii_whitespace() => at += 1,
            b';' => at += length_until(&bytes[at..], |b| b == b'\n'),
            b'(' => {
                if open.len() >= MAX_NESTING {
                    let message = format!("lists are nested deeper than {MAX_NESTING}");
                    return Err((span(start, start + 1), message));
                }
                open.push((start, nodes.len()));
                at += 1;
            }
            b')' => {
                at += 1;
                let Some((start, first)) = open.pop() else {
                    return Err((span(start, at), "this `)` closes nothing".to_owned()));
                };
                let items = nodes.split_off(first);
                nodes.push(Sexp { node: Node::List(items), span: span(start, at) });
            }
            b'"' => {
                let length = length_until(&bytes[start + 1..], |b| b == b'"');
                at = start + length + 2;
                if at > bytes.len() {
                    return Err((span(start, start + 1), "this string is not closed".to_owned()));
                }
                nodes.push(Sexp { node: Node::Text(&text[start + 1..at - 1]), span: span(start, at) });
            }
            _ => {
                at += length_until(&bytes[at..], ends_atom);
                nodes.push(Sexp { node: Node::Atom(&text[start..at]), span: span(start, at) });
            }
        }
    }
    match open.pop() {
        Some((start, _)) => Err((span(start, start + 1), "this `(` is not closed".to_owned())),
        None => Ok(nodes),
    }
}

/// Whether a byte is no part of an atom.
#[inline]
pub(super) fn ends_atom(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'"' | b';')
}

/// How many bytes come before the first that `stop` names; all, if none is.
#[inline]
fn length_until(bytes: &[u8], stop: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&b| stop(b)).unwrap_or(bytes.len())
}

fn span(start: usize, end: usize) -> Span {
    // `read` checked that every place fits.
    Span { start: start as u32, end: end as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_know_their_places() {
        let text = "; a comment\n(rule a-b \"why; (not) a comment\"\n  (=> ?x #c))";
        let nodes = read(text).unwrap();
        assert_eq!(nodes.len(), 1);
        let items = nodes[0].list().unwrap();
        let place = |s: &Sexp<'_>| &text[s.span.start as usize..s.span.end as usize];
        assert_eq!(place(&items[1]), "a-b");
        assert_eq!(items[2].node, Node::Text("why; (not) a comment"));
        assert_eq!(place(&items[3]), "(=> ?x #c)");
        assert_eq!(place(&nodes[0]), &text[12..]);
    }

    #[test]
    fn unbalanced_texts_are_errors() {
        for (text, start, part) in [
            ("(a", 0, "not closed"),
            ("(a (b c)", 0, "not closed"),
            ("a)", 1, "closes nothing"),
            ("(a \"b)", 3, "not closed"),
        ] {
            let (span, message) = read(text).unwrap_err();
            assert_eq!(span.start, start, "{text}");
            assert!(message.contains(part), "{text}: {message}");
        }
        assert!(read(&"(".repeat(1000)).unwrap_err().1.contains("nested"));
        assert_eq!(read(" ; nothing").unwrap(), vec![]);
    }
}
