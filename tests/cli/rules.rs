//! `satir rules`.

use std::fs;

use super::{clip, path, satir, satir_on, with_body};

#[test]
fn rules_are_listed_with_their_reasons() {
    let ran = satir(&["rules", "list"]).code(0);
    for word in ["floordiv", "commutativity", ", off)", "=>"] {
        assert!(ran.out.contains(word), "`{word}` is not in {}", clip(&ran.out));
    }
    let json: serde_json::Value =
        serde_json::from_str(&satir(&["rules", "list", "--json"]).code(0).out).unwrap();
    assert!(json["rules"].as_array().unwrap().len() > 100);
    assert!(json["rules"][0]["why"].is_string());
}

#[test]
fn a_wrong_rule_is_refuted_and_a_right_one_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let rules = dir.path().join("mine.rules");
    let rule = |rhs: &str| format!("(rule mine \"why\" (types index) (=> (sub (add ?x ?y) ?x) {rhs}))\n");
    fs::write(&rules, rule("?y")).unwrap();
    let ran = satir(&["rules", "check", path(&rules)]).code(0);
    assert!(ran.out.contains("1 rules") && ran.out.contains("0 refuted"), "{}", ran.out);
    fs::write(&rules, rule("?x")).unwrap();
    let ran = satir(&["rules", "check", path(&rules)]).code(1);
    assert!(ran.out.contains("rule `mine`") && ran.out.contains("is wrong"), "{}", ran.out);
    assert!(ran.out.contains("?x = ") && ran.out.contains("?y = "), "{}", ran.out);
}

#[test]
fn a_mistake_in_a_rule_file_has_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let rules = dir.path().join("mine.rules");
    fs::write(&rules, "(rule mine \"why\" (types index)\n  (=> (add ?x 0) x))\n").unwrap();
    for args in [["rules", "check", path(&rules)].as_slice(), &["rules", "list", "--rules", path(&rules)]] {
        satir(args).fails_cleanly().says(&["mine.rules:2:18: error: "]);
    }
}

#[test]
fn rules_are_counted_and_found_by_name() {
    let list = satir(&["rules", "list", "--only", "floordiv-mul-cancel"]).code(0).out;
    assert!(list.contains("(floordiv (mul ?x ?c) ?c) => ?x if (nonzero ?c)"), "{list}");
    assert_eq!(list.lines().count(), 4, "{list}");
    let stats = satir(&["rules", "stats", "--json"]).code(0).out;
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    assert!(stats["rules"].as_u64() > stats["rules_on"].as_u64(), "{stats}");
    satir(&["rules", "list", "--only", "floordiv-mul-cancle"])
        .fails_cleanly()
        .says(&["did you mean `floordiv-mul-cancel`?"]);
    let good = satir(&["rules", "check", "--quick", "--only", "identity"]).code(0).out;
    assert!(good.contains("0 refuted"), "{good}");
}

#[test]
fn all_mistakes_in_a_rule_file_are_reported() {
    let ran = satir(&["rules", "check", "tests/rules/bad.rules"]).fails_cleanly();
    ran.says(&[
        "tests/rules/bad.rules:3:",
        "unknown operator `plus`",
        "bad.rules:5:",
        "`?z` is not on the left",
    ]);
}

#[test]
fn what_rules_do_is_measured_over_programs() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("bits.py");
    fs::write(&program, with_body("A[0] = T.bitwise_and(x * x, x * x) // 3")).unwrap();
    let rules = dir.path().join("mine.rules");
    let text = "(rule same-bits-mine \"x & x = x\" (types anyint) (=> (bitwise_and ?x ?x) ?x))\n";
    fs::write(&rules, text).unwrap();
    let (program, rules) = (path(&program), path(&rules));

    let plot = dir.path().join("plot.svg");
    let ran = satir(&["rules", "stats", program, "--plot", path(&plot)]).code(0);
    assert!(ran.out.contains("1 programs; ") && ran.out.contains("needed"), "{}", ran.out);
    assert!(fs::read_to_string(&plot).unwrap().starts_with("<svg "));
    let json: serde_json::Value =
        serde_json::from_str(&satir(&["rules", "stats", "--json", program]).code(0).out).unwrap();
    assert_eq!(json["programs"][0]["program"], "bits");
    assert!(json["rules"].as_array().unwrap().len() > 100);
    let csv = satir(&["rules", "stats", "--csv", program]).code(0).out;
    assert!(csv.starts_with("rule,set,programs,") && csv.lines().count() > 100);

    let table = satir(&["rules", "ablate", program]).code(0).out;
    assert!(table.contains("1 programs, cost of results"), "{table}");
    let none = format!("none,{rules}");
    let table = satir(&["rules", "compare", "none", &none, program]).code(0).out;
    assert!(table.contains("1 programs: B is cheaper in 1, dearer in 0"), "{table}");
    let table = satir(&["rules", "compare", &none, &format!("{none},-same-bits-mine"), program]).code(0).out;
    assert!(table.contains("B is cheaper in 0, dearer in 1"), "{table}");
    satir(&["rules", "compare", "none", "default,+no-such-set", program]).fails_cleanly();
    satir(&["rules", "ablate"]).code(2);
}

#[test]
fn what_rules_do_is_measured_over_expressions() {
    let dir = tempfile::tempdir().unwrap();
    let table = dir.path().join("table.jsonl");
    let line = r#"{"id": "same", "vars": {"x": {"dtype": "int32"}}, "expr": "T.bitwise_and(x, x) * 5"}"#;
    fs::write(&table, format!("{line}\n\n")).unwrap();
    let ran = satir(&["rules", "compare", "none", "default", path(&table)]).code(0);
    assert!(ran.out.contains("table:same") && ran.out.contains("B is cheaper in 1"), "{}", ran.out);
    // A program beside it counts as one more.
    let program = "examples/kernels/unrolled_copy.py";
    let ran = satir(&["rules", "compare", "none", "default", path(&table), program]).code(0);
    assert!(ran.out.contains("2 programs: B is cheaper in 1"), "{}", ran.out);
    fs::write(&table, format!("{line}\n{{\"expr\": \"x\"}}\n")).unwrap();
    satir(&["rules", "ablate", path(&table)]).fails_cleanly().says(&["table.jsonl:2: error: "]);
}

#[test]
fn suggested_rules_are_a_rule_file_that_passes_the_check() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("new.rules");
    let args = ["rules", "suggest", "--ops", "floordiv,min,max", "--limit", "5", "-o", path(&file)];
    satir(&args).code(0);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("(rule suggested-").count(), 5, "{text}");
    let ran = satir(&["rules", "check", "--no-smt", path(&file)]).code(0);
    assert!(ran.out.contains("5 rules") && ran.out.contains("0 refuted"), "{}", ran.out);
    satir(&["rules", "suggest", "--ops", "plus"]).code(2).says(&["no operator `plus`", "floordiv"]);
}

#[test]
fn rules_go_to_egg_and_egglog_and_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("back.rules");
    for notation in ["egg", "egglog"] {
        let text = satir(&["rules", "export", notation, "--only", "minmax"]).code(0).out;
        assert!(text.contains("rewrite"), "{text}");
        satir_on(&["rules", "import", notation, "-o", path(&file)], &text).code(0);
        let checked = satir(&["rules", "check", "--quick", "--no-smt", path(&file)]).code(0).out;
        assert!(checked.contains(" 0 refuted"), "{checked}");
    }
    satir_on(&["rules", "import", "egg", "--types", "no-such-class"], "(+ ?a 0) => ?a")
        .code(2)
        .says(&["no-such-class"]);
}

#[test]
fn long_work_says_how_far_it_is() {
    let check = ["rules", "check", "--quick", "--no-smt", "--only", "select"];
    let stats = ["rules", "stats", "examples/kernels/unrolled_copy.py"];
    for (args, words) in [(&check[..], " rules tested\n"), (&stats[..], " runs of programs\n")] {
        // Without a terminal there is no bar, and lines only if they are asked for.
        let usual = satir(args).code(0);
        assert_eq!(usual.err, "", "{args:?}");
        let ran = satir(&[args, &["-v"]].concat()).code(0);
        let last = ran.err.lines().last().unwrap();
        let numbers: Vec<&str> = last.split(' ').filter(|word| word.parse::<u64>().is_ok()).collect();
        assert!(numbers.len() == 2 && numbers[0] == numbers[1], "{last}");
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}

#[test]
fn names_of_rules_stand_between_commas() {
    let stats = |args: &[&str]| satir(&[&["rules", "stats"], args].concat()).code(0).out;
    assert_eq!(stats(&["--off", "minmax,select"]), stats(&["--off", "minmax", "--off", "select"]));
    assert_ne!(stats(&["--off", "minmax,select"]), stats(&["--off", "minmax"]));
    assert_ne!(stats(&["--on", "commutativity,distributivity"]), stats(&["--on", "commutativity"]));
    let list = satir(&["rules", "list", "--sets", "--only", "minmax,select"]).code(0).out;
    assert_eq!(list.lines().count(), 2, "{list}");
}
