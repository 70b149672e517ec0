//! The iterations of the loops around a place, and what expressions are in them on average.

use std::cell::RefCell;

use hashbrown::HashMap;

use super::hash::{hash_by, mix};
use crate::cost::{Bindings, Profile};
use crate::ir::value::{LANES, Lanes, Value, evaluate, evaluate_lanes};
use crate::ir::{Expr, For, PrimFunc, VarId};

/// The most points at which an expression is evaluated.
const POINTS: u64 = 512;

/// The most points that are looked at: of loops whose length depends on others some are no iterations.
const DRAWN: u64 = 2 * POINTS;

/// An unknown size is so many times as long as an unknown loop, and so much more: loops over it that are cut into tiles have
/// some whole ones and a part of one.
const TILES: i64 = 3;
const PART: i64 = 5;

/// What is known of expressions on average, as far as that has been found out: ways to write a nest have most of their
/// conditions and bounds in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Odds(RefCell<HashMap<u64, Option<Average>>>);

/// What an expression is in the iterations of the loops around it.
#[derive(Clone, Copy, Debug)]
struct Average {
    /// The average of its values, where negative ones count as 0.
    value: f64,
    most: i64,
    /// How often it is not 0.
    nonzero: f64,
}

/// The range of a loop's variable.
#[derive(Clone, Debug)]
pub(super) struct Range {
    /// The first value, and how many there are at most.
    first: i64,
    count: i64,
    /// The same where other loops change them.
    bounds: Option<(Expr, Expr)>,
}

/// The values that variables have, and those that loop variables go through.
pub(super) struct Iterations<'a> {
    odds: &'a Odds,
    profile: &'a Profile,
    /// The value of each variable, in the middle of its range.
    values: Vec<i64>,
    ranges: HashMap<VarId, Range>,
}

impl<'a> Iterations<'a> {
    pub(super) fn new(
        func: &PrimFunc,
        profile: &'a Profile,
        bindings: &Bindings,
        odds: &'a Odds,
    ) -> Iterations<'a> {
        let unknown = TILES * profile.default_extent() as i64 + PART;
        let values =
            func.vars.iter().map(|var| bindings.get(&*var.name).copied().unwrap_or(unknown)).collect();
        Iterations { odds, profile, values, ranges: HashMap::new() }
    }

    /// Whether the variable is one of a loop.
    pub(super) fn is_of_loop(&self, var: VarId) -> bool {
        self.ranges.contains_key(&var)
    }

    /// A variable has the value of an expression.
    pub(super) fn bind(&mut self, var: VarId, value: &Expr) {
        if let Some(known) = self.value(value)
            && let Some(slot) = self.values.get_mut(var.index())
        {
            *slot = known;
        }
    }

    /// A loop is entered: how often it runs on average, each time that it starts.
    pub(super) fn enter(&mut self, l: &For) -> f64 {
        let min = self.value(&l.min).unwrap_or(0);
        let step = l.step.as_ref().and_then(|step| self.value(step)).unwrap_or(1).max(1);
        let unknown = self.profile.default_extent() as i64;
        let extent = self.value(&l.extent).unwrap_or(unknown).max(0);
        // Where loops further out change how often it runs, the middle says little.
        let average = if l.extent.as_int().is_some() { None } else { self.average(&l.extent) };
        let trips = average
            .map_or_else(|| (extent as f64 / step as f64).ceil(), |average| average.value / step as f64);
        let count = extent.max(average.map_or(0, |average| average.most)).max(1);
        let varies = [&l.min, &l.extent].into_iter().any(|e| e.mentions(|var| self.is_of_loop(var)));
        let bounds = varies.then(|| (l.min.clone(), l.extent.clone()));
        self.values[l.var.index()] = min.saturating_add(count / 2);
        self.ranges.insert(l.var, Range { first: min, count, bounds });
        trips
    }

    /// How often a condition holds.
    pub(super) fn probability(&self, cond: &Expr) -> f64 {
        self.average(cond).map_or_else(|| self.profile.branch().to_f64(), |average| average.nonzero)
    }

    /// The value of a variable, in the middle of its range.
    pub(super) fn of(&self, var: VarId) -> Option<i64> {
        self.values.get(var.index()).copied()
    }

    fn value(&self, e: &Expr) -> Option<i64> {
        evaluate(e, &|var| self.of(var).map(Value::Int))?.as_int()
    }

    /// What an expression is at all points of the loops around it that it depends on, or at some if those are many.
    fn average(&self, e: &Expr) -> Option<Average> {
        let vars = self.concerned(e);
        let question = self.question(e, &vars);
        if let Some(&known) = self.odds.0.borrow().get(&question) {
            return known;
        }
        let found = self.counted(e, &vars);
        self.odds.0.borrow_mut().insert(question, found);
        found
    }

    /// The loop variables that an expression depends on, also by way of their bounds, outer ones first.
    fn concerned(&self, e: &Expr) -> Vec<VarId> {
        let mut vars = Vec::new();
        self.concern(e, &mut vars);
        vars
    }

    fn concern(&self, e: &Expr, vars: &mut Vec<VarId>) {
        e.walk(&mut |part| {
            let Some(var) = part.as_var() else { return };
            let Some(range) = self.ranges.get(&var) else { return };
            if !vars.contains(&var) {
                for bound in range.bounds.iter().flat_map(|(first, count)| [first, count]) {
                    self.concern(bound, vars);
                }
                vars.push(var);
            }
        });
    }

    /// A hash of an expression and of what its variables are, whatever they are called.
    fn question(&self, e: &Expr, vars: &[VarId]) -> u64 {
        let mut names: Vec<VarId> = vars.to_vec();
        let mut number = |var: VarId| {
            let at = names.iter().position(|known| *known == var).unwrap_or_else(|| {
                names.push(var);
                names.len() - 1
            });
            at as u64
        };
        let mut hash = hash_by(e, &mut number);
        for range in vars.iter().filter_map(|var| self.ranges.get(var)) {
            hash = mix(mix(hash, range.first as u64), range.count as u64);
            for bound in range.bounds.iter().flat_map(|(first, count)| [first, count]) {
                hash = mix(hash, hash_by(bound, &mut number));
            }
        }
        for var in names.iter().skip(vars.len()) {
            hash = mix(hash, self.of(*var).unwrap_or(0) as u64);
        }
        hash
    }

    fn counted(&self, e: &Expr, vars: &[VarId]) -> Option<Average> {
        let ranges: Vec<&Range> = vars.iter().filter_map(|var| self.ranges.get(var)).collect();
        let all = ranges.iter().fold(1_u64, |all, range| all.saturating_mul(range.count.unsigned_abs()));
        let drawn = if all <= POINTS { all } else { DRAWN };
        let (mut sum, mut nonzero, mut known, mut most) = (0.0, 0.0, 0_u64, 0);
        for first in (0..drawn).step_by(LANES) {
            let number = |lane: usize| Some(first + lane as u64).filter(|number| *number < drawn);
            let at = std::array::from_fn(|lane| {
                number(lane).map(|number| if all <= POINTS { number } else { mix(number, 5) % all })
            });
            let (points, are_iterations) = self.points(vars, &ranges, at);
            let values = evaluate_lanes(e, &|var| self.at(vars, &points, var));
            for value in
                (0..LANES).filter(|lane| are_iterations >> lane & 1 != 0).filter_map(|lane| values.get(lane))
            {
                known += 1;
                sum += value.max(0) as f64;
                nonzero += if value == 0 { 0.0 } else { 1.0 };
                most = most.max(value);
            }
            if known == 0 && are_iterations != 0 || known >= POINTS {
                break;
            }
        }
        let of = |sum: f64| sum / known as f64;
        (known > 0).then(|| Average { value: of(sum), most, nonzero: of(nonzero) })
    }

    /// The values of the variables at points of the box of their ranges, and which of these are iterations of them all.
    fn points(&self, vars: &[VarId], ranges: &[&Range], mut at: [Option<u64>; LANES]) -> (Vec<Lanes>, u32) {
        let mut points: Vec<Lanes> = Vec::with_capacity(ranges.len());
        let mut are_iterations = Lanes::new(|lane| at[lane].map(|_| 0)).known();
        for range in ranges {
            let count = range.count.unsigned_abs();
            let steps = Lanes::new(|lane| Some((at[lane]? % count) as i64));
            at.iter_mut().flatten().for_each(|at| *at /= count);
            let bounds = range.bounds.as_ref().map(|(min, extent)| {
                [min, extent].map(|e| evaluate_lanes(e, &|var| self.at(vars, &points, var)))
            });
            if let Some([_, extent]) = &bounds {
                let is_outside = |lane: usize| Some(i64::from(steps.get(lane)? >= extent.get(lane)?));
                are_iterations &= !Lanes::new(is_outside).nonzero();
            }
            points.push(Lanes::new(|lane| {
                let first = bounds.as_ref().and_then(|[min, _]| min.get(lane)).unwrap_or(range.first);
                Some(first.saturating_add(steps.get(lane)?))
            }));
        }
        (points, are_iterations)
    }

    /// The values of a variable at some points.
    fn at(&self, vars: &[VarId], points: &[Lanes], var: VarId) -> Option<Lanes> {
        let drawn = vars.iter().position(|own| *own == var).and_then(|at| points.get(at)).copied();
        drawn.or_else(|| self.of(var).map(Lanes::all))
    }
}
