//! The expected header of a frame, given the frame before it.

use super::{Wib1Frame, Wib2Frame, WibEthFrame};
use crate::fields::{u32_at, u64_at};

/// The fields that are compared from frame to frame of a link, with a few loads. In a stream without faults
/// [`Head::stamp`] is a step later than in the frame before, [`Head::count`] one higher, and everything else the same.
///
/// ```
/// use livetime_formats::wib::{Head, Wib1Frame, Wib1FrameMut};
/// let mut bytes = [0; Wib1Frame::BYTES];
/// let mut frame = Wib1FrameMut::new(&mut bytes)?;
/// frame.set_timestamp(1000);
/// let head = Head::of_wib1(&Wib1Frame::parse(&bytes)?, 0);
/// assert_eq!((head.stamp, head.is_odd), (1000, false));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Time of the first sample, ticks of the clock.
    pub stamp: u64,
    /// Where the frame is from: the bits of the header that are the same in all frames of a link.
    pub identity: u64,
    /// Status bits of the electronics that do not change in normal operation: links valid, synchronised,
    /// ready.
    pub status: u64,
    /// The number that steps by one: sequence number of WIBEth, convert count of WIB1.
    pub count: u16,
    /// The frame says that something is wrong with it.
    pub is_odd: bool,
}

/// Version, fiber, crate and slot of a WIB1 frame.
pub(super) const WIB1_IDENTITY: u64 = 0x00FF_FF00;
/// `mm`, `oos` and the error bits.
const WIB1_ERRORS: u64 = 0xFFFF_0003 << 32;
/// Capture errors in the first word of a block.
const CAPTURE: u64 = 0xFFFF;
/// Boards valid, link mask, lock status of a WIB2 frame.
const WIB2_STATUS: u32 = 0x07FF_0000;
/// Version, detector, crate, slot and stream of a WIBEth frame.
pub(super) const WIBETH_IDENTITY: u64 = (1 << 34) - 1;
/// CRC errors and loss of lock.
const WIBETH_ERRORS: u64 = 0b10011 << 33;
/// Links valid, synchronised, ready.
const WIBETH_STATUS: u64 = 0b11 << 35 | 0b111 << 38 | 1 << 43;

impl Head {
    /// The head of a WIB1 frame. If only the lower 48 bits of its time were sent, the upper bits are chosen so that the
    /// time is nearest to `near`.
    pub fn of_wib1(frame: &Wib1Frame, near: u64) -> Head {
        let bytes = frame.bytes();
        let first = u64_at(bytes, 0);
        let blocks = [16, 128, 240, 352].map(|at| u64_at(bytes, at));
        let captured = blocks.iter().fold(0, |all, block| all | block) & CAPTURE;
        let differing = blocks.iter().fold(0, |all, block| all | (block ^ blocks[0])) >> 48;
        Head {
            stamp: if frame.wib_counter().is_some() {
                nearest(frame.timestamp(), near)
            } else {
                frame.timestamp()
            },
            identity: first & WIB1_IDENTITY,
            status: 0,
            count: (blocks[0] >> 48) as u16,
            is_odd: first & WIB1_ERRORS | captured | differing != 0,
        }
    }

    /// The head of a WIB2 frame, which has neither a sequence number nor error bits.
    pub fn of_wib2(frame: &Wib2Frame) -> Head {
        let bytes = frame.bytes();
        Head {
            stamp: frame.timestamp(),
            identity: u32_at(bytes, 0).into(),
            status: (u32_at(bytes, 12) & WIB2_STATUS).into(),
            count: 0,
            is_odd: false,
        }
    }

    /// The head of a WIBEth frame.
    pub fn of_wibeth(frame: &WibEthFrame) -> Head {
        let bytes = frame.bytes();
        let (first, status) = (u64_at(bytes, 0), u64_at(bytes, 16));
        Head {
            stamp: frame.timestamp(),
            identity: first & WIBETH_IDENTITY,
            status: status & WIBETH_STATUS,
            count: frame.sequence(),
            is_odd: status & WIBETH_ERRORS != 0 || frame.block_length() != WibEthFrame::BLOCK_LENGTH,
        }
    }
}

/// The time with the lower 48 bits of `stamp` that is nearest to `near`.
fn nearest(stamp: u64, near: u64) -> u64 {
    // The difference of 48 bits, shifted up and down again, becomes a signed number.
    let behind = stamp.wrapping_sub(near) << 16;
    near.checked_add_signed(behind as i64 >> 16).unwrap_or(stamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_bits_are_rebuilt_over_the_wrap() {
        let wrap = 1 << 48;
        assert_eq!(nearest(5, 3 * wrap - 20), 3 * wrap + 5);
        assert_eq!(nearest(wrap - 20, 3 * wrap + 5), 3 * wrap - 20);
        assert_eq!(nearest(77, 0), 77);
        // Nothing is before 0.
        assert_eq!(nearest(wrap - 1, 0), wrap - 1);
    }
}
