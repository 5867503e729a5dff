//! The arguments of `verify`.

use std::path::PathBuf;

use clap::Args;

use crate::args::PipelineArgs;

pub(crate) const VERIFY_HELP: &str = "\
Examples:
  livetime verify records.yaml
  livetime verify records.yaml --runs 50 --seed 7
  livetime verify beamline.yaml --frames 1000
  livetime verify beamline.yaml --frames 1000 --live
  livetime verify --python reduce.yaml
  livetime verify records.yaml --json

The command runs a replay several times, with threads held up by chance, and compares every frame on every edge, and every file that sinks
write. All edges wait (`when_full: block`, no limit of the rate). Each run writes into an empty folder of its own, removed at the end; sinks
that write no files, or whose template names another folder, write nothing. A source without an end needs --frames.
With --live the first run is live: its edges lose frames as their policies say. Its recording, by a recorder directly behind each live source
(xtc_recorder, hdf5_files, wib_dump), then takes the place of the source in the other runs. The contents of frames are compared on every edge,
but not their numbers, times and attributes, nor files: recording adds to these. Raw frames of the wire readout are played in other batches:
there each raw frame and each row of a table is compared, in the order of time, and ledgers of links, which tell how frames came, are not.
Frames that the live run counted as lost are named, and are no difference; the output of a node that keeps state is not compared behind such a
loss, and named too.
Exit code 0: all runs were the same; 1: one differs, and the first node and frame, or file, are named; 3: the same as far as the losses of
the live run allow a comparison.";

/// Arguments of `verify`.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) pipeline: PipelineArgs,
    /// The number of runs.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=100_000))]
    pub(super) runs: u64,
    /// Another seed holds threads up in another way.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) seed: u64,
    /// End each source after this many frames.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) frames: Option<u64>,
    /// Run live first, and then the recording of this run in the place of its live sources.
    #[arg(long)]
    pub(super) live: bool,
    /// The folder in which the files of a run lie until they are compared; by default the system's for temporary files.
    #[arg(long, value_name = "DIR")]
    pub(super) scratch: Option<PathBuf>,
}

impl VerifyArgs {
    /// The first run is undisturbed.
    pub(super) fn seed_of(&self, number: u64) -> u64 {
        if number == 0 { 0 } else { self.seed.wrapping_mul(1 << 20).wrapping_add(number) }
    }
}
