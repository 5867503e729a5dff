//! The pictures of one detector, from a run of any format into a new file of another.
//!
//! The new file gets its name only after a proof: the file is read again from the system, as every reader will read it,
//! and must hold as many events as the input, each with the same type, shape, pixels, time and damage. Attributes of
//! frames are copied. Other recorded values are not copied; the report counts them.

mod hdf5;
mod report;
mod sink;
mod xtc;

use std::hash::Hasher;
use std::ops::Range;
use std::path::Path;

use livetime_codecs::BlockpackTier;
use livetime_formats::file::{NewFile, Stores, address};
use livetime_formats::xtc1::compressed::Engine;
use livetime_formats::{Error, Result};
use livetime_frame::{Flags, Frame};
use twox_hash::XxHash3_64;

use crate::damage::too_much;
use crate::formats;
use crate::frames::POOL_BYTES;
use crate::{
    Detector, FaultKind, Frames, Options as ReadOptions, Recording, RunFormat, Step, Wanted,
    batches_under_way,
};

use sink::{Item, Sink};

pub use hdf5::Packing;
pub use report::FramesReport;

/// Errors that are kept as text; a broken run may have one for each event.
const MOST_TOLD: usize = 20;

/// The format of the new file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// HDF5 in areaDetector's layout, with its pictures packed.
    Hdf5(Packing),
    /// XTC of LCLS-I.
    Xtc(Engine, BlockpackTier),
}

/// How to convert pictures.
#[derive(Clone, Debug)]
pub struct FramesOptions {
    /// The detector whose pictures are converted; may be empty if the run has only one.
    pub detector: Wanted,
    /// Numbers of the events.
    pub events: Range<usize>,
    /// The format of the new file.
    pub target: Target,
    /// Threads that read ahead.
    pub threads: usize,
}

/// Converts the pictures of a detector of `recording` into the new file `output`. Several times a second `watch` gets
/// the number of finished events; by returning false it stops the work. A conversion that fails leaves no output.
///
/// ```
/// use livetime_formats::hdf5::{Element, Growing, Tree, Writer};
/// use livetime_frame::DType;
/// use livetime_recording::Recording;
/// use livetime_recording::convert::{FramesOptions, Packing, Target, convert_frames};
///
/// let folder = tempfile::tempdir().unwrap();
/// let [raw, packed] = ["raw.h5", "packed.h5"].map(|name| folder.path().join(name));
/// let mut tree = Tree::default();
/// let frames = Growing { element: Element::Number(DType::U16), row: &[256, 256], chunk: 1, part: &[], filter: None };
/// let (_, data) = tree.growing(Tree::ROOT, "data", frames, vec![]);
/// let mut file = Writer::create(&raw, tree, false)?;
/// (0..3).try_for_each(|_| file.write_row(data, &[1; 131_072]))?;
/// file.close()?;
///
/// let target = Target::Hdf5(Packing::named("bslz4").unwrap());
/// let options = FramesOptions { detector: "data".into(), events: 0..usize::MAX, target, threads: 1 };
/// let report = convert_frames(&Recording::open(&[&raw])?, &packed, &options, |_| true)?;
/// assert_eq!((report.account.frames, report.account.whole), (3, 3));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// If the output is there already, there is no such detector, its pictures are not of one type and shape, or cannot
/// be written in the target's format, or the operating system reports an error.
pub fn convert_frames(
    recording: &Recording,
    output: &Path,
    options: &FramesOptions,
    mut watch: impl FnMut(usize) -> bool,
) -> Result<FramesReport> {
    let stores = recording.stores();
    if address(output).is_some() && matches!(options.target, Target::Hdf5(_)) {
        let wanted = "a file on a disk for HDF5, whose beginning is written last";
        return Err(Error::new(wanted, "an object in a store").in_file(output));
    }
    stores.check_new(output)?;
    let mut new = stores.make(output)?;
    let (mut report, hashes) = write(recording, &mut new, options, &mut watch)?;
    // A file is read again before it gets its name. An object can only be read when it has its address, and goes if it is not right.
    if let NewFile::Disk(file) = &new {
        prove(&Stores::default(), file.written_path(), options, &hashes)?;
        report.output_bytes = std::fs::metadata(file.written_path()).map_or(0, |metadata| metadata.len());
        new.finish()?;
    } else {
        report.output_bytes = new.len();
        new.finish()?;
        // A failure here is told by the reason for it.
        prove(stores, output, options, &hashes).inspect_err(|_| drop(stores.remove(output)))?;
    }
    report.output = output.to_owned();
    Ok(report)
}

/// Writes all pictures; returns their hashes, too.
fn write(
    recording: &Recording,
    new: &mut NewFile,
    options: &FramesOptions,
    watch: &mut dyn FnMut(usize) -> bool,
) -> Result<(FramesReport, Vec<u128>)> {
    let path = &match &new {
        NewFile::Disk(file) => file.written_path().to_owned(),
        NewFile::Object(_) => new.path().to_owned(),
    };
    let mut place = Some(new);
    let detector = recording.detector(options.detector.clone())?;
    let needed = memory(recording, &detector, options);
    // Refused before the first picture is read: a job that runs out of memory hours later has lost all.
    recording.memory().check(needed, format_args!("a conversion of {detector}")).map_err(too_much)?;
    let read =
        ReadOptions { events: options.events.clone(), threads: options.threads, ..ReadOptions::default() };
    let mut frames = recording.frames(&detector, read);
    let mut report = FramesReport { detector: detector.to_string(), ..FramesReport::default() };
    let mut sink: Option<(Box<dyn Sink + '_>, String)> = None;
    let mut hashes = Vec::new();
    let mut behind = options.events.start.max(recording.first());
    while let Some((frame, event)) = next(&mut frames, &mut report) {
        let array = frame.array().map_err(|e| Error::new("an array", e.to_string()))?;
        let layout = array.layout().to_string();
        let (sink, known) = match &mut sink {
            Some(sink) => sink,
            // The layout of the new file is the layout of its first picture.
            none => none.insert((begin(recording, place.take(), options, &frame)?, layout.clone())),
        };
        // A data set has one type and one shape.
        if *known != layout {
            let wanted = format!("pictures of one type and shape: {known}");
            return Err(Error::new(wanted, format!("{layout} at {}", recording.place(event))));
        }
        let time_ns = time_of(&frame, event, options.target, &mut report);
        // Events without a picture before this one are counted with it.
        let skipped = event.saturating_sub(behind) as u64;
        sink.add(&Item { frame: &frame, event, time_ns, skipped }).map_err(|e| e.in_file(path))?;
        hashes.push(hash(&frame, time_ns)?);
        report.raw_bytes += array.bytes().len() as u64;
        report.input_bytes += recording.event_bytes(event);
        report.count_small_data(recording, event);
        behind = event + 1;
        if !watch(event) {
            return Err(Error::new("the work to come to its end", "that it was stopped"));
        }
    }
    report.account = frames.account();
    let (sink, layout) = sink.ok_or_else(|| no_picture(recording, options, &report.detector))?;
    report.layout = layout;
    for (name, count) in sink.finish().map_err(|e| e.in_file(path))? {
        *report.left_out.entry(name).or_default() += count;
    }
    Ok((report, hashes))
}

fn no_picture(recording: &Recording, options: &FramesOptions, detector: &str) -> Error {
    let (first, end) = (recording.first(), recording.first() + recording.events());
    let Range { start, end: behind } = options.events;
    // No event was wanted, which is another mistake than no picture.
    if start.max(first) >= behind.min(end) {
        return super::none_wanted(recording.events() as u64);
    }
    Error::new(format!("at least one picture of `{detector}`"), "none in these events")
}

/// Bytes that a conversion takes, roughly: pictures that are read ahead, the memory that each thread needs to read one,
/// and for each thread one picture raw, packed, and read again.
fn memory(recording: &Recording, detector: &Detector, options: &FramesOptions) -> u64 {
    let picture = recording.layout(detector).map_or(0, |layout| layout.span() as u64);
    // The pictures ahead never take more than their pool.
    let ahead = picture.saturating_mul(batches_under_way(options.threads) as u64).min(POOL_BYTES as u64);
    let reading = recording.read_memory(detector, 0..1).saturating_add(picture);
    let reading = reading.saturating_mul(options.threads as u64 + 1);
    ahead.saturating_add(reading).saturating_add(picture.saturating_mul(3))
}

/// The next picture. Events that have none are counted by their reader.
fn next(frames: &mut Frames, report: &mut FramesReport) -> Option<(Frame, usize)> {
    loop {
        match frames.step() {
            Step::Frame(event) => return Some((event.frame, event.event)),
            Step::Fault(fault) => {
                // Faults of single events are in the account already.
                report.problems += u64::from(fault.event.is_none() || fault.kind == FaultKind::NoMemory);
                if report.faults.len() < MOST_TOLD {
                    report.faults.push(fault.why);
                }
            }
            Step::NotYet | Step::End => return None,
        }
    }
}

/// The new file, which has not been begun before, takes pictures like `first`.
fn begin<'n>(
    recording: &Recording,
    new: Option<&'n mut NewFile>,
    options: &FramesOptions,
    first: &Frame,
) -> Result<Box<dyn Sink + 'n>> {
    let detector = recording.detector(options.detector.clone())?;
    let new = new.ok_or_else(|| Error::new("a new file", "one that was begun"))?;
    Ok(match options.target {
        Target::Hdf5(packing) => {
            let NewFile::Disk(new) = &*new else {
                return Err(Error::new("a file on a disk for HDF5", "an object in a store"));
            };
            let files: Vec<String> =
                recording.files().iter().map(|file| file.display().to_string()).collect();
            Box::new(hdf5::Hdf5Sink::create(new, first, packing, (&files.join("\n"), &detector.to_string()))?)
        }
        Target::Xtc(engine, tier) => Box::new(xtc::XtcSink::create(new, &detector, engine, tier)?),
    })
}

/// XTC knows its events by their times: where there are none, their numbers are taken.
fn time_of(frame: &Frame, event: usize, target: Target, report: &mut FramesReport) -> i64 {
    let time_ns = frame.header().event_time_ns;
    // HDF5 keeps a missing time as it is.
    if time_ns > 0 || matches!(target, Target::Hdf5(_)) {
        return time_ns;
    }
    *report
        .left_out
        .entry("times, of which none was recorded: numbers of events, in ns".into())
        .or_default() += 1;
    // From 1 on, because 0 would mean that there is no time.
    event as i64 + 1
}

/// Everything about a frame that the new file must give back.
fn hash(frame: &Frame, time_ns: i64) -> Result<u128> {
    let array = frame.array().map_err(|e| Error::new("an array", e.to_string()))?;
    let header = frame.header();
    // Two of 64 bits: that different pictures have the same ones does not happen by chance.
    let half = |seed| {
        let mut hash = XxHash3_64::with_seed(seed);
        hash.write(array.layout().to_string().as_bytes());
        hash.write(&time_ns.to_le_bytes());
        hash.write(&[u8::from(header.flags.contains(Flags::DAMAGED))]);
        hash.write(array.bytes());
        u128::from(hash.finish())
    };
    Ok(half(0) << 64 | half(1))
}

/// Reads the new file again.
fn prove(stores: &Stores, path: &Path, options: &FramesOptions, wanted: &[u128]) -> Result<()> {
    let format = match options.target {
        Target::Hdf5(_) => &formats::HDF5,
        Target::Xtc(..) => &formats::LCLS1,
    };
    let written = Recording::of(stores, RunFormat(format), &[path.to_owned()])?;
    let detector = written.detector("")?;
    let read = ReadOptions { threads: options.threads, ..ReadOptions::default() };
    let mut count = 0;
    for event in written.frames(&detector, read) {
        let event =
            event.map_err(|fault| Error::new("the pictures that were written", fault.why).in_file(path))?;
        // The order is part of the comparison.
        if wanted.get(count) != Some(&hash(&event.frame, event.frame.header().event_time_ns)?) {
            let found = format!("another picture at event {}: this is a fault of the program", event.event);
            return Err(Error::new("what was in the input", found).in_file(path));
        }
        count += 1;
    }
    if count != wanted.len() {
        let wanted = format!("{} pictures in the new file", wanted.len());
        return Err(Error::new(wanted, count.to_string()).in_file(path));
    }
    Ok(())
}
