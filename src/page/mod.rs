//! The report as a page: one self-contained HTML file that shows a program before and after, what was bound, what
//! each binding replaced and saved, and why the expressions are equal; buffers with padding as pictures; the passes that
//! ran. A page of contents leads to those of many programs.
//!
//! The page holds everything in its text; the script links what belongs together when the reader points at it, scrolls the two
//! programs together, and sorts.

mod flow;
mod frame;
mod function;
mod index;
mod input;
mod layouts;
mod marks;
mod numbers;
mod passes;
mod slices;
mod syntax;
mod tensors;
mod text;

use std::fmt::Write;

use self::frame::{foot, head};
use self::function::Function;
pub use self::index::{Entry, index};
pub use self::input::Input;
use self::numbers::{number, plural, saved};
use self::slices::Slices;
#[doc(hidden)]
pub use self::tensors::tensors;
use self::text::escape;
use crate::report::{Document, FiredRule};

/// Functions are folded where there are more than this.
const MAX_OPEN: usize = 3;

/// The page.
///
/// ```
/// use satir::cost::Profile;
/// use satir::cse::{self, Options};
/// use satir::page::{Input, render};
/// use satir::report::Document;
/// use satir::rules::RuleSet;
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n";
/// let before = satir::parse(text)?;
/// let options = Options::default();
/// let (after, report) = cse::run(&before, &options)?;
/// let report = Document::of_cse("my.py", text, report, &options);
/// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
/// let html = render(&Input {
///     name: "my.py",
///     text,
///     before: &before,
///     after: &after,
///     report: &report,
///     profile: &profile,
///     rules: &rules,
///     fast_math: false,
///     positive_dims: false,
/// });
/// assert!(html.contains("my.py") && html.trim_end().ends_with("</html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn render(input: &Input<'_>) -> String {
    let after_text = input.after.to_string();
    let names: Vec<&str> = input.report.functions.iter().map(|f| f.name.as_str()).collect();
    let (before, after) = (Slices::new(input.text, &names), Slices::new(&after_text, &names));
    let functions: Vec<Function<'_>> = input
        .report
        .functions
        .iter()
        .zip(input.before.funcs.iter().zip(&input.after.funcs))
        .enumerate()
        .map(|(index, (report, (before, after)))| Function::new(input, index, report, before, after))
        .collect();
    let below = format!(
        "<p>{}</p>\n<p><label><input type=\"checkbox\" id=\"sync\" checked> scroll before and after together</label></p>\n",
        headline(input.report),
    );
    let mut out = head(input.name, &below);
    if functions.len() > 1 {
        out += &contents(&functions);
    }
    for (at, function) in functions.iter().enumerate() {
        let open = functions.len() <= MAX_OPEN;
        out += &function.section(before.of(at), after.of(at), open);
    }
    out += &layouts::layouts(&input.report.layouts, &after_text);
    out += &passes::passes(&input.report.passes);
    out += &fired(&input.report.rules);
    out + &foot()
}

/// A table of all functions that leads to them.
fn contents(functions: &[Function<'_>]) -> String {
    let mut out = "<nav>\n<h2>Contents</h2>\n<table class=\"sortable\">\n<thead><tr><th>function</th><th>cost before</th>\
                   <th>after</th><th>saved, %</th><th>bindings</th></tr></thead>\n<tbody>\n"
        .to_owned();
    for function in functions {
        let (r, id) = (function.report, &function.id);
        let (before, after) = (r.before.cost, r.after().cost);
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#{id}\"><code>{}</code></a></td><td class=\"n\" data-v=\"{before}\">{}</td>\
             <td class=\"n\" data-v=\"{after}\">{}</td><td class=\"n\">{:.1}</td><td class=\"n\">{}</td></tr>",
            escape(&r.name),
            number(before),
            number(after),
            saved(before, after),
            r.bindings.len()
        );
    }
    out + "</tbody>\n</table>\n<p><button type=\"button\" data-fold=\"open\">unfold all</button> \
           <button type=\"button\" data-fold=\"close\">fold all</button></p>\n</nav>\n"
}

/// The rules that fired, those that found most first.
fn fired(rules: &[FiredRule]) -> String {
    if rules.is_empty() {
        return String::new();
    }
    let mut rules: Vec<&FiredRule> = rules.iter().collect();
    rules.sort_by_key(|rule| std::cmp::Reverse(rule.unions));
    let mut out = format!(
        "<details class=\"fired\">\n<summary>{} fired, besides the arithmetic that is built in</summary>\n\
         <table class=\"sortable\">\n<thead><tr><th>rule</th><th>set</th><th>matches</th><th>equalities found</th></tr>\
         </thead>\n<tbody>\n",
        plural(rules.len(), "rule")
    );
    for rule in rules {
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escape(&rule.rule),
            escape(&rule.set),
            rule.matches,
            rule.unions
        );
    }
    out + "</tbody>\n</table>\n</details>\n"
}

fn headline(report: &Document) -> String {
    let (before, after) = (report.cost_before, report.cost_after);
    let bindings: usize = report.functions.iter().map(|f| f.bindings.len()).sum();
    let ms = report.time_us as f64 / 1e3;
    format!(
        "Estimated cost {} &rarr; {}: <strong>{:.1} % saved</strong>, {}, {}, {ms:.1} ms.",
        number(before),
        number(after),
        saved(before, after),
        plural(report.functions.len(), "function"),
        plural(bindings, "binding")
    )
}

#[cfg(test)]
mod tests;
