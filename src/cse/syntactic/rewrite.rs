//! Carries a plan out: inserts the bindings and puts variables where their values stood.

use std::collections::BTreeMap;
use std::ops::Range;

use super::plan::Insert;
use super::report::{Binding, SyntacticReport};
use super::scan::{Scan, rewrites_head};
use crate::cse::pool::ClassId;
use crate::ir::{Block, Expr, FreshNames, PrimFunc, Stmt, StmtKind, Type, Var, VarId};

pub(super) fn rewrite(func: &mut PrimFunc, scan: &Scan, inserts: &[Insert]) -> SyntacticReport {
    let mut at: BTreeMap<(u32, u32), Range<usize>> = BTreeMap::new();
    for (i, insert) in inserts.iter().enumerate() {
        at.entry((insert.block, insert.index)).or_insert(i..i).end = i + 1;
    }
    let mut body = std::mem::take(&mut func.body);
    let mut rewriter = Rewriter {
        scan,
        inserts,
        at,
        names: FreshNames::new(func),
        func,
        variable: vec![None; scan.classes.len()],
        replaced: Vec::new(),
        cursor: 0,
        next_block: 0,
        bindings: Vec::new(),
    };
    rewriter.block(&mut body);
    let (bindings, replaced) = (rewriter.bindings, rewriter.replaced);
    func.body = body;
    let bindings = bindings
        .into_iter()
        .map(|var| Binding {
            var,
            name: func.var(var).name.clone(),
            replaced: replaced.get(var.index()).copied().unwrap_or(0),
        })
        .collect();
    SyntacticReport { bindings, expressions: scan.classes.len() }
}

struct Rewriter<'a> {
    scan: &'a Scan,
    inserts: &'a [Insert],
    at: BTreeMap<(u32, u32), Range<usize>>,
    names: FreshNames,
    func: &'a mut PrimFunc,
    /// The variable that holds a class here, by [`ClassId`].
    variable: Vec<Option<VarId>>,
    /// How many expressions each variable replaced, by [`VarId`].
    replaced: Vec<usize>,
    /// Position in [`Scan::ids`].
    cursor: usize,
    next_block: u32,
    bindings: Vec<VarId>,
}

impl Rewriter<'_> {
    fn block(&mut self, block: &mut Block) {
        let id = self.next_block;
        self.next_block += 1;
        let mut defined: Vec<ClassId> = Vec::new();
        let old = std::mem::take(block);
        block.reserve(old.len());
        for (index, mut stmt) in old.into_iter().enumerate() {
            if let Some(range) = self.at.get(&(id, index as u32)).cloned() {
                for i in range {
                    let class = self.inserts[i].class;
                    block.push(self.bind(class));
                    defined.push(class);
                }
            }
            let root = self.scan.ids.get(self.cursor).copied();
            if rewrites_head(&stmt) {
                stmt.for_each_expr_mut(|e| self.expr(e));
            }
            stmt.for_each_block_mut(|b| self.block(b));
            if let (StmtKind::Bind { var, .. }, Some(class)) = (&stmt.kind, root)
                && self.scan.classes[class.index()].bindable
                && self.variable[class.index()].is_none()
            {
                self.variable[class.index()] = Some(*var);
                defined.push(class);
            }
            block.push(stmt);
        }
        for class in defined {
            self.variable[class.index()] = None;
        }
    }

    /// The statement that gives the class a variable, which is in force from here on.
    fn bind(&mut self, class: ClassId) -> Stmt {
        let (variable, func) = (&self.variable, &*self.func);
        let replaced = &mut self.replaced;
        let value = self.scan.pool.to_expr(class, &mut |part| {
            variable[part.index()].map(|var| {
                count(replaced, var);
                func.var_expr(var)
            })
        });
        let var = VarId(self.func.vars.len() as u32);
        self.func.vars.push(Var { name: self.names.next(), ty: Type::Prim(value.dtype) });
        self.variable[class.index()] = Some(var);
        self.bindings.push(var);
        Stmt::new(StmtKind::Bind { var, value })
    }

    fn expr(&mut self, e: &mut Expr) {
        let class = self.scan.ids[self.cursor];
        if let Some(var) = self.variable[class.index()] {
            self.cursor += self.scan.pool.tree_size(class) as usize;
            count(&mut self.replaced, var);
            *e = self.func.var_expr(var);
            return;
        }
        self.cursor += 1;
        e.for_each_child_mut(|c| self.expr(c));
    }
}

fn count(replaced: &mut Vec<usize>, var: VarId) {
    if replaced.len() <= var.index() {
        replaced.resize(var.index() + 1, 0);
    }
    replaced[var.index()] += 1;
}
