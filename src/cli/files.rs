//! Which programs the arguments name, and where the results go.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::io::{self, Failure};

/// A program of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    /// Its file.
    pub(crate) path: PathBuf,
    /// What it is called, below the folder of results as well.
    pub(crate) name: PathBuf,
}

/// The programs in a folder, by name: every `*.py` in it and below, but for what hidden names and the ignore files of git
/// leave out, and for what is below `without`.
pub(crate) fn programs(folder: &Path, without: Option<&Path>) -> Result<Vec<PathBuf>, Failure> {
    let without = without.and_then(|path| path.canonicalize().ok());
    let is_root = without.is_some() && without == folder.canonicalize().ok();
    let wanted =
        move |entry: &DirEntry| is_root || without.is_none() || entry.path().canonicalize().ok() != without;
    let mut files = Vec::new();
    for entry in WalkBuilder::new(folder).filter_entry(wanted).build() {
        let path = entry.map_err(|e| Failure::about(folder, format!("cannot list folder: {e}")))?.into_path();
        if path.extension().is_some_and(|e| e == "py") && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        let what = "no file in this folder ends in `.py` (hidden and ignored ones do not count)";
        return Err(Failure::about(folder, what));
    }
    Ok(files)
}

/// The programs of several files and folders. Those of a folder are named by their way from there, a file by its name.
pub(crate) fn tasks(inputs: &[PathBuf], output: Option<&Path>) -> Result<Vec<Task>, Failure> {
    if let Some(output) = output.filter(|output| output.exists() && !output.is_dir()) {
        let what = "the results of several programs need a folder, which this is not";
        return Err(Failure::usage(format_args!("-o {}: {what}", output.display())));
    }
    let mut tasks: Vec<Task> = Vec::new();
    for input in inputs {
        if io::is_stdin(Some(input)) {
            return Err(Failure::usage("standard input cannot be one of several inputs"));
        }
        let Some(folder) = io::as_folder(Some(input)) else {
            let name = input.file_name().map_or_else(|| input.clone(), PathBuf::from);
            tasks.push(Task { path: input.clone(), name });
            continue;
        };
        for path in programs(folder, output)? {
            let name = path.strip_prefix(folder).unwrap_or(&path).to_owned();
            tasks.push(Task { path, name });
        }
    }
    let mut seen: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for task in &tasks {
        if let Some(other) = seen.insert(task.name.clone(), task.path.clone()) {
            let (one, two) = (other.display(), task.path.display());
            if output.is_some() {
                let name = task.name.display();
                return Err(Failure::usage(format_args!(
                    "{one} and {two}: the results of both would be called {name}"
                )));
            }
        }
    }
    if seen.len() < tasks.len() {
        // Nothing is written, so full paths serve.
        tasks.iter_mut().for_each(|task| task.name.clone_from(&task.path));
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folders_are_searched_but_for_what_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for folder in ["sub/deep", ".git", "results", ".hidden"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["a.py", "sub/deep/b.py", "skipped.py", "results/a.py", ".hidden/c.py", "notes.txt"] {
            fs::write(at(file), "").unwrap();
        }
        fs::write(at(".gitignore"), "skipped.py\n").unwrap();
        let names = |without: Option<&str>| -> Vec<String> {
            let found = programs(dir.path(), without.map(at).as_deref()).unwrap();
            let name = |path: &PathBuf| path.strip_prefix(dir.path()).unwrap().display().to_string();
            found.iter().map(name).collect()
        };
        assert_eq!(names(None), ["a.py", "results/a.py", "sub/deep/b.py"]);
        assert_eq!(names(Some("results")), ["a.py", "sub/deep/b.py"]);
        assert_eq!(names(Some(".")).len(), 3, "results that replace the programs");
    }

    #[test]
    fn results_of_the_same_name_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        for folder in [&a, &b] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("x.py"), "").unwrap();
        }
        let inputs = [a.clone(), b.join("x.py")];
        assert!(tasks(&inputs, Some(&dir.path().join("out"))).is_err());
        let names: Vec<PathBuf> = tasks(&inputs, None).unwrap().into_iter().map(|task| task.name).collect();
        assert_eq!(names, [a.join("x.py"), b.join("x.py")]);
        assert_eq!(tasks(&[a], None).unwrap()[0].name, Path::new("x.py"));
        assert!(tasks(&[PathBuf::from("-"), b], None).is_err());
    }
}
