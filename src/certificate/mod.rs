//! Certificates: why a result does what its input does, in a form that a small checker accepts or rejects without a solver.
//!
//! A certificate is one S-expression; a comment goes from `;` to the end of its line:
//!
//! ```text
//! (satir-certificate 4 (input HASH) (output HASH)
//!   LEG (program LINE...) LEG ...)         legs from the input to the output, with the programs between them
//! ```
//!
//! A leg shows that one program does what the one before it does:
//!
//! ```text
//! (leg
//!   (function NAME
//!     (align BLOCK PAIR...)                which statements of a pair of blocks belong together
//!     (conditions N...)                    which conditions of the result are those of the program at the same depth
//!     (goal OBLIGATION STEP...)...)...)    what shows an obligation that normal forms do not show
//! ```
//!
//! Blocks and obligations are numbered as the checker comes to them. A pair of statements is
//!
//! ```text
//! (I J)                       one of each; `_` for none
//! (overlap I J)               the same, but where only one of them runs, it does nothing
//! (cover I J PROGRAM SHAPE)   a loop of one program that is of this shape in the other one, which is `first` or `second`
//! (peel I J N)                a loop of which N statements before the one of the result belong to the first iteration
//! (front I J N K...)          N statements of both, of which the result has those with the numbers K in front of the others
//! (fission I J N)             a loop that is two in the result: N statements of each iteration, and then the others
//! ```
//!
//! A shape is `loop`, `(once N)` for one iteration that is N statements, `(nest SHAPE)` for a loop of such iterations, or
//! `(cut _ SHAPE...)` for one after the other; within a nest it says how many iterations that are in place of `_`. `rest` is
//! no statement: iterations that are left do nothing. Around a shape `(within SHAPE)` says that it may have more iterations than
//! the loop, which do nothing.
//!
//! A step changes what is to be shown:
//!
//! ```text
//! (rewrite RULE ((LETTER TERM)...) REASON...)     one side of a rule in place of the other; a reason for each condition
//! (solve ATOM RULE ((LETTER TERM)...) REASON...)  what the equation says of an atom in place of it
//! (fits TERM REASON REASON)                       an integer that fits the type that wraps it
//! (fact N)                                        a fact of the place is true
//! (learn N STEP...)                               what these steps make of a fact of the place is a fact too
//! (cases TERM (STEP...) (STEP...))                where a condition holds, and where it does not; the last step
//! (like N (STEP...)...)                           the risk is the one of this number that the program takes: steps for each
//!                                                 operand and each condition that leads there; the last step
//! (factor N TERM (STEP...))                       the divisor times this is one of the program; the last step
//! (absurd REASON)                                 the facts contradict each other; the last step
//! ```
//!
//! A reason is `known` (among the facts) or `(sum M (FACTOR FACT)...)`: M times what must not be negative is the sum of multiples
//! of facts and of a constant above -M (a certificate of Farkas); `(both REASON REASON)` for equations. A fact is `(fact N)`,
//! `(low TERM)` or `(high TERM)` by its bounds, `(rest TERM)` or `(below TERM)` for the remainder of a quotient, `(above TERM
//! PART)` for a minimum or maximum, `(quotient TERM REASON)` for a quotient of what is not negative, `(times FACT FACT)`.
//! A term is written as in rules; `#N` is the term of that number, `(like #N TERM...)` that term of other parts.
//!
//! The maker ([`make()`]) may use anything, the checker ([`check()`]) only [`ir`](crate::ir) and what reads programs.

mod check;
mod make;
#[cfg(test)]
mod tests;

pub use check::{Checked, check, hash};
pub use make::{Certificate, make};
