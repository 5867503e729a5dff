//! Compresses, decompresses, cuts, splits and merges files, with all cores and without losing anything.
//!
//! Threads take turns to read the input, rewrite whole datagrams, and take turns to write them in their order
//! ([`livetime_runtime::ordered`]). Nothing has to fit into memory but a few datagrams for each thread, and the result does not depend on
//! their number.
//!
//! A new file gets its name only after a proof:
//!
//! 1. Each datagram of the output was walked through side by side with its input: both have the same containers and
//!    leaves with the same senders, types and damage in the same order, except the leaves that the options left out;
//!    every leaf has the same bytes, or bytes that are the same when they are decompressed.
//! 2. Each piece of the file, read again from the system, has the bytes that were compared. An object in a store has no bytes before it has its
//!    address: the store compares each part with its hash, the whole object is read again then, and is removed if it differs.
//!
//! Content that cannot be understood is copied unchanged, and reported.

mod dark;
mod frames;
mod job;
mod merge;
mod options;
mod output;
mod prove;
mod recode;
mod report;
mod select;
mod split;
mod stream;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use livetime_codecs::BlockpackTier;
use livetime_formats::file::{FileName, Format};
use livetime_formats::xtc1::compressed::Engine;
use livetime_formats::xtc1::run::Run;
use livetime_formats::{Error, Result};
use livetime_frame::ByteSize;
use livetime_runtime::ordered::{Interrupted, in_order};

use crate::damage::too_much;

use job::{BLOCK, Job, Source, size_of};
use merge::Merge;
use output::Output;
use recode::Recoder;
use select::Selector;
use stream::Stream;

pub use dark::{MEAN_OF, ReferenceSource};
pub use frames::{FramesOptions, FramesReport, Packing, Target, convert_frames};
pub use options::Options;
pub use report::{Joined, Kept, Leaves, Lost, Reason, Report};
pub use select::Selection;
pub use split::Split;

/// Copies of a datagram in a job: input, output, and the output as it was read again.
const COPIES: u64 = 3;

/// Converts `inputs`, the files of one run in any order, into `output`. Several streams become one, in the order of time; the
/// datagrams of one stream keep their order.
///
/// Several times a second `watch` gets the number of finished bytes of the input; by returning false it stops the work.
/// A conversion that fails leaves no output.
///
/// ```
/// use livetime_formats::xtc1::compressed::Engine;
/// use livetime_recording::convert::{Options, convert};
/// use livetime_formats::xtc1::{Builder, DatagramHeader, Src, TypeId, XtcHeader, id};
///
/// let folder = tempfile::tempdir().unwrap();
/// let [raw, packed] = ["raw.xtc", "packed.xtc"].map(|name| folder.path().join(name));
/// let mut bytes = Vec::new();
/// let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
/// let words = [100u32, 100, 16, 0].map(u32::to_le_bytes).concat();
/// let header = XtcHeader::new(Src::detector(24, 0, 3, 1), TypeId::new(id::FRAME, 1));
/// builder.leaf(header, &[&words, &[7; 20_000]])?;
/// builder.finish()?;
/// std::fs::write(&raw, &bytes).unwrap();
///
/// let options = Options { codec: Some(Engine::HISTN), ..Options::default() };
/// let report = convert(&[&raw], &packed, &options, |_| true)?;
/// assert!(report.changed() == 1 && report.raw_bytes == bytes.len() as u64 && report.output_bytes < 2000);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// If the output or what it is written to is there already, the inputs are not of one run or hold no datagram, the reference frame
/// suits no detector, or the operating system reports an error.
pub fn convert<P: AsRef<Path>>(
    inputs: &[P],
    output: &Path,
    options: &Options,
    watch: impl FnMut(u64) -> bool,
) -> Result<Report> {
    check_options(options)?;
    check_formats(inputs)?;
    let selector = Selector::new(&options.selection);
    // A job is not larger than a file of the output.
    let (events, block) = (options.split.events(), (options.split.bytes().min(BLOCK as u64)) as usize);
    let mut report = match in_chunks(inputs) {
        Some(paths) => {
            let new = || Stream::open(&options.stores, &paths, selector.clone(), events, block);
            run(new, output, options, watch)?
        }
        None => {
            let all = Run::open_from(&options.stores, inputs)?;
            let new = || Ok(Merge::new((&all, &options.stores), selector.clone(), events, block));
            run(new, output, options, watch)?
        }
    };
    report.input_bytes = inputs.iter().map(|path| size_of(&options.stores, path.as_ref())).sum();
    report.output_bytes = report.files.iter().map(|(_, bytes)| bytes).sum();
    Ok(report)
}

/// Rewrites the datagrams of a source into the files of the output.
fn run<S: Source>(
    new: impl Fn() -> Result<S>,
    path: &Path,
    options: &Options,
    mut watch: impl FnMut(u64) -> bool,
) -> Result<Report> {
    let mut output = Output::create(&options.stores, path, options.split)?;
    let references = dark::gather(&options.reference, &options.selection, &mut new()?)?;
    let (mut source, count) = (new()?, options.workers.max(1));
    let mut workers = (0..count).map(|_| Recoder::new(options, &references)).collect::<Result<Vec<_>>>()?;
    let done = AtomicU64::new(0);
    let give = |job: &mut Job| {
        // Relaxed: the number is only shown, and the order of the output is kept by `in_order`.
        done.store(job.progress, Ordering::Relaxed);
        output.write(job)
    };
    // Two more than workers: one that waits to be written, and one that is.
    let jobs = (0..count + 2).map(|_| Job::default()).collect();
    check_memory(options, BLOCK)?;
    let take = |job: &mut Job| {
        let has_more = source.fill(job)?;
        // The other copies of this datagram, and the other threads, have not taken theirs yet.
        check_memory(options, job.input.len()).map(|()| has_more)
    };
    let jobs = in_order(jobs, &mut workers, take, give, || watch(done.load(Ordering::Relaxed)));
    let jobs = jobs.map_err(interrupted)?;
    jobs.into_iter().try_for_each(|mut job| job.check_written())?;
    let mut report = Report::default();
    source.account(&mut report);
    workers.iter().for_each(|worker| report.add(&worker.counts));
    if report.datagrams == 0 {
        let lost = report.lost.first().map(|lost| format!("none: {} at byte {}", lost.reason, lost.offset));
        return Err(Error::new("datagrams", lost.unwrap_or_else(|| "none".into())));
    }
    if report.events == 0 && report.events_left_out > 0 {
        return Err(none_wanted(report.events_left_out));
    }
    report.files = output.finish()?;
    Ok(report)
}

/// Refuses a conversion that needs more memory than it may take: every job holds its input, its output, and the output
/// as it was read again.
fn check_memory(options: &Options, input: usize) -> Result<()> {
    let threads = options.workers.max(1);
    let needed = COPIES * (threads as u64 + 2) * input as u64;
    let what = format!("a conversion by {threads} threads of datagrams of {}", ByteSize(input as u64));
    options.memory.check(needed, what).map_err(too_much)
}

/// None of the `all` events of a run is wanted.
fn none_wanted(all: u64) -> Error {
    let noun = if all == 1 { "event" } else { "events" };
    Error::new(
        "at least one event that is selected",
        format!("none of the run's {all} {noun}, whose numbers begin with 0"),
    )
}

/// Why ordered work on files has not come to its end, as an error of files.
pub fn interrupted(why: Interrupted<Error>) -> Error {
    match why {
        Interrupted::Failed(error) => error,
        Interrupted::Stopped => Error::new("the work to come to its end", "that it was stopped"),
        Interrupted::TooFew { jobs, workers } => {
            Error::new("at least one worker, and a job for each", format!("{jobs} for {workers} workers"))
        }
    }
}

fn check_formats<P: AsRef<Path>>(inputs: &[P]) -> Result<()> {
    for path in inputs.iter().map(AsRef::as_ref) {
        let found = match Format::of(path) {
            Some(Format::Xtc2 | Format::SmallXtc2) => "one of LCLS-II, which is read and not written",
            Some(Format::Index) => "an index file",
            _ => continue,
        };
        return Err(Error::new("an XTC file of LCLS-I", found).in_file(path));
    }
    Ok(())
}

fn check_options(options: &Options) -> Result<()> {
    let wanted = if !matches!(options.reference, ReferenceSource::None) {
        "blockpack as the codec, to use a reference frame"
    } else if options.tier != BlockpackTier::Fast {
        "blockpack as the codec, to pack densely"
    } else {
        return Ok(());
    };
    if options.codec == Some(Engine::BLOCKPACK) {
        return Ok(());
    }
    let found = options.codec.map_or_else(|| "no codec".into(), |codec| codec.to_string());
    Err(Error::new(wanted, found))
}

/// The files of one stream in the order of their chunks; `None` if there are several streams.
fn in_chunks<P: AsRef<Path>>(inputs: &[P]) -> Option<Vec<PathBuf>> {
    let paths = || inputs.iter().map(|p| p.as_ref().to_owned());
    if inputs.len() == 1 {
        return Some(paths().collect());
    }
    let mut named = paths().map(|p| Some((FileName::parse(&p)?, p))).collect::<Option<Vec<_>>>()?;
    named.sort_by_key(|(name, _)| name.chunk);
    let is_one = named.windows(2).all(|pair| {
        let [(a, _), (b, _)] = pair else { return false };
        (&a.experiment, a.run, a.stream) == (&b.experiment, b.run, b.stream) && a.chunk != b.chunk
    });
    (is_one && !named.is_empty()).then(|| named.into_iter().map(|(_, path)| path).collect())
}
