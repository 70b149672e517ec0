//! The maker of certificates: it runs the checker's own walk, and looks for steps for what normal forms do not show.

mod align;
mod farkas;
mod prover;
mod reduce;
mod written;

use std::fmt::Write;

use super::check::book::facts_of;
use super::check::proof::{Checker, State};
use super::check::rules::Rules;
use super::check::sexp::Sexp;
use super::check::term::{Node, Term, Terms};
use super::check::{Pairs, VERSION, lay};
use crate::diag::Span;
use crate::ir::{Module, PrimFunc, Stmt, with_room};
use prover::Prover;

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
}

/// Looks for a certificate that `b` does what `a` does. `hashes` are those of their texts.
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
/// let made = make(&module, &module, &[hash(text), hash(text)])?;
/// assert!(made.is_complete() && made.by_steps == 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn make(a: &Module, b: &Module, hashes: &[String; 2]) -> Result<Certificate, String> {
    let names = |module: &Module| module.funcs.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
    if names(a) != names(b) {
        return Err("modules with other functions".into());
    }
    let rules = Rules::load()?;
    let mut made = Certificate::default();
    let [input, output] = hashes;
    made.text = format!("(satir-certificate {VERSION} (input {input:?}) (output {output:?})");
    for (first, second) in a.funcs.iter().zip(&b.funcs) {
        with_room(|| function(first, second, &rules, &mut made));
    }
    made.text += ")\n";
    Ok(made)
}

fn function(a: &PrimFunc, b: &PrimFunc, rules: &Rules, made: &mut Certificate) {
    let _ = write!(made.text, "\n  (function {:?}", &*a.name);
    let mut given: Vec<(usize, Pairs)> = Vec::new();
    let mut aligner = |number: usize, left: &[&Stmt], right: &[&Stmt]| {
        let pairs = align::pairs((a, left), (b, right))?;
        given.push((number, pairs.clone()));
        Some(pairs)
    };
    match lay(a, b, &mut aligner) {
        Err((what, spans)) => {
            made.unaligned += 1;
            made.obligations += 1;
            made.open.push((what, spans));
        }
        Ok(mut session) => {
            for (number, pairs) in given {
                let _ = write!(made.text, "\n    (align {number}");
                for pair in pairs {
                    let [i, j] = [pair.0, pair.1].map(|i| i.map_or("_".to_owned(), |i| i.to_string()));
                    let _ = write!(made.text, " ({i} {j})");
                }
                made.text.push(')');
            }
            let named = session.terms.count();
            let checker = Checker { terms: &mut session.terms, book: &session.book, rules, named };
            let mut prover = Prover::new(checker);
            for (number, obligation) in session.book.obligations.iter().enumerate() {
                made.obligations += 1;
                if prover.checker.is_plain(obligation) {
                    continue;
                }
                let facts = facts_of(prover.checker.terms, prover.checker.book, obligation);
                let state = State { goal: obligation.goal.clone(), facts };
                match prover.prove(obligation, state) {
                    Some(steps) if prover.checker.check(obligation, &steps).is_ok() => {
                        made.by_steps += 1;
                        let _ = write!(made.text, "\n    (goal {number}");
                        for step in &steps {
                            made.text += "\n      ";
                            show(step, &mut made.text);
                        }
                        made.text.push(')');
                    }
                    _ => {
                        log::debug!("{}: {}", obligation.what, prover.shown(obligation));
                        made.open.push((obligation.what.to_owned(), obligation.spans));
                    }
                }
            }
        }
    }
    made.text.push(')');
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

/// A term for people who look for what is missing.
fn show_deep(terms: &Terms, term: Term, depth: usize) -> String {
    if depth == 0 {
        return format!("#{}", term.0);
    }
    let of = |part: &Term| show_deep(terms, *part, depth - 1);
    let all = |parts: &[Term]| parts.iter().map(of).collect::<Vec<_>>().join(", ");
    match terms.node(term) {
        Node::Int(value) => value.to_string(),
        Node::Truth(value) => value.to_string(),
        Node::Atom(_) => format!("v{}", term.0),
        Node::Lane(lanes) => format!("lane{lanes}"),
        Node::Sum(products) => {
            let product = |(monomial, factor): &(Vec<Term>, i128)| {
                let atoms = monomial.iter().map(of).collect::<Vec<_>>().join("*");
                if monomial.is_empty() { factor.to_string() } else { format!("{factor}*{atoms}") }
            };
            format!("({})", products.iter().map(product).collect::<Vec<_>>().join(" + "))
        }
        Node::Quotient(a, b) => format!("{}//{}", of(a), of(b)),
        Node::Truncated(a, b) => format!("{}/{}", of(a), of(b)),
        Node::Least(parts) => format!("min({})", all(parts)),
        Node::Greatest(parts) => format!("max({})", all(parts)),
        Node::Wrap(bits, signed, a) => format!("wrap{bits}{signed}({})", of(a)),
        Node::Choice(c, a, b) => format!("({} ? {} : {})", of(c), of(a), of(b)),
        Node::NotNegative(a) => format!("[{} >= 0]", of(a)),
        Node::IsZero(a) => format!("[{} == 0]", of(a)),
        Node::Not(a) => format!("!{}", of(a)),
        Node::And(parts) => format!("and({})", all(parts)),
        Node::Apply(name, parts) => format!("{name}({})", all(parts)),
        Node::Whole(_, a) => format!("whole({})", of(a)),
        Node::Load { buffer, version, index, .. } => format!("b{buffer}.{version}[{}]", all(index)),
    }
}
