//! The page of a small program.

use super::marks::{Binding, mark_before};
use super::*;
use crate::cse::{self, Options};
use crate::rules::RuleSet;

const TEXT: &str = "@T.prim_func
def main(A: T.Buffer((4096,), \"int32\"), B: T.Buffer((4096,), \"int32\"), n: T.int32, m: T.int32):
    for i in range(16):
        for j in range(16):
            A[i * n + j] = m * (n + 3) + B[j + n * i]
            B[i * n + j + 1] = (3 + n) * m + 1
";

fn page(text: &str) -> String {
    let before = crate::parse(text).unwrap();
    let options = Options::default();
    let (after, report) = cse::run(&before, &options).unwrap();
    let report = Document::of_cse("a.py", text, report, &options);
    let rules = RuleSet::embedded().unwrap();
    render(&Input {
        name: "a <program>",
        text,
        before: &before,
        after: &after,
        report: &report,
        profile: &options.profile,
        rules: &rules,
        fast_math: false,
        positive_dims: false,
    })
}

/// HTML without the spans of syntax colours.
fn plain(html: &str) -> String {
    let mut out = html.to_owned();
    for class in ["k", "d", "s", "c", "t"] {
        let open = format!("<span class=\"{class}\">");
        let mut parts = out.split(&open);
        let mut kept = parts.next().unwrap().to_owned();
        for part in parts {
            kept += &part.replacen("</span>", "", 1);
        }
        out = kept;
    }
    out
}

#[test]
fn padding_is_drawn_with_who_provides_and_reads_it() {
    let text = "@T.prim_func\ndef main(A: T.Buffer((4, 4), \"int32\"), B: T.Buffer((1,), \"int32\")):\n    \
                T.func_attr({\"tirx.noalias\": True})\n    for i, j in T.grid(4, 4):\n        \
                T.assume(i < 3 or j < 2 or A[i, j] == 0)\n    for i, j in T.grid(4, 4):\n        \
                if i * 4 + j < 14:\n            B[0] = B[0] + A[i, j]\n";
    let before = crate::parse(text).unwrap();
    let options = Options::default();
    let pages = ["simplify", "overcompute", "plan"].map(|names| {
        let pipeline = crate::passes::select(names).unwrap();
        let mut steps = Vec::new();
        let after = crate::passes::run_observed(&before, &pipeline, &options, |step, _| {
            steps.push(step.clone());
            std::ops::ControlFlow::Continue(())
        });
        let after = after.unwrap();
        let report = Document::of_passes("a.py", text, (&before, &after), &steps, &options);
        let (profile, rules) = (&options.profile, &RuleSet::embedded().unwrap());
        let (before, report) = (&before, &report);
        let (name, after, fast_math, positive_dims) = ("a.py", &after, false, false);
        render(&Input { name, text, before, after, report, profile, rules, fast_math, positive_dims })
    });
    for page in &pages {
        assert!(page.contains("<code>A[4, 4]</code> in <code>main</code>"));
        assert!(page.contains("<code>[3, 2:4]</code></td><td>the caller's, assumed in line"));
        assert_eq!(page.matches("url(#hatch-assumed)").count(), 1);
        assert!(page.contains("M24.00 0V96.00"), "elements are told apart");
    }
    // With its condition the sum leaves the padding alone; without, it relies on what that holds.
    assert!(pages[0].contains("</td><td>nothing</td></tr>") && !pages[0].contains("padding read"));
    assert!(pages[1].contains("padding read"));
    assert!(pages[2].contains("estimated instructions") && pages[2].contains("of the function looked at"));
}

#[test]
fn a_module_of_many_functions_has_contents_and_is_folded() {
    let function = |name: &str| {
        format!(
            "    @T.prim_func\n    def {name}(A: T.Buffer((9,), \"int32\"), x: T.int32):\n        A[x * x] = x * x + {{}}\n\n"
        )
    };
    let mut text = "@I.ir_module\nclass Module:\n".to_owned();
    for (at, name) in ["one", "two", "three", "four"].iter().enumerate() {
        text += &function(name).replace("{}", &at.to_string());
    }
    let html = page(&text);
    assert_eq!(html.matches("<details class=\"function\" id=\"f").count(), 4);
    assert!(!html.contains(" open>"), "they are folded");
    for at in 0..4 {
        assert!(html.contains(&format!("href=\"#f{at}\"")) && html.contains(&format!("id=\"f{at}\"")));
    }
    // Code comes before charts, and each function has its own lines only.
    let (_, first) = html.split_once("id=\"f0\"").unwrap();
    let (first, _) = first.split_once("id=\"f1\"").unwrap();
    assert!(first.find("<h3>Before</h3>").unwrap() < first.find("Costs and times").unwrap());
    assert!(plain(first).contains("def one(") && !plain(first).contains("def two("));
    let two = page(&text[..text.find("    @T.prim_func\n    def three").unwrap()]);
    assert!(two.contains("<nav>") && two.matches(" open>").count() == 2, "few are not folded");
}

#[test]
fn a_page_is_whole_and_links_what_belongs_together() {
    let page = page(TEXT);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(page.contains("a &lt;program&gt;") && !page.contains("a <program>"));
    // Every mark has a card, and every card is marked before and after.
    let ids: Vec<&str> = page
        .split("<details class=\"card\" data-b=\"")
        .skip(1)
        .map(|p| p.split('"').next().unwrap())
        .collect();
    assert!(ids.len() >= 2, "{page}");
    let (before, after) = page.split_once("<h3>After</h3>").unwrap();
    let after = after.split_once("</section>").unwrap().0;
    for id in ids {
        let mark = format!("data-b=\"{id}\"");
        assert!(before.contains(&mark) && after.contains(&mark), "{id}\n{page}");
    }
    assert!(plain(&page).contains("i * n</span>"), "{page}");
    // An occurrence in other words is marked too.
    assert!(plain(before).contains("n * i</span>") && plain(before).contains("(3 + n) * m</span>"), "{page}");
    assert!(page.contains("because</p>\n<pre class=\"chain\">"), "{page}");
    assert!(page.contains("normal form of sums and products"), "{page}");
    // Nothing is fetched.
    for word in ["http:", "https:", "src=", "href=\"/", "url(", "@import"] {
        assert!(!page.contains(word), "{word}");
    }
    let balanced =
        |tag: &str| page.matches(&format!("<{tag}")).count() == page.matches(&format!("</{tag}>")).count();
    assert!(
        ["div", "section", "table", "details", "pre", "code", "span", "button"].into_iter().all(balanced)
    );
}

#[test]
fn a_program_without_bindings_has_a_page_too() {
    let page = page("@T.prim_func\ndef main(A: T.Buffer((4,), \"int32\")):\n    A[0] = 1\n");
    assert!(page.contains("0 bindings") && !page.contains("<details class=\"card\""));
}

#[test]
fn marks_lie_in_one_another_and_never_cross() {
    let text = "x = a * b + c + a * b\n";
    let binding = |id: &str, expanded: &str| Binding {
        id: id.to_owned(),
        hue: 0,
        name: String::new(),
        expanded: expanded.to_owned(),
        lines: vec![1],
        written: Vec::new(),
    };
    let all = [binding("p", "a * b"), binding("q", "a * b + c"), binding("r", "c + a")];
    let html = plain(&mark_before(&[(1, text.trim_end())], &[None], &all));
    assert_eq!(html.matches("<span class=\"b\"").count(), 3, "{html}");
    assert!(
        html.contains("data-b=\"q\" style=\"--h:0\"><span class=\"b\" tabindex=\"0\" data-b=\"p\""),
        "{html}"
    );
    assert_eq!(text::operands("2 * i * n + i * n", "i * n"), [12]);
    assert!(text::mentions("cse_v1 + 1", "cse_v1") && !text::mentions("cse_v10 + 1", "cse_v1"));
}

#[test]
fn numbers_are_for_people() {
    assert_eq!(number(1234567.0), "1\u{202f}234\u{202f}567");
    assert_eq!(number(0.25), "0.25");
    assert_eq!(number(12.0), "12");
    assert_eq!(number(-1500.0), "-1\u{202f}500");
}
