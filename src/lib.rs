//! satir: an equality-saturation optimizer for tensor programs.
pub mod arith;
pub mod cost;
pub mod diag;
pub mod eqsat;
pub mod interp;
pub mod ir;
pub mod script;
pub mod rules;
