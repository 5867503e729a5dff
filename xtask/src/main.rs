//! Developer commands: `cargo xtask` lists them.

mod circles;
mod documents;
mod new_codec;
mod new_format;
mod new_node;
mod picture;
mod records;
mod shape;
mod skeleton;
mod source;
mod tests;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => tidy::run(&root()),
        ["test"] => tests::run(&root()),
        ["models"] => tests::models(&root()),
        ["judge"] => tests::judge(&root()),
        ["skip", step, needed, reason] => tests::record_skip(&root(), step, needed, reason),
        ["picture"] => picture::run(&root()),
        ["new-codec", name] => new_codec::run(&root(), name),
        ["new-format", name] => new_format::run(&root(), name),
        ["new-node", kind, name] => new_node::run(&root(), kind, name),
        _ => Err(USAGE.into()),
    };
    match result {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(problems) => {
            eprintln!("{problems}");
            ExitCode::FAILURE
        }
    }
}

const USAGE: &str = "\
usage: cargo xtask COMMAND

  tidy                 checks which crate imports which, circles between folders and between files, where `unsafe` stands,
                       lengths of functions and files, documents
  test                 every test and model; ends with `N passed, N failed, N skipped`, the reasons before it
  models               every interleaving of the lock-free parts
  judge                the summary of the last test; fails where `.ci/known` and `.ci/floor` say that more must have run
  skip STEP NEEDED REASON   records that a step outside of the tests was left out
  picture              makes docs/images/live-table.svg of what `livetime run` shows
  new-codec NAME       writes the folder of a codec with its tests, and its two list lines
  new-format NAME      writes the folder of a format of recorded runs, its lines in the table, and a test
                       example: cargo xtask new-format my_files
  new-node KIND NAME   writes a node file, its two list lines, and a test; KIND: source, process or sink
                       example: cargo xtask new-node process subtract_dark";

/// The repository: the folder above this crate. Asked when the program runs and not when it is compiled, because
/// checkouts that share a target folder share the program too.
fn root() -> PathBuf {
    let crate_folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    crate_folder.and_then(|c| c.parent().map(PathBuf::from)).unwrap_or_else(|| PathBuf::from("."))
}
