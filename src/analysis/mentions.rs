//! What expressions speak of: variables, with what their values speak of, and buffers.

use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::ir::{BufferId, Expr, ExprKind, VarId};

/// The most variables of an expression whose values are looked into. In a chain of bindings each value leads to all before it.
const MAX_VALUES: usize = 64;

/// Variables and buffers, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mentions {
    pub vars: SmallVec<[VarId; 4]>,
    /// The variables whose values are looked into.
    pub values: SmallVec<[VarId; 2]>,
    pub buffers: SmallVec<[BufferId; 2]>,
}

impl Mentions {
    /// What the expressions speak of, of each its nearest variables' values included.
    pub(crate) fn of<'e>(
        exprs: impl IntoIterator<Item = &'e Expr>,
        values: &HashMap<VarId, Expr>,
    ) -> Mentions {
        let mut mentions = Mentions::default();
        for e in exprs {
            let mut next = mentions.vars.len();
            let most = mentions.values.len() + MAX_VALUES;
            mentions.add(e);
            while mentions.values.len() < most
                && let Some(&var) = mentions.vars.get(next)
            {
                next += 1;
                if let Some(value) = values.get(&var) {
                    mentions.values.push(var);
                    mentions.add(value);
                }
            }
        }
        mentions
    }

    /// Adds the variables and buffers of an expression.
    fn add(&mut self, e: &Expr) {
        for_each(e, |var| add(&mut self.vars, var), |buffer| add(&mut self.buffers, buffer));
    }

    /// Adds what others speak of.
    pub(crate) fn extend(&mut self, other: &Mentions) {
        other.vars.iter().for_each(|var| add(&mut self.vars, *var));
        other.values.iter().for_each(|var| add(&mut self.values, *var));
        other.buffers.iter().for_each(|buffer| add(&mut self.buffers, *buffer));
    }

    /// Whether both speak of something.
    pub(crate) fn meets(&self, other: &Mentions) -> bool {
        other.vars.iter().any(|var| self.vars.contains(var))
            || other.buffers.iter().any(|buffer| self.buffers.contains(buffer))
    }
}

/// Calls `var` with each variable that an expression speaks of itself, and `buffer` with each buffer.
pub(crate) fn for_each(e: &Expr, mut var: impl FnMut(VarId), mut buffer: impl FnMut(BufferId)) {
    e.walk(&mut |e| match &e.kind {
        ExprKind::Var(own) => var(*own),
        ExprKind::Load { buffer: own, .. }
        | ExprKind::BufferData(own)
        | ExprKind::BufferRef(own)
        | ExprKind::Region(own, _) => buffer(*own),
        _ => {}
    });
}

fn add<A: smallvec::Array<Item: PartialEq>>(all: &mut SmallVec<A>, item: A::Item) {
    if !all.contains(&item) {
        all.push(item);
    }
}
