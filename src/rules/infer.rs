//! The types of a rule's parts: inferred by unification, then checked against what each operator is defined on.
//!
//! Every part of a pattern has a slot. Operators tie slots together (the operands of `add` and its value are of one
//! type, those of `lt` of one type, its value is `bool`, …). What nothing determines is of type `@t`, except below a
//! `cast`, where the type must be declared.

use super::ast::{Hole, Pat, RuleOp, TypeClass, TypeRef, TypeVar};
use super::sexp::Fault;
use crate::diag::Span;
use crate::ir::Operands;

/// A part of a pattern before its type is known.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) kind: RawKind,
    pub(super) slot: Slot,
    pub(super) span: Span,
}

/// As [`Pat`], without types.
#[derive(Debug)]
pub(super) enum RawKind {
    Hole(usize),
    Int(i64),
    Float(u64),
    Bool(bool),
    Op(RuleOp, Vec<Raw>),
    Cast(Box<Raw>),
    Fold(Pat),
}

/// A place in [`Types`].
pub(super) type Slot = usize;

/// The slots of one rule.
#[derive(Debug, Default)]
pub(super) struct Types {
    // Invariant: `parent[i] <= i`, and a root is its own parent.
    parent: Vec<Slot>,
    // Meaningful for roots.
    known: Vec<Option<TypeRef>>,
    // Operands of casts: must be known in the end.
    below_cast: Vec<Slot>,
}

impl Types {
    pub(super) fn fresh(&mut self) -> Slot {
        self.parent.push(self.parent.len());
        self.known.push(None);
        self.parent.len() - 1
    }

    pub(super) fn of(&mut self, ty: TypeRef) -> Slot {
        let slot = self.fresh();
        self.known[slot] = Some(ty);
        slot
    }

    pub(super) fn below_cast(&mut self, slot: Slot) {
        self.below_cast.push(slot);
    }

    pub(super) fn get(&self, slot: Slot) -> Option<TypeRef> {
        self.known[self.root(slot)]
    }

    /// Makes two slots one; `Err` holds the two types that differ.
    pub(super) fn unify(&mut self, a: Slot, b: Slot) -> Result<(), (TypeRef, TypeRef)> {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        match (self.known[low], self.known[high]) {
            (Some(x), Some(y)) if x != y => {
                return Err((self.known[a].unwrap_or(x), self.known[b].unwrap_or(y)));
            }
            (None, known) => self.known[low] = known,
            (Some(_), _) => {}
        }
        self.parent[high] = low;
        Ok(())
    }

    fn root(&self, mut slot: Slot) -> Slot {
        while self.parent[slot] != slot {
            slot = self.parent[slot];
        }
        slot
    }
}

/// The finished parts: turns raw patterns into typed ones, with every check that needs the types.
pub(super) struct Finish<'a> {
    pub(super) types: &'a Types,
    pub(super) vars: &'a [TypeVar],
    pub(super) holes: &'a [Hole],
    /// What `@t` is.
    pub(super) default: TypeRef,
}

impl Finish<'_> {
    /// The type of a slot.
    pub(super) fn ty(&self, slot: Slot) -> TypeRef {
        self.types.get(slot).unwrap_or(self.default)
    }

    pub(super) fn pat(&self, raw: &Raw) -> Result<Pat, Fault> {
        let ty = self.ty(raw.slot);
        Ok(match &raw.kind {
            RawKind::Hole(hole) => Pat::Hole(*hole),
            RawKind::Bool(value) => Pat::Bool(*value),
            RawKind::Int(value) => {
                if !self.all(ty, is_integer) {
                    return self.fault(raw, ty, "an integer cannot stand for a value of");
                }
                Pat::Int(*value, ty)
            }
            RawKind::Float(bits) => {
                if !self.all(ty, |class| class == TypeClass::Float) {
                    return self.fault(raw, ty, "a float cannot stand for a value of");
                }
                Pat::Float(*bits, ty)
            }
            RawKind::Fold(term) => {
                let compares = matches!(term, Pat::Op(RuleOp::Bin(op), _) if op.is_compare());
                if compares != (ty == TypeRef::Bool) || !(compares || self.all(ty, is_integer)) {
                    return self.fault(raw, ty, "what is computed here cannot be of");
                }
                Pat::Fold(Box::new(term.clone()), ty)
            }
            RawKind::Cast(arg) => Pat::Cast(ty, Box::new(self.pat(arg)?)),
            RawKind::Op(op, args) => {
                let operand = self.ty(args[args.len() - 1].slot);
                if !self.all(operand, |class| defined(*op, class)) {
                    let message = format!("`{}` is not defined on", op.name());
                    return self.fault(raw, operand, &message);
                }
                Pat::Op(*op, args.iter().map(|arg| self.pat(arg)).collect::<Result<_, _>>()?)
            }
        })
    }

    /// Operands of casts have no default type.
    pub(super) fn check_casts(&self, raw: &Raw) -> Result<(), Fault> {
        match &raw.kind {
            RawKind::Cast(arg) => {
                let open = |slot: &Slot| self.types.root(*slot) == self.types.root(arg.slot);
                if self.types.get(arg.slot).is_none() && self.types.below_cast.iter().any(open) {
                    let message = "nothing says what type this has: declare it, as in `(of @s ?x)`";
                    return Err((arg.span, message.to_owned()));
                }
                self.check_casts(arg)
            }
            RawKind::Op(_, args) => args.iter().try_for_each(|arg| self.check_casts(arg)),
            RawKind::Hole(_) | RawKind::Int(_) | RawKind::Float(_) | RawKind::Bool(_) | RawKind::Fold(_) => {
                Ok(())
            }
        }
    }

    /// Whether every type that `ty` can be passes.
    pub(super) fn all(&self, ty: TypeRef, test: impl Fn(TypeClass) -> bool) -> bool {
        self.classes(ty).into_iter().all(test)
    }

    /// The basic classes that `ty` ranges over: index, int, uint, bool, float.
    fn classes(&self, ty: TypeRef) -> Vec<TypeClass> {
        let of_class = |class: &TypeClass| match class {
            TypeClass::AnyInt => vec![TypeClass::Int, TypeClass::UInt],
            TypeClass::Any => vec![TypeClass::Int, TypeClass::UInt, TypeClass::Bool, TypeClass::Float],
            TypeClass::Exactly(dtype) => {
                let basic = [TypeClass::Int, TypeClass::UInt, TypeClass::Bool, TypeClass::Float];
                basic.into_iter().filter(|class| class.contains(*dtype)).collect()
            }
            &class => vec![class],
        };
        match ty {
            TypeRef::Bool => vec![TypeClass::Bool],
            TypeRef::Var(var) => self.vars[var].classes.iter().flat_map(of_class).collect(),
            TypeRef::Is(dtype) => of_class(&TypeClass::Exactly(dtype)),
        }
    }

    fn fault<T>(&self, raw: &Raw, ty: TypeRef, what: &str) -> Result<T, Fault> {
        let names: Vec<String> = match ty {
            TypeRef::Var(var) => self.vars[var].classes.iter().map(TypeClass::to_string).collect(),
            TypeRef::Bool => vec!["bool".to_owned()],
            TypeRef::Is(dtype) => vec![dtype.to_string()],
        };
        Err((raw.span, format!("{what} type `{}`", names.join(" "))))
    }
}

/// Decides where a rule's holes are scalars, if the rule is about vectors. The root has all lanes.
pub(super) fn shapes(raw: &Raw, scalar: bool, found: &mut [Option<bool>]) -> Result<(), Fault> {
    match &raw.kind {
        RawKind::Hole(hole) => match found[*hole] {
            Some(other) if other != scalar => {
                Err((raw.span, "this hole is a scalar in one place and a vector in another".to_owned()))
            }
            _ => {
                found[*hole] = Some(scalar);
                Ok(())
            }
        },
        RawKind::Op(op @ (RuleOp::Ramp | RuleOp::Broadcast), args) => {
            if scalar {
                return Err((
                    raw.span,
                    format!("`{}` makes a vector, where a scalar is expected", op.name()),
                ));
            }
            args.iter().try_for_each(|arg| shapes(arg, true, found))
        }
        RawKind::Op(_, args) => args.iter().try_for_each(|arg| shapes(arg, scalar, found)),
        RawKind::Cast(arg) => shapes(arg, scalar, found),
        RawKind::Int(_) | RawKind::Float(_) | RawKind::Bool(_) | RawKind::Fold(_) => Ok(()),
    }
}

/// Whether the rule builds or matches a vector from scalars.
pub(super) fn has_vectors(raw: &Raw) -> bool {
    match &raw.kind {
        RawKind::Op(RuleOp::Ramp | RuleOp::Broadcast, _) => true,
        RawKind::Op(_, args) => args.iter().any(has_vectors),
        RawKind::Cast(arg) => has_vectors(arg),
        RawKind::Hole(_) | RawKind::Int(_) | RawKind::Float(_) | RawKind::Bool(_) | RawKind::Fold(_) => false,
    }
}

/// Whether a basic class is one of integers.
pub(super) fn is_integer(class: TypeClass) -> bool {
    matches!(class, TypeClass::Index | TypeClass::Int | TypeClass::UInt | TypeClass::AnyInt)
}

/// Whether an operator takes operands of a basic class.
fn defined(op: RuleOp, class: TypeClass) -> bool {
    match op {
        RuleOp::Bin(op) => match op.operands() {
            Operands::Any => true,
            Operands::Numbers => class != TypeClass::Bool,
            Operands::Integers => is_integer(class),
            Operands::Truths => class == TypeClass::Bool,
        },
        RuleOp::Not | RuleOp::Likely => class == TypeClass::Bool,
        RuleOp::Select | RuleOp::IfThenElse | RuleOp::Broadcast => true,
        RuleOp::Math(_) | RuleOp::Ramp => is_integer(class),
    }
}
