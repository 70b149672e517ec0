//! Tests of the library's rules in the engine: each that is used unites something, and what the theory proves by itself is
//! marked as such.

use egg::Id;
use smallvec::SmallVec;

use super::matcher::Matcher;
use super::matching::Subst;
use super::{Rewrites, apply, build};
use crate::arith::{Interval, Residue};
use crate::egraph::{Callees, Graph, Knowing, Node, Op, TheoryLevel, rebuild, theory_for};
use crate::ir::{BinOp, DType, Kind, VarId};
use crate::rules::{Cond, Rule, RuleSet, TypeRef};
use crate::theory;

const NODES: usize = 2_000;

/// More than any rule has holes.
const MAX_HOLES: usize = 16;

/// The types that a rule is tried at.
const TYPES: [DType; 13] = [
    DType::new(Kind::BFloat, 16),
    DType::I32,
    DType::I64,
    DType::BOOL,
    DType::int(8),
    DType::int(16),
    DType::uint(8),
    DType::uint(16),
    DType::uint(32),
    DType::uint(64),
    DType::float(16),
    DType::float(32),
    DType::float(64),
];

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What a hole stands for.
#[derive(Clone, Copy, Debug)]
enum Value {
    Int(i64),
    Float(f64),
    /// What an earlier hole stands for.
    Same(usize),
    /// A difference of two variables.
    Difference,
    /// A variable with what is known of it.
    Var(Interval, Residue),
}

/// A rule with something for each hole, for which its conditions are proven.
struct Instance<'r> {
    rule: &'r Rule,
    reversed: bool,
    types: Vec<DType>,
    lanes: u16,
    values: Vec<Value>,
}

impl Instance<'_> {
    /// A graph with the holes.
    fn holes(&self) -> (Graph, Subst) {
        let mut analysis = theory_for(2 * MAX_HOLES, TheoryLevel::Full);
        for (range, value) in analysis.var_ranges.iter_mut().zip(&self.values) {
            if let Value::Var(known, _) = value {
                *range = *known;
            }
        }
        let mut graph = Graph::new(analysis);
        let mut holes: SmallVec<[Option<Id>; 8]> = SmallVec::new();
        for (number, (hole, value)) in self.rule.holes.iter().zip(&self.values).enumerate() {
            let scalar = match hole.ty {
                TypeRef::Bool => DType::BOOL,
                TypeRef::Var(at) => self.types[at],
                TypeRef::Is(dtype) => dtype,
            };
            let lanes = if hole.scalar { 1 } else { self.lanes };
            let repeat = |graph: &mut Graph, class: Id| match lanes {
                1 => class,
                _ => graph.add(Node::new(Op::Broadcast, scalar.with_lanes(lanes), [class])),
            };
            let class = match *value {
                Value::Int(v) => {
                    let class = graph.add(Node::int(v, scalar));
                    repeat(&mut graph, class)
                }
                Value::Same(other) => holes[other].unwrap(),
                Value::Difference => {
                    let [p, q] = [number, number + MAX_HOLES].map(|var| {
                        let var = VarId(u32::try_from(var).unwrap());
                        graph.add(Node::new(Op::Var(var), scalar.with_lanes(lanes), []))
                    });
                    graph.add(Node::bin(BinOp::Sub, scalar.with_lanes(lanes), p, q))
                }
                Value::Float(v) => {
                    let class = graph.add(Node::new(Op::float(v.to_bits()), scalar, []));
                    repeat(&mut graph, class)
                }
                Value::Var(_, residue) => {
                    let var = VarId(u32::try_from(number).unwrap());
                    let class = graph.add(Node::new(Op::Var(var), scalar.with_lanes(lanes), []));
                    if residue != Residue::ALL {
                        let mut facts = graph.facts(class).clone();
                        facts.residue = residue;
                        graph.set_facts(class, facts);
                    }
                    class
                }
            };
            holes.push(Some(class));
        }
        rebuild(&mut graph);
        let types = self.types.iter().copied().map(Some).collect();
        (graph, Subst { holes, types, lanes: self.lanes })
    }

    /// Adds the side that matches, and the other one if that is asked for; `None` if the conditions are not proven.
    fn build(&self, both: bool) -> Option<(Graph, Callees, Id, Option<Id>)> {
        let (mut graph, subst) = self.holes();
        let mut callees = Callees::default();
        let (from, to) = match self.reversed {
            false => (&self.rule.lhs, &self.rule.rhs),
            true => (&self.rule.rhs, &self.rule.lhs),
        };
        let (from, to) = {
            let matcher = Matcher::new(&graph, &callees);
            if !self.rule.conds.iter().all(|cond| matcher.proven(cond, &subst)) {
                return None;
            }
            (matcher.fill(from, &subst, self.lanes)?, matcher.fill(to, &subst, self.lanes)?)
        };
        let left = build::add(&mut graph, &mut callees, &from);
        let right = both.then(|| build::add(&mut graph, &mut callees, &to));
        Some((graph, callees, left, right))
    }

    /// Whether the theory alone finds both sides equal.
    fn is_theory(&self) -> bool {
        let (mut graph, _, left, right) = self.build(true).unwrap();
        theory::run(&mut graph, NODES);
        graph.find(left) == graph.find(right.unwrap())
    }

    /// Whether the rule unites classes where the theory has done what it can.
    fn fires(&self) -> bool {
        let (mut graph, mut callees, ..) = self.build(false).unwrap();
        theory::run(&mut graph, NODES);
        let only = Rewrites::of_rules([self.rule]);
        apply(&mut graph, &mut callees, only.with_fast_math(true), NODES) > 0
    }
}

/// How many instances are tried, and how many are enough, at each type.
const TRIES: usize = 400;
const ENOUGH: usize = 6;

/// Instances of a rule whose conditions are proven, at all types.
fn instances(rule: &Rule) -> Vec<Instance<'_>> {
    let mut random = Random(rule.name.bytes().fold(7_u64, |seed, b| seed.wrapping_mul(31) + u64::from(b)));
    let mut found = Vec::new();
    for reversed in [false, true].into_iter().take(1 + usize::from(rule.bidirectional)) {
        for first in TYPES.into_iter().filter(|&dtype| rule.types[0].contains(dtype)) {
            let mut here = 0;
            for _ in 0..TRIES {
                if let Some(instance) = guess(rule, reversed, first, &mut random) {
                    here += 1;
                    found.push(instance);
                }
                if here == ENOUGH {
                    break;
                }
            }
        }
    }
    found
}

fn guess<'r>(rule: &'r Rule, reversed: bool, first: DType, random: &mut Random) -> Option<Instance<'r>> {
    const INTS: [i64; 16] = [0, 1, 2, 3, 4, 5, 6, 8, 16, 32, 64, -1, -2, -3, -4, -8];
    const RANGES: [(i64, i64); 7] =
        [(0, 15), (1, 8), (-8, -1), (16, 31), (0, 1), (-31, -16), (0, Interval::POS_INF)];
    let lanes = if rule.vector { 4 } else { 1 };
    let mut types = vec![first];
    for var in &rule.types[1..] {
        let fitting: Vec<DType> = TYPES.into_iter().filter(|&dtype| var.contains(dtype)).collect();
        types.push(random.of(&fitting));
    }
    let mut values = Vec::new();
    for (number, hole) in rule.holes.iter().enumerate() {
        let dtype = match hole.ty {
            TypeRef::Bool => DType::BOOL,
            TypeRef::Var(at) => types[at],
            TypeRef::Is(dtype) => dtype,
        };
        let known = rule.conds.iter().any(|cond| matches!(cond, Cond::Const(hole) if *hole == number));
        let before = rule.holes[..number]
            .iter()
            .position(|other| !other.constant && other.ty == hole.ty && other.scalar == hole.scalar);
        let fits = |v: &i64| theory::representable(*v, dtype) && (*v >= 0 || !dtype.is_uint());
        values.push(if matches!(dtype.kind, Kind::Float | Kind::BFloat) {
            match hole.constant || known {
                true => Value::Float(random.of(&[2.0, 0.5, -1.0, 0.0, 1.0, 3.0])),
                false => Value::Var(Interval::ALL, Residue::ALL),
            }
        } else if hole.constant || known || !dtype.is_bool() && random.below(5) == 0 {
            let fitting: Vec<i64> = INTS.into_iter().filter(fits).collect();
            Value::Int(random.of(&fitting))
        } else if dtype.is_index() && random.below(4) == 0 {
            Value::Difference
        } else if let Some(before) = before.filter(|_| random.below(5) == 0) {
            Value::Same(before)
        } else if dtype.is_bool() || random.below(4) == 0 {
            Value::Var(Interval::ALL, Residue::ALL)
        } else {
            let (lo, hi) = random.of(&RANGES);
            let residue = match random.below(3) {
                0 if dtype.is_index() => Residue::new(random.of(&[2, 4, 8]), random.of(&[0, 1])),
                _ => Residue::ALL,
            };
            Value::Var(Interval::new(lo, hi)?, residue)
        });
    }
    let instance = Instance { rule, reversed, types, lanes, values };
    instance.build(false)?;
    Some(instance)
}

/// What a rule does in some instances: how many there are, in how many the theory alone proves it, in how many it unites.
fn counts(rule: &Rule) -> (usize, usize, usize) {
    let all = instances(rule);
    let proven = all.iter().filter(|instance| instance.is_theory()).count();
    (all.len(), proven, all.iter().filter(|instance| instance.fires()).count())
}

#[test]
fn every_rule_that_is_used_unites_something() {
    let rules = RuleSet::embedded().unwrap();
    let idle = |rule: &&Rule| counts(rule).2 == 0;
    let idle: Vec<String> =
        rules.used(true).filter(idle).map(|r| format!("{} {} {:?}", r.set, r.name, counts(r))).collect();
    assert!(idle.is_empty(), "these change nothing that the theory does not know:\n{}", idle.join("\n"));
    assert!(rules.used(true).count() > 600);
}

#[test]
fn the_theory_alone_proves_the_rules_that_are_left_to_it() {
    let rules = RuleSet::embedded().unwrap();
    let left: Vec<&Rule> = rules.rules().filter(|rule| rule.by_theory).collect();
    assert!(left.len() > 80);
    let mut wrong = Vec::new();
    for rule in left {
        let (all, proven, _) = counts(rule);
        if all == 0 || proven < all {
            wrong.push(format!("{}: {proven} of {all}", rule.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What `ARCHITECTURE.md` says of adding a rule: one that the theory knows already is found out by these tests.
#[test]
fn a_new_rule_is_tried() {
    let mut rules = RuleSet::empty();
    let text = "(rule known \"a multiple\" (types index) (=> (floordiv (mul ?x 6) 3) (mul ?x 2)))\n\
                (rule new \"bit by bit\" (types anyint) (=> (bitwise_and ?x (bitwise_or ?x ?y)) ?x))";
    rules.extend_with_text("mine.rules", text).unwrap();
    let of = |name: &str| counts(rules.all_rules().find(|rule| *rule.name == *name).unwrap());
    let (all, proven, _) = of("known");
    assert!(all > 0 && proven == all, "{all} {proven}");
    let (all, proven, fires) = of("new");
    assert!(all > 0 && proven < all && fires > 0, "{all} {proven} {fires}");
}
