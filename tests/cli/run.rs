//! `satir run`, `satir count` and `satir equiv`.

use std::fs;

use super::{kernels, path, satir, satir_on, with_body};

#[test]
fn runs_counts_and_comparisons() {
    let file = kernels().join("strided_copy_3d.py");
    let bind = ["--bind", "ni=3,nj=4,nk=5"];
    let optimized = satir(&["cse", path(&file)]).code(0).out;
    let same =
        satir_on(&[&["equiv", path(&file), "-", "--runs", "9"], &bind[..]].concat(), &optimized).code(0);
    assert_eq!(same.out, "no difference in 9 runs\n");
    let wrong = optimized.replacen(" = B[", " = T.float32(1.0) + B[", 1);
    assert_ne!(wrong, optimized);
    satir_on(&[&["equiv", path(&file), "-"], &bind[..]].concat(), &wrong).fails_cleanly().says(&[
        "differ in function `main`",
        "--seed",
        "--bind",
    ]);

    let digest = |text: &str| {
        let out = satir_on(&[&["run", "--seed", "3"], &bind[..]].concat(), text).code(0).out;
        out.lines().find(|l| l.contains(" float32[60] ")).unwrap().to_owned()
    };
    assert_eq!(digest(&optimized), digest(&fs::read_to_string(&file).unwrap()));

    let ran = satir(&[&["count", path(&file), "--json"], &bind[..]].concat()).code(0);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let function = &json["functions"][0];
    // Six products in the text, for each of 60 elements.
    assert_eq!(function["static"]["mul"], 6);
    assert_eq!(function["dynamic"]["mul"], 360);
    assert_eq!(function["cost"]["dynamic_integer"], 60.0 * (6.0 * 3.0 + 4.0));
    satir(&["count", path(&file)]).fails_cleanly().says(&["`ni`", "--bind"]);
    satir(&["count", "--static", path(&file)]).code(0);
}

#[test]
fn a_run_that_stops_names_the_statement() {
    let text = with_body("A[0] = 1\nA[x] = 2");
    let ran = satir_on(&["run", "--bind", "x=64,f=0"], text).code(1);
    ran.says(&["<stdin>:4:5: error: ", "index 64 out of range", "A[x] = 2"]);
}
