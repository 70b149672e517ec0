//! Which `Bind` statements of the input stay; all others are inlined: their variables stand for the classes of their
//! values, and extraction binds again what pays.
//!
//! A `Bind` stays if its value is no plain value or has an effect, or if its value reads memory that may have been
//! written before a use: the value must then be read where the `Bind` stands, and its variable equals nothing else. It
//! also stays if something that is not evaluated names its variable (the shape of a buffer, the region of a block, an
//! annotation); its variable stands for the class of its value as any other.

use hashbrown::{HashMap, HashSet};

use super::memory::{MemoryVersions, Version};
use crate::ir::{
    AttrNode, AttrValue, Block, Buffer, BufferId, BufferRegion, DType, Expr, ExprKind, Origin, PrimFunc,
    SBlock, Stmt, StmtKind, VarId,
};

/// The variables whose `Bind` stays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// Those that equal nothing else.
    pub opaque: HashSet<VarId>,
    /// Those that must be bound; [`None`] if all must.
    pub named: Option<HashSet<VarId>>,
}

/// Finds the variables whose `Bind` stays; with `all`, every one does. `memory` is that of the function, at its head.
pub(crate) fn kept(func: &PrimFunc, memory: &MemoryVersions, all: bool) -> Kept {
    let opaque = if has_bind(&func.body) { Finder::of(func, memory.clone()) } else { HashSet::new() };
    Kept { opaque, named: (!all).then(|| named(func)) }
}

/// The variables that something names which is not evaluated.
pub(crate) fn named(func: &PrimFunc) -> HashSet<VarId> {
    let mut names = HashSet::new();
    described(func, &mut |v| {
        names.insert(v);
    });
    names
}

/// The function with the values of its `Bind` statements in place of their variables, if none of them stays; `None` if one
/// does, or if the function and the values would be longer than `most`, in statements and parts of expressions.
pub(crate) fn inlined(func: &PrimFunc, most: usize) -> Option<PrimFunc> {
    let Kept { opaque, named } = kept(func, &MemoryVersions::new(func), false);
    let (mut length, mut lengths, mut stays) = (0_usize, HashMap::new(), false);
    let mut look = |stmt: &Stmt| {
        let mut own = 1_usize;
        stmt.for_each_expr(|e| {
            e.walk(&mut |e| {
                let of_value = e.as_var().and_then(|v| lengths.get(&v)).copied();
                own = own.saturating_add(of_value.unwrap_or(1));
            });
        });
        length = length.saturating_add(own);
        if let StmtKind::Bind { var, .. } = stmt.kind {
            stays |= opaque.contains(&var) || named.as_ref().is_none_or(|names| names.contains(&var));
            // A variable has one value.
            stays |= lengths.insert(var, own).is_some();
        }
    };
    func.body.iter().for_each(|stmt| stmt.walk(&mut look));
    if stays || length > most {
        return None;
    }
    let mut result = func.clone();
    inline(&mut result.body, &|_| true);
    Some(result)
}

/// Takes the `Bind` statements out whose variables `goes` names, and puts their values in place of these.
pub(crate) fn inline(block: &mut Block, goes: &impl Fn(VarId) -> bool) {
    inline_with(block, goes, &mut HashMap::new());
}

fn inline_with(block: &mut Block, goes: &impl Fn(VarId) -> bool, values: &mut HashMap<VarId, Expr>) {
    block.retain_mut(|stmt| {
        stmt.for_each_expr_mut(|e| e.substitute(&|v| values.get(&v)));
        stmt.for_each_block_mut(|inner| inline_with(inner, goes, values));
        match &mut stmt.kind {
            StmtKind::Bind { var, value } if goes(*var) => {
                values.insert(*var, std::mem::replace(value, Expr::bool(false)));
                false
            }
            _ => true,
        }
    });
}

/// The variables of bindings in a block. They may not be in scope where a value of them is known.
pub(crate) fn bound(body: &Block) -> Vec<VarId> {
    let mut vars = Vec::new();
    for stmt in body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Bind { var, .. } = stmt.kind {
                vars.push(var);
            }
        });
    }
    vars
}

/// Whether any statement binds.
pub(crate) fn has_bind(block: &Block) -> bool {
    let mut found = false;
    let mut look = |stmt: &Stmt| found |= matches!(stmt.kind, StmtKind::Bind { .. });
    block.iter().for_each(|stmt| stmt.walk(&mut look));
    found
}

/// Whether the value of a `Bind` is no plain value, has an effect or defines variables.
fn is_opaque(value: &Expr) -> bool {
    let mut defines = false;
    value.walk(&mut |e| defines |= matches!(e.kind, ExprKind::Let(..)));
    defines || value.has_effect() || value.dtype == DType::HANDLE || value.dtype == DType::VOID
}

struct Finder {
    memory: MemoryVersions,
    /// What the values of variables read, and what was there.
    reads: HashMap<VarId, Vec<(BufferId, Option<Version>)>>,
    kept: HashSet<VarId>,
}

impl Finder {
    /// The variables whose values are no plain values, or may be others where they are used.
    fn of(func: &PrimFunc, memory: MemoryVersions) -> HashSet<VarId> {
        let mut finder = Finder { memory, reads: HashMap::new(), kept: HashSet::new() };
        finder.block(&func.body);
        finder.kept
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.memory.head(stmt);
            stmt.for_each_expr(|e| self.uses(e));
            if let StmtKind::Bind { var, value } = &stmt.kind {
                self.bind(*var, value);
            }
            stmt.for_each_block(|b| {
                self.memory.enter_block(stmt);
                self.block(b);
                self.memory.leave_block();
            });
            self.memory.after(stmt);
        }
    }

    /// Keeps the variables of an expression whose values may be others if they were read here.
    fn uses(&mut self, e: &Expr) {
        let Finder { memory, reads, kept, .. } = self;
        e.walk(&mut |e| {
            if let ExprKind::Var(v) = e.kind
                && let Some(reads) = reads.get(&v)
                && reads.iter().any(|&(buffer, version)| memory.version(buffer) != version)
            {
                kept.insert(v);
            }
        });
    }

    fn bind(&mut self, var: VarId, value: &Expr) {
        if is_opaque(value) {
            self.kept.insert(var);
            return;
        }
        let mut reads = Vec::new();
        value.walk(&mut |e| match e.kind {
            ExprKind::Load { buffer, .. } => reads.push((buffer, self.memory.version(buffer))),
            ExprKind::Var(v) if !self.kept.contains(&v) => {
                reads.extend(self.reads.get(&v).into_iter().flatten().copied());
            }
            _ => {}
        });
        reads.sort_unstable();
        reads.dedup();
        if reads.iter().any(|(_, version)| version.is_none()) {
            self.kept.insert(var);
        } else if !reads.is_empty() {
            self.reads.insert(var, reads);
        }
    }
}

/// Calls `f` on the variables of all expressions that describe something and are not evaluated.
fn described(func: &PrimFunc, f: &mut impl FnMut(VarId)) {
    func.attrs.iter().for_each(|(_, value)| of_value(value, f));
    func.buffers.iter().for_each(|buffer| of_buffer(buffer, f));
    of_block(&func.body, f);
}

fn of_expr(e: &Expr, f: &mut impl FnMut(VarId)) {
    e.walk(&mut |e| {
        if let ExprKind::Var(v) = e.kind {
            f(v);
        }
    });
}

fn of_value(value: &AttrValue, f: &mut impl FnMut(VarId)) {
    match value {
        AttrValue::Expr(e) => of_expr(e, f),
        AttrValue::List(values) => values.iter().for_each(|v| of_value(v, f)),
        AttrValue::Dict(entries) => entries.iter().for_each(|(_, v)| of_value(v, f)),
        AttrValue::Call(_, args, kwargs) => {
            args.iter().chain(kwargs.iter().map(|(_, v)| v)).for_each(|v| of_value(v, f));
        }
        AttrValue::None
        | AttrValue::Bool(_)
        | AttrValue::Int(_)
        | AttrValue::Float(_)
        | AttrValue::Str(_)
        | AttrValue::Type(_) => {}
    }
}

fn of_buffer(buffer: &Buffer, f: &mut impl FnMut(VarId)) {
    buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset).for_each(|e| of_expr(e, f));
    buffer.extra.iter().for_each(|(_, value)| of_value(value, f));
    match &buffer.origin {
        Origin::Pointer(pointer) => of_expr(pointer, f),
        Origin::Match(handle) => f(*handle),
        Origin::Param | Origin::Alloc | Origin::View(_) | Origin::Region(_) | Origin::Unbound => {}
    }
}

fn of_block(block: &Block, f: &mut impl FnMut(VarId)) {
    block.iter().for_each(|stmt| stmt.walk(&mut |s| of_stmt(s, f)));
}

fn of_stmt(stmt: &Stmt, f: &mut impl FnMut(VarId)) {
    match &stmt.kind {
        StmtKind::For(l) => l.annotations.iter().for_each(|(_, value)| of_value(value, f)),
        StmtKind::Alloc { annotations, .. } => annotations.iter().for_each(|(_, value)| of_value(value, f)),
        StmtKind::Attr { node, .. } => match node {
            AttrNode::Value(value) => of_value(value, f),
            AttrNode::Var(v) => f(*v),
            AttrNode::Buffer(_) => {}
            AttrNode::CommReducer(r) => r.result.iter().chain(&r.identity).for_each(|e| of_expr(e, f)),
            AttrNode::IterVar { dom, .. } => {
                dom.iter().for_each(|(min, extent)| [min, extent].into_iter().for_each(|e| of_expr(e, f)));
            }
        },
        StmtKind::SBlock(block) => of_sblock(block, f),
        StmtKind::Bind { .. }
        | StmtKind::Store { .. }
        | StmtKind::Evaluate(_)
        | StmtKind::While { .. }
        | StmtKind::If { .. }
        | StmtKind::Assert { .. }
        | StmtKind::LaunchThread { .. }
        | StmtKind::Decl { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => {}
    }
}

fn of_sblock(block: &SBlock, f: &mut impl FnMut(VarId)) {
    block.attrs.iter().for_each(|(_, value)| of_value(value, f));
    block.axes.iter().flat_map(|a| [&a.min, &a.extent]).for_each(|e| of_expr(e, f));
    let matched = block.match_buffers.iter().map(|(_, region)| region);
    let regions = block.reads.iter().chain(&block.writes).flatten().chain(matched);
    regions.for_each(|region: &BufferRegion| {
        region
            .ranges
            .iter()
            .flat_map(|(min, extent)| std::iter::once(min).chain(extent))
            .for_each(|e| of_expr(e, f));
    });
}
