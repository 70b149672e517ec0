//! What passes are told beside the program and the options: which buffer, which layout.

use serde::Deserialize;

/// What passes are told, in the order in which they are to take it. A pass takes what concerns it and leaves the rest.
///
/// ```
/// use satir::passes::Args;
///
/// let args = Args::parse(r#"{"buffer": "A", "map": "lambda i: [i // 4, i % 4]", "pad": "0"}"#)?;
/// assert_eq!(args.requests[0].buffer.as_deref(), Some("A"));
/// assert_eq!(Args::parse("null")?, Args::default());
/// assert!(Args::parse(r#"{"bufer": "A"}"#).is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Args {
    /// The requests: one for each object.
    pub requests: Vec<Request>,
}

/// One of the things that passes are told.
///
/// ```
/// use satir::passes::Request;
///
/// let request = Request { read: Some("A".to_owned()), scope: Some("local".to_owned()), ..Request::default() };
/// assert!(request.map.is_none() && !request.elide);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Request {
    /// The buffer, for `transform-layout` and `sequential-access`.
    pub buffer: Option<String>,
    /// The index map, for `transform-layout`.
    pub map: Option<String>,
    /// What padding holds, for `transform-layout`.
    pub pad: Option<String>,
    /// Whether a buffer keeps its memory, for `transform-layout`.
    pub elide: bool,
    /// The buffer that `cache-read` copies.
    pub read: Option<String>,
    /// The buffer that `cache-write` copies.
    pub write: Option<String>,
    /// The storage scope of copies.
    pub scope: Option<String>,
    /// The block whose loops `sequential-access` changes, or beside which a copy stands.
    pub block: Option<String>,
    /// The buffer that `sequential-access` runs over.
    pub sequential: Option<String>,
    /// Buffers of two functions that are one: `producer.A -> consumer.B`.
    pub edge: Option<String>,
    /// The function that keeps tensors for `backward`, for `tensor-cse`.
    pub forward: Option<String>,
    /// The function that reads what `forward` keeps.
    pub backward: Option<String>,
    /// The parameters of `forward` that are also some of `backward`, each with the other's name.
    pub shared: Option<Vec<(String, String)>>,
    /// The most bytes that `forward` keeps for `backward`.
    pub stash_budget: Option<u64>,
    /// How often a reduction that both do may read each element.
    pub recompute_limit: Option<u64>,
    /// Which conditions are hoisted.
    pub conditionals: Option<Vec<String>>,
    /// Which bindings are hoisted with them.
    pub lets: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Nothing(()),
    Many(Vec<serde_json::Value>),
    One(serde_json::Map<String, serde_json::Value>),
}

impl Args {
    /// Reads JSON: an object, a list of objects, or `null`.
    ///
    /// # Errors
    ///
    /// If it is something else, or an object has a key that no pass knows.
    ///
    /// ```
    /// let args = satir::passes::Args::parse(r#"[{"read": "A", "write": "B"}, {"buffer": "C"}]"#)?;
    /// assert_eq!(args.requests.len(), 2);
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Args, String> {
        let bad = |e: serde_json::Error| format!("not what passes are told: {e}");
        let items = match serde_json::from_str(text).map_err(bad)? {
            Written::Nothing(()) => Vec::new(),
            Written::Many(items) => items,
            Written::One(item) => vec![serde_json::Value::Object(item)],
        };
        let requests = items.into_iter().map(|item| serde_json::from_value(item).map_err(bad));
        Ok(Args { requests: requests.collect::<Result<_, _>>()? })
    }
}
