//! Some statements of a function as a function of their own, which is as small as they are: what is done to it takes time
//! by its length and not by that of the whole function.

use hashbrown::HashMap;

use super::number::Numbering;
use super::rename::{Rename, in_block, in_buffer, in_head};
use super::{Block, BufferId, PrimFunc, VarId};

/// Some statements of a function, with its head. Only what they name has an id.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Excerpt {
    pub(crate) func: PrimFunc,
    /// The ids in the whole function.
    ids: Numbering,
}

impl PrimFunc {
    /// The function with these statements, which are some of its own, as its body.
    pub(crate) fn excerpt(&self, body: Block) -> Excerpt {
        let mut func = PrimFunc { body, ..self.head() };
        let mut named = Named::default();
        in_head(&mut func, &mut named);
        in_block(&mut func.body, &mut named);
        // The description of a buffer may name others.
        while let Some(&id) = named.buffers.get(func.buffers.len()) {
            let mut buffer = self.buffer(id).clone();
            in_buffer(&mut buffer, &mut named);
            func.buffers.push(buffer);
        }
        func.vars = named.vars.iter().map(|&id| self.var(id).clone()).collect();
        Excerpt { func, ids: Numbering { vars: named.vars, buffers: named.buffers } }
    }
}

impl Excerpt {
    /// Another function in place of this one, which it was made of.
    #[must_use]
    pub(crate) fn with(self, func: PrimFunc) -> Excerpt {
        Excerpt { func, ..self }
    }

    /// The statements as those of the whole function, which gets the variables and buffers that are new in them.
    pub(crate) fn put_back(self, whole: &mut PrimFunc) -> Block {
        let Excerpt { func: PrimFunc { mut body, vars, buffers, .. }, mut ids } = self;
        for var in vars.into_iter().skip(ids.vars.len()) {
            ids.vars.push(VarId(whole.vars.len() as u32));
            whole.vars.push(var);
        }
        let new = whole.buffers.len();
        for buffer in buffers.into_iter().skip(ids.buffers.len()) {
            ids.buffers.push(BufferId(whole.buffers.len() as u32));
            whole.buffers.push(buffer);
        }
        let mut ids = &ids;
        whole.buffers[new..].iter_mut().for_each(|buffer| in_buffer(buffer, &mut ids));
        in_block(&mut body, &mut ids);
        body
    }
}

/// What is named, in order.
#[derive(Default)]
struct Named {
    vars: Vec<VarId>,
    buffers: Vec<BufferId>,
    numbers: HashMap<VarId, VarId>,
    buffer_numbers: HashMap<BufferId, BufferId>,
}

impl Rename for Named {
    fn var(&mut self, var: &mut VarId) {
        let vars = &mut self.vars;
        *var = *self.numbers.entry(*var).or_insert_with_key(|&old| {
            vars.push(old);
            VarId(vars.len() as u32 - 1)
        });
    }

    fn buffer(&mut self, buffer: &mut BufferId) {
        let buffers = &mut self.buffers;
        *buffer = *self.buffer_numbers.entry(*buffer).or_insert_with_key(|&old| {
            buffers.push(old);
            BufferId(buffers.len() as u32 - 1)
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::{DType, StmtKind, Type};

    #[test]
    fn an_excerpt_is_small_and_comes_back() {
        let text = r#"
@T.prim_func
def main(A: T.Buffer(("n",), "float32"), B: T.Buffer((8,), "float32")):
    n = T.int32()
    for i in range(n):
        A[i] = T.float32(1)
    C = T.alloc_buffer((n, 4), "float32")
    D = C.view(n * 4)
    for i, j in T.grid(n, 4):
        D[i * 4 + j] = A[i]
    for i in range(8):
        B[i] = D[i]
"#;
        let mut func = crate::parse(text).unwrap().funcs.remove(0);
        let (whole, before) = (func.clone(), func.vars.len());
        for at in (0..func.body.len()).filter(|&at| matches!(whole.body[at].kind, StmtKind::For(_))) {
            let excerpt = func.excerpt(vec![func.body[at].clone()]);
            assert!(excerpt.func.vars.len() < before, "{at}");
            let back = excerpt.clone().put_back(&mut func);
            assert_eq!((&func, &back[0]), (&whole, &whole.body[at]));
            // A variable that is made in it is a new one of the function.
            let mut excerpt = excerpt;
            let made = excerpt.func.new_var("made", Type::Prim(DType::I32));
            let StmtKind::For(l) = &mut excerpt.func.body[0].kind else { panic!("a loop") };
            l.var = made;
            let mut grown = func.clone();
            let back = excerpt.put_back(&mut grown);
            let StmtKind::For(l) = &back[0].kind else { panic!("a loop") };
            assert_eq!((l.var.index(), &*grown.var(l.var).name), (before, "made"));
        }
    }
}
