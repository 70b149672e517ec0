//! Statements of the first program that leave all memory as it is, since they store what is there.

use super::bounds::Bounds;
use super::eval::{Machine, Refused, Side, sort_of};
use super::term::Node;
use crate::ir::{BufferId, Expr, Stmt, StmtKind};

impl Machine<'_> {
    /// Whether statements of the first program end, have no effect, and store nothing but what is there.
    pub(super) fn keeps(&mut self, stmts: &[Stmt]) -> Result<bool, Refused> {
        for stmt in stmts {
            let mut effect = false;
            stmt.for_each_expr(|e| effect |= e.has_effect());
            if effect {
                return Ok(false);
            }
            let keeps = match &stmt.kind {
                StmtKind::Bind { var, value } => {
                    let value = self.described(Side::First, value)?;
                    self.program(Side::First).vars.insert(*var, value);
                    true
                }
                StmtKind::Evaluate(_) => true,
                StmtKind::If { then, otherwise, .. } => self.keeps(then)? && self.keeps(otherwise)?,
                StmtKind::For(l) => {
                    // Whatever its variable is.
                    let dtype = self.program(Side::First).func.var(l.var).ty.dtype();
                    let var = self.terms.atom(sort_of(dtype), Bounds::NONE);
                    self.program(Side::First).vars.insert(l.var, var);
                    self.keeps(&l.body)?
                }
                StmtKind::Store { buffer, indices, value } => {
                    self.stores_what_is_there(*buffer, indices, value)?
                }
                _ => false,
            };
            if !keeps {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn stores_what_is_there(
        &mut self,
        buffer: BufferId,
        indices: &[Expr],
        value: &Expr,
    ) -> Result<bool, Refused> {
        let dtype = value.dtype;
        let index = indices.iter().map(|e| self.described(Side::First, e)).collect::<Result<Vec<_>, _>>()?;
        let index = self.by_lane(dtype, index);
        let number = self.memories.number(Side::First, buffer)?;
        let (value, now) = (self.described(Side::First, value)?, self.memories.version(number));
        let func = self.program(Side::First).func;
        Ok(match self.terms.node(value) {
            Node::Load { buffer: of, version, name, index: from, .. } => {
                let (same, of) = (*from == index && *version == now, *of as usize);
                let is_whole =
                    func.buffer(buffer).dtype == dtype.scalar() && **name == *dtype.scalar().to_string();
                same && is_whole && self.memories.same_elements(func, number, of)
            }
            _ => false,
        })
    }
}
