//! Remarks on small programs.

use super::*;
use crate::cse::{self, Options};
use crate::rules::RuleSet;

fn remarks(text: &str) -> Vec<Remark> {
    let (before, options, rules) =
        (crate::parse(text).unwrap(), Options::default(), RuleSet::embedded().unwrap());
    let (after, report) = cse::run(&before, &options).unwrap();
    collect(&Input {
        pass: "semantic-cse",
        file: "a.py",
        text,
        before: &before,
        after: &after,
        functions: &report.functions,
        profile: &options.profile,
        rules: &rules,
        fast_math: false,
        positive_dims: false,
    })
}

/// That there is one that begins like this.
#[track_caller]
fn says(remarks: &[Remark], name: &str, start: &str) {
    let texts: Vec<String> = remarks.iter().map(|r| format!("[{}] {r}", r.name)).collect();
    let wanted = format!("[{name}] a.py:{start}");
    assert!(texts.iter().any(|text| text.starts_with(&wanted)), "{wanted} is none of\n{}", texts.join("\n"));
}

#[test]
fn what_was_done_has_its_line_and_reason() {
    let text = "@T.prim_func
def main(A: T.Buffer((4096,), \"int32\"), n: T.int32):
    for i in range(16):
        if i < 16:
            A[i * n + n] = n * (i + 1) + (i + 32) // 16
";
    let all = remarks(text);
    says(&all, "Removed", "4:9: passed: the test is gone: its condition always holds; given 0 <= i <= 15");
    says(&all, "Bound", "5:13: passed: `");
    let shared: Vec<&Remark> = all.iter().filter(|r| matches!(r.name, "Shared" | "Simplified")).collect();
    assert!(shared.iter().any(|r| r.message().contains("given 0 <= i <= 15 (line 3)")), "{shared:?}");
    says(&all, "Cost", "2:1: analysis: estimated cost ");
    assert!(all.is_sorted_by_key(|r| (r.line, r.column)));
}

#[test]
fn what_was_not_done_has_its_reason() {
    let text = "@T.prim_func
def main(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), n: T.int32, d: T.int32):
    for i in range(n):
        B[i] = A[0]
        if i < d:
            B[i + 1] = n // d
";
    let all = remarks(text);
    let why = "4:9: missed: `A[0]` is the same in each iteration, but not computed before the loop: line 4 may write it, as \
               the buffers may overlap";
    says(&all, "Clobbered", why);
    says(&all, "Undecided", "5:9: missed: the test `i < d` stays: it holds for ");
    let trap = all.iter().find(|r| r.name == "MayTrap").unwrap();
    assert!(trap.message().contains("`n // d`"), "{trap}");
    // Where nothing overlaps there is nothing in the way.
    let apart = text.replace("    for i", "    T.func_attr({\"tirx.noalias\": True})\n    for i");
    assert!(!remarks(&apart).iter().any(|r| r.name == "Clobbered"));
}

#[test]
fn any_text_can_be_quoted() {
    let mut remark = Remark::new(Kind::Passed, "p", "Cost", "main").text("a\u{7}\u{85}\u{1f600}\n\"\\é");
    remark.file = "größe.py".to_owned();
    let text = yaml(&[remark.clone()]);
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains(r#""a\u0007\u0085\U0001f600\n\"\\\u00e9""#), "{text}");
    assert_eq!(
        sarif(&[remark])["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "gr%C3%B6%C3%9Fe.py"
    );
}
