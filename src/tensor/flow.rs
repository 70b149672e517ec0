//! Which nests of a function compute which tensors, and of which.

use hashbrown::HashMap;

use super::joint::is_root;
use super::lift::reads;
use crate::ir::{Block, Buffer, BufferId, Expr, ExprKind, Origin, PrimFunc, Stmt, StmtKind};
use crate::script::print_expr;

/// The nests of a function and the tensors between them: what a picture of it shows.
///
/// ```
/// let text = "@T.prim_func
/// def main(A: T.Buffer((4,)), B: T.Buffer((4,))):
///     for i in range(4):
///         B[i] = T.exp(A[i])
/// ";
/// let module = satir::parse(text)?;
/// let flow = satir::tensor::Flow::of(&module.funcs[0]);
/// assert_eq!(flow.tensors.len(), 2);
/// assert_eq!((&*flow.nests[0].reads, &*flow.nests[0].writes), (&[0][..], &[1][..]));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flow {
    /// The tensors that nests read or write, in the order of the function's buffers.
    pub tensors: Vec<FlowTensor>,
    /// The statements at the root of the function, in order.
    pub nests: Vec<FlowNest>,
}

/// A tensor of a [`Flow`].
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((4, 2), \"float16\")):\n    A[0, 1] = T.float16(1)\n")?;
/// let tensor = &satir::tensor::Flow::of(&module.funcs[0]).tensors[0];
/// assert_eq!((&*tensor.name, &*tensor.shape, &*tensor.dtype), ("A", &["4".to_owned(), "2".to_owned()][..], "float16"));
/// assert!(tensor.is_parameter);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlowTensor {
    /// Its buffer's name.
    pub name: String,
    /// Its extents, as text.
    pub shape: Vec<String>,
    /// The type of its elements.
    pub dtype: String,
    /// Whether a caller passes the buffer.
    pub is_parameter: bool,
}

/// A nest of a [`Flow`]: its tensors as positions in [`Flow::tensors`].
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((4,))):\n    for i in range(4):\n        A[i] = A[i] + A[0]\n")?;
/// let flow = satir::tensor::Flow::of(&module.funcs[0]);
/// assert_eq!((flow.nests[0].name.as_str(), flow.nests[0].reads.len()), ("A", 1));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlowNest {
    /// The name of its block, or of what it writes.
    pub name: String,
    /// What it reads.
    pub reads: Vec<usize>,
    /// What it writes.
    pub writes: Vec<usize>,
}

impl Flow {
    /// The nests of a function.
    ///
    /// ```
    /// let mut func = satir::ir::PrimFunc::new("empty");
    /// assert!(satir::tensor::Flow::of(&func).nests.is_empty());
    /// ```
    pub fn of(func: &PrimFunc) -> Flow {
        let stmts = statements(&func.body);
        let mut buffers: Vec<BufferId> =
            stmts.iter().flat_map(|stmt| reads(stmt).into_iter().chain(written(stmt))).collect();
        buffers.sort_unstable();
        buffers.dedup();
        let places: HashMap<BufferId, usize> =
            buffers.iter().enumerate().map(|(at, &buffer)| (buffer, at)).collect();
        let tensors = buffers.iter().map(|&buffer| tensor(func, func.buffer(buffer))).collect();
        let nests = stmts.iter().map(|stmt| nest(func, stmt, &buffers, &places)).collect();
        Flow { tensors, nests }
    }
}

/// The statements at the root; what only allocates is none.
fn statements(body: &Block) -> Vec<&Stmt> {
    let body = match &body[..] {
        [Stmt { kind: StmtKind::SBlock(root), .. }] if is_root(root) => &root.body,
        _ => body,
    };
    let acts = |stmt: &&Stmt| !matches!(stmt.kind, StmtKind::Alloc { .. } | StmtKind::Decl { .. });
    body.iter().filter(acts).collect()
}

fn tensor(func: &PrimFunc, buffer: &Buffer) -> FlowTensor {
    let extent = |e: &Expr| e.as_int().map_or_else(|| print_expr(func, e), |number| number.to_string());
    FlowTensor {
        name: buffer.name.to_string(),
        shape: buffer.shape.iter().map(extent).collect(),
        dtype: buffer.dtype.to_string(),
        is_parameter: matches!(buffer.origin, Origin::Param | Origin::Match(_)),
    }
}

fn nest(func: &PrimFunc, stmt: &Stmt, buffers: &[BufferId], places: &HashMap<BufferId, usize>) -> FlowNest {
    let mut name = None;
    stmt.walk(&mut |inner| {
        if let (StmtKind::SBlock(block), None) = (&inner.kind, &name) {
            name = Some(block.name.to_string());
        }
    });
    let mut written: Vec<usize> = written(stmt).iter().map(|buffer| places[buffer]).collect();
    written.sort_unstable();
    written.dedup();
    let mut read: Vec<usize> = reads(stmt).iter().filter_map(|buffer| places.get(buffer).copied()).collect();
    read.sort_unstable();
    read.dedup();
    // A reduction reads what it folds into.
    let own = |tensor: &usize| written.contains(tensor) && !reads_of_others(stmt, buffers[*tensor]);
    read.retain(|tensor| !own(tensor));
    let of_written = || written.first().map(|&tensor| func.buffer(buffers[tensor]).name.to_string());
    FlowNest {
        name: name.or_else(of_written).unwrap_or_else(|| "statement".to_owned()),
        reads: read,
        writes: written,
    }
}

/// The buffers that a statement may write.
fn written(stmt: &Stmt) -> Vec<BufferId> {
    let mut found = Vec::new();
    stmt.walk(&mut |inner| {
        match &inner.kind {
            StmtKind::Store { buffer, .. } => found.push(*buffer),
            StmtKind::SBlock(block) => {
                found.extend(block.match_buffers.iter().map(|(_, region)| region.buffer))
            }
            _ => {}
        }
        inner.for_each_expr(|e| {
            e.walk(&mut |e| match &e.kind {
                ExprKind::BufferData(b) | ExprKind::BufferRef(b) | ExprKind::Region(b, _) => found.push(*b),
                _ => {}
            });
        });
    });
    found
}

/// Whether a statement reads elements of a buffer other than those that it then stores.
fn reads_of_others(stmt: &Stmt, buffer: BufferId) -> bool {
    let mut found = false;
    stmt.walk(&mut |inner| {
        if let StmtKind::Store { buffer: stored, indices, value } = &inner.kind {
            value.walk(&mut |e| {
                if let ExprKind::Load { buffer: loaded, indices: at } = &e.kind {
                    found |= *loaded == buffer && (*stored != buffer || at[..] != indices[..]);
                }
            });
        }
    });
    found
}
