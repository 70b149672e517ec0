//! The passes that ran, and the moves of plans with what they rest on.

use std::fmt::Write;

use super::marks::{side_by_side, unmarked};
use super::numbers::{number, plural};
use super::text::escape;
use crate::plan::Plan;
use crate::report::PassReport;

/// All passes of a run; nothing where only one ran that has nothing to tell.
pub(super) fn passes(passes: &[PassReport]) -> String {
    let tells =
        |pass: &PassReport| !pass.changes.is_empty() || !pass.plans.is_empty() || !pass.limits.is_empty();
    if passes.len() < 2 && !passes.iter().any(tells) {
        return String::new();
    }
    let mut out =
        "<section class=\"passes\">\n<h2>Passes</h2>\n<table class=\"sortable\">\n<thead><tr><th>pass</th>\
                   <th>changed</th><th>ms</th></tr></thead>\n<tbody>\n"
            .to_owned();
    for pass in passes {
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{}</td><td class=\"n\">{:.1}</td></tr>",
            escape(&pass.pass),
            if pass.changed { "yes" } else { "no" },
            pass.time_us as f64 / 1e3
        );
    }
    out += "</tbody>\n</table>\n";
    for pass in passes {
        for change in &pass.changes {
            let _ = writeln!(
                out,
                "<p><code>{}</code>, loop <code>{}</code>: {}; estimated instructions {} &rarr; {}.</p>",
                escape(&change.function),
                escape(&change.variable),
                escape(&change.what),
                number(change.before as f64),
                number(change.after as f64)
            );
        }
        for nest in &pass.nests {
            let _ = writeln!(
                out,
                "<details class=\"nest\">\n<summary>a nest of <code>{}</code>, before and after</summary>\n{}</details>",
                escape(&nest.function),
                side_by_side(&unmarked(&nest.before), &unmarked(&nest.after))
            );
        }
        pass.plans.iter().for_each(|plan| out += &moves(plan));
        for limit in &pass.limits {
            let _ = writeln!(out, "<p><code>{}</code>: {}.</p>", escape(&pass.pass), escape(limit));
        }
    }
    out + "</section>\n"
}

/// The moves of a plan, each with its cost and its proof in words.
fn moves(plan: &Plan) -> String {
    let mut out = format!(
        "<h3><code>{}</code>: {}, estimated {} {} &rarr; {}</h3>\n",
        escape(&plan.function),
        plural(plan.moves.len(), "move"),
        plan.counts,
        number(plan.before),
        number(plan.after)
    );
    if !plan.moves.is_empty() {
        out += "<table class=\"uses\"><tr><th>pass</th><th>before</th><th>after</th><th>what, and why it is right</th></tr>\n";
        for made in &plan.moves {
            let what: Vec<String> = made.changes.iter().map(|change| escape(&change.to_string())).collect();
            let _ = writeln!(
                out,
                "<tr><td><code>{}</code></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
                escape(made.pass),
                number(made.before),
                number(made.after),
                what.join("<br>")
            );
        }
        out += "</table>\n";
    }
    let _ = write!(out, "<p class=\"small\">{} of the function looked at", plural(plan.states, "version"));
    if let Some(limit) = plan.limit {
        let _ = write!(out, "; the search ended at its limit: {limit}");
    }
    out + ".</p>\n"
}
