//! `hoist` as a pass on modules: what it takes out of loops is an option, or told by [`Args`](super::Args).

use super::settings::Settings;
use crate::cse::{Hoisting, Loops, Options};
use crate::error::Error;
use crate::ir::Module;
use crate::loops;

/// The names of conditions, and of bindings, in the order of the flags that they set.
const CONDITIONS: [&str; 4] = ["if-stmt", "if-expr", "bool", "block-var"];
const BINDINGS: [&str; 3] = ["required", "let-stmt", "let-expr"];

/// Takes conditions that no iteration changes out of loops.
pub(super) fn hoist(module: &Module, settings: &Settings<'_>) -> Result<Option<Module>, Error> {
    let mut options: Options = settings.options.clone();
    let told = settings.args.requests.iter().find(|told| told.conditionals.is_some() || told.lets.is_some());
    if let Some(told) = told {
        let [statements, expressions, truths, thread_variables] =
            flags(told.conditionals.as_deref(), &CONDITIONS)?;
        let [bindings, all_bindings, let_expressions] = flags(told.lets.as_deref(), &BINDINGS)?;
        let hoisting = Hoisting {
            statements,
            expressions,
            truths,
            bindings,
            all_bindings,
            let_expressions,
            thread_variables,
        };
        options.loops = Loops { hoisting, ..options.loops };
    }
    let mut result = module.clone();
    for func in &mut result.funcs {
        if let Some(made) = loops::hoist(func, &options) {
            *func = made;
        }
    }
    Ok((result != *module).then_some(result))
}

/// Which of the known names are there.
fn flags<const N: usize>(names: Option<&[String]>, known: &[&str; N]) -> Result<[bool; N], Error> {
    let names = names.unwrap_or_default();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(other) => Err(Error::Argument {
            pass: "hoist",
            what: format!("there is no `{other}`; there are {}", known.join(", ")),
        }),
        None => Ok(known.map(|flag| names.iter().any(|name| name == flag))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Args, run_with, select};
    use super::*;
    use std::ops::ControlFlow;

    #[test]
    fn what_is_hoisted_is_told() {
        let module = crate::parse(
            "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), n: T.int32):\n    for i in range(9):\n        if n < 3:\n            A[i] = i\n",
        )
        .unwrap();
        let made = |args: &str| {
            let args = Args::parse(args).unwrap();
            run_with(&module, &select("hoist").unwrap(), &Options::default(), &args, |_, _| {
                ControlFlow::Continue(())
            })
        };
        let text = |args: &str| made(args).unwrap().to_string();
        let hoisted = "if n < 3:\n            for i in range(9):";
        assert!(text("null").contains(hoisted));
        assert!(text(r#"{"conditionals": ["if-stmt"], "lets": []}"#).contains(hoisted));
        assert!(!text(r#"{"conditionals": ["if-expr"]}"#).contains(hoisted));
        assert!(
            made(r#"{"conditionals": ["if"]}"#)
                .unwrap_err()
                .to_string()
                .contains("if-stmt, if-expr, bool, block-var")
        );
    }
}
