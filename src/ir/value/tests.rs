//! Constant arithmetic against the textbook: `i128` for integers, exhaustive at 8 bits.

use half::{bf16, f16};

use super::*;

const I8: DType = DType::int(8);
const U8: DType = DType::uint(8);

/// What the operator means on unbounded integers; `None` for a division by zero.
fn exact(op: BinOp, x: i128, y: i128) -> Option<i128> {
    let floor = |x: i128, y: i128| {
        // The largest q with q * y <= x (for y > 0), found without division by a negative number.
        let (x, y) = if y < 0 { (-x, -y) } else { (x, y) };
        let mut q = x / y;
        while q * y > x {
            q -= 1;
        }
        q
    };
    Some(match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x * y,
        BinOp::Div => x.checked_div(y)?,
        BinOp::Mod => x - y * x.checked_div(y)?,
        BinOp::FloorDiv => (y != 0).then(|| floor(x, y))?,
        BinOp::FloorMod => (y != 0).then(|| x - y * floor(x, y))?,
        BinOp::Min => {
            if x < y {
                x
            } else {
                y
            }
        }
        BinOp::Max => {
            if x < y {
                y
            } else {
                x
            }
        }
        BinOp::Eq => i128::from(x == y),
        BinOp::Ne => i128::from(x != y),
        BinOp::Lt => i128::from(x < y),
        BinOp::Le => i128::from(x <= y),
        BinOp::Gt => i128::from(x > y),
        BinOp::Ge => i128::from(x >= y),
        BinOp::And | BinOp::Or => unreachable!("not on integers"),
    })
}

fn arithmetic() -> impl Iterator<Item = BinOp> {
    BinOp::ALL.into_iter().filter(|op| !op.is_logic())
}

#[test]
fn every_operator_wraps_at_8_bits() {
    for dtype in [I8, U8] {
        let (min, max) = dtype.int_range().unwrap();
        for op in arithmetic() {
            for x in min..=max {
                for y in min..=max {
                    let expected = exact(op, x, y)
                        .ok_or(Undefined::DivisionByZero)
                        .map(|v| if op.is_compare() { v } else { (v - min).rem_euclid(256) + min });
                    let got = int::binary(op, dtype, x as i64, y as i64).map(i128::from);
                    assert_eq!(got, expected, "{x} {} {y} on {dtype}", op.name());
                }
            }
        }
    }
}

#[test]
fn index_arithmetic_reports_overflow() {
    for (dtype, edge) in [(DType::I32, 1i128 << 31), (DType::I64, 1i128 << 63)] {
        // All pairs of values near the ends, near zero, and near the square root of the ends.
        let root = if dtype.bits == 32 { 46_341 } else { 3_037_000_500i128 };
        let centres = [-edge, edge - 1, 0, root, -root];
        let samples: Vec<i128> = centres
            .iter()
            .flat_map(|c| (-9..=9).map(move |d| c + d))
            .filter(|&v| -edge <= v && v < edge)
            .collect();
        for op in arithmetic() {
            for &x in &samples {
                for &y in &samples {
                    let expected = match exact(op, x, y) {
                        None => Err(Undefined::DivisionByZero),
                        Some(v) if -edge <= v && v < edge => Ok(v),
                        Some(_) => Err(Undefined::Overflow),
                    };
                    let got = int::binary(op, dtype, x as i64, y as i64).map(i128::from);
                    assert_eq!(got, expected, "{x} {} {y} on {dtype}", op.name());
                }
            }
        }
    }
}

#[test]
fn uint64_uses_the_whole_range() {
    let u64 = DType::uint(64);
    let top = u64::MAX as i64;
    assert_eq!(int::binary(BinOp::Add, u64, top, 1), Ok(0));
    assert_eq!(int::binary(BinOp::Mul, u64, top, top), Ok(1));
    assert_eq!(int::binary(BinOp::Lt, u64, 1, top), Ok(1));
    assert_eq!(int::binary(BinOp::FloorDiv, u64, top, 2), Ok(i64::MAX));
    assert_eq!(int::binary(BinOp::Max, u64, top, 3), Ok(top));
    assert_eq!(cast(u64, DType::float(64), Value::Int(top)), Ok(Value::Float(18_446_744_073_709_551_616.0)));
    assert_eq!(
        cast(DType::float(64), u64, Value::Float(9_223_372_036_854_775_808.0)),
        Ok(Value::Int(i64::MIN))
    );
}

#[test]
fn truth_values_have_logic_and_order_but_no_arithmetic() {
    for a in 0..2i64 {
        for b in 0..2i64 {
            let on = |op| int::binary(op, DType::BOOL, a, b);
            assert_eq!(on(BinOp::And), Ok(i64::from(a == 1 && b == 1)));
            assert_eq!(on(BinOp::Or), Ok(i64::from(a == 1 || b == 1)));
            assert_eq!(on(BinOp::Lt), Ok(i64::from(a < b)));
            assert_eq!(on(BinOp::Add), Err(Undefined::NoSuchOperation));
        }
        assert_eq!(not(Value::Int(a)), Ok(Value::Int(1 - a)));
    }
}

#[test]
fn casts_keep_the_value_modulo_the_width() {
    for from in [I8, U8] {
        let (min, max) = from.int_range().unwrap();
        for to in [I8, U8, DType::int(4), DType::int(16), DType::I32, DType::uint(16), DType::BOOL] {
            let (lo, hi) = to.int_range().unwrap();
            for v in min..=max {
                let expected =
                    if to.is_bool() { i128::from(v != 0) } else { (v - lo).rem_euclid(hi - lo + 1) + lo };
                let got = cast(from, to, Value::Int(v as i64));
                assert_eq!(got, Ok(Value::Int(expected as i64)), "{v} from {from} to {to}");
            }
        }
    }
}

#[test]
fn floats_truncate_to_integers_that_hold_them() {
    let to = |dtype, v| cast(DType::F32, dtype, Value::Float(v)).map(|v| v.as_int().unwrap());
    assert_eq!(to(I8, -128.9), Ok(-128));
    assert_eq!(to(I8, 127.9), Ok(127));
    assert_eq!(to(I8, -129.0), Err(Undefined::CastRange));
    assert_eq!(to(I8, 128.0), Err(Undefined::CastRange));
    assert_eq!(to(U8, -0.5), Ok(0));
    assert_eq!(to(U8, -1.0), Err(Undefined::CastRange));
    assert_eq!(to(DType::I64, f64::NAN), Err(Undefined::CastRange));
    assert_eq!(to(DType::I64, 9_223_372_036_854_775_808.0), Err(Undefined::CastRange));
    assert_eq!(to(DType::BOOL, f64::NAN), Ok(1));
    assert_eq!(to(DType::BOOL, -0.0), Ok(0));
}

#[test]
fn integers_round_to_floats_once() {
    // Above 2^53: through f64 this would round to 2^60 + 2^36 (a tie) and then down to 2^60.
    let v = (1i64 << 60) + (1 << 36) + 1;
    let got = cast(DType::I64, DType::F32, Value::Int(v)).unwrap().as_float().unwrap();
    assert_eq!(got, ((1i64 << 60) + (1 << 37)) as f64);
}

/// Every f16 and bf16 value is kept, and half way between neighbours rounds to even, just above it up.
#[test]
fn rounding_to_16_bits_is_correct() {
    type FromBits = fn(u16) -> f64;
    let formats: [(DType, FromBits, u16); 2] = [
        (DType::float(16), |b| f16::from_bits(b).to_f64(), 0x7bff),
        (DType::new(Kind::BFloat, 16), |b| bf16::from_bits(b).to_f64(), 0x7f7f),
    ];
    for (dtype, from_bits, largest) in formats {
        for bits in 0..largest {
            let (a, b) = (from_bits(bits), from_bits(bits + 1));
            let middle = (a + b) / 2.0;
            assert_eq!(float::round(dtype, a), a);
            assert_eq!(float::to_bits(dtype, -a) as u16, bits | 0x8000);
            assert_eq!(float::from_bits(dtype, u64::from(bits)), a);
            assert_eq!(float::round(dtype, middle), if bits % 2 == 0 { a } else { b }, "{middle} as {dtype}");
            assert_eq!(float::round(dtype, middle.next_up()), b, "just above {middle} as {dtype}");
            assert_eq!(float::round(dtype, middle.next_down()), a, "just below {middle} as {dtype}");
        }
        let top = from_bits(largest);
        assert_eq!(float::round(dtype, top * 2.0), f64::INFINITY);
        assert!(float::round(dtype, f64::NAN).is_nan());
    }
}

#[test]
fn float_arithmetic_rounds_to_the_width() {
    let (a, b) = (0.1f32, 0.7f32);
    for (op, expected) in [
        (BinOp::Add, a + b),
        (BinOp::Sub, a - b),
        (BinOp::Mul, a * b),
        (BinOp::Div, a / b),
        (BinOp::Mod, b % a),
    ] {
        let (x, y) = if op == BinOp::Mod { (b, a) } else { (a, b) };
        let got = binary(op, DType::F32, Value::Float(x.into()), Value::Float(y.into())).unwrap();
        assert_eq!(got, Value::Float(expected.into()), "{}", op.name());
    }
}

#[test]
fn nan_and_zeros_behave_as_in_the_llvm_build() {
    let on = |op, a, b| binary(op, DType::F32, Value::Float(a), Value::Float(b)).unwrap();
    let nan = f64::NAN;
    for op in [BinOp::Min, BinOp::Max] {
        assert_eq!(on(op, nan, 1.0), Value::Float(1.0));
        assert!(on(op, 1.0, nan).as_float().unwrap().is_nan());
        assert_eq!(on(op, 0.0, -0.0), Value::Float(-0.0));
        assert_eq!(on(op, -0.0, 0.0), Value::Float(0.0));
    }
    for op in BinOp::ALL.into_iter().filter(|op| op.is_compare()) {
        for (a, b) in [(nan, 1.0), (1.0, nan), (nan, nan)] {
            assert_eq!(on(op, a, b), Value::bool(false), "{} of NaN", op.name());
        }
    }
    assert_eq!(on(BinOp::Eq, 0.0, -0.0), Value::bool(true));
}

#[test]
fn bit_intrinsics_at_8_bits() {
    for dtype in [I8, U8] {
        let (min, max) = dtype.int_range().unwrap();
        for x in min..=max {
            let v = Value::Int(x as i64);
            let byte = x as u8;
            let one = |f: MathFn| f.eval(dtype, &[v]).map(|v| v.as_int().unwrap());
            assert_eq!(one(MathFn::Popcount), Ok(i64::from(byte.count_ones())));
            let clz = if byte == 0 { Err(Undefined::ClzOfZero) } else { Ok(i64::from(byte.leading_zeros())) };
            assert_eq!(one(MathFn::Clz), clz);
            assert_eq!(one(MathFn::BitNot).unwrap() as u8, !byte);
            for y in min..=max {
                let two = |f: MathFn| f.eval(dtype, &[v, Value::Int(y as i64)]).map(|v| v.as_int().unwrap());
                assert_eq!(two(MathFn::BitAnd).unwrap() as u8, byte & y as u8);
                assert_eq!(two(MathFn::BitOr).unwrap() as u8, byte | y as u8);
                assert_eq!(two(MathFn::BitXor).unwrap() as u8, byte ^ y as u8);
                if (0..8).contains(&y) {
                    assert_eq!(two(MathFn::ShiftLeft).unwrap() as u8, byte << y);
                    // Shifting right is floor division by a power of two, of either sign.
                    assert_eq!(two(MathFn::ShiftRight), Ok(x.div_euclid(1 << y) as i64));
                } else {
                    assert_eq!(two(MathFn::ShiftLeft), Err(Undefined::ShiftAmount));
                    assert_eq!(two(MathFn::ShiftRight), Err(Undefined::ShiftAmount));
                }
            }
        }
    }
}

#[test]
fn absolute_value_of_the_smallest_index_overflows() {
    let abs = |dtype, v| MathFn::Abs.eval(dtype, &[Value::Int(v)]);
    assert_eq!(abs(I8, -128), Ok(Value::Int(-128)));
    assert_eq!(abs(DType::I32, i64::from(i32::MIN)), Err(Undefined::Overflow));
    assert_eq!(abs(DType::I64, i64::MIN), Err(Undefined::Overflow));
    assert_eq!(abs(DType::I32, -7), Ok(Value::Int(7)));
}

#[test]
fn elementary_functions_round_to_the_width() {
    let f = |f: MathFn, args: &[f64]| {
        let args: Vec<Value> = args.iter().map(|&v| Value::Float(v)).collect();
        f.eval(DType::F32, &args).unwrap().as_float().unwrap()
    };
    assert_eq!(f(MathFn::Round, &[2.5]), 2.0);
    assert_eq!(f(MathFn::Nearbyint, &[-3.5]), -4.0);
    assert_eq!(f(MathFn::Sqrt, &[2.0]), f64::from(2f32.sqrt()));
    assert_eq!(f(MathFn::Exp, &[1.0]), f64::from(std::f32::consts::E));
    assert_eq!(f(MathFn::Erf, &[0.5]), f64::from(0.520_499_9_f32));
    assert_eq!(f(MathFn::Sigmoid, &[0.0]), 0.5);
    assert_eq!(f(MathFn::Pow, &[2.0, 10.0]), 1024.0);
    assert_eq!(f(MathFn::Copysign, &[3.0, -0.0]), -3.0);
    assert_eq!(f(MathFn::Fma, &[3.0, 4.0, 5.0]), 17.0);
    for (a, b) in [(1.0f32, 2.0f32), (1.0, -2.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (3.0, 3.0)] {
        let expected = if a < b {
            a.next_up()
        } else if a > b {
            a.next_down()
        } else {
            b
        };
        assert_eq!(f(MathFn::Nextafter, &[a.into(), b.into()]), f64::from(expected), "{a} to {b}");
    }
    let ldexp = MathFn::Ldexp.eval(DType::F32, &[Value::Float(0.75), Value::Int(4)]);
    assert_eq!(ldexp, Ok(Value::Float(12.0)));
}

#[test]
fn names_round_trip() {
    for &f in MathFn::ALL {
        assert_eq!(MathFn::from_name(f.name()), Some(f));
        assert!((1..=3).contains(&f.arity()));
    }
    assert_eq!(MathFn::from_name("fabs"), Some(MathFn::Abs));
    assert_eq!(MathFn::from_name("if_then_else"), None);
}
