//! One node for every class that is needed: what choosing gives, and placing takes.

use egg::Id;
use smallvec::SmallVec;

use crate::cost::Cost;
use crate::egraph::Node;
use crate::encode::Place;
use crate::target::Price;

/// The index of a needed class in a [`Selection`].
pub(crate) type Index = usize;

/// The operands of a node.
pub(crate) type Children = SmallVec<[Index; 3]>;

/// The choice for one class.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// The class in the e-graph.
    pub class: Id,
    /// The node that computes it.
    pub node: Node,
    /// Its operands.
    pub children: Children,
    /// What it costs each time.
    pub price: Price,
    /// What it costs in all that the compiler rewrites the sum (`target/llvm/rewritten.rs`).
    pub rewriting: Cost,
    /// From where on all that it needs is defined: the outermost place where it can be computed.
    pub needs: Place,
    /// Whether it cannot trap (operands included).
    pub total: bool,
}

/// One node for every class that is needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// The needed classes; operands come before their users.
    pub chosen: Vec<Chosen>,
    /// The class of each site.
    pub sites: Vec<Index>,
}
