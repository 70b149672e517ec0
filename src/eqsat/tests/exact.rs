//! The greedy choice of nodes compared with the exact one, on small random functions.

use crate::cost::{Bindings, Profile};
use crate::eqsat::driver::{Config, Stats, optimize};
use crate::extract::Effort;
use crate::ir::build::FuncBuilder;
use crate::ir::{BufferId, DType, Expr, PrimFunc, VarId};
use crate::rewrite::Rewrites;

/// The functions that are looked at.
const FUNCTIONS: usize = 150;

/// A fixed sequence of numbers.
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) % n
    }

    fn of(&mut self, b: &FuncBuilder, vars: &[VarId]) -> Expr {
        b.var(vars[self.below(vars.len() as u32) as usize])
    }

    /// A sum of two to four terms: variables, products, quotients and remainders.
    fn value(&mut self, b: &FuncBuilder, vars: &[VarId]) -> Expr {
        let mut sum = self.term(b, vars);
        for _ in 0..1 + self.below(3) {
            sum = sum + self.term(b, vars);
        }
        sum
    }

    fn term(&mut self, b: &FuncBuilder, vars: &[VarId]) -> Expr {
        let x = self.of(b, vars);
        match self.below(8) {
            0 => x * self.of(b, vars),
            1 => x * (2 + i64::from(self.below(4))),
            2 => (x + self.of(b, vars)).floordiv(4),
            3 => (x + self.of(b, vars)).floormod(4),
            _ => x,
        }
    }

    /// Two nested loops with a store or two in each.
    fn function(&mut self) -> PrimFunc {
        let mut b = FuncBuilder::new("random");
        let params = ["n", "m"].map(|name| b.param(name, DType::I32));
        let out = b.buffer_param("out", DType::I32, vec![Expr::int(8, DType::I32)]);
        let (outer, inner) = (1 + self.below(2), 1 + self.below(2));
        b.serial("i", Expr::int(16, DType::I32), |b, i| {
            let vars = [params[0], params[1], i];
            self.stores(b, out, &vars, outer);
            b.serial("j", Expr::int(8, DType::I32), |b, j| {
                self.stores(b, out, &[params[0], params[1], i, j], inner);
            });
        });
        b.finish()
    }

    fn stores(&mut self, b: &mut FuncBuilder, out: BufferId, vars: &[VarId], count: u32) {
        for at in 0..count {
            let value = self.value(b, vars);
            b.store(out, vec![Expr::int(i64::from(at), DType::I32)], value);
        }
    }
}

fn stats(func: &PrimFunc, effort: Effort, rewrites: &Rewrites) -> Stats {
    let config = Config {
        model: crate::target::Model::default(),
        profile: &Profile::default(),
        bindings: &Bindings::new(),
        node_limit: 10_000,
        deadline: None,
        effort,
        keep_lets: false,
        rewrites,
    };
    optimize(func, &config).unwrap().stats
}

#[test]
fn greedy_choices_are_within_a_percent_of_the_best() {
    let rewrites = Rewrites::embedded();
    let mut numbers = Numbers(2024);
    let mut gaps: Vec<f64> = Vec::new();
    for _ in 0..FUNCTIONS {
        let func = numbers.function();
        let exact = stats(&func, Effort::Exact, &rewrites);
        let greedy = stats(&func, Effort::Greedy, &rewrites);
        assert!(exact.cost <= greedy.cost + 1e-6);
        if exact.optimal {
            gaps.push(greedy.cost / exact.cost - 1.0);
        }
    }
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let worst = gaps.iter().copied().fold(0.0, f64::max);
    println!("{} of {FUNCTIONS} solved exactly; greedy: mean gap {mean:.4}, worst {worst:.4}", gaps.len());
    assert!(gaps.len() > FUNCTIONS * 2 / 3, "only {} were solved", gaps.len());
    assert!(mean < 0.01 && worst < 0.2, "mean gap {mean}, worst {worst}");
}
