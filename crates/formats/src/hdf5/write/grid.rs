//! A data set with several axes whose sizes have an end: rows are written at any place of a grid, in any order.
//!
//! Its index is HDF5's fixed array: all places are there from the start, in pages of their own checksum.

use std::collections::BTreeSet;

use super::super::bytes::{Bytes, NOWHERE};
use super::super::checksum::set_bytes;
use super::index::{Chunk, length_bytes, put_chunk};
use super::space::{Out, Space};
use crate::{Error, Result};

/// Bits of the number of a place in a page: as in the index of a data set that grows.
pub(super) const PAGE_BITS: u8 = 7;
const PAGE: usize = 1 << PAGE_BITS;
/// Most chunks: their places are kept in memory, and are written when the file is made.
const MOST_CHUNKS: u64 = 1 << 24;
const NO_CHUNK: Chunk = Chunk { at: NOWHERE, bytes: 0 };

/// One data set whose rows lie in a grid.
pub(super) struct Grid {
    row_bytes: u64,
    /// The largest size of each axis, slowest axis first.
    sizes: Vec<u64>,
    /// Rows of a chunk, along each axis.
    chunk: Vec<u64>,
    /// The present size of each axis.
    extent: Vec<u64>,
    /// The bytes of rows before they are written, if they are not 0.
    fill: Vec<u8>,
    length_bytes: Option<usize>,
    chunks: Vec<Chunk>,
    /// Whether a row was written, for each.
    taken: Vec<bool>,
    dirty: BTreeSet<usize>,
    index_at: u64,
    block_at: u64,
    head: Vec<u8>,
    head_at: u64,
    extent_at: usize,
    is_new: bool,
}

/// The properties of a grid.
pub(super) struct Shape<'a> {
    pub(super) row_bytes: u64,
    pub(super) sizes: &'a [u64],
    pub(super) chunk: &'a [u64],
    pub(super) fill: &'a [u8],
    pub(super) is_filtered: bool,
}

impl Grid {
    /// # Errors
    /// If it has more places than can be kept.
    pub(super) fn new(shape: &Shape<'_>, space: &Space) -> Result<Grid> {
        let too_many =
            || Error::new(format!("a grid of 1 to {MOST_CHUNKS} places"), format!("{:?}", shape.sizes));
        let rows = count(shape.sizes).ok_or_else(too_many)?;
        // The number of chunks is bounded before memory is taken for their places.
        let chunks = count(&chunk_counts(shape.sizes, shape.chunk)).ok_or_else(too_many)?;
        let chunk_bytes = shape.row_bytes * shape.chunk.iter().product::<u64>();
        let mut grid = Grid {
            row_bytes: shape.row_bytes,
            sizes: shape.sizes.to_vec(),
            chunk: shape.chunk.to_vec(),
            extent: vec![0; shape.sizes.len()],
            // Zeros need no writing: new space of a file is zero.
            fill: if shape.fill.iter().all(|byte| *byte == 0) { vec![] } else { shape.fill.to_vec() },
            length_bytes: shape.is_filtered.then(|| length_bytes(chunk_bytes)),
            chunks: vec![NO_CHUNK; chunks as usize],
            // A place is remembered, so that a repeated one is refused.
            taken: vec![false; rows as usize],
            dirty: BTreeSet::new(),
            index_at: 0,
            block_at: 0,
            head: Vec::new(),
            head_at: 0,
            extent_at: 0,
            is_new: false,
        };
        grid.index_at = space.take_whole(grid.index_head().len() as u64);
        grid.block_at = space.take_whole(grid.block().len() as u64);
        Ok(grid)
    }

    pub(super) fn index_at(&self) -> u64 {
        self.index_at
    }

    /// The pieces that are written once, when the file is made.
    pub(super) fn pieces(&self) -> [(u64, Vec<u8>); 2] {
        [(self.index_at, self.index_head()), (self.block_at, self.block())]
    }

    /// Gives it its finished header.
    pub(super) fn set_head(&mut self, head: Vec<u8>, at: u64, extent_at: usize) {
        (self.head, self.head_at, self.extent_at) = (head, at, extent_at);
    }

    /// Writes other bytes into the header.
    pub(super) fn rewrite_head(&mut self, at: usize, bytes: &[u8], out: &Out) -> Result<()> {
        set_bytes(&mut self.head, at, bytes);
        out.write(&self.head, self.head_at)
    }

    /// Writes a row; whether there was one before at this place.
    pub(super) fn write(&mut self, place: &[u64], parts: &[&[u8]], space: &Space, out: &Out) -> Result<bool> {
        let is_inside =
            place.len() == self.sizes.len() && place.iter().zip(&self.sizes).all(|(at, size)| at < size);
        if !is_inside {
            let wanted = format!("a place in a grid of {:?}", self.sizes);
            return Err(Error::new(wanted, format!("{place:?}")));
        }
        let bytes: u64 = parts.iter().map(|part| part.len() as u64).sum();
        // A filter makes rows of any length.
        if self.length_bytes.is_none() && bytes != self.row_bytes {
            return Err(Error::new(format!("a row of {} bytes", self.row_bytes), format!("{bytes}")));
        }
        let number = self.chunk_number(place);
        let written = match self.rows_per_chunk() == 1 {
            true => self.write_chunk(number, bytes, parts, space, out),
            false => self.write_within(number, place, parts, space, out),
        };
        written?;
        // The axes grow only behind the write, so that readers see no row that is not there.
        for (extent, at) in self.extent.iter_mut().zip(place) {
            *extent = (*extent).max(at + 1);
        }
        self.is_new = true;
        let row = linear(place, &self.sizes) as usize;
        Ok(std::mem::replace(&mut self.taken[row], true))
    }

    /// A chunk of one row. A reader may still be at the one from before, which therefore stays where it is.
    fn write_chunk(
        &mut self,
        number: usize,
        bytes: u64,
        parts: &[&[u8]],
        space: &Space,
        out: &Out,
    ) -> Result<()> {
        let taken = space.take(bytes);
        // The space is taken again by the next attempt.
        out.write_parts(parts, taken.at).inspect_err(|_| space.give_back(taken, out))?;
        self.set_chunk(number, Chunk { at: taken.at, bytes });
        Ok(())
    }

    /// A row of a chunk of several, which is made by the first of them.
    fn write_within(
        &mut self,
        number: usize,
        place: &[u64],
        parts: &[&[u8]],
        space: &Space,
        out: &Out,
    ) -> Result<()> {
        // Several rows in a filtered chunk would have to be packed together.
        if self.length_bytes.is_some() {
            return Err(Error::new("chunks of one row with a filter", "several rows"));
        }
        let within: Vec<u64> = place.iter().zip(&self.chunk).map(|(at, chunk)| at % chunk).collect();
        let offset = linear(&within, &self.chunk) * self.row_bytes;
        let bytes = self.rows_per_chunk() * self.row_bytes;
        let known = self.chunks[number].at;
        // The chunk exists and has its fill already.
        if known != NOWHERE {
            return out.write_parts(parts, known + offset);
        }
        let taken = space.take(bytes);
        let filled = self.write_fill(taken.at, out);
        let written = filled.and_then(|()| out.write_parts(parts, taken.at + offset));
        written.inspect_err(|_| space.give_back(taken, out))?;
        self.set_chunk(number, Chunk { at: taken.at, bytes });
        Ok(())
    }

    /// Fills a new chunk with the bytes of rows before they are written, if they are not 0.
    fn write_fill(&self, at: u64, out: &Out) -> Result<()> {
        if self.fill.is_empty() {
            return Ok(());
        }
        let row: Vec<u8> = self.fill.iter().copied().cycle().take(self.row_bytes as usize).collect();
        (0..self.rows_per_chunk()).try_for_each(|number| out.write(&row, at + number * self.row_bytes))
    }

    fn set_chunk(&mut self, number: usize, chunk: Chunk) {
        self.chunks[number] = chunk;
        self.dirty.insert(number / PAGE);
    }

    fn chunk_number(&self, place: &[u64]) -> usize {
        let at: Vec<u64> = place.iter().zip(&self.chunk).map(|(at, chunk)| at / chunk).collect();
        let counts = chunk_counts(&self.sizes, &self.chunk);
        linear(&at, &counts) as usize
    }

    fn rows_per_chunk(&self) -> u64 {
        self.chunk.iter().product()
    }

    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Writes the pages of the index that have changed.
    pub(super) fn write_index(&mut self, out: &Out) -> Result<()> {
        while let Some(page) = self.dirty.first().copied() {
            // With few chunks the whole block is one page.
            match self.is_paged() {
                true => out.write(&self.page(page), self.page_at(page))?,
                false => out.write(&self.block(), self.block_at)?,
            }
            // A page stays on the list until it is written, so that an error leaves it there.
            self.dirty.remove(&page);
        }
        Ok(())
    }

    /// Writes the header with the new sizes of the axes.
    pub(super) fn write_head(&mut self, out: &Out) -> Result<()> {
        if self.is_new {
            let extent: Vec<u8> = self.extent.iter().flat_map(|size| size.to_le_bytes()).collect();
            let at = self.extent_at;
            self.rewrite_head(at, &extent, out)?;
            self.is_new = false;
        }
        Ok(())
    }

    fn is_paged(&self) -> bool {
        // HDF5 has pages only from a certain number of chunks on.
        self.chunks.len() > PAGE
    }

    fn place_bytes(&self) -> usize {
        8 + self.length_bytes.map_or(0, |bytes| bytes + 4)
    }

    fn begin(&self, signature: &[u8; 4]) -> Bytes {
        let mut out = Bytes::default();
        out.put(signature);
        out.put(&[0, u8::from(self.length_bytes.is_some())]);
        out
    }

    fn index_head(&self) -> Vec<u8> {
        let mut out = self.begin(b"FAHD");
        out.put(&[self.place_bytes() as u8, PAGE_BITS]);
        out.u64(self.chunks.len() as u64);
        out.u64(self.block_at);
        out.checked()
    }

    /// The block of all places, behind its head in pages if there are many.
    fn block(&self) -> Vec<u8> {
        let mut out = self.begin(b"FADB");
        out.u64(self.index_at);
        if !self.is_paged() {
            self.chunks.iter().for_each(|chunk| put_chunk(&mut out, chunk, self.length_bytes));
            return out.checked();
        }
        let pages = self.chunks.len().div_ceil(PAGE);
        // Every page is written together with the block. The first page is the highest bit.
        let mut bits = vec![0u8; pages.div_ceil(8)];
        (0..pages).for_each(|page| bits[page / 8] |= 0x80 >> (page % 8));
        out.put(&bits);
        let mut bytes = out.checked();
        (0..pages).for_each(|page| bytes.extend_from_slice(&self.page(page)));
        bytes
    }

    fn page(&self, page: usize) -> Vec<u8> {
        let end = ((page + 1) * PAGE).min(self.chunks.len());
        let mut out = Bytes::default();
        self.chunks[page * PAGE..end].iter().for_each(|chunk| put_chunk(&mut out, chunk, self.length_bytes));
        out.checked()
    }

    fn page_at(&self, page: usize) -> u64 {
        let head = 4 + 2 + 8 + self.chunks.len().div_ceil(PAGE).div_ceil(8) + 4;
        self.block_at + (head + page * (PAGE * self.place_bytes() + 4)) as u64
    }
}

/// The number of a place in a grid, the last axis fastest.
fn linear(place: &[u64], sizes: &[u64]) -> u64 {
    place.iter().zip(sizes).fold(0, |number, (at, size)| number * size + at)
}

/// The number of places, if they can be kept.
fn count(sizes: &[u64]) -> Option<u64> {
    let all = sizes.iter().try_fold(1u64, |all, size| all.checked_mul(*size));
    all.filter(|count| (1..=MOST_CHUNKS).contains(count))
}

fn chunk_counts(sizes: &[u64], chunk: &[u64]) -> Vec<u64> {
    // A chunk of size 0 would divide by zero.
    sizes.iter().zip(chunk).map(|(size, chunk)| size.div_ceil((*chunk).max(1))).collect()
}
