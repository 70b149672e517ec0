//! What lowering of dynamic shapes leaves behind is gone from the result: choices on constants, extrema and comparisons of
//! a term with itself, sums with zero, products with one, conditions within the same condition.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;

use satir::cost::{Bindings, Profile, cost_of_func};
use satir::cse::Options;
use satir::interp::{Constraints, EquivOptions, equiv};
use satir::ir::{BinOp, Block, DType, Expr, ExprKind, Module, StmtKind, VarId};
use satir::passes;

/// A fused row-wise loop whose scratch buffer has the bounds that TVM infers for a split of `d0*d1*d2` elements.
const SPLIT: &str = r#"
@T.prim_func
def main(A: T.Buffer(("d0", "d1", "d2"), "int32"), M: T.Buffer(("d0", "d1"), "int32")):
    d0, d1, d2 = T.int32(), T.int32(), T.int32()
    a = T.decl_buffer((d0 * d1 * d2,), "int32", data=A.data)
    m = T.decl_buffer((d0 * d1,), "int32", data=M.data)
    for o in range((d0 * d1 * d2 + 6) // 7):
        for i in range(7):
            if T.likely((o * 7 + i) // d2 // d1 < d0):
                if T.likely((o * 7 + i) // d2 < d0 * d1):
                    if T.likely(o * 7 + i < d0 * d1 * d2):
                        m[(o * 7 + i) // d2 // d1 * d1 + (o * 7 + i) // d2 % d1] = T.max(m[(o * 7 + i) // d2 // d1 * d1 + (o * 7 + i) // d2 % d1], a[((o * 7 + i) // d2 // d1 * d1 + (o * 7 + i) // d2 % d1) * d2 + (o * 7 + i) % d2])
"#;

/// The extents that region inference makes of a whole dimension.
const EXTENTS: &str = r#"
@T.prim_func
def main(A: T.Buffer(("d1", "d2"), "int32"), B: T.Buffer(("d1", "d2"), "int32")):
    d1, d2 = T.int32(), T.int32()
    for i in range(T.min(d1, T.max(T.Select(not T.bool(False), (T.Select(not T.bool(False), d1 * d2, 0 - d1 * d2) - 1) // d2, (1 - d1 * d2) // d2) + 1, d1) - T.min(T.Select(not T.bool(False), 0, (d1 * d2 - 1) // d2), 0))):
        for j in range(T.min(d2, d2)):
            if T.Select(not T.bool(False), i, 0) < d1 and i < d1 and 0 <= j:
                B[T.max(0, T.min(i, d1 - 1)), j] = A[T.min(i, i), j + (i - i)]
"#;

/// Average pooling over windows that end at the borders of dimensions of unknown size.
const POOL: &str = r#"
@T.prim_func
def main(A: T.Buffer(("n", "h"), "int32"), B: T.Buffer(("n", "h"), "int32")):
    n, h = T.int32(), T.int32()
    for b in range(n):
        for y in range(h):
            B[b, y] = 0
            for k in range(3):
                if 0 <= y + k - 1 and y + k - 1 < h:
                    B[b, y] = B[b, y] + T.if_then_else(1 <= y + k and y + k < h + 1, A[b, T.max(T.min(y + k - 1, h - 1), 0)], 0)
            B[b, y] = T.Div(B[b, y], T.max(T.min(y + 2, h) - T.max(y - 1, 0), 1))
            if b < n:
                if 0 <= y and y < h:
                    B[b, y] = T.max(B[b, y], T.min(B[b, y], B[b, y]))
"#;

/// A reshape: coordinates fused and taken apart again, with guards that say nothing.
const RESHAPE: &str = r#"
@T.prim_func
def main(A: T.Buffer(("p", "q"), "int32"), B: T.Buffer(("p", "q"), "int32")):
    p, q = T.int32(), T.int32()
    for i in range(p):
        for j in range(q):
            B[(i * q + j) // q, (i * q + j) % q] = T.if_then_else(0 <= i * q + j and i * q + j < p * q, A[(i * q + j) // q % p, T.Select(j < q, j, q - 1)], T.Select(not T.bool(False), 0, 1))
"#;

/// The names of what should not be there.
fn leftovers(module: &Module) -> Vec<String> {
    let mut found = Vec::new();
    for func in &module.funcs {
        in_block(&func.body, &mut Vec::new(), &mut found);
    }
    found
}

fn in_block(block: &Block, conditions: &mut Vec<Expr>, found: &mut Vec<String>) {
    for stmt in block {
        stmt.for_each_expr(|e| e.walk(&mut |e| found.extend(leftover(e).map(str::to_owned))));
        let known = conditions.len();
        if let StmtKind::If { cond, otherwise, .. } = &stmt.kind {
            if conditions.contains(cond) {
                found.push("a condition within the same condition".to_owned());
            }
            if otherwise.is_empty() {
                conditions.push(cond.clone());
            }
        }
        stmt.for_each_block(|inner| in_block(inner, conditions, found));
        conditions.truncate(known);
    }
}

/// What is wrong with the operation at the root of an expression.
fn leftover(e: &Expr) -> Option<&'static str> {
    let constant = |e: &Expr| e.as_int().is_some();
    let is = |e: &Expr, v: i64| e.as_int() == Some(v);
    match &e.kind {
        ExprKind::Not(a) if constant(a) => Some("negation of a constant"),
        ExprKind::Select(select)
            if constant(&select.cond)
                || matches!(select.cond.kind, ExprKind::Not(_))
                || select.then == select.otherwise =>
        {
            Some("choice without a choice")
        }
        ExprKind::Call(_) => match e.as_intrin() {
            Some(("if_then_else", [cond, a, b])) if constant(cond) || a == b => {
                Some("choice without a choice")
            }
            _ => None,
        },
        ExprKind::Binary(op, a, b) if a.dtype.is_integral() || a.dtype.is_bool() => match op {
            _ if constant(a) && constant(b) => Some("operation on constants"),
            BinOp::Add if is(a, 0) || is(b, 0) => Some("sum with zero"),
            BinOp::Sub if is(b, 0) || a == b => Some("difference of nothing"),
            BinOp::Mul if [a, b].into_iter().any(|e| is(e, 0) || is(e, 1)) => {
                Some("product with zero or one")
            }
            BinOp::FloorDiv | BinOp::FloorMod if is(b, 1) || is(a, 0) || a == b => {
                Some("division of nothing")
            }
            BinOp::And | BinOp::Or if constant(a) || constant(b) || a == b => {
                Some("connective of a constant")
            }
            BinOp::Min | BinOp::Max if a == b => Some("extremum of one term"),
            op if op.is_compare() && a == b => Some("comparison of a term with itself"),
            _ => None,
        },
        _ => None,
    }
}

/// How many operations of some kinds a program has.
fn count(module: &Module, wanted: impl Fn(&Expr) -> bool) -> usize {
    fn visit(block: &Block, wanted: &dyn Fn(&Expr) -> bool, number: &mut usize) {
        for stmt in block {
            stmt.for_each_expr(|e| e.walk(&mut |e| *number += usize::from(wanted(e))));
            stmt.for_each_block(|inner| visit(inner, wanted, number));
        }
    }
    let mut number = 0;
    module.funcs.iter().for_each(|func| visit(&func.body, &wanted, &mut number));
    number
}

fn is_binary(e: &Expr, ops: &[BinOp]) -> bool {
    matches!(&e.kind, ExprKind::Binary(op, ..) if ops.contains(op))
}

/// Runs both passes; checks that nothing is left over and that the results do what the program does.
fn results(text: &str) -> [Module; 2] {
    let input = satir::parse(text).unwrap_or_else(|e| panic!("{e}"));
    ["simplify", "semantic-cse"].map(|pass| {
        let result = passes::run(&input, &passes::select(pass).unwrap(), &Options::default()).unwrap();
        assert_eq!(leftovers(&result), Vec::<String>::new(), "{pass}:\n{result}");
        let options = EquivOptions {
            bindings: BTreeMap::new(),
            fixed: false,
            constraints: Constraints::default(),
            runs: 12,
            seed: 5,
            tolerance: None,
            max_steps: 1_000_000,
            lenient_loads: false,
            no_new_loads: false,
            accessed_only: false,
            layouts: Vec::new(),
            limits_everywhere: false,
        };
        let found = equiv(&input, &result, &options).unwrap();
        assert!(found.difference.is_none(), "{pass}: {:?}\n{result}", found.difference);
        result
    })
}

#[test]
fn leftovers_are_seen() {
    let of = |text| leftovers(&satir::parse(text).unwrap());
    let extents = of(EXTENTS);
    for name in ["choice without a choice", "negation of a constant", "difference of nothing"] {
        assert!(extents.iter().any(|found| found == name), "{name}: {extents:?}");
    }
    assert!(of(RESHAPE).contains(&"choice without a choice".to_owned()));
    // The parser folds these, so that no text shows them.
    let d = Expr::var(VarId(0), DType::I32);
    let of_one = |op| leftover(&Expr::binary(op, d.clone(), d.clone()));
    assert_eq!(of_one(BinOp::Min), Some("extremum of one term"));
    assert_eq!(of_one(BinOp::Le), Some("comparison of a term with itself"));
}

#[test]
fn of_three_nested_checks_one_is_left() {
    let input = satir::parse(SPLIT).unwrap();
    let divisions = |module: &Module| count(module, |e| is_binary(e, &[BinOp::FloorDiv, BinOp::FloorMod]));
    let compares = |module: &Module| count(module, |e| is_binary(e, &[BinOp::Lt, BinOp::Le]));
    assert_eq!(compares(&input), 3);
    for result in results(SPLIT) {
        assert_eq!(compares(&result), 1, "{result}");
        assert!(divisions(&result) < divisions(&input), "{result}");
    }
}

#[test]
fn extents_of_whole_dimensions_are_the_dimensions() {
    for result in results(EXTENTS) {
        let kept = count(&result, |e| {
            is_binary(e, &[BinOp::Min, BinOp::Max, BinOp::FloorDiv, BinOp::Lt, BinOp::Le])
                || matches!(e.kind, ExprKind::Select(..))
        });
        assert_eq!(kept, 0, "{result}");
    }
}

#[test]
fn guards_of_a_window_are_not_repeated_inside() {
    for result in results(POOL) {
        assert_eq!(count(&result, |e| matches!(e.as_intrin(), Some(("if_then_else", _)))), 0, "{result}");
    }
}

#[test]
fn coordinates_that_are_fused_and_taken_apart_are_themselves() {
    for result in results(RESHAPE) {
        let kept = count(&result, |e| {
            is_binary(e, &[BinOp::FloorDiv, BinOp::FloorMod, BinOp::Mul, BinOp::Lt, BinOp::Le])
                || matches!(e.kind, ExprKind::Select(..))
                || matches!(e.as_intrin(), Some(("if_then_else", _)))
        });
        assert_eq!(kept, 0, "{result}");
    }
}

/// The programs with symbolic dimensions that TVM made, each at up to three points of its pipeline; none where they are
/// not at hand.
fn corpus() -> Vec<(String, Module)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let Ok(index) = fs::read_to_string(folder.join("index.json")) else { return Vec::new() };
    let index: serde_json::Value = serde_json::from_str(&index).unwrap();
    let mut programs = Vec::new();
    for program in index["programs"].as_array().unwrap().iter().filter(|p| p["shape"] == "dynamic") {
        for point in program["variants"].as_array().unwrap() {
            let name = format!("{}/{}", point.as_str().unwrap(), program["file"].as_str().unwrap());
            let module = satir::parse(&fs::read_to_string(folder.join(&name)).unwrap()).unwrap();
            programs.push((name, module));
        }
    }
    programs
}

fn cost(module: &Module) -> f64 {
    let of = |func| cost_of_func(func, &Profile::default(), &Bindings::new()).total.to_f64();
    module.funcs.iter().map(of).sum()
}

/// Whether no integer work of a program can go: all that there is are comparisons of a variable with a constant, each
/// the whole condition of an `if` and of another variable. That is how a reduction finds out that it starts. Both
/// outcomes occur, and one comparison is the least that tells them apart.
fn has_no_work_to_save(module: &Module) -> bool {
    fn starts(block: &Block, variables: &mut Vec<VarId>) {
        for stmt in block {
            if let StmtKind::If { cond, .. } = &stmt.kind
                && let ExprKind::Binary(BinOp::Eq, a, b) = &cond.kind
                && let (ExprKind::Var(v), Some(_)) = (&a.kind, b.as_int())
            {
                variables.push(*v);
            }
            stmt.for_each_block(|inner| starts(inner, variables));
        }
    }
    module.funcs.iter().all(|func| {
        let mut variables = Vec::new();
        starts(&func.body, &mut variables);
        let comparisons = variables.len();
        variables.sort_unstable();
        variables.dedup();
        variables.len() == comparisons && integer_operations(&func.body) == comparisons
    })
}

/// How many operations on integers and truth values a block has.
fn integer_operations(block: &Block) -> usize {
    let whole = |dtype: DType| dtype.is_integral() || dtype.is_bool();
    let mut number = 0;
    for stmt in block {
        stmt.for_each_expr(|e| {
            e.walk(&mut |e| {
                number += usize::from(match &e.kind {
                    ExprKind::Binary(_, a, _) => whole(a.dtype),
                    ExprKind::Cast(a) => whole(a.dtype) || whole(e.dtype),
                    ExprKind::Not(_) | ExprKind::Select(..) | ExprKind::Let(..) => true,
                    ExprKind::Call(_) => whole(e.dtype) || e.as_intrin().is_none(),
                    _ => false,
                });
            });
        });
        stmt.for_each_block(|inner| number += integer_operations(inner));
    }
    number
}

#[test]
fn work_that_could_be_saved_is_seen() {
    let of = |condition: &str, index: &str| {
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((\"n\",), \"float32\")):\n    n = T.int32()\n    for i in range(n):\n        if {condition}:\n            A[{index}] = T.float32(0)\n"
        );
        has_no_work_to_save(&satir::parse(&text).unwrap())
    };
    assert!(of("i == 0", "i"));
    assert!(!of("i == 0", "i + n"));
    assert!(!of("i < n", "i"));
    assert!(!of("i == 0 and n == 1", "i"));
}

/// The corpus in both passes: nothing is left over, and in sharing the weighted cost of each program falls, but for
/// those without integer work that could go.
#[test]
fn programs_with_symbolic_dimensions_get_cheaper_and_nothing_is_left_over() {
    let work = || {
        for (name, input) in corpus() {
            let [_, shared] = ["simplify", "semantic-cse"].map(|pass| {
                let passes = passes::select(pass).unwrap();
                let result = passes::run(&input, &passes, &Options::default()).unwrap();
                assert_eq!(leftovers(&result), Vec::<String>::new(), "{name}, {pass}");
                result
            });
            let (before, after) = (cost(&input), cost(&shared));
            assert!(after < before || has_no_work_to_save(&input), "{name}: {before} stays {after}");
        }
    };
    // Some of the programs are deep.
    thread::Builder::new().stack_size(512 << 20).spawn(work).unwrap().join().unwrap();
}
