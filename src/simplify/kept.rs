//! A function's own statements by what they are, so that what is found of one is kept while a search runs: its states differ in
//! a few of them.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::analysis::hashed::Hashed;
use crate::analysis::recall;
use crate::ir::{Excerpt, PrimFunc, Stmt, StmtKind};

/// In functions with more statements of their own nothing is kept: it takes time to tell them from others.
const MAX_STATEMENTS: usize = 64;

/// A statement, by itself and by the ids that it has in its function.
#[derive(Clone, Debug, PartialEq)]
struct Named(Excerpt);

// One that is not equal to itself is told from itself, and nothing is found for it.
impl Eq for Named {}

impl Hash for Named {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for stmt in &self.0.func.body {
            stmt.walk(&mut |stmt| {
                std::mem::discriminant(&stmt.kind).hash(state);
                stmt.for_each_expr(|e| e.hash(state));
            });
        }
    }
}

/// A list of statements that ends with this one, by the number of what stands before.
#[derive(Clone, PartialEq, Eq, Hash)]
struct List {
    before: Option<usize>,
    last: Hashed<Named>,
}

/// Numbers of each of the function's own statements and, where they are asked for, of the lists of statements that end with
/// each: equal ones have equal numbers while the search runs.
pub(super) struct Numbers {
    pub(super) statements: Vec<usize>,
    pub(super) lists: Vec<usize>,
}

impl Numbers {
    /// Those of a function; `None` while no search runs, or if there are many.
    pub(super) fn of(func: &PrimFunc) -> Option<Numbers> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        if func.body.len() > MAX_STATEMENTS || !recall::keeps() {
            return None;
        }
        let number = |list: &List| recall::answer(list, |_| NEXT.fetch_add(1, Ordering::Relaxed));
        let (mut statements, mut lists) = (Vec::new(), Vec::new());
        for stmt in &func.body {
            let last = named(func, stmt);
            let own = number(&List { before: None, last: last.clone() });
            let before = lists.last().copied();
            lists.push(if before.is_some() { number(&List { before, last }) } else { own });
            statements.push(own);
        }
        Some(Numbers { statements, lists })
    }
}

fn named(func: &PrimFunc, stmt: &Stmt) -> Hashed<Named> {
    Hashed::new(Named(func.excerpt(vec![stmt.clone()])))
}

/// Whether a statement says nothing of those behind it, and nothing within it allocates.
pub(super) fn stands_alone(stmt: &Stmt) -> bool {
    if matches!(stmt.kind, StmtKind::Alloc { .. }) {
        return true;
    }
    let mut alone = matches!(stmt.kind, StmtKind::For(_) | StmtKind::Store { .. } | StmtKind::If { .. });
    stmt.walk(&mut |stmt| alone &= !matches!(stmt.kind, StmtKind::Alloc { .. } | StmtKind::SBlock(_)));
    alone
}
