//! `livetime index`: writes an index beside each file of a recorded run.

use std::path::PathBuf;

use clap::Args;
use livetime_formats::file::index_path;
use serde_json::{Value, json};

use crate::output::{Exit, Failure, Output};
use crate::stores::of_environment;

pub(crate) const INDEX_HELP: &str = "\
Examples:
  livetime index e236-r0003-s00-c00.xtc
  livetime index e236-r0003-s04-c*.xtc --json
  livetime index s3://bucket/e236-r0003-s04-c00.xtc

One FILE stands for all files of its run that lie beside it; several FILES stand for themselves, so that many processes can share the
files of a run. The index FILE.ltindex lists the datagrams of FILE (XTC of LCLS-I and LCLS-II). `analyze`, `convert` and sources that
open the run then read the index and not every file. An index that does not fit its file is ignored, and `analyze` says so.
The command ends with 1 if a file has got no index: it is still being written, or is broken (`livetime inspect` says where).";

/// Arguments of `index`.
#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// One file of the run, or all files that are indexed.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn index(args: &IndexArgs, output: &mut Output) -> Result<Exit, Failure> {
    let (mut all, mut refused) = (Vec::new(), Vec::new());
    let stores = of_environment(None);
    let indexed = livetime_recording::index_in(&stores, &args.files, |file, listed| match listed {
        Ok(datagrams) => all.push((file.to_owned(), datagrams)),
        Err(error) => refused.push(format!("{}: {error}", index_path(file).display())),
    });
    indexed.map_err(|e| Failure::of(&e))?;
    if args.json {
        let indices = all.iter().map(|(file, datagrams)| {
            let index = index_path(file).display().to_string();
            json!({ "file": file.display().to_string(), "index": index, "datagrams": datagrams })
        });
        let indices: Vec<Value> = indices.collect();
        output.json(&json!({ "ok": refused.is_empty(), "indices": indices, "not_indexed": refused }))?;
    } else {
        let lines = all
            .iter()
            .map(|(file, datagrams)| format!("{}: {datagrams} datagrams\n", index_path(file).display()));
        output.data(&lines.collect::<String>())?;
    }
    refused.iter().for_each(|why| output.log(format_args!("livetime: no index {why}")));
    Ok(if refused.is_empty() { Exit::Ok } else { Exit::Failed })
}
