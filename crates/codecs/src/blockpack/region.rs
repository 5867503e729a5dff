//! Part of an array, without unpacking the rest.

use livetime_kernels::blockpack::{BLOCK, Word};

use super::{Blockpack, Header, Reference, read_block};
use crate::{CodecError, DType};

/// Rows of elements, all equally long and equally far apart, counted in elements of the whole array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First element of the first row.
    pub start: usize,
    /// Number of rows.
    pub rows: usize,
    /// Elements of a row.
    pub row_length: usize,
    /// From the start of a row to the start of the next one; at least `row_length`.
    pub stride: usize,
}

impl Region {
    /// Elements `start .. start + length`.
    pub fn run(start: usize, length: usize) -> Region {
        Region { start, rows: 1, row_length: length, stride: length }
    }

    /// `width` × `height` elements from column `x` and row `y` on, of image number `image` of a stack of images that are
    /// `columns` × `rows` large; an image alone is number 0.
    pub fn rectangle(
        (columns, rows): (usize, usize),
        image: usize,
        (x, y): (usize, usize),
        (width, height): (usize, usize),
    ) -> Region {
        let start = image.saturating_mul(rows).saturating_add(y).saturating_mul(columns).saturating_add(x);
        Region { start, rows: height, row_length: width, stride: columns }
    }

    /// One past the last element, `None` if the rows overlap or the number is too large.
    fn end(&self) -> Option<usize> {
        if self.rows == 0 || self.row_length == 0 {
            return Some(self.start);
        }
        if self.rows > 1 && self.stride < self.row_length {
            return None;
        }
        (self.rows - 1).checked_mul(self.stride)?.checked_add(self.start)?.checked_add(self.row_length)
    }
}

impl Blockpack {
    /// Decodes part of an array into `output`, row behind row. Only blocks of 8192 elements that the region touches are
    /// read and checked.
    ///
    /// # Errors
    /// The errors of [`Blockpack::decode_with`]; [`CodecError::Length`] if the region is not inside the array or
    /// `output` does not have its size.
    ///
    /// ```
    /// use livetime_codecs::{Array, Blockpack, Codec, DType, Region};
    /// let image: Vec<u8> = (0..40_000u32).map(|i| (i % 200) as u8).collect();
    /// let mut codec = Blockpack::new();
    /// let mut packed = vec![0; codec.bound(image.len())];
    /// let size = codec.encode(Array::new(&image, DType::U8, &[200, 200])?, &mut packed)?;
    /// let mut part = [0; 6];
    /// let region = Region::rectangle((200, 200), 0, (10, 100), (3, 2));
    /// codec.decode_region(&packed[..size], DType::U8, None, region, &mut part)?;
    /// assert_eq!(part, [10, 11, 12, 10, 11, 12]);
    /// # Ok::<(), livetime_codecs::CodecError>(())
    /// ```
    pub fn decode_region(
        &mut self,
        stream: &[u8],
        dtype: DType,
        reference: Option<Reference<'_>>,
        region: Region,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        let header = Header::read(stream)?;
        header.check(dtype, header.bytes(), reference)?;
        let (end, elements) = (region.end().unwrap_or(usize::MAX), header.bytes() / dtype.bytes());
        if end > elements {
            return Err(CodecError::Length {
                what: "last element of the region",
                wanted: elements,
                found: end,
            });
        }
        let wanted = region.rows * region.row_length * dtype.bytes();
        if output.len() != wanted {
            return Err(CodecError::Length { what: "bytes of the region", wanted, found: output.len() });
        }
        let reference = reference.map(|r| r.data);
        match dtype.bytes() {
            1 => self.read_region::<u8>(&header, reference, region, output),
            2 => self.read_region::<u16>(&header, reference, region, output),
            _ => self.read_region::<u32>(&header, reference, region, output),
        }
    }

    fn read_region<T: Word>(
        &mut self,
        header: &Header<'_>,
        reference: Option<&[u8]>,
        region: Region,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        let size = BLOCK * size_of::<T>();
        self.block.resize(size, 0);
        // The block that is in memory, and the next one with its place.
        let (mut have, mut next, mut at) = (usize::MAX, 0, 0);
        let rows = output.chunks_exact_mut((region.row_length * size_of::<T>()).max(1));
        for (row, mut output) in rows.enumerate() {
            let mut from = (region.start + row * region.stride) * size_of::<T>();
            while !output.is_empty() {
                let block = from / size;
                let length = size.min(header.bytes() - block * size);
                // Rows that share a block unpack it once.
                if block != have {
                    while next < block {
                        at += header.length(next);
                        next += 1;
                    }
                    let reference = reference.map(|r| &r[block * size..block * size + length]);
                    let to = &mut self.block[..length];
                    read_block::<T>(self.level, header, block, at, reference, to)?;
                    have = block;
                }
                let part = &self.block[from % size..length];
                let (now, later) = output.split_at_mut(part.len().min(output.len()));
                now.copy_from_slice(&part[..now.len()]);
                from += now.len();
                output = later;
            }
        }
        Ok(())
    }
}
