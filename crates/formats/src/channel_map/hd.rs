//! ProtoDUNE-HD, numbering of version 6.

use super::wire::{APA, Plane, Wire};

const PLANES: &[u8; 64] = b"UUUUUVVVVVXXXXXXXXXXXXVVVVVUUUUUXXXXXXVVVVVUUUUUUUUUUVVVVVXXXXXX";

/// Position of the 128 channels of a board among its wires of the same plane.
#[rustfmt::skip]
const POSITIONS: [u32; 128] = [
    31, 33, 35, 37, 39, 8, 6, 4, 2, 0, 10, 8, 6, 4, 2, 0, 1, 3, 5, 7, 9, 11, 1, 3, 5, 7, 9, 38, 36, 34, 32, 30,
    13, 15, 17, 19, 21, 23, 11, 13, 15, 17, 19, 28, 26, 24, 22, 20, 21, 23, 25, 27, 29, 18, 16, 14, 12, 10, 22, 20, 18, 16, 14, 12,
    11, 13, 15, 17, 19, 28, 26, 24, 22, 20, 34, 32, 30, 28, 26, 24, 25, 27, 29, 31, 33, 35, 21, 23, 25, 27, 29, 18, 16, 14, 12, 10,
    37, 39, 41, 43, 45, 47, 31, 33, 35, 37, 39, 8, 6, 4, 2, 0, 1, 3, 5, 7, 9, 38, 36, 34, 32, 30, 46, 44, 42, 40, 38, 36,
];

/// First wire of U, V and X of the two boards of a link, for the WIBs 1 to 5 and their links 0 and 1.
const FIRST: [[[u32; 3]; 2]; 10] = [
    [[160, 1000, 1840], [200, 960, 1792]],
    [[320, 840, 1648], [360, 800, 1600]],
    [[80, 1080, 1936], [120, 1040, 1888]],
    [[240, 920, 1744], [280, 880, 1696]],
    [[640, 1320, 2368], [680, 1280, 2416]],
    [[0, 1160, 2032], [40, 1120, 1984]],
    [[560, 1400, 2272], [600, 1360, 2320]],
    [[720, 1240, 2464], [760, 1200, 2512]],
    [[400, 1560, 2080], [440, 1520, 2128]],
    [[480, 1480, 2176], [520, 1440, 2224]],
];

/// Anode plane of the crates 1 to 4.
const APAS: [u32; 4] = [0, 2, 1, 3];

/// The wire of a channel: crate 1 to 4, slot 0 to 4 (the WIB's number less one), link 0 or 1, channel 0 to 255 in the
/// link. `None` outside of these.
///
/// ```
/// use livetime_formats::channel_map::{Plane, hd_wire};
/// let wire = hd_wire(1, 0, 0, 0).unwrap();
/// assert_eq!((wire.plane, wire.offline), (Plane::U, 160 + 31));
/// assert_eq!(hd_wire(1, 0, 2, 0), None);
/// ```
pub fn hd_wire(crate_number: u16, slot: u8, link: u8, channel: usize) -> Option<Wire> {
    let apa = *APAS.get(usize::from(crate_number).checked_sub(1)?)?;
    if slot > 4 || link > 1 || channel > 255 {
        return None;
    }
    let plane = Plane::in_pattern(PLANES, channel);
    let mirrored = plane == Plane::Collection && (slot >= 3 || (slot, link) == (2, 0));
    let position = POSITIONS[channel % 128];
    let position = if mirrored { 47 - position } else { position };
    let first = FIRST[2 * usize::from(slot) + usize::from(link)][channel / 128];
    let wire = first[usize::from(plane.number())] + position;
    let wire = if crate_number >= 3 { other_side(wire, plane) } else { wire };
    Some(Wire { offline: APA * apa + wire, plane })
}

/// Crates 3 and 4 look at the detector from the other side.
fn other_side(wire: u32, plane: Plane) -> u32 {
    match plane {
        Plane::U => (747 + 800 - wire) % 800,
        Plane::V => 800 + (1547 + 800 - wire) % 800,
        Plane::Collection => 1600 + (wire - 1120) % 960,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wire_is_read_once_and_lies_in_its_plane() {
        let mut seen = vec![false; 10_240];
        for (crate_number, slot, link) in
            (1..=4).flat_map(|c| (0..5).flat_map(move |s| [(c, s, 0), (c, s, 1)]))
        {
            for channel in 0..256 {
                let wire = hd_wire(crate_number, slot, link, channel).unwrap();
                assert!(!std::mem::replace(&mut seen[wire.offline as usize], true), "{wire:?} twice");
                let plane = match wire.offline % 2560 {
                    0..800 => Plane::U,
                    800..1600 => Plane::V,
                    _ => Plane::Collection,
                };
                assert_eq!(wire.plane, plane);
            }
        }
        assert!(seen.iter().all(|seen| *seen));
    }
}
