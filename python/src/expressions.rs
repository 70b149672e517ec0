//! Single expressions: `satir.Context` keeps one simplifier.

use std::borrow::Cow;
use std::ops::Bound;
use std::path::PathBuf;

use pyo3::prelude::*;
use satir::ir::DType;

use crate::errors;
use crate::settings;

/// A variable: name, data type, and the least and the most of its values.
type Variable = (String, String, Option<i64>, Option<i64>);

/// Simplifies expressions over declared variables, under given conditions.
#[pyclass(frozen, module = "satir._native")]
pub(crate) struct Simplifier {
    inner: satir::Simplifier,
}

#[pymethods]
impl Simplifier {
    #[new]
    fn new(
        vars: Vec<Variable>,
        given: Vec<String>,
        rules: Vec<PathBuf>,
        fast_math: bool,
    ) -> PyResult<Simplifier> {
        let mut inner = satir::Simplifier::new();
        if !rules.is_empty() {
            inner = inner.rules(&settings::rule_set(&rules)?);
        }
        if fast_math {
            inner = inner.fast_math();
        }
        inner = declare(inner, vars)?;
        for condition in given {
            inner = inner.given(&condition);
        }
        Ok(Simplifier { inner })
    }

    /// The cheapest equal expression that is found; `vars` are declared for this one expression.
    #[pyo3(signature = (text, vars = Vec::new()))]
    fn simplify(&self, py: Python<'_>, text: &str, vars: Vec<Variable>) -> PyResult<String> {
        let inner = self.with(vars)?;
        py.detach(|| inner.simplify(text)).map_err(|e| errors::stopped(&e, "<expression>", text))
    }

    /// The same, with the steps that lead there.
    #[pyo3(signature = (text, vars = Vec::new()))]
    fn explain(&self, py: Python<'_>, text: &str, vars: Vec<Variable>) -> PyResult<(String, String)> {
        let inner = self.with(vars)?;
        py.detach(|| inner.explain(text)).map_err(|e| errors::stopped(&e, "<expression>", text))
    }
}

impl Simplifier {
    /// The simplifier, with more variables if there are any.
    fn with(&self, vars: Vec<Variable>) -> PyResult<Cow<'_, satir::Simplifier>> {
        if vars.is_empty() {
            return Ok(Cow::Borrowed(&self.inner));
        }
        declare(self.inner.clone(), vars).map(Cow::Owned)
    }
}

/// A simplifier that knows these variables too.
fn declare(mut inner: satir::Simplifier, vars: Vec<Variable>) -> PyResult<satir::Simplifier> {
    for (name, dtype, least, most) in vars {
        let dtype: DType = dtype.parse().map_err(|e| errors::option(format!("{name}: {e}")))?;
        let bound = |value: Option<i64>| value.map_or(Bound::Unbounded, Bound::Included);
        inner = inner.typed(&name, dtype, (bound(least), bound(most)));
    }
    Ok(inner)
}
