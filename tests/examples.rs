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
    };
}

run! {
    ac_by_brute_force "../examples/ac_by_brute_force.rs"
    batch "../examples/batch.rs"
    build_function "../examples/build_function.rs"
    custom_cost "../examples/custom_cost.rs"
    explain "../examples/explain.rs"
    own_rules "../examples/own_rules.rs"
    prove_check "../examples/prove_check.rs"
    quickstart "../examples/quickstart.rs"
    rule_sets "../examples/rule_sets.rs"
}
