//! What a nest of loops takes, in instructions as LLVM makes them: values that do not vary in a loop are computed before
//! it, equal ones once; addresses that grow by the same amount with each iteration take next to nothing; innermost loops
//! over neighbouring elements, without conditions, run on vectors; short ones are written out.
//!
//! This estimates; it is used to compare ways to write one nest, never to say what a program costs.

mod hash;
mod iterations;

use hashbrown::{HashMap, HashSet};

use self::hash::{mix, tag};
use self::iterations::Iterations;
pub(crate) use self::iterations::Odds;
use super::llvm::nests::{Stride, lanes, operation, stride};
use crate::cost::{Bindings, Profile};
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, For, ForKind, PrimFunc, Stmt, StmtKind, VarId};

/// Instructions of a loop around its body, for each iteration and each time that it starts.
const PER_ITERATION: f64 = 2.0;
const PER_LOOP: f64 = 4.0;

/// What setting up one of the addresses that grow with a loop takes, each time that the loop starts.
const PER_ADDRESS: f64 = 2.0;

/// What the choice between a loop on vectors and one on scalars, and the rest of the iterations, takes each time.
const PER_VECTOR_LOOP: f64 = 14.0;

/// The most instructions that a loop of constant length has once that it is written out. LLVM does so from the inside out, and
/// before it looks for vectors; a loop in which one is left is written out only if it is this short.
const WRITTEN_OUT: f64 = 240.0;
const SHORT: f64 = 4.0;

/// The C library copies and fills more bytes than this with an instruction for strings, which works byte by byte.
const STRING: f64 = 2_048.0;

/// A branch on a condition.
const BRANCH: f64 = 1.0;

/// An estimate of the instructions of a function. `odds` must come from estimates with the same profile.
pub(crate) fn instructions(func: &PrimFunc, profile: &Profile, bindings: &Bindings, odds: &Odds) -> f64 {
    with_loops(func, profile, bindings, odds).0
}

/// The same, and that of each of its loops.
pub(crate) fn with_loops(
    func: &PrimFunc,
    profile: &Profile,
    bindings: &Bindings,
    odds: &Odds,
) -> (f64, HashMap<VarId, f64>) {
    let mut estimate = Estimate::new(func, profile, bindings, odds);
    estimate.block(&func.body, 1.0);
    (estimate.frames.pop().map_or(0.0, |frame| frame.cost), estimate.loops)
}

/// A loop that is open, or the function.
#[derive(Debug, Default)]
struct Frame {
    var: Option<VarId>,
    /// How often its body runs.
    runs: f64,
    /// What is computed in it, in all.
    cost: f64,
    /// The hashes of what is computed in it.
    seen: HashSet<u64>,
    /// The buffers that its body writes.
    written: Vec<BufferId>,
    inner: bool,
    /// The instructions of its body as a text.
    size: f64,
    /// Whether one of the loops in it, at any depth, is not written out.
    looped: bool,
    /// Whether it cannot run on vectors.
    scalar: bool,
    /// The bits of the widest element that is accessed.
    bits: u32,
    stores: usize,
    /// Whether it does more than to copy or fill elements.
    computes: bool,
    /// How many loads are of elements that are no neighbours.
    strided: usize,
    /// The hashes of addresses that grow with it.
    grown: HashSet<u64>,
}

struct Estimate<'a> {
    func: &'a PrimFunc,
    iterations: Iterations<'a>,
    frames: Vec<Frame>,
    /// The loop that defines a variable, by its depth.
    depths: HashMap<VarId, usize>,
    /// What loops take that are closed.
    loops: HashMap<VarId, f64>,
}

/// What is known of an expression.
#[derive(Clone, Copy)]
struct Seen {
    /// The innermost loop that it varies in.
    depth: usize,
    hash: u64,
}

impl<'a> Estimate<'a> {
    fn new(func: &'a PrimFunc, profile: &'a Profile, bindings: &Bindings, odds: &'a Odds) -> Estimate<'a> {
        let iterations = Iterations::new(func, profile, bindings, odds);
        let frames = vec![Frame { runs: 1.0, inner: true, scalar: true, ..Frame::default() }];
        Estimate { func, iterations, frames, depths: HashMap::new(), loops: HashMap::new() }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the function's frame is never closed")
    }

    fn charge(&mut self, depth: usize, cost: f64, share: f64) {
        let share = if depth + 1 == self.frames.len() { share } else { 1.0 };
        let frame = &mut self.frames[depth];
        frame.cost += cost * frame.runs * share;
        frame.size += cost;
    }

    /// `share`: how many of the iterations of the innermost open loop come here.
    fn block(&mut self, block: &Block, share: f64) {
        for stmt in block {
            self.stmt(stmt, share);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, share: f64) {
        match &stmt.kind {
            StmtKind::For(l) => self.for_loop(l, share),
            StmtKind::If { cond, then, otherwise } => {
                let seen = self.expr(cond, share);
                let here = self.frames.len() - 1;
                self.charge(seen.depth, BRANCH, share);
                if seen.depth == here {
                    self.frame().scalar = true;
                }
                let taken = self.iterations.probability(cond);
                self.block(then, share * taken);
                self.block(otherwise, share * (1.0 - taken));
            }
            StmtKind::Store { buffer, indices, value } => {
                let written = self.expr(value, share);
                self.access(*buffer, indices, share, true);
                let here = self.frames.len() - 1;
                self.charge(here, 1.0, share);
                let is_copy = match &value.kind {
                    ExprKind::Load { .. } => true,
                    _ => written.depth < here,
                };
                let frame = self.frame();
                frame.stores += 1;
                frame.computes |= !is_copy;
            }
            StmtKind::Bind { var, value } => {
                let seen = self.expr(value, share);
                self.depths.insert(*var, seen.depth);
                self.iterations.bind(*var, value);
            }
            _ => {
                stmt.for_each_expr(|e| {
                    self.expr(e, share);
                });
                if !matches!(stmt.kind, StmtKind::Alloc { .. } | StmtKind::Decl { .. }) {
                    self.frame().scalar = true;
                }
                stmt.for_each_block(|inner| self.block(inner, share));
            }
        }
    }

    fn for_loop(&mut self, l: &For, share: f64) {
        let here = self.frames.len() - 1;
        self.expr(&l.min, share);
        self.expr(&l.extent, share);
        self.frame().inner = true;
        let trips = self.iterations.enter(l);
        self.depths.insert(l.var, here + 1);
        let starts = self.frames[here].runs * share;
        let mut frame = Frame { var: Some(l.var), runs: starts * trips, ..Frame::default() };
        for stmt in &l.body {
            stmt.walk(&mut |stmt| {
                if let StmtKind::Store { buffer, .. } = stmt.kind {
                    frame.written.push(buffer);
                }
            });
        }
        frame.scalar = !matches!(l.kind, ForKind::Serial | ForKind::Parallel);
        let is_vector = l.kind == ForKind::Vectorized;
        self.frames.push(frame);
        self.block(&l.body, 1.0);
        let mut frame = self.frames.pop().expect("pushed above");
        let per_iteration = if frame.runs > 0.0 { frame.cost / frame.runs } else { 0.0 };
        let per_start = PER_LOOP + PER_ADDRESS * frame.grown.len() as f64;
        let is_short = if frame.looped {
            trips <= SHORT && per_iteration * trips <= WRITTEN_OUT
        } else {
            (frame.size + 1.0) * trips <= WRITTEN_OUT
        };
        let is_written_out = is_short && l.extent.as_int().is_some();
        let cost = if is_vector {
            frame.cost / lanes(frame.bits)
        } else if frame.inner {
            frame.cost + if is_written_out { 0.0 } else { frame.runs * PER_ITERATION + starts * per_start }
        } else {
            let lanes = lanes(frame.bits);
            let scalar = frame.cost + frame.runs * PER_ITERATION + starts * per_start;
            let scalar = if is_written_out { frame.cost } else { scalar };
            let copies = frame.stores > 0 && !frame.computes && frame.strided == 0;
            frame.scalar |= frame.stores == 0 || trips < lanes;
            if frame.scalar {
                scalar
            } else {
                // Of each vector's elements those that are not neighbours are moved one by one.
                let moved = frame.strided as f64 * frame.runs;
                let bytes = trips * f64::from(frame.bits) / 8.0;
                let speed = if copies && bytes < STRING { 4.0 * lanes } else { lanes };
                let overhead = if is_written_out { 0.0 } else { starts * PER_VECTOR_LOOP };
                let rest = if is_written_out {
                    0.0
                } else {
                    starts * (trips % lanes) * (per_iteration + PER_ITERATION) / 2.0
                };
                let vector =
                    (frame.cost + frame.runs * PER_ITERATION / 2.0) / speed + moved + overhead + rest;
                vector.min(scalar)
            }
        };
        self.loops.insert(l.var, cost);
        self.frames[here].cost += cost;
        let outer = &mut self.frames[here];
        outer.looped |= !is_written_out || frame.looped;
        outer.size += frame.size * if is_written_out { trips } else { 1.0 };
    }

    /// What the operations of an expression take.
    fn expr(&mut self, e: &Expr, share: f64) -> Seen {
        let here = self.frames.len() - 1;
        match &e.kind {
            ExprKind::Var(var) => {
                let depth = self.depths.get(var).copied().unwrap_or(0).min(here);
                return Seen { depth, hash: mix(1, u64::from(var.0)) };
            }
            ExprKind::Int(value) => return Seen { depth: 0, hash: mix(2, *value as u64) },
            ExprKind::Float(bits) => return Seen { depth: 0, hash: mix(3, *bits) },
            ExprKind::Load { buffer, indices } => return self.load(e, *buffer, indices, share),
            _ => {}
        }
        let lazy = match e.as_intrin() {
            Some(("if_then_else", [cond, _, _])) => Some(self.iterations.probability(cond)),
            _ => None,
        };
        let (mut depth, mut hash, mut number) = (0, tag(e), 0);
        let mut condition_depth = 0;
        e.for_each_child(|part| {
            let part_share = match (lazy, number) {
                (Some(taken), 1) => share * taken,
                (Some(taken), 2) => share * (1.0 - taken),
                _ => share,
            };
            let seen = self.expr(part, part_share);
            if number == 0 {
                condition_depth = seen.depth;
            }
            depth = depth.max(seen.depth);
            hash = mix(hash, seen.hash);
            number += 1;
        });
        let cost = operation(e);
        if self.frames[depth].seen.insert(hash) {
            self.charge(depth, cost.instructions, share);
            if depth == here {
                self.frame().computes = true;
            }
        }
        if depth == here && (!cost.on_vectors || lazy.is_some() && condition_depth == here && has_load(e)) {
            self.frame().scalar = true;
        }
        if lazy.is_some() && condition_depth == here {
            self.frame().computes = true;
        }
        Seen { depth, hash }
    }

    fn load(&mut self, e: &Expr, buffer: BufferId, indices: &[Expr], share: f64) -> Seen {
        let here = self.frames.len() - 1;
        let seen = self.access(buffer, indices, share, false);
        let written = (1..=here).rev().find(|&depth| self.frames[depth].written.contains(&buffer));
        let depth = seen.depth.max(written.unwrap_or(0));
        let hash = mix(tag(e), seen.hash);
        if self.frames[depth].seen.insert(hash) {
            self.charge(depth, 1.0, share);
        }
        Seen { depth, hash }
    }

    /// What the address of an element takes.
    fn access(&mut self, buffer: BufferId, indices: &[Expr], share: f64, is_store: bool) -> Seen {
        let here = self.frames.len() - 1;
        let var = self.frames[here].var;
        let bits = u32::from(self.func.buffer(buffer).dtype.bits);
        let (mut depth, mut hash) = (0, mix(7, u64::from(buffer.0)));
        for (at, index) in indices.iter().enumerate() {
            let seen = self.address(index, share);
            depth = depth.max(seen.depth);
            hash = mix(hash, seen.hash);
            let is_last = at + 1 == indices.len();
            let along = var.map_or(Stride::None, |var| stride(index, var));
            let depths = &self.depths;
            let varies = |e: &Expr| {
                let mut found = false;
                e.walk(&mut |e| {
                    found |= e
                        .as_var()
                        .is_some_and(|var| depths.get(&var).copied().unwrap_or(0) >= here && here > 0);
                });
                found
            };
            let frame = &mut self.frames[here];
            frame.bits = frame.bits.max(bits);
            match along {
                Stride::Constant(1) if is_last => {}
                Stride::None if !varies(index) => frame.scalar |= is_store && is_last && indices.len() == 1,
                Stride::Constant(_) | Stride::Invariant if !is_store => frame.strided += 1,
                _ => frame.scalar = true,
            }
        }
        Seen { depth, hash }
    }

    /// What is computed for an address: the products of which its sum consists when it is multiplied out, of which those of
    /// one loop variable grow with the loop. What does not vary further in is computed once, however it is spelled.
    fn address(&mut self, index: &Expr, share: f64) -> Seen {
        let here = self.frames.len() - 1;
        let (mut depth, mut hash, mut parts, mut grows) = (0, 11_u64, [0_u32; 16], false);
        for product in products(index) {
            let (seen, is_grown) = self.product(&product, share);
            depth = depth.max(seen.depth);
            hash = hash.wrapping_add(mix(seen.hash, 12));
            if seen.depth < parts.len() {
                parts[seen.depth] += if is_grown { 0 } else { 1 };
            }
            grows |= is_grown && seen.depth == here;
        }
        if grows {
            self.frame().grown.insert(hash);
        }
        // What varies in the innermost loop and does not grow with it is added there.
        for (at, &count) in parts.iter().enumerate().take(here + 1).skip(1) {
            if count > 0 && self.frames[at].seen.insert(mix(hash, at as u64)) {
                self.charge(at, f64::from(count), share);
            }
        }
        Seen { depth, hash }
    }

    /// A product, and whether it grows by the same amount with each iteration of one loop.
    fn product(&mut self, product: &Product<'_>, share: f64) -> (Seen, bool) {
        let (mut depth, mut hash, mut of_loop, mut beside) = (0, 0_u64, None, 0);
        for &factor in &product.factors {
            let seen = self.expr(factor, share);
            depth = depth.max(seen.depth);
            hash = hash.wrapping_add(mix(seen.hash, 13));
            if factor.as_var().is_some_and(|var| self.iterations.is_of_loop(var))
                && of_loop.is_none_or(|outer| outer < seen.depth)
            {
                beside = beside.max(of_loop.replace(seen.depth).unwrap_or(0));
            } else {
                beside = beside.max(seen.depth);
            }
        }
        hash = mix(hash, product.times as u64);
        let is_grown = of_loop.is_some_and(|depth| beside < depth);
        let multiplied = product.factors.len() + usize::from(product.times != 1);
        if !is_grown && multiplied > 1 && self.frames[depth].seen.insert(hash) {
            self.charge(depth, (multiplied - 1) as f64, share);
        }
        (Seen { depth, hash }, is_grown)
    }
}

/// A product in a sum.
#[derive(Clone)]
struct Product<'e> {
    times: i64,
    factors: Vec<&'e Expr>,
}

/// The most products that a sum is multiplied out to.
const MAX_PRODUCTS: usize = 24;

/// The products of which an integer consists when it is multiplied out, but for constants.
fn products(e: &Expr) -> Vec<Product<'_>> {
    let mut found = Vec::new();
    if !multiply_out(e, &Product { times: 1, factors: Vec::new() }, &mut found) {
        let mut addends = Vec::new();
        addends_of(e, &mut addends);
        found = addends.into_iter().map(|e| Product { times: 1, factors: vec![e] }).collect();
    }
    found.retain(|product| !product.factors.is_empty());
    found
}

/// Adds the products of `e * by`; `false` if they become too many.
fn multiply_out<'e>(e: &'e Expr, by: &Product<'e>, out: &mut Vec<Product<'e>>) -> bool {
    let times = |c: i64| Product { times: by.times.wrapping_mul(c), factors: by.factors.clone() };
    match &e.kind {
        ExprKind::Int(value) => out.push(times(*value)),
        ExprKind::Binary(BinOp::Add, a, b) => return multiply_out(a, by, out) && multiply_out(b, by, out),
        ExprKind::Binary(BinOp::Sub, a, b) => {
            return multiply_out(a, by, out) && multiply_out(b, &times(-1), out);
        }
        ExprKind::Binary(BinOp::Mul, a, b) => {
            let mut inner = Vec::new();
            return multiply_out(b, by, &mut inner)
                && inner.iter().all(|product| multiply_out(a, product, out));
        }
        _ => {
            let mut product = by.clone();
            product.factors.push(e);
            out.push(product);
        }
    }
    out.len() <= MAX_PRODUCTS
}

fn addends_of<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => {
            addends_of(a, out);
            addends_of(b, out);
        }
        ExprKind::Int(_) => {}
        _ => out.push(e),
    }
}

fn has_load(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { .. }));
    found
}
