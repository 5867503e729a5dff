//! From samples to frames.

use livetime_engine::NodeError;
use livetime_formats::wib::{Wib1FrameMut, WibEthFrameMut};
use livetime_kernels::wib::{pack_wib1, pack_wibeth};

use super::SimulatedLink;
use livetime_wire::RawFormat;

/// Detector number in the header of WIBEth frames: ProtoDUNE-HD.
const HD_TPC: u8 = 3;

/// Writes the frames of one link.
#[derive(Clone, Copy, Debug)]
pub struct FrameWriter<'a> {
    /// Format of the frames.
    pub format: RawFormat,
    /// The link that they come from.
    pub link: &'a SimulatedLink,
}

impl FrameWriter<'_> {
    /// Writes `samples` into `frames`, which get the link's identity, checksums and numbers from `number` on; the first one is of the
    /// time `stamp`, in ticks of the clock.
    ///
    /// # Errors
    /// [`NodeError`] when samples and frames do not fit.
    pub fn write(
        &self,
        samples: &[i16],
        number: u64,
        stamp: u64,
        frames: &mut [u8],
    ) -> Result<(), NodeError> {
        // The memory may hold an older frame: fields that are not set are 0.
        frames.fill(0);
        let packed = match self.format {
            RawFormat::WibEth => pack_wibeth(samples, frames),
            _ => pack_wib1(samples, frames),
        };
        packed.map_err(NodeError::new)?;
        for (frame, number) in frames.chunks_exact_mut(self.format.bytes()).zip(number..) {
            self.head(frame, number)?;
        }
        restamp(self.format, frames, number, stamp);
        Ok(())
    }

    fn head(&self, frame: &mut [u8], number: u64) -> Result<(), NodeError> {
        let SimulatedLink { crate_number, slot, fiber, .. } = *self.link;
        if self.format == RawFormat::WibEth {
            let mut frame = WibEthFrameMut::new(frame).map_err(NodeError::new)?;
            frame.set_identity(HD_TPC, crate_number.into(), slot, fiber);
            return Ok(());
        }
        let mut frame = Wib1FrameMut::new(frame).map_err(NodeError::new)?;
        frame.set_identity(crate_number, slot, fiber);
        // Convert counts have 16 bits, and wrap round.
        (0..4).for_each(|block| frame.set_convert_count(block, number as u16));
        // Checksums are of the blocks, so a new time in the header leaves them valid.
        frame.set_checksums();
        Ok(())
    }
}

/// Writes the times of `frames` again, from `stamp` on, and the sequence numbers of WIBEth frames from `number` on. Convert counts stay.
pub fn restamp(format: RawFormat, frames: &mut [u8], number: u64, stamp: u64) {
    let (frames, stamps) =
        (frames.chunks_exact_mut(format.bytes()), (0..).map(|i| stamp.wrapping_add(i * format.step())));
    for ((frame, stamp), number) in frames.zip(stamps).zip(number..) {
        if format != RawFormat::WibEth {
            // Both words of the time at once: most of the cost is the way of the frame's cache line.
            frame[8..16].copy_from_slice(&(stamp & (u64::MAX >> 1)).to_le_bytes());
        } else if let Ok(mut frame) = WibEthFrameMut::new(frame) {
            frame.set_sequence(number as u16);
            frame.set_timestamp(stamp);
        }
    }
}
