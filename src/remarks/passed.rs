//! What was done: expressions that were replaced, values that were bound, statements that went.

use super::remark::{Kind, Remark};
use super::site::Site;
use crate::cse::FunctionReport;
use crate::diag::Span;
use crate::explain::{Account, Reason, Replacement, named, removals, replacements};
use crate::ir::Expr;
use crate::script::print_expr;

/// The most replacements of a function for which the reason is looked for.
const MAX_EXPLAINED: usize = 200;

/// The most places that a remark on a binding names.
const MAX_PLACES: usize = 20;

pub(super) fn collect(site: &Site<'_>, report: Option<&FunctionReport>, remarks: &mut Vec<Remark>) {
    replaced(site, remarks);
    removed(site, remarks);
    if let Some(report) = report {
        bound(site, report, remarks);
        cost(site, report, remarks);
    }
}

fn replaced(site: &Site<'_>, remarks: &mut Vec<Remark>) {
    let show = |e: &Expr| print_expr(site.after, e);
    let mut explained: Vec<(String, String, String)> = Vec::new();
    let mut told: Vec<(Span, String)> = Vec::new();
    for replacement in replacements(site.before, site.after, site.input.positive_dims) {
        let (before, written) = (show(&replacement.before), show(&replacement.written));
        if before == written || told.contains(&(replacement.span, before.clone())) {
            continue;
        }
        told.push((replacement.span, before.clone()));
        if told.len() > 64 {
            // Only neighbours say the same of one statement.
            told.remove(0);
        }
        let name = if replacement.bindings.is_empty() { "Simplified" } else { "Shared" };
        let known = explained.iter().find(|(b, w, _)| *b == before && *w == written);
        let reason = match known {
            Some((.., reason)) => reason.clone(),
            None if explained.len() >= MAX_EXPLAINED => String::new(),
            None => {
                let reason = reason(site, &replacement);
                explained.push((before.clone(), written.clone(), reason.clone()));
                reason
            }
        };
        let remark = site.remark(Kind::Passed, name, replacement.span);
        let remark = remark.part("Before", before).text(" is now ").part("After", written);
        remarks.push(if reason.is_empty() { remark } else { remark.text(": ").part("Reason", reason) });
    }
}

/// Why a replacement is right, in a line.
fn reason(site: &Site<'_>, replacement: &Replacement) -> String {
    if print_expr(site.after, &replacement.before) == print_expr(site.after, &replacement.after) {
        return "written out, the two are the same".to_owned();
    }
    let context = site.context(&replacement.ranges, &replacement.conds);
    let Some(account) = context.account(&replacement.before, &replacement.after) else {
        return String::new();
    };
    let mut why: Vec<String> = Vec::new();
    for reason in reasons(&account) {
        let text = match reason {
            Reason::Rules(rules) => {
                let names: Vec<&str> = rules.iter().map(|rule| &*rule.name).collect();
                format!("rule {}", names.join(", "))
            }
            other => other.to_string(),
        };
        if !why.contains(&text) {
            why.push(text);
        }
    }
    let facts = account.facts();
    let mut text = why.join("; ");
    if !facts.is_empty() {
        let origin = |fact: &str| {
            let line = site.position(replacement.origin(site.after, fact)?)?.0;
            Some(format!("line {line}"))
        };
        text += &format!("; given {}", named(&facts, origin));
    }
    text
}

fn reasons(account: &Account) -> impl Iterator<Item = &Reason> {
    account.parts.iter().flat_map(|part| {
        let steps = part.left_steps.iter().chain(&part.right_steps).map(|step| &step.reason);
        steps.chain(&part.meeting)
    })
}

fn removed(site: &Site<'_>, remarks: &mut Vec<Remark>) {
    for removal in removals(site.before, site.after, site.input.positive_dims) {
        let (why, facts) = site.context(&removal.ranges, &removal.conds).why_removed(&removal);
        let remark = site.remark(Kind::Passed, "Removed", removal.span);
        let remark = remark.text(format!("{} is gone: ", removal.what)).part("Reason", why);
        remarks.push(if facts.is_empty() {
            remark
        } else {
            remark.text("; given ").part("Reason", facts.join(", "))
        });
    }
}

/// What was bound, at the first statement that uses it.
fn bound(site: &Site<'_>, report: &FunctionReport, remarks: &mut Vec<Remark>) {
    for binding in &report.bindings {
        let place = binding.replaced.iter().map(|used| used.span).find(|span| *span != Span::NONE);
        let uses: usize = binding.replaced.iter().map(|used| used.uses).sum();
        let mut remark = site.remark(Kind::Passed, "Bound", place.unwrap_or(Span::NONE));
        remark = remark.part("Value", &*binding.value).text(" is bound to ").part("Binding", &*binding.name);
        let numbers =
            format!("evaluated {} times for {uses} uses, saves {}", binding.executed, binding.saved);
        remark = remark.text(", ").part("Number", numbers);
        let mut others: Vec<Span> = Vec::new();
        for used in binding.replaced.iter().map(|used| used.span) {
            if used != Span::NONE
                && Some(used) != place
                && !others.contains(&used)
                && others.len() < MAX_PLACES
            {
                others.push(used);
            }
        }
        for (at, span) in others.into_iter().enumerate() {
            remark = remark.text(if at == 0 { ", also on " } else { ", " });
            remark = site.line(remark, span);
        }
        remarks.push(remark);
    }
}

fn cost(site: &Site<'_>, report: &FunctionReport, remarks: &mut Vec<Remark>) {
    let remark = site.remark(Kind::Analysis, "Cost", Span::NONE);
    let remark = remark.text("estimated cost ").part("Number", report.before.cost.to_string());
    remarks.push(remark.text(" before, ").part("Number", report.after().cost.to_string()).text(" after"));
}
