//! Spoilt texts for the parser: it must answer every text with a program or an error.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

use super::dice::Dice;
use crate::script::{parse, parse_all};
use crate::verify::verify;

/// Longest text that is made.
const MAX_BYTES: usize = 16 << 10;

/// Pieces of the language, to be put in anywhere.
const PIECES: [&str; 64] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "=",
    ".",
    "\"",
    "'",
    "\n",
    "    ",
    "\t",
    "#",
    "\\",
    "@",
    "-",
    "-1",
    "0",
    "1",
    "9223372036854775807",
    "9223372036854775808",
    "1e400",
    "0x",
    "T.int32",
    "T.int8(200)",
    "T.float32(1)",
    "T.bool(True)",
    "T.",
    "I.",
    "n",
    "A",
    "A[0]",
    "A[i]",
    "for i in range(n):",
    "while True:",
    "if n:",
    "else:",
    "elif",
    "def f(",
    "class",
    "return",
    "assert",
    "with",
    "lambda x: x",
    "None",
    "True",
    "not ",
    " and ",
    " or ",
    " + ",
    " // 0",
    " % 0",
    " ** ",
    "T.grid(",
    "T.let[",
    "T.Buffer((4,), \"int8\")",
    "T.if_then_else(",
    "T.Select(",
    "T.Ramp(0, 1, 4)",
    "\u{0}",
    "é",
];

/// A spoilt version of one of the texts, or a text of random pieces.
///
/// ```
/// use satir::fuzz::text::{spoil, survives};
///
/// let texts = ["@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n + 1)\n".to_owned()];
/// assert_eq!(spoil(&texts, 5), spoil(&texts, 5), "the seed decides");
/// assert!((0..20).all(|seed| survives(&spoil(&texts, seed)).is_ok()));
/// ```
pub fn spoil(texts: &[String], seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut text = match texts.len() {
        0 => String::new(),
        n => texts[dice.below(n)].clone(),
    };
    let edits = dice.int(1, 6);
    for _ in 0..edits {
        edit(&mut text, texts, &mut dice);
    }
    truncate(&mut text, MAX_BYTES);
    text
}

fn edit(text: &mut String, texts: &[String], dice: &mut Dice) {
    let start = position(text, dice);
    match dice.below(8) {
        0 => {
            let end = boundary(text, start + dice.below(40));
            text.replace_range(start..end, "");
        }
        1 | 2 => text.insert_str(start, dice.pick(&PIECES)),
        3 => {
            let end = boundary(text, start + dice.below(8));
            text.replace_range(start..end, dice.pick(&PIECES));
        }
        4 => {
            // The same again, sometimes often: nesting, long lists.
            let end = boundary(text, start + dice.below(60));
            let times = if dice.chance(10) { dice.int(10, 2000) } else { dice.int(1, 4) };
            let piece = text[start..end].repeat(times as usize);
            text.insert_str(end, &piece);
            truncate(text, 2 * MAX_BYTES);
        }
        5 if !texts.is_empty() => {
            let other = &texts[dice.below(texts.len())];
            let from = position(other, dice);
            let to = boundary(other, from + dice.below(200));
            text.insert_str(start, &other[from..to]);
        }
        6 => truncate(text, start),
        _ => {
            let byte = char::from(dice.int(0, 127) as u8);
            text.insert(start, byte);
        }
    }
}

/// A place between two characters.
fn position(text: &str, dice: &mut Dice) -> usize {
    boundary(text, dice.below(text.len() + 1))
}

fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn truncate(text: &mut String, bytes: usize) {
    text.truncate(boundary(text, bytes));
}

/// Parses a text, and verifies, prints and reads again what it holds. Returns whether it is a program.
///
/// # Errors
///
/// A panic, or a program that is printed as something else than itself.
///
/// ```
/// use satir::fuzz::text::survives;
///
/// assert_eq!(survives("@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n)\n"), Ok(true));
/// assert_eq!(survives("@T.prim_func\ndef f("), Ok(false), "an error, as it should be");
/// ```
pub fn survives(text: &str) -> Result<bool, String> {
    let attempt = || -> Result<bool, String> {
        let module = match parse("spoilt.py", text) {
            Ok(module) => module,
            Err(first) => {
                return match parse_all("spoilt.py", text) {
                    Err(all) if all.contains(&first) => Ok(false),
                    _ => Err(format!("not among all mistakes: {first}")),
                };
            }
        };
        let valid = verify(&module).is_ok();
        let printed = module.to_string();
        if let Ok(again) = parse("printed", &printed) {
            let printed = again.to_string();
            if parse("printed", &printed).is_err() {
                return Err("what is printed of what was printed does not parse".to_owned());
            }
        }
        Ok(valid)
    };
    panic::catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|payload| Err(panic_text(&*payload)))
}

/// The message of a panic.
pub(super) fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

/// A smaller text of which `fails` holds too, by leaving out lines and characters.
///
/// ```
/// let small = satir::fuzz::text::shrink_text("some (text) with (parentheses)", |text| text.contains('('));
/// assert_eq!(small, "(");
/// ```
pub fn shrink_text(text: &str, fails: impl Fn(&str) -> bool) -> String {
    let mut best: Vec<char> = text.chars().collect();
    let mut length = best.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < best.len() {
            let end = (at + length).min(best.len());
            let mut candidate = best.clone();
            candidate.drain(at..end);
            if fails(&candidate.iter().collect::<String>()) {
                best = candidate;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    best.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spoilt_texts_follow_from_the_seed_and_are_bounded() {
        let texts = vec!["@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n + 1)\n".to_owned()];
        for seed in 0..500 {
            let text = spoil(&texts, seed);
            assert_eq!(text, spoil(&texts, seed));
            assert!(text.len() <= MAX_BYTES);
            survives(&text).unwrap();
        }
    }

    #[test]
    fn texts_shrink_to_what_matters() {
        assert_eq!(
            shrink_text("some (text) with (parentheses)", |t| t.contains("((") || t.contains('(')),
            "("
        );
    }
}
