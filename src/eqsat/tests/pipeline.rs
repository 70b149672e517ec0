//! Tests of the whole pipeline on built functions: cost, and equality by the interpreter.

use crate::cost::{Bindings, Profile, cost_of_func};
use crate::eqsat::driver::{Config, optimize};
use crate::extract::Effort;
use crate::interp::{EquivOptions, equiv};
use crate::ir::build::FuncBuilder;
use crate::ir::{DType, Expr, Module, PrimFunc};
use crate::rewrite::Rewrites;

const NODES: usize = 100_000;

/// Optimizes, checks by running both, and returns the costs before and after with the number of bindings.
#[track_caller]
fn check(func: PrimFunc, bindings: &[(&str, i64)]) -> (f64, f64, usize) {
    let profile = Profile::default();
    let bindings: Bindings = bindings.iter().map(|&(k, v)| (k.to_owned(), v)).collect();
    let rewrites = Rewrites::embedded();
    let config = Config {
        profile: &profile,
        bindings: &bindings,
        node_limit: NODES,
        effort: Effort::Auto,
        keep_lets: false,
        deadline: None,
        rewrites: &rewrites,
        model: crate::target::Model::default(),
    };
    let out = optimize(&func, &config).unwrap();
    let before = cost_of_func(&func, &profile, &bindings).total.to_f64();
    let after = cost_of_func(&out.func, &profile, &bindings).total.to_f64();
    let module = |f: PrimFunc| Module { name: "Module".into(), attrs: Vec::new(), funcs: vec![f] };
    let options = EquivOptions {
        bindings: bindings.clone(),
        fixed: false,
        constraints: Default::default(),
        runs: 20,
        seed: 1,
        tolerance: None,
        max_steps: 10_000_000,
        lenient_loads: false,
        no_new_loads: true,
        accessed_only: true,
        layouts: Vec::new(),
        limits_everywhere: false,
    };
    let verdict = equiv(&module(func), &module(out.func), &options).unwrap();
    assert!(verdict.difference.is_none(), "{verdict:?}");
    (before, after, out.bindings.len())
}

fn i32(v: i64) -> Expr {
    Expr::int(v, DType::I32)
}

#[test]
fn the_copy_of_the_design_document_needs_few_multiplications() {
    let mut b = FuncBuilder::new("copy");
    b.no_alias();
    let (ni, nj, nk) =
        (b.dimension("ni", DType::I32), b.dimension("nj", DType::I32), b.dimension("nk", DType::I32));
    let size = b.var(ni) * b.var(nj) * b.var(nk);
    let (dst, src) =
        (b.buffer_param("A", DType::F32, vec![size.clone()]), b.buffer_param("B", DType::F32, vec![size]));
    let extents = (b.var(ni), b.var(nj), b.var(nk));
    b.serial("i", extents.0, |b, i| {
        b.serial("j", extents.1, |b, j| {
            b.serial("k", extents.2, |b, k| {
                let index =
                    |b: &FuncBuilder| b.var(i) * b.var(nj) * b.var(nk) + b.var(j) * b.var(nk) + b.var(k);
                let value = b.load(src, vec![index(b)]);
                b.store(dst, vec![index(b)], value);
            });
        });
    });
    let n = 10.0;
    let (_, after, _) = check(b.finish(), &[("ni", 10), ("nj", 10), ("nk", 10)]);
    // Loads 4, bindings of the invariant parts, one addition for each of (i, j) and (i, j, k).
    let loads = 4.0 * n * n * n;
    let arithmetic = 3.0 * (1.0 + n + n * n) + (n * n + n * n * n);
    let lets = 0.25 * (2.0 + 2.0 * n + 2.0 * n * n + n * n * n);
    assert!(after <= loads + arithmetic + lets, "{after}");
}

#[test]
fn an_unrolled_copy_shares_its_base() {
    let mut b = FuncBuilder::new("copy");
    b.no_alias();
    let (dst, src) =
        (b.buffer_param("A", DType::F32, vec![i32(4096)]), b.buffer_param("B", DType::F32, vec![i32(8192)]));
    b.serial("i", i32(16), |b, i| {
        b.serial("j", i32(16), |b, j| {
            for k in 0..16 {
                let index = |b: &FuncBuilder| b.var(i) * 256 + b.var(j) * 16 + k;
                let value = b.load(src, vec![index(b) + 4096]);
                b.store(dst, vec![index(b)], value);
            }
        });
    });
    let (before, after, bindings) = check(b.finish(), &[]);
    assert!(after < before / 2.0, "{before} {after}");
    assert!(bindings <= 2, "{bindings}");
}

#[test]
fn what_may_trap_stays_under_its_guard() {
    for extent in [false, true] {
        let mut b = FuncBuilder::new("guard");
        let (n, m) = (b.param("n", DType::I32), b.param("m", DType::I32));
        let dst = b.buffer_param("A", DType::I32, vec![i32(64)]);
        let quotient = |b: &FuncBuilder| b.var(m).floordiv(b.var(n));
        let body = |b: &mut FuncBuilder| {
            b.store(dst, vec![i32(0)], quotient(b) + 1);
            b.store(dst, vec![i32(1)], quotient(b) + 2);
        };
        if extent {
            let end = b.var(n);
            b.serial("i", end, |b, _| body(b));
        } else {
            let cond = Expr::not(b.var(n).lt(1));
            b.if_then(cond, body);
        }
        let (before, after, bindings) = check(b.finish(), &[]);
        assert!(after < before);
        assert_eq!(bindings, 1);
    }
}

#[test]
fn loads_are_shared_up_to_the_next_write() {
    let build = |write: bool| {
        let mut b = FuncBuilder::new("loads");
        let i = b.param("i", DType::I32);
        let mem = b.buffer_param("Mem", DType::I32, vec![i32(64)]);
        let out = b.buffer_param("Out", DType::I32, vec![i32(64)]);
        b.no_alias();
        let value = |b: &FuncBuilder| b.load(mem, vec![b.var(i).floormod(64)]) + 42;
        let v = value(&b);
        b.store(out, vec![i32(0)], v);
        if write {
            let at = vec![b.var(i).floormod(64)];
            b.store(mem, at, i32(7));
        }
        let v = value(&b);
        b.store(out, vec![i32(1)], v);
        b.finish()
    };
    let (before, after, _) = check(build(false), &[]);
    assert!(after < before - 4.0, "{before} {after}");
    let (before, after, _) = check(build(true), &[]);
    assert!(before - after < 4.0, "{before} {after}");
}

#[test]
fn sums_in_any_order_share_what_they_have_in_common() {
    // Four sums of some of seven variables, as they come from a fixed sequence of numbers.
    let mut state = 12345u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    let profile = Profile::default();
    let (mut before, mut after) = (0.0, 0.0);
    for _ in 0..10 {
        let mut b = FuncBuilder::new("sums");
        let vars: Vec<_> = ["a", "b", "c", "d", "e", "f", "g"].map(|n| b.dimension(n, DType::I32)).into();
        // Sums of sizes do not overflow.
        for (i, &var) in vars.iter().enumerate() {
            b.buffer_param(&format!("S{i}"), DType::I32, vec![Expr::var(var, DType::I32)]);
        }
        let out = b.buffer_param("out", DType::I32, vec![i32(4)]);
        for i in 0..4 {
            let mut rest = vars.clone();
            let mut sum = b.var(rest.swap_remove(next(rest.len())));
            for _ in 0..1 + next(6) {
                sum = sum + b.var(rest.swap_remove(next(rest.len())));
            }
            b.store(out, vec![i32(i)], sum);
        }
        let func = b.finish();
        before += cost_of_func(&func, &profile, &Bindings::new()).total.to_f64();
        let lets = 0.25;
        let (_, cost, bindings) = check(func, &[]);
        after += cost - lets * bindings as f64;
    }
    assert_eq!(before, 149.0);
    assert!(after <= 77.0, "{after}");
}
