//! Dumps of raw frames: files of `wib_dump`, and others that hold the frames of a link one behind the other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use livetime_formats::file::read_exact_at;
use livetime_formats::wib::RawFormat;
use livetime_formats::xtc1::run::{Apart, Piece, Problem};
use livetime_formats::{Error, Result};
use livetime_frame::AttributeValue;

use super::block::{Block, Found, Window, describe};
use super::choose;
use super::input::Input;
use super::link::{Link, number};
use super::scan::{Scan, Stretch};
use crate::damage::Outcome;
use crate::picture::Names;
use crate::run::Run;
use crate::{Detector, Fault, Picture, Reader, RunFormat, SmallValue, Wanted};

/// Ticks of an event: half a millisecond. It holds whole pulses and tracks, is a multiple of the 64 ticks of a frame of WIBEth, and is
/// 512 KiB of a link of WIB1, which stays in the cache.
const TICKS: usize = 1024;

/// A run of dumps, each of one link.
#[derive(Debug)]
pub(crate) struct Dumps {
    files: Vec<PathBuf>,
    inputs: Vec<Input>,
    format: RawFormat,
    links: Vec<Link>,
    /// Where the first window begins, ticks of the clock.
    origin: u64,
    /// The windows in which any link has frames, in the order of time.
    windows: Vec<u64>,
    problems: Vec<Problem>,
}

impl Dumps {
    pub(crate) fn open(paths: &[PathBuf]) -> Result<Dumps> {
        let (mut files, mut inputs, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        let mut scans: Vec<Scan> = Vec::new();
        for (path, number) in paths.iter().zip(0..) {
            let (input, broken) = Input::open(path)?;
            let failed = |e| Error::io("to read the file", e).in_file(path);
            let scan = Scan::of(input.reader(), number).map_err(failed)?;
            // A link that never sent anything leaves a file too.
            let none = || vec![Error::new("raw frames of a link", "none")];
            let wrong = scan.as_ref().map_or_else(none, what_is_wrong);
            let found = broken.into_iter().chain(wrong);
            problems.extend(found.map(|error| Problem { path: path.clone(), error }));
            files.push(path.clone());
            inputs.push(input);
            scans.extend(scan);
        }
        let format = one_format(&scans, &files)?;
        let mut links: Vec<Link> = Vec::new();
        for scan in scans {
            let new = Link::new(format, scan.identity);
            let known = links.iter().position(|link| link.name == new.name).unwrap_or(links.len());
            if known == links.len() {
                links.push(new);
            }
            links[known].stretches.extend(scan.stretches);
        }
        let origin = links.iter().flat_map(|link| &link.stretches).map(|stretch| stretch.stamp).min();
        let mut run =
            Dumps { files, inputs, format, links, origin: origin.unwrap_or(0), windows: vec![], problems };
        run.divide();
        Ok(run)
    }

    /// Divides time into windows.
    fn divide(&mut self) {
        let (origin, span, format) = (self.origin, self.span(), self.format);
        let window = |stamp: u64| stamp.saturating_sub(origin) / span;
        for link in &mut self.links {
            link.cover(|stretch| (window(stretch.stamp), window(stretch.last(format))));
        }
        let all: BTreeSet<u64> = self.links.iter().flat_map(Link::windows).collect();
        self.windows = all.into_iter().collect();
    }

    /// Ticks of the clock of an event.
    fn span(&self) -> u64 {
        TICKS as u64 * self.format.sample_step()
    }

    /// When a window begins, ticks of the clock.
    fn begin(&self, window: u64) -> u64 {
        self.origin.saturating_add(window.saturating_mul(self.span()))
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
        let Detector::Link { name, format: RunFormat::WireDump } = detector else { return None };
        self.links.iter().find(|link| link.name == *name)
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

/// What of a file is in no event.
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

fn one_format(scans: &[Scan], files: &[PathBuf]) -> Result<RawFormat> {
    let formats = || scans.iter().map(|scan| scan.layout.format);
    let first = formats().next().ok_or_else(|| Error::new("a file with raw frames", "none"))?;
    match scans.iter().find(|scan| scan.layout.format != first) {
        None => Ok(first),
        Some(other) => {
            let wanted = format!("frames of {}, as in the files before", first.name());
            let path = files.get(other.file as usize).map_or(Path::new(""), |path| path);
            Err(Error::new(wanted, other.layout.format.name()).in_file(path))
        }
    }
}

impl Run for Dumps {
    fn events(&self) -> usize {
        self.windows.len()
    }

    fn time_ns(&self, position: usize) -> u64 {
        let begin = self.windows.get(position).map_or(0, |window| self.begin(*window));
        begin.saturating_mul(self.format.tick_ns())
    }

    fn place(&self, position: usize) -> Option<(&Path, String)> {
        let window = *self.windows.get(position)?;
        let first = self.links.iter().flat_map(|link| link.stretches_in(window)).next()?;
        Some((self.files.get(first.file as usize)?, format!("{} ticks", self.begin(window))))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.files.clone()
    }

    fn pieces(&self, position: usize) -> Vec<Piece> {
        let Some(window) = self.windows.get(position) else { return Vec::new() };
        let places = self.links.iter().flat_map(|link| self.places(link, *window));
        places.map(|place| place.piece).collect()
    }

    fn event_bytes(&self, position: usize) -> u64 {
        self.pieces(position).iter().map(|piece| piece.length).sum()
    }

    fn state(&self) -> Vec<Piece> {
        Vec::new()
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn is_growing(&self) -> bool {
        false
    }

    fn may_grow(&self) -> bool {
        false
    }

    fn refresh(&mut self) -> Result<()> {
        Ok(())
    }

    fn detectors(&self, _: &Wanted) -> Result<Vec<Detector>> {
        let detector = |link: &Link| Detector::Link { name: link.name.clone(), format: RunFormat::WireDump };
        Ok(self.links.iter().map(detector).collect())
    }

    fn choose(&self, found: &[Detector], wanted: &Wanted) -> Result<Option<Detector>> {
        choose(found, wanted)
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
        let Reader { wire, names, .. } = reader;
        apart.is_used = apart.target.len() == window.bytes();
        let target = if apart.is_used { &mut *apart.target } else { picture.plain(window.bytes()) };
        let mut block = Block::new(window, target, &mut wire.samples, &mut wire.filled);
        let mut file_bytes = 0;
        for place in &places {
            let Piece { file, offset, length } = place.piece;
            let input = self.inputs.get(file as usize).ok_or_else(Fault::no_event)?;
            wire.frames.resize(length as usize, 0);
            read_exact_at(input, &mut wire.frames, offset)?;
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

/// What a frame says beside its samples: when it begins by the experiment's clock, and what is wrong with it.
pub(super) fn note(window: Window, names: &mut Names, picture: &mut Picture) {
    picture.attributes.push((names.of("ClockTicks"), AttributeValue::Uint(window.begin)));
    if picture.damage != 0 {
        picture.attributes.push((names.of("Damage"), AttributeValue::Uint(picture.damage.into())));
    }
}
