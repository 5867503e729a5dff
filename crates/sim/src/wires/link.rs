//! The links of an anode plane.

use livetime_engine::NodeError;
use livetime_formats::channel_map::{Wire, hd_wire, sp_wire};

use livetime_wire::RawFormat;

/// A link as a real one is named, with the wires that its channels read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedLink {
    /// Number in the run, from 0 on.
    pub number: u16,
    /// Crate.
    pub crate_number: u8,
    /// Slot: 0 to 4.
    pub slot: u8,
    /// Fiber, 1 or 2; of WIBEth the stream: 0 to 3 and 64 to 67.
    pub fiber: u8,
    /// Wire of each channel of the frame.
    pub wires: Vec<Wire>,
}

impl SimulatedLink {
    /// Link `number` of the anode plane that `crate_number` reads: WIB1 2 of each slot, WIBEth 8 streams of each.
    ///
    /// # Errors
    /// [`NodeError`] when there is no such crate or link.
    pub fn new(format: RawFormat, crate_number: u8, number: u16) -> Result<SimulatedLink, NodeError> {
        let place = |per_slot: u16| ((number / per_slot) as u8, (number % per_slot) as u8);
        let (slot, fiber) = match format {
            RawFormat::WibEth => place(8),
            _ => place(2),
        };
        let (fiber, wire): (u8, Box<dyn Fn(usize) -> Option<Wire>>) = match format {
            RawFormat::WibEth => {
                let (link, position) = (fiber / 4, fiber % 4);
                // Each of the two links of a slot sends four streams of 64 channels.
                let first = 64 * usize::from(position);
                (link << 6 | position, Box::new(move |c| hd_wire(crate_number.into(), slot, link, first + c)))
            }
            _ => (fiber + 1, Box::new(move |c| sp_wire(crate_number, slot, fiber + 1, c))),
        };
        let wires: Vec<Wire> = (0..format.channels()).map_while(wire).collect();
        // The map has no wires for a crate or a link that does not exist.
        if wires.len() < format.channels() {
            return Err(NodeError::new(format_args!(
                "wanted a link of the channel map, found crate {crate_number} link {number}"
            )));
        }
        Ok(SimulatedLink { number, crate_number, slot, fiber, wires })
    }
}
