//! Files of trigger records: an event is a record, and a detector is a link whose frames were requested.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use livetime_formats::file::{End, Growth, RecordedFile, Stores, read_exact_at};
use livetime_formats::trigger::{
    RecordReader, SourceId, StoredFragment, StoredRecord, TriggerCandidate, TriggerRecordHeader,
    fragment_type,
};
use livetime_formats::wib::RawFormat;
use livetime_formats::xtc1::run::{Apart, Piece, Problem};
use livetime_formats::{Error, Result};
use livetime_frame::AttributeValue;

use super::block::{self, Block, Window, describe, note, too_large};
use super::files::will_be;
use super::link::{self, number};
use super::source::finished;
use crate::damage::Outcome;
use crate::detector::Naming;
use crate::format::{Format, Sign, alone, no_attribute};
use crate::run::Run;
use crate::{Detector, Fault, FaultKind, Picture, Reader, SmallValue, Wanted};

pub(crate) static FORMAT: Format = Format {
    name: "records",
    label: "triggerrecords",
    file: "trigger records",
    is_named: |path| Ok(will_be(path, ".records")),
    sign: Sign::Signature(|begin| TriggerRecordHeader::read(begin.head).is_ok()),
    // A file is a recording.
    files_of: alone,
    open: |opening| Ok(Box::new(Records::open(opening.stores, opening.paths)?)),
    open_places: None,
    datagrams: None,
    keeps_frames: false,
    becomes_xtc: false,
    is_attribute: no_attribute,
    naming: &NAMING,
    damage: block::DAMAGE,
};

static NAMING: Naming = link::naming("records", |parts| link::of_parts(&NAMING, parts));

/// The subsystem that reads detectors out.
const DETECTOR_READOUT: u16 = 1;
/// Largest array of a fragment: 0.26 s of a link of WIB1. A small hostile header may claim any size.
const MOST_BYTES: u64 = 256 << 20;
/// Most links of a run. An experiment has some thousands; a hostile file may claim any number.
const MOST_SOURCES: usize = 1 << 16;
/// Candidates of a record that are shown as small data; a person reads no more.
const MOST_CANDIDATES: u64 = 64;

/// A run of trigger records.
#[derive(Debug)]
struct Records {
    sources: Vec<Source>,
    entries: Vec<Entry>,
    /// Names of the sources that sent frames.
    sources_of: BTreeMap<(u16, u32), String>,
    problems: Vec<Problem>,
    /// Whether all files count as being written, whatever their names say.
    is_watched: bool,
}

/// A file, which may still be written.
#[derive(Debug)]
struct Source {
    path: PathBuf,
    file: RecordedFile,
    growth: Growth,
    /// Where the first record begins that is not known.
    next: u64,
    /// Nothing behind that can be read.
    is_broken: bool,
    /// That is because the file ends there.
    is_cut: bool,
    /// Nanoseconds of a tick of the clock, as of the last record that says it.
    tick_ns: u64,
}

/// The place of a record. Its headers are read again on demand: a small hostile file may claim many headers.
#[derive(Clone, Copy, Debug)]
struct Entry {
    file: u32,
    offset: u64,
    len: u64,
    time_ns: u64,
}

impl Records {
    fn open(stores: &Stores, paths: &[PathBuf]) -> Result<Records> {
        let (sources, entries, problems) = (Vec::new(), Vec::new(), Vec::new());
        let mut run = Records { sources, entries, sources_of: BTreeMap::new(), problems, is_watched: false };
        for path in paths {
            run.sources.push(Source::open(path, stores)?);
            run.scan(run.sources.len() - 1)?;
        }
        Ok(run)
    }

    /// Finds the records of a file that are not known yet.
    fn scan(&mut self, number: usize) -> Result<()> {
        let Some(source) = self.sources.get(number) else { return Ok(()) };
        // The end of a growing file may be half a record that is just being written.
        let is_growing = self.is_watched || source.growth.may_grow();
        let Source { mut next, mut tick_ns, .. } = *source;
        let mut reader = RecordReader::starting_at(&source.file, next);
        let (error, is_cut) = loop {
            let record = match reader.next() {
                Ok(Some(record)) => record,
                Ok(None) => break (cut_off(reader.end()).filter(|_| !is_growing), true),
                // An error of the system says nothing about the content, so the scan fails as a whole.
                Err(error) if error.io_error().is_some() => return Err(error.in_file(&source.path)),
                Err(error) => break (Some(error), false),
            };
            for (fragment, format) in frames_of(&record) {
                tick_ns = format.tick_ns();
                let SourceId { subsystem, id } = fragment.header.source;
                // The links are bounded, because each record of a hostile file could name a new one.
                if self.sources_of.len() < MOST_SOURCES {
                    self.sources_of.entry((subsystem, id)).or_insert_with(|| name_of(subsystem, id));
                }
            }
            // The clock comes from the file, so the product saturates.
            let time_ns = record.header.trigger_timestamp.saturating_mul(tick_ns);
            next = record.offset + record.len;
            self.entries.push(Entry { file: number as u32, offset: record.offset, len: record.len, time_ns });
        };
        let path = source.path.clone();
        let is_broken = error.is_some();
        self.problems.extend(error.map(|error| Problem { path, error }));
        if let Some(source) = self.sources.get_mut(number) {
            (source.next, source.tick_ns, source.is_broken) = (next, tick_ns, is_broken);
            // A cut end may be completed; any other fault stays.
            source.is_cut = is_broken && is_cut;
        }
        Ok(())
    }

    fn record(&self, position: usize) -> Outcome<(StoredRecord, &RecordedFile)> {
        let entry = self.entries.get(position).ok_or_else(Fault::no_event)?;
        let source = self.sources.get(entry.file as usize).ok_or_else(Fault::no_event)?;
        let record = RecordReader::starting_at(&source.file, entry.offset).next()?;
        let record = record.ok_or_else(|| Fault::new(FaultKind::Broken, "wanted a record, found none"))?;
        Ok((record, &source.file))
    }

    fn source(&self, detector: &Detector) -> Option<(u16, u32)> {
        let is_own = detector.format_name() == NAMING.format;
        let mut all = self.sources_of.iter();
        all.find(|(_, known)| is_own && *known == detector.name()).map(|(source, _)| *source)
    }
}

impl Source {
    fn open(path: &Path, stores: &Stores) -> Result<Source> {
        let (growth, plain) = (Growth::of(path), finished(path));
        // The writer may have finished, and renamed the file, since the file was listed.
        let path = if growth.may_grow() && !path.exists() { &plain } else { path };
        let file = stores.open(path)?;
        // A record without frames has the clock of the records before it.
        let tick_ns = RawFormat::WibEth.tick_ns();
        let (path, growth) = (path.to_owned(), Growth::of(path));
        Ok(Source { path, file, growth, next: 0, is_broken: false, is_cut: false, tick_ns })
    }
}

/// The error for a record of which only a part is in the file.
fn cut_off(end: End) -> Option<Error> {
    match end {
        End::Whole { .. } => None,
        End::Partial { offset, has, .. } => {
            Some(Error::new("a whole record", format!("{has} bytes of one")).at(offset))
        }
    }
}

/// `readout7`: link 7 of the detector's readout.
fn name_of(subsystem: u16, id: u32) -> String {
    match subsystem {
        DETECTOR_READOUT => format!("readout{id}"),
        other => format!("subsystem{other}_{id}"),
    }
}

fn format_of(fragment: &StoredFragment) -> Option<RawFormat> {
    match fragment.header.kind {
        fragment_type::PROTO_WIB => Some(RawFormat::Wib1),
        fragment_type::WIB => Some(RawFormat::Wib2),
        fragment_type::WIB_ETH => Some(RawFormat::WibEth),
        _ => None,
    }
}

fn frames_of(record: &StoredRecord) -> impl Iterator<Item = (&StoredFragment, RawFormat)> {
    record.fragments.iter().filter_map(|fragment| Some((fragment, format_of(fragment)?)))
}

/// The window that was requested, in ticks of the samples.
fn window(fragment: &StoredFragment, format: RawFormat) -> Outcome<Window> {
    let [begin, end] = fragment.header.window;
    let ticks = end.saturating_sub(begin) / format.sample_step();
    let bytes = ticks.saturating_mul(2 * format.channels() as u64);
    // The window is the file's claim, so it is bounded before memory is taken for it.
    if ticks == 0 || bytes > MOST_BYTES {
        let wanted = format!("a window of 1 to {} ticks", MOST_BYTES / (2 * format.channels() as u64));
        return Err(too_large(&wanted, ticks));
    }
    Ok(Window { format, begin, ticks: ticks as usize })
}

/// The gap that a record states for a source, ticks of the clock.
fn missing(record: &StoredRecord, source: SourceId) -> u64 {
    let of_source = record.missing.iter().filter(|missing| missing.source == source);
    let ticks = of_source.map(|from| from.missing.end.saturating_sub(from.missing.begin));
    ticks.fold(0, u64::saturating_add)
}

impl Run for Records {
    fn events(&self) -> usize {
        self.entries.len()
    }

    fn time_ns(&self, position: usize) -> u64 {
        self.entries.get(position).map_or(0, |entry| entry.time_ns)
    }

    fn place(&self, position: usize) -> Option<(&Path, String)> {
        let entry = self.entries.get(position)?;
        let source = self.sources.get(entry.file as usize)?;
        Some((&source.path, format!("{} ns, byte {}", entry.time_ns, entry.offset)))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.sources.iter().map(|source| source.path.clone()).collect()
    }

    fn pieces(&self, position: usize) -> Vec<Piece> {
        let piece = |entry: &Entry| Piece { file: entry.file, offset: entry.offset, length: entry.len };
        self.entries.get(position).map(piece).into_iter().collect()
    }

    fn event_bytes(&self, position: usize) -> u64 {
        self.entries.get(position).map_or(0, |entry| entry.len)
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn is_growing(&self) -> bool {
        let mut whole = self.sources.iter().filter(|source| !source.is_broken);
        // A broken file is not read any further, so its growth is of no use.
        whole.any(|source| self.is_watched || source.growth.may_grow())
    }

    fn refresh(&mut self) -> Result<()> {
        for number in 0..self.sources.len() {
            let source = &mut self.sources[number];
            // A file that was broken is not scanned again.
            let was_growing = (self.is_watched || source.growth.may_grow()) && !source.is_broken;
            // The growth is asked before the read: bytes written before the file's renaming are then found by this
            // read.
            if source.growth.may_grow() && source.growth.is_over()? {
                source.path = finished(&source.path);
            }
            if was_growing {
                self.scan(number)?;
            }
        }
        Ok(())
    }

    fn watch(&mut self) {
        if !std::mem::replace(&mut self.is_watched, true) {
            // Half a record at the end may become a whole one.
            for source in self.sources.iter_mut().filter(|source| source.is_cut) {
                // The problems of the file are found again by the next scan, if they are still there.
                self.problems.retain(|problem| problem.path != source.path);
                (source.is_broken, source.is_cut) = (false, false);
            }
        }
    }

    fn give_up(&mut self) -> Result<()> {
        self.is_watched = false;
        for number in 0..self.sources.len() {
            let source = &mut self.sources[number];
            // No file of this empty name is being written, so the file counts as finished.
            source.growth = Growth::of(Path::new(""));
            // The last scan tells half a record at the end as a problem.
            if !source.is_broken {
                self.scan(number)?;
            }
        }
        Ok(())
    }

    fn detectors(&self, _: &Wanted) -> Result<Vec<Detector>> {
        Ok(self.sources_of.values().map(|name| link::detector(&NAMING, name)).collect())
    }

    fn read(
        &self,
        detector: &Detector,
        position: usize,
        reader: &mut Reader,
        picture: &mut Picture,
        apart: &mut Apart<'_>,
    ) -> Outcome {
        let (subsystem, id) = self.source(detector).ok_or_else(|| Fault::missing("a link of the run"))?;
        let source = SourceId { subsystem, id };
        picture.time_ns = self.time_ns(position);
        let (record, file) = self.record(position)?;
        let mut found = frames_of(&record).filter(|(fragment, _)| fragment.header.source == source);
        let (fragment, format) = found.next().ok_or_else(|| Fault::missing("a fragment of the link"))?;
        // A fragment without one whole frame is a stated loss and no picture of zeros.
        if fragment.len < format.bytes() as u64 {
            let lost = format_args!("{} ticks of the clock are missing", missing(&record, source));
            return Err(Fault::lost("frames of the link", lost));
        }
        let window = window(fragment, format)?;
        let Reader { kept, names, .. } = reader;
        let wire = kept.of::<block::Memory>();
        // The caller may have memory of the right size for the picture.
        apart.is_used = apart.target.len() == window.bytes();
        let target = if apart.is_used { &mut *apart.target } else { picture.plain(window.bytes())? };
        let mut block = Block::new(window, target, &mut wire.samples, &mut wire.filled);
        // In pieces, so that many frames of one time cannot want more memory than an array.
        // Whole frames only, so that a piece ends between two frames.
        let piece = (1 << 20) / format.bytes() * format.bytes();
        let frames = fragment.len / format.bytes() as u64 * format.bytes() as u64;
        for begin in (0..frames).step_by(piece) {
            wire.frames.resize((frames - begin).min(piece as u64) as usize, 0);
            read_exact_at(file, &mut wire.frames, fragment.offset + begin)?;
            block.add(&wire.frames, format.bytes())?;
        }
        let found = block.finish();
        picture.file_bytes = fragment.header.size;
        describe(window, &found, picture)?;
        note(window, names, picture);
        Ok(())
    }

    /// The record's header, and for each fragment its window, content and missing ticks.
    fn small_data(&self, position: usize, _: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let (record, file) = self.record(position)?;
        let header = &record.header;
        let mut all = vec![
            number("record", "trigger_number", "", header.trigger_number),
            number("record", "trigger_timestamp", "ticks", header.trigger_timestamp),
            number("record", "trigger_type", "", header.trigger_type),
            number("record", "run", "", header.run.into()),
            number("record", "sequence", "", header.sequence[0].into()),
            number("record", "error_bits", "", header.error_bits.into()),
        ];
        for fragment in &record.fragments {
            let SourceId { subsystem, id } = fragment.header.source;
            let source = name_of(subsystem, id);
            let [begin, end] = fragment.header.window;
            let (what, count) = content(fragment);
            all.push(number(&source, "window_begin", "ticks", begin));
            all.push(number(&source, "window_end", "ticks", end));
            all.push(number(&source, what, "", count));
            all.push(number(&source, "missing", "ticks", missing(&record, fragment.header.source)));
            if fragment.header.kind == fragment_type::TRIGGER_CANDIDATE {
                candidates(file, fragment, &source, &mut all)?;
            }
        }
        Ok(all)
    }
}

/// The kind of a fragment's content, and the number of its elements.
fn content(fragment: &StoredFragment) -> (&'static str, u64) {
    use livetime_formats::trigger::PrimitiveV2;
    match (format_of(fragment), fragment.header.kind) {
        (Some(format), _) => ("frames", fragment.len / format.bytes() as u64),
        (None, fragment_type::TRIGGER_PRIMITIVE) => ("hits", fragment.len / PrimitiveV2::BYTES as u64),
        (None, fragment_type::TRIGGER_CANDIDATE) => {
            ("candidates", fragment.len / TriggerCandidate::BYTES as u64)
        }
        (None, _) => ("bytes", fragment.len),
    }
}

/// Type and time of the candidates of a fragment.
fn candidates(
    file: &RecordedFile,
    fragment: &StoredFragment,
    source: &str,
    all: &mut Vec<SmallValue>,
) -> Outcome {
    let size = TriggerCandidate::BYTES as u64;
    // The number is cut before memory is taken: the length is the file's claim.
    let mut bytes = vec![0; (fragment.len / size).min(MOST_CANDIDATES) as usize * TriggerCandidate::BYTES];
    read_exact_at(file, &mut bytes, fragment.offset)?;
    // Bytes of another version give no values.
    let read = bytes.chunks_exact(TriggerCandidate::BYTES).map(TriggerCandidate::read);
    let read = read.collect::<Result<Vec<_>>>().unwrap_or_default();
    let list = |name: &str, unit, value: &dyn Fn(&TriggerCandidate) -> AttributeValue| SmallValue {
        source: source.to_owned(),
        name: name.to_owned(),
        unit,
        values: read.iter().map(value).collect(),
        damage: 0,
    };
    all.push(list("candidate_type", "", &|candidate| AttributeValue::Int(candidate.kind.into())));
    all.push(list("candidate_time", "ticks", &|candidate| AttributeValue::Uint(candidate.time_candidate)));
    Ok(())
}
