//! What becomes of divisions in kernels, and that the quotients are right at the ends of all ranges.

use super::*;
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
fn what_is_not_shown_stays() {
    for kernel in [
        "B[x // d, y] = A[x, y]",
        "B[x // 7, y // 64] = A[x, y]",
        "B[(x - y) // m, y] = A[x, y]",
        "w: T.let[T.int32] = x + 1\nB[y // w, y] = A[x, y]",
        "for i in range(1, 9):\n    B[y // i, y] = A[x, y]",
        "B[x, y] = A[x, y] / T.Cast(\"float32\", m)",
        "B[T.Cast(\"int64\", x) // T.Cast(\"int64\", m), y] = A[x, y]",
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

#[test]
fn quotients_are_right_at_all_ends() {
    let (x, d) = (VarId(0), VarId(1));
    let own = Reciprocal { shift: VarId(2), multiplier: VarId(3) };
    let quotient = own.quotient(Expr::var(x, DType::I32));
    let bindings = own.bindings(&Expr::var(d, DType::I32));
    let most = i64::from(i32::MAX);
    let near = |value: i64| (value - 2..=value + 2).filter(|v| (0..=most).contains(v));
    let powers = || (0..=31).flat_map(|bit| near(1 << bit));
    let divisors: Vec<i64> = (0..200).chain(powers()).chain([1_000_003, most / 3, most / 2, most]).collect();
    for divisor in divisors {
        let mut values = [Value::Int(0), Value::Int(divisor), Value::Int(0), Value::Int(0)];
        for binding in &bindings {
            let StmtKind::Bind { var, value } = &binding.kind else { panic!("a binding") };
            values[var.index()] = evaluate(value, &|var| values.get(var.index()).copied()).unwrap();
        }
        if divisor == 0 {
            continue;
        }
        let multiples =
            [1, 2, 3, most / divisor / 2, most / divisor].map(|times| times.saturating_mul(divisor));
        for dividend in powers().chain(multiples.into_iter().flat_map(near)) {
            values[x.index()] = Value::Int(dividend);
            let found = evaluate(&quotient, &|var| values.get(var.index()).copied());
            assert_eq!(found.and_then(|v| v.as_int()), Some(dividend / divisor), "{dividend} // {divisor}");
        }
    }
}
