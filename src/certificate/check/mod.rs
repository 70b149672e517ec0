//! The checker of certificates: small, without search, and without anything of satir but the representation of programs. That a
//! certificate is accepted rests on the files of this folder, on the statements of the laws and rules (`axioms.rules` and
//! `rules/*.rules`, which a solver proves elsewhere), and on what reads programs.
//!
//! Both functions are run symbolically, side by side ([`walk`]): statements that belong together give obligations, bindings are
//! put in ([`eval`]), so that values are terms over what the functions get and what memory holds ([`term`], with sums and products
//! in normal form). An obligation holds if both terms are one. Else the certificate has steps for it ([`proof`]): each is an
//! instance of a rule ([`rules`]) whose conditions are among the facts of the place or sums of multiples of facts.
//!
//! What is shown: on all inputs on which the first program has a meaning, the second one evaluates nothing that may trap but what
//! the first one evaluates too or what cannot trap there, and stores the same values at the same places, with the same calls. All
//! is in the same order, but for stores that nothing sees earlier than the first program makes them ([`early`]). As in all of satir integers of `int32` and `int64` are those of mathematics: that sums of the second program fit
//! their types where those of the first one do is not part of it.

pub(crate) mod book;
pub(crate) mod bounds;
mod cover;
mod early;
pub(crate) mod eval;
mod idle;
mod memory;
pub(crate) mod pairs;
pub(crate) mod proof;
mod reciprocal;
pub(crate) mod rules;
pub(crate) mod sexp;
pub(crate) mod side;
mod signature;
pub(crate) mod steps;
pub(crate) mod term;
mod walk;

use std::borrow::Cow;
use std::collections::BTreeSet;

use hashbrown::HashMap;

use self::book::Book;
use self::eval::Machine;
use self::pairs::{Pair, Pairs};
use self::proof::Checker;
use self::rules::Rules;
use self::sexp::Sexp;
use self::steps::Placed;
use self::term::Terms;
use crate::diag::Span;
use crate::ir::{Module, PrimFunc, with_room};
use crate::{script, verify};

pub(crate) use walk::{CLAIM, GUARD, LENGTH, Plan};

/// The version of the format.
pub(crate) const VERSION: &str = "4";

/// How much a certificate shows.
///
/// ```
/// let checked = satir::certificate::Checked { functions: 1, obligations: 3, by_steps: 2 };
/// assert!(checked.by_steps <= checked.obligations);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Functions of the module.
    pub functions: usize,
    /// What was to be shown.
    pub obligations: usize,
    /// What the normal form of terms does not show, so that the certificate has steps for it.
    pub by_steps: usize,
}

/// The number by which a certificate knows a text. It only tells texts apart that were mixed up: what is shown does not rest on
/// it.
///
/// ```
/// use satir::certificate::hash;
///
/// assert_eq!(hash("A[0] = 1"), hash("A[0] = 1"));
/// assert_ne!(hash("A[0] = 1"), hash("A[0] = 2"));
/// ```
pub fn hash(text: &str) -> String {
    // FNV-1a.
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("fnv1a64:{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// Two functions after they were laid side by side.
pub(crate) struct Session {
    pub(crate) terms: Terms,
    pub(crate) book: Book,
    /// Conditions of the second one that were claimed to be those of the first one.
    pub(crate) claimed: Vec<usize>,
}

/// Lays two functions side by side.
///
/// # Errors
///
/// Says why that is not possible, and at which statements.
pub(crate) fn lay(a: &PrimFunc, b: &PrimFunc, plan: Plan<'_>) -> Result<Session, (String, (Span, Span))> {
    let none = (Span::NONE, Span::NONE);
    let machine = signature::machine(a, b).map_err(|what| (what, none))?;
    let mut walk = walk::Walk::new(machine, plan);
    let done = walk.blocks(&a.body, &b.body);
    let walk::Walk { machine, claimed, .. } = walk;
    match done {
        Ok(()) => Ok(Session { terms: machine.terms, book: machine.book, claimed }),
        Err(what) => Err((what, machine.book.spans)),
    }
}

/// Checks that a certificate shows that `b` does what `a` does. `hashes` are those of their texts.
///
/// # Errors
///
/// Says why the certificate is rejected.
///
/// ```
/// use satir::certificate::{check, hash, make};
///
/// let program = |value| format!("@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), n: T.int32):\n    A[1] = {value}\n");
/// let (a, b) = (program("n // 4 // 2"), program("n // 8"));
/// let hashes = [hash(&a), hash(&b)];
/// let (first, second) = (satir::parse(&a)?, satir::parse(&b)?);
/// let text = make(&first, &second, &hashes, &[])?.text;
/// assert_eq!(check(&first, &second, &hashes, &text)?.by_steps, 1);
/// assert!(check(&first, &second, &hashes, &text.replace("quotient-nested", "quotient-halves")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(a: &Module, b: &Module, hashes: &[String; 2], certificate: &str) -> Result<Checked, String> {
    with_room(|| check_here(a, b, hashes, certificate))
}

fn check_here(a: &Module, b: &Module, hashes: &[String; 2], certificate: &str) -> Result<Checked, String> {
    let parts = sexp::read(certificate)?;
    let [whole] = &parts[..] else { return Err("a certificate is one expression".into()) };
    let Some(("satir-certificate", [version, input, output, parts @ ..])) = whole.call() else {
        return Err("this is no certificate".into());
    };
    if version.word() != Some(VERSION) {
        return Err(format!("a certificate of version {VERSION} is wanted"));
    }
    for (part, name, hash) in [(input, "input", &hashes[0]), (output, "output", &hashes[1])] {
        match part.call() {
            Some((head, [Sexp::Word(known)])) if head == name && known == hash => {}
            _ => return Err(format!("the certificate is of another {name}")),
        }
    }
    let rules = Rules::load()?;
    let mut checked = Checked { functions: a.funcs.len(), ..Checked::default() };
    // Each leg goes from one program to the next: from the input to the first one between, and so on to the output.
    let (mut from, mut rest) = (Cow::Borrowed(a), parts);
    loop {
        let [leg, others @ ..] = rest else {
            return Err("the certificate does not come to the output".into());
        };
        let Some(("leg", functions)) = leg.call() else {
            return Err("a part of the certificate is no leg".into());
        };
        let to = match others {
            [] => Cow::Borrowed(b),
            [program, ..] => Cow::Owned(between(program)?),
        };
        check_leg((&from, &to), &rules, functions, &mut checked)?;
        let [_, others @ ..] = others else { return Ok(checked) };
        (from, rest) = (to, others);
    }
}

/// A program between the input and the output.
fn between(part: &Sexp) -> Result<Module, String> {
    let Some(("program", lines)) = part.call() else {
        return Err("a part of the certificate is no program".into());
    };
    let lines: Option<Vec<&str>> = lines.iter().map(Sexp::word).collect();
    read_program(&lines.ok_or("a program is no text")?.join("\n"))
}

/// Reads and verifies a program between the input and the output.
///
/// # Errors
///
/// Says what is wrong with it.
pub(crate) fn read_program(text: &str) -> Result<Module, String> {
    let module = script::parse("", text)
        .map_err(|e| format!("a program of the certificate, line {}: {}", e.line, e.message))?;
    match verify::verify(&module) {
        Ok(()) => Ok(module),
        Err(_) => Err("a program of the certificate is not well-formed".into()),
    }
}

fn check_leg(
    (a, b): (&Module, &Module),
    rules: &Rules,
    functions: &[Sexp],
    checked: &mut Checked,
) -> Result<(), String> {
    if (&a.name, &a.attrs) != (&b.name, &b.attrs) || eval::contains_expression(&a.attrs) {
        return Err("modules with other attributes".into());
    }
    if a.funcs.len() != b.funcs.len() || functions.len() != a.funcs.len() {
        return Err("another number of functions".into());
    }
    for ((first, second), part) in a.funcs.iter().zip(&b.funcs).zip(functions) {
        let Some(("function", [name, parts @ ..])) = part.call() else {
            return Err("a part of the certificate is no function".into());
        };
        if name.word() != Some(&first.name) {
            return Err(format!("the certificate has nothing about function `{}`", first.name));
        }
        check_function(first, second, rules, parts, checked)
            .map_err(|what| format!("function `{}`: {what}", first.name))?;
    }
    Ok(())
}

fn check_function(
    a: &PrimFunc,
    b: &PrimFunc,
    rules: &Rules,
    parts: &[Sexp],
    checked: &mut Checked,
) -> Result<(), String> {
    let (mut pairs, mut steps): (HashMap<usize, Pairs>, HashMap<usize, &[Sexp]>) = Default::default();
    let mut claims = BTreeSet::new();
    for part in parts {
        let (head, rest) = part.call().ok_or("a part that is no list")?;
        if head == "conditions" {
            claims.extend(
                rest.iter()
                    .map(Sexp::number)
                    .collect::<Option<Vec<_>>>()
                    .ok_or("no number of a condition")?,
            );
            continue;
        }
        let [number, rest @ ..] = rest else { return Err(format!("`{head}` without a number")) };
        let number = number.number().ok_or_else(|| format!("`{head}` without a number"))?;
        let new = match head {
            "align" => pairs
                .insert(number, rest.iter().map(Pair::read).collect::<Option<_>>().ok_or("no pair")?)
                .is_none(),
            "goal" => steps.insert(number, rest).is_none(),
            _ => return Err(format!("`{head}` is no part of a certificate")),
        };
        if !new {
            return Err(format!("`{head} {number}` twice"));
        }
    }
    let mut aligner =
        |_: &mut Machine<'_>, number: usize, _: &[Placed<'_>], _: &[Placed<'_>]| pairs.remove(&number);
    let plan = Plan { aligner: &mut aligner, claims: &claims };
    let mut session = lay(a, b, plan).map_err(|(what, _)| what)?;
    let named = session.terms.count();
    let mut checker = Checker { terms: &mut session.terms, book: &session.book, rules, named };
    for (number, obligation) in session.book.obligations.iter().enumerate() {
        checked.obligations += 1;
        let given = steps.remove(&number);
        if checker.is_plain(obligation) {
            continue;
        }
        checked.by_steps += 1;
        let what = obligation.what;
        let given = given.ok_or_else(|| format!("nothing shows that {what} (obligation {number})"))?;
        checker
            .check(obligation, given)
            .map_err(|why| format!("that {what} (obligation {number}): {why}"))?;
    }
    if !steps.is_empty() || !pairs.is_empty() || session.claimed.len() != claims.len() {
        return Err("the certificate is about more than the function has".into());
    }
    Ok(())
}
