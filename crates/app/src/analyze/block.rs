//! Events in memory, decompressed.

use std::ops::Range;

use livetime_formats::Result;
use livetime_formats::xtc1::compressed::Decompressor;
use livetime_formats::xtc1::data::{panels, picture_leaves};
use livetime_formats::xtc1::run as lcls1;
use livetime_formats::xtc1::{self, Damage, Src, TypeId, Xtc, XtcHeader};
use livetime_formats::xtc2::run as lcls2;
use livetime_frame::DType;

use super::account::Outcome;
use super::recording::{EventBytes, Run};
use super::{Detector, Fault, FaultKind, Recording};

/// About so many bytes of pictures are in a block.
pub const BLOCK_BYTES: usize = 32 << 20;

/// Takes number, type, shape and pixels of a panel.
pub(super) type Visitor<'v, 'a> = dyn FnMut(u32, DType, &[usize], &'a [u8]) -> Outcome + 'v;

/// The pictures of one event. Keeps its memory for the next.
#[derive(Default)]
pub(super) struct Slot {
    event: usize,
    bytes: EventBytes,
    plain: Vec<u8>,
    leaves: Vec<Leaf>,
    decompressor: Decompressor,
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
    pub(super) fn read(&mut self, recording: &Recording, detector: &Detector, event: usize) -> Outcome {
        self.event = event;
        match (&recording.run, detector) {
            (Run::Lcls1(run), Detector::Lcls1(src)) => self.read_lcls1(run, *src),
            (Run::Lcls2(run), _) => run.read(&run.events()[event], &mut self.bytes).map_err(Fault::from),
            (Run::Lcls1(_), _) => Err(Fault::new(FaultKind::Missing, "wanted a detector of LCLS-I")),
        }
    }

    /// How many bytes were read from files.
    pub(super) fn file_bytes(&self) -> u64 {
        self.bytes.size()
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

    fn read_lcls1(&mut self, run: &lcls1::Run, src: Src) -> Outcome {
        let event = &run.events()[self.event];
        run.read(event, &mut self.bytes)?;
        self.plain.clear();
        self.leaves.clear();
        for (number, piece) in self.bytes.pieces().enumerate() {
            let datagram = xtc1::Datagram::parse(piece)?;
            for leaf in picture_leaves(&datagram).filter(|l| l.header.src.phy == src.phy) {
                check_damage(leaf.header.damage)?;
                let found = keep(&leaf, number, &mut self.decompressor, &mut self.plain)?;
                self.leaves.push(found);
            }
        }
        if !self.leaves.is_empty() {
            return Ok(());
        }
        // Nothing of the detector; where the event is whole it was not read, else it may have been lost.
        check_damage(event.damage)?;
        self.check_trees()?;
        Err(Fault::new(FaultKind::Missing, "wanted pictures of the detector, found none"))
    }

    /// A container that is broken hides what is behind it.
    fn check_trees(&self) -> Result<()> {
        self.bytes.pieces().try_for_each(|piece| xtc1::Datagram::parse(piece)?.check())
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
            return Err(Fault::new(FaultKind::Missing, "wanted a record of the detector, found none"));
        }
        Ok(())
    }
}

/// Where a leaf's payload is; behind `plain` if it was compressed.
fn keep(leaf: &Xtc<'_>, piece: usize, decompressor: &mut Decompressor, plain: &mut Vec<u8>) -> Result<Leaf> {
    let type_id = leaf.header.type_id;
    let place = |piece, start, length| Leaf {
        type_id: type_id.plain(),
        src: leaf.header.src,
        piece,
        payload: start..start + length,
    };
    if !type_id.is_compressed() {
        return Ok(place(Some(piece), leaf.offset + XtcHeader::LEN, leaf.payload.len()));
    }
    let start = plain.len();
    decompressor.decode(leaf.payload, plain).map_err(|e| e.at(leaf.offset as u64))?;
    Ok(place(None, start, plain.len() - start))
}

fn check_damage(damage: Damage) -> Outcome {
    if damage.is_none() { Ok(()) } else { Err(Fault::new(FaultKind::Damaged, damage)) }
}
