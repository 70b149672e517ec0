//! Divisions that are multiplications.

use super::{Integers, Solver, function, not_proven, proof, prove, proven};

/// A division by what is shown to be positive without a solver.
const DIVIDED: &str = "for i in range(n):\n    A[i] = i * 5 // (n // 2 + 1) + k";

/// The same with a multiplier and a shift, of which some text is another.
fn multiplied(from: &str, to: &str) -> String {
    let text = "s: T.let[T.int32] = 62 - T.clz(T.Cast(\"uint32\", T.max(n // 2 + 1, 1)) * T.uint32(2) - T.uint32(1))\n\
                m: T.let[T.uint32] = T.Cast(\"uint32\", (T.shift_left(T.int64(1), T.Cast(\"int64\", s)) - T.int64(1)) // T.Cast(\"int64\", T.max(n // 2 + 1, 1)) + T.int64(1))\n\
                for i in range(n):\n    \
                A[i] = T.Cast(\"int32\", T.shift_right(T.Cast(\"uint64\", T.Cast(\"uint32\", i * 5)) * T.Cast(\"uint64\", m), T.Cast(\"uint64\", s))) + k";
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

#[test]
fn multiplications_by_reciprocals_are_quotients() {
    proven(DIVIDED, &multiplied("", ""));
    proven(&multiplied("", ""), DIVIDED);
    // What is written otherwise has the same value.
    proven(DIVIDED, &multiplied("T.max(n // 2 + 1, 1)", "T.max(1 + n // 2, 1)"));
}

#[test]
fn other_multiplications_are_not() {
    for (from, to) in [
        ("62", "61"),
        ("T.uint32(2) -", "T.uint32(1) -"),
        ("- T.uint32(1))\n", "- T.uint32(3))\n"),
        ("T.int64(1)) // ", "T.int64(2)) // "),
        (" + T.int64(1))\n", ")\n"),
        ("// T.Cast(\"int64\", T.max(n // 2 + 1, 1))", "// T.Cast(\"int64\", T.max(n // 2 + 2, 1))"),
        ("// T.Cast(\"int64\", T.max(n // 2 + 1, 1))", "// T.Cast(\"int64\", T.max(k, 1))"),
        ("\"uint32\", i * 5", "\"uint32\", i * 4"),
        // A dividend that may be negative.
        ("\"uint32\", i * 5", "\"uint32\", i * 5 - 5"),
    ] {
        not_proven(DIVIDED, &multiplied(from, to));
    }
    not_proven(
        "for i in range(n):\n    A[i] = (i * 5 - 5) // (n // 2 + 1) + k",
        &multiplied("i * 5", "i * 5 - 5"),
    );
}

#[test]
fn divisors_of_64_bits_are_not_known_to_fit() {
    let wide = "(T.Cast(\"int64\", n) * T.int64(9) + T.int64(1))";
    let divided =
        format!("for i in range(n):\n    A[i] = T.Cast(\"int32\", T.Cast(\"int64\", i % 8) // {wide}) + k");
    let multiplied = multiplied("i * 5", "i % 8")
        .replace("T.Cast(\"int64\", T.max(n // 2 + 1, 1))", wide)
        .replace("T.max(n // 2 + 1, 1)", wide);
    let proof = proof(&divided, &multiplied);
    assert!(proof.open.iter().any(|open| open.what == "the same value is stored"), "{proof:?}");
}

#[test]
fn products_of_sizes_fit_where_they_are_computed() {
    let by_product = |length: &str| {
        multiplied("", "").replace("n // 2 + 1", "n * n").replace("i * 5", "i").replace("range(n)", length)
    };
    let divided = |length: &str| format!("for i in {length}:\n    A[i] = i // n // n + k");
    let Ok(solver) = Solver::find(&std::env::var_os("PATH").unwrap_or_default()) else { return };
    let is_proven = |length: &str| {
        let (a, b) = (function(&divided(length)), function(&by_product(length)));
        prove(&a, &b, Integers::Unbounded, Some(&solver)).unwrap().remove(0).is_proven()
    };
    assert!(is_proven("range(n * n)"));
    assert!(!is_proven("range(n)"), "the first program computes no such product");
}

/// What the form rests on, for numbers of `bits` bits, all of them: 31 bits are no exception.
#[test]
fn the_quotients_are_right_for_all_numbers_of_few_bits() {
    for bits in 1..10_u32 {
        let most = 1_u64 << bits;
        for d in 1..most {
            let shift = bits + (2 * d - 1).ilog2();
            let multiplier = ((1 << shift) - 1) / d + 1;
            assert!(multiplier < 2 * most);
            for x in 0..most {
                assert_eq!((x * multiplier) >> shift, x / d, "{x} // {d} with {bits} bits");
            }
        }
    }
}

/// A division of `int64`, and the same with a multiplier of two halves and a shift, of which some text is another.
const DIVIDED_WIDE: &str = "for i in range(n):\n    A[i] = T.Cast(\"int32\", T.Cast(\"int64\", i * 5) // T.Cast(\"int64\", n + k * k)) + k";

fn multiplied_wide(from: &str, to: &str) -> String {
    let text = "d: T.let[T.int64] = T.min(T.max(T.Cast(\"int64\", n + k * k), T.int64(1)), T.int64(2199023255552))\n\
                s: T.let[T.int64] = T.int64(83) - T.Cast(\"int64\", T.clz(d * T.int64(2) - T.int64(1)))\n\
                r: T.let[T.int64] = T.shift_left(T.shift_left(T.int64(1), s - T.int64(20)) - d, T.int64(21))\n\
                q: T.let[T.int64] = T.shift_left(r - r // d * d, T.int64(20))\n\
                m: T.let[T.int64] = T.int64(2199023255552) + T.shift_left(r // d, T.int64(20)) + (q + d - T.int64(1)) // d\n\
                h: T.let[T.uint32] = T.Cast(\"uint32\", m // T.int64(2097152))\n\
                l: T.let[T.uint32] = T.Cast(\"uint32\", m % T.int64(2097152))\n\
                for i in range(n):\n    \
                x: T.let[T.int64] = T.Cast(\"int64\", i * 5)\n    \
                A[i] = T.Cast(\"int32\", T.shift_right(x * T.Cast(\"int64\", h) + T.shift_right(x * T.Cast(\"int64\", l), T.int64(21)), s)) + k";
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

#[test]
fn multiplications_in_halves_are_quotients() {
    proven(DIVIDED_WIDE, &multiplied_wide("", ""));
    proven(DIVIDED_WIDE, &multiplied_wide("n + k * k", "k * k + n"));
}

#[test]
fn other_multiplications_in_halves_are_not() {
    for (from, to) in [
        ("T.int64(83)", "T.int64(82)"),
        ("T.int64(20)) - d, T.int64(21)", "T.int64(20)) - d, T.int64(20)"),
        ("r - r // d * d, T.int64(20)", "r - r // d * d, T.int64(19)"),
        ("T.int64(2199023255552) + T", "T.int64(2199023255551) + T"),
        ("(q + d - T.int64(1)) // d", "q // d"),
        ("\"uint32\", m //", "\"uint32\", (m + T.int64(2097152)) //"),
        ("m % T.int64(2097152)", "m % T.int64(1048576)"),
        ("int64\", l), T.int64(21)", "int64\", l), T.int64(20)"),
        ("T.max(T.Cast(\"int64\", n + k * k)", "T.max(T.Cast(\"int64\", n + k)"),
        // A divisor may be greater than what divides by that, and than the least dividend for which it is another one.
        (", T.int64(2199023255552))\ns", ", T.int64(4))\ns"),
        // A dividend that may be negative, or too large.
        ("T.Cast(\"int64\", i * 5)", "T.Cast(\"int64\", i * 5 - 5)"),
        ("T.Cast(\"int64\", i * 5)", "T.Cast(\"int64\", i * 5) * T.int64(4096)"),
    ] {
        let divided = match from.contains("i * 5") {
            true => DIVIDED_WIDE.replace(from, to),
            false => DIVIDED_WIDE.to_owned(),
        };
        not_proven(&divided, &multiplied_wide(from, to));
    }
}

/// What the form in halves rests on, for numbers of `bits` bits, all of them: 41 bits are no exception.
#[test]
fn the_quotients_in_halves_are_right_for_all_numbers_of_few_bits() {
    for bits in 2..9_u32 {
        // As 41 bits are halves of 21 and 20.
        let half = bits / 2 + 1;
        let most = 1_u64 << bits;
        for d in 1..=most {
            let l = (2 * d - 1).ilog2();
            let first = ((1 << l) - d) << half;
            let rest = (first % d) << (bits - half);
            let multiplier = most + ((first / d) << (bits - half)) + rest.div_ceil(d);
            let (high, low) = (multiplier >> half, multiplier & ((1 << half) - 1));
            for x in 0..most {
                let quotient = (x * high + ((x * low) >> half)) >> (bits + l - half);
                assert_eq!(quotient, x / d, "{x} // {d} with {bits} bits");
            }
        }
    }
}
