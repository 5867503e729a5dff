//! How chunks are compressed: the filters of HDF5 that every reader with `hdf5plugin` has.

use livetime_codecs::{Chunk, CodecType, Settings};

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
    /// The filter of a codec with these settings, for chunks like this one; `None` if HDF5 has none for it.
    ///
    /// ```
    /// use livetime_codecs::{Chunk, CodecType, Settings};
    /// use livetime_formats::hdf5::Filter;
    /// let zlib = CodecType::named("zlib").and_then(|zlib| {
    ///     Filter::of(zlib, Chunk { element: 2, bytes: 1000 }, &Settings::USUAL.at(4))
    /// });
    /// assert_eq!(zlib, Some(Filter { id: 1, values: vec![4] }));
    /// ```
    pub fn of(codec: &CodecType, chunk: Chunk, settings: &Settings) -> Option<Filter> {
        let filter = codec.filter?;
        Some(Filter { id: filter.number, values: (filter.values)(chunk, settings) })
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
