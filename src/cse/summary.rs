//! What the report says of programs: their costs, and the bindings that an optimization made.

use indexmap::IndexMap;

use super::{BindingReport, Measure, Options, Replaced};
use crate::cost::{self, CostBreakdown};
use crate::ir::{Block, Expr, PrimFunc, Stmt, StmtKind, VarId};

/// The cost of a function.
pub(super) fn cost(func: &PrimFunc, options: &Options) -> CostBreakdown {
    cost::cost_of_func(func, &options.profile, &options.bindings)
}

/// The cost as the report shows it.
pub(super) fn measure(cost: &CostBreakdown) -> Measure {
    let occurring = cost.classes().filter(|(_, c)| c.count > 0);
    let operations: IndexMap<String, super::Operations> = occurring
        .map(|(class, c)| {
            let ops =
                super::Operations { in_text: c.count, executed: c.runs.to_f64(), cost: c.cost.to_f64() };
            (class.name().to_owned(), ops)
        })
        .collect();
    Measure { cost: cost.total.to_f64(), integer_cost: cost.integer.to_f64(), operations }
}

/// The bindings of `after` that `before`, from which it was made, does not have, in the order of the program.
pub(super) fn new_bindings(before: &PrimFunc, after: &PrimFunc) -> Vec<BindingReport> {
    let mut found = Found { first_new: before.vars.len(), bindings: IndexMap::new() };
    found.block(&after.body);
    found
        .bindings
        .into_iter()
        .filter_map(|(var, (value, replaced))| {
            let value = value?;
            Some(BindingReport {
                name: after.var(var).name.to_string(),
                dtype: value.dtype.to_string(),
                value: crate::script::print_expr(after, value),
                replaced,
            })
        })
        .collect()
}

/// New variables by their first occurrence, with their values and uses.
struct Found<'a> {
    first_new: usize,
    bindings: IndexMap<VarId, (Option<&'a Expr>, Vec<Replaced>)>,
}

impl<'a> Found<'a> {
    fn block(&mut self, block: &'a Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        if let StmtKind::Bind { var, value } = &stmt.kind
            && var.index() >= self.first_new
        {
            self.bindings.entry(*var).or_default().0 = Some(value);
        }
        let mut uses: IndexMap<VarId, usize> = IndexMap::new();
        stmt.for_each_expr(|e| {
            e.walk(&mut |e| {
                if let Some(var) = e.as_var()
                    && var.index() >= self.first_new
                {
                    *uses.entry(var).or_default() += 1;
                }
            });
        });
        for (var, uses) in uses {
            let replaced = Replaced { line: None, uses, span: stmt.span };
            self.bindings.entry(var).or_default().1.push(replaced);
        }
        stmt.for_each_block(|b| self.block(b));
    }
}
