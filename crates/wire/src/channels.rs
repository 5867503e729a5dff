//! Which wires do the channels of a link read?

use livetime_engine::ParamEnum;
use livetime_formats::channel_map::{Wire, wire_of};

use super::RawBatch;

/// From the channels of a frame to wires.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum ChannelMap {
    /// ProtoDUNE-SP for WIB1, ProtoDUNE-HD for the others.
    #[default]
    Auto,
    /// None: all channels count as collection, their number is 65536 · link + channel of the frame.
    None,
}

/// The place of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// As in [`super::HitRow::channel`].
    pub offline: u32,
    /// As in [`super::HitRow::plane`].
    pub plane: u8,
}

/// The channels of the link that `batch` is from, and whether the map knew them.
pub fn channels(map: ChannelMap, batch: &RawBatch) -> (Vec<Channel>, bool) {
    let count = batch.format.channels();
    let mapped = match (map, batch.frames().next()) {
        (ChannelMap::Auto, Some(frame)) => (0..count).map(|c| wire_of(batch.format, frame, c)).collect(),
        _ => None,
    };
    let known = mapped.is_some() || map == ChannelMap::None;
    let wires: Option<Vec<Channel>> = mapped.map(|wires: Vec<Wire>| {
        wires.iter().map(|w| Channel { offline: w.offline, plane: w.plane.number() }).collect()
    });
    let plain = |c| Channel { offline: u32::from(batch.link) << 16 | c as u32, plane: 2 };
    (wires.unwrap_or_else(|| (0..count).map(plain).collect()), known)
}
