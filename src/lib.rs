//! satir: an equality-saturation optimizer for tensor programs.
pub mod diag;
pub mod interp;
pub mod ir;
