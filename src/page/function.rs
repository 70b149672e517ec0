//! A function on the page: before and after side by side, its bindings, costs and times.

use std::fmt::Write;

use hashbrown::HashMap;

use super::input::Input;
use super::marks::{Binding, mark_after, mark_before, side_by_side};
use super::numbers::{number, plural, saved, times};
use super::slices::aligned;
use super::text::{self, escape};
use crate::cse::{BindingReport, Chosen, FunctionReport};
use crate::diag::LineIndex;
use crate::explain::{Context, Replacement, binding_values, replacements};
use crate::ir::{Expr, PrimFunc, VarId};
use crate::rewrite::Rewrites;
use crate::script::print_expr;

/// The most expressions of a function whose equality is explained, and of all of them.
const MAX_EXPLAINED: (usize, usize) = (120, 600);

/// The most pairs of expressions that are compared to find occurrences in other words.
const MAX_COMPARED: (usize, usize) = (2_000, 10_000);

/// The most explanations shown for one binding.
const MAX_SHOWN: usize = 4;

/// The share of one function of something of which there is a limit for one, and one for all.
fn share((one, all): (usize, usize), functions: usize) -> usize {
    (all / functions.max(1)).clamp(one / 16, one)
}

/// One function of the page.
pub(super) struct Function<'a> {
    /// Unique on the page.
    pub(super) id: String,
    pub(super) report: &'a FunctionReport,
    bindings: Vec<Binding>,
    /// For each binding: what it replaced and why that is equal, as HTML.
    reasons: Vec<Vec<String>>,
}

impl<'a> Function<'a> {
    pub(super) fn new(
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
        let replacements = replacements(before, after, input.positive_dims);
        mark_other_words(input, after, &values, &replacements, &mut bindings);
        let most_explained = share(MAX_EXPLAINED, input.report.functions.len());
        let mut reasons = vec![Vec::new(); bindings.len()];
        let mut seen: Vec<(Expr, Expr)> = Vec::new();
        for replaced in replacements {
            if seen.len() >= most_explained {
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
        Function { id: format!("f{index}"), report, bindings, reasons }
    }

    /// All about the function: what it was and is, its bindings, and, folded, costs and times.
    pub(super) fn section(&self, before: &[(u32, &str)], after: &[(u32, &str)], open: bool) -> String {
        let r = self.report;
        let (old, new) = (r.before.cost, r.after().cost);
        let mut out = format!(
            "<details class=\"function\" id=\"{}\"{}>\n<summary><h2><code>{}</code></h2> <span class=\"small\">{} &rarr; {}, \
             {:.1} % saved, {}</span></summary>\n",
            self.id,
            if open { " open" } else { "" },
            escape(&r.name),
            number(old),
            number(new),
            saved(old, new),
            plural(r.bindings.len(), "binding"),
        );
        let rows = aligned(before, after);
        out += &side_by_side(
            &mark_before(before, &rows.0, &self.bindings),
            &mark_after(after, &rows.1, &self.bindings),
        );
        out += &self.details();
        out += &self.numbers();
        out + "</details>\n"
    }

    /// Costs and times.
    fn numbers(&self) -> String {
        let r = self.report;
        let mut bars = vec![("before", r.before.cost)];
        bars.extend(r.syntactic.as_ref().map(|m| ("syntactic", m.cost)));
        bars.extend(r.semantic.as_ref().map(|m| ("semantic", m.cost)));
        if r.chosen == Chosen::Passes {
            bars.push(("after", r.after().cost));
        }
        let most = bars.iter().map(|(_, cost)| *cost).fold(1e-9, f64::max);
        let mut out = "<details class=\"numbers\">\n<summary>Costs and times</summary>\n".to_owned();
        out += "<div class=\"columns\">\n<table class=\"bars\"><caption>Estimated cost</caption>\n";
        for (name, cost) in bars {
            let (width, text) = (cost / most * 100.0, number(cost));
            let _ = writeln!(
                out,
                "<tr><th>{name}</th><td class=\"bar\"><span class=\"{name}\" style=\"width:{width:.2}%\"></span></td>\
                 <td class=\"n\">{text}</td></tr>"
            );
        }
        out += "</table>\n";
        if !r.stages.is_empty() {
            out += "<table class=\"bars\"><caption>Time per stage, ms</caption>\n";
        }
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
        out += if r.stages.is_empty() { "</div>\n" } else { "</table>\n</div>\n" };
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
        out + "</details>\n"
    }

    /// A card for each binding.
    fn details(&self) -> String {
        if self.bindings.is_empty() {
            return String::new();
        }
        let mut out = "<section class=\"cards\">\n<h3>Bindings</h3>\n".to_owned();
        if self.bindings.len() > 1 {
            out += "<p class=\"small\">sorted by";
            for (key, shown) in [
                ("order", "place"),
                ("saved", "saving"),
                ("runs", "runs"),
                ("uses", "uses"),
                ("name", "name"),
            ] {
                let pressed = key == "order";
                let _ = write!(
                    out,
                    " <button type=\"button\" data-sort=\"{key}\" aria-pressed=\"{pressed}\">{shown}</button>"
                );
            }
            out += "</p>\n";
        }
        for (i, binding) in self.bindings.iter().enumerate() {
            out += &self.card(i, binding, &self.report.bindings[i], &self.reasons[i]);
        }
        out + "</section>\n"
    }

    fn card(&self, order: usize, binding: &Binding, report: &BindingReport, reasons: &[String]) -> String {
        let count = report.replaced.iter().map(|r| r.uses).sum();
        let uses = plural(count, "use");
        let mut out = format!(
            "<details class=\"card\" data-b=\"{id}\" style=\"--h:{hue}\" data-order=\"{order}\" \
             data-name=\"{}\" data-saved=\"{}\" data-runs=\"{}\" data-uses=\"{count}\">\n<summary><code class=\"b\">{}</code> = <code>{}</code> \
             <span class=\"small\">saves {}, runs {}, {uses}</span></summary>\n",
            escape(&binding.name),
            report.saved,
            report.executed,
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
    match context.account(&replaced.before, &replaced.after) {
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
    let most_compared = share(MAX_COMPARED, input.report.functions.len());
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
                let tried = known.len() < most_compared;
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
