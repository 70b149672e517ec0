//! Pictures of which nests compute which tensors: a box for each nest, below those that it reads from.

use std::fmt::Write;

use super::text::escape;
use crate::tensor::Flow;

/// Sizes in pixels: of a letter, a box, and the room between boxes and rows.
const LETTER: f64 = 7.2;
const HEIGHT: f64 = 24.0;
const GAP: f64 = 18.0;
const ROW: f64 = 62.0;
const MARGIN: f64 = 12.0;

/// How often boxes are moved towards those that they are joined with.
const SWEEPS: usize = 6;

/// A box of the picture.
struct Part {
    label: String,
    title: String,
    class: &'static str,
    row: usize,
    x: f64,
    width: f64,
}

/// The picture of a flow: inputs above, nests below what they read.
pub(super) fn picture(flow: &Flow, about: &str) -> String {
    let (mut parts, edges) = parts(flow);
    place(&mut parts, &edges);
    let right = parts.iter().map(|part| part.x + part.width).fold(0.0, f64::max);
    let rows = parts.iter().map(|part| part.row + 1).max().unwrap_or(0);
    let (width, height) = (right + 2.0 * MARGIN, rows as f64 * ROW + MARGIN);
    let mut out = format!(
        "<svg class=\"flow\" role=\"img\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\">\n\
         <title>{}</title>\n",
        escape(about)
    );
    let top = |part: &Part| MARGIN + part.row as f64 * ROW;
    let middle = |part: &Part| MARGIN + part.x + part.width / 2.0;
    for (from, to, tensor) in &edges {
        let (a, b) = (&parts[*from], &parts[*to]);
        let (x1, y1, x2, y2) = (middle(a), top(a) + HEIGHT, middle(b), top(b));
        let bend = (y2 - y1) / 2.0;
        let _ = writeln!(
            out,
            "<path class=\"reads\" d=\"M{x1:.1} {y1:.1}C{x1:.1} {:.1} {x2:.1} {:.1} {x2:.1} {y2:.1}\"><title>{}</title></path>",
            y1 + bend,
            y2 - bend,
            escape(&told(flow, *tensor))
        );
    }
    for part in &parts {
        let (x, y) = (MARGIN + part.x, top(part));
        let _ = writeln!(
            out,
            "<g><title>{}</title><rect class=\"{}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{HEIGHT}\" rx=\"4\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></g>",
            escape(&part.title),
            part.class,
            part.width,
            middle(part),
            y + 16.0,
            escape(&part.label)
        );
    }
    out + "</svg>\n"
}

/// A tensor with its extents and type.
fn told(flow: &Flow, tensor: usize) -> String {
    let tensor = &flow.tensors[tensor];
    format!("{}[{}], {}", tensor.name, tensor.shape.join(", "), tensor.dtype)
}

/// The boxes, and from which to which an edge leads, for which tensor.
fn parts(flow: &Flow) -> (Vec<Part>, Vec<(usize, usize, usize)>) {
    let mut parts: Vec<Part> = Vec::new();
    let mut edges: Vec<(usize, usize, usize)> = Vec::new();
    // For each tensor the box that has it so far.
    let mut from: Vec<Option<usize>> = vec![None; flow.tensors.len()];
    for nest in &flow.nests {
        for &tensor in &nest.reads {
            if from[tensor].is_none() {
                from[tensor] = Some(parts.len());
                let label = flow.tensors[tensor].name.clone();
                parts.push(Part::new(label, told(flow, tensor), "input", 0));
            }
        }
        let sources: Vec<(usize, usize)> =
            nest.reads.iter().filter_map(|&tensor| Some((from[tensor]?, tensor))).collect();
        let row = sources.iter().map(|&(part, _)| parts[part].row + 1).max().unwrap_or(1);
        let written: Vec<String> = nest.writes.iter().map(|&tensor| told(flow, tensor)).collect();
        let result = nest.writes.iter().any(|&tensor| flow.tensors[tensor].is_parameter);
        let class = if result { "nest result" } else { "nest" };
        let at = parts.len();
        parts.push(Part::new(nest.name.clone(), format!("writes {}", written.join("; ")), class, row));
        edges.extend(sources.into_iter().map(|(part, tensor)| (part, at, tensor)));
        for &tensor in &nest.writes {
            from[tensor] = Some(at);
        }
    }
    (parts, edges)
}

impl Part {
    fn new(label: String, title: String, class: &'static str, row: usize) -> Part {
        let width = label.chars().count() as f64 * LETTER + 14.0;
        Part { label, title, class, row, x: 0.0, width }
    }
}

/// Puts the boxes of each row side by side, near those that they are joined with.
fn place(parts: &mut [Part], edges: &[(usize, usize, usize)]) {
    let rows = parts.iter().map(|part| part.row + 1).max().unwrap_or(0);
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); rows];
    for (at, part) in parts.iter().enumerate() {
        order[part.row].push(at);
    }
    for row in &order {
        settle(parts, row);
    }
    for _ in 0..SWEEPS {
        for row in &mut order {
            let wish = |at: usize| {
                let joined = edges.iter().filter_map(|&(from, to, _)| match (from == at, to == at) {
                    (true, false) => Some(to),
                    (false, true) => Some(from),
                    _ => None,
                });
                let places: Vec<f64> =
                    joined.map(|other| parts[other].x + parts[other].width / 2.0).collect();
                match places.len() {
                    0 => parts[at].x + parts[at].width / 2.0,
                    count => places.iter().sum::<f64>() / count as f64,
                }
            };
            let mut wished: Vec<(f64, usize)> = row.iter().map(|&at| (wish(at), at)).collect();
            wished.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            *row = wished.iter().map(|&(_, at)| at).collect();
            for (wish, at) in wished {
                parts[at].x = (wish - parts[at].width / 2.0).max(0.0);
            }
            settle(parts, row);
        }
    }
    let left = parts.iter().map(|part| part.x).fold(f64::INFINITY, f64::min);
    parts.iter_mut().for_each(|part| part.x -= left);
}

/// Moves the boxes of a row to the right until none overlaps the one before it.
fn settle(parts: &mut [Part], row: &[usize]) {
    let mut end = 0.0;
    for &at in row {
        parts[at].x = parts[at].x.max(end);
        end = parts[at].x + parts[at].width + GAP;
    }
}
