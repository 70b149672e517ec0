//! Prices programs by the static cost model. Reads JSON lines `{"id": …, "text": "<TVMScript>", "bind": {"n": 64},
//! "syntactic": false}` from stdin and writes `{"id": …, "total": …, "integer": …, "operations": …, "bindings": …}`;
//! with `"syntactic": true` the program goes through syntactic CSE first, and its text is answered too. A line that
//! cannot be read or parsed answers `{"id": …, "error": "…"}`.

use std::io::{BufRead, Write};

use satir::cost::{Bindings, Cost, Profile, cost_of_func};
use satir::cse::syntactic::{SyntacticOptions, run_with};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    id: Value,
    text: String,
    #[serde(default)]
    bind: Bindings,
    #[serde(default)]
    syntactic: bool,
}

fn main() -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let answer = match serde_json::from_str::<Request>(&line) {
            Ok(request) => answer(request),
            Err(e) => json!({"id": null, "error": e.to_string()}),
        };
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

fn answer(request: Request) -> Value {
    let mut module = match satir::script::parse("<line>", &request.text) {
        Ok(module) => module,
        Err(e) => return json!({"id": request.id, "error": e.to_string()}),
    };
    let options = SyntacticOptions { bindings: request.bind, ..SyntacticOptions::default() };
    let profile = Profile::default();
    let (mut total, mut integer, mut operations, mut bindings) = (Cost::ZERO, Cost::ZERO, 0, 0);
    for func in &mut module.funcs {
        if request.syntactic {
            bindings += run_with(func, &options).bindings.len();
        }
        let cost = cost_of_func(func, &profile, &options.bindings);
        total += cost.total;
        integer += cost.integer + cost.binding;
        operations += cost.operations();
    }
    let mut answer = json!({
        "id": request.id,
        "total": total.to_f64(),
        "integer": integer.to_f64(),
        "operations": operations,
        "bindings": bindings,
    });
    if request.syntactic {
        answer["text"] = module.to_string().into();
    }
    answer
}
