//! Statements.

use super::scope::{Array, Dim, Range};
use super::{Exits, Generator};
use crate::ir::{
    AttrNode, AttrValue, BinOp, Block, DType, Expr, ExprKind, For, ForKind, Origin, Stmt, StmtKind, Type,
};

/// Most iterations of a nest of loops.
const MAX_WORK: i64 = 600;

/// Deepest nest of statements.
const MAX_DEPTH: usize = 6;

impl Generator<'_> {
    /// Appends a statement, or a few that belong together.
    pub(super) fn stmt(&mut self, out: &mut Block) {
        self.budget -= 1;
        if self.depth >= MAX_DEPTH || self.budget < 8 {
            return self.store(out);
        }
        match self.dice.below(45) {
            0..=10 => self.store(out),
            11..=14 => self.bind(out),
            15..=22 => self.for_loop(out),
            23..=27 => self.branch(out),
            28 | 29 => self.guarded_block(out),
            30 => self.while_loop(out),
            31 => self.allocation(out),
            32 => self.view(out),
            33 => self.fact(out),
            34 => self.contents_fact(out),
            35 if !self.shape.portable => self.call(out),
            36 => match self.vector_store() {
                Some(store) => out.push(Stmt::new(store)),
                None => self.store(out),
            },
            37 => self.accumulate(out),
            38 | 39 => self.leave(out),
            40 => self.reload(out),
            41 => self.volatile(out),
            42 => self.zero_divisor(out),
            43 if self.dice.chance(40) => self.chain(out),
            44 if self.dice.chance(50) => self.nest(out),
            _ => self.threads(out),
        }
    }

    /// Statements of a block of their own; what they define ends with it.
    pub(super) fn block(&mut self) -> Block {
        let mark = self.scope.mark();
        self.depth += 1;
        let mut out = Vec::new();
        let count = self.dice.int(1, 4);
        for _ in 0..count {
            if out.is_empty() || self.budget > 0 {
                self.stmt(&mut out);
            }
        }
        self.depth -= 1;
        self.scope.reset(&mark);
        out
    }

    pub(super) fn store(&mut self, out: &mut Block) {
        let arrays: Vec<Array> = self.scope.arrays.iter().filter(|a| a.writable).cloned().collect();
        let array = self.dice.pick(&arrays);
        let indices = match self.plain_indices(&array) {
            Some(indices) => indices,
            None => return self.checked_store(&array, out),
        };
        let depth = self.dice.int(1, 4) as usize;
        let value = self.stored(array.dtype, depth);
        out.push(Stmt::new(StmtKind::Store { buffer: array.buffer, indices, value }));
    }

    /// Indices in range, of a few nodes.
    pub(super) fn plain_indices(&mut self, array: &Array) -> Option<Vec<Expr>> {
        let depth = self.dice.int(1, 3) as usize;
        self.indices(array, depth)
    }

    /// A store behind a check of its indices.
    fn checked_store(&mut self, array: &Array, out: &mut Block) {
        let mark = self.scope.mark();
        let mut cond: Option<Expr> = None;
        for dim in &array.shape {
            let (e, _) = self.integer(dim.extent.dtype, 1);
            let low = Expr::binary(BinOp::Ge, e.clone(), Expr::int(0, e.dtype));
            let high = Expr::binary(BinOp::Lt, e.clone(), dim.extent.clone());
            let both = Expr::binary(BinOp::And, low, high);
            cond = Some(match cond {
                None => both,
                Some(before) => Expr::binary(BinOp::And, before, both),
            });
            self.scope.bounded.push((e, dim.extent.clone()));
        }
        let Some(cond) = cond else { return };
        let Some(indices) = self.indices(array, 1) else { return };
        let value = self.stored(array.dtype, 2);
        let then = vec![Stmt::new(StmtKind::Store { buffer: array.buffer, indices, value })];
        self.scope.reset(&mark);
        out.push(Stmt::guarded(cond, then));
    }

    fn bind(&mut self, out: &mut Block) {
        let dtype = match self.dice.below(10) {
            0..=6 => self.index,
            7 => DType::F32,
            8 => self.small_int(),
            _ => DType::BOOL,
        };
        let (value, range) = if dtype.is_integral() {
            self.integer(dtype, 3)
        } else {
            (self.value(dtype, 2), Range { lo: 0, hi: 1 })
        };
        let var = self.new_var(dtype);
        self.scope.define(var, dtype, range);
        out.push(Stmt::new(StmtKind::Bind { var, value }));
    }

    fn for_loop(&mut self, out: &mut Block) {
        let dtype = if self.dice.chance(90) { self.index } else { DType::I32 };
        let most = (MAX_WORK / self.work).clamp(1, 17);
        let dims: Vec<Expr> =
            self.scope.arrays.iter().flat_map(|a| &a.shape).map(|d| d.extent.clone()).collect();
        let dims: Vec<Expr> = dims.into_iter().filter(|e| e.dtype == dtype && e.as_int().is_none()).collect();
        let (extent, range) = match self.dice.below(8) {
            0..=3 if !dims.is_empty() && most >= 17 => (self.dice.pick(&dims), Range { lo: 0, hi: 17 }),
            0..=4 => {
                let n = self.dice.pick(&[0, 1, 1, 2, 3, 4, 5, 8, 16]).min(most);
                (Expr::int(n, dtype), Range::constant(n))
            }
            5 => (Expr::int(self.dice.int(-2, 0), dtype), Range { lo: 0, hi: 0 }),
            _ => {
                let (e, range) = self.integer(dtype, 1);
                let wanted = Range { lo: i64::MIN, hi: most };
                if range.within(wanted) {
                    (e, range)
                } else {
                    (Expr::binary(BinOp::Min, e, Expr::int(most, dtype)), Range { lo: range.lo, hi: most })
                }
            }
        };
        let (min, first) = if self.dice.chance(70) {
            (Expr::int(0, dtype), Range::constant(0))
        } else {
            let (e, range) = self.integer(dtype, 1);
            if range.magnitude() <= 1000 { (e, range) } else { (Expr::int(3, dtype), Range::constant(3)) }
        };
        let step = self.dice.chance(8).then(|| Expr::int(self.dice.int(1, 3), dtype));
        let kind = if self.shape.portable {
            self.dice.pick(&[ForKind::Serial, ForKind::Serial, ForKind::Unrolled])
        } else {
            self.dice.pick(&[
                ForKind::Serial,
                ForKind::Serial,
                ForKind::Serial,
                ForKind::Unrolled,
                ForKind::Parallel,
                ForKind::Vectorized,
            ])
        };
        let kind = if step.is_some() { ForKind::Serial } else { kind };
        let var = self.new_var(dtype);
        let mark = self.scope.mark();
        let last = first.hi.saturating_add(range.hi.max(1) - 1);
        self.scope.define(var, dtype, Range { lo: first.lo, hi: last.max(first.lo) });
        let it = Expr::var(var, dtype);
        if min.as_int() == Some(0) {
            self.scope.bounded.push((it.clone(), extent.clone()));
            if extent.as_int().is_none() {
                self.scope.nonzero.push(extent.clone());
            }
        }
        if first.lo > 0 {
            self.scope.nonzero.push(it);
        }
        let (work, exits) = (self.work, self.exits);
        self.work *= range.hi.clamp(1, 17);
        self.exits = if kind == ForKind::Serial { Exits::Both } else { Exits::None };
        let body = self.block();
        (self.work, self.exits) = (work, exits);
        self.scope.reset(&mark);
        let annotations = Vec::new();
        out.push(Stmt::new(StmtKind::For(Box::new(For { var, min, extent, step, kind, annotations, body }))));
    }

    fn branch(&mut self, out: &mut Block) {
        let mut cond = self.cond(2);
        if self.dice.chance(10) {
            cond = Expr::call(DType::BOOL, "likely", vec![cond]);
        }
        let then = self.block();
        let otherwise = if self.dice.chance(35) { self.block() } else { Vec::new() };
        out.push(Stmt::new(StmtKind::If { cond, then, otherwise }));
    }

    /// `if e != 0:` or `if 0 <= e and e < n:`, and uses of what it promises.
    fn guarded_block(&mut self, out: &mut Block) {
        let mark = self.scope.mark();
        let Some(cond) = self.promise() else { return self.store(out) };
        if cond.dtype != DType::BOOL {
            return;
        }
        let then = self.block();
        self.scope.reset(&mark);
        let otherwise = if self.dice.chance(25) { self.block() } else { Vec::new() };
        out.push(Stmt::new(StmtKind::If { cond, then, otherwise }));
    }

    /// The condition that a variable is not zero, or an index of some buffer; from here on it is taken to hold.
    fn promise(&mut self) -> Option<Expr> {
        // No load: what a guard says about memory ends with the next store.
        let vars: Vec<_> = self.scope.vars.iter().filter(|v| v.dtype == self.index).cloned().collect();
        let e = if vars.is_empty() { return None } else { self.dice.pick(&vars) };
        let value = Expr::var(e.var, e.dtype);
        let symbolic: Vec<Dim> =
            self.scope.arrays.iter().flat_map(|a| a.shape.clone()).filter(|d| d.size == 0).collect();
        if !symbolic.is_empty() && self.dice.chance(50) {
            let dim = self.dice.pick(&symbolic);
            self.scope.bounded.push((value.clone(), dim.extent.clone()));
            self.scope.nonzero.push(dim.extent.clone());
            let low = Expr::binary(BinOp::Le, Expr::int(0, value.dtype), value.clone());
            Some(Expr::binary(BinOp::And, low, Expr::binary(BinOp::Lt, value, dim.extent)))
        } else {
            self.scope.nonzero.push(value.clone());
            Some(self.not_zero(&value))
        }
    }

    /// `c[0] = 0; while c[0] < k: …; c[0] = c[0] + 1`.
    fn while_loop(&mut self, out: &mut Block) {
        let most = self.dice.int(1, 4).min(MAX_WORK / self.work);
        if most < 1 {
            return self.store(out);
        }
        let shape = vec![Dim::constant(1, self.index)];
        let counter = self.buffer("c", DType::I32, &shape, Origin::Alloc);
        let zero = Expr::int(0, self.index);
        let load = Expr::load(DType::I32, counter, vec![zero.clone()]);
        let set =
            |value: Expr| Stmt::new(StmtKind::Store { buffer: counter, indices: vec![zero.clone()], value });
        out.push(Stmt::new(StmtKind::Alloc { buffer: counter, annotations: Vec::new() }));
        out.push(set(Expr::int(0, DType::I32)));
        let mark = self.scope.mark();
        let mut array = Array::of(counter, DType::I32, shape);
        (array.writable, array.values) = (false, Range { lo: 0, hi: most });
        self.scope.arrays.push(array);
        let mut cond = Expr::binary(BinOp::Lt, load.clone(), Expr::int(most, DType::I32));
        if self.dice.chance(40) {
            let other = self.cond(1);
            cond = Expr::binary(BinOp::And, cond, other);
        }
        let (work, exits) = (self.work, self.exits);
        self.work *= most;
        self.exits = Exits::Break;
        let mut body = self.block();
        (self.work, self.exits) = (work, exits);
        self.scope.reset(&mark);
        body.push(set(load + 1));
        out.push(Stmt::new(StmtKind::While { cond, body }));
    }

    /// New memory, filled.
    fn allocation(&mut self, out: &mut Block) {
        let dtype = self.element();
        let n = self.dice.pick(&[1, 4, 8, 16]);
        let shape = vec![Dim::constant(n, self.index)];
        let name = self.dice.pick(&["tmp", "acc", "A"]);
        let buffer = self.buffer(name, dtype, &shape, Origin::Alloc);
        out.push(Stmt::new(StmtKind::Alloc { buffer, annotations: Vec::new() }));
        let var = self.new_var(self.index);
        let mark = self.scope.mark();
        self.scope.define(var, self.index, Range { lo: 0, hi: n - 1 });
        let value = self.stored(dtype, 1);
        self.scope.reset(&mark);
        let it = Expr::var(var, self.index);
        let fill = For {
            var,
            min: Expr::int(0, self.index),
            extent: Expr::int(n, self.index),
            step: None,
            kind: ForKind::Serial,
            annotations: Vec::new(),
            body: vec![Stmt::new(StmtKind::Store { buffer, indices: vec![it], value })],
        };
        out.push(Stmt::new(StmtKind::For(Box::new(fill))));
        self.scope.arrays.push(Array::of(buffer, dtype, shape));
    }

    /// Another buffer over the memory of one.
    fn view(&mut self, out: &mut Block) {
        let arrays: Vec<Array> = self
            .scope
            .arrays
            .iter()
            .filter(|a| a.writable && a.shape.iter().all(|d| d.size > 0))
            .cloned()
            .collect();
        if arrays.is_empty() {
            return self.store(out);
        }
        let of = self.dice.pick(&arrays);
        let total: i64 = of.shape.iter().map(|d| d.size).product();
        let sizes = if total % 4 == 0 && self.dice.chance(50) { vec![total / 4, 4] } else { vec![total] };
        let shape: Vec<Dim> = sizes.into_iter().map(|n| Dim::constant(n, self.index)).collect();
        let name = self.dice.pick(&["view", "A", "W"]);
        let buffer = self.buffer(name, of.dtype, &shape, Origin::View(of.buffer));
        out.push(Stmt::new(StmtKind::Decl { buffer }));
        self.scope.arrays.push(Array::of(buffer, of.dtype, shape));
    }

    /// An assertion or assumption that is true.
    fn fact(&mut self, out: &mut Block) {
        let (e, range) = self.integer(self.index, 2);
        let at = |v: i64| Expr::int(v, self.index);
        let cond = match self.dice.below(5) {
            0 => Expr::binary(BinOp::Ge, e, at(range.lo)),
            1 => Expr::binary(BinOp::Lt, e, at(range.hi + 1)),
            2 => {
                let c = self.dice.pick(&[2, 3, 4, 8]);
                Expr::binary(BinOp::Eq, (e * c).floormod(c), Expr::int(0, self.index))
            }
            3 => {
                let again = self.respell(e.clone());
                Expr::binary(BinOp::Eq, e, again)
            }
            // True on some inputs only, and not stated in loops: then it would be on hardly any.
            _ if self.depth == 0 && range.magnitude() < 100 => {
                let v = self.dice.int(range.lo, range.hi);
                let op = self.dice.pick(&[BinOp::Ge, BinOp::Le, BinOp::Ne]);
                Expr::binary(op, e, at(v))
            }
            _ => Expr::binary(BinOp::Le, at(range.lo), e),
        };
        out.push(Stmt::new(if self.dice.chance(50) {
            StmtKind::Assert { cond, kind: "RuntimeError".into(), message: vec!["holds".into()] }
        } else {
            StmtKind::Evaluate(Expr::call(DType::BOOL, "assume", vec![cond]))
        }));
    }

    /// `A[i] = v; T.assume(A[i] == v)`, which holds until the next store to what may be `A`.
    fn contents_fact(&mut self, out: &mut Block) {
        let arrays: Vec<Array> =
            self.scope.arrays.iter().filter(|a| a.writable && a.dtype.is_index()).cloned().collect();
        if arrays.is_empty() {
            return self.store(out);
        }
        let array = self.dice.pick(&arrays);
        let Some(indices) = self.plain_indices(&array) else { return self.store(out) };
        let plain = indices.iter().all(|e| !reads(e));
        let value = Expr::int(self.dice.int(-3, 9), array.dtype);
        let store = StmtKind::Store { buffer: array.buffer, indices: indices.clone(), value: value.clone() };
        out.push(Stmt::new(store));
        if plain {
            let load = Expr::load(array.dtype, array.buffer, indices);
            let cond = Expr::binary(BinOp::Eq, load, value);
            out.push(Stmt::new(StmtKind::Evaluate(Expr::call(DType::BOOL, "assume", vec![cond]))));
        }
        self.store(out);
        self.store(out);
    }

    /// A call of a function that nothing is known of.
    fn call(&mut self, out: &mut Block) {
        let mut args = vec![Expr { dtype: DType::HANDLE, kind: ExprKind::Str("probe".into()) }];
        args.push(self.integer(self.index, 2).0);
        // The call may write: not memory whose contents must stay small.
        let arrays: Vec<Array> =
            self.scope.arrays.iter().filter(|a| !a.dtype.is_index() && !a.dtype.is_bool()).cloned().collect();
        if !arrays.is_empty() && self.dice.chance(50) {
            let array = self.dice.pick(&arrays);
            args.push(Expr { dtype: DType::HANDLE, kind: ExprKind::BufferData(array.buffer) });
        }
        let value = Expr::call(self.index, "call_extern", args);
        if self.dice.chance(40) {
            let var = self.new_var(self.index);
            self.scope.define(var, self.index, Range { lo: 0, hi: 7 });
            out.push(Stmt::new(StmtKind::Bind { var, value }));
        } else {
            out.push(Stmt::new(StmtKind::Evaluate(value)));
        }
    }

    /// `A[i] = A[i] + v`, with the index in two spellings.
    fn accumulate(&mut self, out: &mut Block) {
        let arrays: Vec<Array> =
            self.scope.arrays.iter().filter(|a| a.writable && !a.dtype.is_bool()).cloned().collect();
        if arrays.is_empty() {
            return self.store(out);
        }
        let array = self.dice.pick(&arrays);
        let Some(indices) = self.plain_indices(&array) else { return self.store(out) };
        let again: Vec<Expr> = indices.iter().map(|e| self.respell(e.clone())).collect();
        let load = Expr::load(array.dtype, array.buffer, again);
        let term =
            if array.dtype.is_float() { self.float(array.dtype, 2) } else { self.integer(array.dtype, 2).0 };
        let mut value = Expr::binary(BinOp::Add, load, term);
        if array.dtype.is_index() {
            value = value.floormod(997);
        }
        out.push(Stmt::new(StmtKind::Store { buffer: array.buffer, indices, value }));
    }

    /// `B[i] = A[i] + v; A[j] = A[i]`: where both buffers are the same memory, the second load is of what was stored.
    fn reload(&mut self, out: &mut Block) {
        let arrays: Vec<Array> = self.scope.arrays.iter().filter(|a| a.writable).cloned().collect();
        let array = self.dice.pick(&arrays);
        let alike: Vec<Array> = arrays
            .into_iter()
            .filter(|a| a.buffer != array.buffer && a.dtype == array.dtype && a.shape == array.shape)
            .collect();
        if alike.is_empty() {
            return self.store(out);
        }
        let other = self.dice.pick(&alike);
        let (Some(indices), Some(at)) = (self.plain_indices(&array), self.plain_indices(&array)) else {
            return self.store(out);
        };
        let load = Expr::load(array.dtype, array.buffer, indices.clone());
        let term = self.value(array.dtype, 1);
        let value = if array.dtype.is_bool() {
            Expr::not(load.clone())
        } else {
            Expr::binary(BinOp::Add, load.clone(), term)
        };
        let value = if array.dtype.is_index() { value.floormod(997) } else { value };
        out.push(Stmt::new(StmtKind::Store { buffer: other.buffer, indices, value }));
        out.push(Stmt::new(StmtKind::Store { buffer: array.buffer, indices: at, value: load }));
    }

    /// `break`, `continue` or a return, under a condition; what stands behind may need that it did not hold.
    fn leave(&mut self, out: &mut Block) {
        let exit = match self.exits {
            Exits::Both if self.dice.chance(50) => StmtKind::Continue,
            Exits::Both | Exits::Break => StmtKind::Break,
            Exits::None if self.shape.portable || self.dice.chance(50) => return self.store(out),
            Exits::None if self.work > 1 => return self.store(out),
            Exits::None => StmtKind::Return(Expr::int(self.dice.int(0, 3), DType::I32)),
        };
        let promise = if self.dice.chance(60) { self.promise() } else { None };
        let cond = match promise {
            Some(promise) if promise.dtype == DType::BOOL => Expr::not(promise),
            _ => self.cond(2),
        };
        out.push(Stmt::guarded(cond, vec![Stmt::new(exit)]));
    }

    /// A launch of threads, or an attribute around a block.
    fn threads(&mut self, out: &mut Block) {
        if self.shape.portable || self.depth > 0 {
            let body = self.block();
            let value = Expr::int(1, DType::I32);
            let node = AttrNode::Value(AttrValue::Int(0));
            out.push(Stmt::new(StmtKind::Attr { node, key: "pragma".into(), value, body }));
            return;
        }
        let n = self.dice.pick(&[1, 2, 4]);
        let tag = self.dice.pick(&["blockIdx.x", "threadIdx.x"]);
        let var = self.func.new_var("tx", Type::Prim(DType::I32));
        let mark = self.scope.mark();
        self.scope.define(var, DType::I32, Range { lo: 0, hi: n - 1 });
        let (work, exits) = (self.work, self.exits);
        self.work *= n;
        self.exits = Exits::None;
        let body = self.block();
        (self.work, self.exits) = (work, exits);
        self.scope.reset(&mark);
        let extent = Expr::int(n, DType::I32);
        out.push(Stmt::new(if self.dice.chance(50) {
            StmtKind::LaunchThread { var, tag: tag.into(), extent, body }
        } else {
            let (min, step) = (Expr::int(0, DType::I32), None);
            let kind = ForKind::ThreadBinding(tag.into());
            StmtKind::For(Box::new(For { var, min, extent, step, kind, annotations: Vec::new(), body }))
        }));
    }
}

/// Whether the expression reads memory.
fn reads(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { .. }));
    found
}
