//! A function built in Rust, without any text, then optimized, and run before and after to compare.
//!
//! `cargo run --example build_function`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use satir::cse::{self, Options};
use satir::interp::{EquivOptions, equiv};
use satir::ir::build::FuncBuilder;
use satir::ir::{DType, Expr, Module};

/// Runs the example.
pub fn main() -> anyhow::Result<()> {
    // for i in range(n): for k in range(8): Out[(i * m + k) % 64] = In[(k + m * i) % 64] * 2
    let mut b = FuncBuilder::new("scale");
    b.no_alias();
    let (n, m) = (b.param("n", DType::I32), b.param("m", DType::I32));
    let size = || Expr::int(64, DType::I32);
    let (input, output) =
        (b.buffer_param("In", DType::I32, vec![size()]), b.buffer_param("Out", DType::I32, vec![size()]));
    let rows = b.var(n);
    b.serial("i", rows, |b, i| {
        b.serial("k", Expr::int(8, DType::I32), |b, k| {
            // Operators build expressions; the types of both operands must agree.
            let to = (b.var(i) * b.var(m) + b.var(k)).floormod(64);
            let from = (b.var(k) + b.var(m) * b.var(i)).floormod(64);
            let value = b.load(input, vec![from]) * 2;
            b.store(output, vec![to], value);
        });
    });
    let module = Module { name: "Module".into(), attrs: Vec::new(), funcs: vec![b.finish()] };

    // The verifier says what is wrong with a function that was put together badly.
    satir::verify::verify(&module).map_err(|violations| anyhow::anyhow!("{violations:?}"))?;

    let (optimized, report) = cse::run(&module, &Options::default())?;
    println!("{optimized}");
    assert!(report.cost_after() < report.cost_before());

    // The interpreter runs both on the same inputs.
    let options = EquivOptions {
        bindings: [("n".to_owned(), 5), ("m".to_owned(), 8)].into(),
        fixed: false,
        constraints: Default::default(),
        runs: 10,
        seed: 1,
        tolerance: None,
        max_steps: 1_000_000,
        lenient_loads: false,
        no_new_loads: false,
        accessed_only: false,
        layouts: Vec::new(),
        limits_everywhere: false,
    };
    let verdict = equiv(&module, &optimized, &options)?;
    assert!(verdict.difference.is_none(), "{verdict:?}");
    println!("no difference in {} runs", options.runs);
    Ok(())
}
