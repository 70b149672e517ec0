//! Why `+` and `*` are decided by a normal form: what plain rules for commutativity and associativity cost on growing
//! sums, measured with `egg` itself, against the built-in theory.
//!
//! `cargo run --release --example ac_by_brute_force`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Instant;

use egg::{RecExpr, Rewrite, Runner, SymbolLang, rewrite};
use satir::cse::{self, Options};
use satir::ir::build::FuncBuilder;
use satir::ir::{DType, Expr, Module};

/// E-nodes after saturation with two rules, and seconds.
fn by_rules(terms: usize) -> anyhow::Result<(usize, f64)> {
    let rules: Vec<Rewrite<SymbolLang, ()>> = vec![
        rewrite!("commute"; "(+ ?a ?b)" => "(+ ?b ?a)"),
        rewrite!("associate"; "(+ (+ ?a ?b) ?c)" => "(+ ?a (+ ?b ?c))"),
    ];
    let sum = (1..terms).fold("x0".to_owned(), |sum, i| format!("(+ {sum} x{i})"));
    let sum: RecExpr<SymbolLang> = sum.parse()?;
    let start = Instant::now();
    let runner = Runner::default().with_expr(&sum).with_node_limit(500_000).with_iter_limit(60).run(&rules);
    Ok((runner.egraph.total_number_of_nodes(), start.elapsed().as_secs_f64()))
}

/// The same with the theory: the sum in two orders, which must become one.
fn by_theory(terms: usize) -> anyhow::Result<(usize, f64)> {
    let mut b = FuncBuilder::new("sum");
    let vars: Vec<_> = (0..terms).map(|i| b.param(&format!("x{i}"), DType::I32)).collect();
    let out = b.buffer_param("Out", DType::I32, vec![Expr::int(2, DType::I32)]);
    let sum = |b: &FuncBuilder, order: &mut dyn Iterator<Item = usize>| {
        let first = order.next().map_or(Expr::int(0, DType::I32), |i| b.var(vars[i]));
        order.fold(first, |sum, i| sum + b.var(vars[i]))
    };
    let (forward, backward) = (sum(&b, &mut (0..terms)), sum(&b, &mut (0..terms).rev()));
    b.store(out, vec![Expr::int(0, DType::I32)], forward);
    b.store(out, vec![Expr::int(1, DType::I32)], backward);
    let module = Module { name: "Module".into(), attrs: Vec::new(), funcs: vec![b.finish()] };
    let start = Instant::now();
    let (_, report) = cse::run(&module, &Options::default())?;
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(report.functions[0].bindings.len(), 1, "both orders are one value");
    Ok((report.functions[0].search.as_ref().map_or(0, |search| search.nodes), seconds))
}

/// Runs the example.
pub fn main() -> anyhow::Result<()> {
    println!("{:>5} {:>12} {:>10} {:>12} {:>10}", "terms", "rules: nodes", "ms", "theory: nodes", "ms");
    // Nodes grow as 3^n with rules. Ten terms take seconds, so the table stops at eight.
    for terms in [2, 4, 6, 7, 8] {
        let ((nodes, seconds), (ours, our_seconds)) = (by_rules(terms)?, by_theory(terms)?);
        println!("{terms:>5} {nodes:>12} {:>10.2} {ours:>12} {:>10.2}", seconds * 1e3, our_seconds * 1e3);
        assert!(terms < 6 || ours < nodes);
    }
    let (nodes, seconds) = by_theory(64)?;
    println!("{:>5} {:>12} {:>10} {nodes:>12} {:>10.2}", 64, "", "", seconds * 1e3);
    Ok(())
}
