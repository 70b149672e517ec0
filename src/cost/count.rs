//! Counts and prices the operations of a function.

use super::{Bindings, Cost, Frequency, LazyArms, Places, Profile, Weight, lazy_arms};
use crate::ir::opclass::{OpClass, classify, units};
use crate::ir::{Expr, PrimFunc, Stmt, StmtKind};

/// What a class's cost is reported under.
///
/// ```
/// use satir::cost::{Family, family};
/// use satir::ir::opclass::OpClass;
///
/// assert_eq!(family(OpClass::DivVar), Family::Integer);
/// assert_eq!(family(OpClass::Load), Family::Memory);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Family {
    /// Integer and truth arithmetic.
    Integer,
    /// Float arithmetic.
    Float,
    /// Loads and stores.
    Memory,
    /// Bindings.
    Binding,
    /// Calls that are not pure.
    Call,
}

/// What the cost of `class` is reported under.
///
/// ```
/// use satir::cost::{Family, family};
/// use satir::ir::opclass::OpClass;
///
/// let floats: Vec<OpClass> = OpClass::ALL.iter().copied().filter(|&c| family(c) == Family::Float).collect();
/// assert_eq!(floats, [OpClass::FloatArith, OpClass::FloatDiv, OpClass::Transcendental]);
/// ```
pub const fn family(class: OpClass) -> Family {
    match class {
        OpClass::AddSub
        | OpClass::Compare
        | OpClass::Logic
        | OpClass::Select
        | OpClass::Shift
        | OpClass::Bitwise
        | OpClass::IntCast
        | OpClass::MinMax
        | OpClass::MulPow2
        | OpClass::Mul
        | OpClass::DivPow2
        | OpClass::DivConst
        | OpClass::DivVar => Family::Integer,
        OpClass::FloatArith | OpClass::FloatDiv | OpClass::Transcendental => Family::Float,
        OpClass::Load | OpClass::Store => Family::Memory,
        OpClass::Bind => Family::Binding,
        OpClass::Call => Family::Call,
    }
}

/// The operations of one class in a function.
///
/// ```
/// use satir::cost::{Bindings, Profile, cost_of_func};
/// use satir::ir::opclass::OpClass;
///
/// let module = satir::parse("@T.prim_func\ndef main():\n    for i in range(8):\n        T.evaluate(i * 3)\n")?;
/// let cost = cost_of_func(&module.funcs[0], &Profile::default(), &Bindings::new());
/// let mul = cost.class(OpClass::Mul);
/// assert_eq!((mul.count, mul.runs.to_f64(), mul.cost.to_f64()), (1, 8.0, 24.0));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClassCount {
    /// How many stand in the text; a vector operation counts once per started 8 lanes.
    pub count: u64,
    /// How many run.
    pub runs: Frequency,
    /// What they cost.
    pub cost: Cost,
}

/// The cost of a function, whole and in parts.
///
/// ```
/// use satir::cost::{Bindings, Profile, cost_of_func};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), x: T.int32):\n    T.evaluate(A[x * 3])\n")?;
/// let cost = cost_of_func(&module.funcs[0], &Profile::default(), &Bindings::new());
/// assert_eq!((cost.integer.to_f64(), cost.memory.to_f64(), cost.total.to_f64()), (3.0, 4.0, 7.0));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CostBreakdown {
    /// Everything.
    pub total: Cost,
    /// [`Family::Integer`].
    pub integer: Cost,
    /// [`Family::Float`].
    pub float: Cost,
    /// [`Family::Memory`].
    pub memory: Cost,
    /// [`Family::Binding`].
    pub binding: Cost,
    /// [`Family::Call`].
    pub call: Cost,
    classes: Classes,
}

/// One entry per class, in the order of [`OpClass::ALL`].
type Classes = [ClassCount; OpClass::ALL.len()];

impl CostBreakdown {
    /// The operations of one class.
    ///
    /// ```
    /// use satir::cost::{Bindings, Profile, cost_of_func};
    /// use satir::ir::opclass::OpClass;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x // 7 + x // 8)\n")?;
    /// let cost = cost_of_func(&module.funcs[0], &Profile::default(), &Bindings::new());
    /// assert_eq!(cost.class(OpClass::DivConst).count, 1);
    /// assert_eq!(cost.class(OpClass::DivPow2).count, 1);
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn class(&self, class: OpClass) -> ClassCount {
        self.classes[class as usize]
    }

    /// All classes in the order of [`OpClass::ALL`].
    ///
    /// ```
    /// use satir::cost::{Bindings, Profile, cost_of_func};
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x * 3 + 1)\n")?;
    /// let cost = cost_of_func(&module.funcs[0], &Profile::default(), &Bindings::new());
    /// let used: Vec<&str> = cost.classes().filter(|(_, n)| n.count > 0).map(|(class, _)| class.name()).collect();
    /// assert_eq!(used, ["add", "mul"]);
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn classes(&self) -> impl Iterator<Item = (OpClass, ClassCount)> {
        OpClass::ALL.iter().copied().zip(self.classes.iter().copied())
    }

    /// The cost of one family of classes.
    ///
    /// ```
    /// use satir::cost::{Bindings, Family, Profile, cost_of_func};
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x * 3)\n")?;
    /// let cost = cost_of_func(&module.funcs[0], &Profile::default(), &Bindings::new());
    /// assert_eq!(cost.family(Family::Integer), cost.total);
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn family(&self, family: Family) -> Cost {
        match family {
            Family::Integer => self.integer,
            Family::Float => self.float,
            Family::Memory => self.memory,
            Family::Binding => self.binding,
            Family::Call => self.call,
        }
    }

    /// The number of operations in the text, bindings among them.
    ///
    /// ```
    /// use satir::cost::{Bindings, Profile, cost_of_func};
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x * 3 + 1)\n")?;
    /// assert_eq!(cost_of_func(&module.funcs[0], &Profile::default(), &Bindings::new()).operations(), 2);
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn operations(&self) -> u64 {
        self.classes.iter().map(|c| c.count).sum()
    }

    /// Sums up what the classes cost. Sums that saturate come out the same in any order.
    fn of(classes: Classes) -> CostBreakdown {
        let mut whole = CostBreakdown { classes, ..CostBreakdown::default() };
        for (class, ClassCount { cost, .. }) in OpClass::ALL.iter().zip(classes) {
            whole.total += cost;
            match family(*class) {
                Family::Integer => whole.integer += cost,
                Family::Float => whole.float += cost,
                Family::Memory => whole.memory += cost,
                Family::Binding => whole.binding += cost,
                Family::Call => whole.call += cost,
            }
        }
        whole
    }
}

/// The weight of the operation at the root of `e`, without its operands.
///
/// ```
/// use satir::cost::{Profile, weight_of};
/// use satir::ir::{DType, Expr, VarId};
///
/// let x = || Expr::var(VarId(0), DType::I32);
/// let weight = |e: &Expr| weight_of(&Profile::default(), e).to_f64();
/// assert_eq!(weight(&(x() * 3)), 3.0);
/// assert_eq!(weight(&((x() * 3) + 1)), 1.0, "of the root only");
/// ```
pub fn weight_of(profile: &Profile, e: &Expr) -> Weight {
    classify(e).map_or(Weight::ZERO, |(class, units)| profile.weight(class).times(units))
}

/// The cost of evaluating `e` once, operands included.
///
/// ```
/// use satir::cost::{Profile, cost_of_expr};
/// use satir::ir::{DType, Expr, VarId};
///
/// let x = || Expr::var(VarId(0), DType::I32);
/// let cost = |e: &Expr| cost_of_expr(&Profile::default(), e).to_f64();
/// assert_eq!(cost(&((x() * 3) + 1)), 4.0);
/// assert_eq!(cost(&x().floordiv(x())), 24.0);
/// ```
pub fn cost_of_expr(profile: &Profile, e: &Expr) -> Cost {
    let mut total = Cost::ZERO;
    let arms = |e: &Expr| lazy_arms(profile, e);
    operations(&arms, e, Frequency::ONE, &mut |class, runs, _| total += profile.weight(class) * runs);
    total
}

/// The cost of a function. `bindings` give values to its symbolic dimensions and scalar parameters by name.
///
/// ```
/// use satir::cost::{Bindings, Profile, cost_of_func};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), x: T.int32):\n    for i in range(8):\n        A[i] = x + i\n";
/// let module = satir::parse(text)?;
/// let cost = cost_of_func(&module.funcs[0], &Profile::default(), &Bindings::new());
/// assert_eq!(cost.total.to_f64(), 8.0); // eight sums; stores cost nothing
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cost_of_func(func: &PrimFunc, profile: &Profile, bindings: &Bindings) -> CostBreakdown {
    let mut counter =
        Counter { profile, places: Places::new(func, profile, bindings), classes: Classes::default() };
    counter.block(&func.body, Frequency::ONE);
    CostBreakdown::of(counter.classes)
}

/// A walk over a function.
struct Counter<'a> {
    profile: &'a Profile,
    places: Places<'a>,
    classes: Classes,
}

impl Counter<'_> {
    fn add(&mut self, class: OpClass, runs: Frequency, units: u64) {
        let entry = &mut self.classes[class as usize];
        entry.count += units;
        entry.runs += runs;
        entry.cost += self.profile.weight(class) * runs;
    }

    fn block(&mut self, block: &[Stmt], frequency: Frequency) {
        for stmt in block {
            self.places.enter(stmt);
            let head = frequency * self.places.head_count(stmt);
            match &stmt.kind {
                StmtKind::Bind { .. } => self.add(OpClass::Bind, head, 1),
                StmtKind::Store { value, .. } => {
                    let units = units(value.dtype);
                    self.add(OpClass::Store, head * Frequency::times(units), units);
                }
                StmtKind::Evaluate(_)
                | StmtKind::For(_)
                | StmtKind::While { .. }
                | StmtKind::If { .. }
                | StmtKind::Assert { .. }
                | StmtKind::Attr { .. }
                | StmtKind::LaunchThread { .. }
                | StmtKind::Alloc { .. }
                | StmtKind::Decl { .. }
                | StmtKind::SBlock(_)
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Return(_) => {}
            }
            let mut found = Vec::new();
            stmt.for_each_expr(|e| {
                let arms = |e: &Expr| self.places.lazy_arms(e);
                operations(&arms, e, head, &mut |class, runs, units| found.push((class, runs, units)));
            });
            for (class, runs, units) in found {
                self.add(class, runs, units);
            }
            let counts = self.places.block_counts(stmt);
            let cond = match &stmt.kind {
                StmtKind::If { cond, .. } => Some(cond),
                _ => None,
            };
            let mut index = 0;
            stmt.for_each_block(|b| {
                if let Some(cond) = cond {
                    self.places.enter_arm(cond, index == 0);
                }
                self.block(b, frequency * counts[index]);
                if cond.is_some() {
                    self.places.leave_arm();
                }
                index += 1;
            });
        }
    }
}

/// Calls `found` on the class of each operation of an expression, how often it runs, a vector's once per started 8 lanes,
/// and how many it is in the text.
fn operations(
    arms_of: &impl Fn(&Expr) -> LazyArms,
    e: &Expr,
    frequency: Frequency,
    found: &mut impl FnMut(OpClass, Frequency, u64),
) {
    if let Some((class, units)) = classify(e) {
        let runs = if units == 1 { frequency } else { frequency * Frequency::times(units) };
        found(class, runs, units);
    }
    let arms = arms_of(e);
    let mut index = 0;
    e.for_each_child(|c| {
        let frequency = if arms == LazyArms::None { frequency } else { frequency * arms.probability(index) };
        operations(arms_of, c, frequency, found);
        index += 1;
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::build::FuncBuilder;
    use crate::ir::{BinOp, DType};

    #[test]
    fn loops_branches_and_lazy_arms_weigh() {
        let mut b = FuncBuilder::new("main");
        let n = b.param("n", DType::I32);
        let a = b.buffer_param("A", DType::I32, vec![Expr::int(1000, DType::I32)]);
        b.serial("i", Expr::int(10, DType::I32), |b, i| {
            b.serial("j", b.var(n), |b, j| {
                let (i, j) = (b.var(i), b.var(j));
                let cond = Expr::binary(BinOp::Lt, i.clone(), j.clone());
                b.if_then(cond, |b| b.store(a, vec![j.clone()], Expr::binary(BinOp::Mul, i, j)));
            });
        });
        let func = b.finish();
        let profile = Profile::default();
        let cost = |bindings: &Bindings| cost_of_func(&func, &profile, bindings);
        // 10 * 32 iterations: one comparison, half a multiplication of weight 3.
        assert_eq!(cost(&Bindings::new()).total.to_f64(), 320.0 + 160.0 * 3.0);
        let bound = cost(&Bindings::from([("n".to_owned(), 4), ("i".to_owned(), 7)]));
        assert_eq!(bound.integer.to_f64(), 40.0 + 20.0 * 3.0);
        assert_eq!(bound.class(OpClass::Mul).count, 1);
        assert_eq!(bound.class(OpClass::Mul).runs, Frequency::times(20));
        assert_eq!(bound.class(OpClass::Store).runs, Frequency::times(20));
    }

    #[test]
    fn an_extent_through_a_binding_is_known() {
        let mut b = FuncBuilder::new("main");
        let a = b.buffer_param("A", DType::I32, vec![Expr::int(1000, DType::I32)]);
        let n = b.bind("n", Expr::int(5, DType::I32));
        let e = Expr::binary(BinOp::Mul, b.var(n), Expr::int(2, DType::I32));
        b.serial("i", e, |b, i| {
            let i = b.var(i);
            b.store(a, vec![i.clone()], Expr::binary(BinOp::Add, i, Expr::int(1, DType::I32)));
        });
        let cost = cost_of_func(&b.finish(), &Profile::default(), &Bindings::new());
        assert_eq!(cost.class(OpClass::AddSub).runs, Frequency::times(10));
        assert_eq!(cost.total.to_f64(), 10.0 + 1.0 + 0.25);
    }

    #[test]
    fn lazy_operands_count_by_probability() {
        let x = Expr::var(crate::ir::VarId(0), DType::I32);
        let c = Expr::binary(BinOp::Lt, x.clone(), x.clone());
        let e = Expr::binary(BinOp::And, c.clone(), c.clone());
        assert_eq!(cost_of_expr(&Profile::default(), &e).to_f64(), 1.0 + 1.0 + 0.5);
        let mul = Expr::binary(BinOp::Mul, x.clone(), x.clone());
        let likely = Expr::call(DType::BOOL, "likely", vec![c]);
        let e = Expr::call(DType::I32, "if_then_else", vec![likely, mul, x]);
        let cost = cost_of_expr(&Profile::default(), &e).to_f64();
        assert!((cost - (1.0 + 1.0 + 0.9 * 3.0)).abs() < 1e-6, "{cost}");
    }
}
