//! The expressions of a program that an optimization replaced, with what is known at their places.

use hashbrown::HashMap;

use super::facts::Walk;
use super::given_range;
use crate::arith::Interval;
use crate::diag::Span;
use crate::ir::{Expr, PrimFunc, VarId};
use crate::script::print_expr;

/// An expression of the input and what stands for it in the result.
///
/// ```
/// use satir::explain::replacements;
/// use satir::script::print_expr;
///
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let (after, _) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let (before, after) = (&module.funcs[0], &after.funcs[0]);
/// let first = &replacements(before, after, false)[0];
/// assert_eq!(print_expr(before, &first.before), "x * x");
/// assert_eq!(first.bindings.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Replacement {
    /// Place of its statement in the input.
    pub span: Span,
    /// The expression, with bindings of the input that can be computed anywhere replaced by their values.
    pub before: Expr,
    /// What replaced it, with bindings replaced by their values.
    pub after: Expr,
    /// What replaced it, as it stands in the result.
    pub written: Expr,
    /// The new bindings that it uses, directly or through others.
    pub bindings: Vec<VarId>,
    /// The range of each variable.
    pub ranges: Vec<Interval>,
    /// Conditions that hold there.
    pub conds: Vec<Expr>,
    /// The statement that states each of the conditions.
    pub(super) stated: Vec<Span>,
    /// The statement that gives each variable its range; none for a size.
    pub(super) ranged: Vec<Span>,
}

impl Replacement {
    /// The statement from which a fact comes that [`Step::given`](super::Step::given) names: a loop, a test, an assertion.
    /// `None` for what holds in the whole function. `func` is the function whose names the fact uses.
    ///
    /// ```
    /// # let text = "@T.prim_func\ndef main(A: T.Buffer((99,), \"int32\")):\n    for i in range(4):\n        A[i] = (i + 8) // 4\n";
    /// let module = satir::parse(text)?;
    /// let (after, _) = satir::cse::run(&module, &satir::cse::Options::default())?;
    /// let func = &module.funcs[0];
    /// let value = &satir::explain::replacements(func, &after.funcs[0], false)[0];
    /// let place = value.origin(func, "0 <= i <= 3").expect("the loop");
    /// assert!(text[place.start as usize..].starts_with("for i in range(4)"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn origin(&self, func: &PrimFunc, fact: &str) -> Option<Span> {
        let stated = self.conds.iter().zip(&self.stated).find(|(cond, _)| print_expr(func, cond) == fact);
        let named = || {
            let ranges = self.ranges.iter().zip(&self.ranged).zip(&func.vars);
            ranges.map(|((range, span), var)| (given_range(&var.name, *range), span))
        };
        let ranged = || named().find(|(text, _)| text.as_deref() == Some(fact)).map(|(_, span)| span);
        stated.map(|(_, span)| span).or_else(ranged).copied().filter(|span| *span != Span::NONE)
    }
}

/// The expressions of `before` that are written otherwise in `after`, which was made from it, in the order of the
/// program. Statements are told by their places in the source, so those that an optimization took apart are left out.
/// With `positive` no dimension of a parameter's buffer is zero.
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let (after, _) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let found = satir::explain::replacements(&module.funcs[0], &after.funcs[0], false);
/// assert_eq!(found.len(), 2, "the index and the value of the store");
/// assert!(satir::explain::replacements(&module.funcs[0], &module.funcs[0], false).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn replacements(before: &PrimFunc, after: &PrimFunc, positive: bool) -> Vec<Replacement> {
    let vars = before.vars.len();
    let (old, new) = (Walk::of(before, vars, positive), Walk::of(after, vars, positive));
    let mut places: HashMap<(Span, _), Vec<usize>> = HashMap::new();
    for (at, visited) in new.statements.iter().enumerate() {
        places.entry((visited.span, visited.kind)).or_default().push(at);
    }
    let mut found = Vec::new();
    for visited in old.statements.iter().filter(|visited| visited.span != Span::NONE) {
        let Some([at]) = places.get(&(visited.span, visited.kind)).map(Vec::as_slice) else { continue };
        let others = &new.statements[*at].exprs;
        if others.len() != visited.exprs.len() {
            continue;
        }
        for (expr, other) in visited.exprs.iter().zip(others) {
            if expr == other {
                continue;
            }
            let mut bindings = Vec::new();
            found.push(Replacement {
                span: visited.span,
                before: old.expanded(expr, &mut Vec::new()),
                after: new.expanded(other, &mut bindings),
                written: (*other).clone(),
                bindings,
                ranges: new.ranges.clone(),
                conds: visited.facts.iter().map(|f| old.expanded(&f.cond, &mut Vec::new())).collect(),
                stated: visited.facts.iter().map(|f| f.span).collect(),
                ranged: new.ranged.clone(),
            });
        }
    }
    found
}

/// The bindings that `after` has and `before`, from which it was made, has not, with their values written out in terms
/// of `before`'s variables.
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x + 1]\n")?;
/// let (after, _) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let values = satir::explain::binding_values(&module.funcs[0], &after.funcs[0]);
/// assert_eq!(satir::script::print_expr(&module.funcs[0], &values[0].1), "x * x");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn binding_values(before: &PrimFunc, after: &PrimFunc) -> Vec<(VarId, Expr)> {
    let walk = Walk::of(after, before.vars.len(), false);
    let mut new: Vec<VarId> = walk.values.keys().copied().filter(|v| v.index() >= walk.first_new).collect();
    new.sort_unstable();
    new.into_iter().map(|var| (var, walk.expanded(&walk.values[&var], &mut Vec::new()))).collect()
}

/// What is known of each variable of a function wherever it is in scope.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main():\n    for i in range(16):\n        T.evaluate(i)\n")?;
/// let range = satir::explain::known_ranges(&module.funcs[0])[0];
/// assert_eq!((range.lo(), range.hi()), (Some(0), Some(15)));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn known_ranges(func: &PrimFunc) -> Vec<Interval> {
    Walk::of(func, func.vars.len(), false).ranges
}
