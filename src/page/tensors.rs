//! The page of `satir tensor`: what became of the definitions of each function, and its nests before and after as pictures.

use std::fmt::Write;

use super::flow::picture;
use super::frame::head;
use super::numbers::{number, saved};
use super::text::escape;
use crate::tensor::{Kept, Report, Split};

/// The page on what was shared between tensors. `split` is about the functions of which one keeps tensors for the other.
///
/// ```
/// let text = "@T.prim_func
/// def main(A: T.Buffer((64,)), B: T.Buffer((64,)), C: T.Buffer((64,))):
///     T.func_attr({\"tirx.noalias\": True})
///     for i in range(64):
///         B[i] = T.exp(A[i])
///     for j in range(64):
///         C[j] = T.exp(A[j]) * T.float32(2)
/// ";
/// let mut module = satir::parse(text)?;
/// let report = satir::tensor::share(&mut module.funcs[0], &satir::tensor::Settings::default());
/// let html = satir::page::tensors("my.py", &[report], None);
/// assert_eq!(html.matches("<svg class=\"flow\"").count(), 2, "before and after");
/// assert!(html.trim_end().ends_with("</html>"));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn tensors(name: &str, reports: &[Report], split: Option<&Split>) -> String {
    let mut out = head(name, "");
    if let Some(split) = split {
        out += &stash(split);
    }
    for report in reports {
        out += &function(report);
    }
    out + "</main>\n</body>\n</html>\n"
}

fn function(report: &Report) -> String {
    let (before, after) = (report.cost_before.to_f64(), report.cost_after.to_f64());
    let mut out = format!(
        "<section>\n<h2><code>{}</code></h2>\n<p>cost {} → {} ({:.1} % saved)</p>\n",
        escape(&report.name),
        number(before),
        number(after),
        saved(before, after)
    );
    for (title, flow) in [("before", &report.before), ("after", &report.after)] {
        let about = format!("the nests of {} {title}, each below what it reads", report.name);
        let _ = write!(
            out,
            "<figure>\n<figcaption>{title}: {} nests</figcaption>\n{}</figure>\n",
            flow.nests.len(),
            picture(flow, &about)
        );
    }
    if !report.definitions.is_empty() {
        out += "<table>\n<tr><th>tensor</th><th>what became of it</th><th>why it is equal</th></tr>\n";
        for definition in &report.definitions {
            let became = match &definition.kept {
                Kept::Buffer => "kept in its buffer".to_owned(),
                Kept::Inlined => "computed where it is used".to_owned(),
                Kept::Given => "passed by the other function".to_owned(),
                Kept::Equal(other) => format!("equal to <code>{}</code>", escape(other)),
                Kept::Unused => "not needed".to_owned(),
            };
            let why: Vec<String> = definition.because.iter().map(|why| escape(why)).collect();
            let _ = writeln!(
                out,
                "<tr><td><code>{}</code></td><td>{became}</td><td>{}</td></tr>",
                escape(&definition.name),
                why.join(", ")
            );
        }
        out += "</table>\n";
    }
    let merged: Vec<&Vec<String>> = report.nests.iter().filter(|nest| nest.len() > 1).collect();
    if !merged.is_empty() {
        out += "<p>computed together:</p>\n<ul>\n";
        for nest in merged {
            let names: Vec<String> =
                nest.iter().map(|name| format!("<code>{}</code>", escape(name))).collect();
            let _ = writeln!(out, "<li>{}</li>", names.join(", "));
        }
        out += "</ul>\n";
    }
    if !report.opaque.is_empty() {
        out += "<p>left as they are:</p>\n<ul>\n";
        for opaque in &report.opaque {
            let _ = writeln!(out, "<li><code>{}</code>: {}</li>", escape(&opaque.name), escape(&opaque.why));
        }
        out += "</ul>\n";
    }
    out + "</section>\n"
}

/// What is kept between two functions.
fn stash(split: &Split) -> String {
    let mut out = format!(
        "<section>\n<h2><code>{}</code> → <code>{}</code></h2>\n<p>{} bytes are kept</p>\n",
        escape(&split.forward.name),
        escape(&split.backward.name),
        split.stash_bytes
    );
    if !split.stash.is_empty() {
        out += "<table>\n<tr><th>tensor</th><th>from</th><th>to</th><th>shape</th><th>type</th><th>bytes</th></tr>\n";
        for stash in &split.stash {
            let _ = writeln!(
                out,
                "<tr><td><code>{}</code></td><td><code>{}</code></td><td><code>{}</code></td><td>{}</td><td>{}</td>\
                 <td class=\"n\">{}</td></tr>",
                escape(&stash.name),
                escape(&stash.forward),
                escape(&stash.backward),
                escape(&stash.shape.join(", ")),
                escape(&stash.dtype),
                stash.bytes
            );
        }
        out += "</table>\n";
    }
    if !split.recomputed.is_empty() {
        let names: Vec<String> =
            split.recomputed.iter().map(|name| format!("<code>{}</code>", escape(name))).collect();
        let _ = writeln!(out, "<p>computed by both: {}</p>", names.join(", "));
    }
    if let Some(why) = &split.unchanged {
        let _ = writeln!(out, "<p>both stay as they are: {}</p>", escape(why));
    }
    out + "</section>\n"
}
