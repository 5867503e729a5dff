//! `livetime sim`: simulated files to measure on and to try things with.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use livetime_formats::xtc1::compressed::Engine;
use livetime_kernels::cspad::Preset;
use serde_json::json;

use super::convert::{codec, size};
use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::report::numbers::bytes;
use crate::simulate::{Options, bytes_of, events_of, simulate};
use crate::usage::Meter;

pub(crate) const SIM_HELP: &str = "\
Examples:
  livetime sim xtc e1-r0001-s00-c00.xtc --events 100
  livetime sim xtc big.xtc --preset tutorial --size 10GB --seed 2
  livetime sim xtc packed.xtc --events 100 --codec hist16";

/// What to simulate.
#[derive(Args, Debug)]
pub(crate) struct SimArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Write a run of a CSPad as XTC of LCLS-I. The same seed gives the same file on any machine.
    #[command(after_help = SIM_HELP)]
    Xtc(XtcArgs),
}

#[derive(Args, Debug)]
struct XtcArgs {
    /// File to write; nothing is overwritten.
    file: PathBuf,
    /// What the detector sees: deck (as the study of 2013), tutorial, dark, wide or rings.
    #[arg(long, default_value = "deck", value_parser = preset)]
    preset: Preset,
    /// How many events.
    #[arg(long, required_unless_present = "size", conflicts_with = "size")]
    events: Option<u64>,
    /// At least so many bytes, not compressed, as 2GB or 500MiB.
    #[arg(long, value_parser = size)]
    size: Option<u64>,
    /// Another seed is another detector with other noise.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How the pictures are compressed: none, hist16, histn or blockpack.
    #[arg(long, default_value = "none", value_parser = codec)]
    codec: Engine,
    /// Number of threads; without it, all cores.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    workers: Option<u16>,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn sim(args: &SimArgs, output: &mut Output) -> Result<Exit, Failure> {
    let What::Xtc(args) = &args.what;
    let events = args.size.map_or(args.events.unwrap_or(0), events_of);
    let options = Options {
        preset: args.preset,
        events,
        seed: args.seed,
        codec: args.codec,
        workers: super::convert::workers_or_all(args.workers),
    };
    let meter = Meter::start();
    let mut progress = Progress::new(bytes_of(events), output);
    let simulated = simulate(&args.file, &options, |done| {
        progress.tell(done);
        true
    });
    progress.clear();
    let simulated = simulated.map_err(|e| Failure::new(Exit::Failed, e))?;
    let usage = meter.stop(simulated.bytes, simulated.raw_bytes);
    if args.json {
        let json = json!({
            "file": args.file.display().to_string(),
            "preset": args.preset.name(),
            "seed": args.seed,
            "codec": args.codec.to_string(),
            "events": events,
            "bytes": simulated.bytes,
            "raw_bytes": simulated.raw_bytes,
            "usage": usage.json(),
        });
        output.json(&json)?;
    } else {
        let size = bytes(simulated.bytes);
        output.data(&format!("{}: {events} events, {size}\n{}", args.file.display(), usage.text()))?;
    }
    Ok(Exit::Ok)
}

fn preset(text: &str) -> Result<Preset, String> {
    let names = Preset::ALL.map(Preset::name).join(", ");
    let found = Preset::ALL.into_iter().find(|preset| preset.name() == text);
    found.ok_or_else(|| format!("wanted one of {names}, found `{text}`"))
}
