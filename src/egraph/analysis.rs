//! The state of the class analysis: facts about variables, and tables that find classes by their meaning.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Instant;

use egg::Id;
use hashbrown::HashSet;

use super::functions::Functions;
use super::level::TheoryLevel;
use super::log::{UnionLog, UnionTally};
use super::poly::Poly;
use super::poly_table::PolyTable;
use super::table::FactsTable;
use crate::arith::{Interval, Ranges};
use crate::ir::DType;

/// The state of the analysis: facts about variables, and tables that find classes by their meaning.
#[derive(Default)]
pub(crate) struct FactAnalysis {
    /// How much of it is used.
    pub level: TheoryLevel,
    /// What is known of each class.
    pub(super) facts: FactsTable,
    /// Range of each variable ([`VarId`](crate::ir::VarId) is the index).
    pub var_ranges: Ranges,
    /// Depth of the scope that defines each variable.
    pub var_levels: Vec<u32>,
    /// Depth of the scope from which on each memory version is valid.
    pub version_levels: Vec<u32>,
    /// What intrinsics compute.
    pub functions: Functions,
    /// The class of each normal form.
    pub(super) by_poly: PolyTable,
    /// What the theory has visited: hashes of nodes, with what their steps depend on.
    pub visited: HashSet<u64>,
    /// The normal forms whose bounds their classes have: hashes, with what bounds are made from.
    pub bounded: HashSet<u64>,
    /// Differences that were not proven not to be negative, since the facts got better last.
    pub unproven: RefCell<HashSet<Poly>>,
    /// Polynomials that are not negative, in the place that a graph is about. Always empty in the graph of a whole
    /// function: such facts hold in a scope only.
    pub assumptions: Vec<Poly>,
    /// Polynomials that are not zero, in the place that a graph is about; as the assumptions.
    pub nonzero: Vec<Poly>,
    /// Whether what some class leaves modulo a constant is known at the place; as the assumptions.
    pub knows_rests: bool,
    /// Whether to look for assumptions among what is known to be true.
    pub contextual: bool,
    /// The sample points at which something does not hold that is known: a bit each.
    pub broken_points: u8,
    /// How many terms of normal forms were handled, and the most that may be; unlike time this is the same in every run.
    work: Cell<u64>,
    pub work_limit: Option<u64>,
    /// When growing the graph ends, whatever is left to do.
    pub deadline: Option<Instant>,
    /// The unions with their reasons, if they are asked for.
    pub(super) log: Option<Box<RefCell<UnionLog>>>,
    /// Contradictions met (two values of one class): a rule is unsound, or the facts of a place exclude each other. The
    /// result is not used. From the first one on no facts spread: if 0 is 1, every sum has ever more values.
    pub contradictions: usize,
}

impl FactAnalysis {
    /// The class of a normal form, if one is known.
    pub(crate) fn class_of(&self, dtype: DType, poly: &Poly) -> Option<Id> {
        self.by_poly.get(dtype, poly)
    }

    /// Takes note that a normal form of so many terms is looked at: each term is compared with some of the others.
    pub(crate) fn spend(&self, terms: usize) {
        self.spend_on_terms(1 + terms + terms * terms / 4);
    }

    /// Takes note that so many terms are handled.
    pub(crate) fn spend_on_terms(&self, terms: usize) {
        self.work.set(self.work.get().saturating_add(terms as u64));
    }

    /// Whether as many terms were handled as may be.
    pub(crate) fn is_spent(&self) -> bool {
        self.work_limit.is_some_and(|limit| self.work.get() > limit)
    }

    /// Whether the deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// Whether two different values were found equal.
    pub(crate) fn contradicts(&self) -> bool {
        self.contradictions > 0
    }

    /// Sets the classes of normal forms.
    pub(crate) fn set_table(&mut self, table: PolyTable) {
        self.by_poly = table;
    }
}

/// What a graph is made with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// How much of the theory is used.
    pub level: TheoryLevel,
    /// Whether unions are noted with their reasons.
    pub logged: bool,
    /// Where they are counted when the graph goes, if they are.
    pub tally: Option<Arc<UnionTally>>,
}

impl From<TheoryLevel> for Settings {
    fn from(level: TheoryLevel) -> Settings {
        Settings { level, ..Settings::default() }
    }
}

/// The variable's level and range are set for the ids up to `vars`.
pub(crate) fn theory_for(vars: usize, settings: impl Into<Settings>) -> FactAnalysis {
    let Settings { level, logged, tally } = settings.into();
    FactAnalysis {
        level,
        log: (logged || tally.is_some()).then(|| Box::new(RefCell::new(UnionLog::new(tally)))),
        var_ranges: vec![Interval::ALL; vars].into(),
        var_levels: vec![0; vars],
        ..FactAnalysis::default()
    }
}
