//! `livetime completions` and `livetime man`: what a shell and `man` know about the command line.

use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::output::{Exit, Failure, Output};

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write a page for every subcommand into this folder instead of printing the first one.
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

pub(crate) const COMPLETIONS_HELP: &str = "\
Examples:
  livetime completions bash > ~/.local/share/bash-completion/completions/livetime
  livetime completions zsh > ~/.zfunc/_livetime       # with fpath+=~/.zfunc before compinit
  livetime completions fish > ~/.config/fish/completions/livetime.fish
`make install` writes these files.";

pub(crate) const MAN_HELP: &str = "\
Examples:
  livetime man | man -l -
  livetime man --output ~/.local/share/man/man1
`make install` writes the pages.";

const NAME: &str = "livetime";

pub(crate) fn completions(args: &CompletionsArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut text);
    output.data(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Ok)
}

pub(crate) fn man(args: &ManArgs, output: &mut Output) -> Result<Exit, Failure> {
    match &args.output {
        Some(folder) => write_pages(folder, output),
        None => print_page(Cli::command(), output),
    }
}

fn print_page(command: Command, output: &mut Output) -> Result<Exit, Failure> {
    let mut page = Vec::new();
    let failed = |e| Failure::new(Exit::Failed, format!("cannot make the page: {e}"));
    clap_mangen::Man::new(command).render(&mut page).map_err(failed)?;
    output.data(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Ok)
}

fn write_pages(folder: &PathBuf, output: &mut Output) -> Result<Exit, Failure> {
    let failed = |e| Failure::new(Exit::Failed, format!("cannot write pages into {}: {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(failed)?;
    output.log(format_args!("pages are in {}", folder.display()));
    Ok(Exit::Ok)
}
