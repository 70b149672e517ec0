//! An e-graph as a picture: a box for each class, its nodes inside, those of the cheapest form marked.

use std::fmt::Write;

use super::graph::View;

const ROW: f64 = 20.0;
const HEAD: f64 = 18.0;
const LETTER: f64 = 7.4;
const GAP_X: f64 = 26.0;
const GAP_Y: f64 = 52.0;
const MARGIN: f64 = 14.0;

/// Where a class is drawn.
#[derive(Clone, Copy, Default)]
struct Place {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl View {
    /// The graph as SVG. A class stands below those that use it, as far as cycles allow.
    ///
    /// ```
    /// use satir::cost::Profile;
    /// use satir::explain::{Context, View};
    /// use satir::rules::RuleSet;
    /// use satir::script::parse_expr;
    ///
    /// let mut b = satir::ir::build::FuncBuilder::new("main");
    /// b.param("x", satir::ir::DType::I32);
    /// let mut func = b.finish();
    /// let e = parse_expr("x * 4 // 4", &mut func)?;
    /// let (profile, rules) = (Profile::default(), RuleSet::embedded()?);
    /// let context = Context { func: &func, profile: &profile, rules: &rules, fast_math: false, ranges: &[], conds: &[] };
    /// let svg = View::new(&context, &e).to_svg();
    /// assert!(svg.starts_with("<svg") && svg.contains(">x<"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_svg(&self) -> String {
        let (places, width, height) = self.layout();
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"ui-monospace, 'DejaVu Sans Mono', monospace\" font-size=\"12\">\n<style>\n  \
             svg {{ background: #fff; }} text {{ fill: #1c2126; }} .dim {{ fill: #68737d; font-size: 10px; }}\n  \
             .class {{ fill: #f4f6f8; stroke: #aab4be; stroke-dasharray: 4 3; }} .node {{ fill: #fff; stroke: #aab4be; }}\n  \
             .chosen {{ fill: #cfe8ff; stroke: #1769aa; stroke-width: 1.6; }}\n  \
             .edge {{ fill: none; stroke: #aab4be; }} .taken {{ stroke: #1769aa; stroke-width: 2; }}\n  \
             @media (prefers-color-scheme: dark) {{\n    svg {{ background: #14181c; }} text {{ fill: #e4e8ec; }} .dim {{ fill: #9aa5b0; }}\n    \
             .class {{ fill: #1d2329; stroke: #55606b; }} .node {{ fill: #14181c; stroke: #55606b; }}\n    \
             .chosen {{ fill: #123a5c; stroke: #6cb6ff; }} .edge {{ stroke: #55606b; }} .taken {{ stroke: #6cb6ff; }}\n  }}\n</style>\n"
        );
        for taken in [false, true] {
            for (i, class) in self.classes.iter().enumerate() {
                for (row, &n) in
                    class.nodes.iter().enumerate().filter(|(_, n)| self.nodes[**n].chosen == taken)
                {
                    let node = &self.nodes[n];
                    for (k, &operand) in node.operands.iter().enumerate() {
                        let from = (
                            places[i].x
                                + 5.0
                                + (places[i].width - 10.0) * (k as f64 + 1.0)
                                    / (node.operands.len() as f64 + 1.0),
                            places[i].y + HEAD + (row as f64 + 1.0) * ROW - 3.0,
                        );
                        let to = (places[operand].x + places[operand].width / 2.0, places[operand].y);
                        let bend = ((to.1 - from.1) / 2.0).abs().max(24.0);
                        let kind = if taken { "edge taken" } else { "edge" };
                        let _ = writeln!(
                            out,
                            "<path class=\"{kind}\" d=\"M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\"/>",
                            from.0,
                            from.1,
                            from.0,
                            from.1 + bend,
                            to.0,
                            to.1 - bend,
                            to.0,
                            to.1
                        );
                    }
                }
            }
        }
        for (i, class) in self.classes.iter().enumerate() {
            let p = places[i];
            let _ = writeln!(
                out,
                "<rect class=\"class\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\"/>\
                 <text class=\"dim\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                p.x,
                p.y,
                p.width,
                p.height,
                p.x + 6.0,
                p.y + 12.0,
                escape(&class.title())
            );
            for (row, &n) in class.nodes.iter().enumerate() {
                let y = p.y + HEAD + row as f64 * ROW;
                let kind = if self.nodes[n].chosen { "chosen" } else { "node" };
                let _ = writeln!(
                    out,
                    "<rect class=\"{kind}\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\"/>\
                     <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    p.x + 5.0,
                    p.width - 10.0,
                    ROW - 3.0,
                    p.x + p.width / 2.0,
                    y + 12.5,
                    escape(&self.nodes[n].label)
                );
            }
        }
        out + "</svg>\n"
    }

    /// How many steps each class is below the first, by the longest way that enters no class twice (nearly: edges that
    /// lead back in a depth-first walk are left out).
    fn depths(&self) -> Vec<usize> {
        let below = |class: usize| {
            self.classes[class]
                .nodes
                .iter()
                .flat_map(|&n| self.nodes[n].operands.iter().copied())
                .collect::<Vec<_>>()
        };
        let mut order = Vec::new();
        let mut entered = vec![false; self.classes.len()];
        let mut stack = if self.classes.is_empty() { Vec::new() } else { vec![(0, below(0))] };
        if let Some(root) = entered.first_mut() {
            *root = true;
        }
        while let Some((class, open)) = stack.last_mut() {
            match open.pop() {
                Some(next) if !entered[next] => {
                    entered[next] = true;
                    stack.push((next, below(next)));
                }
                Some(_) => {}
                None => {
                    order.push(*class);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let mut position = vec![0; self.classes.len()];
        for (at, &class) in order.iter().enumerate() {
            position[class] = at;
        }
        let mut depth = vec![0; self.classes.len()];
        for &class in &order {
            for operand in below(class).into_iter().filter(|&o| position[o] > position[class]) {
                depth[operand] = depth[operand].max(depth[class] + 1);
            }
        }
        depth
    }

    /// The place of each class, and the size of the picture.
    fn layout(&self) -> (Vec<Place>, f64, f64) {
        let depth = self.depths();
        let mut places = vec![Place::default(); self.classes.len()];
        let deepest = depth.iter().copied().max().unwrap_or(0);
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); deepest + 1];
        for (i, d) in depth.iter().enumerate() {
            rows[*d].push(i);
        }
        let mut y = MARGIN;
        let mut widest: f64 = 0.0;
        for row in &rows {
            let mut x = MARGIN;
            let mut tallest: f64 = 0.0;
            for &i in row {
                let class = &self.classes[i];
                let labels = class.nodes.iter().map(|&n| self.nodes[n].label.chars().count());
                let letters = labels.max().unwrap_or(0) as f64;
                let title = class.title().chars().count() as f64 * 6.2;
                let width = (letters * LETTER + 24.0).max(title + 12.0).max(44.0);
                let height = HEAD + class.nodes.len() as f64 * ROW + 4.0;
                places[i] = Place { x, y, width, height };
                x += width + GAP_X;
                tallest = tallest.max(height);
            }
            widest = widest.max(x - GAP_X);
            y += tallest + GAP_Y;
        }
        for row in &rows {
            let end = row.last().map_or(0.0, |&i| places[i].x + places[i].width);
            for &i in row {
                places[i].x += (widest - end) / 2.0;
            }
        }
        (places, widest + MARGIN, y - GAP_Y + MARGIN)
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
