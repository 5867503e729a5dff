//! Dumps of raw frames: files of `wib_dump`, and others that hold the frames of a link one behind the other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use livetime_formats::file::{Stores, read_exact_at};
use livetime_formats::wib::RawFormat;
use livetime_formats::xtc1::run::{Apart, Piece, Problem};
use livetime_formats::{Error, Result};
use livetime_frame::AttributeValue;

use super::block::{self, Block, Found, Window, describe, note};
use super::files::{files_of, is_dump, will_be};
use super::link::{self, Link, Seen, number};
use super::scan::{Scan, Stretch};
use super::source::{Source, finished};
use crate::damage::Outcome;
use crate::detector::Naming;
use crate::format::{Format, Sign, no_attribute};
use crate::run::Run;
use crate::{Detector, Fault, Picture, Reader, SmallValue, Wanted};

pub(crate) static FORMAT: Format = Format {
    name: "wire",
    label: "wiredump",
    file: "raw frames of wires",
    is_named: |path| Ok(will_be(path, ".wib")),
    sign: Sign::Content(|begin| is_dump(begin.path, begin.stores)),
    files_of,
    open: |opening| Ok(Box::new(Dumps::open(opening.stores, opening.paths)?)),
    // Times are known when all files are.
    open_places: None,
    datagrams: None,
    keeps_frames: false,
    becomes_xtc: false,
    is_attribute: no_attribute,
    naming: &NAMING,
    damage: block::DAMAGE,
};

static NAMING: Naming = link::naming("wire", |parts| link::of_parts(&NAMING, parts));

/// Ticks of an event: half a millisecond. An event of this length holds whole pulses and tracks, is a multiple of the
/// 64 ticks of a WIBEth frame, and takes 512 KiB for a link of WIB1, which fits into the cache.
const TICKS: usize = 1024;

/// Windows that a growing file may be behind others before readers stop waiting for it: one second. Also the number of
/// windows reserved before the first known frame, for links whose files are found later.
const BEHIND: u64 = 2048;

/// A run of dumps, each of one link.
#[derive(Debug)]
struct Dumps {
    /// Each with how much of it is in `links`.
    sources: Vec<(Source, Seen)>,
    format: RawFormat,
    links: Vec<Link>,
    /// Where the first window begins, ticks of the clock.
    origin: Option<u64>,
    /// The windows with frames of any link, in the order of time.
    windows: Vec<u64>,
    /// So many of them get no more frames.
    complete: usize,
    problems: Vec<Problem>,
    /// Whether the files are exactly the ones that lie beside the first one.
    is_listed: bool,
    /// Where addresses are opened.
    stores: Stores,
}

impl Dumps {
    fn open(stores: &Stores, paths: &[PathBuf]) -> Result<Dumps> {
        let mut run = Dumps {
            sources: Vec::new(),
            format: RawFormat::WibEth,
            links: Vec::new(),
            origin: None,
            windows: Vec::new(),
            complete: 0,
            problems: Vec::new(),
            is_listed: false,
            stores: stores.clone(),
        };
        paths.iter().try_for_each(|path| run.add(path))?;
        // Files of further links are looked for only if all files of the run were given.
        run.is_listed =
            paths.first().is_some_and(|path| files_of(path, stores).is_ok_and(|all| all == paths));
        if run.sources.iter().all(|(source, _)| source.scan.is_none() && !source.is_growing()) {
            let path = paths.first().map_or(Path::new(""), |path| path);
            return Err(Error::new("a file with raw frames", "none").in_file(path));
        }
        run.take()?;
        Ok(run)
    }

    fn add(&mut self, path: &Path) -> Result<()> {
        let (source, broken) = Source::open(path, self.sources.len() as u32, &self.stores)?;
        let path = source.path.clone();
        self.problems.extend(broken.map(|error| Problem { path, error }));
        self.sources.push((source, Seen::default()));
        Ok(())
    }

    /// Adds the frames that were found in the files to their links.
    fn take(&mut self) -> Result<()> {
        self.set_format()?;
        let (origin, span, format) = (self.origin.unwrap_or(0), self.span(), self.format);
        let window = |stamp: u64| stamp.saturating_sub(origin) / span;
        for (source, seen) in &mut self.sources {
            let Some(scan) = &source.scan else { continue };
            let new = Link::new(format, scan.identity);
            let known = self.links.iter().position(|link| link.name == new.name);
            let known = known.unwrap_or_else(|| {
                self.links.push(new);
                self.links.len() - 1
            });
            let windows = |stretch: &Stretch| (window(stretch.stamp), window(stretch.last(format)));
            self.links[known].take(seen, &scan.stretches, windows);
        }
        let was_divided = self.complete > 0;
        self.divide();
        self.judge();
        if was_divided && !self.is_growing() {
            self.note_late();
        }
        Ok(())
    }

    /// Sets the format of all files, and the origin of time, from the first frames.
    fn set_format(&mut self) -> Result<()> {
        let scans = || self.sources.iter().filter_map(|(source, _)| Some((source, source.scan.as_ref()?)));
        let Some((_, first)) = scans().next() else { return Ok(()) };
        let format = if self.origin.is_some() { self.format } else { first.layout.format };
        if let Some((source, other)) = scans().find(|(_, scan)| scan.layout.format != format) {
            let wanted = format!("frames of {}, as in the files before", format.name());
            return Err(Error::new(wanted, other.layout.format.name()).in_file(&source.path));
        }
        let begin = scans().flat_map(|(_, scan)| &scan.stretches).map(|stretch| stretch.stamp).min();
        self.format = format;
        // Links that are slower may bring older frames: a growing run leaves numbers for them.
        let (span, windows) = (self.span(), if self.is_growing() { BEHIND } else { 0 });
        self.origin = self.origin.or(begin.map(|begin| begin - windows.min(begin / span) * span));
        Ok(())
    }

    /// Divides time into windows. Complete windows keep their numbers, because readers know events by them.
    fn divide(&mut self) {
        self.windows.truncate(self.complete);
        let first = self.windows.last().map_or(0, |last| last + 1);
        let new: BTreeSet<u64> = self.links.iter().flat_map(|link| link.windows_from(first)).collect();
        self.windows.extend(new);
        let limit = self.limit();
        self.complete = self.windows.partition_point(|window| *window < limit);
    }

    /// The first window that may still get frames, but from files that are far behind the others.
    fn limit(&self) -> u64 {
        let last = |(_, seen): &(Source, Seen)| seen.last_window();
        let furthest = self.sources.iter().map(last).max().unwrap_or(0);
        let growing = self.sources.iter().filter(|(source, _)| source.is_growing()).map(last);
        growing.min().map_or(u64::MAX, |slowest| slowest.max(furthest.saturating_sub(BEHIND)))
    }

    /// Notes the parts of complete files that belong to no event.
    fn judge(&mut self) {
        for (source, _) in self.sources.iter_mut().filter(|(s, _)| !s.is_growing() && !s.is_judged) {
            source.is_judged = true;
            // A link that never sent anything leaves a file too.
            let none = || vec![Error::new("raw frames of a link", "none")];
            let wrong = source.scan.as_ref().map_or_else(none, what_is_wrong);
            self.problems.extend(wrong.into_iter().map(|error| Problem { path: source.path.clone(), error }));
        }
    }

    /// Notes windows that other events had come before.
    fn note_late(&mut self) {
        for link in &self.links {
            let late: BTreeSet<u64> =
                link.windows_from(0).filter(|window| self.windows.binary_search(window).is_err()).collect();
            if !late.is_empty() {
                let wanted = "frames no more than a second later than those of other links";
                let error = Error::new(wanted, format!("{} events of {} that were", late.len(), link.name));
                let path = self.sources.first().map(|(source, _)| source.path.clone());
                self.problems.push(Problem { path: path.unwrap_or_default(), error });
            }
        }
    }

    /// Files of links that had not sent anything before.
    fn find_new(&mut self) -> Result<()> {
        let Some(first) = self.sources.first().map(|(source, _)| source.path.clone()) else { return Ok(()) };
        for path in files_of(&first, &self.stores)? {
            let is_known = |(source, _): &(Source, Seen)| finished(&source.path) == finished(&path);
            if !self.sources.iter().any(is_known) {
                self.add(&path)?;
            }
        }
        Ok(())
    }

    /// Ticks of the clock of an event.
    fn span(&self) -> u64 {
        TICKS as u64 * self.format.sample_step()
    }

    /// When a window begins, ticks of the clock.
    fn begin(&self, window: u64) -> u64 {
        self.origin.unwrap_or(0).saturating_add(window.saturating_mul(self.span()))
    }

    /// Where the frames of a link in a window are.
    fn places(&self, link: &Link, window: u64) -> Vec<Place> {
        let (begin, end) = (self.begin(window), self.begin(window).saturating_add(self.span()));
        let place = |stretch: &Stretch| {
            let (first, count) = stretch.within(begin, end, self.format);
            // Behind the last frame there may be less than a stride.
            let length = count.saturating_sub(1) * stretch.stride + self.format.bytes() as u64;
            let piece = Piece { file: stretch.file, offset: stretch.offset + first * stretch.stride, length };
            let stamp = stretch.stamp.saturating_add(first.saturating_mul(self.format.step()));
            (count > 0).then_some(Place { piece, stride: stretch.stride as usize, count, stamp })
        };
        link.stretches_in(window).filter_map(place).collect()
    }

    fn link(&self, detector: &Detector) -> Option<&Link> {
        let is_own = detector.format_name() == NAMING.format;
        self.links.iter().find(|link| is_own && link.name == detector.name())
    }

    /// Whether a window has no other fault than that the frames of a link begin or end in it.
    fn is_cut_short(&self, link: &Link, window: u64, found: &Found) -> bool {
        let (is_first, is_last) = link.is_at_an_end(window);
        let [before, behind] = found.ends;
        let is_whole = found.faults.is_empty() && found.gaps(TICKS) == 0 && before + behind > 0;
        is_whole && (before == 0 || is_first) && (behind == 0 || is_last)
    }
}

/// Frames in a file that follow each other.
struct Place {
    piece: Piece,
    stride: usize,
    count: u64,
    /// Time of the first one.
    stamp: u64,
}

/// The parts of a file that belong to no event.
fn what_is_wrong(scan: &Scan) -> Vec<Error> {
    let mut all = Vec::new();
    if scan.skipped > 0 {
        let found = format!("{} bytes that belong to none", scan.skipped);
        all.push(Error::new("frames from the begin of the file to its end", found));
    }
    if scan.strays > 0 {
        let found =
            format!("{} of another link, or of a time that no frame beside them confirms", scan.strays);
        all.push(Error::new("frames of one link in the order of time", found));
    }
    if scan.is_cut {
        let found = format!("more than {} gaps and jumps", scan.stretches.len());
        all.push(Error::new("frames that follow each other", found));
    }
    all
}

impl Run for Dumps {
    fn events(&self) -> usize {
        self.windows.len()
    }

    fn complete(&self) -> usize {
        self.complete
    }

    fn time_ns(&self, position: usize) -> u64 {
        let begin = self.windows.get(position).map_or(0, |window| self.begin(*window));
        begin.saturating_mul(self.format.tick_ns())
    }

    fn place(&self, position: usize) -> Option<(&Path, String)> {
        let window = *self.windows.get(position)?;
        let first = self.links.iter().flat_map(|link| link.stretches_in(window)).next()?;
        let (source, _) = self.sources.get(first.file as usize)?;
        Some((&source.path, format!("{} ticks", self.begin(window))))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.sources.iter().map(|(source, _)| source.path.clone()).collect()
    }

    fn pieces(&self, position: usize) -> Vec<Piece> {
        let Some(window) = self.windows.get(position) else { return Vec::new() };
        let places = self.links.iter().flat_map(|link| self.places(link, *window));
        places.map(|place| place.piece).collect()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn is_growing(&self) -> bool {
        self.sources.iter().any(|(source, _)| source.is_growing())
    }

    fn refresh(&mut self) -> Result<()> {
        if !self.is_growing() {
            return Ok(());
        }
        let files = self.sources.len();
        if self.is_listed {
            self.find_new()?;
        }
        let mut is_new = self.sources.len() > files;
        for (source, _) in &mut self.sources {
            is_new |= source.refresh()?;
        }
        if is_new { self.take() } else { Ok(()) }
    }

    fn watch(&mut self) {
        let mut is_new = false;
        self.sources.iter_mut().for_each(|(source, _)| is_new |= source.watch());
        if is_new {
            // Files that may grow again are judged again: the ends of these files, and the content of the last events,
            // are no longer final.
            let sources = &self.sources;
            let is_judged = |path: &Path| sources.iter().any(|(s, _)| s.path == path && s.is_judged);
            self.problems.retain(|problem| is_judged(&problem.path));
            self.complete = 0;
            self.divide();
        }
    }

    fn give_up(&mut self) -> Result<()> {
        self.sources.iter_mut().for_each(|(source, _)| source.give_up());
        self.take()
    }

    fn detectors(&self, _: &Wanted) -> Result<Vec<Detector>> {
        Ok(self.links.iter().map(|link| link::detector(&NAMING, &link.name)).collect())
    }

    fn read(
        &self,
        detector: &Detector,
        position: usize,
        reader: &mut Reader,
        picture: &mut Picture,
        apart: &mut Apart<'_>,
    ) -> Outcome {
        let link = self.link(detector).ok_or_else(|| Fault::missing("a link of the run"))?;
        let number = *self.windows.get(position).ok_or_else(Fault::no_event)?;
        picture.time_ns = self.time_ns(position);
        let places = self.places(link, number);
        if places.is_empty() {
            return Err(Fault::missing("frames of the link"));
        }
        let window = Window { format: self.format, begin: self.begin(number), ticks: TICKS };
        let Reader { kept, names, .. } = reader;
        let wire = kept.of::<block::Memory>();
        // A frame of the right size is filled directly, without a copy.
        apart.is_used = apart.target.len() == window.bytes();
        let target = if apart.is_used { &mut *apart.target } else { picture.plain(window.bytes())? };
        let mut block = Block::new(window, target, &mut wire.samples, &mut wire.filled);
        let mut file_bytes = 0;
        for place in &places {
            let Piece { file, offset, length } = place.piece;
            let (source, _) = self.sources.get(file as usize).ok_or_else(Fault::no_event)?;
            wire.frames.resize(length as usize, 0);
            read_exact_at(&source.input, &mut wire.frames, offset)?;
            block.add(&wire.frames, place.stride)?;
            file_bytes += length;
        }
        let found = block.finish();
        picture.file_bytes = file_bytes;
        describe(window, &found, picture)?;
        picture.is_cut_short = self.is_cut_short(link, number, &found);
        note(window, names, picture);
        Ok(())
    }

    /// Of each link that has frames in the window: its numbers, the time of its first frame, and how many there are.
    fn small_data(&self, position: usize, _: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let window = *self.windows.get(position).ok_or_else(Fault::no_event)?;
        let mut all = vec![number("window", "begin", "ticks", self.begin(window))];
        for link in &self.links {
            let places = self.places(link, window);
            let Some(first) = places.iter().map(|place| place.stamp).min() else { continue };
            let frames = places.iter().map(|place| place.count).sum();
            all.extend(link.place.iter().map(|(name, value)| number(&link.name, name, "", *value)));
            all.push(number(&link.name, "timestamp", "ticks", first));
            all.push(number(&link.name, "frames", "", frames));
        }
        Ok(all)
    }

    fn configuration(&self, _: usize, _: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let text = |name: &str, value: &str| SmallValue {
            source: "frames".into(),
            name: name.into(),
            unit: "",
            values: vec![AttributeValue::Text(value.into())],
            damage: 0,
        };
        let clock_hz = 1_000_000_000 / self.format.tick_ns();
        Ok(vec![
            text("format", self.format.name()),
            number("frames", "clock", "Hz", clock_hz),
            number("frames", "ticks_of_a_sample", "ticks", self.format.sample_step()),
        ])
    }
}
