//! Inputs of a run: values for symbolic dimensions and scalar parameters, and memory for buffers, with contents that
//! follow from a seed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;

use super::memory::Repr;
use super::shape::{allocation_size, compact_strides};
use crate::ir::value::{self, Value, float, int};
use crate::ir::{Buffer, BufferId, DType, Expr, Kind, Origin, Param, PrimFunc, Type, VarId};

/// Values of symbolic dimensions and integer parameters, by name.
///
/// ```
/// use satir::interp::{Bindings, RunOptions, run_function};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((\"n\",), \"int32\"), B: T.Buffer((\"n\",), \"int32\")):\n    n = T.int32()\n    for i in range(n):\n        B[i] = A[i]\n")?;
/// let options = RunOptions {
///     bindings: Bindings::from([("n".to_owned(), 3)]),
///     constraints: Default::default(),
///     seed: 0,
///     tensors: Vec::new(),
///     max_steps: 1000,
///     lenient_loads: false,
/// };
/// let report = run_function(&module.funcs[0], &options)?;
/// assert_eq!(report.counts.loop_iterations, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Bindings = BTreeMap<String, i64>;

/// Constraints on the contents of buffers, by the parameter's name.
///
/// ```
/// use satir::interp::{Bindings, Constraint, Constraints, RunOptions, run_function};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((\"n\",), \"int32\"), B: T.Buffer((\"n\",), \"int32\")):\n    n = T.int32()\n    for i in range(n):\n        B[i] = A[i]\n")?;
/// let of_a = Constraint::Values { values: vec![5.0, 6.0] };
/// let options = RunOptions {
///     bindings: Bindings::from([("n".to_owned(), 3)]),
///     constraints: Constraints::from([("A".to_owned(), of_a)]),
///     seed: 0,
///     tensors: Vec::new(),
///     max_steps: 1000,
///     lenient_loads: false,
/// };
/// let report = run_function(&module.funcs[0], &options)?;
/// let b = &report.tensors[1];
/// assert_eq!(b.data, [5, 0, 0, 0, 6, 0, 0, 0, 5, 0, 0, 0], "little-endian, over and over");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Constraints = BTreeMap<String, Constraint>;

/// What the elements of a buffer may be.
///
/// ```
/// use satir::interp::{Constraint, Constraints};
///
/// // As `satir run --constraints FILE` reads them.
/// let text = r#"{"A": {"kind": "uniform", "lo": 0, "hi": 1}, "B": {"kind": "randint", "lo": 0, "hi": 10}}"#;
/// let constraints: Constraints = serde_json::from_str(text)?;
/// assert_eq!(constraints["B"], Constraint::RandInt { lo: 0, hi: 10 });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Constraint {
    /// Floats from `lo` to `hi`.
    Uniform {
        /// Smallest.
        lo: f64,
        /// Largest.
        hi: f64,
    },
    /// Integers from `lo` to `hi`, `hi` excluded.
    RandInt {
        /// Smallest.
        lo: i64,
        /// One more than the largest.
        hi: i64,
    },
    /// These values, over and over.
    Values {
        /// The values.
        values: Vec<f64>,
    },
}

/// The elements of a buffer.
///
/// ```
/// use satir::interp::Tensor;
/// use satir::ir::DType;
///
/// let tensor = Tensor { name: "A".into(), dtype: DType::int(16), shape: vec![2], data: vec![1, 0, 2, 0] };
/// let digest = tensor.digest();
/// assert_eq!((&*digest.name, &*digest.dtype), ("A", "int16"));
/// let other = Tensor { data: vec![1, 0, 3, 0], ..tensor.clone() };
/// assert_ne!(other.digest().digest, digest.digest);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Name of the parameter.
    pub name: Arc<str>,
    /// Type of the elements.
    pub dtype: DType,
    /// Extents.
    pub shape: Vec<i64>,
    /// The memory: little-endian elements, the gaps of a strided buffer among them.
    pub data: Vec<u8>,
}

/// Everything that a run of one function starts from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Inputs {
    /// Values of variables: scalar parameters, symbolic dimensions, strides and offsets of buffers.
    pub vars: BTreeMap<VarId, Value>,
    /// The memories.
    pub memories: Vec<Tensor>,
    /// For each parameter that is a buffer or handle the index of its memory.
    pub param_memories: Vec<Option<u32>>,
}

/// Why no inputs can be made.
///
/// ```
/// use satir::interp::{Bindings, InputError, RunError, RunOptions, run_function};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((\"n\",), \"int32\"), B: T.Buffer((\"n\",), \"int32\")):\n    n = T.int32()\n    for i in range(n):\n        B[i] = A[i]\n")?;
/// let options = RunOptions {
///     bindings: Bindings::from([("m".to_owned(), 3)]),
///     constraints: Default::default(),
///     seed: 0,
///     tensors: Vec::new(),
///     max_steps: 1000,
///     lenient_loads: false,
/// };
/// let error = run_function(&module.funcs[0], &options).unwrap_err();
/// assert!(matches!(&error, RunError::Input(InputError::Unbound(names)) if names == &["n"]));
/// assert!(error.to_string().contains("no value for `n`"));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Variables without a value.
    #[error("no value for {}; give it with `--bind`", .0.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))]
    Unbound(Vec<String>),
    /// The shape is not an expression of the bound variables, or negative, or too large.
    #[error("the shape of `{0}` cannot be computed from the bindings, or is negative or too large")]
    Shape(String),
    /// Nothing tells how much memory is behind a pointer.
    #[error("nothing tells the size of the memory behind the pointer `{0}`")]
    UnknownSize(String),
    /// A value that a variable's type cannot hold.
    #[error("{value} is not a value of `{name}`, which is `{dtype}`")]
    Range {
        /// The variable.
        name: String,
        /// Its type.
        dtype: DType,
        /// The value.
        value: i64,
    },
}

/// Where integers are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ints {
    /// Smallest.
    pub lo: i64,
    /// Largest.
    pub hi: i64,
    /// One element in so many is near a limit of its type, or near a power of two, instead; none if 0.
    pub near_limits: u8,
}

impl Ints {
    /// From `lo` to `hi`.
    pub(crate) const fn within(lo: i64, hi: i64) -> Ints {
        Ints { lo, hi, near_limits: 0 }
    }
}

/// How contents are made up.
#[derive(Clone, Debug)]
pub(crate) struct Fill<'a> {
    /// Where randomness starts.
    pub seed: u64,
    /// Constraints by parameter name. One whose name no parameter has applies to the only integer buffer, if there is
    /// one only: TVM renames parameters.
    pub constraints: &'a Constraints,
    /// Where integers are taken from, as far as the type can hold them.
    pub ints: Ints,
    /// Whether floats include zeros of both signs, infinities, NaN, and the largest and smallest numbers.
    pub special_floats: bool,
}

/// The variables that a run needs values for: integer parameters, then symbolic dimensions, in order of appearance.
pub(crate) fn free_variables(func: &PrimFunc) -> Vec<VarId> {
    let mut free = Vec::new();
    for param in &func.params {
        if let Param::Var(var) = *param
            && let Type::Prim(dtype) = &func.var(var).ty
            && *dtype != DType::HANDLE
        {
            free.push(var);
        }
    }
    for buffer in param_buffers(func) {
        for dim in &func.buffer(buffer).shape {
            if let Some(var) = dim.as_var()
                && !free.contains(&var)
            {
                free.push(var);
            }
        }
    }
    free
}

/// The variables that stand in the shapes of buffers that the caller provides: they are never negative.
pub(super) fn shape_variables(func: &PrimFunc) -> BTreeSet<VarId> {
    let mut vars = BTreeSet::new();
    for buffer in param_buffers(func) {
        for dim in &func.buffer(buffer).shape {
            dim.walk(&mut |e| vars.extend(e.as_var()));
        }
    }
    vars
}

/// The buffers that the caller provides: parameters, and those matched to handles.
pub(super) fn param_buffers(func: &PrimFunc) -> impl Iterator<Item = BufferId> + '_ {
    let direct = func.params.iter().filter_map(|param| match param {
        Param::Buffer(buffer) => Some(*buffer),
        Param::Var(_) => None,
    });
    direct.chain(func.matches.iter().map(|&(_, buffer)| buffer))
}

impl Inputs {
    /// Inputs for `func` with these bindings, filled as `fill` says.
    pub(crate) fn generate(
        func: &PrimFunc,
        bindings: &Bindings,
        fill: &Fill<'_>,
    ) -> Result<Inputs, InputError> {
        let mut inputs = Inputs {
            vars: bind(func, bindings)?,
            memories: Vec::new(),
            param_memories: vec![None; func.params.len()],
        };
        let stray = stray_constraint(func, fill.constraints);
        for (index, param) in func.params.iter().enumerate() {
            let (name, dtype, shape, size) = match param {
                Param::Buffer(buffer) => inputs.layout(func, *buffer)?,
                Param::Var(var) if func.var(*var).ty.dtype() == DType::HANDLE => inputs.behind(func, *var)?,
                Param::Var(_) => continue,
            };
            let constraint =
                fill.constraints.get(&*name).or(stray.filter(|_| dtype.is_integral()).map(|(_, c)| c));
            let mut random = Random::new(fill.seed, index as u64);
            let data = random.fill(dtype, size, constraint, fill);
            inputs.param_memories[index] = Some(inputs.memories.len() as u32);
            inputs.memories.push(Tensor { name, dtype, shape, data });
        }
        Ok(inputs)
    }

    /// Name, type, shape and number of elements in memory of a buffer that the caller provides. Strides and offset that
    /// are variables are bound: compact, and 0.
    fn layout(
        &mut self,
        func: &PrimFunc,
        buffer: BufferId,
    ) -> Result<(Arc<str>, DType, Vec<i64>, usize), InputError> {
        let Buffer { name, dtype, shape, strides, elem_offset, .. } = func.buffer(buffer);
        let bad = || InputError::Shape(name.to_string());
        let shape: Vec<i64> =
            shape.iter().map(|e| self.int(e).filter(|&n| n >= 0)).collect::<Option<_>>().ok_or_else(bad)?;
        let mut actual = compact_strides(&shape);
        for (stride, actual) in strides.iter().zip(&mut actual) {
            *actual = self.int_or_bind(stride, *actual).ok_or_else(bad)?;
        }
        let offset = match elem_offset {
            Some(offset) => self.int_or_bind(offset, 0).ok_or_else(bad)?,
            None => 0,
        };
        let size = allocation_size(&shape, &actual, offset).filter(|&n| n < 1 << 31).ok_or_else(bad)?;
        Ok((name.clone(), *dtype, shape, size))
    }

    /// The same for a handle: of the buffer matched to it, or of the largest buffer declared over it.
    fn behind(
        &mut self,
        func: &PrimFunc,
        var: VarId,
    ) -> Result<(Arc<str>, DType, Vec<i64>, usize), InputError> {
        if let Some(&(_, buffer)) = func.matches.iter().find(|(handle, _)| *handle == var) {
            return self.layout(func, buffer);
        }
        let mut largest = None;
        for (index, buffer) in func.buffers.iter().enumerate() {
            if let Origin::Pointer(pointer) = &buffer.origin
                && pointer.as_var() == Some(var)
            {
                let (_, dtype, shape, size) = self.layout(func, BufferId(index as u32))?;
                if largest.as_ref().is_none_or(|(_, _, most)| size > *most) {
                    largest = Some((dtype, shape, size));
                }
            }
        }
        let name = func.var(var).name.clone();
        match largest {
            Some((dtype, shape, size)) => Ok((name, dtype, shape, size)),
            None => Err(InputError::UnknownSize(name.to_string())),
        }
    }

    fn int_or_bind(&mut self, e: &Expr, otherwise: i64) -> Option<i64> {
        if let Some(var) = e.as_var() {
            self.vars.entry(var).or_insert(Value::Int(otherwise));
        }
        self.int(e)
    }

    fn int(&self, e: &Expr) -> Option<i64> {
        value::evaluate(e, &|var| self.vars.get(&var).copied())?.as_int()
    }

    /// Whether a buffer holds integers.
    pub(super) fn has_integers(&self) -> bool {
        self.memories.iter().any(|memory| memory.dtype.is_integral())
    }

    /// Makes the memories of two parameters one, if they have the same type and size: what a caller may do to a
    /// function that does not promise otherwise.
    pub(crate) fn alias(&mut self, first: usize, second: usize) -> bool {
        let alike = self.alike(first, second);
        if alike {
            self.param_memories[second] = self.param_memories[first];
        }
        alike
    }

    /// The pairs of parameters whose memories may be one.
    pub(super) fn pairs(&self) -> Vec<(usize, usize)> {
        let params = 0..self.param_memories.len();
        params
            .flat_map(|first| (0..self.param_memories.len()).map(move |second| (first, second)))
            .filter(|&(first, second)| first != second && self.alike(first, second))
            .collect()
    }

    /// Whether two parameters have memories of the same type and size.
    fn alike(&self, first: usize, second: usize) -> bool {
        let memory = |k: usize| {
            let index = self.param_memories.get(k).copied().flatten()?;
            Some(&self.memories[index as usize])
        };
        memory(first)
            .zip(memory(second))
            .is_some_and(|(a, b)| a.dtype == b.dtype && a.data.len() == b.data.len())
    }
}

fn bind(func: &PrimFunc, bindings: &Bindings) -> Result<BTreeMap<VarId, Value>, InputError> {
    let mut vars = BTreeMap::new();
    let mut unbound = Vec::new();
    for var in free_variables(func) {
        let entry = func.var(var);
        let dtype = entry.ty.dtype();
        match bindings.get(&*entry.name) {
            Some(&v) if dtype.is_float() => {
                vars.insert(var, Value::Float(float::round(dtype, v as f64)));
            }
            Some(&v) if int::fits(dtype, v) => {
                vars.insert(var, Value::Int(v));
            }
            Some(&value) => {
                return Err(InputError::Range { name: entry.name.to_string(), dtype, value });
            }
            None => unbound.push(entry.name.to_string()),
        }
    }
    if unbound.is_empty() { Ok(vars) } else { Err(InputError::Unbound(unbound)) }
}

/// The constraint for the only integer buffer, if its name fits no parameter, with that name.
pub(super) fn stray_constraint<'a>(
    func: &PrimFunc,
    constraints: &'a Constraints,
) -> Option<(&'a str, &'a Constraint)> {
    let buffers: Vec<&Buffer> = param_buffers(func).map(|buffer| func.buffer(buffer)).collect();
    let strays: Vec<_> =
        constraints.iter().filter(|(name, _)| buffers.iter().all(|b| *b.name != ***name)).collect();
    match strays[..] {
        [(name, constraint)] if buffers.iter().filter(|b| b.dtype.is_integral()).count() == 1 => {
            Some((name, constraint))
        }
        _ => None,
    }
}

/// A generator of random numbers (SplitMix64): the same on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator number `stream` of those that start at `seed`.
    pub(crate) fn new(seed: u64, stream: u64) -> Random {
        let mut random = Random(seed ^ stream.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer from `lo` to `hi`, both included.
    pub(crate) fn int(&mut self, lo: i64, hi: i64) -> i64 {
        let span = (i128::from(hi) - i128::from(lo) + 1).max(1);
        (i128::from(lo) + i128::from(self.next()) % span) as i64
    }

    /// A float from `lo` to `hi`.
    fn float(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.next() >> 40) as f64 / (1u64 << 24) as f64)
    }

    fn fill(
        &mut self,
        dtype: DType,
        size: usize,
        constraint: Option<&Constraint>,
        fill: &Fill<'_>,
    ) -> Vec<u8> {
        let repr = Repr::of(dtype);
        let lanes = size * usize::from(dtype.lanes);
        let mut data = vec![0; lanes * repr.size()];
        for k in 0..lanes {
            let v = self.element(dtype, k, constraint, fill);
            // The memory was sized for it.
            let _ = repr.store(&mut data, k * repr.size(), v);
        }
        data
    }

    /// The register content of one element.
    fn element(&mut self, dtype: DType, k: usize, constraint: Option<&Constraint>, fill: &Fill<'_>) -> u64 {
        let range = dtype.int_range().unwrap_or((0, i128::from(u8::MAX)));
        let clamp = |v: i64| i128::from(v).clamp(range.0, range.1) as i64;
        match (dtype.kind, constraint) {
            (Kind::Float | Kind::BFloat, _) => {
                let v = match constraint {
                    Some(Constraint::Uniform { lo, hi }) => self.float(*lo, *hi),
                    Some(Constraint::RandInt { lo, hi }) => self.int(*lo, *hi - 1) as f64,
                    Some(Constraint::Values { values }) => cycle(values, k),
                    None if fill.special_floats && self.next().is_multiple_of(2) => self.special(dtype),
                    None => self.float(-1.0, 1.0),
                };
                float::round(dtype, v).to_bits()
            }
            (Kind::Int | Kind::UInt | Kind::Bool, Some(Constraint::Uniform { lo, hi })) => {
                clamp(self.int(*lo as i64, *hi as i64)) as u64
            }
            (Kind::Int | Kind::UInt | Kind::Bool, Some(Constraint::RandInt { lo, hi })) => {
                clamp(self.int(*lo, *hi - 1)) as u64
            }
            (Kind::Int | Kind::UInt | Kind::Bool, Some(Constraint::Values { values })) => {
                clamp(cycle(values, k) as i64) as u64
            }
            (Kind::Bool, None) => self.next() & 1,
            (Kind::Int | Kind::UInt, None) => {
                let Ints { lo, hi, near_limits } = fill.ints;
                let extreme = near_limits > 0 && self.next().is_multiple_of(near_limits.into());
                let value = if extreme { self.near_limit(dtype) } else { self.int(clamp(lo), clamp(hi)) };
                value as u64
            }
            (Kind::Narrow(_), _) => self.next() & 0xff,
            (Kind::Handle | Kind::Void, _) => 0,
        }
    }

    /// A value near a limit of an integer type, or near a power of two, in the form of [`Value::Int`].
    pub(super) fn near_limit(&mut self, dtype: DType) -> i64 {
        let (least, most) = dtype.int_range().unwrap_or((0, 1));
        let bits = i64::from(dtype.bits);
        let exact = match self.next() % 4 {
            0 => least + i128::from(self.int(0, 3)),
            1 => most - i128::from(self.int(0, 3)),
            sign => {
                let power = 1_i128 << self.int(bits / 2 - 1, bits - 1);
                (if sign == 2 { power } else { -power }) + i128::from(self.int(-2, 2))
            }
        };
        int::wrap(dtype, exact.clamp(least, most))
    }

    fn special(&mut self, dtype: DType) -> f64 {
        let infinity = float::to_bits(dtype, f64::INFINITY);
        let (largest, smallest) = (float::from_bits(dtype, infinity - 1), float::from_bits(dtype, 1));
        // Zeros are where most wrong identities show.
        let zeros = [0.0, -0.0, 0.0, -0.0];
        let others =
            [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, largest, -largest, smallest, 1.0, -1.0, 0.5];
        let values = [&zeros[..], &others].concat();
        values[(self.next() % values.len() as u64) as usize]
    }
}

fn cycle(values: &[f64], k: usize) -> f64 {
    values.get(k % values.len().max(1)).copied().unwrap_or(0.0)
}
