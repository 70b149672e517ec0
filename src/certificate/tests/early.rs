//! Stores that the result makes earlier, and what must be rejected of them.

use super::{certified, checked, hash, made, program, refused};

/// What the certificate for two functions of such statements is worth for two others.
fn of_others([a, b]: [&str; 2], [other, others]: [&str; 2]) -> String {
    let [a, b, other, others] = [a, b, other, others].map(program);
    let text = made(&a, &b).text.replace(&hash(&a), &hash(&other)).replace(&hash(&b), &hash(&others));
    checked(&other, &others, &text).unwrap_err()
}

/// Two initializations with what is added behind each of them, and before.
fn sums(first: &str, second: &str) -> [String; 2] {
    let [p, q] = [("F[0]", first), ("F[1]", second)].map(|(element, value)| {
        (format!("{element} = T.float32(1)"), format!("{element} = {element} + {value}"))
    });
    let of = |lines: [&String; 4]| lines.map(String::as_str).join("\n");
    [of([&p.0, &p.1, &q.0, &q.1]), of([&p.0, &q.0, &p.1, &q.1])]
}

#[test]
fn a_store_passes_what_is_of_other_elements() {
    for [a, b] in [sums("F[2]", "F[0]"), sums("F[0]", "F[3]"), sums("T.float32(2)", "F[2]")] {
        certified(&a, &b);
    }
    let [a, b] = sums("F[1]", "F[0]");
    refused(&a, &b);
    // What another index is decides.
    let [a, b] = sums("F[k]", "F[2]");
    refused(&a, &b);
    let under = |text: &str| format!("if 1 < k and k < 64:\n    {}", text.replace('\n', "\n    "));
    certified(&under(&a), &under(&b));
    // Stores to one element keep their order.
    let [a, b] =
        ["F[2] = F[3]\nF[1] = F[0]\nF[1] = T.float32(1)", "F[2] = F[3]\nF[1] = T.float32(1)\nF[1] = F[0]"];
    refused(a, b);
}

#[test]
fn a_store_passes_loops_of_other_elements() {
    let of = |index: &str, order: [usize; 3]| {
        let add = format!("for i in range(8):\n    F[{index}] = F[{index}] + F[60]");
        let parts = [add, "F[10] = T.float32(1)".to_owned(), "F[11] = F[10] + F[0]".to_owned()];
        order.map(|part| parts[part].clone()).join("\n")
    };
    certified(&of("i", [0, 1, 2]), &of("i", [1, 0, 2]));
    certified(&of("i + 11", [0, 1, 2]), &of("i + 11", [1, 0, 2]));
    refused(&of("i + 3", [0, 1, 2]), &of("i + 3", [1, 0, 2]));
    refused(&of("i + k", [0, 1, 2]), &of("i + k", [1, 0, 2]));
}

#[test]
fn a_store_passes_no_binding_call_or_other_memory_that_sees_it() {
    let with = |between: &str, order: &str| {
        let line = |part| match part {
            'b' => between.to_owned(),
            'x' => "F[0] = F[0] + F[5]".to_owned(),
            _ => "F[1] = T.float32(2)".to_owned(),
        };
        order.chars().map(line).collect::<Vec<_>>().join("\n")
    };
    let binding = "x: T.let[T.float32] = F[1]\nF[3] = x";
    refused(&with(binding, "xbs"), &with(binding, "sxb"));
    let binding = binding.replace("F[1]", "F[2]");
    certified(&with(&binding, "xbs"), &with(&binding, "sxb"));
    for call in
        ["T.evaluate(T.call_extern(\"int32\", \"f\"))", "T.evaluate(T.call_extern(\"int32\", \"f\", F.data))"]
    {
        refused(&with(call, "xbs"), &with(call, "sxb"));
    }
    // Buffers that may be one.
    let [a, b] = ["A[1] = B[0]\nB[1] = 2\nB[2] = A[1]", "B[1] = 2\nA[1] = B[0]\nB[2] = A[1]"].map(program);
    assert!(made(&a, &b).is_complete());
    let [a, b] = [a, b].map(|text| text.replace("    T.func_attr({\"tirx.noalias\": True})\n", ""));
    assert!(!made(&a, &b).is_complete());
}

/// A loop of two statements, and two loops of one each.
fn in_two(init: &str, add: &str) -> [String; 2] {
    let of = |lines: &str| format!("for i in range(8):\n{lines}");
    [
        of(&format!("    {init}\n    {add}")),
        format!("{}\n{}", of(&format!("    {init}")), of(&format!("    {add}"))),
    ]
}

#[test]
fn a_loop_is_two_where_no_later_iteration_is_seen() {
    let init = "F[i] = T.float32(0)";
    for add in ["F[i] = F[i] + F[i + 8]", "F[i + 20] = F[i + 20] + F[i]"] {
        let [a, b] = in_two(init, add);
        certified(&a, &b);
    }
    // What an earlier iteration has stored is there in both.
    let [a, b] = in_two("F[i + 1] = T.float32(0)", "F[i + 1] = F[i + 1] + F[i]");
    certified(&a, &b);
    for add in ["F[i] = F[i] + F[i + 1]", "F[i + 1] = F[i] + F[i + 8]", "F[9] = F[9] + F[7 - i]"] {
        let [a, b] = in_two(init, add);
        refused(&a, &b);
    }
    // Loops of other lengths, in the other order, and under other conditions.
    let [a, b] = in_two(init, "F[i + 20] = F[i + 20] + F[i]");
    refused(&a, &b.replacen("range(8)", "range(7)", 1));
    let (now, then) = b.split_at(b.rfind("for").unwrap());
    refused(&a, &format!("{then}\n{now}"));
    refused(&a, &format!("{now}if k > 2:\n    {}", then.replace('\n', "\n    ")));
}

#[test]
fn a_certificate_of_stores_made_earlier_is_one_of_these_programs() {
    let swapped = sums("F[2]", "F[0]");
    let swapped = [&*swapped[0], &*swapped[1]];
    assert!(made(&program(swapped[0]), &program(swapped[1])).text.contains("(front "));
    let wrong = sums("F[1]", "F[0]");
    let error = of_others(swapped, [&wrong[0], &wrong[1]]);
    assert!(error.contains("what is passed by a store is another element"), "{error}");
    let reads = swapped.map(|text| text.replace("F[1] = T.float32(1)", "F[1] = F[0]"));
    let error = of_others(swapped, [&reads[0], &reads[1]]);
    assert!(error.contains("reads memory"), "{error}");

    let [a, b] = in_two("F[i] = T.float32(0)", "F[i + 8] = F[i + 8] + F[i]");
    let split = [&*a, &*b];
    assert!(made(&program(&a), &program(&b)).text.contains("(fission "));
    let [c, d] = in_two("F[i] = T.float32(0)", "F[i + 8] = F[i + 1] + F[i]");
    let error = of_others(split, [&c, &d]);
    assert!(error.contains("what is passed by a store is another element"), "{error}");
    let [c, d] = in_two("F[i] = F[8]", "F[i + 8] = F[i + 8] + F[i]");
    let error = of_others(split, [&c, &d]);
    assert!(error.contains("reads memory"), "{error}");
    let [c, d] = split.map(|text| text.replace("range(8)", "T.parallel(8)"));
    assert!(of_others(split, [&c, &d]).contains("more than load and store"));
}

#[test]
fn a_condition_may_stand_within_a_loop_or_around_it() {
    let within = |cond: &str| format!("for i in range(8):\n    if {cond}:\n        F[i] = T.float32(1)");
    let around = |cond: &str| format!("if {cond}:\n    for i in range(8):\n        F[i] = T.float32(1)");
    certified(&within("k > 3"), &around("k > 3"));
    certified(&around("k > 3"), &within("k > 3"));
    refused(&within("k > 3"), &around("k > 4"));
    refused(&around("k > 4"), &within("k > 3"));
    // What the condition guards may trap.
    let guarded = "if k != 0:\n    for i in range(8):\n        A[0] = n // k";
    certified(guarded, "for i in range(8):\n    if k != 0:\n        A[0] = n // k");
    refused(guarded, "for i in range(n // k):\n    if k != 0:\n        A[0] = n // k");
}
