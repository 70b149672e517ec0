//! Two functions as one: the forward one, then the backward one, which reads what the forward one computed.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::ir::{
    Block, Buffer, BufferId, Expr, Module, Origin, Param, PrimFunc, SBlock, Stmt, StmtKind, VarId,
};

/// A parameter of the backward function that is one of the forward function: the same buffer, or the same number.
///
/// ```
/// let edge = satir::tensor::Edge { forward: "y".into(), backward: "saved_y".into() };
/// assert_ne!(edge.forward, edge.backward);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The name of the forward function's parameter.
    pub forward: Arc<str>,
    /// The name of the backward function's parameter.
    pub backward: Arc<str>,
}

/// One function that does what the forward function does, and then what the backward function does. Its parameters are those
/// of both; what edges name is there once. Buffers in `internal`, by their names in the forward function, are allocated in it.
///
/// # Errors
///
/// An edge names no parameter, or parameters of other types or sizes.
///
/// ```
/// use satir::tensor::{Edge, joined};
///
/// let text = "@T.prim_func
/// def f(x: T.Buffer((4,)), y: T.Buffer((4,))):
///     for i in range(4):
///         y[i] = T.exp(x[i])
///
/// @T.prim_func
/// def g(y: T.Buffer((4,)), z: T.Buffer((4,))):
///     for i in range(4):
///         z[i] = y[i] * y[i]
/// ";
/// let module = satir::parse(text)?;
/// let edge = Edge { forward: "y".into(), backward: "y".into() };
/// let joint = joined(&module.funcs[0], &module.funcs[1], &[edge], &[]).map_err(std::io::Error::other)?;
/// assert_eq!(joint.params.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn joined(
    forward: &PrimFunc,
    backward: &PrimFunc,
    edges: &[Edge],
    internal: &[Arc<str>],
) -> Result<PrimFunc, String> {
    let Joint { mut func, body, .. } = Joint::new(forward, backward, edges)?;
    func.name = format!("{}_{}", forward.name, backward.name).into();
    let hidden = |func: &PrimFunc, param: &Param| match param {
        Param::Buffer(buffer) => internal.contains(&func.buffer(*buffer).name).then_some(*buffer),
        Param::Var(_) => None,
    };
    let made: Vec<BufferId> = func.params.iter().filter_map(|param| hidden(&func, param)).collect();
    let params = std::mem::take(&mut func.params);
    func.params = params.into_iter().filter(|param| hidden(&func, param).is_none()).collect();
    for &buffer in &made {
        func.buffers[buffer.index()].origin = Origin::Alloc;
    }
    let mut allocs = made;
    let mut stmts = Block::new();
    let mut blocks = true;
    for half in [std::mem::take(&mut func.body), body] {
        match <[Stmt; 1]>::try_from(half) {
            Ok([Stmt { kind: StmtKind::SBlock(root), .. }]) if is_root(&root) => {
                allocs.extend(root.alloc_buffers);
                stmts.extend(root.body);
            }
            Ok(half) => {
                blocks = false;
                stmts.extend(half);
            }
            Err(half) => {
                blocks = false;
                stmts.extend(half);
            }
        }
    }
    func.body = if blocks {
        let root = SBlock { alloc_buffers: allocs, body: stmts, ..SBlock::new("root") };
        vec![Stmt::new(StmtKind::SBlock(Box::new(root)))]
    } else {
        let allocs = allocs.into_iter();
        let allocs = allocs.map(|buffer| Stmt::new(StmtKind::Alloc { buffer, annotations: Vec::new() }));
        allocs.chain(stmts).collect()
    };
    func.compact();
    Ok(func)
}

/// The module with two functions, by their names, as one: see [`joined`]. It comes first.
///
/// # Errors
///
/// A function is missing, or as [`joined`].
///
/// ```
/// use satir::tensor::joined_module;
///
/// let text = "@T.prim_func
/// def f(x: T.Buffer((4,)), y: T.Buffer((4,))):
///     for i in range(4):
///         y[i] = T.exp(x[i])
///
/// @T.prim_func
/// def g(z: T.Buffer((4,))):
///     for i in range(4):
///         z[i] = z[i] * z[i]
/// ";
/// let module = satir::parse(text)?;
/// let joint = joined_module(&module, ("f", "g"), &[], &[]).map_err(std::io::Error::other)?;
/// assert_eq!(joint.funcs.len(), 1);
/// assert!(joined_module(&module, ("f", "h"), &[], &[]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn joined_module(
    module: &Module,
    (forward, backward): (&str, &str),
    edges: &[Edge],
    internal: &[Arc<str>],
) -> Result<Module, String> {
    let named = |name: &str| {
        let found = module.funcs.iter().find(|func| *func.name == *name);
        found.ok_or_else(|| format!("there is no function `{name}`"))
    };
    let mut funcs = vec![joined(named(forward)?, named(backward)?, edges, internal)?];
    let others = module.funcs.iter().filter(|func| *func.name != *forward && *func.name != *backward);
    funcs.extend(others.cloned());
    Ok(Module { funcs, ..module.clone() })
}

/// Whether a block is that around all statements of a function.
pub(crate) fn is_root(block: &SBlock) -> bool {
    block.axes.is_empty()
        && block.init.is_none()
        && block.match_buffers.is_empty()
        && block.predicate.is_none()
}

/// Two functions with their variables and buffers in the same tables.
pub(crate) struct Joint {
    /// The forward function, with the parameters of the backward function that are no edges after its own.
    pub func: PrimFunc,
    /// The body of the backward function, which reads the forward function's buffers where there are edges.
    pub body: Block,
    /// For each edge between buffers that of the forward function, and the backward function's own.
    pub buffers: Vec<(BufferId, BufferId)>,
    /// The same of variables, those of sizes included.
    vars: Vec<(VarId, VarId)>,
    /// The parameters of the backward function, and the buffers that are matched to them.
    params: Vec<Param>,
    matches: Vec<(VarId, BufferId)>,
    /// How many variables and buffers are those of the forward function.
    own: (usize, usize),
}

impl Joint {
    /// The functions in one.
    pub(crate) fn new(forward: &PrimFunc, backward: &PrimFunc, edges: &[Edge]) -> Result<Joint, String> {
        let own = (forward.vars.len(), forward.buffers.len());
        let mut second = backward.clone();
        second.put_ids(|var| VarId(var.0 + own.0 as u32), |buffer| BufferId(buffer.0 + own.1 as u32));
        let mut func = forward.clone();
        func.vars.extend(second.vars.iter().cloned());
        func.buffers.extend(second.buffers.iter().cloned());
        let (params, matches) = (second.params.clone(), second.matches.clone());
        let mut joint =
            Joint { func, body: second.body, buffers: Vec::new(), vars: Vec::new(), params, matches, own };
        for edge in edges {
            joint.connect(forward, edge)?;
        }
        let mut moved = PrimFunc { body: std::mem::take(&mut joint.body), ..PrimFunc::new("") };
        moved.buffers = joint.func.buffers.split_off(own.1);
        let (var, buffer) = (joint.forwards().0, joint.forwards().1);
        moved.put_ids(|id| var.get(&id).copied().unwrap_or(id), |id| buffer.get(&id).copied().unwrap_or(id));
        joint.func.buffers.append(&mut moved.buffers);
        joint.body = moved.body;
        for param in &joint.params {
            let known = match param {
                Param::Var(id) => {
                    joint.vars.iter().any(|(_, other)| other == id) || joint.is_handle_of_edge(*id)
                }
                Param::Buffer(id) => joint.buffers.iter().any(|(_, other)| other == id),
            };
            if !known {
                joint.func.params.push(*param);
            }
        }
        let free = |id: BufferId| !joint.buffers.iter().any(|(_, other)| *other == id);
        joint.func.matches.extend(joint.matches.iter().copied().filter(|(_, buffer)| free(*buffer)));
        Ok(joint)
    }

    fn is_handle_of_edge(&self, var: VarId) -> bool {
        let mut matched = self.matches.iter().filter(|(handle, _)| *handle == var);
        matched.any(|(_, buffer)| self.buffers.iter().any(|(_, other)| other == buffer))
    }

    fn forwards(&self) -> (HashMap<VarId, VarId>, HashMap<BufferId, BufferId>) {
        let vars = self.vars.iter().map(|&(forward, backward)| (backward, forward)).collect();
        (vars, self.buffers.iter().map(|&(forward, backward)| (backward, forward)).collect())
    }

    fn connect(&mut self, forward: &PrimFunc, edge: &Edge) -> Result<(), String> {
        let told = |what: &str| format!("edge {}={}: {what}", edge.forward, edge.backward);
        let first = named(&self.func, &forward.params, &forward.matches, &edge.forward)
            .ok_or_else(|| told(&format!("`{}` has no parameter `{}`", forward.name, edge.forward)))?;
        let second = named(&self.func, &self.params, &self.matches, &edge.backward)
            .ok_or_else(|| told(&format!("the backward function has no parameter `{}`", edge.backward)))?;
        match (first, second) {
            (Param::Buffer(a), Param::Buffer(b)) => {
                if self.buffers.iter().any(|(_, known)| *known == b) {
                    return Err(told("the backward function's parameter has an edge already"));
                }
                let (one, other) = (self.func.buffer(a).clone(), self.func.buffer(b).clone());
                if !alike(&one, &other) {
                    return Err(told("buffers of different types or sizes"));
                }
                for (x, y) in one.shape.iter().zip(&other.shape) {
                    self.equate(x, y).map_err(|what| told(&what))?;
                }
                self.buffers.push((a, b));
                Ok(())
            }
            (Param::Var(a), Param::Var(b)) => {
                if self.func.var(a).ty != self.func.var(b).ty {
                    return Err(told("numbers of different types"));
                }
                self.equate(&self.func.var_expr(a), &self.func.var_expr(b)).map_err(|what| told(&what))
            }
            _ => Err(told("a buffer and a number")),
        }
    }

    /// Takes sizes of the two functions to be one.
    fn equate(&mut self, a: &Expr, b: &Expr) -> Result<(), String> {
        match (a.as_int(), b.as_int(), a.as_var(), b.as_var()) {
            (Some(a), Some(b), ..) if a == b => Ok(()),
            (.., Some(a), Some(b)) => match self.vars.iter().find(|(_, known)| *known == b) {
                Some((known, _)) if *known != a => {
                    let name = |var| self.func.var(var).name.clone();
                    Err(format!("`{}` would have to be `{}` and `{}`", name(b), name(*known), name(a)))
                }
                Some(_) => Ok(()),
                None => {
                    self.vars.push((a, b));
                    Ok(())
                }
            },
            _ => Err("buffers of different types or sizes".to_owned()),
        }
    }

    /// Whether a variable is there for the backward function.
    pub(crate) fn is_var_of_backward(&self, var: VarId) -> bool {
        var.index() >= self.own.0 || self.vars.iter().any(|(forward, _)| *forward == var)
    }

    /// Whether a variable is there for the forward function.
    pub(crate) fn is_var_of_forward(&self, var: VarId) -> bool {
        var.index() < self.own.0
    }

    /// Whether a buffer is the forward function's.
    pub(crate) fn is_of_forward(&self, buffer: BufferId) -> bool {
        buffer.index() < self.own.1
    }

    /// The backward function's own buffer in the place of one of the forward function, if there is an edge.
    pub(crate) fn own_of_backward(&self, buffer: BufferId) -> Option<BufferId> {
        self.buffers.iter().find(|(forward, _)| *forward == buffer).map(|(_, own)| *own)
    }

    /// The forward function with another body and more parameters. `made` has the variables and buffers of both.
    pub(crate) fn forward(&self, made: PrimFunc, of: &PrimFunc, body: Block, more: &[BufferId]) -> PrimFunc {
        let (params, matches) = (of.params.clone(), of.matches.clone());
        PrimFunc { params, matches, ..made }.given(of, body, more)
    }

    /// The same of the backward function.
    pub(crate) fn backward(&self, made: PrimFunc, of: &PrimFunc, body: Block, more: &[BufferId]) -> PrimFunc {
        let mut made = PrimFunc { body, params: Vec::new(), matches: Vec::new(), attrs: Vec::new(), ..made };
        let var =
            |id: VarId| self.vars.iter().find(|(forward, _)| *forward == id).map_or(id, |(_, own)| *own);
        made.put_ids(var, |id| self.own_of_backward(id).unwrap_or(id));
        let body = std::mem::take(&mut made.body);
        let mut own = of.clone();
        let (vars, buffers) = (self.own.0 as u32, self.own.1 as u32);
        own.put_ids(|id| VarId(id.0 + vars), |id| BufferId(id.0 + buffers));
        made.buffers[self.own.1..][..own.buffers.len()].clone_from_slice(&own.buffers);
        PrimFunc { params: self.params.clone(), matches: self.matches.clone(), ..made }
            .given(&own, body, more)
    }
}

impl PrimFunc {
    /// With the head of another function but for the parameters, of which there are more.
    fn given(mut self, of: &PrimFunc, body: Block, more: &[BufferId]) -> PrimFunc {
        self.name = of.name.clone();
        (self.decorator, self.ret, self.attrs) = (of.decorator.clone(), of.ret.clone(), of.attrs.clone());
        self.params.extend(more.iter().map(|&buffer| Param::Buffer(buffer)));
        self.body = body;
        self.compact();
        self
    }
}

/// The parameter with a name: a buffer by its own, whether it is a parameter or matched to one.
fn named(func: &PrimFunc, params: &[Param], matches: &[(VarId, BufferId)], name: &str) -> Option<Param> {
    for param in params {
        match param {
            Param::Buffer(buffer) if &*func.buffer(*buffer).name == name => return Some(*param),
            Param::Var(var) => {
                let matched = matches.iter().find(|(handle, _)| handle == var);
                if let Some((_, buffer)) = matched {
                    if &*func.buffer(*buffer).name == name || &*func.var(*var).name == name {
                        return Some(Param::Buffer(*buffer));
                    }
                } else if &*func.var(*var).name == name {
                    return Some(*param);
                }
            }
            Param::Buffer(_) => {}
        }
    }
    None
}

fn alike(a: &Buffer, b: &Buffer) -> bool {
    a.dtype == b.dtype && a.shape.len() == b.shape.len() && a.strides.is_empty() && b.strides.is_empty()
}
