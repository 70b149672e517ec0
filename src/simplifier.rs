//! Single expressions, with what is known of them said step by step: the short way to
//! [`simplify::expression`](crate::simplify::expression).

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use crate::arith::Interval;
use crate::cost::Profile;
use crate::error::Error;
use crate::explain::{Context, View};
use crate::ir::build::FuncBuilder;
use crate::ir::{Block, DType, Expr, PrimFunc, Type};
use crate::rewrite::Rewrites;
use crate::rules::RuleSet;
use crate::script::{names_of, parse_expr, print_expr};
use crate::simplify;

/// Simplifies expressions that are given as text.
///
/// ```
/// use satir::Simplifier;
/// use satir::ir::DType;
///
/// let small = Simplifier::new().var("x", 0..8).given("x < y");
/// assert_eq!(small.simplify("(x + 8) // 8")?, "1");
/// assert_eq!(small.simplify("T.max(x, y)")?, "y");
/// assert_eq!(small.simplify("y < 0")?, "T.bool(False)");
/// let wide = Simplifier::new().typed("n", DType::I64, 1..);
/// assert_eq!(wide.simplify("(n * T.int64(4) + T.int64(3)) // T.int64(4)")?, "n");
/// # Ok::<(), satir::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simplifier {
    vars: Vec<Variable>,
    given: Vec<String>,
    rewrites: Arc<Rewrites>,
    /// What `rewrites` was made of, if not of the built-in rules.
    rules: Option<RuleSet>,
    fast_math: bool,
    profile: Profile,
}

/// A variable with the least and the most of its values.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    dtype: DType,
    least: Option<i128>,
    most: Option<i128>,
}

impl Default for Simplifier {
    fn default() -> Simplifier {
        Simplifier {
            vars: Vec::new(),
            given: Vec::new(),
            rewrites: Rewrites::embedded(),
            rules: None,
            fast_math: false,
            profile: Profile::default(),
        }
    }
}

impl Simplifier {
    /// With the built-in rules and weights. A name of which nothing is said is an `int32` without bounds.
    ///
    /// ```
    /// assert_eq!(satir::Simplifier::new().simplify("x * 3 + x * 5")?, "x * 8");
    /// # Ok::<(), satir::Error>(())
    /// ```
    pub fn new() -> Simplifier {
        Simplifier::default()
    }

    /// A variable of type `int32` and the values that it may take.
    ///
    /// ```
    /// use satir::Simplifier;
    ///
    /// assert_eq!(Simplifier::new().var("x", 0..8).simplify("x // 8")?, "0");
    /// assert_eq!(Simplifier::new().var("x", 0..=8).simplify("x // 8")?, "x // 8");
    /// assert_eq!(Simplifier::new().var("x", ..=7).simplify("T.min(x, 7)")?, "x");
    /// assert!(Simplifier::new().var("x", 8..8).simplify("x").is_err(), "there is no such value");
    /// # Ok::<(), satir::Error>(())
    /// ```
    #[must_use]
    pub fn var(self, name: &str, values: impl RangeBounds<i64>) -> Simplifier {
        self.typed(name, DType::I32, values)
    }

    /// A variable of another type; `..` if all its values are possible, as they are of one that is not an integer.
    ///
    /// ```
    /// use satir::Simplifier;
    /// use satir::ir::DType;
    ///
    /// let byte: DType = "uint8".parse()?;
    /// let wrapping = Simplifier::new().typed("x", byte, ..);
    /// assert_eq!(wrapping.simplify("T.Cast(\"int32\", x) < 256")?, "T.bool(True)");
    /// assert!(Simplifier::new().typed("x", byte, 0..1000).simplify("x").is_err(), "999 is no value of `uint8`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn typed(mut self, name: &str, dtype: DType, values: impl RangeBounds<i64>) -> Simplifier {
        let least = match values.start_bound() {
            Bound::Included(&v) => Some(i128::from(v)),
            Bound::Excluded(&v) => Some(i128::from(v) + 1),
            Bound::Unbounded => None,
        };
        let most = match values.end_bound() {
            Bound::Included(&v) => Some(i128::from(v)),
            Bound::Excluded(&v) => Some(i128::from(v) - 1),
            Bound::Unbounded => None,
        };
        self.vars.retain(|var| var.name != name);
        self.vars.push(Variable { name: name.to_owned(), dtype, least, most });
        self
    }

    /// A condition that holds.
    ///
    /// ```
    /// use satir::Simplifier;
    ///
    /// assert_eq!(Simplifier::new().given("x < y").given("y < z").simplify("x < z")?, "T.bool(True)");
    /// assert!(Simplifier::new().given("x +").simplify("x").is_err());
    /// # Ok::<(), satir::Error>(())
    /// ```
    #[must_use]
    pub fn given(mut self, condition: &str) -> Simplifier {
        self.given.push(condition.to_owned());
        self
    }

    /// Other rewrite rules than the built-in ones.
    ///
    /// ```
    /// use satir::Simplifier;
    /// use satir::rules::RuleSet;
    ///
    /// let text = "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))";
    /// let mut rules = RuleSet::empty();
    /// rules.extend_with_text("my.rules", text)?;
    /// assert_eq!(Simplifier::new().rules(&rules).simplify("T.bitwise_and(x, x)")?, "x");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rules(mut self, rules: &RuleSet) -> Simplifier {
        self.rewrites = Arc::new(Rewrites::new(rules));
        self.rules = Some(rules.clone());
        self
    }

    /// Computes floats as if they were real numbers, as [`Options::fast_math`](crate::cse::Options::fast_math) does.
    ///
    /// ```
    /// use satir::{Simplifier, ir::DType};
    ///
    /// let floats = || Simplifier::new().typed("x", DType::F32, ..).typed("y", DType::F32, ..);
    /// assert_eq!(floats().simplify("x + y - y")?, "x + y - y");
    /// assert_eq!(floats().fast_math().simplify("x + y - y")?, "x");
    /// # Ok::<(), satir::Error>(())
    /// ```
    #[must_use]
    pub fn fast_math(mut self) -> Simplifier {
        self.fast_math = true;
        self
    }

    /// Other weights than the built-in ones: they say which of two equal expressions is cheaper.
    ///
    /// ```
    /// use satir::Simplifier;
    /// use satir::cost::Profile;
    ///
    /// let profile = Profile::from_json(r#"{"weights": {"mul": 9}}"#)?;
    /// assert_eq!(Simplifier::new().profile(profile).simplify("x + x * 0")?, "x");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Simplifier {
        self.profile = profile;
        self
    }

    /// The cheapest equal expression that is found; a condition that is decided becomes a constant.
    ///
    /// # Errors
    ///
    /// If a text is no expression, a condition is none, or a variable has no value.
    ///
    /// ```
    /// use satir::{Error, Simplifier};
    ///
    /// let simplifier = Simplifier::new().var("x", 0..8);
    /// assert_eq!(simplifier.simplify("(x * 4 + 3) // 4 + y")?, "x + y");
    /// assert!(matches!(simplifier.simplify("x +"), Err(Error::Text(_))));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn simplify(&self, expression: &str) -> Result<String, Error> {
        let question = self.question(expression)?;
        Ok(print_expr(&question.func, &self.answer(&question)))
    }

    /// What [`simplify`](Self::simplify) gives, and why it is equal: the steps, with the rules and laws that they are by, and
    /// the facts that they rest on. Without steps if nothing cheaper was found.
    ///
    /// # Errors
    ///
    /// As of [`simplify`](Self::simplify).
    ///
    /// ```
    /// let small = satir::Simplifier::new().var("x", 0..8);
    /// let (result, steps) = small.explain("(x * 4 + 3) // 4")?;
    /// assert_eq!(result, "x");
    /// assert!(!steps.is_empty());
    /// assert_eq!(small.explain("x")?, ("x".to_owned(), String::new()));
    /// # Ok::<(), satir::Error>(())
    /// ```
    pub fn explain(&self, expression: &str) -> Result<(String, String), Error> {
        let question = self.question(expression)?;
        let (result, steps) = self.explained(&question);
        Ok((print_expr(&question.func, &result), steps))
    }

    /// What [`simplify`](Self::simplify) gives, for an expression that is no text. Its variables are those of `func`, with the
    /// types that they have there; what is known of them goes by their names.
    ///
    /// # Errors
    ///
    /// If a condition is none, or a variable has no value.
    ///
    /// ```
    /// use satir::Simplifier;
    /// use satir::ir::{DType, build::FuncBuilder};
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let x = b.param("x", DType::I64);
    /// let e = (b.var(x) * 4 + 3).floordiv(4);
    /// let func = b.finish();
    /// assert_eq!(Simplifier::new().simplify_expr(&func, &e)?.as_var(), Some(x));
    /// let e = satir::script::parse_expr("T.max(x, T.int64(7))", &mut func.clone())?;
    /// assert_eq!(Simplifier::new().var("x", ..=7).simplify_expr(&func, &e)?.as_int(), Some(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn simplify_expr(&self, func: &PrimFunc, expr: &Expr) -> Result<Expr, Error> {
        let question = self.question_over(func, expr)?;
        Ok(question.kept(self.answer(&question)))
    }

    /// What [`simplify_expr`](Self::simplify_expr) gives, with the steps of [`explain`](Self::explain).
    ///
    /// # Errors
    ///
    /// As of [`simplify_expr`](Self::simplify_expr).
    ///
    /// ```
    /// use satir::Simplifier;
    /// use satir::ir::{DType, build::FuncBuilder};
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let x = b.param("x", DType::I64);
    /// let e = (b.var(x) * 4 + 3).floordiv(4);
    /// let (result, steps) = Simplifier::new().explain_expr(&b.finish(), &e)?;
    /// assert_eq!(result.as_var(), Some(x));
    /// assert!(!steps.is_empty());
    /// # Ok::<(), satir::Error>(())
    /// ```
    pub fn explain_expr(&self, func: &PrimFunc, expr: &Expr) -> Result<(Expr, String), Error> {
        let question = self.question_over(func, expr)?;
        let (result, steps) = self.explained(&question);
        Ok((question.kept(result), steps))
    }

    /// The e-graph of an expression: all forms of it that are found, the cheapest marked, as a picture or as data.
    ///
    /// # Errors
    ///
    /// As of [`simplify`](Self::simplify).
    ///
    /// ```
    /// let view = satir::Simplifier::new().var("x", 0..8).view("(x * 4 + 3) // 4")?;
    /// assert!(view.to_svg().contains(">floordiv<"));
    /// # Ok::<(), satir::Error>(())
    /// ```
    pub fn view(&self, expression: &str) -> Result<View, Error> {
        let question = self.question(expression)?;
        Ok(self.within(&question, |context| View::new(context, &question.expr)))
    }

    /// What [`view`](Self::view) gives, for an expression that is no text.
    ///
    /// # Errors
    ///
    /// As of [`simplify_expr`](Self::simplify_expr).
    ///
    /// ```
    /// use satir::Simplifier;
    /// use satir::ir::{DType, build::FuncBuilder};
    ///
    /// let mut b = FuncBuilder::new("main");
    /// let x = b.param("x", DType::I64);
    /// let e = (b.var(x) * 4 + 3).floordiv(4);
    /// assert!(Simplifier::new().view_expr(&b.finish(), &e)?.to_dot().starts_with("digraph"));
    /// # Ok::<(), satir::Error>(())
    /// ```
    pub fn view_expr(&self, func: &PrimFunc, expr: &Expr) -> Result<View, Error> {
        let question = self.question_over(func, expr)?;
        Ok(self.within(&question, |context| View::new(context, &question.expr)))
    }

    /// The cheapest equal expression that is found, and the steps that lead there.
    fn explained(&self, question: &Question) -> (Expr, String) {
        let result = self.answer(question);
        if question.expr == result {
            return (result, String::new());
        }
        let account = self.within(question, |context| context.account(&question.expr, &result));
        (result, account.map_or_else(String::new, |account| account.to_string()))
    }

    /// Does something with all that is known of a question, and what is taken for granted.
    fn within<T>(&self, question: &Question, work: impl FnOnce(&Context<'_>) -> T) -> T {
        let Question { func, ranges, conditions, expr, .. } = question;
        let embedded = match self.rules {
            // Built-in rules that cannot be read would have no part in the result either.
            None => RuleSet::embedded().unwrap_or_else(|_| RuleSet::empty()),
            Some(_) => RuleSet::empty(),
        };
        let rules = self.rules.as_ref().unwrap_or(&embedded);
        let conds = &[&conditions[..], &simplify::taken_for_granted(expr)].concat();
        let (profile, fast_math) = (&self.profile, self.fast_math);
        work(&Context { func, profile, rules, fast_math, ranges, conds })
    }

    /// An expression with all that is known.
    fn question(&self, expression: &str) -> Result<Question, Error> {
        let (mut func, mut ranges) = self.declarations(expression)?;
        let mut conditions = Vec::with_capacity(self.given.len());
        for text in &self.given {
            conditions.push(condition(text, &mut func)?);
        }
        let expr = parse_expr(expression, &mut func)?;
        // `T.Let` brings variables of its own.
        ranges.resize(func.vars.len(), Interval::ALL);
        let own = func.vars.len();
        Ok(Question { func, ranges, conditions, expr, own })
    }

    /// The same for an expression over the variables of a function.
    fn question_over(&self, func: &PrimFunc, expr: &Expr) -> Result<Question, Error> {
        let mut func = PrimFunc { body: Block::new(), ..func.clone() };
        let own = func.vars.len();
        let known = |name: &str| self.vars.iter().find(|known| *known.name == *name);
        let mut ranges = Vec::with_capacity(own);
        for var in &func.vars {
            let (name, dtype) = (var.name.to_string(), var.ty.dtype());
            let (least, most) = known(&name).map_or((None, None), |known| (known.least, known.most));
            ranges.push(Variable { name, dtype, least, most }.range()?);
        }
        let mut conditions = Vec::with_capacity(self.given.len());
        for text in &self.given {
            for name in names_of(text)? {
                if !func.vars.iter().any(|var| *var.name == *name) {
                    let declared = known(&name);
                    ranges.push(declared.map_or(Ok(Interval::ALL), Variable::range)?);
                    func.new_var(&*name, Type::Prim(declared.map_or(DType::I32, |known| known.dtype)));
                }
            }
            conditions.push(condition(text, &mut func)?);
        }
        ranges.resize(func.vars.len(), Interval::ALL);
        Ok(Question { func, ranges, conditions, expr: expr.clone(), own })
    }

    /// The cheapest equal expression that is found.
    fn answer(&self, question: &Question) -> Expr {
        let Question { func, ranges, conditions, expr, .. } = question;
        let rewrites = self.rewrites.with_fast_math(self.fast_math);
        simplify::expression(func, &self.profile, rewrites, ranges.clone(), conditions, expr)
    }

    /// A function that has all variables, and their ranges.
    fn declarations(&self, expression: &str) -> Result<(PrimFunc, Vec<Interval>), Error> {
        let mut builder = FuncBuilder::new("main");
        let mut ranges = Vec::new();
        for var in &self.vars {
            builder.param(&var.name, var.dtype);
            ranges.push(var.range()?);
        }
        let mut declared: Vec<&str> = self.vars.iter().map(|var| &*var.name).collect();
        let texts = self.given.iter().map(String::as_str).chain([expression]);
        let mut names = Vec::new();
        for text in texts {
            names.extend(names_of(text)?);
        }
        for name in &names {
            if !declared.contains(&&**name) {
                declared.push(name);
                builder.param(name, DType::I32);
                ranges.push(Interval::ALL);
            }
        }
        Ok((builder.finish(), ranges))
    }
}

/// An expression, its variables with their ranges, and the conditions that hold.
struct Question {
    func: PrimFunc,
    ranges: Vec<Interval>,
    conditions: Vec<Expr>,
    expr: Expr,
    /// How many variables the expression had to choose from; more are those of conditions.
    own: usize,
}

impl Question {
    /// A result, unless it has variables that only conditions have: then the expression itself.
    fn kept(&self, result: Expr) -> Expr {
        let mut foreign = false;
        result.walk(&mut |e| foreign |= e.as_var().is_some_and(|var| var.index() >= self.own));
        if foreign { self.expr.clone() } else { result }
    }
}

impl Variable {
    /// The values that it may take: those of its type, within its bounds.
    fn range(&self) -> Result<Interval, Error> {
        let bad = |what: String| Error::Variable { name: self.name.clone(), what };
        let bounds = [self.least, self.most];
        let Some((least, most)) = self.dtype.int_range() else {
            return match bounds {
                [None, None] => Ok(Interval::ALL),
                _ => Err(bad(format!("a bound, but `{}` is no integer type", self.dtype))),
            };
        };
        if let Some(v) = bounds.into_iter().flatten().find(|v| !(least..=most).contains(v)) {
            return Err(bad(format!("the bound {v} is not a value of `{}`", self.dtype)));
        }
        // Index types count as unbounded.
        let of_type = |v: i128| (!self.dtype.is_index()).then_some(v);
        let (low, high) = (self.least.or(of_type(least)), self.most.or(of_type(most)));
        Interval::between(low, high).ok_or_else(|| bad("no value lies within its bounds".to_owned()))
    }
}

/// Reads a condition.
fn condition(text: &str, func: &mut PrimFunc) -> Result<Expr, Error> {
    let e = parse_expr(text, func)?;
    if e.dtype == DType::BOOL {
        return Ok(e);
    }
    Err(Error::Condition { text: text.to_owned(), dtype: e.dtype.to_string() })
}
