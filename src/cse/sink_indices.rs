//! Bindings that go back into the loop of the accesses that they are a part of.
//!
//! What LLVM knows of ranges ends at the heads of loops: a pass of it, `CorrelatedValuePropagation`, asks for the ranges of values
//! (`LazyValueInfo`), and inside of a loop there are none of what is computed outside. What is computed inside and does not
//! vary, LLVM moves out afterwards. So where that pass matters, all parts of an index are bound in the loop of the access.
//! It matters twice:
//!
//! - *Signs.* A 32-bit index is extended to 64 bits by its sign, unless it is known that it is not negative; that takes an
//!   instruction for each access, no constant is taken out of it, and such accesses become no vectors. LLVM sees by the
//!   operations that a sum of what is not negative is not either, but it turns `max(min(x + 1, 8), 0)` into
//!   `min(max(x, -1), 7) + 1`, of which only the range tells.
//! - *Short divisions.* The division of a loop's variable that fits a byte becomes one of bytes, in that loop; on x86 it takes
//!   more instructions than one of 32 bits.

mod sign;

use hashbrown::{HashMap, HashSet};

use crate::analysis::lets;
use crate::ir::{BinOp, Block, Expr, ExprKind, For, ForKind, PrimFunc, Stmt, StmtKind, VarId};
use sign::{Sign, Signs};

/// The function with the bindings of integer arithmetic, to variables from `first` on, that such indices are computed from in
/// the loops of these, where then all parts of the index are computed in its loop; the others stay. `None` if all do.
pub(super) fn sunk(func: &PrimFunc, first: usize) -> Option<PrimFunc> {
    let mut finder = Finder { first, named: lets::named(func), ..Finder::default() };
    finder.block(&func.body, false);
    let targets = finder.targets();
    if targets.is_empty() {
        return None;
    }
    let mut arrivals: HashMap<Position, Vec<VarId>> = HashMap::new();
    for &(var, position) in &targets {
        arrivals.entry(position).or_default().push(var);
    }
    let moved = targets.into_iter().map(|(var, _)| var).collect();
    let mut result = func.clone();
    Mover { moved, arrivals, carried: HashMap::new(), blocks: 0 }.block(&mut result.body);
    Some(result)
}

/// A statement of a block, by the number of the block in the order of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Position {
    block: usize,
    statement: usize,
}

/// A binding that could be computed anywhere.
struct Bound {
    var: VarId,
    /// Where it stands: its statement, and those around it, outermost first.
    path: Vec<Position>,
    /// The same of the first statement of the innermost block that has all uses but those by other such bindings.
    uses: Option<Vec<Position>>,
    /// Those other bindings, which all come after it.
    by: Vec<usize>,
    /// The bindings that stand in the value.
    parts: Vec<usize>,
    /// Whether a division in the value is narrowed.
    narrowed: bool,
}

/// An index that is better computed in the loop of its access: how many loops are around it, and the bindings that stand in it.
struct Index {
    loops: usize,
    parts: Vec<usize>,
    /// Whether what these are computed from has to be there as well.
    whole: bool,
}

/// How often a loop runs that is short beside the one around it.
const SHORT: i64 = 16;

/// Where a loop ends that a byte can count.
const BYTE: i64 = 256;

/// The most rounds in which what moves is found.
const ROUNDS: usize = 8;

#[derive(Default)]
struct Finder {
    /// The first variable whose binding may move.
    first: usize,
    /// Variables that are named where nothing is evaluated.
    named: HashSet<VarId>,
    bounds: Vec<Bound>,
    /// Which of the bindings is that of a variable.
    of_var: HashMap<VarId, usize>,
    signs: Signs,
    /// Variables of loops of which all values fit a byte.
    short: HashSet<VarId>,
    indices: Vec<Index>,
    path: Vec<Position>,
    has_blocks: bool,
    /// How often each of the loops around runs, if that is constant.
    extents: Vec<Option<i64>>,
    /// Of each block, how many loops are around it, and whether it is the body of one that is written out.
    blocks: Vec<(usize, bool)>,
}

impl Finder {
    fn block(&mut self, block: &Block, written_out: bool) {
        let number = self.blocks.len();
        self.blocks.push((self.extents.len(), written_out));
        for (statement, stmt) in block.iter().enumerate() {
            self.path.push(Position { block: number, statement });
            self.stmt(stmt);
            self.path.pop();
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let bound = self.bound(stmt);
        stmt.for_each_expr(|e| self.uses(e, bound));
        let outside = self.extents.len();
        let mut written_out = false;
        match &stmt.kind {
            StmtKind::Store { indices, .. } => self.access(indices),
            StmtKind::Bind { var, value } => {
                let sign = self.signs.of(value);
                // Of what stays outside of a loop only the sign is known inside.
                let known = if bound.is_some() || sign.seen { sign } else { Sign::UNKNOWN };
                self.signs.insert(*var, known);
            }
            StmtKind::For(l) => {
                self.variable(l);
                written_out = matches!(l.kind, ForKind::Vectorized | ForKind::Unrolled);
                if !written_out {
                    self.extents.push(l.extent.as_int());
                }
            }
            StmtKind::While { .. } => self.extents.push(None),
            // What becomes of it is far from code.
            StmtKind::SBlock(_) => self.has_blocks = true,
            _ => {}
        }
        stmt.for_each_block(|block| self.block(block, written_out));
        self.extents.truncate(outside);
    }

    /// Takes note of what is known of the variable of a loop.
    fn variable(&mut self, l: &For) {
        let Some(min) = l.min.as_int().filter(|&min| min >= 0) else { return };
        self.signs.insert(l.var, Sign::NATURAL);
        let end = l.extent.as_int().and_then(|extent| min.checked_add(extent));
        if end.is_some_and(|end| end <= BYTE) {
            self.short.insert(l.var);
        }
    }

    /// The number of the binding that the statement is, if it could be computed anywhere.
    fn bound(&mut self, stmt: &Stmt) -> Option<usize> {
        let StmtKind::Bind { var, value } = &stmt.kind else { return None };
        if var.index() < self.first || self.named.contains(var) || !is_arithmetic(value) {
            return None;
        }
        let number = self.bounds.len();
        let narrowed = self.is_narrowed(value);
        let path = self.path.clone();
        let (by, parts) = (Vec::new(), Vec::new());
        self.bounds.push(Bound { var: *var, path, uses: None, by, parts, narrowed });
        self.of_var.insert(*var, number);
        Some(number)
    }

    /// Whether there is a division in the value that is narrowed.
    fn is_narrowed(&self, value: &Expr) -> bool {
        let mut found = false;
        value.walk(&mut |e| {
            if let ExprKind::Binary(BinOp::FloorDiv | BinOp::FloorMod, a, b) = &e.kind {
                let short = a.as_var().is_some_and(|var| self.short.contains(&var));
                found |= short && b.as_int().is_some_and(|v| !v.unsigned_abs().is_power_of_two());
            }
        });
        found
    }

    /// Takes note of the uses of bindings in an expression, which is the value of the binding `by` if that is given, and of
    /// the indices of loads.
    fn uses(&mut self, e: &Expr, by: Option<usize>) {
        e.walk(&mut |e| match &e.kind {
            ExprKind::Var(var) => {
                let Some(&number) = self.of_var.get(var) else { return };
                if let Some(by) = by {
                    self.bounds[number].by.push(by);
                    self.bounds[by].parts.push(number);
                } else {
                    meet(&mut self.bounds[number].uses, &self.path);
                }
            }
            ExprKind::Load { indices, .. } => self.access(indices),
            _ => {}
        });
    }

    /// Looks at an access.
    fn access(&mut self, indices: &[Expr]) {
        let loops = self.extents.len();
        let mut parts: Vec<usize> = Vec::new();
        let mut look = |e: &Expr| parts.extend(e.as_var().and_then(|var| self.of_var.get(&var)));
        indices.iter().for_each(|e| e.walk(&mut look));
        let sign = indices.iter().map(|e| self.signs.of(base(e))).reduce(Sign::and);
        if loops > 0 && sign.is_some_and(Sign::is_hidden) {
            self.indices.push(Index { loops, parts, whole: true });
            return;
        }
        // The loop around is run through so often that an instruction there counts.
        if self.extents.last().is_some_and(|extent| extent.is_some_and(|n| n <= SHORT)) {
            let around = |p: usize| self.loops(&self.bounds[p].path) + 1 == loops;
            parts.retain(|&p| self.bounds[p].narrowed && around(p));
            if !parts.is_empty() {
                self.indices.push(Index { loops, parts, whole: false });
            }
        }
    }

    /// Which bindings move, in their order, and before which statement.
    fn targets(mut self) -> Vec<(VarId, Position)> {
        if self.has_blocks {
            return Vec::new();
        }
        // Without those that cannot move, others may have no reason to.
        for _ in 0..ROUNDS {
            let wanted = self.wanted();
            let mut paths: Vec<Option<Vec<Position>>> = vec![None; self.bounds.len()];
            for number in (0..self.bounds.len()).rev().filter(|&number| wanted[number]) {
                paths[number] = self.target(number, &paths);
            }
            // How many loops would be around each, and whether as many are around all that it is computed from.
            let places =
                self.bounds.iter().zip(&paths).map(|(bound, path)| path.as_ref().unwrap_or(&bound.path));
            let around: Vec<usize> = places.map(|path| self.loops(path)).collect();
            let mut together: Vec<bool> = Vec::with_capacity(self.bounds.len());
            for (bound, &loops) in self.bounds.iter().zip(&around) {
                together.push(bound.parts.iter().all(|&p| together[p] && around[p] == loops));
            }
            let before = self.indices.len();
            self.indices.retain(|&Index { loops, ref parts, whole }| {
                parts.iter().all(|&p| around[p] == loops && (together[p] || !whole))
            });
            if self.indices.len() == before {
                let places = paths.iter().map(|path| path.as_ref().and_then(|path| path.last()).copied());
                return self.bounds.iter().zip(places).filter_map(|(b, at)| Some((b.var, at?))).collect();
            }
        }
        Vec::new()
    }

    /// The bindings that such indices are computed from.
    fn wanted(&self) -> Vec<bool> {
        let mut wanted = vec![false; self.bounds.len()];
        let (whole, alone): (Vec<&Index>, Vec<&Index>) = self.indices.iter().partition(|index| index.whole);
        let mut open: Vec<usize> = whole.iter().flat_map(|index| &index.parts).copied().collect();
        while let Some(number) = open.pop() {
            if !std::mem::replace(&mut wanted[number], true) {
                open.extend(&self.bounds[number].parts);
            }
        }
        alone.iter().flat_map(|index| &index.parts).for_each(|&number| wanted[number] = true);
        wanted
    }

    /// How many loops are around the end of a path.
    fn loops(&self, path: &[Position]) -> usize {
        path.last().map_or(0, |at| self.blocks[at.block].0)
    }

    /// Where a binding would go if it did, as a path: to the first use in the innermost block that has all; `None` if that
    /// is in no loop that the binding is not in already.
    fn target(&self, number: usize, paths: &[Option<Vec<Position>>]) -> Option<Vec<Position>> {
        let bound = &self.bounds[number];
        let mut uses = bound.uses.clone();
        for &by in &bound.by {
            meet(&mut uses, paths[by].as_ref().unwrap_or(&self.bounds[by].path));
        }
        let mut uses = uses?;
        let most = self.loops(&uses);
        // What is written out holds copies of what is in it.
        let stays = |at: &Position| self.blocks[at.block] != (most, true);
        let first = uses.iter().position(|at| self.blocks[at.block].0 == most)?;
        let end = uses.iter().skip(first + 1).take_while(|at| stays(at)).count();
        uses.truncate(first + 1 + end);
        (self.loops(&bound.path) < most).then_some(uses)
    }
}

/// What a constant is added to in an index: that goes into the address whatever is known.
fn base(index: &Expr) -> &Expr {
    match &index.kind {
        ExprKind::Ramp(first, _) => base(first),
        ExprKind::Binary(BinOp::Add | BinOp::Sub, base, offset) if offset.as_int().is_some() => base,
        _ => index,
    }
}

/// Shortens a path to the innermost block that holds another one too, and to the first of both statements there.
fn meet(path: &mut Option<Vec<Position>>, other: &[Position]) {
    let Some(path) = path else {
        *path = Some(other.to_vec());
        return;
    };
    let shared = path.iter().zip(other).take_while(|(a, b)| a.block == b.block).count();
    path.truncate(shared);
    if let (Some(last), Some(other)) = (path.last_mut(), shared.checked_sub(1).map(|i| other[i])) {
        last.statement = last.statement.min(other.statement);
    }
}

/// Whether the value is index arithmetic on variables, with no operation that costs much or may trap.
fn is_arithmetic(e: &Expr) -> bool {
    e.dtype.is_index()
        && e.dtype.lanes == 1
        && match &e.kind {
            ExprKind::Int(_) | ExprKind::Var(_) => true,
            ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max, a, b) => {
                is_arithmetic(a) && is_arithmetic(b)
            }
            ExprKind::Binary(BinOp::FloorDiv | BinOp::FloorMod, a, b) => {
                is_arithmetic(a) && b.as_int().is_some_and(|v| v > 0)
            }
            _ => false,
        }
}

/// Moves bindings.
struct Mover {
    moved: HashSet<VarId>,
    /// Before which statements which bindings go.
    arrivals: HashMap<Position, Vec<VarId>>,
    /// The bindings on their way.
    carried: HashMap<VarId, Stmt>,
    /// How many blocks were entered.
    blocks: usize,
}

impl Mover {
    fn block(&mut self, block: &mut Block) {
        let number = self.blocks;
        self.blocks += 1;
        let mut out = Block::with_capacity(block.len());
        for (statement, mut stmt) in std::mem::take(block).into_iter().enumerate() {
            let here = self.arrivals.remove(&Position { block: number, statement }).unwrap_or_default();
            out.extend(here.iter().filter_map(|var| self.carried.remove(var)));
            stmt.for_each_block_mut(|inner| self.block(inner));
            match &stmt.kind {
                StmtKind::Bind { var, .. } if self.moved.contains(var) => _ = self.carried.insert(*var, stmt),
                _ => out.push(stmt),
            }
        }
        *block = out;
    }
}
