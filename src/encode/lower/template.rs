//! Templates: expressions that equal nothing else, with holes for operands that can be optimized.

use egg::Id;

use super::Lowerer;
use crate::egraph::Op;
use crate::encode::lowered::{Guard, HoleCondition, Template, hole, hole_index};
use crate::ir::{BinOp, DType, Expr, ExprKind};

/// What is known of the place in a template that is filled.
#[derive(Default)]
struct Filling {
    children: Vec<Id>,
    conditions: Vec<Vec<HoleCondition>>,
    /// The conditions here.
    here: Vec<HoleCondition>,
    /// Whether there is one that is no hole: then nothing that may trap becomes an operand.
    unclear: bool,
}

impl Lowerer<'_> {
    /// An expression that equals nothing else; operands that can be optimized become the node's children.
    pub(super) fn template(&mut self, e: &Expr) -> Id {
        let mut filling = Filling::default();
        let mut expr = e.clone();
        self.fill_children(&mut expr, &mut filling);
        let index = u32::try_from(self.out.templates.len()).expect("fewer than 2^32 templates");
        self.out.templates.push(Template { expr, conditions: filling.conditions });
        self.add_partial(Op::Template(index), e, filling.children, false)
    }

    /// Replaces `e`, an operand in a template, by holes where its value is all that matters. The load of an
    /// address (`T.address_of(A[i])`) names a place and is kept; so is everything that is not a plain value.
    fn fill(&mut self, e: &mut Expr, filling: &mut Filling) {
        let plain = match &e.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_) => return,
            ExprKind::Load { .. } | ExprKind::Region(..) | ExprKind::Tuple(_) | ExprKind::Shuffle(..) => {
                false
            }
            ExprKind::Let(..) => !filling.unclear && !self.names_local(e),
            _ if self.names_local(e) => false,
            ExprKind::Var(_) => e.dtype != DType::HANDLE,
            _ if filling.unclear => false,
            _ => !e.has_effect() && e.dtype != DType::HANDLE && e.dtype != DType::VOID,
        };
        if plain {
            let hole = Expr::var(hole(filling.children.len()), e.dtype);
            filling.children.push(self.expr(e));
            filling.conditions.push(filling.here.clone());
            *e = hole;
        } else {
            self.fill_children(e, filling);
        }
    }

    fn fill_children(&mut self, e: &mut Expr, filling: &mut Filling) {
        let outside = self.locals.len();
        if let ExprKind::Let(var, ..) = e.kind {
            self.locals.push(var);
        }
        let truths = lazy_operands(e);
        let mut condition = None;
        let mut operand = 0;
        e.for_each_child_mut(|c| {
            match truths.get(operand).copied().flatten() {
                None => self.fill(c, filling),
                Some((truth, firm)) => self.fill_lazily(c, filling, condition, truth, firm),
            }
            if operand == 0 {
                condition = c.as_var().and_then(hole_index);
            }
            operand += 1;
        });
        self.locals.truncate(outside);
    }

    /// Fills an operand that is evaluated only where the condition has a truth value.
    fn fill_lazily(
        &mut self,
        e: &mut Expr,
        filling: &mut Filling,
        condition: Option<usize>,
        truth: bool,
        firm: bool,
    ) {
        let Some((hole, class)) = condition.and_then(|hole| Some((hole, *filling.children.get(hole)?)))
        else {
            let before = std::mem::replace(&mut filling.unclear, true);
            self.fill(e, filling);
            filling.unclear = before;
            return;
        };
        self.guards.push(Guard { class, truth, firm });
        filling.here.push(HoleCondition { hole, truth, firm });
        self.fill(e, filling);
        filling.here.pop();
        self.guards.pop();
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

/// For each operand, the value of the first one that it is evaluated for, and whether compiled code skips it for another.
fn lazy_operands(e: &Expr) -> &'static [Option<(bool, bool)>] {
    match &e.kind {
        ExprKind::Binary(BinOp::And, ..) => &[None, Some((true, false))],
        ExprKind::Binary(BinOp::Or, ..) => &[None, Some((false, false))],
        ExprKind::Call(call) if call.is_lazy_select() => &[None, Some((true, true)), Some((false, true))],
        _ => &[],
    }
}
