//! Remarks for other tools: LLVM's YAML and SARIF.

use std::fmt::Write;

use indexmap::IndexSet;
use serde_json::{Value, json};

use super::remark::{Kind, Remark};

/// Remarks as LLVM writes them with `-fsave-optimization-record`: a document of YAML for each, which `opt-viewer` reads.
///
/// ```
/// use satir::remarks::{Kind, Remark, yaml};
///
/// let mut remark = Remark::new(Kind::Missed, "simplify", "Undecided", "main").text("it's \"x\"");
/// (remark.file, remark.line, remark.column) = ("my.py".to_owned(), 3, 5);
/// assert_eq!(
///     yaml(&[remark]),
///     r#"--- !Missed
/// Pass: "simplify"
/// Name: "Undecided"
/// DebugLoc: { File: "my.py", Line: 3, Column: 5 }
/// Function: "main"
/// Args:
///   - String: "it's \"x\""
/// ...
/// "#
/// );
/// ```
pub fn yaml(remarks: &[Remark]) -> String {
    let mut out = String::new();
    for remark in remarks {
        let tag = match remark.kind {
            Kind::Passed => "Passed",
            Kind::Missed => "Missed",
            Kind::Analysis => "Analysis",
        };
        let place = |line: u32, column: u32| {
            format!("DebugLoc: {{ File: {}, Line: {line}, Column: {column} }}", quoted(&remark.file))
        };
        let _ = writeln!(out, "--- !{tag}\nPass: {}\nName: {}", quoted(&remark.pass), quoted(remark.name));
        let _ =
            writeln!(out, "{}\nFunction: {}", place(remark.line, remark.column), quoted(&remark.function));
        out += if remark.args.is_empty() { "Args: []\n" } else { "Args:\n" };
        // Readers put the values one after the other, so quotes around code are part of them.
        for arg in &remark.args {
            let _ = writeln!(out, "  - {}: {}", arg.key, quoted(&arg.shown()));
            if let Some((line, column)) = arg.place {
                let _ = writeln!(out, "    {}", place(line, column));
            }
        }
        out += "...\n";
    }
    out
}

/// A string of YAML between double quotes.
fn quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out += "\\n",
            ' '..='~' => out.push(c),
            c if u32::from(c) <= 0xffff => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => {
                let _ = write!(out, "\\U{:08x}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

/// What each name of a remark means.
const NAMES: &[(&str, &str)] = &[
    ("Bound", "A value is computed once and bound to a variable."),
    ("Clobbered", "A value is read again, because memory may have been written."),
    ("Cost", "The estimated cost before and after."),
    ("GaveUp", "Equality saturation gave up."),
    ("Impure", "An expression does more than compute a value."),
    ("LimitHit", "A limit ended the search."),
    ("MayTrap", "An expression may trap and stays where it is."),
    ("NotCheaper", "No cheaper program was found."),
    ("Removed", "A statement is gone."),
    ("Shared", "An expression uses a value that is computed elsewhere."),
    ("Simplified", "An expression has a cheaper form."),
    ("TooLong", "A function is too long for some remarks."),
    ("Undecided", "A condition is not decided."),
];

/// Remarks as SARIF 2.1.0: a log of one run. What was done passes, what was not is a note.
///
/// ```
/// use satir::remarks::{Kind, Remark, sarif};
///
/// let mut remark = Remark::new(Kind::Missed, "simplify", "Undecided", "main").text("the test stays");
/// (remark.file, remark.line, remark.column) = ("my kernel.py".to_owned(), 3, 5);
/// let log = sarif(&[remark]);
/// let result = &log["runs"][0]["results"][0];
/// assert_eq!(result["ruleId"], "Undecided");
/// let place = &result["locations"][0]["physicalLocation"];
/// assert_eq!(place["artifactLocation"]["uri"], "my%20kernel.py");
/// assert_eq!(place["region"]["startLine"], 3);
/// ```
pub fn sarif(remarks: &[Remark]) -> Value {
    let used = |name: &str| remarks.iter().any(|remark| remark.name == name);
    let rules: Vec<&(&str, &str)> = NAMES.iter().filter(|(name, _)| used(name)).collect();
    let results: Vec<Value> = remarks.iter().map(|remark| result(remark, &rules)).collect();
    let rule = |(name, about): &&(&str, &str)| json!({ "id": name, "shortDescription": { "text": about } });
    let driver = json!({
        "name": "satir",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(rule).collect::<Vec<_>>(),
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }],
    })
}

fn result(remark: &Remark, rules: &[&(&str, &str)]) -> Value {
    let location = |line: u32, column: u32| {
        json!({
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&remark.file) },
                "region": { "startLine": line, "startColumn": column },
            },
        })
    };
    let (kind, level) = match remark.kind {
        Kind::Passed => ("pass", "none"),
        Kind::Missed => ("fail", "note"),
        Kind::Analysis => ("informational", "none"),
    };
    // Each place once, as the specification asks.
    let places: IndexSet<(u32, u32)> = remark.args.iter().filter_map(|arg| arg.place).collect();
    let related: Vec<Value> = places.into_iter().map(|(line, column)| location(line, column)).collect();
    let mut result = json!({
        "ruleId": remark.name,
        "kind": kind,
        "level": level,
        "message": { "text": remark.message() },
        "locations": [location(remark.line, remark.column)],
        "properties": { "pass": remark.pass, "function": remark.function },
    });
    if let Some(index) = rules.iter().position(|(name, _)| *name == remark.name) {
        result["ruleIndex"] = json!(index);
    }
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    result
}

/// A path as a reference to a resource: what has a meaning in those is encoded.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into())
            }
            b'\\' if cfg!(windows) => out.push('/'),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
