//! Reads TVMScript from stdin and prints it again.

use std::io::{Read, Write};

fn main() -> anyhow::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let module = satir::script::parse("<stdin>", &text)?;
    std::io::stdout().write_all(module.to_string().as_bytes())?;
    Ok(())
}
