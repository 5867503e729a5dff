//! Fractal heaps: where groups with many links and objects with many attributes keep them.

use super::input::{Fields, Input};
use crate::{Error, Result};

/// Rows of blocks of one indirect block.
const MOST_ROWS: u64 = 64;
/// Indirect blocks within each other.
const MOST_DEEP: usize = 16;

/// A heap whose objects may be read.
pub(super) struct Heap<'a> {
    input: &'a Input<'a>,
    offset_bytes: usize,
    length_bytes: usize,
    width: u64,
    start: u64,
    most_direct: u64,
    root: u64,
    /// Rows of the root; 0: it is a direct block.
    rows: u64,
}

/// Part of a heap: where its block is, and where that begins in the heap.
struct Block {
    at: u64,
    begin: u64,
    bytes: u64,
}

impl<'a> Heap<'a> {
    pub(super) fn open(input: &'a Input<'a>, at: u64) -> Result<Heap<'a>> {
        let head = input.checked(at, 146, b"FRHP")?;
        let mut fields = Fields::new(&head[5..], at + 5);
        fields.skip(2)?;
        let (filters, _, most_object) = (fields.uint(2)?, fields.u8()?, fields.uint(4)?);
        if filters != 0 {
            return Err(Error::new("a heap that is not compressed", "a compressed one").at(at));
        }
        // Huge objects, free space, counts.
        fields.skip(12 * 8)?;
        let (width, start, most_direct) = (fields.uint(2)?, fields.uint(8)?, fields.uint(8)?);
        let bits = fields.uint(2)?;
        fields.skip(2)?;
        let (root, rows) = (fields.uint(8)?, fields.uint(2)?);
        let are_powers = start.is_power_of_two() && most_direct.is_power_of_two() && width.is_power_of_two();
        // Products and logarithms below rely on these bounds.
        if !are_powers || start > most_direct || most_direct > 1 << 32 || bits > 64 || rows > MOST_ROWS {
            let found =
                format!("{width} blocks from {start} to {most_direct} bytes, {bits} bits, {rows} rows");
            return Err(Error::new("a heap with blocks of powers of 2", found).at(at));
        }
        let direct_bits = most_direct.ilog2() as usize;
        let object_bytes = most_object.max(1).ilog2() as usize / 8 + 1;
        Ok(Heap {
            input,
            offset_bytes: (bits as usize).div_ceil(8),
            length_bytes: direct_bits.div_ceil(8).min(object_bytes),
            width,
            start,
            most_direct,
            root,
            rows,
        })
    }

    /// The object that an identifier names.
    pub(super) fn object(&self, id: &[u8]) -> Result<(Vec<u8>, u64)> {
        let mut fields = Fields::new(id, 0);
        let kind = fields.u8()? >> 4 & 3;
        if kind == 2 {
            // A tiny object lies in its identifier.
            let length = usize::from(id[0] & 15) + 1;
            return fields.take(length).map(|bytes| (bytes.to_vec(), 0));
        }
        if kind != 0 {
            return Err(Error::new(
                "an object in the blocks of its heap",
                "a huge one, which is not read here",
            ));
        }
        let (offset, length) = (fields.uint(self.offset_bytes)?, fields.uint(self.length_bytes)?);
        let block = match self.rows {
            0 => Block { at: self.root, begin: 0, bytes: self.most_direct },
            rows => self.find(self.root, rows, 0, offset, 0)?,
        };
        let within = offset - block.begin;
        if within.checked_add(length).is_none_or(|end| end > block.bytes) {
            return Err(
                Error::new(format!("an object within a block of {} bytes", block.bytes), "more").at(block.at)
            );
        }
        self.check_direct(&block)?;
        let at = block.at.saturating_add(within);
        Ok((self.input.read(at, length)?, at))
    }

    fn check_direct(&self, block: &Block) -> Result<()> {
        let head = self.input.read(block.at, 5)?;
        if head.starts_with(b"FHDB") {
            return Ok(());
        }
        Err(Error::new("FHDB", "something else").at(block.at))
    }

    fn row_bytes(&self, row: u64) -> u64 {
        let times = 1u64.checked_shl((row as u32).saturating_sub(1)).unwrap_or(u64::MAX);
        self.start.saturating_mul(times)
    }

    /// The direct block with the byte `offset` of the heap, below the indirect block at `at`, which begins at byte
    /// `begin`.
    fn find(&self, at: u64, rows: u64, begin: u64, offset: u64, depth: usize) -> Result<Block> {
        let refused = || Error::new("a place within the heap", "one behind it").at(at);
        // Blocks may lead to each other in a circle.
        if depth > MOST_DEEP {
            return Err(refused());
        }
        let direct_rows = u64::from((self.most_direct / self.start).ilog2()) + 2;
        let mut first = begin;
        for row in 0..rows {
            let bytes = self.row_bytes(row);
            let whole = bytes.checked_mul(self.width).ok_or_else(refused)?;
            if offset >= first.checked_add(whole).ok_or_else(refused)? {
                first += whole;
                continue;
            }
            let column = (offset - first) / bytes;
            let child = self.child(at, rows, row * self.width + column)?;
            let begin = first + column * bytes;
            if row < direct_rows {
                return Ok(Block { at: child, begin, bytes });
            }
            let rows = u64::from((bytes / self.start / self.width).max(1).ilog2()) + 1;
            return self.find(child, rows.min(MOST_ROWS), begin, offset, depth + 1);
        }
        Err(refused())
    }

    fn child(&self, at: u64, rows: u64, number: u64) -> Result<u64> {
        let head = 4 + 1 + 8 + self.offset_bytes as u64;
        let bytes = head + rows * self.width * 8 + 4;
        let body = self.input.checked(at, bytes, b"FHIB")?;
        let place = (head + number * 8) as usize;
        let mut fields = Fields::new(body.get(place..).unwrap_or_default(), at + place as u64);
        let child = fields.address()?;
        child.ok_or_else(|| Error::new("a block of the heap", "none").at(at + place as u64))
    }
}
