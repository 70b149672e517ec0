//! Which buffers may share memory.
//!
//! Every buffer lies in one [`Region`] of memory, and distinct regions share nothing. Regions are
//! - the memory of an allocation in the function: a region of its own, with all its views;
//! - the memory of a parameter: a region of its own under `tirx.noalias`, else one region for all parameters;
//! - memory behind a pointer whose origin is not known: it may be any of the others.

use hashbrown::HashMap;

use crate::ir::{Buffer, BufferId, Expr, ExprKind, Origin, PrimFunc, VarId};

/// A part of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Region {
    /// A part that shares nothing with the others.
    Known(u32),
    /// It may be any part.
    Unknown,
}

/// The regions of a function's buffers.
#[derive(Clone, Debug)]
pub(crate) struct Regions {
    // By `BufferId`.
    regions: Vec<Region>,
    count: u32,
}

/// What a region's memory belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Buffer(BufferId),
    /// The handle of a parameter.
    Handle(VarId),
    /// All parameters, if they may alias.
    Parameters,
}

impl Regions {
    /// Finds the regions of `func`.
    pub(crate) fn new(func: &PrimFunc) -> Regions {
        let mut numbers: HashMap<Owner, u32> = HashMap::new();
        let regions = (0..func.buffers.len())
            .map(|i| match owner(func, func.no_alias(), BufferId(i as u32)) {
                None => Region::Unknown,
                Some(owner) => {
                    let next = numbers.len() as u32;
                    Region::Known(*numbers.entry(owner).or_insert(next))
                }
            })
            .collect();
        Regions { regions, count: numbers.len() as u32 }
    }

    /// The number of known regions; they are `Known(0)` to `Known(count - 1)`.
    pub(crate) fn count(&self) -> usize {
        self.count as usize
    }

    /// The region of a buffer.
    pub(crate) fn of(&self, buffer: BufferId) -> Region {
        self.regions.get(buffer.index()).copied().unwrap_or(Region::Unknown)
    }

    /// Whether a write to one of the buffers may change the other.
    pub(crate) fn may_share(&self, a: BufferId, b: BufferId) -> bool {
        match (self.of(a), self.of(b)) {
            (Region::Known(a), Region::Known(b)) => a == b,
            (Region::Unknown, _) | (_, Region::Unknown) => true,
        }
    }
}

/// Whether the text makes both buffers views of one memory. Other buffers may turn out to share theirs.
pub(super) fn views_one_memory(func: &PrimFunc, a: BufferId, b: BufferId) -> bool {
    owner(func, true, a).is_some_and(|of| owner(func, true, b) == Some(of))
}

/// Whether two buffers are one memory seen in the same way, so that equal indices name one element.
pub(crate) fn have_the_same_elements(func: &PrimFunc, a: BufferId, b: BufferId) -> bool {
    let start = |mut id: BufferId| {
        while let Origin::View(of) = func.buffer(id).origin {
            id = of;
        }
        id
    };
    let is_compact = |buffer: &Buffer| buffer.strides.is_empty() && buffer.elem_offset.is_none();
    let (first, second) = (func.buffer(a), func.buffer(b));
    a == b
        || start(a) == start(b)
            && [first, second].into_iter().all(is_compact)
            && first.dtype == second.dtype
            && first.extra == second.extra
            && first.shape == second.shape
}

/// Whether the text makes the buffer one of the memory behind a handle.
pub(super) fn is_behind(func: &PrimFunc, handle: VarId, buffer: BufferId) -> bool {
    owner(func, true, buffer) == Some(Owner::Handle(handle))
}

/// Whose memory a buffer is, if parameters have memory of their own or not; `None` if it cannot be told.
fn owner(func: &PrimFunc, no_alias: bool, mut buffer: BufferId) -> Option<Owner> {
    // A chain of views is no longer than the table.
    for _ in 0..=func.buffers.len() {
        match &func.buffers.get(buffer.index())?.origin {
            Origin::View(of) | Origin::Region(of) => buffer = *of,
            Origin::Alloc => return Some(Owner::Buffer(buffer)),
            Origin::Param if no_alias => return Some(Owner::Buffer(buffer)),
            Origin::Match(handle) if no_alias => return Some(Owner::Handle(*handle)),
            Origin::Param | Origin::Match(_) => return Some(Owner::Parameters),
            Origin::Pointer(pointer) => match pointee(func, pointer) {
                Pointee::Buffer(of) => buffer = of,
                Pointee::Parameter(handle) if no_alias => return Some(Owner::Handle(handle)),
                Pointee::Parameter(_) => return Some(Owner::Parameters),
                Pointee::Unknown => return None,
            },
            Origin::Unbound => return None,
        }
    }
    None
}

enum Pointee {
    Buffer(BufferId),
    Parameter(VarId),
    Unknown,
}

fn pointee(func: &PrimFunc, pointer: &Expr) -> Pointee {
    match &pointer.kind {
        ExprKind::BufferData(of) => Pointee::Buffer(*of),
        ExprKind::Var(v) if func.params.contains(&crate::ir::Param::Var(*v)) => Pointee::Parameter(*v),
        _ => Pointee::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::DType;
    use crate::ir::build::FuncBuilder;

    fn shape() -> Vec<Expr> {
        vec![Expr::int(4, DType::I32)]
    }

    fn buffers(no_alias: bool) -> (PrimFunc, [BufferId; 6]) {
        let mut b = FuncBuilder::new("main");
        if no_alias {
            b.no_alias();
        }
        let p = b.buffer_param("P", DType::F32, shape());
        let m = b.match_buffer("M", DType::F32, shape());
        let local = b.alloc("L", DType::F32, shape());
        let view = b.view("V", local, DType::I32, shape());
        let data = Expr { dtype: DType::HANDLE, kind: ExprKind::BufferData(p) };
        let over_p = b.view("D", p, DType::F32, shape());
        b.func_mut().buffers[over_p.index()].origin = Origin::Pointer(Box::new(data));
        let call = Expr::call(DType::HANDLE, "some_pointer", vec![]);
        let unknown = b.view("U", p, DType::F32, shape());
        b.func_mut().buffers[unknown.index()].origin = Origin::Pointer(Box::new(call));
        (b.finish(), [p, m, local, view, over_p, unknown])
    }

    #[test]
    fn parameters_alias_unless_the_function_says_otherwise() {
        let (func, [p, m, local, ..]) = buffers(false);
        let regions = Regions::new(&func);
        assert!(regions.may_share(p, m));
        assert!(!regions.may_share(p, local) && !regions.may_share(m, local));
        let (func, [p, m, local, ..]) = buffers(true);
        let regions = Regions::new(&func);
        assert!(!regions.may_share(p, m) && !regions.may_share(p, local));
        assert_eq!(regions.count(), 3);
    }

    #[test]
    fn views_of_one_shape_have_the_same_elements() {
        let views = "\n    B = T.decl_buffer((4, 4), data=A.data)\n    C = T.decl_buffer((4, 4), data=B.data)\n    D = \
                     T.decl_buffer((8, 2), data=A.data)\n    E = T.decl_buffer((4, 4), data=A.data, elem_offset=4)\n    F = \
                     T.decl_buffer((4, 4), \"int32\", data=A.data)\n    G = T.decl_buffer((4, 4), data=A.data, strides=(1, 4))\n    \
                     C[0, 0] = B[0, 0] + D[0, 0] + E[0, 0] + T.Cast(\"float32\", F[0, 0]) + G[0, 0]";
        let text = format!("@T.prim_func\ndef main(A: T.Buffer((4, 4))):{views}");
        let func = crate::parse(&text).unwrap().funcs.remove(0);
        let named = |name: &str| {
            let at = func.buffers.iter().position(|buffer| &*buffer.name == name).unwrap();
            BufferId(u32::try_from(at).unwrap())
        };
        for (other, same) in
            [("A", true), ("B", true), ("C", true), ("D", false), ("E", false), ("F", false), ("G", false)]
        {
            assert_eq!(have_the_same_elements(&func, named("B"), named(other)), same, "{other}");
        }
    }

    #[test]
    fn views_share_and_unknown_pointers_share_with_all() {
        let (func, [p, m, local, view, over_p, unknown]) = buffers(true);
        let regions = Regions::new(&func);
        assert!(regions.may_share(local, view) && regions.may_share(p, over_p));
        assert!(!regions.may_share(over_p, m));
        for b in [p, m, local, view, unknown] {
            assert!(regions.may_share(unknown, b));
        }
    }
}
