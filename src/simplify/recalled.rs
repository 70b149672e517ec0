//! Graphs of a search: its states differ in a few statements, so most regions come again as they were. What is found for one
//! is kept while the search runs, under all that its graph depends on.

use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::answers::Answers;
use super::engine::{Engine, Reach};
use crate::analysis::known::Known;
use crate::analysis::magnitude::{Magnitude, Magnitudes};
use crate::analysis::{mentions, recall};
use crate::arith::Interval;
use crate::ir::{Buffer, BufferId, Expr, Param, VarId};
use crate::target::Ties;

/// What a function and its run say of all regions.
#[derive(Clone, PartialEq)]
struct Tables {
    params: Vec<Param>,
    buffers: Vec<Buffer>,
    /// Without those of variables.
    magnitudes: Magnitudes,
    reach: Reach,
    ties: Ties,
    /// Profile and rules, which are the same objects throughout a search.
    told: (usize, usize),
}

// One that is not equal to itself is told from itself, and nothing is found for it.
impl Eq for Tables {}

impl Hash for Tables {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.params.len(), self.buffers.len()).hash(state);
    }
}

impl Tables {
    fn of(engine: &Engine<'_>, known: &Known) -> Tables {
        Tables {
            params: engine.graphs.func.params.clone(),
            buffers: engine.graphs.func.buffers.clone(),
            magnitudes: known.magnitudes.without_variables(),
            reach: engine.graphs.reach,
            ties: engine.graphs.ties,
            told: (
                std::ptr::from_ref(engine.graphs.profile).addr(),
                std::ptr::from_ref(engine.graphs.rewrites).addr(),
            ),
        }
    }
}

/// What was found in functions with the same tables, if a search runs: questions about single expressions name no variables,
/// so they are asked again where a statement has moved.
pub(super) fn answers(engine: &Engine<'_>, known: &Known) -> Option<Rc<Answers>> {
    recall::keeps().then(|| recall::answer(&Tables::of(engine, known), |_| Rc::default()))
}

/// The number of the tables of a function; none while no search runs.
pub(super) fn tables(engine: &Engine<'_>, known: &Known) -> Option<usize> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    recall::keeps().then(|| {
        *engine.tables.get_or_init(|| {
            recall::answer(&Tables::of(engine, known), |_| NEXT.fetch_add(1, Ordering::Relaxed))
        })
    })
}

/// Expressions at one place, with what is known there of what they mention.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Region {
    tables: usize,
    exprs: Vec<Expr>,
    facts: Vec<(Expr, bool)>,
    values: Vec<(VarId, Expr)>,
    vars: Vec<(VarId, Interval, Option<Magnitude>)>,
}

impl Region {
    pub(super) fn new(engine: &Engine<'_>, tables: usize, known: &Known, exprs: &[&Expr]) -> Region {
        let mut values: Vec<(VarId, Expr)> =
            known.values.iter().map(|(var, value)| (*var, value.clone())).collect();
        values.sort_unstable_by_key(|(var, _)| *var);
        let (mut vars, mut buffers): (Vec<VarId>, Vec<BufferId>) = Default::default();
        let mut mention =
            |e: &Expr| mentions::for_each(e, |var| vars.push(var), |buffer| buffers.push(buffer));
        exprs.iter().for_each(|e| mention(e));
        known.facts.iter().for_each(|(fact, _)| mention(fact));
        values.iter().for_each(|(_, value)| mention(value));
        vars.extend(values.iter().map(|(var, _)| *var));
        buffers.sort_unstable();
        buffers.dedup();
        // Where a buffer is accessed, its sizes are those of the place.
        for buffer in buffers.into_iter().map(|id| engine.graphs.func.buffer(id)) {
            for size in buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset) {
                size.walk(&mut |e| vars.extend(e.as_var()));
            }
        }
        vars.sort_unstable();
        vars.dedup();
        let about = |var: VarId| {
            let range = known.ranges.get(var.index()).copied().unwrap_or(Interval::ALL);
            (var, range, known.magnitudes.of_var(var).cloned())
        };
        Region {
            tables,
            exprs: exprs.iter().map(|e| (*e).clone()).collect(),
            facts: known.facts.to_vec(),
            values,
            vars: vars.into_iter().map(about).collect(),
        }
    }
}
