//! `satir equiv --prove`: do two programs do the same on all inputs?

use std::collections::BTreeMap;

use rayon::prelude::*;
use satir::diag::{Diagnostic, Span};
use satir::interp::{self, Bindings, EquivOptions};
use satir::ir::value::{Value, evaluate};
use satir::ir::{Module, PrimFunc};
use satir::prove::{self, Integers, Open, Proof, Solver};
use serde::Serialize;

use super::io::{Failure, Source};
use super::program;

/// What was found out about two programs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Judgement {
    /// Of all functions together.
    pub(crate) verdict: Verdict,
    /// The inputs on which they differ, if some were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) difference: Option<interp::Difference>,
    functions: Vec<Function>,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// They do the same on all inputs for which the integers of the second one fit their types; with bounds, for which those
    /// of the first one do.
    Proven,
    /// They differ on inputs on which both were run.
    Refuted,
    /// Neither was shown.
    Unknown,
}

#[derive(Clone, Debug, Serialize)]
struct Function {
    name: String,
    obligations: usize,
    by_normal_form: usize,
    by_solver: usize,
    /// Why the two functions could not be compared statement by statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    unaligned: Option<Place>,
    open: Vec<Place>,
}

#[derive(Clone, Debug, Serialize)]
struct Place {
    what: String,
    /// Lines of the two programs, if the statements are in them.
    lines: [Option<u32>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<BTreeMap<String, i64>>,
}

/// Tries to prove that two programs do the same; where that fails, runs them on what stood against it and on the inputs of
/// `options`.
pub(crate) fn judge(
    sources: [&Source; 2],
    integers: Integers,
    options: &EquivOptions,
) -> Result<Judgement, Failure> {
    let (a, b) = (program::checked(sources[0])?, program::checked(sources[1])?);
    let solver = Solver::find(&std::env::var_os("PATH").unwrap_or_default())
        .map_err(|e| Failure::bad(format_args!("no solver: {e}")))?
        .within(prove::EFFORT, prove::TIMEOUT);
    let proofs = prove::prove(&a, &b, integers, Some(&solver)).map_err(Failure::bad)?;
    let proven = proofs.iter().all(Proof::is_proven);
    let difference = if proven { None } else { difference(&a, &b, &proofs, options) };
    let verdict = match (proven, &difference) {
        (true, _) => Verdict::Proven,
        (false, Some(_)) => Verdict::Refuted,
        (false, None) => Verdict::Unknown,
    };
    let functions = proofs.iter().map(|proof| described(proof, sources)).collect();
    Ok(Judgement { verdict, difference, functions })
}

/// Inputs on which the programs differ: those that the solver names first.
fn difference(
    a: &Module,
    b: &Module,
    proofs: &[Proof],
    options: &EquivOptions,
) -> Option<interp::Difference> {
    /// Examples that are tried, the largest value in them, and how long a run of one may be.
    const MAX_EXAMPLES: usize = 8;
    const MAX_VALUE: i64 = 4096;
    const MAX_EXAMPLE_STEPS: u64 = 100_000;
    /// How long all runs on other inputs may be together.
    const MAX_STEPS: u64 = 4_000_000;
    let bindable: Vec<_> = a.funcs.iter().flat_map(interp::bindable).collect();
    let examples = proofs.iter().flat_map(|proof| proof.open.iter().filter_map(|open| open.example.as_ref()));
    let mut tried: Vec<EquivOptions> = Vec::new();
    for example in examples.take(MAX_EXAMPLES) {
        let known = example.iter().filter(|(name, value)| {
            bindable.iter().any(|b| **b == ***name) && value.unsigned_abs() <= MAX_VALUE as u64
        });
        let mut bindings: Bindings = options.bindings.clone();
        bindings.extend(known.map(|(name, value)| (name.clone(), *value)));
        // Values of loop variables alone say nothing of the inputs.
        if bindings == options.bindings || tried.iter().any(|other| other.bindings == bindings) {
            continue;
        }
        if !a.funcs.iter().chain(&b.funcs).all(|func| has_small_buffers(func, &bindings)) {
            continue;
        }
        let max_steps = options.max_steps.min(MAX_EXAMPLE_STEPS);
        tried.push(EquivOptions { bindings, runs: 4, max_steps, ..options.clone() });
    }
    let each = MAX_STEPS / options.runs.max(1) as u64;
    tried.push(EquivOptions { max_steps: options.max_steps.min(each), ..options.clone() });
    tried
        .into_par_iter()
        .find_map_first(|options| interp::equiv(a, b, &options).ok().and_then(|result| result.difference))
}

/// Whether no buffer is too large to be filled with values for a few runs, as far as the sizes say.
fn has_small_buffers(func: &PrimFunc, sizes: &Bindings) -> bool {
    const MAX_ELEMENTS: i64 = 1 << 20;
    let value = |var| sizes.get(&*func.var(var).name).map(|&n| Value::Int(n));
    func.buffers.iter().all(|buffer| {
        let extents = buffer.shape.iter().filter_map(|extent| evaluate(extent, &value)?.as_int());
        extents.map(|extent| extent.max(1)).try_fold(1, i64::checked_mul).is_some_and(|n| n <= MAX_ELEMENTS)
    })
}

fn described(proof: &Proof, sources: [&Source; 2]) -> Function {
    let place = |open: &Open| Place {
        what: open.what.clone(),
        lines: [line(sources[0], open.spans.0), line(sources[1], open.spans.1)],
        example: open.example.clone(),
    };
    Function {
        name: proof.function.clone(),
        obligations: proof.duties,
        by_normal_form: proof.by_normal_form,
        by_solver: proof.by_solver,
        unaligned: proof.unaligned.as_ref().map(place),
        open: proof.open.iter().map(place).collect(),
    }
}

fn line(source: &Source, span: Span) -> Option<u32> {
    (span != Span::NONE).then(|| Diagnostic::new(&source.name, &source.text, span, String::new()).line)
}

/// The judgement for people.
pub(crate) fn text_of(judgement: &Judgement, integers: Integers) -> String {
    /// Places that are shown of a function.
    const MAX_SHOWN: usize = 12;
    let mut out = String::new();
    for function in &judgement.functions {
        let done = function.by_normal_form + function.by_solver;
        out += &format!(
            "{}: {done} of {} obligations proven, {} by normal forms, {} by the solver\n",
            function.name, function.obligations, function.by_normal_form, function.by_solver
        );
        for place in function.unaligned.iter().chain(&function.open).take(MAX_SHOWN) {
            let at = |line: Option<u32>| line.map_or("?".to_owned(), |line| line.to_string());
            out +=
                &format!("  line {} and line {}: {}\n", at(place.lines[0]), at(place.lines[1]), place.what);
        }
    }
    out + match judgement.verdict {
        Verdict::Proven if integers == Integers::Bounded => {
            "proven: the second program does what the first one does, on all inputs for which the sums and products of the \
             first one fit int32 and int64\n"
        }
        Verdict::Proven => {
            "proven: the second program does what the first one does, on all inputs for which its sums and products fit \
             int32 and int64\n"
        }
        Verdict::Refuted => "refuted\n",
        Verdict::Unknown => "not proven\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_that_take_gigabytes_are_not_filled() {
        let text = "@T.prim_func\ndef main(A: T.Buffer((\"n\", \"m\", 8), \"float32\")):\n    n, m = T.int32(), T.int32()\n    \
                    A[0, 0, 0] = T.float32(0)\n";
        let func = &satir::parse(text).expect("it is well-formed").funcs[0];
        let sizes = |n, m| Bindings::from([("n".to_owned(), n), ("m".to_owned(), m)]);
        assert!(has_small_buffers(func, &sizes(4096, 1)));
        assert!(has_small_buffers(func, &sizes(0, 4096)));
        assert!(!has_small_buffers(func, &sizes(4096, 4096)));
        assert!(!has_small_buffers(func, &sizes(i64::MAX, i64::MAX)));
        assert!(has_small_buffers(func, &Bindings::new()));
    }
}
