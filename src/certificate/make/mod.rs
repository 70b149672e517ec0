//! The maker of certificates: it runs the checker's own walk, and looks for steps for what normal forms do not show.

mod align;
mod cover;
mod extrema;
mod farkas;
mod prover;
mod reduce;
mod shown;
mod simplex;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::check::book::{Goal, facts_of};
use super::check::eval::Machine;
use super::check::pairs::{Pair, Pairs};
use super::check::proof::{Checker, State};
use super::check::rules::Rules;
use super::check::sexp::Sexp;
use super::check::side::Side;
use super::check::steps::Placed;
use super::check::{CLAIM, GUARD, LENGTH, Plan, VERSION, lay, read_program};
use crate::diag::Span;
use crate::ir::{Module, PrimFunc, with_room};
use prover::Prover;

/// Most conditions of a function that are claimed to be those of another one.
const MAX_CLAIMS: usize = 10_000;

/// A certificate, and what it does not show.
///
/// ```
/// let certificate = satir::certificate::Certificate::default();
/// assert!(certificate.is_complete(), "nothing was to be shown");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Certificate {
    /// Its text; only a complete one is accepted.
    pub text: String,
    /// What was to be shown.
    pub obligations: usize,
    /// What has steps.
    pub by_steps: usize,
    /// What is not shown, and at which statements of both programs.
    pub open: Vec<(String, (Span, Span))>,
    /// Functions that could not be laid side by side, whose obligations nobody knows.
    pub unaligned: usize,
}

impl Certificate {
    /// Whether it shows all.
    ///
    /// ```
    /// use satir::certificate::Certificate;
    /// use satir::diag::Span;
    ///
    /// let open = vec![("the same value is stored".into(), (Span::NONE, Span::NONE))];
    /// assert!(!Certificate { open, ..Certificate::default() }.is_complete());
    /// ```
    pub fn is_complete(&self) -> bool {
        self.open.is_empty()
    }

    /// Adds what another part shows.
    fn append(&mut self, part: Certificate) {
        self.text += &part.text;
        self.obligations += part.obligations;
        self.by_steps += part.by_steps;
        self.unaligned += part.unaligned;
        self.open.extend(part.open);
    }
}

/// Looks for a certificate that `b` does what `a` does. `hashes` are those of their texts. `stages` are the texts of programs
/// on the way from the one to the other: each does what the one before it does, which may be easier to show. What is no
/// program is left out.
///
/// # Errors
///
/// If the modules have other functions.
///
/// ```
/// use satir::certificate::{hash, make};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\")):\n    A[1] = 2\n";
/// let module = satir::parse(text)?;
/// let made = make(&module, &module, &[hash(text), hash(text)], &[])?;
/// assert!(made.is_complete() && made.by_steps == 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn make(a: &Module, b: &Module, hashes: &[String; 2], stages: &[String]) -> Result<Certificate, String> {
    let rules = Rules::load()?;
    let mut made = leg(a, b, &rules)?;
    if !made.is_complete()
        && let Some(staged) = in_stages((a, b), stages, &rules)
    {
        made = staged;
    }
    let [input, output] = hashes.each_ref().map(|hash| quoted(hash));
    made.text = format!("(satir-certificate {VERSION} (input {input}) (output {output})\n {})\n", made.text);
    Ok(made)
}

/// A text as an S-expression has it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The part of a certificate that goes from one program to the next.
fn leg(a: &Module, b: &Module, rules: &Rules) -> Result<Certificate, String> {
    let names = |module: &Module| module.funcs.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
    if names(a) != names(b) {
        return Err("modules with other functions".into());
    }
    let mut made = Certificate { text: "(leg".to_owned(), ..Certificate::default() };
    for (first, second) in a.funcs.iter().zip(&b.funcs) {
        with_room(|| function(first, second, rules, &mut made));
    }
    made.text.push(')');
    Ok(made)
}

/// Legs from one program to another by stages between them; `None` if some leg is not shown.
fn in_stages((a, b): (&Module, &Module), stages: &[String], rules: &Rules) -> Option<Certificate> {
    /// How many stages a leg may leave out, if the way to the next one is not shown.
    const MAX_LEFT_OUT: usize = 2;
    let read: Vec<(&String, Module)> =
        stages.iter().filter_map(|text| Some((text, read_program(text).ok()?))).collect();
    let programs: Vec<&Module> =
        [a].into_iter().chain(read.iter().map(|(_, module)| module)).chain([b]).collect();
    let (mut made, mut at, last) = (Certificate::default(), 0, programs.len() - 1);
    while at < last {
        let mut ways = (at + 1..=last.min(at + 1 + MAX_LEFT_OUT)).filter(|&to| (at, to) != (0, last));
        let Some((to, part)) = ways.find_map(|to| {
            let part = leg(programs[at], programs[to], rules).ok()?;
            part.is_complete().then_some((to, part))
        }) else {
            log::debug!(
                "no leg of a certificate begins at stage {at} of {}\n{}# next\n{}",
                read.len(),
                programs[at],
                programs[at + 1]
            );
            return None;
        };
        made.append(part);
        if let Some((text, _)) = read.get(to - 1) {
            made.text += "\n (program";
            for line in text.lines() {
                let _ = write!(made.text, "\n  {}", quoted(line));
            }
            made.text += ")\n ";
        }
        at = to;
    }
    Some(made)
}

/// What is known of how two functions belong together; found out by laying them side by side more than once.
#[derive(Clone, Default)]
struct Guesses {
    /// Statements of either function that never run.
    never: [Vec<Span>; 2],
    /// Conditions of the second function that are no conditions of the first one.
    apart: BTreeSet<usize>,
    /// Loops of both functions that do not have as many iterations.
    longer: Vec<(Span, Span)>,
    /// Loops of both functions that do not run under the same condition.
    overlap: Vec<(Span, Span)>,
    /// Whether loops over the same range belong together, though what they do does not look like it.
    one_by_one: bool,
}

fn function(a: &PrimFunc, b: &PrimFunc, rules: &Rules, made: &mut Certificate) {
    /// Most times that functions are laid side by side.
    const MAX_ROUNDS: usize = 6;
    let mut guesses = Guesses::default();
    let mut best: Option<Certificate> = None;
    for _ in 0..MAX_ROUNDS {
        let (part, better) = attempt(a, b, rules, &mut guesses);
        let done = part.open.is_empty() || !better;
        let gain = |best: &Certificate| (part.unaligned, part.open.len()) < (best.unaligned, best.open.len());
        if best.as_ref().is_none_or(gain) {
            best = Some(part);
        }
        if done {
            break;
        }
    }
    if let Some(part) = best {
        made.append(part);
    }
}

/// A certificate of a pair of functions by what is guessed, and whether better guesses were found.
fn attempt(a: &PrimFunc, b: &PrimFunc, rules: &Rules, guesses: &mut Guesses) -> (Certificate, bool) {
    let mut made = Certificate::default();
    let _ = write!(made.text, "\n  (function {}", quoted(&a.name));
    let mut given: BTreeMap<usize, Pairs> = BTreeMap::new();
    let mut looked = false;
    let Guesses { never, longer, overlap, one_by_one, .. } = guesses.clone();
    let mut aligner =
        |machine: &mut Machine<'_>, number: usize, left: &[Placed<'_>], right: &[Placed<'_>]| {
            let covers = cover::covers(machine, left, right, &longer, one_by_one);
            looked |= covers.looked;
            let (left, right) = (cover::leaves(left), cover::leaves(right));
            let pairs = align::pairs((a, &left), (b, &right), &never, &covers);
            let pairs = align::with_overlaps(pairs, &left, &right, &overlap)?;
            given.insert(number, pairs.clone());
            Some(pairs)
        };
    // More than there are conditions is no harm.
    let claims: BTreeSet<usize> = (0..MAX_CLAIMS).filter(|n| !guesses.apart.contains(n)).collect();
    let mut laid = lay(a, b, Plan { aligner: &mut aligner, claims: &claims });
    if looked {
        // Once more without the terms that it took to find out, as numbers of terms are those that the checker will have.
        let mut again = |_: &mut Machine<'_>, number: usize, _: &[Placed<'_>], _: &[Placed<'_>]| {
            given.get(&number).cloned()
        };
        laid = lay(a, b, Plan { aligner: &mut again, claims: &claims });
    }
    let mut session = match laid {
        Err((what, spans)) => {
            made.unaligned += 1;
            made.obligations += 1;
            made.open.push((what, spans));
            return (made, !std::mem::replace(&mut guesses.one_by_one, true));
        }
        Ok(session) => session,
    };
    for (number, pairs) in given {
        let _ = write!(made.text, "\n    (align {number}");
        for pair in pairs {
            match pair {
                Pair::Leaves(i, j) => {
                    let [i, j] = [i, j].map(|i| i.map_or("_".to_owned(), |i| i.to_string()));
                    let _ = write!(made.text, " ({i} {j})");
                }
                Pair::Overlap(i, j) => {
                    let _ = write!(made.text, " (overlap {i} {j})");
                }
                Pair::Peel(i, j, leaves) => {
                    let _ = write!(made.text, " (peel {i} {j} {leaves})");
                }
                Pair::Front(i, j, leaves, front) => {
                    let front: Vec<String> = front.iter().map(usize::to_string).collect();
                    let _ = write!(made.text, " (front {i} {j} {leaves} {})", front.join(" "));
                }
                Pair::Fission(i, j, leaves) => {
                    let _ = write!(made.text, " (fission {i} {j} {leaves})");
                }
                Pair::Cover(i, j, tree, shape) => {
                    let tree = if tree == Side::First { "first" } else { "second" };
                    let _ = write!(made.text, " (cover {i} {j} {tree} {})", cover::written(&shape));
                }
            }
        }
        made.text.push(')');
    }
    let used = session.claimed.clone();
    let claimed: Vec<String> = used.iter().map(usize::to_string).collect();
    let _ = write!(made.text, "\n    (conditions {})", claimed.join(" "));
    let named = session.terms.count();
    let checker = Checker { terms: &mut session.terms, book: &session.book, rules, named };
    let mut prover = Prover::new(checker);
    let (mut claim, mut better) = (0, false);
    for (number, obligation) in session.book.obligations.iter().enumerate() {
        made.obligations += 1;
        let is_claim = obligation.what == CLAIM;
        claim += usize::from(is_claim);
        if prover.checker.is_plain(obligation) {
            continue;
        }
        let facts = facts_of(prover.checker.terms, prover.checker.book, obligation);
        let state = State { goal: obligation.goal.clone(), facts };
        let steps = prover.prove(obligation, state).filter(|steps| {
            let checked = prover.checker.check(obligation, steps);
            checked.inspect_err(|why| log::debug!("steps are wrong: {why}")).is_ok()
        });
        match steps {
            Some(steps) => {
                made.by_steps += 1;
                let _ = write!(made.text, "\n    (goal {number}");
                for step in &steps {
                    made.text += "\n      ";
                    show(step, &mut made.text);
                }
                made.text.push(')');
            }
            None => {
                log::debug!("{}: {}", obligation.what, prover.shown(obligation));
                made.open.push((obligation.what.to_owned(), obligation.spans));
                if is_claim {
                    better |= used.get(claim - 1).is_some_and(|&n| guesses.apart.insert(n));
                }
                if obligation.what == LENGTH && !guesses.longer.contains(&obligation.spans) {
                    guesses.longer.push(obligation.spans);
                    better = true;
                }
                // One of two statements that do not belong together may never run.
                if let (GUARD, Goal::Same(x, y)) = (obligation.what, &obligation.goal) {
                    if !guesses.overlap.contains(&obligation.spans) {
                        guesses.overlap.push(obligation.spans);
                        better = true;
                    }
                    for (side, term, span) in [(0, *x, obligation.spans.0), (1, *y, obligation.spans.1)] {
                        let none = prover.checker.terms.as_truth(term) == Some(false);
                        if none && span != Span::NONE && !guesses.never[side].contains(&span) {
                            guesses.never[side].push(span);
                            better = true;
                        }
                    }
                }
            }
        }
    }
    made.text.push(')');
    (made, better)
}

fn show(e: &Sexp, out: &mut String) {
    match e {
        Sexp::Word(word) => out.push_str(word),
        Sexp::List(parts) => {
            out.push('(');
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    out.push(' ');
                }
                show(part, out);
            }
            out.push(')');
        }
    }
}
