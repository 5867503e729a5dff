//! The arguments of `livetime convert`.

use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;
use livetime_codecs::BlockpackTier;
use livetime_formats::npy::Npy;
use livetime_formats::xtc1::SourcePattern;
use livetime_formats::xtc1::compressed::Engine;
use livetime_recording::convert::{
    FramesOptions, MEAN_OF, Options, Packing, ReferenceSource, Selection, Split, Target,
};
use livetime_recording::select::Expression;
use livetime_recording::{MemoryLimit, Stores, Wanted};

use crate::config::positive_quantity;
use crate::output::{Exit, Failure};

pub(crate) const CONVERT_HELP: &str = "\
Examples:
  livetime convert e1-r0001-s00-c00.xtc -o packed.xtc --codec hist16
  livetime convert packed.xtc -o raw.xtc --codec none
  livetime convert run.xtc -o small.xtc --codec blockpack --reference mean
  livetime convert run.xtc -o smaller.xtc --codec blockpack --dense --reference mean
  livetime convert run.xtc -o cut.xtc --events 100..200 --without Opal1000
  livetime convert run.xtc -o minute.xtc --time 2013-04-03T14:40:00Z..2013-04-03T14:41:00Z
  livetime convert run.xtc -o lit.xtc --select 'evr(140) and ebeam.charge > 0.1'
  livetime convert e1-r0001-s0*-c00.xtc -o merged.xtc
  livetime convert run.xtc -o e1-r0001-s00-c00.xtc --split-size 2GB
  livetime convert run.xtc -o try.xtc --codec hist16 --workers 1..4
  livetime convert run.xtc -o run.h5 --codec bslz4 --detector Opal1000
  livetime convert run.h5 -o run.xtc
  livetime convert s3://bucket/e1-r0001-s00-c00.xtc -o s3://bucket/packed.xtc --codec hist16

To or from HDF5 (.h5, .hdf5, .nxs), the pictures of one detector are converted, with their times, damage and attributes;
the report counts all other data.

Several inputs are the files of one run: chunks of a stream follow each other, streams become one in the order of time.
The output is read again and compared before it gets its name. Nothing is overwritten, and no leaf is left out but by
--with or --without. The command ends with 3 if the input could not be read to its end: see `livetime recover`.";

/// Arguments of `convert`.
#[derive(Args, Clone, Debug)]
pub(crate) struct ConvertArgs {
    /// XTC files of LCLS-I, of one run; to HDF5 also of LCLS-II, and HDF5 files.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// File to write.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    // The help text names all codecs, and is made by `codec_help`.
    #[arg(long, value_parser = any_codec, help = codec_help())]
    pub(super) codec: Option<AnyCodec>,
    /// With blockpack: about 10 % smaller on noise, compressed at about half and decompressed at about a
    /// third of the speed.
    #[arg(long)]
    dense: bool,
    /// The reference frame that blockpack subtracts: none, mean (of the first 16 events; mean:N of N), or an array of NumPy.
    #[arg(long, value_name = "none|mean|FILE.npy", default_value = "none")]
    pub(super) reference: String,
    /// Events with numbers in this range, from 0 on, without its end: 100..200, ..50, 1000..
    #[arg(long, value_name = "A..B", value_parser = events)]
    events: Option<Range<u64>>,
    /// Events from one time up to another: UTC as 2013-04-03T14:40:00Z, or seconds since 1970.
    #[arg(long, value_name = "FROM..TO", value_parser = times)]
    time: Option<Range<u64>>,
    /// Only events that this expression selects, as 'evr(140) and ebeam.charge > 0.1'.
    #[arg(long, value_name = "EXPRESSION")]
    pub(super) select: Option<Expression>,
    /// Of the selected events, one in this many.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// At most this many events.
    #[arg(long, value_name = "N")]
    first: Option<u64>,
    /// Only these detectors and beam-line data, such as CxiDs1-0|Cspad-0, Cspad or EBeam; may be repeated.
    #[arg(long, value_name = "NAME")]
    detector: Vec<String>,
    /// All but these detectors and beam-line data; may be repeated.
    #[arg(long, value_name = "NAME")]
    without: Vec<SourcePattern>,
    /// Begin a new file (a chunk: -c00, -c01 ...) after this many events.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    split_events: Option<u64>,
    /// The memory that the conversion may take, as 8GiB; by default half of the memory that is free.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) memory: Option<u64>,
    /// Begin a new file before one exceeds this size, such as 2GB.
    #[arg(long, value_name = "SIZE", value_parser = size, conflicts_with = "split_events")]
    split_size: Option<u64>,
    /// Number of threads; without it, all cores. 1..4 measures with 1, 2, 3 and 4 threads, plots the rates, and keeps
    /// no converted file.
    #[arg(long, value_name = "N|A..B", value_parser = workers)]
    pub(super) workers: Option<RangeInclusive<usize>>,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Ends of names of HDF5 files.
const ENDINGS: [&str; 4] = ["h5", "hdf5", "nxs", "hdf"];

/// Whether a file that is to be written shall be HDF5.
fn is_hdf5_name(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    ending.is_some_and(|ending| ENDINGS.contains(&&*ending))
}

impl ConvertArgs {
    /// Of these files.
    pub(super) fn with_files(self, files: Vec<PathBuf>) -> ConvertArgs {
        ConvertArgs { files, ..self }
    }

    /// Whether the new file is HDF5, as its name says.
    ///
    /// # Errors
    /// If no format that `convert` writes has the ending of the name.
    pub(super) fn is_to_hdf5(&self) -> Result<bool, Failure> {
        // The name decides, because no option says the format.
        if is_hdf5_name(&self.output) {
            return Ok(true);
        }
        if self.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xtc")) {
            return Ok(false);
        }
        let wanted = "a name that ends with .xtc (LCLS-I) or .h5, .hdf5, .nxs, .hdf (HDF5)";
        // Other endings are refused: a file of the wrong format would be noticed only by its reader.
        Err(Failure::new(Exit::Usage, format!("-o: wanted {wanted}, found `{}`", self.output.display())))
    }

    /// For the library.
    pub(super) fn options(&self, workers: usize) -> Result<Options, Failure> {
        let split = match (self.split_events, self.split_size) {
            (Some(events), _) => Split::Events(events),
            // The parser of the arguments refuses both together.
            (None, Some(bytes)) => Split::Bytes(bytes),
            (None, None) => Split::Not,
        };
        let all = Selection::default();
        let selection = Selection {
            events: self.events.clone().unwrap_or(all.events),
            times_ns: self.time.clone().unwrap_or(all.times_ns),
            only_times_ns: None,
            every: self.every,
            first: self.first.unwrap_or(all.first),
            only: self.only()?,
            without: self.without.clone(),
        };
        let tier = if self.dense { BlockpackTier::Dense } else { BlockpackTier::Fast };
        let memory = self.memory.map_or_else(MemoryLimit::half_of_free, MemoryLimit::of);
        Ok(Options {
            codec: self.engine()?,
            tier,
            reference: self.reference()?,
            selection,
            split,
            workers,
            memory,
            stores: Stores::default(),
        })
    }

    /// The codec of an XTC file.
    pub(super) fn engine(&self) -> Result<Option<Engine>, Failure> {
        let refused = |name: &str| {
            let text = format!(
                "wanted none, hist16, histn or blockpack for an XTC file, found `{name}`, a codec of HDF5"
            );
            Failure::new(Exit::Usage, text)
        };
        self.codec.as_ref().map(|codec| codec.engine.ok_or_else(|| refused(&codec.name))).transpose()
    }

    fn packing(&self) -> Result<Packing, Failure> {
        let refused = |name: &str| {
            let text = format!(
                "wanted {} for an HDF5 file, found `{name}`, a codec of XTC",
                one_of(Packing::all().map(|(name, _)| name))
            );
            Failure::new(Exit::Usage, text)
        };
        let packing = self.codec.as_ref().map(|codec| codec.packing.ok_or_else(|| refused(&codec.name)));
        packing.transpose().map(Option::unwrap_or_default)
    }

    /// For pictures of one detector into or out of HDF5.
    ///
    /// # Errors
    /// For options that have no meaning there.
    pub(super) fn frames_options(&self, to_hdf5: bool) -> Result<FramesOptions, Failure> {
        // An option without effect is refused, so that it is not believed to have one.
        let all = [
            (self.time.is_some(), "--time"),
            (self.select.is_some(), "--select"),
            (self.every > 1, "--every"),
            (self.first.is_some(), "--first"),
            (!self.without.is_empty(), "--without"),
            (self.split_events.is_some() || self.split_size.is_some(), "--split-…"),
            (self.reference != "none", "--reference"),
            (self.dense && to_hdf5, "--dense"),
            (self.detector.len() > 1, "several --detector"),
            (self.workers.as_ref().is_some_and(|w| w.start() < w.end()), "--workers A..B"),
        ];
        if let Some((_, option)) = all.into_iter().find(|(is_there, _)| *is_there) {
            let text =
                format!("wanted --detector, --events, --codec and --workers N with HDF5, found {option}");
            return Err(Failure::new(Exit::Usage, text));
        }
        let range = self.events.clone().unwrap_or(0..u64::MAX);
        // An open end stands beyond all events, also on a machine with short numbers.
        let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let tier = if self.dense { BlockpackTier::Dense } else { BlockpackTier::Fast };
        let target = match to_hdf5 {
            true => Target::Hdf5(self.packing()?),
            false => Target::Xtc(self.engine()?.unwrap_or(Engine::NONE), tier),
        };
        Ok(FramesOptions {
            detector: Wanted::from(self.detector.first().map(String::as_str)),
            events: number(range.start)..number(range.end),
            target,
            threads: self.workers.as_ref().map_or_else(|| Options::default().workers, |w| *w.start()),
        })
    }

    /// The patterns of senders.
    fn only(&self) -> Result<Vec<SourcePattern>, Failure> {
        let parse = |name: &String| name.parse().map_err(|e| Failure::new(Exit::Usage, e));
        self.detector.iter().map(parse).collect()
    }

    fn reference(&self) -> Result<ReferenceSource, Failure> {
        let usage = |message: String| Failure::new(Exit::Usage, message);
        match self.reference.as_str() {
            "none" => Ok(ReferenceSource::None),
            "mean" => Ok(ReferenceSource::Mean(MEAN_OF)),
            text if text.starts_with("mean:") => {
                // A mean of no events would be no reference.
                let count = text[5..].parse().ok().filter(|n| *n > 0);
                let wanted =
                    || usage(format!("wanted a number of events above 0 behind `mean:`, found `{text}`"));
                Ok(ReferenceSource::Mean(count.ok_or_else(wanted)?))
            }
            path => {
                let cannot =
                    |e: &dyn std::fmt::Display| usage(format!("cannot read the reference frame {path}: {e}"));
                let bytes = std::fs::read(path).map_err(|e| cannot(&e))?;
                Ok(ReferenceSource::Frame(Npy::parse(&bytes).map_err(|e| cannot(&e))?))
            }
        }
    }
}

/// A codec of XTC or of HDF5, or, as `none`, of both.
#[derive(Clone, Debug)]
pub(super) struct AnyCodec {
    name: String,
    engine: Option<Engine>,
    packing: Option<Packing>,
}

fn codec_help() -> String {
    // `none` comes first, and both formats have it.
    let hdf5 = one_of(Packing::all().skip(1).map(|(name, _)| name));
    format!(
        "Codec of the pictures: hist16, histn or blockpack; into HDF5 {hdf5}; none decompresses. By default pictures \
         are not changed, or not compressed if the format changes"
    )
}

fn any_codec(text: &str) -> Result<AnyCodec, String> {
    let (engine, packing) = (codec(text).ok(), Packing::named(text));
    // The output may be of either format, so a name is refused here only if neither format has it.
    if engine.is_none() && packing.is_none() {
        let hdf5 = one_of(Packing::all().skip(1).map(|(name, _)| name));
        return Err(format!("wanted none, hist16, histn or blockpack (XTC), {hdf5} (HDF5), found `{text}`"));
    }
    Ok(AnyCodec { name: text.to_owned(), engine, packing })
}

/// `a, b or c`.
fn one_of(names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<&str> = names.collect();
    let Some((last, others)) = names.split_last() else { return String::new() };
    if others.is_empty() { (*last).into() } else { format!("{} or {last}", others.join(", ")) }
}

/// The name of a codec of compressed leaves.
pub(crate) fn codec(text: &str) -> Result<Engine, String> {
    let all = [Engine::NONE, Engine::HIST16, Engine::HISTN, Engine::BLOCKPACK];
    let found = all.into_iter().find(|engine| engine.to_string() == text);
    found.ok_or_else(|| format!("wanted none, hist16, histn or blockpack, found `{text}`"))
}

/// Bytes with their unit.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    // Less than one byte would be cut to 0.
    let bytes = positive_quantity(text, "B").filter(|bytes| *bytes >= 1.0);
    bytes
        .map(|b| b as u64)
        .ok_or_else(|| format!("wanted a size above 0 with its unit, as 2GB or 500MiB, found `{text}`"))
}

/// `A..B`, where either may be missing.
fn range<T>(text: &str, parse: impl Fn(&str) -> Option<T>, all: Range<T>) -> Option<Range<T>> {
    // The dots are required, because a single number could mean either end.
    let (from, to) = text.split_once("..")?;
    let start = if from.trim().is_empty() { all.start } else { parse(from.trim())? };
    let end = if to.trim().is_empty() { all.end } else { parse(to.trim())? };
    Some(start..end)
}

fn events(text: &str) -> Result<Range<u64>, String> {
    let found = range(text, |number| number.parse().ok(), 0..u64::MAX);
    found
        .filter(|r| r.start <= r.end)
        .ok_or_else(|| format!("wanted numbers of events as 100..200, 100.. or ..200, found `{text}`"))
}

fn times(text: &str) -> Result<Range<u64>, String> {
    range(text, time_ns, 0..u64::MAX).filter(|r| r.start <= r.end).ok_or_else(|| {
        let wanted = "wanted times as 2013-04-03T14:40:00Z..2013-04-03T14:41:00Z or 1365000000..1365000060.5";
        format!("{wanted}, found `{text}`")
    })
}

/// ns since 1970.
fn time_ns(text: &str) -> Option<u64> {
    // A plain number is no time with a date, so both forms are tried in turn.
    if let Ok(time) = text.parse::<Timestamp>() {
        return u64::try_from(time.as_nanosecond()).ok();
    }
    // In integers: a float would lose the last digits.
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    // Nine digits: the fraction in nanoseconds.
    let digits = format!("{fraction:0<9}");
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(seconds) || !is_number(&digits) || digits.len() > 9 {
        return None;
    }
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(digits.parse().ok()?)
}

fn workers(text: &str) -> Result<RangeInclusive<usize>, String> {
    let numbers = text.split_once("..").map_or((text, text), |(from, to)| (from, to));
    // No machine has more threads than this; a larger number is a mistake.
    let parse = |text: &str| text.trim().parse::<usize>().ok().filter(|n| (1..=1024).contains(n));
    match (parse(numbers.0), parse(numbers.1)) {
        (Some(from), Some(to)) if from <= to => Ok(from..=to),
        _ => Err(format!("wanted a number of threads from 1 to 1024, or two as 1..4, found `{text}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_may_be_open() {
        assert_eq!(events("3..7"), Ok(3..7));
        assert_eq!(events("..7"), Ok(0..7));
        assert_eq!(events("3.."), Ok(3..u64::MAX));
        for wrong in ["", "3", "7..3", "a..b", "-1..3"] {
            assert!(events(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_utc_or_seconds() {
        let begin = 1_365_000_000_000_000_000;
        assert_eq!(times("1365000000..1365000000.000000005"), Ok(begin..begin + 5));
        assert_eq!(times("2013-04-03T14:40:00Z..2013-04-03T14:40:01.5Z"), Ok(begin..begin + 1_500_000_000));
        for wrong in ["now..", "1.0000000001..", "2..1", "1,5.."] {
            assert!(times(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_of_threads_may_be_several() {
        assert_eq!(workers("3"), Ok(3..=3));
        assert_eq!(workers("1..4"), Ok(1..=4));
        for wrong in ["0", "4..1", "1..", "x", "2000"] {
            assert!(workers(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_and_codecs_have_names() {
        assert_eq!(
            (size("2GB"), size("1 KiB"), codec("histn")),
            (Ok(2_000_000_000), Ok(1024), Ok(Engine::HISTN))
        );
        assert!(size("0").is_err() && size("0.5").is_err() && codec("gzip").is_err());
    }
}
