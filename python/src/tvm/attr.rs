//! Attributes and annotations. They are carried through: satir reads a few and changes none.

use std::sync::Arc;

use satir::ir::{AttrNode, AttrValue, CommReducer, DType, Expr};

use super::object::{Obj, Value};
use super::read::Reader;
use super::schema::Kind;
use super::{Res, Unsupported, abi};

/// The kinds of iteration, by TVM's numbers.
const ITERATIONS: [&str; 9] = [
    "DataPar",
    "ThreadIndex",
    "CommReduce",
    "Ordered",
    "Opaque",
    "Unrolled",
    "Vectorized",
    "Parallelized",
    "Tensorized",
];

impl Reader<'_> {
    /// The value of an attribute. An object that is no constant stands for itself.
    pub(super) fn attribute(&mut self, value: &Value) -> Res<AttrValue> {
        let object = match value {
            Value::None => return Ok(AttrValue::None),
            Value::Int(v) => return Ok(AttrValue::Int(*v)),
            Value::Bool(v) => return Ok(AttrValue::Bool(*v)),
            Value::Float(v) => return Ok(AttrValue::Float(v.to_bits())),
            Value::Str(text) => return Ok(AttrValue::Str(text.as_str().into())),
            Value::DType(bits) => return Ok(AttrValue::Type(super::dtypes::dtype(*bits)?)),
            Value::Other => return Err(Unsupported::new("an attribute of a kind that is not known")),
            Value::Object(object) => object,
        };
        match object.type_index() {
            abi::index::ARRAY => {
                let items = object.items()?;
                return Ok(AttrValue::List(
                    items.iter().map(|item| self.attribute(item)).collect::<Res<_>>()?,
                ));
            }
            abi::index::MAP => return Ok(AttrValue::Dict(self.annotations(object)?)),
            _ => {}
        }
        Ok(match self.tvm.kind(object) {
            Some(Kind::IntImm) => {
                let (dtype, value) = (self.dtype(object)?, self.tvm.int(object, "value")?);
                match dtype {
                    DType::I32 => AttrValue::Int(value),
                    DType::BOOL => AttrValue::Bool(value != 0),
                    _ => AttrValue::Expr(Box::new(Expr::int(value, dtype))),
                }
            }
            Some(Kind::StringImm) => AttrValue::Str(self.tvm.text(object, "value")?.into()),
            Some(Kind::Target) => {
                let kind = self.tvm.object(object, "kind")?;
                let name = AttrValue::Str(self.tvm.text(&kind, "name")?.into());
                let entries = AttrValue::Dict(vec![("kind".into(), name)]);
                AttrValue::Call("target".into(), vec![entries], Vec::new())
            }
            Some(Kind::Var) if self.is_buffer(object) => self.opaque(object),
            Some(kind) if is_expression(kind) => AttrValue::Expr(Box::new(self.expr(object)?)),
            _ => self.opaque(object),
        })
    }

    /// An object by its identity.
    fn opaque(&self, object: &Obj) -> AttrValue {
        AttrValue::Call("object".into(), vec![AttrValue::Int(object.address() as i64)], Vec::new())
    }

    /// The entries of a map of attributes.
    pub(super) fn annotations(&mut self, map: &Obj) -> Res<Vec<(Arc<str>, AttrValue)>> {
        let mut entries = Vec::new();
        for (key, value) in self.tvm.entries(map)? {
            let Value::Str(key) = key else { return Err(Unsupported::new("an attribute without a name")) };
            entries.push((Arc::from(key), self.attribute(&value)?));
        }
        Ok(entries)
    }

    /// What an attribute statement is about.
    pub(super) fn attr_node(&mut self, value: &Value) -> Res<AttrNode> {
        let Value::Object(object) = value else { return Ok(AttrNode::Value(self.attribute(value)?)) };
        Ok(match self.tvm.kind(object) {
            Some(Kind::Var) if self.is_buffer(object) => AttrNode::Buffer(self.buffer(object)?),
            Some(Kind::Var) => AttrNode::Var(self.var(object)?),
            Some(Kind::CommReducer) => AttrNode::CommReducer(self.reducer(object)?),
            Some(Kind::IterVar) => {
                let var = self.var(&*self.tvm.object(object, "var")?)?;
                let dom = match self.tvm.optional(object, "dom")? {
                    Some(range) => Some((self.field(&range, "min")?, self.field(&range, "extent")?)),
                    None => None,
                };
                let number = usize::try_from(self.tvm.int(object, "iter_type")?).unwrap_or(usize::MAX);
                let kind = ITERATIONS.get(number).ok_or_else(|| Unsupported::new("an unknown iteration"))?;
                let thread_tag = self.tvm.text(object, "thread_tag")?.into();
                AttrNode::IterVar { var, dom, kind: (*kind).into(), thread_tag }
            }
            _ => AttrNode::Value(self.attribute(value)?),
        })
    }

    fn reducer(&mut self, object: &Obj) -> Res<CommReducer> {
        let mut params = Vec::new();
        for side in ["lhs", "rhs"] {
            for var in &self.tvm.objects(object, side)? {
                params.push(self.var(var)?);
            }
        }
        Ok(CommReducer {
            params,
            result: self.exprs(object, "result")?,
            identity: self.exprs(object, "identity_element")?,
        })
    }
}

/// Whether objects of the class are expressions that attributes may hold.
fn is_expression(kind: Kind) -> bool {
    super::names::binary(kind).is_some()
        || matches!(kind, Kind::Var | Kind::FloatImm | Kind::Cast | Kind::Call)
}
