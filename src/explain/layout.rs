//! Where the parts of the picture of an e-graph stand: classes in rows, their nodes side by side, and the ways of the edges.
//!
//! An edge leaves its node at a port of the operand and enters the operand's class from above. It bends only between rows and
//! has a lane of its own through each row that it crosses, so that no box hides it; one that leads back up goes round the
//! outside.

use std::collections::BTreeMap;

use super::graph::View;

const LETTER: f64 = 7.4;
const SMALL_LETTER: f64 = 6.2;
pub(super) const TITLE: f64 = 18.0;
pub(super) const NODE_HEIGHT: f64 = 18.0;
const NODE_GAP: f64 = 6.0;
/// Room below the nodes for the numbers of their ports.
const PORTS: f64 = 12.0;
const GAP_X: f64 = 22.0;
const GAP_Y: f64 = 56.0;
const LANE: f64 = 8.0;
const MARGIN: f64 = 28.0;
/// How far from a row the edges that lead back turn.
const TURN: f64 = 10.0;
const SWEEPS: usize = 8;

/// A box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

type Point = (f64, f64);

/// A part of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Piece {
    Line(Point),
    /// Leaves and enters upright.
    Bend(Point),
}

/// The way of an edge.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Route {
    /// Position of the node in [`View::nodes`].
    pub node: usize,
    /// Which operand it is, from 0.
    pub operand: usize,
    pub start: Point,
    pub pieces: Vec<Piece>,
}

/// A picture.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub width: f64,
    pub height: f64,
    /// The box of each class.
    pub classes: Vec<Rect>,
    /// The box of each node.
    pub nodes: Vec<Rect>,
    pub routes: Vec<Route>,
}

/// What stands in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Class(usize),
    /// A lane for the edges to a class further down.
    Lane(usize),
}

/// The rows while they are put into order.
struct Rows {
    depth: Vec<usize>,
    rows: Vec<Vec<Item>>,
    /// What is joined from one row to the next: for each row pairs of an item and one of the row below.
    joints: Vec<Vec<(Item, Item)>>,
}

impl Layout {
    /// The places of all parts of a view.
    pub(super) fn of(view: &View) -> Layout {
        if view.classes.is_empty() {
            return Layout { width: 2.0 * MARGIN, height: 2.0 * MARGIN, ..Layout::default() };
        }
        let mut rows = Rows::of(view);
        rows.sort();
        rows.place(view)
    }
}

impl Rows {
    fn of(view: &View) -> Rows {
        let depth = depths(view);
        let deepest = depth.iter().copied().max().unwrap_or(0);
        let mut rows: Vec<Vec<Item>> = vec![Vec::new(); deepest + 1];
        for (class, &row) in depth.iter().enumerate() {
            rows[row].push(Item::Class(class));
        }
        let mut joints: Vec<Vec<(Item, Item)>> = vec![Vec::new(); deepest + 1];
        for node in &view.nodes {
            for &to in &node.operands {
                let (from_row, to_row) = (depth[node.class], depth[to]);
                let mut above = Item::Class(node.class);
                for row in from_row..to_row {
                    let below = if row + 1 == to_row { Item::Class(to) } else { Item::Lane(to) };
                    if !rows[row + 1].contains(&below) {
                        rows[row + 1].push(below);
                    }
                    joints[row].push((above, below));
                    above = below;
                }
            }
        }
        Rows { depth, rows, joints }
    }

    /// Brings what is joined close together: each item to the mean of its neighbours in the row above, then below, in turns.
    fn sort(&mut self) {
        for sweep in 0..SWEEPS {
            let down = sweep % 2 == 0;
            let count = self.rows.len();
            for step in 1..count {
                let row = if down { step } else { count - 1 - step };
                let (other, joints) = if down { (row - 1, row - 1) } else { (row + 1, row) };
                let position: BTreeMap<Item, usize> =
                    self.rows[other].iter().enumerate().map(|(at, &item)| (item, at)).collect();
                let mut sums: BTreeMap<Item, (f64, f64)> = BTreeMap::new();
                for &(above, below) in &self.joints[joints] {
                    let (item, neighbour) = if down { (below, above) } else { (above, below) };
                    let sum = sums.entry(item).or_default();
                    sum.0 += position.get(&neighbour).copied().unwrap_or(0) as f64;
                    sum.1 += 1.0;
                }
                let own: BTreeMap<Item, usize> =
                    self.rows[row].iter().enumerate().map(|(at, &item)| (item, at)).collect();
                let wish = |item: &Item| {
                    sums.get(item).map_or(own.get(item).copied().unwrap_or(0) as f64, |(sum, n)| sum / n)
                };
                self.rows[row].sort_by(|a, b| wish(a).total_cmp(&wish(b)));
            }
        }
    }

    fn place(&self, view: &View) -> Layout {
        let node_width = |n: usize| (view.nodes[n].label.chars().count() as f64 * LETTER + 14.0).max(28.0);
        let mut out = Layout {
            classes: vec![Rect::default(); view.classes.len()],
            nodes: vec![Rect::default(); view.nodes.len()],
            ..Layout::default()
        };
        let class_width = |class: usize| {
            let class = &view.classes[class];
            let nodes: f64 = class.nodes.iter().map(|&n| node_width(n) + NODE_GAP).sum();
            (nodes + NODE_GAP).max(class.title().chars().count() as f64 * SMALL_LETTER + 12.0)
        };
        let width_of = |item: &Item| match item {
            Item::Class(class) => class_width(*class),
            Item::Lane(_) => LANE,
        };
        let row_width = |row: &[Item]| row.iter().map(|item| width_of(item) + GAP_X).sum::<f64>() - GAP_X;
        let widest = self.rows.iter().map(|row| row_width(row)).fold(0.0, f64::max);
        let height = TITLE + NODE_HEIGHT + PORTS;
        let mut lanes: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (at, row) in self.rows.iter().enumerate() {
            let y = MARGIN + at as f64 * (height + GAP_Y);
            let mut x = MARGIN + (widest - row_width(row)) / 2.0;
            for item in row {
                let width = width_of(item);
                match *item {
                    Item::Class(class) => {
                        out.classes[class] = Rect { x, y, width, height };
                        let mut node_x = x + NODE_GAP;
                        for &n in &view.classes[class].nodes {
                            let width = node_width(n);
                            out.nodes[n] = Rect { x: node_x, y: y + TITLE, width, height: NODE_HEIGHT };
                            node_x += width + NODE_GAP;
                        }
                    }
                    Item::Lane(to) => {
                        lanes.insert((at, to), x + width / 2.0);
                    }
                }
                x += width + GAP_X;
            }
        }
        let outside = MARGIN + widest + GAP_X;
        let mut back = 0;
        let entries = entries(view, &out);
        for (n, node) in view.nodes.iter().enumerate() {
            let own = out.nodes[n];
            for (k, &to) in node.operands.iter().enumerate() {
                let x = own.x + own.width * (k as f64 + 1.0) / (node.operands.len() as f64 + 1.0);
                let start = (x, own.y + own.height);
                let bottom = |row: usize| MARGIN + row as f64 * (height + GAP_Y) + height;
                let (from, end) = (self.depth[node.class], out.classes[to]);
                let enter = (entries[&(n, k)], end.y);
                let mut pieces = Vec::new();
                if self.depth[to] > from {
                    pieces.push(Piece::Line((x, bottom(from))));
                    for row in from + 1..self.depth[to] {
                        let lane = lanes.get(&(row, to)).copied().unwrap_or(x);
                        pieces.push(Piece::Bend((lane, bottom(row) - height)));
                        pieces.push(Piece::Line((lane, bottom(row))));
                    }
                    pieces.push(Piece::Bend(enter));
                } else {
                    let lane = outside + f64::from(back) * LANE;
                    back += 1;
                    for point in [
                        (x, bottom(from) + TURN),
                        (lane, bottom(from) + TURN),
                        (lane, end.y - TURN),
                        (enter.0, end.y - TURN),
                        enter,
                    ] {
                        pieces.push(Piece::Line(point));
                    }
                }
                out.routes.push(Route { node: n, operand: k, start, pieces });
            }
        }
        out.width = if back == 0 { MARGIN + widest } else { outside + f64::from(back) * LANE } + MARGIN;
        out.height = MARGIN + self.rows.len() as f64 * (height + GAP_Y) - GAP_Y + MARGIN;
        out
    }
}

/// Where each edge enters the class of its operand, by node and operand: next to each other, in the order in which they come.
fn entries(view: &View, layout: &Layout) -> BTreeMap<(usize, usize), f64> {
    let mut coming: BTreeMap<usize, Vec<(f64, usize, usize)>> = BTreeMap::new();
    for (n, node) in view.nodes.iter().enumerate() {
        for (k, &to) in node.operands.iter().enumerate() {
            let port = layout.nodes[n].width * (k as f64 + 1.0) / (node.operands.len() as f64 + 1.0);
            coming.entry(to).or_default().push((layout.nodes[n].x + port, n, k));
        }
    }
    let mut entries = BTreeMap::new();
    for (class, mut edges) in coming {
        edges.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let (own, count) = (layout.classes[class], edges.len() as f64);
        for (at, (_, n, k)) in edges.into_iter().enumerate() {
            entries.insert((n, k), own.x + own.width * (at as f64 + 1.0) / (count + 1.0));
        }
    }
    entries
}

/// How many rows each class is below the first, by the longest way that enters no class twice (nearly: edges that lead back
/// in a depth-first walk are left out).
fn depths(view: &View) -> Vec<usize> {
    let below = |class: usize| -> Vec<usize> {
        view.classes[class].nodes.iter().flat_map(|&n| view.nodes[n].operands.iter().copied()).collect()
    };
    let mut order = Vec::new();
    let mut entered = vec![false; view.classes.len()];
    for root in 0..view.classes.len() {
        if std::mem::replace(&mut entered[root], true) {
            continue;
        }
        let mut stack = vec![(root, below(root))];
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
    }
    order.reverse();
    let mut position = vec![0; view.classes.len()];
    for (at, &class) in order.iter().enumerate() {
        position[class] = at;
    }
    let mut depth = vec![0; view.classes.len()];
    for &class in &order {
        for operand in below(class).into_iter().filter(|&o| position[o] > position[class]) {
            depth[operand] = depth[operand].max(depth[class] + 1);
        }
    }
    depth
}

impl Piece {
    /// Points on the way from `from`, its end among them.
    #[cfg(test)]
    fn samples(self, from: Point) -> Vec<Point> {
        const STEPS: u32 = 16;
        let at = |t: f64| match self {
            Piece::Line(to) => (from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t),
            Piece::Bend(to) => {
                let middle = f64::midpoint(from.1, to.1);
                let mix = |a: f64, b: f64, c: f64, d: f64| {
                    let s = 1.0 - t;
                    a * s * s * s + 3.0 * b * s * s * t + 3.0 * c * s * t * t + d * t * t * t
                };
                (mix(from.0, from.0, to.0, to.0), mix(from.1, middle, middle, to.1))
            }
        };
        (0..=STEPS).map(|step| at(f64::from(step) / f64::from(STEPS))).collect()
    }

    /// Where it ends.
    pub(super) fn end(self) -> Point {
        match self {
            Piece::Line(to) | Piece::Bend(to) => to,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::{ViewClass, ViewNode};
    use super::*;

    /// A graph whose class `i` has the nodes with these operands.
    fn view(classes: &[&[&[usize]]]) -> View {
        let mut view = View { classes: Vec::new(), nodes: Vec::new(), roots: vec![0], left_out: 0 };
        for (class, nodes) in classes.iter().enumerate() {
            let first = view.nodes.len();
            for operands in nodes.iter() {
                let (label, operands) = ("operator".to_owned(), operands.to_vec());
                view.nodes.push(ViewNode { label, class, operands, cost: 1.0, chosen: false });
            }
            let nodes = (first..view.nodes.len()).collect();
            view.classes.push(ViewClass { dtype: "int32".to_owned(), range: None, nodes });
        }
        view
    }

    #[test]
    fn no_box_hides_an_edge() {
        // Edges over several rows, one to itself, and one that leads back.
        let view = view(&[
            &[&[1, 2], &[3, 4]],
            &[&[2, 3], &[1, 5]],
            &[&[3, 3]],
            &[&[4, 5], &[0, 5]],
            &[&[5]],
            &[&[]],
            &[&[5, 0], &[2, 4]],
        ]);
        let layout = Layout::of(&view);
        assert_eq!(layout.routes.len(), view.nodes.iter().map(|node| node.operands.len()).sum::<usize>());
        for route in &layout.routes {
            let own = view.nodes[route.node].class;
            let to = view.nodes[route.node].operands[route.operand];
            let mut from = route.start;
            for &piece in &route.pieces {
                for (x, y) in piece.samples(from) {
                    assert!(x > 0.0 && x < layout.width && y > 0.0 && y < layout.height);
                    for (class, rect) in layout.classes.iter().enumerate() {
                        let inside =
                            x > rect.x && x < rect.x + rect.width && y > rect.y && y < rect.y + rect.height;
                        let leaves = class == own && y > layout.nodes[route.node].y + NODE_HEIGHT - 0.1;
                        assert!(!inside || leaves, "an edge of class {own} runs behind class {class}");
                    }
                }
                from = piece.end();
            }
            let end = layout.classes[to];
            assert!(from.1 == end.y && from.0 > end.x && from.0 < end.x + end.width, "it ends at its class");
        }
    }

    #[test]
    fn boxes_do_not_overlap() {
        let view = view(&[&[&[1, 2, 3, 4]], &[&[5]], &[&[5]], &[&[5], &[]], &[&[]], &[&[]]]);
        let layout = Layout::of(&view);
        for (i, a) in layout.classes.iter().enumerate() {
            for b in &layout.classes[i + 1..] {
                let apart = a.x + a.width <= b.x
                    || b.x + b.width <= a.x
                    || a.y + a.height <= b.y
                    || b.y + b.height <= a.y;
                assert!(apart, "{a:?} {b:?}");
            }
        }
    }
}
