//! Chunks that hold parts of frames, as `chunk_size_auto` false and the sizes of areaDetector's NDFileHDF5 want them.

use livetime_codecs::Settings;
use livetime_frame::{DType, Layout};

use super::super::nd_file::WriteError;
use super::packing::{Packer, Packing};
use super::params::Hdf5FilesParams;
use crate::error::Mismatch;

/// Chunks that one frame may be cut into: each of them has a place in the index.
const MOST_PARTS: usize = 65_536;

/// The parts of a frame that have chunks of their own.
pub(super) struct Parts {
    dtype: DType,
    /// Of a frame, the slowest axis first.
    shape: Vec<usize>,
    /// Of a part; those at the far edges stick out.
    part: Vec<usize>,
    /// One part, and all of them as the file has them.
    elements: Vec<u8>,
    chunks: Vec<u8>,
    ends: Vec<usize>,
}

impl Parts {
    /// The parts of frames of a layout; none, if chunks hold whole frames.
    ///
    /// # Errors
    /// For frames that came compressed, too many parts, and files with the axes of a scan.
    pub(super) fn of(layout: &Layout, p: &Hdf5FilesParams) -> Result<Option<Parts>, Mismatch> {
        let shape: Vec<usize> = layout.shape().collect();
        let sizes = p.parts.sizes();
        // The parameters name the fastest axis first, and a missing size means the whole axis.
        let sizes = shape.iter().rev().zip(sizes.iter().chain(std::iter::repeat(&0)));
        let mut part: Vec<usize> =
            // A part larger than the axis would only store zeros.
            sizes.map(|(all, size)| if *size == 0 { *all } else { *all.min(&(*size as usize)) }).collect();
        part.reverse();
        // A part that is the whole frame needs no cutting, and such chunks are written without a copy.
        if p.chunk_size_auto || part == shape {
            return Ok(None);
        }
        let refused = |wanted: &str, found: String| {
            let of_parts = "for chunks that hold parts of a frame (`chunk_size_auto` false)";
            Err(Mismatch::new(format!("{wanted} {of_parts}"), found))
        };
        // A compressed frame cannot be cut without unpacking it.
        if let Some(codec) = layout.codec() {
            return refused("frames that come uncompressed", codec.0.into());
        }
        if p.grid.extra_dims > 0 {
            return refused("`extra_dims` 0", p.grid.extra_dims.to_string());
        }
        let parts =
            Parts { dtype: layout.dtype(), shape, part, elements: vec![], chunks: vec![], ends: vec![] };
        match parts.counts().product::<usize>() {
            count if count > MOST_PARTS => {
                refused(&format!("at most {MOST_PARTS} of them in a frame"), count.to_string())
            }
            _ => Ok(Some(parts)),
        }
    }

    /// Elements along each axis, the slowest first.
    pub(super) fn sizes(&self) -> Vec<u64> {
        self.part.iter().map(|size| *size as u64).collect()
    }

    /// Parts along each axis.
    fn counts(&self) -> impl Iterator<Item = usize> + '_ {
        self.shape.iter().zip(&self.part).map(|(size, part)| size.div_ceil(*part))
    }

    /// The chunks of `frames` frames, which lie one after another in `pixels` as far as there are any, and where each of them ends.
    ///
    /// # Errors
    /// For elements that the codec cannot take.
    pub(super) fn chunks(
        &mut self,
        pixels: &[u8],
        frames: u64,
        (packer, packing, settings): (&mut Packer, &Packing, Settings),
    ) -> Result<(&[u8], &[usize]), WriteError> {
        self.chunks.clear();
        self.ends.clear();
        for number in 0..self.counts().product() {
            self.gather(number, pixels, frames as usize);
            let packed = packer.part(self.dtype, &self.elements, packing, settings)?;
            let (head, head_bytes) = packing.head(self.elements.len() as u64, packed.len());
            self.chunks.extend_from_slice(&head[..head_bytes]);
            self.chunks.extend_from_slice(packed);
            self.ends.push(self.chunks.len());
        }
        Ok((&self.chunks, &self.ends))
    }

    /// Collects part `number` of all frames; elements beyond the frame are 0.
    fn gather(&mut self, number: usize, pixels: &[u8], frames: usize) {
        let bytes = self.dtype.bytes();
        let part_bytes = self.part.iter().product::<usize>() * bytes;
        self.elements.clear();
        // Zeros, because a part at the edge may stick out of the frame.
        self.elements.resize(part_bytes * frames, 0);
        let mut begin = vec![0; self.shape.len()];
        let mut rest = number;
        for (axis, count) in self.counts().enumerate().collect::<Vec<_>>().into_iter().rev() {
            (begin[axis], rest) = (rest % count * self.part[axis], rest / count);
        }
        let frame_bytes = self.shape.iter().product::<usize>() * bytes;
        // An array without elements has no chunks; `max` only avoids a size of 0.
        let from = pixels.chunks_exact(frame_bytes.max(1));
        for (from, into) in from.zip(self.elements.chunks_exact_mut(part_bytes.max(1))) {
            copy(from, into, (&self.shape, &self.part, &begin), bytes);
        }
    }
}

/// Copies the elements of a frame in the part that begins at `begin`.
fn copy(from: &[u8], into: &mut [u8], (shape, part, begin): (&[usize], &[usize], &[usize]), bytes: usize) {
    // A value without axes is copied alone.
    let (Some(all), Some(size), Some(first)) = (shape.first(), part.first(), begin.first()) else {
        return into.copy_from_slice(from);
    };
    let count = (all - first).min(*size);
    let step = |sizes: &[usize]| sizes[1..].iter().product::<usize>() * bytes;
    let (a, b) = (step(shape), step(part));
    // The last axis is contiguous, so a run is copied at once.
    if shape.len() == 1 {
        return into[..count * bytes].copy_from_slice(&from[first * bytes..][..count * bytes]);
    }
    for place in 0..count {
        let deeper = (&shape[1..], &part[1..], &begin[1..]);
        copy(&from[(first + place) * a..][..a], &mut into[place * b..][..b], deeper, bytes);
    }
}
