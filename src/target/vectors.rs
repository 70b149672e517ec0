//! Short loops over neighbouring elements as vectors.
//!
//! TVM writes a vectorized loop out as a scalar one where a condition stands in it (`VectorizeLoop`), and others come from
//! tiles. LLVM writes such a loop out before its vectorizer looks at the loop around it, which then puts elements that are
//! apart into vectors. A vector of the program it leaves as it is.
//!
//! The iterations of the loop happen together: so no access may meet what another iteration stores.

use hashbrown::HashMap;

use crate::analysis::alias::Regions;
use crate::analysis::volatile;
use crate::ir::value::{Value, evaluate};
use crate::ir::{
    BinOp, Block, Buffer, BufferId, DType, Expr, ExprKind, For, ForKind, Kind, Origin, PrimFunc, Stmt,
    StmtKind, Type, VarId,
};

/// How many iterations a loop has that becomes vectors.
const LANES: [i64; 3] = [4, 8, 16];

/// The least vector, in bits: what every CPU of TVM's targets has registers for.
const LEAST_BITS: u32 = 128;

/// Buffers of the function's own up to so many elements may be registers: LLVM takes them apart element by element.
const REGISTERS: i64 = 128;

/// Writes short loops within loops as vectors. Returns whether there were any.
pub(crate) fn vectorize(func: &mut PrimFunc) -> bool {
    if volatile::is_any(func) {
        return false;
    }
    let regions = Regions::new(func);
    let mut body = std::mem::take(&mut func.body);
    let found = in_block(func, &regions, &mut body, false);
    func.body = body;
    found
}

fn in_block(func: &mut PrimFunc, regions: &Regions, block: &mut Block, in_loop: bool) -> bool {
    let mut found = false;
    let mut out = Block::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        if in_loop
            && let StmtKind::For(l) = &stmt.kind
            && let Some((body, vectors)) = Loop::new(func, regions, l).and_then(|mut l| l.body())
        {
            for (var, lanes) in vectors {
                let var = &mut func.vars[var.index()];
                var.ty = Type::Prim(var.ty.dtype().with_lanes(lanes));
            }
            out.extend(body);
            found = true;
            continue;
        }
        let is_loop = match &stmt.kind {
            // TVM makes vectors of what is in it, and takes none there.
            StmtKind::For(l) if l.kind == ForKind::Vectorized => {
                out.push(stmt);
                continue;
            }
            StmtKind::For(_) => true,
            _ => false,
        };
        stmt.for_each_block_mut(|inner| found |= in_block(func, regions, inner, in_loop || is_loop));
        out.push(stmt);
    }
    *block = out;
    found
}

/// A loop whose iterations are to be the lanes of vectors.
struct Loop<'a> {
    func: &'a PrimFunc,
    regions: &'a Regions,
    l: &'a For,
    lanes: u16,
    /// By how much integers grow from lane to lane, those that are bound in the loop and its own variable.
    growths: HashMap<VarId, i64>,
    /// What is bound in the loop and differs from lane to lane.
    vectors: Vec<VarId>,
    /// The elements that are accessed: those of the first lane.
    loads: Vec<(BufferId, Vec<Expr>)>,
    stores: Vec<(BufferId, Vec<Expr>)>,
}

/// A statement list, and the variables in it that become vectors.
type Vectors = (Block, Vec<(VarId, u16)>);

impl<'a> Loop<'a> {
    /// If its variable counts up by one, and as many times as a vector has lanes.
    fn new(func: &'a PrimFunc, regions: &'a Regions, l: &'a For) -> Option<Loop<'a>> {
        let lanes = l.extent.as_int().filter(|n| LANES.contains(n))?;
        l.min.as_int()?;
        let dtype = func.var(l.var).ty.dtype();
        (l.is_plain() && dtype.is_index() && dtype == l.min.dtype).then(|| Loop {
            func,
            regions,
            l,
            lanes: lanes as u16,
            growths: HashMap::from_iter([(l.var, 1)]),
            vectors: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
        })
    }

    /// The body on vectors, if that is the same.
    fn body(&mut self) -> Option<Vectors> {
        let mut out = Block::new();
        for stmt in &self.l.body {
            let kind = match &stmt.kind {
                StmtKind::Bind { var, value } => {
                    StmtKind::Bind { var: *var, value: self.bound(*var, value)? }
                }
                StmtKind::Store { buffer, indices, value } => {
                    let value = self.value(value)?;
                    let (indices, varies) = self.element(*buffer, indices)?;
                    let bits = u32::from(self.func.buffer(*buffer).dtype.bits) * u32::from(self.lanes);
                    if !varies || bits < LEAST_BITS {
                        return None;
                    }
                    self.stores.push((*buffer, indices.clone()));
                    StmtKind::Store { buffer: *buffer, indices, value: self.vector(value) }
                }
                _ => return None,
            };
            out.push(Stmt { kind, ..stmt.clone() });
        }
        (!self.stores.is_empty() && self.is_independent())
            .then(|| (out, self.vectors.iter().map(|var| (*var, self.lanes)).collect()))
    }

    /// Whether no access but one to the same element of the same lane meets what is stored.
    fn is_independent(&self) -> bool {
        let apart = |(stored, at): &(BufferId, Vec<Expr>), (buffer, indices): &(BufferId, Vec<Expr>)| {
            !self.regions.may_share(*stored, *buffer) || stored == buffer && at == indices
        };
        self.stores
            .iter()
            .all(|store| self.loads.iter().chain(&self.stores).all(|access| apart(store, access)))
    }

    /// Whether a buffer may be registers.
    fn may_be_registers(&self, buffer: &Buffer) -> bool {
        match &buffer.origin {
            Origin::View(of) => self.may_be_registers(self.func.buffer(*of)),
            Origin::Alloc => {
                let elements =
                    buffer.shape.iter().map(Expr::as_int).try_fold(1_i64, |all, n| all.checked_mul(n?));
                elements.is_none_or(|n| n <= REGISTERS)
            }
            _ => false,
        }
    }

    /// What a variable is bound to.
    fn bound(&mut self, var: VarId, value: &Expr) -> Option<Expr> {
        if value.dtype.is_index() && value.dtype.is_scalar() && !value.reads_memory() && !value.has_effect() {
            let growth = self.growth(value)?;
            self.growths.insert(var, growth);
            return Some(self.first(value));
        }
        let value = self.value(value)?;
        if !value.dtype.is_scalar() {
            self.vectors.push(var);
        }
        Some(value)
    }

    /// By how much an integer grows from lane to lane, if it is the same from each to the next.
    fn growth(&self, e: &Expr) -> Option<i64> {
        match &e.kind {
            ExprKind::Var(var) => Some(self.growths.get(var).copied().unwrap_or(0)),
            ExprKind::Cast(a) if a.dtype.is_index() && e.dtype.is_index() => self.growth(a),
            ExprKind::Binary(BinOp::Add, a, b) => self.growth(a)?.checked_add(self.growth(b)?),
            ExprKind::Binary(BinOp::Sub, a, b) => self.growth(a)?.checked_sub(self.growth(b)?),
            ExprKind::Binary(BinOp::Mul, a, b) => match (self.growth(a)?, self.growth(b)?) {
                (0, 0) => Some(0),
                (0, growth) => growth.checked_mul(a.as_int()?),
                (growth, 0) => growth.checked_mul(b.as_int()?),
                _ => None,
            },
            _ => (!self.varies(e)).then_some(0),
        }
    }

    /// Whether an expression differs from lane to lane.
    fn varies(&self, e: &Expr) -> bool {
        e.mentions(|var| {
            self.vectors.contains(&var) || self.growths.get(&var).is_some_and(|&growth| growth != 0)
        })
    }

    /// An integer in the first lane, without operations on constants: TVM's parser would fold them.
    fn first(&self, e: &Expr) -> Expr {
        let is_zero = |e: &Expr| e.as_int() == Some(0);
        let first = match &e.kind {
            ExprKind::Var(var) if *var == self.l.var => self.l.min.clone(),
            ExprKind::Cast(a) => Expr::cast(e.dtype, self.first(a)),
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => {
                let (a, b) = (self.first(a), self.first(b));
                match op {
                    BinOp::Add if is_zero(&a) => b,
                    BinOp::Add | BinOp::Sub if is_zero(&b) => a,
                    BinOp::Mul if is_zero(&a) || is_zero(&b) => Expr::int(0, e.dtype),
                    op => Expr::binary(*op, a, b),
                }
            }
            _ => e.clone(),
        };
        let constant = evaluate(&first, &|_| None).and_then(Value::as_int);
        constant.map_or(first, |value| Expr::int(value, e.dtype))
    }

    /// The indices of an element on vectors, and whether it is another one in each lane; `None` if these are no neighbours.
    fn element(&self, buffer: BufferId, indices: &[Expr]) -> Option<(Vec<Expr>, bool)> {
        let of = self.func.buffer(buffer);
        let (last, outer) = indices.split_last()?;
        let is_plain =
            |index: &Expr| index.dtype.is_index() && index.dtype.is_scalar() && !index.reads_memory();
        if !of.strides.is_empty() || !is_element(of.dtype) || !indices.iter().all(is_plain) {
            return None;
        }
        if outer.iter().any(|index| self.growth(index) != Some(0)) {
            return None;
        }
        let mut indices: Vec<Expr> = indices.iter().map(|index| self.first(index)).collect();
        match self.growth(last)? {
            0 => Some((indices, false)),
            1 if !self.may_be_registers(of) => {
                let base = indices.pop()?;
                let one = Expr::int(1, base.dtype);
                indices.push(Expr::ramp(base, one, self.lanes));
                Some((indices, true))
            }
            _ => None,
        }
    }

    /// A value on vectors; as it is if it is the same in all lanes.
    fn value(&mut self, e: &Expr) -> Option<Expr> {
        if !self.varies(e) && !e.reads_memory() && !e.has_effect() {
            return Some(e.clone());
        }
        match &e.kind {
            ExprKind::Load { buffer, indices } => {
                let (indices, varies) = self.element(*buffer, indices)?;
                self.loads.push((*buffer, indices.clone()));
                let dtype = if varies { e.dtype.with_lanes(self.lanes) } else { e.dtype };
                Some(Expr::load(dtype, *buffer, indices))
            }
            ExprKind::Var(var) if self.vectors.contains(var) => {
                Some(Expr::var(*var, e.dtype.with_lanes(self.lanes)))
            }
            ExprKind::Binary(op, a, b) if is_exact(*op, a.dtype) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                let is_same = a.dtype.is_scalar() && b.dtype.is_scalar();
                Some(if is_same {
                    Expr::binary(*op, a, b)
                } else {
                    Expr::binary(*op, self.vector(a), self.vector(b))
                })
            }
            ExprKind::Cast(a) if is_element(e.dtype) && is_element(a.dtype) => {
                let a = self.value(a)?;
                Some(Expr::cast(e.dtype.with_lanes(a.dtype.lanes), a))
            }
            _ => None,
        }
    }

    /// A value in all lanes.
    fn vector(&self, e: Expr) -> Expr {
        if e.dtype.is_scalar() { Expr::broadcast(e, self.lanes) } else { e }
    }
}

/// Whether vectors hold values of a type one beside the other.
fn is_element(dtype: DType) -> bool {
    let is_number = match dtype.kind {
        Kind::Int | Kind::UInt | Kind::Float => true,
        Kind::BFloat | Kind::Narrow(_) | Kind::Bool | Kind::Handle | Kind::Void => false,
    };
    is_number && dtype.is_scalar() && dtype.bits >= 8
}

/// Whether an operation does on vectors what it does lane by lane, and never traps.
fn is_exact(op: BinOp, dtype: DType) -> bool {
    is_element(dtype)
        && match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max => true,
            BinOp::Div => dtype.is_float(),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;
    use crate::target::tests::same_after;

    /// A function of a loop with these lines.
    fn program(body: &str) -> Module {
        let body: String = body.lines().map(|line| format!("        {line}\n")).collect();
        let head = "@T.prim_func\ndef main(A: T.Buffer((64,)), B: T.Buffer((64,)), C: T.Buffer((64,), \"int32\")):\n    T.func_attr({\"tirx.noalias\": True})\n    for i in range(3):\n";
        crate::parse(&format!("{head}{body}")).unwrap_or_else(|e| panic!("{e}\n{body}"))
    }

    /// What becomes of it, if anything: it does the same.
    fn made(body: &str) -> Option<String> {
        let (module, found) = same_after(&program(body), vectorize);
        found.then(|| module.to_string())
    }

    #[track_caller]
    fn becomes(body: &str, lines: &[&str]) {
        let text = made(body).unwrap_or_else(|| panic!("it stays: {body}"));
        for line in lines {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn neighbouring_elements_are_vectors() {
        becomes(
            "for j in range(4):\n    A[i * 4 + j] = B[i * 8 + j + 3] + T.float32(1)",
            &["A[i * 4:i * 4 + 4] = B[T.Ramp(i * 8 + 3, 1, 4)] + T.Broadcast(T.float32(1.0), 4)"],
        );
        becomes("for j in range(8):\n    A[i * 8 + j] = A[i * 8 + j] * B[i]", &["* T.Broadcast(B[i], 8)"]);
        becomes(
            "for j in range(2, 6):\n    A[j] = T.Cast(\"float32\", C[j + 1])",
            &["A[2:6] = T.Cast(\"float32x4\", C[T.Ramp(3, 1, 4)])"],
        );
    }

    #[test]
    fn bindings_are_of_the_first_lane_or_vectors() {
        becomes(
            "for j in range(4):\n    k: T.let[T.int32] = i * 4 + j\n    x: T.let[T.float32] = B[k] * B[i]\n    A[k] = x * x",
            &[
                "k: T.let[T.int32] = i * 4\n",
                "x: T.let[T.float32x4] = B[T.Ramp(k, 1, 4)] * T.Broadcast(B[i], 4)",
                "A[k:k + 4] = x * x",
            ],
        );
    }

    #[test]
    fn what_is_no_vector_stays() {
        for body in [
            "for j in range(5):\n    A[i * 4 + j] = B[j]",
            "for j in range(4):\n    A[i + j * 3] = B[j]",
            "for j in range(4):\n    A[i * 4 + j] = B[j * 2]",
            "for j in range(4):\n    A[i * 4 + j] = B[(i + j) % 8]",
            "for j in range(4):\n    C[i * 4 + j] = C[i * 4 + j] // 3",
            "for j in range(4):\n    C[i * 4 + j] = j",
            "for j in range(4):\n    A[i * 4 + j] = B[C[j]]",
            "for j in range(4):\n    if i < 2:\n        A[i * 4 + j] = B[j]",
            "for j in T.parallel(4):\n    A[i * 4 + j] = B[j]",
            "for v in T.vectorized(2):\n    for j in range(4):\n        A[v * 4 + j] = B[j]",
            "for j in range(4):\n    A[i] = B[j]",
        ] {
            assert_eq!(made(body), None);
        }
    }

    #[test]
    fn iterations_that_meet_what_others_store_stay_apart() {
        for body in [
            "for j in range(4):\n    A[i * 4 + j + 1] = A[i * 4 + j] + T.float32(1)",
            "for j in range(4):\n    A[i * 4 + j] = A[i * 4] + B[j]",
            "for j in range(4):\n    A[i * 4 + j] = B[j]\n    A[i * 4 + j + 1] = B[j + 1]",
            "for j in range(4):\n    A[i * 4 + j] = B[j]\n    B[j + 1] = A[i * 4 + j]",
        ] {
            assert_eq!(made(body), None);
        }
        let aliasing = "@T.prim_func\ndef main(A: T.Buffer((64,)), B: T.Buffer((64,))):\n    for i in range(3):\n        for j in range(4):\n            A[i * 4 + j] = B[j]\n";
        assert!(!vectorize(&mut crate::parse(aliasing).unwrap().funcs[0]), "the buffers may be one memory");
    }

    #[test]
    fn small_buffers_of_the_function_itself_stay_registers() {
        let text = |size: usize| {
            format!(
                "@T.prim_func\ndef main(A: T.Buffer((640,))):\n    T.func_attr({{\"tirx.noalias\": True}})\n    X = T.alloc_buffer(({size},))\n    for i in range(3):\n        for j in range(4):\n            X[i * 4 + j] = A[j]\n"
            )
        };
        let becomes = |size: usize| vectorize(&mut crate::parse(&text(size)).unwrap().funcs[0]);
        assert!(!becomes(16) && becomes(640));
    }
}
