//! What makes satir fit to be published: which crates the library alone needs, and what the package holds.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// What a command of cargo prints about this package, without asking the network.
fn cargo(args: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO")).args(args).arg("--offline").current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_library_alone_needs_nothing_of_the_program() {
    let names = |args: &[&str]| -> Vec<String> {
        let tree =
            cargo(&[&["tree", "--edges", "normal", "--prefix", "none", "--format", "{p}"], args].concat());
        tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
    };
    let of_program = ["clap", "clap_complete", "clap_mangen", "indicatif", "mimalloc", "ignore"];
    let (all, alone) = (names(&[]), names(&["--no-default-features"]));
    let with_lab = names(&["--no-default-features", "--features", "lab"]);
    for name in of_program {
        assert!(all.iter().any(|n| n == name), "`{name}` is not needed at all");
        assert!(!alone.iter().any(|n| n == name), "the library alone needs `{name}`");
        assert!(!with_lab.iter().any(|n| n == name), "the laboratory needs `{name}`");
    }
}

#[test]
fn the_package_holds_what_it_takes_to_build_and_no_more() {
    let list = cargo(&["package", "--list", "--allow-dirty"]);
    let files: Vec<&str> = list.lines().collect();
    for needed in [
        "src/lib.rs",
        "src/main.rs",
        "src/page/page.css",
        "examples/quickstart.rs",
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "Cargo.lock",
    ] {
        assert!(files.contains(&needed), "{needed} is missing");
    }
    for folder in ["src", "rules"] {
        for file in walk(&root().join(folder)) {
            let name = file.strip_prefix(root()).unwrap().display().to_string();
            assert!(files.contains(&name.as_str()), "{name} is missing");
        }
    }
    let other = ["tests/", "benches/", "python/", ".ci/", "target/"];
    let stray = files.iter().find(|file| other.iter().any(|folder| file.starts_with(folder)));
    assert_eq!(stray, None);
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}

#[test]
fn the_change_log_has_this_version() {
    let text = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let heading = format!("\n## {}", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&heading), "CHANGELOG.md has no entry for {}", env!("CARGO_PKG_VERSION"));
}
