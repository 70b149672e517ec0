//! First half of the analysis: numbers every expression of a function, and records where each is used, what it
//! may do, and where its evaluation is certain.

use hashbrown::HashMap;

use super::SyntacticOptions;
use crate::analysis::effects::{self, Role};
use crate::cost::{Frequency, LazyArms, Places, Weight, lazy_arms, weight_of};
use crate::cse::pool::{ClassId, LoadTag, Pool};
use crate::ir::{AttrNode, Expr, ExprKind, Kind, PrimFunc, Stmt, StmtKind};

/// A block of the function: a node of the scope tree.
#[derive(Clone, Debug)]
pub(super) struct BlockInfo {
    /// The block around it; itself for the function's body.
    pub(super) parent: u32,
    /// Index in the parent of the statement that this block belongs to.
    pub(super) parent_index: u32,
    /// Distance from the function's body.
    pub(super) depth: u32,
    /// How often it runs.
    pub(super) frequency: Frequency,
    /// Its statements, nested ones included, have sequence numbers below this (and above those before it).
    pub(super) end_seq: u32,
    /// For each index, how many of the statements before it may leave the block.
    pub(super) leaves_before: Vec<u32>,
    /// The sequence number of each statement.
    pub(super) seqs: Vec<u32>,
}

/// A place where a value is wanted: before or in statement `index` of `block`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) block: u32,
    pub(super) index: u32,
    /// Sequence number of the statement in the order of the text.
    pub(super) seq: u32,
    /// How often it is wanted.
    pub(super) frequency: Frequency,
}

/// What is known of a distinct expression.
#[derive(Clone, Debug)]
pub(super) struct ClassInfo {
    /// Weight of the operation at its root.
    pub(super) weight: Weight,
    /// Which operands are evaluated lazily.
    pub(super) arms: LazyArms,
    /// Whether evaluating it may trap.
    pub(super) traps: bool,
    /// Whether two evaluations are sure to give one value, and it can be evaluated before the statement.
    pub(super) shareable: bool,
    /// Whether it may be given a variable.
    pub(super) bindable: bool,
    /// How often it stands in the text.
    pub(super) count: u64,
    /// Whether control may not come back from the operation at its root.
    leaves: bool,
}

/// A binding that stands in the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Existing {
    pub(super) class: ClassId,
    pub(super) block: u32,
    pub(super) index: u32,
}

/// What the scan found.
pub(super) struct Scan {
    pub(super) pool: Pool,
    /// By [`ClassId`].
    pub(super) classes: Vec<ClassInfo>,
    /// In the order in which a walk meets them.
    pub(super) blocks: Vec<BlockInfo>,
    /// Whole expressions of statements.
    pub(super) roots: Vec<(ClassId, Use)>,
    /// The class of every expression node, in the order of the text, parents first.
    pub(super) ids: Vec<ClassId>,
    pub(super) existing: Vec<Existing>,
    /// Statements of a block whose evaluation is certain to evaluate a class that may trap, in ascending order.
    pub(super) certain: HashMap<(ClassId, u32), Vec<u32>>,
}

impl Scan {
    pub(super) fn new(func: &PrimFunc, options: &SyntacticOptions) -> Scan {
        let mut scanner = Scanner {
            out: Scan {
                pool: Pool::new(),
                classes: Vec::new(),
                blocks: Vec::new(),
                roots: Vec::new(),
                ids: Vec::new(),
                existing: Vec::new(),
                certain: HashMap::new(),
            },
            options,
            places: Places::new(func, &options.profile, &options.bindings),
            local: vec![false; func.vars.len()],
            operands: Vec::new(),
            seq: 0,
        };
        let root = Use { block: 0, index: 0, seq: 0, frequency: Frequency::ONE };
        scanner.block(&func.body, root, 0);
        scanner.out
    }
}

/// Whether the expressions at the head of a statement may be rewritten. The value of an attribute belongs to who
/// reads the attribute.
pub(super) fn rewrites_head(stmt: &Stmt) -> bool {
    !matches!(stmt.kind, StmtKind::Attr { .. })
}

struct Scanner<'o> {
    out: Scan,
    options: &'o SyntacticOptions,
    places: Places<'o>,
    /// Variables that an expression defines, by [`VarId`].
    local: Vec<bool>,
    operands: Vec<ClassId>,
    seq: u32,
}

/// What evaluating a statement or block is sure to do.
#[derive(Default)]
struct Certain {
    /// Classes that may trap and are evaluated in any case.
    classes: Vec<ClassId>,
    /// Whether control may not arrive at its end.
    leaves: bool,
}

impl Scanner<'_> {
    fn block(&mut self, stmts: &[Stmt], at: Use, depth: u32) -> Certain {
        let id = self.out.blocks.len() as u32;
        self.out.blocks.push(BlockInfo {
            parent: at.block,
            parent_index: at.index,
            depth,
            frequency: at.frequency,
            end_seq: 0,
            leaves_before: Vec::new(),
            seqs: Vec::new(),
        });
        let mut leaves_before = Vec::with_capacity(stmts.len());
        let mut seqs = Vec::with_capacity(stmts.len());
        let mut leaves = 0;
        let mut on_entry = Certain::default();
        for (index, stmt) in stmts.iter().enumerate() {
            leaves_before.push(leaves);
            let at = Use { block: id, index: index as u32, seq: self.seq, frequency: at.frequency };
            seqs.push(self.seq);
            self.seq += 1;
            let certain = self.stmt(stmt, at, depth);
            for &class in &certain.classes {
                let places = self.out.certain.entry((class, id)).or_default();
                if places.last() != Some(&at.index) {
                    places.push(at.index);
                }
            }
            if leaves == 0 {
                on_entry.classes.extend(certain.classes);
            }
            leaves += u32::from(certain.leaves);
        }
        on_entry.classes.sort_unstable();
        on_entry.classes.dedup();
        on_entry.leaves = leaves > 0;
        let block = &mut self.out.blocks[id as usize];
        block.leaves_before = leaves_before;
        block.seqs = seqs;
        block.end_seq = self.seq;
        on_entry
    }

    fn stmt(&mut self, stmt: &Stmt, at: Use, depth: u32) -> Certain {
        self.places.enter(stmt);
        let mut certain = Certain::default();
        if rewrites_head(stmt) {
            let frequency = at.frequency * self.places.head_count(stmt);
            let mut root = None;
            stmt.for_each_expr(|e| {
                let id = self.expr(e, Role::Value, false, &mut certain);
                self.out.roots.push((id, Use { frequency, ..at }));
                root = Some(id);
            });
            if let (StmtKind::Bind { .. }, Some(class)) = (&stmt.kind, root) {
                self.out.existing.push(Existing { class, block: at.block, index: at.index });
            }
        } else {
            stmt.for_each_expr(|e| certain.leaves |= effects::ExprEffect::of(e).any.may_leave);
        }
        let counts = self.places.block_counts(stmt);
        let mut inner: Vec<Certain> = Vec::new();
        stmt.for_each_block(|b| {
            let frequency = at.frequency * counts[inner.len()];
            inner.push(self.block(b, Use { frequency, ..at }, depth + 1));
        });
        let head_returns = !certain.leaves;
        certain.leaves |= leaves_by_itself(stmt) || inner.iter().any(|c| c.leaves);
        if head_returns {
            certain.classes.extend(certain_of_blocks(stmt, inner));
        }
        certain
    }

    fn expr(&mut self, e: &Expr, role: Role, lazy: bool, certain: &mut Certain) -> ClassId {
        let slot = self.out.ids.len();
        self.out.ids.push(ClassId(0));
        if let ExprKind::Let(var, ..) = e.kind
            && let Some(local) = self.local.get_mut(var.index())
        {
            *local = true;
        }
        let base = self.operands.len();
        let mut index = 0;
        e.for_each_child(|c| {
            let role = effects::role(e, index, c);
            let id = self.expr(c, role, lazy || role == Role::Lazy, certain);
            self.operands.push(id);
            index += 1;
        });
        let tag = if role == Role::Place { LoadTag::PLACE } else { LoadTag::ANY };
        let (id, new) = self.out.pool.intern(e, &self.operands[base..], tag);
        if new {
            let info = self.describe(e, base);
            self.out.classes.push(info);
        }
        self.operands.truncate(base);
        self.out.ids[slot] = id;
        let info = &mut self.out.classes[id.index()];
        info.count += 1;
        if info.traps && info.bindable && !lazy && !certain.leaves {
            certain.classes.push(id);
        }
        certain.leaves |= info.leaves;
        id
    }

    /// Describes a class at its first occurrence; its operands are on the stack from `base`.
    fn describe(&self, e: &Expr, base: usize) -> ClassInfo {
        let effect = effects::node_effect(e);
        let own = match &e.kind {
            ExprKind::Var(v) => !self.local.get(v.index()).copied().unwrap_or(true),
            ExprKind::Call(_) => self.options.pure_calls && effect.is_pure(),
            ExprKind::Let(..)
            | ExprKind::Str(_)
            | ExprKind::Load { .. }
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_)
            | ExprKind::Region(..)
            | ExprKind::Tuple(_) => false,
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Binary(..)
            | ExprKind::Not(_)
            | ExprKind::Cast(_)
            | ExprKind::Select(..)
            | ExprKind::Ramp(..)
            | ExprKind::Broadcast(_)
            | ExprKind::Shuffle(..) => true,
        };
        let operands = &self.operands[base..];
        let part = |o: &ClassId| &self.out.classes[o.index()];
        let shareable = own && operands.iter().all(|o| part(o).shareable);
        let weight = weight_of(&self.options.profile, e);
        let value = match e.dtype.kind {
            Kind::Bool => self.options.bools,
            Kind::Handle | Kind::Void => false,
            Kind::Int | Kind::UInt | Kind::Float | Kind::BFloat | Kind::Narrow(_) => true,
        };
        ClassInfo {
            weight,
            arms: lazy_arms(&self.options.profile, e),
            traps: effect.may_trap || operands.iter().any(|o| part(o).traps),
            shareable,
            bindable: shareable && value && weight > Weight::ZERO,
            count: 0,
            leaves: effect.may_leave,
        }
    }
}

/// Whether the statement itself, apart from its expressions and blocks, may keep control from going on.
fn leaves_by_itself(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::While { .. }
        | StmtKind::Assert { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => true,
        StmtKind::Bind { .. }
        | StmtKind::Store { .. }
        | StmtKind::Evaluate(_)
        | StmtKind::For(_)
        | StmtKind::If { .. }
        | StmtKind::Attr { .. }
        | StmtKind::LaunchThread { .. }
        | StmtKind::Alloc { .. }
        | StmtKind::Decl { .. }
        | StmtKind::SBlock(_) => false,
    }
}

/// What the blocks of a statement are sure to evaluate when the statement runs.
fn certain_of_blocks(stmt: &Stmt, mut inner: Vec<Certain>) -> Vec<ClassId> {
    let positive = |e: &Expr| e.as_int().is_some_and(|n| n > 0);
    let runs = match &stmt.kind {
        StmtKind::For(f) => positive(&f.extent) && f.step.as_ref().is_none_or(positive),
        StmtKind::LaunchThread { extent, .. } => positive(extent),
        StmtKind::Attr { node: AttrNode::IterVar { .. }, value, .. } => positive(value),
        StmtKind::Attr { .. } => true,
        StmtKind::SBlock(b) => {
            // The initial part runs on some iterations only.
            if b.init.is_some() {
                let init = inner.remove(0);
                if init.leaves {
                    return Vec::new();
                }
            }
            b.predicate.is_none()
        }
        StmtKind::If { .. } => {
            let Some(otherwise) = inner.pop() else { return Vec::new() };
            let then = inner.pop().map(|c| c.classes).unwrap_or_default();
            return then.into_iter().filter(|c| otherwise.classes.binary_search(c).is_ok()).collect();
        }
        StmtKind::While { .. }
        | StmtKind::Bind { .. }
        | StmtKind::Store { .. }
        | StmtKind::Evaluate(_)
        | StmtKind::Assert { .. }
        | StmtKind::Alloc { .. }
        | StmtKind::Decl { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => false,
    };
    if runs { inner.pop().map(|c| c.classes).unwrap_or_default() } else { Vec::new() }
}
