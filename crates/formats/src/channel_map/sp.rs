//! ProtoDUNE-SP, numbering of version 4, FELIX.

use super::wire::{APA, Plane, Wire};

const PLANES: &[u8; 32] = b"VVVUUUUUVVZZZZZZZZZZZZVVUUUUUVVV";

/// Position of the 128 channels of a board among its wires of the same plane.
#[rustfmt::skip]
const POSITIONS: [u32; 128] = [
    14, 16, 18, 29, 27, 25, 23, 21, 13, 11, 24, 26, 28, 30, 32, 34, 35, 33, 31, 29, 27, 25, 10, 12, 20, 22, 24, 26, 28, 19, 17, 15,
    4, 6, 8, 39, 37, 35, 33, 31, 3, 1, 36, 38, 40, 42, 44, 46, 47, 45, 43, 41, 39, 37, 0, 2, 30, 32, 34, 36, 38, 9, 7, 5,
    24, 26, 28, 19, 17, 15, 13, 11, 23, 21, 12, 14, 16, 18, 20, 22, 23, 21, 19, 17, 15, 13, 20, 22, 10, 12, 14, 16, 18, 29, 27, 25,
    34, 36, 38, 9, 7, 5, 3, 1, 33, 31, 0, 2, 4, 6, 8, 10, 11, 9, 7, 5, 3, 1, 30, 32, 0, 2, 4, 6, 8, 39, 37, 35,
];

/// Anode plane of the crates 1 to 6.
const APAS: [u32; 6] = [4, 2, 0, 5, 1, 3];

/// The wire of a channel of a WIB1 frame: crate 1 to 6, slot 0 to 4 and fiber 1 or 2 as in its header, channel 0 to 255.
/// `None` outside of these.
///
/// ```
/// use livetime_formats::channel_map::{Plane, sp_wire};
/// let wire = sp_wire(3, 0, 1, 10).unwrap();
/// assert_eq!((wire.plane, wire.offline), (Plane::Collection, 2512 + 24));
/// assert_eq!(sp_wire(7, 0, 1, 0), None);
/// ```
pub fn sp_wire(crate_number: u8, slot: u8, fiber: u8, channel: usize) -> Option<Wire> {
    let apa = *APAS.get(usize::from(crate_number).checked_sub(1)?)?;
    if slot > 4 || !(1..=2).contains(&fiber) || channel > 255 {
        return None;
    }
    let board = 2 * usize::from(fiber - 1) + channel / 128;
    let face = if apa % 2 == 0 { board } else { (board + 2) % 4 };
    let plane = Plane::in_pattern(PLANES, channel);
    let position = POSITIONS[channel % 128];
    let slot = u32::from(slot);
    let wire = match plane {
        Plane::U => 760 - 40 * slot - 200 * face as u32 + position,
        Plane::V => [1200, 1400, 800, 1000][face] + 40 * slot + position,
        Plane::Collection => match face {
            0 | 1 => [2512, 2272][face] - 48 * slot + position,
            _ => [1600, 1840][face - 2] + 48 * slot + 47 - position,
        },
    };
    Some(Wire { offline: APA * apa + wire, plane })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wire_is_read_once_and_lies_in_its_plane() {
        let mut seen = vec![false; 15_360];
        for (crate_number, slot, fiber) in
            (1..=6).flat_map(|c| (0..5).flat_map(move |s| [(c, s, 1), (c, s, 2)]))
        {
            for channel in 0..256 {
                let wire = sp_wire(crate_number, slot, fiber, channel).unwrap();
                assert!(!std::mem::replace(&mut seen[wire.offline as usize], true), "{wire:?} twice");
                let plane = match wire.offline % 2560 {
                    0..800 => Plane::U,
                    800..1600 => Plane::V,
                    _ => Plane::Collection,
                };
                assert_eq!(wire.plane, plane);
                assert_eq!(plane == Plane::Collection, (10..22).contains(&(channel % 32)));
            }
        }
        assert!(seen.iter().all(|seen| *seen));
    }

    #[test]
    fn what_does_not_exist_has_no_wire() {
        for (crate_number, slot, fiber, channel) in
            [(0, 0, 1, 0), (7, 0, 1, 0), (1, 5, 1, 0), (1, 0, 0, 0), (1, 0, 3, 0), (1, 0, 1, 256)]
        {
            assert_eq!(sp_wire(crate_number, slot, fiber, channel), None);
        }
    }
}
