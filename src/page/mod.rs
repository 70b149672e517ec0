//! The report as a page: one self-contained HTML file that shows a program before and after, what was bound, what
//! each binding replaced and saved, and why the expressions are equal.
//!
//! The page holds everything in its text; the script only links what belongs together when the reader points at it.

mod marks;
mod text;

use std::fmt::Write;

use hashbrown::HashMap;

use self::marks::{Binding, mark_after, mark_before};
use self::text::escape;
use crate::cost::Profile;
use crate::cse::{BindingReport, FunctionReport, Report};
use crate::diag::LineIndex;
use crate::eqsat::rewrite::Rewrites;
use crate::explain::{Context, Replacement, binding_values, replacements};
use crate::ir::{Expr, Module, PrimFunc, VarId};
use crate::rules::RuleSet;
use crate::script::print_expr;

/// What the page is about.
///
/// ```
/// use satir::cost::Profile;
/// use satir::cse::{self, Options};
/// use satir::page::{Input, render};
/// use satir::rules::RuleSet;
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n";
/// let before = satir::parse(text)?;
/// let (after, mut report) = cse::run(&before, &Options::default())?;
/// report.locate(text);
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
/// });
/// assert!(html.contains("my.py") && html.trim_end().ends_with("</html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The program's name, for the title.
    pub name: &'a str,
    /// The text that was read.
    pub text: &'a str,
    /// The program that was read.
    pub before: &'a Module,
    /// The result.
    pub after: &'a Module,
    /// The report, with the lines of statements filled in ([`Report::locate`]).
    pub report: &'a Report,
    /// The weights that were used.
    pub profile: &'a Profile,
    /// The rules that were used.
    pub rules: &'a RuleSet,
    /// Whether rules for real numbers were used on floats.
    pub fast_math: bool,
}

/// The most expressions of a function whose equality is explained.
const MAX_EXPLAINED: usize = 120;

/// The most pairs of expressions that are compared to find occurrences in other words.
const MAX_COMPARED: usize = 2_000;

/// The most explanations shown for one binding.
const MAX_SHOWN: usize = 4;

/// The page.
///
/// ```
/// use satir::cost::Profile;
/// use satir::cse::{self, Options};
/// use satir::page::{Input, render};
/// use satir::rules::RuleSet;
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n";
/// let before = satir::parse(text)?;
/// let (after, mut report) = cse::run(&before, &Options::default())?;
/// report.locate(text);
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
/// });
/// assert!(html.contains("my.py") && html.trim_end().ends_with("</html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn render(input: &Input<'_>) -> String {
    let after_text = input.after.to_string();
    let functions: Vec<Function> = input
        .report
        .functions
        .iter()
        .zip(input.before.funcs.iter().zip(&input.after.funcs))
        .enumerate()
        .map(|(index, (report, (before, after)))| Function::new(input, index, report, before, after))
        .collect();
    let bindings: Vec<&[Binding]> = functions.iter().map(|f| f.bindings.as_slice()).collect();
    let names: Vec<&str> = input.report.functions.iter().map(|f| f.name.as_str()).collect();
    let mut out = String::new();
    let name = escape(input.name);
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>satir: {name}</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>{name}</h1>\n<p>{}</p>\n</header>\n<main>\n",
        include_str!("page.css"),
        headline(input.report),
    );
    for function in &functions {
        out += &function.summary();
    }
    let _ = write!(
        out,
        "<section class=\"sources\">\n<div class=\"source\"><h2>Before</h2>\n{}</div>\n\
         <div class=\"source\"><h2>After</h2>\n{}</div>\n</section>\n",
        mark_before(input.text, &names, &bindings),
        mark_after(&after_text, &names, &bindings),
    );
    for function in &functions {
        out += &function.details();
    }
    let _ = write!(out, "</main>\n<script>\n{}</script>\n</body>\n</html>\n", include_str!("page.js"));
    out
}

fn headline(report: &Report) -> String {
    let (before, after) = (report.cost_before(), report.cost_after());
    let saved = if before > 0.0 { (1.0 - after / before) * 100.0 } else { 0.0 };
    let bindings: usize = report.functions.iter().map(|f| f.bindings.len()).sum();
    let ms = report.time_us as f64 / 1e3;
    format!(
        "Estimated cost {} &rarr; {}: <strong>{saved:.1} % saved</strong>, {}, {ms:.1} ms.",
        number(before),
        number(after),
        plural(bindings, "binding")
    )
}

/// A number with thousands separated, and a fraction only where it matters.
fn number(value: f64) -> String {
    let text =
        if value.fract() == 0.0 || value >= 1000.0 { format!("{value:.0}") } else { format!("{value:.2}") };
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) && digit != '-' {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    if fraction.is_empty() { out } else { format!("{out}.{fraction}") }
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn times(count: f64) -> String {
    if count == 1.0 { "once".to_owned() } else { format!("{} times", number(count)) }
}

/// One function of the page.
struct Function<'a> {
    report: &'a FunctionReport,
    bindings: Vec<Binding>,
    /// For each binding: what it replaced and why that is equal, as HTML.
    reasons: Vec<Vec<String>>,
}

impl<'a> Function<'a> {
    fn new(
        input: &Input<'a>,
        index: usize,
        report: &'a FunctionReport,
        before: &PrimFunc,
        after: &PrimFunc,
    ) -> Function<'a> {
        let values = binding_values(before, after);
        let mut bindings: Vec<Binding> = Vec::new();
        for (i, binding) in report.bindings.iter().enumerate() {
            let value = values.iter().find(|(var, _)| *after.var(*var).name == *binding.name);
            let expanded = value.map_or_else(|| binding.value.clone(), |(_, e)| print_expr(after, e));
            let lines = binding.replaced.iter().filter_map(|r| r.line).collect();
            bindings.push(Binding {
                id: format!("f{index}b{i}"),
                hue: hue(i),
                name: binding.name.clone(),
                expanded,
                lines,
                written: Vec::new(),
            });
        }
        spread_lines(&mut bindings, &report.bindings);
        let replacements = replacements(before, after);
        mark_other_words(input, after, &values, &replacements, &mut bindings);
        let mut reasons = vec![Vec::new(); bindings.len()];
        let mut seen: Vec<(Expr, Expr)> = Vec::new();
        for replaced in replacements {
            if seen.len() >= MAX_EXPLAINED {
                break;
            }
            let pair = (replaced.before.clone(), replaced.after.clone());
            if replaced.bindings.is_empty() || seen.contains(&pair) {
                continue;
            }
            seen.push(pair);
            let names: Vec<&str> = replaced.bindings.iter().map(|var| &*after.var(*var).name).collect();
            let wanted: Vec<usize> = (0..bindings.len())
                .filter(|&i| names.contains(&bindings[i].name.as_str()) && reasons[i].len() < MAX_SHOWN)
                .collect();
            if wanted.is_empty() {
                continue;
            }
            let text = explanation(input, after, &replaced);
            for i in wanted {
                reasons[i].push(text.clone());
            }
        }
        Function { report, bindings, reasons }
    }

    /// Costs and times.
    fn summary(&self) -> String {
        let r = self.report;
        let mut bars = vec![("before", r.before.cost)];
        bars.extend(r.syntactic.as_ref().map(|m| ("syntactic", m.cost)));
        bars.extend(r.semantic.as_ref().map(|m| ("semantic", m.cost)));
        let most = bars.iter().map(|(_, cost)| *cost).fold(1e-9, f64::max);
        let mut out = format!("<section class=\"function\">\n<h2><code>{}</code></h2>\n", escape(&r.name));
        out += "<div class=\"columns\">\n<table class=\"bars\"><caption>Estimated cost</caption>\n";
        for (name, cost) in bars {
            let (width, text) = (cost / most * 100.0, number(cost));
            let _ = writeln!(
                out,
                "<tr><th>{name}</th><td class=\"bar\"><span class=\"{name}\" style=\"width:{width:.2}%\"></span></td>\
                 <td class=\"n\">{text}</td></tr>"
            );
        }
        out += "</table>\n<table class=\"bars\"><caption>Time per stage, ms</caption>\n";
        let slowest = r.stages.values().copied().max().unwrap_or(0).max(1) as f64;
        for (stage, us) in &r.stages {
            let (width, ms) = (*us as f64 / slowest * 100.0, *us as f64 / 1e3);
            let _ = writeln!(
                out,
                "<tr><th>{}</th><td class=\"bar\"><span class=\"stage\" style=\"width:{width:.2}%\"></span></td>\
                 <td class=\"n\">{ms:.2}</td></tr>",
                escape(stage)
            );
        }
        out += "</table>\n</div>\n";
        if let Some(search) = &r.search {
            let limits =
                if r.limits_hit.is_empty() { "no limit was hit" } else { "a limit ended the search" };
            let _ = writeln!(
                out,
                "<p class=\"small\">E-graph: {} at the start, {} in {} at the end, {}; {limits}.</p>",
                plural(search.input_nodes, "node"),
                plural(search.nodes, "node"),
                if search.classes == 1 {
                    "1 class".to_owned()
                } else {
                    format!("{} classes", search.classes)
                },
                plural(search.iterations, "round")
            );
        }
        if let Some(why) = &r.gave_up {
            let _ = writeln!(out, "<p class=\"small\">Equality saturation gave up: {}.</p>", escape(why));
        }
        out + "</section>\n"
    }

    /// A card for each binding.
    fn details(&self) -> String {
        if self.bindings.is_empty() {
            return String::new();
        }
        let mut out = format!(
            "<section class=\"cards\">\n<h2>Bindings of <code>{}</code></h2>\n",
            escape(&self.report.name)
        );
        for (i, binding) in self.bindings.iter().enumerate() {
            out += &self.card(binding, &self.report.bindings[i], &self.reasons[i]);
        }
        out + "</section>\n"
    }

    fn card(&self, binding: &Binding, report: &BindingReport, reasons: &[String]) -> String {
        let uses = plural(report.replaced.iter().map(|r| r.uses).sum(), "use");
        let mut out = format!(
            "<details class=\"card\" data-b=\"{id}\" style=\"--h:{hue}\">\n<summary><code class=\"b\">{}</code> = <code>{}</code> \
             <span class=\"small\">saves {}, runs {}, {uses}</span></summary>\n",
            escape(&binding.name),
            escape(&report.value),
            number(report.saved),
            times(report.executed),
            id = binding.id,
            hue = binding.hue,
        );
        let _ = writeln!(out, "<p>Type <code>{}</code>.", escape(&report.dtype));
        if binding.expanded != report.value {
            let _ = writeln!(out, "Written out: <code>{}</code>.", escape(&binding.expanded));
        }
        out += "</p>\n<table class=\"uses\"><tr><th>line</th><th>uses</th><th>runs</th><th>statement</th></tr>\n";
        for replaced in &report.replaced {
            let (line, source) = match (&replaced.line, &replaced.source) {
                (Some(line), Some(source)) => (line.to_string(), escape(source)),
                _ => ("".to_owned(), "<i>in another binding</i>".to_owned()),
            };
            let _ = writeln!(
                out,
                "<tr><td class=\"n\">{line}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td><code>{source}</code></td></tr>",
                replaced.uses,
                number(replaced.executed)
            );
        }
        out += "</table>\n";
        for reason in reasons {
            out += reason;
        }
        out + "</details>\n"
    }
}

/// Why an expression equals what replaced it, as HTML.
fn explanation(input: &Input<'_>, after: &PrimFunc, replaced: &Replacement) -> String {
    let show = |e: &Expr| print_expr(after, e);
    let context = context(input, after, replaced);
    let (source, written) = (show(&replaced.before), show(&replaced.written));
    let head =
        format!("<p class=\"why\"><code>{}</code> became <code>{}</code>", escape(&source), escape(&written));
    if source == show(&replaced.after) {
        return format!("{head}: written out, the two are the same.</p>\n");
    }
    match context.equal(&replaced.before, &replaced.after) {
        Some(found) => {
            format!("{head}, because</p>\n<pre class=\"chain\">{}</pre>\n", escape(&found.to_string()))
        }
        None => format!("{head}; this took facts of its place that are not shown here.</p>\n"),
    }
}

/// What is known where something was replaced.
fn context<'c>(input: &Input<'c>, after: &'c PrimFunc, replaced: &'c Replacement) -> Context<'c> {
    Context {
        func: after,
        profile: input.profile,
        rules: input.rules,
        fast_math: input.fast_math,
        ranges: &replaced.ranges,
        conds: &replaced.conds,
    }
}

/// Finds where the values of bindings are written in other words: the largest parts of what was replaced that are
/// proven equal to the value of a binding that stands for them.
fn mark_other_words(
    input: &Input<'_>,
    after: &PrimFunc,
    values: &[(VarId, Expr)],
    replacements: &[Replacement],
    bindings: &mut [Binding],
) {
    let index = LineIndex::new(input.text);
    let rewrites = Rewrites::new(input.rules);
    let rewrites = rewrites.with_fast_math(input.fast_math);
    let mut known: HashMap<(String, usize), bool> = HashMap::new();
    for replaced in replacements {
        let line = index.line(replaced.span.start);
        // Without the conditions of the place, so that what is found out holds everywhere.
        let context = Context { conds: &[], ..context(input, after, replaced) };
        for (i, binding) in bindings.iter_mut().enumerate() {
            let Some((var, value)) = values.iter().find(|(var, _)| *after.var(*var).name == *binding.name)
            else {
                continue;
            };
            if !replaced.bindings.contains(var) {
                continue;
            }
            let mut parts = vec![&replaced.before];
            while let Some(part) = parts.pop() {
                let text = print_expr(after, part);
                let candidate =
                    part.dtype == value.dtype && part.as_var().is_none() && part.as_int().is_none();
                let tried = known.len() < MAX_COMPARED;
                let same = candidate
                    && text != binding.expanded
                    && known.get(&(text.clone(), i)).copied().unwrap_or_else(|| {
                        let same = tried && context.is_same(part, value, rewrites);
                        known.insert((text.clone(), i), same);
                        same
                    });
                if same {
                    binding.written.push((line, text));
                } else {
                    part.for_each_child(|child| parts.push(child));
                }
            }
        }
    }
}

/// A use within another binding is a use where that binding is used.
fn spread_lines(bindings: &mut [Binding], reports: &[BindingReport]) {
    // Later bindings may use earlier ones only, so one pass from the end is enough.
    for user in (0..bindings.len()).rev() {
        let lines = bindings[user].lines.clone();
        for (used, binding) in bindings.iter_mut().enumerate() {
            if used != user && text::mentions(&reports[user].value, &binding.name) {
                binding.lines.extend(lines.iter().copied());
            }
        }
    }
    for binding in bindings {
        binding.lines.sort_unstable();
        binding.lines.dedup();
    }
}

/// Colours that neighbours can be told apart by: the golden angle.
fn hue(index: usize) -> u32 {
    (index as u32 * 137 + 210) % 360
}

#[cfg(test)]
mod tests;
