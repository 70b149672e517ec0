//! What was not done: values that are computed again, or in each iteration of a loop that does not change them, and tests that
//! stay; each with what stands in the way.

use hashbrown::{HashMap, HashSet};

use super::remark::{Kind, Remark};
use super::site::Site;
use crate::analysis::effects::ExprEffect;
use crate::analysis::memory::{MemoryVersions, Version, Written};
use crate::cost::{cost_of_expr, weight_of};
use crate::cse::{FunctionReport, Limit};
use crate::diag::Span;
use crate::explain::known_facts;
use crate::ir::opclass::OpClass;
use crate::ir::{Block, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};
use crate::script::print_expr;

/// Functions with more statements than this get no remarks on what is computed again.
const MAX_STATEMENTS: usize = 5_000;

pub(super) fn collect(site: &Site<'_>, report: Option<&FunctionReport>, remarks: &mut Vec<Remark>) {
    if let Some(report) = report {
        search(site, report, remarks);
    }
    undecided(site, remarks);
    if !site.input.pass.contains("cse") {
        return;
    }
    let mut count = 0;
    site.after.body.iter().for_each(|stmt| stmt.walk(&mut |_| count += 1));
    if count > MAX_STATEMENTS {
        let text = "the function is too long to tell what is computed again in it";
        remarks.push(site.remark(Kind::Analysis, "TooLong", Span::NONE).text(text));
        return;
    }
    let mut walk = Walk {
        site,
        memory: MemoryVersions::new(site.after),
        seen: HashMap::new(),
        order: Vec::new(),
        around: Vec::new(),
        told: HashSet::new(),
        remarks,
    };
    walk.block(&site.after.body);
}

/// What ended the search.
fn search(site: &Site<'_>, report: &FunctionReport, remarks: &mut Vec<Remark>) {
    if let Some(why) = &report.gave_up {
        let remark = site.remark(Kind::Missed, "GaveUp", Span::NONE);
        remarks.push(remark.text("equality saturation gave up: ").part("Reason", &**why));
    }
    for limit in &report.limits_hit {
        let what = match limit {
            Limit::Nodes => "the limit on nodes ended the search; a higher --node-limit may find more",
            Limit::Time => "the limit on time ended the search; a higher --time-limit may find more",
        };
        remarks.push(site.remark(Kind::Missed, "LimitHit", Span::NONE).part("Reason", what));
    }
}

/// Tests that stay: values for which they hold, and for which they do not, or that no proof was found.
fn undecided(site: &Site<'_>, remarks: &mut Vec<Remark>) {
    for (span, cond, ranges, conds) in known_facts(site.after, site.input.positive_dims) {
        if span == Span::NONE {
            continue;
        }
        let context = site.context(&ranges, &conds);
        let values = |wanted: bool| {
            let values = context.values_for(&cond, wanted)?;
            let one = |(name, value): &(String, i64)| format!("{name} = {value}");
            Some(values.iter().map(one).collect::<Vec<_>>().join(", "))
        };
        let remark = site.remark(Kind::Missed, "Undecided", span);
        let remark =
            remark.text("the test ").part("Condition", print_expr(site.after, &cond)).text(" stays: ");
        remarks.push(match (values(true), values(false)) {
            (Some(yes), Some(no)) => remark.text(format!("it holds for {yes} and not for {no}")),
            (Some(_), None) => remark.text("it seems to hold always, but that was not proven"),
            (None, Some(_)) => remark.text("it seems to hold never, but that was not proven"),
            (None, None) => remark.text("what it reads is not known"),
        });
    }
}

/// An earlier evaluation of an expression.
struct Earlier {
    /// Number of its statement.
    at: usize,
    versions: Vec<Option<Version>>,
    /// The numbers of the blocks around it that may not run.
    guards: Vec<usize>,
}

/// A block around what is looked at.
struct Around<'a> {
    number: usize,
    /// The statements, if it is the body of a loop.
    body: Option<&'a Block>,
    /// Whether it may not run where the statement does.
    is_guard: bool,
    /// The variables defined in it, that of a loop included.
    defined: HashSet<VarId>,
}

struct Walk<'a, 'r> {
    site: &'a Site<'a>,
    memory: MemoryVersions,
    seen: HashMap<&'a Expr, Earlier>,
    /// The statements so far.
    order: Vec<&'a Stmt>,
    around: Vec<Around<'a>>,
    /// The expressions that have a remark.
    told: HashSet<&'a Expr>,
    remarks: &'r mut Vec<Remark>,
}

impl<'a> Walk<'a, '_> {
    fn block(&mut self, block: &'a Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        self.memory.head(stmt);
        self.order.push(stmt);
        stmt.for_each_expr(|e| self.expr(e, stmt));
        if let (StmtKind::Bind { var, .. }, Some(around)) = (&stmt.kind, self.around.last_mut()) {
            around.defined.insert(*var);
        }
        let mut blocks = Vec::new();
        stmt.for_each_block(|block| blocks.push(block));
        for block in blocks {
            self.memory.enter_block(stmt);
            let around = self.enter(stmt, block);
            self.around.push(around);
            self.block(block);
            self.around.pop();
            self.memory.leave_block();
        }
        self.memory.after(stmt);
    }

    fn enter(&self, stmt: &'a Stmt, block: &'a Block) -> Around<'a> {
        let number = self.order.len();
        let mut around = Around { number, body: None, is_guard: false, defined: HashSet::new() };
        match &stmt.kind {
            StmtKind::For(l) => {
                around.defined.insert(l.var);
                around.is_guard = l.extent.as_int().is_none_or(|extent| extent <= 0);
                around.body = (l.extent.as_int() != Some(1)).then_some(block);
            }
            StmtKind::While { .. } => (around.is_guard, around.body) = (true, Some(block)),
            StmtKind::If { .. } => around.is_guard = true,
            StmtKind::LaunchThread { var, .. } => {
                around.defined.insert(*var);
            }
            StmtKind::SBlock(block) => {
                around.defined.extend(block.axes.iter().map(|axis| axis.var));
                around.is_guard = true;
            }
            _ => {}
        }
        around
    }

    /// Looks at an expression from the outside in: what has a remark is not looked into.
    fn expr(&mut self, e: &'a Expr, stmt: &'a Stmt) {
        if self.again(e, stmt) || self.invariant(e, stmt) {
            return;
        }
        e.for_each_child(|child| self.expr(child, stmt));
    }

    /// Whether the expression was evaluated before; says what is in the way of using that.
    fn again(&mut self, e: &'a Expr, stmt: &'a Stmt) -> bool {
        let profile = self.site.input.profile;
        let weighs = weight_of(profile, e) >= profile.weight(OpClass::Load);
        if !weighs || e.dtype.is_bool() && e.as_int().is_some() {
            return false;
        }
        let effect = ExprEffect::of(e);
        let versions: Vec<_> = effect.loads.iter().map(|buffer| self.memory.version(*buffer)).collect();
        let guards: Vec<usize> =
            self.around.iter().filter(|around| around.is_guard).map(|around| around.number).collect();
        let at = self.order.len();
        let now = Earlier { at, versions, guards };
        let Some(earlier) = self.seen.insert(e, now) else { return false };
        let now = &self.seen[e];
        if stmt.span == Span::NONE || self.told.contains(e) {
            return true;
        }
        let again = match e.kind {
            ExprKind::Load { .. } => " is loaded again: ",
            _ => " is computed again: ",
        };
        let shown = print_expr(self.site.after, e);
        let remark = |name| {
            self.site.remark(Kind::Missed, name, stmt.span).part("Expression", shown.clone()).text(again)
        };
        let made = if effect.any.updates_state || effect.any.reads_state {
            remark("Impure").text("it does more than compute a value")
        } else if earlier.versions != now.versions || now.versions.contains(&None) {
            let since = &self.order[earlier.at.saturating_sub(1)..at];
            self.clobbered(remark("Clobbered"), e, since)
        } else if effect.any.may_trap && !now.guards.starts_with(&earlier.guards) {
            remark("MayTrap")
                .text("it may trap, and neither place is certain to be reached where the other is")
        } else {
            remark("NotCheaper").text("no cheaper program with it bound was found")
        };
        self.told.insert(e);
        self.remarks.push(made);
        true
    }

    /// Whether the expression is the same in each iteration of the innermost loop; says why it is not before that.
    fn invariant(&mut self, e: &'a Expr, stmt: &'a Stmt) -> bool {
        let profile = self.site.input.profile;
        let Some(at) = self.around.iter().rposition(|around| around.body.is_some()) else { return false };
        let inside = &self.around[at..];
        let Some(body) = inside[0].body else { return false };
        let worth = cost_of_expr(profile, e).to_f64() > profile.weight(OpClass::Bind).to_f64();
        let mut depends = false;
        e.walk(&mut |e| {
            if let Some(var) = e.as_var() {
                depends |= inside.iter().any(|around| around.defined.contains(&var));
            }
            depends |= matches!(e.kind, ExprKind::Let(..));
        });
        if !worth || depends {
            return false;
        }
        if stmt.span == Span::NONE || !self.told.insert(e) {
            return true;
        }
        let effect = ExprEffect::of(e);
        let remark = |name| {
            let remark = self.site.remark(Kind::Missed, name, stmt.span);
            let remark = remark.part("Expression", print_expr(self.site.after, e));
            remark.text(" is the same in each iteration, but not computed before the loop: ")
        };
        let made = if effect.any.updates_state || effect.any.reads_state {
            remark("Impure").text("it does more than compute a value")
        } else if Written::by_blocks(self.site.after, [body]).may_change(e) {
            let all: Vec<&Stmt> = body.iter().collect();
            self.clobbered(remark("Clobbered"), e, &all)
        } else if effect.any.may_trap && inside.iter().any(|around| around.is_guard) {
            remark("MayTrap").text("it may trap, and is not certain to be reached from there")
        } else {
            remark("NotCheaper").text("no cheaper program with it there was found")
        };
        self.remarks.push(made);
        true
    }

    /// Names the first of some statements that may write what an expression reads.
    fn clobbered(&self, remark: Remark, e: &Expr, stmts: &[&Stmt]) -> Remark {
        let func = self.site.after;
        let mut writer: Option<&Stmt> = None;
        for stmt in stmts {
            stmt.walk(&mut |stmt| {
                let mut is_leaf = true;
                stmt.for_each_block(|block| is_leaf &= block.is_empty());
                if writer.is_none() && is_leaf && Written::by(func, stmt).may_change(e) {
                    writer = Some(stmt);
                }
            });
        }
        let Some(writer) = writer.filter(|stmt| stmt.span != Span::NONE) else {
            return remark.text("it may be written in between");
        };
        let remark = self.site.line(remark, writer.span).text(" may write it");
        if writes_another(func, writer, e) && !func.no_alias() {
            return remark
                .text(", as the buffers may overlap; the attribute `tirx.noalias` says that none do");
        }
        remark
    }
}

/// Whether a statement stores to another memory than any that the expression reads.
fn writes_another(func: &PrimFunc, writer: &Stmt, e: &Expr) -> bool {
    let StmtKind::Store { buffer, .. } = writer.kind else { return false };
    let written = func.memory_of(buffer);
    let mut other = true;
    e.walk(&mut |e| {
        if let ExprKind::Load { buffer, .. } = e.kind {
            other &= func.memory_of(buffer) != written;
        }
    });
    other
}
