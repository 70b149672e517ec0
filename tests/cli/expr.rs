//! `satir expr`.

use std::fs;

use super::{clip, path, satir, satir_on};

#[test]
fn expressions_are_answered_line_by_line() {
    let input = r#"{"id": 1, "vars": {"x": {"dtype": "int32", "min": 0, "max": 7}}, "expr": "(x + 8) // 4", "precond": ["x < 4"]}

{"id": "two", "vars": {"x": {"dtype": "int32", "min": null, "max": null}}, "expr": "(x * 4 + 3) // 4", "precond": []}
not JSON
{"id": 3, "vars": {"x": {"dtype": "int32"}}, "expr": "x +"}
{"id": 4, "vars": {"x": {"dtype": "int32"}, "y": {"dtype": "int32"}}, "expr": "x < y + 1", "precond": ["x < y"]}
{"id": 5, "vars": {"x": {"dtype": "int32", "min": 5, "max": 4}}, "expr": "x"}
{"id": 6, "vars": {"x": {"dtype": "float32"}}, "expr": "x < x", "precond": ["x"]}
{"id": 7}
{"id": 8, "vars": {"x": {"dtype": "int32", "min": 9, "max": 9}}, "expr": "x > 9"}"#;
    let ran = satir_on(&["expr"], input).code(0);
    let lines: Vec<serde_json::Value> = ran.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let ids: Vec<String> = lines.iter().map(|l| l["id"].to_string()).collect();
    assert_eq!(ids, ["1", "\"two\"", "null", "3", "4", "5", "6", "7", "8"]);
    let results: Vec<Option<&str>> = lines.iter().map(|l| l["result"].as_str()).collect();
    let expected = [Some("2"), Some("x"), None, None, Some("true"), None, None, None, Some("false")];
    assert_eq!(results, expected);
    for line in &lines {
        assert_eq!(line["result"].is_string(), line["time_us"].is_u64(), "{line}");
        assert_ne!(line["result"].is_string(), line["error"].is_string(), "{line}");
    }
    let deep = format!("{{\"id\": 1, \"vars\": {{}}, \"expr\": \"{}1\"}}", "(".repeat(100_000));
    let ran = satir_on(&["expr"], deep).code(0);
    assert!(ran.out.contains("\"error\""), "{}", clip(&ran.out));
}

#[test]
fn keys_that_mean_nothing_are_errors() {
    let request = r#"{"id": 7, "vars": {"x": {"dtype": "int32", "min": 0}}, "expr": "x + 0", "precond": []}"#;
    assert!(satir_on(&["expr"], request).code(0).out.contains(r#""result":"x""#));
    for (right, wrong, words) in [
        ("precond", "preconds", "unknown field `preconds`"),
        ("min", "minimum", "unknown field `minimum`"),
        ("\"vars\": {", "\"vars\": {\"x\": {\"dtype\": \"int64\"}, ", "`x` is given twice"),
        ("\"expr\"", "\"expr\": \"x\", \"expr\"", "duplicate field `expr`"),
    ] {
        let answer = satir_on(&["expr"], request.replacen(right, wrong, 1)).code(0).out;
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["id"], 7, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(words), "{answer}");
    }
}

#[test]
fn expressions_are_arguments_too() {
    let out = |args: &[&str]| satir(&[&["expr"], args].concat()).code(0).out;
    assert_eq!(out(&["(x * 4 + 3) // 4", "x + y - x", "x < x + 1"]), "x\ny\ntrue\n");
    let load = ["A[i, 0] + i - A[i, 0]", "n >= 0", "--buffer", "A:int32:n,4", "--var", "i:int32"];
    assert_eq!(out(&load), "i\ntrue\n");
    // Types, ranges and conditions.
    assert_eq!(out(&["(x + 8) // 4"]), "(x + 8) // 4\n");
    assert_eq!(out(&["(x + 8) // 4", "--var", "x:int32:0..3"]), "2\n");
    assert_eq!(out(&["(x + 8) // 4", "--var", "x:0..7", "--precond", "x < 4"]), "2\n");
    assert_eq!(out(&["x >= 0", "--var", "x:uint8"]), "true\n");
    assert_eq!(out(&["x >= 0", "--var", "x:0.."]), "true\n");
    assert_eq!(out(&["x >= 0", "--var", "x:int64:..-1"]), "false\n");
    assert_eq!(out(&["x * 2.0", "--var", "x:float32"]), "x * T.float32(2.0)\n");
    assert_eq!(out(&["--", "-x + x"]), "0\n");
}

#[test]
fn derivations_need_no_json() {
    let dir = tempfile::tempdir().unwrap();
    let rules = dir.path().join("mine.rules");
    let rule =
        "(rule xor-twice \"bits flip back\" (types anyint) (=> (bitwise_xor ?x (bitwise_xor ?x ?y)) ?y))";
    fs::write(&rules, rule).unwrap();
    let explained = |args: &[&str]| satir(&[&["expr", "--explain"], args].concat()).code(0).out;
    let flipped = "T.bitwise_xor(x, T.bitwise_xor(x, y)) + 7";
    let out = explained(&[flipped, "--rules", path(&rules)]);
    let part = "    smallest part that differs: `x ^ (x ^ y)` became `y`\n    x ^ (x ^ y)\n  = y ";
    assert!(out.starts_with(&format!("y + 7\n{part}")), "{out}");
    assert!(out.ends_with("    facts used: none\n    removed: 2 bitwise\n"), "{out}");
    assert!(out.contains("[rule xor-twice: bits flip back]"), "{out}");
    assert!(explained(&[flipped]).ends_with("  (nothing cheaper was found)\n"));
    let out = explained(&["(x + 8) // 4", "--var", "x:0..7", "--precond", "x < 4"]);
    assert!(out.starts_with("2\n") && out.contains("given x < 4, 0 <= x <= 7"), "{out}");
    let out = explained(&["x // x"]);
    assert!(out.starts_with("1\n") && out.contains("given x != 0"), "{out}");
    assert_eq!(explained(&["x"]), "x\n  (nothing cheaper was found)\n");
}

#[test]
fn rules_are_switched_for_expressions() {
    let twice = "T.bitwise_and(x * 7, x * 7) // 3";
    assert_eq!(satir(&["expr", twice]).code(0).out, "x * 2 + x // 3\n");
    let without = satir(&["expr", twice, "--off", "identity,shift"]).code(0).out;
    assert_eq!(without, "(x * 7 & x * 7) // 3\n");
    let request = format!(r#"{{"vars": {{"x": {{"dtype": "int32"}}}}, "expr": "{twice}"}}"#);
    let answer = satir_on(&["expr", "--off", "identity,shift"], request).code(0).out;
    assert!(answer.contains(" & "), "{answer}");
    satir(&["expr", "x", "--off", "no-such-set"]).code(1).says(&["`no-such-set`"]);
}

#[test]
fn mistakes_in_arguments_have_their_reasons() {
    // The others are answered.
    let ran = satir(&["expr", "x +", "x + 0", "T.Select(x)"]).code(1);
    assert_eq!(ran.out, "x\n");
    ran.says(&["<expression>:1:4: error: ", "<expression>:1:1: error: "]);
    satir(&["expr", "x", "--var", "y:int32"]).code(2).says(&["no expression has a variable `y`"]);
    satir(&["expr", "x", "--var", "x", "--var", "x:int64"]).code(2).says(&["`x` is given twice"]);
    satir(&["expr", "x", "--var", "x:int32:5"]).code(2).says(&["MIN..MAX"]);
    satir(&["expr", "x", "--var", "x:int32:5..4"]).code(1).says(&["error: variable `x`: no value"]);
    satir(&["expr", "x", "--var", "x:int33"]).code(1).says(&["error: variable `x`: "]);
    satir(&["expr", "x", "--precond", "x"]).code(1).says(&["error: precondition `x` is `int32`"]);
    satir(&["expr", "A[x]"]).code(1).says(&["undefined name `A`"]);
    satir(&["expr", "--precond", "x"]).code(2);
    satir(&["expr", "--explain"]).code(2);
}

/// The results of requests; "an error" where there is none.
fn results(requests: &[&str]) -> Vec<String> {
    let ran = satir_on(&["expr"], requests.join("\n")).code(0);
    let answer = |line: &str| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    let text = |line| answer(line)["result"].as_str().unwrap_or("an error").to_owned();
    ran.out.lines().map(text).collect()
}

#[test]
fn casts_and_calls_on_constants_are_folded() {
    let folded =
        |expr: &str| results(&[&format!(r#"{{"vars": {{"x": {{"dtype": "int32"}}}}, "expr": "{expr}"}}"#)]);
    for (expr, expected) in [
        (r#"T.Cast(\"int32\", 3)"#, "3"),
        (r#"T.Cast(\"float16\", T.float16(2))"#, "T.float16(2.0)"),
        (r#"T.Cast(\"bool\", x == x)"#, "true"),
        (r#"T.Cast(\"int32\", x * 3)"#, "x * 3"),
        ("T.clz(0)", "32"),
        ("T.clz(T.int64(0))", "64"),
        ("T.clz(x - x + 128)", "24"),
        ("T.bitwise_xor(x - x + 6, 3)", "5"),
    ] {
        assert_eq!(folded(expr), [expected], "{expr}");
    }
}

#[test]
fn vscale_is_positive() {
    let with = |expr: &str| {
        results(&[&format!(
            r#"{{"vars": {{"x": {{"dtype": "int32"}}, "y": {{"dtype": "int32"}}}}, "expr": "{expr}"}}"#
        )])
    };
    for (expr, expected) in [
        ("T.vscale() > 0", "true"),
        ("T.vscale() > 1", "T.vscale() > 1"),
        ("T.min(x + 4 * T.vscale(), x)", "x"),
        ("T.max(x - T.vscale() * 4, x)", "x"),
        ("T.vscale() * 32 < T.vscale() * 64", "true"),
        ("64 % T.vscale() <= T.vscale()", "true"),
        ("(x * T.vscale() * 4 + y) // (T.vscale() * 4)", "x + y // (T.vscale() * 4)"),
    ] {
        assert_eq!(with(expr), [expected], "{expr}");
    }
}

#[test]
fn bindings_and_buffers_are_input() {
    let requests = [
        r#"{"expr": "T.Let(x + 1, where={x: 1}) + T.Let(x + 1, where={x: 1})"}"#,
        r#"{"vars": {"y": {"dtype": "int64"}}, "expr": "T.Let(t, where={t: y * T.int64(2)}) == y * T.int64(2)"}"#,
        r#"{"buffers": {"A": {"dtype": "int32", "shape": [16]}}, "expr": "A[3] * 2 - A[3]"}"#,
        r#"{"vars": {"n": {"dtype": "int32"}}, "buffers": {"A": {"dtype": "float32", "shape": ["n", 4]}}, "expr": "n >= 0"}"#,
        r#"{"vars": {"i": {"dtype": "int32"}}, "buffers": {"A": {"dtype": "int32", "shape": [16]}}, "expr": "A[i + 1] > 0 or i < 5", "precond": ["A[1 + i] > 3"]}"#,
        // Another element; float subtraction of equals is not zero for all values.
        r#"{"buffers": {"A": {"dtype": "int32", "shape": [16]}}, "expr": "A[3] - A[4]"}"#,
        r#"{"buffers": {"A": {"dtype": "float32", "shape": [16]}}, "expr": "A[3] - A[3]"}"#,
        // Mistakes.
        r#"{"buffers": {"A": {"dtype": "int32", "shape": [-1]}}, "expr": "A[0]"}"#,
        r#"{"buffers": {"A": {"dtype": "int33", "shape": [1]}}, "expr": "A[0]"}"#,
        r#"{"vars": {"A": {"dtype": "int32"}}, "buffers": {"A": {"dtype": "int32", "shape": [1]}}, "expr": "A[0]"}"#,
        r#"{"vars": {"n": {"dtype": "int32", "max": -1}}, "buffers": {"A": {"dtype": "int32", "shape": ["n"]}}, "expr": "A[0]"}"#,
        r#"{"buffers": {"A": {"dtype": "int32", "shape": ["n +"]}}, "expr": "A[0]"}"#,
        r#"{"expr": "T.Let(x, where={x: 1}) + x"}"#,
    ];
    let expected = ["4", "true", "A[3]", "true", "true", "A[3] - A[4]", "A[3] - A[3]"];
    let results = results(&requests);
    assert_eq!(results[..7], expected);
    assert!(results[7..].iter().all(|result| result == "an error"), "{results:?}");
}

#[test]
fn bounds_may_be_any_value_of_the_type() {
    let requests = [
        r#"{"vars": {"n": {"dtype": "uint64", "max": 18446744073709551615}}, "expr": "n"}"#,
        r#"{"vars": {"n": {"dtype": "uint64", "max": 18446744073709551616}}, "expr": "n"}"#,
        r#"{"vars": {"n": {"dtype": "uint64", "min": -1}}, "expr": "n"}"#,
        r#"{"vars": {"n": {"dtype": "uint8", "max": 256}}, "expr": "n"}"#,
    ];
    assert_eq!(results(&requests), ["n", "an error", "an error", "an error"]);
}

#[test]
fn values_of_uint64_have_ranges() {
    let with = |expr: &str| {
        results(&[&format!(
            r#"{{"vars": {{"n": {{"dtype": "uint64"}}, "m": {{"dtype": "uint64", "max": 100}}, "b": {{"dtype": "uint64", "min": 9223372036854775808}}}}, "expr": "{expr}"}}"#
        )])
    };
    for (expr, expected) in [
        ("n >= T.uint64(0)", "true"),
        ("n % T.uint64(4) < T.uint64(4)", "true"),
        ("n // T.uint64(4) <= n", "true"),
        ("T.max(n, T.uint64(0))", "n"),
        ("m < T.uint64(101)", "true"),
        ("m + T.uint64(1) > m", "true"),
        ("b > m", "true"),
        ("T.min(b, m)", "m"),
        ("T.bitwise_and(n, m) <= m", "true"),
        // These wrap.
        ("n + T.uint64(1) > n", "n + T.uint64(1) > n"),
        ("n - m <= n", "n - m <= n"),
        ("b + b >= b", "b + b >= b"),
        ("m - T.uint64(101) > m", "m - T.uint64(101) > m"),
    ] {
        assert_eq!(with(expr), [expected], "{expr}");
    }
}

#[test]
fn shorter_forms_of_one_cost_are_taken() {
    let with = |expr: &str, precond: &str| {
        results(&[&format!(
            r#"{{"vars": {{"x": {{"dtype": "int32"}}, "y": {{"dtype": "int32"}}, "z": {{"dtype": "int32"}}}}, "expr": "{expr}", "precond": [{precond}]}}"#
        )])
    };
    for (expr, precond, expected) in [
        (
            "T.min(T.Select(x < 0, y, 0), T.Select(x < 0, 1, z))",
            "",
            "T.Select(x < 0, T.min(y, 1), T.min(0, z))",
        ),
        (
            "T.max(T.Select(x < 0, y, 0), T.Select(x < 0, 1, z))",
            "",
            "T.Select(x < 0, T.max(y, 1), T.max(0, z))",
        ),
        // Different conditions.
        (
            "T.min(T.Select(x < 0, y, 0), T.Select(x < 1, 1, z))",
            "",
            "T.min(T.Select(x < 0, y, 0), T.Select(x < 1, 1, z))",
        ),
        ("0 - x * 2", "", "x * -2"),
        ("x * 3 - x * 6", "", "x * -3"),
        ("y // 3 * 6 - y * 2", "", "y % 3 * -2"),
        ("T.min(x * -2, 4)", "", "T.max(x, -2) * -2"),
        ("y - x * 2", "", "y - x * 2"),
        // What is known to be small is a remainder.
        ("x % 24 - 16", r#""x % 24 >= 16""#, "x % 8"),
        ("x % 24 - 8", r#""x % 24 >= 16""#, "x % 24 - 8"),
        ("x % 24 - 17", r#""x % 24 >= 16""#, "x % 24 - 17"),
    ] {
        assert_eq!(with(expr, precond), [expected], "{expr}");
    }
}

#[test]
fn conversions_to_wider_types_are_taken_apart() {
    let with = |expr: &str| {
        results(&[&format!(
            r#"{{"vars": {{"i": {{"dtype": "int32"}}, "j": {{"dtype": "int32"}}, "b": {{"dtype": "int8"}}}}, "expr": "{expr}"}}"#
        )])
    };
    for (expr, expected) in [
        (r#"T.Cast(\"int64\", i + j + 1) - T.Cast(\"int64\", i)"#, r#"T.Cast("int64", j) + T.int64(1)"#),
        (r#"T.Cast(\"int64\", i * 3 - j) + T.Cast(\"int64\", j)"#, r#"T.Cast("int64", i) * T.int64(3)"#),
        // The sum may not have a place in `int32`; that of bytes wraps.
        (r#"T.Cast(\"int64\", i) + T.Cast(\"int64\", j)"#, r#"T.Cast("int64", i) + T.Cast("int64", j)"#),
        (
            r#"T.Cast(\"int64\", b + T.int8(1)) - T.Cast(\"int64\", b)"#,
            r#"T.Cast("int64", b + T.int8(1)) - T.Cast("int64", b)"#,
        ),
    ] {
        assert_eq!(with(expr), [expected], "{expr}");
    }
}
