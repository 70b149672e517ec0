//! Conversions of variables to 64 bits that are written several times: bound where the variable is defined.

use hashbrown::HashMap;

use crate::analysis::parameters::scalar_parameters;
use crate::ir::{Block, DType, Expr, ExprKind, ForKind, FreshNames, PrimFunc, Stmt, StmtKind, Type, VarId};

/// Binds the conversions to `int64` of loop variables, parameters, dimensions and bindings that are written more than once.
pub(super) fn bind(func: &mut PrimFunc) {
    let mut uses: HashMap<VarId, usize> = HashMap::new();
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            stmt.for_each_expr(|e| {
                e.walk(&mut |e| {
                    if let Some(var) = converted(e) {
                        *uses.entry(var).or_default() += 1;
                    }
                });
            });
        });
    }
    uses.retain(|_, uses| *uses > 1);
    if uses.is_empty() {
        return;
    }
    let mut names = FreshNames::new(func);
    let mut binder = Binder { twins: HashMap::new() };
    let mut at_head = Vec::new();
    let mut globals = scalar_parameters(func);
    globals.retain(|var| uses.contains_key(var));
    for var in globals {
        at_head.push(binder.twin(func, &mut names, var));
    }
    let mut body = std::mem::take(&mut func.body);
    binder.block(func, &mut names, &uses, &mut body);
    body.splice(0..0, at_head);
    func.body = body;
}

/// The variable of which an expression is the conversion.
fn converted(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Cast(of) if e.dtype == DType::I64 && of.dtype == DType::I32 => of.as_var(),
        _ => None,
    }
}

struct Binder {
    /// The variables of 64 bits for those of 32.
    twins: HashMap<VarId, VarId>,
}

impl Binder {
    /// The binding of a new variable to the conversion of `var`.
    fn twin(&mut self, func: &mut PrimFunc, names: &mut FreshNames, var: VarId) -> Stmt {
        let twin = func.new_var(names.next(), Type::Prim(DType::I64));
        self.twins.insert(var, twin);
        let value = Expr::cast(DType::I64, Expr::var(var, DType::I32));
        Stmt::new(StmtKind::Bind { var: twin, value })
    }

    fn block(
        &mut self,
        func: &mut PrimFunc,
        names: &mut FreshNames,
        uses: &HashMap<VarId, usize>,
        block: &mut Block,
    ) {
        let mut out = Vec::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            stmt.for_each_expr_mut(|e| self.replace(e));
            let mut head = None;
            let mut behind = None;
            match &stmt.kind {
                StmtKind::For(l) if l.kind != ForKind::Vectorized && uses.contains_key(&l.var) => {
                    head = Some(self.twin(func, names, l.var));
                }
                StmtKind::Bind { var, .. } if uses.contains_key(var) => {
                    behind = Some(self.twin(func, names, *var));
                }
                _ => {}
            }
            stmt.for_each_block_mut(|inner| self.block(func, names, uses, inner));
            if let (StmtKind::For(l), Some(head)) = (&mut stmt.kind, head) {
                l.body.insert(0, head);
            }
            out.push(stmt);
            out.extend(behind);
        }
        *block = out;
    }

    fn replace(&self, e: &mut Expr) {
        match converted(e).and_then(|var| self.twins.get(&var)) {
            Some(&twin) => *e = Expr::var(twin, DType::I64),
            None => e.for_each_child_mut(|child| self.replace(child)),
        }
    }
}
