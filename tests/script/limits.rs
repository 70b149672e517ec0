//! Depth and size: an error or a program, never an overflow.

use satir::script::{parse, print_func};

use super::{function, reprint};

/// As deep as text gets in these tests.
const DEEP: usize = 20_000;

#[track_caller]
fn too_deep(text: &str) {
    let message = parse("deep.py", text).expect_err("this should be too deep").message;
    assert!(
        message.contains("nested deeper than 1000 levels") || message.contains("levels of indentation"),
        "{message}"
    );
}

#[test]
fn deep_expressions_are_errors() {
    let nested = |open: &str, middle: &str, close: &str| {
        function(&format!("T.evaluate({}{middle}{})", open.repeat(DEEP), close.repeat(DEEP)))
    };
    too_deep(&nested("(", "n", ")"));
    too_deep(&nested("T.exp(", "x", ")"));
    too_deep(&nested("-", "n", ""));
    too_deep(&nested("not ", "b", ""));
    too_deep(&nested("[", "n", "]"));
    too_deep(&nested("B[", "n", "]"));
    too_deep(&nested("{1: ", "n", "}"));
    too_deep(&nested("lambda a: ", "n", ""));
    too_deep(&nested("n ** ", "n", ""));
    too_deep(&nested("n + (", "n", ")"));
    too_deep(&nested("(n, ", "n", ")"));
    too_deep(&function(&format!("T.evaluate(n{})", " + n".repeat(DEEP))));
    too_deep(&function(&format!("T.evaluate(b{})", " and b".repeat(DEEP))));
    too_deep(&function(&format!("T.evaluate(n{})", " < n".repeat(DEEP))));
    too_deep(&function(&format!("T.evaluate(A{})", ".data".repeat(DEEP))));
    too_deep(&function(&format!("T.func_attr({}1{})", "{\"a\": ".repeat(DEEP), "}".repeat(DEEP))));
}

#[test]
fn deep_statements_are_errors() {
    let mut indented = String::new();
    for level in 0..5_000 {
        indented.push_str(&" ".repeat(level));
        indented.push_str("if b:\n");
    }
    too_deep(&function(&indented));
    too_deep(&function(&format!("if b:\n    pass\n{}", "elif b:\n    pass\n".repeat(DEEP))));
    too_deep(&function(&format!("{}T.evaluate(n)", "T.attr(0, \"k\", n)\n".repeat(DEEP))));
    too_deep(&function(&format!(
        "{}T.evaluate(n)",
        "t = T.launch_thread(\"threadIdx.x\", 4)\n".repeat(DEEP)
    )));
    let names: Vec<String> = (0..DEEP).map(|i| format!("i{i}")).collect();
    let extents = vec!["4"; DEEP].join(", ");
    too_deep(&function(&format!("for {} in T.grid({extents}):\n    pass", names.join(", "))));
}

#[test]
fn what_is_within_the_limit_works() {
    let depth = 900;
    let calls = format!("T.evaluate({}x{})", "T.exp(".repeat(depth), ")".repeat(depth));
    let chain = format!("T.evaluate(n{})", " + n".repeat(depth));
    let right = format!("T.evaluate({}n{})", "n + (".repeat(depth), ")".repeat(depth));
    let select = format!("T.evaluate({}n{})", "T.Select(b, m, ".repeat(depth), ")".repeat(depth));
    let attrs = format!("{}T.evaluate(n)", "T.attr(\"k\", \"k\", n)\n".repeat(depth));
    for body in [calls, chain, right, select, attrs] {
        let printed = reprint(&function(&body));
        assert_eq!(reprint(&printed), printed);
    }
    let mut nested = String::new();
    for level in 0..300 {
        nested.push_str(&" ".repeat(level));
        nested.push_str("if b:\n");
    }
    nested.push_str(&" ".repeat(300));
    nested.push_str("T.evaluate(n)");
    let module = parse("t", &function(&nested)).unwrap();
    assert!(print_func(&module.funcs[0]).lines().count() > 300);
}

#[test]
fn garbage_is_an_error() {
    let megabyte = 1 << 20;
    for unit in [
        "a", "(", ")", "[", "\"", "'''", "\\", "\n", " ", "\t", "0", "#", "@", ".", ":", "T.", "a\n", "é",
        "\u{0}",
    ] {
        let text = unit.repeat(megabyte / unit.len());
        assert!(parse("garbage.py", &text).is_err(), "{unit:?}");
        let inside = function(&format!("T.evaluate({text}"));
        assert!(parse("garbage.py", &inside).is_err(), "{unit:?} in a function");
    }
    for text in ["", "\n", "# nothing\n", "\u{feff}", "class", "def f(", "@T.prim_func\ndef f():\n"] {
        assert!(parse("empty.py", text).is_err(), "{text:?}");
    }
}

#[test]
fn long_programs_parse() {
    let body: String = (0..20_000).map(|i| format!("B[{}] = n + {i}\n", i % 64)).collect();
    let module = parse("long.py", &function(&body)).unwrap();
    assert_eq!(module.funcs[0].body.len(), 20_000);
    let scalars: String = (0..3_000).map(|_| "v: T.let[T.int32] = n + 1\n").collect();
    let printed = reprint(&function(&scalars));
    assert!(printed.contains("v_2999: T.let"));
}
