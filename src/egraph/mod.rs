//! The e-graph: nodes, classes, and what is known of the value of each class. All that egg's interface of analyses asks for
//! is here; other modules see [`Graph`], [`Node`] and [`Facts`].
//!
//! [`facts`] has the data, [`transfer`] what is known of a node from its operands, and [`propagate`] the analysis that
//! spreads it, with the reasons why these facts may be shared by a whole function. Sums and products have normal forms over
//! other classes ([`poly`]), by which classes are found ([`poly_table`]).

mod analysis;
mod callees;
mod classes;
mod facts;
mod functions;
mod graph;
mod ids;
mod level;
mod log;
mod monomial;
mod node;
mod poly;
mod poly_table;
mod proof;
mod propagate;
mod reason;
mod rebuild;
mod samples;
mod table;
mod transfer;

pub use level::TheoryLevel;

pub(crate) use crate::arith::gcd;
#[cfg(test)]
pub(crate) use analysis::FactAnalysis;
pub(crate) use analysis::{Settings, theory_for};
pub(crate) use callees::Callees;
pub(crate) use classes::{ClassMap, ClassSet, Classes, needed};
pub(crate) use facts::{Facts, in_theory, known_range};
pub(crate) use functions::Function;
pub(crate) use graph::{Class, Graph, Knowing, canonical, is_full, poly_of};
pub(crate) use log::UnionTally;
pub(crate) use monomial::Monomial;
pub(crate) use node::{Node, Op};
pub(crate) use poly::{Poly, common_factor};
pub(crate) use poly_table::PolyTable;
pub(crate) use proof::Proofs;
pub(crate) use reason::{Area, Axiom, Reason};
pub(crate) use rebuild::{rebuild, rebuild_if_changed};
pub(crate) use samples::POINTS;
