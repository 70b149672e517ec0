//! First half of the analysis: numbers every expression of a function, and records where each is used, what it
//! may do, and where its evaluation is certain.

use hashbrown::HashMap;
use smallvec::SmallVec;

use super::facts;
use super::options::SyntacticOptions;
use crate::analysis::effects::{self, Role};
use crate::analysis::lanes::Lanes;
use crate::analysis::magnitude::Magnitudes;
use crate::analysis::memory::MemoryVersions;
use crate::cost::{Frequency, LazyArms, Places, Weight, lazy_arms, weight_of};
use crate::cse::pool::{ClassId, LoadTag, Pool};
use crate::ir::{AttrNode, BufferId, Expr, ExprKind, Kind, PrimFunc, Stmt, StmtKind, VarId};

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
    /// What may be bound in it.
    pub(super) lanes: Lanes,
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
    /// What has to be known so that evaluating it does not trap; ascending.
    pub(super) needs: Box<[Need]>,
    /// Whether two evaluations are sure to give one value, and it can be evaluated before the statement.
    pub(super) shareable: bool,
    /// Whether it may be given a variable.
    pub(super) bindable: bool,
    /// Whether it is a truth value, or one as a number.
    pub(super) truth: bool,
    /// How often it stands in the text.
    pub(super) count: u64,
    /// What evaluating the operation at its root without a trap shows.
    shows: SmallVec<[Need; 2]>,
    /// Whether control may not come back from the operation at its root.
    leaves: bool,
}

/// A condition under which an expression can be evaluated. It holds for good once it held: the values of shareable
/// expressions do not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Need {
    /// The integer is not zero.
    NonZero(ClassId),
    /// The expression has a defined value.
    Defined(ClassId),
    /// The variable is in scope. Asked only of block axes: the two blocks of a `T.sblock` with `T.init()` see them,
    /// the block around both does not. All other variables are in scope around any two of their uses.
    InScope(VarId),
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
    /// Positions in a block that are sure to show a need; ascending. See [`head_position`].
    pub(super) shown: HashMap<(Need, u32), Vec<u32>>,
}

impl Scan {
    pub(super) fn new<'o>(func: &'o PrimFunc, options: &'o SyntacticOptions) -> Scan {
        let mut scanner = Scanner {
            out: Scan {
                pool: Pool::new(),
                classes: Vec::new(),
                blocks: Vec::new(),
                roots: Vec::new(),
                ids: Vec::new(),
                existing: Vec::new(),
                shown: HashMap::new(),
            },
            func,
            options,
            places: Places::new(func, &options.profile, &options.bindings),
            magnitudes: Magnitudes::new(func),
            memory: options.loads.then(|| MemoryVersions::new(func)),
            in_sblock: vec![false; func.buffers.len()],
            local: vec![false; func.vars.len()],
            axes: vec![false; func.vars.len()],
            operands: Vec::new(),
            seq: 0,
        };
        let root = Use { block: 0, index: 0, seq: 0, frequency: Frequency::ONE };
        scanner.block(&func.body, root, 0, Lanes::None);
        scanner.out
    }
}

/// The position in a block of what holds wherever the block runs.
const ENTRY: u32 = 0;

/// The position in its block of what statement `index` evaluates before its blocks run.
pub(super) const fn head_position(index: u32) -> u32 {
    2 * index + 1
}

/// The position in its block of what the blocks of statement `index` evaluate.
const fn body_position(index: u32) -> u32 {
    2 * index + 2
}

/// The index of the statement of a position in it.
pub(super) const fn index_of(position: u32) -> u32 {
    (position - 1) / 2
}

/// Whether the expressions at the head of a statement may be rewritten. The value of an attribute belongs to who
/// reads the attribute.
pub(super) fn rewrites_head(stmt: &Stmt) -> bool {
    !matches!(stmt.kind, StmtKind::Attr { .. })
}

struct Scanner<'o> {
    func: &'o PrimFunc,
    out: Scan,
    options: &'o SyntacticOptions,
    places: Places<'o>,
    magnitudes: Magnitudes,
    /// If loads are shared.
    memory: Option<MemoryVersions>,
    /// Buffers that a block defines, by [`BufferId`]: its two parts see them, what is around both does not.
    in_sblock: Vec<bool>,
    /// Variables that an expression defines, by [`VarId`].
    local: Vec<bool>,
    /// Variables that are block axes, by [`VarId`].
    axes: Vec<bool>,
    operands: Vec<ClassId>,
    seq: u32,
}

/// What evaluating a statement or block is sure to do.
#[derive(Default)]
struct Certain {
    /// What its end shows, whichever way it takes.
    shown: Vec<Need>,
    /// Whether control may not arrive at its end.
    leaves: bool,
}

impl Scanner<'_> {
    fn block(&mut self, stmts: &[Stmt], at: Use, depth: u32, lanes: Lanes) -> Certain {
        let id = self.out.blocks.len() as u32;
        self.out.blocks.push(BlockInfo {
            parent: at.block,
            parent_index: at.index,
            depth,
            frequency: at.frequency,
            lanes,
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
            let (head, inner) = self.stmt(stmt, at, depth);
            for (position, certain) in [(head_position(at.index), &head), (body_position(at.index), &inner)] {
                for &need in &certain.shown {
                    self.show(need, id, position);
                }
            }
            if leaves == 0 {
                on_entry.shown.extend(head.shown);
                on_entry.shown.extend(inner.shown);
            }
            leaves += u32::from(head.leaves || inner.leaves);
        }
        on_entry.shown.sort_unstable();
        on_entry.shown.dedup();
        on_entry.leaves = leaves > 0;
        let block = &mut self.out.blocks[id as usize];
        block.leaves_before = leaves_before;
        block.seqs = seqs;
        block.end_seq = self.seq;
        on_entry
    }

    /// What the head of the statement is sure to do, and then its blocks and itself.
    fn stmt(&mut self, stmt: &Stmt, at: Use, depth: u32) -> (Certain, Certain) {
        self.places.enter(stmt);
        if let Some(memory) = &mut self.memory {
            memory.head(stmt);
        }
        let mut head = Certain::default();
        if rewrites_head(stmt) {
            let frequency = at.frequency * self.places.head_count(stmt);
            let mut root = None;
            stmt.for_each_expr(|e| {
                let id = self.expr(e, Role::Value, false, &mut head);
                self.out.roots.push((id, Use { frequency, ..at }));
                root = Some(id);
            });
            if let (StmtKind::Bind { .. }, Some(class)) = (&stmt.kind, root) {
                self.out.existing.push(Existing { class, block: at.block, index: at.index });
            }
        } else {
            stmt.for_each_expr(|e| head.leaves |= effects::ExprEffect::of(e).any.may_leave);
        }
        match &stmt.kind {
            StmtKind::Alloc { buffer, .. } => self.shape(*buffer, at, &mut head),
            StmtKind::Decl { buffer } => self.shape(*buffer, at, &mut Certain::default()),
            StmtKind::Bind { .. }
            | StmtKind::Store { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::For(_)
            | StmtKind::While { .. }
            | StmtKind::If { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Attr { .. }
            | StmtKind::LaunchThread { .. }
            | StmtKind::SBlock(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => {}
        }
        if let StmtKind::SBlock(sblock) = &stmt.kind {
            sblock.axes.iter().for_each(|axis| self.axes[axis.var.index()] = true);
            let matched = sblock.match_buffers.iter().map(|(b, _)| b);
            sblock.alloc_buffers.iter().chain(matched).for_each(|b| self.in_sblock[b.index()] = true);
        }
        let counts = self.places.block_counts(stmt);
        let mut blocks: Vec<Certain> = Vec::new();
        let lanes = self.out.blocks[at.block as usize].lanes.within(stmt);
        stmt.for_each_block(|b| {
            let frequency = at.frequency * counts[blocks.len()];
            if let StmtKind::SBlock(sblock) = &stmt.kind {
                let inner = self.out.blocks.len() as u32;
                sblock.axes.iter().for_each(|axis| self.show(Need::InScope(axis.var), inner, ENTRY));
            }
            for factor in facts::non_zero_in_block(stmt, blocks.len()) {
                self.assume_non_zero(factor, self.out.blocks.len() as u32, ENTRY);
            }
            if let Some(memory) = &mut self.memory {
                memory.enter_block(stmt);
            }
            blocks.push(self.block(b, Use { frequency, ..at }, depth + 1, lanes));
            if let Some(memory) = &mut self.memory {
                memory.leave_block();
            }
        });
        if let Some(memory) = &mut self.memory {
            memory.after(stmt);
        }
        for factor in facts::non_zero_after(stmt) {
            self.assume_non_zero(factor, at.block, head_position(at.index + 1));
        }
        let leaves = leaves_by_itself(stmt) || blocks.iter().any(|c| c.leaves);
        let shown = if head.leaves { Vec::new() } else { shown_by_blocks(stmt, blocks) };
        (head, Certain { shown, leaves })
    }

    /// Notes that an expression is not zero from a position of a block on. Of interest only if the program holds it.
    fn assume_non_zero(&mut self, e: &Expr, block: u32, position: u32) {
        let ids = self.out.ids.len();
        let id = self.expr(e, Role::Value, true, &mut Certain::default());
        for id in self.out.ids.drain(ids..) {
            self.out.classes[id.index()].count -= 1;
        }
        if self.out.classes[id.index()].shareable {
            self.show(Need::NonZero(id), block, position);
        }
    }

    fn show(&mut self, need: Need, block: u32, position: u32) {
        let positions = self.out.shown.entry((need, block)).or_default();
        if let Err(i) = positions.binary_search(&position) {
            positions.insert(i, position);
        }
    }

    /// Records the shape of a buffer at its definition. The cost model does not count it, and it is left as it is;
    /// but a binding before it serves what follows.
    fn shape(&mut self, buffer: BufferId, at: Use, head: &mut Certain) {
        let position = self.out.ids.len();
        for e in &self.func.buffer(buffer).shape {
            let id = self.expr(e, Role::Value, false, head);
            self.out.roots.push((id, Use { frequency: Frequency::ZERO, ..at }));
        }
        for id in self.out.ids.drain(position..) {
            self.out.classes[id.index()].count -= 1;
        }
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
        let tag = match e.kind {
            _ if role == Role::Place => LoadTag::PLACE,
            ExprKind::Load { buffer, .. } => self.load_tag(buffer),
            _ => LoadTag::ANY,
        };
        let (id, new) = self.out.pool.intern(e, &self.operands[base..], tag);
        if new {
            let info = self.describe(e, id, base, tag);
            self.out.classes.push(info);
        }
        self.operands.truncate(base);
        self.out.ids[slot] = id;
        let info = &mut self.out.classes[id.index()];
        info.count += 1;
        if !lazy && !certain.leaves {
            certain.shown.extend(&info.shows);
        }
        certain.leaves |= info.leaves;
        id
    }

    /// The memory version of a load in the head of the current statement, if it may be shared.
    fn load_tag(&self, buffer: BufferId) -> LoadTag {
        let Some(memory) = &self.memory else { return LoadTag::ANY };
        match memory.version(buffer) {
            Some(version) if memory.birth(version).is_some() && !self.in_sblock[buffer.index()] => {
                LoadTag(version.0)
            }
            Some(_) | None => LoadTag::ANY,
        }
    }

    /// Describes a class at its first occurrence; its operands are on the stack from `base`.
    fn describe(&self, e: &Expr, id: ClassId, base: usize, tag: LoadTag) -> ClassInfo {
        let effect = effects::node_effect(e);
        let own = match &e.kind {
            ExprKind::Var(v) => !self.local.get(v.index()).copied().unwrap_or(true),
            ExprKind::Load { .. } => tag != LoadTag::ANY && tag != LoadTag::PLACE,
            ExprKind::Call(_) => self.options.pure_calls && effect.is_pure(),
            ExprKind::Let(..)
            | ExprKind::Str(_)
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
        let trap = effect.may_trap.then(|| match (&e.kind, operands) {
            (ExprKind::Binary(op, ..), &[_, divisor]) if op.is_division() => Need::NonZero(divisor),
            _ => Need::Defined(id),
        });
        let overflow = self.magnitudes.may_overflow(e).then_some(Need::Defined(id));
        let shows: SmallVec<[Need; 2]> = trap.into_iter().chain(overflow).collect();
        let mut needs: Vec<Need> = Vec::new();
        if shareable {
            needs.extend(operands.iter().flat_map(|o| part(o).needs.iter()));
            needs.extend(&shows);
            if let ExprKind::Var(v) = e.kind
                && self.axes[v.index()]
            {
                needs.push(Need::InScope(v));
            }
            needs.sort_unstable();
            needs.dedup();
        }
        let needs = needs.into_boxed_slice();
        ClassInfo {
            weight,
            arms: lazy_arms(&self.options.profile, e),
            needs,
            shows: if shareable { shows } else { SmallVec::new() },
            shareable,
            bindable: shareable && value && weight > Weight::ZERO,
            truth: e.dtype.is_bool() || matches!(&e.kind, ExprKind::Cast(of) if of.dtype.is_bool()),
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

/// What the blocks of a statement are sure to show when the statement runs.
fn shown_by_blocks(stmt: &Stmt, mut blocks: Vec<Certain>) -> Vec<Need> {
    let positive = |e: &Expr| e.as_int().is_some_and(|n| n > 0);
    let runs = match &stmt.kind {
        StmtKind::For(f) => positive(&f.extent) && f.step.as_ref().is_none_or(positive),
        StmtKind::LaunchThread { extent, .. } => positive(extent),
        StmtKind::Attr { node: AttrNode::IterVar { .. }, value, .. } => positive(value),
        StmtKind::Attr { .. } => true,
        StmtKind::SBlock(b) => b.predicate.is_none() && !(b.init.is_some() && blocks[0].leaves),
        StmtKind::If { .. } => {
            let otherwise = blocks.pop().unwrap_or_default();
            let then = blocks.pop().unwrap_or_default();
            return then.shown.into_iter().filter(|n| otherwise.shown.binary_search(n).is_ok()).collect();
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
    if runs { blocks.pop().unwrap_or_default().shown } else { Vec::new() }
}
