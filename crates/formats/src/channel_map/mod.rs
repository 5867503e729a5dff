//! Which wire does a channel of a frame read?
//!
//! | map | how |
//! |---|---|
//! | ProtoDUNE-SP, FELIX, version 4 | [`sp_wire`], in closed form |
//! | ProtoDUNE-HD, version 6 | [`hd_wire`], in closed form |
//! | text files of ProtoDUNE-SP (13 columns) and ProtoDUNE-HD | [`TextMap`] |
//!
//! The closed forms are facts about the detectors, checked against every line of the experiments' maps.

mod hd;
mod sp;
mod text;
mod wire;

use crate::wib::{RawFormat, Wib1Frame, Wib2Frame, WibEthFrame};
pub use hd::hd_wire;
pub use sp::sp_wire;
pub use text::{TextMap, TextMapKind};
pub use wire::{Plane, Wire};

/// The wire that channel `channel` of a frame reads, as the identity in its header says: ProtoDUNE-SP's for WIB1, ProtoDUNE-HD's for the
/// others. `None` where the map has no such place.
///
/// ```
/// use livetime_formats::channel_map::{Plane, wire_of};
/// use livetime_formats::wib::{RawFormat, Wib1FrameMut};
/// let mut frame = [0; 464];
/// Wib1FrameMut::new(&mut frame)?.set_identity(3, 0, 1);
/// assert_eq!(wire_of(RawFormat::Wib1, &frame, 10).map(|wire| wire.plane), Some(Plane::Collection));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
pub fn wire_of(format: RawFormat, frame: &[u8], channel: usize) -> Option<Wire> {
    match format {
        RawFormat::Wib1 => {
            let frame = Wib1Frame::parse(frame).ok()?;
            sp_wire(frame.crate_number(), frame.slot(), frame.fiber(), channel)
        }
        RawFormat::Wib2 => {
            let frame = Wib2Frame::parse(frame).ok()?;
            hd_wire(frame.crate_number(), frame.slot(), frame.link(), channel)
        }
        RawFormat::WibEth => {
            let frame = WibEthFrame::parse(frame).ok()?;
            hd_wire(frame.crate_number(), frame.slot(), frame.link(), frame.first_channel()? + channel)
        }
    }
}
