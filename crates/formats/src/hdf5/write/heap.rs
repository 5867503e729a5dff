//! The global heap, which says of a virtual data set which file holds which rows.

use super::super::bytes::Bytes;
use super::super::checksum::checksum;
use super::tree::Part;

/// Heaps have at least this many bytes.
const LEAST: usize = 4096;
/// Bytes of the head of the heap and of an object in it.
const HEAD: usize = 16;

/// A heap of one object: the parts of a virtual data set of `shape`.
pub(super) fn heap(shape: &[u64], parts: &[Part]) -> Vec<u8> {
    let object = mapping(shape, parts);
    let padded = object.len().next_multiple_of(8);
    // Behind the object comes one that says how much is free.
    let bytes = (HEAD + HEAD + padded + HEAD).max(LEAST);
    let mut out = Bytes::default();
    out.put(b"GCOL");
    out.put(&[1, 0, 0, 0]);
    out.u64(bytes as u64);
    out.u16(1);
    out.u16(1);
    out.u32(0);
    out.u64(object.len() as u64);
    out.put(&object);
    out.put(&vec![0; padded - object.len()]);
    let free = bytes - out.len();
    out.put(&[0; 8]);
    out.u64(free as u64);
    let mut heap = out.done();
    heap.resize(bytes, 0);
    heap
}

fn mapping(shape: &[u64], parts: &[Part]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.u8(0);
    out.u64(parts.len() as u64);
    let mut first = 0;
    for part in parts {
        for text in [&part.file, &part.data_set] {
            out.put(text.as_bytes());
            out.u8(0);
        }
        rows(&mut out, 0, part.rows, shape);
        rows(&mut out, first, part.rows, shape);
        first += part.rows;
    }
    let bytes = out.done();
    let sum = checksum(&bytes);
    let mut out = Bytes::default();
    out.put(&bytes);
    out.u32(sum);
    out.done()
}

/// The rows `first .. first + count` of a data set of `shape`, as a regular selection of version 1.
fn rows(out: &mut Bytes, first: u64, count: u64, shape: &[u64]) {
    let rank = shape.len();
    let (hyperslab, version) = (2, 1);
    out.u32(hyperslab);
    out.u32(version);
    out.u32(0);
    // Bytes that follow: rank, number of blocks, two corners of one block.
    out.u32((4 + 4 + 2 * 4 * rank) as u32);
    out.u32(rank as u32);
    out.u32(1);
    out.u32(first as u32);
    (1..rank).for_each(|_| out.u32(0));
    out.u32((first + count).saturating_sub(1) as u32);
    shape[1..].iter().for_each(|size| out.u32(size.saturating_sub(1) as u32));
}
