//! `satir expr`: expressions from JSON lines or arguments, each with its cheapest equal form.

mod args;
mod given;
mod request;

use std::io::{self, BufRead, Write};
use std::time::Instant;

use satir::cost::Profile;
use satir::eqsat::Rewrites;
use satir::lab::Expression;
use satir::simplify;
use serde_json::{Value, json};

pub(crate) use self::args::Args;
pub(crate) use self::request::table;
use self::request::{Request, read, text_of};
use super::io::Failure;
use super::options;
use super::threads::guarded;

/// Runs the subcommand. A line with a mistake is answered with an error and does not stop the rest.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let profile = options::profile(args.cost.as_deref())?;
    if !args.exprs.is_empty() {
        return given::run(args, &profile);
    }
    let rewrites = args.rewrites()?;
    let rewrites = rewrites.with_fast_math(args.chosen.allowed.fast_math);
    // The rules are read here, once, and not with the first expression.
    let rules = rewrites.count();
    log::debug!("{rules} rewrite rules");
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        if read.map_err(|e| Failure::bad(format_args!("cannot read standard input: {e}")))? == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let mut text = answer(&line, &profile, rewrites).to_string();
        text.push('\n');
        match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Err(Failure::Closed),
            Err(e) => {
                return Err(Failure::bad(format_args!("cannot write to standard output: {e}")));
            }
        }
    }
}

fn answer(line: &[u8], profile: &Profile, rewrites: &Rewrites) -> Value {
    let start = Instant::now();
    let request: Request = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(e) => {
            let id = serde_json::from_slice::<Value>(line).ok().and_then(|v| v.get("id").cloned());
            return json!({ "id": id, "error": format!("bad request: {e}") });
        }
    };
    let id = request.id.clone();
    match guarded(|| solve(&request, profile, rewrites)) {
        Ok(result) => {
            let time = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
            json!({ "id": id, "result": result, "time_us": time })
        }
        Err(failure) => json!({ "id": id, "error": failure.message() }),
    }
}

fn solve(request: &Request, profile: &Profile, rewrites: &Rewrites) -> Result<String, Failure> {
    let Expression { func, ranges, conds, expr } = read(request)?;
    let result = simplify::expression(&func, profile, rewrites, ranges, &conds, &expr);
    Ok(text_of(&func, &result))
}
