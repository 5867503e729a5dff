//! Which channel of a link reads a wire?

use std::collections::HashMap;

use super::marks::{GROUPS, LANES, Masks};
use crate::{ChannelMap, RawBatch, channels};

/// The wires of a link.
#[derive(Debug)]
pub(super) struct Wires {
    channels: HashMap<u32, usize>,
    /// Channels of the collection plane.
    pub(super) collection: Masks,
}

const COLLECTION: u8 = 2;

impl Wires {
    /// The wires of the link of `batch`.
    pub(super) fn new(map: ChannelMap, batch: &RawBatch) -> Wires {
        let wires = channels(map, batch).0;
        let mut collection = [0; GROUPS];
        for (channel, _) in wires.iter().enumerate().filter(|(_, wire)| wire.plane == COLLECTION) {
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
