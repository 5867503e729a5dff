//! Samples of raw frames of the wire readout, which are packed in 12 or 14 bits: decoding only.
//!
//! The frames are written by the experiments' electronics. The samples come as one row for each tick, with all channels in the order
//! of the frame, from 0 on.

use livetime_kernels::wib::{unpack_wib1, unpack_wib2, unpack_wibeth};
use livetime_kernels::{LengthError, Level};

use crate::CodecError;

/// How the samples of a frame are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PackedFrames {
    /// 464 bytes: 256 channels of 12 bits, 1 tick.
    Wib1,
    /// 472 bytes: 256 channels of 14 bits, 1 tick.
    Wib2,
    /// 7200 bytes: 64 channels of 14 bits, 64 ticks.
    WibEth,
}

impl PackedFrames {
    /// Unpacks frames that follow each other.
    ///
    /// ```
    /// use livetime_codecs::PackedFrames;
    /// let mut samples = [0; 256];
    /// PackedFrames::Wib2.unpack(&[0xFF; 472], &mut samples)?;
    /// assert_eq!(samples, [16383; 256]);
    /// # Ok::<(), livetime_codecs::CodecError>(())
    /// ```
    ///
    /// # Errors
    /// [`CodecError::Length`] if these are not whole frames, or the samples not as many as they have; nothing is written.
    pub fn unpack(self, frames: &[u8], samples: &mut [i16]) -> Result<(), CodecError> {
        let level = Level::best();
        let unpacked = match self {
            PackedFrames::Wib1 => unpack_wib1(level, frames, samples),
            PackedFrames::Wib2 => unpack_wib2(level, frames, samples),
            PackedFrames::WibEth => unpack_wibeth(level, frames, samples),
        };
        unpacked.map_err(|LengthError { what, len, expected }| CodecError::Length {
            what,
            wanted: expected,
            found: len,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_do_not_fit_are_refused() {
        for (packed, bytes, samples) in [
            (PackedFrames::Wib1, 464, 256),
            (PackedFrames::Wib2, 472, 256),
            (PackedFrames::WibEth, 7200, 4096),
        ] {
            let frames = vec![0; 2 * bytes];
            assert_eq!(packed.unpack(&frames, &mut vec![1; 2 * samples]), Ok(()));
            assert!(packed.unpack(&frames[1..], &mut vec![0; 2 * samples]).is_err());
            assert!(packed.unpack(&frames, &mut vec![0; samples]).is_err());
        }
    }
}
