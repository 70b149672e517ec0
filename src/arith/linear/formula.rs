//! Formulas over linear forms, in negation normal form.

use super::form::Form;

/// A condition on columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Formula {
    /// `0 <= form`
    AtLeast(Form),
    /// `0 = form`
    Zero(Form),
    /// Every one holds; true if there are none.
    All(Vec<Formula>),
    /// One holds; false if there are none.
    Any(Vec<Formula>),
}

impl Formula {
    /// The constant formula.
    pub(super) fn truth(value: bool) -> Formula {
        if value { Formula::All(Vec::new()) } else { Formula::Any(Vec::new()) }
    }

    /// `0 <= form`, decided where that is plain.
    pub(super) fn at_least(form: Form) -> Formula {
        match form.as_constant() {
            Some(v) => Formula::truth(v >= 0),
            None => Formula::AtLeast(form),
        }
    }

    /// `0 = form`, decided where that is plain.
    pub(super) fn zero(form: Form) -> Formula {
        match form.as_constant() {
            Some(v) => Formula::truth(v == 0),
            None if form.constant_term() % form.content() != 0 => Formula::truth(false),
            None => Formula::Zero(form),
        }
    }

    /// Whether it is the constant `value`.
    pub(super) fn is(&self, value: bool) -> bool {
        match self {
            Formula::All(parts) => value && parts.is_empty(),
            Formula::Any(parts) => !value && parts.is_empty(),
            Formula::AtLeast(_) | Formula::Zero(_) => false,
        }
    }

    /// Conjunction.
    pub(super) fn all(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Formula::All(inner) => kept.extend(inner),
                part if part.is(false) => return part,
                part => kept.push(part),
            }
        }
        if kept.len() == 1 { kept.remove(0) } else { Formula::All(kept) }
    }

    /// Disjunction.
    pub(super) fn any(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Formula::Any(inner) => kept.extend(inner),
                part if part.is(true) => return part,
                part => kept.push(part),
            }
        }
        if kept.len() == 1 { kept.remove(0) } else { Formula::Any(kept) }
    }

    /// Negation; `None` if a number leaves 64 bits.
    pub(super) fn negate(&self) -> Option<Formula> {
        Some(match self {
            // not 0 <= f is 0 <= -f - 1.
            Formula::AtLeast(f) => Formula::at_least(f.scale(-1)?.plus(-1)?),
            Formula::Zero(f) => {
                Formula::any([Formula::at_least(f.plus(-1)?), Formula::at_least(f.scale(-1)?.plus(-1)?)])
            }
            Formula::All(parts) => {
                Formula::any(parts.iter().map(Formula::negate).collect::<Option<Vec<_>>>()?)
            }
            Formula::Any(parts) => {
                Formula::all(parts.iter().map(Formula::negate).collect::<Option<Vec<_>>>()?)
            }
        })
    }

    /// Whether it holds for given columns; `None` if a number leaves 64 bits.
    pub(super) fn holds(&self, values: &[i64]) -> Option<bool> {
        match self {
            Formula::AtLeast(f) => f.evaluate(values).map(|v| v >= 0),
            Formula::Zero(f) => f.evaluate(values).map(|v| v == 0),
            Formula::All(parts) => parts.iter().try_fold(true, |all, p| Some(all && p.holds(values)?)),
            Formula::Any(parts) => parts.iter().try_fold(false, |any, p| Some(any || p.holds(values)?)),
        }
    }

    /// How many constraints it is made of.
    pub(super) fn size(&self) -> usize {
        let mut size = 0;
        self.for_each_form(&mut |_| size += 1);
        size
    }

    /// Calls `f` on every form.
    pub(super) fn for_each_form(&self, f: &mut impl FnMut(&Form)) {
        match self {
            Formula::AtLeast(form) | Formula::Zero(form) => f(form),
            Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|p| p.for_each_form(f)),
        }
    }
}
