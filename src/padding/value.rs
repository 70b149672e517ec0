//! What padding holds, as options and files say it.

use crate::ir::value::Value;
use crate::ir::{DType, Expr, PrimFunc, VarId};
use crate::script::{parse_expr, parse_lambda};

/// What the elements of a padded buffer hold that are no elements of the buffer as it was.
///
/// ```
/// use satir::ir::build::FuncBuilder;
/// use satir::ir::{DType, Expr};
/// use satir::padding::Pad;
///
/// let mut func = FuncBuilder::new("main").finish();
/// assert_eq!(Pad::parse(None, DType::F32, &mut func), Ok(Pad::None));
/// assert_eq!(Pad::parse(Some("undef"), DType::F32, &mut func), Ok(Pad::Undef));
/// let zero = Pad::parse(Some("0"), DType::F32, &mut func)?;
/// assert_eq!(zero, Pad::Value { axes: vec![], value: Expr::float(0.0, DType::F32) });
/// assert!(Pad::parse(Some("0.5"), DType::I32, &mut func).is_err());
/// assert!(Pad::parse(Some("True"), DType::F32, &mut func).is_err());
/// assert!(Pad::parse(Some("T.int8(0)"), DType::I32, &mut func).is_err());
/// assert!(Pad::parse(Some("T.int32(0)"), DType::F32, &mut func).is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Pad {
    /// Nothing that anyone may rely on; no access touches it.
    None,
    /// Anything, but it may be read.
    Undef,
    /// A value.
    Value {
        /// Variables for the indices of the element, in the order of the padded buffer's dimensions; none for a constant.
        axes: Vec<VarId>,
        /// The value, which may load from the buffer itself.
        value: Expr,
    },
}

impl Pad {
    /// Reads `undef`, a constant, `-inf`, or `lambda io, ii: …` over the variables and buffers of `env`.
    ///
    /// # Errors
    ///
    /// If the text is none of these, or its value is not one of `dtype`.
    ///
    /// ```
    /// use satir::ir::DType;
    /// use satir::ir::build::FuncBuilder;
    /// use satir::padding::Pad;
    ///
    /// let mut func = FuncBuilder::new("main").finish();
    /// let Pad::Value { axes, .. } = Pad::parse(Some("lambda i, j: 4 * i + j"), DType::I32, &mut func)? else { panic!() };
    /// assert_eq!(axes.len(), 2);
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: Option<&str>, dtype: DType, env: &mut PrimFunc) -> Result<Pad, String> {
        let Some(text) = text.map(str::trim) else { return Ok(Pad::None) };
        let constant = |value| Ok(Pad::Value { axes: Vec::new(), value });
        match text {
            "None" => return Ok(Pad::None),
            "undef" | "T.undef()" => return Ok(Pad::Undef),
            "inf" | "-inf" | "nan" if dtype.is_float() => {
                let value = text.parse().unwrap_or(f64::NAN);
                return constant(Expr::float(value, dtype));
            }
            _ => {}
        }
        if !text.starts_with("lambda") {
            let value =
                parse_expr(text, env).map_err(|e| format!("the padding value `{text}`: {}", e.message))?;
            return constant(typed(value, dtype, text)?);
        }
        // The body of a function may be any of the above.
        if let Some((_, body)) = text.split_once(':')
            && matches!(body.trim(), "None" | "undef" | "T.undef()")
        {
            return Pad::parse(Some(body), dtype, env);
        }
        let lambda =
            parse_lambda(text, env).map_err(|e| format!("the padding value `{text}`: {}", e.message))?;
        let [value] = <[Expr; 1]>::try_from(lambda.body)
            .map_err(|_| format!("the padding value `{text}` is not one value"))?;
        Ok(Pad::Value { axes: lambda.params, value: typed(value, dtype, text)? })
    }
}

/// A value as one of type `dtype`: a bare number that the type has is converted, one of a type of its own is not.
fn typed(value: Expr, dtype: DType, text: &str) -> Result<Expr, String> {
    if value.dtype == dtype {
        return Ok(value);
    }
    let wrong = || {
        format!("the padding value `{text}` is of type `{}`, but the elements are of `{dtype}`", value.dtype)
    };
    let fits = |v: i64| dtype.int_range().is_none_or(|(least, most)| (least..=most).contains(&v.into()));
    // What `T.int32(0)` says of its type is meant.
    let is_bare = !text.contains("T.") && matches!(value.dtype, DType::I32 | DType::F32);
    match Value::of(&value).filter(|_| is_bare) {
        Some(Value::Int(v)) if dtype.is_float() => Ok(Expr::float(v as f64, dtype)),
        Some(Value::Int(v)) if fits(v) => Ok(Expr::int(v, dtype)),
        Some(Value::Float(v)) if dtype.is_float() => Ok(Expr::float(v, dtype)),
        _ => Err(wrong()),
    }
}
