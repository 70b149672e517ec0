//! Translation validation: a proof, for all inputs and sizes, that a second program does what a first one does.
//!
//! Both functions are run symbolically, side by side. Statements that belong together give duties: equal values are stored at
//! equal places under equal conditions, loops run equally often, and nothing of the second program traps unless something of
//! the first one does. A duty is fulfilled by the normal forms of terms, else by a solver. It works on programs that satir did
//! not make, and shares with the optimizer only the representation of programs ([`ir`](crate::ir)).
//!
//! Integers of `int32` and `int64` are those of mathematics, as TVM takes them not to overflow. That the second program computes
//! none that is too large where the first one does not is proven on demand ([`Integers::Bounded`]). Floats are values of functions of which nothing is known
//! but that operands of `+` and `*` may change places, and that dividing by a power of two is multiplying by another one.
//!
//! ```text
//! PrimFunc, PrimFunc --steps (alignment), walk--> duties and facts --discharge--> questions --smt, solver--> Proof
//! ```

mod arith;
mod attempt;
mod between;
mod bits;
mod bounds;
mod buffers;
mod coarse;
mod complements;
mod contents;
mod counter;
mod cut;
mod decided;
mod discharge;
mod division;
mod elements;
mod extrema;
mod few;
mod fill;
mod floats;
mod follows;
mod front;
mod guess;
mod inquiry;
mod integers;
mod iterations;
mod least;
mod lemmas;
mod logic;
mod memory;
mod narrow;
mod pinned;
mod place;
mod plainer;
mod proof;
mod question;
mod range;
mod reciprocal;
mod sample;
mod shape;
mod show;
mod side;
mod signature;
mod smt;
mod solver;
mod split;
mod steps;
mod syntax;
mod term;
#[cfg(test)]
mod tests;
mod trace;
mod unsplit;
mod value;
mod volatile;
mod walk;

use std::time::Duration;

use crate::diag::Span;
use crate::ir::{Module, PrimFunc, with_room};

pub use self::integers::Integers;
pub use self::proof::{Open, Proof};
pub use crate::smt::{Solver, SolverError};
use attempt::{Attempt, Rest};
use inquiry::Inquiry;

/// How much work, in the solver's own unit, one question of a proof is worth. All questions about a pair of functions together get
/// three times as much.
///
/// ```
/// assert!(satir::prove::EFFORT < satir::prove::Solver::new("z3").effort, "proofs have many questions");
/// ```
pub const EFFORT: u64 = 430_000;

/// After so many failures the rest of a shape waits until the others were tried.
const ENOUGH: usize = 8;

/// How long the solver may take for all questions about a pair of functions, whatever the machine; only a backstop.
///
/// ```
/// assert!(satir::prove::TIMEOUT < satir::prove::Solver::new("z3").timeout, "proofs have many questions");
/// ```
pub const TIMEOUT: Duration = Duration::from_secs(5);

/// Proves that each function of `b` does what the one of this name in `a` does. Without a solver only what normal forms show is
/// proven.
///
/// # Errors
///
/// If the solver does not run, ends early or answers nonsense. That the modules have different functions is no error: the
/// proof says so.
///
/// ```
/// let program = |value| {
///     satir::parse(&format!("@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), n: T.int32):\n    A[1] = {value}\n"))
/// };
/// let (a, b, c) = (program("(n + 1) * 2 // 2")?, program("1 + n")?, program("n")?);
/// let prove = |b| satir::prove::prove(&a, b, satir::prove::Integers::Unbounded, None);
/// assert!(prove(&b)?[0].is_proven());
/// assert!(!prove(&c)?[0].is_proven());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn prove(
    a: &Module,
    b: &Module,
    integers: Integers,
    solver: Option<&Solver>,
) -> Result<Vec<Proof>, SolverError> {
    let alone = |func: &PrimFunc, which: &str| Proof {
        function: func.name.to_string(),
        unaligned: Some(Open {
            what: format!("the function is in the {which} module only"),
            spans: (Span::NONE, Span::NONE),
            example: None,
        }),
        ..Proof::default()
    };
    let mut proofs = Vec::new();
    for func in &a.funcs {
        proofs.push(match b.funcs.iter().find(|other| other.name == func.name) {
            Some(other) => with_room(|| prove_function(func, other, integers, solver))?,
            None => alone(func, "first"),
        });
    }
    let new = b.funcs.iter().filter(|func| a.funcs.iter().all(|other| other.name != func.name));
    proofs.extend(new.map(|func| alone(func, "second")));
    Ok(proofs)
}

fn prove_function(
    a: &PrimFunc,
    b: &PrimFunc,
    integers: Integers,
    solver: Option<&Solver>,
) -> Result<Proof, SolverError> {
    let mut inquiry = Inquiry::new(solver);
    let mut best = prove_as_written(a, b, integers, &mut inquiry, false, Rest::Unaligned)?;
    // In another shape a function computes other integers.
    if integers == Integers::Unbounded {
        in_any_shape(a, b, &mut inquiry, &mut best)?;
    }
    // No shape is a proof. What the solver can show in the best one is not open.
    if best.failing > 0 {
        best.look(&mut inquiry, usize::MAX);
        best.ask(&mut inquiry, Rest::Unaligned)?;
    }
    Ok(best.proof)
}

/// Keeps the proof of the functions in the shape that leaves the least open.
fn in_any_shape(
    a: &PrimFunc,
    b: &PrimFunc,
    inquiry: &mut Inquiry<'_>,
    best: &mut Attempt,
) -> Result<(), SolverError> {
    in_shapes(a, b, inquiry, best)?;
    if !best.proof.is_proven() && !inquiry.is_spent() {
        // What reductions begin with may have been taken out of nests.
        let moved = (front::first(a, inquiry)?, front::first(b, inquiry)?);
        if moved.0.is_some() || moved.1.is_some() {
            let (a, b) = (moved.0.as_ref().unwrap_or(a), moved.1.as_ref().unwrap_or(b));
            better(a, b, inquiry, false, best)?;
            in_shapes(a, b, inquiry, best)?;
        }
    }
    Ok(())
}

/// Loops may have been split, joined or peeled: both functions with such loops in one shape. Nests are made one loop where the
/// proof is open first, those that look split before others, those of the first function alone before those of both, then
/// everywhere.
fn in_shapes(
    a: &PrimFunc,
    b: &PrimFunc,
    inquiry: &mut Inquiry<'_>,
    best: &mut Attempt,
) -> Result<(), SolverError> {
    use shape::Shape::{Flat, Peeled, Unsplit};
    for (of_a, of_b, everywhere) in [
        (Peeled, Peeled, true),
        (Unsplit, Peeled, false),
        (Unsplit, Unsplit, false),
        (Flat, Peeled, false),
        (Flat, Flat, false),
        (Flat, Flat, true),
    ] {
        let spans = best.in_the_way();
        let places = (!everywhere).then_some(&spans[..]);
        if best.proof.is_proven() || inquiry.is_spent() || places.is_some_and(<[Span]>::is_empty) {
            continue;
        }
        let shapes = (shape::canonical(a, of_a, places), shape::canonical(b, of_b, places));
        if shapes.0.is_none() && shapes.1.is_none() {
            continue;
        }
        let (a, b) = (shapes.0.as_ref().unwrap_or(a), shapes.1.as_ref().unwrap_or(b));
        let stretched = of_a == Flat && of_b == Flat;
        better(a, b, inquiry, stretched, best)?;
    }
    Ok(())
}

/// Keeps the proof of functions in another shape if it leaves less open.
fn better(
    a: &PrimFunc,
    b: &PrimFunc,
    inquiry: &mut Inquiry<'_>,
    stretched: bool,
    best: &mut Attempt,
) -> Result<(), SolverError> {
    let other = prove_as_written(a, b, Integers::Unbounded, inquiry, stretched, best.rest())?;
    if other.rest() < best.rest() {
        *best = other;
    }
    Ok(())
}

/// Statement by statement. If `stretched`, loops over ranges of different lengths are compared too. Where no less than `enough`
/// is open, the rest is not looked at.
fn prove_as_written(
    a: &PrimFunc,
    b: &PrimFunc,
    integers: Integers,
    inquiry: &mut Inquiry<'_>,
    stretched: bool,
    enough: Rest,
) -> Result<Attempt, SolverError> {
    let mut proof = Proof { function: a.name.to_string(), ..Proof::default() };
    let refuse = |what: String, spans| Some(Open { what, spans, example: None });
    let shielded = [volatile::shielded(a), volatile::shielded(b)];
    let (a, b) = (shielded[0].as_ref().unwrap_or(a), shielded[1].as_ref().unwrap_or(b));
    let machine = match signature::machine(a, b, integers) {
        Ok(machine) => machine,
        Err(what) => {
            proof.unaligned = refuse(what, (Span::NONE, Span::NONE));
            return Ok(Attempt::refused(proof));
        }
    };
    let mut walk = walk::Walk::new(machine, stretched);
    if let Err(unaligned) = walk.blocks(&a.body, &b.body) {
        proof.unaligned = refuse(unaligned.what, unaligned.spans);
    }
    let walk::Walk { machine, .. } = walk;
    let mut attempt = Attempt::new(proof, machine.terms, machine.book);
    attempt.look(inquiry, enough.failing().min(ENOUGH));
    if attempt.failing == 0 {
        attempt.ask(inquiry, enough)?;
    }
    Ok(attempt)
}
