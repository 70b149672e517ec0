//! Programs with mistakes: every error has a place and a reason, and nothing panics.

use std::fs;

use super::{clip, kernels, satir_on, with_body};

#[test]
fn a_program_that_ends_anywhere_fails_cleanly_or_a_shorter_program() {
    let text = fs::read_to_string(kernels().join("softmax_dynamic_checks.py")).unwrap();
    let cuts: Vec<usize> = (0..text.len()).filter(|&at| text.is_char_boundary(at)).step_by(37).collect();
    for at in cuts {
        let ran = satir_on(&["opt", "--passes", ""], &text[..at]);
        if ran.code != 0 {
            ran.fails_cleanly().says(&["<stdin>:"]);
        }
    }
}

/// A program with a mistake: where it is found, and words of the message.
#[track_caller]
fn mistake(text: &str, place: &str, words: &[&str]) {
    let ran = satir_on(&["cse"], text).fails_cleanly();
    let first = ran.err.lines().next().unwrap_or("").to_owned();
    assert!(first.starts_with(&format!("<stdin>:{place}: error: ")), "expected {place}: {}", clip(&ran.err));
    ran.says(words);
}

#[test]
fn mistakes_have_a_place_and_a_reason() {
    mistake(&with_body("A[0] = y"), "3:12", &["`y`"]);
    mistake(&with_body("A[0] = x +"), "3:15", &["expected an expression"]);
    mistake(&with_body("A[0, 1] = x"), "3:5", &["dimension"]);
    mistake(&with_body("A[0] = x\n  A[1] = x"), "4:7", &["indent"]);
    mistake(&with_body("for i in range(4):\nA[1] = x"), "4:5", &["indent"]);
    mistake(&with_body("import os"), "3:5", &["import"]);
    mistake(
        &with_body("with T.no_such_frame():\n    A[1] = x"),
        "3:10",
        &["expected a construct with a body"],
    );
    mistake(&with_body("A[0] = \"text"), "3:12", &["string"]);
}

#[test]
fn all_mistakes_of_a_program_are_told() {
    let text = with_body("A[0] = y\nA[1] = x +\nA[2] = x\nA[3, 1] = x");
    for args in [&["cse"][..], &["opt", "--passes", ""], &["count"]] {
        let ran = satir_on(args, &text).fails_cleanly();
        let places: Vec<&str> =
            ran.err.lines().filter_map(|line| line.split(": error: ").nth(1).map(|_| line)).collect();
        assert_eq!(places.len(), 3, "{}", ran.err);
        ran.says(&["<stdin>:3:12: error: undefined name `y`", "<stdin>:4:15: ", "<stdin>:6:5: "]);
    }
    let many = with_body(&"A[0] = x +\n".repeat(99));
    satir_on(&["cse"], many).fails_cleanly().says(&["no more than 20 mistakes are shown"]);
}

#[test]
fn type_errors_are_errors() {
    for body in ["A[f] = x", "A[0] = T.Select(x, x, x)", "A[0] = x + f // x"] {
        satir_on(&["cse"], with_body(body)).fails_cleanly().says(&["<stdin>:3:"]);
    }
}

#[test]
fn a_megabyte_of_garbage_fails_cleanly() {
    // Bytes of a fixed linear congruential sequence.
    let mut state = 12345u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let any: Vec<u8> = (0..1_000_000).map(|_| byte()).collect();
    let printable: Vec<u8> = (0..1_000_000).map(|_| b' ' + byte() % 95).collect();
    let of_words: String = {
        let words = [
            "@T.prim_func\n",
            "def f(",
            "    ",
            "\n",
            "A[0]",
            "for i in ",
            "(",
            ")",
            ":",
            "=",
            "T.",
            "+ 1",
            "\"",
        ];
        std::iter::repeat_with(|| words[usize::from(byte()) % words.len()]).take(200_000).collect()
    };
    for garbage in [any, printable, of_words.into_bytes(), vec![b'('; 1_000_000], vec![0; 1_000_000]] {
        let ran = satir_on(&["cse"], garbage).fails_cleanly();
        assert!(ran.err.len() < 2000, "the message is {} bytes long", ran.err.len());
    }
}

#[test]
fn deep_nesting_fails_cleanly_not_an_overflow() {
    const DEEP: usize = 20_000;
    let parentheses = with_body(&format!("A[0] = {}x{}", "(".repeat(DEEP), ")".repeat(DEEP)));
    let minus = with_body(&format!("A[0] = {}x", "-".repeat(DEEP)));
    let nots = with_body(&format!("assert {}x == 1, \"m\"", "not ".repeat(DEEP)));
    let calls = with_body(&format!("A[0] = {}x{}", "T.max(1, ".repeat(DEEP), ")".repeat(DEEP)));
    let loads = with_body(&format!("A[0] = {}0{}", "A[".repeat(DEEP), "]".repeat(DEEP)));
    let sum = with_body(&format!("A[0] = x{}", " + x".repeat(DEEP)));
    let mut loops = with_body("");
    for depth in 0..DEEP.min(3000) {
        loops += &format!("{}for i{depth} in range(2):\n", " ".repeat(depth + 4));
    }
    loops += &format!("{}A[0] = 1\n", " ".repeat(DEEP.min(3000) + 4));
    for text in [parentheses, minus, nots, calls, loads, sum, loops] {
        let ran = satir_on(&["cse"], text).fails_cleanly();
        assert!(ran.err.len() < 2000, "the message is {} bytes long", ran.err.len());
    }
}

#[test]
fn all_violations_are_reported_with_their_places() {
    let text = with_body("break\nA[0] = x\nfor i in range(x):\n    A[i] = i\ncontinue");
    for args in [&["cse"][..], &["opt", "--passes", ""], &["simplify"], &["run", "--bind", "x=1,f=0"]] {
        satir_on(args, &text).fails_cleanly().says(&["<stdin>:3:5: error: ", "<stdin>:7:5: error: "]);
    }
}
