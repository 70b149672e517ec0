//! Reading inputs and writing outputs: standard streams, files that appear whole or not at all.

use std::fmt::Display;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::terminal;

/// Why a command did not do its job.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The program, a rule or a file is bad; the text says where. Exit code 1.
    Bad(String),
    /// The command line asks for something that makes no sense, or `equiv` could not compare. Exit code 2.
    Usage(String),
    /// What was asked about is not so, as the output says: `--check` found something to change. Exit code 1.
    No,
    /// The reader of standard output went away; nothing is wrong. Exit code 0.
    Closed,
}

impl Failure {
    /// A failure that has no place in a text.
    pub(crate) fn bad(what: impl Display) -> Failure {
        Failure::Bad(format!("error: {what}"))
    }

    /// A command line that makes no sense.
    pub(crate) fn usage(what: impl Display) -> Failure {
        Failure::Usage(format!("error: {what}"))
    }

    /// A failure that names `path`.
    pub(crate) fn about(path: &Path, what: impl Display) -> Failure {
        Failure::bad(format_args!("{}: {what}", path.display()))
    }

    /// What to tell the user; nothing if the reader went away.
    pub(crate) fn message(&self) -> &str {
        match self {
            Failure::Bad(text) | Failure::Usage(text) => text,
            Failure::No | Failure::Closed => "",
        }
    }
}

/// A source text with the name that errors show.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Path, or `<stdin>`.
    pub(crate) name: String,
    /// The text.
    pub(crate) text: String,
}

/// Whether the argument means standard input.
pub(crate) fn is_stdin(path: Option<&Path>) -> bool {
    path.is_none_or(|p| p == Path::new("-"))
}

/// The argument if it names a folder.
pub(crate) fn as_folder(path: Option<&Path>) -> Option<&Path> {
    path.filter(|p| !is_stdin(Some(p)) && p.is_dir())
}

/// Reads the whole input.
pub(crate) fn read(path: Option<&Path>) -> Result<Source, Failure> {
    let (name, bytes) = match path {
        Some(path) if !is_stdin(Some(path)) => {
            let bytes = fs::read(path).map_err(|e| Failure::about(path, format!("cannot read: {e}")))?;
            (path.display().to_string(), bytes)
        }
        _ => {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|e| Failure::about(Path::new("<stdin>"), format!("cannot read: {e}")))?;
            ("<stdin>".to_owned(), bytes)
        }
    };
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let before = &e.as_bytes()[..at];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        Failure::Bad(format!("{name}:{line}:{column}: error: this byte is not UTF-8 text"))
    })?;
    Ok(Source { name, text })
}

/// Writes the result to the file, or to standard output if there is none.
pub(crate) fn write(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    match path {
        Some(path) if path != Path::new("-") => write_file(path, text),
        _ => write_stdout(text),
    }
}

/// Writes to standard output.
pub(crate) fn write_stdout(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(Failure::Closed),
        Err(e) => Err(Failure::bad(format_args!("cannot write to standard output: {e}"))),
    }
}

/// Writes to standard error. If that is closed there is nobody to tell.
pub(crate) fn write_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes a unified difference to standard output, in colors if it is to have some.
pub(crate) fn write_difference(text: &str) -> Result<(), Failure> {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => write_stdout(text),
        _ => write_stdout(&terminal::paint_difference(text)),
    }
}

/// Writes beside the target, then renames: the target is the old file or the whole new one, never less.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    write_bytes(path, text.as_bytes())
}

/// As [`write_file`], for what is not text.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let fail = |e: io::Error| Failure::about(path, format!("cannot write: {e}"));
    // A link stays a link: what it points to is replaced, or made.
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(e) if e.kind() == io::ErrorKind::NotFound => end_of_links(path),
        Err(e) => return Err(fail(e)),
    };
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(Failure::about(path, "cannot write: it is a folder"));
    }
    if old.as_ref().is_some_and(|m| !m.is_file()) {
        // A device or pipe cannot be replaced by renaming.
        return match fs::OpenOptions::new().write(true).open(&target) {
            Ok(mut file) => match file.write_all(bytes) {
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(Failure::Closed),
                other => other.map_err(fail),
            },
            Err(e) => Err(fail(e)),
        };
    }
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".satir-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file: what the user's umask leaves of it.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions()).map_err(fail)?;
    }
    file.persist(&target).map_err(|e| fail(e.error))?;
    Ok(())
}

/// Where the links lead that begin at a path, when what they point to is missing.
fn end_of_links(path: &Path) -> PathBuf {
    /// As many as Linux follows.
    const MAX_LINKS: usize = 40;
    let mut end = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&end) else { break };
        end = end.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_file_replaces_the_old_one_and_leaves_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.py");
        write_file(&path, "one").unwrap();
        write_file(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_missing_or_a_target_that_is_a_folder_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write_file(&dir.path().join("no/out.py"), "x").is_err());
        assert!(write_file(dir.path(), "x").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_modes_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real.py"), dir.path().join("link.py"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        write_file(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_what_is_not_there_yet_is_followed() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        symlink("sub/second.py", at("first.py")).unwrap();
        symlink("../end.py", at("sub/second.py")).unwrap();
        write_file(&at("first.py"), "new").unwrap();
        assert_eq!(fs::read_to_string(at("end.py")).unwrap(), "new");
        for link in ["first.py", "sub/second.py"] {
            assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink());
        }
        symlink("no/folder.py", at("nowhere.py")).unwrap();
        assert!(write_file(&at("nowhere.py"), "new").is_err());
        assert!(fs::symlink_metadata(at("nowhere.py")).unwrap().is_symlink());
    }
}
