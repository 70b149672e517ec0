//! Keeps the source tidy: every file says what it is, stays small, imports only from the layers below it, and
//! leaves nothing unfinished. ARCHITECTURE.md names the layers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// For each module of the library, the modules that its files may name in a `crate::…` path, besides themselves.
const LAYERS: &[(&str, &[&str])] = &[
    ("diag", &[]),
    ("ir", &["diag"]),
    ("script", &["diag", "ir"]),
    ("verify", &["diag", "ir"]),
    ("cost", &["ir"]),
    ("interp", &["diag", "ir"]),
    ("smt", &[]),
    ("prove", &["diag", "ir", "smt"]),
    ("certificate", &["diag", "ir", "script", "verify"]),
    ("arith", &["ir"]),
    ("analysis", &["ir", "arith"]),
    ("rules", &["diag", "ir", "smt"]),
    ("egraph", &["ir", "arith"]),
    ("theory", &["ir", "arith", "egraph"]),
    ("rewrite", &["ir", "arith", "rules", "egraph", "theory"]),
    ("candidates", &["ir", "egraph", "theory"]),
    ("encode", &["ir", "arith", "analysis", "cost", "egraph", "theory"]),
    ("target", &["ir", "arith", "analysis", "cost", "egraph", "encode"]),
    ("extract", &["ir", "arith", "cost", "egraph", "theory", "encode", "target"]),
    (
        "eqsat",
        &[
            "ir",
            "analysis",
            "cost",
            "rules",
            "egraph",
            "theory",
            "rewrite",
            "candidates",
            "encode",
            "target",
            "extract",
        ],
    ),
    (
        "simplify",
        &[
            "ir",
            "analysis",
            "arith",
            "cost",
            "egraph",
            "theory",
            "rewrite",
            "candidates",
            "encode",
            "target",
            "extract",
            "eqsat",
        ],
    ),
    (
        "explain",
        &[
            "diag", "ir", "analysis", "arith", "script", "cost", "rules", "egraph", "rewrite", "encode",
            "eqsat", "simplify",
        ],
    ),
    ("error", &["diag", "verify"]),
    (
        "cse",
        &[
            "diag", "ir", "analysis", "arith", "script", "cost", "rules", "verify", "rewrite", "extract",
            "eqsat", "simplify", "target", "error",
        ],
    ),
    ("loops", &["ir", "script", "analysis", "arith", "cse", "simplify", "target"]),
    ("reciprocals", &["ir", "analysis", "arith", "loops"]),
    ("noop", &["diag", "ir", "arith", "analysis", "simplify"]),
    (
        "tensor",
        &[
            "ir",
            "script",
            "analysis",
            "arith",
            "cost",
            "egraph",
            "rewrite",
            "encode",
            "candidates",
            "target",
            "extract",
            "eqsat",
            "simplify",
        ],
    ),
    ("padding", &["diag", "ir", "analysis", "arith", "script", "verify", "error"]),
    (
        "plan",
        &[
            "ir", "arith", "analysis", "script", "cost", "cse", "simplify", "loops", "noop", "padding",
            "target",
        ],
    ),
    (
        "passes",
        &[
            "ir",
            "analysis",
            "cost",
            "cse",
            "simplify",
            "loops",
            "reciprocals",
            "noop",
            "padding",
            "plan",
            "target",
            "tensor",
            "error",
            "verify",
        ],
    ),
    ("simplifier", &["ir", "arith", "script", "cost", "rules", "rewrite", "simplify", "explain", "error"]),
    ("report", &["ir", "cse", "padding", "passes", "plan"]),
    (
        "page",
        &[
            "diag", "ir", "script", "cost", "rules", "rewrite", "cse", "padding", "plan", "tensor",
            "explain", "report",
        ],
    ),
    ("remarks", &["diag", "ir", "analysis", "arith", "script", "cost", "rules", "cse", "explain"]),
    (
        "lab",
        &[
            "ir", "analysis", "arith", "cost", "rules", "egraph", "rewrite", "encode", "eqsat", "simplify",
            "cse", "error",
        ],
    ),
    (
        "fuzz",
        &[
            "diag", "ir", "script", "verify", "cost", "interp", "error", "eqsat", "cse", "loops", "noop",
            "passes", "target",
        ],
    ),
];

/// Most lines of a file; a file of tests may be longer.
const MAX_LINES: usize = 900;
const MAX_TEST_LINES: usize = 1200;

#[test]
fn modules_import_only_what_is_below_them() {
    let layers: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    let mut errors = Vec::new();
    for (path, text) in sources("src") {
        let module = module_of(&path);
        if matches!(module.as_str(), "lib" | "main" | "cli") || is_test(&path) {
            continue;
        }
        let Some(below) = layers.get(module.as_str()) else {
            errors.push(format!(
                "{}: module `{module}` has no line in LAYERS of tests/tidy.rs",
                path.display()
            ));
            continue;
        };
        // Tests at the end of a file may use anything.
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        for (number, line) in code.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for used in crate_paths(line) {
                if used != module && !below.contains(&used) {
                    let place = format!("{}:{}", path.display(), number + 1);
                    errors.push(format!("{place}: `{module}` must not use `crate::{used}`"));
                }
            }
        }
    }
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

#[test]
fn layers_are_listed_from_the_bottom_up() {
    for (at, (module, below)) in LAYERS.iter().enumerate() {
        for used in *below {
            let position = LAYERS.iter().position(|(name, _)| name == used);
            assert!(position.is_some_and(|p| p < at), "{module} uses {used}, which is not below it");
        }
    }
}

#[test]
fn every_file_says_what_it_is() {
    let mut errors = Vec::new();
    for (path, text) in all_rust() {
        if !text.starts_with("//! ") {
            errors
                .push(format!("{}: the first line must be a `//!` comment on what this is", path.display()));
        }
    }
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

#[test]
fn files_are_small() {
    for (path, text) in all_rust() {
        let lines = text.lines().count();
        let most = if is_test(&path) { MAX_TEST_LINES } else { MAX_LINES };
        assert!(lines <= most, "{}: {lines} lines, more than {most}: split it", path.display());
    }
}

#[test]
fn nothing_is_left_unfinished() {
    // Spelled apart, so that this file does not find itself.
    let words = ["TO DO", "FIX ME", "X XX", "to do!", "unimple mented!"].map(|w| w.replace(' ', ""));
    let mut errors = Vec::new();
    for (path, text) in all_rust() {
        for (number, line) in text.lines().enumerate() {
            if let Some(word) = words.iter().find(|w| line.contains(w.as_str())) {
                errors.push(format!("{}:{}: {word}", path.display(), number + 1));
            }
        }
    }
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
}

/// `Graph::union` and `Graph::unite` take a reason. egg's own graph, which takes none, is not to be had outside of `src/egraph`.
#[test]
fn classes_are_united_with_a_reason() {
    let mut errors = Vec::new();
    for (path, text) in sources("src") {
        if module_of(&path) == "egraph" {
            continue;
        }
        // What of egg others may name: numbers of classes, and what is asked of nodes.
        let words = ["EGraph", "egg::*", "perform_union", "union_trusted", "union_instantiations"];
        for (number, line) in
            text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            if let Some(word) = words.iter().find(|word| line.contains(*word)) {
                errors.push(format!("{}:{}: {word}", path.display(), number + 1));
            }
        }
    }
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
    // Within it there is one place.
    let unions =
        sources("src/egraph").iter().map(|(_, text)| text.matches("graph.union(").count()).sum::<usize>();
    assert_eq!(unions, 1, "`unite_raw` is the only place that unites classes");
}

#[test]
fn readme_and_ci_name_the_same_commands() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    for command in ["cargo run --release -- cse examples/kernels/unrolled_copy.py", "cargo test"] {
        assert!(readme.contains(command), "README.md does not say `{command}`");
        assert!(ci.contains(command), ".ci/run does not run `{command}`");
    }
}

#[test]
fn architecture_names_every_module() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let modules: Vec<String> = sources("src").iter().map(|(path, _)| module_of(path)).collect();
    for module in modules.iter().filter(|m| !matches!(m.as_str(), "lib" | "main")) {
        assert!(text.contains(&format!("`src/{module}")), "ARCHITECTURE.md does not name `src/{module}`");
    }
}

/// What is `pub` here can be named by the library's users, since the compiler warns of every other `pub`.
#[test]
fn every_public_item_has_an_example() {
    let mut errors = Vec::new();
    let mut items = 0;
    for (path, text) in sources("src") {
        if matches!(module_of(&path).as_str(), "lib" | "main" | "cli") || is_test(&path) {
            continue;
        }
        let lines: Vec<&str> = text.lines().collect();
        let shown = examples(&lines);
        for (at, line) in lines.iter().enumerate() {
            let Some((is_constant, name)) = public_item(line) else { continue };
            items += 1;
            // The constants of a type are shown by the examples of the type.
            let by_type = is_constant && shown.iter().any(|example| example.contains(&format!("::{name}")));
            if !by_type && !has_example(&lines[..at]) {
                errors.push(format!("{}:{}: `{name}` has no example", path.display(), at + 1));
            }
        }
    }
    assert!(errors.is_empty(), "\n{}", errors.join("\n"));
    assert!(items > 300, "only {items} found: the sources are not read as they should be");
}

/// Whether a line declares a public constant, or another item that can have an example, and its name. Fields and
/// variants are shown with their type.
fn public_item(line: &str) -> Option<(bool, &str)> {
    let declared = line.trim_start().strip_prefix("pub ")?;
    let declared = declared.strip_prefix("const fn ").or(declared.strip_prefix("fn ")).unwrap_or(declared);
    let (kind, rest) = match declared.split_once(' ') {
        Some((kind @ ("struct" | "enum" | "trait" | "type" | "const" | "static"), rest)) => (kind, rest),
        Some(("use" | "mod", _)) => return None,
        _ => ("fn", declared),
    };
    let name = &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_')?];
    let is_field = kind == "fn" && !rest[name.len()..].starts_with(['(', '<']);
    (!is_field && !name.is_empty()).then_some((kind == "const", name))
}

/// Whether the documentation at the end of these lines, attributes skipped, has an example.
fn has_example(lines: &[&str]) -> bool {
    let above = lines.iter().rev().map(|line| line.trim_start());
    let mut documentation = above.skip_while(|line| !line.starts_with("///") && !line.is_empty());
    documentation.by_ref().take_while(|line| line.starts_with("///")).any(|line| line.contains("```"))
}

/// The lines of all examples in a file.
fn examples<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in lines.iter().map(|line| line.trim_start()).filter(|line| line.starts_with("///")) {
        inside ^= line.contains("```");
        found.extend(inside.then_some(line));
    }
    found
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The names that follow `crate::` in a line, those in braces included.
fn crate_paths(line: &str) -> Vec<&str> {
    let ident = |s: &str| s.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(s.len());
    let mut names = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        // `$crate::` and `mycrate::` are something else.
        if line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &line[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                let group = group.split('}').next().unwrap_or("");
                names.extend(group.split(',').map(|part| &part.trim()[..ident(part.trim())]));
            }
            None => names.push(&rest[..ident(rest)]),
        }
    }
    names.retain(|name| name.starts_with(|c: char| c.is_lowercase()));
    names
}

/// The top-level module that a file under `src` belongs to.
fn module_of(path: &Path) -> String {
    let relative = path.strip_prefix(root().join("src")).unwrap();
    let first = relative.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.strip_suffix(".rs").unwrap_or(&first).to_owned()
}

/// Whether a file is compiled for tests only.
fn is_test(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "tests.rs") || path.iter().any(|part| part == "tests")
}

fn all_rust() -> Vec<(PathBuf, String)> {
    ["src", "tests", "benches", "examples"].iter().flat_map(|folder| sources(folder)).collect()
}

/// Every Rust file under a folder, with its text, by name.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    files.sort();
    files
}
