//! What the benchmarks measure on.

use std::fs;

/// Name and text of each example kernel, by name.
pub(crate) fn kernels() -> Vec<(String, String)> {
    let mut paths: Vec<_> = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/kernels"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    paths.sort();
    let named = |path: &std::path::PathBuf| {
        (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
    };
    paths.iter().map(named).collect()
}
