//! Each program of `examples/kernels` with its result: the text that satir makes of it in both modes, and whether the
//! interpreter finds the result equal to the input.
//!
//! The expected texts are `tests/kernels/NAME.MODE.expected.py`. `BLESS=1 cargo test --test kernels` rewrites them; read
//! the diff.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use satir::cse::{self, Mode, Options, Report};
use satir::interp::{Constraints, Counts, EquivOptions, RunOptions, equiv, run_function};
use satir::ir::Module;
use satir::ir::opclass::OpClass;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A program with what its `# bind:` and `# constraints:` lines give.
struct Kernel {
    name: String,
    module: Module,
    bindings: std::collections::BTreeMap<String, i64>,
    constraints: Constraints,
}

fn kernels() -> Vec<Kernel> {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("examples/kernels"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    files.sort();
    assert!(files.len() > 20, "the example kernels are there");
    files.iter().map(|path| kernel(path)).collect()
}

fn kernel(path: &Path) -> Kernel {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.starts_with("# "), "{}: a kernel starts with a comment on what it shows", path.display());
    let binds = text.lines().find_map(|line| line.strip_prefix("# bind: ")).unwrap_or("");
    let bindings = binds
        .split(',')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect();
    let constraints = text.lines().find_map(|line| line.strip_prefix("# constraints: ")).unwrap_or("{}");
    let constraints = serde_json::from_str(constraints).unwrap();
    let module = satir::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Kernel { name: path.file_stem().unwrap().to_string_lossy().into_owned(), module, bindings, constraints }
}

const MODES: [(Mode, &str); 2] = [(Mode::Syntactic, "syntactic"), (Mode::Semantic, "semantic")];

fn optimize(kernel: &Kernel, mode: Mode) -> (Module, Report) {
    let options = Options { mode, ..Options::default() };
    cse::run(&kernel.module, &options).unwrap_or_else(|e| panic!("{}: {e}", kernel.name))
}

#[test]
fn results_are_the_expected_texts() {
    let folder = root().join("tests/kernels");
    let bless = std::env::var_os("BLESS").is_some_and(|v| v == "1");
    let mut expected_files = Vec::new();
    let mut errors = Vec::new();
    for kernel in kernels() {
        for (mode, name) in MODES {
            let text = optimize(&kernel, mode).0.to_string();
            let path = folder.join(format!("{}.{name}.expected.py", kernel.name));
            if bless {
                fs::create_dir_all(&folder).unwrap();
                fs::write(&path, &text).unwrap();
            }
            match fs::read_to_string(&path) {
                Ok(expected) if expected == text => {}
                Ok(expected) => errors.push(format!("{}:\n{}", path.display(), difference(&expected, &text))),
                Err(e) => errors.push(format!("{}: {e}", path.display())),
            }
            expected_files.push(path);
        }
    }
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if !expected_files.contains(&path) {
            errors.push(format!("{}: no kernel has this result", path.display()));
        }
    }
    assert!(errors.is_empty(), "\n{}\nBLESS=1 rewrites expected files", errors.join("\n"));
}

/// The first lines that differ.
fn difference(expected: &str, found: &str) -> String {
    let (mut a, mut b) = (expected.lines(), found.lines());
    for number in 1.. {
        match (a.next(), b.next()) {
            (None, None) => break,
            (x, y) if x == y => {}
            (x, y) => {
                return format!(
                    "  line {number}\n  expected: {}\n  found:    {}",
                    x.unwrap_or("<end>"),
                    y.unwrap_or("<end>")
                );
            }
        }
    }
    "  only line ends differ".to_owned()
}

#[test]
fn results_do_the_same() {
    for kernel in kernels() {
        for (mode, name) in MODES {
            let (result, _) = optimize(&kernel, mode);
            for fixed in [true, false] {
                let options = EquivOptions {
                    bindings: kernel.bindings.clone(),
                    fixed,
                    constraints: kernel.constraints.clone(),
                    runs: 12,
                    seed: 1,
                    tolerance: None,
                    max_steps: 10_000_000,
                    lenient_loads: false,
                };
                let found = equiv(&kernel.module, &result, &options)
                    .unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
                assert!(found.difference.is_none(), "{} {name}: {:?}", kernel.name, found.difference);
                assert!(found.compared > 0, "{}: every run is skipped: {:?}", kernel.name, found.skipped);
            }
        }
    }
}

#[test]
fn results_print_and_parse_back() {
    for kernel in kernels() {
        for (mode, name) in MODES {
            let text = optimize(&kernel, mode).0.to_string();
            let again = satir::parse(&text).unwrap_or_else(|e| panic!("{} {name}: {e}", kernel.name));
            assert_eq!(again.to_string(), text, "{} {name}", kernel.name);
        }
    }
}

#[test]
fn no_result_costs_more_than_a_simpler_method() {
    for kernel in kernels() {
        let (_, syntactic) = optimize(&kernel, Mode::Syntactic);
        let (_, semantic) = optimize(&kernel, Mode::Semantic);
        assert!(syntactic.cost_after() <= syntactic.cost_before(), "{}", kernel.name);
        assert!(semantic.cost_after() <= syntactic.cost_after(), "{}", kernel.name);
    }
}

#[test]
fn a_second_run_changes_no_cost_upward() {
    for kernel in kernels() {
        for (mode, name) in MODES {
            let (module, first) = optimize(&kernel, mode);
            let options = Options { mode, ..Options::default() };
            let (_, second) = cse::run(&module, &options).unwrap();
            assert!(second.cost_after() <= first.cost_after(), "{} {name}", kernel.name);
        }
    }
}

/// What the kernel executes, before and after in both modes.
fn executed(name: &str) -> [Counts; 3] {
    let kernel = kernel(&root().join(format!("examples/kernels/{name}.py")));
    let syntactic = optimize(&kernel, Mode::Syntactic).0;
    let semantic = optimize(&kernel, Mode::Semantic).0;
    [&kernel.module, &syntactic, &semantic].map(|module| {
        let options = RunOptions {
            bindings: kernel.bindings.clone(),
            constraints: kernel.constraints.clone(),
            seed: 0,
            tensors: Vec::new(),
            max_steps: 10_000_000,
            lenient_loads: false,
        };
        let report = run_function(&module.funcs[0], &options).unwrap();
        assert!(report.done, "{name}: {}", report.outcome);
        report.counts
    })
}

/// Executed operations of one class: in the input, in the syntactic result, in the semantic result.
#[track_caller]
fn counts(name: &str, class: OpClass, expected: [u64; 3]) {
    assert_eq!(executed(name).map(|c| c.get(class)), expected, "{name}: {}", class.name());
}

#[test]
fn what_is_shared() {
    // One product and sum per iteration instead of 32.
    counts("unrolled_copy", OpClass::MulPow2, [256 * 64, 512, 16 + 256]);
    // Loads and calls are beyond syntactic sharing, as in TVM.
    counts("load_repeated", OpClass::Load, [2, 2, 1]);
    counts("pure_calls", OpClass::Transcendental, [2, 2, 1]);
    counts("pure_calls", OpClass::Load, [4, 4, 2]);
    // A vector of 64 lanes counts as 8 operations.
    counts("vector_quotient", OpClass::DivPow2, [64, 8, 8]);
    counts("division_in_loop_that_may_be_empty", OpClass::DivVar, [0, 0, 0]);
}

#[test]
fn what_is_not_shared() {
    counts("store_between_loads", OpClass::Load, [2, 2, 2]);
    counts("load_repeated_may_alias", OpClass::Load, [2, 2, 2]);
    counts("opaque_calls", OpClass::Call, [2, 2, 2]);
    counts("float_sums_are_not_reordered", OpClass::FloatArith, [6, 6, 5]);
}

#[test]
fn strides_are_computed_where_they_vary() {
    let [_, _, semantic] = executed("strided_copy_3d");
    let (ni, nj, nk) = (3, 4, 5);
    let products = semantic.get(OpClass::Mul);
    let sums = semantic.get(OpClass::AddSub);
    assert!(products <= 1 + ni + ni * nj, "{products} products");
    assert!(sums <= ni * nj + ni * nj * nk, "{sums} sums");
}
