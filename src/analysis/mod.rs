//! Facts about programs that passes over statements and expressions rest on.

pub mod alias;
pub mod effects;
pub mod memory;
