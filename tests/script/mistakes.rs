//! All mistakes of a text are found, and none that only follows from another.

use std::fmt::Write;

use super::function;

/// Lines and messages of all mistakes.
fn mistakes(text: &str) -> Vec<String> {
    let all = satir::script::parse_all("test.py", text).expect_err("this should not parse");
    all.iter().map(|mistake| format!("{}: {}", mistake.line, mistake.message)).collect()
}

/// Those of statements in a function, the first of which is on line 3.
#[track_caller]
fn check(statements: &str, expected: &[&str]) {
    assert_eq!(mistakes(&function(statements)), expected);
}

#[test]
fn mistakes_of_all_kinds_stand_beside_each_other() {
    check(
        "B[0] = n +\nB[1] = n\nB[2] = y\nB[3, 0] = 1\nB[4] = \"text\nB[5] = T.Select(n)\nimport os",
        &[
            "3: expected an expression, found the end of the line",
            "5: undefined name `y`",
            "6: buffer `B` has 1 dimensions, found indices for 2",
            "7: unterminated string",
            "8: `T.Select` takes 3 arguments, found 1",
            "9: an import stands inside of a function",
        ],
    );
}

#[test]
fn what_follows_from_a_mistake_is_none() {
    // Names that the dropped statements would have defined, in the same function.
    check(
        "v: T.let[T.int32] = n +\nB[0] = v\nB[v] = 1\nB[1] = w",
        &["3: expected an expression, found the end of the line", "6: undefined name `w`"],
    );
    check(
        "C = T.alloc_buffer((4,\nC[0] = T.float32(1)\nB[0] = w",
        &["4: expected `,` or `)`, found `=`", "5: undefined name `w`"],
    );
    check(
        "for i, j in T.grid(n):\n    B[i] = j\nB[0] = w",
        &["3: expected loop variables for 1 loops, found 2", "5: undefined name `w`"],
    );
    // One name that is missing is one mistake.
    check("B[0] = w\nB[1] = w + 1\nB[w] = 1", &["3: undefined name `w`"]);
    // Arms of a test that is dropped.
    check(
        "if n > 3\n    B[0] = 1\nelif n > 2:\n    B[0] = 2\nelse:\n    B[0] = 3\nB[0] = w",
        &["3: expected `:`, found the end of the line", "9: undefined name `w`"],
    );
}

#[test]
fn inner_statements_have_mistakes_of_their_own() {
    check(
        "for i in range(n):\n    if i > 3:\n        B[i] = y\n    else:\n        B[i] = z\n    B[i, i] = 1\nwhile n:\n    B[0] = 1",
        &[
            "5: undefined name `y`",
            "7: undefined name `z`",
            "8: buffer `B` has 1 dimensions, found indices for 2",
            "9: expected a `bool` condition, found a value of type `int32`",
        ],
    );
}

#[test]
fn indentation_is_found_once() {
    check(
        "B[0] = 1\n    B[1] = 2\n    B[2] = 3\nB[3] = w",
        &["4: expected a statement, found more indentation", "6: undefined name `w`"],
    );
    check(
        "if n > 3:\n    B[0] = 1\n  B[1] = 2\nB[3] = w",
        &["5: this indentation matches no outer block", "6: undefined name `w`"],
    );
    check("if n > 3:\nB[1] = 2", &["4: expected an indented block, found `B`"]);
}

#[test]
fn every_function_is_looked_at() {
    let one = |head: &str, body: &str| format!("    @T.prim_func\n    def {head}:\n        {body}\n\n");
    let mut text = "@I.ir_module\nclass Module:\n".to_owned();
    text += &one("a(B: T.Buffer((4,), \"int32\"), x)", "B[0] = 1");
    text += &one("b(B: T.Buffer((4,), \"int32\"))", "B[0] = y");
    text += &one("c(B: T.Buffer((4,), \"int32\"))", "B[0] = ");
    text += &one("d(B: T.Buffer((4,), \"int32\"))", "B[0] = y");
    text += &one("d(B: T.Buffer((4,), \"int32\"))", "B[0] = 1");
    let expected = [
        "4: expected a type for parameter `x`",
        "9: undefined name `y`",
        "13: expected an expression, found the end of the line",
        "17: undefined name `y`",
        "20: function `d` is defined twice",
    ];
    assert_eq!(mistakes(&text), expected);
    assert_eq!(mistakes(&one("a(x)", "T.evaluate(0)").replace("    ", " ")).len(), 1);
}

#[test]
fn there_are_no_more_than_twenty() {
    let mut statements = String::new();
    for i in 0..1000 {
        let _ = writeln!(statements, "B[{i}] = y{i}");
    }
    assert_eq!(mistakes(&function(&statements)).len(), 20);
    // The search ends, whatever follows from one mistake.
    let mut statements = "v: T.let[T.int32] = n +\n".to_owned();
    (0..1000).for_each(|i| {
        let _ = writeln!(statements, "B[{i}] = v");
    });
    check(&statements, &["3: expected an expression, found the end of the line"]);
}
