//! The table of passes.

use super::analyses::Analysis;
use super::hoist;
use super::linking;
use super::nests;
use super::padding;
use super::settings::Settings;
use crate::analysis::lets;
use crate::cse::{self, Mode, Options};
use crate::error::Error;
use crate::ir::{Module, PrimFunc, StmtKind};
use crate::loops;
use crate::noop;
use crate::padding::remove_assume;
use crate::plan;
use crate::reciprocals;
use crate::simplify::{self, Reach};
use crate::target::{self, Target};

/// A pass.
///
/// ```
/// let names: Vec<&str> = satir::passes::ALL.iter().map(|pass| pass.name).collect();
/// assert!(names.contains(&"simplify") && names.contains(&"semantic-cse"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Pass {
    /// The name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// What has to be known of the program before.
    pub needs: &'static [Analysis],
    /// What it makes of a program; `None` if nothing changes.
    pub(super) apply: fn(&Module, &Settings<'_>) -> Result<Option<Module>, Error>,
}

impl Pass {
    /// A pass of the caller's, for [`Pipeline::then`](super::Pipeline::then). `apply` returns what it makes of a program, or
    /// `None` if nothing changes; the manager verifies that.
    ///
    /// ```
    /// use satir::passes::{self, Pass, Pipeline};
    ///
    /// static NAMELESS: Pass = Pass::new("nameless", "drop the module's name", &[], |module, _| {
    ///     let unnamed = satir::ir::Module { name: "Module".into(), ..module.clone() };
    ///     Ok((unnamed != *module).then_some(unnamed))
    /// });
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,))):\n    A[0] = A[1]\n")?;
    /// let pipeline = Pipeline::default().then(&NAMELESS);
    /// assert_eq!(pipeline.to_string(), "nameless");
    /// passes::run(&module, &pipeline, &satir::cse::Options::default())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn new(
        name: &'static str,
        about: &'static str,
        needs: &'static [Analysis],
        apply: fn(&Module, &Settings<'_>) -> Result<Option<Module>, Error>,
    ) -> Pass {
        Pass { name, about, needs, apply }
    }
}

/// The pass that computes indices in 64 bits.
pub(super) const WIDENING: &str = "widen-indices";

/// All passes.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x * 4 // 4] = x\n")?;
/// for pass in satir::passes::ALL {
///     println!("{}: {}", pass.name, pass.about);
/// }
/// let options = satir::cse::Options::default();
/// let pipeline = satir::passes::select("simplify")?;
/// let simpler = satir::passes::run(&module, &pipeline, &options)?;
/// assert!(simpler.to_string().contains("A[x] = x"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub const ALL: &[Pass] = &[
    Pass {
        name: "verify",
        about: "check that the program is well-formed; changes nothing",
        needs: &[Analysis::WellFormed],
        apply: |_, _| Ok(None),
    },
    Pass {
        name: "simplify",
        about: "simplify expressions and conditions under what their place guarantees; no new bindings",
        needs: &[Analysis::WellFormed],
        apply: |module, &Settings { options, .. }| {
            let settings = options.simplification(Reach::Everything);
            Ok(each(module, |func| {
                simplify::run(func, &settings);
            }))
        },
    },
    Pass {
        name: "loops",
        about: "write loop nests so that quotients are loop variables and conditions are bounds, where that pays",
        needs: &[Analysis::WellFormed],
        apply: nests::loops,
    },
    Pass {
        name: "hoist",
        about: "take conditions that no iteration changes out of loops",
        needs: &[Analysis::WellFormed],
        apply: hoist::hoist,
    },
    Pass {
        name: "reduce-extents",
        about: "run loops only where the condition around their bodies holds",
        needs: &[Analysis::WellFormed],
        apply: |module, settings| Ok(replaced(module, settings, loops::reduce_extents)),
    },
    Pass {
        name: "syntactic-cse",
        about: "share expressions that are written alike",
        needs: &[Analysis::WellFormed],
        apply: |module, settings| share(module, settings, Mode::Syntactic),
    },
    Pass {
        name: "semantic-cse",
        about: "share expressions that are equal, by equality saturation",
        needs: &[Analysis::WellFormed],
        apply: |module, settings| share(module, settings, Mode::Semantic),
    },
    Pass {
        name: WIDENING,
        about: "compute the indices of functions for the CPU in 64 bits, the width of addresses",
        needs: &[Analysis::WellFormed],
        apply: |module, settings| {
            Ok(each_for_cpu(module, settings, |func| {
                if let Some(wide) = target::widen(func, &lets::named(func)) {
                    *func = wide;
                }
            }))
        },
    },
    Pass {
        name: "assume-sizes",
        about: "tell the compiler of functions for the CPU that sizes are not negative",
        needs: &[Analysis::WellFormed],
        apply: |module, settings| {
            Ok(each_for_cpu(module, settings, |func| {
                target::sizes::assume(func);
            }))
        },
    },
    Pass {
        name: "vectorize",
        about: "write short loops over neighbouring elements as vectors, in functions for the CPU",
        needs: &[Analysis::WellFormed],
        apply: |module, settings| {
            Ok(each_for_cpu(module, settings, |func| {
                target::vectors::vectorize(func);
            }))
        },
    },
    Pass {
        name: "keep-scalar",
        about: "keep LLVM from running loops for x86 on vectors of elements that are no neighbours, where that takes more",
        needs: &[Analysis::WellFormed],
        apply: |module, settings| {
            let Options { profile, bindings, .. } = settings.options;
            Ok(each_for_cpu(module, settings, |func| {
                if target::is_llvm_for_any_x86(func) {
                    target::scalars::keep(func, profile, bindings);
                }
            }))
        },
    },
    Pass {
        name: "multiply-reciprocals",
        about: "divide by sizes in kernels for GPUs by multiplying with a reciprocal that the host computes",
        needs: &[Analysis::WellFormed],
        apply: |module, settings| {
            Ok(replaced(module, settings, |func, options| {
                let applies = options.target_of(func) == Target::Gpu && target::multiplies_wide(func);
                applies.then(|| reciprocals::multiply(func, options.positive_dims)).flatten()
            }))
        },
    },
    Pass {
        name: "remove-no-op",
        about: "remove statements that change nothing: stores that are overwritten before they are read or store what is there",
        needs: &[Analysis::WellFormed],
        apply: |module, &Settings { options, .. }| {
            let settings = options.simplification(Reach::Everything);
            Ok(each(module, |func| {
                // A store whose value is known to those that load it may be dead afterwards.
                let mut simpler = func.clone();
                simplify::run(&mut simpler, &settings);
                let gone = !noop::remove_no_op(&mut simpler).is_empty();
                if gone {
                    simplify::run(&mut simpler, &settings);
                }
                if gone || stores(&simpler) < stores(func) {
                    *func = simpler;
                }
            }))
        },
    },
    Pass {
        name: "overcompute",
        about: "remove conditions whose statements may as well run where they do not hold",
        needs: &[Analysis::WellFormed],
        apply: |module, settings| {
            Ok(each(module, |func| {
                let made = noop::overcompute_within(func, settings.noop());
                settings.note_limit(func, made.limit);
            }))
        },
    },
    Pass {
        name: "branching",
        about: "give statements in loops conditions, so that they do not run where they change nothing",
        needs: &[Analysis::WellFormed],
        apply: |module, settings| {
            Ok(each(module, |func| {
                let made = noop::add_branches_within(func);
                settings.note_limit(func, made.limit);
            }))
        },
    },
    Pass {
        name: "merge-loops",
        about: "merge neighbouring loops over one domain, where no dependence is turned round",
        needs: &[Analysis::WellFormed],
        apply: |module, _| {
            Ok(each(module, |func| {
                noop::merge_loops(func);
            }))
        },
    },
    Pass {
        name: "remove-copies",
        about: "read elements that were moved to a buffer of the function's own where they came from, and drop the buffer",
        needs: &[Analysis::WellFormed],
        apply: |module, _| {
            Ok(each(module, |func| {
                noop::remove_copies(func);
            }))
        },
    },
    Pass {
        name: "tensor-cse",
        about: "compute equal tensors once; keep, inline and merge blocks by cost (--args: forward, backward)",
        needs: &[Analysis::WellFormed],
        apply: super::tensors::tensor_cse,
    },
    Pass {
        name: "plan",
        about: "make the changes above that are cheapest together, by an estimate of instructions; the report has each with its proof",
        needs: &[Analysis::WellFormed],
        apply: |module, settings| {
            Ok(each(module, |func| {
                let (made, plan) = plan::run(func, &plan::Settings::new(settings.options));
                *func = made;
                settings.note_plan(plan);
            }))
        },
    },
    Pass {
        name: "remove-assume",
        about: "remove assumptions, once nothing rests on them any more",
        needs: &[Analysis::WellFormed],
        apply: |module, _| {
            Ok(each(module, |func| {
                remove_assume(func);
            }))
        },
    },
    Pass {
        name: "remove-undef",
        about: "remove T.undef(): stores of it go, of two values the other one stays",
        needs: &[Analysis::WellFormed],
        apply: |module, _| padding::without_undef(module),
    },
    Pass {
        name: "transform-layout",
        about: "give a buffer another layout, with padding (--args: buffer, map, pad, elide)",
        needs: &[Analysis::WellFormed],
        apply: padding::layouts,
    },
    Pass {
        name: "cache-read",
        about: "read a copy of a buffer (--args: read, scope, block)",
        needs: &[Analysis::WellFormed],
        apply: padding::read_copies,
    },
    Pass {
        name: "cache-write",
        about: "work on a copy of a buffer that is written, and copy it back (--args: write, scope, block)",
        needs: &[Analysis::WellFormed],
        apply: padding::written_copies,
    },
    Pass {
        name: "sequential-access",
        about: "let loops run over the elements of a buffer in their order (--args: buffer, block)",
        needs: &[Analysis::WellFormed],
        apply: padding::in_sequence,
    },
    Pass {
        name: "choose-padding",
        about: "find values for padding with which conditions go (--args: buffer, map and pad \"?\"; without, where nobody sees it)",
        needs: &[Analysis::WellFormed],
        apply: linking::choose_padding,
    },
    Pass {
        name: "link",
        about: "let a function assume what others leave in a buffer that it gets (--args: edge)",
        needs: &[Analysis::WellFormed],
        apply: linking::link,
    },
];

/// How many statements of a function store.
fn stores(func: &PrimFunc) -> usize {
    let mut count = 0;
    for stmt in &func.body {
        stmt.walk(&mut |stmt| count += usize::from(matches!(stmt.kind, StmtKind::Store { .. })));
    }
    count
}

fn each(module: &Module, apply: impl FnMut(&mut PrimFunc)) -> Option<Module> {
    let mut result = module.clone();
    result.funcs.iter_mut().for_each(apply);
    (result != *module).then_some(result)
}

/// The same with the functions for the CPU only.
fn each_for_cpu(
    module: &Module,
    settings: &Settings<'_>,
    mut apply: impl FnMut(&mut PrimFunc),
) -> Option<Module> {
    each(module, |func| {
        if settings.options.target_of(func) == Target::Cpu {
            apply(func);
        }
    })
}

/// The module with what `make` makes of its functions.
fn replaced(
    module: &Module,
    settings: &Settings<'_>,
    make: impl Fn(&PrimFunc, &Options) -> Option<PrimFunc>,
) -> Option<Module> {
    each(module, |func| {
        if let Some(made) = make(func, settings.options) {
            *func = made;
        }
    })
}

fn share(module: &Module, settings: &Settings<'_>, mode: Mode) -> Result<Option<Module>, Error> {
    let options = Options { mode, ..settings.options.clone() };
    let (result, _) = cse::run_before(module, &options, settings.widens)?;
    Ok((result != *module).then_some(result))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_words() {
        for (at, pass) in ALL.iter().enumerate() {
            assert!(ALL[..at].iter().all(|other| other.name != pass.name), "{}", pass.name);
            assert!(pass.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", pass.name);
        }
    }
}
