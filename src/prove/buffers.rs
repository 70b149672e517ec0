//! Which buffers of two functions are the same memory, and where an element is in it.

use hashbrown::HashMap;

use super::side::{Side, Unsupported};
use crate::ir::{Block, BufferId, Expr, Origin, Param, PrimFunc, StmtKind};

/// The memories of two functions. Each has the number of a buffer of the first one.
pub(super) struct Buffers {
    roots: [HashMap<BufferId, usize>; 2],
    /// For each memory, whether it is a parameter's or comes from a pointer: such may share memory.
    pub(super) outside: Vec<bool>,
    /// Whether memories from outside may share memory.
    pub(super) alias: bool,
    /// Whether other threads may see what is stored there.
    pub(super) shared: Vec<bool>,
    /// Whether elements are found by one index each, since buffers of several shapes lie there.
    pub(super) flat: Vec<bool>,
}

impl Buffers {
    /// Pairs the buffers of two functions: parameters by their place, others by name, type and order.
    pub(super) fn pair(a: &PrimFunc, b: &PrimFunc) -> Result<Buffers, Unsupported> {
        let number = |id: BufferId| id.index();
        let mut roots = [HashMap::new(), HashMap::new()];
        for (i, _) in a.buffers.iter().enumerate() {
            let id = BufferId(u32::try_from(i).map_err(|e| e.to_string())?);
            roots[0].insert(id, number(a.memory_of(id)));
        }
        let mut own: HashMap<BufferId, usize> = HashMap::new();
        for (x, y) in a.params.iter().zip(&b.params) {
            if let (Param::Buffer(x), Param::Buffer(y)) = (x, y) {
                own.insert(*y, number(*x));
            }
        }
        for ((_, x), (_, y)) in a.matches.iter().zip(&b.matches) {
            own.insert(*y, number(*x));
        }
        let mut taken: Vec<bool> = vec![false; a.buffers.len()];
        own.values().for_each(|&n| taken[n] = true);
        for (i, buffer) in b.buffers.iter().enumerate() {
            let id = BufferId(u32::try_from(i).map_err(|e| e.to_string())?);
            if own.contains_key(&id) || b.memory_of(id) != id {
                continue;
            }
            let found = a.buffers.iter().enumerate().position(|(n, other)| {
                !taken[n]
                    && a.memory_of(BufferId(n as u32)).index() == n
                    && (&other.name, other.dtype, &other.scope) == (&buffer.name, buffer.dtype, &buffer.scope)
                    && std::mem::discriminant(&other.origin) == std::mem::discriminant(&buffer.origin)
            });
            if let Some(n) = found {
                taken[n] = true;
                own.insert(id, n);
            }
        }
        for (i, _) in b.buffers.iter().enumerate() {
            let id = BufferId(u32::try_from(i).map_err(|e| e.to_string())?);
            if let Some(&n) = own.get(&b.memory_of(id)) {
                roots[1].insert(id, n);
            }
        }
        let outside = |origin: &Origin| match origin {
            Origin::Param | Origin::Match(_) | Origin::Pointer(_) => true,
            Origin::Alloc | Origin::View(_) | Origin::Region(_) | Origin::Unbound => false,
        };
        let pointers = a.buffers.iter().chain(&b.buffers).any(|b| matches!(b.origin, Origin::Pointer(_)));
        let mut flat = vec![false; a.buffers.len()];
        for (func, roots) in [(a, &roots[0]), (b, &roots[1])] {
            for id in accessed(&func.body) {
                if let Some(&root) = roots.get(&id) {
                    let buffer = func.buffer(id);
                    let same = match buffer.origin {
                        Origin::Region(_) => buffer.shape.len() == a.buffers[root].shape.len(),
                        Origin::View(_) => false,
                        _ => buffer.strides.is_empty() && buffer.elem_offset.is_none(),
                    };
                    flat[root] |= !same;
                }
            }
        }
        let scopes = a.buffers.iter().map(|b| &*b.scope);
        Ok(Buffers {
            roots,
            outside: a.buffers.iter().map(|b| outside(&b.origin)).collect(),
            alias: !a.no_alias() || !b.no_alias() || pointers,
            shared: scopes.map(|scope| !scope.starts_with("local")).collect(),
            flat,
        })
    }

    /// The memory of a buffer.
    pub(super) fn root(&self, side: Side, buffer: BufferId) -> Result<usize, Unsupported> {
        let found = self.roots[side as usize].get(&buffer).copied();
        found.ok_or_else(|| "a buffer that the first program does not have".to_owned())
    }

    /// The memories that a store there may change.
    pub(super) fn changed_with(&self, root: usize) -> Vec<usize> {
        match self.alias && self.outside[root] {
            true => (0..self.outside.len()).filter(|&r| self.outside[r]).collect(),
            false => vec![root],
        }
    }
}

/// The buffers that statements load or store, each once, in order.
fn accessed(body: &Block) -> Vec<BufferId> {
    let mut found = Vec::new();
    let mut add = |id: BufferId| {
        if !found.contains(&id) {
            found.push(id);
        }
    };
    for stmt in body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Store { buffer, .. } = &stmt.kind {
                add(*buffer);
            }
            stmt.for_each_expr(|e: &Expr| {
                e.walk(&mut |e| {
                    if let crate::ir::ExprKind::Load { buffer, .. } = &e.kind {
                        add(*buffer);
                    }
                });
            });
        });
    }
    found
}
