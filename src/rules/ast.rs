//! What a rule is, once read: patterns over typed holes, and conditions from a closed list.
//!
//! Nothing here knows of the engine. A rule says: where `lhs` matches, the conditions are proven, and the types are of
//! the classes named, `rhs` equals `lhs` as a total function, and does not trap where `lhs` does not.
//! `rules/README.md` is the full account; [`check`](super::check) tests every word of it.

use std::fmt;
use std::sync::{Arc, LazyLock};

use hashbrown::HashMap;

use crate::diag::Span;
use crate::ir::value::MathFn;
use crate::ir::{BinOp, DType, Kind};

/// A rewrite rule.
///
/// ```
/// let mut rules = satir::rules::RuleSet::empty();
/// rules.extend_with_text(
///     "my.rules",
///     "(rule cancel \"a multiple\" (types index) (=> (floordiv (mul ?x ?c) ?c) ?x) (if (nonzero ?c)))",
/// )?;
/// let rule = rules.rules().next().expect("one");
/// assert_eq!((&*rule.name, &*rule.set, rule.line), ("cancel", "my", 1));
/// assert_eq!(rule.to_string(), "(floordiv (mul ?x ?c) ?c) => ?x if (nonzero ?c)");
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name, unique among all rules that are loaded together.
    pub name: Arc<str>,
    /// The set that it belongs to: the name of its file without `.rules`.
    pub set: Arc<str>,
    /// One line that says why it holds.
    pub why: Arc<str>,
    /// The type variables. The first is `@t`, the type that a rule is about; [`TypeRef::Var`] counts in this list.
    pub(crate) types: Vec<TypeVar>,
    /// The holes, in the order of their first mention; [`Pat::Hole`] counts in this list.
    pub(crate) holes: Vec<Hole>,
    /// What is matched.
    pub(crate) lhs: Pat,
    /// What it equals.
    pub(crate) rhs: Pat,
    /// Whether `rhs` may be replaced by `lhs` as well (`<=>`), under the same conditions.
    pub bidirectional: bool,
    /// All of them must be proven. What is not known is not proven.
    pub(crate) conds: Vec<Cond>,
    /// Whether it makes terms larger or more numerous without bound, so that it needs a budget of its own.
    pub expensive: bool,
    /// Marked `(may-trap)`: the result may trap where what it replaces does not, so that it may be used only by an
    /// engine that checks that at the place where the result is evaluated.
    pub may_trap: bool,
    /// Marked `(fast-math)`: true of real numbers, not of floats.
    pub fast_math: bool,
    /// Marked `(by-theory)`: the engine's theory of integers proves it, so that it is used only where that is not used in
    /// full.
    pub by_theory: bool,
    /// Whether it mentions `ramp` or `broadcast`, so that [`Hole::scalar`] counts. Other rules hold for scalars and,
    /// lane by lane, for vectors.
    pub(crate) vector: bool,
    /// The file that it was read from.
    pub file: Arc<str>,
    /// Line of its name, from 1.
    pub line: u32,
    /// Place of the whole rule in the file.
    pub(crate) span: Span,
}

/// A type variable of a rule and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeVar {
    /// Name without the `@`.
    pub name: Arc<str>,
    /// The rule holds for every type of any of these classes.
    pub classes: Vec<TypeClass>,
}

impl TypeVar {
    /// Whether the lanes of `dtype` are of one of the classes.
    pub(crate) fn contains(&self, dtype: DType) -> bool {
        self.classes.iter().any(|class| class.contains(dtype))
    }
}

/// A class of data types, by their lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeClass {
    /// `int32` and `int64`: integers that are taken not to overflow.
    Index,
    /// Signed integers of any width, the index types and those that wrap.
    Int,
    /// Unsigned integers.
    UInt,
    /// `int` and `uint`.
    AnyInt,
    /// Truth values.
    Bool,
    /// IEEE floats and `bfloat16`.
    Float,
    /// All of the above.
    Any,
    /// One scalar type.
    Exactly(DType),
}

impl TypeClass {
    /// The classes that have a name of their own.
    pub(crate) const NAMED: [(&'static str, TypeClass); 7] = [
        ("index", TypeClass::Index),
        ("int", TypeClass::Int),
        ("uint", TypeClass::UInt),
        ("anyint", TypeClass::AnyInt),
        ("bool", TypeClass::Bool),
        ("float", TypeClass::Float),
        ("any", TypeClass::Any),
    ];

    /// The class of a name, or of a scalar type.
    pub(crate) fn named(name: &str) -> Option<TypeClass> {
        if let Some(&(_, class)) = TypeClass::NAMED.iter().find(|(other, _)| *other == name) {
            return Some(class);
        }
        let dtype = name.parse::<DType>().ok()?;
        (dtype.is_scalar() && TypeClass::Any.contains(dtype)).then_some(TypeClass::Exactly(dtype))
    }

    /// Whether the lanes of `dtype` belong to the class.
    pub(crate) fn contains(self, dtype: DType) -> bool {
        match self {
            TypeClass::Index => dtype.is_index(),
            TypeClass::Int => dtype.is_int(),
            TypeClass::UInt => dtype.is_uint(),
            TypeClass::AnyInt => dtype.is_integral(),
            TypeClass::Bool => dtype.is_bool(),
            TypeClass::Float => matches!(dtype.kind, Kind::Float | Kind::BFloat),
            TypeClass::Any => {
                dtype.is_integral() || dtype.is_bool() || matches!(dtype.kind, Kind::Float | Kind::BFloat)
            }
            TypeClass::Exactly(only) => dtype.scalar() == only,
        }
    }
}

impl fmt::Display for TypeClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeClass::Exactly(dtype) => dtype.fmt(f),
            class => {
                let named = TypeClass::NAMED.iter().find(|(_, c)| c == class);
                f.write_str(named.map_or("", |(name, _)| name))
            }
        }
    }
}

/// The type of a part of a rule: of its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeRef {
    /// `bool`.
    Bool,
    /// A type variable: an index into [`Rule::types`].
    Var(usize),
    /// A type that the rule names.
    Is(DType),
}

/// A hole of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    /// Name without its sigil.
    pub name: Arc<str>,
    /// Written `#c`: stands for a constant, whose value conditions and `fold` may use. Else `?x`, for anything.
    pub constant: bool,
    /// Its type.
    pub ty: TypeRef,
    /// In a [vector rule](Rule::vector): stands for a scalar. Else it has as many lanes as the whole pattern.
    pub scalar: bool,
}

impl fmt::Display for Hole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.constant { '#' } else { '?' }, self.name)
    }
}

/// A pattern; on a right side a template; in a condition or a `fold` a term over integers without bounds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pat {
    /// A hole: an index into [`Rule::holes`].
    Hole(usize),
    /// An integer constant. In a vector it is repeated in all lanes.
    Int(i64, TypeRef),
    /// A float constant (the bits of an `f64`). In a vector it is repeated in all lanes.
    Float(u64, TypeRef),
    /// `true` or `false`.
    Bool(bool),
    /// An operator and its operands.
    Op(RuleOp, Vec<Pat>),
    /// Conversion to a type.
    Cast(TypeRef, Box<Pat>),
    /// On a right side: a constant of this type, computed now over integers without bounds. The rule does not apply
    /// if that divides by zero, or if the type is an index type that cannot hold the value; other types wrap.
    Fold(Box<Pat>, TypeRef),
    /// In a condition or `fold` of a [vector rule](Rule::vector): the number of lanes.
    Lanes,
}

impl Pat {
    /// Calls `f` on this pattern and everything below it, parents first.
    pub(crate) fn walk<'a>(&'a self, f: &mut impl FnMut(&'a Pat)) {
        f(self);
        match self {
            Pat::Hole(_) | Pat::Int(..) | Pat::Float(..) | Pat::Bool(_) | Pat::Lanes => {}
            Pat::Op(_, args) => args.iter().for_each(|arg| arg.walk(f)),
            Pat::Cast(_, arg) | Pat::Fold(arg, _) => arg.walk(f),
        }
    }

    /// The holes that occur, each once, ascending.
    pub(crate) fn holes(&self) -> Vec<usize> {
        let mut holes = Vec::new();
        self.walk(&mut |pat| {
            if let Pat::Hole(hole) = pat {
                holes.push(*hole);
            }
        });
        holes.sort_unstable();
        holes.dedup();
        holes
    }
}

/// An operator that patterns may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RuleOp {
    /// One of the binary operators, under its [`BinOp::name`]. `and` and `or` are lazy.
    Bin(BinOp),
    /// `(not p)`
    Not,
    /// `(select p a b)`: `T.Select`, evaluates both arms.
    Select,
    /// `(if_then_else p a b)`: `T.if_then_else`, evaluates the arm that is taken.
    IfThenElse,
    /// `(likely p)`: `T.likely`.
    Likely,
    /// A function of integers of one type, under the name of its intrinsic: one of [`RuleOp::FUNCTIONS`]. Shifts are
    /// undefined unless `0 <= n < bits`.
    Math(MathFn),
    /// `(ramp base stride)`: lane `i` is `base + i * stride`.
    Ramp,
    /// `(broadcast a)`: `a` in every lane.
    Broadcast,
}

impl RuleOp {
    /// The functions that rules may be about. Arguments and result are integers of one type, and their bits count.
    pub(crate) const FUNCTIONS: [MathFn; 6] = [
        MathFn::ShiftLeft,
        MathFn::ShiftRight,
        MathFn::BitAnd,
        MathFn::BitOr,
        MathFn::BitXor,
        MathFn::BitNot,
    ];

    /// The operators with names of their own.
    const OTHERS: [(&'static str, RuleOp); 6] = [
        ("not", RuleOp::Not),
        ("select", RuleOp::Select),
        ("if_then_else", RuleOp::IfThenElse),
        ("likely", RuleOp::Likely),
        ("ramp", RuleOp::Ramp),
        ("broadcast", RuleOp::Broadcast),
    ];

    /// How many there are.
    pub(crate) const COUNT: usize = BinOp::ALL.len() + RuleOp::OTHERS.len() + RuleOp::FUNCTIONS.len();

    /// All operators.
    pub(crate) fn all() -> impl Iterator<Item = RuleOp> {
        let others = RuleOp::OTHERS.into_iter().map(|(_, op)| op);
        let functions = RuleOp::FUNCTIONS.into_iter().map(RuleOp::Math);
        BinOp::ALL.into_iter().map(RuleOp::Bin).chain(others).chain(functions)
    }

    /// The operator of that name.
    pub(crate) fn by_name(name: &str) -> Option<RuleOp> {
        static OPS: LazyLock<HashMap<&'static str, RuleOp>> =
            LazyLock::new(|| RuleOp::all().map(|op| (op.name(), op)).collect());
        OPS.get(name).copied()
    }

    /// The operator that a call of the intrinsic of that name is.
    pub(crate) fn of_intrinsic(name: &str) -> Option<RuleOp> {
        MathFn::from_name(name).filter(|f| RuleOp::FUNCTIONS.contains(f)).map(RuleOp::Math)
    }

    /// Its name in rule files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            RuleOp::Bin(op) => op.name(),
            RuleOp::Math(function) => function.name(),
            other => RuleOp::OTHERS.iter().find(|(_, op)| *op == other).map_or("", |(name, _)| name),
        }
    }

    /// How many operands it takes.
    pub(crate) const fn arity(self) -> usize {
        match self {
            RuleOp::Not | RuleOp::Likely | RuleOp::Broadcast => 1,
            RuleOp::Bin(_) | RuleOp::Ramp => 2,
            RuleOp::Math(function) => function.arity(),
            RuleOp::Select | RuleOp::IfThenElse => 3,
        }
    }
}

/// A side condition. Terms are over integers without bounds; a term that divides by zero proves nothing.
///
/// A condition is a statement about values (of total functions), except for [`Cond::Total`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cond {
    /// `(nonzero a)`: `a != 0`
    Nonzero(Pat),
    /// `(positive a)`: `a > 0`
    Positive(Pat),
    /// `(nonnegative a)`: `a >= 0`
    Nonnegative(Pat),
    /// `(negative a)`: `a < 0`
    Negative(Pat),
    /// `(nonpositive a)`: `a <= 0`
    Nonpositive(Pat),
    /// `(lt a b)`: `a < b`; `(gt b a)` is the same.
    Lt(Pat, Pat),
    /// `(le a b)`: `a <= b`; `(ge b a)` is the same.
    Le(Pat, Pat),
    /// `(eq a b)`: `a == b`
    Eq(Pat, Pat),
    /// `(ne a b)`: `a != b`
    Ne(Pat, Pat),
    /// `(divides d a)`: `d != 0` and `a` is a multiple of `d`.
    Divides(Pat, Pat),
    /// `(pow2 a)`: `a` is 1, 2, 4, 8, …
    Pow2(Pat),
    /// `(fits a @u)`: a value of type `@u` can be `a`.
    Fits(Pat, TypeRef),
    /// `(nowider @t @u)`: values of `@t` have at most as many bits as those of `@u`.
    NoWider(TypeRef, TypeRef),
    /// `(const ?x)`: the value of the hole is known.
    Const(usize),
    /// `(total ?x)`: evaluating the hole cannot trap.
    Total(usize),
}

impl Cond {
    /// Names of the conditions, with how many operands they take.
    pub(crate) const NAMES: [(&'static str, usize); 17] = [
        ("nonzero", 1),
        ("positive", 1),
        ("nonnegative", 1),
        ("negative", 1),
        ("nonpositive", 1),
        ("lt", 2),
        ("le", 2),
        ("gt", 2),
        ("ge", 2),
        ("eq", 2),
        ("ne", 2),
        ("divides", 2),
        ("pow2", 1),
        ("fits", 2),
        ("nowider", 2),
        ("const", 1),
        ("total", 1),
    ];

    /// The name and the terms.
    pub(crate) fn parts(&self) -> (&'static str, Vec<&Pat>) {
        match self {
            Cond::Nonzero(a) => ("nonzero", vec![a]),
            Cond::Positive(a) => ("positive", vec![a]),
            Cond::Nonnegative(a) => ("nonnegative", vec![a]),
            Cond::Negative(a) => ("negative", vec![a]),
            Cond::Nonpositive(a) => ("nonpositive", vec![a]),
            Cond::Lt(a, b) => ("lt", vec![a, b]),
            Cond::Le(a, b) => ("le", vec![a, b]),
            Cond::Eq(a, b) => ("eq", vec![a, b]),
            Cond::Ne(a, b) => ("ne", vec![a, b]),
            Cond::Divides(a, b) => ("divides", vec![a, b]),
            Cond::Pow2(a) => ("pow2", vec![a]),
            Cond::Fits(a, _) => ("fits", vec![a]),
            Cond::NoWider(..) => ("nowider", Vec::new()),
            Cond::Const(_) => ("const", Vec::new()),
            Cond::Total(_) => ("total", Vec::new()),
        }
    }

    /// The holes that it is about, each once, ascending.
    pub(crate) fn holes(&self) -> Vec<usize> {
        if let Cond::Total(hole) | Cond::Const(hole) = self {
            return vec![*hole];
        }
        let mut holes: Vec<usize> = self.parts().1.into_iter().flat_map(Pat::holes).collect();
        holes.sort_unstable();
        holes.dedup();
        holes
    }
}

/// One way of reading a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Direction<'a> {
    /// What is matched.
    pub from: &'a Pat,
    /// What it is replaced by.
    pub to: &'a Pat,
    /// Whether this is the right-to-left reading of a `<=>`.
    pub reversed: bool,
}

impl Rule {
    /// Whether the other rule claims the same, wherever it stands and whatever it says why.
    pub(crate) fn says_the_same(&self, other: &Rule) -> bool {
        let own = Rule {
            name: other.name.clone(),
            set: other.set.clone(),
            why: other.why.clone(),
            file: other.file.clone(),
            line: other.line,
            span: other.span,
            expensive: other.expensive,
            ..self.clone()
        };
        own == *other
    }

    /// The one or two ways to use the rule.
    pub(crate) fn directions(&self) -> Vec<Direction<'_>> {
        let mut both = vec![Direction { from: &self.lhs, to: &self.rhs, reversed: false }];
        if self.bidirectional {
            both.push(Direction { from: &self.rhs, to: &self.lhs, reversed: true });
        }
        both
    }

    /// The text of a pattern of this rule, as rule files spell it.
    pub(crate) fn show(&self, pat: &Pat) -> String {
        let mut out = String::new();
        self.write_pat(pat, &mut out);
        out
    }

    /// The text of a condition of this rule.
    pub(crate) fn show_cond(&self, cond: &Cond) -> String {
        let (name, terms) = cond.parts();
        let mut out = format!("({name}");
        for term in terms {
            out.push(' ');
            self.write_pat(term, &mut out);
        }
        match cond {
            Cond::Total(hole) | Cond::Const(hole) => out.push_str(&format!(" {}", self.holes[*hole])),
            Cond::Fits(_, ty) => out.push_str(&format!(" {}", self.show_type(*ty))),
            Cond::NoWider(a, b) => {
                out.push_str(&format!(" {} {}", self.show_type(*a), self.show_type(*b)));
            }
            Cond::Nonzero(_)
            | Cond::Positive(_)
            | Cond::Nonnegative(_)
            | Cond::Negative(_)
            | Cond::Nonpositive(_)
            | Cond::Lt(..)
            | Cond::Le(..)
            | Cond::Eq(..)
            | Cond::Ne(..)
            | Cond::Divides(..)
            | Cond::Pow2(_) => {}
        }
        out.push(')');
        out
    }

    /// The text of a type of this rule.
    pub(crate) fn show_type(&self, ty: TypeRef) -> String {
        match ty {
            TypeRef::Bool => "bool".to_owned(),
            TypeRef::Var(var) => format!("@{}", self.types[var].name),
            TypeRef::Is(dtype) => dtype.to_string(),
        }
    }

    fn write_pat(&self, pat: &Pat, out: &mut String) {
        match pat {
            Pat::Hole(hole) => out.push_str(&self.holes[*hole].to_string()),
            Pat::Int(value, _) => out.push_str(&value.to_string()),
            Pat::Float(bits, _) => out.push_str(&format!("{:?}", f64::from_bits(*bits))),
            Pat::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Pat::Lanes => out.push_str("lanes"),
            Pat::Op(op, args) => {
                out.push('(');
                out.push_str(op.name());
                for arg in args {
                    out.push(' ');
                    self.write_pat(arg, out);
                }
                out.push(')');
            }
            Pat::Cast(ty, arg) => {
                out.push_str("(cast ");
                out.push_str(&self.show_type(*ty));
                out.push(' ');
                self.write_pat(arg, out);
                out.push(')');
            }
            Pat::Fold(arg, _) => {
                out.push_str("(fold ");
                self.write_pat(arg, out);
                out.push(')');
            }
        }
    }
}

impl fmt::Display for Rule {
    /// The equation and its conditions, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrow = if self.bidirectional { "<=>" } else { "=>" };
        write!(f, "{} {arrow} {}", self.show(&self.lhs), self.show(&self.rhs))?;
        for (i, cond) in self.conds.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { " if " } else { " " }, self.show_cond(cond))?;
        }
        Ok(())
    }
}
