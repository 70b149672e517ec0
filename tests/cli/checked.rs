//! Rules from files: checked before they are used, all that are on are used, and what is not used is said.

use std::fs;

use super::{path, satir, satir_on, with_body};

/// `(floordiv ?x 4) * 4` loses the rest.
const WRONG: &str = "(rule sound \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))\n\
                     (rule wrong \"loses the rest\" (types index) (=> (mul (floordiv ?x 4) 4) ?x))\n";

const DIVIDES: &str = "A[0] = x // 4 * 4";

#[test]
fn a_wrong_rule_is_refused_wherever_it_is_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let (rules, program) = (dir.path().join("unsound.rules"), dir.path().join("p.py"));
    fs::write(&rules, WRONG).unwrap();
    fs::write(&program, with_body(DIVIDES)).unwrap();
    let (rules, program) = (path(&rules), path(&program));
    let default = format!("default,{rules}");
    for args in [
        &["cse", program, "--rules", rules][..],
        &["simplify", program, "--rules", rules],
        &["opt", "--passes", "simplify", program, "--rules", rules],
        &["expr", "x // 4 * 4", "--rules", rules],
        &["rules", "stats", program, "--rules", rules],
        &["rules", "ablate", program, "--rules", rules],
        &["rules", "compare", "default", &default, program],
        &["rules", "export", "egg", "--rules", rules],
    ] {
        let ran = satir(args).fails_cleanly();
        ran.says(&["error: rule `wrong` (", "unsound.rules:2) is wrong for index", "?x = ", "--unchecked"]);
    }
    // Switched off it does no harm.
    satir(&["cse", program, "--rules", rules, "--off", "wrong"]).code(0);
    let ran = satir(&["expr", "x // 4 * 4", "--rules", rules, "--unchecked"]).code(0);
    assert_eq!(ran.out, "x\n", "used as it is");
}

#[test]
fn a_rule_that_cannot_be_checked_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let rules = dir.path().join("never.rules");
    fs::write(&rules, "(rule never \"no x is\" (types index) (=> (add ?x 1) ?x) (if (lt ?x 0) (gt ?x 0)))")
        .unwrap();
    let ran = satir(&["expr", "x + 1", "--rules", path(&rules)]).fails_cleanly();
    ran.says(&["rule `never`", "never.rules:1", "cannot be checked"]);
}

#[test]
fn a_copy_of_a_built_in_set_needs_no_check() {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("minmax.rules");
    let text = fs::read_to_string("rules/minmax.rules").unwrap();
    fs::write(&copy, format!("{text}\n; changed\n")).unwrap();
    satir(&["expr", "T.max(x, x)", "--rules", path(&copy)]).code(0);
}

#[test]
fn validation_blames_the_rule() {
    let dir = tempfile::tempdir().unwrap();
    let rules = dir.path().join("unsound.rules");
    fs::write(&rules, WRONG).unwrap();
    let args = ["cse", "--rules", path(&rules), "--unchecked", "--validate"];
    let ran = satir_on(&args, with_body(DIVIDES)).fails_cleanly();
    ran.says(&["unsound.rules may be wrong", "satir rules check", "a bug in satir"]);
}

/// Sums of floats that are equal as real numbers.
const REGROUPED: &str = "@T.prim_func\ndef main(A: T.Buffer((4,), \"float32\"), x: T.float32, y: T.float32, z: T.float32):\n    \
                         A[0] = x + (y + z)\n    A[1] = (x + y) + z\n";

#[test]
fn fast_math_regroups_sums_of_floats() {
    let sums = |args: &[&str]| {
        let ran = satir_on(&[&["cse"], args].concat(), REGROUPED).code(0);
        ran.out.matches(" + ").count()
    };
    assert_eq!(sums(&[]), 4);
    assert_eq!(sums(&["--fast-math"]), 2);
    assert_eq!(sums(&["--fast-math", "--validate"]), 2, "a tolerance is allowed");
    assert_eq!(sums(&["--fast-math", "--off", "fast-add-associates"]), 4);
    let report = satir_on(&["cse", "--fast-math", "--emit", "report"], REGROUPED).code(0).out;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["fast_math"], true);
    let var = ["--var", "x:float32", "--var", "y:float32"];
    let expr = |args: &[&str]| satir(&[&["expr", "x + y - y"], &var[..], args].concat()).code(0).out;
    assert_eq!(expr(&[]), "x + y - y\n");
    assert_eq!(expr(&["--fast-math"]), "x\n");
    satir(&["expr", "x", "--on", "fastmath"]).code(2).says(&["`fastmath`", "--fast-math"]);
}

#[test]
fn what_is_not_used_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let (fast, off) = (dir.path().join("fast.rules"), dir.path().join("off.rules"));
    fs::write(&fast, "(rule real \"of reals\" (types float) (=> (sub ?x (sub ?x ?y)) ?y) (fast-math))")
        .unwrap();
    fs::write(&off, "(set \"later\" off)\n(rule later \"why\" (types int) (=> (bitwise_and ?x ?x) ?x))")
        .unwrap();
    let ran = satir(&["expr", "x", "--rules", path(&fast), "--rules", path(&off)]).code(0);
    ran.says(&["rule `real`", "fast.rules:1", "(fast-math)", "`off`", "off.rules", "are off"]);
    let ran =
        satir(&["expr", "x", "--rules", path(&fast), "--rules", path(&off), "--fast-math", "--on", "off"])
            .code(0);
    assert_eq!(ran.err, "");
}

#[test]
fn sets_that_are_switched_on_act() {
    let dir = tempfile::tempdir().unwrap();
    let mine = dir.path().join("mine.rules");
    // Neither the theory nor any other rule knows it.
    let rule = "(rule spread \"the ring law of bits\" (types int) (=> (bitwise_and ?x (bitwise_or ?y ?z)) \
                (bitwise_or (bitwise_and ?x ?y) (bitwise_and ?x ?z))) (expensive))\n\
                (rule lanes \"lane by lane\" (types int) (=> (bitwise_xor (broadcast ?x) (broadcast ?y)) (broadcast (bitwise_xor ?x ?y))))\n";
    fs::write(&mine, rule).unwrap();
    let program = dir.path().join("p.py");
    let body = "A[0] = T.bitwise_and(x, T.bitwise_or(x * 3, x * 5))\nA[1] = T.bitwise_or(T.bitwise_and(x, x * 3), T.bitwise_and(x, x * 5))";
    fs::write(&program, with_body(body)).unwrap();
    let (mine, program) = (path(&mine), path(&program));
    let unions = |args: &[&str], rule: &str| {
        let csv = satir(&[&["rules", "stats", "--csv", program], args].concat()).code(0).out;
        let line = csv.lines().find(|line| line.starts_with(&format!("{rule},")));
        line.map(|line| line.split(',').nth(4).unwrap().parse::<u64>().unwrap())
    };
    assert!(unions(&["--rules", mine], "spread") > Some(0), "expensive, and used");
    assert_eq!(unions(&[], "mul-over-add"), None);
    assert!(unions(&["--on", "distributivity"], "mul-over-add").is_some());
    assert!(unions(&["--on", "commutativity"], "bitwise-and-commutes") > Some(0));
    let vector = with_body("A[0:4] = T.bitwise_xor(T.Broadcast(x, 4), T.Broadcast(x * 3, 4))");
    fs::write(program, vector).unwrap();
    assert!(unions(&["--rules", mine], "lanes").is_some(), "a rule about vectors");
}

#[test]
fn there_is_one_number_of_rules() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("p.py");
    fs::write(&program, with_body(DIVIDES)).unwrap();
    for flags in [&[][..], &["--fast-math"], &["--on", "distributivity"], &["--off", "minmax"]] {
        let json = |args: &[&str]| -> serde_json::Value {
            serde_json::from_str(&satir(&[args, flags].concat()).code(0).out).unwrap()
        };
        let on = json(&["rules", "stats", "--json"])["rules_on"].as_u64().unwrap();
        let used = json(&["rules", "stats", "--json", path(&program)]);
        assert_eq!(used["rules"].as_array().unwrap().len() as u64, on, "{flags:?}");
        let by_rule = json(&["rules", "ablate", "--by", "rule", "--json", path(&program)]);
        assert_eq!(by_rule["units"].as_array().unwrap().len() as u64, on, "{flags:?}");
    }
}
