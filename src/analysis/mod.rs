//! Facts about programs that passes over statements and expressions rest on.

pub mod effects;
