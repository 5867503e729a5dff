//! `livetime completions` and `livetime man`: the command line for a shell and for `man`.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use livetime_formats::Error;
use livetime_formats::file::GrowingFile;

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

pub(crate) fn completions(
    args: &CompletionsArgs,
    mut command: Command,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, NAME, &mut text);
    output.data(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Ok)
}

pub(crate) fn man(args: &ManArgs, command: Command, output: &mut Output) -> Result<Exit, Failure> {
    match &args.output {
        Some(folder) => write_pages(folder, command, output),
        None => print_page(command, output),
    }
}

fn print_page(command: Command, output: &mut Output) -> Result<Exit, Failure> {
    let mut page = Vec::new();
    let failed = |e| Failure::new(Exit::Failed, format!("cannot make the page: {e}"));
    Man::new(command).render(&mut page).map_err(failed)?;
    output.data(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Ok)
}

fn write_pages(folder: &Path, command: Command, output: &mut Output) -> Result<Exit, Failure> {
    let failed =
        |e: String| Failure::new(Exit::Failed, format!("cannot write pages into {}: {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(|e| failed(e.to_string()))?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    // The pages get their names when all are there: half a manual page is shown as a whole one.
    let made = make_pages(command, folder, &mut pages);
    made.and_then(|()| pages.into_iter().try_for_each(GrowingFile::finish)).map_err(|e| failed(e.cause()))?;
    output.log(format_args!("pages are in {}", folder.display()));
    Ok(Exit::Ok)
}

/// The page of a command, behind the pages of its subcommands.
fn make_pages(command: Command, folder: &Path, pages: &mut Vec<GrowingFile>) -> livetime_formats::Result<()> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        make_pages(command.clone(), folder, pages)?;
    }
    let (man, mut page) = (Man::new(command), Vec::new());
    man.render(&mut page).map_err(|e| Error::io("to make the page", e))?;
    let mut new = GrowingFile::replace(&folder.join(man.get_filename()))?;
    new.append(&[&page])?;
    pages.push(new);
    Ok(())
}
