//! `satir cse --explain`, `--explain-missed` and `--emit egraph-…`: why expressions are equal, or not found to be.

use satir::arith::Interval;
use satir::cse::Options;
use satir::diag::LineIndex;
use satir::explain::{Context, View, known_ranges, replacements};
use satir::ir::{Expr, Module, PrimFunc};
use satir::rules::RuleSet;
use satir::script;

use super::io::{Failure, Source};

/// Why each expression equals what replaced it.
pub(crate) fn replaced(
    source: &Source,
    before: &Module,
    after: &Module,
    options: &Options,
    rules: &RuleSet,
) -> String {
    let lines = LineIndex::new(&source.text);
    let mut out = String::new();
    for (before, after) in before.funcs.iter().zip(&after.funcs) {
        let mut seen: Vec<(Expr, Expr)> = Vec::new();
        for r in replacements(before, after) {
            let pair = (r.before.clone(), r.after.clone());
            let show = |e: &Expr| script::print_expr(after, e);
            if seen.contains(&pair) || show(&r.before) == show(&r.after) {
                continue;
            }
            seen.push(pair);
            let context = Context {
                func: after,
                profile: &options.profile,
                rules,
                fast_math: options.fast_math,
                ranges: &r.ranges,
                conds: &r.conds,
            };
            let place = format!("{}:{}", source.name, lines.line(r.span.start));
            out += &format!("{place}: `{}` became `{}`\n", show(&r.before), show(&r.written));
            out += &match context.equal(&r.before, &r.after) {
                Some(explanation) => format!("{explanation}\n\n"),
                None => "  (this took facts of its place that are not shown here)\n\n".to_owned(),
            };
        }
    }
    out
}

/// Why two expressions are equal, or were not found equal.
pub(crate) fn missed(
    module: &Module,
    function: Option<&str>,
    options: &Options,
    rules: &RuleSet,
    a: &str,
    b: &str,
) -> Result<String, Failure> {
    let (env, ranges, exprs) = place(module, function, &[a, b])?;
    let context = context(&env, &ranges, options, rules);
    Ok(format!("{}\n", context.missed(&exprs[0], &exprs[1], rules)))
}

/// The e-graph of an expression.
pub(crate) fn view(
    module: &Module,
    function: Option<&str>,
    options: &Options,
    rules: &RuleSet,
    of: &str,
) -> Result<View, Failure> {
    let (env, ranges, exprs) = place(module, function, &[of])?;
    Ok(View::new(&context(&env, &ranges, options, rules), &exprs[0]))
}

fn context<'a>(
    env: &'a PrimFunc,
    ranges: &'a [Interval],
    options: &'a Options,
    rules: &'a RuleSet,
) -> Context<'a> {
    Context { func: env, profile: &options.profile, rules, fast_math: options.fast_math, ranges, conds: &[] }
}

/// The function of this name, or all if none is named.
pub(crate) fn functions<'m>(module: &'m Module, name: Option<&str>) -> Result<&'m [PrimFunc], Failure> {
    let Some(name) = name else { return Ok(&module.funcs) };
    match module.funcs.iter().position(|f| *f.name == *name) {
        Some(at) => Ok(&module.funcs[at..=at]),
        None => {
            let names: Vec<&str> = module.funcs.iter().map(|f| &*f.name).collect();
            let there = names.join(", ");
            Err(Failure::usage(format_args!("no function `{name}`; there are {there}")))
        }
    }
}

/// The function with what is known of its variables, and expressions over them.
fn place(
    module: &Module,
    function: Option<&str>,
    texts: &[&str],
) -> Result<(PrimFunc, Vec<Interval>, Vec<Expr>), Failure> {
    let Some(func) = functions(module, function)?.first() else {
        return Err(Failure::bad("the program has no function"));
    };
    let mut env = func.clone();
    let parse = |text: &&str| script::parse_expr(text, &mut env).map_err(|d| Failure::Bad(d.to_string()));
    let exprs: Vec<Expr> = texts.iter().map(parse).collect::<Result<_, _>>()?;
    let mut ranges = known_ranges(func);
    // `T.Let` brings variables of its own.
    ranges.resize(env.vars.len(), Interval::ALL);
    Ok((env, ranges, exprs))
}
