//! All programs of a folder, in parallel, with their reports. `satir cse FOLDER -o OUT` does this from the shell.
//!
//! `cargo run --example batch [FOLDER]`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::fs;
use std::path::PathBuf;

use rayon::prelude::*;
use satir::cse::{self, Options};

/// Runs the example.
pub fn main() -> anyhow::Result<()> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/kernels");
    let folder = std::env::args().nth(1).map(PathBuf::from).filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = fs::read_dir(folder.unwrap_or_else(|| default.into()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "py"))
        .collect();
    files.sort();

    // Options are made once: the rules in them are prepared and shared by all threads.
    let options = Options::default();
    let results: Vec<anyhow::Result<(f64, f64)>> = files
        .par_iter()
        .map(|file| {
            let module = satir::parse(&fs::read_to_string(file)?)?;
            let (_, report) = cse::run(&module, &options)?;
            Ok((report.cost_before(), report.cost_after()))
        })
        .collect();

    let mut failed = 0;
    for (file, result) in files.iter().zip(results) {
        let name = file.file_name().unwrap_or_default().display();
        match result {
            Ok((before, after)) => {
                println!("{name:<48} {before:>12.1} -> {after:>12.1}");
                assert!(after <= before, "never worse");
            }
            // One bad program does not stop the rest.
            Err(e) => {
                failed += 1;
                println!("{name:<48} {e}");
            }
        }
    }
    println!("{} programs, {failed} failed", files.len());
    Ok(())
}
