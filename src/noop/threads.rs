//! Whether no other iteration of a parallel, vectorized or thread loop may meet what an added access touches.

use super::obstacle::Obstacle;
use crate::analysis::accesses::{Access, Fact, Kind};
use crate::analysis::instances::{Asker, common};
use crate::ir::{BinOp, Expr};

/// Asks that for an access; of a load only stores of others matter.
pub(super) fn apart(asker: &Asker<'_>, own: &Access, facts: &[Fact]) -> Result<(), Obstacle> {
    let accesses = asker.accesses;
    if own.loops.iter().all(|&l| accesses.loops[l].ordered) {
        return Ok(());
    }
    let at = asker.itself(own);
    for other in accesses.sharing(own.buffer).map(|i| &accesses.list[i]) {
        let conflicts = other.writes() || own.writes() && other.kind == Kind::Load;
        if !conflicts {
            continue;
        }
        let shared = common(&own.loops, &other.loops);
        for depth in (0..shared).filter(|&depth| !accesses.loops[own.loops[depth]].ordered) {
            let instance = asker.some(other);
            let mut all = asker.meets((&own.indices, own.buffer), &instance, other);
            all.extend(asker.same_iteration(&at, &instance, depth));
            let var = asker.variable_of(own.loops[depth]);
            all.push((Expr::binary(BinOp::Ne, at.apply(&var), instance.apply(&var)), true));
            all.extend(instance.conditions.iter().cloned());
            all.extend(facts.iter().cloned());
            if !asker.refutes(&all) {
                return Err(Obstacle::Threads(own.buffer));
            }
        }
    }
    Ok(())
}
