//! Types and scopes of statements.

use super::{Checker, Scope};
use crate::diag::Span;
use crate::ir::{
    AttrNode, Block, CommReducer, DType, Expr, ExprKind, For, Origin, SBlock, Stmt, StmtKind, VarId,
};

impl Checker<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        let mut scope = Scope::default();
        if self.enter() {
            for stmt in block {
                if stmt.span != Span::NONE {
                    self.place = stmt.span;
                }
                self.stmt(stmt, &mut scope);
            }
        }
        self.leave();
        self.end(scope);
    }

    fn stmt(&mut self, stmt: &Stmt, scope: &mut Scope) {
        match &stmt.kind {
            StmtKind::Bind { var, value } => {
                let dtype = self.expr(value);
                self.define_var(*var, scope);
                self.expect_var(*var, dtype, "a value");
            }
            StmtKind::Store { buffer, indices, value } => {
                let element = self.access(*buffer, indices);
                let dtype = self.expr(value);
                if let Some(element) = element
                    && element != dtype
                {
                    self.report(format!("the store is of type `{element}`, found a value of `{dtype}`"));
                }
            }
            StmtKind::Evaluate(e) if matches!(e.kind, ExprKind::Str(_)) => {}
            StmtKind::Evaluate(e) | StmtKind::Return(e) => {
                self.expr(e);
            }
            StmtKind::For(f) => self.for_loop(f),
            StmtKind::While { cond, body } => {
                self.condition(cond, "the condition of a loop");
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
            }
            StmtKind::If { cond, then, otherwise } => {
                self.condition(cond, "the condition of an `if`");
                self.block(then);
                self.block(otherwise);
            }
            StmtKind::Assert { cond, .. } => self.condition(cond, "the condition of an assertion"),
            StmtKind::Attr { node, value, body, .. } => self.attr(node, value, body),
            StmtKind::LaunchThread { var, extent, body, .. } => {
                let dtype = self.integer(extent, "the number of threads");
                let mut inner = Scope::default();
                self.define_var(*var, &mut inner);
                self.expect_var(*var, dtype, "an extent");
                self.block(body);
                self.end(inner);
            }
            StmtKind::Alloc { buffer, .. } => {
                self.define_buffer(*buffer, scope);
            }
            StmtKind::Decl { buffer } => {
                let origin = self.func.buffers.get(buffer.index()).map(|b| &b.origin);
                match origin {
                    Some(Origin::View(of) | Origin::Region(of)) => {
                        self.use_buffer(*of);
                    }
                    Some(Origin::Pointer(pointer)) => {
                        let dtype = self.expr(pointer);
                        if dtype != DType::HANDLE {
                            self.report(format!("the data of a buffer is a handle, found `{dtype}`"));
                        }
                    }
                    Some(Origin::Param | Origin::Match(_) | Origin::Alloc | Origin::Unbound) | None => {}
                }
                self.define_buffer(*buffer, scope);
            }
            StmtKind::SBlock(b) => self.sblock(b),
            StmtKind::Break | StmtKind::Continue => {
                if self.loops == 0 {
                    let name = if stmt.kind == StmtKind::Break { "break" } else { "continue" };
                    self.report(format!("`{name}` outside of a loop"));
                }
            }
        }
    }

    fn expect_var(&mut self, var: VarId, found: DType, what: &str) {
        if let Some(dtype) = self.var_dtype(var)
            && dtype != found
        {
            let name = self.var_name(var);
            self.report(format!("variable `{name}` has type `{dtype}`, found {what} of `{found}`"));
        }
    }

    fn for_loop(&mut self, f: &For) {
        let min = self.integer(&f.min, "the first value of a loop");
        let extent = self.integer(&f.extent, "the extent of a loop");
        let mut scope = Scope::default();
        self.define_var(f.var, &mut scope);
        self.expect_var(f.var, min, "a first value");
        self.expect_var(f.var, extent, "an extent");
        if let Some(step) = &f.step {
            let dtype = self.integer(step, "the step of a loop");
            self.expect_var(f.var, dtype, "a step");
            if step.as_int().is_some_and(|s| s <= 0) {
                self.report("the step of a loop is positive");
            }
        }
        self.loops += 1;
        self.block(&f.body);
        self.loops -= 1;
        self.end(scope);
    }

    fn attr(&mut self, node: &AttrNode, value: &Expr, body: &Block) {
        let mut scope = Scope::default();
        if !matches!(value.kind, ExprKind::Str(_)) {
            self.expr(value);
        }
        match node {
            AttrNode::Value(_) => {}
            // TVM's pragmas name the variable of the loop that they are about, which is defined inside.
            AttrNode::Var(var) => {
                if self.var_is_unknown(*var) {
                    self.use_var(*var);
                }
            }
            AttrNode::Buffer(buffer) => {
                // An attribute may name a buffer that is gone; nothing else may.
                let gone = self.func.buffers.get(buffer.index()).is_some_and(|b| b.origin == Origin::Unbound);
                if !gone {
                    self.use_buffer(*buffer);
                }
            }
            AttrNode::CommReducer(reducer) => self.reducer(reducer),
            AttrNode::IterVar { var, dom, .. } => {
                if let Some((min, extent)) = dom {
                    self.integer(min, "the first value of a thread");
                    self.integer(extent, "the number of threads");
                }
                self.define_var(*var, &mut scope);
            }
        }
        self.block(body);
        self.end(scope);
    }

    fn reducer(&mut self, reducer: &CommReducer) {
        let mut scope = Scope::default();
        reducer.params.iter().for_each(|&p| self.define_var(p, &mut scope));
        let count = reducer.result.len();
        if reducer.params.len() != 2 * count || reducer.identity.len() != count {
            self.report(format!(
                "a reduction to {count} values has {} parameters and {} neutral values",
                reducer.params.len(),
                reducer.identity.len()
            ));
        }
        for (result, identity) in reducer.result.iter().zip(&reducer.identity) {
            let (result, identity) = (self.expr(result), self.expr(identity));
            if result != identity {
                self.report(format!("a reduction to `{result}` has a neutral value of `{identity}`"));
            }
        }
        self.end(scope);
    }

    fn sblock(&mut self, b: &SBlock) {
        let mut scope = Scope::default();
        for axis in &b.axes {
            for (e, what) in [
                (&axis.min, "the first value of an axis"),
                (&axis.extent, "the extent of an axis"),
                (&axis.binding, "the value of an axis"),
            ] {
                let dtype = self.integer(e, what);
                self.expect_var(axis.var, dtype, what);
            }
        }
        if let Some(predicate) = &b.predicate {
            self.condition(predicate, "the predicate of a block");
        }
        b.axes.iter().for_each(|axis| self.define_var(axis.var, &mut scope));
        b.alloc_buffers.iter().for_each(|&buffer| self.define_buffer(buffer, &mut scope));
        for (buffer, source) in &b.match_buffers {
            self.region(source.buffer, &source.ranges);
            self.define_dimensions(*buffer, &mut scope);
            self.define_buffer(*buffer, &mut scope);
        }
        for region in b.reads.iter().chain(&b.writes).flatten() {
            self.region(region.buffer, &region.ranges);
        }
        b.init.iter().for_each(|init| self.block(init));
        self.block(&b.body);
        self.end(scope);
    }
}
