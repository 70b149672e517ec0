//! `satir tensor`: tensors that are computed once, kept in buffers or computed where they are used.

use satir::ir::Module;
use satir::page;
use satir::tensor::{self, Edge, Settings, Split, SplitSettings};
use serde_json::{Value, json};

use super::args::{InOut, Tuning};
use super::io::{self, Failure, Source};
use super::product::Product;
use super::validate::validate;
use super::{options, outcome, program, transform};

/// Compute equal tensors once, decide which are kept in buffers, and merge loop nests.
///
/// For functions of blocks, forward and backward in one, as TVM's `te.create_prim_func` and Relax's `FuseTIR` make them. Blocks
/// that define no tensor stay as they are. Floats keep their bits. Where stores have no weight they count as loads.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir tensor kernel.py -o shared.py\n  satir tensor kernel.py --explain > shared.py\n  satir tensor kernel.py --report decisions.json -o shared.py\n  satir tensor both.py --split forward=f,backward=g --edge f.x=g.x --stash-budget 4096 --validate -o shared.py"
)]
pub(crate) struct Args {
    #[command(flatten)]
    inout: InOut,

    #[command(flatten)]
    tuning: Tuning,

    /// Look at no more than this many plans for each part of a function.
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u32).range(1..))]
    evaluations: u32,

    /// Decide what one function keeps for another: names of functions as `forward=F,backward=G`.
    ///
    /// What the backward function reads of what the forward one computes becomes a parameter at the end of each, `stash_1` and
    /// so on; a result of the forward function is passed as it is. The report lists these.
    #[arg(long, value_name = "PAIR", value_parser = pair)]
    split: Option<(String, String)>,

    /// A parameter of the backward function that is one of the forward function, as `F.y=G.x`. May be repeated.
    #[arg(long, value_name = "EDGE", value_parser = edge, requires = "split")]
    edge: Vec<Named>,

    /// The most bytes of what the forward function computes that the backward function may read.
    #[arg(long, value_name = "BYTES", requires = "split")]
    stash_budget: Option<u64>,

    /// Do a reduction again in the backward function only if it reads each element at most this often.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "split")]
    recompute_limit: u64,
}

/// Two parameters with their functions.
type Named = ((String, String), (String, String));

/// The functions of `forward=F,backward=G`.
fn pair(text: &str) -> Result<(String, String), String> {
    let mut found = (None, None);
    for part in text.split(',') {
        match part.trim().split_once('=') {
            Some(("forward", name)) if found.0.is_none() => found.0 = Some(name.to_owned()),
            Some(("backward", name)) if found.1.is_none() => found.1 = Some(name.to_owned()),
            _ => return Err("expected `forward=F,backward=G`".to_owned()),
        }
    }
    match found {
        (Some(forward), Some(backward)) if forward != backward => Ok((forward, backward)),
        (Some(_), Some(_)) => Err("a function cannot be its own backward function".to_owned()),
        _ => Err("expected `forward=F,backward=G`".to_owned()),
    }
}

/// The parameters of `F.y=G.x`.
fn edge(text: &str) -> Result<Named, String> {
    let side = |text: &str| {
        let (function, parameter) = text.trim().split_once('.')?;
        Some((function.to_owned(), parameter.to_owned()))
    };
    let both = text.split_once('=').and_then(|(forward, backward)| Some((side(forward)?, side(backward)?)));
    both.ok_or_else(|| "expected `F.y=G.x`".to_owned())
}

/// Runs the subcommand.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let options = options::options(&args.tuning)?;
    let settings = Settings {
        profile: options.profile.clone(),
        evaluations: usize::try_from(args.evaluations).unwrap_or(usize::MAX),
        rewrites: options.rewrites.clone(),
        fast_math: options.fast_math,
    };
    let job = |source: &Source, module: &Module| {
        program::verify(source, module)?;
        let mut made = module.clone();
        let split = split(args, &settings, source, &mut made)?;
        let mut reports = Vec::new();
        for func in &mut made.funcs {
            match split.as_ref().and_then(|split| part(&split.split, &func.name)) {
                Some(report) => reports.push(report.clone()),
                None => reports.push(tensor::share(func, &settings)),
            }
        }
        // A program that nobody could read is never written.
        program::verify(source, &made)?;
        let text = made.to_string();
        if args.tuning.validate {
            let files = args.tuning.chosen.files();
            match &split {
                None => validate(source, module, &text, &options, files)?,
                Some(split) => {
                    let (before, after) = split.joined(module, &made).map_err(|e| bad(source, &e))?;
                    validate(source, &before, &after.to_string(), &options, files)?;
                }
            }
        }
        if args.tuning.explain {
            let mut told: String = reports.iter().map(ToString::to_string).collect();
            told.extend(split.iter().map(|split| split.split.to_string()));
            io::write_stderr(&told);
        }
        let sum = |cost: fn(&tensor::Report) -> f64| reports.iter().map(cost).sum::<f64>();
        let costs = (sum(|report| report.cost_before.to_f64()), sum(|report| report.cost_after.to_f64()));
        let wants_page = args.tuning.report.as_deref().is_some_and(outcome::is_page);
        let parts = split.as_ref().map(|split| &split.split);
        let page = wants_page.then(|| page::tensors(&source.name, &reports, parts));
        let mut report: Vec<Value> = reports.iter().map(as_json).collect();
        report.extend(split.iter().map(|split| split_as_json(&split.split)));
        let before = args.inout.compares().then(|| module.to_string());
        Ok(Product {
            report: Some(Value::Array(report)),
            page,
            costs: Some(costs),
            before,
            ..Product::plain(text)
        })
    };
    transform::transform(&args.inout, &args.tuning, "py", job)
}

fn bad(source: &Source, why: &str) -> Failure {
    Failure::Bad(format!("error: {}: {why}", source.name))
}

/// What became of the functions that `--split` names.
struct Halves {
    names: (String, String),
    edges: Vec<Edge>,
    split: Split,
}

impl Halves {
    /// The modules before and after, of one function that calls both.
    fn joined(&self, before: &Module, after: &Module) -> Result<(Module, Module), String> {
        let names = (&*self.names.0, &*self.names.1);
        let edges = self.split.edges(&self.edges);
        Ok((
            tensor::joined_module(before, names, &self.edges, &[])?,
            tensor::joined_module(after, names, &edges, &self.split.internal())?,
        ))
    }
}

fn split(
    args: &Args,
    settings: &Settings,
    source: &Source,
    module: &mut Module,
) -> Result<Option<Halves>, Failure> {
    let Some(names) = &args.split else { return Ok(None) };
    let place = |name: &str| {
        let found = module.funcs.iter().position(|func| *func.name == *name);
        found.ok_or_else(|| bad(source, &format!("--split: there is no function `{name}`")))
    };
    let (first, second) = (place(&names.0)?, place(&names.1)?);
    let mut edges = Vec::new();
    for ((forward, one), (backward, other)) in &args.edge {
        if (forward, backward) != (&names.0, &names.1) {
            let told = format!(
                "--edge {forward}.{one}={backward}.{other}: the functions are `{}` and `{}`",
                names.0, names.1
            );
            return Err(bad(source, &told));
        }
        edges.push(Edge { forward: one.as_str().into(), backward: other.as_str().into() });
    }
    let told = SplitSettings {
        settings: settings.clone(),
        stash_budget: args.stash_budget,
        recompute_limit: args.recompute_limit,
    };
    let mut funcs = (module.funcs[first].clone(), module.funcs[second].clone());
    let split = tensor::share_pair(&mut funcs.0, &mut funcs.1, &edges, &told).map_err(|e| bad(source, &e))?;
    (module.funcs[first], module.funcs[second]) = funcs;
    Ok(Some(Halves { names: names.clone(), edges, split }))
}

/// The report of one of the functions of a split.
fn part<'a>(split: &'a Split, name: &str) -> Option<&'a tensor::Report> {
    [&split.forward, &split.backward].into_iter().find(|report| report.name == name)
}

/// What is kept between two functions as JSON.
fn split_as_json(split: &Split) -> Value {
    let stash: Vec<Value> = split
        .stash
        .iter()
        .map(|stash| {
            json!({
                "name": stash.name,
                "forward": *stash.forward,
                "backward": *stash.backward,
                "shape": stash.shape,
                "dtype": stash.dtype,
                "bytes": stash.bytes,
                "new_in_forward": stash.is_new,
                "new_in_backward": stash.is_added,
            })
        })
        .collect();
    json!({
        "forward": split.forward.name,
        "backward": split.backward.name,
        "stash": stash,
        "stash_bytes": split.stash_bytes,
        "recomputed": split.recomputed,
        "unchanged": split.unchanged,
    })
}

/// A report as JSON.
fn as_json(report: &tensor::Report) -> Value {
    let definitions: Vec<Value> = report.definitions.iter().map(decided_as_json).collect();
    let plans: Vec<Value> =
        report.alternatives.iter().map(|a| json!({"name": a.name, "cost": a.cost.to_f64()})).collect();
    let opaque: Vec<Value> = report.opaque.iter().map(|o| json!({"name": o.name, "why": o.why})).collect();
    json!({
        "function": report.name,
        "cost_before": report.cost_before.to_f64(),
        "cost_after": report.cost_after.to_f64(),
        "evaluations": report.evaluations,
        "plans": plans,
        "nests": report.nests,
        "definitions": definitions,
        "opaque": opaque,
        "graph": {"before": flow_as_json(&report.before), "after": flow_as_json(&report.after)},
    })
}

fn decided_as_json(decided: &tensor::Decided) -> Value {
    let (became, other) = match &decided.kept {
        tensor::Kept::Equal(other) => ("equal", Some(other)),
        tensor::Kept::Buffer => ("kept", None),
        tensor::Kept::Inlined => ("inlined", None),
        tensor::Kept::Given => ("passed", None),
        _ => ("unused", None),
    };
    let mut value = json!({"name": decided.name, "became": became});
    if let Some(other) = other {
        value["to"] = json!(other);
    }
    if !decided.because.is_empty() {
        value["because"] = json!(decided.because);
    }
    value
}

/// Nests and tensors: what a page shows as a picture.
fn flow_as_json(flow: &tensor::Flow) -> Value {
    let named = |tensors: &[usize]| -> Vec<&str> {
        tensors.iter().map(|&tensor| flow.tensors[tensor].name.as_str()).collect()
    };
    let tensors: Vec<Value> = flow
        .tensors
        .iter()
        .map(|t| json!({"name": t.name, "shape": t.shape, "dtype": t.dtype, "parameter": t.is_parameter}))
        .collect();
    let nests: Vec<Value> = flow
        .nests
        .iter()
        .map(|nest| json!({"name": nest.name, "reads": named(&nest.reads), "writes": named(&nest.writes)}))
        .collect();
    json!({"tensors": tensors, "nests": nests})
}
