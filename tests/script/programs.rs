//! The programs of `programs/`, and TVM's own of the corpus where it is present: what is printed reads back as the
//! same program, and prints as the same text. `tests/tvm/roundtrip.py` compares them by TVM's own equality.

use std::path::{Path, PathBuf};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.filter_map(|e| e.ok().map(|e| e.path())).collect())
        .unwrap_or_default();
    files.retain(|p| p.extension().is_some_and(|e| e == "py"));
    files.sort();
    files
}

#[track_caller]
fn fixpoint(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let first = satir::script::parse(&path.display().to_string(), &text).unwrap_or_else(|e| panic!("{e}"));
    let printed = first.to_string();
    let second =
        satir::script::parse("printed", &printed).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(second.to_string(), printed, "{}", path.display());
    assert_eq!(first.funcs.len(), second.funcs.len());
}

#[test]
fn printed_programs_read_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = files(&root.join("tests/script/programs"));
    assert!(programs.len() >= 6, "programs are missing");
    programs.iter().for_each(|p| fixpoint(p));
}

#[test]
fn corpus_programs_read_back() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    for folder in ["precse", "preflat", "presimp"] {
        files(&corpus.join(folder)).iter().for_each(|p| fixpoint(p));
    }
}
