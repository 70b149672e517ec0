//! Products of atoms.

use std::ops::Deref;

use egg::Id;

use super::ids::Ids;

/// A product of atoms, sorted; empty for the constant term.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct Monomial(Ids);

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
        Monomial(Ids::from_iter([id]))
    }

    /// Product.
    pub(crate) fn mul(&self, other: &Monomial) -> Monomial {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => self.iter().chain(other).copied().collect(),
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
    pub(crate) fn common(&self, other: &Monomial) -> Monomial {
        let mut rest = other.clone();
        let both = |id: &Id| match rest.iter().position(|x| x == id) {
            Some(at) => {
                rest.0.remove(at);
                true
            }
            None => false,
        };
        self.iter().copied().filter(both).collect()
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
