//! Single expressions: `satir.Context` keeps one simplifier.

use std::ops;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use satir::explain::View;
use satir::ir::DType;
use satir::script::print_expr;

use crate::errors;
use crate::interrupt;
use crate::settings;
use crate::tvm::{self, Limits, Obj, TakenExpr, Unsupported};

/// How long a text is that is worked on at once, in bytes. A longer one may take time and room on the stack: it goes to a thread
/// of its own, which Ctrl-C abandons.
const SHORT: usize = 400;

/// The same for objects.
const SMALL: Limits = Limits { depth: 64, nodes: 200 };

/// A variable: name, data type, and the least and the most of its values.
type Variable = (String, String, Option<i64>, Option<i64>);

/// Simplifies expressions over declared variables, under given conditions.
#[pyclass(frozen, module = "satir._native")]
pub(crate) struct Simplifier {
    inner: Arc<satir::Simplifier>,
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
        Ok(Simplifier { inner: Arc::new(inner) })
    }

    /// The cheapest equal expression that is found; `vars` are declared for this one expression.
    #[pyo3(signature = (text, vars = Vec::new()))]
    fn simplify(&self, py: Python<'_>, text: String, vars: Vec<Variable>) -> PyResult<String> {
        let inner = self.with(vars)?;
        let short = text.len() <= SHORT;
        run(py, short, move || inner.simplify(&text).map_err(|e| errors::stopped(&e, "<expression>", &text)))
    }

    /// The same, with the steps that lead there.
    #[pyo3(signature = (text, vars = Vec::new()))]
    fn explain(&self, py: Python<'_>, text: String, vars: Vec<Variable>) -> PyResult<(String, String)> {
        let inner = self.with(vars)?;
        // To find the steps takes longer than to find the result.
        run(py, false, move || inner.explain(&text).map_err(|e| errors::stopped(&e, "<expression>", &text)))
    }

    /// The e-graph of an expression: as SVG, as text for Graphviz, as JSON.
    #[pyo3(signature = (text, vars = Vec::new()))]
    fn egraph(&self, py: Python<'_>, text: String, vars: Vec<Variable>) -> PyResult<Drawn> {
        let inner = self.with(vars)?;
        run(py, false, move || {
            let view = inner.view(&text).map_err(|e| errors::stopped(&e, "<expression>", &text))?;
            Ok(drawn(&view))
        })
    }

    /// The same for an expression of TVM.
    fn egraph_object(&self, expr: &Bound<'_, PyAny>) -> PyResult<Drawn> {
        self.over(expr.py(), tvm::from_python(expr)?, false, |simplifier, taken| {
            Ok(drawn(&simplifier.view_expr(&taken.func, &taken.expr).map_err(about)?))
        })
    }

    /// The cheapest equal expression that is found for one of TVM; what is known of its variables goes by their names.
    fn simplify_object<'py>(&self, expr: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = expr.py();
        let built = self.over(py, tvm::from_python(expr)?, true, |simplifier, taken| {
            let result = simplifier.simplify_expr(&taken.func, &taken.expr).map_err(about)?;
            tvm::build_expr(tvm()?, taken, &result).map_err(unsupported)
        })?;
        tvm::to_python(py, built)
    }

    /// Whether a condition of TVM always holds, never, or neither was found.
    fn prove_object(&self, condition: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
        let object = tvm::from_python(condition)?;
        self.over(condition.py(), object, true, |simplifier, taken| {
            let result = simplifier.simplify_expr(&taken.func, &taken.expr).map_err(about)?;
            Ok(result.as_int().filter(|_| result.dtype == DType::BOOL).map(|truth| truth != 0))
        })
    }

    /// The result as TVMScript, and the steps that lead there.
    fn explain_object(&self, expr: &Bound<'_, PyAny>) -> PyResult<(String, String)> {
        self.over(expr.py(), tvm::from_python(expr)?, false, |simplifier, taken| {
            let (result, steps) = simplifier.explain_expr(&taken.func, &taken.expr).map_err(about)?;
            Ok((print_expr(&taken.func, &result), steps))
        })
    }
}

/// An e-graph: as SVG, as text for Graphviz, as JSON.
pub(crate) type Drawn = (String, String, String);

/// An e-graph in all ways.
pub(crate) fn drawn(view: &View) -> Drawn {
    (view.to_svg(), view.to_dot(), view.to_json().to_string())
}

/// An expression of TVM as TVMScript, over the names of its variables.
#[pyfunction]
pub(crate) fn expression_text(expr: &Bound<'_, PyAny>) -> PyResult<String> {
    let object = tvm::from_python(expr)?;
    interrupt::run(expr.py(), move |_| {
        let taken = tvm::read_expr(tvm()?, &object, Limits::MOST).map_err(unsupported)?;
        Ok(print_expr(&taken.func, &taken.expr))
    })
}

impl Simplifier {
    /// The simplifier, with more variables if there are any.
    fn with(&self, vars: Vec<Variable>) -> PyResult<Arc<satir::Simplifier>> {
        if vars.is_empty() {
            return Ok(Arc::clone(&self.inner));
        }
        declare((*self.inner).clone(), vars).map(Arc::new)
    }

    /// Does something with an expression of TVM: at once if it is `short` work and a small one.
    fn over<T: Send + 'static>(
        &self,
        py: Python<'_>,
        object: Obj,
        short: bool,
        work: impl FnOnce(&satir::Simplifier, &TakenExpr) -> PyResult<T> + Send + 'static,
    ) -> PyResult<T> {
        let inner = Arc::clone(&self.inner);
        match tvm::read_expr(tvm()?, &object, SMALL) {
            Ok(taken) => run(py, short, move || work(&inner, &taken)),
            // It may be a larger one. If it is not that, the error is the same again.
            Err(_) => run(py, false, move || {
                let taken = tvm::read_expr(tvm()?, &object, Limits::MOST).map_err(unsupported)?;
                work(&inner, &taken)
            }),
        }
    }
}

/// Runs work without the interpreter's lock: here if it is short.
fn run<T: Send + 'static>(
    py: Python<'_>,
    short: bool,
    work: impl FnOnce() -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    if !short {
        return interrupt::run(py, |_| work());
    }
    let result = py.detach(|| panic::catch_unwind(AssertUnwindSafe(work)));
    result.unwrap_or_else(|payload| Err(interrupt::panicked(&*payload)))
}

fn tvm() -> PyResult<&'static tvm::Tvm> {
    tvm::tvm().map_err(unsupported)
}

fn unsupported(error: Unsupported) -> PyErr {
    errors::unsupported(&error.0)
}

/// What stopped the simplifier, of an expression that is no text: a condition or a variable.
fn about(error: satir::Error) -> PyErr {
    errors::stopped(&error, "<condition>", "")
}

/// A simplifier that knows these variables too.
fn declare(mut inner: satir::Simplifier, vars: Vec<Variable>) -> PyResult<satir::Simplifier> {
    for (name, dtype, least, most) in vars {
        let dtype: DType = dtype.parse().map_err(|e| errors::option(format!("{name}: {e}")))?;
        let bound = |value: Option<i64>| value.map_or(ops::Bound::Unbounded, ops::Bound::Included);
        inner = inner.typed(&name, dtype, (bound(least), bound(most)));
    }
    Ok(inner)
}
