//! How chunks are compressed: the filters of HDF5 that every reader with `hdf5plugin` has.

use super::bytes::Bytes;

/// A filter with its settings, as files name it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filter {
    /// Number, as registered with The HDF Group.
    pub id: u16,
    /// Settings.
    pub values: Vec<u32>,
}

impl Filter {
    /// Deflate (zlib).
    pub const ZLIB: u16 = 1;
    /// bzip2, which is only read.
    pub const BZIP2: u16 = 307;
    /// LZF of h5py, which is only read.
    pub const LZF: u16 = 32000;
    /// Blosc 1.
    pub const BLOSC: u16 = 32001;
    /// LZ4 in blocks.
    pub const LZ4: u16 = 32004;
    /// Bitshuffle, with LZ4 as we use it.
    pub const BITSHUFFLE: u16 = 32008;
    /// Zstandard.
    pub const ZSTD: u16 = 32015;
    /// Blosc 2, which is only read.
    pub const BLOSC2: u16 = 32026;

    /// Deflate at `level`.
    pub fn zlib(level: u32) -> Filter {
        Filter { id: Filter::ZLIB, values: vec![level] }
    }

    /// Bitshuffle and LZ4 of elements of `bytes` bytes.
    pub fn bslz4(bytes: usize) -> Filter {
        // Version of the format, size of an element, blocks of the size that the chunk says, LZ4.
        Filter { id: Filter::BITSHUFFLE, values: vec![0, 0, bytes as u32, 0, 2] }
    }

    /// Blosc of elements of `bytes` bytes in chunks of `chunk` bytes; the other numbers are what the chunks were made with and only
    /// inform.
    pub fn blosc(bytes: usize, chunk: usize, level: u32, shuffle: u32, compressor: u32) -> Filter {
        let values = vec![2, 2, bytes as u32, chunk as u32, level, shuffle, compressor];
        Filter { id: Filter::BLOSC, values }
    }

    /// LZ4 in blocks; their size is in the chunks.
    pub fn lz4() -> Filter {
        Filter { id: Filter::LZ4, values: vec![0] }
    }

    /// Zstandard at `level`, which only informs.
    pub fn zstd(level: i32) -> Filter {
        Filter { id: Filter::ZSTD, values: vec![level.max(0) as u32] }
    }

    /// The message that describes it.
    pub(super) fn message(&self) -> Vec<u8> {
        let mut out = Bytes::default();
        out.put(&[2, 1]);
        out.u16(self.id);
        // Registered filters have a name, which may be empty.
        if self.id >= 256 {
            out.u16(0);
        }
        out.u16(0);
        out.u16(self.values.len() as u16);
        for value in &self.values {
            out.u32(*value);
        }
        out.done()
    }
}
