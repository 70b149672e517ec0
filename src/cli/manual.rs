//! `satir completions` and `satir man`: made from the definition of the command line, so they cannot differ from it.

use std::fs;
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;

use super::io::{self, Failure};

/// Print completions for a shell.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir completions bash > ~/.local/share/bash-completion/completions/satir\n  \
                        satir completions zsh > ~/.zfunc/_satir\n  satir completions fish > ~/.config/fish/completions/satir.fish"
)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Print the manual page, or write the pages of all commands.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  satir man | man -l -\n  satir man --folder ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write a page for each command into this folder instead.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// `satir completions`, for this command line.
pub(crate) fn completions(args: &CompletionsArgs, mut command: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "satir", &mut text);
    io::write_stdout(&String::from_utf8_lossy(&text))
}

/// `satir man`, for this command line.
pub(crate) fn man(args: &ManArgs, mut command: Command) -> Result<(), Failure> {
    command.build();
    let Some(folder) = &args.folder else { return io::write_stdout(&page(&command)?) };
    fs::create_dir_all(folder).map_err(|e| Failure::about(folder, format!("cannot create folder: {e}")))?;
    let mut open = vec![command];
    while let Some(command) = open.pop() {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        io::write_file(&folder.join(format!("{name}.1")), &page(&command)?)?;
        open.extend(command.get_subcommands().filter(|c| c.get_name() != "help").cloned());
    }
    Ok(())
}

fn page(command: &Command) -> Result<String, Failure> {
    let mut text = Vec::new();
    let written = clap_mangen::Man::new(command.clone()).render(&mut text);
    written.map_err(|e| Failure::bad(format_args!("cannot make the manual page: {e}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
