//! Runs the example programs: each checks what it shows.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    reason = "the modules are programs elsewhere; tests may panic"
)]

macro_rules! run {
    ($($name:ident $path:literal)*) => {
        $(
            #[path = $path]
            mod $name;

            #[test]
            fn $name() {
                $name::main().unwrap();
            }
        )*

        /// The programs that are run here.
        const RUN: &[&str] = &[$(stringify!($name)),*];
    };
}

run! {
    ac_by_brute_force "../examples/ac_by_brute_force.rs"
    batch "../examples/batch.rs"
    build_function "../examples/build_function.rs"
    custom_cost "../examples/custom_cost.rs"
    explain "../examples/explain.rs"
    own_pass "../examples/own_pass.rs"
    own_rules "../examples/own_rules.rs"
    own_target "../examples/own_target.rs"
    prove_check "../examples/prove_check.rs"
    quickstart "../examples/quickstart.rs"
    rule_sets "../examples/rule_sets.rs"
}

/// Programs of the checks that ask the real TVM, which run them.
const TOOLS: &[&str] = &["roundtrip", "static_cost"];

#[test]
fn every_example_is_run_and_explained() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let tutorial = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".rs").filter(|name| !TOOLS.contains(name)) else { continue };
        assert!(RUN.contains(&name), "{file} is not run");
        assert!(tutorial.contains(&format!("[`{file}`]({file})")), "the tutorial does not name {file}");
    }
}
