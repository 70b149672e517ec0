//! What a solver is told holds: each statement is evaluated for all small integers.

use std::collections::{BTreeMap, BTreeSet};

use super::super::lemmas::{of_bits, of_product, of_quotient, of_truncated};
use super::super::term::Term;

/// Reads one expression and says what it is worth; conditions are 0 and 1.
fn worth(words: &mut std::iter::Peekable<std::vec::IntoIter<String>>, names: &BTreeMap<String, i64>) -> i64 {
    let word = words.next().unwrap();
    if word != "(" {
        return names.get(&word).copied().unwrap_or_else(|| word.parse().unwrap());
    }
    let operator = words.next().unwrap();
    let mut of = Vec::new();
    while words.peek().unwrap() != ")" {
        of.push(worth(words, names));
    }
    words.next();
    match (&*operator, &of[..]) {
        ("and", _) => i64::from(of.iter().all(|&x| x != 0)),
        ("or", _) => i64::from(of.iter().any(|&x| x != 0)),
        ("=>", &[a, b]) => i64::from(a == 0 || b != 0),
        ("=", &[a, b]) => i64::from(a == b),
        ("distinct", &[a, b]) => i64::from(a != b),
        ("<", &[a, b]) => i64::from(a < b),
        ("<=", &[a, b]) => i64::from(a <= b),
        (">", &[a, b]) => i64::from(a > b),
        (">=", &[a, b]) => i64::from(a >= b),
        ("ite", &[c, a, b]) => {
            if c != 0 {
                a
            } else {
                b
            }
        }
        ("+", _) => of.iter().sum(),
        ("*", _) => of.iter().product(),
        ("-", &[a]) => -a,
        _ => panic!("{operator} of {of:?}"),
    }
}

#[track_caller]
fn hold(statements: &[String], names: &[(&str, i64)]) {
    let names: BTreeMap<String, i64> = names.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    for statement in statements {
        let spaced = statement.replace('(', " ( ").replace(')', " ) ");
        let words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
        assert_eq!(worth(&mut words.into_iter().peekable(), &names), 1, "{statement} for {names:?}");
    }
}

#[test]
fn lemmas_hold_for_small_integers() {
    let terms = [Term(0), Term(1), Term(2)];
    let constants: BTreeSet<i128> = (-3..=4).collect();
    let mut tried = 0;
    for a in -9i64..=9 {
        for b in -9i64..=9 {
            let of = |value: i64, rest: i64| [("t0", a), ("t1", b), ("t2", value), ("r", rest)];
            hold(&of_product("t0", "t1", "t2"), &of(a * b, 0));
            for (name, value) in [("bitwise_and", a & b), ("bitwise_or", a | b), ("bitwise_xor", a ^ b)] {
                let lemmas = of_bits(&format!("{name} int32 int32 []"), &terms[..2], terms[2]);
                assert!(lemmas.len() > 4);
                hold(&lemmas, &of(value, 0));
            }
            if b != 0 {
                let floor = a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0);
                hold(&of_quotient(&constants, terms, "r"), &of(floor, a - b * floor));
                hold(&of_truncated(&constants, terms, "r"), &of(a / b, a % b));
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 19 * 18);
    assert!(of_bits("shift_left int32 int32 []", &terms[..2], terms[2]).is_empty());
    // A statement that does not hold is noticed.
    let wrong =
        std::panic::catch_unwind(|| hold(&of_product("t0", "t1", "t2"), &[("t0", 2), ("t1", 3), ("t2", 5)]));
    assert!(wrong.is_err());
}
