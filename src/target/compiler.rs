//! The compiler that takes a function: which one it is, what counts of it, and the width of indices that it likes.

use super::{Model, Reason};
use crate::ir::{AttrValue, PrimFunc, StmtKind};

/// The compiler of a function.
///
/// ```
/// use satir::target::Target;
///
/// let func = |head: &str| {
///     let text = format!("@T.prim_func\ndef main(A: T.Buffer((9,))):\n    {head}\n    A[0] = A[1]\n");
///     satir::parse(&text).map(|module| module.funcs[0].clone())
/// };
/// assert_eq!(Target::of(&func("T.func_attr({\"target\": T.target({\"kind\": \"llvm\"})})")?), Target::Cpu);
/// assert_eq!(Target::of(&func("T.func_attr({\"target\": T.target({\"kind\": \"cuda\"})})")?), Target::Gpu);
/// assert_eq!(Target::of(&func("x: T.let[T.int32] = 3")?), Target::Unknown);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// Nothing is known of it. Expressions are written as for a CPU, in the types that they have.
    Unknown,
    /// None: nothing but the weights of the cost profile counts.
    Neutral,
    /// LLVM, or a compiler of C, for a processor with 64-bit addresses.
    Cpu,
    /// A compiler for threads that run in blocks.
    Gpu,
    /// Another one, described by the reasons that count for it. Expressions are written in the types that they have.
    Own(Model),
}

impl Target {
    /// By the threads that it binds, or else by the function's attribute `target`.
    ///
    /// ```
    /// use satir::target::Target;
    ///
    /// let text = "@T.prim_func\ndef main(A: T.Buffer((9,))):\n    x = T.launch_thread(\"threadIdx.x\", 9)\n    A[x] = T.float32(1)\n";
    /// assert_eq!(Target::of(&satir::parse(text)?.funcs[0]), Target::Gpu);
    /// # Ok::<(), satir::diag::Diagnostic>(())
    /// ```
    pub fn of(func: &PrimFunc) -> Target {
        let mut threads = false;
        func.body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| threads |= matches!(stmt.kind, StmtKind::LaunchThread { .. }));
        });
        if threads {
            return Target::Gpu;
        }
        match kind_of(func) {
            Some("llvm" | "c") => Target::Cpu,
            Some(_) => Target::Gpu,
            None => Target::Unknown,
        }
    }
}

impl Model {
    /// What counts for a target, where the result's indices become `wide`: 64 bits. An unknown target is taken for a CPU.
    ///
    /// ```
    /// use satir::target::{Model, Target};
    ///
    /// assert_eq!(Model::new(Target::Unknown, false), Model::new(Target::Cpu, false));
    /// assert_eq!(Model::new(Target::Neutral, false), Model::NEUTRAL);
    /// ```
    pub fn new(target: Target, wide: bool) -> Model {
        let counts = |reason: &Reason| match target {
            Target::Neutral => false,
            Target::Unknown | Target::Cpu => !(wide && reason.is_narrow()),
            Target::Gpu => reason.is_of_gpu(),
            Target::Own(model) => model.has(*reason) && !(wide && reason.is_narrow()),
        };
        let reasons: Vec<Reason> = Reason::ALL.into_iter().filter(counts).collect();
        Model::NEUTRAL.with(&reasons)
    }
}

impl Default for Model {
    fn default() -> Model {
        Model::new(Target::Unknown, false)
    }
}

/// The width of the arithmetic of indices in a result.
///
/// ```
/// use satir::target::{IndexBits, Target};
///
/// assert!(IndexBits::Auto.widens(Target::Cpu) && !IndexBits::Auto.widens(Target::Gpu));
/// assert_eq!(IndexBits::default(), IndexBits::Same);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexBits {
    /// As in the input.
    #[default]
    Same,
    /// 64 bits.
    Wide,
    /// 64 bits in functions for the CPU, else as in the input.
    Auto,
}

impl IndexBits {
    /// Whether indices of 32 bits become ones of 64.
    ///
    /// ```
    /// use satir::target::{IndexBits, Target};
    ///
    /// assert!(IndexBits::Wide.widens(Target::Unknown) && !IndexBits::Auto.widens(Target::Unknown));
    /// ```
    pub fn widens(self, target: Target) -> bool {
        match self {
            IndexBits::Same => false,
            IndexBits::Wide => true,
            IndexBits::Auto => target == Target::Cpu,
        }
    }
}

/// Whether the kernels of a function, which is for a GPU, go to a compiler that has integers of 64 bits, and none that divide:
/// that of CUDA or ROCm, also where the function does not say which one it is.
pub(crate) fn multiplies_wide(func: &PrimFunc) -> bool {
    kind_of(func).is_none_or(|kind| matches!(kind, "cuda" | "rocm"))
}

/// The kind of target that a function's attribute names.
fn kind_of(func: &PrimFunc) -> Option<&str> {
    attribute(func).and_then(kind)
}

/// The target that a function's attribute names.
fn attribute(func: &PrimFunc) -> Option<&AttrValue> {
    func.attrs.iter().find(|(name, _)| &**name == "target").map(|(_, value)| value)
}

/// Whether LLVM compiles a function for a processor of which nothing is known but that it is x86: its attribute `target` says
/// LLVM, no triple of another one, and neither a processor nor its features.
pub(crate) fn is_llvm_for_any_x86(func: &PrimFunc) -> bool {
    attribute(func).is_some_and(|target| {
        kind(target) == Some("llvm")
            && option(target, "mtriple").is_none_or(|triple| triple.starts_with("x86_64"))
            && option(target, "mcpu").is_none()
            && option(target, "mattr").is_none()
    })
}

/// An option of a target, if it has one; empty if it is no text.
fn option<'a>(target: &'a AttrValue, key: &str) -> Option<&'a str> {
    match target {
        AttrValue::Call(_, args, _) => args.first().and_then(|target| option(target, key)),
        AttrValue::Dict(entries) => match entries.iter().find(|(of, _)| &**of == key)? {
            (_, AttrValue::Str(text)) => Some(text),
            _ => Some(""),
        },
        AttrValue::Str(text) => text
            .split_whitespace()
            .find_map(|word| word.strip_prefix('-')?.strip_prefix(key)?.strip_prefix('=')),
        _ => None,
    }
}

/// The kind of a target as TVM prints it: `T.target({"kind": "llvm", …})` or `T.target("llvm -mcpu=…")`.
fn kind(target: &AttrValue) -> Option<&str> {
    match target {
        AttrValue::Call(_, args, _) => args.first().and_then(kind),
        AttrValue::Dict(entries) => {
            entries.iter().find(|(key, _)| &**key == "kind").and_then(|(_, v)| kind(v))
        }
        AttrValue::Str(text) => text.split_whitespace().next(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn llvm_is_for_any_x86_unless_the_target_says_more() {
        let of = |attrs: &str| {
            let text = format!("@T.prim_func\ndef main(A: T.Buffer((9,))):\n    {attrs}\n    A[0] = A[1]\n");
            is_llvm_for_any_x86(&crate::parse(&text).expect("a program").funcs[0])
        };
        let target = |target: &str| of(&format!("T.func_attr({{\"target\": T.target({target})}})"));
        for any in
            ["{\"kind\": \"llvm\", \"mtriple\": \"x86_64-linux-gnu\"}", "\"llvm\"", "{\"kind\": \"llvm\"}"]
        {
            assert!(target(any), "{any}");
        }
        for other in [
            "{\"kind\": \"llvm\", \"mtriple\": \"aarch64-linux-gnu\"}",
            "\"llvm -mtriple=riscv64\"",
            "\"llvm -mcpu=core-avx2\"",
            "{\"kind\": \"llvm\", \"mcpu\": \"core-avx2\"}",
            "{\"kind\": \"llvm\", \"mattr\": [\"+avx2\"]}",
            "{\"kind\": \"c\"}",
        ] {
            assert!(!target(other), "{other}");
        }
        assert!(!of("pass"));
    }
}
