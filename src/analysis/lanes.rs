//! What must not be bound in the bodies of vectorized loops.
//!
//! TVM makes one statement of all iterations of such a loop, and a vector of a variable that is bound in it and varies. Its
//! pass takes no vector of truth values there; and a statement with a condition it writes as a loop after all, in which
//! those vectors are missing. Where the input says the same without bindings, it compiles.

use crate::ir::{Block, Expr, ExprKind, For, ForKind, Stmt, StmtKind};

/// What may be bound at a place if it varies between the iterations of a vectorized loop around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lanes {
    /// Anything: there is no such loop.
    #[default]
    None,
    /// All but truth values.
    Numbers,
    /// Nothing: in the loop there is a condition.
    Nothing,
}

impl Lanes {
    /// Whether a value may be bound. `is_truth`: a truth value, or one as a number.
    pub(crate) fn allow(self, is_truth: bool) -> bool {
        match self {
            Lanes::None => true,
            Lanes::Numbers => !is_truth,
            Lanes::Nothing => false,
        }
    }

    /// What may be bound in a block of a statement that stands where `self` holds.
    pub(crate) fn within(self, stmt: &Stmt) -> Lanes {
        match &stmt.kind {
            StmtKind::For(f) => self.max(Lanes::of(f)),
            _ => self,
        }
    }

    fn of(f: &For) -> Lanes {
        match f.kind {
            ForKind::Vectorized if branches(&f.body) => Lanes::Nothing,
            ForKind::Vectorized => Lanes::Numbers,
            _ => Lanes::None,
        }
    }
}

/// Whether there is a condition in a block, or a loop whose length may vary.
fn branches(block: &Block) -> bool {
    block.iter().any(|stmt| {
        let mut found = false;
        stmt.walk(&mut |stmt| {
            found |= match &stmt.kind {
                StmtKind::If { .. } | StmtKind::While { .. } => true,
                StmtKind::For(f) => [&f.min, &f.extent].into_iter().any(|e| e.as_int().is_none()),
                _ => false,
            };
            stmt.for_each_expr(|e| e.walk(&mut |e| found |= is_choice(e)));
        });
        found
    })
}

fn is_choice(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Call(_)) && e.as_intrin().is_some_and(|(name, _)| name == "if_then_else")
}
