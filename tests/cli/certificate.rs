//! `--certify` and `satir check-certificate`.

use std::fs;

use super::{kernels, path, satir};

#[test]
fn a_certificate_is_written_and_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let (out, file) = (folder.path().join("out.py"), folder.path().join("out.cert"));
    let kernel = kernels().join("strided_copy_3d.py");
    let result = satir(&["cse", path(&kernel)]).code(0).out;
    for command in ["cse", "simplify"] {
        satir(&[command, path(&kernel), "-o", path(&out), "--certify", path(&file)]).code(0);
        let accepted = satir(&["check-certificate", path(&kernel), path(&out), path(&file)]).code(0).out;
        assert!(accepted.starts_with("accepted: "), "{accepted}");
    }
    // Of another result, of no result, and no certificate.
    fs::write(&out, result.replacen(" = B[", " = T.float32(1.0) + B[", 1)).unwrap();
    satir(&["check-certificate", path(&kernel), path(&out), path(&file)])
        .fails_cleanly()
        .says(&["rejected", "another output"]);
    satir(&["check-certificate", path(&kernel), path(&kernel), path(&kernel)]).code(1).says(&["rejected"]);
    satir(&["check-certificate", path(&kernel), path(&out), path(&folder.path().join("none"))]).code(1);
    satir(&["check-certificate", path(&kernel), path(&out)]).code(2);
    satir(&["check-certificate", "-", "-", path(&file)]).code(2);
}

#[test]
fn loops_that_become_others_are_certified_step_by_step() {
    let folder = tempfile::tempdir().unwrap();
    let (out, file) = (folder.path().join("out.py"), folder.path().join("out.cert"));
    let kernel = kernels().join("concatenation_in_one_loop.py");
    satir(&["opt", path(&kernel), "-o", path(&out), "--certify", path(&file)]).code(0);
    let certificate = fs::read_to_string(&file).unwrap();
    assert!(certificate.matches("(leg").count() > 1, "{certificate}");
    assert_eq!(certificate.matches("(leg").count(), certificate.matches("(program").count() + 1);
    satir(&["check-certificate", path(&kernel), path(&out), path(&file)]).code(0);
}

#[test]
fn initializations_in_front_of_a_reduction_are_certified() {
    let folder = tempfile::tempdir().unwrap();
    let [kernel, out, file] = ["in.py", "out.py", "out.cert"].map(|name| folder.path().join(name));
    // Two rows of each product at once, as TVM writes out loops.
    let row = |row: &str| {
        let element = format!("C[i * 32 + {row}j]");
        format!(
            "            if k == 0:\n                {element} = T.float32(0)\n            {element} = {element} + A[i * 64 + {row}k] * \
             B[k * 16 + j]\n"
        )
    };
    let head = "@T.prim_func\ndef main(A: T.Buffer((512,)), B: T.Buffer((512,)), C: T.Buffer((256,))):\n    \
                T.func_attr({\"tirx.noalias\": True})\n    for i, k in T.grid(8, 32):\n        for j in range(16):\n";
    fs::write(&kernel, format!("{head}{}{}", row(""), row("16 + ").replace("16 + k", "32 + k"))).unwrap();
    satir(&["opt", path(&kernel), "-o", path(&out), "--certify", path(&file)]).code(0);
    let certificate = fs::read_to_string(&file).unwrap();
    assert!(certificate.contains("(front ") && certificate.contains("(fission "), "{certificate}");
    satir(&["check-certificate", path(&kernel), path(&out), path(&file)]).code(0);
    // Every stage does what the kernel does, whatever the certificate says.
    for stage in certificate.split("\n (program\n").skip(1) {
        let lines = stage
            .lines()
            .map_while(|line| line.strip_prefix("  \"")?.trim_end_matches(')').strip_suffix('"'));
        let text: Vec<String> = lines.map(|line| line.replace("\\\"", "\"")).collect();
        fs::write(&out, text.join("\n")).unwrap();
        satir(&["equiv", path(&kernel), path(&out), "--runs", "3"]).code(0);
    }
}

#[test]
fn what_is_not_shown_has_no_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let (out, file) = (folder.path().join("out.py"), folder.path().join("out.cert"));
    let kernel = kernels().join("equal_branches.py");
    satir(&["cse", path(&kernel), "-o", path(&out), "--certify", path(&file)])
        .code(1)
        .says(&["no certificate", "obligations are not shown"]);
    assert!(out.exists() && !file.exists(), "the result is written, the certificate is not");
    let both = [path(&kernel), path(&kernel)];
    satir(&["cse", both[0], both[1], "--certify", path(&file)]).code(2).says(&["--certify"]);
    satir(&["cse", both[0], "--check", "--certify", path(&file)]).code(2).says(&["--certify"]);
}
