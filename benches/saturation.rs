//! How long equality saturation takes, and how that grows: sums of growing length, products of sums, divisions nested
//! ever deeper, and whole programs.
//!
//!     cargo bench --bench saturation             # everything
//!     cargo bench --bench saturation -- sum      # what has `sum` in its name
//!
//! The measured time is that of the stages up to extraction, on one function of one store or of a program.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on may panic")]

mod common;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use satir::cse::Options;
use satir::eqsat;

/// A function that stores one expression over the variables `v0`, `v1`, ….
fn storing(expression: &str, variables: usize) -> String {
    let params: String = (0..variables).map(|i| format!(", v{i}: T.int32")).collect();
    format!("@T.prim_func\ndef main(A: T.Buffer((1,), \"int32\"){params}):\n    A[0] = {expression}\n")
}

/// The sum of `n` variables minus the same sum in another association, plus one of them.
fn sum(n: usize) -> String {
    let forward = (1..n).fold("v0".to_owned(), |sum, i| format!("({sum} + v{i})"));
    let backward = (1..n).fold("v0".to_owned(), |sum, i| format!("(v{i} + {sum})"));
    storing(&format!("{forward} - {backward} + v0"), n)
}

/// A product of `n` sums of two variables, minus itself with the operands turned.
fn product(n: usize) -> String {
    let factors = |turned: bool| {
        let of = |i: usize| {
            let (a, b) = (2 * i, 2 * i + 1);
            if turned { format!("(v{b} + v{a})") } else { format!("(v{a} + v{b})") }
        };
        (0..n).map(of).collect::<Vec<_>>().join(" * ")
    };
    storing(&format!("{} - {}", factors(false), factors(true)), 2 * n)
}

/// An index of `n` dimensions fused and taken apart: each coordinate again from quotients and remainders.
fn nested(n: usize) -> String {
    let fused = (1..n).fold("v0".to_owned(), |index, i| format!("({index} * 7 + v{i} % 7)"));
    let taken = (1..n).fold(fused, |index, i| format!("({index} // 7 + v{i} % 7)"));
    storing(&taken, n)
}

fn run(c: &mut Criterion, group: &str, cases: impl IntoIterator<Item = (String, String)>) {
    let options = Options::default();
    let config = options.search();
    let mut group = c.benchmark_group(group);
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for (name, text) in cases {
        let module = satir::parse(&text).unwrap();
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| {
                for func in &module.funcs {
                    black_box(eqsat::optimize(black_box(func), &config).unwrap());
                }
            });
        });
    }
    group.finish();
}

fn growing(c: &mut Criterion) {
    run(c, "sum of terms", [4, 16, 64, 128].map(|n| (n.to_string(), sum(n))));
    run(c, "product of sums", [1, 2, 3, 4, 5].map(|n| (n.to_string(), product(n))));
    run(c, "nested divisions", [2, 4, 8, 16].map(|n| (n.to_string(), nested(n))));
}

fn programs(c: &mut Criterion) {
    run(c, "whole program", common::kernels());
}

criterion_group!(benches, growing, programs);
criterion_main!(benches);
