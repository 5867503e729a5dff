//! Events in memory, decompressed.

use std::ops::Range;

use livetime_formats::Result;
use livetime_formats::xtc1::compressed::Decompressor;
use livetime_formats::xtc1::data::{Candidate, damage_of_event, first_readable, panels, pictures_of};
use livetime_formats::xtc1::run as lcls1;
use livetime_formats::xtc1::{self, Configs, Damage, Src, TypeId, XtcHeader};
use livetime_formats::xtc2::{self, run as lcls2};
use livetime_frame::DType;

use super::recording::{EventBytes, Run};
use super::{Detector, Recording};
use crate::account::{Fault, FaultKind, Outcome};

/// Takes number, type, shape and pixels of a panel.
pub(crate) type Visitor<'v, 'a> = dyn FnMut(u32, DType, &[usize], &'a [u8]) -> Outcome + 'v;

/// What a thread needs to read events.
#[derive(Default)]
pub(crate) struct Reader {
    bytes: EventBytes,
    decompressor: Decompressor,
}

/// The pictures of one event. Keeps its memory for the next.
#[derive(Default)]
pub(crate) struct Slot {
    /// Where the event is in the run.
    index: usize,
    /// As read; of another event if everything was compressed.
    bytes: EventBytes,
    /// What was decompressed, and what is left of events before.
    plain: Vec<u8>,
    leaf: Option<Leaf>,
    file_bytes: u64,
}

/// A leaf of LCLS-I with pictures.
struct Leaf {
    type_id: TypeId,
    src: Src,
    /// In a piece, or in what was decompressed.
    piece: Option<usize>,
    payload: Range<usize>,
}

impl Slot {
    /// Reads event number `event` and decompresses the pictures of `detector`.
    pub(crate) fn read(
        &mut self,
        reader: &mut Reader,
        recording: &Recording,
        detector: &Detector,
        event: usize,
    ) -> Outcome {
        let wanted = || Fault::new(FaultKind::Unreadable, "wanted an event of the run, found none");
        (self.index, self.file_bytes) = (recording.index(event).ok_or_else(wanted)?, 0);
        match (&recording.run, detector) {
            (Run::Lcls1(run), Detector::Lcls1(src)) => self.read_lcls1(reader, run, *src),
            (Run::Lcls2(run), _) => {
                run.read(&run.events()[self.index], &mut self.bytes)?;
                self.file_bytes = self.bytes.size();
                Ok(())
            }
            (Run::Lcls1(_), _) => Err(Fault::new(FaultKind::Missing, "wanted a detector of LCLS-I")),
        }
    }

    /// How many bytes were read from files.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Shows all panels to `visitor`.
    pub(crate) fn visit<'a>(
        &'a self,
        recording: &'a Recording,
        detector: &Detector,
        visitor: &mut Visitor<'_, 'a>,
    ) -> Outcome {
        match (&recording.run, detector) {
            (Run::Lcls1(run), _) => self.visit_leaf(run, visitor),
            (Run::Lcls2(run), Detector::Lcls2 { name, algorithm, field, .. }) => {
                self.visit_records(run, [name, algorithm, field], visitor)
            }
            (Run::Lcls2(_), _) => Err(Fault::new(FaultKind::Missing, "wanted a detector of LCLS-II")),
        }
    }

    fn read_lcls1(&mut self, reader: &mut Reader, run: &lcls1::Run, src: Src) -> Outcome {
        let event = &run.events()[self.index];
        let configs = run.configs(event);
        let Reader { bytes, decompressor } = reader;
        run.read(event, bytes)?;
        self.file_bytes = bytes.size();
        self.leaf = None;
        let pieces = bytes.pieces().map(xtc1::Datagram::parse).collect::<Result<Vec<_>>>()?;
        let candidates = pictures_of(pieces.iter().copied(), src);
        let good: Vec<Candidate<'_>> = candidates.iter().filter(|c| !c.is_damaged()).copied().collect();
        let plain = &mut self.plain;
        let read = |c: &Candidate<'_>| Leaf::read(c, (&mut *decompressor, configs), plain, good.len() > 1);
        match (first_readable(&good, read)?, candidates.first()) {
            (Some(leaf), _) => {
                // What was read is needed no more if all was compressed; its memory is still in the cache.
                if leaf.piece.is_some() {
                    std::mem::swap(bytes, &mut self.bytes);
                }
                self.leaf = Some(leaf);
                Ok(())
            }
            (None, Some(damaged)) => {
                let damage = damaged.leaf.header.damage;
                let why = format!("wanted an undamaged picture, found only one with damage: {damage}");
                Err(Fault::new(FaultKind::Damaged, why))
            }
            (None, None) => Err(without_picture(event, &pieces)?),
        }
    }

    fn visit_leaf<'a>(&'a self, run: &lcls1::Run, visitor: &mut Visitor<'_, 'a>) -> Outcome {
        let configs = run.configs(&run.events()[self.index]);
        let Some(leaf) = &self.leaf else { return Ok(()) };
        let whole = match leaf.piece {
            Some(number) => self.bytes.pieces().nth(number).unwrap_or_default(),
            None => &self.plain,
        };
        let payload = whole.get(leaf.payload.clone()).unwrap_or_default();
        for panel in panels(leaf.type_id, leaf.src, payload, configs)? {
            visitor(panel.number, panel.dtype, panel.shape(), panel.pixels)?;
        }
        Ok(())
    }

    fn visit_records<'a>(
        &'a self,
        run: &'a lcls2::Run,
        [name, algorithm, field]: [&str; 3],
        visitor: &mut Visitor<'_, 'a>,
    ) -> Outcome {
        let event = &run.events()[self.index];
        let is_meant =
            |r: &xtc2::Record<'_, '_>| (&*r.names.detector, &*r.names.algorithm.name) == (name, algorithm);
        let segments = xtc2::segments(run.records(event, &self.bytes).filter(is_meant));
        for record in segments.iter().filter(|record| record.damage.is_none()) {
            let value = record.value(field)?;
            visitor(record.names.segment, value.dtype, value.shape(), value.bytes)?;
        }
        match segments.iter().map(|record| record.damage).find(|damage| !damage.is_none()) {
            _ if segments.iter().any(|record| record.damage.is_none()) => Ok(()),
            Some(damage) => {
                let why = format!("wanted an undamaged record, found only one with damage: {damage}");
                Err(Fault::new(FaultKind::Damaged, why))
            }
            None => Err(without_record(&self.bytes)?),
        }
    }
}

impl Leaf {
    /// Finds the payload of a leaf; if that is compressed, it becomes plain. `is_checked`: whether it must hold panels, because there
    /// is another one that could be taken.
    fn read(
        candidate: &Candidate<'_>,
        (decompressor, configs): (&mut Decompressor, &Configs),
        plain: &mut Vec<u8>,
        is_checked: bool,
    ) -> Result<Leaf> {
        let leaf = &candidate.leaf;
        let (type_id, src) = (leaf.header.type_id, leaf.header.src);
        let (piece, payload) = if type_id.is_compressed() {
            let decoded = decompressor.decode_at(leaf.payload, configs, plain, 0);
            (None, 0..decoded.map_err(|e| e.at(leaf.offset as u64))?)
        } else {
            let start = leaf.offset + XtcHeader::LEN;
            (Some(candidate.piece), start..start + leaf.payload.len())
        };
        if is_checked {
            let found = if piece.is_some() { leaf.payload } else { &plain[payload.clone()] };
            panels(type_id.plain(), src, found, configs)?;
        }
        Ok(Leaf { type_id: type_id.plain(), src, piece, payload })
    }
}

/// Where the event is whole the detector was not read, else its data may have been lost.
fn without_picture(event: &lcls1::Event, pieces: &[xtc1::Datagram<'_>]) -> Outcome<Fault> {
    pieces.iter().try_for_each(xtc1::Datagram::check)?;
    let damage = Damage(event.damage.0 | damage_of_event(pieces.iter().copied()).0);
    if damage.is_none() {
        return Ok(Fault::new(FaultKind::Missing, "wanted pictures of the detector, found none"));
    }
    let why = format!("wanted a picture, found none in an event with damage: {damage}");
    Ok(Fault::new(FaultKind::Damaged, why))
}

/// The same of LCLS-II.
fn without_record(bytes: &EventBytes) -> Outcome<Fault> {
    let pieces = bytes.pieces().map(xtc2::Datagram::parse).collect::<Result<Vec<_>>>()?;
    pieces.iter().try_for_each(xtc2::Datagram::check)?;
    let damage = xtc2::damage_of_event(pieces);
    if damage.is_none() {
        return Ok(Fault::new(FaultKind::Missing, "wanted a record of the detector, found none"));
    }
    let why = format!("wanted a record, found none in an event with damage: {damage}");
    Ok(Fault::new(FaultKind::Damaged, why))
}
