//! Maps of JSON in which a name may stand once only: usually the last one counts and the others are ignored silently.

use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use indexmap::map::Entry;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// A map from names, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Map<T>(pub(crate) IndexMap<String, T>);

impl<T> Default for Map<T> {
    fn default() -> Map<T> {
        Map(IndexMap::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Map<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Map<T>, D::Error> {
        deserializer.deserialize_map(Names(PhantomData))
    }
}

struct Names<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Names<T> {
    type Value = Map<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Map<T>, A::Error> {
        let mut map = IndexMap::new();
        while let Some((name, value)) = access.next_entry::<String, T>()? {
            match map.entry(name) {
                Entry::Vacant(entry) => entry.insert(value),
                Entry::Occupied(entry) => {
                    return Err(A::Error::custom(format_args!("`{}` is given twice", entry.key())));
                }
            };
        }
        Ok(Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_once() {
        let map: Map<i64> = serde_json::from_str(r#"{"b": 1, "a": 2}"#).unwrap();
        assert_eq!(map.0.keys().collect::<Vec<_>>(), ["b", "a"]);
        let error = serde_json::from_str::<Map<i64>>(r#"{"a": 1, "a": 1}"#).unwrap_err();
        assert!(error.to_string().starts_with("`a` is given twice"), "{error}");
        assert!(serde_json::from_str::<Map<i64>>("[]").is_err());
    }
}
