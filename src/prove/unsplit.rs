//! Whether two loops look like one that was split: whether the next iteration of the outer one accesses what the inner one
//! would, were it longer. It is tried for some values of the variables, and nothing rests on it.

use hashbrown::HashMap;

use super::sample::mixed;
use crate::ir::value::{Value, evaluate};
use crate::ir::{Block, Expr, ExprKind, For, StmtKind, VarId};

/// Whether a loop and the only one in its body look like one that was split.
pub(super) fn was_split(outer: &For) -> bool {
    /// For how many values it is tried.
    const TRIED: u64 = 3;
    let Some(inner) = only_inner(&outer.body) else { return false };
    let (mut depends, mut same) = (false, true);
    for number in 0..TRIED {
        let places = |next: i64, more: bool| {
            let mut places = Places { values: HashMap::new(), number, found: Vec::new() };
            let first = places.of(outer.var);
            places.values.insert(outer.var, Some(Value::Int(first + next)));
            let begin = places.of(inner.var);
            let length = if more { places.integer(&inner.extent)? } else { 0 };
            places.values.insert(inner.var, Some(Value::Int(begin + length)));
            places.block(&outer.body);
            Some(places.found)
        };
        let (Some(here), Some(next), Some(there)) = (places(0, false), places(1, false), places(0, true))
        else {
            return false;
        };
        depends |= here != next;
        same &= next == there;
    }
    depends && same
}

/// The loop that is all there is in a block but for bindings and a condition.
fn only_inner(block: &Block) -> Option<&For> {
    let (last, lets) = block.split_last()?;
    if !lets.iter().all(|stmt| matches!(stmt.kind, StmtKind::Bind { .. })) {
        return None;
    }
    match &last.kind {
        StmtKind::For(inner) => Some(inner),
        StmtKind::If { then, otherwise, .. } if otherwise.is_empty() => only_inner(then),
        _ => None,
    }
}

/// Places that statements access, in order.
struct Places {
    values: HashMap<VarId, Option<Value>>,
    number: u64,
    found: Vec<Option<i64>>,
}

impl Places {
    /// The value of a variable of which nothing is known.
    fn of(&self, var: VarId) -> i64 {
        /// Such values are so many, from some number on.
        const MANY: u64 = 29;
        const FROM: i64 = 3;
        let random = mixed(mixed(self.number) ^ u64::from(var.0));
        FROM + i64::try_from(random % MANY).unwrap_or(0)
    }

    fn integer(&self, e: &Expr) -> Option<i64> {
        evaluate(e, &|var| match self.values.get(&var) {
            Some(known) => *known,
            None => Some(Value::Int(self.of(var))),
        })?
        .as_int()
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            if let StmtKind::Store { indices, .. } = &stmt.kind {
                self.add(indices);
            }
            // Conditions and ends of loops may be written in any way.
            if !matches!(stmt.kind, StmtKind::If { .. } | StmtKind::For(_)) {
                stmt.for_each_expr(|e| {
                    e.walk(&mut |e| {
                        if let ExprKind::Load { indices, .. } = &e.kind {
                            self.add(indices);
                        }
                    });
                });
            }
            if let StmtKind::Bind { var, value } = &stmt.kind {
                let value = self.integer(value).map(Value::Int);
                self.values.insert(*var, value);
            }
            stmt.for_each_block(|block| self.block(block));
        }
    }

    fn add(&mut self, indices: &[Expr]) {
        let found: Vec<Option<i64>> = indices.iter().map(|index| self.integer(index)).collect();
        self.found.extend(found);
    }
}
