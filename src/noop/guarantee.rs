//! What a function leaves in a buffer: for all indices that satisfy a condition, the elements hold a value when it returns.
//! Stated of another function that is called with the buffer afterwards, it is an assumption.

use super::overcompute;
use super::settings::Settings;
use crate::analysis::accesses::{Accesses, Kind, is_plain};
use crate::analysis::contents;
use crate::analysis::instances::{Asker, Pin, Shared};
use crate::diag::Span;
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, For, ForKind, PrimFunc, Stmt, StmtKind, Type, VarId,
};

/// What elements of a buffer hold: where `when` holds over `axes`, one variable for each dimension, they are `value`.
#[derive(Clone, Debug, PartialEq)]
struct Guarantee {
    axes: Vec<VarId>,
    when: Expr,
    value: Expr,
}

/// What a function leaves in a buffer of constant shape, as far as it stores constants there.
fn guarantees(func: &PrimFunc, buffer: BufferId) -> Vec<Guarantee> {
    // What a load at the end would read.
    let mut probed = func.clone();
    let (axes, element) = element(&mut probed, buffer);
    let load = Stmt { span: Span::NONE, kind: StmtKind::Evaluate(element) };
    let probe = nest(&probed, buffer, &axes, vec![load]);
    probed.body.extend(probe);
    let Some(accesses) = Accesses::new(&probed) else { return Vec::new() };
    let Some(load) = accesses.list.last().filter(|load| load.kind == Kind::Load) else { return Vec::new() };
    let asker = Asker::new(&accesses, Asker::budget(&accesses));
    let at = asker.itself(load);
    let mut found: Vec<Guarantee> = Vec::new();
    for position in accesses.sharing(buffer) {
        let store = &accesses.list[position];
        // A NaN is equal to nothing, so no assumption can say that it is there.
        let constant = |value: &Expr| match value.kind {
            ExprKind::Float(bits) => !f64::from_bits(bits).is_nan(),
            _ => matches!(value.kind, ExprKind::Int(_)),
        };
        if store.buffer != buffer || !matches!(&store.kind, Kind::Store(value) if constant(value)) {
            continue;
        }
        let Some(named) = asker.named(position, &load.indices, &at, Shared::Solved, Pin::First) else {
            continue;
        };
        let meets = asker.equal(&named.indices, &load.indices);
        let mut facts = at.conditions.clone();
        let mut when: Option<Expr> = None;
        let mut plain = true;
        for (cond, truth) in named.conditions.iter().cloned().chain(meets) {
            if asker.proves(&at.conditions, &cond, truth) {
                continue;
            }
            // What the other function knows are the indices only.
            plain &= is_plain(&cond);
            cond.walk(&mut |e| plain &= !matches!(e.kind, ExprKind::Var(var) if !axes.contains(&var)));
            facts.push((cond.clone(), truth));
            let part = if truth { cond } else { Expr::not(cond) };
            when = Some(match when {
                Some(when) => Expr::binary(BinOp::And, when, part),
                None => part,
            });
        }
        let content = contents::value(&asker, &at, &facts, buffer, &load.indices);
        let value = content.filter(|content| content.stored && constant(&content.value)).map(|c| c.value);
        let (Some(value), true) = (value, plain && !asker.is_exhausted()) else { continue };
        let own = Guarantee { axes: axes.clone(), when: when.unwrap_or_else(|| Expr::bool(true)), value };
        if !found.contains(&own) {
            found.push(own);
        }
    }
    found
}

/// Variables for the indices of a buffer, and its element there.
fn element(func: &mut PrimFunc, buffer: BufferId) -> (Vec<VarId>, Expr) {
    let shape = func.buffer(buffer).shape.clone();
    let axis = |(k, extent): (usize, &Expr)| func.new_var(format!("i{k}"), Type::Prim(extent.dtype));
    let axes: Vec<VarId> = shape.iter().enumerate().map(axis).collect();
    let indices = axes.iter().zip(&shape).map(|(&axis, extent)| Expr::var(axis, extent.dtype)).collect();
    (axes, Expr::load(func.buffer(buffer).dtype, buffer, indices))
}

/// Loops over all elements of a buffer around a body.
fn nest(func: &PrimFunc, buffer: BufferId, axes: &[VarId], body: Block) -> Block {
    axes.iter().zip(&func.buffer(buffer).shape).rev().fold(body, |body, (&var, extent)| {
        let (min, extent, annotations) = (Expr::int(0, extent.dtype), extent.clone(), Vec::new());
        let own = For { var, min, extent, step: None, kind: ForKind::Serial, annotations, body };
        vec![Stmt { span: Span::NONE, kind: StmtKind::For(Box::new(own)) }]
    })
}

/// What `consumer` assumes of a buffer before it stores to it, but no guarantee says: the places of these assumptions.
fn unfounded(consumer: &PrimFunc, buffer: BufferId, guarantees: &[Guarantee]) -> Vec<Span> {
    let Some(accesses) = Accesses::new(consumer) else { return assumptions(consumer, buffer) };
    let asker = Asker::new(&accesses, Asker::budget(&accesses));
    let mut places = Vec::new();
    let of = accesses.sharing(buffer).map(|i| &accesses.list[i]);
    // An assumption behind a store is about what the function itself has stored.
    for stated in of.take_while(|access| !access.writes()).filter(|access| access.buffer == buffer) {
        let Kind::Assumed(value) = &stated.kind else { continue };
        let facts = asker.itself(stated).conditions;
        let founded = guarantees.iter().any(|guarantee| {
            let mut when = guarantee.when.clone();
            when.substitute(&|var| {
                guarantee.axes.iter().position(|&axis| axis == var).and_then(|k| stated.indices.get(k))
            });
            value.as_ref().is_none_or(|value| *value == guarantee.value) && asker.proves(&facts, &when, true)
        });
        if !founded {
            let span = super::statements::find(&consumer.body, stated.stmt).map_or(Span::NONE, |s| s.span);
            places.push(span);
        }
    }
    places
}

/// The places of all assumptions that read a buffer.
fn assumptions(func: &PrimFunc, buffer: BufferId) -> Vec<Span> {
    let mut places = Vec::new();
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            let mut reads = false;
            if let StmtKind::Evaluate(e) = &stmt.kind
                && let Some(("assume", _)) = e.as_intrin()
            {
                e.walk(&mut |e| reads |= matches!(e.kind, ExprKind::Load { buffer: of, .. } if of == buffer));
            }
            if reads {
                places.push(stmt.span);
            }
        });
    }
    places
}

/// What links two functions.
#[derive(Debug)]
pub(crate) struct Linked {
    /// The consumer with the assumptions that it gains from; `None` if it gains from none.
    pub made: Option<PrimFunc>,
    /// Assumptions of the consumer that no producer establishes.
    pub unfounded: Vec<Span>,
}

/// Tells a function what all `producers` leave in the buffer that it gets: as assumptions, of which each lets conditions go
/// that did not go without it. Buffers are of equal, constant shapes.
pub(crate) fn link(
    producers: &[(&PrimFunc, BufferId)],
    (consumer, buffer): (&PrimFunc, BufferId),
    settings: Settings,
) -> Linked {
    let mut consumer = consumer.clone();
    let mut shared: Option<Vec<Guarantee>> = None;
    for &(producer, of) in producers {
        // In the variables of the consumer, the same for all producers.
        let own: Vec<(Vec<VarId>, Expr, Expr)> =
            guarantees(producer, of).into_iter().map(|g| (g.axes, g.when, g.value)).collect();
        let axes = match shared.as_ref().and_then(|known| known.first()) {
            Some(known) => known.axes.clone(),
            None => element(&mut consumer, buffer).0,
        };
        let extents = consumer.buffer(buffer).shape.clone();
        let vars: Vec<Expr> =
            axes.iter().zip(&extents).map(|(&axis, extent)| Expr::var(axis, extent.dtype)).collect();
        let own: Vec<Guarantee> = own
            .into_iter()
            .map(|(theirs, mut when, value)| {
                when.substitute(&|var| theirs.iter().position(|&axis| axis == var).and_then(|k| vars.get(k)));
                Guarantee { axes: axes.clone(), when, value }
            })
            .collect();
        shared = Some(match shared {
            None => own,
            Some(known) => known.into_iter().filter(|guarantee| own.contains(guarantee)).collect(),
        });
    }
    let shared = shared.unwrap_or_default();
    let unfounded = unfounded(&consumer, buffer, &shared);
    let gone = |func: &PrimFunc| overcompute::run(&mut func.clone(), settings).changes.len();
    let mut most = gone(&consumer);
    let mut made = None;
    for guarantee in &shared {
        let mut with = made.clone().unwrap_or_else(|| consumer.clone());
        let (axes, element) = element(&mut with, buffer);
        let vars: Vec<Expr> = match &element.kind {
            ExprKind::Load { indices, .. } => indices.to_vec(),
            _ => Vec::new(),
        };
        let mut when = guarantee.when.clone();
        when.substitute(&|var| guarantee.axes.iter().position(|&axis| axis == var).and_then(|k| vars.get(k)));
        let holds = Expr::binary(BinOp::Eq, element, guarantee.value.clone());
        let cond = match when.as_int() {
            Some(1) => holds,
            _ => Expr::binary(BinOp::Or, Expr::not(when), holds),
        };
        let stated = Expr::call(crate::ir::DType::BOOL, "assume", vec![cond]);
        let stated = Stmt { span: Span::NONE, kind: StmtKind::Evaluate(stated) };
        let mut body = nest(&with, buffer, &axes, vec![stated]);
        body.append(&mut with.body);
        with.body = body;
        let now = gone(&with);
        if now > most {
            most = now;
            made = Some(with);
        }
    }
    Linked { made, unfounded }
}
