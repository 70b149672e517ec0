//! `satir check-certificate`, and the certificates that `--certify` writes.

use std::path::{Path, PathBuf};

use satir::certificate::{self, hash};
use satir::diag::{Diagnostic, Span};
use satir::ir::Module;

use super::io::{self, Failure, Source};
use super::product::Product;
use super::program;

/// Check a certificate that a program does what another one does, without a solver.
///
/// `satir cse IN -o OUT --certify FILE` writes one. It is accepted if its steps show that on all inputs OUT does what IN does
/// and takes no risk that IN does not take; for sums and products that fit `int32` and `int64`. The exit code is 1 if it is
/// rejected.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example:\n  satir cse kernel.py -o faster.py --certify faster.cert\n  satir check-certificate kernel.py faster.py faster.cert"
)]
pub(crate) struct Args {
    /// The program that was optimized.
    input: PathBuf,

    /// The result.
    output: PathBuf,

    /// The certificate.
    certificate: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let paths = [&args.input, &args.output, &args.certificate];
    if paths.iter().filter(|path| io::is_stdin(Some(path))).count() > 1 {
        return Err(Failure::usage("only one of the three can be standard input"));
    }
    let [input, output, file] = paths.map(|path| io::read(Some(path)));
    let (input, output, file) = (input?, output?, file?);
    let (before, after) = (program::checked(&input)?, program::checked(&output)?);
    let hashes = [hash(&input.text), hash(&output.text)];
    let checked = certificate::check(&before, &after, &hashes, &file.text)
        .map_err(|why| Failure::bad(format_args!("{}: rejected: {why}", file.name)))?;
    io::write_stdout(&format!(
        "accepted: {} obligations, {} of them by steps of the certificate\n",
        checked.obligations, checked.by_steps
    ))
}

/// Writes a certificate that a result does what the program does.
///
/// # Errors
///
/// If some of that cannot be shown: then nothing is written.
pub(super) fn certify(
    source: &Source,
    before: &Module,
    product: &Product,
    path: &Path,
) -> Result<(), Failure> {
    let text = &product.text;
    let result = Source { name: format!("the result of {}", source.name), text: text.clone() };
    let after = program::checked(&result)?;
    let hashes = [hash(&source.text), hash(text)];
    let made = certificate::make(before, &after, &hashes, &product.stages).map_err(Failure::bad)?;
    if let Some((what, spans)) = made.open.first() {
        let line = |source: &Source, span: Span| match span {
            Span::NONE => "?".to_owned(),
            span => Diagnostic::new(&source.name, &source.text, span, String::new()).line.to_string(),
        };
        let (first, second) = (line(source, spans.0), line(&result, spans.1));
        return Err(Failure::bad(format_args!(
            "{}: no certificate: {} of {} obligations are not shown; first, at line {first} of the program and line \
             {second} of its result: {what}",
            source.name,
            made.open.len(),
            made.obligations,
        )));
    }
    certificate::check(before, &after, &hashes, &made.text)
        .map_err(|why| Failure::bad(format_args!("{}: no certificate: {why}", source.name)))?;
    io::write_file(path, &made.text)
}
