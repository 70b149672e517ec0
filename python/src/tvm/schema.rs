//! TVM's classes and constructors, looked up once.

use hashbrown::HashMap;
use std::sync::RwLock;

use super::call::{self, Arg};
use super::object::{self, Field, Held, Obj, Objects, Value};
use super::{Res, Unsupported};

macro_rules! kinds {
    ($($kind:ident $key:literal)*) => {
        /// The classes of TVM that are known.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(clippy::enum_variant_names, reason = "the names are those of TVM")]
        pub(super) enum Kind {
            $(#[doc = $key] $kind,)*
        }

        const KINDS: &[(Kind, &str)] = &[$((Kind::$kind, $key)),*];
    };
}

kinds! {
    IntImm "ir.IntImm"
    FloatImm "ir.FloatImm"
    StringImm "ir.StringImm"
    Var "ir.Var"
    GlobalVar "ir.GlobalVar"
    Op "ir.Op"
    Call "ir.Call"
    TensorLoad "ir.TensorLoad"
    TensorRegion "ir.TensorRegion"
    Range "ir.Range"
    PrimType "ir.PrimType"
    PointerType "ir.PointerType"
    TupleType "ir.TupleType"
    BufferType "tirx.BufferType"
    DictAttrs "ir.DictAttrs"
    Add "prim.Add"
    Sub "prim.Sub"
    Mul "prim.Mul"
    Div "prim.Div"
    Mod "prim.Mod"
    FloorDiv "prim.FloorDiv"
    FloorMod "prim.FloorMod"
    Min "prim.Min"
    Max "prim.Max"
    Eq "prim.EQ"
    Ne "prim.NE"
    Lt "prim.LT"
    Le "prim.LE"
    Gt "prim.GT"
    Ge "prim.GE"
    And "prim.And"
    Or "prim.Or"
    Not "prim.Not"
    Select "prim.Select"
    Cast "prim.Cast"
    Let "prim.Let"
    Ramp "prim.Ramp"
    Broadcast "prim.Broadcast"
    Shuffle "prim.Shuffle"
    LShift "prim.LShift"
    RShift "prim.RShift"
    BitwiseAnd "prim.BitwiseAnd"
    BitwiseOr "prim.BitwiseOr"
    BitwiseXor "prim.BitwiseXor"
    BitwiseNot "prim.BitwiseNot"
    PrimFunc "tirx.PrimFunc"
    SeqStmt "tirx.SeqStmt"
    Bind "tirx.Bind"
    BufferStore "tirx.BufferStore"
    Evaluate "tirx.Evaluate"
    For "tirx.For"
    While "tirx.While"
    IfThenElse "tirx.IfThenElse"
    AssertStmt "tirx.AssertStmt"
    AttrStmt "tirx.AttrStmt"
    AllocBuffer "tirx.AllocBuffer"
    DeclBuffer "tirx.DeclBuffer"
    Break "tirx.Break"
    Continue "tirx.Continue"
    Return "tirx.Return"
    IterVar "tirx.IterVar"
    CommReducer "te.CommReducer"
    SBlock "s_tir.SBlock"
    SBlockRealize "s_tir.SBlockRealize"
    MatchBufferRegion "s_tir.MatchBufferRegion"
    TileLayout "tirx.TileLayout"
    Iter "tirx.Iter"
    Axis "tirx.Axis"
    Target "target.Target"
    TargetKind "target.TargetKind"
}

struct Class {
    kind: Kind,
    fields: Vec<(String, Field)>,
}

/// What is known of TVM in this process.
pub(crate) struct Tvm {
    /// By type index.
    classes: Vec<Option<Class>>,
    /// Those that were called, by name. They live as long as the process.
    functions: RwLock<HashMap<&'static str, &'static Obj>>,
}

impl Tvm {
    pub(super) fn new() -> Res<Tvm> {
        let mut classes: Vec<Option<Class>> = Vec::new();
        for (kind, key) in KINDS {
            let Some((index, fields)) = object::class(key) else { continue };
            let at = usize::try_from(index).map_err(|_| Unsupported::new("a negative type index"))?;
            if at >= classes.len() {
                classes.resize_with(at + 1, || None);
            }
            classes[at] = Some(Class { kind: *kind, fields });
        }
        Ok(Tvm { classes, functions: RwLock::new(HashMap::new()) })
    }

    fn class(&self, object: &Obj) -> Option<&Class> {
        usize::try_from(object.type_index()).ok().and_then(|at| self.classes.get(at)?.as_ref())
    }

    /// The class of an object, if it is known.
    pub(super) fn kind(&self, object: &Obj) -> Option<Kind> {
        self.class(object).map(|class| class.kind)
    }

    fn field(&self, object: &Obj, name: &str) -> Res<Field> {
        let class =
            self.class(object).ok_or_else(|| Unsupported::new("an object of a class that is not known"))?;
        match class.fields.iter().find(|(field, _)| field == name) {
            Some((_, field)) => Ok(*field),
            None => Err(Unsupported(format!("TVM's {:?} has no field {name}", class.kind))),
        }
    }

    /// A field of an object.
    pub(super) fn get(&self, object: &Obj, name: &str) -> Res<Value> {
        self.field(object, name)?.get(object)
    }

    /// A field that holds an object.
    pub(super) fn object<'a>(&self, object: &'a Obj, name: &str) -> Res<Held<'a>> {
        self.field(object, name)?.object(object)
    }

    /// A field that holds an object, with a reference of its own to it.
    pub(super) fn counted(&self, object: &Obj, name: &str) -> Res<Obj> {
        self.object(object, name).map(Held::counted)
    }

    /// A field that holds an object or nothing.
    pub(super) fn optional(&self, object: &Obj, name: &str) -> Res<Option<Obj>> {
        match self.get(object, name)? {
            Value::None => Ok(None),
            value => value.object().map(Some),
        }
    }

    /// A field that holds an integer.
    pub(super) fn int(&self, object: &Obj, name: &str) -> Res<i64> {
        match self.get(object, name)? {
            Value::Int(v) => Ok(v),
            Value::Bool(v) => Ok(i64::from(v)),
            _ => Err(Unsupported(format!("{name} is no integer"))),
        }
    }

    /// A field that holds a text.
    pub(super) fn text(&self, object: &Obj, name: &str) -> Res<String> {
        match self.get(object, name)? {
            Value::Str(text) => Ok(text),
            _ => Err(Unsupported(format!("{name} is no text"))),
        }
    }

    /// A field that holds an array of objects.
    pub(super) fn objects<'a>(&self, object: &'a Obj, name: &str) -> Res<Objects<'a>> {
        Objects::new(self.object(object, name)?)
    }

    /// Calls a global function.
    pub(super) fn call(&self, name: &'static str, args: &[Arg<'_>]) -> Res<Value> {
        let failed = |_| Unsupported::new("a thread failed");
        let found = self.functions.read().map_err(|_| failed(()))?.get(name).copied();
        let function = match found {
            Some(function) => function,
            None => {
                let function: &'static Obj = Box::leak(Box::new(call::function(name)?));
                *self.functions.write().map_err(|_| failed(()))?.entry(name).or_insert(function)
            }
        };
        call::call(function, args)
    }

    /// Calls a constructor.
    pub(super) fn make(&self, name: &'static str, args: &[Arg<'_>]) -> Res<Obj> {
        self.call(name, args)?.object()
    }

    /// An array.
    pub(super) fn array(&self, items: &[Obj]) -> Res<Obj> {
        let args: Vec<Arg<'_>> = items.iter().map(Arg::Object).collect();
        self.make("ffi.Array", &args)
    }

    /// The entries of a map, in its order.
    pub(super) fn entries(&self, map: &Obj) -> Res<Vec<(Value, Value)>> {
        let Value::Int(size) = self.call("ffi.MapSize", &[map.into()])? else {
            return Err(Unsupported::new("a map without a size"));
        };
        if size == 0 {
            return Ok(Vec::new());
        }
        let iterator = self.call("ffi.MapForwardIterFunctor", &[map.into()])?.object()?;
        let mut entries = Vec::new();
        for at in 0..size {
            let key = call::call(&iterator, &[Arg::Int(0)])?;
            let value = call::call(&iterator, &[Arg::Int(1)])?;
            entries.push((key, value));
            if at + 1 < size {
                call::call(&iterator, &[Arg::Int(2)])?;
            }
        }
        Ok(entries)
    }
}
