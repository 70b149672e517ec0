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
