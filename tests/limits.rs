//! Limits and faults: budgets that end a search, programs of unusual size and form, runs that are cancelled, full disks.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use satir::cse::{self, Budgets, Limit, Options};
use satir::fuzz::{self, Thoroughness};
use satir::ir::Module;

/// Programs nest deep; the threads of tests have small stacks.
const STACK: usize = 512 << 20;

fn with_stack(f: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(f).unwrap().join().unwrap();
}

fn parse(text: &str) -> Module {
    satir::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

/// A function with this body over buffers of `int32` and `int64`, and sizes.
fn function(body: &str) -> String {
    let mut text =
        "@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int64\"), \
                    n: T.int32, m: T.int32, q: T.int64):\n"
            .to_owned();
    for line in body.lines() {
        writeln!(text, "    {line}").unwrap();
    }
    text
}

/// Everything that must hold of any program and of what the passes make of it.
#[track_caller]
fn holds(text: &str) {
    let module = parse(text);
    let how =
        Thoroughness { runs: 4, max_steps: 2_000_000, full: false, loops: true, only: None, padding: false };
    if let Err(finding) = fuzz::check(&module, &fuzz::compare_options(&module, 1), how) {
        panic!("{finding:?}");
    }
}

#[test]
fn a_search_that_ends_at_a_limit_has_a_valid_result() {
    with_stack(|| {
        let starved = [
            Budgets { nodes: 1, ..Budgets::DEFAULT },
            Budgets { nodes: 100, ..Budgets::DEFAULT },
            Budgets { time: Some(Duration::ZERO), ..Budgets::DEFAULT },
            Budgets { time: Some(Duration::from_micros(300)), ..Budgets::DEFAULT },
        ];
        for entry in fs::read_dir("examples/kernels").unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            let module = parse(&text);
            for budgets in starved {
                let options = Options { budgets, ..Options::default() };
                let (out, report) = cse::run(&module, &options).unwrap();
                assert!(report.cost_after() <= report.cost_before(), "{budgets:?}\n{out}");
                let same = satir::interp::equiv(&module, &out, &fuzz::compare_options(&module, 0)).unwrap();
                assert!(same.difference.is_none(), "{budgets:?}: {:?}\n{out}", same.difference);
                let timed = report.functions.iter().all(|f| f.limits_hit.contains(&Limit::Time));
                assert!(timed || budgets.time != Some(Duration::ZERO), "no limit was reported");
            }
        }
    });
}

/// The module, optimized in windows that hold a statement or two.
fn windowed(module: &Module) -> Module {
    let budgets = Budgets { window: 12, ..Budgets::DEFAULT };
    cse::run(module, &Options { budgets, ..Options::default() }).unwrap().0
}

/// The function, optimized in windows; it must do the same.
fn in_windows(text: &str) -> String {
    let module = parse(text);
    let out = windowed(&module);
    let same = satir::interp::equiv(&module, &out, &fuzz::compare_options(&module, 0)).unwrap();
    assert!(same.difference.is_none() && same.compared > 0, "{:?}\n{out}", same.difference);
    out.to_string()
}

#[test]
fn what_several_windows_bind_is_bound_once() {
    with_stack(|| {
        let body = (0..9).fold("for i in range(n * m + 1):\n".to_owned(), |mut body, k| {
            let product = ["i * n * m", "n * i * m", "m * (n * i)"][k % 3];
            writeln!(body, "    A[T.min({product} + {k}, 63)] = T.max({product}, {k})").unwrap();
            body
        });
        let out = in_windows(&function(&body));
        let bindings: Vec<&str> = out.lines().filter(|line| line.contains("T.let")).map(str::trim).collect();
        let [outside, inside] = bindings[..] else { panic!("two bindings\n{out}") };
        assert!(outside.ends_with("= n * m") && inside.ends_with("* i"), "{out}");
    });
}

#[test]
fn windows_keep_the_order_of_reads_and_writes() {
    with_stack(|| {
        // Each statement reads what another window writes, in a row, under a condition and in the next iteration.
        let out = in_windows(&function(
            "for i in range(9):
    A[0] = (A[1] * 3 + A[2] // T.max(n, 1)) % 97
    A[1] = (A[0] * 3 + A[2] // T.max(n, 1)) % 97
    A[2] = (A[1] * 3 + A[0] // T.max(n, 1)) % 97
    if A[0] < A[1]:
        A[0] = (A[1] * 3 + A[3] * i) % 97
        A[3] = (A[0] * 3 + A[1] * i) % 97
    else:
        A[1] = (A[0] * 3 + A[3] * i) % 97
    v: T.let[T.int32] = i * 4 + m * 0
    for j in range(4):
        A[v + j] = (A[v + j + 1] * 3 + A[j] * i) % 97
        if A[j] < 50:
            A[v + j + 2] = (A[v + j] * 3 + A[j] * i) % 97
    for j in range(4):
        A[v + j] = (A[v + j + 3] * 3 + A[j] * i) % 97
    A[4] = (A[1] * 3 + A[3] * i + A[0]) % 97
    B[i] = (B[i] + B[i + 1] * 5) % 97
    B[i + 1] = (B[i] + B[i + 1] * 5) % 97
    A[2] = (A[0] + A[1] + A[2] + A[3]) % 97",
        ));
        assert!(out.contains("T.max(n, 1)\n        for i in range(9):"), "hoisted by some window\n{out}");
    });
}

#[test]
fn what_acts_and_what_it_may_write_stays_between_windows() {
    let module = parse(&function(
        "A[0] = A[n] * 3 + A[n + 1]
A[1] = A[n] * 3 + A[n + 1]
A[2] = A[n] * 3 + A[n + 1]
T.evaluate(T.call_extern(\"int32\", \"f\", n * 3 + 1))
A[3] = A[n] * 3 + A[n + 1]
T.evaluate(T.call_extern(\"int32\", \"f\", n * 3 + 2))
A[4] = A[n] * 3 + A[n + 1]",
    ));
    let text = windowed(&module).to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let calls: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].contains("call_extern")).collect();
    let stores = |k: &str| lines.iter().position(|line| line.starts_with(k)).unwrap();
    assert!(stores("A[2]") < calls[0] && calls[0] < stores("A[3]"), "{text}");
    assert!(stores("A[3]") < calls[1] && calls[1] < stores("A[4]"), "{text}");
    let reads = |range: std::ops::Range<usize>| lines[range].iter().any(|line| line.contains("A[n]"));
    assert!(reads(calls[0]..calls[1]) && reads(calls[1]..lines.len()), "a call may write\n{text}");
}

#[test]
fn bindings_that_double_in_length_are_not_written_out() {
    with_stack(|| {
        let mut body = "v0: T.let[T.int32] = n\n".to_owned();
        for k in 1..99 {
            writeln!(body, "v{k}: T.let[T.int32] = T.min(v{j}, m) + T.max(v{j}, m)", j = k - 1).unwrap();
        }
        for k in 0..9 {
            writeln!(body, "A[{k}] = n // 3 + {k}").unwrap();
        }
        in_windows(&function(&body));
    });
}

#[test]
fn long_chains_of_minima_come_to_an_end() {
    with_stack(|| {
        let params: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
        let chain = params[1..].iter().enumerate().fold(params[0].clone(), |chain, (i, x)| {
            if i % 3 == 0 {
                format!("T.min({x} // 6, {chain})")
            } else {
                format!("T.min({chain}, {x} + {i})")
            }
        });
        let typed: Vec<String> = params.iter().map(|x| format!("{x}: T.int32")).collect();
        let text = format!(
            "@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((64,), \"int32\"), {}):\n    A[0] = {chain}\n",
            typed.join(", ")
        );
        let stats =
            satir::eqsat::optimize(&parse(&text).funcs[0], &Options::default().search()).unwrap().stats;
        assert!(stats.nodes < 2 * stats.input_nodes, "{stats:?}");
    });
}

#[test]
fn constants_at_the_ends_of_their_types_fold_to_what_they_are_or_stay() {
    let (min, max) = (i64::MIN, i64::MAX);
    holds(&function(&format!(
        "B[0] = T.int64({max}) - q + q\n\
         B[1] = T.int64({min}) + T.int64(1)\n\
         B[2] = T.max(T.int64({min}), q * T.int64({max} // 2))\n\
         B[3] = T.min(q, T.int64({max})) // T.int64({max})\n\
         B[4] = T.int64({min}) // T.int64(2) * T.int64(2)\n\
         if q < T.int64({max}):\n    B[5] = q + T.int64(1)\n\
         A[0] = T.Select(n < 2147483647, 2147483647, -2147483648)\n\
         A[1] = T.min(n + 2147483000, 2147483647) // 2147483647\n\
         if n * 65536 < 2147483647:\n    A[2] = n"
    )));
    for body in [
        format!("B[0] = T.int64({max}) + T.int64(1)"),
        format!("B[0] = T.int64({min}) * T.int64(-1) + q"),
        format!("B[0] = T.Div(T.int64({min}), T.int64(-1)) + T.truncmod(T.int64({min}), T.int64(-1))"),
        format!("B[0] = (q + T.int64({max})) * T.int64({max}) * T.int64({max}) // T.int64({max})"),
        "A[0] = 2147483647 * 2147483647 + 2147483647".to_owned(),
        "A[0] = T.shift_left(1, 31) + T.shift_left(n, 40)".to_owned(),
        format!("for i in range(T.int64({max})):\n    if i > T.int64({max} - 1):\n        B[0] = i"),
        format!("for i in range(T.int64({min}), T.int64({min}) + T.int64(2)):\n    B[0] = i - T.int64(1)"),
    ] {
        // What overflows has no meaning, so that nothing is compared; but it is not the end of satir.
        let Ok(module) = satir::parse(&function(&body)) else { continue };
        cse::run(&module, &Options::default()).unwrap();
    }
}

#[test]
fn deep_programs_are_optimized_or_refused() {
    with_stack(|| {
        for depth in [100, 450, 900] {
            let sum = format!("A[0] = {}n{}", "(".repeat(depth), " + 1)".repeat(depth));
            let calls = format!("A[0] = {}n{}", "T.max(m, ".repeat(depth), ")".repeat(depth));
            let choices =
                format!("A[0] = {}n{}", "T.if_then_else(n < m, m, ".repeat(depth), ")".repeat(depth));
            for body in [sum, calls, choices] {
                let Ok(module) = satir::parse(&function(&body)) else { continue };
                let (out, _) = cse::run(&module, &Options::default()).unwrap();
                let same = satir::interp::equiv(&module, &out, &fuzz::compare_options(&module, 0)).unwrap();
                assert!(same.difference.is_none(), "{:?}", same.difference);
            }
        }
        let mut nested = String::new();
        for level in 0..90 {
            writeln!(nested, "{}if n > {level}:", "    ".repeat(level)).unwrap();
        }
        write!(nested, "{}A[0] = n + 1", "    ".repeat(90)).unwrap();
        holds(&function(&nested));
    });
}

#[test]
fn nested_expressions_that_repeat_an_operand_are_refused_before_they_fill_the_memory() {
    let infinite = ("T.Cast(\"int32\", T.isinf(T.Cast(\"float32\", ", ")))");
    let chain = ("T.Cast(\"int32\", 0 < ", " < m)");
    for (call, end) in [("T.abs(", ")"), ("T.ceildiv(m, ", ")"), infinite, chain] {
        let text = |levels| function(&format!("A[0] = {}n{}", call.repeat(levels), end.repeat(levels)));
        parse(&text(6));
        let error = satir::parse(&text(60)).unwrap_err().to_string();
        assert!(error.contains("repeats an operand"), "{error}");
    }
}

#[test]
fn ten_thousand_bindings_and_a_thousand_buffers() {
    with_stack(|| {
        let mut body = String::new();
        for i in 0..10_000 {
            writeln!(body, "v{i}: T.let[T.int32] = n + {}", i % 100).unwrap();
        }
        body.push_str("A[0] = v17 + v9999");
        let module = parse(&function(&body));
        let (out, _) = cse::run(&module, &Options::default()).unwrap();
        let same = satir::interp::equiv(&module, &out, &fuzz::compare_options(&module, 0)).unwrap();
        assert!(same.difference.is_none(), "{:?}", same.difference);

        let params: Vec<String> = (0..1000).map(|i| format!("A{i}: T.Buffer((4,), \"int32\")")).collect();
        let mut text = format!("@T.prim_func(s_tir=True)\ndef main({}, n: T.int32):\n", params.join(", "));
        for i in 0..1000 {
            writeln!(text, "    A{i}[n % 4] = A{}[n % 4] + n * 3", (i + 7) % 1000).unwrap();
        }
        let module = parse(&text);
        let (out, report) = cse::run(&module, &Options::default()).unwrap();
        assert!(report.cost_after() < report.cost_before());
        let same = satir::interp::equiv(&module, &out, &fuzz::compare_options(&module, 0)).unwrap();
        assert!(same.difference.is_none(), "{:?}", same.difference);
    });
}

#[test]
fn functions_without_statements_and_names_that_are_taken() {
    holds("@T.prim_func(s_tir=True)\ndef main():\n    pass");
    holds(&function("pass"));
    holds(&function("for i in range(0):\n    pass\nif n < m:\n    pass"));
    let taken = "cse_v1: T.let[T.int32] = n * 7 + m\n\
                 cse_v: T.let[T.int32] = n * 7 + m + 1\n\
                 A[0] = (n * 7 + m) * (n * 7 + m)\n\
                 for cse_v2 in range(4):\n    cse_v3: T.let[T.int32] = cse_v2 * n * 5\n    A[cse_v2] = cse_v3 + cse_v2 * n * 5 + cse_v1\n\
                 for cse_v2 in range(4):\n    A[cse_v2] = cse_v2 * n * 5 + cse_v";
    holds(&function(taken));
}

#[test]
fn names_that_stand_for_several_things_keep_them_apart_or_are_refused() {
    holds(&function(
        "B = T.alloc_buffer((4,), \"int32\")\nfor i in range(4):\n    B[i] = n * i\n\
         for i in range(4):\n    i_1: T.let[T.int32] = n * i\n    A[i] = B[i] + i_1\n    \
         for i in range(2):\n        A[i + 32] = n * i + i\n\
         B = T.alloc_buffer((8,), \"int32\")\nfor i in range(8):\n    B[i] = n * i\n    A[i + 16] = B[i] + n * i",
    ));
    for (text, name) in [
        ("@T.prim_func(s_tir=True)\ndef main(n: T.int32, n: T.int32):\n    pass\n", "n"),
        (
            "@I.ir_module\nclass Module:\n    @T.prim_func(s_tir=True)\n    def main(n: T.int32):\n        pass\n    \
             @T.prim_func(s_tir=True)\n    def main(m: T.int32):\n        pass\n",
            "main",
        ),
    ] {
        let message = satir::parse(text).unwrap_err().to_string();
        assert!(message.contains(&format!("`{name}` is defined twice")), "{message}");
    }
}

#[test]
fn validation_refuses_a_wrong_result_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (program, target) = (folder.path().join("in.py"), folder.path().join("out.py"));
    let text = "@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((64,), \"int8\"), B: T.Buffer((64,), \"int8\"), \
                C: T.Buffer((64,), \"bool\")):\n    for i in range(64):\n        C[i] = A[i] + A[0] < B[i] + A[0]\n";
    fs::write(&program, text).unwrap();
    fs::write(&target, "old").unwrap();
    let run = |extra: &[&str]| {
        let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules/wrong.rules");
        Command::new(env!("CARGO_BIN_EXE_satir"))
            .args(["cse", program.to_str().unwrap(), "-o", target.to_str().unwrap()])
            .args(["--unchecked", "--rules", rules.to_str().unwrap()])
            .args(extra)
            .output()
            .unwrap()
    };
    let refused = run(&["--validate"]);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{message}");
    assert!(
        message.contains("--validate refuses the result") && message.contains("please report"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(&target).unwrap(), "old");
    // The rule does apply: without validation the wrong program is written.
    assert!(run(&[]).status.success());
    assert!(!fs::read_to_string(&target).unwrap().contains("A[0]"));
}

#[test]
fn validation_lets_right_results_pass() {
    let folder = tempfile::tempdir().unwrap();
    for pass in [&["cse"][..], &["simplify"], &["opt", "--passes", "simplify,syntactic-cse"]] {
        let out = Command::new(env!("CARGO_BIN_EXE_satir"))
            .args(pass)
            .args(["--validate", "examples/kernels", "-o", folder.path().to_str().unwrap()])
            .output()
            .unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
}

/// A program that takes a while.
fn long_program() -> String {
    let mut body = String::new();
    for i in 0..400 {
        writeln!(body, "A[n % 64] = (n * {i} + m * {}) // (m * m + {i}) + A[(m + {i}) % 64]", i * 7 % 31)
            .unwrap();
    }
    function(&body)
}

#[test]
#[cfg(unix)]
fn a_run_that_is_cancelled_leaves_the_old_file_or_the_whole_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let (program, target) = (folder.path().join("in.py"), folder.path().join("out.py"));
    fs::write(&program, long_program()).unwrap();
    for (signal, wait) in [("TERM", 0), ("INT", 30), ("TERM", 100), ("KILL", 300), ("INT", 1000)] {
        fs::write(&target, "old").unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_satir"))
            .args(["cse", program.to_str().unwrap(), "-o", target.to_str().unwrap()])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        sent.unwrap();
        child.wait().unwrap();
        let left = fs::read_to_string(&target).unwrap();
        assert!(left == "old" || satir::parse(&left).is_ok(), "{signal} after {wait} ms left:\n{left}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (program, target) = (folder.path().join("in.py"), folder.path().join("out.py"));
    let lines: String = (0..200).map(|i| format!("A[{}] = n\n", i % 64)).collect();
    fs::write(&program, function(&lines)).unwrap();
    fs::write(&target, "old").unwrap();
    // A limit on the size of files, in blocks: writing more fails as on a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec {} opt --passes '' {} -o {}",
        env!("CARGO_BIN_EXE_satir"),
        program.display(),
        target.display()
    );
    let out = Command::new("sh").args(["-c", &script]).output().unwrap();
    let message = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(1), "{message}");
    assert!(message.contains("cannot write"), "{message}");
    assert_eq!(fs::read_to_string(&target).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    let full = Command::new(env!("CARGO_BIN_EXE_satir"))
        .args(["opt", "--passes", "", program.to_str().unwrap(), "-o", "/dev/full"])
        .output()
        .unwrap();
    assert_eq!(full.status.code(), Some(1));
}

/// The body that `link` makes of each number, with the names of the links before and after it.
fn chain(length: usize, link: impl Fn(usize, &str, &str, &str, &str) -> String) -> String {
    let mut body = String::new();
    let name = |letter: char, i: usize| {
        if i == 0 { ['n', 'm'][usize::from(letter == 'y')].into() } else { format!("{letter}{i}") }
    };
    for i in 0..length {
        let [x, y] = ['x', 'y'].map(|letter| name(letter, i));
        let [next_x, next_y] = ['x', 'y'].map(|letter| name(letter, i + 1));
        writeln!(body, "{}", link(i, &x, &y, &next_x, &next_y)).unwrap();
    }
    writeln!(body, "A[0] = x{length}").unwrap();
    function(&body)
}

/// What a chain of this length becomes.
fn chained(length: usize, link: impl Fn(usize, &str, &str, &str, &str) -> String) -> String {
    let module = parse(&chain(length, link));
    let (result, report) = cse::run(&module, &Options::default()).unwrap();
    let report = &report.functions[0];
    assert_eq!(report.gave_up, None);
    let search = report.search.as_ref().expect("the graph has a result");
    let (input_nodes, nodes) = (search.input_nodes, search.nodes);
    assert!(nodes <= 24 * input_nodes + 10_000, "{nodes} nodes from {input_nodes}");
    result.to_string()
}

type Link = fn(usize, &str, &str, &str, &str) -> String;

const LINKS: [Link; 8] = [
    |i, x, _, u, _| format!("{u}: T.let[T.int32] = T.if_then_else({x} > {i}, {x} + {i}, {x} * 2)"),
    |i, x, y, u, v| {
        let c = 3 + i % 5;
        format!("{u}: T.let[T.int32] = ({x} + {y}) // {c}\n{v}: T.let[T.int32] = ({x} * 3 + {y}) % {c}")
    },
    |i, x, y, u, v| {
        let c = 3 + i % 7;
        format!("{u}: T.let[T.int32] = ({x} + {y}) // {c}\n{v}: T.let[T.int32] = ({u} * 3 + {y}) % {c}")
    },
    |i, x, _, u, _| {
        let (c, d) = (5 + i % 9, 3 + i % 4);
        format!(
            "{u}: T.let[T.int32] = T.Cast(\"int32\", T.Cast(\"int64\", {x} + m) % T.int64({c})) + {x} % {d}"
        )
    },
    |i, x, _, u, _| {
        let (c, d) = (3 + i % 7, 5 + i % 3);
        format!("{u}: T.let[T.int32] = T.max({x} % {c}, m - {x}) + {x} % {d}")
    },
    |_, x, _, u, _| format!("{u}: T.let[T.int32] = {x} * {x} + {x}"),
    |_, x, _, u, _| format!("{u}: T.let[T.int32] = T.max({x}, m) // 2"),
    |_, x, _, u, _| format!("{u}: T.let[T.int32] = {x} * 3 + m"),
];

#[test]
fn threads_of_callers_need_no_large_stacks() {
    // Neither this thread nor those of the pool that optimizes several functions at a time have one.
    let nested = format!("A[0] = {}n{}", "T.max(m, ".repeat(900), ")".repeat(900));
    let one = function(&nested);
    let two = one.replace("def main", "def other") + one.trim_start_matches(|c| c != '@');
    for text in [&one, &two] {
        let module = satir::parse(text).unwrap();
        let (out, report) = cse::run(&module, &Options::default()).unwrap();
        assert!(report.cost_after() < report.cost_before());
        let same = satir::interp::equiv(&module, &out, &fuzz::compare_options(&module, 0)).unwrap();
        assert!(same.difference.is_none(), "{:?}", same.difference);
    }
}

#[test]
fn chains_of_bindings_take_graphs_in_proportion_and_have_a_result() {
    with_stack(|| {
        for link in LINKS {
            for length in [10, 40, 160] {
                assert_eq!(
                    chained(length, link),
                    chained(length, link),
                    "the same input has the same result"
                );
            }
        }
    });
}

#[test]
fn chains_that_are_used_once_stay_no_deeper_than_programs_may_be() {
    with_stack(|| {
        for link in &LINKS[6..] {
            let text = chained(1500, link);
            // The links are written into each other, but for some that are kept.
            let lets = text.matches("T.let[").count();
            assert!((1..20).contains(&lets), "{lets}");
            parse(&text);
        }
    });
}

#[test]
fn a_shift_of_which_nothing_is_left_is_no_reason_to_give_up() {
    let text = "@T.prim_func\ndef main(A: T.Buffer((4,), \"uint64\"), x: T.uint64, u: T.uint64):\n    \
                A[0] = T.shift_left(T.uint64(1) + (u - u), T.uint64(63)) + x\n    A[1] = x * x\n    A[2] = x * x\n";
    let (result, report) = cse::run(&parse(text), &Options::default()).unwrap();
    assert!(report.functions[0].gave_up.is_none() && report.functions[0].search.is_some());
    assert!(result.to_string().contains("T.let[T.uint64] = x * x"), "{result}");
}
