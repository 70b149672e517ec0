//! Short lists of classes: operands of nodes, atoms of products.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

use egg::Id;

/// How many classes a list holds without an allocation.
const FEW: usize = 3;

/// A list of classes. The graph of a large function has millions of them, and to wait for memory is what makes it take
/// longer than a small one; so a list is no larger than two addresses.
#[derive(Clone)]
pub(crate) struct Ids(List);

#[derive(Clone)]
enum List {
    /// The first of these.
    Few { length: u8, ids: [Id; FEW] },
    #[allow(clippy::box_collection, reason = "a vector by itself would make every list larger")]
    Many(Box<Vec<Id>>),
}

impl Ids {
    /// Adds a class at the end.
    pub(crate) fn push(&mut self, id: Id) {
        match &mut self.0 {
            List::Few { length, ids } if usize::from(*length) < FEW => {
                ids[usize::from(*length)] = id;
                *length += 1;
            }
            List::Few { ids, .. } => {
                let mut many = Vec::with_capacity(2 * FEW);
                many.extend_from_slice(ids);
                many.push(id);
                self.0 = List::Many(Box::new(many));
            }
            List::Many(ids) => ids.push(id),
        }
    }

    /// Takes a class out by its position.
    pub(crate) fn remove(&mut self, at: usize) {
        match &mut self.0 {
            List::Few { length, ids } => {
                ids.copy_within(at + 1..usize::from(*length), at);
                *length -= 1;
            }
            List::Many(ids) => {
                ids.remove(at);
            }
        }
    }
}

impl Default for Ids {
    fn default() -> Ids {
        Ids(List::Few { length: 0, ids: [Id::default(); FEW] })
    }
}

impl Deref for Ids {
    type Target = [Id];

    fn deref(&self) -> &[Id] {
        match &self.0 {
            List::Few { length, ids } => &ids[..usize::from(*length)],
            List::Many(ids) => ids,
        }
    }
}

impl DerefMut for Ids {
    fn deref_mut(&mut self) -> &mut [Id] {
        match &mut self.0 {
            List::Few { length, ids } => &mut ids[..usize::from(*length)],
            List::Many(ids) => ids,
        }
    }
}

impl FromIterator<Id> for Ids {
    fn from_iter<I: IntoIterator<Item = Id>>(ids: I) -> Ids {
        let mut list = Ids::default();
        ids.into_iter().for_each(|id| list.push(id));
        list
    }
}

impl<'a> IntoIterator for &'a Ids {
    type Item = &'a Id;
    type IntoIter = std::slice::Iter<'a, Id>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Ids {
    type Item = &'a mut Id;
    type IntoIter = std::slice::IterMut<'a, Id>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl PartialEq for Ids {
    fn eq(&self, other: &Ids) -> bool {
        **self == **other
    }
}

impl Eq for Ids {}

impl PartialOrd for Ids {
    fn partial_cmp(&self, other: &Ids) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ids {
    fn cmp(&self, other: &Ids) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Ids {
    // Two numbers at a time: each number that is hashed takes its time.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let number = |id: Id| usize::from(id) as u64;
        let first = self.first().map_or(0, |&id| number(id));
        state.write_u64(first << 32 | self.len() as u64);
        for pair in self.get(1..).unwrap_or_default().chunks(2) {
            state.write_u64(pair.iter().fold(0, |both, &id| both << 32 | number(id)));
        }
    }
}

impl fmt::Debug for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::mem::size_of;

    use super::*;

    fn list(ids: &[usize]) -> Ids {
        ids.iter().map(|&i| Id::from(i)).collect()
    }

    #[test]
    fn lists_of_any_length_are_those_of_their_classes() {
        assert_eq!(size_of::<Ids>(), 16);
        for length in 0..7 {
            let ids: Vec<usize> = (1..=length).collect();
            let all = list(&ids);
            assert_eq!(all.len(), length);
            for at in 0..length {
                let (mut rest, mut expected) = (all.clone(), ids.clone());
                rest.remove(at);
                expected.remove(at);
                assert_eq!(rest, list(&expected));
                assert!(rest != all && rest.cmp(&all) == expected.cmp(&ids));
            }
        }
    }
}
