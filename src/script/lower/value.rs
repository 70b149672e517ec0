//! What names stand for, and what expressions of the text evaluate to.

use std::sync::Arc;

use super::frame::Frame;
use crate::ir::{AttrNode, AttrValue, BufferId, CommReducer, Expr, Type, VarId};

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    Var(VarId),
    Buffer(BufferId),
    /// A mutable scalar: a buffer of one element that is written without its index.
    Scalar(BufferId),
    /// The memory of an older `T.allocate`.
    Pointer(BufferId),
    /// `TypeVar("n")` at module level: a dimension.
    TypeVar,
    /// `T.env_thread(tag)`.
    EnvThread(Arc<str>),
    /// `T.comm_reducer(…)` or another value given a name.
    Reducer(Box<CommReducer>),
    /// A function of the module.
    Global,
    /// The module itself.
    Module,
}

/// What an expression of the text evaluates to.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Expr(Expr),
    /// A Python number, not yet of any type.
    Int(i128),
    Float(f64),
    Bool(bool),
    Str(Arc<str>),
    None,
    List(Vec<Value>),
    Tuple(Vec<Value>),
    Dict(Vec<(Value, Value)>),
    Buffer(BufferId),
    Scalar(BufferId),
    /// A data type: `T.int32`, `T.handle("float32", "global")`.
    Type(Type),
    /// `T.<path>`, not called.
    Path(Box<str>),
    Frame(Box<Frame>),
    EnvThread(Arc<str>),
    Reducer(Box<CommReducer>),
    IterVar(Box<AttrNode>),
    /// `T.Range(begin, end)` as begin and extent.
    Range(Box<(Expr, Expr)>),
    /// `T.target(…)` and the like.
    Attr(Box<AttrValue>),
    Pointer(BufferId),
    Global(Arc<str>),
    Module,
    /// A variable, buffer, … just made, which an assignment names.
    NewVar(VarId),
    NewVars(Vec<VarId>),
    NewBuffer(BufferId),
    NewScalar(BufferId),
    NewPointer(BufferId),
    /// The launch of an environment thread: its variable is defined already.
    Launched(VarId, Box<(Arc<str>, Expr)>),
    /// A statement that has been added: no value.
    Done,
}

impl Value {
    /// For messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Value::Expr(e) => format!("a value of type `{}`", e.dtype),
            Value::Int(v) => format!("`{v}`"),
            Value::Float(v) => format!("`{v:?}`"),
            Value::Bool(v) => (if *v { "`True`" } else { "`False`" }).to_owned(),
            Value::Str(s) => format!("\"{}\"", s.chars().take(40).collect::<String>().escape_debug()),
            Value::None => "`None`".to_owned(),
            Value::List(_) => "a list".to_owned(),
            Value::Tuple(_) => "a tuple".to_owned(),
            Value::Dict(_) => "a dictionary".to_owned(),
            Value::Buffer(_) | Value::Scalar(_) | Value::NewBuffer(_) | Value::NewScalar(_) => {
                "a buffer".to_owned()
            }
            Value::NewVar(_) => "a variable".to_owned(),
            Value::NewVars(_) => "several variables".to_owned(),
            Value::Launched(..) => "`T.launch_thread`".to_owned(),
            Value::Type(Type::Prim(d)) => format!("the type `T.{d}`"),
            Value::Type(Type::Pointer(..)) => "a pointer type".to_owned(),
            Value::Path(p) => format!("`T.{p}`"),
            Value::Frame(f) => f.describe(),
            Value::EnvThread(_) => "a thread variable that is not launched".to_owned(),
            Value::Reducer(_) => "a reducer".to_owned(),
            Value::IterVar(_) => "an iteration variable".to_owned(),
            Value::Range(_) => "a range".to_owned(),
            Value::Attr(_) => "an attribute value".to_owned(),
            Value::Pointer(_) | Value::NewPointer(_) => "a pointer".to_owned(),
            Value::Global(_) => "a function".to_owned(),
            Value::Module => "the module".to_owned(),
            Value::Done => "a statement".to_owned(),
        }
    }
}
