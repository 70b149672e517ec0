//! From nests back to statements: blocks with axes, or a block around the loops of merged reductions.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::decided::Decided;
use super::items::{Item, Storage};
use super::keys::Values;
use super::nest::{Content, Member, Nest};
use super::plan::Plan;
use super::stored::Size;
use super::term::{Node, Term};
use super::tile::Tile;
use crate::ir::{
    AttrValue, Axis, AxisKind, BinOp, Block, Buffer, BufferId, BufferRegion, Expr, ExprKind, For, ForKind,
    Origin, PrimFunc, SBlock, Stmt, StmtKind, Type, VarId,
};

/// A buffer, and the axis of each of its dimensions.
pub(crate) type Home = (BufferId, Vec<Option<u32>>);

/// The statements of a plan, in blocks with axes or as plain loops. `places` says where some items are; other buffers that it
/// needs are made and added to `made`.
pub(crate) fn lower(
    func: &mut PrimFunc,
    values: &Values,
    items: &[Item],
    plan: &Plan,
    places: &HashMap<usize, Home>,
    blocks: bool,
    made: &mut Vec<BufferId>,
) -> Block {
    let mut homes = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if let Some(home) = places.get(&at) {
            homes.push(home.clone());
            continue;
        }
        homes.push(match &item.storage {
            Storage::Own(buffer, dims) => (*buffer, dims.clone()),
            Storage::New if plan.kept[at] => {
                let buffer = new_buffer(func, values, item, "cse_t", Origin::Alloc);
                made.push(buffer);
                (buffer, (0..item.kept as u32).map(Some).collect())
            }
            Storage::New => (BufferId(u32::MAX), Vec::new()),
        });
    }
    let mut block = Block::new();
    for slot in &plan.slots {
        let mut lowering = Lowering {
            func,
            values,
            items,
            homes: &homes,
            nest: &slot.nest,
            content: &slot.content,
            blocks,
            vars: Vec::new(),
            decided: Decided::default(),
            bound: HashMap::new(),
        };
        block.append(&mut lowering.nest());
    }
    block
}

/// A new buffer for an item, with its axes as dimensions, whose name begins like this.
pub(crate) fn new_buffer(
    func: &mut PrimFunc,
    values: &Values,
    item: &Item,
    prefix: &str,
    origin: Origin,
) -> BufferId {
    let vars = func.vars.iter().map(|var| var.name.clone());
    let taken: HashSet<Arc<str>> =
        func.buffers.iter().map(|buffer| buffer.name.clone()).chain(vars).collect();
    let name =
        (1..).map(|number: u32| Arc::from(format!("{prefix}{number}"))).find(|name| !taken.contains(name));
    let dtype =
        item.folding(values).map_or_else(|| values.terms.dtype(item.term), |folding| folding.init.dtype);
    func.new_buffer(Buffer {
        name: name.unwrap_or_else(|| prefix.into()),
        dtype,
        shape: item.axes[..item.kept].iter().map(|size| size.extent.clone()).collect(),
        strides: Vec::new(),
        elem_offset: None,
        scope: "global".into(),
        extra: Vec::new(),
        origin,
    })
}

struct Lowering<'a> {
    func: &'a mut PrimFunc,
    values: &'a Values,
    items: &'a [Item],
    homes: &'a [(BufferId, Vec<Option<u32>>)],
    nest: &'a Nest,
    content: &'a Content,
    blocks: bool,
    /// What stands for each loop in the body.
    vars: Vec<Expr>,
    decided: Decided,
    bound: HashMap<Term, Expr>,
}

impl Lowering<'_> {
    fn nest(&mut self) -> Block {
        let (nest, content) = (self.nest, self.content);
        let depth = nest.loops.len();
        let single = content.single && self.blocks;
        let outer = match self.blocks {
            true if single => depth,
            true => content.outer,
            false => 0,
        };
        let mut axes = Vec::new();
        let mut loops = Vec::new();
        for (at, size) in nest.loops.iter().enumerate() {
            let var = self.var(&format!("i{at}"), size);
            let one = || Size { extent: Expr::int(1, size.extent.dtype), ..size.clone() };
            let run = content
                .tile
                .at(at)
                .map_or_else(|| size.clone(), |steps| steps.rest(size).unwrap_or_else(one));
            loops.push((var, run.clone()));
            if at >= outer {
                self.vars.push(Expr::var(var, size.dtype));
                continue;
            }
            let own = self.var(&format!("v_i{at}"), size);
            let kind =
                if single && self.folds(&nest.members[0], at) { AxisKind::Reduce } else { AxisKind::Spatial };
            axes.push(Axis {
                var: own,
                min: Expr::int(0, size.dtype),
                extent: run.extent,
                kind,
                binding: Expr::var(var, size.dtype),
            });
            self.vars.push(Expr::var(own, size.dtype));
        }
        let mut binds: Vec<Block> = vec![Block::new(); depth + 1];
        let mut steps: Vec<Block> = vec![Block::new(); depth + 1];
        self.take(&content.tile, outer, &mut steps);
        let roots = content.bodies.iter().flatten().copied();
        self.decided = Decided::new(&self.values.terms, roots, &content.loads, &self.vars);
        let is_bound = |term: &Term| content.bound.contains(term) && self.decided.is_computed(*term);
        for term in content.order.iter().copied().filter(is_bound).collect::<Vec<_>>() {
            let mut value = self.expr(term);
            guard_selects(&mut value);
            let var = self.func.new_var("cse", Type::Prim(value.dtype));
            self.bound.insert(term, Expr::var(var, value.dtype));
            binds[content.level[&term]].push(Stmt::new(StmtKind::Bind { var, value }));
        }
        let mut init = None;
        let mut body = std::mem::take(&mut steps[depth]);
        body.append(&mut binds[depth]);
        for (member, own) in nest.members.iter().zip(&content.bodies) {
            if single {
                init = self.start(member, 0, 0).map(|start| vec![start]);
            } else if self.first(member) == depth {
                body.append(&mut self.starts(member, depth));
            }
            self.store(member, own, &mut body);
        }
        for at in (outer..depth).rev() {
            let mut block = std::mem::take(&mut steps[at]);
            for member in &nest.members {
                if self.first(member) == at {
                    let mut start = self.starts(member, at);
                    // Its other loops run for the start alone, if there is one.
                    let around = (at..depth).rev().filter(|&l| !start.is_empty() && !self.folds(member, l));
                    for inner in around.collect::<Vec<_>>() {
                        start = vec![self.renamed(inner, start)];
                    }
                    block.append(&mut start);
                }
            }
            block.append(&mut binds[at]);
            match content.tile.at(at).map(|steps| steps.rest(&nest.loops[at])) {
                Some(None) => block.append(&mut body),
                Some(Some(_)) | None => block.push(serial(loops[at].0, &loops[at].1, body)),
            }
            body = block;
        }
        if !self.blocks {
            return body;
        }
        let name = self.name();
        let mut block = SBlock { axes, attrs: self.attrs(), init, body, ..SBlock::new(name) };
        self.regions(&mut block);
        let mut stmt = Stmt::new(StmtKind::SBlock(Box::new(block)));
        for (var, size) in loops[..outer].iter().rev() {
            stmt = serial(*var, size, vec![stmt]);
        }
        vec![stmt]
    }

    fn name(&self) -> Arc<str> {
        let first = &self.items[self.nest.members[0].item].name;
        match self.nest.members.len() {
            1 => first.clone(),
            more => format!("{first}_merged{more}").into(),
        }
    }

    /// The annotations of all members; of two with one key that of the first.
    fn attrs(&self) -> Vec<(Arc<str>, AttrValue)> {
        let mut attrs: Vec<(Arc<str>, AttrValue)> = Vec::new();
        for (key, value) in self.nest.members.iter().flat_map(|member| &self.items[member.item].attrs) {
            if !attrs.iter().any(|(known, _)| known == key) {
                attrs.push((key.clone(), value.clone()));
            }
        }
        attrs
    }

    fn var(&mut self, name: &str, size: &Size) -> VarId {
        self.func.new_var(name, Type::Prim(size.dtype))
    }

    /// Whether the loop is one of those over which a member folds.
    fn folds(&self, member: &Member, at: usize) -> bool {
        member.loops[self.items[member.item].kept..].contains(&(at as u32))
    }

    /// The outermost loop over which a member folds.
    fn first(&self, member: &Member) -> usize {
        (0..self.nest.loops.len()).find(|&at| self.folds(member, at)).unwrap_or(self.nest.loops.len())
    }

    /// Adds what stands for loops in each of the steps that are taken at once, and binds it inside of them.
    fn take(&mut self, tile: &Tile, outer: usize, binds: &mut [Block]) {
        for steps in &tile.steps {
            let size = self.nest.loops[steps.at].clone();
            let var = self.vars[steps.at].clone();
            for step in 0..steps.count {
                let own = Expr::int(i64::from(step), size.dtype);
                if steps.rest(&size).is_none() {
                    self.vars.push(own);
                    continue;
                }
                let count = Expr::int(i64::from(steps.count), size.dtype);
                let first = Expr::binary(BinOp::Mul, var.clone(), count);
                let value = if step == 0 { first } else { Expr::binary(BinOp::Add, first, own) };
                let var = self.var(&format!("i{}", steps.at), &size);
                binds[outer.max(steps.at + 1)].push(Stmt::new(StmtKind::Bind { var, value }));
                self.vars.push(Expr::var(var, size.dtype));
            }
        }
    }

    /// Where a member's element is kept in a copy, inside of so many loops.
    fn element(&self, member: &Member, copy: u32, inside: usize) -> (BufferId, Vec<Expr>) {
        let (buffer, dims) = &self.homes[member.item];
        let shape = &self.func.buffer(*buffer).shape;
        let axis = |l: u32| match (l as usize) < inside {
            true => self.content.tile.axis(&self.nest.loops, l, copy),
            false => l,
        };
        let index = |(dim, extent): (&Option<u32>, &Expr)| match dim {
            Some(own) => self.vars[axis(member.loops[*own as usize]) as usize].clone(),
            None => Expr::int(0, extent.dtype),
        };
        (*buffer, dims.iter().zip(shape).map(index).collect())
    }

    /// What a member that folds starts from in a copy, inside of so many loops.
    fn start(&self, member: &Member, copy: u32, inside: usize) -> Option<Stmt> {
        let item = &self.items[member.item];
        let value = item.folding(self.values)?.init.clone();
        if self.content.tile.folds_all(self.nest, item, member) {
            return None;
        }
        let (buffer, indices) = self.element(member, copy, inside);
        Some(Stmt::new(StmtKind::Store { buffer, indices, value }))
    }

    /// The same for each copy that loops around make.
    fn starts(&self, member: &Member, inside: usize) -> Block {
        let tile = &self.content.tile;
        let is_first = |copy: &u32| {
            tile.steps.iter().zip(tile.places(*copy)).all(|(steps, place)| steps.at < inside || place == 0)
        };
        (0..tile.copies()).filter(is_first).filter_map(|copy| self.start(member, copy, inside)).collect()
    }

    /// Stores the values of a member in all copies: those that it folds into one element at once.
    fn store(&self, member: &Member, values: &[Term], block: &mut Block) {
        let item = &self.items[member.item];
        let folding = item.folding(self.values);
        let all = self.content.tile.folds_all(self.nest, item, member);
        let mut stores: Vec<(BufferId, Vec<Expr>, Expr)> = Vec::new();
        for (copy, &term) in values.iter().enumerate() {
            let (buffer, indices) = self.element(member, copy as u32, self.nest.loops.len());
            let value = self.expr(term);
            let Some(folding) = folding else {
                stores.push((buffer, indices, value));
                continue;
            };
            let fold = |old: Expr, value: Expr| {
                let (left, right) = if folding.left { (old, value) } else { (value, old) };
                Expr::binary(folding.op, left, right)
            };
            match stores.iter_mut().find(|(_, known, _)| *known == indices) {
                Some((_, _, sum)) => *sum = fold(sum.clone(), value),
                None => {
                    let old = match all {
                        true => folding.init.clone(),
                        false => Expr::load(folding.init.dtype, buffer, indices.clone()),
                    };
                    stores.push((buffer, indices, fold(old, value)));
                }
            }
        }
        let store = |(buffer, indices, value)| Stmt::new(StmtKind::Store { buffer, indices, value });
        block.extend(stores.into_iter().map(store));
    }

    /// A loop of its own with a new variable in the place of that of loop `at`.
    fn renamed(&mut self, at: usize, mut body: Block) -> Stmt {
        let size = self.nest.loops[at].clone();
        let var = self.var(&format!("i{at}"), &size);
        let new = Expr::var(var, size.dtype);
        let old = self.vars[at].as_var();
        rename(&mut body, old, &new);
        serial(var, &size, body)
    }

    fn expr(&self, term: Term) -> Expr {
        if let Some(constant) = self.decided.constant(term) {
            return constant.clone();
        }
        if let Some(arm) = self.decided.taken(term) {
            return self.expr(arm);
        }
        if let Some(var) = self.bound.get(&term) {
            return var.clone();
        }
        if let Some(&item) = self.content.loads.get(&term) {
            return self.load(term, item);
        }
        match self.values.terms.node(term) {
            Node::Axis(number, _) => self.vars[*number as usize].clone(),
            Node::Stored(_, dtype, _) => Expr::int(0, *dtype),
            Node::Form(head, children) => {
                let mut made = head.clone();
                let mut children = children.iter();
                made.for_each_child_mut(|child| {
                    if let Some(&term) = children.next() {
                        *child = self.expr(term);
                    }
                });
                made
            }
        }
    }

    /// The element of an item that is the value of a term.
    fn load(&self, term: Term, item: usize) -> Expr {
        let (buffer, dims) = &self.homes[item];
        let terms = &self.values.terms;
        let mut by_axis: Vec<Option<Expr>> = vec![None; self.items[item].kept];
        match terms.node(term) {
            Node::Stored(_, _, indices) => {
                for (place, &index) in by_axis.iter_mut().zip(indices) {
                    *place = Some(self.expr(index));
                }
            }
            Node::Axis(..) | Node::Form(..) => {
                for (&axis, &l) in terms.axes(self.items[item].term).iter().zip(terms.axes(term)) {
                    by_axis[axis as usize] = Some(self.vars[l as usize].clone());
                }
            }
        }
        let shape = &self.func.buffer(*buffer).shape;
        let index = |(dim, extent): (&Option<u32>, &Expr)| {
            dim.and_then(|axis| by_axis[axis as usize].clone()).unwrap_or_else(|| Expr::int(0, extent.dtype))
        };
        let indices = dims.iter().zip(shape).map(index).collect();
        Expr::load(terms.dtype(term), *buffer, indices)
    }

    /// Says what the block reads and writes: points where axes say which, whole dimensions elsewhere.
    fn regions(&self, block: &mut SBlock) {
        let axes: Vec<VarId> = block.axes.iter().map(|axis| axis.var).collect();
        let (mut reads, mut writes): (Vec<BufferRegion>, Vec<BufferRegion>) = (Vec::new(), Vec::new());
        let region = |buffer: BufferId, indices: &[Expr]| {
            let range = |(index, extent): (&Expr, &Expr)| {
                let mut plain = true;
                index.walk(&mut |e| {
                    plain &= e.as_var().is_none_or(|var| axes.contains(&var))
                        && !matches!(e.kind, ExprKind::Load { .. })
                });
                if plain { (index.clone(), None) } else { (Expr::int(0, extent.dtype), Some(extent.clone())) }
            };
            let shape = &self.func.buffer(buffer).shape;
            BufferRegion { buffer, ranges: indices.iter().zip(shape).map(range).collect() }
        };
        let own = self.content.single.then(|| self.homes[self.nest.members[0].item].0);
        for stmt in &block.body {
            stmt.walk(&mut |stmt| {
                if let StmtKind::Store { buffer, indices, .. } = &stmt.kind {
                    join(&mut writes, region(*buffer, indices), self.func);
                }
                stmt.for_each_expr(|e| {
                    e.walk(&mut |e| {
                        if let ExprKind::Load { buffer, indices } = &e.kind
                            && own != Some(*buffer)
                        {
                            join(&mut reads, region(*buffer, indices), self.func);
                        }
                    });
                });
            });
        }
        block.reads = Some(reads);
        block.writes = Some(writes);
    }
}

/// Adds a region; where it differs from that of the same buffer, the whole dimension is taken.
fn join(regions: &mut Vec<BufferRegion>, new: BufferRegion, func: &PrimFunc) {
    let Some(known) = regions.iter_mut().find(|known| known.buffer == new.buffer) else {
        return regions.push(new);
    };
    for ((old, new), extent) in known.ranges.iter_mut().zip(new.ranges).zip(&func.buffer(new.buffer).shape) {
        if *old != new {
            *old = (Expr::int(0, extent.dtype), Some(extent.clone()));
        }
    }
}

fn serial(var: VarId, size: &Size, body: Block) -> Stmt {
    Stmt::new(StmtKind::For(Box::new(For {
        var,
        min: Expr::int(0, size.dtype),
        extent: size.extent.clone(),
        step: None,
        kind: ForKind::Serial,
        annotations: Vec::new(),
        body,
    })))
}

/// Writes choices between floats as `if_then_else`: TVM's analysis of sets takes what is bound to a variable apart, and fails
/// where a choice is an operand of a product of floats. That evaluates no more than a `Select`.
fn guard_selects(e: &mut Expr) {
    e.for_each_child_mut(guard_selects);
    if e.dtype.is_float()
        && let ExprKind::Select(select) = &e.kind
    {
        let args = vec![select.cond.clone(), select.then.clone(), select.otherwise.clone()];
        *e = Expr::call(e.dtype, "if_then_else", args);
    }
}

fn rename(block: &mut Block, from: Option<VarId>, to: &Expr) {
    for stmt in block {
        stmt.for_each_expr_mut(|e| e.substitute(&|var| (Some(var) == from).then_some(to)));
        stmt.for_each_block_mut(|inner| rename(inner, from, to));
    }
}
