//! Certificates that go step by step through programs between the input and the output.

use super::{Checked, checked, hash, make, parsed, program};

/// A loop that was cut in one way, cut in another way, and the loop itself.
const FIRST: &str =
    "for i in range(30):\n    for j in range(4):\n        F[(i * 4 + j) % 64] = T.float32(1.0)";
const WHOLE: &str = "for x in range(120):\n    F[x % 64] = T.float32(1.0)";
const SECOND: &str =
    "for i in range(8):\n    for j in range(15):\n        F[(i * 15 + j) % 64] = T.float32(1.0)";

/// The certificate for two functions of such statements, by these in between.
fn staged(a: &str, between: &[&str], b: &str) -> super::Certificate {
    let stages: Vec<String> = between.iter().map(|body| program(body)).collect();
    let (a, b) = (program(a), program(b));
    make(&parsed(&a), &parsed(&b), &[hash(&a), hash(&b)], &stages).unwrap()
}

fn accepted(a: &str, b: &str, text: &str) -> Result<Checked, String> {
    checked(&program(a), &program(b), text)
}

#[test]
fn two_ways_to_cut_a_loop_meet_in_the_loop() {
    assert!(!staged(FIRST, &[], SECOND).is_complete(), "nothing is to be done step by step any more");
    let made = staged(FIRST, &[WHOLE], SECOND);
    assert!(made.is_complete(), "{:?}", made.open);
    let shown = accepted(FIRST, SECOND, &made.text).unwrap();
    assert_eq!((shown.functions, shown.obligations), (1, made.obligations));
    // What is shown at once needs no program in between.
    assert!(!staged(FIRST, &[SECOND], WHOLE).text.contains("(program"));
}

#[test]
fn a_stage_that_is_not_shown_is_left_out() {
    let other = WHOLE.replace("1.0", "2.0");
    let made = staged(FIRST, &[&other, WHOLE, &other], SECOND);
    assert!(made.is_complete() && !made.text.contains("2.0"), "{}", made.text);
    accepted(FIRST, SECOND, &made.text).unwrap();
    assert!(!staged(FIRST, &[&other], SECOND).is_complete());
    assert!(!staged(FIRST, &[WHOLE], &SECOND.replace("1.0", "2.0")).is_complete());
}

#[test]
fn a_stage_that_is_no_program_is_left_out() {
    let (a, b) = (program(FIRST), program(SECOND));
    for stage in ["def main(", "@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x)\n    break\n"] {
        let stages = [stage.to_owned(), program(WHOLE), stage.to_owned()];
        let made = make(&parsed(&a), &parsed(&b), &[hash(&a), hash(&b)], &stages).unwrap();
        assert!(made.is_complete(), "{stage}: {:?}", made.open);
        checked(&a, &b, &made.text).unwrap();
    }
}

#[test]
fn spoilt_stages_are_rejected() {
    let text = staged(FIRST, &[WHOLE], SECOND).text;
    accepted(FIRST, SECOND, &text).unwrap();
    let (legs, program) =
        (text.match_indices("(leg").map(|(at, _)| at).collect::<Vec<_>>(), text.find("(program").unwrap());
    let (head, first, between, last) = (
        &text[..legs[0]],
        &text[legs[0]..program],
        &text[program..legs[1]],
        &text[legs[1]..text.trim_end().len() - 1],
    );
    accepted(FIRST, SECOND, &format!("{head}{first}{between}{last})")).unwrap();
    let other = between.replace("120", "119");
    assert_ne!(other, between);
    for (what, changed) in [
        ("another program in between", format!("{head}{first}{other}{last})")),
        ("no program in between", format!("{head}{first}{last})")),
        ("only the first leg", format!("{head}{first})")),
        ("only the last leg", format!("{head}{last})")),
        ("no leg to the output", format!("{head}{first}{between})")),
        ("no leg", format!("{head})")),
        ("legs in the other order", format!("{head}{last}{between}{first})")),
        ("the program twice", format!("{head}{first}{between}{between}{last})")),
        ("a leg that says nothing", format!("{head}{first}{between}(leg))")),
        ("a program of nothing", format!("{head}{first}(program){last})")),
        ("a program that is none", format!("{head}{first}(program \"def main(\"){last})")),
        ("a list in a program", format!("{head}{first}(program (\"def main\")){last})")),
    ] {
        let why = accepted(FIRST, SECOND, &changed).expect_err(what);
        assert!(!why.is_empty() && !why.contains('\n'), "{what}: {why}");
    }
}

#[test]
fn the_program_in_between_may_trap_no_more_than_the_input() {
    let (a, b) = ("for i in range(n):\n    A[i] = k", "for i in range(n):\n    A[i] = k + 0 * i");
    let trapping = "for i in range(n):\n    A[i] = k + 1 // k - 1 // k";
    assert!(!staged(a, &[], trapping).is_complete());
    let whole = staged(a, &[], b).text;
    let leg = &whole[whole.find("(leg").unwrap()..whole.trim_end().len() - 1];
    let lines: Vec<String> =
        program(trapping).lines().map(|line| format!("\"{}\"", line.replace('"', "\\\""))).collect();
    let forged = whole.replace(leg, &format!("{leg}(program {}){leg}", lines.join(" ")));
    assert!(accepted(a, b, &whole).is_ok());
    accepted(a, b, &forged).unwrap_err();
}
