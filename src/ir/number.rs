//! Numbers of variables and buffers by the program's text.
//!
//! Ids tell in what order things were made, and what a pass makes comes last: two functions with one text may differ in
//! them. Where the order of ids decides between equals, or sample points are drawn by id, functions are numbered first, so
//! that their text decides.

use super::rename::{Rename, in_block, in_buffer, in_head};
use super::{Buffer, BufferId, PrimFunc, VarId};

/// The ids before a function was numbered, by the new ones. It gives them back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbering {
    pub(super) vars: Vec<VarId>,
    pub(super) buffers: Vec<BufferId>,
}

impl Rename for &Numbering {
    fn var(&mut self, var: &mut VarId) {
        *var = self.vars[var.index()];
    }

    fn buffer(&mut self, buffer: &mut BufferId) {
        *buffer = self.buffers[buffer.index()];
    }
}

impl Numbering {
    /// The numbering that does the same as `first` and then `self`. What was made between them comes last.
    pub(crate) fn after(mut self, first: &Numbering) -> Numbering {
        for var in &mut self.vars {
            *var = first.vars.get(var.index()).copied().unwrap_or(*var);
        }
        for buffer in &mut self.buffers {
            *buffer = first.buffers.get(buffer.index()).copied().unwrap_or(*buffer);
        }
        self
    }
}

impl PrimFunc {
    /// Numbers variables and buffers in the order of their first occurrence; those that do not occur come last.
    pub(crate) fn number(&mut self) -> Numbering {
        let mut given = self.occurring();
        given.buffers.complete();
        given.describe(&mut self.buffers);
        given.vars.complete();
        let vars: Vec<VarId> = given.vars.ids.into_iter().map(VarId).collect();
        let buffers: Vec<BufferId> = given.buffers.ids.into_iter().map(BufferId).collect();
        self.vars = vars.iter().map(|var| self.vars[var.index()].clone()).collect();
        self.buffers = buffers.iter().map(|buffer| self.buffers[buffer.index()].clone()).collect();
        Numbering { vars, buffers }
    }

    /// Numbers variables and buffers in the order of their first occurrence, and forgets those that do not occur.
    pub(crate) fn compact(&mut self) {
        let given = self.occurring();
        self.vars = given.vars.ids.iter().map(|&var| self.vars[var as usize].clone()).collect();
        self.buffers =
            given.buffers.ids.iter().map(|&buffer| self.buffers[buffer as usize].clone()).collect();
    }

    /// Numbers what occurs.
    fn occurring(&mut self) -> Given {
        let mut given =
            Given { vars: Order::of(self.vars.len()), buffers: Order::of(self.buffers.len()), described: 0 };
        in_head(self, &mut given);
        given.describe(&mut self.buffers);
        in_block(&mut self.body, &mut given);
        given.describe(&mut self.buffers);
        given
    }

    /// Puts other ids in the places of those that occur. The tables stay in their order.
    pub(crate) fn put_ids(&mut self, var: impl Fn(VarId) -> VarId, buffer: impl Fn(BufferId) -> BufferId) {
        let mut ids = Put { var, buffer };
        in_head(self, &mut ids);
        in_block(&mut self.body, &mut ids);
        self.buffers.iter_mut().for_each(|buffer| in_buffer(buffer, &mut ids));
    }

    /// Gives variables and buffers the ids that they had before the function was numbered.
    pub(crate) fn restore(&mut self, numbering: &Numbering) {
        let mut before = numbering;
        in_head(self, &mut before);
        in_block(&mut self.body, &mut before);
        self.buffers.iter_mut().for_each(|buffer| in_buffer(buffer, &mut before));
        let mut vars = self.vars.clone();
        for (var, id) in std::mem::take(&mut self.vars).into_iter().zip(&numbering.vars) {
            vars[id.index()] = var;
        }
        let mut buffers = self.buffers.clone();
        for (buffer, id) in std::mem::take(&mut self.buffers).into_iter().zip(&numbering.buffers) {
            buffers[id.index()] = buffer;
        }
        (self.vars, self.buffers) = (vars, buffers);
    }
}

/// New ids by functions of the old ones.
struct Put<V, B> {
    var: V,
    buffer: B,
}

impl<V: Fn(VarId) -> VarId, B: Fn(BufferId) -> BufferId> Rename for Put<V, B> {
    fn var(&mut self, var: &mut VarId) {
        *var = (self.var)(*var);
    }

    fn buffer(&mut self, buffer: &mut BufferId) {
        *buffer = (self.buffer)(*buffer);
    }
}

/// The numbers given so far.
struct Given {
    vars: Order,
    buffers: Order,
    /// The descriptions of so many buffers are done.
    described: usize,
}

impl Given {
    /// Goes over the descriptions of the buffers that have numbers.
    fn describe(&mut self, buffers: &mut [Buffer]) {
        while let Some(&id) = self.buffers.ids.get(self.described) {
            self.described += 1;
            in_buffer(&mut buffers[id as usize], self);
        }
    }
}

impl Rename for Given {
    fn var(&mut self, var: &mut VarId) {
        var.0 = self.vars.number(var.0);
    }

    fn buffer(&mut self, buffer: &mut BufferId) {
        buffer.0 = self.buffers.number(buffer.0);
    }
}

/// Ids in the order in which they were asked for.
struct Order {
    numbers: Vec<Option<u32>>,
    ids: Vec<u32>,
}

impl Order {
    fn of(ids: usize) -> Order {
        Order { numbers: vec![None; ids], ids: Vec::with_capacity(ids) }
    }

    fn number(&mut self, id: u32) -> u32 {
        let next = self.ids.len() as u32;
        let number = *self.numbers[id as usize].get_or_insert(next);
        if number == next {
            self.ids.push(id);
        }
        number
    }

    /// Gives numbers to all that have none.
    fn complete(&mut self) {
        (0..self.numbers.len() as u32).for_each(|id| _ = self.number(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{DType, Expr, Stmt, StmtKind, Type};

    const TEXT: &str = r#"
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer(("n",), "float32"), p: T.handle, q: T.handle("float32"), m: T.int32):
    n = T.int32()
    k = T.int32()
    B = T.match_buffer(p, (k, n), "float32", strides=(n, 1))
    T.func_attr({"bound": m})
    C = T.decl_buffer((m,), data=q)
    D = T.alloc_buffer((k, T.max(m, 1)), "float32")
    view = T.decl_buffer((k * 2,), "float32", data=D.data)
    v = T.int32()
    x: T.let[T.int32] = T.Let(v + 1, where={v: m * 2})
    thread = T.int32()
    with T.attr(T.iter_var(thread, None, "ThreadIndex", "vthread"), "virtual_thread", 2):
        for i in T.serial(n, annotations={"hint": x}):
            with T.sblock("update"):
                vi = T.axis.spatial(n, i)
                T.where(i < m)
                T.reads(A[vi], B[0, vi])
                T.writes(C[vi])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = A[vi] + B[0, vi]
    with T.attr(T.comm_reducer(lambda a, b: a + b, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        view[x] = T.call_extern("float32", "f", T.address_of(D[0, 0]), T.tvm_access_ptr(T.type_annotation("float32"), C.data, 0, m, 1))
"#;

    fn func() -> PrimFunc {
        crate::parse(TEXT).unwrap_or_else(|e| panic!("{e}")).funcs.remove(0)
    }

    /// The function with all ids in the opposite order.
    fn reversed(mut func: PrimFunc) -> PrimFunc {
        let last = |ids: usize| ids as u32 - 1;
        let vars = (0..func.vars.len()).map(|i| VarId(last(func.vars.len()) - i as u32)).collect();
        let buffers =
            (0..func.buffers.len()).map(|i| BufferId(last(func.buffers.len()) - i as u32)).collect();
        func.restore(&Numbering { vars, buffers });
        func
    }

    #[test]
    fn numbers_depend_on_the_text_only() {
        let (mut func, mut other) = (func(), reversed(func()));
        assert!(func.body != other.body);
        assert_eq!(crate::script::print_func(&func), crate::script::print_func(&other));
        func.number();
        other.number();
        assert!((func.params, func.buffers, func.body) == (other.params, other.buffers, other.body));
    }

    #[test]
    fn what_does_not_occur_is_forgotten() {
        let (mut func, before) = (func(), func());
        func.new_var("unused", Type::Prim(DType::I32));
        let unused = func.buffers[0].clone();
        func.new_buffer(unused);
        func.compact();
        assert_eq!(crate::script::print_func(&func), crate::script::print_func(&before));
        assert_eq!(func.buffers.len(), before.buffers.len());
        assert!(func.vars.iter().all(|var| &*var.name != "unused"));
    }

    #[test]
    fn what_was_numbered_can_be_restored() {
        let before = reversed(func());
        let mut after = before.clone();
        let first = after.number();
        let made = after.new_var("made", Type::Prim(DType::I32));
        after.body.insert(0, Stmt::new(StmtKind::Bind { var: made, value: Expr::int(1, DType::I32) }));
        let both = after.number().after(&first);
        after.restore(&both);
        let made = before.vars.len();
        assert_eq!((&*after.vars[made].name, &after.vars[..made]), ("made", &before.vars[..]));
        assert_eq!((after.buffers, &after.body[1..]), (before.buffers, &before.body[..]));
    }
}
