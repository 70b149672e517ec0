//! What must hold of the passes on padding, layouts and statements that change nothing: their results do what the input
//! does, in any order, where elements of buffers with another layout are looked for where they are now.

use super::oracle::{Checker, Finding, Kind, guarded, settled};
use crate::cse::Options;
use crate::error::Error;
use crate::interp::{EquivOptions, Layout, Padding};
use crate::ir::{Buffer, BufferId, ExprKind, Module, Param, PrimFunc, StmtKind};
use crate::noop;
use crate::passes;
use crate::script::parse_lambda;

/// The passes that need not be told anything, alone and in the orders in which they help each other.
const PIPELINES: &[(&str, &str)] = &[
    ("simplify", "simplify"),
    ("remove-no-op", "remove-no-op"),
    ("overcompute", "overcompute"),
    ("merge-loops", "merge-loops"),
    ("remove-copies", "remove-copies"),
    ("branching", "branching"),
    ("choose-padding", "choose-padding,overcompute"),
    ("reduce-extents", "hoist,reduce-extents"),
    ("remove-undef", "remove-undef"),
    ("padding", "overcompute,merge-loops,overcompute,remove-no-op,remove-assume"),
    ("there and back", "branching,overcompute,branching,remove-no-op"),
    ("plan", "plan"),
    ("padding backwards", "remove-no-op,merge-loops,overcompute,remove-no-op"),
];

/// The most loops of a function that go into others.
const MAX_INTERCHANGES: usize = 8;

impl Checker {
    /// Checks the passes on padding.
    pub(super) fn padding(&mut self, module: &Module, wanted: &dyn Fn(&str) -> bool) -> Result<(), Finding> {
        // A pass may read what an assumption or a store permits to read.
        self.compare = EquivOptions {
            no_new_loads: false,
            accessed_only: true,
            limits_everywhere: false,
            ..self.compare.clone()
        };
        let options = Options::default();
        for &(part, pipeline) in PIPELINES.iter().filter(|(part, _)| wanted(part)) {
            // What depends on `T.undef()` may not be got rid of.
            if let Some(made) = unless_refused(|| self.pass(module, part, pipeline, &options))? {
                self.tally.improved |= made != *module;
                self.same(part, module, &made)?;
            }
        }
        if wanted("interchange") {
            for (number, func) in module.funcs.iter().enumerate() {
                // Whether it pays or not.
                for (made, _) in guarded("interchange", || Ok(noop::interchanged(func, MAX_INTERCHANGES)))? {
                    let mut all = module.clone();
                    all.funcs[number] = made;
                    let all = settled("interchange", &all)?;
                    self.tally.improved = true;
                    self.same("interchange", module, &all)?;
                }
            }
        }
        // From here on a pass may read what nobody reads or writes.
        self.compare.accessed_only = false;
        if wanted("readable") {
            let readable = Options { readable_parameters: true, ..options };
            let made = self.pass(module, "readable", "overcompute", &readable)?;
            self.same("readable", module, &made)?;
        }
        for (at, pad) in [None, Some("0"), Some("3"), Some("undef")].into_iter().enumerate() {
            self.layouts(module, pad, at, wanted)?;
        }
        Ok(())
    }

    /// Checks buffers in other layouts, and what passes make of these programs.
    fn layouts(
        &mut self,
        module: &Module,
        pad: Option<&str>,
        at: usize,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<(), Finding> {
        let [func] = &module.funcs[..] else { return Ok(()) };
        let buffers: Vec<&Buffer> = func
            .params
            .iter()
            .filter_map(|param| match param {
                // Of one that the function does not touch nobody is told what its padding is.
                Param::Buffer(id) if touches(func, *id) => Some(func.buffer(*id)),
                _ => None,
            })
            .filter(|buffer| buffer.strides.is_empty() && !buffer.shape.is_empty())
            .collect();
        let Some(buffer) = buffers.get(at % buffers.len().max(1)) else { return Ok(()) };
        let Some(map) = tiled(buffer, at) else { return Ok(()) };
        let name = &*buffer.name;
        let told = serde_json::json!([{"buffer": name, "map": map, "pad": pad}, {"sequential": name}]);
        let bad = |what: String| Finding { part: "transform-layout", kind: Kind::Refused, what };
        let args = passes::Args::parse(&told.to_string()).map_err(bad)?;
        let ways = [
            ("transform-layout", "transform-layout"),
            ("sequential-access", "transform-layout,sequential-access"),
            ("layout and padding", "transform-layout,sequential-access,simplify,overcompute,remove-no-op"),
        ];
        for (part, pipeline) in ways.into_iter().filter(|(part, _)| wanted(part)) {
            let made = unless_refused(|| {
                let made = guarded(part, || {
                    let options = Options::default();
                    let go_on = |_: &passes::Step, _: &_| std::ops::ControlFlow::Continue(());
                    match passes::run_with(module, &passes::select(pipeline)?, &options, &args, go_on) {
                        Err(Error::Refused(_) | Error::Argument { .. }) => Ok(None),
                        made => made.map(Some),
                    }
                })?;
                made.map(|made| settled(part, &made)).transpose()
            })?
            .flatten();
            let Some(made) = made else { continue };
            let layout = layout(&made.funcs[0], name, &map, pad).map_err(bad)?;
            let plain = self.compare.clone();
            self.compare.layouts = vec![layout];
            let same = self.same(part, module, &made);
            self.compare = plain;
            same?;
        }
        Ok(())
    }
}

/// What a pass makes, or `None` if it refuses to: that the program has something that it cannot deal with is no fault.
fn unless_refused<T>(make: impl FnOnce() -> Result<T, Finding>) -> Result<Option<T>, Finding> {
    match make() {
        Ok(made) => Ok(Some(made)),
        Err(Finding { kind: Kind::Refused, what, .. }) if !what.starts_with("bug in satir") => Ok(None),
        Err(finding) => Err(finding),
    }
}

/// Whether a function loads from a buffer or stores to it; what it assumes does not count.
fn touches(func: &PrimFunc, buffer: BufferId) -> bool {
    let mut found = false;
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            if matches!(stmt.kind, StmtKind::Evaluate(_)) {
                return;
            }
            found |= matches!(stmt.kind, StmtKind::Store { buffer: to, .. } if to == buffer);
            stmt.for_each_expr(|e| {
                e.walk(&mut |e| {
                    found |= matches!(e.kind, ExprKind::Load { buffer: from, .. } if from == buffer)
                });
            });
        });
    }
    found
}

/// A layout for a buffer of constant shape: its elements in order, in tiles, from some place of the first tile on.
fn tiled(buffer: &Buffer, at: usize) -> Option<String> {
    let extents: Option<Vec<i64>> = buffer.shape.iter().map(crate::ir::Expr::as_int).collect();
    let extents = extents?;
    let axes = ["i", "j", "k"].get(..extents.len())?;
    let position = axes
        .iter()
        .zip(&extents)
        .skip(1)
        .fold(axes[0].to_owned(), |sum, (axis, extent)| format!("({sum}) * {extent} + {axis}"));
    let (tile, offset) = [(4, 0), (3, 1), (2, 0), (5, 2)][at % 4];
    Some(format!(
        "lambda {}: [({position} + {offset}) // {tile}, ({position} + {offset}) % {tile}]",
        axes.join(", ")
    ))
}

/// How runs of the two programs are compared.
fn layout(func: &PrimFunc, name: &str, map: &str, pad: Option<&str>) -> Result<Layout, String> {
    let mut env = func.clone();
    let map = parse_lambda(map, &mut env).map_err(|e| e.message)?;
    let dtype = func.buffers.iter().find(|buffer| *buffer.name == *name).map(|buffer| buffer.dtype);
    let padding = match (pad.and_then(|pad| pad.parse::<i64>().ok()), dtype) {
        (Some(v), Some(dtype)) => {
            let value = if dtype.is_float() {
                crate::ir::Expr::float(v as f64, dtype)
            } else {
                crate::ir::Expr::int(v, dtype)
            };
            Padding::Value { axes: Vec::new(), value }
        }
        _ => Padding::Any,
    };
    Ok(Layout {
        function: func.name.clone(),
        buffer: name.into(),
        axes: map.params,
        indices: map.body,
        padding,
        env,
    })
}
