//! What becomes of divisions in kernels, and that the quotients are right at the ends of all ranges.

use super::*;
use crate::ir::Type;
use crate::ir::value::{Value, evaluate};

const HEAD: &str = "@T.prim_func\ndef main(A: T.Buffer((\"n\", \"m\"), \"float32\"), B: T.Buffer((n, m), \"float32\"), d: T.int32):\n    \
                    n, m = T.int32(), T.int32()\n";

/// What becomes of a body, with two threads' variables `x` and `y` in the last lines.
fn multiplied(host: &str, kernel: &str) -> Option<String> {
    let mut text = HEAD.to_owned();
    host.lines().for_each(|line| text += &format!("    {line}\n"));
    text += "    x = T.launch_thread(\"blockIdx.x\", (n * m + 63) // 64)\n    y = T.launch_thread(\"threadIdx.x\", 64)\n";
    kernel.lines().for_each(|line| text += &format!("    {line}\n"));
    let module = crate::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let made = multiply(&module.funcs[0], false)?;
    crate::verify::verify_func(&made).unwrap();
    Some(crate::script::print_func(&made))
}

#[test]
fn divisions_by_sizes_are_multiplied_out() {
    let text = multiplied("", "B[(x * 64 + y) // m, (x * 64 + y) % m] = A[x // n, T.Mod(y, m)]").unwrap();
    assert_eq!(text.matches("T.clz").count(), 2, "one reciprocal for each divisor:\n{text}");
    let (host, kernel) = text.split_once("blockIdx").unwrap();
    assert!(host.contains("T.max(m, 1)") && host.contains("T.max(n, 1)"), "{text}");
    let threads = &kernel[kernel.find("threadIdx").unwrap()..];
    assert!(!threads.contains('/') && !threads.contains('%') && !threads.contains("T.Mod"), "{text}");
    // How many blocks there are is for the host.
    assert!(kernel.contains("(n * m + 63) // 64"), "{text}");
}

#[test]
fn divisors_of_bindings_follow_these() {
    let text = multiplied("v: T.let[T.int32] = n * m", "B[x // v, y] = A[x, y]").unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| line.starts_with("v: T.let")).unwrap();
    assert!(lines[at + 1].contains("T.clz(T.Cast(\"uint32\", T.max(v, 1))"), "{text}");
    assert!(lines[at + 2].contains("T.let[T.uint32]"), "{text}");
}

#[test]
fn threads_are_few_enough_for_64_bits() {
    let kernel = "B[T.Cast(\"int64\", x * 64 + y) // T.Cast(\"int64\", m), y] = A[x, y]";
    let text = multiplied("", kernel).unwrap();
    assert!(
        text.contains("T.min(T.max(T.Cast(\"int64\", m), T.int64(1)), T.int64(2199023255552))"),
        "{text}"
    );
}

#[test]
fn what_kernels_bind_of_sizes_is_known_to_the_host() {
    let text =
        multiplied("", "v: T.let[T.int32] = m + 1\nw: T.let[T.int32] = v // 2 + 1\nB[x // w, y] = A[x, y]")
            .unwrap();
    assert!(text.contains("T.max((m + 1) // 2 + 1, 1)"), "{text}");
}

#[test]
fn what_is_not_shown_stays() {
    for kernel in [
        "B[x // d, y] = A[x, y]",
        "B[x // 7, y // 64] = A[x, y]",
        "B[(x - y) // m, y] = A[x, y]",
        "w: T.let[T.int32] = x + 1\nB[y // w, y] = A[x, y]",
        // A sum of what the caller gives may be too large, which counts only where the kernel computes it.
        "w: T.let[T.int32] = d + 1\nif w > 0:\n    B[y // w, y] = A[x, y]",
        "for i in range(1, 9):\n    B[y // i, y] = A[x, y]",
        "B[x, y] = A[x, y] / T.Cast(\"float32\", m)",
        // As many as there may be.
        "B[T.Cast(\"int64\", x) * T.int64(1025) // T.Cast(\"int64\", m), y] = A[x, y]",
    ] {
        assert_eq!(multiplied("", kernel), None, "{kernel}");
    }
    // A sign that the kernel's own conditions say is enough.
    assert!(multiplied("", "if d >= 0 and x >= y:\n    B[(x - y) // d, y] = A[x, y]").is_some());
    assert!(multiplied("for i in range(n // m):\n    A[0, 0] = B[i % m, 0]", "B[x, y] = A[x, y]").is_none());
}

#[test]
fn kernels_without_host_stay() {
    let kernel = "B[x // m, y] = A[x, y]";
    assert!(multiplied("T.func_attr({\"tirx.is_entry_func\": True})", kernel).is_some());
    assert!(multiplied("T.func_attr({\"calling_conv\": 2})", kernel).is_none());
}

/// Numbers around powers of two up to a greatest one.
fn powers(most: i64) -> impl Iterator<Item = i64> {
    (0..62).flat_map(|bit| near(1 << bit)).filter(move |value| *value <= most)
}

fn near(value: i64) -> impl Iterator<Item = i64> {
    (value - 2..=value + 2).filter(|value| *value >= 0)
}

/// Divides by all of these numbers, at the ends of what dividends can be and around multiples of the divisor.
fn divides(dtype: DType, divisors: impl Iterator<Item = i64>, most: i64) {
    let mut func = crate::parse("@T.prim_func\ndef main(A: T.Buffer((1,))):\n    A[0] = A[0]\n")
        .unwrap()
        .funcs
        .remove(0);
    let [x, d] = ["x", "d"].map(|name| func.new_var(name, Type::Prim(dtype)));
    let mut names = FreshNames::new(&func);
    let own = Reciprocal::new(&mut func, &mut names, dtype);
    let quotient = own.quotient(Expr::var(x, dtype));
    let bindings = own.bindings(&Expr::var(d, dtype));
    let mut values = vec![Value::Int(0); func.vars.len()];
    for divisor in divisors {
        values[d.index()] = Value::Int(divisor);
        for binding in &bindings {
            let StmtKind::Bind { var, value } = &binding.kind else { panic!("a binding") };
            values[var.index()] = evaluate(value, &|var| values.get(var.index()).copied()).unwrap();
        }
        if divisor == 0 {
            // The host computes something.
            continue;
        }
        let multiples = [1, 2, 3, 1_000_003, most / divisor / 2, most / divisor];
        let multiples =
            multiples.map(|times| times.saturating_mul(divisor).min(most)).into_iter().flat_map(near);
        for dividend in powers(most).chain(multiples).chain([most]).filter(|dividend| *dividend <= most) {
            values[x.index()] = Value::Int(dividend);
            let found = evaluate(&quotient, &|var| values.get(var.index()).copied());
            assert_eq!(found.and_then(|v| v.as_int()), Some(dividend / divisor), "{dividend} // {divisor}");
        }
    }
}

#[test]
fn quotients_are_right_at_all_ends() {
    let most = i64::from(i32::MAX);
    divides(DType::I32, (0..200).chain(powers(most)).chain([1_000_003, most / 3, most / 2, most]), most);
    let greatest = [1_000_003, MOST_WIDE / 3, MOST_WIDE, MOST_WIDE + 1, i64::MAX];
    divides(DType::I64, (0..200).chain(powers(i64::MAX)).chain(greatest), MOST_WIDE);
}
