//! What was decided, and why.

use std::fmt;

use hashbrown::HashMap;

use super::flow::Flow;
use super::items::Items;
use super::keys::Values;
use super::plan::Plan;
use super::search::Outcome;
use super::term::{Node, Term};
use crate::cost::Cost;
use crate::ir::BufferId;

/// A statement that stays as it is.
///
/// ```
/// let mut func = satir::parse("@T.prim_func\ndef main(A: T.Buffer((4,))):\n    T.func_attr({\"tirx.noalias\": True})\n    A[0] = A[1]\n")?.funcs.remove(0);
/// let report = satir::tensor::share(&mut func, &Default::default());
/// assert_eq!(report.opaque[0].why, "it does not store each element of its buffer once");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opaque {
    /// The block's name.
    pub name: String,
    /// Why it is no definition of a tensor.
    pub why: String,
}

impl Opaque {
    pub(super) fn new(name: &str, why: &str) -> Opaque {
        Opaque { name: name.to_owned(), why: why.to_owned() }
    }
}

/// A tensor that a definition names, and what became of it.
///
/// ```
/// use satir::tensor::Kept;
///
/// assert_ne!(Kept::Buffer, Kept::Inlined);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kept {
    /// It is kept in its buffer.
    Buffer,
    /// It is computed where it is used.
    Inlined,
    /// The other function passes it.
    Given,
    /// It equals what another definition, named here, holds.
    Equal(String),
    /// Nothing needs it.
    Unused,
}

/// What became of a definition.
///
/// ```
/// use satir::tensor::{Kept, Settings, share};
///
/// let text = "@T.prim_func
/// def main(A: T.Buffer((64,)), B: T.Buffer((64,)), C: T.Buffer((64,))):
///     T.func_attr({\"tirx.noalias\": True})
///     for i in range(64):
///         B[i] = T.exp(A[i] * T.float32(2))
///     for i in range(64):
///         C[i] = T.exp(A[i] + A[i])
/// ";
/// let mut module = satir::parse(text)?;
/// let report = share(&mut module.funcs[0], &Settings::default());
/// assert!(report.definitions.iter().all(|decided| decided.kept == Kept::Buffer), "both are results");
/// assert!(report.definitions.iter().any(|decided| decided.because == ["float-double"]));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decided {
    /// Its name.
    pub name: String,
    /// What became of it.
    pub kept: Kept,
    /// The rules and laws by which its value is what it is taken for, if it is written in another way. That signs of floats stand
    /// outside of products and quotients is `float-sign`, that what both arms of a choice do stands outside of it `choice-factor`.
    pub because: Vec<String>,
}

/// A plan that was compared, with its cost.
///
/// ```
/// let report = satir::tensor::share(&mut satir::ir::PrimFunc::new("empty"), &Default::default());
/// assert!(report.alternatives.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alternative {
    /// What it is.
    pub name: &'static str,
    /// What it costs.
    pub cost: Cost,
}

/// What became of a function.
///
/// ```
/// let report = satir::tensor::share(&mut satir::ir::PrimFunc::new("empty"), &Default::default());
/// assert_eq!(report.cost_before, report.cost_after);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The function's name.
    pub name: String,
    /// What it cost, stores included.
    pub cost_before: Cost,
    /// What it costs now.
    pub cost_after: Cost,
    /// Statements that stay as they are.
    pub opaque: Vec<Opaque>,
    /// The definitions, and what became of them.
    pub definitions: Vec<Decided>,
    /// The nests as they were.
    pub before: Flow,
    /// The nests as they are now.
    pub after: Flow,
    /// The nests: which definitions are computed together.
    pub nests: Vec<Vec<String>>,
    /// The plans that were compared.
    pub alternatives: Vec<Alternative>,
    /// How many plans were looked at.
    pub evaluations: usize,
}

impl Report {
    /// Adds what was decided on a part of the function.
    pub(super) fn add(&mut self, values: &Values, items: &Items, outcome: &Outcome) {
        self.evaluations += outcome.evaluations;
        self.alternatives.extend(outcome.found.iter().map(|f| Alternative { name: f.name, cost: f.cost }));
        self.add_plan(values, items, &outcome.plan, |_| true);
    }

    /// Adds what a plan makes of the definitions of the buffers that are meant.
    pub(super) fn add_plan(
        &mut self,
        values: &Values,
        items: &Items,
        plan: &Plan,
        meant: impl Fn(BufferId) -> bool,
    ) {
        for slot in &plan.slots {
            let name = |member: &super::nest::Member| items.list[member.item].name.to_string();
            self.nests.push(slot.nest.members.iter().map(name).collect());
        }
        let mut needed = vec![false; values.stored.len()];
        for (item, _) in items.list.iter().zip(&plan.kept).filter(|(_, kept)| **kept) {
            values.needed(item.term, &mut needed);
            item.stored.into_iter().for_each(|number| needed[number as usize] = true);
        }
        let mut first: HashMap<Term, String> = HashMap::new();
        for held in values.held.iter().filter(|held| meant(held.buffer)) {
            let name = held.name.to_string();
            let unused = match values.terms.node(held.value) {
                Node::Stored(number, ..) => !needed[*number as usize] && !items.has(*number),
                _ => false,
            };
            let is_one =
                |of: &[bool]| items.list.iter().zip(of).any(|(item, of)| *of && item.is_in(held.buffer));
            let what = match first.get(&held.value) {
                _ if is_one(&plan.kept) => Kept::Buffer,
                _ if is_one(&plan.given) => Kept::Given,
                Some(other) if *other != name => Kept::Equal(other.clone()),
                _ if unused => Kept::Unused,
                _ => Kept::Inlined,
            };
            first.entry(held.value).or_insert_with(|| name.clone());
            self.definitions.push(Decided { name, kept: what, because: held.because.clone() });
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (self.cost_before.to_f64(), self.cost_after.to_f64());
        writeln!(f, "{}: cost {before} -> {after}", self.name)?;
        for Alternative { name, cost } in &self.alternatives {
            writeln!(f, "  plan, {name}: {}", cost.to_f64())?;
        }
        for nest in &self.nests {
            writeln!(f, "  nest: {}", nest.join(", "))?;
        }
        for Decided { name, kept, because } in &self.definitions {
            match kept {
                Kept::Buffer => write!(f, "  kept: {name}")?,
                Kept::Inlined => write!(f, "  computed where it is used: {name}")?,
                Kept::Given => write!(f, "  passed: {name}")?,
                Kept::Equal(other) => write!(f, "  equal to {other}: {name}")?,
                Kept::Unused => write!(f, "  unused: {name}")?,
            }
            if because.is_empty() { writeln!(f)? } else { writeln!(f, " (by {})", because.join(", "))? }
        }
        for Opaque { name, why } in &self.opaque {
            writeln!(f, "  opaque: {name}: {why}")?;
        }
        Ok(())
    }
}
