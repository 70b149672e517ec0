//! Random programs: a few hundred on every run, so that what breaks the optimizer is seen at once. `satir fuzz` does more.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use satir::fuzz::{self, Shape, Thoroughness};
use satir::ir::{Expr, ExprKind, Module};

#[test]
fn random_programs_are_optimized_to_programs_that_do_the_same() {
    for seed in 0..200 {
        let module = fuzz::program(seed, Shape { size: 40, portable: false });
        let how = Thoroughness::of(seed);
        if let Err(finding) = fuzz::check(&module, &fuzz::compare_options(&module, seed), how) {
            panic!("seed {seed}: {finding:?}\n{module}");
        }
    }
}

#[test]
fn passes_on_padding_keep_what_programs_do() {
    let (mut changed, mut compared) = (0, 0);
    for seed in 0..60 {
        let module = fuzz::padded(seed).unwrap();
        let how = Thoroughness { padding: true, ..Thoroughness::of(seed) };
        match fuzz::check(&module, &fuzz::compare_options(&module, seed), how) {
            Ok(tally) => {
                changed += usize::from(tally.improved);
                compared += tally.runs;
            }
            Err(finding) => panic!("seed {seed}: {finding:?}\n{module}"),
        }
    }
    assert!(changed > 30 && compared > 1000, "{changed} programs are changed, {compared} runs compared");
}

#[test]
fn shrinking_keeps_what_was_asked_for_and_little_else() {
    let divides = |module: &Module| {
        let mut found = false;
        for func in &module.funcs {
            each(&func.body, &mut |e| {
                found |= matches!(&e.kind, ExprKind::Binary(op, ..) if op.is_division())
            });
        }
        found
    };
    let mut tried = 0;
    for seed in 0..40 {
        let module = fuzz::program(seed, Shape { size: 60, portable: false });
        if divides(&module) {
            tried += 1;
            let small = fuzz::shrink(&module, 1500, divides);
            assert!(divides(&small));
            let mut nodes = 0;
            each(&small.funcs[0].body, &mut |_| nodes += 1);
            assert!(small.funcs.len() == 1 && nodes <= 12, "{nodes} nodes are left:\n{small}");
        }
    }
    assert!(tried > 10);
}

fn each(block: &satir::ir::Block, f: &mut dyn FnMut(&Expr)) {
    for stmt in block {
        stmt.for_each_expr(|e| e.walk(&mut |e| f(e)));
        stmt.for_each_block(|b| each(b, f));
    }
}
