//! Tests a rule at chosen types by evaluating both sides.

use super::domain::{self, Random};
use super::eval::{Env, Mode, Stop, Term, compile, eval, holds, same, to_f64};
use super::ty::{Instance, Ty};
use super::{Counterexample, Verdict};
use crate::ir::BinOp;
use crate::rules::ast::{Cond, Direction, Pat, Rule, RuleOp};

/// How much to test.
///
/// ```
/// use satir::rules::check::{self, Effort, QUICK};
/// use satir::rules::{Rule, RuleSet};
///
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let rules: Vec<&Rule> = rules.all_rules().collect();
/// let few = Effort { random: 10, ..QUICK };
/// assert!(check::run(&rules, few).summary().tested < check::run(&rules, QUICK).summary().tested);
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How many assignments to make at most where these are all that there are, per rule, direction and types.
    pub exhaustive: usize,
    /// How many assignments to make at most from small domains that are a part of what there is.
    pub sampled: usize,
    /// How many random assignments to draw.
    pub random: usize,
}

/// One direction of a rule at chosen types.
pub(super) struct Subject<'a> {
    pub(super) rule: &'a Rule,
    pub(super) direction: Direction<'a>,
    pub(super) at: &'a Instance,
}

struct Test<'a> {
    subject: &'a Subject<'a>,
    from: Term,
    to: Term,
    result: Ty,
    holes: Vec<Ty>,
    /// For each hole the conditions that can be decided once it has a value.
    conds: Vec<Vec<usize>>,
    /// The sets of holes to try as traps.
    masks: Vec<u32>,
    /// The meanings of `!=` of a NaN to try: see [`Env::nan_differs`].
    nan_differs: &'static [bool],
    /// How many assignments the rule applied to.
    applied: u64,
}

/// Lane and number of lanes at which vectors are looked at.
const LANES: [(i128, i128); 9] = [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (0, 4), (1, 4), (2, 4), (3, 4)];

/// Tests; also returns how many assignments the rule applied to.
pub(super) fn test(subject: &Subject<'_>, effort: Effort) -> (Verdict, u64) {
    let (rule, at) = (subject.rule, subject.at);
    let sides = (compile(rule, at, subject.direction.from), compile(rule, at, subject.direction.to));
    let (Some(from), Some(to)) = sides else { return (Verdict::NotApplicable, 0) };
    let mut conds = vec![Vec::new(); rule.holes.len()];
    for (i, cond) in rule.conds.iter().enumerate().filter(|(_, cond)| !matches!(cond, Cond::Total(_))) {
        // A condition without holes is decided with the last one.
        let decided_at = cond.holes().last().copied().unwrap_or(conds.len().saturating_sub(1));
        if let Some(decided) = conds.get_mut(decided_at) {
            decided.push(i);
        }
    }
    let holes: Vec<Ty> = rule.holes.iter().map(|hole| at.ty(hole.ty)).collect();
    let result = result_ty(rule, at, subject.direction.from);
    let masks = masks(subject);
    let nan_differs = if compares_floats(subject, &holes) { &[true, false][..] } else { &[false] };
    let mut test = Test { subject, from, to, result, holes, conds, masks, nan_differs, applied: 0 };
    let (found, all) = test.small_domains(effort);
    let found = if all { found } else { found.or_else(|| test.random_values(effort)) };
    match found {
        Some(counterexample) => (Verdict::Refuted(Box::new(counterexample)), test.applied),
        None if test.applied == 0 => (Verdict::NotApplicable, 0),
        None if all => (Verdict::Exhausted, test.applied),
        None => (Verdict::Passed, test.applied),
    }
}

impl Test<'_> {
    /// Also tells whether these were all values that there are.
    fn small_domains(&mut self, effort: Effort) -> (Option<Counterexample>, bool) {
        let lanes: &[(i128, i128)] = if self.subject.rule.vector { &LANES } else { &[(0, 1)] };
        let (mut domains, mut all) = (Vec::new(), false);
        if !self.subject.rule.vector {
            (domains, all) = self.domains(effort.exhaustive);
        }
        if !all {
            (domains, _) = self.domains(effort.sampled / lanes.len());
        }
        for &(lane, lanes) in lanes {
            let mut env = Env { values: vec![0; domains.len()], traps: 0, lane, lanes, nan_differs: false };
            if let Some(found) = self.assign(0, &domains, &mut env) {
                return (Some(found), false);
            }
        }
        (None, all)
    }

    /// Values for each hole, about as many as make `budget` assignments, and whether these are all values.
    fn domains(&self, budget: usize) -> (Vec<Vec<i128>>, bool) {
        // What booleans do not need, other holes may have.
        let wide = self.holes.iter().filter(|ty| **ty != Ty::Bool).count();
        let narrow = self.holes.len() - wide;
        let each = (budget as f64 / 2f64.powi(narrow as i32)).powf(1.0 / wide.max(1) as f64) as usize;
        let mut all = true;
        let domain_of = |(i, ty): (usize, &Ty)| {
            let (mut values, complete) = domain::exhaustive(*ty, each.clamp(3, 1 << 16));
            all &= complete;
            if !self.subject.rule.holes[i].constant {
                values.extend(domain::beyond(*ty));
            }
            values
        };
        let domains = self.holes.iter().enumerate().map(domain_of).collect();
        (domains, all)
    }

    /// Tries every value of the holes from `hole` on.
    fn assign(&mut self, hole: usize, domains: &[Vec<i128>], env: &mut Env) -> Option<Counterexample> {
        if hole == domains.len() {
            return self.try_one(env);
        }
        for &value in &domains[hole] {
            env.values[hole] = value;
            if self.conds_hold(hole, env)
                && let Some(found) = self.assign(hole + 1, domains, env)
            {
                return Some(found);
            }
        }
        None
    }

    fn random_values(&mut self, effort: Effort) -> Option<Counterexample> {
        let subject = self.subject;
        let name = format!("{} {} {}", subject.rule.name, subject.at, subject.direction.reversed);
        let mut random = Random::from_name(&name);
        for _ in 0..effort.random {
            let (lane, lanes) = if subject.rule.vector { LANES[random.below(LANES.len())] } else { (0, 1) };
            let mut env =
                Env { values: vec![0; self.holes.len()], traps: 0, lane, lanes, nan_differs: false };
            let drawn = (0..self.holes.len()).all(|hole| {
                let ty = self.holes[hole];
                env.values[hole] = domain::random(ty, hole, &env, &mut random);
                let beyond = domain::beyond(ty);
                if !beyond.is_empty() && !subject.rule.holes[hole].constant && random.below(16) == 0 {
                    env.values[hole] = beyond[random.below(beyond.len())];
                }
                self.conds_hold(hole, &env)
            });
            if drawn && let Some(found) = self.try_one(&mut env) {
                return Some(found);
            }
        }
        None
    }

    fn conds_hold(&self, hole: usize, env: &Env) -> bool {
        let Subject { rule, at, .. } = self.subject;
        self.conds[hole].iter().all(|&i| holds(rule, at, &rule.conds[i], env))
    }

    /// Tries the values, with each of the meanings that `!=` may have.
    fn try_one(&mut self, env: &mut Env) -> Option<Counterexample> {
        let found = self.nan_differs.iter().find_map(|&nan_differs| {
            env.nan_differs = nan_differs;
            self.try_reading(env)
        });
        env.nan_differs = false;
        found
    }

    fn try_reading(&mut self, env: &mut Env) -> Option<Counterexample> {
        let Ok(expected) = eval(&self.from, env, Mode::Total) else { return None };
        let found = eval(&self.to, env, Mode::Total);
        if let Err(Stop::TooLarge | Stop::NotFolded) = found {
            return None;
        }
        self.applied += 1;
        if !found.is_ok_and(|found| same(self.result, expected, found)) {
            return Some(self.counterexample(env, expected, found.ok()));
        }
        if self.subject.rule.may_trap {
            return None;
        }
        for i in 0..self.masks.len() {
            env.traps = self.masks[i];
            let defined = eval(&self.from, env, Mode::Partial).is_ok();
            if defined && eval(&self.to, env, Mode::Partial) == Err(Stop::Undefined) {
                return Some(self.counterexample(env, expected, None));
            }
        }
        env.traps = 0;
        None
    }

    fn counterexample(&self, env: &Env, expected: i128, found: Option<i128>) -> Counterexample {
        let Subject { rule, direction, at } = self.subject;
        let value_of = |hole: usize| {
            if env.traps & (1 << hole) != 0 {
                TRAP.to_owned()
            } else {
                show(self.holes[hole], env.values[hole])
            }
        };
        Counterexample {
            rule: rule.name.to_string(),
            place: format!("{}:{}", rule.file, rule.line),
            types: at.to_string(),
            reversed: direction.reversed,
            holes: rule.holes.iter().enumerate().map(|(i, hole)| (hole.to_string(), value_of(i))).collect(),
            lane: rule.vector.then(|| format!("lane {} of {}", env.lane, env.lanes)),
            from: rule.show(direction.from),
            from_value: show(self.result, expected),
            to: rule.show(direction.to),
            to_value: found.map_or(UNDEFINED.to_owned(), |value| show(self.result, value)),
        }
    }
}

/// Whether a side has a `!=` that may be one of floats.
fn compares_floats(subject: &Subject<'_>, holes: &[Ty]) -> bool {
    let mut compares = false;
    for side in [subject.direction.from, subject.direction.to] {
        side.walk(&mut |part| compares |= matches!(part, Pat::Op(RuleOp::Bin(BinOp::Ne), _)));
    }
    compares && holes.iter().any(|ty| matches!(ty, Ty::Float(_)))
}

/// What is shown for a hole that traps.
const TRAP: &str = "(traps)";
/// What is shown for a side that has no value.
const UNDEFINED: &str = "undefined (it traps or overflows)";

/// The sets of holes to try as traps. Where every operand is evaluated on the side that is replaced, a hole that traps
/// makes that side trap, and whatever replaces it is fine.
fn masks(subject: &Subject<'_>) -> Vec<u32> {
    let Subject { rule, direction, .. } = subject;
    let mut lazy = false;
    direction.from.walk(&mut |pat| {
        lazy |= match pat {
            Pat::Op(RuleOp::Bin(op), _) => op.is_logic(),
            Pat::Op(op, _) => *op == RuleOp::IfThenElse,
            _ => false,
        };
    });
    let used = direction.to.holes();
    let may = |i: usize| {
        let total = rule.conds.iter().any(|cond| matches!(cond, Cond::Total(hole) if *hole == i));
        lazy && used.contains(&i) && !rule.holes[i].constant && !total
    };
    let can: u32 = (0..rule.holes.len()).filter(|&i| may(i)).map(|i| 1 << i).sum();
    (0..1u32 << rule.holes.len()).filter(|mask| mask & !can == 0).collect()
}

/// The type of a side.
fn result_ty(rule: &Rule, at: &Instance, pat: &Pat) -> Ty {
    match pat {
        Pat::Hole(hole) => at.ty(rule.holes[*hole].ty),
        Pat::Int(_, ty) | Pat::Float(_, ty) | Pat::Cast(ty, _) | Pat::Fold(_, ty) => at.ty(*ty),
        Pat::Bool(_) => Ty::Bool,
        Pat::Op(RuleOp::Bin(op), _) if op.is_compare() => Ty::Bool,
        Pat::Op(_, args) => args.last().map_or(Ty::Bool, |arg| result_ty(rule, at, arg)),
        Pat::Lanes => Ty::Unbounded,
    }
}

/// A value as people write it.
fn show(ty: Ty, value: i128) -> String {
    match ty {
        Ty::Bool => (value != 0).to_string(),
        Ty::Float(_) | Ty::Real => format!("{:?}", to_f64(ty, value)),
        Ty::Unbounded | Ty::Exact(_) | Ty::Wrapping(_) => value.to_string(),
    }
}
