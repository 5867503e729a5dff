//! Spots of light above their surroundings.

mod find;
mod wanted;

use crate::accumulate::Element;

pub use find::Peak;
pub use wanted::{Peaks, PeaksError};

/// Peaks of one event that are kept; a picture with more is no picture of spots.
pub const MOST_PEAKS: usize = 4096;

impl Peaks {
    /// Gives the peaks of all pictures of an array with this shape, slowest axis first: a picture is the last two axes,
    /// or a whole array of one axis as one row. Each peak comes with the number of its picture, in the order of the
    /// pictures and of their tops.
    ///
    /// ```
    /// use livetime_kernels::peaks::Peaks;
    ///
    /// let wanted: Peaks = "high=5,rank=1".parse()?;
    /// let mut found = Vec::new();
    /// let pixels = [0.0, 0.0, 0.0, 0.0, 7.0, 3.0];
    /// wanted.find_all(&pixels, &[2, 1, 3], &mut |picture, peak| found.push((picture, peak.column, peak.pixels)));
    /// assert_eq!(found, [(1, 1, 2)]);
    /// # Ok::<(), livetime_kernels::peaks::PeaksError>(())
    /// ```
    pub fn find_all(&self, values: &[f32], shape: &[usize], give: &mut dyn FnMut(usize, Peak)) {
        let (height, width) = match *shape {
            [.., height, width] => (height, width),
            _ => (1, values.len()),
        };
        // Chunks of no pixels are not allowed.
        for (number, plane) in values.chunks_exact((height * width).max(1)).enumerate() {
            find::peaks(self, plane, width, &mut |peak| give(number, peak));
        }
    }
}

/// Little-endian elements as `f32`, which is exact for elements of up to 16 bits.
pub fn values<T: Element>(bytes: &[u8]) -> Vec<f32> {
    (0..bytes.len() / size_of::<T>()).map(|i| T::load::<1>(bytes, i)[0].to_f64() as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        for text in [
            "low=20,high=50,rank=3,ring=4..6,pixels=2..40,snr=5",
            "low=-1.5,high=0,rank=1,ring=0..2,pixels=1..,snr=0",
        ] {
            assert_eq!(text.parse::<Peaks>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "low=3",
            "high=x",
            "high=nan",
            "high=5,low=6",
            "high=5,rank=0",
            "high=5,rank=99",
            "high=5,ring=3..3",
            "high=5,ring=3..1e9",
            "high=5,pixels=3..2",
            "high=5,x=1",
            "high",
        ] {
            assert!(text.parse::<Peaks>().is_err(), "{text}");
        }
    }
}
