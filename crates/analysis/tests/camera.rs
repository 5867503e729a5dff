//! Runs of a camera of LCLS-I, written by tests.

use std::path::{Path, PathBuf};

use livetime_formats::xtc1::compressed::{Compressor, Engine};
use livetime_formats::xtc1::data::panels;
use livetime_formats::xtc1::{
    Builder, Configs, Damage, DatagramHeader, Src, Transition, TypeId, XtcHeader, id,
};

pub(crate) const CAMERA: Src = Src::detector(24, 0, 3, 1);
pub(crate) const OTHER: Src = Src::detector(32, 0, 10, 7);

/// Repeatable numbers.
pub(crate) fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 8
    })
}

/// Payload of a camera's picture of 8, 16 or 32 bits.
pub(crate) fn frame(width: u32, height: u32, bits: u32, event: u64) -> Vec<u8> {
    let mut payload = [width, height, bits, 0].map(u32::to_le_bytes).concat();
    let bytes = bits as usize / 8;
    for number in numbers(event + 1).take((width * height) as usize) {
        // Mostly a narrow band, as a detector gives, and some extreme values.
        let value = if number % 97 == 0 { u64::MAX } else { 100 + number % 80 };
        payload.extend_from_slice(&value.to_le_bytes()[..bytes]);
    }
    payload
}

pub(crate) struct Leaf {
    pub(crate) src: Src,
    pub(crate) type_id: TypeId,
    pub(crate) payload: Vec<u8>,
    pub(crate) engine: Engine,
    pub(crate) damage: Damage,
}

impl Leaf {
    pub(crate) fn new(payload: Vec<u8>) -> Leaf {
        let (type_id, engine) = (TypeId::new(id::FRAME, 1), Engine::NONE);
        Leaf { src: CAMERA, type_id, payload, engine, damage: Damage::default() }
    }
}

pub(crate) fn datagram(event: u64, leaves: &[Leaf]) -> Vec<u8> {
    datagram_of(event, leaves, &Configs::default())
}

/// The same of detectors with configurations, which are needed to compress.
pub(crate) fn datagram_of(event: u64, leaves: &[Leaf], configs: &Configs) -> Vec<u8> {
    let mut bytes = Vec::new();
    let header = DatagramHeader::event(1_000_000_000 + event * 8_333_333, 3 * event as u32);
    let mut builder = Builder::new(&mut bytes, &header);
    builder.open(XtcHeader::new(Src::segment(1), TypeId::CONTAINER)).unwrap();
    for leaf in leaves {
        let (mut type_id, mut payload) = (leaf.type_id, leaf.payload.clone());
        if leaf.engine != Engine::NONE {
            let found = panels(type_id, leaf.src, &leaf.payload, configs).unwrap();
            payload.clear();
            Compressor::new(leaf.engine).unwrap().encode(&found, &mut payload).unwrap();
            type_id = type_id.compressed();
        }
        payload.resize(payload.len().next_multiple_of(4), 0);
        let header = XtcHeader { damage: leaf.damage, ..XtcHeader::new(leaf.src, type_id) };
        builder.leaf(header, &[&payload]).unwrap();
    }
    builder.finish().unwrap();
    bytes
}

pub(crate) fn write(folder: &Path, datagrams: &[Vec<u8>]) -> PathBuf {
    write_of(folder, &configure(&[]), datagrams)
}

/// A transition with these configurations.
pub(crate) fn configure(leaves: &[(Src, TypeId, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, &DatagramHeader::new(Transition::Configure, 999_999_999, 0));
    for (src, type_id, payload) in leaves {
        builder.leaf(XtcHeader::new(*src, *type_id), &[payload]).unwrap();
    }
    builder.finish().unwrap();
    bytes
}

pub(crate) fn write_of(folder: &Path, configure: &[u8], datagrams: &[Vec<u8>]) -> PathBuf {
    let path = folder.join("e1-r0001-s00-c00.xtc");
    std::fs::write(&path, [configure, &datagrams.concat()].concat()).unwrap();
    path
}
