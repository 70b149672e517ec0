//! Runs z3 on many questions, a few processes side by side.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::encode::Question;
use crate::rules::check::report::Proof;
use crate::smt::{Solver, SolverError};

/// An answer to each question. `watch` is told how many questions have been taken up.
pub(super) fn ask(
    solver: &Solver,
    questions: &[Question],
    watch: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Proof>, SolverError> {
    // Neighbours are alike and equally hard, so each process gets every n-th question.
    let processes = rayon::current_num_threads().clamp(1, 16);
    let shares: Vec<Vec<usize>> =
        (0..processes).map(|p| (p..questions.len()).step_by(processes).collect()).collect();
    let done = AtomicUsize::new(0);
    let more = |n: usize| watch(done.fetch_add(n, Ordering::Relaxed) + n);
    let answers: Vec<_> = shares
        .par_iter()
        .filter(|share| !share.is_empty())
        .map(|share| ask_one_process(solver, share, questions, &more))
        .collect::<Result<_, _>>()?;
    let mut all = vec![Proof::Undecided("the solver stopped".to_owned()); questions.len()];
    for (i, proof) in answers.into_iter().flatten() {
        all[i] = proof;
    }
    Ok(all)
}

fn ask_one_process(
    solver: &Solver,
    share: &[usize],
    questions: &[Question],
    more: &(dyn Fn(usize) + Sync),
) -> Result<Vec<(usize, Proof)>, SolverError> {
    let mut input = String::new();
    for &i in share {
        let names: Vec<&str> = questions[i].names.iter().map(|(name, _)| name.as_str()).collect();
        input += &format!(
            "{}{}(echo \"question {i}\")\n(check-sat)\n(get-info :reason-unknown)\n(get-value ({}))\n",
            solver.fresh(),
            questions[i].text,
            names.join(" "),
        );
    }
    let mut told = 0;
    let text = solver.run(&input, share.len(), &mut |text| {
        let done = text.matches("question ").count();
        more(done.saturating_sub(told));
        told = told.max(done);
    })?;
    more(share.len().saturating_sub(told));
    Ok(answers(&text, questions))
}

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
        assert!(matches!(ask(&solver, &[question], &|_| ()), Err(SolverError::Run { .. })));
        assert_eq!(ask(&solver, &[], &|_| ()).unwrap(), []);
    }
}
