//! What an optimization removed from a program: tests, loops, writes and bindings.

use std::fmt;
use std::mem::Discriminant;

use hashbrown::HashSet;

use super::facts::Walk;
use crate::arith::Interval;
use crate::diag::Span;
use crate::ir::{Block, Expr, PrimFunc, Stmt, StmtKind};

/// A statement of the input that the result has not.
///
/// ```
/// use satir::explain::{Gone, removals};
///
/// # let text = "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\")):\n    for i in range(9):\n        if i < 9:\n            A[i] = i\n";
/// let module = satir::parse(text)?;
/// let (after, _) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let removed = removals(&module.funcs[0], &after.funcs[0], false);
/// assert!(matches!(&removed[0].what, Gone::Test(_)));
/// assert!(text[removed[0].span.start as usize..].starts_with("if i < 9"));
/// assert_eq!(removed[0].with_it, 0, "what it guarded stays");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Removal {
    /// Its place in the input.
    pub span: Span,
    /// What it is.
    pub what: Gone,
    /// How many statements within it went as well.
    pub with_it: usize,
    /// The range of each variable.
    pub ranges: Vec<Interval>,
    /// Conditions that hold there.
    pub conds: Vec<Expr>,
    /// Those of them that statements state which stay.
    pub(super) lasting: Vec<Expr>,
    /// The conditions of tests that stay, in a test that does nothing else than these.
    pub(super) within: Vec<Expr>,
    /// The conditions of the tests before and behind a test.
    pub(super) beside: Vec<Expr>,
    /// Whether something that was in it stays.
    pub(super) stays: bool,
}

/// What kind of statement went. Expressions have bindings of the input that can be computed anywhere replaced by their values.
///
/// ```
/// use satir::explain::Gone;
/// use satir::ir::Expr;
///
/// assert_eq!(Gone::Test(Expr::bool(true)).to_string(), "the test");
/// assert_eq!(Gone::Binding.to_string(), "the binding");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Gone {
    /// An `if` with this condition.
    Test(Expr),
    /// A loop of this extent.
    Loop(Expr),
    /// An assertion of this condition.
    Assertion(Expr),
    /// A store.
    Store,
    /// A Let binding.
    Binding,
    /// Anything else.
    Other,
}

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Gone::Test(_) => "the test",
            Gone::Loop(_) => "the loop",
            Gone::Assertion(_) => "the assertion",
            Gone::Store => "the store",
            Gone::Binding => "the binding",
            Gone::Other => "the statement",
        })
    }
}

/// The statements of `before` that `after`, which was made from it, has not, in the order of the program. Of one that went
/// with all that is in it only the outermost is told. With `positive` no dimension of a parameter's buffer is zero.
///
/// ```
/// # let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), n: T.int32):\n    for i in range(n - n):\n        A[i] = i\n    A[0] = 1\n")?;
/// let (after, _) = satir::cse::run(&module, &satir::cse::Options::default())?;
/// let removed = satir::explain::removals(&module.funcs[0], &after.funcs[0], false);
/// assert_eq!((removed.len(), removed[0].with_it), (1, 1), "the loop, with the store in it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn removals(before: &PrimFunc, after: &PrimFunc, positive: bool) -> Vec<Removal> {
    let mut kept = HashSet::new();
    for stmt in &after.body {
        stmt.walk(&mut |stmt| {
            kept.insert((stmt.span, std::mem::discriminant(&stmt.kind)));
        });
    }
    let walk = Walk::of(before, before.vars.len(), positive);
    let mut search = Search { walk: &walk, kept: &kept, next: 0, found: Vec::new() };
    search.block(&before.body);
    search.found
}

struct Search<'w, 'f> {
    walk: &'w Walk<'f>,
    kept: &'w HashSet<(Span, Discriminant<StmtKind>)>,
    /// Number of the next statement.
    next: usize,
    found: Vec<Removal>,
}

impl Search<'_, '_> {
    fn block(&mut self, block: &Block) {
        for (at, stmt) in block.iter().enumerate() {
            let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
            self.stmt(stmt, beside.filter_map(|at| test(block.get(at)?)).collect());
        }
    }

    fn stmt(&mut self, stmt: &Stmt, beside: Vec<&Expr>) {
        let number = self.next;
        self.next += 1;
        if self.is_kept(stmt) || stmt.span == Span::NONE {
            stmt.for_each_block(|block| self.block(block));
            return;
        }
        let at = self.found.len();
        self.found.push(self.removal(stmt, number, &beside));
        let mut with_it = 0;
        let mut any_stays = false;
        stmt.for_each_block(|block| {
            let mut size = 0;
            let mut stays = false;
            for stmt in block {
                stmt.walk(&mut |stmt| {
                    size += 1;
                    stays |= self.is_kept(stmt);
                });
            }
            any_stays |= stays;
            if stays {
                self.block(block);
            } else {
                self.next += size;
                with_it += size;
            }
        });
        self.found[at].with_it = with_it;
        self.found[at].stays = any_stays;
    }

    fn is_kept(&self, stmt: &Stmt) -> bool {
        self.kept.contains(&(stmt.span, std::mem::discriminant(&stmt.kind)))
    }

    fn removal(&self, stmt: &Stmt, number: usize, beside: &[&Expr]) -> Removal {
        let expanded = |e: &Expr| self.walk.expanded(e, &mut Vec::new());
        let what = match &stmt.kind {
            StmtKind::If { cond, .. } => Gone::Test(expanded(cond)),
            StmtKind::For(l) => Gone::Loop(expanded(&l.extent)),
            StmtKind::Assert { cond, .. } => Gone::Assertion(expanded(cond)),
            StmtKind::Store { .. } => Gone::Store,
            StmtKind::Bind { .. } => Gone::Binding,
            _ => Gone::Other,
        };
        let facts = &self.walk.statements[number].facts;
        let lasting = facts.iter().filter(|fact| self.kept.iter().any(|(span, _)| *span == fact.span));
        let mut within = Vec::new();
        let mut inner = stmt;
        while let StmtKind::If { then, otherwise, .. } = &inner.kind
            && let ([only], []) = (&then[..], &otherwise[..])
            && let Some(cond) = test(only)
        {
            if self.is_kept(only) {
                within.push(expanded(cond));
            }
            inner = only;
        }
        Removal {
            span: stmt.span,
            what,
            with_it: 0,
            ranges: self.walk.ranges.clone(),
            conds: facts.iter().map(|fact| expanded(&fact.cond)).collect(),
            lasting: lasting.map(|fact| expanded(&fact.cond)).collect(),
            within,
            beside: beside.iter().map(|cond| expanded(cond)).collect(),
            stays: false,
        }
    }
}

/// The condition of a test that does no more than compute a value.
fn test(stmt: &Stmt) -> Option<&Expr> {
    match &stmt.kind {
        StmtKind::If { cond, .. } if !cond.has_effect() => Some(cond),
        _ => None,
    }
}
