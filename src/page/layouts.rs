//! Pictures of buffers with padding: the elements row by row, padding hatched, and who has to do with it.

use std::fmt::Write;

use super::text::escape;
use crate::padding::{Padded, Part};

/// The size of a picture, in pixels, and the largest side of an element in it.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
const ELEMENT: f64 = 24.0;

/// Padding is drawn at least this large.
const LEAST: f64 = 2.0;

/// Elements are told apart where their sides are at least this long.
const TOLD_APART: f64 = 5.0;

/// The most pieces that a box of padding is drawn in.
const MAX_PIECES: usize = 512;

/// All buffers with padding; `after` is the text of the result.
pub(super) fn layouts(layouts: &[Padded], after: &str) -> String {
    if layouts.is_empty() {
        return String::new();
    }
    let lines: Vec<&str> = after.lines().collect();
    let mut out = "<section class=\"layouts\">\n<h2>Padding</h2>\n\
                   <svg width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\n"
        .to_owned();
    // One pattern for each of the colours.
    for class in ["written", "assumed", "nobody"] {
        let _ = writeln!(
            out,
            "<pattern id=\"hatch-{class}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><rect class=\"ground\" width=\"6\" height=\"6\"/>\
             <line class=\"{class}\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\"/></pattern>"
        );
    }
    out += "</defs></svg>\n";
    for layout in layouts {
        out += &one(layout, &lines);
    }
    out + "</section>\n"
}

fn one(layout: &Padded, lines: &[&str]) -> String {
    let Padded { function, buffer, shape, .. } = layout;
    let extents: Vec<String> = shape.iter().map(i64::to_string).collect();
    let mut out = format!(
        "<figure>\n<figcaption><code>{}[{}]</code> in <code>{}</code>",
        escape(buffer),
        extents.join(", "),
        escape(function)
    );
    if let Some(map) = &layout.map {
        let _ = write!(out, ", by <code>{}</code>", escape(map));
    }
    if let Some(value) = &layout.value {
        let _ = write!(out, ", padding <code>{}</code>", escape(value));
    }
    out += "</figcaption>\n";
    out += &picture(layout);
    if layout.parts.is_empty() {
        return out + "<p class=\"small\">No element is padding.</p>\n</figure>\n";
    }
    out += "<table class=\"uses\"><tr><th>padding</th><th>what it holds is</th><th>read by</th></tr>\n";
    for part in &layout.parts {
        let (provided, read) = match &part.uses {
            None => ("not known: the text does not tell the order of execution".to_owned(), String::new()),
            Some(uses) => {
                let mut from = Vec::new();
                if !uses.assumed.is_empty() {
                    from.push(format!("the caller's, assumed in {}", statements(&uses.assumed, lines)));
                }
                if !uses.written.is_empty() {
                    from.push(format!("stored in {}", statements(&uses.written, lines)));
                }
                let read =
                    if uses.read.is_empty() { "nothing".to_owned() } else { statements(&uses.read, lines) };
                (if from.is_empty() { "nobody's".to_owned() } else { from.join("; ") }, read)
            }
        };
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{provided}</td><td>{read}</td></tr>",
            slices(&part.ranges)
        );
    }
    out + "</table>\n</figure>\n"
}

/// Statements by their lines in the result.
fn statements(numbers: &[u32], lines: &[&str]) -> String {
    let of = |&number: &u32| {
        let source = lines.get(number as usize - 1).map_or("", |line| line.trim());
        format!("line {number}: <code>{}</code>", escape(source))
    };
    numbers.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// A box as indices and slices: `[3, 2:4]`.
fn slices(ranges: &[(i64, i64)]) -> String {
    let of = |&(first, length): &(i64, i64)| match length {
        1 => first.to_string(),
        _ => format!("{first}:{}", first + length),
    };
    format!("[{}]", ranges.iter().map(of).collect::<Vec<_>>().join(", "))
}

/// By what padding is coloured: who provides what it holds.
fn class(part: &Part) -> &'static str {
    match &part.uses {
        Some(uses) if !uses.written.is_empty() => "written",
        Some(uses) if !uses.assumed.is_empty() => "assumed",
        _ => "nobody",
    }
}

/// The elements: the last dimension from left to right, all others from top to bottom.
fn picture(layout: &Padded) -> String {
    let columns = layout.shape.last().copied().unwrap_or(1);
    let outer = &layout.shape[..layout.shape.len().saturating_sub(1)];
    let Some(rows) = outer.iter().try_fold(1_i64, |rows, &n| rows.checked_mul(n)) else {
        return String::new();
    };
    if rows < 1 || columns < 1 {
        return String::new();
    }
    let (dx, dy) = ((WIDTH / columns as f64).min(ELEMENT), (HEIGHT / rows as f64).min(ELEMENT));
    let (width, height) = (dx * columns as f64, dy * rows as f64);
    let mut out = format!(
        "<svg class=\"layout\" role=\"img\" viewBox=\"-70 -24 {:.1} {:.1}\" width=\"{:.0}\" height=\"{:.0}\">\n\
         <title>{}: {rows} rows of {columns} elements, padding hatched</title>\n\
         <rect class=\"elements\" width=\"{width:.2}\" height=\"{height:.2}\"/>\n",
        width + 80.0,
        height + 34.0,
        width + 80.0,
        height + 34.0,
        escape(&layout.buffer),
    );
    for part in &layout.parts {
        let (first, length) = part.ranges.last().copied().unwrap_or((0, 1));
        let reads = part.uses.as_ref().is_some_and(|uses| !uses.read.is_empty());
        for (row, count) in row_spans(&part.ranges[..outer.len()], outer) {
            let (w, h) = ((dx * length as f64).max(LEAST), (dy * count as f64).max(LEAST));
            let (x, y) = ((dx * first as f64).min(width - w), (dy * row as f64).min(height - h));
            let _ = writeln!(
                out,
                "<rect class=\"padding{}\" fill=\"url(#hatch-{})\" x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\">\
                 <title>{}</title></rect>",
                if reads { " read" } else { "" },
                class(part),
                slices(&part.ranges)
            );
        }
    }
    let mut grid = String::new();
    for k in (1..columns).take_while(|_| dx >= TOLD_APART) {
        let _ = write!(grid, "M{:.2} 0V{height:.2}", dx * k as f64);
    }
    for k in (1..rows).take_while(|_| dy >= TOLD_APART) {
        let _ = write!(grid, "M0 {:.2}H{width:.2}", dy * k as f64);
    }
    if !grid.is_empty() {
        let _ = writeln!(out, "<path class=\"grid\" d=\"{grid}\"/>");
    }
    let axes: Vec<String> = (0..outer.len()).map(|k| format!("i{k}")).collect();
    let _ = writeln!(out, "<text x=\"0\" y=\"-8\">i{} &rarr; {columns}</text>", outer.len());
    if !axes.is_empty() {
        let extents: Vec<String> = outer.iter().map(i64::to_string).collect();
        let _ = writeln!(
            out,
            "<text x=\"-8\" y=\"12\" text-anchor=\"end\">{} &darr;</text>\n\
             <text x=\"-8\" y=\"26\" text-anchor=\"end\">{}</text>",
            axes.join(", "),
            extents.join(" &times; ")
        );
    }
    out + "</svg>\n"
}

/// The rows that a box takes, as spans of rows that follow each other: the first one and how many.
fn row_spans(ranges: &[(i64, i64)], shape: &[i64]) -> Vec<(i64, i64)> {
    let mut spans = vec![(0, 1)];
    let mut below = 1;
    for (&(first, length), &extent) in ranges.iter().zip(shape).rev() {
        let whole = spans == [(0, below)];
        spans = if whole {
            vec![(first * below, length * below)]
        } else {
            let at = |k: i64| spans.iter().map(move |&(row, count)| (row + k * below, count));
            (first..first + length).flat_map(at).take(MAX_PIECES).collect()
        };
        below *= extent;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_follow_each_other_are_one_span() {
        assert_eq!(row_spans(&[(3, 1)], &[4]), [(3, 1)]);
        assert_eq!(row_spans(&[(1, 2), (0, 4)], &[4, 4]), [(4, 8)]);
        assert_eq!(row_spans(&[(0, 2), (3, 1)], &[2, 4]), [(3, 1), (7, 1)]);
        assert_eq!(row_spans(&[], &[]), [(0, 1)]);
    }

    #[test]
    fn a_box_is_written_as_slices() {
        assert_eq!(slices(&[(3, 1), (2, 2)]), "[3, 2:4]");
    }
}
