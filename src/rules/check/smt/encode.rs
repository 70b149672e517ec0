//! A rule at chosen types as a question in SMT-LIB: are there values for which it is wrong?

use super::linear::Linear;
use super::terms::{
    Functions, NAN_DIFFERS, Repr, Style, bits_sort, comparison, float_format, float_op, integer, is_signed,
    literal, shift_is_defined, sort,
};
use crate::ir::value::MathFn;
use crate::ir::{BinOp, Family};
use crate::rules::ast::{Cond, Direction, Pat, Rule, RuleOp};
use crate::rules::check::eval::{Term, compile, float_bits, to_f64};
use crate::rules::check::ty::{Instance, Ty};

/// What to ask, and what the names in an answer mean.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// Definitions, declarations and assertions, without `check-sat`.
    pub(super) text: String,
    /// Names to ask the values of, with what they stand for.
    pub(super) names: Vec<(String, String)>,
}

/// The ways to put the question, the cheap ones first; none if the rule does not exist at these types.
pub(super) fn ways(rule: &Rule, direction: Direction<'_>, at: &Instance) -> Vec<(Style, Repr)> {
    let sides = (compile(rule, at, direction.from), compile(rule, at, direction.to));
    let (Some(from), Some(to)) = sides else { return Vec::new() };
    let holes: Vec<Ty> = rule.holes.iter().map(|hole| at.ty(hole.ty)).collect();
    let seen = survey(&[&from, &to], &holes);
    let mut ways = Vec::new();
    let first =
        if seen.bits || (seen.wrapping && !seen.exact && !seen.unbounded) { Repr::Bits } else { Repr::Int };
    if seen.hard {
        ways.push((Style::Opaque, first));
        if first == Repr::Bits && !seen.bits {
            ways.push((Style::Opaque, Repr::Int));
        }
    }
    if seen.hard && !seen.bits && !seen.floats {
        ways.push((Style::Linear, Repr::Int));
    }
    ways.push((Style::Direct, first));
    ways
}

/// The question; `Err` if it cannot be put in this way.
pub(super) fn question(
    rule: &Rule,
    direction: Direction<'_>,
    at: &Instance,
    (style, repr): (Style, Repr),
) -> Result<Question, &'static str> {
    let sides = (compile(rule, at, direction.from), compile(rule, at, direction.to));
    let (Some(from), Some(to)) = sides else { return Err("a constant is no value of its type") };
    let holes: Vec<Ty> = rule.holes.iter().map(|hole| at.ty(hole.ty)).collect();
    let wide = rule.conds.iter().flat_map(|cond| cond.parts().1);
    let wide = wide.map(|term| width(term, &holes)).max().unwrap_or(0).max(fold_width(&[&from, &to], &holes));
    let mut encoder = Encoder {
        rule,
        at,
        holes,
        repr,
        style,
        wide: wide.max(80) + 2,
        functions: Functions::new(style),
        declared: Vec::new(),
        asserted: Vec::new(),
        needs: Vec::new(),
        names: Vec::new(),
        linear: Linear::default(),
    };
    encoder.declare();
    for cond in &rule.conds {
        let holds = encoder.cond(cond)?;
        encoder.asserted.push(holds);
    }
    let expected = encoder.value(&from, "true")?;
    // What must hold for the left side to mean anything is given, what the right side needs is to be shown.
    let given = std::mem::take(&mut encoder.needs);
    encoder.asserted.extend(given);
    let found = encoder.value(&to, "true")?;
    let mut goal = std::mem::take(&mut encoder.needs);
    goal.push(format!("(= {expected} {found})"));
    if !rule.may_trap {
        let (from, to) = (encoder.defined(&from)?, encoder.defined(&to)?);
        goal.push(format!("(=> {from} {to})"));
    }
    if style == Style::Linear {
        let sides = if is_integer(type_of(&from)) { vec![expected, found] } else { Vec::new() };
        encoder.linear.add_lemmas(&sides);
    }
    let (declared, lemmas) = encoder.linear.take();
    encoder.declared.extend(declared);
    encoder.asserted.extend(lemmas);
    encoder.asserted.push(format!("(not (and {}))", goal.join(" ")));
    let asserted: String = encoder.asserted.iter().map(|a| format!("(assert {a})\n")).collect();
    let text = format!("{}{}{asserted}", encoder.functions.text(), encoder.declared.concat());
    Ok(Question { text, names: encoder.names })
}

/// What occurs in a rule that decides how to ask about it.
#[derive(Clone, Copy, Debug, Default)]
struct Survey {
    /// Shifts, bit operations, conversions between integers and floats.
    bits: bool,
    unbounded: bool,
    exact: bool,
    wrapping: bool,
    /// Products, quotients, float arithmetic.
    hard: bool,
    /// Floats or reals.
    floats: bool,
}

fn survey(sides: &[&Term], holes: &[Ty]) -> Survey {
    let mut seen = Survey::default();
    let see = |seen: &mut Survey, ty: Ty| match ty {
        Ty::Unbounded => seen.unbounded = true,
        Ty::Exact(_) => seen.exact = true,
        Ty::Wrapping(_) => seen.wrapping = true,
        Ty::Float(_) | Ty::Real => seen.floats = true,
        Ty::Bool => {}
    };
    holes.iter().for_each(|ty| see(&mut seen, *ty));
    for side in sides {
        each(side, &mut |term| match term {
            Term::Cast { from, to, .. } => {
                see(&mut seen, *from);
                see(&mut seen, *to);
                let float = |ty: &Ty| matches!(ty, Ty::Float(_));
                seen.bits |= float(from) != float(to);
                seen.hard |= float(from) || float(to);
            }
            Term::Op { op, operand, .. } => {
                see(&mut seen, *operand);
                match op {
                    RuleOp::Math(_) => seen.bits = true,
                    RuleOp::Bin(bin) => {
                        let arithmetic =
                            matches!(bin, BinOp::Add | BinOp::Sub) && matches!(operand, Ty::Float(_));
                        seen.hard |= arithmetic || *bin == BinOp::Mul || bin.is_division();
                    }
                    RuleOp::Not
                    | RuleOp::Select
                    | RuleOp::IfThenElse
                    | RuleOp::Likely
                    | RuleOp::Ramp
                    | RuleOp::Broadcast => {}
                }
            }
            Term::Const(_, ty) | Term::Hole(_, ty) | Term::Fold(_, ty) => see(&mut seen, *ty),
        });
    }
    seen
}

fn type_of(term: &Term) -> Ty {
    match term {
        Term::Hole(_, ty) | Term::Const(_, ty) | Term::Fold(_, ty) | Term::Cast { to: ty, .. } => *ty,
        Term::Op { op: RuleOp::Bin(bin), .. } if bin.is_compare() => Ty::Bool,
        Term::Op { operand, .. } => *operand,
    }
}

fn is_integer(ty: Ty) -> bool {
    matches!(ty, Ty::Unbounded | Ty::Exact(_) | Ty::Wrapping(_))
}

/// Calls `f` on a term and everything below it.
fn each<'t>(term: &'t Term, f: &mut impl FnMut(&'t Term)) {
    f(term);
    match term {
        Term::Hole(..) | Term::Const(..) | Term::Fold(..) => {}
        Term::Op { args, .. } => args.iter().for_each(|arg| each(arg, f)),
        Term::Cast { arg, .. } => each(arg, f),
    }
}

/// Enough bits for every value that a term over integers without bounds can have, with its sign.
fn width(term: &Pat, holes: &[Ty]) -> u32 {
    match term {
        Pat::Hole(hole) => holes[*hole].bits() + 1,
        Pat::Int(value, _) => 65 - value.unsigned_abs().leading_zeros(),
        Pat::Lanes => 8,
        Pat::Op(RuleOp::Math(MathFn::ShiftLeft), args) => width(&args[0], holes) + 63,
        Pat::Op(op, args) => {
            let (a, b) = (width(&args[0], holes), width(&args[1], holes));
            match op {
                RuleOp::Bin(BinOp::Mul) => a + b,
                _ => a.max(b) + 1,
            }
        }
        Pat::Bool(_) | Pat::Float(..) | Pat::Cast(..) | Pat::Fold(..) => 1,
    }
}

fn fold_width(sides: &[&Term], holes: &[Ty]) -> u32 {
    let mut most = 0;
    for side in sides {
        each(side, &mut |term| {
            if let Term::Fold(pat, _) = term {
                most = most.max(width(pat, holes));
            }
        });
    }
    most
}

struct Encoder<'a> {
    rule: &'a Rule,
    at: &'a Instance,
    holes: Vec<Ty>,
    repr: Repr,
    /// Width of the bit-vectors that stand for integers without bounds in conditions.
    wide: u32,
    functions: Functions,
    declared: Vec<String>,
    asserted: Vec<String>,
    /// What must hold for the values that were encoded to mean anything.
    needs: Vec<String>,
    names: Vec<(String, String)>,
    style: Style,
    /// The integers, under [`Style::Linear`].
    linear: Linear,
}

type Encoded = Result<String, &'static str>;

impl<'a> Encoder<'a> {
    fn declare(&mut self) {
        for (i, ty) in self.holes.clone().into_iter().enumerate() {
            let hole = &self.rule.holes[i];
            self.declared.push(format!("(declare-const h{i} {})\n", sort(ty, self.repr)));
            self.names.push((format!("h{i}"), hole.to_string()));
            if !hole.constant {
                self.declared.push(format!("(declare-const t{i} Bool)\n"));
                self.names.push((format!("t{i}"), format!("{hole} traps")));
            }
            if self.style == Style::Linear && is_integer(ty) {
                self.linear.add_operand(&format!("h{i}"));
            }
            // Holes of index types may have values beyond them, constants not.
            let bounded = matches!(ty, Ty::Wrapping(_)) || hole.constant;
            if let (Repr::Int, true, Some(range)) = (self.repr, bounded && ty != Ty::Bool, ty.range()) {
                self.asserted.push(between(&format!("h{i}"), range));
            }
        }
        if self.holes.iter().any(|ty| matches!(ty, Ty::Float(_))) {
            self.declared.push(format!("(declare-const {NAN_DIFFERS} Bool)\n"));
            self.names.push((NAN_DIFFERS.to_owned(), "!= is true of NaN".to_owned()));
        }
        if self.rule.vector {
            let sort = if self.repr == Repr::Int { "Int".to_owned() } else { bits_sort(16) };
            self.declared.push(format!("(declare-const lane {sort})\n(declare-const lanes {sort})\n"));
            self.asserted.push(match self.repr {
                Repr::Int => "(and (<= 0 lane) (< lane lanes) (<= 2 lanes))".to_owned(),
                Repr::Bits => {
                    let (two, most) = (literal(2, 16), literal(64, 16));
                    format!("(and (bvult lane lanes) (bvule {two} lanes) (bvule lanes {most}))")
                }
            });
            self.names.push(("lane".to_owned(), "lane".to_owned()));
            self.names.push(("lanes".to_owned(), "lanes".to_owned()));
        }
    }

    /// A value of an index type where bits count: it must fit.
    fn fits(&mut self, ty: Ty, value: &str, path: &str) {
        if let (Repr::Int, Ty::Exact(_), Some(range)) = (self.repr, ty, ty.range()) {
            self.needs.push(format!("(=> {path} {})", between(value, range)));
        }
    }

    /// A result in its type.
    fn wrapped(&self, ty: Ty, value: String) -> String {
        match (self.repr, ty, ty.range()) {
            (Repr::Int, Ty::Wrapping(_), Some(range)) => reduced(&value, range),
            _ => value,
        }
    }

    /// The value of a term as a total function; `path` says when it is looked at.
    fn value(&mut self, term: &Term, path: &str) -> Encoded {
        Ok(match term {
            Term::Hole(hole, _) => format!("h{hole}"),
            Term::Const(value, ty) => self.constant(*value, *ty),
            Term::Fold(pat, ty) => self.fold(pat, *ty)?,
            Term::Cast { from, to, arg } => {
                let value = self.value(arg, path)?;
                self.fits(*from, &value, path);
                self.cast(*from, *to, &value)?
            }
            Term::Op { op, operand, args } => self.op(*op, *operand, args, path)?,
        })
    }

    fn op(&mut self, op: RuleOp, operand: Ty, args: &[Term], path: &str) -> Encoded {
        let a = self.value(&args[0], path)?;
        Ok(match op {
            RuleOp::Select | RuleOp::IfThenElse => {
                let yes = self.value(&args[1], &format!("(and {path} {a})"))?;
                let no = self.value(&args[2], &format!("(and {path} (not {a}))"))?;
                format!("(ite {a} {yes} {no})")
            }
            RuleOp::Bin(BinOp::And) => {
                let b = self.value(&args[1], &format!("(and {path} {a})"))?;
                format!("(and {a} {b})")
            }
            RuleOp::Bin(BinOp::Or) => {
                let b = self.value(&args[1], &format!("(and {path} (not {a}))"))?;
                format!("(or {a} {b})")
            }
            RuleOp::Not => format!("(not {a})"),
            RuleOp::Likely | RuleOp::Broadcast => a,
            RuleOp::Ramp => {
                let stride = self.value(&args[1], path)?;
                match self.repr {
                    Repr::Int => {
                        let offset = self.integer_op(BinOp::Mul, &stride, "lane");
                        let value = self.integer_op(BinOp::Add, &a, &offset);
                        self.wrapped(operand, value)
                    }
                    Repr::Bits => {
                        let lane = resized("lane", 16, operand.bits(), false);
                        format!("(bvadd {a} (bvmul {stride} {lane}))")
                    }
                }
            }
            RuleOp::Bin(bin) => {
                let b = self.value(&args[1], path)?;
                self.binary(bin, operand, &a, &b, path)
            }
            RuleOp::Math(function) => {
                let rest =
                    args[1..].iter().map(|arg| self.value(arg, path)).collect::<Result<Vec<_>, _>>()?;
                let args = [vec![a], rest].concat();
                self.functions.call(function, operand.bits(), is_signed(operand), &args)?
            }
        })
    }

    fn binary(&mut self, op: BinOp, ty: Ty, a: &str, b: &str, path: &str) -> String {
        match ty {
            Ty::Float(_) => match op {
                BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div if self.style == Style::Opaque => {
                    self.opaque_float(op, ty, a, b)
                }
                _ => float_op(op, a, b),
            },
            Ty::Real if op == BinOp::Div => {
                self.needs.push(format!("(=> {path} (distinct {b} 0.0))"));
                format!("(/ {a} {b})")
            }
            Ty::Bool | Ty::Real | Ty::Unbounded | Ty::Exact(_) | Ty::Wrapping(_) => {
                let wide = matches!(ty, Ty::Wrapping(_) | Ty::Exact(_));
                let bits = (wide && self.repr == Repr::Bits).then_some(is_signed(ty));
                if op == BinOp::Ne {
                    return format!("(distinct {a} {b})");
                }
                if let Some(name) = comparison(op, bits) {
                    return format!("({name} {a} {b})");
                }
                match (ty, self.repr) {
                    (Ty::Real, _) => match op {
                        BinOp::Min => format!("(ite (< {a} {b}) {a} {b})"),
                        BinOp::Max => format!("(ite (> {a} {b}) {a} {b})"),
                        _ => format!("({} {a} {b})", self.functions.int_op(op)),
                    },
                    (_, Repr::Bits) => {
                        format!("({} {a} {b})", self.functions.bits_op(op, ty.bits(), is_signed(ty)))
                    }
                    (_, Repr::Int) => {
                        let value = self.integer_op(op, a, b);
                        // Of two values in range only a sum, difference, product or, by -1, quotient can be out of it.
                        let rest = matches!(op.family(), Family::Extremum | Family::Remainder);
                        if rest || op.is_division() && !is_signed(ty) {
                            value
                        } else {
                            self.wrapped(ty, value)
                        }
                    }
                }
            }
        }
    }

    /// Float arithmetic of which only IEEE 754's rules for signs are known: a difference is a sum with the sign turned,
    /// the sign of a product or quotient is that of its operands together, and a factor of -1 turns the sign.
    fn opaque_float(&mut self, op: BinOp, ty: Ty, a: &str, b: &str) -> String {
        let minus_one = self.constant(float_bits(ty, -1.0), ty);
        match op {
            BinOp::Sub => return self.opaque_float(BinOp::Add, ty, a, &format!("(fp.neg {b})")),
            BinOp::Mul | BinOp::Div if b == minus_one => return format!("(fp.neg {a})"),
            BinOp::Mul if a == minus_one => return format!("(fp.neg {b})"),
            _ => {}
        }
        let sort = sort(ty, self.repr);
        let kind = if sort.contains(" 8 8") { "b" } else { "f" };
        let name = format!("{kind}{}_{}", ty.bits(), op.name());
        let name = self.functions.opaque(name, &[&sort, &sort], &sort);
        if op == BinOp::Add {
            return format!("({name} {a} {b})");
        }
        let size = format!("({name} (fp.abs {a}) (fp.abs {b}))");
        format!("(ite (xor (fp.isNegative {a}) (fp.isNegative {b})) (fp.neg {size}) {size})")
    }

    /// An operator on integers without bounds.
    fn integer_op(&mut self, op: BinOp, a: &str, b: &str) -> String {
        if self.style == Style::Linear {
            let linear = &mut self.linear;
            let text = match op {
                BinOp::Add => linear.sum(a, b, 1),
                BinOp::Sub => linear.sum(a, b, -1),
                BinOp::Mul => linear.product(a, b),
                BinOp::FloorDiv => linear.divide(a, b, true).map(|(q, _)| q),
                BinOp::FloorMod => linear.divide(a, b, true).map(|(_, r)| r),
                BinOp::Div => linear.divide(a, b, false).map(|(q, _)| q),
                BinOp::Mod => linear.divide(a, b, false).map(|(_, r)| r),
                // The others are as they are in every style.
                _ => None,
            };
            if let Some(text) = text {
                return text;
            }
        }
        format!("({} {a} {b})", self.functions.int_op(op))
    }

    fn constant(&self, value: i128, ty: Ty) -> String {
        match (ty, self.repr) {
            (Ty::Bool, _) => (value != 0).to_string(),
            (Ty::Real, _) => {
                let number = to_f64(ty, value);
                if number < 0.0 { format!("(- {:?})", -number) } else { format!("{:?}", number.abs()) }
            }
            (Ty::Float(dtype), _) => {
                let (e, s) = float_format(dtype);
                format!("((_ to_fp {e} {s}) {})", literal(value, u32::from(dtype.bits)))
            }
            (Ty::Unbounded, _) | (Ty::Exact(_) | Ty::Wrapping(_), Repr::Int) => integer(value),
            (Ty::Exact(_) | Ty::Wrapping(_), Repr::Bits) => literal(value, ty.bits()),
        }
    }

    fn cast(&mut self, from: Ty, to: Ty, value: &str) -> Encoded {
        let is_float = |ty: Ty| matches!(ty, Ty::Float(_));
        if self.style == Style::Opaque && (is_float(from) || is_float(to)) {
            let (a, b) = (sort(from, self.repr), sort(to, self.repr));
            let sign = |ty: Ty| if is_signed(ty) { "s" } else { "u" };
            let name = format!("cast_{}{a}_{}{b}", sign(from), sign(to)).replace([' ', '(', ')'], "_");
            let name = self.functions.opaque(name, &[&a], &b);
            return Ok(format!("({name} {value})"));
        }
        let float = |ty: Ty| match ty {
            Ty::Float(dtype) => Some(float_format(dtype)),
            Ty::Bool | Ty::Unbounded | Ty::Exact(_) | Ty::Wrapping(_) | Ty::Real => None,
        };
        Ok(match (from, to) {
            (Ty::Bool, Ty::Bool) => value.to_owned(),
            (Ty::Bool, _) => {
                let number = |n: i128| if float(to).is_some() { float_bits(to, n as f64) } else { n };
                let (one, zero) = (self.constant(number(1), to), self.constant(number(0), to));
                format!("(ite {value} {one} {zero})")
            }
            (Ty::Float(_), Ty::Bool) => format!("(not (fp.isZero {value}))"),
            (_, Ty::Bool) => format!("(distinct {value} {})", self.constant(0, from)),
            _ => match (float(from), float(to)) {
                (_, Some((e, s))) => {
                    let unsigned = if float(from).is_none() && !is_signed(from) { "_unsigned" } else { "" };
                    format!("((_ to_fp{unsigned} {e} {s}) RNE {value})")
                }
                (Some(_), None) => {
                    let sign = if is_signed(to) { "s" } else { "u" };
                    format!("((_ fp.to_{sign}bv {}) RTZ {value})", to.bits())
                }
                (None, None) => match (self.repr, from.range(), to.range()) {
                    (Repr::Bits, _, _) => resized(value, from.bits(), to.bits(), is_signed(from)),
                    (Repr::Int, Some((l, h)), Some((low, high))) if low <= l && h <= high => value.to_owned(),
                    (Repr::Int, _, Some(range)) => reduced(value, range),
                    (Repr::Int, _, None) => return Err("a conversion to a type without bounds"),
                },
            },
        })
    }

    /// A constant that is computed when the rule applies. What it takes to apply is given.
    fn fold(&mut self, pat: &Pat, ty: Ty) -> Encoded {
        let value = self.term(pat)?;
        if ty == Ty::Bool {
            return Ok(value);
        }
        if let (Ty::Exact(_), Some(range)) = (ty, ty.range()) {
            let fits = self.wide_between(&value, range);
            self.asserted.push(fits);
        }
        Ok(match self.repr {
            Repr::Int => self.wrapped(ty, value),
            Repr::Bits => format!("((_ extract {} 0) {value})", ty.bits() - 1),
        })
    }

    /// A term over integers without bounds; a comparison is a truth value.
    fn term(&mut self, pat: &Pat) -> Encoded {
        let wide = self.wide;
        Ok(match pat {
            Pat::Hole(hole) => {
                let ty = self.holes[*hole];
                match (ty, self.repr) {
                    (Ty::Bool, Repr::Int) => format!("(ite h{hole} 1 0)"),
                    (Ty::Bool, Repr::Bits) => {
                        format!("(ite h{hole} {} {})", literal(1, wide), literal(0, wide))
                    }
                    (_, Repr::Int) => format!("h{hole}"),
                    (_, Repr::Bits) => resized(&format!("h{hole}"), ty.bits(), wide, is_signed(ty)),
                }
            }
            Pat::Int(value, _) => self.wide_constant(i128::from(*value)),
            Pat::Lanes => match self.repr {
                Repr::Int => "lanes".to_owned(),
                Repr::Bits => resized("lanes", 16, wide, false),
            },
            Pat::Op(RuleOp::Math(MathFn::ShiftLeft), args) => {
                let (a, n) = (self.term(&args[0])?, self.term(&args[1])?);
                let defined = self.wide_between(&n, (0, 63));
                self.asserted.push(defined);
                match self.repr {
                    Repr::Int => {
                        let power = format!("({} {n})", self.functions.power());
                        self.integer_op(BinOp::Mul, &a, &power)
                    }
                    Repr::Bits => format!("(bvshl {a} {n})"),
                }
            }
            Pat::Op(RuleOp::Bin(op), args) => {
                let (a, b) = (self.term(&args[0])?, self.term(&args[1])?);
                if op.is_division() {
                    let zero = self.wide_constant(0);
                    self.asserted.push(format!("(distinct {b} {zero})"));
                }
                let bits = (self.repr == Repr::Bits).then_some(true);
                match (comparison(*op, bits), self.repr) {
                    _ if *op == BinOp::Ne => format!("(distinct {a} {b})"),
                    (Some(name), _) => format!("({name} {a} {b})"),
                    (None, Repr::Int) => self.integer_op(*op, &a, &b),
                    (None, Repr::Bits) => format!("({} {a} {b})", self.functions.bits_op(*op, wide, true)),
                }
            }
            Pat::Op(..) | Pat::Bool(_) | Pat::Float(..) | Pat::Cast(..) | Pat::Fold(..) => {
                return Err("a term that is not over integers");
            }
        })
    }

    fn wide_constant(&self, value: i128) -> String {
        match self.repr {
            Repr::Int => integer(value),
            Repr::Bits => literal(value, self.wide),
        }
    }

    fn wide_between(&self, value: &str, (low, high): (i128, i128)) -> String {
        match self.repr {
            Repr::Int => between(value, (low, high)),
            Repr::Bits => {
                let (low, high) = (literal(low, self.wide), literal(high, self.wide));
                format!("(and (bvsle {low} {value}) (bvsle {value} {high}))")
            }
        }
    }

    fn cond(&mut self, cond: &Cond) -> Encoded {
        let zero = self.wide_constant(0);
        let bits = (self.repr == Repr::Bits).then_some(true);
        let compare = |op: BinOp, a: String, b: String| match comparison(op, bits) {
            Some(name) => format!("({name} {a} {b})"),
            None => format!("(distinct {a} {b})"),
        };
        Ok(match cond {
            Cond::Nonzero(a) | Cond::Positive(a) | Cond::Negative(a) => {
                let op = match cond {
                    Cond::Positive(_) => BinOp::Gt,
                    Cond::Negative(_) => BinOp::Lt,
                    _ => BinOp::Ne,
                };
                let a = self.term(a)?;
                if self.style == Style::Linear {
                    self.linear.set_nonzero(&a);
                }
                compare(op, a, zero)
            }
            Cond::Nonnegative(a) => compare(BinOp::Ge, self.term(a)?, zero),
            Cond::Nonpositive(a) => compare(BinOp::Le, self.term(a)?, zero),
            Cond::Lt(a, b) => compare(BinOp::Lt, self.term(a)?, self.term(b)?),
            Cond::Le(a, b) => compare(BinOp::Le, self.term(a)?, self.term(b)?),
            Cond::Eq(a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                if self.style == Style::Linear && is_hole(&a) && self.linear.is_free(&a) {
                    self.linear.substitute(&a, &b);
                }
                compare(BinOp::Eq, a, b)
            }
            Cond::Ne(a, b) => compare(BinOp::Ne, self.term(a)?, self.term(b)?),
            Cond::Divides(d, a) => {
                let (d, a) = (self.term(d)?, self.term(a)?);
                match self.repr {
                    Repr::Int => {
                        // The quotient has a name, which helps the solver more than a remainder of zero.
                        let quotient = format!("q{}", self.declared.len());
                        self.declared.push(format!("(declare-const {quotient} Int)\n"));
                        if self.style == Style::Linear {
                            self.linear.add_operand(&quotient);
                            self.linear.set_nonzero(&d);
                        }
                        let multiple = self.integer_op(BinOp::Mul, &d, &quotient);
                        if self.style == Style::Linear && is_hole(&a) && self.linear.is_free(&a) {
                            self.linear.substitute(&a, &multiple);
                        }
                        format!("(and (distinct {d} 0) (= {a} {multiple}))")
                    }
                    Repr::Bits => format!("(and (distinct {d} {zero}) (= (bvsrem {a} {d}) {zero}))"),
                }
            }
            Cond::Pow2(a) => {
                let a = self.term(a)?;
                match self.repr {
                    Repr::Int => format!("({} {a})", self.functions.is_power()),
                    Repr::Bits => {
                        let one = literal(1, self.wide);
                        format!("(and (bvsgt {a} {zero}) (= (bvand {a} (bvsub {a} {one})) {zero}))")
                    }
                }
            }
            Cond::Fits(a, ty) => {
                let a = self.term(a)?;
                match self.at.ty(*ty).range() {
                    Some(range) => self.wide_between(&a, range),
                    None => return Err("whether a value fits a type without bounds"),
                }
            }
            Cond::NoWider(a, b) => (self.at.ty(*a).bits() <= self.at.ty(*b).bits()).to_string(),
            Cond::Const(_) => "true".to_owned(),
            Cond::Total(hole) if self.rule.holes[*hole].constant => "true".to_owned(),
            Cond::Total(hole) => format!("(not t{hole})"),
        })
    }

    /// Whether evaluating the term does not trap.
    fn defined(&mut self, term: &Term) -> Encoded {
        Ok(match term {
            Term::Hole(hole, _) if self.rule.holes[*hole].constant => "true".to_owned(),
            Term::Hole(hole, _) => format!("(not t{hole})"),
            Term::Const(..) | Term::Fold(..) => "true".to_owned(),
            Term::Cast { arg, .. } => self.defined(arg)?,
            Term::Op { op, operand, args } => {
                let parts = args.iter().map(|arg| self.defined(arg)).collect::<Result<Vec<_>, _>>()?;
                let kept = self.needs.len();
                let first = self.value(&args[0], "true")?;
                let last = self.value(&args[args.len() - 1], "true")?;
                self.needs.truncate(kept);
                match op {
                    RuleOp::Bin(BinOp::And) => format!("(and {} (=> {first} {}))", parts[0], parts[1]),
                    RuleOp::Bin(BinOp::Or) => format!("(and {} (or {first} {}))", parts[0], parts[1]),
                    RuleOp::IfThenElse => {
                        format!("(and {} (ite {first} {} {}))", parts[0], parts[1], parts[2])
                    }
                    RuleOp::Bin(bin) if bin.is_division() && !matches!(operand, Ty::Float(_) | Ty::Real) => {
                        let zero = self.constant(0, *operand);
                        format!("(and {} {} (distinct {last} {zero}))", parts[0], parts[1])
                    }
                    RuleOp::Math(MathFn::ShiftLeft | MathFn::ShiftRight) => {
                        let fine = shift_is_defined(&last, operand.bits());
                        format!("(and {} {} {fine})", parts[0], parts[1])
                    }
                    RuleOp::Bin(_)
                    | RuleOp::Not
                    | RuleOp::Select
                    | RuleOp::Likely
                    | RuleOp::Math(_)
                    | RuleOp::Ramp
                    | RuleOp::Broadcast => format!("(and {})", parts.join(" ")),
                }
            }
        })
    }
}

/// The value modulo the size of the range, in the range. Mostly it is there already, which the solver should see.
fn reduced(value: &str, (low, high): (i128, i128)) -> String {
    let (fits, low, size) = (between(value, (low, high)), integer(low), high - low + 1);
    format!("(ite {fits} {value} (+ (mod (- {value} {low}) {size}) {low}))")
}

/// Whether the text is the name of a hole.
fn is_hole(text: &str) -> bool {
    text.starts_with('h') && text[1..].chars().all(|c| c.is_ascii_digit())
}

fn between(value: &str, (low, high): (i128, i128)) -> String {
    format!("(<= {} {value} {})", integer(low), integer(high))
}

/// A bit-vector brought to another width.
fn resized(value: &str, from: u32, to: u32, signed: bool) -> String {
    match from.cmp(&to) {
        std::cmp::Ordering::Equal => value.to_owned(),
        std::cmp::Ordering::Greater => format!("((_ extract {} 0) {value})", to - 1),
        std::cmp::Ordering::Less => {
            let extend = if signed { "sign_extend" } else { "zero_extend" };
            format!("((_ {extend} {}) {value})", to - from)
        }
    }
}
