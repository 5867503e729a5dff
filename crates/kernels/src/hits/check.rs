//! Sizes that hit finders can work with.

use crate::LengthError;
use crate::lanes::MOST;

/// Blocks of 32 channels.
pub(super) fn blocks(channels: usize) -> Result<usize, LengthError> {
    // A hit numbers its channel with 16 bits.
    let fitting = channels.clamp(MOST, 1 << 16) / MOST * MOST;
    LengthError::check("channels", channels, fitting)?;
    Ok(channels / MOST)
}

/// Channels of `blocks`, if `samples` are whole rows of them.
pub(super) fn rows(samples: &[i16], blocks: usize) -> Result<usize, LengthError> {
    let channels = blocks * MOST;
    LengthError::check("samples", samples.len(), samples.len() / channels * channels)?;
    Ok(channels)
}
