//! The cases in `tests/padding/cases`: programs with layouts, padding and assumptions, and what passes make of them.
//!
//! Each case names its passes and what they are told. Its result has to do what the input does, on inputs that satisfy the
//! assumptions and with buffers compared through their layouts, and to execute no more conditions, loads and stores than
//! the expected program.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;

use satir::cse::Options;
use satir::interp::{
    Bindings, Constraint, Constraints, EquivOptions, Equivalence, Layout, Padding, RunOptions, equiv,
    run_function,
};
use satir::ir::opclass::OpClass;
use satir::ir::{Block, Expr, Module, Param, StmtKind};
use satir::padding::{Pad, remove_assume};
use satir::script::parse_lambda;
use satir::{Error, passes};
use serde::Deserialize;

#[path = "padding/bad_input.rs"]
mod bad_input;

/// Pairs that can only be compared once one function's result is another's input.
const NEEDS_EDGES: &[&str] = &["split_infer_assume"];

#[derive(Deserialize)]
struct Index {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    pass: String,
    before: String,
    after: Option<String>,
    expect: String,
    #[serde(default)]
    args: serde_json::Value,
    #[serde(default)]
    layout: BTreeMap<String, LayoutSpec>,
    #[serde(default)]
    data: String,
    /// What the result needs beyond the default options.
    #[serde(default)]
    needs: String,
    #[serde(default)]
    executed: BTreeMap<String, Executed>,
}

#[derive(Deserialize)]
struct LayoutSpec {
    map: String,
    pad: Option<String>,
}

/// What a run executes, without assumptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
struct Executed {
    ifs: u64,
    loads: u64,
    stores: u64,
}

impl Case {
    fn passes(&self) -> Vec<&str> {
        // Terms are moved out of loops by sharing.
        let name = |pass| if pass == "hoist (terms)" { "semantic-cse" } else { pass };
        self.pass.split(',').map(|pass| name(pass.trim())).collect()
    }

    fn module(&self, file: &str) -> Module {
        satir::parse(&fs::read_to_string(folder().join(file)).unwrap()).unwrap()
    }

    fn run(&self) -> Result<Module, Error> {
        let pipeline = passes::select(&self.passes().join(","))?;
        let args = passes::Args::parse(&self.args.to_string()).unwrap();
        let go_on = |_: &passes::Step, _: &Module| ControlFlow::Continue(());
        let readable_parameters = self.needs == "--readable-parameters";
        let finite = self.needs == "finite F";
        let options = Options { readable_parameters, finite, ..Options::default() };
        passes::run_with(&self.module(&self.before), &pipeline, &options, &args, go_on)
    }

    /// Compares what two versions of the program do; `other` has the layouts.
    fn compare(&self, other: &Module) -> Equivalence {
        self.compare_with(&self.module(&self.before), other)
    }

    fn compare_with(&self, before: &Module, other: &Module) -> Equivalence {
        let mut constraints = Constraints::new();
        if self.data == "assume-finite" {
            for param in &before.funcs[0].params {
                if let Param::Buffer(id) = param {
                    let name = before.funcs[0].buffer(*id).name.to_string();
                    constraints.insert(name, Constraint::RandInt { lo: -9, hi: 9 });
                }
            }
        }
        let options = EquivOptions {
            bindings: Bindings::new(),
            fixed: false,
            constraints,
            runs: 8,
            seed: 0,
            tolerance: None,
            max_steps: 1_000_000,
            lenient_loads: false,
            no_new_loads: false,
            accessed_only: false,
            layouts: self.layouts(other),
            limits_everywhere: false,
        };
        equiv(before, other, &options).unwrap()
    }

    fn layouts(&self, module: &Module) -> Vec<Layout> {
        let mut layouts = Vec::new();
        for func in &module.funcs {
            for param in &func.params {
                let Param::Buffer(id) = param else { continue };
                let buffer = func.buffer(*id);
                let Some(spec) = self.layout.get(&*buffer.name) else { continue };
                let mut env = func.clone();
                let map = parse_lambda(&spec.map, &mut env).unwrap();
                let padding = match Pad::parse(spec.pad.as_deref(), buffer.dtype, &mut env).unwrap() {
                    Pad::Value { axes, value } => Padding::Value { axes, value },
                    _ => Padding::Any,
                };
                layouts.push(Layout {
                    function: func.name.clone(),
                    buffer: buffer.name.clone(),
                    axes: map.params,
                    indices: map.body,
                    padding,
                    env,
                });
            }
        }
        layouts
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/padding/cases")
}

fn cases() -> Vec<Case> {
    let index: Index =
        serde_json::from_str(&fs::read_to_string(folder().join("index.json")).unwrap()).unwrap();
    index.cases
}

/// What the functions of a module execute, without assumptions.
fn executed(module: &Module) -> Executed {
    let mut sum = Executed::default();
    for func in &module.funcs {
        let mut func = func.clone();
        remove_assume(&mut func);
        let names = satir::interp::bindable(&func);
        let options = RunOptions {
            bindings: names.into_iter().map(|name| (name.to_string(), 5)).collect(),
            constraints: Constraints::new(),
            seed: 0,
            tensors: Vec::new(),
            max_steps: 1_000_000,
            lenient_loads: false,
        };
        let report = run_function(&func, &options).unwrap();
        assert!(report.done, "{}: {}", func.name, report.outcome);
        sum.ifs += report.counts.branches;
        sum.loads += report.counts.get(OpClass::Load);
        sum.stores += report.counts.get(OpClass::Store);
    }
    sum
}

/// What is wrong with the result of a case; nothing if it is as expected.
fn judge(case: &Case) -> Option<String> {
    let result = case.run();
    if case.expect == "error" {
        return result.is_ok().then(|| "no error".to_owned());
    }
    let result = match result {
        Ok(result) => result,
        Err(error) => return Some(error.to_string()),
    };
    // What is printed is what counts.
    let result = satir::parse(&result.to_string()).unwrap();
    // What only edges tell holds of no inputs that are made for one function: there the result is compared with the
    // expected program, which assumes the same.
    let same = match (&case.after, NEEDS_EDGES.contains(&&*case.name)) {
        (Some(after), true) => case.compare_with(&case.module(after), &result),
        _ => case.compare(&result),
    };
    if let Some(difference) = same.difference {
        return Some(format!("{}: {}", difference.function, difference.what));
    }
    if same.compared == 0 {
        return Some(format!("nothing was compared: {:?}", same.skipped));
    }
    if case.expect == "unchanged" {
        let before = case.module(&case.before);
        return (before.to_string() != result.to_string()).then(|| format!("changed:\n{result}"));
    }
    let cost = executed(&result);
    let expected = case.executed.get("after").or(case.executed.get("before")).copied().unwrap_or_default();
    let total = |cost: Executed| cost.ifs + cost.loads + cost.stores;
    match &*case.expect {
        "no-hoist" | "one" if cost.ifs != expected.ifs => Some(format!("{cost:?} instead of {expected:?}")),
        _ if cost.ifs > expected.ifs || total(cost) > total(expected) => {
            Some(format!("{cost:?}, more than {expected:?}:\n{result}"))
        }
        _ => None,
    }
}

#[test]
fn results_are_as_expected() {
    let cases = cases();
    assert!(cases.len() >= 110, "only {} cases", cases.len());
    let wrong: Vec<String> =
        cases.iter().filter_map(|case| judge(case).map(|what| format!("{}: {what}", case.name))).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn expected_pairs_agree() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for case in &cases() {
        let Some(after) = &case.after else { continue };
        let result = case.compare(&case.module(after));
        compared += usize::from(result.compared > 0);
        match (result.difference, NEEDS_EDGES.contains(&&*case.name)) {
            (Some(d), false) => wrong.push(format!("{}: {}: {}", case.name, d.function, d.what)),
            (None, _) if result.compared == 0 => wrong.push(format!("{}: {:?}", case.name, result.skipped)),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(compared >= 85, "only {compared} pairs were compared");
}

/// Cases in which no run executes the last store.
const NOT_EXECUTED: &[&str] = &["simplify_assume_buffer"];

/// The value of the last store that stores something definite is another one.
fn plant(block: &mut Block, done: &mut bool) {
    for stmt in block.iter_mut().rev() {
        if *done {
            return;
        }
        stmt.for_each_block_mut(|block| plant(block, done));
        if *done {
            return;
        }
        if let StmtKind::Store { value, .. } = &mut stmt.kind {
            let mut undef = false;
            value.walk(&mut |e| undef |= matches!(e.as_intrin(), Some(("undef", _))));
            if undef {
                continue;
            }
            let one = if value.dtype.is_float() {
                Expr::float(1.0, value.dtype)
            } else {
                Expr::int(1, value.dtype)
            };
            let old = std::mem::replace(value, Expr::bool(true));
            *value = if old.dtype.is_bool() { Expr::not(old) } else { old + one };
            *done = true;
        }
    }
}

#[test]
fn planted_differences_are_found() {
    let (mut planted, mut missed) = (0, Vec::new());
    for case in &cases() {
        let Some(after) = &case.after else { continue };
        if NEEDS_EDGES.contains(&&*case.name) || NOT_EXECUTED.contains(&&*case.name) {
            continue;
        }
        let mut module = case.module(after);
        let mut done = false;
        for func in module.funcs.iter_mut().rev() {
            plant(&mut func.body, &mut done);
        }
        if !done {
            continue;
        }
        planted += 1;
        if case.compare(&module).difference.is_none() {
            missed.push(case.name.clone());
        }
    }
    assert!(missed.is_empty(), "{} of {planted} are not found: {missed:?}", missed.len());
    assert!(planted >= 75, "only {planted} were planted");
}

#[test]
fn names_of_buffers_of_one_element_stand_for_it() {
    // As TVM prints functions that are not marked `s_tir`.
    let text = "@T.prim_func\ndef main(A: T.Buffer((1,), \"int32\"), B: T.Buffer((16,), \"int32\")):\n    \
                for i in range(16):\n        A = A + B[i] * i\n    \
                T.evaluate(T.call_extern(\"int32\", \"f\", T.address_of(A), A.source.data))\n";
    let printed = satir::parse(text).unwrap().to_string();
    assert!(printed.contains("A[0] = A[0] + B[i] * i"), "{printed}");
    assert!(printed.contains("T.address_of(A[0]), A.data"), "{printed}");
    let marked = text.replacen("@T.prim_func", "@T.prim_func(s_tir=True)", 1);
    assert!(satir::parse(&marked).is_err(), "there a name is the buffer");
}
