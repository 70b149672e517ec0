//! What the report says of programs: their costs, and the bindings that an optimization made.

use indexmap::IndexMap;

use super::{BindingReport, Measure, Options, Replaced};
use crate::cost::{self, CostBreakdown, Frequency, Places};
use crate::ir::opclass::OpClass;
use crate::ir::{Block, Expr, PrimFunc, Stmt, StmtKind, VarId};
use crate::script::ExprPrinter;

/// The cost of a function.
pub(super) fn cost(func: &PrimFunc, options: &Options) -> CostBreakdown {
    cost::cost_of_func(func, &options.profile, &options.bindings)
}

/// How long a function is: its statements and the parts of their expressions.
pub(super) fn size(func: &PrimFunc) -> usize {
    let mut size = 0;
    let mut add = |stmt: &Stmt| {
        size += 1;
        stmt.for_each_expr(|e| e.walk(&mut |_| size += 1));
    };
    func.body.iter().for_each(|stmt| stmt.walk(&mut add));
    size
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
pub(super) fn new_bindings(before: &PrimFunc, after: &PrimFunc, options: &Options) -> Vec<BindingReport> {
    let mut found = Found { first_new: before.vars.len(), options, bindings: IndexMap::new() };
    let mut places = Places::new(after, &options.profile, &options.bindings);
    found.block(&mut places, &after.body, Frequency::ONE);
    let bind = options.profile.weight(OpClass::Bind);
    let mut printer = ExprPrinter::new(after);
    let report = |(var, binding): (VarId, Binding<'_>)| {
        let value = binding.value?;
        let once = cost::cost_of_expr(&options.profile, value);
        let uses: f64 = binding.replaced.iter().map(|r| r.executed).sum();
        let spent = binding.frequency.to_f64() * (once.to_f64() + bind.to_f64());
        Some(BindingReport {
            name: after.var(var).name.to_string(),
            dtype: value.dtype.to_string(),
            value: printer.print(value),
            executed: binding.frequency.to_f64(),
            saved: uses * once.to_f64() - spent,
            replaced: binding.replaced,
        })
    };
    found.bindings.into_iter().filter_map(report).collect()
}

/// New variables by their first occurrence.
struct Found<'a> {
    first_new: usize,
    options: &'a Options,
    bindings: IndexMap<VarId, Binding<'a>>,
}

/// What is known of a new variable.
#[derive(Default)]
struct Binding<'a> {
    value: Option<&'a Expr>,
    frequency: Frequency,
    replaced: Vec<Replaced>,
}

impl<'a> Found<'a> {
    fn block(&mut self, places: &mut Places<'_>, block: &'a Block, frequency: Frequency) {
        for stmt in block {
            self.stmt(places, stmt, frequency);
        }
    }

    fn stmt(&mut self, places: &mut Places<'_>, stmt: &'a Stmt, frequency: Frequency) {
        places.enter(stmt);
        let head = frequency * places.head_count(stmt);
        if let StmtKind::Bind { var, value } = &stmt.kind
            && var.index() >= self.first_new
        {
            let binding = self.bindings.entry(*var).or_default();
            binding.value = Some(value);
            binding.frequency = head;
        }
        let mut uses = IndexMap::new();
        stmt.for_each_expr(|e| self.uses(e, head, &mut uses));
        for (var, (uses, executed)) in uses {
            let replaced =
                Replaced { line: None, source: None, uses, executed: executed.to_f64(), span: stmt.span };
            self.bindings.entry(var).or_default().replaced.push(replaced);
        }
        let counts = places.block_counts(stmt);
        let mut index = 0;
        stmt.for_each_block(|b| {
            self.block(places, b, frequency * counts[index]);
            index += 1;
        });
    }

    /// How many uses of each new variable stand in `e`, and how often they run.
    fn uses(&self, e: &Expr, frequency: Frequency, uses: &mut IndexMap<VarId, (usize, Frequency)>) {
        if let Some(var) = e.as_var()
            && var.index() >= self.first_new
        {
            let entry = uses.entry(var).or_insert((0, Frequency::ZERO));
            entry.0 += 1;
            entry.1 += frequency;
        }
        let arms = cost::lazy_arms(&self.options.profile, e);
        let mut index = 0;
        e.for_each_child(|c| {
            self.uses(c, frequency * arms.probability(index), uses);
            index += 1;
        });
    }
}
