//! A pass of one's own, between satir's: it drops checks of a program that was tested with them.
//!
//! `cargo run --example own_pass`

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use satir::cse::Options;
use satir::ir::{Block, Module, StmtKind};
use satir::passes::{self, Analysis, Pass, Pipeline};

static DROP_ASSERTIONS: Pass = Pass::new(
    "drop-assertions",
    "drop assertions, which hold in programs that were tested",
    &[Analysis::WellFormed],
    |module, _| {
        let mut result = module.clone();
        result.funcs.iter_mut().for_each(|func| drop_assertions(&mut func.body));
        Ok((result != *module).then_some(result))
    },
);

fn drop_assertions(block: &mut Block) {
    block.retain(|stmt| !matches!(stmt.kind, StmtKind::Assert { .. }));
    for stmt in block {
        stmt.for_each_block_mut(drop_assertions);
    }
}

const PROGRAM: &str = r#"
@T.prim_func
def main(A: T.Buffer((64,), "int32"), x: T.int32):
    assert x * x < 4096, "x is large"
    for i in range(64):
        assert A[i] >= 0, "negative"
        A[i] = i * 64 + x * x
"#;

/// Runs the example.
pub fn main() -> anyhow::Result<()> {
    let module: Module = satir::parse(PROGRAM)?;
    let pipeline = Pipeline::default().then(&DROP_ASSERTIONS).then(find("semantic-cse")?);
    println!("{pipeline}");
    let result = passes::run(&module, &pipeline, &Options::default())?;
    println!("{result}");
    let text = result.to_string();
    assert!(!text.contains("assert"));
    assert!(text.contains("= x * x\n"), "what is left is shared as ever");
    Ok(())
}

/// One of satir's passes.
fn find(name: &str) -> anyhow::Result<&'static Pass> {
    passes::ALL.iter().find(|pass| pass.name == name).ok_or_else(|| anyhow::anyhow!("no pass {name}"))
}
