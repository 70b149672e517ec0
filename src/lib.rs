//! satir: an equality-saturation optimizer for tensor programs.
pub mod cost;
pub mod diag;
pub mod interp;
pub mod ir;
