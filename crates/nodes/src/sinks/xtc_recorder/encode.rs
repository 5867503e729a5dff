//! From a frame to a datagram.

use livetime_codecs::BlockpackTier;
use livetime_engine::ParamEnum;
use livetime_formats::xtc1::compressed::{Compressor, Engine};
use livetime_formats::xtc1::data::{ArrayLeaf, write_recorded};
use livetime_formats::xtc1::{Builder, Damage, DatagramHeader, Src, TypeId, XtcHeader, id};
use livetime_formats::{Error, Result};
use livetime_frame::{AttributeValue, Flags, Frame, Header};

use crate::packed::packed;
use crate::sinks::event_time::EventTime;

/// How data are compressed in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Compression {
    /// Not at all: every reader understands it.
    #[default]
    None,
    /// Hist16, for 16-bit integers: readers of the facility understand it.
    #[pv("Hist16")]
    Hist16,
    /// HistN, for 8- and 16-bit integers: readers of the facility understand it.
    #[pv("HistN")]
    Histn,
    /// Our own, for integers of 8, 16 and 32 bits: dense and fastest.
    Blockpack,
    /// Our own, a tenth smaller on noise, packed at about two thirds and unpacked at about a third of the speed.
    BlockpackDense,
}

impl Compression {
    fn engine(self) -> Engine {
        match self {
            Compression::None => Engine::NONE,
            Compression::Hist16 => Engine::HIST16,
            Compression::Histn => Engine::HISTN,
            Compression::Blockpack | Compression::BlockpackDense => Engine::BLOCKPACK,
        }
    }

    fn tier(self) -> BlockpackTier {
        if self == Compression::BlockpackDense { BlockpackTier::Dense } else { BlockpackTier::Fast }
    }
}

/// The value that means "no fiducial".
const NO_FIDUCIAL: u32 = 0x1_FFFF;
/// The node that recorded: this machine to itself.
const SEGMENT: Src = Src::segment(0x7F00_0001);
/// Damage of a frame with missing or wrong data, unless the attribute `Damage` has other bits.
const DAMAGED: Damage = Damage(1 << 14);

/// Makes datagrams. Keeps its working memory: one for each thread.
pub(super) struct Encoder {
    gathered: Vec<u8>,
    compressor: Option<Compressor>,
}

impl Encoder {
    /// # Errors
    /// None; the engines are all known.
    pub(super) fn new(codec: Compression) -> Result<Encoder> {
        let wanted = (codec != Compression::None).then(|| Compressor::new(codec.engine())).transpose()?;
        let compressor = wanted.map(|compressor| compressor.with_tier(codec.tier()));
        Ok(Encoder { gathered: Vec::new(), compressor })
    }

    /// Whether it compresses at all.
    pub(super) fn compresses(&self) -> bool {
        self.compressor.is_some()
    }

    /// Writes an event with the frame's number, attributes and array to the empty `out`, as the data of detector `src`. Says whether it
    /// is compressed, which it is only if that makes it smaller.
    ///
    /// # Errors
    /// For frames that the format cannot hold.
    pub(super) fn encode(
        &mut self,
        frame: &Frame,
        time: EventTime,
        src: Src,
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        let array = frame.array().map_err(|e| Error::new("an array", e.to_string()))?;
        let leaf = ArrayLeaf::of(array.layout())?;
        let elements = packed(&array, &mut self.gathered);
        let panel = leaf.panel(elements)?;
        let is_damaged = frame.header().flags.contains(Flags::DAMAGED);
        let damage = if is_damaged { DAMAGED } else { Damage::default() };
        let header = |type_id| XtcHeader { damage, ..XtcHeader::new(src, type_id) };
        let mut builder = Builder::new(out, &event_of(frame, time, damage));
        builder.open(XtcHeader::new(SEGMENT, TypeId::CONTAINER))?;
        builder.leaf_with(XtcHeader::new(src, TypeId::new(id::RECORDED, 1)), |out| {
            let header = frame.header();
            let flags = time.flags(header);
            match flags == header.flags {
                true => write_recorded(header, out),
                false => write_recorded(&Header { flags, ..header.clone() }, out),
            }
            Ok(())
        })?;
        let plain_len = leaf.header().len() + elements.len();
        let packed = self.compressor.as_mut().map(|compressor| {
            builder.leaf_with(header(leaf.type_id().compressed()), |out| {
                let start = out.len();
                compressor.encode(&[panel], out)?;
                let is_smaller = out.len() - start < plain_len;
                if is_smaller { Ok(()) } else { Err(Error::new("fewer bytes", "not fewer")) }
            })
        });
        let is_packed = matches!(packed, Some(Ok(())));
        if !is_packed {
            let padding = &[0; 3][..plain_len.wrapping_neg() % 4];
            builder.leaf(header(leaf.type_id()), &[leaf.header(), elements, padding])?;
        }
        builder.finish()?;
        Ok(is_packed)
    }
}

fn event_of(frame: &Frame, time: EventTime, damage: Damage) -> DatagramHeader {
    let fiducial = match frame.header().attributes.get("Fiducial") {
        Some(AttributeValue::Uint(v)) => u32::try_from(*v).ok(),
        Some(AttributeValue::Int(v)) => u32::try_from(*v).ok(),
        _ => None,
    };
    let fiducial = fiducial.filter(|f| *f < NO_FIDUCIAL).unwrap_or(NO_FIDUCIAL);
    let mut header = DatagramHeader::event(time_ns(time), fiducial);
    header.root.damage = damage;
    header
}

/// When the frame's event happened, as the format can say it.
pub(super) fn time_ns(time: EventTime) -> u64 {
    u64::try_from(time.ns).unwrap_or(0)
}
