//! How long each stage takes, and how that grows: parsing, printing, lowering, saturation, extraction, and the whole of
//! semantic and syntactic sharing, on unrolled programs of growing length and on the example kernels.
//!
//!     cargo bench --bench pipeline              # everything, up to 100,000 statements
//!     cargo bench --bench pipeline -- '/1000$'  # programs of 1,000 statements
//!
//! Criterion reports statements per second: where that stays the same from size to size, time is linear.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on may panic")]

mod common;

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Bencher, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use satir::cse::{self, Mode, Options};
use satir::eqsat;
use satir::ir::Module;

/// Statements of the unrolled programs.
const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];

/// The most statements of a stencil, in which every statement has sums and quotients of its own.
const MOST_OF_STENCIL: usize = 10_000;

/// An unrolled loop nest over `A`, `B` and a symbolic width `w`.
fn unrolled(statements: usize, statement: impl Fn(usize) -> String) -> String {
    let size = 256 * statements + 4096;
    let mut text = format!(
        "@T.prim_func(s_tir=True)\n\
         def main(A: T.Buffer(({size},), \"float32\"), B: T.Buffer(({size},), \"float32\"), w: T.int32):\n    \
         T.func_attr({{\"tirx.noalias\": True}})\n    \
         for i, j in T.grid(16, 16):\n"
    );
    for k in 0..statements {
        writeln!(text, "        {}", statement(k)).unwrap();
    }
    text
}

/// A copy: all indices are one sum plus a constant.
fn copy(statements: usize) -> String {
    let index = format!("i * {} + j * {statements}", 16 * statements);
    unrolled(statements, |k| format!("A[{index} + {k}] = B[{index} + {}]", k + 4096))
}

/// A stencil: sums with a symbolic stride, divisions and remainders, in every statement another constant.
fn stencil(statements: usize) -> String {
    unrolled(statements, |k| {
        let (row, column) = (k / 32, k % 32);
        format!(
            "A[(i * 32 + {row}) * w + j * 32 + {column}] = B[(i * 32 + {row}) * w + (j * 32 + {column}) // 3] \
             + B[(i * 32 + {}) * w + (j * 32 + {column}) % 7]",
            row + 1
        )
    })
}

/// Name, text and statements of each program.
fn programs() -> Vec<(String, String, usize)> {
    let copies = SIZES.into_iter().map(|n| (format!("copy/{n}"), copy(n), n));
    let stencils = SIZES.into_iter().filter(|&n| n <= MOST_OF_STENCIL);
    let stencils = stencils.map(|n| (format!("stencil/{n}"), stencil(n), n));
    let kernels = common::kernels().into_iter().map(|(name, text)| {
        let lines = text.lines().count();
        (format!("kernel/{name}"), text, lines)
    });
    copies.chain(stencils).chain(kernels).collect()
}

/// Benchmarks `work` on each program.
fn each(c: &mut Criterion, name: &str, mut work: impl FnMut(&mut Bencher<'_>, &str, &Module)) {
    let mut group = c.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for (id, text, statements) in programs() {
        let module = satir::parse(&text).unwrap();
        group.throughput(Throughput::Elements(statements as u64));
        group.bench_function(BenchmarkId::from_parameter(id), |b| work(b, &text, &module));
    }
    group.finish();
}

fn text(c: &mut Criterion) {
    each(c, "parse", |b, text, _| b.iter(|| satir::parse(black_box(text)).unwrap()));
    each(c, "print", |b, _, module| b.iter(|| black_box(module).to_string()));
}

/// The stages of equality saturation, by the clock of the report.
fn stages(c: &mut Criterion) {
    let options = Options::default();
    let config = options.search();
    for stage in ["lower", "saturate", "candidates", "extract"] {
        let timed = |module: &Module| -> Duration {
            let optimized = module.funcs.iter().map(|func| eqsat::optimize(func, &config).unwrap());
            optimized
                .flat_map(|o| o.stats.stages)
                .filter(|(name, _)| *name == stage)
                .map(|(_, time)| time)
                .sum()
        };
        each(c, stage, |b, _, module| b.iter_custom(|n| (0..n).map(|_| timed(black_box(module))).sum()));
    }
}

fn sharing(c: &mut Criterion) {
    let semantic = Options::default();
    let syntactic = Options { mode: Mode::Syntactic, ..Options::default() };
    for (name, options) in [("cse syntactic", syntactic), ("cse semantic", semantic)] {
        each(c, name, |b, _, module| b.iter(|| cse::run(black_box(module), &options).unwrap()));
    }
}

criterion_group!(benches, text, stages, sharing);
criterion_main!(benches);
