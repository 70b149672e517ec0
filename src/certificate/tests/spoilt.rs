//! Certificates that were changed.

use super::{checked, made, program};

const BEFORE: &str = "for i in range(n):\n    if k > 0:\n        A[i] = (i * 12 + k) // 4 + B[i]\n    B[i] = (i * 8 + 3) // 8 + T.max(i, -1) + (n * k + i) // n";
const AFTER: &str = "for i in range(n):\n    if k > 0:\n        x: T.let[T.int32] = k // 4\n        A[i] = i * 3 + x + B[i]\n    B[i] = i + i + k";

#[test]
fn a_spoilt_certificate_is_rejected() {
    let (a, b) = (program(BEFORE), program(AFTER));
    let good = made(&a, &b);
    assert!(good.is_complete(), "{:?}", good.open);
    let text = &good.text;
    checked(&a, &b, text).unwrap();
    let half = &text[..text.len() / 2];
    let goals: Vec<usize> = text.match_indices("(goal ").map(|(at, _)| at).collect();
    assert!(goals.len() >= 2, "{text}");
    let changes: Vec<(&str, String)> = vec![
        ("another version", text.replacen("satir-certificate 4", "satir-certificate 3", 1)),
        ("another program", text.replacen("(input \"fnv1a64:", "(input \"fnv1a64:0", 1)),
        ("another result", text.replacen("(output \"fnv1a64:", "(output \"fnv1a64:0", 1)),
        (
            "another function",
            text.replacen("\"main\"", "\"other\"", 1).replace("function main", "function other"),
        ),
        ("cut off", half.to_owned()),
        ("empty", String::new()),
        ("twice", format!("{text}{text}")),
        ("another law", text.replacen("quotient-split", "quotient-in-range", 1)),
        ("another law", text.replacen("extremum-bounded-max", "extremum-bounded", 1)),
        ("no such law", text.replacen("quotient-in-range", "quotient-in-place", 1)),
        ("another letter", text.replacen("(?r ", "(?q ", 1)),
        ("another coefficient", text.replacen("(sum 1 (1 ", "(sum 1 (2 ", 1)),
        ("a negative coefficient", text.replacen("(sum 1 (1 ", "(sum 1 (-1 ", 1)),
        ("another multiple", text.replacen("(sum 1 (1 ", "(sum 3 (1 ", 1)),
        ("another fact", text.replacen("(fact 0)", "(high #0)", 1)),
        ("no such fact", text.replacen("(fact 0)", "(fact 99)", 1)),
        ("no steps", text.replacen("(rewrite ", "(rewritten ", 1)),
        ("another obligation", text.replacen("(goal ", "(goal 1", 1)),
        ("no such term", text.replacen("(?m #", "(?m #9999", 1)),
        ("a law's constant as a letter", text.replacen("(?c ", "(0 0) (?c ", 1)),
    ];
    for (what, changed) in changes {
        assert_ne!(&changed, text, "{what}");
        let why = checked(&a, &b, &changed).expect_err(what);
        assert!(!why.is_empty() && !why.contains('\n'), "{what}: {why}");
    }
    // Each obligation needs its steps.
    for (n, &at) in goals.iter().enumerate() {
        let end = goals.get(n + 1).copied().unwrap_or_else(|| text.len() - 4);
        let changed = format!("{}{}", &text[..at], &text[end..]);
        assert!(checked(&a, &b, &changed).is_err(), "{changed}");
    }
}

#[test]
fn a_certificate_of_another_result_is_rejected() {
    let (a, b) = (program(BEFORE), program(AFTER));
    let good = made(&a, &b).text;
    for (from, to) in [
        ("i * 3 + x + B[i]", "i * 3 + x - B[i]"),
        ("i * 3 + x + B[i]", "i * 4 + x + B[i]"),
        ("i * 3 + x + B[i]", "i * 3 + x + A[i]"),
        ("k // 4", "k // 5"),
        ("B[i] = i + i", "B[i] = i + i + 1"),
        ("B[i] = i + i", "B[n - 1 - i] = i + i"),
        ("B[i] = i + i", "A[i] = i + i"),
        ("if k > 0", "if k >= 0"),
        ("if k > 0", "if n > 0"),
        ("range(n)", "range(1, n)"),
    ] {
        let changed = b.replacen(from, to, 1);
        assert_ne!(changed, b);
        // As if it were the certificate of that result.
        let forged = good.replace(&super::hash(&b), &super::hash(&changed));
        assert!(checked(&a, &changed, &forged).is_err(), "{from} -> {to}");
        let own = made(&a, &changed);
        assert!(!own.is_complete(), "{from} -> {to}");
        assert!(checked(&a, &changed, &own.text).is_err(), "{from} -> {to}");
    }
}

#[test]
fn garbage_is_rejected_without_a_panic() {
    let (a, b) = (program(BEFORE), program(AFTER));
    let wrong = program(&AFTER.replace("i + i + k", "i + k"));
    let text = made(&a, &wrong).text;
    let good = made(&a, &b).text;
    let mut state: u64 = 7;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let pieces =
        ["(", ")", "#0", "#1", "1", "-1", "99999999999999999999", "known", "fact", "\"", "cases", "?c", " "];
    for round in 0..600 {
        // Of a wrong result no certificate is accepted, however it is changed.
        let (of, source) = if round % 2 == 0 { (&wrong, &text) } else { (&b, &good) };
        let mut bytes = source.clone().into_bytes();
        for _ in 0..=next(3) {
            let (at, length) = (next(bytes.len()), next(6));
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, pieces[next(pieces.len())].bytes());
        }
        let changed = String::from_utf8_lossy(&bytes);
        let found = checked(&a, of, &changed);
        assert!(round % 2 == 1 || found.is_err(), "{changed}");
    }
    for deep in ["(".repeat(100_000), format!("(satir-certificate {}", "(add ".repeat(100_000))] {
        assert!(checked(&a, &b, &deep).is_err());
    }
}

#[test]
fn what_is_learned_of_a_fact_is_checked() {
    // The element of B may not be there where the condition does not hold.
    let select =
        |cond: &str| program(&format!("for i in range(n):\n    A[i] = T.if_then_else({cond}, B[k], 0)"));
    let (a, b) = (select("k + i // 2 < 7"), select("(k * 2 + i) // 2 < 7"));
    let text = made(&a, &b).text;
    checked(&a, &b, &text).unwrap();
    assert!(text.contains("(learn "), "{text}");
    for (what, changed) in [
        ("no such fact", text.replacen("(learn 1 ", "(learn 99 ", 1)),
        ("another fact", text.replacen("(learn 1 ", "(learn 0 ", 1)),
        ("learned within", text.replacen("(learn 1 ", "(learn 1 (learn 1) ", 1)),
        ("nothing learned", text.replacen("(fact 2)", "(fact 1)", 1)),
        (
            "another law",
            text.replacen("(learn 1 (rewrite quotient-split", "(learn 1 (rewrite quotient-halves", 1),
        ),
    ] {
        assert_ne!(changed, text, "{what}");
        assert!(checked(&a, &b, &changed).is_err(), "{what}: {changed}");
    }
    let wrong = select("(k * 2 + i) // 2 < 8");
    assert!(!made(&a, &wrong).is_complete());
    let forged = text.replace(&super::hash(&b), &super::hash(&wrong));
    assert!(checked(&a, &wrong, &forged).is_err());
}
