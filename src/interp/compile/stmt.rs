//! Statements to nodes.

use std::sync::Arc;

use super::super::program::{AllReduce, Code, Inst, Loop, Node, Slot, Source};
use super::launch::{is_block_thread, thread_tag};
use super::{Compiler, Unsupported, spelled};
use crate::ir::matrix::is_matrix_call;
use crate::ir::opclass::OpClass;
use crate::ir::value::Value;
use crate::ir::{
    AttrNode, AxisKind, BinOp, Block, BufferId, CommReducer, DType, Expr, ExprKind, For, ForKind, Origin,
    SBlock, Stmt, StmtKind, VarId,
};

impl<'a> Compiler<'a> {
    pub(super) fn block(&mut self, block: &'a Block) -> Result<Vec<Node>, Unsupported> {
        let mut nodes = Vec::new();
        for stmt in block {
            let outer = self.span;
            if stmt.span != crate::diag::Span::NONE {
                self.span = stmt.span;
            }
            self.stmt(stmt, &mut nodes)?;
            self.span = outer;
        }
        Ok(nodes)
    }

    fn stmt(&mut self, stmt: &'a Stmt, nodes: &mut Vec<Node>) -> Result<(), Unsupported> {
        match &stmt.kind {
            StmtKind::Bind { var, value } => self.leaf(nodes, |this| {
                let a = this.expr(value)?;
                this.count(OpClass::Bind, 1);
                let dst = this.var(*var);
                this.emit(Inst::Copy { lanes: value.dtype.lanes, dst, a });
                Ok(())
            }),
            StmtKind::Store { buffer, indices, value } => self.leaf(nodes, |this| {
                let slot = this.expr(value)?;
                let access = this.access(*buffer, indices)?;
                this.count_store(value.dtype);
                this.emit(Inst::Store { access, value: slot });
                Ok(())
            }),
            StmtKind::Evaluate(e) => self.evaluate(e, nodes),
            StmtKind::For(for_) => {
                let node = self.for_loop(for_)?;
                nodes.push(node);
                Ok(())
            }
            StmtKind::While { cond, body } => {
                let (cond, slot) = self.head(cond)?;
                let body = self.block(body)?;
                nodes.push(Node::While { cond, slot, body });
                Ok(())
            }
            StmtKind::If { cond, then, otherwise } => {
                let (cond, slot) = self.head(cond)?;
                self.count_branch();
                let (then, otherwise) = (self.block(then)?, self.block(otherwise)?);
                nodes.push(Node::If { cond, slot, then, otherwise });
                Ok(())
            }
            StmtKind::Assert { cond, message, .. } => self.leaf(nodes, |this| {
                let cond = this.expr(cond)?;
                this.program.messages.push(message.concat().into());
                let message = this.program.messages.len() as u32 - 1;
                this.emit(Inst::Assert { cond, message });
                Ok(())
            }),
            StmtKind::Attr { node, key, value, body } => self.attr(node, key, value, body, nodes),
            StmtKind::LaunchThread { var, tag, extent, body } => {
                let node = self.launch(*var, tag, extent, body)?;
                nodes.push(node);
                Ok(())
            }
            StmtKind::Alloc { buffer, .. } | StmtKind::Decl { buffer } => self.declare(*buffer, nodes),
            StmtKind::SBlock(block) => self.sblock(block, nodes),
            StmtKind::Break => {
                nodes.push(Node::Break);
                Ok(())
            }
            StmtKind::Continue => {
                nodes.push(Node::Continue);
                Ok(())
            }
            StmtKind::Return(value) => self.return_value(value, nodes),
        }
    }

    fn return_value(&mut self, value: &'a Expr, nodes: &mut Vec<Node>) -> Result<(), Unsupported> {
        let (code, slot) = self.head(value)?;
        nodes.push(Node::Return { code, slot, dtype: value.dtype });
        Ok(())
    }

    /// An evaluation of its own before a statement's parts.
    fn head(&mut self, e: &'a Expr) -> Result<(Code, Slot), Unsupported> {
        self.program.places.push((self.here(), self.span));
        let result = self.code(e)?;
        self.slots.release();
        Ok(result)
    }

    fn evaluate(&mut self, e: &'a Expr, nodes: &mut Vec<Node>) -> Result<(), Unsupported> {
        match e.as_intrin() {
            Some(("ret", [value])) => self.return_value(value, nodes),
            Some(("thread_return", _)) => {
                let code = Code { start: self.here(), end: self.here() };
                nodes.push(Node::Return { code, slot: 0, dtype: DType::VOID });
                Ok(())
            }
            Some(("break_loop", _)) => {
                nodes.push(Node::Break);
                Ok(())
            }
            Some(("continue_loop", _)) => {
                nodes.push(Node::Continue);
                Ok(())
            }
            // In lockstep the threads meet after every statement.
            Some(("tvm_storage_sync", _)) => Ok(()),
            Some(("tvm_thread_allreduce", args)) => {
                let node = self.allreduce(args)?;
                nodes.push(node);
                Ok(())
            }
            _ => match e.kind {
                ExprKind::Str(_) => Ok(()),
                _ if is_matrix_call(e) => self.leaf(nodes, |this| this.matrix_call(e)),
                _ => self.leaf(nodes, |this| this.expr(e).map(|_| ())),
            },
        }
    }

    fn for_loop(&mut self, for_: &'a For) -> Result<Node, Unsupported> {
        self.program.places.push((self.here(), self.span));
        let start = self.here();
        self.start_piece();
        let min = self.keep(&for_.min)?;
        let extent = self.keep(&for_.extent)?;
        let step = for_.step.as_ref().map(|step| self.keep(step)).transpose()?;
        let head = self.since(start);
        self.slots.release();
        let threads = match &for_.kind {
            ForKind::ThreadBinding(tag) => self.thread_tag(tag),
            ForKind::Serial | ForKind::Parallel | ForKind::Vectorized | ForKind::Unrolled => None,
        };
        let body = self.block(&for_.body)?;
        let var = self.var(for_.var);
        let most = greatest(for_.min.dtype);
        Ok(Node::For(Box::new(Loop { head, min, extent, step, var, most, body, threads })))
    }

    fn launch(
        &mut self,
        var: VarId,
        tag: &str,
        extent: &'a Expr,
        body: &'a Block,
    ) -> Result<Node, Unsupported> {
        self.program.places.push((self.here(), self.span));
        let start = self.here();
        self.start_piece();
        let min = self.slots.constant(Value::Int(0));
        let most = greatest(extent.dtype);
        let extent = self.keep(extent)?;
        let head = self.since(start);
        self.slots.release();
        let threads = self.thread_tag(tag);
        let body = self.block(body)?;
        let var = self.var(var);
        Ok(Node::For(Box::new(Loop { head, min, extent, step: None, var, most, body, threads })))
    }

    /// The value of `e` in a slot that keeps it while the statement's parts run.
    fn keep(&mut self, e: &'a Expr) -> Result<Slot, Unsupported> {
        let a = self.expr(e)?;
        if let ExprKind::Int(_) = e.kind {
            return Ok(a);
        }
        let dst = self.slots.keep(1);
        self.emit(Inst::Copy { lanes: 1, dst, a });
        Ok(dst)
    }

    fn thread_tag(&mut self, tag: &str) -> Option<u32> {
        if !is_block_thread(tag) {
            return None;
        }
        let tags = &mut self.program.tags;
        let known = tags.iter().position(|t| &**t == tag);
        Some(known.unwrap_or_else(|| {
            tags.push(Arc::from(tag));
            tags.len() - 1
        }) as u32)
    }

    fn attr(
        &mut self,
        node: &'a AttrNode,
        key: &str,
        value: &'a Expr,
        body: &'a Block,
        nodes: &mut Vec<Node>,
    ) -> Result<(), Unsupported> {
        match node {
            AttrNode::IterVar { var, .. } => {
                if let Some(tag) = thread_tag(node, key) {
                    let node = self.launch(*var, tag, value, body)?;
                    nodes.push(node);
                    return Ok(());
                }
            }
            AttrNode::CommReducer(reducer) => {
                self.reducers.push(reducer);
                let inner = self.block(body)?;
                self.reducers.pop();
                nodes.extend(inner);
                return Ok(());
            }
            AttrNode::Value(_) | AttrNode::Var(_) | AttrNode::Buffer(_) => {}
        }
        nodes.extend(self.block(body)?);
        Ok(())
    }

    fn declare(&mut self, buffer: BufferId, nodes: &mut Vec<Node>) -> Result<(), Unsupported> {
        self.program.places.push((self.here(), self.span));
        let setup = match &self.func.buffer(buffer).origin {
            Origin::Alloc => self.setup(buffer, |_| Ok(Source::Alloc))?,
            Origin::View(of) | Origin::Region(of) => self.setup(buffer, |_| Ok(Source::View(of.0)))?,
            Origin::Pointer(pointer) => self.setup(buffer, |this| this.expr(pointer).map(Source::Pointer))?,
            Origin::Match(var) => {
                let slot = self.var(*var);
                self.setup(buffer, |_| Ok(Source::Pointer(slot)))?
            }
            Origin::Param => {
                return self.unsupported("the declaration of a parameter inside of the function");
            }
            Origin::Unbound => return self.unsupported("a buffer without memory"),
        };
        self.slots.release();
        nodes.push(Node::Setup(setup));
        Ok(())
    }

    /// A block: axes bound, then if the predicate holds its buffers, `init` at the first values of all reduction
    /// axes, and the body.
    fn sblock(&mut self, block: &'a SBlock, nodes: &mut Vec<Node>) -> Result<(), Unsupported> {
        if !block.axes.is_empty() {
            self.leaf(nodes, |this| {
                for axis in &block.axes {
                    let a = this.expr(&axis.binding)?;
                    let dst = this.var(axis.var);
                    this.emit(Inst::Copy { lanes: 1, dst, a });
                }
                Ok(())
            })?;
        }
        let Some(predicate) = &block.predicate else {
            return self.sblock_body(block, nodes);
        };
        let (cond, slot) = self.head(predicate)?;
        let mut then = Vec::new();
        self.sblock_body(block, &mut then)?;
        nodes.push(Node::If { cond, slot, then, otherwise: Vec::new() });
        Ok(())
    }

    fn sblock_body(&mut self, block: &'a SBlock, nodes: &mut Vec<Node>) -> Result<(), Unsupported> {
        for &buffer in &block.alloc_buffers {
            self.declare(buffer, nodes)?;
        }
        for (buffer, region) in &block.match_buffers {
            self.match_region(*buffer, region, nodes)?;
        }
        if let Some(init) = &block.init {
            let (cond, slot) = self.first_reduction(block)?;
            let then = self.block(init)?;
            nodes.push(Node::If { cond, slot, then, otherwise: Vec::new() });
        }
        nodes.extend(self.block(&block.body)?);
        Ok(())
    }

    /// Whether all reduction axes are at their first values. Not counted: the program does not write it.
    fn first_reduction(&mut self, block: &'a SBlock) -> Result<(Code, Slot), Unsupported> {
        let start = self.here();
        self.start_piece();
        let counting = std::mem::replace(&mut self.counting, false);
        let mut all = self.slots.constant(Value::bool(true));
        for axis in block.axes.iter().filter(|axis| axis.kind == AxisKind::Reduce) {
            let (a, b) = (self.var(axis.var), self.expr(&axis.min)?);
            let first = self.slots.temp(1);
            self.emit(Inst::Int { op: BinOp::Eq, dtype: axis.min.dtype, dst: first, a, b });
            let both = self.slots.temp(1);
            self.emit(Inst::Int { op: BinOp::And, dtype: DType::BOOL, dst: both, a: all, b: first });
            all = both;
        }
        self.counting = counting;
        let code = self.since(start);
        self.slots.release();
        Ok((code, all))
    }

    fn match_region(
        &mut self,
        buffer: BufferId,
        region: &'a crate::ir::BufferRegion,
        nodes: &mut Vec<Node>,
    ) -> Result<(), Unsupported> {
        let entry = self.func.buffer(buffer);
        let variable = |e: &Expr| e.as_var();
        let mut bind_strides = Vec::new();
        for stride in &entry.strides {
            match variable(stride) {
                Some(var) => bind_strides.push(self.var(var)),
                None if stride.as_int().is_some() => {}
                None => return self.unsupported("a matched buffer whose strides are expressions"),
            }
        }
        let bind_offset = entry.elem_offset.as_ref().and_then(variable).map(|var| self.var(var));
        let setup = self.setup(buffer, |this| {
            let mut mins = Vec::with_capacity(region.ranges.len());
            for (min, _) in &region.ranges {
                mins.push(this.expr(min)?);
            }
            Ok(Source::Region { of: region.buffer.0, mins, bind_strides, bind_offset })
        })?;
        self.slots.release();
        nodes.push(Node::Setup(setup));
        Ok(())
    }

    /// `T.tvm_thread_allreduce(size, values…, cond, results…, thread variables…)`.
    fn allreduce(&mut self, args: &'a [Expr]) -> Result<Node, Unsupported> {
        let name: Arc<str> = "tvm_thread_allreduce".into();
        let Some(&reducer) = self.reducers.last() else {
            return self.unsupported(format!("{} without a `T.comm_reducer` around it", spelled(&name)));
        };
        let size = args.first().and_then(Expr::as_int).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let malformed = format!("{} with arguments that do not fit its reducer", spelled(&name));
        if size == 0
            || args.len() < 2 + 2 * size
            || reducer.result.len() != size
            || reducer.params.len() != 2 * size
        {
            return self.unsupported(malformed);
        }
        self.program.places.push((self.here(), self.span));
        let start = self.here();
        self.start_piece();
        let mut values = Vec::with_capacity(size);
        for value in &args[1..=size] {
            values.push((self.expr(value)?, value.dtype));
        }
        let cond = self.expr(&args[1 + size])?;
        let mut results = Vec::with_capacity(size);
        for target in &args[2 + size..2 + 2 * size] {
            match &target.kind {
                ExprKind::Load { buffer, indices } => {
                    self.count_expr(target);
                    results.push(self.access(*buffer, indices)?);
                }
                _ => return self.unsupported(malformed),
            }
        }
        self.count(OpClass::Call, 1);
        let mut vars = Vec::new();
        for var in &args[2 + 2 * size..] {
            match var.as_var() {
                Some(var) => vars.push(self.var(var)),
                // The constant 0 stands for a thread axis of extent 1.
                None if var.as_int().is_some() => {}
                None => return self.unsupported(malformed),
            }
        }
        let code = self.since(start);
        let (combine, combined, identity, neutral) = self.reducer(reducer)?;
        let params = reducer.params.iter().map(|&var| self.var(var)).collect();
        self.slots.release();
        self.program.reductions.push(AllReduce {
            args: code,
            values,
            cond,
            results,
            vars,
            params,
            combine,
            combined,
            identity,
            neutral,
        });
        Ok(Node::AllReduce(self.program.reductions.len() as u32 - 1))
    }

    fn reducer(
        &mut self,
        reducer: &'a CommReducer,
    ) -> Result<(Code, Vec<Slot>, Code, Vec<Slot>), Unsupported> {
        // What the reduction does inside is part of the call.
        let counting = std::mem::replace(&mut self.counting, false);
        let start = self.here();
        self.start_piece();
        let combined = self.keep_all(&reducer.result)?;
        let combine = self.since(start);
        let start = self.here();
        self.start_piece();
        let neutral = self.keep_all(&reducer.identity)?;
        let identity = self.since(start);
        self.counting = counting;
        Ok((combine, combined, identity, neutral))
    }
}

/// The greatest value of a type of integers, as far as the interpreter tells values apart.
fn greatest(dtype: DType) -> i64 {
    dtype.int_range().and_then(|(_, most)| i64::try_from(most).ok()).unwrap_or(i64::MAX)
}
