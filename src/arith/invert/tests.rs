//! Index maps of layouts and loop nests.

use super::*;
use crate::ir::DType;
use crate::ir::value::{Value, evaluate};

const I: u32 = 0;
const J: u32 = 1;
const F: u32 = 2;
const N: u32 = 3;
const AXES: u32 = 4;

fn var(v: u32) -> Expr {
    Expr::var(VarId(v), DType::I32)
}

fn int(v: i64) -> Expr {
    Expr::int(v, DType::I32)
}

fn div(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinOp::FloorDiv, a, b)
}

fn rem(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinOp::FloorMod, a, b)
}

fn domain(v: u32, extent: i64) -> Domain {
    Domain { var: VarId(v), min: int(0), extent: int(extent) }
}

/// Inverts, and checks by trying all elements that the image is exactly what is reached.
fn inverse(indices: &[Expr], domains: &[Domain], shape: &[i64], others: &[(u32, i64)]) -> Option<Inverse> {
    let axes: Vec<(VarId, Expr)> =
        indices.iter().enumerate().map(|(k, e)| (VarId(AXES + k as u32), e.clone())).collect();
    let mut ranges = vec![Interval::ALL; AXES as usize + indices.len()];
    for (k, &extent) in shape.iter().enumerate() {
        ranges[AXES as usize + k] = Interval::new(0, extent - 1).unwrap();
    }
    ranges[N as usize] = Interval::new(1, Interval::POS_INF).unwrap();
    let map = Map { axes: &axes, domains, ranges: &ranges, facts: &[] };
    let inverse = invert(&map)?;
    let other = |v: VarId| others.iter().find(|(o, _)| *o == v.0).map(|&(_, value)| Value::Int(value));
    let bound = |e: &Expr| match evaluate(e, &other) {
        Some(Value::Int(v)) => v,
        _ => panic!("{e:?} has no value"),
    };
    let mut reached = Vec::new();
    let mut elements = vec![Vec::new()];
    for d in domains {
        let (min, extent) = (bound(&d.min), bound(&d.extent));
        let more = |e: &Vec<i64>| (min..min + extent).map(|v| [&e[..], &[v]].concat()).collect::<Vec<_>>();
        elements = elements.iter().flat_map(more).collect();
    }
    for element in elements {
        let value = |v: VarId| {
            let own = domains.iter().position(|d| d.var == v).map(|at| Value::Int(element[at]));
            own.or_else(|| other(v))
        };
        let place: Vec<i64> = indices
            .iter()
            .map(|e| match evaluate(e, &value) {
                Some(Value::Int(v)) => v,
                _ => panic!("{e:?} has no value"),
            })
            .collect();
        reached.push((place, element));
    }
    let mut places = vec![Vec::new()];
    for &extent in shape {
        let more = |e: &Vec<i64>| (0..extent).map(|v| [&e[..], &[v]].concat()).collect::<Vec<_>>();
        places = places.iter().flat_map(more).collect();
    }
    for place in places {
        let value = |v: VarId| {
            let axis = (v.0 >= AXES).then(|| Value::Int(place[(v.0 - AXES) as usize]));
            axis.or_else(|| other(v))
        };
        let hit = reached.iter().find(|(p, _)| *p == place);
        let says = evaluate(&inverse.condition(), &value) == Some(Value::Int(1));
        assert_eq!(says, hit.is_some(), "{place:?} {inverse:?}");
        if let Some((_, element)) = hit {
            for ((_, e), v) in inverse.values.iter().zip(element) {
                assert_eq!(evaluate(e, &value), Some(Value::Int(*v)), "{place:?} {inverse:?}");
            }
        }
    }
    Some(inverse)
}

#[test]
fn residues_hold_every_value() {
    let (i, j) = (var(I), var(J));
    let cases = [
        (i.clone() * 6 + j.clone() * 4 + 3, 2),
        (int(5) - i.clone() * 8, 8),
        (div(i.clone() * 12 + 8, int(4)), 3),
        (rem(i.clone() * 6 + 1, int(4)), 2),
        (i.clone() * j.clone() * 10, 10),
        (i.clone() + j.clone(), 1),
    ];
    for (e, modulus) in cases {
        let found = residue(&e);
        assert_eq!(found.modulus(), modulus, "{e:?}");
        for (x, y) in (-9..9).flat_map(|x| (-9..9).map(move |y| (x, y))) {
            let value = evaluate(&e, &|v| Some(Value::Int(if v.0 == I { x } else { y })));
            assert!(
                matches!(value, Some(Value::Int(v)) if found.contains(v)),
                "{e:?} is {value:?}, not {found:?}"
            );
        }
    }
}

#[test]
fn tiles_without_and_with_padding() {
    let tiled = |e: Expr, t: i64| [div(e.clone(), int(t)), rem(e, int(t))];
    let even = inverse(&tiled(var(I), 8), &[domain(I, 16)], &[2, 8], &[]).unwrap();
    assert!(even.image.is_empty(), "no padding: {even:?}");
    let padded = inverse(&tiled(var(I), 4), &[domain(I, 14)], &[4, 4], &[]).unwrap();
    assert_eq!(padded.image.len(), 1, "{padded:?}");
    let both = inverse(&tiled(var(I) + 2, 8), &[domain(I, 14)], &[3, 8], &[]).unwrap();
    assert_eq!(both.image.len(), 2, "{both:?}");
}

#[test]
fn tiles_of_tiles_and_of_several_axes() {
    let nested = [div(var(I), int(8)), rem(div(var(I), int(4)), int(2)), rem(var(I), int(4))];
    assert!(inverse(&nested, &[domain(I, 29)], &[4, 2, 4], &[]).is_some());
    let inner = [div(var(I), int(8)), div(rem(var(I), int(8)), int(4)), rem(var(I), int(4))];
    assert!(inverse(&inner, &[domain(I, 32)], &[4, 2, 4], &[]).is_some());
    let both = [div(var(I), int(4)), div(var(J), int(4)), rem(var(I), int(4)), rem(var(J), int(4))];
    assert!(inverse(&both, &[domain(I, 7), domain(J, 9)], &[2, 3, 4, 4], &[]).is_some());
    let turned = [var(J), var(I)];
    assert!(inverse(&turned, &[domain(I, 7), domain(J, 9)], &[9, 7], &[]).is_some());
}

#[test]
fn accesses_of_a_convolution() {
    let at = || var(I) + var(F);
    let tiled = [div(at(), int(4)), rem(at(), int(4))];
    for f in 0..3 {
        assert!(inverse(&tiled, &[domain(I, 14)], &[4, 4], &[(F, f)]).is_some());
    }
    let loops = [var(I) + div(var(J) + var(F), int(8)), rem(var(J) + var(F), int(8))];
    assert!(inverse(&loops, &[domain(I, 3), domain(J, 8)], &[4, 8], &[(F, 2)]).is_some());
}

#[test]
fn strides_and_fused_loops() {
    let strided = inverse(&[var(I) * 3 + 1], &[domain(I, 5)], &[16], &[]).unwrap();
    assert!(!strided.image.is_empty());
    assert!(inverse(&[var(I) * 8 + var(J)], &[domain(I, 3), domain(J, 8)], &[24], &[]).is_some());
    assert!(inverse(&[var(I) * 8 + var(J)], &[domain(I, 3), domain(J, 5)], &[24], &[]).is_some());
    assert!(inverse(&[int(15) - var(I)], &[domain(I, 16)], &[16], &[]).is_some());
    assert!(
        inverse(&[var(I) + var(J), var(I) - var(J) + 8], &[domain(I, 4), domain(J, 9)], &[13, 13], &[])
            .is_some()
    );
    assert!(inverse(&[var(I) * 8 + var(J)], &[domain(I, 3), domain(J, 9)], &[32], &[]).is_none(), "collides");
}

#[test]
fn sizes_that_are_variables() {
    let symbolic = Domain { var: VarId(I), min: int(0), extent: var(N) };
    let tiled = [div(var(I), int(4)), rem(var(I), int(4))];
    assert!(inverse(&tiled, &[symbolic], &[4, 4], &[(N, 13)]).is_some());
    let by_n = [div(var(I), var(N)), rem(var(I), var(N))];
    assert!(inverse(&by_n, &[domain(I, 14)], &[5, 4], &[(N, 4)]).is_some());
    // Rows of `n`, of which an axis of one value says nothing.
    let row = Domain { var: VarId(F), min: int(0), extent: var(N) };
    let flat = [var(I) * 8 * var(N) + var(J) * var(N) + var(F)];
    assert!(inverse(&flat, &[domain(I, 1), domain(J, 8), row], &[40], &[(N, 5)]).is_some());
}

#[test]
fn shifts_and_masks() {
    let call = |name: &str, by: i64| Expr::call(DType::I32, name, vec![var(I), int(by)]);
    let indices = [call("shift_right", 3), call("bitwise_and", 7)];
    let axes: Vec<(VarId, Expr)> =
        indices.iter().enumerate().map(|(k, e)| (VarId(AXES + k as u32), e.clone())).collect();
    let found = invert(&Map { axes: &axes, domains: &[domain(I, 24)], ranges: &[], facts: &[] });
    assert!(found.is_some());
}

#[test]
fn what_is_not_injective_is_not_inverted() {
    for indices in [
        vec![div(var(I), int(4))],
        vec![rem(var(I), int(4))],
        vec![Expr::binary(BinOp::Mul, var(I), int(0))],
        vec![int(3)],
    ] {
        assert!(inverse(&indices, &[domain(I, 14)], &[16], &[]).is_none(), "{indices:?}");
    }
    let found = trouble(&[div(var(I), int(4))], &[domain(I, 14)]);
    assert_eq!(found, Some(Trouble::Collision { first: vec![0], second: vec![1], place: vec![0] }));
    let found = trouble(&[var(I) - 2], &[domain(I, 14)]);
    assert_eq!(found, Some(Trouble::Negative { element: vec![0], place: vec![-2] }));
    assert_eq!(trouble(&[var(I) * 2], &[domain(I, 14)]), None);
    assert_eq!(trouble(&[var(I) * var(N)], &[domain(I, 14)]), None, "another variable");
}

#[test]
fn facts_are_used() {
    // The inner index is known to be below the tile.
    let axes = [(VarId(AXES), var(I) * var(N) + var(J))];
    let below = Expr::binary(BinOp::Lt, var(J), var(N));
    let domains = [domain(I, 3), Domain { var: VarId(J), min: int(0), extent: int(100) }];
    let mut ranges = vec![Interval::ALL; 8];
    ranges[N as usize] = Interval::new(1, 100).unwrap();
    let ask =
        |facts: &[(Expr, bool)]| invert(&Map { axes: &axes, domains: &domains, ranges: &ranges, facts });
    assert!(ask(&[(below, true)]).is_some());
    assert!(ask(&[]).is_none());
}
