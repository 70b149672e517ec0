//! Whether accesses keep their order when iterations of loops change theirs.

use super::clause::Clause;
use crate::analysis::accesses::{Access, Kind};
use crate::analysis::instances::{Asker, Instance};
use crate::ir::{BinOp, Expr, VarId};

/// Whether it is refuted that an access, in some iteration of the loop over `x`, meets another one in an earlier iteration of the
/// loop over `y`, which is the same or becomes the same, where one of the two writes. They are in the same iteration of the loops
/// around these. The access is given with the instance that it is itself.
pub(super) fn meets_no_earlier(
    asker: &Asker<'_>,
    (a, itself): (&Access, &Instance),
    b: &Access,
    (x, y): (VarId, VarId),
) -> bool {
    let accesses = asker.accesses;
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
    all.extend(asker.same_iteration(itself, &instance, depth));
    let later = asker.variable_of(a.loops[depth]);
    let earlier = instance.apply(&Expr::var(y, later.dtype));
    all.push((Expr::binary(BinOp::Lt, earlier, later), true));
    all.extend(itself.conditions.iter().cloned());
    all.extend(instance.conditions);
    asker.refutes(&all) || !Clause::Order.counts()
}
