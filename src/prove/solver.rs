//! Asks z3, as a program: few processes for all questions that are asked together, the answers read from their output.

use std::time::Duration;

use rayon::prelude::*;

use crate::smt::{Solver, SolverError};

/// A question in the language of the solver, and the names of the values that are wanted.
pub(super) type Script = (String, Vec<String>);

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

/// An answer to each question, and how much work it took, in the solver's own unit. All of them together get the time of the
/// solver.
pub(super) fn ask(solver: &Solver, questions: &[Script]) -> Result<Vec<(Answer, u64)>, SolverError> {
    /// Fewer questions take less time than another process does.
    const LEAST: usize = 3;
    // Neighbours are alike and equally hard, so each process gets every n-th question.
    let processes = (questions.len() / LEAST).clamp(1, rayon::current_num_threads());
    let shares: Vec<Vec<&Script>> =
        (0..processes).map(|first| questions.iter().skip(first).step_by(processes).collect()).collect();
    let each = solver.timeout / u32::try_from(questions.len().div_ceil(processes).max(1)).unwrap_or(u32::MAX);
    let solver = solver.clone().within(solver.effort, each.max(Duration::from_millis(1)));
    let answers: Vec<_> =
        shares.par_iter().map(|share| ask_one_process(&solver, share)).collect::<Result<_, _>>()?;
    let mut answers: Vec<_> = answers.into_iter().map(Vec::into_iter).collect();
    Ok((0..questions.len()).filter_map(|number| answers[number % processes].next()).collect())
}

fn ask_one_process(solver: &Solver, questions: &[&Script]) -> Result<Vec<(Answer, u64)>, SolverError> {
    if questions.is_empty() {
        return Ok(Vec::new());
    }
    let mut input = String::new();
    for (i, (text, wanted)) in questions.iter().enumerate() {
        let values =
            if wanted.is_empty() { String::new() } else { format!("(get-value ({}))\n", wanted.join(" ")) };
        input += &format!(
            "{}{text}(echo \"question {i}\")\n(check-sat)\n(get-info :rlimit)\n{values}",
            solver.fresh(),
        );
    }
    input += "(echo \"the end\")\n";
    let output = solver.run(&input, questions.len(), &mut |_| ())?;
    answers(solver, &output, questions.len())
}

fn answers(solver: &Solver, output: &str, questions: usize) -> Result<Vec<(Answer, u64)>, SolverError> {
    let nonsense = |what: String| solver.nonsense(what);
    if output.lines().next_back() != Some("the end") {
        return Err(nonsense("ended before it had answered".to_owned()));
    }
    let mut answers = Vec::new();
    for part in output.split("question ").skip(1) {
        let mut lines = part.lines();
        let number = lines.next().unwrap_or("");
        if number != answers.len().to_string() || answers.len() == questions {
            return Err(nonsense(format!("answered another question: `{number}`")));
        }
        let verdict = lines.next().unwrap_or("");
        let work = lines.next().unwrap_or("");
        let answer = match verdict {
            "unsat" => Answer::Unsat,
            "unknown" | "timeout" => Answer::Unknown,
            "sat" => Answer::Sat(values(&lines.collect::<Vec<_>>().join(" "))),
            // An error, of a text that it cannot read, is no answer either.
            other => return Err(nonsense(format!("answered `{other}`"))),
        };
        let number = work.strip_prefix("(:rlimit ").and_then(|rest| rest.strip_suffix(')')?.parse().ok());
        let work = number.ok_or_else(|| nonsense(format!("said `{work}` of its work")))?;
        answers.push((answer, work));
    }
    if answers.len() != questions {
        return Err(nonsense(format!("answered {} of {} questions", answers.len(), questions)));
    }
    Ok(answers)
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
        let text = "question 0\nsat\n(:rlimit 7)\n((t3 (- 3))\n (t5 true))\nquestion 1\nunsat\n(:rlimit 8)\n(error \"line 8\")\nquestion 2\nunknown\n(:rlimit 9)\nthe end\n";
        let value = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let sat = Answer::Sat(vec![value("t3", "-3"), value("t5", "true")]);
        assert_eq!(answers(&solver, text, 3).unwrap(), [(sat, 7), (Answer::Unsat, 8), (Answer::Unknown, 9)]);
        for bad in [
            "",
            "question 0\nunsat\n",
            "question 0\nunsat\n(:rlimit 1)\nquestion 1\nunsat\n(:rlimit 1)\nthe end\n",
            "question 0\nunsat\n(:rlimit 1)\nquestion 2\nunsat\n(:rlimit 1)\nquestion 1\nunsat\n(:rlimit 1)\nthe end\n",
            "question 0\nyes\n(:rlimit 1)\nquestion 1\nunsat\n(:rlimit 1)\nquestion 2\nunsat\n(:rlimit 1)\nthe end\n",
            "question 0\nunsat\nquestion 1\nunsat\nquestion 2\nunsat\nthe end\n",
        ] {
            assert!(matches!(answers(&solver, bad, 3), Err(SolverError::Nonsense { .. })), "{bad}");
        }
    }
}
