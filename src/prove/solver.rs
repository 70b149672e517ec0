//! Asks z3, as a program: all questions of a proof in one process, the answers read from its output.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A program that decides questions in SMT-LIB.
///
/// ```
/// use satir::prove::Solver;
///
/// let patient = Solver { effort: 10_000_000, ..Solver::new("/opt/z3/bin/z3") };
/// assert!(patient.effort > Solver::new("z3").effort);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solver {
    program: PathBuf,
    /// How much work, in the solver's own unit, one question may take; the same on every machine.
    pub effort: u64,
    /// How long one question may take whatever the machine; only a backstop.
    pub timeout: Duration,
}

/// Why there is no answer at all.
///
/// ```
/// assert!(satir::prove::SolverError::Missing.to_string().starts_with("no solver"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// There is none.
    #[error("no solver: no program `z3` on the path; install Debian's package `z3` or PyPI's `z3-solver`")]
    Missing,
    /// It does not run.
    #[error("cannot run the solver `{}`: {source}", program.display())]
    Run {
        /// The program.
        program: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It ended before it answered, or wrote something that is no answer.
    #[error("the solver `{}` {what}", program.display())]
    Nonsense {
        /// The program.
        program: PathBuf,
        /// What it did.
        what: String,
    },
}

/// What the solver says of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// There are no such values.
    Unsat,
    /// There are: by the names that were asked for.
    Sat(Vec<(String, String)>),
    /// It does not know.
    Unknown,
}

impl Solver {
    /// The solver in this file.
    ///
    /// ```
    /// assert_eq!(satir::prove::Solver::new("z3").timeout.as_secs(), 2);
    /// ```
    pub fn new(program: impl Into<PathBuf>) -> Solver {
        Solver { program: program.into(), effort: 1_500_000, timeout: Duration::from_secs(2) }
    }

    /// The first `z3` in the folders of a search path, which is written as in the environment.
    ///
    /// # Errors
    ///
    /// If there is none.
    ///
    /// ```
    /// assert!(satir::prove::Solver::find("/nowhere".as_ref()).is_err());
    /// ```
    pub fn find(search_path: &std::ffi::OsStr) -> Result<Solver, SolverError> {
        let mut programs = std::env::split_paths(search_path).map(|folder| folder.join("z3"));
        programs.find(|p| p.is_file()).map(Solver::new).ok_or(SolverError::Missing)
    }

    /// The file of the program.
    ///
    /// ```
    /// assert_eq!(satir::prove::Solver::new("z3").program().to_str(), Some("z3"));
    /// ```
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// An answer to each question.
    pub(super) fn ask(&self, questions: &[(String, Vec<String>)]) -> Result<Vec<Answer>, SolverError> {
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        let mut input = String::new();
        for (i, (text, wanted)) in questions.iter().enumerate() {
            let values = if wanted.is_empty() {
                String::new()
            } else {
                format!("(get-value ({}))\n", wanted.join(" "))
            };
            input += &format!(
                "(reset)\n(set-option :rlimit {})\n(set-option :timeout {})\n{text}(echo \"question {i}\")\n(check-sat)\n{values}",
                self.effort,
                self.timeout.as_millis(),
            );
        }
        input += "(echo \"the end\")\n";
        let output = self.run(input, self.timeout * u32::try_from(questions.len()).unwrap_or(u32::MAX))?;
        self.answers(&output, questions)
    }

    fn run(&self, input: String, limit: Duration) -> Result<String, SolverError> {
        let failed = |source| SolverError::Run { program: self.program.clone(), source };
        let mut child = Command::new(&self.program)
            .args(["-smt2", "-in"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        // It may write before it has read all: both go on at once. What it does not read shows in its answers.
        let writer = std::thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(input.as_bytes())));
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stdout.map(|mut pipe| pipe.read_to_end(&mut bytes));
            bytes
        });
        let start = Instant::now();
        while child.try_wait().map_err(failed)?.is_none() {
            if start.elapsed() > limit + Duration::from_secs(5) {
                child.kill().map_err(failed)?;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = writer.join();
        Ok(String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned())
    }

    fn answers(&self, output: &str, questions: &[(String, Vec<String>)]) -> Result<Vec<Answer>, SolverError> {
        let nonsense = |what: String| SolverError::Nonsense { program: self.program.clone(), what };
        if output.lines().next_back() != Some("the end") {
            return Err(nonsense("ended before it had answered".to_owned()));
        }
        let mut answers = Vec::new();
        for part in output.split("question ").skip(1) {
            let mut lines = part.lines();
            let number = lines.next().unwrap_or("");
            if number != answers.len().to_string() || answers.len() == questions.len() {
                return Err(nonsense(format!("answered another question: `{number}`")));
            }
            let verdict = lines.next().unwrap_or("");
            answers.push(match verdict {
                "unsat" => Answer::Unsat,
                "unknown" | "timeout" => Answer::Unknown,
                "sat" => Answer::Sat(values(&lines.collect::<Vec<_>>().join(" "))),
                // An error, of a text that it cannot read, is no answer either.
                other => return Err(nonsense(format!("answered `{other}`"))),
            });
        }
        if answers.len() != questions.len() {
            return Err(nonsense(format!("answered {} of {} questions", answers.len(), questions.len())));
        }
        Ok(answers)
    }
}

/// The values in `((t3 (- 3)) (t5 true))`.
fn values(text: &str) -> Vec<(String, String)> {
    let flat: String = text.chars().map(|c| if matches!(c, '(' | ')') { ' ' } else { c }).collect();
    let words: Vec<&str> = flat.split_whitespace().collect();
    let mut found: Vec<(String, String)> = Vec::new();
    let mut minus = false;
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        match word {
            "-" => minus = true,
            _ if is_name(word) => {
                found.push((word.to_owned(), String::new()));
                minus = false;
            }
            value => {
                if let Some((_, last)) = found.last_mut()
                    && last.is_empty()
                {
                    *last = format!("{}{value}", if minus { "-" } else { "" });
                }
            }
        }
        if words.peek() == Some(&"the") {
            break;
        }
    }
    found
}

fn is_name(word: &str) -> bool {
    word.strip_prefix('t').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let solver = Solver::new("z3");
        let question = (String::new(), Vec::new());
        let asked = vec![question; 3];
        let text = "question 0\nsat\n((t3 (- 3))\n (t5 true))\nquestion 1\nunsat\n(error \"line 8\")\nquestion 2\nunknown\nthe end\n";
        let value = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let sat = Answer::Sat(vec![value("t3", "-3"), value("t5", "true")]);
        assert_eq!(solver.answers(text, &asked).unwrap(), [sat, Answer::Unsat, Answer::Unknown]);
        for bad in [
            "",
            "question 0\nunsat\n",
            "question 0\nunsat\nquestion 1\nunsat\nthe end\n",
            "question 0\nunsat\nquestion 2\nunsat\nquestion 1\nunsat\nthe end\n",
            "question 0\nyes\nquestion 1\nunsat\nquestion 2\nunsat\nthe end\n",
        ] {
            assert!(matches!(solver.answers(bad, &asked), Err(SolverError::Nonsense { .. })), "{bad}");
        }
    }
}
