//! The intrinsics on matrices, which `nvcuda::wmma` has: what each reads and writes, as its arguments say.
//!
//! A fragment is a matrix that the threads of a warp hold together. A buffer of fragments has them one after the other, and
//! an index says which one is meant. How the elements of a fragment lie is up to the hardware; here fragment `i` of `m` rows
//! and `n` columns is the elements from `i * m * n` on, row by row, or column by column if it is an operand of products that is
//! loaded from columns: so TVM describes these intrinsics (`tvm.s_tir.tensor_intrin`). All threads of a warp call one with the
//! same arguments.
//!
//! Of an intrinsic with other arguments than those below nothing is known.

use std::collections::BTreeMap;

use super::{BufferId, DType, Expr, ExprKind, Kind, PrimFunc, Stmt, StmtKind};

/// A matrix that an intrinsic reads or writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<'e> {
    /// A pointer to its memory.
    pub pointer: &'e Expr,
    pub place: Place<'e>,
    pub rows: i64,
    pub cols: i64,
    /// The type of its elements.
    pub dtype: DType,
}

/// Where in the memory that it is in a matrix lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'e> {
    /// It is the fragment of this number, by rows or by columns.
    Fragment { index: &'e Expr, are_rows: bool },
    /// It begins where the pointer points to; its rows, or its columns, are so many elements from each other.
    Lines { stride: &'e Expr, are_rows: bool },
}

/// What an intrinsic does with matrices. It reads all that it reads before it writes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MatrixOp<'e> {
    /// `T.tvm_fill_fragment(fragment, m, n, k, index, value)`
    Fill { to: Matrix<'e>, value: &'e Expr },
    /// `T.tvm_load_matrix_sync(fragment, m, n, k, index, pointer, stride, layout)`, and the other way round
    /// `T.tvm_store_matrix_sync` with the same arguments.
    Copy { to: Matrix<'e>, from: Matrix<'e> },
    /// `T.tvm_mma_sync(d, index, a, index, b, index, c, index)`: `d = a * b + c`. An element of `d` is that of `c` plus the
    /// products of a row and a column, which are added one by one in their order, in the type of `d`.
    MultiplyAdd { d: Matrix<'e>, a: Matrix<'e>, b: Matrix<'e>, c: Matrix<'e> },
}

impl<'e> MatrixOp<'e> {
    /// The matrices that it reads.
    pub(crate) fn reads(&self) -> Vec<Matrix<'e>> {
        match *self {
            MatrixOp::Fill { .. } => Vec::new(),
            MatrixOp::Copy { from, .. } => vec![from],
            MatrixOp::MultiplyAdd { a, b, c, .. } => vec![a, b, c],
        }
    }

    /// The matrix that it writes.
    pub(crate) fn writes(&self) -> Matrix<'e> {
        match *self {
            MatrixOp::Fill { to, .. } | MatrixOp::Copy { to, .. } => to,
            MatrixOp::MultiplyAdd { d, .. } => d,
        }
    }
}

/// The intrinsics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intrinsic {
    Fill,
    Load,
    Store,
    MultiplyAdd,
}

impl Intrinsic {
    /// The one that is called, with the arguments.
    fn called(e: &Expr) -> Option<(Intrinsic, &[Expr])> {
        let (name, args) = e.as_intrin()?;
        let intrinsic = match name {
            "tvm_fill_fragment" => Intrinsic::Fill,
            "tvm_load_matrix_sync" => Intrinsic::Load,
            "tvm_store_matrix_sync" => Intrinsic::Store,
            "tvm_mma_sync" => Intrinsic::MultiplyAdd,
            _ => return None,
        };
        Some((intrinsic, args))
    }
}

/// Whether a call is of one of the intrinsics.
pub(crate) fn is_matrix_call(e: &Expr) -> bool {
    Intrinsic::called(e).is_some()
}

/// The intrinsics on matrices of a function.
pub(crate) struct Matrices<'f> {
    func: &'f PrimFunc,
    /// What the calls that load, store and fill the fragments of a buffer say of them. Nothing where they say different things,
    /// or no constants.
    products: BTreeMap<BufferId, Option<Product>>,
}

/// What is said of the fragments of a buffer.
#[derive(Clone, Copy, Debug)]
struct Product {
    /// Of the product that they take part in the rows of the first operand, the columns of the second, and what is folded over.
    extents: [i64; 3],
    /// Whether they are loaded from rows or from columns, if they are.
    are_rows: Option<bool>,
}

impl Product {
    /// What a call says.
    fn said(intrinsic: Intrinsic, args: &[Expr]) -> Option<Product> {
        let extents = [args.get(1)?.as_int()?, args.get(2)?.as_int()?, args.get(3)?.as_int()?];
        let are_rows = if intrinsic == Intrinsic::Load { Some(are_rows(args.get(7)?)?) } else { None };
        Some(Product { extents, are_rows })
    }

    /// What two calls say, if that is the same.
    fn and(self, other: Product) -> Option<Product> {
        let fit = self.extents == other.extents
            && (self.are_rows == other.are_rows || self.are_rows.is_none() || other.are_rows.is_none());
        fit.then_some(Product { are_rows: self.are_rows.or(other.are_rows), ..self })
    }
}

/// Whether a layout is by rows or by columns.
fn are_rows(layout: &Expr) -> Option<bool> {
    match &layout.kind {
        ExprKind::Str(layout) if **layout == *"row_major" => Some(true),
        ExprKind::Str(layout) if **layout == *"col_major" => Some(false),
        _ => None,
    }
}

/// Whether fragments in a storage scope are operands of products.
fn is_operand(scope: &str) -> bool {
    matches!(scope, "wmma.matrix_a" | "wmma.matrix_b")
}

/// Most rows or columns of a matrix.
const MAX_EXTENT: i64 = 256;

impl<'f> Matrices<'f> {
    pub(crate) fn of(func: &'f PrimFunc) -> Matrices<'f> {
        let mut products: BTreeMap<BufferId, Option<Product>> = BTreeMap::new();
        let mut look = |stmt: &Stmt| {
            if let StmtKind::Evaluate(e) = &stmt.kind
                && let Some((intrinsic, args)) = Intrinsic::called(e)
                && intrinsic != Intrinsic::MultiplyAdd
                && let Some(ExprKind::BufferData(buffer)) = args.first().map(|fragment| &fragment.kind)
            {
                let memory = func.memory_of(*buffer);
                let mut own = Product::said(intrinsic, args);
                if !is_operand(&func.buffer(memory).scope) {
                    own = own.map(|own| Product { are_rows: None, ..own });
                }
                let said = products.entry(memory).or_insert(own);
                *said = said.zip(own).and_then(|(said, own)| said.and(own));
            }
        };
        func.body.iter().for_each(|stmt| stmt.walk(&mut look));
        Matrices { func, products }
    }

    /// What a call of one of the intrinsics does, or why that is not known. `None` for all other expressions.
    pub(crate) fn op<'e>(&self, e: &'e Expr) -> Option<Result<MatrixOp<'e>, String>> {
        let (intrinsic, args) = Intrinsic::called(e)?;
        let op = match (intrinsic, args) {
            (Intrinsic::Fill, [fragment, _, _, _, index, value]) => self.fill(fragment, index, value),
            (Intrinsic::Load | Intrinsic::Store, [fragment, _, _, _, index, pointer, stride, layout]) => {
                self.copy(intrinsic, (fragment, index), (pointer, stride, layout))
            }
            (Intrinsic::MultiplyAdd, [d, di, a, ai, b, bi, c, ci]) => {
                self.multiply_add([(d, di), (a, ai), (b, bi), (c, ci)])
            }
            _ => Err("other arguments than it takes".to_owned()),
        };
        let name = e.as_intrin().map_or("", |(name, _)| name);
        Some(op.map_err(|why| format!("`T.{name}` with {why}")))
    }

    fn fill<'e>(&self, fragment: &'e Expr, index: &'e Expr, value: &'e Expr) -> Result<MatrixOp<'e>, String> {
        if !value.dtype.is_scalar() {
            return Err("a vector as value".to_owned());
        }
        Ok(MatrixOp::Fill { to: self.fragment(fragment, index)?, value })
    }

    /// A load of a fragment from memory, or a store of one.
    fn copy<'e>(
        &self,
        intrinsic: Intrinsic,
        (fragment, index): (&'e Expr, &'e Expr),
        (pointer, stride, layout): (&'e Expr, &'e Expr, &'e Expr),
    ) -> Result<MatrixOp<'e>, String> {
        let fragment = self.fragment(fragment, index)?;
        let Some(are_rows) = are_rows(layout) else {
            return Err("a layout that is neither `row_major` nor `col_major`".to_owned());
        };
        if self.pointee(pointer) != Some(fragment.dtype) {
            return Err("a pointer that is not known to be to elements of the fragment's type".to_owned());
        }
        if !stride.dtype.is_index() || !stride.dtype.is_scalar() {
            return Err("a stride that is no integer".to_owned());
        }
        let place = Place::Lines { stride, are_rows };
        let memory = Matrix { pointer, place, ..fragment };
        let (to, from) = if intrinsic == Intrinsic::Load { (fragment, memory) } else { (memory, fragment) };
        Ok(MatrixOp::Copy { to, from })
    }

    fn multiply_add<'e>(&self, [d, a, b, c]: [(&'e Expr, &'e Expr); 4]) -> Result<MatrixOp<'e>, String> {
        let of = |(fragment, index): (&'e Expr, &'e Expr)| self.fragment(fragment, index);
        let (d, a, b, c) = (of(d)?, of(a)?, of(b)?, of(c)?);
        let is_number =
            |dtype: DType| matches!(dtype.kind, Kind::Int | Kind::UInt | Kind::Float | Kind::BFloat);
        let fit = (d.rows, d.cols) == (c.rows, c.cols)
            && (d.rows, a.cols, d.cols) == (a.rows, b.rows, b.cols)
            && d.dtype == c.dtype
            && a.dtype == b.dtype
            && d.dtype.is_float() == a.dtype.is_float()
            && is_number(d.dtype)
            && is_number(a.dtype);
        if !fit {
            return Err("fragments whose shapes or types do not fit".to_owned());
        }
        Ok(MatrixOp::MultiplyAdd { d, a, b, c })
    }

    /// The fragment of a number in the buffer that a pointer is to.
    fn fragment<'e>(&self, pointer: &'e Expr, index: &'e Expr) -> Result<Matrix<'e>, String> {
        let ExprKind::BufferData(buffer) = pointer.kind else {
            return Err("a fragment that is not the data of a buffer".to_owned());
        };
        let dtype = self.func.buffer(buffer).dtype;
        if !dtype.is_scalar()
            || !dtype.bits.is_multiple_of(8)
            || !index.dtype.is_index()
            || !index.dtype.is_scalar()
        {
            return Err("a fragment of vectors or of parts of bytes".to_owned());
        }
        let memory = self.func.memory_of(buffer);
        let Some(Product { extents: [m, n, k], are_rows }) = self.products.get(&memory).copied().flatten()
        else {
            return Err("a fragment of which no shape and layout, or several, are known".to_owned());
        };
        let (rows, cols) = match &*self.func.buffer(memory).scope {
            "wmma.matrix_a" => (m, k),
            "wmma.matrix_b" => (k, n),
            "wmma.accumulator" => (m, n),
            _ if m == n && n == k => (m, m),
            _ => return Err("a fragment that may be any of a product's three matrices".to_owned()),
        };
        if !(1..=MAX_EXTENT).contains(&rows) || !(1..=MAX_EXTENT).contains(&cols) {
            return Err("a fragment whose shape is no matrix's".to_owned());
        }
        let place = Place::Fragment { index, are_rows: are_rows.unwrap_or(true) };
        Ok(Matrix { pointer, place, rows, cols, dtype })
    }

    /// The type of the elements that a pointer is to, as far as its form tells.
    fn pointee(&self, pointer: &Expr) -> Option<DType> {
        match (&pointer.kind, pointer.as_intrin()) {
            (ExprKind::BufferData(buffer), _) => Some(self.func.buffer(*buffer).dtype),
            (_, Some(("tvm_access_ptr", [element, ..]))) => Some(element.dtype),
            (_, Some(("address_of", [element]))) => Some(element.dtype),
            _ => None,
        }
    }
}
