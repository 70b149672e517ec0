//! Programs, as text and as objects of TVM.

use std::ops::ControlFlow;
use std::sync::Arc;

use pyo3::prelude::*;
use satir::Error;
use satir::cse;
use satir::diag::Span;
use satir::explain::View;
use satir::interp::{self, Constraints, EquivOptions};
use satir::ir::{Module, PrimFunc};
use satir::passes;
use satir::report::Document;

use crate::errors;
use crate::expressions::{Drawn, drawn};
use crate::interrupt::{self, Watch};
use crate::settings::{Plan, Settings};
use crate::tvm::{self, Taken, Unsupported};

/// What is compared if results are validated, as `satir --validate` does.
const RUNS: usize = 12;
const MAX_STEPS: u64 = 20_000_000;
const TOLERANCE: f64 = 1e-3;

/// A report, which is made and turned into JSON when it is read: most are not.
#[pyclass(frozen, module = "satir._native")]
pub(crate) struct Report {
    plan: Arc<Plan>,
    name: String,
    /// What the program was read from, or empty.
    text: String,
    done: Done,
}

/// What was done.
enum Done {
    Cse(cse::Report),
    Passes { before: Module, after: Module, steps: Vec<passes::Step> },
}

#[pymethods]
impl Report {
    /// The report as JSON.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        let text = py.detach(|| serde_json::to_string(&self.document()));
        text.map_err(|e| errors::panic(&e.to_string()))
    }
}

impl Report {
    fn document(&self) -> Document {
        let (name, text, options) = (&self.name, &self.text, &self.plan.options);
        match &self.done {
            Done::Cse(report) => {
                let mut report = report.clone();
                if text.is_empty() {
                    // There are no lines that the statements stand on.
                    let bindings = report.functions.iter_mut().flat_map(|function| &mut function.bindings);
                    let replaced = bindings.flat_map(|binding| &mut binding.replaced);
                    replaced.for_each(|replaced| replaced.span = Span::NONE);
                }
                Document::of_cse(name, text, report, options)
            }
            Done::Passes { before, after, steps } => {
                Document::of_passes(name, text, (before, after), steps, options)
            }
        }
    }
}

/// What became of functions of TVM: for each the new object or why it could not go over; and the report on those that went.
type Built<T> = (Vec<(Option<T>, Option<String>)>, Option<Report>);

/// The optimizer with its options.
#[pyclass(frozen, module = "satir._native")]
pub(crate) struct Optimizer {
    plan: Arc<Plan>,
}

#[pymethods]
impl Optimizer {
    /// From options as JSON; rules from files are read and checked.
    #[new]
    fn new(py: Python<'_>, options: &str) -> PyResult<Optimizer> {
        let settings: Settings = serde_json::from_str(options).map_err(|e| errors::option(e.to_string()))?;
        let plan = interrupt::run(py, |_| settings.plan())?;
        Ok(Optimizer { plan: Arc::new(plan) })
    }

    /// Optimizes a program that is given as text; `name` is that of its source.
    fn run_text(&self, py: Python<'_>, text: String, name: String) -> PyResult<(String, Report)> {
        let plan = Arc::clone(&self.plan);
        interrupt::run(py, move |watch| {
            let module = satir::script::parse(&name, &text).map_err(|e| errors::text(&e))?;
            let (result, report) = plan.run(module, &name, &text, watch)?;
            Ok((result.to_string(), report))
        })
    }

    /// The e-graph of a function of a program, of the only one if none is named: as SVG, as text for Graphviz, as JSON.
    fn egraph(
        &self,
        py: Python<'_>,
        text: String,
        name: String,
        function: Option<String>,
    ) -> PyResult<Drawn> {
        let plan = Arc::clone(&self.plan);
        interrupt::run(py, move |_| {
            let module = satir::script::parse(&name, &text).map_err(|e| errors::text(&e))?;
            let invalid = |violations| errors::stopped(&Error::Invalid(violations), &name, &text);
            satir::verify::verify(&module).map_err(invalid)?;
            let wanted = |func: &&PrimFunc| function.as_ref().is_none_or(|name| **name == *func.name);
            let found: Vec<&PrimFunc> = module.funcs.iter().filter(wanted).collect();
            let [func] = &found[..] else {
                let names: Vec<&str> = module.funcs.iter().map(|func| &*func.name).collect();
                return Err(errors::option(format!("name one function of these: {}", names.join(", "))));
            };
            let view = View::of_function(func, &plan.options.search());
            let view = view.map_err(|e| errors::option(format!("function `{}`: {e}", func.name)))?;
            Ok(drawn(&view))
        })
    }

    /// Optimizes functions of TVM, each with its name. Those that cannot go over as objects stay as they are.
    fn run_objects<'py>(
        &self,
        py: Python<'py>,
        functions: Vec<(Bound<'py, PyAny>, String)>,
    ) -> PyResult<Built<Bound<'py, PyAny>>> {
        let taken = functions.into_iter().map(|(function, name)| Ok((tvm::from_python(&function)?, name)));
        let objects = taken.collect::<PyResult<Vec<_>>>()?;
        let plan = Arc::clone(&self.plan);
        let (built, report) = interrupt::run(py, move |watch| plan.run_objects(&objects, watch))?;
        let mut results = Vec::with_capacity(built.len());
        for (object, why) in built {
            results.push((object.map(|object| tvm::to_python(py, object)).transpose()?, why));
        }
        Ok((results, report))
    }
}

/// A function of TVM as satir reads it, as text: what the tests compare with what TVM prints.
#[pyfunction]
pub(crate) fn as_text(py: Python<'_>, function: &Bound<'_, PyAny>, name: String) -> PyResult<String> {
    let object = tvm::from_python(function)?;
    interrupt::run(py, move |_| {
        let taken = tvm::tvm().and_then(|tvm| tvm::read(tvm, &object, &name));
        let taken = taken.map_err(|e| errors::unsupported(&e.0))?;
        Ok(Module { name: "Module".into(), attrs: Vec::new(), funcs: vec![taken.func] }.to_string())
    })
}

impl Plan {
    /// Optimizes a module. `text` is what it was read from, or empty.
    fn run(
        self: &Arc<Plan>,
        module: Module,
        name: &str,
        text: &str,
        watch: &Watch,
    ) -> PyResult<(Module, Report)> {
        let stopped = |e| errors::stopped(&e, name, text);
        let mut steps = Vec::new();
        let (result, report) = match &self.pipeline {
            None => cse::run(&module, &self.options)
                .map(|(result, report)| (result, Some(report)))
                .map_err(stopped)?,
            Some(pipeline) => {
                let result = passes::run_with(&module, pipeline, &self.options, &self.args, |step, _| {
                    steps.push(step.clone());
                    if watch.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                (result.map_err(stopped)?, None)
            }
        };
        // Buffers of another shape are no mistake where they were asked for.
        if self.validate && self.args.requests.iter().all(|request| request.map.is_none()) {
            let joined = passes::joined(&module, &result, &self.args);
            let (before, after) = joined.map_err(errors::option)?;
            self.compare(&before, &after)?;
        }
        let done = match report {
            Some(report) => Done::Cse(report),
            None => Done::Passes { before: module, after: result.clone(), steps },
        };
        Ok((result, Report { plan: Arc::clone(self), name: name.to_owned(), text: text.to_owned(), done }))
    }

    /// Runs program and result on small inputs.
    fn compare(&self, before: &Module, after: &Module) -> PyResult<()> {
        let compare = EquivOptions {
            bindings: self.options.bindings.clone(),
            fixed: false,
            constraints: Constraints::new(),
            runs: RUNS,
            seed: 0,
            tolerance: self.options.fast_math.then_some(TOLERANCE),
            max_steps: MAX_STEPS,
            lenient_loads: false,
            no_new_loads: false,
            accessed_only: false,
            limits_everywhere: false,
            layouts: Vec::new(),
        };
        match interp::equiv(before, after, &compare) {
            Ok(found) => match found.difference {
                Some(d) => Err(errors::differs(format!(
                    "the result does something else than the program: function `{}`: {}",
                    d.function, d.what
                ))),
                None => Ok(()),
            },
            // What cannot be run is not compared.
            Err(_) => Ok(()),
        }
    }

    fn run_objects(
        self: &Arc<Plan>,
        objects: &[(tvm::Obj, String)],
        watch: &Watch,
    ) -> PyResult<Built<tvm::Obj>> {
        let tvm = tvm::tvm().map_err(|e| errors::unsupported(&e.0))?;
        let taken: Vec<Result<Taken, Unsupported>> =
            objects.iter().map(|(object, name)| tvm::read(tvm, object, name)).collect();
        let funcs = taken.iter().flatten().map(|taken| taken.func.clone()).collect();
        let module = Module { name: "Module".into(), attrs: Vec::new(), funcs };
        if module.funcs.is_empty() {
            let reasons = taken.into_iter().map(|taken| (None, taken.err().map(|e| e.0)));
            return Ok((reasons.collect(), None));
        }
        let (result, report) = self.run(module, "<TVM>", "", watch)?;
        if watch.is_over() {
            return Ok((Vec::new(), None));
        }
        let mut results = result.funcs.iter();
        let mut built = Vec::with_capacity(taken.len());
        for taken in taken {
            let object = taken.and_then(|taken| match results.next() {
                Some(after) => tvm::build(tvm, &taken, after),
                None => Err(Unsupported::new("a function was lost")),
            });
            built.push(match object {
                Ok(object) => (Some(object), None),
                Err(Unsupported(why)) => (None, Some(why)),
            });
        }
        Ok((built, Some(report)))
    }
}
