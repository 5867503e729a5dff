//! The global heap, which says of a virtual data set which file holds which rows.

use super::super::bytes::Bytes;
use super::super::checksum::checksum;
use super::tree::{Mapping, Rows};
use crate::{Error, Result};

/// Heaps have at least this many bytes.
const LEAST: usize = 4096;
/// Bytes of the head of the heap and of an object in it.
const HEAD: usize = 16;
/// A selection of HDF5 that is made of blocks.
const HYPERSLAB: u32 = 2;

/// A heap of one object: the mappings of a virtual data set of `shape`.
pub(super) fn heap(shape: &[u64], mappings: &[Mapping]) -> Result<Vec<u8>> {
    let object = object(shape, mappings)?;
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
    Ok(heap)
}

fn object(shape: &[u64], mappings: &[Mapping]) -> Result<Vec<u8>> {
    let mut out = Bytes::default();
    out.u8(0);
    out.u64(mappings.len() as u64);
    for mapping in mappings {
        check(shape, mapping)?;
        for text in [&*escaped(&mapping.file), &mapping.data_set] {
            out.put(text.as_bytes());
            out.u8(0);
        }
        let skipped = usize::from(mapping.place.is_some());
        let row: Vec<(u64, u64)> = shape[1 + skipped..].iter().map(|size| (0, *size)).collect();
        select(&mut out, mapping.from, &row);
        let place = mapping.place.map(|place| (place, 1));
        let row: Vec<(u64, u64)> = place.into_iter().chain(row).collect();
        select(&mut out, mapping.to, &row);
    }
    let bytes = out.done();
    let sum = checksum(&bytes);
    let mut out = Bytes::default();
    out.put(&bytes);
    out.u32(sum);
    Ok(out.done())
}

/// HDF5 gives `%b` in the name of a file a meaning; two `%` stand for one.
fn escaped(file: &str) -> String {
    file.replace('%', "%%")
}

/// A reader would refuse other mappings, or show wrong rows.
fn check(shape: &[u64], mapping: &Mapping) -> Result<()> {
    let Mapping { file, data_set, from, to, place } = mapping;
    let rows = |rows: &Rows| rows.count.checked_mul(rows.block);
    let ends = |rows: &Rows| {
        rows.count
            .saturating_sub(1)
            .checked_mul(rows.stride)?
            .checked_add(rows.first)?
            .checked_add(rows.block)
    };
    let is_regular = |rows: &Rows| rows.block <= rows.stride && rows.stride > 0;
    let is_place = place.is_none_or(|place| shape.get(1).is_some_and(|size| place < *size));
    let fits = rows(from).is_some() && rows(from) == rows(to) && is_regular(from) && is_regular(to);
    let ends_within = ends(to).is_some_and(|end| shape.first().is_some_and(|size| end <= *size));
    if !fits || !is_place || !ends_within || ends(from).is_none() {
        return Err(Error::new(format!("as many rows of {file} as of {shape:?}"), format!("{mapping:?}")));
    }
    // A zero ends the name in the file.
    match file.contains('\0') || data_set.contains('\0') {
        true => Err(Error::new("names without a zero", format!("{file:?}, {data_set:?}"))),
        false => Ok(()),
    }
}

/// These rows, and of the other axes begin and length.
fn select(out: &mut Bytes, rows: Rows, row: &[(u64, u64)]) {
    let end = |(first, length): (u64, u64)| first.saturating_add(length).saturating_sub(1);
    let is_small = |pair: &(u64, u64)| u32::try_from(end(*pair)).is_ok();
    let one = (rows.first, rows.block);
    match rows.count == 1 && std::iter::once(&one).chain(row).all(is_small) {
        true => block(out, one, row, end),
        false => regular(out, rows, row),
    }
}

/// Version 1, which every HDF5 with virtual data sets reads: two corners of one block.
fn block(out: &mut Bytes, rows: (u64, u64), row: &[(u64, u64)], end: impl Fn((u64, u64)) -> u64) {
    let rank = 1 + row.len();
    let axes = || std::iter::once(rows).chain(row.iter().copied());
    out.u32(HYPERSLAB);
    out.u32(1);
    out.u32(0);
    // Bytes that follow: rank, number of blocks, two corners of one block.
    out.u32((4 + 4 + 2 * 4 * rank) as u32);
    out.u32(rank as u32);
    out.u32(1);
    axes().for_each(|(first, _)| out.u32(first as u32));
    axes().for_each(|pair| out.u32(end(pair) as u32));
}

/// Version 2: blocks at equal distances.
fn regular(out: &mut Bytes, rows: Rows, row: &[(u64, u64)]) {
    let rank = 1 + row.len();
    out.u32(HYPERSLAB);
    out.u32(2);
    let is_regular = 1;
    out.u8(is_regular);
    // Bytes that follow: rank, four numbers for each axis.
    out.u32((4 + 4 * 8 * rank) as u32);
    out.u32(rank as u32);
    [rows.first, rows.stride, rows.count, rows.block].into_iter().for_each(|number| out.u64(number));
    for (first, length) in row {
        [*first, *length.max(&1), 1, *length].into_iter().for_each(|number| out.u64(number));
    }
}
