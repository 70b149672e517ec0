//! What every operator must have, tried for each: a spelling that is read back, types that are checked, a value on
//! which the interpreter, the optimizer, the judge of rules and the SMT solver agree, a cost, a place in random programs.
//! A new operator without one of these fails here by its name. ARCHITECTURE.md says what it takes to add one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "operators/places.rs"]
mod places;

use std::collections::BTreeSet;

use satir::Simplifier;
use satir::cost::{Profile, Weight};
use satir::fuzz;
use satir::interp::{RunOptions, run_function};
use satir::ir::build::FuncBuilder;
use satir::ir::intrin::{Effect, lookup};
use satir::ir::opclass::classify;
use satir::ir::value::{MathFn, Undefined, Value, binary};
use satir::ir::{BinOp, DType, Expr, ExprKind, Module, PrimFunc, StmtKind, VarId};
use satir::lab::suggest::Operator;
use satir::rules::check::{self, Solver};
use satir::rules::{Rule, RuleSet};

/// An operator: of its own kind of expression, or an intrinsic.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Binary(BinOp),
    Function(MathFn),
}

impl Op {
    /// The binary operators, and the functions of integers that rules may be about.
    fn all() -> Vec<Op> {
        let functions = Operator::all().filter_map(|op| MathFn::from_name(op.name()));
        BinOp::ALL.into_iter().map(Op::Binary).chain(functions.map(Op::Function)).collect()
    }

    fn name(self) -> &'static str {
        match self {
            Op::Binary(op) => op.name(),
            Op::Function(function) => function.name(),
        }
    }

    fn arity(self) -> usize {
        match self {
            Op::Binary(_) => 2,
            Op::Function(function) => function.arity(),
        }
    }

    fn value(self, dtype: DType, operands: &[i64]) -> Result<i64, Undefined> {
        let values: Vec<Value> = operands.iter().copied().map(Value::Int).collect();
        let value = match self {
            Op::Binary(op) => binary(op, dtype, values[0], values[1]),
            Op::Function(function) => function.eval(dtype, &values),
        };
        value.map(|v| v.as_int().unwrap())
    }

    fn expr(self, mut operands: Vec<Expr>) -> Expr {
        match self {
            Op::Binary(op) => {
                let right = operands.remove(1);
                Expr::binary(op, operands.remove(0), right)
            }
            Op::Function(function) => Expr::call(operands[0].dtype, function.name(), operands),
        }
    }

    /// Operands, not all of which have a value.
    fn operands(self, dtype: DType) -> Vec<Vec<i64>> {
        let all: &[i64] = match dtype {
            DType::BOOL => &[0, 1],
            _ if dtype.is_uint() => &[0, 1, 2, 3, 5, 8, 200, 255],
            _ => &[-128, -100, -7, -2, -1, 0, 1, 2, 3, 5, 8, 100, 127],
        };
        let one = all.iter().map(|&a| vec![a]);
        if self.arity() == 1 {
            return one.collect();
        }
        one.flat_map(|a| all.iter().map(move |&b| [a.clone(), vec![b]].concat())).collect()
    }

    /// Whether it is defined on the type.
    fn takes(self, dtype: DType) -> bool {
        self.operands(dtype)
            .iter()
            .any(|operands| self.value(dtype, operands) != Err(Undefined::NoSuchOperation))
    }
}

const TYPES: [DType; 5] = [DType::I32, DType::I64, DType::int(8), DType::uint(8), DType::BOOL];

/// `C[0] = op(A[0], B[0])`
fn program(op: Op, dtype: DType) -> PrimFunc {
    let mut b = FuncBuilder::new("main");
    let at = || vec![Expr::int(0, DType::I32)];
    let shape = || vec![Expr::int(1, DType::I32)];
    let buffers = ["A", "B"].map(|name| b.buffer_param(name, dtype, shape()));
    let operands: Vec<Expr> = buffers[..op.arity()].iter().map(|&buffer| b.load(buffer, at())).collect();
    let value = op.expr(operands);
    let result = b.buffer_param("C", value.dtype, shape());
    b.store(result, at(), value);
    b.finish()
}

/// What the program stores, for these operands; `None` if it traps.
fn run(func: &PrimFunc, dtype: DType, operands: &[i64]) -> Option<i64> {
    let inputs = ["A", "B"].iter().zip(operands).map(|(name, v)| satir::interp::Tensor {
        name: (*name).into(),
        dtype,
        shape: vec![1],
        data: v.to_le_bytes()[..usize::from(dtype.bits).div_ceil(8)].to_vec(),
    });
    let options = RunOptions {
        bindings: Default::default(),
        constraints: Default::default(),
        seed: 0,
        tensors: inputs.collect(),
        max_steps: 100,
        lenient_loads: false,
    };
    let report = Some(run_function(func, &options).unwrap()).filter(|report| report.done)?;
    let result = report.tensors.iter().find(|tensor| &*tensor.name == "C").unwrap();
    let unsigned = result.data.iter().rev().fold(0i64, |v, &byte| v << 8 | i64::from(byte));
    let unused = 64 - 8 * result.data.len();
    Some(if result.dtype.is_int() { unsigned << unused >> unused } else { unsigned })
}

#[test]
fn every_operator_is_read_as_it_is_printed() {
    for op in Op::all() {
        for dtype in TYPES.into_iter().filter(|&dtype| op.takes(dtype)) {
            let module = Module { name: "Module".into(), attrs: Vec::new(), funcs: vec![program(op, dtype)] };
            let text = module.to_string();
            let read = satir::parse(&text).unwrap_or_else(|e| panic!("{}: {e}\n{text}", op.name()));
            assert_eq!(read.to_string(), text, "{}", op.name());
            let stored = |module: &Module| match &module.funcs[0].body[0].kind {
                StmtKind::Store { value, .. } => value.clone(),
                other => panic!("{other:?}"),
            };
            assert_eq!(stored(&read), stored(&module), "{}: {text}", op.name());
        }
    }
}

#[test]
fn types_of_every_operator_are_checked() {
    for op in Op::all() {
        assert!(TYPES.into_iter().any(|dtype| op.takes(dtype)), "{} has no value on any type", op.name());
        for dtype in TYPES.into_iter().filter(|&dtype| op.takes(dtype)) {
            let func = program(op, dtype);
            assert!(satir::verify::verify_func(&func).is_ok(), "{} of {dtype}", op.name());
        }
        if op.arity() == 2 {
            let mixed = op.expr(vec![Expr::int(1, DType::I32), Expr::int(1, DType::I64)]);
            let mut b = FuncBuilder::new("main");
            b.evaluate(mixed);
            let func = b.finish();
            let ok = satir::verify::verify_func(&func).is_ok();
            assert!(!ok || matches!(op, Op::Function(_)), "{} of operands of two types", op.name());
        }
    }
}

#[test]
fn the_interpreter_computes_the_value_of_every_operator() {
    for op in Op::all() {
        for dtype in TYPES.into_iter().filter(|&dtype| op.takes(dtype)) {
            let func = program(op, dtype);
            for operands in op.operands(dtype) {
                let (found, expected) = (run(&func, dtype, &operands), op.value(dtype, &operands).ok());
                assert_eq!(found, expected, "{} {operands:?} {dtype}", op.name());
            }
        }
    }
}

/// Ranges of one value each leave one value, which is that of the operator.
#[test]
fn the_optimizer_knows_the_value_of_every_operator() {
    for op in Op::all() {
        for dtype in [DType::I32, DType::int(8), DType::uint(8)].into_iter().filter(|&dtype| op.takes(dtype))
        {
            for operands in op.operands(dtype).into_iter().step_by(3) {
                let Ok(value) = op.value(dtype, &operands) else { continue };
                let names = ["x", "y"];
                let known = names
                    .iter()
                    .zip(&operands)
                    .fold(Simplifier::new(), |known, (name, &v)| known.typed(name, dtype, v..=v));
                // The printer's spelling, with names for the operands.
                let mut b = FuncBuilder::new("main");
                let vars: Vec<VarId> = names.iter().map(|name| b.param(name, dtype)).collect();
                let e = op.expr(vars[..op.arity()].iter().map(|&v| b.var(v)).collect());
                let result = e.dtype;
                b.evaluate(e);
                let printed = satir::script::print_func(&b.finish());
                let line = printed.lines().last().unwrap().trim();
                let text = line.strip_prefix("T.evaluate(").map_or(line, |l| l.strip_suffix(')').unwrap());
                let found = known.simplify(text).unwrap_or_else(|e| panic!("{text}: {e}"));
                let expected = match result {
                    DType::BOOL => format!("T.bool({})", if value == 0 { "False" } else { "True" }),
                    DType::I32 => value.to_string(),
                    _ => format!("T.{result}({value})"),
                };
                // A variable is as cheap as its value.
                let is_operand = names.iter().zip(&operands).any(|(name, &v)| found == *name && v == value);
                assert!(
                    found == expected || is_operand,
                    "{text} {operands:?} {dtype}: {found}, not {expected}"
                );
            }
        }
    }
}

/// Rules that say the value of every operator on constants, and rules that say another.
fn rules(right: bool) -> RuleSet {
    let mut text = String::new();
    for op in Op::all() {
        for dtype in [DType::I32, DType::int(8), DType::uint(8), DType::BOOL] {
            for (k, operands) in op.operands(dtype).into_iter().enumerate() {
                // Index types have no bounds for a solver, and truth values are not ordered in rules.
                let Ok(value) = op.value(dtype, &operands) else { continue };
                let ordered =
                    matches!(op, Op::Binary(op) if !op.is_logic() && op != BinOp::Eq && op != BinOp::Ne);
                if k % 5 > 1 && dtype != DType::BOOL
                    || dtype == DType::BOOL && (ordered || matches!(op, Op::Function(_)))
                {
                    continue;
                }
                let truth = matches!(op, Op::Binary(op) if op.is_compare()) || dtype == DType::BOOL;
                let value = if right { value } else { value ^ 1 };
                let shown = |v: i64, truth: bool| if truth { (v != 0).to_string() } else { v.to_string() };
                let operands: Vec<String> =
                    operands.iter().map(|&v| shown(v, dtype == DType::BOOL)).collect();
                let (name, value) = (op.name(), shown(value, truth));
                let operands = operands.join(" ");
                // A type that nothing else says is that of the rule.
                text += &format!(
                    "(rule {name}-{dtype}-{k} \"its value\" (types {dtype}) (=> ({name} {operands}) {value}))\n"
                );
            }
        }
    }
    let mut set = RuleSet::empty();
    set.extend_with_text("operators.rules", &text).unwrap_or_else(|e| panic!("{e}"));
    set
}

#[test]
fn the_judge_of_rules_knows_the_value_of_every_operator() {
    for right in [true, false] {
        let set = rules(right);
        let rules: Vec<&Rule> = set.all_rules().collect();
        let report = check::run(&rules, check::QUICK);
        for rule in &report.rules {
            for instance in &rule.instances {
                assert_eq!(instance.is_refuted(), !right, "{} at {}\n{report}", rule.rule, instance.types);
            }
        }
        for op in Op::all() {
            let judged = report.rules.iter().any(|rule| rule.rule.starts_with(&format!("{}-", op.name())));
            assert!(judged, "{} stands in no rule", op.name());
        }
    }
}

/// Skipped where no z3 is on the path.
#[test]
fn the_solver_knows_the_value_of_every_operator() {
    let Ok(solver) = Solver::find(&std::env::var_os("PATH").unwrap_or_default()) else {
        println!("skipped: there is no z3 on the path");
        return;
    };
    for right in [true, false] {
        let set = rules(right);
        let rules: Vec<&Rule> = set.all_rules().collect();
        let mut report = check::run(&rules, check::QUICK);
        // What was settled by trying all values is not asked.
        for instance in report.rules.iter_mut().flat_map(|rule| &mut rule.instances) {
            instance.verdict = check::Verdict::Passed;
        }
        check::prove(&rules, &mut report, &solver).unwrap();
        for rule in &report.rules {
            for instance in &rule.instances {
                let proof = instance.proof.clone();
                let found = match proof {
                    Some(check::Proof::Proven) => true,
                    Some(check::Proof::Refuted(_)) => false,
                    other => panic!("{} at {}: {other:?}", rule.rule, instance.types),
                };
                assert_eq!(found, right, "{} at {}", rule.rule, instance.types);
            }
        }
    }
}

#[test]
fn every_operator_costs_something() {
    let profile = Profile::default();
    for op in Op::all() {
        for dtype in TYPES.into_iter().filter(|&dtype| op.takes(dtype)) {
            let var = |k| Expr::var(VarId(k), dtype);
            let e = op.expr((0..op.arity() as u32).map(var).collect());
            let (class, units) = classify(&e).unwrap_or_else(|| panic!("{} is free", op.name()));
            assert!(units == 1 && profile.weight(class) > Weight::default(), "{}", op.name());
        }
        if let Op::Function(function) = op {
            let row = lookup(function.name()).unwrap_or_else(|| panic!("{} has no row", op.name()));
            assert_eq!(row.effect, Effect::Pure, "{}", op.name());
            let undefined = TYPES.iter().any(|&dtype| {
                let mut all = op.operands(dtype).into_iter();
                op.takes(dtype) && all.any(|operands| op.value(dtype, &operands).is_err())
            });
            assert_eq!(row.may_trap, undefined, "{}", op.name());
        }
    }
}

/// The generator makes no `~x`; the tests above try it on values.
#[test]
fn random_programs_have_every_operator_but_one() {
    let mut missing: BTreeSet<&str> = Op::all().into_iter().map(Op::name).collect();
    for seed in 0..400 {
        let module = fuzz::program(seed, fuzz::Shape::mixed(seed, true));
        let mut see = |e: &Expr| {
            if let ExprKind::Binary(op, ..) = &e.kind {
                missing.remove(op.name());
            }
            if let Some((name, _)) = e.as_intrin() {
                missing.remove(name);
            }
        };
        for func in &module.funcs {
            func.body.iter().for_each(|stmt| {
                stmt.walk(&mut |stmt| stmt.for_each_expr(|e| e.walk(&mut see)));
            });
        }
    }
    assert_eq!(missing, BTreeSet::from(["bitwise_not"]), "no random program has these");
}
