//! Samples of the wire readout of ProtoDUNE and DUNE, unpacked to 16 bits.
//!
//! | format | bits | frame | channels × ticks |
//! |---|---|---|---|
//! | WIB1 (ProtoDUNE-SP) | 12 | 464 bytes | 256 × 1 |
//! | WIB2 | 14 | 472 bytes | 256 × 1 |
//! | WIBEth | 14 | 7200 bytes | 64 × 64 |
//!
//! The result is one row per tick with all channels in the order of the frame, as the [hit finders](crate::hits) take it.
//! Headers are for the crate `livetime-formats`; here only the samples are looked at.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod fourteen;
mod layout;
#[cfg(test)]
mod tests;
mod twelve;
#[cfg(target_arch = "x86_64")]
mod vbmi;

pub use layout::{WIB_CHANNELS, WIB1_BYTES};

use crate::{LengthError, Level};

/// Bytes in a WIB2 frame.
pub const WIB2_BYTES: usize = 472;
/// Bytes in a WIBEth frame.
pub const WIBETH_BYTES: usize = 7200;

/// Channels in a WIBEth frame.
pub const WIBETH_CHANNELS: usize = 64;
/// Ticks in a WIBEth frame.
pub const WIBETH_TICKS: usize = 64;

/// Samples in a WIBEth frame.
const WIBETH_SAMPLES: usize = WIBETH_CHANNELS * WIBETH_TICKS;

/// Unpacks WIB1 frames of 464 bytes that follow each other, for example a superchunk of 12.
///
/// - `frames`: n · 464 bytes.
/// - `samples`: n rows of 256 samples, 0 to 4095 counts. Channel 64·block + 8·chip + channel of the chip.
///
/// # Errors
/// A length that does not fit; nothing is written.
///
/// ```
/// use livetime_kernels::{Level, wib::{WIB1_BYTES, unpack_wib1}};
/// let mut frame = [0u8; WIB1_BYTES];
/// frame[32] = 0x34; // channel 0 of the first chip is in the bytes 0 and 2 of the first block's samples
/// frame[34] = 0xF2;
/// let mut samples = [0i16; 256];
/// unpack_wib1(Level::best(), &frame, &mut samples)?;
/// assert_eq!((samples[0], samples[1]), (0x234, 0x00F));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn unpack_wib1(level: Level, frames: &[u8], samples: &mut [i16]) -> Result<(), LengthError> {
    check(frames.len(), WIB1_BYTES, samples.len(), WIB_CHANNELS)?;
    twelve::unpack(level, frames, samples);
    Ok(())
}

/// Unpacks WIB2 frames of 472 bytes that follow each other.
///
/// - `frames`: n · 472 bytes.
/// - `samples`: n rows of 256 samples, 0 to 16383 counts.
///
/// # Errors
/// A length that does not fit; nothing is written.
///
/// ```
/// use livetime_kernels::{Level, wib::{WIB2_BYTES, unpack_wib2}};
/// let mut samples = [0i16; 256];
/// unpack_wib2(Level::best(), &[0xFF; WIB2_BYTES], &mut samples)?;
/// assert_eq!(samples, [16383; 256]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn unpack_wib2(level: Level, frames: &[u8], samples: &mut [i16]) -> Result<(), LengthError> {
    check(frames.len(), WIB2_BYTES, samples.len(), WIB_CHANNELS)?;
    let frames = frames.as_chunks::<WIB2_BYTES>().0;
    for (frame, samples) in frames.iter().zip(samples.as_chunks_mut::<WIB_CHANNELS>().0) {
        // 448 bytes of samples lie between a header of 20 and a last word of 4.
        fourteen::unpack(level, &frame[20..468], samples);
    }
    Ok(())
}

/// Unpacks WIBEth frames of 7200 bytes that follow each other.
///
/// - `frames`: n · 7200 bytes.
/// - `samples`: 64 · n rows of 64 samples, 0 to 16383 counts.
///
/// # Errors
/// A length that does not fit; nothing is written.
///
/// ```
/// use livetime_kernels::{Level, wib::{WIBETH_BYTES, unpack_wibeth}};
/// let mut samples = [0i16; 64 * 64];
/// unpack_wibeth(Level::best(), &[0xFF; WIBETH_BYTES], &mut samples)?;
/// assert_eq!(samples, [16383; 64 * 64]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn unpack_wibeth(level: Level, frames: &[u8], samples: &mut [i16]) -> Result<(), LengthError> {
    check(frames.len(), WIBETH_BYTES, samples.len(), WIBETH_SAMPLES)?;
    let frames = frames.as_chunks::<WIBETH_BYTES>().0;
    for (frame, samples) in frames.iter().zip(samples.as_chunks_mut::<WIBETH_SAMPLES>().0) {
        fourteen::unpack(level, &frame[32..], samples);
    }
    Ok(())
}

/// Puts samples into WIB1 frames, the inverse of [`unpack_wib1`]: for simulation. Headers stay.
///
/// # Errors
/// A length that does not fit; nothing is written.
///
/// ```
/// use livetime_kernels::{Level, wib::{WIB1_BYTES, pack_wib1, unpack_wib1}};
/// let samples: Vec<i16> = (0..256).map(|c| c * 16 + 5).collect();
/// let (mut frame, mut again) = ([0; WIB1_BYTES], [0; 256]);
/// pack_wib1(&samples, &mut frame)?;
/// unpack_wib1(Level::best(), &frame, &mut again)?;
/// assert_eq!(again, *samples);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn pack_wib1(samples: &[i16], frames: &mut [u8]) -> Result<(), LengthError> {
    check(frames.len(), WIB1_BYTES, samples.len(), WIB_CHANNELS)?;
    twelve::pack(samples, frames);
    Ok(())
}

/// Puts samples into WIBEth frames, the inverse of [`unpack_wibeth`]: for simulation. Headers stay.
///
/// # Errors
/// A length that does not fit; nothing is written.
///
/// ```
/// use livetime_kernels::{Level, wib::{WIBETH_BYTES, pack_wibeth, unpack_wibeth}};
/// let samples: Vec<i16> = (0..64 * 64).map(|i| i * 3).collect();
/// let (mut frame, mut again) = ([0; WIBETH_BYTES], [0; 64 * 64]);
/// pack_wibeth(&samples, &mut frame)?;
/// unpack_wibeth(Level::best(), &frame, &mut again)?;
/// assert_eq!(again, *samples);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn pack_wibeth(samples: &[i16], frames: &mut [u8]) -> Result<(), LengthError> {
    check(frames.len(), WIBETH_BYTES, samples.len(), WIBETH_SAMPLES)?;
    let frames = frames.as_chunks_mut::<WIBETH_BYTES>().0;
    for (frame, samples) in frames.iter_mut().zip(samples.as_chunks::<WIBETH_SAMPLES>().0) {
        fourteen::pack(samples, &mut frame[32..]);
    }
    Ok(())
}

/// Whether both lengths fit one number of frames.
fn check(bytes: usize, frame: usize, samples: usize, per_frame: usize) -> Result<(), LengthError> {
    let count = bytes / frame;
    LengthError::check("frames", bytes, count * frame)?;
    LengthError::check("samples", samples, count * per_frame)
}
