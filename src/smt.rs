//! z3 as a program that answers questions in SMT-LIB: how it is found, how it is bounded, how it is run. What is asked, and
//! what is made of the answers, is up to those who ask: the checker of rules, and proofs.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A solver that can be run.
///
/// ```
/// use std::time::Duration;
/// use satir::rules::check::Solver;
///
/// let mut patient = Solver::new("/opt/z3/bin/z3");
/// patient.effort = 100_000_000;
/// patient.timeout = Duration::from_secs(300);
/// assert!(patient.effort > Solver::new("z3").effort);
/// assert!(Solver::find("/no/such/folder".as_ref()).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solver {
    program: PathBuf,
    /// How much work, in z3's own unit, it may spend on one question; the same on every machine.
    pub effort: u64,
    /// How long one question may take whatever the machine; only a backstop.
    pub timeout: Duration,
}

/// Why a solver cannot be used.
///
/// ```
/// use satir::rules::check::{Solver, SolverError};
///
/// let error = Solver::find("/no/such/folder".as_ref()).unwrap_err();
/// assert!(matches!(error, SolverError::Missing));
/// assert!(error.to_string().contains("z3-solver"), "it says where to get one");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// There is none.
    #[error("no program `z3` on the path; install Debian's package `z3` or PyPI's `z3-solver`")]
    Missing,
    /// It does not run.
    #[error("cannot run the solver `{program}`: {source}", program = program.display())]
    Run {
        /// The program.
        program: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It ended before it answered, or wrote something that is no answer.
    #[error("the solver `{program}` {what}", program = program.display())]
    Nonsense {
        /// The program.
        program: PathBuf,
        /// What it did.
        what: String,
    },
}

/// Time that a process may take beside that of its questions.
const SPARE: Duration = Duration::from_secs(20);

/// Time between two looks at what the solver has written so far.
const LOOK: Duration = Duration::from_millis(200);

impl Solver {
    /// The solver in this file.
    ///
    /// ```
    /// use satir::rules::check::Solver;
    ///
    /// let solver = Solver::new("/opt/z3/bin/z3");
    /// assert!(solver.effort > 0, "bounded in the solver's own unit");
    /// ```
    pub fn new(program: impl Into<PathBuf>) -> Solver {
        Solver { program: program.into(), effort: 3_000_000, timeout: Duration::from_secs(20) }
    }

    /// The first `z3` in the folders of a search path, which is written as in the environment.
    ///
    /// # Errors
    ///
    /// If there is none.
    ///
    /// ```
    /// use satir::rules::check::Solver;
    ///
    /// match Solver::find(&std::env::var_os("PATH").unwrap_or_default()) {
    ///     Ok(solver) => println!("{solver:?}"),
    ///     Err(error) => println!("{error}"),
    /// }
    /// ```
    pub fn find(search_path: &std::ffi::OsStr) -> Result<Solver, SolverError> {
        let programs = std::env::split_paths(search_path).map(|folder| folder.join("z3"));
        programs.into_iter().find(|p| p.is_file()).map(Solver::new).ok_or(SolverError::Missing)
    }

    /// With other limits for each question.
    ///
    /// ```
    /// use std::time::Duration;
    /// use satir::rules::check::Solver;
    ///
    /// assert_eq!(Solver::new("z3").within(1000, Duration::from_secs(1)).effort, 1000);
    /// ```
    #[must_use]
    pub fn within(self, effort: u64, timeout: Duration) -> Solver {
        Solver { effort, timeout, ..self }
    }

    /// The error of a program that ended early, or wrote what is no answer.
    pub(crate) fn nonsense(&self, what: String) -> SolverError {
        SolverError::Nonsense { program: self.program.clone(), what }
    }

    /// What begins a question: nothing of the one before it, and the limits.
    pub(crate) fn fresh(&self) -> String {
        let (effort, milliseconds) = (self.effort, self.timeout.as_millis());
        format!("(reset)\n(set-option :rlimit {effort})\n(set-option :timeout {milliseconds})\n")
    }

    /// What the program writes of so many questions; `look` is shown now and then what it has written so far.
    pub(crate) fn run(
        &self,
        input: &str,
        questions: usize,
        look: &mut dyn FnMut(&str),
    ) -> Result<String, SolverError> {
        let questions = u32::try_from(questions).unwrap_or(u32::MAX);
        let limit = self.timeout.saturating_mul(questions).saturating_add(SPARE);
        self.run_within(input, limit, look)
            .map_err(|source| SolverError::Run { program: self.program.clone(), source })
    }

    fn run_within(
        &self,
        input: &str,
        limit: Duration,
        look: &mut dyn FnMut(&str),
    ) -> std::io::Result<String> {
        let folder = tempfile::tempdir()?;
        let (asked, answered) = (folder.path().join("questions.smt2"), folder.path().join("answers"));
        std::fs::write(&asked, input)?;
        let written = |path: &Path| Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned());
        let mut child = Command::new(&self.program)
            .args(["-smt2", "-in"])
            .stdin(File::open(&asked)?)
            .stdout(File::create(&answered)?)
            .stderr(Stdio::null())
            .spawn()?;
        let (start, mut looked) = (Instant::now(), Instant::now());
        while child.try_wait()?.is_none() {
            if start.elapsed() > limit {
                child.kill()?;
            }
            if looked.elapsed() > LOOK {
                looked = Instant::now();
                let so_far: std::io::Result<String> = written(&answered);
                look(&so_far?);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        // z3 exits with 1 where a `get-value` had no model to look at.
        written(&answered)
    }
}
