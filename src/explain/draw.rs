//! An e-graph as a picture: a box for each class, its nodes inside, those of the cheapest form marked.

use std::fmt::Write;

use super::graph::View;
use super::layout::{Layout, Piece, Route};

impl View {
    /// The graph as SVG. A class stands below those that use it, as far as cycles allow. An arrow leads from a node to the
    /// class of each operand; the numbers at its start give their order.
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
        let layout = Layout::of(self);
        let (width, height) = (layout.width, layout.height);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" font-family=\"ui-monospace, 'DejaVu Sans Mono', monospace\" font-size=\"12\">\n<style>\n  \
             svg {{ background: #fff; }} text {{ fill: #1c2126; }} .dim {{ fill: #68737d; font-size: 10px; }}\n  \
             .port {{ fill: #68737d; font-size: 8px; }}\n  \
             .class {{ fill: #f4f6f8; stroke: #aab4be; stroke-dasharray: 4 3; }} .node {{ fill: #fff; stroke: #aab4be; }}\n  \
             .chosen {{ fill: #cfe8ff; stroke: #1769aa; stroke-width: 1.6; }}\n  \
             .edge {{ fill: none; stroke: #8a96a1; }} .head {{ fill: #8a96a1; }}\n  \
             .taken {{ stroke: #1769aa; stroke-width: 2; }} .taken-head {{ fill: #1769aa; }}\n  \
             @media (prefers-color-scheme: dark) {{\n    svg {{ background: #14181c; }} text {{ fill: #e4e8ec; }} \
             .dim, .port {{ fill: #9aa5b0; }}\n    \
             .class {{ fill: #1d2329; stroke: #55606b; }} .node {{ fill: #14181c; stroke: #55606b; }}\n    \
             .chosen {{ fill: #123a5c; stroke: #6cb6ff; }} .edge {{ stroke: #6d7985; }} .head {{ fill: #6d7985; }}\n    \
             .taken {{ stroke: #6cb6ff; }} .taken-head {{ fill: #6cb6ff; }}\n  }}\n</style>\n<defs>\n"
        );
        for (name, kind) in [("arrow", "head"), ("arrow-taken", "taken-head")] {
            let _ = writeln!(
                out,
                "  <marker id=\"{name}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
                 markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"{kind}\" d=\"M0 0L8 4L0 8z\"/></marker>"
            );
        }
        out += "</defs>\n";
        for (class, p) in self.classes.iter().zip(&layout.classes) {
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
        }
        for (node, p) in self.nodes.iter().zip(&layout.nodes) {
            let kind = if node.chosen { "chosen" } else { "node" };
            let _ = writeln!(
                out,
                "<rect class=\"{kind}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                p.x,
                p.y,
                p.width,
                p.height,
                p.x + p.width / 2.0,
                p.y + 13.0,
                escape(&node.label)
            );
        }
        // Those of the cheapest form last, so that they cross over the others.
        for taken in [false, true] {
            for route in layout.routes.iter().filter(|route| self.nodes[route.node].chosen == taken) {
                out += &self.edge(route, taken);
            }
        }
        if self.left_out > 0 {
            let _ = writeln!(
                out,
                "<text class=\"dim\" x=\"8\" y=\"14\">{} classes further down are left out</text>",
                self.left_out
            );
        }
        out + "</svg>\n"
    }

    fn edge(&self, route: &Route, taken: bool) -> String {
        let node = &self.nodes[route.node];
        let (kind, head) = if taken { ("edge taken", "arrow-taken") } else { ("edge", "arrow") };
        let (x, y) = route.start;
        let mut way = format!("M{x:.1} {y:.1}");
        let mut from = route.start;
        for &piece in &route.pieces {
            let to = piece.end();
            let _ = match piece {
                Piece::Line(_) => write!(way, "L{:.1} {:.1}", to.0, to.1),
                Piece::Bend(_) => {
                    let middle = f64::midpoint(from.1, to.1);
                    write!(way, "C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}", from.0, to.0, to.0, to.1)
                }
            };
            from = to;
        }
        let (number, all) = (route.operand + 1, node.operands.len());
        let name = escape(&format!("operand {number} of {all} of {}", node.label));
        let mut out = format!(
            "<path class=\"{kind}\" marker-end=\"url(#{head})\" d=\"{way}\"><title>{name}</title></path>\n"
        );
        if all > 1 {
            let _ = writeln!(
                out,
                "<text class=\"port\" x=\"{:.1}\" y=\"{:.1}\">{number}</text>",
                x + 2.0,
                y + 9.0
            );
        }
        out
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
