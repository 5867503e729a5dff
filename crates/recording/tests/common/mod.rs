//! Runs of LCLS-I, written for tests.

use std::path::PathBuf;

use livetime_formats::xtc1::{Builder, Damage, DatagramHeader, Src, TypeId, XtcHeader, id};
use tempfile::TempDir;

pub(crate) const OPAL: &str = "CxiEndstation-0|Opal1000-1";
pub(crate) const TIMEPIX: &str = "CxiDs1-0|Timepix-0";
/// A reason that detectors give themselves.
pub(crate) const BAD: u32 = 1 << 14;

/// A leaf of a picture of u16 whose pixels all have this value.
#[derive(Clone, Copy)]
pub(crate) struct Leaf {
    pub(crate) name: &'static str,
    pub(crate) value: u16,
    pub(crate) damage: u32,
    /// Bytes that are missing at its end.
    pub(crate) cut: usize,
    /// Columns and rows.
    pub(crate) size: (u32, u32),
}

pub(crate) fn leaf(value: u16) -> Leaf {
    Leaf { name: OPAL, value, damage: 0, cut: 0, size: (3, 2) }
}

pub(crate) fn other() -> Leaf {
    Leaf { name: TIMEPIX, ..leaf(9) }
}

pub(crate) fn event(number: u64, leaves: &[Leaf]) -> Vec<u8> {
    event_with(number, 0, |builder| leaves.iter().for_each(|leaf| add(builder, leaf)))
}

/// An event with damage at its root and these leaves.
pub(crate) fn event_with(number: u64, damage: u32, leaves: impl FnOnce(&mut Builder<'_>)) -> Vec<u8> {
    let mut header = DatagramHeader::event(1_000_000_000 + number * 10_000_000, 3 * number as u32);
    header.root.damage = Damage(damage);
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, &header);
    leaves(&mut builder);
    builder.finish().unwrap();
    bytes
}

fn add(builder: &mut Builder<'_>, leaf: &Leaf) {
    let (columns, rows) = leaf.size;
    let words = [columns, rows, 16, 0].map(u32::to_le_bytes).concat();
    let pixels = leaf.value.to_le_bytes().repeat((columns * rows) as usize);
    let header = XtcHeader {
        damage: Damage(leaf.damage),
        ..XtcHeader::new(Src::named(leaf.name).unwrap(), TypeId::new(id::FRAME, 1))
    };
    builder.leaf(header, &[&words, &pixels[..pixels.len() - leaf.cut]]).unwrap();
}

/// A contribution that was cut off.
pub(crate) fn add_incomplete(builder: &mut Builder<'_>) {
    let container = XtcHeader::new(Src::segment(1), TypeId::CONTAINER);
    builder.leaf(XtcHeader { damage: Damage::INCOMPLETE, ..container }, &[&[0; 40]]).unwrap();
}

/// A run in one file.
pub(crate) fn run(events: &[Vec<u8>]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("e1-r0001-s00-c00.xtc");
    std::fs::write(&path, events.concat()).unwrap();
    (folder, path)
}

/// A text with zeros behind it.
fn padded<const N: usize>(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(N, 0);
    bytes
}

/// Number 7 and its name, a double with its limits, as Configure has it.
pub(crate) fn pv_configured(value: f64) -> Vec<u8> {
    let head = [7i16, 34, 1].map(i16::to_le_bytes).concat();
    [head, padded::<64>("LAS:TEMP"), vec![0; 2 + 4 + 76], value.to_le_bytes().to_vec()].concat()
}

/// Number 7, a double with its time, as an event has it.
pub(crate) fn pv(value: f64) -> Vec<u8> {
    let head = [7i16, 20, 1, 0, 0, 0].map(i16::to_le_bytes).concat();
    [head, vec![0; 12], value.to_le_bytes().to_vec()].concat()
}

/// The controls of a calib cycle that scans one variable.
pub(crate) fn scan(value: f64) -> Vec<u8> {
    let counts = [0u32, 0, 0, 0, 1, 0].map(u32::to_le_bytes).concat();
    [counts, padded::<32>("LAS:DELAY"), u32::MAX.to_le_bytes().to_vec(), value.to_le_bytes().to_vec()]
        .concat()
}
