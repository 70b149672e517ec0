//! Small helpers for source text.

/// The text with what HTML would read as markup written as entities.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Places where `part` stands in `text` as a whole, not as a piece of a longer name or number.
pub(super) fn places(text: &str, part: &str) -> Vec<usize> {
    if part.is_empty() {
        return Vec::new();
    }
    let whole = |at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at + part.len()..].chars().next();
        let first = part.chars().next().is_some_and(is_word);
        let last = part.chars().next_back().is_some_and(is_word);
        !(first && before.is_some_and(|c| is_word(c) || c == '.')
            || last && after.is_some_and(|c| is_word(c) || c == '.'))
    };
    text.match_indices(part).map(|(at, _)| at).filter(|&at| whole(at)).collect()
}

/// Whether the text mentions the name.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    !places(text, name).is_empty()
}

/// Places where an expression stands in `text` as an operand of its own: not torn out of a product or quotient
/// that binds tighter.
pub(super) fn operands(text: &str, part: &str) -> Vec<usize> {
    let compound = part.contains(' ') && !part.ends_with(')');
    let tight = |c: Option<char>| c.is_some_and(|c| "*/%".contains(c));
    let own = |&at: &usize| {
        let before = text[..at].trim_end().chars().next_back();
        let after = text[at + part.len()..].trim_start().chars().next();
        !(tight(before) || tight(after) || before == Some('-'))
    };
    let mut found = places(text, part);
    if compound {
        found.retain(own);
    }
    found
}
