//! Which channel of a link reads a wire?

use std::collections::HashMap;

use livetime_engine::ParamEnum;
use livetime_formats::channel_map::{Plane, Wire, hd_wire, sp_wire};
use livetime_formats::wib::{Wib1Frame, Wib2Frame, WibEthFrame};

use super::marks::{GROUPS, LANES, Masks};
use crate::wire::{RawBatch, RawFormat};

/// From wires to the channels of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum ChannelMap {
    /// ProtoDUNE-SP for WIB1, ProtoDUNE-HD for the others.
    #[default]
    Auto,
    /// None: all channels count as collection, their number is 65536 · link + channel of the frame.
    None,
}

/// The wires of a link.
#[derive(Debug)]
pub(super) struct Wires {
    channels: HashMap<u32, usize>,
    /// Channels of the collection plane.
    pub(super) collection: Masks,
}

impl Wires {
    /// Those of the link that `batch` is from.
    pub(super) fn new(map: ChannelMap, batch: &RawBatch) -> Wires {
        let count = batch.format.channels().min(GROUPS * LANES);
        let mapped = match (map, batch.frames().next()) {
            (ChannelMap::Auto, Some(frame)) => (0..count).map(|c| wire(batch.format, frame, c)).collect(),
            _ => None,
        };
        let plain = |c| Wire { offline: u32::from(batch.link) << 16 | c as u32, plane: Plane::Collection };
        let wires: Vec<Wire> = mapped.unwrap_or_else(|| (0..count).map(plain).collect());
        let mut collection = [0; GROUPS];
        for (channel, _) in wires.iter().enumerate().filter(|(_, wire)| wire.plane == Plane::Collection) {
            collection[channel / LANES] |= 1 << (channel % LANES);
        }
        Wires {
            channels: wires.iter().zip(0..).map(|(wire, channel)| (wire.offline, channel)).collect(),
            collection,
        }
    }

    /// The channel of the frame that reads wire `offline`.
    pub(super) fn channel(&self, offline: u32) -> Option<usize> {
        self.channels.get(&offline).copied()
    }
}

/// The wire of channel `channel` of `frame`, as the identity in its header says.
fn wire(format: RawFormat, frame: &[u8], channel: usize) -> Option<Wire> {
    match format {
        RawFormat::Wib1 => {
            let frame = Wib1Frame::parse(frame).ok()?;
            sp_wire(frame.crate_number(), frame.slot(), frame.fiber(), channel)
        }
        RawFormat::Wib2 => {
            let frame = Wib2Frame::parse(frame).ok()?;
            hd_wire(frame.crate_number().into(), frame.slot(), frame.link(), channel)
        }
        RawFormat::WibEth => {
            let frame = WibEthFrame::parse(frame).ok()?;
            hd_wire(frame.crate_number(), frame.slot(), frame.link(), frame.first_channel()? + channel)
        }
    }
}
