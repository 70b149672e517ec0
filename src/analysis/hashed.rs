//! Keys of tables that are long to hash: expressions are trees, and a table hashes its keys again whenever it grows.

use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

use foldhash::fast::FixedState;

/// A value with its hash, which is found once. A copy of it is the same value.
#[derive(Debug)]
pub(crate) struct Hashed<T> {
    hash: u64,
    value: Rc<T>,
}

impl<T: Hash> Hashed<T> {
    pub(crate) fn new(value: T) -> Hashed<T> {
        Hashed { hash: FixedState::default().hash_one(&value), value: Rc::new(value) }
    }
}

impl<T> Clone for Hashed<T> {
    fn clone(&self) -> Hashed<T> {
        Hashed { hash: self.hash, value: Rc::clone(&self.value) }
    }
}

impl<T> Deref for Hashed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Hash for Hashed<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl<T: PartialEq> PartialEq for Hashed<T> {
    fn eq(&self, other: &Hashed<T>) -> bool {
        self.hash == other.hash && (Rc::ptr_eq(&self.value, &other.value) || self.value == other.value)
    }
}

impl<T: Eq> Eq for Hashed<T> {}

#[cfg(test)]
mod tests {
    use hashbrown::HashSet;

    use super::*;

    #[test]
    fn equal_values_are_one_key() {
        let [a, b] = [0, 0].map(|_| Hashed::new(String::from("a")));
        let keys: HashSet<_> = [a.clone(), a, b, Hashed::new(String::from("b"))].into_iter().collect();
        assert_eq!(keys.len(), 2);
    }
}
