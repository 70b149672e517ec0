//! How many operations of each class were executed, or stand in a program.

use std::ops::AddAssign;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::ir::opclass::OpClass;

const CLASSES: usize = OpClass::ALL.len();

/// Operation counts by class. An operation on vectors counts once for each started 8 lanes.
///
/// ```
/// use satir::interp::static_counts;
/// use satir::ir::opclass::OpClass;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x] = A[x + 1] * 3\n")?;
/// let counts = static_counts(&module.funcs[0])?;
/// assert_eq!((counts.get(OpClass::Mul), counts.get(OpClass::Load)), (1, 1));
/// assert_eq!((counts.integer(), counts.float()), (2, 0), "`+` and `*`");
/// assert_eq!(counts.total(), 4, "a load and a store besides");
/// assert_eq!(counts.iter().map(|(_, n)| n).sum::<u64>(), 4);
/// assert_eq!(counts.weighted(&|class| if class == OpClass::Mul { 3.0 } else { 0.0 }), 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    ops: [u64; CLASSES],
    /// Iterations of loops of all kinds, threads among them.
    pub loop_iterations: u64,
    /// Conditions that chose what to do: of `if` and of `T.if_then_else`.
    pub branches: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Counts { ops: [0; CLASSES], loop_iterations: 0, branches: 0 }
    }
}

impl Counts {
    /// The number of operations of one class.
    ///
    /// ```
    /// use satir::interp::static_counts;
    /// use satir::ir::opclass::OpClass;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x] = A[x + 1] * 3\n")?;
    /// let counts = static_counts(&module.funcs[0])?;
    /// assert_eq!((counts.get(OpClass::Mul), counts.get(OpClass::Load)), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn get(&self, class: OpClass) -> u64 {
        self.ops[class as usize]
    }

    /// Adds `n` operations of one class.
    pub(crate) fn add(&mut self, class: OpClass, n: u64) {
        self.ops[class as usize] += n;
    }

    /// The classes with their counts, in the order of [`OpClass::ALL`].
    ///
    /// ```
    /// use satir::interp::static_counts;
    /// use satir::ir::opclass::OpClass;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x] = A[x + 1] * 3\n")?;
    /// let counts = static_counts(&module.funcs[0])?;
    /// let present: Vec<_> = counts.iter().filter(|(_, n)| *n > 0).map(|(class, _)| class.name()).collect();
    /// assert_eq!(present, ["add", "mul", "load", "store"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (OpClass, u64)> + '_ {
        OpClass::ALL.iter().map(|&class| (class, self.get(class)))
    }

    /// All operations: everything but bindings.
    ///
    /// ```
    /// use satir::interp::static_counts;
    /// use satir::ir::opclass::OpClass;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x] = A[x + 1] * 3\n")?;
    /// let counts = static_counts(&module.funcs[0])?;
    /// assert_eq!(counts.total(), 4);
    /// assert_eq!(counts.get(OpClass::Bind), 0, "and bindings would not count");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn total(&self) -> u64 {
        self.iter().filter(|(class, _)| *class != OpClass::Bind).map(|(_, n)| n).sum()
    }

    /// Operations on integers, truth values and pointers, `Select` of any type among them.
    ///
    /// ```
    /// use satir::interp::static_counts;
    /// use satir::ir::opclass::OpClass;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x] = A[x + 1] * 3\n")?;
    /// let counts = static_counts(&module.funcs[0])?;
    /// assert_eq!(counts.integer(), 2, "`+` and `*`");
    /// assert_eq!(counts.get(OpClass::Load), 1, "which is no arithmetic");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn integer(&self) -> u64 {
        use OpClass::{
            AddSub, Bitwise, Compare, DivConst, DivPow2, DivVar, IntCast, Logic, MinMax, Mul, MulPow2,
            Select, Shift,
        };
        let classes = [
            AddSub, Compare, Logic, Select, Shift, Bitwise, IntCast, MinMax, Mul, MulPow2, DivPow2, DivConst,
            DivVar,
        ];
        classes.into_iter().map(|class| self.get(class)).sum()
    }

    /// Operations on floats, and other pure calls.
    ///
    /// ```
    /// use satir::interp::static_counts;
    /// use satir::ir::opclass::OpClass;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,))):\n    A[0] = A[1] / A[2] + A[3]\n")?;
    /// let counts = static_counts(&module.funcs[0])?;
    /// assert_eq!((counts.float(), counts.get(OpClass::FloatDiv)), (2, 1), "`/` and `+`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn float(&self) -> u64 {
        let classes = [OpClass::FloatArith, OpClass::FloatDiv, OpClass::Transcendental];
        classes.into_iter().map(|class| self.get(class)).sum()
    }

    /// The sum of all counts, each times the weight of its class.
    ///
    /// ```
    /// use satir::interp::static_counts;
    /// use satir::ir::opclass::OpClass;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x] = A[x + 1] * 3\n")?;
    /// let counts = static_counts(&module.funcs[0])?;
    /// let loads_only = counts.weighted(&|class| if class == OpClass::Load { 4.0 } else { 0.0 });
    /// assert_eq!(loads_only, 4.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn weighted(&self, weight: &dyn Fn(OpClass) -> f64) -> f64 {
        self.iter().map(|(class, n)| weight(class) * n as f64).sum()
    }

    /// Adds `other`, `times` times.
    pub(super) fn add_times(&mut self, other: &Counts, times: u64) {
        for (mine, theirs) in self.ops.iter_mut().zip(other.ops) {
            *mine += theirs * times;
        }
        self.loop_iterations += other.loop_iterations * times;
        self.branches += other.branches * times;
    }
}

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, other: &Counts) {
        self.add_times(other, 1);
    }
}

impl Serialize for Counts {
    /// A map from the class's name to its count, with `loop_iterations` and the sums at the end.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(CLASSES + 5))?;
        for (class, n) in self.iter() {
            map.serialize_entry(class.name(), &n)?;
        }
        map.serialize_entry("loop_iterations", &self.loop_iterations)?;
        map.serialize_entry("branches", &self.branches)?;
        map.serialize_entry("integer", &self.integer())?;
        map.serialize_entry("float", &self.float())?;
        map.serialize_entry("total", &self.total())?;
        map.end()
    }
}
