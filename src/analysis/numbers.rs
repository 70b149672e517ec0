//! Variables by numbers in the order of their occurrence, so that questions in other variables are equal.

use crate::ir::{Expr, ExprKind, VarId};

/// The variables that have numbers.
#[derive(Debug, Default)]
pub(crate) struct Numbers(Vec<VarId>);

impl Numbers {
    /// The variable with a number.
    pub(crate) fn var(&self, number: usize) -> Option<VarId> {
        self.0.get(number).copied()
    }

    /// All variables, in the order of their numbers.
    pub(crate) fn vars(&self) -> &[VarId] {
        &self.0
    }

    /// The number of a variable, a new one if it has none.
    pub(crate) fn of(&mut self, var: VarId) -> VarId {
        let number = self.0.iter().position(|v| *v == var).unwrap_or_else(|| {
            self.0.push(var);
            self.0.len() - 1
        });
        VarId(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// The expression in numbers, new ones for variables that have none.
    pub(crate) fn number(&mut self, e: &Expr) -> Expr {
        renamed(e, &mut |var| self.of(var))
    }

    /// The expression in numbers, if all its variables have one.
    pub(crate) fn numbered(&self, e: &Expr) -> Option<Expr> {
        let mut known = true;
        let numbered = renamed(e, &mut |var| {
            let number = self.0.iter().position(|v| *v == var);
            known &= number.is_some();
            VarId(number.and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX))
        });
        known.then_some(numbered)
    }

    /// The expression whose variables are given by their numbers.
    pub(crate) fn named(&self, e: &Expr) -> Expr {
        renamed(e, &mut |number| self.0[number.index()])
    }
}

/// The expression with other variables.
fn renamed(e: &Expr, name: &mut impl FnMut(VarId) -> VarId) -> Expr {
    fn rename(e: &mut Expr, name: &mut impl FnMut(VarId) -> VarId) {
        if let ExprKind::Var(var) | ExprKind::Let(var, ..) = &mut e.kind {
            *var = name(*var);
        }
        e.for_each_child_mut(|child| rename(child, name));
    }
    let mut e = e.clone();
    rename(&mut e, name);
    e
}
