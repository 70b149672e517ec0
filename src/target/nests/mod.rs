//! What a nest of loops takes, in instructions as LLVM makes them: values that do not vary in a loop are computed before
//! it, equal ones once; addresses that grow by the same amount with each iteration take next to nothing; innermost loops
//! over neighbouring elements, without conditions, run on vectors; short ones are written out.
//!
//! This estimates; it is used to compare ways to write one nest, never to say what a program costs.

mod accesses;
mod flat;
mod folds;
mod hash;
mod iterations;
mod loops;
mod neighbours;
mod peeled;
mod products;
mod registers;
mod size;
mod whole;

use hashbrown::{HashMap, HashSet};

pub(crate) use self::flat::flat;
use self::hash::{mix, tag};
use self::iterations::Iterations;
pub(crate) use self::iterations::Odds;
pub(super) use self::neighbours::Element;
use self::registers::{Known, Registers};
use self::size::{Conditions, Size};
use self::whole::Whole;
use super::compiler::is_llvm_for_any_x86;
pub(crate) use super::llvm::nests::{Stride, stride};
use super::llvm::nests::{first_of_row, operation, registers_of, selection};
use crate::cost::{Bindings, Profile};
use crate::ir::intrin::FENCE;
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};

/// How many vectors LLVM keeps in registers.
const REGISTERS: f64 = 16.0;

/// A branch on a condition.
const BRANCH: f64 = 1.0;

/// A branch to what stands behind a condition.
const JUMP: f64 = 1.0;

/// Tells a number as an operand from what computes it.
const REPEATED: u64 = 43;

/// What is taken of conditions that are constants once that loops are written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decided {
    /// They cost nothing: LLVM is known to compile the text as it is.
    Free,
    /// The same only for loops in which no loop is left. Whether an outer one is written out depends on all that is in it, so that
    /// a search step by step would stop where one step alone changes that.
    Inside,
    /// They count as others do: whoever asks writes loops out himself, or wants them gone.
    Counted,
}

/// An estimate of the instructions of a function, all conditions counted. `odds` must come from estimates with the same profile.
pub(crate) fn instructions(func: &PrimFunc, profile: &Profile, bindings: &Bindings, odds: &Odds) -> f64 {
    taken(func, profile, bindings, (odds, Decided::Counted)).instructions
}

/// What a function takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    pub(crate) instructions: f64,
    /// Those of each loop.
    pub(crate) of_loops: HashMap<VarId, f64>,
    /// The loops that are written out, if that makes conditions free.
    pub(crate) written_out: HashSet<VarId>,
    /// The loops that LLVM is known to run on vectors, though they take less otherwise.
    pub(crate) slowed: HashMap<VarId, Slowed>,
}

/// How a loop takes less than on the vectors that LLVM makes of its iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slowed {
    /// If nothing in it runs on vectors.
    pub(crate) on_scalars: bool,
    /// With vectors of neighbours within an iteration, and less than on scalars.
    pub(crate) with_rows: bool,
}

/// The same with what each loop takes.
pub(crate) fn taken(
    func: &PrimFunc,
    profile: &Profile,
    bindings: &Bindings,
    (odds, decided): (&Odds, Decided),
) -> Taken {
    let flat = flat(func);
    let func = flat.as_ref().unwrap_or(func);
    let mut estimate = Estimate::new(func, profile, bindings, odds);
    estimate.decided = decided;
    estimate.block(&func.body, 1.0);
    let knows_more = match decided {
        Decided::Free => true,
        Decided::Inside => {
            estimate.decides || estimate.accumulates && !estimate.known_after.written_out.is_empty()
        }
        Decided::Counted => false,
    };
    if knows_more {
        // Which conditions cost nothing, and what stays in registers, is known only once that it is known which loops are
        // written out.
        estimate = estimate.again();
        estimate.block(&func.body, 1.0);
    }
    estimate.taken()
}

/// A loop that is open, or the function.
#[derive(Debug, Default)]
struct Frame {
    var: Option<VarId>,
    /// The first value of its variable, where it has to be found out which first iterations are written out.
    first: Option<Expr>,
    /// How often its body runs, and how often each time that it starts; whether that is a constant.
    runs: f64,
    trips: f64,
    is_constant: bool,
    /// What is computed in it, in all.
    cost: f64,
    /// The same if nothing ran on vectors.
    scalar_cost: f64,
    /// The hashes of what is computed in it.
    seen: HashSet<u64>,
    inner: bool,
    /// The instructions of its body as a text.
    size: Size,
    /// Whether one of the loops in it, at any depth, is not written out.
    looped: bool,
    /// Whether it cannot run on vectors.
    scalar: bool,
    /// The bits of the widest element that is accessed.
    bits: u32,
    /// How many stores it has, and how many of them an iteration comes to on average, by the conditions that it decides.
    stores: usize,
    stored: f64,
    /// How many of its iterations come to the place that is looked at, by the same conditions.
    passing: f64,
    /// Whether it does more than to copy or fill elements.
    computes: bool,
    /// Whether there are branches in it, without those of loops in it.
    branches: bool,
    /// Whether there are conditions in it, decided ones included, that it changes or that do not guard all that is in it.
    guards: bool,
    /// Whether what is looked at is all that stands in it.
    is_all: bool,
    /// Whether it has branches on conditions that it does not change, beside other statements.
    unswitched: bool,
    /// What it takes in each iteration to put elements into vectors that are no neighbours, and whether some are apart.
    moved: f64,
    strided: bool,
    /// The same where every second one is loaded by itself: only the loop vectorizer shuffles whole vectors.
    gathered: f64,
    /// Whether elements that it stores to, and a loop around it that stays keeps in registers, are neighbours: LLVM keeps vectors of
    /// them, and makes vectors of what is folded into them, wherever that is loaded.
    packs: bool,
    /// How many numbers that the loop around it changes are operands in it: vectors are made of them.
    repeated: f64,
    /// The hashes of addresses that grow with it.
    grown: HashSet<u64>,
    /// The sums that grow with it at which elements are, each with a buffer of these, and whether it is not the only one.
    sums: HashMap<u64, (BufferId, bool)>,
    /// What it takes behind it to fold the vectors in which it sums integers.
    folded_behind: f64,
    /// How many of the loads in it are operands of other instructions, which load them.
    folded: f64,
    /// The same with all loops in it, if these are written out.
    whole: Whole,
    /// The conditions that only its first iterations decide otherwise than the others.
    first_ones: peeled::FirstOnes,
}

impl Frame {
    fn of_function() -> Frame {
        Frame { runs: 1.0, inner: true, scalar: true, passing: 1.0, ..Frame::default() }
    }
}

struct Estimate<'a> {
    func: &'a PrimFunc,
    iterations: Iterations<'a>,
    frames: Vec<Frame>,
    /// The loop that defines a variable, by its depth.
    depths: HashMap<VarId, usize>,
    registers: Registers<'a>,
    /// What loops take that are closed.
    loops: HashMap<VarId, f64>,
    /// The conditions around what is looked at, within the innermost open loop.
    conditions: Conditions,
    /// The innermost loop that any condition around what is looked at varies in.
    guarded_in: usize,
    /// What is known of closed loops.
    known_after: Known,
    /// The same of all loops, when it is known.
    known: Option<Known>,
    /// Loops that are written out if other loops that are make their lengths constant; inner ones first.
    short: Vec<(VarId, Expr)>,
    /// How many loads have been charged.
    loads: usize,
    decided: Decided,
    /// Whether writing loops out decides conditions.
    decides: bool,
    /// Whether an element is stored to again and again.
    accumulates: bool,
    /// Whether what is looked at is the value of a store that only copies.
    copies: bool,
    /// The loops that take less otherwise than on the vectors that LLVM makes of their iterations.
    slowed: HashMap<VarId, Slowed>,
    /// Whether the pass `keep-scalar` keeps such loops on scalars.
    keeps_scalar: bool,
}

/// What is known of an expression.
#[derive(Clone, Copy)]
struct Seen {
    /// The innermost loop that it varies in.
    depth: usize,
    hash: u64,
    /// The outermost loop that it depends on, if loops are all that it depends on.
    of_loops: Option<usize>,
}

/// A constant depends on no loop.
const NO_LOOP: usize = usize::MAX;

/// The outermost loop that two expressions depend on, if loops are all that they depend on.
fn of_both(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    Some(a?.min(b?))
}

impl Seen {
    fn constant(hash: u64) -> Seen {
        Seen { depth: 0, hash, of_loops: Some(NO_LOOP) }
    }

    fn unknown(depth: usize, hash: u64) -> Seen {
        Seen { depth, hash, of_loops: None }
    }

    /// The outermost loop that has to be written out, with those in it, for it to become a constant.
    fn decided_by(self) -> Option<usize> {
        self.of_loops.filter(|&depth| depth != NO_LOOP)
    }
}

impl<'a> Estimate<'a> {
    fn new(func: &'a PrimFunc, profile: &'a Profile, bindings: &Bindings, odds: &'a Odds) -> Estimate<'a> {
        let iterations = Iterations::new(func, profile, bindings, odds);
        Estimate {
            func,
            iterations,
            frames: vec![Frame::of_function()],
            depths: HashMap::new(),
            registers: Registers::new(func),
            loops: HashMap::new(),
            conditions: Conditions::NONE,
            guarded_in: 0,
            known_after: Known::default(),
            known: None,
            short: Vec::new(),
            loads: 0,
            decided: Decided::Free,
            decides: false,
            accumulates: false,
            copies: false,
            slowed: HashMap::new(),
            keeps_scalar: is_llvm_for_any_x86(func),
        }
    }

    /// The same anew, where it is known which loops are written out.
    fn again(mut self) -> Estimate<'a> {
        // LLVM looks at what stood in a loop once more when it has written that one out.
        if self.decided == Decided::Free {
            for (var, extent) in std::mem::take(&mut self.short).into_iter().rev() {
                let known = &mut self.known_after.written_out;
                if !extent.reads_memory() && !extent.mentions(|var| !known.contains(&var)) {
                    known.insert(var);
                }
            }
        }
        Estimate {
            frames: vec![Frame::of_function()],
            depths: HashMap::new(),
            loops: HashMap::new(),
            known: Some(self.known_after),
            known_after: Known::default(),
            ..self
        }
    }

    /// What it found when the function has been looked at.
    fn taken(mut self) -> Taken {
        let is_free = self.decided != Decided::Counted;
        Taken {
            instructions: self.frames.pop().map_or(0.0, |frame| frame.cost),
            of_loops: self.loops,
            written_out: if is_free { self.known_after.written_out } else { HashSet::new() },
            slowed: self.slowed,
        }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the function's frame is never closed")
    }

    /// Instructions that run in the loop at a depth.
    fn charge(&mut self, depth: usize, cost: f64, share: f64) {
        let is_here = depth + 1 == self.frames.len();
        let frame = &mut self.frames[depth];
        let cost = cost * frame.runs * if is_here { share } else { 1.0 };
        frame.cost += cost;
        frame.scalar_cost += cost;
        frame.whole.cost += cost;
    }

    /// Instructions that stand in the loop at a depth when LLVM decides whether to write it out. `decided_by`: the loop that makes
    /// a constant of them when it is.
    fn text(&mut self, depth: usize, instructions: f64, share: f64, decided_by: Option<usize>) {
        self.text_by(depth, instructions, share, |around| around.of_index(decided_by));
    }

    /// The same for branches on a condition.
    fn branches(&mut self, cond: Seen, branches: f64, share: f64) {
        self.text_by(cond.depth, branches, share, |around| around.of_index(cond.decided_by()).branch());
    }

    fn text_by(
        &mut self,
        depth: usize,
        instructions: f64,
        share: f64,
        of: impl FnOnce(Conditions) -> Conditions,
    ) {
        if self.known.is_some() {
            return;
        }
        let is_here = depth + 1 == self.frames.len();
        let (around, share) = if is_here { (self.conditions, share) } else { (Conditions::NONE, 1.0) };
        self.frames[depth].size.add(instructions, of(around), share);
    }

    /// Whether a loop is known to be written out.
    fn is_written_out(&self, var: Option<VarId>) -> bool {
        let known = self.known.as_ref();
        var.is_some_and(|var| known.is_some_and(|known| known.written_out.contains(&var)))
    }

    /// Whether a condition is known to be a constant once that loops are written out.
    fn is_decided(&self, cond: &Expr) -> bool {
        registers::is_decided(cond, self.known.as_ref())
    }

    /// The depth of the outermost loop that a condition depends on, if loops are all that it depends on.
    fn decided_by(&self, cond: &Expr) -> Option<usize> {
        let mut outermost = None;
        let mut is_known = true;
        cond.walk(&mut |e| match &e.kind {
            ExprKind::Var(var) if self.iterations.is_of_loop(*var) => {
                let depth = self.depths.get(var).copied().unwrap_or(0);
                outermost = Some(outermost.map_or(depth, |known: usize| known.min(depth)));
            }
            ExprKind::Var(_) | ExprKind::Load { .. } => is_known = false,
            _ => {}
        });
        outermost.filter(|_| is_known)
    }

    /// Whether an expression is known to be a constant once that loops are written out.
    fn is_constant(&self, seen: Seen) -> bool {
        let is_written_out =
            |depth: usize| self.frames.get(depth).is_some_and(|frame| self.is_written_out(frame.var));
        seen.of_loops.is_some_and(|outermost| is_written_out(outermost) && is_written_out(seen.depth))
    }

    /// Whether all is asked, and what becomes of loops is known.
    fn knows_all(&self) -> bool {
        self.decided == Decided::Free && self.known.is_some()
    }

    /// Whether it has to be found out which first iterations are written out.
    fn looks_for_first_ones(&self) -> bool {
        self.decided == Decided::Free && self.known.is_none()
    }

    /// Notes a condition if the first iterations of the innermost open loop decide it.
    fn look_for_first_ones(&mut self, cond: &Expr) {
        let frame = self.frame();
        if let (Some(var), Some(first)) = (frame.var, &frame.first) {
            let trips = frame.is_constant.then_some(frame.trips as i64);
            frame.first_ones.add(cond, var, (first, trips));
        }
    }

    /// Whether the innermost open loop changes an expression.
    fn varies_here(&self, e: &Expr) -> bool {
        let here = self.frames.len() - 1;
        here > 0 && e.mentions(|var| self.depths.get(&var).copied().unwrap_or(0) >= here)
    }

    /// Whether a value is an element of a row, or zero, whatever conditions hold that the innermost open loop does not change.
    fn is_copied(&self, value: &Expr) -> bool {
        match (value.as_intrin(), &value.kind) {
            (Some(("if_then_else", [cond, then, otherwise])), _) => {
                !self.varies_here(cond) && self.is_copied(then) && self.is_copied(otherwise)
            }
            (_, ExprKind::Load { indices, .. }) => indices.iter().any(|index| self.varies_here(index)),
            (_, ExprKind::Int(0) | ExprKind::Float(0)) => true,
            _ => false,
        }
    }

    /// What is left of a condition without the parts that are known to be constants once that loops are written out; `None` if
    /// these are all of it, or none.
    fn undecided(&self, cond: &Expr) -> Option<Expr> {
        if !self.knows_all() {
            return None;
        }
        let (decided, mut left): (Vec<&Expr>, Vec<&Expr>) =
            cond.conjuncts().into_iter().partition(|part| self.is_decided(part));
        let last = left.pop().filter(|_| !decided.is_empty())?.clone();
        Some(left.into_iter().rfold(last, |rest, part| Expr::binary(BinOp::And, part.clone(), rest)))
    }

    /// `share`: how many of the iterations of the innermost open loop come here.
    fn block(&mut self, block: &Block, share: f64) {
        for stmt in block {
            self.stmt(stmt, share);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, share: f64) {
        match &stmt.kind {
            StmtKind::For(l) => self.for_loop(l, share),
            StmtKind::If { cond, then, otherwise } => {
                let taken = self.iterations.probability(cond);
                let (around, decided_by) = (self.conditions, self.decided_by(cond));
                self.conditions = around.of_condition(decided_by);
                let seen = self.expr(self.undecided(cond).as_ref().unwrap_or(cond), share);
                self.look_for_first_ones(cond);
                let choice = self.choice(then, otherwise);
                let is_all = std::mem::take(&mut self.frame().is_all);
                self.frame().guards |= !is_all || self.varies_here(cond);
                if !self.is_decided(cond) {
                    self.charge(seen.depth, BRANCH, share);
                    match choice {
                        Some(size) => {
                            self.text_by(seen.depth, size, share, |around| around.of_condition(decided_by));
                        }
                        None => {
                            self.branches(seen, BRANCH, share);
                            let here = self.frames.len() - 1;
                            self.frame().unswitched |= !is_all && seen.depth < here;
                        }
                    }
                    self.frame().branches = true;
                    // What is written out becomes vectors only within one basic block.
                    if seen.depth + 1 == self.frames.len()
                        || self.is_written_out(self.frames[self.frames.len() - 1].var)
                    {
                        self.frame().scalar = true;
                    }
                }
                let (passing, varies) = (self.frame().passing, self.varies_here(cond));
                let guarded_in = self.guarded_in;
                self.guarded_in = guarded_in.max(seen.depth);
                for (arm, taken) in [(then, taken), (otherwise, 1.0 - taken)] {
                    self.conditions = around.inside(decided_by, taken);
                    self.frame().passing = passing * if varies { taken } else { 1.0 };
                    if !arm.is_empty() && choice.is_none() {
                        let here = self.frames.len() - 1;
                        self.text(here, JUMP, share * taken, None);
                    }
                    self.block(arm, share * taken);
                }
                self.frame().passing = passing;
                self.conditions = around;
                self.guarded_in = guarded_in;
            }
            StmtKind::Store { buffer, indices, value } => {
                // The C library copies elements and fills memory with zeros.
                let is_copy = self.is_copied(value);
                self.copies = is_copy;
                self.expr(value, share);
                self.copies = false;
                let (seen, is_at_a_sum) = self.access(*buffer, indices, share, true);
                self.store_in_place(*buffer, indices);
                let here = self.frames.len() - 1;
                if seen.depth == here {
                    // LLVM counts a store twice whose address is computed with a variable.
                    self.text(here, 1.0, share, (!is_at_a_sum).then_some(here));
                }
                self.transfer(*buffer, indices, here, share, None);
                self.accumulates |= seen.depth > 0 && self.leaves_out_a_loop(indices);
                let frame = self.frame();
                frame.stores += 1;
                frame.stored += frame.passing;
                frame.computes |= !is_copy;
            }
            StmtKind::Bind { var, value } => {
                let seen = self.expr(value, share);
                self.depths.insert(*var, seen.depth);
                self.iterations.bind(*var, value);
            }
            _ => {
                stmt.for_each_expr(|e| {
                    self.expr(e, share);
                });
                if !matches!(stmt.kind, StmtKind::Alloc { .. } | StmtKind::Decl { .. }) {
                    self.frame().scalar = true;
                    self.frame().whole.is_prevented = true;
                }
                stmt.for_each_block(|inner| self.block(inner, share));
            }
        }
    }

    /// The size of the choice that LLVM makes of a condition if all that this decides is what is in a register.
    fn choice(&self, then: &Block, otherwise: &Block) -> Option<f64> {
        match (&then[..], &otherwise[..]) {
            ([Stmt { kind: StmtKind::Store { buffer, indices, value }, .. }], [])
                if !value.reads_memory() && self.is_kept(*buffer, indices) =>
            {
                Some(selection(value.dtype))
            }
            _ => None,
        }
    }

    /// What the operations of an expression take.
    fn expr(&mut self, e: &Expr, share: f64) -> Seen {
        let here = self.frames.len() - 1;
        match &e.kind {
            ExprKind::Var(var) => {
                let depth = self.depths.get(var).copied().unwrap_or(0).min(here);
                let of_loops = self.iterations.is_of_loop(*var).then_some(depth);
                return Seen { depth, hash: mix(1, u64::from(var.0)), of_loops };
            }
            ExprKind::Int(value) => return Seen::constant(mix(2, *value as u64)),
            ExprKind::Float(bits) => return Seen::constant(mix(3, *bits)),
            ExprKind::Load { buffer, indices } => return self.load(e, *buffer, indices, share),
            _ => {}
        }
        if e.dtype.is_bool() && self.is_decided(e) {
            return Seen::unknown(0, tag(e));
        }
        let (around, guarded_in) = (self.conditions, self.guarded_in);
        let lazy = match e.as_intrin() {
            Some(("if_then_else", [cond, _, _])) => Some(cond),
            _ => None,
        };
        let is_decided = match &e.kind {
            ExprKind::Select(select) => self.is_decided(&select.cond),
            _ => lazy.is_some_and(|cond| self.is_decided(cond)),
        };
        if let Some(cond) = lazy {
            self.look_for_first_ones(cond);
        }
        if let ExprKind::Binary(BinOp::Min | BinOp::Max, a, b) = &e.kind {
            self.look_for_first_ones(&Expr::binary(BinOp::Lt, (**a).clone(), (**b).clone()));
        }
        let lazy = lazy.map(|cond| (self.iterations.probability(cond), self.decided_by(cond)));
        let (mut depth, mut hash, mut number) = (0, tag(e), 0);
        let mut of_loops = Some(NO_LOOP);
        let (mut condition_depth, mut loaded) = (0, false);
        let mut from_outside = [None; 2];
        e.for_each_child(|part| {
            let taken = match (lazy, number) {
                (Some((taken, _)), 1) => taken,
                (Some((taken, _)), 2) => 1.0 - taken,
                _ => 1.0,
            };
            if let Some((_, decided_by)) = lazy {
                self.conditions = match number {
                    0 => around.of_condition(decided_by),
                    _ => around.inside(decided_by, taken),
                };
                self.guarded_in = if number == 0 { guarded_in } else { guarded_in.max(condition_depth) };
            }
            let loads = self.loads;
            let undecided = if lazy.is_some() && number == 0 { self.undecided(part) } else { None };
            let seen = self.expr(undecided.as_ref().unwrap_or(part), share * taken);
            loaded |= self.loads > loads && is_operand(part);
            if part.dtype.is_float()
                && !part.is_number()
                && seen.depth + 1 == here
                && let Some(operand) = from_outside.get_mut(number)
            {
                *operand = Some(mix(seen.hash, REPEATED));
            }
            if number == 0 {
                condition_depth = seen.depth;
            }
            depth = depth.max(seen.depth);
            hash = mix(hash, seen.hash);
            of_loops = of_both(of_loops, seen.of_loops);
            number += 1;
        });
        self.conditions = around;
        self.guarded_in = guarded_in;
        let seen = Seen { depth, hash, of_loops };
        // What is copied is chosen in front of the loop that copies (LLVM's SimpleLoopUnswitch).
        let is_unswitched = self.copies && lazy.is_some() && condition_depth < here;
        if is_decided || is_unswitched || self.is_constant(seen) {
            return seen;
        }
        let cost = operation(e);
        if self.frames[depth].seen.insert(hash) {
            self.charge(depth, cost.instructions, share);
            let times = self.frames[depth].runs * if depth == here { share } else { 1.0 };
            self.frames[depth].whole.operation(e.dtype.is_float(), cost.for_each_element, times);
            let is_call = matches!(&e.kind, ExprKind::Binary(BinOp::Min | BinOp::Max, ..));
            self.text_by(depth, cost.size, share, |around| match is_call {
                true => around.of_call(seen.decided_by()),
                false => around.of_condition(seen.decided_by()),
            });
            if depth == here {
                let folds = loaded && self.decided == Decided::Free && takes_two(e);
                let frame = self.frame();
                frame.computes = true;
                for operand in from_outside.into_iter().flatten() {
                    frame.repeated += if frame.seen.insert(operand) { 1.0 } else { 0.0 };
                }
                frame.moved += cost.for_each_element * share;
                frame.gathered += cost.for_each_element * share;
                // One operand of an operation may be in memory.
                if folds {
                    frame.folded += frame.runs * share * registers_of(e.dtype);
                }
            }
        }
        let chooses = lazy.is_some() && condition_depth == here;
        // What is only loaded under a condition takes a branch.
        let branches = chooses && e.reads_memory();
        if branches {
            self.branches(seen, BRANCH + JUMP, share);
        }
        if matches!(e.as_intrin(), Some((FENCE, _))) {
            // The loop vectorizer takes no loop that has it.
            self.frames[depth].scalar = true;
            self.frames[depth].whole.is_prevented = true;
        }
        let frame = self.frame();
        frame.computes |= chooses;
        if depth == here {
            frame.branches |= branches;
            // The loop vectorizer takes no loop with instructions on vectors.
            let is_prevented = !cost.on_vectors || !e.dtype.is_scalar();
            frame.scalar |= branches || is_prevented;
            frame.whole.is_prevented |= is_prevented;
        }
        seen
    }
}

/// Whether an expression loads what an instruction may have as an operand: an element, or a vector of neighbours.
fn is_operand(e: &Expr) -> bool {
    let is_row = |index: &Expr| first_of_row(index).dtype.is_scalar();
    matches!(&e.kind, ExprKind::Load { indices, .. } if indices.iter().all(is_row))
}

/// Whether an operation has two different operands.
fn takes_two(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Binary(_, a, b) if a != b)
}

#[cfg(test)]
mod tests;
