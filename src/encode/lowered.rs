//! A function in the e-graph, with all that placing its expressions takes.

use std::sync::Arc;

use egg::Id;
use indexmap::IndexMap;

use super::fits::Fits;
use super::scopes::{Place, Scopes};
use crate::analysis::magnitude::Magnitudes;
use crate::egraph::{Callees, Graph, Node, rebuild};
use crate::ir::{Expr, VarId};

/// A place where an expression stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// Its class.
    pub class: Id,
    /// The statement whose part it is (or, in a pseudo-scope, position 0).
    pub place: Place,
    /// Whether it is an address: the index of a store.
    pub address: bool,
}

/// A function in the e-graph.
pub(crate) struct Lowered {
    /// The e-graph.
    pub graph: Graph,
    /// The scopes.
    pub scopes: Scopes,
    /// Every expression root in walking order.
    pub sites: Vec<Site>,
    /// The intrinsics of [`Op::Call`] nodes, with keyword arguments.
    pub callees: Callees,
    /// The expressions of [`Op::Template`] nodes; operand `i` stands where variable [`hole`]`(i)` does.
    pub templates: Vec<Template>,
    /// The `Bind` statements that were inlined: variable and class of the value, in walking order.
    pub inlined: IndexMap<VarId, Id>,
    /// The `Bind` statements that stay and whose variables stand for their classes.
    pub named: IndexMap<VarId, Site>,
    /// Where each memory version of a buffer begins; the second operand of [`Op::Load`] is the index.
    pub versions: Vec<Place>,
    /// What the input evaluates that might have trapped.
    pub evidence: Vec<ExecutedTrap>,
    /// What bounds the variables of the function.
    pub magnitudes: Arc<Magnitudes>,
    /// Which classes fit their types; found when it is first asked for, after which the graph changes by [`Lowered::rebuild`] only.
    pub fits: Fits,
    /// How many nodes the graph had when all was lowered: the first of [`Graph::nodes`](egg::EGraph::nodes).
    pub input_nodes: usize,
    /// Whether a variable is defined twice: such a function is not optimized.
    pub redefined: bool,
    /// Whether the function has blocks: TVM is still to infer from the indices which part of each buffer is used.
    pub has_blocks: bool,
}

impl Lowered {
    /// Whether the values of a class fit its type wherever the class can be computed.
    pub(crate) fn fits(&self, class: Id) -> bool {
        self.fits.contains(&self.graph, &self.magnitudes, class)
    }

    /// Restores the invariants of the graph after nodes were added and classes united.
    pub(crate) fn rebuild(&mut self) {
        rebuild(&mut self.graph);
        self.fits = Fits::default();
    }
}

/// An operation that might trap.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Trap {
    /// A division or remainder by this class, which traps if that is zero.
    Zero(Id),
    /// The operation of this node.
    Node(Node),
    /// Arithmetic whose value is that of this class, which overflows if its type does not hold that.
    Overflow(Id),
}

/// A condition under which something is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Guard {
    /// The class of truth values that decides.
    pub class: Id,
    /// With which value of it the operand is evaluated.
    pub truth: bool,
    /// Whether the compiled code skips the operand otherwise: `T.if_then_else` does, `and` and `or` do not.
    pub firm: bool,
}

/// The input evaluates an operation at a place: it does not trap there.
#[derive(Clone, Debug)]
pub(crate) struct ExecutedTrap {
    /// The operation.
    pub trap: Trap,
    /// The statement whose part it is.
    pub place: Place,
    /// The conditions within the statement's expression under which it is evaluated.
    pub guards: Vec<Guard>,
}

/// An expression that equals nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    /// The expression with holes.
    pub expr: Expr,
    /// For each hole, the conditions within the expression under which it is evaluated.
    pub conditions: Vec<Vec<HoleCondition>>,
}

/// That a hole is only evaluated where another one has a truth value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HoleCondition {
    /// The hole of the condition.
    pub hole: usize,
    /// Its value.
    pub truth: bool,
    /// See [`Guard::firm`].
    pub firm: bool,
}

/// The first of the variable ids that stand for holes in templates.
const FIRST_HOLE: u32 = u32::MAX / 2;

/// The variable that stands for operand `i` of a template.
pub(crate) fn hole(i: usize) -> VarId {
    VarId(FIRST_HOLE + u32::try_from(i).expect("fewer than 2^31 holes"))
}

/// The operand that a variable stands for in a template.
pub(crate) fn hole_index(var: VarId) -> Option<usize> {
    var.0.checked_sub(FIRST_HOLE).map(|i| i as usize)
}
