//! The arithmetic theory beyond the ring axioms: floor division and remainder, minimum and maximum, comparisons
//! and selections over normal forms and intervals.
//!
//! The canonical form of `P % q` is the polynomial `P - q * (P // q)`, so quotients are the only atoms that
//! division makes, and identities such as `x // c * c + x % c = x` or `x % (a*b) // a = x // a % b` hold by the
//! equality of polynomials. [`division`] reduces quotients, [`extremum`] minima and maxima, [`compare`] comparisons,
//! [`logic`] conditions, [`convert`] conversions and operations on constants, [`vector`] vectors by their lanes;
//! [`saturate`] does a step for each node. Below them are the ranges of polynomials ([`bounds`]), their signs under
//! assumptions ([`sign`]) and the terms that stand for them ([`sums`]).
//!
//! Each step is an identity of the total functions that [`egraph`](crate::egraph) describes.

mod basic;
mod bounds;
pub(crate) mod compare;
mod convert;
mod divides;
mod division;
pub(crate) mod extremum;
mod logic;
mod nonzero;
mod normalize;
mod quotients;
mod remainders;
mod samples;
mod saturate;
mod sign;
pub(crate) mod sums;
pub(crate) mod vector;

pub(crate) use basic::has_constant;
pub(crate) use bounds::bound;
pub(crate) use convert::{constant, representable};
pub(crate) use logic::can_be_total;
pub(crate) use quotients::{quotient_of, truncated_quotient_of};
pub(crate) use remainders::{last_remainder_in, remainders_in};
pub(crate) use saturate::run;
pub(crate) use sums::{build, default_form};
