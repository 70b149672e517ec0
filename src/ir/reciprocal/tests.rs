//! Quotients as they are written with a multiplier and a shift, and as they are not.

/// A division by what is shown to be positive without a solver.
pub(crate) const DIVIDED: &str = "for i in range(n):\n    A[i] = i * 5 // (n // 2 + 1) + k";

/// The same with a multiplier and a shift, of which some text is another.
pub(crate) fn multiplied(from: &str, to: &str) -> String {
    let text = "s: T.let[T.int32] = 62 - T.clz(T.Cast(\"uint32\", T.max(n // 2 + 1, 1)) * T.uint32(2) - T.uint32(1))\n\
                m: T.let[T.uint32] = T.Cast(\"uint32\", (T.shift_left(T.int64(1), T.Cast(\"int64\", s)) - T.int64(1)) // T.Cast(\"int64\", T.max(n // 2 + 1, 1)) + T.int64(1))\n\
                for i in range(n):\n    \
                A[i] = T.Cast(\"int32\", T.shift_right(T.Cast(\"uint64\", T.Cast(\"uint32\", i * 5)) * T.Cast(\"uint64\", m), T.Cast(\"uint64\", s))) + k";
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

/// Changes of it after which it is no quotient, or another one.
pub(crate) const OTHERS: &[(&str, &str)] = &[
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
];

/// A division of `int64`, and the same with a multiplier of two halves and a shift, of which some text is another.
pub(crate) const DIVIDED_WIDE: &str = "for i in range(n):\n    A[i] = T.Cast(\"int32\", T.Cast(\"int64\", i * 5) // T.Cast(\"int64\", n + k * k)) + k";

pub(crate) fn multiplied_wide(from: &str, to: &str) -> String {
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

/// Changes of it after which it is no quotient, or another one.
pub(crate) const OTHERS_WIDE: &[(&str, &str)] = &[
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
];

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
