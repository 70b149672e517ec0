//! Back to statements: sites get their chosen expressions, bindings are inserted, inlined `Bind`s go.

use egg::Id;
use hashbrown::{HashMap, HashSet};

use crate::analysis::effects::lane_constant;
use crate::analysis::roots::visit_roots;
use crate::egraph::Op;
use crate::encode::{Lowered, Place, ScopeId, Scopes, hole_index};
use crate::extract::{Binding, Plan, Selection};
use crate::ir::{BinOp, Block, DType, Expr, ExprKind, FreshNames, PrimFunc, Stmt, StmtKind, Type, VarId};

/// Rewrites `func`, which must be the function that was lowered. Returns the variable of each binding.
pub(crate) fn raise(
    func: &PrimFunc,
    lowered: &Lowered,
    selection: &Selection,
    plan: &Plan,
) -> (PrimFunc, Vec<VarId>) {
    let mut result = func.hollow();
    let mut raiser = Raiser::new(lowered, selection);
    raiser.without_zero_divisors = true;
    let mut vars = Vec::with_capacity(plan.bindings.len());
    // A class that the input binds keeps its variable.
    let mut known: HashMap<Id, VarId> = HashMap::new();
    for (&var, &class) in &lowered.inlined {
        known.entry(lowered.graph.find(class)).or_insert(var);
    }
    let stays: HashMap<(Id, Place), VarId> = lowered
        .named
        .iter()
        .map(|(&var, site)| ((lowered.graph.find(site.class), site.place), var))
        .collect();
    let mut names = FreshNames::new(func);
    for binding in &plan.bindings {
        let chosen = &selection.chosen[binding.index];
        let class = lowered.graph.find(chosen.class);
        let here = stays.get(&(class, binding.place)).copied();
        raiser.moved.extend(here);
        let var = here
            .or_else(|| known.remove(&class))
            .unwrap_or_else(|| result.new_var(names.next(), Type::Prim(chosen.node.dtype)));
        vars.push(var);
        raiser.bound.entry(binding.index).or_default().push((binding.place, var));
        raiser.at.entry(binding.place).or_default().push((*binding, var));
    }
    result.body = raiser.block(&func.body);
    (result, vars)
}

/// The most nodes of an expression without bindings.
const MAX_TREE: usize = 20_000;

/// The chosen expression of each site, without any bindings; `None` where that would be too large (what is shared is
/// written again for each use).
pub(crate) fn expressions(lowered: &Lowered, selection: &Selection) -> Vec<Option<Expr>> {
    let raiser = Raiser::new(lowered, selection);
    let mut sizes: Vec<usize> = Vec::with_capacity(selection.chosen.len());
    for chosen in &selection.chosen {
        sizes.push(chosen.children.iter().fold(1, |sum: usize, &c| sum.saturating_add(sizes[c])));
    }
    let sites = lowered.sites.iter().zip(&selection.sites);
    sites.map(|(site, &i)| (sizes[i] <= MAX_TREE).then(|| raiser.node(i, site.place))).collect()
}

struct Raiser<'a> {
    lowered: &'a Lowered,
    selection: &'a Selection,
    /// The bindings of each class.
    bound: HashMap<usize, Vec<(Place, VarId)>>,
    /// The bindings at each place, in order.
    at: HashMap<Place, Vec<(Binding, VarId)>>,
    /// Variables of the input whose `Bind` is among the new ones.
    moved: HashSet<VarId>,
    next_site: usize,
    next_scope: u32,
    /// Whether no division by the constant zero may be written.
    without_zero_divisors: bool,
}

impl<'a> Raiser<'a> {
    fn new(lowered: &'a Lowered, selection: &'a Selection) -> Raiser<'a> {
        Raiser {
            lowered,
            selection,
            bound: HashMap::new(),
            at: HashMap::new(),
            moved: HashSet::new(),
            next_site: 0,
            next_scope: 0,
            without_zero_divisors: false,
        }
    }

    fn scopes(&self) -> &Scopes {
        &self.lowered.scopes
    }

    fn enter(&mut self) -> ScopeId {
        self.next_scope += 1;
        ScopeId(self.next_scope - 1)
    }

    fn block(&mut self, block: &Block) -> Block {
        let scope = self.enter();
        self.statements(scope, block)
    }

    fn statements(&mut self, scope: ScopeId, block: &Block) -> Block {
        let mut out = Vec::with_capacity(block.len());
        for (i, stmt) in block.iter().enumerate() {
            let place = Place { scope, position: u32::try_from(i).expect("fewer than 2^32 statements") };
            for (binding, var) in self.at.remove(&place).unwrap_or_default() {
                let value = self.node(binding.index, place);
                out.push(Stmt { span: stmt.span, kind: StmtKind::Bind { var, value } });
            }
            out.extend(self.stmt(stmt));
        }
        out
    }

    fn site(&mut self, e: &mut Expr) {
        let site = self.lowered.sites[self.next_site];
        let index = self.selection.sites[self.next_site];
        self.next_site += 1;
        *e = self.expr(index, site.place);
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<Stmt> {
        if let StmtKind::Bind { var, .. } = &stmt.kind
            && (self.lowered.inlined.contains_key(var) || self.moved.contains(var))
        {
            // Its place among the sites is taken all the same.
            self.next_site += usize::from(self.moved.contains(var));
            return None;
        }
        // The condition of a `while` stands in a scope of its own.
        if let StmtKind::While { .. } = &stmt.kind {
            self.enter();
        }
        let mut raised = stmt.hollow(|_| Expr::bool(false));
        visit_roots(&mut raised, |e| self.site(e));
        // So do the axes of a block.
        if let StmtKind::SBlock(_) = &stmt.kind {
            self.enter();
        }
        raised.fill(stmt, |block| self.block(block));
        Some(raised)
    }

    /// The class's value at `place`: a variable bound for it there, or its node.
    fn expr(&self, index: usize, place: Place) -> Expr {
        let visible = self.bound.get(&index).into_iter().flatten().find(|(at, _)| {
            self.scopes().lift(place, at.scope).is_some_and(|lifted| lifted.position >= at.position)
        });
        match visible {
            Some(&(_, var)) => Expr::var(var, self.selection.chosen[index].node.dtype),
            None => self.node(index, place),
        }
    }

    fn node(&self, index: usize, place: Place) -> Expr {
        let chosen = &self.selection.chosen[index];
        let dtype = chosen.node.dtype;
        let mut operands = chosen.children.iter().map(|&c| self.expr(c, place));
        let mut next = || operands.next().map(Box::new).unwrap_or_else(|| Box::new(Expr::bool(false)));
        let kind = match &chosen.node.op {
            Op::Int(v) => ExprKind::Int(v.get()),
            Op::Float(bits) => ExprKind::Float(bits.get()),
            Op::Var(v) => ExprKind::Var(*v),
            Op::Bin(op) => {
                let (a, b) = (next(), next());
                match lane_constant(&b) {
                    Some(0) if self.without_zero_divisors && op.is_division() => {
                        return total(*op, *a, dtype);
                    }
                    _ => ExprKind::Binary(*op, a, b),
                }
            }
            Op::Not => ExprKind::Not(next()),
            Op::Cast => ExprKind::Cast(next()),
            Op::Select => {
                let (cond, then, otherwise) = (*next(), *next(), *next());
                Expr::select(cond, then, otherwise).kind
            }
            Op::IfThenElse => return Expr::call(dtype, "if_then_else", operands.collect()),
            Op::Likely => return Expr::call(dtype, "likely", operands.collect()),
            Op::Load(buffer, _) => ExprKind::Load { buffer: *buffer, indices: operands.collect() },
            Op::Lanes | Op::Lane(_) | Op::LaneOf => unreachable!("what is no code is no candidate"),
            Op::Ramp => ExprKind::Ramp(next(), next()),
            Op::Broadcast => ExprKind::Broadcast(next()),
            Op::Call(callee) => {
                let mut call = self.lowered.callees.get(*callee).clone();
                call.args = operands.collect();
                ExprKind::Call(Box::new(call))
            }
            Op::Template(template) => {
                let mut e = self.lowered.templates[*template as usize].expr.clone();
                let operands: Vec<Expr> = operands.collect();
                fill(&mut e, &operands);
                return e;
            }
        };
        Expr { dtype, kind }
    }
}

/// What an integer division by zero is taken to give: wherever it is evaluated the program means nothing, but TVM does not
/// compile it.
fn total(op: BinOp, dividend: Expr, dtype: DType) -> Expr {
    match op {
        BinOp::Mod | BinOp::FloorMod => dividend,
        _ if dtype.is_scalar() => Expr::int(0, dtype),
        _ => Expr::broadcast(Expr::int(0, dtype.scalar()), dtype.lanes),
    }
}

/// Puts operands into the holes of a template.
fn fill(e: &mut Expr, operands: &[Expr]) {
    if let ExprKind::Var(v) = e.kind {
        if let Some(operand) = hole_index(v).and_then(|i| operands.get(i)) {
            *e = operand.clone();
        }
        return;
    }
    e.for_each_child_mut(|c| fill(c, operands));
}
