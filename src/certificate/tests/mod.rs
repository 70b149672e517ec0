//! What is certified, and what must be rejected.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod early;
mod kernels;
mod loops;
mod reciprocals;
mod spoilt;
mod stages;
mod wrong;

use super::{Certificate, Checked, check, hash, make};
use crate::ir::Module;

/// A function with these statements over `A`, `B` of `n` elements, `C` of 64 bytes and `k`.
fn program(body: &str) -> String {
    let mut text = String::from(
        "@T.prim_func\ndef main(A: T.Buffer((\"n\",), \"int32\"), B: T.Buffer((\"n\",), \"int32\"), C: T.Buffer((64,), \
         \"uint8\"), F: T.Buffer((64,), \"float32\"), k: T.int32):\n    n = T.int32()\n    T.func_attr({\"tirx.noalias\": \
         True})\n",
    );
    for line in body.lines() {
        text += &format!("    {line}\n");
    }
    text
}

fn parsed(text: &str) -> Module {
    crate::script::parse("<test>", text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The certificate for two texts.
fn made(a: &str, b: &str) -> Certificate {
    make(&parsed(a), &parsed(b), &[hash(a), hash(b)], &[]).unwrap()
}

fn checked(a: &str, b: &str, certificate: &str) -> Result<Checked, String> {
    check(&parsed(a), &parsed(b), &[hash(a), hash(b)], certificate)
}

/// There is no certificate that two functions of such statements do the same.
#[track_caller]
fn refused(a: &str, b: &str) {
    let (a, b) = (program(a), program(b));
    let certificate = made(&a, &b);
    assert!(!certificate.is_complete(), "{}", certificate.text);
    assert!(checked(&a, &b, &certificate.text).is_err());
}

#[track_caller]
fn certified(a: &str, b: &str) -> Checked {
    let (a, b) = (program(a), program(b));
    let certificate = made(&a, &b);
    assert!(certificate.is_complete(), "{:?}", certificate.open);
    checked(&a, &b, &certificate.text).unwrap()
}
