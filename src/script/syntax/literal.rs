//! Values of literals.

use super::{SpannedError, error};
use crate::diag::Span;

/// The value of an integer literal.
pub(super) fn int(text: &str, span: Span) -> Result<i128, SpannedError> {
    let digits = text.replace('_', "");
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        _ => (10, &digits[..]),
    };
    match i128::from_str_radix(digits, radix) {
        Ok(value) => Ok(value),
        Err(_) if digits.is_empty() => error(span, "malformed number"),
        Err(_) => error(span, "this integer does not fit in 64 bits"),
    }
}

/// The value of a float literal.
pub(super) fn float(text: &str, span: Span) -> Result<f64, SpannedError> {
    match text.replace('_', "").parse() {
        Ok(value) => Ok(value),
        Err(_) => error(span, "malformed number"),
    }
}

/// Appends the value of a string literal, given with its quotes.
///
/// `\x` escapes are bytes when together they are UTF-8 (TVM prints text outside ASCII so), else characters.
pub(super) fn string(text: &str, span: Span, out: &mut String) -> Result<(), SpannedError> {
    let prefix = text.find(['"', '\'']).unwrap_or(0);
    let raw = text[..prefix].eq_ignore_ascii_case("r");
    let text = &text[prefix..];
    let quotes = if text.starts_with("\"\"\"") || text.starts_with("'''") { 3 } else { 1 };
    let inner = &text[quotes..text.len() - quotes];
    if raw {
        out.push_str(inner);
        return Ok(());
    }
    let mut bytes: Vec<u8> = Vec::new();
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            flush(&mut bytes, out);
            out.push(c);
            continue;
        }
        let Some(escape) = rest.next() else { break };
        let simple = match escape {
            '\n' => continue,
            '\\' | '\'' | '"' => escape,
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'x' | 'u' | 'U' => {
                let width = match escape {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let digits: String = rest.clone().take(width).collect();
                let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.chars().count() == width);
                let Some(code) = code else {
                    return error(span, format!("malformed escape `\\{escape}` in a string"));
                };
                rest.nth(width - 1);
                if escape == 'x' {
                    bytes.push(code as u8);
                    continue;
                }
                match char::from_u32(code) {
                    Some(c) => c,
                    None => return error(span, format!("escape `\\{escape}{digits}` names no character")),
                }
            }
            '0'..='7' => {
                let mut code = escape as u32 - '0' as u32;
                for _ in 0..2 {
                    let Some(digit) = rest.clone().next().and_then(|c| c.to_digit(8)) else { break };
                    code = code * 8 + digit;
                    rest.next();
                }
                char::from_u32(code).unwrap_or('\u{fffd}')
            }
            other => {
                flush(&mut bytes, out);
                out.push('\\');
                other
            }
        };
        flush(&mut bytes, out);
        out.push(simple);
    }
    flush(&mut bytes, out);
    Ok(())
}

/// Appends the bytes that `\x` escapes named.
fn flush(bytes: &mut Vec<u8>, out: &mut String) {
    match std::str::from_utf8(bytes) {
        Ok(text) => out.push_str(text),
        Err(_) => out.extend(bytes.iter().map(|&b| b as char)),
    }
    bytes.clear();
}
