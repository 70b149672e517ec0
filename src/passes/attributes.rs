//! What functions ask for themselves, in attributes: layouts for their buffers (`satir.layout`), and the buffers that they get
//! from other functions (`satir.edges`).

use serde_json::Value;

use super::args::Request;
use crate::ir::{AttrValue, PrimFunc};

const LAYOUT: &str = "satir.layout";
const EDGES: &str = "satir.edges";

/// Takes the wanted ones of the requests out of the attribute `satir.layout`: an object or a list of objects as `--args` has
/// them, or the same as JSON in a string. An attribute of which nothing is left goes.
pub(super) fn take_layouts(
    func: &mut PrimFunc,
    wanted: impl Fn(&Request) -> bool,
) -> Result<Vec<Request>, String> {
    let Some(at) = func.attrs.iter().position(|(key, _)| **key == *LAYOUT) else { return Ok(Vec::new()) };
    let bad = |what: String| format!("the attribute `{LAYOUT}` of `{}`: {what}", func.name);
    let items = match data(&func.attrs[at].1).map_err(bad)? {
        Value::Array(items) => items,
        item => vec![item],
    };
    let (mut taken, mut left) = (Vec::new(), Vec::new());
    for item in items {
        let request: Request = serde_json::from_value(item.clone()).map_err(|e| bad(e.to_string()))?;
        if request.map.is_none() || request.buffer.is_none() {
            return Err(bad("a layout has the keys `buffer` and `map`".to_owned()));
        }
        if wanted(&request) {
            taken.push(request);
        } else {
            left.push(item);
        }
    }
    if left.is_empty() {
        func.attrs.remove(at);
    } else if !taken.is_empty() {
        func.attrs[at].1 = AttrValue::Str(Value::Array(left).to_string().into());
    }
    Ok(taken)
}

/// The edges that the attribute `satir.edges` names: one as a string, or a list of them.
pub(super) fn edges(func: &PrimFunc) -> Result<Vec<String>, String> {
    let Some((_, value)) = func.attrs.iter().find(|(key, _)| **key == *EDGES) else { return Ok(Vec::new()) };
    let values = match value {
        AttrValue::List(values) => values.as_slice(),
        one => std::slice::from_ref(one),
    };
    let text = |value: &AttrValue| match value {
        AttrValue::Str(text) => Ok(text.to_string()),
        _ => Err(format!("the attribute `{EDGES}` of `{}` is no string or list of strings", func.name)),
    };
    values.iter().map(text).collect()
}

/// An attribute as JSON; a string is JSON already.
fn data(value: &AttrValue) -> Result<Value, String> {
    match value {
        AttrValue::Str(text) => serde_json::from_str(text).map_err(|e| e.to_string()),
        other => plain(other).ok_or_else(|| "expected an object, a list of objects, or JSON".to_owned()),
    }
}

fn plain(value: &AttrValue) -> Option<Value> {
    Some(match value {
        AttrValue::None => Value::Null,
        AttrValue::Bool(b) => (*b).into(),
        AttrValue::Int(v) => (*v).into(),
        AttrValue::Str(text) => (**text).into(),
        AttrValue::List(items) => Value::Array(items.iter().map(plain).collect::<Option<_>>()?),
        AttrValue::Dict(entries) => {
            let entry =
                |(key, value): &(std::sync::Arc<str>, AttrValue)| Some((key.to_string(), plain(value)?));
            Value::Object(entries.iter().map(entry).collect::<Option<_>>()?)
        }
        AttrValue::Expr(e) => e.as_int()?.into(),
        AttrValue::Float(_) | AttrValue::Type(_) | AttrValue::Call(..) => return None,
    })
}
