//! The choice between ways to write the loops of a statement: greedy, with the steps that only together make a nest better
//! tried together.
//!
//! Each step is applied, the result simplified under what its place guarantees, and its instructions estimated
//! ([`nests`]). The best result is kept as long as it is better by more than the estimate can tell. The work is
//! counted in parts of expressions that were simplified.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::affine::hides_affine;
use super::bounds::{Choice, for_each_choice};
use super::copy::mentions_any;
use super::place::{Path, Place, loop_at, replace, take_loop};
use super::split::Rows;
use super::{decompose, init, join, local, narrow, partition, split, unswitch};
use crate::analysis::known::Known;
use crate::analysis::length;
use crate::analysis::magnitude::Magnitudes;
use crate::cse::Options;
use crate::ir::{Block, Expr, ExprKind, For, PrimFunc, Stmt, StmtKind, VarId};
use crate::script::print_func;
use crate::simplify::{self, Reach};
use crate::target::nests;

/// How much better, as a share, a step has to make a statement.
const LEAST_GAIN: f64 = 0.01;

/// The same for all steps together: the estimate is no better.
const LEAST_GAIN_IN_ALL: f64 = 0.08;

/// How much more, as a share, the result may take with all that LLVM makes of it than what it was made of: the estimate is no more
/// exact, and the text says more.
pub(crate) const INEXACT: f64 = 0.02;

/// What a quotient of a loop variable that is left counts, or a condition on one, as a share of all, and the most that count.
const FOR_ONE_LEFT: f64 = 0.02;
const MAX_LEFT: usize = 12;

/// The most parts of expressions that are simplified for each one of the statement, and for any statement.
const WORK_FOR_EACH: usize = 60;
const LEAST_WORK: usize = 8_000;
const MAX_WORK: usize = 200_000;

/// Longer statements stay: to simplify one takes long enough to be done once.
const MAX_LENGTH: usize = 10_000;

/// A result of this length is short enough, if it may grow at all.
const SHORT: usize = 200;

/// The most steps.
const MAX_STEPS: usize = 24;

/// What some steps are called.
const FIRST: &str = "first iteration in front";
const INITS: &str = "initializations in front";

/// Constant divisors of loop variables, with their offsets, by [`Rows`].
type Spelled = HashMap<VarId, [Vec<(i64, i64)>; 2]>;

/// A way to write a statement.
#[derive(Clone, Debug)]
struct State {
    /// The function with that statement as its body.
    func: Rc<PrimFunc>,
    /// What it was before, first to last.
    before: Vec<Rc<PrimFunc>>,
    instructions: f64,
    /// What each loop takes, and which ones LLVM writes out.
    taken: Rc<nests::Taken>,
    /// All and a little for each quotient of a loop variable that is left, since what is decided by one becomes bounds only when it
    /// is a variable, and for each condition, since the estimate takes those for nothing that LLVM is expected to decide.
    with_left: f64,
    /// How many of these there are.
    left: usize,
    length: usize,
    /// What bounds the function's variables, once that it was asked for.
    magnitudes: OnceCell<Arc<Magnitudes>>,
    /// The constant divisors of loop variables before it was last simplified as a whole.
    spelled: Rc<Spelled>,
    /// What was done since the last step that was taken.
    done: Vec<&'static str>,
}

/// A step that was taken.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    /// The variable of the outermost loop that it changed.
    pub(crate) variable: String,
    /// What was done, in order.
    pub(crate) done: Vec<&'static str>,
    /// The estimates of the statement's instructions before and after.
    pub(crate) instructions: [f64; 2],
}

/// A better way to write a statement.
pub(super) struct Better {
    pub(super) func: PrimFunc,
    pub(super) steps: Vec<Taken>,
    /// What it was in between, first to last: each of these does what the one before it does.
    pub(super) between: Vec<Rc<PrimFunc>>,
}

/// Which steps are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    /// Those that write loops as other loops.
    Shape,
    /// Those that make copies of what is in a loop.
    Cut,
    /// The same for loops that LLVM writes out: there they make the text plainer, and rarely more.
    Tidy,
}

#[derive(Clone)]
struct Search<'a> {
    options: &'a Options,
    /// What holds in the whole function.
    base: Known,
    odds: nests::Odds,
    /// Loops at which no step was better, with what they took. What is written anew has new variables.
    tried: HashMap<(Phase, VarId), f64>,
    /// How many ways have been looked at.
    tries: usize,
    taken: Vec<Taken>,
    /// How much work is left.
    work: usize,
    /// The most that a result may be long.
    longest: usize,
    /// Whether stores may change their order where nobody sees it.
    reorders: bool,
    decided: nests::Decided,
    /// Which quotients loops are split by.
    rows: Rows,
    /// Whether [`Rows::OfAll`] would have split a loop in other ways.
    rows_differ: bool,
}

/// A better way to write the one statement that is the body of a function, if there is one.
/// `reorders`: whether stores may change their order where the function does not see it: nobody else looks at memory meanwhile.
pub(super) fn better(
    func: &PrimFunc,
    options: &Options,
    (reorders, decided): (bool, nests::Decided),
) -> Option<Better> {
    let growth = options.loops.growth;
    let length = length::of(func);
    if length > MAX_LENGTH {
        return None;
    }
    let work = LEAST_WORK.max(length.saturating_mul(WORK_FOR_EACH)).min(MAX_WORK);
    let short = if growth > 1 { SHORT } else { 0 };
    let longest = length.saturating_mul(growth).max(short);
    let mut search = Search::new(func, options, (work, longest), (reorders, decided));
    let inlined = simplify::inlined(func);
    let first = search.looked_at(inlined.unwrap_or_else(|| func.clone()), &Rc::default(), &|_| true)?;
    log::debug!("loops: {} instructions are estimated at first", first.instructions);
    // Where it makes a difference, both are tried to the end: rows that are best at first may lead to less, or to more.
    let mut found = Vec::new();
    let mut differ = true;
    if spelled(&first.func).values().any(|[all, others]| all != others) {
        let mut search = Search { rows: Rows::OfOthers, ..search.clone() };
        found.extend(search.result(&first));
        differ = search.rows_differ;
    }
    if differ {
        found.extend(search.result(&first));
    }
    let (after, better) = found.into_iter().min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    if decided == nests::Decided::Inside {
        let before = search.compiled(&first.func);
        log::debug!("loops: {before} and {after} instructions with all that is written out");
        if after > before * (1.0 + INEXACT) {
            return None;
        }
    }
    Some(better)
}

/// The constant divisors of the loops in a function.
fn spelled(func: &PrimFunc) -> Spelled {
    let mut spelled = Spelled::new();
    let mut look = |stmt: &Stmt| {
        if let StmtKind::For(l) = &stmt.kind {
            spelled.insert(l.var, Rows::EACH.map(|rows| split::spelled(l, rows)));
        }
    };
    func.body.iter().for_each(|stmt| stmt.walk(&mut look));
    spelled
}

impl State {
    /// The same as what became of another one.
    fn after(self, other: &State) -> State {
        let before = other.before.iter().chain([&other.func]).map(Rc::clone).collect();
        State { before, ..self }
    }
}

impl Search<'_> {
    fn new<'a>(
        func: &PrimFunc,
        options: &'a Options,
        (work, longest): (usize, usize),
        (reorders, decided): (bool, nests::Decided),
    ) -> Search<'a> {
        let base = simplify::known(func, options.positive_dims);
        Search {
            options,
            base,
            odds: nests::Odds::default(),
            tried: HashMap::new(),
            tries: 0,
            taken: Vec::new(),
            work,
            longest,
            reorders,
            decided,
            rows: Rows::OfAll,
            rows_differ: false,
        }
    }

    /// The function with what mentions wanted variables simplified, and what it takes. `None` if there is no work left, or if it
    /// became too long.
    fn looked_at(
        &mut self,
        mut func: PrimFunc,
        spelled: &Rc<Spelled>,
        wanted: &dyn Fn(VarId) -> bool,
    ) -> Option<State> {
        let length = length::of(&func);
        if length > self.work || length > 3 * self.longest {
            return None;
        }
        self.work -= length;
        local::simplify(&mut func, &self.base, wanted);
        collapse(&mut func);
        self.tries += 1;
        let state = self.measured(func, Rc::clone(spelled));
        (state.length <= self.longest).then_some(state)
    }

    /// The same with all that is known of equality. It stays as it is if that makes the loops worse: shorter expressions may be
    /// of variables of inner loops, of which LLVM computed parts in front of these.
    fn simplified(&self, state: State) -> State {
        let spelled = Rc::new(spelled(&state.func));
        let mut func = PrimFunc::clone(&state.func);
        simplify::run(&mut func, &self.options.simplification(Reach::Everything));
        collapse(&mut func);
        let simplified = self.measured(func, Rc::clone(&spelled)).after(&state);
        if simplified.instructions > state.instructions * (1.0 + LEAST_GAIN) && simplified.left >= state.left
        {
            return State { spelled, ..state };
        }
        simplified
    }

    fn estimated(&self, func: &PrimFunc, decided: nests::Decided) -> nests::Taken {
        nests::taken(func, &self.options.profile, &self.options.bindings, (&self.odds, decided))
    }

    fn measured(&self, func: PrimFunc, spelled: Rc<Spelled>) -> State {
        let taken = Rc::new(self.estimated(&func, self.decided));
        let instructions = taken.instructions;
        let left = left(&func, &taken.written_out);
        let with_left = instructions * (1.0 + FOR_ONE_LEFT * left.min(MAX_LEFT) as f64);
        let length = length::of(&func);
        let (magnitudes, done, before) = (OnceCell::new(), Vec::new(), Vec::new());
        let func = Rc::new(func);
        State { func, before, instructions, taken, with_left, left, length, magnitudes, spelled, done }
    }

    /// What steps make of a statement, if it pays, and what it takes then.
    fn result(&mut self, first: &State) -> Option<(f64, Better)> {
        let mut state = first.clone();
        // What steps leave of the instructions, without what simplification as a whole does; the first phase that changed anything.
        let (mut left, mut since) = (1.0, None);
        // What changes the loops first: cutting them copies what is in them.
        for phase in [Phase::Shape, Phase::Cut, Phase::Shape, Phase::Tidy] {
            let (before, mut better) = (state.instructions, false);
            // What was written in other ways inside may be written in other ways outside.
            let costs = &state.taken.of_loops;
            self.tried.retain(|(_, var), cost| costs.get(var) == Some(cost));
            for _ in 0..MAX_STEPS {
                let Some(next) = self.step(&state, phase) else { break };
                log::debug!(
                    "loops: {} instructions are estimated after {}",
                    next.instructions,
                    state.instructions
                );
                better = true;
                state = next;
            }
            if better {
                since = since.or(Some(phase));
                left *= state.instructions / before;
                // It may take away what is left, for the phases that follow, but no condition that sample points leave open and that
                // says its bounds.
                if phase != Phase::Tidy && hides_something(&state.func, &state.taken.written_out) {
                    state = self.simplified(state);
                }
            }
        }
        if since.is_some() {
            state = self.bounded(state);
        }
        log::debug!("loops: {} ways were looked at", self.tries);
        let is_better = |after: f64, before: f64| after < before * (1.0 - LEAST_GAIN_IN_ALL);
        let is_as_short = |after: &State, before: &State| {
            after.instructions <= before.instructions && 4 * after.length <= 5 * before.length
        };
        let pays = match since {
            None => false,
            // It takes no more, and says the same with fewer conditions.
            Some(_) if state.left < first.left && is_as_short(&state, first) => true,
            Some(_) if !is_better(state.instructions, first.instructions) => false,
            Some(Phase::Shape) if is_better(left, 1.0) => true,
            // Loops were cut before all was simplified: that alone may have taken away the conditions. Or it is not the steps that
            // make it better, but what they let simplification do, or that alone. It does not halve what loops are made of.
            Some(_) => {
                state.instructions < first.instructions / 2.0
                    || is_better(state.instructions, self.simplified(first.clone()).instructions)
            }
        };
        log::debug!(
            "loops: {} instructions are estimated in the end, steps leave {left}",
            state.instructions
        );
        if !pays {
            return None;
        }
        // With all that LLVM makes of it, where that is asked for.
        let instructions = match self.decided {
            nests::Decided::Inside => self.compiled(&state.func),
            _ => state.instructions,
        };
        let func = Rc::unwrap_or_clone(state.func);
        Some((instructions, Better { func, steps: std::mem::take(&mut self.taken), between: state.before }))
    }

    /// What a function takes with all that LLVM makes of it.
    fn compiled(&self, func: &PrimFunc) -> f64 {
        self.estimated(func, nests::Decided::Free).instructions
    }

    /// The first loop that can be written better, so written.
    fn step(&mut self, state: &State, phase: Phase) -> Option<State> {
        let mut vars = loops(&state.func);
        let is_written_out = |var: &VarId| state.taken.written_out.contains(var);
        if phase != Phase::Shape {
            vars.retain(|var| is_written_out(var) == (phase == Phase::Tidy));
            // The text can grow so far only: what takes most comes first.
            let cost = |var: &VarId| state.taken.of_loops.get(var).copied().unwrap_or(0.0);
            vars.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
        }
        for var in vars {
            let cost = state.taken.of_loops.get(&var).copied().unwrap_or(0.0);
            if self.tried.contains_key(&(phase, var)) {
                continue;
            }
            self.tried.insert((phase, var), cost);
            let value = |state: &State| match phase {
                Phase::Shape => state.with_left,
                Phase::Cut | Phase::Tidy => state.instructions,
            };
            let mut ways = self.ways(state, var, phase);
            ways.sort_by(|a, b| value(a).total_cmp(&value(b)).then_with(|| a.length.cmp(&b.length)));
            // It says the same with fewer conditions, and takes hardly more.
            let is_plainer = |way: &State| {
                let is_longer = match way.done.as_slice() {
                    [step] if *step == FIRST || *step == INITS => 4 * way.length > 5 * state.length,
                    _ => way.length > state.length,
                };
                way.instructions <= state.instructions * (1.0 + LEAST_GAIN)
                    && !is_longer
                    && way.left < state.left
            };
            let is_better = |way: &State| value(way) < value(state) * (1.0 - LEAST_GAIN);
            let best = if ways.first().is_some_and(is_better) {
                ways.into_iter().next()
            } else {
                ways.into_iter().find(is_plainer)
            };
            if let Some(best) = best {
                // If it is still there, more may be done.
                self.tried.remove(&(phase, var));
                return Some(self.took(state, var, best));
            }
        }
        None
    }

    /// Notes that a loop of a state is written in another way.
    fn took(&mut self, state: &State, var: VarId, mut next: State) -> State {
        self.taken.push(Taken {
            variable: state.func.var(var).name.to_string(),
            done: std::mem::take(&mut next.done),
            instructions: [state.instructions, next.instructions],
        });
        next
    }

    /// The state with the conditions as bounds that say of a constant number of iterations that they do nothing. That is never
    /// worse, also where there was not enough work left to compare it with other ways.
    fn bounded(&mut self, mut state: State) -> State {
        for var in loops(&state.func) {
            self.work = usize::MAX;
            if let Some(next) = self.narrow(&state, var, narrow::Narrowed::is_constant) {
                state = self.took(&state, var, next);
            }
        }
        state
    }

    /// What becomes of the statement if one of its loops is written in other ways.
    fn ways(&mut self, state: &State, var: VarId, phase: Phase) -> Vec<State> {
        let mut ways: Vec<State> = Vec::new();
        // The loop, and the loops that it and those in it can be joined to, as they are and split.
        if phase == Phase::Shape {
            let (mut joined, mut joint) = (None, var);
            loop {
                let from = joined.map_or(state, |at: usize| &ways[at]);
                let (split, next) = (self.split(from, joint), self.join(from, joint));
                ways.extend(split);
                let Some((next, next_var)) = next else { break };
                (joined, joint) = (Some(ways.len()), next_var);
                ways.push(next);
            }
            // A split that leaves nothing says already how the loops number their elements.
            if ways.iter().all(|way| way.left > 0) {
                ways.extend(joined.and_then(|at| self.joined_and_simplified(&ways[at], joint)));
            }
            ways.extend(self.narrow(state, var, |_| true));
            ways.extend(self.init(state, var));
        }
        if phase != Phase::Shape {
            ways.extend(self.partition(state, var));
        }
        if phase == Phase::Cut {
            ways.extend(self.unswitch(state, var));
        }
        ways
    }

    fn split(&mut self, state: &State, var: VarId) -> Vec<State> {
        let (parallel, rows, differ) = (self.options.loops.parallel, self.rows, self.rows_differ);
        let nests = self.at(state, var, |place, l| {
            let nests = |rows: Rows| {
                let spelled = state.spelled.get(&l.var).map_or(&[][..], |all| &all[rows as usize][..]);
                split::nests(place, l, parallel, (spelled, rows))
            };
            let made = nests(rows);
            let differ = differ || rows != Rows::OfAll && made != nests(Rows::OfAll);
            (made, differ)
        });
        let Some((nests, differ)) = nests else { return Vec::new() };
        self.rows_differ = differ;
        let made = nests.into_iter().filter_map(|nest| {
            self.rewritten(state, (var, "split"), |func, l| Some(split::split(func, &l, &nest)))
        });
        made.collect()
    }

    fn join(&mut self, state: &State, var: VarId) -> Option<(State, VarId)> {
        let joint = self.at(state, var, join::joint)??;
        let mut new = None;
        let joined = self.rewritten(state, (var, "joined"), |func, l| {
            let made = join::join(func, &l, &joint)?;
            new = Some(made.var);
            Some(vec![looping(made)])
        })?;
        let new = new?;
        match self.narrow(&joined, new, |_| true) {
            Some(narrowed) => Some((narrowed, new)),
            None => Some((joined, new)),
        }
    }

    /// What simplification as a whole makes of a joined nest that is the whole statement: loops that only number elements in another
    /// way are a copy then.
    fn joined_and_simplified(&mut self, state: &State, var: VarId) -> Option<State> {
        let [Stmt { kind: StmtKind::For(l), .. }] = &state.func.body[..] else { return None };
        if l.var != var || state.length > self.work || !hides_affine(&state.func, l) {
            return None;
        }
        self.work -= state.length;
        let simplified = self.simplified(state.clone());
        (simplified.left < state.left).then_some(simplified)
    }

    fn narrow(
        &mut self,
        state: &State,
        var: VarId,
        is_wanted: impl Fn(&narrow::Narrowed) -> bool,
    ) -> Option<State> {
        let to = self.at(state, var, |place, l| {
            super::place::is_plain(place.func, l).then(|| narrow::narrowed(place, l))?
        })??;
        if !is_wanted(&to) {
            return None;
        }
        self.rewritten(state, (var, "narrowed"), |_, l| Some(vec![looping(narrow::narrow(l, to))]))
    }

    fn init(&mut self, state: &State, var: VarId) -> Vec<State> {
        let first = self.at(state, var, init::first).flatten();
        let inits = if self.reorders { self.at(state, var, decompose::inits).flatten() } else { None };
        // The first statement alone needs no look at the others.
        let inits = inits.filter(|inits| first.is_none() || inits.are_several());
        let first = first.and_then(|first| {
            self.rewritten(state, (var, FIRST), |func, l| Some(init::split_off(func, l, first)))
        });
        let inits = inits.and_then(|inits| {
            let path = first_loop(&state.func.body, &|l| l.var == var)?;
            let on_the_way = decompose::on_the_way(&state.func, &path, &inits);
            let mut made =
                self.rewritten(state, (var, INITS), |func, l| Some(decompose::split_off(func, l, inits)))?;
            let at = made.before.len() - 1;
            made.before.splice(at..at, on_the_way.into_iter().map(Rc::new));
            Some(made)
        });
        first.into_iter().chain(inits).collect()
    }

    fn partition(&mut self, state: &State, var: VarId) -> Vec<State> {
        let ways = self.at(state, var, partition::cuts).unwrap_or_default();
        let made = ways.into_iter().filter_map(|cuts| {
            self.rewritten(state, (var, "cut"), |func, l| Some(partition::partition(func, &l, &cuts)))
        });
        made.collect()
    }

    fn unswitch(&mut self, state: &State, var: VarId) -> Vec<State> {
        let conditions: Vec<Expr> = self.at(state, var, unswitch::conditions).unwrap_or_default();
        let made = conditions.into_iter().filter_map(|cond| {
            let decides = |var| cond.mentions(|v| v == var);
            let unswitched =
                |func: &mut PrimFunc, l: For| Some(vec![unswitch::unswitch(func, &l, cond.clone())]);
            self.rewritten_with(state, (var, "condition in front"), &decides, unswitched)
        });
        made.collect()
    }

    /// What `f` says of a loop.
    fn at<T>(&self, state: &State, var: VarId, f: impl Fn(&Place<'_>, &For) -> T) -> Option<T> {
        let path = first_loop(&state.func.body, &|l| l.var == var)?;
        let magnitudes = state.magnitudes.get_or_init(|| Arc::new(Magnitudes::new(&state.func)));
        let mut place = Place::of(&state.func, &self.base, Arc::clone(magnitudes));
        let l = place.go(&state.func.body, &path)?;
        Some(f(&place, l))
    }

    /// The statement with what `f` makes of a loop in its place.
    fn rewritten(
        &mut self,
        state: &State,
        (var, what): (VarId, &'static str),
        f: impl FnOnce(&mut PrimFunc, For) -> Option<Block>,
    ) -> Option<State> {
        self.rewritten_with(state, (var, what), &|_| false, f)
    }

    /// The same where something is known of other variables as well, besides those of the loop and of what is written anew.
    fn rewritten_with(
        &mut self,
        state: &State,
        (var, what): (VarId, &'static str),
        others: &dyn Fn(VarId) -> bool,
        f: impl FnOnce(&mut PrimFunc, For) -> Option<Block>,
    ) -> Option<State> {
        if state.length > self.work {
            return None;
        }
        let mut func = PrimFunc::clone(&state.func);
        let path = first_loop(&func.body, &|l| l.var == var)?;
        let l = take_loop(&mut func.body, &path)?;
        let old = func.vars.len();
        let made = f(&mut func, l)?;
        replace(&mut func.body, &path, made);
        let plain = Rc::new(func.clone());
        collapse(&mut func);
        let mut made = self
            .looked_at(func, &state.spelled, &|v| v.index() >= old || v == var || others(v))?
            .after(state);
        made.before.push(plain);
        made.done = state.done.iter().copied().chain([what]).collect();
        log::trace!(
            "loops: {} instructions if {}\n{}",
            made.instructions,
            made.done.join(", "),
            print_func(&made.func)
        );
        Some(made)
    }
}

/// The function with each step that is possible taken alone.
#[cfg(any(test, feature = "lab"))]
pub(super) fn all(func: &PrimFunc, options: &Options, reorders: bool) -> Vec<PrimFunc> {
    const WORK: usize = 60_000;
    let mut search = Search::new(func, options, (WORK, usize::MAX / 8), (reorders, nests::Decided::Inside));
    let state = search.measured(func.clone(), Rc::default());
    let phases = [Phase::Shape, Phase::Cut];
    let steps = loops(&state.func).into_iter().flat_map(|var| phases.map(|phase| (var, phase)));
    let ways = steps.flat_map(|(var, phase)| search.ways(&state, var, phase));
    ways.map(|state| Rc::unwrap_or_clone(state.func)).collect()
}

/// Whether more is left than conditions without quotients.
fn hides_something(func: &PrimFunc, written_out: &HashSet<VarId>) -> bool {
    let divides = |e: &Expr| matches!(&e.kind, ExprKind::Binary(op, ..) if op.is_division());
    what_is_left(func, written_out).into_iter().any(|e| {
        let mut found = false;
        e.walk(&mut |part| found = found || divides(part));
        found
    })
}

/// How many different quotients and remainders by what is no loop variable depend on one, but for those that
/// are constants once that loops are written out, and conditions.
fn left(func: &PrimFunc, written_out: &HashSet<VarId>) -> usize {
    what_is_left(func, written_out).len()
}

fn what_is_left<'f>(func: &'f PrimFunc, written_out: &HashSet<VarId>) -> HashSet<&'f Expr> {
    let vars: HashSet<VarId> = loops(func).into_iter().collect();
    let mut found: HashSet<&Expr> = HashSet::new();
    let mut look = |e: &'f Expr| {
        let ExprKind::Binary(op, dividend, divisor) = &e.kind else { return };
        if op.is_division()
            && e.dtype.is_index()
            && !mentions_any(divisor, &vars)
            && mentions_any(dividend, &vars)
            && e.mentions(|var| !written_out.contains(&var))
        {
            found.insert(e);
        }
    };
    for stmt in &func.body {
        stmt.walk(&mut |stmt| stmt.for_each_expr(|e| e.walk(&mut look)));
    }
    for_each_choice(&func.body, &mut |choice| {
        if let Choice::Condition(cond) = choice
            && mentions_any(cond, &vars)
        {
            found.insert(cond);
        }
    });
    found
}

fn looping(l: For) -> Stmt {
    Stmt::new(StmtKind::For(Box::new(l)))
}

/// The loops of a function, outer ones first.
fn loops(func: &PrimFunc) -> Vec<VarId> {
    let mut vars = Vec::new();
    let mut look = |stmt: &Stmt| {
        if let StmtKind::For(l) = &stmt.kind {
            vars.push(l.var);
        }
    };
    func.body.iter().for_each(|stmt| stmt.walk(&mut look));
    vars
}

/// The way to the first loop that is wanted.
fn first_loop(block: &Block, wanted: &impl Fn(&For) -> bool) -> Option<Path> {
    for (at, stmt) in block.iter().enumerate() {
        if matches!(&stmt.kind, StmtKind::For(l) if wanted(l)) {
            return Some(vec![(at, 0)]);
        }
        let (mut number, mut found) = (0, None);
        stmt.for_each_block(|inner| {
            if found.is_none()
                && let Some(mut path) = first_loop(inner, wanted)
            {
                path.insert(0, (at, number));
                found = Some(path);
            }
            number += 1;
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Puts the body in the place of each plain loop that runs once.
pub(super) fn collapse(func: &mut PrimFunc) {
    while let Some(path) = once(func, &func.body) {
        let Some(l) = loop_at(&func.body, &path) else { return };
        let (var, min, body) = (l.var, l.min.clone(), l.body.clone());
        let made = super::copy::copy(func, &body, &[(var, min)]);
        replace(&mut func.body, &path, made);
    }
}

/// The first loop that runs once.
fn once(func: &PrimFunc, block: &Block) -> Option<Path> {
    first_loop(block, &|l| {
        l.extent.as_int() == Some(1) && l.min.as_int().is_some() && super::place::is_plain(func, l)
    })
}
