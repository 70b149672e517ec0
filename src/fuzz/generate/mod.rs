//! Random programs, typed and defined by construction: on nearly all inputs they run to their end.
//!
//! What makes them defined: the generator carries a range for each integer expression, keeps index arithmetic small
//! enough for any order of summation, wraps or clamps or guards indices, and guards divisors. What makes them useful:
//! expressions are spelled again and again in other words (`respell`), guards matter (what they guard does trap when
//! they are left out), buffers share types and shapes so that they may alias, and stores stand between loads.

mod chains;
mod cond;
mod extreme;
mod float;
mod integer;
mod kept;
mod limits;
mod nest;
mod padded;
mod respell;
mod scope;
mod stmt;
mod vector;

pub use padded::padded;

use super::dice::Dice;
use super::tree::for_each_root_mut;
use crate::ir::{
    AttrValue, Buffer, BufferId, DType, Expr, ExprKind, Module, Origin, Param, PrimFunc, Type, VarId,
};
use scope::{Array, Dim, Range, STORED, Scope};

/// What generated programs are like.
///
/// ```
/// use satir::fuzz::{Shape, program};
///
/// let small = program(1, Shape { size: 10, portable: true }).to_string();
/// let large = program(1, Shape { size: 1000, portable: true }).to_string();
/// assert!(small.len() < large.len());
/// assert!(Shape::mixed(1, true).size < 2048, "most are much smaller");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// About how many expression nodes a function has.
    pub size: usize,
    /// Only what TVM's LLVM build runs with the same result: no calls of unknown functions, no early return, loops that run in
    /// any order only where order does not matter.
    pub portable: bool,
}

impl Shape {
    /// A size that follows from the seed: mostly small programs, in which bugs are found as well and much faster, with a
    /// long tail. About one in three is larger than 15 expression nodes, one in eight than
    /// 31, one in 23 than 63, and so on up to 2047.
    ///
    /// ```
    /// use satir::fuzz::Shape;
    ///
    /// let large = (0..1000).filter(|&seed| Shape::mixed(seed, true).size > 63).count();
    /// assert!((10..100).contains(&large), "{large} of 1000");
    /// ```
    pub fn mixed(seed: u64, portable: bool) -> Shape {
        const LEAST: i64 = 8;
        const MAX_LEAST: i64 = 1024;
        let mut dice = Dice::new(seed ^ 0x5a5a);
        let mut least = LEAST;
        while least < MAX_LEAST && dice.chance(35) {
            least *= 2;
        }
        let size = dice.int(least, 2 * least - 1);
        Shape { size: size as usize, portable }
    }
}

/// The program that follows from a seed.
///
/// ```
/// use satir::fuzz::{Shape, program};
///
/// let module = program(7, Shape::mixed(7, false));
/// assert!(satir::verify::verify(&module).is_ok());
/// assert_eq!(module.to_string(), program(7, Shape::mixed(7, false)).to_string(), "the seed decides");
/// ```
pub fn program(seed: u64, shape: Shape) -> Module {
    let mut dice = Dice::new(seed);
    let several = !shape.portable && dice.chance(15);
    let names: &[&str] = if several { &["main", "other"] } else { &["main"] };
    let size = shape.size / names.len();
    let funcs = names.iter().map(|name| Generator::new(&mut dice, Shape { size, ..shape }).function(name));
    let funcs = funcs.collect();
    Module { name: "Module".into(), attrs: Vec::new(), funcs }
}

/// Index arithmetic stays below this, so that no order of evaluating a sum overflows an `int32`.
const BOUND: i64 = 1 << 22;

struct Generator<'d> {
    dice: &'d mut Dice,
    shape: Shape,
    func: PrimFunc,
    scope: Scope,
    /// Expression nodes that may still be made.
    budget: i64,
    /// The type of most indices.
    index: DType,
    /// Most iterations of the loops around the place.
    work: i64,
    /// Loops and conditions around the place.
    depth: usize,
    /// Whether `break` and `continue` may stand here.
    exits: Exits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exits {
    None,
    Break,
    Both,
}

/// Names collide on purpose, with those of satir's own bindings and with what TVMScript uses itself.
const NAMES: [&str; 12] =
    ["i", "j", "k", "v", "x", "cse_v1", "cse_v2", "cse_v", "t", "range", "float", "Module"];

impl<'d> Generator<'d> {
    fn new(dice: &'d mut Dice, shape: Shape) -> Generator<'d> {
        let index = if dice.chance(80) { DType::I32 } else { DType::I64 };
        let func = PrimFunc::new("main");
        Generator {
            budget: shape.size as i64,
            dice,
            shape,
            func,
            scope: Scope::default(),
            index,
            work: 1,
            depth: 0,
            exits: Exits::None,
        }
    }

    fn function(mut self, name: &str) -> PrimFunc {
        self.func.name = name.into();
        self.func.decorator.push(("s_tir".into(), AttrValue::Bool(true)));
        if name != "main" {
            self.func.decorator.insert(0, ("private".into(), AttrValue::Bool(true)));
        }
        if self.dice.chance(60) {
            self.func.attrs.push(("tirx.noalias".into(), AttrValue::Bool(true)));
        }
        self.parameters();
        let mut body = Vec::new();
        if self.dice.chance(25) {
            self.nest(&mut body);
        }
        while self.budget > 0 && body.len() < 64 {
            self.stmt(&mut body);
        }
        self.func.body = body;
        self.rename_lets();
        self.func
    }

    /// An expression that was written again defines its variables again: each definition gets a variable of its own.
    fn rename_lets(&mut self) {
        let mut body = std::mem::take(&mut self.func.body);
        let mut seen = vec![false; self.func.vars.len()];
        for_each_root_mut(&mut body, &mut |e| rename(&mut self.func, &mut seen, e, &mut Vec::new()));
        self.func.body = body;
    }

    /// Scalars, symbolic dimensions, and buffers over a few types and shapes.
    fn parameters(&mut self) {
        for name in ["n", "m", "p"] {
            if self.dice.chance(55) {
                let dtype = if self.dice.chance(85) { self.index } else { self.small_int() };
                let var = self.func.new_var(name, Type::Prim(dtype));
                self.func.params.push(Param::Var(var));
                let range = if dtype.is_index() { Range { lo: -17, hi: 17 } } else { Range::of_type(dtype) };
                self.scope.define(var, dtype, range);
            }
        }
        for (name, dtype) in [("s", DType::F32), ("flag", DType::BOOL)] {
            if self.dice.chance(20) {
                let var = self.func.new_var(name, Type::Prim(dtype));
                self.func.params.push(Param::Var(var));
                self.scope.define(var, dtype, Range { lo: 0, hi: 1 });
            }
        }
        let mut dims: Vec<Expr> = Vec::new();
        for name in ["d", "e"] {
            if self.dice.chance(40) {
                let var = self.func.new_var(name, Type::Prim(self.index));
                self.scope.define(var, self.index, Range { lo: 0, hi: 17 });
                dims.push(Expr::var(var, self.index));
            }
        }
        // A dimension that stands alone in a shape defines its variable, so those come first.
        for dim in &dims {
            let dtype = self.element();
            self.parameter(dtype, vec![Dim::symbolic(dim.clone())]);
        }
        let count = self.dice.int(2, 4);
        let mut last: Option<(DType, Vec<Dim>)> = None;
        for _ in 0..count {
            let (dtype, shape) = match &last {
                Some(alike) if self.dice.chance(60) => alike.clone(),
                _ => (self.element(), self.extents(&dims)),
            };
            last = Some((dtype, shape.clone()));
            self.parameter(dtype, shape);
        }
    }

    fn extents(&mut self, dims: &[Expr]) -> Vec<Dim> {
        let constant = |g: &mut Self, sizes: &[i64]| {
            let n = g.dice.pick(sizes);
            Dim::constant(n, g.index)
        };
        match self.dice.below(10) {
            0..=4 => vec![constant(self, &[16, 20, 32, 64])],
            5 => vec![constant(self, &[4, 7]), constant(self, &[8, 5])],
            6 => vec![constant(self, &[2, 3]), constant(self, &[3, 4]), constant(self, &[8])],
            _ if dims.is_empty() => vec![constant(self, &[64])],
            7 => vec![Dim::symbolic(self.dice.pick(dims))],
            8 => vec![Dim::symbolic(self.dice.pick(dims)), constant(self, &[4, 8])],
            _ => vec![constant(self, &[4]), Dim::symbolic(self.dice.pick(dims))],
        }
    }

    fn parameter(&mut self, dtype: DType, shape: Vec<Dim>) {
        let name = ["A", "B", "C", "D", "E", "F", "G"][self.func.buffers.len() % 7];
        let buffer = self.buffer(name, dtype, &shape, Origin::Param);
        self.func.params.push(Param::Buffer(buffer));
        self.scope.arrays.push(Array::of(buffer, dtype, shape));
    }

    fn buffer(&mut self, name: &str, dtype: DType, shape: &[Dim], origin: Origin) -> BufferId {
        self.func.new_buffer(Buffer {
            name: name.into(),
            dtype,
            shape: shape.iter().map(|d| d.extent.clone()).collect(),
            strides: Vec::new(),
            elem_offset: None,
            scope: "global".into(),
            extra: Vec::new(),
            origin,
        })
    }

    /// The type of a buffer's elements.
    fn element(&mut self) -> DType {
        match self.dice.below(20) {
            0..=7 => DType::I32,
            8..=12 => DType::F32,
            13 => DType::I64,
            14 => DType::float(64),
            15 if !self.shape.portable => DType::float(16),
            16 => DType::BOOL,
            _ => self.small_int(),
        }
    }

    /// An integer type that wraps.
    fn small_int(&mut self) -> DType {
        let types = [
            DType::int(8),
            DType::int(16),
            DType::uint(8),
            DType::uint(16),
            DType::uint(32),
            DType::uint(64),
        ];
        self.dice.pick(&types)
    }

    fn new_var(&mut self, dtype: DType) -> VarId {
        let name = self.dice.pick(&NAMES);
        self.func.new_var(name, Type::Prim(dtype))
    }

    /// A scalar expression of any type.
    fn value(&mut self, dtype: DType, depth: usize) -> Expr {
        if dtype.is_bool() {
            self.cond(depth)
        } else if dtype.is_float() {
            self.float(dtype, depth)
        } else {
            self.integer(dtype, depth).0
        }
    }

    /// What may be stored in an element of a buffer of this type.
    fn stored(&mut self, dtype: DType, depth: usize) -> Expr {
        if !dtype.is_index() {
            return self.value(dtype, depth);
        }
        let (e, range) = self.integer(dtype, depth);
        self.confined(e, range, STORED)
    }
}

/// Gives each `Let` below `e` whose variable was `seen` a new one; `renamed` has those around the place.
fn rename(func: &mut PrimFunc, seen: &mut Vec<bool>, e: &mut Expr, renamed: &mut Vec<(VarId, VarId)>) {
    match &mut e.kind {
        ExprKind::Var(var) => {
            if let Some((_, new)) = renamed.iter().rev().find(|(old, _)| old == var) {
                *var = *new;
            }
        }
        ExprKind::Let(var, value, body) => {
            rename(func, seen, value, renamed);
            let old = *var;
            if seen[old.index()] {
                let entry = func.var(old).clone();
                *var = func.new_var(entry.name, entry.ty);
                seen.push(true);
            }
            seen[var.index()] = true;
            renamed.push((old, *var));
            rename(func, seen, body, renamed);
            renamed.pop();
        }
        _ => e.for_each_child_mut(|child| rename(func, seen, child, renamed)),
    }
}

#[cfg(test)]
mod tests;
