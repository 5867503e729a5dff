//! Runs of LCLS-II (XTC2).

mod records;
mod small_data;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use livetime_formats::file::{self, Head};
use livetime_formats::xtc2::run::{self, Apart, EventBytes, Piece, Problem};
use livetime_formats::xtc2::{
    Damage, Datagram, DatagramHeader, Field, FieldType, Names, Record, Transition, damage_of_event, segments,
};
use livetime_formats::{Error, Result};
use livetime_frame::{AttributeValue, ColorMode};

use crate::damage::{DamageWords, Outcome};
use crate::detector::{Naming, Part};
use crate::format::{Format, Sign, no_attribute};
use crate::picture::place_in;
use crate::records::{RecordPlace, RunChange, SegmentRecord};
use crate::run::{Pause, Run, bytes_of, in_words};
use crate::{Change, Condition, Detector, Fault, FaultKind, Panel, Picture, Reader, SmallValue, Wanted};

pub(crate) static FORMAT: Format = Format {
    name: "xtc2",
    label: "xtc2",
    file: "an XTC file of LCLS-I or LCLS-II",
    is_named: |path| Ok(matches!(file::Format::of(path), Some(file::Format::Xtc2 | file::Format::SmallXtc2))),
    sign: Sign::Header(|begin| DatagramHeader::parse(begin.head).is_ok()),
    files_of: run::Run::files_of_from,
    open: |opening| {
        let (stores, paths) = (opening.stores, opening.paths);
        let open = if opening.is_only { run::Run::open_only } else { run::Run::open_from };
        let run = open(stores, paths);
        Ok(Box::new(Lcls2::of(run?)))
    },
    open_places: Some(|stores, places| Ok(Box::new(Lcls2::of(run::Run::open_places(stores, places)?)))),
    datagrams: Some(file::Format::Xtc2),
    keeps_frames: false,
    becomes_xtc: false,
    is_attribute: no_attribute,
    naming: &NAMING,
    // Damage of LCLS-II has 16 bits.
    damage: DamageWords { what: "record", in_words: |damage| Damage(damage as u16).to_string() },
};

/// A detector is an array in the records of an algorithm.
static NAMING: Naming = Naming {
    format: "xtc2",
    one: "a field with arrays",
    name_of_one: "the names of one field with arrays",
    list,
    fits: |wanted, detector| Ok(fits(wanted, detector)),
    key: "lcls2",
    parts: |detector| {
        let texts = [detector.name(), detector.algorithm(), detector.field()];
        let texts = texts.into_iter().map(|text| Part::Text(text.to_owned()));
        texts.chain([Part::Number(detector.rank())]).collect()
    },
    of_parts: |parts| match parts {
        [Part::Text(name), Part::Text(algorithm), Part::Text(field), Part::Number(rank)] => {
            Some(Detector::new(&NAMING, name, *rank).with_field(algorithm, field))
        }
        _ => None,
    },
};

fn fits(wanted: &Wanted, detector: &Detector) -> bool {
    let is = |wanted: &str, name: &str| wanted.is_empty() || wanted == name;
    let whole = detector.to_string();
    let begins = whole.strip_prefix(&wanted.detector);
    // A name may be given as one text with dots, of which the beginning is enough.
    let is_named = is(&wanted.detector, detector.name())
        || begins.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    is_named && is(&wanted.algorithm, detector.algorithm()) && is(&wanted.field, detector.field())
}

fn list(detectors: &[&Detector]) -> String {
    let text = |detector: &&Detector| {
        let (name, algorithm, field) = (detector.name(), detector.algorithm(), detector.field());
        format!("`detector: {name}, algorithm: {algorithm}, field: {field}`")
    };
    let all: Vec<String> = detectors.iter().map(text).collect();
    if all.is_empty() { "none".into() } else { all.join("; ") }
}

/// Slow updates before an event that are searched for values in force; psana searches as many. The limit bounds the
/// reads for one event.
const MOST_UPDATES: usize = 10;

#[derive(Debug)]
struct Lcls2 {
    run: run::Run,
    pause: Pause,
    /// The segments of each detector and algorithm, by everything the run said about them.
    segments: BTreeMap<(String, String), BTreeSet<u32>>,
}

impl Lcls2 {
    fn of(run: run::Run) -> Lcls2 {
        let mut opened = Lcls2 { pause: Pause::new(run.is_growing()), run, segments: BTreeMap::new() };
        opened.note_segments();
        opened
    }

    fn note_segments(&mut self) {
        for names in self.run.tables().flat_map(|table| table.all()) {
            let key = (names.detector.clone(), names.algorithm.name.clone());
            self.segments.entry(key).or_default().insert(names.segment);
        }
    }

    fn segments_of(&self, name: &str, algorithm: &str) -> usize {
        let is_it = |key: &&(String, String)| key.0 == name && key.1 == algorithm;
        self.segments.keys().find(is_it).map_or(0, |key| self.segments[key].len())
    }
}

impl Run for Lcls2 {
    fn events(&self) -> usize {
        self.run.events().len()
    }

    fn time_ns(&self, event: usize) -> u64 {
        self.run.events().get(event).map_or(0, |e| e.event_time_ns)
    }

    fn place(&self, position: usize) -> Option<(&Path, String)> {
        let event = self.run.events().get(position)?;
        let piece = self.run.pieces(event).next();
        // An event without a piece is not known; the path is only for messages.
        let path = piece.and_then(|piece| self.run.files().nth(piece.file as usize)).unwrap_or(Path::new(""));
        Some((path, format!("{} ns", event.event_time_ns)))
    }

    fn files(&self) -> Vec<PathBuf> {
        self.run.files().map(Path::to_owned).collect()
    }

    fn pieces(&self, event: usize) -> Vec<Piece> {
        self.run.events().get(event).map_or_else(Vec::new, |e| self.run.pieces(e).copied().collect())
    }

    fn event_bytes(&self, event: usize) -> u64 {
        let event = self.run.events().get(event);
        event.map_or(0, |e| bytes_of(self.run.pieces(e)))
    }

    fn state(&self) -> Vec<Piece> {
        self.run.state().to_vec()
    }

    fn transitions(&self) -> Vec<crate::Transition> {
        let events = self.run.events();
        let of = |t: &run::RunTransition| {
            let time_ns = t.header.event_time_ns;
            let change = Change::named(&t.header.transition().to_string())?;
            // Changes count at the first event behind them.
            let event = events.partition_point(|event| event.event_time_ns < time_ns);
            Some(crate::Transition { change, time_ns, event, run_number: None })
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
            // A transition that cannot be read was told when it was scanned.
            self.run.read_transition(transition, &mut bytes).ok()?;
            let (stream, error) = broken_part(&bytes)?;
            let name = transition.header.transition();
            let file = self.run.transition_pieces(transition).nth(stream)?.file;
            let path = self.run.files().nth(file as usize)?.to_owned();
            Some(crate::Problem { path, event: None, why: format!("{name}: {error}") })
        });
        let broken = broken.collect();
        (all.len(), broken)
    }

    fn is_growing(&self) -> bool {
        self.run.is_growing()
    }

    fn may_grow(&self) -> bool {
        let ends = |t: Transition| matches!(t, Transition::EndRun | Transition::Unconfigure);
        let has_ended = self.run.transitions().last().is_some_and(|t| ends(t.header.transition()));
        // A file that has ended does not grow any more, but a run may go on in a next one.
        self.pause.may_go_on(self.run.is_growing(), has_ended)
    }

    fn refresh(&mut self) -> Result<()> {
        self.run.refresh()?;
        self.pause.look(self.run.is_growing());
        self.note_segments();
        Ok(())
    }

    /// The arrays that the run describes.
    fn detectors(&self, _: &Wanted) -> Result<Vec<Detector>> {
        let all: BTreeSet<Detector> =
            self.run.tables().flat_map(|table| table.all()).flat_map(arrays).collect();
        Ok(all.into_iter().collect())
    }

    fn read(
        &self,
        detector: &Detector,
        number: usize,
        reader: &mut Reader,
        picture: &mut Picture,
        apart: &mut Apart<'_>,
    ) -> Outcome {
        // A name of another format could fit by chance.
        if detector.format_name() != NAMING.format {
            return Err(Fault::missing("a detector of LCLS-II"));
        }
        let (name, algorithm) = (detector.name(), detector.algorithm());
        let event = self.run.events().get(number).ok_or_else(Fault::no_event)?;
        picture.time_ns = event.event_time_ns;
        self.run.read_apart(event, &mut reader.bytes, apart)?;
        picture.file_bytes = reader.bytes.size();
        let is_its = |r: &Record<'_, '_>| r.names.detector == name && r.names.algorithm.name == algorithm;
        let records = segments(self.run.records(event, &reader.bytes).filter(is_its));
        if records.is_empty() {
            return Err(without_record(&reader.bytes)?);
        }
        let good = take(&records, detector.field(), &reader.bytes, picture)?;
        judge(good, records.len(), self.segments_of(name, algorithm), picture);
        picture.broken_beside = broken_part(&reader.bytes).map(|(_, error)| error.to_string());
        if picture.damage != 0 {
            let damage = AttributeValue::Uint(picture.damage.into());
            picture.attributes.push((reader.names.of("Damage"), damage));
        }
        // The bytes are not copied: the picture takes them, and the reader gets the old memory of the
        // picture.
        std::mem::swap(&mut reader.bytes, &mut picture.bytes);
        Ok(())
    }

    fn read_part(&self, number: usize, piece: usize, start: usize, bytes: &mut [u8]) -> Result<()> {
        let event = self.run.events().get(number);
        let piece = event.and_then(|event| self.run.pieces(event).nth(piece));
        let piece = piece.ok_or_else(|| Error::new("a piece of an event", "none"))?;
        self.run.read_part(piece, start, bytes)
    }

    fn small_data(&self, number: usize, reader: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let event = self.run.events().get(number).ok_or_else(Fault::no_event)?;
        self.run.read(event, &mut reader.bytes)?;
        Ok(self.run.records(event, &reader.bytes).flat_map(|record| small_data::of_record(&record)).collect())
    }

    /// The transitions before the event, up to the last Configure; of slow updates the last ones: one may have the quick variables
    /// only.
    fn configuration(&self, number: usize, reader: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let event = self.run.events().get(number).ok_or_else(Fault::no_event)?;
        let before = self.run.transitions().iter().rev();
        // The walk goes backwards, because later values win.
        let before = before.skip_while(|t| t.header.event_time_ns > event.event_time_ns);
        let (mut found, mut updates) = (Vec::<SmallValue>::new(), 0);
        for transition in before {
            let kind = transition.header.transition();
            if kind == Transition::SlowUpdate {
                updates += 1;
                if updates > MOST_UPDATES {
                    // Older updates are passed over, and the walk goes on to the Configure.
                    continue;
                }
            }
            self.run.read_transition(transition, &mut reader.bytes)?;
            let records = self.run.transition_records(transition, &reader.bytes);
            let values: Vec<SmallValue> = records.flat_map(|record| small_data::of_record(&record)).collect();
            // Later updates come first here, and an older value of the same name is no longer in force.
            let is_new = |v: &SmallValue| found.iter().all(|f| (&f.source, &f.name) != (&v.source, &v.name));
            let new: Vec<SmallValue> = values.into_iter().filter(is_new).collect();
            found.extend(new);
            if kind == Transition::Configure {
                break;
            }
        }
        Ok(found)
    }

    fn changes(&self) -> Vec<RunChange> {
        self.all_changes()
    }

    fn records(
        &self,
        place: RecordPlace,
        wanted: &[String],
        reader: &mut Reader,
    ) -> Outcome<Vec<SegmentRecord>> {
        self.records_at(place, wanted, reader)
    }

    fn names(&self, change: usize, reader: &mut Reader) -> Outcome<Vec<(usize, Names)>> {
        self.names_at(change, reader)
    }
}

/// The fields of a description that hold arrays of numbers at events.
fn arrays(names: &Names) -> impl Iterator<Item = Detector> {
    let is_array = |field: &&Field| field.rank > 0 && matches!(field.field_type, FieldType::Number(_));
    // A configuration is in transitions only.
    let fields = names.fields.iter().filter(|_| names.algorithm.name != "config").filter(is_array);
    fields.map(|field| {
        let detector = Detector::new(&NAMING, &names.detector, field.rank);
        detector.with_field(&names.algorithm.name, &field.name)
    })
}

/// Notes the segments as panels; returns how many of them are undamaged. A damaged segment that cannot be read is left out.
fn take(
    records: &[Record<'_, '_>],
    field: &str,
    bytes: &EventBytes,
    picture: &mut Picture,
) -> Outcome<usize> {
    let (mut good, mut unreadable) = (0, None);
    for record in records {
        let damage = u32::from(record.damage.0);
        let value = match record.value(field) {
            Ok(value) => value,
            // An undamaged record that cannot be read is an error of the file and no loss of the detector.
            Err(error) if record.damage.is_none() => return Err(error.into()),
            Err(error) => {
                picture.damage |= damage;
                unreadable = unreadable.or(Some(error));
                continue;
            }
        };
        good += usize::from(record.damage.is_none());
        let (number, dtype, color) = (record.names.segment, value.dtype, ColorMode::Mono);
        let panel = Panel { number, dtype, color, shape: value.shape(), bytes: value.bytes, damage };
        let (piece, place) = place_of(value.bytes, bytes);
        picture.add(&panel, Some(piece), place)?;
    }
    match unreadable {
        // One readable segment makes a picture, so a broken one beside it is only noted.
        Some(error) if picture.panels().next().is_none() => Err(Fault::new(FaultKind::Lost, error)),
        _ => Ok(good),
    }
}

/// Which piece of the event contains `part`, and at which bytes.
fn place_of(part: &[u8], bytes: &EventBytes) -> (usize, std::ops::Range<usize>) {
    let mut pieces =
        bytes.pieces().enumerate().map(|(number, piece)| (number, piece.len(), place_in(piece, part)));
    let found = pieces.find(|(_, length, place)| place.end <= *length);
    // A part of no piece cannot occur: values are cut out of the pieces.
    found.map_or((0, 0..0), |(number, _, place)| (number, place))
}

/// A segment is damaged if its record says so; the others stay good. Records were found of `found` of the `wanted`
/// segments, and `good` of these are undamaged.
fn judge(good: usize, found: usize, wanted: usize, picture: &mut Picture) {
    // A missing segment counts as damage, because the run promised it.
    if found < wanted {
        picture.damage |= u32::from(Damage::DROPPED.0);
    }
    picture.condition = match good {
        0 => Condition::Damaged,
        _ if good < wanted => Condition::Partial,
        _ => Condition::Whole,
    };
}

/// The first part of these datagrams that means nothing, and the place of its datagram among them.
fn broken_part(bytes: &EventBytes) -> Option<(usize, Error)> {
    let whole = bytes.pieces().map(Datagram::parse).enumerate();
    let mut whole = whole.filter_map(|(place, piece)| Some((place, piece.ok()?)));
    whole.find_map(|(place, piece)| Some((place, piece.check().err()?)))
}

/// The fault of an event without a record of the detector.
fn without_record(bytes: &EventBytes) -> Outcome<Fault> {
    let pieces = bytes.pieces().map(Datagram::parse).collect::<Result<Vec<_>>>()?;
    pieces.iter().try_for_each(Datagram::check)?;
    // Without damage the detector was simply not read at this event.
    let damage = damage_of_event(pieces);
    Ok(match damage.is_none() {
        true => Fault::missing("a record of the detector"),
        false => Fault::lost("a record", damage),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_fields_a_picture_is_meant() {
        let field = |field, rank| Detector::new(&NAMING, "epix", rank).with_field("raw", field);
        let found = [field("raw", 3), field("trailer", 1), field("header", 1)];
        assert_eq!(Wanted::from("epix").meant(&found).unwrap(), [&found[0]]);
        assert_eq!(Wanted::from("epix.raw.header").meant(&found).unwrap(), [&found[2]]);
        assert_eq!(Wanted::default().meant(&found[1..]).unwrap().len(), 2);
        assert_eq!(Wanted::from(&found[1]).meant(&found).unwrap(), [&found[1]]);
    }
}
