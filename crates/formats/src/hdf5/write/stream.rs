//! A data set that grows.

use super::super::checksum::set_bytes;
use super::index::{Chunk, Index};
use super::space::{Out, Space};
use crate::{Error, Result};

/// Headers within this many bytes are written together.
const PAGE: u64 = 4096;
/// So much of the disk is reserved at once for rows that wait in memory.
const RESERVED: u64 = 16 << 10;

/// One data set whose rows are added at the end.
pub(super) struct Stream {
    row_bytes: u64,
    chunk_rows: u64,
    /// Bytes of a chunk before it is compressed.
    chunk_bytes: u64,
    /// Chunks that lie beside each other: together they have whole rows.
    parts: u64,
    is_filtered: bool,
    index: Index,
    /// Where the last chunk is, of a data set without filter.
    chunk_at: u64,
    /// The chunk behind it, if there is one already, and up to where on the disk there is room for rows.
    next_chunk: Option<u64>,
    reserved: u64,
    /// Rows in the file.
    written: u64,
    /// Rows that the header says.
    shown: u64,
    /// Rows that wait in memory, for data sets without filter.
    pending: Vec<u8>,
    head: Vec<u8>,
    head_at: u64,
    /// Where in the header the number of rows is.
    rows_at: usize,
}

/// The properties of a stream.
pub(super) struct Shape {
    pub(super) row_bytes: u64,
    pub(super) chunk_rows: u64,
    pub(super) chunk_bytes: u64,
    pub(super) parts: u64,
    pub(super) is_filtered: bool,
}

impl Stream {
    pub(super) fn new(shape: &Shape, index: Index) -> Stream {
        let Shape { row_bytes, chunk_rows, chunk_bytes, parts, is_filtered } = *shape;
        Stream {
            row_bytes,
            chunk_rows,
            chunk_bytes,
            parts,
            is_filtered,
            index,
            chunk_at: 0,
            next_chunk: None,
            reserved: 0,
            written: 0,
            shown: 0,
            pending: Vec::new(),
            head: Vec::new(),
            head_at: 0,
            rows_at: 0,
        }
    }

    /// Where the head of its index is.
    pub(super) fn index_at(&self) -> u64 {
        self.index.at()
    }

    /// Gives it its finished header.
    pub(super) fn set_head(&mut self, head: Vec<u8>, at: u64, rows_at: usize) {
        (self.head, self.head_at, self.rows_at) = (head, at, rows_at);
    }

    /// Writes other bytes into the header.
    pub(super) fn rewrite_head(&mut self, at: usize, bytes: &[u8], out: &Out) -> Result<()> {
        set_bytes(&mut self.head, at, bytes);
        out.write(&self.head, self.head_at)
    }

    pub(super) fn rows(&self) -> u64 {
        self.written + self.pending.len() as u64 / self.row_bytes
    }

    pub(super) fn is_new(&self) -> bool {
        self.written != self.shown
    }

    pub(super) fn pending_bytes(&self) -> usize {
        self.pending.len()
    }

    pub(super) fn push(&mut self, row: &[u8]) {
        debug_assert_eq!(row.len() as u64, self.row_bytes);
        self.pending.extend_from_slice(row);
    }

    pub(super) fn write_row(&mut self, row: &[u8], space: &Space, out: &Out) -> Result<()> {
        // A row within a filtered chunk could not be written without packing the chunk again.
        if row.len() as u64 != self.row_bytes || self.is_filtered || self.parts != 1 {
            let (wanted, found) = (self.row_bytes, row.len());
            return Err(Error::new(
                format!("a row of {wanted} bytes without a filter, in one chunk"),
                format!("{found} bytes"),
            ));
        }
        self.write_rows(row, space, out)
    }

    /// Writes rows of one chunk.
    fn write_rows(&mut self, rows: &[u8], space: &Space, out: &Out) -> Result<()> {
        let within = self.written % self.chunk_rows;
        let is_new = within == 0;
        let bytes = self.chunk_bytes;
        let (at, taken) = match (is_new, self.next_chunk) {
            (false, _) => (self.chunk_at, None),
            (true, Some(at)) => (at, None),
            (true, None) => {
                let taken = space.take(bytes);
                (taken.at, Some(taken))
            }
        };
        // The space is taken again by the next attempt.
        let give_back = |_: &Error| taken.into_iter().for_each(|taken| space.give_back(taken, out));
        out.write(rows, at + within * self.row_bytes).inspect_err(give_back)?;
        if is_new {
            self.index.set(self.written / self.chunk_rows, Chunk { at, bytes }, space, out)?;
            (self.chunk_at, self.next_chunk) = (at, None);
        }
        self.written += rows.len() as u64 / self.row_bytes;
        Ok(())
    }

    pub(super) fn write_chunk(
        &mut self,
        chunk: u64,
        rows: u64,
        parts: &[&[u8]],
        space: &Space,
        out: &Out,
    ) -> Result<()> {
        if !self.is_filtered || self.parts != 1 {
            return Err(Error::new("a data set with a filter, and chunks of whole rows", "another"));
        }
        self.check_layer(chunk, rows)?;
        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        let taken = space.take(bytes);
        // The chunk is written before the index names it, so that a reader never follows a place without
        // data.
        out.write_parts(parts, taken.at).inspect_err(|_| space.give_back(taken, out))?;
        self.index.set(chunk, Chunk { at: taken.at, bytes }, space, out)?;
        // A chunk may be written again with more rows.
        self.written = self.written.max(chunk * self.chunk_rows + rows);
        Ok(())
    }

    /// Writes the chunks that lie beside each other, `bytes` up to each of `ends`: as the next ones, or the last ones again.
    pub(super) fn write_layer(
        &mut self,
        layer: u64,
        rows: u64,
        (bytes, ends): (&[u8], &[usize]),
        space: &Space,
        out: &Out,
    ) -> Result<()> {
        let sizes =
            || ends.iter().scan(0, |from, end| Some(end.saturating_sub(std::mem::replace(from, *end))));
        // Only a filter makes chunks of other sizes.
        let are_whole = self.is_filtered || sizes().all(|size| size as u64 == self.chunk_bytes);
        if ends.len() as u64 != self.parts || ends.last() != Some(&bytes.len()) || !are_whole {
            let wanted = format!("{} chunks of {} bytes or compressed", self.parts, self.chunk_bytes);
            return Err(Error::new(wanted, format!("{} of {} bytes", ends.len(), bytes.len())));
        }
        let is_again = self.check_layer(layer, rows)?;
        // Chunks without a filter keep their place when they are written again.
        if is_again && !self.is_filtered {
            for (part, chunk) in bytes.chunks_exact(self.chunk_bytes as usize).enumerate() {
                let known = self.index.get(layer * self.parts + part as u64, out)?;
                out.write(chunk, known.at)?;
            }
        } else {
            let taken = space.take(bytes.len() as u64);
            out.write(bytes, taken.at).inspect_err(|_| space.give_back(taken, out))?;
            let mut at = taken.at;
            for (part, size) in sizes().enumerate() {
                let chunk = Chunk { at, bytes: size as u64 };
                self.index.set(layer * self.parts + part as u64, chunk, space, out)?;
                at += size as u64;
            }
        }
        self.written = self.written.max(layer * self.chunk_rows + rows);
        Ok(())
    }

    /// Chunks are written one layer after another, and the last one again while it is not full. Whether it is the last
    /// one.
    fn check_layer(&self, layer: u64, rows: u64) -> Result<bool> {
        let last = self.written.div_ceil(self.chunk_rows);
        // The next layer may begin only where the last one is full.
        let is_next = layer == last && self.written.is_multiple_of(self.chunk_rows);
        let is_again = layer + 1 == last;
        if !(is_next || is_again) || rows == 0 || rows > self.chunk_rows {
            let wanted = format!("chunk {last} of up to {} rows", self.chunk_rows);
            return Err(Error::new(wanted, format!("chunk {layer} of {rows} rows")));
        }
        Ok(is_again)
    }

    /// Makes row `rows` the next one, in the chunk at `chunk` if it is there. Nothing may wait in memory. Rows behind it stay where they are, for readers that are
    /// at them, until others take their place in the index.
    pub(super) fn take_back(&mut self, rows: u64, chunk: Option<u64>) {
        (self.written, self.next_chunk, self.reserved) = (rows, None, rows);
        self.chunk_at = chunk.unwrap_or(self.chunk_at);
    }

    /// Where the chunk is in which row `rows` would be the next one, if it is to be written on.
    pub(super) fn last_chunk(&mut self, rows: u64, out: &Out) -> Result<Option<u64>> {
        // A filtered chunk is packed as a whole and cannot be written on.
        let is_written_on = !rows.is_multiple_of(self.chunk_rows) && !self.is_filtered && self.parts == 1;
        let chunk = is_written_on.then(|| self.index.get(rows / self.chunk_rows, out)).transpose()?;
        Ok(chunk.map(|chunk| chunk.at))
    }

    /// Takes chunks out of the index whose rows were all taken back.
    pub(super) fn trim(&mut self, out: &Out) -> Result<()> {
        let chunks = self.written.div_ceil(self.chunk_rows) * self.parts;
        // The index is shortened after the header, so that readers never see rows without a chunk.
        if self.index.used() > chunks {
            self.index.cut(chunks, out)?;
            self.index.write(out)?;
        }
        Ok(())
    }

    /// Enters a chunk of one row, which another thread has written, as the next one.
    pub(super) fn enter(&mut self, chunk: Chunk, space: &Space, out: &Out) -> Result<()> {
        let is_whole = self.is_filtered || chunk.bytes == self.row_bytes;
        if self.chunk_rows != 1 || self.parts != 1 || !is_whole || !self.pending.is_empty() {
            let wanted = format!("a chunk of one row, of {} bytes without a filter", self.row_bytes);
            return Err(Error::new(wanted, format!("{} bytes", chunk.bytes)));
        }
        self.index.set(self.written, chunk, space, out)?;
        self.chunk_at = chunk.at;
        self.written += 1;
        Ok(())
    }

    /// Makes sure that the disk has room for one more row than wait in memory.
    pub(super) fn reserve(&mut self, space: &Space, out: &Out) -> Result<()> {
        let row = self.rows();
        // A reservation lasts for several rows, so that the system is asked seldom.
        if row < self.reserved {
            return Ok(());
        }
        let chunk_bytes = self.chunk_bytes;
        let within = row % self.chunk_rows;
        // The next row begins a chunk.
        if within == 0 && self.next_chunk.is_none() {
            // Rows of the chunk before may still wait in memory.
            let taken = space.take(chunk_bytes);
            let reserved = out.reserve(taken.at, RESERVED.min(chunk_bytes));
            reserved.inspect_err(|_| space.give_back(taken, out))?;
            self.next_chunk = Some(taken.at);
        } else {
            let at = self.next_chunk.unwrap_or(self.chunk_at) + within * self.row_bytes;
            out.reserve(at, RESERVED.min(chunk_bytes - within * self.row_bytes))?;
        }
        // At least one row, because a row may be larger than the reserved bytes.
        let rows = (RESERVED / self.row_bytes).max(1).min(self.chunk_rows - within);
        self.reserved = row + rows;
        Ok(())
    }

    pub(super) fn write_pending(&mut self, space: &Space, out: &Out) -> Result<()> {
        let mut pending = std::mem::take(&mut self.pending);
        let mut done = 0;
        let mut result = Ok(());
        while done < pending.len() && result.is_ok() {
            let left = self.chunk_rows - self.written % self.chunk_rows;
            let bytes = (left * self.row_bytes).min((pending.len() - done) as u64) as usize;
            result = self.write_rows(&pending[done..done + bytes], space, out);
            // Rows that were written must not be written again after an error.
            done += if result.is_ok() { bytes } else { 0 };
        }
        pending.drain(..done);
        self.pending = pending;
        result
    }

    pub(super) fn write_index(&mut self, out: &Out) -> Result<()> {
        self.index.write(out)
    }

    /// The header with the new number of rows.
    fn renewed(&mut self) -> Option<(u64, &[u8])> {
        if !self.is_new() {
            return None;
        }
        set_bytes(&mut self.head, self.rows_at, &self.written.to_le_bytes());
        Some((self.head_at, &self.head))
    }
}

/// Writes the changed headers, in their order. Neighbours go together, as long as they lie in one page; the last one
/// goes alone, because readers trust its length.
pub(super) fn write_heads(streams: &mut [Stream], out: &Out) -> Result<()> {
    let (mut run, mut run_at) = (Vec::new(), 0);
    let count = streams.len();
    for (number, stream) in streams.iter_mut().enumerate() {
        let Some((at, head)) = stream.renewed() else { continue };
        // Neighbours of one page are written together, which saves calls of the system.
        let is_near = at == run_at + run.len() as u64 && (at + head.len() as u64 - 1) / PAGE == run_at / PAGE;
        // The last header is written alone, because readers trust its number of rows.
        if !is_near || number + 1 == count {
            write_run(&mut run, run_at, out)?;
            run_at = at;
        }
        run.extend_from_slice(head);
        // Up to the next header, which begins at a multiple of 8.
        run.resize(run.len().next_multiple_of(8), 0);
    }
    write_run(&mut run, run_at, out)?;
    streams.iter_mut().for_each(|stream| stream.shown = stream.written);
    Ok(())
}

/// Writes the headers with fewer rows than before: the last one first, because readers trust its length.
pub(super) fn write_shorter_heads(streams: &mut [Stream], out: &Out) -> Result<()> {
    for stream in streams.iter_mut().rev() {
        let Some((at, head)) = stream.renewed() else { continue };
        out.write(head, at)?;
        stream.shown = stream.written;
    }
    Ok(())
}

fn write_run(run: &mut Vec<u8>, at: u64, out: &Out) -> Result<()> {
    if !run.is_empty() {
        out.write(run, at)?;
        run.clear();
    }
    Ok(())
}
