//! Rows that lie in chunks.

use std::sync::Arc;

use super::super::copy::copy_box;
use super::super::file::OpenFile;
use super::super::index::{Chunk, Grid};
use super::{Array, Filled, MOST_RATIO, Scratch, Stored, bytes_of};
use crate::file::read_exact_at;
use crate::{Error, Result};

impl Array {
    pub(super) fn read_chunks(
        &self,
        grid: &Grid,
        chunks: &[Chunk],
        first: u64,
        count: u64,
        output: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<Filled> {
        let Some(deep) = grid.chunk.first().copied() else {
            let Some(chunk) = chunks.first() else { return Ok(self.nothing(output)) };
            return self.decode(*chunk, output, scratch).map(|()| Filled::Whole);
        };
        let a_layer: u64 = grid.counts.iter().skip(1).product();
        let (mut filled, mut done) = (None, 0u64);
        while done < count {
            let row = first + done;
            let (layer, within) = (row / deep, row % deep);
            let rows = (deep - within).min(count - done);
            let part = (done * self.row_bytes) as usize..((done + rows) * self.row_bytes) as usize;
            // Chunks are in the order of their numbers.
            let from = chunks.partition_point(|chunk| chunk.number < layer * a_layer);
            let layer = chunks[from..].iter().take_while(|chunk| chunk.number < (layer + 1) * a_layer);
            let found =
                self.read_layer(grid, layer.copied().collect(), (within, rows), &mut output[part], scratch)?;
            filled = Some(filled.map_or(found, |all: Filled| all.and(found)));
            done += rows;
        }
        Ok(filled.unwrap_or(Filled::Whole))
    }

    /// Rows from row `within` on of the chunks that lie beside each other.
    fn read_layer(
        &self,
        grid: &Grid,
        chunks: Vec<Chunk>,
        (within, rows): (u64, u64),
        output: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<Filled> {
        let wanted: u64 = grid.counts.iter().skip(1).product();
        if chunks.is_empty() && wanted > 0 {
            return Ok(self.nothing(output));
        }
        if let ([chunk], true) = (&chunks[..], self.are_whole_rows(grid)) {
            return self.read_rows(*chunk, grid.chunk[0], (within, rows), output, scratch);
        }
        // Parts of chunks that were never written have the fill value.
        if (chunks.len() as u64) < wanted {
            self.nothing(output);
        }
        for chunk in &chunks {
            self.decode_whole(*chunk, scratch)?;
            self.put(grid, chunk.number, (within, rows), &scratch.chunk, output);
        }
        Ok(if (chunks.len() as u64) < wanted { Filled::Partial } else { Filled::Whole })
    }

    /// Rows of a chunk that has whole rows.
    fn read_rows(
        &self,
        chunk: Chunk,
        deep: u64,
        (within, rows): (u64, u64),
        output: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<Filled> {
        let from = within * self.row_bytes;
        // Without filters, rows are read directly from their place.
        if self.filters.is_empty() {
            read_exact_at(&*self.file.bytes, output, chunk.at.saturating_add(from))?;
        } else if rows == deep {
            self.decode(chunk, output, scratch)?;
        } else {
            self.decode_whole(chunk, scratch)?;
            output.copy_from_slice(&scratch.chunk[from as usize..from as usize + output.len()]);
        }
        Ok(Filled::Whole)
    }

    /// Copies the part of some rows that a whole chunk has.
    fn put(&self, grid: &Grid, number: u64, (within, rows): (u64, u64), chunk: &[u8], output: &mut [u8]) {
        let (shape, size) = (&self.space.shape, self.element.bytes as usize);
        let mut place = vec![0; shape.len()];
        let mut rest = number;
        for axis in (1..shape.len()).rev() {
            place[axis] = rest % grid.counts[axis] * grid.chunk[axis];
            rest /= grid.counts[axis];
        }
        let mut from = vec![0; shape.len()];
        from[0] = within;
        let mut lengths: Vec<u64> = shape
            .iter()
            .zip(&place)
            .zip(&grid.chunk)
            .map(|((size, at), chunk)| (size - at).min(*chunk))
            .collect();
        lengths[0] = rows;
        let mut into = shape.clone();
        into[0] = rows;
        copy_box((chunk, &grid.chunk, &from), (output, &into, &place), &lengths, size);
    }

    /// See [`Array::read_memory`].
    pub(super) fn chunk_memory(&self, grid: &Grid, chunks: &[Chunk]) -> u64 {
        let whole = bytes_of(&grid.chunk, self.element.bytes.into()).unwrap_or(u64::MAX);
        let is_row = grid.chunk.first() == Some(&1) && self.are_whole_rows(grid);
        let decoded = if is_row || self.filters.is_empty() && self.are_whole_rows(grid) { 0 } else { whole };
        let packed = if self.filters.is_empty() {
            0
        } else {
            chunks.iter().map(|chunk| chunk.bytes).max().unwrap_or(0)
        };
        // Between two filters a chunk is decoded twice.
        let between = if self.filters.len() > 1 { whole.saturating_mul(2) } else { 0 };
        decoded.saturating_add(packed).saturating_add(between)
    }

    fn are_whole_rows(&self, grid: &Grid) -> bool {
        grid.chunk.get(1..) == self.space.shape.get(1..)
    }

    /// Decodes a chunk into the scratch, if it is not there.
    fn decode_whole(&self, chunk: Chunk, scratch: &mut Scratch) -> Result<()> {
        let Stored::Chunked(grid, _) = &self.stored else { return Ok(()) };
        let is_known = |(file, at, rows): &(Arc<OpenFile>, u64, u64)| {
            Arc::ptr_eq(file, &self.file) && (*at, *rows) == (chunk.at, self.rows())
        };
        if scratch.known.as_ref().is_some_and(is_known) {
            return Ok(());
        }
        // Forgotten first: a failed read leaves the memory in pieces.
        scratch.known = None;
        let bytes = bytes_of(&grid.chunk, self.element.bytes.into()).unwrap_or(u64::MAX);
        let mut whole = std::mem::take(&mut scratch.chunk);
        self.check_size(bytes, chunk)?;
        whole.resize(bytes as usize, 0);
        let decoded = self.decode(chunk, &mut whole, scratch);
        scratch.chunk = whole;
        decoded?;
        scratch.known = Some((self.file.clone(), chunk.at, self.rows()));
        Ok(())
    }

    /// A chunk that claims more than its file can hold is not given memory.
    fn check_size(&self, bytes: u64, chunk: Chunk) -> Result<()> {
        let size = self.file.size()?;
        let limit = if self.filters.is_empty() { size } else { size.saturating_mul(MOST_RATIO) };
        if chunk.bytes > size || bytes > limit {
            let found = format!("{} of {bytes} bytes in a file of {size}", chunk.bytes);
            return Err(Error::new("a chunk that its file can hold", found).at(chunk.at));
        }
        Ok(())
    }

    /// Reads a chunk into memory of its size.
    fn decode(&self, chunk: Chunk, output: &mut [u8], scratch: &mut Scratch) -> Result<()> {
        if self.filters.is_empty() {
            return read_exact_at(&*self.file.bytes, output, chunk.at);
        }
        self.check_size(output.len() as u64, chunk)?;
        let Scratch { decoders, packed, .. } = scratch;
        packed.resize(chunk.bytes as usize, 0);
        read_exact_at(&*self.file.bytes, packed, chunk.at)?;
        let size = self.element.bytes as usize;
        decoders.decode(&self.filters, chunk.mask, size, packed, output).map_err(|e| e.at(chunk.at))
    }
}
