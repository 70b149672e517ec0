//! Random programs: whatever is shared, the program stays well-formed, does the same, and costs no more.

use std::fmt::Write;

use super::equiv_options;
use crate::cost::{Bindings, Profile, cost_of_func};
use crate::cse::syntactic::{SyntacticOptions, run_with};
use crate::interp::equiv;
use crate::verify::verify;

/// A small generator of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn pick<'a>(&mut self, from: &'a [String]) -> &'a str {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// Writes statements. `terms` are expressions in scope; few of them, so that they repeat.
struct Writer {
    random: Random,
    text: String,
    names: usize,
}

impl Writer {
    fn term(&mut self, terms: &[String]) -> String {
        self.random.pick(terms).to_owned()
    }

    fn value(&mut self, terms: &mut Vec<String>) -> String {
        let (a, b) = (self.term(terms), self.term(terms));
        let made = match self.random.below(14) {
            0..=2 => format!("({a} + {b})"),
            3 => format!("({a} * 3)"),
            4 => format!("({a} - {b})"),
            5 => format!("({a} // n)"),
            6 => format!("({a} % T.max({b}, 1))"),
            7 => format!("T.if_then_else(n != 0, {a} // n, {b})"),
            8 => format!("A[{a} % 3]"),
            9 => format!("B[{b} % 3]"),
            10 => format!("T.min({a}, {b})"),
            11 => format!("T.Select({a} < {b}, {a} * 5, {b} // m)"),
            12 => format!("T.popcount({a})"),
            _ => format!("T.if_then_else({a} < 4 and {b} // m < 2, {a} + {b}, A[1])"),
        };
        // Large terms would leave the range of index arithmetic.
        if made.len() < 60 {
            terms.push(made.clone());
        }
        made
    }

    fn block(&mut self, terms: &[String], indent: usize, depth: usize, in_loop: bool) {
        let mut terms = terms.to_vec();
        let pad = "    ".repeat(indent);
        for _ in 0..=self.random.below(4) {
            let value = self.value(&mut terms);
            let nested = depth > 0;
            let cond = self.term(&terms);
            match self.random.below(12) {
                0 if nested => {
                    writeln!(self.text, "{pad}if {cond} < 5 and {value} < 9:").unwrap();
                    self.block(&terms, indent + 1, depth - 1, in_loop);
                }
                1 if nested => {
                    writeln!(self.text, "{pad}if n != 0:").unwrap();
                    self.block(&terms, indent + 1, depth - 1, in_loop);
                    writeln!(self.text, "{pad}else:").unwrap();
                    self.block(&terms, indent + 1, depth - 1, in_loop);
                }
                2 | 3 if nested => {
                    self.names += 1;
                    let name = format!("k{}", self.names);
                    let extent = ["3", "n", "m", "n * m"][self.random.below(4) as usize];
                    writeln!(self.text, "{pad}for {name} in range({extent}):").unwrap();
                    let mut inner = terms.clone();
                    inner.push(name);
                    self.block(&inner, indent + 1, depth - 1, true);
                }
                4 => {
                    self.names += 1;
                    writeln!(self.text, "{pad}v{}: T.let[T.int32] = {value}", self.names).unwrap();
                    terms.push(format!("v{}", self.names));
                }
                5 if self.random.below(4) == 0 => {
                    writeln!(self.text, "{pad}assert {cond} < 20, \"bound\"").unwrap();
                }
                6 if in_loop && self.random.below(3) == 0 => {
                    writeln!(self.text, "{pad}if {cond} < 3:").unwrap();
                    let word = if self.random.below(2) == 0 { "break" } else { "continue" };
                    writeln!(self.text, "{pad}    {word}").unwrap();
                }
                _ => {
                    let buffer = if self.random.below(2) == 0 { "A" } else { "B" };
                    writeln!(self.text, "{pad}{buffer}[{cond} % 3] = {value} % 16").unwrap();
                }
            }
        }
        let last = self.term(&terms);
        writeln!(self.text, "{pad}A[0] = {last} % 16").unwrap();
    }
}

fn program(seed: u64) -> String {
    let mut writer = Writer { random: Random(seed * 7919 + 1), text: String::new(), names: 0 };
    let params =
        "A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\"), n: T.int32, m: T.int32, i: T.int32";
    let noalias = if seed.is_multiple_of(2) { "    T.func_attr({\"tirx.noalias\": True})\n" } else { "" };
    write!(writer.text, "@T.prim_func\ndef main({params}):\n{noalias}").unwrap();
    let terms: Vec<String> = ["i", "n", "m", "(i + 1)", "(i * 4)"].iter().map(|&t| t.to_owned()).collect();
    writer.block(&terms, 1, 3, false);
    writer.text
}

#[test]
fn random_programs_stay_the_same_and_cost_no_more() {
    let everything = SyntacticOptions { bools: true, loads: true, pure_calls: true, ..Default::default() };
    let mut shared = [0, 0];
    let mut compared = 0;
    for seed in 0..300 {
        let text = program(seed);
        let before = crate::script::parse("<random>", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for (i, options) in [SyntacticOptions::default(), everything.clone()].iter().enumerate() {
            let mut after = before.clone();
            shared[i] += run_with(&mut after.funcs[0], options).bindings.len();
            verify(&after).unwrap_or_else(|v| panic!("{v:?}\n{text}\n{after}"));
            let cost = |m: &crate::ir::Module| {
                cost_of_func(&m.funcs[0], &Profile::default(), &Bindings::new()).total
            };
            assert!(cost(&after) <= cost(&before), "{text}\n{after}");
            let same = equiv(&before, &after, &equiv_options()).unwrap();
            compared += same.compared;
            assert!(same.difference.is_none(), "{:?}\n{text}\n{after}", same.difference);
        }
    }
    // The programs must have something to share, and inputs on which they are defined.
    assert!(shared[0] > 500 && shared[1] > shared[0] && compared > 3000, "{shared:?} {compared}");
}
