//! Divisions that are multiplications.

use super::{not_proven, proof, proven};

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
