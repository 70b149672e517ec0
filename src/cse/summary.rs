//! What the report says of programs: their costs, and the bindings that an optimization made.

use indexmap::IndexMap;

use super::{BindingReport, Measure, Options, Replaced};
use crate::cost::{self, CostBreakdown, Frequency, Places};
use crate::diag::Span;
use crate::ir::opclass::OpClass;
use crate::ir::{Block, Expr, PrimFunc, Stmt, StmtKind, VarId};
use crate::script::ExprPrinter;

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
pub(super) fn new_bindings(before: &PrimFunc, after: &PrimFunc, options: &Options) -> Vec<BindingReport> {
    let first_new = before.vars.len();
    let of_var = vec![None; after.vars.len().saturating_sub(first_new)];
    let mut found = Found { first_new, options, bindings: Vec::new(), of_var, statement: 0 };
    let mut places = Places::new(after, &options.profile, &options.bindings);
    found.block(&mut places, &after.body, Frequency::ONE);
    let bind = options.profile.weight(OpClass::Bind);
    let mut printer = ExprPrinter::new(after);
    let report = |binding: Binding<'_>| {
        let once = cost::cost_of_expr(&options.profile, binding.value);
        let replaced: Vec<Replaced> = binding.uses.iter().map(Use::replaced).collect();
        let uses: f64 = replaced.iter().map(|r| r.executed).sum();
        let spent = binding.frequency.to_f64() * (once.to_f64() + bind.to_f64());
        BindingReport {
            name: after.var(binding.var).name.to_string(),
            dtype: binding.value.dtype.to_string(),
            value: printer.print(binding.value),
            executed: binding.frequency.to_f64(),
            saved: uses * once.to_f64() - spent,
            replaced,
        }
    };
    found.bindings.into_iter().map(report).collect()
}

/// The new bindings, each before its uses.
struct Found<'a> {
    first_new: usize,
    options: &'a Options,
    bindings: Vec<Binding<'a>>,
    /// Of each new variable, which of the bindings is its own.
    of_var: Vec<Option<usize>>,
    /// The number of the statement that is looked at.
    statement: usize,
}

/// What is known of a new binding.
struct Binding<'a> {
    var: VarId,
    value: &'a Expr,
    frequency: Frequency,
    uses: Vec<Use>,
}

/// The uses in one statement.
struct Use {
    statement: usize,
    span: Span,
    uses: usize,
    executed: Frequency,
}

impl Use {
    fn replaced(&self) -> Replaced {
        let executed = self.executed.to_f64();
        Replaced { line: None, source: None, uses: self.uses, executed, span: self.span }
    }
}

impl<'a> Found<'a> {
    fn block(&mut self, places: &mut Places<'_>, block: &'a Block, frequency: Frequency) {
        for stmt in block {
            self.stmt(places, stmt, frequency);
        }
    }

    fn stmt(&mut self, places: &mut Places<'_>, stmt: &'a Stmt, frequency: Frequency) {
        places.enter(stmt);
        self.statement += 1;
        let head = frequency * places.head_count(stmt);
        if let StmtKind::Bind { var, value } = &stmt.kind
            && let Some(own) = var.index().checked_sub(self.first_new)
        {
            self.of_var[own] = Some(self.bindings.len());
            self.bindings.push(Binding { var: *var, value, frequency: head, uses: Vec::new() });
        }
        stmt.for_each_expr(|e| self.uses(e, head, stmt.span));
        let counts = places.block_counts(stmt);
        let mut index = 0;
        stmt.for_each_block(|b| {
            self.block(places, b, frequency * counts[index]);
            index += 1;
        });
    }

    /// Takes note of the uses of new variables in `e`, a part of the statement at `span`.
    fn uses(&mut self, e: &Expr, frequency: Frequency, span: Span) {
        if let Some(var) = e.as_var()
            && let Some(own) = var.index().checked_sub(self.first_new)
            && let Some(binding) = self.of_var[own]
        {
            let uses = &mut self.bindings[binding].uses;
            match uses.last_mut() {
                Some(here) if here.statement == self.statement => {
                    here.uses += 1;
                    here.executed += frequency;
                }
                _ => uses.push(Use { statement: self.statement, span, uses: 1, executed: frequency }),
            }
            return;
        }
        let arms = cost::lazy_arms(&self.options.profile, e);
        let mut index = 0;
        e.for_each_child(|c| {
            self.uses(c, frequency * arms.probability(index), span);
            index += 1;
        });
    }
}
