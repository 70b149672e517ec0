//! What is wrong with an index map, by trying its domain: two elements that it maps to one place, or an index below zero.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::domain::Domain;
use crate::ir::value::{Value, evaluate};
use crate::ir::{Expr, VarId};

/// The most elements that are tried.
const MAX_ELEMENTS: i64 = 1 << 16;

/// What is wrong with an index map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Two elements have one place.
    Collision {
        /// One element.
        first: Vec<i64>,
        /// Another one.
        second: Vec<i64>,
        /// Where both are.
        place: Vec<i64>,
    },
    /// An element has a negative index.
    Negative {
        /// The element.
        element: Vec<i64>,
        /// Its place.
        place: Vec<i64>,
    },
}

/// The first thing that is wrong with the map of `indices` on domains with constant bounds; `None` if nothing is found, or if
/// the map cannot be evaluated: it has other variables than those of the domains, or its domain is too large.
pub(crate) fn trouble(indices: &[Expr], domains: &[Domain]) -> Option<Trouble> {
    let mut bounds = Vec::with_capacity(domains.len());
    let mut elements = 1_i64;
    for domain in domains {
        let (min, extent) = (domain.min.as_int()?, domain.extent.as_int()?);
        elements = elements.checked_mul(extent)?;
        bounds.push((domain.var, min, extent));
    }
    if elements > MAX_ELEMENTS || elements <= 0 {
        return None;
    }
    let mut seen: HashMap<Vec<i64>, Vec<i64>> = HashMap::new();
    let mut element: Vec<i64> = bounds.iter().map(|&(_, min, _)| min).collect();
    for _ in 0..elements {
        let value_of = |var: VarId| {
            let at = bounds.iter().position(|&(v, ..)| v == var)?;
            Some(Value::Int(element[at]))
        };
        let mut place = Vec::with_capacity(indices.len());
        for index in indices {
            match evaluate(index, &value_of)? {
                Value::Int(v) => place.push(v),
                Value::Float(_) => return None,
            }
        }
        if place.iter().any(|&i| i < 0) {
            return Some(Trouble::Negative { element, place });
        }
        match seen.entry(place) {
            Entry::Occupied(entry) => {
                let (place, first) = (entry.key().clone(), entry.get().clone());
                return Some(Trouble::Collision { first, second: element, place });
            }
            Entry::Vacant(entry) => {
                entry.insert(element.clone());
            }
        }
        for at in (0..bounds.len()).rev() {
            let (_, min, extent) = bounds[at];
            element[at] += 1;
            if element[at] < min + extent {
                break;
            }
            element[at] = min;
        }
    }
    None
}
