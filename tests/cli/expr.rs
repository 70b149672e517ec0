//! `satir expr`.

use super::{clip, satir_on};

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
