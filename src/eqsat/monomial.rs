//! Products of atoms.

use std::hash::{Hash, Hasher};
use std::ops::Deref;

use egg::Id;
use smallvec::SmallVec;

use super::lang::hash_ids;

/// A product of atoms, sorted; empty for the constant term. Products of up to two atoms take no allocation.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Monomial(SmallVec<[Id; 2]>);

impl Clone for Monomial {
    // The atoms are copied as a whole: the clone of a `SmallVec` goes element by element.
    fn clone(&self) -> Monomial {
        Monomial(SmallVec::from_slice(&self.0))
    }
}

impl Hash for Monomial {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_ids(&self.0, state);
    }
}

impl Deref for Monomial {
    type Target = [Id];

    fn deref(&self) -> &[Id] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Monomial {
    type Item = &'a Id;
    type IntoIter = std::slice::Iter<'a, Id>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl FromIterator<Id> for Monomial {
    fn from_iter<I: IntoIterator<Item = Id>>(atoms: I) -> Monomial {
        let mut monomial = Monomial(atoms.into_iter().collect());
        monomial.0.sort_unstable();
        monomial
    }
}

impl Monomial {
    /// The empty product.
    pub(crate) fn new() -> Monomial {
        Monomial::default()
    }

    /// One atom.
    pub(crate) fn atom(id: Id) -> Monomial {
        Monomial(SmallVec::from_slice(&[id]))
    }

    /// Product.
    pub(crate) fn mul(&self, other: &Monomial) -> Monomial {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => {
                let mut atoms: SmallVec<[Id; 2]> = SmallVec::with_capacity(self.len() + other.len());
                atoms.extend_from_slice(self);
                atoms.extend_from_slice(other);
                atoms.sort_unstable();
                Monomial(atoms)
            }
        }
    }

    /// `self / divisor` as multisets, if the divisor is contained.
    pub(crate) fn divide(&self, divisor: &Monomial) -> Option<Monomial> {
        let mut rest = self.clone();
        for id in divisor {
            let at = rest.0.iter().position(|x| x == id)?;
            rest.0.remove(at);
        }
        Some(rest)
    }

    /// The largest product that divides both.
    #[must_use]
    pub(crate) fn common(mut self, other: &Monomial) -> Monomial {
        let mut rest = other.clone();
        self.0.retain(|id| match rest.0.iter().position(|x| x == id) {
            Some(at) => {
                rest.0.remove(at);
                true
            }
            None => false,
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(atoms: &[usize]) -> Monomial {
        atoms.iter().map(|&i| Id::from(i)).collect()
    }

    #[test]
    fn products_are_multisets() {
        assert_eq!(product(&[3, 1]).mul(&product(&[2, 1])), product(&[1, 1, 2, 3]));
        assert_eq!(product(&[1, 1, 2, 3]).divide(&product(&[3, 1])), Some(product(&[2, 1])));
        assert_eq!(product(&[1, 2]).divide(&product(&[1, 1])), None);
        assert_eq!(product(&[1, 1, 2]).common(&product(&[1, 2, 2])), product(&[1, 2]));
    }
}
