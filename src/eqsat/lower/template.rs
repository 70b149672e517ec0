//! Templates: expressions that equal nothing else, with holes for operands that can be optimized.

use egg::Id;

use super::{Lowerer, hole};
use crate::analysis::side_effects::has_side_effects;
use crate::eqsat::lang::Op;
use crate::ir::{DType, Expr, ExprKind};

impl Lowerer<'_> {
    /// An expression that equals nothing else; operands that can be optimized become the node's children.
    pub(super) fn template(&mut self, e: &Expr) -> Id {
        let mut children = Vec::new();
        let mut template = e.clone();
        self.fill_children(&mut template, &mut children);
        let index = u32::try_from(self.out.templates.len()).expect("fewer than 2^32 templates");
        self.out.templates.push(template);
        self.add_partial(Op::Template(index), e, children, false)
    }

    /// Replaces `e`, an operand in a template, by holes where its value is all that matters. The load of an
    /// address (`T.address_of(A[i])`) names a place and is kept; so is everything that is not a plain value.
    fn fill(&mut self, e: &mut Expr, children: &mut Vec<Id>) {
        let plain = match &e.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_) => return,
            ExprKind::Load { .. } | ExprKind::Region(..) | ExprKind::Tuple(_) | ExprKind::Shuffle(..) => {
                false
            }
            ExprKind::Let(..) => !self.names_local(e),
            _ if self.names_local(e) => false,
            _ => !has_side_effects(e) && e.dtype != DType::HANDLE && e.dtype != DType::VOID,
        };
        if plain {
            let hole = Expr::var(hole(children.len()), e.dtype);
            children.push(self.expr(e));
            *e = hole;
        } else {
            self.fill_children(e, children);
        }
    }

    fn fill_children(&mut self, e: &mut Expr, children: &mut Vec<Id>) {
        let outside = self.locals.len();
        if let ExprKind::Let(var, ..) = e.kind {
            self.locals.push(var);
        }
        e.for_each_child_mut(|c| self.fill(c, children));
        self.locals.truncate(outside);
    }

    /// Whether an expression names a variable that only a template around it defines.
    fn names_local(&self, e: &Expr) -> bool {
        let mut found = false;
        if !self.locals.is_empty() {
            e.walk(&mut |e| found |= e.as_var().is_some_and(|var| self.locals.contains(&var)));
        }
        found
    }
}
