//! The state of printing one function: names, indentation, the line under construction.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::names::Names;
use super::signature::Signature;
use crate::ir::{AttrValue, BufferId, Expr, PrimFunc, VarId};

/// The state of printing one function.
pub(super) struct Printer<'m> {
    pub(super) func: &'m PrimFunc,
    /// The module's name.
    pub(super) module: Arc<str>,
    pub(super) s_tir: bool,
    pub(super) names: Names,
    pub(super) out: String,
    /// The line under construction.
    pub(super) line: String,
    /// Lines to be written before it: declarations of variables.
    pub(super) pending: Vec<String>,
    /// Names of the variables of `T.Let`, which are declared in a block and not free again after it. A copy of an
    /// expression has the same.
    pub(super) let_names: HashMap<VarId, Arc<str>>,
    pub(super) indent: usize,
    pub(super) type_vars: HashSet<VarId>,
    /// Variables that the signature has defined so far.
    pub(super) bound: HashSet<VarId>,
    /// Buffers that blocks allocate.
    pub(super) root_buffers: HashSet<BufferId>,
    /// First value and length of the loops around.
    pub(super) loop_ranges: HashMap<VarId, (Expr, Expr)>,
    /// What is called by a name that a variable could have too.
    pub(super) called: HashSet<Arc<str>>,
}

impl<'m> Printer<'m> {
    pub(super) fn new(
        func: &'m PrimFunc,
        signature: &Signature,
        module: &str,
        reserved: &[Arc<str>],
    ) -> Self {
        let flag = |key: &str| func.decorator.iter().any(|(k, v)| &**k == key && *v == AttrValue::Bool(true));
        Printer {
            func,
            module: module.into(),
            s_tir: flag("s_tir"),
            names: Names::new(func, reserved.iter().cloned()),
            out: String::new(),
            line: String::new(),
            pending: Vec::new(),
            let_names: HashMap::new(),
            indent: 0,
            type_vars: signature.type_vars.iter().map(|(_, var)| *var).collect(),
            bound: HashSet::new(),
            root_buffers: HashSet::new(),
            loop_ranges: HashMap::new(),
            called: HashSet::new(),
        }
    }

    /// Ends the line; what it needs declared is written before it.
    pub(super) fn flush(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        for pending in std::mem::take(&mut self.pending) {
            self.write_line(&pending);
        }
        self.write_line(&line);
        // Its memory serves the next line.
        line.clear();
        self.line = line;
    }

    pub(super) fn write_line(&mut self, line: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(line);
        self.out.push('\n');
    }
}
