//! Runs of LCLS-I (XTC).

mod senders;
mod small_data;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use livetime_formats::file::{self, Head};
use livetime_formats::xtc1::compressed::{Decompressor, plain_len};
use livetime_formats::xtc1::data::{
    Candidate, CspadConfig, Recorded, RecordedValue, damage_of_event, first_readable, is_same_sender, panels,
    pictures_of,
};
use livetime_formats::xtc1::run::{self, Apart, Event, EventBytes, Piece, Problem};
use livetime_formats::xtc1::{
    Configs, Damage, Datagram, DatagramHeader, FIDUCIAL_PERIOD, SourcePattern, Src, Transition, Xtc,
    XtcHeader, id,
};
use livetime_formats::{Error, Result};
use livetime_frame::AttributeValue;

use crate::damage::{DamageWords, Outcome};
use crate::detector::{Naming, Part, list};
use crate::format::{Format, Sign, no_attribute};
use crate::picture::place_in;
use crate::reader::Names;
use crate::run::{Pause, Run, bytes_of, in_words};
use crate::{Change, Condition, Detector, Fault, FaultKind, Panel, Picture, Reader, SmallValue, Wanted};
use senders::Senders;
use small_data::PvNames;

pub(crate) static FORMAT: Format = Format {
    name: "xtc1",
    label: "xtc1",
    file: "an XTC file of LCLS-I or LCLS-II",
    is_named,
    sign: Sign::Header(|begin| DatagramHeader::parse(begin.head).is_ok()),
    files_of: run::Run::files_of_from,
    open: |opening| Ok(Box::new(Lcls1::of(run::Run::open_from(opening.stores, opening.paths)?))),
    open_places: Some(|stores, places| Ok(Box::new(Lcls1::of(run::Run::open_places(stores, places)?)))),
    datagrams: Some(file::Format::Xtc1),
    keeps_frames: true,
    becomes_xtc: false,
    is_attribute: no_attribute,
    naming: &NAMING,
    damage: DamageWords { what: "picture", in_words: |damage| Damage(damage).to_string() },
};

/// A detector is known by its sender.
static NAMING: Naming = Naming {
    format: "xtc1",
    one: "the pictures of a detector",
    name_of_one: "the name of one detector",
    list,
    fits: |wanted, detector| {
        let pattern = pattern(wanted)?;
        Ok(pattern.is_none_or(|pattern| detector.sender().is_some_and(|src| pattern.matches(src))))
    },
    key: "lcls1",
    parts: |detector| {
        let src = detector.sender();
        src.map_or_else(Vec::new, |Src { log, phy }| vec![Part::Number(log), Part::Number(phy)])
    },
    of_parts: |parts| match parts {
        [Part::Number(log), Part::Number(phy)] => Some(detector(Src { log: *log, phy: *phy })),
        _ => None,
    },
};

fn is_named(path: &Path) -> Result<bool> {
    match file::Format::of(path) {
        // An index file has a name like a recording, but no data.
        Some(file::Format::Index) => Err(Error::new("a file of datagrams", "an index file").in_file(path)),
        found => Ok(matches!(found, Some(file::Format::Xtc1 | file::Format::SmallXtc1))),
    }
}

/// The pattern of a detector; `None`: any.
fn pattern(wanted: &Wanted) -> Result<Option<SourcePattern>> {
    // An algorithm that is left out of account would give another detector than the wanted one.
    if !wanted.is_name_alone() {
        let found = format!("an algorithm or field: `{}`, `{}`", wanted.algorithm, wanted.field);
        return Err(Error::new("a detector of LCLS-I, which is known by its name alone", found));
    }
    if wanted.detector.is_empty() { Ok(None) } else { wanted.detector.parse().map(Some) }
}

/// All that is recorded as a leaf with panels is a picture.
fn detector(src: Src) -> Detector {
    Detector::new(&NAMING, src.to_string(), 2).with_sender(src)
}

/// Events with pictures after which the detectors count as known, if none is asked for by name: most detectors are read
/// at every event.
const ENOUGH: usize = 8;
/// Most events that are searched for detectors, which bounds the time to open a run. A detector that is read less often
/// is found by its name.
const MOST_LOOKED_AT: usize = 1000;

#[derive(Debug)]
struct Lcls1 {
    run: run::Run,
    pause: Pause,
    /// Read when a process variable is wanted first.
    pv_names: OnceLock<PvNames>,
}

impl Lcls1 {
    fn of(run: run::Run) -> Lcls1 {
        Lcls1 { pause: Pause::new(run.is_growing()), run, pv_names: OnceLock::new() }
    }
}

impl Run for Lcls1 {
    fn events(&self) -> usize {
        self.run.events().len()
    }

    fn time_ns(&self, event: usize) -> u64 {
        self.run.events().get(event).map_or(0, |e| e.clock.ns())
    }

    fn place(&self, position: usize) -> Option<(&Path, String)> {
        let event = self.run.events().get(position)?;
        let piece = self.run.pieces(event).first();
        // An event without a piece is not known; the path is only for messages.
        let path = piece.and_then(|piece| self.run.files().nth(piece.file as usize)).unwrap_or(Path::new(""));
        Some((path, event.clock.to_string()))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.run.files().map(Path::to_owned).collect()
    }

    fn pieces(&self, event: usize) -> Vec<Piece> {
        self.run.events().get(event).map_or_else(Vec::new, |e| self.run.pieces(e).to_vec())
    }

    fn event_bytes(&self, event: usize) -> u64 {
        let event = self.run.events().get(event);
        event.map_or(0, |e| bytes_of(self.run.pieces(e)))
    }

    fn state(&self) -> Vec<Piece> {
        self.run.state()
    }

    fn transitions(&self) -> Vec<crate::Transition> {
        let events = self.run.events();
        let of = |t: &run::RunTransition| {
            let (header, time_ns) = (&t.header, t.header.clock.ns());
            let change = Change::named(header.transition().name())?;
            // Events are in the order of time.
            let event = events.partition_point(|event| event.clock < header.clock);
            // 0 is no number of a run.
            let run_number = Some(header.env.0).filter(|n| change == Change::BeginRun && *n > 0);
            Some(crate::Transition { change, time_ns, event, run_number })
        };
        self.run.transitions().iter().filter_map(of).collect()
    }

    fn problems(&self) -> &[Problem] {
        self.run.problems()
    }

    fn scanned_objects(&self) -> Vec<PathBuf> {
        self.run.scanned_objects().map(Path::to_owned).collect()
    }

    fn ignored_indices(&self) -> Vec<String> {
        self.run.ignored_indices().map(in_words).collect()
    }

    fn broken_transitions(&self, seen: usize) -> (usize, Vec<crate::Problem>) {
        let (all, mut bytes) = (self.run.transitions(), EventBytes::default());
        let broken = all.iter().skip(seen).filter_map(|transition| {
            let path = self.run.files().nth(transition.piece.file as usize)?.to_owned();
            // A transition that cannot be read was told when it was scanned.
            self.run.read_transition(transition, &mut bytes).ok()?;
            let pieces: Vec<_> = bytes.pieces().filter_map(|piece| Datagram::parse(piece).ok()).collect();
            let (name, error) = (transition.header.transition().name(), broken_part(&pieces)?);
            Some(crate::Problem { path, event: None, why: format!("{name}: {error}") })
        });
        let broken = broken.collect();
        (all.len(), broken)
    }

    fn is_growing(&self) -> bool {
        self.run.is_growing()
    }

    fn may_grow(&self) -> bool {
        let ends = |t: &Transition| matches!(t, Transition::EndRun | Transition::Unconfigure);
        let has_ended = self.run.transitions().last().is_some_and(|t| ends(&t.header.transition()));
        // A file that has ended does not grow any more, but a run may go on in a next one.
        self.pause.may_go_on(self.run.is_growing(), has_ended)
    }

    fn refresh(&mut self) -> Result<()> {
        let known = self.run.transitions().len();
        self.run.refresh()?;
        self.pause.look(self.run.is_growing());
        // A change of state may bring names of process variables.
        if self.run.transitions().len() > known {
            self.pv_names = OnceLock::new();
        }
        Ok(())
    }

    /// The senders of pictures in the first events, up to one that is wanted by name.
    fn detectors(&self, wanted: &Wanted) -> Result<Vec<Detector>> {
        let pattern = pattern(wanted)?;
        let is_wanted = |src: &Src| pattern.as_ref().is_some_and(|pattern| pattern.matches(*src));
        let (mut senders, mut with_pictures) = (Senders::default(), 0);
        for event in self.run.events().iter().take(MOST_LOOKED_AT) {
            // An event that cannot be read is an error when it is its turn.
            with_pictures += usize::from(senders.look_at(&self.run, event).unwrap_or(false));
            let is_found = pattern.is_none() || senders.found.iter().any(is_wanted);
            if with_pictures >= ENOUGH && is_found {
                break;
            }
        }
        Ok(senders.found.into_iter().map(detector).collect())
    }

    /// Detectors are found in events alone.
    fn is_silent(&self, _: &[Detector]) -> bool {
        self.run.events().is_empty()
    }

    fn read(
        &self,
        detector: &Detector,
        number: usize,
        reader: &mut Reader,
        picture: &mut Picture,
        apart: &mut Apart<'_>,
    ) -> Outcome {
        let src = detector.sender().ok_or_else(|| Fault::missing("a detector of LCLS-I"))?;
        let event = self.run.events().get(number).ok_or_else(Fault::no_event)?;
        picture.time_ns = event.clock.ns();
        let Reader { bytes, names, kept, .. } = reader;
        let decompressor = kept.of::<Decompressor>();
        self.run.read_apart(event, bytes, apart)?;
        picture.file_bytes = bytes.size();
        let pieces = bytes.pieces().map(Datagram::parse).collect::<Result<Vec<_>>>()?;
        let candidates = pictures_of(pieces.iter().copied(), src);
        let configs = self.run.configs(event);
        let chosen =
            match first_readable(&candidates, |c| take(c, decompressor, configs, picture).map(|()| c)) {
                Ok(Some(chosen)) => chosen,
                Ok(None) => return Err(without_picture(event, &pieces)?),
                // With damage in all candidates a picture that cannot be read is a loss and no error of the
                // file.
                Err(error) if candidates.iter().all(Candidate::is_damaged) => {
                    return Err(Fault::new(FaultKind::Lost, error));
                }
                Err(error) => return Err(error.into()),
            };
        judge(chosen, configs, picture);
        picture.broken_beside = broken_part(&pieces).map(|error| error.to_string());
        describe(event, &pieces[chosen.piece], src, names, picture)?;
        // A decompressed picture no longer needs the bytes that were read. Their memory is reused while it is still in
        // the cache.
        if !chosen.leaf.header.type_id.is_compressed() {
            std::mem::swap(bytes, &mut picture.bytes);
        }
        Ok(())
    }

    fn read_part(&self, number: usize, piece: usize, start: usize, bytes: &mut [u8]) -> Result<()> {
        let event = self.run.events().get(number);
        let piece = event.and_then(|event| self.run.pieces(event).get(piece));
        let piece = piece.ok_or_else(|| Error::new("a piece of an event", "none"))?;
        self.run.read_part(piece, start, bytes)
    }

    fn small_data(&self, number: usize, reader: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let event = self.run.events().get(number).ok_or_else(Fault::no_event)?;
        self.run.read(event, &mut reader.bytes)?;
        let names = self.pv_names.get_or_init(|| PvNames::of(&self.run));
        Ok(small_data::of_event(&reader.bytes, event.clock.ns(), names)?)
    }

    fn configuration(&self, number: usize, reader: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let event = self.run.events().get(number).ok_or_else(Fault::no_event)?;
        let is_before = |t: &&run::RunTransition| {
            t.header.transition() == Transition::Configure && t.header.clock <= event.clock
        };
        // The memory of the event before must not show through if there is no Configure.
        reader.bytes = EventBytes::default();
        if let Some(configure) = self.run.transitions().iter().rev().find(is_before) {
            self.run.read_transition(configure, &mut reader.bytes)?;
        }
        Ok(small_data::of_configs(self.run.configs(event), &reader.bytes))
    }
}

/// Finds the panels of a leaf; if that is compressed, it becomes plain.
fn take(
    candidate: &Candidate<'_>,
    decompressor: &mut Decompressor,
    configs: &Configs,
    picture: &mut Picture,
) -> Result<()> {
    let leaf = &candidate.leaf;
    picture.forget_panels();
    // The memory is taken out, because `picture` is borrowed for the panels.
    let mut plain = std::mem::take(&mut picture.plain);
    let found = if leaf.header.type_id.is_compressed() {
        let decoded = decompressor.decode_at(leaf.payload, configs, &mut plain, 0);
        let decoded = decoded.map_err(|error| error.at(leaf.offset as u64));
        decoded.and_then(|length| add_panels(leaf, configs, &plain[..length], (None, 0), picture))
    } else {
        let place = (Some(candidate.piece), leaf.offset + XtcHeader::LEN);
        add_panels(leaf, configs, leaf.payload, place, picture)
    };
    picture.plain = plain;
    found
}

/// Notes the panels of the plain `payload`, which begins at a byte of a piece or of the decompressed bytes.
fn add_panels(
    leaf: &Xtc<'_>,
    configs: &Configs,
    payload: &[u8],
    (piece, start): (Option<usize>, usize),
    picture: &mut Picture,
) -> Result<()> {
    let damage = leaf.header.damage.0;
    for panel in panels(leaf.header.type_id.plain(), leaf.header.src, payload, configs)? {
        let place = place_in(payload, panel.pixels);
        // The place in the file is kept where the pixels lie in it, so that a next read can put them
        // elsewhere.
        let (number, dtype, color) = (panel.number, panel.dtype, panel.color);
        let found = Panel { number, dtype, color, shape: panel.shape(), bytes: panel.pixels, damage };
        picture.add(&found, piece, start + place.start..start + place.end)?;
    }
    picture.sort_panels();
    Ok(())
}

/// A picture is damaged if its own leaf says so, and not all there if quadrants are missing.
fn judge(chosen: &Candidate<'_>, configs: &Configs, picture: &mut Picture) {
    let lacks_panels = lacks_quadrants(picture.panels().count(), &chosen.leaf, configs);
    if lacks_panels {
        picture.damage |= Damage::DROPPED.0;
    }
    picture.condition = match (chosen.is_damaged(), lacks_panels) {
        (true, _) => Condition::Damaged,
        (false, true) => Condition::Partial,
        (false, false) => Condition::Whole,
    };
}

/// Whether a CSPad has fewer quadrants than its configuration says.
fn lacks_quadrants(panels: usize, leaf: &Xtc<'_>, configs: &Configs) -> bool {
    if leaf.header.type_id.number() != id::CSPAD_ELEMENT {
        return false;
    }
    // Without a configuration the number of quadrants is not known.
    let config = configs.find(leaf.header.src, id::CSPAD_CONFIG);
    let config = config.and_then(|(type_id, payload)| CspadConfig::parse(type_id.version(), payload).ok());
    config.is_some_and(|config| (panels as u32) < config.quads())
}

/// The first broken part of these datagrams: of a container, or of compressed data.
fn broken_part(pieces: &[Datagram<'_>]) -> Option<Error> {
    // Compressed data are broken if their parts do not fit, which the containers do not show.
    let in_leaves = |piece: &Datagram<'_>| {
        let mut compressed = piece.leaves().filter(|leaf| leaf.header.type_id.is_compressed());
        compressed.find_map(|leaf| plain_len(leaf.payload).err().map(|error| error.at(leaf.offset as u64)))
    };
    pieces.iter().find_map(|piece| piece.check().err().or_else(|| in_leaves(piece)))
}

/// The fault of an event without a picture of the detector.
fn without_picture(event: &Event, pieces: &[Datagram<'_>]) -> Outcome<Fault> {
    pieces.iter().try_for_each(Datagram::check)?;
    let damage = Damage(event.damage.0 | damage_of_event(pieces.iter().copied()).0);
    // Without damage the detector was simply not read at this event.
    Ok(match damage.is_none() {
        true => Fault::missing("pictures of the detector"),
        false => Fault::lost("a picture", damage),
    })
}

/// Collects attributes and conditions, also the ones recorded with the frame.
fn describe(
    event: &Event,
    datagram: &Datagram<'_>,
    src: Src,
    names: &mut Names,
    picture: &mut Picture,
) -> Result<()> {
    let attributes = &mut picture.attributes;
    let fiducial = event.stamp.fiducial();
    // A larger number means that the event has none.
    if fiducial < FIDUCIAL_PERIOD {
        attributes.push((names.of("Fiducial"), AttributeValue::Uint(fiducial.into())));
    }
    if picture.damage != 0 {
        attributes.push((names.of("Damage"), AttributeValue::Uint(picture.damage.into())));
    }
    if !event.damage.is_none() {
        attributes.push((names.of("EventDamage"), AttributeValue::Uint(event.damage.0.into())));
    }
    let is_recorded =
        |leaf: &Xtc<'_>| leaf.header.type_id.number() == id::RECORDED && is_same_sender(leaf.header.src, src);
    // Only runs of our own recorder have this leaf.
    let Some(leaf) = datagram.leaves().find(is_recorded) else { return Ok(()) };
    let recorded = Recorded::parse(leaf.payload)?;
    attributes.push((names.of("RecordedSequence"), AttributeValue::Uint(recorded.sequence)));
    for attribute in recorded.attributes {
        let (name, value) = attribute?;
        attributes.push((names.of(name), value_of(value, names)));
    }
    picture.flags = recorded.flags;
    Ok(())
}

fn value_of(value: RecordedValue<'_>, names: &mut Names) -> AttributeValue {
    match value {
        RecordedValue::Int(v) => AttributeValue::Int(v),
        RecordedValue::Uint(v) => AttributeValue::Uint(v),
        RecordedValue::Float(v) => AttributeValue::Float(v),
        RecordedValue::Text(text) => AttributeValue::Text(names.of(text)),
    }
}
