//! Parts that the tests share: the recorded data, and datagrams to write.

use std::path::PathBuf;

use livetime_formats::xtc1::{Builder, Damage, DatagramHeader, Src, Stamp, Transition, TypeId, XtcHeader};

/// The file or folder `name` of the recorded data; `None` is a skip on record.
#[allow(dead_code, reason = "not every test reads data")]
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    livetime_testkit::data(name)
}

/// A datagram at `ns` with one leaf of `payload` in the container of a node.
#[allow(dead_code, reason = "not every test writes datagrams")]
pub(crate) fn datagram(transition: Transition, ns: u64, fiducial: u32, payload: &[u8]) -> Vec<u8> {
    damaged(transition, ns, fiducial, payload, Damage(0))
}

/// The same with damage of the root.
#[allow(dead_code, reason = "not every test writes datagrams")]
pub(crate) fn damaged(
    transition: Transition,
    ns: u64,
    fiducial: u32,
    payload: &[u8],
    damage: Damage,
) -> Vec<u8> {
    let mut header = DatagramHeader::new(transition, ns, fiducial);
    header.stamp = Stamp::new(transition, fiducial);
    header.root.damage = damage;
    let mut bytes = Vec::new();
    let mut builder = Builder::new(&mut bytes, &header);
    builder.open(XtcHeader::new(Src::segment(0x7F00_0001), TypeId::CONTAINER)).unwrap();
    builder.leaf(XtcHeader::new(Src::detector(32, 0, 10, 0), TypeId::new(500, 1)), &[payload]).unwrap();
    builder.finish().unwrap();
    bytes
}
