//! Bodies of definitions by their meaning, in an e-graph: the cheapest form of a body, and whether terms are equal.
//!
//! The graph holds the terms of one body, with the ranges of its axes. A tensor that is kept in any case is a buffer there,
//! of which elements at equal indices are equal. What is too far from the root to be looked at is a variable.

use std::sync::Arc;

use egg::Id;
use hashbrown::{HashMap, HashSet};
use indexmap::IndexSet;

use super::stored::{Size, Stored};
use super::term::{Node, Term, Terms, hole};
use crate::analysis::known::Known;
use crate::arith::Interval;
use crate::candidates;
use crate::cost::{Cost, Frequency, Profile, weight_of};
use crate::egraph::{Node as ENode, Op, Proofs, Settings};
use crate::encode::{Lowered, lower_at};
use crate::eqsat::{limit, saturate};
use crate::extract::{Selection, safe_sites, select_trees};
use crate::ir::{BinOp, Buffer, BufferId, Call, DType, Expr, ExprKind, Origin, PrimFunc, Type, Var, VarId};
use crate::rewrite::Rewrites;
use crate::simplify;
use crate::target::Ties;

/// The most terms of a body that are looked at: those nearest to its root.
const MAX_TERMS: usize = 160;

/// The most e-nodes of one graph.
const NODE_LIMIT: usize = 6_000;

/// The most e-nodes of all graphs of a function, after which terms are only compared as they are.
const MAX_WORK: usize = 400_000;

/// The most steps of a proof that are read, and names of rules and laws that are told.
const MAX_PROOF: usize = 2_000;
const MAX_NAMES: usize = 8;

/// What finds meanings.
#[derive(Debug)]
pub(crate) struct Meaning {
    /// The function's tables; behind them, for each graph, variables for axes and terms, and buffers.
    func: PrimFunc,
    /// How many variables and buffers are the function's own.
    own: (usize, usize),
    known: Known,
    profile: Profile,
    rewrites: Arc<Rewrites>,
    /// Whether floats are computed as if they were real numbers.
    pub(crate) fast_math: bool,
    work: usize,
}

/// The terms of a graph.
struct Frame {
    /// The variable of the first axis.
    axes: u32,
    /// The terms that are variables.
    atoms: HashMap<VarId, Term>,
    /// What is known, the values of the terms' variables included.
    known: Known,
    roots: Vec<Expr>,
}

impl Meaning {
    /// For the terms of a function.
    pub(crate) fn new(
        func: &PrimFunc,
        profile: &Profile,
        rewrites: &Arc<Rewrites>,
        fast_math: bool,
    ) -> Meaning {
        let known = simplify::known(func, false);
        Meaning {
            func: PrimFunc { body: Vec::new(), ..func.clone() },
            own: (func.vars.len(), func.buffers.len()),
            known,
            profile: profile.clone(),
            rewrites: rewrites.clone(),
            fast_math,
            work: 0,
        }
    }

    /// Whether no further graph is made.
    pub(crate) fn is_spent(&self) -> bool {
        self.work > MAX_WORK
    }

    /// The cheapest term that is found to equal one in a frame of these axes, if that is cheaper. It evaluates nothing that
    /// might trap and that the term does not.
    pub(crate) fn cheapest(
        &mut self,
        terms: &mut Terms,
        stored: &[Stored],
        axes: &[Size],
        root: Term,
    ) -> Option<Term> {
        if terms.children(root).is_empty() || self.is_spent() {
            return None;
        }
        let frame = self.frame(terms, stored, axes, &[root]);
        let mut lowered = self.saturated(&frame, false)?;
        let roots: Vec<Id> = lowered.sites.iter().map(|site| site.class).collect();
        candidates::offer_needed(&mut lowered.graph, &roots, NODE_LIMIT);
        if lowered.graph.analysis.contradicts() {
            return None;
        }
        let selection = select_trees(&lowered, &self.profile, Ties::Shorter)?;
        if !safe_sites(&lowered, &selection).iter().all(|safe| *safe) {
            return None;
        }
        let made = self.term(terms, &frame, &lowered, &selection, *selection.sites.first()?)?;
        let price = |term| (self.cost(terms, term), reachable(terms, term).len());
        (terms.dtype(made) == terms.dtype(root) && price(made) < price(root)).then_some(made)
    }

    /// Which pairs of terms of a frame of these axes are equal.
    pub(crate) fn equal(
        &mut self,
        terms: &Terms,
        stored: &[Stored],
        axes: &[Size],
        pairs: &[(Term, Term)],
    ) -> Vec<bool> {
        if pairs.is_empty() || self.is_spent() {
            return vec![false; pairs.len()];
        }
        let roots: Vec<Term> = pairs.iter().flat_map(|&(one, other)| [one, other]).collect();
        let frame = self.frame(terms, stored, axes, &roots);
        let Some(lowered) = self.saturated(&frame, false) else { return vec![false; pairs.len()] };
        let class = |at: usize| lowered.graph.find(lowered.sites[at].class);
        (0..pairs.len()).map(|at| class(2 * at) == class(2 * at + 1)).collect()
    }

    /// The rules and laws by which two terms of a frame of these axes are equal; none if they are not found to be.
    pub(crate) fn why(
        &mut self,
        terms: &Terms,
        stored: &[Stored],
        axes: &[Size],
        one: Term,
        other: Term,
    ) -> Vec<String> {
        if self.is_spent() {
            return Vec::new();
        }
        let frame = self.frame(terms, stored, axes, &[one, other]);
        let Some(lowered) = self.saturated(&frame, true) else { return Vec::new() };
        self.named(&lowered).unwrap_or_default()
    }

    /// The names of what unites the roots of a graph with a log.
    fn named(&self, lowered: &Lowered) -> Option<Vec<String>> {
        let proofs = Proofs::new(&lowered.graph)?;
        let [.., first, second] = proofs.roots()[..] else { return None };
        let proof = proofs.reasons(first, second, MAX_PROOF)?;
        let rewrites = self.rewrites.with_fast_math(self.fast_math);
        let mut names: IndexSet<String> = proof.rules().map(|number| rewrites.rule_name(number)).collect();
        if let Some(time) = proof.by_normal_form {
            // What was united before may be part of a normal form.
            names.extend(proofs.rules_before(time).map(|number| rewrites.rule_name(number)));
        }
        names.extend(proof.axioms().map(|axiom| format!("{} ({})", axiom.name(), axiom.area().name())));
        Some(names.into_iter().take(MAX_NAMES).collect())
    }

    /// What all operations of a term cost once.
    fn cost(&self, terms: &Terms, root: Term) -> Cost {
        let weight = |term: &Term| match terms.node(*term) {
            Node::Form(head, _) => weight_of(&self.profile, head) * Frequency::ONE,
            Node::Axis(..) | Node::Stored(..) => Cost::default(),
        };
        reachable(terms, root).iter().map(weight).sum()
    }

    /// The graph of a frame; with a log, if it is to say why terms are equal.
    fn saturated(&mut self, frame: &Frame, logged: bool) -> Option<Lowered> {
        let rewrites = self.rewrites.with_fast_math(self.fast_math);
        let roots: Vec<&Expr> = frame.roots.iter().collect();
        let settings = rewrites.settings();
        let settings = Settings { logged: logged || settings.logged, ..settings };
        let mut lowered = lower_at(&self.func, &self.profile, &frame.known, &roots, settings);
        let node_limit = limit(&mut lowered, NODE_LIMIT);
        saturate(&mut lowered, rewrites, node_limit);
        self.work += lowered.graph.total_size();
        (!lowered.graph.analysis.contradicts()).then_some(lowered)
    }

    /// Variables and values for the terms that are nearest to some.
    fn frame(&mut self, terms: &Terms, stored: &[Stored], axes: &[Size], roots: &[Term]) -> Frame {
        self.func.vars.truncate(self.own.0);
        self.func.buffers.truncate(self.own.1);
        let mut known = self.known.clone();
        let first = self.own.0 as u32;
        for (at, size) in axes.iter().enumerate() {
            self.func.vars.push(variable(size.dtype));
            let extent = size.extent.as_int();
            known.ranges.push(
                Interval::between(Some(0), extent.map(|n| i128::from(n - 1).max(0))).unwrap_or(Interval::ALL),
            );
            if extent.is_none() {
                let (axis, zero) =
                    (Expr::var(VarId(first + at as u32), size.dtype), Expr::int(0, size.dtype));
                let one = Expr::int(1, size.extent.dtype);
                known.learn(Expr::binary(BinOp::Le, zero, axis.clone()), true);
                if size.extent.dtype == size.dtype {
                    known.learn(Expr::binary(BinOp::Lt, axis, size.extent.clone()), true);
                }
                known.learn(Expr::binary(BinOp::Le, one, size.extent.clone()), true);
            }
        }
        for stored in stored {
            self.func.buffers.push(buffer(stored, terms));
        }
        let taken = nearest(terms, roots);
        let mut frame = Frame { axes: first, atoms: HashMap::new(), known, roots: Vec::new() };
        let mut vars: HashMap<Term, Expr> = HashMap::new();
        for &(term, inside) in &taken {
            let dtype = terms.dtype(term);
            let var = match terms.node(term) {
                Node::Axis(axis, _) => VarId(first + axis),
                Node::Stored(..) | Node::Form(..) => {
                    let var = VarId(self.func.vars.len() as u32);
                    self.func.vars.push(variable(dtype));
                    frame.known.ranges.push(Interval::ALL);
                    if !inside {
                        frame.atoms.insert(var, term);
                    }
                    var
                }
            };
            vars.insert(term, Expr::var(var, dtype));
        }
        for &(term, inside) in &taken {
            let Some(var) = vars[&term].as_var().filter(|_| inside) else { continue };
            let operands: Vec<Expr> = terms.children(term).iter().map(|child| vars[child].clone()).collect();
            let value = match terms.node(term) {
                Node::Axis(..) => continue,
                Node::Stored(number, dtype, _) => {
                    let buffer = BufferId(self.own.1 as u32 + number);
                    Expr { dtype: *dtype, kind: ExprKind::Load { buffer, indices: operands.into() } }
                }
                Node::Form(head, _) => {
                    let mut operands = operands.into_iter();
                    let mut value = head.clone();
                    value.for_each_child_mut(|child| {
                        if let Some(operand) = operands.next() {
                            *child = operand;
                        }
                    });
                    value
                }
            };
            frame.known.values.insert(var, value);
        }
        frame.roots = roots.iter().map(|root| vars[root].clone()).collect();
        frame
    }

    /// The term that was chosen for a class, its operands first.
    fn term(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        lowered: &Lowered,
        selection: &Selection,
        root: usize,
    ) -> Option<Term> {
        let mut made: Vec<Option<Term>> = vec![None; selection.chosen.len()];
        // Operands come before their users.
        for at in 0..=root {
            let chosen = &selection.chosen[at];
            let operands: Option<Vec<Term>> = chosen.children.iter().map(|&child| made[child]).collect();
            made[at] = operands.and_then(|operands| self.form(terms, frame, lowered, &chosen.node, operands));
        }
        made[root]
    }

    /// A node as a term; `None` for what is none.
    fn form(
        &self,
        terms: &mut Terms,
        frame: &Frame,
        lowered: &Lowered,
        node: &ENode,
        operands: Vec<Term>,
    ) -> Option<Term> {
        let dtype = node.dtype;
        let holes: Vec<Expr> = operands.iter().map(|&operand| hole(terms.dtype(operand))).collect();
        let boxed = |at: usize| holes.get(at).cloned().map(Box::new);
        let kind = match &node.op {
            Op::Int(value) => ExprKind::Int(value.get()),
            Op::Float(bits) => ExprKind::Float(bits.get()),
            Op::Var(var) => {
                if let Some(&atom) = frame.atoms.get(var) {
                    return Some(atom);
                }
                match var.0.checked_sub(frame.axes) {
                    Some(axis) => return Some(terms.axis(axis, dtype)),
                    None => ExprKind::Var(*var),
                }
            }
            Op::Bin(op) => ExprKind::Binary(*op, boxed(0)?, boxed(1)?),
            Op::Not => ExprKind::Not(boxed(0)?),
            Op::Cast => ExprKind::Cast(boxed(0)?),
            Op::Select => {
                let [cond, then, otherwise] = &holes[..] else { return None };
                Expr::select(cond.clone(), then.clone(), otherwise.clone()).kind
            }
            Op::IfThenElse => Expr::call(dtype, "if_then_else", holes).kind,
            Op::Likely => return operands.first().copied(),
            Op::Load(buffer, _) => match buffer.0.checked_sub(self.own.1 as u32) {
                Some(number) => return Some(terms.stored(number, dtype, operands)),
                None => ExprKind::Load { buffer: *buffer, indices: holes.into() },
            },
            Op::Call(callee) => {
                let head = lowered.callees.get(*callee);
                ExprKind::Call(Box::new(Call { args: holes, ..head.clone() }))
            }
            Op::Ramp | Op::Broadcast | Op::Lanes | Op::Lane(_) | Op::LaneOf | Op::Template(_) => return None,
        };
        Some(terms.form(Expr { kind, dtype }, operands))
    }
}

fn variable(dtype: DType) -> Var {
    Var { name: "term".into(), ty: Type::Prim(dtype) }
}

/// A buffer for a tensor that is kept in any case.
fn buffer(stored: &Stored, terms: &Terms) -> Buffer {
    let dtype = stored.folding.as_ref().map_or(terms.dtype(stored.body), |folding| folding.init.dtype);
    Buffer {
        name: "stored".into(),
        dtype,
        shape: stored.kept.iter().map(|size| size.extent.clone()).collect(),
        strides: Vec::new(),
        elem_offset: None,
        scope: "global".into(),
        extra: Vec::new(),
        origin: Origin::Alloc,
    }
}

/// All terms that a term is made of, itself included.
pub(crate) fn reachable(terms: &Terms, root: Term) -> Vec<Term> {
    let mut seen: HashSet<Term> = [root].into_iter().collect();
    let mut found = vec![root];
    let mut at = 0;
    while let Some(&term) = found.get(at) {
        at += 1;
        found.extend(terms.children(term).iter().copied().filter(|&child| seen.insert(child)));
    }
    found
}

/// The terms that are nearest to some, with whether they are looked into.
fn nearest(terms: &Terms, roots: &[Term]) -> Vec<(Term, bool)> {
    let mut seen: HashSet<Term> = HashSet::new();
    let mut found: Vec<(Term, bool)> =
        roots.iter().filter(|root| seen.insert(**root)).map(|&root| (root, true)).collect();
    let most = MAX_TERMS.max(found.len());
    let mut at = 0;
    while let Some(&(term, inside)) = found.get(at) {
        at += 1;
        if inside {
            for &child in terms.children(term) {
                if seen.insert(child) {
                    let inside = found.len() < most || terms.children(child).is_empty();
                    found.push((child, inside));
                }
            }
        }
    }
    found
}
