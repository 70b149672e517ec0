//! The changes one by one: where each may be made, and the function after it.

use super::obstacle::{Obstacle, Refusal};
use super::reason::Change;
use super::settings::Settings;
use super::statements::find;
use super::{branching, establish, merge, overcompute, remove};
use crate::analysis::accesses::Accesses;
use crate::analysis::instances::Asker;
use crate::diag::Span;
use crate::ir::{PrimFunc, Stmt, StmtKind, with_room};

/// The kinds of changes.
///
/// ```
/// use satir::noop::SiteKind;
///
/// assert_eq!(SiteKind::MergeLoops.name(), "merge-loops");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SiteKind {
    /// A condition goes.
    Overcompute,
    /// A store goes, or iterations that only do what changes nothing.
    RemoveNoOp,
    /// Two loops become one.
    MergeLoops,
    /// A statement, or the body of a loop, gets a condition.
    Branching,
}

impl SiteKind {
    /// The name of the pass that makes all changes of the kind.
    ///
    /// ```
    /// let known = satir::passes::ALL.iter().map(|pass| pass.name);
    /// assert!(known.into_iter().any(|name| name == satir::noop::SiteKind::MergeLoops.name()));
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            SiteKind::Overcompute => "overcompute",
            SiteKind::RemoveNoOp => "remove-no-op",
            SiteKind::MergeLoops => "merge-loops",
            SiteKind::Branching => "branching",
        }
    }
}

/// A place where a change may be made. Whether it may is not known before [`apply`] has proven it.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\")):\n    A[3] = 1\n    A[3] = 2\n";
/// let func = satir::parse(text)?.funcs.remove(0);
/// let sites = satir::noop::sites(&func);
/// assert_eq!(sites[1].stmt, 1);
/// assert_eq!(sites[1].to_string(), "remove-no-op: the store to `A`");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Site {
    /// What would be done.
    pub kind: SiteKind,
    /// The number of the statement, in the order in which [`Stmt::walk`](crate::ir::Stmt::walk) meets them.
    pub stmt: usize,
    /// Where it stands in the source.
    pub span: Span,
    /// The statement in words.
    pub what: String,
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.what)
    }
}

/// All places of a function where a change may be made, in the order of the text. Nothing is proven here.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\")):\n    for i in range(16):\n        if i < 14:\n            A[i] = 1\n";
/// let func = satir::parse(text)?.funcs.remove(0);
/// let names: Vec<&str> = satir::noop::sites(&func).iter().map(|site| site.kind.name()).collect();
/// assert_eq!(names, ["remove-no-op", "branching", "overcompute", "remove-no-op"]);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn sites(func: &PrimFunc) -> Vec<Site> {
    let mut found: Vec<(usize, SiteKind)> = Vec::new();
    found.extend(overcompute::sites(&func.body).into_iter().map(|at| (at, SiteKind::Overcompute)));
    found.extend(merge::sites(&func.body).into_iter().map(|at| (at, SiteKind::MergeLoops)));
    found.extend(branching::sites(&func.body).into_iter().map(|at| (at, SiteKind::Branching)));
    let mut stmts: Vec<&Stmt> = Vec::new();
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            if matches!(stmt.kind, StmtKind::Store { .. } | StmtKind::For(_)) {
                found.push((stmts.len(), SiteKind::RemoveNoOp));
            }
            stmts.push(stmt);
        });
    }
    found.sort_unstable();
    found.into_iter().filter_map(|(number, kind)| site(func, stmts.get(number)?, number, kind)).collect()
}

fn site(func: &PrimFunc, stmt: &Stmt, number: usize, kind: SiteKind) -> Option<Site> {
    let what = match &stmt.kind {
        StmtKind::If { .. } => "the condition".to_owned(),
        StmtKind::For(l) => format!("the loop over `{}`", func.var(l.var).name),
        StmtKind::Store { buffer, .. } => format!("the store to `{}`", func.buffer(*buffer).name),
        _ => return None,
    };
    Some(Site { kind, stmt: number, span: stmt.span, what })
}

/// The function after the change at a place, with what that rests on.
///
/// # Errors
///
/// If the change is not proven to be right. Nothing that is not proven is done.
///
/// ```
/// use satir::noop::{Settings, apply, sites};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\")):\n    A[3] = 1\n    A[3] = 2\n";
/// let func = satir::parse(text)?.funcs.remove(0);
/// let made: Vec<_> = sites(&func).iter().map(|site| apply(&func, site, Settings::default())).collect();
/// let (first, change) = made[0].as_ref().expect("the first store is overwritten");
/// assert_eq!(first.body.len(), 1);
/// assert_eq!(change.to_string(), "a store to `A` goes: what it stores is overwritten before it is read");
/// assert!(made[1].is_err(), "the caller sees what the second one stores");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn apply(func: &PrimFunc, site: &Site, settings: Settings) -> Result<(PrimFunc, Change), Refusal> {
    let mut made = Err(Obstacle::Nothing);
    apply_each(func, std::slice::from_ref(site), settings, |_, result| made = result);
    made.map_err(|obstacle| obstacle.in_words(func))
}

/// As [`apply`] at each of some places of one function, which share what is found out about it; `tell` gets the results.
pub(crate) fn apply_each(
    func: &PrimFunc,
    sites: &[Site],
    settings: Settings,
    mut tell: impl FnMut(&Site, Result<(PrimFunc, Change), Obstacle>),
) {
    with_room(|| {
        let Some(mut accesses) = Accesses::new(func) else {
            return sites.iter().for_each(|site| tell(site, Err(Obstacle::Statement)));
        };
        for site in sites.iter().filter(|site| site.kind == SiteKind::Overcompute) {
            let mut made = func.clone();
            let change = overcompute::at(&mut made, &mut accesses, site.stmt, settings);
            tell(site, change.map(|change| (made, change)));
        }
        let asker = Asker::new(&accesses, 0);
        for site in sites.iter().filter(|site| site.kind != SiteKind::Overcompute) {
            let mut made = func.clone();
            let change = match site.kind {
                SiteKind::RemoveNoOp => match find(&func.body, site.stmt).map(|stmt| &stmt.kind) {
                    Some(StmtKind::For(_)) => remove::loop_at(&mut made, &asker, site.stmt),
                    _ => remove::store_at(&mut made, &asker, site.stmt),
                },
                SiteKind::MergeLoops => merge::merge_one(&mut made, &asker, site.stmt),
                SiteKind::Branching => branching::at(&mut made, &asker, site.stmt),
                SiteKind::Overcompute => continue,
            };
            tell(site, change.map(|change| (made, change)));
        }
    });
}

/// The function without the condition at a place, after a value was stored where that does not hold, in a buffer of the
/// function's own that nobody else sees: all ways for which both are proven.
///
/// ```
/// use satir::noop::{Settings, SiteKind, apply, apply_after_filling, sites};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((14,), \"int32\"), C: T.Buffer((1,), \"int32\")):\n    \
///             T.func_attr({\"tirx.noalias\": True})\n    B = T.alloc_buffer((16,), \"int32\")\n    \
///             for i in range(14):\n        B[i] = A[i]\n    C[0] = 0\n    \
///             for i in range(16):\n        if i < 14:\n            C[0] = C[0] + B[i]\n";
/// let func = satir::parse(text)?.funcs.remove(0);
/// let site = sites(&func).into_iter().find(|site| site.kind == SiteKind::Overcompute).expect("there is one");
/// assert!(apply(&func, &site, Settings::default()).is_err(), "nothing is known of `B[14]`");
/// let ways = apply_after_filling(&func, &site, Settings::default());
/// assert_eq!(ways[0].1[0].what, "`B` is filled with 0 where the condition does not hold");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn apply_after_filling(func: &PrimFunc, site: &Site, settings: Settings) -> Vec<(PrimFunc, [Change; 2])> {
    match site.kind {
        SiteKind::Overcompute => with_room(|| establish::filled_for(func, site.stmt, settings)),
        _ => Vec::new(),
    }
}
