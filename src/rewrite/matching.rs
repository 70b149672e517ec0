//! Matching of patterns: all ways in which the left side of a rule matches at a node.
//!
//! The search goes depth first, operands from left to right; what it binds on the way it undoes on the way back, so that
//! only matches allocate.

use egg::Id;
use smallvec::{SmallVec, smallvec};

use super::matcher::Matcher;
use crate::egraph::{Knowing, Node, Op};
use crate::ir::DType;
use crate::rules::{Pat, Rule, TypeRef};

/// The most ways of matching one rule at one node.
const WAYS_LIMIT: usize = 8;

/// The most nodes looked at to match one rule at one node.
const NODES_LIMIT: usize = 256;

/// The same where there are only rules, which would find the same ways again in the next round.
const PLAIN_WAYS_LIMIT: usize = 2_000;
const PLAIN_NODES_LIMIT: usize = 20_000;

/// What a match binds.
#[derive(Clone)]
pub(super) struct Subst {
    /// The class of each hole.
    pub(super) holes: SmallVec<[Option<Id>; 8]>,
    /// The scalar type of each type variable.
    pub(super) types: SmallVec<[Option<DType>; 4]>,
    /// The number of lanes.
    pub(super) lanes: u16,
}

/// A search for matches of one rule.
pub(super) struct Match<'m> {
    matcher: &'m Matcher<'m>,
    rule: &'m Rule,
    subst: Subst,
    ways: Vec<Subst>,
    /// Nodes that may still be looked at.
    nodes: usize,
    /// The most ways.
    most: usize,
}

/// What is still to be matched.
enum Rest<'r> {
    Nothing,
    Operands { patterns: &'r [Pat], classes: &'r [Id], then: &'r Rest<'r> },
}

impl<'m> Match<'m> {
    /// The ways (up to a limit) in which a pattern with an operator at its root matches a node.
    pub(super) fn all(matcher: &'m Matcher<'m>, rule: &'m Rule, pattern: &Pat, node: &Node) -> Vec<Subst> {
        let lanes = node.dtype.lanes;
        if rule.vector && lanes == 1 {
            return Vec::new();
        }
        let (holes, types) = (smallvec![None; rule.holes.len()], smallvec![None; rule.types.len()]);
        let subst = Subst { holes, types, lanes };
        let (nodes, most) = match matcher.plain {
            true => (PLAIN_NODES_LIMIT, PLAIN_WAYS_LIMIT),
            false => (NODES_LIMIT, WAYS_LIMIT),
        };
        let mut search = Match { matcher, rule, subst, ways: Vec::new(), nodes, most };
        search.node(pattern, node, &Rest::Nothing);
        search.ways
    }

    /// Whether a pattern may match at a node, as far as its operands' own operators and constants tell. Most do not.
    pub(super) fn is_possible(matcher: &Matcher<'_>, rule: &Rule, pattern: &Pat, node: &Node) -> bool {
        let fits = |pattern, class| matcher.may_match(rule, pattern, class);
        match (pattern, &node.children[..]) {
            (Pat::Op(_, patterns), &[x, y]) => match &patterns[..] {
                [a, b] => fits(a, x) && fits(b, y) || fits(a, y) && fits(b, x),
                _ => false,
            },
            (Pat::Op(_, patterns), classes) => patterns.iter().zip(classes).all(|(p, &c)| fits(p, c)),
            (Pat::Cast(_, argument), &[x]) => fits(argument, x),
            _ => false,
        }
    }

    fn node(&mut self, pattern: &Pat, node: &Node, rest: &Rest<'_>) {
        match pattern {
            Pat::Op(op, patterns) => {
                if patterns.len() != node.children.len() || self.matcher.rule_op(node) != Some(*op) {
                    return;
                }
                self.operands(patterns, &node.children, rest);
                if let &[a, b] = &node.children[..]
                    && a != b
                    && self.may_match(patterns, &[b, a])
                    && self.matcher.commutes(*op, node)
                {
                    self.operands(patterns, &[b, a], rest);
                }
            }
            Pat::Cast(ty, argument) => {
                if node.op == Op::Cast {
                    self.typed(*ty, node.dtype, |search| search.class(argument, node.children[0], rest));
                }
            }
            Pat::Hole(_) | Pat::Int(..) | Pat::Float(..) | Pat::Bool(_) | Pat::Fold(..) | Pat::Lanes => {}
        }
    }

    fn may_match(&self, patterns: &[Pat], classes: &[Id]) -> bool {
        patterns.iter().zip(classes).all(|(p, &c)| self.matcher.may_match(self.rule, p, c))
    }

    fn operands(&mut self, patterns: &[Pat], classes: &[Id], rest: &Rest<'_>) {
        if self.may_match(patterns, classes) {
            self.go_on(&Rest::Operands { patterns, classes, then: rest });
        }
    }

    /// Matches what is left; where nothing is, a way is found.
    fn go_on(&mut self, rest: &Rest<'_>) {
        match rest {
            Rest::Nothing => self.ways.push(self.subst.clone()),
            Rest::Operands { patterns: [first, patterns @ ..], classes: [class, classes @ ..], then } => {
                self.class(first, *class, &Rest::Operands { patterns, classes, then });
            }
            Rest::Operands { then, .. } => self.go_on(then),
        }
    }

    fn class(&mut self, pattern: &Pat, class: Id, rest: &Rest<'_>) {
        let graph = &self.matcher.graph;
        let class = graph.find(class);
        match pattern {
            Pat::Hole(hole) => {
                let info = &self.rule.holes[*hole];
                match self.subst.holes[*hole] {
                    Some(bound) if bound == class => self.go_on(rest),
                    Some(_) => {}
                    None if info.constant && self.matcher.constant(class).is_none() => {}
                    None if self.rule.vector && !self.has_lanes(info.scalar, class) => {}
                    None => self.typed(info.ty, graph.facts(class).dtype, |search| {
                        search.subst.holes[*hole] = Some(class);
                        search.go_on(rest);
                        search.subst.holes[*hole] = None;
                    }),
                }
            }
            Pat::Int(value, ty) => {
                if self.matcher.constant(class) == Some(*value) {
                    self.typed(*ty, graph.facts(class).dtype, |search| search.go_on(rest));
                }
            }
            Pat::Bool(value) => {
                if graph.facts(class).dtype == DType::BOOL
                    && self.matcher.constant(class) == Some(i64::from(*value))
                {
                    self.go_on(rest);
                }
            }
            Pat::Float(bits, ty) => {
                if graph[class].nodes.iter().any(|n| n.op == Op::float(*bits)) {
                    self.typed(*ty, graph.facts(class).dtype, |search| search.go_on(rest));
                }
            }
            Pat::Op(..) | Pat::Cast(..) => {
                for node in &graph[class].nodes {
                    if self.ways.len() >= self.most || self.nodes == 0 {
                        return;
                    }
                    self.nodes -= 1;
                    self.node(pattern, node, rest);
                }
            }
            Pat::Fold(..) | Pat::Lanes => {}
        }
    }

    /// Whether a class is a scalar, or a vector of as many lanes as the whole.
    fn has_lanes(&self, scalar: bool, class: Id) -> bool {
        self.matcher.graph.facts(class).dtype.lanes == if scalar { 1 } else { self.subst.lanes }
    }

    /// Goes on where the type of the lanes is what the rule says, with its variable bound.
    fn typed(&mut self, ty: TypeRef, dtype: DType, then: impl FnOnce(&mut Self)) {
        let dtype = dtype.scalar();
        match ty {
            TypeRef::Bool if dtype.is_bool() => then(self),
            TypeRef::Is(only) if dtype == only => then(self),
            TypeRef::Bool | TypeRef::Is(_) => {}
            TypeRef::Var(var) => match self.subst.types[var] {
                Some(bound) if bound == dtype => then(self),
                Some(_) => {}
                None if self.rule.types[var].contains(dtype) => {
                    self.subst.types[var] = Some(dtype);
                    then(self);
                    self.subst.types[var] = None;
                }
                None => {}
            },
        }
    }
}
