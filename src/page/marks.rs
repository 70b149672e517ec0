//! Source text with every occurrence of each binding marked.

use std::fmt::Write;

use super::syntax::coloured;
use super::text::{operands, places};

/// A binding as the page shows it.
pub(super) struct Binding {
    /// Unique on the page.
    pub(super) id: String,
    /// Its colour.
    pub(super) hue: u32,
    /// The variable's name.
    pub(super) name: String,
    /// Its value with other new bindings written out.
    pub(super) expanded: String,
    /// The lines of the input whose statements use it, directly or through other bindings.
    pub(super) lines: Vec<u32>,
    /// Other ways in which its value is written in the input, with the lines.
    pub(super) written: Vec<(u32, String)>,
}

/// A marked stretch of a line.
struct Mark<'a> {
    start: usize,
    end: usize,
    binding: &'a Binding,
}

/// The lines of the input, `rows` of them with those of the result that they belong to. Where the value of a binding stands in a
/// line that uses it, in whatever words that are known, it is marked; elsewhere the line has only a dot in the binding's colour.
pub(super) fn mark_before(text: &[(u32, &str)], rows: &[Option<usize>], bindings: &[Binding]) -> String {
    lines(text, rows, |number, line| {
        let mut marks = Vec::new();
        let mut dots = Vec::new();
        for binding in bindings.iter().filter(|binding| binding.lines.binary_search(&number).is_ok()) {
            dots.push(binding);
            let others = binding.written.iter().filter(|(line, _)| *line == number).map(|(_, text)| text);
            for text in std::iter::once(&binding.expanded).chain(others) {
                let length = text.len();
                let places = operands(line, text).into_iter();
                marks.extend(places.map(|at| Mark { start: at, end: at + length, binding }));
            }
        }
        (marks, dots)
    })
}

/// The lines of the result, with every mention of a binding's name marked.
pub(super) fn mark_after(text: &[(u32, &str)], rows: &[Option<usize>], bindings: &[Binding]) -> String {
    lines(text, rows, |_, line| {
        let mut marks = Vec::new();
        let mut dots = Vec::new();
        for binding in bindings {
            let length = binding.name.len();
            let found = places(line, &binding.name);
            if !found.is_empty() {
                dots.push(binding);
            }
            marks.extend(found.into_iter().map(|at| Mark { start: at, end: at + length, binding }));
        }
        (marks, dots)
    })
}

/// A text in which nothing is marked.
pub(super) fn unmarked(text: &str) -> String {
    let numbered: Vec<(u32, &str)> = (1..).zip(text.lines()).collect();
    lines(&numbered, &[], |_, _| (Vec::new(), Vec::new()))
}

/// A program before and after.
pub(super) fn side_by_side(before: &str, after: &str) -> String {
    format!(
        "<section class=\"sources\">\n<div class=\"source\"><h3>Before</h3>\n{before}</div>\n\
         <div class=\"source\"><h3>After</h3>\n{after}</div>\n</section>\n"
    )
}

/// Lines with their numbers, and what `find` marks in them; it is told the line's number.
fn lines<'a>(
    text: &[(u32, &str)],
    rows: &[Option<usize>],
    find: impl Fn(u32, &str) -> (Vec<Mark<'a>>, Vec<&'a Binding>),
) -> String {
    let mut out = "<div class=\"code\" tabindex=\"0\"><pre>".to_owned();
    for (at, &(number, line)) in text.iter().enumerate() {
        let (marks, dots) = find(number, line);
        let row =
            rows.get(at).copied().flatten().map_or_else(String::new, |row| format!(" data-r=\"{row}\""));
        let _ =
            write!(out, "<span class=\"line\"{row}><span class=\"no\">{number}</span><span class=\"dots\">");
        for binding in dots.iter().take(4) {
            let _ = write!(out, "<i data-b=\"{}\" style=\"--h:{}\"></i>", binding.id, binding.hue);
        }
        out += "</span>";
        out += &marked(line, marks);
        out += "</span>\n";
    }
    out + "</pre></div>\n"
}

/// A line with its marks; marks may lie in one another, of two that cross the later one is dropped.
fn marked(line: &str, mut marks: Vec<Mark<'_>>) -> String {
    marks.sort_by_key(|m| (m.start, std::cmp::Reverse(m.end)));
    let mut kept: Vec<Mark<'_>> = Vec::new();
    for mark in marks {
        let crosses = kept.iter().any(|k| mark.start < k.end && mark.end > k.end);
        let same = kept.iter().any(|k| (k.start, k.end) == (mark.start, mark.end));
        if !crosses && !same {
            kept.push(mark);
        }
    }
    let mut out = String::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    for mark in kept {
        close(&mut out, line, &mut at, &mut open, mark.start);
        out += &coloured(&line[at..mark.start]);
        at = mark.start;
        let _ = write!(
            out,
            "<span class=\"b\" tabindex=\"0\" data-b=\"{}\" style=\"--h:{}\">",
            mark.binding.id, mark.binding.hue
        );
        open.push(mark.end);
    }
    close(&mut out, line, &mut at, &mut open, line.len());
    out + &coloured(&line[at..])
}

/// Closes the marks that end at or before `until`.
fn close(out: &mut String, line: &str, at: &mut usize, open: &mut Vec<usize>, until: usize) {
    while let Some(&end) = open.last()
        && end <= until
    {
        *out += &coloured(&line[*at..end]);
        *out += "</span>";
        *at = end;
        open.pop();
    }
}
