//! Whether accesses keep their order when iterations of loops change theirs.

use super::clause::Clause;
use crate::analysis::accesses::Kind;
use crate::analysis::instances::Asker;
use crate::ir::{BinOp, Expr, VarId};

/// Whether it is refuted that an access, in some iteration of the loop over `x`, meets another one in an earlier iteration of the
/// loop over `y`, which is the same or becomes the same, where one of the two writes. They are in the same iteration of the loops
/// around these.
pub(super) fn meets_no_earlier(
    asker: &Asker<'_>,
    (access, other): (usize, usize),
    (x, y): (VarId, VarId),
) -> bool {
    let accesses = asker.accesses;
    let (a, b) = (&accesses.list[access], &accesses.list[other]);
    // What an assumption reads is listed as loads.
    let matters = |kind: &Kind| !matches!(kind, Kind::Assumed(_));
    if !(a.writes() || b.writes()) || !matters(&a.kind) || !matters(&b.kind) {
        return true;
    }
    if !accesses.may_share(a.buffer, b.buffer) || asker.apart((&a.indices, a.buffer), b) {
        return true;
    }
    let Some(depth) = a.loops.iter().position(|&l| accesses.loops[l].domain.var == x) else {
        return false;
    };
    let instance = asker.some(b);
    let mut all = asker.meets((&a.indices, a.buffer), &instance, b);
    // Both in the same iteration of the loops around them.
    for &l in &a.loops[..depth] {
        let domain = &accesses.loops[l].domain;
        let var = Expr::var(domain.var, domain.min.dtype);
        all.push((Expr::binary(BinOp::Eq, var.clone(), instance.apply(&var)), true));
    }
    let dtype = accesses.loops[a.loops[depth]].domain.min.dtype;
    let earlier = instance.apply(&Expr::var(y, dtype));
    all.push((Expr::binary(BinOp::Lt, earlier, Expr::var(x, dtype)), true));
    all.extend(asker.itself(a).conditions);
    all.extend(instance.conditions);
    asker.refutes(&all) || !Clause::Order.counts()
}
