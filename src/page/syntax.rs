//! Colours of TVMScript.

use std::fmt::Write;

use super::text::escape;

const KEYWORDS: &[&str] = &[
    "and", "assert", "break", "class", "continue", "def", "elif", "else", "for", "if", "in", "is", "lambda",
    "not", "or", "pass", "return", "while", "with", "as", "from", "import", "True", "False", "None",
];

/// A piece of a line as HTML: keywords, numbers, strings, comments and what belongs to TVMScript have classes.
pub(super) fn coloured(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, class) = token(rest, first);
        let (token, after) = rest.split_at(length);
        let class = match class {
            Some("w") if KEYWORDS.contains(&token) => Some("k"),
            Some("w") if token.starts_with("T.") || token.starts_with("I.") => Some("t"),
            Some("w") => None,
            other => other,
        };
        let _ = match class {
            Some(class) => write!(out, "<span class=\"{class}\">{}</span>", escape(token)),
            None => write!(out, "{}", escape(token)),
        };
        rest = after;
    }
    out
}

/// The length of the token that the text begins with, and what it is; `w` for a word.
fn token(text: &str, first: char) -> (usize, Option<&'static str>) {
    let while_is = |is: fn(char) -> bool| text.find(|c| !is(c)).unwrap_or(text.len());
    match first {
        '#' => (text.len(), Some("c")),
        '"' | '\'' => (string(text, first), Some("s")),
        '0'..='9' => (while_is(|c| c.is_alphanumeric() || c == '.' || c == '_'), Some("d")),
        '@' => (while_is(|c| c.is_alphanumeric() || matches!(c, '@' | '.' | '_')), Some("t")),
        c if c.is_alphabetic() || c == '_' => {
            (while_is(|c| c.is_alphanumeric() || c == '.' || c == '_'), Some("w"))
        }
        _ => {
            let plain = |c: char| !(c.is_alphanumeric() || matches!(c, '#' | '"' | '\'' | '@' | '_'));
            let length =
                text.char_indices().skip(1).find(|(_, c)| !plain(*c)).map_or(text.len(), |(at, _)| at);
            (length, None)
        }
    }
}

/// The length of a string of which the end may be missing.
fn string(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_classes_and_nothing_is_lost() {
        let html = coloured("for i in T.grid(4, \"a'<\"):  # no \"end");
        assert_eq!(
            html,
            "<span class=\"k\">for</span> i <span class=\"k\">in</span> <span class=\"t\">T.grid</span>(<span class=\"d\">4</span>, \
             <span class=\"s\">&quot;a&#39;&lt;&quot;</span>):  <span class=\"c\"># no &quot;end</span>"
        );
        for odd in ["\"open", "1.5e", "größe = 3", "@T.prim_func", "\\", "", "\"\\\"\" x"] {
            let plain: String = coloured(odd).replace("</span>", "");
            let mut text = String::new();
            for (at, part) in plain.split("<span class=\"").enumerate() {
                text += if at == 0 { part } else { &part[3..] };
            }
            assert_eq!(text, escape(odd));
        }
    }
}
