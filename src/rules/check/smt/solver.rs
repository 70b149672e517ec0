//! Runs z3 on many questions, a few processes side by side.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::encode::Question;
use crate::rules::check::report::Proof;

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
}

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

    /// An answer to each question. `watch` is told how many questions have been taken up.
    pub(super) fn ask(
        &self,
        questions: &[Question],
        watch: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<Proof>, SolverError> {
        // Neighbours are alike and equally hard, so each process gets every n-th question.
        let processes = rayon::current_num_threads().clamp(1, 16);
        let shares: Vec<Vec<usize>> =
            (0..processes).map(|p| (p..questions.len()).step_by(processes).collect()).collect();
        let run = |source| SolverError::Run { program: self.program.clone(), source };
        let done = AtomicUsize::new(0);
        let more = |n: usize| watch(done.fetch_add(n, Ordering::Relaxed) + n);
        let answers: Vec<_> = shares
            .par_iter()
            .filter(|share| !share.is_empty())
            .map(|share| self.ask_one_process(share, questions, &more).map_err(run))
            .collect::<Result<_, _>>()?;
        let mut all = vec![Proof::Undecided("the solver stopped".to_owned()); questions.len()];
        for (i, proof) in answers.into_iter().flatten() {
            all[i] = proof;
        }
        Ok(all)
    }

    fn ask_one_process(
        &self,
        share: &[usize],
        questions: &[Question],
        more: &(dyn Fn(usize) + Sync),
    ) -> std::io::Result<Vec<(usize, Proof)>> {
        let folder = tempfile::tempdir()?;
        let (input, output) = (folder.path().join("questions.smt2"), folder.path().join("answers"));
        let mut file = File::create(&input)?;
        for &i in share {
            let names: Vec<&str> = questions[i].names.iter().map(|(name, _)| name.as_str()).collect();
            writeln!(
                file,
                "(reset)\n(set-option :rlimit {})\n(set-option :timeout {})\n{}(echo \"question {i}\")\n(check-sat)\n\
                 (get-info :reason-unknown)\n(get-value ({}))",
                self.effort,
                self.timeout.as_millis(),
                questions[i].text,
                names.join(" "),
            )?;
        }
        drop(file);
        let mut told = 0;
        self.run(&input, &output, self.timeout.saturating_mul(share.len() as u32 + 1), &mut |text| {
            let done = text.matches("question ").count();
            more(done.saturating_sub(told));
            told = told.max(done);
        })?;
        more(share.len().saturating_sub(told));
        let text = String::from_utf8_lossy(&std::fs::read(&output)?).into_owned();
        Ok(answers(&text, questions))
    }

    /// Runs the program; `look` is shown now and then what it has written so far.
    fn run(
        &self,
        input: &Path,
        output: &Path,
        limit: Duration,
        look: &mut dyn FnMut(&str),
    ) -> std::io::Result<()> {
        let mut child = Command::new(&self.program)
            .arg("-smt2")
            .arg(input)
            .stdin(Stdio::null())
            .stdout(File::create(output)?)
            .stderr(Stdio::null())
            .spawn()?;
        let (start, mut looked) = (Instant::now(), Instant::now());
        while child.try_wait()?.is_none() {
            if start.elapsed() > limit {
                child.kill()?;
            }
            if looked.elapsed() > LOOK {
                looked = Instant::now();
                look(&String::from_utf8_lossy(&std::fs::read(output)?));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        // z3 exits with 1 where a `get-value` had no model to look at.
        Ok(())
    }
}

/// Time between two looks at what the solver has written so far.
const LOOK: Duration = Duration::from_millis(200);

/// The answers in what the solver wrote.
fn answers(text: &str, questions: &[Question]) -> Vec<(usize, Proof)> {
    let mut all = Vec::new();
    for part in text.split("question ").skip(1) {
        let (number, answer) = part.split_once('\n').unwrap_or((part, ""));
        let Some((i, question)) =
            number.trim().parse().ok().and_then(|i: usize| Some((i, questions.get(i)?)))
        else {
            continue;
        };
        let (verdict, rest) = answer.split_once('\n').unwrap_or((answer, ""));
        let proof = match verdict.trim() {
            "unsat" => Proof::Proven,
            "sat" => Proof::Refuted(model(rest, question)),
            "unknown" => Proof::Undecided(reason(rest).to_owned()),
            other => Proof::Undecided(format!("the solver did not understand: {other}")),
        };
        all.push((i, proof));
    }
    all
}

/// What stands in quotes in `(:reason-unknown "…")`.
fn reason(text: &str) -> &str {
    text.split('"').nth(1).unwrap_or("no reason given")
}

/// The values in `((h0 3) (t0 false) …)`, with the names that the rule has for them.
fn model(text: &str, question: &Question) -> String {
    let values = text.split_once("((").map_or("", |(_, rest)| rest);
    let mut found = Vec::new();
    for part in values.split("\n (") {
        let part = part.trim().trim_end_matches(')');
        let Some((name, value)) = part.split_once(' ') else { continue };
        // Trailing parentheses of the value went with those of the list.
        let missing = value.matches('(').count().saturating_sub(value.matches(')').count());
        let value = format!("{value}{}", ")".repeat(missing));
        if let Some((_, meaning)) = question.names.iter().find(|(known, _)| known == name)
            && value != "false"
        {
            found.push(format!("{meaning} = {value}"));
        }
    }
    found.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let names = vec![("h0".to_owned(), "?x".to_owned()), ("t0".to_owned(), "?x traps".to_owned())];
        let question = Question { text: String::new(), names };
        let text = "question 0\nsat\n(error \"line 8\")\n((h0 (- 3))\n (t0 false))\nquestion 2\nunsat\n(error)\n\
                    question 1\nunknown\n(:reason-unknown \"canceled\")\n(error)\n";
        let found = answers(text, &[question.clone(), question.clone(), question]);
        assert_eq!(
            found,
            [
                (0, Proof::Refuted("?x = (- 3)".to_owned())),
                (2, Proof::Proven),
                (1, Proof::Undecided("canceled".to_owned())),
            ]
        );
    }

    #[test]
    fn a_missing_solver_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(Solver::find(folder.path().as_os_str()), Err(SolverError::Missing)));
        let solver = Solver::new(folder.path().join("z3"));
        let question = Question { text: String::new(), names: Vec::new() };
        assert!(matches!(solver.ask(&[question], &|_| ()), Err(SolverError::Run { .. })));
        assert_eq!(solver.ask(&[], &|_| ()).unwrap(), []);
    }
}
