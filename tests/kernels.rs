//! Each program of `examples/kernels` with its result: the text that satir makes of it in both modes and by
//! simplification alone, and whether the interpreter finds the result equal to the input.
//!
//! The expected texts are `tests/kernels/NAME.METHOD.expected.py`. `BLESS=1 cargo test --test kernels` rewrites them; read
//! the diff.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use satir::cost::{Bindings, Cost, Profile, cost_of_func};
use satir::cse::Options;
use satir::interp::{
    Bindings as Values, Constraints, Counts, EquivOptions, RunOptions, bindable, constrains, equiv,
    run_function,
};
use satir::ir::Module;
use satir::ir::opclass::OpClass;
use satir::passes;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A program with what its `# bind:` and `# constraints:` lines give.
struct Kernel {
    name: String,
    module: Module,
    bindings: Values,
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
    let module = satir::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (bindings, constraints) =
        pragmas(&text, &module).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Kernel { name: path.file_stem().unwrap().to_string_lossy().into_owned(), module, bindings, constraints }
}

/// What the comments `# bind: …` and `# constraints: …` of a program say. A comment that looks like one of them and is not,
/// or that is about a name that the program does not have, is a mistake: it would have no effect.
fn pragmas(text: &str, module: &Module) -> Result<(Values, Constraints), String> {
    let (mut bindings, mut constraints) = (Values::new(), Constraints::new());
    for line in text.lines().filter(|line| line.trim_start().starts_with('#')) {
        if let Some(given) = line.strip_prefix("# bind: ") {
            for part in given.split(',') {
                let pair = part.split_once('=').and_then(|(name, n)| Some((name, n.parse().ok()?)));
                let (name, value) = pair.ok_or_else(|| format!("`{line}`: `{part}` is no `name=value`"))?;
                if !module.funcs.iter().any(|func| bindable(func).contains(name)) {
                    return Err(format!("`{line}`: there is no `{name}`"));
                }
                if bindings.insert(name.to_owned(), value).is_some() {
                    return Err(format!("`{line}`: `{name}` is given twice"));
                }
            }
        } else if let Some(given) = line.strip_prefix("# constraints: ") {
            constraints = serde_json::from_str(given).map_err(|e| format!("`{line}`: {e}"))?;
        } else {
            let comment = line.trim_start().trim_start_matches('#').trim_start();
            let word = comment.find(|c: char| !c.is_alphanumeric()).unwrap_or(comment.len());
            let rest = comment[word..].trim_start();
            let assigns = rest.split(',').all(|part| {
                part.trim().split_once('=').is_some_and(|(_, value)| value.trim().parse::<i64>().is_ok())
            });
            if word > 0 && rest.starts_with(':') || assigns {
                return Err(format!("`{line}`: expected `# bind: …`, `# constraints: …`, or prose"));
            }
        }
    }
    for name in constraints.keys() {
        if !module.funcs.iter().any(|func| constrains(func, &constraints, name)) {
            return Err(format!("constraints: there is no buffer `{name}`"));
        }
    }
    Ok((bindings, constraints))
}

#[test]
fn misspelt_comments_are_mistakes() {
    let text = fs::read_to_string(root().join("examples/kernels/assumption_on_buffer.py")).unwrap();
    let module = satir::parse(&text).unwrap();
    let (bindings, constraints) = pragmas(&text, &module).unwrap();
    assert_eq!((bindings["v"], constraints.len()), (9, 1));
    for (right, wrong) in [
        ("# bind: v=9", "# binds: v=9"),
        ("# bind: v=9", "#bind: v=9"),
        ("# bind: v=9", "# Bind: v=9"),
        ("# bind: v=9", "# bind : v=9"),
        ("# bind: v=9", "# bind v=9"),
        ("# bind: v=9", "# bind: w=9"),
        ("# bind: v=9", "# bind: v=9,v=8"),
        ("# bind: v=9", "# bind: v"),
        ("# constraints: {\"B\"", "# constraint: {\"B\""),
        ("# constraints: {\"B\"", "# constraints: {\"C\""),
        ("\"kind\": \"values\"", "\"kind\": \"values\", \"low\": 1"),
    ] {
        let spoilt = text.replacen(right, wrong, 1);
        assert_ne!(spoilt, text, "{right}");
        assert!(pragmas(&spoilt, &module).is_err(), "{wrong}");
    }
}

/// What is done to each kernel: the pass, and the part of the expected file's name.
const METHODS: [(&str, &str); 5] = [
    ("syntactic-cse", "syntactic"),
    ("semantic-cse", "semantic"),
    ("simplify", "simplify"),
    ("loops", "loops"),
    ("semantic-cse,multiply-reciprocals", "reciprocals"),
];

/// Whether a kernel does not show what a method does, so that no text is expected of it.
fn shows_nothing(kernel: &Kernel, method: &str, result: &Module) -> bool {
    match method {
        "loops" => *result == kernel.module,
        "reciprocals" => *result == apply(&kernel.name, &kernel.module, "semantic-cse"),
        _ => false,
    }
}

/// What the pass makes of a module; verified.
fn apply(name: &str, module: &Module, pass: &str) -> Module {
    let passes = passes::select(pass).unwrap();
    passes::run(module, &passes, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn cost(module: &Module) -> Cost {
    let of = |func| cost_of_func(func, &Profile::default(), &Bindings::new()).total;
    module.funcs.iter().map(of).fold(Cost::ZERO, |sum, c| sum + c)
}

#[test]
fn results_are_the_expected_texts() {
    let folder = root().join("tests/kernels");
    let bless = std::env::var_os("BLESS").is_some_and(|v| v == "1");
    let mut expected_files = Vec::new();
    let mut errors = Vec::new();
    for kernel in kernels() {
        for (pass, name) in METHODS {
            let result = apply(&kernel.name, &kernel.module, pass);
            if shows_nothing(&kernel, name, &result) {
                continue;
            }
            let text = result.to_string();
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
        for (pass, name) in METHODS {
            let result = apply(&kernel.name, &kernel.module, pass);
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
                    no_new_loads: true,
                    accessed_only: true,
                    layouts: Vec::new(),
                    limits_everywhere: false,
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
        for (pass, name) in METHODS {
            let text = apply(&kernel.name, &kernel.module, pass).to_string();
            let again = satir::parse(&text).unwrap_or_else(|e| panic!("{} {name}: {e}", kernel.name));
            assert_eq!(again.to_string(), text, "{} {name}", kernel.name);
        }
    }
}

#[test]
fn no_result_costs_more_than_a_simpler_method() {
    for kernel in kernels() {
        let [syntactic, semantic, simplified, ..] =
            METHODS.map(|(pass, _)| cost(&apply(&kernel.name, &kernel.module, pass)));
        assert!(syntactic <= cost(&kernel.module), "{}", kernel.name);
        assert!(simplified <= cost(&kernel.module), "{}", kernel.name);
        assert!(semantic <= syntactic, "{}", kernel.name);
        assert!(semantic <= simplified, "{}", kernel.name);
    }
}

#[test]
fn a_second_run_raises_no_cost() {
    for kernel in kernels() {
        for (pass, name) in METHODS {
            let once = apply(&kernel.name, &kernel.module, pass);
            let twice = apply(&kernel.name, &once, pass);
            assert!(cost(&twice) <= cost(&once), "{} {name}", kernel.name);
        }
    }
}

/// What the kernel executes, before and after in both modes.
fn executed(name: &str) -> [Counts; 3] {
    let kernel = kernel(&root().join(format!("examples/kernels/{name}.py")));
    let syntactic = apply(name, &kernel.module, "syntactic-cse");
    let semantic = apply(name, &kernel.module, "semantic-cse");
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
