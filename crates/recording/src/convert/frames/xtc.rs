//! XTC of LCLS-I, as `xtc_recorder` writes it.

use livetime_codecs::BlockpackTier;
use livetime_formats::file::NewFile;
use livetime_formats::xtc1::compressed::{Compressor, Engine};
use livetime_formats::xtc1::data::{ArrayLeaf, write_recorded};
use livetime_formats::xtc1::{Builder, Damage, DatagramHeader, Src, TypeId, XtcHeader, id};
use livetime_formats::{Error, Result};
use livetime_frame::{AttributeValue, Frame, Header};

use super::sink::{Item, Sink, damage_of, sequence_of};
use crate::Detector;

/// The value that means "no fiducial".
const NO_FIDUCIAL: u32 = 0x1_FFFF;
/// Sender of the pictures in the new file if the input has no sender of LCLS-I: an XTC file must name one.
const SENDER: &str = "DetLab-0|Opal1000-0";
/// The node that recorded: this machine to itself.
const SEGMENT: Src = Src::segment(0x7F00_0001);
/// Bytes that are written with one system call.
const BLOCK: usize = 2 << 20;

/// A new XTC file.
pub(super) struct XtcSink<'n> {
    file: &'n mut NewFile,
    src: Src,
    compressor: Option<Compressor>,
    out: Vec<u8>,
    datagram: Vec<u8>,
}

impl<'n> XtcSink<'n> {
    pub(super) fn create(
        new: &'n mut NewFile,
        detector: &Detector,
        engine: Engine,
        tier: BlockpackTier,
    ) -> Result<XtcSink<'n>> {
        let src = detector.sender().map_or_else(|| Src::named(SENDER), Ok)?;
        let compressor = (engine != Engine::NONE).then(|| Compressor::new(engine)).transpose()?;
        let compressor = compressor.map(|compressor| compressor.with_tier(tier));
        Ok(XtcSink { file: new, src, compressor, out: Vec::new(), datagram: Vec::new() })
    }

    fn write_out(&mut self) -> Result<()> {
        self.file.append(&[&self.out])?;
        self.out.clear();
        Ok(())
    }
}

impl Sink for XtcSink<'_> {
    fn add(&mut self, item: &Item<'_>) -> Result<()> {
        let Item { frame, event, .. } = *item;
        let array = frame.array().map_err(|e| Error::new("an array", e.to_string()))?;
        let leaf = ArrayLeaf::of(array.layout())?;
        let elements = array.bytes();
        let damage = Damage(damage_of(frame));
        let header = |src, type_id| XtcHeader { damage, ..XtcHeader::new(src, type_id) };
        self.datagram.clear();
        let mut builder = Builder::new(&mut self.datagram, &event_of(item, damage));
        builder.open(XtcHeader::new(SEGMENT, TypeId::CONTAINER))?;
        builder.leaf_with(XtcHeader::new(self.src, TypeId::new(id::RECORDED, 1)), |out| {
            write_recorded(&recorded(frame, event), out);
            Ok(())
        })?;
        let plain_len = leaf.header().len() + elements.len();
        let panel = leaf.panel(elements)?;
        // As in `convert`, damaged pictures are copied unchanged: their sizes may contradict their headers.
        let compressor = self.compressor.as_mut().filter(|_| damage.is_none());
        let packed = compressor.map(|compressor| {
            builder.leaf_with(header(self.src, leaf.type_id().compressed()), |out| {
                let start = out.len();
                compressor.encode(&[panel], out)?;
                // An error takes the leaf back: an uncompressed one is written instead.
                let is_smaller = out.len() - start < plain_len;
                if is_smaller { Ok(()) } else { Err(Error::new("fewer bytes", "not fewer")) }
            })
        });
        if !matches!(packed, Some(Ok(()))) {
            // Extents of XTC are multiples of four bytes.
            let padding = &[0; 3][..plain_len.wrapping_neg() % 4];
            builder.leaf(header(self.src, leaf.type_id()), &[leaf.header(), elements, padding])?;
        }
        builder.finish()?;
        self.out.extend_from_slice(&self.datagram);
        if self.out.len() >= BLOCK { self.write_out() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<(String, u64)>> {
        self.write_out()?;
        Ok(Vec::new())
    }
}

/// The frame's header as it is recorded, without the attributes that the reader of the input added.
fn recorded(frame: &Frame, event: usize) -> Header {
    let header = frame.header();
    let mut attributes = livetime_frame::Attributes::default();
    for attribute in header.attributes.iter() {
        if !matches!(&*attribute.name, "Damage" | "RecordedSequence") {
            attributes.set(&attribute.name, attribute.value.clone());
        }
    }
    Header { sequence: sequence_of(frame, event), attributes, ..header.clone() }
}

fn event_of(item: &Item<'_>, damage: Damage) -> DatagramHeader {
    let fiducial = match item.frame.header().attributes.get("Fiducial") {
        Some(AttributeValue::Uint(v)) => u32::try_from(*v).ok(),
        Some(AttributeValue::Int(v)) => u32::try_from(*v).ok(),
        _ => None,
    };
    let fiducial = fiducial.filter(|f| *f < NO_FIDUCIAL).unwrap_or(NO_FIDUCIAL);
    let time_ns = u64::try_from(item.time_ns).unwrap_or(0);
    let mut header = DatagramHeader::event(time_ns, fiducial);
    header.root.damage = damage;
    header
}
