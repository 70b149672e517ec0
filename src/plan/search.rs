//! The search: the best states at each depth are followed.

use std::cmp::Ordering;
use std::rc::Rc;

use hashbrown::HashSet;

use super::compiled;
use super::cost::Model;
use super::ended::Ended;
use super::moves::{Found, LOOPS, OTHER_LOOPS, WHOLE, Whole, moves, plain};
use super::outcome::{Move, Plan, Settings};
use crate::analysis::length;
use crate::ir::PrimFunc;
use crate::loops;
use crate::noop::Change;
use crate::script::print_func;
use crate::simplify::{self, Reach};

/// A result has to be cheaper by this share: the estimate is not exact.
const LEAST_GAIN: f64 = 0.001;

/// In functions up to this length, the second half of a beam is followed only as far as it costs no more than this times the
/// best state of its depth. Longer ones have several nests, and a beam has to hold choices for all of them.
const SHORT: usize = 300;
const NEAR: f64 = 1.1;

/// In longer functions passes are tried on the whole function only, one after the other, and the estimate is a rougher one:
/// each state is simplified, and its loops are searched, as a whole.
const MAX_LENGTH: usize = 2_500;

/// The most parts of expressions in all states together, for each one of the function, and for any function.
const WORK_FOR_EACH: usize = 200;
const LEAST_WORK: usize = 40_000;
const MAX_WORK: usize = 400_000;

/// The most places that are tried in all states together: fewer in long functions, where each takes longer.
const MAX_TRIES: usize = 600;
const LEAST_TRIES: usize = 32;
const TRIED_LENGTH: usize = 300_000;

/// A state of the search.
#[derive(Debug)]
struct State {
    func: PrimFunc,
    cost: f64,
    length: usize,
    /// The text, which orders states that are alike otherwise.
    text: String,
    /// The way here.
    last: Option<Last>,
}

/// The move that made a state.
#[derive(Debug)]
struct Last {
    from: Rc<State>,
    pass: &'static str,
    changes: Vec<Change>,
}

impl State {
    fn order(&self, other: &State) -> Ordering {
        let cost = self.cost.total_cmp(&other.cost);
        cost.then(self.length.cmp(&other.length)).then_with(|| self.text.cmp(&other.text))
    }
}

/// What the first move does.
const SIMPLIFIED: &str = "what its place decides is written shorter";

struct Search<'a> {
    settings: &'a Settings<'a>,
    model: Model<'a>,
    seen: HashSet<String>,
    /// How many states are followed at each depth whatever they cost.
    few: usize,
    /// What moves have made, before it was simplified.
    made: HashSet<String>,
    states: usize,
    work: usize,
    /// How many places may still be tried.
    tries: usize,
    limit: Option<&'static str>,
    /// What ended within moves.
    ended: Ended,
}

/// How many of the states of a depth, with these costs in ascending order, are followed: some in any case, up to a beam if they
/// are nearly as cheap as the best.
fn followed(costs: &[f64], (few, beam): (usize, usize)) -> usize {
    let near = costs.first().map_or(0.0, |best| best * NEAR);
    costs.partition_point(|&cost| cost <= near).clamp(few, beam)
}

/// Runs the search.
pub(super) fn run(func: &PrimFunc, settings: &Settings<'_>) -> (PrimFunc, Plan) {
    let (mut search, input) = Search::new(func, settings);
    // In long functions loops stay as they are, here and in the passes that follow.
    let found = if input.length > MAX_LENGTH {
        search.one_by_one(&input)
    } else {
        let mut best = search.best(&input);
        // What is compiled is known of CPUs only.
        if !search.model.counts_operations() {
            best = search.cheapest_when_compiled(&input, best);
            best = search.in_better_loops(&input, best);
        }
        best
    };
    let mut moves = Vec::new();
    let mut state = &found;
    while let Some(last) = &state.last {
        let (before, after, changes) = (last.from.cost, state.cost, last.changes.clone());
        moves.push(Move { pass: last.pass, before, after, changes });
        state = &last.from;
    }
    moves.reverse();
    let plan = Plan {
        function: func.name.to_string(),
        counts: search.model.counts(),
        before: input.cost,
        after: found.cost,
        moves,
        states: search.states,
        limit: search.limit,
        limits: search.ended.in_words(),
    };
    (found.func.clone(), plan)
}

impl<'a> Search<'a> {
    /// A search that begins, and the function as its first state.
    fn new(func: &PrimFunc, settings: &'a Settings<'a>) -> (Search<'a>, Rc<State>) {
        let length = length::of(func);
        let model = Model::new(func, settings.options, length <= MAX_LENGTH);
        let (cost, text) = (model.of(func), print_func(func));
        let search = Search {
            settings,
            model,
            seen: [text.clone()].into_iter().collect(),
            few: if length > SHORT { settings.beam } else { settings.beam.div_ceil(2) },
            made: HashSet::new(),
            states: 1,
            work: LEAST_WORK.max(length.saturating_mul(WORK_FOR_EACH)).min(MAX_WORK),
            tries: (TRIED_LENGTH / length.max(1)).clamp(LEAST_TRIES, MAX_TRIES),
            limit: None,
            ended: Ended::default(),
        };
        (search, Rc::new(State { func: func.clone(), cost, length, text, last: None }))
    }

    /// The best state that is found from the input.
    fn best(&mut self, input: &Rc<State>) -> Rc<State> {
        let mut best = Rc::clone(input);
        let mut beam = vec![Rc::clone(input)];
        if let Some(state) = self.state(input, "simplify", input.func.clone(), vec![plain(SIMPLIFIED)]) {
            beam = vec![state];
        }
        for depth in 0.. {
            for state in &beam {
                if state.cost < input.cost * (1.0 - LEAST_GAIN) && state.order(&best).is_lt() {
                    best = Rc::clone(state);
                }
            }
            if depth == self.settings.depth {
                self.limit = self.limit.or(Some("depth"));
                break;
            }
            let mut next: Vec<Rc<State>> = Vec::new();
            for state in &beam {
                for (pass, func, changes) in self.moves(state) {
                    next.extend(self.state(state, pass, func, changes));
                }
            }
            if self.tries < WHOLE {
                self.limit = self.limit.or(Some("tries"));
            }
            if next.is_empty() {
                break;
            }
            next.sort_by(|a, b| a.order(b));
            let costs: Vec<f64> = next.iter().map(|state| state.cost).collect();
            next.truncate(followed(&costs, (self.few, self.settings.beam)));
            beam = next;
        }
        best
    }

    /// Of the states on the way to the best one that are cheaper than the input, the one that takes least once that its loops are
    /// written as they will be; the input, if that takes less. A later one is taken as long as it is not known to take more: the
    /// estimate is not exact.
    fn cheapest_when_compiled(&self, input: &Rc<State>, best: Rc<State>) -> Rc<State> {
        if best.last.is_none() {
            return best;
        }
        let options = self.settings.options;
        let taken = |func: &PrimFunc| compiled::instructions(func, options);
        let (mut found, mut least) = (None, taken(&input.func));
        let mut state = &best;
        while let Some(last) = &state.last {
            if state.cost < input.cost * (1.0 - LEAST_GAIN) {
                let instructions = taken(&state.func);
                log::debug!(
                    "plan: {instructions} instructions are estimated after {} when it is compiled",
                    last.pass
                );
                let most = if found.is_some() { 1.0 - loops::INEXACT } else { 1.0 + loops::INEXACT };
                if instructions <= least * most {
                    (found, least) = (Some(state), instructions);
                }
            }
            state = &last.from;
        }
        Rc::clone(found.unwrap_or(input))
    }

    /// The state with its loops written as the estimate of what becomes of it has them.
    fn in_better_loops(&self, input: &State, state: Rc<State>) -> Rc<State> {
        let Some(func) = compiled::in_better_loops(&state.func, self.settings.options) else { return state };
        let cost = self.model.of(&func);
        if cost > input.cost {
            return state;
        }
        let (length, text) = (length::of(&func), print_func(&func));
        let last = Some(Last { from: state, pass: LOOPS, changes: vec![plain(OTHER_LOOPS)] });
        Rc::new(State { func, cost, length, text, last })
    }

    /// What passes over the whole function make of the input one after the other, each kept where the estimate falls.
    fn one_by_one(&mut self, input: &Rc<State>) -> Rc<State> {
        self.limit = Some("long");
        self.work = usize::MAX;
        let simplified = self.state(input, "simplify", input.func.clone(), vec![plain(SIMPLIFIED)]);
        let mut state = simplified.unwrap_or_else(|| Rc::clone(input));
        for pass in
            [Whole::RemoveNoOp, Whole::Overcompute, Whole::ReduceExtents, Whole::Hoist, Whole::MergeLoops]
        {
            let Some((name, func, changes)) = pass.on(&state.func, self.settings.options, &mut self.ended)
            else {
                continue;
            };
            let made = self.state(&state, name, func, changes);
            state = made.filter(|made| made.cost < state.cost * (1.0 - LEAST_GAIN)).unwrap_or(state);
        }
        if state.cost < input.cost * (1.0 - LEAST_GAIN) { state } else { Rc::clone(input) }
    }

    /// All moves from a state.
    fn moves(&mut self, state: &State) -> Vec<Found> {
        moves(&state.func, self.settings.options, &mut self.tries, &mut self.ended)
    }

    /// The state that a move leads to, simplified; `None` if it is known, or a budget is used up.
    fn state(
        &mut self,
        from: &Rc<State>,
        pass: &'static str,
        mut func: PrimFunc,
        changes: Vec<Change>,
    ) -> Option<Rc<State>> {
        if self.states >= self.settings.states {
            self.limit = Some("states");
            return None;
        }
        let work = length::of(&func);
        if work > self.work {
            self.limit = Some("work");
            return None;
        }
        self.work -= work;
        // Several ways lead to one function: it was seen then.
        if !self.made.insert(print_func(&func)) {
            return None;
        }
        simplify::run(&mut func, &self.settings.options.simplification(Reach::Everything));
        let text = print_func(&func);
        if !self.seen.insert(text.clone()) {
            return None;
        }
        self.states += 1;
        let cost = self.model.of(&func);
        let length = length::of(&func);
        log::debug!("plan: {pass} makes {cost} of {}", from.cost);
        let last = Some(Last { from: Rc::clone(from), pass, changes });
        Some(Rc::new(State { func, cost, length, text, last }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_beam_is_for_what_is_nearly_as_cheap() {
        assert_eq!(followed(&[], (4, 8)), 4);
        assert_eq!(followed(&[100.0; 12], (4, 8)), 8);
        assert_eq!(followed(&[100.0, 101.0, 102.0, 103.0, 105.0, 108.0, 130.0, 140.0], (4, 8)), 6);
        assert_eq!(followed(&[100.0, 200.0, 300.0, 400.0, 500.0], (4, 8)), 4);
        assert_eq!(followed(&[100.0, 200.0, 300.0, 400.0, 500.0], (8, 8)), 8);
    }

    /// The state that counts and the best one, each with what it takes when it is compiled; the input first.
    fn counts(buffers: &str, body: &str) -> [(Rc<State>, f64); 3] {
        let text = format!(
            "@T.prim_func\ndef main({buffers}):\n    T.func_attr({{\"tirx.noalias\": True}})\n{body}"
        );
        let func = crate::parse(&text).expect("a program").funcs.remove(0);
        let options = crate::cse::Options::default();
        let settings = Settings::new(&options);
        let (mut search, input) = Search::new(&func, &settings);
        let best = search.best(&input);
        let counts = search.cheapest_when_compiled(&input, Rc::clone(&best));
        [input, counts, best].map(|state| {
            let taken = compiled::instructions(&state.func, &options);
            (state, taken)
        })
    }

    #[test]
    fn the_input_counts_if_it_takes_least_when_it_is_compiled() {
        // Sums of rows: LLVM keeps one in a register. The search has vectors of sums instead, which go through memory.
        let body = "    for i, k in T.grid(231, 33):\n        if k == 0:\n            M[i] = T.float32(0.0)\n        \
                    M[i] = M[i] + A[i * 33 + k]\n";
        let [input, counts, best] = counts("A: T.Buffer((7623,)), M: T.Buffer((231,))", body);
        assert!(best.0.cost < input.0.cost && best.1 > 1.3 * input.1, "{} and {}", input.1, best.1);
        assert_eq!(counts.0.text, input.0.text);
    }

    #[test]
    fn a_state_on_the_way_counts_if_it_takes_least_when_it_is_compiled() {
        // A product of matrices over an axis with padding: after the loops have changed places they should stay as they are.
        let body = "    for i, j, k in T.grid(21, 10, 20):\n        if k < 18:\n            if k == 0:\n                \
                    C[i * 10 + j] = T.float32(0.0)\n            C[i * 10 + j] = C[i * 10 + j] + A[i * 18 + k] * B[k * 10 + j]\n";
        let [input, counts, best] =
            counts("A: T.Buffer((378,)), B: T.Buffer((180,)), C: T.Buffer((210,))", body);
        assert!(
            counts.1 < 0.9 * best.1 && counts.1 < (1.0 + loops::INEXACT) * input.1,
            "{} {} {}",
            input.1,
            counts.1,
            best.1
        );
        assert!(best.0.cost < counts.0.cost && counts.0.cost < input.0.cost);
    }
}
