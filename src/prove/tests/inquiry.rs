//! What is asked of a solver, and how often.

use std::path::{Path, PathBuf};

use super::super::inquiry::{Asked, Inquiry};
use super::super::question::Question;
use super::super::range::Range;
use super::super::term::Terms;
use super::{executable, function};
use crate::ir::DType;
use crate::prove::{Integers, Solver, prove};

/// A solver that answers all questions alike, after so much work each, and writes down which ones it got.
fn solver(folder: &Path, verdict: &str, work: u64) -> (Solver, PathBuf) {
    let (path, log) = (folder.join("solver"), folder.join("log"));
    let answer = format!(
        "print $2; print \"{verdict}\"; print \"(:rlimit {work})\"; print $2 >> \"{}\"",
        log.display()
    );
    let script = format!(
        "#!/bin/sh\nexec awk -F'\"' '/^\\(echo \"question/ {{ {answer} }} /^\\(echo \"the end/ {{ print $2 }}'\n"
    );
    executable(&path, &script);
    (Solver::new(path), log)
}

fn asked(log: &Path) -> usize {
    std::fs::read_to_string(log).unwrap_or_default().lines().count()
}

/// That a function of an integer is so much, which only the solver is asked.
fn question(terms: &mut Terms, value: i128) -> Question {
    let x = terms.new_atom("x", DType::int(32), Range::ALL);
    let x = terms.apply("bits", DType::int(32), vec![x]);
    let value = terms.int(value);
    Question::new(Vec::new(), terms.equal(x, value))
}

#[test]
fn a_question_is_asked_once_whatever_its_terms_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let (solver, log) = solver(folder.path(), "sat", 10);
    let mut inquiry = Inquiry::new(Some(&solver));
    for before in 0..3 {
        let mut terms = Terms::default();
        for _ in 0..before {
            terms.new_atom("y", DType::int(32), Range::ALL);
        }
        let same = question(&mut terms, 5);
        assert_eq!(inquiry.open(&[Asked::new(&terms, 0, &same)], usize::MAX).unwrap().len(), 1);
        assert_eq!(asked(&log), 1);
    }
    let mut terms = Terms::default();
    let other = question(&mut terms, 6);
    assert_eq!(inquiry.open(&[Asked::new(&terms, 0, &other)], usize::MAX).unwrap().len(), 1);
    assert_eq!(asked(&log), 2, "another question");
}

#[test]
fn what_stays_open_gets_more_work_once() {
    let folder = tempfile::tempdir().unwrap();
    let (solver, log) = solver(folder.path(), "unknown", 10);
    let mut inquiry = Inquiry::new(Some(&solver));
    let mut terms = Terms::default();
    let all: Vec<Asked> = (0..3)
        .map(|k| {
            let question = question(&mut terms, k);
            Asked::new(&terms, 0, &question)
        })
        .collect();
    assert_eq!(inquiry.open(&all, usize::MAX).unwrap().len(), 3);
    assert_eq!(asked(&log), 3 + 1, "one that stays open with all work is enough");
    assert_eq!(inquiry.open(&all, usize::MAX).unwrap().len(), 3);
    assert_eq!(asked(&log), 4);
}

#[test]
fn nothing_is_asked_where_too_much_is_open_or_no_work_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let (solver, log) = solver(folder.path(), "unknown", 1_000);
    let solver = solver.within(1_000, std::time::Duration::from_secs(10));
    let mut terms = Terms::default();
    let all: Vec<Asked> = (0..40)
        .map(|k| {
            let question = question(&mut terms, k);
            Asked::new(&terms, usize::try_from(k).unwrap(), &question)
        })
        .collect();
    let mut inquiry = Inquiry::new(Some(&solver));
    assert_eq!(inquiry.open(&all, 2).unwrap().len(), 40, "what was not asked is open");
    assert_eq!(asked(&log), 16, "one process gets so many");
    assert!(inquiry.is_spent());
    assert_eq!(inquiry.open(&all, usize::MAX).unwrap().len(), 40);
    assert_eq!(asked(&log), 16, "no work is left");
}

#[test]
fn what_fails_for_some_values_is_not_asked() {
    let folder = tempfile::tempdir().unwrap();
    let (solver, log) = solver(folder.path(), "unsat", 10);
    let mut terms = Terms::default();
    let x = terms.new_atom("x", DType::int(32), Range::ALL);
    let five = terms.int(5);
    let wrong = Question::new(Vec::new(), terms.equal(x, five));
    let other = question(&mut terms, 5);
    let all = [Asked::new(&terms, 0, &wrong), Asked::new(&terms, 1, &other)];
    let open = Inquiry::new(Some(&solver)).open(&all, usize::MAX).unwrap();
    assert!(matches!(&open[..], [(0, Some(values))] if values[0].0 == "x" && values[0].1 != "5"), "{open:?}");
    assert_eq!(asked(&log), 1);
}

#[test]
fn a_shape_that_fails_is_not_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let (solver, log) = solver(folder.path(), "unsat", 10);
    // What only a solver knows of the value.
    let nest = |rows: &str, columns: usize, value: &str| {
        function(&format!(
            "for i in range({rows}):\n    for j in range({columns}):\n        if i * {columns} + j < n:\n            \
             A[i * {columns} + j] = {value}"
        ))
    };
    let prove = |a, b| prove(&a, &b, Integers::Unbounded, Some(&solver)).unwrap().remove(0);
    let value = "T.bitwise_and(k, 5)";
    let proof = prove(
        nest("n", 6, value),
        nest("n * 2", 3, "T.bitwise_and(k, 5) * (1 + T.bitwise_and(k, 4) - T.bitwise_and(k, 4))"),
    );
    assert!(proof.is_proven(), "{proof:?}");
    assert_eq!(asked(&log), 0, "all that the other shape leaves is a normal form");
    // Where no shape is a proof, it is asked what is left.
    let a = function("A[0] = k\nB[0] = T.bitwise_xor(k, n)");
    let b = function("A[0] = k + 1\nB[0] = T.bitwise_or(k, n) - T.bitwise_and(k, n)");
    let proof = prove(a, b);
    assert_eq!((proof.open.len(), proof.by_solver), (1, 1), "{proof:?}");
    assert_eq!(asked(&log), 1);
}

#[test]
fn without_a_solver_all_is_open() {
    let mut terms = Terms::default();
    let question = question(&mut terms, 1);
    let asked = [Asked::new(&terms, 0, &question)];
    assert_eq!(Inquiry::new(None).open(&asked, usize::MAX).unwrap().len(), 1);
}
