//! The stages of a run as text, for people: e-graphs and plans.
//!
//! An e-graph has a line for each class, `c7 int32 [0, 255] depth 1 = add(c3, c5) | mul(c2, c9)`: its name, type, range if one
//! is known, the depth of the scope that it needs, and its nodes. A plan has a line for each class that was chosen:
//! the node that computes it and where it is bound, or `inline`.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write;

use egg::Id;

use super::driver::{Config, Failure, Snapshot, optimize_and_tell};
use crate::egraph::{Knowing, Node, Op};
use crate::encode::Lowered;
use crate::extract::{Plan, Selection};
use crate::ir::PrimFunc;

/// What of a run is shown.
///
/// ```
/// use satir::eqsat::{show::Stage, show::show};
///
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let options = satir::cse::Options::default();
/// let lowered = show(&module.funcs[0], &options.search(), Stage::Lowered)?;
/// let plan = show(&module.funcs[0], &options.search(), Stage::Plan)?;
/// assert!(lowered.contains("= mul(") && plan.starts_with("cost "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The e-graph of the function as it is written.
    Lowered,
    /// The e-graph after theory and rules.
    Saturated,
    /// The chosen nodes and where they are bound.
    Plan,
}

/// The text of a stage.
///
/// # Errors
/// As [`optimize`](super::driver::optimize); what comes after the stage is not needed.
///
/// ```
/// use satir::eqsat::{show::Stage, show::show};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32, y: T.int32):\n    A[x * y] = A[y * x]\n")?;
/// let text = show(&module.funcs[0], &satir::cse::Options::default().search(), Stage::Saturated)?;
/// assert_eq!(text.lines().filter(|class| class.contains("mul(")).count(), 1, "one class for both: {text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn show(func: &PrimFunc, config: &Config<'_>, stage: Stage) -> Result<String, Failure> {
    let mut text = None;
    let done = optimize_and_tell(func, config, &mut |snapshot| match (stage, snapshot) {
        (Stage::Lowered, Snapshot::Lowered(lowered)) | (Stage::Saturated, Snapshot::Saturated(lowered)) => {
            text = Some(graph(func, lowered));
        }
        (Stage::Plan, Snapshot::Extracted(lowered, selection, made)) => {
            text = Some(plan(func, lowered, selection, made));
        }
        _ => {}
    });
    match (text, done) {
        (Some(text), _) => Ok(text),
        (None, Err(failure)) => Err(failure),
        (None, Ok(_)) => Err(Failure::NoTerm),
    }
}

fn graph(func: &PrimFunc, lowered: &Lowered) -> String {
    let classes: BTreeMap<Id, _> = lowered.graph.classes().map(|class| (class.id, class)).collect();
    let mut out = String::new();
    for (id, class) in classes {
        let facts = lowered.graph.facts(id);
        let _ = write!(out, "c{id} {}", facts.dtype);
        let (lo, hi) = (facts.interval.lo(), facts.interval.hi());
        if lo.is_some() || hi.is_some() {
            let end = |v: Option<i64>| v.map_or_else(|| "_".to_owned(), |v| v.to_string());
            let _ = write!(out, " [{}, {}]", end(lo), end(hi));
        }
        let _ = write!(out, " depth {} =", facts.level);
        for (i, node) in class.nodes.iter().enumerate() {
            let class = |i: usize| format!("c{}", lowered.graph.find(node.children[i]));
            let _ = write!(
                out,
                "{}{}",
                if i == 0 { " " } else { " | " },
                Shown { func, lowered, node, operand: &class }
            );
        }
        out.push('\n');
    }
    out
}

fn plan(func: &PrimFunc, lowered: &Lowered, selection: &Selection, plan: &Plan) -> String {
    let mut out = format!("cost {}\n", plan.cost);
    for (index, chosen) in selection.chosen.iter().enumerate() {
        let operand = |i: usize| format!("e{}", chosen.children[i]);
        let _ = write!(out, "e{index} = {}", Shown { func, lowered, node: &chosen.node, operand: &operand });
        let mut places = plan.bindings.iter().filter(|b| b.index == index).peekable();
        if places.peek().is_none() {
            out.push_str(": inline");
        }
        for (i, binding) in places.enumerate() {
            let scope = lowered.scopes.get(binding.place.scope);
            let _ = write!(
                out,
                "{} before statement {} of scope {} (depth {}, runs {}), {} uses",
                if i == 0 { ": bound" } else { " and" },
                binding.place.position,
                binding.place.scope.0,
                scope.depth,
                scope.frequency,
                binding.uses
            );
        }
        out.push('\n');
    }
    out
}

/// A node, its operands written by `operand`.
struct Shown<'a> {
    func: &'a PrimFunc,
    lowered: &'a Lowered,
    node: &'a Node,
    operand: &'a dyn Fn(usize) -> String,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || (0..self.node.children.len()).map(self.operand).collect::<Vec<_>>().join(", ");
        match &self.node.op {
            Op::Int(value) => write!(f, "{}", value.get()),
            Op::Float(bits) => write!(f, "{:?}", f64::from_bits(bits.get())),
            Op::Var(var) => f.write_str(&self.func.var(*var).name),
            Op::Bin(op) => write!(f, "{}({})", op.name(), all()),
            Op::Not => write!(f, "not({})", all()),
            Op::Cast => write!(f, "{}({})", self.node.dtype, all()),
            Op::Select => write!(f, "select({})", all()),
            Op::IfThenElse => write!(f, "if_then_else({})", all()),
            Op::Likely => write!(f, "likely({})", all()),
            Op::Load(buffer, version) => {
                write!(f, "{}.v{version}[{}]", self.func.buffer(*buffer).name, all())
            }
            Op::Ramp => write!(f, "ramp({})", all()),
            Op::Broadcast => write!(f, "broadcast({})", all()),
            Op::Lanes => write!(f, "lanes({})", all()),
            Op::Lane(lanes) => write!(f, "lane_of_{lanes}"),
            Op::LaneOf => write!(f, "lane_of({})", all()),
            Op::Call(callee) => {
                write!(f, "{}({})", self.lowered.callees.name(*callee).unwrap_or("call"), all())
            }
            Op::Template(number) => write!(f, "expression{number}({})", all()),
        }
    }
}
