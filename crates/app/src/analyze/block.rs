//! Events in memory, decompressed.

use std::ops::Range;

use livetime_formats::Result;
use livetime_formats::xtc1::compressed::Decompressor;
use livetime_formats::xtc1::data::{panels, picture_leaves};
use livetime_formats::xtc1::run as lcls1;
use livetime_formats::xtc1::{self, Configs, Damage, Src, TypeId, Xtc, XtcHeader};
use livetime_formats::xtc2::{self, run as lcls2};
use livetime_frame::DType;

use super::account::Outcome;
use super::recording::{EventBytes, Run};
use super::{Detector, Fault, FaultKind, Recording};

/// So many bytes of events and of their pictures are in a block, or one event. Fewer in tests, which want many blocks of small pictures.
pub const BLOCK_BYTES: usize = if cfg!(test) { 256 << 10 } else { 32 << 20 };

/// Takes number, type, shape and pixels of a panel.
pub(super) type Visitor<'v, 'a> = dyn FnMut(u32, DType, &[usize], &'a [u8]) -> Outcome + 'v;

/// What a thread needs to read events.
#[derive(Default)]
pub(super) struct Reader {
    bytes: EventBytes,
    decompressor: Decompressor,
}

/// The pictures of one event. Keeps its memory for the next.
#[derive(Default)]
pub(super) struct Slot {
    event: usize,
    /// As read; of another event if everything was compressed.
    bytes: EventBytes,
    /// What was decompressed, and what is left of events before.
    plain: Vec<u8>,
    leaves: Vec<Leaf>,
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
    pub(super) fn read(
        &mut self,
        reader: &mut Reader,
        recording: &Recording,
        detector: &Detector,
        event: usize,
    ) -> Outcome {
        (self.event, self.file_bytes) = (event, 0);
        match (&recording.run, detector) {
            (Run::Lcls1(run), Detector::Lcls1(src)) => self.read_lcls1(reader, run, *src),
            (Run::Lcls2(run), _) => {
                run.read(&run.events()[event], &mut self.bytes)?;
                self.file_bytes = self.bytes.size();
                Ok(())
            }
            (Run::Lcls1(_), _) => Err(Fault::new(FaultKind::Missing, "wanted a detector of LCLS-I")),
        }
    }

    /// How many bytes were read from files.
    pub(super) fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Shows all panels to `visitor`.
    pub(super) fn visit<'a>(
        &'a self,
        recording: &'a Recording,
        detector: &Detector,
        visitor: &mut Visitor<'_, 'a>,
    ) -> Outcome {
        match (&recording.run, detector) {
            (Run::Lcls1(run), _) => self.visit_leaves(run, visitor),
            (Run::Lcls2(run), Detector::Lcls2 { name, algorithm, field, .. }) => {
                self.visit_records(run, [name, algorithm, field], visitor)
            }
            (Run::Lcls2(_), _) => Err(Fault::new(FaultKind::Missing, "wanted a detector of LCLS-II")),
        }
    }

    fn read_lcls1(&mut self, reader: &mut Reader, run: &lcls1::Run, src: Src) -> Outcome {
        let event = &run.events()[self.event];
        let configs = run.configs(event);
        let Reader { bytes, decompressor } = reader;
        run.read(event, bytes)?;
        self.file_bytes = bytes.size();
        self.leaves.clear();
        let mut end = 0;
        for (number, piece) in bytes.pieces().enumerate() {
            let datagram = xtc1::Datagram::parse(piece)?;
            for leaf in picture_leaves(&datagram).filter(|l| l.header.src.phy == src.phy) {
                check_damage(leaf.header.damage)?;
                let found = Leaf::find(&leaf, number, (decompressor, configs), &mut self.plain, end)?;
                end = if found.piece.is_none() { found.payload.end } else { end };
                self.leaves.push(found);
            }
        }
        if self.leaves.is_empty() {
            // Where the event is whole the detector was not read, else its data may have been lost.
            check_damage(event.damage)?;
            bytes.pieces().try_for_each(|piece| xtc1::Datagram::parse(piece)?.check())?;
            return Err(Fault::new(FaultKind::Missing, "wanted pictures of the detector, found none"));
        }
        // What was read is needed no more if all was compressed; its memory is still in the cache.
        if self.leaves.iter().any(|leaf| leaf.piece.is_some()) {
            std::mem::swap(bytes, &mut self.bytes);
        }
        Ok(())
    }

    fn visit_leaves<'a>(&'a self, run: &lcls1::Run, visitor: &mut Visitor<'_, 'a>) -> Outcome {
        let configs = run.configs(&run.events()[self.event]);
        for leaf in &self.leaves {
            let whole = match leaf.piece {
                Some(number) => self.bytes.pieces().nth(number).unwrap_or_default(),
                None => &self.plain,
            };
            let payload = whole.get(leaf.payload.clone()).unwrap_or_default();
            for panel in panels(leaf.type_id, leaf.src, payload, configs)? {
                visitor(panel.number, panel.dtype, panel.shape(), panel.pixels)?;
            }
        }
        Ok(())
    }

    fn visit_records<'a>(
        &'a self,
        run: &'a lcls2::Run,
        [name, algorithm, field]: [&str; 3],
        visitor: &mut Visitor<'_, 'a>,
    ) -> Outcome {
        let mut is_missing = true;
        for record in run.records(&run.events()[self.event], &self.bytes) {
            if (&*record.names.detector, &*record.names.algorithm.name) != (name, algorithm) {
                continue;
            }
            if !record.damage.is_none() {
                return Err(Fault::new(FaultKind::Damaged, record.damage));
            }
            let value = record.value(field)?;
            visitor(record.names.segment, value.dtype, value.shape(), value.bytes)?;
            is_missing = false;
        }
        if is_missing {
            self.bytes.pieces().try_for_each(|piece| xtc2::Datagram::parse(piece)?.check())?;
            return Err(Fault::new(FaultKind::Missing, "wanted a record of the detector, found none"));
        }
        Ok(())
    }
}

impl Leaf {
    /// Finds the payload of `leaf`. If that is compressed, it becomes plain from `end` of `plain` on.
    fn find(
        leaf: &Xtc<'_>,
        piece: usize,
        (decompressor, configs): (&mut Decompressor, &Configs),
        plain: &mut Vec<u8>,
        end: usize,
    ) -> Result<Leaf> {
        let (type_id, src) = (leaf.header.type_id, leaf.header.src);
        let (piece, payload) = if type_id.is_compressed() {
            let decoded = decompressor.decode_at(leaf.payload, configs, plain, end);
            (None, end..end + decoded.map_err(|e| e.at(leaf.offset as u64))?)
        } else {
            let start = leaf.offset + XtcHeader::LEN;
            (Some(piece), start..start + leaf.payload.len())
        };
        Ok(Leaf { type_id: type_id.plain(), src, piece, payload })
    }
}

fn check_damage(damage: Damage) -> Outcome {
    if damage.is_none() { Ok(()) } else { Err(Fault::new(FaultKind::Damaged, damage)) }
}
