//! What was found before: what one place asks, another often asks as well.

use std::cell::RefCell;

use hashbrown::HashMap;

use super::question::{Question, Shape};
use crate::ir::Expr;

/// Answers to questions, which hold wherever the question is asked.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// For each expression a cheaper one, if there is one.
    pub(super) cheaper: RefCell<HashMap<Question, Option<Expr>>>,
    /// How many questions of a shape in a row had no cheaper answer.
    pub(super) fruitless: RefCell<HashMap<Shape, usize>>,
    /// The conditions put to the decision procedure.
    pub(super) decided: RefCell<HashMap<Question, Option<bool>>>,
}
