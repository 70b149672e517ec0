//! Sharing between tensor computations: the blocks of a function as definitions, equal ones once, and for each the decision
//! whether it is kept in a buffer or computed where it is used, in loop nests that share what they compute.
//!
//! - `lift`, `digits`: statements to definitions, also of loops that were split or fused; what is none is opaque, stays, and
//!   says why.
//! - `term`, `form`, `keys`: the values of definitions as terms, each in the form that stands for all that are seen to be equal.
//!   What is no reduction is put in where it is read; reductions (`reduce`) are symbols, equal if their bodies are.
//! - `equal`, `meaning`, `fingerprint`: bodies that are equal by meaning, by e-graphs of those whose values at sample points are.
//! - `items`: what may be kept in buffers. `nest`: what a loop nest computes where, and the cost, for each once (`memo`).
//!   `vectors`: what it loses that vectors cannot take. `plan`, `search`: which items are kept, and which nests compute them.
//! - `tile` and `steps`: steps of loops that are taken at once.
//! - `lower`, `decided`: nests to statements, and what is constant in these.
//! - `report`, `flow`: what was decided, and which nests compute what, as data.
//! - `joint`, `pair`, `split`, `mincut`: a forward and a backward function, and what one keeps for the other.
//!
//! Floats keep their bits unless they are taken for real numbers: a reduction folds in its own order, and only operands that may
//! change places do.

mod decided;
mod digits;
mod equal;
mod fingerprint;
mod flow;
mod form;
mod items;
mod joint;
mod keys;
mod lift;
mod lower;
mod meaning;
mod memo;
mod mincut;
mod nest;
mod pair;
mod plan;
mod reduce;
mod report;
mod search;
mod split;
mod steps;
mod stored;
mod term;
#[cfg(test)]
mod tests;
mod tile;
mod vectors;

#[doc(hidden)]
pub use flow::{Flow, FlowNest, FlowTensor};
pub use joint::Edge;
#[doc(hidden)]
pub use joint::{joined, joined_module};
#[doc(hidden)]
pub use pair::Stash;
pub use pair::{Split, SplitSettings, share_pair};
pub use report::Report;
#[doc(hidden)]
pub use report::{Alternative, Decided, Kept, Opaque};

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use self::equal::Bodies;
use self::items::{Items, Role};
use self::keys::Values;
use self::lift::{Definition, Item};
use self::meaning::Meaning;
use self::nest::{Seen, World};
use crate::cost::{Bindings, Cost, Profile, Weight, cost_of_func};
use crate::ir::opclass::OpClass;
use crate::ir::{Block, BufferId, Origin, PrimFunc, Stmt, StmtKind, with_room};
use crate::rewrite::Rewrites;

/// What [`share`] is told.
///
/// ```
/// let settings = satir::tensor::Settings::default();
/// assert_eq!(settings.evaluations, 4_000);
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// What operations cost. Where stores cost nothing they are taken to cost as much as loads.
    pub profile: Profile,
    /// The most plans that are looked at for each part of a function.
    pub evaluations: usize,
    /// The rules by which tensors are found equal.
    pub rewrites: Arc<Rewrites>,
    /// Whether floats are computed as if they were real numbers: rules that hold only for these are used too.
    pub fast_math: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            profile: Profile::default(),
            evaluations: 4_000,
            rewrites: Rewrites::embedded(),
            fast_math: false,
        }
    }
}

impl Settings {
    /// What finds tensors of a function equal by meaning.
    fn bodies(&self, func: &PrimFunc) -> Bodies {
        Bodies::new(Meaning::new(func, &self.profile, &self.rewrites, self.fast_math))
    }
}

/// Computes equal tensors of a function once, keeps those in buffers for which that is cheapest, and merges loop nests. If
/// nothing pays the function stays as it is.
///
/// ```
/// let text = "@T.prim_func
/// def main(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\"), C: T.Buffer((64,), \"float32\")):
///     T.func_attr({\"tirx.noalias\": True})
///     for i in range(64):
///         B[i] = T.exp(A[i])
///     for j in range(64):
///         C[j] = T.exp(A[j]) * T.float32(2)
/// ";
/// let mut module = satir::parse(text)?;
/// let report = satir::tensor::share(&mut module.funcs[0], &satir::tensor::Settings::default());
/// assert!(report.cost_after < report.cost_before);
/// assert_eq!(module.to_string().matches("T.exp").count(), 1);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn share(func: &mut PrimFunc, settings: &Settings) -> Report {
    with_room(|| share_with_room(func, settings))
}

fn share_with_room(func: &mut PrimFunc, settings: &Settings) -> Report {
    let before = priced(func, settings);
    let flow = Flow::of(func);
    let mut report = Report {
        name: func.name.to_string(),
        cost_before: before,
        cost_after: before,
        before: flow.clone(),
        after: flow,
        ..Report::default()
    };
    if !func.no_alias() {
        report
            .opaque
            .push(Opaque::new("function", "its buffers may share memory: it is not marked `tirx.noalias`"));
        return report;
    }
    let mut made = func.clone();
    let mut changed = report.clone();
    rewrite(&mut made, settings, &mut changed);
    report.opaque.clone_from(&changed.opaque);
    let after = priced(&made, settings);
    if after < before {
        *func = made;
        return Report { cost_after: after, after: Flow::of(func), ..changed };
    }
    report.alternatives = changed.alternatives;
    report
}

/// What a function costs, stores included.
fn priced(func: &PrimFunc, settings: &Settings) -> Cost {
    let cost = cost_of_func(func, &settings.profile, &Bindings::new());
    if settings.profile.weight(OpClass::Store) == Weight::ZERO {
        cost.total + store_weight(&settings.profile) * cost.class(OpClass::Store).runs
    } else {
        cost.total
    }
}

fn store_weight(profile: &Profile) -> Weight {
    let own = profile.weight(OpClass::Store);
    if own == Weight::ZERO { profile.weight(OpClass::Load) } else { own }
}

fn rewrite(func: &mut PrimFunc, settings: &Settings, report: &mut Report) {
    let mut body = std::mem::take(&mut func.body);
    let mut made = Vec::new();
    match &mut body[..] {
        [Stmt { kind: StmtKind::SBlock(root), .. }] if root.axes.is_empty() && root.init.is_none() => {
            root.body = parts(func, std::mem::take(&mut root.body), settings, report, &mut made);
            let used = accessed(&root.body);
            root.alloc_buffers.retain(|buffer| used.contains(buffer));
            root.alloc_buffers.append(&mut made);
        }
        _ => {
            body = parts(func, body, settings, report, &mut made);
            let allocations = made.into_iter();
            let allocations =
                allocations.map(|buffer| Stmt::new(StmtKind::Alloc { buffer, annotations: Vec::new() }));
            body.splice(0..0, allocations);
        }
    }
    func.body = body;
}

/// All buffers that statements access.
fn accessed(block: &Block) -> HashSet<BufferId> {
    let mut used = HashSet::new();
    for stmt in block {
        used.extend(lift::reads(stmt));
        stmt.walk(&mut |inner| match &inner.kind {
            StmtKind::Store { buffer, .. } | StmtKind::Decl { buffer } => {
                used.insert(*buffer);
            }
            _ => {}
        });
    }
    used
}

/// The statements between two opaque ones are taken together.
fn parts(
    func: &mut PrimFunc,
    body: Block,
    settings: &Settings,
    report: &mut Report,
    made: &mut Vec<BufferId>,
) -> Block {
    let lifted = lift::lift(func, &body);
    let mut result = Block::new();
    let mut at = 0;
    while at < body.len() {
        let mut end = at;
        let mut definitions: Vec<Definition> = Vec::new();
        while let Some(Item::Defined(definition)) = lifted.get(end) {
            definitions.push(definition.clone());
            end += 1;
        }
        if let Some(Item::Opaque(name, why)) = lifted.get(end) {
            report.opaque.push(Opaque::new(name, why));
        }
        if !definitions.is_empty() {
            let outside: HashSet<BufferId> =
                body[..at].iter().chain(&body[end..]).flat_map(lift::reads).collect();
            let part = one_part(func, &definitions, &outside, settings, report, made);
            result.extend(part.unwrap_or_else(|| body[at..end].to_vec()));
        }
        result.extend(body.get(end).cloned());
        at = end + 1;
    }
    result
}

fn one_part(
    func: &mut PrimFunc,
    definitions: &[Definition],
    outside: &HashSet<BufferId>,
    settings: &Settings,
    report: &mut Report,
    made: &mut Vec<BufferId>,
) -> Option<Block> {
    let mut values = Values::new(definitions, Some(settings.bodies(func)))?;
    // Where there are none, blocks have been lowered.
    let blocks = definitions.iter().any(|definition| definition.is_block);
    let is_output =
        |buffer: BufferId| outside.contains(&buffer) || func.buffer(buffer).origin != Origin::Alloc;
    let role = |buffer| if is_output(buffer) { Role::Output } else { Role::Own };
    let items = Items::new(&mut values, role, |_, _, _| true);
    let store = store_weight(&settings.profile);
    let closed = HashSet::new();
    let mut world = World {
        values: &mut values,
        items: &items,
        profile: &settings.profile,
        store,
        closed: &closed,
        seen: &mut Seen::new(),
    };
    let outcome = search::search(&mut world, settings.evaluations)?;
    report.add(&values, &items, &outcome);
    Some(lower::lower(func, &values, &items.list, &outcome.plan, &HashMap::new(), blocks, made))
}
