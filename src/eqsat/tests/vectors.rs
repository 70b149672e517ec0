//! Tests of vectors: what is known of them lane by lane, and that vector code comes out of it.

use egg::Id;

use super::{NODES, int, term, theory_with};
use crate::arith::Interval;
use crate::egraph::{Graph, Node, Op, rebuild};
use crate::ir::{BinOp, DType};
use crate::{candidates, theory};

const ANY: (i64, i64) = (Interval::NEG_INF, Interval::POS_INF);

fn vector(lanes: u16) -> DType {
    DType::I32.with_lanes(lanes)
}

fn ramp(g: &mut Graph, base: &str, stride: i64, lanes: u16) -> Id {
    let children = [term(g, base), int(g, stride)];
    g.add(Node::new(Op::Ramp, vector(lanes), children))
}

fn broadcast(g: &mut Graph, value: &str, lanes: u16) -> Id {
    let value = term(g, value);
    g.add(Node::new(Op::Broadcast, vector(lanes), [value]))
}

fn op(g: &mut Graph, op: BinOp, a: Id, b: Id, lanes: u16) -> Id {
    g.add(Node::bin(op, vector(lanes), a, b))
}

/// Two vectors over `a` and `b` that must be one class, with code that is not one of the operations that they were
/// written with.
#[track_caller]
fn check_equal(left: impl Fn(&mut Graph) -> Id, right: impl Fn(&mut Graph) -> Id) {
    let mut g = Graph::new(theory_with(&[ANY, (0, 7)]));
    let (x, y) = (left(&mut g), right(&mut g));
    theory::run(&mut g, NODES);
    assert_eq!(g.find(x), g.find(y), "as equal lanes");
    // The left side alone gets the code of the right one.
    let mut g = Graph::new(theory_with(&[ANY, (0, 7)]));
    let x = left(&mut g);
    theory::run(&mut g, NODES);
    candidates::offer_all(&mut g, NODES);
    let y = right(&mut g);
    rebuild(&mut g);
    assert_eq!(g.find(x), g.find(y), "as code");
    assert_eq!(g.analysis.contradictions, 0);
}

#[test]
fn sums_of_ramps_are_ramps() {
    check_equal(
        |g| {
            let (a, b) = (ramp(g, "a", 1, 4), ramp(g, "b", 2, 4));
            op(g, BinOp::Add, a, b, 4)
        },
        |g| ramp(g, "+ a b", 3, 4),
    );
    check_equal(
        |g| {
            let (a, b) = (broadcast(g, "a", 4), ramp(g, "b", 2, 4));
            op(g, BinOp::Sub, a, b, 4)
        },
        |g| ramp(g, "- a b", -2, 4),
    );
    check_equal(
        |g| {
            let (a, b) = (ramp(g, "a", 2, 4), ramp(g, "b", 2, 4));
            op(g, BinOp::Sub, a, b, 4)
        },
        |g| broadcast(g, "- a b", 4),
    );
}

#[test]
fn division_of_ramps_stays_in_one_block_or_steps_by_blocks() {
    let divided = |base: &'static str, stride, c: &'static str, lanes| {
        move |g: &mut Graph| {
            let (n, d) = (ramp(g, base, stride, lanes), broadcast(g, c, lanes));
            op(g, BinOp::FloorDiv, n, d, lanes)
        }
    };
    check_equal(divided("+ * a 8 1", 1, "8", 4), |g| broadcast(g, "a", 4));
    check_equal(divided("a", 8, "4", 5), |g| ramp(g, "/ a 4", 2, 5));
    check_equal(divided("* a 4", 1, "64", 4), |g| broadcast(g, "/ a 16", 4));
}

#[test]
fn a_ramp_across_blocks_is_no_broadcast() {
    let mut g = Graph::new(theory_with(&[ANY, (0, 7)]));
    let (n, d) = (ramp(&mut g, "* a 4", 1, 5), broadcast(&mut g, "64", 5));
    let quotient = op(&mut g, BinOp::FloorDiv, n, d, 5);
    let one_block = broadcast(&mut g, "/ a 16", 5);
    theory::run(&mut g, NODES);
    assert_ne!(g.find(quotient), g.find(one_block), "at a = 15 the last lane is 64 // 64");
}

#[test]
fn comparisons_that_all_lanes_decide_alike_are_broadcasts() {
    check_equal(
        |g| {
            let (a, b) = (ramp(g, "+ * a 8 1", 1, 4), broadcast(g, "* b 8", 4));
            op(g, BinOp::Lt, a, b, 4)
        },
        |g| {
            let value = term(g, "< a b");
            g.add(Node::new(Op::Broadcast, DType::BOOL.with_lanes(4), [value]))
        },
    );
}
