//! `livetime keys`: keys for the two ends of a link.

use std::path::PathBuf;

use clap::Args;
use livetime_nodes::create_keys;

use crate::output::{Exit, Failure, Output};

pub(crate) const KEYS_HELP: &str = "\
Examples:
  livetime keys keys/daq1 keys/daq2

Each folder gets `secret.key`, which its owner alone can read, `public.key`, and `peer.key`, the public key of the other folder. Carry
each folder to its host by a safe way (scp -p), and name it there: `link_out` and `link_in` have the parameter `keys`. Files that are
there are never replaced.";

/// Arguments of `keys`.
#[derive(Args, Debug)]
pub(crate) struct KeysArgs {
    /// Folder for the keys of one end; it is made.
    #[arg(value_name = "FOLDER")]
    one: PathBuf,
    /// Folder for the keys of the other end.
    #[arg(value_name = "FOLDER")]
    other: PathBuf,
}

pub(crate) fn keys(args: &KeysArgs, output: &mut Output) -> Result<Exit, Failure> {
    create_keys([&args.one, &args.other]).map_err(|e| Failure::new(Exit::Failed, e))?;
    output.data(&format!("made keys for a link in {} and {}\n", args.one.display(), args.other.display()))?;
    Ok(Exit::Ok)
}
