//! `livetime sim`: simulated files to measure on and to try things with.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use livetime_engine::{NodeError, Value, assign};
use livetime_formats::xtc1::compressed::Engine;
use livetime_kernels::cspad::Preset;
use livetime_sim::cspad_run::{Options, bytes_of, events_of, simulate};
use livetime_sim::wib_files::{simulate_wib, write_truth};
use livetime_sim::wib_simulator::{SimulatedLinks, WibSimulatorParams};
use serde_json::json;

use super::convert::{codec, size};
use crate::args::duration;
use crate::interrupts::Interrupt;
use crate::output::{Exit, Failure, Output};
use crate::progress::Progress;
use crate::report::numbers::bytes;
use crate::usage::{Meter, Usage};

pub(crate) const SIM_HELP: &str = "\
Examples:
  livetime sim xtc e1-r0001-s00-c00.xtc --count 100
  livetime sim xtc big.xtc --preset tutorial --size 10GB --seed 2
  livetime sim xtc packed.xtc --count 100 --codec hist16";

const SIM_WIB_HELP: &str = "\
Examples:
  livetime sim wib apa --links 2 --duration 100ms
  livetime sim wib bad --links 1 --duration 10ms --faults 'drop 700; repeat 900+10; random 50' --truth truth.csv
  livetime inspect bad-l00.wib
  livetime run replay.yaml      # with {type: wib_file, params: {file: \"apa-l*.wib\"}}

Faults are written as in the parameter `faults` of the node wib_simulator (livetime nodes wib_simulator). The files hold the frames as a
receiver would get them, with all faults.";

/// The kinds of simulated files.
#[derive(Args, Debug)]
pub(crate) struct SimArgs {
    #[command(subcommand)]
    what: What,
}

impl SimArgs {
    pub(crate) fn is_json(&self) -> bool {
        match &self.what {
            What::Xtc(args) => args.json,
            What::Wib(args) => args.json,
        }
    }
}

#[derive(Subcommand, Debug)]
enum What {
    /// Write a run of a CSPad as XTC of LCLS-I. The same seed gives the same file on any machine.
    #[command(after_help = SIM_HELP)]
    Xtc(XtcArgs),
    /// Write raw frames of wire readout, a file for each link, as wib_file reads them. The same seed gives the same files on any machine.
    #[command(after_help = SIM_WIB_HELP)]
    Wib(WibArgs),
}

#[derive(Args, Debug)]
struct WibArgs {
    /// The begin of the file names: NAME-l00.wib, NAME-l01.wib ... are written; nothing is overwritten.
    name: PathBuf,
    /// Number of links: at most 10 of wib1, or 40 streams of wibeth.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=40))]
    links: u16,
    /// Simulated time, for example 2s or 100ms: a link has 928 MB per second (wib1), or 220 MB (wibeth).
    #[arg(long, alias = "seconds", default_value = "100ms", value_parser = duration)]
    duration: Duration,
    /// Format of the frames: wib1 or wibeth.
    #[arg(long, default_value = "wib1")]
    format: String,
    /// Faults of the transmission, such as 'drop 700; link 2 repeat 40; random 5'.
    #[arg(long, default_value = "")]
    faults: String,
    /// Write the true pulses into this file, as text: a line for each, with the columns of its first line.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Time of the first frame, ticks of the clock since 1970.
    #[arg(long, default_value_t = 80_150_024_000_000_000)]
    first_timestamp: u64,
    /// Any parameter of the node wib_simulator that describes the detector, such as noise_rms=5 or
    /// track_rate=500; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Another seed is another detector with other noise.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of threads; without it, all cores. The files do not depend on it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    workers: Option<u16>,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct XtcArgs {
    /// File to write; nothing is overwritten.
    file: PathBuf,
    /// The picture: deck (as in the study of 2013), tutorial, dark, wide or rings.
    #[arg(long, default_value = "deck", value_parser = preset)]
    preset: Preset,
    /// How many events.
    #[arg(
        long,
        alias = "events",
        value_name = "N",
        required_unless_present = "size",
        conflicts_with = "size"
    )]
    count: Option<u64>,
    /// At least this size, uncompressed, such as 2GB or 500MiB.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    size: Option<u64>,
    /// Another seed is another detector with other noise.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Codec of the pictures: none, hist16, histn or blockpack.
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
    match &args.what {
        What::Xtc(args) => xtc(args, output),
        What::Wib(args) => wib(args, output),
    }
}

fn wib(args: &WibArgs, output: &mut Output) -> Result<Exit, Failure> {
    let links = links_of(args).map_err(|error| Failure::new(Exit::Usage, error))?;
    let truth = links.truth();
    // The truth is small and comes first: a file that cannot be written ends the command before the long part.
    if let Some(file) = &args.truth {
        write_truth(file, &truth).map_err(|e| Failure::new(Exit::Failed, e))?;
    }
    let expected = links.frames() * links.links() as u64 * links.format().bytes() as u64;
    let (meter, interrupt) = (Meter::start(), Interrupt::watch());
    let mut progress = Progress::new(expected, output);
    let written = simulate_wib(&args.name, &links, super::convert::workers_or_all(args.workers), |done| {
        progress.tell(done);
        !interrupt.is_wanted()
    });
    progress.clear();
    let files = written.map_err(|e| {
        // Without the raw files the truth describes nothing.
        let removed = args.truth.as_ref().map_or(Ok(()), std::fs::remove_file);
        let more = removed.map_or_else(|e| format!("; cannot remove the truth: {e}"), |()| String::new());
        Failure::new(Exit::Failed, format!("{e}{more}"))
    })?;
    let total: u64 = files.iter().map(|file| file.1).sum();
    let usage = meter.stop(total, total);
    if args.json {
        output.json(&wib_json(args, &links, truth.len(), &files, &usage))?;
    } else {
        output.data(&(wib_text(args, truth.len(), &files) + &usage.text()))?;
    }
    Ok(Exit::Ok)
}

fn links_of(args: &WibArgs) -> Result<SimulatedLinks, NodeError> {
    let seconds = args.duration.as_secs_f64();
    if seconds > 1000.0 {
        return Err(NodeError::new(format_args!("wanted at most 1000 s, found {seconds} s")));
    }
    let mut params = WibSimulatorParams::default();
    let given: [(&str, Value); 5] = [
        ("links", i64::from(args.links).into()),
        ("format", args.format.as_str().into()),
        ("faults", args.faults.as_str().into()),
        ("first_timestamp", (args.first_timestamp as i64).into()),
        ("seed", (args.seed as i64).into()),
    ];
    for (name, value) in given {
        assign(&mut params, name, &value)?;
    }
    // Set parameters come last, so that they win over the defaults of options.
    for text in &args.set {
        let wanted = || NodeError::new(format_args!("wanted NAME=VALUE, found `{text}`"));
        let (name, value) = text.split_once('=').ok_or_else(wanted)?;
        assign(&mut params, name, &value_of(value))?;
    }
    SimulatedLinks::new(&params, seconds)
}

/// `pulses` are those in the truth.
fn wib_json(
    args: &WibArgs,
    links: &SimulatedLinks,
    pulses: usize,
    files: &[(PathBuf, u64)],
    usage: &Usage,
) -> serde_json::Value {
    let total: u64 = files.iter().map(|file| file.1).sum();
    let file = |(file, bytes): &(PathBuf, u64)| json!({ "file": file.display().to_string(), "bytes": bytes });
    json!({
        "files": files.iter().map(file).collect::<Vec<_>>(),
        "format": links.format().name(),
        "frames_without_faults": links.frames() * links.links() as u64,
        "seconds": args.duration.as_secs_f64(),
        "seed": args.seed,
        "faults": args.faults,
        "true_pulses": pulses,
        "truth": args.truth.as_ref().map(|file| file.display().to_string()),
        "bytes": total,
        "usage": usage.json(),
    })
}

fn wib_text(args: &WibArgs, pulses: usize, files: &[(PathBuf, u64)]) -> String {
    let written = files.iter().map(|(file, size)| format!("{}: {}\n", file.display(), bytes(*size)));
    let truth = args.truth.iter().map(|file| format!("{}: {pulses} true pulses\n", file.display()));
    written.chain(truth).collect()
}

/// A flag, a number, or a text.
fn value_of(text: &str) -> Value {
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => text
            // Whole numbers come first, because a float would lose digits of large ones.
            .parse()
            .map(Value::Int)
            .or_else(|_| text.parse().map(Value::Float))
            .unwrap_or_else(|_| text.into()),
    }
}

fn xtc(args: &XtcArgs, output: &mut Output) -> Result<Exit, Failure> {
    // The arguments require one of both.
    let events = args.size.map_or(args.count.unwrap_or(0), events_of);
    let options = Options {
        preset: args.preset,
        events,
        seed: args.seed,
        codec: args.codec,
        workers: super::convert::workers_or_all(args.workers),
    };
    let (meter, interrupt) = (Meter::start(), Interrupt::watch());
    let mut progress = Progress::new(bytes_of(events), output);
    let simulated = simulate(&args.file, &options, |done| {
        progress.tell(done);
        !interrupt.is_wanted()
    });
    progress.clear();
    let simulated = simulated.map_err(|e| Failure::of(&e))?;
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
