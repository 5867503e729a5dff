//! The options of `analyze`.

use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use livetime_formats::file::address;
use livetime_recording::select::Selected;
use livetime_recording::{MemoryLimit, Recording, Stores};

use super::correct::CorrectArgs;
use super::tables::TableFormat;
use crate::analyze::{Options, Peaks};
use crate::commands::convert::size;
use crate::config::Setting;
use crate::output::Failure;
use crate::stores::{beside, of_environment};

pub(crate) const HELP: &str = "\
Examples:
  livetime analyze e236-r0003-s04-c00.xtc -o out
  livetime analyze e236-r0003-s04-c00.xtc --detector Cspad --with mean,std,max,histogram --json
  livetime analyze run.xtc2 --detector epixquad.raw.raw --events 100..200 --with hits --threshold 3000 -o out
  livetime analyze e236-r0003-s04-c00.xtc --workers 1..4 -o out
  livetime analyze e236-r0003-s04-c00.xtc --pipeline beamline.yaml --set tiff.path=out -o out
  livetime analyze e236-r0003-s04-c00.xtc --pipeline beamline.yaml --of turned --with mean,std -o out
  livetime analyze e236-r0003-s04-c00.xtc --with mean,std --plan plan.json --parts 16
  livetime analyze --plan plan.json --part 7 -o parts
  livetime analyze run.xtc --select 'evr(140) and ebeam.charge > 0.1' -o lit
  livetime analyze run.xtc --pedestal dark/mean.npy --mask dark/mask.npy --common-mode bank=2 --with mean,std -o out
  livetime analyze run.xtc2 --gain-bits jungfrau --pedestal pedestals.npy --gain gains.npy --with mean -o out
  livetime analyze --plan plan.json --merge parts -o out
  livetime analyze --plan plan.json --merge parts --into 0..16 -o merged
  livetime analyze s3://bucket/e236-r0003-s04-c00.xtc --with mean,std -o out

One FILE stands for all files of its run that lie beside it; several FILES stand for themselves. Results do not depend on the
number of workers. With -o each result is written as .npy (tables as structured arrays, or as --tables says), pictures also as PNG,
and everything in analysis.json; files of an earlier analysis are replaced, or removed. A range of workers repeats the analysis for
each number, compares the results bit for bit and plots the rates.
With --pipeline the run takes the place of the one source of a pipeline file. No edge loses a frame, and nothing is paced or served.
The readbacks of all nodes at the end are shown, and written to analysis.json. With --pipeline and --with, --of or --plan, the pictures
that one node sends are reduced like the pictures of a run, in parts too. Nodes on the way must keep no state from frame to frame, and
an event in which one of them fails is lost, with the node and the reason.
With --plan the analysis is shared out: any process on any machine that sees the files can analyse a part, as often as you like.
--merge makes of all parts the results of one process, bit for bit; it ends with 1 and names the parts that are missing.
With --into it makes one file of some parts, which is merged in turn, so that no process need read all parts.
The command ends with 3 if events or parts of files could not be used; the results are of the other events.";

/// Arguments of `analyze`.
#[derive(clap::Args, Debug)]
pub(crate) struct AnalyzeArgs {
    /// One file of the run, or all files to be read.
    #[arg(required_unless_present_any = ["part", "merge"])]
    pub(crate) files: Vec<PathBuf>,
    /// The detector, as Cspad or CxiDs1-0|Cspad-0 (LCLS-I), or detector.algorithm.array or its first parts (LCLS-II);
    /// needed if there are several.
    #[arg(long)]
    pub(crate) detector: Option<String>,
    /// Number of threads, or a range such as 1..4 to compare; by default one per core.
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) workers: Workers,
    /// Results to compute; without it, mean and std. With --pipeline, of the pictures that the pipeline sends.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) with: Vec<What>,
    /// Only events A to B-1 of the run, counted from 0; either may be left out.
    #[arg(long, value_name = "A..B", value_parser = event_range, default_value = "..", hide_default_value = true)]
    pub(crate) events: Range<usize>,
    /// Only one event in this many.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
    pub(crate) every: usize,
    #[command(flatten)]
    pub(crate) correct: CorrectArgs,
    /// `hits`: the least value of a hit, in the units of the pixels.
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) threshold: Option<f64>,
    /// `peaks`: least value of a top, and other conditions for a peak, as high=50 or
    /// low=20,high=50,rank=3,ring=4..6,pixels=2..40,snr=5.
    #[arg(long, value_name = "SETTINGS")]
    pub(crate) peaks: Option<Peaks>,
    /// `mask`: least and largest deviation of a good pixel.
    #[arg(long, value_name = "LOW..HIGH", value_parser = value_range)]
    pub(crate) noise: Option<(f64, f64)>,
    /// `histogram`: number of bins.
    #[arg(long, value_parser = at_least_one)]
    pub(crate) bins: Option<usize>,
    /// `histogram`: lowest and highest value.
    #[arg(long, value_name = "LOW..HIGH", value_parser = value_range, allow_hyphen_values = true)]
    pub(crate) range: Option<(f64, f64)>,
    /// Process the pictures by this pipeline; the run replaces its source. With --with, --of or --plan, the results are of the
    /// pictures that the pipeline sends.
    #[arg(long, value_name = "FILE")]
    pub(crate) pipeline: Option<PathBuf>,
    /// `--pipeline`: compute the results of --with from the pictures that this node sends, as NODE or NODE.OUTPUT; needed if
    /// several nodes send pictures only to sinks. Nodes that do not lead there are left out.
    #[arg(long, value_name = "NODE", requires = "pipeline")]
    pub(crate) of: Option<String>,
    /// `--pipeline`: the source that the run replaces; needed if there are several.
    #[arg(long, value_name = "NODE", requires = "pipeline")]
    pub(crate) source: Option<String>,
    /// `--pipeline`: set a parameter before the start, for example tiff.path=out; may be repeated.
    #[arg(long = "set", value_name = "NODE.PARAM=VALUE", requires = "pipeline")]
    pub(crate) settings: Vec<Setting>,
    /// With a run: only write a plan of the analysis to this file. With --part or --merge: carry out this
    /// plan.
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    /// `--plan`: number of parts; by default parts of 8 GiB.
    #[arg(long, value_name = "N", requires = "plan", requires = "files", value_parser = at_least_one)]
    pub(crate) parts: Option<usize>,
    /// `--plan`: analyse the part with this number, from 0 on, and write its results to the folder --output.
    #[arg(long, value_name = "N", requires = "plan", requires = "output", conflicts_with_all = PLANNED)]
    pub(crate) part: Option<usize>,
    /// `--part`: the folder with the files of the run on this machine, if it is another one than in the plan.
    #[arg(long, value_name = "FOLDER", requires = "part")]
    pub(crate) run: Option<PathBuf>,
    /// `--plan`: merge the parts in these folders, and write the results to the folder --output.
    #[arg(long, value_name = "FOLDER", requires = "plan", num_args = 1.., conflicts_with_all = PLANNED, conflicts_with = "part")]
    pub(crate) merge: Vec<PathBuf>,
    /// `--merge`: merge only parts A to B-1, into one file in the folder --output that stands for them in further merges.
    #[arg(long, value_name = "A..B", requires = "merge", requires = "output", value_parser = event_range)]
    pub(crate) into: Option<Range<usize>>,
    /// Write the results to this folder, also in a bucket (s3://bucket/folder).
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Formats in which tables are written, such as npy,parquet; peaks are a table, for example.
    #[arg(
        long,
        value_name = "FORMATS",
        value_enum,
        value_delimiter = ',',
        default_value = "npy",
        hide_default_value = true,
        requires = "output"
    )]
    pub(crate) tables: Vec<TableFormat>,
    /// The memory that the analysis may take, as 8GiB; by default half of the memory that is free.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
    /// `--pipeline`: do it with Python, so that the file may name nodes of Python as `module:name`; see `livetime run --help`.
    #[arg(long, requires = "pipeline")]
    pub(crate) python: bool,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Where addresses are read and written.
    #[arg(skip)]
    stores: OnceLock<Stores>,
}

impl AnalyzeArgs {
    /// Opens the run, on which jobs may take as much memory as the options say.
    ///
    /// # Errors
    /// As [`Recording::open`].
    pub(crate) fn open(&self) -> livetime_formats::Result<Recording> {
        // A path needs no server, and the whole memory is its run's.
        let is_remote = self.files.iter().any(|path| address(path).is_some());
        let recording = Recording::open_from(&self.stores(), &self.files)?;
        let memory = self.memory.map(|memory| if is_remote { beside(memory) } else { memory });
        Ok(match memory.map(MemoryLimit::of) {
            Some(memory) => recording.with_memory(memory),
            None => recording,
        })
    }

    /// Where this process opens the files of a plan.
    pub(crate) fn stores(&self) -> Stores {
        self.stores.get_or_init(|| of_environment(self.memory)).clone()
    }

    /// Checks that results can be written to their place, so that the refusal of a store is told before any work.
    ///
    /// # Errors
    /// Why it does not, or that the results of a pipeline's sinks and the plot of rates need a disk.
    pub(crate) fn check_output(&self) -> Result<(), Failure> {
        let is_written = |path: &&PathBuf| address(path).is_some();
        if let Some(plan) = self.plan.as_ref().filter(is_written).filter(|_| !self.files.is_empty()) {
            self.stores().check_new(plan).map_err(|e| Failure::of(&e))?;
        }
        let Some(output) = self.output.as_ref().filter(is_written) else { return Ok(()) };
        // Any name in the folder tells.
        self.stores().check_new(&output.join("analysis.json")).map_err(|e| Failure::of(&e))
    }

    /// The memory that the analysis may take, if it was given.
    pub(crate) fn memory(&self) -> Option<MemoryLimit> {
        self.memory.map(MemoryLimit::of)
    }

    /// The options of an analysis by this number of workers, of the selected events if some are.
    pub(crate) fn options(&self, workers: usize, select: Option<Arc<Selected>>) -> Options {
        Options { workers, events: self.events.clone(), every: self.every, select, ..Options::default() }
    }

    /// The results to compute.
    pub(crate) fn what(&self) -> &[What] {
        if self.with.is_empty() { &[What::Mean, What::Std] } else { &self.with }
    }

    /// Whether the pictures that come out of a pipeline are wanted, and not all that it does.
    pub(crate) fn is_reduced(&self) -> bool {
        !self.with.is_empty() || self.of.is_some() || self.plan.is_some()
    }
}

/// The options that a plan contains already.
const PLANNED: [&str; 15] = [
    "files",
    "detector",
    "with",
    "events",
    "every",
    "threshold",
    "bins",
    "noise",
    "peaks",
    "pipeline",
    "select",
    "pedestal",
    "gain",
    "mask",
    "common_mode",
];

/// The results of an analysis.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// Mean of each pixel.
    Mean,
    /// Standard deviation of each pixel.
    Std,
    /// Lowest value of each pixel.
    Min,
    /// Highest value of each pixel.
    Max,
    /// Sum of each pixel.
    Sum,
    /// How often each value occurs.
    Histogram,
    /// How often each pixel is at or above --threshold, and how many are in each event.
    Hits,
    /// Mean of rows and of columns of the mean.
    Projection,
    /// Peaks in each picture, as --peaks says: a table.
    Peaks,
    /// Good pixels of a dark run: 1 where the deviation is within --noise.
    Mask,
}

/// Numbers of workers, each for an analysis of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workers {
    first: usize,
    last: usize,
}

/// More threads than any machine has cores.
const MOST_WORKERS: usize = 1024;

impl Workers {
    pub(crate) fn all(self) -> impl Iterator<Item = usize> {
        self.first..=self.last
    }

    /// The number, if there is only one.
    pub(crate) fn only(self) -> Option<usize> {
        (self.first == self.last).then_some(self.first)
    }
}

impl FromStr for Workers {
    type Err = String;

    fn from_str(text: &str) -> Result<Workers, String> {
        // An empty text is the default of the option.
        if text.is_empty() {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            return Ok(Workers { first: cores, last: cores });
        }
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        // `1..=4` is taken like `1..4`, because both ways are in use.
        match (first.trim().parse(), last.trim_start_matches('=').trim().parse()) {
            (Ok(first @ 1..), Ok(last)) if first <= last && last <= MOST_WORKERS => {
                Ok(Workers { first, last })
            }
            _ => Err(format!("wanted a number from 1 to {MOST_WORKERS}, or a range as 1..4, found `{text}`")),
        }
    }
}

fn event_range(text: &str) -> Result<Range<usize>, String> {
    let wrong = || format!("wanted a range of events as 100..200, found `{text}`");
    let (first, end) = text.split_once("..").ok_or_else(wrong)?;
    let number = |part: &str, otherwise: usize| match part.trim() {
        "" => Ok(otherwise),
        part => part.parse().map_err(|_| wrong()),
    };
    let range = number(first, 0)?..number(end, usize::MAX)?;
    // A range without an event would give results of nothing.
    if range.is_empty() { Err(wrong()) } else { Ok(range) }
}

fn value_range(text: &str) -> Result<(f64, f64), String> {
    let parsed = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    // The width must be finite, because bins are made by dividing it.
    let valid = parsed.filter(|(low, high): &(f64, f64)| low < high && (high - low).is_finite());
    valid.ok_or_else(|| format!("wanted a range of values as 0..4000, found `{text}`"))
}

fn at_least_one(text: &str) -> Result<usize, String> {
    // A histogram of 2^26 bins takes 512 MiB, which fits into memory.
    let number = text.parse().ok().filter(|n| (1..=1 << 26).contains(n));
    number.ok_or_else(|| format!("wanted a number from 1 to 67108864, found `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        assert_eq!(event_range("3..9"), Ok(3..9));
        assert_eq!(event_range(".."), Ok(0..usize::MAX));
        assert_eq!(event_range("5.."), Ok(5..usize::MAX));
        assert!(["9..3", "x..3", "7", "-1..2"].iter().all(|text| event_range(text).is_err()));
        assert_eq!(value_range("-10..20.5"), Ok((-10.0, 20.5)));
        assert!(["3..3", "a..b", "nan..1", "-inf..inf"].iter().all(|text| value_range(text).is_err()));
    }

    #[test]
    fn workers_are_a_number_or_a_range() {
        let all = |text: &str| text.parse::<Workers>().map(|w| w.all().collect::<Vec<_>>());
        assert_eq!(all("3"), Ok(vec![3]));
        assert_eq!(all("1..4"), Ok(vec![1, 2, 3, 4]));
        assert!(["0", "4..1", "1..99999", "x"].iter().all(|text| all(text).is_err()));
    }
}
