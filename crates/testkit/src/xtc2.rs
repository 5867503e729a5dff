//! Files of LCLS-II (XTC2), written byte by byte from the published layout, independently of our other code.

/// Numbers of transitions.
pub const CONFIGURE: u8 = 2;
/// The end of a run.
pub const END_RUN: u8 = 5;
/// The beginning of a step of a scan.
pub const BEGIN_STEP: u8 = 6;
/// Values that change slowly.
pub const SLOW_UPDATE: u8 = 10;
/// An event.
pub const L1_ACCEPT: u8 = 12;

/// A field: name, number of its type (0 to 9: u8, u16, u32, u64, i8 to i64, f32, f64; 10: text), number of axes.
pub type Field<'a> = (&'a str, u32, u32);

/// The content of a detector's records.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The number that its records carry.
    pub id: u32,
    /// Name of the detector.
    pub detector: &'a str,
    /// Name of the algorithm.
    pub algorithm: &'a str,
    /// Which piece of the detector.
    pub segment: u32,
    /// Fields of the records.
    pub fields: &'a [Field<'a>],
}

/// Seconds from 1970 to 1990, where the clock of these files begins.
pub const EPOCH_S: u64 = 631_152_000;

/// A datagram of a transition or event at `ns` since 1990, with damage at its root, and with blocks made by [`names`]
/// and [`record`] inside.
pub fn datagram(transition: u8, ns: u64, damage: u16, inside: &[Vec<u8>]) -> Vec<u8> {
    let time = [(ns % 1_000_000_000) as u32, (ns / 1_000_000_000) as u32, u32::from(transition) << 24];
    let root = xtc(0, damage, 0, &inside.concat());
    [time.map(u32::to_le_bytes).concat(), root].concat()
}

/// A description of records.
pub fn names(names: &Names<'_>) -> Vec<u8> {
    let arrays = names.fields.iter().filter(|(_, _, rank)| *rank > 0).count() as u32;
    let mut payload = arrays.to_le_bytes().to_vec();
    ["type", names.detector, "serial"].iter().for_each(|text| payload.extend(name(text)));
    payload.extend(algorithm(names.algorithm));
    payload.extend(names.segment.to_le_bytes());
    for (field, field_type, rank) in names.fields {
        payload.extend(algorithm(""));
        payload.extend(name(field));
        payload.extend([*field_type, *rank].map(u32::to_le_bytes).concat());
    }
    xtc(names.id, 0, 4, &payload)
}

/// A record: the shapes of its arrays, and all values one after another.
pub fn record(id: u32, damage: u16, shapes: &[&[u32]], data: &[u8]) -> Vec<u8> {
    let mut sizes = Vec::new();
    for shape in shapes {
        let all = (0..5).map(|axis| shape.get(axis).copied().unwrap_or(0));
        sizes.extend(all.flat_map(u32::to_le_bytes));
    }
    let shapes = if sizes.is_empty() { Vec::new() } else { xtc(id, 0, 2, &sizes) };
    xtc(id, damage, 1, &[shapes, xtc(id, 0, 3, data)].concat())
}

fn xtc(src: u32, damage: u16, number: u16, payload: &[u8]) -> Vec<u8> {
    let extent = 12 + payload.len() as u32;
    let words = [damage, number].map(u16::to_le_bytes).concat();
    [&src.to_le_bytes()[..], &words, &extent.to_le_bytes(), payload].concat()
}

fn algorithm(text: &str) -> Vec<u8> {
    [name(text), 0x0001_0203u32.to_le_bytes().to_vec()].concat()
}

fn name(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(256, 0);
    bytes
}
