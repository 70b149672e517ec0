//! Programs over padded buffers: what a compiler makes of a layout with padding. Rows of `width` elements of which the last
//! ones are padding, guards that are right or off by one, values of padding that are assumed, stored, or overwritten later,
//! and pairs of conditions of which either may go, but not both.
//!
//! They are written as text, since all of their interest is in which statements follow each other.

use std::fmt::Write;

use crate::diag::Diagnostic;
use crate::fuzz::dice::Dice;
use crate::ir::Module;
use crate::script::parse;

/// The program over padded buffers that follows from a seed.
///
/// # Errors
///
/// None on any seed; a text that does not parse is a bug of the generator, or of the parser.
///
/// ```
/// let module = satir::fuzz::padded(7)?;
/// assert!(satir::verify::verify(&module).is_ok());
/// assert_eq!(module.to_string(), satir::fuzz::padded(7)?.to_string(), "the seed decides");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn padded(seed: u64) -> Result<Module, Diagnostic> {
    let mut dice = Dice::new(seed ^ 0x7061_6464);
    parse("padded", &Padded::new(&mut dice).program())
}

/// The buffers with padding.
const PADDED: [&str; 3] = ["A", "B", "C"];

struct Padded<'d> {
    dice: &'d mut Dice,
    rows: i64,
    width: i64,
    /// How many elements are none of padding.
    live: i64,
    float: bool,
    /// Whether the last of the padded buffers is allocated by the function itself.
    internal: bool,
    text: String,
}

impl<'d> Padded<'d> {
    fn new(dice: &'d mut Dice) -> Padded<'d> {
        let (rows, width) = (dice.int(1, 4), dice.pick(&[1, 2, 3, 4, 4, 5]));
        let all = rows * width;
        let live = (all - dice.int(0, width)).max(0);
        let (float, internal) = (dice.chance(25), dice.chance(40));
        Padded { dice, rows, width, live, float, internal, text: String::new() }
    }

    fn program(mut self) -> String {
        let dtype = if self.float { "float32" } else { "int32" };
        let (rows, width) = (self.rows, self.width);
        let shape = format!("T.Buffer(({rows}, {width}), \"{dtype}\")");
        let last = if self.internal { String::new() } else { format!(", C: {shape}") };
        let _ = writeln!(
            self.text,
            "@T.prim_func(s_tir=True)\ndef main(A: {shape}, B: {shape}{last}, S: T.Buffer((2,), \"{dtype}\"), n: T.int32):"
        );
        if self.dice.chance(85) {
            self.line(1, "T.func_attr({\"tirx.noalias\": True})");
        }
        if self.internal {
            self.line(1, &format!("C = T.alloc_buffer(({rows}, {width}), \"{dtype}\")"));
        }
        for buffer in PADDED {
            if self.dice.chance(40) && !(self.internal && buffer == "C") {
                self.assumption(buffer);
            }
        }
        if self.internal && self.dice.chance(70) {
            self.filled("C", "True");
        }
        for _ in 0..self.dice.int(1, 5) {
            self.statement();
        }
        self.text
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(depth));
    }

    /// Whether an element is none of padding, or nearly that: off by one, now and then.
    fn guard(&mut self) -> String {
        let (width, live) = (self.width, self.live);
        let bound = match self.dice.below(12) {
            0 => live - 1,
            1 => live + 1,
            _ => live,
        };
        let position =
            if self.dice.chance(80) { format!("i * {width} + j") } else { format!("j + {width} * i") };
        match self.dice.below(10) {
            0 => format!("{position} < n"),
            1 => format!("i < {} or j < {}", bound.div_euclid(width), bound.rem_euclid(width)),
            2 => format!("not {bound} <= {position}"),
            3 => format!("1 <= {position} and {position} < {bound}"),
            _ => format!("{position} < {bound}"),
        }
    }

    /// A constant, most often one that is neutral to something.
    fn constant(&mut self) -> String {
        let v = self.dice.pick(&[0, 0, 0, 1, 1, -1, 5]);
        if self.float { format!("T.float32({v})") } else { v.to_string() }
    }

    fn buffer(&mut self) -> &'static str {
        self.dice.pick(&PADDED)
    }

    /// The value of an element or two.
    fn value(&mut self) -> String {
        let (a, b) = (self.buffer(), self.buffer());
        let v = self.constant();
        match self.dice.below(9) {
            0 => v,
            1..=3 => format!("{a}[i, j]"),
            4 => format!("{a}[i, j] + {b}[i, j]"),
            5 => format!("{a}[i, j] * {v}"),
            6 => format!("T.max({a}[i, j], {v})"),
            7 => format!("{a}[i, j] + {v}"),
            _ => format!("{a}[{}, j]", self.dice.int(0, self.rows - 1)),
        }
    }

    /// The heads of loops over all elements; how deep their body is.
    fn nest(&mut self) -> usize {
        let (rows, width) = (self.rows, self.width);
        let kind = if self.dice.chance(85) {
            "range"
        } else {
            self.dice.pick(&["T.parallel", "T.vectorized", "T.unroll"])
        };
        if kind == "range" && self.dice.chance(40) {
            self.line(1, &format!("for i, j in T.grid({rows}, {width}):"));
            return 2;
        }
        self.line(1, &format!("for i in range({rows}):"));
        self.line(2, &format!("for j in {kind}({width}):"));
        3
    }

    fn assumption(&mut self, buffer: &str) {
        let (guard, v) =
            (self.guard(), if self.dice.chance(20) { "T.undef()".to_owned() } else { self.constant() });
        if v == "T.undef()" && self.float {
            return;
        }
        let depth = self.nest_of_assumptions();
        self.line(depth, &format!("T.assume({guard} or {buffer}[i, j] == {v})"));
    }

    fn nest_of_assumptions(&mut self) -> usize {
        self.line(1, &format!("for i, j in T.grid({}, {}):", self.rows, self.width));
        2
    }

    /// Elements are moved from one buffer to another, in another order, some of them padding, and most often moved on.
    fn moved(&mut self) {
        let (rows, width) = (self.rows, self.width);
        let mut from = self.buffer();
        for _ in 0..self.dice.int(1, 2) {
            let to = self.buffer();
            let place = self.dice.pick(&["i, j", "i, {w} - j", "{h} - i, j", "{h} - i, {w} - j"]);
            let place =
                place.replace("{w}", &(width - 1).to_string()).replace("{h}", &(rows - 1).to_string());
            let (guard, other) = (self.guard(), self.constant());
            let depth = self.nest();
            let element = match self.dice.below(3) {
                0 => format!("T.if_then_else({guard}, {from}[{place}], {other})"),
                1 => format!("{from}[j % {rows}, i % {width}]"),
                _ => format!("{from}[{place}]"),
            };
            self.line(depth, &format!("{to}[i, j] = {element}"));
            from = to;
        }
    }

    /// Stores a constant where a condition holds.
    fn filled(&mut self, buffer: &str, condition: &str) {
        let v = self.constant();
        let mut depth = self.nest();
        if condition != "True" {
            self.line(depth, &format!("if {condition}:"));
            depth += 1;
        }
        self.line(depth, &format!("{buffer}[i, j] = {v}"));
    }

    fn statement(&mut self) {
        match self.dice.below(15) {
            0..=2 => {
                let (guard, to, value) = (self.guard(), self.buffer(), self.value());
                let depth = self.nest();
                self.line(depth, &format!("if {guard}:"));
                self.line(depth + 1, &format!("{to}[i, j] = {value}"));
                if self.dice.chance(20) {
                    let other = self.constant();
                    self.line(depth, "else:");
                    self.line(depth + 1, &format!("{to}[i, j] = {other}"));
                }
            }
            3 | 4 => self.reduction(),
            5 => {
                let (guard, to) = (self.guard(), self.buffer());
                self.filled(to, &format!("not ({guard})"));
            }
            6 => {
                let to = self.buffer();
                self.filled(to, "True");
            }
            7 => self.tail(),
            8 => {
                let (guard, to, value) = (self.guard(), self.buffer(), self.value());
                let other = match self.dice.below(3) {
                    0 => self.constant(),
                    1 => self.value(),
                    _ if self.float => "T.Cast(\"float32\", T.undef())".to_owned(),
                    _ => "T.undef()".to_owned(),
                };
                let depth = self.nest();
                self.line(depth, &format!("{to}[i, j] = T.if_then_else({guard}, {value}, {other})"));
            }
            9 => self.window(),
            10 => {
                let (to, value) = (self.buffer(), self.value());
                let depth = self.nest();
                self.line(depth, &format!("{to}[i, j] = {value}"));
            }
            11 => self.exclusive(),
            12 => self.moved(),
            13 => self.folds(),
            _ => {
                let (to, from) = (self.dice.int(0, 1), self.buffer());
                let (i, j) = (self.dice.int(0, self.rows - 1), self.dice.int(0, self.width - 1));
                self.line(1, &format!("S[{to}] = {from}[{i}, {j}]"));
            }
        }
    }

    /// A sum, product or maximum over elements that are none of padding.
    fn reduction(&mut self) {
        let (guard, from, v) = (self.guard(), self.buffer(), self.constant());
        if self.dice.chance(75) {
            self.line(1, &format!("S[0] = {v}"));
        }
        let depth = self.nest();
        self.line(depth, &format!("if {guard}:"));
        let value = match self.dice.below(6) {
            0 => format!("S[0] * {from}[i, j]"),
            1 => format!("T.max(S[0], {from}[i, j])"),
            2 => format!("S[0] + {from}[i, j] * {}[i, j]", self.buffer()),
            _ => format!("S[0] + {from}[i, j]"),
        };
        self.line(depth + 1, &format!("S[0] = {value}"));
    }

    /// Rows that are folded, each into an element, with something before and behind it.
    fn folds(&mut self) {
        let (rows, width) = (self.rows, self.width);
        let (to, from) = (self.buffer(), self.buffer());
        let place = self.dice.pick(&["i, 0", "i, 0", "i, {w}", "{h} - i, 0", "0, 0", "(i + 1) % {r}, 0"]);
        let place = place.replace("{w}", &(width - 1).to_string()).replace("{h}", &(rows - 1).to_string());
        let place = place.replace("{r}", &rows.to_string());
        let element = self.dice.pick(&["i, j", "i, j", "j % {r}, i % {w}", "(i + j) % {r}, j"]);
        let element = element.replace("{r}", &rows.to_string()).replace("{w}", &width.to_string());
        self.line(1, &format!("for i in range({rows}):"));
        if self.dice.chance(60) {
            let v = self.constant();
            self.line(2, &format!("{to}[{place}] = {v}"));
        }
        let mut depth = 2;
        if self.dice.chance(30) {
            self.line(depth, "for f in range(2):");
            depth += 1;
        }
        self.line(depth, &format!("for j in range({width}):"));
        depth += 1;
        if self.dice.chance(25) {
            let guard = self.guard();
            self.line(depth, &format!("if {guard}:"));
            depth += 1;
        }
        let value = match self.dice.below(4) {
            0 => format!("{to}[{place}] * {from}[{element}]"),
            1 => format!("T.max({to}[{place}], {from}[{element}])"),
            _ => format!("{to}[{place}] + {from}[{element}]"),
        };
        self.line(depth, &format!("{to}[{place}] = {value}"));
        if self.dice.chance(20) {
            let other = self.buffer();
            self.line(2, &format!("{other}[i, 0] = {to}[{place}]"));
        }
    }

    /// A store to the last elements, or about these.
    fn tail(&mut self) {
        let (width, all) = (self.width, self.rows * self.width);
        let first = (self.live + self.dice.pick(&[0, 0, 0, 1, -1])).clamp(0, all);
        let end = if self.dice.chance(85) { all } else { all - 1 };
        let (to, v) = (self.buffer(), self.constant());
        self.line(1, &format!("for q in range({first}, {}):", end.max(first)));
        self.line(2, &format!("{to}[q // {width}, q % {width}] = {v}"));
    }

    /// A sum over neighbours that may be padding, or nothing at all.
    fn window(&mut self) {
        let (width, taps) = (self.width, self.dice.int(1, 3));
        let live = self.live + self.dice.pick(&[0, 0, 0, 1, -1]);
        let (to, from) = (self.buffer(), self.buffer());
        let init = self.constant();
        let inside = self.dice.chance(50);
        let position = format!("i * {width} + j");
        let depth = self.nest();
        self.line(depth, &format!("if {position} < {live}:"));
        self.line(depth + 1, &format!("{to}[i, j] = {init}"));
        self.line(depth + 1, &format!("for f in range({taps}):"));
        let (mut depth, neighbour) = (depth + 2, format!("{position} + f"));
        if inside {
            self.line(depth, &format!("if {neighbour} < {live}:"));
            depth += 1;
        }
        let row = format!("({neighbour}) // {width} % {}", self.rows);
        self.line(depth, &format!("{to}[i, j] = {to}[i, j] + {from}[{row}, ({neighbour}) % {width}]"));
    }

    /// A store under a condition that may go since its padding is overwritten later, and a sum under one that may go since
    /// the padding is known: without the first condition it is not.
    fn exclusive(&mut self) {
        let (guard, to, v) = (self.guard(), self.buffer(), self.constant());
        if self.dice.chance(70) {
            self.filled(to, &format!("not ({guard})"));
        }
        let value = self.value();
        let depth = self.nest();
        self.line(depth, &format!("if {guard}:"));
        self.line(depth + 1, &format!("{to}[i, j] = {value}"));
        self.line(1, &format!("S[1] = {v}"));
        let depth = self.nest();
        self.line(depth, &format!("if {guard}:"));
        self.line(depth + 1, &format!("S[1] = S[1] + {to}[i, j]"));
        if self.dice.chance(70) {
            let condition = if self.dice.chance(70) { format!("not ({guard})") } else { "True".to_owned() };
            self.filled(to, &condition);
        }
    }
}
