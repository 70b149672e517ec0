//! Results of a run: which parameters a function may write, digests of memory, comparison of memory.

use serde::Serialize;

use super::calls::{FNV_START, fnv};
use super::inputs::Tensor;
use super::memory::Repr;
use crate::ir::opclass::{self, OpClass};
use crate::ir::{Block, BufferId, Expr, ExprKind, Kind, Origin, Param, PrimFunc, StmtKind};

/// What a buffer holds, in short.
///
/// ```
/// use satir::interp::Tensor;
/// use satir::ir::DType;
///
/// let nan = |bits: u32| Tensor {
///     name: "A".into(),
///     dtype: DType::F32,
///     shape: vec![1],
///     data: bits.to_le_bytes().to_vec(),
/// };
/// assert_eq!(nan(0x7fc0_0000).digest(), nan(0xffc0_0001).digest(), "all NaNs count as the same");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Digest {
    /// Name of the parameter.
    pub name: String,
    /// Type of the elements.
    pub dtype: String,
    /// Extents.
    pub shape: Vec<i64>,
    /// A hash of type, shape and contents; all NaNs count as the same.
    pub digest: String,
}

impl Tensor {
    /// The digest of the contents.
    ///
    /// ```
    /// use satir::interp::Tensor;
    /// use satir::ir::DType;
    ///
    /// let tensor = Tensor { name: "A".into(), dtype: DType::I32, shape: vec![1], data: vec![1, 0, 0, 0] };
    /// let renamed = Tensor { name: "B".into(), ..tensor.clone() };
    /// assert_eq!(tensor.digest().digest, renamed.digest().digest, "the name is not part of it");
    /// ```
    pub fn digest(&self) -> Digest {
        let repr = Repr::of(self.dtype);
        let mut hash = fnv(self.dtype.to_string().as_bytes(), FNV_START);
        for extent in &self.shape {
            hash = fnv(&extent.to_le_bytes(), hash);
        }
        for k in 0..self.lanes() {
            let value = repr.load(&self.data, k * repr.size()).unwrap_or_default();
            hash = fnv(&value.to_le_bytes(), hash);
        }
        Digest {
            name: self.name.to_string(),
            dtype: self.dtype.to_string(),
            shape: self.shape.clone(),
            digest: format!("{hash:016x}"),
        }
    }

    /// The number of lanes of all elements in memory.
    pub(crate) fn lanes(&self) -> usize {
        self.data.len() / Repr::of(self.dtype).size()
    }

    /// The lane with this number, as text.
    pub(crate) fn lane_text(&self, k: usize) -> String {
        let repr = Repr::of(self.dtype);
        match repr.load(&self.data, k * repr.size()) {
            None => "nothing".to_owned(),
            Some(bits) if self.dtype.is_float() => format!("{:?}", f64::from_bits(bits)),
            Some(bits) => (bits as i64).to_string(),
        }
    }

    /// Whether a lane differs from one of a tensor of the same type: in any bit (all NaNs being the same), or, of floats
    /// with a tolerance, by more than it times the larger of 1 and the values.
    pub(crate) fn lane_differs(&self, k: usize, other: &Tensor, l: usize, tolerance: Option<f64>) -> bool {
        let repr = Repr::of(self.dtype);
        match (repr.load(&self.data, k * repr.size()), repr.load(&other.data, l * repr.size()), tolerance) {
            (Some(a), Some(b), Some(tolerance)) if self.dtype.is_float() && a != b => {
                !close(f64::from_bits(a), f64::from_bits(b), tolerance)
            }
            (a, b, _) => a != b,
        }
    }
}

/// Whether two floats are equal up to a tolerance, relative to values above 1.
pub(super) fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

/// For each parameter whether the function may write its memory: by a store, or by a call that gets hold of it.
pub(crate) fn written_params(func: &PrimFunc) -> Vec<bool> {
    let mut written = Written { func, params: vec![false; func.params.len()] };
    written.block(&func.body);
    written.params
}

struct Written<'a> {
    func: &'a PrimFunc,
    params: Vec<bool>,
}

impl Written<'_> {
    fn buffer(&mut self, buffer: BufferId) {
        let root = self.func.memory_of(buffer);
        let index = |found: &dyn Fn(&Param) -> bool| self.func.params.iter().position(found);
        let param = match &self.func.buffer(root).origin {
            Origin::Param => index(&|p| *p == Param::Buffer(root)),
            Origin::Match(var) => index(&|p| *p == Param::Var(*var)),
            Origin::Pointer(pointer) => {
                let pointer = (**pointer).clone();
                return self.reached(&pointer);
            }
            Origin::Alloc | Origin::View(_) | Origin::Region(_) | Origin::Unbound => None,
        };
        if let Some(param) = param {
            self.params[param] = true;
        }
    }

    /// Everything that an argument of a call gets hold of.
    fn reached(&mut self, e: &Expr) {
        let mut buffers = Vec::new();
        let mut handles = Vec::new();
        e.walk(&mut |e| match &e.kind {
            ExprKind::BufferData(buffer) | ExprKind::BufferRef(buffer) | ExprKind::Region(buffer, _) => {
                buffers.push(*buffer);
            }
            ExprKind::Load { buffer, .. } => buffers.push(*buffer),
            ExprKind::Var(var) if e.dtype.kind == Kind::Handle => handles.push(*var),
            _ => {}
        });
        for buffer in buffers {
            self.buffer(buffer);
        }
        for var in handles {
            if let Some(param) = self.func.params.iter().position(|p| *p == Param::Var(var)) {
                self.params[param] = true;
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        let mut calls = Vec::new();
        e.walk(&mut |e| {
            if opclass::classify(e).is_some_and(|(class, _)| class == OpClass::Call) {
                calls.push(e);
            }
        });
        for call in calls {
            call.for_each_child(|arg| self.reached(arg));
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Store { buffer, value, .. } => {
                    self.buffer(*buffer);
                    self.expr(value);
                }
                StmtKind::Bind { value: e, .. } | StmtKind::Evaluate(e) | StmtKind::Return(e) => self.expr(e),
                StmtKind::For(for_) => self.block(&for_.body),
                StmtKind::While { body, .. }
                | StmtKind::Attr { body, .. }
                | StmtKind::LaunchThread { body, .. } => self.block(body),
                StmtKind::If { then, otherwise, .. } => {
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::SBlock(block) => {
                    block.init.iter().for_each(|init| self.block(init));
                    self.block(&block.body);
                }
                StmtKind::Assert { .. }
                | StmtKind::Alloc { .. }
                | StmtKind::Decl { .. }
                | StmtKind::Break
                | StmtKind::Continue => {}
            }
        }
    }
}
