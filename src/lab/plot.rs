//! Cost against number of rules, as a curve and as a picture.

use std::fmt::Write;

use serde::Serialize;

use super::{Program, Stats, Trial, geometric_mean, micros, try_rules};
use crate::cse::Options;
use crate::error::Error;
use crate::rules::RuleSet;

/// Some number of rules, and what they reach.
///
/// ```
/// use satir::lab::plot::{Point, svg};
///
/// let points = [Point { rules: 0, ratio: 1.0, time_us: 10, time_range_us: (9, 12) }, Point { rules: 8, ratio: 0.5, time_us: 20, time_range_us: (18, 30) }];
/// assert!(svg(&points).contains("rules"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// How many rules.
    pub rules: usize,
    /// Geometric mean of the results' costs in parts of the inputs'.
    pub ratio: f64,
    /// Total time, in microseconds: the median of some runs.
    pub time_us: u64,
    /// The least and the greatest total time of these runs.
    pub time_range_us: (u64, u64),
}

/// How often each point is measured.
const RUNS: usize = 3;

/// What the most useful rules reach, by their number: none, one, two, and so on in growing steps. Rules are ordered by
/// what gets lost without them, then by how often they unite classes.
///
/// # Errors
///
/// If a program is not well-formed.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, plot::curve, stats};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let (programs, options) = ([Program::new("p", module)], Options::default());
/// let stats = stats(&programs, &rules, &options)?;
/// let points = curve(&programs, &rules, &options, &stats)?;
/// assert_eq!(points.iter().map(|p| p.rules).collect::<Vec<_>>(), [0, 1]);
/// assert!(points[1].ratio < points[0].ratio);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn curve(
    programs: &[Program],
    rules: &RuleSet,
    options: &Options,
    stats: &Stats,
) -> Result<Vec<Point>, Error> {
    let mut order: Vec<_> = stats.rules.iter().collect();
    order.sort_by(|a, b| b.cost_without.total_cmp(&a.cost_without).then(b.unions.cmp(&a.unions)));
    let mut counts = vec![0];
    let mut count = 1;
    while count < order.len() {
        counts.push(count);
        count += (count / 4).max(1);
    }
    counts.push(order.len());
    counts.dedup();
    let point = |&count: &usize| {
        let first = &order[..count];
        let mut subset = rules.clone();
        subset.keep_only(|rule| first.iter().any(|r| *r.rule == *rule.name));
        let mut runs = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let trials: Vec<Trial> =
                programs.iter().map(|p| try_rules(p, &subset, options)).collect::<Result<_, Error>>()?;
            let ratio = geometric_mean(trials.iter().map(Trial::ratio));
            runs.push((micros(trials.iter().map(|t| t.time).sum()), ratio));
        }
        runs.sort_by_key(|run| run.0);
        let (time_us, ratio) = runs[RUNS / 2];
        Ok(Point { rules: count, ratio, time_us, time_range_us: (runs[0].0, runs[RUNS - 1].0) })
    };
    // One after the other: what runs beside would count as time.
    counts.iter().map(point).collect()
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 70.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 55.0;

/// Bounds of an axis for values between these two: from 0, unless they lie so close together that nothing could be seen then. A
/// broken axis is so long that four decimals tell its five labels apart.
fn axis(low: f64, high: f64) -> (f64, f64) {
    if low < CLOSE * high {
        return (0.0, high);
    }
    let missing = (4e-4 - (high - low)).max(0.0);
    (low - missing / 2.0, high + missing / 2.0)
}

/// From this part of the greatest value on the least one is close to it.
const CLOSE: f64 = 0.7;

/// The curve as a picture: cost on the left axis, time on the right one.
///
/// ```
/// use satir::lab::plot::{Point, svg};
///
/// let points = [Point { rules: 0, ratio: 1.0, time_us: 10, time_range_us: (9, 12) }, Point { rules: 8, ratio: 0.5, time_us: 20, time_range_us: (18, 30) }];
/// assert!(svg(&points).starts_with("<svg"));
/// ```
pub fn svg(points: &[Point]) -> String {
    let most = points.iter().map(|p| p.rules).max().unwrap_or(0).max(1) as f64;
    let slowest = points.iter().map(|p| p.time_us.max(p.time_range_us.1)).max().unwrap_or(0).max(1) as f64;
    let (low, high) = points
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p.ratio), high.max(p.ratio)));
    let (low, high) = if low.is_finite() { axis(low, high.max(1e-9)) } else { (0.0, 1.0) };
    let x = |p: &Point| LEFT + p.rules as f64 / most * (WIDTH - LEFT - RIGHT);
    let height = HEIGHT - TOP - BOTTOM;
    let y_cost = |ratio: f64| TOP + (high - ratio) / (high - low) * height;
    let y_time = |time: f64| TOP + (1.0 - time / slowest) * height;
    let line = |y: &dyn Fn(&Point) -> f64| {
        points.iter().map(|p| format!("{:.1},{:.1}", x(p), y(p))).collect::<Vec<_>>().join(" ")
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<style>\n  svg {{ background: #fff; }} text {{ fill: #222; }}\n  \
         .axis {{ stroke: #888; }} .grid {{ stroke: #ddd; }}\n  \
         .cost {{ stroke: #0b61a4; fill: none; stroke-width: 2; }} .cost-text {{ fill: #0b61a4; }}\n  \
         .time {{ stroke: #b3541e; fill: none; stroke-width: 2; stroke-dasharray: 5 3; }} .time-text {{ fill: #b3541e; }} .bar {{ stroke: #b3541e; fill: none; }}\n  \
         @media (prefers-color-scheme: dark) {{\n    svg {{ background: #16191d; }} text {{ fill: #ddd; }} .grid {{ stroke: #333; }}\n    \
         .cost {{ stroke: #6cb6ff; }} .cost-text {{ fill: #6cb6ff; }} .time {{ stroke: #f0a070; }} .time-text {{ fill: #f0a070; }} .bar {{ stroke: #f0a070; }}\n  }}\n</style>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">What the most useful rules reach</text>\n"
    );
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for step in 0..=4 {
        let part = f64::from(step) / 4.0;
        let y = TOP + part * height;
        let (ratio, ms) = (high - part * (high - low), (1.0 - part) * slowest / 1e3);
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>\
             <text class=\"cost-text\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{ratio:.4}</text>\
             <text class=\"time-text\" x=\"{:.1}\" y=\"{:.1}\">{ms:.0}</text>",
            LEFT - 8.0,
            y + 4.0,
            right + 8.0,
            y + 4.0,
        );
        let count = (part * most).round();
        let at = LEFT + part * (right - LEFT);
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{count}</text>",
            bottom + 18.0
        );
    }
    let _ = writeln!(
        out,
        "<line class=\"axis\" x1=\"{LEFT}\" y1=\"{bottom}\" x2=\"{right}\" y2=\"{bottom}\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">number of rules</text>\n\
         <text class=\"cost-text\" x=\"{LEFT}\" y=\"42\" text-anchor=\"middle\">cost of results / inputs</text>\n\
         <text class=\"time-text\" x=\"{right}\" y=\"42\" text-anchor=\"end\">time, ms (median and range)</text>\n\
         <polyline class=\"cost\" points=\"{}\"/>\n<polyline class=\"time\" points=\"{}\"/>",
        (LEFT + right) / 2.0,
        bottom + 40.0,
        line(&|p| y_cost(p.ratio)),
        line(&|p| y_time(p.time_us as f64)),
    );
    if low > 0.0 {
        // A mark across the foot of the axis, and words.
        let _ = writeln!(
            out,
            "<path class=\"cost\" d=\"M{:.1} {:.1}l6 -5l6 5l6 -5\"/>\
             <text class=\"cost-text\" x=\"{:.1}\" y=\"{:.1}\" font-size=\"10\">broken axis: it does not begin at 0</text>",
            LEFT - 9.0,
            bottom - 4.0,
            LEFT + 16.0,
            bottom - 6.0,
        );
    }
    for p in points {
        let (at, least, most) = (x(p), y_time(p.time_range_us.0 as f64), y_time(p.time_range_us.1 as f64));
        let _ = writeln!(
            out,
            "<path class=\"bar\" d=\"M{:.1} {least:.1}h6M{at:.1} {least:.1}V{most:.1}M{:.1} {most:.1}h6\"/>",
            at - 3.0,
            at - 3.0
        );
    }
    for p in points {
        let _ = writeln!(
            out,
            "<circle class=\"cost\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"><title>{} rules: cost {:.4}, {:.1} ms</title></circle>",
            x(p),
            y_cost(p.ratio),
            p.rules,
            p.ratio,
            p.time_us as f64 / 1e3,
        );
    }
    out + "</svg>\n"
}
