//! satir: an equality-saturation optimizer for tensor programs.
pub mod diag;
pub mod ir;
