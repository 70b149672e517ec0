//! `satir cse --explain`, `--explain-missed` and `--emit egraph-…`: why expressions are equal, or not found to be.

use std::collections::HashSet;

use satir::arith::Interval;
use satir::cse::{self, Options, Swayed};
use satir::diag::LineIndex;
use satir::explain::{Context, View, known_ranges, named, removals, replacements};
use satir::ir::{Expr, Module, PrimFunc};
use satir::rules::RuleSet;
use satir::script;
use similar::{ChangeTag, TextDiff};

use super::io::{Failure, Source};

/// Most lines that are shown of what a reason decided.
const MAX_LINES: usize = 12;

/// Why each expression equals what replaced it, and why what went could go.
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
        let anywhere = context(after, &[], options, rules);
        let mut seen: HashSet<(Expr, Expr)> = HashSet::new();
        for r in replacements(before, after, options.positive_dims) {
            if seen.contains(&(r.before.clone(), r.after.clone())) {
                continue;
            }
            let show = |e: &Expr| script::print_expr(after, e);
            let old = show(&r.before);
            if old == show(&r.after) {
                continue;
            }
            seen.insert((r.before.clone(), r.after.clone()));
            let place = format!("{}:{}", source.name, lines.line(r.span.start));
            out += &format!("{place}: `{old}` became `{}`\n", show(&r.written));
            let origin =
                |fact: &str| r.origin(after, fact).map(|span| format!("line {}", lines.line(span.start)));
            let here = Context { ranges: &r.ranges, conds: &r.conds, ..anywhere };
            out += &match here.account(&r.before, &r.after) {
                Some(account) => format!("{}\n", account.text(origin)),
                None => "  (no derivation of it was found from the facts of its place)\n\n".to_owned(),
            };
        }
        for removal in removals(before, after, options.positive_dims) {
            let here = Context { ranges: &removal.ranges, conds: &removal.conds, ..anywhere };
            let (why, facts) = here.why_removed(&removal);
            let with_it = match removal.with_it {
                0 => String::new(),
                1 => " and the statement in it".to_owned(),
                n => format!(" and the {n} statements in it"),
            };
            let (line, what) = (lines.line(removal.span.start), &removal.what);
            let text = source.text.lines().nth(line as usize - 1).unwrap_or_default().trim();
            out += &format!("{}:{line}: removed {what} `{text}`{with_it}: {why}\n", source.name);
            out += &format!("  facts used: {}\n\n", named(&facts, |_| None));
        }
    }
    out
}

/// What the model of the compiler decided: each reason with the lines that would be others without it.
pub(crate) fn swayed(before: &Module, after: &Module, options: &Options) -> Result<String, Failure> {
    let found = cse::swayed(before, after, options).map_err(Failure::bad)?;
    let text = after.to_string();
    let mut out = String::new();
    for Swayed { reason, without, .. } in found {
        out += &format!("{reason}: {}\n  without this reason (-) and with it (+):\n", reason.about());
        let without = without.to_string();
        let difference = TextDiff::from_lines(&without, &text);
        let changed: Vec<_> =
            difference.iter_all_changes().filter(|change| change.tag() != ChangeTag::Equal).collect();
        for change in changed.iter().take(MAX_LINES) {
            out += &format!("  {}{}\n", change.tag(), change.value().trim_end());
        }
        if changed.len() > MAX_LINES {
            out += &format!("  ({} more lines)\n", changed.len() - MAX_LINES);
        }
        out.push('\n');
    }
    Ok(out)
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

/// The e-graph of a function: the one that is named, or the only one.
pub(crate) fn view_of_function(
    module: &Module,
    function: Option<&str>,
    options: &Options,
) -> Result<View, Failure> {
    match functions(module, function)? {
        [func] => View::of_function(func, &options.search())
            .map_err(|e| Failure::bad(format_args!("function `{}`: {e}", func.name))),
        [] => Err(Failure::bad("the program has no function")),
        _ => Err(Failure::usage("the program has several functions: name one with `--function`")),
    }
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
