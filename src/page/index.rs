//! The page of contents of the reports on many programs.

use std::fmt::Write;

use super::frame::{foot, head};
use super::numbers::{number, plural, saved};
use super::text::escape;

/// A program in the contents.
///
/// ```
/// use satir::page::{Entry, index};
///
/// let good = Entry { name: "a.py", link: "pages/a.py.html", outcome: Ok((10.0, 5.0, 2)), time_ms: 1.5 };
/// let bad = Entry { name: "b.py", link: "", outcome: Err("b.py:1:1: error: no"), time_ms: 0.1 };
/// let html = index("kernels", &[good, bad]);
/// assert!(html.contains("href=\"pages/a.py.html\"") && html.contains("b.py:1:1: error: no"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where its page is, relative to that of the contents.
    pub link: &'a str,
    /// Cost before and after, and how many bindings were made; or what is wrong.
    pub outcome: Result<(f64, f64, usize), &'a str>,
    /// Time for the program, in milliseconds.
    pub time_ms: f64,
}

/// The page of contents: a table that leads to the page of each program, and what failed.
///
/// ```
/// let html = satir::page::index("nothing", &[]);
/// assert!(html.starts_with("<!DOCTYPE html>") && html.contains("0 programs"));
/// ```
pub fn index(title: &str, entries: &[Entry<'_>]) -> String {
    let done = entries.iter().filter_map(|entry| entry.outcome.ok());
    let (before, after) = done.clone().fold((0.0, 0.0), |(a, b), (before, after, _)| (a + before, b + after));
    let ratios: Vec<f64> =
        done.filter(|(a, b, _)| *a > 0.0 && *b > 0.0).map(|(a, b, _)| (b / a).ln()).collect();
    let mean = if ratios.is_empty() { 1.0 } else { (ratios.iter().sum::<f64>() / ratios.len() as f64).exp() };
    let failed = entries.iter().filter(|entry| entry.outcome.is_err()).count();
    let below = format!(
        "<p>{}, {failed} failed. Estimated cost {} &rarr; {}; geometric mean of the ratios {mean:.3}.</p>\n",
        plural(entries.len(), "program"),
        number(before),
        number(after),
    );
    let mut out = head(title, &below);
    out += "<table class=\"sortable\">\n<thead><tr><th>program</th><th>cost before</th><th>after</th><th>saved, %</th>\
            <th>bindings</th><th>ms</th></tr></thead>\n<tbody>\n";
    for entry in entries {
        let (name, link) = (escape(entry.name), escape(entry.link));
        let _ = match entry.outcome {
            Ok((before, after, bindings)) => writeln!(
                out,
                "<tr><td><a href=\"{link}\">{name}</a></td><td class=\"n\" data-v=\"{before}\">{}</td>\
                 <td class=\"n\" data-v=\"{after}\">{}</td><td class=\"n\">{:.1}</td><td class=\"n\">{bindings}</td>\
                 <td class=\"n\">{:.1}</td></tr>",
                number(before),
                number(after),
                saved(before, after),
                entry.time_ms
            ),
            Err(why) => writeln!(
                out,
                "<tr><td>{name}</td><td colspan=\"4\" class=\"failed\"><pre>{}</pre></td><td class=\"n\">{:.1}</td></tr>",
                escape(why),
                entry.time_ms
            ),
        };
    }
    out + "</tbody>\n</table>\n" + &foot()
}
